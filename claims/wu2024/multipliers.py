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
    Abs,
    Expr,
    ImmutableDenseMatrix,
    Integer,
    Piecewise,
    Rational,
    Symbol,
    eye,
    sqrt,
    symbols,
    zeros,
)

from claims.domain import Computed, Condition, Domain, Point, Real, Size
from claims.expressions import Entrywise, Total
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.singular import moduli
from claims.statement import Compare, Quantity
from claims.terms import family
from claims.wu2024.anisotropy import SETTING, full_rank, signs
from claims.wu2024.chains import col, row
from claims.wu2024.coexistence import alternating, full_rank_equilibria_are_counted_by_signs
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
        "their small regions of attraction. At every $w$ they do: `wu2024.beyond.fourth-token-repels`."
    ),
)

# The fourth token ---------------------------------------------------------------------------------


four_or_more = Domain(
    (
        Size(N, 4, 5), Pythagorean(w), Signs(signs, N), Computed(d, lambda at: at[N]),
        Computed(X, full_rank),
    )
)  # fmt: skip
cosine = family(
    r"\langle X_{{{}}},X_{{{}}}\rangle",
    lambda at, one, other: (at[X].row(one - 1) * at[X].row(other - 1).T)[0, 0].expand(),
)


def _largest_modulus(block: ImmutableDenseMatrix) -> Any:
    """The largest modulus of an eigenvalue of a rational matrix."""
    if not all(e.is_Rational for e in block):
        raise ValueError("the entries of a block must be rational: sqrt(1 - 1/w^2) must be")
    return moduli(block)[0]


farthest_multiplier = Quantity(
    r"\max_k|\lambda_{4,k}|", lambda at: _largest_modulus(_block(at[X], 3, at[w])), nonnegative=True
)
_FULL = Hypothesis(r"\operatorname{rank}X=N,\ N\ge4")
cosines_of_the_fourth_token_are_bounded = Claim(
    id="wu2024.beyond.fourth-token-cosines",
    source=source("Sec. 4.4", "Stability of the equilibria"),
    kind="bound",
    title=(
        r"At a full-rank equilibrium $\langle X_3,X_4\rangle^2$ is less than "
        r"$4|\langle X_1,X_4\rangle|$."
    ),
    statement=Compare(cosine(3, 4) ** 2, "<", 4 * Abs(cosine(1, 4))),
    domain=four_or_more,
    hypotheses=(*SETTING, EQUILIBRIUM, _FULL),
    uses=(full_rank_equilibria_are_counted_by_signs,),
    mutants=(
        Mutant(
            "without the four", Compare(cosine(3, 4) ** 2, "<", Abs(cosine(1, 4)))
        ),
    ),
    note=(
        "A statement of ours, for every $w>1$ and all signs, on which `wu2024.beyond.fourth-token-repels` "
        r"rests. $|\langle X_1,X_4\rangle|=c=\sqrt{1-1/w^2}$, and $\langle X_3,X_4\rangle$ is "
        r"$\pm c^2\pm c^2/w^2\pm c/w^4$, at most $2c$ in modulus."
    ),
)  # fmt: skip
fourth_token_repels = Claim(
    id="wu2024.beyond.fourth-token-repels",
    source=source("Sec. 4.4", "Stability of the equilibria"),
    kind="bound",
    title="From four tokens on, every full-rank equilibrium of (31) is linearly unstable, for every $w$.",
    statement=farthest_multiplier.above(1),
    domain=four_or_more,
    hypotheses=(
        *SETTING, EQUILIBRIUM, _FULL,
        Hypothesis(r"\lambda_{4,k}:\ \text{the multipliers of token 4, eigenvalues of } DF_4"),
    ),
    uses=(
        multipliers_of_full_rank_equilibria, cosines_of_the_fourth_token_are_bounded,
    ),
    probes=(four_or_more.completed({N: Integer(4), w: Rational(5, 3), signs: alternating(4)}),),
    mutants=(Mutant("the root of two, as for large w", farthest_multiplier.at_least(sqrt(2))),),
    note=(
        "A statement of ours, for all signs of the last coordinates. The linearisation is block triangular, so "
        "that a multiplier of one token is one of the whole. Small deviations of the fourth token grow, even "
        "with the tokens before it at rest: `wu2024.sec-4.4.stability` is true of some directions only. The "
        r"growth is slow for small $w$: as $w$ falls to one, the multipliers tend to one."
    ),
)  # fmt: skip
