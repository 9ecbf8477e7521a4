r"""Formulas of a terminal: no LaTeX is left in them, and they mean what the LaTeX means."""

from __future__ import annotations

import re
from typing import Any

import mpmath
import pytest
from batches import in_batches, share
from corpus import texts_of_claims
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import (
    Abs,
    Expr,
    Integer,
    Rational,
    Sum,
    Symbol,
    binomial,
    exp,
    factorial,
    log,
    sqrt,
    symbols,
)
from unicode_reader import Unreadable, read

from audit.formulas.unicode import unicode_formula, unicode_prose
from audit.sinks import COMMANDS, ENVIRONMENTS, FUNCTIONS, GREEK, LAYOUT, SYMBOLS, is_mathematics
from claims.typeset import typeset

n, d, k = symbols("n d k", integer=True, positive=True)
x, sigma = symbols("x sigma_q", positive=True)
VALUES = {n: Integer(3), d: Integer(2), k: Integer(2), x: Rational(5, 7), sigma: Rational(3, 2)}
ENV = {unicode_formula(typeset(s)): mpmath.mpf(int(v.p)) / int(v.q) for s, v in VALUES.items()}


# What is written ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("latex", "shown"),
    [
        (r"x_2^2", "x₂²"),
        (r"\alpha_i W^\top", "αᵢ Wᵀ"),
        (r"x_{t+1}^{(\ell)}", "xₜ₊₁^(ℓ)"),
        (r"\sigma_{q}^{2} d_vn", "σ_q² dᵥ n"),
        (r"X^{\mathcal G}_{d_k}", "X_(dₖ)^𝒢"),
        (r"\frac{a}{b}", "a/b"),
        (r"\frac{a+b}{2n} c", "((a + b)/(2n)) c"),
        (r"c \frac ab - \frac12", "c a/b - 1/2"),
        (r"\log \frac{a}{b}", "log(a/b)"),
        (r"\sum_{k=1}^{n} \frac{a_k}{n}", "∑ₖ₌₁ⁿ (aₖ/n)"),
        (r"\frac{\sum_k a_k}{n}", "(∑ₖ aₖ)/n"),
        (r"\left(\frac{a}{b}\right)^2 {\frac ab}^2", "(a/b)² (a/b)²"),
        (r"\frac{\partial S}{\partial W^V}", "∂S/∂Wⱽ"),
        (r"\sqrt{x^2} \sqrt{2} \sqrt{a+b} \sqrt[3]{x}", "√(x²) √2 √(a + b) ∛x"),
        (r"\mathbb{E}\left\|\mathbf{X}\right\|_F^2", "𝔼 ‖𝐗‖_F²"),
        (r"\sum_{j\in S}^{d} \max_{1\le i\le n}|x_i|", "∑_(j∈S)^d max_(1≤i≤n) |xᵢ|"),
        (r"\lim_{t\to\infty} x'_t", "lim_(t→∞) xₜ′"),
        (r"\left(\begin{matrix} 1 & -2 \\ 3 & 4 \end{matrix}\right)", "[1 -2; 3 4]"),
        (r"\begin{bmatrix} a + b & 0 \\ 0 & 1 \end{bmatrix}^\top", "[a + b, 0; 0, 1]ᵀ"),
        ("M=[[1,-2],[a+b,0]], [[1, 0], [0, 1]]", "M = [1, -2; a + b, 0], [1 0; 0 1]"),
        (r"\begin{cases} 1, & x > 0, \\ 0 & \text{otherwise} \end{cases}", "(1 if x > 0; 0 otherwise)"),
        (r"A\ \text{row-stochastic},\ \operatorname{tr}(A)=1", "A row-stochastic, tr(A) = 1"),
        (r"\{1, \dots, n\} \setminus S", "{1, …, n} ∖ S"),
        (r"\binom{n}{k+1} \not= -x", "binom(n, k + 1) ≠ -x"),
        (r"\bar x \widehat{AB} \tilde{\mathbf x}_i", "x̄ hat(A B) 𝐱̃ᵢ"),
        (r"Y \xrightarrow{d} Z \stackrel{(21)}{=} W", "Y →ᵈ Z =⁽²¹⁾ W"),
    ],
)  # fmt: skip
def test_formulas_are_written_so(latex: str, shown: str) -> None:
    assert unicode_formula(latex) == shown


