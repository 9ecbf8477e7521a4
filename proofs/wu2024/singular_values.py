r"""Unit mixtures of the initial tokens: $\|v^\top X\tilde W\|^2=\sum_k\sigma_k^2\langle v,u_k\rangle^2$."""

from __future__ import annotations

from functools import cache
from typing import Any

from sympy import Integer, KroneckerDelta, Symbol, sqrt, symbols

from claims.model import Claim
from claims.statement import Compare, ForAll
from claims.terms import entry
from claims.wu2024 import singular_values as claims
from claims.wu2024.notation import N, X, d
from claims.wu2024.singular_values import k
from proofs.calculation import algebra, at_places, for_all, linked, squared, sums_compared, weighed
from proofs.certificate import Certificate
from proofs.conclude import conclude, facts_of
from proofs.facts import DELTA
from proofs.kernel import Theorem, assume, both, cut, fact, joint, part, unfold
from proofs.registry import proves
from proofs.wu2024.norms import (
    Row,
    combination,
    exchanged,
    inner,
    picked,
    rotation_keeps_products,
    row,
)

DOMAIN = claims.mixtures_are_between_singular_values.domain
FEW = Compare(N, "<=", d)
m = Symbol("m", integer=True, positive=True)
_a, _b, _c = symbols("a b c", real=True)
x, turn, sigma, left, right = (
    entry(matrix) for matrix in (X, claims.turn, claims.sigma, claims.left, claims.right)
)


def v(n: Any) -> Any:
    """The weights of the mixture."""
    return entry(claims.mixing)(1, n)


@cache
def known() -> dict[str, Theorem]:
    """What the domain says, by name."""
    names = (
        "left",
        "left_columns",
        "right",
        "right_columns",
        "turn",
        "turn_columns",
        "falling",
        "read",
        "unit",
    )
    every = [fact for fact in facts_of(DOMAIN) if isinstance(fact, ForAll)]
    return {name: assume(fact) for name, fact in zip(names, every, strict=True)}


def at(name: str, *places: Any) -> Theorem:
    return at_places(known()[name], *places)


def turned_vectors(n: Any, j: Any) -> Any:
    """(V^T W~^T)_nj."""
    return combination(row(right, n), lambda one, other: turn(other, one), d)(j)


@cache
def turned_vectors_are_orthonormal() -> Theorem:
    """For the first N of them."""
    one, other = (row(right, n) for n in (k, m))
    kept = rotation_keeps_products(one, other, lambda a, b: turn(b, a), known()["turn_columns"])
    goal = Compare(inner(row(turned_vectors, k), row(turned_vectors, m)), "=", KroneckerDelta(k, m))
    found = linked(goal, kept, at("right", k, m))
    inside = [joint(Compare(n, "<=", d), given=(FEW, Compare(n, "<=", N))) for n in (k, m)]
    return for_all(cut(found, *inside), (k, N), (m, N))


def share(weights: Row, n: Any) -> Any:
    """<v, u_n>."""
    return inner(weights, row(left, n), N)


def shares(weights: Row) -> Row:
    """sigma_n <v, u_n>."""
    return lambda n: sigma(n, 1) * share(weights, n)


def mixture(weights: Row) -> Row:
    """v^T X."""
    return combination(weights, x)


def turned(weights: Row) -> Row:
    """v^T X W~."""
    return combination(mixture(weights), turn, d)


def squared_norm(weights: Row) -> Theorem:
    """|v^T X|^2 = sum_n sigma_n^2 <v, u_n>^2."""

    def decomposed(j: Any) -> Theorem:
        """(v^T X)_j = sum_n sigma_n <v, u_n> (V^T W~^T)_nj."""
        rows = weighed(weights, lambda i: at("read", i, j), N)
        swap = exchanged(
            lambda i, n: weights(i) * sigma(n, 1) * left(n, i) * turned_vectors(n, j), N, N
        )
        goal = Compare(mixture(weights)(j), "=", combination(shares(weights), turned_vectors)(j))
        return linked(goal, rows, swap)

    kept = rotation_keeps_products(
        shares(weights), shares(weights), turned_vectors, turned_vectors_are_orthonormal(), N
    )
    own = mixture(weights)
    goal = Compare(inner(own, own), "=", inner(shares(weights), shares(weights), N))
    return linked(goal, squared(decomposed, d), kept)


