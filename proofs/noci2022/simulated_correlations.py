r"""Proof of what Fig. 8 shows, for uniform attention and tokens of one norm, at every depth.

With $N=\|X\|_F^2$, $C=C(X)$, $0\le C\le nN$ and $a=(1+\tfrac1L)^L\in[1,e]$, scaled networks have

    E||X^L||^2 = a (N + (a - 1) C/n),   rho^L = (n a C/(n N + (a - 1) C) - 1)/(n - 1),

and unscaled ones 2^L in the place of a.
"""

from __future__ import annotations

from functools import cache

from sympy import E, Expr, Integer, exp, symbols

from claims.model import Claim
from claims.noci2022 import simulated_correlations as claims
from claims.noci2022.notation import C, alpha1, alpha2, depth, ell, n, normX
from claims.statement import Compare
from proofs.certificate import Certificate, Checked
from proofs.conclude import conclude
from proofs.facts import BERNOULLI, EXP_ABOVE_TANGENT, POWER_INCREASES
from proofs.kernel import Theorem, both, cut, derived, fact, joint, substitute
from proofs.noci2022.correlation import SUMMED, ratio
from proofs.noci2022.growth import BY_DEPTH, power_above_one, sums_are_nonnegative, tokens_not_zero
from proofs.noci2022.network import block, c, f, gram_induction, induction, same
from proofs.registry import proves

SEVERAL, DEEP = Compare(n, ">=", 2), Compare(depth, ">=", 1)
SCALED = (1 + 1 / depth) ** depth
"""a, from strengths 1/sqrt(L)."""
UNSCALED = Integer(2) ** depth
u, v, x, y = symbols("u v x y", real=True)


def norm_of(a: Expr) -> Expr:
    """E||X^L||^2 where attention and feed-forward branches grow by a each."""
    return a * (normX + (a - 1) * C() / n)


def correlation_of(a: Expr) -> Expr:
    """rho^L likewise; the feed-forward branch cancels."""
    return (n * a * C() / (n * normX + (a - 1) * C()) - 1) / (n - 1)


def closed_forms_are_those_of_the_network() -> bool:
    """Both for any strengths, with p^l and q^l for the two branches."""
    one, first, second = block(), (1 + alpha1**2) ** ell, (1 + alpha2**2) ** ell
    norm = second * (f + (first - 1) * c / n)
    share = (n * first * c / (n * f + (first - 1) * c) - 1) / (n - 1)
    return same(one.norm(ell), norm) and same(ratio(one.inner_products(ell), one.norm(ell)), share)


CLOSED = Checked(
    r"\mathbb E\|X^\ell\|_F^2=q^\ell\left(N+\tfrac{p^\ell-1}nC\right),\ "
    r"\rho^\ell=\tfrac1{n-1}\left(\tfrac{np^\ell C}{nN+(p^\ell-1)C}-1\right),\ "
    r"p=1+\alpha_1^2,\ q=1+\alpha_2^2",
    "algebra in $C$, $N$, $p^\\ell$ and $q^\\ell$",
    closed_forms_are_those_of_the_network,
)


@cache
def between_one_and_e() -> Theorem:
    """1 <= (1 + 1/L)^L <= e."""
    inverse = joint(Compare(1 / depth, ">", 0), given=(DEEP,))
    low = cut(
        fact(BERNOULLI, x=1 / depth, p=depth), joint(Compare(1 / depth, ">=", -1), inverse),
    )  # fmt: skip
    tangent = fact(EXP_ABOVE_TANGENT, x=1 / depth)
    base = joint(Compare(1 + 1 / depth, ">=", 0), inverse)
    high = cut(
        fact(POWER_INCREASES, a=1 + 1 / depth, b=exp(1 / depth), p=depth), tangent, base,
        joint(Compare(depth, ">=", 0), given=(DEEP,)),
    )  # fmt: skip
    one = joint(Compare(depth * (1 / depth), "=", 1), given=(DEEP,))
    return both(joint(Compare(SCALED, ">=", 1), low, one), joint(Compare(SCALED, "<=", E), high))


