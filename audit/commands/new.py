"""`twofold new`: a package for a paper of one's own."""

from __future__ import annotations

from pathlib import Path

import click

from audit.commands.tools import one_line_errors

__all__ = ["new"]


@click.command()
@click.argument("paper", metavar="PAPER")
@click.option("--dir", "folder", metavar="DIR", help="Where to write it [default: PAPER].")
@click.option(
    "--tex", metavar="FILE",
    help="The paper's main LaTeX file: list its statements as not yet encoded.",
)  # fmt: skip
@one_line_errors
def new(paper: str, folder: str | None, tex: str | None) -> None:
    """Write a package that brings the claims of PAPER, with an example that passes its tests.

    With --tex it lists every theorem-like environment and numbered display instead.
    """
    from audit.scaffold import scaffold

    statements = title = None
    if tex is not None:
        from audit.tex.statements import statements_of, title_of

        statements, title = statements_of(Path(tex)), title_of(Path(tex))
    target = Path(folder or paper)
    for path in scaffold(paper, target, statements, title or ""):
        click.echo(str(path))
    if statements is not None:
        displays = sum(statement.is_display for statement in statements)
        click.echo(
            f"{len(statements) - displays} theorem-like environments and {displays} numbered displays, "
            "none encoded yet"
        )
    click.echo(f"next: pip install -e {target}; twofold list {paper}")
