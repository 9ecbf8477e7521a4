"""The vocabulary in which statements are written: a few SymPy nodes that print as the papers print.

Everything here is definitional.  A node can be *named* (`Named`), and every expression can be
evaluated exactly at a concrete point with `explicit`, by writing matrices out entry by entry.
Nothing in this module simplifies: deciding whether two expressions agree is the business of proofs.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, ClassVar

from sympy import (
    Add,
    Expr,
    ImmutableDenseMatrix,
    Integer,
    Mul,
    Piecewise,
    Pow,
    Product,
    Sum,
    Symbol,
    Trace,
    Tuple,
    false,
    prod,
    sympify,
    true,
)
from sympy.core.function import Application
from sympy.core.relational import Relational
from sympy.matrices.expressions import (
    HadamardProduct,
    Identity,
    Inverse,
    KroneckerProduct,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    OneMatrix,
    Transpose,
    ZeroMatrix,
)
from sympy.matrices.expressions.matexpr import MatrixElement

from claims.algebra import names_in
from claims.bound import apart, put
from claims.steps import built
from claims.sums import totalled
from claims.whole import whole

__all__ = [
    "Commutation",
    "Entrywise",
    "FrobSq",
    "Named",
    "Shaped",
    "Total",
    "Typeset",
    "exact_scalars",
    "explicit",
    "explicit_scalar",
    "ones",
    "scalar_at",
]


class Typeset:
    """A node that SymPy, too, prints as `claims.typeset` does.

    The arguments at the places `labels` are words, though they are written as symbols.
    """

    labels: ClassVar[tuple[int, ...]] = ()

    @property
    def own_indices(self) -> set[Any]:
        """Symbols inside that are none of a term that holds the node."""
        return {self.args[place] for place in self.labels}  # type: ignore[attr-defined]

    @property
    def free_symbols(self) -> set[Any]:
        parts = enumerate(self.args)  # type: ignore[attr-defined]
        return set().union(*(e.free_symbols for place, e in parts if place not in self.labels))

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        from claims.typeset import typeset

        return typeset(self) if exp is None else rf"\left({typeset(self)}\right)^{{{exp}}}"


class Named(Typeset, MatrixExpr):
    """A matrix with a name of its own, such as the mean token, and its definition.

    >>> from sympy import MatrixSymbol, OneMatrix, symbols
    >>> n, d = symbols("n d", integer=True, positive=True)
    >>> X = MatrixSymbol("X", n, d)
    >>> Named(r"\\bar x", X.T * OneMatrix(n, 1) / n).shape
    (d, 1)
    """

    labels = (0,)

    def __new__(cls, name: str | Symbol, definition: MatrixExpr) -> Named:
        return super().__new__(cls, Symbol(str(name)), definition)

    @property
    def definition(self) -> MatrixExpr:
        return self.args[1]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.definition.shape

    def _entry(self, i: Any, j: Any, **_: Any) -> Expr:
        """An entry keeps the name, so that a product with entries in it can be printed."""
        return MatrixElement(self, i, j)

    def _sympystr(self, printer: Any, **_: Any) -> str:
        return str(self.args[0])


class FrobSq(Typeset, Expr):
    r"""The squared Frobenius norm \|M\|_F^2, left unexpanded."""

    is_commutative = True

    def __new__(cls, matrix: MatrixExpr) -> FrobSq:
        return super().__new__(cls, matrix)

    def _eval_is_nonnegative(self) -> bool:
        return True


class Total(Typeset, Expr):
    r"""The sum of all entries, 1^\top M 1."""

    is_commutative = True

    def __new__(cls, matrix: MatrixExpr, name: str | Symbol = "") -> Total:
        return super().__new__(cls, matrix, Symbol(str(name) or "_"))


class Commutation(Typeset, MatrixExpr):
    """The commutation matrix K_{mn} of shape (mn, mn): K_{mn} vec_c(B) = vec_c(B^T), B of shape (m, n)."""

    def __new__(cls, m: Any, n: Any) -> Commutation:
        return super().__new__(cls, sympify(m), sympify(n))

    @property
    def shape(self) -> tuple[Expr, Expr]:
        size = self.args[0] * self.args[1]
        return size, size

    def _eval_transpose(self) -> Commutation:
        return Commutation(self.args[1], self.args[0])

    def explicit_matrix(self, m: int, n: int) -> ImmutableDenseMatrix:
        """Entry ((i, j), (l, k)) is one when i = k and j = l, with i, k < m and j, l < n.

        The row is the place of (i, j) in row-major order (n is the fast range), which is the place
        of B_{ij} in vec_c(B^T); the column is its place in vec_c(B), column-major.
        """
        rows = [[0] * (m * n) for _ in range(m * n)]
        for i, j in product(range(m), range(n)):
            rows[i * n + j][j * m + i] = 1
        return ImmutableDenseMatrix(rows)


class Shaped(Typeset, MatrixExpr):
    """A matrix known by name, shape and the arrays it is built from; its entries come with a point.

    Used for objects such as the softmax Jacobian, which has no closed matrix formula but whose
    entries are known at every concrete point.
    """

    labels = (0,)

    def __new__(cls, name: str | Symbol, rows: Any, cols: Any) -> Shaped:
        return super().__new__(cls, Symbol(str(name)), sympify(rows), sympify(cols))

    @property
    def name(self) -> str:
        return str(self.args[0])

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return self.args[1], self.args[2]

    def _sympystr(self, printer: Any, **_: Any) -> str:
        return self.name


class Entrywise(Typeset, MatrixExpr):
    """A matrix given by a formula for its entry, in row and column multi-indices (slowest first).

    `row` and `col` list pairs (index symbol, range); the formula may hold Kronecker deltas of the
    indices and entries of matrix symbols.

    >>> from sympy import KroneckerDelta, symbols
    >>> n, i, j = symbols("n i j", integer=True)
    >>> explicit(Entrywise(KroneckerDelta(i, j), [(i, n)], [(j, n)]), {n: 2})
    Matrix([
    [1, 0],
    [0, 1]])
    """

    def __new__(cls, formula: Any, row: Any, col: Any, name: str | Symbol = "") -> Entrywise:
        return super().__new__(cls, formula, Tuple(*row), Tuple(*col), Symbol(str(name) or "_"))

    @property
    def formula(self) -> Expr:
        return self.args[0]

    @property
    def own_indices(self) -> set[Any]:
        return {index for side in self.args[1:3] for index, _ in side} | {self.args[3]}

    @property
    def free_symbols(self) -> set[Any]:
        ends = (size.free_symbols for side in self.args[1:3] for _, size in side)
        return (self.formula.free_symbols - self.own_indices).union(*ends)

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return prod(r for _, r in self.args[1]), prod(r for _, r in self.args[2])

    def entries_at(self, evaluate: _Explicit) -> ImmutableDenseMatrix:
        """All entries, written out; `evaluate` gives the value of sizes and matrix symbols."""
        rows, cols = (self._places(side, evaluate) for side in self.args[1:3])
        entries = [[evaluate.beside({**r, **c})(self.formula) for c in cols] for r in rows]
        return ImmutableDenseMatrix(entries)

    @staticmethod
    def _places(side: Tuple, evaluate: Any) -> list[dict[Any, Any]]:
        """Every value of a multi-index, the last index running fastest."""
        ranges = (map(Integer, range(whole(evaluate(size)))) for _, size in side)
        return [dict(zip((i for i, _ in side), at, strict=True)) for at in product(*ranges)]


def ones(rows: Any, cols: Any = 1) -> OneMatrix:
    """The all-ones matrix 1_{rows x cols}; a column when `cols` is left out."""
    return OneMatrix(rows, cols)


def explicit(expression: Any, values: Mapping[Any, Any]) -> Any:
    """Evaluate `expression` exactly at a point, writing every matrix out entry by entry.

    `values` maps symbols to numbers and matrix symbols (or `Shaped` matrices) to explicit matrices.
    Returns a SymPy number or an `ImmutableDenseMatrix`; a tuple is evaluated part by part.

    Raises `KeyError` when a matrix has no value, and SymPy's `ShapeError` when shapes disagree.

    >>> from sympy import Matrix, MatrixSymbol, symbols
    >>> n, d = symbols("n d", integer=True, positive=True)
    >>> X = MatrixSymbol("X", n, d)
    >>> explicit(FrobSq(X) / n, {n: 2, d: 1, X: Matrix([[1], [3]])})
    5
    """
    if isinstance(expression, tuple):
        return tuple(explicit(part, values) for part in expression)
    return _Explicit(values)(sympify(expression))


def scalar_at(expression: Any, point: Mapping[Any, Any]) -> Any:
    """The value of a scalar at a point; remembered where it is made of exact numbers alone.

    >>> n = Symbol("n")
    >>> scalar_at(1 / n, {n: Integer(2)}), scalar_at(3, {})
    (1/2, 3)
    """
    e = sympify(expression)
    if e.is_number:
        return e
    known = exact_scalars(e, point)
    return explicit(e, point) if known is None else explicit_scalar(e, known)


def exact_scalars(e: Any, point: Mapping[Any, Any]) -> tuple[tuple[Any, Any], ...] | None:
    """The numbers that a scalar is made of; None where it is made of matrices, or some are not exact."""
    names = _scalars_in(e)
    if names is None:
        return None
    known = tuple((name, value) for name in names if (value := point.get(name)) is not None)
    exact = all(isinstance(value, Expr) or type(value) is int for _, value in known)
    return known if exact else None


@lru_cache(maxsize=4096)
def _scalars_in(e: Any) -> tuple[Any, ...] | None:
    """The symbols of a scalar; None where it is made of matrices."""
    return None if e.has(MatrixExpr) else tuple(e.free_symbols)


@lru_cache(maxsize=1 << 14)
def explicit_scalar(e: Any, known: tuple[tuple[Any, Any], ...]) -> Any:
    """A scalar with exact numbers for its symbols."""
    return explicit(e, dict(known))


def _explicit(value: Any) -> ImmutableDenseMatrix:
    return value if isinstance(value, ImmutableDenseMatrix) else ImmutableDenseMatrix(value)


class _Explicit:
    def __init__(self, values: Mapping[Any, Any]):
        self.values = values

    @cached_property
    def scalars(self) -> dict[Any, Any]:
        return {k: sympify(v) for k, v in self.values.items() if not isinstance(k, MatrixExpr)}

    @cached_property
    def matrices(self) -> dict[Any, ImmutableDenseMatrix]:
        return {k: _explicit(v) for k, v in self.values.items() if isinstance(k, MatrixExpr)}

    def __call__(self, e: Any) -> Any:
        if isinstance(e, MatrixExpr):
            return self.matrix(e)
        return self.scalar(e)

    def beside(self, more: Mapping[Any, Any]) -> _Explicit:
        """The same with values for more symbols."""
        made = _Explicit({**self.values, **more})
        made.matrices = self.matrices
        return made

    def size(self, e: Any) -> int:
        return whole(self.scalar(e))

    def scalar(self, e: Any) -> Any:
        if not e.args or e in self.scalars:
            return self.scalars.get(e, e)
        if isinstance(e, FrobSq):
            return sum((x**2 for x in self.matrix(e.args[0])), start=Integer(0))
        if isinstance(e, Total):
            return sum(self.matrix(e.args[0]), start=Integer(0))
        if isinstance(e, Trace):
            return self.matrix(e.args[0]).trace()
        if isinstance(e, MatrixElement):
            return self.entry(e)
        if isinstance(e, Sum | Product):  # an index may declare more than its range gives
            return self.total(e) if e.has(MatrixExpr) else totalled(put(apart(e), self.scalars))
        if isinstance(e, Piecewise):
            return self.branch(e)
        if isinstance(e, Relational):
            return built(e.func, *map(self, e.args))
        if isinstance(e, Add | Mul | Pow) or e.has(MatrixExpr):
            return built(e.func, *(self(a) for a in e.args))
        if isinstance(e, Application) and (names_in(e) or e.has(Sum, Product)):
            return built(e.func, *(self(a) for a in e.args))
        return e.xreplace(self.scalars)

    def entry(self, e: MatrixElement) -> Any:
        """An entry; at a negative place, where Python counts from the end, there is none."""
        matrix, i, j = self.matrix(e.parent), self.size(e.i), self.size(e.j)
        if not (0 <= i < matrix.rows and 0 <= j < matrix.cols):
            raise ValueError(f"{e}: no entry at {i}, {j} of a matrix of shape {matrix.shape}")
        return matrix[i, j]

    def total(self, e: Sum | Product) -> Any:
        """A sum of what is made of matrices, term by term; its last index is the outermost."""
        body, *inner, (index, low, high) = e.args[0], *map(tuple, e.args[1:])
        inside = type(e)(body, *inner) if inner else body
        places = range(self.size(low), self.size(high) + 1)
        terms = (self.beside({index: Integer(k)})(inside) for k in places)
        return built(Add if isinstance(e, Sum) else Mul, *terms)

    def branch(self, e: Piecewise) -> Any:
        """The first case whose condition holds; others may have no value here."""
        for case, condition in e.args:
            if (holds := self(condition)) == true:
                return self(case)
            if holds != false:
                raise TypeError(f"{e}: whether {holds} is not known at this point")
        raise TypeError(f"{e}: no condition holds at this point")

    def matrix(self, e: MatrixExpr) -> ImmutableDenseMatrix:
        if isinstance(e, ImmutableDenseMatrix):  # the value of a quantity, or a multiple of it
            return e
        if isinstance(e, MatrixSymbol | Shaped):
            return self.matrices[e]
        if isinstance(e, Named):
            return self.matrix(e.definition)
        if isinstance(e, Identity):
            return ImmutableDenseMatrix.eye(self.size(e.shape[0]))
        if isinstance(e, OneMatrix):
            return ImmutableDenseMatrix.ones(*map(self.size, e.shape))
        if isinstance(e, ZeroMatrix):
            return ImmutableDenseMatrix.zeros(*map(self.size, e.shape))
        if isinstance(e, Entrywise):
            return e.entries_at(self)
        if isinstance(e, Commutation):
            return e.explicit_matrix(*map(self.size, e.args))
        if isinstance(e, Transpose):
            return self.matrix(e.arg).T
        if isinstance(e, Inverse):
            return self.matrix(e.arg).inv()
        if isinstance(e, MatPow):
            return self.matrix(e.base) ** self.size(e.exp)
        if hasattr(e, "explicit_at"):  # a node of one paper alone
            return e.explicit_at(self.values)
        return self._compound(e)

    def _compound(self, e: MatrixExpr) -> ImmutableDenseMatrix:
        if isinstance(e, MatAdd):
            first, *rest = (self.matrix(a) for a in e.args)
            return sum(rest, start=first)
        if isinstance(e, MatMul):
            result: Any = Integer(1)
            for factor in e.args:
                result = result * self(factor)
            return ImmutableDenseMatrix(result)
        if isinstance(e, KroneckerProduct):
            result = self.matrix(e.args[0])
            for factor in e.args[1:]:
                result = _kronecker(result, self.matrix(factor))
            return result
        if isinstance(e, HadamardProduct):
            first, *rest = (self.matrix(a) for a in e.args)
            for factor in rest:
                first = first.multiply_elementwise(factor)
            return first
        raise TypeError(f"no explicit form for {type(e).__name__}: {e}")


def _kronecker(a: ImmutableDenseMatrix, b: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    (n, m), (p, q) = a.shape, b.shape
    return ImmutableDenseMatrix(n * p, m * q, lambda r, c: a[r // p, c // q] * b[r % p, c % q])
