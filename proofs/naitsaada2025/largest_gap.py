"""What the cut at the largest difference of singular values leaves, by what it is."""

from __future__ import annotations

from sympy import Integer, Rational, Symbol

from claims.model import Claim
from claims.naitsaada2025 import largest_gap as claims
from claims.naitsaada2025.largest_gap import removed, value
from claims.naitsaada2025.notation import T
from claims.statement import Compare
from proofs.calculation import at_places, integers_apart, linked, square_at, sums_compared
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import Theorem, assume, both, congruent, cut, discharge, instance, joint, unfold
from proofs.naitsaada2025.decompositions import SEVERAL, along_ones, bulk, whole
from proofs.naitsaada2025.rayleigh import Column
from proofs.registry import proves

DOMAIN = claims.one_value_is_removed.domain
ONE, TWO = Integer(1), Integer(2)


def largest_is_at_least_one() -> Theorem:
    r"""$\|A^\top1\|^2=T+\|A^{\perp\top}1\|^2$ is at least $\|1\|^2$."""
    ones: Column = lambda a: ONE  # noqa: E731
    rest = sums_compared(lambda c: square_at(bulk.pulled(ones)(c)), T)
    square = linked(
        Compare(whole.root(ONE) ** 2, ">=", 1),
        whole.principle(ones),
        along_ones(ones, T),
        rest,
        SEVERAL,
    )
    return joint(Compare(whole.root(ONE), ">=", 1), square, instance(whole.order, ONE))


def only_the_first(small: Theorem) -> Theorem:
    """r = 1: later differences are at most s_2, which is less than s_1 - s_2."""
    first = instance(assume(claims.LARGEST), ONE)
    later = Compare(removed, ">=", 2)
    below = at_places(whole.falling, TWO, removed)
    sign = instance(whole.order, removed + 1)
    ranges = [assume(Compare(removed, ">=", 1)), assume(Compare(removed, "<=", T - 1))]
    none = joint(
        Compare(ONE, "<=", 0), first, below, sign, largest_is_at_least_one(), small, given=(later,)
    )
    not_later = discharge(none, later)
    apart = integers_apart(ONE, removed)
    return joint(Compare(removed, "=", 1), not_later, apart, *ranges)


@proves(claims.all_outliers_are_removed)
def by_the_choice_of_the_cut(claim: Claim) -> Certificate:
    """The removed difference is the largest of all, and the first is above one half."""
    read = [unfold(value(k), whole.root(k), DOMAIN) for k in (Integer(k) for k in (1, 2, 3))]
    small = joint(Compare(whole.root(TWO), "<", Rational(1, 2)), read[1], assume(claims.SMALL))
    first = only_the_first(small)
    place = Symbol("q", integer=True)
    same = [cut(congruent(value(place + k), place, removed, ONE), first) for k in (1, 2)]
    goal = Compare(value(removed + 1), "<=", claims.apart * value(removed + 2))
    left = joint(goal, *same, assume(claims.ONE_OUTLIER))
    both_hold = claims.SMALL & claims.ONE_OUTLIER
    left = cut(
        left, joint(claims.SMALL, given=(both_hold,)), joint(claims.ONE_OUTLIER, given=(both_hold,))
    )
    theorem = both(discharge(first, claims.SMALL), discharge(left, both_hold))
    return conclude(claim, theorem, method="the choice of the cut, and $s_1\\ge1$")
