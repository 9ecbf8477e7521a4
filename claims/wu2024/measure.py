r"""The measure mu of Eq. (4): as a least distance, against other measures, and by pairs of tokens.

mu is compared squared wherever that keeps both sides rational.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Symbol, sqrt

from claims.domain import Array, Choice, Computed, Domain, Point, Real, Size
from claims.expressions import FrobSq, ones
from claims.model import Claim, Hypothesis, Mutant, Proposition, Relation, agree, variants
from claims.wu2024.notation import N, X, d, mu_squared, source

ANY = Hypothesis(r"X\in\mathbb R^{N\times d}")
tokens = Domain((Size(N, 2, 4), Size(d, 1, 3), Array(X)))


def mu_squared_at(value: ImmutableDenseMatrix) -> Expr:
    """||X - 1 gamma||_F^2 with gamma the mean of the rows."""
    mean = [sum(value.col(j)) / Integer(value.rows) for j in range(value.cols)]
    entries = (
        value[i, j] - mean[j] for i in range(value.rows) for j in range(value.cols)
    )  # fmt: skip
    return sum((e**2 for e in entries), start=Integer(0))


# mu as a least distance ---------------------------------------------------------------------------


def nearest_equal_rows(value: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """The x for which ||X - 1 x^T||_F is least: normal equations N x_j = sum_i X_ij."""
    normal = Integer(value.rows) * ImmutableDenseMatrix.eye(value.cols)
    right = value.T * ImmutableDenseMatrix.ones(value.rows, 1)
    return normal.LUsolve(right).as_immutable()


def _squared_size_of_argmin(point: Point) -> Expr:
    return sum((e**2 for e in nearest_equal_rows(point[X])), start=Integer(0))


def _least_squared_distance(point: Point) -> Expr:
    value = point[X]
    away = value - ImmutableDenseMatrix.ones(value.rows, 1) * nearest_equal_rows(value).T
    return sum((e**2 for e in away), start=Integer(0))


_ARGMIN = r"\Bigl\|\arg\min_{x\in\mathbb R^d}\|X-\mathbf 1x^\top\|_F\Bigr\|_2^2"
_MIN = r"\min_{x\in\mathbb R^d}\|X-\mathbf 1x^\top\|_F^2"
measure_is_the_least_distance_to_equal_rows = Claim(
    id="wu2024.sec-4.mu-equals-residual.repair",
    parent="wu2024.sec-4.mu-equals-residual",
    source=source("Sec. 4", "after Eq. (4)"),
    kind="identity",
    title="mu is the least Frobenius distance from X to a matrix with equal rows.",
    statement=Relation(_MIN, (mu_squared(X),)),
    domain=tokens,
    define=_least_squared_distance,
    hypotheses=(ANY,),
    note=(
        "The arg min is a vector, the mean token, and says nothing about how far X is from it; mu "
        "is the minimum."
    ),
)

measure_is_the_minimiser = Claim(
    id="wu2024.sec-4.mu-equals-residual",
    source=source("Sec. 4", "after Eq. (4)"),
    kind="identity",
    title="mu is the same measure as the residual, printed as an arg min.",
    statement=Relation(_ARGMIN, (mu_squared(X),)),
    domain=tokens,
    define=_squared_size_of_argmin,
    hypotheses=(ANY,),
    mutants=variants(
        ("norm of X", FrobSq(X)),
        ("sum over tokens of the mean token", N * FrobSq(ones(1, N) * X / N)),
        ("first token for the mean", FrobSq(X) - FrobSq(ones(1, N) * X / N)),
        lhs=_ARGMIN,
    ),
    severity="misprint",
    repair=measure_is_the_least_distance_to_equal_rows,
    probes=(
        {N: Integer(3), d: Integer(2), X: ImmutableDenseMatrix([[1, 2], [1, 2], [3, -1]])},
    ),
    note=(
        "An arg min is a point of R^d and no number. Even its size is not mu: for equal non-zero "
        "rows mu vanishes and the minimiser does not. The minimum is meant (Dong et al. print the "
        "norm of the residual at the arg min)."
    ),
)  # fmt: skip


# Other Lipschitz measures -------------------------------------------------------------------------

kind = Symbol("kind", integer=True, nonnegative=True)
"""Which measure mu' a point uses: a place in `MEASURES`."""
scale = Symbol("c", positive=True)
lipschitz = Symbol("L", positive=True)


