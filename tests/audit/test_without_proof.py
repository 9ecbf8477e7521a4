"""What nobody wrote a proof for is refuted where its definition denies it, measured or not."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Integer, Rational, Symbol

from audit.examine import _judge, run_without_proof
from audit.words.records import WITHOUT_PROOF, variants_sentence
from claims.domain import Domain, Size
from claims.errors import UserError
from claims.model import Claim, Source
from claims.statement import Compare, Formula, Quantity, Tends

n = Symbol("n", integer=True, positive=True)
late = Symbol("N", integer=True, positive=True)
square = Quantity("s_n", lambda at: at[n] ** 2)


def claim(statement: Formula) -> Claim:
    source = Source("noci2022", "Sec. 0", "Eq. (0)")
    return Claim("noci2022.none", source, "identity", "Nobody's.", statement, Domain((Size(n),)))


def test_a_false_equation_has_an_exact_counterexample() -> None:
    found = _judge(claim(square.equals(2 * n)), 0, "quick", tried=0)
    assert (found.verdict.verdict, found.verdict.reason) == ("refuted", "an exact witness")
    proof = found.records["proof"]
    assert (proof["status"], proof["method"]) == ("refuted", WITHOUT_PROOF)
    assert proof["witness"]["at"] == {"n": 1}


def test_a_true_one_has_none() -> None:
    found = _judge(claim(square.equals(n**2)), 0, "quick", tried=0)
    assert (found.verdict.verdict, found.records["proof"]) == ("unsettled", None)


def test_a_false_limit_beside_a_true_equation_is_refuted() -> None:
    tends = Tends((late - 1) / late, late, Rational(1, 2))
    certificate, _ = run_without_proof(claim(square.equals(n**2) & tends))
    assert certificate is not None and certificate.status == "refuted"


def test_what_the_print_leaves_open_is_not_refuted_at_one_choice() -> None:
    asked = replace(claim(square.equals(2 * n)), left_open=(n,))
    assert run_without_proof(asked) == (None, None)


def test_variants_are_rejected_by_exact_evaluation_where_there_is_no_proof() -> None:
    variants = {
        "tried": 2, "refuted": 2, "true": 0, "certified_false": [], "killed_by_proof": ["a", "b"],
    }  # fmt: skip
    said = variants_sentence({"variants": variants, "proof": {"method": WITHOUT_PROOF}})
    assert said is not None and "exact evaluation rejects 2" in said


def test_a_statement_about_nothing_says_what_it_needs() -> None:
    with pytest.raises(
        UserError, match=r"no quantity; name what it is about by Quantity\(name, def"
    ):
        claim(Compare(n, "<=", n + Integer(1)))
