"""Classical facts, tried at random numbers: where their hypotheses hold, so does what they say."""

from __future__ import annotations

from random import Random

import pytest
from sympy import Float, Integer, Rational, Sum, Symbol, cos

from claims.statement import And, Compare, Implies
from proofs import facts
from proofs.facts import FACTS

k = Symbol("k", integer=True)
SCALARS = {
    facts.EXP_INCREASES: "ab",
    facts.EXP_STRICTLY_INCREASES: "ab",
    facts.EXP_ABOVE_TANGENT: "x",
    facts.LOG_BELOW_TANGENT: "x",
    facts.LOG_INCREASES: "ab",
    facts.POWER_INCREASES: "abp",
    facts.POWER_FALLS: "apq",
    facts.BERNOULLI: "xp",
    facts.ARCCOS: "c",
    facts.INTEGER_PART: "x",
}


def sides(formula):
    """Every comparison of a conjunction that its own premise does not exclude."""
    if isinstance(formula, And):
        return [side for part in formula.formulas for side in sides(part)]
    if isinstance(formula, Implies):
        return sides(formula.conclusion) if formula.premise.truth({}) else []
    assert isinstance(formula, Compare)
    return [formula]


def holds(comparison):
    """To thirty digits, where equality within them counts as either."""
    gap = (comparison.left - comparison.right).evalf(30)
    slack = Float(10) ** -25
    allowed = {"<": gap < slack, "<=": gap <= slack, ">": gap > -slack, ">=": gap >= -slack}
    return bool(allowed.get(comparison.sign, abs(gap) <= slack))


@pytest.mark.parametrize("fact", SCALARS, ids=lambda f: f.name)
def test_facts_about_numbers_hold_at_random_numbers(fact):
    rng, tried = Random(3), 0
    for _ in range(400):
        numbers = {name: Rational(rng.randint(-24, 24), 8) for name in SCALARS[fact]}
        given, formula = fact.instance(**numbers)
        if all(condition.truth({}) for condition in given):
            tried += 1
            assert all(map(holds, sides(formula))), numbers
    assert tried >= 20


def test_the_range_of_the_arc_cosine_needs_its_hypothesis():
    given, formula = facts.ARCCOS.instance(c=Rational(1, 2))
    assert [c.sign for c in given] == [">=", "<="]
    assert cos(formula.formulas[0].left) == Rational(1, 2)
    (outside, _), _ = facts.ARCCOS.instance(c=Integer(-2))
    assert outside.truth({}) is False


@pytest.mark.parametrize("fact", [facts.CAUCHY_SCHWARZ, facts.MINKOWSKI], ids=lambda f: f.name)
def test_facts_about_sums_hold_at_polynomials(fact):
    rng = Random(5)
    for _ in range(20):
        a, b = (sum(rng.randint(-3, 3) * k**e for e in range(3)) + 0 * k for _ in range(2))
        _, formula = fact.instance(a=a, b=b, k=k, low=1, high=4)
        written = Compare(formula.left.doit(), formula.sign, formula.right.doit())
        assert not written.left.has(Sum) and holds(written)


def test_facts_are_few_and_each_has_a_reference():
    assert len(FACTS) <= 25 and all(fact.reference for fact in FACTS)
    assert len({fact.name for fact in FACTS}) == len(FACTS)
