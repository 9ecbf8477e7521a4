"""A paper's page follows the paper: where a claim stands is read from its id, source and uses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from audit.site.outline import Outline, outline
from audit.site.places import Name, named_in, place_of, section_order
from claims.registry import Paper, Slip, encoded, paper

PAPERS = ("noci2022", "wu2024", "naitsaada2025", "im2026")


def claim(name: str, source: str, **more: Any) -> dict[str, Any]:
    return {
        "id": f"p.{name}", "paper": "p", "source": source, "kind": "identity", "title": "",
        "verdict": "proved", "uses": [], **more,
    }  # fmt: skip


def ids(records: Iterable[Mapping[str, Any]]) -> list[str]:
    return [record["id"].removeprefix("p.") for record in records]


def shape(found: Outline) -> dict[str, list[Any]]:
    """Section by section, the units: name, claims and steps by id."""
    return {
        section.number: [
            (unit.name, ids(r for e in unit.claims for r in e.walk()), ids(unit.stepped))
            for unit in section.units
        ]
        for section in found.sections
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "source", "section", "statement", "proves"),
    [
        ("lemma-3.1.values", "Sec. 3.1, Lemma 3.1, Eq. (6)", "3.1", "Lemma 3.1", ""),
        ("eq-25.dA", "App. D.1, proof of Lemma D.1, Eq. (25)", "D.1", "", "Lemma D.1"),
        ("z", "App. D.1, proof of Thm D.7, Eqs. (92)-(94)", "D.1", "", "Theorem D.7"),
        ("limit-law", "App. A.2, proofs of Props 3.7 and A.8", "A.2", "", "Proposition 3.7"),
        ("intro.lambda1", "Sec. 1, and Theorem 2.1", "1", "", ""),
        ("fig-4", "Fig. 4; Sec. 3.2; App. B.1", "3.2", "", ""),
        ("thm-1.eps", "Theorem 1, Eq. (5); Lemma 1 (App. B.1)", "", "Theorem 1", ""),
        ("thm-1.proof-eq-17", "App. B.2, Eq. (17)", "B.2", "", "Theorem 1"),
        ("rem-3.5.sr", "Sec. 3.1, Remark 3.5, and the proof of Prop. 3.4", "3.1", "Remark 3.5", ""),
        ("note", "Sec. 3.1, after Lemma 3.1", "3.1", "", ""),
        ("app-F3.lemma-11", "App. F.3, Lemma 11", "F.3", "Lemma 11", ""),
        ("A.1.3.tower", "App. A.1.3, second display", "A.1.3", "", ""),
    ],
)
def test_what_a_source_says(
    name: str, source: str, section: str, statement: str, proves: str
) -> None:
    place = place_of(claim(name, source))
    assert place.section == section
    assert str(place.statement or "") == statement
    assert [str(n) for n in place.proves[:1]] == ([proves] if proves else [])


def test_statements_with_two_numbers_and_none() -> None:
    assert named_in("Theorems D.7, D.10 and Lemma A.2") == (
        Name("Theorem", "D.7"), Name("Lemma", "A.2"),
    )  # fmt: skip
    assert named_in("Assumption before Eq. (18), Lemma " + "9" * 5000) == ()


def test_sections_sort_as_in_a_paper() -> None:
    numbers = ["B", "A.2", "10", "A.1.2", "2.1", "A.1", "2"]
    assert sorted(numbers, key=section_order) == ["2", "2.1", "10", "A.1", "A.1.2", "A.2", "B"]


def test_steps_stand_under_what_they_prove() -> None:
    """By id, by words, by the title of the section, by use, and between two steps."""
    found = outline(
        [
            claim("lemma-1.a", "Sec. 2, Lemma 1, Eq. (1)"),
            claim("eq-9", "Sec. 3, Eq. (9)", uses=["p.used"]),
            claim("lemma-1.b", "Sec. 2, Lemma 1, Eq. (2)"),
            claim("lemma-1.b.step", "Sec. 2, Lemma 1, Eq. (2)"),
            claim("said", "App. A.1, proof of Lemma 1"),
            claim("titled", "App. B, first display"),
            claim("remark", "App. B, last sentence", kind="prose"),
            claim("used", "App. A.2, Eq. (20)", uses=["p.deeper"]),
            claim("between", "App. A.2, Eq. (21)"),
            claim("deeper", "App. A.2, Eq. (22)"),
            claim("lone", "App. A.2, Eq. (23)"),
            claim("lemma-4", "App. A.2, Lemma 4"),
            claim("after", "App. A.2, after Lemma 4"),
            claim("nowhere", "the abstract"),
            claim("beyond.more", "Sec. 2, Lemma 1", ours=True),
        ],
        {"B": "Proof of Lemma 1"},
    )
    assert shape(found) == {
        "2": [("Lemma 1", ["lemma-1.a", "lemma-1.b", "lemma-1.b.step"], ["said", "titled"])],
        "3": [("", ["eq-9"], ["used", "between", "deeper"])],
        "A": [],
        "A.1": [],
        "A.2": [("", ["lone"], []), ("Lemma 4", ["lemma-4"], []), ("", ["after"], [])],
        "B": [("", ["remark"], [])],
    }
    assert [(s.number, [(u.called, n) for u, n in s.elsewhere]) for s in found.sections if s.elsewhere] == [
        ("A.1", [("Lemma 1", 1)]), ("A.2", [("Sec. 3, Eq. (9)", 3)]), ("B", [("Lemma 1", 1)]),
    ]  # fmt: skip
    assert [unit.called for unit in found.unplaced] == ["the abstract"]
    assert [entry.record["id"] for entry in found.ours] == ["p.beyond.more"]


def test_a_statement_is_placed_by_its_proof_where_this_is_more_exact() -> None:
    records = [claim("thm-5", "App. D, Theorem 5"), claim("x", "App. D.2, proof of Theorem 5")]
    assert shape(outline(records, {})) == {"D": [], "D.2": [("Theorem 5", ["thm-5"], ["x"])]}


@pytest.mark.parametrize("name", PAPERS)
def test_every_claim_of_a_paper_stands_once_in_a_section_that_it_has(name: str) -> None:
    records = [
        {
            "id": c.id, "paper": c.paper, "source": str(c.source), "kind": c.kind, "title": c.title,
            "uses": [used.id for used in c.uses], "verdict": "proved", "ours": ".beyond." in c.id,
        }
        for c in encoded().values() if c.paper == name
    ]  # fmt: skip
    sections = paper(name).sections
    found = outline(records, sections)
    placed = [
        record["id"]
        for section in found.sections
        for unit in section.units
        for entry in (*unit.claims, *unit.steps)
        for record in entry.walk()
    ] + [entry.record["id"] for entry in found.ours]
    assert sorted(placed) == sorted(record["id"] for record in records)
    assert {section.number for section in found.sections} <= sections.keys()
    assert found.unplaced == []


@pytest.mark.parametrize(
    "wrong",
    [
        {"title": 1}, {"sections": ["A"]}, {"sections": {"A": None}}, {"slips": "$x$ for $y$"},
        {"slips": [Slip("Sec. 1", "$x$", "$y$", None)]},  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_what_is_known_of_a_paper_is_text(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="of p"):
        Paper("p", **{"title": "t", **wrong})
