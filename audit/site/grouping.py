"""Which claims are steps of which statement, from ids, sources, titles of sections and uses.

A unit is what a paper's page lists: a numbered statement, called as the paper calls it
("Lemma 3.1"), with all claims that it makes; or one claim without a number, called by its id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from audit.site.places import Name, in_appendix, named_in, place_of

__all__ = ["Grouping"]

Record = Mapping[str, Any]
REMARKS = frozenset({"prose", "experiment"})
"""Kinds that the title "Proof of Theorem 3" does not make steps of that proof."""


class Grouping:
    """Where each claim of one paper stands.

    `parent` maps a claim to the one whose id it extends, `step_of` a claim to the unit whose proof
    it is in, `unit_of` every other claim to its own unit; `home` maps a unit to its section.
    """

    def __init__(self, records: Sequence[Record], titles: Mapping[str, str]) -> None:
        self.records = {record["id"]: record for record in records}
        self.titles = titles
        self.places = {record["id"]: place_of(record) for record in records}
        self.parent = {
            claim: parent
            for claim, parent in _parents(self.records).items()
            if self.places[parent].statement not in self.places[claim].proves
        }
        self.unit_of = {
            claim: str(self.places[claim].statement or claim)
            for claim in self.records
            if claim not in self.parent
        }
        self.home = self._homes()
        self.step_of: dict[str, str] = {}
        for rule in (self._said, self._of_titled_sections, self._used, self._between):
            rule()

    def section(self, claim: str) -> str:
        """The section that a claim's source names; empty where it names none."""
        return self.places[claim].section

    def _homes(self) -> dict[str, str]:
        """The section of each unit: that of its first claim, or of its proof if this is more exact."""
        homes: dict[str, str] = {}
        for claim, unit in self.unit_of.items():
            homes[unit] = homes.get(unit) or self.section(claim)
        for claim, place in self.places.items():
            for unit in map(str, place.proves[:1]):
                if unit in homes and self.section(claim).startswith(f"{homes[unit]}."):
                    homes[unit] = self.section(claim)
        return homes

    def _said(self) -> None:
        """Its id or source says that a claim is of a proof; Theorem 2's (26) in C.1.1 is of its proof."""
        for claim, unit in list(self.unit_of.items()):
            place = self.places[claim]
            if place.proves:
                self._make_step(claim, place.proves)
            elif in_appendix(self.section(claim)) and not in_appendix(self.home[unit]):
                self._make_step(claim, [place.statement] if place.statement else [])

    def _of_titled_sections(self) -> None:
        """A formula in a section called "Proof of Theorem 3" is a step of that proof."""
        for claim in self._lone():
            if self.records[claim]["kind"] not in REMARKS and not self._beside(claim):
                self._make_step(claim, self._proved_in(self.section(claim)))

    def _used(self) -> None:
        """What a statement of the main text uses from an appendix, and what that uses there."""
        users: dict[str, list[str]] = {}
        for user, record in self.records.items():
            for used in record["uses"]:
                users.setdefault(used, []).append(user)
        found = True
        while found:
            found = False
            for claim in self._lone():
                owners = (self._owner(user, claim) for user in users.get(claim, ()))
                owner = next((o for o in owners if o not in {None, claim}), None)
                if owner and in_appendix(self.section(claim)) and not self._beside(claim):
                    self._put(claim, owner)
                    found = True

    def _owner(self, user: str, claim: str) -> str | None:
        if user in self.step_of:
            return self.step_of[user] if self.section(user) == self.section(claim) else None
        unit = self.unit_of.get(user)
        if unit is None or self.records[user]["kind"] == "experiment":
            return None
        return None if in_appendix(self.home[unit]) else unit

    def _between(self) -> None:
        """What stands between two steps of one proof is a step of it."""
        lone = set(self._lone())
        for section in filter(in_appendix, dict.fromkeys(self.home.values())):
            own = [claim for claim in self.records if self.section(claim) == section]
            for place, claim in enumerate(own):
                before = [self.step_of[c] for c in own[:place] if c in self.step_of][-1:]
                after = [self.step_of[c] for c in own[place:] if c in self.step_of][:1]
                remark = self.records[claim]["kind"] in REMARKS
                if claim in lone and before and before == after and not remark:
                    self._put(claim, before[0])

    def _lone(self) -> list[str]:
        """Claims that are a unit by themselves."""
        return [claim for claim, unit in self.unit_of.items() if claim == unit]

    def _beside(self, claim: str) -> bool:
        """Whether a claim stands after a statement of its own section: a remark on it."""
        return "after" in self.records[claim]["source"] and any(
            self.home.get(str(name)) == self.section(claim) for name in self.places[claim].mentions
        )

    def _proved_in(self, section: str) -> Sequence[Name]:
        """The one statement that a section, by its title or that of one around it, proves."""
        while section:
            title = self.titles.get(section, "")
            named = named_in(title)
            if "Proof" in title and len(named) == 1:
                return named
            section = section.rpartition(".")[0]
        return ()

    def _make_step(self, claim: str, names: Iterable[Name]) -> None:
        """A step of the first of these statements that some claim makes, whatever it calls its kind."""
        units = set(self.unit_of.values())
        numbers = {unit.rpartition(" ")[2]: unit for unit in units if " " in unit}
        known = [str(n) for n in names if str(n) in units]
        known += [numbers[n.number] for n in names if n.number in numbers]
        if known and known[0] != claim:
            self._put(claim, known[0])

    def _put(self, claim: str, unit: str) -> None:
        self.step_of[claim] = unit
        del self.unit_of[claim]


def _parents(claims: Mapping[str, Record]) -> dict[str, str]:
    """The claim whose id, up to a dot, each claim's id extends."""
    found = {}
    for claim in claims:
        head = claim.rpartition(".")[0]
        while head and head not in claims:
            head = head.rpartition(".")[0]
        if head:
            found[claim] = head
    return found
