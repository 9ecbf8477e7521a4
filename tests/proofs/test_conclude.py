"""What a domain gives a theorem, when one domain lies in another, when two formulas are one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest
from sympy import Function, Integer, MatrixSymbol, Rational, Sum, Symbol, oo, symbols

from claims.domain import Array, Choice, Computed, Condition, Domain, Real, Scaled, Size
from claims.model import Claim, Hypothesis, Mutant, Source
from claims.statement import And, Compare, Formula, Or, Quantity
from proofs import kernel
from proofs.certificate import Certificate
from proofs.conclude import argued, conclude, contained, facts_of, matches, undischarged, vacuous
from proofs.decide import refute
from proofs.sense import ProofError

x, y = symbols("x y", real=True)
n = Symbol("n", integer=True, positive=True)
whole, i = symbols("m i", integer=True)
positive = Symbol("s", positive=True)
square = Quantity("x^2", lambda at: at[x] ** 2)


def le(left, right) -> Compare:
    return Compare(left, "<=", right)


def claim(statement: Formula, *variables, conditions: tuple[Condition, ...] = ()) -> Claim:
    domain = Domain(variables or (Real(x, -1, 1), Real(y, 0, 1)), conditions)
    return Claim("toy.bound", Source("toy", ""), "bound", "", statement, domain)


# What a domain gives ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("variable", "facts"),
    [
        (Size(n, 2, 5), [Compare(n, ">=", 2)]),
        (Real(x), []),
        (Real(x, 0, 1), [Compare(x, ">=", 0), Compare(x, "<=", 1)]),
        (Real(x, 0, open_low=True), [Compare(x, ">", 0)]),
        (Real(x, high=3, open_high=True), [Compare(x, "<", 3)]),
        (Real(x, -oo, y), [Compare(x, "<=", y)]),
        (Choice(x, (2,)), [Compare(x, "=", 2)]),
        (Choice(x, (1, Rational(1, 2))), [Or((Compare(x, "=", 1), Compare(x, "=", Rational(1, 2))))]),
        (Choice(x, (1, "two")), []),
        (Choice(x, (True, 1)), []),
        (Computed(y, lambda at: at[x], known=(le(y, 7),)), [le(y, 7)]),
    ],
)  # fmt: skip
def test_a_variable_says_its_range_and_no_more(variable, facts) -> None:
    assert facts_of(Domain((variable,))) == facts


def test_a_condition_says_its_formula_if_it_has_one() -> None:
    said = Condition("x<y", lambda at: at[x] < at[y], formula=Compare(x, "<", y))
    silent = Condition("x odd", lambda at: True)
    assert facts_of(Domain((Real(x), Real(y)), (silent, said))) == [Compare(x, "<", y)]


STATED = Compare(Quantity("1", lambda at: Integer(1)), ">=", 0)


def needs(variable, formula: Formula, *others) -> list[str]:
    """What is missing for a theorem about one variable."""
    return undischarged(kernel.joint(formula), claim(STATED, variable, *others))


@pytest.mark.parametrize(
    ("variable", "missing"),
    [
        (Real(whole, 0, 3), True),
        (Choice(whole, (Integer(1), Rational(1, 2))), True),
        (Choice(whole, (Integer(1), Integer(2))), False),
        (Size(whole, 0, 3), False),
    ],
)
def test_an_integer_must_be_one(variable, missing: bool) -> None:
    assert any("no integer" in each for each in needs(variable, le(0, whole**2))) == missing


@pytest.mark.parametrize(
    ("variable", "missing"),
    [
        (Real(positive, 1, 2), False),
        (Real(positive, 0, 2), True),
        (Choice(positive, (Integer(1), Integer(2))), False),
        (Choice(positive, (Integer(0), Integer(2))), True),
        (Computed(positive, lambda at: Integer(1)), False),
    ],
)
def test_declared_signs_are_asked_of_what_has_a_range(variable, missing: bool) -> None:
    assert bool(needs(variable, le(0, positive))) == missing


def test_a_size_may_be_zero_where_its_symbol_may_not() -> None:
    assert needs(Size(n, 0, 3), le(0, n)) != [] == needs(Size(n, 1, 3), le(0, n))


def test_signs_are_asked_of_the_domain_and_of_what_is_used() -> None:
    """Neither of a bound symbol, which is no variable, nor of a variable that nothing mentions."""
    assert needs(Real(x, 0, 1), le(0, positive + x**2)) == []
    assert needs(Real(x, 0, 1), le(0, x**2), Real(positive, -1, 1)) == []


def test_a_hypothesis_is_given_word_for_word_or_follows() -> None:
    theorem = kernel.joint(le(x, 3), kernel.assume(le(x, 2)))
    for high, missing in ((2, []), (1, []), (3, [f"${le(x, 2).latex()}$"])):
        assert undischarged(theorem, claim(STATED, Real(x, 0, high))) == missing
    odd = Function("odd", real=True)
    opaque = le(odd(x), 2)
    given = Condition("odd", lambda at: True, formula=opaque)
    assert undischarged(kernel.assume(opaque), claim(STATED, Real(x), conditions=(given,))) == []
    assert undischarged(kernel.assume(opaque), claim(STATED, Real(x))) != []


def test_a_hypothesis_does_not_follow_from_what_its_symbol_declares() -> None:
    computed = Computed(positive, lambda at: Integer(1))
    assumed = kernel.assume(Compare(positive, ">", 0))
    assert undischarged(assumed, claim(STATED, Real(x), computed)) != []


# One domain in another ----------------------------------------------------------------------------


M = MatrixSymbol("M", 2, 2)


class Integers(Array):
    """Matrices of integers alone."""

    def objection(self, value, point):
        return None if all(x.is_integer for x in value) else "must be integers"


class Transposed(Array):
    """Matrices of another shape than their symbol's."""

    def shape(self, point):
        return super().shape(point)[::-1]


