r"""Does a high correlation of the tokens make the gradients of queries and keys vanish?

Covered: the sentence of Sec. 5 that says so, and the opening of Sec. 3.  It is judged in the network of
Theorem 3.3, where the correlation tends to one.  At width one a block multiplies the centred tokens by
1 + alpha_2 f g, with f = W^{F_1} and g = W^{F_2}, and their mean by (1 + alpha_2 f g)(1 + alpha_1 w), with
w = W^V.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Poly, oo, symbols

from claims.definitions import expectation
from claims.domain import Choice, Domain, Equal, Point, Real, Size
from claims.model import Claim, Hypothesis
from claims.noci2022.backward import query_gradient_norm_of_uniform_attention
from claims.noci2022.correlation import (
    ACTIVE,
    CONSTANT,
    HYPOTHESES,
    SO_THAT_RHO_TENDS_TO_ONE,
    unscaled_correlation_limit_repaired,
)
from claims.noci2022.network import (
    EQUAL_NORMS,
    NONZERO,
    POSITIVE_MEAN,
    STRENGTHS,
    correlation,
)
from claims.noci2022.notation import (
    X,
    alpha1,
    alpha2,
    d_k,
    d_v,
    n,
    normX,
    sigma_k,
    sigma_q,
    sigma_v,
    source,
)
from claims.noci2022.setup import (
    FIXED_TOKENS,
    UNIFORM,
    ZERO_MEAN_WEIGHTS,
    expected_gradient_norm,
    positive,
)
from claims.noci2022.vanishing import query_and_key_gradients_vanish_under_rank_collapse
from claims.statement import Quantity

# Along the depth, at width one --------------------------------------------------------------------

_spread, _shift = symbols("s t", real=True)
_WEIGHTS = symbols("w f g", real=True)


def _gradient(tokens: Any) -> Poly:
    """E||dS/dW^Q||^2 at tokens xbar t + (x_k - xbar) s, with d_v = d_k = 1, in s and t."""
    mean = sum(tokens) / Integer(tokens.rows)
    moved = tokens.applyfunc(lambda x: mean * _shift + (x - mean) * _spread)
    at = {n: Integer(tokens.rows), d_v: Integer(1), d_k: Integer(1), X: moved}
    return Poly(expected_gradient_norm("queries")(at), _spread, _shift)


@lru_cache(maxsize=1024)
def _growth(spread: int, shift: int, strength1: Any, strength2: Any) -> Expr:
    """The factor by which one block multiplies E s^a t^b."""
    w, f, g = _WEIGHTS
    factor = (1 + strength2 * f * g) ** (spread + shift) * (1 + strength1 * w) ** shift
    value: Expr = expectation(factor.expand(), dict.fromkeys(_WEIGHTS, Integer(1)))
    return value


@lru_cache(maxsize=1024)
def _modes(tokens: Any, strength1: Any, strength2: Any) -> tuple[tuple[Expr, Expr], ...]:
    """Pairs (rate, part) with E||dS^l/dW^{Q,l}||^2 = sum of rate^l part; no part is negative."""
    return tuple(
        (_growth(a, b, strength1, strength2), part) for (a, b), part in _gradient(tokens).terms()
    )


def gradient_after(point: Point, layers: int) -> Expr:
    """E||dS^l/dW^{Q,l}||_F^2 after so many blocks."""
    modes = _modes(point[X], point[alpha1], point[alpha2])
    return sum((rate**layers * part for rate, part in modes), start=Integer(0))


def _limiting_gradient(point: Point) -> Expr:
    modes = [(r, part) for r, part in _modes(point[X], point[alpha1], point[alpha2]) if part != 0]
    if any(rate > 1 for rate, _ in modes):
        return oo
    return sum((part for rate, part in modes if rate == 1), start=Integer(0))


limiting_gradient = Quantity(
    r"\lim_{\ell\to\infty}\mathbb E\left\|\frac{\partial S^\ell}{\partial W^{Q,\ell}}\right\|_F^2",
    _limiting_gradient,
)

# One layer, for tokens of one norm ----------------------------------------------------------------


def _mean_cosine(at: Point) -> Expr:
    return correlation((at[X] * at[X].T).tolist())


mean_cosine = Quantity(r"\hat\rho", _mean_cosine)
query_norm = Quantity(
    r"\mathbb E\left\|\frac{\partial S}{\partial W^Q}\right\|_F^2",
    expected_gradient_norm("queries"),
)
common_square = normX / n
"""The squared norm of each token."""
bound_by_cosine = (
    sigma_v**2 * sigma_k**2 * d_v / n * common_square**3 * ((n - 1) * (1 - mean_cosine)) ** 2
)

_SENTENCE = source("Sec. 5 and Sec. 3", "first sentences")
gradients_vanish_with_the_spread_of_tokens_of_one_norm = Claim(
    id="noci2022.sec5.correlation-vanishing.repair",
    parent="noci2022.sec5.correlation-vanishing",
    source=_SENTENCE,
    kind="bound",
    title="For tokens of one norm the query gradient falls with the square of one minus their mean cosine.",
    statement=query_norm.at_most(bound_by_cosine),
    domain=Domain(
        (
            Size(n, 2, 3), Size(d_v, 1, 3), Size(d_k, 1, 2), Equal(X),
            *(Real(sigma, **positive) for sigma in (sigma_q, sigma_k, sigma_v)),
        ),
        (NONZERO,),
    ),
    hypotheses=(
        UNIFORM,
        ZERO_MEAN_WEIGHTS,
        FIXED_TOKENS,
        EQUAL_NORMS,
        Hypothesis(r"\hat\rho=\tfrac1{n(n-1)}\textstyle\sum_{k\ne k'}\cos\theta_{kk'}"),
    ),
    note=(
        r"$\|X\|_F^2/n$ is the squared norm of every token: one number that stays, as after layer "
        r"normalisation. Then $\hat\rho\to1$ makes the gradient vanish. Where tokens are random, the mean of "
        r"the bound is a bound. It is an equality for $n=2$; keys have $\sigma_q$ for $\sigma_k$."
    ),
)  # fmt: skip

_three_tokens = {
    n: Integer(3), d_v: Integer(1), d_k: Integer(1), alpha1: Integer(1), alpha2: Integer(1),
    X: ImmutableDenseMatrix([[1], [1], [-1]]),
}  # fmt: skip
high_correlation_causes_vanishing_gradients = Claim(
    id="noci2022.sec5.correlation-vanishing",
    source=_SENTENCE,
    kind="prose",
    title="High correlation of the tokens is said to make the gradients of queries and keys vanish.",
    statement=limiting_gradient.equals(0),
    domain=Domain(
        (
            Size(n, 2, 4), Choice(d_v, (Integer(1),)), Choice(d_k, (Integer(1),)), *STRENGTHS,
            Equal(X),
        ),
        (NONZERO, POSITIVE_MEAN, ACTIVE),
    ),
    hypotheses=(
        *HYPOTHESES,
        CONSTANT,
        SO_THAT_RHO_TENDS_TO_ONE,
        Hypothesis(r"d_v=d_k=1,\ \text{Gaussian weights of variance } 1/d_v\text{ and }1/d_k"),
    ),
    uses=(
        query_gradient_norm_of_uniform_attention,
        query_and_key_gradients_vanish_under_rank_collapse,
        unscaled_correlation_limit_repaired,
    ),
    probes=(_three_tokens,),
    severity="missing-hypothesis",
    repair=gradients_vanish_with_the_spread_of_tokens_of_one_norm,
    note=(
        "In the paper's own network without scaling the correlation tends to one and these expected "
        "gradients grow without bound, for every width and every law of the weights, unless all tokens are "
        "equal. Attention adds one row to all tokens, so that "
        r"$LX^{\ell+1}=LX^\ell(I+\alpha_2W^{F_1}W^{F_2})$ and $\mathbb "
        r"E\|LX^\ell\|_F^2=(1+\alpha_2^2)^\ell\|LX\|_F^2$: $\rho\to1$ because the mean outgrows the "
        r"differences in mean square, and not because these shrink. As $\|X^\ell\|_F\ge\|LX^\ell\|_F$ and "
        r"$\|X^{\ell\top}LX^\ell\|_F\ge\|LX^\ell\|_F^2/\sqrt r$ with $r=\min(n-1,d_v)$, Eq. (7) and "
        "Jensen's inequality give at least "
        r"$\sigma_v^2\sigma_k^2\tfrac{d_v}{n^2r}(1+\alpha_2^2)^{3\ell}\|LX\|_F^6$. Three tokens $1,1,-1$ "
        r"with $\alpha_1=\alpha_2=1$ and Gaussian weights have exactly "
        r"$\tfrac19(\tfrac{512}{27}376^\ell+\tfrac{64}{27}752^\ell)$. Theorem 3.2 stands: it asks for "
        r"$X=1_nx^\top$. What fails is the step from $\rho^\ell\to1$ of Theorem 3.3 to that hypothesis. Even "
        r"where the tokens of almost every network align, as with Gaussian weights and $d_v\ge2$ "
        "(`noci2022.sec3.2.implying-collapse.repair`), their differences do not vanish: they fall behind a "
        "mean token that grows faster. The sentence needs that the norms of tokens stay bounded, "
        "as layer normalisation makes them in Fig. 3, which the analysis of the paper omits. Sec. 3.3 says "
        "that by Theorem 3.3 and Fig. 3 unscaled branches can lead to 'this phenomenon', query gradients that "
        "fall against value gradients. They can, in Fig. 3 (`noci2022.fig-3`); Theorem 3.3 does not show it: "
        r"by (6) and (10) value gradients grow like $((1+\alpha_1^2)(1+\alpha_2^2))^\ell$, and the ratio of "
        r"query to value gradients at least like $((1+\alpha_2^2)^2/(1+\alpha_1^2))^\ell$. For $1,1,-1$ at "
        r"$\alpha_1=\alpha_2=1$ it is $\tfrac{64}9$, then $743$ and $8.4\cdot10^4$, while $\rho$ rises from "
        r"$-\tfrac13$ to $-\tfrac15$ and $0$; with $\alpha_2=0$ it does fall, from $\tfrac{64}9$ to "
        r"$\tfrac{64}{81}$ in the limit."
    ),
)  # fmt: skip
