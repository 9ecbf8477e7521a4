"""What the kernel's rules about sums, extrema and limits conclude, as functions of formulas.

Each function takes the formulas of the premises and returns the formula that follows, the name of the
rule, and the hypotheses it needs; it raises `ProofError` where the rule does not apply.  Only
`proofs.kernel` makes theorems of what they return.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sympy import Add, Expr, Integer, Mul, Piecewise, Pow, Sum, Symbol, exp, oo, sympify

from claims.statement import Compare, Exists, ForAll, Formula, Tends
from claims.terms import MaxOver, MinOver, put
from proofs import smt

__all__ = ["ProofError", "in_range"]

Shape = tuple[Formula, str, list[Formula]]


class ProofError(Exception):
    """A rule that does not apply: the message names the rule, the formula and what is missing."""


def in_range(term: Any, shape: Any) -> list[Formula]:
    """That an integer term lies in the range of a quantifier, as far as its signs do not say so."""
    if not sympify(term).is_integer:
        raise ProofError(f"{term}: is not known to be an integer")
    inside = [Compare(term, ">=", shape.low)]
    inside += [] if shape.high is oo else [Compare(term, "<=", shape.high)]
    return [f for f in inside if not smt.follows(f, [])]


def not_empty(low: Any, high: Any) -> list[Formula]:
    """That a range has a member."""
    formula = Compare(low, "<=", high)
    return [] if smt.follows(formula, []) else [formula]


def require_lengths(*sides: Any) -> None:
    """SymPy gives sums of negative length a meaning that they do not have here."""
    for term in sides:
        for total in term.atoms(Sum) if isinstance(term, Expr) else ():
            for _, low, high in total.limits:
                if not smt.follows(Compare(high - low + 1, ">=", 0), []):
                    raise ProofError(f"algebra: {total} may have a negative length")


# Sums over an index -------------------------------------------------------------------------------


def _finite(every: Formula) -> tuple[ForAll, Compare]:
    """A comparison over a finite range, and what is compared."""
    if not isinstance(every, ForAll) or not isinstance(every.body, Compare) or every.high is oo:
        raise ProofError(f"sum: {every.latex()} is no comparison over a finite range")
    return every, every.body


def sum_compared(premise: Formula) -> Shape:
    every, body = _finite(premise)
    weak = {"<": "<=", ">": ">="}.get(body.sign, body.sign)
    if weak == "!=":
        raise ProofError("sum: unequal terms say nothing of sums")
    if any(inner.has(Piecewise) for side in (body.left, body.right) for inner in _sums(side)):
        raise ProofError("sum: SymPy would move a case out of an inner sum, past its index")
    over = (every.index, every.low, every.high)
    left, right = (Sum(side, over) for side in (body.left, body.right))
    return Compare(left, weak, right), "sum over an index", []


def _sums(side: Any) -> Iterable[Sum]:
    return side.atoms(Sum) if isinstance(side, Expr) else ()


def sum_split(total: Sum, shift: int, first: bool) -> Shape:
    if len(total.args) != 2 or not all(end.is_integer for end in total.args[1][1:]):
        raise ProofError(f"sum: {total} is no sum over one range with integer ends")
    body, (index, low, high) = total.args[0], tuple(total.args[1])
    if shift:
        moved = Sum(put(body, {index: index + Integer(shift)}), (index, low - shift, high - shift))
        return Compare(total, "=", moved), "sum with its index shifted", []
    end = low if first else high
    rest = (index, low + 1, high) if first else (index, low, high - 1)
    apart = Sum(body, rest) + put(body, {index: end})
    return Compare(total, "=", apart), "end of a sum", not_empty(low, high)


def sum_at_least_term(premise: Formula, place: Any) -> Shape:
    every, body = _finite(premise)
    least, term = (body.left, body.right) if body.sign in {"<=", "<"} else (body.right, body.left)
    if body.sign not in {">=", ">", "<=", "<"} or least != 0:
        raise ProofError(f"sum: {body.latex()} does not say that the terms are not negative")
    total = Sum(term, (every.index, every.low, every.high))
    formula = Compare(total, ">=", put(term, {every.index: sympify(place)}))
    return formula, "one term of a sum", in_range(place, every)


# Extrema over an index ----------------------------------------------------------------------------

_EXTREMUM = "extremum of a range"


def extremum_bounds(extremum: MaxOver | MinOver, place: Any) -> Shape:
    index, low, high = extremum.limits
    sign = ">=" if isinstance(extremum, MaxOver) else "<="
    member = put(extremum.body, {index: sympify(place)})
    needed = in_range(place, ForAll(index, low, high, Compare(index, "=", index)))
    return Compare(extremum, sign, member), _EXTREMUM, needed


def extremum_reached(extremum: MaxOver | MinOver) -> Shape:
    index, low, high = extremum.limits
    formula = Exists(index, low, high, Compare(extremum.body, "=", extremum))
    return formula, _EXTREMUM, not_empty(low, high)


def extremum_compared(premise: Formula, kind: type) -> Shape:
    every, body = _finite(premise)
    if body.sign not in ({"<=", "<"} if kind is MaxOver else {">=", ">"}):
        raise ProofError(f"extremum: {every.latex()} bounds no {kind.__name__}")
    if every.index in sympify(body.right).free_symbols:
        raise ProofError(f"extremum: the bound {body.right} depends on the index")
    extremum = kind(body.left, (every.index, every.low, every.high))
    needed = not_empty(every.low, every.high)
    return Compare(extremum, body.sign, body.right), _EXTREMUM, needed


# Limits -------------------------------------------------------------------------------------------


def _from_some_on(every: Formula) -> tuple[ForAll, Compare]:
    """A comparison for all large indices."""
    if not isinstance(every, ForAll) or every.high is not oo or not isinstance(every.body, Compare):
        raise ProofError(f"limit: {every.latex()} is no comparison for all large indices")
    return every, every.body


def _tends(formula: Formula) -> Tends:
    if not isinstance(formula, Tends):
        raise ProofError(f"limit: {formula.latex()} is no limit")
    return formula


def squeezed(below: Formula, above: Formula, low: Formula, high: Formula) -> Shape:
    every, lower = _from_some_on(below)
    other, unrenamed = _from_some_on(above)
    upper = unrenamed.substitute({other.index: every.index})
    assert isinstance(upper, Compare)
    meet = smt.canonical(lower.right) == smt.canonical(upper.left)
    if {lower.sign, upper.sign} - {"<=", "<"} or not meet:
        raise ProofError("squeeze: the bounds must read a <= x and x <= b")
    for side, tends in ((lower.left, _tends(low)), (upper.right, _tends(high))):
        term = put(tends.term, {tends.index: every.index})
        if smt.canonical(term) != smt.canonical(side):
            raise ProofError(f"squeeze: no limit is given for {side}")
    limits = {smt.canonical(_tends(tends).limit) for tends in (low, high)}
    if len(limits) > 1:
        raise ProofError("squeeze: the bounds tend to different limits")
    return Tends(lower.right, every.index, _tends(low).limit), "squeeze", []


def outgrown(below: Formula, low: Formula) -> Shape:
    every, lower = _from_some_on(below)
    tends = _tends(low)
    if tends.limit != oo or lower.sign not in {"<=", "<"}:
        raise ProofError("limit: needs a <= x with a tending to infinity")
    if smt.canonical(put(tends.term, {tends.index: every.index})) != smt.canonical(lower.left):
        raise ProofError(f"limit: no limit is given for {lower.left}")
    return Tends(lower.right, every.index, oo), "sequence above an unbounded one", []


def limit_combined(term: Expr, parts: Mapping[Symbol, Formula]) -> Shape:
    limits = {symbol: _tends(formula) for symbol, formula in parts.items()}
    if not limits or not _continuous(term, set(limits)):
        raise ProofError(f"limit: {term} is no continuous combination of sequences with limits")
    if any(tends.limit in (oo, -oo) for tends in limits.values()):
        raise ProofError(f"limit: a part of {term} has no finite limit")
    index = next(iter(limits.values())).index
    if index in term.free_symbols:
        raise ProofError(f"limit: {term} depends on {index} besides its sequences")
    terms = {symbol: put(tends.term, {tends.index: index}) for symbol, tends in limits.items()}
    ends = {symbol: tends.limit for symbol, tends in limits.items()}
    return Tends(put(term, terms), index, put(term, ends)), "limit of a combination", []


def _continuous(term: Any, sequences: set[Symbol]) -> bool:
    if not term.free_symbols & sequences or term in sequences:
        return True
    natural = isinstance(term, Pow) and term.exp.is_Integer and term.exp > 0
    inside = (term.base,) if natural else term.args
    return (natural or isinstance(term, Add | Mul | exp)) and all(
        _continuous(a, sequences) for a in inside
    )


def limit_rewritten(tends: Formula, equal: Formula) -> Shape:
    known = _tends(tends)
    every, body = _from_some_on(equal)
    if body.sign != "=":
        raise ProofError("limit: needs an equality for all large indices")
    term = smt.canonical(put(known.term, {known.index: every.index}))
    for side, other in ((body.left, body.right), (body.right, body.left)):
        if smt.canonical(side) == term:
            return Tends(other, every.index, known.limit), "limit", []
    raise ProofError(f"limit: {every.latex()} is not about {known.term}")
