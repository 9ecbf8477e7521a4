"""Signs, kinds, laws and digits that say more of a term than is so."""

from __future__ import annotations

from functools import partial
from typing import Any

from sympy import (
    Abs,
    Dummy,
    Expr,
    Function,
    I,
    Integer,
    KroneckerDelta,
    Rational,
    Symbol,
    exp,
)  # fmt: skip
from sympy.core.function import AppliedUndef, UndefinedFunction
from wrong_certificates import bare, each, family, ge, i, j, k, s, x, y

from claims.gaussian_growth import Growth, Shares
from claims.statement import And, Compare, Formula, Implies, Quantity
from claims.terms import Recursion
from proofs import facts, kernel
from proofs.calculus.inequalities import SumOfSquares
from proofs.kernel import Theorem


NO = Compare(Integer(0), "=", Integer(1))


def absurd(*theorems: Theorem) -> bool:
    """Whether they give 0 = 1, under nothing that could be asked for."""
    return bare(kernel.joint(NO, *theorems))


# Signs --------------------------------------------------------------------------------------------


def delta(term: Any, place: Any) -> Theorem:
    return kernel.fact(facts.DELTA, a=i, b=j, term=term, place=place)


def cancelled_at_zero(place: Any) -> bool:
    """i/i is one and i/j is what 0/0 stands for, where both are zero."""
    known = delta(i / place, place)
    zero = [Compare(i, "=", 0), Compare(j, "=", 0)]
    there = kernel.joint(Implies(And(tuple(zero)), Compare(KroneckerDelta(i, j), "=", 0)), known)
    return absurd(kernel.substitute(there, {i: Integer(0), j: Integer(0)}))


@family
def signs_of_a_place() -> Any:
    """What the place of a delta declares of itself, its indices need not be."""
    signed = [Symbol("q", integer=True, **{sign: True}) for sign in ("positive", "negative")]
    false = [*each(cancelled_at_zero, *signed), *each(delta, *((k / q, q) for q in signed))]
    return iter(false), each(delta, (signed[0] + k, signed[0]), (1 / (1 + k**2), signed[0]))


# Digits -------------------------------------------------------------------------------------------

TAIL = Growth("N", lambda at, place: Shares.equal(1)).factor(2, 1, 1)
"""P(chi^2 < 1) for two degrees of freedom, to sixty digits."""
CHANCE = 1 - exp(-Rational(1, 2))


def computed(value: Any, sign: str = "=") -> Theorem:
    return kernel.compute(Compare(TAIL, sign, value))


def two_values() -> bool:
    return absurd(computed(CHANCE), computed(CHANCE + Rational(1, 10**50)))


@family
def digits_are_no_exact_values() -> Any:
    """Decimals that agree in all the digits that are known need not be equal."""
    stepped = Recursion("g", lambda: TAIL, lambda t, before: before())
    false = [
        two_values, *each(computed, CHANCE, CHANCE + Rational(1, 10**50)),
        *each(computed, (CHANCE - Rational(1, 10**50), "<="), (CHANCE, ">=")),
        lambda: kernel.compute(Compare(stepped(Integer(1)), "=", CHANCE)),
    ]  # fmt: skip
    doubled = Recursion("g", lambda: Integer(1), lambda t, before: 2 * before())
    return iter(false), iter(
        [
            lambda: kernel.compute(Compare(doubled(Integer(3)), "=", 8)),
            lambda: kernel.compute(Compare(CHANCE, "<", Rational(2, 5))),
        ]
    )


# Kinds --------------------------------------------------------------------------------------------


def at_zero(_: Any, place: Any) -> Any:
    """What is said to be positive is minus one at zero."""
    return Integer(-1) if place == 0 else None


class Positive(Expr):
    """A term that says its sign."""

    is_commutative = is_real = is_positive = is_nonnegative = True

    def __new__(cls, place: Any) -> Any:
        return at_zero(cls, place) or Expr.__new__(cls, place)


class Named(Symbol):
    """A symbol that says its sign and declares none."""

    is_positive = is_nonnegative = True


class Becoming(Formula):
    """A formula that is another one as soon as something is put in."""

    def parts(self) -> tuple[Any, ...]:
        return ()

    def map(self, change: Any) -> Formula:
        return self

    def truth(self, at: Any) -> bool:
        return True

    def substitute(self, values: Any, into: Any = None) -> Formula:
        return NO

    def latex(self) -> str:
        return "1 = 1"


def positive(term: Any) -> Theorem:
    return kernel.certified(SumOfSquares(term, (), (term,)))


def positive_at_zero(kind: Any) -> bool:
    return absurd(kernel.substitute(positive(kind(x)), {x: Integer(0)}))


@family
def kinds_of_ones_own() -> Any:
    evaluated = Function("f", positive=True, eval=classmethod(at_zero))
    based = UndefinedFunction("f", (type("Own", (AppliedUndef,), {"eval": classmethod(at_zero)}),))
    false = [
        *each(positive_at_zero, Positive, evaluated, based), partial(positive, Named("p")),
        lambda: kernel.substitute(kernel.compute(Becoming()), {x: x + 1}),
    ]  # fmt: skip
    function, value = Function("f", positive=True), Quantity("q", len, positive=True)
    return iter(false), each(positive, s, function(x), exp(x), value)


def imaginary_vanishes(name: Any) -> bool:
    """A square is not negative, and SymPy's size of this one is its opposite; so the name is zero, and is not."""
    size = kernel.substitute(kernel.joint(ge(Abs(y), 0)), {y: name**2})
    quotient = (name**2 + name) / name
    none = kernel.joint(Implies(Compare(name, "=", 0), Compare(quotient, "=", 0)))
    return absurd(size, none, kernel.identity(quotient, name + 1))


@family
def names_of_no_real_number() -> Any:
    names = [
        Dummy("d", imaginary=True), Function("f", imaginary=True)(x), Symbol("w", imaginary=True),
        Quantity("q", lambda at: I, real=None, imaginary=True),
        Function("f", infinite=True, extended_real=True)(x),
    ]  # fmt: skip
    squares = (partial(kernel.joint, ge(name**2, 0)) for name in names)
    return iter([*each(imaginary_vanishes, *names), *squares]), each(
        kernel.joint, ge(Dummy("d", real=True) ** 2, 0), ge(Function("f")(x) ** 2, 0)
    )
