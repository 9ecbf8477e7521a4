r"""Theorem 1: the floor of the attention (5), the rate of collapse (6), and what tokens converge to.

Existence of a constant is claimed with an explicit constant, which says more and can be tested.
S bounds the norms of all products of value matrices (A3), C those of queries and keys (A2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    Matrix,
    Rational,
    Sum,
    Symbol,
    exp,
    oo,
    sqrt,
)

from claims.domain import Array, Choice, Domain, Point, Real, Size
from claims.masks import causal, complete, one_directional
from claims.model import Claim, Hypothesis
from claims.statement import Compare, ForAll, Formula, Implies, Quantity, Tends
from claims.terms import entry, family
from claims.wu2024.contraction import A3, weights_can_be_dropped, width_decays_exponentially
from claims.wu2024.dynamics import (
    WITHOUT_LAYERNORM,
    Bounded,
    Layers,
    after_layers,
    bounded_products_bound_the_tokens,
    bounded_weights_bound_the_scores,
    largest,
    largest_token,
    product_bound,
    token_entry,
    tokens_are_one_product,
    values,
    weight_bound,
)
from claims.wu2024.extrema import CENTRED, along_a_chain, attention_class, width
from claims.wu2024.masks import (
    SELF_LOOPS,
    SEVERAL_TOKENS,
    Graphs,
    d_QK,
    every_token_has_a_neighbour,
    masked_softmax,
)
from claims.wu2024.measure import measure_by_pairs_of_the_next_tokens, mu_squared_at, squared_ranges
from claims.wu2024.notation import WK, WQ, WV, G, N, T, X, attention, d, epsilon, r, source, t
from claims.wu2024.setup import EndlessAttention, Periodic, SoftmaxAttention, size_of_mask

A2 = Hypothesis(r"\|W_Q^{(t)}\|_2,\|W_K^{(t)}\|_2\le C\ \forall t")
i, j = Symbol("i", integer=True), Symbol("j", integer=True)

# The floor of the attention -----------------------------------------------------------------------

queries, keys = Symbol("W_Q^{(0..T-1)}"), Symbol("W_K^{(0..T-1)}")
"""Hold one matrix per layer at a point."""


def followed_attention(point: Point) -> tuple[Matrix, ...]:
    """A^{(0)}, A^{(1)}, ... of the dynamics (1), (2), exactly."""
    state, found = Matrix(point[X]), list[Matrix]()
    for layer, (wq, wk) in enumerate(zip(point[queries], point[keys], strict=True)):
        if layer:  # only here: what the last layer gives is not asked for, and is long
            state = found[-1] * (state * point[values][layer - 1])
        scores = state * wq * (state * wk).T / sqrt(point[d_QK])
        found.append(masked_softmax(scores.applyfunc(exp), point[G]))
    return tuple(found)


def score(layer: Any, i: Any, j: Any) -> Any:
    """R_ij = (X W_Q)_i . (X W_K)_j / sqrt(d_QK) at a layer, with the entries of the dynamics."""
    along, feature = Symbol("along", integer=True), Symbol("feature", integer=True)

    def applied(weights: Any, token: Any) -> Any:
        return Sum(
            token_entry(layer, token, feature) * entry(weights)(layer, feature, along),
            (feature, 1, d),
        )

    return Sum(applied(queries, i) * applied(keys, j), (along, 1, d)) / sqrt(d_QK)


weight = family(
    r"A_{{{1},{2}}}^{{({0})}}", lambda at, layer, i, j: at[attention][layer][i - 1, j - 1]
)
edge = family(r"\mathbf 1_{{({},{})\in E}}", lambda at, j, i: Integer((j, i) in at[G].edges))
_bounded_layers = Domain(
    (
        Graphs(high=3), size_of_mask, Size(d, 1, 2), Size(T, 1, 2),
        Real(weight_bound, 0, open_low=True), Real(product_bound, 1), Size(d_QK, 1, 4),
        Array(X, 2), Layers(queries, Bounded(WQ, 1, bound=weight_bound), T),
        Layers(keys, Bounded(WK, 1, bound=weight_bound), T),
        Layers(values, Array(WV, 1), T, bound=product_bound), largest_token,
        SoftmaxAttention(attention, followed_attention, score=score, length=T),
    )
)  # fmt: skip


def _opposite(width_of_keys: int) -> dict[Any, Any]:
    ones_ = (ImmutableDenseMatrix([[1]]),)
    return _bounded_layers.completed(
        {
            G: complete(2), d: Integer(1), T: Integer(1), weight_bound: Integer(1), product_bound: Integer(1),
            d_QK: Integer(width_of_keys), X: ImmutableDenseMatrix([[1], [-1]]),
            queries: ones_, keys: ones_, values: ones_,
        }
    )  # fmt: skip


_score = d**2 * weight_bound**2 * product_bound**2 * largest / sqrt(d_QK)
attention_has_a_positive_floor = Claim(
    id="wu2024.thm-1.epsilon-exists",
    source=source("Sec. 4.1", "Theorem 1, Eq. (5); Lemma 1 (App. B.1)"),
    kind="bound",
    title=r"Attention on edges stays above $e^{-2d^2C^2S^2m^2/\sqrt{d_{QK}}}/N$ in every layer.",
    statement=ForAll(
        t, 0, T - 1,
        ForAll(i, 1, N, ForAll(j, 1, N, Implies(
            Compare(edge(j, i), "=", 1), Compare(weight(t, i, j), ">=", exp(-2 * _score) / N)
        ))),
    ),
    printed=r"A_{i,j}^{(t)} \geq \epsilon, \quad \text{for all } (j, i) \in E",
    domain=_bounded_layers,
    hypotheses=(
        WITHOUT_LAYERNORM, SELF_LOOPS, A2, A3, Hypothesis(r"m=\max_i\|X^{(0)}_{i,:}\|_2"),
    ),
    uses=(
        every_token_has_a_neighbour,
        tokens_are_one_product,
        bounded_weights_bound_the_scores,
        bounded_products_bound_the_tokens,
    ),
    probes=(_opposite(1), _opposite(4)),
    note=(
        r"The paper says that some $\epsilon$ exists. Norms are bounded feature by feature, which "
        r"costs a factor $d^2$ in the exponent that a bound of operator norms would save."
    ),
)  # fmt: skip

# The rate (6) -------------------------------------------------------------------------------------

ranges = Quantity(
    r"\Bigl(\sum_j(\max_iX_{ij}^{(0)}-\min_iX_{ij}^{(0)})^2\Bigr)^{1/2}",
    lambda at: sqrt(squared_ranges(at[X])),
    nonnegative=True,
)
spread = Quantity(r"\mu(X^{(t)})", lambda at: sqrt(mu_squared_at(after_layers(at))))
_collapsing = Domain(
    (
        *attention_class(t, Size(t, 0, 4)), Size(d, 1, 2), Real(product_bound, 1),
        Array(X), Layers(values, Array(WV, 2), t, bound=product_bound),
    )
)  # fmt: skip


def _chain(tokens: int, floor: Any, column: list[int]) -> dict[Any, Any]:
    """One layer on a chain in which every token gives epsilon to the one before it."""
    return _collapsing.completed(
        {
            G: one_directional(tokens) if tokens > 2 else causal(2), epsilon: floor, t: Integer(1),
            attention: (along_a_chain(tokens, floor),), d: Integer(1), product_bound: Integer(1),
            X: ImmutableDenseMatrix(column), values: (ImmutableDenseMatrix([[1]]),),
        }
    )  # fmt: skip


WITH_FLOOR = Hypothesis(r"A^{(t)}\in\mathcal A_{\mathcal G,\epsilon},\ \epsilon\ \text{as in (5)}")
_decay = (1 - epsilon**r) ** (t / r - (r - 1) / r)
tokens_collapse_exponentially = Claim(
    id="wu2024.thm-1.rate",
    source=source("Sec. 4.1", "Theorem 1, Eq. (6)"),
    kind="rate",
    title=r"Without LayerNorm $\mu$ decays at least like $(1-\epsilon^r)^{t/r}$.",
    statement=Compare(spread, "<=", product_bound * sqrt(d * N) * ranges / 2 * _decay),
    printed=r"\mu(X^{(t)}) \leq C(1 - \epsilon^r)^{t/r}",
    domain=_collapsing,
    hypotheses=(
        WITHOUT_LAYERNORM, SELF_LOOPS, CENTRED, A3, WITH_FLOOR,
    ),
    uses=(
        attention_has_a_positive_floor, width_decays_exponentially, weights_can_be_dropped,
        measure_by_pairs_of_the_next_tokens,
    ),
    understood=(SEVERAL_TOKENS,),
    probes=(_chain(3, Rational(1, 2), [1, 0, 0]), _chain(2, Rational(1, 4), [1, 0])),
    note=(
        r"$C$ of (6) is open in the paper; $\tfrac S2\sqrt{dN}(\sum_j\mathrm{range}_j^2)^{1/2}"
        r"(1-\epsilon^r)^{-(r-1)/r}$ serves all $t$. The printed proof passes through a step that is "
        "false as printed (Eq. (19)) and one that covers half of the cases (Lemma 3); the rate is "
        "proved without them. The theorem is said to generalise the main result of [10] from complete "
        "graphs: it covers more masks; on complete ones the doubly exponential bound of [10], where it "
        r"converges, is faster, since $\epsilon\le\frac12$ for $N\ge2$ makes (6) no faster than $2^{-t}$. "
        r"That tokens collapse to rank one is true of $\mu$, an absolute size; their rank and directions "
        "need not collapse. Of three tokens, each of the others attends to itself and to the first one by "
        r"halves, $W_Q=W_K=0$ and $W_V=\mathrm{diag}(1,1,\frac18)$: from the rows $(0,0,1)$, $(1,0,1)$, "
        r"$(0,1,1)$ the tokens are $(0,0,8^{-t})$, $(2^{-t},0,8^{-t})$, $(0,2^{-t},8^{-t})$. They have rank "
        r"three in every layer, their cosines tend to zero, and $\mu/\|X\|_F$ tends to $\sqrt{2/3}$."
    ),
)  # fmt: skip

# What tokens converge to --------------------------------------------------------------------------

_turn = ImmutableDenseMatrix([[0, -1], [1, 0]])
_swap = ImmutableDenseMatrix([[0, 1], [1, 0]])
_unit = ImmutableDenseMatrix.eye(2)
VALUES = tuple(
    Periodic((value,))
    for value in (
        -_unit, _unit, _turn, _swap, ImmutableDenseMatrix.diag(1, Rational(1, 4)), _unit / 2,
        ImmutableDenseMatrix.diag(-1, Rational(1, 2)),
    )
)  # fmt: skip
"""Value matrices of norm at most one whose fourth power is diagonal."""


@dataclass(frozen=True)
class EndlessValues(Choice):
    """Value matrices, used in turn for ever, whose products have norm at most S."""

    def facts(self) -> tuple[Formula, ...]:
        return Layers(self.symbol, Array(WV), oo, bound=product_bound).facts()


def _turned(at: Point, layer: int) -> ImmutableDenseMatrix:
    """X^{(layer)}, matrices used in turn."""
    state = at[X]
    for s in range(layer):
        state = at[attention][s] * state * at[values][s]
    return state


def limit_of_powers(matrix: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """lim A^t of an aperiodic row-stochastic A: the projection on its fixed vectors along A - I."""
    moved = matrix - ImmutableDenseMatrix.eye(matrix.rows)
    right = ImmutableDenseMatrix.hstack(*moved.nullspace())
    left = ImmutableDenseMatrix.hstack(*moved.T.nullspace()).T
    return right * (left * right).inv() * left


def lasting(value: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    """lim W^{4k}: ones where the diagonal fourth power is one, zeros where it is smaller."""
    fourth = value**4
    if not (fourth.is_diagonal() and all(0 <= e <= 1 for e in fourth)):
        raise ValueError(f"W_V = {value.tolist()}: its fourth power must be diagonal, in [0, 1]")
    return fourth.applyfunc(lambda e: Integer(e == 1))


def _lasting_step(at: Point) -> Expr:
    """limsup of |X^{(t+1)} - X^{(t)}|: X^{(t)} is like lim A^s X W^t, which has period four."""
    value, state = at[values][0], limit_of_powers(at[attention][0]) * at[X]
    steps = [state * lasting(value) * value**k * (value - _unit) for k in range(4)]
    return max(abs(e) for step in steps for e in step)


gap = family(
    r"\max_{{i,k,j}}|X_{{ij}}^{{({0})}}-X_{{kj}}^{{({0})}}|",
    lambda at, layer: max(width(_turned(at, layer).col(n)) for n in range(int(at[d]))),
)
widest = Quantity(
    r"\max_{i,k,j}|X_{ij}^{(0)}-X_{kj}^{(0)}|",
    lambda at: max(width(at[X].col(n)) for n in range(int(at[d]))), nonnegative=True,
)  # fmt: skip
lasting_step = Quantity(
    r"\limsup_{t\to\infty}\max_{i,j}|X_{ij}^{(t+1)}-X_{ij}^{(t)}|", _lasting_step
)
_endless = Domain(
    (
        *attention_class(1)[:-1], Choice(d, (Integer(2),)), Choice(product_bound, (Integer(1),)),
        EndlessAttention(attention, floor=epsilon), EndlessValues(values, VALUES), Array(X),
    )
)  # fmt: skip
_meet = Tends(gap(t), t, Integer(0))
_within = ForAll(t, 0, oo, Compare(gap(t), "<=", widest * sqrt(d) * product_bound * _decay))
_FATE_HYPOTHESES = (WITHOUT_LAYERNORM, WITH_FLOOR, SELF_LOOPS, CENTRED, A3)
tokens_meet = Claim(
    id="wu2024.thm-1.converge-to-common-vector.repair",
    parent="wu2024.thm-1.converge-to-common-vector",
    source=source("Sec. 4.1", "Theorem 1, last clause"),
    kind="limit",
    title="Tokens approach each other exponentially.",
    statement=_within & _meet,
    domain=_endless,
    hypotheses=_FATE_HYPOTHESES,
    uses=(tokens_collapse_exponentially,),
    note=(
        "Distances between tokens decay as in (6). Their common position need not settle: it does "
        "when the products of the value matrices converge. Examples repeat one layer; the proof "
        "takes any sequence of layers."
    ),
)

tokens_converge_to_a_common_vector = Claim(
    id="wu2024.thm-1.converge-to-common-vector",
    source=source("Sec. 4.1", "Theorem 1, last clause"),
    kind="limit",
    title="Without LayerNorm all tokens converge to one common vector.",
    statement=_meet & Compare(lasting_step, "=", 0),
    domain=_endless,
    hypotheses=_FATE_HYPOTHESES,
    uses=(tokens_collapse_exponentially,),
    severity="material",
    repair=tokens_meet,
    printed=r"\text{meaning that tokens converge to a common vector exponentially}",
    note=(
        "Where tokens converge, their steps vanish. A3 allows $W_V=-I$ and rotations: the tokens "
        "meet, and then move together for ever. The bound (6) says that distances vanish, not that "
        "a limit exists."
    ),
)
