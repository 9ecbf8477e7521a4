r"""What a domain asks of its variables, in letters: the ranges of numbers, and the conditions on them all.

Hypotheses that stand in words beside a statement are a person's; these are read from the domain that
a proof may use and a measurement draws from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sympy import oo, sympify

from claims.domain import Choice, Domain, Real
from claims.masks import Mask
from claims.typeset import typeset
from claims.variables import Whole

__all__ = ["Ranges", "ranges"]


@dataclass(frozen=True)
class Ranges:
    """In LaTeX, in the order of the domain."""

    asserted: tuple[str, ...]
    """Where a statement is asserted: ranges of sizes and of other numbers, then conditions."""
    tried: tuple[str, ...]
    """Values that stand for all: a search and a measurement try these."""


def ranges(domain: Domain) -> Ranges:
    r"""The ranges of a domain; a variable may say its own as `before, after` by `stated_range`.

    >>> from sympy import Symbol
    >>> from claims.domain import Size
    >>> n, d, rho, p = map(Symbol, ("n", "d", "rho", "p"))
    >>> sizes, shares = (Size(n, 2), Size(d, 2)), Real(rho, -1 / (n - 1), 1, open_low=True)
    >>> found = ranges(Domain((*sizes, shares, Choice(p, (1, 2)))))
    >>> found.asserted, found.tried
    (('n,d\\in\\{2,3,\\dots\\}', '-\\frac{1}{n - 1}<\\rho\\le 1'), ('p\\in\\{1,2\\}',))
    """
    numbers = [v for v in domain.variables if isinstance(v, Whole | Real) or _states(v)]
    choices = [v for v in domain.variables if isinstance(v, Choice)]
    conditions = dict.fromkeys(condition.latex for condition in domain.conditions)
    return Ranges((*_rows(numbers), *conditions), tuple(_rows(choices)))


def _rows(variables: Iterable[Any]) -> Iterator[str]:
    """One relation for neighbours that are elements of one set; one for each other variable."""
    for (before, after), group in groupby(variables, key=_range):
        names = [typeset(v.symbol) for v in group]
        for name in names if before else (",".join(names),):
            yield f"{before}{name}{after}"


def _states(variable: Any) -> bool:
    return hasattr(variable, "stated_range")


def _range(variable: Any) -> tuple[str, str]:
    """What stands before and behind the name of a variable."""
    if _states(variable):
        before, after = variable.stated_range()
        return str(before), str(after)
    if isinstance(variable, Whole):
        return "", rf"\in\{{{variable.low},{variable.low + 1},\dots\}}"
    if isinstance(variable, Choice):
        values = list(map(_value, variable.values))
        return "", f"={values[0]}" if len(values) == 1 else rf"\in\{{{','.join(values)}\}}"
    return _between(variable)


def _value(value: Any) -> str:
    if isinstance(value, Mask):
        return rf"\text{{{value.name} on {value.size} tokens}}"
    return typeset(value if isinstance(value, str | bool) else sympify(value))


def _between(variable: Real) -> tuple[str, str]:
    """A range between two ends, of which either may be missing."""
    low, high = sympify(variable.low), sympify(variable.high)
    below, above = (
        "<" if opened else r"\le " for opened in (variable.open_low, variable.open_high)
    )
    if low == -oo:
        return "", r"\in\mathbb R" if high == oo else f"{above}{typeset(high)}"
    if high == oo:
        return "", f"{'>' if variable.open_low else chr(92) + 'ge '}{typeset(low)}"
    return f"{typeset(low)}{below}", f"{above}{typeset(high)}"
