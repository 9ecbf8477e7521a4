"""Polynomials in numbered scalars and in traces of deterministic words, by python-flint.

With a generator for each trace a sum over many states is flint's work alone; only what is asked for in the
end is read back as {traces: polynomial in the scalars}.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

from flint import fmpz_mpoly, fmpz_mpoly_ctx

__all__ = ["TraceRing", "Value"]

Value: TypeAlias = dict[tuple[str, ...], fmpz_mpoly]
"""Sorted deterministic traces, with repetition, to a polynomial in the scalars."""


class TraceRing:
    """The ring with so many scalars and the traces of these words.

    >>> ring = TraceRing(1, {"A", "BC"})
    >>> value = ring.product((0, 0), ("A", "A")) + 3 * ring.product((), ("A", "BC"))
    >>> {traces: str(polynomial) for traces, polynomial in ring.by_traces(value).items()}
    {('A', 'A'): 's0^2', ('A', 'BC'): '3'}
    """

    def __init__(self, scalars: int, words: Iterable[str]):
        self.scalars, self.words = scalars, sorted(words)
        context = _context(scalars, len(self.words))
        self.zero, self.one = context.constant(0), context.constant(1)
        generators = context.gens()
        self._scalars = generators[:scalars]
        self._traces = dict(zip(self.words, generators[scalars:], strict=False))
        self._products: dict[tuple[Any, ...], fmpz_mpoly] = {}

    def product(self, scalars: tuple[int, ...], traces: tuple[str, ...]) -> fmpz_mpoly:
        """The monomial of numbered scalars and traces, each as often as it stands there."""
        if (scalars, traces) not in self._products:
            found = self.one
            for number in scalars:
                found = found * self._scalars[number]
            for word in traces:
                found = found * self._traces[word]
            self._products[scalars, traces] = found
        return self._products[scalars, traces]

    def by_traces(self, value: fmpz_mpoly) -> Value:
        """The coefficient of each product of traces, over the scalars alone."""
        context = _context(self.scalars, 0)
        parts: dict[tuple[str, ...], dict[tuple[int, ...], Any]] = {}
        for powers, coefficient in value.terms():
            repeated = zip(self.words, powers[self.scalars :], strict=False)
            traces = tuple(word for word, power in repeated if power for _ in range(int(power)))
            numbers = tuple(map(int, powers[: self.scalars])) or (0,)
            parts.setdefault(traces, {})[numbers] = coefficient
        return {traces: context.from_dict(part) for traces, part in parts.items()}


def _context(scalars: int, words: int) -> fmpz_mpoly_ctx:
    """At least one generator is there, used or not."""
    names = [f"s{i}" for i in range(scalars)] + [f"t{i}" for i in range(words)]
    return fmpz_mpoly_ctx.get(names or ["s0"], "degrevlex")
