r"""How far a softmax is from uniform in sums of absolute values.

For logits $|z_k|\le r$ the exponentials lie between $c=e^{-r}$ and $D=e^r$.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, exp, symbols

from claims.statement import Compare
from proofs.calculation import linked, summed_over
from proofs.facts import EXP_ABOVE_TANGENT, EXP_INCREASES
from proofs.im2026.absolute_sums import triangle
from proofs.im2026.orders import every
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    fact,
    identity,
    instance,
    joint,
    substitute,
    sum_rearranged,
)

__all__ = ["Softmax"]

a, b, c, d, e, g, h, m, r, s, u, v, w = symbols("a b c D e g h M r S u v w", real=True)
"""Numbers of which arithmetic is shown before terms are put for them."""


@dataclass(frozen=True)
class Softmax:
    """Logits z_k for k = 1..d, of which `within` says that none exceeds `most` in absolute value."""

    logit: Callable[[Any], Expr]
    size: Any
    index: Any
    most: Any
    within: Theorem

    @property
    def limits(self) -> tuple[Any, Any, Any]:
        """All of them."""
        return (self.index, 1, self.size)

    @property
    def own(self) -> Expr:
        """One exponential."""
        return exp(self.logit(self.index))

    @property
    def whole(self) -> Sum:
        """Their sum."""
        return Sum(self.own, self.limits)

    @property
    def mean(self) -> Expr:
        """Their mean."""
        return self.whole / self.size

    @property
    def ends(self) -> tuple[Expr, Expr]:
        """The least and the largest."""
        return exp(-self.most), exp(self.most)

    @cached_property
    def count(self) -> Theorem:
        """There is one."""
        return joint(Compare(self.size, ">=", 1))

    @cached_property
    def up(self) -> Theorem:
        """e^z <= e^r."""
        z = self.logit(self.index)
        below = joint(Compare(z, "<=", self.most), self.within)
        return cut(fact(EXP_INCREASES, a=z, b=self.most), below)

    @cached_property
    def down(self) -> Theorem:
        """e^-r <= e^z."""
        z = self.logit(self.index)
        above = joint(Compare(-self.most, "<=", z), self.within)
        return joint(
            Compare(self.ends[0], "<=", self.own),
            cut(fact(EXP_INCREASES, a=-self.most, b=z), above),
        )

    @cached_property
    def positive_ends(self) -> tuple[Theorem, Theorem]:
        """Exponentials are positive."""
        low, high = self.ends
        return joint(Compare(low, ">", 0)), joint(Compare(high, ">", 0))

    @cached_property
    def sums(self) -> tuple[Theorem, Theorem]:
        """d e^-r <= sum e^z <= d e^r."""
        low, high = self.ends
        below = linked(
            Compare(self.size * low, "<=", self.whole), summed_over(self.down, self.limits)
        )
        above = linked(
            Compare(self.whole, "<=", self.size * high), summed_over(self.up, self.limits)
        )
        return below, above

    @cached_property
    def positive(self) -> Theorem:
        """The sum is positive."""
        return joint(Compare(self.whole, ">", 0), self.sums[0], self.positive_ends[0], self.count)

    @cached_property
    def inverse(self) -> tuple[Theorem, Theorem]:
        """One over the sum is positive, and its inverse."""
        return (
            joint(Compare(1 / self.whole, ">", 0), self.positive),
            joint(Compare(1 / self.whole * self.whole, "=", 1), self.positive),
        )

    @cached_property
    def mean_within(self) -> tuple[Theorem, ...]:
        """e^-r <= M <= e^r, and d M is the sum."""
        low, high = self.ends
        below, above = self.sums
        most = joint(Compare(u / w, "<=", v), given=(Compare(u, "<=", w * v), Compare(w, ">=", 1)))
        least = joint(Compare(v, "<=", u / w), given=(Compare(w * v, "<=", u), Compare(w, ">=", 1)))
        terms = {u: self.whole, w: self.size}
        return (
            cut(substitute(least, {**terms, v: low}), below, self.count),
            cut(substitute(most, {**terms, v: high}), above, self.count),
            joint(Compare(self.size * self.mean, "=", self.whole), self.count),
        )

    def near_mean(self) -> tuple[Theorem, Theorem]:
        """(D - c) sum |e^z - M| is at most a chord's sum, and sum |e^z - M| at most d (D - c)."""
        low, high = self.ends
        known = every(self.down, self.limits), every(self.up, self.limits)
        there = [instance(assume(end.formula), self.index) for end in known]
        terms = {e: self.own, c: low, d: high}
        found = [summed_over(cut(substitute(one, terms), *there), self.limits) for one in chords()]
        apart = Sum(Abs(self.own - m), self.limits)
        left = sum_rearranged(found[0].formula.left, (high - low) * apart)
        ends = (high - m) * (self.whole - self.size * low) + (m - low) * (
            self.size * high - self.whole
        )
        right = sum_rearranged(found[0].formula.right, ends)
        chord = joint(Compare(left.formula.right, "<=", right.formula.right), found[0], left, right)
        flat = linked(Compare(apart, "<=", self.size * (high - low)), found[1])
        inside = self.mean_within[:2]
        return tuple(cut(substitute(one, {m: self.mean}), *inside, *known) for one in (chord, flat))  # type: ignore[return-value]

    def from_mean(self) -> Theorem:
        """sum |p - 1/d| = sum |e^z - M| over the sum of exponentials."""
        each = joint(Compare(Abs(e * g - 1 / h), "=", g * Abs(e - a)), given=(
            Compare(g * (h * a), "=", 1), Compare(g, ">", 0), Compare(h, ">=", 1)))  # fmt: skip
        sign, one = self.inverse
        whole = joint(
            Compare(1 / self.whole * (self.size * self.mean), "=", 1),
            one,
            self.mean_within[2],
            self.count,
        )
        terms = {e: self.own, g: 1 / self.whole, a: self.mean, h: self.size}
        sums = summed_over(cut(substitute(each, terms), self.count, sign, whole), self.limits)
        apart = Sum(Abs(self.own - self.mean), self.limits)
        pulled = sum_rearranged(
            Sum(g * Abs(self.own - m), self.limits), g * Sum(Abs(self.own - m), self.limits)
        )
        pulled = substitute(pulled, {g: 1 / self.whole, m: self.mean})
        pulled = cut(pulled, self.positive, self.count)
        return linked(Compare(sums.formula.left, "=", apart / self.whole), sums, pulled)

    def from_uniform(self) -> Theorem:
        """sum |p - 1/d| <= 5 r / 4 for r <= 2/5."""
        low, high = self.ends
        chord, flat = self.near_mean()
        apart = Sum(Abs(self.own - self.mean), self.limits)
        tangent = fact(EXP_ABOVE_TANGENT, x=self.most)
        found = cut(
            substitute(share_of_chord(), {
                u: apart, s: self.whole, w: self.size, c: low, d: high, r: self.most, g: 1 / self.whole,
                m: self.mean,
            }), chord, flat, *self.mean_within, self.count, identity(low * high, Integer(1)),
            *self.positive_ends, *self.inverse,
            joint(Compare(low, ">=", 1 - self.most), fact(EXP_ABOVE_TANGENT, x=-self.most)),
            joint(Compare(high, ">=", 1), tangent, given=(Compare(self.most, ">=", 0),)),
        )  # fmt: skip
        own = self.from_mean()
        return joint(
            Compare(own.formula.left, "<=", 5 * self.most / 4), own, linked(
                Compare(own.formula.right, "<=", 5 * self.most / 4), found)
        )  # fmt: skip

    def near_one(self, total: Theorem) -> tuple[Theorem, Theorem]:
        """sum |e^z - 1| <= D s, and |sum e^z - d| is at most that, where `total` says sum |z| <= s."""
        high = self.ends[1]
        z = self.logit(self.index)
        ones = joint(
            Compare(high, ">=", 1),
            fact(EXP_ABOVE_TANGENT, x=self.most),
            joint(Compare(self.most, ">=", 0)),
        )
        each = cut(
            substitute(steepest(), {a: self.own, b: exp(-z), d: high, u: z}), self.up, ones,
            fact(EXP_ABOVE_TANGENT, x=z), fact(EXP_ABOVE_TANGENT, x=-z),
            identity(self.own * exp(-z), Integer(1)),
            joint(Compare(self.own, ">", 0), self.down, self.positive_ends[0]),
        )  # fmt: skip
        found = summed_over(each, self.limits)
        pulled = sum_rearranged(found.formula.right, high * Sum(Abs(z), self.limits))
        scaled = joint(Compare(d * u, "<=", d * r), given=(Compare(u, "<=", r), Compare(d, ">", 0)))
        terms = {d: high, u: total.formula.left, r: total.formula.right}
        scaled = cut(substitute(scaled, terms), total, self.positive_ends[1])
        apart = Sum(Abs(self.own - 1), self.limits)
        near = linked(Compare(apart, "<=", high * total.formula.right), found, pulled, scaled)
        whole = Abs(self.whole - self.size)
        return near, linked(Compare(whole, "<=", apart), triangle(self.own - 1, self.limits))

    def by_parts(self) -> Theorem:
        """sum |p - 1/d| is at most sum |e^z - 1| / S + |S - d| / S, where S is the sum of e^z."""
        part = (
            joint(Compare(1 / self.size, ">", 0), self.count),
            joint(Compare(1 / self.size * self.size, "=", 1), self.count),
        )
        both = joint(Compare(1 / self.whole * (1 / self.size), ">", 0), self.inverse[0], part[0])
        terms = {a: self.own, g: 1 / self.whole, h: 1 / self.size, s: self.whole, d: self.size}
        each = cut(substitute(two_parts(), terms), *self.inverse, *part, both)
        sums = summed_over(each, self.limits)
        apart = Sum(Abs(self.own - 1), self.limits)
        gap = 1 / self.whole * (1 / self.size) * Abs(self.whole - self.size)
        right = sum_rearranged(sums.formula.right, apart / self.whole + self.size * gap)
        return joint(Compare(sums.formula.left, "<=", right.formula.right), sums, right)

    def few_of_many(self, total: Theorem) -> Theorem:
        """sum |p - 1/d| <= 15 s / (4 d) for r <= 13/50, where `total` says sum |z| <= s."""
        low, high = self.ends
        most = total.formula.right
        near, signed = self.near_one(total)
        apart, gap = near.formula.left, signed.formula.left
        terms = {
            g: 1 / self.whole, s: self.whole, h: 1 / self.size, w: self.size, u: apart, v: gap, d: high,
            c: low, r: most,
        }  # fmt: skip
        z = self.logit(self.index)
        sign = linked(
            Compare(total.formula.left, ">=", 0),
            summed_over(substitute(joint(Compare(0, "<=", Abs(u))), {u: z}), self.limits),
        )
        small = joint(Compare(self.most, "<=", Rational(13, 50)))
        bound = cut(
            substitute(share_of_parts(), terms), *self.inverse,
            joint(Compare(1 / self.size, ">", 0), self.count),
            joint(Compare(1 / self.size * self.size, "=", 1), self.count), near, signed, self.sums[0],
            identity(low * high, Integer(1)), self.positive_ends[1],
            joint(Compare(low, ">=", Rational(37, 50)), fact(EXP_ABOVE_TANGENT, x=-self.most), small),
            joint(Compare(most, ">=", 0), total, sign),
        )  # fmt: skip
        parts = self.by_parts()
        return joint(Compare(parts.formula.left, "<=", 15 * most / (4 * self.size)), parts, bound)


