"""Jacobians by the product rule on index networks; their norms by the spectral theorem."""

from __future__ import annotations

from typing import Any

from sympy import Integer, KroneckerDelta, Sum, Symbol, symbols

from claims.model import Claim
from claims.naitsaada2025 import jacobians as claims
from claims.naitsaada2025.jacobians import P1, P2, P, R
from claims.naitsaada2025.layers import X0, W
from claims.naitsaada2025.notation import T, d
from claims.naitsaada2025.stable_rank import M
from claims.statement import Compare, ForAll, Formula
from claims.terms import Recursion, entry
from proofs.calculation import at_places, for_all, linked, sums_compared
from proofs.calculus.differentials import jacobian
from proofs.calculus.networks import network
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import decide
from proofs.kernel import (
    Theorem,
    assume,
    both,
    derived,
    generalise,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    substitute,
    sum_at_least_term,
    sum_rearranged,
    unfold,
)
from proofs.naitsaada2025.stable_rank import Spectrum
from proofs.registry import proves

i, j, k, l, m, n, o, g, t = symbols("i j k l m n o g t", integer=True)  # noqa: E741
METHOD = "product rule on index networks"


@proves(claims.jacobian_by_the_input)
def by_the_product_rule(claim: Claim) -> Certificate:
    """Taking X out of P X R leaves the labels of P's column and of R's row."""
    return decide(claim, jacobian(P * X0 * R, X0), method=METHOD)


@proves(claims.jacobian_without_a_transpose)
def by_every_convention(claim: Claim) -> Certificate:
    """By rows the Jacobian is P (x) R^T, and the other conventions reorder it."""
    value = jacobian(P * X0 * R, X0)
    theorem = derived(claims.by_rows, value, claims.input_domain, METHOD)
    return conclude(claim, theorem, method=METHOD)


@proves(claims.first_order_expansion_is_exact)
def by_linearity(claim: Claim) -> Certificate:
    """f(X) = P X R is linear."""
    moved = network(P * (X0 + claims.epsilon * claims.direction) * R)
    return decide(claim, moved, method="index calculus")


@proves(claims.jacobian_by_a_value_matrix)
def by_the_product_rule_for_values(claim: Claim) -> Certificate:
    """Taking W out of P_1 W P_2."""
    return decide(claim, jacobian(P1 * W * P2, W), method=METHOD)


@proves(claims.value_jacobian_without_a_transpose)
def by_both_orders(claim: Claim) -> Certificate:
    """By rows the Jacobian is P_1 (x) P_2^T, by columns P_2^T (x) P_1."""
    value = jacobian(P1 * W * P2, W)
    theorem = derived(claims.value_conventions[0], value, claims.value_domain, METHOD)
    return conclude(claim, theorem, method=METHOD)


@proves(claims.resolved_jacobian_by_a_value_matrix)
def by_the_product_rule_without_the_gap(claim: Claim) -> Certificate:
    """Taking W out of P_1^perp W P_2."""
    return decide(claim, jacobian(claims.P1_perp * W * P2, W), method=METHOD)


@proves(claims.resolved_jacobian_without_a_transpose)
def by_both_orders_without_the_gap(claim: Claim) -> Certificate:
    """By rows the Jacobian is P_1^perp (x) P_2^T, by columns P_2^T (x) P_1^perp."""
    value = jacobian(claims.P1_perp * W * P2, W)
    theorem = derived(claims.resolved_conventions[0], value, claims.resolved_domain, METHOD)
    return conclude(claim, theorem, method=METHOD)


def entries_of(left: Any, right: Any) -> Any:
    """Squares of the entries of d(P_1 W P_2)/dW, summed."""
    p, q = entry(left), entry(right)
    inner = Sum(Sum(p(i, k) ** 2 * q(l, j) ** 2, (j, 1, d)), (l, 1, d))
    return Sum(Sum(inner, (k, 1, d)), (i, 1, T))


