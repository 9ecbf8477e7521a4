r"""What one step adds to the weights of one layer, from what is known of them: in sums of absolute values.

Tokens enter the layer as they are, so that neither length nor vocabulary shows.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from sympy import Abs, Expr, Sum, symbols

from claims.im2026.attention_scores import centred as leading_score
from claims.im2026.attention_scores import score as score_of_pair
from claims.im2026.bigrams import bigram
from claims.im2026.cooperation import composed_value
from claims.im2026.leading_terms import position_entry, word_entry
from claims.im2026.notation import i, j, k, m, words
from claims.im2026.parting_layers import follows
from claims.im2026.small_starts import (
    TRAINED,
    attention,
    hidden,
    output,
    passed_back,
    positions,
    probability,
    score,
    value,
    weight,
)
from claims.statement import Compare
from proofs.calculation import at_places, linked, place, summed_over
from proofs.im2026.absolute_sums import carried, per_text, total, triangle
from proofs.im2026.bigrams import bigram as bigram_entry
from proofs.im2026.bigrams import x
from proofs.im2026.contexts import share, t, token_mean
from proofs.im2026.lowest_orders import centred
from proofs.im2026.one_layer_bounds import (
    PASSED,
    PASSED_GAP,
    REST,
    SCORES_GAP,
    SENSED_GAP,
    SIZE,
    VALUE,
    Known,
)
from proofs.im2026.one_layer_readings import (
    ONE,
    POSITIVE,
    SEEN,
    collected_attention,
    collected_output,
    collected_positions,
    heard,
    mean_pair,
    mixed,
    passed_read,
    row_size,
    scored_read,
    sensed,
    token_entry,
    value_entry,
    weights_of_row,
)
from proofs.im2026.orders import BEFORE, COLUMN, PLACE, ROW, TEXT, every, in_prefix, n
from proofs.im2026.small_gradients import (
    LEADS,
    apart_by,
    distance_size,
    gradient,
    moved_by,
    negated,
    outer_below,
    outward,
    product_moved,
    triple_below,
    value_leads,
)
from proofs.im2026.small_passes import passed, residual
from proofs.im2026.small_scores import same_size, score_apart
from proofs.im2026.small_sensitivities import follows_size
from proofs.im2026.small_weights import (
    ALL,
    column_below,
    far,
    named,
    pairs,
)
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    identity,
    instance,
    joint,
    substitute,
    sum_rearranged,
    unfold,
)


@dataclass(frozen=True)
class Step(Known):
    """A step from weights of which such bounds are assumed."""

    def value_column(self, one: Any) -> Theorem:
        """sum_b |V_ba| <= v."""
        return column_below(assume(self.values), value_entry, one)

    @cached_property
    def passed_size(self) -> Theorem:
        """|M_tm| <= v (2 + g) w."""
        found = passed(
            sensed, value_entry, lambda one: x(i, m, one), self.size, self.value_column, ONE,
            lambda one: token_entry(m, one),
        )  # fmt: skip
        size = self.scaled(SIZE, at_places(self.sensed_size, i, t))
        goal = Compare(Abs(passed_back(n, 1, i, t, m)), "<=", self.at(PASSED))
        return every(linked(goal, found, passed_read(), size), TEXT, PLACE, ALL)

    @cached_property
    def passed_near(self) -> Theorem:
        """|M_tm - x c M0_tm| <= v (g w + 2 o) + 2 x b, with M0 = (Y - U_O) B^T (Phi^T B^T)^T X^T."""
        a, b = place("a"), place("b")
        limits = ((a, 1, words), (b, 1, words))
        error = lambda row, column: value_entry(row, column) - pairs * composed_value(row, column)  # noqa: E731
        lead = lambda one: follows(i, t, one)  # noqa: E731
        gap = lambda one: sensed(one) - far * lead(one)  # noqa: E731
        token = lambda one: x(i, m, one)  # noqa: E731
        entries = lambda one: token_entry(m, one)  # noqa: E731
        first = passed(gap, value_entry, token, self.size, self.value_column, ONE, entries)
        second = passed(
            lead, error, token, self.value, lambda one: column_below(assume(self.near_value), error, one), ONE,
            entries,
        )  # fmt: skip
        products = (
            total(gap(a) * value_entry(b, a) * token(b), *limits),
            total(lead(a) * error(b, a) * token(b), *limits),
        )
        leading = total(lead(a) * composed_value(b, a) * token(b), *limits)
        pair = score_of_pair(i, t, m)
        read_ = unfold(pair, leading, TRAINED, (TEXT, PLACE, ALL))
        now = passed_back(n, 1, i, t, m) - far * pairs * pair
        split = linked(Compare(now, "=", products[0] + far * products[1]), passed_read(), read_)
        close = self.scaled(SIZE, at_places(self.sensed_near, i, t))
        size = linked(Compare(Sum(Abs(lead(j)), ROW), "<=", 2), at_places(follows_size(), i, t))
        p, r, s, c, d = symbols("p r s c d", real=True)
        sizes = [found.formula.left.args[0] for found in (first, second)]
        one = linked(Compare(Abs(sizes[0]), "<=", self.size * self.at(SENSED_GAP)), first, close)
        two = linked(Compare(Abs(sizes[1]), "<=", 2 * self.value), second, self.scaled(VALUE, size))
        given = (Compare(Abs(p), "<=", c), Compare(Abs(r), "<=", d), Compare(s, ">=", 0))
        times_ = joint(Compare(Abs(s * r), "<=", s * d), given=given[1:])
        found = joint(Compare(Abs(p + s * r), "<=", c + s * d), times_, given=given)
        terms = {
            p: products[0],
            r: products[1],
            s: far,
            c: self.size * self.at(SENSED_GAP),
            d: 2 * self.value,
        }
        known = [
            linked(given[where].substitute(terms), bound) for where, bound in enumerate((one, two))
        ]
        found = cut(substitute(found, terms), *known, self.sign_of(far))
        theorem = joint(Compare(Abs(now), "<=", self.at(PASSED_GAP)), split, found)
        return every(theorem, TEXT, PLACE, ALL)

    def weighed_sum(self, rows: Expr, size: Theorem) -> Theorem:
        """|sum_m a_m M_tm| <= v (2 + g) w b, where `size` says that sum_m |a_m| is at most b."""
        own = passed_back(n, 1, i, t, m)
        u, v, c = symbols("u v c", real=True)
        product = joint(Compare(Abs(u * v), "<=", c * Abs(u)), given=(Compare(Abs(v), "<=", c),))
        each = cut(
            substitute(product, {u: rows, v: own, c: self.at(PASSED)}),
            in_prefix(at_places(self.passed_size, i, t, m)),
        )
        found = summed_over(each, BEFORE)
        pulled = sum_rearranged(found.formula.right, self.at(PASSED) * Sum(Abs(rows), BEFORE))
        bound = self.scaled(PASSED, size)
        goal = Compare(Abs(Sum(rows * own, BEFORE)), "<=", bound.formula.right)
        return linked(goal, triangle(rows * own, BEFORE), found, pulled, bound)

    @cached_property
    def heard_near(self) -> Theorem:
        """|sum_m A_tm M_tm - x c mean of M0| <= r v (2 + g) w + that of what is passed back."""
        own = passed_back(n, 1, i, t, m)
        moved = weight(n, 1, i, t, m) - 1 / t
        gap = own - far * pairs * score_of_pair(i, t, m)
        one = self.weighed_sum(moved, at_places(assume(self.rows), i, t))
        sums = summed_over(in_prefix(at_places(self.passed_near, i, t, m)), BEFORE)
        two = linked(
            Compare(Abs(Sum(gap, BEFORE)), "<=", t * self.at(PASSED_GAP)),
            triangle(gap, BEFORE),
            sums,
        )
        a, w, c = symbols("a w c", real=True)
        divided = joint(
            Compare(Abs(a / w), "<=", c), given=(Compare(Abs(a), "<=", w * c), Compare(w, ">=", 1))
        )
        divided = cut(
            substitute(divided, {a: Sum(gap, BEFORE), w: t, c: self.at(PASSED_GAP)}), two, POSITIVE
        )
        error = heard() - far * pairs * mean_pair()
        split = linked(
            Compare(error, "=", Sum(moved * own, BEFORE) + Sum(gap, BEFORE) / t), POSITIVE
        )
        return joint(
            Compare(Abs(error), "<=", self.at(PASSED) * self.shift + self.at(PASSED_GAP)),
            split,
            one,
            divided,
        )

    @cached_property
    def scores_near(self) -> Theorem:
        """sum_m |S_tm - x c Q_tm| <= 3 r v (2 + g) w + 2 (v (g w + 2 o) + 2 x b)."""
        now, lead = scored_read()
        own = weight(n, 1, i, t, m)
        whole = self.weighed_sum(
            own, joint(Compare(Sum(Abs(own), BEFORE), "<=", 1), weights_of_row())
        )
        apart = score_apart(
            a=own, M=passed_back(n, 1, i, t, m), B=heard(), K=far * pairs, s=score_of_pair(i, t, m),
            r=mean_pair(), w=1 / t, p=self.at(PASSED), e=self.at(PASSED_GAP),
            z=self.at(PASSED) * self.shift + self.at(PASSED_GAP),
        )  # fmt: skip
        each = cut(
            apart, in_prefix(at_places(self.passed_size, i, t, m)),
            linked(Compare(Abs(heard()), "<=", self.at(PASSED)), whole),
            in_prefix(at_places(self.passed_near, i, t, m)), self.heard_near,
            joint(Compare(1 / t, ">", 0), POSITIVE), joint(Compare(t, "!=", 0), POSITIVE),
        )  # fmt: skip
        body = score(n, 1, i, t, m) - LEADS * leading_score(i, t, m)
        each = same_size(each, linked(Compare(body, "=", each.formula.left.args[0]), now, lead))
        found = summed_over(each, BEFORE)
        moved = Sum(Abs(own - 1 / t), BEFORE)
        right = 2 * self.at(PASSED) * moved + 2 * self.at(PASSED_GAP) + self.at(PASSED) * self.shift
        pulled = linked(Compare(found.formula.right, "=", right), POSITIVE)
        rows = self.scaled(PASSED, at_places(assume(self.rows), i, t))
        theorem = joint(Compare(found.formula.left, "<=", self.at(SCORES_GAP)), found, pulled, rows)
        return every(theorem, TEXT, PLACE)

    @cached_property
    def output_gradient(self) -> Theorem:
        """sum |mean h R - B| <= v (2 + g) + g."""
        state, own = hidden(n, 1, i, t, j), x(i, t, j)
        guess = probability(n, 1, i, t, k) - 1 / words
        body = state * residual(k) - own * centred(k)
        rest = at_places(self.residual_size, i, t)
        one = outer_below(state - own, residual(k), at_places(self.state_near, i, t), rest)
        other = outer_below(
            own, -guess, row_size(), negated(guess, at_places(assume(self.guesses), i, t))
        )
        p, r, a, b, w = symbols("p r a b w", real=True)
        same = substitute(
            identity(p * (a - r) - b * (a - w), (p - b) * (a - r) + b * -(r - w)),
            {p: state, b: own, a: x(i, t + 1, k), r: probability(n, 1, i, t, k), w: 1 / words},
        )
        row = moved_by(body, (state - own) * residual(k), own * -guess, same, one, other)
        most = self.size * self.at(REST) + self.guess
        row = joint(Compare(row.formula.left, "<=", most), row)
        known = per_text(row, most)
        return gradient(
            output, collected_output(), bigram(j, k), body, most, known, bigram_entry(j, k)
        )

    @cached_property
    def value_gradient(self) -> Theorem:
        """sum |mean (A X) G - x Phi^T B^T| <= g w + 2 o + 2 x r."""
        own, size = weight(n, 1, i, t, m), in_prefix(row_size(m))
        rows = carried(own, x(i, m, j), BEFORE, ROW, ONE, size)
        rows = joint(Compare(rows.formula.left, "<=", 1), rows, weights_of_row())
        away = carried(own - 1 / t, x(i, m, j), BEFORE, ROW, ONE, size)
        away = joint(
            Compare(away.formula.left, "<=", self.shift), away, at_places(assume(self.rows), i, t)
        )
        moved = Sum((own - 1 / t) * x(i, m, j), BEFORE)
        same = linked(Compare(Abs(mixed() - share(j)), "=", Abs(moved)), POSITIVE)
        found = summed_over(same, ROW)
        shares = joint(Compare(found.formula.left, "<=", self.shift), found, away)
        g, f = sensed(k), follows(i, t, k)
        gaps = linked(
            Compare(Sum(Abs(g - far * f), COLUMN), "<=", self.at(SENSED_GAP)),
            at_places(self.sensed_near, i, t),
        )
        one = outer_below(mixed(), g - far * f, rows, gaps)
        u, v = symbols("u v", real=True)
        each = substitute(
            joint(Compare(Abs(u * v), "=", u * Abs(v)), given=(Compare(u, ">=", 0),)),
            {u: far, v: f},
        )
        sums = summed_over(cut(each, self.sign_of(far)), COLUMN)
        pulled = sum_rearranged(sums.formula.right, far * Sum(Abs(f), COLUMN))
        follow = linked(Compare(Sum(Abs(f), COLUMN), "<=", 2), at_places(follows_size(), i, t))
        leads = joint(
            Compare(sums.formula.left, "<=", 2 * far), sums, pulled, self.scaled(far, follow)
        )
        other = outer_below(mixed() - share(j), far * f, shares, leads)
        body, row = product_moved(mixed(), g, share(j), far * f, one, other)
        most = self.at(SENSED_GAP) + 2 * far * self.shift
        row = joint(Compare(row.formula.left, "<=", most), row)
        return gradient(
            value, mixed() * g, far * composed_value(j, k), body, most, per_text(row, most), *value_leads()
        )  # fmt: skip

    @cached_property
    def attention_gradient(self) -> Theorem:
        """sum |mean X S X - x c Q| is at most what scores are from leading ones."""
        own, word = x(i, t, j), x(i, m, k)
        gap = score(n, 1, i, t, m) - LEADS * leading_score(i, t, m)
        other = in_prefix(named(row_size(m), COLUMN))
        term = own * gap * word
        sums = summed_over(triple_below(own, gap, word, row_size(), other), BEFORE)
        scores_ = linked(
            Compare(Sum(Abs(gap), BEFORE), "<=", self.at(SCORES_GAP)),
            at_places(self.scores_near, i, t),
        )
        row = linked(
            Compare(total(Abs(Sum(term, BEFORE)), ROW, COLUMN), "<=", self.at(SCORES_GAP)),
            outward(term),
            sums,
            scores_,
        )
        read_ = unfold(
            word_entry(j, k),
            token_mean(Sum(own * leading_score(i, t, m) * word, BEFORE)),
            TRAINED,
            (ROW, COLUMN),
        )
        return gradient(
            attention, collected_attention(), LEADS * word_entry(j, k), Sum(term, BEFORE), self.at(SCORES_GAP),
            per_text(row, self.at(SCORES_GAP)), read_,
        )  # fmt: skip

    @cached_property
    def position_gradient(self) -> Theorem:
        """The same of sum_m |mean of S by distance - x c Delta|."""
        a, limits = SEEN, (SEEN, 1, t)
        gap = score(n, 1, i, t, a) - LEADS * leading_score(i, t, a)
        found = carried(gap, apart_by(a), limits, ALL, ONE, instance(distance_size(), a))
        scores_ = linked(
            Compare(Sum(Abs(gap), limits), "<=", self.at(SCORES_GAP)),
            at_places(self.scores_near, i, t),
        )
        row = joint(Compare(found.formula.left, "<=", self.at(SCORES_GAP)), found, scores_)
        lead = Sum(leading_score(i, t, a) * apart_by(a), limits)
        read_ = unfold(position_entry(m), token_mean(lead), TRAINED, (ALL,))
        return gradient(
            positions, collected_positions(), LEADS * position_entry(m), Sum(gap * apart_by(a), limits),
            self.at(SCORES_GAP), per_text(row, self.at(SCORES_GAP)), read_, ranges=(ALL,),
        )  # fmt: skip
