"""`python -m benchmarks.rates --document FILE`: measure further seeds and write the record."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import click

from audit.documents import BadDocument, read_document
from audit.examine import load_witnesses
from audit.site.error_rates import recorded, sentences
from benchmarks import coverage as covering
from benchmarks.rates.record import (
    WANTED,
    accumulated,
    alarms,
    coverage,
    kept,
    power,
    read,
    recorded_coverage,
    variants,
    write,
)
from benchmarks.rates.seeds import SCOPES, true_statements


@click.command()
@click.option("--document", required=True, help="An audit document, which says what is true.")
@click.option("--scope", type=click.Choice(SCOPES), default="whole", show_default=True,
              help="Every true statement; those drawn until they decide; what is not proved.")  # fmt: skip
@click.option("--seeds", default=WANTED, show_default=True, help="Go on up to this seed.")
@click.option("--seconds", default=1500.0, show_default=True, help="Begin no seed after so long.")
@click.option(
    "--coverage", "covers", is_flag=True, help="Measure the coverage of the intervals, too."
)
@click.option(
    "--again",
    metavar="ID",
    multiple=True,
    help="Forget what was counted of a statement, one or several: its measurement changed.",
)
def main(
    document: str, scope: str, seeds: int, seconds: float, covers: bool, again: tuple[str, ...]
) -> None:
    """Measure how often the suite errs, seed after seed; what was measured is kept.

    A seed of the whole takes about two minutes of one core, of what is drawn some twenty seconds.  The
    record is written after every one.
    """
    stop = monotonic() + seconds
    try:
        said, record = read_document(Path(document)), read()
    except BadDocument as error:
        raise click.UsageError(str(error)) from None
    load_witnesses()
    statements = true_statements(said, scope)
    record["variants"] = variants(said)
    record["coverage"] = coverage(covering.run() if covers else recorded_coverage())
    counts = record.setdefault("counts", {})
    try:
        counts[scope] = kept(counts.get(scope, {}), statements, again)
    except ValueError as error:
        raise click.UsageError(f"--again {error}") from None
    for found in accumulated(counts[scope], statements, seeds):
        write(record)
        so_far = alarms(found)
        click.echo(
            f"{so_far['seeds']} seeds of every statement: {so_far['comparisons']:,} comparisons, "
            f"{so_far['alarms']} alarms, {power(found)['detected']:,} false variants detected, "
            f"{sum(so_far['unsure'].values())} times too little power"
        )
        if monotonic() > stop:
            break
    else:
        write(record)  # statements may have gone where none was behind
    for sentence in sentences(*recorded()).values():
        click.echo(sentence)


if __name__ == "__main__":
    main()
