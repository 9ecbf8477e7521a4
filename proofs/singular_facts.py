r"""Classical facts about singular values, of any matrix and of large i.i.d. ones.

Matrices are given by their entries, as terms: `claims.singular.singular_values`.  Random ones are those of
`claims.iid_tables`, of which a statement is almost sure.
"""

from __future__ import annotations

from typing import Any

from sympy import Dummy, S, Sum, binomial, oo, sqrt
from sympy.core.function import AppliedUndef

from claims.almost_surely import AlmostSurely, drawn_with, entries_in, is_fixed
from claims.iid_tables import Tables
from claims.singular import Written, written_of
from claims.statement import And, Compare, ForAll, Formula, Implies, Tends
from claims.terms import MaxOver, MinOver
from proofs.fact_terms import (
    Fact,
    free_of,
    require_finite,
    require_indices,
    require_integer,
    require_real,
    require_sizes,
    sum_over,
)

__all__ = [
    "GAUSSIAN_LENGTH", "INTERLACING", "NORMS", "PRODUCT", "QUARTER_CIRCLE", "RANK_ONE", "ROW_SUMS", "SOFT_EDGE",
    "WEYL",
]  # fmt: skip


def _matrix(values: Any, *indices: Any, kind: str = "singular") -> Written:
    """The matrix of which a term is a singular value; its sizes and places are free of the indices."""
    matrix = written_of(values.func)
    if matrix is None or matrix.kind != kind:
        raise ValueError(f"{values}: is none of the {kind} values of a matrix")
    require_sizes(*values.args[:3])
    require_integer(*values.args[3:])
    require_finite(*values.args)
    require_real(matrix.entry)
    for index in indices:
        for term in (
            *values.args,
            matrix.at(Dummy(integer=True), Dummy(integer=True), *values.args[3:]),
        ):
            free_of(term, index)
    return matrix


def _entries(values: Any, matrix: Written, i: Any, k: Any) -> Any:
    return matrix.at(i, k, *values.args[3:])


def _everywhere(values: Any, i: Any, k: Any, formula: Formula) -> Formula:
    """For all rows and columns of a matrix."""
    _, rows, columns, *_ = values.args
    return ForAll(i, 1, rows, ForAll(k, 1, columns, formula))


def _next(values: Any) -> Any:
    """The following singular value of the same matrix."""
    place, *others = values.args
    return values.func(place + 1, *others)


def _first(values: Any) -> Any:
    _, *others = values.args
    return values.func(1, *others)


def _require_alike(values: Any, other: Any) -> None:
    if values.args[:3] != other.args[:3]:
        raise ValueError(
            f"{values}, {other}: are singular values of different place or matrices of different size"
        )


def _interlacing(
    values: Any, other: Any, scale: Any, direction: Any, low: Any, high: Any, i: Any, k: Any
) -> Any:
    r"""$M=DN(I-vv^\top)$ with $a\le D\le b$, $|v|\le1$: $a\,s_{j+1}(N)\le s_j(M)\le b\,s_j(N)$."""
    require_indices(i, k)
    require_integer(i, k)
    require_real(scale, direction, low, high)
    matrix, before = _matrix(values, i, k), _matrix(other, i, k)
    _require_alike(values, other)
    for term in (scale, low, high):
        free_of(term, k)
    for term in (direction, low, high):
        free_of(term, i)
    _, rows, columns, *_ = values.args
    own, over = _entries(other, before, i, k), (k, 1, columns)
    taken = sum_over(own * direction, over)
    same = Compare(_entries(values, matrix, i, k), "=", scale * (own - taken * direction))
    return (
        _everywhere(values, i, k, same),
        Compare(sum_over(direction**2, over), "<=", 1),
        Compare(low, ">=", 0),
        ForAll(i, 1, rows, And((Compare(low, "<=", scale), Compare(scale, "<=", high)))),
    ), And((Compare(values, "<=", high * other), Compare(low * _next(other), "<=", values)))


