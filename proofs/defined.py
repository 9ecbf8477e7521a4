r"""Where a term has a real value: `1/x` where x is not zero, `sqrt(x)` where x is not negative.

The gamma function and the tangent have poles as `1/x` has: $x\Gamma(x)=\Gamma(x+1)$ says nothing at zero.

Algebra holds in general position: $(x^2+x)/x=x+1$ says nothing at zero.  Arithmetic over the reals is
about values, so that what it reads must have one; otherwise $x=0\Rightarrow(x^2+x)/x=0$ and
$(\sqrt x+1)^2+(\sqrt x-1)^2\ge2$ would contradict the algebra.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Function,
    Heaviside,
    I,
    Integer,
    KroneckerDelta,
    Max,
    Min,
    Mod,
    Mul,
    Piecewise,
    Pow,
    Product,
    Sum,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    besselk,
    beta,
    binomial,
    ceiling,
    cos,
    cosh,
    cot,
    coth,
    csc,
    csch,
    erf,
    erfc,
    exp,
    factorial,
    ff,
    floor,
    frac,
    gamma,
    log,
    loggamma,
    lowergamma,
    nan,
    oo,
    polygamma,
    rf,
    sec,
    sech,
    sign,
    sin,
    sinh,
    tan,
    tanh,
    uppergamma,
    zoo,
)  # fmt: skip
from sympy.core.function import AppliedUndef
from sympy.core.relational import Relational
from sympy.matrices.expressions import Identity, MatPow, MatrixSymbol

from claims.expressions import Commutation
from claims.operator_tail import OperatorTail
from claims.statement import Compare, ForAll, Formula, Implies
from claims.terms import MaxOver, MinOver

__all__ = [
    "MARK",
    "declared",
    "everywhere",
    "has_value",
    "held_apart",
    "least_power",
    "needs",
    "nonnegative",
    "nowhere",
]

NOWHERE = Compare(Integer(0), "!=", Integer(0))
"""What a term needs that has no real value, or of which that is not known."""
EVERYWHERE = (
    Abs, Heaviside, KroneckerDelta, Max, Min, asinh, atan, ceiling, cos, cosh, erf, erfc, exp, floor,
    frac, sign, sin, sinh, tanh,
)  # fmt: skip
"""Functions with a real value at every real number."""
POLYNOMIAL = (binomial, ff, rf)
SOMEWHERE: dict[Any, Callable[..., tuple[tuple[Any, str], ...]]] = {
    log: lambda x: ((x, ">"),),
    acos: lambda x: ((1 - x**2, ">="),),
    asin: lambda x: ((1 - x**2, ">="),),
    acosh: lambda x: ((x - 1, ">="),),
    atanh: lambda x: ((1 - x**2, ">"),),
    tan: lambda x: ((cos(x), "!="),),
    sec: lambda x: ((cos(x), "!="),),
    cot: lambda x: ((sin(x), "!="),),
    csc: lambda x: ((sin(x), "!="),),
    coth: lambda x: ((x, "!="),),
    csch: lambda x: ((x, "!="),),
    sech: lambda x: (),
    gamma: lambda x: ((x, ">"),),
    loggamma: lambda x: ((x, ">"),),
    polygamma: lambda order, x: ((order, ">="), (x, ">")),
    factorial: lambda x: ((x, ">="),),
    uppergamma: lambda order, x: ((order, ">"), (x, ">=")),
    lowergamma: lambda order, x: ((order, ">"), (x, ">=")),
    besselk: lambda order, x: ((x, ">"),),
    rf: lambda x, count: ((x, ">"), (x + count, ">")),
    ff: lambda x, count: ((x + 1, ">"), (x - count + 1, ">")),
    beta: lambda x, y: ((x, ">"), (y, ">")),
    Mod: lambda x, by: ((by, "!="),),
    OperatorTail: lambda rows, columns, a: ((rows, ">"), (columns, ">")),
}
"""The left sides of comparisons with zero under which a function has a value, and their signs."""


@lru_cache(maxsize=65536)
def needs(term: Any) -> tuple[Formula, ...]:
    r"""What must hold for a term to have a real value, each condition once.

    >>> from sympy import Symbol, sqrt
    >>> x = Symbol("x", real=True)
    >>> [f.latex() for f in needs(1 / x + sqrt(x + 1))]
    ['x \\ne 0', 'x + 1 \\ge 0']
    """
    return tuple(dict.fromkeys(_needs(term))) if isinstance(term, Expr) else ()


def _needs(e: Any) -> Iterator[Formula]:
    if isinstance(e, Sum | Product | MaxOver | MinOver):
        yield from _ranged(e)
    elif isinstance(e, Piecewise):
        for branch, condition in e.args:
            yield from _needs_of_condition(condition)
            yield from (_where(condition, f) for f in needs(branch))
    else:
        yield from _own(e)
        for part in e.args:
            if isinstance(part, Expr):
                yield from needs(part)


def _needs_of_condition(condition: Any) -> Iterator[Formula]:
    for part in condition.args:
        yield from needs(part) if isinstance(part, Expr) else _needs_of_condition(part)


def _own(e: Any) -> Iterator[Formula]:
    """What a term needs whose parts have values."""
    if e in (I, oo, -oo, zoo, nan):
        yield NOWHERE
    elif isinstance(e, MatPow):  # of which an inverse is one
        known = isinstance(e.base, Identity | Commutation) and e.exp.is_integer
        if not (known or _natural(e.exp)):
            yield NOWHERE
    elif isinstance(e, Pow):
        yield from _power(e)
    elif isinstance(e, Function) and not isinstance(e, AppliedUndef):
        yield from _function(e)


def _function(e: Any) -> Iterator[Formula]:
    """Where a named function has a value; of one that is not listed nothing is known."""
    if isinstance(e, EVERYWHERE) or (isinstance(e, POLYNOMIAL) and _natural(e.args[1])):
        return
    if isinstance(e, binomial):
        yield Compare(e.args[0], ">=", 0)
    elif type(e) in SOMEWHERE:
        yield from (Compare(left, sign, 0) for left, sign in SOMEWHERE[type(e)](*e.args))
    else:
        yield NOWHERE


def _natural(e: Any) -> bool:
    """Whether a term is a natural number: then `binomial(x, e)` is a polynomial in x."""
    return bool(e.is_Integer and e >= 0)


MARK = Dummy("held")
"""An argument of the functions that stand for such terms, so that none of a theorem's is one of them."""


