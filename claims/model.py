"""What a claim is: one statement of a paper, as printed, together with what would make it wrong.

A claim is written once.  Its right-hand side is the only place where a constant or an exponent
stands; proofs, measurements, the report and the rendered formula read it from here.  The left-hand
side is given three times in the project, each from the definition: here, exactly, at a concrete
point (`Claim.define`); symbolically in `proofs`; by sampling in `numeric`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from sympy import Basic, Float, Symbol

from claims import exact
from claims.algebra import bound_in
from claims.domain import Choice, Domain, Point
from claims.errors import OnlyMeasured, UserError
from claims.expressions import explicit
from claims.statement import Formula, Predicate, Quantity, chain

__all__ = [
    "ID_RULE", "Claim", "Hypothesis", "Mutant", "Proposition", "Relation", "Source", "Statement",
    "Understood", "agree", "is_id", "variants",
]  # fmt: skip

KINDS = frozenset(
    {
        "algorithm", "assumption", "bound", "construction", "count", "counterexample", "dynamics",
        "existence", "expectation", "experiment", "identity", "law", "limit", "probability-bound",
        "prose", "rate", "trend",
    }
)  # fmt: skip
MACHINE_BITS = 53
"""The precision of Python's numbers; decimals that a print rounds are written with their own digits."""
SEVERITIES = frozenset({"misprint", "missing-hypothesis", "material"})
RELATIONS = {"=": "=", "<=": r"\le", "<": "<", ">=": r"\ge", ">": ">"}
ID_RULE = "must be up to 200 ASCII letters, digits, `.`, `_` and `-`, a letter or digit first"


def is_id(name: str) -> bool:
    """Whether a name may be the id of a claim or paper: it also names files and pages."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}", name) is not None


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
    """A printed assumption.  Its executable part, if it has one, lives in the claim's domain.

    `stated` is the claim, listed before, that asks whether it holds.
    """

    latex: str
    stated: Claim | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Understood:
    """What goes without saying, in Markdown, and the instance that fails without it.

    Sizes at which the objects do not exist, undefined expressions, standing assumptions of the
    paper: they are listed and do not refute.
    """

    hypothesis: str
    instance: str


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
        """One chain of equalities; each of several bounds by itself, since none bounds another."""
        from claims.typeset import typeset

        sides = [f" {RELATIONS[self.relation]} {typeset(side)}" for side in self.rhs]
        if self.relation == "=":
            return self.lhs + "".join(sides)
        return r"\ \text{ and }\ ".join(self.lhs + side for side in sides)

    def values(self, point: Point) -> tuple[Any, ...]:
        """Every right-hand side, evaluated exactly at `point`."""
        return tuple(explicit(side, point) for side in self.rhs)

    def holds(self, value: Any, point: Point) -> bool:
        """Whether the relation holds at `point` when the left-hand side is `value`."""
        answers = (exact.compare(value, self.relation, side) for side in self.values(point))
        return False not in answers

    def formula(self, quantity: Quantity) -> Formula:
        """The relation as a formula about the quantity that its left-hand side names."""
        return chain(quantity, self.relation, *self.rhs)


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


Statement = Relation | Proposition | Formula


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
    assumes as well, as a hypothesis, are `given`.  `left_open` are variables of the domain whose
    values the print does not give, such as constants of orders: only what every choice of them refutes
    is refuted, which of a range a theorem has to say (`proofs.conclude.at_every_choice`).  `severity`
    and `repair` stand where the claim is believed false; whether it *is* false is computed, never
    read from here.
    """

    id: str
    source: Source
    kind: str
    title: str
    statement: Statement
    domain: Domain
    define: Callable[[Point], Any] = None  # type: ignore[assignment]
    hypotheses: tuple[Hypothesis, ...] = ()
    uses: tuple[Claim, ...] = ()
    given: tuple[Claim, ...] = ()
    mutants: tuple[Mutant, ...] = ()
    severity: str | None = None
    repair: Claim | None = None
    note: str = ""
    probes: tuple[Point, ...] = ()
    parent: str | None = None
    printed: str | None = None
    understood: tuple[Understood, ...] = ()
    left_open: tuple[Any, ...] = ()
    base: Claim | None = None
    quantity: Quantity | None = None

    def __post_init__(self) -> None:
        for name in (self.id, self.paper):
            if not is_id(name):
                raise ValueError(f"id {name!r}: {ID_RULE}")
        if self.kind not in KINDS:
            raise ValueError(f"{self.id}: kind {self.kind!r}: must be one of {sorted(KINDS)}")
        if self.severity is not None and self.severity not in SEVERITIES:
            raise ValueError(f"{self.id}: severity {self.severity!r}: not in {sorted(SEVERITIES)}")
        self._complete()
        if self.left_open and self.form != "formula":
            raise UserError(f"{self.id}: a choice is left open in a formula alone; write one")
        if self.base is None and (number := _of_the_machine(self.statement)) is not None:
            raise UserError(f"{self.id}: {number} is rounded by the machine; write a `Rational`")
        if self.base is None and (twin := _twin(self.statement, self.domain)) is not None:
            raise UserError(
                f"{self.id}: the {twin} of the statement is another than the one declared"
            )

    def _complete(self) -> None:
        """A relation names one quantity, defined by `define`; a formula's quantities define it."""
        statement = self.statement
        if isinstance(statement, Formula):
            quantities = statement.quantities()
            if not quantities and not isinstance(statement, Predicate):
                raise UserError(
                    f"{self.id}: the statement speaks of no quantity; name what it is about by "
                    "Quantity(name, define), which gives its exact value at a point"
                )
            if self.define is None:
                object.__setattr__(self, "define", lambda at: _values(quantities, at))
        elif self.define is None:
            raise UserError(f"{self.id}: the left-hand side has no definition; give `define`")
        elif isinstance(statement, Relation):
            if self.quantity is None:
                object.__setattr__(self, "quantity", Quantity(statement.lhs, self.define))
            elif self.quantity.define != self.define:  # a proof would speak of another one
                raise UserError(f"{self.id}: `quantity` and `define` are two definitions; give one")

    @property
    def formula(self) -> Formula:
        """What a proof of the claim must conclude."""
        if isinstance(self.statement, Relation):
            assert self.quantity is not None
            return self.statement.formula(self.quantity)
        if isinstance(self.statement, Proposition):
            return _predicate(self.statement, self.define)
        return self.statement

    @property
    def open_ranges(self) -> tuple[Any, ...]:
        """What the print leaves open of which no choices are listed: no drawing tries all."""
        listed = {v.symbol for v in self.domain.variables if type(v) is Choice}
        return tuple(symbol for symbol in self.left_open if symbol not in listed)

    @property
    def assumed(self) -> tuple[str, ...]:
        """The hypotheses, and what quantities of the statement stand for, in LaTeX."""
        said = self.statement.quantities() if isinstance(self.statement, Formula) else ()
        meant = (getattr(quantity, "stands_for", None) for quantity in said)
        return (*(h.latex for h in self.hypotheses), *filter(None, meant))

    @property
    def form(self) -> str:
        """ "relation", "formula", or "predicate" where what is printed is not what is tested."""
        if isinstance(self.statement, Proposition | Predicate):
            return "predicate"
        return "relation" if isinstance(self.statement, Relation) else "formula"

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
            *(f"- ${hypothesis}$" for hypothesis in self.assumed),
        ]
        return "\n\n".join(lines[:2]) + "\n\n" + "\n".join(lines[2:])

    def variant(self, mutant: Mutant) -> Claim:
        """The claim with the mutant's statement (and domain or definition) in place of its own."""
        return replace(
            self,
            statement=mutant.statement,
            domain=mutant.domain or self.domain,
            define=mutant.define
            or (None if isinstance(mutant.statement, Formula) else self.define),  # type: ignore[arg-type]
            quantity=None if mutant.define else self.quantity,
            mutants=(),
            severity=None,
            repair=None,
            base=self.base or self,
        )


