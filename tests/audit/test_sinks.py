"""Words are escaped for the output they go to, and a formula is let through only if it is one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational, latex, log, sqrt

from audit.examine import load_witnesses
from audit.formulas.closed_forms import NoClosedForm, closed_form
from audit.formulas.mathtext import latex_of_point, mathml
from audit.sinks import (
    Formula,
    as_latex,
    as_markdown,
    code_span,
    is_mathematics,
    latex_text,
    markdown_text,
    printable,
    web_address,
)
from claims.registry import encoded
from proofs.registry import proof_of


def test_every_formula_of_every_claim_is_mathematics() -> None:
    """The list of commands holds what the papers need."""
    for claim in encoded().values():
        for each in (claim, claim.repair):
            if each is not None:
                formulas = [each.statement.latex(), *(h.latex for h in each.hypotheses)]
                for formula in formulas:
                    assert is_mathematics(formula), (each.id, formula)
                    assert "<code>" not in mathml(formula), (each.id, formula)


def test_steps_and_witnesses_of_a_proof_are_mathematics() -> None:
    load_witnesses()
    claim = encoded()["noci2022.lemma-3.1.input"]
    prove = proof_of(claim)
    assert prove is not None
    certificate = prove(claim)
    assert all(is_mathematics(step.latex()) for step in certificate.steps)
    assert certificate.witness is not None
    assert is_mathematics(latex_of_point(certificate.witness.as_json()["at"]))


def test_bars_without_a_size_keep_theirs() -> None:
    for formula in (
        r"\lVert\frac ab\rVert_F^2", r"\|\frac ab\|_F^2", r"\lvert\frac ab\rvert",
        r"\bigl\lVert\frac ab\bigr\rVert_F^2", r"\bigl(\frac ab\bigr)^2",
    ):  # fmt: skip
        assert mathml(formula).count('stretchy="false"') == 2, formula
    assert mathml(r"\left\lVert\frac ab\right\rVert").count('stretchy="true"') == 2


def test_relations_have_space_around_them() -> None:
    for command, sign in ((r"\sim", "∼"), (r"\implies", "⟹"), (r"\iff", "⟺")):
        assert f"<mo>{sign}</mo>" in mathml(f"Z{command} Y"), command


def test_letters_and_bars_have_none() -> None:
    assert "<mi>∞</mi>" in mathml(r"T\to\infty") and "<mi>∅</mi>" in mathml(r"\emptyset")
    tight = 'lspace="0" rspace="0"'
    assert mathml(r"|V|\le\bigl|W\bigr|/2").count(tight) == 5
    assert tight not in mathml(r"\left|V\right|\|W\|")


def test_a_relation_among_words_keeps_its_space_inside() -> None:
    """An operator beside nothing but words, which count as space, would have its own outside."""
    assert "<mo>=</mo><mi>its" in mathml(r"\text{the mean} = \text{its limit}")
    assert "<mrow /><mo>=</mo><mi>its" in mathml(r"{}= \text{its limit}")
    assert "<mo>=</mo><mtext>its" in mathml(r"x = \text{its limit}")


@pytest.mark.parametrize(
    "formula",
    [
        r"\input{x}", r"\write18{x}", r"\csname input\endcsname", r"\def\a{b}", r"\href{a}{b}",
        r"\style{a}{b}", r"\class{a}{b}", r"\catcode`\%=1", r"\color{red}", r"\hspace{99cm}",
        "^^5cinput", "a $ b", "a % b", "a # b", "a } b", "{ a", r"\left( a", r"\right) \left(",
        r"\left( { \right) }", "a & b", r"\begin{document}", r"\begin{matrix} a", r"\end{matrix}",
        r"\begin{matrix}\end{cases}", "a\\", "a\x00b", "a\u202eb", "{" * 41 + "}" * 41, "x" * 20_001,
    ],
)  # fmt: skip
def test_what_is_no_mathematics_is_shown_as_words(formula: str) -> None:
    assert not is_mathematics(formula)
    assert as_latex(Formula(formula)).startswith(r"\text{")
    assert mathml(formula).startswith("<code>")


@given(st.text(max_size=40))
def test_words_shown_as_latex_are_mathematics_in_a_text(text: str) -> None:
    assert is_mathematics(rf"\text{{{latex_text(text)}}}")


def test_words_in_markdown_are_no_markup() -> None:
    assert markdown_text("# a") == r"\# a" and markdown_text("1. a") == r"1\. a"
    assert markdown_text("0.1.0 and 2 > 1") == r"0.1.0 and 2 \> 1"
    assert markdown_text("[x](y)\n\n<b>`") == r"\[x\](y) \<b\>\`"
    assert as_markdown(Formula("[x](y) < `1")) == r"[x]{}(y) \lt  '1"
    assert code_span("a`b") == "`a'b`"


def test_what_no_output_shows_is_left_out() -> None:
    assert printable("a\x1b[1m\u202eb\x9b\x00\n\tc") == "a[1mb\n\tc"


@pytest.mark.parametrize(
    ("address", "linked"),
    [
        ("https://example.org/a", True), ("http://localhost:8000", True), ("HTTPS://a.b", True),
        ("javascript:alert(1)", False), ("https:javascript", False), ("//example.org", False),
        ("https://", False), (" https://a.b", False), ("https://a.b\nx", False),
        ("https://[", False), (None, False), (1, False), ("file:///etc/passwd", False),
    ],
)  # fmt: skip
def test_only_addresses_of_the_web_are_linked(address: object, linked: bool) -> None:
    assert (web_address(address) is not None) == linked


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("-3/4", Rational(-3, 4)), ("0.25", Rational(1, 4)), ("-sqrt(2)*log(2)", -sqrt(2) * log(2)),
        ("2*(1/2 - 3*sqrt(2)/16)**2", 2 * (Rational(1, 2) - 3 * sqrt(2) / 16) ** 2),
        ("8**(1/3)", 2), ("-(1 + sqrt(5))/2", -(1 + sqrt(5)) / 2), ("-2**2", -4), ("7", 7),
    ],
)  # fmt: skip
def test_closed_forms_have_the_value_that_they_write(text: str, value: object) -> None:
    assert (closed_form(text) - value).doit().equals(0)


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "x", "1/0", "1/(2 - 2)", "0**(-1)", "9**9**9", "2**1001", "2**pi", "True", "None",
        "1 or 2", "1or 2", "0x10", "1_0", "1j", "sqrt", "sqrt()", "sqrt(1, 2)", "sqrt(x=1)",
        "pi.func", "pi.\uff53\uff55\uff42\uff53(1)", "\uff11", "\u0661", "[1]", "(1, 2)", "lambda: 1",
        "__import__('os')", "getattr(pi, 1)", "sqrt(2)(3)", "1 if 1 else 2", "1 < 2", "1 // 2",
        "1 % 2", "~1", "(" * 400 + "1" + ")" * 400, "-" * 500 + "1", "9" * 5000, "sqrt(" * 11 + "2" + ")" * 11,
    ],
)  # fmt: skip
def test_what_is_no_closed_form_is_refused(text: str) -> None:
    with pytest.raises(NoClosedForm):
        closed_form(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1/2", r"\frac{1}{2}"), ("-3*sqrt(2)/16", r"- \frac{3 \sqrt{2}}{16}"),
        ("2**(1/3)", r"\sqrt[3]{2}"), ("exp(-1/2)", r"e^{- \frac{1}{2}}"), ("+".join("1" * 200), None),
    ],
)  # fmt: skip
def test_closed_forms_are_set_as_they_are_written(text: str, shown: str | None) -> None:
    assert shown in {None, latex(closed_form(text))}


def test_what_defines_is_one_sign() -> None:
    for formula in ("a := b", "a: = b"):
        assert "<mo>\u2254</mo>" in mathml(formula) and "<mi>:</mi>" not in mathml(formula)
    assert "a\xa0:=\xa0b" in mathml(r"\text{a := b}")