@proves(claims.jacobian_norm_by_singular_values)
def by_both_spectra(claim: Claim) -> Certificate:
    """Entries of the Jacobian are products of entries, and squared norms are sums of squares."""
    domain = claims.jacobian_norm_by_singular_values.domain
    spectra = Spectrum(P1, claims.s1, claims.U1), Spectrum(P2, claims.s2, claims.U2)
    norms = [found.squares() for found in spectra]
    read = unfold(claims.jacobian_norm, entries_of(P1, P2), domain)
    sums = (claims.squares_1, claims.squares_2), (claims.largest_1, claims.largest_2)
    totals = [unfold(q, f.summed(2), domain) for q, f in zip(sums[0], spectra, strict=True)]
    tops = [unfold(q, f.root(Integer(1)), domain) for q, f in zip(sums[1], spectra, strict=True)]
    product = factored(norms[0].formula.left, norms[1].formula.left)
    equal = joint(
        claims.jacobian_norm.equals(claims.squares_1 * claims.squares_2), read, product, *norms,
        *totals,
    )  # fmt: skip
    least = [first_square(f, size) for f, size in zip(spectra, (T, d), strict=True)]
    above = joint(
        claims.jacobian_norm.at_least(claims.largest_1**2 * claims.largest_2**2), equal, *totals,
        *tops, *least,
    )  # fmt: skip
    return conclude(claim, both(equal, above), method="spectral theorem")


def factored(first: Any, second: Any) -> Theorem:
    """The sum over the entries of both matrices is a product of two sums."""
    p, q, c = entry(P1), entry(P2), Symbol("c", real=True)

    def of_entry(row: Any, column: Any) -> Theorem:
        """sum_lj p^2 q_lj^2 = p^2 sum_lj q_lj^2."""
        term = Sum(Sum(c * q(l, j) ** 2, (j, 1, d)), (l, 1, d))
        return substitute(sum_rearranged(term, c * second), {c: p(row, column) ** 2})

    rows = sums_compared(lambda a: sums_compared(lambda b: of_entry(a, b), d), T)
    outer = sum_rearranged(Sum(Sum(c * p(i, k) ** 2, (k, 1, d)), (i, 1, T)), c * first)
    pulled = substitute(outer, {c: second})
    return joint(Compare(entries_of(P1, P2), "=", first * second), rows, pulled)


def first_square(found: Spectrum, size: Any) -> Theorem:
    """sum_k s_k^2 >= s_1^2."""
    signs = generalise(joint(Compare(found.root(n) ** 2, ">=", 0)), n, 1, size)
    one = sum_at_least_term(signs, Integer(1))
    return linked(Compare(found.summed(2), ">=", found.root(Integer(1)) ** 2), one)


@proves(claims.jacobian_norm_of_one_layer)
def by_the_identity_behind(claim: Claim) -> Certificate:
    """With P_2 = I every entry of P_1 stands d times in the Jacobian."""
    domain, found, p = claims.jacobian_norm_of_one_layer.domain, Spectrum(), entry(M)
    norm = found.squares()
    own = Sum(Sum(d * p(i, k) ** 2, (k, 1, d)), (i, 1, T))
    read = unfold(claims.single_norm, own, domain)
    total = unfold(claims.squares, found.summed(2), domain)
    top = unfold(claims.largest, found.root(Integer(1)), domain)
    equal = linked(claims.single_norm.equals(d * claims.squares), read, norm, total)
    least = first_square(found, T)
    above = joint(
        claims.single_norm.at_least(d * claims.largest**2), equal, total, top, least,
        given=(Compare(d, ">=", 1),),
    )  # fmt: skip
    return conclude(claim, both(equal, above), method="spectral theorem")


# Moments ------------------------------------------------------------------------------------------


def powers_of(gram: Any, size: Any) -> Recursion:
    """Entries of the powers of a Gram matrix."""
    return Recursion(
        "G", lambda i, j: KroneckerDelta(i, j),
        lambda t, i, j, before: Sum(gram(i, m) * before(m, j), (m, 1, size)),
    )  # fmt: skip


a, w = entry(claims.centred_product), entry(W)


