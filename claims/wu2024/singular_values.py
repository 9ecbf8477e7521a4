r"""App. C.1 and C.1.1: unit mixtures of the initial tokens, and singular values.

$X^{(0)}\tilde W^{(t)}=U\Sigma V^\top$ with $\sigma_1\ge\dots\ge\sigma_N>0$; rows of $U^\top$ and of
$V^\top$ are singular vectors.  With $N\le d$ the matrix $(X^{(0)}\tilde W^{(t)})^\top$, $d\times N$, has $N$
singular values.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixSymbol, Rational, Sum, Symbol, sqrt

from claims.definitions import frobenius_square
from claims.domain import Array, Computed, Condition, Domain, Point, Size
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import entry, family
from claims.wu2024.cone import INDEPENDENT
from claims.wu2024.cosines import ORTHOGONAL
from claims.wu2024.notation import N, X, d, source
from claims.wu2024.unit_tokens import Orthogonal, UnitRows, orthonormal_rows

sigma = MatrixSymbol(r"\sigma", N, 1)
left, right = MatrixSymbol(r"U^\top", N, N), MatrixSymbol(r"V^\top", d, d)
"""Singular vectors as rows."""
turn = MatrixSymbol(r"\tilde W^{(t)}", d, d)
mixing = MatrixSymbol(r"v^\top", 1, N)
k = Symbol("k", integer=True, positive=True)


@dataclass(frozen=True)
class Square(Orthogonal):
    """An orthogonal matrix, of which rows and columns are known to be orthonormal."""

    def facts(self) -> tuple[Formula, ...]:
        own = entry(self.symbol)
        columns = orthonormal_rows(lambda a, b: own(b, a), self.symbol.shape[0])
        return (*super().facts(), columns)


@dataclass(frozen=True)
class FallingColumn(Array):
    """A column of positive numbers, none larger than the one before."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        size, _ = self.shape(point)
        if weight < 2:
            yield ImmutableDenseMatrix([size - n + weight * n for n in range(size)])

    def draw(self, rng: Random, point: Point) -> Any:
        size, _ = self.shape(point)
        drawn = (Rational(rng.randint(1, 12), rng.randint(1, 4)) for _ in range(size))
        return ImmutableDenseMatrix(sorted(drawn, reverse=True))

    def facts(self) -> tuple[Formula, ...]:
        """Positive, the first the largest, the last the least."""
        place, value = Symbol("place", integer=True), entry(self.symbol)
        size = self.symbol.shape[0]
        between = Compare(value(size, 1), "<=", value(place, 1)) & Compare(
            value(place, 1), "<=", value(1, 1)
        )
        return (ForAll(place, 1, size, Compare(value(place, 1), ">", 0) & between),)

    def objection(self, value: Any, point: Point) -> str | None:
        entries = list(value)
        if entries != sorted(entries, reverse=True) or entries[-1] <= 0:
            return f"{self.symbol} = {entries}: must be positive and must not rise"
        return super().objection(value, point)


def _tokens(point: Point) -> ImmutableDenseMatrix:
    """U Sigma V^T W~^T; with more tokens than features only the first d singular values are there."""
    count = min(int(point[N]), int(point[d]))
    scaled = ImmutableDenseMatrix.diag(*list(point[sigma])[:count]) * point[right][:count, :]
    return ImmutableDenseMatrix(point[left].T[:, :count] * scaled * point[turn].T)


def entry_of_tokens(row: Any, column: Any) -> Expr:
    """sum_k sigma_k U_ik sum_l V_lk W~_jl."""
    one, other = Symbol("one", integer=True), Symbol("other", integer=True)
    turned = Sum(entry(right)(one, other) * entry(turn)(column, other), (other, 1, d))
    return Sum(entry(sigma)(one, 1) * entry(left)(one, row) * turned, (one, 1, N))


_i, _j = Symbol("i", integer=True), Symbol("j", integer=True)
_decomposed = ForAll(
    _i, 1, N, ForAll(_j, 1, d, Compare(entry(X)(_i, _j), "=", entry_of_tokens(_i, _j)))
)


def _domain(condition: Condition, *known: Formula) -> Domain:
    matrices = (Square(left), Square(right), Square(turn), FallingColumn(sigma))
    tokens = Computed(X, _tokens, known=known)
    return Domain((Size(N, 1, 3), Size(d, 1, 3), *matrices, tokens, UnitRows(mixing)), (condition,))


_turned = ImmutableDenseMatrix([[3, 4], [-4, 3]]) / 5
_cycled = ImmutableDenseMatrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
few_tokens = Condition.of(Compare(N, "<=", d))
_many_tokens = Condition("N>d", lambda at: at[N] > at[d])


