"""What points of a domain deny: signs that symbols declare, facts that proofs use, a theorem.

A theorem follows from what its rules were told.  Here that is held to what the definitions say; it
makes nothing true, and nothing is proved that it finds wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cache
from itertools import chain, islice, product
from typing import Any

import flint
from sympy import Basic, Expr, Float, Integer, N, Symbol, sympify
from sympy.core.function import AppliedUndef

from claims.almost_surely import drawn_with
from claims.domain import Choice, Domain, Point, Real, Size
from claims.errors import UNDEFINED
from claims.exact import sign
from claims.iid_tables import Tables
from claims.model import Claim
from claims.points import Itself, Placed
from claims.seeds import current_seed
from claims.statement import And, Compare, Exists, ForAll, Formula, Implies, Or, Quantity, Tends
from claims.terms import rests_on, value_of
from claims.time_limits import searching
from claims.variables import Whole
from claims.whole import whole_between
from proofs import places
from proofs.hidden import applied_in

__all__ = [
    "against", "contradicted", "denied", "may_be_real", "occurs", "place_of_failure", "point_of_failure",
    "signs", "speaks", "unreal", "without_law", "without_point",
]  # fmt: skip

POINTS, FEW, SECONDS = 60, 12, 0.6
"""Small points for variables and for what is costly, and the seconds for each look."""
FACT_SECONDS = 0.3
"""For what the hypotheses of a domain say besides ranges, which few points deny if any does."""
VALUE_SECONDS = 20.0
"""For a quantity of which no value was found in that time."""
FURTHER, FURTHER_SECONDS = 16, 0.15
"""Points that are spread further, or random, and the seconds for those."""
FAR_OUT = (20, 50, 100)
"""Values of one number of a domain without arrays, the others least."""
LATE = (8, 21)
"""Members of a sequence that are looked at; the first ones may be undefined."""
STRICT = frozenset({"<", ">", "!="})
MEMBERS, ROUNDING = 60, 1e-10
"""Members of an infinite range, and by what values may differ that are not exact, such as integrals."""


def denied(used: Iterable[Any], domain: Domain, facts: Sequence[Formula]) -> list[str]:
    """What the symbols used declare and the facts of a domain say, and some point denies."""
    seed, own, used = current_seed(), Itself(domain), set(used)
    found: list[str | None] = [*_false_facts(own, tuple(facts), seed)]
    others = {v.symbol for v in domain.variables if not isinstance(v, Real | Size | Choice)}
    told = {s for s in others & used if type(s) is Symbol and signs(s)}
    found += [said for symbol, said in _variables(own, seed) if symbol in told] if told else []
    quantities = sorted((q for q in used if isinstance(q, Quantity)), key=lambda q: q.serial)
    found += [_quantity(q, own, seed) for q in quantities if signs(q)]
    return [said for said in found if said is not None]


def unreal(formulas: Iterable[Formula], domain: Domain) -> list[str]:
    """Parts of sequences that rules took for real numbers, and that are none at some point.

    Of a limit no point gives the truth; what a comparison says of such a number `contradicted` sees.
    """
    limits = {piece for formula in formulas for piece in formula.walk() if isinstance(piece, Tends)}
    own = Itself(domain)
    found = [_unreal(limit, own) for limit in sorted(limits, key=str)]
    return [said for said in found if said is not None]


def contradicted(claim: Claim) -> str | None:
    """That a statement fails by its definition at a point, whatever was derived."""
    place = place_of_failure(claim)
    return None if place is None else f"a theorem that the definition denies at {place}"


def place_of_failure(claim: Claim) -> str | None:
    """A point at which a statement fails by its definition, in words."""
    point = point_of_failure(claim)
    return None if point is None else _shown(point)


def point_of_failure(claim: Claim) -> Point | None:
    """A point at which a statement fails by its definition; small ones first."""
    further = islice(_spread_further(claim.domain), FURTHER)
    for points, seconds in ((claim.domain.smallest(FEW), SECONDS), (further, FURTHER_SECONDS)):
        with searching(seconds):
            for point in points:
                with suppress(*UNDEFINED):
                    if _fails(claim.formula, point):
                        return point
    return None


def without_point(domain: Domain) -> list[str]:
    """That a domain has no point, or none that is small."""
    found = next(domain.smallest(), None)
    return ["an admissible point, of which none is found"] if found is None else []


def without_law(formulas: Iterable[Formula], domain: Domain) -> list[str]:
    """That random tables have moments that no law has, at all points that are looked at."""
    own = Itself(domain)
    tables = {tables for formula in formulas for tables in _tables_in(formula)}
    lawless = sorted(t.name for t in tables if not _has_law(t, own, current_seed()))
    return [f"a law of {name}, of which no point has the moments" for name in lawless]


def _tables_in(formula: Formula) -> Iterator[Tables]:
    applied = applied_in(formula)
    made = {f for a in applied if isinstance(a, AppliedUndef) for f in rests_on(a.func)}
    found = [getattr(piece, "matrices", None) for piece in formula.walk()]
    found += (getattr(a, "of", None) for a in applied)
    found += (drawn_with(getattr(f, "variable", None)) for f in made)
    yield from (tables for tables in found if isinstance(tables, Tables))


@cache
def _has_law(tables: Tables, domain: Itself, seed: int) -> bool:
    ends = (places.magnified_points, places.minified_points)
    points = chain(_looked_at(domain.value), *(at_ends(domain.value) for at_ends in ends))
    with searching(SECONDS):
        return any(tables.exist(point) is not False for point in points)
    return True


def _shown(point: Point) -> str:
    return ", ".join(f"{symbol} = {value}" for symbol, value in point.items())


def _fails(formula: Formula, at: Point) -> bool:
    """Whether a formula is false at a point, and not by the rounding of values that are not exact."""
    if formula.truth(at) is not False:
        return False
    if isinstance(formula, Compare):
        sides = [value_of(side, at) for side in (formula.left, formula.right)]
        if formula.sign in STRICT and all(map(_is_exact, sides)):
            return True  # equal sides deny it
        return _apart(*sides)
    if isinstance(formula, And | Or):
        some = any if isinstance(formula, And) else all
        return some(_fails(part, at) for part in formula.formulas)
    if isinstance(formula, Implies):
        return _fails(formula.conclusion, at)
    if isinstance(formula, ForAll | Exists):
        some = any if isinstance(formula, ForAll) else all
        low, high = (value_of(end, at) for end in (formula.low, formula.high))
        members = whole_between(low, min(high, low + MEMBERS))
        return some(_fails(formula.body, Placed(at, {formula.index: Integer(k)})) for k in members)
    return True


def _is_exact(value: Any) -> bool:
    """Whether no float is in it."""
    value = sympify(value)
    return isinstance(value, Basic) and not value.has(Float)


def _apart(left: Any, right: Any) -> bool:
    """Whether two values differ by more than a float's rounding; what is no number does."""
    with suppress(TypeError, ValueError):
        gap, scale = (abs(float(N(value, 30))) for value in (left - right, left))
        return gap > ROUNDING * (1 + scale)
    return True


