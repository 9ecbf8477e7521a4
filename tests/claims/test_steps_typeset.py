"""Steps of certificates say what they mean: the LaTeX of each side is read back beside its object.

Measured quantities and indices have random values, so that the formula alone decides, and nothing
that a proof knows about them.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import mpmath
from latex_reader import read_term
from latex_values import same
from sympy import Expr, Integer, Rational, Symbol
from sympy.core.function import AppliedUndef
from test_typeset import DIGITS, Names, numeric

from audit.examine import load_witnesses
from claims.naming import with_names
from claims.registry import encoded
from claims.statement import Compare, Quantity
from claims.terms import value_of
from claims.typeset import typeset
from proofs.registry import proof_of

load_witnesses()
EVERY = 48
"""Of the claims one in so many is proved here."""
CLAIMS = [claim for claim in encoded().values() if proof_of(claim) is not None][::EVERY]


class Drawn(Names):
    """Names whose quantities, and symbols without a value, are drawn; `point` comes to hold them."""

    def __init__(self, point: Any, rng: Random):
        super().__init__(dict(point))
        self.rng = rng

    def learn(self, term: Any) -> None:
        for symbol in sorted(getattr(term, "free_symbols", ()), key=str):
            self.point.setdefault(symbol, self._draw(symbol))
        if isinstance(term, AppliedUndef) and hasattr(term.func, "define_at"):
            self.name(typeset(term), numeric(value_of(self.put(term), self.point)))
            return
        super().learn(term)

    def learn_symbol(self, symbol: Any) -> None:
        if isinstance(symbol, Quantity) and symbol in self.point:
            self.name(typeset(symbol), numeric(self.point[symbol]))
        else:
            super().learn_symbol(symbol)

    def put(self, term: Any) -> Any:
        """A term with the values of its quantities and of all else that is a plain symbol."""
        known = {s: self.point[s] for s in term.free_symbols if isinstance(s, Symbol)}
        return term.xreplace({s: v for s, v in known.items() if isinstance(v, Expr)})

    def _draw(self, symbol: Any) -> Any:
        if symbol.is_integer:
            return Integer(self.rng.randint(1, 2))
        return Rational(self.rng.randint(1, 60), self.rng.randint(61, 97))


def sides(certificate: Any) -> Iterator[Any]:
    """Both sides of every comparison in the theorems of a proof, each once."""
    found: dict[str, Any] = {}
    for theorem in certificate.theorem.tree() if certificate.theorem else ():
        for piece in theorem.formula.walk():
            if isinstance(piece, Compare):
                found |= {typeset(side): side for side in (piece.left, piece.right)}
    # The printer gives made-up indices their names first.
    yield from (with_names(side) for side in found.values() if hasattr(side, "xreplace"))


def is_whole(side: Any) -> bool:
    """Whether no member of a family stands at an index that is bound: it is read as one name."""
    members = (a for a in side.atoms(AppliedUndef) if hasattr(a.func, "define_at"))
    return all(member.free_symbols <= side.free_symbols for member in members)


def read_back(claim: Any) -> int:
    """How many sides of a proof were read back; asserts that each means what its object means."""
    point, count = claim.domain.draw(Random(0)), 0
    for side in filter(is_whole, sides(proof_of(claim)(claim))):  # type: ignore[misc]
        names = Drawn(point, Random(0))
        try:
            names.learn(side)
            meant = numeric(value_of(names.put(side), names.point))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            continue  # no value for random indices, such as an entry outside of its matrix
        text = typeset(side)
        if text in names.atoms:  # a name by itself
            continue
        try:
            read = read_term(text, list(names.atoms.values()), names.env)
        except LookupError:  # an entry outside of its matrix, in a branch that is not taken
            continue
        assert same(read, meant), f"{claim.id}: {text} is read as {read}, and means {meant}"
        count += 1
    return count


def test_every_side_of_every_step_reads_back() -> None:
    with mpmath.workdps(DIGITS):
        assert sum(map(read_back, CLAIMS)) > 100
