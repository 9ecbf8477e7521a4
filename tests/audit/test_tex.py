"""LaTeX source read for its statements: numbers, sections, shared counters, rows, bad input."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.scaffold import entries_of
from audit.tex.source import BadSource
from audit.tex.statements import Statement, statements_of, title_of

MAIN = r"""
\documentclass{article}
\title{A \emph{short} paper}
\newtheorem{thm}{Theorem}[section]
\newtheorem{lem}[thm]{Lemma} % shares its counter
\newtheorem*{rem}{Remark}
\declaretheorem[name=Claim,numbered=no]{clm}
\newcommand{\be}{\begin{equation}}
\newcommand{\ee}{\end{equation}}
% \begin{document} \begin{thm} never \end{thm}
\begin{document}
\section{Intro}
\begin{equation}\label{eq:one} a = b % = c
\end{equation}
\be c \le d \ee
\begin{thm}[Main] For all $x$, \begin{align} x &\le y \label{l} \\ y &< z \nonumber \\
  z &= \begin{cases} 1 & p \\ 2 & q \end{cases} \end{align} \end{thm}
\section*{Not counted}
\input{more}
\iffalse \begin{thm} hidden \end{thm} \fi
\begin{comment} \begin{broken} \end{comment}
\appendix
\section{Proofs}
\begin{lem}\label{lem:k} $k\to\infty$ 50\% \end{lem}
\begin{proof} \begin{equation*} u = v \end{equation*} \[ w = v \] \end{proof}
\begin{align*} u &= v \tag{$\star$} \\ b &= c \end{align*}
\begin{subequations} \begin{align} a &= 1 \\ b &= 2 \end{align} \end{subequations}
\begin{equation} \begin{split} p &= q \\ &= r \end{split} \end{equation}
\begin{rem} nice \end{rem}
\begin{clm} fine \end{clm}
\begin{restatable}[Named]{thm}{again} twice \end{restatable}
\end{document}
\begin{thm} after the end \end{thm}
"""
MORE = r"""
\section{More}
\begin{lem} small \end{lem}
\begin{corollary} known to classes \end{corollary}
\begin{equation} \lim_n a_n = 0 \end{equation}
"""


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    (tmp_path / "more.tex").write_text(MORE)
    main = tmp_path / "main.tex"
    main.write_text(MAIN)
    return main


def test_every_statement_is_found_with_its_number_and_section(paper: Path) -> None:
    assert [(s.name, s.number, s.section, s.printed, s.label) for s in statements_of(paper)] == [
        ("Eq.", "1", "Sec. 1", "a = b", "eq:one"),
        ("Eq.", "2", "Sec. 1", r"c \le d", ""),
        ("Theorem", "1.1", "Sec. 1", r"For all $x$, \begin{align} x &\le y \\ y &< z \\ z &= "
         r"\begin{cases} 1 & p \\ 2 & q \end{cases} \end{align}", ""),
        ("Eq.", "3", "Sec. 1", r"x \le y", "l"),
        ("Eq.", "4", "Sec. 1", r"z = \begin{cases} 1 & p \\ 2 & q \end{cases}", ""),
        ("Lemma", "2.1", "Sec. 2", "small", ""),
        ("Corollary", "1", "Sec. 2", "known to classes", ""),
        ("Eq.", "5", "Sec. 2", r"\lim_n a_n = 0", ""),
        ("Lemma", "A.1", "App. A", r"$k\to\infty$ 50\%", "lem:k"),
        ("Eq.", r"\star", "App. A", "u = v", ""),
        ("Eq.", "6a", "App. A", "a = 1", ""),
        ("Eq.", "6b", "App. A", "b = 2", ""),
        ("Eq.", "7", "App. A", r"\begin{split} p &= q \\ &= r \end{split}", ""),
        ("Remark", "", "App. A", "nice", ""),
        ("Claim", "", "App. A", "fine", ""),
        ("Theorem", "A.2", "App. A", "twice", ""),
    ]  # fmt: skip
    assert title_of(paper) == "A short paper"


def test_equations_may_be_counted_within_sections(tmp_path: Path) -> None:
    main = tmp_path / "main.tex"
    rows = r"\begin{gather} a \\ b \end{gather}"
    main.write_text(
        rf"\numberwithin{{equation}}{{section}}\begin{{document}}\section{{A}}{rows}"
        rf"\section{{B}}\subsection{{C}}{rows}\end{{document}}"
    )
    found = [(s.number, s.section) for s in statements_of(main)]
    assert found == [("1.1", "Sec. 1"), ("1.2", "Sec. 1"), ("2.1", "Sec. 2.1"), ("2.2", "Sec. 2.1")]


def test_theorems_of_a_local_style_file_are_known(tmp_path: Path) -> None:
    (tmp_path / "mine.sty").write_text(r"\newtheorem{satz}{Satz}")
    main = tmp_path / "main.tex"
    main.write_text(
        r"\usepackage{amsmath,mine}\begin{document}\begin{satz} x \end{satz}\end{document}"
    )
    assert [(s.name, s.number) for s in statements_of(main)] == [("Satz", "1")]


def test_entries_have_ids_of_their_own_and_a_kind(paper: Path) -> None:
    entries = {e["id"]: e for e in entries_of("mine", statements_of(paper))}
    assert list(entries) == [
        "mine.eq-1", "mine.eq-2", "mine.theorem-1.1", "mine.eq-3", "mine.eq-4", "mine.lemma-2.1",
        "mine.corollary-1", "mine.eq-5", "mine.lemma-A.1", "mine.eq-star", "mine.eq-6a",
        "mine.eq-6b", "mine.eq-7", "mine.remark", "mine.claim", "mine.theorem-A.2",
    ]  # fmt: skip
    kinds = {name: e["kind"] for name, e in entries.items()}
    assert kinds["mine.eq-1"] == "identity" and kinds["mine.eq-2"] == "bound"
    assert kinds["mine.eq-5"] == "limit" and kinds["mine.lemma-2.1"] == "prose"
    assert entries["mine.lemma-A.1"]["source"] == "App. A, Lemma A.1"
    twice = entries_of("p", [Statement("Remark", "", "", "x"), Statement("Remark", "", "", "y")])
    assert [e["id"] for e in twice] == ["p.remark", "p.remark.2"]


@pytest.mark.parametrize(
    ("text", "fragment"),
    [
        (None, "cannot be read (No such file or directory); give the paper's main file"),
        ("no paper", r"holds no \begin{document}"),
        (r"\begin{document} x", r"no \end{document} follows"),
        (r"\begin{document}\begin{lemma} x \end{theorem}\end{document}", "unbalanced near"),
        (r"\begin{document}\begin{lemma} {x \end{lemma}\end{document}", "unbalanced near"),
        (r"\begin{document} $x \end{document}", "unbalanced near"),
        (r"\begin{document}\input{gone}\end{document}", "gone.tex: cannot be read"),
        (r"\begin{document}\input{main}\end{document}", "inputs itself"),
        ("\0\\begin{document}", "is no text"),
        (r"\begin{document}" + "{" * 5000 + "}" * 5000 + r"\end{document}", "without end"),
    ],
)
def test_bad_source_is_named_in_one_line(text: str | None, fragment: str, tmp_path: Path) -> None:
    main = tmp_path / "main.tex"
    if text is not None:
        main.write_text(text)
    with pytest.raises(BadSource) as caught:
        statements_of(main)
    assert fragment in str(caught.value) and "\n" not in str(caught.value)
