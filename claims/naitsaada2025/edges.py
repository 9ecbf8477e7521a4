r"""Largest singular values of Gaussian products, with and without attention (Thms A.4, A.5, Sec. A.2).

Where a value has no closed form it is a mean over draws, compared with the printed limit at sizes
where the distance to the limit is known to be small.
"""

from __future__ import annotations

from typing import Any

from sympy import AccumBounds, Expr, Integer, Rational, Symbol, log, sqrt

from claims.almost_surely import SureLimit
from claims.domain import Choice, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Relation, Understood
from claims.naitsaada2025.collapse_floor import (
    LAYER,
    LEAST_EXCESS,
    one_layer,
    one_layer_keeps_a_share_of_its_energy,
    square_at,
)
from claims.naitsaada2025.exponential_layers import GAUSSIAN, LAYERS, LIGHT, SURE, behind
from claims.naitsaada2025.markov_layers import n
from claims.naitsaada2025.notation import T, d, ell, gamma, p, q, sigma_A, sigma_V, source
from claims.naitsaada2025.products import (
    MARKOV,
    bound,
    first_size,
    from_some_size_on,
    growth,
    largest_singular_value_with_weights,
    mean_square_of_rest,
    size,
)
from claims.naitsaada2025.rank_collapse import DEPTHS, RATIOS, deep_excess, excess_at_depth
from claims.naitsaada2025.signal_scales import (
    MODEL,
    of_weights,
    signal_scale_as_printed,
)
from claims.statement import And, Compare, Quantity, measured_quantity
from claims.terms import Recursion, family

# Edges of the factors ------------------------------------------------------------------------------

which = Symbol("i", integer=True, positive=True)
first_norm = SureLimit(
    r"\lim_{d\to\infty}d^{-1/2}s_1(W_1)", lambda at: 1 + 1 / sqrt(at[growth]),
    term=GAUSSIAN.first() / sqrt(growth * n), **SURE,
)  # fmt: skip
later_norm = SureLimit(
    r"\lim_{d\to\infty}d^{-1/2}s_1(W_i)", lambda at: Integer(2),
    term=GAUSSIAN.square(which) / sqrt(growth * n), **SURE,
)  # fmt: skip

largest_singular_values_of_gaussian_matrices = Claim(
    id="naitsaada2025.thm-A.4.geman",
    source=source("App. A.3, proof of Theorem A.4", "before and in Eq. (29)"),
    kind="limit",
    title=(
        r"$d^{-1/2}s_1$ tends to $1+\sqrt\gamma$ for a $T\times d$, to $2$ for a $d\times "
        r"d$ Gaussian matrix."
    ),
    statement=And((first_norm.equals(1 + 1 / sqrt(growth)), later_norm.equals(2))),
    domain=Domain((Size(growth, 1, 4), Size(which, 2, 4))),
    hypotheses=(
        Hypothesis(
            r"W_1\in\mathbb R^{T\times d},\ W_i\in\mathbb R^{d\times d}\ (i\ge2)\ \text{standard "
            r"Gaussian},\ d=T/\gamma,\ \gamma^{-1}\ \text{an integer}"
        ),
        Hypothesis(r"\text{almost surely, however matrices of different sizes depend on one another}"),
    ),
    printed=(
        r"s_1\left(\frac{1}{\sqrt{d}}\mathbf{W}_i\right) \xrightarrow{a.s.} \begin{cases} 1 + "
        r"\sqrt{\gamma}, & i = 1, \\ 2, & i \geq 2. \end{cases}"
    ),
    note=r"(29) follows by submultiplicativity, since $1+\sqrt\gamma\le2$.",
)  # fmt: skip

squared_edges = Recursion(
    r"\Pi", lambda size: (LAYERS.rest(1, 1, size) * GAUSSIAN.first(size)) ** 2,
    lambda t, size, before: (
        (LAYERS.rest(1, t + 2, size) * GAUSSIAN.square(t + 2, size)) ** 2 * before(size)
    ),
)  # fmt: skip


