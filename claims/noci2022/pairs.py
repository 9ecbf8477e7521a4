r"""Sec. 3.2: two tokens along the depth, at every finite depth and in the limit.

After l blocks E<X_k^l, X_k'^l> = (1 + alpha_2^2)^l (<X_k, X_k'> + c), where
c = ((1 + alpha_1^2)^l - 1) C(X)/n^2 is the same for every pair: no equal norms are needed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Sum, sqrt

from claims.domain import Array, Condition, Domain, Point, Size
from claims.model import Claim, Hypothesis, Understood
from claims.noci2022.forward import inner_products_after_depth
from claims.noci2022.growth import UNIT, UNIT_STRENGTHS
from claims.noci2022.network import (
    EVERY_TOKEN_NONZERO,
    IN_RANGE,
    LINEAR,
    POSITIVE_MEAN,
    SIZES,
    STRENGTHS,
    TWO_TOKENS,
    XAVIER,
    Network,
    feature,
    numbers,
    other,
    product_of_tokens,
    token,
)
from claims.noci2022.notation import C, X, alpha1, alpha2, d_v, depth, ell, n, source
from claims.noci2022.setup import UNIFORM
from claims.statement import Compare, Quantity
from claims.terms import entry

HYPOTHESES = (UNIFORM, LINEAR, XAVIER)


def _pair(gram: list[list[Any]], at: Point) -> tuple[Any, Any, Any]:
    """The squared norms of tokens k and k', and their inner product."""
    k, l = int(at[token]) - 1, int(at[other]) - 1  # noqa: E741
    return gram[k][k], gram[l][l], gram[k][l]


def _correlation(gram: list[list[Any]], at: Point) -> Expr:
    first, second, inner = _pair(gram, at)
    return inner / sqrt(first * second)


def _distance(gram: list[list[Any]], at: Point) -> Expr:
    first, second, inner = _pair(gram, at)
    return first + second - 2 * inner


@lru_cache(maxsize=1024)
def _network(tokens: Any, strength1: Any, strength2: Any) -> Network:
    return Network.unscaled({X: tokens, alpha1: strength1, alpha2: strength2})


@lru_cache(maxsize=1024)
def _averaged(network: Network, layers: int) -> list[list[Any]]:
    return numbers(network.after(layers).gram())


@lru_cache(maxsize=1024)
def _parts(network: Network) -> list[Any]:
    return network.growing()


def _of_point(at: Point) -> Network:
    return _network(at[X], at[alpha1], at[alpha2])


def _gram(at: Point, layers: Any) -> list[list[Any]]:
    return _averaged(_of_point(at), int(layers))


def _leading(at: Point) -> list[list[Any]]:
    """The fastest growing part, of those in which both tokens are."""
    places = [int(at[k]) - 1 for k in (token, other)]
    seen = (part for part in _parts(_of_point(at)) if all(part[1][k][k] for k in places))
    leading: list[list[Any]] = max(seen, key=lambda part: part[0])[1]
    return leading


squared_distance = Quantity(
    r"\mathbb E\|X^\ell_k-X^\ell_{k'}\|^2", lambda at: _distance(_gram(at, at[ell]), at)
)
expected_square = Quantity(
    r"\mathbb E\|X^\ell_k\|^2", lambda at: _pair(_gram(at, at[ell]), at)[0], nonnegative=True
)
correlation_after = Quantity(r"\rho^\ell_{kk'}", lambda at: _correlation(_gram(at, at[ell]), at))
missing_correlation = Quantity(
    r"1-\rho^L_{kk'}", lambda at: 1 - _correlation(_gram(at, at[depth]), at)
)


def limiting_correlation_of_pair(at: Point) -> Expr:
    """lim rho_kk'^L with constant strengths."""
    return _correlation(_leading(at), at)


difference = Sum((entry(X)(token, feature) - entry(X)(other, feature)) ** 2, (feature, 1, d_v))
"""The squared distance of two input tokens."""
first_square, second_square = (product_of_tokens(k, k) for k in (token, other))
inner_product = product_of_tokens(token, other)
DIFFERENT = Condition(
    r"X_k\ne X_{k'}",
    lambda p: (
        p[X].row(int(p[token]) - 1) != p[X].row(int(p[other]) - 1)
        if max(p[token], p[other]) <= p[n]
        else True
    ),
    Compare(difference, ">", 0),
)
ATTENDING = Condition(r"\alpha_1\ne0", lambda p: p[alpha1] != 0, Compare(alpha1**2, ">", 0))
OTHER_TOKEN = Condition("k\\ne k'", lambda p: p[token] != p[other])

