"""What the kernel's rules about limits conclude, as functions of formulas.

As in `proofs.shapes`: each function takes the formulas of the premises and returns the formula that follows,
the name of the rule, and the hypotheses it needs.  A limit is that of real numbers: what a term needs
for its value must hold from some index on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Add, Expr, Mul, Poly, Pow, Symbol, exp, fraction, oo, together

from claims.limits import positive_far_out
from claims.statement import Compare, ForAll, Formula, Tends
from claims.terms import put
from proofs import smt
from proofs.sense import ProofError, without_value
from proofs.shapes import Shape, placed

__all__ = ["limit_combined", "limit_rewritten", "needed_far_out", "outgrown", "squeezed"]


def needed_far_out(tends: Tends) -> list[Formula]:
    """What a sequence needs to be one of real numbers from some index on, and its limit to be one."""
    needed = [f for need in without_value(tends.term) for f in _from_some_place(need, tends.index)]
    return needed if tends.limit in (oo, -oo) else [*needed, *without_value(tends.limit)]


def _from_some_on(every: Formula) -> tuple[ForAll, Compare]:
    """A comparison for all large indices."""
    if not isinstance(every, ForAll) or every.high is not oo or not isinstance(every.body, Compare):
        raise ProofError(f"limit: ${every.latex()}$ is no comparison for all large indices")
    return every, every.body


def _tends(formula: Formula) -> Tends:
    if not isinstance(formula, Tends):
        raise ProofError(f"limit: ${formula.latex()}$ is no limit")
    return formula


def _along(index: Symbol, binder: ForAll | Tends, piece: Any) -> Any:
    """What stands under a binder, with `index` for its own; it may speak of no other `index`.

    `n/m -> 0` as m grows is true of every n, and says nothing of `n/n`.
    """
    if binder.index == index:
        return piece
    if index in binder.free_symbols():
        raise ProofError(f"limit: ${binder.latex()}$ speaks of {index}, which would be its index")
    at = {binder.index: index}
    return piece.substitute(at) if isinstance(piece, Formula) else put(piece, at)


def squeezed(below: Formula, above: Formula, low: Formula, high: Formula) -> Shape:
    every, lower = _from_some_on(below)
    other, unrenamed = _from_some_on(above)
    upper = _along(every.index, other, unrenamed)
    assert isinstance(upper, Compare)
    meet = smt.canonical(lower.right) == smt.canonical(upper.left)
    if {lower.sign, upper.sign} - {"<=", "<"} or not meet:
        raise ProofError("squeeze: the bounds must read a <= x and x <= b")
    for side, tends in ((lower.left, _tends(low)), (upper.right, _tends(high))):
        term = _along(every.index, tends, tends.term)
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
    if smt.canonical(_along(every.index, tends, tends.term)) != smt.canonical(lower.left):
        raise ProofError(f"limit: no limit is given for {lower.left}")
    return Tends(lower.right, every.index, oo), "sequence above an unbounded one", []


def limit_combined(term: Expr, parts: Mapping[Symbol, Formula]) -> Shape:
    """In the place of a symbol, and of nothing else, a term shows what it does with a sequence."""
    if other := next((place for place in parts if not isinstance(place, Symbol)), None):
        raise ProofError(f"limit: {other} is no symbol that stands for a sequence")
    limits = {symbol: _tends(formula) for symbol, formula in parts.items()}
    if not limits or not _continuous(term, set(limits)):
        raise ProofError(f"limit: {term} is no continuous combination of sequences with limits")
    if any(tends.limit in (oo, -oo) for tends in limits.values()):
        raise ProofError(f"limit: a part of {term} has no finite limit")
    index = next(iter(limits.values())).index
    if index in term.free_symbols:
        raise ProofError(f"limit: {term} depends on {index} besides its sequences")
    terms = {symbol: _along(index, tends, tends.term) for symbol, tends in limits.items()}
    ends = {symbol: tends.limit for symbol, tends in limits.items()}
    (followed, needed), (end, needed_there) = placed(term, terms), placed(term, ends)
    needed = [f for need in needed for f in _from_some_place(need, index)] + needed_there
    return Tends(followed, index, end), "limit of a combination", needed


def _from_some_place(needed: Formula, index: Symbol) -> list[Formula]:
    """What makes a need hold for all large indices: the leading coefficient of a polynomial does."""
    if index not in needed.free_symbols():
        return [needed]
    if not isinstance(needed, Compare) or needed.right != 0:
        raise ProofError(f"limit: ${needed.latex()}$ is lost")
    above, below = fraction(together(needed.left))
    sign, base = ("!=", above) if needed.sign == "!=" else (">", above * below)
    if base.is_polynomial(index):
        leads = Compare(Poly(base, index).LC(), sign, 0)
        return [] if smt.follows(leads, []) else [leads]
    if not positive_far_out(needed.left if sign == ">" else needed.left**2, index):
        raise ProofError(f"limit: ${needed.latex()}$ is lost")
    return []


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
    term = smt.canonical(_along(every.index, known, known.term))
    for side, other in ((body.left, body.right), (body.right, body.left)):
        if smt.canonical(side) == term:
            return Tends(other, every.index, known.limit), "limit", []
    raise ProofError(f"limit: ${every.latex()}$ is not about {known.term}")
