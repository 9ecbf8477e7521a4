r"""Sec. 3.3: how the gradient norms depend on sigma_x^2, rho, n and d, and on which moments of X.

Trends are stated as signs and exponents that hold at every admissible point, for the exact expected
norms; the printed Eq. (18), which differs from the exact one, is not used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Poly, Symbol, prod, sign, sympify

from claims.definitions import centring, entries, frobenius_square_expectation
from claims.domain import Array, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.noci2022.moments import (
    XAVIER,
    expected_gradient,
    query_gradient_norm_of_uniform_attention,
    value_gradient_norm_of_gaussian_tokens,
    value_gradient_norm_of_uniform_attention,
)
from claims.noci2022.notation import X, d, d_k, d_v, n, rho, sigma_x, source
from claims.noci2022.setup import UNIFORM, Layer, positive, symbolic_layer, uniform_jacobian
from claims.noci2022.tokens import (
    GAUSSIAN_TOKENS,
    correlation,
)

PARAMETERS = ("values", "queries", "keys")
_NORM = r"\mathbb E\left\|\frac{\partial S}{\partial W^{V,Q,K}}\right\|_F^2"


def _degrees(point: Point) -> tuple[Any, ...]:
    """Degree in s^2 of E||dS/dW||_F^2 at tokens sX, which must be a single power of s."""
    at = symbolic_layer(point)
    s = Symbol("s", positive=True)
    scaled = Layer(s * at.x, at.wq, at.wk, at.wv)
    variances = {w: Integer(1) for matrix in (at.wq, at.wk, at.wv) for w in matrix}
    degrees = []
    for parameter in PARAMETERS:
        norm = frobenius_square_expectation(uniform_jacobian(scaled, parameter), variances)
        ((power,),) = Poly(norm, s).monoms()
        degrees.append(Integer(power) / 2)
    return tuple(degrees)


def _tokens_differ(point: Point) -> bool:
    """Neither the mean token nor the scatter vanishes, so that no gradient does."""
    x = point[X]
    total = ImmutableDenseMatrix.ones(1, x.rows) * x
    return not total.is_zero_matrix and any(x.row(k) != x.row(0) for k in range(x.rows))


_slope = rf"\frac{{\partial\log}}{{\partial\log\sigma_x^2}}{_NORM}"
gradient_norms_are_powers_of_the_variance = Claim(
    id="noci2022.sec3.3.variance-dependence",
    source=source("Sec. 3.3; Sec. 1; App. B.3", "variance of the input"),
    kind="rate",
    title="In the input variance the value gradient is linear, query and key gradients are cubic.",
    statement=Relation(_slope, ((Integer(1), Integer(3), Integer(3)),)),
    domain=Domain(
        (Size(n, 2, 3), Size(d_v, 1, 2), Size(d_k, 1, 2), Array(X)),
        (Condition(r"\bar x\ne0,\ X\ne1\bar x^\top", _tokens_differ),),
    ),
    define=_degrees,
    hypotheses=(
        UNIFORM,
        Hypothesis(r"\text{tokens } \sigma_x X \text{ with gradients that do not vanish}"),
    ),
    uses=(value_gradient_norm_of_uniform_attention, query_gradient_norm_of_uniform_attention),
    mutants=variants(
        ("all linear", (Integer(1), Integer(1), Integer(1))),
        ("queries and keys quadratic", (Integer(1), Integer(2), Integer(2))),
        ("cubic in the standard deviation", (Integer(1), Integer(3) / 2, Integer(3) / 2)),
        ("values and queries exchanged", (Integer(3), Integer(1), Integer(1))),
        lhs=_slope,
    ),
    note=r"Holds for every fixed sequence, hence for tokens of any law scaled by $\sigma_x$.",
)

rho2 = Symbol(r"\rho'", real=True)


def _trends(point: Point) -> tuple[Any, ...]:
    later = {**point, rho: point[rho2]}
    gradients = map(expected_gradient, PARAMETERS)
    return tuple(sign(gradient(later) - gradient(point)) for gradient in gradients)


_difference = rf"\operatorname{{sign}}\left(G(\rho')-G(\rho)\right),\ G={_NORM}"
gradient_norms_are_monotone_in_the_correlation = Claim(
    id="noci2022.sec3.3.monotone-rho",
    source=source("Sec. 3.3", "correlation between the tokens"),
    kind="prose",
    title="Value gradients grow with the correlation, query and key gradients shrink.",
    statement=Relation(_difference, ((Integer(1), Integer(-1), Integer(-1)),)),
    domain=Domain(
        (
            Size(n, 2, 3),
            Size(d, 1, 2),
            Real(sigma_x, **positive),
            correlation,
            Real(rho2, -1 / (n - 1), 1),
        ),
        (Condition(r"\rho<\rho'", lambda p: p[rho] < p[rho2]),),
    ),
    define=_trends,
    hypotheses=(UNIFORM, GAUSSIAN_TOKENS, XAVIER),
    uses=(value_gradient_norm_of_gaussian_tokens,),
    mutants=variants(
        ("all grow", (Integer(1), Integer(1), Integer(1))),
        ("directions exchanged", (Integer(-1), Integer(1), Integer(1))),
        ("keys like values", (Integer(1), Integer(-1), Integer(1))),
        lhs=_difference,
    ),
    note="Strictly on the whole range $[-1/(n-1),1]$, for the exact norms.",
)


def _growth(point: Point) -> tuple[Any, ...]:
    """Signs: d against d + 1 and, at rho = 0, n against n + 1; and how Q/V moves with n at rho and 0."""
    values, queries = expected_gradient("values"), expected_gradient("queries")
    wider = {**point, d: point[d] + 1}
    by_width = [
        sign(g(wider) * point[d] ** 2 - g(point) * wider[d] ** 2) for g in (values, queries)
    ]
    longer = {**point, n: point[n] + 1}
    plain, plain_longer = ({**p, rho: Integer(0)} for p in (point, longer))
    ratio_moves = queries(longer) * values(point) * queries(plain) * values(plain_longer)
    plain_moves = queries(point) * values(longer) * queries(plain_longer) * values(plain)
    by_length = [sign(g(plain_longer) - g(plain)) for g in (values, queries)]
    return (*by_width, *by_length, sign(ratio_moves - plain_moves))


_growth_lhs = (
    r"\operatorname{sign}\left(V_{n,d+1}d^2-V_{n,d}(d+1)^2,\ Q_{n,d+1}d^2-Q_{n,d}(d+1)^2,\ "
    r"(V_{n+1,d}-V_{n,d})(0),\ (Q_{n+1,d}-Q_{n,d})(0),\ "
    r"\frac{Q_{n+1,d}V_{n,d}}{V_{n+1,d}Q_{n,d}}(\rho)-\frac{Q_{n+1,d}V_{n,d}}{V_{n+1,d}Q_{n,d}}(0)\right)"
)


def _growth_signs(*signs: Any) -> Relation:
    return Relation(_growth_lhs, (tuple(map(sympify, signs)),))


gradient_norms_scale_differently_with_width_and_length = Claim(
    id="noci2022.sec3.3.scaling-n-d",
    source=source("Sec. 3.3; App. B.3", "embedding size and sequence length"),
    kind="rate",
    title=(
        r"$V/d^2$ is constant and $Q/d^2$ falls with $d$; at $\rho=0$ $Q$ grows with $n$ and $V$ does not; how "
        r"$Q/V$ moves with $n$ depends on $\rho$."
    ),
    statement=_growth_signs(0, -1, 0, 1, -sign(rho)),
    domain=Domain(
        (
            Size(n, 2, 2),
            Size(d, 1, 1),
            Real(sigma_x, **positive),
            Real(rho, -1 / n, 1, open_high=True),
        )
    ),
    define=_growth,
    hypotheses=(
        UNIFORM,
        GAUSSIAN_TOKENS,
        XAVIER,
        Hypothesis(
            r"-\tfrac1n\le\rho<1:\ n+1\ \text{tokens are admissible, queries do not vanish}"
        ),
        Hypothesis(
            r"V,Q=\mathbb E\left\|\tfrac{\partial S}{\partial W^V}\right\|_F^2,"
            r"\mathbb E\left\|\tfrac{\partial S}{\partial W^Q}\right\|_F^2\ \text{at } n \text{ and } d"
        ),
        Hypothesis(r"\text{the last entry after clearing the positive denominators}"),
    ),
    uses=(value_gradient_norm_of_gaussian_tokens,),
    mutants=(
        Mutant("Q/d^2 does not depend on d", _growth_signs(0, 0, 0, 1, -sign(rho))),
        Mutant("Q/d^2 grows with d", _growth_signs(0, 1, 0, 1, -sign(rho))),
        Mutant("V grows with n at rho = 0", _growth_signs(0, -1, 1, 1, -sign(rho))),
        Mutant("Q does not depend on n at rho = 0", _growth_signs(0, -1, 0, 0, -sign(rho))),
        Mutant(
            "the ratio is a function of n and d times one of rho", _growth_signs(0, -1, 0, 1, 0)
        ),
    ),
    note=(
        "The sentence holds of the form of the two functions, not of their exponents: for fixed $n$ and "
        r"$\rho<1$ both are of the order of $d^2$ as $d$ grows, since "
        r"$Q/d^2\to\sigma_x^6\tfrac{n-1}n(1-\rho)^2$, and for fixed $d$ and $0<\rho<1$ both are of the order "
        r"of $n$ as $n$ grows. At $\rho=0$ and fixed $d$ the exponents of $n$ are $0$ and $1$. "
        r"The exact norms approach the printed forms $d^2(1+\rho(n-1))$ and "
        r"$\tfrac{n-1}nd(n+d)(1-\rho)^2$ as $n$ or $d$ grows, their ratio being "
        r"$1+4(1-\rho)/(nd)$."
    ),
)

# Even moments of orders 2, 4, 6; odd ones vanish.  The three-point law takes 0 with probability 2/3
# and +-sqrt(3) with probability 1/6 each; it shares the Gaussian moments up to order 5.
MOMENTS: Mapping[str, Sequence[int]] = {"gaussian": (1, 3, 15), "three-point": (1, 3, 9)}


def independent_expectation(polynomial: Any, x: ImmutableDenseMatrix, law: str) -> Expr:
    """E of a polynomial in i.i.d. symmetric variables with the even moments of a law."""
    moments = dict(zip(count(2, 2), MOMENTS[law], strict=False)) | {0: 1}
    present = [entry for entry in x if entry in polynomial.free_symbols]
    terms = Poly(polynomial, *(present or x)).terms()
    return sum(
        (c * prod(moments.get(p, 0) for p in powers) for powers, c in terms), start=Integer(0)
    )


@cache
def _sixth_moment_under(law: str, size: int, width: int) -> Expr:
    """E[||X||^2 ||X^T L X||^2] for i.i.d. entries of a law."""
    x = entries("x", size, min(width, 3))
    scatter = (x.T * centring(size) * x).expand()

    def mean(polynomial: Any) -> Expr:
        return independent_expectation(polynomial, x, law)

    def with_square(c: int, i: int, j: int) -> Expr:
        """E[|column c|^2 (X^T L X)_ij^2]; columns are exchangeable, so that three stand for all."""
        return sum((mean(e**2 * scatter[i, j] ** 2) for e in x.col(c)), start=Integer(0))

    # Triples of columns (c, i, j) by which of them coincide.
    d_ = width
    counts = {(0, 0, 0): d_, (1, 0, 0): d_ * (d_ - 1), (0, 0, 1): 2 * d_ * (d_ - 1),
              (2, 0, 1): d_ * (d_ - 1) * (d_ - 2)}  # fmt: skip
    return sum((k * with_square(*at) for at, k in counts.items() if k), start=Integer(0))


def _sixth_order_gap(point: Point) -> Expr:
    gaussian, three_point = (
        _sixth_moment_under(law, int(point[n]), int(point[d]))
        for law in ("gaussian", "three-point")
    )
    return gaussian - three_point


_unit_tokens = Domain((Size(n, 2, 3), Size(d, 1, 2)))
TWO_LAWS = Hypothesis(
    r"\text{i.i.d. unit entries: Gaussian, and } 0,\pm\sqrt3 \text{ with probabilities}"
    r"\ \tfrac23,\tfrac16,\tfrac16"
)
_gap = (
    r"\mathbb E_{\mathcal N}\left[\|X\|_F^2\|X^\top LX\|_F^2\right]"
    r"-\mathbb E_{3}\left[\|X\|_F^2\|X^\top LX\|_F^2\right]"
)
sixth_order_moments_enter = Claim(
    id="noci2022.beyond.sixth-order-moments",
    source=source("App. A.2", "after Theorem A.1"),
    kind="expectation",
    title="Sixth moments of $X$ enter Eq. (7): laws that agree up to order five differ in it.",
    statement=Relation(_gap, (6 * d * (n - 1) ** 2 / n,)),
    domain=_unit_tokens,
    define=_sixth_order_gap,
    hypotheses=(TWO_LAWS,),
    note=(
        "A statement of ours. Eq. (7) has degree six in $X$: sixth moments enter it unless norm and "
        "scatter are assumed uncorrelated, as before Eq. (18)."
    ),
)