def _column_range(value: ImmutableDenseMatrix) -> Expr:
    return max(max(value.col(j)) - min(value.col(j)) for j in range(value.cols))


def _distances(value: ImmutableDenseMatrix) -> list[Expr]:
    """Squared distances of all pairs of tokens."""
    rows = [value.row(i) for i in range(value.rows)]
    return [sum(e**2 for e in a - b) for a, b in combinations(rows, 2)]


def _deviations(value: ImmutableDenseMatrix) -> Expr:
    """sum_i ||X_i - gamma||."""
    mean = sum(
        (value.row(i) for i in range(value.rows)), start=ImmutableDenseMatrix.zeros(1, value.cols)
    )
    away = [value.row(i) - mean / Integer(value.rows) for i in range(value.rows)]
    return sum((sqrt(sum(e**2 for e in row)) for row in away), start=Integer(0))


# Each with a Lipschitz constant in the Frobenius norm, as a function of N: a column's range moves by
# at most the norm of its two changed entries times sqrt 2, and so does a distance of two rows; N
# norms add up to at most sqrt(N) times their root sum of squares.
MEASURES: tuple[Any, ...] = (
    (lambda x: sqrt(mu_squared_at(x)), lambda size: Integer(1)),
    (_column_range, lambda size: sqrt(2)),
    (lambda x: sqrt(max(_distances(x))), lambda size: sqrt(2)),
    (_deviations, lambda size: sqrt(size)),
    (lambda x: sqrt(sum((e**2 for e in x), start=Integer(0))), lambda size: Integer(1)),
)
VANISHING = (0, 1, 2, 3)
"""The places whose measure vanishes exactly on equal rows; the last one, ||X||_F, does not."""


def _measures(kinds: tuple[int, ...]) -> Domain:
    return Domain(
        (
            Size(N, 2, 4),
            Size(d, 1, 3),
            Choice(kind, tuple(map(Integer, kinds))),
            Real(scale, 0, open_low=True),
            Computed(lipschitz, lambda at: at[scale] * MEASURES[int(at[kind])][1](at[N])),
            Array(X),
        )
    )


def _other_measure(point: Point) -> Expr:
    return point[scale] * MEASURES[int(point[kind])][0](point[X])


def _probe(place: int, factor: int, column: list[int]) -> Point:
    """One feature per token: far from equal rows, and so near that mu < 1."""
    size = Integer(len(column))
    return {
        N: size, d: Integer(1), kind: Integer(place), scale: Integer(factor),
        lipschitz: factor * MEASURES[place][1](size), X: ImmutableDenseMatrix(column),
    }  # fmt: skip


_OTHER = r"\mu'(X)"
_bounded = Relation(_OTHER, (lipschitz * sqrt(mu_squared(X)),), "<=")
lipschitz_measures_are_bounded_by_mu = Claim(
    id="wu2024.sec-4.lipschitz-measure",
    source=source("Sec. 4", "display after Eq. (4)"),
    kind="bound",
    title="A measure of Lipschitz constant L that vanishes on equal rows is at most L times mu.",
    statement=_bounded,
    domain=_measures(VANISHING),
    define=_other_measure,
    hypotheses=(
        Hypothesis(r"\mu'\ge0,\quad |\mu'(X)-\mu'(Y)|\le L\|X-Y\|_F"),
        Hypothesis(r"\mu'(X)=0\iff X_{i,:}=X_{j,:}\ \forall i,j"),
        Hypothesis(
            r"\text{in the tests: } c\mu,\ c\max_j\mathrm{range}_j,\ c\max_{ij}\|X_i-X_j\|,\ "
            r"c\textstyle\sum_i\|X_i-\gamma_X\|"
        ),
    ),
    mutants=(
        *variants(
            ("L/2 for L", lipschitz * sqrt(mu_squared(X)) / 2),
            ("mu squared", lipschitz * mu_squared(X)),
            ("without L", sqrt(mu_squared(X))),
            lhs=_OTHER,
            relation="<=",
        ),
        Mutant("not zero on equal rows", _bounded, domain=_measures((4,))),
    ),
    probes=(_probe(2, 3, [1, 0, -1]), _probe(0, 2, [5, 1, 0]), _probe(0, 2, [1, 0])),
    note="The paper prints mu(X) = 0 where mu'(X) = 0 is meant in the hypothesis on mu'.",
)  # fmt: skip