# Arithmetic ---------------------------------------------------------------------------------------


@cache
def chords() -> tuple[Theorem, Theorem]:
    """(D - c) |e - M| <= (e - c) (D - M) + (D - e) (M - c), and |e - M| <= D - c."""
    inside = (
        Compare(c, "<=", e), Compare(e, "<=", d), Compare(c, "<=", m), Compare(m, "<=", d),
    )  # fmt: skip
    chord = joint(
        Compare((d - c) * Abs(e - m), "<=", (e - c) * (d - m) + (d - e) * (m - c)),
        joint(Compare((d - e) * (m - c), ">=", 0), given=inside[1:3]),
        joint(Compare((e - c) * (d - m), ">=", 0), given=(inside[0], inside[3])),
    )
    return chord, joint(Compare(Abs(e - m), "<=", d - c), given=inside)


_ENDS = (
    Compare(c * d, "=", 1), Compare(c, ">", 0), Compare(d, ">", 0), Compare(d, ">=", 1),
    Compare(c, ">=", 1 - r), Compare(r, ">=", 0), Compare(r, "<=", Rational(2, 5)),
)  # fmt: skip


@cache
def ends_apart() -> Theorem:
    """2 (c + D - 2) <= 5 r / 4 (D - c) for c D = 1 and c >= 1 - r."""
    inverse, low, high, one, tangent, *rate = _ENDS
    share = 5 * r / 4
    short = joint(Compare(d * (1 - r), "<=", d * c), given=(tangent, high))
    short = joint(Compare(d * (1 - r), "<=", 1), short, given=(inverse,))
    steep = joint(Compare(2 * (d - 1), "<=", share * (d + 1)), short, given=(high, *rate))
    product = joint(
        Compare((d - 1) * (2 * (d - 1)), "<=", (d - 1) * (share * (d + 1))), steep, given=(one,)
    )
    square = joint(Compare(2 * (d - 1) ** 2, "<=", share * (d**2 - 1)), product)
    return joint(
        Compare(2 * (c + d - 2), "<=", share * (d - c)),
        joint(
            Compare(c * (2 * (d - 1) ** 2), "<=", c * (share * (d**2 - 1))), square, given=(low,)
        ),
        joint(Compare(c * (2 * (d - 1) ** 2), "=", 2 * (c + d - 2)), given=(inverse,)),
        joint(Compare(c * (share * (d**2 - 1)), "=", share * (d - c)), given=(inverse,)),
    )


