"""The command line: the program `twofold`, and its commands `audit | attack | bench`.

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

from audit.commands.bench import bench
from audit.commands.claims import list_claims, one, show
from audit.commands.covariances import covariances
from audit.commands.documents import diff, errata
from audit.commands.figure import figure
from audit.commands.help import BUDGETS, EXIT, SHORT, WORDS
from audit.commands.new import new
from audit.commands.store import store
from audit.commands.tools import (
    INTERRUPTED,
    UNUSABLE,
    Seconds,
    Unusable,
    one_line_errors,
    progress,
    resumable,
    say_left_out,
    writable,
    write_json,
)
from audit.commands.train import train
from audit.commands.trust import trust
from audit.expected import Expected, ensure_recordable
from audit.signals import interruptible
from audit.streams import failure, guarded
from audit.terminal.table import WIDTH
from claims.registry import encoded, select

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

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Those that a reader meets first come first."""
        return [*SHORT, *(name for name in super().list_commands(ctx) if name not in SHORT)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for name, line in SHORT.items():
            self.commands[name].short_help = line
        super().format_commands(ctx, formatter)


class Interrupted(Unusable):
    """The end of a command that had not begun its work."""

    exit_code = INTERRUPTED


class Incomplete(Unusable):
    """An audit that ended before its last claim."""

    exit_code = INCOMPLETE


@click.group(
    cls=Program,
    epilog=WORDS + EXIT,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDTH},
)
@click.version_option(package_name="twofold")
def main() -> None:
    """Audit the statements of theory papers: proved, measured, and checked against false twins."""


main.add_command(list_claims)
main.add_command(show)
main.add_command(diff)
main.add_command(errata)
main.add_command(figure)
main.add_command(train)
main.add_command(covariances)
main.add_command(store)
main.add_command(new)
main.add_command(trust)
main.add_command(bench)


@main.command(epilog=BUDGETS + EXIT)
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
@click.option(
    "--store", "store_path", metavar="DIR",
    help="Where results are kept and reused from [default: $TWOFOLD_STORE, or the user's cache].",
)  # fmt: skip
@click.option("--fresh", is_flag=True, help="Compute every result again, and keep the new ones.")
@click.option("--accept", is_flag=True, help="Record the verdicts as the expected ones.")
@resumable
def audit(
    selectors: tuple[str, ...], json_path: str | None, site_folder: str | None,
    junit_path: str | None, summary_path: str | None, budget: str, seed: int, device: str, workers: int | None,
    scheduler: str | None, store_path: str | None, fresh: bool, accept: bool,
) -> None:  # fmt: skip
    """Run proofs and measurements of the selected claims (all without a selector).

    The result of a claim is reused where nothing that it is made of has changed since.
    """
    from audit import run
    from audit.delivery import Delivery
    from audit.listing import record_listing
    from audit.reuse.results import Reuse
    from audit.reuse.store import store_folder

    left_out = say_left_out()
    options = run.Options(
        seed,
        budget,
        device,
        workers or os.cpu_count() or 1,
        scheduler,
        store_folder(store_path),
        fresh,
    )
    reuse = Reuse(options)
    if accept:
        record_listing()  # a new claim can be named by its id
    entries = select(selectors)
    accepted = [entry.id for entry in entries] if accept else []
    if accept:
        expected = Expected.kept(accepted) if selectors else Expected({})
        ensure_recordable(accepted)
    else:
        expected = Expected.read()
    delivery = Delivery(options, expected, accept, json_path, site_folder, junit_path, summary_path)
    if scheduler is not None:
        from audit.cluster import client_of

        client_of(scheduler).close()
    with progress(Console(stderr=True)) as bar:
        task = bar.add_task("audit", total=sum(reuse.is_encoded(e.id) for e in entries))

        def deliver(records: list[dict[str, Any]]) -> None:
            bar.stop()
            delivery(records)

        try:
            records = run.audit(entries, options, lambda _: bar.advance(task), deliver, reuse)
        except run.ClusterLost as error:
            raise Incomplete(str(error)) from None
    for line in delivery.found:
        click.echo(f"twofold: {line}", err=True)
    sys.exit(INCOMPLETE if run.died(records) else 1 if delivery.found or left_out else 0)


@main.command()
@click.argument("claim_id", metavar="ID")
@click.option(
    "--seconds",
    type=Seconds(),
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
    from audit.examine import attack_record, load_witnesses
    from numeric import adversary

    entry, target = one(claim_id), writable(json_path)
    load_witnesses(entry.paper)
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
    record = attack_record(result)
    if json_path != "-":
        from audit.formulas.unicode import unicode_prose

        click.echo(unicode_prose(record["sentence"]))
    write_json(record, target, json_path == "-")
