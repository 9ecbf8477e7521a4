r"""Lengths and distances of unit tokens: what cosines say of mu, and what LayerNorm undoes.

App. C.1 and D: the lines on Conv(X^{(t)}) and on D_ii^{(t)}, and the step from Eq. (26), (27) to
mu.  A convex combination of the tokens is a row of A X, for the complete mask any of them.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Rational, Symbol, eye, sqrt

from claims.definitions import frobenius_square
from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Size
from claims.expressions import explicit
from claims.masks import causal, complete, sliding_window, star
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.wu2024.notation import WV, A, G, N, X, d, mu_squared, source
from claims.wu2024.setup import Attention, Orthogonal, UnitRows, size_of_mask

phi = Symbol(r"\phi^{(t)}", real=True)
i, j = (Symbol(name, integer=True, positive=True) for name in "ij")
cosine = Symbol(r"\langle X_{i,:},X_{j,:}\rangle", real=True)
rho = Symbol("rho", positive=True)
C = Symbol("C", nonnegative=True)
slack = Symbol("delta", nonnegative=True)

UNIT = Hypothesis(r"\|X_{i,:}^{(t)}\|_2=1\ \forall i")
ORTHOGONAL = Hypothesis(r"W^{(t)}\ \text{orthogonal}")

least_cosine = Computed(phi, lambda at: min(at[X] * at[X].T))


def unnormalised(tokens: Any, layer: Any, value: Any) -> ImmutableDenseMatrix:
    """A X W: one layer before LayerNorm."""
    return layer * tokens * value


_pair = (Size(N, 2, 4), Size(d, 1, 3), Size(i, 1, 4), Size(j, 1, 4))
_within = Condition(r"i,j\le N", lambda at: at[i] <= at[N] and at[j] <= at[N])


def _row(point: Point, number: Any) -> ImmutableDenseMatrix:
    """A token by its number; the last one for numbers that the condition will turn away."""
    return point[X].row(min(int(number), int(point[N])) - 1)


_cosines = (
    Computed(cosine, lambda at: (_row(at, at[i]) * _row(at, at[j]).T)[0]),
    least_cosine,
)
_HALF_SQUARE = r"\tfrac12\|X_{i,:}-X_{j,:}\|_2^2"
_distance = Relation(_HALF_SQUARE, (1 - cosine, 1 - phi), "<=")

distance_is_bounded_by_the_cosine_gap = Claim(
    id="wu2024.eq-23-26.distance-cosine",
    source=source("App. C.1.1 and D", "text after (26), (27)"),
    kind="bound",
    title="Half the squared distance of two unit tokens is their cosine gap, and no more than the largest.",
    statement=_distance,
    domain=Domain((*_pair, UnitRows(X), *_cosines), (_within,)),
    define=lambda point: frobenius_square(_row(point, point[i]) - _row(point, point[j])) / 2,
    hypotheses=(UNIT,),
    mutants=(
        *variants(
            ("half of it", (1 - cosine) / 2),
            ("1 - phi^2 for 1 - phi", 1 - phi**2),
            ("the square of the gap", (1 - cosine) ** 2),
            lhs=_HALF_SQUARE,
            relation="<=",
        ),
        Mutant("any norms", _distance, domain=Domain((*_pair, Array(X), *_cosines), (_within,))),
    ),
    note="The second printed inequality is an equality.",
)

_MU = r"\mu(X^{(t)})"
_constant = sqrt(C * N) * sqrt(rho)

_rated = Domain(
    (
        Size(N, 2, 4),
        Size(d, 1, 3),
        UnitRows(X),
        least_cosine,
        Choice(rho, (Integer(1), Rational(1, 4), Rational(1, 9))),
        Choice(slack, (Integer(0), Rational(1, 8))),
        Computed(C, lambda at: (1 - at[phi] + at[slack]) / at[rho]),
    )
)
_orthonormal = _rated.completed(
    {
        N: Integer(3), d: Integer(3), X: ImmutableDenseMatrix(eye(3)), rho: Rational(1, 4),
        slack: Integer(0),
    }
)  # fmt: skip

spread_is_bounded_by_the_cosine_rate = Claim(
    id="wu2024.eq-26.mu-constant",
    source=source("App. C.1.1 and D", "last display"),
    kind="bound",
    title="If the cosine gap is at most C rho, then mu is at most sqrt(C N rho).",
    statement=Relation(_MU, (_constant,), "<="),
    domain=_rated,
    define=lambda point: sqrt(explicit(mu_squared(), point)),
    hypotheses=(UNIT, Hypothesis(r"1-\phi^{(t)}\le C\rho,\quad\rho=(1-N\epsilon^{2r})^{t/r}")),
    uses=(distance_is_bounded_by_the_cosine_gap,),
    mutants=variants(
        ("N/2 for N", sqrt(C * N / 2) * sqrt(rho)),
        ("N - 2 for N", sqrt(C * (N - 2)) * sqrt(rho)),
        ("C' without N", sqrt(C) * sqrt(rho)),
        ("the same rate for mu", sqrt(C * N) * rho),
        lhs=_MU,
        relation="<=",
    ),
    probes=(_orthonormal,),
    note="Here rho stands for (1 - N eps^(2r))^(t/r); the best constant is sqrt(C (N - 1)).",
)

# What LayerNorm undoes -----------------------------------------------------------------------------

MASKS = (complete(2), causal(2), sliding_window(3), star(3), complete(3))
_layer = (Choice(G, MASKS), size_of_mask, Size(d, 1, 3), Attention(A))
_token = Size(i, 1, 3)
_exists = Condition(r"i\le N", lambda at: at[i] <= at[N])
_not_zero = Condition(
    r"(A^{(t)}X^{(t)}W^{(t)})_{i,:}\ne0", lambda at: squared_norm_before_layernorm(at) != 0
)


def squared_norm_before_layernorm(point: Point) -> Expr:
    """||(A X W)_i||^2, which LayerNorm divides by: D_ii^{-2}."""
    number = min(int(point[i]), int(point[N])) - 1
    return frobenius_square(unnormalised(point[X], point[A], point[WV]).row(number))


def one_layer(*tokens_and_value: Any, layer: tuple[Any, ...] = _layer) -> Domain:
    return Domain((*layer, *tokens_and_value, _token), (_exists, _not_zero))


_HULL = r"\|(W^{(t)})^\top x\|_2^2,\ x\in\mathrm{Conv}(X^{(t)})"
_combination = Domain((*_layer, UnitRows(X), Orthogonal(WV), _token), (_exists,))

convex_combinations_stay_in_the_ball = Claim(
    id="wu2024.lemma-5.hull-on-sphere.repair",
    parent="wu2024.lemma-5.hull-on-sphere",
    source=source("App. C.1 and D", "proof of Lemma 5, first line"),
    kind="identity",
    title="Rotated convex combinations of unit tokens lie in the unit ball.",
    statement=Relation(_HULL, (Integer(1),), "<="),
    domain=_combination,
    define=squared_norm_before_layernorm,
    hypotheses=(UNIT, ORTHOGONAL),
    note="Inside the hull of different tokens the norm is below one; at most one is what D >= 1 needs.",
)

convex_combinations_stay_on_the_sphere = Claim(
    id="wu2024.lemma-5.hull-on-sphere",
    source=source("App. C.1 and D", "proof of Lemma 5, first line"),
    kind="identity",
    title="Rotated convex combinations of unit tokens lie on the unit sphere.",
    statement=Relation(_HULL, (Integer(1),)),
    domain=_combination,
    define=squared_norm_before_layernorm,
    hypotheses=(UNIT, ORTHOGONAL),
    mutants=variants(
        ("the sphere of radius two", Integer(4)),
        ("on the sphere of radius 1/N", 1 / N**2),
        ("at the origin", Integer(0)),
        lhs=_HULL,
    ),
    severity="misprint",
    repair=convex_combinations_stay_in_the_ball,
    note="The mean of two different unit vectors is shorter than one: the sphere is not convex.",
)

_INVERSE = r"1/(D_{ii}^{(t)})^2"
_at_most_one = Relation(_INVERSE, (Integer(1),), "<=")

layernorm_never_shrinks_a_token = Claim(
    id="wu2024.cor-1.D-geq-1",
    source=source("App. D", "first line"),
    kind="bound",
    title="Attention and an orthogonal value matrix never lengthen unit tokens, so D is at least one.",
    statement=_at_most_one,
    domain=one_layer(UnitRows(X), Orthogonal(WV)),
    define=squared_norm_before_layernorm,
    hypotheses=(UNIT, ORTHOGONAL, Hypothesis(_not_zero.latex)),
    uses=(convex_combinations_stay_on_the_sphere,),
    mutants=(
        *variants(
            ("D at least 1 + 1/N", Integer(1) / (1 + 1 / N) ** 2),
            ("D at least sqrt(N)", 1 / N),
            lhs=_INVERSE,
            relation="<=",
        ),
        Mutant("any value matrix", _at_most_one, domain=one_layer(UnitRows(X), Array(WV))),
        Mutant("any norms", _at_most_one, domain=one_layer(Array(X), Orthogonal(WV))),
    ),
    note="The bound holds although its printed reason, that convex combinations stay on the sphere, fails.",
)
