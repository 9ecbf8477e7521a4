"""The command line: `twofold audit | list | show | attack | bench | figure | train |
covariances`.

Exit status: 0 all verdicts as expected; 1 a verdict differs, a mutant survived, a conflict, or a
paper's package is left out;
2 unusable arguments, or an output that cannot be written; 3 incomplete: a claim's worker died twice,
or the cluster went away; 130 interrupted by Ctrl-C, SIGTERM or SIGHUP.  After 2, 3 and 130 what was
finished is kept, and the same command continues.
"""

from __future__ import annotations

import math
import os
import sys
from typing import Any

import click
from rich.console import Console

from audit.cli_covariances import covariances
from audit.cli_documents import diff, errata
from audit.cli_figure import figure
from audit.cli_new import new
from audit.cli_tools import (
    INTERRUPTED,
    UNUSABLE,
    Unusable,
    one_line_errors,
    progress,
    say_left_out,
    writable,
    write_json,
)
from audit.cli_train import train
from audit.cli_trust import trust
from audit.expected import Expected, ensure_recordable
from audit.signals import interruptible
from audit.streams import failure, guarded
from audit.table import WIDTH
from claims.registry import UnknownSelector, encoded, select

__all__ = ["main"]

INCOMPLETE = 3


class Program(click.Group):
    """Commands that may be interrupted, and whose standard streams may break."""

    def main(self, *args: Any, **extra: Any) -> Any:
        with guarded():
            try:
                return super().main(*args, **extra)
            except SystemExit as end:
                reason = failure()
                if reason is None or end.code:
                    raise
                click.echo(f"twofold: standard output: {reason}", err=True)
                raise SystemExit(UNUSABLE) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with interruptible():
                return super().invoke(ctx)
        except KeyboardInterrupt:  # before the command itself could say more
            raise Interrupted("interrupted") from None


class Interrupted(Unusable):
    """The end of a command that had not begun its work."""

    exit_code = INTERRUPTED


class Incomplete(Unusable):
    """An audit that ended before its last claim."""

    exit_code = INCOMPLETE


@click.group(
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH},
)
@click.version_option(package_name="twofold")
def main() -> None:
    """Audit the statements of theory papers: proved, measured, and checked against false twins."""


main.add_command(diff)
main.add_command(errata)
main.add_command(figure)
main.add_command(train)
main.add_command(covariances)
main.add_command(new)
main.add_command(trust)


@main.command()
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...")
@click.option("--json", "json_path", metavar="FILE", help="Write the JSON document ('-': stdout).")
@click.option("--site", "site_folder", metavar="DIR", help="Build the static site there.")
@click.option("--junit", "junit_path", metavar="FILE", help="Write JUnit XML, a case per witness.")
@click.option("--summary", "summary_path", metavar="FILE", help="Append a Markdown summary.")
@click.option(
    "--budget", type=click.Choice(["quick", "standard", "thorough"]), default="standard",
    show_default=True, help="How many cases and samples.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=None,
    help="Processes, at most one a claim and four a core [default: cores].",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="A Dask scheduler, such as tcp://host:8786; its workers must join within 30 s.",
)
@click.option("--accept", is_flag=True, help="Record the verdicts as the expected ones.")
@one_line_errors
def audit(
    selectors: tuple[str, ...], json_path: str | None, site_folder: str | None,
    junit_path: str | None, summary_path: str | None, budget: str, seed: int, device: str, workers: int | None,
    scheduler: str | None, accept: bool,
) -> None:  # fmt: skip
    """Run proofs and measurements of the selected claims (all without a selector)."""
    from audit import run
    from audit.delivery import Delivery

    left_out = say_left_out()
    entries = select(selectors)
    expected = Expected({}) if accept and not selectors else Expected.read()
    if accept:
        ensure_recordable(entry.id for entry in entries)
    options = run.Options(seed, budget, device, workers or os.cpu_count() or 1, scheduler)
    delivery = Delivery(options, expected, accept, json_path, site_folder, junit_path, summary_path)
    if scheduler is not None:
        from audit.cluster import client_of

        client_of(scheduler).close()
    with progress(Console(stderr=True)) as bar:
        task = bar.add_task("audit", total=sum(e.id in encoded() for e in entries))

        def deliver(records: list[dict[str, Any]]) -> None:
            bar.stop()
            delivery(records)

        try:
            records = run.audit(entries, options, lambda _: bar.advance(task), deliver)
        except run.ClusterLost as error:
            raise Incomplete(str(error)) from None
    for line in delivery.found:
        click.echo(f"twofold: {line}", err=True)
    sys.exit(INCOMPLETE if run.died(records) else 1 if delivery.found or left_out else 0)


