r"""Proofs about two tokens along the depth.

With p, q and g for the squared norms of two tokens and their inner product, and c for what every
block adds to all inner products alike, the correlation is (g + c)/sqrt((p + c)(q + c)), and

    (p + c)(q + c) - (g + c)^2 = (p q - g^2) + c (p + q - 2 g),   p + q - 2 g = |X_k - X_k'|^2.
"""

from __future__ import annotations

from functools import cache

from sympy import Expr, Integer, sqrt, symbols

from claims.domain import Domain
from claims.expressions import FrobSq, ones
from claims.model import Claim
from claims.noci2022 import pairs as claims
from claims.noci2022.network import other, token
from claims.noci2022.notation import C, X, alpha1, alpha2, depth, ell, n
from claims.noci2022.pairs import difference, first_square, inner_product, second_square
from claims.statement import Compare
from proofs.calculation import linked, summed_over
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Certificate, Checked
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.facts import BERNOULLI
from proofs.kernel import (
    Theorem,
    assume,
    both,
    certified,
    cut,
    derived,
    discharge,
    fact,
    identity,
    instance,
    joint,
    substitute,
    sum_rearranged,
)
from proofs.noci2022.growth import FEATURES, ROWS, SEVERAL
from proofs.noci2022.network import gram_coefficients, gram_induction, same, tokens
from proofs.noci2022.parallel import squares_bound
from proofs.registry import proves

BY_GRAM = "closed form of $\\mathbb E X^\\ell(X^\\ell)^\\top$"
ATTENDING = Compare(alpha1**2, ">", 0)
a, b, g, c, d = symbols("a b g c d", real=True)


def shared(count: Expr) -> Expr:
    """c = ((1 + alpha_1^2)^count - 1) C / n^2."""
    return ((1 + alpha1**2) ** count - 1) * C() / n**2


def closed_form_is_that_of_the_network() -> bool:
    """E X^l (X^l)^T = (1 + alpha_2^2)^l (X X^T + c 11^T)."""
    own, added = gram_coefficients(ell)
    growth = (1 + alpha2**2) ** ell
    return same(own, growth) and same(tokens(added * C()), growth * shared(ell))


CLOSED = Checked(
    r"\mathbb E X^\ell(X^\ell)^\top=(1+\alpha_2^2)^\ell\left(XX^\top+c\,11^\top\right),\ "
    r"c=\left((1+\alpha_1^2)^\ell-1\right)\tfrac{C(X)}{n^2}",
    "algebra of the two coefficients",
    closed_form_is_that_of_the_network,
)


def correlation_with(count: Expr) -> Expr:
    """(g + c)/sqrt((p + c)(q + c)); the factor (1 + alpha_2^2)^count cancels."""
    added = shared(count)
    return (inner_product + added) / sqrt((first_square + added) * (second_square + added))


@cache
def distance_in_products() -> Theorem:
    """|X_k - X_k'|^2 = p + q - 2 g."""
    return sum_rearranged(difference, first_square + second_square - 2 * inner_product)


@cache
def squares_are_positive() -> Theorem:
    """p > 0 and q > 0, for tokens in range."""
    nonzero = assume(claims.EVERY_TOKEN_NONZERO.formula)
    return both(*(instance(nonzero, k) for k in (token, other)))


@cache
def schwarz() -> Theorem:
    """g^2 <= p q."""
    bound = cut(squares_bound(*ROWS, (FEATURES,)), squares_are_positive())
    return joint(Compare(inner_product**2, "<=", first_square * second_square), bound)


def power_grows(count: Expr) -> Theorem:
    """(1 + alpha_1^2)^count > 1, for at least one block."""
    least = fact(BERNOULLI, x=alpha1**2, p=count)
    one = Compare(count, ">=", 1)
    grown = joint(
        Compare((1 + alpha1**2) ** count, ">", 1), least, joint(Compare(count * alpha1**2, ">", 0),
        given=(one, ATTENDING)),
    )  # fmt: skip
    return cut(grown, joint(Compare(alpha1**2, ">=", -1), given=(ATTENDING,)))


