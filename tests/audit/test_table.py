"""The table of an audit keeps ids whole where they are searched for, and folds them where they are read."""

from __future__ import annotations

from io import StringIO
from unittest.mock import patch

import pytest
from rich.console import Console

from audit.terminal import table

LONG = ("naitsaada2025.proof-2.1.convolution-principle", "wu2024.app-F3.lemma-12-last-lines.ratio")
MEASURED = "agrees (not at model scale)"


def printed(terminal: bool, width: int) -> list[str]:
    record = {
        "verdict": "refuted", "severity": "missing-hypothesis", "reason": "", "repair": None,
        "measurement": None, "proof": {"status": "refuted", "grade": None},
        "mutants": [], "variants": None,
    }  # fmt: skip
    out = StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, color_system=None)
    with patch.object(table, "_measured", lambda _: MEASURED):
        table.print_table([{**record, "id": claim_id} for claim_id in LONG], console)
    return out.getvalue().rstrip().splitlines()


@pytest.mark.parametrize(("terminal", "width"), [(False, 100), (True, 140)])
def test_no_id_is_cut_in_a_pipe_or_where_there_is_room(terminal: bool, width: int) -> None:
    lines = printed(terminal, width)
    assert [line.split(" ")[0] for line in lines] == ["claim", *LONG]
    assert all(MEASURED in line for line in lines[1:])


def test_a_terminal_folds_long_ids_after_a_dot_or_a_hyphen() -> None:
    lines = printed(True, 100)
    assert [line.split(" ")[0] for line in lines] == [
        "claim", "naitsaada2025.proof-2.1.", "convolution-principle",
        "wu2024.app-F3.lemma-12-", "last-lines.ratio",
    ]  # fmt: skip
    assert max(map(len, lines)) <= 100
    assert printed(True, 84)[0] == LONG[0], "no room beside the columns: a few lines a claim"
