"""How a measurement of one claim is carried out.

Estimators work from definitions and never see a right-hand side; the comparison with printed,
mutated and repaired statements is made here, once for all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import torch
from torch import Tensor
from torch.utils._pytree import tree_leaves

from claims.domain import Point
from claims.intervals import BOTH, NoNumber
from claims.model import Claim, Mutant, Proposition, Relation
from claims.points import place_of
from claims.statement import Compare, Formula, Predicate, Quantity, is_measured
from numeric.agreement import (
    Candidate,
    CaseResult,
    Contest,
    as_measured,
    draw_until_told,
)
from numeric.broken import UNREAD, closest_sides, measured_failures, widths_of
from numeric.cases import choose_cases, proposition_points, rivals_of, valued
from numeric.drawing import CHUNKS, Lot, Stream
from numeric.estimates import ROUNDING, Estimate
from numeric.estimators import Estimator, directly, estimator_of, samples
from numeric.readings import SAMPLERS, Readings, measures, readable
from numeric.sampling import by_its_seed
from numeric.scales import MODEL, PAPER, Scale
from numeric.sides import side_values
from numeric.silence import tells

__all__ = [
    "PAPER_CASES",
    "Effort",
    "Measurement",
    "directly",
    "drawn",
    "estimator_of",
    "load",
    "measure",
    "measure_case",
    "measure_reading",
    "measures",
    "samples",
]


@dataclass(frozen=True)
class Effort:
    """How hard to measure: cases per claim, sample cap per case, points for a formula or its variants,
    at each larger scale the cases and the samples of each, and rounds of an attack."""

    cases: int
    max_samples: int
    points: int
    variant_points: int
    larger: tuple[tuple[Scale, int, int], ...] = ()
    rounds: int = 4


PAPER_CASES = (PAPER, 2, 2**8)
"""Two of them: with more tokens than features, and with fewer."""
QUICK = Effort(2, 2**17, 24, 12, ((MODEL, 1, 2**13),), rounds=2)
STANDARD = Effort(4, 2**20, 100, 50, ((MODEL, 3, 2**17),))
THOROUGH = Effort(8, 2**23, 400, 400, ((MODEL, 6, 2**20), PAPER_CASES))
TOLD = 6
"""Of the variants of a claim, the first that a case must tell from it, whatever the effort: with more
effort more of them are tried, and no verdict becomes weaker by that."""
MUTANT_POINTS = 4
"""Points at which a mutant with a domain or law of its own is tried, for each case of its claim."""
EFFORTS = {"quick": QUICK, "standard": STANDARD, "thorough": THOROUGH}


@dataclass
class Measurement:
    """Outcome for one claim, case by case: "agrees", "disagrees", "underpowered", or "depends" where
    what the print leaves open decides."""

    status: str
    cases: list[CaseResult]
    killed: set[str]
    spoken: set[str]
    excluded: set[str] = field(default_factory=set)
    """Variants that the same readings exclude."""
    points: list[Point] = field(default_factory=list)
    """Where the first cases of a relation are, exactly."""
    share: float = 0.0
    """Of the budget, for each of these."""
    readings: list[Readings] = field(default_factory=list)
    """Of a formula, at the points where it was read."""

    def _repr_markdown_(self) -> str:
        """How a notebook shows a measurement: status and a row for each case."""
        rows = [
            f"**{self.status}**", "",
            "| at | estimate | ± | claimed | samples | says |", "|---|---|---|---|---|---|",
        ]  # fmt: skip
        for case in self.cases:
            at = ", ".join(f"{name} = {_short(value)}" for name, value in case.at.items())
            cells = (at, case.estimate, case.half_width, case.claimed, case.samples, case.status)
            rows.append(f"| {' | '.join(map(_short, cells))} |")
        return "\n".join(rows)


def _short(value: Any) -> str:
    """A cell of a notebook's table: four figures, no line breaks, no column marks."""
    shown = f"{value:.4g}" if isinstance(value, float) else str(value)
    return " ".join(shown.split()).replace("|", "\\|")


def load(package: str = "numeric") -> None:
    """Import every module of a package of estimators, so that they register themselves."""
    root = import_module(package)
    for module in walk_packages(root.__path__, f"{package}."):
        import_module(module.name)