@cache
def share_of_chord() -> Theorem:
    """g u <= 5 r / 4 for (D - c) u below the chord's sum, u <= w (D - c) and g S = 1, where w M = S."""
    chord = Compare((d - c) * u, "<=", (d - m) * (s - w * c) + (m - c) * (w * d - s))
    mean, flat, many = Compare(w * m, "=", s), Compare(u, "<=", w * (d - c)), Compare(w, ">=", 1)
    inside, share = (Compare(c, "<=", m), Compare(m, "<=", d)), 5 * r / 4
    inverse, low, *_ = _ENDS
    positive = joint(Compare(m, ">", 0), given=(inside[0], low))
    middle = joint(
        Compare((m - c) * (d - m), "<=", m * (c + d - 2)),
        joint(Compare((m - c) * (d - m), "=", m * (c + d) - m**2 - 1), given=(inverse,)),
        joint(Compare(m**2 + 1, ">=", 2 * m)),
    )
    product = joint(
        Compare(2 * (m - c) * (d - m), "<=", share * m * (d - c)), middle,
        joint(Compare(m * (2 * (c + d - 2)), "<=", m * (share * (d - c))), ends_apart(), positive),
    )  # fmt: skip
    bound = joint(
        Compare((d - c) * u, "<=", (d - c) * (share * s)),
        joint(Compare((d - c) * u, "<=", w * (2 * (m - c) * (d - m))), given=(chord, mean)),
        joint(
            Compare(w * (2 * (m - c) * (d - m)), "<=", w * (share * m * (d - c))),
            product,
            given=(many,),
        ),
        joint(Compare(w * (share * m * (d - c)), "=", (d - c) * (share * s)), given=(mean,)),
    )
    whole = joint(Compare(s, ">=", 0), positive, given=(mean, many))
    sign = joint(Compare(share * s, ">=", 0), whole, given=_ENDS[5:6])
    below = substitute(divided_by_width(), {a: d - c, b: share * s})
    below = cut(below, bound, sign, joint(Compare(d - c, ">=", 0), given=inside))
    below = joint(Compare(u, "<=", share * s), below, given=(flat,))
    scaled = joint(Compare(g * u, "<=", g * (share * s)), below, given=(Compare(g, ">", 0),))
    return joint(Compare(g * u, "<=", share), scaled, given=(Compare(g * s, "=", 1),))


