"""Reads statements back: connectives, quantifiers, chains of relations, limits and trends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise, product

from latex_reader import Atom, TermReader, Unreadable
from latex_values import SIGNS, Env, Node

FAR = 10**12
"""Where a limit is looked at."""
UNBOUNDED = 12
"""How many members of an unbounded range are looked at, as `claims.statement` says."""
DIRECTIONS = {
    "nondecreasing": "<=", "strictly increasing": "<",
    "nonincreasing": ">=", "strictly decreasing": ">",
}  # fmt: skip


def read_formula(text: str, atoms: list[Atom], env: Env) -> bool:
    """Whether a formula holds."""
    reader = FormulaReader(text, atoms)
    node = reader.formula()
    reader.end()
    return bool(node(env))


class FormulaReader(TermReader):
    def formula(self) -> Node:
        for sign, every in ((r"\forall", True), (r"\exists", False)):
            if self.take(sign):
                return self.quantified(every)
        left = self.joined()
        if self.take(r"\Rightarrow"):
            right = self.joined()
            return lambda env: not left(env) or right(env)
        if self.take(r"\Leftrightarrow"):
            right = self.joined()
            return lambda env: left(env) == right(env)
        return left

    def quantified(self, every: bool) -> Node:
        names = [self.atom().name]
        while self.take(","):
            names.append(self.atom().name)
        members = self.range()
        self.expect(":")
        body = self.formula()

        def holds(env: Env) -> bool:
            places = product(members(env), repeat=len(names))
            answers = (body({**env, **dict(zip(names, at, strict=True))}) for at in places)
            return all(answers) if every else any(answers)

        return holds

    def range(self) -> Callable[[Env], Iterable[int]]:
        self.expect(r"\in\{")
        low = self.term()
        members = [low]
        while not self.take(r",\dots"):
            if self.take(r"\}"):
                return lambda env: [int(member(env)) for member in members]
            self.expect(",")
            members.append(self.term())
        if len(members) > 1:
            raise Unreadable(f"{self.text!r}: dots behind more than one number")
        high = self.term() if self.take(",") else None
        self.expect(r"\}")
        return lambda env: range(
            int(low(env)), int(high(env)) + 1 if high else int(low(env)) + UNBOUNDED
        )

    def joined(self) -> Node:
        parts = [self.unit()]
        sign = None
        while found := self.take(r"\text{ and }", r"\text{ or }"):
            if sign not in (None, found):
                raise Unreadable(f"{self.text!r} mixes and with or")
            sign = found
            parts.append(self.unit())
        if sign == r"\text{ or }":
            return lambda env: any(part(env) for part in parts)
        return lambda env: all(part(env) for part in parts)

    def unit(self) -> Node:
        if self.take(r"\neg\left("):
            body = self.formula()
            self.expect(r"\right)")
            return lambda env: not body(env)
        found = self.attempt(self.link)
        if found is not None:
            return found
        self.expect(r"\left(")
        inner = self.formula()
        self.expect(r"\right)")
        return inner

    def link(self) -> Node:
        """A relation, a limit or a trend."""
        if self.take(r"\lim_{"):
            return self.limit()
        start = self.at
        term = self.alone()
        if self.take(r"\text{is "):
            return self.monotone(term)
        self.at = start
        return self.relation()

    def limit(self) -> Node:
        index = self.atom().name
        self.expect(r"\to\infty}")
        left = self.factors()
        self.expect("=")
        value = self.alone()
        return lambda env: bool(abs(left({**env, index: FAR}) - value(env)) < 1e-9)

    def monotone(self, term: Node) -> Node:
        words = next(w for w in DIRECTIONS if self.take(w + " in }"))
        index = self.atom().name
        members = self.range()
        compare = SIGNS[{"<=": r"\le", ">=": r"\ge"}.get(DIRECTIONS[words], DIRECTIONS[words])]

        def holds(env: Env) -> bool:
            values = [term({**env, index: k}) for k in members(env)]
            return all(compare(a, b) for a, b in pairwise(values))

        return holds
