"""What follows from the lemmas of a proof is proved; what does not, or only from words, is not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Function, Integer, Rational, Symbol

from claims.domain import Domain, Real, Size
from claims.model import Claim, Source
from claims.statement import And, Compare, Exists, ForAll, Formula, Implies, Quantity
from claims.terms import family
from proofs import kernel
from proofs.conclude import conclude, facts_of, undischarged
from proofs.weakened import from_lemmas

x, y = Symbol("x", real=True), Symbol("y", real=True)
n = Symbol("n", integer=True, positive=True)
k, m = Symbol("k", integer=True, positive=True), Symbol("m", integer=True, positive=True)
DOMAIN = Domain((Size(n, 2, 4), Real(x, -1, 1), Real(y, 0, 1)))
square = Quantity("x^2", lambda at: at[x] ** 2)
power = family("k x^2", lambda at, k: k * at[x] ** 2)
BOUND = Compare(square, "<=", x**2 + 1)
EVERY = ForAll(k, 1, n, Compare(power(k), "<=", k * x**2 + 1))


def claim(statement: Formula, domain: Domain = DOMAIN) -> Claim:
    return Claim("toy.bound", Source("toy", ""), "bound", "", statement, domain)


def theorem() -> kernel.Theorem:
    """`x^2 <= x^2 + 1`, by the value of the left-hand side."""
    return kernel.joint(BOUND, kernel.unfold(square, x**2, DOMAIN))


def theorem_for_all() -> kernel.Theorem:
    """The same of each multiple, each by the value of the left-hand side."""
    value = kernel.unfold(power(k), k * x**2, DOMAIN, ((k, 1, n),))
    return kernel.generalise(kernel.joint(EVERY.body, value), k, 1, n)


def shown(goal: Formula, by: kernel.Theorem) -> bool:
    found = from_lemmas(goal, by, facts_of(DOMAIN))
    if found is None:
        return False
    assert found.formula == goal and found.failures() == [] and not found.argued
    assert undischarged(found, claim(goal)) == []
    return True


@pytest.mark.parametrize(
    "goal",
    [
        Compare(square, "<", x**2 + 1),
        Compare(square, "<=", x**2 + Rational(19, 20)),
        Compare(square, ">=", 0),
        Compare(-square, "<=", x**2 + 1),
        Compare(square, "<=", 1),  # by the range of x
        And((BOUND, Compare(square, "<", x**2 + 1))),
        Implies(Compare(x, ">=", y), Compare(square, ">=", y**2)),
    ],
)
def test_a_statement_that_a_lemma_gives_is_proved(goal: Formula) -> None:
    assert shown(goal, theorem())


@pytest.mark.parametrize(
    "goal",
    [
        Compare(square, "<", x**2),
        Compare(square, ">=", x**2 + 1),
        Compare(square, "<=", x**2 - 1),
        Compare(square, "<=", Rational(1, 2)),
        Compare(square, ">", 0),
        And((BOUND, Compare(square, "<", x**2))),
        Implies(Compare(x, "<=", y), Compare(square, "<=", y**2)),  # not for negative x
    ],
)
def test_a_false_statement_is_not(goal: Formula) -> None:
    assert not shown(goal, theorem())
    assert conclude(claim(goal), theorem(), method="").status == "refuted"


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        (ForAll(k, 1, n, Compare(power(k), "<", k * x**2 + 1)), True),
        (ForAll(k, 1, n, Compare(power(k), "<=", k)), True),
        (
            ForAll(k, 2, n, Compare(power(k), "<=", k)),
            False,
        ),  # true; the lemmas are about another range
        (ForAll(k, 1, n + 1, Compare(power(k), "<=", k)), False),
        (ForAll(k, 0, n, Compare(power(k), "<=", k)), False),
        (ForAll(k, 1, n, Compare(power(k), "<=", k * x)), False),
        (ForAll(k, 1, n, Compare(power(k), "<=", 1)), False),
        (Exists(k, 1, n, Compare(power(k), "<=", k - 2)), False),
    ],
)
def test_statements_for_all(goal: Formula, expected: bool) -> None:
    assert shown(goal, theorem_for_all()) is expected


def test_a_lemma_with_another_name_of_its_index_is_opened() -> None:
    goal = ForAll(m, 1, n, Compare(power(m), "<", m * x**2 + 2))
    assert shown(goal, theorem_for_all())


def test_what_was_assumed_on_the_way_is_no_lemma() -> None:
    """The case that a proof assumes and leads to a contradiction must not prove everything."""
    absurd = kernel.assume(Compare(square, "<", 0))
    aside = kernel.discharge(kernel.joint(Compare(square, "<", 1), absurd), absurd.formula)
    whole = kernel.joint(BOUND, kernel.unfold(square, x**2, DOMAIN), aside)
    assert absurd in set(whole.tree())
    assert not shown(Compare(square, "<=", -5), whole)


def test_words_are_no_lemma() -> None:
    said = kernel.words(Compare(square, "<=", x**2 / 2), "obviously")
    whole = kernel.joint(BOUND, kernel.unfold(square, x**2, DOMAIN), said)
    assert not shown(Compare(square, "<=", x**2 / 2), whole)
    assert shown(Compare(square, "<", x**2 + 1), whole)


def test_a_name_that_the_domain_knows_is_not_generalised() -> None:
    inside = Domain((Size(n, 2, 4), Real(x, -1, 1), Size(k, 1, 3)))
    value = Quantity("k", lambda at: at[k])
    known = kernel.joint(Compare(value, "<=", k), kernel.unfold(value, k, inside))
    goal = ForAll(k, 1, n, Compare(value, "<=", k))
    assert from_lemmas(goal, known, facts_of(inside)) is None


def test_a_variant_that_a_lemma_gives_is_judged_true() -> None:
    """In a wider domain it is not: the lemmas were derived in the claim's."""
    printed = claim(BOUND)
    judged = conclude(printed, theorem(), method="unfolding")
    assert judged.status == "proved" and judged.rejudge is not None and not judged.searched
    strict = replace(claim(Compare(square, "<", x**2 + 1)), base=printed)
    found = judged.rejudge(strict)
    assert (found.status, found.searched, found.recheck()) == ("proved", True, [])
    wider = replace(strict, domain=Domain((Size(n, 2, 4), Real(x, -2, 2), Real(y, 0, 1))))
    assert judged.rejudge(wider).status == "undecided"
    assert judged.rejudge(replace(printed, statement=Compare(square, "<", 1))).status == "refuted"


def test_free_functions_stay_unknown() -> None:
    a = Function("a", real=True)
    given = ForAll(k, 1, n, Compare(a(k), "<=", a(k + 1)))
    assert not shown(ForAll(k, 1, n, Compare(a(k), "<", a(k + 1))), kernel.assume(given))
    assert not shown(ForAll(k, 1, n, Compare(a(k), ">=", Integer(0))), kernel.assume(given))
