r"""Tokens on the sphere: $X^{(t+1)}=D^{(t)}A^{(t)}X^{(t)}W^{(t)}$ for symbolically many of everything.

`Sphere` holds the recursion for one way of writing the value matrices, and what one layer does to
inner products.  Attention is the sequence of the domain; W is orthogonal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from sympy import Expr, Integer, Symbol, sqrt

from claims.statement import Compare, Formula, Implies
from claims.terms import Recursion, entry
from claims.wu2024.notation import N, X, attention, d
from proofs.calculation import at_places, linked, replaced, sums_compared, weighed
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
)
from proofs.wu2024.norms import (
    Row,
    Rows,
    combination,
    combination_inside,
    combination_is_short,
    inner,
    rotated,
    rotation_keeps_products,
    row,
    summed,
)

__all__ = ["Sphere", "Unturned", "to_last_layer"]

x, weights = entry(X), entry(attention)
_q = Symbol("q", real=True)


def to_last_layer(start: Theorem, step: Theorem, index: Any, last: Any) -> Theorem:
    """For all 0 <= index <= last, from body(0) and body(index) |- body(index + 1) below the last."""
    body, inside = _case_before(step, index), Compare(index, "<=", last)
    known = joint(body, assume(Implies(inside, body)), given=(Compare(index + 1, "<=", last),))
    following = Compare(index + 1, "<=", last)
    next_ = discharge(cut(step, known, assume(following)), following)
    first = joint(Implies(Compare(Integer(0), "<=", last), start.formula), start)
    every = instance(induction(first, next_, index), index)
    return generalise(joint(body, every, given=(inside,)), index, 0, last)


def _case_before(step: Theorem, index: Any) -> Formula:
    """The hypothesis of a step whose next case is the step's formula."""
    from proofs.smt import canonical

    wanted = canonical(step.formula)
    shifted = [h for h in step.hypotheses if canonical(h.substitute({index: index + 1})) == wanted]
    if not shifted:
        raise ValueError(f"no hypothesis of the step is its case before: {step.formula}")
    return shifted[0]


