"""Arithmetic holds whatever stands for terms that have no value, and what SymPy cancels does not."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from sympy import (
    Integer,
    Piecewise,
    Rational,
    Symbol,
    acosh,
    cosh,
    exp,
    floor,
    log,
    pi,
    sqrt,
    symbols,
)

from claims.statement import Compare, Tends
from claims.terms import Recursion
from proofs import facts, kernel, smt
from proofs.kernel import ProofError

x, y, z = symbols("x y z", real=True)
n = Symbol("n", integer=True, positive=True)
j, k = symbols("j k", integer=True)


def refused(offer: Any) -> None:
    with pytest.raises((ProofError, ValueError)):
        offer()


def test_expansion_does_not_cancel_a_divisor_that_stands_elsewhere_too() -> None:
    r"""$(k^2+k)/k+1/k$ and $k+1+1/k$ differ at zero by one, whatever $1/k$ is there."""
    together, apart = ((k**2 + k) / k + 1 / k, k + 1 + 1 / k)
    forms = (Compare(together, "=", y), Compare(apart, "=", y))
    assert smt.canonical(forms[0]) != smt.canonical(forms[1])
    assert not smt.follows(forms[1], [forms[0]]) and not smt.follows(forms[0], [forms[1]])
    assert smt.follows(forms[1], [forms[0], Compare(k, ">", 0)])
    floors = Compare(floor(together), "=", floor(apart))
    assert not smt.follows(floors, [])


@pytest.mark.parametrize(
    ("term", "whole", "need"),
    [
        (x * k, 1 / k, Compare(k, "!=", 0)), (exp(x), log(k), Compare(k, ">", 0)),
        (x**2, sqrt(k), Compare(k, ">=", 0)),
    ],
)  # fmt: skip
def test_equals_for_equals_do_not_cancel_what_has_no_value(term, whole, need) -> None:
    """Of $1/k=y$ it does not follow at zero that $1=ky$."""
    assert need in kernel.congruent(term, x, whole, y).hypotheses


def test_induction_keeps_what_its_first_case_and_its_step_lose() -> None:
    r"""At zero $(q+x)/x=1+q/x$ is $1=1$ to SymPy, and false of $x=0$ whatever $1/x$ is."""
    i = Symbol("i", integer=True)
    body = Compare((i + x) / x, "=", 1 + i / x)
    step = kernel.joint(body.substitute({i: i + 1}), given=[body])
    every = kernel.induction(kernel.joint(Compare(1, "=", 1)), step, i)
    assert any(smt.follows(Compare(x, "!=", 0), [h]) for h in every.hypotheses)
    later = kernel.induction(
        kernel.joint(body.substitute({i: Integer(1)}), given=[Compare(x, "!=", 0)]), step, i, 1
    )
    later = kernel.cut(later, kernel.assume(Compare(x, ">", 0)))
    prepended = kernel.prepended(kernel.joint(Compare(1, "=", 1)), later)
    assert Compare(x, "!=", 0) in prepended.hypotheses


def test_facts_keep_what_their_sums_lose() -> None:
    r"""$(\sum_k k\cdot1/k)^2\le\sum_kk^2\sum_k1/k^2$ is $1\le0$ for k = 0 alone."""
    ends = {"low": Integer(0), "high": Integer(0)}
    refused(lambda: kernel.fact(facts.CAUCHY_SCHWARZ, a=k, b=1 / k, k=k, **ends))
    refused(lambda: kernel.fact(facts.JENSEN, w=1 / k, x=k, k=k, **ends))
    assert kernel.fact(facts.CAUCHY_SCHWARZ, a=k, b=1 / k, k=k, low=1, high=n)
    assert kernel.fact(facts.CAUCHY_SCHWARZ, a=y, b=1 / k, k=k, **ends)


def test_sums_do_not_put_cases_together_where_something_cancels() -> None:
    r"""$e^{\log j}$ in one case is j to SymPy once it is summed, also of negative j."""
    cases = exp(Piecewise((log(j), y > 0), (1, True)))
    positive = kernel.generalise(kernel.joint(Compare(cases, ">", 0)), j, k, 1)
    refused(lambda: kernel.sum_at_least_term(positive, n))
    refused(lambda: kernel.sum_compared(positive))
    divided = Piecewise((j**2 / x, y > 0), (1, True))
    square = kernel.generalise(kernel.joint(Compare(exp(divided), ">", 0)), j, 1, n)
    assert Compare(x, "!=", 0) in kernel.sum_compared(square).hypotheses


def test_places_of_a_recursion_are_integers() -> None:
    def start(place: Any) -> Any:
        return (-1) ** (2 * place)  # one, of an integer

    alternating = Recursion("u", start, lambda _, place, before: before(place))
    assert kernel.recursion_start(alternating, k).formula.right == 1
    for place in (Rational(1, 2), x, 1 / k):
        refused(lambda place=place: kernel.recursion_start(alternating, place))
        refused(lambda place=place: kernel.recursion_step(alternating, place, k))
        refused(lambda place=place: kernel.recursion_step(alternating, n, place))


def test_steps_of_a_recursion_keep_what_they_lose() -> None:
    """A step holds its two places as a quotient, which is one where they are one."""
    quotient = Recursion("u", lambda a, b: a, lambda _, a, b, before: before(a, b) * a / b)
    assert Compare(k, "!=", 0) in kernel.recursion_step(quotient, n, k, k).hypotheses
    assert kernel.recursion_step(quotient, n, j, k).hypotheses == frozenset()
    cases = Recursion("v", lambda a: a, lambda _, a, before: Piecewise((0, a <= 0), (1 / a, True)))
    assert kernel.recursion_step(cases, n, 0).hypotheses == frozenset()


def test_limits_of_combinations_keep_what_they_lose() -> None:
    """$(x+1/k)(1/x+1/k)$ tends to one where x is not zero."""
    a, b = symbols("a b", real=True)
    count = Symbol("count", integer=True, positive=True)
    other = kernel.assume(Tends(1 / x + 1 / count, count, 1 / x))
    parts = {a: kernel.limit(x + 1 / count, count), b: other}
    found = kernel.limit_combined(a * b, parts)
    assert found.formula.limit == 1 and Compare(x, "!=", 0) in found.hypotheses
    zero = kernel.limit(1 / count, count)
    assert kernel.limit_combined(a * b, {a: zero, b: parts[b]}).formula.limit == 0


@pytest.mark.parametrize("put_there", [{y: x}, {y: x * (k + 1)}])
def test_substitution_keeps_what_cancels_and_stands_elsewhere_too(put_there) -> None:
    """$y/x+1/x=1/x$ is so of $y=0$, also where x is zero; with x for y it is $1+1/x=1/x$ to SymPy."""
    theorem = kernel.joint(Compare(y / x + 1 / x, "=", 1 / x), given=[Compare(y, "=", 0)])
    assert Compare(x, "!=", 0) in kernel.substitute(theorem, put_there).hypotheses
    assert kernel.substitute(theorem, {y: z}).hypotheses == {Compare(z, "=", 0)}
    assert kernel.substitute(theorem, {x: z + 1}).hypotheses == {Compare(y, "=", 0)}


def test_a_term_put_into_a_function_is_not_cancelled_within() -> None:
    theorem = kernel.assume(Compare(log(y / x) + 1 / x, "=", z))
    assert Compare(x, "!=", 0) in kernel.substitute(theorem, {y: x}).hypotheses


def test_what_is_multiplied_by_zero_needs_no_value() -> None:
    theorem = kernel.joint(Compare(y / x, "=", y / x))
    assert kernel.substitute(theorem, {y: Integer(0)}).hypotheses == frozenset()


def test_conditions_need_values_too() -> None:
    """At zero $y/x>0$ holds of no number that y is multiplied with, and of $x/x$ it does to SymPy."""
    cases = Piecewise((1, y / x > 0), (0, True))
    theorem = kernel.joint(Compare(cases, "=", 0), given=[Compare(y, "=", 0)])
    assert Compare(x, "!=", 0) in kernel.substitute(theorem, {y: x}).hypotheses
    assert kernel.substitute(theorem, {y: 2 * z}).hypotheses == {Compare(2 * z, "=", 0)}


@pytest.mark.parametrize(
    ("term", "number"),
    [
        (exp(sqrt(x)), -(pi**2)), (sqrt(x) ** 4 + sqrt(x), -pi), (cosh(sqrt(x)), -(pi**2)),
        (exp(2 * acosh(x)), Rational(1, 2)),
    ],
)  # fmt: skip
def test_what_is_imaginary_is_no_value_though_it_ends_in_a_real_number(term, number) -> None:
    r"""$e^{\sqrt x}>0$, and $e^{\sqrt{-\pi^2}}$ is minus one to SymPy."""
    theorem = kernel.assume(Compare(term, ">", 0))
    with suppress(ProofError, ValueError):  # refused, or under a hypothesis that is false
        made = kernel.substitute(theorem, {x: number})
        assert any(f.truth({}) is False for f in made.hypotheses - {made.formula})
