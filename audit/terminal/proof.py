"""A proof as `twofold show` prints it: the theorem first, what it follows from indented below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from audit.formulas.unicode import unicode_formula, unicode_prose
from audit.site.proof_tree import Run, Step, proof_tree
from audit.terminal.layout import Page, counted
from audit.words.records import ASSUMED, sentence

__all__ = ["say_proof"]

DEEPEST = 12
"""Levels that are indented further; deeper ones say their level."""


def say_proof(
    proof: Mapping[str, Any] | None, page: Page, *, steps: bool, title: str = "Proof"
) -> None:
    """Method, hypotheses and steps of a proof; the top levels only, unless all steps are asked for."""
    if proof is None:
        page.heading(title, "none")
        return
    page.heading(title, "argued in words" if proof["grade"] == "argued" else proof["status"])
    page.say(f"by {unicode_prose(proof['method'])}")
    if proof.get("reason"):
        page.say(unicode_prose(sentence(proof["reason"])))
    if proof.get("assumed"):
        page.say(f"{ASSUMED}:")
        for hypothesis in proof["assumed"]:
            page.say(unicode_formula(hypothesis), indent="  - ", hanging="    ")
    found = proof_tree(proof["steps"])
    if found is None:
        return
    repeated = found.listed - found.distinct
    again = f", {repeated} more that repeat one of them" if repeated else ""
    page.say(
        f"{counted(found.distinct, 'step')}{again}; below each stand those that it follows from",
        style="dim",
    )
    hidden = _say_parts(found.tree, page, 0, steps) + _say_parts(found.beside, page, 0, steps)
    if hidden:
        are = "is" if hidden == 1 else "are"
        page.say(f"{counted(hidden, 'step')} {are} not shown; --steps shows all", style="dim")


def _say_parts(parts: Sequence[Step | Run], page: Page, level: int, steps: bool) -> int:
    """Print steps of one level with those below them; how many were left out."""
    hidden = 0
    for part in parts:
        if isinstance(part, Step):
            hidden += _say_step(part, page, level, steps)
        elif steps:
            hidden += _say_parts(part.steps, page, level, steps)
        else:
            page.say(f"{part.below} steps: {unicode_prose(part.rule.says)}", indent=_indent(level))
            hidden += part.below
    return hidden


def _say_step(step: Step, page: Page, level: int, steps: bool) -> int:
    indent = _indent(level)
    number = f"{step.id}. " if level <= DEEPEST else f"{step.id}. (level {level}) "
    page.say(f"{number}{unicode_formula(step.formula)}", indent, f"{indent}   ")
    reasons = ", ".join(map(str, step.premises))
    said = f"{unicode_prose(step.sentence)} {reasons}".strip()
    page.say(f"{said}{'' if said.endswith('.') else '.'}", f"{indent}   ", style="dim")
    if steps or step.opened:
        return _say_parts(step.parts, page, level + 1, steps)
    return step.below


def _indent(level: int) -> str:
    return "  " * (1 + min(level, DEEPEST))
