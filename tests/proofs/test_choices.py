"""What the print leaves open: where a refutation at one choice is called one at all of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sympy import Integer, Symbol

from claims.domain import Choice, Condition, Domain, Point, Real, Size
from claims.model import Claim, Source
from claims.statement import Compare, Or, Quantity
from proofs import kernel
from proofs.certificate import Certificate, Instance
from proofs.choices import further, meeting, tied_to, unseen_choice
from proofs.conclude import at_every_choice, unfounded
from proofs.decide import refute

n = Symbol("n", integer=True, positive=True)
C, x, c = Symbol("C", positive=True), Symbol("x", real=True), Symbol("c", real=True)
size, number = Quantity("n", lambda at: at[n]), Quantity("x", lambda at: at[x])
LONG, SMALL = Compare(n, ">=", 1000), Compare(C, "<", 5)
SHORT = Compare(n, "<", 1000)


def of_some_order(*conditions: Condition) -> Claim:
    """n is at most 49 C, and the print gives no C."""
    domain = Domain((Size(n, 1), Real(C, 0, open_low=True)), conditions)
    return Claim(
        "toy.order", Source("toy", ""), "bound", "", Compare(size, "<=", 49 * C), domain,
        left_open=(C,), probes=({n: Integer(1000), C: Integer(1)},),
    )  # fmt: skip


def at_long_ones(stated: Claim, *given: Any) -> Certificate:
    """What becomes of a refutation at one C by a theorem about sizes of a thousand."""

    def contrary(_: Claim) -> kernel.Theorem:
        value = kernel.unfold(size, n, stated.domain)
        return kernel.joint(Compare(size, ">", 49 * C), value, given=(LONG, *given))

    return at_every_choice(refute(stated, method="toy"), stated, contrary)


def _opaque(point: Point) -> bool:
    return bool(point[C] < 5 or point[n] < 1000)


@pytest.mark.parametrize(
    "tied",
    [
        Condition.of(Or((SHORT, SMALL))), Condition.of(Or((SMALL, SHORT))),
        Condition("either", _opaque, Or((SMALL, SHORT))),
    ],
)  # fmt: skip
def test_a_condition_ties_what_it_need_not_ask_for_at_the_points_looked_at(tied: Condition) -> None:
    """No size of a thousand is admissible at C = 21, where the statement is true."""
    found = at_long_ones(of_some_order(tied), Or((SHORT, SMALL)))
    assert found.status == "undecided" and "tie" in found.reason


def test_what_is_said_of_the_rest_or_of_the_choice_alone_ties_nothing() -> None:
    below = Condition.of(Compare(C, "<=", 20))
    for conditions in ((below,), (below, Condition.of(Compare(n, "<=", 10**6)))):
        stated = of_some_order(*conditions)
        found = at_long_ones(stated, Compare(C, "<=", 20))
        assert found.status == "refuted" and unfounded(found, stated) is None


def test_each_choice_that_is_listed_needs_a_witness() -> None:
    """x <= c fails at c = 2 where x is at least three, and at c = 4 it does not."""

    def stated(low: int) -> Claim:
        domain = Domain((Real(x, low, low + 1), Choice(c, (Integer(2), Integer(4)))))
        made = Claim("toy.d", Source("toy", ""), "bound", "", Compare(number, "<=", c), domain)
        return replace(made, left_open=(c,))

    within, above = stated(3), stated(5)
    at_one = refute(within, method="toy")
    assert at_one.status == "undecided"
    written = Certificate("refuted", "by hand", witness=at_one.steps[0])
    assert "c = 4" in (unfounded(written, within) or "")
    found = refute(above, method="toy")
    assert found.status == "refuted" and unfounded(found, above) is None
    assert unfounded(replace(found, steps=()), above) is not None


def stated_in(*variables: Any, conditions: tuple[Condition, ...] = (), **more: Any) -> Claim:
    more = {"left_open": (C,), **more}
    return Claim(
        "toy.place", Source("toy", ""), "bound", "", Compare(size, "<=", 49 * C),
        Domain(variables, conditions), **more,
    )  # fmt: skip


FREE = Real(C, 0, open_low=True)
A, D = Symbol("A", positive=True), Symbol("D", positive=True)


@pytest.mark.parametrize(
    ("variables", "conditions", "tie"),
    [
        ((Size(n, 1), FREE), (), None),
        ((Size(n, 1), FREE, Real(x, 0, C)), (), C), ((Size(n, 1), FREE, Real(A, 0, C)), (), C),
        ((Size(n, 1), FREE, Real(x, 0, n)), (), None),
        ((Size(n, 1), Real(C, 0, n, open_low=True)), (), C),
        ((Size(n, 1), FREE), (Condition.of(SMALL),), None),
        ((Size(n, 1), FREE), (Condition("opaque", lambda at: bool(at[C] < 5), SMALL),), C),
        ((Size(n, 1), FREE), (Condition("opaque", lambda at: bool(at[C] < 5)),), C),
        ((Size(n, 1), FREE), (Condition("rest", lambda at: bool(at[n] < 5)),), None),
        ((Size(n, 1), FREE), (Condition("far", lambda at: at[n] != 777 or bool(at[C] < 5)),), C),
        ((Size(n, 1), FREE), (Condition("near", lambda at: at[n] != 2 or bool(at[C] < 5)),), C),
    ],
)  # fmt: skip
def test_what_ties_the_rest_to_a_choice(variables: Any, conditions: Any, tie: Any) -> None:
    """Also where it shows at the witness alone, n = 777, or at a small point alone, n = 2."""
    witness = {n: Integer(777), C: Integer(1), x: Integer(0), A: Integer(0)}
    assert tied_to(stated_in(*variables, conditions=conditions), witness) == tie


def test_of_several_ties_the_first_by_name_is_named() -> None:
    both = Condition.of(Compare(C * D, "<", n))
    claim = stated_in(
        Size(n, 1), FREE, Real(D, 0, open_low=True), conditions=(both,), left_open=(D, C)
    )
    assert tied_to(claim, {n: Integer(3), C: Integer(1), D: Integer(1)}) == C
    only = stated_in(Size(n, 1), FREE, Real(D, 0, open_low=True), Real(x, 0, D), left_open=(D, C))
    assert tied_to(only, {n: Integer(3), C: Integer(1), D: Integer(1), x: Integer(0)}) == D


def test_a_point_meets_what_is_assumed_without_what_is_left_open() -> None:
    claim = stated_in(Size(n, 1), FREE, probes=({n: Integer(1000), C: Integer(1)},))
    at, probe = {n: Integer(3), C: Integer(1)}, claim.probes[0]
    assert meeting([], claim, at) == at
    assert meeting([LONG], claim, at) == probe
    assert meeting([Compare(n, ">", 5000)], claim, at) is None
    assert meeting([SMALL], claim, at) is None
    assert meeting([SHORT], replace(claim, probes=()), {n: Integer(-1), C: Integer(1)}) is None


def test_what_a_theorem_assumes_beyond_the_domain() -> None:
    claim = stated_in(Size(n, 1), FREE)
    value = kernel.unfold(size, n, claim.domain)
    assert any(isinstance(h, kernel.Within) for h in value.hypotheses)
    theorem = kernel.joint(Compare(size, ">", 0), value, given=(LONG,))
    assert further(theorem, []) == [LONG]
    assert further(theorem, [Compare(n, ">=", 2000)]) == []
    declared = Compare(n, ">", 0)  # what a name declares, no domain says
    assert further(kernel.joint(Compare(size, ">", 0), value, given=(declared,)), []) == [declared]


def test_what_speaks_against_a_choice_is_a_failure_of_the_statement_itself() -> None:
    domain = Domain((Real(x, 3, 4), Choice(c, (Integer(2),))))
    claim = Claim(
        "toy.d", Source("toy", ""), "bound", "", Compare(number, "<=", c), domain, left_open=(c,)
    )
    define = claim.define
    at = {x: Integer(3), c: Integer(2)}
    good = Instance(claim.statement, at, Integer(3), define, holds=False)
    assert unseen_choice(claim, [good]) is None
    others = (
        "no instance",
        replace(good, holds=True),
        replace(good, statement=Compare(number, "<", c)),
        replace(good, define=lambda point: {}),
        replace(good, point={x: Integer(5), c: Integer(2)}),
    )
    for other in others:
        assert "c = 2" in (unseen_choice(claim, [other]) or "")
