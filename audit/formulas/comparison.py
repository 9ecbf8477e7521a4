r"""What a correction changes: two formulas compared node by node, and their hypotheses one by one.

Formulas are compared as trees (`audit.formulas.tree`), so that no mark ever opens a group.
Two nodes of one build, two fractions or two powers, are compared inside.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any

from audit.formulas.reader import nodes_of, parsed
from audit.formulas.tree import Node, latex_of, woven
from audit.formulas.widths import BINARY, LIMITS, RELATIONS
from audit.sinks import FUNCTIONS, Prose

__all__ = [
    "IN_FAMILY", "MARK", "Comparison", "added_hypotheses", "compared", "dropped_hypotheses", "family",
    "hypothesis_changes", "marked", "other_ranges", "underlined", "unmarked",
]  # fmt: skip

Record = Mapping[str, Any]
Change = tuple[tuple[Node, ...], tuple[Node, ...]]
"""What is taken out and what is put in its place."""

MARK = ("\ue100", "\ue101")
"""Private characters before and after a changed part; `audit.formulas.mathtext` makes a box of them."""
_MARKED = re.compile(rf"{{{MARK[0]}([^{MARK[1]}]*){MARK[1]}}}")
ALIKE = 0.4
"""Below this share of equal nodes a correction is a statement of its own, and is not marked."""
MOST_CHANGES, LONGEST_CHANGE = 3, 120
FAMILY = 3
"""Hypotheses that a correction leaves behind, from which on they are a setting, and no list to drop."""
IN_FAMILY = "with the family in which it fails"
"""Stands beside the heading of hypotheses that hold such a family."""


@dataclass(frozen=True)
class Comparison:
    """The corrected formula with its changes marked, and the changes in words.

    `nodes` is the whole correction, unmarked where it is another statement; `words` is empty where
    the two formulas are one, or too far apart for a list of changes to help.
    """

    nodes: tuple[Node, ...]
    words: tuple[Prose, ...]
    same: bool
    alike: bool


def compared(printed: str, correction: str) -> Comparison | None:
    """A correction beside what it corrects; None where a formula is not whole."""
    try:
        before, after = parsed(printed), parsed(correction)
    except ValueError:
        return None
    if latex_of(before) == latex_of(after):
        return Comparison(after, (), same=True, alike=True)
    if _alikeness(before, after) < ALIKE:
        return Comparison(after, (), same=False, alike=False)
    changes: list[Change] = []
    shown = tuple(_marked_row(before, after, changes))
    few = len(changes) <= MOST_CHANGES and all(_length(a, b) <= LONGEST_CHANGE for a, b in changes)
    told = few and all(_is_told(a, b) for a, b in changes)
    words = tuple(dict.fromkeys(_in_words(a, b) for a, b in changes)) if told else ()
    return Comparison(shown, words, same=False, alike=True)


def hypothesis_changes(record: Record, repair: Record) -> list[Prose]:
    """What a correction assumes beyond the printed hypotheses, and which of these it does not need.

    Where the statement is judged on a family of its own, all that the correction assumes.
    """
    if family(record):
        return [Prose(f"Under: ${h}$") for h in repair.get("hypotheses", ())]
    narrowed = _narrowed(record, repair)
    added = [h for h in _only_in(repair, record, "hypotheses") if h not in narrowed.values()]
    return [
        *(Prose(f"For ${old}$ read ${new}$") for old, new in narrowed.items()),
        *(Prose(f"Add: ${h}$") for h in added),
        *(Prose(f"Drop: ${h}$") for h in dropped_hypotheses(record, repair)),
    ]


def added_hypotheses(record: Record, repair: Record) -> list[str]:
    """What a correction assumes in words; where it adds none, in its ranges and conditions."""
    return _only_in(repair, record, "hypotheses") or _only_in(repair, record, "ranges")


def dropped_hypotheses(record: Record, repair: Record) -> list[str]:
    """Words of the printed hypotheses that a correction does without."""
    narrowed = _narrowed(record, repair)
    own = [] if family(record) else _only_in(record, repair, "hypotheses")
    return [h for h in own if h not in narrowed]


def _narrowed(record: Record, repair: Record) -> dict[str, str]:
    """Hypotheses of which a part is left, or to which something is added: nothing is dropped there."""
    found: dict[str, str] = {}
    for old in _only_in(record, repair, "hypotheses"):
        for new in _only_in(repair, record, "hypotheses"):
            if (old in new or new in old) and new not in found.values():
                found.setdefault(old, new)
    return found


def family(record: Record) -> list[str]:
    """Hypotheses that make the family in which a statement fails: none of them is the correction's.

    A correction seldom spares more than two hypotheses of a print; what leaves more of them behind
    speaks of another setting, and nobody should read them as what may be dropped.
    """
    own = _only_in(record, record.get("repair") or {}, "hypotheses") if record.get("repair") else []
    return own if len(own) >= FAMILY else []


def other_ranges(record: Record, repair: Record) -> Record:
    """Where a correction is asserted, if not where the statement is."""
    return {k: repair.get(k, ()) for k in ("ranges", "tried") if repair.get(k) != record.get(k)}


def _only_in(one: Record, other: Record, kind: str) -> list[str]:
    return [h for h in one.get(kind, ()) if h not in other.get(kind, ())]


def marked(node: Node) -> Node:
    """A node with marks around it."""
    return Node(("{" + MARK[0], (node,), MARK[1] + "}"))


def unmarked(node: Node) -> Node:
    """A node without the marks around it, if there are any."""
    return node.inside[0][0] if node.pieces[0] == "{" + MARK[0] else node


def underlined(nodes: Sequence[Node]) -> str:
    """LaTeX with a line below each marked part; signs at its ends keep their room."""
    text = latex_of(nodes).replace(f"{MARK[1]}}}{{{MARK[0]}", " ")

    def line(found: re.Match[str]) -> str:
        inner = nodes_of(found[1])
        signs = BINARY | RELATIONS
        before, after = ("{}" * (inner[end].text in signs) if inner else "" for end in (0, -1))
        return rf"\underline{{{before}{found[1]}{after}}}"

    return _MARKED.sub(line, text)


def _alikeness(before: Sequence[Node], after: Sequence[Node]) -> float:
    """The share of leaves that two formulas have in common, in order."""
    first, second = list(_leaves(before)), list(_leaves(after))
    return SequenceMatcher(None, first, second, autojunk=False).ratio()


def _leaves(row: Sequence[Node]) -> Iterator[str]:
    for node in row:
        yield from node.flat.texts
        for inner in node.flat.inside:
            yield from _leaves(inner)


def _marked_row(
    before: Sequence[Node], after: Sequence[Node], changes: list[Change]
) -> Iterator[Node]:
    """The later row with what is new or other in it marked; every change is noted on the way.

    Where the same relations stand in both rows, each side is compared with its own.
    """
    ones, others = _sides(before), _sides(after)
    if [side[:1] for side in ones[1:]] != [side[:1] for side in others[1:]]:
        ones, others = [tuple(before)], [tuple(after)]
    lost = False
    for place, (one, other) in enumerate(zip(ones, others, strict=True)):
        head = other[:1] if place else ()
        yield from map(marked, head) if lost else head
        lost = yield from _marked_side(one[len(head) :], other[len(head) :], changes)


def _sides(row: Sequence[Node]) -> list[tuple[Node, ...]]:
    """A row cut before each of its relations."""
    starts = [0, *(k for k, node in enumerate(row) if k and node.text in RELATIONS), len(row)]
    return [tuple(row[a:b]) for a, b in pairwise(starts)]


def _marked_side(
    before: tuple[Node, ...], after: tuple[Node, ...], changes: list[Change]
) -> Generator[Node, None, bool]:
    """What stands between two relations, and whether something was taken out at its end."""
    texts = [p.text for p in before], [p.text for p in after]
    found: list[Change] = []
    lost = False
    for kind, a, b, c, d in SequenceMatcher(None, *texts, autojunk=False).get_opcodes():
        old, new = before[a:b], after[c:d]
        if kind == "equal":
            # Where something was taken out nothing new stands: what follows it bears the mark.
            yield from (marked(new[0]), *new[1:]) if lost else new
        elif len(old) == len(new) and all(map(_one_build, old, new)):
            for one, other in zip(old, new, strict=True):
                yield from _marked_piece(one, other, found)
        else:
            found.append((old, new))
            yield from map(marked, new)
        lost = kind == "delete"
    found = _exchanged(found)
    plain = not any(node.text in RELATIONS for node in (*before, *after))
    whole = plain and not all(_is_told(a, b) for a, b in found)
    changes.extend([(before, after)] if whole else found)
    return lost


def _exchanged(changes: list[Change]) -> list[Change]:
    """Changes of a row; one part taken out and one put in elsewhere, as in a product, are one."""
    out = [old for old, new in changes if not new]
    put = [new for old, new in changes if not old]
    if len(out) == len(put) == 1:
        return [(out[0], put[0]), *((old, new) for old, new in changes if old and new)]
    return changes


def _one_build(one: Node, other: Node) -> bool:
    return one == other or (one.flat.shape == other.flat.shape and bool(one.inside))


def _marked_piece(one: Node, other: Node, changes: list[Change]) -> Iterator[Node]:
    """A node whose inner rows differ; a short one is named whole, so that its words can be found."""
    if one.text == other.text:
        yield other
        return
    inside: list[Change] = []
    rows = tuple(
        tuple(_marked_row(a, b, inside))
        for a, b in zip(one.flat.inside, other.flat.inside, strict=True)
    )
    short = len(one.text) + len(other.text) <= LONGEST_CHANGE
    changes.extend([((one,), (other,))] if short else inside)
    yield woven(other.flat.texts, rows)


_JOINT = r"(?:\\ )?\s*\\text\{ (?:and|or) \}\s*(?:\\ )?"
_AT_AN_END = re.compile(rf"^\s*{_JOINT}|{_JOINT}\s*$")
_OPEN = BINARY | RELATIONS | LIMITS.keys() | {f"\\{name}" for name in FUNCTIONS.split()}
"""What does not end a formula: something must follow."""


def _length(old: Sequence[Node], new: Sequence[Node]) -> int:
    return len(latex_of(old) + latex_of(new))


def _is_relation(part: Sequence[Node]) -> bool:
    return len(part) == 1 and part[0].text in RELATIONS


def _alone(part: Sequence[Node]) -> tuple[Node, ...]:
    """A part without the word that joins it to the others."""
    return tuple(nodes_of(_AT_AN_END.sub("", latex_of(part))))


def _is_across_relations(old: Sequence[Node], new: Sequence[Node]) -> bool:
    """Whether a change takes a side of a relation together with the relation, or only one has any."""
    if _is_relation(old) and _is_relation(new):
        return False
    signs = [[node.text in RELATIONS for node in part] for part in map(_alone, (old, new)) if part]
    ends = any(sign[0] or sign[-1] for sign in signs)
    return ends or len({any(sign) for sign in signs}) > 1


def _is_told(old: Sequence[Node], new: Sequence[Node]) -> bool:
    """Whether each part of a change can be read without what stands beside it."""
    if old == new:  # what was moved is told with where it stood
        return False
    if len(old) == len(new) == 1:
        return _is_paired(old) and _is_paired(new)
    if _is_across_relations(old, new):
        return False
    parts = [part for part in map(_alone, (old, new)) if part]
    begins = {part[0].text in BINARY for part in parts}
    return len(begins) == 1 and all(map(_is_closed, parts))


def _is_closed(part: Sequence[Node]) -> bool:
    """Whether nothing must follow a part, and nothing in it lacks its partner."""
    return part[-1].text not in _OPEN and _is_paired(part)


_PARTNERS = {")": "(", "]": "[", r"\}": r"\{", r"\rangle": r"\langle"}


def _is_paired(part: Sequence[Node]) -> bool:
    """Whether each bar and bracket has its partner, the opening one first."""
    bars = sum(node.text == r"\|" for node in part)
    bars += sum(node.pieces[0] == "" and node.text.startswith(r"\|") for node in part)
    waiting: list[str] = []
    for node in part:
        if node.text in _PARTNERS.values():
            waiting.append(node.text)
        elif node.text in _PARTNERS and (not waiting or waiting.pop() != _PARTNERS[node.text]):
            return False
    return bars % 2 == 0 and not waiting


def _in_words(old_part: Sequence[Node], new_part: Sequence[Node]) -> Prose:
    """What to do, without the word that joins a part to the others."""
    old, new = (latex_of(_alone(part)) for part in (old_part, new_part))
    if _is_relation(old_part) and _is_relation(new_part):
        return Prose(f"For the relation ${old}$ read ${new}$")
    if not old:
        return Prose(f"Insert ${new}$")
    return Prose(f"For ${old}$ read ${new}$" if new else f"Delete ${old}$")