def turning_keeps_the_norm(weights: Row) -> Theorem:
    """|v^T X W~| = |v^T X|."""
    own = mixture(weights)
    return rotation_keeps_products(own, own, turn, known()["turn"])


@cache
def shares_have_norm_one() -> Theorem:
    """sum_n <v, u_n>^2 = |v|^2 = 1."""
    parseval = rotation_keeps_products(v, v, lambda i, n: left(n, i), known()["left_columns"], N, N)
    total = inner(lambda n: share(v, n), lambda n: share(v, n), N)
    return linked(Compare(total, "=", 1), parseval, at("unit", Integer(1)))


@cache
def extremes() -> tuple[Theorem, Theorem]:
    """sigma_N^2 <= |v^T X|^2 <= sigma_1^2."""

    def term(n: Any, end: Any, sign: str) -> Theorem:
        """sigma_N^2 <v, u_n>^2 against sigma_n^2 <v, u_n>^2."""
        size = joint(
            Compare(sigma(end, 1) ** 2, sign, sigma(n, 1) ** 2),
            at("falling", n), at("falling", end),
        )  # fmt: skip
        rule = Compare(_a * _c**2, sign, _b**2 * _c**2)
        terms = {_a: sigma(end, 1) ** 2, _b: sigma(n, 1), _c: share(v, n)}
        return algebra(rule, (Compare(_a, sign, _b**2),), terms, size)

    own, norm, unit = mixture(v), squared_norm(v), shares_have_norm_one()

    def against(end: Any, sign: str) -> Theorem:
        terms = sums_compared(lambda n: term(n, end, sign), N)
        return linked(Compare(sigma(end, 1) ** 2, sign, inner(own, own)), terms, norm, unit)

    return against(N, "<="), against(Integer(1), ">=")


def along_a_vector() -> Theorem:
    """|u_k^T X|^2 = sigma_k^2."""
    own = row(left, k)

    def term(n: Any) -> Theorem:
        """sigma_n^2 <u_k, u_n>^2 = sigma_n^2 <u_k, u_n> delta_nk."""
        square = sigma(n, 1) ** 2 * share(own, n)
        return joint(
            Compare(shares(own)(n) ** 2, "=", square * KroneckerDelta(n, k)), at("left", k, n)
        )

    terms = sums_compared(term, N)
    chosen = picked(lambda n: sigma(n, 1) ** 2 * share(own, n), k, N)
    one = joint(
        Compare(share(own, k), "=", 1),
        at("left", k, k),
        part(fact(DELTA, a=k, b=k, term=Integer(1), place=k), 0),
    )
    goal = Compare(inner(mixture(own), mixture(own)), "=", sigma(k, 1) ** 2)
    return linked(goal, squared_norm(own), terms, chosen, one)


def measured(quantity: Any, row_: Row, *over: Any) -> Theorem:
    """A norm, by its definition."""
    return unfold(quantity, sqrt(inner(row_, row_)), DOMAIN, over)


@proves(claims.mixtures_are_between_singular_values)
def by_singular_vectors(claim: Claim) -> Certificate:
    """|v^T X W~|^2 is a mean of the squared singular values, with weights <v, u_k>^2."""
    low, high = extremes()
    one, last = Integer(1), N
    reads = [unfold(claims.singular_value(n), sigma(n, 1), DOMAIN) for n in (last, one)]
    signs = [at("falling", n) for n in (last, one)]
    same = turning_keeps_the_norm(v)
    mixed = measured(claims.mixed, turned(v))
    unturned = measured(claims.unturned, mixture(v))
    goals = (
        Compare(claims.singular_value(last), ">", 0),
        Compare(claims.singular_value(last), "<=", claims.mixed),
        Compare(claims.mixed, "<=", claims.singular_value(one)),
        Compare(claims.mixed, "=", claims.unturned),
    )
    ends = [joint(goal, low, high, *reads, *signs, same, mixed, unturned) for goal in goals]
    own, over = row(left, k), (k, 1, N)
    reached = joint(
        Compare(claims.along(k), "=", claims.singular_value(k)), along_a_vector(),
        turning_keeps_the_norm(own), measured(claims.along(k), turned(own), over), at("falling", k),
        unfold(claims.singular_value(k), sigma(k, 1), DOMAIN, (over,)),
    )  # fmt: skip
    theorem = both(*ends[:3], for_all(reached, (k, N)), ends[3])
    return conclude(claim, theorem, method="singular vectors")
