"""Gradient climbs on the margin of a statement: many starts at once, by torch.

Where the definitions can be followed with letters in place of the moving numbers, each side becomes
a term in those letters, and the margin a differentiable function of the charts' numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from sympy import Dummy, ImmutableDenseMatrix, sympify
from torch import Tensor

from claims.domain import Computed
from claims.statement import Compare
from claims.terms import value_of
from claims.time_limits import at_most
from numeric.evaluate import evaluate
from numeric.margins import failing_by
from numeric.scenes import Judge, Scene

__all__ = ["MOST_LETTERS", "Objective", "climb", "traced"]

Objective = Callable[[Tensor], Tensor]
"""The margin at each start, (starts, size) to (starts,)."""

MOST_LETTERS = 6
"""With more numbers, terms written out grow too long."""
MOST_OPERATIONS = 4000
"""In both sides of all inequalities together."""
MOST_ATOMS = 32
"""Inequalities and equalities, each member of a range by itself."""
PATIENCE = 10.0
"""Seconds for writing out, many times what any takes that is not endless."""
STEPS, RATE = 60, 0.08


def traced(scene: Scene, judge: Judge, most: int = MOST_LETTERS) -> Objective | None:
    """The margin around a scene of so many numbers as a function on tensors, or None without terms."""
    if not 0 < scene.size <= most:
        return None
    # Terms in few letters are sure to end; those in many are worth less time.
    patience = PATIENCE * min(1, MOST_LETTERS / scene.size) ** 2
    try:
        with at_most(patience):
            objective = _Traced(scene, judge)
        start = torch.tensor([scene.start], dtype=torch.float64, requires_grad=True)
        with at_most(patience):
            here = objective(start)
    except Exception:  # a definition may refuse letters in any way
        return None
    return objective if here.requires_grad and bool(here.isfinite().all()) else None


class _Traced:
    """Sides are written out once, in letters for the entries of the moving variables."""

    def __init__(self, scene: Scene, judge: Judge):
        self.scene, self.formula = scene, judge.formula
        self.letters: dict[Any, Any] = {}
        self.written: dict[Any, Any] = {}
        self.operations = 0
        self.point: dict[Any, Any] = {}
        for variable in scene.claim.domain.variables:
            self.point[variable.symbol] = self._value(variable)

    def _value(self, variable: Any) -> Any:
        if variable.symbol in self.scene.charts:
            return self._in_letters(self.scene.point[variable.symbol], variable.symbol)
        return (
            variable.value(self.point)
            if isinstance(variable, Computed)
            else self.scene.point[variable.symbol]
        )

    def _in_letters(self, value: Any, *place: Any) -> Any:
        """The value with a letter for each entry; what is zero on a mask's non-edges stays zero."""
        if isinstance(value, tuple):
            parts = [self._in_letters(part, *place, k) for k, part in enumerate(value)]
            return type(value)(parts)
        if not hasattr(value, "tolist"):
            return self._letter(place)
        shape = range(value.rows), range(value.cols)
        rows = [[self._letter((*place, i, j)) for j in shape[1]] for i in shape[0]]
        return ImmutableDenseMatrix(rows)

    def _letter(self, place: tuple[Any, ...]) -> Any:
        letter = Dummy(f"x{len(self.letters)}", real=True)
        self.letters[letter] = place
        return letter

    def __call__(self, places: Tensor) -> Tensor:
        batch = self.scene.batch(places)
        values = {letter: _entry(batch, place) for letter, place in self.letters.items()}

        def sides(atom: Compare, at: Any) -> tuple[Tensor, Tensor]:
            left, right = (evaluate(term, values) for term in self._terms(atom, at))
            return left, right

        found = failing_by(self.formula, self.point, sides)
        if found is None or not isinstance(found.value, Tensor):
            raise TypeError("no inequality on tensors")
        return found.value.expand(len(places))

    def _terms(self, atom: Compare, at: Any) -> tuple[Any, Any]:
        indices = tuple((k, v) for k, v in at.items() if k not in self.point)
        key = (atom.left, atom.right, indices)
        if key not in self.written:
            terms = tuple(sympify(value_of(side, at)) for side in (atom.left, atom.right))
            self.operations += sum(int(term.count_ops()) for term in terms)
            if self.operations > MOST_OPERATIONS or len(self.written) >= MOST_ATOMS:
                raise TypeError("terms too long to climb")
            self.written[key] = terms
        return self.written[key]


def _entry(batch: dict[Any, Any], place: tuple[Any, ...]) -> Tensor:
    """The entry that a letter stands for: the variable, layers, and row and column."""
    value = batch[place[0]]
    rest = list(place[1:])
    while isinstance(value, tuple):
        value = value[rest.pop(0)]
    return value[..., rest[0], rest[1]] if rest else value


def climb(objective: Objective, starts: Tensor, rate: float = RATE) -> tuple[Tensor, Tensor]:
    """Adam from every start; the best place of each on its way, and its margin."""
    places = starts.clone().requires_grad_()
    optimiser = torch.optim.Adam([places], lr=rate)
    best, found = starts.clone(), torch.full((len(starts),), -torch.inf, dtype=torch.float64)
    for _ in range(STEPS):
        margins = objective(places)
        better = margins.detach() > found  # never where it is not a number
        best[better], found[better] = places.detach()[better], margins.detach()[better]
        optimiser.zero_grad()
        torch.where(margins.isfinite(), -margins, torch.zeros_like(margins)).sum().backward()
        assert places.grad is not None
        places.grad.nan_to_num_(0.0, 0.0, 0.0)
        optimiser.step()
    return best, found