def product_of_edges(at: Point) -> Expr:
    r"""One by one: $4/T$ of attention, $T(1+\sqrt g)^2$ and $4gT$ of weights, $g=\gamma^{-1}$."""
    layers, times = int(at[ell]), at[growth]
    return Integer(4) ** layers * (1 + sqrt(times)) ** 2 * (4 * times) ** (layers - 1)


product_limit = SureLimit(
    r"\lim_{T\to\infty}\Pi", product_of_edges, term=squared_edges(ell - 1, n), **SURE
)
EDGES = Hypothesis(
    r"\Pi=s_1^2(A_\ell^\perp)\cdots s_1^2(A_1^\perp)\,s_1^2(X_0W_1)\,s_1^2(W_2)\cdots s_1^2(W_\ell),\ "
    r"\sigma_A=\sigma_W=1"
)


def printed_edges(layers: Any, times: Any) -> Expr:
    """(2 sigma_A)^(2l) 2^(2(l-1)) (1 + gamma^(-1/2))^2 for unit variances."""
    return 2 ** (2 * layers) * 2 ** (2 * (layers - 1)) * (1 + sqrt(times)) ** 2


product_of_largest_singular_values = Claim(
    id="naitsaada2025.proof-3.7.denominator.repair",
    parent="naitsaada2025.proof-3.7.denominator",
    source=source("App. A.2, proof of Prop. 3.7"),
    kind="limit",
    title=r"The product of the squared edges has a factor $\gamma^{-1}$ more for every layer but the first.",
    statement=product_limit.equals(printed_edges(ell, growth) * growth ** (ell - 1)),
    domain=Domain((Size(growth, 1, 4), Size(ell, 1, 2)), (LIGHT,)),
    hypotheses=(MODEL, EDGES),
    note=(
        r"Almost surely, at every depth, and with $\sigma_A/m$ for tables of any law with a fourth moment. "
        r"$s_1^2(A^\perp)\sim4\sigma_A^2/T$, $s_1^2(X_0W_1)\sim\sigma_W^2d(1+\sqrt\gamma)^2$ and "
        r"$s_1^2(W_k)\sim4\sigma_W^2d$: the limit is $4^{2\ell-1}\gamma^{-\ell}(1+\sqrt\gamma)^2$ times the "
        r"variances, approached from below. For $\ell=1$ the print is right."
    ),
)  # fmt: skip

mean_squares = Quantity(
    r"\mathbb E\prod_k\frac{\|A_k^\perp\|_F^2}{T-1}\,\frac{\|X_0W_1\|_F^2}T"
    r"\prod_{k\ge2}\frac{\|W_k\|_F^2}d",
    lambda at: (
        (mean_square_of_rest(int(at[T]), 1, Integer(1)) / (at[T] - 1)) ** at[ell]
        * of_weights(int(at[T]), int(at[ell]), at)
    ),
)

product_of_largest_singular_values_as_printed = Claim(
    id="naitsaada2025.proof-3.7.denominator",
    source=source("App. A.2, proof of Prop. 3.7"),
    kind="limit",
    title=r"The product of the squared edges, with one factor $\gamma^{-1}$ whatever the depth.",
    statement=Compare(mean_squares, "<=", Rational(3, 2) * printed_edges(ell, growth)),
    domain=Domain((Size(T, 2, 4), Size(ell, 1, 3), Choice(growth, tuple(map(Integer, (1, 4, 400)))))),
    hypotheses=(
        MODEL,
        EDGES,
        Hypothesis(
            r"\text{each mean square of singular values is at most}\ s_1^2,\ \text{and}\ \mathbb E\,\Pi"
            r"\le\tfrac32\ \text{of the limit}"
        ),
    ),
    severity="material",
    repair=product_of_largest_singular_values,
    printed=(
        r"s_1^2(\mathbf{A}_\ell^\perp) \dots s_1^2(\mathbf{A}_1^\perp) s_1^2(\mathbf{X}_0 \mathbf{W}_1^V) "
        r"\dots s_1^2(\mathbf{W}_\ell^V) \rightarrow (2\sigma_A)^{2\ell} \sigma_W^{2\ell} 2^{2(\ell-1)} (1 + "
        r"\gamma^{-1/2})^2"
    ),
    note=(
        r"$\gamma^{-(\ell-1)}$ is missing for $\ell\ge2$. The left side is "
        r"$(\gamma^{-1}T/(T+1))^\ell$ and already "
        r"beyond the printed limit for $\gamma=1/400$, at every $T$."
    ),
)  # fmt: skip