@main.command("list")
@click.argument("selectors", nargs=-1, metavar="[SELECTOR]...")
@click.option("--json", "json_path", metavar="FILE", help="Write JSON ('-': stdout).")
@one_line_errors
def list_claims(selectors: tuple[str, ...], json_path: str | None) -> None:
    """Claims with source, kind and expected verdict; nothing is run."""
    say_left_out()
    entries, expected = select(selectors), Expected.read()
    rows = [
        {
            "id": e.id, "paper": e.paper, "source": e.source, "kind": e.kind,
            "encoded": e.id in encoded(), "expected": expected.of(e.id), "printed": e.printed,
        }
        for e in entries
    ]  # fmt: skip
    write_json({"schema": 1, "claims": rows}, writable(json_path), json_path == "-")
    if json_path != "-":
        for row in rows:
            verdict = row["expected"] if row["encoded"] else "not encoded"
            click.echo(f"{verdict:<12} {row['kind']:<12} {row['id']:<44} {row['source']}"[:WIDTH])


@main.command()
@click.argument("claim_id", metavar="ID")
@click.option("--budget", type=click.Choice(["quick", "standard", "thorough"]), default="quick")
@click.option("--seed", type=click.IntRange(min=0), default=0)
@one_line_errors
def show(claim_id: str, budget: str, seed: int) -> None:
    """One claim in full: statement, hypotheses, certificate, measurement, mutants, replay."""
    from audit import show as showing  # loads torch, which `list` and `--help` need not wait for

    showing.show(one(claim_id), budget=budget, seed=seed, console=Console(width=WIDTH))


@main.command()
@click.argument("claim_id", metavar="ID")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    help="When to stop.",
)
@click.option("--rounds", type=click.IntRange(min=1), help="Stop after so many rounds instead.")
@click.option("--seed", type=click.IntRange(min=0), default=0)
@click.option("--json", "json_path", metavar="FILE", help="Write JSON ('-': stdout).")
@one_line_errors
def attack(
    claim_id: str, seconds: float, rounds: int | None, seed: int, json_path: str | None
) -> None:
    """The adversary alone, on one claim that asserts an inequality, in one sentence.

    With --rounds a seed gives the same result on every machine.
    """
    from audit.examine import load_witnesses
    from numeric import adversary

    entry, target = one(claim_id), writable(json_path)
    load_witnesses()
    claim = encoded().get(entry.id)
    reason = "it is not encoded" if claim is None else adversary.obstacle(claim)
    if claim is None or reason is not None:
        raise Unusable(f"{claim_id}: not attackable: {reason}")
    with Console(stderr=True).status(f"attacking {claim_id}"):
        if rounds is None:
            result = adversary.attack(
                claim, seed=seed, rounds=math.inf, seconds=seconds, readings=math.inf
            )
        else:
            result = adversary.attack(claim, seed=seed, rounds=rounds, readings=math.inf)
    if json_path != "-":
        click.echo(result.sentence)
    write_json(result.as_json(), target, json_path == "-")


def one(claim_id: str) -> Any:
    """The single entry with this id, or an error that names the nearest."""
    matching = [e for e in select((claim_id,)) if e.id == claim_id]
    if not matching:
        raise UnknownSelector(
            f"{claim_id!r} is a prefix, not a claim; see `twofold list {claim_id}`"
        )
    return matching[0]


@main.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "json_path", metavar="FILE", help="Write JSON ('-': stdout).")
@one_line_errors
def bench(names: tuple[str, ...], json_path: str | None) -> None:
    """The benchmarks (all without a name): calculus, sampling, false-alarms, coverage, basins, spectra,
    statistics."""
    from benchmarks import BENCHMARKS, run_benchmark

    for name in names:
        if name not in BENCHMARKS:
            raise Unusable(f"no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    target = writable(json_path)
    console = Console(stderr=json_path == "-", width=WIDTH)
    results = {name: run_benchmark(name, console) for name in names or BENCHMARKS}
    write_json(results, target, json_path == "-")
