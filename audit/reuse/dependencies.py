"""Which files and libraries a result is made of: those of some modules and of all that they import."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from audit.reuse.imports import EVERYTHING, Imports, imports_of
from audit.reuse.sources import Files, digest_of, is_listing, is_local

__all__ = ["Closure", "Graph"]

LOAD_BY_ROLE = {"claims.registry", "proofs.registry", "numeric.registry"}
"""They import every module there is; which of them speaks for a claim is asked of their tables."""


@dataclass(frozen=True)
class Closure:
    """Modules with all that they import, and libraries by the names that they are imported by."""

    modules: frozenset[str]
    libraries: frozenset[str]


class Graph:
    """The modules of some files, with what each imports.

    A module depends on the packages it lies in, and on the data in their folders.  `local` are
    packages outside of the files, found because they are imported, that are no libraries.
    """

    def __init__(self, files: Files):
        self.by_name = dict(files.by_name)
        self.local: list[str] = []
        self.files_of: dict[str, set[str]] = {}
        self.imports: dict[str, Imports] = {}
        self.packages: set[str] = set()
        self._add(self.by_name)
        while unknown := sorted({top for top in self._tops() if self._is_missing(top)}):
            self.local += unknown
            added = Files.of(unknown).by_name
            self.by_name |= added
            self._add(added)
        self.needs, self.closed = cache(self._needs), cache(self._closed)

    def _add(self, names: Iterable[str]) -> None:
        code = [name for name in names if name.endswith(".py")]
        folders = {name.rpartition("/")[0] for name in self.by_name if name.endswith(".py")}
        for name in code:
            module, is_package = _module(name), name.endswith("/__init__.py")
            text = self.by_name[name].path.read_text(encoding="utf-8", errors="replace")
            self.files_of.setdefault(module, set()).add(name)
            self.imports[module] = imports_of(text, module, is_package)
        self.packages = {name.partition("/")[0].removesuffix(".py") for name in self.by_name}
        for name in (n for n in names if not n.endswith(".py") and not is_listing(n)):
            holder = next((f for f in _folders(name) if f in folders), name.partition("/")[0])
            self.files_of.setdefault(holder.replace("/", "."), set()).add(name)

    def _tops(self) -> set[str]:
        return {name.partition(".")[0] for each in self.imports.values() for name in each.imported}

    def _is_missing(self, top: str) -> bool:
        return top not in self.packages and _is_foreign(top) and is_local(top)

    def _needs(self, module: str) -> Closure:
        """What a module imports itself."""
        imported, named = self.imports.get(module, Imports())
        names = {*imported, *named, module}
        if EVERYTHING in imported and module not in LOAD_BY_ROLE:
            names |= self.imports.keys()
        found = {part for name in names for part in _prefixes(name) if part in self.files_of}
        tops = {name.partition(".")[0] for name in imported}
        libraries = {top for top in tops if top not in self.packages and _is_foreign(top)}
        return Closure(frozenset(found), frozenset(libraries))

    def closure(self, roots: Iterable[str]) -> Closure:
        """Modules with all that they import; raises `KeyError` for one that is not among the files."""
        wanted = set(roots)
        if missing := wanted - self.imports.keys():
            raise KeyError(*sorted(missing))
        found = list(map(self.closed, wanted))
        modules = frozenset[str]().union(*(each.modules for each in found))
        return Closure(modules, frozenset[str]().union(*(each.libraries for each in found)))

    def _closed(self, root: str) -> Closure:
        """One module with all that it imports."""
        waiting, seen, libraries = {root}, set[str](), set[str]()
        while waiting:
            module = waiting.pop()
            needs = self.needs(module)
            seen.add(module)
            libraries |= needs.libraries
            waiting |= needs.modules - seen
        return Closure(frozenset(seen), frozenset(libraries))

    def digest(self, modules: Iterable[str]) -> str:
        """One for the files of these modules."""
        names = (name for module in modules for name in self.files_of[module])
        return digest_of((name, self.by_name[name].digest) for name in names)


def _module(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _folders(name: str) -> Iterator[str]:
    """The folders that a file lies in, innermost first."""
    folder = name.rpartition("/")[0]
    while folder:
        yield folder
        folder = folder.rpartition("/")[0]


def _prefixes(name: str) -> Iterator[str]:
    """`a`, `a.b`, `a.b.c`: importing the last one imports all of them."""
    return accumulate(name.split("."), "{}.{}".format)


def _is_foreign(top: str) -> bool:
    """Whether it may be a library: it has a name, and does not come with Python."""
    return top.isidentifier() and top not in sys.stdlib_module_names
