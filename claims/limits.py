"""Limits of smooth closed forms as an integer grows: SymPy's, followed far out with many digits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from mpmath import mp, mpf, workdps
from sympy import (
    Abs,
    AccumBounds,
    Add,
    Basic,
    Dummy,
    Expr,
    Function,
    Limit,
    Mul,
    Poly,
    Pow,
    Symbol,
    acosh,
    asinh,
    atan,
    atanh,
    besselk,
    binomial,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    factorial,
    fraction,
    gamma,
    lambdify,
    limit,
    log,
    loggamma,
    nan,
    oo,
    preorder_traversal,
    rf,
    sin,
    sinh,
    sympify,
    tanh,
    together,
    zoo,
)  # fmt: skip

from claims.bound import apart

__all__ = ["approaches", "known_limit", "limit_of", "positive_far_out", "shrinks"]

SMOOTH = (
    Abs, Add, Mul, Pow, acosh, asinh, atan, atanh, besselk, binomial, cos, cosh, erf, erfc, exp,
    factorial, gamma, log, loggamma, rf, sin, sinh, tanh,
)  # fmt: skip
"""What a closed form may be made of, whose limit is taken."""
SPECIAL = (besselk, binomial, erf, erfc, factorial, gamma, loggamma, rf)
"""Functions that SymPy expands at rational functions of the index; of others it has wrong limits."""
EXPANDED = (*SPECIAL, cosh, sinh, tanh)
"""Functions that SymPy expands for parameters in general position: to it K_n(1/k)/k^15 tends to 0."""
FAR = (2**10 + 1, 2**20 + 3, 2**30 + 7, 3**25 + 2, 2**40 + 15, 2**40 + 16)
"""Places at which a sequence is followed: even and odd, and not of one form, so that what depends on
remainders is seen."""
FARTHER = (2**90 + 1, 2**100 + 3, 2**120 + 7, 3**80 + 2, 2**240 + 15, 2**240 + 16)
"""The same for a sequence that is slower: $1/\\sqrt k$ falls by a thirtieth only from 2^30 to 2^40."""
DIGITS, MORE_DIGITS = 60, 240
"""Of members at the one and at the other, where differences lose half of them."""


def limit_of(term: Expr, index: Symbol) -> Expr:
    """SymPy's limit as the index, an integer, grows without bound: of sin(pi x) it knows no other.

    Raises `ValueError` where none is found, or where it may be another for some parameters.

    >>> k = Symbol("k", integer=True)
    >>> limit_of((2 * k + 1) / (k + 5), k)
    2
    """
    if not index.is_integer:
        raise ValueError(f"{index}: is not known to be an integer; declare it so")
    if (unseen := next(_unseen(term, index), None)) is not None:
        raise ValueError(f"{term}: {unseen} may step, or return, where nobody looks")
    if (special := next(_unexpanded(term, index), None)) is not None:
        raise ValueError(f"{term}: {special} has no expansion that is trusted")
    if (rate := next(_uncompared(term, index), None)) is not None:
        raise ValueError(f"{term}: {rate} may outgrow the rest for some parameters only")
    k = Dummy("k", integer=True, positive=True)
    found = limit(apart(term).xreplace({index: k}), k, oo)
    if found.has(AccumBounds, nan, zoo, Limit) or k in found.free_symbols:
        raise ValueError(f"{term}: no limit is found as {index} grows")
    if found.has(oo, -oo) and found not in (oo, -oo):
        raise ValueError(f"{term}: the limit {found} depends on the signs of its parameters")
    if not all(_leads(base, index) for base in (*_divisors(term), *_inside_functions(term, index))):
        raise ValueError(f"{term}: a part of it may lose its leading term for some parameters")
    return found


def known_limit(term: Any, index: Symbol) -> Any:
    """The limit of a sequence of numbers, or None where none is found, or where its course denies it."""
    term = sympify(term)
    try:
        found = limit_of(term, index)
        followed = approaches(term, found, index)
    except (ValueError, TypeError, ArithmeticError, NotImplementedError, NameError):
        return None
    return found if followed else None


def _unseen(term: Expr, index: Symbol) -> Iterator[Basic]:
    """The pieces of a term whose course a few far places do not show."""
    pieces = preorder_traversal(term)
    return (piece for piece in pieces if _may_step(piece) or _turns(piece, index))


def _may_step(piece: Basic) -> bool:
    """Whether a term is none of the smooth ones, whose course is seen at a few far places.

    SymPy gives steps their value at the wrong side, and no place is beyond every threshold.
    """
    smooth = isinstance(piece, SMOOTH) or (piece.is_Atom and isinstance(piece, Expr))
    return not smooth


def _turns(piece: Basic, index: Symbol) -> bool:
    """Whether a term may come back to a value for ever: sin(pi k/7) vanishes at none of the far places."""
    if isinstance(piece, cos | sin):
        angle = piece.args[0]
        return index in angle.free_symbols and known_limit(angle, index) in (None, oo, -oo)
    if not isinstance(piece, Pow) or index not in piece.exp.free_symbols:
        return False
    return piece.base.is_negative is True or (
        piece.base.free_symbols == {index} and not positive_far_out(piece.base, index)
    )


def _unexpanded(term: Expr, index: Symbol) -> Iterator[Expr]:
    """Special functions of no rational function, or under a function or root that is to be expanded with them.

    To SymPy `log(erfc(k)) + k` and `loggamma(log(k) + 1) - log(k)**2` tend to infinity.
    """
    for outer in term.atoms(Function, Pow):
        if isinstance(outer, SPECIAL):
            known = all(a.is_rational_function(index) for a in outer.args)
        else:
            natural = isinstance(outer, Pow) and outer.exp.is_Integer
            known = natural or not any(index in f.free_symbols for f in _special_in(outer))
        if not known:
            yield outer


def _special_in(outer: Expr) -> Iterator[Expr]:
    return (special for part in outer.args for special in part.atoms(*SPECIAL))


def _uncompared(term: Expr, index: Symbol) -> Iterator[Expr]:
    """Rates with parameters that SymPy compares with others: to it k^n - k^13 tends to -oo, whatever n is.

    Of a product it asks which factor outgrows the others, and finds no limit where parameters decide; but
    not where the base is no rational function: to it (k/log(k))^s/k^98 tends to 0.
    """
    for factor in Mul.make_args(term):
        rate = _is_rate(factor, index) and factor.args[0].is_rational_function(index)
        inside = factor.args if rate or isinstance(factor, exp) else (factor,)
        pieces = (piece for part in inside for piece in preorder_traversal(part))
        yield from (piece for piece in pieces if _is_rate(piece, index))
    yield from (f for f in term.atoms(*EXPANDED) if _has_parameters(f, index))


def _is_rate(piece: Basic, index: Symbol) -> bool:
    """Whether parameters say how fast a power or an exponential grows."""
    power = isinstance(piece, Pow) and piece.exp.free_symbols
    return bool(power or isinstance(piece, exp)) and _has_parameters(piece, index)


def _has_parameters(piece: Basic, index: Symbol) -> bool:
    """Whether a piece depends on the index and on something else."""
    return index in piece.free_symbols and piece.free_symbols != {index}


def _divisors(term: Expr) -> Iterator[Expr]:
    """The bases of powers, unless they are natural ones."""
    for power in term.atoms(Pow):
        if not (power.exp.is_Integer and power.exp > 0):
            yield power.base


def _inside_functions(term: Expr, index: Symbol) -> Iterator[Expr]:
    """What functions other than powers are taken of, where it grows or falls with the index."""
    for function in term.atoms(Function):
        yield from (a for a in function.args if isinstance(a, Expr) and index in a.free_symbols)


def _leads(base: Expr, index: Symbol) -> bool:
    """Whether a divisor grows in the index at one rate for all its parameters, as far as is seen.

    SymPy's limits are for parameters in general position: `1/(1 + x^2 k)` tends to 0 but for x = 0.
    """
    if base.free_symbols <= {index}:
        return True
    parts = fraction(together(base))
    return all(p.is_polynomial(index) and Poly(p, index).LC().is_zero is False for p in parts)


def approaches(term: Expr, value: Any, index: Symbol) -> bool:
    """Whether a sequence of numbers comes near to its limit: its error falls a thousandfold from 2^30 to 2^40,
    or from 2^120 to 2^240 as a power of the index would.

    It ends below 2^-30 of the scale; towards infinity, the last member is large, and beyond the first.
    A member that is no real number is near to nothing.
    """
    with workdps(DIGITS):
        if _followed(term, value, index, FAR, shrinks):
            return True
    with workdps(MORE_DIGITS):
        return _followed(term, value, index, FARTHER, _is_squared)


def _followed(
    term: Expr, value: Any, index: Symbol, places: Sequence[int],
    falls: Callable[[list[Any], Any], bool],
) -> bool:  # fmt: skip
    target, values = _number(value), _members(term, index, places)
    if target is None or values is None:
        return False
    if mp.isinf(target):
        return bool(target * values[-1] > 10 and abs(values[-1]) > 2 * abs(values[0]))
    errors = [abs(member - target) for member in values]
    scale = 1 + abs(target)
    return bool(max(errors[3:]) <= scale / mpf(2) ** 30) and all(
        falls([errors[2], last], scale) for last in errors[4:]
    )


def _is_squared(errors: list[Any], scale: Any) -> bool:
    """Whether an error is nearly the square of the one before, as of a power at a place and at its square.

    An error that stays is told from it, as long as it is larger than what is left.
    """
    before, last = (error / scale for error in errors)
    return bool(last <= before ** (mpf(7) / 4))


def positive_far_out(term: Expr, index: Symbol) -> bool:
    """Whether a smooth term without parameters is positive from some index on.

    It is at all the far places, and it or its inverse has a limit that is: `100 - log(k)` is negative
    beyond all of them.
    """
    if not term.free_symbols <= {index} or next(_unseen(term, index), None) is not None:
        return False
    with workdps(DIGITS):
        values = _members(term, index, FAR)
    if values is None or not all(member > 0 for member in values):
        return False
    return any(_ends_above_zero(each, index) for each in (term, 1 / term))


def _ends_above_zero(term: Expr, index: Symbol) -> bool:
    found = known_limit(term, index)
    return found is not None and (found is oo or found.is_positive is True)


def _members(term: Expr, index: Symbol, places: Sequence[int]) -> list[Any] | None:
    """A sequence at far places; None where a member is no real number."""
    member = lambdify([index], term, "mpmath")
    values = [_real(member(mpf(n))) for n in places]
    return None if None in values else values


def _number(value: Any) -> Any:
    return _real(mpf(1) * lambdify([], sympify(value), "mpmath")())


def _real(value: Any) -> Any:
    return value if isinstance(value, mpf | int | float) and not mp.isnan(value) else None


def shrinks(errors: list[Any], scale: Any) -> bool:
    """Whether an error falls a thousandfold, or is nothing but rounding at the end.

    An error that stays is one, however small it is beside the limit.
    """
    return bool(errors[-1] <= errors[0] / 1000 or errors[-1] <= scale * 10**-45)