@dataclass(frozen=True)
class Kind(Choice):
    """A class of things of which the values are examples."""


@pytest.mark.parametrize(
    ("narrow", "wide", "inside"),
    [
        (Size(n, 2), Size(n, 1), True),
        (Size(n, 2), Size(n, 2, 9), True),
        (Size(n, 1), Size(n, 2), False),
        (Size(n, 2), Real(n, 0, 1), False),
        (Real(n, 2, 2), Size(n, 1), False),
        (Real(x, 0, 1), Real(x, 0, 2), True),
        (Real(x, 0, 1), Real(x), True),
        (Real(x), Real(x, 0), False),
        (Real(x, -1, 1), Real(x, 0, 2), False),
        (Real(x, 0, 1, open_low=True), Real(x, 0, 1), True),
        (Real(x, 0, 1), Real(x, 0, 1, open_low=True), False),
        (Real(x, 0, 1), Real(x, 0, 1, open_high=True), False),
        (Choice(x, (1, 2)), Choice(x, (2, 1, 3)), True),
        (Choice(x, (1, 2)), Choice(x, (2, 1)), True),
        (Choice(x, (1, 4)), Choice(x, (1, 2, 3)), False),
        (Real(positive, -1, 1), Real(positive, 0, 2), False),
        (Choice(x, (1, 2)), Real(x, 0, 3), False),
        (Real(x, 1, 2), Choice(x, (1, 2)), False),
        (Kind(x, (1,)), Kind(x, (1, 2)), True),
        (Choice(x, (1,)), Kind(x, (1, 2)), True),
        (Kind(x, (1,)), Choice(x, (1, 2)), False),
        (Kind(x, (3,)), Kind(x, (1, 2)), False),
        (Array(M, 1), Array(M, 3), True),
        (Scaled(M, 1, Rational(1, 2)), Array(M), True),
        (Integers(M), Array(M), False),
        (Array(M), Integers(M), False),
        (Array(M), Transposed(M), False),
        (Transposed(M), Array(M), False),
        (Integers(M), Integers(M), True),
    ],
)
def test_one_variable_lies_in_another(narrow, wide, inside: bool) -> None:
    assert contained(Domain((narrow,)), Domain((wide,))) == inside


def test_every_variable_and_condition_of_the_wider_domain_counts() -> None:
    even = Condition("x even", lambda at: True)
    both, one = Domain((Real(x, 0, 1), Real(y))), Domain((Real(x, 0, 1),))
    assert contained(both, one) and not contained(one, both)
    assert contained(replace(one, conditions=(even,)), Domain((Real(x, 0, 2),)))
    assert not contained(one, Domain((Real(x, 0, 2),), (even,)))
    assert contained(replace(one, conditions=(even,)), Domain((Real(x, 0, 2),), (even,)))
    unlike = Domain((Real(x, 0, 1), Computed(y, lambda at: at[x])))
    assert contained(unlike, unlike)


def test_a_theorem_of_a_wider_domain_is_one_of_the_narrower() -> None:
    narrow, wide = Domain((Real(x, 0, 1),)), Domain((Real(x, 0, 2),))
    theorem = kernel.within(wide)
    assert undischarged(theorem, replace(claim(STATED), domain=narrow)) == []
    (missing,) = undischarged(kernel.within(narrow), replace(claim(STATED), domain=wide))
    assert "widened" in missing


