"""What the kernel's rules about sums and extrema conclude, as functions of formulas.

Each function takes the formulas of the premises and returns the formula that follows, the name of the
rule, and the hypotheses it needs; it raises `ProofError` where the rule does not apply.  Only
`proofs.kernel` makes theorems of what they return.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sympy import (
    Expr,
    Integer,
    KroneckerDelta,
    Piecewise,
    Product,
    Sum,
    Symbol,
    nan,
    oo,
    sympify,
    zoo,
)

from claims.algebra import bound_in, ranged
from claims.statement import Compare, Exists, ForAll, Formula, Implies, Quantity
from claims.terms import MaxOver, MinOver, Recursion, put
from proofs import smt
from proofs.defined import declared as shown
from proofs.defined import held_apart, needs, unknown
from proofs.facts import Fact
from proofs.hidden import hidden
from proofs.sense import ProofError, bound_in_terms, declared, require_terms, without_value

__all__ = ["in_range", "require_finite", "require_sums"]

Shape = tuple[Formula, str, list[Formula]]


def in_range(term: Any, shape: Any) -> list[Formula]:
    """That an integer term lies in the range of a quantifier, as far as its signs do not say so."""
    if not sympify(term).is_integer:
        raise ProofError(f"{term}: is not known to be an integer")
    inside: list[Formula] = [Compare(term, ">=", shape.low)]
    inside += [] if shape.high is oo else [Compare(term, "<=", shape.high)]
    inside += needs(sympify(term))
    return [f for f in inside if not smt.follows(f, [])]


def needed_by(known: Fact, formula: Formula, terms: Mapping[str, Any]) -> list[Formula]:
    """What the terms of a fact need; sums of them are compared whatever 1/x stands for at zero.

    The range of a sum says nothing of an index that a term binds itself, under the same name.  Raises
    `ProofError` where something cancels in the sums.
    """
    given = {name: term for name, term in terms.items() if isinstance(sympify(term), Expr)}
    require_terms("fact", *given.values())
    needed = without_value(*map(sympify, given.values()))
    if not needed or not bound_in_terms(formula):
        return needed
    sums = [total for term in _walk(formula) for total in _sums(term)]
    own = set().union(*(bound_in(sympify(term)) for term in given.values()))
    if all(
        own.isdisjoint(f.free_symbols()) and any(_given(f, _inside(total)) for total in sums)
        for f in needed
    ):
        return []
    names: dict[Any, Any] = {}
    held = {name: held_apart(sympify(term), names) for name, term in given.items()}
    _, apart = known.instance(**{**terms, **held})
    if smt.canonical(apart) != smt.canonical(formula.map(lambda term: held_apart(term, names))):
        raise ProofError(f"fact: ${needed[0].latex()}$ is lost in ${formula.latex()}$")
    return []


def values(equal: Callable[[Any, Any], bool], left: Any, right: Any) -> list[Formula]:
    """That two sides have real values, as far as their symbols do not say so and it matters.

    It does not where the sides are equal with every divisor and root held apart.
    """
    needed = without_value(left, right)
    names: dict[Any, Any] = {}
    if needed and equal(held_apart(left, names), held_apart(right, names)):
        return []
    return needed


def needed_beyond(known: Any, other: Any) -> list[Formula]:
    """What another form of a value needs that has one, as far as that does not give it."""
    given = unknown(known)
    return [f for f in unknown(other) if not smt.follows(f, given)]


def lost(piece: Any, values: Mapping[Any, Any], made: Any) -> list[Formula]:
    """What a term or formula and the terms put into it need for their values, where something cancels.

    `y/x` has no value at `x = 0`, and is 1 when y is replaced by x.
    """
    for symbol in hidden(piece) & set(values):
        raise ProofError(f"substitution: a recursion or a rank holds {symbol} inside")
    values = {symbol: sympify(value) for symbol, value in values.items()}
    before, entering = list(dict.fromkeys(_needs_of(piece))), without_value(*values.values())
    if not entering and all(map(shown, before)):
        return []
    if smt.kept_apart(piece, values) == smt.canonical(made):
        return []
    needed = [need.substitute(values) for need in before]
    gone = [f for f in (*needed, *entering) if not (shown(f) or _given(f, ()))]
    bound = {getattr(p, "index", None) for p in _walk(piece)}
    return [_outside(f, bound) for f in gone]


def _outside(needed: Formula, bound: set[Any]) -> Formula:
    """What is needed under a quantifier, said outside of it: without the case where it is needed."""
    if not bound & needed.free_symbols():
        return needed
    if isinstance(needed, Implies):
        return _outside(needed.conclusion, bound)
    raise ProofError(f"substitution: ${needed.latex()}$ is lost under a quantifier")


def _given(needed: Formula, known: tuple[Formula, ...]) -> bool:
    """Whether a need follows from the ranges and the cases in which it arises."""
    if isinstance(needed, Implies):
        return _given(needed.conclusion, (*known, needed.premise))
    if isinstance(needed, ForAll):
        outside = (f for f in known if needed.index not in f.free_symbols())
        inside = _ends(needed.index, needed.low, needed.high)
        return _given(needed.body, (*outside, *inside))
    return smt.follows(needed, known)


def _inside(total: Sum) -> tuple[Formula, ...]:
    return tuple(f for limits in total.limits for f in _ends(*limits))


def _ends(index: Symbol, low: Any, high: Any) -> tuple[Formula, ...]:
    """That an index lies in its range."""
    ends = ((">=", low), ("<=", high))
    return tuple(Compare(index, sign, end) for sign, end in ends if end not in (oo, -oo))


def placed(term: Any, values: Mapping[Any, Any]) -> tuple[Any, list[Formula]]:
    """Terms put in for symbols, and what they and the term need if something cancels."""
    values = {symbol: sympify(value) for symbol, value in values.items()}
    found = put(term := sympify(term), values)
    cases = ((case, found if case is term else put(case, values)) for case in _taken(term, values))
    needed = [need for case, made in cases for need in lost(case, values, made)]
    return found, list(dict.fromkeys(map(_always, needed)))


def _taken(term: Any, values: Mapping[Any, Any]) -> Iterator[Any]:
    """The cases of a term that may be the one, once values are put in, and what is asked before."""
    if not isinstance(term, Piecewise):
        yield term
        return
    for case, condition in term.args:
        yield (asked := Piecewise((1, condition), (0, True)))
        holds = put(asked, values)
        if holds != 0:
            yield from _taken(case, values)
        if holds == 1:
            return


def _always(needed: Formula) -> Formula:
    """What is needed in a case, asked for in all of them."""
    return _always(needed.conclusion) if isinstance(needed, Implies) else needed


def congruent(term: Any, place: Symbol, left: Any, right: Any) -> Shape:
    require_terms("equals", term)
    for side in (left, right):
        if sympify(side).has(oo, -oo, zoo, nan):
            raise ProofError(f"equals: {side} is no number")
        if declared(place, sympify(side)):
            raise ProofError(f"equals: {place} declares a sign, which {side} need not have")
    (before, needed), (after, needed_after) = (placed(term, {place: s}) for s in (left, right))
    given = [Compare(left, "=", right), *needed, *needed_after]
    return Compare(before, "=", after), "equals for equals", given


def lost_in_step(body: Formula, index: Symbol, following: Formula) -> list[Formula]:
    """What a case needs that the next one, as it is written, does not show."""
    gone = lost(body, {index: index + 1}, following)
    if any(index in need.free_symbols() for need in gone):
        raise ProofError(f"induction: ${gone[0].latex()}$ is lost in ${following.latex()}$")
    return gone


def _walk(piece: Any) -> Iterable[Any]:
    return piece.walk() if isinstance(piece, Formula) else (piece,)


def _needs_of(piece: Any) -> Iterator[Formula]:
    for term in _walk(piece):
        yield from needs(term)


def require_sums(*sides: Any) -> None:
    """Refuses sums of which SymPy has a value that they do not have here."""
    _require_lengths(*sides)
    _require_places(*sides)


def _require_lengths(*sides: Any) -> None:
    """SymPy gives sums of negative length a meaning that they do not have here.

    And to one that ends between integers a part of a term.
    """
    for total, low, high in _ranges(sides):
        if between := [end for end in (low, high) if not (end.is_integer or end.is_infinite)]:
            raise ProofError(f"algebra: {total} ends at {between[0]}, not known to be an integer")
        if not smt.follows(Compare(high - low + 1, ">=", 0), []):
            raise ProofError(f"algebra: {total} may have a negative length")


def _require_places(*sides: Any) -> None:
    """SymPy counts a delta as met wherever its place lies within a range, an integer or not."""
    for total in {total for side in sides for total in _sums(side)}:
        for delta in total.atoms(KroneckerDelta):
            if not _met_at_an_integer(delta, bound_in(total)):
                raise ProofError(f"algebra: {delta} may be met by no index of {total}")


def _met_at_an_integer(delta: KroneckerDelta, indices: frozenset[Any]) -> bool:
    """Whether a delta is met at an integer of each index, wherever the others and what is free are."""
    left, right, *_ = delta.args
    met = indices & delta.free_symbols
    whole = not met or (left.is_integer and right.is_integer)
    return bool(whole) and all(abs((left - right).diff(index)) == 1 for index in met)


def require_finite(*sides: Any) -> None:
    """Infinite sums are not linear: the parts of one that converges need not."""
    for total, low, high in _ranges(sides):
        if any(end.has(oo, -oo) for end in (low, high)):
            raise ProofError(f"sum: {total} is not finite")


def _ranges(sides: Iterable[Any]) -> Iterator[tuple[Any, Any, Any]]:
    for side in sides:
        for total in _sums(side):
            yield from ((total, low, high) for _, low, high in total.limits)


def range_allows_signs(index: Symbol, low: Any, body: Any = None) -> None:
    """An index may declare no more than its range says, and stand in no end of it.

    A recursion, or a rank, may not hold it inside, either.
    """
    if body is not None and index in hidden(body):
        raise ProofError(f"{index}: a recursion or a rank holds it inside")
    if index in sympify(low).free_symbols or isinstance(index, Quantity):
        raise ProofError(f"{index}: is no index of a range that begins at {low}")
    if not index.is_integer:
        raise ProofError(f"{index}: an index must be declared an integer")
    for wanted in declared(index, index):
        if not smt.follows(wanted, [Compare(index, ">=", low)], assumptions=False):
            raise ProofError(f"{index}: declares more than its range from {low} gives")


def not_empty(low: Any, high: Any) -> list[Formula]:
    """That a range has a member."""
    formula = Compare(low, "<=", high)
    return [] if smt.follows(formula, []) else [formula]


# Recursions ---------------------------------------------------------------------------------------


def recursion_start(function: Recursion, others: tuple[Any, ...]) -> Shape:
    places, start, _ = _written(function, *others)
    value, needed = placed(start, dict(zip(places[1:], others, strict=True)))
    return Compare(function(0, *others), "=", value), "definition", needed


def recursion_step(function: Recursion, t: Any, others: tuple[Any, ...]) -> Shape:
    places, _, step = _written(function, t, *others)
    value, needed = placed(step, dict(zip(places, (t, *others), strict=True)))
    needed += [] if sympify(t).is_nonnegative else [Compare(t, ">=", 0)]
    return Compare(function(t + 1, *others), "=", value), "definition", needed


def _written(function: Recursion, *at: Any) -> tuple[tuple[Symbol, ...], Expr, Expr]:
    """Places, start and step of a recursion whose values rest on earlier ones; places are integers."""
    if type(function) is not Recursion:
        raise ProofError(f"definition: {function} is no recursion, or one of its own kind")
    loose = [place for place in at if not sympify(place).is_integer]
    if loose:
        raise ProofError(
            f"definition: {loose[0]} is no place of {function.function}, which is an integer"
        )
    require_terms("definition", *function.written[1:])
    if function.circular:
        raise ProofError(f"definition: values of {function.function} rest on themselves")
    return function.written


# Sums over an index -------------------------------------------------------------------------------


def _finite(every: Formula) -> tuple[ForAll, Compare]:
    """A comparison over a finite range, and what is compared."""
    if not isinstance(every, ForAll) or not isinstance(every.body, Compare):
        raise ProofError(f"sum: ${every.latex()}$ is no comparison over a range")
    if any(sympify(end).has(oo, -oo) for end in (every.low, every.high)):
        raise ProofError(f"sum: ${every.latex()}$ has no finite range")
    return every, every.body


def summed(body: Any, over: tuple[Symbol, Any, Any]) -> tuple[Sum, list[Formula]]:
    """The sum of a term, and what it needs where SymPy puts its cases together and may cancel something."""
    cases = isinstance(body, Expr) and body.has(Piecewise)
    needed = [_always(need) for need in without_value(body)] if cases else []
    if any(over[0] in need.free_symbols() for need in needed):
        raise ProofError(f"sum: {body} has cases, and may have no value")
    try:
        return ranged(Sum, body, over), needed
    except ValueError as error:
        raise ProofError(f"sum: {error}") from error


def sum_compared(premise: Formula) -> Shape:
    every, body = _finite(premise)
    weak = {"<": "<=", ">": ">="}.get(body.sign, body.sign)
    if weak == "!=":
        raise ProofError("sum: unequal terms say nothing of sums")
    if any(inner.has(Piecewise) for side in (body.left, body.right) for inner in _sums(side)):
        raise ProofError("sum: SymPy would move a case out of an inner sum, past its index")
    over = (every.index, every.low, every.high)
    (left, needed), (right, more) = (summed(side, over) for side in (body.left, body.right))
    return Compare(left, weak, right), "sum over an index", needed + more


def _sums(side: Any) -> Iterable[Any]:
    """Sums and products in a term."""
    return side.atoms(Sum, Product) if isinstance(side, Expr) else ()


def sum_split(total: Sum, shift: int, first: bool) -> Shape:
    one = isinstance(total, Sum) and len(total.args) == 2
    if not one or not all(end.is_integer for end in total.args[1][1:]):
        raise ProofError(f"sum: {total} is no sum over one range with integer ends")
    body, (index, low, high) = total.args[0], tuple(total.args[1])
    if shift:
        there, needed = placed(body, {index: index + Integer(shift)})
        if needed:
            raise ProofError(f"sum: ${needed[0].latex()}$ is lost in {there}")
        moved, needed = summed(there, (index, low - shift, high - shift))
        return Compare(total, "=", moved), "sum with its index shifted", needed
    end = low if first else high
    rest = (index, low + 1, high) if first else (index, low, high - 1)
    member = put(body, {index: end})
    needed = [*not_empty(low, high), *lost(body, {index: end}, member)]
    inner, more = summed(body, rest)
    return Compare(total, "=", inner + member), "end of a sum", needed + more


def sum_at_least_term(premise: Formula, place: Any) -> Shape:
    every, body = _finite(premise)
    least, term = (body.left, body.right) if body.sign in {"<=", "<"} else (body.right, body.left)
    if body.sign not in {">=", ">", "<=", "<"} or least != 0:
        raise ProofError(f"sum: ${body.latex()}$ does not say that the terms are not negative")
    total, needed = summed(term, (every.index, every.low, every.high))
    member = put(term, at := {every.index: sympify(place)})
    needed += [*in_range(place, every), *lost(term, at, member)]
    return Compare(total, ">=", member), "one term of a sum", needed


# Extrema over an index ----------------------------------------------------------------------------

_EXTREMUM = "extremum of a range"


def _finite_range(extremum: MaxOver | MinOver) -> tuple[Symbol, Any, Any]:
    """The index and its range; an infinite one need not have a largest member."""
    if not isinstance(extremum, MaxOver | MinOver):
        raise ProofError(f"extremum: {extremum} is none")
    index, low, high = extremum.limits
    if any(end.has(oo, -oo) for end in (low, high)):
        raise ProofError(f"extremum: {extremum} has an infinite range")
    return index, low, high


def extremum_bounds(extremum: MaxOver | MinOver, place: Any) -> Shape:
    index, low, high = _finite_range(extremum)
    sign = ">=" if isinstance(extremum, MaxOver) else "<="
    member = put(extremum.body, at := {index: sympify(place)})
    needed = in_range(place, ForAll(index, low, high, Compare(index, "=", index)))
    needed += lost(extremum.body, at, member)
    return Compare(extremum, sign, member), _EXTREMUM, needed


def extremum_reached(extremum: MaxOver | MinOver) -> Shape:
    index, low, high = _finite_range(extremum)
    if index in extremum.free_symbols:
        raise ProofError(f"extremum: {index} is free in the ends of {extremum}")
    formula = Exists(index, low, high, Compare(extremum.body, "=", extremum))
    return formula, _EXTREMUM, not_empty(low, high)


def extremum_compared(premise: Formula, kind: type) -> Shape:
    every, body = _finite(premise)
    signs: dict[type, set[str]] = {MaxOver: {"<=", "<"}, MinOver: {">=", ">"}}
    if body.sign not in signs.get(kind, ()):
        raise ProofError(f"extremum: ${every.latex()}$ bounds no {kind.__name__}")
    if every.index in sympify(body.right).free_symbols:
        raise ProofError(f"extremum: the bound {body.right} depends on the index")
    extremum = kind(body.left, (every.index, every.low, every.high))
    needed = not_empty(every.low, every.high)
    return Compare(extremum, body.sign, body.right), _EXTREMUM, needed
