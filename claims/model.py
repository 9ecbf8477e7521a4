"""What a claim is: one statement of a paper, as printed, together with what would make it wrong.

A claim is written once.  Its right-hand side is the only place where a constant or an exponent
stands; proofs, measurements, the report and the rendered formula read it from here.  The left-hand
side is given three times in the project, each from the definition: here, exactly, at a concrete
point (`Claim.define`); symbolically in `proofs`; by sampling in `numeric`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sympy import Basic, latex, nan, zoo

from claims.domain import Domain, Point
from claims.expressions import explicit

__all__ = ["Claim", "Hypothesis", "Mutant", "Proposition", "Relation", "Source", "Statement"]

KINDS = frozenset(
    {
        "algorithm", "assumption", "bound", "construction", "count", "counterexample", "dynamics",
        "existence", "expectation", "experiment", "identity", "law", "limit", "probability-bound",
        "prose", "rate", "trend",
    }
)  # fmt: skip
SEVERITIES = frozenset({"misprint", "missing-hypothesis", "material"})
RELATIONS = {"=": "=", "<=": r"\le", "<": "<", ">=": r"\ge", ">": ">"}
_ORDER = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt}


@dataclass(frozen=True)
class Source:
    """Where a claim stands: paper, section, and equation, lemma or page item."""

    paper: str
    section: str
    equation: str = ""

    def __str__(self) -> str:
        return ", ".join(part for part in (self.section, self.equation) if part)


@dataclass(frozen=True)
class Hypothesis:
    """A printed assumption.  Its executable part, if it has one, lives in the claim's domain."""

    latex: str


@dataclass(frozen=True)
class Relation:
    """`lhs relation rhs[0] relation rhs[1] ...`: a printed equality or bound, possibly a chain.

    Every link is asserted of the left-hand side: `lhs = r0 = r1` claims both `lhs = r0` and
    `lhs = r1`.  `lhs` is LaTeX, since its meaning is the claim's `define`; `rhs` are SymPy
    expressions in the claim's variables.
    """

    lhs: str
    rhs: tuple[Any, ...]
    relation: str = "="

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise ValueError(f"relation {self.relation!r}: must be one of {sorted(RELATIONS)}")
        if not self.rhs:
            raise ValueError(f"{self.lhs}: a relation needs at least one right-hand side")

    def latex(self) -> str:
        sign = f" {RELATIONS[self.relation]} "
        return sign.join([self.lhs, *(latex(side) for side in self.rhs)])

    def values(self, point: Point) -> tuple[Any, ...]:
        """Every right-hand side, evaluated exactly at `point`."""
        return tuple(explicit(side, point) for side in self.rhs)

    def holds(self, value: Any, point: Point) -> bool:
        """Whether the relation holds at `point` when the left-hand side is `value`.

        Where a side is undefined nothing is asserted, so that nothing fails.
        """
        sides = self.values(point)
        if any(_undefined(side, self.relation) for side in (value, *sides)):
            return True
        if self.relation == "=":
            return all(agree(value, side) for side in sides)
        return all(bool(_ORDER[self.relation](value, side)) for side in sides)


@dataclass(frozen=True)
class Proposition:
    """A statement that is true or false at each admissible point; claimed of all of them.

    `test(point, value)` receives what `Claim.define` returned at the point.
    """

    text: str
    test: Callable[[Point, Any], bool]

    def latex(self) -> str:
        return self.text

    def holds(self, value: Any, point: Point) -> bool:
        return bool(self.test(point, value))


Statement = Relation | Proposition


@dataclass(frozen=True)
class Mutant:
    """A false twin of a claim: the doubt a referee would voice, as another statement.

    `domain` replaces the claim's domain when the doubt is a dropped hypothesis; `define` replaces
    the definition when the dropped hypothesis changes the law of the left-hand side.
    """

    name: str
    statement: Statement
    domain: Domain | None = None
    define: Callable[[Point], Any] | None = None


@dataclass(frozen=True, eq=False)
class Claim:
    """One statement of a paper, as printed.

    `define(point)` evaluates the left-hand side exactly, from its definition, at a concrete point
    of `domain`.  `uses` are claims that the printed proof uses; those of them that the proof here
    assumes as well, as a hypothesis, are `given`.  `severity` and `repair` stand where the claim is
    believed false; whether it *is* false is computed, never read from here.
    """

    id: str
    source: Source
    kind: str
    title: str
    statement: Statement
    domain: Domain
    define: Callable[[Point], Any]
    hypotheses: tuple[Hypothesis, ...] = ()
    uses: tuple[Claim, ...] = ()
    given: tuple[Claim, ...] = ()
    mutants: tuple[Mutant, ...] = ()
    severity: str | None = None
    repair: Claim | None = None
    note: str = ""
    probes: tuple[Point, ...] = ()
    parent: str | None = None
    twin: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.id}: kind {self.kind!r}: must be one of {sorted(KINDS)}")
        if self.severity is not None and self.severity not in SEVERITIES:
            raise ValueError(f"{self.id}: severity {self.severity!r}: not in {sorted(SEVERITIES)}")

    @property
    def paper(self) -> str:
        return self.source.paper

    def __repr__(self) -> str:
        return f"<claim {self.id}>"

    def _repr_markdown_(self) -> str:
        """How a notebook shows a claim: id, source, title, formula and hypotheses."""
        lines = [
            f"**{self.id}** ({self.source}): {self.title}",
            f"$$\n{self.statement.latex()}\n$$",
            *(f"- ${hypothesis.latex}$" for hypothesis in self.hypotheses),
        ]
        return "\n\n".join(lines[:2]) + "\n\n" + "\n".join(lines[2:])

    def variant(self, mutant: Mutant) -> Claim:
        """The claim with the mutant's statement (and domain or definition) in place of its own."""
        return replace(
            self,
            statement=mutant.statement,
            domain=mutant.domain or self.domain,
            define=mutant.define or self.define,
            mutants=(),
            severity=None,
            repair=None,
            twin=True,
        )


def agree(value: Any, side: Any) -> bool:
    """Exact equality of numbers, matrices or tuples, after SymPy has simplified the difference."""
    if isinstance(value, tuple) or isinstance(side, tuple):
        return len(value) == len(side) and all(
            agree(a, b) for a, b in zip(value, side, strict=True)
        )
    if isinstance(value, bool | str | dict | set):
        return bool(value == side)
    if hasattr(value, "shape") and value.shape != side.shape:
        return False
    if getattr(value, "is_infinite", False):
        return bool(value == side)
    difference = value - side
    if hasattr(difference, "is_zero_matrix"):
        return all(_is_zero(entry) for entry in difference)
    return _is_zero(difference)


def _undefined(side: Any, relation: str) -> bool:
    """Whether a side has no value, such as 1/0, or none that can be ordered."""
    if isinstance(side, tuple):
        return any(_undefined(part, relation) for part in side)
    if not isinstance(side, Basic):
        return False
    return side.has(nan, zoo) or (relation != "=" and side.is_extended_real is False)


def _is_zero(number: Any) -> bool:
    from sympy import simplify

    zero = getattr(number, "is_zero", None)
    return bool(zero) if zero is not None else simplify(number) == 0


def variants(*named: tuple[str, Any], lhs: str, relation: str = "=") -> tuple[Mutant, ...]:
    """Mutants that differ from a relation in its right-hand side only."""
    return tuple(Mutant(name, Relation(lhs, (side,), relation)) for name, side in named)