def divided_by_width() -> Theorem:
    """u <= b from a u <= a b, where u vanishes with a >= 0."""
    given = (
        Compare(a * u, "<=", a * b), Compare(a, ">=", 0), Compare(u, "<=", w * a), Compare(b, ">=", 0),
    )  # fmt: skip
    return joint(Compare(u, "<=", b), given=given)


@cache
def steepest() -> Theorem:
    """|a - 1| <= D |u| for a = e^u <= D, b = e^-u and D >= 1."""
    given = (
        Compare(a, ">=", 1 + u), Compare(b, ">=", 1 - u), Compare(a * b, "=", 1), Compare(a, ">", 0),
        Compare(a, "<=", d), Compare(d, ">=", 1),
    )  # fmt: skip
    falling = joint(Compare(a * b, ">=", a * (1 - u)), given=given[1:4])
    rising = joint(Compare(a - 1, "<=", a * u), falling, given=given[2:3])
    steep = joint(
        Compare(a * u, "<=", d * Abs(u)),
        joint(Compare(a * u, "<=", a * Abs(u)), given=given[3:4]),
        joint(Compare(a * Abs(u), "<=", d * Abs(u)), given=given[4:5]),
    )
    wide = joint(Compare(d * Abs(u), ">=", Abs(u)), given=given[5:])
    return joint(Compare(Abs(a - 1), "<=", d * Abs(u)), rising, steep, wide, given=given[:1])


