r"""Tail bounds of Lemma A.2 and Theorem A.4: sub-Weibull sums, products of chi-squares."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Integer, Max, Min, Rational, Symbol, exp, oo

from claims.domain import Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.naitsaada2025.chi_square import Factors
from claims.naitsaada2025.notation import q, source
from claims.statement import Compare, ForAll, Quantity
from claims.terms import family

z, t = (Symbol(name, real=True, nonnegative=True) for name in ("z", "t"))

# From the singular value to its square -----------------------------------------------------------


def _from_one(power: int) -> Callable[[Point], Any]:
    return lambda at: abs(at[z] ** power - 1)


shift, growth = Quantity("|z-1|", _from_one(1)), Quantity("|z^2-1|", _from_one(2))


def _at_larger(point: Point) -> Any:
    larger = max(point[t], point[t] ** 2)
    return Min(larger**2, larger ** (1 / point[q]))


rate = Quantity(r"\min(u^2,u^{1/q})\big|_{u=\max(t,t^2)}", _at_larger)
deviation_of_a_square = Claim(
    id="naitsaada2025.lemma-A.2.elementary",
    source=source("App. A.3", "proof of Lemma A.2"),
    kind="identity",
    title=r"$|z-1|\ge t$ implies $|z^2-1|\ge\max(t,t^2)$ for $z\ge0$, where the two rates are one.",
    statement=shift.at_least(t).implies(growth.at_least(Max(t, t**2)))
    & rate.equals(Min(t**2, t ** (2 / q))),
    domain=Domain((Real(z, 0), Real(t, 0), Factors(q, 1, 4))),
    hypotheses=(Hypothesis(r"t\ge0"),),
    mutants=(
        Mutant(
            "the sum for the maximum",
            shift.at_least(t).implies(growth.at_least(t + t**2)),
        ),
    ),
    understood=(
        Understood(r"$z\ge0$, being a singular value", r"$z=-1$, $t=2$: $|z-1|=2$, $|z^2-1|=0$"),
    ),
    printed=r"|z - 1| \geq t \text{ implies } |z^2 - 1| \geq \max(t, t^2)",
)

# Bernstein's inequality ---------------------------------------------------------------------------

N = Symbol("N", integer=True, positive=True)
beta, u, C = (Symbol(name, real=True, positive=True) for name in ("beta", "u", "C"))
SUMMANDS = Hypothesis(r"X_i\ \text{independent, of mean zero, sub-Weibull with parameter}\ \beta")
NORM = Hypothesis(r"K=\max_i\|X_i\|_{\psi_\beta}")
ONE_SUMMAND = Hypothesis(
    r"\text{an instance: } X_1=\pm E^{1/\beta}\ \text{with a fair sign and}\ E\sim\mathrm{Exp}(1),\ "
    r"X_2=\dots=X_N=0"
)
norm = Quantity(r"K", lambda at: 2 ** (1 / at[beta]), positive=True)
r"""The least K with E exp(|X_1/K|^beta) = E exp(E/K^beta) = 1/(1 - K^-beta) at most 2."""
tail = Quantity(
    r"\mathbb P\bigl(\bigl|\tfrac1N\textstyle\sum_iX_i\bigr|\ge u\bigr)",
    lambda at: exp(-((at[N] * at[u]) ** at[beta])),
)
tail_at = family(
    r"\mathbb P\bigl(\bigl|\tfrac1N\textstyle\sum_iX_i\bigr|\ge u\bigr)_{{N={}}}",
    lambda at, count: exp(-((count * at[u]) ** at[beta])),
)
_printed = 2 * exp(-C * N * Min(u**2 / norm**2, u**beta / norm**beta))
_mended = 2 * exp(-C * Min(N * u**2 / norm**2, (N * u) ** beta / norm**beta))
_sums = (Size(N, 1, 8), Real(u, 0, open_low=True))

bernstein_with_powers_of_the_sum = Claim(
    id="naitsaada2025.eq-23.repair",
    parent="naitsaada2025.eq-23",
    source=source("App. A.3", "Eq. (23)"),
    kind="probability-bound",
    title=(
        r"For sums that one summand decides, $\beta\le1$, the power is one of the sum, $(Nu)^\beta$; for "
        r"$\beta<1$ no $C$ will do with $Nu^\beta$."
    ),
    statement=tail.at_most(_mended)
    & (Compare(u, "=", norm) & Compare(C * N, ">=", 4 * N**beta)).implies(tail.above(_printed)),
    domain=Domain((*_sums, Real(beta, 0, 1, open_low=True), Real(C, 0, 2, open_low=True))),
    hypotheses=(SUMMANDS, NORM, ONE_SUMMAND),
    note=(
        r"The second part holds for every $C>0$ and $\beta<1$ as soon as $N^{1-\beta}\ge4/C$. Shown for "
        r"sums that one summand decides; that the first part holds of all independent centred sub-Weibull "
        r"summands, with a $C$ that depends on $\beta$, is Theorem 3.1 of Kuchibhotla and Chakraborty."
    ),
)

bernstein_for_sub_weibull_sums = Claim(
    id="naitsaada2025.eq-23",
    source=source("App. A.3", "Eq. (23)"),
    kind="probability-bound",
    title="A Bernstein inequality for means of independent sub-Weibull variables.",
    statement=ForAll(N, 1, oo, Compare(tail_at(N), "<=", _printed)),
    domain=Domain((_sums[1], Real(beta, 0, open_low=True), Real(C, 0, 1, open_low=True))),
    left_open=(C,),
    hypotheses=(
        SUMMANDS,
        NORM,
        ONE_SUMMAND,
        Hypothesis(r"C\le1\ \text{any constant; with a larger one the inequality says more}"),
    ),
    severity="material",
    repair=bernstein_with_powers_of_the_sum,
    probes=({u: Integer(4), beta: Rational(1, 2), C: Integer(1)},),
    printed=(
        r"\mathbb{P}\left(\left|\frac{1}{N}\sum_{i=1}^N X_i\right| \geq u\right) \leq 2 \exp\left[-CN "
        r"\min\left(\frac{u^2}{K^2}, \frac{u^\beta}{K^\beta}\right)\right]"
    ),
    note=(
        r"One large summand brings the mean to $u$ with probability about $e^{-(Nu/K)^\beta}$, more than "
        r"$e^{-CNu^\beta}$ for large $N$ if $\beta<1$: right for $\beta\ge1$, but Lemma A.2 takes "
        r"$\beta=1/q$. With $N$ copies of $X_1$ half of this probability is left, by symmetry."
    ),
)
