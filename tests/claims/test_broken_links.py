"""Which comparison of a false statement fails, and where: what a reader of a counterexample looks for."""

from __future__ import annotations

from sympy import Integer, Symbol, oo, sqrt

from claims.failures import failures
from claims.statement import Compare, Exists, ForAll, Formula, Monotone
from proofs.certificate import Instance

n, k = Symbol("n", integer=True, positive=True), Symbol("k", integer=True)
AT = {n: Integer(3)}


def link(formula: Formula) -> tuple[str, dict[Symbol, int]] | None:
    found = failures(formula, AT)
    if len(found) != 1:
        return None
    return found[0].comparison.latex(), {s: int(v) for s, v in found[0].at.items()}


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


def test_a_disjunction_fails_in_all_of_its_parts() -> None:
    found = failures(Compare(n, "<", 2) | Compare(n, ">", 4), AT)
    assert [each.comparison.latex() for each in found] == ["n < 2", "n > 4"]
    assert failures(Compare(n, "<", 2) | Compare(n, ">", 2), AT) == ()


def test_an_implication_names_the_premise_that_holds() -> None:
    premise, false = Compare(n, ">=", 3), Compare(n, "<", 2)
    assert failures(premise.implies(false), AT)[0].given == premise
    nested = premise.implies(Compare(n, "!=", 4).implies(false))
    assert failures(nested, AT)[0].given == premise & Compare(n, "!=", 4)


def test_an_equivalence_fails_on_the_side_that_is_false() -> None:
    true, false = Compare(n, "=", 3), Compare(n**2, "=", 3)
    for formula in (true.iff(false), false.iff(true)):
        (found,) = failures(formula, AT)
        assert (found.comparison, found.given) == (false, true)
        assert (found.left, found.right) == (9, 3)


def test_a_negation_fails_as_the_opposite_comparison_and_a_trend_between_neighbours() -> None:
    assert link(~Compare(n, "=", 3)) == (r"n \ne 3", {n: 3})
    falling = Monotone((k - 2) ** 2, k, ">=", 0, 4)
    assert link(falling) is not None and failures(falling, AT)[0].at[k] == 2


def test_where_no_index_exists_no_comparison_is_named() -> None:
    assert failures(Exists(k, 1, 2, Compare(k, ">", n)), AT) == ()


def test_a_counterexample_shows_both_sides_and_the_index() -> None:
    formula = ForAll(k, 1, 5, Compare(k**2, "<=", 4 * n))
    instance = Instance(formula, AT, {}, lambda at: {}, holds=False)
    assert instance.latex() == r"\text{fails at } n=3, k=4:\ \text{left }16,\ \text{right }12"
    record = instance.as_json()
    assert (record["at"], record["left"], record["right"]) == ({"n": 3, "k": 4}, 16, [12])
    (fail,) = record["fails"]
    assert (fail["comparison"], fail["index"], fail["part"]) == (r"k^{2} \le 4 n", {"k": 4}, True)


def test_sides_that_are_no_fractions_have_decimals() -> None:
    instance = Instance(Compare(sqrt(n), ">", n / 1000 + 2), AT, {}, lambda at: {}, holds=False)
    assert instance.latex().endswith(
        r"\text{left }\sqrt{3}\approx1.73205,\ \text{right }\frac{2003}{1000}"
    )
