"""Ways to a theorem: each tries rules of the kernel, and none can make one of what is false."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from sympy import (
    Add,
    Expr,
    Mul,
    Pow,
    Sum,
    Symbol,
    exp,
    expand_log,
    expand_mul,
    expand_power_exp,
    log,
    oo,
    sift,
)  # fmt: skip

from claims.domain import Domain, Real, Size
from claims.exact import less
from claims.statement import And, Compare, ForAll, Formula, Implies, Monotone, Or, Tends
from proofs import kernel
from proofs.calculation import linked
from proofs.calculus.inequalities import BoxBound
from proofs.calculus.spans import Span
from proofs.facts import (
    EXP_ABOVE_TANGENT,
    EXP_INCREASES,
    EXP_STRICTLY_INCREASES,
    GEOMETRIC,
    LOG_BELOW_TANGENT,
    LOG_INCREASES,
)
from proofs.kernel import ProofError, Theorem
from twofold.expectations import Expected
from twofold.inductions import FAILURES, atoms, by_induction, closed_form, sizes
from twofold.intervals import sign_on_span

__all__ = ["derive", "derive_under"]

PIECES = 2000
STRICT = {"<", ">"}
Road = Callable[[Compare, Sequence[Formula], Domain], Theorem | None]


def derive_under(formula: Formula, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """A theorem that says the formula, under what is given and, if need be, that its terms have values."""
    theorem = derive(formula, given, domain)
    if theorem is None:
        return None
    needs = theorem.hypotheses.difference(given)
    found = (derive(need, given, domain, straight=True) for need in needs)
    return kernel.cut(theorem, *(known for known in found if known is not None))


def derive(
    formula: Formula, given: Sequence[Formula], domain: Domain, *, straight: bool = False
) -> Theorem | None:
    """A theorem that says the formula, under some of what is given; None where no road leads there.

    A `straight` one does not turn to other comparisons that amount to the same.
    """
    with suppress(*FAILURES):
        return kernel.joint(formula, given=given)
    with suppress(*FAILURES):
        return _by_shape(formula, given, domain, straight)
    return None


def _by_shape(
    formula: Formula, given: Sequence[Formula], domain: Domain, straight: bool
) -> Theorem | None:
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
        return _limit(formula, given, domain)
    if isinstance(formula, Monotone):
        return derive(formula.unfolded(), given, domain)
    if isinstance(formula, ForAll):
        return _for_all(formula, given, domain)
    if isinstance(formula, Compare):
        chosen = STRAIGHT if straight else ROADS
        roads = (road(formula, given, domain) for road in map(_tried, chosen))
        return next((theorem for theorem in roads if theorem is not None), None)
    return None


def _tried(road: Road) -> Road:
    def attempt(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
        with suppress(*FAILURES):
            return road(goal, given, domain)
        return None

    return attempt


def _limit(formula: Tends, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Of a closed form, which a sum may have, or of the powers of a number below one."""
    with suppress(*FAILURES):
        return kernel.limit(formula.term, formula.index)
    with suppress(*FAILURES):
        return _limit_of_sums(formula, given, domain)
    base, power = formula.term.as_base_exp()
    return kernel.fact(GEOMETRIC, q=base, k=formula.index) if power == formula.index else None


