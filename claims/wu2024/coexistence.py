r"""App. F.1 from (33) to Step 2: the equilibria of every rank under one value matrix.

With W_V as in (31), (30) leaves one coordinate of every new token free, up to its sign, since the
norm is one.  `built` follows the paper's construction: `head` tokens at +-e_d, then the rows that
(29) gives with beta = 1.  Step 1 is head = 1 with N = d; Step 2 is head = N - k + 1.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    Piecewise,
    Symbol,
    sqrt,
    zeros,
)

from claims.domain import Choice, Computed, Condition, Domain, Point, Real, Size
from claims.expressions import Entrywise
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.wu2024.chains import (
    JORDAN,
    col,
    row,
    rows_shift_by_one_place,
)  # fmt: skip
from claims.wu2024.equilibria import (
    ZERO_SCORES,
    Pythagorean,
    before_norm,
    equilibrium_rows_follow_one_another,
    layer,
)
from claims.wu2024.notation import N, d, k, source, w
from claims.wu2024.setup import jordan

SQUARE = Hypothesis(r"k=N=d")
excess = Symbol("eta", real=True)


def next_row(before: Any, weight: Any, sign: Any) -> ImmutableDenseMatrix | None:
    """The row x of unit norm with x (I - W_V) = before, its free last coordinate of the given sign.

    None where there is no such real row: `before` does not start with zero, or is longer than w.
    """
    width = before.cols
    moved = [-before[0, b + 1] / weight for b in range(width - 1)] if weight else []
    rest = 1 - sum((x**2 for x in moved), start=Integer(0))
    if before[0, 0] != 0 or not weight or rest < 0:
        return None
    return ImmutableDenseMatrix([[*moved, sign * sqrt(rest)]])


@lru_cache(maxsize=4096)
def built(head: int, signs: tuple[Any, ...], width: int, weight: Any) -> Any:
    """`head` tokens at +-e_d and one row for every further sign; None where a row does not exist."""
    last = zeros(1, width).as_mutable()
    last[0, width - 1] = signs[0]
    rows = [last.as_immutable()] * head
    total = head * rows[0]  # sum of X_j W_V so far, which is X_i / beta_i
    for sign in signs[1:]:
        following = next_row(total, weight, sign)
        if following is None:
            return None
        rows.append(following)
        total = following
    return ImmutableDenseMatrix.vstack(*rows)


def is_equilibrium(tokens: Any, value: Any) -> bool:
    """Whether LN(A X W_V) is X."""
    return bool(layer(tokens, value) == tokens)


@lru_cache(maxsize=512)
def equilibria_built(tokens: int, width: int, weight: Any, rank: int) -> int:
    """How many different X of the construction for k = rank are at rest and of that rank."""
    if rank > min(tokens, width):
        return 0
    value, found = jordan(width, weight), set()
    for signs in product((Integer(1), Integer(-1)), repeat=rank):
        made = built(tokens - rank + 1, signs, width, weight)
        if made is not None and is_equilibrium(made, value) and made.rank() == rank:
            found.add(made)
    return len(found)


# Eq. (33) ------------------------------------------------------------------------------------------


def printed_rows(corner: Any = 1 / w, square: Any = 1 / w**2, sign: int = -1) -> Entrywise:
    """The rows (33): m = N - 1 - b counts columns from the last one, rows from a = 0."""
    place = N - 1 - col
    inner = sqrt(square**place - square ** (place + 1))
    entry = Piecewise((inner, place < row), (corner**row, place < row + 1), (0, True))
    return Entrywise(Integer(sign) ** row * entry, [(row, N)], [(col, N)])


def alternating(count: int) -> tuple[Any, ...]:
    """The signs of the last coordinates in (33)."""
    return tuple(Integer((-1) ** a) for a in range(count))


def full_rank_equilibrium(at: Point) -> ImmutableDenseMatrix:
    """(30) solved from e_d on, the last coordinates with alternating signs."""
    return built(1, alternating(int(at[N])), int(at[N]), at[w])


def _layer_and_rank(at: Point) -> tuple[Any, Any]:
    tokens = full_rank_equilibrium(at)
    return layer(tokens, jordan(int(at[N]), at[w])), Integer(tokens.rank())


square_sizes = Domain((Size(N, 1, 5), Pythagorean(w)))
_STATE = r"\left(\mathrm{LN}(AX^\star W_V),\ \operatorname{rank}X^\star\right)"
solved_rows_are_an_equilibrium_of_full_rank = Claim(
    id="wu2024.app-F.eq-33-equilibrium",
    source=source("App. F.1", "Eq. (33)"),
    kind="construction",
    title="Solving (30) from e_d on gives the rows (33), an equilibrium of rank N.",
    statement=Relation(_STATE, ((printed_rows(), N),)),
    domain=square_sizes,
    define=_layer_and_rank,
    hypotheses=(ZERO_SCORES, JORDAN, SQUARE),
    uses=(equilibrium_rows_follow_one_another, rows_shift_by_one_place),
    mutants=variants(
        ("signs do not alternate", (printed_rows(sign=1), N)),
        ("1/w^2 in the corner", (printed_rows(corner=1 / w**2), N)),
        ("1/w for 1/w^2 under the root", (printed_rows(square=1 / w), N)),
        ("w for 1/w", (printed_rows(corner=w), N)),
        ("rank N - 1", (printed_rows(), N - 1)),
        lhs=_STATE,
    ),
    note="X* is solved from (30) row by row; its layer output is compared with the printed rows.",
)

# How many of full rank -----------------------------------------------------------------------------

_COUNT = r"\#\{X:\ X=\mathrm{LN}(AXW_V),\ \operatorname{rank}X=N\}"
full_rank_equilibria_are_counted_by_signs = Claim(
    id="wu2024.app-F.count-full-rank",
    source=source("App. F.1", "after (33)"),
    kind="construction",
    title="One sign per token is free, so that there are 2^N equilibria of rank N.",
    statement=Relation(_COUNT, (2**N,)),
    domain=Domain((Size(N, 1, 4), Pythagorean(w))),
    define=lambda at: Integer(equilibria_built(int(at[N]), int(at[N]), at[w], int(at[N]))),
    hypotheses=(ZERO_SCORES, JORDAN, SQUARE),
    uses=(solved_rows_are_an_equilibrium_of_full_rank,),
    mutants=(
        *variants(
            ("the first sign fixed", 2 ** (N - 1)),
            ("N^2 for 2^N", N**2),
            ("2 N for 2^N", 2 * N),
            ("3^N for 2^N", 3**N),
            lhs=_COUNT,
        ),
        Mutant(
            "w = 1 suffices",
            Relation(_COUNT, (2**N,)),
            domain=Domain((Size(N, 2, 4), Choice(w, (Integer(1),)))),
        ),
    ),
    note=(
        "The sign of X_1 = +-e_d is counted, although X_1 is set to e_d.  The count is exact: "
        "beta_{i+1} != 1 puts row i+1 into the span of the rows before it."
    ),
)

# Step 2: rank k with the same weights --------------------------------------------------------------


def _step_two(at: Point) -> tuple[Any, ...]:
    """beta of the last token of the head, the last two coordinates after it, and the count."""
    width, head, weight = int(at[d]), int(at[N] - at[k]) + 1, at[w]
    tokens = built(head, (Integer(1),), width, weight)
    total = head * before_norm(tokens, jordan(width, weight)).row(head - 1)
    across = -total[0, width - 1] / weight
    beta = 1 / sqrt(sum(x**2 for x in total))
    count = equilibria_built(int(at[N]), width, weight, int(at[k]))
    return beta, across, 1 - across**2, Integer(count)


def _coexisting(rank: Any, above: Any) -> Domain:
    """w = N + eta, with the variables k and eta given."""
    sizes = (rank, Size(N, 2, 4), Size(d, 2, 4), above)
    fits = Condition(r"k\le\min\{N,d\}", lambda at: at[k] <= min(at[N], at[d]))
    return Domain((*sizes, Computed(w, lambda at: at[N] + at[excess])), (fits,))


_step_two_sizes = _coexisting(Size(k, 1, 4), Real(excess, 0))
_probe = _step_two_sizes.completed(
    {k: Integer(2), N: Integer(4), d: Integer(3), excess: Integer(1)}
)
_head = N - k + 1
_row_after = (-_head / w, 1 - _head**2 / w**2)
_STEP2 = (
    r"\left(\beta_{N-k+1},\ X_{N-k+2,d-1},\ X_{N-k+2,d}^2,\ "
    r"\#\{X:\ \operatorname{rank}X=k\}\right)"
)
_step2 = Relation(_STEP2, ((1 / _head, *_row_after, 2**k),))
equilibria_of_every_rank_are_built_from_signs = Claim(
    id="wu2024.app-F.step-2-coexistence",
    source=source("App. F.1", "Step 2"),
    kind="construction",
    title="N-k+1 tokens at e_d, then rows with beta = 1: 2^k equilibria of rank k when w >= N.",
    statement=_step2,
    domain=_step_two_sizes,
    define=_step_two,
    hypotheses=(
        ZERO_SCORES,
        JORDAN,
        Hypothesis(r"w=N+\eta\ge N,\ 1\le k\le\min\{N,d\},\ d\ge2"),
    ),
    uses=(equilibrium_rows_follow_one_another, solved_rows_are_an_equilibrium_of_full_rank),
    mutants=(
        *variants(
            ("the first sign fixed", (1 / _head, *_row_after, 2 ** (k - 1))),
            ("2^N for 2^k", (1 / _head, *_row_after, 2**N)),
            ("N for N - k + 1 in beta", (1 / N, *_row_after, 2**k)),
            ("N - k + 2 in the row", (1 / _head, -(_head + 1) / w, _row_after[1], 2**k)),
            ("norm not squared", (1 / _head, _row_after[0], 1 - _head / w, 2**k)),
            lhs=_STEP2,
        ),
        Mutant(
            "w = N - 1 suffices for k = 2",
            _step2,
            domain=_coexisting(Choice(k, (Integer(2),)), Choice(excess, (Integer(-1),))),
        ),
    ),
    probes=(_probe,),
    note=(
        "The global sign is counted: with the head at +e_d there are 2^(k-1).  w > N - 1 suffices; "
        "at w = N - 1 the two signs of the row after the head coincide for k = 2.  For k = 1 the "
        "row is that of one more token, and for d = 1 there is none."
    ),
)
