"""Which comparison of a false statement fails, and where: what a reader of a counterexample looks for."""

from __future__ import annotations

from sympy import Integer, Symbol, oo, sqrt

from claims.statement import Compare, ForAll, Formula
from claims.witness import broken_link
from proofs.certificate import Instance

n, k = Symbol("n", integer=True, positive=True), Symbol("k", integer=True)
AT = {n: Integer(3)}


def link(formula: Formula) -> tuple[str, dict[Symbol, int]] | None:
    found = broken_link(formula, AT)
    return None if found is None else (found[0].latex(), {s: int(v) for s, v in found[1].items()})


def test_the_comparison_itself_and_the_first_of_several() -> None:
    true, false = Compare(n, ">=", 3), Compare(n, "<", 2)
    assert link(false) == ("n < 2", {n: 3})
    assert link(true & false) == link(false)
    assert link(true) is None
    assert link(true.implies(false)) == link(false)
    assert link(false.implies(false)) is None


def test_a_bound_index_has_the_value_where_it_fails() -> None:
    bounded = ForAll(k, 1, 5, Compare(k, "<=", n))
    assert link(bounded) == ("k \\le n", {n: 3, k: 4})
    assert link(ForAll(k, 1, oo, Compare(k, "<=", n))) == link(bounded)


def test_a_disjunction_fails_in_no_single_comparison() -> None:
    assert link(Compare(n, "<", 2) | Compare(n, ">", 4)) is None


def test_a_counterexample_shows_both_sides_and_the_index() -> None:
    formula = ForAll(k, 1, 5, Compare(k**2, "<=", 4 * n))
    instance = Instance(formula, AT, {}, lambda at: {}, holds=False)
    assert instance.latex() == r"\text{fails at } n=3, k=4:\ \text{left }16,\ \text{right }12"
    assert instance.as_json() == {"at": {"n": 3, "k": 4}, "left": 16, "right": [12]}


def test_sides_that_are_no_fractions_have_decimals() -> None:
    instance = Instance(Compare(sqrt(n), ">", n / 1000 + 2), AT, {}, lambda at: {}, holds=False)
    assert instance.latex().endswith(
        r"\text{left }\sqrt{3}\approx1.73205,\ \text{right }\frac{2003}{1000}"
    )