@by_its_seed
def measure(
    claim: Claim, *, seed: int, budget: float, effort: Effort, variants: Sequence[Mutant] = ()
) -> Measurement | None:
    """Measure one claim; None when it has no estimator.

    `budget` is this claim's share of the false-alarm budget.  `variants` are judged by what was
    read for the claim: no sample is drawn for their sake.
    """
    judged = tuple(v for v in variants if v.domain is None and v.define is None)
    if isinstance(claim.statement, Formula) and not isinstance(claim.statement, Predicate):
        return _measure_formula(claim, seed, budget, effort, judged)
    estimator = estimator_of(claim)
    if estimator is None:
        return None
    if isinstance(claim.statement, Proposition | Predicate):
        return _measure_proposition(claim, estimator, seed, effort)
    cases = choose_cases(claim, effort.cases, seed)
    results = [
        measure_case(claim, estimator, point, (seed, index), budget / len(cases), effort, judged)
        for index, point in enumerate(cases)
    ]
    excluded = {name for result in results for name in result.excluded}
    killed = {name for result in results for name in result.killed}
    spoken = {m.name for m in claim.mutants}
    killed |= _kill_variants(claim, seed, budget, effort)
    status = _overall([r.status for r in results])
    share = budget / len(cases)
    return Measurement(status, results, killed, spoken, excluded, cases, share)


def _overall(statuses: Sequence[str]) -> str:
    if "disagrees" in statuses:
        return "disagrees"
    return "agrees" if "agrees" in statuses else "underpowered"


def measure_case(
    claim: Claim,
    estimator: Estimator,
    point: Point,
    stream: tuple[int, int | str],
    budget: float,
    effort: Effort,
    variants: Sequence[Mutant],
    lot: Lot = CHUNKS,
) -> CaseResult:
    contest = contest_of(claim, point, variants, estimator)
    looks: list[tuple[int, float, float]] = []
    if estimator.random:
        estimate, width = drawn(
            claim, estimator, point, stream, contest, budget, effort.max_samples,
            lambda *look: looks.append(look), lot,
        )  # fmt: skip
        value, error, count = estimate.mean, estimate.standard_error, estimate.samples
    else:
        measured = as_measured(estimator.run(point), claim.id)
        value, error, width, count = measured.value, measured.error, measured.error, 1
    if holds_no_number((value, contest.claim.sides)):
        raise NoNumber(_unjudged(claim, point))
    status, confused = contest.status(value, width), contest.confused(value, width)
    at = {str(k): v for k, v in point.items()}
    claimed = contest.claim.sides[0]
    return CaseResult(
        at, value, error, width, count, claimed, status, _z(value, claimed, error),
        [rival.name for rival in contest.rivals if not rival.fits(value, width)], looks,
        [v.name for v in (*contest.variants, *contest.more) if not v.fits(value, width)],
        confused.name if status == "underpowered" and confused else None,
    )  # fmt: skip


def drawn(
    claim: Claim, estimator: Estimator, point: Point, stream: tuple[int, int | str],
    contest: Contest, budget: float, max_samples: int,
    watch: Callable[[int, float, float], None] = lambda samples, mean, half_width: None,
    lot: Lot = CHUNKS,
) -> tuple[Estimate, float]:  # fmt: skip
    """Samples of a case until its contest is told; a longer look begins with the same samples."""
    seed, index = stream
    source = Stream(seed, claim.parent or claim.id, index, lot)
    draw = partial(source.samples, estimator.run, point)
    return draw_until_told(draw, contest, budget, max_samples, watch, lot.chunk)


def contest_of(
    claim: Claim, point: Point, variants: Sequence[Mutant], estimator: Estimator | None = None
) -> Contest:
    """The claim, its mutants and its variants at a point; one without a value there is left out."""
    statement = claim.statement
    assert isinstance(statement, Relation)
    estimator = estimator or estimator_of(claim)

    def candidate(name: str, relation: Relation) -> Candidate:
        sides = side_values(relation, point)
        if estimator is not None:
            sides = tuple(estimator.seen(side, point) for side in sides)
        return Candidate(name, relation.relation, sides)

    made: dict[bool, list[Candidate]] = {True: [], False: []}
    for variant in variants:
        if isinstance(variant.statement, Relation):
            with suppress(ArithmeticError, TypeError, ValueError, KeyError):
                counts = getattr(variant, "rank", 0) < TOLD
                made[counts].append(candidate(variant.name, variant.statement))
    with valued(claim, point):
        said = candidate("claim", statement)
        rivals = tuple(candidate(name, rival) for name, rival in rivals_of(claim).items())
    drawn = estimator is not None and estimator.random
    told, more = tuple(made[True]), tuple(made[False])
    return Contest(said, rivals, told, drawn, more)


def holds_no_number(values: Any) -> bool:
    """Whether a part of some values is not a number: infinities were subtracted or divided."""
    parts = [part for part in tree_leaves(values) if isinstance(part, float | Tensor)]
    return any(bool(torch.as_tensor(part).isnan().any()) for part in parts)


