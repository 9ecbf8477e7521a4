r"""Sec. 3.3 and App. A.2: expected gradient norms for equally correlated Gaussian tokens.

Eq. (18) is derived under an assumption besides the Gaussian model: ||X||_F^2 and ||X^T L X||_F^2 are
taken to be independent (App. A.2: uncorrelated).  The model contradicts it: their covariance is
4 (1-rho) sigma_x^2 E||X^T L X||_F^2, positive unless rho = 1.  Statements that rest on both
hypotheses speak of nothing but rho = 1, where they read 0 = 0; each carries the exact value, which
needs no such assumption, as its repair.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixSymbol, Poly, Rational

from claims.definitions import entries, frobenius_square, frobenius_square_expectation
from claims.domain import Array, Domain, Point, Real, Size
from claims.expressions import FrobSq, Named, ones
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.noci2022.backward import (
    query_gradient_norm_of_uniform_attention,
    value_gradient_norm_of_uniform_attention,
)
from claims.noci2022.notation import (
    X,
    d,
    d_k,
    d_v,
    n,
    rho,
    sigma_k,
    sigma_v,
    sigma_x,
    source,
)
from claims.noci2022.pairings import TERM_B, term_B_total
from claims.noci2022.setup import (
    FIXED_TOKENS,
    UNIFORM,
    ZERO_MEAN_WEIGHTS,
    Layer,
    expected_gradient_norm,
    positive,
    uniform_jacobian,
)
from claims.noci2022.terms import TERM_A, expected_scatter_norm, term_A_total
from claims.noci2022.tokens import (
    GAUSSIAN_TOKENS,
    gaussian_tokens,
    mean_token_variance,
    token_entries,
    token_expectation,
)

XAVIER = Hypothesis(r"\sigma_q^2=\sigma_k^2=\sigma_v^2=\tfrac1d,\quad d_k=d_v=d")

_VALUES = r"\mathbb E\left\|\frac{\partial S}{\partial W^V}\right\|_F^2"
_QUERIES = r"\mathbb E\left\|\frac{\partial S}{\partial W^Q}\right\|_F^2"
_SCATTER = r"\mathbb E\|X^\top LX\|_F^2"


@cache
def _over_weights(parameter: str, size: int, width: int) -> Poly:
    """E over Xavier weights of ||dS/d(parameter)||_F^2, a polynomial in the token entries."""
    x, square = entries("x", size, width), (width, width)
    layer = Layer(x, entries("q", *square), entries("k", *square), entries("v", *square))
    weights = [w for matrix in (layer.wq, layer.wk, layer.wv) for w in matrix]
    variances = dict.fromkeys(weights, Rational(1, width))
    return Poly(frobenius_square_expectation(uniform_jacobian(layer, parameter), variances), *x)


def expected_gradient(parameter: str) -> Callable[[Point], Expr]:
    """E over Xavier weights and Gaussian tokens of ||dS/d(parameter)||_F^2."""

    def define(point: Point) -> Expr:
        norm = _over_weights(parameter, int(point[n]), int(point[d]))
        return token_expectation(norm, token_entries(point), point)

    return define


def norms(x: ImmutableDenseMatrix) -> tuple[Expr, Expr]:
    """||X||_F^2 and ||X^T X - n xbar xbar^T||_F^2."""
    mean = x.T * ImmutableDenseMatrix.ones(x.rows, 1) / Integer(x.rows)
    return frobenius_square(x), frobenius_square(x.T * x - x.rows * mean * mean.T)


@cache
def _norms_of_tokens(size: int, width: int) -> tuple[Poly, Poly, Poly]:
    """The same of tokens of a shape, and their product, as polynomials in the entries."""
    x = entries("x", size, width)
    norm, scatter = (Poly(f, *x) for f in norms(x))
    return norm, scatter, norm * scatter


def _moments_of_norms(point: Point) -> tuple[Expr, Expr, Expr]:
    parts = _norms_of_tokens(int(point[n]), int(point[d]))
    norm, scatter, joint = (token_expectation(f, token_entries(point), point) for f in parts)
    return norm, scatter, joint


def _joint_moment(point: Point) -> Expr:
    return _moments_of_norms(point)[2]


def _covariance(point: Point) -> Expr:
    norm, scatter, joint = _moments_of_norms(point)
    return joint - norm * scatter


value_gradient_norm_of_gaussian_tokens = Claim(
    id="noci2022.eq-17",
    source=source("Sec. 3.3; App. A.2", "Eq. (17)"),
    kind="expectation",
    title="The value gradient grows linearly in the variance and correlation of Gaussian tokens.",
    statement=Relation(_VALUES, (sigma_x**2 * d**2 * (1 + rho * (n - 1)),)),
    domain=gaussian_tokens,
    define=expected_gradient("values"),
    hypotheses=(UNIFORM, GAUSSIAN_TOKENS, XAVIER),
    uses=(value_gradient_norm_of_uniform_attention, mean_token_variance),
    mutants=variants(
        ("n for n - 1", sigma_x**2 * d**2 * (1 + rho * n)),
        ("d for d^2", sigma_x**2 * d * (1 + rho * (n - 1))),
        ("sigma_x for sigma_x^2", sigma_x * d**2 * (1 + rho * (n - 1))),
        ("uncorrelated tokens", sigma_x**2 * d**2),
        lhs=_VALUES,
    ),
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathbf{S}}{\partial \mathbf{W}^V} \right\|_F^2 = "
        r"\sigma_x^2 d^2 \left( 1 + \rho(n-1) \right)"
    ),
)

_fourth = sigma_x**4 * (1 - rho) ** 2 * d * (n - 1) * (n + d)
scatter_norm_of_gaussian_tokens = Claim(
    id="noci2022.A.2.fourth-moment",
    source=source("App. A.2", "plugging in A and B"),
    kind="expectation",
    title=r"The expected squared scatter norm is $\sigma_x^4(1-\rho)^2d(n-1)(n+d)$.",
    statement=Relation(
        _SCATTER,
        (d * TERM_B + d * (d - 1) * TERM_A, _fourth),
    ),
    domain=gaussian_tokens,
    define=expected_scatter_norm,
    hypotheses=(GAUSSIAN_TOKENS,),
    uses=(term_A_total, term_B_total),
    mutants=variants(
        ("n for n - 1", sigma_x**4 * (1 - rho) ** 2 * d * n * (n + d)),
        ("d^2 for d (d - 1)", _fourth + d * TERM_A),
        ("1 - rho for (1 - rho)^2", sigma_x**4 * (1 - rho) * d * (n - 1) * (n + d)),
        ("sigma_x^2 for sigma_x^4", _fourth / sigma_x**2),
        ("n + d + 1 for n + d", sigma_x**4 * (1 - rho) ** 2 * d * (n - 1) * (n + d + 1)),
        lhs=_SCATTER,
    ),
    printed=(
        r"\mathbb{E}[\|\mathbf{X}^\top \mathbf{L} \mathbf{X}\|_F^2] = d \cdot B + d(d-1) \cdot A = "
        r"\sigma_x^4 (1-\rho)^2 d(n-1)(n+d)"
    ),
)

_cov = r"\operatorname{Cov}\left(\|X\|_F^2,\ \|X^\top LX\|_F^2\right)"


def covariance(factor: int) -> Expr:
    """factor (1-rho) sigma_x^2 times the expected squared scatter norm."""
    return factor * (1 - rho) * sigma_x**2 * _fourth


norm_and_scatter_are_uncorrelated = Claim(
    id="noci2022.eq-18.independence",
    source=source("Sec. 3.3; App. A.2", "assumption before Eq. (18)"),
    kind="assumption",
    title="Token norm and scatter norm of Gaussian tokens are uncorrelated.",
    statement=Relation(_cov, (Integer(0),)),
    domain=gaussian_tokens,
    define=_covariance,
    hypotheses=(GAUSSIAN_TOKENS,),
    mutants=variants(
        ("negatively correlated", -covariance(4)),
        ("2 for 4 in the covariance", covariance(2)),
        ("1 - rho dropped", 4 * sigma_x**2 * _fourth),
        lhs=_cov,
    ),
    severity="material",
    repair=Claim(
        id="noci2022.eq-18.independence.repair",
        source=source("Sec. 3.3; App. A.2", "assumption before Eq. (18)"),
        kind="expectation",
        title=r"Token norm and scatter norm are positively correlated unless $\rho=1$.",
        statement=Relation(_cov, (covariance(4),)),
        domain=gaussian_tokens,
        define=_covariance,
        hypotheses=(GAUSSIAN_TOKENS,),
        mutants=variants(("uncorrelated", Integer(0)), ("2 for 4", covariance(2)), lhs=_cov),
        note=(
            r"The covariance is $4(1-\rho)\sigma_x^2\,\mathbb E\|X^\top LX\|_F^2$, zero only for "
            r"$\rho=1$."
        ),
        parent="noci2022.eq-18.independence",
    ),
    printed=(
        r"\|\mathbf{X}\|_F^2 \text{ is uncorrelated from the correlation magnitude } "
        r"\|\mathbf{X}^\top \mathbf{L} \mathbf{X}\|_F^2 = \|\mathbf{X}^\top \mathbf{X} - "
        r"n\bar{\mathbf{x}}\bar{\mathbf{x}}^\top\|_F^2"
    ),
    note=(
        "Large tokens spread more: both quantities grow with the part of $X$ orthogonal to the "
        "mean."
    ),
)
UNCORRELATED = Hypothesis(
    r"\|X\|_F^2\ \text{uncorrelated with}\ \|X^\top LX\|_F^2", norm_and_scatter_are_uncorrelated
)

_assumed = sigma_x**6 * (n - 1) / n * (1 - rho) ** 2 * d * (n + d)
_exact = sigma_x**6 * (n - 1) / n * (1 - rho) ** 2 * (n + d) * (d + 4 * (1 - rho) / n)


def _exactly(
    claim_id: str, lhs: str, define: Callable[[Point], Any], place: str,
    hypotheses: tuple[Hypothesis, ...],
) -> Claim:  # fmt: skip
    """The value without the assumption, as a repair."""
    return Claim(
        id=f"{claim_id}.repair",
        source=source("Sec. 3.3; App. A.2", place),
        kind="expectation",
        title="The query gradient's expected norm, without assuming norm and scatter uncorrelated.",
        statement=Relation(lhs, (_exact,)),
        domain=gaussian_tokens,
        define=define,
        hypotheses=hypotheses,
        mutants=variants(("assumed uncorrelated", _assumed), lhs=lhs),
        note=(
            "The covariance that was assumed away turns the printed factor $d$ into "
            r"$d+4(1-\rho)/n$; no assumption beyond the Gaussian model is needed."
        ),
        parent=claim_id,
    )


def _doubts(lhs: str, printed: Expr = _assumed) -> tuple[Mutant, ...]:
    return variants(
        ("1 - rho for (1 - rho)^2", printed / (1 - rho)),
        ("n for n - 1", printed * n / (n - 1)),
        ("sigma_x^4", _assumed / sigma_x**2),
        ("n d for n + d", printed * n * d / (n + d)),
        lhs=lhs,
    )


query_gradient_norm_of_gaussian_tokens = Claim(
    id="noci2022.eq-18",
    source=source("Sec. 3.3", "Eq. (18)"),
    kind="expectation",
    title="The query gradient is cubic in the variance and falls with the correlation of the tokens.",
    statement=Relation(_QUERIES, (_assumed,)),
    domain=gaussian_tokens,
    define=expected_gradient("queries"),
    hypotheses=(UNIFORM, GAUSSIAN_TOKENS, XAVIER, UNCORRELATED),
    uses=(
        query_gradient_norm_of_uniform_attention,
        scatter_norm_of_gaussian_tokens,
        norm_and_scatter_are_uncorrelated,
    ),
    mutants=_doubts(_QUERIES),
    repair=_exactly(
        "noci2022.eq-18",
        _QUERIES,
        expected_gradient("queries"),
        "Eq. (18)",
        (UNIFORM, GAUSSIAN_TOKENS, XAVIER),
    ),
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathbf{S}}{\partial \mathbf{W}^Q} \right\|_F^2 = "
        r"\sigma_x^6 \frac{(n-1)}{n} (1-\rho)^2 d(n+d)"
    ),
    note=(
        r"Its two hypotheses exclude each other unless $\rho=1$; the printed value falls short of "
        r"the Gaussian one by the factor $1+4(1-\rho)/(nd)$."
    ),
)


def _product_of_means(point: Point) -> Expr:
    """Eq. (7) with the expectation of the product replaced by the product of the expectations."""
    norm, scatter, _ = _moments_of_norms(point)
    return norm * scatter / (point[d] * point[n] ** 2)


_PRODUCT = r"\frac{\sigma_v^2\sigma_k^2d^2}{dn^2}\,\mathbb E\|X\|_F^2\ \mathbb E\|X^\top LX\|_F^2"
_ASSUMED = Hypothesis(
    r"\text{left-hand side: } \mathbb E\left\|\tfrac{\partial S}{\partial W^Q}\right\|_F^2\ "
    r"\text{as the assumption of Eq. (18) makes it}"
)
query_gradient_norm_restated_with_the_cube = Claim(
    id="noci2022.A.2.eq-18-restated.repair",
    parent="noci2022.A.2.eq-18-restated",
    source=source("App. A.2", "Eq. (18) restated"),
    kind="expectation",
    title=r"Where norm and scatter are taken as uncorrelated, Eq. (18) has $\sigma_x^6$.",
    statement=Relation(_PRODUCT, (_assumed,)),
    domain=gaussian_tokens,
    define=_product_of_means,
    hypotheses=(GAUSSIAN_TOKENS, XAVIER, _ASSUMED),
    mutants=_doubts(_PRODUCT),
    note=(
        r"The power is that of Eq. (18) and of the last display of App. A.2. The value without the "
        "assumption is `noci2022.eq-18.repair`."
    ),
)

query_gradient_norm_restated = Claim(
    id="noci2022.A.2.eq-18-restated",
    source=source("App. A.2", "Eq. (18) restated"),
    kind="expectation",
    title=r"The query gradient's norm, with $\sigma_x^2$ where Eq. (18) has its cube.",
    statement=Relation(_PRODUCT, (_assumed / sigma_x**4,)),
    domain=gaussian_tokens,
    define=_product_of_means,
    hypotheses=(GAUSSIAN_TOKENS, XAVIER, _ASSUMED),
    uses=query_gradient_norm_of_gaussian_tokens.uses,
    mutants=_doubts(_PRODUCT, _assumed / sigma_x**4),
    probes=(gaussian_tokens.completed({n: 2, d: 1, sigma_x: 2, rho: 0}),),
    severity="misprint",
    repair=query_gradient_norm_restated_with_the_cube,
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathbf{S}}{\partial \mathbf{W}^Q} \right\|_F^2 = "
        r"\sigma_x^2 \frac{(n-1)}{n} (1 - \rho)^2 d(n+d)"
    ),
    note=(
        r"A gradient cubic in $X$ has a squared norm of degree six: $\sigma_x^6$, as Eq. (18) prints, "
        r"which shows only where $\sigma_x\ne1$. The display restates Eq. (18), and the text makes that "
        "equation's assumption a few lines on. Together with the Gaussian model it leaves only "
        r"$\rho=1$ (`noci2022.eq-18`), where no power of $\sigma_x$ matters; what is judged here is "
        "therefore the product of two means, into which the assumption turns the left-hand side."
    ),
)


def _final(point: Point) -> Expr:
    return _joint_moment(point) / (point[d] * point[n] ** 2)


_FINAL = (
    r"\frac{\sigma_v^2\sigma_k^2d^2}{dn^2}\,"
    r"\mathbb E\left[\|X\|_F^2\,\|X^\top X-n\bar x\bar x^\top\|_F^2\right]"
)
query_gradient_moment = Claim(
    id="noci2022.A.2.final",
    source=source("App. A.2", "last display"),
    kind="expectation",
    title="The joint moment of token norm and scatter norm evaluates to Eq. (18).",
    statement=Relation(_FINAL, (_assumed,)),
    domain=gaussian_tokens,
    define=_final,
    hypotheses=(GAUSSIAN_TOKENS, XAVIER, UNCORRELATED),
    uses=(scatter_norm_of_gaussian_tokens, norm_and_scatter_are_uncorrelated),
    mutants=_doubts(_FINAL),
    repair=_exactly(
        "noci2022.A.2.final", _FINAL, _final, "last display", (GAUSSIAN_TOKENS, XAVIER)
    ),
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathbf{S}^\ell}{\partial \mathbf{W}^{Q,\ell}} "
        r"\right\|_F^2 = \frac{\sigma_v^2 \sigma_k^2 d^2}{dn^2} \cdot \mathbb{E} \left[ "
        r"\|\mathbf{X}^\ell\|_F^2 \cdot \|(\mathbf{X}^\ell)^\top \mathbf{X}^\ell - n "
        r"\bar{\mathbf{x}}^\ell (\bar{\mathbf{x}}^\ell)^\top\|_F^2 \right] = \sigma_x^6 "
        r"\frac{n-1}{n} (1-\rho)^2 d(n+d)"
    ),
    note=r"Its two hypotheses exclude each other unless $\rho=1$, where both sides vanish.",
)

square_tokens = MatrixSymbol("X", n, d)
_mean = Named(r"\bar x", square_tokens.T * ones(n) / n)
_scatter = Named(
    r"X^\top X-n\bar x\bar x^\top", square_tokens.T * square_tokens - n * _mean * _mean.T
)
_eq7 = FrobSq(square_tokens) * FrobSq(_scatter) * sigma_v**2 * sigma_k**2 / n**2


def square_layer(point: Point) -> dict[Any, Any]:
    """The same point with d_v = d_k = d."""
    shared = {k: v for k, v in point.items() if k not in (d, square_tokens)}
    return {**shared, d_v: point[d], d_k: point[d], X: point[square_tokens]}


query_gradient_norm_for_one_width = Claim(
    id="noci2022.A.2.eq-7-restated",
    source=source("App. A.2", "Eq. (7) quoted"),
    kind="expectation",
    title="Eq. (7) with $d_k=d_v=d$.",
    statement=Relation(_QUERIES, (_eq7 * d**2 / d,)),
    domain=Domain(
        (
            Size(n, 2, 4),
            Size(d, 1, 3),
            Array(square_tokens),
            Real(sigma_k, **positive),
            Real(sigma_v, **positive),
        )
    ),
    define=lambda point: expected_gradient_norm("queries")(square_layer(point)),
    hypotheses=(UNIFORM, ZERO_MEAN_WEIGHTS, FIXED_TOKENS, Hypothesis("d_k=d_v=d")),
    uses=(query_gradient_norm_of_uniform_attention,),
    mutants=variants(
        ("not divided by d", _eq7 * d**2),
        ("1/n for 1/n^2", _eq7 * d * n),
        ("sigma_k for sigma_k^2", _eq7 * d / sigma_k),
        (
            "scatter not centred",
            _eq7 * d * FrobSq(square_tokens.T * square_tokens) / FrobSq(_scatter),
        ),
        lhs=_QUERIES,
    ),
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathbf{S}^\ell}{\partial \mathbf{W}^{Q,\ell}} "
        r"\right\|_F^2 = \frac{\sigma_v^2 \sigma_k^2 d^2}{dn^2} \cdot \mathbb{E} \left[ "
        r"\|\mathbf{X}^\ell\|_F^2 \cdot \|(\mathbf{X}^\ell)^\top \mathbf{X}^\ell - n "
        r"\bar{\mathbf{x}}^\ell (\bar{\mathbf{x}}^\ell)^\top\|_F^2 \right]"
    ),
)
