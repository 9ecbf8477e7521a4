"""Where a claim's statement, proof and estimator stand in the code."""

from __future__ import annotations

import ast
import inspect
import linecache
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from traceback import walk_tb
from types import ModuleType
from typing import Any

from claims import extensions
from claims.model import Claim
from claims.registry import encoded
from numeric import registry as measuring
from proofs import registry as proving

__all__ = ["excerpt", "fault_of", "home", "places"]

Place = dict[str, Any]


def places(claim: Claim) -> list[Place]:
    """Role, path and lines of the claim, its proof and its estimator; paths count from the root."""
    found = [_place_of_claim(claim)]
    estimator = measuring.estimator_of(claim)
    for role, function in (
        ("proof", proving.proof_of(claim)),
        ("estimator", estimator.run if estimator else None),
    ):
        if function is not None:
            found.append(_place_of_function(role, function))
    return found


def excerpt(place: Place) -> str | None:
    """The lines of a place, or None where the file is not here."""
    try:
        root = _root_of(place["path"])
        path = (root / place["path"]).resolve()
        if path.suffix != ".py" or not path.is_relative_to(root):  # a document may say anything
            return None
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return None
    return "\n".join(lines[place["line"] - 1 : place["end"]])


def _place_of_function(role: str, function: Callable[..., Any]) -> Place:
    plain: Any = inspect.unwrap(function)
    path, start = plain.__code__.co_filename, plain.__code__.co_firstlineno
    # Not by `inspect.getsourcelines`, which first looks through every module that is loaded.
    lines = inspect.getblock(linecache.getlines(path, plain.__globals__)[start - 1 :])
    return {"role": role, "path": _relative(path), "line": start, "end": start + len(lines) - 1}


def _place_of_claim(claim: Claim) -> Place:
    module, name = home(claim.id)
    assert module.__file__ is not None
    start, end = _assignments(module.__file__).get(name, (1, 1))
    return {"role": "claim", "path": _relative(module.__file__), "line": start, "end": end}


def home(claim_id: str) -> tuple[ModuleType, str]:
    """The module that writes a claim, and the name of its constant there."""
    package = encoded().package_of(claim_id)
    inside = (item for item in sys.modules.items() if item[0].startswith(f"{package}."))
    loaded = tuple(module for _, module in sorted(inside))
    return _homes(package, loaded)[claim_id]


@lru_cache(maxsize=8)
def _homes(package: str, loaded: tuple[ModuleType, ...]) -> dict[str, tuple[ModuleType, str]]:
    """The same for every claim of a package, of which these modules are loaded."""
    claims = {id(claim): claim_id for claim_id, claim in encoded().of_package(package).items()}
    holding: dict[str, list[tuple[ModuleType, str]]] = {}
    for module in loaded:
        for name, value in vars(module).items():
            if id(value) in claims:
                holding.setdefault(claims[id(value)], []).append((module, name))
    return {claim_id: _assigning(places) for claim_id, places in holding.items()}


def _assigning(holding: list[tuple[ModuleType, str]]) -> tuple[ModuleType, str]:
    """Other modules import the constant; the one that assigns it is its home."""
    assigned = [(m, name) for m, name in holding if m.__file__ and name in _assignments(m.__file__)]
    return assigned[-1] if assigned else holding[0]


@cache
def _assignments(path: str) -> dict[str, tuple[int, int]]:
    """First and last line of every assignment at the top of a module, by name."""
    tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    found = {}
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    found[target.id] = (node.lineno, node.end_lineno or node.lineno)
    return found


def fault_of(error: BaseException) -> str:
    """What an error says, and the innermost line of a paper's module that it came through; of any
    module, where none is."""
    frames = list(walk_tb(error.__traceback__))
    of_papers = [row for row in frames if _is_of_a_paper(str(row[0].f_globals.get("__name__")))]
    frame, line = (of_papers or frames)[-1]
    file, said = frame.f_code.co_filename, str(error)
    if isinstance(error, SyntaxError) and error.filename:  # of a file that never ran
        file, line, said = error.filename, error.lineno or 1, error.msg
    return f"{type(error).__name__}: {said} ({_relative(file)}, line {line})"


def _is_of_a_paper(module: str) -> bool:
    roles = ("claims", "proofs", "numeric")
    own, *deeper = module.split(".")
    others = tuple(f"{package}." for role in roles for package in extensions.roles(role))
    return (own in roles and len(deeper) > 1) or f"{module}.".startswith(others)


def _relative(path: str) -> str:
    file = Path(path).resolve()
    for root in _roots():
        if file.is_relative_to(root):
            return str(file.relative_to(root))
    return file.name


def _root_of(relative: str) -> Path:
    return next((r for r in _roots() if (r / relative).exists()), _roots()[0])


@cache
def _roots() -> tuple[Path, ...]:
    """The folders above the packages that hold claims, this project's first."""
    return (Path(str(files("claims"))).resolve().parent, *extensions.roots())
