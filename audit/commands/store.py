"""`twofold store`: what is kept of earlier audits, and how to be rid of it."""

from __future__ import annotations

import click

from audit.commands.tools import one_line_errors
from audit.reuse.store import DAYS, LARGEST, Store, store_folder

__all__ = ["store"]

HELP = f"""Where results of audits are kept for reuse, how many, and how large they are.

    What no audit asked for in {DAYS} days goes by itself, and the longest unused beyond
    {LARGEST >> 20} MiB.
    """


@click.command(help=HELP)
@click.option(
    "--store", "folder", metavar="DIR",
    help="The folder [default: $TWOFOLD_STORE, or one in the user's cache].",
)  # fmt: skip
@click.option("--clear", is_flag=True, help="Remove all that is kept there.")
@one_line_errors
def store(folder: str | None, clear: bool) -> None:
    kept = Store(store_folder(folder), lambda line: click.echo(f"twofold: {line}", err=True))
    if clear:
        click.echo(f"{kept.folder}: {kept.clear()} files removed")
    else:
        sizes = kept.sizes()
        click.echo(f"{kept.folder}: {len(sizes)} files, {sum(sizes) / 2**20:.1f} MiB")
