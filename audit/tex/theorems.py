r"""Which environments of a paper are theorem-like, what they are called, and which counter each has."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Kind", "kinds_of", "title_in"]

THEOREMS = {
    "assumption": "Assumption", "claim": "Claim", "conjecture": "Conjecture", "corollary": "Corollary",
    "definition": "Definition", "fact": "Fact", "hypothesis": "Hypothesis", "lemma": "Lemma",
    "proposition": "Proposition", "remark": "Remark", "theorem": "Theorem",
}  # fmt: skip
"""What document classes declare; a paper's own declarations come on top."""
_TITLE = re.compile(r"\\(?:icml|neurips)?title\s*(?:\[[^\]]*\])?\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_DECLARED = re.compile(
    r"\\newtheorem(\*?)\s*\{\s*([^{}]+?)\s*\}\s*(?:\[\s*([^\]]*?)\s*\])?\s*"
    r"\{((?:[^{}]|\{[^{}]*\})*)\}\s*(?:\[\s*([^\]]*?)\s*\])?"
)
_THMTOOLS = re.compile(
    r"\\declaretheorem\s*(?:\[([^\]]*)\])?\s*\{\s*([^{}]+?)\s*\}\s*(?:\[([^\]]*)\])?"
)


@dataclass(frozen=True)
class Kind:
    """A theorem-like environment: its printed name, its counter, and the counter that resets it."""

    title: str
    counter: str
    within: str = ""


def kinds_of(preamble: str) -> dict[str, Kind]:
    """The theorem-like environments that a preamble declares, and those of document classes."""
    kinds = {name: Kind(title, "theorem") for name, title in THEOREMS.items()}
    declared: dict[str, Kind] = {}
    for star, name, shared, title, within in _DECLARED.findall(preamble):
        known = declared.get(shared)
        counter = "" if star else known.counter if known else shared or name
        declared[name] = Kind(_plain(title), counter, within or (known.within if known else ""))
    for before, name, after in _THMTOOLS.findall(preamble):
        options = dict(o.partition("=")[::2] for o in re.split(r",\s*", f"{before},{after}") if o)
        shared = (
            options.get("sibling") or options.get("numberlike") or options.get("sharenumber", "")
        )
        known = declared.get(shared)
        counter = (
            "" if options.get("numbered") == "no" else known.counter if known else shared or name
        )
        within = options.get("numberwithin") or options.get("within") or options.get("parent", "")
        title = _plain(options.get("name") or options.get("title") or name.capitalize())
        declared[name] = Kind(title, counter, within or (known.within if known else ""))
    return {**kinds, **declared}


def title_in(text: str) -> str:
    """The title that a paper gives itself, without markup; empty where it gives none."""
    found = _TITLE.search(text)
    return _plain(found[1].replace("\\\\", " ")) if found else ""


def _plain(title: str) -> str:
    """A printed name without its markup."""
    return " ".join(re.sub(r"\\[A-Za-z]+\s*|[{}~$]", " ", title).split()) or "Statement"
