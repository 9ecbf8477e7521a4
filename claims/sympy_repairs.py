"""Faults of SymPy that the project meets, mended where it is loaded."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from sympy.ntheory.factor_ import FactorCache, factor_cache


def _add_primes(n: int, factors: Iterable[int]) -> None:
    """Keep prime factors only: with a limit `factorint` leaves others, for which `add` raises.

    SymPy 1.14, issue 28621: the square root of a large square of a number without small factors.
    """
    with suppress(ValueError):
        FactorCache.add(factor_cache, n, factors)


factor_cache.add = _add_primes  # type: ignore[method-assign]
