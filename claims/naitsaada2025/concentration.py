r"""How far the norm behind Gaussian matrices is from $d^{q/2}$ (Lemma A.2, Theorem A.4).

$s_1^2(uu^\top W_1\cdots W_q)$ is a product of $q$ independent $\chi^2_d$, with tails in closed form for $q=1$,
and for $q=2$ and even $d$ (`claims.gaussian_growth`).
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from typing import Any

from sympy import Abs, ImmutableDenseMatrix, Integer, Max, Min, Rational, Symbol, exp
from sympy import factorial as factorial_of

from claims.domain import Choice, Domain, Point, Real, Size
from claims.gaussian_growth import DIGITS, Growth, Shares
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.chi_square import (
    WEIGHTS,
    Factors,
    norms_are_products_of_independent_chi_variables,
    terms_are_independent,
)
from claims.naitsaada2025.interlacing import ROW_STOCHASTIC, W, table
from claims.naitsaada2025.notation import T, d, p, q, source
from claims.naitsaada2025.tails import bernstein_for_sub_weibull_sums, deviation_of_a_square
from claims.naitsaada2025.triangle import (
    largest_value_between_difference_and_sum,
    of_mean,
    of_product,
    of_rest,
)
from claims.statement import Compare, Quantity, measured_quantity
from claims.terms import value_of

t, C, epsilon = (Symbol(name, real=True, positive=True) for name in ("t", "C'", "epsilon"))
a = Symbol("a", integer=True, positive=True)
squared_norm = Growth("N", lambda at, place: Shares.equal(1))
r"""$N_k=s_1^2(uu^\top W_1\cdots W_k)$, of which every factor is $\chi^2_d$."""


def above(point: Point, share: Any) -> Decimal:
    """P(N_q > share d^q)."""
    return value_of(squared_norm.above(d, q, Rational(share) * d**q), point)


def _outside(power: int) -> Any:
    """P(|s - 1| >= t) for s = (s_1^2 / d^q)^(1/power)."""

    def define(point: Point) -> Decimal:
        low, high = (max(Integer(0), 1 + sign * point[t]) ** power for sign in (-1, 1))
        with localcontext(prec=DIGITS):
            return above(point, high) + 1 - above(point, low)

    return define


def _upper(point: Point) -> Decimal:
    return above(point, (1 + point[t]) ** 2)


_NORM = r"s_1{}(uu^\top W_1\cdots W_q)"
off_square = Quantity(rf"\mathbb P\bigl(|d^{{-q}}{_NORM.format('^2')}-1|\ge t\bigr)", _outside(1))
off_norm = Quantity(rf"\mathbb P\bigl(|d^{{-q/2}}{_NORM.format('')}-1|\ge t\bigr)", _outside(2))
_rates = (2 * exp(-C * d**q * Min(t**2, t ** (k / q))) for k in (1, 2))
_printed_square, _printed_norm = _rates


def slowness(deviation: Any) -> Any:
    """min(s, s^2)/8 with (1 + s)^q = 1 + deviation."""
    s = (1 + deviation) ** (1 / q) - 1
    return Min(s, s**2) / 8


def chernoff(deviation: Any) -> Any:
    """The sum of 2 exp(-d min(s, s^2)/8) over the factors."""
    return 2 * q * exp(-d * slowness(deviation))


_choices = Choice(C, (Rational(1, 8), Rational(1, 16)))
_deviating = (Size(d, 1, 6), Factors(q, 1, 3), Real(t, 0, open_low=True))
_PROBES = ((14, Rational(1, 8)), (20, Rational(1, 16)))


def _probes(**more: Any) -> tuple[Point, ...]:
    values = {p: Integer(1)} if more else {}
    return tuple(
        {d: Integer(size), q: Integer(2), t: Rational(1, 2), C: constant, **values}
        for size, constant in _PROBES
    )


_WIDE = tuple({d: Integer(40), q: Integer(factors), t: Rational(1, 2)} for factors in (1, 2))
"""Where an exponent that is too large shows: the width is out of the reach of a search."""

product_of_chi_squares_deviates_at_rate_d = Claim(
    id="naitsaada2025.lemma-A.2.tail.repair",
    parent="naitsaada2025.lemma-A.2.tail",
    source=source("App. A.3", "proof of Lemma A.2"),
    kind="probability-bound",
    title=(
        r"A product of $q$ variables $\chi^2_d$ deviates with probability $2qe^{-cd}$: the exponent has "
        "one $d$."
    ),
    statement=off_square.at_most(chernoff(t)) & off_norm.at_most(chernoff(Max(t, t**2))),
    domain=Domain(_deviating),
    hypotheses=(WEIGHTS,),
    probes=_WIDE,
    note=(
        r"With $s=(1+t)^{1/q}-1$, the exponent is $d\min(s,s^2)/8\ge c_qd\min(t^2,t^{1/q})$: the printed "
        r"one with $d$ for $d^q$."
    ),
)

tail_of_the_norm_behind_gaussian_matrices = Claim(
    id="naitsaada2025.lemma-A.2.tail",
    source=source("App. A.3", "proof of Lemma A.2"),
    kind="probability-bound",
    title=r"$s_1^2/d^q$ and $s_1/d^{q/2}$ deviate from one with probability $e^{-C'd^q}$.",
    statement=off_square.at_most(_printed_square) & off_norm.at_most(_printed_norm),
    domain=Domain((*_deviating, _choices)),
    left_open=(C,),
    hypotheses=(WEIGHTS, Hypothesis(r"C'\ \text{does not depend on}\ d,\ t")),
    uses=(
        terms_are_independent,
        bernstein_for_sub_weibull_sums,
        deviation_of_a_square,
    ),
    severity="material",
    repair=product_of_chi_squares_deviates_at_rate_d,
    probes=_probes(),
    printed=(
        r"\mathbb{P}\left(\left|\frac{1}{d^{q/2}} s_1(\mathbf{u}\mathbf{u}^\top \mathbf{W}_1 \dots "
        r"\mathbf{W}_q) - 1\right| \geq t\right) \leq 2 \exp\left[-C' d^q \min(t^2, t^{2/q})\right]"
    ),
    note=(
        r"Right for $q=1$. For $q\ge2$ no $C'$ will do: if every $\alpha_i^2$ is at least "
        r"$d(1+t)^{1/q}$, which has probability $e^{-O(d)}$, the product is off by $t$. It would also give "
        r"a variance of $O(d^{-q})$, where $(1+2/d)^q-1\sim2q/d$ is exact. Two faults meet: (23), and "
        "that it is applied to terms that are not independent."
    ),
)

norm_concentrates_with_overwhelming_probability = Claim(
    id="naitsaada2025.lemma-A.2.overwhelming",
    source=source("App. A.3", "Lemma A.2"),
    kind="probability-bound",
    title=r"$|s_1(uu^\top W_1\cdots W_q)/d^{q/2}-1|<t$ with overwhelming probability.",
    statement=off_norm.at_most(2 * q * factorial_of(a) / slowness(Max(t, t**2)) ** a / d**a),
    domain=Domain((*_deviating, Factors(a, 1, 3))),
    hypotheses=(
        WEIGHTS,
        Hypothesis(
            r"\text{overwhelming: for every}\ a,\ \mathbb P\ge1-C_ad^{-a}\ \text{(footnote 3)}"
        ),
    ),
    uses=(norms_are_products_of_independent_chi_variables, deviation_of_a_square),
    probes=tuple({**point, a: Integer(1)} for point in _WIDE),
    printed=(
        r"\left| \frac{s_1(\mathbf{u} \mathbf{u}^\top \mathbf{W}_1 \dots \mathbf{W}_q)}{d^{q/2}} - 1 "
        r"\right| < t"
    ),
    note=(
        r"The constant $C_a=2q\,a!\,(8/\min(s,s^2))^a$, $(1+s)^q=1+\max(t,t^2)$, is given here. Right, "
        r"though not by the printed proof, whose tail bound is wrong for $q\ge2$."
    ),
)

v = Symbol("v", real=True, positive=True)
upper_tail = Quantity(
    rf"\mathbb P\bigl(d^{{-q/2}}{_NORM.format('')}\ge v\bigr)",
    lambda at: above(at, at[v] ** 2),
)
norm_is_sub_weibull = Claim(
    id="naitsaada2025.lemma-A.2.sub-weibull",
    source=source("App. A.3", "proof of Lemma A.2, last lines"),
    kind="probability-bound",
    title=r"$s_1(uu^\top W_1\cdots W_q)$ is sub-Weibull with parameter $2/q$.",
    statement=upper_tail.at_most(2 * exp(-Rational(3, 8) * v ** (2 / q))),
    domain=Domain((Size(d, 1, 6), Factors(q, 1, 3), Real(v, 0, open_low=True))),
    hypotheses=(
        WEIGHTS,
        Hypothesis(
            r"\text{sub-Weibull with parameter}\ \beta:\ \mathbb P(|X|\ge x)\le2e^{-(x/K)^\beta}\ "
            r"\text{for all}\ x\ge0,\ \text{with some}\ K"
        ),
    ),
    uses=(norms_are_products_of_independent_chi_variables,),
    printed=(
        r"s_1(\mathbf{u}\mathbf{u}^\top \mathbf{W}_1 \dots \mathbf{W}_q) \text{ is sub-Weibull with "
        r"parameter } 2/q"
    ),
    note=(
        r"Here with $K=(8/3)^{q/2}d^{q/2}$. By the means of $q$ squares, "
        r"$(\alpha_1\cdots\alpha_q)^{2/q}\le\frac1q\sum_i\alpha_i^2$, a $\chi^2_{qd}$ over $q$. The print "
        r"deduces it from a tail around $d^{q/2}$ that is too thin for $q\ge2$ "
        "(`naitsaada2025.lemma-A.2.tail`), which the parameter does not need."
    ),
)

# Behind attention ---------------------------------------------------------------------------------

off_network = measured_quantity(
    r"\mathbb P\bigl(|d^{-q/2}s_1(A_p\cdots A_1W_1\cdots W_q)-1|\ge t\bigr)"
)
beyond = Quantity(r"\mathbb P\bigl(\alpha_1\cdots\alpha_q\ge(1+t)d^{q/2}\bigr)", _upper)
MARKOV = Hypothesis(
    r"A_i\ \text{independent i.i.d. Markov matrices (Definition 3.1)};\ \text{measured for}\ "
    r"Z\sim\mathrm{Exp}(1),\ T=d"
)
_layers = Factors(p, 1, 2)

_given = (*largest_value_between_difference_and_sum.domain.variables, *_deviating[1:])
_outcomes = Domain((*_given, Real(epsilon, 0, open_low=True)))


def _wide_outcome(point: Point) -> Point:
    """Two tokens that attend to one each, and weights of which the second token has none."""
    size, one = int(point[d]), ImmutableDenseMatrix.eye(2)
    weights = ImmutableDenseMatrix(2, size, lambda row, column: Integer(row == 0))
    return _outcomes.completed({
        **point, T: Integer(2), table: one, W: weights, epsilon: Rational(1, 8)
    })  # fmt: skip


attention_adds_what_its_bulk_spills = Claim(
    id="naitsaada2025.thm-A.4.probability.repair",
    parent="naitsaada2025.thm-A.4.probability",
    source=source("App. A.3", "proof of Theorem A.4"),
    kind="probability-bound",
    title=(
        r"The event fails only if $s_1(\varphi\varphi^\top W)$ is off, of probability $2qe^{-cd}$, or if the "
        "bulk of the attention adds too much."
    ),
    statement=Compare(Abs(of_product / d ** (q / 2) - 1), ">=", t + epsilon).implies(
        Compare(Abs(of_mean / d ** (q / 2) - 1), ">=", t)
        | Compare(of_rest, ">=", epsilon * d ** (q / 2))
    )
    & off_norm.at_most(chernoff(Max(t, t**2))),
    domain=_outcomes,
    hypotheses=(ROW_STOCHASTIC, WEIGHTS, Hypothesis(r"W=W_1\cdots W_q,\ u=\varphi")),
    uses=(largest_value_between_difference_and_sum,),
    probes=tuple(map(_wide_outcome, _WIDE)),
    note=(
        r"For every outcome, and so the event fails with probability at most $2qe^{-cd}$ plus that of "
        r"$s_1(A^\perp W_1\cdots W_q)\ge\epsilon d^{q/2}$, for $A=A_p\cdots A_1$. The last one tends to zero; "
        "how fast depends on the law of $Z$: under a fourth moment only, not faster than any power."
    ),
)

probability_that_attention_keeps_the_norm = Claim(
    id="naitsaada2025.thm-A.4.probability",
    source=source("App. A.3", "proof of Theorem A.4"),
    kind="probability-bound",
    title=r"The event of Theorem A.4 has probability at least $1-2\exp(-C'd^q\min(t^2,t^{2/q}))$.",
    statement=off_network.at_least(beyond)
    & off_network.at_most(_printed_norm)
    & beyond.at_most(_printed_norm),
    domain=Domain((*_deviating, _layers, _choices)),
    left_open=(C,),
    hypotheses=(MARKOV, WEIGHTS, Hypothesis(r"C'\ \text{does not depend on}\ d,\ t")),
    uses=(tail_of_the_norm_behind_gaussian_matrices,),
    severity="material",
    repair=attention_adds_what_its_bulk_spills,
    probes=_probes(layers=1),
    printed=(r"P_{t,d} := 1 - 2 \exp[-C' d^q \min(t^2, t^{2/q})]"),
    note=(
        r"$s_1(AW)\ge\|v^\top W\|$ for $v=A^\top\varphi$, whose length is at least "
        r"$v^\top\varphi=1$; hence the first inequality, whatever $A$ is, and the last one is what "
        r"fails for $q\ge2$, for every $C'$ as $d$ grows."
    ),
)
