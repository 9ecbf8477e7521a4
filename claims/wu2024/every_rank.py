r"""Step 3 of App. F.1 and Theorem 3, item 1: normalised weights, and equilibria of every rank at once.

Under LayerNorm a positive multiple of W_V acts like W_V, so that (31) over its 2-norm, whose powers
stay bounded (A3), has the equilibria that (31) has.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Poly, Rational, Symbol, eye
from sympy.abc import lamda

from claims.domain import Computed, Domain, Point, Real, Size
from claims.model import Claim, Hypothesis, Mutant, Proposition
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
    before_norm,
    equilibrium_is_a_positive_multiple_of_the_sum_so_far,
    layer,
)
from claims.wu2024.notation import WV, N, X, d, source, w
from claims.wu2024.setup import UnitRows, jordan

SAME_WEIGHTS = Hypothesis(r"\text{one}\ W_V\ \text{for all}\ k")
_scale = Symbol("c", positive=True)
NEGLIGIBLE = Rational(1, 10**20)
"""Roots of polynomials are compared with thirty digits."""


def squared_norm(matrix: Any) -> Expr:
    """The squared 2-norm of a rational matrix: the largest root of its Gram matrix's polynomial."""
    gram = matrix * matrix.T
    return Poly(gram.charpoly(lamda).as_expr(), lamda).real_roots()[-1]  # in increasing order


@lru_cache(maxsize=512)
def _norms(value: Any) -> dict[str, bool]:
    """The first powers of W_V/|W_V|_2, and of W_V itself, against 2-norm one."""
    unit = squared_norm(value)
    powers = [squared_norm(value**m) for m in (1, 2, 3)]
    excess_of = [p.evalf(30) - unit.evalf(30) ** m for m, p in enumerate(powers, start=1)]
    return {
        "powers at most 1": all(e < NEGLIGIBLE for e in excess_of),
        "powers equal 1": all(abs(e) < NEGLIGIBLE for e in excess_of),
        "W_V at most 1": all(p.evalf(30) <= 1 for p in powers),
    }


def _scaling(at: Point) -> dict[str, bool]:
    """Effects of c W_V for c > 0, and of dividing W_V by its 2-norm."""
    tokens, value = at[X], at[WV]
    return {
        "same with LN": layer(tokens, _scale * value) == layer(tokens, value),
        "same without LN": before_norm(tokens, _scale * value) == before_norm(tokens, value),
        "same for -c": layer(tokens, -_scale * value) == layer(tokens, value),
        **_norms(value),
    }


def _flags(text: str, *names: str) -> Proposition:
    return Proposition(text, lambda point, found: all(found[name] for name in names))


value_matrix_may_be_normalised = Claim(
    id="wu2024.app-F.step-3-A2-A3",
    source=source("App. F.1", "Step 3"),
    kind="identity",
    title="W_V over its 2-norm gives the same LayerNorm dynamics, and its powers have norm at most 1.",
    statement=_flags(
        r"\hat W_V=W_V/\|W_V\|_2:\ \mathrm{LN}(AX\hat W_V)=\mathrm{LN}(AXW_V),\ "
        r"\|\hat W_V^{t+1}\|_2\le1\ \forall t,\ \|W_Q\|_2=\|W_K\|_2=0",
        "same with LN",
        "powers at most 1",
    ),
    domain=Domain(
        (
            Size(N, 1, 3),
            Size(d, 1, 3),
            Real(w, 1, open_low=True),
            UnitRows(X),
            Computed(WV, lambda at: jordan(int(at[d]), at[w])),
        ),
        (NORM_DEFINED,),
    ),
    define=_scaling,
    hypotheses=(ZERO_SCORES, JORDAN, Hypothesis(NORM_DEFINED.latex)),
    mutants=(
        Mutant(
            "W_V itself has bounded powers",
            _flags(r"\|W_V^{t+1}\|_2\le1", "same with LN", "W_V at most 1"),
        ),
        Mutant(
            "the same without LayerNorm",
            _flags(r"AX\hat W_V=AXW_V", "same without LN", "powers at most 1"),
        ),
        Mutant("negative multiples too", _flags(r"c<0", "same for -c", "powers at most 1")),
        Mutant("all powers of norm 1", _flags(r"\|\hat W_V^{t+1}\|_2=1", "powers equal 1")),
    ),
    note="A3 is read for the product W_V^{t+1} of equal matrices; A2 holds with C = 0.",
)

# Theorem 3, item 1 ---------------------------------------------------------------------------------


def equilibria_by_rank(at: Point) -> tuple[bool, tuple[int, ...]]:
    """Whether W_V/(1 + w) meets A3, and the number of equilibria built for each rank 1, ..., N.

    Dividing W_V by 1 + w keeps everything rational; no row or column then sums to more than one,
    so that the 2-norm of every power is at most one.  All equilibria of rank one are counted.
    """
    tokens, width, weight = int(at[N]), int(at[d]), at[w]
    scaled = jordan(width, weight) / (1 + weight)
    sums = [sum(line) for side in (scaled, scaled.T) for line in side.tolist()]
    counts = [equilibria_built(tokens, width, weight, rank) for rank in range(1, tokens + 1)]
    counts[0] = _rank_one(tokens, width, scaled)
    return bool(max(sums) <= 1), tuple(counts)


def _rank_one(tokens: int, width: int, value: Any) -> int:
    """Equilibria with all rows +-e_d: for w != 0, W_V has no other eigenvectors."""
    last = eye(width)[width - 1, :]
    patterns: Sequence[Any] = list(product((1, -1), repeat=tokens))
    made = (ImmutableDenseMatrix([list(sign * last) for sign in signs]) for signs in patterns)
    return sum(is_equilibrium(candidate, value) for candidate in made)


def _at_least(text: str, least: Any, to: Any) -> Proposition:
    def test(point: Point, found: tuple[bool, tuple[int, ...]]) -> bool:
        bounded, counts = found
        ranks = range(1, to(int(point[N]), int(point[d])) + 1)
        return bounded and all(counts[rank - 1] >= least(rank) for rank in ranks)

    return Proposition(text, test)


_EVERY = r"\forall 1\le k\le\min\{N,d\}:\ \#\{X:\ \operatorname{rank}X=k\}\ge"
_theorem = _at_least(_EVERY + "2^k", lambda rank: 2**rank, min)
_sizes = (Size(N, 1, 4), Size(d, 1, 4))
equilibria_of_every_rank_coexist = Claim(
    id="wu2024.thm-3.equilibria-count",
    source=source("Theorem 3", "item 1"),
    kind="construction",
    title="Some weights with A2-A3 have at least 2^k equilibria of every rank k up to min(N, d).",
    statement=_theorem,
    domain=Domain((*_sizes, Computed(w, lambda at: at[N]))),
    define=equilibria_by_rank,
    hypotheses=(
        ZERO_SCORES,
        Hypothesis(r"W_V\ \text{as in (31) with}\ w=N,\ \text{over}\ 1+w"),
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
        Mutant("2^(k+1) for 2^k", _at_least(_EVERY + "2^{k+1}", lambda rank: 2 ** (rank + 1), min)),
        Mutant(
            "every rank up to N",
            _at_least(
                r"\forall k\le N:\ \#\ge2^k", lambda rank: 2**rank, lambda tokens, width: tokens
            ),
        ),
        Mutant(
            "W_V = I (w = 0)",
            _theorem,
            domain=Domain((*_sizes, Computed(w, lambda at: Integer(0)))),
        ),
    ),
    note="Existence is shown by one choice of weights; the counts are of the construction in App. F.1.",
)