def _looked_at(domain: Domain) -> Iterator[Point]:
    """The small points, some random one if any is drawn, large ones, and many that are drawn."""
    yield from islice(domain.smallest(), POINTS)
    with suppress(ValueError):
        yield from places.other_points(domain)
        yield from _spread_further(domain)
        numbers = all(isinstance(v, Whole | Real) for v in domain.variables)
        if numbers:  # arrays would grow with their sizes
            yield from chain.from_iterable(map(domain.far, FAR_OUT))


def _spread_further(domain: Domain) -> Iterator[Point]:
    return chain(places.together_points(domain), places.varied_points(domain))


@cache
def _false_facts(domain: Itself, facts: tuple[Formula, ...], seed: int) -> tuple[str, ...]:
    """Facts that fail at a point where they are said to hold."""
    found = dict[Formula, str]()
    with searching(FACT_SECONDS):
        for point in _looked_at(domain.value) if facts else ():
            for fact in (f for f in facts if f not in found):
                with suppress(*UNDEFINED):
                    if _fails(fact, point):
                        found[fact] = f"${fact.latex()}$, which fails at {_shown(point)}"
    return tuple(found.values())


@cache
def _variables(domain: Itself, seed: int) -> tuple[tuple[Any, str], ...]:
    """Variables whose symbols declare what their values at some point deny."""
    found = dict[Any, str]()
    symbols = [v.symbol for v in domain.value.variables if type(v.symbol) is Symbol]
    with searching(SECONDS):
        for point in _looked_at(domain.value):
            for symbol in (s for s in symbols if s in point and s not in found):
                if (said := against(symbol, point[symbol])) is not None:
                    found[symbol] = said
    return tuple(found.items())


