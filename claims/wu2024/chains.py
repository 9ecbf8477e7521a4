r"""App. F.1, from (30) to (32): chains of generalised eigenvectors and the printed value matrices.

Eigenvectors are rows: v is a generalised eigenvector of rank m for eigenvalue 1 when
v (W_V - I)^m = 0 and v (W_V - I)^{m-1} != 0.  Test points walk a chain (30) down from any row
under any unipotent W_V.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import ImmutableDenseMatrix, Integer, KroneckerDelta, MatrixSymbol, Sum, Symbol

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Real, Size
from claims.expressions import Entrywise
from claims.model import Claim, Hypothesis, Mutant, Relation, Understood
from claims.statement import Compare, Exists, ForAll, Formula, Quantity
from claims.terms import entry, family
from claims.wu2024.equilibria import equilibrium_rows_follow_one_another
from claims.wu2024.notation import WV, d, k, source, w
from claims.wu2024.setup import jordan

JORDAN = Hypothesis(r"W_V\ \text{as in (31)},\ w>1")
row, col = (Symbol(name, integer=True, nonnegative=True) for name in ("a", "b"))

T = MatrixSymbol("T", d, d)
v = MatrixSymbol("v", 1, d)
after = MatrixSymbol("X_{i+1,:}", 1, d)


def _unipotent(at: Point) -> ImmutableDenseMatrix:
    size = int(at[d])
    return ImmutableDenseMatrix(
        size, size, lambda a, b: at[T][a, b] if b > a else KroneckerDelta(a, b)
    )


def eigenvector_rank(start: Any, value: Any) -> int:
    """The least m with v (W - I)^m = 0; that v is a generalised eigenvector says that there is one."""
    shift = value - ImmutableDenseMatrix.eye(value.rows)
    m = 0
    while any(start):
        start, m = start * shift, m + 1
    return m


def walked(at: Point, j: int) -> ImmutableDenseMatrix:
    """X_j, from X_k = v by (30): X_i = X_{i+1} - X_{i+1} W_V."""
    token = at[v]
    for _ in range(int(chain_length.define(at)) - j):
        token = token - token * at[WV]
    return token


def _all_tokens(at: Point) -> list[ImmutableDenseMatrix]:
    return [walked(at, j) for j in range(1, int(chain_length.define(at)) + 1)]


chain_length = Quantity(
    "k", lambda at: Integer(eigenvector_rank(at[v], at[WV])), integer=True, positive=True
)
"""The rank of X_k = v as a generalised eigenvector."""
token_entry = family("X_{{{},{}}}", lambda at, j, b: walked(at, j)[0, b - 1])
power_entry = family(
    r"\left(X_k(I-W_V)^{{{}}}\right)_{{{}}}",
    lambda at, m, b: (at[v] * (ImmutableDenseMatrix.eye(int(at[d])) - at[WV]) ** m)[0, b - 1],
)
image_entry = family("(X_{{{}}}W_V)_{{{}}}", lambda at, j, b: (walked(at, j) * at[WV])[0, b - 1])
coefficients = MatrixSymbol("c", 1, d)
"""Coefficients of a combination of the tokens; those from k + 1 on are not used."""
_j, _b = (Symbol(name, integer=True) for name in ("j", "b"))
_chained = ForAll(
    _j,
    1,
    chain_length,
    ForAll(_b, 1, d, Compare(token_entry(_j, _b), "=", power_entry(chain_length - _j, _b))),
)
_combined = Sum(entry(coefficients)(1, _j) * token_entry(_j, _b), (_j, 1, chain_length))
nothing_combined = ForAll(_b, 1, d, Compare(_combined, "=", 0))
trivially_combined = ForAll(_j, 1, chain_length, Compare(entry(coefficients)(1, _j), "=", 0))
stays = ForAll(_b, 1, d, Compare(image_entry(_j, _b), "=", token_entry(_j, _b)))
"""X_j is a fixed row of W_V."""
_one_eigenvector = ForAll(_j, 1, chain_length, stays.iff(Compare(_j, "=", 1)))


@dataclass(frozen=True)
class Unipotent(Computed):
    """W_V with eigenvalue 1 alone; and what the rank k of X_k for it is."""

    def facts(self) -> tuple[Formula, ...]:
        none = Compare(power_entry(chain_length, _b), "=", 0)
        last = Compare(power_entry(chain_length - 1, _b), "!=", 0)
        return ForAll(_b, 1, d, none), Exists(_b, 1, d, last), Compare(chain_length, "<=", d)


equilibrium_rows_are_a_jordan_chain = Claim(
    id="wu2024.app-F.jordan-chain",
    source=source("App. F.1", "after (30)"),
    kind="construction",
    title="Rows that obey (30) down from a generalised eigenvector are its Jordan chain, independent.",
    statement=_chained & nothing_combined.implies(trivially_combined) & _one_eigenvector,
    domain=Domain(
        (Size(d, 1, 4), Array(T), Array(v), Unipotent(WV, _unipotent), Array(coefficients)),
        (Condition(r"X_k\ne0", lambda at: any(at[v])),),
    ),
    hypotheses=(
        Hypothesis(r"(30)"),
        Hypothesis(r"X_k\ \text{of rank}\ k\ \text{for eigenvalue }1"),
    ),
    uses=(equilibrium_rows_follow_one_another,),
    mutants=(
        Mutant("rank d whatever v", Exists(_b, 1, d, Compare(power_entry(d - 1, _b), "!=", 0))),
        Mutant("every token an eigenvector", ForAll(_j, 1, chain_length, stays)),
    ),
    understood=(
        Understood(
            "a Jordan chain is formed with $I - W_V$, as in (30); with $W_V - I$ its signs alternate",
            "$k = 2$: $X_1 = X_2(I - W_V) = -X_2(W_V - I)$",
        ),
    ),
    note=(
        "(30) gives the chain under $I - W_V$, which is the Jordan chain of $W_V - I$ with "
        "alternating signs; independence, that no combination $c$ of the rows vanishes but the trivial "
        "one, does not depend on them."
    ),
)

# The printed value matrices ------------------------------------------------------------------------


def printed_matrix(at: Point) -> ImmutableDenseMatrix:
    """Ones on the diagonal, w above it in the last k rows: I for k = 1, (31) for k = d."""
    size, long = int(at[d]), int(at[k])
    upper = size - long
    tail = jordan(long, at[w])
    return ImmutableDenseMatrix(
        size,
        size,
        lambda a, b: tail[a - upper, b - upper] if min(a, b) >= upper else KroneckerDelta(a, b),
    )


def _power_of_shift(at: Point, m: int) -> ImmutableDenseMatrix:
    return (at[WV] - ImmutableDenseMatrix.eye(int(at[d]))) ** m


shift_power = family(
    r"\left((W_V-I)^{{{}}}\right)_{{{},{}}}",
    lambda at, m, a, b: _power_of_shift(at, m)[a - 1, b - 1],
)


def _printed(rank: Size, weight: Any) -> Domain:
    fits = Condition(r"k\le d", lambda at: at[k] <= at[d], Compare(k, "<=", d))
    matrix = Computed(WV, lambda at: printed_matrix(at) if at[k] <= at[d] else None)
    return Domain((rank, Size(d, 1, 5), weight, matrix), (fits,))


_a = Symbol("a", integer=True)
_none_longer = ForAll(_a, 1, d, ForAll(_b, 1, d, Compare(shift_power(k, _a, _b), "=", 0)))
_one_so_long = Compare(shift_power(k - 1, d - k + 1, d), "!=", 0)
printed_matrices_have_chains_of_length_k = Claim(
    id="wu2024.app-F.example-matrices",
    source=source("App. F.1", "examples k = 1, 2, 3, N and Eq. (31)"),
    kind="construction",
    title="The printed value matrix for $k$ has a generalised eigenvector of rank $k$ for eigenvalue $1$.",
    statement=_one_so_long & _none_longer,
    domain=_printed(Size(k, 1, 4), Real(w, 1, open_low=True)),
    hypotheses=(
        Hypothesis(r"w>1"),
        Hypothesis(r"W_V=I_d+w\textstyle\sum_{a=d-k+1}^{d-1}e_ae_{a+1}^\top,\ 1\le k\le d"),
    ),
    mutants=(
        Mutant(
            "w = 0",
            _one_so_long & _none_longer,
            domain=_printed(Size(k, 2, 4), Choice(w, (Integer(0),))),
        ),
    ),
    note=(
        "$e_{d-k+1}$ has rank $k$, and no row has a greater rank. "
        "Printed for $k = 1, 2, 3$ and, as (31), for $k = N = d$; the pattern between them is "
        "continued.  In the matrices for $k = 2$ and $3$ one row shows only zeros, its one being "
        "among the dots."
    ),
)

# Eq. (32) ------------------------------------------------------------------------------------------

_SHIFTED = r"X_{i+1,:}(I-W_V)"


def moved(places: int) -> Entrywise:
    """S^places: row x becomes [0, ..., 0, x_1, ..., x_{d-places}]."""
    name = "S" if places == 1 else f"S^{places}"
    return Entrywise(KroneckerDelta(row + places, col), [(row, d)], [(col, d)], name)


rows_shift_by_one_place = Claim(
    id="wu2024.app-F.eq-32",
    source=source("App. F.1", "display before (32) and Eq. (32)"),
    kind="identity",
    title="For (31), $X_{i+1}(I - W_V)$ is $X_{i+1}$ times $-w$, moved one place to the right.",
    statement=Relation(_SHIFTED, (-w * after * moved(1),)),
    domain=Domain(
        (
            Size(d, 1, 5),
            Real(w, 1, open_low=True),
            Array(after),
            Computed(WV, lambda at: jordan(int(at[d]), at[w])),
        )
    ),
    define=lambda at: at[after] * (ImmutableDenseMatrix.eye(int(at[d])) - at[WV]),
    hypotheses=(JORDAN, Hypothesis(r"xS=[0,x_1,\dots,x_{d-1}]")),
    printed=(
        r"[0, -wX_{i+1,1}, -wX_{i+1,2}, \dots, -wX_{i+1,d-1}] = "
        r"[X_{i,1}, X_{i,2}, X_{i,3}, \dots, X_{i,d}]"
    ),
    understood=(
        Understood(
            "the display before (32) multiplies: $X_{i+1}\\,[\\dots] = X_i$",
            "as it stands, $X_{i+1} = [\\dots] = X_i$, a row equals a matrix: for $d = 2$ the shapes "
            "are $1\\times2$ and $2\\times2$",
        ),
    ),
    note="(32) sets this row equal to $X_i$, which is (30).",
)
