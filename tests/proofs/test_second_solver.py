"""A second solver looks at joints of real proofs: it must find none of them wrong."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
import z3
from sympy import Symbol

from audit.examine import load_witnesses, run_proof
from claims.registry import encoded
from claims.statement import Compare, Formula
from proofs import smt
from proofs.kernel import Theorem, Within

cvc5 = pytest.importorskip("cvc5", reason="cvc5 is not installed: no second opinion on the joints")

CLAIMS = ("noci2022.sec3.2.angle-increases", "noci2022.theorem-3.3.one-iff", "noci2022.fig-14",
          "wu2024.sec-3.2.layernorm-scaling", "wu2024.sec-4.lipschitz-measure",
          "wu2024.app-F3.lemma-12")  # fmt: skip
MILLISECONDS = 1000
x = Symbol("x", real=True)


def second_opinion(goal: Formula, premises: Iterable[Formula]) -> str:
    """What cvc5 answers to the question that z3 was asked: "unsat" where the goal follows."""
    question = z3.Solver()
    question.add(*smt.problem(goal, premises))
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(MILLISECONDS))
    parser = cvc5.InputParser(solver)
    text = "(set-logic ALL)\n" + question.to_smt2()
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "joint")
    symbols, answer = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        answer += str(command.invoke(solver, symbols))
    return answer.strip().splitlines()[-1]


def joints() -> list[Theorem]:
    load_witnesses()
    found: dict[int, Theorem] = {}
    for claim_id in CLAIMS:
        claim = encoded()[claim_id]
        certificate, _ = run_proof(claim.repair or claim)
        assert certificate is not None and certificate.theorem is not None
        for theorem in certificate.theorem.tree():
            if theorem.rule == "real arithmetic (z3)":
                found.setdefault(id(theorem), theorem)
    return list(found.values())


def test_the_second_solver_can_say_no() -> None:
    assert second_opinion(Compare(x**2, ">", 0), []) == "sat"
    assert second_opinion(Compare(x**2, ">=", 0), []) == "unsat"


@pytest.mark.seldom
def test_no_joint_is_wrong_in_the_eyes_of_a_second_solver() -> None:
    """The hypotheses hold what was given besides the premises; most joints are decided."""
    answers = []
    for theorem in joints()[:40]:
        given = [h for h in theorem.hypotheses if not isinstance(h, Within)]
        answers.append(
            second_opinion(theorem.formula, [*(p.formula for p in theorem.premises), *given])
        )
        assert answers[-1] != "sat", theorem.formula.latex()
    assert len(answers) >= 30
    assert answers.count("unsat") >= len(answers) * 3 // 4, answers
