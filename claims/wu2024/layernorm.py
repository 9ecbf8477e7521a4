r"""LayerNorm as row scaling (Sec. 3.2 and App. A), and whether it always exists (Sec. 4.3.2).

The paper's LayerNorm only scales: each token is divided by its 2-norm, no mean is removed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixSymbol, S, Sum, Symbol, oo, sqrt

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Size
from claims.masks import causal, complete, sliding_window
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import entry, family
from claims.wu2024.notation import WV, A, G, N, X, d, source
from claims.wu2024.setup import Attention, size_of_mask
from claims.wu2024.unit_tokens import UnitRows

STOCHASTIC = Hypothesis(r"A^{(t)}\ \text{row-stochastic on } \mathcal G")
NONZERO_ROWS = Hypothesis(r"X_{i,:}\ne0\ \forall i\in[N]")
masks = Choice(G, (complete(2), causal(2), complete(3), causal(3), sliding_window(3)))


@dataclass(frozen=True)
class NearIdentity(Array):
    """A square integer matrix; the identity is the smallest."""

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        for value in super().of_weight(weight, point):
            yield value + ImmutableDenseMatrix.eye(value.rows)


@dataclass(frozen=True)
class SometimesSparse(Array):
    """Integer tokens; in every other draw each has one feature only."""

    def draw(self, rng: Random, point: Point) -> Any:
        value = super().draw(rng, point).as_mutable()
        if rng.random() < 1 / 2:
            for i in range(value.rows):
                kept = rng.randrange(value.cols)
                for j in range(value.cols):
                    value[i, j] = value[i, j] if j == kept else 0
        return value.as_immutable()


def squared_norms(matrix: ImmutableDenseMatrix) -> list[Expr]:
    """Squared 2-norm of every row."""
    return [sum((e**2 for e in matrix.row(i)), start=Integer(0)) for i in range(matrix.rows)]


def layer_norm(matrix: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """Every row over its 2-norm; a zero row becomes NaN, for it has no direction."""
    rows = []
    for i, square in enumerate(squared_norms(matrix)):
        rows.append([e / sqrt(square) if square != 0 else S.NaN for e in matrix.row(i)])
    return ImmutableDenseMatrix(rows)


# LayerNorm ----------------------------------------------------------------------------------------

i = Symbol("i", integer=True)


def squared_norm_of(rows: Callable[[Any, Any], Expr], token: Any) -> Expr:
    """The squared 2-norm of a row, as a sum over features."""
    column = Symbol("column", integer=True)
    return Sum(rows(token, column) ** 2, (column, 1, d))


def no_row_vanishes(latex: str, rows: Callable[[Any, Any], Expr], matrix: Any) -> Condition:
    """No row of the matrix that `matrix` finds at a point, with these entries, is zero."""
    formula = ForAll(i, 1, N, Compare(squared_norm_of(rows, i), ">", 0))
    return Condition(latex, lambda at: 0 not in squared_norms(matrix(at)), formula)


order = Quantity(r"\text{order of } D", lambda at: Integer(at[X].rows))
row_norm = family(r"\|(DX)_{{{},:}}\|_2^2", lambda at, i: squared_norms(layer_norm(at[X]))[i - 1])
_unit_rows = ForAll(i, 1, N, Compare(row_norm(i), "=", 1))
_scaled_tokens = Domain(
    (Size(N, 2, 4), Size(d, 1, 4), SometimesSparse(X)),
    (no_row_vanishes(NONZERO_ROWS.latex, entry(X), lambda at: at[X]),),
)
layernorm_scales_each_token = Claim(
    id="wu2024.sec-3.2.layernorm-scaling.repair",
    parent="wu2024.sec-3.2.layernorm-scaling",
    source=source("Sec. 3.2"),
    kind="identity",
    title="LayerNorm is $DX$ with a diagonal $D$ of order $N$, and gives every token unit norm.",
    statement=order.equals(N) & _unit_rows,
    domain=_scaled_tokens,
    hypotheses=(NONZERO_ROWS,),
    note=r"$D$ has one entry per token: $D=\mathrm{diag}(d_1,\dots,d_N)$.",
)

layernorm_has_one_scale_per_feature = Claim(
    id="wu2024.sec-3.2.layernorm-scaling",
    source=source("Sec. 3.2"),
    kind="identity",
    title=r"LayerNorm is $DX$ with $D=\mathrm{diag}(d_1,\dots,d_d)$, and gives every token unit norm.",
    statement=order.equals(d) & _unit_rows,
    domain=_scaled_tokens,
    hypotheses=(NONZERO_ROWS,),
    mutants=(
        Mutant("root mean square, as layers do it", ForAll(i, 1, N, Compare(row_norm(i), "=", d))),
    ),
    severity="misprint",
    repair=layernorm_scales_each_token,
    probes=({N: Integer(3), d: Integer(2), X: ImmutableDenseMatrix([[1, 0], [3, 4], [-1, 2]])},),
    printed=(
        r"D = \text{diag}(d_1, d_2, \dots, d_d) \text{ where } d_i = 1/\|X_{i,:}\|_2 \text{ for "
        r"all } i \in [N], \text{ then } \text{LN}(X) = DX"
    ),
    note=(
        r"The printed $D$ has $d$ entries, but $d_i$ is defined for $i\in[N]$, and a $d\times d$ matrix "
        r"cannot multiply the $N\times d$ matrix $X$ from the left unless $N=d$. $N$ is meant."
    ),
)


@dataclass(frozen=True)
class Fitted(Computed):
    """Scales r of a diagonal matrix for which it times X, or X times it, is nearest to LN(X).

    They solve the normal equations, one for each row (or column) of X; zero where X has none.
    """

    by_token: bool = True

    def facts(self) -> tuple[Formula, ...]:
        """r times the squares of the row (or column) is its product with that of LN(X)."""
        place, other = Symbol("place", integer=True), Symbol("other", integer=True)
        row, column = (place, other) if self.by_token else (other, place)
        lines, length = (N, d) if self.by_token else (d, N)
        value, over = entry(X)(row, column), (other, 1, length)
        product = Sum(value * value / sqrt(squared_norm_of(entry(X), row)), over)
        scaled_squares = entry(self.symbol)(place) * Sum(value**2, over)
        return (ForAll(place, 1, lines, Compare(scaled_squares, "=", product)),)


def _fits(lines: ImmutableDenseMatrix, wanted: ImmutableDenseMatrix) -> tuple[Expr, ...]:
    """For each row the r with r lines nearest to wanted, 0 for a row of zeros."""
    found = []
    for i in range(lines.rows):
        square = sum(e**2 for e in lines.row(i))
        product = sum(a * b for a, b in zip(lines.row(i), wanted.row(i), strict=True))
        found.append(product / square if square != 0 else Integer(0))
    return tuple(found)


def _squared_gap(scaled: Callable[[Point], Any]) -> Callable[[Point], Expr]:
    """The squared Frobenius distance of a matrix to LN(X)."""
    return lambda at: sum((e**2 for e in scaled(at) - layer_norm(at[X])), start=Integer(0))


def _clash(point: Point) -> Expr:
    """sum over pairs of tokens and features of X_ij^2 X_kj^2 (||X_i|| - ||X_k||)^2."""
    tokens, norms = point[X], [sqrt(square) for square in squared_norms(point[X])]
    places = product(range(tokens.rows), range(tokens.rows), range(tokens.cols))
    return sum(
        (tokens[i, j] ** 2 * tokens[k, j] ** 2 * (norms[i] - norms[k]) ** 2 for i, k, j in places),
        start=Integer(0),
    )


left_scales, right_scales = Symbol("D^*"), Symbol("R^*")
on_the_left = Quantity(
    r"\min_D\|DX-\mathrm{LN}(X)\|_F^2",
    _squared_gap(lambda at: ImmutableDenseMatrix.diag(*at[left_scales]) * at[X]),
)
on_the_right = Quantity(
    r"\min_R\|XR-\mathrm{LN}(X)\|_F^2",
    _squared_gap(lambda at: at[X] * ImmutableDenseMatrix.diag(*at[right_scales])),
)
clash = Quantity(
    r"\textstyle\sum_{i,k}\sum_jX_{i,j}^2X_{k,j}^2(\|X_{i,:}\|_2-\|X_{k,:}\|_2)^2", _clash
)
_with_scales = Domain(
    (
        *_scaled_tokens.variables,
        Fitted(left_scales, lambda at: _fits(at[X], layer_norm(at[X]))),
        Fitted(right_scales, lambda at: _fits(at[X].T, layer_norm(at[X]).T), by_token=False),
    ),
    _scaled_tokens.conditions,
)
layernorm_acts_on_the_left = Claim(
    id="wu2024.app-A.left-multiplication",
    source=source("App. A"),
    kind="prose",
    title="LayerNorm multiplies by a diagonal matrix on the left; in general none on the right does.",
    statement=on_the_left.equals(0) & on_the_right.equals(0).iff(clash.equals(0)),
    domain=_with_scales,
    hypotheses=(
        NONZERO_ROWS,
        Hypothesis(r"D\in\mathbb R^{N\times N},\ R\in\mathbb R^{d\times d}\ \text{diagonal}"),
    ),
    uses=(layernorm_has_one_scale_per_feature,),
    mutants=(Mutant("on the right as well", on_the_right.equals(0)),),
    probes=tuple(
        _with_scales.completed({N: Integer(2), d: Integer(2), X: ImmutableDenseMatrix(rows)})
        for rows in ([[1, 0], [0, 2]], [[1, 2], [3, 0]])
    ),
    note=(
        "The sharp form of the appendix: a diagonal matrix on the right, which could be merged into "
        "$W_V$, gives LN only where tokens that share a feature other than zero have equal norms."
    ),
)


# With the mean removed ----------------------------------------------------------------------------


C = MatrixSymbol("C", N, d)
"""X with the mean of each row taken off."""
_feature = Symbol("feature", integer=True)
_mean = Sum(entry(X)(i, _feature), (_feature, 1, d)) / d
_off = Symbol("column", integer=True)
less_its_mean = ForAll(
    i, 1, N, ForAll(_off, 1, d, Compare(entry(C)(i, _off), "=", entry(X)(i, _off) - _mean))
)


def _centred(point: Point) -> ImmutableDenseMatrix:
    """Every row less its mean over the features."""
    tokens = point[X]
    average = ImmutableDenseMatrix.ones(tokens.cols, tokens.cols) / tokens.cols
    return tokens - tokens * average


centred_norm = family(
    r"\|\mathrm{{LN}}_c(X)_{{{},:}}\|_2^2",
    lambda at, i: squared_norms(layer_norm(_centred(at)))[i - 1],
)
centred_sum = family(
    r"\textstyle\sum_j\mathrm{{LN}}_c(X)_{{{}j}}",
    lambda at, i: sum(layer_norm(_centred(at)).row(i - 1), start=Integer(0)),
)
UNEVEN_ROWS = r"X_{i,:}\ \text{not a multiple of}\ \mathbf 1^\top\ \forall i\in[N]"
layernorm_with_its_mean_gives_unit_rows = Claim(
    id="wu2024.sec-3.2.layernorm-centring",
    source=source("Sec. 3.2", "first sentence"),
    kind="identity",
    title="LayerNorm that also removes the mean of each row gives rows of mean zero and unit norm.",
    statement=ForAll(i, 1, N, Compare(centred_norm(i), "=", 1) & Compare(centred_sum(i), "=", 0)),
    domain=Domain(
        (
            Size(N, 2, 4),
            Size(d, 2, 4),
            SometimesSparse(X),
            Computed(C, _centred, known=(less_its_mean,)),
        ),
        (no_row_vanishes(UNEVEN_ROWS, entry(C), _centred),),
    ),
    hypotheses=(
        Hypothesis(
            r"\mathrm{LN}_c(X)_{i,:}=C_{i,:}/\|C_{i,:}\|_2,\quad "
            r"C_{ij}=X_{ij}-\tfrac1d\textstyle\sum_kX_{ik}"
        ),
    ),
    mutants=(
        Mutant(
            "root mean square, as layers do it",
            ForAll(i, 1, N, Compare(centred_norm(i), "=", d) & Compare(centred_sum(i), "=", 0)),
        ),
    ),
    understood=(
        Understood(
            "LayerNorm is defined: no token has all features equal, so $d\\ge2$",
            "$d=2$, $X_{1,:}=(1,1)$: nothing is left to scale",
        ),
    ),
    printed=(
        r"\text{LayerNorm subtracts the mean across different columns in each row and then scales each row }"
        r"\text{to have a unit 2-norm}"
    ),
    note=(
        "The paper's own LayerNorm keeps the mean (`wu2024.sec-3.2.layernorm-scaling`). The layer of Ba et "
        r"al. (2016), which it cites, divides by the standard deviation instead: norm $\sqrt d$, before "
        "gains and shifts. With the mean removed the tokens lie on the unit sphere of the hyperplane "
        "orthogonal to the constant row; at $d=2$ these are two opposite points."
    ),
)


# Whether the dynamics always exist ----------------------------------------------------------------


def _squared_size_after_a_layer(point: Point) -> Expr:
    """||LN(A X W_V)||_F^2; infinite where D has an entry 1/0."""
    moved = point[A] * point[X] * point[WV]
    if 0 in squared_norms(moved):
        return oo
    return sum(squared_norms(layer_norm(moved)), start=Integer(0))


def moved(token: Any, feature: Any) -> Expr:
    """An entry of A X W_V."""
    other, between = Symbol("other", integer=True), Symbol("between", integer=True)
    mixed = Sum(entry(A)(token, other) * entry(X)(other, between), (other, 1, N))
    return Sum(mixed * entry(WV)(between, feature), (between, 1, d))


squared_size = Quantity(r"\|\mathrm{LN}(AXW_V)\|_F^2", _squared_size_after_a_layer)
layernorm_never_diverges = Claim(
    id="wu2024.sec-4.3.2.layernorm-never-diverges",
    source=source("Sec. 4.3.2"),
    kind="prose",
    title="With LayerNorm the tokens stay bounded whatever the value matrices are.",
    statement=squared_size.at_most(N),
    domain=Domain(
        (masks, size_of_mask, Size(d, 1, 3), Attention(A), UnitRows(X), NearIdentity(WV, 2)),
        (
            no_row_vanishes(
                r"(AXW_V)_{i,:}\ne0\ \forall i\in[N]", moved, lambda at: at[A] * at[X] * at[WV]
            ),
        ),
    ),
    hypotheses=(
        STOCHASTIC,
        Hypothesis(r"\|X_{i,:}\|_2=1"),
        Hypothesis(r"W_V\ \text{any matrix}"),
    ),
    uses=(layernorm_has_one_scale_per_feature,),
    understood=(
        Understood(
            "LayerNorm is defined: no row of $AXW_V$ is zero",
            "$A = \\tfrac12\\mathbf 1_{2\\times2}$, $X = (1, -1)^\\top$, $W_V = 1$: opposite tokens average to "
            "zero, and a singular $W_V$ can map a token to zero",
        ),
    ),
    note=(
        "The squared size is the number of tokens: each of them is on the unit sphere again. Where a "
        "row vanishes the next layer is not defined, which is no divergence."
    ),
)
