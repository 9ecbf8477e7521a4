r"""The second order of the output weights: $1+z\le e^z\le1+z+2z^2$ under the softmax of each token."""

from __future__ import annotations

from functools import cache

from sympy import Abs, Rational, Sum, Symbol, exp, symbols

from claims.im2026 import first_steps as claims
from claims.im2026.first_steps import ANY_RATE, bigram, logit, looked_up, probability
from claims.im2026.notation import N, T, eta, words
from claims.model import Claim
from claims.statement import Compare
from proofs.calculation import linked, square_at, summed_over
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import EXP_ABOVE_TANGENT, FUBINI
from proofs.im2026.corpus_norms import (
    SIGN,
    TOTAL,
    i,
    j,
    k,
    known,
    nest,
    reordered,
    t,
    token,
)
from proofs.im2026.first_steps import (
    ENTRY,
    NEXT,
    PLACE,
    ROW,
    WORD,
    S,
    bigram_entry,
    change,
    for_entries,
    forward,
    h,
    here,
    l,
    looked_up_rows,
    lookup,
    mean,
    residual,
)
from proofs.kernel import (
    Theorem,
    cut,
    fact,
    generalise,
    joint,
    substitute,
    sum_at_least_term,
    sum_rearranged,
    unfold,
)
from proofs.registry import proves

SMALL = Compare(eta, "<=", Rational(1, 2))
OWN = looked_up(i - 1, t, k)


@cache
def rows_sum_to_zero() -> Theorem:
    """$\\sum_k(X_i\\bar B)_{tk}=0$ at sequence i and token t."""
    whole = known(TOTAL, i, t + 1)
    row = linked(Compare(Sum(residual(k), (k, 1, words)), "=", 0), whole)
    term = token(i, t, j) * residual(k)
    moved = reordered(term, (NEXT, S, PLACE), (1, 2, 0))
    inside = sum_rearranged(
        Sum(term, (k, 1, words)), token(i, t, j) * Sum(residual(k), (k, 1, words))
    )
    nothing = summed_over(joint(Compare(inside.formula.left, "=", 0), inside, row), S, PLACE)
    means = summed_over(bigram_entry(), NEXT)
    pulled = sum_rearranged(means.formula.right, nest(term, NEXT, S, PLACE) / (N * T))
    zero = linked(Compare(nothing.formula.left, "=", 0), nothing)
    column = joint(Compare(Sum(bigram(j, k), (k, 1, words)), "=", 0), means, pulled, moved, zero)
    weighted = token(i, t, j) * bigram(j, k)
    turned = fact(FUBINI, a=weighted, j=k, k=j, rows=words, columns=words)
    inner = sum_rearranged(
        Sum(weighted, (k, 1, words)), token(i, t, j) * Sum(bigram(j, k), (k, 1, words))
    )
    each = summed_over(joint(Compare(inner.formula.left, "=", 0), inner, column), WORD)
    each = linked(Compare(each.formula.left, "=", 0), each)
    own = summed_over(here(lookup()), NEXT)
    return joint(Compare(Sum(OWN, (k, 1, words)), "=", 0), own, turned, each)


@cache
def logit_is_small() -> Theorem:
    """$(X_i\\bar B)_{tk}^2\\le1$."""
    sign = generalise(square_at(OWN), k, 1, words)
    return joint(Compare(OWN**2, "<=", 1), sum_at_least_term(sign, k), looked_up_rows())


@cache
def exponentials() -> tuple[Theorem, Theorem]:
    """$1+z\\le e^z$ and $e^z\\le1+z+2z^2$ for the logits z of a token."""
    z = logit(i - 1, t, k)
    e, q, x, y = symbols("e q x y", real=True)
    low = fact(EXP_ABOVE_TANGENT, x=z)
    given = (
        Compare(e * q, "=", 1),
        Compare(q, ">=", 1 - x),
        Compare(e, ">", 0),
        Compare(x, "<=", Rational(1, 2)),
    )
    product = joint(Compare(e * (1 - x), "<=", 1), given=given)
    polynomial = joint(Compare((1 + x + 2 * x**2) * (1 - x), ">=", 1), given=given[3:])
    high = joint(Compare(e, "<=", 1 + x + 2 * x**2), product, polynomial, given=given[3:])
    half = joint(Compare(eta * y, "<=", Rational(1, 2)), given=(Compare(y**2, "<=", 1), SMALL))
    half = cut(substitute(half, {y: OWN}), logit_is_small())
    below = joint(Compare(z, "<=", Rational(1, 2)), half, here(forward()))
    terms = {e: exp(z), q: exp(-z), x: z}
    known = fact(EXP_ABOVE_TANGENT, x=-z), joint(Compare(exp(z), ">", 0)), below
    return low, cut(substitute(high, terms), *known)


