r"""How fast products of attention matrices contract: Lemma 3, Corollary 2, and Eq. (17)-(19).

The width of a vector is M^{(t)} - m^{(t)}, its largest entry minus its least.  Set-up and reading
are those of `claims.wu2024.extrema`.
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, ImmutableDenseMatrix, Integer, Rational, Symbol, eye, sqrt

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Real, Size
from claims.masks import Mask, complete, one_directional
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.wu2024.extrema import (
    CENTRED,
    MASKS,
    RECURSION,
    SELF_LOOPS,
    STOCHASTIC,
    attention_class,
    centre_pulls_by_p_in_both_cases,
    extrema_are_monotone,
    spread,
    trajectory,
    width,
    width_now,
)  # fmt: skip
from claims.wu2024.notation import G, N, X, attention, d, epsilon, k, p, r, source, t, x

WITHOUT_LOOPS = (Mask("swap", 2, frozenset({(1, 2), (2, 1)})),)

# Lemma 3 and Corollary 2: the width contracts -----------------------------------------------------


def width_at_the_end(point: Point) -> Expr:
    return width(trajectory(point[attention], point[x])[-1])


def contracting(masks: tuple[Mask, ...]) -> Domain:
    """k times r layers."""
    place = Real(p, 0, 1)
    return Domain((*attention_class(masks, k * r, Size(k, 0, 2)), place, Array(x), width_now))


def _chain(layers: int) -> dict[Any, Any]:
    """Three tokens in a chain, epsilon = 1/2; only the first differs, two layers from the last."""
    layer = ImmutableDenseMatrix([[2, 0, 0], [1, 1, 0], [0, 1, 1]]) / 2
    start = {G: one_directional(3), epsilon: Rational(1, 2), x: ImmutableDenseMatrix([1, 0, 0])}
    return {**start, attention: (layer,) * layers}


_contracting = contracting(MASKS)
_WIDTH = r"M^{(t+kr)}-m^{(t+kr)}"
_contracts = Relation(_WIDTH, ((1 - p * epsilon**r) ** k * spread,), "<=")

width_contracts_over_the_diameter = Claim(
    id="wu2024.lemma-3.contraction",
    source=source("App. B.1", "Lemma 3, Eq. (12)"),
    kind="bound",
    title="Over r layers the width M - m contracts by 1 - p eps^r, for every p in [0, 1].",
    statement=_contracts,
    domain=_contracting,
    define=width_at_the_end,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED, Hypothesis(r"0\le p\le1")),
    uses=(centre_pulls_by_p_in_both_cases,),
    mutants=(
        *variants(
            ("r - 1 for r", (1 - p * epsilon ** (r - 1)) ** k * spread),
            ("N epsilon^r", (1 - N * p * epsilon**r) ** k * spread),
            ("epsilon in every layer", (1 - p * epsilon) ** (k * r) * spread),
            ("k + 1 for k", (1 - p * epsilon**r) ** (k + 1) * spread),
            lhs=_WIDTH,
            relation="<=",
        ),
        Mutant("no self-loops", _contracts, domain=contracting(WITHOUT_LOOPS)),
    ),
    probes=(_contracting.completed({**_chain(2), k: Integer(1), p: Integer(1)}),),
    note="True for p = 1, from which the rest follows; not by the printed proof, which stops at p = 1/2.",
)

_RANGE = r"M^{(t)}-m^{(t)}"
_factor = 1 - epsilon**r
_decaying = Domain((*attention_class(MASKS, t, Size(t, 0, 6)), Array(x), width_now))

width_decays_exponentially = Claim(
    id="wu2024.cor-2.rate",
    source=source("App. B.1", "Corollary 2"),
    kind="rate",
    title="The width decays at least like (1 - eps^r)^(t/r), up to a constant.",
    statement=Relation(_RANGE, (spread * _factor ** (t / r - (r - 1) / r),), "<="),
    domain=_decaying,
    define=width_at_the_end,
    hypotheses=(STOCHASTIC, RECURSION, SELF_LOOPS, CENTRED),
    uses=(width_contracts_over_the_diameter, extrema_are_monotone),
    mutants=variants(
        ("C = M^{(0)} - m^{(0)}", spread * _factor ** (t / r)),
        ("epsilon for epsilon^r", spread * (1 - epsilon) ** (t / r - (r - 1) / r)),
        ("t for t/r", spread * _factor**t),
        lhs=_RANGE,
        relation="<=",
    ),
    probes=tuple(_decaying.completed({**_chain(n), t: Integer(n)}) for n in (1, 2)),
    note=(
        "The paper leaves C open: C = (M - m at layer 0)/(1 - eps^r)^((r-1)/r) serves every t, those "
        "that are not multiples of r included (any C > 0 where that width is zero)."
    ),
)

# The proof of Theorem 1: columns of X -------------------------------------------------------------

j = Symbol("j", integer=True, positive=True)
values = Symbol("W_V^{(0..t)}")
"""Holds a tuple of value matrices, used in turn."""
C_j = Symbol("C_j", positive=True)
weights = Symbol(r"\textstyle\sum_i|\tilde W_{ij}^{(t)}|", nonnegative=True)
K = Symbol("K", positive=True)
"""A3's bound: the largest norm of a product of value matrices up to layer t."""

