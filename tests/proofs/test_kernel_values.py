"""Values in another form, terms put in, first cases: what these rules ask for besides the form."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from sympy import Function, Integer, Product, Sum, Symbol

from claims.domain import Choice, Domain, Size
from claims.statement import Compare, ForAll, Quantity
from proofs import kernel
from proofs.calculus.inequalities import SumOfSquares
from proofs.kernel import ProofError

a = Function("a", real=True)
k, n = (Symbol(name, integer=True) for name in "kn")
x, y = Symbol("x", real=True), Symbol("y", real=True)
size = Symbol("m", integer=True)
TWO = Domain((Choice(size, (Integer(1), Integer(2))),))
double = Quantity("d", lambda at: 2 * at[size])


def test_another_form_is_one_in_normal_form_and_not_at_the_points_alone() -> None:
    known = kernel.derived(double, 2 * size, TWO, "by definition")
    assert kernel.rewritten(known, size + size).formula == Compare(double, "=", 2 * size)
    with pytest.raises(ProofError, match="does not give"):
        kernel.rewritten(known, 2 * size + (size - 1) * (size - 2))


def test_another_form_is_held_to_the_definition_once_more() -> None:
    wrong = kernel.words(Compare(double, "=", 3 * size), "obviously")
    there = kernel.joint(wrong.formula, wrong, kernel.within(TWO))
    with pytest.raises(ProofError, match="does not give"):
        kernel.rewritten(there, size + 2 * size)


def test_a_value_in_another_form_needs_a_domain() -> None:
    known = kernel.assume(Compare(double, "=", 2 * size))
    with pytest.raises(ProofError, match="does not give"):
        kernel.rewritten(known, 2 * size)


def test_the_domain_of_a_hypothesis_does_not_change() -> None:
    (inside,) = kernel.within(TWO).hypotheses
    with pytest.raises(FrozenInstanceError):
        inside.domain = Domain((Size(size, 1),))  # type: ignore[misc]


def test_what_a_symbol_declares_is_asked_for_unless_the_term_shows_it() -> None:
    sign, other = Symbol("s", positive=True), Symbol("r", positive=True)
    known = kernel.joint(Compare(sign, ">", 0))
    assert kernel.substitute(known, {sign: other + 1}).hypotheses == frozenset()
    assert kernel.substitute(known, {sign: x}).hypotheses == {Compare(x, ">", 0)}


def test_a_step_may_rest_on_a_domain_and_still_be_the_next_one() -> None:
    body = Compare(a(n), ">=", 0)
    step = kernel.joint(Compare(a(n + 1), ">=", 0), kernel.assume(Compare(a(n + 1), ">=", a(n))),
                        kernel.assume(body), kernel.within(TWO))  # fmt: skip
    further = kernel.cut(step, kernel.words(Compare(a(n + 1), ">=", a(n)), "it grows"))
    start = kernel.assume(Compare(a(0), ">=", 0))
    every = kernel.induction(start, further, n)
    assert every.formula.body == body
    assert {type(h) for h in every.hypotheses} == {kernel.Within, Compare}


@pytest.mark.parametrize("first", [Integer(1) / 2, x])
def test_induction_begins_at_an_integer(first) -> None:
    step = kernel.cut(
        kernel.assume(Compare(a(n + 1), ">=", 0)),
        kernel.words(Compare(a(n + 1), ">=", 0), "it goes on"),
    )
    step = kernel.joint(Compare(a(n + 1), ">=", 0), step, kernel.assume(Compare(a(n), ">=", 0)))
    start = kernel.assume(Compare(a(first), ">=", 0))
    with pytest.raises(ProofError, match="integer"):
        kernel.induction(start, step, n, first)


def test_a_first_case_is_one_that_the_index_may_be() -> None:
    """An index declared positive says nothing of the case 0."""
    index = Symbol("q", integer=True, positive=True)
    rest = kernel.assume(ForAll(index, Integer(1), n, Compare(index, ">=", 0)))
    with pytest.raises(ProofError, match="declares more"):
        kernel.prepended(kernel.joint(Compare(0, ">=", 0)), rest)


def test_a_sum_of_squares_needs_values_of_what_is_given() -> None:
    """1/y >= 0 is no hypothesis of real numbers at y = 0."""
    squares = SumOfSquares(x**2 / y, ((1 / y, x),), given=(1 / y,))
    needed = kernel.certified(squares).hypotheses
    assert needed == {Compare(1 / y, ">=", 0), Compare(y, "!=", 0)}
    hidden = SumOfSquares(x**2 + 1 / y, ((1, x),), (1 / y,), given=(1 / y,))
    assert Compare(y, "!=", 0) in kernel.certified(hidden).hypotheses
    unseen = SumOfSquares(x**2, ((1, x),), given=(1 / y,))
    assert kernel.certified(unseen).hypotheses == {Compare(1 / y, ">=", 0), Compare(y, "!=", 0)}


def test_an_identity_takes_its_domain_by_name() -> None:
    theorem = kernel.identity(size + size, 2 * size, domain=TWO, by="by counting")
    assert theorem.rule == "by counting"


@pytest.mark.parametrize("over", [Sum, Product])
@pytest.mark.parametrize("ends", [(Integer(1), x), (x, n)])
def test_sums_and_products_end_at_integers(over: type, ends) -> None:
    with pytest.raises(ProofError, match="not known to be an integer"):
        kernel.assume(Compare(over(a(k), (k, *ends)), ">=", 0))