# Stable ranks --------------------------------------------------------------------------------------

_positive: Any = {"low": 0, "open_low": True}
_strengths = Domain((Size(ell, 1, 2), *(Real(x, **_positive) for x in (gamma, sigma_A, sigma_V))))
_EDGES = r"(2\sigma_A)^{2\ell}\sigma_V^{2\ell}\,2^{2(\ell-1)}(1+\gamma^{-1/2})^2"
_variances = (sigma_A * sigma_V) ** (2 * ell) * (1 + 1 / sqrt(gamma)) ** 2


def limit_of_the_denominator(point: Point) -> Expr:
    """The right side of the line before, factor by factor."""
    layers = int(point[ell])
    attention, weights = (2 * point[sigma_A]) ** 2, (2 * point[sigma_V]) ** 2
    first = (point[sigma_V] * (1 + 1 / sqrt(point[gamma]))) ** 2
    return attention**layers * first * weights ** (layers - 1)


all_powers_of_two_are_kept = Claim(
    id="naitsaada2025.proof-3.7.final-bound.step.repair",
    parent="naitsaada2025.proof-3.7.final-bound.step",
    source=source("App. A.2, proof of Prop. 3.7", "last display"),
    kind="identity",
    title=r"The limit of the line before is $(\sigma_A\sigma_V)^{2\ell}4^{2\ell-1}(1+\gamma^{-1/2})^2$.",
    statement=Relation(_EDGES, (_variances * 4 ** (2 * ell - 1),)),
    domain=_strengths,
    define=limit_of_the_denominator,
)
a_power_of_four_is_lost = Claim(
    id="naitsaada2025.proof-3.7.final-bound.step",
    source=source("App. A.2, proof of Prop. 3.7", "last display"),
    kind="identity",
    title=(
        "The limit of the line before stands in the bound as "
        r"$(\sigma_A\sigma_V)^{2\ell}4^{\ell-1}(1+\gamma^{-1/2})^2$."
    ),
    statement=Relation(_EDGES, (_variances * 4 ** (ell - 1),)),
    domain=_strengths,
    define=limit_of_the_denominator,
    uses=(product_of_largest_singular_values_as_printed,),
    severity="misprint",
    repair=all_powers_of_two_are_kept,
    printed=r"(\sigma_A \sigma_W)^{2\ell} 4^{\ell-1} (1 + \gamma^{-1/2})^2",
    note=(
        r"A factor $4^\ell$ is lost, so that the bound of the proof is $4^\ell$ times too large. That the "
        r"line before lacks $\gamma^{-(\ell-1)}$ is `naitsaada2025.proof-3.7.denominator`."
    ),
)

level = Symbol("K", integer=True, positive=True)
_levels = Choice(level, tuple(map(Integer, (3, 4))))

stable_rank_with_the_gap = Claim(
    id="naitsaada2025.proof-3.4.final-bound.repair",
    parent="naitsaada2025.proof-3.4.final-bound",
    source=source("App. A.2, proof of Prop. 3.4"),
    kind="rate",
    title=r"$\mathrm{sr}(\Sigma_\ell)-1$ is of order $T^{1-2\ell}$, and not less.",
    statement=deep_excess.equals(1 + ell + ell * gamma),
    domain=excess_at_depth.domain,
    hypotheses=(MODEL, DEPTHS),
    uses=(excess_at_depth,),
    note=(
        r"$T-1$ values $s_i^4$ of order one over $s_1^4\sim d^{2\ell}$: the bound is "
        r"$1+(T-1)K^4/(d^{2\ell}(1-t)^4)$. At $\gamma=1$ the limit is the second moment of the "
        "Fuss-Catalan law."
    ),
)  # fmt: skip

