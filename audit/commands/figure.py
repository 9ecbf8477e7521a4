"""`twofold figure`: measure a figure of a paper, write its data and its picture."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from audit.commands.tools import INTERRUPTED, Unusable, one_line_errors, progress

__all__ = ["figure"]


@click.command()
@click.argument("figure_id", metavar="ID", required=False)
@click.option(
    "--out", metavar="FILE", help="Picture (.png, .svg, .pdf) [default: out/figures/ID.png]."
)
@click.option("--data", metavar="PATH", help="Your data, for figures that need them.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--set", "words", multiple=True, metavar="NAME=VALUE", help="A setting; repeatable.")
@click.option("--long", is_flag=True, help="Measure even when it may take many hours.")
@click.option("--list", "listing", is_flag=True, help="All figures; with ID, its settings.")
@one_line_errors
def figure(
    figure_id: str | None, out: str | None, data: str | None, seed: int, words: tuple[str, ...],
    long: bool, listing: bool,
) -> None:  # fmt: skip
    """Measure a figure or table of a paper; write the picture, and its data as CSV beside it."""
    from claims.registry import paper_packages
    from numeric import figures, registry

    for package in paper_packages("numeric"):
        registry.load(package)
    if figure_id is None:
        if not listing:
            raise Unusable("which figure? see `twofold figure --list`")
        for each in figures.figures():
            line = f"{each.id:<36} {each.title}"
            click.echo(line[: Console().width] if sys.stdout.isatty() else line)
        return
    chosen = figures.figure_of(figure_id)
    if listing:
        for name, value in chosen.settings.items():
            said = ",".join(map(str, value)) if isinstance(value, tuple) else value
            click.echo(f"{name}={said}")
        return
    try:
        measure_and_draw(chosen, out, data, seed, words, long)
    except KeyboardInterrupt:
        click.echo("twofold: interrupted; run the same command again", err=True)
        sys.exit(INTERRUPTED)


def measure_and_draw(
    chosen: Any, out: str | None, data: str | None, seed: int, words: tuple[str, ...], long: bool
) -> None:
    """Check every argument, measure with a progress bar, then write data and picture."""
    from audit import figures as drawing

    pairs: dict[str, str] = {}
    for word in words:
        name, sign, value = word.partition("=")
        if not sign:
            raise Unusable(f"--set {word}: write NAME=VALUE")
        if name in pairs:
            raise Unusable(f"--set {word}: {name} is set twice; give it once, a list with commas")
        pairs[name] = value
    source = None if data is None else Path(data)
    if source is not None and not os.path.exists(source):  # False of a name too long as well
        raise Unusable(f"--data {data}: no such file or folder")
    target = drawing.destination(chosen, out)
    with progress(Console(stderr=True)) as bar:

        def track(items: Any, label: str) -> Any:
            return bar.track(items, description=label)

        settings = chosen.configured(pairs, seed=seed, data=source, track=track, long=long)
        table = drawing.measured(chosen, settings)
    for path in drawing.save(chosen, settings, table, target):
        click.echo(str(path))
