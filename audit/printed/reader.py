r"""Evaluates sides of printed formulas exactly, given what their names stand for.

The grammar is that of authors, not of `claims.printer`: a product runs on by juxtaposition, a
fraction bar or a slash divides what stands next to it, and brackets of any kind group.  What has no
value of its own (a norm of an unknown matrix, a sum over a range that is not printed) is
`Unreadable`; nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import product
from typing import Any

from sympy import (
    QQ,
    ZZ,
    Abs,
    E,
    Integer,
    MatrixBase,
    Max,
    Min,
    Rational,
    S,
    acos,
    binomial,
    ceiling,
    cos,
    exp,
    eye,
    factorial,
    factorial2,
    floor,
    gamma,
    kronecker_product,
    log,
    ones,
    pi,
    sign,
    sin,
    sqrt,
    tan,
)  # fmt: skip

from audit.printed.names import Names
from audit.printed.tokens import CLOSING, OPENING, Unreadable, group_after

__all__ = ["read_side"]

Env = Mapping[Any, Any]
Node = Callable[[Env], Any]
OPERATORS = frozenset({r"\otimes", r"\circ", r"\odot", "/"})
TIMES = frozenset({r"\cdot", r"\times"})
ENDS = frozenset({"+", "-", ",", "&", "="}) | CLOSING
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    r"\log": log, r"\exp": exp, r"\sin": sin, r"\cos": cos, r"\tan": tan, r"\arccos": acos,
    r"\sign": sign, r"\Gamma": gamma, r"\tr": lambda matrix: _matrix(matrix).trace(),
}  # fmt: skip
BARE = frozenset({r"\log", r"\sin", r"\cos", r"\tan"})
"""Functions that are written without brackets, as well."""
BRACKETS = {"(": ")", "[": "]", r"\lfloor": r"\rfloor", r"\lceil": r"\rceil"}
ROUNDED = {r"\lfloor": floor, r"\lceil": ceiling}
EXPECTATION = (r"\mathbb", "E")
CONSTANTS = {"e": E, r"\pi": pi, r"\infty": S.Infinity}


def read_side(signs: Sequence[str], names: Names) -> Node:
    """What evaluates a side of a printed formula from the values of its names."""
    return _Reader(signs, names).whole()


def _matrix(value: Any) -> Any:
    if not isinstance(value, MatrixBase):
        raise Unreadable("a number where a matrix is needed")
    return value


def _scalar(value: Any) -> Any:
    """A number; a matrix with one entry is that number."""
    if isinstance(value, MatrixBase) and value.shape == (1, 1):
        return value[0, 0]
    return value


def _sum_of_squares(matrix: MatrixBase) -> Any:
    """Over all entries; of fractions in their own arithmetic, since some matrices have thousands."""
    held = matrix.to_DM()
    if held.domain in (ZZ, QQ):
        return held.domain.to_sympy(
            sum((x * x for x in held.iter_values()), start=held.domain.zero)
        )
    return sum(entry**2 for entry in matrix)


def _times(left: Any, right: Any) -> Any:
    return _scalar(_scalar(left) * _scalar(right))


def _operated(operator: str, left: Any, right: Any) -> Any:
    if operator == "/":
        return left / _scalar(right)
    if not (isinstance(left, MatrixBase) and isinstance(right, MatrixBase)):  # of shape (1, 1)
        return _times(left, right)
    if operator == r"\otimes":
        return kronecker_product(left, right)
    return left.multiply_elementwise(right)


def _product_of(nodes: Sequence[Node]) -> Node:
    """What multiplies factors from the left to the right."""
    return lambda env: reduce(_times, (node(env) for node in nodes))


class _Reader:
    def __init__(self, signs: Sequence[str], names: Names):
        self.signs, self.names, self.at = tuple(signs), names, 0
        self.closing: tuple[str, ...] = ()

    # Signs ----------------------------------------------------------------------------------------

    def sees(self, *signs: str) -> bool:
        return self.at < len(self.signs) and self.signs[self.at] in signs

    def take(self, *signs: str) -> str | None:
        if not self.sees(*signs):
            return None
        self.at += 1
        return self.signs[self.at - 1]

    def expect(self, sign: str) -> None:
        if self.take(sign) is None:
            raise Unreadable(f"{sign} is expected before {' '.join(self.signs[self.at :][:6])}")

    def group(self) -> list[str]:
        inner, self.at = group_after(self.signs, self.at)
        return inner

    def inner(self, signs: Sequence[str]) -> Node:
        return _Reader(signs, self.names).whole()

    def within(self, closing: str) -> Node:
        """A term up to a closing sign."""
        outer, self.closing = self.closing, (closing,)
        node = self.term()
        self.closing = outer
        self.expect(closing)
        return node

    # Terms ----------------------------------------------------------------------------------------

    def whole(self) -> Node:
        node = self.term()
        if self.at != len(self.signs):
            raise Unreadable(f"left over: {' '.join(self.signs[self.at :][:8])}")
        return node

    def term(self) -> Node:
        parts = [(self.take("-", "+") or "+", self.product())]
        while found := self.take("+", "-"):
            parts.append((found, self.product()))

        def value(env: Env) -> Any:
            values = [_scalar(part(env)) * (1 if s == "+" else -1) for s, part in parts]
            total = values[0]
            for each in values[1:]:
                if isinstance(total, MatrixBase) != isinstance(each, MatrixBase):
                    raise Unreadable("a number is added to a matrix")
                total = total + each
            return total

        return value

    def product(self) -> Node:
        node = self.juxtaposed()
        while operator := self.take(*OPERATORS):
            node = self._combined(operator, node, self.juxtaposed())
        return node

    @staticmethod
    def _combined(operator: str, left: Node, right: Node) -> Node:
        return lambda env: _operated(operator, left(env), right(env))

    def ends(self) -> bool:
        return (
            self.at >= len(self.signs)
            or self.signs[self.at] in ENDS
            or self.signs[self.at] in OPERATORS
            or self.signs[self.at] in self.closing
        )

    def juxtaposed(self) -> Node:
        nodes: list[Node] = []
        while not self.ends():
            if not self.take(*TIMES):
                nodes.append(self.factor())
        if not nodes:
            raise Unreadable(f"no factor before {' '.join(self.signs[self.at :][:6]) or 'the end'}")
        return _product_of(nodes)

    def factor(self) -> Node:
        found = self.names.at(self.signs, self.at)
        if found is None:
            return self.base()
        self.at, held, groups = found
        places = [self.inner(group) for group in groups]
        return self.scripted(lambda env: held(env, [place(env) for place in places]))

    def base(self) -> Node:
        if self.at >= len(self.signs):
            raise Unreadable("the formula ends early")
        sign_ = self.signs[self.at]
        if re.fullmatch(r"\d+(?:\.\d+)?", sign_):
            self.at += 1
            return self.scripted(lambda env: Rational(sign_))
        if sign_ in BRACKETS:
            self.at += 1
            node, rounded = self.within(BRACKETS[sign_]), ROUNDED.get(sign_)
            return self.scripted((lambda env: rounded(node(env))) if rounded else node)
        if sign_ == "{":
            return self.scripted(self.inner(self.group()))
        if sign_ == "e" and self.signs[self.at + 1 : self.at + 2] == ("^",):
            self.at += 2
            exponent = self.inner(self.group())
            return lambda env: exp(exponent(env))
        rules: dict[str, Callable[[], Node]] = {
            r"\frac": self.fraction, r"\binom": self.binomial, r"\sqrt": self.root, r"\|": self.norm,
            "|": self.absolute, r"\ones": self.ones, "I": self.identity, r"\delta": self.delta,
            r"\sum": lambda: self.over(lambda a, b: a + b, S.Zero),
            r"\prod": lambda: self.over(_times, S.One),
            r"\max": lambda: self.extremum(Max), r"\min": lambda: self.extremum(Min),
        }  # fmt: skip
        if self.signs[self.at : self.at + 2] == EXPECTATION:  # of what has a value at a point
            self.at += 2
            return self.scripted(self.within("]") if self.take("[") else self.juxtaposed())
        if sign_ in rules:
            self.at += 1
            return self.scripted(rules[sign_]())
        if sign_ in FUNCTIONS:
            self.at += 1
            node = self.applied(FUNCTIONS[sign_], sign_ in BARE)
            if sign_ in BARE and self.sees("^"):
                raise Unreadable(f"a power of {sign_}, or of its argument")
            return self.scripted(node)
        if sign_ in CONSTANTS:
            self.at += 1
            return self.scripted(lambda env: CONSTANTS[sign_])
        raise Unreadable(f"nothing is known at {' '.join(self.signs[self.at :][:6])}")

    def applied(self, function: Callable[[Any], Any], bare: bool) -> Node:
        opening = self.take("(", "[")
        if opening:
            argument = self.within(BRACKETS[opening])
        else:
            argument = self.bare_argument() if bare else self.juxtaposed()
        return lambda env: function(_scalar(argument(env)))

    def bare_argument(self) -> Node:
        r"""What a function without brackets is taken of: up to a sign of a product, or the next function."""
        nodes = [self.factor()]
        while not (self.ends() or self.sees(*TIMES, *FUNCTIONS)):
            if self.sees(*BRACKETS):
                raise Unreadable("an argument, or a factor behind it")
            nodes.append(self.factor())
        return _product_of(nodes)

    def fraction(self) -> Node:
        above, below = self.group(), self.group()
        return self._combined("/", self.inner(above), self.inner(below))

    def binomial(self) -> Node:
        top, bottom = self.inner(self.group()), self.inner(self.group())
        return lambda env: binomial(top(env), bottom(env))

    def root(self) -> Node:
        if self.sees("["):
            raise Unreadable("a root of a higher degree")
        radicand = self.inner(self.group())
        return lambda env: sqrt(_scalar(radicand(env)))

    def norm(self) -> Node:
        node = self.within(r"\|")
        kind = self.group() if self.take("_") else []

        def value(env: Env) -> Any:
            held = node(env)
            if not isinstance(held, MatrixBase):
                return Abs(held)
            if kind == [r"\infty"] and 1 in held.shape:
                return Max(*map(Abs, held))
            if kind == ["F"] or (1 in held.shape and kind in ([], ["2"])):
                return sqrt(_sum_of_squares(held))
            raise Unreadable("a norm that has no closed form")

        return value

    def absolute(self) -> Node:
        node = self.within("|")
        return lambda env: Abs(_scalar(node(env)))

    def ones(self) -> Node:
        self.expect("_")
        group = self.group()
        sizes = [self.inner(side) for side in _parted(group, r"\times")]

        def value(env: Env) -> Any:
            rows, *columns = (int(size(env)) for size in sizes)
            return ones(rows, *(columns or [1]))

        return value

    def identity(self) -> Node:
        self.expect("_")
        size = self.inner(self.group())
        return lambda env: eye(int(size(env)))

    def delta(self) -> Node:
        self.expect("_")
        group = self.group()
        if r"\ne" in group:
            left, right = map(self.inner, _parted(group, r"\ne"))
            return lambda env: Integer(left(env) != right(env))
        first, second = self.indices(group, 2)
        return lambda env: Integer(first(env) == second(env))

    def extremum(self, choose: Callable[..., Any]) -> Node:
        opening = self.take("(", "{", r"\{")
        if opening is None:
            raise Unreadable("an extremum over a range")
        arguments = [self.term()]
        while self.take(","):
            arguments.append(self.term())
        self.expect({"(": ")", "{": "}", r"\{": r"\}"}[opening])
        return lambda env: choose(*(argument(env) for argument in arguments))

    def over(self, joined: Callable[[Any, Any], Any], start: Any) -> Node:
        """A sum or a product; several indices share a range.

        A range that is not printed is that of the index of this name in the statement.
        """
        self.expect("_")
        below = self.group()
        if "=" in below:
            at = below.index("=")
            indices = [tuple(index) for index in _at_commas(below[:at])]
            self.expect("^")
            ends = self.inner(below[at + 1 :]), self.inner(self.group())
            ranges, apart = dict.fromkeys(indices, ends), list[tuple[Node, Node]]()
        else:
            ranges, apart = self._known_ranges(below)
        with self.names.bound(list(ranges)):
            body = self.product()

        def value(env: Env) -> Any:
            total = start
            members = [range(int(low(env)), int(high(env)) + 1) for low, high in ranges.values()]
            for place in product(*members):
                inside = {**env, **dict(zip(ranges, map(Integer, place), strict=True))}
                if all(a(inside) != b(inside) for a, b in apart):
                    each = _scalar(body(inside))
                    total = each if total == start else joined(total, each)
            return total

        return value

    def _known_ranges(self, below: Sequence[str]) -> tuple[dict[Any, Any], list[tuple[Node, Node]]]:
        """The ranges of `a, b` or of `b \\ne a` in a statement, and what must differ."""
        ranges: dict[Any, Any] = {}
        unequal: list[tuple[Sequence[str], Sequence[str]]] = []
        for part in _at_commas(below):
            first, *others = map(tuple, _parted(part, r"\ne"))
            unequal += [(first, other) for other in others]
            known = [o for o in others if self.names.is_bound(o) or o in ranges]
            new = [first, *(other for other in others if other not in known)]
            for index in new:
                if index not in self.names.ranges:
                    raise Unreadable("a range that is not printed")
                low, high = self.names.ranges[index]
                ranges[index] = self.names.term(low), self.names.term(high)
        with self.names.bound(list(ranges)):
            apart = [(self.inner(one), self.inner(other)) for one, other in unequal]
        return ranges, apart

    # Scripts --------------------------------------------------------------------------------------

    def indices(self, group: Sequence[str], count: int | None = None) -> list[Node]:
        """Indices separated by commas, or names side by side."""
        parts = _at_commas(group)
        if len(parts) == 1 and len(group) > 1:
            reader = _Reader(group, self.names)
            found: list[Node] = []
            while reader.at < len(group) and (name := self.names.at(group, reader.at)):
                reader.at, held, groups = name
                if groups:
                    break
                found.append(lambda env, held=held: held(env, []))  # type: ignore[misc]
            if reader.at == len(group):
                return found
        nodes = [self.inner(part) for part in parts]
        if count not in (None, len(nodes)):
            raise Unreadable(f"{len(nodes)} indices where {count} are needed")
        return nodes

    def scripted(self, node: Node) -> Node:
        """A base with its indices, layers, powers and transposes."""
        while found := self.take("_", "^", "!"):
            if found == "!":
                node = self._factorial(node, factorial2 if self.take("!") else factorial)
            elif found == "_":
                node = self._entry(node, self.indices(self.group()), self._layers())
            else:
                self.at -= 1
                layers = self._layers()
                node = self._entry(node, [], layers) if layers else self._powered(node)
        return node

    @staticmethod
    def _factorial(node: Node, kind: Callable[[Any], Any]) -> Node:
        return lambda env: kind(node(env))

    def _layers(self) -> list[Node]:
        """The indices of an upper script in parentheses, if there is one here."""
        start = self.at
        if self.take("^"):
            group = self.group()
            if group[:1] == ["("] and group[-1:] == [")"]:
                return self.indices(group[1:-1])
        self.at = start
        return []

    def _powered(self, node: Node) -> Node:
        self.expect("^")
        group = self.group()
        if group == [r"\top"]:
            return lambda env: _matrix(node(env)).T
        if group in ([r"\prime"], ["*"]):
            raise Unreadable("a name with a mark that nothing explains")
        exponent = self.inner(group)
        return lambda env: _scalar(node(env)) ** exponent(env)

    @staticmethod
    def _entry(node: Node, places: list[Node], layers: list[Node]) -> Node:
        def value(env: Env) -> Any:
            held = node(env)
            for layer in layers:
                if not isinstance(held, tuple | list):
                    raise Unreadable("a layer of what has none")
                held = held[_counted(layer(env))]
            at = [_counted(place(env) - 1) for place in places]
            if at and isinstance(held, tuple | list):
                return held[at[0]]
            if at and isinstance(held, MatrixBase):
                if len(at) == 1 and 1 not in held.shape:
                    raise Unreadable("a row, or a column, of a matrix")
                return held[at[0], at[1]] if len(at) > 1 else held[at[0]]
            if at:
                raise Unreadable("an index of a number")
            return held

        return value


def _counted(place: Any) -> int:
    """A place from zero on: before the first one there is nothing, and not the last."""
    if place != int(place) or place < 0:
        raise LookupError(f"place {place}: is none")
    return int(place)


def _parted(signs: Sequence[str], at: str) -> list[Sequence[str]]:
    """The parts before and behind a sign, or the whole where it does not stand."""
    if at not in signs:
        return [signs]
    place = list(signs).index(at)
    return [signs[:place], signs[place + 1 :]]


def _at_commas(signs: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    depth = 0
    for sign_ in signs:
        depth += (sign_ in OPENING) - (sign_ in CLOSING)
        if sign_ == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(sign_)
    return parts
