"""Reads formulas of a terminal back and evaluates them, by a grammar that knows nothing of the writer.

It is a strict reader: where two readings of a line differ, such as `a/b c` or `log a/b`, the line is
`Unreadable`, whichever of them was meant.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from typing import Any

import mpmath

Env = dict[str, Any]
Node = Callable[[Env], Any]
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "log": mpmath.log, "max": max, "min": min, "binom": mpmath.binomial, "sign": mpmath.sign,
}  # fmt: skip


class Unreadable(ValueError):
    """The text is no formula of this grammar, or one that can be read in two ways."""


def read(text: str, env: Env) -> Any:
    """The value of a line; names are looked up as they are written."""
    reader = _Reader(text, sorted(env, key=len, reverse=True))
    node = reader.sum()
    if reader.peek():
        raise Unreadable(f"{reader.text[reader.at :]!r} is left over in {text!r}")
    return node(env)


def _plain(raised: str) -> str:
    """Raised or lowered characters as they stand on the line."""
    return "".join(chr(int(unicodedata.decomposition(c).split()[1], 16)) for c in raised).replace(
        "−", "-"
    )


def _is(kind: str, character: str) -> bool:
    return bool(character) and unicodedata.decomposition(character).startswith(f"<{kind}>")


class _Reader:
    def __init__(self, text: str, names: list[str]) -> None:
        self.text, self.names, self.at = text, names, 0
        self.bars = 0

    def peek(self) -> str:
        while self.text[self.at : self.at + 1] == " ":
            self.at += 1
        return self.text[self.at : self.at + 1]

    def take(self, sign: str) -> bool:
        self.peek()
        found = self.text.startswith(sign, self.at)
        self.at += len(sign) * found
        return found

    def expect(self, sign: str) -> None:
        if not self.take(sign):
            raise Unreadable(f"{sign!r} expected at {self.text[self.at :]!r} of {self.text!r}")

    def sum(self) -> Node:
        terms = [(-1 if self.take("-") else 1, self.product())]
        while self.peek() in {"+", "-"}:
            sign = -1 if self.take("-") else (self.take("+"), 1)[1]
            terms.append((sign, self.product()))
        return lambda env: mpmath.fsum(sign * node(env) for sign, node in terms)

    def product(self) -> Node:
        factors: list[Node] = []
        while not factors or self._starts() or self.take("·"):
            if self.peek() == "∑":
                factors.append(self.summed())
                break
            factors.append(self.factor())
        if not self.take("/"):
            return lambda env: mpmath.fprod(node(env) for node in factors)
        below = self.factor()
        if self._starts() or self.peek() in {"/", "·"}:
            raise Unreadable(f"what follows a quotient can be read in two ways in {self.text!r}")
        return lambda env: mpmath.fprod(node(env) for node in factors) / below(env)

    def _starts(self) -> bool:
        closing = "+-/·),;!=" + "|" * (self.bars > 0)
        return bool(self.peek()) and self.peek() not in closing

    def summed(self) -> Node:
        self.expect("∑")
        low, high = self.script("sub", "_"), self.script("super", "^")
        name, _, first = low.partition("=")
        self.names = [name, *self.names]
        body = self.product()
        self.names = self.names[1:]
        limits = [_Reader(text, self.names).sum() for text in (first, high)]

        def value(env: Env) -> Any:
            a, b = (int(limit(env)) for limit in limits)
            return mpmath.fsum(body({**env, name: mpmath.mpf(k)}) for k in range(a, b + 1))

        return value

    def script(self, kind: str, sign: str) -> str:
        """The text of a power or an index, small or after its sign."""
        if self.take(sign):
            return self.bracket() if self.peek() == "(" else self.letter()
        start = self.at
        while _is(kind, self.text[self.at : self.at + 1]):
            self.at += 1
        return _plain(self.text[start : self.at])

    def bracket(self) -> str:
        start, depth = self.at, 0
        while True:
            depth += {"(": 1, ")": -1}.get(self.text[self.at], 0)
            self.at += 1
            if depth == 0:
                return self.text[start + 1 : self.at - 1]

    def letter(self) -> str:
        found = re.compile(r"\d+|\w").match(self.text, self.at)
        if found is None:
            raise Unreadable(f"no letter at {self.text[self.at :]!r} of {self.text!r}")
        self.at = found.end()
        return found[0]

    def factor(self) -> Node:
        base = self.base()
        while True:
            if self.text.startswith("!", self.at):
                self.at += 1
                base = _applied(mpmath.factorial, base)
            elif power := self.script("super", "^"):
                if self.text[self.at : self.at + 1] == "^":
                    raise Unreadable(f"two powers in {self.text!r}")
                base = _power(base, _Reader(power, self.names).whole())
            else:
                return base

    def whole(self) -> Node:
        node = self.sum()
        if self.peek():
            raise Unreadable(f"{self.text[self.at :]!r} is left over in {self.text!r}")
        return node

    def base(self) -> Node:
        if self.take("("):
            inner = self.sum()
            self.expect(")")
            return inner
        if self.take("|"):
            self.bars += 1
            inner = self.sum()
            self.expect("|")
            self.bars -= 1
            return _applied(abs, inner)
        if self.take("√"):
            return _applied(mpmath.sqrt, self.base())  # of the next term, without its power
        for name, function in FUNCTIONS.items():
            if self.take(f"{name}("):
                return self.arguments(function)
        for name in self.names:
            if self.take(name):
                return lambda env: env[name]
        if self.take("e"):
            return lambda env: mpmath.e
        number = re.compile(r"\d+").match(self.text, self.at)
        if number is None:
            raise Unreadable(f"nothing known at {self.text[self.at :]!r} of {self.text!r}")
        self.at = number.end()
        return lambda env: mpmath.mpf(number[0])

    def arguments(self, function: Callable[..., Any]) -> Node:
        nodes = [self.sum()]
        while self.take(","):
            nodes.append(self.sum())
        self.expect(")")
        return lambda env: function(*(node(env) for node in nodes))


def _applied(function: Callable[..., Any], node: Node) -> Node:
    return lambda env: function(node(env))


def _power(base: Node, exponent: Node) -> Node:
    return lambda env: base(env) ** exponent(env)