def test_prose_keeps_its_words() -> None:
    assert unicode_prose(r"For $n\ge2$ see `noci2022.eq-17`, where $\alpha_1=\frac12$.") == (
        "For n ≥ 2 see `noci2022.eq-17`, where α₁ = 1/2."
    )
    assert (
        unicode_prose(r"at \ell = 0, X_{k'} = [[1]]: it fails")
        == "at ℓ = 0, X_(k′) = [1]: it fails"
    )
    assert unicode_prose("costs $5 today") == "costs $5 today"


def test_what_is_no_mathematics_stays_words() -> None:
    assert unicode_formula(r"\href{http://a.b}{c}") == r"\href{http://a.b}{c}"
    assert "\x1b" not in unicode_formula("a\x1b[31m")


# Nothing of LaTeX is left -------------------------------------------------------------------------


def assert_plain(text: str, shown: str) -> None:
    literal = len(re.findall(r"\\[{}]|\\[lr]brace", text))
    assert "\\" not in shown and "$" not in shown, (text, shown)
    assert shown.count("{") + shown.count("}") <= literal, (text, shown)


def arguments() -> dict[str, str]:
    """A formula for each command that a document may use."""
    two = ["frac", "dfrac", "tfrac", "binom", "dbinom", "tbinom", "overset", "underset", "stackrel"]
    bare = [*GREEK.split(), *SYMBOLS.split(), *FUNCTIONS.split()]
    styles = set(LAYOUT.split()) - {
        *two,
        "begin",
        "end",
        "left",
        "right",
        "middle",
        "limits",
        "nolimits",
    }
    sized = {name for name in styles if name.lower().startswith("big")}
    plain = {"displaystyle", "textstyle", "scriptstyle", "scriptscriptstyle"}
    characters = "textbackslash textasciitilde textasciicircum textless textgreater textbar"
    escapes = styles & set(characters.split())
    forms = (
        {name: rf"a \{name} b_\{name}" for name in bare}
        | {name: rf"\{name}{{a}}{{b}}" for name in two}
        | {name: rf"\{name}( a" for name in sized}
        | {name: rf"\{name} a" for name in plain | {"limits", "nolimits"}}
        | {name: rf"\text{{a\{name}{{}}b}}" for name in escapes - {"textbackslash"}}
        | {name: rf"\{name}{{a}}_i" for name in styles - sized - plain - escapes}
        | {
            name: rf"\begin{{{name}}} a & b \\ c & d \end{{{name}}}"
            for name in ENVIRONMENTS - {"array"}
        }
        | {
            "left": r"\left( \frac{a}{b} \middle| c \right]",
            "array": r"\begin{array}{cc} a & b \end{array}",
        }
    )
    return dict(sorted(forms.items()))  # each process collects the tests in one order


@in_batches(arguments().values(), name=str)
def test_every_command_has_a_form(formula: str) -> None:
    assert is_mathematics(formula)
    assert_plain(formula, unicode_formula(formula))


def test_every_command_is_tried() -> None:
    marks = set(" ,:;!{}|\\#%_&$")
    tried = set(re.findall(r"\\([A-Za-z]+)", " ".join(arguments().values())))
    assert set(COMMANDS) - marks - tried <= {"textbackslash"}


def test_nothing_of_latex_is_left_in_what_claims_say() -> None:
    for text in share(texts_of_claims(), 4):
        shown = (
            unicode_formula(text)
            if "$" not in text and is_mathematics(text)
            else unicode_prose(text)
        )
        assert_plain(text, shown)
        assert shown == " ".join(shown.split("\n")) and shown.strip()


# It is read as it is meant ------------------------------------------------------------------------


