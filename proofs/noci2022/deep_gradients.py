r"""Proofs about query gradients along the depth, and about tokens of one norm.

With Y = L X, the tokens less their mean, Eq. (7) holds $\|Y^\top Y\|_F^2=\sum_{k,l}\langle Y_k,Y_l\rangle^2$,
which is at most $(\sum_k\|Y_k\|^2)^2$; and $\sum_k\|Y_k\|^2=\|X\|_F^2-C(X)/n$.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Sum, Symbol, symbols

from claims.expressions import FrobSq
from claims.model import Claim
from claims.noci2022 import deep_gradients as claims
from claims.noci2022.network import NONZERO, feature, other, token
from claims.noci2022.notation import (
    WF1,
    WF2,
    C,
    X,
    alpha2,
    centre,
    d_v,
    n,
    norm_scatter,
    normX,
    sigma_k,
    sigma_v,
)
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import algebra, summed_over
from proofs.calculus.wick import equal
from proofs.certificate import Certificate, Checked
from proofs.conclude import conclude
from proofs.decide import refute, same
from proofs.facts import CAUCHY_SCHWARZ
from proofs.kernel import (
    Theorem,
    assume,
    derived,
    fact,
    identity,
    joint,
    rewritten,
    sum_rearranged,
    unfold,
)
from proofs.noci2022.correlation import BY_RATIO, SUMMED, ratio
from proofs.noci2022.network import NEXT, average
from proofs.noci2022.setup import expected_norm, uniform_jacobian
from proofs.noci2022.vanishing import BY_WORDS
from proofs.registry import proves

# Along the depth ----------------------------------------------------------------------------------


def differences_are_multiplied() -> bool:
    """L X' = L X (I + alpha_2 W^F1 W^F2), with E||L X'||^2 = (1 + alpha_2^2) ||L X||^2, for all sizes."""
    centred = centre * X
    turned = centred + alpha2 * centred * WF1 * WF2
    grown = average(FrobSq(centre * NEXT)) - (1 + alpha2**2) * FrobSq(centred)
    return bool(equal(centre * NEXT, turned)) and same(grown, 0)


DIFFERENCES = Checked(
    r"LX^{\ell+1}=LX^\ell(I+\alpha_2W^{F_1}W^{F_2}),\ "
    r"\mathbb E\|LX^\ell\|_F^2=(1+\alpha_2^2)^\ell\|LX\|_F^2",
    "index calculus and integration by parts, for all sizes",
    differences_are_multiplied,
)


@proves(claims.high_correlation_causes_vanishing_gradients)
def by_tokens_whose_mean_outgrows_them(claim: Claim) -> Certificate:
    """Differences grow, and the mean grows faster: the correlation tends to one, the gradient to infinity."""
    return refute(claim, steps=(DIFFERENCES,), method="sixth moments of a network of width one")


# Tokens of one norm -------------------------------------------------------------------------------

TOKENS, OTHERS, FEATURES = (token, 1, n), (other, 1, n), (feature, 1, d_v)
_a, _b, _c = symbols("a b c", real=True)
BY_TRACE = r"$\|Y^\top Y\|_F\le\|Y\|_F^2$ for $Y=LX$"


def centred(k: Any) -> Expr:
    """Entry z of Y_k = X_k - xbar."""
    j = Symbol("j", integer=True, positive=True)
    x = entry(X)
    return x(k, feature) - Sum(x(j, feature), (j, 1, n)) / n


def product_of_centred(k: Any, l: Any) -> Expr:  # noqa: E741
    """<Y_k, Y_l>."""
    return Sum(centred(k) * centred(l), FEATURES)


@cache
def scatter_below_trace() -> Theorem:
    """||Y^T Y||_F^2 <= (sum of ||Y_k||^2)^2, by the Cauchy-Schwarz inequality of two tokens."""
    domain = claims.gradients_vanish_with_the_spread_of_tokens_of_one_norm.domain
    k, l = Symbol("k", integer=True, positive=True), Symbol("l", integer=True, positive=True)  # noqa: E741
    own, its, product = (product_of_centred(*pair) for pair in ((k, k), (l, l), (k, l)))
    schwarz = fact(CAUCHY_SCHWARZ, a=centred(k), b=centred(l), k=feature, low=1, high=d_v)
    each = joint(Compare(product**2, "<=", own * its), schwarz)
    summed = summed_over(each, (k, n), (l, n))
    first, second = Sum(own, (k, 1, n)), Sum(its, (l, 1, n))
    factored = sum_rearranged(summed.formula.right, first * second)
    whole = unfold(norm_scatter, summed.formula.left, domain)
    spread = FrobSq(centre * X)
    traces = [unfold(spread, trace, domain) for trace in (first, second)]
    bound = Compare(norm_scatter, "<=", spread**2)
    return joint(bound, whole, summed, factored, *traces)


@cache
def below_spread_of_cosines() -> Theorem:
    """Eq. (7) with N = n g and (n - 1)(1 - rho) g = N - C/n, the spread ||L X||_F^2."""
    repaired = claims.gradients_vanish_with_the_spread_of_tokens_of_one_norm
    domain, spread = repaired.domain, FrobSq(centre * X)
    scale = sigma_v**2 * sigma_k**2 * d_v / n**2
    exact = derived(claims.query_norm, expected_norm(uniform_jacobian("queries")), domain, BY_WORDS)
    exact = rewritten(exact, scale * normX * norm_scatter)
    assert NONZERO.formula is not None
    nonzero = assume(NONZERO.formula)
    cosine = derived(claims.mean_cosine, ratio(C(), normX), domain, BY_RATIO)
    several = Compare(n, ">=", 2)
    part = joint(
        Compare((n - 1) * (1 - claims.mean_cosine) * normX / n, "=", normX - C() / n),
        cosine, nonzero, given=(several,),
    )  # fmt: skip
    same_spread = joint(
        Compare((n - 1) * (1 - claims.mean_cosine) * normX / n, "=", spread),
        part, identity(spread, normX - C() / n, domain),
    )  # fmt: skip
    bound = algebra(
        Compare(_a * _b, "<=", _a * _c**2), (Compare(_a, ">=", 0), Compare(_b, "<=", _c**2)),
        {_a: scale * normX, _b: norm_scatter, _c: spread},
        scatter_below_trace(),
        joint(
            Compare(scale * normX, ">=", 0), nonzero,
            given=(several, Compare(d_v, ">=", 1)),
        ),
    )  # fmt: skip
    equal_sides = joint(
        Compare(claims.bound_by_cosine, "=", scale * normX * spread**2),
        same_spread,
        nonzero,
        given=(several,),
    )
    return joint(claims.query_norm.at_most(claims.bound_by_cosine), exact, bound, equal_sides)


@proves(claims.gradients_vanish_with_the_spread_of_tokens_of_one_norm)
def by_the_trace_of_the_scatter(claim: Claim) -> Certificate:
    """A positive matrix has at most the norm of its trace, which is the spread of the tokens."""
    return conclude(claim, below_spread_of_cosines(), steps=(SUMMED,), method=BY_TRACE)
