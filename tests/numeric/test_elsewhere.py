"""A variant is measured where somebody else looks: excluded where it is false, and only there."""

from __future__ import annotations

import pytest
import torch
from sympy import Integer, Rational, Symbol

from claims.domain import Domain, Real, Size
from claims.model import Claim, Mutant, Relation, Source
from claims.statement import Compare, Formula, Quantity
from numeric import estimators
from numeric.agreement import Measured
from numeric.elsewhere import excludes
from numeric.estimators import Estimator
from numeric.registry import QUICK, measures

n, x = Symbol("n", integer=True, positive=True), Symbol("x", real=True)
DOMAIN = Domain((Size(n, 2, 4), Real(x, 0, 1)))
product = Quantity("n x", lambda at: at[n] * at[x])


@measures(product)
def read_product(point) -> Measured:
    if point[n] == 1:
        raise IndexError("one token")
    return Measured(float(point[n] * point[x]), 1e-12)


def claim(statement: Formula | Relation) -> Claim:
    return Claim(
        "test.elsewhere", Source("test", ""), "bound", "", statement, DOMAIN,
        define=None if isinstance(statement, Formula) else product.define,
    )  # fmt: skip


def ruled_out(printed: Formula | Relation, changed: Formula | Relation, at: dict) -> bool:
    variant = Mutant("changed", changed)
    return excludes(claim(printed), variant, at, seed=0, budget=1e-9, effort=QUICK)


AT = {n: Integer(3), x: Rational(1, 2)}
BOUND = Compare(product, "<=", n * x)


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (Compare(product, "<=", n * x**2), True),
        (Compare(product, "=", n * x + Rational(1, 10**6)), True),
        (BOUND, False),
        (Compare(product, "<=", n), False),
        (Compare(product, "=", n * x + Rational(1, 10**15)), False),  # within the rounding
        (Compare(Quantity("nothing reads it", lambda at: Integer(0)), "=", 1), False),
    ],
)
def test_formulas(changed: Formula, expected: bool) -> None:
    assert ruled_out(BOUND, changed, AT) is expected


def test_where_nothing_can_be_read_nothing_is_excluded() -> None:
    """A dropped hypothesis leads to places for which no estimator was made."""
    assert not ruled_out(BOUND, Compare(product, "=", 5), {n: Integer(1), x: Integer(1)})


@pytest.mark.parametrize(
    ("side", "sign", "expected"),
    [(n * x, "=", False), (n * x + 1, "=", True), (n * x - 1, "<=", True), (n * x, "<", False)],
)
@pytest.mark.parametrize("random", [True, False])
def test_relations(
    side, sign: str, expected: bool, random: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn(point, rng, count):
        noise = torch.randn(count, generator=rng, dtype=torch.float64)
        return float(point[n] * point[x]) + noise / 10

    run = drawn if random else read_product
    monkeypatch.setitem(estimators.ESTIMATORS, "test.elsewhere", Estimator(run, random=random))
    printed = Relation("nx", (n * x,))
    assert ruled_out(printed, Relation("nx", (side,), sign), AT) is expected
