"""Eqs. (165)-(181): gradients through many layers."""

from __future__ import annotations

from typing import Any

from sympy import Rational, Symbol, sqrt, symbols

from claims.domain import Domain
from claims.im2026 import layered_backpropagation as claims
from claims.im2026.displays import TERMS
from claims.im2026.notation import T, depth
from claims.model import Claim
from claims.statement import Compare, Implies
from proofs.calculation import conjuncts
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.im2026.layered_chains import (
    by_links,
    in_box,
    in_symbols,
    placed,
    raised,
    sizes,
    transitive,
    x,
    y,
)
from proofs.kernel import (
    assume,
    both,
    cut,
    discharge,
    generalise,
    identity,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    unfold,
)
from proofs.registry import proves


@proves(
    claims.gradients_at_the_last_layer,
    claims.score_gradients_are_small,
    claims.gradients_pass_through_a_layer,
)
def by_polynomials(claim: Claim) -> Certificate:
    """Each link follows from the ranges of the norms."""
    return by_links(claim)


@proves(claims.gradients_one_layer_down)
def by_the_display_before(claim: Claim) -> Certificate:
    """Through (172) for any score gradients, then with those of (173)."""
    ranges = [assume(Compare(symbol, "<=", bound)) for symbol, bound in claims.LAYER_BOUNDS]
    through, term = claims.gradients_pass_through_a_layer.formula, TERMS[claims.descent]
    assert isinstance(through, Compare)
    passed = in_box(
        in_symbols(Compare(term, "<=", through.right)), *ranges,
        given=[in_symbols(known.formula) for known in ranges],
    )  # fmt: skip
    small = Compare(claims.scores, "<=", 7 * claims.x * claims.gradient)
    near = Compare(claims.gradient, "<=", claims.leading + claims.shift)
    with_scores, shorter = (
        in_box(in_symbols(goal), assume(small), given=(in_symbols(small),))
        for goal in (
            Compare(through.right, "<=", claims.printed_shift),
            Compare(claims.printed_shift, "<=", claims.shift + 18 * claims.x**2 * claims.gradient),
        )
    )
    printed = transitive(passed, with_scores)
    d = Symbol("d", real=True)
    below = Compare(d, "<=", claims.shift + 18 * x**2 * claims.gradient)
    goal = Compare(claims.leading + d, "<=", (1 + 18 * x**2) * (claims.leading + claims.shift))
    whole = in_box(
        goal, transitive(printed, shorter), assume(near), given=(below, near), terms={d: term}
    )
    return by_links(claim, printed, shorter, whole)


@proves(claims.attention_gradients_keep_their_leading_terms)
def by_largest_norms(claim: Claim) -> Certificate:
    """The sums of products rise with every norm; 24 for the scores, and what follows from it."""
    c, e = symbols("c e", nonnegative=True)
    few = claims.jacobian_shift
    length, away = (claims.hidden, y + claims.deviation), (claims.deviation, x * y / 4)
    known, count = (claims.context, 2 * x**0), (c, x**2 / 2)
    scores = raised(
        claims.score_terms(x, c, y), 24 * x**4 * y**2, (claims.jacobian, Rational(1, 2) + few),
        (few, 10 * x / y), length, away, (claims.shift, 12 * x**2 * y), (claims.value, 2 * x**2),
        (claims.value_error, 12 * x**3), known, count,
    )  # fmt: skip
    weights = raised(
        claims.weight_terms(e, x, c, y),
        64 * x**4 * y**2,
        (e, 24 * x**4 * y**2),
        length,
        away,
        known,
        count,
    )
    positions = raised(claims.position_terms(e, x, c, y), 64 * x**4 * y**2, (e, 24 * x**4 * y**2))
    domain = claims.attention_gradients_keep_their_leading_terms.domain
    inside = [assume(f) for v in domain.variables for f in facts_of(Domain((v,)))]
    half = claims.half
    inside.append(
        joint(Compare(half, "<=", claims.x**2 / 2) & Compare(half, ">=", 0), given=sizes())
    )
    small = placed(scores, *inside, terms={c: half})
    signs = joint(Compare(small.formula.left, ">=", 0), inside[-1], given=sizes())
    error = {c: half, e: small.formula.left}
    rest = [placed(th, small, signs, *inside, terms=error) for th in (weights, positions)]
    largest = joint(Compare(small.formula.left, "<=", 64 * claims.x**4 * T), small)
    return by_links(claim, largest, *rest)


@proves(claims.attention_keeps_its_bound)
def by_pascal(claim: Claim) -> Certificate:
    """The counts add up by Pascal's rule; the errors are polynomials in s."""
    count = conjuncts(claims.attention_keeps_its_bound.formula)[0]
    return by_links(claim, identity(count.left, count.right))


@proves(claims.gradients_of_all_layers)
def by_induction_over_layers(claim: Claim) -> Certificate:
    """D <= (4 x^2 + 48 x^3 k) sqrt T after k layers, and 12 k x <= 1."""
    k, D = claims.below, claims.descended

    def body(at: Any) -> Implies:
        inside = Compare(D(at), "<=", (4 * claims.x**2 + 48 * claims.x**3 * at) * sqrt(T))
        return Implies(Compare(at, "<=", depth), inside)

    d, n, root = Symbol("d", real=True), Symbol("n", nonnegative=True), Symbol("r", positive=True)
    below = Compare(d, "<=", (4 * x**2 + 48 * x**3 * n) * y)
    layer = in_box(
        Compare(d + 18 * x**2 * (root * x * y + d), "<=", (4 * x**2 + 48 * x**3 * (n + 1)) * y),
        given=(below, Compare(n + 1, "<=", depth), Compare(root, "<=", Rational(1415, 1000))),
        terms={d: D(k), n: k, root: sqrt(2)},
    )  # fmt: skip
    following = Compare(k + 1, "<=", depth)
    before = joint(body(k).conclusion, assume(body(k)), given=(following,))
    irrational = joint(Compare(sqrt(2), "<=", Rational(1415, 1000)) & Compare(sqrt(2), ">", 0))
    step = joint(body(k + 1).conclusion, recursion_step(D, k), cut(layer, before, irrational))
    every = induction(joint(body(0), recursion_start(D)), discharge(step, following), k)
    inside = Compare(k, "<=", depth)
    printed = conjuncts(claims.gradients_of_all_layers.formula)
    last = in_box(
        Compare((4 * x**2 + 48 * x**3 * n) * y, "<=", 12 * x**2 * y),
        given=(Compare(n, "<=", depth),), terms={n: k},
    )  # fmt: skip
    domain = claims.gradients_of_all_layers.domain
    named = unfold(claims.largest_shift(k), D(k), domain, ((k, 0, depth),))
    whole_norm = unfold(claims.largest_gradient(k), claims.leading + D(k), domain, ((k, 0, depth),))
    most = Compare(claims.leading, "<=", claims.x * sqrt(T))
    one = joint(
        printed[0].body, instance(every, k), last, named, whole_norm, given=(inside, most)
    )  # fmt: skip
    whole = both(generalise(one, k, 0, depth), in_box(in_symbols(printed[1])))
    return conclude(claim, whole, method="induction over the layers; polynomials in the box")
