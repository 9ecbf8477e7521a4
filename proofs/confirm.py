"""A second look at what the calculus says, by exact evaluation away from where it was found.

Identities are evaluated at random values of their symbols, derived values are held to the exact
definition at small points, at random ones, and at sizes that no coincidence of small sizes reaches.
A confirmation is no proof; its failure shows a mistake of ours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from decimal import Decimal
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any

from sympy import (
    Abs,
    AccumBounds,
    Add,
    Basic,
    Dummy,
    Expr,
    Function,
    Integer,
    Limit,
    Mul,
    Poly,
    Pow,
    Rational,
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
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import MatrixExpr

from claims import exact
from claims.bound import apart, put
from claims.domain import Domain, Point
from claims.errors import UNDEFINED, OnlyMeasured
from claims.evaluation import Value
from claims.points import Itself, Placed
from claims.seeds import current_seed
from claims.statement import Formula
from claims.terms import MaxOver, MinOver, value_of
from claims.witness import TimeUp, at_most
from proofs import digits, places
from proofs.denied import against, signs
from proofs.places import Over, stream
from proofs.sense import ProofError
from proofs.within import Within

__all__ = [
    "at", "confirmed_at_points", "confirmed_identity", "confirmed_limit", "confirmed_where",
    "limit_of", "shrinks",
]  # fmt: skip

CONFIRMATIONS = 4
"""Random points at which an identity is confirmed.  Two polynomials of degree D that differ agree at
a random point of a box with side S with probability at most D/S (Schwartz-Zippel); with D <= 8 and
S > 40, four points of several variables each leave little to chance, and the symbolic proof stands
beside them."""
SMOOTH = (
    Abs, Add, Mul, Pow, acosh, asinh, atan, atanh, besselk, binomial, cos, cosh, erf, erfc, exp,
    factorial, gamma, log, loggamma, rf, sin, sinh, tanh,
)  # fmt: skip
"""What a closed form may be made of, whose limit is taken."""
SECONDS, FAR_SECONDS = 1.0, 0.3
"""For the random and the large points, and for those far out: they look for mistakes of ours, and
make nothing true."""

ALIKE = Decimal("1e-20")
"""Decimals that differ by less may be one number."""
VARIED_SECONDS = 0.2
"""For points at which a quantity is not what it was at all others."""

Reading = list[tuple[Point, Any]]
"""A point with each of the indices looked at, and what the definition gives there."""
_READ: dict[Any, list[tuple[list[Reading], float | None]]] = {}
_CONFIRMED: dict[Any, bool] = {}
"""Answers, each with the objects whose identities its key holds, so that none is used again."""


def at(value: Any, point: Point) -> Any:
    """An expression, an index network, or a tuple of them, evaluated exactly at a point."""
    if isinstance(value, tuple):
        return tuple(at(part, point) for part in value)
    evaluate = getattr(value, "explicit", None)
    return evaluate(point) if evaluate is not None else value_of(value, point)


def confirmed_at_points(quantity: Any, value: Any, domain: Domain, over: Over = ()) -> bool:
    """Whether a value is what the quantity's definition gives; remembered for one value.

    A member of a family is looked at for the first few values of each index of `over`, and for some
    that are drawn.
    """
    shown = value if isinstance(value, Expr) else Itself(value)
    key = (current_seed(), quantity, Itself(domain), shown, over)
    if key not in _CONFIRMED:
        answers: list[bool | None] = []
        for readings, seconds in _read(quantity, domain, over):
            with _within(seconds):
                for reading in readings:
                    answers.append(_agrees(value, reading))
        _CONFIRMED[key] = False not in answers and True in answers
    return _CONFIRMED[key]


def confirmed_where(quantity: Any, value: Any, hypotheses: Iterable[Formula]) -> bool:
    """The same at points of every domain that is assumed, of which there must be one."""
    domains = [h.domain for h in hypotheses if isinstance(h, Within)]
    return bool(domains) and all(confirmed_at_points(quantity, value, d) for d in domains)


def _read(quantity: Any, domain: Domain, over: Over) -> list[tuple[list[Reading], float | None]]:
    """What the definition gives at the small points, the random and large ones, and those far out.

    It is asked once for all the values that it is compared with.
    """
    key = (current_seed(), quantity, Itself(domain), over)
    if key not in _READ:
        groups: list[tuple[list[Reading], float | None]] = []
        unread, signed = False, [q for q in _quantities(quantity) if signs(q)]
        for points, seconds in _looked_at(domain, over):
            readings: list[Reading] = []
            with _within(seconds):
                for indexed in points:
                    try:
                        readings.append([(p, value_of(quantity, p)) for p in indexed])
                        _require_declared(signed, readings[-1])
                        for p, _ in readings[-1]:
                            _require_numbers(quantity, p)
                    except OnlyMeasured:  # no exact value there, so nothing to compare
                        unread = True
                    except KeyError as absent:
                        raise ProofError(f"definition: {quantity} asks for {absent}") from None
            groups.append((readings, seconds))
        if unread:
            groups.append((_elsewhere(quantity, domain, over), SECONDS))
        values = [value for readings, _ in groups for reading in readings for _, value in reading]
        groups.append((_varied(quantity, domain, over, values), FAR_SECONDS))
        _READ[key] = groups
    return _READ[key]


def _quantities(term: Any) -> set[Any]:
    """The quantities in a term, or in several."""
    parts = term if isinstance(term, tuple) else (term,)
    return {s for part in parts for s in getattr(part, "free_symbols", ()) if hasattr(s, "define")}


def _require_declared(signed: list[Any], reading: Reading) -> None:
    """Refuses quantities that declare what their definitions deny: rules believe what is declared."""
    for quantity, (point, _) in product(signed, reading):
        if (said := against(quantity, value_of(quantity, point))) is not None:
            raise ProofError(f"definition: it is denied {said}")


class _Numbers(Value):
    """Evaluation of a term that holds definitions beside other things: each of them is a real number."""

    def applied(self, *key: Any) -> Any:
        return _number(super().applied(*key))

    def defined(self, define: Any) -> Any:
        return _number(super().defined(define))


def _number(found: Any) -> Any:
    other = isinstance(found, bool | str | tuple) or hasattr(found, "shape")
    if not other and _may_be_real(found):
        return found
    raise ProofError(f"definition: a term holds {found}, which is no real number")


def _may_be_real(value: Any) -> bool:
    """Whether a value is no infinite or imaginary number."""
    if not isinstance(value, Expr) or hasattr(value, "shape"):
        return True
    return value.is_extended_real is not False and value.is_finite is not False


def _require_numbers(term: Any, point: Point) -> None:
    """Refuses terms in which matrices, infinities or complex numbers stand for real numbers."""
    alone = isinstance(term, AppliedUndef) or hasattr(term, "define")
    if isinstance(term, Expr) and not isinstance(term, MatrixExpr) and not alone and _defines(term):
        base, indices = (point.base, point.indices) if isinstance(point, Placed) else (point, {})
        _Numbers(base)(term, indices)


@lru_cache(maxsize=1 << 14)
def _defines(term: Expr) -> bool:
    """Whether a term holds a quantity, or a member of a family."""
    families = any(hasattr(applied.func, "define_at") for applied in term.atoms(AppliedUndef))
    return families or bool(_quantities(term))


def _elsewhere(quantity: Any, domain: Domain, over: Over) -> list[Reading]:
    """More points of those that have a value, where the definition gives none at some of the others.

    Else few might be left, and of one kind.
    """
    more: list[Reading] = []
    with _within(SECONDS):
        for point in places.varied_points(domain):
            with suppress(OnlyMeasured):
                more.append([(p, value_of(quantity, p)) for p in places.indexed(point, over)])
    return more


def _varied(quantity: Any, domain: Domain, over: Over, values: list[Any]) -> list[Reading]:
    """More points, until the definition gives something else, where all `values` so far are the same.

    A quantity that vanishes at small sizes, and a wrong term for it that does, would agree.
    """
    more: list[Reading] = []
    if not values or any(_differs(value, values[0]) for value in values):
        return more
    with _within(VARIED_SECONDS), suppress(*UNDEFINED):
        for point in places.varied_points(domain):
            with suppress(OnlyMeasured):
                reading = [(p, value_of(quantity, p)) for p in places.some_indexed(point, over)]
                more.append(reading)
                if any(_differs(value, values[0]) for _, value in reading):
                    break
    return more


def _differs(value: Any, other: Any) -> bool:
    """Whether two values are not the same, but for the last digits of decimals."""
    if isinstance(value, Decimal) and isinstance(other, Decimal):
        return abs(value - other) > ALIKE * (1 + abs(value))
    return bool(value is not other and value != other)


def _looked_at(
    domain: Domain, over: Over
) -> Iterator[tuple[Iterable[Iterable[Point]], float | None]]:
    """Points with each of the indices, and the seconds that they may take."""
    small = places.small_points(domain, over)
    yield (places.indexed(point, over) for point in small), None
    yield (places.indexed(point, over) for point in places.other_points(domain)), SECONDS
    yield (places.indexed(point, over) for point in places.far_points(domain)), FAR_SECONDS
    if over:
        for value in (places.near_value, places.far_value):
            yield (places.indexed(point, over, value) for point in small), FAR_SECONDS


@contextmanager
def _within(seconds: float | None) -> Iterator[None]:
    """As far as it goes in so many seconds, and as deep as a recursive definition can be followed."""
    if seconds is None:
        yield
    else:
        with suppress(TimeUp, RecursionError), at_most(seconds):
            yield


def _agrees(value: Any, reading: Reading) -> bool | None:
    """Whether the definition gives the value at a point, for every index looked at."""
    known = digits.balls_at(reading[0][0]) if reading else {}
    answers = [_one(defined, value, point, known) for point, defined in reading]
    return False if False in answers else True if True in answers else None


def _one(defined: Any, term: Any, point: Point, known: digits.Balls) -> bool | None:
    """Whether a term agrees at a point; one that is undefined where the definition is not does not.

    What is infinite or imaginary is no real number, and equals no term that arithmetic reads as one.
    """
    if not _may_be_real(defined) and term not in (oo, -oo):
        return None if defined is zoo and at(term, point) is zoo else False
    if isinstance(defined, Decimal) and isinstance(term, Expr):
        found = digits.agrees(defined, term, point, known)
        if found is not None:
            return found
    _require_numbers(term, point)
    value = at(term, point)
    undefined, without = (isinstance(s, Basic) and s.has(nan, zoo) for s in (defined, value))
    return False if without and not undefined else exact.agree(defined, value)


def confirmed_identity(left: Any, right: Any, domain: Domain | None) -> bool:
    """Whether two sides agree at random values of their symbols (at points of a domain, if given)."""
    rng = stream("identity")
    if domain is not None:
        points = [domain.draw(rng) for _ in range(CONFIRMATIONS)]
        return all(exact.agree(at(left, p), at(right, p)) is not False for p in points)
    sides = [sympify(left), sympify(right)]
    if any(isinstance(s, MatrixExpr) for s in sides):
        return True  # nothing to put in; the normal form stands alone
    symbols = sorted(set().union(*(s.free_symbols for s in sides)), key=str)
    if any(s.has(AppliedUndef, MaxOver, MinOver) for s in sides):
        return _agree_anyhow(sides, symbols, rng)
    for _ in range(CONFIRMATIONS):
        point = {s: _random_value(s, rng) for s in symbols}
        if exact.agree(*(value_of(put(apart(s), point), {}).doit() for s in sides)) is False:
            return False
    return True


MANY, FEW = 12, 4
"""How large integers become; few where sums over them are written out."""


def _agree_anyhow(sides: list[Any], symbols: list[Any], rng: Random) -> bool:
    """Whether nothing is seen to differ where functions have random values at each place."""
    for _ in range(CONFIRMATIONS):
        there = _Anyhow({s: _random_value(s, rng, FEW) for s in symbols}, rng)
        with suppress(TypeError, ValueError, ZeroDivisionError, LookupError), _within(SECONDS):
            if exact.agree(*(there(s, {}) for s in sides)) is False:
                return False
    return True


class _Anyhow(Value):
    """Evaluation with functions and quantities of which no more is known than what they declare."""

    def __init__(self, at: Point, rng: Random):
        super().__init__(at)
        self.rng = rng
        self.quantities = {q.define: q for q in at if hasattr(q, "define")}

    def applied(self, *key: Any) -> Any:
        if key not in self.remembered:
            self.remembered[key] = _random_value(key[0], self.rng, FEW)
        return self.remembered[key]

    def defined(self, define: Any) -> Any:
        return self.at[self.quantities[define]]


def _random_value(name: Any, rng: Random, largest: int = MANY) -> Any:
    """An admissible number for a symbol or function: rationals of two digits, signs as declared."""
    signs = (
        (1,) if name.is_nonnegative is True else (-1,) if name.is_nonpositive is True else (1, -1)
    )
    sign = rng.choice(signs)
    if name.is_integer is True:
        return Integer(sign * rng.randint(1, largest))
    return sign * Rational(rng.randint(1, 97), rng.randint(1, 13))


def limit_of(term: Expr, index: Symbol) -> Expr:
    """SymPy's limit as the index, an integer, grows without bound: of sin(pi x) it knows no other."""
    if not index.is_integer:
        raise ValueError(f"{index}: is not known to be an integer; declare it so")
    if step := next(filter(_may_step, preorder_traversal(term)), None):
        raise ValueError(f"{term}: {step} may step where nobody looks")
    k = Dummy("k", integer=True, positive=True)
    found = limit(apart(term).xreplace({index: k}), k, oo)
    if found.has(AccumBounds, nan, zoo, Limit) or k in found.free_symbols:
        raise ValueError(f"{term}: no limit is found as {index} grows")
    if found.has(oo, -oo) and found not in (oo, -oo):
        raise ValueError(f"{term}: the limit {found} depends on the signs of its parameters")
    if not all(_leads(base, index) for base in (*_divisors(term), *_inside_functions(term, index))):
        raise ValueError(f"{term}: a part of it may lose its leading term for some parameters")
    return found