agree = exact.agree


def _of_the_machine(statement: Statement) -> Any:
    """A number that was written with a point, and that the machine has rounded: 0.1 is not a tenth to it."""
    for term in _pieces(statement):
        if isinstance(term, float):
            return term
        numbers = term.atoms(Float) if isinstance(term, Basic) else ()
        if found := next((number for number in numbers if number._prec == MACHINE_BITS), None):
            return found
    return None


def _pieces(statement: Statement) -> tuple[Any, ...]:
    """The terms of a statement, and the formulas in it."""
    if isinstance(statement, Formula):
        return tuple(statement.walk())
    return getattr(statement, "rhs", ())


def _twin(statement: Statement, domain: Domain) -> Symbol | None:
    """A name that is free in a statement, and has the look of one of the domain or of a bound index."""
    variables, pieces = {v.symbol for v in domain.variables}, _pieces(statement)
    terms = [term for term in pieces if isinstance(term, Basic)]
    if isinstance(statement, Formula):
        names = statement.free_symbols()
    else:
        names = set().union(*(term.free_symbols for term in terms))
    free = {s for s in names - variables if not hasattr(s, "define")}
    bound = {getattr(piece, "index", None) for piece in pieces}.union(*map(bound_in, terms))
    shown = {str(name) for name in variables | bound}
    return next((name for name in sorted(free, key=str) if str(name) in shown), None)


def _values(quantities: tuple[Any, ...], at: Point) -> dict[str, Any]:
    """What a witness shows: the values of quantities that need no index."""
    values = {}
    for quantity in quantities:
        if isinstance(quantity, Quantity):
            # One under a quantifier needs its index; one without a closed form has no value here.
            with suppress(KeyError, OnlyMeasured):
                values[quantity.name] = quantity.define(at)
    return values


@cache
def _predicate(statement: Proposition, define: Callable[[Point], Any]) -> Predicate:
    """Free text beside a test, as a formula: one object for one statement."""
    return Predicate(statement.text, statement.test, define)


def variants(*named: tuple[str, Any], lhs: str, relation: str = "=") -> tuple[Mutant, ...]:
    """Mutants that differ from a relation in its right-hand side only."""
    return tuple(Mutant(name, Relation(lhs, (side,), relation)) for name, side in named)
