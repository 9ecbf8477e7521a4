r"""The equally correlated Gaussian tokens of Sec. 3.3 and App. A.2, and Isserlis' theorem.

X_{ij} is zero-mean Gaussian, columns are independent, and within a column all variances are
sigma_x^2 and all covariances rho sigma_x^2.  Such a law exists exactly for -1/(n-1) <= rho <= 1.
The paper asks of Isserlis' variables only that each be Gaussian; everything it does with them is
for jointly Gaussian ones, which is the hypothesis taken here.
"""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    Matrix,
    MatrixSymbol,
    Rational,
    factorial,
    prod,
    symbols,
)
from sympy.matrices.expressions import HadamardProduct

from claims.definitions import correlated_expectation, entries, expectation
from claims.domain import Array, Choice, Condition, Domain, Point, Real, Size
from claims.expressions import ones
from claims.model import Claim, Hypothesis, Mutant, Relation, Understood, variants
from claims.noci2022.notation import d, m, n, rho, sigma_x, source
from claims.noci2022.setup import positive
from claims.noci2022.sums import correlated
from claims.statement import Compare, Quantity

GAUSSIAN_TOKENS = Hypothesis(
    r"X\ \text{jointly zero-mean Gaussian},\ \mathbb E[X_{ij}X_{i'j'}]="
    r"\delta_{jj'}\sigma_x^2(\delta_{ii'}+\rho(1-\delta_{ii'}))"
)

correlation = Real(rho, -1 / (n - 1), 1)
gaussian_tokens = Domain((Size(n, 2, 3), Size(d, 1, 2), Real(sigma_x, **positive), correlation))

index_1, index_2 = symbols("i i'", integer=True, positive=True)


def token_covariance(size: int, point: Point) -> ImmutableDenseMatrix:
    """Covariance of one column: sigma_x^2 on the diagonal, rho sigma_x^2 off it."""
    scale, correlation_ = point.get(sigma_x, Integer(1)) ** 2, point[rho]
    return ImmutableDenseMatrix(size, size, lambda i, j: scale * (1 if i == j else correlation_))


def token_entries(point: Point) -> ImmutableDenseMatrix:
    """X as a matrix of symbols, n x d at the point."""
    return entries("x", int(point[n]), int(point[d]))


def token_expectation(polynomial: Any, x: ImmutableDenseMatrix, point: Point) -> Expr:
    """E of a polynomial in the entries of x, which has the law of the tokens at the point."""
    column = token_covariance(x.rows, point)
    places = list(product(range(x.rows), range(x.cols)))
    covariance = Matrix(
        [[column[i, k] if j == other else 0 for k, other in places] for i, j in places]
    )
    return correlated_expectation(polynomial, list(x), covariance)


def _inner_product(point: Point) -> Expr:
    x = token_entries(point)
    i, k = int(point[index_1]) - 1, int(point[index_2]) - 1
    return token_expectation(x.row(i).dot(x.row(k)), x, point)


_inner = r"\mathbb E\langle X_i,X_{i'}\rangle"
token_inner_products_follow_the_model = Claim(
    id="noci2022.sec3.3.model",
    source=source("Sec. 3.3", "model of the tokens"),
    kind="assumption",
    title=r"Tokens of the Gaussian model have squared norm $d\sigma_x^2$ and correlation $\rho$.",
    statement=Relation(_inner, (d * sigma_x**2 * correlated(index_1, index_2),)),
    domain=Domain(
        (*gaussian_tokens.variables, Size(index_1, 1, 3), Size(index_2, 1, 3)),
        (Condition(r"i,i'\le n", lambda p: max(p[index_1], p[index_2]) <= p[n]),),
    ),
    define=_inner_product,
    hypotheses=(GAUSSIAN_TOKENS,),
    mutants=variants(
        ("n for d", n * sigma_x**2 * correlated(index_1, index_2)),
        ("sigma_x for sigma_x^2", d * sigma_x * correlated(index_1, index_2)),
        ("rho for distinct and equal tokens alike", d * sigma_x**2 * rho),
        ("rho^2 for rho", d * sigma_x**2 * correlated(index_1, index_2).subs(rho, rho**2)),
        lhs=_inner,
    ),
    probes=tuple(
        {n: Integer(3), d: Integer(2), sigma_x: Integer(2), rho: Rational(1, 2), **at}
        for at in ({index_1: Integer(1), index_2: Integer(i)} for i in (1, 2))
    ),
    printed=(
        r"\mathbb{E}[\|\mathbf{X}_i\|^2] = d\sigma_x^2 \text{ and } \mathbb{E}\langle "
        r"\mathbf{X}_i, \mathbf{X}_{i'} \rangle = d\sigma_x^2 \rho, \text{ for } i \neq i'"
    ),
    note=(
        r"The covariance has eigenvalues $1-\rho$ and $1+(n-1)\rho$: $\rho\ge-1/(n-1)$ is implied."
    ),
)


