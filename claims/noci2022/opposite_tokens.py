r"""Sec. 3.2: does a correlation that tends to one make the tokens align?

A correlation of Eq. (5) is a ratio of expectations, which rare networks may decide.  At width one a block
multiplies the tokens' differences from their mean by 1 + f g, with f = W^{F_1} and g = W^{F_2}, and their
mean by (1 + f g)(1 + w), with w = W^V, all strengths being one.  There the mean may fall behind; with
Gaussian weights and larger widths it does not.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, sign

from claims.domain import Array, Choice, Domain, Equal, Point, Size
from claims.model import Claim, Hypothesis
from claims.noci2022.correlation import (
    SO_THAT_RHO_TENDS_TO_ONE,
    unscaled_correlation_limit_repaired,
)
from claims.noci2022.growth import UNIT, UNIT_STRENGTHS
from claims.noci2022.network import (
    EQUAL_NORMS,
    EVERY_TOKEN_NONZERO,
    IN_RANGE,
    LINEAR,
    NONZERO,
    POSITIVE_MEAN,
    SIZES,
    STRENGTHS,
    TWO_TOKENS,
    other,
    token,
)
from claims.noci2022.notation import C, X, alpha1, alpha2, d_v, ell, n, source
from claims.noci2022.pairs import (
    ATTENDING,
    HYPOTHESES,
    OTHER_TOKEN,
    difference,
    expected_square,
    squared_distance,
)
from claims.noci2022.setup import UNIFORM
from claims.statement import Compare, Quantity, measured_quantity

_PLACE = source("Sec. 3.2", "Residual Scaling Preserves Correlations, first sentences")
_NETWORK = (UNIFORM, LINEAR, EQUAL_NORMS, UNIT, SO_THAT_RHO_TENDS_TO_ONE)


def _tokens_of_width(width: Any) -> Domain:
    """Two tokens of equal norms, not zero, in a network of unit strengths."""
    variables = (Size(n, 2, 4), width, *UNIT_STRENGTHS, Equal(X), *TWO_TOKENS)
    return Domain(variables, (NONZERO, POSITIVE_MEAN, IN_RANGE, OTHER_TOKEN))


def _limiting_cosine(point: Point) -> Expr:
    r"""lim E cos theta_kk' at width one, for weights 0 and $\pm\sqrt{3/2}$, each with probability 1/3.

    No factor is zero, and E log|1 + w| = log|1 - 3/2| / 3 < 0: by the strong law of large numbers the mean
    vanishes almost surely beside the differences, so that tokens get the signs of their differences.
    """
    tokens = point[X]
    apart = tokens - ImmutableDenseMatrix.ones(tokens.rows, 1) * sum(tokens) / tokens.rows
    if apart.is_zero_matrix:
        return Integer(1)
    return sign(apart[int(point[token]) - 1]) * sign(apart[int(point[other]) - 1])


limiting_cosine = Quantity(r"\lim_{\ell\to\infty}\mathbb E\cos\theta^\ell_{kk'}", _limiting_cosine)
share = n**2 * difference / (((1 + alpha1**2) ** ell - 1) * C())
"""What the squared distance of two tokens is of their squared norm at most, both in the mean."""
differences_vanish_in_mean_square = Claim(
    id="noci2022.beyond.differences-in-mean-square",
    source=_PLACE,
    kind="rate",
    title="Unless the tokens sum to zero, differences vanish beside tokens in mean square.",
    statement=Compare(squared_distance, "<=", share * expected_square),
    domain=Domain(
        (*SIZES, Size(ell, 1, 3), *STRENGTHS, Array(X), *TWO_TOKENS),
        (EVERY_TOKEN_NONZERO, IN_RANGE, ATTENDING, POSITIVE_MEAN),
    ),
    hypotheses=(*HYPOTHESES, Hypothesis(r"\alpha_1\ne0,\ C(X)>0")),
    note=(
        r"A statement of ours, at every width, for all strengths, norms and laws of the weights. The factor "
        r"tends to zero; with $C(X)=n^2\|\bar x\|^2$ it is "
        r"$\|X_k-X_{k'}\|^2/(((1+\alpha_1^2)^\ell-1)\|\bar x\|^2)$. This much $\rho^\ell_{kk'}\to1$ says of "
        "tokens without more of the weights than mean and variance: expectations are compared. What follows of "
        "the tokens of one network is `noci2022.sec3.2.implying-collapse.repair`."
    ),
)

mean_cosine_in_the_end = measured_quantity(r"\lim_{\ell\to\infty}\mathbb E\cos\theta^\ell_{kk'}")
"""The same limit for Gaussian weights."""
gaussian_networks_align_all_tokens = Claim(
    id="noci2022.sec3.2.implying-collapse.repair",
    parent="noci2022.sec3.2.implying-collapse",
    source=_PLACE,
    kind="prose",
    title="With Gaussian weights and a width of two or more, the tokens of almost every network align.",
    statement=mean_cosine_in_the_end.equals(1),
    domain=_tokens_of_width(Size(d_v, 2, 4)),
    hypotheses=(
        *_NETWORK,
        Hypothesis(
            r"W^V,W^{F_1},W^{F_2}\ \text{with independent entries}\ N(0,1/d_v),\ \text{fresh in every layer};"
            r"\ d_v\ge2"
        ),
    ),
    uses=(unscaled_correlation_limit_repaired,),
    note=(
        r"$\bar x^{\ell+1}=\bar x^\ell(I+\alpha_1W^V)(I+\alpha_2W^{F_1}W^{F_2})$, and differences of tokens "
        "are multiplied by the last factor alone. Gaussian matrices have the same law in every orthonormal "
        r"basis, so that $\log\|\bar x^\ell\|$ and $\log\|X^\ell_k-X^\ell_{k'}\|$ are sums of i.i.d. terms, "
        r"and the mean token gains $\mathbb E\log\|e_1+\alpha_1g/\sqrt{d_v}\|$ in every layer, $g$ standard "
        r"normal. That is positive: for $d_v=2$ it is $\tfrac12\int_{1/\alpha_1^2}^\infty e^{-t}\,dt/t$, and "
        r"for $d_v\ge3$ the function $\log\|x\|$ is strictly subharmonic. By the strong law differences vanish "
        r"beside the mean token almost surely, exponentially; so it is for all $\alpha_1\ne0$, every "
        r"$\alpha_2$ and tokens of any norms. Width one is the exception, where at $\alpha_1=1$ the gain is "
        r"$-0.208\ldots$"
    ),
)

_three_tokens = {
    n: Integer(3), d_v: Integer(1), alpha1: Integer(1), alpha2: Integer(1),
    X: ImmutableDenseMatrix([[1], [1], [-1]]), token: Integer(1), other: Integer(3),
}  # fmt: skip
correlation_that_tends_to_one_implies_alignment = Claim(
    id="noci2022.sec3.2.implying-collapse",
    source=_PLACE,
    kind="prose",
    title="That the correlation tends to one is said to imply that tokens reach perfect alignment.",
    statement=limiting_cosine.equals(1),
    domain=_tokens_of_width(Choice(d_v, (Integer(1),))),
    hypotheses=(
        *_NETWORK,
        Hypothesis(
            r"d_v=1,\ W^V,W^{F_1},W^{F_2}\in\{0,\pm\sqrt{3/2}\}\ "
            r"\text{independent, each value with probability}\ \tfrac13"
        ),
    ),
    uses=(unscaled_correlation_limit_repaired,),
    printed=(
        r"\text{in this limit, the correlation between different tokens } \rho_{k,k'}^{\ell} "
        r"\text{ as in Eq. (5) converges to 1, implying rank collapse}"
    ),
    probes=(_three_tokens,),
    severity="missing-hypothesis",
    repair=gaussian_networks_align_all_tokens,
    note=(
        "Sec. 2 asks for weights of mean zero and variance $1/d_v$, Xavier's or He's. These have the moments, "
        "and named laws do the same. A block multiplies "
        "the differences from the mean token by $1+fg$, which is never zero, and the mean by "
        r"$(1+fg)(1+w)$. As $\mathbb E\log|1+w|=\tfrac13\log\tfrac12<0$, the mean almost surely vanishes "
        "beside the differences: of three tokens $1,1,-1$ the first and the last end up opposite, "
        r"$\cos\theta_{13}\to-1$, while $\rho_{13}\to1$, since rare networks with a large mean decide both "
        r"expectations of Eq. (5). Xavier's uniform weights on $[-\sqrt3,\sqrt3]$ do so too at width "
        r"one, $\mathbb E\log|1+w|=-0.273\ldots$, and Gaussian ones, $-0.208\ldots$; these at no other width: "
        r"for $d_v\ge2$ they give the implication, which is the correction. That $\rho=1$ would be the same "
        "as alignment is judged in `noci2022.sec2.rho-one-iff`."
    ),
)
