"""`python -m benchmarks.mutation [MODULE...]`: go on with the sessions and write the record."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from benchmarks.mutation.record import explanations, module_record, targets, write
from benchmarks.mutation.session import ROOT, Target, copy_tree, inside, mutants, proceed
from benchmarks.mutation.trial import alone, preload, trial


@click.command()
@click.argument("modules", nargs=-1)
@click.option("--seconds", default=900.0, show_default=True, help="Longest time for each module.")
@click.option("--again", is_flag=True, help="Try the survivors of earlier runs again.")
@click.option(
    "--folder", type=Path, default=ROOT / "out" / "mutation", help="Where sessions are kept."
)
def main(modules: tuple[str, ...], seconds: float, again: bool, folder: Path) -> None:
    """Mutate the modules that decide (all without a name) and run the tests that must notice.

    What was tried is kept, and the same command goes on.  Exit status 1 says that a survivor has no
    explanation in survivors.toml.
    """
    known = targets()
    unknown = [module for module in modules if module not in known]
    if unknown:
        raise click.UsageError(f"no settings for {unknown[0]!r}; there are {', '.join(known)}")
    preload()
    folder, records = folder.absolute(), {}
    with alone(folder):
        tree = copy_tree(folder)
        for module in modules or known:
            records[module] = _tried(known[module], tree, folder, seconds, again)
    write(records)
    bare = [s for record in records.values() for s in record["survivors"] if not s["why"]]
    for survivor in bare:
        click.echo(f"without explanation, in {survivor['in']}, line {survivor['line']}:")
        click.echo(f"  - {survivor['from']}\n  + {survivor['to']}")
    raise SystemExit(1 if bare else 0)


def _tried(target: Target, tree: Path, folder: Path, seconds: float, again: bool) -> dict[str, Any]:
    """The record of a module, after some more of its mutants."""
    with inside(tree):
        if trial(target.tests, target.limit) != "survived":
            raise click.ClickException(
                f"{target.module}: its tests fail without a mutation; mend them"
            )
        proceed(target, folder, seconds=seconds, again=again)
    record = module_record(target, mutants(target, folder), explanations())
    click.echo(
        f"{target.module}: {record['mutants']} mutants, {record['tried']} tried, "
        f"{record['killed']} killed, {len(record['survivors'])} survived"
    )
    return record


if __name__ == "__main__":
    main()
