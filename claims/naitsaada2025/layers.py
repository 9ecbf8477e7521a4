r"""The deep models (11) and (16): stacks of attention and value matrices, one of each a layer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Sum,
    Symbol,
    sqrt,
)

from claims.domain import Array, Computed, Domain, Point, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.markov import STOCHASTIC, Markov
from claims.naitsaada2025.notation import T, d, depth, gamma, source
from claims.statement import Compare, ForAll, Formula
from claims.terms import entry, family
from claims.wu2024.dynamics import tuples_of

__all__ = [
    "X0", "Isotropic", "Stack", "W", "attentions", "centred", "forward", "multiply",
    "values",
]  # fmt: skip

X0, W = MatrixSymbol("X_0", T, d), MatrixSymbol("W", d, d)
attentions, values = Symbol("A_{1..L}"), Symbol("W^V_{1..L}")
"""Hold one matrix per layer at a point."""


@dataclass(frozen=True)
class Isotropic(Array):
    """Rational orthonormal rows: the first rows of the identity, or of a product of reflections."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        rows, cols = self.shape(point)
        if weight == 0:
            yield ImmutableDenseMatrix.eye(cols)[:rows, :]
            return
        for mirror in Array(MatrixSymbol("v", cols, 1)).of_weight(weight, point):
            yield _reflection(mirror)[:rows, :]

    def draw(self, rng: Random, point: Point) -> Any:
        rows, cols = self.shape(point)
        value = ImmutableDenseMatrix.eye(cols)
        for _ in range(2):
            entries = [rng.randint(-3, 3) for _ in range(cols)]
            entries[rng.randrange(cols)] = 1
            value = value * _reflection(ImmutableDenseMatrix(cols, 1, entries))
        return value[:rows, :]

    def simple(self, place: int, rng: Random, point: Point) -> Any:
        return self.draw(rng, point)

    def objection(self, value: Any, point: Point) -> str | None:
        if value * value.T != ImmutableDenseMatrix.eye(value.rows):
            return f"{self.symbol} = {value}: must have orthonormal rows"
        return super().objection(value, point)

    def facts(self) -> tuple[Formula, ...]:
        one, other, place = (Symbol(name, integer=True) for name in ("row", "other", "column"))
        rows, cols = self.symbol.shape
        value = entry(self.symbol)
        product = Sum(value(one, place) * value(other, place), (place, 1, cols))
        same = Compare(product, "=", KroneckerDelta(one, other))
        return (ForAll(one, 1, rows, ForAll(other, 1, rows, same)),)


