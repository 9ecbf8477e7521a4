r"""How far a softmax is from uniform, for logits that are any terms of an index from one to a size.

With $v$ the mean logit, $\sum_je^{z_j}\ge de^v$, and $|e^{z_j}-e^v|\le\kappa e^v|z_j-v|$ where no logit
exceeds $v$ by more than $r$: for $\kappa=e^r$, and for $\kappa=(e^r-1)/r$.  Subtracting the mean only
shortens $z$.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Abs, Expr, Integer, Sum, Symbol, exp, symbols

from claims.statement import Compare
from proofs.calculation import algebra, linked, summed_over, sums_compared
from proofs.facts import BERNOULLI, EXP_ABOVE_TANGENT, EXP_INCREASES
from proofs.kernel import (
    Theorem,
    cut,
    discharge,
    fact,
    generalise,
    joint,
    substitute,
    sum_at_least_term,
    sum_rearranged,
)

__all__ = ["Logits", "f", "n", "positive", "r", "rises", "tangent", "v"]

f, mu, v = symbols("f mu v", real=True)
r = Symbol("r", nonnegative=True)
n = Symbol("n", integer=True)
"""A place among the logits."""


def positive(a: Any) -> Theorem:
    """$e^a>0$."""
    return joint(Compare(exp(a), ">", 0))


def rises(a: Any, b: Any, below: Theorem) -> Theorem:
    """$e^a\\le e^b$ from $a\\le b$."""
    return cut(fact(EXP_INCREASES, a=a, b=b), below)


def tangent(a: Any, b: Any) -> Theorem:
    """$e^a\\ge e^b(1+a-b)$."""
    p, q, s, u = symbols("p q s u", real=True)
    given = (Compare(q * s, "=", p), Compare(q, ">=", 1 + u), Compare(s, ">", 0))
    terms = {p: exp(a), q: exp(a - b), s: exp(b), u: a - b}
    steep, sign = fact(EXP_ABOVE_TANGENT, x=a - b), positive(b)
    return algebra(Compare(p, ">=", s * (1 + u)), given, terms, steep, sign)


def chord() -> Theorem:
    """$0<x\\le r$ implies $r(e^x-1)\\le x(e^r-1)$."""
    x = Symbol("x", real=True)
    above = Compare(x, ">", 0)
    base = joint(Compare(exp(x) - 1, ">=", -1))
    power = joint(Compare(r / x, ">=", 1), given=(above, Compare(x, "<=", r)))
    divisor = joint(Compare(x, "!=", 0), given=(above,))
    bernoulli = cut(fact(BERNOULLI, x=exp(x) - 1, p=r / x), base, power, divisor)
    found = joint(Compare(r * (exp(x) - 1), "<=", x * (exp(r) - 1)), bernoulli, given=(above,))
    return discharge(found, above)


class Logits:
    """Terms z_j for j = 1..d; $v$ stands for their mean, $f$ for one over the sum of $e^{z_j}$."""

    def __init__(self, logit: Callable[[Any], Expr], size: Any, index: Symbol):
        self.logit, self.size, self.index = logit, size, index
        self.weight = exp(logit(index))
        self.sum = self.total(self.weight)
        self.mean = self.total(logit(index)) / size
        self.is_mean = Compare(size * v, "=", self.total(logit(index)))
        self.share = self.weight / self.sum

    def total(self, term: Expr) -> Sum:
        """The sum over the index."""
        return Sum(term, (self.index, 1, self.size))

    def positive_sum(self) -> Theorem:
        """The exponentials have a positive sum."""
        signs = generalise(joint(Compare(self.weight, ">=", 0)), self.index, 1, self.size)
        first = joint(Compare(exp(self.logit(Integer(1))), ">", 0))
        return joint(Compare(self.sum, ">", 0), sum_at_least_term(signs, Integer(1)), first)

    def with_inverse(self, found: Theorem, *lemmas: Theorem) -> Theorem:
        """A theorem of f with the inverse of the sum for f."""
        above, inverse = self.positive_sum(), 1 / self.sum
        signs = (
            joint(Compare(inverse, ">", 0), above),
            joint(Compare(self.sum / self.sum, "=", 1), above),
        )
        return cut(substitute(found, {f: inverse}), above, *signs, *lemmas)

    def sum_above_mean(self) -> Theorem:
        """$\\sum_je^{z_j}\\ge de^v$."""
        each = sums_compared(lambda k: tangent(self.logit(k), v), self.size)
        return linked(Compare(self.sum, ">=", self.size * exp(v)), each, given=(self.is_mean,))

    def growth(self, gap: Theorem) -> Theorem:
        """$|e^{z_n}-e^v|\\le e^re^v|z_n-v|$ from $z_n\\le v+r$."""
        a, b, c, u = symbols("a b c u", real=True)
        given = (
            Compare(a, ">=", b * (1 + u)), Compare(b, ">=", a * (1 - u)), Compare(a, "<=", c * b),
            Compare(b, ">", 0), Compare(a, ">", 0), Compare(c, ">=", 1),
        )  # fmt: skip
        z = self.logit(n)
        ones = joint(Compare(exp(r), ">=", 1), fact(EXP_ABOVE_TANGENT, x=r))
        return algebra(
            Compare(Abs(a - b), "<=", c * b * Abs(u)), given, {a: exp(z), b: exp(v), c: exp(r), u: z - v},
            tangent(z, v), tangent(v, z), rises(z, v + r, gap), ones, positive(v), positive(z),
        )  # fmt: skip

    def sharp_growth(self, gap: Theorem) -> Theorem:
        """$|e^{z_n}-e^v|\\le\\frac{e^r-1}re^v|z_n-v|$ from $z_n\\le v+r$ and $r>0$."""
        a, b, c, q, u, h = symbols("a b c q u h", real=True)
        x = Symbol("x", real=True)
        steep = Compare(u, ">", 0).implies(Compare(r * (q - 1), "<=", u * (c - 1)))
        given = (
            Compare(q * b, "=", a), Compare(a, ">=", b * (1 + u)), Compare(b, ">=", a * (1 - u)), steep,
            Compare(b, ">", 0), Compare(a, ">", 0), Compare(c, ">=", 1 + r), Compare(r, ">", 0),
        )  # fmt: skip
        z, slope = self.logit(n), Compare(h * r, "=", c - 1)
        least = joint(Compare(h, ">=", 1), given=(slope, *given[-2:]))
        above = Compare(u, ">", 0)
        rising = joint(above.implies(Compare(q - 1, "<=", u * h)), given=(slope, steep, given[-1]))
        rising = joint(above.implies(Compare(a - b, "<=", h * b * u)), rising, given=given[:6])
        falling = joint((~above).implies(Compare(a - b, "<=", 0)), given=given)
        size = joint(Compare(h * b, ">=", b), least, given=given[4:5])
        high = joint(Compare(a - b, "<=", h * b * Abs(u)), rising, falling, size, given=given[4:5])
        wider = joint(Compare(b * Abs(u), "<=", h * b * Abs(u)), size)
        near = joint(Compare(b - a, "<=", b * Abs(u)), given=(given[1], given[4]))
        low = joint(Compare(b - a, "<=", h * b * Abs(u)), near, wider)
        found = joint(Compare(Abs(a - b), "<=", h * b * Abs(u)), high, low)
        terms = {a: exp(z), b: exp(v), c: exp(r), q: exp(z - v), u: z - v, h: (exp(r) - 1) / r}
        ratio = joint(Compare((exp(r) - 1) / r * r, "=", exp(r) - 1), given=given[-1:])
        return cut(
            substitute(found, terms), ratio, cut(substitute(chord(), {x: z - v}), gap), tangent(z, v),
            tangent(v, z), positive(v), positive(z), fact(EXP_ABOVE_TANGENT, x=r),
        )  # fmt: skip

    def near_uniform(self, factor: Expr, grows: Theorem, sign: Theorem) -> Theorem:
        """$\\sum_j(p_j-\\frac1d)^2\\le(\\kappa/d)^2\\sum_jz_j^2$ from $|e^{z_n}-e^v|\\le\\kappa e^v|z_n-v|$."""
        d, total, z = self.size, self.total, self.logit(self.index)
        a, b, s, u, k = symbols("a b s u k", real=True)
        given = (
            Compare(Abs(a - b), "<=", k * b * Abs(u)), Compare(s, ">=", d * b), Compare(b, ">", 0),
            Compare(k, ">=", 0), Compare(f * s, "=", 1), Compare(f, ">", 0),
        )  # fmt: skip
        shares = joint(Compare(f * b, "<=", 1 / d), given=given)
        step = joint(Compare(Abs(f * a - f * b), "<=", k / d * Abs(u)), shares, given=given)
        square = joint(Compare((f * a - f * b) ** 2, "<=", (k / d) ** 2 * u**2), step)
        terms = {a: exp(self.logit(n)), b: exp(v), s: self.sum, u: self.logit(n) - v, k: factor}
        each = cut(substitute(square, terms), grows, self.sum_above_mean(), sign, positive(v))
        summed = summed_over(each, (n, d))
        whole = Compare(f * self.sum, "=", 1)
        left = total((f * self.weight - 1 / d) ** 2)
        centre = linked(Compare(left, "<=", total((f * self.weight - mu) ** 2)), given=(whole,))
        centre = substitute(centre, {mu: f * exp(v)})
        shorter = linked(Compare(total((z - v) ** 2), "<=", total(z**2)), given=(self.is_mean,))
        pulled = sum_rearranged(summed.formula.right, (factor / d) ** 2 * total((z - v) ** 2))
        below = joint(Compare(left, "<=", pulled.formula.right), centre, summed, pulled)
        ends = (Compare(a, "<=", k**2 * b), Compare(b, "<=", s))
        terms = {a: left, b: total((z - v) ** 2), k: factor / d, s: total(z**2)}
        return algebra(Compare(a, "<=", k**2 * s), ends, terms, below, shorter)

    def squares(self, factor: Expr, grown: Theorem, sign: Theorem) -> Theorem:
        """The squared deviation, with the mean and the sum of weights put in."""
        found = self.near_uniform(factor, grown, sign)
        return self.with_inverse(substitute(found, {v: self.mean}))
