r"""What a correction changes: two formulas compared node by node, and their hypotheses one by one.

Formulas are compared as trees (`audit.formulas.tree`), so that no mark ever opens a group.
Two nodes of one build, two fractions or two powers, are compared inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from audit.formulas.reader import nodes_of, parsed
from audit.formulas.tree import Node, latex_of, woven
from audit.formulas.widths import BINARY, RELATIONS
from audit.sinks import Prose

__all__ = [
    "MARK", "Comparison", "added_hypotheses", "compared", "dropped_hypotheses", "hypothesis_changes",
    "marked", "other_ranges", "underlined", "unmarked",
]  # fmt: skip

Record = Mapping[str, Any]

MARK = ("\ue100", "\ue101")
"""Private characters before and after a changed part; `audit.formulas.mathtext` makes a box of them."""
_MARKED = re.compile(rf"{{{MARK[0]}([^{MARK[1]}]*){MARK[1]}}}")
ALIKE = 0.4
"""Below this share of equal nodes a correction is a statement of its own, and is not marked."""
MOST_CHANGES, LONGEST_CHANGE = 3, 120


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
    changes: list[tuple[str, str]] = []
    shown = tuple(_marked_row(before, after, changes))
    few = len(changes) <= MOST_CHANGES and all(len(a + b) <= LONGEST_CHANGE for a, b in changes)
    words = tuple(dict.fromkeys(_in_words(a, b) for a, b in changes)) if few else ()
    return Comparison(shown, words, same=False, alike=True)


def hypothesis_changes(record: Record, repair: Record) -> list[Prose]:
    """What a correction assumes beyond the printed hypotheses, and which of these it does not need."""
    added = _only_in(repair, record, "hypotheses")
    return [
        *(Prose(f"Add: ${h}$") for h in added),
        *(Prose(f"Drop: ${h}$") for h in dropped_hypotheses(record, repair)),
    ]


def added_hypotheses(record: Record, repair: Record) -> list[str]:
    """What a correction assumes in words; where it adds none, in its ranges and conditions."""
    return _only_in(repair, record, "hypotheses") or _only_in(repair, record, "ranges")


def dropped_hypotheses(record: Record, repair: Record) -> list[str]:
    """Words of the printed hypotheses that a correction does without."""
    return _only_in(record, repair, "hypotheses")


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
    before: Sequence[Node], after: Sequence[Node], changes: list[tuple[str, str]]
) -> Iterator[Node]:
    """The later row with what is new or other in it marked; every change is noted on the way."""
    texts = [p.text for p in before], [p.text for p in after]
    found: list[tuple[str, str]] = []
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
            found.append((latex_of(old), latex_of(new)))
            yield from map(marked, new)
        lost = kind == "delete"
    changes.extend(_exchanged(found))


def _exchanged(changes: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Changes of a row; one part taken out and one put in elsewhere, as in a product, are one."""
    out = [old for old, new in changes if not new]
    put = [new for old, new in changes if not old]
    if len(out) == len(put) == 1:
        return [(out[0], put[0]), *((old, new) for old, new in changes if old and new)]
    return changes


def _one_build(one: Node, other: Node) -> bool:
    return one == other or (one.flat.shape == other.flat.shape and bool(one.inside))


def _marked_piece(one: Node, other: Node, changes: list[tuple[str, str]]) -> Iterator[Node]:
    """A node whose inner rows differ; a short one is named whole, so that its words can be found."""
    if one.text == other.text:
        yield other
        return
    inside: list[tuple[str, str]] = []
    rows = tuple(
        tuple(_marked_row(a, b, inside))
        for a, b in zip(one.flat.inside, other.flat.inside, strict=True)
    )
    short = len(one.text) + len(other.text) <= LONGEST_CHANGE
    changes.extend([(one.text, other.text)] if short else inside)
    yield woven(other.flat.texts, rows)


_JOINT = r"(?:\\ )?\s*\\text\{ (?:and|or) \}\s*(?:\\ )?"
_AT_AN_END = re.compile(rf"^\s*{_JOINT}|{_JOINT}\s*$")


def _in_words(old: str, new: str) -> Prose:
    """What to do, without the word that joins a part to the others."""
    old, new = (_AT_AN_END.sub("", text) for text in (old, new))
    if not old:
        return Prose(f"Insert ${new}$")
    return Prose(f"For ${old}$ read ${new}$" if new else f"Delete ${old}$")