def _mean_of_the_mean_token(point: Point) -> Expr:
    column = entries("x", int(point[n]), 1)
    return token_expectation(sum(column) / point[n], column, point)


def _variance_of_the_mean_token(point: Point) -> Expr:
    column = entries("x", int(point[n]), 1)
    second = token_expectation((sum(column) / point[n]) ** 2, column, point)
    return second - _mean_of_the_mean_token(point) ** 2


mean_of_the_mean_token = Quantity(r"\mathbb E[\bar x_i]", _mean_of_the_mean_token)
variance_of_the_mean_token = Quantity(r"\operatorname{Var}[\bar x_i]", _variance_of_the_mean_token)
_centred = mean_of_the_mean_token.equals(0)
_spread = sigma_x**2 * (1 + rho * (n - 1)) / n
mean_token_variance = Claim(
    id="noci2022.A.2.mean-token-variance",
    source=source("App. A.2", "mean and variance of the mean token"),
    kind="expectation",
    title=r"Entries of the mean token are centred with variance $(1+(n-1)\rho)\sigma_x^2/n$.",
    statement=_centred
    & variance_of_the_mean_token.equals(
        (n * sigma_x**2 + n * (n - 1) * rho * sigma_x**2) / n**2, _spread
    ),
    domain=Domain((Size(n, 2, 5), Real(sigma_x, **positive), correlation)),
    hypotheses=(GAUSSIAN_TOKENS,),
    mutants=(
        *(
            Mutant(name, _centred & variance_of_the_mean_token.equals(value))
            for name, value in (
                ("n for n - 1", sigma_x**2 * (1 + rho * n) / n),
                ("1/n^2 for 1/n", _spread / n),
                ("independent tokens", sigma_x**2 / n),
            )
        ),
        Mutant("mean sigma_x for mean zero", mean_of_the_mean_token.equals(sigma_x)),
    ),
    printed=(
        r"\mathbb{E}[\bar{x}_i^\ell] = \mathbb{E} \left[ \frac{1}{n} \sum_{k=1}^n "
        r"\mathbf{X}_{ki}^\ell \right] = 0, \quad \text{Var}[\bar{x}_i^\ell] = \text{Var} \left[ "
        r"\frac{1}{n} \sum_{k=1}^n \mathbf{X}_{ki}^\ell \right] = \frac{1}{n^2} (n\sigma_x^2 + "
        r"n(n-1)\rho\sigma_x^2) = \frac{1}{n} \sigma_x^2 (1 + \rho(n-1))"
    ),
)

loadings = MatrixSymbol("B", m, m)
flips = MatrixSymbol("s", m, 1)
joint_covariance = loadings * loadings.T


class Pairings(Expr):
    """The sum over all pairings of 1..m of the product of a symmetric matrix's paired entries."""

    is_commutative = True

    def __new__(cls, matrix: Any) -> Expr:
        if isinstance(matrix, ImmutableDenseMatrix):
            return _sum_over_pairings(matrix, tuple(range(matrix.rows)))
        return super().__new__(cls, matrix)

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        body = r"\sum_{p\in P_m^2}\prod_{(i,j)\in p}\mathbb E[X_iX_j]"
        return body if exp is None else rf"\left({body}\right)^{{{exp}}}"


