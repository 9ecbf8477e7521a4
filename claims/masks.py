"""Attention masks as directed graphs: which token may attend to which, and how far context travels.

An edge (j, i) means that token i attends to token j.  Tokens count from one, as papers count them.
Connectivity is read off the distances; nothing here knows about scores or weights.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import pairwise
from operator import or_
from pathlib import Path
from typing import Any

from sympy import ZZ, Basic, ImmutableDenseMatrix

from claims.errors import UserError
from claims.matrices import exact_matrix

__all__ = [
    "Mask",
    "MaskError",
    "causal",
    "check_stochastic",
    "complete",
    "cycle",
    "directed_cycle",
    "one_directional",
    "path",
    "read_mask",
    "sliding_window",
    "spider",
    "star",
]


MOST_TOKENS = 4096
_TOKEN = re.compile(r"[1-9][0-9]{0,8}")


class MaskError(UserError):
    """A graph that cannot serve as the mask that is asked for."""


@dataclass(frozen=True)
class Mask:
    """A directed graph on the tokens 1, ..., size; `edges` holds pairs (j, i): i attends to j."""

    name: str
    size: int
    edges: frozenset[tuple[int, int]]

    def __post_init__(self) -> None:
        if self.size < 1:
            raise MaskError(f"mask {self.name}: {self.size} tokens; give at least one")
        outside = {edge for edge in self.edges if not 1 <= min(edge) <= max(edge) <= self.size}
        if outside:
            raise MaskError(
                f"mask {self.name}: edge {min(outside)}: tokens are 1 to {self.size}; mend the edge"
            )

    def __str__(self) -> str:
        return f"{self.name}({self.size})"

    def _sympy_(self) -> Basic:
        """A point may hold a mask beside numbers; in formulas it stands for its matrix."""
        return self.matrix

    @cached_property
    def matrix(self) -> ImmutableDenseMatrix:
        """Entry (i, j) is one when token i attends to token j: the support of the attention matrix."""
        rows = {i: {j - 1: ZZ.one for j in self.neighbours(i + 1)} for i in range(self.size)}
        return exact_matrix(rows, (self.size, self.size), ZZ)

    def neighbours(self, token: int) -> list[int]:
        """The tokens that `token` attends to."""
        return self._neighbours.get(token, [])

    @cached_property
    def _neighbours(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for j, i in sorted(self.edges):
            found.setdefault(i, []).append(j)
        return found

    @cached_property
    def in_degree(self) -> int:
        """The largest number of tokens that one token attends to."""
        return max(len(self.neighbours(i)) for i in range(1, self.size + 1))

    @property
    def has_self_loops(self) -> bool:
        return all((i, i) in self.edges for i in range(1, self.size + 1))

    @property
    def is_strongly_connected(self) -> bool:
        return self._reach(1, self._ahead) == self._reach(1, self._behind) == self._everywhere

    @property
    def is_quasi_strongly_connected(self) -> bool:
        return bool(self.centre_nodes)

    @cached_property
    def centre_nodes(self) -> tuple[int, ...]:
        """The tokens from which every token is reachable."""
        met, last = 0, 1
        for token in range(1, self.size + 1):
            if not met >> token & 1:
                met, last = met | self._reach(token, self._ahead), token
        if self._reach(last, self._ahead) != self._everywhere:  # else no other reaches every token
            return ()
        return tuple(_bits(self._reach(last, self._behind)))

    def hops(self, start: int, end: int) -> int:
        """The distance, or the number of tokens where no path leads from `start` to `end`.

        >>> causal(3).hops(1, 3), causal(3).hops(3, 1)
        (1, 3)
        """
        return self._hops_from(start).get(end, self.size)

    # Sets of tokens are the bits of a number, token 1 the second lowest.

    @cached_property
    def _everywhere(self) -> int:
        return (1 << self.size + 1) - 2

    @cached_property
    def _ahead(self) -> dict[int, int]:
        """For every token, those that attend to it."""
        ahead = dict.fromkeys(range(1, self.size + 1), 0)
        for j, i in self.edges:
            ahead[j] |= 1 << i
        return ahead

    @cached_property
    def _behind(self) -> dict[int, int]:
        """For every token, those that it attends to."""
        behind = dict.fromkeys(range(1, self.size + 1), 0)
        for j, i in self.edges:
            behind[i] |= 1 << j
        return behind

    @staticmethod
    def _rings(start: int, ahead: dict[int, int]) -> Iterator[int]:
        """The tokens first met after 0, 1, ... steps from a start."""
        latest = seen = 1 << start
        while latest:
            yield latest
            reached = reduce(or_, (ahead[token] for token in _bits(latest)))
            latest, seen = reached & ~seen, reached | seen

    def _reach(self, start: int, ahead: dict[int, int]) -> int:
        """The tokens that are met from a start."""
        return reduce(or_, self._rings(start, ahead))

    @cached_property
    def _hops(self) -> dict[int, dict[int, int]]:
        return {}

    def _hops_from(self, start: int) -> dict[int, int]:
        """The tokens that are met from a start, with their distances; kept."""
        if start not in self._hops:
            rings = enumerate(self._rings(start, self._ahead))
            self._hops[start] = {token: steps for steps, ring in rings for token in _bits(ring)}
        return self._hops[start]

    def farthest(self, start: int) -> int:
        """The longest distance from a token to those that it reaches."""
        return sum(1 for _ in self._rings(start, self._ahead)) - 1

    @cached_property
    def radius(self) -> int:
        """The least, over centre nodes, of the longest distance from it to any token.

        Raises `MaskError` when no token reaches every token.
        """
        if not self.centre_nodes:
            raise MaskError(
                f"mask {self}: no token reaches every token; give a quasi-strongly connected graph"
            )
        return min(self.farthest(c) for c in self.centre_nodes)

    @cached_property
    def ordinary_diameter(self) -> int:
        """The longest distance over all ordered pairs; raises `MaskError` where one is infinite."""
        if not self.is_strongly_connected:
            raise MaskError(f"mask {self}: not strongly connected; some distance is infinite")
        return max(map(self.farthest, range(1, self.size + 1)))


def _bits(number: int) -> list[int]:
    """The places of its ones, in order.

    >>> _bits(0b1010)
    [1, 3]
    """
    found = []
    while number:
        lowest = number & -number
        found.append(lowest.bit_length() - 1)
        number ^= lowest
    return found


def _with_loops(name: str, size: int, edges: Iterable[tuple[int, int]]) -> Mask:
    loops = ((i, i) for i in range(1, size + 1))
    return Mask(name, size, frozenset(edges) | frozenset(loops))


def complete(size: int) -> Mask:
    """Every token attends to every token.

    >>> complete(3).radius, complete(3).ordinary_diameter
    (1, 1)
    """
    span = range(1, size + 1)
    return _with_loops("complete", size, ((j, i) for i in span for j in span))


def causal(size: int) -> Mask:
    """Token i attends to the tokens 1, ..., i.

    >>> causal(4).centre_nodes, causal(4).radius, causal(4).is_strongly_connected
    ((1,), 1, False)
    """
    return _with_loops("causal", size, ((j, i) for i in range(1, size + 1) for j in range(1, i)))


def sliding_window(size: int) -> Mask:
    """Every token attends to itself, the token before and the token after.

    >>> sliding_window(5).radius, sliding_window(5).ordinary_diameter
    (2, 4)
    """
    edges = [e for i in range(1, size) for e in ((i, i + 1), (i + 1, i))]
    return _with_loops("sliding", size, edges)


path = sliding_window
"""The undirected path is the sliding window of width one on each side."""


def one_directional(size: int) -> Mask:
    """Every token attends to itself and to the token before it.

    >>> one_directional(5).radius
    4
    """
    return _with_loops("one-directional", size, ((i, i + 1) for i in range(1, size)))


def star(size: int, *, undirected: bool = False) -> Mask:
    """Every token attends to itself and to token 1; when undirected, token 1 attends to all.

    >>> star(4).radius, star(4, undirected=True).ordinary_diameter
    (1, 2)
    """
    out = [(1, i) for i in range(2, size + 1)]
    back = [(i, 1) for _, i in out] if undirected else []
    return _with_loops("undirected star" if undirected else "star", size, out + back)


def cycle(size: int) -> Mask:
    """The undirected cycle with self-loops.

    >>> cycle(4).radius
    2
    """
    edges = [e for i, j in _around(size) for e in ((i, j), (j, i))]
    return _with_loops("cycle", size, edges)


def directed_cycle(size: int) -> Mask:
    """Every token attends to itself and to the token before it, the first one to the last.

    >>> directed_cycle(3).is_strongly_connected, directed_cycle(3).ordinary_diameter
    (True, 2)
    """
    return _with_loops("directed cycle", size, _around(size))


def _around(size: int) -> list[tuple[int, int]]:
    return [(i, i % size + 1) for i in range(1, size + 1)]


def spider(legs: int, length: int) -> Mask:
    """The undirected tree of `legs` paths of `length` edges that meet in token 1, with self-loops.

    >>> spider(3, 2).size, spider(3, 2).radius, spider(3, 2).ordinary_diameter
    (7, 2, 4)
    """
    edges = []
    for leg in range(legs):
        nodes = [1, *range(2 + leg * length, 2 + (leg + 1) * length)]
        for a, b in pairwise(nodes):
            edges += [(a, b), (b, a)]
    return _with_loops("spider", 1 + legs * length, edges)


def read_mask(file: Path | str) -> Mask:
    """A mask from a text file of edges, one `j i` a line: token i attends to token j.

    Tokens count from one; blank lines and text after `#` are ignored; the largest number is the
    size.  Raises `MaskError` naming the line that does not parse.
    """
    source = Path(file)
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise MaskError(
            f"mask file {source}: cannot be read (not UTF-8 text); give a text file"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise MaskError(
            f"mask file {source}: cannot be read ({reason}); give a text file"
        ) from None
    edges = set()
    for number, line in enumerate(lines, start=1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not all(map(_TOKEN.fullmatch, words)):
            raise MaskError(
                f"mask file {source}, line {number}: {line.strip()[:60]!r}: "
                "write two token numbers from 1 on, `j i` for token i attending to token j"
            )
        if max(map(int, words)) > MOST_TOKENS:
            raise MaskError(
                f"mask file {source}, line {number}: token {max(map(int, words))}: a mask has at "
                f"most {MOST_TOKENS} tokens; number them without gaps"
            )
        edges.add((int(words[0]), int(words[1])))
    if not edges:
        raise MaskError(f"mask file {source}: holds no edge; write one `j i` a line")
    return Mask(source.stem, max(max(edge) for edge in edges), frozenset(edges))


def check_stochastic(matrix: Any, mask: Mask | None = None) -> None:
    """Refuse a matrix that is no attention matrix, naming the row that breaks the rule.

    Rows must hold no negative entry and sum to one (exactly, or up to rounding where entries are
    floats); with a `mask`, the shape must fit and entries off its edges must be zero.

    >>> check_stochastic([[1, 0], [0.25, 0.75]], causal(2))
    >>> check_stochastic([[1, 0], [1, 1]])
    Traceback (most recent call last):
    claims.masks.MaskError: attention matrix, row 2 sums to 2: must sum to 1; divide the row by its sum
    """
    rows = [list(row) for row in (matrix.tolist() if hasattr(matrix, "tolist") else matrix)]
    size = mask.size if mask else len(rows)
    if len(rows) != size or any(len(row) != size for row in rows):
        shape = f"{len(rows)} rows of lengths {sorted({len(row) for row in rows})}"
        raise MaskError(
            f"attention matrix has {shape}: must be {size} x {size}; give one row and one column "
            "per token"
        )
    for i, row in enumerate(rows, start=1):
        for j, entry in enumerate(row, start=1):
            place = f"attention matrix, row {i}, column {j} is {entry}"
            if not entry >= 0:
                raise MaskError(f"{place}: must not be negative; apply the softmax to the scores")
            if mask and entry != 0 and (j, i) not in mask.edges:
                raise MaskError(
                    f"{place}: token {i} does not attend to token {j} on {mask}, so it must be 0; "
                    "mask the scores before the softmax, or add the edge"
                )
        total = sum(row)
        slack = 8 * size * sys.float_info.epsilon if isinstance(total, float) else 0
        if not abs(total - 1) <= slack:
            raise MaskError(
                f"attention matrix, row {i} sums to {total}: must sum to 1; "
                "divide the row by its sum"
            )
