"""The name of a quantity, where it is a formula, is the formula of its definition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sympy import MatrixSymbol, Rational, sqrt, symbols

from audit.examine import examine, load_witnesses
from audit.printed import misnamed
from audit.printed.naming import formulas_in_names
from claims.domain import Array, Domain, Real, Size
from claims.model import Claim, Source
from claims.registry import encoded
from claims.statement import Compare, ForAll, Quantity

n, d, i = symbols("n d i", integer=True, positive=True)
eta = symbols(r"\eta", real=True)
X = MatrixSymbol("X", n, d)
DOMAIN = Domain((Size(n, 2), Size(d, 1), Real(eta, Rational(1, 4), 3), Array(X)))
READABLE = 44
"""Names of our quantities that are formulas a reader can evaluate: fewer, and it reads no more."""


def about(name: str, define: Any) -> Claim:
    return Claim(
        id="note2020.size", source=Source("note2020", "Eq. (1)"), kind="bound", title="A size.",
        statement=Quantity(name, define).at_least(0), domain=DOMAIN,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "define"),
    [
        (r"n^2+1", lambda at: at[n] ** 2 + 1), (r"\tfrac{n}{2}\eta", lambda at: at[n] * at[eta] / 2),
        (r"\sqrt{n}\,|\eta|", lambda at: sqrt(at[n]) * abs(at[eta])),
        (r"\|X\|_F^2", lambda at: sum(x**2 for x in at[X])),
        (r"\tfrac1n(1-\eta)", lambda at: (1 - at[eta]) / at[n]),
    ],
)  # fmt: skip
def test_a_name_that_is_its_formula_is_read(name: str, define: Any) -> None:
    right = about(name, define)
    assert formulas_in_names(right) and misnamed(right) is None
    wrong = about(name, lambda at: define(at) + Rational(1, 7))
    said = misnamed(wrong)
    assert said is not None and said.startswith(
        f"note2020.size: the name ${name}$ of a quantity says"
    )
    assert said.endswith("; mend one of them") and "\n" not in said


def test_a_wrong_name_under_a_quantifier_is_found() -> None:
    sized = about("n", lambda at: at[n])
    statement = ForAll(i, 1, n, Compare(Quantity("i^2+n", lambda at: at[i] ** 2), ">=", 0))
    assert misnamed(replace(sized, statement=statement)) is not None


@pytest.mark.parametrize(
    "name",
    [
        r"\eta(n+1)", r"\mathbb E\|X\|_F^2", r"\lim_{n\to\infty}\eta^n", r"\rho(\eta)", r"W^2",
        r"\eta", r"\frac{\partial\eta}{\partial n}", r"\text{rows of}\ X",
    ],
)  # fmt: skip
def test_what_may_mean_something_else_is_not_judged(name: str) -> None:
    """A value of a function, a mean, a limit, a letter that nothing explains, a mere name."""
    other = about(name, lambda at: at[n] + 100)
    assert not formulas_in_names(other) and misnamed(other) is None


def test_a_norm_without_closed_form_is_judged_where_it_has_one() -> None:
    """Of one column, of which every norm of a matrix is the length."""
    assert misnamed(about(r"\|X\|", lambda at: sqrt(sum(x**2 for x in at[X])))) is None
    assert misnamed(about(r"\|X\|", lambda at: at[n] + 100)) is not None


def test_a_definition_without_value_contradicts_no_name() -> None:
    assert misnamed(about("n^2", lambda at: 1 / (at[n] - at[n]))) is None


def test_names_of_the_papers_are_what_is_computed() -> None:
    judged = [c for claim in encoded().values() for c in (claim, claim.repair) if c is not None]
    assert [said for claim in judged if (said := misnamed(claim)) is not None] == []
    assert sum(len(formulas_in_names(claim)) for claim in judged) >= READABLE


@pytest.mark.parametrize("of_the_repair", [False, True])
def test_a_wrong_name_is_a_conflict(monkeypatch: pytest.MonkeyPatch, of_the_repair: bool) -> None:
    known = "wu2024.sec-4.1.rate-monotone-eps"
    load_witnesses("wu2024")
    claim = encoded()[known]
    judged = claim.repair if of_the_repair else claim
    assert judged is not None
    (side,) = formulas_in_names(judged)
    renamed = Quantity(f"{side.name}+1", side.define)
    other = replace(judged, statement=judged.formula.substitute({side: renamed}))
    other = replace(claim, repair=other) if of_the_repair else other
    package = encoded().package_of(known)
    monkeypatch.setitem(encoded().of_package(package), known, other)
    record = examine(known, seed=0, effort="quick")
    assert record["verdict"] == "conflict"
    assert "of a quantity says another formula than its definition" in record["reason"]
