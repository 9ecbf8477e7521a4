"""Long proofs in pieces: what several pages rest on is a lemma with a page of its own, once for all proofs.

Steps of long proofs that say the same by the same rule from the same steps are one, whichever claims
they serve.  From the theorems down, a step stands on the page that uses it; where several do, or that
page is full, it becomes a lemma, unless so little stands below it that it is rather repeated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

__all__ = ["Lemma", "Lemmas"]

Record = Mapping[str, Any]
Name = tuple[str, str]
"""Of a proof: its claim, and what of the claim it proves."""
WHOLE = 60
"""Different steps of a proof that stands on its claim's page, whatever it shares with others."""
FULL = 120
"""Steps of a page that takes no more, so that it opens at once."""
LITTLE, LEAST = 15, 10
"""A step with so few below it, and itself, is no lemma; nor is one whose page would hold fewer steps."""


@dataclass(frozen=True)
class Lemma:
    """A page: the lemma with the steps it follows from, and the claims whose proofs use it."""

    key: str
    steps: tuple[Record, ...]
    claims: tuple[str, ...]

    @property
    def formula(self) -> str:
        """What the lemma says: its own step rests on the others, and is the last."""
        return str(self.steps[-1]["claim"])


@dataclass(frozen=True)
class _Step:
    claim: str
    by: str
    premises: tuple[str, ...]


class Lemmas:
    """The lemmas of proofs that are listed as in an audit document, and what is left of each proof."""

    def __init__(self, proofs: Mapping[Name, Sequence[Record]]):
        self._steps: dict[str, _Step] = {}
        """Different steps by a digest of all that they say and rest on, premises first."""
        self._numbers: dict[Name, dict[str, int]] = {}
        """The first number of each step of a long proof, by that digest."""
        for name, steps in proofs.items():
            numbers, different = _different(steps)
            if len(numbers) > WHOLE:
                self._numbers[name] = numbers
                self._steps.update(different)
        self._places = {key: place for place, key in enumerate(self._steps)}
        self._lemmas, self._residents = self._placed()

    def of_proof(self, name: Name) -> list[Record] | None:
        """The steps of a long proof that stand on its claim's page, numbered as in the document."""
        if name not in self._numbers:
            return None
        return list(self._listed(name, self._numbers[name]))

    def count(self, name: Name) -> int:
        """The number of different steps of a long proof."""
        return len(self._numbers[name])

    @cached_property
    def pages(self) -> dict[str, Lemma]:
        """The lemmas by their keys."""
        return {
            key: Lemma(key, tuple(self._listed(key, None)), claims)
            for key, claims in self._claims().items()
        }

    def _listed(self, page: Any, numbers: Mapping[str, int] | None) -> Iterator[Record]:
        """The steps of a page, and without premises the lemmas that they follow from."""
        residents = self._residents[page]
        held = {p for key in residents for p in self._steps[key].premises} | residents
        order = sorted(held, key=self._places.__getitem__)
        numbers = numbers or {key: place for place, key in enumerate(order, 1)}
        for key in order:
            step = self._steps[key]
            record: dict[str, Any] = {"id": numbers[key], "claim": step.claim, "by": step.by}
            if key in residents:
                yield {**record, "from": [numbers[p] for p in step.premises]}
            else:
                yield {**record, "from": [], "lemma": key, "below": self._size[key] - 1}

    def _placed(self) -> tuple[set[str], dict[Any, set[str]]]:
        """Which steps are lemmas, and which steps stand on each page, that of a proof or of a lemma."""
        repeated = {key for key in self._steps if self._size[key] <= LITTLE}
        while True:
            residents = self._residents_where(repeated)
            lemmas = {page for page in residents if isinstance(page, str)}
            short = {key for key in lemmas if len(residents[key]) < LEAST}
            if not short:
                return lemmas, residents
            repeated |= short

    def _residents_where(self, repeated: set[str]) -> dict[Any, set[str]]:
        """What stands on each page, where some steps are no lemmas."""
        wanted: dict[str, set[Any]] = defaultdict(set)
        for name, roots in self._roots.items():
            for key in roots:
                wanted[key].add(name)
        theorems = set(wanted)
        residents: dict[Any, set[str]] = defaultdict(set)
        for key in reversed(self._steps):  # users come before their premises
            pages = wanted[key]
            alone = len(pages) == 1 and len(residents[next(iter(pages))]) < FULL
            if pages and not (alone or key in theorems or key in repeated):
                pages = {key}
            for page in pages:
                residents[page].add(key)
            for premise in self._steps[key].premises:
                wanted[premise] |= pages
        return residents

    @cached_property
    def _roots(self) -> dict[Name, list[str]]:
        """The steps of each long proof that no other step of it uses."""
        found = {}
        for name, numbers in self._numbers.items():
            used = {p for key in numbers for p in self._steps[key].premises}
            found[name] = [key for key in numbers if key not in used]
        return found

    @cached_property
    def _size(self) -> dict[str, int]:
        """How many different steps each step rests on, itself among them."""
        below: dict[str, int] = {}  # sets of places, as integers
        for key, step in self._steps.items():
            held = 1 << self._places[key]
            for premise in step.premises:
                held |= below[premise]
            below[key] = held
        return {key: held.bit_count() for key, held in below.items()}

    def _claims(self) -> dict[str, tuple[str, ...]]:
        """The claims whose proofs rest on each lemma."""
        found: dict[str, dict[str, None]] = {key: {} for key in self._lemmas}
        for (claim, _), numbers in self._numbers.items():
            for key in self._lemmas & numbers.keys():
                found[key][claim] = None
        return {key: tuple(claims) for key, claims in found.items()}


def _different(steps: Iterable[Record]) -> tuple[dict[str, int], dict[str, _Step]]:
    """The first number of each different step, and what it says; premises that are not listed before
    are left out."""
    keys: dict[Any, str] = {}
    numbers: dict[str, int] = {}
    found: dict[str, _Step] = {}
    for place, record in enumerate(steps, 1):
        premises = dict.fromkeys(keys[p] for p in record.get("from", ()) if p in keys)
        step = _Step(record["claim"], record["by"], tuple(premises))
        key = blake2b(repr(step).encode(), digest_size=6).hexdigest()
        keys[record.get("id", place)] = key
        numbers.setdefault(key, record.get("id", place))
        found[key] = step
    return numbers, found
