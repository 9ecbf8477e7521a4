r"""What the definitions say of one layer after n steps, at one token of one text."""

from typing import Any

from sympy import Expr, Integer, Sum, Symbol

from claims.im2026.attention_scores import centred as leading_score
from claims.im2026.attention_scores import score as score_of_pair
from claims.im2026.notation import i, j, k, m, words
from claims.im2026.small_starts import (
    SINGLE,
    TRAINED,
    hidden,
    output,
    passed_back,
    score,
    sensitivity,
    value,
    weight,
)
from claims.statement import Compare
from proofs.calculation import at_places, linked, place
from proofs.im2026.absolute_sums import total
from proofs.im2026.bigrams import x
from proofs.im2026.contexts import t
from proofs.im2026.orders import BEFORE, PLACE, ROW, TEXT, n, read
from proofs.im2026.small_gradients import (
    apart_by,
)
from proofs.im2026.small_passes import attention_row, entry_below, residual
from proofs.im2026.small_weights import (
    ALL,
    TOKENS,
    token_size,
)
from proofs.kernel import (
    Theorem,
    joint,
    unfold,
)

ONE = Integer(1)


def step_value(steps: Any, row: Any, column: Any) -> Expr:
    """An entry of V after so many steps."""
    return value(steps, ONE, row, column)


POSITIVE = joint(Compare(t, ">=", 1), given=(Compare(t, ">=", 1),))


def said_of(quantity: Any, term: Any, *ranges: Any) -> Theorem:
    """What the definition says of one layer after n steps."""
    return read(quantity, term, *ranges, domain=SINGLE)


def row_size(position: Any = t) -> Theorem:
    """sum_j |X_tj| <= 1."""
    found = token_size(position)
    return linked(Compare(found.formula.left, "<=", 1), found)


def weights_of_row() -> Theorem:
    """sum_m |A_tm| = 1."""
    return at_places(attention_row()[1], 1, i, t)


def added(column: Any) -> Expr:
    """What the layer adds to a token: A X V."""
    b = Symbol("b'", integer=True)
    moved = Sum(x(i, m, b) * step_value(n, b, column), (b, 1, words))
    return Sum(weight(n, 1, i, t, m) * moved, BEFORE)


def state_read() -> Theorem:
    """h = X + A X V."""
    return said_of(hidden(n, 1, i, t, j), x(i, t, j) + added(j), *TOKENS)


def sensed(one: Any) -> Expr:
    """An entry of G."""
    return sensitivity(n, 1, i, t, one)


def top_term(row: Any) -> Sum:
    """An entry of R W_O^T."""
    a = Symbol("a'", integer=True)
    return Sum(residual(a) * output(n, row, a), (a, 1, words))


def top_read() -> Theorem:
    """G = R W_O^T."""
    return said_of(sensed(j), top_term(j), *TOKENS)


def token_entry(position: Any, word: Any) -> Theorem:
    """|X_tj| <= 1."""
    return entry_below(lambda one: x(i, position, one), ROW, word, Integer(1), row_size(position))


def passed_read() -> Theorem:
    """M = G V^T X^T."""
    a, b = place("a"), place("b")
    body = sensed(a) * step_value(n, b, a) * x(i, m, b)
    return said_of(
        passed_back(n, 1, i, t, m), total(body, (a, 1, words), (b, 1, words)), TEXT, PLACE, ALL
    )


def value_entry(row: Any, column: Any) -> Expr:
    return step_value(n, row, column)


def heard() -> Sum:
    """What a row of attention makes of what is passed back."""
    one = Symbol("q'", integer=True)
    return Sum(weight(n, 1, i, t, one) * passed_back(n, 1, i, t, one), (one, 1, t))


def mean_pair() -> Expr:
    """The mean of leading scores over the tokens that a row sees."""
    one = Symbol("q'", integer=True)
    return Sum(score_of_pair(i, t, one), (one, 1, t)) / t


def scored_read() -> tuple[Theorem, Theorem]:
    """S, and Q of the leading terms, on the tokens that a row sees."""
    own = weight(n, 1, i, t, m) * (passed_back(n, 1, i, t, m) - heard())
    first = said_of(score(n, 1, i, t, m), own, TEXT, PLACE, BEFORE)
    centred_ = (score_of_pair(i, t, m) - mean_pair()) / t
    return first, unfold(leading_score(i, t, m), centred_, TRAINED, (TEXT, PLACE, BEFORE))


def collected_output() -> Expr:
    """h R."""
    return hidden(n, 1, i, t, j) * residual(k)


def mixed() -> Expr:
    """A X."""
    return Sum(weight(n, 1, i, t, m) * x(i, m, j), BEFORE)


def collected_attention() -> Expr:
    """X S X."""
    return Sum(x(i, t, j) * score(n, 1, i, t, m) * x(i, m, k), BEFORE)


SEEN = Symbol("a'", integer=True)
"""A token that a row sees."""


def collected_positions() -> Expr:
    """Scores by distance."""
    return Sum(score(n, 1, i, t, SEEN) * apart_by(SEEN), (SEEN, 1, t))
