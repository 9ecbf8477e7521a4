"""What a module imports, read from its text: at its top or inside functions, by name or by string."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

__all__ = ["EVERYTHING", "Imports", "imports_of"]

EVERYTHING = "*"
"""What a module imports that computes the name of a module: nobody can tell, so it may be any."""
LOADERS = {"import_module", "__import__", "exec_module", "run_module", "run_path", "walk_packages"}
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


class Imports(NamedTuple):
    """Dotted names of modules, or of what is inside of them; and names that may be modules."""

    imported: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()


def imports_of(text: str, module: str, is_package: bool = False) -> Imports:
    """What the module of this name imports; nothing where its text is no Python.

    An attribute of an imported name, and a string such as "claims.masks", are `named`: either may
    be a module that someone else loads.

    >>> imported, named = imports_of("from . import b\\nimport x.y as z\\nz.w", "p.a")
    >>> sorted(imported), sorted(named)
    (['p', 'p.b', 'x.y'], ['x.y.w'])
    """
    try:
        reader = _Reader(module if is_package else module.rpartition(".")[0])
        reader.read(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError):  # whoever imports it fails as well
        return Imports()
    return Imports(frozenset(reader.imported), frozenset(reader.strings | reader.named()))


class _Reader:
    """Collects imports; names are bound once for the whole module, so that none is missed."""

    def __init__(self, package: str):
        self.package = package
        self.imported: set[str] = set()
        self.bound: dict[str, set[str]] = {}
        self.chains: set[str] = set()
        self.strings: set[str] = set()

    def named(self) -> set[str]:
        """Attributes of imported names, from the module that the name stands for."""
        return {
            f"{whole}.{rest}"
            for chain in self.chains
            for name, _, rest in (chain.partition("."),)
            for whole in self.bound.get(name, ())
        }

    def read(self, tree: ast.AST) -> None:
        """Every node of a tree; twice as fast as `ast.NodeVisitor`, which finds a method for each."""
        waiting = [tree]
        while waiting:
            node = waiting.pop()
            read = self.READ.get(type(node))
            if read is not None and read(self, node):
                continue
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, ast.AST):
                    waiting.append(value)
                elif isinstance(value, list):
                    waiting += [each for each in value if isinstance(each, ast.AST)]

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.imported.add(alias.name)
            name = alias.asname or alias.name.partition(".")[0]
            whole = alias.name if alias.asname else name
            self.bound.setdefault(name, set()).add(whole)

    def _import_from(self, node: ast.ImportFrom) -> None:
        parts = self.package.split(".") if node.level else []
        del parts[len(parts) - node.level + 1 :]
        source = ".".join([*parts, *([node.module] if node.module else [])])
        self.imported.add(source)
        for alias in node.names:
            self.imported.add(f"{source}.{alias.name}")
            self.bound.setdefault(alias.asname or alias.name, set()).add(f"{source}.{alias.name}")

    def _attribute(self, node: ast.Attribute) -> bool:
        """Whether that is all of it: a chain of names."""
        chain = _chain(node)
        if chain is not None:
            self.chains.add(chain)
        return chain is not None

    def _constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and _DOTTED.fullmatch(node.value):
            self.strings.add(node.value)

    def _call(self, node: ast.Call) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else node.func
        called = called.id if isinstance(called, ast.Name) else called
        if called in LOADERS and not _names_a_module(node):
            self.imported.add(EVERYTHING)
        elif called in {*LOADERS, "files", "PackageLoader"}:
            self.imported |= {str(a.value) for a in node.args[:1] if isinstance(a, ast.Constant)}

    READ: ClassVar[dict[type, Callable[[Any, Any], bool | None]]] = {
        ast.Import: _import, ast.ImportFrom: _import_from, ast.Attribute: _attribute,
        ast.Constant: _constant, ast.Call: _call,
    }  # fmt: skip


def _chain(node: ast.Attribute) -> str | None:
    """`a.b.c` as it is written; None where it does not begin with a name."""
    parts: list[str] = []
    inner: ast.expr = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    return ".".join([inner.id, *reversed(parts)]) if isinstance(inner, ast.Name) else None


def _names_a_module(call: ast.Call) -> bool:
    return bool(call.args) and isinstance(call.args[0], ast.Constant)
