r"""The self-attention dynamics: Eq. (1)-(3), what A2 and A3 are for, and Eq. (9).

Without LayerNorm X^{(t+1)} = A^{(t)} X^{(t)} W_V^{(t)}; with it each row is divided by its 2-norm.
The attention matrices are free row-stochastic matrices on a mask; the first ones tried are uniform,
which zero query and key matrices give, so that small witnesses are admissible under Eq. (1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any, ClassVar

from sympy import (
    Expr,
    ImmutableDenseMatrix,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    S,
    Sum,
    Symbol,
    sqrt,
    sympify,
)

from claims.domain import Array, Choice, Computed, Condition, Domain, Point, Real, Size
from claims.expressions import explicit
from claims.masks import complete
from claims.model import Claim, Hypothesis, Mutant, Relation, variants
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.terms import Recursion, entry, from_zero
from claims.wu2024.layernorm import (
    STOCHASTIC,
    NearIdentity,
    layer_norm,
    layernorm_has_one_scale_per_feature,
    masks,
    squared_norms,
)
from claims.wu2024.masks import masked_attention_is_row_stochastic
from claims.wu2024.notation import WK, WQ, WV, G, N, T, X, attention, d, source
from claims.wu2024.setup import AttentionSequence, jordan, size_of_mask, uniform_attention
from claims.wu2024.spectral import MOST_BY_TRIAL, signed_selection, spectral_at_most

WITHOUT_LAYERNORM = Hypothesis(r"X^{(t+1)}=A^{(t)}X^{(t)}W_V^{(t)}")
values = Symbol("W_V^{(0..T-1)}")
"""Holds a tuple of value matrices at a point, first layer first."""


# Variables and small exact routines ---------------------------------------------------------------


def bounded_on_tokens(entries: Callable[[Any, Any], Expr], bound: Any) -> Formula:
    """What a spectral norm of at most `bound` says of the tokens: |X_i W| <= bound |X_i|."""
    token, feature, between = (
        Symbol(name, integer=True) for name in ("token", "feature", "between")
    )
    image = Sum(entry(X)(token, between) * entries(between, feature), (between, 1, d))
    own = Sum(entry(X)(token, between) ** 2, (between, 1, d))
    stretched = Sum(image**2, (feature, 1, d))
    return ForAll(token, 1, N, Compare(stretched, "<=", bound**2 * own))


@dataclass(frozen=True)
class Bounded(Array):
    """A square integer matrix of spectral norm at most `bound`, a variable listed before it."""

    bound: Any = 1

    def facts(self) -> tuple[Formula, ...]:
        return self.facts_of(entry(self.symbol))

    def facts_of(self, entries: Any) -> tuple[Formula, ...]:
        """No column is longer than the bound, and no token is stretched by more."""
        row, column = Symbol("row", integer=True), Symbol("column", integer=True)
        squares = Sum(entries(row, column) ** 2, (row, 1, d))
        short = ForAll(column, 1, d, Compare(squares, "<=", self.bound**2))
        return short, bounded_on_tokens(entries, self.bound)

    by_trial: ClassVar[bool] = True

    def relaxed(self) -> Array:
        return Array(self.symbol, self.height)

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        return self.admitted(super().of_weight(weight, point), point)

    def draw(self, rng: Random, point: Point) -> Any:
        size, _ = self.shape(point)
        if size > MOST_BY_TRIAL:
            return rng.randint(0, int(point[self.bound])) * signed_selection(size, rng)
        while True:
            value = super().draw(rng, point)
            if spectral_at_most(value, point[self.bound]):
                return value

    def objection(self, value: Any, point: Point) -> str | None:
        if not spectral_at_most(value, point[self.bound]):
            return f"{self.symbol} = {value}: its spectral norm exceeds {point[self.bound]}"
        return super().objection(value, point)


def tuples_of(each: Array, weight: int, count: int, point: Point) -> Iterator[tuple[Any, ...]]:
    """So many matrices whose weights sum to the weight, one after the other."""
    if count == 0:
        yield from ((),) if weight == 0 else ()
        return
    for share in range(weight + 1):
        for matrix in each.of_weight(share, point):
            for rest in tuples_of(each, weight - share, count - 1, point):
                yield (matrix, *rest)


@dataclass(frozen=True)
class Layers:
    """A tuple of matrices, one per layer, each an `Array` of its own.

    With `bound` (a variable listed before), the products of the first k matrices have spectral norm
    at most that, for every k: A3.  The empty product is one of them, so that the bound is at least 1.
    """

    symbol: Any
    each: Array
    length: Any
    bound: Any = None
    by_trial: ClassVar[bool] = True

    def relaxed(self) -> Layers | None:
        return None if self.bound is None else replace(self, bound=None)

    def _length(self, point: Point) -> int:
        numbers = {k: v for k, v in point.items() if isinstance(v, Expr | int)}
        return int(explicit(sympify(self.length), numbers))

    def of_weight(self, weight: int, point: Point) -> Iterator[Any]:
        for value in tuples_of(self.each, weight, self._length(point), point):
            if self.objection(value, point) is None:
                yield value

    def draw(self, rng: Random, point: Point) -> Any:
        """Layer by layer, each drawn until the product so far keeps to the bound."""
        size, _ = self.each.shape(point)
        if self.bound is not None and size > MOST_BY_TRIAL:
            layers = [signed_selection(size, rng) for _ in range(self._length(point))]
            factor = Integer(rng.randint(1, int(point[self.bound])))
            return tuple(m if k else factor * m for k, m in enumerate(layers))
        drawn: list[Any] = []
        while len(drawn) < self._length(point):
            matrix = self.each.draw(rng, point)
            if self.bound is None or spectral_at_most(
                multiply([*drawn, matrix]), point[self.bound]
            ):
                drawn.append(matrix)
        return tuple(drawn)

    def objection(self, value: Any, point: Point) -> str | None:
        if len(value) != self._length(point):
            return f"{self.symbol}: {len(value)} layers: must be {self._length(point)}"
        if self.bound is not None:
            if point[self.bound] < 1:
                return f"{self.symbol}: {self.bound} is {point[self.bound]}: must be at least 1"
            for k in range(1, len(value) + 1):
                if not spectral_at_most(multiply(value[:k]), point[self.bound]):
                    return f"{self.symbol}: the product of the first {k} exceeds the bound"
        return next((o for m in value if (o := self.each.objection(m, point)) is not None), None)

    def facts(self) -> tuple[Formula, ...]:
        """What is known of each matrix, of every layer; and of the products under a bound."""
        known = getattr(self.each, "facts_of", lambda entries: ())
        layer = Symbol("layer", integer=True)
        each = known(lambda i, j: entry(self.symbol)(layer, i, j))
        return (*(ForAll(layer, 0, self.length - 1, fact) for fact in each), *self._bounded())

    def _bounded(self) -> tuple[Formula, ...]:
        """Columns of the products are no longer than the bound, which is at least one, nor are tokens
        stretched by more."""
        if self.bound is None or self.symbol != values:
            return ()
        k, row, column = (Symbol(name, integer=True) for name in ("k", "row", "column"))
        squares = Sum(values_up_to(k, row, column) ** 2, (row, 1, d))
        short = ForAll(column, 1, d, Compare(squares, "<=", self.bound**2))
        tokens = bounded_on_tokens(lambda i, j: values_up_to(k, i, j), self.bound)
        return (
            Compare(self.bound, ">=", 1),
            *(ForAll(k, 0, sympify(self.length), fact) for fact in (short, tokens)),
        )


_between, _token = Symbol("between", integer=True), Symbol("token", integer=True)
values_up_to = Recursion(
    r"\tilde W",
    lambda i, j: KroneckerDelta(i, j),
    lambda t, i, j, before: Sum(
        before(i, _between) * entry(values)(t, _between, j), (_between, 1, d)
    ),
)
"""Entries of W_V^{(0)} ... W_V^{(k-1)} as a function of k and two places."""


token_entry = Recursion(
    "X",
    lambda i, j: entry(X)(i, j),
    lambda t, i, j, before: Sum(
        entry(attention)(t, i, _token)
        * Sum(before(_token, _between) * entry(values)(t, _between, j), (_between, 1, d)),
        (_token, 1, N),
    ),
)
"""Entries of X^{(t)} by Eq. (2)."""


def multiply(matrices: Any) -> ImmutableDenseMatrix:
    """The product in the order given."""
    first, *rest = matrices
    for matrix in rest:
        first = first * matrix
    return first


def after_layers(point: Point) -> ImmutableDenseMatrix:
    """X^{(T)} without LayerNorm, layer by layer."""
    state = point[X]
    for weights, value in zip(point[attention], point[values], strict=True):
        state = weights * state * value
    return state


# The update rule ----------------------------------------------------------------------------------

normalised_now = MatrixSymbol(r"\mathrm{LN}(\tilde X^{(1)})", N, d)
normalised_next = MatrixSymbol(r"\mathrm{LN}(\tilde X^{(2)})", N, d)
before_scaling = MatrixSymbol(r"\tilde X^{(2)}", N, d)
without_value = MatrixSymbol(r"\mathrm{LN}(A^{(1)}X^{(1)})", N, d)


def _preactivation(point: Point, layer: int) -> ImmutableDenseMatrix:
    """tilde X^{(layer + 1)} = A X W_V of that layer, the layers before it normalised."""
    from_zero(layer)
    state = point[X] if layer == 0 else layer_norm(_preactivation(point, layer - 1))
    return point[attention][layer] * state * point[values][layer]


def _scaled_update(point: Point) -> ImmutableDenseMatrix:
    """D^{(1)} A^{(1)} X^{(1)} W_V^{(1)} with D from the rows that it scales."""
    raw = _preactivation(point, 1)
    scales = [1 / sqrt(square) for square in squared_norms(raw)]
    return ImmutableDenseMatrix.diag(*scales) * raw


_two_layers = Domain(
    (
        masks, size_of_mask, Size(d, 1, 2), Choice(T, (Integer(2),)),
        AttentionSequence(attention, length=T),
        Array(X), Layers(values, NearIdentity(WV), T),
        Computed(before_scaling, lambda at: _preactivation(at, 1)),
        Computed(normalised_now, lambda at: layer_norm(_preactivation(at, 0))),
        Computed(normalised_next, lambda at: layer_norm(_preactivation(at, 1))),
        Computed(without_value, lambda at: layer_norm(
            at[attention][1] * layer_norm(_preactivation(at, 0)))),
    ),
    (Condition(r"(A^{(t)}X^{(t)}W_V^{(t)})_{i,:}\ne0", lambda at: not any(
        at[m].has(S.NaN) for m in (normalised_now, normalised_next, without_value))),),
)  # fmt: skip
_UPDATE = r"D^{(1)}A^{(1)}X^{(1)}W_V^{(1)}"
update_normalises_the_next_tokens = Claim(
    id="wu2024.sec-3.3.update-rule.repair",
    parent="wu2024.sec-3.3.update-rule",
    source=source("Sec. 3.3", "Eq. (1)-(3)"),
    kind="dynamics",
    title="With LayerNorm the next tokens are LN of $AXW_V$ of the same layer.",
    statement=Relation(_UPDATE, (normalised_next,)),
    domain=_two_layers,
    define=_scaled_update,
    hypotheses=(
        STOCHASTIC,
        Hypothesis(r"\text{no row of } A^{(t)}X^{(t)}W_V^{(t)}\ \text{is zero}"),
    ),
    note=(
        r"$X^{(t+1)}=\mathrm{LN}(\tilde X^{(t+1)})$: the index of (3) is one too small beside that "
        "of (2)."
    ),
)

update_normalises_the_tokens_before = Claim(
    id="wu2024.sec-3.3.update-rule",
    source=source("Sec. 3.3", "Eq. (1)-(3)"),
    kind="dynamics",
    title=r"With LayerNorm the next tokens are LN of the $\tilde X$ of the layer before.",
    statement=Relation(_UPDATE, (normalised_now,)),
    domain=_two_layers,
    define=_scaled_update,
    hypotheses=update_normalises_the_next_tokens.hypotheses,
    uses=(masked_attention_is_row_stochastic, layernorm_has_one_scale_per_feature),
    mutants=variants(
        ("without LayerNorm", before_scaling),
        ("without the value matrix", without_value),
        lhs=_UPDATE,
    ),
    severity="misprint",
    repair=update_normalises_the_next_tokens,
    printed=(
        r"\tilde{X}^{(t+1)} = A^{(t)} X^{(t)} W_V^{(t)}, \quad X^{(t+1)} = "
        r"\text{LN}(\tilde{X}^{(t)}) := D^{(t)} A^{(t)} X^{(t)} W_V^{(t)}"
    ),
    note=(
        r"Read with (2), (3) says that $\mathrm{LN}(A^{(t-1)}X^{(t-1)}W^{(t-1)})$, which is "
        "$X^{(t)}$ itself, is $X^{(t+1)}$. The equality that follows it, and every later use, have "
        "the next index."
    ),
)


# Eq. (9) ------------------------------------------------------------------------------------------

attentions = MatrixSymbol(r"A^{(t)}\cdots A^{(0)}", N, N)
value_product = MatrixSymbol(r"W_V^{(0)}\cdots W_V^{(t)}", d, d)
attentions_reversed = MatrixSymbol(r"A^{(0)}\cdots A^{(t)}", N, N)
values_reversed = MatrixSymbol(r"W_V^{(t)}\cdots W_V^{(0)}", d, d)
_unrolled = Domain(
    (
        masks, size_of_mask, Size(d, 1, 2), Size(T, 1, 4),
        AttentionSequence(attention, length=T), Array(X), Layers(values, NearIdentity(WV, 2), T),
        Computed(attentions, lambda at: multiply(at[attention][::-1])),
        Computed(value_product, lambda at: multiply(at[values])),
        Computed(attentions_reversed, lambda at: multiply(at[attention])),
        Computed(values_reversed, lambda at: multiply(at[values][::-1])),
    )
)  # fmt: skip
_not_commuting = _unrolled.completed(
    {
        G: complete(2), d: Integer(2), T: Integer(2), X: ImmutableDenseMatrix([[1, 2], [0, -1]]),
        attention: (
            ImmutableDenseMatrix([[2, 2], [1, 3]]) / 4, ImmutableDenseMatrix([[3, 1], [2, 2]]) / 4,
        ),
        values: (jordan(2, 1), jordan(2, 1).T),
    }
)  # fmt: skip
_UNROLLED = r"X^{(t+1)}"
tokens_are_one_product = Claim(
    id="wu2024.lemma-1.unrolled",
    source=source("App. B.1", "Eq. (9)"),
    kind="identity",
    title="Without LayerNorm all layers multiply to one attention and one value matrix.",
    statement=Relation(_UNROLLED, (attentions * X * value_product,)),
    domain=_unrolled,
    define=after_layers,
    hypotheses=(WITHOUT_LAYERNORM, Hypothesis(r"t+1=T\ \text{layers}")),
    mutants=variants(
        ("attention in the order of the values", attentions_reversed * X * value_product),
        ("values in the order of the attention", attentions * X * values_reversed),
        ("attention twice", attentions * attentions * X * value_product),
        lhs=_UNROLLED,
    ),
    probes=(_not_commuting,),
    note=r"Eq. (2) defines $\tilde X^{(t+1)}$, which is $X^{(t+1)}$ without LayerNorm.",
    printed=r"X^{(t+1)} = A^{(t)} \dots A^{(0)} X^{(0)} W_V^{(0)} \dots W_V^{(t)}",
)


# A2 and A3 ----------------------------------------------------------------------------------------

weight_bound = Symbol("C", positive=True)
"""C of A2, above the 2-norms of queries and keys; `notation.C` is any constant that is not negative."""
largest = Symbol("m^2", nonnegative=True)
"""max_i ||X_i||_2^2 of the tokens at a point."""
product_bound = Symbol("S", positive=True)


@dataclass(frozen=True)
class LargestToken(Computed):
    """The largest squared norm of a token."""

    def facts(self) -> tuple[Formula, ...]:
        row, column = Symbol("row", integer=True), Symbol("column", integer=True)
        squares = Sum(entry(X)(row, column) ** 2, (column, 1, d))
        return (ForAll(row, 1, N, Compare(squares, "<=", self.symbol)),)


largest_token = LargestToken(largest, lambda at: max(squared_norms(at[X])))


def _largest_score(point: Point) -> Expr:
    scores = point[X] * point[WQ] * (point[X] * point[WK]).T
    return max(abs(score) for score in scores)


largest_score = Quantity(r"\max_{i,j}\bigl|(XW_Q(XW_K)^\top)_{ij}\bigr|", _largest_score)
_one = ImmutableDenseMatrix([[1]])
_pair_of_tokens = (
    Choice(N, (Integer(2),)),
    Choice(d, (Integer(1),)),
    Choice(X, (ImmutableDenseMatrix([[1], [1]]), ImmutableDenseMatrix([[2], [1]]))),
)
_queries_and_keys = Domain(
    (
        Size(N, 2, 4), Size(d, 1, 2), Real(weight_bound, 0, open_low=True), Array(X),
        Bounded(WQ, 2, bound=weight_bound), Bounded(WK, 2, bound=weight_bound), largest_token,
    )
)  # fmt: skip
_long_keys = Domain(
    (
        *_pair_of_tokens, Choice(weight_bound, (Integer(1), Integer(2))), Choice(WQ, (_one,)),
        Choice(WK, (5 * _one, -6 * _one)), largest_token,
    )
)  # fmt: skip
_scores = largest_score.at_most(weight_bound**2 * largest)
bounded_weights_bound_the_scores = Claim(
    id="wu2024.assumption.A2",
    source=source("Sec. 4", "A2; App. B.1, proof of Lemma 1"),
    kind="assumption",
    title="Bounded queries and keys bound every score by $C^2$ times the largest squared token norm.",
    statement=_scores,
    domain=_queries_and_keys,
    hypotheses=(
        Hypothesis(r"\text{A2: }\|W_Q\|_2,\|W_K\|_2\le C"),
        Hypothesis(r"m=\max_i\|X_{i,:}\|_2"),
    ),
    mutants=(Mutant("only queries bounded", _scores, domain=_long_keys),),
    printed=r"-C^2 \leq (X^{(t)} W_Q^{(t)} (X^{(t)} W_K^{(t)})^\top)_{i,j} \leq C^2",
    note=(
        "A2 itself is an assumption; what it is used for is claimed. The printed $C$ bounds the rows of "
        "$XW_Q$ and $XW_K$: it is $m$ times the $C$ of A2, which is ours."
    ),
    probes=(
        {N: Integer(2), d: Integer(1), weight_bound: Integer(2), X: ImmutableDenseMatrix([[2], [1]]),
         WQ: ImmutableDenseMatrix([[2]]), WK: ImmutableDenseMatrix([[-2]]), largest: Integer(4)},
    ),
)  # fmt: skip


def at_uniform_attention(rows: list, matrices: list, more: Point) -> dict[Any, Any]:
    """A trajectory on the complete mask with zero queries and keys, and these value matrices."""
    layers = tuple(ImmutableDenseMatrix(m) for m in matrices)
    tokens, mask = ImmutableDenseMatrix(rows), complete(len(rows))
    return {
        G: mask, N: Integer(tokens.rows), d: Integer(tokens.cols), T: Integer(len(layers)),
        attention: (uniform_attention(mask),) * len(layers), X: tokens, values: layers,
        largest: max(squared_norms(tokens)), **more,
    }  # fmt: skip


_trajectories = Domain(
    (
        masks, size_of_mask, Size(d, 1, 2), Size(T, 1, 3), Real(product_bound, 1),
        AttentionSequence(attention, length=T), Array(X),
        Layers(values, Array(WV, 2), T, bound=product_bound), largest_token,
    )
)  # fmt: skip
# The Jordan block (31) has norm below 2 for w = 1; its powers grow.
_growing_products = Domain(
    (
        Choice(G, (complete(2),)), size_of_mask, Choice(d, (Integer(2),)), Size(T, 2, 4),
        Choice(product_bound, (Integer(2),)), AttentionSequence(attention, length=T),
        Choice(X, (ImmutableDenseMatrix([[1, 0], [1, 0]]),)),
        Computed(values, lambda at: (jordan(2, 1),) * int(at[T])), largest_token,
    )
)  # fmt: skip
largest_after = Quantity(
    r"\max_i\|X^{(T)}_{i,:}\|_2^2", lambda at: max(squared_norms(after_layers(at)))
)
_size = largest_after.at_most(product_bound**2 * largest)
bounded_products_bound_the_tokens = Claim(
    id="wu2024.assumption.A3",
    source=source("Sec. 4.1", "A3"),
    kind="assumption",
    title="Bounded products of value matrices bound the tokens of every layer without LayerNorm.",
    statement=_size,
    domain=_trajectories,
    hypotheses=(
        WITHOUT_LAYERNORM,
        STOCHASTIC,
        Hypothesis(r"\text{A3: }\|W_V^{(0)}\cdots W_V^{(k)}\|_2\le S\ \forall k"),
        Hypothesis(r"m=\max_i\|X^{(0)}_{i,:}\|_2"),
    ),
    uses=(tokens_are_one_product,),
    mutants=(
        Mutant("every value matrix bounded, not their products", _size, domain=_growing_products),
    ),
    printed=(
        r"\text{To ensure boundedness of the token trajectories } X^{(t)} \text{ for all } t \geq 0 "
        r"\text{ even without LayerNorm, we further assume that}"
    ),
    note=(
        "A3 itself is an assumption; what it is said to ensure is claimed. "
        "It holds for orthogonal matrices and contractions; it fails for the Jordan block (31) of "
        "every $w$ other than $0$ where $d\\ge2$, since its powers grow like $t^{d-1}$."
    ),
    probes=tuple(
        at_uniform_attention([[1], [2]], [[[2]]] * layers, {product_bound: Integer(2) ** layers})
        for layers in (1, 2)
    ),
)
