"""Every claim of every paper, encoded or not.

`index.json` lists the ids, sources and kinds of all claims of the papers, so that what is not
encoded yet stays visible.  Encoded claims are found by importing the paper packages: those inside
`claims`, and any package that declares the entry point group `twofold.papers`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.resources import files
from pkgutil import walk_packages

from claims.errors import UserError
from claims.model import Claim
from claims.sound import require_sound

GROUP = "twofold.papers"

__all__ = [
    "GROUP",
    "Entry",
    "Paper",
    "UnknownSelector",
    "encoded",
    "index",
    "paper",
    "paper_packages",
    "select",
]


class UnknownSelector(UserError):
    """A selector that matches no claim; the message names the nearest ids."""


@dataclass(frozen=True)
class Entry:
    """A line of the index: a claim that a paper makes, whether or not it is encoded."""

    id: str
    paper: str
    source: str
    kind: str


def paper_packages(role: str) -> list[str]:
    """Packages that hold `role` ("claims", "proofs" or "numeric"), those of extensions included.

    An extension declares `name = "package"` in the group `twofold.papers` and holds the three
    roles as subpackages of its own.
    """
    own = [role]
    return own + [f"{point.value}.{role}" for point in entry_points(group=GROUP)]


@cache
def encoded() -> dict[str, Claim]:
    """All encoded claims by id, in the order of the index (extensions after it)."""
    found: dict[str, Claim] = {}
    for package in paper_packages("claims"):
        root = import_module(package)
        for info in walk_packages(root.__path__, f"{package}."):
            values = vars(import_module(info.name)).values()
            for claim in (v for v in values if isinstance(v, Claim) and v.parent is None):
                if found.setdefault(claim.id, claim) is not claim:
                    raise ValueError(f"claim id {claim.id} is used twice")
                require_sound(claim)
    order = {entry.id: place for place, entry in enumerate(_shipped())}
    return dict(sorted(found.items(), key=lambda item: order.get(item[0], len(order))))


@cache
def _shipped() -> tuple[Entry, ...]:
    text = files("claims").joinpath("index.json").read_text(encoding="utf-8")
    return tuple(Entry(**record) for record in json.loads(text))


@dataclass(frozen=True)
class Paper:
    """A paper as a reader cites it; `sections` maps "3.1" or "A.2" to the section's title."""

    id: str
    title: str
    authors: str = ""
    venue: str = ""
    sections: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.sections, Mapping):
            raise TypeError(f"sections of {self.id} are no mapping")
        texts = (self.title, self.authors, self.venue, *self.sections, *self.sections.values())
        wrong = [text for text in texts if not isinstance(text, str)]
        if wrong:
            raise TypeError(f"{wrong[0]!r} of {self.id} is no text")


def paper(name: str) -> Paper:
    """What is known of a paper; an extension says it in `papers.json` of its own package."""
    packages = ["claims", *(point.value for point in entry_points(group=GROUP))]
    for package in packages:
        listed = files(package).joinpath("papers.json")
        try:
            known = json.loads(listed.read_text(encoding="utf-8")) if listed.is_file() else {}
            if name in known:
                return Paper(name, **known[name])
        except (ValueError, TypeError, RecursionError) as error:
            raise UserError(
                f"{package}/papers.json: cannot be read ({error}); it maps the name of a paper to "
                "its title, authors and venue, all texts, and its sections by number"
            ) from None
    return Paper(name, name)


@cache
def index() -> tuple[Entry, ...]:
    """The index with the claims of extensions appended."""
    listed = {entry.id for entry in _shipped()}
    extra = [
        Entry(c.id, c.paper, str(c.source), c.kind)
        for c in encoded().values()
        if c.id not in listed
    ]
    return (*_shipped(), *extra)


def select(selectors: tuple[str, ...] = ()) -> list[Entry]:
    """Entries whose id equals a selector or starts with it at a dot; all when there is none.

    >>> [e.id for e in select(("noci2022.lemma-3.1",))][:2]
    ['noci2022.lemma-3.1.values', 'noci2022.lemma-3.1.queries']
    """
    chosen: set[str] = set()
    for selector in selectors:
        matching = {e.id for e in index() if e.id == selector or e.id.startswith(f"{selector}.")}
        if not matching:
            raise UnknownSelector(_nearest(selector))
        chosen |= matching
    return [entry for entry in index() if not selectors or entry.id in chosen]


def _nearest(selector: str) -> str:
    names = {e.id for e in index()} | {e.paper for e in index()}
    close = get_close_matches(selector, sorted(names), n=3, cutoff=0.3)
    hint = f"; nearest: {', '.join(close)}" if close else ""
    return f"no claim matches {selector!r}{hint}; see `twofold list`"
