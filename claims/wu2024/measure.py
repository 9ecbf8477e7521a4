r"""The measure mu of Eq. (4): as a least distance, against other measures, and by pairs of tokens.

mu is compared squared wherever that keeps both sides rational.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Symbol, sqrt

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Real, Size
from claims.expressions import FrobSq, ones
from claims.model import Claim, Hypothesis, Relation, variants
from claims.statement import Compare, Formula, Quantity
from claims.wu2024.layernorm import STOCHASTIC, NearIdentity, masks
from claims.wu2024.notation import WV, A, N, X, d, mu_squared, source
from claims.wu2024.setup import Attention, size_of_mask

ANY = Hypothesis(r"X\in\mathbb R^{N\times d}")
tokens = Domain((Size(N, 2, 4), Size(d, 1, 3), Array(X)))


def mu_squared_at(value: ImmutableDenseMatrix) -> Expr:
    """||X - 1 gamma||_F^2 with gamma the mean of the rows."""
    mean = [sum(value.col(j)) / Integer(value.rows) for j in range(value.cols)]
    entries = (value[i, j] - mean[j] for i in range(value.rows) for j in range(value.cols))
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
    title=r"$\mu$ is the least Frobenius distance from $X$ to a matrix with equal rows.",
    statement=Relation(_MIN, (mu_squared(X),)),
    domain=tokens,
    define=_least_squared_distance,
    hypotheses=(ANY,),
    note=(
        r"The $\arg\min$ is a vector, the mean token, and says nothing about how far $X$ is from "
        r"it; $\mu$ is the minimum."
    ),
)

measure_is_the_minimiser = Claim(
    id="wu2024.sec-4.mu-equals-residual",
    source=source("Sec. 4", "after Eq. (4)"),
    kind="identity",
    title=r"$\mu$ is the same measure as the residual, printed as an $\arg\min$.",
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
    probes=({N: Integer(3), d: Integer(2), X: ImmutableDenseMatrix([[1, 2], [1, 2], [3, -1]])},),
    printed=(
        r"\mu(X) := \|X - \mathbf{1}\gamma_X\|_F, \text{ where } \gamma_X = \mathbf{1}^\top X/N, "
        r"\quad \text{res}(X) = \arg \min_{x \in \mathbb{R}^d} \|X - \mathbf{1}x^\top\|_F"
    ),
    note=(
        r"An $\arg\min$ is a point of $\mathbb R^d$ and no number. Even its size is not $\mu$: for "
        r"equal non-zero rows $\mu$ vanishes and the minimiser does not. The minimum is meant "
        r"(Dong et al. define the matrix $X-1x^\top$ at the $\arg\min$, and take its norm)."
    ),
)


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


def equal_rows(value: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """Every token replaced by the mean token."""
    ones = ImmutableDenseMatrix.ones(value.rows, 1)
    return ones * (ones.T * value / Integer(value.rows))


def _deviations(value: ImmutableDenseMatrix) -> Expr:
    """sum_i ||X_i - gamma||."""
    away = value - equal_rows(value)
    norms = (sqrt(sum(e**2 for e in away.row(i))) for i in range(value.rows))
    return sum(norms, start=Integer(0))


# Each with a Lipschitz constant in the Frobenius norm, as a function of N: a column's range moves by
# at most the norm of its two changed entries times sqrt 2, and so does a distance of two rows; N
# norms add up to at most sqrt(N) times their root sum of squares.
MEASURES: tuple[Any, ...] = (
    (lambda x: sqrt(mu_squared_at(x)), lambda size: Integer(1)),
    (_column_range, lambda size: sqrt(2)),
    (lambda x: sqrt(max(_distances(x))), lambda size: sqrt(2)),
    (_deviations, lambda size: sqrt(size)),
    # The first of the last two does not vanish on equal rows; the second grows like the square and
    # has no constant.
    (lambda x: sqrt(sum((e**2 for e in x), start=Integer(0))), lambda size: Integer(1)),
    (mu_squared_at, lambda size: Integer(1)),
)


def _measure_of(point: Point, value: ImmutableDenseMatrix) -> Expr:
    return point[scale] * MEASURES[int(point[kind])][0](value)


mu = Quantity(r"\mu(X)", lambda at: sqrt(mu_squared_at(at[X])))
distance = Quantity(
    r"\|X-\mathbf 1\gamma_X\|_F", lambda at: sqrt(sum(e**2 for e in at[X] - equal_rows(at[X])))
)
other_measure = Quantity(r"\mu'(X)", lambda at: _measure_of(at, at[X]))
on_equal_rows = Quantity(r"\mu'(\mathbf 1\gamma_X)", lambda at: _measure_of(at, equal_rows(at[X])))
_change = Compare(other_measure - on_equal_rows, "<=", lipschitz * distance)
_vanishes = Compare(on_equal_rows, "=", 0)
_VARIABLES = (
    Size(N, 2, 4),
    Size(d, 1, 3),
    Choice(kind, tuple(map(Integer, range(len(MEASURES))))),
    Real(scale, 0, open_low=True),
    Computed(lipschitz, lambda at: at[scale] * MEASURES[int(at[kind])][1](at[N])),
    Array(X),
)
_LIPSCHITZ = Condition(
    r"\mu'(X)-\mu'(Y)\le L\|X-Y\|_F\ \text{at } Y=\mathbf 1\gamma_X",
    lambda at: _change.truth(at) is not False,
    _change,
)
_VANISHES = Condition(
    r"\mu'(Y)=0\ \text{where } Y_{i,:}=Y_{j,:}\ \forall i,j",
    lambda at: _vanishes.truth(at) is not False,
    _vanishes,
)


def _probe(place: int, factor: int, column: list[int]) -> Point:
    """One feature per token: far from equal rows, and so near that mu < 1."""
    size = Integer(len(column))
    return {
        N: size, d: Integer(1), kind: Integer(place), scale: Integer(factor),
        lipschitz: factor * MEASURES[place][1](size), X: ImmutableDenseMatrix(column),
    }  # fmt: skip


_AFTER_EQ_4 = source("Sec. 4", "display after Eq. (4)")
_IS_LIPSCHITZ = Hypothesis(r"\mu'\ge0,\quad |\mu'(X)-\mu'(Y)|\le L\|X-Y\|_F")
_IN_THE_TESTS = Hypothesis(
    r"\text{in the tests: } c\mu,\ c\max_j\mathrm{range}_j,\ c\max_{ij}\|X_i-X_j\|,\ "
    r"c\textstyle\sum_i\|X_i-\gamma_X\|,\ c\|X\|_F"
)
lipschitz_measures_that_vanish_on_equal_rows_are_bounded_by_mu = Claim(
    id="wu2024.sec-4.lipschitz-measure.repair",
    parent="wu2024.sec-4.lipschitz-measure",
    source=_AFTER_EQ_4,
    kind="bound",
    title=r"A measure of Lipschitz constant $L$ that vanishes on equal rows is at most $L\mu$.",
    statement=other_measure.at_most(lipschitz * mu),
    domain=Domain(_VARIABLES, (_LIPSCHITZ, _VANISHES)),
    hypotheses=(
        _IS_LIPSCHITZ,
        Hypothesis(r"\mu'(X)=0\iff X_{i,:}=X_{j,:}\ \forall i,j"),
        _IN_THE_TESTS,
    ),
    probes=(_probe(2, 3, [1, 0, -1]), _probe(0, 2, [5, 1, 0]), _probe(0, 2, [1, 0])),
    note=(
        r"Both hypotheses are used at $\mathbf 1\gamma_X$ only, where every row is the mean token."
    ),
)

lipschitz_measures_are_bounded_by_mu = Claim(
    id="wu2024.sec-4.lipschitz-measure",
    source=_AFTER_EQ_4,
    kind="bound",
    title=r"A measure of Lipschitz constant $L$ is at most $L\mu$, as $\mu$ vanishes on equal rows.",
    statement=other_measure.at_most(lipschitz * mu),
    domain=Domain(_VARIABLES, (_LIPSCHITZ,)),
    hypotheses=(
        _IS_LIPSCHITZ,
        Hypothesis(r"\mu(X)=0\iff X_{i,:}=X_{j,:}\ \forall i,j"),
        _IN_THE_TESTS,
    ),
    severity="misprint",
    repair=lipschitz_measures_that_vanish_on_equal_rows_are_bounded_by_mu,
    probes=(_probe(4, 1, [1, 1]),),
    printed=(
        r"\mu'(X) = |\mu'(X) - \mu'(\mathbf{1}\gamma_X)| \leq L\|X - \mathbf{1}\gamma_X\|_F = "
        r"L\mu(X)"
    ),
    note=(
        r"The paper asks that $\mu(X)=0$ if and only if all rows are equal, which says nothing about "
        r"$\mu'$: the norm $\|X\|_F$ has the Lipschitz constant $1$ and is $\sqrt2$ at the equal tokens "
        r"$1$ and $1$, where $\mu$ is $0$. $\mu'(X)=0$ is meant, as the display's first equality shows."
    ),
)


# mu by pairs of tokens ----------------------------------------------------------------------------


def squared_differences(value: ImmutableDenseMatrix) -> Expr:
    """sum over columns and ordered pairs of |X_mj - X_nj|^2."""
    return 2 * sum(_distances(value), start=Integer(0))


def squared_ranges(value: ImmutableDenseMatrix) -> Expr:
    """Squared ranges of the columns, added up."""
    columns = (value.col(j) for j in range(value.cols))
    return sum(((max(c) - min(c)) ** 2 for c in columns), start=Integer(0))


def _next_tokens(at: Point) -> ImmutableDenseMatrix:
    """A X W_V."""
    return at[A] * at[X] * at[WV]


squared_mu = Quantity(r"\mu(X)^2", lambda at: mu_squared_at(at[X]))
differences = Quantity(
    r"\textstyle\sum_j\sum_{m,n}|X_{m,j}-X_{n,j}|^2", lambda at: squared_differences(at[X])
)
ranges = Quantity(
    r"\textstyle\sum_j(\max_{m,n}|X_{m,j}-X_{n,j}|)^2", lambda at: squared_ranges(at[X])
)
differences_next = Quantity(
    r"\textstyle\sum_j\sum_{m,n}|X_{m,j}'-X_{n,j}'|^2",
    lambda at: squared_differences(_next_tokens(at)),
)
ranges_next = Quantity(
    r"\textstyle\sum_j(\max_{m,n}|X_{m,j}'-X_{n,j}'|)^2",
    lambda at: squared_ranges(_next_tokens(at)),
)


def _by_pairs(pairs: Quantity, widths: Quantity) -> Formula:
    return squared_mu.equals(pairs / (2 * N)) & squared_mu.at_most(N * widths / 2)


_PAIRS = source("App. B.2", "last display; also App. C and D")
measure_by_pairs_of_tokens = Claim(
    id="wu2024.thm-1.proof-mu-pairwise.repair",
    parent="wu2024.thm-1.proof-mu-pairwise",
    source=_PAIRS,
    kind="identity",
    title=r"$\mu^2$ is half the mean squared difference of pairs, and at most $N/2$ times squared ranges.",
    statement=_by_pairs(differences, ranges),
    domain=Domain((Size(N, 2, 5), Size(d, 1, 3), Array(X))),
    hypotheses=(
        ANY,
        Hypothesis(
            r"C_j(1-\epsilon^r)^{t/r}=\max_{m,n}|X_{m,j}-X_{n,j}|,\ \text{the least such } C_j"
        ),
    ),
    note=(
        r"$N/2$ is not the best constant: half of the tokens at each end of the range give "
        r"$\lfloor N^2/4\rfloor/N$, at most $N/4$, and no $X$ gives more."
    ),
)

measure_by_pairs_of_the_next_tokens = Claim(
    id="wu2024.thm-1.proof-mu-pairwise",
    source=source("App. B.2", "last display"),
    kind="identity",
    title=r"$\mu^2$ of a layer's tokens is half the mean squared difference of pairs of the next layer.",
    statement=_by_pairs(differences_next, ranges_next),
    domain=Domain((masks, size_of_mask, Size(d, 1, 3), Attention(A), Array(X), NearIdentity(WV))),
    hypotheses=(
        STOCHASTIC,
        Hypothesis(r"X=X^{(t)},\quad X'=X^{(t+1)}=A^{(t)}X^{(t)}W_V^{(t)}"),
        Hypothesis(
            r"C_j(1-\epsilon^r)^{t/r}=\max_{m,n}|X_{m,j}'-X_{n,j}'|,\ \text{the least of (19)}"
        ),
    ),
    severity="misprint",
    repair=measure_by_pairs_of_tokens,
    printed=(
        r"\mu(X^{(t)}) = \|X^{(t)} - \mathbf{1}\mathbf{1}^\top X^{(t)}/N\|_F = \sqrt{\sum_{j=1}^d "
        r"\|X_{:,j}^{(t+1)} - \mathbf{1}\mathbf{1}^\top X_{:,j}^{(t)}/N\|_2^2}"
    ),
    note=(
        r"The display goes on $=\sqrt{\frac1{2N}\sum_j\sum_m\sum_n|X_{m,j}^{(t+1)}-X_{n,j}^{(t+1)}|^2}\le"
        r"\sqrt{\frac N2\sum_jC_j^2(1-\epsilon^r)^{2t/r}}$, which is what is tested. "
        r"$\mu$ is of layer $t$ and the pairs are of layer $t+1$: two tokens under uniform attention "
        r"meet in one layer, however far apart they were. One layer is meant, as App. C and App. D "
        r"print it. The norm before it has $X^{(t+1)}$ beside the mean of $X^{(t)}$: a claim of its own, "
        r"`wu2024.thm-1.proof-mu-pairwise.columns`. The index changes the constant of the rate, not the rate."
    ),
)

# The member between them: column by column --------------------------------------------------------


def _off_the_mean(value: ImmutableDenseMatrix, other: ImmutableDenseMatrix) -> Expr:
    """sum_j ||value_j - 1 1^T other_j/N||^2."""
    ones_ = ImmutableDenseMatrix.ones(other.rows, other.rows) / Integer(other.rows)
    return sum((e**2 for e in value - ones_ * other), start=Integer(0))


columns_off_their_mean = Quantity(
    r"\textstyle\sum_j\|X_{:,j}-\mathbf1\mathbf1^\top X_{:,j}/N\|_2^2",
    lambda at: _off_the_mean(at[X], at[X]),
)
next_columns_off_the_mean = Quantity(
    r"\textstyle\sum_j\|X_{:,j}'-\mathbf1\mathbf1^\top X_{:,j}/N\|_2^2",
    lambda at: _off_the_mean(_next_tokens(at), at[X]),
)
_COLUMNS = source("App. B.2", "last display, second equality")
measure_by_columns = Claim(
    id="wu2024.thm-1.proof-mu-pairwise.columns.repair",
    parent="wu2024.thm-1.proof-mu-pairwise.columns",
    source=_COLUMNS,
    kind="identity",
    title=r"$\mu^2$ is the sum of squared distances of the columns from their means.",
    statement=squared_mu.equals(columns_off_their_mean),
    domain=Domain((Size(N, 2, 5), Size(d, 1, 3), Array(X))),
    hypotheses=(ANY,),
)
measure_by_columns_of_two_layers = Claim(
    id="wu2024.thm-1.proof-mu-pairwise.columns",
    source=_COLUMNS,
    kind="identity",
    title=r"$\mu^2$ is said to be what the next layer's columns are off the means of this layer's.",
    statement=squared_mu.equals(next_columns_off_the_mean),
    domain=Domain((masks, size_of_mask, Size(d, 1, 3), Attention(A), Array(X), NearIdentity(WV))),
    hypotheses=(
        STOCHASTIC,
        Hypothesis(r"X=X^{(t)},\quad X'=X^{(t+1)}=A^{(t)}X^{(t)}W_V^{(t)}"),
    ),
    severity="misprint",
    repair=measure_by_columns,
    printed=(
        r"\|X^{(t)} - \mathbf{1}\mathbf{1}^\top X^{(t)}/N\|_F = \sqrt{\sum_{j=1}^d "
        r"\|X_{:,j}^{(t+1)} - \mathbf{1}\mathbf{1}^\top X_{:,j}^{(t)}/N\|_2^2}"
    ),
    note=(
        r"Columns and means are those of one layer, on the left and in what App. C and App. D print. By the "
        r"display, tokens that are equal would have to be left as they are by $W_V$: the one token $1$ twice, "
        r"and $W_V=-1$, give $0$ and $8$."
    ),
)
