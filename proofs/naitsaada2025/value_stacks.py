r"""Two second moments of $\Sigma_L$, one layer after the other: their recursion has two eigenvectors.

For $S=X^\top X$ and a standard normal $W$ with $d$ columns, $\mathbb E(\mathrm{tr}\,W^\top SW)^2
=d^2(\mathrm{tr}S)^2+2d\,\mathrm{tr}S^2$ and $\mathbb E\,\mathrm{tr}(W^\top SW)^2=d(\mathrm{tr}S)^2
+(d^2+d)\mathrm{tr}S^2$.  So the first mean plus twice the second is multiplied by $d(d+2)$, and their
difference by $d(d-1)$.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Eq, Expr, Integer, MatrixSymbol, Piecewise, Symbol, Trace, oo, symbols

from claims.model import Claim
from claims.naitsaada2025 import value_stacks as claims
from claims.naitsaada2025.notation import T, d
from claims.naitsaada2025.value_stacks import layers
from claims.statement import And, Compare
from claims.terms import Recursion
from proofs.calculation import algebra
from proofs.calculus.wick import Gaussian, expectation, trace_normal_form
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import GEOMETRIC
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    fact,
    generalise,
    identity,
    induction,
    instance,
    joint,
    limit,
    limit_combined,
    part,
    recursion_start,
    recursion_step,
    squeezed,
    unfold,
)
from proofs.registry import proves

t = Symbol("t", integer=True, nonnegative=True)
p, q, a, b, x, y, g, rho, n, m = symbols("p q a b x y g rho n m", real=True)
FEATURES = Compare(d, ">=", 1)
RATIO = (d - 1) / (d + 2)


def one_layer(square: Any, trace: Any) -> tuple[Any, Any]:
    """The two means after a layer, from those before."""
    return d**2 * square + 2 * d * trace, d * square + (d**2 + d) * trace


def _by_parts() -> bool:
    """Whether that is what Gaussian integration by parts gives."""
    X, W = MatrixSymbol("X", T, d), MatrixSymbol("W", d, d)
    law, gram = [Gaussian(W, 1)], X.T * X
    after, before = Trace(W.T * gram * W), (Trace(gram) ** 2, Trace(gram * gram))
    found = after**2, Trace(W.T * gram * W * W.T * gram * W)
    pairs = zip(found, one_layer(*before), strict=True)
    return all(
        trace_normal_form(expectation(mean, law)) == trace_normal_form(value)
        for mean, value in pairs
    )


def _step(_: Any, place: Any, before: Any) -> Expr:
    square, trace = one_layer(before(1), before(2))
    return Piecewise((square, Eq(place, 1)), (trace, True))


means = Recursion("s", lambda place: Piecewise((T**2, Eq(place, 1)), (T, True)), _step)


def _parts(at: Any) -> And:
    """The parts of the two means that belong to the eigenvalues."""
    square, trace = means(at, 1), means(at, 2)
    return And((
        Compare(square + 2 * trace, "=", T * (T + 2) * (d * (d + 2)) ** at),
        Compare(square - trace, "=", T * (T - 1) * (d * (d - 1)) ** at),
    ))  # fmt: skip


@cache
def eigenvectors() -> Theorem:
    """Both parts, for all layers."""
    assert _by_parts()
    start = joint(_parts(Integer(0)), *(recursion_start(means, k) for k in (1, 2)))
    square, trace = (term.xreplace({d: n}) for term in one_layer(p, q))
    given = (
        Compare(p + 2 * q, "=", m * (m + 2) * x), Compare(p - q, "=", m * (m - 1) * y),
        Compare(a, "=", square), Compare(b, "=", trace),
    )  # fmt: skip
    step = And((
        Compare(a + 2 * b, "=", m * (m + 2) * (n * (n + 2) * x)),
        Compare(a - b, "=", m * (m - 1) * (n * (n - 1) * y)),
    ))  # fmt: skip
    terms = {p: means(t, 1), q: means(t, 2), a: means(t + 1, 1), b: means(t + 1, 2)}
    terms |= {x: (d * (d + 2)) ** t, y: (d * (d - 1)) ** t, n: d, m: T}
    before = assume(_parts(t))
    steps = (recursion_step(means, t, k) for k in (1, 2))
    return induction(
        start, algebra(step, given, terms, part(before, 0), part(before, 1), *steps), t
    )


@cache
def _powers() -> Theorem:
    """0 <= ((d - 1)/(d + 2))^t <= 1."""

    def body(at: Any) -> And:
        return And((Compare(RATIO**at, ">=", 0), Compare(RATIO**at, "<=", 1)))

    ends = joint(Compare(RATIO, ">=", 0) & Compare(RATIO, "<=", 1), given=(FEATURES,))
    given = (
        Compare(g, ">=", 0), Compare(g, "<=", 1), Compare(rho, ">=", 0), Compare(rho, "<=", 1),
    )  # fmt: skip
    before = assume(body(t))
    known = (part(before, 0), part(before, 1), part(ends, 0), part(ends, 1))
    step = And((Compare(rho * g, ">=", 0), Compare(rho * g, "<=", 1)))
    one = algebra(step, given, {g: RATIO**t, rho: RATIO}, *known)
    return induction(joint(body(Integer(0))), one, t)


def _between(parts: tuple[Theorem, Theorem]) -> Theorem:
    """1 <= P/Q <= 1 + (T - 1) ((d - 1)/(d + 2))^L: it is (1 + 2c)/(1 - c), c <= (T - 1)/(T + 2)."""
    powers = instance(_powers(), layers)
    scale = joint(Compare((d * (d + 2)) ** layers, ">", 0), given=(FEATURES,))
    given = (
        Compare(p + 2 * q, "=", m * (m + 2) * x), Compare(p - q, "=", m * (m - 1) * (x * g)),
        Compare(x, ">", 0), Compare(g, ">=", 0), Compare(g, "<=", 1), Compare(m, ">=", 1),
    )  # fmt: skip
    terms = {p: claims.P, q: claims.Q, x: (d * (d + 2)) ** layers, g: RATIO**layers, m: T}
    same = identity((d * (d - 1)) ** layers, (d * (d + 2)) ** layers * RATIO**layers)
    goal = Compare(claims.P - claims.Q, "=", T * (T - 1) * same.formula.right)  # type: ignore[attr-defined]
    known = (parts[0], joint(goal, parts[1], same), scale, part(powers, 0), part(powers, 1))
    positive = algebra(Compare(q, ">", 0), given, terms, *known)
    above = algebra(Compare(p, "<=", (1 + (m - 1) * g) * q), given, terms, *known)
    below = algebra(Compare(p, ">=", q), given, terms, *known)
    ends = And((Compare(1, "<=", p / q), Compare(p / q, "<=", 1 + b)))
    last = (Compare(q, ">", 0), Compare(p, "<=", (1 + b) * q), Compare(p, ">=", q))
    named = {p: claims.P, q: claims.Q, b: (T - 1) * RATIO**layers}
    return algebra(ends, last, named, positive, above, below)


@proves(claims.values_alone_collapse_over_as_many_layers_as_features)
def by_eigenvectors_of_the_recursion(claim: Claim) -> Certificate:
    """Both parts are geometric, and the smaller vanishes beside the larger."""
    domain, over = (
        claims.values_alone_collapse_over_as_many_layers_as_features.domain,
        (layers, 0, oo),
    )
    read = [
        unfold(mean, means(layers, place), domain, (over,))
        for place, mean in ((1, claims.P), (2, claims.Q))
    ]
    shown = instance(eigenvectors(), layers)
    goals = [
        Compare(claims.P + 2 * claims.Q, "=", part(shown, 0).formula.right),
        Compare(claims.P - claims.Q, "=", part(shown, 1).formula.right),
    ]
    parts = joint(goals[0], part(shown, 0), *read), joint(goals[1], part(shown, 1), *read)
    quotient = _between(parts)
    vanishes = cut(
        fact(GEOMETRIC, q=RATIO, k=layers),
        joint(Compare(RATIO, ">=", 0), given=(FEATURES,)),
        joint(Compare(RATIO, "<", 1), given=(FEATURES,)),
    )
    below, above = (generalise(part(quotient, k), *over) for k in (0, 1))
    high = limit_combined(1 + (T - 1) * g, {g: vanishes})
    tends = squeezed(below, above, limit(Integer(1), layers), high)
    theorem = both(generalise(both(*parts, part(quotient, 0), part(quotient, 1)), *over), tends)
    return conclude(claim, theorem, method="eigenvectors of the recursion of two means")
