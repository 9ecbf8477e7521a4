"""What the kernel refuses whatever a rule says: terms and formulas without sense.

Ranges that end between integers, indices that declare more than their range gives, kinds of terms and
of formulas that no rule knows, names that normal forms bear, numbers that are not exact.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from fractions import Fraction
from functools import lru_cache
from numbers import Number
from numbers import Rational as Fractional
from types import NoneType
from typing import Any

import flint
from sympy import (
    Abs,
    Add,
    Basic,
    Dummy,
    Expr,
    Float,
    Heaviside,
    I,
    KroneckerDelta,
    MatrixExpr,
    Max,
    Min,
    Mod,
    Mul,
    NumberSymbol,
    Piecewise,
    Pow,
    Product,
    Rational,
    Sum,
    Symbol,
    Trace,
    Tuple,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    besselk,
    binomial,
    ceiling,
    cos,
    cosh,
    erf,
    erfc,
    exp,
    factorial,
    floor,
    frac,
    gamma,
    log,
    loggamma,
    nan,
    oo,
    preorder_traversal,
    sign,
    sin,
    sinh,
    sympify,
    tan,
    tanh,
    uppergamma,
    zoo,
)
from sympy.core.function import AppliedUndef
from sympy.core.numbers import Infinity, NegativeInfinity
from sympy.core.symbol import Str
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import Boolean
from sympy.matrices.expressions.matexpr import MatrixElement

from claims.algebra import bound_in
from claims.almost_surely import AlmostSureLimit, SureLimit
from claims.bound import names_formulas
from claims.statement import (
    Compare,
    Exists,
    ForAll,
    Formula,
    Monotone,
    Tends,
)
from claims.steps import misjudged
from claims.terms import made_of
from proofs import smt
from proofs.calculus.curves import CURVES, Factor
from proofs.calculus.inequalities import SIGNS, BoxBound, SignOnInterval, SumOfSquares
from proofs.calculus.spans import Span
from proofs.defined import MARK, nowhere, unknown
from proofs.hidden import hidden
from proofs.kinds import function_of_its_own, is_formula, is_of_its_own

__all__ = [
    "ProofError", "bound_in_terms", "declared", "needed_beside", "require_closed", "require_exact",
    "require_known", "require_members", "require_sense", "require_terms", "without_value",
]  # fmt: skip


class ProofError(Exception):
    """A rule that does not apply: the message names the rule, the formula and what is missing."""


_SIGNS = dict(positive=">", nonnegative=">=", negative="<", nonpositive="<=", nonzero="!=")  # noqa: C408
_UNSIGNED = dict.fromkeys(("integer", "real", "commutative"), True)
_LARGE = _UNSIGNED | dict.fromkeys(("positive", "nonnegative", "nonzero"), True)


def declared(symbol: Symbol, term: Any) -> list[Formula]:
    """What the assumptions of a symbol say, about a term in its place."""
    said = set(symbol._assumptions_orig)
    if not said <= {*_SIGNS, *_UNSIGNED} or not all(
        symbol._assumptions_orig[name] for name in said
    ):
        raise ProofError(f"{symbol}: declares more than a sign ({', '.join(sorted(said))})")
    if hasattr(term, "shape"):
        raise ProofError(f"{symbol} is a number, {term} is a matrix")
    if symbol.is_integer and not term.is_integer:
        raise ProofError(f"{symbol} is an integer, {term} is not known to be one")
    found: list[Formula] = [Compare(term, sign, 0) for name, sign in _SIGNS.items() if name in said]
    if symbol.is_integer and symbol.is_positive:
        found.append(Compare(term, ">=", 1))
    return found


def require_sense(rule: str, *formulas: Any) -> None:
    """Refuses what has no value, ranges that are none, names that are taken, and nodes that no rule knows."""
    for formula in formulas:
        lacks = (_lack_of(piece) for piece in formula.walk())
        lack = next((lack for lack in lacks if lack is not None), None)
        if taken := {s for s in formula.free_symbols() if s == MARK or names_formulas(s)}:
            lack = f"holds {min(taken, key=str)}, the name of a bound variable"
        if (held := hidden(formula)) and (unseen := held & _bound_in(formula)):
            lack = f"binds {min(unseen, key=str)}, which a recursion or a rank holds inside"
        if lack is not None:
            raise ProofError(f"{rule}: ${formula.latex()}$ {lack}")


def _bound_in(formula: Formula) -> set[Any]:
    """The indices of its quantifiers and limits, and of the sums and extrema in its terms.

    A sum puts its index in where that shows, a quantifier takes it for the value of the name: of what
    does not show the two say different things.
    """
    own = {getattr(piece, "index", None) for piece in formula.walk() if isinstance(piece, Formula)}
    return own | bound_in_terms(formula)


def require_terms(rule: str, *terms: Any) -> None:
    """Refuses strangers in what a rule takes, of which nothing may be left in what it makes of it.

    What its names stand for is seen in that: a range may end at one.
    """
    for term in map(sympify, terms):
        strangers = (_stranger(part) for part in preorder_traversal(term))
        if (lack := next((said for said in strangers if said is not None), None)) is not None:
            raise ProofError(f"{rule}: {term} {lack}")


FUNCTIONS = (
    exp, log, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, erf, erfc,
    gamma, loggamma, uppergamma, factorial, binomial, besselk,
    Abs, sign, floor, ceiling, frac, Mod, Heaviside, KroneckerDelta, Max, Min, Piecewise,
)  # fmt: skip
"""The functions of SymPy that are evaluated here as they are meant; it has hundreds, of complex numbers."""

TERMS = (
    Rational, NumberSymbol, Infinity, NegativeInfinity, Add, Mul, Pow, Sum, Product, *FUNCTIONS,
    MatrixExpr, MatrixElement, Trace,
    Tuple, ExprCondPair, Boolean, Str,
)  # fmt: skip
"""The terms of SymPy that rules know: real numbers and functions of them, finite sums and products,
matrices and what is made of them; and their ranges, conditions (as which symbols count) and names."""


def _lack_of(piece: Any) -> str | None:
    """What keeps a part of a formula from having sense."""
    if isinstance(piece, Basic):
        if (function := function_of_its_own(piece)) is not None:
            return f"holds {function}, a function of its own"
        return _lack(piece)
    if (loose := _loose(piece)) is not None:
        return f"holds {loose}, which is no exact value"
    if isinstance(piece, Formula) and not is_formula(piece):
        return f"is of the kind {type(piece).__name__}, which no rule knows"
    if isinstance(piece, ForAll | Exists | Monotone):
        return _broken_range(piece.index, sympify(piece.low), sympify(piece.high))
    return _not_far_out(piece.index) if isinstance(piece, Tends) else None


def _loose(side: Any) -> Any:
    """A number of Python's that is known to some digits only, or what may change, in a side of a comparison."""
    if isinstance(side, tuple):
        return next((found for part in side if (found := _loose(part)) is not None), None)
    digits = isinstance(side, Number) and not isinstance(side, Basic | Fractional)
    return side if digits or isinstance(side, flint.arb | flint.acb | list | dict | set) else None


