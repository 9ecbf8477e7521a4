r"""Joints of arithmetic closed by z3: does a formula follow from others over the real numbers?

Terms become polynomials over opaque constants: what is not polynomial (an exponential, a sum of
symbolic length, an entry of a matrix, a symbolic power) is one constant for each normal form, known
by its sign alone.  Quantified formulas are opaque propositions.  Integers are treated as reals.
Each of these forgets something, so "follows" is sound, and its absence says nothing.

The solver is bounded by z3's own count of steps, never by a clock, and a question that is not answered
in a tenth of them has a context of its own, where nothing was asked before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial, reduce
from operator import eq, ge, gt, le, lt, ne
from typing import Any

import z3
from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    Max,
    Min,
    Mul,
    Piecewise,
    Pow,
    Symbol,
    exp,
    oo,
    sympify,
)  # fmt: skip
from sympy.core.relational import Relational
from sympy.logic.boolalg import BooleanAtom

from claims.algebra import expanded, split_powers
from claims.bound import apart, variable
from claims.statement import (
    And,
    Compare,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Monotone,
    Not,
    Or,
    Tends,
)
from claims.terms import put
from proofs.opaque import opaque, put_apart

__all__ = [
    "RESOURCES", "asked_again", "canonical", "follows", "kept_apart", "problem",
]  # fmt: skip

RESOURCES = 8_000_000
"""z3's resource limit for one joint: a second or two."""
QUICKLY = RESOURCES // 10
"""What a question may take beside others, before it has a context of its own."""


def follows(
    goal: Formula,
    premises: Iterable[Formula],
    *,
    assumptions: bool = True,
    resources: int = RESOURCES,
) -> bool:
    """Whether `goal` holds wherever all `premises` do.

    With `assumptions` the signs that SymPy symbols declare are premises too.
    """
    return _REMEMBERED[-1](goal, tuple(premises), assumptions, resources)


@dataclass(frozen=True, eq=False)
class _Question:
    """What is asked of a solver; two are equal when they are the same up to names.

    Constants are numbered in the order in which they are met, and z3 keeps one copy of equal terms:
    questions that differ in their names only hold the very same terms.
    """

    asserted: tuple[Any, ...]

    def _places(self) -> tuple[int, ...]:
        return tuple(formula.get_id() for formula in self.asserted)

    def __hash__(self) -> int:
        return hash(self._places())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Question) and self._places() == other._places()


def _answered(question: _Question, resources: int) -> bool:
    """Whether the solvers find no values that satisfy what is asserted.

    Most questions are easy, and a context costs more than their answers: they are put first where
    they stand, unless the question itself may take little.  An answer found there is a fact, whatever
    was asked before; without one a context of its own decides, as if nothing had been asked.
    """
    found = None
    if resources > QUICKLY:
        found = _satisfiable(_SOLVERS[:1], question.asserted, z3.main_ctx(), QUICKLY)
    if found is None:
        alone = z3.Context()
        asserted = [formula.translate(alone) for formula in question.asserted]
        found = _satisfiable(_SOLVERS, asserted, alone, resources)
    return found is False


def _satisfiable(
    solvers: Iterable[Callable[[z3.Context], Any]],
    asserted: Iterable[Any],
    context: z3.Context,
    resources: int,
) -> bool | None:
    """What the first solver says that has an answer; None where none has."""
    for make in solvers:
        solver = make(context)
        solver.set("rlimit", resources)
        solver.add(*asserted)
        try:
            answer = solver.check()
        except z3.Z3Exception:
            continue
        if answer != z3.unknown:
            return bool(answer == z3.sat)
    return None


_SOLVERS: tuple[Callable[[z3.Context], Any], ...] = (
    lambda alone: z3.SolverFor("QF_NRA", alone),
    lambda alone: z3.Solver(ctx=alone),
)
"""Solvers in turn; the second one also reads what the first one does not."""


