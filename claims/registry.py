"""Every claim of every paper, encoded or not.

`index.json` lists the ids, sources and kinds of all claims of the papers, so that what is not
encoded yet stays visible.  Encoded claims are found by importing the paper packages: those inside
`claims`, and any package that declares the entry point group `twofold.papers` (`claims.extensions`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.resources import files
from pkgutil import walk_packages

from claims import extensions
from claims.errors import UserError
from claims.model import ID_RULE, Claim, is_id
from claims.sound import require_sound

__all__ = [
    "Entry",
    "Paper",
    "UnknownSelector",
    "encoded",
    "home_of",
    "index",
    "paper",
    "paper_packages",
    "select",
    "usable_extensions",
]


class UnknownSelector(UserError):
    """A selector that matches no claim; the message names the nearest ids."""


@dataclass(frozen=True)
class Entry:
    """A line of the index: a claim that a paper makes, whether or not it is encoded.

    `printed` is the formula as the paper prints it, where somebody has read it off.
    """

    id: str
    paper: str
    source: str
    kind: str
    printed: str = ""


def paper_packages(role: str) -> list[str]:
    """Packages that hold `role` ("claims", "proofs" or "numeric"), those of extensions included."""
    return [role, *extensions.roles(role)]


@cache
def encoded() -> dict[str, Claim]:
    """All encoded claims by id, in the order of the index (extensions after it).

    An extension that cannot be loaded is left out: `extensions.refused` says why.
    """
    found = _claims_in("claims", {})
    _HOMES.update(dict.fromkeys(found, "claims"))
    for package in extensions.packages():
        try:
            _listed_by(package)
            own = {}
            if f"{package}.claims" in extensions.roles("claims"):
                own = _claims_in(f"{package}.claims", found)
            _HOMES.update(dict.fromkeys(own, package))
            found |= own
        except (Exception, SystemExit) as error:  # whatever somebody's package raises
            extensions.refuse(package, error)
    order = {entry.id: place for place, entry in enumerate(_shipped())}
    return dict(sorted(found.items(), key=lambda item: order.get(item[0], len(order))))


_HOMES: dict[str, str] = {}


def home_of(claim_id: str) -> str:
    """The package that encodes a claim: "claims", or an extension."""
    encoded()
    return _HOMES.get(claim_id, "claims")


def _claims_in(package: str, known: Mapping[str, Claim]) -> dict[str, Claim]:
    """The claims that the modules of a package hold, none of which is known under its id."""
    found: dict[str, Claim] = {}
    root = import_module(package)
    for info in walk_packages(root.__path__, f"{package}."):
        values = vars(import_module(info.name)).values()
        for claim in (v for v in values if isinstance(v, Claim) and v.parent is None):
            if known.get(claim.id, found.setdefault(claim.id, claim)) is not claim:
                raise UserError(f"claim id {claim.id} is used twice")
            require_sound(claim)
    return found


def usable_extensions() -> list[str]:
    """The packages of others that could be loaded; where there is none, no claim is loaded either."""
    if extensions.packages():
        encoded()
    return extensions.packages()


@cache
def _listed_by(package: str) -> tuple[Entry, ...]:
    """What an extension lists in its own index; no id of it is one that is shipped."""
    entries = tuple(Entry(**record) for record in extensions.listed(package))
    known = {entry.id for entry in _shipped()}
    for entry in entries:
        if not (is_id(entry.id) and is_id(entry.paper)):
            raise UserError(f"{package}/index.json: id {entry.id!r}: {ID_RULE}")
        if entry.id in known:
            raise UserError(f"{package}/index.json: claim id {entry.id} is used twice")
        known.add(entry.id)
    return entries


@cache
def _shipped() -> tuple[Entry, ...]:
    text = files("claims").joinpath("index.json").read_text(encoding="utf-8")
    return tuple(Entry(**record) for record in json.loads(text))


@dataclass(frozen=True)
class Paper:
    """A paper as a reader cites it."""

    id: str
    title: str
    authors: str = ""
    venue: str = ""


def paper(name: str) -> Paper:
    """What is known of a paper; an extension says it in `papers.json` of its own package."""
    for package in ["claims", *usable_extensions()]:
        listed = files(package).joinpath("papers.json")
        try:
            known = json.loads(listed.read_text(encoding="utf-8")) if listed.is_file() else {}
            if name in known:
                return Paper(name, **known[name])
        except (ValueError, TypeError, RecursionError) as error:
            raise UserError(
                f"{package}/papers.json: cannot be read ({error}); it maps the name of a paper to "
                "its title, authors and venue, all texts"
            ) from None
    return Paper(name, name)


@cache
def index() -> tuple[Entry, ...]:
    """The index, then what extensions list, then those of their claims that stand on no list."""
    claims = encoded()  # first: it says which extensions are left out
    listed = [*_shipped(), *(e for p in extensions.packages() for e in _listed_by(p))]
    known = {entry.id for entry in listed}
    extra = [
        Entry(c.id, c.paper, str(c.source), c.kind) for c in claims.values() if c.id not in known
    ]
    return (*listed, *extra)


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
