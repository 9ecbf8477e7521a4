r"""Step 3 of App. F.1 and Theorem 3, item 1: normalised weights, and equilibria of every rank at once.

Under LayerNorm a positive multiple of W_V acts like W_V, so that (31) over its 2-norm, whose powers
stay bounded (A3), has the equilibria that (31) has.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import product
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Min, Poly, Symbol, eye
from sympy.abc import lamda

from claims.domain import Computed, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import family
from claims.wu2024.chains import (
    JORDAN,
    equilibrium_rows_are_a_jordan_chain,
    printed_matrices_have_chains_of_length_k,
)
from claims.wu2024.coexistence import (
    equilibria_built,
    equilibria_of_every_rank_are_built_from_signs,
    full_rank_equilibria_are_counted_by_signs,
    is_equilibrium,
)
from claims.wu2024.equilibria import (
    NORM_DEFINED,
    ZERO_SCORES,
    equilibrium_is_a_positive_multiple_of_the_sum_so_far,
    layer,
)
from claims.wu2024.notation import WV, N, X, d, source, w
from claims.wu2024.setup import jordan
from claims.wu2024.unit_tokens import UnitRows

scale = Symbol("c", real=True)
SAME_WEIGHTS = Hypothesis(r"\text{one}\ W_V\ \text{for all}\ k")


def squared_norm(matrix: Any) -> Expr:
    """The squared 2-norm of a rational matrix: the largest root of its Gram matrix's polynomial."""
    gram = matrix * matrix.T
    return Poly(gram.charpoly(lamda).as_expr(), lamda).real_roots()[-1]  # in increasing order


@lru_cache(maxsize=512)
def _unit_power(value: Any, power: int) -> Any:
    """|(W_V/|W_V|_2)^m|_2^2 to sixty digits, as a quotient of roots of polynomials."""
    over = squared_norm(value).evalf(80) ** power
    return Decimal(str((squared_norm(value**power).evalf(80) / over).evalf(60)))


normed = family(
    r"\mathrm{{LN}}(AXW_V)_{{{},{}}}", lambda at, i, b: layer(at[X], at[WV])[i - 1, b - 1]
)
normed_of_multiple = family(
    r"\mathrm{{LN}}(AX(cW_V))_{{{},{}}}",
    lambda at, i, b: layer(at[X], at[scale] * at[WV])[i - 1, b - 1],
)
unit_power = family(r"\|\hat W_V^{{{}}}\|_2^2", lambda at, power: _unit_power(at[WV], power))
"""Of W_V over its 2-norm."""
_i, _b, _m = (Symbol(name, integer=True) for name in "ibm")
_unchanged = ForAll(
    _i, 1, N, ForAll(_b, 1, d, Compare(normed_of_multiple(_i, _b), "=", normed(_i, _b)))
)
_MOST_POWERS = 4


def _sizes(factor: Any) -> Domain:
    return Domain(
        (
            Size(N, 1, 3),
            Size(d, 1, 3),
            Real(w, 1, open_low=True),
            factor,
            UnitRows(X),
            Computed(WV, lambda at: jordan(int(at[d]), at[w])),
        ),
        (NORM_DEFINED,),
    )


_normalised = _unchanged & ForAll(_m, 1, _MOST_POWERS, Compare(unit_power(_m), "<=", 1))
value_matrix_may_be_normalised = Claim(
    id="wu2024.app-F.step-3-A2-A3",
    source=source("App. F.1", "Step 3"),
    kind="identity",
    title="Multiples $c W_V$, $c > 0$, give the same layer; $W_V$ over its norm has powers of norm at most 1.",
    statement=_normalised,
    printed=r"\hat{W}_V = W_V / \|W_V\|_2",
    domain=_sizes(Real(scale, 0, open_low=True)),
    hypotheses=(ZERO_SCORES, JORDAN, Hypothesis(NORM_DEFINED.latex)),
    mutants=(
        Mutant(
            "negative multiples too",
            _normalised,
            domain=_sizes(Real(scale, high=0, open_high=True)),
        ),
    ),
    note=(
        "$c = 1/\\|W_V\\|_2$ is one of the multiples. A3 is read for the product $W_V^{t+1}$ of equal "
        "matrices, here the first four; A2 holds with $C = 0$."
    ),
)

