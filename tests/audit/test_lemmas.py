"""Long proofs in pieces: nothing lost, every premise on its step's page, and what proofs share once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audit.site import lemmas as pieces
from audit.site.lemmas import Lemmas

Record = Mapping[str, Any]


@pytest.fixture(scope="module", autouse=True)
def small_pages() -> Iterator[None]:
    """Limits that proofs of a few dozen steps reach."""
    with pytest.MonkeyPatch.context() as changed:
        for name, value in {"WHOLE": 6, "FULL": 8, "LITTLE": 2, "LEAST": 3}.items():
            changed.setattr(pieces, name, value)
        yield


def step(number: int, *premises: int) -> dict[str, Any]:
    return {"id": number, "claim": f"x_{{{number}}}", "by": "algebra", "from": list(premises)}


@st.composite
def proofs(draw: st.DrawFn) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """Proofs that begin with the same steps, each step resting on some of those before it."""
    shared = draw(st.integers(0, 30))

    def grown(steps: list[dict[str, Any]], until: int) -> list[dict[str, Any]]:
        for number in range(len(steps) + 1, until + 1):
            before = st.lists(st.integers(max(1, number - 8), max(1, number - 1)), max_size=3)
            steps.append(step(number, *(draw(before) if number > 1 else ())))
        return steps

    common = grown([], shared)
    names = ["p.one", "p.two", "p.three"][: draw(st.integers(1, 3))]
    return {(name, ""): grown(list(common), shared + draw(st.integers(1, 25))) for name in names}


def meaning(steps: Sequence[Record]) -> dict[int, Any]:
    """What each step says with all that it rests on."""
    said: dict[int, Any] = {}
    for each in steps:
        said[each["id"]] = (each["claim"], frozenset(said[p] for p in each["from"]))
    return said


def read(steps: Sequence[Record], found: Lemmas) -> dict[int, Any]:
    """The same from the pages, following the links to lemmas."""
    said: dict[int, Any] = {}
    for each in steps:
        if "lemma" in each:
            page = found.pages[each["lemma"]]
            assert page.formula == each["claim"] and not each["from"]
            said[each["id"]] = read(page.steps, found)[page.steps[-1]["id"]]
        else:
            said[each["id"]] = (each["claim"], frozenset(said[p] for p in each["from"]))
    return said


@given(proofs())
def test_the_pages_of_a_proof_say_what_the_proof_says(given: dict) -> None:
    found = Lemmas(given)
    for name, steps in given.items():
        here = found.of_proof(name)
        if here is None:
            assert len(meaning(steps)) <= pieces.WHOLE
            continue
        told, whole = read(here, found), meaning(steps)
        assert all(whole[number] == what for number, what in told.items())
        used = {p for each in steps for p in each["from"]}
        assert {whole[each["id"]] for each in steps if each["id"] not in used} <= set(told.values())


@given(proofs())
def test_a_page_of_a_lemma_is_worth_one_and_names_its_claims(given: dict) -> None:
    found = Lemmas(given)
    for key, lemma in found.pages.items():
        own = [each for each in lemma.steps if "lemma" not in each]
        assert len(own) >= pieces.LEAST and own[-1]["claim"] == lemma.formula
        users = {
            name
            for (name, _), steps in given.items()
            if found.of_proof((name, "")) and lemma.formula in {each["claim"] for each in steps}
        }
        assert set(lemma.claims) <= users
        links = [
            each
            for page in (*filter(None, map(found.of_proof, given)), *(p.steps for p in found.pages.values()))
            for each in page
            if each.get("lemma") == key
        ]  # fmt: skip
        assert links and {each["below"] for each in links} == {below(lemma.steps, found) - 1}


def below(steps: Sequence[Record], found: Lemmas) -> int:
    """The number of different steps of a page and of all pages that it leads to."""
    said = set()

    def walk(page: Sequence[Record]) -> None:
        for each in page:
            if "lemma" in each:
                walk(found.pages[each["lemma"]].steps)
        said.update(read(page, found).values())

    walk(steps)
    return len(said)


def test_what_two_proofs_share_is_one_lemma() -> None:
    common = [step(1), step(2, 1), step(3, 2), step(4, 3), step(5, 4)]
    one = [*common, step(6, 5), step(7, 6)]
    two = [*common, {**step(6, 5), "claim": "y"}, {**step(7, 6), "claim": "z"}]
    found = Lemmas({("p.one", ""): one, ("p.two", "correction"): two})
    (lemma,) = found.pages.values()
    assert lemma.formula == "x_{5}" and lemma.claims == ("p.one", "p.two")
    assert [each["id"] for each in found.of_proof(("p.one", "")) or ()] == [5, 6, 7]
    assert found.count(("p.one", "")) == 7 and found.of_proof(("p.two", "correction"))


def test_premises_that_are_not_listed_before_are_left_out() -> None:
    looped = [step(number, number + 1, 99) for number in range(1, 9)]
    found = Lemmas({("p.one", ""): looped})
    assert [each["from"] for each in found.of_proof(("p.one", "")) or ()] == [[]] * 8
