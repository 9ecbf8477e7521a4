"""Edits of the source of statements: one constant, sign, exponent or relation changed."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from inspect import getsource
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

from sympy import Expr, Symbol
from sympy.core.function import AppliedUndef

from claims.model import Claim, Relation
from claims.statement import Formula

PAPERS = ("claims.wu2024", "claims.noci2022")
SIGNS = {"<=": ("<", ">="), ">=": (">", "<="), "<": ("<=", ">"), ">": (">=", "<"), "=": ("<", ">")}
METHODS = {
    "at_most": ("below", "at_least"), "at_least": ("above", "at_most"), "equals": ("below", "above"),
    "below": ("at_most", "above"), "above": ("at_least", "below"),
}  # fmt: skip


@dataclass(frozen=True)
class Edit:
    """A claim, and the source of its statement with one place changed."""

    claim: Claim
    module: ModuleType
    words: str
    source: str

    def __str__(self) -> str:
        return f"{self.claim.id}: {self.words}"

    def statement(self) -> Any:
        """The edited statement, made in the module's own namespace."""
        return evaluated(self.source, self.module)


def evaluated(source: str, module: ModuleType) -> Any:
    return eval(compile(source, f"<edited {module.__name__}>", "eval"), dict(vars(module)))


def modules() -> Iterator[ModuleType]:
    for package in PAPERS:
        for info in walk_packages(import_module(package).__path__, f"{package}."):
            yield import_module(info.name)


def statements() -> Iterator[tuple[Claim, ModuleType, ast.expr]]:
    """Claims with the expression of their statement, names of terms written out where that is it."""
    for module in modules():
        tree = ast.parse(getsource(module))
        claims = {c.id: c for c in vars(module).values() if isinstance(c, Claim)}
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            name = getattr(given.get("id"), "value", None)
            if name in claims and "statement" in given:
                node = readable(given["statement"], claims[name], module, tree)
                if node is not None:
                    yield claims[name], module, node


def readable(node: ast.expr, claim: Claim, module: ModuleType, tree: ast.Module) -> ast.expr | None:
    """The expression, which must give the claim's own statement when evaluated again."""
    for candidate in (_Inlined(module, tree).visit(deepcopy(node)), node):
        try:
            if same_object(evaluated(ast.unparse(candidate), module), claim.statement):
                return candidate
        except Exception:  # a name that stands for something else by now
            continue
    return None


def same_object(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)


class _Inlined(ast.NodeTransformer):
    """Names of terms and formulas replaced by what the module assigns to them."""

    def __init__(self, module: ModuleType, tree: ast.Module):
        self.values = vars(module)
        self.assigned = {
            target.id: node.value
            for node in tree.body
            if isinstance(node, ast.Assign) and len(node.targets) == 1
            for target in node.targets
            if isinstance(target, ast.Name)
        }

    def visit_Name(self, node: ast.Name) -> ast.expr:
        value = self.values.get(node.id)
        term = isinstance(value, Expr) and not isinstance(value, Symbol | AppliedUndef)
        if node.id in self.assigned and (term or isinstance(value, Formula | Relation)):
            return self.visit(deepcopy(self.assigned.pop(node.id)))  # once, lest it name itself
        return node


# Edits --------------------------------------------------------------------------------------------


def edits_of(claim: Claim, module: ModuleType, node: ast.expr) -> Iterator[Edit]:
    """Every edit of the statement's expression, in the order of its places."""
    count = sum(1 for _ in ast.walk(node))
    for place in range(count):
        for words, change in changes(at_place(node, place)):
            edited = deepcopy(node)
            holder: Any = ast.Expression(edited)
            _Replaced(at_place(edited, place), change).visit(holder)
            yield Edit(claim, module, words, ast.unparse(ast.fix_missing_locations(holder)))


def at_place(node: ast.expr, place: int) -> ast.AST:
    return next(inside for k, inside in enumerate(ast.walk(node)) if k == place)


class _Replaced(ast.NodeTransformer):
    def __init__(self, target: ast.AST, change: Callable[[Any], ast.AST]):
        self.target, self.change = target, change

    def visit(self, node: ast.AST) -> ast.AST:
        return self.change(node) if node is self.target else super().visit(node)


def changes(node: Any) -> Iterator[tuple[str, Callable[[Any], ast.AST]]]:
    """What may be changed at one node, in words and as a change of the tree."""
    shown = ast.unparse(node) if isinstance(node, ast.expr) else ""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        for value in (node.value + 1, node.value - 1):
            yield f"{value} for {shown}", lambda n, v=value: ast.Constant(v)
    if isinstance(node, ast.Constant) and node.value in SIGNS:
        for sign in SIGNS[node.value]:
            yield f"{sign} for {node.value}", lambda n, s=sign: ast.Constant(s)
    if isinstance(node, ast.Attribute) and node.attr in METHODS:
        for other in METHODS[node.attr]:
            yield f"{other} for {shown}", lambda n, a=other: ast.Attribute(n.value, a, n.ctx)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
        turned = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        yield f"sign turned in {shown}", lambda n: ast.BinOp(n.left, turned, n.right)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        yield f"exponent of {shown}", lambda n: ast.BinOp(n.left, n.op, _plus_one(n.right))
        yield f"no exponent in {shown}", lambda n: n.left
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Div):
        other = ast.Div() if isinstance(node.op, ast.Mult) else ast.Mult()
        yield f"{type(other).__name__} in {shown}", lambda n: ast.BinOp(n.left, other, n.right)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield f"sign dropped in {shown}", lambda n: n.operand


def _plus_one(node: ast.expr) -> ast.expr:
    return ast.BinOp(node, ast.Add(), ast.Constant(1))
