"""Proofs about long products of D A: Lemma 6, and what Lemma 9 makes of it."""

from __future__ import annotations

from sympy import Abs, oo, symbols

from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import ergodic as claims
from claims.wu2024.ergodic import (
    column_factor,
    entry_of_product,
    error,
    onset,
    row_factor,
    step,
    tolerance,
)
from claims.wu2024.notation import N
from claims.wu2024.positivity import i, j
from proofs.calculation import at_places, for_all
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    generalise,
    instance,
    joint,
    part,
    substitute,
)
from proofs.registry import proves
from proofs.wu2024.norms import entry_below_norm
from proofs.wu2024.rank_one import every_pair


@proves(claims.long_products_are_ergodic)
def by_quotients_of_columns(claim: Claim) -> Certificate:
    """P_ij/S_ij compares two quotients of columns j and 1, whose range contracts over R + 1 layers."""
    method = "contraction of quotients of columns over positive blocks"
    return conclude(claim, every_pair(), method=method)


def column_factor_at_most_one() -> Theorem:
    """v_j <= |v| = 1."""
    signs, unit = (instance(assume(every), step) for every in claims.RANK_ONE[1:3])
    one = entry_below_norm(lambda k: column_factor(step, k), j, N)
    return joint(
        Compare(column_factor(step, j), "<=", 1) & Compare(column_factor(step, j), ">", 0), one,
        instance(signs, j), unit,
    )  # fmt: skip


@proves(claims.error_vanishes_relative_to_the_row)
def by_dividing_by_the_row_factor(claim: Claim) -> Certificate:
    """E_ij/u_i = v_j (P_ij/S_ij - 1), where 0 < v_j <= |v| = 1."""
    p, e, w, row = symbols("p e w u", real=True)
    near = Compare(Abs(p / (row * w) - 1), "<=", tolerance)
    signs = (Compare(row, ">", 0), Compare(w, ">", 0))
    split = joint(
        Compare(e / row, "=", w * (p / (row * w) - 1)),
        given=(Compare(p, "=", row * w + e), *signs),
    )
    small = joint(
        Compare(Abs(e / row), "<=", tolerance), split, given=(near, Compare(w, "<=", 1), *signs)
    )
    terms = {
        p: entry_of_product(step, i, j), e: error(step, i, j), row: row_factor(step, i),
        w: column_factor(step, j),
    }  # fmt: skip
    positive = at_places(assume(claims.RANK_ONE[0]), step, i)
    inside = column_factor_at_most_one()
    bound = cut(
        substitute(small, terms), at_places(assume(claims.RANK_ONE[3]), step, i, j), positive,
        part(inside, 0), part(inside, 1), at_places(assume(claims.NEARLY_RANK_ONE), step, i, j),
    )  # fmt: skip
    bound = cut(bound, positive, part(inside, 1))
    later = cut(bound, joint(Compare(step, ">=", 0), given=(Compare(step, ">=", onset),)))
    everywhere = for_all(later, (i, N), (j, N))
    return conclude(
        claim, generalise(everywhere, step, onset, oo),
        method="bounded factor times a factor that vanishes",
    )  # fmt: skip
