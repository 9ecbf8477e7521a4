"""Rules of the kernel as sentences: why a step of a proof follows from the steps before it."""

from __future__ import annotations

from dataclasses import dataclass

from audit.sinks import Prose

__all__ = ["Rule", "rule_of"]

SENTENCES = {
    "algebra": "By algebra",
    "all monomials": "Compared monomial by monomial",
    "choice": "What is said to exist is given a name",
    "conjunct": "One part of a conjunction",
    "conjunction": "Taken together",
    "cut": "The first step, whose hypotheses the others give",
    "definition": "By definition",
    "end of a sum": "One term of the sum is split off",
    "equals for equals": "Equals are put for equals",
    "exact evaluation": "By exact evaluation",
    "extremum of a range": "A maximum is reached and a minimum too, and nothing lies beyond them",
    "first case": "The first case is put before the others",
    "generalisation": "Nothing was assumed of the index but its range",
    "hypothesis": "Assumed",
    "implication": "What was assumed becomes the hypothesis of an implication",
    "induction": "By induction: the first case, and the passage to the next",
    "instance": "One instance of a statement for all",
    "limit": "By its limit",
    "limit of a closed form": "By the limit of a closed form",
    "limit of a combination": "By limits of sums, products and quotients",
    "limit of a product and of a power": "By limits of products and powers",
    "linearity of sums": "By linearity of sums",
    "normal form": "Both have one normal form",
    "one term of a sum": "A sum of non-negative terms is at least each of them",
    "order of the integers": "Of two different integers, the larger is larger by one at least",
    "real arithmetic (z3)": "By real arithmetic",
    "substitution": "Terms are put for variables",
    "sum of products of nonnegative factors": "By adding products of non-negative factors",
    "sum of squares and products of nonnegative factors": (
        "By adding squares and products of non-negative factors"
    ),
    "sum over an index": "Summed over the index",
    "sum with its index shifted": "The index of the sum is shifted",
    "witness": "The witness shows that one exists",
}
"""What the kernel calls a rule, and what a reader is told.  Rules that say what they do are not listed."""
FACT, WORDS, VALUE = "fact: ", "argument in words: ", "value: "


@dataclass(frozen=True)
class Rule:
    """A rule by its name, what it says to a reader, and a mark where it derives nothing.

    `mark` is "classical fact", "argued in words", "hypothesis" or empty.
    """

    name: str
    says: Prose
    mark: str = ""

    def sentence(self, premises: int) -> Prose:
        """Why the step holds, without its end: the numbers of its premises follow where it has any."""
        return Prose(f"{self.says}, from" if premises else f"{self.says.rstrip('.')}.")


def rule_of(text: str) -> Rule:
    """The rule that a document names: `rule`, `fact: name: reference`, `argument in words: text`, or
    `value: calculus`."""
    if text.startswith(FACT):
        name, _, reference = text.removeprefix(FACT).partition(": ")
        says = f"{_capital(name)} ({reference})" if reference else _capital(name)
        return Rule("fact", Prose(says), "classical fact")
    if text.startswith(WORDS):
        return Rule(text, Prose(_capital(text.removeprefix(WORDS))), "argued in words")
    text = text.removeprefix(VALUE)
    mark = "hypothesis" if text == "hypothesis" else ""
    return Rule(text, Prose(SENTENCES.get(text) or _capital(text)), mark)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
