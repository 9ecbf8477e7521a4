r"""Infinite tables of i.i.d. positive numbers, and Gaussian matrices beside them, for one outcome.

The l-th table $Z^{(l)}$, $l\ge1$, is infinite to the right and below: the first n rows and columns of one
table make matrices of every size n.  Tables of different l are independent.  $W^{(l,n)}$ has i.i.d.
$\mathcal N(0,1)$ entries; those of one n are independent of one another and of the tables, and how those of
different n depend on one another is left open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import oo

from claims.almost_surely import RandomMatrices
from claims.statement import Compare, Formula
from claims.terms import entry

__all__ = ["Gaussians", "Tables"]


class Tables(RandomMatrices):
    r"""Tables with entries $Z^{(l)}_{ij}>0$, `entries(l, i, j)`, of one law.

    `mean` and `deviation` are those of its law, and `fourth` is $\mathbb E Z_{11}^4$; `weights(l, n, i, j)`
    are entries of the Gaussian matrices.
    """

    def __init__(self, name: str, mean: Any, deviation: Any, fourth: Any, weights: str = "W"):
        second = mean**2 + deviation**2
        super().__init__(
            name, lambda at, k, rows, columns: rows * columns * second.xreplace(dict(at))
        )
        self.mean, self.deviation, self.fourth = mean, deviation, fourth
        self.weights = entry(Gaussians(weights, self))

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