def _may_step(piece: Basic) -> bool:
    """Whether a term is none of the smooth ones, whose course is seen at a few far places.

    SymPy gives steps their value at the wrong side, and no place is beyond every threshold.
    """
    smooth = isinstance(piece, SMOOTH) or (piece.is_Atom and isinstance(piece, Expr))
    return not smooth


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


def confirmed_limit(term: Expr, index: Symbol, value: Any) -> bool:
    """The error falls a thousandfold from 2^30 to 2^40 and ends below 2^-30 of the scale.

    The places are even and odd and not of one form, so that what depends on remainders is seen; at
    three random values of the parameters.
    """
    from mpmath import mp, mpf, workdps
    from sympy import lambdify

    rng = stream("limit")
    parameters = sorted((term.free_symbols | sympify(value).free_symbols) - {index}, key=str)
    with workdps(60):
        for _ in range(3):
            point = {
                s: abs(_random_value(s, rng)) if not s.is_negative else _random_value(s, rng)
                for s in parameters
            }
            f = lambdify([index], term.xreplace(point), "mpmath")
            target = mpf(1) * lambdify([], sympify(value).xreplace(point), "mpmath")()
            places = [2**10 + 1, 2**20 + 3, 2**30 + 7, 3**25 + 2, 2**40 + 15, 2**40 + 16]
            values = [f(mpf(n)) for n in places]
            if mp.isinf(target):
                if not (target * values[-1] > 10 and abs(values[-1]) > 2 * abs(values[0])):
                    return False
                continue
            errors = [abs(value - target) for value in values]
            scale = 1 + abs(target)
            if max(errors[3:]) > scale / mpf(2) ** 30 or not all(
                shrinks([errors[2], last], scale) for last in errors[4:]
            ):
                return False
    return True


def shrinks(errors: list[Any], scale: Any) -> bool:
    """Whether an error falls a thousandfold, or is nothing but rounding at the end.

    An error that stays is one, however small it is beside the limit.
    """
    return bool(errors[-1] <= errors[0] / 1000 or errors[-1] <= scale * 10**-45)
