r"""Of which ratios $h$ and $f$ are functions: unit norm, (40) term by term, and witnesses."""

from __future__ import annotations

from sympy import Sum, sqrt

from claims.model import Claim
from claims.statement import Compare
from claims.terms import entry
from claims.wu2024 import arguments as claims
from claims.wu2024.invariance import ratios_alone
from claims.wu2024.notation import d, w
from claims.wu2024.second_token import f, next_ratio, rho, second, y
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.decide import refute
from proofs.kernel import assume, instance, joint, sum_split, unfold
from proofs.registry import proves
from proofs.wu2024.invariance import equation_40_is_the_remainder
from proofs.wu2024.log_concave import j, within_range


@proves(
    claims.next_ratio_is_a_function_of_an_early_one,
    claims.remainder_is_a_function_of_the_first_ratios,
)
def by_two_tokens(claim: Claim) -> Certificate:
    """Two tokens that agree in what is printed, and differ in the value."""
    return refute(claim, method="two tokens with the same printed arguments")


@proves(claims.next_ratio_is_a_function_of_the_last_one)
def by_unit_norm(claim: Claim) -> Certificate:
    """1/X_{d-1} is -sqrt(1 + y^2 + f) by unit norm, and columns of X_2 W_V + e_d give the rest."""
    domain, X = ratios_alone, entry(second)
    norm, signs = facts_of(domain)[-2:]
    before, p, last = X(1, d - 2), X(1, d - 1), X(1, d)
    head = Sum(X(1, j) ** 2, (j, 1, d - 2))
    splits = (sum_split(Sum(X(1, j) ** 2, (j, 1, end))) for end in (d, d - 1))
    unit = joint(
        Compare(head + p**2 + last**2, "=", 1), instance(assume(norm), 1),
        *map(within_range, splits),
    )  # fmt: skip
    negative, earlier = (
        within_range(joint(Compare(X(1, at), "<", 0), instance(assume(signs), at)))
        for at in (d - 1, d - 2)
    )
    along = joint(Compare(last, "=", y * p), unfold(y, last / p, domain), negative)
    rest = joint(Compare(head, "=", f * p**2), unfold(f, head / p**2, domain), negative)
    whole = joint(Compare(p**2 * (1 + f + y**2), "=", 1), unit, along, rest)
    root = joint(Compare(p * sqrt(1 + y**2 + f), "=", -1), whole, negative)
    ahead = unfold(rho, p / (p + w * before), domain)
    quotient = unfold(next_ratio, (last + w * p + 1) / (p + w * before), domain)
    steep = Compare(w, ">", 1)
    below = joint(Compare(p + w * before, "<", 0), negative, earlier, given=(steep,))
    same = joint(
        claim.formula, quotient, ahead, along, root, below, negative,
    )  # fmt: skip
    return conclude(claim, same, method="unit norm")


@proves(claims.remainder_is_a_function_of_all_ratios)
def by_the_terms_of_40(claim: Claim) -> Certificate:
    """r_j w^(j-1) is X_j/X_1, and X_1 and powers of w cancel."""
    return conclude(claim, equation_40_is_the_remainder(), method="powers of $w$ cancel")