def _unjudged(claim: Claim, point: Point) -> str:
    return f"{claim.id}, at {place_of(point)}: the measurement gives no number; mend the estimator"


def _z(value: Any, claimed: Any, error: float) -> float | None:
    """Standardised difference; None where samples do not vary and only rounding is left."""
    if not isinstance(value, float) or not isinstance(claimed, float):
        return None
    if error <= ROUNDING * max(abs(value), abs(claimed), ROUNDING):
        return None
    return (value - claimed) / error


def _measure_proposition(
    claim: Claim, estimator: Estimator, seed: int, effort: Effort
) -> Measurement:
    points = proposition_points(claim, effort.points, seed)
    values = [(point, as_measured(estimator.run(point), claim.id).value) for point in points]
    failing = [(p, v) for p, v in values if not claim.statement.holds(v, p)]
    shown = (failing or values)[:2]
    status = "disagrees" if failing else "agrees"
    results = [
        CaseResult(
            {str(k): v for k, v in p.items()}, value, 0.0, 0.0, len(points), None, status, None
        )
        for p, value in shown
    ]
    killed = set()
    for mutant in claim.mutants:
        variant = claim.variant(mutant)
        tried = (
            values
            if mutant.domain is None
            else [
                (p, estimator.run(p).value)
                for p in proposition_points(variant, effort.points, seed)
            ]
        )
        if any(not variant.statement.holds(v, p) for p, v in tried):
            killed.add(mutant.name)
    return Measurement(status, results, killed, {m.name for m in claim.mutants})


