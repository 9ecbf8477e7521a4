r"""Rank collapse with overwhelming probability (Theorem 2.2, footnote 3), for rows with heavy tails.

$Z$ is Pareto with index $4+\delta$: $P(Z>z)=z^{-4-\delta}$ for $z\ge1$, so that the fourth moment is finite.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sympy import Integer, Rational, Symbol, oo

from claims.domain import Domain, Point, Real, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.chi_square import Factors
from claims.naitsaada2025.notation import T, source
from claims.naitsaada2025.products import size
from claims.statement import Compare, ForAll, Quantity, measured_quantity
from claims.terms import family

delta, C = (Symbol(name, real=True, positive=True) for name in ("delta", "C_a"))
a = Symbol("a", integer=True, positive=True)
_tail = (4 * T) ** (-(4 + delta))


def _to_sixty_digits(number: Any) -> Decimal:
    return Decimal(str(number.evalf(60)))


def _one_is_large(at: Point, tokens: Any) -> Decimal:
    return _to_sixty_digits(1 - (1 - (4 * tokens) ** (-(4 + at[delta]))) ** (tokens**2))


heavy = Quantity(r"\mathbb P(\max_{i,j\le T}Z_{ij}>4T)", lambda at: _one_is_large(at, at[T]))
heavy_at = family(
    r"\mathbb P(\max_{{i,j\le T}}Z_{{ij}}>4T)_{{T={}}}",
    lambda at, tokens: _one_is_large(at, Integer(tokens)),
)
kept = measured_quantity(
    r"\mathbb P\bigl(\mathrm{sr}(\Sigma)\ge1+\tfrac1{20}\mid\max_{i,j\le T}Z_{ij}>4T\bigr)"
)
PARETO = Hypothesis(
    r"\mathbb P(Z>z)=z^{-4-\delta},\ z\ge1:\ \text{a finite fourth moment, not more}"
)
LAYER = Hypothesis(
    r"\Sigma=XX^\top,\ X=AX_0W^V,\ X_0X_0^\top=I,\ A\ \text{i.i.d. Markov (Definition 3.1)}"
)
_sizes = (Size(T, 12, 16), Real(delta, 0, open_low=True))

one_entry_keeps_the_rank_with_polynomial_probability = Claim(
    id="naitsaada2025.thm-2.2.overwhelming.repair",
    parent="naitsaada2025.thm-2.2.overwhelming",
    source=source("Sec. 2.3", "footnote 3, with Definition 3.1"),
    kind="probability-bound",
    title=(
        "One large entry keeps the stable rank away from one, and has polynomial probability under a "
        "fourth moment."
    ),
    statement=heavy.at_least(T**2 * _tail / 4) & kept.at_least(Rational(1, 2)),
    domain=Domain(_sizes),
    hypotheses=(PARETO, LAYER),
    note=(
        r"If $Z_{ij}>4T$, row $i$ has more than half of its weight on one token; $x_i$ and the mean of the "
        r"other tokens are then two nearly independent vectors of comparable share in $\Sigma$. So "
        r"$\mathrm{sr}(\Sigma)\ge1+\frac1{20}$ with a probability of order $T^{-2-\delta}$ at least: the "
        r"convergence is almost sure, or in probability. (measured for $T=d$)"
    ),
)

OVERWHELMING = ForAll(size, 12, oo, Compare(heavy_at(size), "<=", 2 * C / size**a))
"""What overwhelming probability requires of the entries: a large one has $E_T$ fail every other time."""
HEAVY_ROWS = Domain((*_sizes[1:], Factors(a, 1, 9), Real(C, 0, open_low=True)))
FOOTNOTE = (
    PARETO,
    LAYER,
    Hypothesis(r"\text{for every}\ a\ \text{there is}\ C_a:\ \mathbb P(E_T)\ge1-C_aT^{-a}"),
    Hypothesis(
        r"E_T:\ \mathrm{sr}(\Sigma)<1+\tfrac1{20},\ "
        r"\mathbb P(E_T^c\mid\max_{i,j\le T}Z_{ij}>4T)\ge\tfrac12"
    ),
)
NINTH_POWER = ({delta: Rational(1, 2), a: Integer(9), C: Integer(1)},)

collapse_is_overwhelming_under_a_fourth_moment = Claim(
    id="naitsaada2025.thm-2.2.overwhelming",
    source=source("Sec. 2.3", "footnote 3, with Definition 3.1"),
    kind="probability-bound",
    title="Under a finite fourth moment the results hold with overwhelming probability.",
    statement=OVERWHELMING,
    domain=HEAVY_ROWS,
    left_open=(C,),
    hypotheses=FOOTNOTE,
    severity="missing-hypothesis",
    repair=one_entry_keeps_the_rank_with_polynomial_probability,
    probes=NINTH_POWER,
    printed=r"\mathbb{P}(E_n) \geq 1 - C_A n^{-A}",
    note=(
        r"The footnote for matrices of Definition 3.1, as (12) and Theorem A.4 use it; (13) does hold with "
        r"overwhelming probability, and (6) where $d_{qk}$ grows (where it does not, "
        r"`naitsaada2025.thm-2.2.limit`). With all moments of $Z$ finite the others do too, by truncation "
        r"(argued, not measured): the correction is what a fourth moment alone leaves. Read in what it "
        r"requires of the entries: where one exceeds $4T$, $E_T$ fails with probability at least a half (see "
        r"the repair). No $C_a$ will do for $a>2+\delta$. The softmax itself has such tails at fixed "
        r"$d_{qk}$: $\mathbb P(Z>z)$ falls like $z^{-\sqrt{d_{qk}}/\sigma_{qk}^2}$."
    ),
)
