"""Errata: a letter that the authors of a paper can check, in Markdown and in LaTeX."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hostile import one_paper
from markdown_it import MarkdownIt
from synthetic import document

from audit.cli import main
from audit.documents import read_document
from audit.errata.document import errata
from audit.errata.letter import numbered
from audit.errata.sinks import DISPLAYED, IN_CELL, environment
from audit.formulas.lines import INDENT, breakable, lines
from audit.formulas.reader import nodes_of
from audit.formulas.widths import DISPLAY, INLINE, width
from audit.sinks import Formula, Prose, as_latex, as_markdown
from audit.words.records import counterexample_of
from claims.registry import Slip, encoded, index, paper

AUDITED = Path(__file__).parents[2] / "out" / "audit.json"
PAPERS = ("noci2022", "wu2024", "naitsaada2025", "im2026")
TEX = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")


@pytest.fixture(scope="session")
def audited() -> dict[str, Any]:
    """The whole audit, where one was made."""
    if not AUDITED.exists():
        pytest.skip("out/audit.json is not there: run `make audit`")
    return read_document(AUDITED)


def with_kinds() -> dict[str, Any]:
    """Forty statements of one paper, with findings of all four kinds."""
    whole = one_paper(40)
    refuted = [record for record in whole["claims"] if record["verdict"] == "refuted"]
    kinds = ("misprint", "missing-hypothesis", "material")
    for place, record in enumerate(refuted):
        record["severity"] = kinds[place % 3]
    refuted[0]["repair"]["statement"] = r"\mathbb E\|X\|_F^2 = \frac{n d}{3}"
    return whole


# What the letter says ------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["md", "tex"])
def test_findings_stand_by_weight_and_misprints_last(suffix: str) -> None:
    text = errata(with_kinds(), "noci2022")[suffix]
    headings = (
        "What stands", "False in substance", "Missing hypotheses", "Statements that say nothing",
        "Misprints",
    )  # fmt: skip
    places = [text.index(heading) for heading in headings[:-1]] + [text.rindex(headings[-1])]
    assert places == sorted(places)
    starts = re.findall(r"^(?:### |\| |\\finding\{)?(\d+)(?:\}\{|\. )Sec", text, re.M)
    numbers = [int(number) for number in starts]
    assert numbers == list(range(1, 17))


@pytest.mark.parametrize(
    ("verdict", "grade", "derived"),
    [("proved", "derived", True), ("supported", "argued", True), ("supported", None, False)],
)
def test_only_what_is_derived_has_a_proof_and_notes_are_sentences(
    verdict: str, grade: str | None, derived: bool
) -> None:
    whole = one_paper(3)
    (record,) = (r for r in whole["claims"] if r["verdict"] == "refuted")
    record["severity"] = "material"
    proof = {**record["proof"], "method": "moments of the bulk", "grade": grade}
    record["repair"] |= {"verdict": verdict, "note": "measured at $T=64$", "proof": proof}
    for text in errata(whole, "noci2022").values():
        assert ("Proof: moments of the bulk." in text) is derived
        assert "Measured at $T=64$." in text


def test_the_letter_counts_what_stands() -> None:
    text = errata(with_kinds(), "noci2022")["md"]
    listed = sum(e.paper == "noci2022" and ".beyond." not in e.id for e in index())
    assert f"40 of its {listed} statements" in text
    assert "8 statements are proved as printed, and 8 more hold" in text
    assert "2 statements are false in substance, 3 need a hypothesis" in text
    assert "3 more are slips of the pen" in text


def test_numbered_results_stand_in_every_clause_or_not() -> None:
    said = [
        ("Sec. 1, Theorem 1, Eq. (1)", "proved", None), ("Sec. 1, Theorem 1", "supported", None),
        ("Sec. 1, Lemma 2", "proved", None), ("App., Lemma 2, Eq. (3)", "refuted", "material"),
        ("Corollary A.3 (cited)", "refuted", "misprint"), ("Lemma 4", "unsettled", None),
        ("App., proof of Theorem 1", "refuted", "material"), ("after Lemma 9", "proved", None),
        ("Prop. A.9, Eq. (4)", "proved", None), ("Sec. 2; Lemma 1 (App. B.1)", "proved", None),
    ]  # fmt: skip
    own = [{"id": str(k), "source": s, "verdict": v} for k, (s, v, _) in enumerate(said)]
    kinds = {str(k): kind for k, (_, _, kind) in enumerate(said)}
    assert numbered(own, kinds) == (
        ["Theorem 1", "Proposition A.9", "Lemma 1"], ["Corollary A.3"], ["Lemma 2"],
    )  # fmt: skip


def test_the_change_is_marked_and_said_in_words() -> None:
    notes = errata(with_kinds(), "noci2022")
    for suffix, mark in (("md", "underline"), ("tex", "changed")):
        assert r"for $\frac{nd}{2}$ read $\frac{nd}{3}$" in notes[suffix]
        assert rf"\frac{{nd}}{{\{mark}{{3}}}}" in notes[suffix]


def test_hypotheses_that_a_correction_adds_are_said() -> None:
    assert r"**Add the hypothesis** $n\ge3$." in errata(document(40), "paper0")["md"]


def test_nobody_signs_unless_asked() -> None:
    notes = errata(with_kinds(), "noci2022")
    assert r"\author" not in notes["tex"] and "pdfauthor" not in notes["tex"]
    assert notes["tex"].count("Noci") == notes["md"].count("Noci, Anagnostidis") == 1
    signed = errata(with_kinds(), "noci2022", "A_B & C")
    assert r"A\_B \& C" in signed["tex"] and r"Written by A\_B \& C" in signed["md"]


def test_the_command_writes_both_and_refuses_papers_that_are_not_there(tmp_path: Path) -> None:
    import json

    path = tmp_path / "a.json"
    path.write_text(json.dumps(with_kinds()), encoding="utf-8")
    arguments = [
        "errata",
        "noci2022",
        "--from",
        str(path),
        "--out",
        str(tmp_path),
        "--author",
        "Ada",
    ]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    for suffix in ("md", "tex"):
        assert "Ada" in (tmp_path / f"noci2022-errata.{suffix}").read_text(encoding="utf-8")
    result = CliRunner().invoke(
        main, ["errata", "wu2024", "--from", str(path), "--out", str(tmp_path)]
    )
    assert result.exit_code == 2 and "holds no claim of wu2024" in result.stderr


def test_words_are_escaped_for_latex() -> None:
    text = errata(document(10, title="100% of $x_1 & {y}"), "paper0")["tex"]
    assert r"100\% of \$x\_1 \& \{y\}" in text


# A reader who has nothing else ---------------------------------------------------------------------


def ensure_counterexamples_are_there(whole: dict[str, Any], name: str) -> None:
    """Each is printed in the words of `audit.words.records`, with the point at which it is taken."""
    text = errata(whole, name)["md"]
    for record in whole["claims"]:
        if record["paper"] == name and record["verdict"] == "refuted":
            found = counterexample_of(record)
            assert found is not None, record["id"]
            shown = environment("md").from_string("{{ x|cell }}{{ y|cell }}")
            for value in (found.sentence, *found.at):
                texts = {as_markdown(value), shown.render(x=value, y="")}
                assert any(each in text for each in texts), (record["id"], value)


def test_counterexamples_are_printed_whole() -> None:
    ensure_counterexamples_are_there(with_kinds(), "noci2022")


_MATHEMATICS = re.compile(
    r"\$\$.*?\$\$|\\\[.*?\\\]|\\begin\{align\*\}.*?\\end\{align\*\}|(?<!\\)\$.*?(?<!\\)\$",
    re.DOTALL,
)
_NAMES = re.compile(r"`[^`]*`|\\texttt\{(?:[^{}]|\{\})*\}|https?://\S+")
_PYTHON = re.compile(
    r"\b(?:None|nan|frozenset|dict)\b|\b(?:Matrix|Rational|Fraction)\(|\b(?:True|False)\b[,)\]}]|[{\[]'|'[:\]]"
)
_ASCII = re.compile(
    r"\w/?[<>]|[<>]=|!=|[-=]>|<-|\^|\|\||\*\*\w|\b[A-Za-z]\w*_\w|\bsqrt\b|\b\w \* \w|\b\d+/\d+\b|"
    r"(?<![\w$])[A-Za-z] ?[=<>] ?\w|\bgamma\b|\bsigma\b|\bepsilon\b"
)
_AMERICAN = re.compile(
    r"\b(?:behavior|center(?:ed|s)?|colors?|favor\w*|labeled|modeled|\w+(?<!s)(?<!pr)iz(?:e|es|ed|ing|ation))\b"
)
_JARGON = re.compile(r"\b(?:the kernel|mutants?|rational arithmetic|adversary|underpowered)\b")


def words_of(text: str, suffix: str) -> str:
    """The words of errata: no mathematics, no names, no commands of their own layout."""
    if suffix == "tex":
        text = text.partition(r"\begin{document}")[2]
        text = re.sub(
            r"\\begin\{longtable\}\{.*\}|\\setlength\S*|\\&|\\(?:begin|end)\{\w+\}", " ", text
        )
        text = re.sub(
            r"\\text(?:bar|less|greater)\{\}", "<", _NAMES.sub(" ", _MATHEMATICS.sub(" ", text))
        )
        return re.sub(r"\\[A-Za-z]+\*?|\\\\\*?|[{}]", " ", re.sub(r"\\([_%#$])", r"\1", text))
    text = re.sub(r"\\(?=[\W_])", "", _NAMES.sub(" ", _MATHEMATICS.sub(" ", text)))
    return re.sub(r"^#+ |\*\*(?=[A-Z])|(?<=\w|\.)\*\*|^\|[-|]*\|$", " ", text, flags=re.MULTILINE)


def ensure_only_words(text: str, suffix: str) -> None:
    """No Python object, no raw LaTeX, no mathematics in ASCII, one spelling, no word of our own."""
    words = words_of(text, suffix)
    for pattern in (_PYTHON, _ASCII, _AMERICAN, _JARGON):
        found = [words[max(0, m.start() - 40) : m.end() + 40] for m in pattern.finditer(words)]
        assert not found, (suffix, pattern.pattern, found)
    if suffix == "md":
        assert not re.search(r"\\[A-Za-z]", words), re.findall(r".{30}\\[A-Za-z].{30}", words)


@pytest.mark.parametrize("suffix", ["md", "tex"])
def test_errata_are_words_and_mathematics(suffix: str) -> None:
    ensure_only_words(errata(with_kinds(), "noci2022")[suffix], suffix)


@pytest.mark.parametrize(
    "text", ["n >= 2", "[1, None]", "x_1 falls", "the center", "\\frac12 here"]
)
def test_what_is_neither_words_nor_mathematics_is_found(text: str) -> None:
    with pytest.raises(AssertionError):
        ensure_only_words(text, "md")


@pytest.mark.parametrize("name", PAPERS)
def test_errata_of_the_audit_are_words_and_mathematics(name: str, audited: dict[str, Any]) -> None:
    ensure_counterexamples_are_there(audited, name)
    for suffix, text in errata(audited, name).items():
        ensure_only_words(text, suffix)


# Markdown as a forge reads it ----------------------------------------------------------------------


def left_by_markdown(text: str) -> str:
    """What is there to search for formulas after CommonMark with tables: any markup is a NUL."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    shown = {"text": lambda t: t.content, "softbreak": lambda t: "\n", "code_inline": lambda t: ""}
    inlines = [token.children or [] for token in tokens if token.type == "inline"]
    return "\n\n".join(
        "".join(shown.get(t.type, lambda t: "\0")(t) for t in inline) for inline in inlines
    )