def problem(goal: Formula, premises: Iterable[Formula], assumptions: bool = True) -> list[Any]:
    """What is asked of a solver: the premises, the negated goal and the axioms of opaque terms."""
    return list(_posed(goal, tuple(premises), assumptions).asserted)


@lru_cache(maxsize=16384)
def _posed(goal: Formula, premises: tuple[Formula, ...], assumptions: bool) -> _Question:
    """Read once: a solver that is asked again is asked the same."""
    before, known = _known(premises, assumptions)
    reader = before.copy()
    denied = z3.Not(reader.formula(goal))
    return _Question((*known, denied, *reader.axioms))


@lru_cache(maxsize=64)
def _known(premises: tuple[Formula, ...], assumptions: bool) -> tuple[_Reader, tuple[Any, ...]]:
    """Premises as they are read, and what has read them: many goals are asked beside the same lemmas."""
    reader = _Reader(assumptions)
    return reader, tuple(map(reader.formula, premises))


def _remembering(many: int | None) -> Callable[..., bool]:
    """What `follows` asks, once for goals and premises, and once for each question they come to."""
    answered = lru_cache(maxsize=many)(_answered)

    def asked(
        goal: Formula, premises: tuple[Formula, ...], assumptions: bool, resources: int
    ) -> bool:
        return answered(_posed(goal, premises, assumptions), resources)

    return lru_cache(maxsize=many)(asked)


_REMEMBERED = [_remembering(16384)]
"""What z3 has answered; the last of these is asked."""
_AGAIN = _remembering(16384)
"""What it has answered when it was asked again: lemmas are checked again with all that rests on them."""


@contextmanager
def asked_again() -> Iterator[None]:
    """Inside, z3 is asked whatever it has answered outside, once for each question."""
    _REMEMBERED.append(_AGAIN)
    try:
        yield
    finally:
        _REMEMBERED.pop()


def canonical(piece: Any) -> Any:
    """A normal form of terms and formulas up to names of bound variables and expansion."""
    return _canonical_once(piece) if isinstance(piece, Formula) else _canonical(piece)


@lru_cache(maxsize=65536)
def _canonical_once(piece: Formula) -> Any:
    return _canonical(_numbered(piece, 0))


def _canonical(piece: Any) -> Any:
    if isinstance(piece, tuple):
        return tuple(map(_canonical, piece))
    if isinstance(piece, Tends):
        return Tends, (), _canonical(Compare(piece.term, "=", piece.limit))
    if isinstance(piece, ForAll | Exists):
        return type(piece), (_term(piece.low), _term(piece.high)), _canonical(piece.body)
    if isinstance(piece, Compare):
        return _comparison(piece)
    if isinstance(piece, And | Or):
        parts: dict[Any, None] = {}
        for formula in piece.formulas:
            inside = _canonical(formula)
            same_kind = isinstance(inside, tuple) and inside and inside[0] is type(piece)
            for part in inside[1] if same_kind else (inside,):
                parts.setdefault(part)
        return type(piece), tuple(parts)
    if isinstance(piece, Formula) and not piece.parts():
        return type(piece), piece  # nothing shows what it says: it is itself alone
    if isinstance(piece, Formula):
        return type(piece), *map(_canonical, piece.parts())
    return _term(piece)


def _comparison(piece: Compare) -> Any:
    """`left - right` in normal form where both are scalars, with > turned round."""
    left, sign, right = piece.left, piece.sign, piece.right
    if sign in {">", ">="}:
        left, sign, right = right, {">": "<", ">=": "<="}[sign], left
    scalars = all(isinstance(s, Expr) and not hasattr(s, "shape") for s in (left, right))
    if not scalars or any(s in (oo, -oo) for s in (left, right)):
        return Compare, sign, _plain(left), _plain(right)
    difference = _term(left - right)
    if sign in {"=", "!="} and difference.could_extract_minus_sign():
        difference = _term(-difference)
    return Compare, sign, difference


