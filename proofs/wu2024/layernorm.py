r"""Proofs about LayerNorm as row scaling, for every N and d."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from sympy import Expr, sqrt, symbols

from claims.domain import Domain
from claims.model import Claim
from claims.statement import Compare
from claims.terms import entry
from claims.wu2024 import layernorm as claims
from claims.wu2024.layernorm import clash, i, left_scales, on_the_left, on_the_right, right_scales
from claims.wu2024.notation import N, X, d
from proofs.calculation import at_places, linked, place, summed_over, sums_compared
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    generalise,
    instance,
    joint,
    substitute,
    sum_at_least_term,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.norms import Rows, equal_sums, summed

rows = entry(X)
Term = Callable[..., Expr]
_x, _y, _r, _u, _n, _m, _w = symbols("x y r u n m w", real=True)


def squares(entries: Rows, token: Any) -> Expr:
    """The squared norm of a row."""
    return summed(lambda k: entries(token, k) ** 2)


def norm_after(entries: Rows, token: Any, positive: Theorem) -> Theorem:
    """sum_k (y_ik / |y_i|)^2 = 1 for a row that does not vanish."""
    square = squares(entries, token)
    scaled = summed(lambda k: (entries(token, k) / sqrt(square)) ** 2)
    own = cut(equal_sums(scaled, square / square), positive)
    return joint(Compare(scaled, "=", 1), own, positive)


def nonzero(condition: Any, token: Any) -> Theorem:
    """|y_i|^2 > 0, a hypothesis."""
    return instance(assume(condition.formula), token)


def row_is_positive(token: Any) -> Theorem:
    """|X_i|^2 > 0."""
    (condition,) = claims.layernorm_scales_each_token.domain.conditions
    return nonzero(condition, token)


@proves(claims.layernorm_has_one_scale_per_feature)
def by_shapes_and_norms(claim: Claim) -> Certificate:
    """Row i of DX is d_i X_i, so D has an entry per row; dividing by the norm gives norm one."""
    domain = claims.layernorm_scales_each_token.domain
    term = summed(lambda k: (rows(i, k) / sqrt(squares(rows, i))) ** 2)
    one = joint(
        Compare(claims.row_norm(i), "=", 1), norm_after(rows, i, row_is_positive(i)),
        unfold(claims.row_norm(i), term, domain, ((i, 1, N),)),
    )  # fmt: skip
    theorem = both(unfold(claims.order, N, domain), generalise(one, i, 1, N))
    return conclude(claim, theorem, method="number and norm of the rows")


# With the mean removed ----------------------------------------------------------------------------


@proves(claims.layernorm_with_its_mean_gives_unit_rows)
def by_norms_of_centred_rows(claim: Claim) -> Certificate:
    """Dividing by the norm gives norm one; the sum of a centred row is zero, whatever divides it."""
    own = claims.layernorm_with_its_mean_gives_unit_rows.domain
    (condition,) = own.conditions
    centred, positive = entry(claims.C), nonzero(condition, i)
    root, k = sqrt(squares(centred, i)), place()
    unit = summed(lambda k: (centred(i, k) / root) ** 2)
    total = summed(lambda k: centred(i, k) / root)
    definition = summed_over(at_places(assume(claims.less_its_mean), i, k), (k, d))
    balanced = linked(Compare(summed(lambda k: centred(i, k)), "=", 0), definition)
    scaled = cut(equal_sums(total, summed(lambda k: centred(i, k)) / root), positive)
    both_parts = joint(
        Compare(claims.centred_norm(i), "=", 1) & Compare(claims.centred_sum(i), "=", 0),
        norm_after(centred, i, positive), scaled, balanced,
        unfold(claims.centred_norm(i), unit, own, ((i, 1, N),)),
        unfold(claims.centred_sum(i), total, own, ((i, 1, N),)),
    )  # fmt: skip
    return conclude(claim, generalise(both_parts, i, 1, N), method="norms and sums of centred rows")


# On which side ------------------------------------------------------------------------------------


def norm(token: Any) -> Expr:
    return sqrt(squares(rows, token))


def positive_norm(token: Any) -> Theorem:
    return joint(Compare(norm(token), ">", 0), row_is_positive(token))


def misfit(scale: Any, token: Any, feature: Any) -> Expr:
    """(r X_ij - X_ij / |X_i|)^2."""
    return (rows(token, feature) * scale - rows(token, feature) / norm(token)) ** 2


def over(term: Term, *lengths: Any) -> Expr:
    """A sum over several indices from one, the first outermost."""
    if not lengths:
        return term()
    return summed(lambda k: over(partial(term, k), *lengths[1:]), lengths[0])


def all_vanish(term: Callable[..., Theorem], *lengths: Any) -> Theorem:
    """A sum of terms that are zero, as `term(*indices)` says, is zero."""
    if not lengths:
        return term()
    inside = sums_compared(lambda k: all_vanish(partial(term, k), *lengths[1:]), lengths[0])
    return linked(Compare(inside.formula.left, "=", 0), inside)


def not_negative(term: Term, *lengths: Any) -> Theorem:
    """A sum of squares is not negative."""
    if not lengths:
        return joint(Compare(term(), ">=", 0))
    inside = sums_compared(lambda k: not_negative(partial(term, k), *lengths[1:]), lengths[0])
    return linked(Compare(inside.formula.left, ">=", 0), inside)


def vanishes(term: Term, zero: Theorem, lengths: Sequence[Any], places: Sequence[Any]) -> Theorem:
    """One term of a sum of squares that is zero."""
    if not lengths:
        return zero
    k = place()
    below = not_negative(partial(term, k), *lengths[1:])
    own = sum_at_least_term(generalise(below, k, 1, lengths[0]), places[0])
    inside = partial(term, places[0])
    none = joint(
        Compare(over(inside, *lengths[1:]), "=", 0), own, zero, not_negative(inside, *lengths[1:])
    )
    return vanishes(inside, none, lengths[1:], places[1:])


def left_misfit(token: Any, feature: Any) -> Expr:
    return misfit(entry(left_scales)(token), token, feature)


def right_misfit(token: Any, feature: Any) -> Expr:
    return misfit(entry(right_scales)(feature), token, feature)


def apart(token: Any, other: Any, feature: Any) -> Expr:
    """X_ij^2 X_kj^2 (|X_i| - |X_k|)^2."""
    shared = rows(token, feature) ** 2 * rows(other, feature) ** 2
    return shared * (norm(token) - norm(other)) ** 2


def domain() -> Domain:
    return claims.layernorm_acts_on_the_left.domain


def equation(scales: Any, line: Any) -> Theorem:
    """The normal equation of one scale, from the domain."""
    (variable,) = (v for v in domain().variables if v.symbol == scales)
    return instance(assume(variable.facts()[0]), line)


def left_fits(token: Any, feature: Any) -> Theorem:
    """D_i = 1/|X_i|: the normal equation reads D_i |X_i|^2 = |X_i|^2/|X_i|."""
    scale, square, normal = (
        entry(left_scales)(token),
        squares(rows, token),
        equation(left_scales, token),
    )
    found = linked(
        Compare(scale, "=", 1 / norm(token)), normal, positive_norm(token), row_is_positive(token),
        cut(equal_sums(normal.formula.right, square / norm(token)), row_is_positive(token)),
    )  # fmt: skip
    return joint(Compare(left_misfit(token, feature), "=", 0), found)


def norms_agree(fits: Theorem, i: Any, k: Any, j: Any) -> Theorem:
    """Where XR = LN(X), tokens that share a feature have equal norms: 1/|X_i| = R_j = 1/|X_k|."""
    algebra = joint(
        Compare(_x**2 * _y**2 * (_n - _m) ** 2, "=", 0),
        given=(
            Compare((_x * _r - _x / _n) ** 2, "=", 0), Compare((_y * _r - _y / _m) ** 2, "=", 0),
            Compare(_n, ">", 0), Compare(_m, ">", 0),
        ),
    )  # fmt: skip
    values = {_x: rows(i, j), _y: rows(k, j), _n: norm(i), _m: norm(k)}
    found = substitute(algebra, {**values, _r: entry(right_scales)(j)})
    exact = [vanishes(right_misfit, fits, (N, d), (token, j)) for token in (i, k)]
    return cut(found, *exact, positive_norm(i), positive_norm(k))


def share_of_other(agree: Theorem, i: Any, k: Any, j: Any) -> Theorem:
    """X_ij^2 X_kj^2/|X_k| = X_ij^2 X_kj^2/|X_i|, where tokens that share a feature have equal norms."""
    algebra = joint(
        Compare(_x**2 * (_y * _y / _m), "=", _x**2 * _y**2 / _n),
        given=(
            Compare(_x**2 * _y**2 * (_n - _m) ** 2, "=", 0), Compare(_n, ">", 0), Compare(_m, ">", 0),
        ),
    )  # fmt: skip
    values = {_x: rows(i, j), _y: rows(k, j), _n: norm(i), _m: norm(k)}
    zero = vanishes(apart, agree, (N, N, d), (i, k, j))
    return cut(substitute(algebra, values), zero, positive_norm(i), positive_norm(k))


def scale_fits(agree: Theorem, i: Any, j: Any) -> Theorem:
    """Where tokens that share a feature have equal norms, its scale is one over that norm."""
    k, normal, own = place(), equation(right_scales, j), rows(i, j)
    column = summed(lambda k: rows(k, j) ** 2, N)
    total = sums_compared(lambda k: share_of_other(agree, i, k, j), N)
    square = generalise(joint(Compare(rows(k, j) ** 2, ">=", 0)), k, 1, N)
    algebra = joint(
        Compare((_x * _r - _x * _u) ** 2, "=", 0),
        given=(Compare(_x**2 * _r * _w, "=", _x**2 * _u * _w), Compare(_w, ">=", _x**2)),
    )
    values = {_x: own, _r: entry(right_scales)(j), _u: 1 / norm(i), _w: column}
    (condition,) = claims.layernorm_scales_each_token.domain.conditions
    lengths = (row_is_positive(i), assume(condition.formula))
    weighed = linked(
        Compare(own**2 * values[_r] * column, "=", own**2 * values[_u] * column), total, normal,
        cut(equal_sums(total.formula.left, own**2 * normal.formula.right), *lengths),
        cut(equal_sums(total.formula.right, own**2 / norm(i) * column), *lengths),
    )  # fmt: skip
    return cut(substitute(algebra, values), weighed, sum_at_least_term(square, i))


@cache
def acts_on_the_left() -> Theorem:
    """LN(X) = DX; and XR is LN(X) exactly where tokens that share a feature have equal norms."""
    left, right, shared = (
        unfold(quantity, over(term, *lengths), domain())
        for quantity, term, lengths in (
            (on_the_left, left_misfit, (N, d)), (on_the_right, right_misfit, (N, d)),
            (clash, apart, (N, N, d)),
        )
    )  # fmt: skip
    own = joint(on_the_left.equals(0), all_vanish(left_fits, N, d), left)
    fits, agree = (assume(q.equals(0)) for q in (on_the_right, clash))
    no_gap = joint(Compare(right.formula.right, "=", 0), fits, right)
    forth = all_vanish(partial(norms_agree, no_gap), N, N, d)
    no_clash = joint(Compare(shared.formula.right, "=", 0), agree, shared)
    back = all_vanish(partial(scale_fits, no_clash), N, d)
    ways = (
        discharge(joint(clash.equals(0), forth, shared), fits.formula),
        discharge(joint(on_the_right.equals(0), back, right), agree.formula),
    )
    return both(own, joint(on_the_right.equals(0).iff(clash.equals(0)), *ways))


@proves(claims.layernorm_acts_on_the_left)
def by_comparing_entries(claim: Claim) -> Certificate:
    """Every non-zero entry of column j fixes r_j; two of them agree exactly for equal norms."""
    return conclude(
        claim, acts_on_the_left(), method="normal equations of the best scales, entry by entry"
    )


# Size ---------------------------------------------------------------------------------------------


@proves(claims.layernorm_never_diverges)
def by_the_norm_of_each_row(claim: Claim) -> Certificate:
    """N rows of norm one."""
    subject, moved = claims.layernorm_never_diverges, claims.moved
    (condition,) = subject.domain.conditions
    scaled = lambda i: summed(lambda k: (moved(i, k) / sqrt(squares(moved, i))) ** 2)  # noqa: E731
    size = unfold(claims.squared_size, summed(scaled, N), subject.domain)
    ones = sums_compared(lambda i: norm_after(moved, i, nonzero(condition, i)), N)
    length = joint(Compare(squares(moved, i), "!=", 0), nonzero(condition, i))
    renamed = cut(equal_sums(ones.formula.left, size.formula.right), generalise(length, i, 1, N))
    theorem = linked(claims.squared_size.at_most(N), size, ones, renamed)
    return conclude(claim, theorem, method="norm of each row")
