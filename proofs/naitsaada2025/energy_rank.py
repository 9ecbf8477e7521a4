"""Fourth powers of singular values between the square of their squares' sum and the second one's share."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, Sum, Symbol, symbols

from claims.domain import Domain
from claims.model import Claim
from claims.naitsaada2025 import energy_rank as claims
from claims.naitsaada2025 import stable_rank as ranks
from claims.naitsaada2025.notation import T
from claims.naitsaada2025.stable_rank import M
from claims.statement import Compare
from proofs.calculation import algebra, linked
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    fact,
    generalise,
    instance,
    joint,
    part,
    substitute,
    sum_at_least_term,
    sum_compared,
    sum_rearranged,
    sum_split,
    unfold,
)
from proofs.naitsaada2025.stable_rank import rank_of_covariance, spectrum
from proofs.registry import proves

DOMAIN = claims.covariance_rank_between_functions_of_the_signals.domain
SEVERAL = Compare(T, ">=", 2)
n = Symbol("n", integer=True)
root = spectrum().root
OVER = (n, 2, T)
BULK, FOURTH = Sum(root(n) ** 2, OVER), Sum(root(n) ** 4, OVER)
c, r, f, s, b, q, m = symbols("c r f s b q m", real=True)
kappa, t, size, fourth = symbols("kappa t n q_4", real=True)


@cache
def _bulk() -> tuple[Theorem, ...]:
    """B^2 <= (T - 1) Q, Q <= s_2^2 B, B <= (T - 1) s_2^2, Q >= s_2^4, B >= 0 for B and Q of n >= 2."""
    two, inside = root(Integer(2)), assume(Compare(n, ">=", 2))
    order = instance(spectrum().second, n)
    sign = cut(part(instance(spectrum().order, n), 0), joint(Compare(n, ">=", 1), inside))
    length = sum_rearranged(Sum(Integer(1), OVER), T - 1)
    flat = fact(CAUCHY_SCHWARZ, a=root(n) ** 2, b=Integer(1), k=n, low=2, high=T)
    squares = linked(Compare(BULK**2, "<=", (T - 1) * FOURTH), flat, length)

    def compared(goal: Compare) -> Theorem:
        return sum_compared(generalise(joint(goal, order, sign), n, 2, T))

    fourth = compared(Compare(root(n) ** 4, "<=", two**2 * root(n) ** 2))
    above = linked(Compare(FOURTH, "<=", two**2 * BULK), fourth)
    second = compared(Compare(root(n) ** 2, "<=", two**2))
    most = linked(Compare(BULK, "<=", (T - 1) * two**2), second)
    signs = generalise(joint(Compare(root(n) ** 4, ">=", 0)), n, 2, T)
    one = sum_at_least_term(signs, Integer(2))
    bulk = sum_compared(generalise(joint(Compare(0, "<=", root(n) ** 2)), n, 2, T))
    return squares, above, most, one, linked(Compare(BULK, ">=", 0), bulk)


def _ranks(domain: Domain = DOMAIN) -> tuple[Theorem, ...]:
    """Both stable ranks by the first singular value and sums over the others."""
    found, first = spectrum(), root(Integer(1))
    positive = found.largest_is_positive(assume(ranks.nonzero(M).formula))
    norm = found.squares()
    read = unfold(ranks.rank, norm.formula.left / first**2, domain)  # type: ignore[attr-defined]
    own, fourth = (sum_split(found.summed(power), first=True) for power in (2, 4))
    signal = linked(Compare(ranks.rank * first**2, "=", first**2 + BULK), read, norm, own, positive)
    total = unfold(ranks.fourth_powers, found.summed(4), domain)
    top = unfold(ranks.largest, first, domain)
    covariance = linked(
        Compare(ranks.covariance_rank * first**4, "=", first**4 + FOURTH),
        rank_of_covariance(domain), total, top, fourth, positive,
    )  # fmt: skip
    return signal, covariance, top, unfold(ranks.second, root(Integer(2)), domain), positive


LARGEST, SECOND = ranks.largest**2, ranks.second**2
GIVEN = (
    Compare(r * f, "=", f + b), Compare(c * f**2, "=", f**2 + q), Compare(f, ">", 0),
    Compare(b**2, "<=", m * q), Compare(q, "<=", s * b), Compare(b, "<=", m * s),
    Compare(q, ">=", s**2), Compare(b, ">=", 0), Compare(m, ">=", 1), Compare(s, ">=", 0),
)  # fmt: skip
TERMS = {
    r: ranks.rank, c: ranks.covariance_rank, f: LARGEST, s: SECOND, b: BULK, q: FOURTH, m: T - 1
}  # fmt: skip


def _flat(second: Theorem) -> Theorem:
    """The sum of squares where the bulk is flat."""
    two = root(Integer(2))
    member = unfold(ranks.root(n), root(n), DOMAIN, (OVER,))
    each = joint(
        Compare(root(n) ** 2, "=", two**2), instance(assume(claims.EQUAL), n), member, second
    )
    total = sum_compared(generalise(each, n, 2, T))
    return linked(Compare(BULK, "=", (T - 1) * SECOND), total, second)


@proves(claims.covariance_rank_between_functions_of_the_signals)
def by_sums_over_the_bulk(claim: Claim) -> Certificate:
    """Cauchy-Schwarz from below, the second singular value from above."""
    *_, top, second, positive = found = _ranks()
    facts = (*_bulk(), *found[:2], top, second, positive)
    known = [
        joint(goal.substitute(TERMS), *facts, given=(SEVERAL,) if goal.left == m else ())
        for goal in GIVEN
    ]

    def shown(goal: Any) -> Theorem:
        return algebra(goal, GIVEN, TERMS, *known)

    quotient = s / f
    least, most, printed = 1 + (r - 1) ** 2 / m, 1 + quotient * (r - 1), 1 + m * quotient**2
    bounds = (
        Compare(c, ">=", least), Compare(c, "<=", most), Compare(most, "<=", printed),
        Compare(c, ">=", 1 + quotient**2),
    )  # fmt: skip
    flat = Compare(b, "=", m * s)
    equal = algebra(
        Compare(least, "=", printed),
        (GIVEN[0], GIVEN[2], GIVEN[8], flat),
        TERMS,
        *known,
        _flat(second),
    )
    theorem = both(*map(shown, bounds), discharge(equal, claims.EQUAL))
    return conclude(claim, theorem, method="spectral theorem; Cauchy-Schwarz")


# From means of norms ------------------------------------------------------------------------------

CLAIM = claims.tangents_below_the_rank
OF_NORMS = (
    Compare(m * (c - 1), ">=", (r - 1) ** 2), Compare(size, "=", r * f), Compare(fourth, ">=", f**2),
    Compare(kappa, ">=", 1),
)  # fmt: skip


def _below_the_rank() -> Theorem:
    """2 t n - t^2 q <= r^2, (kappa - 1)(r^2 - kappa) <= kappa (r - 1)^2: squares that are not negative."""
    line = 2 * t * size - t**2 * fourth
    wide = joint(Compare(t**2 * fourth, ">=", t**2 * f**2), given=OF_NORMS[2:3])
    flat = joint(Compare(line, "<=", r**2), wide, given=OF_NORMS[1:2])
    less = kappa - 1
    weighed = joint(Compare(less * line, "<=", less * r**2), flat, given=OF_NORMS[3:])
    square = joint(Compare(less * (r**2 - kappa), "<=", kappa * (r - 1) ** 2))
    scaled = joint(
        Compare(kappa * (r - 1) ** 2, "<=", kappa * (m * (c - 1))),
        given=(OF_NORMS[0], OF_NORMS[3]),
    )
    total = joint(
        Compare(less * (line - kappa), "<=", kappa * (m * (c - 1))), weighed, square, scaled
    )
    goal = Compare(m * (c - 1), ">=", (1 - 1 / kappa) * (line - kappa))
    return joint(goal, total, given=OF_NORMS[3:])


@proves(claims.tangents_below_the_rank)
def by_two_squares(claim: Claim) -> Certificate:
    """The bound by the rank of the signal, and ||X X^T||_F >= s_1^2 for the norm in it."""
    domain, found = CLAIM.domain, spectrum()
    ranked = _ranks(domain)
    squares, fourths = found.squares(), found.fourth_powers()
    read = (
        unfold(claims.norm, squares.formula.left, domain),
        unfold(claims.covariance_norm, fourths.formula.left, domain),
    )
    signs = generalise(joint(Compare(root(n) ** 4, ">=", 0)), n, 1, T)
    one = sum_at_least_term(signs, Integer(1))
    own = sum_split(found.summed(2), first=True)
    facts = (*_bulk(), *ranked, *read, squares, fourths, one, own)
    terms = TERMS | {
        kappa: claims.kappa, t: claims.t, size: claims.norm, fourth: claims.covariance_norm
    }  # fmt: skip
    least = algebra(
        OF_NORMS[0],
        GIVEN,
        terms,
        *(joint(g.substitute(terms), *facts, given=(SEVERAL,)) for g in GIVEN),
    )
    known = [linked(g.substitute(terms), *facts, given=(SEVERAL,)) for g in OF_NORMS[1:3]]
    theorem = cut(substitute(_below_the_rank(), terms), least, *known)
    return conclude(claim, theorem, method="spectral theorem; Cauchy-Schwarz")
