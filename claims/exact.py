"""Exact comparison of numbers: true, false, or not decided; never a guess.

An inequality is decided by balls of growing precision, an equality by exact algebra; SymPy's own
assumptions (`is_zero` and its kin) are not trusted, since they are numerical guesses for deep
expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from decimal import Decimal, localcontext
from functools import lru_cache, reduce
from operator import mul
from typing import Any

import flint
import sympy as sp
from sympy import Add, Basic, Dummy, Expr, Function, Mul, Pow, Symbol, sympify
from sympy.logic.boolalg import BooleanAtom

from claims.errors import UNDEFINED
from claims.floats import SIXTY_DIGITS, beside, entries, is_float, with_all_digits
from claims.radicals import separation

__all__ = [
    "DIGITS", "ORDERS", "SLACK", "agree", "ball", "ball_of_parts", "cancels", "compare", "conjunction",
    "is_rounded", "less", "middle", "negated", "rational", "read_off", "root_of_squares", "sign",
]  # fmt: skip

PRECISIONS = (64, 256, 1024, 4096)
"""Bits of the balls tried in turn; two numbers that agree to 4096 bits are handed to algebra."""
INFINITIES = (sp.oo, -sp.oo, sp.zoo)
ORDERS = frozenset({"<=", "<", ">=", ">"})
SLACK = Decimal(10) ** -40
"""Radius of a decimal number: values that were iterated to sixty digits are known to forty."""
DIGITS = 60
"""To which numbers without a closed form are known, as decimals."""
FLOAT_ROUNDING = 1e-10
"""Of their size and of one: floats that differ by less may be rounded values of one number."""


def rational(x: Any) -> sp.Rational:
    """A fraction of FLINT's for SymPy."""
    return sp.Rational.from_coprime_ints(int(x.p), int(x.q))


def ball(e: Any, values: Mapping[Any, Any]) -> flint.arb:
    """A ball that encloses `e` when each symbol lies in its ball of `values`.

    A result that is not finite says that the function may be undefined somewhere in there.
    Raises `TypeError` for a function without a rule here.

    >>> x = Symbol("x")
    >>> bool(ball(sp.exp(x) - 1, {x: flint.arb(0)}) == 0)
    True
    """
    return _Balls(values).of(sympify(e))


class _Balls:
    """A part of a term is looked at once, however often it stands in it."""

    def __init__(self, values: Mapping[Any, Any]):
        self.values = values
        self.known: dict[Any, flint.arb] = {}

    def of(self, e: Any) -> flint.arb:
        if e not in self.known:
            self.known[e] = self.values[e] if e in self.values else _ball_of(e, self.of)
        return self.known[e]


def _ball_of(e: Any, part: Callable[[Any], flint.arb]) -> flint.arb:
    if isinstance(e, Pow):
        return _power(e, part)
    if e.is_Rational:
        return flint.arb(flint.fmpq(int(e.p), int(e.q)))
    if e.is_Float:
        return flint.arb(str(e))
    if e is sp.pi:
        return flint.arb.pi()
    if e is sp.E:
        return flint.arb(1).exp()
    rule = _BALLS.get(type(e))
    if rule is None:
        raise TypeError(f"{e}: no ball arithmetic for {type(e).__name__}; rewrite it or bound it")
    return rule(*map(part, e.args))


def ball_of_parts(e: Any, parts: Mapping[Any, flint.arb]) -> flint.arb:
    """A ball around a term of which each part lies in its ball; raises as `ball` does."""
    return _ball_of(e, parts.__getitem__)