def _measure_formula(
    claim: Claim, seed: int, budget: float, effort: Effort, variants: Sequence[Mutant]
) -> Measurement | None:
    """A formula at points of its domain: it agrees where its intervals leave it possible."""
    statement = claim.statement
    assert isinstance(statement, Formula)
    if not all(map(readable, statement.quantities())):
        return None

    def read(about: Claim) -> list[Readings]:
        points = proposition_points(about, effort.points, seed)
        if any(q in SAMPLERS for q in about.formula.quantities()):
            points = choose_cases(about, effort.cases, seed)
        share = budget / (2 * len(points))
        return [Readings(p, seed, f"{claim.id}/{k}", share) for k, p in enumerate(points)]

    readings = read(claim)
    failing = [r for r in readings if not _possible(claim, r)]
    status = _formula_status(claim, readings, failing)
    shown = (failing or readings)[:2]
    if status == "depends":  # one choice of either kind
        lost = {_chosen(claim, r) for r in failing}
        shown = [failing[0], *(r for r in readings if _chosen(claim, r) not in lost)][:2]
    results = [_formula_case(statement, r, len(readings), status) for r in shown]
    killed, spoken = set(), set()
    for mutant in claim.mutants:
        variant = claim.variant(mutant)
        if not all(map(readable, variant.formula.quantities())):
            continue
        tried = readings if mutant.domain is None else read(variant)
        answers = [_answers(variant.formula, r) for r in tried]
        if any(True not in possible for possible in answers):
            killed.add(mutant.name)
            spoken.add(mutant.name)
        elif all(False not in possible for possible in answers):
            spoken.add(mutant.name)  # where an interval leaves both open it does not speak
    some = readings[:: -(-len(readings) // effort.variant_points)]
    excluded = {v.name for v in variants if any(ruled_out(v.statement, r) for r in some)}
    return Measurement(status, results, killed, spoken, excluded, readings=readings)


def measure_reading(claim: Claim, readings: Readings, variants: Sequence[Mutant]) -> CaseResult:
    """A formula at one point, and which variants of it the same readings exclude."""
    statement = claim.formula
    possible = _truths(claim, readings)
    measured = any(map(is_measured, statement.quantities()))
    told = not measured or False not in _orders(statement).possible(readings, readings.point)
    status = "disagrees" if True not in possible else "agrees" if told else "underpowered"
    case = _formula_case(statement, readings, 1, status)
    rivals = [m for m in claim.mutants if m.domain is None and m.define is None]
    killed = [m.name for m in rivals if ruled_out(m.statement, readings)]
    excluded = [v.name for v in variants if ruled_out(v.statement, readings)]
    return replace(case, killed=killed, excluded=excluded)


def _formula_status(claim: Claim, readings: list[Readings], failing: list[Readings]) -> str:
    """Refuted where it fails, or at every choice that is listed of what the print leaves open.

    Means over random networks have nothing but their intervals to speak for them: an order of them
    agrees only where no interval leaves another truth; an equality, where they leave it possible, and
    somewhere neither its double nor its half.
    """
    lost, chosen = ({_chosen(claim, r) for r in some} for some in (failing, readings))
    if lost:
        return "disagrees" if lost == chosen and not claim.open_ranges else "depends"
    statement = claim.formula
    if not any(map(is_measured, statement.quantities())):
        return "agrees"
    orders = _orders(statement)
    told = all(False not in orders.possible(r, r.point) for r in readings)
    return "agrees" if told and tells(statement, readings, _equates_measured) else "underpowered"


def _equates_measured(atom: Compare) -> bool:
    return atom.sign == "=" and any(map(is_measured, atom.quantities()))


def _left(statement: Formula, readings: Readings, at: Point) -> bool | None:
    """Whether readings leave a formula possible; None where they cannot judge it."""
    with suppress(*UNREAD):
        return True in statement.possible(readings, at)
    return None


def _chosen(claim: Claim, readings: Readings) -> tuple[Any, ...]:
    """What a point takes for what the print leaves open."""
    return tuple(readings.point[symbol] for symbol in claim.left_open)


def _orders(statement: Formula) -> Formula:
    """What is said besides equalities of measured numbers, which intervals leave possible at best."""
    if isinstance(statement, Compare):
        return Compare(0, "=", 0) if _equates_measured(statement) else statement
    return statement.mapped(_orders, lambda term: term) if statement.parts() else statement


def ruled_out(statement: Any, readings: Readings) -> bool:
    """Whether readings exclude a formula; one without value there, or without estimator, is not judged."""
    if not isinstance(statement, Formula) or not all(map(readable, statement.quantities())):
        return False
    return _left(statement, readings, readings.point) is False


def _answers(statement: Formula, readings: Readings) -> frozenset[bool]:
    """The truth values that readings leave a mutant; both where they give no number."""
    try:
        return statement.possible(readings, readings.point)
    except NoNumber:
        return BOTH


def _truths(claim: Claim, readings: Readings) -> frozenset[bool]:
    """The truth values that readings leave a claim, which need numbers for it."""
    try:
        return claim.formula.possible(readings, readings.point)
    except NoNumber:
        raise NoNumber(_unjudged(claim, readings.point)) from None


def _possible(claim: Claim, readings: Readings) -> bool:
    """Whether the readings leave a claim possible; where it has no value, nothing is asserted."""
    try:
        return True in _truths(claim, readings)
    except ZeroDivisionError:
        return True


def _formula_case(statement: Formula, readings: Readings, points: int, status: str) -> CaseResult:
    """One point, with what was read of each quantity that stands outside of quantifiers."""
    at, free = readings.point, statement.free_symbols()
    values = {
        q.name: readings(q, at)[0]
        for q in statement.quantities()
        if q in free and _outside(q, readings)
    }
    widths = widths_of(statement, readings)
    if not values:  # all quantities stand under quantifiers
        decided = closest_sides(statement, readings)
        values = {name: value for name, (value, _) in decided.items()}
        widths |= {name: width for name, (_, width) in decided.items() if width}
    shown = {str(k): v for k, v in at.items()}
    return CaseResult(
        shown, values, 0.0, 0.0, points, None, status, None,
        half_widths=widths,
        fails=measured_failures(statement, readings) if status == "disagrees" else [],
    )  # fmt: skip


def _outside(quantity: Quantity, readings: Readings) -> bool:
    """Whether a quantity can be read without the value of a bound index."""
    try:
        readings(quantity, readings.point)
    except KeyError:
        return False
    return True


def _kill_variants(claim: Claim, seed: int, budget: float, effort: Effort) -> set[str]:
    """Mutants with a domain or law of their own are measured as claims in their own right."""
    killed = set()
    for mutant in claim.mutants:
        if mutant.domain is None and mutant.define is None:
            continue
        variant = claim.variant(mutant)
        if any(status == "disagrees" for status in _statuses(variant, seed, budget, effort)):
            killed.add(mutant.name)
    return killed


def _statuses(variant: Claim, seed: int, budget: float, effort: Effort) -> Iterator[str]:
    """What the measurement says of a mutant, which is false as soon as it is false somewhere."""
    estimator = estimator_of(variant)
    if estimator is None or not isinstance(variant.statement, Relation):
        result = measure(variant, seed=seed, budget=budget, effort=effort)
        yield from () if result is None else (result.status,)
        return
    points = choose_cases(variant, MUTANT_POINTS * effort.cases, seed)
    for index, point in enumerate(points):
        share = budget / len(points)
        with suppress(NoNumber):
            yield measure_case(variant, estimator, point, (seed, index), share, effort, ()).status
