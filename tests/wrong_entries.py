"""Entries and sizes that do not exist, matrices that have no such power, numbers of few digits."""

from __future__ import annotations

from functools import partial
from typing import Any

from sympy import Eq, Float, Integer, MatrixSymbol, Piecewise, Rational, Sum, Trace, floor, sqrt
from sympy.matrices.expressions import Identity, MatPow, OneMatrix
from wrong_certificates import claim_of, each, family, i, j, judged, k, n

from claims.domain import Array, Domain, Size
from claims.expressions import Entrywise, Total
from claims.statement import Quantity
from claims.terms import entry
from proofs import kernel
from proofs.certificate import Certificate

X, A = MatrixSymbol("X", n, 1), MatrixSymbol("A", n, n)
x, a = entry(X), entry(A)
COLUMN, SQUARE = Domain((Size(n, 1, 3), Array(X))), Domain((Size(n, 1, 3), Array(A)))
ONE_SIZE = Domain((Size(n, 1, 4),))


def proved(define: Any, term: Any, domain: Domain) -> Certificate:
    """The statement that a quantity is what a term says, by unfolding alone."""
    q = Quantity("q", define)
    claim = claim_of(q.equals(term), *domain.variables)
    return judged(claim, kernel.unfold(q, term, claim.domain))


@family
def entries_before_the_first() -> Any:
    """Python counts from the end there, so that a sum that telescopes would vanish."""
    steps = Sum(x(j, 1) - x(j - 1, 1), (j, 1, n))
    rows = Entrywise(A[i, j] - A[i - 1, j], [(i, n)], [(j, n)])
    false = [
        (lambda at: Integer(0), steps, COLUMN), (lambda at: sum(at[X]), Sum(x(j - 1), (j, 1, n)), COLUMN),
        (lambda at: at[X][-1], x(0, 1), COLUMN), (lambda at: at[A][0, -1], a(1, 0), SQUARE),
        (lambda at: at[A][-1, 0], A[-1, 0], SQUARE), (lambda at: Integer(0), Total(rows), SQUARE),
        (lambda at: sum(at[X]), Sum(X[j - 2, 0], (j, 1, n)), COLUMN),
    ]  # fmt: skip
    first = Piecewise((A[i, j], Eq(i, 0)), (A[i, j] - A[i - 1, j], True))
    telescoped = Entrywise(first, [(i, n)], [(j, n)])
    true = [
        (lambda at: at[X][-1] - at[X][0], Sum(x(j, 1) - x(j - 1, 1), (j, 2, n)), COLUMN),
        (lambda at: sum(at[X]), Sum(X[j - 1, 0], (j, 1, n)), COLUMN),
        (lambda at: sum(at[A][at[n] - 1, :]), Total(telescoped), SQUARE),
    ]
    return each(proved, *false), each(proved, *true)


@family
def places_and_sizes_between_integers() -> Any:
    """Cut off, the half of three is one."""
    middle = lambda at: at[X][(at[n] + 1) // 2 - 1]  # noqa: E731
    half = lambda at: floor(at[n] / 2)  # noqa: E731
    false = [
        (middle, x((n + 1) / 2, 1), COLUMN), (lambda at: at[X][0], x(Rational(3, 2), 1), COLUMN),
        (half, Trace(Identity(n / 2)), ONE_SIZE), (half, Total(OneMatrix(n / 2, 1)), ONE_SIZE),
        (half, Total(Entrywise(Integer(1), [(i, n / 2)], [(j, 1)])), ONE_SIZE),
    ]  # fmt: skip
    even = (lambda at: at[n], Trace(Identity(2 * n)) / 2, ONE_SIZE)
    return each(proved, *false), each(proved, even, (middle, x(floor((n + 1) / 2), 1), COLUMN))


@family
def roots_of_matrices() -> Any:
    """Cut off, one half is zero, and every matrix would have the identity for its root."""
    trace_of = lambda power: lambda at: (at[A] ** power).trace()  # noqa: E731
    cut_off = ((Rational(1, 2), 0), (-Rational(1, 2), 0), (Rational(5, 2), 2))
    false = ((trace_of(whole), Trace(MatPow(A, power)), SQUARE) for power, whole in cut_off)
    return each(proved, *false), each(proved, (trace_of(2), Trace(MatPow(A, 2)), SQUARE))


@family
def sums_in_entries_that_go_back() -> Any:
    """Sums without terms are nothing, also in an entry, where SymPy takes away what lies between."""
    counted = Entrywise(Sum(1, (k, 1, i - 2)), [(i, n)], [(j, 1)])
    row = Entrywise(Sum(X[k, 0], (k, 2, i)), [(i, n)], [(j, 1)])
    signed = lambda at: sum(Integer(place - 2) for place in range(at[n]))  # noqa: E731
    natural = lambda at: sum(Integer(max(0, place - 2)) for place in range(at[n]))  # noqa: E731
    below = lambda at: sum((at[n] - t) * at[X][t] for t in range(2, at[n]))  # noqa: E731
    true = [(natural, Total(counted), ONE_SIZE), (below, Total(row), COLUMN)]
    return each(proved, (signed, Total(counted), ONE_SIZE)), each(proved, *true)


@family
def numbers_of_a_machine() -> Any:
    """They are known to sixteen digits, and show nothing of what differs in the twentieth."""
    tiny = Rational(1, 10**20)
    many = lambda at: sqrt(Float(at[n], 60))  # noqa: E731
    definitions = (lambda at: Float(at[n]), lambda at: float(at[n]), lambda at: complex(at[n]))
    false = [*((define, n + tiny) for define in definitions), (many, sqrt(n) + tiny)]
    made = partial(proved, domain=ONE_SIZE)
    return each(made, *false), each(made, (many, sqrt(n)))
