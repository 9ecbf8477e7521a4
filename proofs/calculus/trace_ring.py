"""Polynomials in numbered scalars and in traces of deterministic words.

A monomial is one integer, with the exponents of its factors side by side: a product is a sum of integers,
whatever the number of traces, and a factor may be met for the first time at any moment.  Only what is asked
for in the end is read back as {traces: polynomial in the scalars}, by python-flint.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from flint import fmpz_mpoly, fmpz_mpoly_ctx

__all__ = ["Polynomial", "TraceRing", "Value"]

Polynomial: TypeAlias = dict[int, int]
"""Monomials to their coefficients."""
Value: TypeAlias = dict[tuple[str, ...], fmpz_mpoly]
"""Sorted deterministic traces, with repetition, to a polynomial in the scalars."""
Factor: TypeAlias = int | str | tuple[str, ...]
"""The number of a scalar, a trace, or a product whose value is asked for."""

EXPONENT_BITS = 16
"""No term has 2^16 factors: each comes from letters of the product that it began with, or from one of
the two places where a contraction joins them."""


class TraceRing:
    """The ring of all scalars and traces that are met.

    >>> ring = TraceRing()
    >>> value = {ring.monomial(0, 0, "A", "A"): 1, ring.monomial("A") + ring.monomial("BC"): 3}
    >>> {traces: str(polynomial) for traces, polynomial in ring.by_traces(value, 1).items()}
    {('A', 'A'): 's0^2', ('A', 'BC'): '3'}
    """

    def __init__(self) -> None:
        self._places: dict[Factor, int] = {}

    def monomial(self, *factors: Factor) -> int:
        """The product of the factors, each as often as it stands there."""
        places = self._places
        return sum(1 << EXPONENT_BITS * places.setdefault(f, len(places)) for f in factors)

    def factors(self, monomial: int) -> Iterator[tuple[Factor, int]]:
        """Factors with their exponents, by the order in which they were met."""
        size = EXPONENT_BITS // 8
        exponents = memoryview(monomial.to_bytes(size * len(self._places), "little")).cast("H")
        yield from (pair for pair in zip(self._places, exponents, strict=True) if pair[1])

    def by_products(self, value: Polynomial) -> dict[tuple[str, ...], Polynomial]:
        """The cofactor of each product whose value is asked for; every monomial has one of them."""
        parts: dict[tuple[str, ...], Polynomial] = {}
        for monomial, coefficient in value.items():
            asked = next(f for f, _ in self.factors(monomial) if isinstance(f, tuple))
            parts.setdefault(asked, {})[monomial - self.monomial(asked)] = coefficient
        return parts

    def by_traces(self, value: Mapping[int, int], scalars: int) -> Value:
        """The coefficient of each product of traces, over so many scalars alone."""
        context = _context(scalars)
        parts: dict[tuple[str, ...], dict[tuple[int, ...], Any]] = {}
        for monomial, coefficient in value.items():
            traces: list[str] = []
            powers = [0] * max(scalars, 1)
            for factor, exponent in self.factors(monomial):
                if isinstance(factor, str):
                    traces += [factor] * exponent
                elif isinstance(factor, int):
                    powers[factor] = exponent
            parts.setdefault(tuple(sorted(traces)), {})[tuple(powers)] = coefficient
        return {traces: context.from_dict(part) for traces, part in parts.items()}


def _context(scalars: int) -> fmpz_mpoly_ctx:
    """At least one generator is there, used or not."""
    return fmpz_mpoly_ctx.get([f"s{i}" for i in range(max(scalars, 1))], "degrevlex")