def _rank_one(values: Any, other: Any, left: Any, right: Any, norm: Any, i: Any, k: Any) -> Any:
    r"""$M=N+uv^\top$, $|u|^2|v|^2\le c$: $s_{j+1}(M)\le s_j(N)$, and $s_1^2(M)\le s_1^2(N)+c$ if $Nv=0$."""
    require_indices(i, k)
    require_integer(i, k)
    require_real(left, right, norm)
    matrix, before = _matrix(values, i, k), _matrix(other, i, k)
    _require_alike(values, other)
    free_of(left, k)
    free_of(right, i)
    for index in (i, k):
        free_of(norm, index)
    _, rows, columns, *_ = values.args
    own = _entries(other, before, i, k)
    squares = sum_over(left**2, (i, 1, rows)) * sum_over(right**2, (k, 1, columns))
    across = ForAll(i, 1, rows, Compare(sum_over(own * right, (k, 1, columns)), "=", 0))
    apart = Compare(_first(values) ** 2, "<=", _first(other) ** 2 + norm)
    return (
        _everywhere(values, i, k, Compare(_entries(values, matrix, i, k), "=", own + left * right)),
        Compare(squares, "<=", norm),
    ), And((Compare(_next(values), "<=", other), Implies(across, apart)))


def _product(values: Any, left: Any, right: Any, i: Any, k: Any, l: Any) -> Any:  # noqa: E741
    r"""$M=BN$: $s_{i+j-1}(M)\le s_i(B)s_j(N)$."""
    require_indices(i, k, l)
    require_integer(i, k, l)
    matrix, first, second = (_matrix(term, i, k, l) for term in (values, left, right))
    (place, rows, columns), (one, top, inner), (other, across, wide) = (
        term.args[:3] for term in (values, left, right)
    )
    if (place, rows, columns, inner) != (one + other - 1, top, wide, across):
        raise ValueError(f"{values}: is no singular value of a product of {left} and {right}")
    terms = _entries(left, first, i, l) * _entries(right, second, l, k)
    same = Compare(_entries(values, matrix, i, k), "=", sum_over(terms, (l, 1, inner)))
    return (_everywhere(values, i, k, same),), Compare(values, "<=", left * right)


def _norms(values: Any, x: Any, i: Any, k: Any) -> Any:
    r"""$0\le s_{j+1}(M)\le s_j(M)$, and $|xM|\le s_1(M)|x|$ for every row x."""
    require_indices(i, k)
    require_integer(i, k)
    require_real(x)
    free_of(x, k)
    matrix = _matrix(values, i, k)
    _, rows, columns, *_ = values.args
    mixed = sum_over(
        sum_over(x * _entries(values, matrix, i, k), (i, 1, rows)) ** 2, (k, 1, columns)
    )
    longest = _first(values) ** 2 * sum_over(x**2, (i, 1, rows))
    order = Compare(_next(values), ">=", 0), Compare(_next(values), "<=", values)
    return (), And((*order, Compare(mixed, "<=", longest)))


def _weyl(modulus: Any, values: Any, i: Any, k: Any) -> Any:
    r"""$|\lambda_1\lambda_2|\le s_1s_2$; where rows sum to one, one is an eigenvalue."""
    require_indices(i, k)
    require_integer(i, k)
    first, matrix = _matrix(modulus, i, k, kind="eigenvalues"), _matrix(values, i, k)
    place, rows, columns, *_ = modulus.args
    anywhere = Dummy("i", integer=True), Dummy("k", integer=True)  # so that no bound name changes
    same = _entries(modulus, first, *anywhere) == _entries(values, matrix, *anywhere)
    if place != 2 or rows != columns or not same:
        raise ValueError(f"{modulus}: is not the second eigenvalue of the matrix of {values}")
    _require_alike(modulus, values)
    total = sum_over(_entries(values, matrix, i, k), (k, 1, columns))
    whole = ForAll(i, 1, rows, Compare(total, "=", 1))
    largest = Compare(_first(modulus), ">=", 1)
    product = Compare(_first(modulus) * modulus, "<=", _first(values) * values)
    return (), And((Compare(modulus, ">=", 0), product, Implies(whole, largest)))


# Large matrices -----------------------------------------------------------------------------------


def _tables(term: Any) -> Tables:
    """Of which tables a term is an entry, or one of the Gaussian matrices beside them.

    A class of its own might ask less of a law.
    """
    tables = drawn_with(getattr(term.func, "variable", None))
    if type(tables) is not Tables or term.func not in (tables.entries, tables.weights):
        raise ValueError(f"{term}: is an entry of no i.i.d. table")
    return tables


