r"""Singular values under a change of rank $r$ (proof of Lemma A.6): they move by at most $r$ places.

A point holds both matrices with their singular vectors, factors $CD$ of $UV$ with as many columns as its
rank, unit vectors orthogonal to the columns of $C$ (`claims.naitsaada2025.crossings`), and how many squared
singular values of either matrix are above each of them all, and so above a level that none of them has.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from sympy import ImmutableDenseMatrix as Matrix
from sympy import Integer, MatrixSymbol, Rational, Sum, Symbol, floor

from claims.domain import Array, Computed, Condition, Domain, Point, Size
from claims.model import Claim, Hypothesis
from claims.naitsaada2025.crossings import crossing
from claims.naitsaada2025.interlacing import squared_singular_values
from claims.naitsaada2025.notation import source
from claims.naitsaada2025.stable_rank import decomposed
from claims.ranks import exact_rank
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.steps import built
from claims.terms import entry, family

i, j, a, c = (Symbol(name, integer=True) for name in "ijac")
n, k = (Symbol(name, integer=True, positive=True) for name in "nk")
r = Symbol("r", integer=True, nonnegative=True)
M, left, right = MatrixSymbol("M", n, n), MatrixSymbol("U", n, k), MatrixSymbol("V", k, n)
C, D, after = MatrixSymbol("C", n, r), MatrixSymbol("D", r, n), MatrixSymbol("M'", n, n)
SPECTRA = {
    matrix: (MatrixSymbol(f"s({matrix})", n, 1), MatrixSymbol(f"U({matrix})", n, n))
    for matrix in (M, after)
}
lower, upper = MatrixSymbol("z", n, n - r), MatrixSymbol("w", n, n - r)
CLOSE = Fraction(1, 10**30)
"""Squared singular values that differ by less are one."""
levels, above = MatrixSymbol("x", 2 * n, 1), MatrixSymbol("N", 2 * n, 2)


def changed(at: Point) -> Matrix:
    """M' = M + UV."""
    return Matrix(at[M] + at[left] * at[right])


def change(at: Point) -> Matrix:
    """M' - M."""
    return Matrix(at[left] * at[right])


@lru_cache(maxsize=256)
def factors(matrix: Matrix) -> tuple[Matrix, Matrix]:
    """C and D, with as many columns and rows as the rank, whose product it is."""
    first, second = matrix.rank_decomposition()
    return first, second


def rank(at: Point) -> Integer:
    """That of M' - M."""
    return Integer(exact_rank(change(at)))


own = family("s_{{{}}}^2(M)", lambda at, a: squared_singular_values(at[M])[a - 1])
others = family("s_{{{}}}^2(M')", lambda at, a: squared_singular_values(changed(at))[a - 1])


def both_spectra(at: Point) -> tuple[list[Fraction], list[Fraction]]:
    """Squared singular values of M and of M', to fifty digits."""
    one, two = (squared_singular_values(matrix) for matrix in (at[M], changed(at)))
    return list(map(Fraction, one)), list(map(Fraction, two))


def how_many_above(at: Point) -> list[tuple[int, int]]:
    """At each value of M, then of M': how many of either matrix are larger."""
    one, two = both_spectra(at)
    larger = lambda values, x: sum(v > x + CLOSE for v in values)  # noqa: E731
    return [(larger(one, x), larger(two, x)) for x in one + two]


def largest_gap(at: Point) -> Rational:
    """The largest difference of two empirical distribution functions: it is reached at a jump."""
    return Rational(max(abs(x - y) for x, y in how_many_above(at)), at[n])


def _counted(column: int, matrix: Any) -> tuple[Formula, ...]:
    """The first of the values of a matrix are above a level, so many as are counted, and no others."""
    count, root = entry(above)(j, column), entry(SPECTRA[matrix][0])(a, 1)
    whole = Compare(count, "=", built(floor, count))
    range_ = Compare(count, ">=", 0) & Compare(count, "<=", n)
    level = entry(levels)(j, 1)
    first = Compare(a, "<=", count).implies(Compare(root**2, ">", level))
    other = Compare(a, ">", count).implies(Compare(root**2, "<=", level))
    return (
        ForAll(j, 1, 2 * n, whole & range_),
        ForAll(j, 1, 2 * n, ForAll(a, 1, n, first & other)),
    )


