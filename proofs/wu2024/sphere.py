r"""Proofs of Theorem 2's rate in the chart, Corollary 1's by its recursion, and of random tokens."""

from __future__ import annotations

from sympy import Determinant, Identity, Integer, MatrixSymbol, sqrt, symbols

from claims.expressions import ones
from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import sphere as claims
from claims.wu2024.cosines import squared_spread_now
from claims.wu2024.notation import N, d, epsilon, r, t
from claims.wu2024.sphere import largest_floor, least, smaller
from proofs.calculation import algebra, replaced
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued, conclude
from proofs.facts import POWER_FALLS, POWER_INCREASES
from proofs.kernel import Theorem, assume, both, cut, fact, joint, substitute, unfold
from proofs.registry import proves
from proofs.wu2024.chart import floor, margin, margin_at_most_one
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


factor, contracted = 1 - N * epsilon ** (2 * r), 1 - epsilon**r


def factor_is_slower(*theorems: Theorem) -> Theorem:
    """1 - eps^r <= sqrt(1 - N eps^(2r)), where the theorems say 0 < eps and N eps < 1."""
    y = symbols("y", positive=True)
    below_one = joint(Compare(epsilon, "<=", 1), *theorems)
    falls = cut(fact(POWER_FALLS, a=epsilon, p=Integer(1), q=r), below_one, *theorems)
    less = joint(Compare(N * epsilon**r, "<", 1), falls, *theorems)
    given = (Compare(N * y, "<", 1), Compare(N, ">=", 1))
    squares = joint(Compare(1 - y, ">", 0) & Compare((1 - y) ** 2, "<=", 1 - N * y**2), given=given)
    positive = Compare(1 - y, ">", 0) & Compare(1 - N * y**2, ">", 0)
    roots = joint(positive & Compare(1 - y, "<=", sqrt(1 - N * y**2)), squares)
    return cut(substitute(roots, {y: epsilon**r}), less)


@proves(claims.tokens_in_a_hemisphere_collapse_exponentially)
def by_contraction_in_the_chart(claim: Claim) -> Certificate:
    """mu^2 <= 2 N d/gamma^2 q^(2(t/r - (r-1)/r)) for q = 1 - eps^r, and q^2 <= 1 - N eps^(2r)."""
    domain = claims.tokens_in_a_hemisphere_collapse_exponentially.domain
    squared = spread_of_tokens()
    whole = squared.formula.left
    given = Compare(least, "<", 1 / N)
    below_one = joint(Compare(least, "<", 1), given=(given,))
    reached = substitute(squared, {floor: least, margin: claims.margin})
    bound = endless(cut(reached, below_one), least)
    read = unfold(claims.spread_in_turn, whole, domain)
    own = assume(Compare(epsilon, "=", least * claims.margin))
    below = substitute(margin_at_most_one(), {floor: least, margin: claims.margin})
    small = joint(
        Compare(N * epsilon, "<", 1), own, endless(cut(below, below_one), least), given=(given,)
    )
    late, constant = -2 * (r - 1) / r, 2 * N * d / claims.margin**2
    slower = factor_is_slower(small, joint(Compare(epsilon, ">", 0), own))
    base, q = symbols("b", real=True), symbols("q", positive=True)
    equal = replaced(1 - base**r, base, own)
    left = joint(Compare(1 - (least * claims.margin) ** r, ">", 0), slower, equal)
    named = replaced(constant * (1 - base**r) ** (2 * (t / r) + late), base, own)
    apart = joint(Compare(q ** (2 * (t / r) + late), "=", q**late * q ** (2 * t / r)))
    split = cut(substitute(apart, {q: contracted}), slower)
    later = joint(Compare(2 * t / r, ">=", 0))
    grows = cut(fact(POWER_INCREASES, a=contracted, b=sqrt(factor), p=2 * t / r), slower, later)
    fast = constant * contracted ** (2 * (t / r) + late)
    decays = joint(Compare(claims.spread_in_turn, "<=", fast), bound, read, named)
    size, before, after, lasting = symbols("s a b l", real=True)
    terms = {
        size: claims.spread_in_turn, before: contracted ** (2 * t / r), after: factor ** (t / r),
        lasting: constant * contracted**late,
    }  # fmt: skip
    faster = Compare(size, "<=", lasting * before)
    positive = cut(substitute(joint(Compare(constant * q**late, ">=", 0)), {q: contracted}), slower)
    rate = algebra(
        Compare(size, "<=", lasting * after),
        (faster, Compare(before, "<=", after), Compare(lasting, ">=", 0)), terms,
        joint(faster.substitute(terms), decays, split), grows, positive,
    )  # fmt: skip
    return conclude(
        claim, cut(both(small, rate), left, slower),
        method=r"contraction over $r$ layers in the chart $X/\langle X,v\rangle$",
    )  # fmt: skip


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