# One formula and another --------------------------------------------------------------------------

P, Q, R = le(x, y), le(y, 1), Compare(square, ">=", 0)


@pytest.mark.parametrize(
    ("found", "wanted", "one"),
    [
        (P, P, True),
        (P, Q, False),
        (And((P, Q)), And((Q, P)), True),
        (And((P, Q, R)), And((R, P)), True),
        (And((P, Q)), And((P, R)), False),
        (And((P, Q)), And((R, P)), False),
        (P, And((P, P)), True),
        (P, And((P, Q)), False),
        (And((P, Q)), P, False),
        (Or((P, Q)), P, False),
        (P, Or((P, Q)), False),
        (P, Compare(x, "<", y), False),
        (le((x + 1) ** 2, y), le(x**2 + 2 * x + 1, y), True),
        (le(y, (x + 1) ** 2), le(y, x**2 + 2 * x + 1), True),
        (le((x + 1) ** 2, y), le(x**2 + 2 * x + 1, y + 1), False),
        (le((x + 1) ** 2, y), le(x**2 + x + 1, y), False),
        (le(square, y), le(x**2, y), False),  # a quantity equals only itself
        (le(square, (x + 1) ** 2), le(square, x**2 + 2 * x + 1), True),
        (le(Sum(i, (i, 1, n)), y), le(n * (n + 1) / 2, y), True),
        (le(y, Sum(i, (i, 1, n))), le(y, n * (n + 1) / 2), True),
        (le(y, Sum(i, (i, 1, n))), le(y, n * (n + 1) / 2 + 1), False),
        (le(y, Sum(i, (i, 1, n))), Compare(y, "<", n * (n + 1) / 2), False),
        (le(Sum(i, (i, 1, whole)), y), le(whole * (whole + 1) / 2, y), False),  # of negative length
        (le(whole * (whole + 1) / 2, y), le(Sum(i, (i, 1, whole)), y), False),
        (le(x + 1, y), le((x**2 - 1) / (x - 1), y), True),
        (le((x**2 - 1) / (x - 1), y), le(x + 1, y), False),  # says nothing where x is 1
    ],
)
def test_formulas_that_are_one(found: Formula, wanted: Formula, one: bool) -> None:
    assert matches(found, wanted) == one


# Verdicts -----------------------------------------------------------------------------------------


BOX = Domain((Real(x, -1, 1), Real(y, 0, 1)))
cube = Quantity("x^3", lambda at: at[x] ** 3)


def bounded(slack: Any) -> Compare:
    return le(square, x**2 + slack)


def by_value(statement: Formula) -> kernel.Theorem:
    """A statement about the square, by its value."""
    return kernel.joint(statement, kernel.unfold(square, x**2, BOX))


def judged(statement: Formula, theorem: kernel.Theorem) -> Certificate:
    return conclude(claim(statement), theorem, method="road", steps=(1,))


def test_the_statement_itself_is_proved_without_a_search() -> None:
    found = judged(bounded(1), by_value(bounded(1)))
    assert (found.status, found.method) == ("proved", "road")
    assert found.steps == (1,) and not found.searched


def test_what_follows_by_arithmetic_with_the_domain_is_proved_after_a_search() -> None:
    found = judged(bounded(2), by_value(bounded(1)))
    assert (found.status, found.method) == ("proved", "road; arithmetic") and found.searched
    assert found.steps == (1,) and found.theorem is not None
    assert found.theorem.formula == bounded(2) and found.assumed == ()
    # That x^2 is at most 1 is the domain's: the theorem alone does not give it.
    beyond = judged(le(square, 2), by_value(bounded(1)))
    assert beyond.method == "road; arithmetic"
    assert beyond.theorem is not None and beyond.theorem.formula == le(square, 2)
    assert not beyond.theorem.failures()
    assert beyond.assumed == (r"x \le 1", r"x \ge -1")  # and nothing of y


def test_a_certificate_says_what_it_takes_from_the_domain() -> None:
    """Where it holds and what it used is read from the theorem; nobody writes it."""
    whole = judged(bounded(1), by_value(bounded(1)))
    assert whole.assumed == ()  # the definition alone
    below, above = (Compare(x, sign, end) for sign, end in ((">=", -1), ("<=", 1)))
    least = kernel.unfold(square, x**2, BOX)
    found = judged(
        le(square, 1),
        kernel.joint(le(square, 1), least, kernel.assume(below), kernel.assume(above)),
    )
    assert found.status == "proved" and set(found.assumed) == {below.latex(), above.latex()}
    assert found.scope == whole.scope == "every point of the domain"
    assert judged(le(square, 0), by_value(bounded(1))).scope == "one point"


