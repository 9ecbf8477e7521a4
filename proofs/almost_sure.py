"""What the kernel's rules about almost sure statements and limits conclude, as functions of formulas.

As in `proofs.shapes`: each function returns a formula, or raises `ProofError`; only `proofs.kernel`
makes theorems of what it returns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sympy import Add, Dummy, Expr, KroneckerDelta, MatrixExpr, Mul, oo, sympify
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import Identity, KroneckerProduct, MatAdd, MatMul, OneMatrix

from claims.almost_surely import (
    AlmostSureLimit,
    AlmostSurely,
    RandomMatrices,
    SureLimit,
    drawn_with,
    is_fixed,
)
from claims.domain import Array, Scaled, Size, UpTo
from claims.expressions import Named
from claims.statement import And, Compare, ForAll, Formula, Quantity, Tends
from claims.terms import entry
from proofs import confirm, smt
from proofs.hidden import hidden
from proofs.places import small_points
from proofs.sense import ProofError
from proofs.within import Within

__all__ = ["confirmed", "consequence", "entry_at", "limit_of"]

Place = tuple[Any, Any]
"""An index, from one, and how far it goes."""


def premise_of(sure: Formula) -> AlmostSurely:
    """What is almost sure; of several statements about the same matrices, that all of them hold."""
    if isinstance(sure, And):
        parts = [premise_of(part) for part in sure.formulas]
        if parts and all(part.matrices is parts[0].matrices for part in parts):
            return AlmostSurely(parts[0].matrices, And(tuple(part.body for part in parts)))
    if not isinstance(sure, AlmostSurely):
        raise ProofError(f"almost surely: ${sure.latex()}$ says nothing of almost every outcome")
    return sure


def consequence(sure: AlmostSurely, conclusion: Formula, rest: Iterable[Formula]) -> AlmostSurely:
    """What follows from the body of `sure` and `rest`, which no outcome enters, is almost sure as well."""
    for hypothesis in rest:
        if not _settled(hypothesis, ()):
            raise ProofError(f"almost surely: ${hypothesis.latex()}$ is assumed, and may be random")
    if not _settled(conclusion, (sure.matrices,)):
        shown = conclusion.latex()
        raise ProofError(
            f"almost surely: ${shown}$ may be random by more than {sure.matrices.name}"
        )
    return AlmostSurely(sure.matrices, conclusion)


def _settled(piece: Any, bound: tuple[RandomMatrices, ...]) -> bool:
    """Whether a formula shows that no outcome enters it but of matrices that are bound.

    What a domain asks of its variables is settled: a point gives no outcome.
    """
    if isinstance(piece, tuple):
        return all(_settled(part, bound) for part in piece)
    if isinstance(piece, Within):
        return all(drawn_with(v.symbol) is None for v in piece.domain.variables)
    if isinstance(piece, AlmostSurely):
        return _settled(piece.body, (*bound, piece.matrices))
    if isinstance(piece, Formula):
        return bool(piece.parts()) and _settled(piece.parts(), bound)
    return is_fixed(piece, bound)


def entry_at(value: Any, row: tuple[Place, ...], column: tuple[Place, ...]) -> Expr:
    """An entry of a matrix made of identities and ones, of which indices and ranges are given.

    >>> from sympy import Symbol
    >>> n, i, j = (Symbol(name, integer=True, positive=True) for name in "nij")
    >>> entry_at(Identity(n) - OneMatrix(n, n) / n, ((i, n),), ((j, n),))
    KroneckerDelta(i, j) - 1/n
    """
    if isinstance(value, Named):
        return entry_at(value.definition, row, column)
    if isinstance(value, MatAdd):
        return Add(*(entry_at(part, row, column) for part in value.args))
    if isinstance(value, MatMul):
        scalars = [part for part in value.args if not isinstance(part, MatrixExpr)]
        matrices = [part for part in value.args if isinstance(part, MatrixExpr)]
        if len(matrices) == 1:
            (matrix,) = matrices
            return Mul(*scalars, entry_at(matrix, row, column))
    if isinstance(value, KroneckerProduct) and len(value.args) == len(row) == len(column):
        pairs = zip(value.args, row, column, strict=True)
        return Mul(*(entry_at(part, (i,), (j,)) for part, i, j in pairs))
    if isinstance(value, Identity | OneMatrix) and len(row) == len(column) == 1:
        ((i, rows),), ((j, columns),) = row, column
        if value.shape == (rows, columns):
            return KroneckerDelta(i, j) if isinstance(value, Identity) else sympify(1)
    raise ProofError(f"entry: of {value} none is known at rows {row} and columns {column}")


def limit_of(
    limit: AlmostSureLimit, value: Any, definition: Formula, given: Iterable[Formula], sure: Formula
) -> tuple[Formula, list[Formula]]:
    """`limit = value`, if almost surely every entry of the function of the matrices tends to that of it.

    `definition` says what an entry of the function is, in the entries of any matrix; of a limit of
    numbers, which has its own, it names the domain.
    """
    if isinstance(limit, SureLimit):
        return _limit_of_numbers(limit, value, definition, sure)
    places, ranges = [index for index, *_ in limit.indices], _ranges(limit)
    sizes = _sizes(limit)
    asked = limit.entry_of(*places)
    if not isinstance(definition, Compare) or (definition.left, definition.sign) != (asked, "="):
        raise ProofError(f"almost sure limit: ${definition.latex()}$ is no definition of {limit}")
    for hypothesis in given:
        whole = isinstance(hypothesis, Within) and hypothesis.domain is limit.anywhere
        if not whole and smt.canonical(hypothesis) not in ranges:
            raise ProofError(f"almost sure limit: ${hypothesis.latex()}$ is asked of one matrix")
    k = Dummy("k", integer=True, positive=True)
    if not is_fixed(value) or value.free_symbols.intersection(places):
        raise ProofError(f"almost sure limit: {value} is not one for all entries and outcomes")
    term = _of_the_sequence(limit, definition.right, k)
    every: Formula = Tends(term, k, entry_at(value, limit.row, limit.column))
    for index, low, high in reversed(limit.indices):
        every = ForAll(index, low, high, every)
    if smt.canonical(sure) != smt.canonical(AlmostSurely(limit.of, every)):
        raise ProofError(f"almost sure limit: ${sure.latex()}$ is not that {limit} is {value}")
    return Compare(limit, "=", value), sizes


def _limit_of_numbers(
    limit: SureLimit, value: Any, domain: Formula, sure: Formula
) -> tuple[Formula, list[Formula]]:
    """`limit = value` from a limit that is almost sure; `limit <= value` from that of a bound."""
    if not isinstance(domain, Within) or not is_fixed(value) or limit.index in value.free_symbols:
        raise ProofError(f"almost sure limit: {value} is not a number at the points of a domain")
    body, index = premise_of(sure).body, limit.index
    if premise_of(sure).matrices is not limit.of:
        raise ProofError(f"almost sure limit: {limit} is one of other matrices")
    bounds = body.formulas if limit.upper and isinstance(body, And) else ()
    if len(bounds) == 2 and isinstance(bounds[1], Tends) and bounds[1].index == index:
        above = ForAll(index, 1, oo, Compare(limit.term, "<=", bounds[1].term))
        if smt.canonical(body) == smt.canonical(And((above, Tends(bounds[1].term, index, value)))):
            return Compare(limit, "<=", value), [domain]
    if limit.upper or smt.canonical(body) != smt.canonical(Tends(limit.term, index, value)):
        raise ProofError(f"almost sure limit: ${sure.latex()}$ is not that {limit} is {value}")
    return Compare(limit, "=", value), [domain]


def names_of(limit: AlmostSureLimit | SureLimit) -> set[Any]:
    """The variables of a point on which a limit depends, none of which shows where it stands."""
    if isinstance(limit, AlmostSureLimit):
        return {v.symbol for v in limit.anywhere.variables} - {limit.one}
    inside = limit.term.free_symbols | hidden(limit.term)
    return {name for name in inside if name != limit.index and not isinstance(name, Quantity)}


def confirmed(formula: Formula, hypotheses: Iterable[Formula]) -> bool:
    """Whether the definition of a limit agrees at points of every domain, or denies a bound at none.

    Some domain must have the variables on which the limit depends: from those that are assumed a rule
    sees that it is one for each value of them.
    """
    assert isinstance(formula, Compare)
    variables = [
        {v.symbol for v in h.domain.variables} for h in hypotheses if isinstance(h, Within)
    ]
    if not any(names_of(formula.left) <= each for each in variables):
        missing = names_of(formula.left).difference(*variables)
        raise ProofError(f"almost sure limit: {formula.left} depends on {missing}, of no domain")
    if formula.sign == "=":
        return confirm.confirmed_where(formula.left, formula.right, hypotheses)
    domains = [h.domain for h in hypotheses if isinstance(h, Within)]
    answers = [formula.truth(point) for d in domains for point in small_points(d)]
    return bool(answers) and False not in answers


def _sizes(limit: AlmostSureLimit) -> list[Formula]:
    """What is asked of the sizes; of the matrix nothing may be, which stands for any real one."""
    found: list[Formula] = []
    for variable in limit.anywhere.variables:
        if type(variable) in (Size, UpTo):
            found += [
                Compare(variable.symbol, ">=", variable.low),
                *getattr(variable, "facts", tuple)(),
            ]
        elif variable.symbol != limit.one or type(variable) not in (Array, Scaled):
            raise ProofError(f"almost sure limit: {variable.symbol} is asked for besides a matrix")
    if limit.anywhere.conditions:
        raise ProofError(f"almost sure limit: {limit.one} is no matrix of which nothing is asked")
    return found


def _ranges(limit: AlmostSureLimit) -> set[Any]:
    ends = ((Compare(i, ">=", low), Compare(i, "<=", high)) for i, low, high in limit.indices)
    return {smt.canonical(end) for pair in ends for end in pair}


def _of_the_sequence(limit: AlmostSureLimit, term: Expr, k: Any) -> Expr:
    """A term about the entries of any matrix, about those of the k-th instead."""
    one = entry(limit.one)
    others = {a.func for a in term.atoms(AppliedUndef)} - {one}
    if others or not is_fixed(term) or term.has(limit.one):
        raise ProofError(f"almost sure limit: {term} is not made of entries of {limit.one}")
    return term.replace(one, lambda *places: limit.of.entries(k, *places))