def _sum_not_negative(domain: Domain) -> Theorem:
    """C >= 0: it is the squared norm of the sum of the tokens."""
    along = FrobSq(ones(1, n) * X)
    square = certified(SumOfSquares(along, (), (along,)))
    return joint(Compare(C(), ">=", 0), identity(C(), along, domain), square)


def _placed(theorem: Theorem, added: Expr) -> Theorem:
    """A lemma on p, q, g and c read for the two tokens."""
    return substitute(theorem, {a: first_square, b: second_square, g: inner_product, c: added})


@cache
def below_one() -> tuple[Theorem, Theorem]:
    """(g + c)/sqrt((p + c)(q + c)) < 1 if c > 0 and p + q > 2 g, or if g < sqrt(p q) and c >= 0."""
    positive = (Compare(a, ">", 0), Compare(b, ">", 0), Compare(c, ">=", 0))
    root = sqrt((a + c) * (b + c))
    square = joint(Compare(root**2, "=", (a + c) * (b + c)), given=positive)
    above = joint(Compare(root, ">", 0), given=positive)
    bounded = Compare(g**2, "<=", a * b)
    apart = Compare(a + b - 2 * g, ">", 0)
    wider = joint(
        Compare((g + c) ** 2, "<", (a + c) * (b + c)),
        given=(bounded, apart, Compare(c, ">", 0)),
    )
    moved = joint(Compare(g + c, "<", root), wider, square, above)
    old = sqrt(a * b)
    old_square = joint(Compare(old**2, "=", a * b), given=positive)
    old_above = joint(Compare(old, ">", 0), given=positive)
    mean = joint(Compare(2 * old, "<=", a + b), old_square, old_above, given=positive)
    longer = joint(
        Compare((old + c) ** 2, "<=", (a + c) * (b + c)), mean, old_square, given=positive
    )
    further = joint(Compare(old + c, "<=", root), longer, square, above, old_above, given=positive)
    start = joint(Compare(g + c, "<", root), further, given=(Compare(g, "<", old),))
    ratio = Compare((g + c) / root, "<", 1)
    return joint(ratio, moved, above), joint(ratio, start, above)


@cache
def apart_at_every_depth() -> Theorem:
    """The distance is multiplied by (1 + alpha_2^2)^l, and the correlation stays below one."""
    domain = claims.different_tokens_stay_different_at_every_depth.domain
    growth = (1 + alpha2**2) ** ell
    assert claims.DIFFERENT.formula is not None
    apart = assume(claims.DIFFERENT.formula)
    distance = derived(claims.squared_distance, growth * difference, domain, BY_GRAM)
    raised = joint(Compare(growth, ">", 0), given=(Compare(ell, ">=", 1),))
    far = joint(claims.squared_distance.above(0), distance, raised, apart)
    added = shared(ell)
    rho = derived(claims.correlation_after, correlation_with(ell), domain, BY_GRAM)
    more, total = power_grows(ell), _sum_not_negative(domain)
    at_least = joint(Compare(added, ">=", 0), more, total, given=(SEVERAL,))
    known = (schwarz(), squares_are_positive(), at_least)
    wide = joint(Compare(first_square + second_square - 2 * inner_product, ">", 0), apart,
                 distance_in_products())  # fmt: skip
    some = joint(Compare(added, ">", 0), more, given=(SEVERAL, Compare(C(), ">", 0)))

    apart_lemma, start_lemma = below_one()
    moved = cut(_placed(apart_lemma, added), *known, wide, some)
    kept = cut(_placed(start_lemma, added), *known)
    goal = claims.correlation_after.below(1)
    cases = [
        discharge(joint(goal, rho, theorem), case)
        for theorem, case in (
            (moved, Compare(C(), ">", 0)),
            (kept, Compare(inner_product, "<", sqrt(first_square * second_square))),
        )
    ]
    either = Compare(C(), ">", 0) | Compare(inner_product, "<", sqrt(first_square * second_square))
    return both(far, joint(either.implies(goal), *cases))


@proves(claims.different_tokens_stay_different_at_every_depth)
def by_what_every_block_adds(claim: Claim) -> Certificate:
    """Blocks add the same c to all inner products, which leaves distances as they are."""
    return conclude(
        claim, apart_at_every_depth(), steps=(*gram_induction(), CLOSED), method=BY_GRAM
    )


