"""What the letters of a statement stand for is said of those that stand in it, and of no others."""

from __future__ import annotations

import pytest

from audit.words.symbols import symbols_sentence
from claims.registry import encoded, paper

PAPERS = ("noci2022", "wu2024", "naitsaada2025", "im2026")


def said(name: str, statement: str) -> str:
    return str(symbols_sentence({"paper": name, "statement": statement}) or "")


def letters(name: str, statement: str) -> set[str]:
    return {letter for letter in paper(name).symbols if f"${letter}$:" in said(name, statement)}


@pytest.mark.parametrize(
    ("name", "statement", "held"),
    [
        ("wu2024", r"\mu(X^{(t)}) \le C \left(1 - \epsilon^{r}\right)^{t/r}", {"t", "r", r"\mu"}),
        ("wu2024", r"(i, i) \in E(\mathcal{G})", {r"\mathcal G"}),
        ("im2026", r"\|W_O-s\eta\bar B\|_F \le 3 s^{2} \eta^{2}", {"s", r"\eta", r"\bar B"}),
        ("im2026", r"\forall\,j\in\{1,\dots,|\mathcal{V}|\}:\ \Sigma_{\bar B} = 0",
         {r"|\mathcal V|", r"\Sigma_{\bar B}", r"\bar B"}),
        ("noci2022", r"\frac{d_{v} \sigma_{k}^{2}}{n^{2}} \tilde\alpha_{1}",
         {"n", "d_v", r"\sigma_k", r"\tilde\alpha_1"}),
        ("naitsaada2025", r"\sigma_{qk}^{8} \left(d_{qk} + T\right)", {"T", "d_{qk}", r"\sigma_{qk}"}),
    ],
)  # fmt: skip
def test_letters_of_a_statement_are_found(name: str, statement: str, held: set[str]) -> None:
    assert letters(name, statement) == held


@pytest.mark.parametrize(
    ("name", "statement"),
    [
        ("wu2024", r"\mathrm{dist}(i, j) = N' + \operatorname{tr}(M)"),
        ("naitsaada2025", r"d_{1} + \mathcal{T} + \mathbb{E}[\text{T and d}]"),
        ("im2026", r"\mathcal N(0, 1) + \mathcal{L} + \tilde{T} + L_{i} + \sin\beta"),
        ("noci2022", r"X_{i,:} + \bar{X} + n' + \alpha_{12}"),
        ("a-paper-of-nobody", "n + d"),
    ],
)
def test_letters_of_other_symbols_are_none(name: str, statement: str) -> None:
    assert said(name, statement) == ""


@pytest.mark.parametrize("name", PAPERS)
def test_every_letter_of_a_glossary_stands_in_some_statement(name: str) -> None:
    statements = [c.statement.latex() for c in encoded().values() if c.paper == name]
    found = set[str]().union(*(letters(name, statement) for statement in statements))
    assert found == set(paper(name).symbols)
