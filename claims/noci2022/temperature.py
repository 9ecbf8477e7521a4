r"""Sec. 3.4 and App. C.2: an inverse temperature tau inside the softmax.

S_tau = softmax(tau X W^Q (X W^K)^T / sqrt(d_k)) X W^V.  "Uniform attention" fixes A and its softmax
Jacobian at equal logits whatever tau is.  Where the softmax is the true one, points have query
weights in log(2) sqrt(d_k) Z, so that it is a power of two over a sum of such (see `jacobians`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    Poly,
    Rational,
    Symbol,
    sqrt,
)
from sympy.matrices.expressions import Identity, KroneckerProduct

from claims.definitions import (
    directional_jacobian,
    entries,
    frobenius_square_expectation,
)
from claims.domain import Array, Computed, Condition, Domain, Point, Real, Size
from claims.expressions import Shaped, ones
from claims.model import Claim, Hypothesis, Relation, Understood, variants
from claims.noci2022.jacobians import (
    attention_layer,
    logits_at,
    query_jacobian_of_attention,
    value_jacobian_of_attention,
)
from claims.noci2022.moments import (
    UNCORRELATED,
    XAVIER,
    query_gradient_norm_of_gaussian_tokens,
    value_gradient_norm_of_gaussian_tokens,
)
from claims.noci2022.notation import WK, WQ, WV, X, d, d_k, d_v, n, rho, sigma_x, source
from claims.noci2022.setup import (
    UNIFORM,
    ZERO_MEAN_WEIGHTS,
    Layer,
    given_layer,
    given_weights,
    positive,
    symbolic_layer,
    uniform_jacobian,
)
from claims.noci2022.softmax import jacobian_of_softmax
from claims.noci2022.tokens import (
    GAUSSIAN_TOKENS,
    gaussian_tokens,
    token_entries,
    token_expectation,
)
from claims.statement import Compare, Quantity

tau = Symbol("tau", real=True)
tempered_jacobian = Shaped(r"\left.\frac{\partial A}{\partial M}\right|_{\tau M}", n**2, n**2)

TEMPERED = Hypothesis(
    r"S_\tau=A_\tau XW^V,\ A_\tau=\mathrm{softmax}(\tau M),\ M=\tfrac1{\sqrt{d_k}}XW^QW^{K\top}X^\top"
)
_S_BY = r"\frac{\partial S_\tau}{\partial W^%s}"


@dataclass(frozen=True)
class TemperedLayer(Layer):
    """A layer whose logits are multiplied by tau."""

    tau: Any = 1

    @property
    def scale(self) -> Any:
        return self.tau * super().scale


def at_temperature(layer: Layer, factor: Any) -> TemperedLayer:
    """The same layer with the logits multiplied by `factor`."""
    return TemperedLayer(layer.x, layer.wq, layer.wk, layer.wv, factor)


def _query_jacobian(point: Point) -> ImmutableDenseMatrix:
    """dS_tau/dW^Q with the true softmax, one unit direction of W^Q at a time."""
    layer = at_temperature(given_layer(point), point[tau])
    at_logits = jacobian_of_softmax(layer.logits())
    size, values = layer.x.rows, layer.x * layer.wv

    def moved(direction: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
        step = at_logits * layer.logits(wq=direction).reshape(size**2, 1)
        return step.reshape(size, size) * values

    return directional_jacobian(moved, *layer.wq.shape)


_through = KroneckerProduct(Identity(n), WV.T * X.T) * tempered_jacobian
_by_queries = tau * _through * KroneckerProduct(X, X * WK) / sqrt(d_k)
_tempered = Domain((*attention_layer.variables, Real(tau)))

_at_logits = Computed(tempered_jacobian, lambda at: jacobian_of_softmax(at[tau] * logits_at(at)))
_sizes = (Size(n, 3, 3), Size(d_v, 4, 4), Size(d_k, 2, 2))
_distinct = Domain((*_sizes, *attention_layer.variables[3:], Real(tau, 3, 3), _at_logits))

query_jacobian_of_tempered_attention = Claim(
    id="noci2022.eq-19.temperature-controls",
    source=source("Sec. 3.4; App. C.2", "Eqs. (19), (45)"),
    kind="construction",
    title=r"The query Jacobian is $\tau$ times its untempered form, the softmax differentiated at $\tau M$.",
    statement=Relation(_S_BY % "Q", (_by_queries,)),
    domain=Domain((*_tempered.variables, _at_logits)),
    define=_query_jacobian,
    hypotheses=(TEMPERED,),
    uses=(query_jacobian_of_attention,),
    probes=(_distinct.draw(Random(0)),),
    mutants=variants(
        ("untempered outside the softmax Jacobian", _by_queries / tau),
        ("tau^2 for tau", tau * _by_queries),
        ("tau inside 1/sqrt(d_k)", _by_queries / sqrt(d_k)),
        ("W^Q for W^K", tau * _through * KroneckerProduct(X, X * WQ) / sqrt(d_k)),
        lhs=_S_BY % "Q",
    ),
    printed=(
        r"\mathbf{S}_{\tau}^{\ell} := \operatorname{softmax}\left(\frac{\tau}{\sqrt{d_k}} "
        r"\mathbf{X}^{\ell} \mathbf{W}^Q \left(\mathbf{X}^{\ell} \mathbf{W}^K\right)^{\top}\right) "
        r"\mathbf{X}^{\ell} \mathbf{W}^V"
    ),
    note=(
        r"The equations define $S_\tau$. Sec. 3.4 says of it, without a formula, that $\tau$ allows "
        "controlling the magnitude of query and key gradients; what is stated is the Jacobian from "
        "which that follows, and the consequence is `noci2022.C.2.norm-linear-in-tau`. "
        r"Under uniform attention the softmax Jacobian is fixed and $\tau$ is the only change; for "
        r"the true softmax it moves with $\tau$ as well, and vanishes where attention saturates."
    ),
)


def _slopes(point: Point) -> tuple[Any, ...]:
    """Half the degree in tau of E||dS_tau/dW||_F^2, which must be a single power of tau."""
    t = Symbol("t", positive=True)
    layer = at_temperature(symbolic_layer(point), t)
    variances = {w: Integer(1) for matrix in (layer.wq, layer.wk, layer.wv) for w in matrix}
    slopes = []
    for parameter in PARAMETERS:
        norm = frobenius_square_expectation(uniform_jacobian(layer, parameter), variances)
        ((power,),) = Poly(norm, t).monoms()
        slopes.append(Rational(power, 2))
    return tuple(slopes)


def _tokens_differ(point: Point) -> bool:
    x = point[X]
    return any(x.row(k) != x.row(0) for k in range(x.rows))


PARAMETERS = ("queries", "keys")
_half, _one = Rational(1, 2), Integer(1)
_slope = (
    r"\frac{\partial}{\partial\log\tau}\log\sqrt{"
    r"\mathbb E\left\|\frac{\partial S_\tau}{\partial W^{Q,K}}\right\|_F^2}"
)
query_and_key_gradients_are_linear_in_the_temperature = Claim(
    id="noci2022.C.2.norm-linear-in-tau",
    source=source("App. C.2", "after Eq. (46)"),
    kind="rate",
    title=r"Under uniform attention the norms of query and key gradients are linear in $\tau$.",
    statement=Relation(_slope, ((_one, _one),)),
    domain=Domain(
        (Size(n, 2, 3), Size(d_v, 1, 2), Size(d_k, 1, 2), Array(X)),
        (Condition(r"X\ne1\bar x^\top", _tokens_differ),),
    ),
    define=_slopes,
    hypotheses=(
        UNIFORM,
        TEMPERED,
        ZERO_MEAN_WEIGHTS,
        Hypothesis(r"\tau>0;\ \text{tokens not all equal, so that gradients do not vanish}"),
    ),
    uses=(query_jacobian_of_tempered_attention,),
    mutants=variants(
        ("the square is linear", (_half, _half)),
        ("quadratic", (Integer(2), Integer(2))),
        ("keys unaffected", (_one, Integer(0))),
        lhs=_slope,
    ),
    note="Holds for every fixed sequence, hence for tokens of any law.",
)


def _uniform_value_jacobian(point: Point) -> ImmutableDenseMatrix:
    return uniform_jacobian(at_temperature(given_layer(point), point[tau]), "values")


_summed = ones(n, n) * X
_by_values = KroneckerProduct(_summed, Identity(d_v)) / n

value_gradients_do_not_depend_on_the_temperature = Claim(
    id="noci2022.C.2.values-unaffected",
    source=source("App. C.2", "after Eq. (46)"),
    kind="prose",
    title=r"Under uniform attention the value Jacobian does not depend on $\tau$.",
    statement=Relation(_S_BY % "V", (_by_values,)),
    domain=Domain((*given_weights.variables, Real(tau))),
    define=_uniform_value_jacobian,
    hypotheses=(UNIFORM, TEMPERED),
    uses=(value_jacobian_of_attention,),
    mutants=variants(
        ("linear in tau", tau * _by_values),
        ("dropped 1/n", n * _by_values),
        ("factors exchanged", KroneckerProduct(Identity(d_v), _summed) / n),
        lhs=_S_BY % "V",
    ),
    understood=(
        Understood(
            "Attention is uniform, as Sec. 3.1 assumes throughout.",
            r"$n=2$, $d_v=d_k=1$, $X=(1,0)^\top$, $W^Q=\log2$, $W^K=W^V=1$ and the true softmax: "
            r"$\|\partial S_\tau/\partial W^V\|_F^2$ is $\tfrac{25}{36}$ for $\tau=1$ and "
            r"$\tfrac{89}{100}$ for $\tau=2$.",
        ),
    ),
    note=(
        "The printed reason, that the softmax normalises, does not give it: rows of $A$ that sum to "
        r"$1$ do not fix $A_\tau X$, on which the value Jacobian $A_\tau X\otimes I$ depends. Under "
        r"uniform attention $A_\tau X$ is the mean token in every row, whatever $\tau$ is."
    ),
)


@cache
def _over_weights(parameter: str, size: int, width: int) -> Poly:
    """E over Xavier weights of ||dS_tau/d(parameter)||_F^2: a polynomial in the tokens, tau within."""
    square = (width, width)
    layer = TemperedLayer(
        entries("x", size, width),
        entries("q", *square),
        entries("k", *square),
        entries("v", *square),
        tau,
    )
    weights = [w for matrix in (layer.wq, layer.wk, layer.wv) for w in matrix]
    variances = dict.fromkeys(weights, Rational(1, width))
    return Poly(
        frobenius_square_expectation(uniform_jacobian(layer, parameter), variances), *layer.x
    )


def expected_norm(parameter: str, point: Point) -> Expr:
    """E over Xavier weights and Gaussian tokens of ||dS_tau/d(parameter)||_F^2, a polynomial in tau."""
    norm = _over_weights(parameter, int(point[n]), int(point[d]))
    return token_expectation(norm, token_entries(point), point)


def _query_norm(point: Point) -> Expr:
    return expected_norm("queries", point).subs(tau, point[tau])


_QUERIES = r"\mathbb E\left\|\frac{\partial S_\tau}{\partial W^Q}\right\|_F^2"
_assumed = tau**2 * sigma_x**6 * (n - 1) / n * (1 - rho) ** 2 * d * (n + d)
_exact = tau**2 * sigma_x**6 * (n - 1) / n * (1 - rho) ** 2 * (n + d) * (d + 4 * (1 - rho) / n)
_tempered_tokens = Domain((*gaussian_tokens.variables, Real(tau)))

query_gradient_norm_of_tempered_attention = Claim(
    id="noci2022.eq-46",
    source=source("App. C.2", "Eq. (46)"),
    kind="expectation",
    title=r"The temperature multiplies the squared query gradient of Eq. (18) by $\tau^2$.",
    statement=Relation(_QUERIES, (_assumed,)),
    domain=_tempered_tokens,
    define=_query_norm,
    hypotheses=(UNIFORM, TEMPERED, GAUSSIAN_TOKENS, XAVIER, UNCORRELATED),
    uses=(
        query_gradient_norm_of_gaussian_tokens,
        query_and_key_gradients_are_linear_in_the_temperature,
    ),
    mutants=variants(
        ("tau for tau^2", _assumed / tau),
        ("untempered", _assumed / tau**2),
        ("1 - rho for (1 - rho)^2", _assumed / (1 - rho)),
        ("n for n - 1", _assumed * n / (n - 1)),
        lhs=_QUERIES,
    ),
    repair=Claim(
        id="noci2022.eq-46.repair",
        parent="noci2022.eq-46",
        source=source("App. C.2", "Eq. (46)"),
        kind="expectation",
        title="The tempered query gradient's norm, without assuming norm and scatter uncorrelated.",
        statement=Relation(_QUERIES, (_exact,)),
        domain=_tempered_tokens,
        define=_query_norm,
        hypotheses=(UNIFORM, TEMPERED, GAUSSIAN_TOKENS, XAVIER),
        mutants=variants(
            ("assumed uncorrelated", _assumed),
            ("tau for tau^2", _exact / tau),
            ("n for n - 1", _exact * n / (n - 1)),
            lhs=_QUERIES,
        ),
        note=(
            r"The factor $\tau^2$ is right; as in Eq. (18), the factor $d$ is to be "
            r"$d+4(1-\rho)/n$."
        ),
    ),
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathbf{S}_\tau}{\partial \mathbf{W}^Q} \right\|_F^2 = "
        r"\tau^2 \sigma_x^6 \frac{(n-1)}{n} (1-\rho)^2 d(n+d)"
    ),
    note="Computed as in Sec. 3.3, hence under its assumption, which the Gaussian model contradicts.",
)


def matching_temperature(point: Point) -> Expr:
    """The tau^2 at which the expected squared query and value gradients are equal."""
    queries, values = expected_norm("queries", point), expected_norm("values", point)
    ((power,),) = Poly(queries, tau).monoms()
    if power != 2 or values.has(tau):
        raise ArithmeticError(f"queries of degree {power} in tau, values {values}: not tau^2 and 1")
    return values / Poly(queries, tau).LC()


MATCHING = d * n * (1 + rho * (n - 1)) / (sigma_x**4 * (1 - rho) ** 2 * (n + d) * (n - 1))
EXCESS = 4 * (1 - rho) / (n * d)


matching = Quantity(r"\tau_\star^2", matching_temperature, nonnegative=True)

temperature_that_matches_query_and_value_gradients = Claim(
    id="noci2022.eq-47",
    source=source("App. C.2", "Eq. (47)"),
    kind="construction",
    title=r"The printed $\tau^2$ is $1+4(1-\rho)/(nd)$ times the one that matches both gradients.",
    statement=Compare(MATCHING, "=", (1 + EXCESS) * matching),
    domain=Domain(
        (
            Size(n, 2, 3),
            Size(d, 1, 2, reach=3),  # moments of degree twelve in 2 d variables
            Real(sigma_x, **positive),
            Real(rho, -1 / (n - 1), 1, open_high=True),
        )
    ),
    hypotheses=(
        UNIFORM, TEMPERED, GAUSSIAN_TOKENS, XAVIER, Hypothesis(r"\rho<1"),
        Hypothesis(
            r"\mathbb E\left\|\tfrac{\partial S_{\tau_\star}}{\partial W^Q}\right\|_F^2"
            r"=\mathbb E\left\|\tfrac{\partial S_{\tau_\star}}{\partial W^V}\right\|_F^2"
        ),
    ),
    uses=(query_gradient_norm_of_tempered_attention, value_gradient_norm_of_gaussian_tokens),
    printed=(
        r"\mathbb{E} \left\| \frac{\partial \mathbf{S}_\tau}{\partial \mathbf{W}^Q} \right\|_F^2 "
        r"\stackrel{!}{=} \mathbb{E} \left\| \frac{\partial \mathbf{S}_\tau}{\partial \mathbf{W}^V} "
        r"\right\|_F^2 \iff \tau^2 \approx \frac{dn(1+\rho(n-1))}{\sigma_x^4(1-\rho)^2(n+d)(n-1)}"
    ),
    understood=(
        Understood(
            r"$\rho<1$", r"At $\rho=1$ the printed fraction is not defined: queries have no gradient."
        ),
    ),
    note=(
        r"$\tau_\star^2$ is the one square at which the two norms agree: the equivalence is a statement of it. "
        "The approximation sign is read as a ratio that tends to $1$ as $nd$ grows; the exact ratio is "
        "stated, so that no constant is ours. As an equality it would need Eq. (46), that is the "
        "assumption of Eq. (18)."
    ),
)  # fmt: skip