def terms() -> st.SearchStrategy[Expr]:
    """Sums, products, quotients, powers, roots, exponentials and sums over an index, nested."""
    leaves = st.sampled_from([n, d, k, x, sigma, Integer(2), Integer(5), Rational(3, 4)])

    def grow(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        pairs = st.tuples(inner, inner)
        return st.one_of(
            pairs.map(lambda p: p[0] + p[1]), pairs.map(lambda p: p[0] - p[1]),
            pairs.map(lambda p: p[0] * p[1]), pairs.map(lambda p: p[0] / (p[1] ** 2 + 1)),
            inner.map(lambda t: -t), inner.map(lambda t: t**2), inner.map(lambda t: sqrt(t**2 + n)),
            inner.map(lambda t: 1 / (t**2 + d)), inner.map(lambda t: exp(-(t**2) / d)),
            inner.map(lambda t: log(1 + t**2)), inner.map(lambda t: t * Abs(x - 2)),
            inner.map(lambda t: Sum(t * Symbol("j") / d, (Symbol("j"), 1, n))),
            inner.map(lambda t: (t**2 + 1) ** (x / n)),
            st.sampled_from([binomial(n + 1, k), factorial(n + d), (n - 1) ** (d - n), x ** (1 / n)]),
        )  # fmt: skip

    return st.recursive(leaves, grow, max_leaves=8)


@settings(max_examples=300, deadline=None)
@given(terms())
def test_random_terms_are_read_as_they_are_meant(term: Expr) -> None:
    shown = unicode_formula(typeset(term))
    meant = term.subs(VALUES).doit().evalf(30)
    found = read(shown, ENV)
    assert mpmath.almosteq(found, mpmath.mpf(str(meant)), rel_eps=1e-9, abs_eps=1e-9), (
        shown,
        meant,
    )


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_random_fractions_of_print_are_read_as_they_are_meant(data: Any) -> None:
    """LaTeX that no printer of ours writes: fractions and roots as factors, powers and bases."""
    latex, value = data.draw(printed(3))
    assert mpmath.almosteq(read(unicode_formula(latex), ENV), value, rel_eps=1e-9, abs_eps=1e-9), (
        latex, unicode_formula(latex),
    )  # fmt: skip


LEAVES = [(typeset(s), mpmath.mpf(int(v.p)) / int(v.q)) for s, v in VALUES.items()]


@st.composite
def printed(draw: st.DrawFn, depth: int) -> tuple[str, Any]:
    """A formula as an author may write it, with its value."""
    if depth == 0:
        return draw(st.sampled_from([*LEAVES, ("2", mpmath.mpf(2)), ("7", mpmath.mpf(7))]))
    (a, p), (b, q) = draw(printed(depth - 1)), draw(printed(depth - 1))
    forms = [
        (rf"\frac{{{a}}}{{{b}}}", lambda: p / q), (rf"\left({a}\right)^{{2}}", lambda: p**2),
        (rf"{{\frac{{{a}}}{{{b}}}}}^{{2}}", lambda: (p / q) ** 2),
        (rf"\frac{{{a}}}{{{b}}} \cdot \left({b}\right)", lambda: p / q * q),
        (rf"\frac{{1}}{{{a}}} \frac{{{b}}}{{2}} \left({a}\right)", lambda: q / 2),
        (rf"\left({a}\right) \frac{{{b}}}{{n}}", lambda: p * q / 3),
        (rf"\left({a}\right) + {b}", lambda: p + q), (rf"\frac{{{a} - {b}}}{{7}}", lambda: None),
        (rf"e^{{-\frac{{1}}{{\left({a}\right)^2 + 1}}}}", lambda: mpmath.exp(-1 / (p**2 + 1))),
        (rf"\sqrt{{\left({a}\right)^2 + 1}}^2 \tfrac12", lambda: (p**2 + 1) / 2),
    ]  # fmt: skip
    latex, value = draw(st.sampled_from([f for f in forms if "- " not in f[0]]))
    try:
        return latex, value()
    except ZeroDivisionError:
        return a, p


@pytest.mark.parametrize("text", ["n/d x", "n/d/x", "n/d · x", "n d)", "2 +", "log n"])
def test_the_reader_refuses_what_can_be_read_in_two_ways(text: str) -> None:
    assert read("2n/d + √x", ENV) == 3 + mpmath.sqrt(ENV["x"])
    with pytest.raises(Unreadable):
        read(text, ENV)
