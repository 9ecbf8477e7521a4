r"""Theorem D.13: steps from a start whose rows and columns are small, though it may be large in all.

A row of $|\mathcal V|$ entries whose squares add up to at most $(3v)^2/|\mathcal V|$ has absolute values
that add up to at most $3v\le3\eta^4$: such rows and columns are all that the induction of Theorem 4.1 needs.
What training adds is small in sums of absolute values, the start in its Frobenius norm.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Expr, Sum, sqrt, symbols

from claims.im2026 import gaussian_starts as starts
from claims.im2026 import trained_weights as claims
from claims.im2026.notation import T, eta, s, words
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import at_places, linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import facts_of
from proofs.im2026.absolute_sums import Range, total
from proofs.im2026.corpus_norms import squares
from proofs.im2026.orders import every
from proofs.im2026.small_starts import (
    BEFORE_TRAINING,
    GAPS,
    frobenius,
    in_layer,
    near_after,
    norm_read,
    numbers,
    of_each_layer,
    room_for_start,
)
from proofs.im2026.small_steps import BEGUN, LINES_OF_START
from proofs.kernel import Theorem, assume, cut, joint, part, substitute, sum_rearranged
from proofs.registry import proves

DOMAIN = starts.ON_THE_EVENT
SHARE = 3 * starts.SCALE / words
"""3 v / |V|."""


@cache
def used() -> tuple[Theorem, ...]:
    """What the domain says of sizes and the rate."""
    short = joint(Compare(T, "<=", words), given=facts_of(DOMAIN))
    return (*numbers(DOMAIN), short, joint(Compare(words, ">=", 1)))


# The start ----------------------------------------------------------------------------------------


@cache
def scale_within() -> tuple[Theorem, Theorem]:
    """0 < v <= eta^4."""
    e, w = symbols("e w", real=True)
    given = Compare(e, ">", 0), Compare(e * w, ">=", 1), Compare(w, ">=", 12)
    wide = joint(Compare((e * w) ** 2, ">=", 1), given=given[1:2])
    long = joint(Compare(e**2 * (e * w) ** 2, ">=", e**2), wide, joint(Compare(e**2, ">=", 0)))
    small = joint(Compare(e**2 / w**2, "<=", e**4), long, joint(
        Compare(w**2, ">", 0), given=given[2:]))  # fmt: skip
    sign = joint(Compare(e**2 / w**2, ">", 0), given=(given[0], given[2]))
    return tuple(cut(substitute(found, {e: eta, w: T}), *used()) for found in (sign, small))  # type: ignore[return-value]


@cache
def short_line() -> Theorem:
    """p <= 3 e from 2 z p <= q + h z^2, q <= w z^2, h <= w, z > 0 and w z <= 3 e."""
    p, q, h, w, z, e = symbols("p q h w z e", real=True)
    given = (
        Compare(2 * z * p, "<=", q + h * z**2), Compare(q, "<=", w * z**2), Compare(h, "<=", w),
        Compare(z, ">", 0), Compare(w * z, "<=", 3 * e),
    )  # fmt: skip
    few = joint(Compare(h * z**2, "<=", w * z**2), given=given[2:4])
    below = joint(Compare(z * p, "<=", z * (w * z)), few, given=given[:2])
    below = joint(Compare(p, "<=", w * z), below, given=given[3:4])
    below = joint(Compare(p, "<=", 3 * e), below, given=given[4:])
    terms = {z: SHARE, w: words, e: eta**4}
    v, d = symbols("v d", real=True)
    positive = joint(Compare(3 * v / d, ">", 0), given=(Compare(v, ">", 0), Compare(d, ">=", 1)))
    sign, small = scale_within()
    known = (
        cut(substitute(positive, {v: starts.SCALE, d: words}), sign, *used()),
        linked(Compare(words * SHARE, "<=", 3 * eta**4), small, *used()),
    )  # fmt: skip
    return cut(substitute(below, terms), *known)


def line_below(size: Sum, squared: Theorem) -> Theorem:
    """sum |a| <= 3 eta^4 from sum a^2 <= (3 v)^2 / |V|, over at most |V| entries, as 2 r |a| <= a^2 + r^2."""
    u, r, p, q, h = symbols("u r p q h", real=True)
    entry, limits = size.function.args[0], tuple(size.limits[0])
    each = joint(Compare(2 * r * Abs(u), "<=", u**2 + r**2), joint(
        Compare((Abs(u) - r) ** 2, ">=", 0)), joint(Compare(Abs(u) ** 2, "=", u**2)))  # fmt: skip
    found = summed_over(substitute(each, {u: entry, r: SHARE}), limits)
    square, most = Sum(entry**2, limits), Sum(entry**2, limits) + limits[2] * SHARE**2
    left = sum_rearranged(found.formula.left, 2 * SHARE * size)
    right = sum_rearranged(found.formula.right, most)
    return cut(
        substitute(short_line(), {p: size, q: square, h: limits[2]}),
        joint(Compare(2 * SHARE * size, "<=", most), found, left, right),
        linked(Compare(square, "<=", words * SHARE**2), squared),
        joint(Compare(limits[2], "<=", words), *used()),
    )  # fmt: skip


@cache
def small_lines() -> tuple[Theorem, ...]:
    """What the induction needs of a start."""
    found = []
    for formula, (size, over) in zip(starts.LINES, LINES_OF_START, strict=True):
        known = at_places(assume(formula), *(index for index, _, _ in over))
        small = line_below(size, known)
        found.append(every(linked(Compare(size, "<=", BEGUN), small), *over))
    return tuple(found)


# What training adds -------------------------------------------------------------------------------


@cache
def young() -> tuple[Theorem, Theorem]:
    """c d a^2 <= d (c + d) b^2 + c (c + d) (a - b)^2, and what that says of roots of sums."""
    a, b, c, d, p, q, r = symbols("a b c d p q r", real=True)
    each = joint(
        Compare(c * d * a**2, "<=", d * (c + d) * b**2 + c * (c + d) * (a - b) ** 2),
        joint(Compare((d * b - c * (a - b)) ** 2, ">=", 0)),
    )
    given = (
        Compare(c * d * p, "<=", d * (c + d) * q + c * (c + d) * r), Compare(q, "<=", c**2),
        Compare(sqrt(r), "<=", d), Compare(r, ">=", 0), Compare(c, ">", 0), Compare(d, ">", 0),
        Compare(p, ">=", 0),
    )  # fmt: skip
    square = joint(Compare(r, "<=", d**2), given=given[2:4])
    first = joint(
        Compare(d * (c + d) * q, "<=", d * (c + d) * c**2),
        joint(Compare(d * (c + d), ">=", 0), given=given[4:6]),
        given=given[1:2],
    )
    second = joint(
        Compare(c * (c + d) * r, "<=", c * (c + d) * d**2),
        square,
        joint(Compare(c * (c + d), ">=", 0), given=given[4:6]),
    )
    scaled = joint(Compare(c * d * p, "<=", c * d * (c + d) ** 2), first, second, given=given[:1])
    u, v, w = symbols("u v w", real=True)
    divide = joint(Compare(u, "<=", v), given=(Compare(w * u, "<=", w * v), Compare(w, ">", 0)))
    below = cut(
        substitute(divide, {u: p, v: (c + d) ** 2, w: c * d}), scaled,
        joint(Compare(c * d, ">", 0), given=given[4:6]),
    )  # fmt: skip
    return each, joint(Compare(sqrt(p), "<=", c + d), below, given=given[4:])


def norm_of_sum(
    whole: Expr, own: Expr, one: Theorem, most: Any, other: Theorem, *ranges: Range
) -> Theorem:
    """sqrt(sum a^2) <= c + d from sum b^2 <= c^2 and sqrt(sum (a - b)^2) <= d, for c, d > 0."""
    a, b, c, d, p, q, r = symbols("a b c d p q r", real=True)
    each, root = young()
    far = other.formula.right
    found = summed_over(substitute(each, {a: whole, b: own, c: most, d: far}), *ranges)
    sums = [total(term**2, *ranges) for term in (whole, own, whole - own)]
    parts = far * (most + far) * sums[1] + most * (most + far) * sums[2]
    left = sum_rearranged(found.formula.left, most * far * sums[0])
    right = sum_rearranged(found.formula.right, parts)
    both_ = joint(Compare(most * far * sums[0], "<=", parts), found, left, right)
    ends = [(old, high) for old, _, high in ranges]
    signs = squares(whole, *ends), squares(whole - own, *ends)
    terms = {c: most, d: far, p: sums[0], q: sums[1], r: sums[2]}
    return cut(substitute(root, terms), both_, one, other, *signs)


def gained_sign(bound: Expr) -> Theorem:
    """The bound of what training has added is positive."""
    p, e = symbols("p e", real=True)
    given = Compare(p, ">=", 1), Compare(e, ">", 0)
    powers = [
        joint(Compare(p**degree * e**degree, ">", 0), joint(Compare(p**degree, ">", 0), given=given[:1]),
              joint(Compare(e**degree, ">", 0), given=given[1:])) for degree in (2, 3, 5)
    ]  # fmt: skip
    found = joint(Compare(bound.subs({s: p, eta: e}), ">", 0), *powers)
    return cut(substitute(found, {p: s, e: eta}), *used())


@cache
def near_leading() -> Theorem:
    """What s steps have added is near the leading terms."""
    return near_after(DOMAIN, small_lines())


FROM_GAUSSIANS = (
    claims.output_from_gaussians, claims.value_from_gaussians, claims.attention_from_gaussians,
    claims.positions_from_gaussians,
)  # fmt: skip


@proves(*FROM_GAUSSIANS)
def by_small_rows_and_columns(claim: Claim) -> Certificate:
    """The error is at most 2 v and that of what training has added; 2 v has room beside it."""
    place_ = FROM_GAUSSIANS.index(claim.base or claim)
    quantity, entry, *ranges = GAPS[place_]
    start, (sign, small) = 2 * starts.SCALE, scale_within()

    def prove(body: Any) -> Theorem:
        gained = in_layer(part(near_leading(), place_))
        bound, own = gained.formula.right, BEFORE_TRAINING[place_]  # type: ignore[attr-defined]
        gained = linked(Compare(total(Abs(entry - own), *ranges), "<=", bound), gained)
        norm = frobenius(entry - own, gained, *ranges)
        begun = in_layer(assume(starts.ENTRIES[place_]))
        begun = linked(Compare(total(own**2, *ranges), "<=", start**2), begun)
        found = norm_of_sum(entry, own, begun, start, norm, *ranges)
        found = cut(found, joint(Compare(start, ">", 0), sign), gained_sign(bound))
        room = room_for_start(
            bound, start, body.right, *used(), joint(Compare(start, "<=", 2 * eta**4), small)
        )
        return joint(body, found, norm_read(quantity, entry, *ranges), room)

    return of_each_layer(claim, prove)