_rotation = ImmutableDenseMatrix([[3, 4], [-4, 3]]) / 5
_mirror = ImmutableDenseMatrix([[0, 1], [1, 0]])
_identity = ImmutableDenseMatrix(eye(2))
BOUNDED_VALUES = (
    (_identity,),
    (_rotation,),
    (ImmutableDenseMatrix.diag(1, Rational(1, 4)),),
    (_rotation, _mirror),
    (2 * _identity, _identity / 2),
)
"""Sequences whose products have orthogonal columns and stay bounded."""

A3 = Hypothesis(
    r"\|\tilde W^{(s)}\|_2\le K\ \text{for all } s,\quad\tilde W^{(s)}=W_V^{(0)}\cdots W_V^{(s)}"
)


def value_products(point: Point) -> list[Any]:
    """W_V^{(0)} ... W_V^{(s)} for s = 0, ..., t."""
    cycle, products = point[values], [_identity]
    for layer in range(int(point[t]) + 1):
        products.append(products[-1] * cycle[layer % len(cycle)])
    return products[1:]


def _column(point: Point) -> Any:
    return value_products(point)[-1].col(int(point[j]) - 1)


def column_width(point: Point) -> Expr:
    """max over m, n of |X_mj - X_nj| after layer t, value matrices applied layer by layer."""
    tokens = point[X]
    for s, layer in enumerate(point[attention]):
        tokens = layer * tokens * point[values][s % len(point[values])]
    return width(tokens.col(int(point[j]) - 1))


def _largest_norm(point: Point) -> Expr:
    """Columns are orthogonal, so the norm is the length of the longest one."""
    grams = [product.T * product for product in value_products(point)]
    return sqrt(max(entry for gram in grams for entry in gram.diagonal()))


def _constant_of_columns(point: Point) -> Expr:
    """Corollary 2's constant, the largest over the columns of X^{(0)}."""
    widest = max(width(point[X].col(n)) for n in range(int(point[d])))
    return widest / (1 - point[epsilon] ** point[r]) ** ((point[r] - 1) / point[r])


def columns_of_tokens(constant: Any) -> Domain:
    return Domain(
        (
            *attention_class(MASKS, t + 1, Size(t, 0, 3)),
            Choice(d, (Integer(2),)),
            Choice(values, BOUNDED_VALUES),
            Size(j, 1, 2),
            Computed(weights, lambda at: sum(abs(entry) for entry in _column(at))),
            Computed(K, _largest_norm),
            Array(X),
            constant,
        ),
        (Condition(r"j\le d", lambda at: at[j] <= at[d]),),
    )


def weighted_bound(point: Point) -> Expr:
    """C_j sum_i |W_ij| (1 - eps^r)^(t/r), the middle of the chain."""
    total = sum(abs(entry) for entry in _column(point))
    return point[C_j] * total * (1 - point[epsilon] ** point[r]) ** (point[t] / point[r])


_decay = _factor ** (t / r)
_MIDDLE = r"C_j\sum_i|\tilde W_{ij}^{(t)}|(1-\epsilon^r)^{t/r}"

columns_contract_with_bounded_values = Claim(
    id="wu2024.thm-1.proof-eq-17-19.repair",
    parent="wu2024.thm-1.proof-eq-17-19",
    source=source("App. B.2", "Eq. (17)-(19)"),
    kind="bound",
    title="Every column of the tokens contracts, with A3's bound K and sqrt(d) in the constant.",
    statement=Relation(
        r"\max_{m,n}|X_{m,j}^{(t+1)}-X_{n,j}^{(t+1)}|",
        (C_j * weights * _decay, C_j * sqrt(d) * K * _decay),
        "<=",
    ),
    domain=columns_of_tokens(Computed(C_j, _constant_of_columns)),
    define=column_width,
    hypotheses=(STOCHASTIC, SELF_LOOPS, CENTRED, A3),
    uses=(width_decays_exponentially,),
    note="The constant of (19) is sqrt(d) K times that of (18): A3 bounds the sum of weights so.",
)

_any_constant = columns_of_tokens(Choice(C_j, (Integer(1), Rational(5, 2))))
_turned = _any_constant.completed(
    {
        G: complete(2), epsilon: Rational(1, 2), t: Integer(0), d: Integer(2), j: Integer(1),
        attention: (ImmutableDenseMatrix.ones(2, 2) / 2,), values: (_rotation,), C_j: Integer(1),
        X: ImmutableDenseMatrix(eye(2)),
    }
)  # fmt: skip

weights_can_be_dropped = Claim(
    id="wu2024.thm-1.proof-eq-17-19",
    source=source("App. B.2", "Eq. (17)-(19)"),
    kind="bound",
    title="Under A3 the sum of the weights |W_ij| can be dropped from the bound, C_j unchanged.",
    statement=Relation(_MIDDLE, (C_j * _decay,), "<="),
    domain=_any_constant,
    define=weighted_bound,
    hypotheses=(STOCHASTIC, SELF_LOOPS, CENTRED, A3),
    uses=(width_decays_exponentially,),
    mutants=variants(
        ("A3's bound for the sum", C_j * K * _decay),
        ("1/d for the sum", C_j * _decay / d),
        ("one layer more", C_j * _factor ** ((t + 1) / r)),
        lhs=_MIDDLE,
        relation="<=",
    ),
    probes=(_turned,),
    severity="misprint",
    repair=columns_contract_with_bounded_values,
    note=(
        "The same C_j stands on both sides, so the sum of the weights must be at most one: false "
        "for a rotation. (17), (18) and, with another constant, the outer inequality hold."
    ),
)
