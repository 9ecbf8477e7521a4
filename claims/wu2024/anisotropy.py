r"""Sec. 4.4, App. F.2 and Fig. 4: how the equilibria of full rank lie on the sphere.

`full_rank` are the 2^N equilibria of App. F.1, by the signs of their last coordinates; (33) is the
one with alternating signs.  "Narrow" is read without signs, as the stable rank and absolute cosines are.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Any

from sympy import (
    Float,
    ImmutableDenseMatrix,
    Integer,
    Poly,
    Rational,
    Sum,
    Symbol,
    expand,
    oo,
    sqrt,
)
from sympy.abc import lamda

from claims.domain import Choice, Computed, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import Compare, ForAll, Formula, Quantity, measured_family
from claims.wu2024.chains import JORDAN
from claims.wu2024.coexistence import (
    SQUARE,
    Alternating,
    alternating_signs,
    built,
    equilibria_of_every_rank_are_built_from_signs,
    full_rank_equilibria_are_counted_by_signs,
    full_rank_equilibrium,
    grown,
    signs,
    sizes_at,
    solved_entry,
    solved_rows_are_an_equilibrium_of_full_rank,
)
from claims.wu2024.equilibria import ZERO_SCORES, Pythagorean
from claims.wu2024.every_rank import equilibria_of_every_rank_coexist
from claims.wu2024.notation import N, d, k, source, w
from claims.wu2024.unit_tokens import Signs

SETTING = (ZERO_SCORES, JORDAN, SQUARE)
delta = Symbol("delta", positive=True)
margin = Symbol("eta", nonnegative=True)
_i, _b = Symbol("i", integer=True), Symbol("b", integer=True)


def full_rank(at: Point) -> ImmutableDenseMatrix:
    """The equilibrium of rank N whose last coordinates have the signs sigma."""
    return built(1, at[signs], int(at[N]), at[w])


def cosines(tokens: Any) -> list[Any]:
    """<X_i, X_j> for i < j; all rows have norm one."""
    gram = tokens * tokens.T
    return [gram[pair].expand() for pair in combinations(range(tokens.rows), 2)]


def spectrum(tokens: Any) -> list[Any]:
    """Squared singular values in increasing order, exactly; the entries must be rational."""
    gram = tokens * tokens.T
    return list(Poly(gram.charpoly(lamda).as_expr(), lamda).real_roots())


# A narrow region -----------------------------------------------------------------------------------


def _of_rank(at: Point) -> ImmutableDenseMatrix:
    """The equilibrium of rank k of App. F.1, Step 2, whose last coordinates have the signs sigma."""
    return grown(*sizes_at(at, at[k], signs))


def _off_axis(at: Point) -> Any:
    return max(expand(1 - x**2) for x in _of_rank(at).col(int(at[d]) - 1))


off_axis = Quantity(r"\max_i\left(1-\langle X_{i,:},e_d\rangle^2\right)", _off_axis)
least_cosine = Quantity(
    r"\min_{i<j}\langle X_{i,:},X_{j,:}\rangle",
    lambda at: min(cosines(_of_rank(at)), default=oo),
)
least_absolute_cosine = Quantity(
    r"\min_{i<j}|\langle X_{i,:},X_{j,:}\rangle|",
    lambda at: min((abs(cosine) for cosine in cosines(_of_rank(at))), default=oo),
)
_excess = Symbol("eta", positive=True)
_heads = N - k + 1
_inside = Condition(
    r"k\le\min\{N,d\}",
    lambda at: at[k] <= min(at[N], at[d]),
    Compare(k, "<=", N) & Compare(k, "<=", d) & Compare(k, ">=", 1),
)
_steep = Compare(w, "=", _heads + _excess)
_weight = Computed(w, lambda at: at[N] - at[k] + 1 + at[_excess], known=(_steep,))
_sizes = (
    Size(k, 1, 4), Size(N, 1, 4), Size(d, 1, 4), Real(_excess, 0, open_low=True), _weight,
    Signs(signs, k),
)  # fmt: skip
_wide_enough = Compare(delta * w**2, ">=", _heads**2)
every_sign = Domain(
    (
        *_sizes, Real(margin, 0),
        Computed(
            delta, lambda at: (at[N] - at[k] + 1) ** 2 / at[w] ** 2 + at[margin], known=(_wide_enough,)
        ),
    ),
    (_inside,),
)  # fmt: skip
_any_width = Domain((*_sizes, Real(delta, 0, Rational(1, 4), open_low=True)), (_inside,))
tokens_lie_in_a_narrow_region = Claim(
    id="wu2024.sec-4.4.anisotropy",
    source=source("Sec. 4.4", "Anisotropy of token embeddings; App. F.2"),
    kind="prose",
    title=r"For $w\ge(N-k+1)/\sqrt\delta$ tokens lie in a double cone of squared sine $\delta$.",
    statement=off_axis.at_most(delta),
    domain=every_sign,
    hypotheses=(
        ZERO_SCORES, JORDAN, Hypothesis(r"w=N-k+1+\eta>N-k+1,\ 1\le k\le\min\{N,d\}"),
        Hypothesis(r"X:\ \text{the equilibrium of rank}\ k\ \text{with signs}\ \sigma\in\{\pm1\}^k"),
        Hypothesis(r"\delta>0,\quad w\ge\frac{N-k+1}{\sqrt\delta}"),
    ),
    printed=(
        r"\text{the full rank equilibria described in Theorem 3 align with this observation, as tokens "
        r"lie in a narrow region on } \mathbb{S}^{d-1}"
    ),
    uses=(
        solved_rows_are_an_equilibrium_of_full_rank, full_rank_equilibria_are_counted_by_signs,
        equilibria_of_every_rank_are_built_from_signs,
    ),
    mutants=(
        Mutant("all tokens on one side", least_cosine.above(0)),
        Mutant(
            "absolute cosines at least 1 - (N-k+1)^2/(2w^2)",
            least_absolute_cosine.at_least(1 - _heads**2 / (2 * w**2)),
        ),
        Mutant("1/w^2 for more tokens than the rank, too", off_axis.at_most(1 / w**2)),
        Mutant("any weights above N - k + 1", off_axis.at_most(delta), domain=_any_width),
    ),
    understood=(
        Understood(
            'A region is "narrow" as the paper measures it, without signs: by the stable rank in App. F.2 '
            "(`wu2024.app-F2.delta-condition`) and by absolute cosines in Fig. 4 "
            "(`wu2024.beyond.equilibrium-geometry`). It is a double cone about the line through $e_d$.",
            "With signs the region is not narrow, and the statement is false: in (33) signs alternate, and "
            "$\\langle X_1,X_2\\rangle=-\\sqrt{1-1/w^2}$, an angle of $150$ degrees for $w=2$, is nearly "
            "antipodal for large $w$.",
        ),
    ),
    note=(
        "Weights are chosen by $\\delta$, as App. F.2 does. Only in two of the $2^N$ equilibria do all "
        "tokens lie on one side. The region is not narrow for every choice of weights: "
        "for $N>d$ and $w=N$, which Step 2 of the paper allows, "
        "the row after the first $N-d+1$ has the squared sine $((N-d+1)/N)^2$, next to one for $N\\gg d$."
    ),
)  # fmt: skip

# The stable rank -----------------------------------------------------------------------------------


def _to_sixty_digits(number: Any) -> Decimal:
    return Decimal(str(number.evalf(60)))


def _squared_norm(at: Point) -> Float:
    """To sixty digits, as a number that sums of entries can be divided by."""
    return spectrum(full_rank_equilibrium(at))[-1].evalf(60)


def _stable_rank(at: Point) -> Decimal:
    return _to_sixty_digits(sum(x**2 for x in full_rank_equilibrium(at)) / _squared_norm(at))


squared_norm = Quantity(r"\|X^\star\|_2^2", _squared_norm)
stable_rank = Quantity(r"\mathrm{SRank}(X^\star)", _stable_rank)
"""|X*|_F^2 / |X*|_2^2 for the rows (33)."""
longest = measured_family(r"v_{{{}}}")
"""A unit vector v whose image X* v is longest."""
squared_size = Sum(Sum(solved_entry(_i, _b) ** 2, (_b, 1, N)), (_i, 1, N))
"""|X*|_F^2."""


@dataclass(frozen=True)
class NormAttained(Alternating):
    """The signs of (33), and what |X*|_2 is: no unit vector has a longer image, and one attains it."""

    def facts(self) -> tuple[Formula, ...]:
        column = Sum(solved_entry(_i, _b) ** 2, (_i, 1, N))
        image = Sum(solved_entry(_i, _b) * longest(_b), (_b, 1, N))
        return (
            *super().facts(),
            ForAll(_b, 1, N, Compare(column, "<=", squared_norm)),
            Compare(Sum(longest(_b) ** 2, (_b, 1, N)), "=", 1),
            Compare(Sum(image**2, (_i, 1, N)), "=", squared_norm),
        )


_attained = NormAttained(signs, alternating_signs.value)
printed_equilibrium = Domain((Size(N, 1, 4), Pythagorean(w), _attained))
_along_e_d = N / (1 + (N - 1) * (1 - 1 / w**2))
stable_rank_is_close_to_one = Claim(
    id="wu2024.app-F2.stable-rank-bound",
    source=source("App. F.2"),
    kind="bound",
    title="The stable rank of (33) is at most $N/(N - (N-1)/w^2)$, from the test vector $e_d$.",
    statement=stable_rank.at_most(_along_e_d, N / (N - (N - 1) / w**2)),
    printed=(
        r"\text{SRank}(X^*) = \frac{\|X^*\|_F^2}{\|X^*\|_2^2} \leq \frac{N}{N - \frac{N-1}{w^2}}"
    ),
    domain=printed_equilibrium,
    hypotheses=SETTING,
    uses=(solved_rows_are_an_equilibrium_of_full_rank,),
    probes=(printed_equilibrium.completed({N: Integer(2), w: Rational(5, 3)}),),
    note=(
        "The numerator is $\\|X^\\star\\|_F^2 = N$, and the first bound has $\\|X^\\star e_d\\|^2$ below. "
        "Neither is attained for $N > 1$: at fixed $w$ the stable rank tends to one."
    ),
)


def _given(*allowed: Real | Computed) -> Domain:
    return Domain((Size(N, 1, 4), Pythagorean(w), _attained, *allowed))


_within = stable_rank.at_least(1) & stable_rank.at_most(1 + delta)
_wide = Compare(w**2, ">=", 1 / delta + 1)
stable_rank_is_within_delta_of_one = Claim(
    id="wu2024.app-F2.delta-condition",
    source=source("App. F.2"),
    kind="bound",
    title="For $w\\ge\\sqrt{1/\\delta+1}$ the stable rank of (33) is between $1$ and $1 + \\delta$.",
    statement=_within,
    printed=r"1 \leq \text{SRank}(X^*) \leq (1 + \delta) + O(1/N)",
    domain=_given(  # w >= sqrt(1/delta + 1), solved for delta
        Real(margin, 0),
        Computed(delta, lambda at: 1 / (at[w] ** 2 - 1) + at[margin], known=(_wide,)),
    ),
    hypotheses=(*SETTING, Hypothesis(r"w\ge\sqrt{1/\delta+1},\ \delta>0")),
    uses=(stable_rank_is_close_to_one,),
    mutants=(
        Mutant("any w > 1", _within, domain=_given(Real(delta, 0, Rational(1, 4), open_low=True))),
        Mutant("w >= 1 + delta", _within, domain=_given(Real(delta, 0, w - 1, open_low=True))),
    ),
    note=(
        "Printed with a further $O(1/N)$, which is not needed: $N(1+\\delta)/(N+\\delta)\\le1+\\delta$."
    ),
)

# Fig. 4 --------------------------------------------------------------------------------------------


least_square = Quantity(
    r"\sigma_{\min}(X^\star)^2",
    lambda at: _to_sixty_digits(spectrum(full_rank_equilibrium(at))[0]),
)
least_printed_cosine = Quantity(
    r"\min_{i<j}|\langle X^\star_{i,:},X^\star_{j,:}\rangle|",
    lambda at: min(abs(cosine) for cosine in cosines(full_rank_equilibrium(at))),
)
shortest = measured_family(r"u_{{{}}}")
"""A unit vector u for which u^T X* is shortest."""


@dataclass(frozen=True)
class LeastAttained(Alternating):
    """The signs of (33), and what sigma_min is: no unit vector has a shorter image, and one attains it."""

    def facts(self) -> tuple[Formula, ...]:
        image = Sum(shortest(_i) * solved_entry(_i, _b), (_i, 1, N))
        pair = Sum((solved_entry(_i, _b) + solved_entry(_i + 1, _b)) ** 2, (_b, 1, N))
        return (
            *super().facts(),
            ForAll(_i, 1, N - 1, Compare(pair, ">=", 2 * least_square)),
            Compare(Sum(shortest(_i) ** 2, (_i, 1, N)), "=", 1),
            Compare(Sum(image**2, (_b, 1, N)), "=", least_square),
        )


_least_attained = LeastAttained(signs, alternating_signs.value)
_cosine = sqrt(1 - 1 / w**2)
equilibrium_has_full_rank_and_large_absolute_cosines = Claim(
    id="wu2024.beyond.equilibrium-geometry",
    source=source("Sec. 5", "end; Fig. 4"),
    kind="construction",
    title="(33) has full rank and absolute cosines of at least $\\sqrt{1 - 1/w^2}$, for all $w$, $N$.",
    statement=least_square.equals((1 - _cosine) / w ** (2 * (N - 2)))
    & least_printed_cosine.equals(_cosine),
    domain=Domain((Size(N, 2, 4), Pythagorean(w), _least_attained)),
    hypotheses=(*SETTING, Hypothesis(r"N\ge2")),
    uses=(solved_rows_are_an_equilibrium_of_full_rank,),
    understood=(
        Understood("there are two tokens, $N\\ge2$", "$N = 1$: there is no pair of tokens"),
    ),
    note=(
        "The paper says: full rank and close to a low-dimensional geometry at the same time. Both "
        "hold, but the least singular value falls like $w^{-N}$: it is not well above zero."
    ),
)

model, layer = Symbol("m"), Symbol("t", integer=True, nonnegative=True)
layers = Symbol("L", integer=True, positive=True)
above = Symbol("epsilon", positive=True)
least_singular = measured_family(r"\sigma_{{\min}}(X^{{({})}})")
mean_cosine = measured_family(r"\overline{{|\cos|}}(X^{{({})}})")

token_geometry_of_models_is_that_of_the_equilibria = Claim(
    id="wu2024.fig-4.token-geometry",
    source=source("Sec. 5", "Fig. 4; App. G.3, Fig. 8"),
    kind="experiment",
    title="In pretrained models tokens keep full rank while absolute cosines grow, as in (33).",
    statement=ForAll(layer, 0, layers, Compare(least_singular(layer), ">=", above))
    & Compare(mean_cosine(0), "<", mean_cosine(layers)),
    domain=Domain(
        (
            Choice(model, ("BERT", "GPT2", "T5", "ALBERT")),
            Size(layers, 1, 12),
            Real(above, 0, open_low=True),
        )
    ),
    left_open=(above,),
    hypotheses=(
        Hypothesis(r"\text{32 samples, pretrained weights of BERT, GPT2, T5, ALBERT}"),
        Hypothesis(r"\overline{|\cos|}:\ \text{mean over pairs of tokens}"),
    ),
    uses=(
        equilibrium_has_full_rank_and_large_absolute_cosines,
        stable_rank_is_within_delta_of_one,
        equilibria_of_every_rank_coexist,
    ),
    note=(
        "the pretrained models are not run, and nothing says how far above zero the least singular "
        "value is to stay. Of the equilibrium that they are compared with, full rank and large "
        "absolute cosines are proved (`wu2024.beyond.equilibrium-geometry`), but its least singular "
        "value is "
        r"$w^{2-N}(1-\sqrt{1-1/w^2})^{1/2}$: next to zero for $N=128$ tokens, where the text reports "
        "values well above zero for models"
    ),
)
