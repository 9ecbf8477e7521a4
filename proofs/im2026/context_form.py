r"""Eq. (79): the form $u^\top\bar\Phi w$ is a mean of products of vectors of $T$ entries.

Row t of $A_0X_iw$ and of $(Y_i-U_O)u$ are sums over words; the form is the mean of their products over
sequences and tokens, each sequence at most the product of two lengths.
"""

from __future__ import annotations

from sympy import Abs, Sum, Symbol, sqrt, symbols

from claims.domain import Domain
from claims.im2026 import corpus_norms as claims
from claims.im2026.notation import N, T, words
from claims.model import Claim
from claims.statement import Compare
from claims.terms import MaxOver, entry
from proofs.calculation import algebra, linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ
from proofs.im2026.corpus_norms import (
    i,
    j,
    k,
    nest,
    norm_of_the_context_map,
    prefix_share,
    reordered,
    squares,
    t,
    token,
)
from proofs.kernel import (
    Theorem,
    both,
    cut,
    extremum_bounds,
    fact,
    generalise,
    instance,
    joint,
    substitute,
    sum_rearranged,
    unfold,
)
from proofs.registry import proves

h = claims.i
u, w = entry(claims.after), entry(claims.before)
FACED, MIXED = u(j) * (token(i, t + 1, j) - 1 / words), w(k) * prefix_share(k)
LEFT, RIGHT = Sum(FACED, (j, 1, words)), Sum(MIXED, (k, 1, words))
"""Row t of $(Y_i-U_O)u$ and of $A_0X_iw$."""


def form_by_sequences(domain: Domain) -> Theorem:
    r"""$|u^\top\bar\Phi w|=\frac1{NT}|\sum_i\sum_t((Y_i-U_O)u)_t(A_0X_iw)_t|$."""
    entries, places = ((j, words), (k, words)), ((i, N), (t, T))
    means = nest((token(i, t + 1, j) - 1 / words) * prefix_share(k), *places) / (N * T)
    whole = nest(u(j) * w(k) * means, *entries)
    read = unfold(claims.form, Abs(whole), domain)
    moved = reordered(FACED * MIXED, (*entries, *places), (2, 3, 0, 1))
    split = summed_over(sum_rearranged(nest(FACED * MIXED, *entries), LEFT * RIGHT), *places)
    pulled = sum_rearranged(whole, nest(FACED * MIXED, *entries, *places) / (N * T))
    goal = Compare(claims.form, "=", Abs(nest(LEFT * RIGHT, *places) / (N * T)))
    return joint(goal, read, pulled, moved, split)


def at_sequence(every: Theorem) -> Theorem:
    """A statement for all sequences from zero, at sequence i - 1."""
    here = (
        joint(Compare(i - 1, ">=", 0), given=(Compare(i, ">=", 1),)),
        joint(Compare(i - 1, "<=", N - 1), given=(Compare(i, "<=", N),)),
    )
    return cut(instance(every, i - 1), *here)


def by_the_longest(domain: Domain) -> tuple[Theorem, Theorem]:
    r"""Cauchy-Schwarz for sequence i: its part is between minus and plus the largest product."""
    part = Sum(LEFT * RIGHT, (t, 1, T))
    one, other = Sum(LEFT**2, (t, 1, T)), Sum(RIGHT**2, (t, 1, T))
    schwarz = fact(CAUCHY_SCHWARZ, a=LEFT, b=RIGHT, k=t, low=1, high=T)
    lengths = (sqrt(one) * sqrt(other)).subs(i, h + 1)
    largest = MaxOver(lengths, (h, 0, N - 1))
    top = joint(
        Compare(claims.largest, ">=", lengths),
        extremum_bounds(largest, h), unfold(claims.largest, largest, domain),
    )  # fmt: skip
    p, a, b, m = symbols("p a b m", real=True)
    given = (
        Compare(p**2, "<=", a * b), Compare(a, ">=", 0), Compare(b, ">=", 0),
        Compare(m, ">=", sqrt(a) * sqrt(b)),
    )  # fmt: skip
    terms = {p: part, a: one, b: other, m: claims.largest}
    known = (
        schwarz, squares(LEFT, (t, T)), squares(RIGHT, (t, T)),
        at_sequence(generalise(top, h, 0, N - 1)),
    )  # fmt: skip
    return (
        algebra(Compare(p, "<=", m), given, terms, *known),
        algebra(Compare(-p, "<=", m), given, terms, *known),
    )


def first_link(domain: Domain) -> Theorem:
    r"""$|u^\top\bar\Phi w|\le\frac1T\max_i\|A_0X_iw\|\|(Y_i-U_O)u\|$: a mean is at most the largest part."""
    total = nest(LEFT * RIGHT, (i, N), (t, T))
    above, below = (
        linked(Compare(sign * total, "<=", N * claims.largest), summed_over(each, (i, N)))
        for sign, each in zip((1, -1), by_the_longest(domain), strict=True)
    )
    s, m, f = symbols("s m f", real=True)
    given = (
        Compare(s, "<=", N * m), Compare(-s, "<=", N * m), Compare(f, "=", Abs(s / (N * T))),
        Compare(N, ">=", 1), Compare(T, ">=", 1),
    )  # fmt: skip
    terms = {s: total, m: claims.largest, f: claims.form}
    apart = joint(Compare(t, "!=", 0), given=(Compare(t, ">=", 1),))
    found = algebra(Compare(f, "<=", m / T), given, terms, above, below, form_by_sequences(domain))
    return cut(found, generalise(apart, t, 1, T))


def last_link(domain: Domain) -> Theorem:
    """The product of the three bounds, over T."""
    root = Symbol("r", nonnegative=True)
    x, a, y = claims.inputs, claims.mixing, claims.outputs
    outer = joint(
        Compare(x * y, "<=", root**2), given=(Compare(x, "<=", root), Compare(y, "<=", root))
    )
    outer = joint(Compare(x * y, "<=", T), substitute(outer, {root: sqrt(T)}))
    product = joint(Compare(x * a * y, "<=", 2 * T), outer, given=(Compare(a, "<=", 2),))
    read = unfold(claims.product, x * a * y / T, domain)
    return joint(claims.product.at_most(2), read, product)


@proves(claims.context_map_is_bounded)
def by_the_norms_of_the_factors(claim: Claim) -> Certificate:
    """Cauchy-Schwarz in every sequence; a mean of products of short vectors; the product of bounds."""
    domain = claims.context_map_is_bounded.domain
    theorem = both(first_link(domain), norm_of_the_context_map(domain), last_link(domain))
    return conclude(claim, theorem, method="mean of products")
