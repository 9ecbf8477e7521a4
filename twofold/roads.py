"""Ways to a theorem: each tries rules of the kernel, and none can make one of what is false."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from sympy import Expr, Sum, Symbol, exp, log, oo, sympify

from claims.domain import Domain, Real
from claims.statement import And, Compare, ForAll, Formula, Implies, Monotone, Or, Tends
from proofs import kernel
from proofs.calculation import linked
from proofs.calculus.inequalities import BoxBound, Undecided
from proofs.facts import EXP_ABOVE_TANGENT, GEOMETRIC, LOG_BELOW_TANGENT
from proofs.kernel import ProofError, Theorem
from twofold.expectations import Expected
from twofold.intervals import sign_on_interval, signs_beside_zero

__all__ = ["derive"]

FAILURES = (ProofError, Undecided, ValueError, TypeError, NotImplementedError, KeyError)
"""What says that a road does not lead to the statement."""
PIECES = 2000
Road = Callable[[Compare, Sequence[Formula], Domain], Theorem | None]


def derive(formula: Formula, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """A theorem that says the formula, under some of what is given; None where no road leads there."""
    with suppress(*FAILURES):
        return kernel.joint(formula, given=given)
    with suppress(*FAILURES):
        return _by_shape(formula, given, domain)
    return None


def _by_shape(formula: Formula, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    if isinstance(formula, And):
        parts = [derive(part, given, domain) for part in formula.formulas]
        return None if None in parts else kernel.both(*(p for p in parts if p is not None))
    if isinstance(formula, Or):
        found = (derive(part, given, domain) for part in formula.formulas)
        theorem = next((t for t in found if t is not None), None)
        return theorem and kernel.joint(formula, theorem)
    if isinstance(formula, Implies):
        return _implication(formula, given, domain)
    if isinstance(formula, Tends):
        return _limit(formula)
    if isinstance(formula, Monotone):
        return derive(formula.unfolded(), given, domain)
    if isinstance(formula, ForAll):
        return _for_all(formula, given, domain)
    if isinstance(formula, Compare):
        roads = (road(formula, given, domain) for road in map(_tried, ROADS))
        return next((theorem for theorem in roads if theorem is not None), None)
    return None


def _tried(road: Road) -> Road:
    def attempt(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
        with suppress(*FAILURES):
            return road(goal, given, domain)
        return None

    return attempt


def _limit(formula: Tends) -> Theorem | None:
    """Of a closed form, or of the powers of a number below one."""
    with suppress(*FAILURES):
        return kernel.limit(formula.term, formula.index)
    base, power = formula.term.as_base_exp()
    return kernel.fact(GEOMETRIC, q=base, k=formula.index) if power == formula.index else None


def _implication(formula: Implies, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    premise = formula.premise
    parts = premise.formulas if isinstance(premise, And) else (premise,)
    theorem = derive(formula.conclusion, [*given, *parts], domain)
    if theorem is None:
        return None
    assumed = kernel.assume(premise)
    if isinstance(premise, And):
        theorem = kernel.cut(theorem, *(kernel.part(assumed, n) for n in range(len(parts))))
    return kernel.discharge(theorem, premise)


def _for_all(formula: ForAll, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    index = formula.index
    inside = [Compare(index, ">=", formula.low)]
    inside += [Compare(index, "<=", formula.high)] if formula.high is not oo else []
    theorem = derive(formula.body, [*given, *inside], domain)
    return theorem and kernel.generalise(theorem, index, formula.low, formula.high)


def _algebra(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Both sides in normal form."""
    return kernel.identity(goal.left, goal.right) if goal.sign == "=" else None


