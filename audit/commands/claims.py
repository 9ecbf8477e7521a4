"""Commands about claims that examine none, or one: `twofold list | show`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from audit.commands.tools import Unusable, one_line_errors, say_left_out, writable, write_json
from audit.expected import Expected
from audit.terminal.layout import Page, columns, reader
from audit.terminal.table import COLOURS, NARROW, NOT_ENCODED
from audit.verdict import VERDICTS
from claims.registry import Entry, UnknownSelector, index, select

__all__ = ["list_claims", "one", "show"]

SEVERITIES = ("misprint", "missing-hypothesis", "material")


@click.command("list")
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...")
@click.option(
    "--verdict", "verdicts", multiple=True, metavar="VERDICT",
    help=f"Only these: {', '.join(VERDICTS[:-1])}.",
)  # fmt: skip
@click.option(
    "--severity", "severities", multiple=True, metavar="SEVERITY",
    help=f"Only refuted claims of these: {', '.join(SEVERITIES)}.",
)  # fmt: skip
@click.option("--paper", "papers", multiple=True, metavar="PAPER", help="Only claims of these.")
@click.option("--json", "json_path", metavar="FILE", help="Write JSON ('-': stdout).")
@one_line_errors
def list_claims(
    selectors: tuple[str, ...], verdicts: tuple[str, ...], severities: tuple[str, ...],
    papers: tuple[str, ...], json_path: str | None,
) -> None:  # fmt: skip
    """Claims with their expected verdict, severity, title and source; nothing is run.

    Each option may be given several times.  In a pipe no line is cut:

    \b
      twofold list --verdict refuted --severity material
      twofold list noci2022.lemma-3.1
      twofold list --paper wu2024 --json - | jq '.claims[].title'
    """
    say_left_out()
    _require_known("--verdict", verdicts, VERDICTS)
    _require_known("--severity", severities, SEVERITIES)
    _require_known("--paper", papers, tuple(dict.fromkeys(entry.paper for entry in index())))
    rows = [
        row
        for row in map(_row, select(selectors), [Expected.read()] * len(index()))
        if (not verdicts or row["expected"] in verdicts)
        and (not severities or row["severity"] in severities)
        and (not papers or row["paper"] in papers)
    ]
    write_json({"schema": 1, "claims": rows}, writable(json_path), json_path == "-")
    if json_path != "-":
        _print(rows)


def _require_known(option: str, chosen: Sequence[str], known: Sequence[str]) -> None:
    for value in chosen:
        if value not in known:
            raise Unusable(f"{option} {value!r}: must be one of {', '.join(known)}")


def _row(entry: Entry, expected: Expected) -> dict[str, Any]:
    verdict = expected.of(entry.id)
    return {
        "id": entry.id, "paper": entry.paper, "source": entry.source, "kind": entry.kind,
        "title": entry.title, "encoded": bool(entry.title), "expected": verdict,
        "severity": entry.severity if verdict == "refuted" else None, "printed": entry.printed,
    }  # fmt: skip


def _print(rows: Sequence[dict[str, Any]]) -> None:
    """A line each: whole in a pipe, fitted to the width of a terminal."""
    from audit.formulas.unicode import unicode_prose

    cells = [
        (
            row["expected"] if row["encoded"] else NOT_ENCODED,
            (row["severity"] or "").replace("-", " "),
            row["kind"],
            row["id"],
            unicode_prose(row["title"]),
            unicode_prose(row["source"]),
        )
        for row in rows
    ]
    if not sys.stdout.isatty():
        for line in columns(cells, [False] * 6) if cells else ():
            click.echo(line)
        return
    console = Console(highlight=False)
    if console.width < NARROW:
        page = Page(console)
        for verdict, severity, _, claim_id, title, _ in cells:
            page.line(claim_id)
            page.line(f"  {verdict} {severity}".rstrip(), COLOURS.get(verdict, ""))
            page.say(title)
        return
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 0, 0), expand=True)
    for ratio in (None, None, None, 1):
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=ratio)
    for verdict, severity, _, claim_id, title, _ in cells:
        table.add_row(Text(verdict, COLOURS.get(verdict, "")), severity, claim_id, Text(title))
    console.print(table)


@click.command()
@click.argument("claim_id", metavar="ID")
@click.option("--from", "source", metavar="FILE", help="Read this audit document.")
@click.option("--fresh", is_flag=True, help="Examine the claim now, whatever is known of it.")
@click.option("--steps", is_flag=True, help="Every step of the proof, not the top levels alone.")
@click.option(
    "--budget", type=click.Choice(["quick", "standard", "thorough"]),
    help="How many cases and samples [default: quick].",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), help="Of the measurement [default: 0].")
@one_line_errors
def show(
    claim_id: str, source: str | None, fresh: bool, steps: bool, budget: str | None, seed: int | None
) -> None:  # fmt: skip
    """One claim in full, the verdict and its counterexample first.

    Read from FILE, else from out/audit.json if this code made it, else from the kept results, else
    examined now, which takes seconds: the recorded verdict comes first then.  What is shown says where
    it comes from.

    \b
      twofold show noci2022.lemma-3.1.input
      twofold show wu2024.thm-2.rate --from out/audit.json --steps | less
    """
    if source is not None and (fresh or budget is not None or seed is not None):
        raise Unusable(
            "--from shows what the document says; leave out --fresh, --budget and --seed"
        )
    entry, page = one(claim_id), Page(reader())
    if not entry.title:
        from audit.formulas.unicode import unicode_formula, unicode_prose

        where = f"({unicode_prose(entry.source)}; {entry.kind})"
        page.say(f"{entry.id} {where}: {NOT_ENCODED}", indent="")
        if entry.printed:
            words = "$" in entry.printed and "\\begin{" not in entry.printed
            read = unicode_prose if words else unicode_formula
            page.heading("As printed")
            page.say(read(entry.printed), hanging="    ")
        return
    from audit.lookup import find
    from audit.terminal import show as terminal  # loads SymPy, which `list` need not wait for

    found = find(
        entry, source=source, fresh=fresh, budget=budget, seed=seed,
        announce=lambda: terminal.announce(entry, Expected.read().of(entry.id), page),
    )  # fmt: skip
    terminal.show(found, page, steps=steps)


def one(claim_id: str) -> Entry:
    """The single entry with this id, or an error that names the nearest."""
    matching = [e for e in select((claim_id,)) if e.id == claim_id]
    if not matching:
        raise UnknownSelector(
            f"{claim_id!r} is a prefix, not a claim; see `twofold list {claim_id}`"
        )
    return matching[0]