def test_what_needs_a_lemma_is_proved_by_it() -> None:
    theorem = by_value(bounded(1))
    found = judged(bounded(Rational(1, 2)), theorem)
    assert (found.status, found.method) == ("proved", "road; its lemmas") and found.searched
    assert found.theorem is not theorem and found.steps == (1,)


def test_a_lemma_under_a_hypothesis_of_its_own_proves_nothing() -> None:
    lemma = kernel.joint(le(cube, 1), kernel.assume(le(cube, Rational(1, 2))))
    theorem = kernel.discharge(lemma, le(cube, Rational(1, 2)))
    assert judged(le(cube, 1), theorem).status == "undecided"


def test_a_theorem_that_was_changed_proves_nothing() -> None:
    theorem = by_value(bounded(1))
    object.__setattr__(theorem, "formula", le(cube, 1))
    found = judged(le(cube, 1), theorem)
    assert found.status == "undecided" and "no rule made" in found.reason


def test_reasons_say_what_is_missing() -> None:
    beside = judged(le(cube, 1), by_value(bounded(1)))
    assert beside.status == "undecided"
    assert beside.reason == "the argument is not about this statement; no witness was found"
    lacking = judged(le(cube, 3), kernel.joint(le(cube, 3), kernel.assume(le(cube, 1))))
    assert lacking.status == "undecided" and "which the hypotheses do not give" in lacking.reason
    assert le(cube, 1).latex() in lacking.reason
    beyond = replace(claim(le(cube, 3)), domain=Domain((*BOX.variables, Real(whole, 0, 3))))
    first = conclude(beyond, kernel.assume(le(cube, 1)), method="road")
    assert le(cube, 1).latex() in first.reason and "no integer" not in first.reason


def test_a_certificate_judges_variants_by_the_same_theorem() -> None:
    found = judged(bounded(0), by_value(bounded(0)))
    assert found.rejudge is not None
    again = found.rejudge(claim(bounded(0)))
    assert (again.status, again.method, again.steps) == ("proved", "road", (1,))
    false = found.rejudge(claim(le(square, 0)))
    assert false.status == "refuted" and false.method.startswith("road")
    assert false.steps == (1,)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bool, bool | None, bool]]:
    """Of each search for a witness: whether of a variant, of one of a proved claim, and with a climb."""
    asked = []

    def listen(about: Claim, **how: Any) -> Certificate:
        asked.append((about.base is not None, how.get("settled"), how.get("climbing", True)))
        return refute(about, **how)

    monkeypatch.setattr("proofs.conclude.refute", listen)
    return asked


def test_only_a_claim_that_nothing_else_settles_is_climbed(searches) -> None:
    judged(bounded(2), by_value(bounded(1)))
    assert searches == [(False, False, False)]
    judged(le(cube, 1), by_value(bounded(1)))
    assert searches[1:] == [(False, False, False), (False, False, True)]
    argued(claim(bounded(0)), steps=(), method="words")
    assert searches[3:] == [(False, None, False)]


@pytest.mark.parametrize(("slack", "settled"), [(1, True), (-1, False)])
def test_a_variant_is_told_whether_its_claim_is_proved(searches, slack: int, settled: bool) -> None:
    found = judged(bounded(slack), by_value(bounded(1)))
    assert found.rejudge is not None and (found.status == "proved") == settled
    searches.clear()
    found.rejudge(claim(bounded(slack)).variant(Mutant("cubed", le(cube, 1))))
    assert searches == [(True, settled, False)]


def test_an_argument_is_about_the_statement_that_it_was_written_for() -> None:
    true = claim(bounded(0))
    found = argued(true, steps=(1,), method="words")
    assert (found.status, found.grade, found.steps) == ("proved", "argued", (1,))
    assert found.rejudge is not None
    false = found.rejudge(claim(le(square, 0)))
    assert false.status == "refuted" and false.steps[:1] == (1,)
    assert found.rejudge(claim(le(-1, cube))).status == "proved"  # by an argument of its own
    assert found.theorem is not None and found.theorem.hypotheses == {kernel.Within(true.domain)}
    again = found.rejudge(replace(claim(le(-1, cube)), base=true))
    assert again.status == "undecided" and again.method == "words"
    assert again.steps == (1,)


EMPTY = Condition("x>2", lambda at: at[x] > 2, formula=Compare(x, ">", 2))