def formulas_in(text: str) -> list[str]:
    return [" ".join(found.split()) for found in _MATHEMATICS.findall(text)]


def ensure_a_forge_reads_every_formula(text: str) -> None:
    """Markdown changes none of them, and none stands where a dollar is no delimiter."""
    left = left_by_markdown(text)
    assert formulas_in(left) == formulas_in(_NAMES.sub("", text))
    inline = re.sub(r"\$\$.*?\$\$", "", left, flags=re.DOTALL)
    for found in re.finditer(r"\$([^$]*)\$", inline):
        before, after = inline[: found.start()][-1:], inline[found.end() :][:1]
        assert found[1] and found[1] == found[1].strip() and "\0" not in found[1], found[0]
        assert not before.isalnum() and not after.isalnum(), found[0]


@pytest.mark.parametrize("name", PAPERS)
def test_a_forge_reads_every_formula_of_the_errata(name: str, audited: dict[str, Any]) -> None:
    ensure_a_forge_reads_every_formula(errata(audited, name)["md"])


def test_a_forge_reads_the_formulas_of_made_up_errata() -> None:
    ensure_a_forge_reads_every_formula(errata(with_kinds(), "noci2022")["md"])


@pytest.mark.parametrize(
    "formula",
    [
        r"\mathcal{R}_{a} + \mathcal{R}_{b}", r"\|x\|_F \le \sigma_{q} \|y\|_F", r"k^{*} + l^{*}",
        r"\#\{1,2\} = 2", r"|a| ~ |b| ~ |c|", r"[t,:](W + 1)", r"\operatorname{tr}(A_{1}) < 1", "x_1 ",
        r"\text{10\% of \_all\_}",
    ],
)  # fmt: skip
def test_no_formula_is_markup(formula: str) -> None:
    shown = environment("md").from_string("a ${{ x }}$ b ${{ x }}$ c\n\n{{ x|display }}\n")
    text = shown.render(x=Formula(formula))
    ensure_a_forge_reads_every_formula(text)
    assert left_by_markdown(text).count("$") == 8