@cache
def _quantity(quantity: Quantity, domain: Itself, seed: int) -> str | None:
    """That a quantity declares what its definition denies at some point, or shows at none.

    For the first value a search waits, as for that of a definition which a term is held to.
    """
    shown = False
    with searching(SECONDS):
        for point in _looked_at(domain.value):
            with suppress(*UNDEFINED):
                if (said := against(quantity, value_of(quantity, point))) is not None:
                    return said
                shown = True
    if shown:
        return None
    with searching(VALUE_SECONDS):
        for point in domain.value.smallest(FEW):
            with suppress(*UNDEFINED):
                return against(quantity, value_of(quantity, point))
    name, holds = next(iter(signs(quantity).items()))
    return f"that {quantity} is {_said(name, holds)}, which no point shows"


@cache
def _unreal(limit: Tends, domain: Itself) -> str | None:
    """That a quantity in a sequence, or a member of a family, is no real number at some point."""
    term = sympify(limit.term)
    members = [
        applied for applied in term.atoms(AppliedUndef) if hasattr(applied.func, "define_at")
    ]
    with searching(SECONDS):
        for point in domain.value.smallest(FEW):
            for part, k in product([*term.atoms(Quantity), *members], LATE):
                with suppress(*UNDEFINED):
                    value = value_of(part, Placed(point, {limit.index: Integer(k)}))
                    if not may_be_real(value):
                        return f"that {part}, which may be {value}, is a real number"
    return None


def may_be_real(value: Any) -> bool:
    """Whether a value is no infinite or imaginary number."""
    if not isinstance(value, Expr) or hasattr(value, "shape"):
        return True
    return value.is_extended_real is not False and value.is_finite is not False


def signs(symbol: Symbol) -> dict[str, bool]:
    """What a symbol declares besides being real, of itself or of what it is not."""
    said = symbol._assumptions_orig.items()
    return {name: bool(holds) for name, holds in said if holds is not None and name != "real"}


def _said(name: str, holds: bool) -> str:
    return name if holds else f"not {name}"


def against(symbol: Symbol, value: Any) -> str | None:
    """That a value is not what a symbol declares."""
    for name, holds in signs(symbol).items():
        if _is(value, name) is (not holds):
            return f"that {symbol}, which may be {value}, is {_said(name, holds)}"
    return None


_OF_SIGNS: dict[str, frozenset[int]] = {
    "positive": frozenset({1}), "negative": frozenset({-1}), "nonzero": frozenset({1, -1}),
    "nonnegative": frozenset({0, 1}), "nonpositive": frozenset({0, -1}),
}  # fmt: skip


def _is(value: Any, name: str) -> bool | None:
    """Whether a value is what a name says; decimals and balls have signs, and say nothing of themselves."""
    if isinstance(value, Decimal | flint.arb):
        found = sign(value)
        return None if found is None or name not in _OF_SIGNS else found in _OF_SIGNS[name]
    return getattr(value, f"is_{name}", None)


def occurs(formula: Formula, truth: bool, domain: Domain) -> bool:
    """Whether a formula is seen to be true, or false, at a small point."""
    with searching(SECONDS):
        for point in domain.smallest(POINTS):
            with suppress(*UNDEFINED):
                if formula.truth(point) is truth:
                    return True
    return False


def speaks(claim: Claim, given: Formula) -> bool:
    """Whether a hypothesis holds at a small point of a claim where some side that it compares is not zero."""
    compared = [piece for piece in claim.formula.walk() if isinstance(piece, Compare)]
    sides = [side for comparison in compared for side in (comparison.left, comparison.right)]
    with searching(SECONDS):
        for point in claim.domain.smallest(POINTS):
            with suppress(*UNDEFINED):
                if given.truth(point) is True and any(value_of(s, point) != 0 for s in sides):
                    return True
    return False
