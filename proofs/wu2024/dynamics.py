r"""Proofs about the dynamics without LayerNorm: induction over layers, Cauchy-Schwarz, convexity."""

from __future__ import annotations

from operator import eq
from typing import Any

from sympy import Abs, MatrixSymbol, Symbol, symbols

from claims.domain import Array, Domain, Size
from claims.model import Claim
from claims.statement import Compare, ForAll, Formula
from claims.terms import MaxOver, entry
from claims.wu2024 import dynamics as claims
from claims.wu2024.dynamics import (
    largest,
    largest_token,
    product_bound,
    values_up_to,
    weight_bound,
)
from claims.wu2024.notation import WK, WQ, WV, A, N, T, X, attention, d, t
from claims.wu2024.setup import AttentionSequence
from proofs.calculation import at_places, extremum_over, linked, squared, weighed
from proofs.certificate import Certificate, Identity
from proofs.conclude import conclude
from proofs.decide import decide, same
from proofs.kernel import (
    Theorem,
    assume,
    generalise,
    instance,
    joint,
    recursion_start,
    recursion_step,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.cone import score, score_below
from proofs.wu2024.norms import (
    Rows,
    combination,
    combination_inside,
    combination_is_short,
    inner,
    row,
)
from proofs.wu2024.spherical import to_last_layer
from proofs.wu2024.steps import identity_step
from proofs.wu2024.unrolled import columns, unrolled

# Eq. (3) ------------------------------------------------------------------------------------------


@proves(claims.update_normalises_the_tokens_before)
def by_the_definition_of_layernorm(claim: Claim) -> Certificate:
    """D A X W_V divides each row of A X W_V = tilde X^{(t+1)} by its norm: that is LN of it."""
    entry, norm = Symbol("x_ij", real=True), Symbol("n_i", positive=True)
    step = identity_step(
        r"(D^{(t)}\tilde X^{(t+1)})_{ij}=\tilde x_{ij}/\|\tilde x_i\|_2=\mathrm{LN}(\tilde X^{(t+1)})_{ij}",
        (1 / norm) * entry, entry / norm, "definition of $D$ and of LN",
    )  # fmt: skip
    return decide(
        claim, claims.normalised_next, steps=(step,), method="definition of LN, entry by entry",
        same=eq,
    )  # fmt: skip


# Eq. (9) ------------------------------------------------------------------------------------------

_P, _Q = MatrixSymbol("P", N, N), MatrixSymbol("Q", d, d)
_one_layer = Domain((Size(N, 2, 3), Size(d, 1, 2), *(Array(m) for m in (X, A, WV, _P, _Q))))


def one_layer_more() -> Identity:
    """A (P X Q) W = (A P) X (Q W): the next attention comes first, the next value matrix last."""
    left, right = A * (_P * X * _Q) * WV, (A * _P) * X * (_Q * WV)
    if not same(left, right):
        raise ArithmeticError("matrix products do not associate")
    label = r"A^{(t)}\bigl(PX^{(0)}Q\bigr)W_V^{(t)}"
    return Identity(left, right, "associativity; induction over layers", _one_layer, label)


@proves(claims.tokens_are_one_product)
def by_induction_over_layers(claim: Claim) -> Certificate:
    """If X^{(t)} = P X Q, then X^{(t+1)} = (A P) X (Q W)."""
    return decide(
        claim, claims.attentions * X * claims.value_product, steps=(one_layer_more(),),
        method="induction over layers",
    )  # fmt: skip


# A2 -----------------------------------------------------------------------------------------------

one, other = symbols("i j", integer=True)
(longest,) = (assume(fact) for fact in largest_token.facts())


def limits_of(domain: Domain, symbol: Any) -> tuple[Theorem, ...]:
    """What the hypotheses say of one variable."""
    (variable,) = (v for v in domain.variables if v.symbol == symbol)
    return tuple(map(assume, variable.facts()))


@proves(claims.bounded_weights_bound_the_scores)
def by_cauchy_schwarz(claim: Claim) -> Certificate:
    """A score is an inner product of a query and a key, each at most C times its token."""
    domain = claims.bounded_weights_bound_the_scores.domain
    (_, queries), (_, keys) = (limits_of(domain, matrix) for matrix in (WQ, WK))
    size = Abs(score(one, other))
    bounded = joint(
        Compare(size, "<=", weight_bound**2 * largest),
        score_below(one, other, longest, (queries, keys), weight_bound, largest),
    )
    whole = extremum_over(MaxOver, bounded, (one, N), (other, N))
    read = unfold(claims.largest_score, whole.formula.left, domain)
    return conclude(
        claim, joint(claims.largest_score.at_most(weight_bound**2 * largest), whole, read),
        method="Cauchy-Schwarz",
    )  # fmt: skip


# A3 -----------------------------------------------------------------------------------------------

stochastic, signs, *_ = (assume(fact) for fact in AttentionSequence(attention, length=T).facts())


def averaged(layers: Any) -> Rows:
    """Rows of A^{(n-1)} ... A^{(0)} X, times all value matrices: Y^{(n)} W~^{(T)}."""
    return lambda i, j: inner(lambda m: columns(layers, i, m), lambda m: values_up_to(T, m, j))


def one_average_more(n: Any, token: Any) -> Theorem:
    """Row i of Y^{(n+1)} W~ has the squared norm of the average of rows of Y^{(n)} W~."""
    own = lambda k: entry(attention)(n, token, k)  # noqa: E731
    mixed = combination(own, averaged(n))

    def of_feature(j: Any) -> Theorem:
        value = lambda m: values_up_to(T, m, j)  # noqa: E731
        rows = lambda k, m: columns(n, k, m)  # noqa: E731
        stepped = weighed(value, lambda m: recursion_step(columns, n, token, m), d)
        inside = combination_inside(own, rows, value)
        return linked(Compare(averaged(n + 1)(token, j), "=", mixed(j)), stepped, inside)

    total, after = squared(of_feature, d), row(averaged(n + 1), token)
    return linked(Compare(inner(after, after), "=", inner(mixed, mixed)), total)


def averages_stay_short(limit: Theorem) -> Theorem:
    """For all n <= T and i: |(Y^{(n)} W~^{(T)})_i|^2 <= S^2 m^2, by convexity in every layer."""
    bound = product_bound**2 * largest

    def body(n: Any) -> Formula:
        own = row(averaged(n), one)
        return ForAll(one, 1, N, Compare(inner(own, own), "<=", bound))

    def started(j: Any) -> Theorem:
        """An entry of X W~ before any layer."""
        value = lambda m: values_up_to(T, m, j)  # noqa: E731
        return weighed(value, lambda m: recursion_start(columns, one, m), d)

    begun = squared(started, d)
    stretched, short = instance(limit, one), instance(longest, one)
    square = joint(Compare(product_bound**2, ">=", 0))
    own = row(averaged(0), one)
    start = linked(Compare(inner(own, own), "<=", bound), begun, stretched, short, square)
    n = t
    weights = lambda k: entry(attention)(n, one, k)  # noqa: E731
    convex = combination_is_short(
        weights, averaged(n), at_places(signs, n, one), at_places(stochastic, n, one),
        assume(body(n)), bound,
    )  # fmt: skip
    after = row(averaged(n + 1), one)
    step = joint(Compare(inner(after, after), "<=", bound), convex, one_average_more(n, one))
    return to_last_layer(generalise(start, one, 1, N), generalise(step, one, 1, N), n, T)


@proves(claims.bounded_products_bound_the_tokens)
def by_convexity(claim: Claim) -> Certificate:
    """X^{(T)}_i is a convex combination of the rows of X^{(0)} W^{(0)} ... W^{(T-1)}."""
    domain = claims.bounded_products_bound_the_tokens.domain
    limit = instance(limits_of(domain, claims.values)[-1], T)
    every = at_places(averages_stay_short(limit), T, one)
    read = squared(lambda j: at_places(unrolled(), T, one, j), d)
    bound = product_bound**2 * largest
    below = linked(Compare(read.formula.left, "<=", bound), read, every)
    whole = extremum_over(MaxOver, below, (one, N))
    size = unfold(claims.largest_after, whole.formula.left, domain)
    return conclude(
        claim, joint(claims.largest_after.at_most(bound), whole, size),
        method="convexity of the norm, rows of products of row-stochastic matrices",
    )  # fmt: skip
