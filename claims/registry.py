"""Every claim of every paper, encoded or not.

`index.json` lists the ids, sources and kinds of all claims of the papers, so that what is not
encoded yet stays visible; `encoded.json` (see `audit.listing`) describes those that are, so
that listing them imports none.  Encoded claims are found by importing the paper packages, each when
it is asked for: those inside `claims`, and any package that declares the entry point group `twofold.papers`
(`claims.extensions`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache, cached_property
from importlib import import_module
from importlib.resources import files
from pkgutil import iter_modules, walk_packages
from typing import TYPE_CHECKING, Any

from claims import extensions
from claims.errors import UserError

if TYPE_CHECKING:  # it brings SymPy, which a list of claims need not wait for
    from claims.model import Claim

__all__ = [
    "CORRECTION",
    "Entry",
    "Paper",
    "Slip",
    "UnknownSelector",
    "corrected_by",
    "encoded",
    "extras",
    "home_of",
    "index",
    "paper",
    "paper_packages",
    "read_again",
    "remember_index",
    "select",
    "shipped",
    "stated_by",
    "usable_extensions",
]


class UnknownSelector(UserError):
    """A selector that matches no claim; the message names the nearest ids."""


@dataclass(frozen=True)
class Entry:
    """A line of the index: a claim that a paper makes, whether or not it is encoded.

    `title` says it in a line, and is empty where it is not encoded; `severity` is that of its fault,
    where it has one; `printed` is the formula as the paper prints it, where somebody has read it off.
    """

    id: str
    paper: str
    source: str
    kind: str
    title: str = ""
    severity: str | None = None
    printed: str = ""


CORRECTION = ".repair"
"""What the id of a claim's correction has behind the claim's."""


def corrected_by(name: str) -> str | None:
    """The claim whose correction bears this name; None where it is the name of a claim."""
    return name.removesuffix(CORRECTION) if name.endswith(CORRECTION) else None


def paper_packages(role: str) -> list[str]:
    """Packages that hold `role` ("claims", "proofs" or "numeric"), those of extensions included."""
    return [role, *extensions.roles(role)]


def _home_packages(claim_id: str) -> list[str]:
    """Where a claim may be encoded: the folder of its paper inside `claims`, then the extensions."""
    name = claim_id.split(".")[0]
    own = [name] if name in _own_papers() else []
    return [f"claims.{paper}" for paper in own] + extensions.roles("claims")


@cache
def _own_papers() -> tuple[str, ...]:
    root = import_module("claims")
    return tuple(module.name for module in iter_modules(root.__path__) if module.ispkg)


class _Encoded(Mapping[str, "Claim"]):
    """Claims by id; asking for one imports the package of its paper, asking for all imports all."""

    def __init__(self) -> None:
        self._found: dict[str, dict[str, Claim]] = {}

    def of_package(self, package: str) -> dict[str, Claim]:
        """The claims that the modules of a package state."""
        if package not in self._found:
            ours = package.partition(".")[0] == "claims"
            self._found[package] = _stated_in(package) if ours else self._of_extension(package)
        return self._found[package]

    def _of_extension(self, package: str) -> dict[str, Claim]:
        """Those of somebody's package; none where it cannot be used, and `extensions` keeps the reason."""
        name = package.removesuffix(".claims")
        try:
            _listed_by(name)
            return {i: claim for i, claim in _stated_in(package).items() if self._is_new(claim)}
        except (Exception, SystemExit) as error:  # whatever somebody's package raises
            extensions.refuse(name, error)
            return {}

    def _is_new(self, claim: Claim) -> bool:
        """Whether no other package states the claim; raises `UserError` for another of its id."""
        others = [own for own in self._found.values() if claim.id in own]
        if claim.id in _described():
            known = self[claim.id]
        elif others:
            known = others[0][claim.id]
        else:
            return True
        if known is not claim:
            raise UserError(f"claim id {claim.id} is used twice")
        return False

    def package_of(self, claim_id: str) -> str:
        """The package that states a claim; raises `KeyError` where none does."""
        for package in dict.fromkeys((*_home_packages(claim_id), *self._found)):
            if claim_id in self.of_package(package):
                return package
        raise KeyError(claim_id)

    def __getitem__(self, claim_id: str) -> Claim:
        return self.of_package(self.package_of(claim_id))[claim_id]

    @cached_property
    def _all(self) -> dict[str, Claim]:
        own = [f"claims.{paper}" for paper in _own_papers()]
        found: dict[str, Claim] = {}
        for package in dict.fromkeys((*own, *extensions.roles("claims"), *self._found)):
            for claim in self.of_package(package).values():
                if found.setdefault(claim.id, claim) is not claim:
                    raise ValueError(f"claim id {claim.id} is used twice")
        order = {entry.id: place for place, entry in enumerate(shipped())}
        return dict(sorted(found.items(), key=lambda item: order.get(item[0], len(order))))

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


