"""Points with one number very far out or next to the end of its range, where small points say nothing.

They are for who looks for mistakes and watches the clock: a definition may take long there.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from sympy import Integer, Rational, oo

from claims.domain import Domain, Point, Real

__all__ = ["remote_points"]

ORDERS = (2, 4), (5, 12)
"""Powers of ten by which numbers are large, or close to an end."""


def remote_points(domain: Domain, rng: Random) -> Iterator[dict[Any, Any]]:
    """For each real number of a drawn point some values far from those that are drawn, where admissible.

    Sizes stay: what a definition makes of a large one may not fit into memory.

    >>> from sympy import Symbol
    >>> x = Symbol("x", positive=True)
    >>> far = [point[x] for point in remote_points(Domain((Real(x, 0, oo, open_low=True),)), Random(0))]
    >>> [value > 50 for value in far], min(far) < Rational(1, 50)
    ([False, True, False, True], True)
    """
    try:
        drawn = domain.draw(rng)
    except ValueError:  # no admissible point in many draws
        return
    for variable in (v for v in domain.variables if isinstance(v, Real)):
        for value in _far_values(variable, drawn, rng):
            point = {**drawn, variable.symbol: value}
            if domain.objection(point) is None:
                yield point


def _far_values(variable: Real, point: Point, rng: Random) -> Iterator[Any]:
    low, high = variable.ends(point)
    for order in ORDERS:
        far = Integer(10) ** rng.randint(*order) * Rational(rng.randint(10, 99), 10)
        yield from (-far if low == -oo else low + 1 / far, far if high == oo else high - 1 / far)
