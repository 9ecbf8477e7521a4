"""Definition 3.1 and its remarks, by arithmetic of finite sums."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Sum, Symbol, exp, sqrt, symbols

from claims.model import Claim
from claims.naitsaada2025 import markov as claims
from claims.naitsaada2025.markov import Z, c, i, j, k
from claims.naitsaada2025.notation import T
from claims.statement import Compare
from claims.terms import entry
from proofs.calculation import algebra, at_places, linked, replaced, sums_compared, weighed
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.facts import JENSEN
from proofs.kernel import (
    Theorem,
    assume,
    both,
    choose,
    cut,
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

z, OVER = entry(Z), (j, 1, T)
PLACES = ((i, 1, T), OVER)


def shares(weight: Any, total: Any, positive: Theorem) -> Theorem:
    """The shares of a positive total sum to one."""
    factor = Symbol("f", real=True)
    pulled = sum_rearranged(Sum(factor * weight, OVER), factor * total)
    found = cut(substitute(pulled, {factor: 1 / total}), positive)
    return joint(Compare(found.formula.left, "=", 1), found, positive)


@proves(claims.markov_matrix_is_row_stochastic_and_free_of_scale)
def by_the_common_denominator(claim: Claim) -> Certificate:
    """Entries of a row share their sum as denominator, and a factor cancels."""
    domain = claims.markov_matrix_is_row_stochastic_and_free_of_scale.domain
    positive, signs = map(assume, domain.variables[1].facts())
    total = Sum(z(i, k), (k, 1, T))
    defined = unfold(claims.weight(i, j), z(i, j) / total, domain, PLACES)
    scaled = unfold(
        claims.rescaled(i, j), c * z(i, j) / Sum(c * z(i, k), (k, 1, T)), domain, PLACES
    )
    above, sign = instance(positive, i), at_places(signs, i, j)
    pulled = sum_rearranged(Sum(c * z(i, k), (k, 1, T)), c * total)
    same = joint(
        Compare(claims.rescaled(i, j), "=", claims.weight(i, j)), defined, scaled, pulled, above
    )
    least = joint(Compare(claims.weight(i, j), ">=", 0), defined, sign, above)
    entries = generalise(both(least, same), *OVER)
    row = unfold(claims.row_sum(i), Sum(z(i, j) / total, OVER), domain, ((i, 1, T),))
    one = linked(Compare(claims.row_sum(i), "=", 1), row, shares(z(i, j), total, above))
    theorem = generalise(both(one, entries), i, 1, T)
    return conclude(claim, theorem, method="common denominator of a row")


attention, STOCHASTIC_ROWS = entry(claims.A), claims.row_facts(claims.A)
stochastic, not_negative = map(assume, STOCHASTIC_ROWS)


def row_total(domain: Any) -> Theorem:
    """A row of A sums to one."""
    read = unfold(claims.total_of_row(i), Sum(attention(i, j), OVER), domain, ((i, 1, T),))
    return linked(Compare(claims.total_of_row(i), "=", 1), read, instance(stochastic, i))


def mean_square(vector: Any) -> Theorem:
    """(Av)_i^2 <= sum_j A_ij v_j^2."""
    found = fact(JENSEN, w=attention(i, j), x=vector(k, j), k=j, low=1, high=T)
    signs = generalise(at_places(not_negative, i, j), *OVER)
    return cut(found, instance(stochastic, i), signs)


@proves(claims.one_is_the_largest_eigenvalue)
def by_the_largest_entry_of_an_eigenvector(claim: Claim) -> Certificate:
    """Where |v_i| is largest, |lambda v_i|^2 = |(Av)_i|^2 is a mean of squares, which are at most one."""
    domain = claims.one_is_the_largest_eigenvalue.domain
    everywhere, somewhere = map(assume, domain.variables[-1].facts())
    a, b = entry(claims.real)(k, 1), entry(claims.imaginary)(k, 1)
    x, y = entry(claims.real_vector), entry(claims.imaginary_vector)
    equations = at_places(everywhere, k, i)
    below = weighed(
        lambda n: attention(i, n), lambda n: part(at_places(everywhere, k, n), 2), T,
        lambda n: at_places(not_negative, i, n),
    )  # fmt: skip
    largest = assume(Compare(x(k, i) ** 2 + y(k, i) ** 2, "=", 1))
    squares = (a**2 + b**2) * (x(k, i) ** 2 + y(k, i) ** 2)
    means = mean_square(x), mean_square(y)
    both_parts = means[0].formula.left + means[1].formula.left
    turned = joint(Compare(squares, "=", both_parts), equations)
    split = sum_rearranged(below.formula.left, means[0].formula.right + means[1].formula.right)
    bound = linked(Compare(both_parts, "<=", 1), below, split, *means, instance(stochastic, i))
    square = joint(Compare(squares, "<=", 1), turned, bound)
    size = unfold(claims.modulus(k), sqrt(a**2 + b**2), domain, ((k, 1, T),))
    there = joint(Compare(claims.modulus(k), "<=", 1), square, largest, size)
    anywhere = choose(instance(somewhere, k), i, there)
    theorem = both(generalise(row_total(domain), i, 1, T), generalise(anywhere, k, 1, T))
    return conclude(claim, theorem, method="the largest entry of an eigenvector")


@proves(claims.attention_favours_the_all_ones_direction)
def by_taking_the_uniform_part_out(claim: Claim) -> Certificate:
    """(Ax)_i lies between eps sum x + (1 - T eps) m and the same with M."""
    domain = claims.attention_favours_the_all_ones_direction.domain
    eps, m, top = claims.least, claims.bottom, claims.top
    floor, above, below = (assume(v.known[0]) for v in domain.variables if getattr(v, "known", ()))
    value = entry(claims.x)
    rest = lambda row, n: attention(row, n) - eps  # noqa: E731

    def beyond(row: Any, end: Any, known: Theorem) -> Theorem:
        """sum_j (A_ij - eps) x_j against its end, where x_j is compared with it."""
        sign = lambda n: joint(Compare(rest(row, n), ">=", 0), at_places(floor, row, n))  # noqa: E731
        return weighed(lambda n: rest(row, n), lambda n: instance(known, n), T, sign)

    ends = []
    for row, end, known in ((i, top, above), (k, m, below)):
        read = unfold(
            claims.mixed(row), Sum(attention(row, j) * value(j, 1), OVER), domain, ((row, 1, T),)
        )
        total = eps * Sum(value(j, 1), OVER) + (1 - T * eps) * end
        goal = Compare(claims.mixed(row), "<=" if row is i else ">=", total)
        ends.append(linked(goal, read, beyond(row, end, known), instance(stochastic, row)))
    apart = Compare(claims.mixed(i) - claims.mixed(k), "<=", (1 - T * eps) * (top - m))
    pairs = generalise(joint(apart, *ends), k, 1, T)
    theorem = generalise(both(row_total(domain), pairs), i, 1, T)
    return conclude(claim, theorem, method="the uniform part taken out of every row")


@proves(claims.entries_of_a_row_are_dependent)
def by_the_fixed_total(claim: Claim) -> Certificate:
    """Entries of a row sum to one, so that the mean product of two of them falls short of 1/T^2."""
    domain = claims.entries_of_a_row_are_dependent.domain
    positive, _ = map(assume, domain.variables[1].facts())
    one, two = Integer(1), Integer(2)
    value, total = entry(claims.z), Sum(entry(claims.z)(one, k), (k, 1, T))
    share = lambda place: value(one, place) / total  # noqa: E731
    above = instance(positive, one)
    whole = shares(value(one, j), total, above)
    squares = Sum(share(j) ** 2, OVER)
    pairs = Sum(share(i) * Sum(share(j), OVER), (i, 1, T))
    read = unfold(claims.covariance, (pairs - squares) / (T * (T - 1)) - 1 / T**2, domain)
    own = unfold(claims.shares_squared, squares, domain)
    inner = sums_compared(
        lambda a: joint(Compare(share(a) * Sum(share(j), OVER), "=", share(a)), whole), T
    )
    products = linked(Compare(pairs, "=", 1), inner, whole)
    size = assume(Compare(T, ">=", 2))
    goal = claims.covariance.equals((1 - T * claims.shares_squared) / (T**2 * (T - 1)))
    equal = joint(goal, read, own, products, size)
    gap = lambda place: share(place) - 1 / T  # noqa: E731
    spread = linked(Compare(Sum(gap(j) ** 2, OVER), "=", squares - 1 / T), whole, size)
    signs = generalise(joint(Compare(gap(j) ** 2, ">=", 0)), *OVER)
    least = [sum_at_least_term(signs, place) for place in (one, two)]
    differ = assume(domain.conditions[0].formula)
    apart = joint(Compare(share(one), "!=", share(two)), differ, above)
    uneven = joint(Compare(squares, ">", 1 / T), spread, *least, apart, size)
    negative = joint(claims.covariance.below(0), equal, own, uneven, size)
    theorem = cut(both(equal, negative), joint(Compare(total, "!=", 0), above))
    return conclude(claim, theorem, method="fixed row sums")


@proves(claims.uniform_attention_as_an_instance)
def by_two_copies(claim: Claim) -> Certificate:
    """Independent copies differ by twice the variance, in mean square."""
    domain, n = claims.uniform_attention_has_no_variance.domain, claims.n
    (whole, _), one = map(assume, domain.variables[2].facts()), Integer(1)
    w, x = (lambda a, s=s: entry(s)(one, a) for s in (claims.chances, claims.atoms))
    mean = Sum(w(k) * x(k), (k, 1, n))
    spread = Sum(w(i) * Sum(w(j) * (x(i) - x(j)) ** 2, (j, 1, n)), (i, 1, n))
    twice = unfold(claims.unevenness, spread, domain)
    own = unfold(claims.variance, Sum(w(i) * (x(i) - mean) ** 2, (i, 1, n)), domain)
    total = instance(whole, one)
    theorem = linked(claims.unevenness.equals(2 * claims.variance), twice, own, total)
    return conclude(claim, theorem, method="two independent copies")


@proves(claims.lognormal_logits_have_no_mean)
def by_the_exponential_series(claim: Claim) -> Certificate:
    """Ratios of the terms E[B^n]/n! = e^(n mu + n^2 s^2/2)/n! grow without bound."""
    return refute(claim, method="exponential series")


@proves(claims.logits_of_lognormal_weights)
def by_moments_of_a_lognormal(claim: Claim) -> Certificate:
    """E Z^k = e^(k mu + k^2 s^2/2)."""
    domain, mu, s = claims.logits_of_lognormal_weights.domain, claims.mu, claims.spread
    first = unfold(claims.first_moment, exp(mu + s**2 / 2), domain)
    second = unfold(claims.second_moment, exp(2 * mu + 2 * s**2), domain)
    m, g, e = symbols("m g e", real=True)
    square = replaced(exp(s**2) * m**2, m, first)
    tied = joint(
        Compare(claims.second_moment, "=", exp(s**2) * claims.first_moment**2), second, square
    )
    given = (Compare(g, "=", e * m**2), Compare(m, ">", 0))
    terms = {m: claims.first_moment, g: claims.second_moment, e: exp(s**2)}
    theorem = algebra(Compare(g / m**2 - 1, "=", e - 1), given, terms, tied, joint(
        Compare(claims.first_moment, ">", 0), first, joint(Compare(exp(mu + s**2 / 2), ">", 0))
    ))  # fmt: skip
    return conclude(claim, theorem, method="moments of a lognormal variable")
