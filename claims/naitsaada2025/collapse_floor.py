r"""How slowly one layer collapses: two exact means for exponential $Z$, and the bound that they give.

Rows of $A$ have a Dirichlet law and are independent, with $y=a-T^{-1}1$:
$\|A\|_F^2=1+\sum_i\|y_i\|^2$ and $\langle a_i,a_k\rangle=\frac1T+\langle y_i,y_k\rangle$.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

from sympy import Integer, Rational, sqrt

from claims.domain import Choice, Domain, Real, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.energy_rank import tangents_below_the_rank
from claims.naitsaada2025.notation import WIDE, T, d, source
from claims.naitsaada2025.products import bound, first_size, from_some_size_on, size
from claims.naitsaada2025.second_moments import ORTHONORMAL
from claims.naitsaada2025.shares import EXPONENTIAL, GAMMA, ROW_MOMENTS, centred_row
from claims.statement import Compare, Quantity
from claims.terms import family


@cache
def _moments(tokens: int) -> tuple[Fraction, Fraction, Fraction]:
    """E|y|^2, E|y|^4 and E<y,y'>^2 of independent centred rows."""
    row, one = centred_row(GAMMA, tokens, Fraction(1)), Fraction(1)
    own, fourth = (ROW_MOMENTS[name](row, tokens * one) for name in ("unevenness", "fourth"))
    apart = row((0, 1)) if tokens > 1 else Fraction(0)
    return own, fourth, tokens * row((0, 0)) ** 2 + tokens * (tokens - 1) * apart**2


def _energy(tokens: int, width: int) -> Any:
    """E|A X_0 W|^2 = d E|A|^2."""
    return Rational(width * (1 + tokens * _moments(tokens)[0]))


def _covariance_energy(tokens: int, width: int) -> Any:
    """E|X X^T|^2 = d (d + 1) E|A A^T|^2 + d E|A|^4: pairs of four Gaussian factors."""
    own, fourth, mixed = _moments(tokens)
    size = Fraction(1, tokens)
    same = size**2 + 2 * size * own + fourth  # E|a|^4
    pairs = tokens * same + tokens * (tokens - 1) * (size**2 + mixed)
    whole = tokens * same + tokens * (tokens - 1) * (size + own) ** 2
    return Rational(width * (width + 1) * pairs + width * whole)


energy = Quantity(
    r"\mathbb E\|X\|_F^2", lambda at: _energy(int(at[T]), int(at[d])), nonnegative=True
)
covariance_energy = Quantity(
    r"\mathbb E\|XX^\top\|_F^2",
    lambda at: _covariance_energy(int(at[T]), int(at[d])),
    nonnegative=True,
)
energy_at = family(r"\mathbb E\|X\|^2_{{F,\,T=d={}}}", lambda at, tokens: _energy(tokens, tokens))
covariance_energy_at = family(
    r"\mathbb E\|XX^\top\|^2_{{F,\,T=d={}}}", lambda at, tokens: _covariance_energy(tokens, tokens)
)
"""With as many features as tokens."""
LAYER = (
    Hypothesis(
        r"X=AX_0W^V,\ A\ \text{i.i.d. Markov (Definition 3.1)},\ W^V_{ij}\sim\mathcal N(0,1)"
    ),
    ORTHONORMAL,
    EXPONENTIAL,
)
ENOUGH = 16
_rows = 4 * T * (T + 5) / ((T + 1) * (T + 2) * (T + 3))
"""T E|a|^4."""
PAIRS = _rows + (T - 1) * (T + 3) / (T + 1) ** 2
SQUARED_NORM = _rows + 4 * T * (T - 1) / (T + 1) ** 2
"""E|A A^T|^2 and E|A|^4."""

one_layer_keeps_a_share_of_its_energy = Claim(
    id="naitsaada2025.beyond.one-layer-collapses-slowly",
    source=source("Sec. 3.1", "Prop. 3.4, last line"),
    kind="rate",
    title=(
        r"For exponential $Z$ two means of one layer are exact, and give "
        r"$\mathbb E\,(\mathrm{sr}(\Sigma)-1)\ge\frac1{4(T-1)}$ for all $T\ge16$."
    ),
    statement=energy.equals(2 * d * T / (T + 1))
    & covariance_energy.equals(d * (d + 1) * PAIRS + d * SQUARED_NORM)
    & Compare(energy**2, ">=", Rational(9, 4) * covariance_energy),
    domain=Domain((Size(T, ENOUGH, ENOUGH + 4), Size(d, ENOUGH, ENOUGH + 8)), (WIDE,)),
    hypotheses=LAYER,
    uses=(tangents_below_the_rank,),
    note=(
        r"$\kappa=\mathbb E\|X\|_F^2\big/\sqrt{\mathbb E\|XX^\top\|_F^2}$ is at least $\tfrac32$, and "
        r"`naitsaada2025.beyond.stable-rank-from-two-means` bounds the mean of $\mathrm{sr}(\Sigma)-1$ by "
        r"$\frac{(\kappa-1)^2}{T-1}$; $\kappa\to2$ as $T\to\infty$, $T/d$ fixed. For independent rows of any "
        r"law with exchangeable entries, $r=\mathbb E\|y\|^2$, $v=\mathbb E\|y\|^4$, the means are $d(1+Tr)$ "
        r"and $d(d+1)(1+2r+T(v+r^2))+d((1+Tr)^2+T(v-r^2))$. Where $Z$ has a variance, $Tr\to\sigma^2/m^2$ and "
        r"$Tv\to0$, as $\|y\|\le1$: then $\kappa\to1+\sigma^2/m^2$, without a fourth moment."
    ),
)

# As the proposition has it ------------------------------------------------------------------------

LEAST_EXCESS = (energy / sqrt(covariance_energy) - 1) ** 2 / (T - 1)
"""The mean of sr(Sigma) - 1 is no less, where the first mean is no less than the root of the second."""
CUBIC = from_some_size_on(
    Compare(
        (energy_at(size) / sqrt(covariance_energy_at(size)) - 1) ** 2 / (size - 1),
        "<=",
        bound / size**3,
    )
)
"""What $O(T^{-3})$ requires of the two means."""
ONE_LAYER = Domain((Real(bound, 0, open_low=True), Size(first_size, ENOUGH, ENOUGH + 2)))


def one_layer(constants: Choice) -> Domain:
    """Sizes at which the two means say something, and a constant that the print leaves open."""
    sizes = Size(T, ENOUGH, ENOUGH + 4), Size(d, ENOUGH, ENOUGH + 8)
    return Domain((*sizes, constants), (WIDE,))


def square_at(size: int, constants: Choice) -> tuple[dict[Any, Any], ...]:
    """As many features as tokens, for each constant."""
    return tuple(
        {T: Integer(size), d: Integer(size), constants.symbol: v} for v in constants.values
    )
