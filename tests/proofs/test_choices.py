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
from proofs.certificate import Certificate
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
