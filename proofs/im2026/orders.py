r"""Coefficients of power series in the learning rate: after any number of steps, in every layer.

A weight is a series $\sum_p\eta^p[\eta^p]W(n)$ after $n$ steps from zero, and so is what a pass computes
with it.  Theorems about all $n$ are by induction over the steps, those about all layers by induction from the
first or the last layer on; a coefficient of a product is Cauchy's sum.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from sympy import Expr, Integer, Mul, Sum, Symbol, exp, oo, symbols, sympify

from claims.domain import Domain
from claims.im2026.cooperation import STEPS
from claims.im2026.notation import N, T, depth, i, j, k, layer, m, words
from claims.im2026.series import ORDER
from claims.statement import Compare, ForAll, Formula
from proofs.calculation import algebra, at_places, linked, place, replaced, summed_over
from proofs.im2026.bigrams import over
from proofs.im2026.contexts import t
from proofs.kernel import (
    Theorem,
    assume,
    both,
    cut,
    discharge,
    generalise,
    induction,
    instance,
    joint,
    part,
    prepended,
    unfold,
)
from proofs.smt import canonical

__all__ = [
    "BEFORE", "COLUMN", "LAYER", "PLACE", "ROW", "TEXT", "at_layer", "both_words", "by_steps", "cauchy",
    "every", "in_layers", "in_prefix", "n", "no_squares", "no_sum", "of", "q", "read", "said", "series",
    "softmax_of_zeros", "up_to",
]  # fmt: skip

n = Symbol("n", integer=True, nonnegative=True)
"""Steps."""
q = Symbol("q", integer=True, nonnegative=True)
"""Layers, from the first one up or from the last one down."""
Range = tuple[Symbol, Any, Any]
Term = Callable[[Any, Any], Any]
"""A term at a position, or a word, and a word."""
TEXT, PLACE, LAYER = (i, 0, N - 1), (t, 1, T), (layer, 1, depth)
BEFORE = (m, 1, t)
ROW, COLUMN = over(j, k)


def said(formula: Formula, *ranges: Range) -> Formula:
    """The formula for all indices, the first outermost."""
    for index, low, high in reversed(ranges):
        formula = ForAll(index, low, high, formula)
    return formula


def every(theorem: Theorem, *ranges: Range) -> Theorem:
    """The same of a theorem; what it assumes of the indices must follow from their ranges."""
    for index, low, high in reversed(ranges):
        inside = Compare(index, ">=", low), Compare(index, "<=", high)
        theorem = generalise(cut(theorem, *map(assume, inside)), index, low, high)
    return theorem


def in_prefix(theorem: Theorem) -> Theorem:
    """The theorem for a position m of the prefix of position t."""
    inside = Compare(m, ">=", 1), Compare(m, "<=", t), Compare(t, "<=", T)
    return cut(theorem, *map(assume, inside))


def read(quantity: Any, term: Any, *ranges: Range, domain: Domain = STEPS) -> Theorem:
    """A coefficient after n steps, by the definition; read once, however its indices are called."""
    key = quantity, canonical(sympify(term)), domain, ranges
    if key not in _READINGS:
        _READINGS[key] = unfold(quantity, term, domain, ((n, 0, oo), *ranges))
    return _READINGS[key]


_READINGS: dict[Any, Theorem] = {}


def series(
    quantity: Callable[[int], Any], term: Callable[[int], Any], order: int, *ranges: Range,
    domain: Domain = STEPS,
) -> Theorem:  # fmt: skip
    """A coefficient by the definition, read at the highest order as well, where fewer terms vanish."""
    readings = (read(quantity(p), term(p), *ranges, domain=domain) for p in (order, ORDER))
    return part(both(*readings), 0)


def of(quantity: Any, *places: Any, steps: Any = n) -> Callable[[int], Any]:
    """The coefficients of a quantity after so many steps, by their orders."""
    return lambda order: quantity(steps, order, *places)


def cauchy(order: int, *factors: Callable[[int], Any]) -> Expr:
    """The coefficient of a product."""
    found = Integer(0)
    for chosen in product(range(order + 1), repeat=len(factors)):
        if sum(chosen) == order:
            found += Mul(*(factor(p) for factor, p in zip(factors, chosen, strict=True)))
    return found


# Sums ---------------------------------------------------------------------------------------------


def both_words(term: Term, high: Any) -> Expr:
    """A sum over an index up to `high` and over words."""
    one, other = place("m"), place("a")
    return Sum(Sum(term(one, other), (other, 1, words)), (one, 1, high))


def no_sum(term: Term, high: Any, *zeros: Callable[[Any, Any], Theorem]) -> Theorem:
    """Such a sum vanishes, since each product in it has a factor that does."""
    one, other = place("m"), place("a")
    each = joint(Compare(term(one, other), "=", 0), *(zero(one, other) for zero in zeros))
    inner = summed_over(each, (other, words))
    outer = summed_over(linked(Compare(inner.formula.left, "=", 0), inner), (one, high))
    return linked(Compare(outer.formula.left, "=", 0), outer)


def no_squares(zero: Theorem, *ranges: Range) -> Theorem:
    """The sum over indices of the squares of what vanishes."""
    square = joint(Compare(zero.formula.left**2, "=", 0), zero)
    sums = summed_over(square, *ranges)
    return linked(Compare(sums.formula.left, "=", 0), sums)


def softmax_of_zeros(none: Theorem, at: Any, high: Any) -> Theorem:
    """An entry of the softmax of `high` zeros; `none` says that the logit at an index is zero."""
    z, e, total, count = symbols("z e S n", real=True)
    one = replaced(exp(z), z, none)
    whole = summed_over(one, (at, high))
    terms = {e: one.formula.left, total: whole.formula.left, count: high}
    given = Compare(e, "=", 1), Compare(total, "=", count), Compare(count, ">", 0)
    counted = linked(Compare(terms[total], "=", high), whole)
    return algebra(Compare(e / total, "=", 1 / count), given, terms, one, counted)


def up_to(order: Symbol, last: int, none: Callable[[int], Theorem]) -> Theorem:
    """That a quantity vanishes at every order from zero to the last, where `none` says so of one."""
    final = none(last)
    ends = Compare(order, ">=", last), Compare(order, "<=", last)
    quantity = final.formula.left
    quantity = quantity.func(order, *quantity.args[1:])
    equal = replaced(quantity, order, joint(Compare(order, "=", last), given=ends))
    found = generalise(joint(Compare(quantity, "=", 0), equal, final), order, last, last)
    for lower in reversed(range(last)):
        found = prepended(none(lower), found)
    return found


# Induction over steps and layers --------------------------------------------------------------------


def by_steps(
    quantity: Callable[[Any, int], Any], order: int, closed: Callable[[Any], Any],
    moved: Callable[[int], Any], *known: Theorem, ranges: tuple[Range, ...],
) -> Theorem:  # fmt: skip
    """For all n and indices: the coefficient is closed(n), where a step adds moved(order)."""

    def body(steps: Any) -> Compare:
        return Compare(quantity(steps, order), "=", closed(steps))

    zero = Integer(0)
    start = joint(body(zero), unfold(quantity(zero, order), zero, STEPS, ranges))
    before = at_places(assume(said(body(n), *ranges)), *(index for index, _, _ in ranges))
    now = series(lambda p: quantity(n + 1, p), lambda p: quantity(n, p) + moved(p), order, *ranges)
    step = linked(body(n + 1), now, before, *known)
    return induction(every(start, *ranges), every(step, *ranges), n)


def in_layers(
    last: Any, body: Formula, start: Theorem, step: Callable[[Theorem], Theorem],
    ranges: tuple[Range, ...],
) -> Theorem:  # fmt: skip
    """For q from zero to `last` and all indices: `body`, by its first case and by `step` from q to q + 1."""
    after = Compare(q + 1, "<=", last)
    whole = Compare(q, "<=", last).implies(said(body, *ranges))
    before = joint(said(body, *ranges), assume(whole), assume(after))
    found = step(at_places(before, *(index for index, _, _ in ranges)))
    following = discharge(every(cut(found, assume(after)), *ranges), after)
    first = joint(whole.substitute({q: Integer(0)}), every(start, *ranges))
    return induction(first, following, q)


def at_layer(known: Theorem, at: Any, *places: Any) -> Theorem:
    """An instance of what `in_layers` says."""
    inside = instance(known, at)
    premise, conclusion = inside.formula.parts()
    return at_places(joint(conclusion, inside, given=(premise,)), *places)
