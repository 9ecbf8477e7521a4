r"""Sec. 4.2, before Corollary 1: tokens at no obtuse angle lie in an open half-space, not conversely.

Condition (i) of Theorem 2 asks for a v with <X_i, v> > 0 for all i.  The v exhibited is s/|s| for the sum
s of the tokens.  For the converse two tokens at an obtuse angle lie on both sides of e_d:

    X'_2 = -(4/5) e_1 + (3/5) e_d,   X'_i = (4/5) e_1 + (3/5) e_d  for i != 2.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational

from claims.domain import Domain, Point, Size
from claims.model import Claim, Mutant
from claims.statement import Compare, Formula, Quantity
from claims.terms import family
from claims.wu2024.lengths import ACUTE_AT_FIRST, UNIT, every_token, i
from claims.wu2024.notation import N, X, d, source
from claims.wu2024.unit_tokens import AcuteRows, UnitRows


def _along_the_sum(point: Point, token: int) -> Any:
    rows = point[X]
    return sum((rows[token - 1, b] * sum(rows.col(b)) for b in range(rows.cols)), start=Integer(0))


along_sum = family(r"\langle X_{{{},:}},\textstyle\sum_jX_{{j,:}}\rangle", _along_the_sum)


def tilted_entry(point: Point, token: int, b: int) -> Any:
    """Coordinate b of X'_i."""
    side = -1 if token == 2 else 1
    return Rational(4 * side, 5) * int(b == 1) + Rational(3, 5) * int(b == point[d])


def _tilted_product(point: Point, one: int, other: int) -> Any:
    pairs = range(1, int(point[d]) + 1)
    return sum(
        (tilted_entry(point, one, b) * tilted_entry(point, other, b) for b in pairs),
        start=Integer(0),
    )


tilted = family(r"X_{{{},{}}}'", tilted_entry)
tilted_square = family(r"\|X_{{{0},:}}'\|_2^2", lambda at, token: _tilted_product(at, token, token))
tilted_pair = Quantity(r"\langle X_{1,:}',X_{2,:}'\rangle", lambda at: _tilted_product(at, 1, 2))


def _stronger() -> Formula:
    """(i) from the angles, and tokens that meet (i) without them."""
    implied = every_token(Compare(along_sum(i), ">=", 1))
    planes = Compare(N, ">=", 2) & Compare(d, ">=", 2)
    half_space = every_token(Compare(tilted_square(i), "=", 1) & Compare(tilted(i, d), ">", 0))
    return implied & planes.implies(half_space & Compare(tilted_pair, "<", 0))


_sizes = (Size(N, 1, 4), Size(d, 1, 3))
acute_tokens_lie_in_an_open_half_space = Claim(
    id="wu2024.sec-4.2.acute-is-stronger",
    source=source("Sec. 4.2", "paragraph before Corollary 1"),
    kind="prose",
    title=(
        "Tokens at no obtuse angle have positive products with their sum, as (i) asks; "
        "(i) allows obtuse angles."
    ),
    statement=_stronger(),
    printed=(
        r"\text{If the initial token geometry satisfies a stronger condition than (i) ...: } "
        r"\phi^{(0)} \geq 0"
    ),
    domain=Domain((*_sizes, AcuteRows(X))),
    hypotheses=(UNIT, ACUTE_AT_FIRST),
    mutants=(Mutant("any angles", _stronger(), domain=Domain((*_sizes, UnitRows(X)))),),
    note=(
        r"The sum $s$ of the tokens has $\langle X_i,s\rangle\ge\|X_i\|_2^2=1$, so it is not zero, and "
        r"$v=s/\|s\|_2$ is as (i) asks. Conversely $X_2'=-\tfrac45e_1+\tfrac35e_d$ and "
        r"$X_i'=\tfrac45e_1+\tfrac35e_d$ for the others have $\langle X_i',e_d\rangle>0$ and one obtuse "
        r"angle. For $N=1$ or $d=1$ the two conditions are one."
    ),
)