def _stated_in(package: str) -> dict[str, Claim]:
    from claims.model import Claim
    from claims.sound import require_sound

    found: dict[str, Claim] = {}
    for info in walk_packages(import_module(package).__path__, f"{package}."):
        values = vars(import_module(info.name)).values()
        for claim in (v for v in values if isinstance(v, Claim) and v.parent is None):
            if found.setdefault(claim.id, claim) is not claim:
                raise ValueError(f"claim id {claim.id} is used twice")
            require_sound(claim)
    return found


@cache
def encoded() -> _Encoded:
    """All encoded claims by id, in the order of the index (extensions after it), each paper loaded
    when one of its claims is asked for."""
    return _Encoded()


def _read(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(
        files("claims").joinpath(name).read_text(encoding="utf-8")
    )
    return found


def usable_extensions() -> list[str]:
    """The packages of others that could be loaded; where there is none, no claim is loaded either."""
    for package in extensions.packages():
        _entries_of(package)
    return extensions.packages()


def stated_by(package: str) -> frozenset[str]:
    """The ids that an extension encodes; none where it only lists them."""
    stating = f"{package}.claims"
    return frozenset(encoded().of_package(stating) if stating in extensions.roles("claims") else ())


def home_of(claim_id: str) -> str:
    """The package that encodes a claim: "claims", or an extension."""
    try:
        package = encoded().package_of(claim_id)
    except KeyError:
        return "claims"
    return "claims" if package.startswith("claims.") else package.removesuffix(".claims")


@cache
def _listed_by(package: str) -> tuple[Entry, ...]:
    """What an extension lists in its own index; no id of it is one that is shipped."""
    from claims.model import ID_RULE, is_id

    entries = tuple(Entry(**record) for record in extensions.listed(package))
    known = {entry.id for entry in shipped()}
    for entry in entries:
        if not (is_id(entry.id) and is_id(entry.paper)):
            raise UserError(f"{package}/index.json: id {entry.id!r}: {ID_RULE}")
        if entry.id in known:
            raise UserError(f"{package}/index.json: claim id {entry.id} is used twice")
        known.add(entry.id)
    return entries


def _entries_of(package: str) -> tuple[Entry, ...]:
    """What an extension lists and what it encodes; nothing where it cannot be used."""
    try:
        listed = _listed_by(package)
    except (Exception, SystemExit) as error:  # also of the package above it, which Python imports
        extensions.refuse(package, error)
        return ()
    stating = f"{package}.claims"
    claims = encoded().of_package(stating) if stating in extensions.roles("claims") else {}
    if package in extensions.refused():
        return ()
    described = {
        c.id: Entry(c.id, c.paper, str(c.source), c.kind, c.title, c.severity)
        for c in claims.values()
    }
    first = (replace(described.pop(e.id, e), kind=e.kind, printed=e.printed) for e in listed)
    return (*first, *described.values())


@cache
def _described() -> dict[str, Entry]:
    """The encoded claims of this project by id, as `encoded.json` describes them."""
    return {record["id"]: Entry(**record) for record in _read("encoded.json")}


@cache
def shipped() -> tuple[Entry, ...]:
    """What the papers of this project claim, as it is described where it is encoded."""
    listed = (Entry(**record) for record in _read("index.json"))
    return tuple(_described().get(entry.id, entry) for entry in listed)


@dataclass(frozen=True)
class Slip:
    """A slip of the pen that no statement holds, as somebody read it off: no program has checked it.

    All four are texts for readers, with mathematics between dollars.
    """

    where: str
    printed: str
    meant: str
    why: str


@dataclass(frozen=True)
class Paper:
    """A paper as a reader cites it; `sections` maps "3.1" or "A.2" to the section's title.

    `symbols` says of letters in LaTeX what they stand for, of those that mean one thing throughout;
    `notation` are definitions in LaTeX that hold in all of its formulas, as the paper states them;
    `slips` lie outside its statements.
    """

    id: str
    title: str
    authors: str = ""
    venue: str = ""
    sections: Mapping[str, str] = field(default_factory=dict)
    symbols: Mapping[str, str] = field(default_factory=dict)
    notation: Sequence[str] = ()
    slips: Sequence[Slip] = ()

    def __post_init__(self) -> None:
        for name in ("notation", "slips"):
            if not isinstance(getattr(self, name), list | tuple):
                raise TypeError(f"{name} of {self.id} is no list")
        texts = [self.title, self.authors, self.venue, *self.notation]
        texts += [text for slip in self.slips for text in vars(slip).values()]
        for name in ("sections", "symbols"):
            told = getattr(self, name)
            if not isinstance(told, Mapping):
                raise TypeError(f"{name} of {self.id} are no mapping")
            texts += [*told, *told.values()]
        wrong = [text for text in texts if not isinstance(text, str)]
        if wrong:
            raise TypeError(f"{wrong[0]!r} of {self.id} is no text")


def paper(name: str) -> Paper:
    """What is known of a paper; an extension says it in `papers.json` of its own package."""
    for package in ["claims", *usable_extensions()]:
        folder = files("claims") if package == "claims" else extensions.root(package)
        listed = folder.joinpath("papers.json")
        try:
            known = json.loads(listed.read_text(encoding="utf-8")) if listed.is_file() else {}
            if name in known:
                slips = [Slip(**slip) for slip in known[name].pop("slips", ())]
                return Paper(name, **known[name], slips=slips)
        except (ValueError, TypeError, RecursionError) as error:
            raise UserError(
                f"{package}/papers.json: cannot be read ({error}); it maps the name of a paper to "
                "its title, authors and venue, all texts, its sections by number, its symbols by letter, "
                "its notation, a list, and its slips, a list of `where`, `printed`, `meant` and `why`"
            ) from None
    return Paper(name, name)


_remembered: tuple[Entry, ...] | None = None


def remember_index(entries: tuple[Entry, ...]) -> None:
    """Take the index as known: for who read it when all files that it comes from were the same."""
    global _remembered
    _remembered = entries
    index.cache_clear()


def read_again() -> None:
    """Forget what was read of the listings: for who has written them anew."""
    global _remembered
    _remembered = None
    for reader in (_described, shipped, extras, index):
        reader.cache_clear()


@cache
def extras() -> tuple[Entry, ...]:
    """Entries that the shipped index lacks: statements of our own, and the index of extensions."""
    listed = {entry.id for entry in shipped()}
    ours = (entry for entry in _described().values() if entry.id not in listed)
    return (*ours, *(e for package in usable_extensions() for e in _entries_of(package)))


@cache
def index() -> tuple[Entry, ...]:
    """The index with the extras appended."""
    return (*shipped(), *extras()) if _remembered is None else _remembered


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
    folded = {name.casefold(): name for name in sorted(names)}
    # The same letters in another case name a claim, or what ids begin with.
    length, sought = len(selector), selector.casefold()
    same = [n[:length] for f, n in folded.items() if f == sought or f.startswith(f"{sought}.")]
    close = same[:1] or [folded[name] for name in get_close_matches(sought, folded, 3, 0.3)]
    hint = f"; nearest: {', '.join(close)}" if close else ""
    return f"no claim matches {selector!r}{hint}; see `twofold list`"
