r"""Proofs of Theorem 2's rate in the chart, Corollary 1's by its recursion, and of random tokens."""

from __future__ import annotations

from sympy import Determinant, Identity, MatrixSymbol, sqrt, symbols

from claims.expressions import ones
from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import sphere as claims
from claims.wu2024.cosines import squared_spread_now
from claims.wu2024.notation import N, d, epsilon, r, t
from claims.wu2024.sphere import largest_floor, least, smaller
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude
from proofs.kernel import assume, congruent, cut, joint, substitute, unfold
from proofs.registry import proves
from proofs.wu2024.chart import contraction_below_one, floor, margin
from proofs.wu2024.cosines import one_period_less, share, spread_of_the_network
from proofs.wu2024.gathering import endless, spread_of_tokens


@proves(claims.acute_tokens_collapse_exponentially)
def by_recursion_with_one_column(claim: Claim) -> Certificate:
    """The gap 1 - phi contracts by 1 - eps^(2r) = 1 - N eps_1^(2r) over r layers, from the start."""
    domain = claims.acute_tokens_collapse_exponentially.domain
    q = share(False)
    squared = spread_of_the_network(t)
    size, whole = symbols("u", real=True), squared.formula.left
    rate = joint(
        Compare(size, "<=", N / (1 - q) * (1 - q) ** (t / r)), squared, one_period_less(t, False),
        given=(Compare(size, "=", whole),),
    )  # fmt: skip
    smaller_floor = substitute(rate, {epsilon: largest_floor, size: whole})
    read = unfold(squared_spread_now, whole, domain)
    own = joint(Compare(whole, "=", whole))
    factor = 1 - N * smaller ** (2 * r)
    goal = Compare(squared_spread_now, "<=", N / factor * factor ** (t / r))
    return conclude(
        claim, joint(goal, cut(smaller_floor, own), read),
        method="recursion of the least cosine through a centre's column",
    )  # fmt: skip


@proves(claims.tokens_in_a_hemisphere_collapse_exponentially)
def by_contraction_in_the_chart(claim: Claim) -> Certificate:
    """mu^2 <= 2 N d/gamma^2 q^(2(t/r - (r-1)/r)) for q = 1 - (eps_0 gamma)^r, and q^2 = 1 - N eps^(2r)."""
    domain = claims.tokens_in_a_hemisphere_collapse_exponentially.domain
    squared = spread_of_tokens()
    whole = squared.formula.left
    given = Compare(least, "<", 1 / N)
    below_one = joint(Compare(least, "<", 1), given=(given,))
    reached = substitute(squared, {floor: least, margin: claims.margin})
    bound = endless(cut(reached, below_one), least)
    read = unfold(claims.spread_in_turn, whole, domain)
    factor, contracted = 1 - N * epsilon ** (2 * r), 1 - (least * claims.margin) ** r
    allowed = assume(Compare(N * epsilon ** (2 * r), "=", 1 - contracted**2))
    positive = joint(
        Compare(contracted, ">", 0),
        cut(substitute(contraction_below_one(), {floor: least, margin: claims.margin}), below_one),
    )
    root = joint(Compare(contracted, "=", sqrt(factor)), allowed, endless(positive, least))
    base, exponent = symbols("b", real=True), 2 * (t / r) - 2 * (r - 1) / r
    constant = 2 * N * d / claims.margin**2
    powers = cut(congruent(constant * base**exponent, base, contracted, sqrt(factor)), root)
    own = symbols("q", positive=True)
    apart = joint(
        Compare(own ** (exponent / 2), "=", own ** (-(r - 1) / r) * own ** (t / r)),
    )
    split = cut(substitute(apart, {own: factor}), joint(Compare(factor, ">", 0), allowed, positive))
    goal = Compare(
        claims.spread_in_turn, "<=", constant * factor ** (-(r - 1) / r) * factor ** (t / r)
    )
    return conclude(
        claim,
        cut(joint(goal, bound, read, powers, endless(split, least)), endless(positive, least)),
        method=r"contraction over $r$ layers in the chart $X/\langle X,v\rangle$",
    )


@proves(claims.random_tokens_meet_both_conditions)
def by_a_null_set(claim: Claim) -> Certificate:
    """det X X^T is a polynomial that is one somewhere, so it vanishes on a null set only."""
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
            "inverse of the Gram matrix, $N$ symbolic",
            lambda: (whole * whole.inv() * ones(N)).doit() == ones(N),
        ),
    )
    return argued(
        claim, steps=steps,
        method="dependent tokens form a null set (zeros of a polynomial); $Xv=1$ has a solution",
    )  # fmt: skip