@cache
def probability_to_second_order() -> Theorem:
    """$|p_k-\\frac{1+z_k}{|V|}|\\le3\\eta^2/|V|$ at sequence i and token t."""
    z, low_high = logit(i - 1, t, k), exponentials()
    total = Sum(exp(z), (k, 1, words))
    own = here(forward())
    square = joint(Compare(z**2, "=", eta**2 * OWN**2), own)
    first = linked(
        Compare(Sum(z, (k, 1, words)), "=", 0), summed_over(own, NEXT), rows_sum_to_zero()
    )
    second = linked(
        Compare(Sum(z**2, (k, 1, words)), "=", eta**2 * Sum(OWN**2, (k, 1, words))),
        summed_over(square, NEXT),
    )
    less = joint(Compare(Sum(z**2, (k, 1, words)), "<=", eta**2), second, looked_up_rows())
    above = linked(Compare(total, ">=", words), summed_over(low_high[0], NEXT), first)
    below = linked(
        Compare(total, "<=", words + 2 * eta**2), summed_over(low_high[1], NEXT), first, less
    )
    small = joint(Compare(z**2, "<=", eta**2), square, logit_is_small())
    e, s, x, p = symbols("e s x p", real=True)
    given = (
        Compare(p * s, "=", e), Compare(e, ">=", 1 + x), Compare(e, "<=", 1 + x + 2 * x**2),
        Compare(s, ">=", words), Compare(s, "<=", words + 2 * eta**2), Compare(x**2, "<=", eta**2), SMALL,
        Compare(e, ">", 0),
    )  # fmt: skip
    sign = joint(Compare(p, ">=", 0), given=(given[0], given[7], given[3]))
    up = joint(Compare(p * words, "<=", e), sign, given=(given[0], given[3]))
    high = joint(Compare(p * words - 1 - x, "<=", 3 * eta**2), up, given=(given[2], given[5]))
    least = Compare(e, "<=", s)
    share = joint(Compare(p, "<=", 1), given=(given[0], given[3], least))
    down = joint(Compare(p * words, ">=", e - 2 * eta**2 * p), sign, given=(given[0], given[4]))
    low = joint(Compare(p * words - 1 - x, ">=", -3 * eta**2), down, share, sign, given=(given[1],))
    both_ends = joint(Compare(Abs(p * words - 1 - x), "<=", 3 * eta**2), high, low)
    term = exp(logit(h, t, k)) / Sum(exp(logit(h, t, l)), (l, 1, words))
    read = here(unfold(probability(h, t, k), term, ANY_RATE, ROW))
    exact = joint(Compare(probability(i - 1, t, k) * total, "=", exp(z)), read, above)
    terms = {e: exp(z), s: total, x: z, p: probability(i - 1, t, k)}
    positive = joint(Compare(exp(z), ">", 0))
    one = sum_at_least_term(generalise(joint(Compare(exp(z), ">=", 0)), k, 1, words), k)
    found = substitute(both_ends, terms)
    found = cut(found, exact, *low_high, above, below, small, positive, one)
    goal = Compare(Abs(change(k) * words - eta * OWN), "<=", 3 * eta**2)
    return joint(goal, found, own)


@proves(claims.second_order_of_the_output_weights)
def by_the_second_order_of_a_softmax(claim: Claim) -> Certificate:
    """Each token's output to second order, and its mean over the tokens of a word."""
    own = token(i, t, j)
    w, a, b = symbols("w a b", real=True)
    given = (Compare(Abs(a * words - eta * b), "<=", 3 * eta**2), Compare(w, ">=", 0))
    scaled = joint(Compare(w * Abs(a * words - eta * b), "<=", 3 * eta**2 * w), given=given)
    ends = (
        joint(Compare(w * a * words - eta * w * b, "<=", 3 * eta**2 * w), scaled, given=given[1:]),
        joint(Compare(eta * w * b - w * a * words, "<=", 3 * eta**2 * w), scaled, given=given[1:]),
    )
    sign = known(SIGN, i, t, j)
    terms = {w: own, a: change(k), b: OWN}
    rows = [
        summed_over(cut(substitute(end, terms), probability_to_second_order(), sign), S, PLACE)
        for end in ends
    ]
    changed, looked, share = (nest(term, S, PLACE) for term in (own * change(k), own * OWN, own))
    x, y, z = symbols("x y z", real=True)
    totals = (
        linked(Compare(words * changed - eta * looked, "<=", 3 * eta**2 * share), rows[0]),
        linked(Compare(eta * looked - words * changed, "<=", 3 * eta**2 * share), rows[1]),
    )
    over = (
        Compare(words * x - eta * y, "<=", 3 * eta**2 * z),
        Compare(eta * y - words * x, "<=", 3 * eta**2 * z),
    )
    size = N * T * words
    bound = joint(Compare(Abs(words * x - eta * y), "<=", 3 * eta**2 * z), given=over)
    error = -eta * x / (N * T) + eta**2 / words * y / (N * T)
    same = joint(Compare(error * size, "=", -eta * (words * x - eta * y)))
    product = joint(Compare(Abs(error * size), "<=", 3 * eta**3 * z), bound, same)
    e = Symbol("e", real=True)
    divided = joint(Compare(Abs(e), "<=", z / size), given=(Compare(Abs(e * size), "<=", z),))
    divided = cut(substitute(divided, {e: error, z: 3 * eta**3 * z}), product)
    found = cut(substitute(divided, {x: changed, y: looked, z: share}), *totals)
    read = (
        unfold(
            claims.output_after_two(j, k),
            2 * eta * bigram(j, k) - eta * mean(own * change(k)),
            ANY_RATE,
            ENTRY,
        ),
        unfold(claims.frequent(j, k), mean(own * OWN), ANY_RATE, ENTRY),
        unfold(claims.share(j), mean(own), ANY_RATE, ENTRY[:1]),
    )
    error = (
        claims.output_after_two(j, k)
        - 2 * eta * bigram(j, k)
        + eta**2 / words * claims.frequent(j, k)
    )
    goal = Compare(Abs(error), "<=", 3 * eta**3 / words * claims.share(j))
    theorem = for_entries(joint(goal, found, *read))
    return conclude(claim, theorem, method="second order of the exponential")