# Lines that a page holds ---------------------------------------------------------------------------


def formulas() -> list[str]:
    """Every formula of every claim and of its correction, as printed and as read."""
    both = [
        each for claim in encoded().values() for each in (claim, claim.repair) if each is not None
    ]
    found = {each.statement.latex() for each in both} | {each.printed or "" for each in both}
    return sorted((found | {h.latex for each in both for h in each.hypotheses}) - {""})


def test_displayed_lines_are_as_wide_as_a_page_at_most() -> None:
    for limit in DISPLAYED.values():
        for formula in formulas():
            broken = lines(formula, limit)
            for place, line in enumerate(broken):
                wide = width(nodes_of(line), DISPLAY) + INDENT * (place > 0)
                assert wide <= limit + 0.5, (wide, line)  # half an em for the sizes of brackets


def test_cells_of_the_table_are_wider_than_what_is_not_broken() -> None:
    for claim in encoded().values():
        if claim.severity == "misprint" and claim.repair is not None:
            for formula in (
                claim.printed or claim.statement.latex(),
                claim.repair.statement.latex(),
            ):
                for part in breakable(formula, IN_CELL).split(r"\allowbreak "):
                    assert width(nodes_of(part), INLINE) <= IN_CELL + 0.5, part


@pytest.mark.parametrize(
    ("formula", "broken"),
    [
        ("a = b", ["a=b"]),
        ("aaaaaaaa = bbbbbbbb + cccccccc", ["aaaaaaaa=bbbbbbbb", "{}+cccccccc"]),
        (
            r"a = \left(bbbbbbbb + cccccccc\right)^2",
            [r"a=\bigl( bbbbbbbb", r"{}+cccccccc\bigr)^{2}"],
        ),
        (
            r"\underline{aaaaaaaaa + bbbbbbbbb}",
            [r"\underline{aaaaaaaaa}", r"\underline{+bbbbbbbbb}"],
        ),
        (
            r"\frac{aaaaaaaaaaaaaa + bbb}{c}",
            [r"\bigl( aaaaaaaaaaaaaa", r"{}+bbb\bigr)/ c"],
        ),
    ],
)
def test_lines_break_before_signs_and_open_brackets(formula: str, broken: list[str]) -> None:
    assert lines(formula, 11.0) == broken


