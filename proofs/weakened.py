"""What else a proof has shown: statements that follow from the lemmas on its way.

A bound is often proved by a tighter one, and a lemma says that a norm is not negative.  A statement
with one place changed may follow from these, although not from the last theorem alone.  What is found
here is made by the kernel's rules, so that the search can miss a proof, and invent none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sympy import oo

from claims.statement import And, Compare, ForAll, Formula, Implies
from proofs import kernel, smt
from proofs.kernel import Theorem
from proofs.sense import ProofError

__all__ = ["from_lemmas"]

RESOURCES = 100_000
"""z3's resource limit for one question: tenths of a second, since most of them have the answer no."""
LEMMAS = 400
"""Lemmas that a question has beside it, the last ones: with thousands it has no answer in that time."""
OPENED = 64
"""Lemmas for all indices of which the case in question is taken, the last ones first."""


def from_lemmas(goal: Formula, theorem: Theorem, facts: Iterable[Formula]) -> Theorem | None:
    """A theorem that says `goal`, from the derived lemmas below `theorem`; None where none is found.

    It has no hypotheses but those of `theorem` and the `facts`.
    """
    lemmas = tuple(t for t in theorem.tree() if not t.argued)
    try:
        return _Search(lemmas, theorem.hypotheses, tuple(facts)).shown(goal)
    except ProofError:
        return None


@dataclass(frozen=True)
class _Search:
    """Lemmas, the hypotheses that may be made, and the facts of the domain."""

    lemmas: tuple[Theorem, ...]
    assumed: frozenset[Formula]
    facts: tuple[Formula, ...]

    def shown(self, goal: Formula) -> Theorem:
        """By arithmetic, or part by part; raises `ProofError` where neither does."""
        known = self._known()
        if smt.follows(goal, [*(t.formula for t in known), *self.facts], resources=RESOURCES):
            return kernel.joint(goal, *known, given=self.facts)
        if isinstance(goal, And):
            return kernel.both(*map(self.shown, goal.formulas))
        if isinstance(goal, Implies):
            conclusion = self._assuming(goal.premise).shown(goal.conclusion)
            return kernel.discharge(conclusion, goal.premise)
        if isinstance(goal, ForAll):
            return self._for_all(goal)
        raise ProofError(f"lemmas: none gives {goal.latex()}")

    def _known(self) -> list[Theorem]:
        """The lemmas that need nothing else than what is assumed here, and what is assumed."""
        keys = {smt.canonical(h) for h in self.assumed if not isinstance(h, kernel.Within)}
        known = (t for t in self.lemmas if all(self._given(h, keys) for h in t.hypotheses))
        return [
            *list({t.formula: t for t in known}.values())[-LEMMAS:],
            *(kernel.assume(h) for h in self.assumed if not isinstance(h, kernel.Within)),
        ]

    def _given(self, hypothesis: Formula, keys: set[object]) -> bool:
        return hypothesis in self.assumed or (
            not isinstance(hypothesis, kernel.Within) and smt.canonical(hypothesis) in keys
        )

    def _assuming(self, *formulas: Formula) -> _Search:
        return replace(self, assumed=self.assumed.union(formulas))

    def _for_all(self, goal: ForAll) -> Theorem:
        """The case of any index of the range, from the same case of the lemmas for all indices."""
        index = goal.index
        if any(index in f.free_symbols() for f in self.facts):
            raise ProofError(f"lemmas: something is known of {index}")
        ends = [Compare(index, ">=", goal.low)]
        ends += [] if goal.high is oo else [Compare(index, "<=", goal.high)]
        inside = self._assuming(*ends)
        every = [t for t in self._known() if isinstance(t.formula, And | ForAll)]
        cases = tuple(case for t in every[-OPENED:] for case in _cases(t, goal))
        body = replace(inside, lemmas=(*self.lemmas, *cases)).shown(goal.body)
        return kernel.generalise(body, index, goal.low, goal.high)


def _cases(theorem: Theorem, goal: ForAll) -> Iterator[Theorem]:
    """What each statement for all that a theorem consists of says of the index of the goal."""
    formula = theorem.formula
    if isinstance(formula, And):
        for k in range(len(formula.formulas)):
            yield from _cases(kernel.part(theorem, k), goal)
    elif isinstance(formula, ForAll):
        try:
            yield kernel.instance(theorem, goal.index)
        except ProofError:
            return