def _reflection(mirror: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """I - 2 v v^T/|v|^2."""
    square = sum((e**2 for e in mirror), start=Integer(0))
    return ImmutableDenseMatrix.eye(mirror.rows) - 2 * mirror * mirror.T / square


@dataclass(frozen=True)
class Stack:
    """A tuple of matrices, one per layer."""

    symbol: Any
    each: Array
    length: Any = depth
    known: tuple[Formula, ...] = ()
    """Formulas that hold of every such tuple, for proofs."""

    def facts(self) -> tuple[Formula, ...]:
        return self.known

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        yield from tuples_of(self.each, weight, int(point[self.length]), point)

    def draw(self, rng: Random, point: Point) -> Any:
        return tuple(self.each.draw(rng, point) for _ in range(int(point[self.length])))

    def objection(self, value: Any, point: Point) -> str | None:
        if len(value) != point[self.length]:
            return f"{self.symbol} has {len(value)} layers: must have {point[self.length]}"
        return next(filter(None, (self.each.objection(m, point) for m in value)), None)


def centred(attention: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """A - 11^T/T."""
    size = attention.rows
    return attention - ImmutableDenseMatrix.ones(size, size) / Integer(size)


def multiply(matrices: Any, size: int) -> ImmutableDenseMatrix:
    """Their product, from left to right."""
    product = ImmutableDenseMatrix.eye(size)
    for matrix in matrices:
        product = product * matrix
    return product


def forward(point: Point, gap: bool = True) -> ImmutableDenseMatrix:
    """X_L, layer by layer; without the gap, A - 11^T/T stands for A."""
    state = point[X0]
    for attention, value in zip(point[attentions], point[values], strict=True):
        state = (attention if gap else centred(attention)) * state * value
    return state


i, j, k, l, m, t = (Symbol(name, integer=True) for name in "ijklmt")  # noqa: E741


def closed(
    point: Point, gap: bool = True, factors: tuple[Any, Any] = (1, 1)
) -> ImmutableDenseMatrix:
    """A_L ... A_1 X_0 W_1 ... W_L, every attention and every value matrix times a factor."""
    left = [a if gap else centred(a) for a in reversed(point[attentions])]
    scaled = [factors[0] * a for a in left], [factors[1] * w for w in point[values]]
    first, last = (multiply(s, size) for s, size in zip(scaled, point[X0].shape, strict=True))
    return first * point[X0] * last


def _entries(name: str, matrix: Any) -> Any:
    """The entries of a matrix that is found at a point."""
    return family(name, lambda at, row, column: matrix(at)[row - 1, column - 1])


def everywhere(one: Any, other: Any) -> Formula:
    """Two T x d matrices are one."""
    return ForAll(i, 1, T, ForAll(k, 1, d, Compare(one(i, k), "=", other(i, k))))


layered, product = (
    _entries(r"(X_L)_{{{}{}}}", forward),
    _entries(r"(A_L\cdots A_1X_0W_1^V\cdots W_L^V)_{{{}{}}}", closed),
)
gapless, gapless_product = (
    _entries(r"(X_L^\perp)_{{{}{}}}", lambda at: forward(at, gap=False)),
    _entries(
        r"(A_L^\perp\cdots A_1^\perp X_0W_1^V\cdots W_L^V)_{{{}{}}}",
        lambda at: closed(at, gap=False),
    ),
)
deep = Domain((
    Size(depth, 1, 2, reach=3), Size(T, 1, 2, reach=4), Size(d, 1, 2, reach=4),
    Stack(attentions, Markov(MatrixSymbol("A", T, T), 2)), Array(X0, 2), Stack(values, Array(W, 2)),
))  # fmt: skip
deep_model_is_one_product = Claim(
    id="naitsaada2025.eq-11",
    source=source("Sec. 3", "Eq. (11)"),
    kind="construction",
    title="Layer by layer, the deep model is one product of attention, tokens and value weights.",
    statement=everywhere(layered, product),
    domain=deep,
    hypotheses=(STOCHASTIC, Hypothesis(r"X_\ell=A_\ell X_{\ell-1}W_\ell^V")),
    printed=(
        r"\mathbf{X}_L = \mathbf{A}_L \mathbf{A}_{L-1} \dots \mathbf{A}_1 \mathbf{X}_0 \mathbf{W}_1^V "
        r"\dots \mathbf{W}_{L-1}^V \mathbf{W}_L^V"
    ),
)
modified_model_is_one_product = Claim(
    id="naitsaada2025.eq-16",
    source=source("Sec. 3.2", "Eq. (16)"),
    kind="construction",
    title=r"The modified model is the same product with $A_\ell-T^{-1}1_{T\times T}$ for $A_\ell$.",
    statement=everywhere(gapless, gapless_product),
    domain=deep,
    hypotheses=(
        STOCHASTIC, Hypothesis(r"X_\ell^\perp=A_\ell^\perp X_{\ell-1}^\perp W_\ell^V,\ X_0^\perp=X_0"),
        Hypothesis(r"A_\ell^\perp=A_\ell-T^{-1}1_{T\times T}"),
    ),
    printed=(
        r"\mathbf{X}_L^\perp = \mathbf{A}_L^\perp \mathbf{A}_{L-1}^\perp \dots \mathbf{A}_1^\perp "
        r"\mathbf{X}_0 \mathbf{W}_1^V \dots \mathbf{W}_{L-1}^V \mathbf{W}_L^V"
    ),
)  # fmt: skip


def _rescaled(at: Point) -> ImmutableDenseMatrix:
    """The product as the proof of Prop. A.8 rescales it."""
    return closed(at, gap=False, factors=(sqrt(at[T]), 1 / sqrt(at[d]) / sqrt(at[gamma])))


rescaled = _entries(
    r"(\sqrt TA_L^\perp\cdots\sqrt TA_1^\perp\tfrac1{{\sqrt d}}(\tfrac1{{\sqrt\gamma}}X_0W_1^V)\cdots"
    r"\tfrac1{{\sqrt d}}(\tfrac1{{\sqrt\gamma}}W_L^V))_{{{}{}}}",
    _rescaled,
)
ratio = Computed(gamma, lambda at: at[T] / at[d], known=(Compare(gamma, "=", T / d),))
rescaling_changes_nothing = Claim(
    id="naitsaada2025.proof-A.8.rescaling",
    source=source("App. A.2", "proof of Theorem A.8"),
    kind="identity",
    title=r"With $T=\gamma d$ the factors $\sqrt T$, $1/\sqrt d$ and $1/\sqrt\gamma$ of every layer cancel.",
    statement=everywhere(gapless_product, rescaled),
    domain=Domain((*deep.variables, ratio)),
    hypotheses=(STOCHASTIC, Hypothesis(r"T=\gamma d")),
    uses=(modified_model_is_one_product,),
    printed=(
        r"\mathbf{X}_\ell = \mathbf{A}_\ell^\perp \dots \mathbf{A}_1^\perp \mathbf{X}_0 \mathbf{W}_1^V "
        r"\dots \mathbf{W}_\ell^V = \sqrt{T} \mathbf{A}_\ell^\perp \dots \sqrt{T} \mathbf{A}_1^\perp "
        r"\frac{1}{\sqrt{d}} \left( \frac{1}{\sqrt{\gamma}} \mathbf{X}_0 \mathbf{W}_1^V \right) \dots "
        r"\frac{1}{\sqrt{d}} \left( \frac{1}{\sqrt{\gamma}} \mathbf{W}_\ell^V \right)"
    ),
    note=(
        r"What is judged is the second equality. On the left $X_\ell^\perp$ is meant, as the right side shows: "
        r"`naitsaada2025.proof-A.8.rescaling.left`."
    ),
)

_LEFT = source("App. A.2", "proof of Theorem A.8, first equality")
_IS_RESCALED = Hypothesis(
    r"X_\ell=A_\ell X_{\ell-1}W_\ell^V,\ A_\ell^\perp=A_\ell-T^{-1}1_{T\times T}"
)
signal_without_the_gap_is_the_product = Claim(
    id="naitsaada2025.proof-A.8.rescaling.left.repair",
    parent="naitsaada2025.proof-A.8.rescaling.left",
    source=_LEFT,
    kind="construction",
    title=r"$X_\ell^\perp$ is the product of all $A^\perp$, the tokens and the value weights.",
    statement=everywhere(gapless, gapless_product),
    domain=deep,
    hypotheses=modified_model_is_one_product.hypotheses,
)
signal_with_the_gap_is_the_product = Claim(
    id="naitsaada2025.proof-A.8.rescaling.left",
    source=_LEFT,
    kind="construction",
    title=r"The signal $X_\ell$ of the model with the gap is written as the product of all $A^\perp$.",
    statement=everywhere(layered, gapless_product),
    domain=deep,
    hypotheses=(STOCHASTIC, _IS_RESCALED),
    uses=(modified_model_is_one_product,),
    severity="misprint",
    repair=signal_without_the_gap_is_the_product,
    printed=(
        r"\mathbf{X}_\ell = \mathbf{A}_\ell^\perp \dots \mathbf{A}_1^\perp \mathbf{X}_0 \mathbf{W}_1^V "
        r"\dots \mathbf{W}_\ell^V"
    ),
    note=(
        r"$X_\ell$ is the signal of model (11), whose attention is $A_\ell$; the proposition is about "
        r"$X_\ell^\perp$ of model (16), which is meant, here and in the sentence after the display, where the "
        r"values of $X_\ell$ and $\Sigma_\ell$ stand for those of $X_\ell^\perp$ and $\Sigma_\ell^\perp$. One "
        r"token, for which $A_1=1$ and $A_1^\perp=0$, tells them apart."
    ),
)