@pytest.mark.parametrize(
    ("theorem", "stated"),
    [
        (kernel.joint(le(x**2, 1), given=[le(x, 1), le(-1, x)]), claim(bounded(0), conditions=(EMPTY,))),
        (kernel.joint(le(x, 1), given=[le(x, 1)]), claim(Compare(x, ">", 1).implies(le(cube, 7)))),
        (by_value(bounded(0)), claim(Compare(square, ">", 1).implies(le(cube, 7)))),
    ],
)  # fmt: skip
def test_what_contradicts_the_domain_or_the_premise_makes_vacuous(theorem, stated) -> None:
    shown = vacuous(stated, steps=(1,), method="m", theorem=theorem)
    assert (shown.status, shown.theorem, shown.steps) == ("vacuous", theorem, (1,))


def test_what_limits_a_hypothesis_makes_vacuous() -> None:
    """Of the hypothesis that the claim names, in that one's setting, and no other."""
    assumed = claim(square.equals(0))
    exact = kernel.derived(square, x**2, assumed.domain, "definition")
    theorem = kernel.joint(square.equals(0).implies(Compare(x, "=", 0)), exact)
    stated = replace(claim(le(cube, 0)), hypotheses=(Hypothesis("x^2=0", assumed),))
    assert vacuous(stated, steps=(), method="m", theorem=theorem).status == "vacuous"
    nothing = kernel.joint(square.equals(0).implies(le(x, 1)), exact, given=[le(x, 1)])
    unnamed = replace(stated, hypotheses=(Hypothesis("x^2=0"),))
    another = replace(stated, hypotheses=(Hypothesis("x^2=1", claim(square.equals(1))),))
    smaller = replace(stated, hypotheses=(Hypothesis("", claim(square.equals(0), Real(y, 0, 1))),))
    for shown, about in (
        (nothing, stated),
        (by_value(bounded(1)), stated),
        *((theorem, c) for c in (unnamed, another, smaller)),
    ):
        with pytest.raises(ProofError, match="excludes nothing that is assumed"):
            vacuous(about, steps=(), method="m", theorem=shown)


@pytest.mark.parametrize(
    "theorem",
    [
        by_value(bounded(1)),
        kernel.joint(le(0, x**2)),
        kernel.joint(Compare(x, "=", 2), kernel.assume(Compare(x, "=", 2))),
    ],
)
def test_nothing_is_vacuous_by_a_theorem_beside_the_point(theorem) -> None:
    """True, but of what is not assumed; or of what no domain gives."""
    with pytest.raises(ProofError, match="excludes nothing that is assumed"):
        vacuous(claim(le(cube, 1)), steps=(), method="m", theorem=theorem)


def test_an_argument_in_words_makes_vacuous_and_says_that_it_is_one() -> None:
    about = claim(le(cube, 1))
    said = vacuous(about, steps=(), method="m")
    assert said.theorem is not None and said.theorem.argued and said.grade == "argued"
    assert said.theorem.formula == le(cube, 1)
    assert said.theorem.hypotheses == {kernel.Within(about.domain)}


# What computed variables declare --------------------------------------------------------------------


@pytest.mark.parametrize(("low", "status"), [(0, "proved"), (-1, "refuted")])
def test_a_sign_that_a_computed_variable_declares_holds_where_it_is_computed(low, status) -> None:
    """s = x + 1/2 is positive for x >= 0, and -1/2 at x = -1, where 0 <= s fails."""
    nothing = Quantity("o", lambda at: Integer(0))
    shift = Computed(positive, lambda at: at[x] + Rational(1, 2))
    stated = claim(Compare(nothing, "<=", positive), Real(x, low, 1), shift)
    zero = kernel.derived(nothing, Integer(0), stated.domain, "nothing")
    theorem = kernel.joint(stated.formula, zero)
    assert conclude(stated, theorem, method="the sign that is declared").status == status
    said = "that s, which may be -1/2, is positive"
    assert (said in undischarged(theorem, stated)) == (low < 0)


FAR = Size(Symbol("n", integer=True, positive=True), 1, 3)


@pytest.mark.parametrize("threshold", [10, 20, 45, 99])
def test_a_claim_that_fails_far_out_only_has_a_witness(threshold: int) -> None:
    n = FAR.symbol
    square_of = Quantity("n^2", lambda at: at[n] ** 2)
    stated = replace(claim(Compare(square_of, "<=", threshold * n)), domain=Domain((FAR,)))
    found = refute(stated, method="road", climbing=False)
    assert found.status == "refuted" and found.witness is not None
    assert found.witness.point[n] == threshold + 1
