r"""Lemma A.5 (App. A.3): second moments of a skip connection whose branch is centred given the stream.

Over finite laws: B takes S values, and A takes R values given each of them, with non-negative weights.
Every finite law of A and B with E[A|B] = 0 is one of these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixSymbol, Sum, Symbol, symbols

from claims.domain import Array, Computed, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant
from claims.noci2022.notation import source
from claims.row_weights import RowWeights
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import family

alpha = Symbol(r"\alpha", real=True)
p, q = symbols("p q", integer=True, positive=True)
streams = Symbol("S", integer=True, positive=True)
branches = Symbol("R", integer=True, positive=True)
s, t, row, other, column = (
    Symbol(name, integer=True, positive=True) for name in ("s", "t", "i", "i'", "j")
)
A, B = MatrixSymbol("A", streams * branches * p, q), MatrixSymbol("B", streams * p, q)
free = MatrixSymbol("F", streams * branches * p, q)
weights = MatrixSymbol("w", streams, branches)


def branch_value(at: Point, k: int, r: int, of: MatrixSymbol = A) -> Any:
    """The value of A in an outcome (or of what is centred to give it)."""
    size = int(at[p])
    first = ((int(k) - 1) * int(at[branches]) + int(r) - 1) * size
    return at[of][first : first + size, :]


def stream_value(at: Point, k: int) -> Any:
    size = int(at[p])
    return at[B][(int(k) - 1) * size : int(k) * size, :]


def centred(at: Point) -> Any:
    """Free values without their mean given B."""
    found = []
    for k in range(1, int(at[streams]) + 1):
        masses = list(at[weights].row(k - 1))
        values = [branch_value(at, k, r, free) for r in range(1, len(masses) + 1)]
        terms = (w * value for w, value in zip(masses, values, strict=True))
        mean = sum(terms, start=0 * values[0]) / sum(masses)
        found += [value - mean for value in values]
    return ImmutableDenseMatrix.vstack(*found)


chance = family(r"\pi_{{{}{}}}", lambda at, k, r: at[weights][k - 1, r - 1] / sum(at[weights]))
branch = family(
    r"A^{{({},{})}}_{{{}{}}}", lambda at, k, r, i, j: branch_value(at, k, r)[i - 1, j - 1]
)
stream = family(r"B^{{({})}}_{{{}{}}}", lambda at, k, i, j: stream_value(at, k)[i - 1, j - 1])

Outcome = Callable[[Point, int, int], Any]
MATRICES: dict[str, Outcome] = {
    "A": branch_value,
    "B": lambda at, k, _: stream_value(at, k),
    "D": lambda at, k, r: at[alpha] * branch_value(at, k, r) + stream_value(at, k),
}
"""A, B and D = alpha A + B in an outcome."""


def mean_over_outcomes(at: Point, value: Callable[[int, int], Any]) -> Expr:
    """The expectation of a function of the outcome."""
    masses, total = at[weights], sum(at[weights])
    places = ((k, r) for k in range(masses.rows) for r in range(masses.cols))
    terms = (masses[k, r] * value(k + 1, r + 1) for k, r in places)
    return sum(terms, start=Integer(0)) / total


def _products(matrix: Outcome) -> Callable[..., Expr]:
    def define(at: Point, i: int, j: int, k: int) -> Expr:
        def of(*outcome: int) -> Expr:
            value = matrix(at, *outcome)
            return value[i - 1, k - 1] * value[j - 1, k - 1]

        return mean_over_outcomes(at, of)

    return define


def _norm(matrix: Outcome) -> Callable[[Point], Expr]:
    return lambda at: mean_over_outcomes(at, lambda *o: sum(x**2 for x in matrix(at, *o)))


def _inner_products(matrix: Outcome) -> Callable[[Point], Expr]:
    """E C: all inner products between rows, added up."""
    return lambda at: mean_over_outcomes(at, lambda *o: sum(matrix(at, *o) * matrix(at, *o).T))


products = {
    name: family(
        rf"\mathbb E[{name}_{{{{{{0}}{{2}}}}}}{name}_{{{{{{1}}{{2}}}}}}]", _products(matrix)
    )
    for name, matrix in MATRICES.items()
}
norm = {
    name: Quantity(rf"\mathbb E\|{name}\|_F^2", _norm(matrix)) for name, matrix in MATRICES.items()
}
inner = {
    name: Quantity(rf"\mathbb E C({name})", _inner_products(matrix))
    for name, matrix in MATRICES.items()
}


def adds_up(of_branch: Any = alpha**2, of_stream: Any = 1) -> Formula:
    """The moments of D are so many times those of A plus so many times those of B."""

    def added(moments: dict[str, Any], *where: Any) -> Formula:
        at = {name: f(*where) if where else f for name, f in moments.items()}
        return Compare(at["D"], "=", of_branch * at["A"] + of_stream * at["B"])

    entries = added(products, row, other, column)
    everywhere = ForAll(row, 1, p, ForAll(other, 1, p, ForAll(column, 1, q, entries)))
    return everywhere & added(norm) & added(inner)


_given_b = Sum(chance(s, t) * branch(s, t, row, column), (t, 1, branches))
CENTRED_GIVEN_B = ForAll(
    s, 1, streams, ForAll(row, 1, p, ForAll(column, 1, q, Compare(_given_b, "=", 0)))
)
_law = (
    Size(p, 1, 2), Size(q, 1, 2), Size(streams, 1, 2), Size(branches, 1, 3), RowWeights(weights),
    Array(free), Array(B), Real(alpha),
)  # fmt: skip
centred_pair = Domain((*_law, Computed(A, centred, known=(CENTRED_GIVEN_B,))))
any_pair = Domain((*_law, Computed(A, lambda at: at[free])))
_small = {
    p: Integer(2), q: Integer(1), streams: Integer(2), branches: Integer(2), alpha: Integer(2),
    weights: ImmutableDenseMatrix([[1, 2], [3, 1]]), B: ImmutableDenseMatrix([1, 2, -1, 1]),
    free: ImmutableDenseMatrix([2, 3, -1, 0, 1, -1, -3, 3]),
}  # fmt: skip

skip_connection_adds_second_moments = Claim(
    id="noci2022.lemma-A.5",
    source=source("App. A.3", "Lemma A.5, Eq. (42)"),
    kind="expectation",
    title=(
        "Second moments of a skip connection add up when its branch is centred given the stream: for "
        "finite laws."
    ),
    statement=adds_up(),
    domain=centred_pair,
    hypotheses=(
        Hypothesis(r"D=\alpha A+B,\ \mathbb E[A\mid B]=0"),
        Hypothesis(
            r"\text{any finite law: } B=B^{(s)},\ A=A^{(s,t)}\ \text{with probability}\ \pi_{st},\ "
            r"s\le S,\ t\le R,\ \textstyle\sum_t\pi_{st}A^{(s,t)}=0"
        ),
    ),
    probes=(centred_pair.completed(_small),),
    mutants=(
        Mutant("alpha for alpha^2", adds_up(alpha)),
        Mutant("half the skip", adds_up(of_stream=Integer(1) / 2)),
        Mutant("(1 + alpha^2) B", adds_up(of_stream=1 + alpha**2)),
        Mutant("A not centred given B", adds_up(), domain=any_pair),
    ),
    printed=(
        r"\mathbb{E}[\mathbf{D}_{ij}\mathbf{D}_{i'j}] = \alpha^2 "
        r"\mathbb{E}[\mathbf{A}_{ij}\mathbf{A}_{i'j}] + "
        r"\mathbb{E}[\mathbf{B}_{ij}\mathbf{B}_{i'j}], \quad \mathbb{E} \|\mathbf{D}\|_F^2 = "
        r"\alpha^2 \mathbb{E} \|\mathbf{A}\|_F^2 + \mathbb{E} \|\mathbf{B}\|_F^2, \quad \mathbb{E} "
        r"C(\mathbf{D}) = \alpha^2 \mathbb{E} C(\mathbf{A}) + \mathbb{E} C(\mathbf{B})"
    ),
    note=(
        "Every finite law of $A$ and $B$ with $\\mathbb E[A\\mid B]=0$ is of the form stated. For the other "
        "laws of finite second moments the same two cross terms vanish, by conditioning on $B$."
    ),
)
