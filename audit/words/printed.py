"""What the machine found when it read the printed formula, in a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from audit.sinks import Prose
from audit.words.lists import listed

__all__ = ["printed_sentence"]


def printed_sentence(record: Mapping[str, Any]) -> Prose | None:
    """How many sides of the printed formula are sides of the statement; None where none was found.

    A side that was read and is none is shown: there the statement is not the letter of the print.
    """
    found = record.get("printed_sides")
    if not found or not (found["held"] or found["differ"]):
        return None
    held, unread, differ = found["held"], found["unread"], found["differ"]
    total = held + unread + len(differ)
    said = [f"Read by the machine: {held} of {total} {'side' if total == 1 else 'sides'} "]
    said += [f"{'is a side' if held == 1 else 'are sides'} of the statement"]
    if differ:
        said.append(
            f", {listed([f'${side}$' for side in differ])} {'is' if len(differ) == 1 else 'are'} not"
        )
    if unread:
        said.append(f"; {unread} cannot be evaluated")
    return Prose("".join(said) + ".")
