r"""What is known of the weights of one layer before a step: in sums of absolute values.

Bounds are symbols: $o$, $b$ of the distances of $W_O$ and $V$ from their leading terms, $w$ of columns of
$W_O$, $v$ of $V$, $g$ and $r$ of the distances of probabilities and of rows of attention from uniform ones.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Abs, Expr, Sum, Symbol, symbols, sympify

from claims.im2026.bigrams import bigram
from claims.im2026.cooperation import composed_value
from claims.im2026.notation import i, j, k, m, words
from claims.im2026.parting_layers import follows
from claims.im2026.small_starts import (
    TRAINED,
    hidden,
    output,
    probability,
    sized,
    weight,
)
from claims.statement import Compare, Formula
from claims.terms import put
from proofs.calculation import at_places, linked, place, summed_over
from proofs.im2026.absolute_sums import carried, row_below
from proofs.im2026.bigrams import x
from proofs.im2026.contexts import t
from proofs.im2026.lowest_orders import centred
from proofs.im2026.one_layer_readings import (
    added,
    row_size,
    sensed,
    state_read,
    step_value,
    top_read,
    top_term,
    weights_of_row,
)
from proofs.im2026.orders import BEFORE, COLUMN, PLACE, ROW, TEXT, every, in_prefix, n, said
from proofs.im2026.small_passes import residual, residual_below
from proofs.im2026.small_weights import (
    TOKENS,
    column_below,
    far,
    following,
    following_size,
    named,
    pairs,
    token_size,
)
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    instance,
    joint,
    substitute,
    sum_rearranged,
    unfold,
)

SYMBOLS = OUTPUT, VALUE, ENTRY, SIZE, GUESS, SHIFT = symbols("o b w v g r", real=True)
x_, c_ = symbols("x c", real=True)
REST = 2 + GUESS
SENSED, SENSED_GAP = REST * ENTRY, GUESS * ENTRY + 2 * OUTPUT
PASSED, PASSED_GAP = SIZE * SENSED, SIZE * SENSED_GAP + 2 * far * VALUE
SCORES_GAP = 3 * SHIFT * PASSED + 2 * PASSED_GAP
"""Bounds of residuals, sensitivities, what is passed back to attention, and scores."""


@dataclass(frozen=True)
class Known:
    """What is assumed of the weights before a step, and what it says of tokens and sensitivities."""

    output: Any
    value: Any
    entry: Any
    size: Any
    guess: Any
    shift: Any

    @cached_property
    def terms(self) -> dict[Symbol, Any]:
        """The bounds, for their symbols."""
        own = (self.output, self.value, self.entry, self.size, self.guess, self.shift)
        return dict(zip(SYMBOLS, own, strict=True))

    def at(self, pattern: Expr) -> Expr:
        """A pattern of bounds at these."""
        return sympify(put(pattern, self.terms))

    @property
    def near_output(self) -> Compare:
        """W_O near its leading term."""
        return Compare(sized(output(n, j, k) - far * bigram(j, k)), "<=", self.output)

    @property
    def near_value(self) -> Compare:
        """V near its leading term."""
        return Compare(sized(step_value(n, j, k) - pairs * composed_value(j, k)), "<=", self.value)

    @property
    def columns(self) -> Formula:
        """Columns of W_O."""
        return said(Compare(Sum(Abs(output(n, j, k)), ROW), "<=", self.entry), COLUMN)

    @property
    def values(self) -> Compare:
        """The size of V."""
        return Compare(sized(step_value(n, j, k)), "<=", self.size)

    @property
    def guesses(self) -> Formula:
        """Probabilities near uniform ones."""
        guess = probability(n, 1, i, t, k) - 1 / words
        return said(Compare(Sum(Abs(guess), COLUMN), "<=", self.guess), TEXT, PLACE)

    @property
    def rows(self) -> Formula:
        """Rows of attention near uniform ones."""
        moved = weight(n, 1, i, t, m) - 1 / t
        return said(Compare(Sum(Abs(moved), BEFORE), "<=", self.shift), TEXT, PLACE)

    @property
    def signs(self) -> tuple[Compare, ...]:
        """That bounds are not negative."""
        return tuple(Compare(self.at(bound), ">=", 0) for bound in (*SYMBOLS, far, pairs))

    def sign_of(self, pattern: Expr) -> Theorem:
        """A bound is not negative, shown of symbols."""
        names = {far: x_, pairs: c_}
        given = tuple(Compare(bound, ">=", 0) for bound in (*SYMBOLS, x_, c_))
        found = joint(Compare(put(pattern, names), ">=", 0), given=given)
        return cut(substitute(found, {**self.terms, x_: far, c_: pairs}), *map(assume, self.signs))

    def scaled(self, pattern: Expr, known: Theorem) -> Theorem:
        """c a <= c b from a <= b, for one of the bounds c."""
        u, v, w = symbols("u v w", real=True)
        found = joint(Compare(w * u, "<=", w * v), given=(Compare(u, "<=", v), Compare(w, ">=", 0)))
        terms = {w: self.at(pattern), u: known.formula.left, v: known.formula.right}
        return cut(substitute(found, terms), known, self.sign_of(pattern))

    @cached_property
    def state_near(self) -> Theorem:
        """sum_j |h_tj - X_tj| <= v."""
        term = added(j).function.args
        moved = next(part for part in term if isinstance(part, Sum))
        b = moved.limits[0][0]
        rows = named(
            row_below(lambda one, other: step_value(n, one, other), b, words, assume(self.values)),
            ROW,
        )
        small = carried(x(i, m, b), step_value(n, b, j), (b, 1, words), ROW, self.size, rows)
        small = linked(
            Compare(small.formula.left, "<=", self.size), small,
            linked(Compare(Sum(Abs(x(i, m, b)), (b, 1, words)), "=", 1), token_size(m)),
        )  # fmt: skip
        mixed = carried(weight(n, 1, i, t, m), moved, BEFORE, ROW, self.size, in_prefix(small))
        mixed = joint(Compare(mixed.formula.left, "<=", self.size), mixed, weights_of_row())
        each = joint(
            Compare(Abs(hidden(n, 1, i, t, j) - x(i, t, j)), "=", Abs(added(j))), state_read()
        )
        found = summed_over(each, ROW)
        return every(
            linked(Compare(found.formula.left, "<=", self.size), found, mixed), TEXT, PLACE
        )

    @cached_property
    def state_size(self) -> Theorem:
        """sum_j |h_tj| <= 1 + v."""
        state, own = hidden(n, 1, i, t, j), x(i, t, j)
        u, v = symbols("u v", real=True)
        each = substitute(joint(Compare(Abs(u), "<=", Abs(u - v) + Abs(v))), {u: state, v: own})
        found = summed_over(each, ROW)
        pulled = sum_rearranged(
            found.formula.right, Sum(Abs(state - own), ROW) + Sum(Abs(own), ROW)
        )
        near = at_places(self.state_near, i, t)
        theorem = joint(
            Compare(found.formula.left, "<=", 1 + self.size), found, pulled, near, row_size()
        )
        return every(theorem, TEXT, PLACE)

    @cached_property
    def residual_size(self) -> Theorem:
        """sum_k |R_tk| <= 2 + g."""
        return residual_below(self.at(REST), at_places(assume(self.guesses), i, t))

    def column_size(self, column: Any) -> Theorem:
        """sum_j |W_jk| <= w."""
        return instance(assume(self.columns), column)

    @cached_property
    def sensed_size(self) -> Theorem:
        """sum_j |G_tj| <= (2 + g) w."""
        term = top_term(j)
        limits = term.limits[0]
        a = limits[0]
        found = carried(
            residual(a), output(n, j, a), tuple(limits), ROW, self.entry, self.column_size(a)
        )
        rows = linked(
            Compare(Sum(Abs(residual(a)), (a, 1, words)), "<=", self.at(REST)),
            at_places(self.residual_size, i, t),
        )
        same = joint(Compare(Abs(sensed(j)), "=", Abs(term)), top_read())
        sizes = summed_over(same, ROW)
        theorem = joint(
            Compare(sizes.formula.left, "<=", self.at(SENSED)),
            sizes,
            found,
            self.scaled(ENTRY, rows),
        )
        return every(theorem, TEXT, PLACE)

    @cached_property
    def sensed_near(self) -> Theorem:
        """sum_j |G_tj - x ((Y - U_O) B^T)_tj| <= g w + 2 o."""
        a = place("a")
        limits = (a, 1, words)
        guess = probability(n, 1, i, t, a) - 1 / words
        error = lambda row, column: output(n, row, column) - far * bigram(row, column)  # noqa: E731
        one = carried(guess, output(n, j, a), limits, ROW, self.entry, self.column_size(a))
        guesses = linked(
            Compare(Sum(Abs(guess), limits), "<=", self.guess),
            at_places(assume(self.guesses), i, t),
        )
        small = column_below(assume(self.near_output), error, a)
        two = carried(centred(a), error(j, a), limits, ROW, self.output, small)
        ahead = linked(Compare(Sum(Abs(centred(a)), limits), "<=", 2), following_size())
        first, second = Sum(guess * output(n, j, a), limits), Sum(centred(a) * error(j, a), limits)
        lead = Sum(centred(a) * bigram(j, a), limits)
        gap = sensed(j) - far * lead
        split = linked(Compare(gap, "=", second - first), top_read())
        each = joint(Compare(Abs(gap), "<=", Abs(first) + Abs(second)), split)
        found = summed_over(each, ROW)
        pulled = sum_rearranged(found.formula.right, Sum(Abs(first), ROW) + Sum(Abs(second), ROW))
        known = self.scaled(ENTRY, guesses), self.scaled(OUTPUT, ahead)
        theorem = joint(
            Compare(found.formula.left, "<=", self.at(SENSED_GAP)), found, pulled, one, two, *known
        )
        follows_ = unfold(follows(i, t, j), following(j), TRAINED, TOKENS)
        same = linked(Compare(Abs(sensed(j) - far * follows(i, t, j)), "=", Abs(gap)), follows_)
        same = summed_over(same, ROW)
        theorem = joint(Compare(same.formula.left, "<=", self.at(SENSED_GAP)), same, theorem)
        return every(theorem, TEXT, PLACE)
