"""A proof as a tree: the theorem on top, below each step those that it follows from.

Documents list steps with the numbers of their premises.  A step that several others use stands once,
where it is first needed; steps with one premise go on in the list of that premise, so that only what
branches is nested.  Steps that say the same by the same rule from the same premises are one.
Documents of schema 1 hold no premises: their steps are a list.  Of a long proof some steps are lemmas
with pages of their own (`audit.site.lemmas`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from audit.sinks import Prose
from audit.site.rules import Rule, rule_of

__all__ = ["Proof", "Run", "Step", "proof_tree"]

Record = Mapping[str, Any]
OPEN_STEPS, OPEN_LEVELS = 12, 1
"""A proof of so many steps is shown unfolded; of a longer one, so many levels below the theorem."""
SHORTEST_RUN = 3


@dataclass(frozen=True)
class Step:
    """One step: what it says, why, from which steps, and those of them that are shown below it."""

    id: int
    formula: str
    rule: Rule
    sentence: Prose
    premises: tuple[int, ...]
    parts: tuple[Step | Run, ...]
    opened: bool
    lemma: str = ""
    """The key of the page on which a lemma is shown with the steps that it follows from."""
    elsewhere: int = 0
    """The number of steps there."""

    @property
    def below(self) -> int:
        """The number of steps under this one."""
        return _count(self.parts)


@dataclass(frozen=True)
class Run:
    """Several steps in a row by one rule."""

    rule: Rule
    steps: tuple[Step, ...]

    @property
    def below(self) -> int:
        """The number of steps in the run, and under them."""
        return _count(self.steps)


@dataclass(frozen=True)
class Proof:
    """The tree of the theorem, what was checked beside it, and how many steps the document lists.

    `here` is the number of different steps that the tree shows.
    """

    tree: tuple[Step | Run, ...]
    beside: tuple[Step | Run, ...]
    listed: int
    distinct: int
    here: int


def proof_tree(steps: Sequence[Record]) -> Proof | None:
    """The steps of a proof in an audit document as a tree; None without steps."""
    if not steps:
        return None
    numbered = {step.get("id", place): step for place, step in enumerate(steps, 1)}
    first = _first_of_each(numbered)
    premises = {
        i: tuple(dict.fromkeys(first[p] for p in _premises(step)))
        for i, step in numbered.items() if first[i] == i
    }  # fmt: skip
    used = {p for below in premises.values() for p in below}
    roots = [i for i in premises if i not in used]
    planted = _Planting({i: numbered[i] for i in premises}, premises)
    # The theorem of a proof stands last; what has no premises at all makes no tree.
    theorem = [i for i in roots if premises[i]][-1:]
    tree = planted.listed(theorem, 0)
    beside = planted.listed([i for i in roots if i not in theorem], 0)
    return Proof(tree, beside, len(steps), len(premises), len(premises))


def _premises(step: Record) -> Sequence[int]:
    return step.get("from", ())


def _first_of_each(numbered: Mapping[int, Record]) -> dict[int, int]:
    """Each step by the first that says the same; a premise that is not listed before stands alone."""
    first: dict[int, int] = {}
    seen: dict[Any, int] = {}
    for i, step in numbered.items():
        known = tuple(first[p] for p in _premises(step) if p in first)
        first[i] = seen.setdefault((step["claim"], step["by"], known), i)
    for i, step in numbered.items():
        for p in _premises(step):
            first.setdefault(p, i)
    return first


class _Planting:
    """Steps placed in the tree one after another, each where it is first needed."""

    def __init__(
        self, steps: Mapping[int, Record], premises: Mapping[int, tuple[int, ...]]
    ) -> None:
        self.steps, self.premises = steps, premises
        self.placed: set[int] = set()

    def listed(self, ids: Sequence[int], level: int) -> tuple[Step | Run, ...]:
        """Steps in a row, those by one rule without anything below them gathered."""
        return tuple(_gathered(list(self._row(ids, level))))

    def _row(self, ids: Sequence[int], level: int) -> Iterator[Step]:
        fresh = [i for i in ids if i not in self.placed]
        self.placed.update(fresh)
        # A premise that alone has premises of its own goes on in this list.
        lone = level > 0 and len([i for i in fresh if self.premises[i]]) == 1
        for i in fresh:
            if lone and self.premises[i]:
                yield self._step(i, (), level)
                yield from self._row(self.premises[i], level)
            else:
                yield self._step(i, self.listed(self.premises[i], level + 1), level)

    def _step(self, i: int, parts: tuple[Step | Run, ...], level: int) -> Step:
        step, premises = self.steps[i], self.premises[i]
        rule = rule_of(step["by"])
        small = len(self.steps) <= OPEN_STEPS
        return Step(
            i, step["claim"], rule, rule.sentence(len(premises)), premises, parts,
            opened=small or level < OPEN_LEVELS,
            lemma=step.get("lemma", ""), elsewhere=step.get("below", 0),
        )  # fmt: skip


def _gathered(steps: list[Step]) -> Iterator[Step | Run]:
    def key(step: Step) -> str:
        return f"{step.id}" if step.parts or step.lemma else step.rule.name

    for _, row in groupby(steps, key):
        found = tuple(row)
        if len(found) >= SHORTEST_RUN:
            yield Run(found[0].rule, found)
        else:
            yield from found


def _count(parts: Sequence[Step | Run]) -> int:
    return sum(part.below + isinstance(part, Step) for part in parts)