def held_apart(e: Any, names: dict[Any, Any]) -> Any:
    """The term with what may have no value as functions of which nothing is known.

    What is equal so held is equal whatever `1/x` stands for at zero.
    """
    if not isinstance(e, Expr) or not e.args:
        return e
    if isinstance(e, MatPow) and not has_value(e):
        return names.setdefault(e, MatrixSymbol(f"held_{Dummy().dummy_index}", *e.shape))
    if isinstance(e, Pow | Function) and not has_value(e):
        least, times = least_power(e)
        name = names.setdefault(least, Function(f"held_{len(names)}", real=True))
        return name(MARK, *sorted(e.free_symbols, key=str)) ** times
    return e.func(*(held_apart(part, names) for part in e.args))


def least_power(e: Any) -> tuple[Any, int]:
    """Powers of one root, or of its inverse, are powers of one term."""
    if not isinstance(e, Pow) or not e.exp.is_Rational:
        return e, 1
    times = abs(int(e.exp.p))
    return e.base ** (e.exp / times), times


def _power(e: Pow) -> Iterator[Formula]:
    """The base of a power that is not natural: not zero below, not negative under a root."""
    base, exponent = e.base, e.exp
    if exponent.is_integer:
        if not exponent.is_nonnegative:
            yield Compare(base, "!=", 0)
    else:
        yield Compare(base, ">=" if exponent.is_nonnegative else ">", 0)


def _ranged(e: Any) -> Iterator[Formula]:
    """The conditions of a body, for every index of its range; those on the ends of the range."""
    inside: tuple[Formula, ...] = needs(e.args[0])
    for index, low, high in map(tuple, e.args[1:]):
        inside = tuple(
            ForAll(index, low, high, f) if index in f.free_symbols() else f for f in inside
        )
        yield from (f for end in (low, high) if end not in (oo, -oo) for f in needs(end))
    yield from inside


def _where(condition: Any, formula: Formula) -> Formula:
    """A condition of a branch, where the branch is taken (everywhere, if that cannot be said)."""
    if not isinstance(condition, Relational):
        return formula
    sign = {"==": "="}.get(condition.rel_op, condition.rel_op)
    return Implies(Compare(condition.lhs, sign, condition.rhs), formula)


def unknown(*terms: Any) -> list[Formula]:
    """What terms need for a real value beyond what their symbols declare."""
    return [f for term in terms for f in needs(term) if not declared(f)]


@lru_cache(maxsize=65536)
def everywhere(e: Any) -> bool:
    """Whether a term has a value whatever its symbols are, as far as they declare their signs."""
    return all(map(declared, needs(e)))


def has_value(e: Any) -> bool:
    """Whether a term has a value by the signs that its symbols declare, if its parts do."""
    return all(map(declared, _own(e)))


@lru_cache(maxsize=65536)
def declared(formula: Formula) -> bool:
    """Whether what a term needs follows from the signs that its symbols declare."""
    if isinstance(formula, ForAll):
        return declared(formula.body)
    if isinstance(formula, Implies):
        return declared(formula.conclusion)
    assert isinstance(formula, Compare)
    base = formula.left
    if formula.sign == ">=":
        return nonnegative(base)
    return bool(base.is_positive) or (formula.sign == "!=" and base.is_zero is False)


def nowhere(e: Any) -> bool:
    """Whether a number written with roots and functions is not real: `acos(2)`, a cube root of -1."""
    if not isinstance(e, Pow | Function) or e.free_symbols or e.has(AppliedUndef):
        return False
    return any(not declared(need) and need.truth({}) is False for need in _own(e))


def nonnegative(e: Any) -> bool:
    """Whether a term is not negative by its form and the signs that its symbols declare."""
    if e.is_nonnegative or isinstance(e, Abs | exp):
        return True
    if isinstance(e, Add | Mul):
        return all(map(nonnegative, e.args))
    if isinstance(e, Sum | MaxOver | MinOver):
        return nonnegative(e.args[0])
    if isinstance(e, Pow):
        even = e.exp.is_even and e.exp.is_positive and e.base.is_real
        return bool(even) or (bool(e.exp.is_real) and nonnegative(e.base))
    return False
