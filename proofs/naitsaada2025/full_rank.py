r"""The rank of the covariance without the gap, by a right inverse of the signal but for the ones.

With $R_0=X_0^\top$ and $R_{t+1}=W_{t+1}^{-1}R_tA_{t+1}^{-1}$ every layer has $X_tR_t=I+1f_t^\top$: from
$X_tR_t$ the next $A^\perp$ takes $1f_t^\top$, and leaves $A^\perp A^{-1}=I-\frac1T11^\top A^{-1}$.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Sum, Symbol

from claims.model import Claim
from claims.naitsaada2025 import full_rank as claims
from claims.naitsaada2025.full_rank import inverse_attentions, inverse_values
from claims.naitsaada2025.layers import attentions, gapless, values
from claims.naitsaada2025.notation import T, d, depth
from claims.statement import Compare, ForAll, Formula, Implies
from claims.terms import Recursion, entry
from proofs.calculation import at_places, for_all, linked, picked, sums_compared, weighed
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import DELTA, FUBINI, GRAM_RANK
from proofs.kernel import (
    Theorem,
    assume,
    cut,
    discharge,
    fact,
    induction,
    instance,
    joint,
    part,
    recursion_start,
    recursion_step,
    sum_split,
    unfold,
)
from proofs.naitsaada2025.layers import GAPLESS, x
from proofs.naitsaada2025.layers import gapless as a
from proofs.registry import proves

DOMAIN = claims.from_one_token
i, j, k, l, n, b, c, t = (Symbol(name, integer=True) for name in "ijklnbct")  # noqa: E741
A, W, B, V = (entry(s) for s in (attentions, values, inverse_attentions, inverse_values))
(INVERTIBLE,) = (assume(condition.formula) for condition in DOMAIN.conditions)
X = GAPLESS.tokens
R = Recursion(
    "R", lambda k, b: x(b, k),
    lambda t, k, b, before: Sum(Sum(V(t, k, n) * before(n, j), (n, 1, d)) * B(t, j, b), (j, 1, T)),
)  # fmt: skip
f = Recursion("f", lambda b: Integer(0), lambda t, b, before: -Sum(B(t, j, b), (j, 1, T)) / T)
LAST = depth - 1
Term = Callable[[Any], Expr]


def inverse(place: int, row: Any, column: Any) -> Theorem:
    """An entry of A A^-1, or of W W^-1."""
    return at_places(part(INVERTIBLE, place), t, row, column)


def reordered(
    row: Term, table: Callable[[Any, Any], Expr], column: Term, product: Callable[[Any], Theorem],
    inner: Any, outer: Any,
) -> Theorem:  # fmt: skip
    """sum_k (sum_l y_l M_lk) z_k = sum_l y_l v_l where `product(l)` says sum_k M_lk z_k = v_l."""
    swap = fact(FUBINI, a=row(l) * table(l, k) * column(k), j=k, k=l, rows=outer, columns=inner)
    each = weighed(row, product, inner)
    left = Sum(Sum(row(l) * table(l, k), (l, 1, inner)) * column(k), (k, 1, outer))
    return linked(Compare(left, "=", each.formula.right), swap, each)  # type: ignore[attr-defined]


def values_cancel(row: Any, column: Any) -> Theorem:
    """(W R')_lb = (R A^-1)_lb."""

    def inside(place: Any) -> Theorem:
        """sum_k W_lk (V R)_kj = R_lj."""
        turned = weighed(lambda n: R(t, n, place), lambda n: inverse(1, row, n), d)
        swap = fact(
            FUBINI, a=W(t, row, k) * V(t, k, n) * R(t, n, place), j=k, k=n, rows=d, columns=d
        )
        left = Sum(W(t, row, k) * Sum(V(t, k, n) * R(t, n, place), (n, 1, d)), (k, 1, d))
        own = picked(row, lambda n: R(t, n, place), d)
        return linked(Compare(left, "=", R(t, row, place)), swap, turned, own)

    steps = weighed(lambda n: W(t, row, n), lambda n: recursion_step(R, t, n, column), d)
    term = W(t, row, k) * Sum(V(t, k, n) * R(t, n, j), (n, 1, d)) * B(t, j, column)
    swap = fact(FUBINI, a=term, j=k, k=j, rows=d, columns=T)
    each = weighed(lambda n: B(t, n, column), inside, T)
    left = Sum(W(t, row, k) * R(t + 1, k, column), (k, 1, d))
    right = Sum(R(t, row, j) * B(t, j, column), (j, 1, T))
    return linked(Compare(left, "=", right), steps, swap, each)


def invariant(at: Any, row: Any, column: Any) -> Compare:
    """(X R)_ib = delta_ib + f_b."""
    product = Sum(X(at, row, k) * R(at, k, column), (k, 1, d))
    return Compare(product, "=", KroneckerDelta(row, column) + f(at, column))


def row_sum(at: Any, row: Any) -> Theorem:
    """Rows of A^perp sum to zero."""
    whole = at_places(assume(claims.ROW_SUMS), at, row)
    return linked(Compare(Sum(a(at, row, n), (n, 1, T)), "=", 0), whole)


def one_layer(before: Theorem) -> Theorem:
    """X'R' = A^perp X W R' = A^perp (I + 1 f^T) A^-1 = I - 1 1^T A^-1/T, at the places i and b."""

    def inside(place: Any) -> Theorem:
        """sum_l (A^perp X)_il R_lj = A^perp_ij."""
        known = lambda n: at_places(before, n, place)  # noqa: E731
        moved = reordered(
            lambda n: a(t, i, n), lambda n, c: X(t, n, c), lambda c: R(t, c, place), known, T, d
        )
        own = picked(place, lambda n: a(t, i, n), T)
        return linked(Compare(moved.formula.left, "=", a(t, i, place)), moved, own, row_sum(t, i))

    mixed = lambda c: Sum(a(t, i, j) * X(t, j, c), (j, 1, T))  # noqa: E731
    steps = weighed(lambda c: R(t + 1, c, b), lambda c: recursion_step(X, t, i, c), d)
    cancelled = reordered(
        mixed, lambda c, n: W(t, c, n), lambda n: R(t + 1, n, b), lambda c: values_cancel(c, b), d, d
    )  # fmt: skip
    swap = fact(FUBINI, a=mixed(l) * R(t, l, j) * B(t, j, b), j=l, k=j, rows=d, columns=T)
    each = weighed(lambda n: B(t, n, b), inside, T)
    return linked(
        invariant(t + 1, i, b), steps, cancelled, swap, each, inverse(0, i, b), recursion_step(f, t, b)
    )  # fmt: skip


def shifted() -> Theorem:
    """The invariant in every layer that the network has."""
    places = ((i, T), (b, T))

    def body(at: Any) -> Formula:
        same: Formula = invariant(at, i, b)
        return Implies(Compare(at, "<=", depth), ForAll(i, 1, T, ForAll(b, 1, T, same)))

    (orthonormal,) = (assume(known) for known in DOMAIN.variables[4].facts())
    zero = Integer(0)
    first = sums_compared(
        lambda n: joint(
            Compare(X(0, i, n) * R(0, n, b), "=", x(i, n) * x(b, n)),
            recursion_start(X, i, n), recursion_start(R, n, b),
        ), d,
    )  # fmt: skip
    start = linked(
        invariant(zero, i, b), first, at_places(orthonormal, i, b), recursion_start(f, b)
    )
    inside, further = Compare(t, "<=", depth), Compare(t + 1, "<=", depth)
    known = joint(body(t).conclusion, assume(body(t)), given=(inside,))  # type: ignore[attr-defined]
    step = cut(
        for_all(one_layer(known), *places),
        joint(inside & Compare(t, "<=", depth - 1), given=(further,)),
    )
    return induction(
        discharge(for_all(start, *places), Compare(zero, "<=", depth)), discharge(step, further), t
    )


def signal(row: Any, column: Any) -> Theorem:
    """X_ik, layer by layer."""
    read = unfold(gapless(i, k), X(depth, i, k), DOMAIN, ((i, 1, T), (k, 1, d)))
    return at_places(for_all(read, (i, T), (k, d)), row, column)


def difference(place: Any, row: Any) -> Expr:
    """The rows e_a - e_T, which do not see the ones."""
    return KroneckerDelta(place, row) - KroneckerDelta(T, row)


def left_and_right() -> Theorem:
    """(e_a - e_T) X R e_b = delta_ab for all a, b < T."""
    last = instance(shifted(), depth)
    known = joint(last.formula.conclusion, last)  # type: ignore[attr-defined]

    def row(place: Any) -> Theorem:
        """sum_k X_ik R_kb = delta_ib + f_b."""
        read = weighed(lambda n: R(depth, n, b), lambda n: signal(place, n), d)
        goal = Compare(read.formula.left, "=", KroneckerDelta(place, b) + f(depth, b))  # type: ignore[attr-defined]
        return linked(goal, read, at_places(known, place, b))

    each = weighed(lambda n: difference(c, n), row, T)
    value = lambda n: KroneckerDelta(n, b) + f(depth, b)  # noqa: E731
    before = [Compare(index, "<=", T - 1) for index in (c, b)]
    flag = fact(DELTA, a=T, b=b, term=n, place=n)
    apart = joint(Compare(KroneckerDelta(T, b), "=", 0), flag, given=before[1:])
    goal = Compare(each.formula.left, "=", KroneckerDelta(c, b))  # type: ignore[attr-defined]
    found = linked(goal, each, picked(c, value, T), picked(T, value, T), apart)
    inside = (joint(Compare(end.left, "<=", T), given=(end,)) for end in before)
    return for_all(cut(found, *inside), (c, T - 1), (b, T - 1))


def tokens_after_values(row: Any, column: Any) -> Expr:
    """An entry of X W in the last layer."""
    return Sum(X(LAST, row, l) * W(LAST, l, column), (l, 1, d))


def few_factors() -> Theorem:
    """X_ik = sum_(a < T) A^perp_ia ((XW)_ak - (XW)_Tk): rows of A^perp sum to zero."""
    z, own = tokens_after_values, lambda n: a(LAST, i, n)
    swap = fact(FUBINI, a=own(j) * X(LAST, j, l) * W(LAST, l, k), j=l, k=j, rows=d, columns=T)
    rows = Sum(own(n) * z(n, k), (n, 1, T)), Sum(own(n), (n, 1, T))
    ends = [sum_split(total) for total in rows]
    factors = Sum(own(c) * (z(c, k) - z(T, k)), (c, 1, T - 1))
    step = recursion_step(X, LAST, i, k)
    found = linked(
        Compare(gapless(i, k), "=", factors), signal(i, k), step, swap, *ends, row_sum(LAST, i)
    )
    return for_all(found, (i, T), (k, d))


@proves(claims.covariance_has_full_rank)
def by_products_of_order_one_less(claim: Claim) -> Certificate:
    r"""$(e_a-e_T)^\top XRe_b=\delta_{ab}$ for $a,b<T$, and $X$ is a product through $T-1$ dimensions."""
    z = tokens_after_values
    terms = {
        "left": difference(c, i), "right": R(depth, k, b), "first": a(LAST, i, c),
        "last": z(c, k) - z(T, k), "i": i, "k": k, "a": c, "b": b, "size": T - 1,
    }  # fmt: skip
    rank = claims.rank_of_gram(T, d)
    value = cut(fact(GRAM_RANK, rank=rank, **terms), left_and_right(), few_factors())
    read = unfold(claims.rank, rank, DOMAIN)
    theorem = joint(claims.rank.equals(T - 1), read, value)
    return conclude(
        claim, theorem, method="a right inverse but for the ones; rank of a Gram matrix"
    )