def _not_far_out(index: Symbol) -> str | None:
    """That the index of a limit is no integer, or declares what large integers need not be."""
    if hasattr(index, "define") or not index.is_integer:
        return f"has a limit for {index}, not known to be an integer"
    if not index._assumptions_orig.items() <= _LARGE.items():
        return f"has a limit for {index}, which declares more than large integers are"
    return None


@lru_cache(maxsize=65536)
def _lack(term: Basic) -> str | None:
    """What keeps a term from having sense, whatever its symbols stand for."""
    if (stranger := _stranger(term)) is not None:
        return stranger
    if isinstance(term, Symbol | AppliedUndef) and term.is_real is False:  # or does not commute
        return f"holds {term}, which is no real number"
    if isinstance(term, Sum | Product) or getattr(term, "binds", False):
        ranges = (_broken_range(*limits) or _backwards(*limits) for limits in term.args[1:])
        if (broken := next((lack for lack in ranges if lack is not None), None)) is not None:
            return broken
    if nowhere(term):
        return f"holds {term}, which is no real number"
    if misjudged(term):
        return f"holds {term}, a number whose sign SymPy takes for another"
    return next((lack for lack in map(_lack, term.args) if lack is not None), None)


def _stranger(term: Basic) -> str | None:
    """That a node itself has no value, or is of a kind that no rule knows."""
    if term in (nan, zoo):
        return "has no value"
    if str(type(term).__module__).startswith("sympy.") and not isinstance(term, TERMS):
        return f"holds {term}, a kind that no rule knows"
    if isinstance(term, KroneckerDelta) and len(term.args) > 2:
        return f"holds {term}, whose range SymPy forgets where its places are one"
    return f"holds {term}, a kind of its own" if is_of_its_own(term) else None


@lru_cache(maxsize=65536)
def _broken_range(index: Symbol, *ends: Any) -> str | None:
    """That a range ends between integers, or begins below what its index declares."""
    if ends[0] is oo or hasattr(index, "define"):
        return f"has a range of {index} from {ends[0]} on, which is none"
    for end in ends:
        if not (end.is_integer or end in (oo, -oo)):
            return f"has a range that ends at {end}, not known to be an integer"
    if not index._assumptions_orig.items() <= _UNSIGNED.items():
        there = Dummy(integer=True)
        inside = Compare(there, ">=", ends[0])
        if not all(smt.follows(sign, [inside]) for sign in declared(index, there)):
            return f"has the index {index}, which declares more than its range from {ends[0]} gives"
    return None


