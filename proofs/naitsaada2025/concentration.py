"""Arguments about how far the norm behind Gaussian matrices is from its mean; refutations by exact tails."""

from __future__ import annotations

from sympy import Expr, Poly, Rational, Symbol, cancel, limit, log, oo, together

from claims.model import Claim
from claims.naitsaada2025 import concentration as claims
from proofs.calculus.inequalities import SignOnInterval
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.registry import proves

s, rate = Symbol("s", positive=True), Symbol("lambda", real=True)
METHOD = "Chernoff's bound for each factor; union over the factors"


def _chernoff_exponent(sign: int) -> bool:
    """Whether -lambda (1 + x) - log(1 - 2 lambda)/2 at lambda = x/(2(1 + x)) is (log(1 + x) - x)/2."""
    x = sign * s
    exponent = -rate * (1 + x) - log(1 - 2 * rate) / 2
    best = x / (2 * (1 + x))
    stationary = cancel(together(exponent.diff(rate).subs(rate, best))) == 0
    gap = exponent.subs(rate, best) - (log(1 + x) - x) / 2
    return bool(stationary and cancel(together(gap.diff(s))) == 0 and gap.subs(s, 0) == 0)


def _rises_from_zero(difference: Expr, slope: Expr) -> bool:
    """Whether a function vanishes at zero and has a slope whose sign a polynomial shows on [0, 1]."""
    polynomial = cancel(slope)
    return difference.subs(s, 0) == 0 and SignOnInterval(polynomial, s, 0, 1, ">=0").check()


_UPPER, _LOWER = s - log(1 + s) - s**2 / 4, -s - log(1 - s) - s**2 / 4


def _even_powers_remain(power: int) -> bool:
    """Of (1 + s)^q + (1 - s)^q - 2 the odd powers of s cancel, and no coefficient is negative."""
    rest = Poly((1 + s) ** power + (1 - s) ** power - 2, s)
    return all(term[0] % 2 == 0 and coefficient >= 0 for term, coefficient in rest.terms())


STEPS = (
    Checked(
        r"P(\chi^2_d\ge d(1+s))\le e^{-d(s-\log(1+s))/2},\ "
        r"P(\chi^2_d\le d(1-s))\le e^{-d(-s-\log(1-s))/2}",
        r"Markov's inequality for $e^{\lambda\chi^2_d}$, whose mean is $(1-2\lambda)^{-d/2}$",
        lambda: _chernoff_exponent(1) and _chernoff_exponent(-1),
    ),
    Checked(
        r"s-\log(1+s)\ge\min(s,s^2)/4,\quad -s-\log(1-s)\ge s^2/4",
        r"derivatives $s(1-s)/(2(1+s))$ and $s(1+s)/(2(1-s))$ on $(0,1)$; beyond, $s/(1+s)\ge1/4$",
        lambda: (
            _rises_from_zero(_UPPER, _UPPER.diff(s) * 2 * (1 + s))
            and _rises_from_zero(_LOWER, _LOWER.diff(s) * 2 * (1 - s))
            and bool((1 - log(2) > 1 / 4) and limit(s / (1 + s), s, 1) >= 1 / 4)
        ),
    ),
    Checked(
        r"|y_i-1|<s\ \text{for all}\ i\ \Rightarrow\ |y_1\cdots y_q-1|<(1+s)^q-1",
        r"$(1+s)^q+(1-s)^q-2$ has even powers only, with positive coefficients; tried for $q\le8$",
        lambda: all(map(_even_powers_remain, range(1, 9))),
    ),
)


@proves(claims.tail_of_the_norm_behind_gaussian_matrices)
def by_chernoff(claim: Claim) -> Certificate:
    """One factor must deviate by s, (1 + s)^q = 1 + t; a norm by t only if its square by max(t, t^2)."""
    return argued(claim, steps=STEPS, method=METHOD)


@proves(claims.norm_concentrates_with_overwhelming_probability)
def by_chernoff_for_every_power(claim: Claim) -> Certificate:
    """The same bound, and e^x >= x^a / a!, one term of its series."""
    return argued(claim, steps=STEPS, method=f"{METHOD}; $e^x\\ge x^a/a!$")


@proves(claims.probability_that_attention_keeps_the_norm)
def by_the_triangle_inequality(claim: Claim) -> Certificate:
    """|s_1(AW) - s_1(phi phi^T W)| <= s_1(A^perp W), and Lemma A.2 for the first part."""
    method = f"triangle inequality for the operator norm; {METHOD}"
    return argued(claim, steps=STEPS, method=method)


def _least_power() -> bool:
    """(1 - 3/(4n))^n >= 1 - 3/4: Bernoulli's inequality, of whose two sides n = 1 makes one."""
    n, share = Symbol("n", positive=True), Rational(3, 4)
    slope = (log(1 - share / n) * n).diff(n)
    tilted = cancel(together(slope.diff(n) * n * (n - share) ** 2))
    return bool(tilted.is_negative and limit(slope, n, oo) == 0 and 1 - share == Rational(1, 4))


SUB_WEIBULL = (
    Checked(
        r"(\alpha_1\cdots\alpha_q)^{2/q}\le\tfrac1q\textstyle\sum_i\alpha_i^2\sim\tfrac1q\chi^2_{qd}",
        "geometric and arithmetic mean; independent chi-squares add up; tried for $q=2$",
        lambda: ((s + rate) ** 2 / 4 - s * rate - (s - rate) ** 2 / 4).expand() == 0,
    ),
    Checked(
        r"P(\chi^2_n\ge nw)\le(1-\tfrac3{4n})^{-n/2}e^{-3w/8}\le2e^{-3w/8}",
        r"Markov's inequality for $e^{\lambda\chi^2_n}$ at $\lambda=3/(8n)$; Bernoulli's inequality",
        _least_power,
    ),
)


@proves(claims.norm_is_sub_weibull)
def by_the_mean_of_the_squares(claim: Claim) -> Certificate:
    """s >= d^(q/2) v only if a chi-square of q d degrees is at least q d v^(2/q)."""
    return argued(claim, steps=SUB_WEIBULL, method="means of squares; Chernoff's bound")
