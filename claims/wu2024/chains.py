r"""App. F.1, from (30) to (32): chains of generalised eigenvectors and the printed value matrices.

Eigenvectors are rows: v is a generalised eigenvector of rank m for eigenvalue 1 when
v (W_V - I)^m = 0 and v (W_V - I)^{m-1} != 0.  Test points walk a chain (30) down from any row
under any unipotent W_V.
"""

from __future__ import annotations

from typing import Any

from sympy import ImmutableDenseMatrix, Integer, KroneckerDelta, MatrixSymbol, Symbol

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Real, Size
from claims.expressions import Entrywise
from claims.model import Claim, Hypothesis, Mutant, Relation, Understood, variants
from claims.statement import Quantity
from claims.wu2024.equilibria import after, equilibrium_rows_follow_one_another
from claims.wu2024.notation import WV, d, k, source, w
from claims.wu2024.setup import jordan

JORDAN = Hypothesis(r"W_V\ \text{as in (31)},\ w>1")
row, col = (Symbol(name, integer=True, nonnegative=True) for name in ("a", "b"))

T = MatrixSymbol("T", d, d)
v = MatrixSymbol("v", 1, d)


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


def tokens_below(at: Point) -> list[Any]:
    """X_k = v, X_{k-1}, ..., X_1 by (30), as many as the rank of v."""
    tokens = [at[v]]
    for _ in range(eigenvector_rank(at[v], at[WV]) - 1):
        tokens.append(tokens[-1] - tokens[-1] * at[WV])  # (30): X_i = X_{i+1} - X_{i+1} W_V
    return tokens


def _farthest_from_the_chain(at: Point) -> Any:
    """max_j min_sign |X_j - sign X_k (W_V - I)^{k-j}|, over entries."""
    shift = at[WV] - ImmutableDenseMatrix.eye(int(at[d]))
    pairs = ((token, at[v] * shift**m) for m, token in enumerate(tokens_below(at)))
    return max(
        min(max(abs(e) for e in token - sign * power) for sign in (1, -1)) for token, power in pairs
    )


rank_of_row = Quantity(
    r"\min\{m:\ X_k(W_V-I)^m=0\}", lambda at: Integer(eigenvector_rank(at[v], at[WV])), integer=True
)
rank_of_tokens = Quantity(
    r"\operatorname{rank}[X_1;\dots;X_k]",
    lambda at: Integer(ImmutableDenseMatrix.vstack(*tokens_below(at)).rank()), integer=True,
)  # fmt: skip
distance_from_chain = Quantity(
    r"\max_j\min_{\pm}\|X_j\mp X_k(W_V-I)^{k-j}\|_\infty", _farthest_from_the_chain
)
eigenvectors = Quantity(
    r"|\{j:\ X_jW_V=X_j\}|",
    lambda at: Integer(sum(token * at[WV] == token for token in tokens_below(at))), integer=True,
)  # fmt: skip

equilibrium_rows_are_a_jordan_chain = Claim(
    id="wu2024.app-F.jordan-chain",
    source=source("App. F.1", "after (30)"),
    kind="construction",
    title="Rows that obey (30) down from a generalised eigenvector are its Jordan chain, independent.",
    statement=distance_from_chain.equals(0)
    & rank_of_tokens.equals(rank_of_row)
    & eigenvectors.equals(1),
    domain=Domain(
        (Size(d, 1, 4), Array(T), Array(v), Computed(WV, _unipotent)),
        (Condition(r"X_k\ne0", lambda at: any(at[v])),),
    ),
    hypotheses=(
        Hypothesis(r"(30)"),
        Hypothesis(r"X_k\ \text{of rank}\ k\ \text{for eigenvalue }1"),
    ),
    uses=(equilibrium_rows_follow_one_another,),
    mutants=(Mutant("rank d whatever v", rank_of_tokens.equals(d)),),
    note=(
        "(30) gives the chain under $I-W_V$, which is the Jordan chain of $W_V-I$ with alternating "
        "signs; independence does not depend on them."
    ),
    understood=(
        Understood(
            "the Jordan chain is meant up to signs", "$X_1=-X_2(W_V-I)$ for $d=2$, $W_V$ of (31)"
        ),
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


def longest_chain(at: Point) -> Integer:
    """The greatest rank of a generalised eigenvector (a row) of W_V for eigenvalue 1."""
    shift = at[WV] - ImmutableDenseMatrix.eye(int(at[d]))
    power, m = ImmutableDenseMatrix.eye(int(at[d])), 0
    while any(power):
        power, m = power * shift, m + 1
    return Integer(m)


def _printed(rank: Size, weight: Any) -> Domain:
    fits = Condition(r"k\le d", lambda at: at[k] <= at[d])
    matrix = Computed(WV, lambda at: printed_matrix(at) if at[k] <= at[d] else None)
    return Domain((rank, Size(d, 1, 5), weight, matrix), (fits,))


_LONGEST = r"\max\{m:\ \exists v\ \ v(W_V-I)^m=0\ne v(W_V-I)^{m-1}\}"
printed_matrices_have_chains_of_length_k = Claim(
    id="wu2024.app-F.example-matrices",
    source=source("App. F.1", "examples k = 1, 2, 3, N and Eq. (31)"),
    kind="construction",
    title="The printed value matrix for k has a generalised eigenvector of rank k for eigenvalue 1.",
    statement=Relation(_LONGEST, (k,)),
    domain=_printed(Size(k, 1, 4), Real(w, 1, open_low=True)),
    define=longest_chain,
    hypotheses=(
        Hypothesis(r"w>1"),
        Hypothesis(r"W_V=I_d+w\textstyle\sum_{a=d-k+1}^{d-1}e_ae_{a+1}^\top,\ 1\le k\le d"),
    ),
    mutants=(
        *variants(("k + 1 for k", k + 1), ("d for k", d), ("k - 1 for k", k - 1), lhs=_LONGEST),
        Mutant(
            "w = 0",
            Relation(_LONGEST, (k,)),
            domain=_printed(Size(k, 2, 4), Choice(w, (Integer(0),))),
        ),
    ),
    note=(
        "Printed for k = 1, 2, 3 and, as (31), for k = N = d; the pattern between them is "
        "continued.  In the matrices for k = 2 and 3 one row shows only zeros, its one being "
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
    title="For (31), X_{i+1} (I - W_V) is X_{i+1} times -w, moved one place to the right.",
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
    mutants=variants(
        ("w for -w", w * after * moved(1)),
        ("-1/w for -w", -after * moved(1) / w),
        ("two places", -w * after * moved(2)),
        ("not moved", -w * after),
        lhs=_SHIFTED,
    ),
    note=(
        "(32) sets this row equal to X_i, which is (30).  The display before it prints "
        "X_{i+1} = [matrix] = X_i for X_{i+1} [matrix] = X_i."
    ),
)
