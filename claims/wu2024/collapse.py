r"""Theorem 1: the floor of the attention (5), the rate of collapse (6), and what tokens converge to.

Existence of a constant is claimed with an explicit constant, which says more and can be tested.
S bounds the norms of all products of value matrices (A3), C those of queries and keys (A2).
"""

from __future__ import annotations

from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    Matrix,
    Rational,
    Symbol,
    exp,
    log,
    sqrt,
    zeros,
)

from claims.domain import Array, Choice, Computed, Domain, Point, Size
from claims.masks import Mask, causal, complete, one_directional, sliding_window, star
from claims.model import Claim, Hypothesis, Mutant, Proposition, Relation, variants
from claims.wu2024.contraction import weights_can_be_dropped, width_decays_exponentially
from claims.wu2024.dynamics import (
    WITHOUT_LAYERNORM,
    Bounded,
    C,
    Layers,
    after_layers,
    bounded_products_bound_the_tokens,
    bounded_weights_bound_the_scores,
    largest,
    largest_token,
    product_bound,
    tokens_are_one_product,
    values,
)
from claims.wu2024.extrema import CENTRED, MASKS, attention_class, width
from claims.wu2024.layernorm import STOCHASTIC
from claims.wu2024.masks import SELF_LOOPS, Graphs, d_QK, every_token_has_a_neighbour
from claims.wu2024.measure import measure_by_pairs_of_tokens, mu_squared_at, squared_ranges
from claims.wu2024.notation import WK, WQ, WV, A, G, N, T, X, attention, d, epsilon, r, source, t
from claims.wu2024.setup import Attention, size_of_mask

A2 = Hypothesis(r"\|W_Q^{(t)}\|_2,\|W_K^{(t)}\|_2\le C\ \forall t")
A3 = Hypothesis(r"\|W_V^{(0)}\cdots W_V^{(k)}\|_2\le S\ \forall k,\quad S\ge1")

# The floor of the attention -----------------------------------------------------------------------

queries, keys = Symbol("W_Q^{(0..T-1)}"), Symbol("W_K^{(0..T-1)}")
"""Hold one matrix per layer at a point."""


def _softmax(scores: Matrix, mask: Mask) -> Matrix:
    """e^score over the sum of a row's neighbours, exactly."""
    attention_at = zeros(mask.size, mask.size)
    for i in range(mask.size):
        allowed = [j - 1 for j in mask.neighbours(i + 1)]
        total = sum(exp(scores[i, k] - scores[i, i]) for k in allowed)
        for j in allowed:
            attention_at[i, j] = exp(scores[i, j] - scores[i, i]) / total
    return attention_at


def least_attention(point: Point) -> Expr:
    """-log of the least entry on an edge over all layers of the dynamics (1), (2)."""
    state, mask, smallest = Matrix(point[X]), point[G], Integer(1)
    for wq, wk, wv in zip(point[queries], point[keys], point[values], strict=True):
        attention_at = _softmax(state * wq * (state * wk).T / sqrt(point[d_QK]), mask)
        entries = [attention_at[i - 1, j - 1] for j, i in mask.edges]
        smallest = min([smallest, *entries], key=lambda entry: entry.evalf(30))
        state = attention_at * state * wv
    return -log(smallest)


_small = (
    Graphs(high=3), size_of_mask, Size(d, 1, 2), Size(T, 1, 2),
    Size(C, 1, 2), Size(product_bound, 1, 2), Choice(d_QK, (Integer(1), Integer(4), Integer(2))),
)  # fmt: skip
_bounded_layers = Domain(
    (
        *_small, Array(X, 2), Layers(queries, Bounded(WQ, 1, bound=C), T),
        Layers(keys, Bounded(WK, 1, bound=C), T),
        Layers(values, Array(WV, 1), T, bound=product_bound), largest_token,
    )
)  # fmt: skip