# Theorem 3, item 1 ---------------------------------------------------------------------------------


def _scaled_norm(at: Point) -> Any:
    """The largest sum of a row or column of W_V/(1 + w): the 2-norm of every power is at most that."""
    value = jordan(int(at[d]), at[w]) / (1 + at[w])
    return max(sum(line) for side in (value, value.T) for line in side.tolist())


def _count(at: Point, rank: int) -> Integer:
    """Equilibria of a rank that are built; for rank one all of them are counted."""
    tokens, width, weight = int(at[N]), int(at[d]), at[w]
    if rank == 1:
        return Integer(_rank_one(tokens, width, jordan(width, weight) / (1 + weight)))
    return Integer(equilibria_built(tokens, width, weight, rank))


def _rank_one(tokens: int, width: int, value: Any) -> int:
    """Equilibria with all rows +-e_d: for w != 0, W_V has no other eigenvectors."""
    last = eye(width)[width - 1, :]
    patterns: Sequence[Any] = list(product((1, -1), repeat=tokens))
    made = (ImmutableDenseMatrix([list(sign * last) for sign in signs]) for signs in patterns)
    return sum(is_equilibrium(candidate, value) for candidate in made)


scaled_norm = Quantity(r"\max\{\|\hat W_V\|_1,\|\hat W_V\|_\infty\}", _scaled_norm)
count_of_rank = family(
    r"\#\{{X\ \text{{built}}:\ X=\mathrm{{LN}}(AX\hat W_V),\ \operatorname{{rank}}X={}\}}", _count
)
rank = Symbol("k", integer=True, positive=True)


def _every_rank(most: Any, least: Any = 2**rank) -> Formula:
    return scaled_norm.at_most(1) & ForAll(rank, 1, most, Compare(count_of_rank(rank), ">=", least))


_tokens = (Size(N, 1, 4), Size(d, 1, 4))
equilibria_of_every_rank_coexist = Claim(
    id="wu2024.thm-3.equilibria-count",
    source=source("Theorem 3", "item 1"),
    kind="construction",
    title="Some weights with A2-A3 have at least $2^k$ equilibria of every rank $k$ up to $\\min(N, d)$.",
    statement=_every_rank(Min(N, d)),
    printed=(
        r"\text{For any } 1 \leq k \leq \min\{N,d\}, \text{ there exist at least } 2^k "
        r"\text{ equilibria of rank } k"
    ),
    domain=Domain((*_tokens, Computed(w, lambda at: at[N]))),
    hypotheses=(
        ZERO_SCORES,
        Hypothesis(r"\hat W_V\ \text{is (31) with}\ w=N,\ \text{over}\ 1+w"),
        SAME_WEIGHTS,
    ),
    uses=(
        equilibrium_is_a_positive_multiple_of_the_sum_so_far,
        equilibrium_rows_are_a_jordan_chain,
        printed_matrices_have_chains_of_length_k,
        full_rank_equilibria_are_counted_by_signs,
        equilibria_of_every_rank_are_built_from_signs,
        value_matrix_may_be_normalised,
    ),
    mutants=(
        Mutant("every rank up to N", _every_rank(N)),
        Mutant(
            "W_V = I (w = 0)",
            _every_rank(Min(N, d)),
            domain=Domain((*_tokens, Computed(w, lambda at: Integer(0)))),
        ),
    ),
    note=(
        "Existence is shown by one choice of weights; the counts are of the construction in App. F.1. "
        "Sums of rows and columns of at most one bound the 2-norm of every power."
    ),
)
