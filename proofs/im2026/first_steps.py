r"""The first two steps from zero, entry by entry: for all sizes and every corpus.

Rows of outputs after one step are near uniform by the bound of `near_uniform`, rows of $\bar B$ have
norm at most one, and gradients are means over sequences and tokens of products of two vectors.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, Sum, Symbol, exp, sqrt, symbols

from claims.im2026 import first_steps as claims
from claims.im2026.corpora import CORPORA
from claims.im2026.first_steps import ANY_RATE, bigram, logit, looked_up, probability
from claims.im2026.notation import N, T, eta, words
from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.terms import MaxOver, MinOver
from proofs.calculation import algebra, at_places, linked
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ, EXP_ABOVE_TANGENT, FUBINI, JENSEN
from proofs.im2026.corpus_norms import (
    SEQUENCES,
    SIGN,
    SQUARE,
    TOTAL,
    at_sequence,
    first_residual_row,
    i,
    j,
    k,
    known,
    m,
    mean_of_products,
    nest,
    prefix_is_short,
    prefix_share,
    squares,
    summed,
    t,
    token,
)
from proofs.im2026.near_uniform import Logits, n, r, v
from proofs.kernel import (
    Theorem,
    assume,
    both,
    compute,
    cut,
    extremum_compared,
    fact,
    generalise,
    instance,
    joint,
    part,
    substitute,
    sum_at_least_term,
    sum_rearranged,
    unfold,
)
from proofs.registry import proves

S, WORD, NEXT, PLACE = (i, N), (j, words), (k, words), (t, T)
l = Symbol("l", integer=True, positive=True)  # noqa: E741
h = claims.i
"""A sequence, from zero."""
ROW = ((h, 0, N - 1), (t, 1, T), (k, 1, words))
ENTRY = ((j, 1, words), (k, 1, words))


def for_entries(theorem: Theorem) -> Theorem:
    """For all words j and k."""
    return generalise(generalise(theorem, k, 1, words), j, 1, words)


def mean(term: Expr) -> Expr:
    """Over sequences and tokens."""
    return nest(term, S, PLACE) / (N * T)


def residual(column: Any) -> Expr:
    """$Y-U_O$ at sequence i and token t."""
    return token(i, t + 1, column) - 1 / words


# The first step -----------------------------------------------------------------------------------


def bigram_entry() -> Theorem:
    """$\\bar B_{jk}$ as a mean."""
    return unfold(bigram(j, k), mean(token(i, t, j) * residual(k)), CORPORA, ENTRY)


@proves(claims.output_weights_after_one_step)
def by_uniform_output(claim: Claim) -> Certificate:
    """The gradient at zero is a sum over the tokens, counted by words."""
    own, following = token(i, t, j), token(i, t + 1, k)
    step = unfold(claims.output_weight(j, k), eta * mean(own * residual(k)), ANY_RATE, ENTRY)
    first = joint(Compare(claims.output_weight(j, k), "=", eta * bigram(j, k)), step, bigram_entry())
    pairs = unfold(claims.pair_share(j, j, k), mean(own * following), ANY_RATE, ENTRY)
    share = unfold(claims.share(j), mean(own), ANY_RATE, ENTRY[:1])
    goal = Compare(bigram(j, k), "=", claims.pair_share(j, j, k) - claims.share(j) / words)
    second = linked(goal, bigram_entry(), pairs, share)
    theorem = for_entries(both(first, second))
    return conclude(claim, theorem, method="the gradient at zero", scope=SEQUENCES)


def zeros(positions: Any, *matrices: Any) -> Theorem:
    """Weight matrices and position scores whose gradient has a factor that is zero."""
    entries = [unfold(w(j, k), Integer(0), ANY_RATE, ENTRY) for w in matrices]
    square = for_entries(both(*entries) if len(entries) > 1 else entries[0])
    scores = unfold(positions(m), Integer(0), ANY_RATE, ((m, 1, T),))
    return both(square, generalise(scores, m, 1, T))


@proves(claims.other_weights_after_one_step)
def by_a_factor_that_is_zero(claim: Claim) -> Certificate:
    """Their gradients have $W_O=0$ as a factor."""
    theorem = zeros(claims.positions_1, claims.attention_1, claims.value_1)
    return conclude(claim, theorem, method="the gradient at zero", scope=SEQUENCES)


@proves(claims.attention_weights_after_two_steps)
def by_values_that_are_zero(claim: Claim) -> Certificate:
    """Their gradients have $V^{(1)}=0$ as a factor."""
    theorem = zeros(claims.positions_2, claims.attention_2)
    return conclude(claim, theorem, method="the gradient after one step", scope=SEQUENCES)


# The forward pass after one step ------------------------------------------------------------------


@cache
def lookup() -> Theorem:
    """$(X_i\\bar B)_{tk}=\\sum_jX_{tj}\\bar B_{jk}$."""
    return unfold(looked_up(h, t, k), Sum(token(h + 1, t, j) * bigram(j, k), (j, 1, words)), ANY_RATE, ROW)


@cache
def forward() -> Theorem:
    """$F(X_i)_{tk}=\\eta(X_i\\bar B)_{tk}$."""
    term = eta * Sum(token(h + 1, t, j) * bigram(j, k), (j, 1, words))
    read = unfold(logit(h, t, k), term, ANY_RATE, ROW)
    return joint(Compare(logit(h, t, k), "=", eta * looked_up(h, t, k)), read, lookup())


def everywhere(theorem: Theorem) -> Theorem:
    """For all sequences, tokens and words k."""
    return generalise(generalise(generalise(theorem, k, 1, words), t, 1, T), h, 0, N - 1)


def here(theorem: Theorem, column: Any = k) -> Theorem:
    """At sequence i (from one), token t and a word."""
    return at_sequence(everywhere(theorem), i, t, column)


@cache
def entries_are_close() -> Theorem:
    """$\\bar B_{jk}-\\bar B_{jl}\\le1$."""
    own, one, other = token(i, t, j), token(i, t + 1, k), token(i, t + 1, l)
    facts = [at_sequence(assume(f), i, row, c) for f in (SQUARE, SIGN) for row, c in ((t, j), (t + 1, k), (t + 1, l))]
    a, b, c = symbols("a b c", real=True)
    given = [f for x in (a, b, c) for f in (Compare(x**2, "=", x), Compare(x, ">=", 0))]
    each = algebra(Compare(a * b - a * c, "<=", 1), given, {a: own, b: one, c: other}, *facts)
    total = summed(each, S, PLACE)
    first = bigram_entry()
    second = at_places(for_entries(first), j, l)
    gap = linked(
        Compare(mean(own * residual(k)) - mean(own * residual(l)), "<=", 1), total
    )
    return joint(Compare(bigram(j, k) - bigram(j, l), "<=", 1), first, second, gap)


def rows_are_close() -> Theorem:
    """$F(X_i)_{tk}-F(X_i)_{tl}\\le\\eta$."""
    x = token(h + 1, t, j)
    sign, whole = at_sequence(assume(SIGN), h + 1, t, j), at_sequence(assume(TOTAL), h + 1, t)
    w, b, c = symbols("w b c", real=True)
    given = (Compare(b - c, "<=", 1), Compare(w, ">=", 0))
    terms = {w: x, b: bigram(j, k), c: bigram(j, l)}
    each = algebra(Compare(w * b - w * c, "<=", w), given, terms, entries_are_close(), sign)
    total = linked(
        Compare(lookup().formula.right - lookup().formula.right.subs(k, l), "<=", 1),
        summed(each, WORD), whole,
    )  # fmt: skip
    other = at_places(everywhere(lookup()), h, t, l)
    gap = joint(Compare(looked_up(h, t, k) - looked_up(h, t, l), "<=", 1), total, lookup(), other)
    own, others = forward(), at_places(everywhere(forward()), h, t, l)
    return joint(Compare(logit(h, t, k) - logit(h, t, l), "<=", eta), gap, own, others)


@proves(claims.forward_pass_after_one_step)
def by_looking_up(claim: Claim) -> Certificate:
    """Values are zero, so that logits are rows of W_O; entries of a row of B differ by at most one."""
    top, low = (kind(logit(h, t, k), (k, 1, words)) for kind in (MaxOver, MinOver))
    below = joint(Compare(logit(h, t, k), "<=", logit(h, t, l) + eta), rows_are_close())
    below = extremum_compared(generalise(below, k, 1, words), MaxOver)
    above = joint(Compare(logit(h, t, l), ">=", top - eta), below)
    above = extremum_compared(generalise(above, l, 1, words), MinOver)
    read = unfold(claims.spread(h, t), top - low, ANY_RATE, ROW[:2])
    close = joint(Compare(claims.spread(h, t), "<=", eta), above, read)
    rows = both(generalise(forward(), k, 1, words), close)
    theorem = generalise(generalise(rows, t, 1, T), h, 0, N - 1)
    return conclude(claim, theorem, method="entries of the bigram map", scope=SEQUENCES)


# Outputs after one step ---------------------------------------------------------------------------


def bigram_rows() -> Theorem:
    """$\\sum_k\\bar B_{jk}^2\\le1$ for every word j."""
    square = Sum(bigram(j, k) ** 2, (k, 1, words))
    sign = generalise(squares(bigram(j, k), NEXT), j, 1, words)
    return joint(Compare(square, "<=", 1), bigram_norm(), sum_at_least_term(sign, j))


@cache
def bigram_norm() -> Theorem:
    """$\\|\\bar B\\|_F\\le1$: a mean of products of one-hot vectors and centred ones."""
    own = lambda column: token(i, t, column)  # noqa: E731
    found = mean_of_products(own, residual, one_hot_is_short())
    _, short = first_residual_row(i)
    total = linked(Compare(found.formula.right, "<=", 1), summed(short, S, PLACE))
    entry, means = bigram_entry(), mean(own(j) * residual(k))
    each = joint(Compare(bigram(j, k) ** 2, "=", means**2), entry)
    return joint(Compare(nest(bigram(j, k) ** 2, *PAIR), "<=", 1), summed(each, *PAIR), found, total)


PAIR = (WORD, NEXT)


def one_hot_is_short() -> Theorem:
    """$\\sum_jX_{tj}^2\\le1$."""
    square, whole = known(SQUARE, i, t, j), known(TOTAL, i, t)
    own = Sum(token(i, t, j) ** 2, (j, 1, words))
    return linked(Compare(own, "<=", 1), summed(square, WORD), whole)


@cache
def looked_up_rows() -> Theorem:
    """$\\sum_k(X_i\\bar B)_{tk}^2\\le1$ at sequence i and token t."""
    x = token(i, t, j)
    signs = generalise(known(SIGN, i, t, j), j, 1, words)
    jensen = fact(JENSEN, w=x, x=bigram(j, k), k=j, low=1, high=words)
    mixed = cut(jensen, signs, known(TOTAL, i, t))
    total = summed(mixed, NEXT)
    moved = fact(FUBINI, a=x * bigram(j, k) ** 2, j=k, k=j, rows=words, columns=words)
    row = Sum(bigram(j, k) ** 2, (k, 1, words))
    w, b = symbols("w b", real=True)
    product = joint(Compare(w * b, "<=", w), given=(Compare(b, "<=", 1), Compare(w, ">=", 0)))
    product = cut(substitute(product, {w: x, b: row}), bigram_rows(), known(SIGN, i, t, j))
    pulled = sum_rearranged(Sum(x * bigram(j, k) ** 2, (k, 1, words)), x * row)
    each = joint(Compare(pulled.formula.left, "<=", x), pulled, product)
    own = joint(Compare(looked_up(i - 1, t, k) ** 2, "=", here(lookup()).formula.right ** 2), here(lookup()))
    goal = Compare(Sum(looked_up(i - 1, t, k) ** 2, (k, 1, words)), "<=", 1)
    return joint(goal, summed(own, NEXT), total, moved, summed(each, WORD), known(TOTAL, i, t))


def change(column: Any) -> Expr:
    """$\\mathcal S(F)-U_O$ at sequence i and token t."""
    return probability(i - 1, t, column) - 1 / words


@cache
def outputs_are_close(bound: Any) -> Theorem:
    """$\\sum_k(p_k-1/|V|)^2\\le(e^r\\eta/|V|)^2\\sum_k(X_i\\bar B)_{tk}^2$ for $\\eta\\le r$, at sequence i, token t."""
    z = Logits(lambda column: logit(i - 1, t, column), words, k)
    a, b = Symbol("a", integer=True), Symbol("b", integer=True)
    close = ForAll(a, 1, words, ForAll(b, 1, words, Compare(z.logit(a) - z.logit(b), "<=", eta)))
    one = summed(at_places(assume(close), n, l), (l, words))
    average = linked(Compare(z.logit(n), "<=", v + eta), one, given=(z.is_mean,))
    gap = joint(Compare(z.logit(n), "<=", v + r), average, given=(Compare(eta, "<=", r),))
    found = z.squares(exp(r), z.growth(gap), fact(EXP_ABOVE_TANGENT, x=r))
    found = substitute(found, {r: bound})
    ranges = at_sequence(everywhere(generalise(rows_are_close(), l, 1, words)), i, t)
    found = cut(found, ranges)
    term = exp(logit(h, t, k)) / Sum(exp(logit(h, t, l)), (l, 1, words))
    read = here(unfold(probability(h, t, k), term, ANY_RATE, ROW))
    same = joint(Compare(change(k) ** 2, "=", (z.share - 1 / words) ** 2), read)
    own = joint(Compare(z.logit(k) ** 2, "=", eta**2 * looked_up(i - 1, t, k) ** 2), here(forward()))
    left, right = Sum(change(k) ** 2, (k, 1, words)), Sum(looked_up(i - 1, t, k) ** 2, (k, 1, words))
    logits = linked(Compare(z.total(z.logit(k) ** 2), "=", eta**2 * right), summed(own, NEXT))
    factor = exp(bound) / words
    f, a, b, c = symbols("f a b c", real=True)
    goal = Compare(a, "<=", (f * eta) ** 2 * b)
    given = (Compare(a, "<=", f**2 * c), Compare(c, "=", eta**2 * b))
    terms = {a: left, b: right, c: logits.formula.left, f: factor}
    total = joint(Compare(left, "<=", found.formula.right), summed(same, NEXT), found)
    return algebra(goal, given, terms, total, logits)


E1 = exp(Integer(1))
LARGE = Compare(words, ">=", 8)


def rooted(left: Expr, factor: Any, right: Any, *theorems: Theorem) -> Theorem:
    """$\\sqrt a\\le c\\sqrt b$ from $a\\le c^2b$, $c\\ge0$, $a\\ge0$, $b\\ge0$."""
    a, b, c = symbols("a b c", real=True)
    given = (Compare(a, "<=", c**2 * b), Compare(c, ">=", 0), Compare(a, ">=", 0), Compare(b, ">=", 0))
    goal = Compare(sqrt(a), "<=", c * sqrt(b))
    return algebra(goal, given, {a: left, b: right, c: factor}, *theorems)


def slope(bound: Any) -> Theorem:
    """$e^r\\eta/|V|\\ge0$."""
    sign = fact(EXP_ABOVE_TANGENT, x=bound)
    return joint(Compare(exp(bound) * eta / words, ">=", 0), sign)


def below_the_root() -> Theorem:
    """$e\\eta/|V|\\le\\eta/\\sqrt{|V|}$ from $|V|=8$ on."""
    e = Symbol("e", real=True)
    given = (Compare(e**2, "<=", 8), LARGE, Compare(e, ">=", 0))
    goal = Compare(e * eta / words, "<=", eta / sqrt(words))
    root = joint(Compare(e / words, "<=", 1 / sqrt(words)), given=given)
    square = compute(Compare(exp(Integer(2)), "<=", 8))
    found = joint(goal, root)
    return cut(substitute(found, {e: E1}), square, compute(Compare(E1, ">=", 0)))


@cache
def sample_change(bound: Any) -> tuple[Theorem, Theorem]:
    """At sequence i: $\\|\\mathcal S(F)-U_O\\|_F^2$ by $\\|X_i\\bar B\\|_F^2$, and that by T."""
    rows = outputs_are_close(bound)
    total = summed(rows, PLACE)
    left, right = nest(change(k) ** 2, PLACE, NEXT), nest(looked_up(i - 1, t, k) ** 2, PLACE, NEXT)
    pulled = sum_rearranged(total.formula.right, (exp(bound) * eta / words) ** 2 * right)
    first = joint(Compare(left, "<=", pulled.formula.right), total, pulled)
    second = linked(Compare(right, "<=", T), summed(looked_up_rows(), PLACE))
    return first, second


@cache
def at_sample(theorem: Theorem) -> Theorem:
    """At sequence h, counted from zero."""
    return instance(generalise(theorem, i, 1, N), h + 1)


@proves(claims.outputs_are_near_uniform_after_one_step)
def by_softmax_bounds(claim: Claim) -> Certificate:
    """Lemma D.2 row by row; rows of $X_i\\bar B$ have norm at most one; $e^2\\le8$."""
    first, second = (at_sample(found) for found in sample_change(Integer(1)))
    own, gap = looked_up(h, t, k), probability(h, t, k) - 1 / words
    left, right = nest(gap**2, PLACE, NEXT), nest(own**2, PLACE, NEXT)
    factor, signs = E1 * eta / words, (squares(gap, PLACE, NEXT), squares(own, PLACE, NEXT), slope(Integer(1)))
    one = rooted(left, factor, right, first, *signs)
    two = rooted(right, Integer(1), T, second, *signs)
    over = ((h, 0, N - 1),)
    read = [
        unfold(claims.output_change(h), sqrt(left), ANY_RATE, over),
        unfold(claims.looked_up_norm(h), sqrt(right), ANY_RATE, over),
        unfold(claims.residual_change(h), sqrt(left), ANY_RATE, over),
    ]
    norm = joint(Compare(claims.looked_up_norm(h), "<=", sqrt(T)), two, read[1])
    links = (
        joint(Compare(claims.output_change(h), "<=", factor * claims.looked_up_norm(h)), one, *read),
        joint(Compare(factor * claims.looked_up_norm(h), "<=", factor * sqrt(T)), norm, signs[2]),
    )
    a, b, f, g, root = symbols("a b f g w", real=True)
    given = (Compare(a, "<=", f * b), Compare(b, "<=", root), Compare(f, "<=", g), Compare(f, ">=", 0), Compare(root, ">=", 0))
    last = algebra(
        Compare(a, "<=", g * root), given,
        {a: claims.residual_change(h), b: claims.looked_up_norm(h), f: factor, g: eta / sqrt(words), root: sqrt(T)},
        joint(Compare(claims.residual_change(h), "<=", factor * claims.looked_up_norm(h)), one, *read),
        norm, below_the_root(), signs[2], joint(Compare(sqrt(T), ">=", 0)),
    )
    theorem = generalise(both(*links, last), h, 0, N - 1)
    return conclude(claim, theorem, method="Lemma D.2 row by row", scope=SEQUENCES)


# Gradients at the second step ---------------------------------------------------------------------


@cache
def mean_change(bound: Any) -> Theorem:
    """The mean over sequences and tokens of $\\sum_k(p_k-1/|V|)^2$ is at most $(e^r\\eta/|V|)^2$."""
    rows, short = outputs_are_close(bound), looked_up_rows()
    a, b, f = symbols("a b f", real=True)
    terms = {a: rows.formula.left, b: short.formula.left, f: exp(bound) * eta / words}
    given = (Compare(a, "<=", f**2 * b), Compare(b, "<=", 1))
    each = algebra(Compare(a, "<=", f**2), given, terms, rows, short)
    total = summed(each, S, PLACE)
    whole = sum_rearranged(total.formula.right, N * T * each.formula.right)
    return joint(Compare(total.formula.left / (N * T), "<=", each.formula.right), total, whole)


@cache
def output_gradient_square(bound: Any) -> Theorem:
    """$\\|\\partial L/\\partial W_O+\\bar B\\|_F^2\\le(e^r\\eta/|V|)^2$."""
    own = lambda column: token(i, t, column)  # noqa: E731
    found = mean_of_products(own, change, one_hot_is_short())
    return joint(Compare(found.formula.left, "<=", mean_change(bound).formula.right), found, mean_change(bound))


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
    theorem = joint(Compare(claims.output_gradient, "<=", eta / sqrt(words)), found, below_the_root())
    return conclude(claim, theorem, method=SECOND_STEP, scope=SEQUENCES)


@proves(claims.output_weights_after_two_steps)
def by_two_gradients(claim: Claim) -> Certificate:
    """The error is the rate times the change of the gradient."""
    _, found = output_bounds(Integer(1))
    a, b = symbols("a b", real=True)
    scaled = joint(Compare(eta * a, "<=", eta * b), given=(Compare(a, "<=", b),))
    scaled = cut(substitute(scaled, {a: E1 * eta / words, b: eta / sqrt(words)}), below_the_root())
    theorem = joint(Compare(claims.output_error, "<=", eta**2 / sqrt(words)), found, scaled)
    return conclude(claim, theorem, method=SECOND_STEP, scope=SEQUENCES)


# Values at the second step ------------------------------------------------------------------------


def carried(column: Any) -> Expr:
    """$\\bar B(\\mathcal S(F)-U_O)$ at sequence i and token t."""
    return Sum(bigram(column, l) * change(l), (l, 1, words))


@cache
def carried_is_short() -> Theorem:
    """$\\|\\bar B(p-u)\\|^2\\le\\|p-u\\|^2$, since $\\|\\bar B\\|_F\\le1$."""
    product = fact(CAUCHY_SCHWARZ, a=bigram(k, l), b=change(l), k=l, low=1, high=words)
    total = summed(product, NEXT)
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
    shorter = summed(carried_is_short(), S, PLACE)
    a, b = shorter.formula.left, shorter.formula.right
    less = joint(Compare(a / (N * T), "<=", b / (N * T)), shorter)
    return joint(
        Compare(found.formula.left, "<=", mean_change(bound).formula.right), found, less, mean_change(bound)
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
    """$\\|\\sum_tq_t(\\bar B(p_t-u))^\\top\\|_F^2\\le T\\|\\mathcal S(F)-U_O\\|_F^2\\le(Te\\eta/|V|)^2$ at sequence i."""
    found = mean_of_products(prefix_share, carried, prefix_is_short(), (PLACE,))
    shorter = summed(carried_is_short(), PLACE)
    rows, short = outputs_are_close(Integer(1)), looked_up_rows()
    a, b, f = symbols("a b f", real=True)
    terms = {a: rows.formula.left, b: short.formula.left, f: E1 * eta / words}
    given = (Compare(a, "<=", f**2 * b), Compare(b, "<=", 1))
    each = algebra(Compare(a, "<=", f**2), given, terms, rows, short)
    total = summed(each, PLACE)
    whole = sum_rearranged(total.formula.right, T * each.formula.right)
    below = joint(Compare(found.formula.right, "<=", each.formula.right), shorter, total, whole)
    return joint(Compare(found.formula.left, "<=", each.formula.right), found, below)


@proves(claims.gradient_of_values_at_the_second_step)
def by_prefixes(claim: Claim) -> Certificate:
    """Rows of $A_0X_i$ are probabilities, and $\\bar B$ does not stretch what it carries."""
    gradient, _ = value_bounds(Integer(1))
    second = with_the_root(gradient, claims.value_gradient, 1, 2)
    base = SAMPLE
    sample = at_sample(both(root_of(sample_bound(), base, E1 * eta / words, slope(Integer(1)))))
    sample = part(sample, 0)
    shown = sample.formula.left
    term = eta * T * shown
    read = unfold(claims.sample_gradient(h), term, ANY_RATE, ((h, 0, N - 1),))
    a, b, c, g = symbols("a b c g", real=True)
    size = claims.mixing_norm
    given = (Compare(a, "=", eta * T * g), Compare(g, "<=", b), Compare(b, "<=", c), Compare(c, ">=", 0), Compare(size, ">=", 1))
    goal = Compare(a, "<=", eta * T * size * c)
    first = algebra(
        goal, given, {a: claims.sample_gradient(h), g: shown, b: E1 * eta / words, c: eta / sqrt(words)},
        read, sample, below_the_root(), joint(Compare(eta / sqrt(words), ">=", 0)),
    )
    first = joint(Compare(claims.sample_gradient(h), "<=", eta**2 * T * size / sqrt(words)), first)
    theorem = both(generalise(first, h, 0, N - 1), second)
    return conclude(claim, theorem, method=SECOND_STEP, scope=SEQUENCES)


@proves(claims.values_after_two_steps)
def by_the_gradient_of_the_values(claim: Claim) -> Certificate:
    """Values are zero after one step, so that the error is the rate times the change of the gradient."""
    _, found = value_bounds(Integer(1))
    theorem = with_the_root(found, claims.value_error, 2, 2)
    return conclude(claim, theorem, method=SECOND_STEP, scope=SEQUENCES)


@proves(claims.two_steps_with_the_vocabulary_itself)
def by_the_range_of_logits(claim: Claim) -> Certificate:
    """Lemma D.2 with $r=\\eta$."""
    (_, output), (_, value) = output_bounds(eta), value_bounds(eta)
    theorem = both(
        joint(Compare(claims.output_error, "<=", exp(eta) * eta**2 / words), output),
        joint(Compare(claims.value_error, "<=", exp(eta) * eta**3 / words), value),
    )
    return conclude(claim, theorem, method=SECOND_STEP, scope=SEQUENCES)
