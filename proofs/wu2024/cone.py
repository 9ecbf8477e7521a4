r"""Proofs of Lemma 4 and Lemma 5: scores are bounded, and tokens stay in the rotated initial cone."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Symbol, exp, sqrt, symbols

from claims.model import Claim
from claims.statement import Compare, put
from claims.terms import MinOver, Recursion, entry
from claims.wu2024 import cone as claims
from claims.wu2024.cone import coefficient, direction, gamma, rotation, scale, values, weight
from claims.wu2024.lengths import i, j
from claims.wu2024.masks import d_QK
from claims.wu2024.notation import WK, WQ, WV, C, G, N, T, X, attention, d, t
from claims.wu2024.setup import AttentionSequence, Direction, Orthogonal, UnitRows
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import CAUCHY_SCHWARZ, DELTA, DELTA_SUM, EXP_INCREASES
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    extremum_bounds,
    fact,
    generalise,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    substitute,
    sum_compared,
    unfold,
)  # fmt: skip
from proofs.registry import proves
from proofs.wu2024.norms import (
    Row,
    combination,
    combination_inside,
    equal_sums,
    inner,
    place,
    rotated,
    rotation_keeps_products,
    row,
    summed,
    sums_compared,
)  # fmt: skip
from proofs.wu2024.reach import marks
from proofs.wu2024.spherical import Sphere, to_last_layer

TOKENS = "all N, d >= 1, all masks with self-loops, all orthogonal value matrices, all t"
x, edge = entry(X), entry(G)
(units,) = (assume(f) for f in UnitRows(X).facts())

# Lemma 4 ------------------------------------------------------------------------------------------


_one, _other = symbols("i_1 j_1", integer=True)
_SCORE = inner(rotated(row(x, _one), entry(WQ)), rotated(row(x, _other), entry(WK)))


def score(one: Any, other: Any) -> Expr:
    """R_ij sqrt(d_QK); one expression, so that equal scores cancel."""
    return put(_SCORE, {_one: one, _other: other})


def score_is_bounded(one: Any, other: Any) -> Theorem:
    """|R_ij| sqrt(d_QK) <= C^2 for unit tokens."""
    queries, keys = (rotated(row(x, n), entry(w)) for n, w in ((one, WQ), (other, WK)))
    k = place()
    schwarz = fact(CAUCHY_SCHWARZ, a=queries(k), b=keys(k), k=k, low=1, high=d)
    bound = assume(claims.bounded_weights.formula)
    sides = [
        joint(Compare(inner(side, side), "<=", C**2), instance(part(bound, n), token), instance(units, token))
        for n, (side, token) in enumerate(((queries, one), (keys, other)))
    ]  # fmt: skip
    q, a, b = symbols("q a b", real=True)
    root = joint(
        Compare(q, "<=", C**2) & Compare(q, ">=", -(C**2)),
        given=(
            Compare(q**2, "<=", a * b), Compare(a, "<=", C**2), Compare(b, "<=", C**2),
            Compare(a, ">=", 0), Compare(b, ">=", 0),
        ),
    )  # fmt: skip
    from proofs.wu2024.norms import square_is_nonnegative

    terms = {q: score(one, other), a: inner(queries, queries), b: inner(keys, keys)}
    return cut(
        substitute(root, terms), schwarz, *sides, square_is_nonnegative(queries),
        square_is_nonnegative(keys),
    )  # fmt: skip


@proves(claims.attention_has_a_floor_under_layernorm)
def by_bounded_scores(claim: Claim) -> Certificate:
    """Unit tokens have scores within C^2/sqrt(d_QK) of zero, whatever the layer."""
    domain = claims.attention_has_a_floor_under_layernorm.domain
    temperature, spread = sqrt(d_QK), exp(2 * C**2 / sqrt(d_QK))
    ratio = lambda k: edge(k, i) * exp((score(i, k) - score(i, j)) / temperature)  # noqa: E731
    term = edge(j, i) / summed(ratio, N)
    inside = Compare(edge(j, i), "=", 1)

    def of_neighbour(k: Any) -> Theorem:
        """At most e^{2s}, and one for k = j."""
        gap = (score(i, k) - score(i, j)) / temperature
        above = joint(
            Compare(gap, "<=", 2 * C**2 / temperature), score_is_bounded(i, k),
            score_is_bounded(i, j),
        )  # fmt: skip
        larger = cut(fact(EXP_INCREASES, a=gap, b=2 * C**2 / temperature), above)
        m = place()
        own = fact(DELTA, a=k, b=j, term=ratio(m), place=m)
        delta, a, e, u, b = KroneckerDelta(k, j), *symbols("a e u b", real=True)
        cases = joint(
            Compare(e * u, "<=", b + (1 - b) * a),
            given=(
                Compare(u, "<=", b), Compare(u, ">=", 0), Compare(a * (1 - a), "=", 0),
                Compare(a * e * u, "=", a), Compare(e * (1 - e), "=", 0), Compare(b, ">=", 0),
            ),
        )  # fmt: skip
        terms = {u: exp(gap), b: spread, a: delta, e: edge(k, i)}
        alone = joint(Compare(delta * ratio(k), "=", delta), part(own, 2), assume(inside))
        return cut(
            substitute(cases, terms), larger, part(own, 1), alone, instance(instance(marks, i), k),
            joint(Compare(exp(gap), ">=", 0)), joint(Compare(spread, ">=", 0)),
        )  # fmt: skip

    total = sums_compared(of_neighbour, N)
    m = place()
    ones = fact(DELTA_SUM, place=j, k=m, low=1, high=N)
    whole = joint(
        Compare(summed(ratio, N), "<=", 1 + (N - 1) * spread), total, ones,
        equal_sums(total.formula.right, N * spread + (1 - spread) * ones.formula.left),
        equal_sums(total.formula.left, summed(ratio, N)),
    )  # fmt: skip
    reached = at_least_own(ratio, inside)
    size = unfold(weight(i, j), term, domain, ((i, 1, N), (j, 1, N)))
    a, b, w, e = symbols("a b w e", real=True)
    inverse = joint(
        Compare(w, ">=", 1 / b),
        given=(Compare(w, "=", e / a), Compare(e, "=", 1), Compare(a, ">=", 1), Compare(a, "<=", b)),
    )  # fmt: skip
    terms = {w: weight(i, j), a: summed(ratio, N), b: 1 + (N - 1) * spread, e: edge(j, i)}
    floor = cut(substitute(inverse, terms), size, reached, whole, assume(inside))
    theorem = generalise(generalise(discharge(floor, inside), j, 1, N), i, 1, N)
    return conclude(
        claim, theorem, method="Cauchy-Schwarz inequality for the scores",
        scope="all N, d, d_QK >= 1, all masks, all layers",
    )  # fmt: skip


def at_least_own(ratio: Row, inside: Compare) -> Theorem:
    """A row of softmax weights contains its own term, which is one."""
    from proofs.kernel import sum_at_least_term

    k = place()
    positive = joint(Compare(ratio(k), ">=", 0), instance(instance(marks, i), k))
    own = sum_at_least_term(generalise(positive, k, 1, N), j)
    return joint(Compare(summed(ratio, N), ">=", 1), own, assume(inside))


# Lemma 5 ------------------------------------------------------------------------------------------


def sphere() -> Sphere:
    """The layers of Lemma 5: an orthogonal value matrix for each."""
    stochastic, signs, *_ = (
        assume(f) for f in AttentionSequence(attention, length=T).facts()
    )
    (orthogonal,) = (assume(f) for f in claims.theorem_2.variables[-1].facts())
    return Sphere(
        lambda t: lambda m, k: entry(values)(t, m, k), lambda t: instance(orthogonal, t),
        stochastic, signs,
    )  # fmt: skip


SPHERE = sphere()
unit_direction, positive_products = (
    assume(f) for f in Direction(direction, tokens=X).facts()
)
turning = Recursion(
    "v",
    lambda k: entry(direction)(1, k),
    lambda t, k, before: rotated(before, lambda m, k: entry(values)(t, m, k))(k),
)
"""v W^{(0)} ... W^{(t-1)}: the direction turns with the tokens."""


def along(t: Any) -> Row:
    return lambda k: turning(t, k)


def least_product() -> Expr:
    """gamma."""
    n = place("n")
    return MinOver(inner(row(x, n), lambda k: entry(direction)(1, k)), (n, 1, N))
