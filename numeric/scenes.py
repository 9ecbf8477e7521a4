"""Where a statement is attacked: what is discrete stays, what is continuous moves along charts.

A scene is an admissible point with charts of its continuous variables: numbers in, an admissible
exact point out.  A judge reads the margin of a statement at such a point, by the estimators where
there are deterministic ones and by the exact definitions elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from sympy import Expr, MatrixBase, sympify
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions import MatrixExpr
from torch import Tensor

from claims.domain import Computed, Point
from claims.errors import UNDEFINED
from claims.evaluation import as_place
from claims.intervals import numbers
from claims.model import Claim, Relation
from claims.statement import Compare
from claims.terms import evaluated, value_of
from numeric.charts import INTEGERS_ONLY, Chart, chart_of, exact, tensors
from numeric.evaluate import Evaluation
from numeric.margins import Margin, failing_by
from numeric.readings import READERS
from numeric.registry import Estimator, estimator_of

__all__ = ["NO_VALUE", "Judge", "Scene"]

NO_VALUE = (*UNDEFINED, StopIteration)
"""What a definition or an estimator raises where it has no value, such as an exact one at numbers that
are not rational: nothing is said there."""


@dataclass(frozen=True)
class Scene:
    """An admissible point of a claim and the charts of what may move around it."""

    claim: Claim
    point: Point
    charts: dict[Any, Chart]

    @classmethod
    def around(cls, claim: Claim, point: Point) -> Scene:
        found = {}
        for variable in claim.domain.variables:
            if not isinstance(variable, Computed):
                chart = chart_of(variable, point[variable.symbol], point)
                if chart is not None:
                    found[variable.symbol] = chart
        return cls(claim, point, found)

    @property
    def size(self) -> int:
        return sum(chart.size for chart in self.charts.values())

    @property
    def start(self) -> list[float]:
        """The numbers of the point itself, or of one near."""
        return [number for chart in self.charts.values() for number in chart.start]

    @property
    def blocks(self) -> list[range]:
        """Which of the numbers move which array; numbers of the statement itself stand in none."""
        found, place = [], 0
        for symbol, chart in self.charts.items():
            if isinstance(self.point[symbol], tuple | MatrixBase):
                found.append(range(place, place + chart.size))
            place += chart.size
        return found

    def at(self, place: Sequence[float], denominator: int) -> Point | None:
        """The point of fractions near given numbers; None where the hypotheses exclude it."""
        if any(type(variable) in INTEGERS_ONLY for variable in self.claim.domain.variables):
            denominator = 1
        fractions = iter([Fraction(u).limit_denominator(denominator) for u in place])
        point: dict[Any, Any] = {}
        try:
            for variable in self.claim.domain.variables:
                point[variable.symbol] = self._value(variable, fractions, point)
            return point if self._admitted(point) else None
        except NO_VALUE:
            return None

    def _admitted(self, point: Point) -> bool:
        """As the domain says, but for what its charts and definitions give by their construction."""
        domain = self.claim.domain
        inside = {symbol for symbol, chart in self.charts.items() if chart.inside}
        return all(
            variable.objection(point[variable.symbol], point) is None
            for variable in domain.variables
            if variable.symbol not in inside and type(variable).objection is not Computed.objection
        ) and all(condition.holds(point) for condition in domain.conditions)

    def _value(self, variable: Any, fractions: Any, point: Point) -> Any:
        chart = self.charts.get(variable.symbol)
        if chart is not None:
            return exact(chart.build([next(fractions) for _ in range(chart.size)], point))
        if isinstance(variable, Computed):
            return variable.value(point)
        tied = getattr(variable, "expression", None)  # what the variables before determine
        if tied is not None:
            return value_of(tied, point)
        return self.point[variable.symbol]

    def batch(self, places: Tensor) -> dict[Any, Any]:
        """The values of the moving variables, and the others' as they are, at (starts, size) numbers."""
        columns, point = iter(places.unbind(dim=-1)), dict[Any, Any]()
        for variable in self.claim.domain.variables:
            chart = self.charts.get(variable.symbol)
            if chart is None:
                point[variable.symbol] = self.point[variable.symbol]
            else:
                built = chart.build([next(columns) for _ in range(chart.size)], point)
                point[variable.symbol] = tensors(built, len(places))
        return point


class Judge:
    """Reads margins of a claim at exact points, and counts what it reads."""

    def __init__(self, claim: Claim):
        self.claim, self.formula = claim, claim.formula
        self.readings = 0
        self._point: Point = {}
        self._known: dict[Any, Any] = {}

    def __call__(self, point: Point) -> Margin | None:
        """The margin at a point; None where the statement has no value or no inequality decides."""
        self._point, self._known = point, {}
        try:
            return failing_by(self.formula, point, self._sides)
        except NO_VALUE:
            return None

    def _sides(self, atom: Compare, at: Point) -> tuple[Any, Any] | None:
        try:
            return self._side(atom.left, at), self._side(atom.right, at)
        except NO_VALUE:
            return None

    def _side(self, term: Any, at: Point) -> Any:
        if hasattr(term, "define"):
            return self._read(term, (), at)
        if isinstance(term, AppliedUndef) and hasattr(term.func, "define_at"):
            return self._read(term.func, tuple(as_place(value_of(a, at)) for a in term.args), at)
        if not isinstance(term, Expr) or isinstance(term, MatrixExpr):
            return numbers(value_of(term, at))
        try:
            return float(Evaluation(at, self._number)(term))
        except TypeError:  # a function that has no meaning on floats
            return numbers(value_of(term, at))

    def _number(self, what: Any, places: tuple[int, ...], at: Point) -> float:
        return float(self._read(what, places, at))

    def _read(self, what: Any, places: tuple[int, ...], at: Point) -> Any:
        """A quantity, or the member of a family at its places: measured where that can be done."""
        self.readings += 1
        if what in READERS:
            return self._measured(*READERS[what], places, at)
        estimator = self._estimator(what)
        if estimator is not None:
            return numbers(estimator.run(at).value)
        if hasattr(what, "define_at"):
            return numbers(sympify(what.define_at(at, *places)))
        return numbers(evaluated(what.define, at))

    def _measured(self, function: Any, place: int | None, places: Any, at: Point) -> Any:
        bound = tuple((k, v) for k, v in at.items() if k not in self._point)
        key = (function, places, bound)
        if key not in self._known:
            self._known[key] = function(at, *places)
        found = self._known[key]
        return numbers((found if place is None else found[place]).value)

    def _estimator(self, quantity: Any) -> Estimator | None:
        """The deterministic estimator of a relation's left side, if that is what is asked for."""
        claim = self.claim
        if not isinstance(claim.statement, Relation) or quantity is not claim.quantity:
            return None
        if claim.base is not None and claim.base.quantity is not quantity:
            return None  # a variant with a definition of its own
        found = estimator_of(claim)
        return None if found is None or found.random else found
