r"""Weights after the second step from zero: gradients are means of products of two vectors."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, Sum, exp, sqrt, symbols

from claims.im2026 import first_steps as claims
from claims.im2026 import second_step
from claims.im2026.first_steps import ANY_RATE, bigram, probability
from claims.im2026.notation import N, T, eta, words
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import algebra, at_places, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ
from proofs.im2026.corpus_norms import (
    i,
    j,
    k,
    mean_of_products,
    nest,
    prefix_is_short,
    prefix_share,
    squares,
    t,
    token,
)
from proofs.im2026.first_steps import (
    E1,
    ENTRY,
    NEXT,
    PAIR,
    PLACE,
    S,
    at_sample,
    below_the_root,
    bigram_norm,
    change,
    for_entries,
    h,
    l,
    looked_up_rows,
    mean,
    one_hot_is_short,
    outputs_are_close,
    slope,
    weights_are_bigrams,
)
from proofs.kernel import (
    Theorem,
    both,
    cut,
    fact,
    generalise,
    joint,
    substitute,
    sum_rearranged,
    unfold,
)
from proofs.registry import proves

# The gradient of the values -----------------------------------------------------------------------


def residual_after(column: Any) -> Expr:
    """$Y-\\mathcal S(F)$ at sequence i and token t."""
    return token(i, t + 1, column) - probability(i - 1, t, column)


def mean_with(weight: Any) -> Expr:
    """Minus the mean of prefix shares times what the residual says of a row of weights."""
    row = Sum(residual_after(l) * weight(k, l), (l, 1, words))
    return -mean(prefix_share(j) * row)


@proves(second_step.gradient_of_values_with_the_exact_softmax)
def by_the_output_weights(claim: Claim) -> Certificate:
    """Eq. (19), with $W_O=\\eta\\bar B$ after one step."""
    own = at_places(for_entries(weights_are_bigrams()), k, l)
    one, two = residual_after(l) * claims.output_weight(k, l), residual_after(l) * bigram(k, l)
    inner = summed_over(joint(Compare(one, "=", eta * two), own), (l, words))
    pulled = sum_rearranged(inner.formula.right, eta * Sum(two, (l, 1, words)))
    a, b, c, q = symbols("a b c q", real=True)
    terms = {
        a: inner.formula.left,
        b: inner.formula.right,
        c: Sum(two, (l, 1, words)),
        q: prefix_share(j),
    }
    given = (Compare(a, "=", b), Compare(b, "=", eta * c))
    row = algebra(Compare(q * a, "=", eta * (q * c)), given, terms, inner, pulled)
    total = summed_over(row, S, PLACE)
    whole = sum_rearranged(total.formula.right, eta * nest(prefix_share(j) * terms[c], S, PLACE))
    goal = Compare(second_step.value_slope(j, k), "=", second_step.displayed(j, k))
    read = unfold(second_step.value_slope(j, k), mean_with(claims.output_weight), ANY_RATE, ENTRY)
    shown = unfold(second_step.displayed(j, k), eta * mean_with(bigram), ANY_RATE, ENTRY)
    theorem = for_entries(joint(goal, read, shown, total, whole))
    return conclude(claim, theorem, method="the output matrix after one step")


# Gradients at the second step ---------------------------------------------------------------------


@cache
def mean_change(bound: Any) -> Theorem:
    """The mean over sequences and tokens of $\\sum_k(p_k-1/|V|)^2$ is at most $(e^r\\eta/|V|)^2$."""
    rows, short = outputs_are_close(bound), looked_up_rows()
    a, b, f = symbols("a b f", real=True)
    terms = {a: rows.formula.left, b: short.formula.left, f: exp(bound) * eta / words}
    given = (Compare(a, "<=", f**2 * b), Compare(b, "<=", 1))
    each = algebra(Compare(a, "<=", f**2), given, terms, rows, short)
    total = summed_over(each, S, PLACE)
    whole = sum_rearranged(total.formula.right, N * T * each.formula.right)
    return joint(Compare(total.formula.left / (N * T), "<=", each.formula.right), total, whole)


@cache
def output_gradient_square(bound: Any) -> Theorem:
    """$\\|\\partial L/\\partial W_O+\\bar B\\|_F^2\\le(e^r\\eta/|V|)^2$."""
    own = lambda column: token(i, t, column)  # noqa: E731
    found = mean_of_products(own, change, one_hot_is_short())
    return joint(
        Compare(found.formula.left, "<=", mean_change(bound).formula.right),
        found,
        mean_change(bound),
    )


OUTPUT = mean(token(i, t, j) * change(k))


def root_of(left: Theorem, base: Expr, factor: Any, sign: Theorem) -> Theorem:
    """$\\sqrt{\\sum a_{jk}^2}\\le c$ from $\\sum a_{jk}^2\\le c^2$."""
    a, c = symbols("a c", real=True)
    given = (Compare(a, "<=", c**2), Compare(a, ">=", 0), Compare(c, ">=", 0))
    terms = {a: nest(base**2, *PAIR), c: factor}
    return algebra(Compare(sqrt(a), "<=", c), given, terms, left, squares(base, *PAIR), sign)


def times_rate(found: Theorem, base: Expr) -> Theorem:
    """$\\sum(\\eta a_{jk})^2=\\eta^2\\sum a_{jk}^2$, bounded accordingly."""
    pulled = sum_rearranged(nest((eta * base) ** 2, *PAIR), eta**2 * nest(base**2, *PAIR))
    a, b = symbols("a b", real=True)
    scaled = joint(Compare(eta**2 * a, "<=", eta**2 * b), given=(Compare(a, "<=", b),))
    scaled = cut(substitute(scaled, {a: found.formula.left, b: found.formula.right}), found)
    return joint(Compare(pulled.formula.left, "<=", eta**2 * found.formula.right), pulled, scaled)


def output_bounds(bound: Any) -> tuple[Theorem, Theorem]:
    """Both errors of W_O by $e^r\\eta/|V|$ and by $\\eta$ times that."""
    found, factor = output_gradient_square(bound), exp(bound) * eta / words
    sign = slope(bound)
    first = root_of(found, OUTPUT, factor, sign)
    scaled = joint(Compare(eta * factor, ">=", 0), sign)
    second = root_of(times_rate(found, OUTPUT), eta * OUTPUT, eta * factor, scaled)
    gradient = unfold(claims.output_gradient, sqrt(nest(OUTPUT**2, *PAIR)), ANY_RATE)
    error = unfold(claims.output_error, sqrt(nest((eta * OUTPUT) ** 2, *PAIR)), ANY_RATE)
    return (
        joint(Compare(claims.output_gradient, "<=", factor), first, gradient),
        joint(Compare(claims.output_error, "<=", eta * factor), second, error),
    )


SECOND_STEP = "mean of products of two vectors"


@proves(claims.gradient_of_output_weights_at_the_second_step)
def by_the_mean_over_tokens(claim: Claim) -> Certificate:
    """The gradient's change is a mean of products of one-hot vectors and changes of outputs."""
    found, _ = output_bounds(Integer(1))
    theorem = joint(
        Compare(claims.output_gradient, "<=", eta / sqrt(words)), found, below_the_root()
    )
    return conclude(claim, theorem, method=SECOND_STEP)


