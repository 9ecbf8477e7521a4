r"""Theorem D.13: steps from a start whose rows and columns are small, though it may be large in all.

A row of $|\mathcal V|$ entries whose squares add up to at most $(3v)^2/|\mathcal V|$ has absolute values
that add up to at most $3v\le3\eta^4$: such rows and columns are all that the induction of Theorem 4.1 needs.
What training adds is small in sums of absolute values, the start in its Frobenius norm.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, sqrt, symbols, sympify

from claims.im2026 import gaussian_starts as starts
from claims.im2026 import trained_weights as claims
from claims.im2026.notation import T, eta, s, words
from claims.model import Claim
from claims.statement import Compare, ForAll
from proofs.calculation import at_places, linked, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.im2026.absolute_sums import Range, total
from proofs.im2026.contexts import divided
from proofs.im2026.corpus_norms import squares
from proofs.im2026.orders import COLUMN, LAYER, ROW, every
from proofs.im2026.small_starts import (
    BEFORE_TRAINING,
    GAPS,
    METHOD,
    frobenius,
    in_layer,
    innermost,
    near_after,
    norm_read,
    within_horizon,
)
from proofs.im2026.small_steps import STARTS
from proofs.kernel import Theorem, assume, cut, joint, part, substitute, sum_rearranged
from proofs.registry import proves

DOMAIN = starts.GAUSSIAN
OVER = ((COLUMN,), (LAYER, COLUMN), (LAYER, ROW), (LAYER, COLUMN), (LAYER, ROW), (LAYER,))
"""Of which indices the lines of a start are said."""


def numbers() -> list[Theorem]:
    """What the domain says of sizes and the rate."""
    known = facts_of(DOMAIN)
    return [
        joint(Compare(eta, ">", 0)), joint(Compare(eta * T, ">=", 1), given=known),
        joint(Compare(T, "<=", words), given=known), joint(Compare(T, ">=", 12), given=known),
        joint(Compare(words, ">=", 1)),
    ]  # fmt: skip


@cache
def scale_is_small() -> Theorem:
    """v <= eta^4."""
    e, w = symbols("e w", real=True)
    given = Compare(e, ">", 0), Compare(e * w, ">=", 1), Compare(w, ">=", 12)
    wide = joint(Compare((e * w) ** 2, ">=", 1), given=given[1:2])
    long = joint(Compare(e**2 * (e * w) ** 2, ">=", e**2), wide, joint(Compare(e**2, ">=", 0)))
    found = joint(Compare(e**2 / w**2, "<=", e**4), long, joint(
        Compare(w**2, ">", 0), given=given[2:]))  # fmt: skip
    return cut(substitute(found, {e: eta, w: T}), *numbers())


def line_below(entry: Expr, limits: Range, squared: Theorem) -> Theorem:
    """sum |a| <= 3 eta^4 from sum a^2 <= (3 v)^2 / |V|, over at most |V| entries."""
    u, r = symbols("u r", real=True)
    each = joint(Compare(2 * r * Abs(u), "<=", u**2 + r**2), joint(
        Compare((Abs(u) - r) ** 2, ">=", 0)), joint(Compare(Abs(u) ** 2, "=", u**2)))  # fmt: skip
    share = 3 * starts.SCALE / words
    found = summed_over(substitute(each, {u: entry, r: share}), limits)
    size, square = Sum(Abs(entry), limits), Sum(entry**2, limits)
    left = sum_rearranged(found.formula.left, 2 * share * size)
    right = sum_rearranged(found.formula.right, square + limits[2] * share**2)
    both_ = joint(
        Compare(2 * share * size, "<=", square + limits[2] * share**2), found, left, right
    )
    p, q, h, w, z, e = symbols("p q h w z e", real=True)
    given = (
        Compare(2 * z * p, "<=", q + h * z**2), Compare(q, "<=", w * z**2), Compare(h, "<=", w),
        Compare(z, ">", 0), Compare(w * z, "<=", 3 * e),
    )  # fmt: skip
    few = joint(Compare(h * z**2, "<=", w * z**2), given=given[2:4])
    below = joint(Compare(z * p, "<=", z * (w * z)), few, given=given[:2])
    below = joint(Compare(p, "<=", w * z), below, given=given[3:4])
    below = joint(Compare(p, "<=", 3 * e), below, given=given[4:])
    terms = {p: size, q: square, h: limits[2], w: words, z: share, e: eta**4}
    known = (
        both_, linked(Compare(square, "<=", words * share**2), squared),
        joint(Compare(limits[2], "<=", words), *numbers()), share_sign(),
        linked(Compare(words * share, "<=", 3 * eta**4), scale_is_small(), *numbers()),
    )  # fmt: skip
    return cut(substitute(below, terms), *known)


def share_sign() -> Theorem:
    """3 v / |V| > 0."""
    v, w = symbols("v w", real=True)
    found = joint(Compare(3 * v / w, ">", 0), given=(Compare(v, ">", 0), Compare(w, ">=", 1)))
    return cut(substitute(found, {v: starts.SCALE, w: words}), scale_sign(), *numbers())


@cache
def scale_sign() -> Theorem:
    """v > 0."""
    e, w = symbols("e w", real=True)
    found = joint(Compare(e**2 / w**2, ">", 0), given=(Compare(e, ">", 0), Compare(w, ">=", 12)))
    return cut(substitute(found, {e: eta, w: T}), *numbers())


@cache
def small_lines() -> tuple[Theorem, ...]:
    """What the induction needs of a start."""
    found = []
    for formula, goal, ranges in zip(starts.LINES, STARTS, OVER, strict=True):
        known = at_places(assume(formula), *(index for index, _, _ in ranges))
        body: Any = innermost(goal)
        size = body.left
        small = line_below(size.function.args[0], tuple(size.limits[0]), known)
        found.append(every(linked(body, small), *ranges))
    return tuple(found)


def norm_of_sum(
    whole: Expr, own: Expr, one: Theorem, most: Any, other: Theorem, *ranges: Range
) -> Theorem:
    """sqrt(sum a^2) <= c + d from sum b^2 <= c^2 and sqrt(sum (a - b)^2) <= d, for c, d > 0.

    By Young's inequality, c d a^2 <= d (c + d) b^2 + c (c + d) (a - b)^2.
    """
    a, b, c, d = symbols("a b c d", real=True)
    each = joint(
        Compare(c * d * a**2, "<=", d * (c + d) * b**2 + c * (c + d) * (a - b) ** 2),
        joint(Compare((d * b - c * (a - b)) ** 2, ">=", 0)),
    )
    far = other.formula.right
    terms = {a: whole, b: own, c: most, d: far}
    found = summed_over(substitute(each, terms), *ranges)
    sums = [total(term**2, *ranges) for term in (whole, own, whole - own)]
    parts = far * (most + far) * sums[1] + most * (most + far) * sums[2]
    left = sum_rearranged(found.formula.left, most * far * sums[0])
    right = sum_rearranged(found.formula.right, parts)
    both_ = joint(Compare(most * far * sums[0], "<=", parts), found, left, right)
    p, q, r = symbols("p q r", real=True)
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
    root = joint(Compare(sqrt(p), "<=", c + d), below, given=given[4:])
    ends = [(old, high) for old, _, high in ranges]
    signs = squares(whole, *ends), squares(whole - own, *ends)
    return cut(
        substitute(root, {c: most, d: far, p: sums[0], q: sums[1], r: sums[2]}), both_, one, other, *signs
    )  # fmt: skip


POWERS = ((2, Rational(5, 2)), (3, Integer(8)), (5, Integer(65)), (5, Integer(65)))
"""The degree of what training adds, and its constant."""


@cache
def error_below(place_: int) -> Theorem:
    """The error of one kind of weights is at most 2 v and the error of what training has added."""
    near, _ = near_after(DOMAIN, small_lines())
    quantity, entry, *ranges = GAPS[place_]
    start = BEFORE_TRAINING[place_]
    size = in_layer(part(near, place_))
    size = linked(Compare(total(Abs(entry - start), *ranges), "<=", size.formula.right), size)
    norm = frobenius(entry - start, size, *ranges)
    begun = in_layer(assume(starts.ENTRIES[place_]))
    begun = linked(Compare(total(start**2, *ranges), "<=", (2 * starts.SCALE) ** 2), begun)
    found = norm_of_sum(entry, start, begun, 2 * starts.SCALE, norm, *ranges)
    signs = joint(Compare(2 * starts.SCALE, ">", 0), scale_sign()), added_sign(place_)
    found = cut(found, *signs)
    return joint(
        Compare(quantity, "<=", found.formula.right), found, norm_read(quantity, entry, *ranges)
    )


def added_sign(place_: int) -> Theorem:
    """The bound of what training has added is positive."""
    degree, constant = POWERS[place_]
    p, e = symbols("p e", real=True)
    given = Compare(p, ">=", 1), Compare(e, ">", 0)
    found = joint(
        Compare(constant * p**degree * e**degree, ">", 0),
        joint(Compare(p**degree, ">", 0), given=given[:1]),
        joint(Compare(e**degree, ">", 0), given=given[1:]),
    )
    one = joint(Compare(s, ">=", 1), given=facts_of(DOMAIN))
    return cut(substitute(found, {p: s, e: eta}), one, joint(Compare(eta, ">", 0)))


def with_room(left: Any, right: Any) -> Theorem:
    """What the print leaves: 2 v <= 2 eta^4, eta T >= 1, eta <= 1/12 and T >= 12."""
    p, e, w, v = symbols("p e w v", real=True)
    given = (
        Compare(p, ">=", 1), Compare(e, ">", 0), Compare(e, "<=", Rational(1, 12)), Compare(w, ">=", 12),
        Compare(e * w, ">=", 1), Compare(v, "<=", e**4),
    )  # fmt: skip
    powers = [joint(Compare(e**degree, ">", 0), given=given[1:2]) for degree in (2, 3, 4, 5)]
    steps = [joint(Compare(p**degree, ">=", 1), given=given[:1]) for degree in (2, 3, 5)]
    shorter = [
        joint(Compare(12 * e**4, "<=", e**3), powers[1], given=given[2:3]),
        joint(Compare(12 * e**3, "<=", e**2), powers[0], given=given[2:3]),
    ]
    many = [
        joint(Compare(p**degree * e**degree, ">=", e**degree), sign, more)
        for degree, sign, more in zip(
            (2, 3, 5), (powers[0], powers[1], powers[3]), steps, strict=True
        )
    ]
    long = joint(Compare(e**5 * w, ">=", e**4), powers[2], given=given[4:5])
    longer = joint(
        Compare(p**5 * e**5 * w, ">=", e**5 * w), many[2],
        given=given[3:4],
    )  # fmt: skip
    wide = joint(
        Compare(p**5 * e**5 * w, ">=", 12 * p**5 * e**5), many[2], powers[3], given=given[3:4]
    )
    put_in = {starts.SCALE: v, s: p, eta: e, T: w}
    low, high = (sympify(side).subs(starts.SCALE, v).subs(put_in) for side in (left, right))
    room = joint(
        Compare(low, "<=", high), *shorter, *many, long, longer, wide, *powers, given=given[5:]
    )
    known = [*numbers(), scale_is_small(), joint(Compare(s, ">=", 1), given=facts_of(DOMAIN))]
    return cut(substitute(room, {p: s, e: eta, w: T, v: starts.SCALE}), *known)


GAUSSIAN = (
    claims.output_from_gaussians, claims.value_from_gaussians, claims.attention_from_gaussians,
    claims.positions_from_gaussians,
)  # fmt: skip


@proves(*GAUSSIAN)
def by_small_rows_and_columns(claim: Claim) -> Certificate:
    """5/2 and room for the start, 8 and room, 65 and room beside 13 T."""
    own = claim.base or claim
    statement: Any = own.formula
    layered = isinstance(statement, ForAll)
    body = statement.body if layered else statement
    _, rate = within_horizon(DOMAIN)
    found = error_below(GAUSSIAN.index(own))
    room = cut(with_room(found.formula.right, body.right), rate)
    theorem = cut(joint(body, found, room), rate)
    return conclude(claim, divided(every(theorem, LAYER) if layered else theorem), method=METHOD)