def compiled(text: str, folder: Path) -> str:
    """What LaTeX prints while it sets a text, twice, for the widths of the table."""
    (folder / "a.tex").write_text(text, encoding="utf-8")
    for _ in range(2):
        run = subprocess.run(
            ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "a.tex"], cwd=folder,
            capture_output=True, timeout=120, check=False,
        )  # fmt: skip
    return run.stdout.decode("utf-8", "replace")


def ensure_sets_without_fault(text: str, folder: Path) -> None:
    said = compiled(text, folder)
    assert "Output written" in said
    assert not re.findall(r"^!.*|^Overfull.*", said, re.MULTILINE)
    assert not re.search(r"resizebox|adjustbox|scalebox", text)


SLIPS = (
    Slip("Sec. 2, after Eq. (3)", "$a|b$", "$b_{i}$ & all", "It is 100% so in Eq. (4)."),
    Slip("App. A", "Theorem 9", "Lemma 9", "There is no Theorem 9."),
)


@pytest.mark.parametrize("suffix", ["md", "tex"])
def test_slips_outside_the_statements_stand_apart(
    suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are no findings: the letter says that nobody but a reader has seen them."""
    about = replace(paper("noci2022"), slips=SLIPS)
    monkeypatch.setattr("audit.errata.document.paper", lambda name: about)
    text = errata(with_kinds(), "noci2022")[suffix]
    before, heading, after = text.partition("Slips outside the statements")
    assert heading and "no program has checked them" in " ".join(after.split())
    assert "2 outside the statements, found by reading alone, end the letter." in " ".join(
        before.split()
    )
    monkeypatch.setattr("audit.errata.document.paper", lambda name: replace(about, slips=()))
    assert "outside the statements" not in errata(with_kinds(), "noci2022")[suffix]
    shown = {
        "md": (r"$a\vert b$", r"$b _{i}$ \& all", "100% so"),
        "tex": ("$a|b$", r"$b_{i}$ \& all", r"100\% so"),
    }
    assert all(each in after for each in (*shown[suffix], "There is no Theorem 9."))


@TEX
def test_latex_sets_slips_without_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    about = replace(paper("noci2022"), slips=SLIPS)
    monkeypatch.setattr("audit.errata.document.paper", lambda name: about)
    ensure_sets_without_fault(errata(with_kinds(), "noci2022")["tex"], tmp_path)


@TEX
def test_latex_sets_errata_without_fault(tmp_path: Path) -> None:
    ensure_sets_without_fault(errata(with_kinds(), "noci2022")["tex"], tmp_path)


@TEX
@pytest.mark.parametrize("name", PAPERS)
def test_latex_sets_the_errata_of_the_audit_without_fault(
    name: str, audited: dict[str, Any], tmp_path: Path
) -> None:
    ensure_sets_without_fault(errata(audited, name)["tex"], tmp_path)


@TEX
def test_widths_are_those_that_latex_measures(tmp_path: Path) -> None:
    """No estimate is more than a twelfth short, and half of them are within a tenth."""
    found = formulas()
    measured = "\n".join(
        rf"\settowidth{{\w}}{{${style}{as_latex(Formula(f))}$}}\typeout{{W \the\w}}"
        for f in found
        for style in (r"\displaystyle ", "")
    )
    said = compiled(
        "\\documentclass[11pt]{article}\\usepackage[T1]{fontenc}\\usepackage[utf8]{inputenc}"
        "\\usepackage{lmodern}\\usepackage{amsmath,amssymb}\\newlength{\\w}\\begin{document}"
        f"{measured}\\end{{document}}",
        tmp_path,
    )
    widths = [float(w) / 10.95 for w in re.findall(r"^W ([\d.]+)pt", said, re.MULTILINE)]
    estimates = [width(nodes_of(f), style) for f in found for style in (DISPLAY, INLINE)]
    ratios = sorted(e / w for e, w in zip(estimates, widths, strict=True))
    assert ratios[0] > 11 / 12 and ratios[len(ratios) // 2] < 1.1


def test_prose_keeps_its_formulas_in_dollars() -> None:
    shown = environment("md").from_string("{{ x }}|{{ y|cell }}")
    assert shown.render(x=Prose(r"a $\{1\}$ b"), y=Formula(r"\|x| < 1")) == (
        r"a $\lbrace 1\rbrace$ b|\Vert x\vert  \lt  1"
    )
