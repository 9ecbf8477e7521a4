"""Where a measurement looks beyond the sizes at which proofs look for witnesses.

*Small*: the sizes that exact definitions reach, drawn by the domain itself.  *Model*: tokens and
features of some tens, all of them different, with inputs of the kinds that networks meet (Gaussian,
correlated, nearly collapsed, one dominant token, heavy-tailed, one-hot) and masks of every family.
*Paper*: the same at the sizes of the papers' own figures and of real layers, by turns with more tokens
than features and with fewer.

Points at every scale are exact: their entries are rationals with few bits, so that hypotheses are
checked as they are at small points, and only what is computed from them is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from sympy import QQ, ImmutableDenseMatrix, Integer, MatrixSymbol

from claims import masks
from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Scaled, Size
from claims.mask_classes import shares_traits
from claims.masks import Mask
from claims.matrices import exact_matrix
from claims.model import Claim
from numeric.drawing import CHUNKS, LARGE, Lot
from numeric.sampling import stream_seed

__all__ = [
    "KINDS", "MODEL", "PAPER", "SMALL", "Scale", "dimensions", "has_scale",
    "holds_exact_matrices", "points_at", "tokens_of_kind",
]  # fmt: skip


@dataclass(frozen=True)
class Scale:
    """A range for numbers of tokens and features, and one for depths, steps and other counts."""

    name: str
    dimensions: tuple[int, int]
    counts: tuple[int, int]
    least: int = 1
    """Fewer tokens or features than this are another scale."""
    by_turns: bool = False
    """Whether tokens are by turns more than features and fewer, whatever the seed."""
    lot: Lot = CHUNKS

    @property
    def is_large(self) -> bool:
        """Whether exact matrices, and one by one all pairs of tokens, are out of reach."""
        return self.least > MOST_OF_EXACT


SMALL = Scale("small", (1, 5), (0, 5))
MODEL = Scale("model", (12, 40), (0, 12), least=5)
PAPER = Scale("paper", (512, 768), (0, 12), least=512, by_turns=True, lot=LARGE)

DIMENSIONS = frozenset(
    {"n", "N", "T", "m", "p", "q", "d", "d_v", "d_k", "d_{QK}", "d_{qk}", r"|\mathcal{V}|"}
)
"""Sizes that count tokens or features in the papers; the others are depths, steps and places."""
TRIES = 12
COPIES = (4, 12)
"""How many sequences of tokens where they are long."""
REDRAWN = 24, 6
"""Values of a variable other than a matrix that are tried where a condition excludes some; at large
scales, where a mask has a hundred thousand edges, fewer."""
SIZES_DRAWN = 1000
MOST_ENTRIES = 2**21
"""Entries of an exact matrix, at a hundred bytes each."""
MOST_OF_EXACT = 16
"""The largest size where a point holds products of exact matrices, whose entries grow with it."""


def dimensions(domain: Domain) -> list[Size]:
    """The sizes of a domain that count tokens or features."""
    return [v for v in domain.variables if isinstance(v, Size) and str(v.symbol) in DIMENSIONS]


def _chooses_mask(variable: Any) -> bool:
    """Whether a variable is a mask: one of a list, or any graph of a class."""
    if isinstance(variable, Choice):
        return all(isinstance(value, Mask) for value in variable.values)
    return hasattr(variable, "of_size")


def _is_made(variable: Any) -> bool:
    """Whether a matrix is more than drawn entries: computed, stochastic, bounded, one per layer."""
    if type(variable).__module__ == Array.__module__ and not isinstance(variable, Computed):
        return False
    return isinstance(variable.symbol, MatrixSymbol) or hasattr(variable, "length")


def holds_exact_matrices(domain: Domain) -> bool:
    """Whether a point holds matrices that are computed exactly, which is done for few rows only."""
    return any(map(_is_made, domain.variables))


def has_scale(domain: Domain) -> bool:
    """Whether anything in a domain can be large."""
    return bool(dimensions(domain)) or any(map(_chooses_mask, domain.variables))


def points_at(
    claim: Claim, scale: Scale, seed: int, count: int, largest: int | None = None
) -> list[tuple[str, Point]]:
    """Admissible points at a scale, one for each of `count` kinds of input, which the seed chooses.

    No number of tokens or features is beyond `largest`.  Kinds that the hypotheses exclude are left
    out, so that there may be fewer points, or none.
    """
    rng = Random(stream_seed(seed, claim.parent or claim.id, scale.name))
    kinds = rng.sample(list(KINDS), len(KINDS))
    found: list[tuple[str, Point]] = []
    for kind in kinds[: count + 1] if scale.is_large else kinds:
        order = (len(found) + seed) % 2 == 0 if scale.by_turns else None
        point = _point(claim.domain, scale, kind, rng, (largest, order))
        found += [] if point is None else [(kind, point)]
        if len(found) == count:
            break
    return found


Sizing = tuple[int | None, bool | None]
"""The largest size, None for any; whether the first is above the second, None for the seed's choice."""


