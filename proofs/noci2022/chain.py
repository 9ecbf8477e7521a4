r"""Proofs of the norm-by-norm bound of App. A.1.3 and of what survives of it in mean.

The Frobenius norm is submultiplicative because the loss is itself a square: for A of shape (p, q)
and B of shape (q, r),

    ||A||^2 ||B||^2 - ||A B||^2 = (1/2) ||(A (x) B^T)(I - K_qq)||^2

(Lagrange's identity for every row of A and column of B at once).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sympy import Dummy, Expr, Integer, MatrixSymbol, Sum, Symbol, symbols
from sympy.matrices.expressions import Identity as IdentityMatrix
from sympy.matrices.expressions import KroneckerProduct

from claims.domain import Array, Domain, Size
from claims.expressions import Commutation, FrobSq
from claims.model import Claim
from claims.noci2022 import chain as claims
from claims.noci2022.notation import p, q, r
from claims.statement import Compare
from claims.terms import Recursion
from proofs.calculation import linked, summed_over
from proofs.calculus.networks import equal
from proofs.certificate import Certificate, Checked, Identity
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.facts import CAUCHY_SCHWARZ, FUBINI
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    derived,
    fact,
    induction,
    instance,
    joint,
    recursion_start,
    recursion_step,
    substitute,
)
from proofs.registry import proves

METHOD = "chain rule and Lagrange's identity, factor by factor"
CHAINS = "every number of blocks, all sizes, all Jacobians (hence all weights, tokens and losses)"

A, B = MatrixSymbol("A", p, q), MatrixSymbol("B", q, r)
_GAP = FrobSq(A) * FrobSq(B) - FrobSq(A * B)
_PAIRS = KroneckerProduct(A, B.T) * (IdentityMatrix(q * q) - Commutation(q, q))
_SQUARE = FrobSq(_PAIRS) / 2
_SIZES = Domain((Size(p, 1, 3), Size(q, 1, 3), Size(r, 1, 3), Array(A), Array(B)))


def submultiplicative() -> tuple[Checked, Identity]:
    """||A B||^2 <= ||A||^2 ||B||^2 for symbolic shapes; a chain of k factors follows by induction."""
    label = r"\|A\|_F^2\|B\|_F^2-\|AB\|_F^2"
    return (
        Checked(
            r"\|AB\|_F^2\le\|A\|_F^2\|B\|_F^2,\ \text{and so}\ "
            r"\|A_1\cdots A_kA_{k+1}\|_F^2\le\|A_1\cdots A_k\|_F^2\|A_{k+1}\|_F^2"
            r"\le\textstyle\prod_{i\le k+1}\|A_i\|_F^2",
            by="the gap is a squared norm for symbolic shapes; induction on $k$",
            test=lambda: equal(_GAP, _SQUARE),
        ),
        Identity(_GAP, _SQUARE, "normal form of networks", _SIZES, label=label),
    )


# Norm by norm -------------------------------------------------------------------------------------

Entries = Callable[[Any, Any], Expr]
Vector = Callable[[Any], Expr]
a, b = symbols("a b", integer=True)
m = Symbol("m", integer=True, nonnegative=True)


@dataclass(frozen=True)
class Links:
    """The Jacobians along a chain, and what is made of them: for one outcome of a law, or alone."""

    upstream: Vector
    later: Callable[[Any], Entries]
    mixing: Entries
    queries: Entries
    backward: Recursion
    norms_so_far: Recursion
    which: tuple[Any, ...] = ()
    """The outcome, where there are several."""

    def row(self, count: Any) -> Vector:
        """dL by the tokens that enter the last `count` blocks."""
        return lambda b: self.backward(count, *self.which, b)

    def norms(self, count: Any) -> Expr:
        return self.norms_so_far(count, *self.which)


backward = Recursion(
    "g",
    lambda b: claims.upstream(b),
    lambda m, b, before: Sum(before(a) * claims.from_the_last(m)(a, b), (a, 1, claims.width)),
)
"""dL by the tokens that enter the later blocks, from the last on."""
ALONE = Links(
    claims.upstream, claims.from_the_last, claims.mixing_jacobian, claims.query_entries, backward,
    claims.norms_so_far,
)  # fmt: skip

s = claims.outcome
backward_in = Recursion(
    "g",
    lambda s, b: claims.upstream_in(s, b),
    lambda m, s, b, before: Sum(
        before(s, a) * claims.from_the_last_in(s, m)(a, b), (a, 1, claims.width)
    ),
)
IN_OUTCOME = Links(
    lambda b: claims.upstream_in(s, b),
    lambda m: claims.from_the_last_in(s, m),
    lambda a, b: claims.mixing_jacobian_in(s, a, b),
    lambda a, b: claims.query_entries_in(s, a, b),
    backward_in,
    claims.norms_so_far_in,
    (s,),
)


def squared(row: Vector, length: Any = claims.width) -> Expr:
    return Sum(row(b) ** 2, (b, 1, length))


def through(row: Vector, jacobian: Entries) -> Vector:
    """A row times a Jacobian."""
    k = Dummy("k", integer=True)
    return lambda b: Sum(row(k) * jacobian(k, b), (k, 1, claims.width))


def no_longer(row: Vector, jacobian: Entries, columns: Any = claims.width) -> Theorem:
    """|gJ|^2 <= |g|^2 |J|^2: Cauchy's inequality for every column."""
    cauchy = fact(CAUCHY_SCHWARZ, a=row(a), b=jacobian(a, b), k=a, low=1, high=claims.width)
    total = summed_over(cauchy, (b, columns))
    bound = squared(row) * claims.squares(jacobian, columns)
    left = squared(through(row, jacobian), columns)
    return linked(Compare(left, "<=", bound), total)