COUNTED = {M: _counted(1, M), after: _counted(2, after)}
_term = entry(M)(i, j) + Sum(entry(C)(i, c) * entry(D)(c, j), (c, 1, r))
CHANGED = ForAll(i, 1, n, ForAll(j, 1, n, Compare(entry(after)(i, j), "=", _term)))
_factors = (
    Computed(r, rank, known=(Compare(r, "<=", k),)),
    Computed(C, lambda at: factors(change(at))[0]),
    Computed(D, lambda at: factors(change(at))[1]),
    Computed(after, changed, known=(CHANGED,)),
)
_crossings = tuple(
    crossing(symbol, SPECTRA[within][1], SPECTRA[apart][1], level=False, besides=C)
    for symbol, within, apart in ((lower, M, after), (upper, after, M))
)
_counts = (
    Computed(
        levels, lambda at: Matrix([Rational(str(x)) for one in both_spectra(at) for x in one])
    ),
    Computed(above, lambda at: Matrix(how_many_above(at)), known=(*COUNTED[M], *COUNTED[after])),
)

distribution_gap = Quantity(r"\|F_M-F_{M'}\|_\infty", largest_gap)
rank_of_change = Quantity(r"\mathrm{rank}(M-M')", rank)
low_rank = Domain(
    (
        Size(n, 2, 4), Size(k, 1, 2), Array(M), Array(left, 1), Array(right, 1), *_factors,
        *(found for matrix in SPECTRA for found in decomposed(matrix, *SPECTRA[matrix])),
        *_crossings, *_counts,
    ),
    (Condition.of(Compare(k, "<", n)),),
)  # fmt: skip
_bulk = Compare(distribution_gap, "<=", rank_of_change / n)
_low_rank = (
    Hypothesis(r"M,M'\in\mathbb R^{n\times n},\ \mathrm{rank}(M-M')\le k"),
    Hypothesis(r"s_1\ge s_2\ge\dots\ge s_n"),
)


def _interlacing(first: int, second: int) -> Any:
    """s_{i + first k}(M) <= s_i(M') <= s_{i + second k}(M), where all of them exist."""
    chained = Compare(own(i + first * k), "<=", others(i)) & Compare(
        others(i), "<=", own(i + second * k)
    )
    return ForAll(i, k + 1, n - k, chained)


singular_values_after_a_change_of_rank_k = Claim(
    id="naitsaada2025.lemma-A.6.thompson.repair",
    parent="naitsaada2025.lemma-A.6.thompson",
    source=source("App. A.3, proof of Lemma A.6"),
    kind="bound",
    title="A change of rank $k$ moves singular values by at most $k$ places, and the bulk by rank over $n$.",
    statement=ForAll(i, 1, n - k, Compare(own(i + k), "<=", others(i)) & Compare(others(i + k), "<=", own(i)))
    & _bulk,
    domain=low_rank,
    hypotheses=_low_rank,
    note="In decreasing order, the indices of the printed line change places.",
)  # fmt: skip

singular_values_after_a_change_of_rank_k_as_printed = Claim(
    id="naitsaada2025.lemma-A.6.thompson",
    source=source("App. A.3, proof of Lemma A.6"),
    kind="bound",
    title="A change of rank $k$ moves singular values by at most $k$ places, with the indices as printed.",
    statement=_interlacing(-1, 1) & _bulk,
    domain=Domain((Size(n, 3, 4), *low_rank.variables[1:]), low_rank.conditions),
    hypotheses=_low_rank,
    severity="misprint",
    repair=singular_values_after_a_change_of_rank_k,
    printed=(
        r"s_{i-k}(\mathbf{M}) \leq s_i(\mathbf{M}') \leq s_{i+k}(\mathbf{M}), \quad "
        r"\|F_{\mathbf{M}} - F_{\mathbf{M}'}\|_\infty \leq "
        r"\frac{\text{rank}(\mathbf{M} - \mathbf{M}')}{n}"
    ),
    note=(
        "Everywhere in the paper singular values are in decreasing order; as printed the line holds in "
        "increasing order. Lemma A.3 uses it the right way round."
    ),
)