@proves(claims.output_weights_after_two_steps)
def by_two_gradients(claim: Claim) -> Certificate:
    """The error is the rate times the change of the gradient."""
    _, found = output_bounds(Integer(1))
    a, b = symbols("a b", real=True)
    scaled = joint(Compare(eta * a, "<=", eta * b), given=(Compare(a, "<=", b),))
    scaled = cut(substitute(scaled, {a: E1 * eta / words, b: eta / sqrt(words)}), below_the_root())
    theorem = joint(Compare(claims.output_error, "<=", eta**2 / sqrt(words)), found, scaled)
    return conclude(claim, theorem, method=SECOND_STEP)


# Values at the second step ------------------------------------------------------------------------


def carried(column: Any) -> Expr:
    """$\\bar B(\\mathcal S(F)-U_O)$ at sequence i and token t."""
    return Sum(bigram(column, l) * change(l), (l, 1, words))


@cache
def carried_is_short() -> Theorem:
    """$\\|\\bar B(p-u)\\|^2\\le\\|p-u\\|^2$, since $\\|\\bar B\\|_F\\le1$."""
    product = fact(CAUCHY_SCHWARZ, a=bigram(k, l), b=change(l), k=l, low=1, high=words)
    total = summed_over(product, NEXT)
    row, size = Sum(bigram(k, l) ** 2, (l, 1, words)), Sum(change(l) ** 2, (l, 1, words))
    pulled = sum_rearranged(total.formula.right, size * Sum(row, (k, 1, words)))
    a, b = symbols("a b", real=True)
    less = joint(Compare(a * b, "<=", b), given=(Compare(a, "<=", 1), Compare(b, ">=", 0)))
    terms = {a: Sum(row, (k, 1, words)), b: size}
    less = cut(substitute(less, terms), bigram_norm(), squares(change(l), (l, words)))
    return joint(Compare(total.formula.left, "<=", size), total, pulled, less)


VALUE = mean(prefix_share(j) * carried(k))
SAMPLE = Sum(prefix_share(j) * carried(k), (t, 1, T)) / T


@cache
def value_gradient_square(bound: Any) -> Theorem:
    """The mean of $q(\\bar B(p-u))^\\top$ has squared norm at most $(e^r\\eta/|V|)^2$."""
    found = mean_of_products(prefix_share, carried, prefix_is_short())
    shorter = summed_over(carried_is_short(), S, PLACE)
    a, b = shorter.formula.left, shorter.formula.right
    less = joint(Compare(a / (N * T), "<=", b / (N * T)), shorter)
    return joint(
        Compare(found.formula.left, "<=", mean_change(bound).formula.right),
        found,
        less,
        mean_change(bound),
    )


