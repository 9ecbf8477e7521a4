"""From a derived value to a verdict on a statement: one road for printed, mutated and repaired forms.

A proof derives the left-hand side without looking at the right-hand side.  `decide` then compares:
equal for symbolic dimensions means proved, and a difference is turned into the smallest exact
witness, evaluated from the definition.  The same function judges mutants and repairs, so a check
that could not fail would show at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from itertools import chain, islice, product, takewhile
from random import Random
from typing import Any

from sympy import Basic, Expr, nan, zoo

from claims import exact
from claims.clock import worked
from claims.domain import Point
from claims.edits import ZEROS
from claims.errors import UNDEFINED, OnlyMeasured
from claims.failures import failures
from claims.model import Claim, Relation
from claims.natural import more_natural
from claims.points import Itself
from claims.statement import Compare
from claims.time_limits import searching
from claims.typeset import typeset
from claims.variables import Choice, Real, Whole
from claims.witness import QUICK, fails, shrink, value_at, writes_out_quickly
from proofs import kernel
from proofs.calculus import networks
from proofs.calculus.normal import same
from proofs.certificate import Certificate, Instance
from proofs.confirm import at
from proofs.places import other_points, small_points, total_size
from proofs.twins import climbed, corners, decisive, may_fail, stretched

__all__ = [
    "ONE_CHOICE", "confirmation_points", "decide", "find_witness", "refute", "same",
]  # fmt: skip

Same = Callable[[Any, Any], bool]


def decide(
    claim: Claim,
    value: Any,
    *,
    steps: Iterable[Any] = (),
    method: str,
    same: Same = same,
    above: Callable[[Expr], Any] | None = None,
    settled: bool = False,
) -> Certificate:
    """Judge `claim.statement` given the derived `value` of its left-hand side.

    For "=" every printed link must equal `value` identically.  For "<=" pass `above`: given the
    right side less the value (for ">=" the other way), it returns a step certifying that this is
    not negative, or None.  `settled` says of a variant that its claim is proved.
    """
    steps = tuple(steps)
    if not isinstance(claim.statement, Relation) or claim.quantity is None:
        raise TypeError(
            f"{claim.id}: decide() compares relations; formulas are concluded from theorems"
        )
    certificate = _decided(claim, value, steps, method, same, above, settled)
    proved = certificate.status == "proved"
    return replace(
        certificate,
        rejudge=lambda variant: decide(
            variant, value, steps=steps, method=method, same=same, above=above, settled=proved
        ),
    )


def _decided(
    claim: Claim, value: Any, steps: tuple[Any, ...], method: str, same: Same,
    above: Callable[[Expr], Any] | None, settled: bool,
) -> Certificate:  # fmt: skip
    from proofs.conclude import conclude

    statement, quantity = claim.statement, claim.quantity
    assert isinstance(statement, Relation) and quantity is not None
    try:
        theorem = kernel.derived(quantity, value, (claim.base or claim).domain, method)
    except kernel.ProofError:  # the definition gives something else, so the value says nothing
        found = refute(claim, steps=steps, method=method, settled=settled)
        why = _mistaken(claim, value) if claim.base is None else ""
        return replace(found, reason=why) if why else found
    try:
        links = [_link(theorem, statement.relation, side, same, above) for side in statement.rhs]
    except kernel.ProofError:
        return refute(claim, value=value, steps=steps, method=method, settled=settled)
    whole = links[0] if len(links) == 1 else kernel.both(*links)
    return conclude(claim, whole, method=method, steps=steps)


def _mistaken(claim: Claim, value: Any) -> str:
    """Where the definition denies a derived value, or has none to hold it to; empty where unseen."""
    lacking = ""
    with searching(POINT_SECONDS):
        for point in chain(small_points(claim.domain), other_points(claim.domain)):
            place = ", ".join(f"${typeset(k)} = {typeset(v)}$" for k, v in point.items())
            with suppress(*UNDEFINED):  # also what nothing but a measurement evaluates
                defined, derived = value_at(claim, point), at(value, point)
                if isinstance(defined, Basic) and defined.has(nan, zoo):
                    lacking = lacking or f"the definition has no value at {place}"
                elif exact.agree(defined, derived) is False:
                    return (
                        f"the derived value gives ${typeset(derived)}$ at {place}, the definition "
                        f"${typeset(defined)}$; mend the proof"
                    )
    return f"{lacking}; mend the definition" if lacking else ""


def _link(
    theorem: kernel.Theorem,
    relation: str,
    side: Any,
    same: Same,
    above: Callable[[Expr], Any] | None,
) -> kernel.Theorem:
    """One link of a relation from the derived value of its left-hand side."""
    value = theorem.formula.right  # type: ignore[attr-defined]
    if relation == "=" or same(value, side):
        equal = kernel.rewritten(theorem, side, same)
        quantity = equal.formula.left  # type: ignore[attr-defined]
        return equal if relation == "=" else kernel.joint(Compare(quantity, relation, side), equal)
    gap = {"<=": side - value, ">=": value - side}.get(relation)
    step = above(gap) if above and gap is not None else None  # none shows a strict one
    if step is None:
        raise kernel.ProofError("no certificate for the bound")
    quantity = theorem.formula.left  # type: ignore[attr-defined]
    certified = kernel.words(Compare(value, relation, side), step.by, check=step.check)
    return kernel.joint(Compare(quantity, relation, side), theorem, certified)


ONE_CHOICE = "it fails at some choice of what the print leaves open; that it does at every one is not derived"


def refute(
    claim: Claim, *, value: Any = None, steps: Iterable[Any] = (), method: str,
    settled: bool = False, climbing: bool = True,
) -> Certificate:  # fmt: skip
    """The smallest exact witness against the claim's statement, or "undecided" when none is found.

    Of what the print leaves open each choice that is listed must have a witness of its own; of a range
    a witness at one choice decides nothing (`proofs.conclude.at_every_choice`).
    """
    steps = tuple(steps)
    sought = partial(find_witness, value=value, settled=settled, climbing=climbing)
    witness, reason = sought(claim), ""
    if witness is None:
        reason = (
            "no admissible point that was looked at refutes it exactly"
            if value is None
            else "the symbolic forms differ but no small admissible point separates them"
        )
    elif claim.left_open:
        others = [
            _at_a_probe(each) or sought(each) for each in _at_other_choices(claim, witness.point)
        ]
        if None in others:
            reason = "it fails at some choice of what the print leaves open, and at another no witness is found"
        elif claim.open_ranges:
            reason = ONE_CHOICE
        steps = (*steps, *(each for each in others if each is not None))
    if reason or witness is None:
        at_one = () if witness is None else (witness,)
        certificate = Certificate("undecided", method, (*at_one, *steps), reason=reason)
    else:
        certificate = Certificate("refuted", f"{method}; exact witness", steps, witness)
    return replace(
        certificate,
        rejudge=lambda variant: refute(variant, value=value, method=method),
    )


def _at_a_probe(claim: Claim) -> Instance | None:
    """A probe at which a claim fails: at other choices than the witness has, none need be small."""
    admissible = (p for p in claim.probes if claim.domain.objection(p) is None)
    with suppress(*UNDEFINED):
        found = next((p for p in admissible if fails(claim, p)), None)
        return None if found is None else _instance(claim, found)
    return None


def _at_other_choices(claim: Claim, at: Point) -> Iterator[Claim]:
    """The claim at each other choice that is listed of what its print leaves open; of ranges, as there."""
    variables = claim.domain.variables
    listed = [v for v in variables if isinstance(v, Choice) and v.symbol in claim.left_open]
    for values in product(*(v.values for v in listed)):
        chosen = dict(zip((v.symbol for v in listed), values, strict=True))
        if all(at[symbol] == value for symbol, value in chosen.items()):
            continue
        fixed = (replace(v, values=(chosen[v.symbol],)) if v in listed else v for v in variables)
        yield replace(
            claim,
            domain=replace(claim.domain, variables=tuple(fixed)),
            probes=tuple(p for p in claim.probes if chosen.items() <= p.items()),
        )


EASY, POINT_SECONDS, SECONDS, VARIANT_SECONDS, HALF = 12, 5.0, 15.0, 0.35, 0.15
"""Points that every search looks at, and the seconds after which it looks at no others.