def _limit_of_sums(formula: Tends, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    term, index = formula.term, formula.index
    totals = sorted(term.atoms(Sum), key=str)
    closed = term.subs({total: total.doit() for total in totals})
    goal = Compare(closed, "=", term)
    least = {name: low for low, name in sizes(goal, given)}[index]
    same = linked(goal, *(closed_form(total, given) for total in totals), given=given)
    every = kernel.generalise(same, index, least, oo)
    return kernel.limit_rewritten(kernel.limit(closed, index), every)


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
    means = atoms(goal, Expected)
    values = [kernel.derived(mean, mean.derived(), domain, by) for mean in means]
    if not values:
        return None
    if goal.sign == "=" and goal.left in means:
        with suppress(ProofError):
            return kernel.rewritten(values[means.index(goal.left)], goal.right)
    return linked(goal, *values, given=given)


def _textbook(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Tangents of the exponentials and logarithms that stand in the goal, and exponentials of sums."""
    powers = {term.args[0] for term in atoms(goal, exp)}
    powers |= {sum(_exponents(product)) for product in atoms(goal, Mul)} - {0}
    parts = powers.union(*(Add.make_args(power) for power in powers))
    found = [
        kernel.fact(EXP_ABOVE_TANGENT, x=way * x) for x in sorted(parts, key=str) for way in (1, -1)
    ]
    for power in sorted(powers, key=str):
        if isinstance(power, Add):
            found.append(kernel.identity(exp(power), Mul(*map(exp, power.args))))
    for term in atoms(goal, log):
        found.append(kernel.fact(LOG_BELOW_TANGENT, x=term.args[0]))
    return kernel.joint(goal, *found, given=given) if found else None


def _exponents(product: Mul) -> list[Expr]:
    return [factor.args[0] for factor in product.args if isinstance(factor, exp)]


def _interval(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """One variable: by its turns, and the signs of its derivatives and factors."""
    symbols = goal.left.free_symbols | goal.right.free_symbols
    named = (v for v in domain.variables if v.symbol in symbols)
    spans = [span for v in named if (span := _span(v, given)) is not None]
    if len(symbols) != 1 or not spans:
        return None
    if goal.sign in {"=", "!="}:
        return _by_both_orders(goal, given, domain)
    smaller, larger = _in_order(goal)
    theorem = sign_on_span(larger - smaller, spans[0], strict=goal.sign in STRICT)
    return theorem and kernel.joint(goal, theorem, given=given)


def _by_both_orders(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Equal if neither is less, and different if one is."""
    orders = (
        replace(goal, sign=sign) for sign in ((">=", "<=") if goal.sign == "=" else (">", "<"))
    )
    found = [_interval(order, given, domain) for order in orders]
    known = [theorem for theorem in found if theorem is not None]
    enough = len(known) == (2 if goal.sign == "=" else 1)
    return kernel.joint(goal, *known, given=given) if enough else None


def _span(variable: Any, given: Sequence[Formula]) -> Span | None:
    """The range of a number, or of a size, as far as what is given leaves it."""
    if not isinstance(variable, Real | Size):
        return None
    x, low, high = variable.symbol, (-oo, False), (oo, False)
    for fact in given:
        if isinstance(fact, Compare) and fact.left == x and not fact.right.free_symbols:
            end = fact.right, fact.sign in {"<", ">"}
            if fact.sign in {">", ">="} and _is_within(low, end):
                low = end
            if fact.sign in {"<", "<="} and _is_within((-high[0], high[1]), (-end[0], end[1])):
                high = end
    return Span(x, low[0], high[0], low[1], high[1])


def _is_within(end: tuple[Any, bool], other: tuple[Any, bool]) -> bool:
    """Whether a low end, open or not, lies above another one."""
    return less(end[0], other[0]) or (end[0] == other[0] and other[1])


def _box(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Ball arithmetic over the box of the ranges, where all of them are finite."""
    symbols = goal.left.free_symbols | goal.right.free_symbols
    ranges = [v for v in domain.variables if v.symbol in symbols]
    box = tuple((v.symbol, v.low, v.high) for v in ranges if isinstance(v, Real))
    if len(box) != len(symbols):
        return None
    smaller, larger = _in_order(goal)
    sign: Any = ">0" if goal.sign in STRICT else ">=0"
    bound = BoxBound(larger - smaller, box, sign, max_pieces=PIECES)  # type: ignore[arg-type]
    return kernel.joint(goal, kernel.certified(bound), given=given)


def _sums(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Sums equal up to linearity."""
    return linked(goal, given=given) if goal.left.has(Sum) or goal.right.has(Sum) else None


def _closed_sums(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Sums that have a closed form."""
    known = [closed_form(total, given) for total in atoms(goal, Sum)]
    return kernel.joint(goal, *known, given=given) if known else None


def _by_logarithms(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Products, powers and exponentials by their logarithms."""
    sides = _in_order(goal)
    logarithms = [expand_log(log(side), force=True) for side in sides]
    strict = goal.sign in STRICT
    known, sign = (EXP_STRICTLY_INCREASES, "<") if strict else (EXP_INCREASES, "<=")
    inner = derive(Compare(logarithms[0], sign, logarithms[1]), given, domain, straight=True)
    positive = derive(Compare(sides[0], ">", 0), given, domain, straight=True)
    if inner is None or positive is None:
        return None
    rises = kernel.cut(kernel.fact(known, a=logarithms[0], b=logarithms[1]), inner)
    same = (kernel.cut(theorem, positive) for theorem in _renamed(exp, logarithms, sides))
    return kernel.joint(goal, rises, *same, given=given)


def _by_exponentials(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """Logarithms by what they are of."""
    strict = goal.sign in STRICT
    below = "<" if strict else "<="
    for smaller, larger in _logarithms_apart(*_in_order(goal)):
        low, high = (expand_power_exp(exp(side)) for side in (smaller, larger))
        inner = derive(Compare(low, below, high), given, domain, straight=True)
        positive = inner and derive(Compare(low, ">", 0), given, domain, straight=True)
        if inner is None or positive is None:
            continue
        if strict:  # else the exponentials would be in the other order
            others = kernel.fact(EXP_INCREASES, a=log(high), b=log(low))
            rises = kernel.discharge(others, Compare(log(high), "<=", log(low)))
        else:
            rises = kernel.fact(LOG_INCREASES, a=low, b=high)
        known = kernel.cut(rises, inner, positive)
        same = _renamed(log, (low, high), (smaller, larger))
        return kernel.joint(goal, known, inner, *same, given=given)
    return None


def _logarithms_apart(smaller: Expr, larger: Expr) -> Iterator[tuple[Expr, Expr]]:
    """Sides with logarithms as they are, and with each logarithm where its factor is positive."""
    if not (smaller.has(log) or larger.has(log)):
        return
    yield smaller, larger
    logarithms, rest = sift(
        Add.make_args(expand_mul(larger - smaller)), lambda term: term.has(log), binary=True
    )
    right, left = sift(logarithms, lambda term: not term.could_extract_minus_sign(), binary=True)
    if rest and logarithms:
        yield -Add(*left) - Add(*rest), Add(*right)


def _in_order(goal: Compare) -> tuple[Expr, Expr]:
    """The smaller side first."""
    if goal.sign not in {"<=", "<", ">=", ">"}:
        raise ProofError(f"{goal.sign}: is no order")
    return (goal.left, goal.right) if goal.sign in {"<=", "<"} else (goal.right, goal.left)


def _least_apart(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    """The least case of a size by itself, and all others."""
    least = {(v.low, v.symbol) for v in domain.variables if isinstance(v, Size)}
    for low, index in sizes(goal, given):
        if (low, index) not in least:
            continue  # it stands apart already
        beyond = [f for f in given if f != Compare(index, ">=", low)]
        beyond.append(Compare(index, ">=", low + 1))
        with suppress(*FAILURES):
            first = kernel.compute(goal.substitute({index: low}))
            rest = derive(goal, beyond, domain)
            if rest is not None:
                known = [kernel.joint(f, given=beyond) for f in rest.hypotheses - {*beyond}]
                every = kernel.generalise(kernel.cut(rest, *known), index, low + 1, oo)
                return kernel.instance(kernel.prepended(first, every), index)
    return None


def _renamed(function: Any, terms: Sequence[Expr], sides: Sequence[Expr]) -> Iterator[Theorem]:
    """That a function of terms gives the sides, where they are not written the same way."""
    for term, side in zip(terms, sides, strict=True):
        if function(term) == side:
            continue
        if function is exp and isinstance(side, Pow):  # as it is for a positive base
            base = Symbol("b", positive=True)
            same = kernel.identity(exp(side.exp * log(base)), base**side.exp)
            yield kernel.substitute(same, {base: side.base})
        else:
            yield kernel.identity(function(term), side)


def _by_induction(goal: Compare, given: Sequence[Formula], domain: Domain) -> Theorem | None:
    return by_induction(goal, given)


STRAIGHT: tuple[Road, ...] = (
    _algebra, _sums, _expectation, _textbook, _interval, _by_induction, _closed_sums, _box,
)  # fmt: skip
ROADS: tuple[Road, ...] = (*STRAIGHT, _by_exponentials, _by_logarithms, _least_apart)
