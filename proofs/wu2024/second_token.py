r"""Proofs for the second token's recursion and Lemma 11: two columns of X_2 W_V + e_d, and unit norm."""

from __future__ import annotations

from functools import cache

from sympy import Abs, Sum, Symbol, diff, sqrt

from claims.model import Claim
from claims.statement import Compare
from claims.terms import entry
from claims.wu2024 import second_token as claims
from claims.wu2024.notation import d, w
from claims.wu2024.second_token import f, last, rho, second, y
from proofs.certificate import Certificate
from proofs.conclude import argued, conclude, facts_of
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    derived,
    generalise,
    instance,
    joint,
    sum_compared,
    sum_rearranged,
    sum_split,
    unfold,
)  # fmt: skip
from proofs.registry import proves
from proofs.wu2024.jordan import outgrowing

TOKENS = r"all $d\ge3$, all $w>1$, every second token of unit norm with $r_2,\dots,r_{d-1}>0$"
DOMAIN = claims.lemma_11_domain
j = Symbol("j", integer=True)
P, Q, L = (entry(second)(1, k) for k in (d - 1, d - 2, d))
HEAD = Sum(entry(second)(1, j) ** 2, (j, 1, d - 2))
WIDE, STEEP = Compare(d, ">=", 3), Compare(w, ">", 1)


@proves(claims.second_token_recursion_as_printed)
def by_columns(claim: Claim) -> Certificate:
    """The quotient of two columns of X_2 W_V + e_d; the first d - 1 columns are those of (31)."""
    return argued(
        claim, steps=outgrowing(), method="one step of (31) with the first token at $e_d$",
        scope=TOKENS,
    )  # fmt: skip


def wide(theorem: Theorem) -> Theorem:
    return cut(theorem, assume(WIDE))


@cache
def unit_token() -> tuple[Theorem, Theorem]:
    """The squares of x_1, ..., x_{d-2}, of x_{d-1} and of x_d sum to one; x_{d-2} x_{d-1} > 0."""
    norm, signs = facts_of(DOMAIN)[2:]
    squares = [Sum(entry(second)(1, j) ** 2, (j, 1, end)) for end in (d, d - 1)]
    unit = joint(
        Compare(HEAD + P**2 + L**2, "=", 1), instance(assume(norm), 1),
        *(wide(sum_split(total)) for total in squares),
    )  # fmt: skip
    pair = wide(instance(wide(instance(assume(signs), d - 2)), d - 1))
    return unit, joint(Compare(Q * P, ">", 0), pair)


@cache
def ratios() -> tuple[Theorem, ...]:
    """x_d = y x_{d-1}, f >= 0, x_{d-1}^2 (1 + f + y^2) = 1 and rho > 0."""
    unit, pair = unit_token()
    nonzero = joint(Compare(P, "!=", 0), pair)
    along = joint(Compare(L, "=", y * P), unfold(y, L / P, DOMAIN), nonzero)
    rest = joint(Compare(HEAD, "=", f * P**2), unfold(f, HEAD / P**2, DOMAIN), nonzero)
    whole = joint(Compare(P**2 * (1 + f + y**2), "=", 1), unit, along, rest)
    # X_1 is its own successor up to scale, so that it cancels.
    ahead = joint(Compare(rho, ">", 0), unfold(rho, P / (P + w * Q), DOMAIN), pair, given=(STEEP,))
    squares = joint(Compare(0, "<=", entry(second)(1, j) ** 2))
    summed = sum_compared(generalise(squares, j, 1, d - 2))
    zero = sum_rearranged(summed.formula.left, 0)  # type: ignore[attr-defined]
    return along, whole, ahead, joint(Compare(f, ">=", 0), summed, zero, rest, nonzero)


@cache
def slopes() -> tuple[Theorem, Theorem]:
    """1/X_{d-1} = s sqrt(1 + f + z^2) and h = rho (z + w + 1/X_{d-1}), differentiated at z = y."""
    z = Symbol("z", real=True)
    inverse = P / Abs(P) * sqrt(1 + f + z**2)
    rates = (diff(e, z).subs(z, y) for e in (inverse, rho * (z + w + inverse)))
    along, rising = (
        derived(quantity, rate, DOMAIN, "derivative along tokens of unit norm")
        for quantity, rate in zip((claims.inverse_slope, claims.ratio_slope), rates, strict=True)
    )
    return along, rising


@proves(claims.ratio_map_is_nondecreasing)
def by_unit_norm(claim: Claim) -> Certificate:
    """Unit norm gives 1/X_{d-1} as a function of y; differentiate it and h."""
    along, whole, ahead, rest = ratios()
    root = sqrt(1 + f + y**2)
    sized = joint(Compare(Abs(P) * root, "=", 1), whole, rest)
    last_ = unfold(last, L, DOMAIN)
    inverse, rising = slopes()
    square = joint(
        claims.inverse_square.equals(y**2 + 1 + f), whole,
        unfold(claims.inverse_square, 1 / P**2, DOMAIN),
    )  # fmt: skip
    quotient = joint(Compare(P / Abs(P) * y / root, "=", L), sized, along)
    first = joint(claims.inverse_slope.equals(last), inverse, quotient, last_)
    second_ = joint(claims.ratio_slope.equals(rho * (1 + last)), rising, quotient, last_)
    above = joint(Compare(L, ">=", -1), along, whole, rest)
    sign = joint(claims.ratio_slope.at_least(0), second_, above, ahead, last_)
    theorem = joint(claims.ratio_map_is_nondecreasing.formula, square, first, second_, sign)
    return conclude(
        claim, theorem, method=r"derivative along tokens with the same $r_2,\dots,r_{d-1}$",
        scope=TOKENS,
    )  # fmt: skip
