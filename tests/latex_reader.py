r"""Reads LaTeX back and evaluates it, by a grammar that knows nothing of the printer.

Names are atoms: they are matched as they are written, longest first, and each comes with its *kind*,
which says where it may stand without parentheses:

- `single`: anywhere; - `compound`: not at a power or an index; - `prefixed` (`\sum_k a_k`): as the
last factor of a product; - `sum`: alone between brackets or on a side; - `open`: in parentheses.

A juxtaposition binds tighter than `\otimes`, `\circ` and a slash, these tighter than a plus; what a
sum sign, a maximum or a limit opens runs to the end of the product.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import mpmath
import numpy as np
from latex_values import (
    FUNCTIONS,
    ONES,
    ONES_ACROSS,
    SIGNS,
    Env,
    Node,
    combined,
    entry,
    identity,
    multiplied,
    over,
    power_of,
)  # fmt: skip


class Unreadable(ValueError):
    """The text is no formula of this grammar."""


@dataclass(frozen=True)
class Atom:
    name: str
    kind: str = "single"


def read_term(text: str, atoms: list[Atom], env: Env) -> Any:
    """The value of a term."""
    reader = TermReader(text, atoms)
    node = reader.alone()
    reader.end()
    return node(env)


class TermReader:
    def __init__(self, text: str, atoms: list[Atom]):
        self.text, self.at = text, 0
        self.atoms = sorted(atoms, key=lambda atom: -len(atom.name))

    # Characters -----------------------------------------------------------------------------------

    def skip(self) -> None:
        found = re.compile(r"(?: |\\ |\\,)*").match(self.text, self.at)
        self.at = found.end() if found else self.at

    def sees(self, sign: str) -> bool:
        self.skip()
        if not self.text.startswith(sign, self.at):
            return False
        following = self.text[self.at + len(sign) : self.at + len(sign) + 1]
        return not (re.search(r"\\[A-Za-z]+$", sign) and following.isalpha())

    def take(self, *signs: str) -> str | None:
        for sign in signs:
            if self.sees(sign):
                self.at += len(sign)
                return sign
        return None

    def expect(self, sign: str) -> None:
        if self.take(sign) is None:
            raise Unreadable(
                f"{sign} expected at {self.text[self.at : self.at + 30]!r} of {self.text!r}"
            )

    def end(self) -> None:
        self.skip()
        if self.at != len(self.text):
            raise Unreadable(f"{self.text[self.at :]!r} is left over in {self.text!r}")

    def attempt(self, rule: Callable[[], Any]) -> Any:
        start = self.at
        try:
            return rule()
        except Unreadable:
            self.at = start
            return None

    # Terms ----------------------------------------------------------------------------------------

    def alone(self) -> Node:
        """A term with nothing beside it: the only place of a name that is a sum."""
        found = self.attempt(self.lonely)
        return found or (self.cases() if self.take(r"\begin{cases}") else self.term())

    def lonely(self) -> Node:
        atom = self.atom({"sum", "open"})
        before = self.text[: self.at - len(atom.name)]
        if atom.kind == "open" and atom.name != self.text and not before.endswith(r"\left("):
            raise Unreadable(f"{atom.name} needs parentheses in {self.text!r}")
        self.skip()
        if not re.match(
            r"$|\\right|\}|,|;|=|<|>|\\(?:le|ge|ne|text)(?![a-z])", self.text[self.at :]
        ):
            raise Unreadable(f"{atom.name} is a sum and not alone in {self.text!r}")
        return lambda env: env[atom.name]

    def cases(self) -> Node:
        rows: list[tuple[Node, Node]] = []
        while not self.take(r"\end{cases}"):
            value = self.alone()
            self.expect("&")
            if self.take(r"\text{otherwise}"):
                rows.append((value, lambda env: True))
            else:
                self.expect(r"\text{if }")
                rows.append((value, self.condition()))
            self.take(r"\\")
        return lambda env: next(value(env) for value, given in rows if given(env))

    def condition(self) -> Node:
        parts = [self.clause()]
        sign = None
        while found := self.take(r"\wedge", r"\vee"):
            if sign not in (None, found):
                raise Unreadable(f"{self.text!r} mixes wedge with vee")
            sign = found
            parts.append(self.clause())
        if sign == r"\vee":
            return lambda env: any(part(env) for part in parts)
        return lambda env: all(part(env) for part in parts)

    def clause(self) -> Node:
        found = self.attempt(self.relation)
        if found is not None:
            return found
        self.expect(r"\left(")
        inner = self.condition()
        self.expect(r"\right)")
        return inner

    def relation(self) -> Node:
        """A chain of relations between terms."""
        left, links = self.alone(), []
        while sign := self.take("=", r"\ne", r"\le", "<", r"\ge", ">"):
            links.append((sign, self.alone()))
        if not links:
            raise Unreadable(f"no relation at {self.text[self.at :]!r}")

        def holds(env: Env) -> bool:
            sides = [left(env), *(side(env) for _, side in links)]
            return all(
                SIGNS[sign](a, b) for (sign, _), (a, b) in zip(links, pairwise(sides), strict=True)
            )

        return holds

    def term(self) -> Node:
        parts = [(self.take("-") or "+", self.operated())]
        while sign := self.take("+", "-"):
            parts.append((sign, self.operated()))

        def value(env: Env) -> Any:
            sign, first = parts[0]
            total = first(env) if sign == "+" else -first(env)
            for sign, part in parts[1:]:
                total = total + part(env) if sign == "+" else total - part(env)
            return total

        return value

    def operated(self) -> Node:
        left = self.factors()
        sign = None
        while found := self.take(r"\otimes", r"\circ", "/"):
            if sign not in (None, found) or sign == "/":
                raise Unreadable(f"{self.text!r} mixes operators")
            sign = found
            left = combined(found, left, self.factors())
        return left

    def factors(self) -> Node:
        nodes: list[Node] = []
        while not self.stops():
            dotted = bool(nodes) and self.take(r"\cdot") is not None
            self.skip()
            if nodes and not dotted and self.text[self.at].isdigit():
                raise Unreadable(f"a number follows a factor in {self.text!r}")
            node, last = self.factor()
            nodes.append(node)
            if last and not self.stops():
                raise Unreadable(
                    f"{self.text[self.at :]!r} follows what runs to the end: {self.text!r}"
                )
        if not nodes:
            raise Unreadable(f"no factor at {self.text[self.at :]!r} of {self.text!r}")
        return (
            nodes[0] if len(nodes) == 1 else lambda env: multiplied([node(env) for node in nodes])
        )

    def stops(self) -> bool:
        self.skip()
        rest = self.text[self.at :]
        ends = r"$|[-+=<>,;:})&/\]]|\\(?:right|le|ge|ne|text|otimes|circ|wedge|vee|end|in)(?![a-z])|\\\\|\\\}"
        arrows = r"|\\(?:Rightarrow|Leftrightarrow|dots)"
        return bool(re.match(ends + arrows, rest))

    def factor(self) -> tuple[Node, bool]:
        """A factor, and whether it runs to the end of its product."""
        atom = self.attempt(lambda: self.atom({"single", "compound", "prefixed"}))
        if atom is not None:
            base: Node = lambda env: env[atom.name]  # noqa: E731
            if atom.kind == "prefixed":
                return base, True
            if atom.kind == "compound":
                if self.text[self.at : self.at + 1] in {"^", "_", "!"}:
                    raise Unreadable(f"{atom.name} needs parentheses in {self.text!r}")
                return base, False
        else:
            running = self.running()
            if running is not None:
                return running, True
            base = self.base()
        return self.scripted(base), False

    def atom(self, kinds: set[str] | None = None) -> Atom:
        self.skip()
        for atom in self.atoms:
            if self.sees(atom.name):
                if kinds is not None and atom.kind not in kinds:
                    raise Unreadable(f"{atom.name} needs parentheses in {self.text!r}")
                self.at += len(atom.name)
                return atom
        raise Unreadable(f"no name at {self.text[self.at :]!r} of {self.text!r}")

    def running(self) -> Node | None:
        if self.take(r"\sum_{"):
            index = self.atom().name
            self.expect("=")
            low = self.term()
            self.expect("}^{")
            high = self.term()
            self.expect("}")
            total = lambda values: sum(values, start=mpmath.mpf(0))  # noqa: E731
            return over(total, index, low, high, self.operated())
        for sign, choose in ((r"\max_{", max), (r"\min_{", min)):
            if self.take(sign):
                low = self.term()
                self.expect(r"\le")
                index = self.atom().name
                self.expect(r"\le")
                high = self.term()
                self.expect("}")
                return over(choose, index, low, high, self.operated())
        return None

    def base(self) -> Node:
        self.skip()
        number = re.compile(r"\d+(?:\.\d+)?").match(self.text, self.at)
        if number:
            self.at = number.end()
            return lambda env: mpmath.mpf(number[0])
        for sign, rule in (
            (r"\left(", self.group), (r"\left\|", self.norm), (r"\left[", self.entrywise),
            (r"\left\lfloor", lambda: self.rounded(r"\right\rfloor", mpmath.floor)),
            (r"\left\lceil", lambda: self.rounded(r"\right\rceil", mpmath.ceil)),
            (r"\left|", lambda: self.rounded(r"\right|", abs)),
            (r"\frac{", self.fraction), (r"\sqrt{", self.root),
            (r"\binom{", self.binomial), (r"\mathbf 1", self.ones), (r"\mathbf 0", self.zeros),
            ("e^{", self.exponential), ("I_{", self.identity), ("K_{", self.commutation),
            (r"\delta_{", self.delta), (r"\infty", lambda: lambda env: mpmath.inf),
            (r"\pi", lambda: lambda env: mpmath.pi), ("e", lambda: lambda env: mpmath.e),
        ):  # fmt: skip
            if self.take(sign):
                return rule()
        for name, function in FUNCTIONS.items():
            if self.take(name):
                return self.applied(function)
        raise Unreadable(f"nothing known at {self.text[self.at :]!r} of {self.text!r}")

    def applied(self, function: Callable[..., Any]) -> Node:
        self.expect(r"\left(")
        arguments = self.listed(r"\right)")
        return lambda env: function(*(argument(env) for argument in arguments))

    def listed(self, closing: str) -> list[Node]:
        nodes = [self.alone()]
        while self.take(","):
            nodes.append(self.alone())
        self.expect(closing)
        return nodes

    def group(self) -> Node:
        if self.take(r"\begin{matrix}"):
            return self.matrix()
        nodes = self.listed(r"\right)")
        if len(nodes) == 1:
            return nodes[0]
        return lambda env: tuple(node(env) for node in nodes)

    def matrix(self) -> Node:
        rows: list[list[Node]] = [[]]
        while not self.take(r"\end{matrix}"):
            rows[-1].append(self.alone())
            if self.take(r"\\"):
                rows.append([])
            else:
                self.take("&")
        self.expect(r"\right)")
        return lambda env: np.array([[node(env) for node in row] for row in rows], dtype=object)

    def norm(self) -> Node:
        inner = self.alone()
        self.expect(r"\right\|")
        self.take("_F")
        return lambda env: mpmath.sqrt(sum(x**2 for x in np.ravel(inner(env))))

    def entrywise(self) -> Node:
        formula = self.alone()
        self.expect(r"\right]_{")
        sides: list[list[tuple[str, Node]]] = [[]]
        while not self.take("}"):
            self.expect("1")
            self.expect(r"\le")
            index = self.atom().name
            self.expect(r"\le")
            sides[-1].append((index, self.term()))
            if self.take(";"):
                sides.append([])
            else:
                self.take(",")

        def places(side: list[tuple[str, Node]], env: Env) -> list[dict[str, Any]]:
            ranges = (range(1, int(size(env)) + 1) for _, size in side)
            return [dict(zip((i for i, _ in side), at, strict=True)) for at in product(*ranges)]

        def value(env: Env) -> Any:
            rows, columns = (places(side, env) for side in sides)
            return np.array(
                [[formula({**env, **r, **c}) for c in columns] for r in rows], dtype=object
            )

        return value

    def rounded(self, closing: str, function: Callable[..., Any]) -> Node:
        inner = self.alone()
        self.expect(closing)
        return lambda env: function(inner(env))

    def fraction(self) -> Node:
        above = self.alone()
        self.expect("}{")
        below = self.alone()
        self.expect("}")
        return lambda env: above(env) / below(env)

    def root(self) -> Node:
        inner = self.alone()
        self.expect("}")
        return lambda env: mpmath.sqrt(inner(env))

    def binomial(self) -> Node:
        top = self.alone()
        self.expect("}{")
        bottom = self.alone()
        self.expect("}")
        return lambda env: mpmath.binomial(top(env), bottom(env))

    def exponential(self) -> Node:
        exponent = self.alone()
        self.expect("}")
        return lambda env: mpmath.exp(exponent(env))

    def ones(self) -> Node:
        if self.take("_{"):
            return self.filled(1)
        if self.take(r"^\top"):
            return lambda env: ONES_ACROSS
        return lambda env: ONES

    def zeros(self) -> Node:
        self.expect("_{")
        return self.filled(0)

    def filled(self, entry: int) -> Node:
        rows = self.factors_before_times()
        columns = self.factors_before_times() if self.take(r"\times") else None
        self.expect("}")
        return lambda env: np.full(
            (int(rows(env)), int(columns(env)) if columns else 1), mpmath.mpf(entry), dtype=object
        )

    def factors_before_times(self) -> Node:
        start = self.at
        depth, stop = 0, start
        while depth or not re.match(r"\\times|\}", self.text[stop:]):
            depth += {"{": 1, "}": -1}.get(self.text[stop], 0)
            stop += 1
        inner = TermReader(self.text[start:stop], self.atoms)
        node = inner.alone()
        inner.end()
        self.at = stop
        return node

    def identity(self) -> Node:
        size = self.alone()
        self.expect("}")
        return lambda env: identity(int(size(env)))

    def commutation(self) -> Node:
        places = self.indices(2)
        self.expect("}")

        def value(env: Env) -> Any:
            m, n = (int(place(env)) for place in places)
            rows = np.full((m * n, m * n), mpmath.mpf(0), dtype=object)
            for i, j in product(range(m), range(n)):
                rows[i * n + j, j * m + i] = mpmath.mpf(1)
            return rows

        return value

    def delta(self) -> Node:
        a, b = self.indices(2)
        self.expect("}")
        return lambda env: mpmath.mpf(a(env) == b(env))

    def indices(self, count: int | None = None) -> list[Node]:
        """Indices separated by commas, or one-letter names side by side."""
        start = self.at
        nodes = [self.alone()]
        while self.take(","):
            nodes.append(self.alone())
        if len(nodes) == 1 and count != 1 and not self.text[start : self.at].strip().isdigit():
            stop, self.at = self.at, start
            names = []
            while self.at < stop and (atom := self.attempt(self.atom)) is not None:
                names.append(atom.name)
            if self.at == stop:
                return [lambda env, name=name: env[name] for name in names]  # type: ignore[misc]
            self.at = stop
        return nodes

    def scripted(self, base: Node) -> Node:
        """A base with a layer, indices, a factorial, and a power, in this order."""
        layers: list[Node] = []
        if self.text.startswith("^{(", self.at):
            self.at += 3
            layers = self.indices()
            self.expect(")}")
        places: list[Node] = []
        if self.text.startswith("_{", self.at):
            self.at += 2
            places = self.indices()
            self.expect("}")
        if layers or places:
            base = entry(base, layers, places)
        if self.text.startswith("!", self.at):
            self.at += 1
            argument = base
            base = lambda env: mpmath.factorial(argument(env))  # noqa: E731
        return self.powered(base)

    def powered(self, base: Node) -> Node:
        if not self.text.startswith("^", self.at):
            return base
        self.at += 1
        if self.take(r"\top"):
            return lambda env: base(env).T
        if self.take("{"):
            exponent = self.alone()
            self.expect("}")
        else:
            digit = self.text[self.at]
            self.at += 1
            exponent = lambda env: mpmath.mpf(digit)  # noqa: E731
        if self.text.startswith("^", self.at):
            raise Unreadable(f"two powers in {self.text!r}")
        return lambda env: power_of(base(env), exponent(env))