def _backwards(_: Symbol, low: Any, high: Any) -> str | None:
    """That a sum goes back, which is nothing here, and to SymPy less the terms between."""
    back = (high - low + 1).is_negative
    return f"has a range from {low} to {high}, of negative length" if back else None


CERTIFICATES = (SumOfSquares, SignOnInterval, BoxBound, *CURVES)
PARTS = (Span, Factor, *CERTIFICATES)


def require_known(certificate: Any) -> None:
    """Refuses certificates of other kinds, also as those that another one rests on.

    And whatever in them is without sense: signs are read off weights, bases and the ends of spans, and
    no formula shows them.
    """
    if type(certificate) not in CERTIFICATES:
        raise ProofError(f"certificate: {type(certificate).__name__} is none that the kernel knows")
    _require_fixed(certificate)


def _require_fixed(part: Any) -> None:
    """Refuses what checks in a way of its own, or may be something else when it is looked at again."""
    if type(part) in {int, bool, NoneType, Fraction} or (type(part) is str and part in SIGNS):
        return
    if isinstance(part, Basic):
        if (lack := _lack(part)) is not None:
            raise ProofError(f"certificate: {part} {lack}")
        return
    known = type(part) in PARTS and set(vars(part)) == {field.name for field in fields(part)}
    if not known and type(part) is not tuple:
        raise ProofError(f"certificate: {type(part).__name__} is none that the kernel knows")
    for held in part if type(part) is tuple else vars(part).values():
        _require_fixed(held)


def require_members(quantity: Any, value: Any, indices: Iterable[Symbol]) -> None:
    """Refuses indices that are no integers, as those that are looked at are, or do not show in what is defined.

    A definition may read those unseen.  And almost sure limits: theirs says what is to be shown of them.
    """
    indices, sides = tuple(indices), (quantity, value)
    parts = [part for side in sides for part in (side if isinstance(side, tuple) else (side,))]
    names = set[Any]().union(*(getattr(part, "free_symbols", ()) for part in parts))
    if limits := [name for name in names if isinstance(name, AlmostSureLimit | SureLimit)]:
        raise ProofError(f"definition: {limits[0]} is an almost sure limit, which no point shows")
    for index in indices:
        if not getattr(index, "is_integer", False):
            raise ProofError(f"definition: {index} is no index, which is an integer")
    unseen = set(indices) - getattr(quantity, "free_symbols", set())
    if unseen:
        raise ProofError(f"definition: {quantity} is no family over {min(unseen, key=str)}")


def require_exact(term: Any) -> None:
    """Refuses decimals and what is not finite or not real."""
    if sympify(term).has(oo, -oo, zoo, nan, I, Float):
        raise ProofError(f"{term}: is no exact number, or not finite")


def require_closed(formula: Formula) -> None:
    """Refuses free symbols, and terms that are not exact or not known to be real numbers."""
    if formula.free_symbols() or bound_in_terms(formula):
        raise ProofError(f"evaluation: ${formula.latex()}$ has free symbols")
    if any(isinstance(piece, Formula) and not piece.parts() for piece in formula.walk()):
        raise ProofError(
            f"evaluation: ${formula.latex()}$ is asked of a point, and shows no symbol"
        )
    if any(isinstance(piece, Tends) for piece in formula.walk()):
        raise ProofError(f"evaluation: ${formula.latex()}$ has a limit, which no evaluation gives")
    terms = [piece for piece in formula.walk() if isinstance(piece, Expr)]
    if defined := next((term for term in terms if _is_defined(term)), None):
        raise ProofError(f"evaluation: {defined} may be known to some digits only")
    if any(term.has(Float) for term in terms) or without_value(*terms):
        raise ProofError(f"evaluation: ${formula.latex()}$ is not of exact real numbers")


def _is_defined(term: Expr) -> bool:
    """Whether a definition gives a part of a term, which may be a decimal: sixty digits are no proof."""
    functions = {applied.func for applied in term.atoms(AppliedUndef)}
    recursions = [f.recursion for f in functions if hasattr(f, "recursion")]
    made = functions.union(*(made_of(r.function) for r in recursions))
    return any(hasattr(f, "define_at") for f in made) or any(r.hidden for r in recursions)


def without_value(*terms: Any) -> list[Formula]:
    """What terms need for a real value, as far as their symbols do not say so."""
    return [f for f in unknown(*terms) if not smt.follows(f, [])]


def needed_beside(given: tuple[Any, ...], term: Any) -> tuple[Formula, ...]:
    """What a term and the left sides of comparisons that are given need, beyond what those say."""
    needed = without_value(term, *(formula.left for formula in given))
    return tuple(f for f in needed if not smt.follows(f, given))


def bound_in_terms(formula: Formula) -> set[Any]:
    """The indices of sums and extrema in the terms of a formula."""
    terms = (term for term in formula.walk() if isinstance(term, Expr))
    return {index for term in terms for index in bound_in(term)}
