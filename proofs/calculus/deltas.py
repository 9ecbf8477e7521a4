"""Sums of products of Kronecker deltas over ranges whose length is a symbol.

A polynomial in deltas is kept as one coefficient per *partition* of its indices (the indices that
its deltas force to agree), so a product only ever merges blocks and nothing is expanded twice.
Summing is then counting: a block holding no free index contributes one factor of its range.
The indicators of "the blocks agree" are linearly independent once a range is long enough, so as
identities in the symbol n two expressions agree exactly when all their coefficients do.

The second half does the same for monomials which also hold arrays: a `Term` carries anonymous
`Label`s in place of named indices, and identifying labels (`settled`) is contracting deltas.
Matrices are built from such terms in `networks`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from math import lcm
from typing import Any

from sympy import (
    Add,
    Dummy,
    Expr,
    Function,
    Integer,
    Mul,
    Pow,
    cancel,
    expand,
    factor,
    fraction,
    prod,
    simplify,
    sympify,
    together,
)
from sympy.core.symbol import Str
from sympy.matrices.exceptions import ShapeError

from claims.bound import apart
from claims.steps import misjudges

__all__ = [
    "Array",
    "Delta",
    "Index",
    "Label",
    "RangeError",
    "StructureError",
    "Term",
    "delta",
    "delta_equal",
    "delta_sum",
    "tidy",
    "unequal",
    "vanishes",
]

Partition = frozenset
"""A set of disjoint blocks of two or more indices; an index in no block stands alone."""


class RangeError(ValueError):
    """Two indices with different ranges were equated."""


class Index(Expr):
    """An index by name, running over `range` values; the range may be symbolic.

    Two indices are the same when both name and range agree.

    >>> from sympy import symbols
    >>> n = symbols("n", integer=True, positive=True)
    >>> Index("a", n).range
    n
    """

    is_commutative = True

    def __new__(cls, name: str | Str, range: Any) -> Index:
        return super().__new__(cls, Str(str(name)), sympify(range))

    @property
    def name(self) -> str:
        return str(self.args[0])

    @property
    def range(self) -> Expr:
        return self.args[1]

    @property
    def free_symbols(self) -> set:
        """None: the range says how far an index runs, it is not part of its value."""
        return set()

    def _sympystr(self, printer: Any, **_: Any) -> str:
        return self.name

    def _latex(self, printer: Any, **_: Any) -> str:
        return self.name


def _order(index: Any) -> tuple[str, str]:
    return str(index), str(getattr(index, "range", ""))


class Delta(Function):
    r"""Kronecker's delta: one when its two arguments agree, else zero; symmetric and idempotent.

    Raises `RangeError` when two indices of different ranges are equated.

    >>> from sympy import symbols
    >>> n = symbols("n", integer=True, positive=True)
    >>> a, b = Index("a", n), Index("b", n)
    >>> Delta(b, a), Delta(a, a), Delta(a, b)**3
    (Delta(a, b), 1, Delta(a, b))
    """

    nargs = 2
    is_commutative = True

    @classmethod
    def eval(cls, a: Any, b: Any) -> Any:
        if a == b:
            return Integer(1)
        if isinstance(a, Index) and isinstance(b, Index):
            if a.range != b.range and expand(a.range - b.range) != 0:
                raise RangeError(
                    f"Delta({a}, {b}) equates {a}, of range {a.range}, with {b}, of range "
                    f"{b.range}: only indices of one range can agree; rename the index that was "
                    "meant for another range"
                )
        elif a.is_Integer and b.is_Integer:
            return Integer(0)
        if _order(b) < _order(a):
            return cls(b, a)
        return None

    def _eval_power(self, exponent: Any) -> Any:
        return self if exponent.is_integer and exponent.is_positive else None

    def _eval_derivative(self, symbol: Any) -> Any:
        return Integer(0)

    def _eval_is_nonnegative(self) -> bool:
        return True

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        body = rf"\delta_{{{printer._print(self.args[0])}{printer._print(self.args[1])}}}"
        return body if exp is None else rf"{body}^{{{exp}}}"


def delta(a: Any, b: Any) -> Any:
    """One where the indices agree, else zero."""
    return Delta(a, b)


def unequal(a: Any, b: Any) -> Any:
    """One where the indices differ, else zero."""
    return 1 - Delta(a, b)


def delta_sum(expression: Any, indices: Iterable[Index] = ()) -> Expr:
    """Sum `expression` over `indices`, each over its range; other indices stay free.

    The result is exact for every range, as a polynomial in deltas of the free indices whose
    coefficients are cancelled and factored.  With no indices it is a normal form.

    Raises `ValueError` for a repeated index, for a delta under a root, in a denominator or in a
    function, for a delta with a number in it, and for a summed index on a factor that is no delta.

    >>> from sympy import symbols
    >>> n, rho = symbols("n rho", integer=True, positive=True)
    >>> a, b, c = (Index(x, n) for x in "abc")
    >>> delta_sum((delta(a, b) - 1 / n) * (delta(b, c) - 1 / n), [b])
    Delta(a, c) - 1/n
    >>> delta_sum(delta(a, b) + rho * unequal(a, b), [a, b])
    n*(n*rho - rho + 1)
    """
    summed = list(indices)
    if len(set(summed)) < len(summed):
        raise ValueError(f"sum over {summed}: an index is summed once; remove the repetition")
    totals: dict[Partition, Expr] = {}
    for blocks, coefficient in _by_partition(sympify(expression)).items():
        free, value = _summed(blocks, coefficient, summed)
        totals[free] = totals.get(free, Integer(0)) + value
    return Add(*(tidy(value) * _indicator(free) for free, value in totals.items()))


def delta_equal(left: Any, right: Any) -> bool:
    """Whether two expressions in deltas agree for all values of their indices.

    >>> from sympy import symbols
    >>> n = symbols("n", integer=True, positive=True)
    >>> a, b, c = (Index(x, n) for x in "abc")
    >>> delta_equal(delta(a, b) * delta(b, c), delta(a, c) * delta(b, c))
    True
    """
    return vanishes(delta_sum(sympify(left) - sympify(right)))


def _by_partition(e: Expr) -> dict[Partition, Expr]:
    """The coefficient of each partition in `e`, a polynomial in deltas."""
    if isinstance(e, Delta):
        if not all(isinstance(x, Index) for x in e.args):
            raise ValueError(f"{e} holds something that is no Index: name it as an Index first")
        return {Partition({frozenset(e.args)}): Integer(1)}
    if not e.has(Delta):
        return {Partition(): e}
    if isinstance(e, Add):
        return _added(map(_by_partition, e.args))
    if isinstance(e, Mul):
        return reduce(_multiplied, map(_by_partition, e.args))
    if isinstance(e, Pow) and e.exp.is_Integer and e.exp > 0:
        return reduce(_multiplied, [_by_partition(e.base)] * int(e.exp))
    raise ValueError(f"{e} is not polynomial in its deltas: write it as a sum of products of them")


def _added(parts: Iterable[Mapping[Partition, Expr]]) -> dict[Partition, Expr]:
    collected: dict[Partition, list[Expr]] = {}
    for part in parts:
        for blocks, coefficient in part.items():
            collected.setdefault(blocks, []).append(coefficient)
    totals = ((blocks, Add(*values)) for blocks, values in collected.items())
    return {blocks: value for blocks, value in totals if value != 0}


def _multiplied(
    left: Mapping[Partition, Expr], right: Mapping[Partition, Expr]
) -> dict[Partition, Expr]:
    return _added({_merged(p, q): expand(x * y)} for p, x in left.items() for q, y in right.items())


def _merged(left: Partition, right: Partition) -> Partition:
    """The finest partition in which both agree."""
    blocks = set(left)
    for block in right:
        touching = {b for b in blocks if b & block}
        blocks = (blocks - touching) | {frozenset().union(block, *touching)}
    return Partition(blocks)


def _summed(blocks: Partition, value: Expr, summed: list[Index]) -> tuple[Partition, Expr]:
    """Sum one partition: the partition left on free indices, and its coefficient."""
    alone = [frozenset({i}) for i in summed if not any(i in b for b in blocks)]
    free_blocks, renaming = [], {}
    for block in [*blocks, *alone]:
        free = block.difference(summed)
        representative = min(free or block, key=_order)
        renaming.update(dict.fromkeys(block, representative))
        if len(free) > 1:
            free_blocks.append(free)
        if not free:
            renamed = value.xreplace(renaming)
            if renamed.has(representative):
                raise ValueError(
                    f"the sum over {representative} (range {representative.range}) of {renamed} is "
                    "not known: contract the index with a delta, or name the sum as an array"
                )
            value = representative.range * value
    return Partition(free_blocks), value.xreplace(renaming)


def _indicator(blocks: Partition) -> Expr:
    """The product of deltas which says that each block agrees, as a chain in name order."""
    return Mul(*(Delta(a, b) for block in blocks for a, b in pairwise(sorted(block, key=_order))))


def tidy(expression: Any) -> Expr:
    """Cancel and factor, with roots of positive symbols as variables of their own.

    Exact for quotients of polynomials in symbols and in roots of positive symbols.

    >>> from sympy import sqrt, symbols
    >>> d = symbols("d", positive=True)
    >>> tidy(1 / (1 + sqrt(d)) - (1 - sqrt(d)) / (1 - d))
    0
    """
    e = sympify(expression)
    if e.is_Number or e.is_Symbol:
        return e
    roots: dict[Expr, int] = {}
    for power in e.atoms(Pow):
        if power.base.is_Symbol and power.base.is_positive and power.exp.is_Rational:
            roots[power.base] = lcm(roots.get(power.base, 1), int(power.exp.q))
    names = {base: Dummy(positive=True) for base, q in roots.items() if q > 1}
    polynomial = e.xreplace({base: t ** roots[base] for base, t in names.items()})
    cancelled = factor(cancel(together(polynomial)))
    return cancelled.xreplace({t: base ** (Integer(1) / roots[base]) for base, t in names.items()})


def vanishes(expression: Any) -> bool:
    """Whether a scalar is zero: exact for what `tidy` covers, by `simplify` beyond it."""
    if misjudges(sympify(expression)):
        return False
    e = tidy(apart(expression))
    if e == 0 or e.is_number:
        return bool(e == 0 or simplify(e) == 0)
    return not e.is_rational_function() and simplify(e) == 0


class StructureError(ShapeError):
    """Two shapes, or the multi-indices behind two equal shapes, do not fit."""


@dataclass(frozen=True, eq=False)
class Label:
    """An index with a range; two labels are never equal, so a network needs no names."""

    range: Expr


Labels = tuple[Label, ...]
Ranges = tuple[Expr, ...]
Renaming = Mapping[Label, Labels]


def _renamed(labels: Labels, renaming: Renaming) -> Labels:
    return tuple(x for label in labels for x in renaming.get(label, (label,)))


def ranges_of(labels: Labels) -> Ranges:
    return tuple(label.range for label in labels)


def labels_of(ranges: Ranges) -> Labels:
    return tuple(map(Label, ranges))


@dataclass(frozen=True)
class Array:
    """One occurrence of a matrix, with the labels of its row and of its column."""

    symbol: Any
    row: Labels
    col: Labels

    @property
    def labels(self) -> Labels:
        return self.row + self.col

    def renamed(self, renaming: Renaming) -> Array:
        return Array(self.symbol, _renamed(self.row, renaming), _renamed(self.col, renaming))


@dataclass(frozen=True)
class Term:
    """A scalar times arrays, with the labels of the free row and of the free column."""

    coefficient: Expr
    arrays: tuple[Array, ...]
    row: Labels
    col: Labels

    @property
    def labels(self) -> Labels:
        """Every label once, free ones first."""
        held = (label for array in self.arrays for label in array.labels)
        return tuple(dict.fromkeys((*self.row, *self.col, *held)))

    def renamed(self, renaming: Renaming) -> Term:
        arrays = tuple(array.renamed(renaming) for array in self.arrays)
        row, col = _renamed(self.row, renaming), _renamed(self.col, renaming)
        return Term(self.coefficient, arrays, row, col)

    def fresh(self) -> Term:
        """A copy that shares no label with the original, so that both can stand in one term."""
        return self.renamed({label: (Label(label.range),) for label in self.labels})

    def __str__(self) -> str:
        names = {label: f"i{k}" for k, label in enumerate(self.labels)}

        def show(row: Labels, col: Labels) -> str:
            return "[" + ";".join(",".join(names[x] for x in side) for side in (row, col)) + "]"

        arrays = "".join(f" {a.symbol}{show(a.row, a.col)}" for a in self.arrays)
        return f"({self.coefficient}){arrays} at {show(self.row, self.col)}"


def settled(term: Term, pairs: Iterable[tuple[Label, Label]]) -> Term:
    """Identify the two labels of each pair; a label then on no place and no array is counted."""
    parent: dict[Label, Label] = {}

    def find(label: Label) -> Label:
        while label in parent:
            label = parent[label]
        return label

    touched: dict[Label, None] = {}
    for a, b in pairs:
        a, b = find(a), find(b)
        touched |= {a: None, b: None}
        if a is not b:
            parent[b] = a
    result = term.renamed({label: (find(label),) for label in (*term.labels, *touched)})
    held = set(result.labels)
    loops = [r.range for r in dict.fromkeys(map(find, touched)) if r not in held]
    return Term(result.coefficient * prod(loops), result.arrays, result.row, result.col)


def quotient(a: Expr, b: Expr) -> Expr | None:
    """a / b when b divides a as a polynomial, else None."""
    if a == b:
        return Integer(1)
    top, bottom = fraction(cancel(a / b))
    return top if bottom == 1 else None


def common_refinement(left: Ranges, right: Ranges, what: Callable[[], str]) -> Ranges:
    """The coarsest multi-index which refines both; `what` says who meets, for the error."""
    a, b, out = list(left), list(right), []
    while a and b:
        x, y = a.pop(0), b.pop(0)
        if (q := quotient(x, y)) is not None:
            out.append(y)
            a[:0] = [q] if q != 1 else []
        elif (q := quotient(y, x)) is not None:
            out.append(x)
            b[:0] = [q]
        else:
            a.append(x)
            break
    if a or b:
        raise StructureError(
            f"{what()}: the multi-indices {left} and {right} have no common refinement; use "
            "factors whose ranges come in the same order (K_mn has rows (m, n), columns (n, m))"
        )
    return tuple(out)


def splitting(labels: Labels, target: Ranges, what: Callable[[], str]) -> Renaming:
    """Which labels to split, and into what, so that `labels` refine `target`."""
    parts = iter(common_refinement(ranges_of(labels), target, what))
    renaming: dict[Label, Labels] = {}
    for label in labels:
        ranges = [next(parts)]
        while quotient(label.range, prod(ranges)) != 1:
            ranges.append(next(parts))
        if len(ranges) > 1:
            renaming.setdefault(label, labels_of(tuple(ranges)))
    return renaming


def refined_term(term: Term, row: Ranges, col: Ranges, what: Callable[[], str]) -> Term:
    while renaming := (splitting(term.row, row, what) or splitting(term.col, col, what)):
        term = term.renamed(renaming)
    return term


def components(arrays: tuple[Array, ...], free: Collection[Label]) -> list[tuple[Array, ...]]:
    """Arrays grouped by shared summed labels."""
    groups: list[tuple[list[Array], set[Label]]] = []
    for array in arrays:
        held = set(array.labels).difference(free)
        touching = [g for g in groups if g[1] & held]
        groups = [g for g in groups if not g[1] & held]
        merged = [a for g in touching for a in g[0]] + [array]
        groups.append((merged, held.union(*(g[1] for g in touching))))
    return [tuple(members) for members, _ in groups]


Table = tuple[Labels, dict[tuple[int, ...], Any]]
"""A function of some labels by its values; what is not listed is zero."""


def joined(left: Table, right: Table) -> Table:
    """The product of two tables, as a function of the labels of both."""
    (a, x), (b, y) = left, right
    shared = [(a.index(label), k) for k, label in enumerate(b) if label in a]
    new = [k for k, label in enumerate(b) if label not in a]
    matching: dict[tuple[int, ...], list] = {}
    for t, v in y.items():
        found = tuple(t[k] for k in new), v
        matching.setdefault(tuple(t[k] for _, k in shared), []).append(found)
    out = {
        s + t: u * v
        for s, u in x.items()
        for t, v in matching.get(tuple(s[i] for i, _ in shared), ())
    }
    return a + tuple(b[k] for k in new), out


def summed_out(table: Table, label: Label) -> Table:
    """The sum of a table over one of its labels."""
    labels, x = table
    k, out = labels.index(label), dict[tuple[int, ...], Any]()
    for t, v in x.items():
        out[t[:k] + t[k + 1 :]] = out.get(t[:k] + t[k + 1 :], 0) + v
    return labels[:k] + labels[k + 1 :], out
