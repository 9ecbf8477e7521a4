r"""The ReLU paragraph of Sec. 3.2 on whole networks: two tokens with ReLU and with linear activation.

Weights are Gaussian, for which the paragraph cites exact formulas; $W^{F_1}$ has variance $2/d_v$ with ReLU
(footnote 3) and $1/d_v$ without.  Then squared norms follow one recursion in both networks, and an inner
product is never lowered by a ReLU layer, since kappa(c) >= c for the arc-cosine kernel kappa.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixSymbol, sqrt

from claims.domain import Array, Choice, Computed, Condition, Domain, Equal, Point, Size
from claims.model import Claim, Hypothesis
from claims.noci2022.activation import relu_increases_correlation
from claims.noci2022.network import (
    EQUAL_NORMS,
    EVERY_TOKEN_NONZERO,
    IN_RANGE,
    NONZERO,
    POSITIVE_MEAN,
    SIZES,
    STRENGTHS,
    TWO_TOKENS,
    other,
    token,
)
from claims.noci2022.notation import X, alpha1, alpha2, d_v, ell, m, n, source
from claims.noci2022.pairs import (
    ATTENDING,
    DIFFERENT,
    correlation_after,
    correlation_of_a_pair_tends_to_one_unless_tokens_cancel,
    rate_after,
)
from claims.noci2022.setup import UNIFORM
from claims.statement import Compare, Quantity, measured_family

GAUSSIAN = Hypothesis(
    r"W^V,W^{F_2}\ \text{with i.i.d. entries}\ N(0,1/d_v),\ W^{F_1}\ \text{with}\ N(0,2/d_v)\ "
    r"\text{under ReLU and}\ N(0,1/d_v)\ \text{without},\ \text{fresh in every layer}"
)
_PLACE = source("Sec. 3.2", "ReLU paragraph")
linear_correlation = Quantity(r"\rho^\ell_{kk'}(\mathrm{linear})", correlation_after.define)
rectified_correlation = measured_family(r"\rho^{{{}}}_{{kk'}}(\mathrm{{ReLU}})")

# Is the linear network a bound? -------------------------------------------------------------------

first_tokens = MatrixSymbol("x", m, 1)


def _cancelling(at: Point) -> ImmutableDenseMatrix:
    """The tokens x and minus their sum."""
    x = at[first_tokens]
    return x.col_join(ImmutableDenseMatrix([[-sum(x)]]))


def _half(u: Any) -> Any:
    return max(u, Integer(0))


def _correlation_at_second_attention(rectified: bool, at: Point) -> Expr:
    """Eq. (5) of Z^1 for d_v = 1 and xbar = 0, where the attention of block 1 returns zero.

    For f ~ N(0, 2) both halves of its second moment are one, so that E relu(x f) relu(y f) is xy where
    x and y have one sign, and else zero; the attention of block 2 adds alpha_1^2 E xbar^2.
    """
    x, square = list(at[X]), at[alpha2] ** 2
    k, l = int(at[token]) - 1, int(at[other]) - 1  # noqa: E741

    def branch(a: Any, b: Any) -> Any:
        return (
            sum((_half(s * a) * _half(s * b) for s in (1, -1)), Integer(0)) if rectified else a * b
        )

    gram = [[a * b + square * branch(a, b) for b in x] for a in x]
    added = at[alpha1] ** 2 * sum(map(sum, gram), Integer(0)) / len(x) ** 2
    products = (gram[k][l], gram[k][k], gram[l][l])
    mixed, first, second = (value + added for value in products)
    return mixed / sqrt(first * second)


attended_linear, attended_rectified = (
    Quantity(
        rf"\rho_{{kk'}}(Z^1)_{{\mathrm{{{name}}}}}",
        partial(_correlation_at_second_attention, name == "ReLU"),
    )
    for name in ("linear", "ReLU")
)

_RECTIFYING = Condition(r"\alpha_2\ne0", lambda p: p[alpha2] != 0)
_any_depth = (*SIZES, Size(ell, 1, 2), *STRENGTHS)
linear_network_bounds_correlations_of_equal_norms = Claim(
    id="noci2022.sec3.2.linear-bound.repair",
    parent="noci2022.sec3.2.linear-bound",
    source=_PLACE,
    kind="bound",
    title="From tokens of one norm, no pair is less correlated with ReLU than with linear activation.",
    statement=Compare(rectified_correlation(ell), ">=", linear_correlation),
    domain=Domain(
        (*_any_depth, Equal(X), *TWO_TOKENS), (NONZERO, IN_RANGE, DIFFERENT, _RECTIFYING)
    ),
    hypotheses=(UNIFORM, GAUSSIAN, EQUAL_NORMS),
    uses=(relu_increases_correlation,),
    note=(
        r"At every depth, for all strengths: with $S$ for what attention has added to all inner products, "
        r"$\rho_{kk'}=(\langle X_k,X_{k'}\rangle+S)/(\|x\|^2+S)$ in the linear network. ReLU makes $S$ larger, "
        r"and with one norm this ratio grows with $S$. The bound needs neither $X_k\ne X_{k'}$ nor "
        r"$\alpha_2\ne0$: where one of them fails it is an equality, which no measurement tells from a "
        "violation. That $S$ has this law is argued in words; the rest is derived."
    ),
)

_cancelling_tokens = {
    m: Integer(2), n: Integer(3), d_v: Integer(1), first_tokens: ImmutableDenseMatrix([[1], [2]]),
    X: ImmutableDenseMatrix([[1], [2], [-3]]), alpha1: Integer(1), alpha2: Integer(1), token: 1,
    other: 2,
}  # fmt: skip
linear_network_bounds_correlations = Claim(
    id="noci2022.sec3.2.linear-bound",
    source=_PLACE,
    kind="prose",
    title="The linear network is said to bound correlations in the ReLU network from below.",
    statement=attended_rectified.at_least(attended_linear),
    domain=Domain(
        (
            Size(m, 1, 3), Computed(n, lambda at: at[m] + 1), Choice(d_v, (Integer(1),)),
            Array(first_tokens), Computed(X, _cancelling),
            *STRENGTHS, *TWO_TOKENS,
        ),
        (EVERY_TOKEN_NONZERO, IN_RANGE),
    ),
    hypotheses=(
        UNIFORM,
        GAUSSIAN,
        Hypothesis(r"d_v=1,\ C(X)=0;\ Z^1:\ \text{the tokens after the attention of block}\ 2"),
    ),
    uses=(relu_increases_correlation,),
    probes=(_cancelling_tokens,),
    severity="missing-hypothesis",
    repair=linear_network_bounds_correlations_of_equal_norms,
    note=(
        r"One ReLU layer with Gaussian weights never lowers a correlation; whole blocks can, where tokens have "
        r"different norms. Tokens $1,2,-3$ with $\alpha_1=\alpha_2=1$: in the linear network $\rho_{12}=1$ at "
        r"every depth, since attention returns zero. With ReLU the mean token leaves zero, and what "
        r"attention then adds to two tokens of different norms is no multiple of them: "
        r"$\rho_{12}=6/\sqrt{40}=0.948\ldots$ after the attention of block $2$. Its feed-forward layer doubles "
        r"squared norms and adds at most the product of the norms, so that after block $2$ still "
        r"$\rho_{12}\le\tfrac12(1+6/\sqrt{40})<1$. Average correlations can fall below the linear ones too: "
        "see `noci2022.sec3.2.relu-increases`."
    ),
)  # fmt: skip

# Perfect alignment --------------------------------------------------------------------------------

relu_network_aligns_all_tokens = Claim(
    id="noci2022.sec3.2.relu-collapse",
    source=_PLACE,
    kind="prose",
    title="With ReLU every correlation tends to one, at least as fast as is known of the linear network.",
    statement=Compare(1 - rectified_correlation(ell), "<=", rate_after(ell)),
    domain=Domain(
        (*_any_depth, Array(X), *TWO_TOKENS),
        (EVERY_TOKEN_NONZERO, IN_RANGE, ATTENDING, POSITIVE_MEAN),
    ),
    hypotheses=(
        UNIFORM,
        GAUSSIAN,
        Hypothesis(r"\alpha_1\ne0,\ C(X)>0:\ \rho\to1\ \text{in the linear network}"),
    ),
    uses=(
        relu_increases_correlation,
        correlation_of_a_pair_tends_to_one_unless_tokens_cancel,
    ),
    note=(
        "The sentence is true of correlations, although the bound that the paper infers it from is not: "
        "`noci2022.sec3.2.linear-bound`. Whether the tokens of one network align is another question: for "
        r"$\alpha_2=0$, where ReLU does not enter, they do if $d_v\ge2$, and do not at $d_v=1$ with "
        r"$\alpha_1=1$ (`noci2022.sec3.2.implying-collapse`). The rate, which tends to "
        r"zero, is ours, and that of `noci2022.sec3.2.pairwise-limit`; $\alpha_2$ may be zero, and norms "
        r"differ. Tokens that sum to zero align too if $\alpha_2\ne0$, as they do not in the linear "
        r"network: not all their cosines are one, and $\kappa(c)>c$ for $c<1$ then gives $C(X^1)$ a "
        "positive mean. That inner products follow the recursion of the certificate is argued in words; "
        "the rest is derived."
    ),
)
