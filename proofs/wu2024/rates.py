r"""Proofs about the bound (6) as a function of r, epsilon and d_QK; witnesses about real collapse."""

from __future__ import annotations

from typing import Any

from sympy import exp, expand, log, simplify, symbols

from claims.model import Claim
from claims.wu2024 import rates as claims
from proofs.certificate import Certificate, Checked
from proofs.conclude import argued
from proofs.decide import find_witness, refute
from proofs.registry import proves
from proofs.wu2024.masks import BOUND_INCREASES
from proofs.wu2024.steps import algebra, nonnegative


def _judged(claim: Claim, steps: tuple[Any, ...], method: str, scope: str) -> Certificate:
    """Refuted by a witness where there is one; the steps prove the part about the bound."""
    if find_witness(claim) is not None:
        return refute(claim, method=method, scope=scope)
    return argued(claim, steps=steps, method=method, scope=scope)


@proves(claims.larger_diameter_collapses_slower)
def by_the_derivative_in_r(claim: Claim) -> Certificate:
    """log(1 - eps^r)/r has a positive derivative in r."""
    return _judged(
        claim,
        (BOUND_INCREASES,),
        "sign of a derivative",
        "all 0 < epsilon < 1, all real 0 < r < r'",
    )


def bound_falls_with_epsilon() -> bool:
    r"""d/d eps of log(1 - eps^r)/r is -eps^(r-1)/(1 - eps^r): negative for 0 < eps < 1."""
    eps, r, b = symbols("epsilon r b", positive=True)  # 1 - eps^r = e^-b
    slope = (log(1 - eps**r) / r).diff(eps)
    split = -(eps ** (r - 1)) / (1 - eps**r)
    return simplify(slope - split) == 0 and bool((-(eps ** (r - 1)) / exp(-b)).is_negative)


def floor_of_a_row() -> tuple[Any, ...]:
    """n entries of at least eps that sum to one: 1 - n eps = sum (a_j - eps) >= 0, one more at a time."""
    a, e, total, count = symbols("a_j epsilon s n", nonnegative=True)
    size = symbols("m", positive=True)
    return (
        nonnegative(
            r"(s+a_j)-(n+1)\epsilon=(s-n\epsilon)+(a_j-\epsilon)\ge0,\ \text{induction over neighbours}",
            (total + a) - (count + 1) * e, expand(total - count * e), a - e,
            given=(expand(total - count * e), a - e),
        ),
        algebra(
            r"\text{uniform attention reaches it: } |\mathcal N_i|\,\epsilon=1\ \text{at }"
            r"\epsilon=1/|\mathcal N_i|", (1 - size * e).subs(e, 1 / size), 0 * a,
        ),
    )  # fmt: skip


@proves(claims.smaller_floor_collapses_slower)
def by_the_derivative_in_epsilon(claim: Claim) -> Certificate:
    """The bound's derivative in epsilon is negative; a row with n neighbours has a floor of at most 1/n."""
    falls = Checked(
        r"\frac d{d\epsilon}\frac{\log(1-\epsilon^r)}r=-\frac{\epsilon^{r-1}}{1-\epsilon^r}<0",
        "differentiation", bound_falls_with_epsilon,
    )  # fmt: skip
    return _judged(
        claim, (falls, *floor_of_a_row()), "sign of a derivative; sum of a row",
        "all 0 < epsilon < 1, r > 0, all masks in which every token has a neighbour",
    )  # fmt: skip


def shares_are_monotone() -> tuple[Any, ...]:
    """1/A_ij = sum_k e^(b (R_ik - R_ij)), b = 1/sqrt(d_QK): every term falls as b falls to b - h
    when R_ij is the least score of the row, and rises when it is the largest."""
    gap, h, b = symbols("g h b", nonnegative=True)
    own, other = symbols("R_ij R_ik", real=True)
    inverse = algebra(
        r"1/A_{ij}=\textstyle\sum_ke^{b(R_{ik}-R_{ij})}\ \text{(each term)}",
        exp(b * other) / exp(b * own), exp(b * (other - own)),
    )  # fmt: skip
    least = algebra(
        r"e^{bg}-e^{(b-h)g}=e^{(b-h)g}(e^{hg}-1)\quad(g=R_{ik}-R_{ij})",
        exp(b * gap) - exp((b - h) * gap), exp((b - h) * gap) * (exp(h * gap) - 1),
    )  # fmt: skip
    largest = algebra(
        r"e^{-(b-h)g}-e^{-bg}=e^{-bg}(e^{hg}-1)\quad(g=R_{ij}-R_{ik})",
        exp(-(b - h) * gap) - exp(-b * gap), exp(-b * gap) * (exp(h * gap) - 1),
    )  # fmt: skip
    sign = Checked(
        r"e^{hg}-1\ge0\ \text{for } h,g\ge0", "zero at g = 0, and the derivative h e^{hg} is >= 0",
        lambda: exp(h * gap).diff(gap).is_nonnegative and exp(h * gap).subs(gap, 0) == 1,
    )  # fmt: skip
    return inverse, least, largest, sign


@proves(claims.larger_temperature_collapses_faster)
def by_comparing_the_terms(claim: Claim) -> Certificate:
    """One over a share is a sum of exponentials of score differences, each monotone in 1/sqrt(d_QK)."""
    falls = Checked(
        r"\frac d{d\epsilon}\frac{\log(1-\epsilon^r)}r=-\frac{\epsilon^{r-1}}{1-\epsilon^r}<0",
        "differentiation", bound_falls_with_epsilon,
    )  # fmt: skip
    return _judged(
        claim, (*shares_are_monotone(), falls), "monotone terms of one over a share",
        "all N, all masks in which every token has a neighbour, all real scores, d_QK < d_QK'",
    )  # fmt: skip
