"""The name of a quantity, where it is a formula, is the formula of its definition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from sympy import MatrixSymbol, Rational, sqrt, symbols

from audit.examine import examine, load_witnesses
from audit.printed import misnamed
from audit.printed.naming import formulas_in_names
from audit.reuse.outline import speakers
from claims.domain import Array, Domain, Real, Size
from claims.im2026.notation import depth
from claims.model import Claim, Source
from claims.registry import encoded
from claims.statement import Compare, ForAll, Quantity
from claims.terms import family
from claims.vocabulary import VOCABULARY, meanings, means

n, d, i = symbols("n d i", integer=True, positive=True)
eta = symbols(r"\eta", real=True)
X = MatrixSymbol("X", n, d)
DOMAIN = Domain((Size(n, 2), Size(d, 1), Real(eta, Rational(1, 4), 3), Array(X)))
READABLE = 120
"""Names of our quantities that are formulas a reader can evaluate: fewer, and it reads no more."""


def about(name: str, define: Any) -> Claim:
    return Claim(
        id="nobody1999.size", source=Source("nobody1999", "Eq. (1)"), kind="bound", title="A size.",
        statement=Quantity(name, define).at_least(0), domain=DOMAIN,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "define"),
    [
        (r"n^2+1", lambda at: at[n] ** 2 + 1), (r"\tfrac{n}{2}\eta", lambda at: at[n] * at[eta] / 2),
        (r"\sqrt{n}\,|\eta|", lambda at: sqrt(at[n]) * abs(at[eta])),
        (r"\|X\|_F^2", lambda at: sum(x**2 for x in at[X])),
        (r"\tfrac1n(1-\eta)", lambda at: (1 - at[eta]) / at[n]),
    ],
)  # fmt: skip
def test_a_name_that_is_its_formula_is_read(name: str, define: Any) -> None:
    right = about(name, define)
    assert formulas_in_names(right) and misnamed(right) is None
    wrong = about(name, lambda at: define(at) + Rational(1, 7))
    said = misnamed(wrong)
    assert said is not None and said.startswith(
        f"nobody1999.size: the name ${name}$ of a quantity says"
    )
    assert said.endswith("; mend one of them") and "\n" not in said


def test_a_wrong_name_under_a_quantifier_is_found() -> None:
    sized = about("n", lambda at: at[n])
    statement = ForAll(i, 1, n, Compare(Quantity("i^2+n", lambda at: at[i] ** 2), ">=", 0))
    assert misnamed(replace(sized, statement=statement)) is not None


@pytest.mark.parametrize(
    "name",
    [
        r"\eta(n+1)", r"\mathbb E\|X\|_F^2", r"\lim_{n\to\infty}\eta^n", r"\rho(\eta)", r"W^2",
        r"\eta", r"\frac{\partial\eta}{\partial n}", r"\text{rows of}\ X",
    ],
)  # fmt: skip
def test_what_may_mean_something_else_is_not_judged(name: str) -> None:
    """A value of a function, a mean, a limit, a letter that nothing explains, a mere name."""
    other = about(name, lambda at: at[n] + 100)
    assert not formulas_in_names(other) and misnamed(other) is None


def test_a_norm_without_closed_form_is_judged_where_it_has_one() -> None:
    """Of one column, of which every norm of a matrix is the length."""
    assert misnamed(about(r"\|X\|", lambda at: sqrt(sum(x**2 for x in at[X])))) is None
    assert misnamed(about(r"\|X\|", lambda at: at[n] + 100)) is not None


def test_a_definition_without_value_contradicts_no_name() -> None:
    assert misnamed(about("n^2", lambda at: 1 / (at[n] - at[n]))) is None


JUDGED = [c for claim in encoded().values() for c in (claim, claim.repair) if c is not None]


def test_names_of_the_papers_are_what_is_computed() -> None:
    """The audit looks at all; here those whose points take a while are left out but for one theorem."""
    assert sum(len(formulas_in_names(claim)) for claim in JUDGED) >= READABLE
    quick = [c for c in JUDGED if c.paper != "im2026" or c.id.startswith("im2026.thm-D.10.")]
    assert [said for claim in quick if (said := misnamed(claim)) is not None] == []


@pytest.mark.parametrize(
    ("kind", "was", "wrong"),
    [
        ("WO", r"s\eta", r"2s\eta"), ("WO", r"\bar B", r"\bar B^\top"), ("V", r"\eta^2", r"\eta^3"),
        ("V", r"\tbinom s2", r"\tbinom s3"), ("V", r"\bar\Phi^\top", r"\bar\Phi"),
        ("W", r"2\tbinom s3", r"\tbinom s3"), ("P", r"3\tbinom s4", r"2\tbinom s4"),
        ("P", r"\Delta", r"2\Delta"),
    ],
)  # fmt: skip
def test_another_leading_term_in_a_name_is_noticed(kind: str, was: str, wrong: str) -> None:
    """Of the theorem on networks of many layers, whose names hold the leading terms."""
    claim = encoded()[f"im2026.thm-D.10.{kind}"]
    (side,) = formulas_in_names(claim)
    if isinstance(side, Quantity):
        other: Any = Quantity(side.name.replace(was, wrong), side.define)
        statement: Any = claim.formula.substitute({side: other})
    else:
        name = side.func.__name__.replace(was, wrong)
        assert name != side.func.__name__
        renamed = family(name, side.func.define_at)
        (layer,) = side.args
        statement = ForAll(layer, 1, depth, Compare(renamed(layer), ">=", 0))
    assert misnamed(replace(claim, statement=statement)) is not None


def test_letters_of_a_paper_mean_what_is_said_once() -> None:
    named = dict(meanings("im2026"))
    assert {r"\bar B", "W_O", r"V^{{({})}}"} <= named.keys() and not list(meanings("nobody1999"))
    with pytest.raises(ValueError, match="has two meanings"):
        means("im2026", "W_O", lambda at: 0)
    with pytest.raises(LookupError):
        named["W_O"]({})


def test_a_variable_of_a_claim_is_meant_before_the_letter_of_its_paper(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(VOCABULARY, ("nobody1999", r"\eta"), lambda at: 7)
    monkeypatch.setitem(VOCABULARY, ("nobody1999", r"\zeta"), lambda at: 7)
    assert misnamed(about(r"\eta^2", lambda at: at[eta] ** 2)) is None
    assert misnamed(about(r"\zeta^2", lambda at: Rational(49))) is None
    assert misnamed(about(r"\zeta^2", lambda at: Rational(48))) is not None


def test_an_edit_of_the_vocabulary_concerns_the_claims_of_its_paper() -> None:
    load_witnesses()
    home = "claims.im2026.vocabulary"
    assert home in set(speakers(encoded()["im2026.thm-D.10.V"]))
    assert home not in set(speakers(encoded()["noci2022.lemma-A.4"]))


@pytest.mark.parametrize("of_the_repair", [False, True])
def test_a_wrong_name_is_a_conflict(monkeypatch: pytest.MonkeyPatch, of_the_repair: bool) -> None:
    known = "wu2024.sec-4.1.rate-monotone-eps"
    load_witnesses("wu2024")
    claim = encoded()[known]
    judged = claim.repair if of_the_repair else claim
    assert judged is not None
    side, *_ = formulas_in_names(judged)
    renamed = Quantity(f"{side.name}+1", side.define)
    other = replace(judged, statement=judged.formula.substitute({side: renamed}))
    other = replace(claim, repair=other) if of_the_repair else other
    package = encoded().package_of(known)
    monkeypatch.setitem(encoded().of_package(package), known, other)
    record = examine(known, seed=0, effort="quick")
    assert record["verdict"] == "conflict"
    assert "of a quantity says another formula than its definition" in record["reason"]