def _point(
    domain: Domain, scale: Scale, kind: str, rng: Random, sizing: Sizing
) -> dict[Any, Any] | None:
    tries = 2 if scale.is_large else TRIES
    for place in range(tries):
        point = _drawn(domain, scale, kind, rng, sizing, small=place >= tries // 2)
        if point is not None:
            return point
    return None


def _drawn(
    domain: Domain, scale: Scale, kind: str, rng: Random, sizing: Sizing, small: bool
) -> dict[Any, Any] | None:
    """One point, or None where a hypothesis excludes it; weights of norm below one if `small`.

    What a variable draws itself is in its range; tokens with which a direction is to have positive
    products are drawn in one orthant, since a cone of many random ones would be empty.  Where a unit
    makes powers exact, such as log 2 for a softmax, matrices are drawn by the domain, in integers.
    """
    point: dict[Any, Any] = {}
    largest, order = sizing
    if holds_exact_matrices(domain):
        largest = min(largest or MOST_OF_EXACT, MOST_OF_EXACT)
    sizes = _admitted_sizes(domain, scale, rng, (largest, order))
    if sizes is None:
        return None
    tokens = _dimension(scale, rng, largest)
    whole = any(isinstance(variable, Scaled) for variable in domain.variables)
    in_one_orthant = {getattr(variable, "tokens", None) for variable in domain.variables}

    def value_of(variable: Any) -> Any:
        if _chooses_mask(variable):
            return _mask(variable, tokens, rng, point)
        if type(variable) is Array and not whole:
            return _array(variable, kind, rng, point, small)
        if isinstance(variable, Scaled) and small:
            variable = replace(variable, height=1)
        value = variable.draw(rng, point)
        if isinstance(variable, Array) and variable.symbol in in_one_orthant:
            return value.applyfunc(abs)
        return value

    for variable in domain.variables:
        symbol = variable.symbol
        draws = 1 if isinstance(symbol, MatrixSymbol) else REDRAWN[scale.is_large]
        values = [sizes[symbol]] if symbol in sizes else (value_of(variable) for _ in range(draws))
        if not _extended(point, variable, values, domain):
            return None
    return point if all(c.holds(point) for c in domain.conditions) else None


def _extended(point: dict[Any, Any], variable: Any, values: Iterable[Any], domain: Domain) -> bool:
    """Whether one of a variable's values was put in: the first that nothing excludes so far."""
    for value in values:
        if value is None:
            return False
        if isinstance(variable, Size) and variable.objection(value, point) is not None:
            continue
        point[variable.symbol] = value
        if not _excluded(domain, point):
            return True
    return False


def _excluded(domain: Domain, point: Point) -> bool:
    """Whether a condition fails already, whatever the variables to come."""
    missing = {v.symbol for v in domain.variables} - point.keys()
    return any(_fails(condition, point, missing) for condition in domain.conditions)


def _fails(condition: Condition, point: Point, missing: set[Any]) -> bool:
    if condition.formula is not None and missing & condition.formula.free_symbols():
        return False
    try:
        return not condition.holds(point)
    except (KeyError, TypeError):  # it reads a variable to come
        return False


def _admitted_sizes(
    domain: Domain, scale: Scale, rng: Random, sizing: Sizing
) -> dict[Any, Integer] | None:
    """Sizes that the conditions between sizes alone admit, in the other order where they must be."""
    largest, order = sizing
    for place in range(SIZES_DRAWN):
        wanted = order if place < SIZES_DRAWN // 10 else None
        sizes = _sizes(domain, scale, rng, (largest, wanted))
        if not _excluded(domain, sizes):
            return sizes
    return None


def _sizes(domain: Domain, scale: Scale, rng: Random, sizing: Sizing) -> dict[Any, Integer]:
    """Different tokens and features, the first larger or smaller than the second alike; counts.

    A size that must be larger than the scale's begins where it may.
    """
    largest, order = sizing
    chosen: dict[Any, Integer] = {}
    large = dimensions(domain)
    low, high = scale.dimensions
    if largest is not None:
        low, high = min(low, max(1, largest // 2)), min(high, largest)
    span = rng.sample(range(low, high + 1), min(len(large), high - low + 1))
    if order is not None and len(span) > 1 and (span[0] > span[1]) != order:
        span[:2] = span[1::-1]
    copies = {getattr(variable, "counted_by", None) for variable in domain.variables}
    for place, size in enumerate(large):
        drawn = span[place % len(span)]
        if size.symbol in copies:
            drawn = rng.randint(*COPIES) if scale.is_large else drawn
        drawn += max(0, size.low - low) if drawn < size.low else 0
        chosen[size.symbol] = Integer(drawn if size.most is None else min(drawn, size.most))
    few, many = scale.counts
    for size in domain.variables:
        if isinstance(size, Size) and size.symbol not in chosen:
            most = many if size.most is None else size.most
            chosen[size.symbol] = Integer(rng.randint(max(size.low, few), max(size.low, most)))
    return chosen


def _dimension(scale: Scale, rng: Random, largest: int | None) -> int:
    low, high = scale.dimensions
    high = high if largest is None else min(high, largest)
    return rng.randint(min(low, high), high)


# Masks --------------------------------------------------------------------------------------------

FAMILIES: tuple[Callable[[int], Mask], ...] = (
    masks.complete, masks.causal, masks.sliding_window, masks.one_directional, masks.star,
    masks.cycle, lambda size: masks.star(size, undirected=True),
    lambda size: masks.spider(3, max(1, (size - 1) // 3)),
)  # fmt: skip


def _mask(variable: Any, size: int, rng: Random, point: Point) -> Mask | None:
    """A mask of a family, or a random graph where the variable is any graph of a class."""
    if hasattr(variable, "of_size") and rng.random() < 0.5:
        drawn: Mask = variable.of_size(rng, point, size)
        return drawn
    for family in rng.sample(FAMILIES, len(FAMILIES)):
        mask = family(size)
        if _admitted(variable, mask, point):
            return mask
    return None


def _admitted(variable: Any, mask: Mask, point: Point) -> bool:
    """Whether a mask is in the class, or has what all the masks of a list have."""
    if isinstance(variable, Choice):
        return shares_traits(mask, variable.values)
    return variable.objection(mask, point) is None


# Inputs -------------------------------------------------------------------------------------------

BITS = 4
"""Entries are multiples of 2^-4: exact in every format, and hypotheses about them stay exact."""


def _array(
    variable: Array, kind: str, rng: Random, point: Point, small: bool
) -> ImmutableDenseMatrix | None:
    """Tokens of a kind where the rows are tokens, Gaussian weights elsewhere; None where they are too many."""
    rows, cols = variable.shape(point)
    if rows * cols > MOST_ENTRIES:
        return None
    if str(variable.symbol.shape[0]) in {"n", "N"}:
        return tokens_of_kind(kind, rows, cols, rng)
    return tokens_of_kind("small weights" if small else "Gaussian", rows, cols, rng)


def tokens_of_kind(kind: str, rows: int, cols: int, rng: Random) -> ImmutableDenseMatrix:
    """Rational tokens (rows) of one of the `KINDS`, or weights of norm below one."""
    values = _small(rows, cols, rng) if kind == "small weights" else KINDS[kind](rows, cols, rng)
    parts = [[round(x * 2**BITS) for x in row] for row in values]
    entries = {
        i: {j: _parts_of_unit(part) for j, part in enumerate(row) if part}
        for i, row in enumerate(parts)
    }
    return exact_matrix(entries, (rows, cols), QQ)


@cache
def _parts_of_unit(count: int) -> Any:
    return QQ(count, 2**BITS)


Rows = list[list[float]]


def _gaussian(rows: int, cols: int, rng: Random) -> Rows:
    return [[rng.gauss(0, 1) for _ in range(cols)] for _ in range(rows)]


def _small(rows: int, cols: int, rng: Random) -> Rows:
    """Gaussian entries for which the spectral norm is about one half."""
    std = 1 / (2 * (rows**0.5 + cols**0.5))
    return [[std * x for x in row] for row in _gaussian(rows, cols, rng)]


def _around(share: float) -> Callable[[int, int, Random], Rows]:
    """Tokens with a common part of variance `share`: their correlation."""

    def draw(rows: int, cols: int, rng: Random) -> Rows:
        common = [rng.gauss(0, 1) for _ in range(cols)]
        return [
            [share**0.5 * c + (1 - share) ** 0.5 * rng.gauss(0, 1) for c in common]
            for _ in range(rows)
        ]

    return draw


def _dominant(rows: int, cols: int, rng: Random) -> Rows:
    values = _gaussian(rows, cols, rng)
    largest = rng.randrange(rows)
    values[largest] = [8 * x for x in values[largest]]
    return values


def _heavy(rows: int, cols: int, rng: Random) -> Rows:
    """Student's t with three degrees of freedom, cut at 64."""

    def entry() -> float:
        square = sum(rng.gauss(0, 1) ** 2 for _ in range(3)) / 3
        return max(-64.0, min(64.0, rng.gauss(0, 1) / square**0.5))

    return [[entry() for _ in range(cols)] for _ in range(rows)]


def _one_hot(rows: int, cols: int, rng: Random) -> Rows:
    hot = [rng.randrange(cols) for _ in range(rows)]
    return [[float(place == k) for k in range(cols)] for place in hot]


KINDS: dict[str, Callable[[int, int, Random], Rows]] = {
    "Gaussian": _gaussian,
    "correlated": _around(0.5),
    "nearly collapsed": _around(0.99),
    "one dominant token": _dominant,
    "heavy-tailed": _heavy,
    "one-hot": _one_hot,
}
"""How tokens can look, by name."""
