r"""Tokens stay in a cone: Lemma 4 and Lemma 5 of App. C.1.

Under LayerNorm every row of A X W is a combination of the initial tokens, rotated, with weights that
are not negative and sum to at least one.  So its norm is at most one, and at least gamma, the least
norm on the convex hull of the initial tokens.  The attention matrices are free matrices on the mask.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Symbol, exp, sqrt

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Size
from claims.masks import Mask, causal, complete, sliding_window
from claims.model import Claim, Hypothesis, Mutant, Proposition, Relation, variants
from claims.wu2024.cosines import ORTHOGONAL, SELF_LOOPS, STRONG, UNIT
from claims.wu2024.dynamics import Layers, spectral_at_most
from claims.wu2024.lengths import (
    convex_combinations_stay_on_the_sphere,
    layernorm_never_shrinks_a_token,
)
from claims.wu2024.masks import d_QK
from claims.wu2024.notation import WK, WQ, WV, G, N, T, X, attention, d, source
from claims.wu2024.setup import AttentionSequence, Orthogonal, UnitRows, size_of_mask
from claims.wu2024.trajectory import (
    DIGITS,
    SLACK,
    Layer,
    Rows,
    decimals,
    follow,
    least_squared_norm,
    product,
    scaled,
)  # fmt: skip

C = Symbol("C", positive=True)
values = Symbol("W^{(0..T-1)}")
"""Holds a tuple of value matrices at a point, first layer first."""

HEMISPHERE = Hypothesis(
    r"\text{(i)}\ \exists v\in\mathbb S^{d-1}:\ \langle X_{i,:}^{(0)},v\rangle>0\ \forall i"
)
INDEPENDENT = Hypothesis(r"\text{(ii)}\ N\le d,\ X^{(0)}\ \text{has full rank}")
independent_tokens = Condition(
    INDEPENDENT.latex, lambda at: at[N] <= at[d] and at[X].rank() == at[N]
)
"""It implies (i): X v = 1 has a solution, and v over its norm serves."""
BOUNDED_WEIGHTS = Hypothesis(r"\text{A2: } \|W_Q^{(t)}\|_2\le C,\ \|W_K^{(t)}\|_2\le C")

# Lemma 4 -------------------------------------------------------------------------------------------


def largest_inverse_weight(point: Point) -> Expr:
    """max over edges of 1/A_ij = sum_k e^{R_ik} / e^{R_ij}, R = X W_Q (X W_K)^T / sqrt(d_QK)."""
    whole = point[X] * point[WQ] * (point[X] * point[WK]).T
    mask, temperature = point[G], sqrt(point[d_QK])
    approximate = float(temperature)
    found, best = None, -math.inf
    for i in range(mask.size):
        near = [j - 1 for j in mask.neighbours(i + 1)]
        for j in near:
            size = sum(math.exp(float(whole[i, k] - whole[i, j]) / approximate) for k in near)
            if size > best:
                found, best = (i, j, near), size
    assert found is not None
    i, j, near = found
    return sum(exp((whole[i, k] - whole[i, j]) / temperature) for k in near)


def least_bound(point: Point) -> Expr:
    """The least positive integer that bounds both spectral norms (A2)."""
    weights, bound = (point[WQ], point[WK]), 1
    while not all(spectral_at_most(w, bound) for w in weights):
        bound += 1
    return Integer(bound)


def scored(*variables: Any) -> Domain:
    masks = (complete(2), causal(2), complete(3), sliding_window(3), causal(4))
    bound = Computed(C, least_bound)
    return Domain((Choice(G, masks), size_of_mask, *variables, bound, Choice(d_QK, (1, 4, 2))))


_weights = (Array(WQ, 1), Array(WK, 1))
_unit_tokens = scored(Size(d, 1, 2), UnitRows(X), *_weights)
_one = ImmutableDenseMatrix([[1]])
_long_tokens = scored(
    Choice(d, (Integer(1),)), Array(X, 6), Choice(WQ, (_one,)), Choice(WK, (_one,))
)


def opposite(mask: Mask, temperature: int) -> dict[Any, Any]:
    """Tokens 1 and -1 with unit weights: the scores are as far apart as they can be."""
    column = ImmutableDenseMatrix([-1] + [1] * (mask.size - 1))
    free = {G: mask, d: Integer(1), X: column, WQ: _one, WK: _one}
    return _unit_tokens.completed({**free, d_QK: Integer(temperature)})


_INVERSE = r"\max_{(j,i)\in E}1/A_{ij}^{(t)}"
_floor = Relation(_INVERSE, (1 + (N - 1) * exp(2 * C**2 / sqrt(d_QK)),), "<=")
attention_has_a_floor_under_layernorm = Claim(
    id="wu2024.lemma-4.epsilon-with-LN",
    source=source("App. C.1", "Lemma 4"),
    kind="bound",
    title="With LayerNorm, attention weights on edges stay above 1/(1 + (N-1) exp(2 C^2/sqrt(d_QK))).",
    statement=_floor,
    domain=_unit_tokens,
    define=largest_inverse_weight,
    hypotheses=(SELF_LOOPS, BOUNDED_WEIGHTS, UNIT),
    mutants=(
        *variants(
            ("C^2 for 2 C^2", 1 + (N - 1) * exp(C**2 / sqrt(d_QK))),
            ("d_QK for sqrt(d_QK)", 1 + (N - 1) * exp(2 * C**2 / d_QK)),
            ("N - 2 for N - 1", 1 + (N - 2) * exp(2 * C**2 / sqrt(d_QK))),
            ("epsilon = 1/N", N),
            lhs=_INVERSE,
            relation="<=",
        ),
        Mutant("without LayerNorm", _floor, domain=_long_tokens),
    ),
    probes=(opposite(complete(2), 1), opposite(complete(3), 4)),
    note=(
        "The paper asserts some epsilon > 0; the one here is the best in terms of N, C and d_QK, and "
        "is reached by tokens on a line. It does not depend on t."
    ),
)

# Lemma 5 -------------------------------------------------------------------------------------------

STRONGLY_CONNECTED = (complete(2), sliding_window(3), complete(3))


def rotated(value: Any, *more: Condition) -> Domain:
    """T layers from independent tokens on strongly connected masks."""
    return Domain(
        (
            Choice(G, STRONGLY_CONNECTED),
            size_of_mask,
            Size(d, 2, 3),
            Size(T, 1, 4),
            AttentionSequence(attention, length=T),
            UnitRows(X),
            Layers(values, value, T),
        ),
        (independent_tokens, *more),
    )


_regular = Condition(
    r"W^{(t)}\ \text{invertible}", lambda at: all(w.det() != 0 for w in at[values])
)
theorem_2 = rotated(Orthogonal(WV))
_any_value = rotated(Array(WV, 2), _regular)
THEOREM_2 = (UNIT, SELF_LOOPS, STRONG, ORTHOGONAL, HEMISPHERE, INDEPENDENT)


def trajectory(point: Point) -> tuple[Layer, ...]:
    return follow(point[X], point[attention], point[values], int(point[T]))


def coefficients(layers: tuple[Layer, ...], *, with_scales: bool = True) -> Rows:
    """a = A^{(t)} D^{(t-1)} A^{(t-1)} ... D^{(0)} A^{(0)}, or the product of the A alone."""
    first, *others = layers
    weights = first.weights
    for before, layer in zip(layers, others, strict=False):
        inner = scaled(before.scales, weights) if with_scales else weights
        weights = product(layer.weights, inner)
    return weights


def equal(left: Rows, right: Rows) -> bool:
    pairs = zip(left, right, strict=True)
    return all(abs(a - b) < SLACK for x, y in pairs for a, b in zip(x, y, strict=True))


def combination_flags(point: Point) -> tuple[bool, ...]:
    """A X W = a X^(0) W~; a >= 0; row sums >= 1; all = 1; the same with W~ reversed; without D."""
    layers = trajectory(point)
    with localcontext(prec=DIGITS):
        start, last = layers[0].tokens, layers[-1]
        a, plain = coefficients(layers), coefficients(layers, with_scales=False)
        reversed_values = layers[-1].value
        for layer in layers[-2::-1]:
            reversed_values = product(reversed_values, layer.value)
        combined = product(a, start)
        sums = [sum(row, Decimal(0)) for row in a]
        return (
            equal(last.moved, product(combined, last.rotation)),
            all(e >= 0 for row in a for e in row),
            all(s >= 1 - SLACK for s in sums),
            all(abs(s - 1) < SLACK for s in sums),
            equal(last.moved, product(combined, reversed_values)),
            equal(last.moved, product(product(plain, start), last.rotation)),
        )


_COMBINED = (
    r"(A^{(t)}X^{(t)}W^{(t)})_{i,:}=\textstyle\sum_ja_{ij}^{(t)}X_{j,:}^{(0)}\tilde W^{(t)},\quad "
    r"a_{ij}^{(t)}\ge0,\ \sum_ja_{ij}^{(t)}\ge1,\quad t=T-1"
)
_combination = Proposition(_COMBINED, lambda point, f: f[0] and f[1] and f[2])
rows_are_nonnegative_combinations = Claim(
    id="wu2024.lemma-5.nonneg-combination",
    source=source("App. C.1", "proof of Lemma 5"),
    kind="identity",
    title="Before LayerNorm a token is a rotated combination of initial tokens with weights of sum at least 1.",
    statement=_combination,
    domain=theorem_2,
    define=combination_flags,
    hypotheses=THEOREM_2,
    uses=(layernorm_never_shrinks_a_token,),
    mutants=(
        Mutant(
            "convex combinations",
            Proposition(r"\textstyle\sum_ja_{ij}^{(t)}=1", lambda point, f: f[0] and f[3]),
        ),
        Mutant(
            "value matrices in the reverse order",
            Proposition(
                r"A^{(t)}X^{(t)}W^{(t)}=a^{(t)}X^{(0)}W^{(t)}\cdots W^{(0)}", lambda point, f: f[4]
            ),
        ),
        Mutant(
            "factors D forgotten",
            Proposition(
                r"A^{(t)}X^{(t)}W^{(t)}=A^{(t)}\cdots A^{(0)}X^{(0)}\tilde W^{(t)}",
                lambda point, f: f[5],
            ),
        ),
        Mutant("any value matrices", _combination, domain=_any_value),
    ),
    note=r"W~ is the product of the W in the order of the layers, W^(0) first.",
)


def scale_flags(point: Point) -> tuple[bool, ...]:
    """D >= 1; D <= 1/gamma; D <= gamma^(-1/2); D <= 1; D <= sqrt(N); in every layer."""
    scales = [s for layer in trajectory(point) for s in layer.scales]
    gamma = least_squared_norm(point[X])
    with localcontext(prec=DIGITS):
        squared = decimals(ImmutableDenseMatrix([[gamma]]))[0][0]
        largest, least = max(scales), min(scales)
        return (
            least >= 1 - SLACK,
            largest**2 * squared <= 1 + SLACK,
            largest**4 * squared <= 1 + SLACK,
            largest <= 1 + SLACK,
            largest**2 <= int(point[N]) + SLACK,
        )


_bounds = Proposition(
    r"1\le D_{ii}^{(t)}\le1/\gamma,\quad\gamma=\min\{\|x\|_2:\ x\in\mathrm{Conv}(X^{(0)})\}",
    lambda point, f: f[0] and f[1],
)
layernorm_scales_are_bounded = Claim(
    id="wu2024.lemma-5.D-bounds",
    source=source("App. C.1", "Lemma 5"),
    kind="bound",
    title="LayerNorm scales tokens by at least 1 and at most 1/gamma, gamma the least norm on Conv(X^(0)).",
    statement=_bounds,
    domain=theorem_2,
    define=scale_flags,
    hypotheses=THEOREM_2,
    uses=(convex_combinations_stay_on_the_sphere, rows_are_nonnegative_combinations),
    mutants=(
        Mutant(
            "square root of gamma",
            Proposition(r"D_{ii}^{(t)}\le\gamma^{-1/2}", lambda point, f: f[2]),
        ),
        Mutant("no scaling", Proposition(r"D_{ii}^{(t)}\le1", lambda point, f: f[3])),
        Mutant("orthogonal tokens", Proposition(r"D_{ii}^{(t)}\le\sqrt N", lambda point, f: f[4])),
        Mutant("any value matrices", _bounds, domain=_any_value),
    ),
    note=(
        "The bounds hold, by D >= 1 from the ball and not the sphere (wu2024.lemma-5.hull-on-sphere). "
        "Neither full rank nor strong connectivity is needed: (i) alone makes gamma positive."
    ),
)