def _expectation(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """The value of a Gaussian expectation by the calculus, then arithmetic or its normal form."""
    by = "Gaussian integration by parts"
    means = sorted(goal.left.atoms(Expected) | goal.right.atoms(Expected), key=str)
    values = [kernel.derived(mean, mean.derived(), domain, by) for mean in means]
    if not values:
        return None
    if goal.sign == "=" and goal.left in means:
        with suppress(ProofError):
            return kernel.rewritten(values[means.index(goal.left)], goal.right)
    return linked(goal, *values, given=given)


def _textbook(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Tangents of the exponentials and logarithms that stand in the goal."""
    found = []
    for known, kind in ((EXP_ABOVE_TANGENT, exp), (LOG_BELOW_TANGENT, log)):
        for term in sorted(goal.left.atoms(kind) | goal.right.atoms(kind), key=str):
            found.append(kernel.fact(known, x=term.args[0]))
            if kind is exp:
                found.append(kernel.fact(known, x=-term.args[0]))
    return kernel.joint(goal, *found, given=given) if found else None


def _interval(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """One variable: roots counted, or a zero at an end and the sign of the derivative."""
    symbols = goal.left.free_symbols | goal.right.free_symbols
    ranges = [v for v in domain.variables if v.symbol in symbols]
    if len(symbols) != 1 or not ranges or not isinstance(ranges[0], Real) or goal.sign == "!=":
        return None
    low, high = sympify(ranges[0].low), sympify(ranges[0].high)
    for difference, sign in _differences(goal):
        theorem = sign_on_interval(difference, ranges[0].symbol, low, high, sign)
        if theorem is not None:
            return kernel.joint(goal, theorem, given=given)
        sides = signs_beside_zero(difference, ranges[0].symbol, low, high, sign)
        if sides:
            return kernel.joint(goal, *sides, given=given)
    return None


def _differences(goal: Compare) -> Iterator[tuple[Expr, str]]:
    difference = goal.right - goal.left if goal.sign in {"<=", "<"} else goal.left - goal.right
    if goal.sign in {"<=", ">=", "<", ">"}:
        yield difference, ">=0" if goal.sign in {"<=", ">="} else ">0"


def _box(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Ball arithmetic over the box of the ranges, where all of them are finite."""
    symbols = goal.left.free_symbols | goal.right.free_symbols
    ranges = [v for v in domain.variables if v.symbol in symbols]
    for difference, sign in _differences(goal):
        box = tuple((v.symbol, v.low, v.high) for v in ranges if isinstance(v, Real))
        if len(box) == len(symbols):
            bound = BoxBound(difference, box, sign, max_pieces=PIECES)  # type: ignore[arg-type]
            return kernel.joint(goal, kernel.certified(bound), given=given)
    return None


def _sums(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Sums equal up to linearity."""
    return linked(goal, given=given) if goal.left.has(Sum) or goal.right.has(Sum) else None


def _induction(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Over one size that the statement holds: the least case, and the next from any."""
    for low, index in _sizes(goal, given):
        with suppress(*FAILURES):
            start = _first_case(goal.substitute({index: low}), given, index)
            step = _next_case(goal, given, index, low)
            return kernel.instance(kernel.induction(start, step, index, low), index)
    return None


def _sizes(goal: Compare, given: Sequence[Formula]) -> Iterator[tuple[Any, Symbol]]:
    """Integers of the statement with their least values, as the hypotheses give them."""
    named = goal.free_symbols()
    for fact in given:
        least = fact.right if isinstance(fact, Compare) and fact.sign == ">=" else oo
        if least.is_Integer and fact.left in named and fact.left.is_integer:  # type: ignore[attr-defined]
            yield least, fact.left  # type: ignore[attr-defined]


def _first_case(case: Formula, given: Sequence[Formula], index: Symbol) -> Theorem:
    assert isinstance(case, Compare)
    totals = sorted(case.left.atoms(Sum) | case.right.atoms(Sum), key=str)
    if not case.free_symbols() and not totals:
        return kernel.compute(case)
    others = [f for f in given if index not in f.free_symbols()]
    values = [kernel.identity(total, total.doit()) for total in totals]
    return linked(case, *values, given=others)


def _next_case(goal: Compare, given: Sequence[Formula], index: Symbol, low: Any) -> Theorem:
    here = [f for f in given if index not in f.free_symbols()]
    here.append(Compare(index, ">=", low))
    following = goal.substitute({index: index + 1})
    assert isinstance(following, Compare)
    assumed = [kernel.assume(f) for f in here]
    ends = [
        kernel.cut(kernel.sum_split(total), *assumed)
        for total in sorted(following.left.atoms(Sum) | following.right.atoms(Sum), key=str)
        if index in total.args[1][2].free_symbols
    ]
    return linked(following, kernel.assume(goal), *ends, given=here)


ROADS: tuple[Road, ...] = (
    _algebra, _sums, _expectation, _textbook, _interval, _induction, _box,
)  # fmt: skip
