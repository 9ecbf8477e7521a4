"""Variables with an objection of their own: of two that differ none is said to lie in the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import pytest
from sympy import Max, Symbol

from claims.domain import Choice, Domain, Real, Size
from claims.model import Claim, Source
from claims.statement import Compare, Quantity
from proofs import kernel
from proofs.conclude import conclude, contained

x, n = Symbol("x", real=True), Symbol("n", integer=True, positive=True)


@dataclass(frozen=True)
class AtLeast(Choice):
    """Numbers from a least one on, of which the values are examples."""

    least: int = 0

    def objection(self, value, point):
        return None if value >= self.least else "too small"


@dataclass(frozen=True)
class Unequal(AtLeast):
    """The same with a number that does not count when two are compared."""

    beside: int = field(default=0, compare=False)

    def objection(self, value, point):
        return None if value >= self.beside else "too small"


@dataclass(frozen=True)
class Drawn(AtLeast):
    """With a number that it says is for drawing alone."""

    beside: int = field(default=0, compare=False)
    DRAWN_BY: ClassVar = ("beside",)


class SaidToBeDrawn(Unequal):
    """The same, of a number that it asks for."""

    DRAWN_BY: ClassVar = ("beside",)


@dataclass(frozen=True)
class DrawnByAMethod(Drawn):
    """The same, asked for by another method, or by its name, or inside of a function."""

    def objection(self, value, point):
        return self._refused(value)

    def _refused(self, value):
        return None if value >= self.beside else "too small"


class DrawnByItsName(DrawnByAMethod):
    def _refused(self, value):
        return None if value >= getattr(self, "beside") else "too small"  # noqa: B009


class DrawnInside(DrawnByAMethod):
    def _refused(self, value):
        return next(("too small" for each in (value,) if each < self.beside), None)


class DrawnByAProperty(DrawnByAMethod):
    @property
    def least_admitted(self):
        return self.beside

    def _refused(self, value):
        return None if value >= self.least_admitted else "too small"


class Anything(Real):
    """Drawn from a range, and not bound to it."""

    def objection(self, value, point):
        return None


class AnySize(Size):
    """The same of a size."""

    def objection(self, value, point):
        return None


@pytest.mark.parametrize(
    ("narrow", "wide", "inside"),
    [
        (AtLeast(x, (5, 6)), AtLeast(x, (5, 6), least=5), False),
        (AtLeast(x, (5, 6), least=5), AtLeast(x, (5, 6), least=5), True),
        (AtLeast(x, (5,), least=5), AtLeast(x, (5, 6), least=5), False),
        *(
            (kind(x, (5, 6)), kind(x, (5, 6), beside=beside), beside == 0)
            for kind in (DrawnByAMethod, DrawnByItsName, DrawnInside, DrawnByAProperty)
            for beside in (0, 5)
        ),
        (Choice(x, (5,)), AtLeast(x, (5, 6), least=5), True),
        (Choice(x, (4,)), AtLeast(x, (4, 6), least=5), False),
        (Unequal(x, (5, 6)), Unequal(x, (5, 6), beside=5), False),
        (Unequal(x, (5, 6), beside=5), Unequal(x, (5, 6), beside=5), True),
        (Drawn(x, (5, 6)), Drawn(x, (5, 6), beside=5), True),
        (SaidToBeDrawn(x, (5, 6)), SaidToBeDrawn(x, (5, 6), beside=5), False),
        (Anything(x, 5, 10), Real(x, 5, 10), False),
        (Anything(x, 5, 10), Anything(x, 5, 10), True),
        (AnySize(n, 3), Size(n, 3), False),
    ],
)
def test_what_admits_more_than_its_ends_or_examples_say_lies_in_nothing(
    narrow, wide, inside: bool
) -> None:
    assert contained(Domain((narrow,)), Domain((wide,))) == inside


@pytest.mark.parametrize(
    ("narrow", "wide", "proved"),
    [
        (AtLeast(x, (5, 6)), AtLeast(x, (5, 6), least=5), False),
        (Anything(x, 5, 10), Real(x, 5, 10), False),
        (AtLeast(x, (5, 6), least=5), AtLeast(x, (5, 6), least=5), True),
        (Real(x, 6, 8), Real(x, 5, 10), True),
    ],
)
def test_what_was_derived_from_five_on_is_not_proved_below(narrow, wide, proved: bool) -> None:
    larger = Quantity("q", lambda at: Max(at[x], 5))
    theorem = kernel.unfold(larger, x, Domain((wide,)))
    stated = Claim(
        "toy.q", Source("toy", ""), "bound", "", Compare(larger, "=", x), Domain((narrow,))
    )
    assert (conclude(stated, theorem, method="toy").status == "proved") is proved