def _iid(values: Any, size: Any, layer: Any) -> tuple[Tables, Any, tuple[Formula, ...]]:
    """The tables that have the entries of a matrix, less their mean; their deviation, and what is asked."""
    require_indices(size, layer)
    require_sizes(size, layer)
    matrix, (place, *shape) = _matrix(values), values.args[:3]
    for term in (place, *(end / size for end in shape)):
        require_sizes(term)
        free_of(term, size)
        free_of(term, layer)
    functions = matrix.entry.atoms(AppliedUndef)
    if len(functions) != 1:
        raise ValueError(f"{values}: are not those of an i.i.d. matrix")
    (applied,) = functions
    tables, i, k = _tables(applied), Dummy("i", integer=True), Dummy("k", integer=True)
    centred = tables.entries(layer, i, k) - tables.mean
    gaussian = tables.weights(layer, size, i, k)
    found = _entries(values, matrix, i, k)
    if found not in (centred, gaussian):
        raise ValueError(f"{values}: are not those of the table {layer}, less its mean")
    if found == gaussian:
        return tables, S.One, ()
    return tables, tables.deviation, tables.lawful


def _in_every_layer(tables: Tables, layer: Any, formula: Formula) -> AlmostSurely:
    return AlmostSurely(tables, ForAll(layer, 1, oo, formula))


def _soft_edge(values: Any, size: Any, layer: Any) -> Any:
    r"""$n^{-1/2}s_j\to\sigma(\sqrt a+\sqrt b)$ for centred entries, an rows and bn columns, every fixed j."""
    tables, deviation, given = _iid(values, size, layer)
    rows, columns = (end / size for end in values.args[1:3])
    edge = deviation * (sqrt(rows) + sqrt(columns))
    return given, _in_every_layer(tables, layer, Tends(values / sqrt(size), size, edge))


def _quarter_circle(values: Any, place: Any, size: Any, layer: Any, power: Any) -> Any:
    r"""$n^{-1}\sum_j(n^{-1/2}s_j)^{2p}\to C_p\sigma^{2p}$ for centred entries, n rows and n columns."""
    require_indices(place, size, layer)
    require_sizes(place, power)
    for index in (place, size, layer):
        free_of(power, index)
    if values.args[:3] != (place, size, size):
        raise ValueError(f"{values}: is not the singular value {place} of a square matrix")
    one = values.func(1, *values.args[1:])
    tables, deviation, given = _iid(one, size, layer)
    mean = sum_over(values ** (2 * power), (place, 1, size)) / size ** (power + 1)
    catalan = binomial(2 * power, power) / (power + 1)
    return given, _in_every_layer(
        tables, layer, Tends(mean, size, catalan * deviation ** (2 * power))
    )


def _row_sums(entry: Any, row: Any, column: Any, size: Any, layer: Any) -> Any:
    r"""$n/\sum_{k\le n}Z_{ik}$ tends to 1/m, for all the first n rows at once; the sums are positive."""
    require_indices(row, column, size, layer)
    require_integer(row, column)
    require_sizes(size, layer)
    tables = _tables(entry)
    if entry != tables.entries(layer, row, column):
        raise ValueError(f"{entry}: is no entry of the table {layer}")
    total, over = sum_over(entry, (column, 1, size)), (row, 1, size)
    ends = (Tends(kind(size / total, over), size, 1 / tables.mean) for kind in (MinOver, MaxOver))
    positive = ForAll(size, 1, oo, ForAll(*over, Compare(total, ">", 0)))
    return tables.lawful, _in_every_layer(tables, layer, And((positive, *ends)))