def _binomial(n: flint.arb, k: flint.arb) -> flint.arb:
    return (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma()


_BALLS: dict[Any, Callable[..., flint.arb]] = {
    Add: lambda *parts: sum(parts, start=flint.arb(0)),
    Mul: lambda *parts: reduce(mul, parts, flint.arb(1)),
    sp.Max: lambda first, *rest: reduce(flint.arb.max, rest, first),
    sp.Min: lambda first, *rest: reduce(flint.arb.min, rest, first),
    sp.Abs: abs,
    sp.exp: flint.arb.exp,
    sp.log: flint.arb.log,
    sp.sin: flint.arb.sin,
    sp.cos: flint.arb.cos,
    sp.tan: flint.arb.tan,
    sp.sinh: flint.arb.sinh,
    sp.cosh: flint.arb.cosh,
    sp.tanh: flint.arb.tanh,
    sp.atan: flint.arb.atan,
    sp.asin: flint.arb.asin,
    sp.acos: flint.arb.acos,
    sp.asinh: flint.arb.asinh,
    sp.acosh: flint.arb.acosh,
    sp.atanh: flint.arb.atanh,
    sp.erf: flint.arb.erf,
    sp.erfc: flint.arb.erfc,
    sp.gamma: flint.arb.gamma,
    sp.loggamma: flint.arb.lgamma,
    sp.factorial: lambda x: (x + 1).gamma(),
    sp.binomial: _binomial,
    sp.uppergamma: lambda order, x: x.gamma_upper(order),
    sp.besselk: lambda order, x: x.bessel_k(order),
}


def _power(e: Pow, part: Callable[[Any], flint.arb]) -> flint.arb:
    base = part(e.base)
    if e.exp.is_Integer:
        return _whole_power(base, int(e.exp))
    if e.exp.is_Rational and e.exp.q == 2:
        return base.sqrt() ** int(e.exp.p)
    return (base.log() * part(e.exp)).exp()


def _whole_power(base: flint.arb, exponent: int) -> flint.arb:
    """A power of a ball; flint has none where the middle is zero and the ball is not."""
    found = base**exponent
    if exponent <= 0 or found.is_finite() or not base.is_finite():
        return found
    most = base.abs_upper() ** exponent
    return most.union(-most if exponent % 2 else flint.arb(0))


def sign(number: Any) -> int | None:
    """-1, 0 or 1 for a real number given exactly, to sixty digits or by bounds; None when not decided.

    >>> sign(sp.sqrt(2) + sp.sqrt(3) - sp.sqrt(5 + 2 * sp.sqrt(6)))
    0
    >>> sign(sp.acos(1000 * sp.sqrt(1000001) / 1000001))
    1
    """
    if isinstance(number, Decimal):
        return 0 if abs(number) < SLACK else (1 if number > 0 else -1)
    if isinstance(number, flint.arb):
        return _sign_of_ball(number)
    e = sympify(number)
    if e.is_Rational:
        return int(sp.sign(e))
    if isinstance(e, sp.AccumBounds):  # a number that is known to lie between two
        ends = {sign(e.min), sign(e.max)}
        return ends.pop() if len(ends) == 1 else None
    floats = e.atoms(sp.Float)
    if floats and min(f._prec for f in floats) >= SIXTY_DIGITS:  # known as decimals are
        return sign(_decimal(e))
    if e in (sp.oo, -sp.oo):
        return 1 if e is sp.oo else -1
    found = _sign_by_balls(e, PRECISIONS[:2])
    if found is None:
        found = 0 if vanishes(e) else _sign_by_balls(e, PRECISIONS[2:])
    return found


@lru_cache(maxsize=1 << 14)
def less(left: Any, right: Any) -> bool:
    """Whether a real number is less than another.  Raises `ValueError` where that is not decided.

    >>> less(sp.sqrt(2), sp.Rational(3, 2)), less(sp.oo, sp.Integer(3))
    (True, False)
    >>> tiny = sp.log(2 - sp.tanh(1000))
    >>> less(tiny, 2 * tiny)
    True
    """
    left, right = sympify(left), sympify(right)
    found = 0 if left == right else sign(left - right)
    if found is None:
        raise ValueError(f"{left} < {right}: is not decided")
    return found < 0


def _sign_by_balls(e: Expr, precisions: tuple[int, ...]) -> int | None:
    """The sign that a ball around `e` shows at one of the precisions."""
    try:
        return read_off(e, _sign_of_ball, precisions)
    except (TypeError, ValueError):
        return None


def read_off(
    e: Expr, read: Callable[[flint.arb], Any], precisions: tuple[int, ...] = PRECISIONS
) -> Any:
    """The first answer that is read off a ball around a number, at growing precision; else None.

    Raises as `ball` does.
    """
    before = flint.ctx.prec
    try:
        for flint.ctx.prec in precisions:
            found = read(ball(e, {}))
            if found is not None:
                return found
    finally:
        flint.ctx.prec = before
    return None


def _sign_of_ball(value: flint.arb) -> int | None:
    if not value.is_finite():
        return None
    return 1 if value > 0 else -1 if value < 0 else 0 if value == 0 else None


LARGEST_PRECISION = 1 << 19
"""Bits of a ball that is to show that a number is nearer to zero than any but zero."""


@lru_cache(maxsize=4096)
def vanishes(e: Expr) -> bool:
    """Whether algebra shows that a number is zero; False says nothing.

    SymPy chooses minimal polynomials by two hundred digits: near zero it takes that of zero.
    """
    apart = separation(e)
    if apart is not None:
        return apart < LARGEST_PRECISION and _is_nearer(e, apart)
    with suppress(*UNDEFINED, NotImplementedError, StopIteration):  # SymPy raises what it likes
        return bool(sp.simplify(_held(e)) == 0)
    return False


def _is_nearer(e: Expr, apart: int) -> bool:
    """Whether a ball shows that a number is less than 2^-apart."""
    least = flint.arb(2) ** -apart

    def nearer(ball: flint.arb) -> bool | None:
        if not ball.is_finite():
            return None
        return True if abs(ball) < least else False if _sign_of_ball(ball) else None

    with suppress(TypeError, ValueError):
        return bool(read_off(e, nearer, (2 * apart + 64, 4 * apart + 256)))
    return False


MEASURED = frozenset({sp.exp, sp.log, sp.sin, sp.cos, sp.Abs})
"""Functions that SymPy evaluates to as many digits as it asks for; of others it rounds the argument first."""


def _held(e: Any) -> Any:
    """A number with symbols for functions whose values SymPy may take for zero where they are not."""
    held = {f: Dummy(real=True) for f in e.atoms(Function) if type(f) not in MEASURED}
    return e.xreplace(held)


def compare(left: Any, relation: str, right: Any) -> bool | None:
    """`left relation right` for numbers, matrices, tuples or flags; None when not decided.

    Infinities equal themselves.  Matrices and tuples compare by "=" and "!=" only.  Where a side is
    undefined, such as 1/0, nothing is asserted, so that nothing is decided.
    """
    if isinstance(left, sp.Rational) and isinstance(right, sp.Rational):  # as most values are
        return _HOLDS[relation](left.p * right.q - right.p * left.q)
    if hasattr(left, "shape") or hasattr(right, "shape"):
        left, right = beside(left, right), beside(right, left)
    if relation in {"=", "!="}:
        equal = _equal(left, right)
        if relation == "=":
            return equal
        return None if equal and _rounded_within(left, right) else negated(equal)
    if any(_undefined(side, relation) for side in (left, right)):
        return None
    if any(map(is_float, (left, right))):
        return _compared_as_floats(left, relation, right)
    rounded = _to_digits(left, right)
    known = left is right and not isinstance(left, sp.AccumBounds)
    found = 0 if known else _sign_to_digits(left, right) if rounded else sign(left - right)
    if found is None or (rounded and found == 0 and relation in {"<", ">"}):
        return None  # numbers that agree in all the digits that are known need not be equal
    return _HOLDS[relation](found)


_HOLDS: dict[str, Callable[[int], bool]] = {
    "<=": lambda gap: gap <= 0, "<": lambda gap: gap < 0, ">=": lambda gap: gap >= 0,
    ">": lambda gap: gap > 0, "=": lambda gap: gap == 0, "!=": lambda gap: gap != 0,
}  # fmt: skip
"""Whether a relation holds, by the sign of left less right."""


def _equal(left: Any, right: Any) -> bool | None:
    """Equality; each part of a tuple is asserted by itself, so that no undefined one hides a false one."""
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return conjunction(compare(a, "=", b) for a, b in zip(left, right, strict=True))
    undefined = any(_undefined(side, "=") for side in (left, right))
    return None if undefined else agree(left, right)


def _undefined(side: Any, relation: str) -> bool:
    """Whether a side has no value, or none that can be ordered."""
    if isinstance(side, tuple):
        return any(_undefined(part, relation) for part in side)
    if not isinstance(side, Basic):
        return False
    return bool(side.has(sp.nan, sp.zoo)) or (
        relation not in {"=", "!="} and side.is_extended_real is False
    )


def agree(left: Any, right: Any) -> bool | None:
    """Exact equality; None when not decided."""
    if isinstance(left, sp.Rational) and isinstance(right, sp.Rational):
        return bool(left.p == right.p and left.q == right.q)
    if any(isinstance(side, dict | set | frozenset) for side in (left, right)):
        return _agree_unordered(left, right)
    if isinstance(left, tuple | list) or isinstance(right, tuple | list):
        if not hasattr(left, "__len__") or not hasattr(right, "__len__"):
            return False
        if len(left) != len(right):
            return False
        return conjunction(agree(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, bool | str | BooleanAtom) or isinstance(right, BooleanAtom) or left is None:
        return bool(left == right)
    if hasattr(left, "shape") or hasattr(right, "shape"):
        left, right = beside(left, right), beside(right, left)
    if hasattr(left, "shape") or hasattr(right, "shape"):
        if getattr(left, "shape", None) != getattr(right, "shape", None):
            return False
        return conjunction(agree(a, b) for a, b in zip(*map(entries, (left, right)), strict=True))
    if any(map(is_float, (left, right))):
        return _compared_as_floats(left, "=", right)
    if _to_digits(left, right):
        return _sign_to_digits(left, right) == 0
    if any(side in INFINITIES for side in (sympify(left), sympify(right))):
        return bool(left == right)
    difference = sympify(left - right)
    if difference.free_symbols:
        return _identical(difference)
    found = sign(difference)
    return None if found is None else found == 0


def _agree_unordered(left: Any, right: Any) -> bool | None:
    """Equality of sets, each of whose members must agree with one of the other; of tables by their keys."""
    if left == right:
        return True
    if isinstance(left, dict):
        if not isinstance(right, dict) or left.keys() != right.keys():
            return False
        return conjunction(agree(value, right[key]) for key, value in left.items())
    if not all(isinstance(side, set | frozenset) for side in (left, right)):
        return False
    return conjunction(_occurs(x, b) for a, b in ((left, right), (right, left)) for x in a)


def _occurs(member: Any, others: Iterable[Any]) -> bool | None:
    """Whether a value agrees with one of several."""
    return negated(conjunction(negated(agree(member, other)) for other in others))


def _compared_as_floats(left: Any, relation: str, right: Any) -> bool | None:
    """A comparison of floats; None where rounding may decide it.

    Nothing says how far rounding went, so that nothing is said of numbers that are nearly equal; those
    that are equal are what they look like, unless it is asked whether they differ.
    """
    left, right = map(with_all_digits, (left, right))
    if sp.nan in (left, right):
        return None
    if any(side in INFINITIES for side in (left, right)):
        return _HOLDS[relation](0 if left == right else 1 if sp.oo in (left, -right) else -1)
    if left == right or (found := sign(left - right)) == 0:
        return None if relation in {"<", ">", "!="} else True
    with suppress(TypeError):
        gap, scale = (abs(complex(sp.N(each, 20))) for each in (left - right, left))
        if gap <= FLOAT_ROUNDING * (1 + scale):
            return None
        if found is None:  # complex numbers
            return False if relation == "=" else None
    return None if found is None else _HOLDS[relation](found)


def is_rounded(number: Any) -> bool:
    """Whether a number is known to sixty digits: a decimal, or what is calculated with one."""
    if isinstance(number, Decimal):
        return True
    floats = number.atoms(sp.Float) if isinstance(number, Expr) and not number.free_symbols else ()
    return bool(floats) and min(f._prec for f in floats) >= SIXTY_DIGITS


def _rounded_within(*sides: Any) -> bool:
    """The same of a part of one of several sides, which may be tuples or matrices."""
    return any(
        _rounded_within(*side)
        if isinstance(side, tuple | list) or hasattr(side, "shape")
        else is_rounded(side) or is_float(side)
        for side in sides
    )


def _to_digits(*sides: Any) -> bool:
    """Whether numbers are compared by the digits that are known of one."""
    return any(map(is_rounded, sides)) and not any(sympify(side) in INFINITIES for side in sides)


def cancels(total: Any, parts: Iterable[Any]) -> bool:
    """Whether a sum of numbers, of which some are known to sixty digits, is zero in forty of theirs."""
    parts = tuple(parts)
    if not total.is_number or total.is_finite is False or not any(map(is_rounded, parts)):
        return False
    with suppress(*UNDEFINED), localcontext(prec=DIGITS):
        return abs(_decimal(total)) <= SLACK * max(abs(_decimal(part)) for part in parts)
    return False


def _sign_to_digits(left: Any, right: Any) -> int:
    """The sign of a difference, beside numbers that are large: forty of their digits are known."""
    with localcontext(prec=DIGITS):
        left, right = _decimal(left), _decimal(right)
        return sign((left - right) / max(1, abs(left), abs(right)))  # type: ignore[return-value]


def _identical(difference: Expr) -> bool | None:
    """Whether a function of symbols vanishes identically: not by a value, or by algebra as well."""
    names = sorted(difference.free_symbols, key=str)
    if not all(isinstance(name, Symbol) for name in names):  # a matrix without its entries
        return None
    values = {s: _some_value(s, k) for k, s in enumerate(names)}
    if sign(difference.subs(values).doit()) not in {0, None}:
        return False
    return True if sp.simplify(difference) == 0 else None


def _some_value(symbol: Symbol, k: int) -> sp.Rational:
    """A number that a symbol may be by what it declares: an integer, or below zero."""
    value = sp.Integer(2 * k + 3) if symbol.is_integer else sp.Rational(2 * k + 3, k + 2)
    return -value if symbol.is_nonpositive else value


def conjunction(answers: Iterable[bool | None]) -> bool | None:
    """Conjunction of three-valued answers: false as soon as one is, and open while one is open."""
    found: bool | None = True
    for answer in answers:
        if answer is False:
            return False
        found = None if answer is None else found
    return found


def negated(answer: bool | None) -> bool | None:
    """The other answer; what is open stays so."""
    return None if answer is None else not answer


def root_of_squares(entries: Iterable[flint.arb]) -> flint.arb:
    """The root of the sum of the squares of balls; around zero where it may be zero, as of equal numbers."""
    total = sum((_whole_power(entry, 2) for entry in entries), start=flint.arb(0))
    return total.sqrt() if total > 0 else flint.arb(0, total.abs_upper().sqrt())


def middle(ball: flint.arb, digits: int = DIGITS) -> Decimal:
    """The middle of a ball, to so many digits."""
    return Decimal(ball.mid().str(digits, radius=False))


def _decimal(number: Any) -> Decimal:
    """Sixty digits of a number: of a ball around it, where a narrow one is found, which SymPy is slower at."""
    if isinstance(number, Decimal):
        return number
    value = sympify(number)
    if not value.has(sp.Float):  # which shows fewer digits than it has
        found = _narrow_ball(value)
        if found is not None:
            return middle(found)
    return Decimal(str(sp.N(value, DIGITS)))


def _narrow_ball(e: Expr) -> flint.arb | None:
    """A ball whose numbers have sixty digits in common; None where 256 bits do not give one."""
    try:
        with flint.ctx.workprec(PRECISIONS[1]):
            found = ball(e, {})
            return found if found.is_finite() and found.rel_accuracy_bits() > SIXTY_DIGITS else None
    except (TypeError, ValueError):
        return None
