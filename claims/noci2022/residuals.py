r"""Residual strengths alpha_i^2 = atilde_i / L: the limits of Lemmas 3.2 and 3.3, and ReZero.

The paper writes atilde_i in R; with real alpha_i only atilde_i >= 0 can occur.  In App. A.3 the
letters l and \ell and the depth L change places within one display; the sums here run over k < L,
as the surrounding argument needs.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import (
    Abs,
    Expr,
    ImmutableDenseMatrix,
    Integer,
    Rational,
    Symbol,
    exp,
    limit,
    oo,
    sqrt,
    summation,
)

from claims.domain import Array, Choice, Domain, Point, Real, Size
from claims.model import Claim, Mutant, Relation, variants
from claims.noci2022.forward import (
    inner_products_after_depth,
    norm_after_depth,
    uniform_mean_token,
)
from claims.noci2022.network import (
    IN_RANGE,
    LINEAR,
    NONZERO,
    REAL_STRENGTHS,
    SCALED,
    SCALING,
    SIZES,
    SMALL_SIZES,
    TWO_TOKENS,
    XAVIER,
    Network,
    inner_products,
    number,
    other,
    product_of_tokens,
    scaled_network,
    squared_norm,
    token,
)
from claims.noci2022.notation import (
    WF1,
    WF2,
    WV,
    C,
    X,
    atilde1,
    atilde2,
    depth,
    n,
    norm_xbar,
    normX,
    source,
)
from claims.noci2022.setup import UNIFORM
from claims.statement import Compare, Quantity
from claims.terms import MaxOver, family

index = Symbol("i", integer=True, positive=True)
HYPOTHESES = (UNIFORM, LINEAR, XAVIER, SCALING)
_C, _N = (rf"\lim_{{L\to\infty}}\mathbb E{body}" for body in ("C(X^L)", r"\|X^L\|_F^2"))


def limiting_inner_products(point: Point) -> Any:
    """lim E C(X^L)."""
    return inner_products(Network.scaled(point).flowing())


def limiting_norm(point: Point) -> Any:
    """lim E ||X^L||_F^2."""
    return squared_norm(Network.scaled(point).flowing())


inner_products_at_infinite_depth = Claim(
    id="noci2022.lemma-3.2.limit",
    source=source("Sec. 3.2", "Lemma 3.2, Eq. (11)"),
    kind="limit",
    title=r"With strengths of order $1/\sqrt L$ the expected sum of inner products converges.",
    statement=Relation(_C, (exp(atilde1 + atilde2) * C(),)),
    domain=scaled_network,
    define=limiting_inner_products,
    hypotheses=HYPOTHESES,
    uses=(inner_products_after_depth,),
    mutants=variants(
        ("only the attention branch", exp(atilde1) * C()),
        ("1 + x for e^x", (1 + atilde1) * (1 + atilde2) * C()),
        ("product for sum in the exponent", exp(atilde1 * atilde2) * C()),
        ("twice the exponent", exp(2 * (atilde1 + atilde2)) * C()),
        lhs=_C,
    ),
    printed=(
        r"\lim_{L \to \infty} \mathbb{E}[C(\mathbf{X}^L)] = e^{\tilde{\alpha}_1 + "
        r"\tilde{\alpha}_2} C(\mathbf{X})"
    ),
    understood=(REAL_STRENGTHS,),
)


@cache
def geometric_sum_limit(strength: Rational, power: Rational) -> Expr:
    """lim of a^(2 power) * sum over k < L of (1 + a^2)^k, where a^2 = strength / L."""
    if strength == 0:
        return Integer(0)
    layers, k = Symbol("L", integer=True, positive=True), Symbol("k", integer=True)
    square = strength / layers
    total = summation((1 + square) ** k, (k, 0, layers - 1))
    return limit(square**power * total, layers, oo)


one_strength = Domain((Real(atilde1, low=0),))
_printed_sum = r"\lim_{L\to\infty}\alpha_1\sum_{k=0}^{L-1}(\alpha_1^2+1)^k"
_square_sum = r"\lim_{L\to\infty}\alpha_1^2\sum_{k=0}^{L-1}(\alpha_1^2+1)^k"

squared_strength_times_geometric_sum = Claim(
    id="noci2022.proof-3.3.geometric-limit.repair",
    parent="noci2022.proof-3.3.geometric-limit",
    source=source("App. A.3", "proof of Lemma 3.3"),
    kind="limit",
    title="The squared strength times the geometric sum converges.",
    statement=Relation(_square_sum, (exp(atilde1) - 1,)),
    domain=one_strength,
    define=lambda point: geometric_sum_limit(point[atilde1], Integer(1)),
    hypotheses=(SCALING,),
    note=(
        r"The factor is $\alpha_1^2$, as in the display that follows and in Eq. (12); with "
        r"$\alpha_1$ the product grows like $\sqrt L$."
    ),
)

strength_times_geometric_sum = Claim(
    id="noci2022.proof-3.3.geometric-limit",
    source=source("App. A.3", "proof of Lemma 3.3"),
    kind="limit",
    title="The strength times the geometric sum of Lemma 3.3 converges.",
    statement=Relation(_printed_sum, (exp(atilde1) - 1,)),
    domain=one_strength,
    define=lambda point: geometric_sum_limit(point[atilde1], Rational(1, 2)),
    hypotheses=(SCALING,),
    mutants=variants(
        ("e^x", exp(atilde1)),
        ("x e^x", atilde1 * exp(atilde1)),
        ("square root of the right-hand side", sqrt(exp(atilde1) - 1)),
        lhs=_printed_sum,
    ),
    severity="misprint",
    repair=squared_strength_times_geometric_sum,
    printed=(
        r"\alpha_1 \sum_{k=0}^{\ell} (\alpha_1^2 + 1)^k, \quad \lim_{L \rightarrow \infty} "
        r"\frac{\tilde{\alpha}_i}{L} \sum_{l=0}^{L-1} \left(1 + "
        r"\frac{\tilde{\alpha}_i}{L}\right)^\ell = \lim_{L \rightarrow \infty} "
        r"\frac{\tilde{\alpha}_i}{L} \frac{1 - \left(1 + \frac{\tilde{\alpha}_i}{L}\right)^\ell}{1 "
        r"- 1 - \frac{\tilde{\alpha}_i}{L}} = \lim_{L \rightarrow \infty} -1 + \left(1 + "
        r"\frac{\tilde{\alpha}_i}{L}\right)^\ell = e^{\tilde{\alpha}_i} - 1"
    ),
    understood=(REAL_STRENGTHS,),
    note=(
        r"The text says of $\alpha_1\sum_{k=0}^\ell(\alpha_1^2+1)^k$ that it converges as the display "
        r"shows, and the display has $\alpha_1^2=\tilde\alpha_1/L$ in front of the sum. The upper end "
        r"$\ell$ is not bound under the limit in $L$; it is read as $L-1$, as in the display. The "
        r"product is then infinite unless the strength is zero; for a fixed $\ell$ it would tend to "
        r"zero, so that no $\ell$ gives the limit. In the display itself $l$ and $\ell$ change places: "
        r"it sums over $l<L$ powers with exponent $\ell$, and its last lines hold for $\ell=L$. So "
        "read it is the repair."
    ),
)

_bracket = exp(atilde1) - 1
norm_at_infinite_depth_in_inner_products = Claim(
    id="noci2022.proof-3.3.limit-C-form",
    source=source("App. A.3", "proof of Lemma 3.3"),
    kind="limit",
    title="The limiting squared norm, written with the sum of inner products.",
    statement=Relation(_N, (exp(atilde2) * _bracket * C() / n + exp(atilde2) * normX,)),
    domain=scaled_network,
    define=limiting_norm,
    hypotheses=HYPOTHESES,
    uses=(norm_after_depth, strength_times_geometric_sum, uniform_mean_token),
    mutants=variants(
        ("n for 1/n", exp(atilde2) * _bracket * n * C() + exp(atilde2) * normX),
        ("e^x for e^x - 1", exp(atilde2) * exp(atilde1) * C() / n + exp(atilde2) * normX),
        ("no feed-forward factor on the norm", exp(atilde2) * _bracket * C() / n + normX),
        lhs=_N,
    ),
    printed=(
        r"\lim_{L \rightarrow \infty} \mathbb{E}[\|\mathbf{X}^\ell\|_F^2] = e^{\tilde{\alpha}_2} "
        r"(e^{\tilde{\alpha}_1} - 1) \frac{C(\mathbf{X})}{n} + e^{\tilde{\alpha}_2} "
        r"\|\mathbf{X}\|_F^2"
    ),
    understood=(REAL_STRENGTHS,),
    note=(
        r"The print has $X^\ell$ under the limit in $L$, where $\ell$ is not bound; it is read as "
        "$X^L$, as in Eq. (13)."
    ),
)

norm_at_infinite_depth = Claim(
    id="noci2022.lemma-3.3.limit",
    source=source("Sec. 3.2", "Lemma 3.3, Eq. (13)"),
    kind="limit",
    title=r"With strengths of order $1/\sqrt L$ the expected squared norm converges.",
    statement=Relation(_N, (n * exp(atilde2) * _bracket * norm_xbar + exp(atilde2) * normX,)),
    domain=scaled_network,
    define=limiting_norm,
    hypotheses=HYPOTHESES,
    uses=(norm_at_infinite_depth_in_inner_products, uniform_mean_token),
    mutants=variants(
        ("1/n for n", exp(atilde2) * _bracket * norm_xbar / n + exp(atilde2) * normX),
        ("atilde_1 and atilde_2 exchanged",
         n * exp(atilde1) * (exp(atilde2) - 1) * norm_xbar + exp(atilde1) * normX),
        ("first order in atilde_1", n * exp(atilde2) * atilde1 * norm_xbar + exp(atilde2) * normX),
        ("e^(atilde_1 + atilde_2) on the norm",
         n * exp(atilde2) * _bracket * norm_xbar + exp(atilde1 + atilde2) * normX),
        lhs=_N,
    ),
    printed=(
        r"\lim_{L \to \infty} \mathbb{E} \left\| \mathbf{X}^L \right\|_F^2 = n "
        r"e^{\tilde{\alpha}_2} (e^{\tilde{\alpha}_1} - 1) \left\| \bar{\boldsymbol{x}} \right\|^2 "
        r"+ e^{\tilde{\alpha}_2} ||\mathbf{X}||_F^2"
    ),
    understood=(REAL_STRENGTHS,),
)  # fmt: skip


# What the limits are for --------------------------------------------------------------------------


tolerance = Symbol("delta", nonnegative=True)
norm_after = Quantity(
    r"\mathbb E\|X^L\|_F^2", lambda at: number(squared_norm(_gram_after(at))), nonnegative=True
)
product_after = family(
    r"\mathbb E\langle X^L_{{{}}},X^L_{{{}}}\rangle",
    lambda at, k, l: number(_gram_after(at)[k - 1][l - 1]),  # noqa: E741
)
largest_norm = MaxOver(product_of_tokens(index, index), (index, 1, n))
"""The largest squared norm of an input token."""


def _gram_after(point: Point) -> list[list[Any]]:
    """E <X_k^L, X_k'^L> of a network of the point's depth."""
    return Network.scaled(point, point[depth]).after(int(point[depth])).gram()


scaled_strengths_preserve_norm_and_inner_products = Claim(
    id="noci2022.sec3.2.sqrtL-preserves",
    source=source("Sec. 3.2", "after Lemma 3.3"),
    kind="prose",
    title="Small enough strengths keep the norm and all inner products as close as wanted, at any depth.",
    statement=Compare(exp(atilde1 + atilde2) - 1, "<=", tolerance).implies(
        Compare(Abs(norm_after - normX), "<=", tolerance * normX)
        & Compare(
            Abs(product_after(token, other) - product_of_tokens(token, other)),
            "<=", tolerance * largest_norm,
        )
    ),
    domain=Domain(
        (*SIZES, Size(depth, 1, 4), *SCALED, Array(X), *TWO_TOKENS, Real(tolerance, low=0)),
        (NONZERO, IN_RANGE),
    ),
    hypotheses=HYPOTHESES,
    uses=(inner_products_at_infinite_depth, norm_at_infinite_depth),
    note=(
        'The paper says that the scaling "allows" both "to be approximately preserved": for every '
        r"tolerance $\delta$ there are $\tilde\alpha_i>0$ that do so at all depths. For a given "
        r"$\tilde\alpha_i$ the change is a factor that stays bounded, $e^{\tilde\alpha_1+\tilde\alpha_2}$ "
        r"for the sum of all inner products: $e^2\approx7.39$ for the $1/\sqrt L$ of Table 1, and for "
        "equal tokens of the norm as well."
    ),
)  # fmt: skip


def output_of_given_weights(point: Point) -> ImmutableDenseMatrix:
    """X^L of a network with the point's weights in every layer and alpha_i = sqrt(atilde_i / L)."""
    x, layers = point[X], point[depth]
    strength1, strength2 = (sqrt(point[a] / layers) for a in (atilde1, atilde2))
    uniform = ImmutableDenseMatrix.ones(x.rows, x.rows) / x.rows
    for _ in range(int(layers)):
        z = strength1 * uniform * x * point[WV] + x
        x = strength2 * z * point[WF1] * point[WF2] + z
    return x