# mu by pairs of tokens ----------------------------------------------------------------------------


def squared_differences(value: ImmutableDenseMatrix) -> Expr:
    """sum over columns and ordered pairs of |X_mj - X_nj|^2."""
    return 2 * sum(_distances(value), start=Integer(0))


def squared_ranges(value: ImmutableDenseMatrix) -> Expr:
    """sum_j C_j^2 rho^2 for the least admissible C_j rho, the range of column j."""
    columns = (value.col(j) for j in range(value.cols))
    return sum(((max(c) - min(c)) ** 2 for c in columns), start=Integer(0))


def _by_pairs(share: Any, constant: Any, *, ordered: bool = True) -> Any:
    """Whether mu^2 = share(N) * sum of squared differences, and mu^2 <= constant(N) * ranges."""

    def test(point: Point, value: Any) -> bool:
        x, size = point[X], point[N]
        differences = squared_differences(x) / (1 if ordered else 2)
        fits = agree(value, share(size) * differences)
        return fits and bool(value <= constant(size) * squared_ranges(x))

    return test


def _text(share: str, constant: str, pairs: str = "m,n") -> str:
    return rf"\mu(X)^2={share}\sum_j\sum_{{{pairs}}}|X_{{m,j}}-X_{{n,j}}|^2\le{constant}\sum_jC_j^2\rho^2"


_pair = lambda size: 1 / (2 * size)  # noqa: E731
_half = lambda size: size / 2  # noqa: E731
measure_by_pairs_of_tokens = Claim(
    id="wu2024.thm-1.proof-mu-pairwise",
    source=source("App. B.2", "last display; also App. C and D"),
    kind="identity",
    title="mu squared is the mean squared difference of pairs, at most N/2 times squared ranges.",
    statement=Proposition(_text(r"\frac1{2N}", r"\frac N2"), _by_pairs(_pair, _half)),
    domain=Domain((Size(N, 2, 5), Size(d, 1, 3), Array(X))),
    define=lambda point: mu_squared_at(point[X]),
    hypotheses=(ANY, Hypothesis(r"|X_{m,j}-X_{n,j}|\le C_j\rho\ \forall m,n,j")),
    mutants=(
        Mutant(
            "1/N for 1/(2N)",
            Proposition(_text(r"\frac1N", r"\frac N2"), _by_pairs(lambda s: 1 / s, _half)),
        ),
        Mutant(
            "each pair once",
            Proposition(
                _text(r"\frac1{2N}", r"\frac N2", "m<n"), _by_pairs(_pair, _half, ordered=False)
            ),
        ),
        Mutant(
            "1/N for N/2",
            Proposition(_text(r"\frac1{2N}", r"\frac1N"), _by_pairs(_pair, lambda s: 1 / s)),
        ),
        Mutant(
            "N/5 for N/2",
            Proposition(_text(r"\frac1{2N}", r"\frac N5"), _by_pairs(_pair, lambda s: s / 5)),
        ),
    ),
    note=(
        "N/2 is not the best constant: half of the tokens at each end of the range give "
        "floor(N^2/4)/N, at most N/4, and no X gives more."
    ),
)