def _one_feature(query: int, value: int) -> Domain:
    """Tokens 2 and 1 on the complete mask, C = S = 1, with weights that may break A2 or A3."""
    single = lambda entry: (ImmutableDenseMatrix([[entry]]),) * 2  # noqa: E731
    return Domain(
        (
            Choice(G, (complete(2),)), size_of_mask, Choice(d, (Integer(1),)),
            Choice(T, (Integer(2),)), Choice(C, (Integer(1),)), Choice(product_bound, (Integer(1),)),
            Choice(d_QK, (Integer(1), Integer(4))), Choice(X, (ImmutableDenseMatrix([[2], [1]]),)),
            Choice(queries, (single(query),)), Choice(keys, (single(1),)),
            Choice(values, (single(value),)), largest_token,
        )
    )  # fmt: skip


def _opposite(width_of_keys: int) -> dict[Any, Any]:
    ones_ = (ImmutableDenseMatrix([[1]]),)
    return _bounded_layers.completed(
        {
            G: complete(2), d: Integer(1), T: Integer(1), C: Integer(1), product_bound: Integer(1),
            d_QK: Integer(width_of_keys), X: ImmutableDenseMatrix([[1], [-1]]),
            queries: ones_, keys: ones_, values: ones_,
        }
    )  # fmt: skip


_score = C**2 * product_bound**2 * largest / sqrt(d_QK)
_LEAST = r"-\log\min_{s<T,\,(j,i)\in E}A^{(s)}_{ij}"
_floor = Relation(_LEAST, (log(N) + 2 * _score,), "<=")
attention_has_a_positive_floor = Claim(
    id="wu2024.thm-1.epsilon-exists",
    source=source("Theorem 1", "Eq. (5); Lemma 1 (App. B.1)"),
    kind="bound",
    title="Attention on edges stays above exp(-2 C^2 S^2 m^2 / sqrt(d_QK)) / N in every layer.",
    statement=_floor,
    domain=_bounded_layers,
    define=least_attention,
    hypotheses=(
        WITHOUT_LAYERNORM, SELF_LOOPS, A2, A3, Hypothesis(r"m=\max_i\|X^{(0)}_{i,:}\|_2"),
    ),
    uses=(
        every_token_has_a_neighbour,
        tokens_are_one_product,
        bounded_weights_bound_the_scores,
        bounded_products_bound_the_tokens,
    ),
    mutants=(
        *variants(
            ("B for 2B", log(N) + _score), ("without N", 2 * _score),
            ("d_QK for its root", log(N) + 2 * _score / sqrt(d_QK)),
            lhs=_LEAST, relation="<=",
        ),
        Mutant("without A2", _floor, domain=_one_feature(40, 1)),
        Mutant("without A3", _floor, domain=_one_feature(1, 9)),
    ),
    probes=(_opposite(1), _opposite(4)),
    note="The paper says that some epsilon exists; exp(-2B)/N with B the largest score serves.",
)  # fmt: skip

# The rate (6) -------------------------------------------------------------------------------------

ranges = Symbol(r"R^2", nonnegative=True)
"""sum_j (max_i X_ij - min_i X_ij)^2 of the tokens at the start."""
_ranges = Computed(ranges, lambda at: squared_ranges(at[X]))


_collapsing = Domain(
    (
        *attention_class(MASKS, t, Size(t, 0, 4)), Size(d, 1, 2), Size(product_bound, 1, 2),
        Array(X), Layers(values, Array(WV, 2), t, bound=product_bound), _ranges,
    )
)  # fmt: skip
_doubling = Domain(
    (
        *attention_class((causal(2),), t, Size(t, 2, 4)), Choice(d, (Integer(1),)),
        Choice(product_bound, (Integer(1),)), Choice(X, (ImmutableDenseMatrix([[0], [1]]),)),
        Computed(values, lambda at: (ImmutableDenseMatrix([[4]]),) * int(at[t])), _ranges,
    )
)  # fmt: skip


def _chain(tokens: int, floor: Any, column: list[int]) -> dict[Any, Any]:
    """One layer on a chain in which every token gives epsilon to the one before it."""
    layer = zeros(tokens, tokens)
    layer[0, 0] = 1
    for i in range(1, tokens):
        layer[i, i - 1], layer[i, i] = floor, 1 - floor
    return _collapsing.completed(
        {
            G: one_directional(tokens) if tokens > 2 else causal(2), epsilon: floor, t: Integer(1),
            attention: (layer.as_immutable(),), d: Integer(1), product_bound: Integer(1),
            X: ImmutableDenseMatrix(column), values: (ImmutableDenseMatrix([[1]]),),
        }
    )  # fmt: skip


