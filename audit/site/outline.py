"""A paper as its page shows it: its sections in order, the statements in them, steps under these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from audit.site.grouping import Grouping
from audit.site.places import in_appendix, section_order

__all__ = ["Entry", "Outline", "Section", "Unit", "outline"]

Record = Mapping[str, Any]


@dataclass
class Entry:
    """A claim and the claims that are steps towards it."""

    record: Record
    steps: list[Entry] = field(default_factory=list)

    def walk(self) -> Iterator[Record]:
        """Its record and those of everything under it."""
        yield self.record
        for step in self.steps:
            yield from step.walk()


@dataclass
class Unit:
    """A numbered statement with the claims that it makes, or a claim without a number (`name` "")."""

    name: str
    claims: list[Entry] = field(default_factory=list)
    steps: list[Entry] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        """What a link to this statement ends with."""
        return self.name.replace(" ", "-").lower() or f"at-{self.claims[0].record['id']}"

    @property
    def called(self) -> str:
        return self.name or self.claims[0].record["source"]

    @property
    def stepped(self) -> list[Record]:
        """The records of all steps of its proof."""
        return [record for step in self.steps for record in step.walk()]


@dataclass
class Section:
    """A section of the paper, and the units elsewhere under which its other claims stand, counted."""

    number: str
    title: str
    units: list[Unit] = field(default_factory=list)
    elsewhere: list[tuple[Unit, int]] = field(default_factory=list)

    @property
    def label(self) -> str:
        return f"{'App.' if in_appendix(self.number) else 'Sec.'} {self.number}"

    @property
    def depth(self) -> int:
        """How many sections are around it."""
        return self.number.count(".")


@dataclass
class Outline:
    """The sections of a paper, units whose source names no section, and statements of our own."""

    sections: list[Section]
    unplaced: list[Unit]
    ours: list[Entry]


def outline(records: Sequence[Record], titles: Mapping[str, str]) -> Outline:
    """The outline of one paper; `titles` are those of its sections, by number."""
    printed = [record for record in records if not record.get("ours")]
    grouping = Grouping(printed, titles)
    units = _units(grouping)
    numbers = {grouping.home[key] for key in units} | set(map(grouping.section, grouping.step_of))
    sections = {number: Section(number, titles.get(number, "")) for number in _with_outer(numbers)}
    for key in sorted(units, key=_first_at_home(grouping).__getitem__):
        if grouping.home[key]:
            sections[grouping.home[key]].units.append(units[key])
    for (number, key), count in _told_elsewhere(grouping).items():
        sections[number].elsewhere.append((units[key], count))
    return Outline(
        list(sections.values()),
        [unit for key, unit in units.items() if not grouping.home[key]],
        [Entry(record) for record in records if record.get("ours")],
    )


def _units(grouping: Grouping) -> dict[str, Unit]:
    entries = {claim: Entry(record) for claim, record in grouping.records.items()}
    units = {key: Unit("" if key in entries else key) for key in grouping.unit_of.values()}
    for claim, entry in entries.items():
        if claim in grouping.parent:
            entries[grouping.parent[claim]].steps.append(entry)
        elif claim in grouping.step_of:
            units[grouping.step_of[claim]].steps.append(entry)
        else:
            units[grouping.unit_of[claim]].claims.append(entry)
    return units


def _with_outer(numbers: set[str]) -> list[str]:
    """Numbers of sections and of those around them, in the paper's order."""
    all_of_them = set()
    for number in filter(None, numbers):
        parts = number.split(".")
        all_of_them |= {".".join(parts[:k]) for k in range(1, len(parts) + 1)}
    return sorted(all_of_them, key=section_order)


def _first_at_home(grouping: Grouping) -> dict[str, int]:
    """The place of each unit among its neighbours: that of its first claim in the unit's section."""
    first: dict[str, tuple[bool, int]] = {}
    for place, claim in enumerate(grouping.records):
        unit = grouping.unit_of.get(claim)
        if unit is not None:
            here = (grouping.section(claim) != grouping.home[unit], place)
            first[unit] = min(first.get(unit, here), here)
    return {unit: place for unit, (_, place) in first.items()}


def _told_elsewhere(grouping: Grouping) -> Counter[tuple[str, str]]:
    """How many steps of each section stand under each unit of another one."""
    return Counter(
        (grouping.section(claim), unit)
        for claim, unit in grouping.step_of.items()
        if grouping.section(claim) and grouping.section(claim) != grouping.home[unit]
    )
