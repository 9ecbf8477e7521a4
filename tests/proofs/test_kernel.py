"""The kernel refuses wrong uses of its rules; what it accepts is exactly what was shown."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
import z3
from sympy import Function, Integer, Rational, Sum, Symbol, exp, oo, symbols

from claims.domain import Choice, Condition, Domain, Real, Size
from claims.model import Claim, Relation, Source
from claims.statement import Compare, Exists, ForAll, Formula, Implies, Quantity
from claims.terms import MaxOver, MinOver, Recursion
from proofs import facts, kernel, smt
from proofs.calculus.inequalities import SignOnInterval, SumOfSquares
from proofs.conclude import argued, conclude
from proofs.kernel import ProofError

x, y = symbols("x y", real=True)
p = Symbol("p", real=True)
positive = Symbol("s", positive=True)
n = Symbol("n", integer=True, positive=True)
i, j, k = symbols("i j k", integer=True)
t = Symbol("t", integer=True, nonnegative=True)
a, b = Function("a", real=True), Function("b", real=True)


def le(left, right) -> Compare:
    return Compare(left, "<=", right)


# Making theorems ----------------------------------------------------------------------------------


def test_no_theorem_without_a_rule() -> None:
    with pytest.raises(ProofError, match="made by a rule"):
        kernel.Theorem(object(), le(1, 0), "because")


def test_a_theorem_does_not_change() -> None:
    theorem = kernel.joint(le(0, x**2))
    with pytest.raises(ProofError, match="does not change"):
        theorem.formula = le(1, 0)
    with pytest.raises(ProofError, match="does not change"):
        theorem.argued = False


def test_words_are_argued_all_the_way_up() -> None:
    said = kernel.words(le(x, 1), "obviously")
    above = kernel.generalise(kernel.joint(le(x, 2), said), i, 1, n)
    assert said.argued and above.argued


@pytest.mark.parametrize(
    ("goal", "given"),
    [
        (Compare(x**2 + 1, "<", 0), []),
        (le(x, 0), []),
        (le(x * y, x), [le(y, 1)]),  # the sign of x is not known
        (le(1 / x, 1), [le(0, x)]),
        (le(x, y), [le(x**2, y**2)]),
        (le(exp(x), exp(y)), [le(x, y)]),  # true, but not by real arithmetic
    ],
)
def test_joints_that_do_not_follow(goal: Formula, given: list[Formula]) -> None:
    with pytest.raises(ProofError):
        kernel.joint(goal, given=given)


def test_premises_bring_their_hypotheses() -> None:
    theorem = kernel.joint(le(x, 3), kernel.assume(le(x, 2)))
    assert theorem.hypotheses == {le(x, 2)}
    assert kernel.discharge(theorem, le(x, 2)).formula == Implies(le(x, 2), le(x, 3))


def test_cut_removes_only_what_is_proved() -> None:
    theorem = kernel.joint(le(x, 3), kernel.assume(le(x, 2)))
    assert kernel.cut(theorem, kernel.assume(le(x, 1))).hypotheses == {le(x, 1)}
    assert le(x, 2) in kernel.cut(theorem, kernel.assume(le(y, 1))).hypotheses


# Quantifiers --------------------------------------------------------------------------------------


def test_generalisation_refuses_assumed_names() -> None:
    theorem = kernel.assume(le(a(i), 1))
    with pytest.raises(ProofError, match="something else is assumed"):
        kernel.generalise(theorem, i, 1, n)


def test_generalisation_refuses_signs_beyond_the_range() -> None:
    theorem = kernel.joint(le(0, t))
    with pytest.raises(ProofError, match="declares more"):
        kernel.generalise(theorem, t, -3, oo)
    assert kernel.generalise(theorem, t, 0, oo)


def test_generalisation_over_a_variable_of_a_derived_value() -> None:
    domain = Domain((Size(n, 2),))
    double = Quantity("2n", lambda at: 2 * at[n])
    with pytest.raises(ProofError, match="something else is assumed"):
        kernel.generalise(kernel.derived(double, 2 * n, domain, "by hand"), n, 1, oo)


def test_instances_stay_in_the_range() -> None:
    every = kernel.assume(ForAll(i, 1, n, le(a(i), 1)))
    assert le(j, n) in kernel.instance(every, j).hypotheses
    with pytest.raises(ProofError, match="not known to be an integer"):
        kernel.instance(every, x)
    with pytest.raises(ProofError, match="not known to be an integer"):
        kernel.instance(every, Rational(3, 2))


def test_substitution_does_not_capture() -> None:
    every = kernel.assume(ForAll(i, 1, n, le(a(i), x)))
    formula = kernel.substitute(every, {x: a(i)}).formula
    assert formula.index != i and formula.body.right == a(i)
    total = kernel.assume(le(Sum(a(i) * x, (i, 1, n)), 1))
    inside = kernel.substitute(total, {x: i}).formula.left
    assert inside.free_symbols == {i, n}


def test_substitution_asks_for_declared_signs() -> None:
    theorem = kernel.joint(Compare(positive, ">", 0))
    assert Compare(x, ">", 0) in kernel.substitute(theorem, {positive: x}).hypotheses
    whole = kernel.joint(le(1, n))
    with pytest.raises(ProofError, match="integer"):
        kernel.substitute(whole, {n: Rational(1, 2)})
    even = Symbol("e", even=True)
    with pytest.raises(ProofError, match="declares more"):
        kernel.substitute(kernel.identity((-1) ** even, 1), {even: Integer(3)})


def test_what_a_recursion_holds_inside_is_out_of_reach() -> None:
    """f(0) = a, where a does not show in f: no value may be put for it, and no range."""
    a, i = Symbol("a", real=True), Symbol("i", integer=True)
    constant = Recursion("f", lambda: a, lambda t, before: before())
    nested = Recursion("g", lambda k: i * constant(k), lambda t, k, before: before(k))
    assert constant.hidden == {a} and nested.hidden == {a, i}
    start = kernel.recursion_start(constant)
    with pytest.raises(ProofError, match="holds a inside"):
        kernel.substitute(start, {a: Integer(1)})
    with pytest.raises(ProofError, match="holds it inside"):
        kernel.generalise(kernel.recursion_start(nested, Integer(0)), i, 0, oo)
    assumed = kernel.assume(Compare(nested(0, 1), ">=", 0))
    with pytest.raises(ProofError, match="something else is assumed"):
        kernel.generalise(kernel.joint(Compare(i, "=", i), assumed), i, 0, oo)


def test_choice_needs_a_fresh_name() -> None:
    there_is = kernel.assume(Exists(i, 1, n, le(a(i), 0)))
    about_it = kernel.joint(le(a(j), 1), kernel.assume(le(a(j), 0)))
    with pytest.raises(ProofError, match="something else is assumed"):
        kernel.choose(there_is, j, about_it)
    free = kernel.joint(le(x, 1), given=[Implies(le(a(j), 0), le(x, 1)), le(a(j), 0)])
    with pytest.raises(ProofError, match="something else is assumed"):
        kernel.choose(there_is, j, free)


def test_witness_lies_in_the_range() -> None:
    shape = Exists(i, 1, n, le(a(i), 0))
    theorem = kernel.exists(kernel.assume(le(a(j), 0)), shape, j)
    assert {le(j, n), Compare(j, ">=", 1)} <= theorem.hypotheses
    with pytest.raises(ProofError, match="not the body"):
        kernel.exists(kernel.assume(le(a(j), 1)), shape, j)


# Induction ----------------------------------------------------------------------------------------


def test_induction_wants_both_cases() -> None:
    step = kernel.joint(le(a(t + 1), 1), kernel.assume(le(a(t), 1)), given=[le(a(t + 1), a(t))])
    start = kernel.assume(le(a(0), 1))
    with pytest.raises(ProofError, match="something else is assumed"):
        kernel.induction(start, step, t)  # a(t+1) <= a(t) was assumed for one t only
    falls = kernel.assume(ForAll(k, 0, oo, le(a(k + 1), a(k))))
    step = kernel.joint(le(a(t + 1), 1), kernel.assume(le(a(t), 1)), kernel.instance(falls, t))
    assert kernel.induction(start, step, t).formula == ForAll(t, 0, oo, le(a(t), 1))
    with pytest.raises(ProofError, match="first case"):
        kernel.induction(kernel.assume(le(a(0), 2)), step, t)
    with pytest.raises(ProofError, match="next case"):
        kernel.induction(start, kernel.assume(le(a(t + 2), 1)), t)


# Sums and extrema ---------------------------------------------------------------------------------


def test_sums_compare_term_by_term_only() -> None:
    with pytest.raises(ProofError, match="no comparison"):
        kernel.sum_compared(kernel.assume(le(a(j), b(j))))
    with pytest.raises(ProofError, match="unequal"):
        kernel.sum_compared(kernel.assume(ForAll(j, 1, n, Compare(a(j), "!=", b(j)))))
    strict = kernel.sum_compared(kernel.assume(ForAll(j, 1, n, Compare(a(j), "<", b(j)))))
    assert strict.formula.sign == "<="  # a sum may be empty


def test_sums_are_linear_and_nothing_more() -> None:
    total = Sum(a(j), (j, 1, n))
    assert kernel.sum_rearranged(Sum(2 * a(j) + 1, (j, 1, n)), 2 * total + n)
    for wrong in (total**2, n * total, Sum(a(j) ** 2, (j, 1, n)), 2 * total + n - 1):
        with pytest.raises(ProofError):
            kernel.sum_rearranged(Sum(2 * a(j) + 1, (j, 1, n)), wrong)


def test_lengths_that_may_be_negative_are_refused() -> None:
    with pytest.raises(ProofError, match="negative length"):
        kernel.identity(Sum(1, (j, 1, k)), k)
    with pytest.raises(ProofError):
        kernel.sum_rearranged(Sum(1, (j, 1, k)), k)


def test_one_term_needs_all_terms_nonnegative() -> None:
    everywhere = kernel.assume(ForAll(j, 1, n, le(0, a(j))))
    assert kernel.sum_at_least_term(everywhere, i).hypotheses >= {le(i, n)}
    with pytest.raises(ProofError):
        kernel.sum_at_least_term(kernel.assume(ForAll(j, 1, n, le(-1, a(j)))), i)


def test_extrema() -> None:
    top = MaxOver(a(j), (j, 1, n))
    assert kernel.extremum_bounds(top, i).formula == Compare(top, ">=", a(i))
    with pytest.raises(ProofError, match="integer"):
        kernel.extremum_bounds(top, x)
    moving = kernel.assume(ForAll(j, 1, n, le(a(j), b(j))))
    with pytest.raises(ProofError, match="depends on the index"):
        kernel.extremum_compared(moving, MaxOver)
    with pytest.raises(ProofError, match="bounds no"):
        kernel.extremum_compared(kernel.assume(ForAll(j, 1, n, le(a(j), x))), MinOver)
    empty = kernel.extremum_reached(MaxOver(a(j), (j, 1, k)))
    assert le(1, k) in empty.hypotheses


# Values, certificates, facts ----------------------------------------------------------------------


def test_a_value_that_vanishes_at_small_sizes_is_no_value() -> None:
    size = Quantity("n", lambda at: at[n])
    domain = Domain((Size(n, 1),))
    vanishing = (n - 1) * (n - 2) * (n - 3) * (n - 4) * (n - 5)
    with pytest.raises(ProofError):
        kernel.derived(size, n + vanishing, domain, "by hand")
    with pytest.raises(ProofError):
        kernel.unfold(size, n + vanishing, domain)


@dataclass(frozen=True)
class Forged:
    name: str = "trust me"

    def concludes(self):
        return Compare(x**2 + 1, "<", 0), ()

    def check(self) -> bool:
        return True


def test_forged_certificates_and_facts() -> None:
    with pytest.raises(ProofError, match="none that the kernel knows"):
        kernel.certified(Forged())
    with pytest.raises(ProofError, match="does not stand in"):
        kernel.fact(facts.Fact("all is one", "nowhere", lambda: ((), le(1, 0))))


def test_certificates_say_what_they_assume() -> None:
    theorem = kernel.certified(SumOfSquares(x - 1, (), (x - 1,), given=(x - 1,)))
    assert theorem.hypotheses == {Compare(x - 1, ">=", 0)}
    interval = kernel.certified(SignOnInterval(x**2 - 1, x, 1, oo, ">0", open_low=True))
    assert interval.hypotheses == {Compare(x, ">", 1)}
    with pytest.raises(ProofError):
        kernel.certified(SignOnInterval(x**2 - 1, x, 0, oo, ">=0"))


def test_geometric_sequences_have_a_constant_base() -> None:
    with pytest.raises(ValueError, match="must not depend"):
        kernel.fact(facts.GEOMETRIC, q=1 - 1 / k, k=k)


@pytest.mark.parametrize("term", [k % 2, 1 / k + k % 2, (-1) ** k])
def test_sequences_without_limit(term) -> None:
    with pytest.raises((ProofError, ValueError, NotImplementedError, TypeError)):
        kernel.limit(term, k)


def test_limits_are_computed_not_given() -> None:
    assert kernel.limit(10**10 + 9 + 1 / k, k).formula.limit == 10**10 + 9


def test_limits_of_combinations() -> None:
    u = Symbol("u", real=True)
    falls = kernel.fact(facts.GEOMETRIC, q=x, k=k)
    both = kernel.limit_combined(exp(u) + 3 * u**2, {u: falls})
    assert both.formula.limit == 1
    for wrong in (1 / u, k * u, u**x):
        with pytest.raises(ProofError):
            kernel.limit_combined(wrong, {u: falls})


def test_recursions_are_their_own() -> None:
    one = Recursion("g", lambda: Integer(1), lambda t, before: before())
    two = Recursion("g", lambda: Integer(2), lambda t, before: before())
    start, other = kernel.recursion_start(one), kernel.recursion_start(two)
    with pytest.raises(ProofError):
        kernel.joint(le(1, 0), start, other)


# Concluding ---------------------------------------------------------------------------------------

square = Quantity("p(2-p)", lambda at: at[p] * (2 - at[p]))


def bounded_place(low, high, *conditions: Condition) -> Claim:
    return Claim(
        id="toy.bound", source=Source("toy", "1"), kind="bound", title="A parabola.",
        statement=square.at_least(p), domain=Domain((Real(p, low, high),), conditions),
    )  # fmt: skip


def by_one_square(claim: Claim):
    theorem = kernel.joint(
        square.at_least(p), kernel.unfold(square, p * (2 - p), claim.domain),
        given=[le(0, p), le(p, 1)],
    )  # fmt: skip
    return conclude(claim, theorem, method="algebra")


def test_conclusions_need_the_hypotheses_of_the_domain() -> None:
    assert by_one_square(bounded_place(0, 1)).status == "proved"
    widened = by_one_square(bounded_place(0, 2))
    assert widened.status == "refuted" and widened.witness is not None
    assert by_one_square(bounded_place(-1, 1)).status == "refuted"
    assert by_one_square(bounded_place(Rational(1, 3), Rational(1, 2))).status == "proved"


def test_conclusions_are_about_the_statement() -> None:
    claim = bounded_place(0, 1)
    weaker = replace(claim, statement=square.at_least(p / 2), define=None)
    assert by_one_square(weaker).status == "proved"  # a true variant, closed by arithmetic
    stronger = replace(claim, statement=square.at_least(p + Rational(1, 100)), define=None)
    assert by_one_square(stronger).status == "refuted"


def test_an_irrelevant_theorem_concludes_nothing() -> None:
    claim = bounded_place(0, 1)
    growth = kernel.fact(facts.EXP_ABOVE_TANGENT, x=x)
    assert conclude(claim, growth, method="e^x increases").status == "undecided"


def test_an_argument_in_words_is_never_derived() -> None:
    certificate = argued(bounded_place(0, 1), steps=(), method="e^x increases")
    assert certificate.grade == "argued"


def test_signs_that_symbols_declare_must_be_in_the_domain() -> None:
    value = Quantity("s", lambda at: at[positive])
    claim = Claim(
        id="toy.sign", source=Source("toy", "1"), kind="bound", title="A sign.",
        statement=value.above(0), domain=Domain((Real(positive, -1, 1),)),
    )  # fmt: skip
    theorem = kernel.joint(value.above(0), kernel.unfold(value, positive, claim.domain))
    assert conclude(claim, theorem, method="declared").status == "refuted"


def test_a_dropped_condition_is_missed() -> None:
    condition = Condition("p\\ge1/2", lambda at: at[p] >= Rational(1, 2))
    claim = bounded_place(0, 1, condition)
    theorem = kernel.joint(
        square.at_least(p), kernel.unfold(square, p * (2 - p), claim.domain),
        given=[le(0, p), le(p, 1)],
    )  # fmt: skip
    dropped = replace(claim, domain=Domain((Real(p, 0, 1),)))
    assert conclude(dropped, theorem, method="algebra").status == "undecided"


def test_choices_count_as_hypotheses() -> None:
    claim = replace(bounded_place(0, 1), domain=Domain((Choice(p, (Integer(0), Rational(1, 2))),)))
    theorem = kernel.joint(
        square.at_least(p), kernel.unfold(square, p * (2 - p), claim.domain),
        given=[le(0, p), le(p, 1)],
    )  # fmt: skip
    assert conclude(claim, theorem, method="algebra").status == "proved"
    with_three = replace(claim, domain=Domain((Choice(p, (Integer(0), Integer(3))),)))
    assert conclude(with_three, theorem, method="algebra").status == "refuted"


def test_relations_conclude_like_formulas() -> None:
    claim = Claim(
        id="toy.value", source=Source("toy", "1"), kind="identity", title="A value.",
        statement=Relation("2n", (2 * n,)), domain=Domain((Size(n, 1),)), define=lambda at: 2 * at[n],
    )  # fmt: skip
    theorem = kernel.derived(claim.quantity, n + n, claim.domain, "addition")
    assert conclude(claim, theorem, method="addition").grade == "derived"


# The solver's reading -----------------------------------------------------------------------------


def test_canonical_forms_keep_apart_what_differs() -> None:
    one = ForAll(i, 1, n, le(a(i), 1))
    assert smt.canonical(one) == smt.canonical(ForAll(k, 1, n, Compare(1, ">=", a(k))))
    for other in (
        ForAll(i, 1, n + 1, one.body),
        ForAll(i, 1, n, le(a(n), 1)),
        Exists(i, 1, n, one.body),
    ):
        assert smt.canonical(one) != smt.canonical(other)
    assert smt.canonical(Sum(a(i) * b(j), (i, 1, n), (j, 1, n))) != smt.canonical(
        Sum(a(i) * b(j), (i, 1, n))
    )


def test_each_of_three_nested_indices_keeps_its_place() -> None:
    """The second and the third are not one another; their names say nothing."""

    def nested(places, low, high) -> Formula:
        body = Compare(b(low), "<=", b(high))
        for index in reversed(places):
            body = ForAll(index, 1, n, body)
        return smt.canonical(body)

    pairs = [(low, high) for low in (i, j, k) for high in (i, j, k) if low != high]
    assert len({nested((i, j, k), *pair) for pair in pairs}) == 6
    assert nested((i, j, k), j, k) == nested((k, i, j), i, j) == nested((j, k, i), k, i)


def test_opaque_terms_are_one_constant_each() -> None:
    assert smt.follows(le(exp(x) * y, exp(x)), [le(y, 1)])
    assert not smt.follows(le(exp(x) * y, exp(2 * x)), [le(y, 1)])
    assert smt.follows(le(positive ** (x + 1), positive**x), [le(positive, 1)])
    assert not smt.follows(le(x**y, x), [le(x, 1)])


def test_questions_that_differ_in_names_are_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    counted = lambda alone: asked.append(1) or z3.SolverFor("QF_NRA", alone)  # noqa: E731
    monkeypatch.setattr(smt, "_SOLVERS", (counted,))
    monkeypatch.setattr(smt, "_REMEMBERED", [smt._remembering(None)])
    assert smt.follows(le(x, 3), [le(x, 2)]) and smt.follows(le(y, 3), [le(y, 2)])
    assert len(asked) == 1
    assert not smt.follows(le(x, 2), [le(y, 2)]) and len(asked) == 2


def test_a_question_without_a_quick_answer_is_asked_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    contexts = []
    noted = lambda where: contexts.append(where) or z3.SolverFor("QF_NRA", where)  # noqa: E731
    monkeypatch.setattr(smt, "_SOLVERS", (noted,))
    monkeypatch.setattr(smt, "QUICKLY", 1)
    monkeypatch.setattr(smt, "_REMEMBERED", [smt._remembering(None)])
    assert smt.follows(le(2 * x * y, x**2 + y**2), [])
    quick, alone = contexts
    assert quick is z3.main_ctx() and alone is not quick
