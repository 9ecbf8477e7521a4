"""Charts of the variables of this paper: attention on a mask, unit tokens, orthogonal matrices."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from sympy import Integer, Rational

from claims.wu2024 import basin, factors, recursions
from claims.wu2024.dynamics import Bounded, Layers
from claims.wu2024.equilibria import IndependentUnitRows, Pythagorean
from claims.wu2024.ergodic import EndlessScales, Positive
from claims.wu2024.hartfiel import Nonnegative
from claims.wu2024.layernorm import NearIdentity, SometimesSparse
from claims.wu2024.notation import w
from claims.wu2024.positivity import C_1, C_2, Scales
from claims.wu2024.second_token import SameSignToken
from claims.wu2024.setup import Attention, AttentionSequence, EndlessAttention, SoftmaxAttention
from claims.wu2024.turns import EachLayer, EndlessLayers
from claims.wu2024.unit_tokens import AcuteRows, Direction, Orthogonal, UnitRows
from numeric.charts import (
    INTEGERS_ONLY,
    Chart,
    Numbers,
    Point,
    array,
    chart_of,
    charted,
    in_rows,
    interval,
    interval_at,
    number_at,
    planar_of,
    positive,
    sphere,
)

LEAST = Rational(1, 64)
"""Of entries that must be positive."""

INTEGERS_ONLY[SoftmaxAttention] = "powers of e with many exponents"

charted(NearIdentity, SometimesSparse, Bounded)(array)


@charted(UnitRows, AcuteRows, Direction, SameSignToken, IndependentUnitRows)
def unit_rows(variable: Any, value: Any, point: Point) -> Chart | None:
    """Unit rows by stereographic projection; signs stay where they have one coordinate."""
    rows, columns = value.shape
    if columns == 1:
        return None
    start = [u for k in range(rows) for u in planar_of(value.row(k))]
    build = lambda u, at: [sphere(row) for row in in_rows(u, columns - 1)]  # noqa: E731
    return Chart(tuple(start), build, inside=type(variable) is UnitRows)


@charted(Orthogonal)
def orthogonal(variable: Any, value: Any, point: Point) -> Chart:
    """The given matrix turned in every plane of two axes, by rational half angles."""
    planes = list(combinations(range(value.rows), 2))

    def build(u: Numbers, at: Point) -> list[Numbers]:
        rows = [[number_at(e, at, u[0]) for e in row] for row in value.tolist()]
        for (a, b), half in zip(planes, u, strict=True):
            if isinstance(half, Fraction) and not half:
                continue  # it turns nothing
            cosine, sine = (1 - half**2) / (1 + half**2), 2 * half / (1 + half**2)
            first, second = rows[a], rows[b]
            rows[a] = [cosine * x - sine * y for x, y in zip(first, second, strict=True)]
            rows[b] = [sine * x + cosine * y for x, y in zip(first, second, strict=True)]
        return rows

    return Chart((0.0,) * len(planes), build, inside=True)


@charted(Positive, Nonnegative)
def squares(variable: Any, value: Any, point: Point) -> Chart | None:
    """Entries by their roots; a column of norm one stays, since its norm is a root."""
    if getattr(variable, "unit", False):
        return None
    least = LEAST if isinstance(variable, Positive) else Integer(0)
    start = tuple(positive(float(e - least)) for e in value)
    return Chart(
        start, lambda u, at: in_rows([e**2 + number_at(least, at, e) for e in u], value.cols)
    )


# Attention -----------------------------------------------------------------------------------------


def _shares(row: Numbers, floor: Any) -> Numbers:
    """At least `floor` each, and what is left by squares over their sum."""
    weights = [u**2 for u in row]
    total = sum(weights)
    return [floor + (1 - len(row) * floor) * weight / total for weight in weights]


@charted(Attention, AttentionSequence, EndlessAttention)
def attention(variable: Any, value: Any, point: Point) -> Chart:
    """Weights over each token's neighbours."""
    mask, floor = point[variable.mask], float(variable._floor(point))
    layers = value if isinstance(value, tuple) else (value,)
    spans = [[j - 1 for j in mask.neighbours(i)] for i in range(1, mask.size + 1)]

    def free(entry: Any, count: int) -> float:
        left = 1 - count * floor
        return positive((float(entry) - floor) / left) if left > 0 else 1.0

    start = tuple(
        free(matrix[i, j], len(span))
        for matrix in layers
        for i, span in enumerate(spans)
        for j in span
    )

    def build(u: Numbers, at: Point) -> Any:
        least, numbers = number_at(variable.floor, at, u[0]), iter(u)
        built = []
        for _ in layers:
            matrix = []
            for span in spans:
                shares = iter(_shares([next(numbers) for _ in span], least))
                matrix.append([next(shares) if j in span else 0 for j in range(mask.size)])
            built.append(matrix)
        return type(value)(built) if isinstance(value, tuple) else built[0]

    return Chart(start, build, inside=True)