def _sum_over_pairings(matrix: Any, left: tuple[int, ...]) -> Expr:
    if not left:
        return Integer(1)
    first, *others = left
    return sum(
        (
            matrix[first, partner]
            * _sum_over_pairings(matrix, tuple(k for k in others if k != partner))
            for partner in others
            if matrix[first, partner] != 0
        ),
        start=Integer(0),
    )


class Loadings(Array):
    """Integer loadings B of X = B g, ordered by their distance from X_1 = ... = X_m = g_1.

    A unit of distance weighs as much as three more variables, so that small m come first.
    """

    def of_weight(self, weight: int, point: Point) -> Any:
        rows, cols = self.shape(point)
        first = ImmutableDenseMatrix(rows, cols, lambda i, j: Integer(j == 0))
        for step in super().of_weight(weight // 3, point) if weight % 3 == 0 else ():
            yield step + first


def _product_expectation(point: Point) -> Expr:
    """E[X_1 ... X_m] for X_i = epsilon^{s_i} (B g)_i with g standard normal, epsilon = +-1."""
    b_matrix, size = point[loadings], int(point[m])
    signs = point.get(flips, ImmutableDenseMatrix.zeros(size, 1))
    g = entries("g", size, 1)
    product_ = prod(b_matrix * g)
    mean_sign = Rational(1 + (-1) ** int(sum(signs)), 2)
    return mean_sign * expectation(product_, dict.fromkeys(g, Integer(1)))


_HALF_FLIPPED = ImmutableDenseMatrix([0, 0, 1, 1])
_moment = r"\mathbb E[X_1\cdots X_m]"
_marginal = HadamardProduct(
    joint_covariance, flips * flips.T + (ones(m) - flips) * (ones(m) - flips).T
)
gaussian_moments_are_sums_over_pairings = Claim(
    id="noci2022.theorem-A.1.isserlis",
    source=source("App. A.2", "Theorem A.1, Eq. (41)"),
    kind="identity",
    title="A mixed moment of jointly Gaussian centred variables is a sum over pairings.",
    statement=Relation(_moment, (Pairings(joint_covariance),)),
    domain=Domain((Size(m, 1, 6), Loadings(loadings))),
    define=_product_expectation,
    hypotheses=(
        Hypothesis(r"X=Bg\ \text{jointly Gaussian with zero mean},\ B\in\mathbb R^{m\times m}"),
    ),
    understood=(
        Understood(
            "The variables are jointly Gaussian, as the tokens of App. A.2 are.",
            "Gaussian variables with independent random signs in common: each is Gaussian, they are "
            "not jointly so, and fourth moments differ (the last of the false variants).",
        ),
    ),
    mutants=(
        *variants(
            (
                "each pairing once per order of its pairs",
                factorial(m / 2) * Pairings(joint_covariance),
            ),
            ("each pair counted in both orders", 2 ** (m / 2) * Pairings(joint_covariance)),
            ("always zero, as for odd m", Integer(0)),
            lhs=_moment,
        ),
        Mutant(
            "each X_i Gaussian but not jointly",
            Relation(_moment, (Pairings(_marginal),)),
            domain=Domain((Size(m, 4, 4), Loadings(loadings), Choice(flips, (_HALF_FLIPPED,)))),
        ),
    ),
    printed=(
        r"\mathbb{E}[X_1 \cdots X_m] = \begin{cases} \sum_{p \in P_m^2} \prod_{(i,j) \in p} "
        r"\mathbb{E}[X_i X_j] & m \text{ even} \\ 0 & m \text{ odd} \end{cases}"
    ),
    note=(
        "Printed for zero-mean Gaussian variables; the section's are jointly Gaussian, and without "
        r"that it fails: $X_1=X_2=Z$, $X_3=X_4=\varepsilon Z$ with a random sign $\varepsilon$ has "
        "moment $3$, not $1$."
    ),
)

combinations_of_normals = tuple(MatrixSymbol(f"b_{k}", 1, m) for k in range(1, 5))
"""X_k = <b_k, g> with g standard normal: any four jointly Gaussian centred variables."""


def _mean_of_product(places: tuple[int, ...], point: Point) -> Expr:
    """The mean of the product of those X_k."""
    g = entries("g", int(point[m]), 1)
    product_ = prod((point[combinations_of_normals[k - 1]] * g)[0] for k in places)
    return expectation(product_.expand(), dict.fromkeys(g, Integer(1)))


def _mean(*places: int) -> Quantity:
    name = r"\mathbb E[" + "".join(f"X_{k}" for k in places) + "]"
    return Quantity(name, partial(_mean_of_product, places))


fourth_moment = _mean(1, 2, 3, 4)
covariances = {pair: _mean(*pair) for pair in ((1, 2), (3, 4), (1, 3), (2, 4), (1, 4), (2, 3))}
_first, _second, _third = (
    covariances[one] * covariances[two]
    for one, two in (((1, 2), (3, 4)), ((1, 3), (2, 4)), ((1, 4), (2, 3)))
)
_four = Domain((Size(m, 1, 4), *map(Array, combinations_of_normals)))
_apart = tuple(ImmutableDenseMatrix([row]) for row in ((1, 2), (2, 1), (1, -1), (3, 1)))
fourth_moment_is_a_sum_of_three_products = Claim(
    id="noci2022.A.2.fourth-order",
    source=source("App. A.2", "after Theorem A.1"),
    kind="identity",
    title="A mixed fourth moment of jointly Gaussian centred variables is a sum of three products.",
    statement=fourth_moment.equals(_first + _second + _third),
    domain=_four,
    hypotheses=(
        Hypothesis(
            r"X_k=\langle b_k,g\rangle,\ g\sim\mathcal N(0,I_m):\ "
            r"\text{jointly Gaussian with zero mean and any covariance}"
        ),
    ),
    understood=(
        Understood(
            "The variables are jointly Gaussian, as the tokens of App. A.2 are.",
            r"$X_1=X_2=Z$, $X_3=X_4=\varepsilon Z$ with a random sign $\varepsilon$: each is Gaussian, and "
            "the moment is $3$, while the covariances give $1$.",
        ),
    ),
    mutants=(
        Mutant("the last pairing missing", Compare(fourth_moment, "=", _first + _second)),
        Mutant(
            "the first pairing alone, which a random sign common to X_3 and X_4 leaves",
            Compare(fourth_moment, "=", _first),
        ),
        Mutant("a minus sign", Compare(fourth_moment, "=", _first + _second - _third)),
        Mutant(
            "the mean of the pairings", Compare(3 * fourth_moment, "=", _first + _second + _third)
        ),
    ),
    probes=(
        {m: Integer(2)} | dict(zip(combinations_of_normals, _apart, strict=True)),
        {m: Integer(1)} | dict.fromkeys(combinations_of_normals, ImmutableDenseMatrix([[1]])),
    ),
    uses=(gaussian_moments_are_sums_over_pairings,),
    printed=(
        r"\mathbb{E}[X_1 X_2 X_3 X_4] = \mathbb{E}[X_1 X_2] \mathbb{E}[X_3 X_4] + \mathbb{E}[X_1 X_3] "
        r"\mathbb{E}[X_2 X_4] + \mathbb{E}[X_1 X_4] \mathbb{E}[X_2 X_3]"
    ),
    note=(
        "Introduced by: we will only need the 4-th order term. The derivation of Eqs. (17) and (18) averages "
        "norm and scatter apart, in degrees two and four, and needs no other. Eq. (7) reduces to that "
        "product only under the assumption judged in `noci2022.eq-18.independence`; without it sixth "
        "moments enter (`noci2022.beyond.sixth-order-moments`)."
    ),
)
