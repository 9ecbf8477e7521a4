"""Where a mutation would say nothing: what a reader sees, or what is not run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

__all__ = ["silent_places"]

Span = tuple[tuple[int, int], tuple[int, int]]


def silent_places(path: Path) -> list[Span]:
    """Spans of annotations, of what is raised, of `__all__` and of how things are shown."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [_span(node) for top in ast.walk(tree) for node in _silent(top)]


SHOWN = {"latex", "__repr__"}


def _silent(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Raise):
        yield from (part for part in (node.exc, node.cause) if part is not None)
    if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
        yield node.annotation
    if isinstance(node, ast.FunctionDef) and node.returns is not None:
        yield node.returns
    if isinstance(node, ast.FunctionDef) and node.name in SHOWN:
        yield node
    if isinstance(node, ast.Assign) and any(_is_name(t, "__all__") for t in node.targets):
        yield node


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _span(node: ast.AST) -> Span:
    assert isinstance(node, ast.expr | ast.stmt)
    assert node.end_lineno is not None and node.end_col_offset is not None
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