_factor = 1 - epsilon**r
_constant = product_bound * sqrt(N * ranges) / 2
_periods = t / r - (r - 1) / r
_MU = r"\mu(X^{(t)})"
_rate = Relation(_MU, (_constant * _factor**_periods,), "<=")
tokens_collapse_exponentially = Claim(
    id="wu2024.thm-1.rate",
    source=source("Theorem 1", "Eq. (6)"),
    kind="rate",
    title="Without LayerNorm mu decays at least like (1 - eps^r)^(t/r), with an explicit constant.",
    statement=_rate,
    domain=_collapsing,
    define=lambda point: sqrt(mu_squared_at(after_layers(point))),
    hypotheses=(
        WITHOUT_LAYERNORM, SELF_LOOPS, CENTRED, A3,
        Hypothesis(r"A^{(t)}\in\mathcal A_{\mathcal G,\epsilon},\ \epsilon\ \text{as in (5)}"),
        Hypothesis(r"R^2=\textstyle\sum_j(\max_iX_{ij}^{(0)}-\min_iX_{ij}^{(0)})^2"),
    ),
    uses=(
        attention_has_a_positive_floor, width_decays_exponentially, weights_can_be_dropped,
        measure_by_pairs_of_tokens,
    ),
    mutants=(
        *variants(
            ("t for t/r", _constant * _factor**t),
            ("epsilon^r for 1 - epsilon^r", _constant * (epsilon**r) ** _periods),
            ("twice as fast", _constant * _factor ** (2 * _periods)),
            ("half the constant", _constant / 2 * _factor**_periods),
            lhs=_MU, relation="<=",
        ),
        Mutant("without A3", _rate, domain=_doubling),
    ),
    probes=(
        _chain(3, Rational(1, 2), [1, 0, 0]), _chain(2, Rational(1, 4), [1, 0]),
    ),
    note=(
        "C of (6) is open in the paper; S sqrt(N R^2)/2 (1 - eps^r)^(-(r-1)/r) serves all t. The "
        "printed proof passes through a step that is false as printed (Eq. (19)) and one that "
        "covers half of the cases (Lemma 3); the rate is proved without them."
    ),
)  # fmt: skip

# What tokens converge to --------------------------------------------------------------------------

_turn = ImmutableDenseMatrix([[0, -1], [1, 0]])
_swap = ImmutableDenseMatrix([[0, 1], [1, 0]])
_unit = ImmutableDenseMatrix.eye(2)
VALUES = (
    -_unit, _unit, _turn, _swap, ImmutableDenseMatrix.diag(1, Rational(1, 4)), _unit / 2,
    ImmutableDenseMatrix.diag(-1, Rational(1, 2)),
)  # fmt: skip
"""Value matrices with bounded powers whose fourth power is diagonal."""
SPLIT = (Mask("two components", 2, frozenset({(1, 1), (2, 2)})),)


