"""Formulas as trees, compared with their corrections and cut into lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.formulas.comparison import (
    MARK,
    added_hypotheses,
    compared,
    dropped_hypotheses,
    family,
    hypothesis_changes,
    other_ranges,
    underlined,
)
from audit.formulas.mathtext import mathml
from audit.formulas.reader import nodes_of, parsed
from audit.formulas.tree import latex_of
from audit.sinks import is_mathematics
from audit.site.formulas import boxed, wrapped
from audit.site.lines import ONE_LINE, cut, span
from claims.registry import encoded

FORMULAS = (
    r"a_1^2 + \frac n2 \le \left( x + \sqrt[3]{y} \right)^{2}",
    r"\mathbb E\|X\|_F^2 = \bigl(1 - \tfrac{1}{2}\bigr)\, d",
    r"\forall\,i\in\{1,\dots,n\}:\ \text{a word or } x_{i}'",
    r"\textstyle\sum_i x_i \ge \left.\frac{\partial A}{\partial M}\right|_{0}",
    r"\left( \begin{matrix} 1 & 2 \\ 3 & 4 \end{matrix} \right)",
)


@pytest.mark.parametrize("formula", FORMULAS)
def test_a_tree_as_latex_is_the_formula(formula: str) -> None:
    again = latex_of(parsed(formula))
    assert mathml(latex_of(parsed(again))) == mathml(again) or "style" in formula
    assert mathml(again).count("<mo") == mathml(formula).count("<mo")


@pytest.mark.parametrize("formula", [r"\left( a", r"\frac{a", "a}", r"\begin{matrix} 1"])
def test_a_group_that_does_not_close_is_refused(formula: str) -> None:
    with pytest.raises(ValueError, match="close"):
        parsed(formula)


@pytest.mark.parametrize(
    "formula",
    ["x_", "{x^} + 1", r"\sqrt", r"\frac{a}", r"\sqrt[3", r"\bigl", r"\left( x \right", r"{\text}"],
)
def test_what_lacks_an_argument_or_a_bracket_is_refused(formula: str) -> None:
    assert latex_of(nodes_of(formula)).count("{") == latex_of(nodes_of(formula)).count("}")
    with pytest.raises(ValueError, match="missing"):
        parsed(formula)


def test_a_definition_sign_is_one_and_words_keep_theirs() -> None:
    assert [node.text for node in parsed(r"a := \left\lfloor b\right\rfloor")] == [
        "a", ":=", r"\left\lfloor b\right\rfloor",
    ]  # fmt: skip


def changes(printed: str, correction: str) -> tuple[str, ...]:
    found = compared(printed, correction)
    assert found is not None
    return found.words


def test_a_changed_factor_is_named_and_marked() -> None:
    assert changes(r"x = \frac{d n}{2}", r"x = \frac{n}{2}") == (
        r"For $\frac{dn}{2}$ read $\frac{n}{2}$",
    )
    found = compared("x = a b + c", "x = a b^2 + c")
    assert found is not None
    assert found.words == ("For $b$ read $b^{2}$",)
    assert "".join(node.text for node in found.nodes) == f"x=a{{{MARK[0]}b^{{2}}{MARK[1]}}}+c"


def test_a_factor_for_another_elsewhere_in_the_product_is_one_change() -> None:
    assert changes("y = d e f g", "y = e f g h") == ("For $d$ read $h$",)


def test_a_part_that_is_inserted_is_named_without_the_word_that_joins_it() -> None:
    joined = r"a=1\ \text{ and }\ u+v+x+y+z=2"
    assert changes("u + v + x + y + z = 0", joined) == ("Insert $a=1$", "For $0$ read $2$")


def test_where_something_was_taken_out_what_follows_is_marked() -> None:
    found = compared("x = 1 - N e", "x = 1 - e")
    assert found is not None
    assert found.words == ("Delete $N$",)
    assert found.nodes[-1].text == f"{{{MARK[0]}e{MARK[1]}}}"


def test_a_relation_for_another_is_named_as_one() -> None:
    assert changes(r"\|x\|^2 = 1", r"\|x\|^2 \le 1") == (r"For the relation $=$ read $\le$",)


def test_a_side_with_its_relation_is_not_told_in_words() -> None:
    rate = (r"\lim_{T\to\infty} \mathbb E\log(s_\ell - 1) \le 1 - 4 \ell",
            r"\lim_{T\to\infty} T^{2\ell-1}(s_\ell - 1) = \ell \gamma + \ell + 1")  # fmt: skip
    assert changes(*rate) == ()
    assert changes("a + b = c + d", r"a + b = x + y\ \text{ and }\ z + a + b \le c + d") == ()


def test_a_part_that_hangs_on_its_neighbour_is_told_with_it() -> None:
    assert changes("u = a + x + b + c", "u = a + b + y + c") == ("For $a+x+b+c$ read $a+b+y+c$",)
    assert changes(r"u = \frac{w a + x}{d + e}", r"u = \frac{w b + a}{d + e}") == (
        r"For $\frac{wa+x}{d+e}$ read $\frac{wb+a}{d+e}$",
    )
    assert changes(r"u = \|x\| y", r"u = \|x y\|") == (r"For $\|x\|y$ read $\|xy\|$",)


@pytest.mark.parametrize(
    ("printed", "correction", "shown"),
    [
        (r"\sigma_x^2 d", r"\sigma_x^6 d", r"\sigma_{x}^{\underline{6}}d"),
        (r"\frac{a}{b}", r"\frac{a+c}{b}", r"\frac{a\underline{{}+c}}{b}"),
        ("a = b", r"a \le b", r"a\underline{{}\le{}}b"),
        (r"\left(a + b\right)^2 c", r"\left(a - b\right)^2 c", r"\left(a\underline{{}-{}}b\right)^{2}c"),
        ("a + b", "x y z", "xyz"),
    ],
)  # fmt: skip
def test_the_smallest_part_is_underlined(printed: str, correction: str, shown: str) -> None:
    found = compared(printed, correction)
    assert found is not None
    assert underlined(found.nodes).replace(" ", "") == shown


def test_every_correction_underlined_is_mathematics_and_nothing_else_changes() -> None:
    repaired = [claim for claim in encoded().values() if claim.repair is not None]
    assert len(repaired) > 100
    for claim in repaired:
        found = compared(claim.statement.latex(), claim.repair.statement.latex())
        assert found is not None
        shown = underlined(found.nodes)
        assert is_mathematics(shown) and not set(MARK) & set(shown), shown


def test_another_statement_is_not_marked() -> None:
    found = compared("a = b", r"\lim_{n\to\infty} \frac{1}{n} \sum_{i=1}^{n} z_i \ge 5")
    assert found is not None
    assert (found.alike, found.words) == (False, ())
    assert MARK[0] not in latex_of(found.nodes)


def test_hypotheses_are_added_and_dropped_in_words() -> None:
    printed = {"hypotheses": ["n>0", "d>0"], "ranges": ["n<9"]}
    found = {"hypotheses": ["n>0", "C>0"], "ranges": ["n<8"]}
    assert hypothesis_changes(printed, found) == ["Add: $C>0$", "Drop: $d>0$"]


def test_a_hypothesis_of_which_a_part_is_left_is_not_dropped() -> None:
    printed = {"hypotheses": ["n=d ; or ; n=1", "m>0"]}
    found = {"hypotheses": ["n=d", "m>0 ; k>0", "C>0"]}
    shown = ["For $n=d ; or ; n=1$ read $n=d$", "For $m>0$ read $m>0 ; k>0$", "Add: $C>0$"]
    assert hypothesis_changes(printed, found) == shown
    assert dropped_hypotheses(printed, found) == []
    assert hypothesis_changes({"hypotheses": ["n>1"]}, {"hypotheses": []}) == ["Drop: $n>1$"]


def test_no_change_is_told_whose_brackets_do_not_match() -> None:
    """As many of both kinds are not enough: here one closes what stands before the change."""
    width, sides = r"\mathrm{columns}(A) = \mathrm{rows}", r"X)\ \text{ and }\ b = \mathrm{rows}(W"
    found = compared(rf"{width}(W)", rf"{width}({sides})")
    assert found is not None and found.alike and found.words == ()
    kept = compared("a = f(x)", "a = f(x) + g(y)")
    assert kept is not None and kept.words == ("Insert $+g(y)$",)


def test_a_family_in_which_a_statement_fails_is_no_list_of_hypotheses_to_drop() -> None:
    found = {"hypotheses": ["A", "C>0"]}
    record = {"hypotheses": ["A", "n=2", "W=0", "b=1"], "repair": found}
    assert family(record) == ["n=2", "W=0", "b=1"]
    assert hypothesis_changes(record, found) == ["Under: $A$", "Under: $C>0$"]
    assert dropped_hypotheses(record, found) == []
    assert family({"hypotheses": ["A", "n=2", "W=0"], "repair": found}) == []


def test_where_no_word_says_what_is_assumed_the_ranges_do() -> None:
    printed = {"hypotheses": ["X"], "ranges": ["n,d>1", "a<b"], "tried": ["k=1"]}
    found = {"hypotheses": ["X"], "ranges": ["n,d>2"], "tried": ["k=1"]}
    assert hypothesis_changes(printed, found) == []
    assert added_hypotheses(printed, found) == ["n,d>2"]
    assert added_hypotheses(printed, {**found, "hypotheses": ["X", "Y"]}) == ["Y"]
    assert other_ranges(printed, found) == {"ranges": ["n,d>2"]}


def test_a_mark_is_a_box_in_mathml_and_nothing_else() -> None:
    found = compared("x = a b + c", "x = a b^2 + c")
    assert found is not None
    shown = str(wrapped(found.nodes))
    assert shown.count('<mrow class="changed">') == 1
    assert not set(MARK) & set(shown)


def test_a_short_formula_is_one_and_a_long_one_many() -> None:
    assert wrapped("a + b = c").count("<math") == 1
    long = " + ".join(rf"\alpha_{{{k}}} x^{{{k}}}" for k in range(12))
    assert wrapped(f"y = {long}").count("<math") == 13
    assert max(span(part.nodes) for part in cut(parsed(f"y = {long}"))) < ONE_LINE


def test_long_brackets_are_opened_and_short_ones_kept() -> None:
    inside = " + ".join(rf"\alpha_{{{k}}} x_{{{k}}}" for k in range(12))
    parts = [
        latex_of(part.nodes) for part in cut(parsed(rf"y = \left({inside}\right)^{{2}} + (a - b)"))
    ]
    assert parts[0] == "y"
    assert parts[1].startswith("=(") and parts[1] != parts[-1]
    assert parts[-1] == "+(a-b)"
    assert all(r"\left" not in part for part in parts)


def test_no_cut_stands_before_a_sign_of_its_own() -> None:
    parts = [latex_of(p.nodes) for p in cut(parsed(r"a = -b,\ c \le +d - e"))]
    assert parts == ["a", "=-b,\\ ", "c", r"\le+d", "-e"]


def test_a_box_takes_the_focus_only_where_it_may_scroll() -> None:
    assert "tabindex" not in boxed("a = b", "Value")
    wide = r"\frac{" + " ".join(f"x_{{{k}}}" for k in range(30)) + "}{2}"
    assert 'tabindex="0"' in boxed(wide, "Value")


words = st.recursive(
    st.sampled_from(["a", "x", r"\alpha", "1", "+", "=", r"\le", r"\text{ and }", ","]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: rf"\frac{{{p[0]}}}{{{p[1]}}}"),
        st.lists(inner, min_size=1, max_size=6).map(" ".join),
        inner.map(lambda p: rf"\left({p}\right)"),
        st.tuples(st.sampled_from("xyz"), inner).map(lambda p: f"{p[0]}_{{{p[1]}}}"),
    ),
    max_leaves=40,
)


@given(words)
def test_cuts_lose_nothing(formula: str) -> None:
    """What is left of a formula when it was cut: its letters in order; brackets change their size."""

    def letters(text: str) -> str:
        for size in (r"\left", r"\right", r"\Bigl", r"\Bigr", " "):
            text = text.replace(size, "")
        return text

    row = parsed(formula)
    assert letters("".join(latex_of(part.nodes) for part in cut(row))) == letters(latex_of(row))
    assert "<code>" not in wrapped(formula)


@given(words, words)
def test_a_comparison_shows_the_correction_whole(printed: str, correction: str) -> None:
    found = compared(printed, correction)
    assert found is not None
    text = latex_of(found.nodes)
    for mark in ("{" + MARK[0], MARK[1] + "}"):
        text = text.replace(mark, "")
    assert text.replace(" ", "") == latex_of(parsed(correction)).replace(" ", "")
    assert "<code>" not in wrapped(found.nodes)
