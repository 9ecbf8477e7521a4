"""False theorems and certificates are offered to the kernel by the dozen; none is accepted."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import wrong_almost_sure
import wrong_definitions
import wrong_entries
import wrong_kinds
import wrong_limits
import wrong_logic
import wrong_names
import wrong_ranges
import wrong_readings
import wrong_scopes
import wrong_signs
import wrong_sums
import wrong_values
from sympy import Symbol
from wrong_certificates import FAMILIES, REFUSALS, Offer, accepted

from claims.statement import Compare
from proofs import kernel, smt
from proofs.certificate import Certificate

PROOFS = Path(kernel.__file__).parent
x = Symbol("x", real=True)
MODULES = (
    wrong_values, wrong_logic, wrong_sums, wrong_names, wrong_scopes, wrong_almost_sure, wrong_kinds,
    wrong_definitions, wrong_limits, wrong_ranges, wrong_readings, wrong_signs, wrong_entries,
)  # fmt: skip
FALSE = [(f.name, k, offer) for f in FAMILIES for k, offer in enumerate(f.false)]
TRUE = [(f.name, k, offer) for f in FAMILIES for k, offer in enumerate(f.true)]


def names(offers: list) -> list[str]:
    return [f"{name}-{k}" for name, k, _ in offers]


@pytest.mark.parametrize("offer", [offer for *_, offer in FALSE], ids=names(FALSE))
def test_nothing_false_is_accepted(offer: Offer) -> None:
    try:
        found = offer()
    except REFUSALS:
        return
    assert not accepted(found), f"accepted although false: {found}"


@pytest.mark.parametrize("offer", [offer for *_, offer in TRUE], ids=names(TRUE))
def test_a_true_sibling_is_accepted(offer: Offer) -> None:
    """Each family could be accepted, so that its refusals mean something."""
    assert accepted(offer())


def test_there_are_hundreds_in_many_families() -> None:
    assert len(FALSE) >= 100
    assert len(FAMILIES) >= 20 and len(MODULES) == 13
    assert all(family.false and family.true for family in FAMILIES)


# Checking again -----------------------------------------------------------------------------------


def test_a_poisoned_cache_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the solver is remembered to have said makes a theorem, and is not believed again."""
    false = Compare(x**2, "<", 0)
    (remembered,) = smt._REMEMBERED
    poisoned = lambda goal, *more: goal == false or remembered(goal, *more)  # noqa: E731
    monkeypatch.setattr(smt, "_REMEMBERED", [poisoned])
    theorem = kernel.both(kernel.joint(false), kernel.joint(Compare(x**2, ">=", 0)))
    assert theorem.genuine()
    certificate = Certificate("proved", "a poisoned cache", theorem=theorem)
    assert certificate.recheck() == [false.latex()]


def test_checking_again_asks_the_solver_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    counted = lambda alone: asked.append(1) or smt.z3.Solver(ctx=alone)  # noqa: E731
    monkeypatch.setattr(smt, "_SOLVERS", (counted,))
    monkeypatch.setattr(smt, "_REMEMBERED", [smt._remembering(None)])
    monkeypatch.setattr(smt, "_AGAIN", smt._remembering(None))
    theorem = kernel.joint(Compare(x**2 + 1, ">", 0))
    above = kernel.both(theorem, theorem)
    assert len(asked) == 1
    assert theorem.failures() == [] and len(asked) == 2
    assert above.failures() == [] and len(asked) == 2


def test_only_the_two_roads_to_a_verdict_make_certificates() -> None:
    """A certificate that says "proved" is made by `proofs.conclude` alone, which saw the claim."""
    makers = {
        path.relative_to(PROOFS).as_posix()
        for path in PROOFS.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", getattr(call.func, "attr", "")) == "Certificate"
        and not (call.args and getattr(call.args[0], "value", "") in {"refuted", "undecided"})
    }
    assert makers == {"conclude.py"}