def token_gram(i: Any, m: Any) -> Any:
    """(A^perp A^perp^T)_im."""
    return Sum(a(i, l) * a(m, l), (l, 1, T))


def feature_gram(i: Any, m: Any) -> Any:
    """(WW^T)_im."""
    return Sum(w(i, l) * w(m, l), (l, 1, d))


TOKENS, FEATURES = powers_of(token_gram, T), powers_of(feature_gram, d)


def gram_of_both(i: Any, k: Any, m: Any, n: Any) -> Any:
    """JJ^T from its rows (i, k) and (m, n)."""
    return Sum(Sum(a(i, l) * w(k, g) * a(m, l) * w(n, g), (g, 1, d)), (l, 1, T))


BOTH = Recursion(
    "K", lambda i, k, j, o: KroneckerDelta(i, j) * KroneckerDelta(k, o),
    lambda t, i, k, j, o, before: Sum(
        Sum(gram_of_both(i, k, m, n) * before(m, n, j, o), (n, 1, d)), (m, 1, T)),
)  # fmt: skip


@proves(claims.moments_of_a_kronecker_product_factor)
def by_the_mixed_product_rule(claim: Claim) -> Certificate:
    """Powers of JJ^T are Kronecker products of powers, and so are their traces."""
    domain = claims.moments_of_a_kronecker_product_factor.domain
    places = ((i, T), (k, d), (j, T), (o, d))

    def body(t: Any) -> Formula:
        same: Formula = Compare(BOTH(t, i, k, j, o), "=", TOKENS(t, i, j) * FEATURES(t, k, o))
        for index, high in reversed(places):
            same = ForAll(index, 1, high, same)
        return same

    before = assume(body(t))
    rules = (
        recursion_start(BOTH, i, k, j, o), recursion_start(TOKENS, i, j),
        recursion_start(FEATURES, k, o),
    )  # fmt: skip
    start = joint(body_of(body(Integer(0))), *rules)

    def term(c: Any) -> Theorem:
        """One token of the sum."""

        def inside(e: Any) -> Theorem:
            known = at_places(before, c, e, j, o)
            gram = gram_of_both(i, k, c, e)
            apart = linked(Compare(gram, "=", token_gram(i, c) * feature_gram(k, e)))
            left = gram * BOTH(t, c, e, j, o)
            right = token_gram(i, c) * feature_gram(k, e) * TOKENS(t, c, j) * FEATURES(t, e, o)
            return joint(Compare(left, "=", right), known, apart)

        return sums_compared(inside, d)

    summed = sums_compared(term, T)
    steps = (
        recursion_step(BOTH, t, i, k, j, o), recursion_step(TOKENS, t, i, j),
        recursion_step(FEATURES, t, k, o),
    )  # fmt: skip
    factors = steps[1].formula.right * steps[2].formula.right
    split = sum_rearranged(summed.formula.right, factors)
    step = joint(body_of(body(t + 1)), *steps, summed, split)
    whole = instance(induction(for_all(start, *places), for_all(step, *places), t), claims.power)
    own = sums_compared(lambda c: sums_compared(lambda e: at_places(whole, c, e, c, e), d), T)
    read = unfold(claims.moment, own.formula.left / (T * d), domain)
    parts = [
        unfold(q, Sum(f(claims.power, i, i), (i, 1, size)) / size, domain)
        for q, f, size in ((claims.attention_moment, TOKENS, T), (claims.value_moment, FEATURES, d))
    ]  # fmt: skip
    traces = sum_rearranged(
        own.formula.right,
        Sum(TOKENS(claims.power, i, i), (i, 1, T)) * Sum(FEATURES(claims.power, i, i), (i, 1, d)),
    )
    sizes = [Compare(size, ">=", 1) for size in (T, d)]
    goal = claims.moment.equals(claims.attention_moment * claims.value_moment)
    theorem = joint(goal, read, own, traces, *parts, given=sizes)
    return conclude(claim, theorem, method="mixed product rule, by induction")


def body_of(every: Formula) -> Formula:
    """What stands behind all quantifiers."""
    while isinstance(every, ForAll):
        every = every.body
    return every
