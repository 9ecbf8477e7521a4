"""Faults of SymPy that the project meets, mended where it is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from sympy import Product, acos, asin, atan, binomial
from sympy.ntheory.factor_ import FactorCache, factor_cache


def _add_primes(n: int, factors: Iterable[int]) -> None:
    """Keep prime factors only: with a limit `factorint` leaves others, for which `add` raises.

    SymPy 1.14, issue 28621: the square root of a large square of a number without small factors.
    """
    with suppress(ValueError):
        FactorCache.add(factor_cache, n, factors)


factor_cache.add = _add_primes  # type: ignore[method-assign]


# Assumptions that do not hold everywhere ------------------------------------------------------------


def _binomial_is_nonnegative(self: Any) -> bool | None:
    """Not `False` for an odd k and any integer n, as if every n were negative."""
    n, k = self.args
    known = n.is_nonnegative or k.is_negative or k.is_even
    return True if n.is_integer and k.is_integer and known else None


def _is_rational_at(zero: int) -> Callable[[Any], bool | None]:
    """An inverse function is rational at the rational number where it is zero, and at no other one."""

    def is_rational(self: Any) -> bool | None:
        apart = self.args[0] - zero
        if apart.is_zero:
            return True
        return False if apart.is_rational and apart.is_zero is False else None

    return is_rational


def _product_is_zero(self: Any) -> bool | None:
    """With a factor zero for every index it is, unless there may be no index."""
    if self.has_empty_sequence:
        return False
    zero = self.function.is_zero
    if zero is True:
        reached = all((high - low).is_nonnegative for _, low, high in self.limits)
        return True if reached else None
    return False if zero is False and self.has_finite_limits else None


def _answer(kind: Any, assumption: str, handler: Callable[[Any], bool | None]) -> None:
    """Exchange what a class says of an assumption; SymPy looked its handlers up when it made the class."""
    setattr(kind, f"_eval_is_{assumption}", handler)
    kind._prop_handler[assumption] = handler


_answer(binomial, "nonnegative", _binomial_is_nonnegative)
_answer(Product, "zero", _product_is_zero)
for _function, _zero in ((atan, 0), (asin, 0), (acos, 1)):
    _answer(_function, "rational", _is_rational_at(_zero))
