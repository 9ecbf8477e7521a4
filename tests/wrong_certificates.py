"""Families of false theorems and certificates, each with a true sibling: what they are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from sympy import (
    Function,
    Symbol,
    symbols,
)  # fmt: skip

from claims.domain import Condition, Domain
from claims.model import Claim, Source
from claims.statement import (
    Compare,
    Formula,
)  # fmt: skip
from proofs.certificate import Certificate
from proofs.conclude import conclude
from proofs.kernel import ProofError, Theorem

x, y, z, p = symbols("x y z p", real=True)
s = Symbol("s", positive=True)
plain = Symbol("c")
n, m = symbols("n m", integer=True, positive=True)
i, j, k, r = symbols("i j k r", integer=True)
t = Symbol("t", integer=True, nonnegative=True)
a, b = Function("a", real=True), Function("b", real=True)

Offer = Callable[[], Any]
REFUSALS = (ProofError, ValueError, NotImplementedError, ArithmeticError)
"""How a rule says no."""


@dataclass(frozen=True)
class Family:
    """False offers of one kind, and true ones that must be accepted, lest nothing be."""

    name: str
    false: tuple[Offer, ...]
    true: tuple[Offer, ...]


def accepted(found: Any) -> bool:
    """Whether an offer was believed: a theorem was made, or a certificate stands when rechecked."""
    if isinstance(found, Certificate):
        return found.status in {"proved", "vacuous"} and found.recheck() == []
    assert isinstance(found, Theorem | bool), found
    return isinstance(found, Theorem) or found


def bare(theorem: Theorem) -> bool:
    """Whether a theorem needs nothing: with its hypothesis a false one may be true."""
    return not theorem.hypotheses and not theorem.argued


FAMILIES: list[Family] = []


def family(make: Callable[[], tuple[Iterator[Offer], Iterator[Offer]]]) -> None:
    false, true = make()
    FAMILIES.append(Family(make.__name__, tuple(false), tuple(true)))


def le(left: Any, right: Any) -> Compare:
    return Compare(left, "<=", right)


def ge(left: Any, right: Any) -> Compare:
    return Compare(left, ">=", right)


def each(make: Callable[..., Any], *rows: Any) -> Iterator[Offer]:
    """One offer for each row of arguments."""
    return (partial(make, *(row if isinstance(row, tuple) else (row,))) for row in rows)


def claim_of(statement: Formula, *variables: Any, conditions: tuple[Condition, ...] = ()) -> Claim:
    return Claim(
        id="toy.wrong", source=Source("toy", "1"), kind="bound", title="A toy.",
        statement=statement, domain=Domain(variables, conditions),
    )  # fmt: skip


def judged(claim: Claim, theorem: Theorem) -> Certificate:
    return conclude(claim, theorem, method="toy")