@cache
def below_square() -> Theorem:
    """u (x + (u - 1) y) <= v^2 x for 1 <= u <= v, y <= x and x > 0."""
    given = (
        Compare(u, ">=", 1), Compare(u, "<=", v), Compare(y, "<=", x), Compare(x, ">", 0),
    )  # fmt: skip
    own = joint(Compare(u * (x + (u - 1) * y), "<=", u**2 * x), given=given)
    wider = joint(Compare(u**2 * x, "<=", v**2 * x), given=given)
    return joint(Compare(u * (x + (u - 1) * y), "<=", v**2 * x), own, wider)


@cache
def stabilised() -> Theorem:
    """All four parts, from 0 <= C <= n N."""
    domain = claims.scaling_stabilises_norm_and_correlation.domain
    sums, nonzero, ends = sums_are_nonnegative(domain), tokens_not_zero(), between_one_and_e()
    grown = {
        quantity: derived(quantity, norm_of(a) / normX, domain, BY_DEPTH)
        for quantity, a in ((claims.scaled_growth, SCALED), (claims.unscaled_growth, UNSCALED))
    }
    before = derived(claims.first_correlation, correlation_of(Integer(1)), domain, BY_DEPTH)
    after = derived(claims.last_correlation, correlation_of(SCALED), domain, BY_DEPTH)
    given = (SEVERAL,)
    within = cut(
        substitute(below_square(), {u: SCALED, v: E, x: normX, y: C() / n}), ends, nonzero,
        joint(Compare(C() / n, "<=", normX), sums, given=given),
    )  # fmt: skip
    kept = joint(claims.scaled_growth.at_most(exp(2)), grown[claims.scaled_growth], within, nonzero)
    power = power_above_one(depth)
    more = joint(Compare(norm_of(UNSCALED), ">=", UNSCALED * normX), sums, power, given=given)
    free = joint(
        claims.unscaled_growth.at_least(2**depth), grown[claims.unscaled_growth], more, nonzero
    )
    return both(kept, *correlations(before, after, sums, nonzero, ends), free)


def correlations(
    before: Theorem, after: Theorem, sums: Theorem, nonzero: Theorem, ends: Theorem
) -> tuple[Theorem, Theorem]:
    """rho^0 <= rho^L <= its limit: n a C/(n N + (a - 1) C) increases with a."""
    part = lambda a: n * a * C() / (n * normX + (a - 1) * C())  # noqa: E731
    below = {a: n * normX + (a - 1) * C() for a in (Integer(1), SCALED, E)}
    positive = {
        a: joint(Compare(d, ">", 0), sums, nonzero, ends, given=(SEVERAL,))
        for a, d in below.items()
    }
    links = []
    for low, high in ((Integer(1), SCALED), (SCALED, E)):
        crossed = joint(
            Compare(low * below[high], "<=", high * below[low]), sums, ends, given=(SEVERAL,)
        )
        ordered = joint(
            Compare(low / below[low], "<=", high / below[high]), crossed, positive[low],
            positive[high],
        )  # fmt: skip
        links.append(joint(Compare(part(low), "<=", part(high)), ordered, sums, given=(SEVERAL,)))
    limit = (part(E) - 1) / (n - 1)
    first = joint(
        Compare(claims.first_correlation, "<=", claims.last_correlation), before, after, links[0],
        given=(SEVERAL,),
    )  # fmt: skip
    return first, joint(claims.last_correlation.at_most(limit), after, links[1], given=(SEVERAL,))


@proves(claims.scaling_stabilises_norm_and_correlation)
def by_bounds_of_the_power(claim: Claim) -> Certificate:
    """1 <= (1 + 1/L)^L <= e, and both closed forms increase with it."""
    return conclude(
        claim,
        stabilised(),
        steps=(*gram_induction(), *induction(), SUMMED, CLOSED),
        method=BY_DEPTH,
    )