different_tokens_stay_different_at_every_depth = Claim(
    id="noci2022.sec3.2.finite-depth",
    source=source("Sec. 3.2", "first paragraph"),
    kind="prose",
    title="With skip connections different tokens stay apart at every finite depth, in mean square.",
    statement=squared_distance.above(0)
    & (
        Compare(C(), ">", 0) | Compare(inner_product, "<", sqrt(first_square * second_square))
    ).implies(correlation_after.below(1)),
    domain=Domain(
        (*SIZES, Size(ell, 1, 3), *STRENGTHS, Array(X), *TWO_TOKENS),
        (EVERY_TOKEN_NONZERO, IN_RANGE, DIFFERENT, ATTENDING),
    ),
    hypotheses=HYPOTHESES,
    uses=(inner_products_after_depth,),
    understood=(
        Understood(
            "Tokens stay apart in mean square, as Sec. 3.2 measures them throughout; weights with a density, "
            "as Xavier's and He's of Sec. 2, keep them apart almost surely.",
            r"$d_v=1$, $\alpha_1=\alpha_2=1$, weights $\pm1$: as $1+W^{F_1}W^{F_2}$ is $0$ or $2$, all tokens "
            r"are equal after $\ell$ blocks with probability $1-2^{-\ell}$, while of $X=(1,2)^\top$ the mean "
            r"of $(x_1-x_2)^2$ is $2^\ell$.",
        ),
    ),
    note=(
        "Rank collapse is, in Sec. 2, that all tokens are equal. The sentence recalls that skip "
        "connections prevent it and says that this holds for any finite depth. That correlations stay "
        r"below one too is the second part: only tokens that were aligned from the start keep $\rho=1$, "
        r"and of these only where $C(X)=0$. $\alpha_2$ may be zero. "
        r"With a density of the weights different tokens of almost every network stay different: for "
        r"$\delta=X_k^\ell-X_{k'}^\ell\ne0$ the row $r=\delta W^{F_1}$ is almost surely not zero, and given it "
        r"$rW^{F_2}$ has a density, so that $\delta+\alpha_2rW^{F_2}=0$ has probability zero. In mean square "
        r"they do for every law of mean zero."
    ),
)

pair_limit = Quantity(r"\lim_{L\to\infty}\rho^L_{kk'}", limiting_correlation_of_pair)


def rate_after(layers: Any) -> Expr:
    """A bound on 1 - rho_kk' after so many blocks."""
    return n**2 * difference / (2 * ((1 + alpha1**2) ** layers - 1) * C())


correlation_of_a_pair_tends_to_one_unless_tokens_cancel = Claim(
    id="noci2022.sec3.2.pairwise-limit.repair",
    parent="noci2022.sec3.2.pairwise-limit",
    source=source("Sec. 3.2", "before Eq. (14)"),
    kind="limit",
    title="Unless tokens sum to zero, every correlation tends to one, whatever the norms, exponentially fast.",
    statement=pair_limit.equals(1) & missing_correlation.at_most(rate_after(depth)),
    domain=Domain(
        (*SIZES, Size(depth, 1, 3), *STRENGTHS, Array(X), *TWO_TOKENS),
        (EVERY_TOKEN_NONZERO, IN_RANGE, ATTENDING, POSITIVE_MEAN),
    ),
    hypotheses=(
        *HYPOTHESES,
        Hypothesis(r"\alpha_1\ne0,\ \alpha_2\ \text{independent of } L"),
        Hypothesis("C(X)>0"),
    ),
    note=(
        r"Equal norms, which Theorem 3.3 asks for, are not needed; nor is $\alpha_2\ne0$. The rate is ours: "
        r"with $C(X)=n^2\|\bar x\|^2$ it is $\|X_k-X_{k'}\|^2/(2((1+\alpha_1^2)^L-1)\|\bar x\|^2)$."
    ),
)

correlation_of_a_pair_tends_to_one = Claim(
    id="noci2022.sec3.2.pairwise-limit",
    source=source("Sec. 3.2", "before Eq. (14)"),
    kind="limit",
    title="Without scaling, the correlation of any two different tokens tends to one.",
    statement=pair_limit.equals(1),
    domain=Domain(
        (*SIZES, *UNIT_STRENGTHS, Array(X), *TWO_TOKENS),
        (EVERY_TOKEN_NONZERO, IN_RANGE, OTHER_TOKEN),
    ),
    hypotheses=(*HYPOTHESES, UNIT),
    understood=(
        Understood(
            r"No token is zero.", r"$X=0$: every $\rho_{kk'}^\ell$ of Eq. (5) is $0/0$."
        ),
    ),
    probes=(
        {
            n: 2, d_v: 1, alpha1: Integer(1), alpha2: Integer(1),
            X: ImmutableDenseMatrix([[1], [-1]]), token: 1, other: 2,
        },
    ),
    severity="missing-hypothesis",
    repair=correlation_of_a_pair_tends_to_one_unless_tokens_cancel,
    note=(
        r"False when the tokens sum to zero, as Eq. (16) is: uniform attention then returns zero and "
        r"$\rho_{kk'}$ stays as it is. The print sets $\alpha_1=\alpha_2=1$."
    ),
)  # fmt: skip