def value_bounds(bound: Any) -> tuple[Theorem, Theorem]:
    """Both errors of the values, by $e^r\\eta^2/|V|$ and by $\\eta$ times that."""
    found, factor, sign = value_gradient_square(bound), exp(bound) * eta / words, slope(bound)
    once, once_bound = eta * VALUE, times_rate(found, VALUE)
    scaled = joint(Compare(eta * factor, ">=", 0), sign)
    twice = joint(Compare(eta**2 * factor, ">=", 0), sign)
    first = root_of(once_bound, once, eta * factor, scaled)
    second = root_of(times_rate(once_bound, once), eta * once, eta**2 * factor, twice)
    gradient = unfold(claims.value_gradient, sqrt(nest(once**2, *PAIR)), ANY_RATE)
    error = unfold(claims.value_error, sqrt(nest((eta * once) ** 2, *PAIR)), ANY_RATE)
    return (
        joint(Compare(claims.value_gradient, "<=", eta * factor), first, gradient),
        joint(Compare(claims.value_error, "<=", eta**2 * factor), second, error),
    )


def with_the_root(found: Theorem, left: Any, power: int, times: Any = 1) -> Theorem:
    """The bound with $\\eta/\\sqrt{|V|}$ for $e\\eta/|V|$, and a factor of at least one."""
    a, b, c = symbols("a b c", real=True)
    given = (Compare(a, "<=", eta**power * b), Compare(b, "<=", c), Compare(c, ">=", 0))
    goal = Compare(a, "<=", times * eta**power * c)
    terms = {a: left, b: E1 * eta / words, c: eta / sqrt(words)}
    sign = joint(Compare(eta / sqrt(words), ">=", 0))
    return algebra(goal, given, terms, found, below_the_root(), sign)


@cache
def sample_bound() -> Theorem:
    """The squared norm of the mean over t of $q_t(\\bar B(p_t-u))^\\top$ is at most $(e\\eta/|V|)^2$."""
    found = mean_of_products(prefix_share, carried, prefix_is_short(), (PLACE,))
    shorter = summed_over(carried_is_short(), PLACE)
    rows, short = outputs_are_close(Integer(1)), looked_up_rows()
    a, b, f = symbols("a b f", real=True)
    terms = {a: rows.formula.left, b: short.formula.left, f: E1 * eta / words}
    given = (Compare(a, "<=", f**2 * b), Compare(b, "<=", 1))
    each = algebra(Compare(a, "<=", f**2), given, terms, rows, short)
    total = summed_over(each, PLACE)
    whole = sum_rearranged(total.formula.right, T * each.formula.right)
    below = joint(Compare(found.formula.right, "<=", each.formula.right), shorter, total, whole)
    return joint(Compare(found.formula.left, "<=", each.formula.right), found, below)


@proves(claims.gradient_of_values_at_the_second_step)
def by_prefixes(claim: Claim) -> Certificate:
    """Rows of $A_0X_i$ are probabilities, and $\\bar B$ does not stretch what it carries."""
    gradient, _ = value_bounds(Integer(1))
    second = with_the_root(gradient, claims.value_gradient, 1, 2)
    sample = at_sample(root_of(sample_bound(), SAMPLE, E1 * eta / words, slope(Integer(1))))
    shown = sample.formula.left
    term = eta * T * shown
    read = unfold(claims.sample_gradient(h), term, ANY_RATE, ((h, 0, N - 1),))
    a, b, c, g = symbols("a b c g", real=True)
    size = claims.mixing_norm
    given = (
        Compare(a, "=", eta * T * g), Compare(g, "<=", b), Compare(b, "<=", c), Compare(c, ">=", 0),
        Compare(size, ">=", 1),
    )  # fmt: skip
    goal = Compare(a, "<=", eta * T * size * c)
    first = algebra(
        goal,
        given,
        {a: claims.sample_gradient(h), g: shown, b: E1 * eta / words, c: eta / sqrt(words)},
        read,
        sample,
        below_the_root(),
        joint(Compare(eta / sqrt(words), ">=", 0)),
    )
    first = joint(Compare(claims.sample_gradient(h), "<=", eta**2 * T * size / sqrt(words)), first)
    theorem = both(generalise(first, h, 0, N - 1), second)
    return conclude(claim, theorem, method=SECOND_STEP)


@proves(claims.values_after_two_steps)
def by_the_gradient_of_the_values(claim: Claim) -> Certificate:
    """Values are zero after one step, so that the error is the rate times the change of the gradient."""
    _, found = value_bounds(Integer(1))
    theorem = with_the_root(found, claims.value_error, 2, 2)
    return conclude(claim, theorem, method=SECOND_STEP)


@proves(claims.two_steps_with_the_vocabulary_itself)
def by_the_range_of_logits(claim: Claim) -> Certificate:
    """Lemma D.2 with $r=\\eta$."""
    (_, output), (_, value) = output_bounds(eta), value_bounds(eta)
    theorem = both(
        joint(Compare(claims.output_error, "<=", exp(eta) * eta**2 / words), output),
        joint(Compare(claims.value_error, "<=", exp(eta) * eta**3 / words), value),
    )
    return conclude(claim, theorem, method=SECOND_STEP)
