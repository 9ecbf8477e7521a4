"""What a claim is held to when it is loaded: its statement can be printed and read at a point.

An author learns of a slip from one line that names the claim and the formula, before anything runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sympy import Basic, preorder_traversal
from sympy.core.function import AppliedUndef

from claims.errors import UserError
from claims.model import Claim
from claims.statement import Formula, Quantity
from claims.terms import MaxOver, MinOver

__all__ = ["require_sound"]


def require_sound(claim: Claim) -> None:
    """Raise `UserError` where the statement of a claim, or of its repair, says nothing definite."""
    for stated in (claim, claim.repair):
        if stated is not None:
            shown = _rendered(stated)
            for lack in _lacks(stated):
                raise UserError(f"{stated.id}: {shown}: {lack}")


def _rendered(claim: Claim) -> str:
    """The statement's LaTeX."""
    try:
        shown = claim.statement.latex()
        _require_closed(shown)
    except Exception as error:  # whatever a printer of SymPy, or of an extension, raises
        said = " ".join(str(error).split())
        raise UserError(
            f"{claim.id}: {_short(claim.statement)}: cannot be rendered ({said})"
        ) from None
    return shown


_BRACES = re.compile(r"\\.|([{}])", re.DOTALL)
"""What is escaped is none; whoever draws a formula guesses where a brace that is left open ends."""


def _require_closed(latex: str) -> None:
    """Raise `ValueError` unless every brace has its other one."""
    depth = 0
    for brace in (found[1] for found in _BRACES.finditer(latex) if found[1]):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            raise ValueError(f"{latex} closes a brace that nothing opens")
    if depth:
        raise ValueError(f"{latex} leaves a brace open")


def _short(statement: Any) -> str:
    """A statement as Python shows it, on a line that can be read."""
    shown = " ".join(repr(statement).split())
    return shown if len(shown) <= 160 else f"{shown[:160]}..."


def _lacks(claim: Claim) -> Iterator[str]:
    """What keeps the statement from having a truth at the points of its domain."""
    variables = {variable.symbol for variable in claim.domain.variables}
    pieces = list(claim.formula.walk())
    bound = {getattr(piece, "index", None) for piece in pieces if isinstance(piece, Formula)}
    for term in (t for p in pieces if not isinstance(p, Formula) for t in _terms(p)):
        for applied in term.atoms(AppliedUndef):
            yield from _undefined(applied, variables)
        if any(map(_of_ours, preorder_traversal(term))):
            continue  # such a node may list its name, or an index, among its symbols
        for symbol in sorted(term.free_symbols - variables - bound, key=str):
            if not isinstance(symbol, Quantity):
                yield f"{symbol} is no variable of the domain, and nothing binds it"
            elif not callable(symbol.define):
                yield f"the quantity {symbol.name} has no definition"


def _of_ours(node: Any) -> bool:
    """Whether a node of a term is of a class that SymPy does not know."""
    known = isinstance(node, AppliedUndef | Quantity | MaxOver | MinOver)
    return not known and not type(node).__module__.startswith("sympy.")


def _terms(piece: Any) -> Iterator[Any]:
    for part in piece if isinstance(piece, tuple) else (piece,):
        if isinstance(part, Basic):
            yield part


def _undefined(applied: Any, variables: set[Any]) -> Iterator[str]:
    """A function is a family, a recursion, or the entries of a variable."""
    function = applied.func
    if hasattr(function, "variable"):
        if function.variable not in variables:
            yield f"{applied} is an entry of {function.variable}, which is no variable of the domain"
    elif hasattr(function, "define_at"):
        if not callable(function.define_at):
            yield f"{applied} has no definition"
    elif not hasattr(function, "recursion"):
        yield f"{applied} has no definition; make it a family, an entry or a recursion"