def _plain(side: Any) -> Any:
    return _term(side) if isinstance(side, Expr) and not hasattr(side, "shape") else side


def _term(e: Any) -> Any:
    """Expanded, symbolic powers split, bound indices renamed by depth; what may have no value is held."""
    if not isinstance(e, Expr) or hasattr(e, "shape"):
        return e if not isinstance(e, int) else sympify(e)
    return _normal(e)


@lru_cache(maxsize=65536)
def _normal(e: Expr) -> Expr:
    return _expanded(apart(e, _expanded))


def kept_apart(piece: Any, values: Mapping[Any, Any]) -> Any:
    """The normal form of a term or formula with terms put in, where nothing cancels by that."""
    into = partial(put_apart, form=_normal)
    if not isinstance(piece, Formula):
        return canonical(into(piece, values))
    return canonical(_numbered(piece, 0).substitute(values, into))


def _numbered(piece: Formula, depth: int) -> Formula:
    """A formula with the names that its bound variables have in normal forms."""
    if isinstance(piece, Monotone):
        piece = piece.unfolded()
    if isinstance(piece, ForAll | Exists):
        at = {piece.index: variable(depth)}
        body = _numbered(piece.body.substitute(at), depth + 1)
        return replace(piece, index=variable(depth), body=body)
    if isinstance(piece, Tends):
        at = {piece.index: variable(depth)}
        return replace(piece, index=variable(depth), term=put(piece.term, at))
    if isinstance(piece, Compare) or not piece.parts():
        return piece
    return piece.mapped(lambda part: _numbered(part, depth), lambda term: term)


def _expanded(e: Any) -> Any:
    return expanded(split_powers(opaque(e, _normal)))


@lru_cache(maxsize=4096)
def _fraction(numerator: int, denominator: int) -> Any:
    """A number for z3, made once."""
    return z3.RatVal(numerator, denominator)


_real = lru_cache(maxsize=4096)(z3.Real)
_boolean = lru_cache(maxsize=4096)(z3.Bool)
"""Constants by their names, made once."""


def _product(factors: list[Any]) -> Any:
    """Not every solver reads a product of one factor."""
    return factors[0] if len(factors) == 1 else z3.Product(*factors)


_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "=": eq, "!=": ne, "<=": le, "<": lt, ">=": ge, ">": gt,
}  # fmt: skip