def _given(values1: tuple[int, ...], values2: tuple[int, ...]) -> Domain:
    strengths = zip((atilde1, atilde2), (values1, values2), strict=True)
    choices = (Choice(s, tuple(map(Integer, values))) for s, values in strengths)
    weights = (Array(w, height=2) for w in (WV, WF1, WF2))
    return Domain((*SMALL_SIZES, Size(depth, 1, 2), *choices, Array(X), *weights))


_rezero = Relation("X^L", (X,))
zero_strengths_make_the_network_the_identity = Claim(
    id="noci2022.sec3.2.rezero",
    source=source("Sec. 3.2", "after Theorem 3.3"),
    kind="prose",
    title="With both strengths zero every block is the identity, which is how ReZero starts.",
    statement=_rezero,
    domain=_given((0,), (0,)),
    define=output_of_given_weights,
    hypotheses=(SCALING,),
    mutants=(
        Mutant("only atilde_1 is zero", _rezero, domain=_given((0,), (1,))),
        Mutant("only atilde_2 is zero", _rezero, domain=_given((1,), (0,))),
        *variants(("one half of the input", X / 2), lhs="X^L"),
    ),
    printed=r"\tilde{\alpha}_1, \tilde{\alpha}_2 = 0",
    note=(
        "The print displays the values and says in words that they are those of ReZero; what is "
        "stated is what a network with them is at its start."
    ),
)