def limit_of_powers(matrix: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """lim A^t of an aperiodic row-stochastic A: the projection on its fixed vectors along A - I."""
    moved = matrix - ImmutableDenseMatrix.eye(matrix.rows)
    right = ImmutableDenseMatrix.hstack(*moved.nullspace())
    left = ImmutableDenseMatrix.hstack(*moved.T.nullspace()).T
    return right * (left * right).inv() * left


def lasting(value: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """lim W^{4k}: ones where the diagonal fourth power is one, zeros where it is smaller."""
    fourth = value**4
    if not (fourth.is_diagonal() and all(0 <= entry <= 1 for entry in fourth)):
        raise ValueError(f"W_V = {value.tolist()}: its fourth power must be diagonal, in [0, 1]")
    return fourth.applyfunc(lambda entry: Integer(entry == 1))


def fate_of_tokens(point: Point) -> tuple[bool, bool, bool, bool, bool]:
    """Whether tokens meet, X^{(t)} converges, to zero, to the mean's image; whether W^t converges.

    X^{(t)} = A^t X W^t behaves like Y W^t with Y = lim A^t X; Y W^{t+1} - Y W^t vanishes in the
    limit exactly when its lasting part does.
    """
    value, kept = point[WV], lasting(point[WV])
    rows = limit_of_powers(point[A]) * point[X]
    spread = [width((rows * kept * turned).col(j)) for turned in (_unit, value) for j in range(2)]
    mean = ImmutableDenseMatrix.ones(rows.rows, rows.rows) * point[X] / Integer(rows.rows)
    return (
        not any(spread),
        ((rows * value - rows) * kept).is_zero_matrix,
        (rows * kept).is_zero_matrix,
        ((rows - mean) * kept).is_zero_matrix,
        ((value - _unit) * kept).is_zero_matrix,
    )


def _constant_layers(masks: tuple[Mask, ...]) -> Domain:
    return Domain(
        (
            Choice(G, masks), size_of_mask, Choice(d, (Integer(2),)), Choice(WV, VALUES),
            Attention(A, floor=Rational(1, 8)), Array(X),
        )
    )  # fmt: skip


_centred_masks = (complete(2), causal(2), one_directional(3), star(3), sliding_window(3))
_COMMON = r"\exists x\in\mathbb R^d:\ X_{i,:}^{(t)}\to x\ \forall i"
_common = Proposition(_COMMON, lambda point, fate: fate[0] and fate[1])
_FATE_HYPOTHESES = (
    WITHOUT_LAYERNORM, STOCHASTIC, SELF_LOOPS, CENTRED, A3,
    Hypothesis(r"\text{in the tests: the same } A\ \text{and } W_V\ \text{in every layer}"),
)  # fmt: skip
tokens_meet_and_converge_with_the_value_products = Claim(
    id="wu2024.thm-1.converge-to-common-vector.repair",
    parent="wu2024.thm-1.converge-to-common-vector",
    source=source("Theorem 1", "last clause; Sec. 4.1"),
    kind="prose",
    title="Tokens approach each other; they have a common limit where the value products have one.",
    statement=Proposition(
        r"\|X_{i,:}^{(t)}-X_{j,:}^{(t)}\|_2\to0;\quad W_V^{(0)}\cdots W_V^{(t)}\to W\ \Rightarrow\ "
        + _COMMON,
        lambda point, fate: fate[0] and (fate[1] or not fate[4]),
    ),
    domain=_constant_layers(_centred_masks),
    define=fate_of_tokens,
    hypotheses=_FATE_HYPOTHESES,
    uses=(tokens_collapse_exponentially,),
    note=(
        "Distances between tokens decay as in (6). Their common position need not settle: it does "
        "when the products of the value matrices converge."
    ),
)

tokens_converge_to_a_common_vector = Claim(
    id="wu2024.thm-1.converge-to-common-vector",
    source=source("Theorem 1", "last clause; Sec. 4.1"),
    kind="prose",
    title="Without LayerNorm all tokens converge to one common vector.",
    statement=_common,
    domain=tokens_meet_and_converge_with_the_value_products.domain,
    define=fate_of_tokens,
    hypotheses=_FATE_HYPOTHESES,
    uses=(tokens_collapse_exponentially,),
    mutants=(
        Mutant(
            "to zero",
            Proposition(r"X_{i,:}^{(t)}\to0", lambda point, fate: fate[0] and fate[1] and fate[2]),
        ),
        Mutant(
            "to the image of the mean token",
            Proposition(
                r"X_{i,:}^{(t)}-\gamma_{X^{(0)}}W_V^t\to0", lambda point, fate: fate[0] and fate[3]
            ),
        ),
        Mutant("no centre node", _common, domain=_constant_layers(SPLIT)),
    ),
    severity="missing-hypothesis",
    repair=tokens_meet_and_converge_with_the_value_products,
    note=(
        "A3 allows W_V = -I and rotations: the tokens meet, and then move together for ever. The "
        "bound (6) says that distances vanish, not that a limit exists."
    ),
)
