"""A slip in a statement is told in one line, with the claim and the formula, when claims are loaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from sympy import Function, Integer, MatrixSymbol, Symbol

from claims import registry
from claims.domain import Domain, Size
from claims.errors import UserError
from claims.model import Claim, Relation, Source
from claims.sound import require_sound
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import Recursion, entry, family

n, k = (Symbol(name, integer=True, positive=True) for name in "nk")
X = MatrixSymbol("X", 2, 2)
double = Quantity("2n", lambda at: 2 * at[n])
power = family("n^{{{}}}", lambda at, e: at[n] ** e)
nowhere: Any = None


def claim(statement: Any, **more: Any) -> Claim:
    source = Source("toy", "Sec. 1", "Eq. (1)")
    return Claim("toy.eq-1", source, "identity", "A toy.", statement, Domain((Size(n, 1),)), **more)


@dataclass(frozen=True)
class Unprintable(Formula):
    """A formula of an extension that no printer knows."""

    left: Any

    def truth(self, at: Any) -> bool:
        return True


SLIPS = {
    "an unknown variable": (double.equals(k), "2n = k: k is no variable of the domain"),
    "a quantity": (Quantity("q", nowhere).equals(n), "q = n: the quantity q has no definition"),
    "a family": (double.equals(family("f_{{{}}}", nowhere)(1)), "has no definition"),
    "a function": (double.equals(Function("h")(n)), "h(n) has no definition; make it a family"),
    "an entry": (double.equals(entry(X)(1, 2)), "an entry of X, which is no variable"),
    "a formula": (Unprintable(double), "cannot be rendered (formula Unprintable: has no typeset"),
    "a bound index": (
        ForAll(k, 1, n, Compare(power(k), "<=", double)) & Compare(double, "<=", Symbol("m")),
        "m is no variable of the domain",
    ),
}


@pytest.mark.parametrize(
    ("lhs", "said"),
    [
        (r"\frac{a", "leaves a brace open"),
        (r"\frac{a}\{{b}}}", "closes a brace that nothing opens"),
    ],
)
def test_a_brace_without_its_other_one_cannot_be_rendered(lhs: str, said: str) -> None:
    """Escaped braces are letters."""
    require_sound(claim(Relation(r"\{\frac{a}{b}\\{c}", (n,)), define=lambda at: at[n]))
    with pytest.raises(UserError, match=r"^toy\.eq-1: .*cannot be rendered") as told:
        require_sound(claim(Relation(lhs, (n,)), define=lambda at: at[n]))
    assert said in str(told.value)


@pytest.mark.parametrize("name", SLIPS)
def test_slip_is_told_in_one_line(name: str) -> None:
    statement, said = SLIPS[name]
    with pytest.raises(UserError) as told:
        require_sound(claim(statement))
    message = str(told.value)
    assert message.startswith("toy.eq-1: ") and said in message and "\n" not in message


def test_repair_is_held_to_the_same() -> None:
    slip = claim(double.equals(k))
    with pytest.raises(UserError, match=r"^toy\.eq-1: 2n = k"):
        require_sound(claim(double.equals(n), repair=slip, severity="misprint"))


def test_sound_statements_pass() -> None:
    grow = Recursion("g", lambda: Integer(1), lambda t, before: 2 * before())
    require_sound(claim(ForAll(k, 1, n, Compare(power(k), "<=", grow(n) + double))))
    require_sound(claim(Relation("2n", (n + n,)), define=lambda at: 2 * at[n]))


def test_loading_names_the_claim(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command prints before it ends with status 2."""
    import claims.wu2024.masks as module

    monkeypatch.setattr(module, "slip", claim(double.equals(k)), raising=False)
    registry.encoded.cache_clear()
    try:
        with pytest.raises(UserError, match=r"^toy\.eq-1: 2n = k: k is no variable of the domain"):
            list(registry.encoded())
    finally:
        registry.encoded.cache_clear()
