"""Where a formula is broken into lines: what a break between two neighbours costs a reader."""

from __future__ import annotations

import re

from audit.formulas.tree import Node
from audit.formulas.widths import BINARY, RELATIONS

__all__ = ["COMMA", "LAST", "LINE", "NEVER", "PRODUCT", "closes", "cost_of_break", "opens"]

NEVER, LAST, PRODUCT, SUM, COMMA, RELATION, DEEPER, LINE = 60, 30, 12, 5, 6, 1, 4, 3
"""What a break costs: inside what belongs together, between letters, factors, before a sign, after a
comma, before a relation; for each bracket around it; and for a line of its own."""
_SPACE = {r"\ ", r"\quad", r"\qquad", r"\,", r"\;", r"\:", "~"}
_OPENING = re.compile(
    r"(?:\\[Bb]igg?l?\s*)?(?:[(\[]|\\\{|\\langle|\\l[A-Za-z]+)$|\\(?:neg|forall|exists|partial|nabla)$"
)
_CLOSING = re.compile(
    r"(?:\\[Bb]igg?r?\s*)?(?:[)\]]|\\\}|\\rangle|\\r(?:brace|vert|Vert|floor|ceil))$|[,;:!.']$"
)
_BARS = {"|", r"\|", r"\vert", r"\Vert"}


def opens(node: Node) -> bool:
    r"""Whether it is a bracket without `\left` that opens."""
    return bool(_OPENING.match(node.text)) and not node.text.startswith(
        (r"\n", r"\f", r"\e", r"\p")
    )


def closes(node: Node) -> bool:
    r"""Whether it is a bracket without `\right` that closes."""
    return bool(_CLOSING.match(node.text)) and node.text[-1] not in ",;:!.'"


def cost_of_break(before: Node | None, node: Node, depth: int) -> int:
    """What a break between two neighbours costs."""
    if before is None or node.text in _SPACE or _CLOSING.match(node.text):
        return NEVER
    deeper, last = DEEPER * depth, before.text
    if last in _SPACE and last != r"\,":
        return RELATION + deeper if last != "~" else NEVER
    if node.text in RELATIONS:
        return RELATION + deeper
    if last in BINARY | RELATIONS | _BARS or _OPENING.match(last) or node.text in _BARS:
        return NEVER
    if node.text in {"+", "-", r"\pm"}:
        return SUM + deeper
    if node.text in BINARY:
        return PRODUCT + deeper
    if last in {",", ";"}:
        return COMMA + deeper
    if re.match(r"\\text\{\s*(?:and|or)\b", node.text):
        return RELATION + deeper
    if node.text.startswith((r"\left", r"\frac", r"\sum", r"\prod", r"\|")) and not _is_operator(
        before
    ):
        return PRODUCT + deeper
    return NEVER if _is_operator(before) else LAST + deeper


def _is_operator(node: Node) -> bool:
    r"""Whether what follows belongs to it: `\sum_i`, `\lim`, `\mathbb E`, `\log`."""
    base = node.inside[0] if node.is_scripted else (node,)
    name = base[0].text if base else ""
    return bool(
        re.match(
            r"\\(?:sum|prod|lim|max|min|sup|inf|log|exp|arg|operatorname|mathbb|Pr|det|int)", name
        )
    ) or bool(re.match(r"\\(?:frac|tfrac)\{\\(?:partial|mathrm)", name))
