r"""Limits of the moments of $N=YY^\top$ through layers of random weights and attention.

By independence of rows, $\mathbb E\,N_{ij}N_{km}=P\,\delta_{ij}\delta_{km}+R(\delta_{ik}\delta_{jm}
+\delta_{im}\delta_{jk})+Q\,\delta_{ijkm}$ at every layer.  Divided by what a layer multiplies them by,
$P$, $R$ (times the size) and $Q$ follow recursions whose coefficients converge as $k\to\infty$; their
limits follow by induction on the layer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import count
from operator import mul
from typing import Any

from sympy import Eq, Expr, Integer, Piecewise, Poly, Symbol, oo, prod, symbols, sympify

from claims.domain import Domain
from claims.model import Claim, Relation
from claims.naitsaada2025 import second_moments as claims
from claims.naitsaada2025.notation import T_1, d_1, ell, gamma, mean_Z, sigma_A, sigma_V, size
from claims.naitsaada2025.shares import covariance, fourth, quartic
from claims.statement import And, Tends
from claims.terms import Recursion, put
from proofs.calculus.normal import same
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.decide import refute
from proofs.kernel import (
    ProofError,
    Theorem,
    assume,
    both,
    derived,
    generalise,
    induction,
    instance,
    limit,
    limit_combined,
    limit_rewritten,
    part,
    recursion_start,
    recursion_step,
    substitute,
    unfold,
)
from proofs.naitsaada2025.row_moments import of_a_row

T, d, v = T_1 * size, d_1 * size, Symbol("v", positive=True)
VARIANCE = {v: (sigma_A / mean_Z) ** 2}
x_c, x_f, x_q = symbols("x_c x_f x_q", real=True)
FAMILIES = {x_c: covariance, x_f: fourth, x_q: quartic}
OF_A_ROW = {x: T**2 * family(T) for x, family in FAMILIES.items()}
"""Moments of a row that converge."""
RATIO = T_1 / d_1
t = Symbol("t", integer=True, nonnegative=True)
PLACES = (1, 2, 3)
COMMON = (sigma_A / mean_Z) ** 2 * sigma_V**2 * d_1 / T_1
"""What a layer of both multiplies a mean by, but for a factor that tends to one."""
METHOD = "fourth moments of rows, layer by layer; induction on the depth of the limits"

Matrix = tuple[tuple[Any, ...], ...]


def _chosen(place: Any, terms: Sequence[Any]) -> Any:
    """The term at a place."""
    first, second, third = map(sympify, terms)
    return Piecewise((first, Eq(place, 1)), (second, Eq(place, 2)), (third, True))


def _of_values() -> Matrix:
    """(P, d R): tr N^2 and (tr N)^2 of d x d, over d^2."""
    return ((1, 2 / d**2, 0), (1, 1 + 1 / d, 0), (0, 0, 0))


def _of_attention() -> Matrix:
    """(P, T R, Q): the same of N times c K, over T^2 m^4/sigma_A^4, and the fourth moments of one row."""
    less, own = T - 1, (T - 1) ** 2 / T
    pair = (x_c / (T * v)) ** 2
    first = [pair * x for x in (less**2, 2 * less / T, own)]
    second = [pair * x for x in (less, less, own)]
    whole = (x / v**2 for x in (x_f, 2 * x_f / T, x_q))
    third = [w - x - 2 * y for w, x, y in zip(whole, first, second, strict=True)]
    return tuple(first), tuple(T * x for x in second), tuple(third)


def _layers(name: str, matrix: Matrix, start: Sequence[Any]) -> Recursion:
    """The three, by layer and place, at a size."""

    def step(layer: Any, place: Any, at: Any, before: Callable[..., Any]) -> Any:
        rows = ([_at_size(m, at) for m in row] for row in matrix)
        terms = [before(c, at) for c in PLACES]
        return _chosen(place, [sum(map(mul, row, terms), start=Integer(0)) for row in rows])

    return Recursion(name, lambda place, at: _chosen(place, [_at_size(x, at) for x in start]), step)


def _at_size(term: Any, at: Any) -> Any:
    return put(put(sympify(term), OF_A_ROW), VARIANCE | {size: at})


values = _layers("w", _of_values(), (1, 0, 0))
attention = _layers("a", _of_attention(), (1, 0, 0))
signal = _layers("x", _of_attention(), (values(ell, 1, size), RATIO * values(ell, 2, size), 0))
KEPT = (T - 1) / (T * v) * x_c
mean = Recursion(
    "m", lambda at: Integer(1), lambda layer, at, before: before(at) * _at_size(KEPT, at)
)


def closed_form_limit(term: Any) -> Theorem:
    """The limit in k, for every variance of Z."""
    return substitute(limit(sympify(term), size), VARIANCE)


def _limit_of_terms(terms: Mapping[Any, Any], known: Mapping[Symbol, Theorem]) -> tuple[Any, Any]:
    """A combination of sequences whose coefficients hold moments of a row, with the limits of its parts."""
    names, parts = count(), dict(known) | {s: of_a_row(FAMILIES[s]) for s in FAMILIES}
    total: Any = Integer(0)
    for sequence, coefficient in terms.items():
        for powers, closed in Poly(sympify(coefficient), *OF_A_ROW).terms():
            name = Symbol(f"a{next(names)}", real=True)
            parts[name] = closed_form_limit(closed)
            total += name * sequence * prod(s**p for s, p in zip(OF_A_ROW, powers, strict=True))
    return total, {s: parts[s] for s in sorted(total.free_symbols, key=str)}


def _all_tend(function: Recursion, layer: Any, second: Any) -> And:
    """P tends to 1, R times the size to `second`, Q to 0."""
    ends = (Integer(1), second, Integer(0))
    tends = (Tends(function(layer, c, size), size, e) for c, e in zip(PLACES, ends, strict=True))
    return And(tuple(tends))


def combined_limit(term: Any, parts: Mapping[Symbol, Theorem], equal: Theorem) -> Theorem:
    """The limit of what equals a combination of sequences at every k."""
    return limit_rewritten(limit_combined(term, parts), generalise(equal, size, 1, oo))


def _one_layer(matrix: Matrix, function: Recursion, before: Theorem) -> Theorem:
    """The limits one layer on: the coefficients converge, and combine with those before."""
    found = []
    for place, row in zip(PLACES, matrix, strict=True):
        names = symbols("x1:4", real=True)
        known = {x: part(before, k) for k, x in enumerate(names)}
        term, parts = _limit_of_terms(dict(zip(names, row, strict=True)), known)
        found.append(combined_limit(term, parts, recursion_step(function, t, place, size)))
    return both(*found)


def _by_layers(matrix: Matrix, function: Recursion, first: Theorem, second: Any) -> Theorem:
    """For all layers t: P tends to 1, R times the size to `second` + t, Q to 0."""
    step = _one_layer(matrix, function, assume(_all_tend(function, t, second + t)))
    return induction(first, step, t)


def _starts(function: Recursion, found: Sequence[Theorem]) -> Theorem:
    terms = zip(PLACES, found, strict=True)
    return both(
        *(
            limit_rewritten(tends, generalise(recursion_start(function, c, size), size, 1, oo))
            for c, tends in terms
        )
    )


@cache
def of_values() -> Theorem:
    known = [limit(Integer(x), size) for x in (1, 0, 0)]
    return _by_layers(_of_values(), values, _starts(values, known), Integer(0))


@cache
def of_attention() -> Theorem:
    known = [limit(Integer(x), size) for x in (1, 0, 0)]
    return _by_layers(_of_attention(), attention, _starts(attention, known), Integer(0))


@cache
def of_signal() -> Theorem:
    """The layers of attention start from those of the values."""
    x, after = Symbol("x", real=True), instance(of_values(), ell)
    known = [
        part(after, 0),
        limit_combined(RATIO * x, {x: part(after, 1)}),
        limit(Integer(0), size),
    ]
    return _by_layers(_of_attention(), signal, _starts(signal, known), RATIO * ell)


@cache
def of_mean() -> Theorem:
    """For all layers: the factor tends to one."""
    body = Tends(mean(t, size), size, Integer(1))
    x = Symbol("x", real=True)
    term, parts = _limit_of_terms({x: KEPT}, {x: assume(body)})
    step = combined_limit(term, parts, recursion_step(mean, t, size))
    start = limit_rewritten(
        limit(Integer(1), size), generalise(recursion_start(mean, size), size, 1, oo)
    )
    return induction(start, step, t)


# What the claims speak of -------------------------------------------------------------------------

OVER_SIZES = ((size, 1, oo),)
_found = symbols("p r q s n m", real=True)
p, r, q, s, n, m = _found
"""Sequences of k in a combination: P, R, Q of one factor, P and R of the other, the mean's factor."""


