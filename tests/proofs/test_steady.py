"""What a definition asks of points of a domain that do not have it."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Integer, Symbol

from claims.domain import Domain, Real, Size
from claims.statement import Compare, Quantity
from claims.terms import Recursion, family
from proofs.steady import more_than_read

n = Symbol("n", integer=True, positive=True)
x, y = (Symbol(name, real=True) for name in "xy")
NARROW, WIDE = Domain((Size(n, 1),)), Domain((Size(n, 1), Real(x, 0, 1)))
holding = Recursion("g", lambda: x, lambda t, before: before() + 1)


def said_of(term: Any) -> list[str]:
    return more_than_read([Compare(term, "=", 0)], WIDE, NARROW)


@pytest.mark.parametrize(
    "term",
    [
        Quantity("q", lambda at: at.get(x, 0)), Quantity("q", lambda at: len(dict(at))),
        family("f_{}", lambda at, k: at.get(x, 0) + k)(3), Quantity("q", lambda at: int(x in at)),
        n + Quantity("q", lambda at: at.get(x, 0) if at[n] > 3 else 0),
    ],
)  # fmt: skip
def test_what_is_asked_for_in_vain_is_named(term: Any) -> None:
    assert said_of(term) == ["that nothing depends on x"]


@pytest.mark.parametrize(
    "term",
    [
        Quantity("q", lambda at: at[n]), Quantity("q", lambda at: at[x]), n + x, holding(Integer(2)),
        Quantity("q", lambda at: at.get(y, 0)), family("f_{}", lambda at, k: at[n] + k)(x),
    ],
)  # fmt: skip
def test_what_has_no_value_there_and_what_shows_are_no_secrets(term: Any) -> None:
    """A definition that fails without x was not read without it; and it leaves no mark for others."""
    assert said_of(term) == []
    assert said_of(term + Quantity("p", lambda at: at[n])) == []