# Several layers ------------------------------------------------------------------------------------


@charted(Layers, EachLayer, EndlessLayers)
def layers(variable: Any, value: Any, point: Point) -> Chart | None:
    """A chart for each matrix; a bound on their products is left to the domain."""
    found = [chart_of(variable.each, matrix, point) for matrix in value]
    each = [chart for chart in found if chart is not None]
    if not each or len(each) < len(found):
        return None

    def build(u: Numbers, at: Point) -> Any:
        parts, place = [], 0
        for chart in each:
            parts.append(chart.build(u[place : place + chart.size], at))
            place += chart.size
        return type(value)(parts)

    return Chart(tuple(s for chart in each for s in chart.start), build)


@charted(Scales, EndlessScales)
def scales(variable: Any, value: Any, point: Point) -> Chart | None:
    """Diagonals between C_1 and C_2."""
    least, most = float(point[C_1]), float(point[C_2])
    numbers = [float(e) for column in value for e in column]
    start = [interval_at((e - least) / (most - least)) if most > least else 0.0 for e in numbers]
    height = value[0].rows if value else 1

    def build(u: Numbers, at: Point) -> Any:
        low, high = (number_at(end, at, u[0]) for end in (C_1, C_2))
        placed = [interval(x, low, high) for x in u]
        return type(value)([[e] for e in column] for column in in_rows(placed, height))

    return Chart(tuple(start), build)


@charted(recursions.Factors)
def shrinking_factors(variable: Any, value: Any, point: Point) -> Chart:
    """Numbers from 0 to 1."""
    start = tuple(interval_at(float(e)) for e in value)
    return Chart(start, lambda u, at: tuple(interval(x, 0, 1) for x in u))


@charted(factors.Factors)
def layer_factors(variable: Any, value: Any, point: Point) -> Chart:
    """Numbers of one sign, by their roots."""
    start = tuple(positive(abs(float(e))) for e in value)
    return Chart(start, lambda u, at: tuple(variable.sign * x**2 for x in u))


@charted(basin.PairAcross)
def pair_across(variable: Any, value: Any, point: Point) -> Chart:
    """Half angles of both tokens, as shares of bounds below which the inequalities hold."""

    def bounds(slope: Any) -> tuple[Any, Any]:
        steep = slope + 2 * slope / (slope**2 - 1)
        return 2 * steep / (4 * steep**2 + 1), 2 * slope**2 / (2 * slope**2 + 2 * slope + 1)

    def build(u: Numbers, at: Point) -> list[Numbers]:
        tops = bounds(number_at(w, at, u[0]))
        half = [interval(x, 0, 1) * top for x, top in zip(u, tops, strict=True)]
        (s1, c1), (s2, c2) = ((2 * x / (1 + x**2), (1 - x**2) / (1 + x**2)) for x in half)
        return [[s1, c1], [-c2, -s2]]

    (a, c), (x, y) = ([float(e) for e in row] for row in value.tolist())
    half = a / (1 + c), -y / (1 - x)
    shares = (e / top for e, top in zip(half, bounds(float(point[w])), strict=True))
    return Chart(tuple(interval_at(min(1.0, e)) for e in shares), build)


@charted(Pythagorean)
def above_one(variable: Any, value: Any, point: Point) -> Chart:
    """(1 + q^2)/(1 - q^2) for q between 0 and 1, so that the roots of the equilibria are rational."""
    q = positive((float(value) - 1) / (float(value) + 1))

    def build(u: Numbers, at: Point) -> Any:
        slope = interval(u[0], 0, 1)
        return (1 + slope**2) / (1 - slope**2)

    return Chart((interval_at(q),), build)
