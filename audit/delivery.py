"""Everything an audit was asked to leave: files first, then what goes to standard output."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from rich.console import Console

from audit import ci, run
from audit.commands.tools import append_text, writable, write_json, write_text
from audit.expected import Expected, verdicts_of
from audit.streams import OutputLost, failure, require_output
from audit.terminal.table import WIDTH, print_summary, print_table

__all__ = ["Delivery"]


@dataclass
class Delivery:
    """Places checked before any work is done; called with the records of the whole audit.

    What it raises leaves the records kept for a rerun.  `found` are the problems of the records.
    """

    options: run.Options
    expected: Expected
    accept: bool = False
    json: str | None = None
    site: str | None = None
    junit: str | None = None
    summary: str | None = None
    found: list[str] = field(default_factory=list)
    started: float = field(default_factory=perf_counter)

    def __post_init__(self) -> None:
        self.to_stdout = self.json == "-"
        if self.to_stdout:
            require_output("--json -")
        self._json = writable(self.json)
        self._junit = writable(self.junit, "--junit")
        self._summary = writable(self.summary, "--summary")
        if self.site:
            from audit.site.build import check_folder

            check_folder(self.site)

    def __call__(self, records: list[dict[str, Any]]) -> None:
        if self.accept and not run.died(records):
            self.expected = self.expected.accept(verdicts_of(records))
        document = run.document(records, self.options, self.expected, self.started)
        self.found = run.problems(records, self.expected)
        self._write(document, records)
        if self.to_stdout:
            write_json(document, None, True)
            require_output("--json -")
        self._print(records)

    def _write(self, document: dict[str, Any], records: list[dict[str, Any]]) -> None:
        if self._json is not None:
            write_json(document, self._json, False)
        if self.site:
            # Its pages take a second to load.
            from audit.site.build import BENCHMARKS, RECORDED, build

            build(document, self.site, RECORDED, BENCHMARKS, self.options.workers)
        if self._junit is not None:
            write_text(ci.junit(records, self.found), self._junit, "--junit")
        if self._summary is not None:
            text = ci.summary(records, self.found, perf_counter() - self.started)
            append_text(text, self._summary, "--summary")

    def _print(self, records: list[dict[str, Any]]) -> None:
        width = None if self.to_stdout or sys.stdout.isatty() else WIDTH
        out = Console(stderr=self.to_stdout, width=width)
        print_table(records, out)
        print_summary(records, perf_counter() - self.started, out)
        if reused := sum(map(run.is_reused, records)):
            where = f"{reused} of {len(records)} results reused from {self.options.store}"
            line = f"{where} (use --fresh to compute them again)"
            out.print(line, highlight=False, markup=False, soft_wrap=True)
        if (reason := failure()) is not None:
            raise OutputLost(f"standard output: {reason}; what was finished is kept")