class _Reader:
    """Formulas and terms as z3 expressions, with the axioms that opaque constants bring along."""

    def __init__(self, assumptions: bool):
        self.assumptions = assumptions
        self.axioms: list[Any] = []
        self.terms: dict[Any, Any] = {}
        self.propositions: dict[Any, Any] = {}

    def copy(self) -> _Reader:
        """One that has read the same, and goes on by itself."""
        made = _Reader(self.assumptions)
        made.axioms += self.axioms
        made.terms |= self.terms
        made.propositions |= self.propositions
        return made

    def formula(self, f: Any) -> Any:
        if isinstance(f, Compare):
            return self._compare(f)
        if isinstance(f, And | Or):
            join = z3.And if isinstance(f, And) else z3.Or
            return join(*(self.formula(p) for p in f.formulas))
        if isinstance(f, Not):
            return z3.Not(self.formula(f.body))
        if isinstance(f, Implies):
            return z3.Implies(self.formula(f.premise), self.formula(f.conclusion))
        if isinstance(f, Iff):
            return self.formula(f.left) == self.formula(f.right)
        return self._opaque(canonical(f))

    def _opaque(self, key: Any) -> Any:
        return self.propositions.setdefault(key, _boolean(f"p{len(self.propositions)}"))

    def _compare(self, f: Compare) -> Any:
        sides = (f.left, f.right)
        if not all(isinstance(s, Expr) and not hasattr(s, "shape") for s in sides) or any(
            s in (oo, -oo) for s in sides
        ):
            return self._opaque(canonical(f))
        return _SIGNS[f.sign](*map(self.term, sides))

    def term(self, e: Any) -> Any:
        """A real z3 term; a division is one by a divisor that is not zero, else opaque."""
        return self._read(split_powers(sympify(e)))

    def _read(self, e: Any) -> Any:
        if e.is_Rational:
            return _fraction(int(e.p), int(e.q))
        if isinstance(e, Add):
            return z3.Sum(*map(self._read, e.args))
        if isinstance(e, Mul):
            return z3.Product(*map(self._read, e.args))
        if isinstance(e, Pow):
            return self._power(e)
        if isinstance(e, Max | Min):
            pick = (
                (lambda a, b: z3.If(a >= b, a, b))
                if isinstance(e, Max)
                else (lambda a, b: z3.If(a <= b, a, b))
            )
            return reduce(pick, map(self._read, e.args))
        if isinstance(e, Abs):
            inner = self._read(e.args[0])
            return z3.If(inner >= 0, inner, -inner)
        if isinstance(e, Piecewise):
            return self._piecewise(e)
        return self._constant(e)

    def _power(self, e: Pow) -> Any:
        base, exponent = e.base, e.exp
        if exponent.is_Integer and abs(exponent) <= 24:
            inner = self._read(base)
            whole = _product([inner] * abs(int(exponent)))
            if exponent > 0:
                return whole
            return self._inverse(e, whole, inner)
        if exponent.is_Rational and abs(exponent.q) == 2 and abs(exponent.p) <= 9:
            root = self._root(base)
            whole = _product([root] * abs(int(exponent.p)))
            return whole if exponent.p > 0 else self._inverse(e, whole, root)
        return self._constant(e)

    def _inverse(self, e: Expr, whole: Any, base: Any) -> Any:
        key = ("inverse", _term(e))
        if key not in self.terms:
            made = self.terms[key] = _real(f"i{len(self.terms)}")
            self.axioms.append(z3.Implies(base != 0, made * whole == 1))
        return self.terms[key]

    def _root(self, base: Expr) -> Any:
        key = ("root", _term(base))
        if key not in self.terms:
            made = self.terms[key] = _real(f"r{len(self.terms)}")
            inner = self._read(base)
            self.axioms.append(z3.Implies(inner >= 0, z3.And(made >= 0, made * made == inner)))
        return self.terms[key]

    def _piecewise(self, e: Piecewise) -> Any:
        value = self._constant(Dummy("otherwise", real=True))
        for branch, condition in reversed(e.args):
            value = z3.If(self._condition(condition), self._read(branch), value)
        return value

    def _condition(self, condition: Any) -> Any:
        if isinstance(condition, BooleanAtom):
            return z3.BoolVal(bool(condition))
        if isinstance(condition, Relational) and condition.rel_op in {
            "==",
            "<",
            "<=",
            ">",
            ">=",
            "!=",
        }:
            sign = "=" if condition.rel_op == "==" else condition.rel_op
            return self._compare(Compare(condition.lhs, sign, condition.rhs))
        return self._opaque(("condition", condition))

    def _constant(self, e: Any) -> Any:
        key = ("constant", _term(e))
        if key not in self.terms:
            made = self.terms[key] = _real(f"c{len(self.terms)}")
            self._signs(e, made)
        return self.terms[key]

    def _signs(self, e: Any, made: Any) -> None:
        """What is known of an opaque constant: exponentials are positive, declared signs."""
        if isinstance(e, exp):
            self.axioms.append(made > 0)
        elif isinstance(e, Pow):
            base = self._read(e.base)
            self.axioms += [z3.Implies(base > 0, made > 0)]
        elif isinstance(e, Symbol) and self.assumptions:
            for sign, holds in (
                (">0", e.is_positive),
                (">=0", e.is_nonnegative),
                ("<0", e.is_negative),
            ):
                if holds:
                    self.axioms.append({">0": made > 0, ">=0": made >= 0, "<0": made < 0}[sign])
            if e.is_integer and e.is_positive:
                self.axioms.append(made >= 1)