def squares_not_negative(jacobian: Entries, columns: Any = claims.width) -> Theorem:
    """|J|^2 >= 0."""
    inside = summed_over(joint(Compare(0, "<=", jacobian(a, b) ** 2)), (a, claims.width))
    total = summed_over(inside, (b, columns))
    whole = claims.squares(jacobian, columns)
    return linked(Compare(whole, ">=", 0), total)


@cache
def through_later_blocks(links: Links) -> Theorem:
    """For all m: |g_m|^2 <= |dL/dX^L|^2 times the norms of the last m blocks."""
    which = links.which
    start_norm = squared(links.upstream)
    body = lambda count: Compare(  # noqa: E731
        squared(links.row(count)), "<=", start_norm * links.norms(count)
    )
    first = summed_over(
        same_square(0, recursion_start(links.backward, *which, b)), (b, claims.width)
    )
    start = joint(body(Integer(0)), first, recursion_start(links.norms_so_far, *which))
    jacobian = links.later(m)
    step = summed_over(
        same_square(m + 1, recursion_step(links.backward, m, *which, b)), (b, claims.width)
    )
    longer, after = (
        no_longer(links.row(m), jacobian),
        recursion_step(links.norms_so_far, m, *which),
    )
    u, v, p, q, w = symbols("u v p q w", real=True)
    grown = joint(
        Compare(u, "<=", p * w),
        given=(
            Compare(u, "<=", v * q), Compare(v, "<=", p), Compare(q, ">=", 0), Compare(w, "=", q),
        ),
    )  # fmt: skip
    norm = claims.squares(jacobian)
    terms = {
        u: squared(links.row(m + 1)), v: squared(links.row(m)), p: start_norm * links.norms(m),
        q: norm, w: norm,
    }  # fmt: skip
    at_most = linked(Compare(terms[u], "<=", terms[v] * norm), step, longer)
    found = cut(
        substitute(grown, terms), at_most, assume(body(m)), squares_not_negative(jacobian),
        joint(Compare(norm, "=", norm)),
    )  # fmt: skip
    return induction(start, joint(body(m + 1), found, after), m)


def same_square(count: Any, equal: Theorem) -> Theorem:
    """Equal numbers have equal squares."""
    left, right = equal.formula.left, equal.formula.right  # type: ignore[attr-defined]
    return joint(Compare(left**2, "=", right**2), equal)


@proves(claims.loss_gradient_is_bounded_norm_by_norm)
def by_submultiplicativity(claim: Claim) -> Certificate:
    """The chain rule writes the gradient as a row times Jacobians, each of which lengthens it."""
    domain = claims.loss_gradient_is_bounded_norm_by_norm.domain
    known = [assume(v.known[0]) for v in domain.variables if getattr(v, "known", ())]
    after = claims.later_norms * claims.loss_norm
    joined, parted = after * claims.joined_norm, after * claims.block_norm
    lines = (
        joint(claims.loss_gradient_square.at_most(joined), at_most_joined(domain), *known),
        joint(
            Compare(joined, "<=", parted * claims.attended_norm), after_is_not_negative(),
            joined_apart(), *known,
        ),
        joint(
            Compare(parted * claims.attended_norm, "<=", parted * claims.scaled_query_norm), *known
        ),
    )  # fmt: skip
    return conclude(claim, both(*lines), steps=submultiplicative(), method=METHOD)


