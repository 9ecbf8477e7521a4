"""Commands that read audit documents: `twofold diff | errata`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from audit.commands.tools import (
    Unusable,
    one_line_errors,
    resumable,
    writable,
    write_json,
    write_text,
)
from audit.streams import require_shown
from audit.terminal.table import WIDTH
from claims.registry import index, paper

if TYPE_CHECKING:
    from audit.reuse.results import Reuse

__all__ = ["diff", "errata"]


@click.command()
@click.argument("before", metavar="A", type=click.Path())
@click.argument("after", metavar="B", type=click.Path())
@click.option("--json", "json_path", metavar="FILE", help="Write the changes ('-': stdout).")
@one_line_errors
def diff(before: str, after: str, json_path: str | None) -> None:
    """Which verdicts changed from audit document A to B, and why.

    Exit status 1 when a verdict changed, 0 when none did.
    """
    from audit.diff import changes, print_changes
    from audit.documents import read_document

    target = writable(json_path)
    found = changes(read_document(before), read_document(after))
    write_json({"schema": 1, "changes": [c.as_json() for c in found]}, target, json_path == "-")
    if json_path != "-":
        print_changes(found, Console(width=None if sys.stdout.isatty() else WIDTH))
    require_shown("diff")  # a status that speaks of verdicts is none of an output that is lost
    sys.exit(1 if any(change.of_verdict for change in found) else 0)


@click.command()
@click.argument("name", metavar="PAPER")
@click.option("--from", "source", metavar="FILE", help="An audit document [default: audit PAPER].")
@click.option("--out", default="out/errata", show_default=True, metavar="DIR")
@click.option("--author", metavar="NAME", help="Who signs the letter [default: nobody].")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@resumable
def errata(name: str, source: str | None, out: str, author: str | None, seed: int) -> None:
    """A letter to the authors of PAPER: what stands, and what does not hold as printed, with a
    counterexample and a correction of each: DIR/PAPER-errata.md and .tex."""
    from audit import run
    from audit.documents import read_document
    from audit.errata.document import errata as write
    from audit.reuse.results import Reuse

    reuse = Reuse(run.Options(seed=seed, budget="quick"))
    papers = sorted({entry.paper for entry in index()})
    if name not in papers:
        raise Unusable(f"no paper {name!r}; there are {', '.join(papers)}")
    targets = {
        suffix: writable(str(Path(out) / f"{name}-errata.{suffix}"), "--out")
        for suffix in ("md", "tex")
    }
    document = read_document(source) if source else _audited(name, reuse)
    if not any(record["paper"] == name for record in document["claims"]):
        raise Unusable(f"--from {source}: holds no claim of {paper(name).id}; audit that paper")
    for suffix, text in write(document, name, author).items():
        target = targets[suffix]
        assert target is not None
        write_text(text, target, "--out")
        click.echo(str(target))


def _audited(name: str, reuse: Reuse) -> dict[str, Any]:
    """An audit of one paper, with a progress bar on a terminal."""
    from time import perf_counter

    from audit import run
    from audit.commands.tools import progress
    from audit.expected import Expected
    from claims.registry import select

    entries, started = select((name,)), perf_counter()
    with progress(Console(stderr=True)) as bar:
        task = bar.add_task(f"audit {name}", total=sum(reuse.is_encoded(e.id) for e in entries))
        records = run.audit(entries, reuse.options, lambda _: bar.advance(task), reuse=reuse)
    return run.document(records, reuse.options, Expected.read(), started)
