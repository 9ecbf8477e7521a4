r"""Proofs of Theorem 2's and Corollary 1's rates, from the recursions that hold, and of random tokens."""

from __future__ import annotations

from typing import Any

from sympy import Determinant, Identity, Integer, MatrixSymbol, log, symbols

from claims.expressions import ones
from claims.model import Claim
from claims.wu2024 import sphere as claims
from claims.wu2024.cosines import R
from claims.wu2024.notation import N, epsilon, r, t
from claims.wu2024.sphere import t0
from proofs.certificate import Certificate, Checked
from proofs.decide import decide, find_witness, refute
from proofs.registry import proves
from proofs.wu2024.cosines import followed_steps, growth_of_cosines, whole_periods
from proofs.wu2024.lengths import spread_by_cosines
from proofs.wu2024.sphere_limits import ergodic_products, factors_are_inverse_norms, tokens_gather
from proofs.wu2024.steps import algebra, bounded, nonnegative


def cosines_never_fall() -> tuple[Any, ...]:
    """One layer, whatever weight s two rows share: s + (1 - s) phi >= phi >= 0."""
    share, least = symbols("s phi", nonnegative=True)
    step = nonnegative(
        r"s+(1-s)\phi-\phi=s(1-\phi)\ge0", share + (1 - share) * least - least,
        share * (1 - least), given=(1 - least,),
    )  # fmt: skip
    return (step,)


@proves(claims.acute_tokens_collapse_exponentially)
def by_recursion_with_one_column(claim: Claim) -> Certificate:
    """The gap 1 - phi contracts by 1 - eps_0^(2r) = 1 - N eps^(2r) over r layers, from the start."""
    floor, size, other = symbols("eps_0^{2r} N q", positive=True)
    factor = 1 - N * epsilon ** (2 * r)
    steps = (
        *growth_of_cosines("1"), *cosines_never_fall(), *followed_steps(), *whole_periods(),
        *spread_by_cosines(),
        algebra(r"N\epsilon^{2r}=N\,\epsilon_0^{2r}/N=\epsilon_0^{2r}", size * (floor / size), floor),
        nonnegative(
            r"\epsilon_0^{2r}-\epsilon^{2r}=\tfrac{N-1}N\epsilon_0^{2r}\ge0,\ \text{so } N\epsilon\le"
            r"N\epsilon_0<1",
            floor - floor / (other + 1), floor * other / (other + 1),
        ),
    )  # fmt: skip
    return bounded(
        claim, claims.acute_tokens_collapse_exponentially, ((N - 1) / factor * factor ** (t / r),),
        steps=steps, method="recursion of the least cosine through a centre's column",
        scope="all N >= 2, d >= 1, t >= 0, all quasi-strongly connected masks with self-loops",
    )  # fmt: skip


def smaller_epsilon() -> tuple[Any, ...]:
    """(1-q)^x <= 1 - x q on [0, 1], x = r/R <= 1, q = N eps_0^(2R): so N eps^(2r) = x q serves.

    The slope of 1 - x q - (1-q)^x is x((1-q)^(x-1) - 1), and (1+y)^(1-x) >= 1 for 1/(1-q) = 1 + y.
    """
    x, rest, q, y = symbols("x 1-x q y", positive=True)
    low, longer = symbols("r R-r", nonnegative=True)
    return (
        Checked(
            r"\tfrac{d}{dq}\left[1-xq-(1-q)^x\right]=x\left((1-q)^{x-1}-1\right),\ \text{zero at } q=0",
            "differentiation",
            lambda: (
                ((1 - x * q - (1 - q) ** x).diff(q) - x * ((1 - q) ** (x - 1) - 1)).simplify() == 0
                and (1 - x * q - (1 - q) ** x).subs(q, 0) == 0
            ),
        ),
        Checked(
            r"\log(1+y)^{1-x}=(1-x)\log(1+y)\ge0", "the logarithm of a number above one",
            lambda: bool((rest * log(1 + y)).is_nonnegative),
        ),
        nonnegative(
            r"1-\tfrac rR=\tfrac{R-r}R\ge0,\ \text{a centre's farthest token is no farther than } R",
            1 - (low + 1) / (low + 1 + longer), longer / (low + 1 + longer),
        ),
    )  # fmt: skip


@proves(claims.tokens_in_a_hemisphere_collapse_exponentially)
def by_recursion_once_acute(claim: Claim) -> Certificate:
    """Tokens gather, so cosines are positive from some t_0 on; then the gap contracts over R layers."""
    factor = 1 - N * epsilon ** (2 * r)
    early = algebra(r"t<t_0+R:\ 1-\phi\le2,\ (1-N\epsilon^{2r})^{-s}\ge1", 1 - Integer(-1), 2)
    steps = (
        *ergodic_products(), *factors_are_inverse_norms(), *tokens_gather(),
        *growth_of_cosines("N"), *cosines_never_fall(), *followed_steps(), *whole_periods(),
        *spread_by_cosines(), *smaller_epsilon(), early,
    )  # fmt: skip
    return bounded(
        claim, claims.tokens_in_a_hemisphere_collapse_exponentially,
        (2 * (N - 1) * factor ** ((t - t0 - R) / r),), steps=steps,
        method="recursion of the least cosine over the longest distance, once all are positive",
        scope="all N >= 2, d >= N, t >= 0, all strongly connected masks with self-loops",
    )  # fmt: skip


@proves(claims.random_tokens_meet_both_conditions)
def by_a_null_set(claim: Claim) -> Certificate:
    """det X X^T is a polynomial that is one somewhere, so it vanishes on a null set only."""
    method = "dependent tokens form a null set (zeros of a polynomial); X v = 1 has a solution"
    scope = "all d >= N >= 1"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    whole = MatrixSymbol("XX^T", N, N)
    steps = (
        Checked(
            r"\det(XX^\top)=\det I_N=1\ \text{at orthonormal tokens, which exist for } N\le d",
            "a polynomial that is not zero; its zeros are a null set for Gaussian tokens (classical), "
            "and scaling tokens to unit norm keeps their rank",
            lambda: Determinant(Identity(N)).doit() == 1,
        ),
        Checked(
            r"Xv=1\ \text{for } v=X^\top(XX^\top)^{-1}1,\ \text{so } v/\|v\|\ \text{serves in (i)}",
            "inverse of the Gram matrix, N symbolic",
            lambda: (whole * whole.inv() * ones(N)).doit() == ones(N),
        ),
    )
    return decide(claim, Integer(1), steps=steps, method=method, scope=scope)