stable_rank_with_the_gap_as_printed = Claim(
    id="naitsaada2025.proof-3.4.final-bound",
    source=source("App. A.2, proof of Prop. 3.4"),
    kind="bound",
    title=r"$\mathrm{sr}(\Sigma_\ell)-1$ is at most of order $T^{1-4\ell}$.",
    statement=Compare(LEAST_EXCESS, "<=", 2 * (T - 1) * level**4 / (T**4 * Rational(1, 2) ** 4)),
    domain=one_layer(_levels).with_conditions(
        Condition(
            r"K^2\ge\frac{27d}{4T}",
            lambda at: 4 * at[T] * at[level] ** 2 >= 27 * at[d],
            Compare(27 * d, "<=", 4 * T * level**2),
        )
    ),
    hypotheses=(
        *LAYER,
        Hypothesis(
            r"\ell=1,\ t=\tfrac12,\ s_2(X)\le K:\ \text{the edge of}\ s_2^2(X)\ \text{is at most}\ "
            r"\tfrac{27d}{4T}"
        ),
        Hypothesis(
            r"\mathbb E\,(\mathrm{sr}(\Sigma)-1)\ \text{is at least the left side, and at most twice a bound "
            r"that has overwhelming probability}"
        ),
    ),
    probes=square_at(200, _levels),
    uses=(signal_scale_as_printed, one_layer_keeps_a_share_of_its_energy),
    left_open=(level,),
    severity="material",
    repair=stable_rank_with_the_gap,
    printed=(
        r"1 \leq \text{sr}(\boldsymbol{\Sigma}_\ell) \leq 1 + \frac{(T-1)K^4}{T^{4\ell}(1-t)^4}"
    ),
    note=(
        r"It rests on $T^{-\ell}s_1(X_\ell)$ near one; with $s_1(X_\ell)\sim d^{\ell/2}$ the "
        r"exponent is $2\ell$. $K$ is not printed: whatever it is, the two sides part like $T^{2\ell}$; at "
        r"$T=d=200$ the left one is larger for $K\le4$."
    ),
)  # fmt: skip

# Theorems A.4 and A.5, Remark 3.3 ------------------------------------------------------------------

CHAIN = behind(q, r"W_1\cdots W_q")
_ends = 4 ** (p + q - 1) * growth ** (p - 1) * (1 + sqrt(growth)) ** 2
"""The product of the squared edges of all factors."""
scaled_second = SureLimit(
    r"\overline{\lim}_{T\to\infty}d^{p-q}s_2^2(A_p\cdots A_1W_1\cdots W_q)",
    lambda at: AccumBounds(at[growth] ** at[p], _ends.xreplace(dict(at))),
    term=(growth * n) ** (p - q) * CHAIN.value(2, p) ** 2, upper=True, **SURE,
)  # fmt: skip

second_singular_value_with_weights = Claim(
    id="naitsaada2025.thm-A.5",
    source=source("App. A.3", "Theorem A.5, Eq. (31)"),
    kind="rate",
    title=r"$s_2(A_p\cdots A_1W_1\cdots W_q)$ is of order $d^{(q-p)/2}$.",
    statement=scaled_second.at_most(_ends),
    domain=Domain((Size(p, 1, 2), Size(q, 1, 2), Size(growth, 1, 2)), (LIGHT,)),
    hypotheses=(
        MARKOV,
        Hypothesis(r"Z\ \text{exponential},\ W\ \text{standard Gaussian},\ d=T/\gamma"),
        Hypothesis(
            r"O(1):\ \text{an upper limit that is at most}\ 4^{p+q-1}\gamma^{-p}(1+\sqrt\gamma)^2"
        ),
    ),
    printed=(
        r"s_2(\mathbf{A}_p \dots \mathbf{A}_1 \mathbf{W}_1 \dots \mathbf{W}_q) = O(d^{\frac{q-p}{2}})"
    ),
    understood=(
        Understood(
            r"$\gamma=T/d$ is fixed, as Theorem A.4 says and this one does not",
            r"$p=q=1$, $d/T\to\infty$: $s_2(AW)\approx2\sigma\sqrt{d/T}$ is not $O(1)$",
        ),
    ),
    note=(
        r"True almost surely, for tables of any law with a fourth moment, though not by the printed bound "
        r"$s_1(A^\perp)=O(T^{-p/2})$: $A_p\cdots A_1W$ is a rank-one change of $A_p^\perp\cdots A_1^\perp W$ "
        r"as well, so that $s_2\le\prod_ks_1(A_k^\perp)\prod_ks_1(W_k)$, each factor with its edge for a "
        r"limit: $2\sigma T^{-1/2}$, $\sqrt d(1+\sqrt\gamma)$, $2\sqrt d$. Smaller is the edge of $p+q$ free "
        r"factors, $(p+q+1)^{p+q+1}/(p+q)^{p+q}$ at $\sigma=\gamma=1$. "
        r"It holds for $T$ beyond a random size; the deterministic bound that the proof of "
        r"Prop. 3.4 reads in it is refuted (`naitsaada2025.proof-3.4.s2-deterministic`)."
    ),
)

