"""What a domain does not give: ranges that were dropped, names without one, signs that no point shows."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from time import process_time
from typing import Any

import flint
import pytest
from sympy import Expr, Float, Integer, Max, Rational, Sum, Symbol, symbols

from claims.clock import worked
from claims.domain import Choice, Condition, Domain, Point, Real, Size, UpTo
from claims.errors import OnlyMeasured, UserError
from claims.model import Claim, Hypothesis, Relation, Source
from claims.statement import Compare, ForAll, Formula, Quantity
from claims.time_limits import searching
from proofs import kernel
from proofs.certificate import Certificate
from proofs.conclude import at_every_choice, conclude, contained, unfounded, vacuous
from proofs.decide import refute
from proofs.denied import against, denied
from proofs.sense import ProofError

x = Symbol("x", real=True)
s, z = symbols("s z", positive=True)
n, m, k = symbols("n m k", integer=True, positive=True)
square = Quantity("x^2", lambda at: at[x] ** 2)


def claim(statement: Formula, *variables: Any, conditions: tuple[Condition, ...] = ()) -> Claim:
    domain = Domain(variables or (Real(x, -1, 1),), conditions)
    return Claim("toy.bound", Source("toy", ""), "bound", "", statement, domain)


def concluded(stated: Claim, theorem: kernel.Theorem) -> Certificate:
    return conclude(stated, theorem, method="toy")


# Ranges -------------------------------------------------------------------------------------------


class Thirds(Real):
    """Some numbers of a range alone."""

    def objection(self, value, point):
        return None if (3 * value).is_integer else "must be thirds"


class Nearby(Real):
    """A range that is narrower than its ends say."""

    def ends(self, point):
        return Integer(0), Rational(1, 2)


@pytest.mark.parametrize(
    ("narrow", "wide", "inside"),
    [
        (Size(k, 1), UpTo(k, 1, last=m), False),
        (UpTo(k, 1, last=m), UpTo(k, 1, last=m), True),
        (UpTo(k, 1, last=m), Size(k, 1), True),
        (UpTo(k, 1, last=m), UpTo(k, 1, last=n), False),
        (Real(x, 0, 1), Thirds(x, 0, 1), False),
        (Real(x, 0, 1), Nearby(x, 0, 1), False),
        (Thirds(x, 0, 1), Thirds(x, 0, 1), True),
        (Thirds(x, 0, 1), Real(x, 0, 1), False),  # five is a number of thirds, too
    ],
)
def test_a_range_of_its_own_is_not_met_by_its_ends(narrow, wide, inside: bool) -> None:
    others = Size(m, 30, 32), Size(n, 1)
    assert contained(Domain((*others, narrow)), Domain((*others, wide))) is inside


def test_what_was_derived_up_to_a_size_is_not_proved_beyond() -> None:
    """From m = 30 on, k > m is no small point."""
    gap = Quantity("m-k", lambda at: at[m] - at[k])
    within = Domain((Size(m, 30, 32), UpTo(k, 1, 5, last=m)))
    theorem = kernel.joint(
        Compare(gap, ">=", 0), kernel.derived(gap, Max(m - k, 0), within, "calculus")
    )
    beyond = claim(Compare(gap, ">=", 0), Size(m, 30, 32), Size(k, 1, 5))
    assert concluded(replace(beyond, domain=within), theorem).status == "proved"
    assert concluded(beyond, theorem).status != "proved"


@pytest.mark.parametrize(
    ("name", "proved"),
    [(z, False), (Symbol("z", real=True), True), (Symbol("z", integer=True), False)],
)
def test_what_a_name_declares_is_no_hypothesis_where_the_domain_has_no_such_name(
    name, proved
) -> None:
    """For any real z, or for those of a sign or kind that no hypothesis names."""
    stated = claim(Compare(square * name**2, ">=", 0))
    theorem = kernel.joint(stated.formula, kernel.unfold(square, x**2, stated.domain))
    found = concluded(stated, theorem)
    assert (found.status == "proved") is proved
    assert proved or "a range of $z$" in found.reason


@pytest.mark.parametrize(
    "side", [0.1 * n, 0.1, (0.1 * n - 0.3) ** 2, Integer(1) / 3 + 0.5]
)  # fmt: skip
def test_a_statement_has_no_number_that_the_machine_has_rounded(side) -> None:
    """At n = 3 a tenth of n would be another number than 0.1 n."""
    tenth = Quantity("n/10", lambda at: at[n] / 10)
    with pytest.raises(UserError, match="write a `Rational`"):
        claim(Compare(tenth, "=", side), Size(n))
    with pytest.raises(UserError, match="write a `Rational`"):
        Claim(
            "toy.eq",
            Source("toy", ""),
            "bound",
            "",
            Relation("n/10", (side,)),
            Domain((Size(n),)),
            tenth.define,
        )
    printed = claim(Compare(tenth, "<=", Float("5.35", 3)), Size(n))
    assert printed.formula.truth({n: Integer(3)}) is True


@pytest.mark.parametrize(
    ("statement", "known"),
    [
        (Compare(square, "=", Symbol("x") ** 2), False), (Compare(square, "=", x**2), True),
        (Compare(square, ">=", -(z**2)), True), (ForAll(k, 1, 2, square.at_least(Symbol("k") - 2)), False),
        (ForAll(k, 1, 2, square.at_least(k - 2)), True),
        (square.at_least(0 * x + Sum(k, (k, 1, 2)) - Symbol("k")), False),
    ],
)  # fmt: skip
def test_names_that_look_alike_are_one(statement, known: bool) -> None:
    """Else x^2 = x^2 would be refuted, at x = 1/2 by 1/4 and x^2."""
    if known:
        assert refute(claim(statement), method="toy").status == "undecided"
    else:
        with pytest.raises(UserError, match="another than the one declared"):
            claim(statement)


# Signs of quantities --------------------------------------------------------------------------------


def _slowly(at: Any) -> Any:
    started = worked()
    while worked() - started < 0.7:
        pass
    return -at[n]


def _measured(at: Any) -> Any:
    raise OnlyMeasured("no closed form")


@pytest.mark.parametrize(
    "define", [lambda at: 45 - at[n], _slowly, _measured, lambda at: Decimal(40) - int(at[n])]
)
def test_a_sign_of_a_quantity_is_held_to_its_values(define) -> None:
    """Far out, however long one takes, of decimals as well; and nothing shows the sign of what has none."""
    declared = Quantity("q", define, positive=True)
    stated = claim(Compare(declared, ">", 0), Size(n))
    assert concluded(stated, kernel.joint(stated.formula)).status != "proved"


def test_a_sign_that_values_show_is_believed() -> None:
    declared = Quantity("q", lambda at: Decimal(int(at[n])), positive=True)
    stated = claim(Compare(declared, ">", 0), Size(n))
    assert concluded(stated, kernel.joint(stated.formula)).status == "proved"


@pytest.mark.parametrize(
    ("name", "value", "denied"),
    [
        ("positive", Decimal(0), True), ("nonnegative", Decimal(0), False), ("nonzero", Decimal(-1), False),
        ("nonpositive", flint.arb(1), True), ("negative", flint.arb(-1), False),
        ("positive", flint.arb("0 +/- 1"), False), ("integer", Decimal(1), False),
    ],
)  # fmt: skip
def test_decimals_and_balls_have_signs(name: str, value: Any, denied: bool) -> None:
    assert (against(Symbol("q", **{name: True}), value) is not None) is denied


def test_a_false_fact_is_found_by_who_has_the_time_though_another_had_not() -> None:
    def slowly(at: Point) -> Expr:
        if at[n] == 2:
            began = process_time()
            while process_time() < began + 0.1:
                pass
        return at[n]

    facts = [Compare(Quantity("s", slowly), "<=", 1)]
    domain = Domain((Size(n, 1, 3),))
    with searching(0.02):
        denied((), domain, facts)
    (said,) = denied((), domain, facts)
    assert "n = 2" in said


# What the print leaves open -------------------------------------------------------------------------


@pytest.mark.parametrize(("low", "status"), [(0, "undecided"), (3, "undecided"), (5, "refuted")])
def test_only_what_every_choice_refutes_is_refuted(low: int, status: str) -> None:
    """x <= c for c of 2 and 4, x from `low` on."""
    c = Symbol("c", real=True)
    most = Quantity("x", lambda at: at[x])
    left_open = claim(
        Compare(most, "<=", c), Real(x, low, low + 1), Choice(c, (Integer(2), Integer(4)))
    )
    left_open = replace(left_open, left_open=(c,))
    found = refute(left_open, method="toy")
    assert found.status == status and found.recheck() == []
    assert ("another no witness" in found.reason) == (low == 3)
    assert refute(replace(left_open, left_open=()), method="toy").status == (
        "refuted" if low else "undecided"
    )


LEAST = Symbol("C", real=True, positive=True)


def of_some_order(bound: Any, *conditions: Condition) -> Claim:
    """m + n is at most C times something, where n, m >= 2, and the print gives no C."""
    statement = Compare(total, "<=", bound)
    variables = Size(n, 2), Size(m, 2), Real(LEAST, 0, open_low=True)
    return replace(claim(statement, *variables, conditions=conditions), left_open=(LEAST,))


total = Quantity("n+m", lambda at: at[n] + at[m])


def with_theorem(stated: Claim, goal: Formula, *given: Formula) -> Certificate:
    """What becomes of a refutation at one C by a theorem that follows from the value."""

    def contrary(_: Claim) -> kernel.Theorem:
        value = kernel.unfold(total, n + m, stated.domain)
        return kernel.joint(goal, value, given=given)

    return at_every_choice(refute(stated, method="toy"), stated, contrary)


def test_an_order_is_refuted_for_every_constant() -> None:
    """n + m <= C m/(1 + C) fails whatever C is, also by a theorem from which arithmetic gets that."""
    bound = LEAST * m / (1 + LEAST)
    never, positive = of_some_order(bound), Compare(LEAST, ">", 0)
    given = Compare(n, ">=", 2), Compare(m, ">=", 2), positive
    for goal in (Compare(total, ">", bound), Compare(total, ">", m)):
        found = with_theorem(never, goal, *given)
        assert found.status == "refuted" and found.grade == "derived" and found.witness is not None
        assert found.recheck() == [] and unfounded(found, never) is None
    share = Compare(bound, "<=", m - 1)  # not at every C
    found = with_theorem(never, Compare(total, ">", bound), *given[:1], share)
    assert found.status == "undecided" and "needs" in found.reason


def test_at_one_constant_nothing_is_refuted() -> None:
    for stated in (
        of_some_order(LEAST),
        of_some_order(LEAST * n * m),
    ):  # C = 1/2 fails, C = 1 does not
        found = refute(stated, method="toy")
        assert found.status == "undecided" and "at every one is not derived" in found.reason
        written = replace(found, status="refuted", witness=found.steps[0], reason="")
        assert unfounded(written, stated) is not None
        theorem = kernel.words(
            Compare(total, ">", stated.formula.right), "seen", kernel.within(stated.domain)
        )  # type: ignore[attr-defined]
        assert at_every_choice(found, stated, lambda _, t=theorem: t).status == "undecided"
        assert unfounded(replace(written, theorem=theorem), stated) is not None
    small = Compare(LEAST, "<=", 1)
    given = Compare(n, ">=", 2), Compare(m, ">=", 2)
    found = with_theorem(of_some_order(LEAST), Compare(total, ">", LEAST), *given, small)
    assert found.status == "undecided", "what is left open may not be limited"


def test_the_rest_may_be_chosen_but_not_by_what_is_left_open() -> None:
    """n + m <= C m/(1 + C) + 1 fails where n = 3; tied to C, nobody knows that there is such a point."""
    bound = LEAST * m / (1 + LEAST) + n - 2
    given = Compare(m, ">=", 2), Compare(LEAST, ">", 0), Compare(n, "=", 2)
    goal = Compare(total, ">", bound)
    assert with_theorem(of_some_order(bound), goal, *given).status == "refuted"
    tied = Condition.of(Compare(n, ">=", LEAST))
    found = with_theorem(of_some_order(bound, tied), goal, *given)
    assert found.status == "undecided" and "tie" in found.reason


# Vacuous statements ---------------------------------------------------------------------------------


def test_a_sign_that_the_domain_denies_makes_nothing_vacuous() -> None:
    """The other variable, which nothing mentions, is at most zero and calls itself positive."""
    stated = claim(Compare(square, ">=", 0), Real(x, 0, 1), Real(s, -3, 0))
    with pytest.raises(ProofError, match="excludes nothing that is assumed"):
        vacuous(stated, steps=(), method="m", theorem=kernel.joint(Compare(x**2, ">=", 0)))


def test_nothing_is_vacuous_where_a_point_has_what_it_assumes() -> None:
    """A theorem may be wrong, as words are, or a value beyond the points that it is held to."""
    stated = claim(Compare(square, ">=", 0).implies(Compare(square, "<=", 1)))
    wrong = kernel.words(Compare(square, "<", 0), "an oversight", kernel.within(stated.domain))
    with pytest.raises(ProofError, match="excludes nothing that is assumed"):
        vacuous(stated, steps=(), method="m", theorem=wrong)


def test_a_hypothesis_is_limited_where_what_follows_fails_without_it() -> None:
    """That arithmetic does not see why it holds is not enough."""
    assumed = claim(square.equals(0), Real(x, 0, 1))
    stated = replace(claim(Compare(square, "<=", 0)), hypotheses=(Hypothesis("x^2=0", assumed),))
    always = Compare((x - 1) * (x**2 - 3) * (x**3 - 2), "<=", 0) | Compare(x, "<=", 1)
    shown = kernel.joint(square.equals(0).implies(always), given=[Compare(x, "<=", 1)])
    with pytest.raises(ProofError, match="excludes nothing that is assumed"):
        vacuous(stated, steps=(), method="m", theorem=shown)


# Certificates that nobody here made ------------------------------------------------------------------


def test_a_certificate_is_about_its_claim() -> None:
    """One may be written by hand, with a theorem or a witness of something else."""
    false, true = (claim(Compare(square, "<=", bound)) for bound in (0, 1))
    theorem = kernel.derived(square, x**2, true.domain, "calculus")
    bound = kernel.joint(true.formula, theorem, given=[Compare(x, "<=", 1), Compare(x, ">=", -1)])
    here = refute(false, method="toy")
    assert here.witness is not None and unfounded(here, false) is None
    assert unfounded(concluded(true, bound), true) is None
    foreign = replace(here.witness, statement=claim(Compare(square, "<", 0)).statement)
    outside = replace(here.witness, point={x: Integer(2)}, value={"x^2": Integer(4)})
    always = kernel.joint(Compare(x**2, ">=", 0))
    for written, about in (
        (Certificate("proved", "by hand", theorem=bound), false),
        (Certificate("proved", "by hand", theorem=kernel.assume(false.formula)), false),
        (Certificate("vacuous", "by hand", theorem=always), true),
        (Certificate("refuted", "by hand", witness=here.witness), true),
        (Certificate("refuted", "by hand", witness=foreign), true),
        (Certificate("refuted", "by hand", witness=outside), false),
    ):
        assert unfounded(written, about) is not None
    assert unfounded(vacuous(true, steps=(), method="words"), true) is None


# Definitions ----------------------------------------------------------------------------------------


def test_a_claim_has_one_definition() -> None:
    """A proof speaks of the quantity, a witness of the definition."""
    with pytest.raises(UserError, match="two definitions"):
        Claim(
            "toy.two", Source("toy", ""), "identity", "", Relation("x^2", (x**2,)), Domain((Real(x),)),
            define=lambda at: at[x] ** 3, quantity=square,
        )  # fmt: skip


def test_a_probe_outside_of_the_domain_refutes_nothing() -> None:
    stated = claim(Compare(square, "<=", 1))
    assert refute(replace(stated, probes=({x: Integer(3)},)), method="toy").status == "undecided"
    wider = replace(stated, domain=Domain((Real(x, -3, 3),)), probes=({x: Integer(3)},))
    assert refute(wider, method="toy").status == "refuted"
