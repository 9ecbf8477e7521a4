"""Proofs about largest singular values of products with Gaussian weights."""

from __future__ import annotations

from sympy import Integer, Rational, Symbol, log, oo, sqrt

from claims.model import Claim
from claims.naitsaada2025 import edges as claims
from claims.naitsaada2025.notation import ell, gamma, sigma_A, sigma_V
from claims.naitsaada2025.products import bound, first_size
from claims.statement import Compare
from proofs.certificate import Certificate
from proofs.conclude import argued, at_every_choice
from proofs.decide import decide
from proofs.facts import LOG_INCREASES
from proofs.kernel import Theorem, compute, cut, derived, fact, identity, joint, substitute
from proofs.naitsaada2025.far_out import at_a_size_beyond, opposite_at_size, size, two_tokens
from proofs.naitsaada2025.interlacing import argued_right
from proofs.registry import proves


@proves(claims.largest_singular_values_of_gaussian_matrices)
def by_geman(claim: Claim) -> Certificate:
    r"""$\mathbb E s_1\le\sqrt T+\sqrt d$ (Gordon), and the limit is almost sure (Geman, 1980)."""
    return argued(claim, steps=(), method="norms of Gaussian matrices (Geman; Gordon)")


@proves(claims.product_of_largest_singular_values_as_printed)
def by_the_edges_of_the_factors(claim: Claim) -> Certificate:
    r"""The limits multiply: $(4/T)^\ell\cdot d(1+\sqrt\gamma)^2\cdot(4d)^{\ell-1}$."""
    return argued_right(
        claim, claims.product_of_largest_singular_values, "edges of independent factors"
    )


@proves(claims.a_power_of_four_is_lost)
def by_collecting_powers(claim: Claim) -> Certificate:
    r"""$2^{2\ell}\,2^{2(\ell-1)}=4^{2\ell-1}$."""
    value = (sigma_A * sigma_V) ** (2 * ell) * 4 ** (2 * ell - 1) * (1 + 1 / sqrt(gamma)) ** 2
    return decide(claim, value, method="powers of two, collected")


@proves(claims.second_singular_value_with_weights)
def by_a_rank_one_change(claim: Claim) -> Certificate:
    r"""$s_2(A_p\cdots A_1W)\le s_1(A_p^\perp\cdots A_1^\perp W)\le\prod_ks_1(A_k^\perp)\,s_1(W)$.

    By the expansion in the proof of Lemma A.3 the difference of the two matrices has rank one.
    """
    return argued(claim, steps=(), method="rank-one change; norms of the factors")


@proves(claims.weights_compensate_attention)
def by_norms_of_both(claim: Claim) -> Certificate:
    r"""$s_1(A)\to1$, $\sqrt Ts_2(A)\to2\sigma$ (Bordenave et al.), $d^{-1/2}s_1(W)\to2$ (Geman)."""
    return argued(claim, steps=(), method="norms of Markov and of Gaussian matrices")


@proves(claims.largest_singular_value_with_overwhelming_probability)
def by_the_norm_of_the_rest(claim: Claim) -> Certificate:
    r"""$s_1(A^\perp W)$, small beside $d^{q/2}$, bounds the distance from $\|\varphi^\top W\|$."""
    certificate = argued_right(
        claim,
        claims.largest_singular_value_tends_in_mean_square,
        "triangle inequality; norms of a Gaussian row through Gaussian matrices",
    )
    return at_every_choice(certificate, claim, tail_is_a_power)


def tail_is_a_power(claim: Claim) -> Theorem:
    r"""$16(\log\mathbb P-\log2)-\log4=-80\log t-\dots>\log C-100\log t$ for $t>(\tfrac52)^{80}2^{18}C$."""
    rows = claims.ROWS * claims.TAIL
    number = Rational(5, 2) ** rows * 2 ** (claims.ROWS + 2) * bound
    value = derived(
        claims.log_tail(size), -claims.TAIL * log(Rational(5, 2) * size), claim.domain, "the law of Z",
        over=((size, first_size, oo),),
    )  # fmt: skip
    x, sign = Symbol("x", positive=True), Compare(bound, ">", 0)
    parts = log(5) - log(2)
    read = substitute(identity(log(Rational(5, 2) * x), log(x) + parts), {x: size})
    tail = joint(
        Compare(claims.log_tail(size), "=", -claims.TAIL * (log(size) + parts)),
        value, cut(read, joint(Compare(size, ">", 0), two_tokens())),
    )  # fmt: skip
    far = cut(
        fact(LOG_INCREASES, a=number, b=size), joint(Compare(number, ">", 0), given=[sign]),
        joint(Compare(number, "<=", size), given=[Compare(size, ">", number)]),
    )  # fmt: skip
    constants = rows * parts + (claims.ROWS + 2) * log(2)
    split = identity(log(number), log(bound) + constants)
    one = cut(fact(LOG_INCREASES, a=Integer(2), b=size), two_tokens())
    gap = (claims.POWER - rows) * log(size)
    more = joint(
        Compare(gap, ">", log(bound) + constants), far, split, one, compute(Compare(log(2), ">", 0))
    )
    least = joint(
        Compare(
            claims.ROWS * claims.log_tail(size) - (claims.ROWS + 2) * log(2), ">",
            log(bound) - claims.POWER * log(size),
        ), more, tail,
    )  # fmt: skip
    none = joint(Compare(number, ">=", 0), given=[sign])
    four = identity(log(Integer(4)), 2 * log(2))
    fails = joint(opposite_at_size(claim), least, four)
    return at_a_size_beyond(number, none, claim, fails, [sign])


@proves(claims.stable_rank_with_the_gap_as_printed)
def by_theorems_4_and_5(claim: Claim) -> Certificate:
    r"""T - 1 values $s_i^4$, of mean $\gamma^{-2\ell}(1+\ell+\ell\gamma)$, over $s_1^4=d^{2\ell}(1+o(1))$."""
    return argued_right(
        claim, claims.stable_rank_with_the_gap, "Theorems A.4 and A.5 with $p=q=\\ell$"
    )