@dataclass(frozen=True, eq=False)
class Unturned:
    """The dynamics without value matrices.

    `stochastic` and `signs` say, of every layer, that rows of A sum to one and are not negative.
    """

    stochastic: Theorem
    signs: Theorem
    name: ClassVar[str] = "Y"

    def turned(self, t: Any, a: Row) -> Row:
        """What the value matrix of a layer makes of a row."""
        return a

    def kept(self, t: Any, one: Row, other: Row) -> Theorem:
        """Inner products are those before it."""
        return joint(Compare(inner(one, other), "=", inner(one, other)))

    @cached_property
    def tokens(self) -> Recursion:
        """X^{(t)}_{ik}."""

        def step(t: Any, i: Any, k: Any, before: Any) -> Expr:
            moved = self._moved(t, i, before)
            return moved(k) / sqrt(inner(moved, moved))

        return Recursion(self.name, lambda i, k: x(i, k), step)

    def _moved(self, t: Any, i: Any, rows: Rows) -> Row:
        return self.turned(t, combination(lambda j: weights(t, i, j), rows))

    def at(self, t: Any) -> Rows:
        """The tokens at a layer."""
        return lambda i, k: self.tokens(t, i, k)

    def product(self, t: Any, i: Any, j: Any) -> Expr:
        """<X_i, X_j>."""
        return inner(row(self.at(t), i), row(self.at(t), j))

    def moved(self, t: Any, i: Any) -> Row:
        """(A X W)_i."""
        return self._moved(t, i, self.at(t))

    def squared_norm(self, t: Any, i: Any) -> Expr:
        """|(A X W)_i|^2, which LayerNorm divides by."""
        return inner(self.moved(t, i), self.moved(t, i))

    def averaged(self, t: Any, i: Any, j: Any) -> Expr:
        """sum_ab A_ia A_jb <X_a, X_b>."""
        inside = lambda a: summed(lambda b: weights(t, j, b) * self.product(t, a, b), N)  # noqa: E731
        return summed(lambda a: weights(t, i, a) * inside(a), N)

    def start(self, i: Any, j: Any) -> Theorem:
        """X^{(0)} is what is given."""
        same = sums_compared(
            lambda k: joint(
                Compare(self.tokens(0, i, k) * self.tokens(0, j, k), "=", x(i, k) * x(j, k)),
                recursion_start(self.tokens, i, k), recursion_start(self.tokens, j, k),
            ),
            d,
        )  # fmt: skip
        return linked(Compare(self.product(0, i, j), "=", inner(row(x, i), row(x, j))), same)

    def products_before_layernorm(self, t: Any, i: Any, j: Any) -> Theorem:
        """<(AXW)_i, (AXW)_j> = sum_ab A_ia A_jb <X_a, X_b>."""
        rows = self.at(t)
        one = combination(lambda m: weights(t, i, m), rows)
        other = combination(lambda m: weights(t, j, m), rows)
        kept = self.kept(t, one, other)
        outer = combination_inside(lambda m: weights(t, i, m), rows, other)

        def of_row(a: Any) -> Theorem:
            inside = combination_inside(lambda m: weights(t, j, m), rows, row(rows, a))
            flipped = summed(lambda b: weights(t, j, b) * self.product(t, a, b), N)
            return linked(Compare(inner(row(rows, a), other), "=", flipped), inside)

        rest = weighed(lambda m: weights(t, i, m), of_row, N)
        goal = Compare(inner(self.moved(t, i), self.moved(t, j)), "=", self.averaged(t, i, j))
        return linked(goal, kept, outer, rest)

    def projected(self, t: Any, i: Any, onto: Row) -> Theorem:
        """<X^{(t+1)}_i, y> = <(AXW)_i, y> / |(AXW)_i|."""
        moved, norm = self.moved(t, i), sqrt(self.squared_norm(t, i))
        term = weighed(onto, lambda k: recursion_step(self.tokens, t, i, k), d)
        left = inner(row(self.at(t + 1), i), onto)
        return linked(Compare(left, "=", inner(moved, onto) / norm), term)

    def products_after_layernorm(self, t: Any, i: Any, j: Any) -> Theorem:
        """<X_i, X_j> after a layer: the product before LayerNorm over both norms."""
        other = row(self.at(t + 1), j)
        first, second = self.projected(t, i, other), self.projected(t, j, self.moved(t, i))
        raw = inner(self.moved(t, i), self.moved(t, j))
        norms = [sqrt(self.squared_norm(t, n)) for n in (i, j)]
        inside = linked(Compare(second.formula.left, "=", raw / norms[1]), second)
        whole = replaced(_q / norms[0], _q, inside)
        return linked(
            Compare(self.product(t + 1, i, j), "=", raw / (norms[0] * norms[1])), first, whole
        )

    def unit_after(self, t: Any, i: Any, positive: Theorem) -> Theorem:
        """|X^{(t+1)}_i| = 1 where the row before LayerNorm is not zero."""
        return joint(
            Compare(self.product(t + 1, i, i), "=", 1),
            cut(self.products_after_layernorm(t, i, i), positive), positive,
        )  # fmt: skip

    def short(self, t: Any, i: Any, units: Theorem) -> Theorem:
        """|(AXW)_i|^2 <= 1 for unit tokens at the layer."""
        rows, own = self.at(t), lambda j: weights(t, i, j)
        mixed = combination(own, rows)
        kept = self.kept(t, mixed, mixed)
        below = combination_is_short(
            own, rows, self.sign(t, i), at_places(self.stochastic, t, i), units
        )
        return joint(Compare(self.squared_norm(t, i), "<=", 1), kept, below)

    def sign(self, t: Any, i: Any) -> Theorem:
        """A_ij >= 0 for all j."""
        return at_places(self.signs, t, i)


@dataclass(frozen=True, eq=False)
class Sphere(Unturned):
    """The dynamics with `value(t)`, the entries of W of a layer, and `orthogonal(t)` about them."""

    value: Callable[[Any], Rows]
    orthogonal: Callable[[Any], Theorem]
    name: ClassVar[str] = "X"

    def turned(self, t: Any, a: Row) -> Row:
        return rotated(a, self.value(t))

    def kept(self, t: Any, one: Row, other: Row) -> Theorem:
        return rotation_keeps_products(one, other, self.value(t), self.orthogonal(t))
