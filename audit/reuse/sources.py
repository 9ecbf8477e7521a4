"""The files that results come from: which there are, what they hold, and what each module imports.

Nothing is run: imports are read from the text of a module, wherever in it they stand.
"""

from __future__ import annotations

import os
import site
import sysconfig
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, entry_points, packages_distributions, version
from importlib.util import find_spec
from pathlib import Path

from claims import BEGAN
from claims.extensions import GROUP

__all__ = [
    "OWN", "Files", "SourceFile", "code_fingerprint", "digest_of", "is_listing", "is_local",
    "our_files", "version_of",
]  # fmt: skip

OWN = ("claims", "proofs", "numeric", "audit")
LISTINGS = {"index.json", "encoded.json"}
"""Data at the top of a package that say which claims there are."""
APPLIED_AFTERWARDS = {"papers.json", "expected.json", "py.typed"}
"""Data at the top of a package that no result is made of."""
COARSE = 20_000_000
"""Nanoseconds by which the times of a file system may lag behind the clock."""


@dataclass(frozen=True)
class SourceFile:
    """A file, the digest of what it holds, and the marks by which a change of it is seen at once."""

    path: Path
    digest: str
    mark: tuple[int, ...]

    @property
    def has_changed(self) -> bool:
        return _mark(self.path) != self.mark

    @property
    def is_younger_than_this_process(self) -> bool:
        _, modified, changed, _ = self.mark
        return max(modified, changed) > BEGAN - COARSE


@dataclass(frozen=True)
class Files:
    """Files of some packages by name, such as `claims/wu2024/setup.py`."""

    by_name: Mapping[str, SourceFile]

    @classmethod
    def of(cls, packages: Iterable[str]) -> Files:
        """All files that results of these packages can be made of."""
        named = (each for package in packages for each in _walk(package))
        return cls({name: _read(path) for name, path in named})

    @cached_property
    def digest(self) -> str:
        """One for all names and contents."""
        return digest_of((name, file.digest) for name, file in self.by_name.items())

    def changed(self) -> str | None:
        """A file that was changed, removed or replaced since it was read; None where none was."""
        return next((name for name, file in self.by_name.items() if file.has_changed), None)

    def loaded_before(self) -> str | None:
        """A file that may have been loaded before it became what it is; None where there is none."""
        files = self.by_name.items()
        return next((name for name, file in files if file.is_younger_than_this_process), None)


def digest_of(pairs: Iterable[tuple[str, str]]) -> str:
    """One digest for names with their digests, in whatever order."""
    return sha256(
        "\n".join(f"{name} {digest}" for name, digest in sorted(pairs)).encode()
    ).hexdigest()


def our_files() -> Files:
    """Those of this project and of every package that declares claims."""
    declared = {point.value.split(".")[0] for point in entry_points(group=GROUP)}
    return Files.of((*OWN, *sorted(declared - set(OWN))))


def code_fingerprint() -> str:
    """A digest of all code of this project, which the workers of a cluster must share."""
    files = Files.of(OWN).by_name.items()
    return digest_of((name, file.digest) for name, file in files if name.endswith(".py"))


def _read(path: Path) -> SourceFile:
    mark = _mark(path)  # before reading: a change meanwhile is seen
    try:
        digest = sha256(path.read_bytes()).hexdigest()
    except OSError:  # nobody else can read it either
        digest = "unreadable"
    return SourceFile(path, digest, mark)


def _mark(path: Path) -> tuple[int, ...]:
    try:
        about = path.stat()
    except OSError:
        return ()
    return about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_ino


def _walk(package: str) -> Iterator[tuple[str, Path]]:
    """Files of a package, or of a module that is a single file; other programs' leavings are none."""
    for root in map(Path, _places(package)):
        if root.is_file():
            yield root.name, root
        seen = set[str]()
        for folder, inner, names in os.walk(root, followlinks=True):
            inner[:] = sorted(n for n in inner if not n.startswith(".") and n != "__pycache__")
            if (real := os.path.realpath(folder)) in seen:  # a link to a folder above it
                inner.clear()
            seen.add(real)
            for name in sorted(names):
                path = Path(folder, name)
                relative = (Path(package) / path.relative_to(root)).as_posix()
                if _may_be_read(relative) and path.is_file():
                    yield relative, path


def is_listing(name: str) -> bool:
    """Whether a file only lists claims: how many there are belongs to the key of a result."""
    return name.count("/") == 1 and name.split("/")[1] in LISTINGS


def _may_be_read(name: str) -> bool:
    package, *inner = name.split("/")
    if inner[-1].startswith(".") or name.endswith((".pyc", "~")):
        return False
    if name.endswith(".py"):
        return True
    # What the audit holds beside its code, templates and the schema, shapes no result.
    return package != "audit" and not (len(inner) == 1 and inner[0] in APPLIED_AFTERWARDS)


def _places(package: str) -> list[str]:
    """Where a package lies, or the file of a module; nothing is imported."""
    try:
        spec = find_spec(package)
    except (ImportError, ValueError):
        return []
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return sorted(set(spec.submodule_search_locations))
    return [spec.origin] if spec.has_location and spec.origin else []


@cache
def is_local(package: str) -> bool:
    """Whether it is code of someone's own, known by its files, and no library with a version."""
    places = [Path(place).resolve() for place in _places(package)]
    if not places:  # built in, or not there
        return False
    outside = not any(place.is_relative_to(root) for place in places for root in _library_roots())
    return outside or version_of(package) is None


@cache
def _library_roots() -> tuple[Path, ...]:
    named = ("stdlib", "platstdlib", "purelib", "platlib")
    roots = [*map(sysconfig.get_path, named), *site.getsitepackages(), site.getusersitepackages()]
    return tuple({Path(root).resolve() for root in roots})


DISTRIBUTED_AS = {"flint": "python-flint", "z3": "z3-solver"}
"""What some libraries are installed as; the others by their own name, or by looking at all."""


@cache
def version_of(library: str) -> str | None:
    """The version of an installed library by the name it is imported by; None where it has none."""
    try:
        return version(DISTRIBUTED_AS.get(library, library))
    except PackageNotFoundError:
        if not _places(library):  # looking at all takes long
            return None
        names = packages_distributions().get(library, [])
    return ",".join(f"{name} {version(name)}" for name in sorted(set(names))) or None