def _limit_of(family: Any, term: Expr, sequences: Mapping[Symbol, Expr], parts: Any) -> Theorem:
    """The limit of what the definition says is a combination of the sequences."""
    said = unfold(family(size), put(term, sequences), claims.ANY_RATIO, OVER_SIZES)
    return combined_limit(term, parts, said)


def _mean_square(function: Recursion, rows: Expr, after: Theorem) -> tuple[Any, Any, Any]:
    """E tr N^2/rows over its scale: P + (1 + 1/rows) rows R + Q, with sequences and limits."""
    terms = dict(zip((p, r, q), (function(ell, c, size) for c in PLACES), strict=True))
    known = {x: part(after, k) for k, x in enumerate((p, r, q))}
    small = closed_form_limit(1 / rows)
    return p + (1 + n) * r + q, terms | {n: 1 / rows}, known | {n: small}


@cache
def mean_of(of: str) -> Theorem:
    """The mean of Sigma_l or J_l J_l^T: the same."""
    found = claims.covariance_first if of == "covariance" else claims.jacobian_first
    after = instance(of_mean(), ell)
    return _limit_of(found, COMMON**ell * m, {m: mean(ell, size)}, {m: after})


@cache
def mean_square_of(of: str) -> Theorem:
    if of == "covariance":
        term, terms, parts = _mean_square(signal, T, instance(of_signal(), ell))
        return _limit_of(claims.covariance_second, COMMON ** (2 * ell) * term, terms, parts)
    term, terms, parts = _mean_square(attention, T, instance(of_attention(), ell))
    after, (x, y, z) = instance(of_values(), ell), symbols("x y z", real=True)
    term *= x + (1 + z) * y
    terms |= {x: values(ell, 1, size), y: values(ell, 2, size), z: 1 / d}
    parts |= {x: part(after, 0), y: part(after, 1), z: closed_form_limit(1 / d)}
    return _limit_of(claims.jacobian_second, COMMON ** (2 * ell) * term, terms, parts)


