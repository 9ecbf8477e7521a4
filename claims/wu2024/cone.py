r"""Tokens stay in a cone: Lemma 4 and Lemma 5 of App. C.1.

Under LayerNorm every row of A X W is a combination of the initial tokens, rotated, with weights that
are not negative and sum to at least one.  So its norm is at most one, and at least gamma, the least
norm on the convex hull of the initial tokens.  The attention matrices are free matrices on the mask.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import lru_cache
from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatrixSymbol,
    Sum,
    Symbol,
    exp,
    oo,
    sqrt,
    symbols,
)

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Real, Size
from claims.masks import Mask, causal, complete, sliding_window
from claims.model import Claim, Hypothesis, Mutant, Understood
from claims.singular import least_singular_value
from claims.statement import Compare, ForAll, Quantity
from claims.terms import entry, family
from claims.wu2024.dynamics import Layers, bounded_on_tokens, spectral_at_most
from claims.wu2024.lengths import (
    LONG_SCALES,
    ORTHOGONAL,
    SELF_LOOPS,
    STRONG,
    UNIT,
    convex_combinations_stay_on_the_sphere,
    i,
    j,
    layernorm_never_shrinks_a_token,
    unit_at_first,
)
from claims.wu2024.masks import SMALL_STRONG_MASKS, d_QK
from claims.wu2024.notation import WK, WQ, WV, C, G, N, T, X, attention, d, source, t
from claims.wu2024.reach import edges
from claims.wu2024.setup import AttentionSequence, size_of_mask
from claims.wu2024.trajectory import DIGITS, Layer, Rows, follow, product, scaled
from claims.wu2024.turns import values
from claims.wu2024.unit_tokens import Direction, Orthogonal, UnitRows

HEMISPHERE = Hypothesis(
    r"\text{(i)}\ \exists v\in\mathbb S^{d-1}:\ \langle X_{i,:}^{(0)},v\rangle>0\ \forall i"
)
INDEPENDENT = Hypothesis(r"\text{(ii)}\ N\le d,\ X^{(0)}\ \text{has full rank}")
sigma_min = least_singular_value(r"\sigma_{{\min}}(X^{{(0)}})", X)(N, d)
_rank = lru_cache(maxsize=4096)(lambda matrix: matrix.to_DM().to_field().rank())
independent_tokens = Condition(
    INDEPENDENT.latex, lambda at: at[N] <= at[d] and _rank(at[X]) == at[N],
    Compare(sigma_min, ">", 0),
)  # fmt: skip
"""It implies (i): X v = 1 has a solution, and v over its norm serves."""
BOUNDED_WEIGHTS = Hypothesis(r"\text{A2: } \|W_Q^{(t)}\|_2\le C,\ \|W_K^{(t)}\|_2\le C")

# Lemma 4 -------------------------------------------------------------------------------------------


def weight_at(point: Point, i: int, j: int) -> Expr:
    """A_ij = e^{R_ij} / sum_k e^{R_ik} over neighbours, R = X W_Q (X W_K)^T / sqrt(d_QK)."""
    near = [k - 1 for k in point[G].neighbours(i)]
    if j - 1 not in near:
        return Integer(0)
    scores = (point[X] * point[WQ]).row(i - 1) * (point[X] * point[WK]).T / sqrt(point[d_QK])
    return 1 / sum(exp(scores[k] - scores[j - 1]) for k in near)


bounded_weights = Condition(
    BOUNDED_WEIGHTS.latex,
    lambda at: all(spectral_at_most(at[w], at[C]) for w in (WQ, WK)),
    bounded_on_tokens(entry(WQ), C) & bounded_on_tokens(entry(WK), C),
)


def scored(*variables: Any) -> Domain:
    masks = (complete(2), causal(2), complete(3), sliding_window(3), causal(4))
    head = (Choice(G, masks), size_of_mask, *variables)
    return Domain((*head, Real(C, 0, oo), Size(d_QK, 1, 4)), (bounded_weights, edges))


_weights = (Array(WQ, 1), Array(WK, 1))
_one = ImmutableDenseMatrix([[1]])


def opposite(mask: Mask, temperature: int) -> dict[Any, Any]:
    """Tokens 1 and -1 with unit weights: the scores are as far apart as they can be."""
    column = ImmutableDenseMatrix([-1] + [1] * (mask.size - 1))
    free = {G: mask, N: Integer(mask.size), d: Integer(1), X: column, WQ: _one, WK: _one}
    return {**free, C: Integer(1), d_QK: Integer(temperature)}


weight = family(r"A_{{{}{}}}^{{(t)}}", weight_at)


def _floor_on(edge: Any) -> ForAll:
    """A_ij is above the floor where the edge is in E."""
    above = Compare(weight(i, j), ">=", 1 / (1 + (N - 1) * exp(2 * C**2 / sqrt(d_QK))))
    return ForAll(i, 1, N, ForAll(j, 1, N, Compare(edge, "=", 1).implies(above)))


_floor = _floor_on(entry(G)(j, i))
_unit_scores = scored(Size(d, 1, 2), UnitRows(X), *_weights)
_UNIT_AT_FIRST = (
    Understood(
        "the initial tokens have unit norm, as the proof says of all layers",
        "tokens $(6,-6)$ with unit weights have weights below $e^{-72}$ in layer 0",
    ),
)
attention_has_a_floor_under_layernorm = Claim(
    id="wu2024.lemma-4.epsilon-with-LN",
    source=source("App. C.1", "Lemma 4"),
    kind="bound",
    title=r"With LayerNorm, attention weights on edges stay above $1/(1+(N-1)e^{2C^2/\sqrt{d_{QK}}})$.",
    statement=_floor,
    printed=r"A_{i,j}^{(t)}\geq\epsilon\text{ for all }t\geq0,(j,i)\in E",
    domain=_unit_scores,
    hypotheses=(SELF_LOOPS, BOUNDED_WEIGHTS, UNIT),
    mutants=(
        Mutant("without LayerNorm", _floor, domain=scored(Size(d, 1, 2), Array(X, 6), *_weights)),
    ),
    probes=(opposite(complete(2), 1), opposite(complete(3), 4)),
    understood=_UNIT_AT_FIRST,
    note=(
        r"The paper asserts some $\epsilon>0$; the one here is the best in terms of $N$, $C$ and "
        r"$d_{QK}$, and is reached by tokens on a line. It does not depend on $t$."
    ),
)

_causal_pair = _unit_scores.completed(
    {
        G: causal(2), d: Integer(1), X: ImmutableDenseMatrix([1, 1]), WQ: _one, WK: _one, C: Integer(1),
        d_QK: Integer(1),
    }
)  # fmt: skip
attention_has_a_floor_along_edges = Claim(
    id="wu2024.lemma-4.last-line.repair",
    parent="wu2024.lemma-4.last-line",
    source=source("App. C.1", "last line of the proof of Lemma 4"),
    kind="bound",
    title="The weight $A_{ij}$ is above the floor for $(j,i)\\in E$.",
    statement=_floor,
    domain=_unit_scores,
    hypotheses=(SELF_LOOPS, BOUNDED_WEIGHTS, UNIT),
    understood=_UNIT_AT_FIRST,
    note="Token $i$ attends to $j$ where $(j,i)$ is an edge; the lemma itself has it so.",
)
attention_has_a_floor_against_edges = Claim(
    id="wu2024.lemma-4.last-line",
    source=source("App. C.1", "last line of the proof of Lemma 4"),
    kind="bound",
    title="The weight $A_{ij}$ is said to be above the floor for $(i,j)\\in E$.",
    statement=_floor_on(entry(G)(i, j)),
    printed=(
        r"\text{This implies that there exists } \epsilon > 0 \text{ such that } "
        r"A_{i,j}^{(t)} \geq \epsilon \text{ for all } (i, j) \in E"
    ),
    domain=_unit_scores,
    hypotheses=(SELF_LOOPS, BOUNDED_WEIGHTS, UNIT),
    probes=(_causal_pair,),
    severity="misprint",
    repair=attention_has_a_floor_along_edges,
    note=(
        "With the causal mask $(1,2)\\in E$, since token 2 attends to token 1, but $A_{12}=0$, which is "
        "below every $\\epsilon>0$. The lemma has $(j,i)\\in E$, and so has the same line in App. B.1."
    ),
)

# Lemma 5 -------------------------------------------------------------------------------------------

direction = MatrixSymbol("v", 1, d)
margin = Symbol(r"\gamma", positive=True)
"""The least product of an initial token with v."""
ABOVE = Hypothesis(r"\gamma=\min_i\langle X_{i,:}^{(0)},v\rangle\ \text{for a } v\ \text{of (i)}")
_row, _column = symbols("row column", integer=True)
_heights = Sum(entry(X)(_row, _column) * entry(direction)(1, _column), (_column, 1, d))
HEMISPHERE_ABOVE = (
    Direction(direction, tokens=X),
    Computed(
        margin, lambda at: min(at[X] * at[direction].T),
        known=(ForAll(_row, 1, N, Compare(_heights, ">=", margin)), Compare(margin, ">", 0)),
    ),
)  # fmt: skip
"""Condition (i), as variables: v and gamma."""


def rotated(value: Any, *more: Condition) -> Domain:
    """T layers from independent tokens on strongly connected masks; v as in condition (i)."""
    return Domain(
        (
            Choice(G, SMALL_STRONG_MASKS),
            size_of_mask,
            Size(d, 2, 3),
            Size(T, 1, 3),
            AttentionSequence(attention, length=T),
            UnitRows(X),
            Direction(direction, tokens=X),
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


def layers_at(point: Point) -> tuple[Layer, ...]:
    return follow(point[X], point[attention], point[values], int(point[T]))


def coefficients(layers: tuple[Layer, ...]) -> Rows:
    """a = A^{(t)} D^{(t-1)} A^{(t-1)} ... D^{(0)} A^{(0)}."""
    first, *others = layers
    weights = first.weights
    for before, layer in zip(layers, others, strict=False):
        weights = product(layer.weights, scaled(before.scales, weights))
    return weights


def in_full(read: Any) -> Any:
    """A reading of the layers up to one, to sixty digits."""

    def define(point: Point, layer: int, row: int, column: int) -> Decimal:
        with localcontext(prec=DIGITS):
            return read(layers_at(point)[: layer + 1])[row - 1][column - 1]

    return define


before_scaling = family(
    r"(A^{{({0})}}X^{{({0})}}W^{{({0})}})_{{{1}{2}}}", in_full(lambda layers: layers[-1].moved)
)
coefficient = family(r"a_{{{1}{2}}}^{{({0})}}", in_full(coefficients))
_k = Symbol("k", integer=True, positive=True)
_every = lambda body: ForAll(t, 0, T - 1, ForAll(i, 1, N, body))  # noqa: E731


def _combined(layers: tuple[Layer, ...]) -> Rows:
    """a X^{(0)} W~."""
    return product(product(coefficients(layers), layers[0].tokens), layers[-1].rotation)


combined = family(r"(a^{{({0})}}X^{{(0)}}\tilde W^{{({0})}})_{{{1}{2}}}", in_full(_combined))


def _coefficient_sum(point: Point, layer: int, token: int) -> Decimal:
    with localcontext(prec=DIGITS):
        return sum(coefficients(layers_at(point)[: layer + 1])[token - 1], Decimal(0))


coefficient_sum = family(r"\sum_ja_{{{1}j}}^{{({0})}}", _coefficient_sum)


def _combined_with(total: Compare) -> Any:
    return _every(
        ForAll(_k, 1, d, Compare(before_scaling(t, i, _k), "=", combined(t, i, _k)))
        & ForAll(j, 1, N, Compare(coefficient(t, i, j), ">=", 0))
        & total
    )


_combination = _combined_with(Compare(coefficient_sum(t, i), ">=", 1))
rows_are_nonnegative_combinations = Claim(
    id="wu2024.lemma-5.nonneg-combination",
    source=source("App. C.1", "proof of Lemma 5"),
    kind="identity",
    title="Before LayerNorm a token is a rotated combination of initial tokens with weights of sum at least 1.",
    statement=_combination,
    printed=(
        r"(A^{(t)}X^{(t)}W^{(t)})_{i,:}=\sum_{j=1}^Na_{ij}^{(t)}X_{j,:}^{(0)}\tilde W^{(t)},\quad "
        r"a_{ij}^{(t)}\geq0,\forall j\in[N]\text{ and }\sum_{j=1}^Na_{ij}^{(t)}\geq1"
    ),
    domain=theorem_2,
    hypotheses=THEOREM_2,
    uses=(layernorm_never_shrinks_a_token,),
    understood=unit_at_first(
        r"tokens $2e_1$ and $2e_2$ under uniform attention and $W=I$ have $\sum_ja_{1j}^{(1)}=1/\sqrt2$"
    ),
    mutants=(
        Mutant("any value matrices", _combination, domain=_any_value),
        Mutant("convex", _combined_with(Compare(coefficient_sum(t, i), "=", 1))),
        Mutant("at least two", _combined_with(Compare(coefficient_sum(t, i), ">=", 2))),
    ),
    note=r"$\tilde W$ is the product of the $W$ in the order of the layers, $W^{(0)}$ first.",
)

scale = family(
    r"D_{{{1}{1}}}^{{({0})}}",
    lambda at, layer, token: layers_at(at)[layer].scales[token - 1],
)
gamma = Quantity(r"\gamma", lambda at: min(at[X] * at[direction].T))
_bounds = _every(Compare(Integer(1), "<=", scale(t, i)) & Compare(scale(t, i), "<=", 1 / gamma))
layernorm_scales_are_bounded = Claim(
    id="wu2024.lemma-5.D-bounds",
    source=source("App. C.1", "Lemma 5"),
    kind="bound",
    title=r"LayerNorm scales tokens by at least $1$ and at most $1/\gamma$.",
    statement=_bounds,
    printed=r"C_1\leq D_{i,i}^{(t)}\leq C_2\text{ for all }t\geq0,i\in[N]",
    domain=theorem_2,
    hypotheses=(*THEOREM_2, ABOVE),
    uses=(convex_combinations_stay_on_the_sphere, rows_are_nonnegative_combinations),
    understood=LONG_SCALES,
    mutants=(Mutant("any value matrices", _bounds, domain=_any_value),),
    note=(
        r"The proof has $C_1=1$ and $C_2=1/\gamma$ for a $\gamma$ below all norms on "
        r"$\mathrm{Conv}(X^{(0)})$; $\min_i\langle X_i,v\rangle$ is one, and the best $v$ makes it "
        "the least norm there. The bounds hold, by $D\\ge1$ from the ball and not the sphere "
        "(`wu2024.lemma-5.hull-on-sphere`). Neither full rank nor strong connectivity is needed."
    ),
)
