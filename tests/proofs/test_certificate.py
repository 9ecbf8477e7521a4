"""The checker of certificates: wrong ones must be refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sympy import Identity as eye
from sympy import MatrixSymbol, Rational, Symbol, exp, symbols

from claims.domain import Domain, Real, Size
from claims.expressions import ones
from claims.model import Claim, Mutant, Proposition, Relation, Source
from proofs.calculus.networks import network
from proofs.certificate import Certificate, Checked, Identity, Instance, Limit, Value, render
from proofs.decide import decide, find_witness

n, x = Symbol("n", integer=True, positive=True), Symbol("x", real=True)
DOMAIN = Domain((Size(n, 1, 5), Real(x, -2, 2)))


def claim(rhs, relation: str = "=", define=None) -> Claim:
    return Claim(
        id="toy.square",
        source=Source("toy", "Sec. 1"),
        kind="identity",
        title="A square.",
        statement=Relation("(n+x)^2", (rhs,), relation),
        domain=DOMAIN,
        define=define or (lambda p: (p[n] + p[x]) ** 2),
    )


TRUE = claim(n**2 + 2 * n * x + x**2)


def judge(c: Claim) -> Certificate:
    return decide(c, (n + x) ** 2, method="expansion")


def test_true_identity_is_proved_and_checks_again() -> None:
    certificate = judge(TRUE)
    assert certificate.status == "proved" and certificate.recheck() == []


def test_false_identity_is_refuted_with_the_smallest_witness() -> None:
    certificate = judge(claim(n**2 + x**2))
    assert certificate.status == "refuted" and certificate.recheck() == []
    assert certificate.witness is not None
    assert certificate.witness.point == {n: 1, x: 1}
    assert certificate.witness.value == 4


def test_derivation_that_contradicts_the_definition_proves_nothing() -> None:
    """A proof whose derived value is wrong is caught by the definition, whatever it says."""
    wrong = claim(n**2 + x**2)
    assert decide(wrong, n**2 + x**2, method="a mistake").status == "refuted"
    right = decide(TRUE, n**2 + x**2, method="a mistake")
    assert right.status == "undecided"


def test_forged_steps_are_refused() -> None:
    assert not Identity(n * x, n + x, "forged", DOMAIN).check()
    assert not Value(
        "q", n * x, lambda p: p[n] + p[x], ({n: 2, x: Rational(1, 2)},), "forged"
    ).check()
    assert not Value("q", n, lambda p: p[n], (), "no points").check()
    assert not Checked("nonsense", "forged", lambda: 1 + 1 == 3).check()


def test_forged_witness_is_refused() -> None:
    point = {n: 1, x: 1}
    forged = Instance(TRUE.statement, point, 4, TRUE.define, holds=False)
    assert not forged.check()
    assert not replace(forged, value=5, holds=False).check()


def test_wrong_limits_are_refused() -> None:
    depth, a = symbols("L a", positive=True)
    sequence = (1 + a / depth) ** depth
    at = ({a: Rational(1, 2)}, {a: 2})
    assert Limit(sequence, depth, exp(a), at).check()
    assert not Limit(sequence, depth, exp(a) + Rational(1, 10**6), at).check()
    assert not Limit(sequence, depth, exp(a), ()).check()


def test_certificates_must_carry_what_their_status_promises() -> None:
    with pytest.raises(ValueError, match="exact witness"):
        Certificate("refuted", "m")
    for status in ("proved", "vacuous"):
        with pytest.raises(ValueError, match=r"comes from proofs\.conclude alone"):
            Certificate(status, "m")
    with pytest.raises(ValueError, match="unknown"):
        Certificate("certain", "m")


def test_no_witness_means_undecided_not_proved() -> None:
    """Forms that differ as expressions but at no admissible small point stay open."""
    everywhere_equal = claim(n**2 + 2 * n * x + x**2, define=lambda p: (p[n] + p[x]) ** 2)
    certificate = decide(everywhere_equal, (n + x) ** 2, method="m", same=lambda a, b: False)
    assert certificate.status == "undecided" and "differ" in certificate.reason


def test_propositions_have_no_right_hand_side_to_decide() -> None:
    proposition = replace(TRUE, statement=Proposition("p", lambda p, v: True))
    with pytest.raises(TypeError, match="formulas are concluded from theorems"):
        judge(proposition)


def test_mutants_need_any_witness_only() -> None:
    twin = TRUE.variant(Mutant("cube", Relation("(n+x)^2", ((n + x) ** 3,))))
    assert twin.base is TRUE and find_witness(twin) is not None


def test_bounds_are_refuted_by_a_violation() -> None:
    tight = claim(n**2 + x**2 + 2 * n * x - Rational(1, 2), "<=")
    assert judge(tight).status == "refuted"


def test_networks_print_their_entries() -> None:
    a, b = MatrixSymbol("A", n, n), MatrixSymbol("W_V", n, n)
    assert render(network(2 * a * b)) == (
        r"\left[\sum_{i_{3}} 2 A_{i_{1};\,i_{3}} \left(W_{V}\right)_{i_{3};\,i_{2}}\right]_{i_{1};\,i_{2}}"
    )
    mean = render(network(eye(n) - ones(n, n) / n))
    assert r"\left[-\frac{1}{n}\right]_{i_{1};\,i_{2}}" in mean
    assert r"\left[1\right]_{i_{1};\,i_{1}}" in mean
    assert render(network(a - a)) == "0"