def _length(row: Any, product: Any, i: Any, k: Any, size: Any, count: Any) -> Any:
    r"""$(bn)^{t+1}|x|^2/|xW_1\cdots W_{t+1}|^2\to1$ for a row x of the tables, never zero; bn columns each.

    `row` is $x_i$, and `product` an entry of $W_1\cdots W_{t+1}$.  Given x the squared length is that of x
    times a product of independent chi-squares of bn degrees of freedom.
    """
    require_indices(i, k, size, count)
    require_integer(i, k)
    require_sizes(size, count + 1)
    require_real(row)
    recursion = getattr(product.func, "recursion", None)
    if recursion is None or product.args != (count, size, i, k):
        raise ValueError(f"{product}: is no entry of a product of {count} matrices more than one")
    (t, own, top, side), start, step = recursion.written
    tables, inner = _tables(start), step.args[1][0] if isinstance(step, Sum) else None
    if inner is None or start != tables.weights(1, own, top, side):
        raise ValueError(f"{product}: does not begin with the first of the weights")
    wide = step.args[1][2]
    factor = product.func(t, own, top, inner) * tables.weights(t + 2, own, inner, side)
    require_sizes(wide / own)
    for index in (own, size, count, i, k):
        free_of(wide / own, index)
    if step != Sum(factor, (inner, 1, wide)):
        raise ValueError(f"{product}: is not multiplied by the next of the weights")
    inside = {made for applied in row.atoms(AppliedUndef) for made in entries_in(applied.func)}
    drawn = {made for made in inside if drawn_with(getattr(made, "variable", None)) is not None}
    if not is_fixed(row, (tables,)) or not drawn <= {tables.entries}:
        raise ValueError(f"{row}: may depend on the weights, or on another outcome")
    for index in (k, count):
        free_of(row, index)
    columns = wide / own * size
    total = sum_over(row**2, (i, 1, size))
    mixed = sum_over(sum_over(row * product, (i, 1, size)) ** 2, (k, 1, columns))
    each = Tends(columns ** (count + 1) * total / mixed, size, S.One)
    positive = (ForAll(size, 1, oo, Compare(term, ">", 0)) for term in (total, mixed))
    given, kept = positive
    return (), AlmostSurely(tables, ForAll(count, 0, oo, Implies(given, And((kept, each)))))


_ANALYSIS = "R. A. Horn, C. R. Johnson, Topics in Matrix Analysis"
INTERLACING = Fact(
    "singular values of a matrix with scaled rows and one direction taken out",
    f"{_ANALYSIS}, Thm 3.3.16 (c) and (d)", _interlacing,
)  # fmt: skip
RANK_ONE = Fact(
    "singular values and a change of rank one", f"{_ANALYSIS}, Thm 3.3.16 (a) and (c)", _rank_one
)
PRODUCT = Fact("singular values of a product", f"{_ANALYSIS}, Thm 3.3.16 (b)", _product)
NORMS = Fact(
    "the largest singular value is a norm, and they are in order",
    f"{_ANALYSIS}, Thm 3.1.1 and 3.1.2", _norms,
)  # fmt: skip
WEYL = Fact("eigenvalues and singular values", f"{_ANALYSIS}, Thm 3.3.2 (Weyl)", _weyl)
SOFT_EDGE = Fact(
    "largest singular values of i.i.d. matrices",
    "Y. Q. Yin, Z. D. Bai, P. R. Krishnaiah, Probab. Theory Related Fields 78 (1988), 509-521; the first "
    "ones meet by V. A. Marchenko, L. A. Pastur, Math. USSR-Sb. 1 (1967), 457-483; for Gaussian entries of "
    "any dependence between sizes, K. R. Davidson, S. J. Szarek, Thm II.13", _soft_edge,
)  # fmt: skip
QUARTER_CIRCLE = Fact(
    "moments of the quarter-circle law",
    "V. A. Marchenko, L. A. Pastur, Math. USSR-Sb. 1 (1967), 457-483, with the bounded norm of Y. Q. Yin, "
    "Z. D. Bai, P. R. Krishnaiah, Probab. Theory Related Fields 78 (1988), 509-521", _quarter_circle,
)  # fmt: skip
ROW_SUMS = Fact(
    "means of all rows of an i.i.d. table", "Z. D. Bai, Y. Q. Yin, Ann. Probab. 21 (1993), Lemma 2",
    _row_sums,
)  # fmt: skip
GAUSSIAN_LENGTH = Fact(
    "length of a row through Gaussian matrices",
    "S. Boucheron, G. Lugosi, P. Massart, Concentration Inequalities, Sec. 2.4 (tails of chi-squares), and "
    "the Borel-Cantelli lemma", _length,
)  # fmt: skip