Against a variant of what is proved there are two, each of which has less than half of them.
"""
SMALL, RANDOM, LARGE = 240, 24, 8
"""Points tried for a witness: the smallest, then the claim's probes and random ones, shrunk, then
points with large sizes."""
FAR_OUT = (10, 20, 50, 100)
"""Values of one size, the others least, at which a claim about numbers is asked last."""


def find_witness(
    claim: Claim, value: Any = None, *, settled: bool = False, climbing: bool = True
) -> Instance | None:
    """An admissible point at which the statement fails exactly, as small as the search finds.

    A derived `value` of the left-hand side, where there is one, says where to look; whether the
    statement fails there is decided by the definition alone.  Where the claim of a variant is
    `settled`, that is proved, it is asked only where the two say something else.  The search ends with
    a climb, many times as long as the rest, unless something else may settle the claim.
    """

    def suspect(point: Point) -> bool:
        try:
            with searching(allowed[0]):
                return asked(point)
            allowed[0] = min(allowed)
        except OnlyMeasured:
            pass  # no exact value there, so no witness
        except UNDEFINED:
            if claim.base is None:
                raise
            # A variant may reach where nothing is defined, and asserts nothing there.
        return False

    def asked(point: Point) -> bool:
        if hinted and claim.statement.holds(at(value, point), point):
            return False
        return fails(claim, point)

    sure = settled and decisive((claim.base or claim).formula, claim.formula)
    later = POINT_SECONDS if claim.base is None else VARIANT_SECONDS
    allowed = [POINT_SECONDS if sure else later, later]  # before and after a point took longer
    # Writing out a network costs more than the definition where sizes are large.
    hinted = value is not None and not (
        claim.base is not None and isinstance(value, networks.Network)
    )
    if claim.base is not None:
        found = None if _asked(claim) in _IN_VAIN else _against_variant(claim, suspect, settled)
        return None if found is None else _instance(claim, found)
    large, largest = _larger_points(claim), _largest_points(claim)
    small = claim.domain.smallest(SMALL if value is not None else SMALL // 3)
    found = next(filter(suspect, _affordable(small, SECONDS)), None)
    if found is None:
        found = next(filter(suspect, _affordable(chain(large, largest), SECONDS)), None)
        if found is None and climbing:
            found = _climbed(claim, suspect, SECONDS)
        found = None if found is None else shrink(claim, found)
    if found is None:
        return None
    shown = more_natural(
        claim.domain, found,
        lambda point: claim.domain.objection(point) is None and suspect(point),
        partial(_length, claim), small,
    )  # fmt: skip
    return _instance(claim, shown)


def _against_variant(claim: Claim, suspect: Callable[[Point], bool], settled: bool) -> Point | None:
    """A point at which a variant fails: any will do, and larger points separate sooner."""
    domain, small = claim.domain, claim.domain.smallest(SMALL)
    large = chain(corners(domain), _larger_points(claim), small, _largest_points(claim))
    if not settled:
        points = chain(islice(small, EASY), _stretched_points(claim), large)
        found = next(filter(suspect, _affordable(points, VARIANT_SECONDS)), None)
    else:
        points = chain(islice(small, EASY), stretched(domain, ZEROS), large)
        told = _affordable(filter(may_fail(claim), points), HALF)
        found = next(filter(suspect, told), None) or _climbed(claim, suspect, HALF)
    if found is None:
        _IN_VAIN.add(_asked(claim))
    return found


def _climbed(claim: Claim, suspect: Callable[[Point], bool], seconds: float) -> Point | None:
    """A point that small steps lead to from those where a statement is nearest to failing."""
    domain = claim.domain
    larger = chain(corners(domain), _larger_points(claim), stretched(domain, ZEROS))
    with searching(seconds):
        return climbed(
            claim,
            chain(domain.smallest(EASY), larger),
            lambda point: suspect(point) and not _also_fails(claim, point),
        )
    return None


def _also_fails(twin: Claim, point: Point) -> bool:
    """Whether the claim of a variant fails as well, which is proved: then the definition errs there."""
    claim = twin.base
    return claim is not None and claim.domain.objection(point) is None and fails(claim, point)


_IN_VAIN: set[tuple[Itself, Itself]] = set()
"""Statements of variants that were searched in a domain without success, so that none is again."""


def _asked(claim: Claim) -> tuple[Itself, Itself]:
    return Itself(claim.statement), Itself(claim.domain)


def _length(claim: Claim, point: Point) -> int:
    """How long both sides of what fails are, written out."""
    if isinstance(claim.statement, Relation):
        sides = (value_at(claim, point), *claim.statement.values(point))
    else:
        broken = failures(claim.formula, point)
        sides = tuple(side for each in broken for side in (each.left, each.right))
    return sum(len(str(side)) for side in sides)


def _affordable(points: Iterator[Point], seconds: float) -> Iterator[Point]:
    """Points until a time is spent; the first ones always.

    Where a definition is costly the search is shorter: a witness may be missed, and none invented.
    """
    started = worked()
    for count, point in enumerate(points):
        if count >= EASY and worked() - started > seconds:
            return
        yield point


def _larger_points(claim: Claim) -> Iterator[Point]:
    """The probes that are admitted, then random points by size; lazily, since one can be costly to draw."""
    yield from (p for p in claim.probes if claim.domain.objection(p) is None)
    yield from _drawn(claim.id, Itself(claim.domain))


@cache
def _drawn(seed: str, domain: Itself) -> list[Point]:
    """Random points by size.

    Once for a domain: variants ask for them again, and a draw may cost more than a definition.
    """
    rng = Random(seed)
    return sorted((domain.value.draw(rng) for _ in range(RANDOM)), key=total_size)


def _stretched_points(claim: Claim) -> Iterator[Point]:
    """Points where what vanishes at small sizes does not, while drawing and the definition are cheap."""
    for point in claim.domain.stretched(ZEROS):
        if not writes_out_quickly((claim.base or claim).define):
            return
        yield point


def _largest_points(claim: Claim) -> Iterator[Point]:
    """Points with large sizes, where drawing and the definition were cheap at smaller ones."""
    started = worked()
    claim.domain.draw(Random(0))
    define = (claim.base or claim).define
    if worked() - started < QUICK and writes_out_quickly(define):
        yield from _enlarged(Itself(claim.domain))
        numbers = all(isinstance(v, Whole | Real) for v in claim.domain.variables)
        for size in FAR_OUT if claim.base is None and numbers else ():
            yield from takewhile(lambda _: writes_out_quickly(define), claim.domain.far(size))


@cache
def _enlarged(domain: Itself) -> list[Point]:
    """As many points with large sizes as are drawn in some seconds; once for a domain, as above."""
    points: list[Point] = []
    with searching(POINT_SECONDS):
        for point in domain.value.enlarged(LARGE):
            points.append(point)
    return points


def _instance(claim: Claim, point: Point) -> Instance:
    return Instance(claim.statement, point, claim.define(point), claim.define, holds=False)


def confirmation_points(claim: Claim, count: int = 3) -> tuple[Point, ...]:
    """Where a derived value is held to the definition: small points, and a random one not too large."""
    small = list(islice(claim.domain.smallest(), 40))[::14]
    rng = Random(claim.id)
    return (*small[:count], min((claim.domain.draw(rng) for _ in range(5)), key=total_size))
