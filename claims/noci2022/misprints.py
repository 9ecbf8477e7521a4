r"""Displays of App. A.3 and A.4 in which one index is misprinted, each with what was meant.

An index that is summed over does not occur in the summand, a power has the layer for the depth, and
a brace names the input for the layer.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Rational, Sum, Symbol, exp, limit, oo

from claims.domain import Array, Condition, Domain, Point, Real, Size
from claims.model import Claim, Relation, variants
from claims.noci2022.correlation import HYPOTHESES, after_layers, expected_gram
from claims.noci2022.forward import uniform_attention_second_moments
from claims.noci2022.network import (
    IN_RANGE,
    REAL_STRENGTHS,
    SCALING,
    SIZES,
    TWO_TOKENS,
    XAVIER,
    Moments,
    Propagated,
    inner_products,
    number,
    other,
    token,
)
from claims.noci2022.notation import C, X, alpha1, alpha2, atilde1, d_v, ell, n, source
from claims.noci2022.setup import UNIFORM
from claims.statement import Compare, Quantity
from claims.terms import entry

# Lemma A.6 ----------------------------------------------------------------------------------------

first, second = (Symbol(name, integer=True, positive=True) for name in ("z", "z'"))
_feature = Symbol("i", integer=True, positive=True)


def product_of(k: Any, l: Any) -> Expr:  # noqa: E741
    """<X_k, X_l>."""
    x = entry(X)
    return Sum(x(k, _feature) * x(l, _feature), (_feature, 1, d_v))


def _attended(at: Point) -> Rational:
    """E[S_kj S_k'j], which is the same for every feature j."""
    moments = Moments.of(at[X]).through_uniform_attention().through_weights()
    return number(moments.at(int(at[token]) - 1, 0, int(at[other]) - 1, 0))


attended_moment = Quantity(r"\mathbb E[S_{kj}S_{k'j}]", _attended)
_scale = 1 / (d_v * n**2)
summed_over_named = _scale * Sum(Sum(product_of(first, second), (first, 1, n)), (second, 1, n))
summed_over_others = _scale * Sum(Sum(product_of(first, second), (token, 1, n)), (other, 1, n))
_ATTENTION = (UNIFORM, XAVIER)
_PLACE = source("App. A.3", "proof of Lemma A.6")

attended_moment_sums_over_what_it_names = Claim(
    id="noci2022.lemma-A.6.sum.repair",
    parent="noci2022.lemma-A.6.sum",
    source=_PLACE,
    kind="identity",
    title="After uniform attention a second moment is the mean over all pairs of tokens.",
    statement=Compare(attended_moment, "=", summed_over_named),
    domain=Domain((*SIZES, Array(X), *TWO_TOKENS), (IN_RANGE,)),
    hypotheses=_ATTENTION,
    note=(
        r"For given tokens $X$. Of random ones that are independent of $W^V$ the mean of both sides is taken, "
        r"so that $\mathbb E\langle X_z,X_{z'}\rangle$ stands under the sums."
    ),
)

attended_moment_sums_over_other_indices = Claim(
    id="noci2022.lemma-A.6.sum",
    source=_PLACE,
    kind="identity",
    title="The sum over all pairs of tokens, printed with indices that its term does not contain.",
    statement=Compare(attended_moment, "=", summed_over_others),
    domain=Domain(
        (*SIZES, Array(X), *TWO_TOKENS, Size(first, 1, 3), Size(second, 1, 3)),
        (
            IN_RANGE,
            Condition(
                "z,z'\\le n",
                lambda p: p[first] <= p[n] and p[second] <= p[n],
                Compare(first, "<=", n) & Compare(second, "<=", n),
            ),
        ),
    ),
    hypotheses=_ATTENTION,
    uses=(uniform_attention_second_moments,),
    probes=(
        {
            n: 2, d_v: 1, X: ImmutableDenseMatrix([[1], [0]]), token: 1, other: 2, first: 2,
            second: 2,
        },
    ),
    severity="misprint",
    repair=attended_moment_sums_over_what_it_names,
    printed=(
        r"\mathbb{E}[\mathbf{S}_{kj}\mathbf{S}_{k'j}] = \frac{\sigma_v^2}{n^2} \sum_{z, z'} \sum_i "
        r"\mathbb{E}[\mathbf{X}_{zi}\mathbf{X}_{z'i}] = \frac{1}{d_v n^2} \sum_{k, k'} \langle "
        r"\mathbf{X}_z, \mathbf{X}_{z'} \rangle = \frac{1}{d_v n^2} \mathbb{E} C(\mathbf{X})"
    ),
    note=(
        "The sum before it and the lemma, which is right, have $z$ and $z'$ under the sign; $k$ and $k'$ "
        "are the indices of the left-hand side, and free. The middle member has lost the expectation, too, "
        r"which the members beside it have: where the lemma is used, $X$ is a random layer $X^\ell$, and it "
        r"holds of $\mathbb E\langle X_z,X_{z'}\rangle$."
    ),
)  # fmt: skip

# Lemma 3.3 ----------------------------------------------------------------------------------------

_depth = Symbol("L", integer=True, positive=True)
limit_at_the_depth = Quantity(
    r"\lim_{L\to\infty}\left(1+\tfrac{\tilde\alpha_1}L\right)^L",
    lambda at: limit((1 + at[atilde1] / _depth) ** _depth, _depth, oo),
)

power_at_the_depth_tends_to_the_exponential = Claim(
    id="noci2022.proof-3.3.power-limit",
    source=source("App. A.3", "proof of Lemma 3.3"),
    kind="limit",
    title="The power with the depth as its exponent tends to the exponential.",
    statement=limit_at_the_depth.equals(exp(atilde1)),
    domain=Domain((Real(atilde1, low=0),)),
    hypotheses=(SCALING,),
    understood=(REAL_STRENGTHS,),
    printed=(
        r"\lim_{L \rightarrow \infty} \left(\frac{\tilde{\alpha}_i}{L} + 1\right)^\ell = "
        r"e^{\tilde{\alpha}_i}"
    ),
    note=(
        r"The print has the exponent $\ell$ under the limit in $L$, where $\ell$ is not bound; it is read "
        r"as $L$, as in Eq. (13). At a fixed layer the limit would be one."
    ),
)

# App. A.4 -----------------------------------------------------------------------------------------

_TOTAL = r"\sum_{k,k'}\mathbb E\langle X^\ell_k,X^\ell_{k'}\rangle"
_of_layer = Propagated("C", "X", X, alpha1, alpha2, ell)


def _sum_of_inner_products(at: Point) -> Expr:
    return inner_products(expected_gram(at))


inner_products_sum_to_those_of_the_layer = Claim(
    id="noci2022.proof-thm-3.3.total.repair",
    parent="noci2022.proof-thm-3.3.total",
    source=source("App. A.4", "proof of Theorem 3.3, first brace"),
    kind="identity",
    title="The inner products of a layer's tokens sum to that layer's $C$.",
    statement=Relation(_TOTAL, (_of_layer,)),
    domain=after_layers,
    define=_sum_of_inner_products,
    hypotheses=HYPOTHESES,
    mutants=variants(("of the input", C()), lhs=_TOTAL),
)

inner_products_sum_to_those_of_the_input = Claim(
    id="noci2022.proof-thm-3.3.total",
    source=source("App. A.4", "proof of Theorem 3.3, first brace"),
    kind="identity",
    title="The inner products of a layer's tokens are said to sum to the $C$ of the input.",
    statement=Relation(_TOTAL, (C(),)),
    domain=after_layers,
    define=_sum_of_inner_products,
    hypotheses=HYPOTHESES,
    severity="misprint",
    repair=inner_products_sum_to_those_of_the_layer,
    printed=(
        r"\underbrace{\sum_{k,k'} \mathbb{E} \langle \mathbf{X}_k^\ell, \mathbf{X}_{k'}^\ell \rangle}_{"
        r"\mathbb{E} C(\mathbf{X})}"
    ),
    note=(
        r"The brace names $X$, which in the paper is the input, for $X^\ell$; the formula for $\rho^\ell$ "
        r"that follows has $\mathbb E\,C(X^\ell)$ (`noci2022.proof-thm-3.3.rho-formula`)."
    ),
)