largest_first = SureLimit(
    r"\lim_{T\to\infty}s_1(A)", lambda at: Integer(1), term=LAYERS.attention(1, 1), **SURE
)
largest_second = SureLimit(
    r"\lim_{T\to\infty}\sqrt T\,s_2(A)", lambda at: Integer(2),
    term=sqrt(n) * LAYERS.attention(2, 1), **SURE,
)  # fmt: skip
largest_weight = SureLimit(
    r"\lim_{T\to\infty}d^{-1/2}s_1(W)", lambda at: Integer(2),
    term=GAUSSIAN.square(2) / sqrt(growth * n), **SURE,
)  # fmt: skip
ONE_FACTOR = behind(Integer(1), "X_0W")
_together = 4 * (1 + sqrt(growth)) ** 2
second_together = SureLimit(
    r"\overline{\lim}_{T\to\infty}s_2^2(AX_0W)",
    lambda at: AccumBounds(at[growth], _together.xreplace(dict(at))),
    term=ONE_FACTOR.value(2, 1) ** 2, upper=True, **SURE,
)  # fmt: skip

weights_compensate_attention = Claim(
    id="naitsaada2025.rem-3.3",
    source=source("Sec. 3", "Remark 3.3"),
    kind="rate",
    title=r"Attention shrinks all directions but one by $T^{-1/2}$, which weights of norm $\sqrt d$ undo.",
    statement=And(
        (
            largest_first.equals(1), largest_second.equals(2), largest_weight.equals(2),
            second_together.at_most(_together),
        )
    ),
    domain=Domain((Size(growth, 1, 2),), (LIGHT,)),
    hypotheses=(
        Hypothesis(
            r"Z\ \text{exponential},\ W\in\mathbb R^{d\times d}\ \text{standard Gaussian},\ X_0X_0^\top=I,\ "
            r"d=T/\gamma"
        ),
    ),
    uses=(largest_singular_values_of_gaussian_matrices,),
    printed=r"s_1(\mathbf{A}) = 1 + o(1)",
    note=(
        r"Almost surely, with $\sigma/m$ in the place of one for tables of any law with a fourth moment. "
        r"Orders are from above; single singular values are smaller, the least of them by another factor "
        r"$T$. What is left of both orders is $s_2(AX_0W)=O(1)$, by the product of the edges. The remark calls "
        r"$\mathcal N(0,1/d)$ the initialisation of He, which has the variance $2/d$."
    ),
)  # fmt: skip

# Overwhelming probability --------------------------------------------------------------------------

TAIL, ROWS, POWER = 5, 16, 100
"""P(Z > x) = x^-5 for x >= 1: mean 5/4 and a finite fourth moment; rows that may fall on one token;
the exponent asked for."""
log_tail = family(
    r"\log\mathbb P\left(Z_{{11}}>\tfrac52T\right)_{{T={}}}",
    lambda at, tokens: -TAIL * log(Rational(5, 2) * tokens),
)

