"""Mutations of a judge, in the manner of cosmic-ray: each takes away something that a check rests on.

The operators of cosmic-ray change signs, numbers and conditions.  A judge also errs where it forgets:
a check that is not made, a hypothesis that is not handed on, a conjunct that is not asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import parso
from cosmic_ray.operators.operator import Example, Operator
from parso.python.tree import Function, search_ancestor

__all__ = ["OPERATORS", "Provider"]

Position = tuple[tuple[int, int], tuple[int, int]]
Found = Iterator[tuple[Position, str]]
"""Where a mutation lies, and what then stands in the place of the node."""


def _code(node: Any) -> str:
    return str(node.get_code(include_prefix=False))


def _span(node: Any) -> Position:
    return node.start_pos, node.end_pos


class Rewrite(Operator):  # type: ignore[misc]
    """An operator that is one function: the mutations of a node, as text in its place."""

    found: ClassVar[Callable[[Any], Found]]
    shown: ClassVar[tuple[tuple[str, str], ...]]

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        for position, _ in type(self).found(node):
            yield position

    def mutate(self, node: Any, index: int) -> Any:
        _, code = list(type(self).found(node))[index]
        return parso.parse(node.get_first_leaf().prefix + code)

    @classmethod
    def examples(cls) -> tuple[Example, ...]:
        return tuple(Example(before, after) for before, after in cls.shown)


def _dropped_statements(node: Any) -> Found:
    """A call whose value nobody takes, an augmented assignment, an `if` that only raises."""
    if node.type == "simple_stmt":
        inner = node.children[0]
        call = inner.type == "atom_expr" and inner.children[-1].type == "trailer"
        augmented = inner.type == "expr_stmt" and inner.children[1].type == "augassign"
        augmented |= inner.type == "expr_stmt" and _code(inner.children[1])[:-1] in {"+", "|", "-"}
        if call or augmented:
            yield _span(inner), "pass\n"
    if node.type == "if_stmt" and len(node.children) == 4:
        body = [c for c in getattr(node.children[3], "children", ()) if c.type == "simple_stmt"]
        if len(body) == 1 and body[0].children[0].type == "raise_stmt":
            yield _span(node), "pass\n"


def _elements(node: Any) -> list[Any]:
    """What stands between commas in a node; a node by itself is one element."""
    if node.type in {"arglist", "testlist_comp", "dictorsetmaker"}:
        if any(c.type in {"comp_for", "sync_comp_for"} for c in node.children):
            return []
        return [c for c in node.children if _code(c) != ","]
    return [node]


def _dropped_arguments(node: Any) -> Found:
    """One argument of a call fewer: any by name, any starred, the last of several others."""
    if node.type != "trailer" or len(node.children) != 3 or _code(node.children[0]) != "(":
        return
    arguments = _elements(node.children[1])
    last = [a for a in arguments if a.type != "argument"][-1:] if len(arguments) > 1 else []
    for gone in arguments:
        if gone.type == "argument" or gone in last:
            rest = ", ".join(_code(a) for a in arguments if a is not gone)
            yield _span(gone), f"({rest})"


def _dropped_elements(node: Any) -> Found:
    """One element of a tuple, list or set fewer."""
    if node.type != "atom" or len(node.children) != 3:
        return
    opening, inner, closing = node.children
    is_tuple = _code(opening) == "("
    if (is_tuple and inner.type != "testlist_comp") or (
        inner.type == "dictorsetmaker" and ":" in {_code(c) for c in inner.children}
    ):
        return
    elements = _elements(inner)
    if _code(opening) == "{" and len(elements) < 2:
        return
    for gone in elements:
        rest = ", ".join(_code(e) for e in elements if e is not gone)
        rest += "," if is_tuple and rest else ""
        yield _span(gone), f"{_code(opening)}{rest}{_code(closing)}"


def _dropped_operands(node: Any) -> Found:
    """One operand of `and`, `or`, `|`, `&`, `+` fewer."""
    if node.type not in {"and_test", "or_test", "expr", "and_expr", "arith_expr"}:
        return
    for place in range(0, len(node.children), 2):
        after = node.children[place + 2 :] if place == 0 else node.children[place + 1 :]
        before = node.children[: place - 1] if place else []
        yield _span(node.children[place]), " ".join(map(_code, (*before, *after)))


def _dropped_filters(node: Any) -> Found:
    """A comprehension without its `if`."""
    if node.type == "sync_comp_for" and node.children[-1].type == "comp_if":
        yield _span(node.children[-1]), " ".join(map(_code, node.children[:-1]))


def _constant_answers(node: Any) -> Found:
    """A yes-or-no function, or one that may say `None`, that always answers the same."""
    function = search_ancestor(node, "funcdef") if node.type == "return_stmt" else None
    if not isinstance(function, Function) or function.annotation is None:
        return
    answers = {"bool": ("True", "False"), "bool | None": ("True", "False", "None")}
    for answer in answers.get(_code(function.annotation), ()):
        if _code(node.children[1]) != answer:
            yield _span(node), f"return {answer}"


def _operator(name: str, found: Callable[[Any], Found], *shown: tuple[str, str]) -> type[Rewrite]:
    return type(name, (Rewrite,), {"found": staticmethod(found), "shown": shown})


OPERATORS: dict[str, type[Rewrite]] = {
    made.__name__: made
    for made in (
        _operator(
            "DropStatement",
            _dropped_statements,
            ("require(x)\n", "pass\n"),
            ("if x:\n    raise ValueError(x)\n", "pass\n"),
            ("found += more\n", "pass\n"),
        ),
        _operator(
            "DropArgument",
            _dropped_arguments,
            ("f(x, given=y)\n", "f(given=y)\n"),
            ("f(*xs)\n", "f()\n"),
        ),
        _operator(
            "DropElement", _dropped_elements, ("[x, *y]\n", "[*y]\n"), ("(x, y)\n", "(y,)\n")
        ),
        _operator("DropOperand", _dropped_operands, ("x and y\n", "y\n"), ("x | y\n", "y\n")),
        _operator("DropFilter", _dropped_filters, ("[x for x in y if x]\n", "[x for x in y]\n")),
        _operator(
            "ConstantAnswer",
            _constant_answers,
            ("def f() -> bool:\n    return x\n", "def f() -> bool:\n    return True\n"),
        ),
    )
}


class Provider:
    """What cosmic-ray asks for operators by name."""

    def __iter__(self) -> Iterator[str]:
        return iter(OPERATORS)

    def __getitem__(self, name: str) -> type[Rewrite]:
        return OPERATORS[name]
