r"""Three steps of one layer from zero at $\eta\le\frac18$, where the vocabulary is not small.

Probabilities of many words stay near uniform ones: within $\frac{n\eta}{18}$ after $n\le2$ steps for
$|\mathcal V|\ge140$.  Attention moves at the third step alone.  Errors after $n\le3$ steps are at most
$\bigl(\frac1{18}\binom n2+\binom n3\bigr)\eta^2$ for $W_O$, $\bigl(\frac1{18}\binom n2+\binom n3\bigr)\eta^3$
for $V$ and $2\binom n3\eta^5$ for attention weights and position scores.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Abs, Expr, Integer, Rational, Sum, symbols

from claims.im2026 import small_starts as claims
from claims.im2026.bigrams import bigram
from claims.im2026.cooperation import composed_value
from claims.im2026.leading_terms import position_entry, word_entry
from claims.im2026.notation import T, eta, i, j, k, m, words
from claims.im2026.small_starts import attention, hidden, output, positions, sized
from claims.statement import And, Compare
from proofs.calculation import integers_apart, linked, summed_over
from proofs.im2026.absolute_sums import carried, row_below, total
from proofs.im2026.contexts import t
from proofs.im2026.one_layer_readings import ONE, step_value
from proofs.im2026.one_layer_steps import (
    advanced,
    column_beside,
    gradients,
    guessed,
    logit_of,
    logits_near,
    logits_small,
    near_leading,
    rows_near,
    short_state,
    through,
    values_beside,
)
from proofs.im2026.one_layer_training import Step
from proofs.im2026.orders import COLUMN, ROW, every, n
from proofs.im2026.small_gradients import times
from proofs.im2026.small_steps import COUNT, far_read
from proofs.im2026.small_weights import bigrams_size, far, pairs, size_beside, sum_sign
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
)

TWO, THREE = n * (n - 1) / 2, n * (n - 1) * (n - 2) / 6
"""Pairs and triples of steps."""
MOST = Rational(1, 8)
LEAST_WORDS = 140
STEP = Step(
    output=TWO * eta**2 / 18, value=TWO * eta**3 / 18, entry=n * eta + TWO * eta**2 / 18,
    size=2 * TWO * eta**2 + TWO * eta**3 / 18, guess=n * eta / 18, shift=Integer(0),
)  # fmt: skip
SLOPES = (
    (n / 18 + TWO) * eta, (n / 18 + TWO) * eta**2, 2 * TWO * eta**4, 2 * TWO * eta**4,
)  # fmt: skip
PREMISE = (Compare(eta, "<=", MOST), Compare(words, ">=", LEAST_WORDS))


def errors(steps: Any) -> tuple[Expr, Expr, Expr]:
    """What errors of W_O, V and attention are at most after so many steps."""
    two, three = TWO.subs(n, steps), THREE.subs(n, steps)
    return (two / 18 + three) * eta**2, (two / 18 + three) * eta**3, 2 * three * eta**5


def bounds(steps: Any) -> tuple[Compare, ...]:
    """How far weights are from their leading terms after some steps."""
    count = COUNT.subs(n, steps)
    first, second, last = errors(steps)
    return (
        Compare(sized(output(steps, j, k) - steps * eta * bigram(j, k)), "<=", first),
        Compare(
            sized(step_value(steps, j, k) - steps * (steps - 1) / 2 * eta**2 * composed_value(j, k)), "<=",
            second,
        ),
        Compare(sized(attention(steps, 1, j, k) - count * eta**4 * word_entry(j, k)), "<=", last),
        Compare(
            Sum(Abs(positions(steps, 1, m) - count * eta**4 * position_entry(m)), (m, 1, T)), "<=", last
        ),
    )  # fmt: skip


@cache
def at_most_two() -> Theorem:
    """n is zero, one or two."""
    apart = [integers_apart(Integer(number), n) for number in (0, 1)]
    goal = Compare(n, "=", 0) | Compare(n, "=", 1) | Compare(n, "=", 2)
    return joint(goal, *apart, joint(Compare(n, ">=", 0)), given=(Compare(n + 1, "<=", 3),))


def in_cases(left: Expr, right: Expr, sign: str = "<=") -> Theorem:
    """A comparison of polynomials in n, eta and x for n up to two, case by case."""
    p, e, z = symbols("p e z", real=True)
    left_, right_ = (term.xreplace({far: z}).subs({n: p, eta: e}) for term in (left, right))
    cases = Compare(p, "=", 0) | Compare(p, "=", 1) | Compare(p, "=", 2)
    rate = Compare(e, ">", 0), Compare(e, "<=", MOST)
    placed = [term.subs(z, p * e) for term in (left_, right_)]
    each = [
        joint(Compare(placed[0].subs(p, number), sign, placed[1].subs(p, number)), given=rate)
        for number in range(3)
    ]
    moved = [
        discharge(joint(Compare(placed[0], sign, placed[1]), one, given=(Compare(p, "=", number),)),
                  Compare(p, "=", number))
        for number, one in enumerate(each)
    ]  # fmt: skip
    free = joint(Compare(placed[0], sign, placed[1]), *moved, given=(cases,))
    found = joint(Compare(left_, sign, right_), free, given=(Compare(z, "=", p * e),))
    return cut(
        substitute(found, {p: n, e: eta, z: far}), far_read()[0], at_most_two(),
        joint(Compare(eta, ">", 0)),
    )  # fmt: skip


# What a step needs --------------------------------------------------------------------------------


def within(most: Expr, known: Theorem) -> Theorem:
    """A bound whose right-hand side is at most the wanted one."""
    return through(known, in_cases(known.formula.right, most))


def few_pairs() -> Theorem:
    """c = n (n - 1) eta^2 / 2."""
    return joint(Compare(pairs, "<=", TWO * eta**2), far_read()[1])


def signs() -> tuple[Theorem, ...]:
    """That x, c and the bounds are not negative."""
    _, C, _ = far_read()
    first = joint(Compare(far, ">=", 0), in_cases(Integer(0), far))
    second = joint(Compare(pairs, ">=", 0), C, in_cases(Integer(0), TWO * eta**2))
    own = (STEP.output, STEP.value, STEP.entry, STEP.size, STEP.guess)
    return (
        first,
        second,
        *(joint(Compare(one, ">=", 0), in_cases(Integer(0), one)) for one in own),
    )


def guesses_near(values: Theorem, columns: Theorem, whole: Theorem) -> Theorem:
    """sum_k |p_tk - 1/|V|| <= n eta / 18, where `whole` bounds the sum of |W_O|."""
    sign = joint(Compare(STEP.entry, ">=", 0), in_cases(Integer(0), STEP.entry))
    found = logits_near(STEP, values, columns, sign)
    large = Rational(13, 50)
    logits = within(large, found)
    a, *_ = tuple(logit_of(k).limits[0])
    entry = lambda row, column: output(n, row, column)  # noqa: E731
    rows = row_below(entry, a, words, whole)
    rows = linked(Compare(Sum(Abs(output(n, a, k)), COLUMN), "<=", whole.formula.right), rows)
    sums = carried(
        hidden(n, 1, i, t, a), output(n, a, k), (a, 1, words), COLUMN, whole.formula.right, rows
    )
    u, v, c = symbols("u v c", real=True)
    scaled = joint(Compare(c * u, "<=", c * v), given=(Compare(u, "<=", v), Compare(c, ">=", 0)))
    short = short_state(STEP, values)
    scaled = substitute(
        scaled, {c: whole.formula.right, u: short.formula.left, v: short.formula.right}
    )
    scaled = cut(scaled, short, joint(Compare(whole.formula.right, ">=", 0), in_cases(
        Integer(0), whole.formula.right)))  # fmt: skip
    most = Rational(31, 15) * n * eta
    size = within(most, through(sums, scaled))
    near = Softmax(logit_of, words, k, large, logits).few_of_many(size)
    return guessed(STEP, through(near, shared(15 * most / 4)))


def shared(most: Expr) -> Theorem:
    """c / |V| <= n eta / 18 for c <= 8 n eta."""
    u, v, w = symbols("u v w", real=True)
    found = joint(Compare(u / w, "<=", v), given=(
        Compare(u, "<=", LEAST_WORDS * v), Compare(w, ">=", LEAST_WORDS), Compare(v, ">=", 0)))  # fmt: skip
    found = substitute(found, {u: most, v: STEP.guess, w: words})
    return cut(
        found, in_cases(most, LEAST_WORDS * STEP.guess), in_cases(STEP.guess, Integer(0), ">="),
        assume(PREMISE[1]),
    )  # fmt: skip


def still(before: Theorem) -> tuple[Theorem, Theorem]:
    """Attention weights and position scores are zero."""
    made = []
    for place_, own in ((2, attention(n, 1, j, k)), (3, positions(n, 1, m))):
        known = part(before, place_)
        ranges = (ROW, COLUMN) if place_ == 2 else ((m, 1, T),)
        lead = word_entry(j, k) if place_ == 2 else position_entry(m)
        p, r, f = symbols("p r f", real=True)
        each = joint(Compare(Abs(p), "=", Abs(p - f * r)), given=(Compare(f, "=", 0),))
        each = cut(substitute(each, {p: own, r: lead, f: COUNT * eta**4}), no_count())
        found = summed_over(each, *ranges)
        none = in_cases(known.formula.right, Integer(0))
        goal = Compare(total(Abs(own), *ranges), "<=", 0)
        made.append(linked(goal, found, known, none))
    return made[0], made[1]


def no_count() -> Theorem:
    """Leading terms of attention vanish up to the second step."""
    return in_cases(COUNT * eta**4, Integer(0), "=")


def known_after(before: Theorem) -> tuple[Theorem, ...]:
    """What a step needs of n steps, n at most two."""
    outputs, values_near = near_leading(before)
    outputs, values_near = within(STEP.output, outputs), within(STEP.value, values_near)
    few, positive = few_pairs(), signs()
    values = cut(within(STEP.size, values_beside(values_near, few)), *positive)
    column = column_beside(outputs)
    columns = cut(every(within(STEP.entry, column), COLUMN), *positive)
    whole = cut(whole_size(outputs), *positive)
    guesses = guesses_near(values, columns, whole)
    zero = joint(Compare(Integer(0), "<=", MOST)), joint(Compare(Integer(0), ">=", 0))
    rows = rows_near(STEP, logits_small(*still(before), Integer(0)), *zero)
    return outputs, values_near, values, columns, guesses, rows, *positive, zero[1]


def whole_size(near: Theorem) -> Theorem:
    """sum |W_O| <= 2 x + o."""
    own, lead = output(n, j, k), bigram(j, k)
    sides = [
        cut(found, assume(Compare(far, ">=", 0)))
        for found in size_beside(own, lead, far, ROW, COLUMN)
    ]
    X = joint(Compare(far, "<=", n * eta), far_read()[0])
    whole = times(X, bigrams_size(), assume(Compare(far, ">=", 0)), sum_sign(lead, ROW, COLUMN))
    return joint(Compare(sized(own), "<=", 2 * n * eta + STEP.output), *sides, whole, near)


# Three steps --------------------------------------------------------------------------------------


def next_step(before: Theorem) -> tuple[Theorem, ...]:
    """The bounds after one more step."""
    known = known_after(before)
    steep = []
    for gradient, most in zip(gradients(STEP), SLOPES, strict=True):
        found = cut(gradient, *known)
        steep.append(within(most, found))
    return advanced(before, bounds, steep)


@cache
def after_three() -> Theorem:
    """For all n up to three weights are near their leading terms."""

    def whole(steps: Any) -> Any:
        return Compare(steps, "<=", 3).implies(And(bounds(steps)))

    last = Compare(n + 1, "<=", 3)
    now = joint(Compare(n, "<=", 3), given=(last,))
    before = joint(And(bounds(n)), assume(whole(n)), now)
    step = discharge(joint(And(bounds(n + 1)), *next_step(before)), last)
    first, *others = map(assume, claims.started_within(Integer(0)))
    start = joint(whole(Integer(0)), first, *(instance(found, ONE) for found in others))
    return induction(start, step, n)
