r"""Why tokens at no obtuse angle lie in an open half-space, for all N and d, and not conversely."""

from __future__ import annotations

from typing import Any

from sympy import Expr, Integer, KroneckerDelta, Rational

from claims.model import Claim
from claims.statement import Compare
from claims.wu2024 import half_spaces as claims
from claims.wu2024.half_spaces import along_sum, tilted, tilted_pair, tilted_square
from claims.wu2024.lengths import i
from claims.wu2024.notation import N, X, d
from claims.wu2024.unit_tokens import AcuteRows
from proofs.calculation import at_places, linked, place
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.facts import DELTA, FUBINI
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    fact,
    generalise,
    instance,
    joint,
    sum_at_least_term,
    unfold,
)
from proofs.registry import proves
from proofs.wu2024.lengths import cosine_of, x
from proofs.wu2024.norms import inner, picked, row, summed

DOMAIN = claims.acute_tokens_lie_in_an_open_half_space.domain
units, acute = (assume(f) for f in AcuteRows(X).facts())
WIDE = Compare(d, ">=", 2)


def along() -> Theorem:
    """<X_i, sum_j X_j> = sum_j <X_i, X_j> >= <X_i, X_i> = 1, since no term is negative."""
    j, b = place("j"), place("b")
    total: Expr = inner(row(x, i), lambda b: summed(lambda j: x(j, b), N))
    read = unfold(along_sum(i), total, DOMAIN, ((i, 1, N),))
    swapped = fact(FUBINI, a=x(i, b) * x(j, b), j=b, k=j, rows=d, columns=N)
    sign = joint(Compare(cosine_of(i, j), ">=", 0), at_places(acute, i, j))
    own = sum_at_least_term(generalise(sign, j, 1, N), i)
    return linked(Compare(along_sum(i), ">=", 1), read, swapped, own, instance(units, i))


def coordinate(token: Any, b: Any) -> Expr:
    """X'_{i,b}."""
    side = 1 - 2 * KroneckerDelta(token, 2)
    return Rational(4, 5) * side * KroneckerDelta(b, 1) + Rational(3, 5) * KroneckerDelta(b, d)


def picks() -> tuple[Theorem, ...]:
    """Sums of products of the deltas at 1 and d."""
    first = picked(lambda k: KroneckerDelta(k, 1), Integer(1), d)
    last = picked(lambda k: KroneckerDelta(k, d), d, d)
    mixed = picked(lambda k: KroneckerDelta(k, 1), d, d)
    return first, last, mixed


def example() -> Theorem:
    """X'_i is of unit norm with <X'_i, e_d> = 3/5, and <X'_1, X'_2> = -7/25."""
    one = lambda token: lambda b: coordinate(token, b)  # noqa: E731
    k = place()
    apart = fact(DELTA, a=d, b=Integer(1), term=k, place=k)
    side = fact(DELTA, a=i, b=Integer(2), term=k, place=k)
    square = unfold(tilted_square(i), inner(one(i), one(i)), DOMAIN, ((i, 1, N),))
    last = unfold(tilted(i, d), coordinate(i, d), DOMAIN, ((i, 1, N),))
    pair = unfold(tilted_pair, inner(one(Integer(1)), one(Integer(2))), DOMAIN)
    unit = linked(Compare(tilted_square(i), "=", 1), square, *picks(), apart, side, given=(WIDE,))
    ahead = joint(Compare(tilted(i, d), ">", 0), last, apart, given=(WIDE,))
    obtuse = linked(Compare(tilted_pair, "<", 0), pair, *picks(), apart, given=(WIDE,))
    return both(generalise(both(unit, ahead), i, 1, N), obtuse)


@proves(claims.acute_tokens_lie_in_an_open_half_space)
def by_the_sum_of_tokens(claim: Claim) -> Certificate:
    """The sum of the tokens is the direction; two tokens on both sides of e_d are the example."""
    planes = Compare(N, ">=", 2) & WIDE
    found = cut(example(), joint(WIDE, assume(planes)))
    theorem = both(generalise(along(), i, 1, N), discharge(found, planes))
    return conclude(claim, theorem, method="the sum of the tokens as direction; an example")