@cache
def at_most_joined(domain: Domain) -> Theorem:
    """|g (M Q)|^2 <= |dL/dX^L|^2 times the later norms and |M Q|^2."""
    row = ALONE.row(claims.later_blocks)
    whole = no_longer(row, claims.mixed_queries, claims.inputs)
    left = whole.formula.left  # type: ignore[attr-defined]
    gradient = derived(claims.loss_gradient_square, left, domain, "chain rule")
    later = instance(through_later_blocks(ALONE), claims.later_blocks)
    bound = later.formula.right  # type: ignore[attr-defined]
    norm = claims.squares(claims.mixed_queries, claims.inputs)
    return joint(
        claims.loss_gradient_square.at_most(bound * norm),
        gradient, whole, later, squares_not_negative(claims.mixed_queries, claims.inputs),
    )  # fmt: skip


@cache
def joined_apart() -> Theorem:
    """|M Q|^2 <= |M|^2 |Q|^2: Cauchy's inequality for every entry."""
    k, size = Symbol("k", integer=True), claims.width
    mixing, queries = claims.mixing_jacobian, claims.query_entries
    cauchy = fact(CAUCHY_SCHWARZ, a=mixing(a, k), b=queries(k, b), k=k, low=1, high=size)
    by_rows = Sum(Sum(mixing(a, k) ** 2, (k, 1, size)), (a, 1, size))
    column = Sum(claims.mixed_queries(a, b) ** 2, (a, 1, size))
    each = linked(
        Compare(column, "<=", by_rows * Sum(queries(a, b) ** 2, (a, 1, size))),
        summed_over(cauchy, (a, size)),
    )  # fmt: skip
    left = claims.squares(claims.mixed_queries, claims.inputs)
    norm = claims.squares(queries, claims.inputs)
    total = linked(Compare(left, "<=", by_rows * norm), summed_over(each, (b, claims.inputs)))
    return joint(
        Compare(left, "<=", claims.squares(mixing) * norm),
        total, fact(FUBINI, a=mixing(a, k) ** 2, j=a, k=k, rows=size, columns=size),
    )  # fmt: skip


def after_is_not_negative() -> Theorem:
    """Later norms times |dL/dX^L|^2, as their variables declare."""
    after = claims.later_norms * claims.loss_norm
    return joint(Compare(after, ">=", 0))


def gradient_norm(links: Links) -> Expr:
    """|g M Q|^2: the chain rule."""
    mixed = through(links.row(claims.later_blocks), links.mixing)
    return squared(through(mixed, links.queries), claims.inputs)


@cache
def all_factors(links: Links) -> Theorem:
    """The gradient is at most the product of all norms."""
    last = links.row(claims.later_blocks)
    later = instance(through_later_blocks(links), claims.later_blocks)
    first = no_longer(last, links.mixing)
    second = no_longer(through(last, links.mixing), links.queries, claims.inputs)
    u, v, w, p, q, s = symbols("u v w p q s", real=True)
    chained = joint(
        Compare(u, "<=", p * q * s),
        given=(
            Compare(u, "<=", v * s), Compare(v, "<=", w * q), Compare(w, "<=", p),
            Compare(q, ">=", 0), Compare(s, ">=", 0),
        ),
    )  # fmt: skip
    terms = {
        u: second.formula.left, v: first.formula.left, w: later.formula.left,  # type: ignore[attr-defined]
        p: later.formula.right, q: claims.squares(links.mixing),  # type: ignore[attr-defined]
        s: claims.squares(links.queries, claims.inputs),
    }  # fmt: skip
    return cut(
        substitute(chained, terms), second, first, later,
        squares_not_negative(links.mixing),
        squares_not_negative(links.queries, claims.inputs),
    )  # fmt: skip


@proves(claims.later_factors_average_out_given_the_tokens)
def by_exact_witness(claim: Claim) -> Certificate:
    """Two tokens of width one: the factors share W^V, and 3 = E w^4 / (E w^2)^2 beats n = 2."""
    return refute(claim, method="exact moments at small points")


@cache
def bounded_in_mean() -> Theorem:
    """The bound in every outcome, summed over the law."""
    domain = claims.loss_gradient_is_bounded_in_mean.domain
    each = all_factors(IN_OUTCOME)
    total = summed_over(each, (s, claims.outcomes))
    left, right = total.formula.left, total.formula.right  # type: ignore[attr-defined]
    gradient = derived(claims.mean_gradient, left / claims.outcomes, domain, "chain rule")
    product = derived(claims.mean_product, right / claims.outcomes, domain, "definition")
    some = Compare(claims.outcomes, ">=", 1)
    means = joint(
        Compare(left / claims.outcomes, "<=", right / claims.outcomes), total, given=(some,)
    )
    return joint(claims.mean_gradient.at_most(claims.mean_product), gradient, product, means)


@proves(claims.loss_gradient_is_bounded_in_mean)
def by_monotonicity_of_the_mean(claim: Claim) -> Certificate:
    """The pointwise bound, averaged."""
    method = f"{METHOD}; monotonicity of the expectation"
    return conclude(claim, bounded_in_mean(), steps=submultiplicative(), method=method)
