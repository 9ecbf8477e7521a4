r"""All steps of one layer from zero up to $x=s\eta\le\frac14$, in sums of absolute values.

Of $W_O$ and $V$ the errors are at most $\frac74x^2$ and $\frac52x^3$, of attention weights and position scores
$8x^5$; $W_O$ is at most $\frac{23}{16}x$ by columns, $V$ at most $\frac{13}8x^2$, probabilities are within
$2x$ of uniform ones, rows of attention within $15x^4$.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, Symbol, exp, symbols

from claims.im2026 import small_starts as claims
from claims.im2026.bigrams import bigram
from claims.im2026.cooperation import composed_value
from claims.im2026.leading_terms import position_entry, word_entry
from claims.im2026.notation import T, eta, i, j, k, m, words
from claims.im2026.small_starts import (
    attention,
    hidden,
    logit,
    output,
    positions,
    probability,
    sized,
    weight,
)
from claims.statement import And, Compare
from proofs.calculation import algebra, at_places, linked, place, summed_over
from proofs.im2026.absolute_sums import near_uniform, total, triangle
from proofs.im2026.bigrams import x
from proofs.im2026.contexts import t, token_mean
from proofs.im2026.one_layer_readings import (
    ONE,
    POSITIVE,
    collected_attention,
    collected_output,
    collected_positions,
    mixed,
    said_of,
    sensed,
    step_value,
    token_entry,
)
from proofs.im2026.one_layer_training import Step
from proofs.im2026.orders import BEFORE, COLUMN, PLACE, ROW, TEXT, every, in_prefix, n
from proofs.im2026.small_gradients import LEADS, leading_maps_size, times
from proofs.im2026.small_passes import entry_below
from proofs.im2026.small_steps import (
    COUNT,
    counted,
    counts_after,
    far_read,
    led_by,
    moved,
    powers,
    size_with,
)
from proofs.im2026.small_weights import (
    ALL,
    bigram_column,
    column_below,
    composed_size,
    far,
    pairs,
    size_beside,
    sum_sign,
)
from proofs.im2026.softmax_distance import Softmax
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    induction,
    instance,
    joint,
    part,
    substitute,
    sum_rearranged,
)

HORIZON = Rational(1, 4)
FIRST, SECOND, LAST = Rational(7, 4), Rational(5, 2), Integer(8)
BOX = (
    Compare(far, ">=", 0), Compare(far, "<=", HORIZON), Compare(pairs, ">=", 0),
    Compare(pairs, "<=", far**2 / 2),
)  # fmt: skip
box = tuple(map(assume, BOX))
STEP = Step(
    output=FIRST * far**2, value=SECOND * far**3, entry=Rational(23, 16) * far,
    size=Rational(13, 8) * far**2, guess=2 * far, shift=15 * far**4,
)  # fmt: skip
TURNED = 3 * far**4
"""The sums of absolute values of attention weights, and of position scores."""


def on_the_box(left: Expr, right: Expr) -> Theorem:
    """A comparison of polynomials in x, by arithmetic in a symbol."""
    u = symbols("u", real=True)
    given = (Compare(u, ">=", 0), Compare(u, "<=", HORIZON))
    goal = Compare(left.subs(far, u), "<=", right.subs(far, u))
    return cut(substitute(joint(goal, given=given), {u: far}), *box[:2])


def in_x(factor: Any, power: int) -> Theorem:
    """c (n eta)^p = c x^p."""
    u, v = symbols("u v", real=True)
    same = joint(Compare(factor * u**power, "=", factor * v**power), given=(Compare(v, "=", u),))
    return cut(substitute(same, {u: n * eta, v: far}), far_read()[0])


def through(first: Theorem, second: Theorem) -> Theorem:
    """a <= c from a <= b and b <= c, shown of symbols: the terms may be long."""
    a, b, c = symbols("a b c", real=True)
    terms = {a: first.formula.left, b: second.formula.left, c: second.formula.right}
    given = Compare(a, "<=", b), Compare(b, "<=", c)
    return algebra(Compare(a, "<=", c), given, terms, first, second)


# Weights after n steps ----------------------------------------------------------------------------


def premise(steps: Any) -> Compare:
    """The horizon."""
    return Compare(steps * eta, "<=", HORIZON)


def bounds(steps: Any) -> tuple[Compare, ...]:
    """How far weights are from their leading terms after some steps."""
    count, last = COUNT.subs(n, steps), LAST * steps**5 * eta**5
    return (
        Compare(sized(output(steps, j, k) - steps * eta * bigram(j, k)), "<=", FIRST * steps**2 * eta**2),
        Compare(
            sized(step_value(steps, j, k) - steps * (steps - 1) / 2 * eta**2 * composed_value(j, k)), "<=",
            SECOND * steps**3 * eta**3,
        ),
        Compare(sized(attention(steps, 1, j, k) - count * eta**4 * word_entry(j, k)), "<=", last),
        Compare(
            Sum(Abs(positions(steps, 1, m) - count * eta**4 * position_entry(m)), (m, 1, T)), "<=", last
        ),
    )  # fmt: skip


@cache
def within_box() -> tuple[Theorem, ...]:
    """The box, where the next step is within the horizon."""
    X, C, _ = far_read()
    p, e = symbols("p e", real=True)
    rate = joint(Compare(eta, ">", 0))
    later = joint(Compare(n * eta, "<=", HORIZON), assume(premise(n + 1)), rate)
    signs = (Compare(p, ">=", 0),)
    half = joint(Compare(p / 2 * e**2, ">=", 0), joint(Compare(e**2, ">=", 0)), given=signs)
    half = cut(substitute(half, {p: n * (n - 1), e: eta}), counted()[0])
    few = joint(
        Compare(p * (p - 1) / 2 * e**2, "<=", (p * e) ** 2 / 2),
        joint(Compare(p * e**2, ">=", 0), joint(Compare(e**2, ">=", 0)), given=signs),
    )
    few = cut(substitute(few, {p: n, e: eta}), joint(Compare(n, ">=", 0)))
    return (
        joint(BOX[0], X, rate, joint(Compare(n * eta, ">=", 0))), joint(BOX[1], X, later),
        joint(BOX[2], C, half), joint(BOX[3], C, few, in_x(Rational(1, 2), 2)),
    )  # fmt: skip


def near_leading(before: Theorem) -> tuple[Theorem, Theorem]:
    """Outputs and values near their leading terms, by x and c."""
    X, C, _ = far_read()
    outputs = led_by(output(n, j, k), bigram(j, k), n * eta, far, X, part(before, 0), ROW, COLUMN)
    values = led_by(
        step_value(n, j, k), composed_value(j, k), n * (n - 1) / 2 * eta**2, pairs, C, part(before, 1), ROW,
        COLUMN,
    )  # fmt: skip
    return outputs, values


def values_beside(near: Theorem, few: Theorem) -> Theorem:
    """sum |V| <= 2 c' + b from sum |V - c Phi^T B^T| <= b and c <= c'."""
    own, lead = step_value(n, j, k), composed_value(j, k)
    sides = [cut(found, box[2]) for found in size_beside(own, lead, pairs, ROW, COLUMN)]
    whole = times(few, composed_size(), box[2], sum_sign(lead, ROW, COLUMN))
    most = whole.formula.right + near.formula.right
    return joint(Compare(sized(own), "<=", most), *sides, whole, near)


def values_size(near: Theorem) -> Theorem:
    """sum |V| <= 13 x^2 / 8."""
    cube = on_the_box(SECOND * far**3, Rational(5, 8) * far**2)
    return joint(STEP.values, values_beside(near, box[3]), cube)


def column_beside(near: Theorem) -> Theorem:
    """sum_j |W_jk| <= o + x from sum |W_O - x B| <= o."""
    error = lambda row, column: output(n, row, column) - far * bigram(row, column)  # noqa: E731
    return size_with(
        output(n, j, k), bigram(j, k), far, column_below(near, error, k), instance(bigram_column(), k),
        box[0], ROW,
    )  # fmt: skip


def columns_size(near: Theorem) -> Theorem:
    """sum_j |W_jk| <= 23 x / 16, for every word k."""
    square = on_the_box(FIRST * far**2, Rational(7, 16) * far)
    goal = Compare(Sum(Abs(output(n, j, k)), ROW), "<=", STEP.entry)
    return every(linked(goal, column_beside(near), square), COLUMN)


def turned_sizes(before: Theorem) -> tuple[Theorem, Theorem]:
    """sum |W| and sum |P| are at most 3 x^4 in attention."""
    _, count, few = counted()
    a, b, e = symbols("a b e", real=True)
    fourth = joint(Compare(e**4, ">=", 0))
    sign = joint(Compare(a * e**4, ">=", 0), fourth, given=(Compare(a, ">=", 0),))
    sign = cut(substitute(sign, {a: COUNT, e: eta}), count)
    less = joint(Compare(8 * a * e**4, "<=", 8 * b * e**4), fourth, given=(Compare(a, "<=", b),))
    less = cut(substitute(less, {a: COUNT, b: n**4 / 8, e: eta}), few)
    powers_ = in_x(LAST, 5), in_x(Integer(1), 4), on_the_box(LAST * far**5 + far**4, TURNED)
    f, g, h, q, z, w = symbols("f g h q z w", real=True)
    given = (
        Compare(g, "<=", h), Compare(f, "=", q), Compare(h, "=", z), Compare(q + z, "<=", w),
    )  # fmt: skip
    terms = {
        f: LAST * n**5 * eta**5, g: 8 * COUNT * eta**4, h: n**4 * eta**4, q: LAST * far**5, z: far**4, w: TURNED
    }  # fmt: skip
    below = algebra(Compare(f + g, "<=", w), given, terms, less, *powers_)
    found = []
    for own, entry, lead, ranges, place_ in (
        (attention(n, 1, j, k), word_entry(j, k), leading_maps_size()[0], (ROW, COLUMN), 2),
        (positions(n, 1, m), position_entry(m), leading_maps_size()[1], (ALL,), 3),
    ):
        size = size_with(own, entry, COUNT * eta**4, part(before, place_), lead, sign, *ranges)
        found.append(through(size, below))
    return found[0], found[1]


# Outputs and attention near uniform ones ----------------------------------------------------------

LOGITS = Rational(8, 5) * far
"""The largest logit of the output."""


def logit_of(word: Any) -> Sum:
    """A logit of the output."""
    a = Symbol("a'", integer=True)
    return Sum(hidden(n, 1, i, t, a) * output(n, a, word), (a, 1, words))


def short_state(step: Step, values: Theorem) -> Theorem:
    """sum_j |h_tj| <= 1 + v."""
    found = at_places(cut(step.state_size, values), i, t)
    a = Symbol("a'", integer=True)
    size = Sum(Abs(hidden(n, 1, i, t, a)), (a, 1, words))
    return linked(Compare(size, "<=", 1 + step.size), found)


def logits_near(step: Step, values: Theorem, columns: Theorem, sign: Theorem) -> Theorem:
    """|f_k| <= w (1 + v), where w is not negative."""
    whole = logit_of(k)
    limits = tuple(whole.limits[0])
    a = limits[0]
    small = entry_below(lambda one: output(n, one, k), ROW, a, step.entry, instance(columns, k))
    u, v, c = symbols("u v c", real=True)
    product = joint(Compare(Abs(u * v), "<=", c * Abs(u)), given=(Compare(Abs(v), "<=", c),))
    each = substitute(product, {u: hidden(n, 1, i, t, a), v: output(n, a, k), c: step.entry})
    found = summed_over(cut(each, small), limits)
    size = Sum(Abs(hidden(n, 1, i, t, a)), limits)
    pulled = sum_rearranged(found.formula.right, step.entry * size)
    scaled = joint(Compare(c * u, "<=", c * v), given=(Compare(u, "<=", v), Compare(c, ">=", 0)))
    scaled = substitute(scaled, {c: step.entry, u: size, v: 1 + step.size})
    scaled = cut(scaled, short_state(step, values), sign)
    sizes = joint(
        Compare(Abs(whole), "<=", pulled.formula.right),
        triangle(whole.function, limits),
        found,
        pulled,
    )
    return through(sizes, scaled)


def guessed(step: Step, near: Theorem) -> Theorem:
    """How far probabilities are from uniform ones, from what is said of the softmax of logits."""
    whole = Sum(exp(logit_of(j)), (j, 1, words))
    now = said_of(probability(n, 1, i, t, k), exp(logit_of(k)) / whole, TEXT, PLACE, COLUMN)
    same = linked(
        Compare(Abs(probability(n, 1, i, t, k) - 1 / words), "=", near.formula.left.function), now
    )
    sums = summed_over(same, COLUMN)
    return every(linked(Compare(sums.formula.left, "<=", step.guess), sums, near), TEXT, PLACE)


def guesses_near(values: Theorem, columns: Theorem) -> Theorem:
    """sum_k |p_tk - 1/|V|| <= 2 x."""
    found = logits_near(STEP, values, columns, joint(Compare(STEP.entry, ">=", 0), box[0]))
    whole = on_the_box(STEP.entry * (1 + STEP.size), LOGITS)
    logits = through(found, whole)
    near = Softmax(logit_of, words, k, LOGITS, logits).from_uniform()
    small = joint(Compare(LOGITS, "<=", Rational(2, 5)), box[1])
    return guessed(STEP, cut(near, small, joint(Compare(LOGITS, ">=", 0), box[0])))


def logits_small(weights: Theorem, places: Theorem, most: Any = TURNED) -> Theorem:
    """|Z_tm| <= 2 c, where weights and scores of attention add up to at most c each."""
    a, b = place("a"), place("b")
    limits = ((a, 1, words), (b, 1, words))
    entry = attention(n, 1, a, b)
    u, v, w = symbols("u v w", real=True)
    one = joint(Compare(Abs(u * w), "<=", Abs(w)), given=(Compare(Abs(u), "<=", 1),))
    other = joint(Compare(Abs(u * w * v), "<=", Abs(u * w)), given=(Compare(Abs(v), "<=", 1),))
    each = joint(Compare(Abs(u * w * v), "<=", Abs(w)), one, other)
    each = cut(
        substitute(each, {u: x(i, t, a), w: entry, v: x(i, m, b)}),
        token_entry(t, a),
        token_entry(m, b),
    )
    body = x(i, t, a) * entry * x(i, m, b)
    found = summed_over(each, *limits)
    size = linked(Compare(total(Abs(entry), *limits), "<=", most), weights)
    apart = in_prefix(entry_below(lambda one: positions(n, 1, one), ALL, t - m + 1, most, places))
    now = said_of(
        logit(n, 1, i, t, m), total(body, *limits) + positions(n, 1, t - m + 1), TEXT, PLACE, BEFORE
    )
    goal = Compare(Abs(logit(n, 1, i, t, m)), "<=", 2 * most)
    return in_prefix(joint(goal, now, triangle(body, *limits), found, size, apart))


def rows_near(step: Step, logits: Theorem, *small: Theorem) -> Theorem:
    """sum_m |A_tm - 1/t| <= 5 z / 2 for logits of at most z, which is small and not negative."""
    z = lambda at: logit(n, 1, i, t, at)  # noqa: E731
    near = near_uniform(z, t, m, logits.formula.right, instance(every(logits, BEFORE), m))
    near = cut(near, *small, POSITIVE)
    now = said_of(weight(n, 1, i, t, m), exp(z(m)) / Sum(exp(z(k)), (k, 1, t)), TEXT, PLACE, BEFORE)
    goal = Compare(Abs(weight(n, 1, i, t, m) - 1 / t), "<=", step.shift / t)
    found = summed_over(linked(goal, near, now), BEFORE)
    divided = joint(Compare(t / t, "=", 1), POSITIVE)
    theorem = linked(Compare(found.formula.left, "<=", step.shift), found, divided, POSITIVE)
    return every(theorem, TEXT, PLACE)


def known_after(before: Theorem) -> tuple[Theorem, ...]:
    """What a step needs of n steps, where the next one is within the horizon."""
    outputs, values_near = near_leading(before)
    outputs = joint(STEP.near_output, outputs, in_x(FIRST, 2))
    values_near = joint(STEP.near_value, values_near, in_x(SECOND, 3))
    values, columns = values_size(values_near), columns_size(outputs)
    guesses = guesses_near(values, columns)
    small = on_the_box(2 * TURNED, Rational(1, 8))
    sign = joint(Compare(2 * TURNED, ">=", 0), joint(Compare(far**4, ">=", 0)))
    rows = rows_near(STEP, logits_small(*turned_sizes(before)), small, sign)
    square, fourth = joint(Compare(far**2, ">=", 0)), joint(Compare(far**4, ">=", 0))
    cube = joint(Compare(far**3, ">=", 0), joint(Compare(far * far**2, ">=", 0), square, box[0]))
    signs = [joint(sign, square, cube, fourth, *box) for sign in STEP.signs]
    found = (outputs, values_near, values, columns, guesses, rows, *signs)
    return tuple(cut(known, *within_box()) for known in found)


# All steps ----------------------------------------------------------------------------------------

SLOPES = (2 * FIRST * far, 3 * SECOND * far**2, 5 * LAST * far**4, 5 * LAST * far**4)
"""What gradients may be from those of leading terms."""


def steep(gradient: Theorem, most: Expr, known: tuple[Theorem, ...]) -> Theorem:
    """A gradient near that of leading terms, in x."""
    found = cut(gradient, *known)
    return through(found, cut(on_the_box(found.formula.right, most), *within_box()))


def closing(known: Theorem, most: Expr, *more: Theorem) -> Theorem:
    """The bounds after the next step, from those before it: x is n eta."""
    p, e, z = symbols("p e z", real=True)
    left, right = (
        term.xreplace({far: z}).subs({n: p, eta: e}) for term in (known.formula.right, most)
    )
    placed = left.subs(z, p * e)
    free = joint(Compare(placed, "<=", right), *more)
    same = joint(Compare(left, "=", placed), given=(Compare(z, "=", p * e),))
    found = joint(Compare(left, "<=", right), free, same)
    found = cut(
        substitute(found, {p: n, e: eta, z: far}), far_read()[0], joint(Compare(n, ">=", 0)),
        joint(Compare(eta, ">", 0)),
    )  # fmt: skip
    return through(known, found)


def advanced(
    before: Theorem, limits: Callable[[Any], tuple[Compare, ...]], gradients: Iterable[Theorem]
) -> tuple[Theorem, ...]:
    """The bounds after one more step, from those of what it adds; all of them are polynomials."""
    half, count, later = n * (n - 1) / 2 * eta**2, COUNT * eta**4, COUNT.subs(n, n + 1) * eta**4
    weights: tuple[tuple[Any, ...], ...] = (
        (lambda steps: output(steps, j, k), collected_output(), bigram(j, k), n * eta, ONE, (n + 1) * eta, 2),
        (lambda steps: step_value(steps, j, k), mixed() * sensed(k), composed_value(j, k), half, far,
         (n + 1) * n / 2 * eta**2, 3),
        (lambda steps: attention(steps, 1, j, k), collected_attention(), word_entry(j, k), count, LEADS,
         later, 5),
        (lambda steps: positions(steps, 1, m), collected_positions(), position_entry(m), count, LEADS, later,
         5),
    )  # fmt: skip
    made = []
    for place_, (found, gradient) in enumerate(zip(weights, gradients, strict=True)):
        own, body, lead, old, slope, new, power = found
        ranges = (ALL,) if place_ == 3 else (ROW, COLUMN)
        read_ = said_of(own(n + 1), own(n) + eta * token_mean(body), *ranges)
        step = moved(
            own(n + 1), own(n), token_mean(body), lead, old, slope, counts_after(new, old, slope), read_,
            part(before, place_), gradient, *ranges,
        )  # fmt: skip
        made.append(closing(step, limits(n + 1)[place_].right, *powers(power)))
    return tuple(made)


def gradients(step: Step) -> tuple[Theorem, ...]:
    """What a step adds to each kind of weights."""
    return (
        step.output_gradient, step.value_gradient, step.attention_gradient, step.position_gradient,
    )  # fmt: skip


def next_step(before: Theorem) -> tuple[Theorem, ...]:
    """The bounds after one more step, within the horizon."""
    known = known_after(before)
    pairs_ = zip(gradients(STEP), SLOPES, strict=True)
    return advanced(before, bounds, [steep(found, most, known) for found, most in pairs_])


@cache
def after_steps() -> Theorem:
    """For all n: within the horizon the weights of one layer are near their leading terms."""

    def whole(steps: Any) -> Any:
        return premise(steps).implies(And(bounds(steps)))

    now = joint(premise(n), assume(premise(n + 1)), joint(Compare(eta, ">=", 0)))
    before = joint(And(bounds(n)), assume(whole(n)), now)
    step = discharge(joint(And(bounds(n + 1)), *next_step(before)), premise(n + 1))
    first, *others = map(assume, claims.started_within(Integer(0)))
    start = joint(whole(Integer(0)), first, *(instance(found, ONE) for found in others))
    return induction(start, step, n)
