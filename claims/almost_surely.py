r"""Random matrices with an index, what holds of them almost surely, and almost sure limits.

A `RandomMatrices` is one random matrix $M_k$ for each $k\ge1$, of which the mean squared norm is
known exactly; how those of different $k$ depend on one another is left open.  `AlmostSurely` says that
a formula about its entries holds for almost every outcome.  An `AlmostSureLimit` is the quantity
$\lim_kf(M_k)$ for a function of one matrix, a `SureLimit` the limit of a sequence of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Sum, Symbol, sqrt, sympify
from sympy.core.function import AppliedUndef
from sympy.core.symbol import uniquely_named_symbol

from claims.bound import put
from claims.domain import Domain
from claims.errors import UserError
from claims.fixed import Fixed
from claims.intervals import BOTH
from claims.singular import written_of
from claims.statement import Formula, Point, Quantity, Readings
from claims.terms import entry, family

__all__ = [
    "AlmostSureLimit",
    "AlmostSurely",
    "RandomMatrices",
    "SureLimit",
    "drawn_with",
    "entries_in",
    "is_fixed",
]


class RandomMatrices(Fixed):
    r"""A random matrix for each $k\ge1$, with entries `entries(k, i, j)`.

    `mean_square(at, k, rows, columns)` is the mean sum of squares of the first rows and columns,
    exactly, from the definition; nothing else is known of the law.  What was said once stays so.
    """

    def __init__(self, name: str, mean_square: Callable[[Point, int, int, int], Any]):
        self.name = name
        self.entries = entry(self)
        shown = rf"\mathbb E\|{name}^{{{{({{}})}}}}_{{{{{{}}\times {{}}}}}}\|_F^2"
        self.mean_square = family(shown, mean_square)
        self.mean_square.matrices = self

    def norm(self, k: Any, rows: Any, columns: Any) -> Any:
        """The Frobenius norm of the first rows and columns of the k-th, in their entries."""
        sizes = tuple(map(sympify, (k, rows, columns)))
        i, j = (uniquely_named_symbol(name, sizes, integer=True, positive=True) for name in "ij")
        squares = Sum(self.entries(k, i, j) ** 2, (j, 1, columns))
        return sqrt(Sum(squares, (i, 1, rows)))

    def __repr__(self) -> str:
        return f"<random matrices {self.name}>"


def is_fixed(term: Any, bound: Collection[RandomMatrices] = ()) -> bool:
    """Whether a term shows that no outcome enters it but of matrices that are bound.

    Entries, and what recursions and singular values are made of, show it; of quantities and other
    families, which are defined elsewhere, nothing does.
    """
    if not hasattr(term, "atoms"):
        return True
    functions = {applied.func for applied in term.atoms(AppliedUndef)}
    return not term.atoms(Quantity) and all(_made_of_fixed(f, bound) for f in functions)


def _made_of_fixed(function: Any, bound: Collection[RandomMatrices]) -> bool:
    inside = entries_in(function)
    return None not in inside and all(_is_bound(made, bound) for made in inside)


def entries_in(function: Any) -> set[Any]:
    """Functions that recursions and singular values are made of; None among them where a quantity is."""
    found, seen, left = set[Any](), {function}, [function]
    while left:
        made = left.pop()
        matrix = written_of(made)
        if hasattr(made, "recursion"):
            pieces = made.recursion.written[1:]
        elif matrix is None:
            found.add(made)
            continue
        else:
            pieces = (matrix.entry,)
        found |= {None for piece in pieces if piece.atoms(Quantity)}
        inside = {applied.func for piece in pieces for applied in piece.atoms(AppliedUndef)} - seen
        seen |= inside
        left += inside
    return found


def _is_bound(function: Any, bound: Collection[RandomMatrices]) -> bool:
    variable = getattr(function, "variable", None)
    matrices = drawn_with(variable)
    return variable is not None and (matrices is None or matrices in bound)


def drawn_with(variable: Any) -> RandomMatrices | None:
    """The random matrices that an array variable is, or that stand beside it; None of what is not random."""
    matrices = getattr(variable, "beside", variable)
    return matrices if isinstance(matrices, RandomMatrices) else None


@dataclass(frozen=True)
class AlmostSurely(Formula):
    """The body holds for almost every outcome of random matrices; their entries are bound here."""

    matrices: RandomMatrices
    body: Formula
    binds = ("matrices",)

    def truth(self, at: Point) -> bool | None:
        """What no outcome enters is true or false; else no evaluation follows infinitely many."""
        terms = (piece for piece in self.body.walk() if not isinstance(piece, Formula))
        return self.body.truth(at) if all(map(is_fixed, terms)) else None

    def possible(self, readings: Readings, at: Point) -> frozenset[bool]:
        truth = self.truth(at)
        return BOTH if truth is None else frozenset({truth})

    def substitute(self, values: Mapping[Any, Any], into: Callable[..., Any] = put) -> Formula:
        """With terms that are the same for every outcome; another would be bound here."""
        for term in values.values():
            if not is_fixed(sympify(term)):
                raise UserError(f"{term}: may be random, and cannot stand inside `almost surely`")
        return super().substitute(values, into)


class AlmostSureLimit(Quantity):
    r"""$\lim_kf(M_k)$ where it exists almost surely; a matrix, NaN where it does not exist.

    `function` is f, exact at a matrix; `one` stands for any matrix, at the points of `anywhere`.
    `row` and `column` are indices of an entry with their ranges, from one, the slowest first.
    `entry_of` is an entry of $f$ at the matrix `one`.
    """

    def __new__(
        cls, name: str, define: Callable[[Point], Any], *, entry_name: str, of: RandomMatrices,
        function: Callable[[Any], Any], one: Any, anywhere: Domain,
        row: tuple[tuple[Symbol, Any], ...], column: tuple[tuple[Symbol, Any], ...],
    ) -> AlmostSureLimit:  # fmt: skip
        indices = [index for index, _ in (*row, *column)]
        if twice := next((i for k, i in enumerate(indices) if i in indices[:k]), None):
            raise UserError(f"{twice}: is an index twice, and would show a part of the entries")
        made = super().__new__(cls, name, define)
        made.of, made.one, made.anywhere, made.row, made.column = of, one, anywhere, row, column

        def at_places(at: Point, *places: int) -> Any:
            first = _place([size for _, size in row], places[: len(row)], at)
            second = _place([size for _, size in column], places[len(row) :], at)
            return function(at[one])[first, second]

        made.entry_of = family(entry_name, at_places)
        return made

    @property
    def indices(self) -> tuple[tuple[Symbol, int, Any], ...]:
        """Every index of an entry with the ends of its range, rows first."""
        return tuple((index, 1, size) for index, size in (*self.row, *self.column))


class SureLimit(Quantity):
    r"""$\lim_nx_n$ where it exists almost surely, or the upper limit, of random numbers $x_n$.

    `term` is $x_n$ in the entries of random matrices, `index` is n; `define` is exact at a point, or
    `AccumBounds` where no more is known than bounds.
    """

    def __new__(
        cls, name: str, define: Callable[[Point], Any], *, of: RandomMatrices, term: Any, index: Symbol,
        upper: bool = False,
    ) -> SureLimit:  # fmt: skip
        if not is_fixed(term, (of,)) or index not in term.free_symbols:
            raise UserError(f"{term}: must be a number for each {index} and outcome of {of}")
        made = super().__new__(cls, name, define)
        made.of, made.term, made.index, made.upper = of, term, index, upper
        return made


def _place(sizes: list[Any], places: tuple[int, ...], at: Point) -> int:
    """The row of a multi-index that counts from one, the last one running fastest."""
    found = 0
    for size, place in zip(sizes, places, strict=True):
        found = found * int(put(size, at)) + place - 1
    return found