@cache
def variance_of(of: str) -> Theorem:
    return limit_combined(s - m**2, {s: mean_square_of(of), m: mean_of(of)})


def in_sizes(term: Any) -> Any:
    return sympify(term).xreplace({gamma: RATIO})


Same = Callable[[Any, Any], bool]


def _same_in_sizes(value: Any, side: Any) -> bool:
    return same(value, in_sizes(side))


def decided_by_limits(
    claim: Claim, value: Any, tends: Sequence[Theorem], domain: Domain,
    equal: Same = _same_in_sizes, method: str = METHOD,
) -> Certificate:  # fmt: skip
    """A claim on the limit of a sequence, from the value that derived limits give.

    `equal` says when a side is that value on the claim's domain; the definition is asked as well.
    """

    def judged(subject: Claim) -> Certificate:
        assert isinstance(subject.statement, Relation) and subject.quantity is not None
        (side,) = subject.statement.rhs
        try:
            if not equal(value, side):
                raise ProofError(f"limit: {value} is not {side}")
            theorem = derived(subject.quantity, side, domain, method, *tends)
        except ProofError:
            return refute(subject, value=value, method=method)
        return conclude(subject, theorem, method=method)

    return replace(judged(claim), rejudge=judged)


def decided_by_limit(
    claim: Claim, tends: Theorem, domain: Domain = claims.ANY_RATIO, method: str = METHOD
) -> Certificate:
    """The same where the value is the limit itself."""
    return decided_by_limits(claim, tends.formula.limit, (tends,), domain, method=method)
