r"""LayerNorm as row scaling (Sec. 3.2 and App. A), and whether it always exists (Sec. 4.3.2).

The paper's LayerNorm only scales: each token is divided by its 2-norm, no mean is removed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Min, S, oo, sqrt

from claims.domain import Array, Choice, Condition, Domain, Point, Size
from claims.expressions import ones
from claims.masks import causal, complete, sliding_window
from claims.model import Claim, Hypothesis, Mutant, Proposition, Relation, agree, variants
from claims.wu2024.notation import WV, A, G, N, X, d, source
from claims.wu2024.setup import Attention, UnitRows, size_of_mask

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


def _order_and_row_norms(point: Point) -> tuple[Any, Any]:
    """How many diagonal entries D needs for DX to exist, and the squared row norms of LN(X)."""
    scaled = layer_norm(point[X])
    return Integer(point[X].rows), ImmutableDenseMatrix(squared_norms(scaled))


_SCALED = r"\bigl(\text{order of } D,\ (\|(DX)_{i,:}\|_2^2)_{i\in[N]}\bigr)"
_scaled_tokens = Domain(
    (Size(N, 2, 4), Size(d, 1, 4), SometimesSparse(X)),
    (Condition(NONZERO_ROWS.latex, lambda at: 0 not in squared_norms(at[X])),),
)
layernorm_scales_each_token = Claim(
    id="wu2024.sec-3.2.layernorm-scaling.repair",
    parent="wu2024.sec-3.2.layernorm-scaling",
    source=source("Sec. 3.2"),
    kind="identity",
    title="LayerNorm is DX with a diagonal D of order N, and gives every token unit norm.",
    statement=Relation(_SCALED, ((N, ones(N)),)),
    domain=_scaled_tokens,
    define=_order_and_row_norms,
    hypotheses=(NONZERO_ROWS,),
    note="D has one entry per token: D = diag(d_1, ..., d_N).",
)

layernorm_has_one_scale_per_feature = Claim(
    id="wu2024.sec-3.2.layernorm-scaling",
    source=source("Sec. 3.2"),
    kind="identity",
    title="LayerNorm is DX with D = diag(d_1, ..., d_d), and gives every token unit norm.",
    statement=Relation(_SCALED, ((d, ones(N)),)),
    domain=_scaled_tokens,
    define=_order_and_row_norms,
    hypotheses=(NONZERO_ROWS,),
    mutants=variants(
        ("the smaller of N and d", (Min(N, d), ones(N))),
        ("root mean square, as layers do it", (N, d * ones(N))),
        ("one scale for all tokens", (Integer(1), ones(N))),
        lhs=_SCALED,
    ),
    severity="misprint",
    repair=layernorm_scales_each_token,
    probes=(
        {N: Integer(3), d: Integer(2), X: ImmutableDenseMatrix([[1, 0], [3, 4], [-1, 2]])},
    ),
    note=(
        "The printed D has d entries, but d_i is defined for i in [N], and a d x d matrix cannot "
        "multiply the N x d matrix X from the left unless N = d. N is meant."
    ),
)  # fmt: skip


def _diagonals_that_normalise(point: Point) -> tuple[bool, bool, bool, bool]:
    """Whether a left / right diagonal matrix gives LN(X); equal norms within columns / overall."""
    tokens, squares = point[X], squared_norms(point[X])
    wanted = layer_norm(tokens)
    left = all(
        agree(tokens.row(i) / sqrt(squares[i]), wanted.row(i)) for i in range(tokens.rows)
    )  # fmt: skip
    scales = []
    for j in range(tokens.cols):
        places = [i for i in range(tokens.rows) if tokens[i, j] != 0]
        scales.append(wanted[places[0], j] / tokens[places[0], j] if places else Integer(0))
    right = agree(tokens * ImmutableDenseMatrix.diag(*scales), wanted)
    shared = all(
        len({squares[i] for i in range(tokens.rows) if tokens[i, j] != 0}) <= 1
        for j in range(tokens.cols)
    )
    return left, right, shared, len(set(squares)) == 1


_LEFT = r"\mathrm{LN}(X)=DX;\quad"
_RIGHT = r"\mathrm{LN}(X)=XR\ \text{for a diagonal } R"
layernorm_acts_on_the_left = Claim(
    id="wu2024.app-A.left-multiplication",
    source=source("App. A"),
    kind="prose",
    title="LayerNorm multiplies by a diagonal matrix on the left; in general none on the right does.",
    statement=Proposition(
        rf"{_LEFT} {_RIGHT}\iff\text{{tokens that share a non-zero feature have equal norms}}",
        lambda point, flags: flags[0] and flags[1] == flags[2],
    ),
    domain=_scaled_tokens,
    define=_diagonals_that_normalise,
    hypotheses=(NONZERO_ROWS, Hypothesis(r"\text{rows are tokens, columns are features}")),
    uses=(layernorm_has_one_scale_per_feature,),
    mutants=(
        Mutant("on the right as well", Proposition(_RIGHT, lambda point, flags: flags[1])),
        Mutant(
            "never on the right",
            Proposition(rf"\text{{not: }}{_RIGHT}", lambda point, flags: not flags[1]),
        ),
        Mutant(
            "on the right only for equal norms",
            Proposition(
                rf"{_RIGHT}\iff\|X_{{i,:}}\|\ \text{{all equal}}",
                lambda point, flags: flags[1] == flags[3],
            ),
        ),
    ),
    probes=({N: Integer(2), d: Integer(2), X: ImmutableDenseMatrix([[1, 0], [0, 2]])},),
    note=(
        "The sharp form of the appendix: a diagonal matrix on the right, which could be merged "
        "into W_V, exists only for exceptional X."
    ),
)


# Whether the dynamics always exist ----------------------------------------------------------------


def _squared_size_after_a_layer(point: Point) -> Expr:
    """||LN(A X W_V)||_F^2; infinite where D has an entry 1/0."""
    moved = point[A] * point[X] * point[WV]
    if 0 in squared_norms(moved):
        return oo
    return sum(squared_norms(layer_norm(moved)), start=Integer(0))


_layer = Domain(
    (masks, size_of_mask, Size(d, 1, 3), Attention(A), UnitRows(X), NearIdentity(WV, 2))
)
_DEFINED = r"(AXW_V)_{i,:}\ne0\ \forall i\in[N]"
_SIZE = r"\|\mathrm{LN}(AXW_V)\|_F^2"
layernorm_keeps_size_where_no_row_vanishes = Claim(
    id="wu2024.sec-4.3.2.layernorm-never-diverges.repair",
    parent="wu2024.sec-4.3.2.layernorm-never-diverges",
    source=source("Sec. 4.3.2"),
    kind="prose",
    title="As long as no row of A X W_V vanishes, LayerNorm keeps every token on the unit sphere.",
    statement=Relation(_SIZE, (N,)),
    domain=_layer.with_conditions(
        Condition(_DEFINED, lambda at: 0 not in squared_norms(at[A] * at[X] * at[WV]))
    ),
    define=_squared_size_after_a_layer,
    hypotheses=(STOCHASTIC, Hypothesis(_DEFINED)),
    note="The next layer must exist: no token may be averaged, or mapped by W_V, to zero.",
)

layernorm_never_diverges = Claim(
    id="wu2024.sec-4.3.2.layernorm-never-diverges",
    source=source("Sec. 4.3.2"),
    kind="prose",
    title="With LayerNorm the tokens stay on the sphere whatever the value matrices are.",
    statement=Relation(_SIZE, (N,)),
    domain=_layer,
    define=_squared_size_after_a_layer,
    hypotheses=(STOCHASTIC, Hypothesis(r"\|X_{i,:}\|_2=1"), Hypothesis(r"W_V\ \text{any matrix}")),
    uses=(layernorm_has_one_scale_per_feature,),
    mutants=variants(
        ("not squared", sqrt(N)),
        ("d for N", d),
        ("one token", Integer(1)),
        lhs=_SIZE,
    ),
    severity="missing-hypothesis",
    repair=layernorm_keeps_size_where_no_row_vanishes,
    probes=tuple(
        {
            G: complete(2), N: Integer(2), d: Integer(cols), A: ImmutableDenseMatrix.ones(2, 2) / 2,
            X: ImmutableDenseMatrix(rows), WV: value * ImmutableDenseMatrix.eye(cols),
        }
        for rows, cols, value in (([[1], [-1]], 1, 1), ([[1, 0], [0, 1]], 2, 0))
    ),
    note=(
        "Opposite tokens under uniform attention average to zero, and a singular W_V can map a "
        "token to zero: LN divides by zero there and the dynamics stop to exist."
    ),
)  # fmt: skip
