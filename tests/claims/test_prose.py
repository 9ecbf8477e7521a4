"""What a claim says in words: its mathematics stands between dollars, and every formula is LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from batches import in_batches

from audit.formulas.mathtext import mathml
from audit.sinks import is_mathematics
from claims.model import Claim
from claims.registry import encoded
from claims.statement import Predicate

CLAIMS = [c for claim in encoded().values() for c in (claim, claim.repair) if c is not None]
of_every_claim = in_batches(CLAIMS)

CODE = re.compile(r"`[^`]+`")
NO_WORD = re.compile(r"[_^\\=<>]|\|\||\+|\*")
"""What stands in formulas only."""
LETTER_NAMED = re.compile(
    r"\b(?:alpha|beta|gamma|epsilon|eps|zeta|eta|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|phi|chi"
    r"|psi|omega|sqrt)\b"
)
LETTER = re.compile(r"(?<![\w.'-])[b-zB-HJ-Z](?![\w'-])")
"""A letter by itself that is neither an article nor a pronoun."""
PLACE = re.compile(
    r"\b(?:App\.|Apps\.|Sec\.|Lemmas?|Theorems?|Corollary) [A-G](?:\.\d+)*|\(i{1,3}\)|i\.i\.d\."
)
"""Sections, lemmas and conditions of a paper, which have letters for names."""


def prose(claim: Claim) -> Iterator[str]:
    """Every text of a claim that holds mathematics between dollars."""
    yield from (claim.title, claim.note)
    for understood in claim.understood:
        yield from (understood.hypothesis, understood.instance)
    for piece in claim.formula.walk():
        if isinstance(piece, Predicate):
            yield piece.words


def words_of(text: str) -> str:
    """The text without its formulas, its ids and the names of sections."""
    return PLACE.sub("", CODE.sub("", " \u2020 ".join(text.split("$")[::2])))


def is_shown(formula: str) -> bool:
    """Whether a page shows it as mathematics, not as code."""
    return is_mathematics(formula) and "<code>" not in mathml(formula)


@of_every_claim
def test_formulas_in_prose_are_shown(claim: Claim) -> None:
    for text in prose(claim):
        assert text.count("$") % 2 == 0, text
        for formula in text.split("$")[1::2]:
            assert is_shown(formula), formula


@of_every_claim
def test_words_hold_no_formula(claim: Claim) -> None:
    for text in prose(claim):
        words = words_of(text)
        for leak in (NO_WORD, LETTER_NAMED, LETTER):
            found = leak.search(words)
            assert found is None, (found, text)


@of_every_claim
def test_prose_names_claims_by_their_ids(claim: Claim) -> None:
    """An id stands in backticks, and a claim has it."""
    ids = {c.id for c in CLAIMS}
    for text in prose(claim):
        for named in re.findall(rf"\b{claim.paper}\.[\w.-]*\w", text):
            assert named in ids, named
            assert f"`{named}`" in text or f" {named}`" in text, text


@of_every_claim
def test_printed_formula_is_shown(claim: Claim) -> None:
    """What is ours, repairs and claims beyond the paper, has no printed formula."""
    if claim.printed is not None:
        assert is_shown(claim.printed)
        assert claim.parent is None
        assert ".beyond." not in claim.id


@of_every_claim
def test_hypotheses_are_shown(claim: Claim) -> None:
    for hypothesis in claim.hypotheses:
        assert is_shown(hypothesis.latex), hypothesis.latex


@pytest.mark.parametrize(
    "text",
    [
        "With d_k = d the norm is small.",
        "The norm grows with rho.",
        "The factor d is missing.",
        r"The sum is \sum.",
        "The norm ||X|| is small.",
    ],
)
def test_a_formula_in_words_is_found(text: str) -> None:
    words = words_of(text)
    assert any(leak.search(words) for leak in (NO_WORD, LETTER_NAMED, LETTER))


@pytest.mark.parametrize(
    "text",
    [
        "As in App. A.5 under (i), with T-Fixup; see `noci2022.eq-18` for a value of $d_k = d$.",
        "I.i.d. tokens: the paper's A3 is a bound, as Sec. 3 and Eq. (18) say.",
    ],
)
def test_names_of_places_are_words(text: str) -> None:
    words = words_of(text)
    assert not any(leak.search(words) for leak in (NO_WORD, LETTER_NAMED, LETTER))
