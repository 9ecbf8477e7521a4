"""What is printed says what is meant: the LaTeX is read back and evaluated beside its object."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from latex_reader import Atom, Unreadable, read_formula, read_term, same
from sympy import (
    Add, Expr, Function, Integer, KroneckerDelta, Matrix, MatrixBase, MatrixSymbol, Max, Mul, N,
    Piecewise, Pow, Rational, Sum, Symbol, Trace, Tuple, binomial, exp, factorial, floor, log, oo,
    sign, sqrt, symbols,
)  # fmt: skip
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import (
    HadamardProduct, Identity, KroneckerProduct, MatrixExpr, ZeroMatrix,
)  # fmt: skip

from claims.errors import UserError
from claims.expressions import Commutation, Entrywise, FrobSq, Named, Shaped, Total, explicit, ones
from claims.model import Relation
from claims.registry import encoded
from claims.statement import (
    And, Compare, Exists, ForAll, Formula, Iff, Implies, Monotone, Not, Or, Predicate, Quantity,
    Tends, chain,
)  # fmt: skip
from claims.terms import MaxOver, MinOver, Recursion, entry, value_of
from claims.typeset import typeset

DIGITS = 60


@pytest.fixture(autouse=True)
def _many_digits() -> Iterator[None]:
    with mpmath.workdps(DIGITS):
        yield


# What the names in a term stand for ---------------------------------------------------------------


def numeric(value: Any) -> Any:
    """An exact value for the reader: numbers of sixty digits, arrays of them, tuples."""
    if isinstance(value, tuple | list | Tuple):
        return tuple(map(numeric, value))
    if isinstance(value, MatrixBase):
        rows = [[numeric(x) for x in row] for row in value.tolist()]
        return np.array(rows, dtype=object).reshape(value.shape)
    return mpmath.inf if value == oo else mpmath.mpf(str(N(value, DIGITS)))


def kind_of(name: str) -> str:
    """Where a name may stand, from its characters outside brackets and scripts."""
    depth, outside, position = 0, "", 0
    name = re.sub(r"\\(?:left|right|bigl|bigr)\b\.?", "", name)
    norm = False
    while position < len(name):
        if name.startswith(r"\|", position):
            norm, depth, position = not norm, depth + (-1 if norm else 1), position + 2
            outside += "" if depth else "•"
            continue
        brackets = re.compile(r"\\langle|\\rangle|\\[{}]|[][(){}]").match(name, position)
        if brackets:
            opens = brackets[0] in {r"\langle", r"\{", "{", "(", "["}
            depth += 1 if opens else -1
            outside += "" if depth or brackets[0] == "}" else "•"
            position = brackets.end()
            continue
        outside += name[position] if depth == 0 else ""
        position += 1
    if re.search(r"[=<>,:]|\\in\b", outside.replace(r"\,", "")):
        return "open"
    if re.search(r"[+-]", outside):
        return "sum"
    if re.search(r"\\(?:sum|prod|max|min|lim)|\\mathbb ?E(?!•$)", outside):
        return "prefixed"
    single = r"(?:\\(?:bar|tilde|mathcal|mathbf|mathrm) ?)?(?:\\[A-Za-z]+|[A-Za-z0-9]|•)?(?:_\w?)?"
    return "single" if re.fullmatch(single, outside) and "frac" not in outside else "compound"


class Names:
    """The atoms of terms, and their values at a point."""

    def __init__(self, point: Any, kinds: dict[Any, str] | None = None):
        self.point, self.kinds = point, kinds or {}
        self.atoms: dict[str, Atom] = {}
        self.env: dict[str, Any] = {}

    def name(self, text: str, value: Any, kind: str | None = None) -> None:
        self.atoms[text] = Atom(text, kind or kind_of(text))
        if value is not None:
            self.env[text] = value

    def learn(self, term: Any) -> None:
        """Every name that `term` prints."""
        if isinstance(term, tuple):
            for part in term:
                self.learn(part)
            return
        if isinstance(term, Formula):
            for piece in term.walk():
                self.learn(piece) if not isinstance(piece, Formula) else self.learn_index(piece)
            return
        if not hasattr(term, "args"):
            return
        if isinstance(term, AppliedUndef):
            self.learn_function(term.func)
        elif isinstance(term, Named) or self.is_named(term) or self.is_own(term):
            self.name(typeset(term), numeric(explicit(term, self.point)))
            return
        elif isinstance(term, MatrixSymbol | Shaped):
            self.name(typeset(term), numeric(self.point[term]) if term in self.point else None)
        elif isinstance(term, Symbol):
            self.learn_symbol(term)
        for part in term.args:
            self.learn(part)

    def learn_index(self, formula: Any) -> None:
        if hasattr(formula, "index"):
            self.name(typeset(formula.index), None)

    def learn_symbol(self, symbol: Symbol) -> None:
        value = None
        if isinstance(symbol, Quantity):
            value = numeric(symbol.define(self.point))
        elif isinstance(self.point.get(symbol), Expr | int):
            value = numeric(self.point[symbol])
        self.name(typeset(symbol), value, self.kinds.get(symbol))

    def learn_function(self, function: Any) -> None:
        if hasattr(function, "recursion"):
            value = lambda *at: numeric(value_of(function.recursion(*map(Integer, at)), self.point))  # noqa: E731
            self.name(typeset(Symbol(function.name)), value)
        else:
            held = self.point[function.variable]
            self.name(typeset(function.variable), numeric(held))

    @staticmethod
    def is_named(term: Any) -> bool:
        return isinstance(term, Total | Entrywise) and str(term.args[-1]) != "_"

    @staticmethod
    def is_own(term: Any) -> bool:
        """A node of one paper, which prints itself."""
        return hasattr(type(term), "_latex") and not type(term).__module__.startswith(
            ("claims.expressions", "claims.terms", "claims.statement", "sympy")
        )


def read_back(term: Any, point: Any, kinds: dict[Any, str] | None = None) -> Any:
    names = Names(point, kinds)
    names.learn(term)
    return read_term(typeset(term), list(names.atoms.values()), names.env)


def assert_reads_back(term: Any, point: Any, kinds: dict[Any, str] | None = None) -> None:
    read, meant = read_back(term, point, kinds), numeric(value_of(term, point))
    assert same(read, meant), f"{typeset(term)} is read as {read}, and means {meant}"


# The statements of the papers ---------------------------------------------------------------------


def sides() -> list[Any]:
    found = []
    for claim in encoded().values():
        for each in (claim, claim.repair):
            statements = [each.statement, *(m.statement for m in each.mutants)] if each else []
            found += [
                pytest.param(side, each.domain, id=f"{each.id}-{place}-{number}")
                for place, statement in enumerate(statements)
                if isinstance(statement, Relation)
                for number, side in enumerate(statement.rhs)
            ]
    return found


@pytest.mark.parametrize(("side", "domain"), sides())
def test_every_side_of_the_papers_reads_back(side: Any, domain: Any) -> None:
    rng = Random(0)
    for _ in range(2):
        point = domain.draw(rng)
        read, meant = read_back(side, point), numeric(explicit(side, point))
        assert same(read, meant), f"{typeset(side)} is read as {read}, and means {meant}"
