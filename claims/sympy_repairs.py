"""Faults of SymPy that the project meets, mended where it is loaded."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from sympy import Mul, Pow, Product, acos, asin, atan, binomial, fraction
from sympy.ntheory.factor_ import FactorCache, factor_cache


def _add_primes(n: int, factors: Iterable[int]) -> None:
    """Keep prime factors only: with a limit `factorint` leaves others, for which `add` raises.

    SymPy 1.14, issue 28621: the square root of a large square of a number without small factors.
    """
    with suppress(ValueError):
        FactorCache.add(factor_cache, n, factors)


factor_cache.add = _add_primes  # type: ignore[method-assign]


# Assumptions that do not hold everywhere ------------------------------------------------------------

Handler = Callable[[Any], bool | None]
"""What a kind of term answers to one assumption."""


def _binomial_is_nonnegative(self: Any) -> bool | None:
    """Not `False` for an odd k and any integer n, as if every n were negative."""
    n, k = self.args
    known = n.is_nonnegative or k.is_negative or k.is_even
    return True if n.is_integer and k.is_integer and known else None


def _is_rational_at(zero: int) -> Handler:
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


def _binomial_is_integer(self: Any) -> bool | None:
    """Not `False` for every lower index that is none: one of (3/2) over (3/2) is."""
    n, k = self.args
    return True if n.is_integer and k.is_integer else None


def _unless(doubted: Callable[[Any], bool], said: Handler) -> Handler:
    """What SymPy says, but for a `False` that is in doubt."""

    def is_so(self: Any) -> bool | None:
        found = said(self)
        return None if found is False and doubted(self) else found

    return is_so


def _may_be_whole(self: Any) -> bool:
    """Whether a product may be an integer though no factor shows that: six thirds are, as 0 is of any."""
    above, below = fraction(self)
    known = below.is_even or above in (1, -1) or self.is_rational is False
    return not known or above.is_zero is True


def _has_the_factor_zero(self: Any) -> bool:
    """Whether a product is one that is written with 0, which is even."""
    return 0 in self.args


def _is_whole_power(self: Any) -> bool:
    """Whether a number is multiplied with itself: an irrational one may give a rational, or an even, one."""
    return self.exp.is_integer is not False and self.base.is_integer is not True


def _may_be_power_of_fraction(self: Any) -> bool:
    """Whether an exponent may be any number: 3/2 to the power of log(2)/log(3/2) is two."""
    return self.base.is_rational and self.exp.is_rational is not True


def _answer(kind: Any, assumption: str, handler: Handler) -> None:
    """Exchange what a class says of an assumption; SymPy looked its handlers up when it made the class."""
    setattr(kind, f"_eval_is_{assumption}", handler)
    kind._prop_handler[assumption] = handler


_answer(binomial, "nonnegative", _binomial_is_nonnegative)
_answer(binomial, "integer", _binomial_is_integer)
_answer(Product, "zero", _product_is_zero)
for _kind, _assumption, _doubted in (
    (Mul, "integer", _may_be_whole),
    (Mul, "even", _has_the_factor_zero),
    (Pow, "rational", _is_whole_power),
    (Pow, "even", _is_whole_power),
    (Pow, "integer", _may_be_power_of_fraction),
):
    _answer(_kind, _assumption, _unless(_doubted, _kind._prop_handler[_assumption]))
for _function, _zero in ((atan, 0), (asin, 0), (acos, 1)):
    _answer(_function, "rational", _is_rational_at(_zero))
