"""Certificates: what a proof returns, and how it is checked again without the code that found it.

A certificate is a list of steps.  Each step carries the data of one elementary assertion and knows
how to check it by a road other than the one that produced it: identities are evaluated exactly at
random admissible points, values are compared with the definition written out entry by entry,
witnesses are evaluated on both sides, limits are followed numerically at high precision, and
inequalities carry their own certificates (`proofs.calculus.inequalities`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, Protocol

from mpmath import mpf, workdps
from sympy import Expr, Symbol, lambdify, sympify

from claims.domain import Domain, Point
from claims.failures import Failure, failures, failures_of_relation
from claims.limits import shrinks
from claims.model import Relation, Statement, agree
from claims.records import witness_record
from claims.statement import Compare, Formula, Quantity, Tends
from claims.typeset import typeset
from proofs.confirm import at
from proofs.kernel import Theorem, Within

__all__ = [
    "Certificate",
    "Checked",
    "Identity",
    "Instance",
    "Limit",
    "Step",
    "Value",
    "at",
    "render",
]

CONFIRMATIONS = 4
"""Random points at which an identity is confirmed.  Two polynomials of degree D that differ agree at
a random point of a box with side S with probability at most D/S (Schwartz-Zippel); with D <= 8 and
S = 7, four points of several variables each leave little to chance, and the symbolic proof stands
beside them."""


DECIMALS = 6


class Step(Protocol):
    """One machine-checked assertion."""

    by: str

    def latex(self) -> str: ...

    def check(self) -> bool: ...


@dataclass(frozen=True)
class Identity:
    """`left = right` over a domain, proved by `by`, confirmed exactly at random points."""

    left: Any
    right: Any
    by: str
    domain: Domain
    label: str = ""

    def latex(self) -> str:
        return f"{self.label or render(self.left)} = {render(self.right)}"

    def check(self) -> bool:
        rng = Random(0)
        points = (self.domain.draw(rng) for _ in range(CONFIRMATIONS))
        return all(agree(at(self.left, p), at(self.right, p)) for p in points)


@dataclass(frozen=True)
class Value:
    """A derived value equals the definition at small points, written out entry by entry."""

    lhs: str
    value: Any
    define: Callable[[Point], Any]
    points: tuple[Point, ...]
    by: str = "definition written out entry by entry at small points"

    def latex(self) -> str:
        return f"{self.lhs} = {render(self.value)}"

    def check(self) -> bool:
        return bool(self.points) and all(
            agree(self.define(p), at(self.value, p)) for p in self.points
        )


@dataclass(frozen=True)
class Instance:
    """One exact instance: at `point` the left-hand side is `value`, so the statement holds or not."""

    statement: Statement
    point: Point
    value: Any
    define: Callable[[Point], Any]
    holds: bool
    by: str = "exact evaluation of both sides"

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """The comparisons that fail; empty where the statement holds or fails for another reason."""
        if self.holds:
            return ()
        if isinstance(self.statement, Relation):
            quantity = Quantity(self.statement.lhs, self.define)
            return failures_of_relation(self.statement, quantity, self.value, self.point)
        return failures(self.statement, self.point) if isinstance(self.statement, Formula) else ()

    def latex(self) -> str:
        verb = "holds" if self.holds else "fails"
        where, sides = self._sides()
        at = ", ".join(f"{typeset(k)}={render(v)}" for k, v in where.items())
        shown = r",\ ".join(rf"\text{{{name}}}{value}" for name, value in sides.items() if value)
        return rf"\text{{{verb} at }} {at}" + (rf":\ {shown}" if shown else "")

    def _sides(self) -> tuple[Point, dict[str, str]]:
        """The point with bound indices, and what stands on either side of what holds or fails."""
        if isinstance(self.statement, Formula) and len(self.failures) == 1:
            (one,) = self.failures
            return one.at, {"left ": _beside(one.left), "right ": _beside(one.right)}
        if isinstance(self.value, dict):
            named = ",\\ ".join(f"{name}={render(value)}" for name, value in self.value.items())
            return self.point, {"": named}
        right = "; ".join(map(_beside, self._right()))
        return self.point, {"left ": _beside(self.value), "right ": right}

    def _right(self) -> tuple[Any, ...]:
        """The values of the right-hand sides of a relation."""
        return self.statement.values(self.point) if isinstance(self.statement, Relation) else ()

    def check(self) -> bool:
        value = self.define(self.point)
        held = self.statement.holds(value, self.point)
        return agree(value, self.value) is True and held == self.holds

    def as_json(self, domain: Domain | None = None) -> dict[str, Any]:
        """The counterexample as a document holds it; with a domain, which variables matter as well."""
        return witness_record(
            self.statement, self.point, self.value, self._right(), self.failures, domain
        )


def _beside(value: Any) -> str:
    """A side of a comparison; decimals follow a number that is no fraction, so that sides can be compared."""
    shown = render(value)
    irrational = (
        isinstance(value, Expr) and value.is_number and not (value.is_Rational or value.is_Float)
    )
    return (
        rf"{shown}\approx{typeset(value.evalf(DECIMALS))}"
        if irrational and value.is_finite
        else shown
    )


@dataclass(frozen=True)
class Limit:
    """`expression -> value` as `variable -> infinity`, followed numerically at sample parameters."""

    expression: Expr
    variable: Symbol
    value: Expr
    parameters: tuple[dict[Symbol, Any], ...]
    by: str = "limit"

    def latex(self) -> str:
        return typeset(Tends(self.expression, self.variable, self.value))

    def check(self) -> bool:
        """The error near 2^40 is below 2^-30 of the scale, and far smaller than near 2^20.

        Sixty digits of mpmath: exact powers with exponents of this size would never end.  Places of
        several forms, since a remainder can vanish at all powers of two.
        """
        for values in self.parameters:
            target = mpf_of(sympify(self.value).subs(values), {})
            sequence = self.expression.subs(values)
            scale = 1 + abs(target)
            for places in ((2**20, 2**40), (2**20 + 3, 2**40 + 15), (3**13 + 1, 3**25 + 2)):
                errors = [abs(mpf_of(sequence, {self.variable: k}) - target) for k in places]
                if errors[1] > scale / 2**30 or not shrinks(errors, scale):
                    return False
        return bool(self.parameters)


def mpf_of(expression: Any, values: dict[Symbol, int]) -> Any:
    """A scalar expression at integer values, in sixty-digit arithmetic."""
    with workdps(60):
        symbols = list(values)
        function = lambdify(symbols, sympify(expression), "mpmath")
        return mpf(1) * function(*(mpf(v) for v in values.values()))


@dataclass(frozen=True)
class Checked:
    """An assertion whose check is a function of nothing: an enumeration, a recursion, an orbit."""

    text: str
    by: str
    test: Callable[[], bool]

    def latex(self) -> str:
        return self.text

    def check(self) -> bool:
        return bool(self.test())


def _says_nothing(formula: Formula) -> bool:
    """Whether a hypothesis compares a term with itself, as instances of others may."""
    return isinstance(formula, Compare) and bool(formula.left == formula.right)


SCOPES = {
    "proved": "every point of the domain", "vacuous": "every point of the domain",
    "refuted": "one point", "undecided": "",
}  # fmt: skip


@dataclass(frozen=True)
class Certificate:
    """Outcome of a proof: what was shown, from which hypotheses, by which steps.

    `status` is "proved", "refuted", "vacuous" or "undecided".  A refutation has a witness.
    """

    status: str
    method: str
    steps: tuple[Any, ...] = field(default=())
    witness: Instance | None = None
    reason: str = ""
    theorem: Theorem | None = None
    rejudge: Callable[[Any], Certificate] | None = field(default=None, compare=False, repr=False)
    """Judges a variant of the claim by what was derived for the claim itself."""
    searched: bool = False
    """Whether an exact witness was looked for before, and none found."""

    def __post_init__(self) -> None:
        if self.status not in {"proved", "refuted", "vacuous", "undecided"}:
            raise ValueError(f"certificate status {self.status!r} is unknown")
        if self.status == "refuted" and self.witness is None:
            raise ValueError("a refutation needs an exact witness")
        if self.status in {"proved", "vacuous"} and self.theorem is None:
            raise ValueError(f"status {self.status!r} comes from proofs.conclude alone")

    def __repr__(self) -> str:
        return f"<certificate: {self.status}, {self.method}, {len(self.steps)} steps>"

    def _repr_markdown_(self) -> str:
        """How a notebook shows a certificate: status, method, hypotheses, steps, witness."""
        lines = [f"**{self.status}** by {self.method}"]
        if self.assumed:
            lines.append(self.uses)
        lines += [f"{n}. ${step.latex()}$ ({step.by})" for n, step in enumerate(self.steps, 1)]
        if self.witness is not None:
            lines.append(f"Witness: ${self.witness.latex()}$")
        return "\n\n".join(lines)

    def nodes(self) -> list[dict[str, Any]]:
        """Every step once, with the steps that it follows from: the theorem's tree, premises first."""
        listed = [
            {"id": n, "claim": step.latex(), "by": step.by, "from": []}
            for n, step in enumerate(self.steps, 1)
        ]
        places: dict[int, int] = {}
        for theorem in self.theorem.tree() if self.theorem else ():
            places[id(theorem)] = len(listed) + 1
            listed.append(
                {
                    "id": places[id(theorem)],
                    "claim": theorem.formula.latex(),
                    "by": f"{theorem.rule}: {theorem.text}" if theorem.text else theorem.rule,
                    "from": [places[id(premise)] for premise in theorem.premises],
                }
            )
        return listed

    @property
    def scope(self) -> str:
        """Where the outcome holds."""
        return SCOPES[self.status]

    @property
    def assumed(self) -> tuple[str, ...]:
        """In LaTeX, the shortest first, what the theorem takes from the domain's hypotheses.

        What it takes by the definitions of the quantities on a domain is not told apart.
        """
        used = self.theorem.hypotheses if self.theorem else ()
        said = {h.latex() for h in used if not isinstance(h, Within) and not _says_nothing(h)}
        return tuple(sorted(said, key=lambda latex: (len(latex), latex)))

    @property
    def uses(self) -> str:
        """The same in words."""
        return f"Of the hypotheses it uses {', '.join(f'${h}$' for h in self.assumed)}"

    @property
    def grade(self) -> str | None:
        """ "derived" when no words are in the tree of a theorem, else "argued"; None without one."""
        if self.theorem is None:
            return None
        return "argued" if self.theorem.argued else "derived"

    def recheck(self) -> list[str]:
        """LaTeX of the steps (and witness) that fail when checked again; empty when all hold."""
        steps = [*self.steps, *([self.witness] if self.witness else [])]
        failing = [step.latex() for step in steps if not step.check()]
        if self.theorem is not None:
            failing += [theorem.formula.latex() for theorem in self.theorem.failures()]
        return failing


def render(value: Any) -> str:
    """LaTeX of a value of a step; an index network prints as its sum of entries."""
    return typeset(value)
