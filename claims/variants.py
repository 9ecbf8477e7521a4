"""False variants of a claim, made from its statement and its domain by named operators.

Each variant changes one place: an exponent, a constant, a size, a factor, a sign, a relation, a
quantifier, a hypothesis.  Most are false, some are true (a looser bound, a hypothesis that is not
needed); which they are is for the two witnesses to say, as of any claim.  The list depends on the
claim alone, and its beginning holds something of every operator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from itertools import islice, zip_longest
from random import Random
from typing import Any

from sympy import Expr, Integer, Rational, Symbol, latex, oo, sympify
from sympy.matrices.expressions import MatrixExpr

from claims import weaker
from claims.domain import Condition, Domain, Point, Real, Size
from claims.edits import NEAR, Edit, Kinds, apply_or_skip, edits, indexed, vanishing
from claims.fingerprints import Fingerprints
from claims.model import Claim, Mutant, Relation
from claims.statement import (
    And,
    Compare,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Monotone,
    Not,
    Or,
    Predicate,
    Tends,
)  # fmt: skip
from claims.weaker import REVERSED

__all__ = ["OPERATORS", "Variant", "variants_of"]

OPERATORS = (
    "exponent", "constant", "size", "swap", "factor", "term", "sign", "relation", "bound",
    "quantifier", "range", "limit", "conjunct", "implication", "condition", "class", "transpose",
    "order", "vanishing",
)  # fmt: skip
"""What a variant can differ in; a list of variants takes from each in this order."""

COMPARED = 6
"""Small points, and as many random ones, at which a bound is compared with that of a variant."""
WEAKER = {"<": "<=", ">": ">="}
STRICTER = {"<=": "<", ">=": ">"}
SIGN_WORDS = {"<=": r"$\le$", ">=": r"$\ge$", "<": "$<$", ">": "$>$"}


@dataclass(frozen=True)
class Variant(Mutant):
    """A mutant that an operator made, and its place in the list."""

    operator: str = ""
    rank: int = 0


@dataclass(frozen=True)
class _Change:
    """A statement with one place changed."""

    operator: str
    words: str
    statement: Any


def variants_of(claim: Claim, limit: int | None = None) -> tuple[Variant, ...]:
    """The variants of a claim, the same every time; with `limit`, the first so many.

    Those that are the claim's own statement after algebra, or another variant, are left out; those
    that ask no more than it come last.
    """
    changes = _statements(claim.statement, _kinds(claim.domain))
    changed = [Variant(c.words, c.statement, operator=c.operator) for c in changes]
    widened = [
        Variant(words, claim.statement, domain, operator=operator)
        for operator, words, domain in _domains(claim.domain)
    ]
    mixed = _mixed(claim.statement, [*changed, *widened])
    return _titled(list(islice(_telling(claim, mixed), limit)))


def _telling(claim: Claim, variants: Iterator[Variant]) -> Iterator[Variant]:
    """First those that may be false although the claim is true."""
    points = apply_or_skip(lambda: _points(claim.domain)) or []
    idle = []
    for variant in variants:
        asks_no_more = variant.domain is None and weaker.asks_no_more(
            variant.statement, claim.statement, points
        )
        if asks_no_more:
            idle.append(variant)
        else:
            yield variant
    yield from idle


def _points(domain: Domain) -> list[Point]:
    """A few small points and a few random ones."""
    rng = Random(0)
    return [*domain.smallest(COMPARED), *(domain.draw(rng) for _ in range(COMPARED))]


def _mixed(statement: Any, variants: list[Variant]) -> Iterator[Variant]:
    """One of every operator, then another of each, and so on; each says something of its own.

    Lazily: to see that two statements are one takes longer than to make them.
    """
    sides = Fingerprints()
    seen = {_key(statement, sides)}
    piles = [
        _worth_trying([v for v in variants if v.operator == operator], seen, sides)
        for operator in OPERATORS
    ]
    for taken in zip_longest(*piles):
        yield from filter(None, taken)


def _worth_trying(pile: list[Variant], seen: set[Any], sides: Fingerprints) -> Iterator[Variant]:
    """Those whose domain has a point, or that say something else than the statement and than others."""
    for variant in pile:
        if variant.domain is not None:
            if _has_a_point(variant.domain):
                yield variant
        elif _says_something(variant.statement):
            key = _key(variant.statement, sides)
            if key not in seen:
                seen.add(key)
                yield variant


def _has_a_point(domain: Domain) -> bool:
    return apply_or_skip(lambda: next(domain.smallest(1))) is not None


def _says_something(statement: Any) -> bool:
    """Whether a changed statement still speaks of a quantity: one of variables alone is no claim."""
    return not isinstance(statement, Formula) or bool(statement.quantities())


def _titled(variants: list[Variant]) -> tuple[Variant, ...]:
    """Names made unique: the same change at another place says which place it is."""
    seen: Counter[str] = Counter()
    named = []
    for rank, variant in enumerate(variants):
        seen[variant.name] += 1
        place = seen[variant.name]
        name = variant.name if place == 1 else f"{variant.name} (place {place})"
        named.append(replace(variant, name=name, rank=rank))
    return tuple(named)


def _key(piece: Any, sides: Fingerprints) -> Any:
    """What two statements share exactly when they are the same after algebra."""
    if isinstance(piece, Relation):
        return (piece.relation, *map(sides, piece.rhs))
    if isinstance(piece, Compare):
        return sides.of_comparison(piece.left, piece.sign, piece.right)
    if isinstance(piece, Predicate):
        return id(piece)
    if isinstance(piece, Formula):
        return (type(piece), *(_key(getattr(piece, f.name), sides) for f in fields(piece)))  # type: ignore[arg-type]
    if isinstance(piece, tuple):
        return tuple(_key(part, sides) for part in piece)
    return sides(piece) if isinstance(piece, Expr) else piece


# --- what may stand for what ---------------------------------------------------------------------


def _kinds(domain: Domain) -> Kinds:
    """The sizes of a domain and, for each variable that a term can hold, the others of its kind."""
    named = [v for v in domain.variables if isinstance(v.symbol, Symbol | MatrixExpr)]
    sizes = {v.symbol: v.low if isinstance(v, Size) else None for v in named if _is_size(v)}
    groups: dict[Any, list[Any]] = {}
    for variable in named:
        groups.setdefault(_kind(variable), []).append(variable.symbol)
    peers = {s: tuple(o for o in group if o != s) for group in groups.values() for s in group}
    return Kinds(sizes, peers)


def _is_size(variable: Any) -> bool:
    return isinstance(variable.symbol, Symbol) and bool(variable.symbol.is_integer)


def _kind(variable: Any) -> tuple[Any, ...]:
    symbol = variable.symbol
    assumptions = tuple(sorted(getattr(symbol, "assumptions0", {}).items()))
    kind = "size" if _is_size(variable) else type(variable).__name__
    return kind, type(symbol).__name__, getattr(symbol, "shape", None), assumptions


# --- changes of the statement --------------------------------------------------------------------


def _statements(statement: Any, kinds: Kinds) -> Iterator[_Change]:
    if isinstance(statement, Relation):
        yield from _relations(statement, kinds)
    elif isinstance(statement, Formula):
        yield from _formulas(statement, kinds)


def _relations(statement: Relation, kinds: Kinds) -> Iterator[_Change]:
    for k, side in enumerate(statement.rhs):
        for edit in _sides(side, statement.relation, kinds):
            sides = (*statement.rhs[:k], edit.term, *statement.rhs[k + 1 :])
            yield _Change(edit.operator, edit.words, replace(statement, rhs=sides))
    for operator, words, sign in _signs(statement.relation):
        yield _Change(operator, words, replace(statement, relation=sign))


def _sides(side: Any, sign: str, kinds: Kinds) -> Iterator[Edit]:
    """Changes of a side: of its places, of a bound as a whole, and by what vanishes at small sizes."""
    yield from edits(side, kinds)
    upper = sign in {"<=", "<"}
    if sign in REVERSED and isinstance(side, Expr) and side not in (oo, -oo, 0):
        shrinks = upper != bool(side.is_nonpositive)
        little, much = (Rational(19, 20), Rational(1, 2)) if shrinks else (NEAR, Integer(2))
        yield Edit("bound", "the bound tightened a little", side * little)
        yield Edit("bound", "the bound tightened by a factor of two", side * much)
    for size, least in kinds.sizes.items():
        edit = None if least is None else vanishing(side, size, least, -1 if upper else 1)
        if edit is not None:
            yield edit


def _signs(sign: str) -> Iterator[tuple[str, str, str]]:
    for table in (STRICTER, WEAKER, REVERSED):
        if sign in table:
            other = table[sign]
            yield "relation", f"{SIGN_WORDS[other]} for {SIGN_WORDS[sign]}", other


def _formulas(formula: Formula, kinds: Kinds) -> Iterator[_Change]:
    """Changes at this formula, then inside its parts, in the order in which they are printed."""
    for kind, operator in _FORMULA_OPERATORS:
        if isinstance(formula, kind):
            yield from operator(formula, kinds)
    skipped = {*getattr(formula, "binds", ()), "limit", "low", "high"}
    if isinstance(formula, Compare):  # its sides were changed by the operator above
        return
    for part in fields(formula):  # type: ignore[arg-type]
        if not part.metadata.get("part", True) or part.name in skipped or part.type == "str":
            continue
        for change in _parts(getattr(formula, part.name), kinds):
            made = apply_or_skip(
                lambda name=part.name, new=change.statement: replace(formula, **{name: new})  # type: ignore[misc,type-var]
            )
            if made is not None:
                yield replace(change, statement=made)


def _parts(part: Any, kinds: Kinds) -> Iterator[_Change]:
    if isinstance(part, Formula):
        yield from _formulas(part, kinds)
    elif isinstance(part, tuple):
        for k, piece in enumerate(part):
            for change in _parts(piece, kinds):
                yield replace(change, statement=(*part[:k], change.statement, *part[k + 1 :]))
    elif isinstance(part, Expr):
        for edit in edits(part, kinds):
            yield _Change(edit.operator, edit.words, edit.term)


def _comparisons(formula: Compare, kinds: Kinds) -> Iterator[_Change]:
    for edit in edits(formula.left, kinds):
        if not _is_name(formula.left):
            yield _Change(edit.operator, edit.words, replace(formula, left=edit.term))
    for edit in _sides(formula.right, formula.sign, kinds):
        yield _Change(edit.operator, edit.words, replace(formula, right=edit.term))
    for operator, words, sign in _signs(formula.sign):
        yield _Change(operator, words, replace(formula, sign=sign))


def _is_name(side: Any) -> bool:
    """Whether a side is one quantity: changing it is changing the other side."""
    return hasattr(side, "define")


def _quantifiers(formula: Any, kinds: Kinds) -> Iterator[_Change]:
    other = Exists if isinstance(formula, ForAll) else ForAll
    words = "there is for for all" if other is Exists else "for all for there is"
    exchanged = other(formula.index, formula.low, formula.high, formula.body)
    yield _Change("quantifier", f"{words} ${latex(formula.index)}$", exchanged)
    yield from _ranges(formula, kinds)


def _ranges(formula: Any, kinds: Kinds) -> Iterator[_Change]:
    """The range one shorter or one longer, at each end; not where entries would run out."""
    low, high = sympify(formula.low), sympify(formula.high)
    pieces = [p for p in formula.walk() if isinstance(p, Expr)]
    ends = [(low + 1, high), (low, high - 1)]
    if not any(indexed(piece, formula.index) for piece in pieces):
        ends += [(low - 1, high), (low, high + 1)]
    for first, last in ends:
        if (first, last) != (low, high):
            words = f"${latex(first)}\\le {latex(formula.index)}\\le {latex(last)}$"
            yield _Change("range", words, replace(formula, low=first, high=last))


def _conjuncts(formula: And, kinds: Kinds) -> Iterator[_Change]:
    for k in range(len(formula.formulas)):
        rest = (*formula.formulas[:k], *formula.formulas[k + 1 :])
        if rest:
            smaller = rest[0] if len(rest) == 1 else replace(formula, formulas=rest)
            yield _Change("conjunct", f"part {k + 1} left out", smaller)


def _implications(formula: Implies, kinds: Kinds) -> Iterator[_Change]:
    converse = Implies(formula.conclusion, formula.premise)
    yield _Change("implication", "the converse", converse)
    yield _Change("implication", "without its premise", formula.conclusion)


def _directions(formula: Iff, kinds: Kinds) -> Iterator[_Change]:
    yield _Change("implication", "only if", Implies(formula.left, formula.right))
    yield _Change("implication", "if", Implies(formula.right, formula.left))
    yield _Change("implication", "or for if and only if", Or((formula.left, formula.right)))


def _negations(formula: Not, kinds: Kinds) -> Iterator[_Change]:
    yield _Change("implication", "the negation left out", formula.body)


def _limits(formula: Tends, kinds: Kinds) -> Iterator[_Change]:
    for edit in edits(formula.limit, kinds):
        yield _Change("limit", f"the limit: {edit.words}", replace(formula, limit=edit.term))


def _monotone(formula: Monotone, kinds: Kinds) -> Iterator[_Change]:
    for operator, words, sign in _signs(formula.direction):
        yield _Change(operator, words, replace(formula, direction=sign))
    yield from _ranges(formula, kinds)


_FORMULA_OPERATORS: tuple[tuple[Any, Callable[..., Iterator[_Change]]], ...] = (
    (Compare, _comparisons),
    ((ForAll, Exists), _quantifiers),
    ((And, Or), _conjuncts),
    (Implies, _implications),
    (Iff, _directions),
    (Not, _negations),
    (Tends, _limits),
    (Monotone, _monotone),
)


# --- changes of the domain -----------------------------------------------------------------------


def _domains(domain: Domain) -> Iterator[tuple[str, str, Domain]]:
    """The domain with one hypothesis dropped: a condition, an end of a range, what a class asks."""
    for k, condition in enumerate(domain.conditions):
        rest = (*domain.conditions[:k], *domain.conditions[k + 1 :])
        yield "condition", _without(condition), Domain(domain.variables, rest)
    for k, variable in enumerate(domain.variables):
        for operator, words, wider in _wider(variable):
            variables = (*domain.variables[:k], wider, *domain.variables[k + 1 :])
            yield operator, words, Domain(variables, domain.conditions)


def _without(condition: Condition) -> str:
    return f"without the hypothesis ${condition.latex}$"


def _wider(variable: Any) -> Iterator[tuple[str, str, Any]]:
    """The variable with a weaker hypothesis; never one that its symbol's assumptions exclude."""
    name = latex(variable.symbol)
    if isinstance(variable, Size) and _allowed(variable.symbol, variable.low - 1):
        low = variable.low - 1
        yield "condition", f"${name}\\ge {low}$", replace(variable, low=low)
    if isinstance(variable, Real):
        yield from _wider_range(variable, name)
    relaxed = getattr(variable, "relaxed", lambda: None)()
    if relaxed is not None:
        yield "class", f"${name}$ without its hypothesis", relaxed


def _wider_range(variable: Real, name: str) -> Iterator[tuple[str, str, Real]]:
    low, high = sympify(variable.low), sympify(variable.high)
    if variable.open_low and _allowed(variable.symbol, low):
        yield "condition", f"${name}\\ge {latex(low)}$", replace(variable, open_low=False)
    if variable.open_high and _allowed(variable.symbol, high):
        yield "condition", f"${name}\\le {latex(high)}$", replace(variable, open_high=False)
    if low.is_finite is not False and _allowed(variable.symbol, low - 1):
        yield "condition", f"${name}$ from ${latex(low - 1)}$ on", replace(variable, low=low - 1)
    if high.is_finite is not False and _allowed(variable.symbol, high + 1):
        yield "condition", f"${name}$ up to ${latex(high + 1)}$", replace(variable, high=high + 1)


def _allowed(symbol: Any, value: Any) -> bool:
    """Whether a symbol's own assumptions admit a value: a standard deviation is never negative."""
    value = sympify(value)
    refused = (symbol.is_positive and value.is_positive is not True) or (
        symbol.is_nonnegative and value.is_negative
    )
    return not refused
