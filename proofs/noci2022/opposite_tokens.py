"""Proofs about what a correlation that tends to one says of tokens.

The squared distance grows by the factor of the network alone, the squared norm by it and by what every
block adds to all inner products.  In one network of Gaussian weights logarithms of norms are random walks.
"""

from __future__ import annotations

from functools import cache

from sympy import E1, Rational, Symbol, diff, exp, integrate, log, oo, simplify

from claims.model import Claim
from claims.noci2022 import opposite_tokens as claims
from claims.noci2022.notation import C, alpha2, ell
from claims.noci2022.pairs import (
    difference,
    expected_square,
    first_square,
    squared_distance,
)
from claims.statement import Compare
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude
from proofs.decide import refute
from proofs.kernel import Theorem, cut, derived, joint, substitute
from proofs.noci2022.growth import SEVERAL
from proofs.noci2022.network import gram_induction
from proofs.noci2022.pairs import (
    BY_GRAM,
    CLOSED,
    a,
    added_is_positive,
    b,
    c,
    d,
    distance_is_not_negative,
    power_grows,
    shared,
    squares_are_positive,
)
from proofs.registry import proves


@cache
def beside_a_token() -> Theorem:
    """b d <= (d / c) (b (a + c)) for positive a, b, c and d >= 0."""
    given = (*(Compare(x, ">", 0) for x in (a, b, c)), Compare(d, ">=", 0))
    crossed = joint(Compare(b * d * c, "<=", d * b * (a + c)), given=given)
    return joint(Compare(b * d, "<=", d / c * (b * (a + c))), crossed, given=given)


@cache
def differences_beside_tokens() -> Theorem:
    """E|X_k - X_k'|^2 <= (|X_k - X_k'|^2 / c) E|X_k|^2, for what c adds to all inner products."""
    domain = claims.differences_vanish_in_mean_square.domain
    growth, added = (1 + alpha2**2) ** ell, shared(ell)
    raised = joint(Compare(growth, ">", 0), given=(Compare(ell, ">=", 1),))
    placed = substitute(beside_a_token(), {a: first_square, b: growth, c: added, d: difference})
    held = cut(
        placed, squares_are_positive(), raised, added_is_positive(ell), distance_is_not_negative()
    )
    distance = derived(squared_distance, growth * difference, domain, BY_GRAM)
    square = derived(expected_square, growth * (first_square + added), domain, BY_GRAM)
    rate = joint(
        Compare(difference / added, "=", claims.share), power_grows(ell),
        given=(SEVERAL, Compare(C(), ">", 0)),
    )  # fmt: skip
    goal = Compare(squared_distance, "<=", claims.share * expected_square)
    return joint(goal, held, distance, square, rate)


@proves(claims.differences_vanish_in_mean_square)
def by_what_every_block_adds(claim: Claim) -> Certificate:
    """Blocks add the same c to all inner products, and nothing to distances."""
    return conclude(
        claim, differences_beside_tokens(), steps=(*gram_induction(), CLOSED), method=BY_GRAM
    )


def gain_at_width_two() -> bool:
    """E max(0, log r) for r^2 = a T, T exponential of mean one, is E_1(1/a)/2, which is positive.

    |g|^2/2 is such a T for two standard normal numbers; at one radius r the mean of log|e_1 + x| over the
    circle |x| = r is max(0, log r).  Differentiated by b = 1/a both sides give the same.
    """
    t, b = Symbol("t", positive=True), Symbol("b", positive=True)
    derivative = -integrate(exp(-t), (t, b, oo)) / b / 2  # d/db of int_b^oo log(t/b) exp(-t) dt / 2
    same = simplify(derivative - diff(E1(b) / 2, b)) == 0
    return bool(same and E1(Rational(1)).evalf() > 0)


def logarithm_is_subharmonic() -> bool:
    """The Laplacian of log r in d dimensions is (d - 2)/r^2."""
    r, d = Symbol("r", positive=True), Symbol("d", positive=True)
    return bool(simplify(diff(log(r), r, 2) + (d - 1) / r * diff(log(r), r) - (d - 2) / r**2) == 0)


GAINS = (
    Checked(
        r"d_v=2:\ \mathbb E\log\|e_1+\tfrac{\alpha_1}{\sqrt2}g\|="
        r"\mathbb E\max\bigl(0,\log\tfrac{|\alpha_1|\|g\|}{\sqrt2}\bigr)"
        r"=\tfrac12\textstyle\int_{1/\alpha_1^2}^\infty\tfrac{e^{-t}}t\,dt>0",
        r"mean of $\log\|x\|$ over a circle; $\|g\|^2/2$ is exponential",
        gain_at_width_two,
    ),
    Checked(
        r"d_v\ge3:\ \Delta\log\|x\|=\tfrac{d_v-2}{\|x\|^2}>0,\ \text{so that}\ "
        r"\mathbb E\log\|e_1+\tfrac{\alpha_1}{\sqrt{d_v}}g\|>\log\|e_1\|=0",
        "Laplacian in polar coordinates; means over spheres of a subharmonic function",
        logarithm_is_subharmonic,
    ),
)


@proves(claims.gaussian_networks_align_all_tokens)
def by_a_random_walk_of_logarithms(claim: Claim) -> Certificate:
    """In every layer the mean token gains on the differences, by independent terms of positive mean."""
    method = "rotation invariance and the strong law of large numbers (cited)"
    return argued(claim, steps=GAINS, method=method)


@proves(claims.correlation_that_tends_to_one_implies_alignment)
def by_a_mean_that_vanishes(claim: Claim) -> Certificate:
    """Almost surely the mean falls behind the differences, although its square grows faster on average."""
    return refute(claim, method="the strong law of large numbers, in a network of width one")
