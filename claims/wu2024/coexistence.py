r"""App. F.1 from (33) to Step 2: the equilibria of every rank under one value matrix.

With W_V as in (31), (30) leaves one coordinate of every new token free, up to its sign, since the
norm is one.  `built` follows the paper's construction: `head` tokens at +-e_d, then the rows that
(29) gives with beta = 1.  Step 1 is head = 1 with N = d; Step 2 is head = N - k + 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from random import Random
from typing import Any

from sympy import (
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Piecewise,
    S,
    Sum,
    Symbol,
    expand,
    eye,
    sqrt,
    zeros,
)

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import entry, family
from claims.wu2024.chains import (
    JORDAN,
    rows_shift_by_one_place,
)
from claims.wu2024.equilibria import (
    ZERO_SCORES,
    Pythagorean,
    before_norm,
    equilibrium_rows_follow_one_another,
    layer,
)
from claims.wu2024.notation import N, X, d, k, source, w
from claims.wu2024.setup import jordan
from claims.wu2024.unit_tokens import Signs, UnitRows

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


# Eq. (33) ------------------------------------------------------------------------------------------


i, b = Symbol("i", integer=True), Symbol("b", integer=True)
signs = Symbol(r"\sigma")
"""Signs of the last coordinates, one for each row."""
coefficients = MatrixSymbol("c", 1, N)


def alternating(count: int) -> tuple[Any, ...]:
    """The signs of the last coordinates in (33)."""
    return tuple(Integer((-1) ** a) for a in range(count))


@dataclass(frozen=True)
class Alternating(Computed):
    """Signs that alternate, the first one positive."""

    def facts(self) -> tuple[Formula, ...]:
        place = Symbol("place", integer=True)
        alternates = Compare(entry(self.symbol)(place), "=", (-1) ** (place - 1))
        return (*Signs(self.symbol, N).facts(), ForAll(place, 1, N, alternates))


alternating_signs = Alternating(signs, lambda at: alternating(int(at[N])))


def printed_entry(row: Any, column: Any) -> Any:
    """(33): m = N - column counts columns from the last one, rows - 1 are moves so far."""
    m, moves = N - column, row - 1
    inner = sqrt(w ** (-2 * m) - w ** (-2 * (m + 1)))
    return (-1) ** moves * Piecewise((inner, m < moves), (w**-moves, m < row), (0, True))


def full_rank_equilibrium(at: Point) -> ImmutableDenseMatrix:
    """(30) solved from e_d on, the last coordinates with alternating signs."""
    return built(1, alternating(int(at[N])), int(at[N]), at[w])


@lru_cache(maxsize=512)
def _layer_at(size: int, weight: Any) -> ImmutableDenseMatrix:
    return layer(built(1, alternating(size), size, weight), jordan(size, weight))


solved_entry = family(
    r"X^\star_{{{},{}}}", lambda at, i, b: full_rank_equilibrium(at)[i - 1, b - 1]
)
layer_entry = family(
    r"\mathrm{{LN}}(AX^\star W_V)_{{{},{}}}",
    lambda at, i, b: _layer_at(int(at[N]), at[w])[i - 1, b - 1],
)
square_sizes = Domain((Size(N, 1, 5), Pythagorean(w), alternating_signs, Array(coefficients)))
_printed = Compare(solved_entry(i, b), "=", printed_entry(i, b))
_at_rest = Compare(layer_entry(i, b), "=", printed_entry(i, b))
_combined = Sum(entry(coefficients)(1, i) * solved_entry(i, b), (i, 1, N))
_independent = ForAll(b, 1, N, Compare(_combined, "=", 0)).implies(
    ForAll(i, 1, N, Compare(entry(coefficients)(1, i), "=", 0))
)
solved_rows_are_an_equilibrium_of_full_rank = Claim(
    id="wu2024.app-F.eq-33-equilibrium",
    source=source("App. F.1", "Eq. (33)"),
    kind="construction",
    title="Solving (30) from $e_d$ on gives the rows (33), an equilibrium of rank $N$.",
    statement=ForAll(i, 1, N, ForAll(b, 1, N, _printed & _at_rest)) & _independent,
    domain=square_sizes,
    hypotheses=(ZERO_SCORES, JORDAN, SQUARE, Hypothesis(r"c\in\mathbb R^N")),
    uses=(equilibrium_rows_follow_one_another, rows_shift_by_one_place),
    printed=(
        r"X_{N,:} = (-1)^{N-1} \left[\frac{1}{w^{N-1}},\ \sqrt{\frac{1}{w^{2(N-2)}} - "
        r"\frac{1}{w^{2(N-1)}}},\ \dots,\ \sqrt{\frac{1}{w^4} - \frac{1}{w^6}},\ "
        r"\sqrt{\frac{1}{w^2} - \frac{1}{w^4}},\ \sqrt{1 - \frac{1}{w^2}}\right]"
    ),
    note=(
        "$X^\\star$ is solved from (30) row by row; its rows and its layer output are compared with "
        "the printed rows. Rank $N$: no combination $c$ of the rows vanishes but the trivial one."
    ),
)

# Equilibria by signs -------------------------------------------------------------------------------


other_signs = Symbol(r"\tau")


@lru_cache(maxsize=4096)
def grown(head: int, chosen: tuple[Any, ...], width: int, weight: Any) -> ImmutableDenseMatrix:
    """`head` tokens at +-e_d, then a row for every further sign, which (30) gives where it can.

    The first coordinate of the row before has no place in the next one; (30) needs it to be zero.
    """
    last = zeros(1, width).as_mutable()
    last[0, width - 1] = chosen[0]
    rows = [last.as_immutable()] * head
    total = head * rows[0]
    for sign in chosen[1:]:
        inner = [-total[0, b + 1] / weight if weight else Integer(0) for b in range(width - 1)]
        rest = expand(1 - sum((x**2 for x in inner), start=Integer(0)))
        total = ImmutableDenseMatrix([[*inner, sign * sqrt(rest)]])
        rows.append(total)
    return ImmutableDenseMatrix.vstack(*rows)


@lru_cache(maxsize=4096)
def _layer_of_grown(head: int, chosen: tuple[Any, ...], width: int, weight: Any) -> Any:
    return layer(grown(head, chosen, width, weight), jordan(width, weight))


def sizes_at(at: Point, rank: Any, which: Symbol) -> tuple[int, tuple[Any, ...], int, Any]:
    """Head, signs, d and w of the construction for one rank."""
    rank = int(rank)
    return int(at[N]) - rank + 1, tuple(at[which][:rank]), int(at[d]), at[w]


row_entry = family(
    r"X^{{({},\sigma)}}_{{{},{}}}", lambda at, k, i, b: grown(*sizes_at(at, k, signs))[i - 1, b - 1]
)
other_entry = family(
    r"X^{{({},\tau)}}_{{{},{}}}",
    lambda at, k, i, b: grown(*sizes_at(at, k, other_signs))[i - 1, b - 1],
)
output_entry = family(
    r"\mathrm{{LN}}(AX^{{({},\sigma)}}W_V)_{{{},{}}}",
    lambda at, k, i, b: _layer_of_grown(*sizes_at(at, k, signs))[i - 1, b - 1],
)


def everywhere(left: Any, right: Any, tokens: Any = N) -> Formula:
    """Two families agree in every coordinate of the first tokens."""
    return ForAll(i, 1, tokens, ForAll(b, 1, d, Compare(left(i, b), "=", right(i, b))))


def nothing_combined(rank: Any) -> Formula:
    """The combination c of the last k rows is zero."""
    total = Sum(entry(coefficients)(1, i) * row_entry(rank, N - rank + i, b), (i, 1, rank))
    return ForAll(b, 1, d, Compare(total, "=", 0))


def at_rest(rank: Any, output: Any = output_entry) -> Formula:
    return everywhere(partial(output, rank), partial(row_entry, rank))


def one_head(rank: Any) -> Formula:
    """The first N - k + 1 rows are one."""
    return everywhere(partial(row_entry, rank), lambda _, b: row_entry(rank, 1, b), N - rank + 1)


def independent(rank: Any) -> Formula:
    """No combination of the last k rows vanishes but the trivial one."""
    trivial = ForAll(i, 1, rank, Compare(entry(coefficients)(1, i), "=", 0))
    return nothing_combined(rank).implies(trivial)


def told_apart(rank: Any) -> Formula:
    """Different sign vectors give different tokens."""
    same = everywhere(partial(row_entry, rank), partial(other_entry, rank))
    one = Compare(entry(signs)(i), "=", entry(other_signs)(i))
    return same.implies(ForAll(i, 1, rank, one))


def by_signs(rank: Any, output: Any = output_entry) -> Formula:
    """Every one of the 2^k sign vectors gives an equilibrium of rank k, and each another one."""
    return at_rest(rank, output) & one_head(rank) & independent(rank) & told_apart(rank)


def sign_vectors(length: Any) -> tuple[Any, ...]:
    """Two vectors of signs, and coefficients for a combination."""
    return Signs(signs, length), Signs(other_signs, length), Array(coefficients)


# How many of full rank -----------------------------------------------------------------------------


@dataclass(frozen=True)
class RowsOfAChain(UnitRows):
    """Any unit rows with X_1 = X_1 W_V and (30): examples are grown from a vector of signs."""

    def relaxed(self) -> Array:
        return UnitRows(self.symbol, self.height)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        for chosen in Signs(signs, N).of_weight(weight, point):
            together = tuple(a * b for a, b in zip(chosen, point[signs], strict=True))
            yield grown(1, together, int(point[d]), point[w])

    def draw(self, rng: Random, point: Point) -> Any:
        chosen = rng.choice((point[signs], Signs(signs, N).draw(rng, point)))
        return grown(1, chosen, int(point[d]), point[w])

    def facts(self) -> tuple[Formula, ...]:
        x, place = entry(self.symbol), Symbol("place", integer=True)

        def times_value(row: Any, column: Any) -> Any:
            return x(row, column) + w * x(row, column - 1)

        first = ForAll(b, 2, d, Compare(x(1, b), "=", times_value(1, b)))
        starts = Compare(x(place + 1, 1), "=", x(place, 1) + x(place + 1, 1))
        moves = Compare(x(place + 1, b), "=", x(place, b) + times_value(place + 1, b))
        return (*super().facts(), first, ForAll(place, 1, N - 1, starts & ForAll(b, 2, d, moves)))

    def objection(self, value: Any, point: Point) -> str | None:
        left = value * (eye(value.cols) - jordan(value.cols, point[w]))
        rows = [zeros(1, value.cols), *(value.row(a) for a in range(value.rows - 1))]
        if left.applyfunc(expand) != ImmutableDenseMatrix.vstack(*rows).applyfunc(expand):
            return f"{self.symbol}: (30) does not hold of {value.tolist()}"
        return super().objection(value, point)


def _square(least: int, weight: Any) -> Domain:
    """k = N = d."""
    equal = (Computed(x, lambda at: at[N], known=(Compare(x, "=", N),)) for x in (d, k))
    sizes = (Size(N, least, 4), *equal, weight)
    return Domain((*sizes, *sign_vectors(N), RowsOfAChain(X)))


_next = Compare(row_entry(N, i + 1, b), "=", -row_entry(N, i, b + 1) / w)
_free = Compare(row_entry(N, i + 1, d) ** 2, "=", 1 - 1 / w**2)
solved = Compare(row_entry(N, 1, d) ** 2, "=", 1) & ForAll(
    i, 1, N - 1, _free & ForAll(b, 1, d - 1, _next)
)
"""(30) and the norm leave the sign of the last coordinate."""
has_these_signs = ForAll(i, 1, N, Compare(entry(signs)(i) * entry(X)(i, d), ">=", 0))
no_other = has_these_signs.implies(everywhere(entry(X), partial(row_entry, N)))
"""Any rows that obey (30) are those built from the signs of their last coordinates."""
_counted = solved & at_rest(N) & independent(N) & told_apart(N) & no_other
full_rank_equilibria_are_counted_by_signs = Claim(
    id="wu2024.app-F.count-full-rank",
    source=source("App. F.1", "after (33)"),
    kind="construction",
    title="One sign per token is free and decides it: exactly $2^N$ equilibria of rank $N$ obey (30).",
    statement=_counted,
    domain=_square(1, Pythagorean(w)),
    hypotheses=(
        ZERO_SCORES,
        JORDAN,
        SQUARE,
        Hypothesis(r"\sigma,\tau\in\{\pm1\}^N,\ c\in\mathbb R^N"),
        Hypothesis(
            r"X\in(\mathbb S^{d-1})^N:\ X_{1,:}=X_{1,:}W_V\ \text{and (30)},\quad "
            r"X_{i+1,:}=X_{i,:}+X_{i+1,:}W_V\ \text{for}\ i<N"
        ),
    ),
    uses=(solved_rows_are_an_equilibrium_of_full_rank,),
    mutants=(
        Mutant(
            "w = 1 suffices",
            _counted,
            domain=_square(2, Choice(w, (Integer(1),))),
        ),
    ),
    printed=r"\text{there are } 2^N \text{ many such equilibria}",
    note=(
        "(30) and the unit norm leave the signs $\\sigma$ of the last coordinates: each of the $2^N$ "
        "vectors of signs gives an equilibrium of rank $N$ (no combination $c$ of its rows vanishes "
        "but the trivial one), different ones give different equilibria, and any $X$ that obeys (30) is "
        "the one of its signs. The sign of $X_1 = \\pm e_d$ is counted, although $X_1$ is set to $e_d$. "
        "Such equilibria are those with (30), where all $\\beta_i=1$; no other one has rank $N$, which is "
        "argued here and not proved: the rows so far span a space that $W_V$ maps to itself, by (29), and "
        "for $\\beta_{i+1}\\ne1$ the matrix $I-\\beta_{i+1}W_V$ is invertible, so that (29) puts "
        "$X_{i+1}$ into that space."
    ),
)

# Step 2: rank k with the same weights --------------------------------------------------------------


def _head(at: Point) -> Any:
    """The head of N - k + 1 tokens at e_d."""
    return built(int(at[N] - at[k]) + 1, (Integer(1),), int(at[d]), at[w])


def _head_sum(at: Point) -> Any:
    tokens = _head(at)
    return tokens.rows * before_norm(tokens, jordan(int(at[d]), at[w])).row(tokens.rows - 1)


def _row_after(at: Point) -> Any:
    following = next_row(_head_sum(at), at[w], Integer(1))
    return following if following is not None else zeros(1, int(at[d])) * S.NaN


head_beta = Quantity(r"\beta_{N-k+1}", lambda at: 1 / sqrt(sum(x**2 for x in _head_sum(at))))
across = Quantity(r"X_{N-k+2,d-1}", lambda at: _row_after(at)[0, int(at[d]) - 2])
last_square = Quantity(r"X_{N-k+2,d}^2", lambda at: _row_after(at)[0, int(at[d]) - 1] ** 2)


def _coexisting(rank: Any, above: Any) -> Domain:
    """w = N + eta, with the variables k and eta given."""
    sizes = (rank, Size(N, 2, 4), Size(d, 2, 4), above)
    inside = Compare(k, "<=", N) & Compare(k, "<=", d)
    fits = Condition(r"k\le\min\{N,d\}", lambda at: at[k] <= min(at[N], at[d]), inside)
    weight = Computed(w, lambda at: at[N] + at[excess], known=(Compare(w, "=", N + excess),))
    return Domain((*sizes, weight, *sign_vectors(k)), (fits,))


_step_two_sizes = _coexisting(Size(k, 1, 4), Real(excess, 0))
_probe = _step_two_sizes.completed(
    {
        k: Integer(2), N: Integer(4), d: Integer(3), excess: Integer(1),
        signs: alternating(2), other_signs: (Integer(1), Integer(1)),
        coefficients: zeros(1, 4).as_immutable(),
    }
)  # fmt: skip
_heads = N - k + 1
_step2 = (
    head_beta.equals(1 / _heads)
    & across.equals(-_heads / w)
    & last_square.equals(1 - _heads**2 / w**2)
    & by_signs(k)
)
equilibria_of_every_rank_are_built_from_signs = Claim(
    id="wu2024.app-F.step-2-coexistence",
    source=source("App. F.1", "Step 2"),
    kind="construction",
    title="$N-k+1$ tokens at $e_d$, then rows with $\\beta = 1$: $2^k$ such equilibria when $w\\ge N$.",
    statement=_step2,
    printed=(
        r"\beta_{N-k+1} = 1/(N - K + 1),\quad X_{N-k+2,:} = \left[\mathbf{0}_{d-2}, "
        r"-\frac{N - k + 1}{w}, \pm \sqrt{1 - \frac{(N - k + 1)^2}{w^2}} \right],\quad "
        r"\text{there are } 2^k \text{ such equilibria}"
    ),
    domain=_step_two_sizes,
    hypotheses=(
        ZERO_SCORES,
        JORDAN,
        Hypothesis(r"w=N+\eta\ge N,\ 1\le k\le\min\{N,d\},\ d\ge2"),
        Hypothesis(r"\sigma,\tau\in\{\pm1\}^k,\ c\in\mathbb R^N"),
    ),
    uses=(equilibrium_rows_follow_one_another, solved_rows_are_an_equilibrium_of_full_rank),
    mutants=(
        Mutant(
            "w = N - 1 suffices for k = 2",
            _step2,
            domain=_coexisting(Choice(k, (Integer(2),)), Choice(excess, (Integer(-1),))),
        ),
    ),
    understood=(
        Understood(
            "$d\\ge2$: there is a coordinate $d - 1$, and for $k = 1$ the row is that of one more token",
            "$d = 1$: $X_{N-k+2,d-1}$ does not exist",
        ),
    ),
    probes=(_probe,),
    note=(
        '"Such" equilibria are those of the construction: each of the $2^k$ vectors $\\sigma$ of signs '
        "gives an equilibrium whose first $N - k + 1$ rows are one and whose last $k$ rows are "
        "independent, and different ones give different equilibria. The global sign is counted; with "
        "the head at $+e_d$ there are $2^{k-1}$. There can be more of rank $k$: ten of rank $2$ for $N = 3$, "
        "$d = 2$, $w = 3$. $w > N - 1$ suffices; at $w = N - 1$ the two signs of the row after the "
        "head coincide for $k = 2$."
    ),
)