@cache
def two_parts() -> Theorem:
    """|a g - h| <= g |a - 1| + g h |S - D| for g S = 1 and h D = 1."""
    inverses = Compare(g * s, "=", 1), Compare(h * d, "=", 1)
    return joint(
        Compare(Abs(a * g - h), "<=", g * Abs(a - 1) + g * h * Abs(s - d)),
        joint(Compare(a * g - h, "=", g * (a - 1) - g * h * (s - d)), given=inverses),
        joint(Compare(Abs(g * (a - 1)), "=", g * Abs(a - 1)), given=(Compare(g, ">", 0),)),
        joint(
            Compare(Abs(g * h * (s - d)), "=", g * h * Abs(s - d)), given=(Compare(g * h, ">", 0),)
        ),
    )


@cache
def share_of_parts() -> Theorem:
    """g u + w g h v <= 15 h r / 4 for v <= u <= D r and S >= w c, where g S, h w and c D are one."""
    given = (
        Compare(g * s, "=", 1), Compare(g, ">", 0), Compare(h * w, "=", 1), Compare(h, ">", 0),
        Compare(u, "<=", d * r), Compare(v, "<=", u), Compare(w * c, "<=", s), Compare(c * d, "=", 1),
        Compare(d, ">", 0), Compare(c, ">=", Rational(37, 50)), Compare(r, ">=", 0),
    )  # fmt: skip
    least = joint(Compare(h * (w * c), "<=", h * s), given=(given[3], given[6]))
    least = joint(Compare(h * s, ">=", c), least, given=given[2:3])
    share = joint(
        Compare(g * c, "<=", h),
        joint(Compare(g * c, "<=", g * (h * s)), least, given=given[1:2]),
        joint(Compare(g * (h * s), "=", h), given=given[:1]),
    )
    share = joint(Compare(d * (g * c), "<=", d * h), share, given=given[8:9])
    share = joint(Compare(g, "<=", d * h), share, given=given[7:8])
    largest = joint(Compare(d, "<=", Rational(50, 37)), given=given[7:10])
    square = joint(Compare(2 * d * d, "<=", Rational(15, 4)), largest, given=given[8:9])
    size = joint(Compare(d * r, ">=", 0), given=(given[8], given[10]))
    first = joint(
        Compare(g * u, "<=", d * d * h * r),
        joint(Compare(g * u, "<=", g * (d * r)), given=(given[1], given[4])),
        joint(Compare(g * (d * r), "<=", d * h * (d * r)), share, size),
    )
    second = joint(
        Compare(w * (g * h * v), "<=", g * u),
        joint(Compare(w * (g * h * v), "=", g * v), given=given[2:3]),
        joint(Compare(g * v, "<=", g * u), given=(given[1], given[5])),
    )
    sign = joint(Compare(h * r, ">=", 0), given=(given[3], given[10]))
    last = joint(Compare(2 * d * d * (h * r), "<=", Rational(15, 4) * (h * r)), square, sign)
    return joint(
        Compare(g * u + w * (g * h * v), "<=", Rational(15, 4) * h * r), first, second, last
    )