@cache
def gap_of_a_pair() -> Theorem:
    """1 - (g + c)/sqrt((p + c)(q + c)) <= d/(2 c), for d = p + q - 2 g and p, q, c > 0.

    The root is at most c + (p + q)/2, and at least c.
    """
    positive = (Compare(a, ">", 0), Compare(b, ">", 0), Compare(c, ">", 0))
    root = sqrt((a + c) * (b + c))
    square = joint(Compare(root**2, "=", (a + c) * (b + c)), given=positive)
    above = joint(Compare(root, ">", 0), given=positive)
    low = joint(Compare(root, ">=", c), square, above, given=positive)
    high = joint(Compare(2 * root, "<=", a + b + 2 * c), square, above, given=positive)
    spread = Compare(a + b - 2 * g, "=", d)
    gap = joint(Compare(2 * (root - g - c), "<=", d), high, given=(spread,))
    least = Compare(d, ">=", 0)
    crossed = joint(
        Compare(2 * (root - g - c) * c, "<=", d * root), gap, low, above, given=(least, positive[2])
    )
    return joint(Compare(1 - (g + c) / root, "<=", d / (2 * c)), crossed, above, given=positive)


@cache
def distance_is_not_negative() -> Theorem:
    """|X_k - X_k'|^2 >= 0."""
    inside = summed_over(joint(Compare(0, "<=", (ROWS[0] - ROWS[1]) ** 2)), FEATURES)
    return linked(Compare(difference, ">=", 0), inside)


@cache
def distance_named() -> Theorem:
    """p + q - 2 g = |X_k - X_k'|^2."""
    return joint(
        Compare(first_square + second_square - 2 * inner_product, "=", difference),
        distance_in_products(),
    )


def gap_at(added: Expr, *theorems: Theorem) -> Theorem:
    """The same for tokens k and k'; the theorems say that `added` is positive."""
    values = {a: first_square, b: second_square, g: inner_product, c: added, d: difference}
    placed = substitute(gap_of_a_pair(), values)
    return cut(
        placed, squares_are_positive(), *theorems, distance_named(), distance_is_not_negative()
    )


def added_is_positive(count: Expr) -> Theorem:
    """c > 0 after so many blocks."""
    given = (SEVERAL, Compare(C(), ">", 0))
    return joint(Compare(shared(count), ">", 0), power_grows(count), given=given)


def rate_in_names(count: Expr) -> Theorem:
    """d/(2 c) as the claims write it."""
    return joint(
        Compare(difference / (2 * shared(count)), "=", claims.rate_after(count)), power_grows(count),
        given=(SEVERAL, Compare(C(), ">", 0)),
    )  # fmt: skip


@cache
def rate() -> Theorem:
    """1 - rho <= |X_k - X_k'|^2 / (2 c)."""
    domain = claims.correlation_of_a_pair_tends_to_one_unless_tokens_cancel.domain
    held = gap_at(shared(depth), added_is_positive(depth))
    missing = derived(claims.missing_correlation, 1 - correlation_with(depth), domain, BY_GRAM)
    named = claims.missing_correlation.at_most(claims.rate_after(depth))
    return joint(named, missing, held, rate_in_names(depth))


@proves(claims.correlation_of_a_pair_tends_to_one)
def by_tokens_that_cancel(claim: Claim) -> Certificate:
    """With C = 0 a block adds nothing, and every correlation stays."""
    return refute(claim, steps=(CLOSED,), method=BY_GRAM)


@proves(claims.correlation_of_a_pair_tends_to_one_unless_tokens_cancel)
def by_the_rate(claim: Claim) -> Certificate:
    """The gap to one falls like (1 + alpha_1^2)^-L."""
    domain = claims.correlation_of_a_pair_tends_to_one_unless_tokens_cancel.domain
    one = derived(claims.pair_limit, Integer(1), domain, "$c\\to\\infty$")
    return conclude(
        claim, both(one, rate()), steps=(*gram_induction(), CLOSED),
        method="the gap to one is at most a multiple of $(1+\\alpha_1^2)^{-L}$",
    )  # fmt: skip
