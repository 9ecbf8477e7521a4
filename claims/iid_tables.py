r"""Infinite tables of i.i.d. positive numbers, and Gaussian matrices beside them, for one outcome.

The l-th table $Z^{(l)}$, $l\ge1$, is infinite to the right and below: the first n rows and columns of one
table make matrices of every size n.  Tables of different l are independent.  $W^{(l,n)}$ has i.i.d.
$\mathcal N(0,1)$ entries; those of one n are independent of one another and of the tables, and how those of
different n depend on one another is left open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import oo, sympify

from claims.almost_surely import RandomMatrices
from claims.errors import UNDEFINED, UserError
from claims.exact import compare, conjunction
from claims.statement import Compare, Formula, Point
from claims.terms import entry, holding, value_of

__all__ = ["Gaussians", "Tables"]


class Tables(RandomMatrices):
    r"""Tables with entries $Z^{(l)}_{ij}>0$, `entries(l, i, j)`, of one law.

    `mean` and `deviation` are those of its law, and `fourth` is $\mathbb E Z_{11}^4$; `weights(l, n, i, j)`
    are entries of the Gaussian matrices.  Moments that are numbers must be those of some law.
    """

    def __init__(self, name: str, mean: Any, deviation: Any, fourth: Any, weights: str = "W"):
        second = mean**2 + deviation**2
        super().__init__(
            name, lambda at, k, rows, columns: rows * columns * second.xreplace(dict(at))
        )
        self.mean, self.deviation, self.fourth = mean, deviation, fourth
        if (
            not any(sympify(m).free_symbols for m in (mean, deviation, fourth))
            and self.exist({}) is False
        ):
            raise UserError(
                f"{name}: no positive numbers have mean {mean}, deviation {deviation}, fourth {fourth}"
            )
        holding(self.entries, mean, deviation, fourth)
        self.weights = entry(Gaussians(weights, self))

    def exist(self, at: Point) -> bool | None:
        r"""Whether some positive law has the moments that a point gives; None where that is not decided.

        By Lyapunov's inequality $(\mathbb EZ^2)^3<(\mathbb EZ)^2\,\mathbb EZ^4$ but for a constant, and for
        any such numbers there is a law.
        """
        try:
            mean, deviation, fourth = (
                value_of(sympify(m), at) for m in (self.mean, self.deviation, self.fourth)
            )
            varied = compare(deviation, ">", 0)
            needed = (
                compare(mean, ">", 0), compare(deviation, ">=", 0),
                True if fourth is oo else compare(
                    fourth * mean**2, ">" if varied else "=", (mean**2 + deviation**2) ** 3
                ),
            )  # fmt: skip
            return None if varied is None else conjunction(needed)
        except UNDEFINED:
            return None

    @property
    def light(self) -> Compare:
        """That the fourth moment is finite."""
        return Compare(self.fourth, "<", oo)

    @property
    def lawful(self) -> tuple[Formula, ...]:
        """What every positive law has, and that the fourth moment is finite."""
        return Compare(self.mean, ">", 0), Compare(self.deviation, ">=", 0), self.light


@dataclass(frozen=True, eq=False)
class Gaussians:
    """What the Gaussian matrices beside some tables are the entries of."""

    name: str
    beside: Tables
