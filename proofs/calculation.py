r"""Calculations with sums: theorems in a row, linked by what linearity says of their sides.

Every helper here is made of rules of `proofs.kernel`, and gives no more than those do.

    linked(goal, one, other, ...)      the goal, where sums are the same up to linearity
    algebra(goal, given, terms, ...)   the goal, first shown of symbols
    rooted(a, c, b, ...)               roots of a <= c^2 b; square_at(term), not negative
    for_all(theorem, (k, n), ...)      for all indices; summed_over(theorem, (k, n), ...), sums of both sides
    sums_compared(term, length)        sums over an index, compared term by term
    weighed(weight, term, length)      the same with every term times a weight
    picked(where, term, length)        the one term that a Kronecker delta leaves of a sum
    multiplied(one, other, length)     sums of products of equals; squared(term, length)
    replaced(term, place, equality)    equals in the place of a symbol
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from sympy import (
    Abs,
    Add,
    Dummy,
    Expr,
    KroneckerDelta,
    Max,
    Min,
    Mul,
    Pow,
    Sum,
    Symbol,
    sqrt,
    symbols,
    sympify,
)  # fmt: skip
from sympy.core.function import AppliedUndef

from claims.statement import And, Compare, Exists, ForAll, Formula, Iff, Implies, Not, Or
from claims.terms import put
from proofs.calculus.sums import linear
from proofs.defined import held_apart, unknown
from proofs.facts import DELTA, DELTA_SUM, POWER_FALLS
from proofs.kernel import (
    ProofError,
    Theorem,
    congruent,
    cut,
    discharge,
    extremum_compared,
    fact,
    generalise,
    instance,
    joint,
    next_integer,
    part,
    substitute,
    sum_compared,
    sum_rearranged,
)
from proofs.smt import canonical

__all__ = [
    "algebra", "at_places", "body_at", "conjuncts", "extremum_over", "for_all", "integers_apart",
    "linked", "multiplied", "one_power_less", "picked", "place", "power_falls", "replaced", "rooted",
    "square_at", "squared", "summed_over", "sums_compared", "weighed",
]  # fmt: skip


def place(name: str = "k") -> Dummy:
    """A fresh index."""
    return Dummy(name, integer=True)


def at_places(theorem: Theorem, *places: Any) -> Theorem:
    """Instances one after the other."""
    for where in places:
        theorem = instance(theorem, where)
    return theorem


def for_all(theorem: Theorem, *ranges: tuple[Any, ...]) -> Theorem:
    """For all indices, the first outermost: of ranges (index, high), from one, or (index, low, high)."""
    for index, *low, high in reversed(ranges):
        theorem = generalise(theorem, index, low[0] if low else 1, high)
    return theorem


def summed_over(theorem: Theorem, *ranges: tuple[Any, ...]) -> Theorem:
    """The sums of both sides over indices of such ranges, the first outermost."""
    for limits in reversed(ranges):
        theorem = sum_compared(for_all(theorem, limits))
    return theorem


def conjuncts(formula: Formula) -> tuple[Any, ...]:
    """The parts of a conjunction; of which kind they are the caller knows."""
    assert isinstance(formula, And)
    return formula.formulas


def body_at(every: Formula, where: Any) -> Formula:
    """What a statement for all, or that there is, says of one index."""
    assert isinstance(every, ForAll | Exists)
    return every.body.substitute({every.index: where})


def linked(goal: Formula, *theorems: Theorem, given: Iterable[Formula] = ()) -> Theorem:
    """`goal` by real arithmetic, with every sum that shows also in its normal form by linearity.

    So sides need not be written the same way: a sum of sums may stand in the one and a sum of
    expanded terms in the other, and constants inside or outside.  A normal form that needs divisors
    not to vanish is used, and assumes so, only where it is needed.
    """
    given = tuple(given)
    formulas = (goal, *given, *(theorem.formula for theorem in theorems))
    normal = list(_in_normal_form(formulas))
    free = [theorem for theorem in normal if not theorem.hypotheses]
    try:
        return joint(goal, *theorems, *free, given=given)
    except ProofError:
        if len(free) == len(normal):
            raise
    return joint(goal, *theorems, *normal, given=given)


def _in_normal_form(formulas: Iterable[Formula]) -> Iterator[Theorem]:
    """That sums are what linearity makes of them, and so equal where that is the same."""
    shown: set[Any] = set()
    first: dict[Any, Sum] = {}
    for total in (t for formula in formulas for side in _sides(formula) for t in _sums(side)):
        if (written := canonical(total)) in shown:
            continue
        shown.add(written)
        key = canonical(normal := _normal(total))
        if key in first:
            yield sum_rearranged(total, first[key])
            continue
        first[key] = total
        # A sum taken out of a sum may leave one that linearity would change once more.
        if written != key and canonical(_normal(normal)) == key:
            yield sum_rearranged(total, normal)


def _normal(total: Sum) -> Expr:
    """What linearity makes of a sum; divisors and roots stay as they are written."""
    names: dict[Any, Any] = {}
    normal = linear(held_apart(total, names) if unknown(total) else total)
    written = {name: (term, sorted(term.free_symbols, key=str)) for term, name in names.items()}
    back = {}
    for held in normal.atoms(AppliedUndef):
        if held.func in written:
            term, symbols = written[held.func]
            back[held] = put(term, dict(zip(symbols, held.args[1:], strict=True)))  # after the mark
    return normal.xreplace(back)


def _sides(formula: Any) -> Iterator[Any]:
    """Sides of the comparisons that arithmetic reads; under a quantifier it reads none."""
    if isinstance(formula, Compare):
        yield from (formula.left, formula.right)
    elif isinstance(formula, And | Or | Not | Implies | Iff):
        for part in formula.parts():
            for piece in part if isinstance(part, tuple) else (part,):
                yield from _sides(piece)


def _sums(term: Any) -> Iterator[Sum]:
    """Sums that arithmetic reads as constants of their own."""
    if isinstance(term, Sum):
        yield term
    elif isinstance(term, Add | Mul | Pow | Abs | Max | Min):
        for part in term.args:
            yield from _sums(part)


def algebra(
    goal: Formula, given: Iterable[Formula], terms: Mapping[Symbol, Any], *theorems: Theorem
) -> Theorem:
    """`goal` with terms for its symbols: arithmetic of the symbols alone, where terms are unwieldy.

    It follows from `given`, which the theorems prove of the terms; what they do not stays assumed.
    """
    return cut(substitute(joint(goal, given=given), terms), *theorems)


def rooted(left: Expr, factor: Any, right: Expr, *theorems: Theorem) -> Theorem:
    """$\\sqrt a\\le c\\sqrt b$ from $a\\le c^2b$, $c\\ge0$, $a\\ge0$, $b\\ge0$."""
    a, b, c = symbols("a b c", real=True)
    given = (
        Compare(a, "<=", c**2 * b),
        Compare(c, ">=", 0),
        Compare(a, ">=", 0),
        Compare(b, ">=", 0),
    )
    terms = {a: left, b: right, c: factor}
    return algebra(Compare(sqrt(a), "<=", c * sqrt(b)), given, terms, *theorems)


def square_at(term: Expr) -> Theorem:
    """A square is not negative, shown of a symbol."""
    y = Symbol("y", real=True)
    return substitute(joint(Compare(y**2, ">=", 0)), {y: term})


def sums_compared(term: Callable[[Any], Theorem], length: Any) -> Theorem:
    """The sums over an index from one, compared term by term; `term(k)` is the theorem at k."""
    k = place()
    return summed_over(term(k), (k, length))


def weighed(
    weight: Callable[[Any], Expr], term: Callable[[Any], Theorem], length: Any,
    sign: Callable[[Any], Theorem] | None = None,
) -> Theorem:  # fmt: skip
    """sum_k w_k a_k <= sum_k w_k b_k (or =, >=) where `term(k)` says a_k <= b_k.

    An inequality needs `sign(k)`, that w_k is not negative.
    """

    def times(k: Any) -> Theorem:
        found = term(k)
        left, right = (weight(k) * side for side in (found.formula.left, found.formula.right))
        signs = () if sign is None else (sign(k),)
        return joint(Compare(left, found.formula.sign, right), found, *signs)

    return sums_compared(times, length)


def extremum_over(kind: type, theorem: Theorem, *ranges: tuple[Symbol, Any]) -> Theorem:
    """The maximum (or minimum) over all indices is bounded as each member is, the first outermost."""
    for index, high in reversed(ranges):
        theorem = extremum_compared(generalise(theorem, index, 1, high), kind)
    return theorem


def picked(where: Any, term: Callable[[Any], Expr], length: Any) -> Theorem:
    """sum_n delta_(where n) y_n = y_where, for a place of the range from one on."""
    n, there = place("n"), place("w")
    flags = sums_compared(
        lambda k: part(fact(DELTA, a=where, b=k, term=term(there), place=there), 2), length
    )
    one = fact(DELTA_SUM, place=where, k=n, low=1, high=length)
    left = Sum(KroneckerDelta(where, n) * term(n), (n, 1, length))
    return linked(Compare(left, "=", term(where)), flags, one)


def multiplied(
    one: Callable[[Any], Theorem], other: Callable[[Any], Theorem], length: Any
) -> Theorem:
    """sum_k a_k b_k = sum_k c_k d_k where `one(k)` says a_k = c_k and `other(k)` b_k = d_k."""

    def product(k: Any) -> Theorem:
        a, b = one(k), other(k)
        goal = Compare(a.formula.left * b.formula.left, "=", a.formula.right * b.formula.right)
        return joint(goal, a, b)

    return sums_compared(product, length)


def power_falls(base: Any, low: Any, high: Any, *theorems: Theorem) -> Theorem:
    """b^high <= b^low, where the theorems say 0 < b <= 1 and low <= high."""
    return cut(fact(POWER_FALLS, a=base, p=sympify(low), q=sympify(high)), *theorems)


def one_power_less(base: Any, exponent: Any, *theorems: Theorem) -> Theorem:
    """b^(e-1) = b^e / b, where the theorems say b > 0."""
    b, e = Symbol("b", positive=True), Symbol("e", real=True)
    return algebra(Compare(b ** (e - 1), "=", b**e / b), (), {b: base, e: exponent}, *theorems)


def squared(term: Callable[[Any], Theorem], length: Any) -> Theorem:
    """sum_k a_k^2 = sum_k b_k^2 where `term(k)` says a_k = b_k."""
    return multiplied(term, term, length)


def integers_apart(less: Any, more: Any) -> Theorem:
    """Integers less < more are at least one apart."""
    return discharge(next_integer(less, more), Compare(less, "<", more))


def replaced(term: Any, where: Symbol, equal: Theorem) -> Theorem:
    """term(a) = term(b) from a = b."""
    return cut(congruent(term, where, equal.formula.left, equal.formula.right), equal)
