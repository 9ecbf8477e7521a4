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
from sympy import Integer, KroneckerDelta, Rational, Symbol
from sympy.core.function import AppliedUndef
from test_typeset import DIGITS, Names, numeric

from audit.examine import load_witnesses
from claims.registry import encoded
from claims.statement import Compare, Quantity
from claims.terms import value_of
from claims.typeset import typeset
from proofs.registry import proof_of

load_witnesses()
EVERY = 24
"""Of the claims one in so many is proved here."""
CLAIMS = [claim for claim in encoded().values() if proof_of(claim) is not None][::EVERY]


class Drawn(Names):
    """Names whose quantities, and symbols without a value, are drawn."""

    def __init__(self, point: Any, rng: Random):
        super().__init__(point)
        self.rng, self.drawn = rng, dict[Any, Any]()

    def learn(self, term: Any) -> None:
        if isinstance(term, KroneckerDelta):
            first, second = (value_of(self.put(a), self.point) for a in term.args)
            self.name(typeset(term), mpmath.mpf(first == second))
        if isinstance(term, AppliedUndef) and hasattr(term.func, "define_at"):
            self.name(typeset(term), numeric(value_of(self.put(term), self.point)))
            return
        super().learn(term)

    def learn_symbol(self, symbol: Any) -> None:
        if isinstance(symbol, Quantity) or symbol not in self.point:
            self.name(typeset(symbol), numeric(self.put(symbol)))
        else:
            super().learn_symbol(symbol)

    def put(self, term: Any) -> Any:
        """A term with drawn values; the same name has the same value wherever it stands."""
        for symbol in sorted(term.free_symbols, key=str):
            if isinstance(symbol, Quantity) or symbol not in self.point:
                self.drawn.setdefault(symbol, self._draw(symbol))
        return term.xreplace(self.drawn)

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
    yield from (apart(side) for side in found.values() if hasattr(side, "xreplace"))


def apart(side: Any) -> Any:
    """The side with other letters for indices of one name, which the printer would call otherwise."""
    names: dict[str, Any] = {}
    letters = iter("uvwxyz")
    renamed = {}
    for symbol in sorted(side.free_symbols, key=str):
        if names.setdefault(symbol.name, symbol) is not symbol:
            renamed[symbol] = Symbol(next(letters), **symbol.assumptions0)
    return side.xreplace(renamed)


def read_back(claim: Any) -> int:
    """How many sides of a proof were read back; asserts that each means what its object means."""
    point, count = claim.domain.draw(Random(0)), 0
    for side in sides(proof_of(claim)(claim)):  # type: ignore[misc]
        names = Drawn(point, Random(0))
        try:
            names.learn(side)
            meant = numeric(value_of(names.put(side), {**point, **names.drawn}))
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            continue  # no value for random indices, such as an entry outside of its matrix
        text = typeset(side)
        if text in names.atoms:  # a name by itself
            continue
        read = read_term(text, list(names.atoms.values()), names.env)
        assert same(read, meant), f"{claim.id}: {text} is read as {read}, and means {meant}"
        count += 1
    return count


def test_every_side_of_every_step_reads_back() -> None:
    with mpmath.workdps(DIGITS):
        assert sum(map(read_back, CLAIMS)) > 100
