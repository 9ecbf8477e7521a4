"""Rules about sequences without bound."""

from __future__ import annotations

import pytest
from sympy import Function, Integer, Symbol, oo, pi, sin

from claims.statement import Compare, ForAll, Tends
from proofs.kernel import ProofError, assume, limit, outgrown

a = Function("a", real=True)
k = Symbol("k", integer=True)
other = Symbol("m", integer=True)
runs = limit(2 * k - 5, k)


def above(sign: str = "<=", bound=2 * other - 5, low: int = 3):
    """From `low` on, `bound sign a(m)`."""
    return assume(ForAll(other, Integer(low), oo, Compare(bound, sign, a(other))))


@pytest.mark.parametrize("sign", ["<=", "<"])
def test_what_exceeds_a_sequence_without_bound_has_none(sign: str) -> None:
    theorem = outgrown(above(sign), runs)
    assert theorem.formula == Tends(a(other), other, oo)
    assert theorem.hypotheses == above(sign).hypotheses


@pytest.mark.parametrize(
    ("below", "low"),
    [
        (above(">="), runs),  # the wrong way round
        (above("!="), runs),
        (above(bound=other - 5), runs),  # another sequence
        (above(bound=1 / other), limit(1 / k, k)),  # a bound that stays finite
        (above(bound=-other), limit(-k, k)),  # and one that falls
        (assume(Compare(2 * other - 5, "<=", a(other))), runs),  # at one place only
        (
            assume(ForAll(other, Integer(1), Integer(9), Compare(2 * other - 5, "<=", a(other)))),
            runs,
        ),
        (above(), above()),
    ],
)
def test_other_bounds_say_nothing_of_infinity(below, low) -> None:
    with pytest.raises(ProofError):
        outgrown(below, low)


def test_a_limit_is_that_of_a_sequence() -> None:
    """At the integers sin(pi x) vanishes, elsewhere it does not: for real x there is no limit."""
    assert limit(sin(pi * k), k).formula == Tends(Integer(0), k, Integer(0))
    for index in (Symbol("x", positive=True), Symbol("x")):
        with pytest.raises(ValueError, match="not known to be an integer"):
            limit(sin(pi * index), index)
