r"""Proofs about mu, by normal forms of traces for symbolic N and d."""

from __future__ import annotations

from sympy import Expr, MatrixSymbol, Symbol, sqrt
from sympy.matrices.expressions import KroneckerProduct

from claims.domain import Array, Domain, Size
from claims.expressions import FrobSq, ones
from claims.model import Claim
from claims.wu2024 import measure as claims
from claims.wu2024.notation import N, X, d, mu_squared
from proofs.calculus.inequalities import SumOfSquares
from proofs.certificate import Bounded, Certificate, Identity
from proofs.conclude import argued
from proofs.decide import decide, find_witness, refute, same
from proofs.registry import proves
from proofs.wu2024.steps import bounded

SCOPE = "all integers N, d >= 1 and all real X"

# mu as a least distance ---------------------------------------------------------------------------

x = MatrixSymbol("x", d, 1)
mean_token = ones(1, N) * X / N
_with_x = Domain((Size(N, 2, 4), Size(d, 1, 3), Array(X), Array(x)))


def _identity(left: Expr, right: Expr, by: str, domain: Domain, label: str = "") -> Identity:
    """An identity that holds for symbolic sizes; raises where the normal forms differ."""
    if not same(left, right):
        raise ArithmeticError(f"{left} and {right} have different normal forms")
    return Identity(left, right, by, domain, label)


def split_at_the_mean() -> Identity:
    """||X - 1 x^T||^2 = ||X - 1 gamma||^2 + N ||x - gamma^T||^2: least at x = gamma^T, and only there."""
    left = FrobSq(X - ones(N, 1) * x.T)
    right = mu_squared(X) + N * FrobSq(x - mean_token.T)
    label = r"\|X-\mathbf 1x^\top\|_F^2=\|X-\mathbf 1\gamma_X\|_F^2+N\|x-\gamma_X^\top\|_2^2,\ \text{left side}"
    return _identity(left, right, "normal form of traces", _with_x, label)


@proves(claims.measure_is_the_minimiser)
def by_the_minimiser(claim: Claim) -> Certificate:
    """The distance splits at the mean token, which is therefore the only minimiser."""
    return decide(
        claim, FrobSq(mean_token), steps=(split_at_the_mean(),),
        method="splitting the distance at the mean token", scope=SCOPE,
    )  # fmt: skip


@proves(claims.measure_is_the_least_distance_to_equal_rows)
def by_the_minimum(claim: Claim) -> Certificate:
    """At the minimiser only the part that does not depend on x is left."""
    return decide(
        claim, mu_squared(X), steps=(split_at_the_mean(),),
        method="splitting the distance at the mean token", scope=SCOPE,
    )  # fmt: skip


# Other Lipschitz measures -------------------------------------------------------------------------


def rows_of_the_mean_coincide() -> Identity:
    """1 gamma_X is at distance zero from its own mean, so every admissible mu' vanishes on it."""
    constant = ones(N, 1) * mean_token
    zero = FrobSq(constant - ones(N, N) * constant / N)
    label = r"\|\mathbf 1\gamma_X-\tfrac1N\mathbf{11}^\top\mathbf 1\gamma_X\|_F^2"
    return _identity(zero, 0 * N, "normal form of traces", claims.tokens, label)


@proves(claims.lipschitz_measures_are_bounded_by_mu)
def by_the_pair_of_x_and_its_mean(claim: Claim) -> Certificate:
    """The Lipschitz inequality at the pair (X, 1 gamma_X), where mu' is zero at the second."""
    method = "Lipschitz inequality at the pair X, 1 gamma_X"
    scope = "every N, d, every non-negative L-Lipschitz mu' that vanishes on equal rows"
    away, slack = Symbol("mu", nonnegative=True), Symbol("s", nonnegative=True)
    constant = claims.lipschitz
    # |mu'(X) - mu'(1 gamma)| = L ||X - 1 gamma|| - s with s >= 0, by hypothesis; mu'(1 gamma) = 0.
    bound = SumOfSquares(constant * away - (constant * away - slack), (), (slack,))
    steps = (
        rows_of_the_mean_coincide(),
        _identity(
            FrobSq(X - ones(N, 1) * mean_token), mu_squared(X), "normal form of traces",
            claims.tokens, r"\|X-\mathbf 1\gamma_X\|_F^2",
        ),
        Bounded(
            r"\mu'(X)=|\mu'(X)-\mu'(\mathbf 1\gamma_X)|\le L\|X-\mathbf 1\gamma_X\|_F=L\mu(X)",
            bound, "the Lipschitz hypothesis, and mu' = 0 where all rows coincide",
        ),
    )  # fmt: skip
    return bounded(
        claim, claims.lipschitz_measures_are_bounded_by_mu, (constant * sqrt(mu_squared(X)),),
        steps=steps, method=method, scope=scope,
    )  # fmt: skip


# mu by pairs of tokens ----------------------------------------------------------------------------


def pairs_sum_to_mu() -> Identity:
    """The rows of X (x) 1 - 1 (x) X are all differences X_m - X_n."""
    differences = KroneckerProduct(X, ones(N)) - KroneckerProduct(ones(N), X)
    label = r"\frac1{2N}\sum_{m,n}\|X_{m,:}-X_{n,:}\|_2^2"
    return _identity(
        FrobSq(differences) / (2 * N), mu_squared(X), "normal form of Kronecker products",
        claims.measure_by_pairs_of_tokens.domain, label,
    )  # fmt: skip


@proves(claims.measure_by_pairs_of_tokens)
def by_all_differences(claim: Claim) -> Certificate:
    """All N^2 differences in one Kronecker product; each is at most its column's range."""
    method = "normal form of the matrix of all differences; N^2 terms, each at most its bound"
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=SCOPE)
    ranges, slack = (Symbol(name, nonnegative=True) for name in ("R", "s"))
    # N^2 ordered pairs, each at most its column's C_j^2 rho^2: the sum is N^2 R - s with s >= 0.
    total = N**2 * ranges - slack
    bound = SumOfSquares(N * ranges / 2 - total / (2 * N), (), (slack / (2 * N),))
    steps = (
        pairs_sum_to_mu(),
        Bounded(
            r"\frac1{2N}\sum_j\sum_{m,n}|X_{m,j}-X_{n,j}|^2\le\frac N2\sum_jC_j^2\rho^2",
            bound, "N^2 pairs, each bounded by hypothesis",
        ),
    )  # fmt: skip
    return argued(claim, steps=steps, method=method, scope=SCOPE)
