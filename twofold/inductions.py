"""Induction over a size, and the closed forms of sums that it shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from sympy import Piecewise, Sum, Symbol, binomial, combsimp, factorial, log, oo

from claims.statement import Compare, Formula
from proofs import kernel
from proofs.calculation import linked
from proofs.calculus.inequalities import Undecided
from proofs.facts import LOG_BELOW_TANGENT
from proofs.kernel import ProofError, Theorem

__all__ = ["FAILURES", "atoms", "by_induction", "closed_form", "sizes"]

FAILURES = (ProofError, Undecided, ValueError, TypeError, NotImplementedError, KeyError)
"""What says that a road does not lead to the statement."""
GROWING = (log, factorial, binomial)


def atoms(goal: Compare, *kinds: Any) -> list[Any]:
    """What stands of these kinds in a comparison, in a fixed order."""
    return sorted(goal.left.atoms(*kinds) | goal.right.atoms(*kinds), key=str)


def closed_form(total: Sum, given: Sequence[Formula]) -> Theorem:
    """The closed form of a sum, by induction over its length."""
    closed = total.doit()
    if closed.has(Sum, Piecewise):
        raise ProofError(f"{total}: no closed form is known")
    found = by_induction(Compare(total, "=", closed), given)
    if found is None:
        raise ProofError(f"{total} = {closed}: no induction shows it")
    return found


def by_induction(goal: Compare, given: Sequence[Formula]) -> Theorem | None:
    """Over one size that the statement holds: the least case, and the next from any."""
    for low, index in sizes(goal, given):
        with suppress(*FAILURES):
            start = _first_case(goal.substitute({index: low}), given, index)
            step = _next_case(goal, given, index, low)
            return kernel.instance(kernel.induction(start, step, index, low), index)
    return None


def sizes(goal: Compare, given: Sequence[Formula]) -> Iterator[tuple[Any, Symbol]]:
    """Integers of the statement with their least values, as the hypotheses give them."""
    named = goal.free_symbols()
    for fact in given:
        least = fact.right if isinstance(fact, Compare) and fact.sign == ">=" else oo
        if least.is_Integer and fact.left in named and fact.left.is_integer:  # type: ignore[attr-defined]
            yield least, fact.left  # type: ignore[attr-defined]


def _first_case(case: Formula, given: Sequence[Formula], index: Symbol) -> Theorem:
    assert isinstance(case, Compare)
    totals = atoms(case, Sum)
    if not case.free_symbols() and not totals:
        return kernel.compute(case)
    others = [f for f in given if index not in f.free_symbols()]
    values = [kernel.identity(total, total.doit()) for total in totals]
    written = case.substitute({total: total.doit() for total in totals})
    if not written.free_symbols():
        values.append(kernel.compute(written))
    return linked(case, *values, given=others)


def _next_case(goal: Compare, given: Sequence[Formula], index: Symbol, low: Any) -> Theorem:
    here = [f for f in given if index not in f.free_symbols()]
    here.append(Compare(index, ">=", low))
    following = goal.substitute({index: index + 1})
    assert isinstance(following, Compare)
    assumed = [kernel.assume(f) for f in here]
    ends = [
        kernel.cut(kernel.sum_split(total), *assumed)
        for total in atoms(following, Sum)
        if index in total.args[1][2].free_symbols
    ]
    known = [kernel.cut(step, *assumed) for step in _steps(goal, index)]
    return linked(following, kernel.assume(goal), *ends, *known, given=here)


def _steps(goal: Compare, index: Symbol) -> Iterator[Theorem]:
    """What factorials are multiplied by from one case to the next, and by how much logarithms grow."""
    for term in atoms(goal, *GROWING):
        after = term.subs(index, index + 1)
        if after == term:
            continue
        if isinstance(term, log):
            ratio = after.args[0] / term.args[0]
            yield kernel.identity(log(ratio), after - term)
            yield kernel.fact(LOG_BELOW_TANGENT, x=ratio)
            yield kernel.identity(log(1 / ratio), term - after)
            yield kernel.fact(LOG_BELOW_TANGENT, x=1 / ratio)
        else:
            yield kernel.identity(after, combsimp(after / term) * term)
