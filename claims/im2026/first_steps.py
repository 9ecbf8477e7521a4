r"""The first two steps of gradient descent from zero (Lemmas D.4, D.5), for one layer and any corpus.

Exact: after one step all weights are rational, and so are the logits; norms after two steps are known
to sixty digits.  Gradients are those of the chain rule, written out; measurements take autograd's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

import mpmath
from sympy import Abs, Integer, Rational, Symbol, exp, sqrt, zeros
from sympy import ImmutableDenseMatrix as Matrix

from claims.domain import Domain, Point, Real, Size
from claims.im2026.boxes import ZERO_START
from claims.im2026.corpora import (
    CORPORA,
    Corpus,
    bigram_map,
    context_map,
    first_tokens,
    next_tokens,
    uniform_output,
)
from claims.im2026.notation import N, T, eta, i, j, k, m, source, t, words
from claims.im2026.notation import sequences as X
from claims.model import Claim, Hypothesis
from claims.statement import And, Compare, ForAll, Quantity
from claims.terms import family

DIGITS = 60

# The network, exactly -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Network:
    """Weights of one layer, or the derivative of the loss by them."""

    attention: Matrix
    positions: Matrix
    value: Matrix
    output: Matrix

    def after(self, gradient: Network, rate: Any) -> Network:
        """One step of gradient descent."""
        return Network(*(
            Matrix(own - rate * slope) for own, slope in zip(self._all(), gradient._all(), strict=True)
        ))  # fmt: skip

    def _all(self) -> tuple[Matrix, ...]:
        return self.attention, self.positions, self.value, self.output


def at_zero(at: Point) -> Network:
    """All weights zero."""
    size, length = int(at[words]), int(at[T])
    return Network(zeros(size, size), zeros(length, 1), zeros(size, size), zeros(size, size))


def softmax_rows(logits: Matrix, visible: Callable[[int, int], bool]) -> Matrix:
    """Row by row over the visible columns, others zero."""
    weights = Matrix(
        logits.rows, logits.cols, lambda a, b: exp(logits[a, b]) if visible(a, b) else Integer(0)
    )
    sums = [sum(weights.row(a)) for a in range(logits.rows)]
    return Matrix(logits.rows, logits.cols, lambda a, b: weights[a, b] / sums[a])


def attention_of(net: Network, x: Matrix) -> Matrix:
    """S(Mask(X W X^T + DM(P)))."""
    logits = x * net.attention * x.T + Matrix(
        x.rows, x.rows, lambda a, b: net.positions[a - b] if b <= a else Integer(0)
    )
    return softmax_rows(logits, lambda a, b: b <= a)


def logits_of(net: Network, x: Matrix) -> Matrix:
    """F(X), Eq. (1)."""
    return Matrix((x + attention_of(net, x) * x * net.value) * net.output)


def output_of(net: Network, x: Matrix) -> Matrix:
    """S(F(X))."""
    return softmax_rows(logits_of(net, x), lambda a, b: True)


def through_softmax(weights: Matrix, slope: Matrix) -> Matrix:
    """The derivative by the scores of each row: its softmax Jacobian times the derivative by weights."""
    means = [
        sum(w * g for w, g in zip(weights.row(a), slope.row(a), strict=True))
        for a in range(slope.rows)
    ]
    return Matrix(slope.rows, slope.cols, lambda a, b: weights[a, b] * (slope[a, b] - means[a]))


def gradient(at: Point, net: Network) -> Network:
    """The derivative of the mean cross-entropy, by the chain rule from the logits back."""
    slope = at_zero(at)
    total = [Matrix(part) for part in slope._all()]
    for x, y in zip(first_tokens(at), next_tokens(at), strict=True):
        mixing = attention_of(net, x)
        hidden = x + mixing * x * net.value
        by_logits = (output_of(net, x) - y) / (at[N] * at[T])
        by_hidden = by_logits * net.output.T
        by_mixing = by_hidden * net.value.T * x.T
        by_scores = through_softmax(mixing, by_mixing)
        parts = (
            x.T * by_scores * x,
            Matrix([sum(by_scores[a, a - b] for a in range(b, x.rows)) for b in range(x.rows)]),
            (mixing * x).T * by_hidden,
            hidden.T * by_logits,
        )
        total = [Matrix(own + part) for own, part in zip(total, parts, strict=True)]
    return Network(*total)


@lru_cache(maxsize=256)
def _after(tokens: tuple[Matrix, ...], rate: Any, steps: int) -> Network:
    at = {
        X: tokens,
        N: Integer(len(tokens)),
        T: Integer(tokens[0].rows - 1),
        words: Integer(tokens[0].cols),
    }
    if steps == 0:
        return at_zero(at)
    before = _after(tokens, rate, steps - 1)
    return before.after(gradient(at, before), rate)


def after(at: Point, steps: int) -> Network:
    """The weights after some steps from zero."""
    return _after(tuple(at[X]), at[eta], steps)


def frobenius(matrix: Matrix) -> Decimal:
    """The Frobenius norm to fifty digits."""
    with mpmath.workdps(DIGITS):
        total = sum(
            (mpmath.mpf(str(e.evalf(DIGITS))) ** 2 for e in matrix.flat()), start=mpmath.mpf(0)
        )
        return Decimal(mpmath.nstr(mpmath.sqrt(total), DIGITS - 10))


# The first step -----------------------------------------------------------------------------------

output_weight = family(r"(W_O)_{{{}{}}}", lambda at, a, b: after(at, 1).output[a - 1, b - 1])
bigram = family(r"\bar B_{{{}{}}}", lambda at, a, b: bigram_map(at)[a - 1, b - 1])


def _share(at: Point, word: int, following: int = 0) -> Any:
    """How often a word (and after it another one) stands among the first T tokens, over NT."""
    found = sum(
        x[place, word - 1] * (y[place, following - 1] if following else 1)
        for x, y in zip(first_tokens(at), next_tokens(at), strict=True)
        for place in range(x.rows)
    )
    return Rational(found, at[N] * at[T])


share = family(r"\alpha_{{{}}}", lambda at, a: _share(at, a))
pair_share = family(r"(\alpha_{{{}}}P_{{{}}})_{{{}}}", lambda at, a, _, b: _share(at, a, b))
ANY_RATE = Domain((*CORPORA.variables, Real(eta, 0, open_low=True)))
SETTING = (ZERO_START, Hypothesis("L=1"))
output_weights_after_one_step = Claim(
    id="im2026.lemma-D.4.WO",
    source=source("App. D.1", "Lemma D.4, Eq. (30), (32)-(35)"),
    kind="identity",
    title=r"After one step $W_O=\eta\bar B$, weighted and centred next-token distributions.",
    statement=ForAll(j, 1, words, ForAll(k, 1, words, And((
        Compare(output_weight(j, k), "=", eta * bigram(j, k)),
        Compare(bigram(j, k), "=", pair_share(j, j, k) - share(j) / words),
    )))),
    domain=ANY_RATE,
    hypotheses=SETTING,
    printed=(
        r"W_O = \eta(\bar{B}), \quad B = \frac{1}{NT} \sum_{i=1}^N X_i^\top Y_i = \begin{bmatrix} "
        r"\alpha_1 P_1 \\ \alpha_2 P_2 \\ \vdots \\ \alpha_{|V|} P_{|V|} \end{bmatrix}, \quad \bar{B} = B - U"
    ),
    note=(
        r"$\alpha_jP_j$ is read as zero where token $j$ does not occur; frequencies are among the first $T$ "
        "tokens of each sequence."
    ),
)  # fmt: skip


def entries(name: str, steps: int, part: str) -> Any:
    """Entries of a weight matrix after some steps."""
    return family(
        rf"({name})_{{{{{{}}{{}}}}}}",
        lambda at, a, b: getattr(after(at, steps), part)[a - 1, b - 1],
    )


def position_weights(steps: int) -> Any:
    return family(r"P^{{(1)}}_{{{}}}", lambda at, a: after(at, steps).positions[a - 1])


def _by_score(at: Point, steps: int, sequence: int, a: int, b: int) -> Any:
    net, x = after(at, steps), first_tokens(at)[sequence]
    residual = next_tokens(at)[sequence] - output_of(net, x)
    return (residual * net.output.T * net.value.T * x.T)[a - 1, b - 1]


def carried_back(steps: int) -> Any:
    """What the residual says of attention, $(R_iW_O^\\top V^{(1)\\top}X_i^\\top)_{tn}$ after some steps."""
    return family(
        r"(R_{{{}}}W_O^\top V^{{(1)\top}}X^\top)_{{{}{}}}",
        lambda at, i, a, b: _by_score(at, steps, i, a, b),
    )


carried_0, carried_1 = carried_back(0), carried_back(1)
start_output = family(r"(W_O)_{{{}{}}}", lambda at, a, b: at_zero(at).output[a - 1, b - 1])
start_value = family(r"(V^{{(1)}})_{{{}{}}}", lambda at, a, b: at_zero(at).value[a - 1, b - 1])
attention_1, attention_2 = (entries("W^{{(1)}}", s, "attention") for s in (1, 2))
value_1 = entries("V^{{(1)}}", 1, "value")
positions_1, positions_2 = (position_weights(s) for s in (1, 2))


def all_zero(*matrices: Any, positions: Any) -> And:
    """Every entry of weight matrices and of position scores is zero."""
    square = tuple(Compare(w(j, k), "=", 0) for w in matrices)
    body = square[0] if len(square) == 1 else And(square)
    return And((
        ForAll(j, 1, words, ForAll(k, 1, words, body)), ForAll(m, 1, T, Compare(positions(m), "=", 0)),
    ))  # fmt: skip


other_weights_after_one_step = Claim(
    id="im2026.lemma-D.4.zero",
    source=source("App. D.1", "Lemma D.4, Eq. (31)"),
    kind="identity",
    title="After one step attention weights, position scores and values are still zero.",
    statement=all_zero(attention_1, value_1, positions=positions_1),
    domain=ANY_RATE,
    hypotheses=SETTING,
    printed=r"W^{(1)}, V^{(1)}, P^{(1)} = \mathbf{0}",
)

# The second step ----------------------------------------------------------------------------------

SECOND = Domain(
    (Size(N, 1, 2), Size(T, 1, 2), Size(words, 8, 9), Corpus(), Real(eta, 0, 1, open_low=True))
)
TWO_STEPS = (*SETTING, Hypothesis(r"\eta\le1,\ |\mathcal V|\ge8"))
attention_weights_after_two_steps = Claim(
    id="im2026.lemma-D.5.zero",
    source=source("App. D.1", "Lemma D.5, Eq. (38)"),
    kind="identity",
    title="After two steps attention weights and position scores are still zero.",
    statement=all_zero(attention_2, positions=positions_2),
    domain=SECOND,
    hypotheses=TWO_STEPS,
    printed=r"W^{(1)}, P^{(1)} = \mathbf{0}",
    note="For every learning rate and vocabulary: their gradient has $V^{(1)}$ as a factor.",
)


def logits_after_one(at: Point, sequence: int) -> Matrix:
    """F(X_i) after one step."""
    return logits_of(after(at, 1), first_tokens(at)[sequence])


def output_after_one(at: Point, sequence: int) -> Matrix:
    """S(F(X_i)) after one step."""
    return output_of(after(at, 1), first_tokens(at)[sequence])


logit = family(r"F(X_{{{}}})_{{{}{}}}", lambda at, s, a, b: logits_after_one(at, s)[a - 1, b - 1])
probability = family(
    r"\mathcal S(F(X_{{{}}}))_{{{}{}}}", lambda at, s, a, b: output_after_one(at, s)[a - 1, b - 1]
)
looked_up = family(
    r"(X_{{{}}}\bar B)_{{{}{}}}", lambda at, s, a, b: (first_tokens(at)[s] * bigram_map(at))[a - 1, b - 1]
)  # fmt: skip


def _spread(at: Point, sequence: int, row: int) -> Any:
    logits = logits_after_one(at, sequence).row(row - 1)
    return max(logits) - min(logits)


spread = family(r"\mathrm{{range}}(f_{{{},{}}})", _spread)
forward_pass_after_one_step = Claim(
    id="im2026.eq-40.forward",
    source=source("App. D.1", "proof of Lemma D.5, Eq. (40)"),
    kind="identity",
    title=r"After one step $F(X_i)=\eta X_i\bar B$, and logits of a token differ by at most $\eta$.",
    statement=ForAll(i, 0, N - 1, ForAll(t, 1, T, And((
        ForAll(k, 1, words, Compare(logit(i, t, k), "=", eta * looked_up(i, t, k))),
        Compare(spread(i, t), "<=", eta),
    )))),
    domain=SECOND,
    hypotheses=TWO_STEPS,
    uses=(output_weights_after_one_step, other_weights_after_one_step),
    printed=r"F_\theta(X_i) = \eta X_i \bar{B}, \quad \text{range}(f_{i,t}) \leq \eta \leq 1",
)  # fmt: skip


def _uniform(at: Point) -> Matrix:
    return uniform_output(int(at[T]), int(at[words]))


output_change = family(
    r"\|\mathcal S(F(X_{{{}}}))-U_O\|_F", lambda at, s: frobenius(output_after_one(at, s) - _uniform(at))
)  # fmt: skip
looked_up_norm = family(
    r"\|X_{{{}}}\bar B\|_F", lambda at, s: frobenius(first_tokens(at)[s] * bigram_map(at))
)


def _residual_change(at: Point, s: int) -> Decimal:
    y = next_tokens(at)[s]
    return frobenius((y - output_after_one(at, s)) - (y - _uniform(at)))


residual_change = family(r"\|R_{{{0}}}-(Y_{{{0}}}-U_O)\|_F", _residual_change)
_slope = exp(Integer(1)) * eta / words
outputs_are_near_uniform_after_one_step = Claim(
    id="im2026.eq-41.softmax-dev",
    source=source("App. D.1", "proof of Lemma D.5, Eq. (41), (42)"),
    kind="bound",
    title="After one step outputs are near uniform.",
    statement=ForAll(i, 0, N - 1, And((
        Compare(output_change(i), "<=", _slope * looked_up_norm(i)),
        Compare(_slope * looked_up_norm(i), "<=", _slope * sqrt(T)),
        Compare(residual_change(i), "<=", eta * sqrt(T / words)),
    ))),
    domain=SECOND,
    hypotheses=TWO_STEPS,
    uses=(forward_pass_after_one_step,),
    printed=(
        r"\|\mathcal{S}(F_\theta(X_i)) - U_O\|_F \leq \frac{e}{|V|} \|F_\theta(X_i)\|_F = "
        r"\frac{e\eta}{|V|} \|X_i \bar{B}\|_F \leq "
        r"\frac{e\eta\sqrt{T}}{|V|}. \quad \|R_i - (Y_i - U_O)\|_F \leq "
        r"\frac{\eta\sqrt{T}}{\sqrt{|V|}}"
    ),
    note=(
        r"The first two links are one here: that $F_\theta(X_i)=\eta X_i\bar B$ is `im2026.eq-40.forward`. "
        r"The last bound needs $e\le\sqrt{|\mathcal V|}$, which holds from $|\mathcal V|=8$ on."
    ),
)  # fmt: skip

output_gradient = Quantity(
    r"\|\frac{\partial\mathcal L}{\partial W_O}+\bar B\|_F",
    lambda at: frobenius(gradient(at, after(at, 1)).output + bigram_map(at)),
)
gradient_of_output_weights_at_the_second_step = Claim(
    id="im2026.eq-43.gradWO",
    source=source("App. D.1", "proof of Lemma D.5, Eq. (43)"),
    kind="bound",
    title=r"At the second step the gradient of $W_O$ is still near $-\bar B$.",
    statement=Compare(output_gradient, "<=", eta / sqrt(words)),
    domain=SECOND,
    hypotheses=TWO_STEPS,
    uses=(outputs_are_near_uniform_after_one_step,),
    printed=(
        r"\left\| \frac{\partial \mathcal{L}}{\partial W_O} + \bar{B} \right\|_F \leq \frac{1}{NT} "
        r"\sum_{i=1}^N \frac{\eta T}{\sqrt{|V|}} = \frac{\eta}{\sqrt{|V|}}"
    ),
)
output_error = Quantity(
    r"\|W_O-2\eta\bar B\|_F",
    lambda at: frobenius(after(at, 2).output - 2 * at[eta] * bigram_map(at)),
)
output_weights_after_two_steps = Claim(
    id="im2026.lemma-D.5.WO",
    source=source("App. D.1", "Lemma D.5, Eq. (36), (44)"),
    kind="bound",
    title=r"After two steps $W_O\approx2\eta\bar B$.",
    statement=Compare(output_error, "<=", eta**2 / sqrt(words)),
    domain=SECOND,
    hypotheses=TWO_STEPS,
    uses=(gradient_of_output_weights_at_the_second_step,),
    printed=r"\|W_O - 2\eta\bar{B}\|_F \leq \frac{\eta^2}{\sqrt{|V|}}",
)


def _value_leading(at: Point) -> Matrix:
    return context_map(at).T * bigram_map(at).T


def _sample_gradient(at: Point, s: int) -> Decimal:
    x, mixing = first_tokens(at)[s], attention_of(after(at, 1), first_tokens(at)[s])
    change = output_after_one(at, s) - _uniform(at)
    return frobenius(at[eta] * x.T * mixing.T * change * bigram_map(at).T)


mixing_norm = Symbol(r"\|A_0\|", nonnegative=True)
sample_gradient = family(
    r"\|\eta X_{{{0}}}^\top A_0^\top(\mathcal S(F(X_{{{0}}}))-U_O)\bar B^\top\|_F", _sample_gradient
)
value_gradient = Quantity(
    r"\|\frac{\partial\mathcal L}{\partial V^{(1)}}+\eta\bar\Phi^\top\bar B^\top\|_F",
    lambda at: frobenius(gradient(at, after(at, 1)).value + at[eta] * _value_leading(at)),
)
gradient_of_values_at_the_second_step = Claim(
    id="im2026.eq-46.gradV",
    source=source("App. D.1", "proof of Lemma D.5, Eq. (46), (47)"),
    kind="bound",
    title=r"At the second step the gradient of $V^{(1)}$ is near $-\eta\bar\Phi^\top\bar B^\top$.",
    statement=ForAll(i, 0, N - 1, Compare(sample_gradient(i), "<=", eta**2 * T * mixing_norm / sqrt(words)))
    & Compare(value_gradient, "<=", 2 * eta**2 / sqrt(words)),
    domain=Domain((*SECOND.variables, Real(mixing_norm, 1, 2))),
    hypotheses=(*TWO_STEPS, Hypothesis(r"1\le\|A_0\|\le2\ \text{(the ones are a fixed vector of}\ A_0)")),
    uses=(outputs_are_near_uniform_after_one_step,),
    printed=(
        r"\|\eta X_i^\top A_0^\top (Y_i - \mathcal{S}(F_\theta(X_i))) \bar{B}^\top - \eta X_i^\top "
        r"A_0^\top (Y_i - U_O) \bar{B}^\top\|_F \leq \frac{\eta^2 T}{\sqrt{|V|}} \|A_0\|, \quad "
        r"\left\| \frac{\partial \mathcal{L}}{\partial V^{(1)}} + \frac{1}{NT} \sum_{i=1}^N \eta "
        r"X_i^\top A_0^\top (Y_i - U_O) \bar{B}^\top \right\|_F \leq \frac{2\eta^2}{\sqrt{|V|}}"
    ),
    note=(
        r"Rows of $A_0X_i$ are probabilities, of norm at most one: neither factor, $\|A_0\|$ or 2, is needed."
    ),
)  # fmt: skip
value_error = Quantity(
    r"\|V^{(1)}-\eta^2\bar\Phi^\top\bar B^\top\|_F",
    lambda at: frobenius(after(at, 2).value - at[eta] ** 2 * _value_leading(at)),
)
_values = r"After two steps $V^{(1)}\approx\eta^2\bar\Phi^\top\bar B^\top$"
values_after_two_steps = Claim(
    id="im2026.lemma-D.5.V",
    source=source("App. D.1", "Lemma D.5, Eq. (37), (60)-(62)"),
    kind="bound",
    title=f"{_values}.",
    statement=Compare(value_error, "<=", 2 * eta**3 / sqrt(words)),
    domain=SECOND,
    hypotheses=TWO_STEPS,
    uses=(gradient_of_values_at_the_second_step,),
    printed=(
        r"\|V^{(1)} - \eta^2 \bar{\Phi}^\top \bar{B}^\top\|_F \leq \frac{2\eta^3}{\sqrt{|V|}}"
    ),
)
two_steps_with_the_vocabulary_itself = Claim(
    id="im2026.beyond.two-steps",
    source=source("App. D.1", "Lemma D.5"),
    kind="bound",
    title=r"Errors after two steps fall like $1/|\mathcal V|$, for every rate and vocabulary.",
    statement=Compare(output_error, "<=", exp(eta) * eta**2 / words)
    & Compare(value_error, "<=", exp(eta) * eta**3 / words),
    domain=ANY_RATE,
    hypotheses=SETTING,
    note=(
        r"Logits of a token differ by at most $\eta$, so that Lemma D.2 serves with $r=\eta$; the proof of "
        r"Lemma D.5 gives up $e/\sqrt{|\mathcal V|}$ of it."
    ),
)

output_after_two = family(r"(W_O)_{{{}{}}}", lambda at, a, b: after(at, 2).output[a - 1, b - 1])


def _frequent(at: Point, a: int, b: int) -> Any:
    inputs = first_tokens(at)
    weights = sum((x.T * x for x in inputs[1:]), start=inputs[0].T * inputs[0])
    return (weights * bigram_map(at))[a - 1, b - 1] / (at[N] * at[T])


frequent = family(
    r"\bigl(\tfrac1{{NT}}\textstyle\sum_iX_i^\top X_i\bar B\bigr)_{{{}{}}}", _frequent
)
_second = output_after_two(j, k) - 2 * eta * bigram(j, k) + eta**2 / words * frequent(j, k)
second_order_of_the_output_weights = Claim(
    id="im2026.beyond.second-order",
    source=source("App. D.1", "Lemma D.5, Eq. (36)"),
    kind="bound",
    title=(
        r"After two steps $W_O=2\eta\bar B-\frac{\eta^2}{|\mathcal V|}\mathrm{Diag}(\alpha)\bar B$ up to "
        r"$3\eta^3/|\mathcal V|$."
    ),
    statement=ForAll(j, 1, words, ForAll(k, 1, words, Compare(
        Abs(_second), "<=", 3 * eta**3 / words * share(j)
    ))),
    domain=Domain((*CORPORA.variables, Real(eta, 0, Rational(1, 2), open_low=True))),
    hypotheses=(*SETTING, Hypothesis(r"\eta\le\tfrac12")),
    note=(
        r"$\frac1{NT}\sum_iX_i^\top X_i=\mathrm{Diag}(\alpha)$: rows of frequent tokens fall behind. So the "
        r"error of Lemma D.5 has no bound of smaller order than $\eta^2/|\mathcal V|$ that holds for every "
        r"text: one of a single word has $\|\mathrm{Diag}(\alpha)\bar B\|_F$ near one."
    ),
)  # fmt: skip
