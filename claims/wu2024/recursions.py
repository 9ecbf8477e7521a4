r"""From the recursion of the cosine gap to its rate: the last steps of App. C.1.1 and App. D."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from sympy import Expr, Integer, Rational, Symbol, floor

from claims.domain import Choice, Condition, Domain, Point, Size
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll
from claims.terms import family
from claims.wu2024.cosines import (
    below_one_over_N,
    least_cosine_grows_by_quasi_strong_connectivity,
    least_cosine_grows_by_strong_connectivity,
    t0,
)
from claims.wu2024.notation import N, epsilon, k, r, source, t

factors = Symbol(r"(\theta_s)_{s\le t}")
"""Holds numbers in [0, 1] at a point: how far each gap stays below what the recursion allows."""
_s = Symbol("s", integer=True, nonnegative=True)


@dataclass(frozen=True)
class Factors:
    """A tuple of t + 1 rationals in [0, 1]; all ones is the slowest sequence of gaps."""

    symbol: Any

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        count = int(point[t]) + 1
        if weight <= count:  # the last ones are halved
            halves = (Rational(1, 2),) * weight
            yield (Integer(1),) * (count - weight) + halves

    def draw(self, rng: Random, point: Point) -> Any:
        return tuple(Rational(rng.choice((4, 4, 4, 3, 2, 0)), 4) for _ in range(int(point[t]) + 1))

    def objection(self, value: Any, point: Point) -> str | None:
        if len(value) != point[t] + 1 or not all(0 <= factor <= 1 for factor in value):
            return f"{self.symbol} = {value}: must be {point[t] + 1} numbers in [0, 1]"
        return None


def gap_by_recursion(point: Point, layer: int) -> Expr:
    """1 - phi at a layer: at most 2 before t_0, at most one for r layers, then by the recursion."""
    start, step, factor = int(point[t0]), int(point[r]), point[factors][layer]
    if layer < start:
        return 2 * factor
    if layer < start + step:
        return factor
    shrink = 1 - point[N] * point[epsilon] ** (2 * step)
    return factor * shrink * gap_by_recursion(point, layer - step)


gap = family(r"\bigl(1-\phi^{{({})}}\bigr)", gap_by_recursion)
RECURSION = Condition(
    r"1-\phi^{(t+r)}\le(1-N\epsilon^{2r})(1-\phi^{(t)}),\ \phi^{(t)}\ge0\ \text{for } t\ge t_0",
    lambda at: True,  # the factors make it so
    ForAll(_s, 0, t, Compare(gap(_s), "<=", 2) & Compare(gap(_s), ">=", 0))
    & ForAll(_s, t0, t, Compare(gap(_s), "<=", 1))
    & ForAll(_s, t0, t - r, Compare(gap(_s + r), "<=", (1 - N * epsilon ** (2 * r)) * gap(_s))),
)


def gaps(first_layer: Any) -> Domain:
    """Sequences of gaps that obey the recursion from layer t_0 on, and are at most one there."""
    sizes = (Size(N, 2, 4), below_one_over_N, Size(r, 1, 3), first_layer, Size(t, 0, 9))
    return Domain((*sizes, Factors(factors)), (RECURSION,))


def slowest_gaps(period: int, first: int, layer: int) -> dict[Any, Any]:
    """Two tokens and epsilon = 1/4: gaps as large as the recursion allows."""
    sizes = {N: 2, r: period, t0: first, t: layer}
    point = {symbol: Integer(value) for symbol, value in sizes.items()}
    return {**point, epsilon: Rational(1, 4), factors: (Integer(1),) * (layer + 1)}


share = N * epsilon ** (2 * r)
"""What the recursion takes of a gap in r layers."""
periods = floor((t - t0) / r)
"""Whole periods from layer t_0 on up to the last layer."""
_unrolled = ForAll(k, 0, periods, Compare(gap(t0 + k * r), "<=", (1 - share) ** k * gap(t0)))
COSINE = Hypothesis(r"-1\le\phi^{(t)}\le1,\quad N\epsilon<1")
rate_from_t0_follows = Claim(
    id="wu2024.thm-2.eq-26.step",
    source=source("App. C.1.1", "Eq. (26)"),
    kind="rate",
    title=r"The recursion from $t_0$ on gives a gap of at most $2(1-N\epsilon^{2r})^{(t-t_0)/r}$.",
    statement=_unrolled
    & Compare(gap(t), "<=", 2 * (1 - share) ** (-t0 / r) * (1 - share) ** (t / r)),
    domain=gaps(Size(t0, 0, 4)),
    hypotheses=(Hypothesis(RECURSION.latex), COSINE),
    uses=(least_cosine_grows_by_strong_connectivity,),
    given=(least_cosine_grows_by_strong_connectivity,),
    probes=(slowest_gaps(1, 2, 1), slowest_gaps(1, 0, 9)),
    printed=(
        r"1 - \phi^{(t_0+kr)} \leq (1 - N\epsilon^{2r})^k (1 - \phi^{(t_0)}), \quad C := 2/(1 - "
        r"N\epsilon^{2r})^{t_0/r}, \quad 1 - \alpha^{(t)} \leq C(1 - N\epsilon^{2r})^{\frac{t}{r}}"
    ),
    note=(
        r"$C$ serves $t-t_0$ not a multiple of $r$, since $N\epsilon^{2r}\le1/8$ for $r\ge2$. The "
        "recursion itself is refuted."
    ),
)

rate_from_the_start_follows = Claim(
    id="wu2024.cor-1.eq-27.step",
    source=source("App. D", "Eq. (27)"),
    kind="rate",
    title=r"The recursion from layer 0 on gives a gap of at most $(1-N\epsilon^{2r})^{t/r-1}$.",
    statement=_unrolled & Compare(gap(t), "<=", 1 / (1 - share) * (1 - share) ** (t / r)),
    domain=gaps(Choice(t0, (Integer(0),))),
    hypotheses=(Hypothesis(RECURSION.latex), COSINE, Hypothesis("t_0=0")),
    uses=(least_cosine_grows_by_quasi_strong_connectivity,),
    given=(least_cosine_grows_by_quasi_strong_connectivity,),
    probes=(slowest_gaps(2, 0, 1), slowest_gaps(1, 0, 9)),
    printed=(
        r"1 - \phi^{(kr)} \leq (1 - N\epsilon^{2r})^k (1 - \phi^{(0)}), \quad C := 1/(1 - "
        r"N\epsilon^{2r}), \quad 1 - \phi^{(t)} \leq C(1 - N\epsilon^{2r})^{\frac{t}{r}}"
    ),
    note="The recursion itself is refuted.",
)
