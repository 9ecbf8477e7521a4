r"""Sec. 4.4: linear stability of the full-rank equilibria, which the paper observes in simulation.

One layer of the causal dynamics moves token i by its own change and by those before it, so that the
linearisation on the product of spheres is block triangular, and its eigenvalues are those of the
blocks DF_i: T -> T, the derivative of token i's next position in its own position, T the tangent
space of the sphere at X_i.  Here the characteristic polynomial of every block is given exactly.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    Piecewise,
    Symbol,
    eye,
    sqrt,
    symbols,
    zeros,
)

from claims.domain import Computed, Condition, Domain, Point, Real, Size
from claims.expressions import Entrywise, Total
from claims.model import Claim, Hypothesis, Relation, variants
from claims.wu2024.anisotropy import SETTING, full_rank, signs
from claims.wu2024.chains import col, row
from claims.wu2024.coexistence import full_rank_equilibria_are_counted_by_signs
from claims.wu2024.equilibria import (
    EQUILIBRIUM,
    Pythagorean,
    equilibrium_rows_follow_one_another,
    i,
    zero_score_attention,
)
from claims.wu2024.notation import N, X, d, source, w
from claims.wu2024.setup import jordan
from claims.wu2024.unit_tokens import Signs

__all__ = ["multipliers_of_full_rank_equilibria"]

multiplier = Symbol("lambda", real=True)

equilibria = Domain(
    (
        Size(N, 2, 4),
        Size(i, 1, 4),
        Pythagorean(w),
        Signs(signs, N),
        Computed(d, lambda at: at[N]),
        Computed(X, full_rank),
        Real(multiplier),
    ),
    (Condition(r"i\le N", lambda at: at[i] <= at[N]),),
)


def characteristic_polynomial(at: Point) -> Expr:
    """det(lambda - DF_i) on the tangent space at X_i, by differentiating one layer."""
    block = _block(at[X], int(at[i]) - 1, at[w])
    return (at[multiplier] * eye(block.rows) - block).det()


@lru_cache(maxsize=512)
def _block(tokens: ImmutableDenseMatrix, token: int, weight: Any) -> ImmutableDenseMatrix:
    """Row b holds the coordinates of DF_i applied to tangent vector b, in a basis of tangents."""
    width = tokens.cols
    tangents = ImmutableDenseMatrix.hstack(*tokens.row(token).nullspace()).T
    attention, value = zero_score_attention(tokens.rows), jordan(width, weight)
    moved = []
    for b in range(width - 1):
        change = zeros(*tokens.shape)
        change[token, :] = tangents.row(b)
        mixed, along = (attention.row(token) * rows * value for rows in (tokens, change))
        moved.append(_change_of_direction(mixed, along))
    images = ImmutableDenseMatrix.vstack(*moved)
    gram = tangents * tangents.T
    return (images * tangents.T * gram.inv()).as_immutable()


def _change_of_direction(
    row: ImmutableDenseMatrix, along: ImmutableDenseMatrix
) -> ImmutableDenseMatrix:
    """The derivative of (x + h y)/|x + h y| at h = 0 for rows x and y."""
    names, slopes = _slopes(len(row))
    values = dict(zip(names, (*row, *along), strict=True))
    return ImmutableDenseMatrix([[slope.xreplace(values) for slope in slopes]])


@cache
def _slopes(width: int) -> tuple[tuple[Symbol, ...], list[Expr]]:
    """Names for the entries of x and y, and the derivative of each entry, by differentiating."""
    step = Symbol("h", real=True)
    x, y = (symbols(f"{name}:{width}", real=True) for name in "xy")
    moved = [a + step * b for a, b in zip(x, y, strict=True)]
    length = sqrt(sum(entry**2 for entry in moved))
    return (*x, *y), [(entry / length).diff(step).subs(step, 0) for entry in moved]


def _sum(sign: int = -1, last: Any = i) -> Total:
    """sum_{j=1}^{last} (-1)^(i-j) <X_j, X_i> (lambda - 1)^(j-1)."""
    own = Entrywise(Piecewise((1, row < i), (0, True)) - Piecewise((1, row < i - 1), (0, True)),
                    [(row, N)], [(col, Integer(1))])  # fmt: skip
    weights = Entrywise(
        Piecewise(
            (Integer(sign) ** (i - 1 - row) * (multiplier - 1) ** row, row < last), (0, True)
        ),
        [(row, N)],
        [(col, Integer(1))],
    )
    alternate = "(-1)^{i-j}" if sign < 0 else ""
    upper = "i" if last == i else "i-1"
    shown = rf"\sum_{{j=1}}^{{{upper}}}{alternate}\langle X_j,X_i\rangle(\lambda-1)^{{j-1}}"
    return Total(own.T * X * X.T * weights, shown)


_lhs = r"\det\left(\lambda-DF_i\big|_{T_{X_i}\mathbb S^{d-1}}\right)"
_neutral = (multiplier - 1) ** (N - i)

multipliers_of_full_rank_equilibria = Claim(
    id="wu2024.beyond.multipliers",
    source=source("Sec. 4.4", "Stability of the equilibria"),
    kind="identity",
    title="Token $i$ of a full-rank equilibrium has these multipliers, $N - i$ of them equal to one.",
    statement=Relation(_lhs, (_neutral * _sum(),)),
    domain=equilibria,
    define=characteristic_polynomial,
    hypotheses=(*SETTING, EQUILIBRIUM, Hypothesis(r"\operatorname{rank}X=N,\ 1\le i\le N")),
    uses=(equilibrium_rows_follow_one_another, full_rank_equilibria_are_counted_by_signs),
    mutants=variants(
        ("inner products without signs", _neutral * _sum(sign=1)),
        ("the normal direction counted", multiplier * _neutral * _sum()),
        lhs=_lhs,
    ),
    note=(
        "A statement of ours: the paper reports simulations. The first token has multipliers one only "
        "and is semi-stable. At (33) the second has $1 - \\sqrt{1 - 1/w^2}$, and contracts; the third "
        "contracts too: its two multipliers have $|\\lambda|^2 = 1 - c^2(1 - c)$, $c = \\sqrt{1 - 1/w^2}$. "
        "For large $w$ the sum tends to $(\\mu^i - 1)/(\\mu - 1)$, "
        "$\\mu = \\lambda - 1$, whose roots are roots of unity, so that from the fourth token on some "
        "multiplier tends to $1 + \\sqrt{-1}$ or farther out: these equilibria repel there, which fits "
        "their small regions of attraction."
    ),
)
