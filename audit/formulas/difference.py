r"""What changes from one formula to another, marked in both: `\sigma^2` to `\sigma^6` is a power.

Formulas are compared as trees (`audit.formulas.tree`), so that a mark never cuts through a group: a
changed exponent is marked within its power, a changed summand within its fraction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from audit.formulas.reader import nodes_of
from audit.formulas.tree import Node, latex_of
from audit.formulas.widths import BINARY, RELATIONS

__all__ = ["Difference", "Piece", "difference", "underlined"]

LARGEST = 40_000
"""Pairs of nodes that are compared; what is longer is shown without marks."""
ALIKE = 0.5
"""Share of the symbols that two formulas must have in common for marks to help a reader."""


@dataclass(frozen=True)
class Piece:
    """LaTeX that stands in a formula; a changed one is balanced and may be put into braces."""

    text: str
    changed: bool = False


@dataclass(frozen=True)
class Difference:
    """Two formulas in pieces, and the parts that took each other's place, innermost ones."""

    before: tuple[Piece, ...]
    after: tuple[Piece, ...]
    replaced: tuple[tuple[str, str], ...]
    alike: float
    """Share of the symbols of the longer formula that both have."""

    @property
    def helps(self) -> bool:
        """Whether marks would show a change in a formula, and not one formula instead of another."""
        return self.alike >= ALIKE

    def marked(self, mark: Callable[[str], str] | None = None) -> tuple[str, str]:
        """Both formulas with what changes marked, or plain where marks do not help."""
        mark = mark or underlined
        shown = [
            "".join(mark(p.text) if p.changed and self.helps else p.text for p in pieces)
            for pieces in (self.before, self.after)
        ]
        return shown[0], shown[1]


def underlined(text: str) -> str:
    """A part of a formula with a line below it; signs at its ends keep their room."""
    nodes = nodes_of(text)
    signs = BINARY | RELATIONS
    before, after = ("{}" * (nodes[place].text in signs) if nodes else "" for place in (0, -1))
    return rf"\underline{{{before}{text}{after}}}"


def difference(before: str, after: str) -> Difference:
    r"""The difference of two LaTeX formulas.

    >>> print(difference(r"a \le \frac{b}{n}", r"a \le \frac{2b}{n}").marked()[1])
    a\le\frac{\underline{2}b}{n}
    """
    old, new = nodes_of(before), nodes_of(after)
    if len(old) * len(new) > LARGEST:
        return Difference((Piece(latex_of(old), True),), (Piece(latex_of(new), True),), (), 0.0)
    found = _Comparison()
    left, right = found.compare(old, new)
    longer = max(_weight(old), _weight(new), 1)
    alike = _common(old, new) / longer
    return Difference(_merged(left), _merged(right), _moved(found.replaced), alike)


class _Comparison:
    """Walks down two trees at once, and notes what took the place of what."""

    def __init__(self) -> None:
        self.replaced: list[tuple[str, str]] = []

    def compare(
        self, old: tuple[Node, ...], new: tuple[Node, ...]
    ) -> tuple[list[Piece], list[Piece]]:
        before: list[Piece] = []
        after: list[Piece] = []
        for these, those in _runs(old, new):
            if these == those:
                before.append(Piece(latex_of(these)))
                after.append(Piece(latex_of(those)))
            elif len(these) == len(those) == 1 and _common(these, those):
                self._inside(these[0], those[0], before, after)
            else:
                self.replaced.append((latex_of(these), latex_of(those)))
                before += [Piece(latex_of(these), True)] * bool(these)
                after += [Piece(latex_of(those), True)] * bool(those)
        return before, after

    def _inside(self, this: Node, that: Node, before: list[Piece], after: list[Piece]) -> None:
        """Two nodes of one shape; a change of a base or its scripts is noted as that of the whole."""
        noted = len(self.replaced)
        for mine, yours in zip(this.pieces, that.pieces, strict=True):
            if isinstance(mine, str) or isinstance(yours, str):
                before.append(Piece(str(mine)))
                after.append(Piece(str(yours)))
                continue
            left, right = self.compare(mine, yours)
            before += left
            after += right
        if this.is_scripted:
            self.replaced[noted:] = [(this.text, that.text)]


def _moved(replaced: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """What is left out just before something is put in was replaced by it: factors change places."""
    pairs: list[tuple[str, str]] = []
    for old, new in replaced:
        if pairs and not old and not pairs[-1][1]:
            pairs[-1] = (pairs[-1][0], new)
        else:
            pairs.append((old, new))
    return tuple(pairs)


def _runs(
    old: tuple[Node, ...], new: tuple[Node, ...]
) -> list[tuple[tuple[Node, ...], tuple[Node, ...]]]:
    """Both sequences cut into stretches that are equal, a pair that is alike inside, or different."""
    runs: list[tuple[tuple[Node, ...], tuple[Node, ...]]] = []
    i = j = 0
    for k, m in [*_pairs(old, new), (len(old), len(new))]:
        if (i, j) != (k, m):
            runs.append((old[i:k], new[j:m]))
        if k < len(old) and m < len(new):
            runs.append((old[k : k + 1], new[m : m + 1]))
        i, j = k + 1, m + 1
    return runs


@lru_cache(maxsize=1 << 15)
def _common(old: tuple[Node, ...], new: tuple[Node, ...]) -> int:
    """How many symbols two sequences have in common, in one order."""
    return _table(old, new)[0][0]


def _pairs(old: tuple[Node, ...], new: tuple[Node, ...]) -> list[tuple[int, int]]:
    """Which nodes stand for each other, where the most symbols are kept."""
    best, i, j = _table(old, new), 0, 0
    pairs = []
    while i < len(old) and j < len(new):
        if best[i][j] == best[i + 1][j]:
            i += 1
        elif best[i][j] == best[i][j + 1]:
            j += 1
        else:
            pairs.append((i, j))
            i, j = i + 1, j + 1
    return pairs


def _table(old: Sequence[Node], new: Sequence[Node]) -> list[list[int]]:
    """The largest number of common symbols of each pair of tails."""
    best = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            together = best[i + 1][j + 1] + _kept(old[i], new[j])
            best[i][j] = max(best[i + 1][j], best[i][j + 1], together)
    return best


def _kept(this: Node, that: Node) -> int:
    """The common symbols of two nodes; none where only their outer form is the same."""
    if this == that:
        return this.weight
    if this.shape != that.shape or not this.inside:
        return 0
    inner = sum(_common(a, b) for a, b in zip(this.inside, that.inside, strict=True))
    return inner + (not this.is_scripted) if inner else 0


def _weight(nodes: Sequence[Node]) -> int:
    return sum(node.weight for node in nodes)


def _merged(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """Neighbours that did not change as one, with a space where a command would swallow a letter."""
    merged: list[Piece] = []
    for piece in filter(lambda piece: piece.text, pieces):
        if merged and not piece.changed and not merged[-1].changed:
            merged[-1] = Piece(_spaced(merged[-1].text, piece.text) + piece.text)
        elif merged:
            merged[-1] = Piece(_spaced(merged[-1].text, piece.text), merged[-1].changed)
            merged.append(piece)
        else:
            merged.append(piece)
    return tuple(merged)


def _spaced(text: str, following: str) -> str:
    joined = latex_of((Node((text,)), Node((following,))))
    return joined.removesuffix(following)
