"""`twofold covariances`: a local GPT-NeoX checkpoint against the leading terms of a text."""

from __future__ import annotations

from pathlib import Path

import click

from audit.commands.tools import one_line_errors, writable, write_json

__all__ = ["covariances"]


@click.command()
@click.argument("folder", metavar="FOLDER")
@click.option(
    "--tokens",
    required=True,
    metavar="FILE",
    help="A sample a line, as token numbers of the model.",
)
@click.option("--words", type=click.IntRange(min=2), default=1000, show_default=True)
@click.option("--length", type=click.IntRange(min=1), default=64, show_default=True)
@click.option("--uncentred", is_flag=True, help="Covariances of rows as they are.")
@click.option("--json", "json_path", metavar="FILE", help="Write JSON ('-': stdout).")
@one_line_errors
def covariances(
    folder: str, tokens: str, words: int, length: int, uncentred: bool, json_path: str | None
) -> None:
    """Cosines between token covariances of a model's layers and those of the leading terms of im2026.

    FOLDER holds config.json and the weights of a GPT-NeoX model, such as a checkpoint of Pythia
    (Figures 6 to 8).
    """
    from numeric.im2026 import covariances as comparing

    target = writable(json_path)
    model = comparing.Model.of_folder(Path(folder))
    sequences, numbers = comparing.tokens_of_file(Path(tokens), words, length)
    table = comparing.compared(model, sequences, numbers, centred=not uncentred)
    document = {
        "schema": 1, "model": folder, "tokens": tokens, "vocabulary": len(numbers),
        "sequences": len(sequences), "length": length, "centred": not uncentred, "layers": table,
    }  # fmt: skip
    write_json(document, target, json_path == "-")
    if json_path != "-":
        click.echo("layer  attention  embedding  without MLP")
        for row in table:
            click.echo(
                f"{row['layer']:>5}  {row['attention']:>9.4f}  {row['embedding']:>9.4f}  "
                f"{row['without_mlp']:>11.4f}"
            )