def _length(row: Any) -> Any:
    return sqrt(frobenius_square(row))


def _singular_value(point: Point, place: int) -> Any:
    """The matrix has no more than it has rows, or columns; those past them count as zero."""
    return point[sigma][place - 1] if place <= min(point[N], point[d]) else Integer(0)


singular_value = family(r"\sigma_{{{}}}((X^{{(0)}}\tilde W^{{(t)}})^\top)", _singular_value)
mixed = Quantity(
    r"\|v^\top X^{(0)}\tilde W^{(t)}\|_2", lambda at: _length(at[mixing] * at[X] * at[turn])
)
unturned = Quantity(r"\|v^\top X^{(0)}\|_2", lambda at: _length(at[mixing] * at[X]))
along = family(
    r"\|u_{{{}}}^\top X^{{(0)}}\tilde W^{{(t)}}\|_2",
    lambda at, n: _length(at[left].row(n - 1) * at[X] * at[turn]),
)


_first, _last = singular_value(Integer(1)), singular_value(N)
_extremes = (
    Compare(_last, ">", 0)
    & Compare(_last, "<=", mixed)
    & Compare(mixed, "<=", _first)
    & ForAll(k, 1, N, Compare(along(k), "=", singular_value(k)))
    & Compare(mixed, "=", unturned)
)
"""Between the last and the first singular value, which singular vectors reach; whatever W~ is."""
_least_of_d = Compare(singular_value(d), "<=", mixed)
_few = _domain(few_tokens, _decomposed)
_pair = _few.completed(
    {
        N: Integer(2), d: Integer(3), left: _turned, right: _cycled, turn: _cycled,
        sigma: ImmutableDenseMatrix([3, 1]), mixing: ImmutableDenseMatrix([[1, 0]]),
    }
)  # fmt: skip
mixtures_are_between_singular_values = Claim(
    id="wu2024.thm-2.proof-sigma-min",
    source=source("App. C.1 and C.1.1", "displays before (24) and after (25)"),
    kind="bound",
    title=(
        "The least and the largest norm of a unit mixture of the initial tokens are the least and the "
        "largest singular value."
    ),
    statement=_extremes,
    printed=(
        r"\min_{\|v\|_2=1} \left\| v^\top X^{(0)} \tilde{W}^{(t)} \right\|_2 = "
        r"\sigma_{\min}((X^{(0)} \tilde{W}^{(t)})^\top),\quad "
        r"\max_{\|v\|_2=1} \left\| v^\top X^{(0)} \tilde{W}^{(t)} \right\|_2 = "
        r"\sigma_{\max}((X^{(0)} \tilde{W}^{(t)})^\top),\quad "
        r"\lim_{t \rightarrow \infty} \left\| (v^{(t)})^\top X^{(0)} \tilde{W}^{(t)} \right\|_2 \geq "
        r"\sigma_{\min}((X^{(0)} \tilde{W}^{(t)})^\top) > 0,\quad "
        r"\lim_{t \rightarrow \infty} \left\| (v^{(t)})^\top X^{(0)} \tilde{W}^{(t)} \right\|_2 \leq "
        r"\sigma_{\max}((X^{(0)} \tilde{W}^{(t)})^\top) < \infty"
    ),
    domain=_few,
    hypotheses=(
        ORTHOGONAL, INDEPENDENT, Hypothesis(r"\|v\|_2=1"),
        Hypothesis(
            r"X^{(0)}\tilde W^{(t)}=U\Sigma V^\top\ \text{with}\ U,V\ \text{orthogonal},\ "
            r"\sigma_1\ge\dots\ge\sigma_N>0,\ u_k\ \text{the columns of}\ U"
        ),
    ),
    mutants=(
        Mutant("more tokens than features", _least_of_d, domain=_domain(_many_tokens)),
    ),
    probes=(_pair,),
    note=(
        r"The least norm is that of the last singular vector, the largest that of the first. Under (ii) "
        r"the $d\times N$ matrix $(X^{(0)}\tilde W^{(t)})^\top$ has no fewer rows than columns, and its "
        r"$N$ singular values are positive; with more tokens than features some mixture is zero, and "
        r"the least of the $d$ singular values need not be. Norms of mixtures do not see "
        r"$\tilde W^{(t)}$, so that both bounds are the same in all layers, and limits of "
        r"$\|(v^{(t)})^\top X^{(0)}\tilde W^{(t)}\|_2$ keep them; that there is one is "
        r"`wu2024.thm-2.proof-eq-23-24`."
    ),
)  # fmt: skip