_few = tuple(map(Integer, (1, 2)))
deviation_limit = measured_quantity(
    r"\lim_{d\to\infty}d\,\mathbb E\bigl(d^{-q/2}s_1(A_p\cdots A_1W_1\cdots W_q)-1\bigr)^2"
)

largest_singular_value_tends_in_mean_square = Claim(
    id="naitsaada2025.thm-A.4.repair",
    parent="naitsaada2025.thm-A.4",
    source=source("App. A.3", "Theorem A.4"),
    kind="limit",
    title=(
        r"$d^{-q/2}s_1(A_p\cdots A_1W_1\cdots W_q)$ tends to one in mean square, like $q/(2d)$, and so in "
        "probability."
    ),
    statement=deviation_limit.equals(q / 2),
    domain=Domain((Choice(p, _few), Choice(q, _few), RATIOS)),
    hypotheses=(
        MARKOV,
        Hypothesis(r"Z\ \text{exponential}"),
        Hypothesis(r"W\ \text{standard Gaussian},\ T=\gamma d;\ \text{measured for}\ p,q\le2"),
    ),
    uses=(largest_singular_value_with_weights,),
    note=(
        r"The printed event has probability at least $1-q/(t^2d)$ for large $d$, by Chebyshev's "
        r"inequality. Of the two parts of $AW$ the one along $\varphi$ decides: "
        r"$s_1^2(AW)=\|\varphi^\top AW\|^2+o(d^q)$, and "
        r"$d^{-q/2}\|\varphi^\top AW\|$ has variance near $q/(2d)$. For convergence in probability the fourth "
        r"moment of Definition 3.1 is enough: $s_1(A_k^\perp)=O(T^{-1/2})$ almost surely. Overwhelming "
        r"probability, argued by truncation and not measured, needs all moments of $Z$ to be finite, as those "
        r"of an exponential $Z$ are."
    ),
)

largest_singular_value_with_overwhelming_probability = Claim(
    id="naitsaada2025.thm-A.4",
    source=source("App. A.3", "Theorem A.4"),
    kind="limit",
    title=(
        r"$d^{-q/2}s_1(A_p\cdots A_1W_1\cdots W_q)$ is near one but for a probability "
        r"$O(T^{-A})$, for every $A$."
    ),
    statement=from_some_size_on(
        Compare(ROWS * (log_tail(size) - log(2)) - log(4), "<=", log(bound) - POWER * log(size)),
    ),
    domain=Domain((Real(bound, 0, open_low=True), Size(first_size, 128, 131))),
    hypotheses=(
        Hypothesis(
            r"p=q=1,\ \mathbb P(Z>x)=x^{-5}\ \text{for}\ x\ge1,\ \mathbb E Z=\tfrac54,\ \mathbb E Z^4=5"
        ),
        Hypothesis(
            r"\text{overwhelming (footnote 3): }\forall A\,\exists C_A:\ "
            r"\mathbb P(s_1(AW)\ge2\sqrt d)\le C_AT^{-A};\ \text{here}\ A=100,\ \text{any}\ C,T_0"
        ),
        Hypothesis(
            r"\mathbb P(s_1(AW)\ge2\sqrt d)\ge\tfrac14\left(\tfrac12\mathbb P(Z_{11}>\tfrac52T)\right)^{16}"
        ),
    ),
    left_open=(bound, first_size),
    severity="missing-hypothesis",
    repair=largest_singular_value_tends_in_mean_square,
    printed=(
        r"\left| \frac{s_1(\mathbf{A}_p \dots \mathbf{A}_1 \mathbf{W}_1 \dots \mathbf{W}_q)}{d^{q/2}} - 1 "
        r"\right| < t"
    ),
    note=(
        r"Sixteen rows with $Z_{i1}>\frac52T\ge\sum_{j\ge2}Z_{ij}$ have $A_{i1}\ge\frac12$, "
        r"hence $s_1(A)\ge2$ and "
        r"$s_1(AW)\ge2\sqrt d$ with probability at least $\frac14$ more. That is a power of $T$: a finite "
        "fourth moment (Definition 3.1) gives convergence, but not faster than every power."
    ),
)
