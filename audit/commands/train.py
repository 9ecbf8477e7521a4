"""`twofold train`: the network of Im et al. on a user's text, against its leading terms."""

from __future__ import annotations

from math import log, sqrt
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from audit.commands.tools import one_line_errors, progress, writable, write_json
from audit.sinks import one_line
from audit.terminal.table import WIDTH

__all__ = ["train"]

GROUPS = ("attention", "positions", "value", "output")


@click.command()
@click.option("--corpus", required=True, metavar="FILE", help="A plain text in UTF-8.")
@click.option("--bpe", is_flag=True, help="Subwords learned from the text instead of words.")
@click.option("--words", type=click.IntRange(min=2), default=200, show_default=True)
@click.option(
    "--length", type=click.IntRange(min=1), default=32, show_default=True,
    help="Tokens of a sequence, T.",
)  # fmt: skip
@click.option("--layers", type=click.IntRange(min=1), default=3, show_default=True)
@click.option("--epochs", type=click.IntRange(min=1), default=10, show_default=True)
@click.option("--eta", type=float, default=0.005, show_default=True, help="Learning rate.")
@click.option("--batch", type=click.IntRange(min=1), default=32, show_default=True)
@click.option("--show", "shown", multiple=True, metavar="WORD", help="Print its nearest words.")
@click.option("--nearest", type=click.IntRange(min=1), default=8, show_default=True)
@click.option("--seed", type=click.IntRange(min=0, max=2**63 - 1), default=0, show_default=True)
@click.option(
    "--device", type=click.Choice(["auto", "cpu", "cuda"]), default="auto", show_default=True
)
@click.option("--json", "json_path", metavar="FILE", help="Write JSON ('-': stdout).")
@one_line_errors
def train(
    corpus: str, bpe: bool, words: int, length: int, layers: int, epochs: int, eta: float,
    batch: int, shown: tuple[str, ...], nearest: int, seed: int, device: str, json_path: str | None,
) -> None:  # fmt: skip
    """Train the attention-based network of im2026 on a text; compare it with its leading terms.

    Cosines of weights with the leading terms of the first batch (Tables 1 and 2), losses without
    those terms (Table 3), nearest words under the three maps (Figure 5).  A learning rate at which
    the loss grows ends the training; the epochs before it are reported.
    """
    from numeric import device as devices
    from numeric.im2026 import reading, trainer

    target = writable(json_path)
    devices.use(device)
    plan = trainer.Plan(epochs, eta, batch, layers, seed)
    text = reading.read(Path(corpus), words=words, length=length, subwords=bpe)
    asked = shown or text.vocabulary[:3]
    trainer.require_known(text, asked)
    for shape in ((layers, len(text.vocabulary), len(text.vocabulary)), (layers, length)):
        devices.refuse_beyond_memory(shape, itemsize=8)
    kept: list[Any] = []
    last, diverged = None, None
    with progress(Console(stderr=True)) as bar:

        def track(batches: Any) -> Any:
            return bar.track(batches, description="train")

        try:
            for checkpoint, weights, maps in trainer.trained(text, plan, track):
                kept.append(checkpoint)
                last = weights, maps
        except trainer.Diverged as error:
            if last is None:
                raise
            diverged = error
    assert last is not None
    document = {
        "schema": 1, "corpus": corpus, "sequences": len(text.tokens), "vocabulary": len(text.vocabulary),
        "settings": {"bpe": bpe, "length": length, **vars(plan)},
        "zero_loss": log(len(text.vocabulary)),
        "horizon_steps": covered(length, layers, eta),
        "checkpoints": [{**vars(each), "time": each.step * eta} for each in kept],
        "minimum_cosine": least_cosines(kept),
        "losses_without": trainer.losses_without(*last, text.tokens),
        "nearest": trainer.associated(text, last[1], asked, nearest),
        "diverged": None if diverged is None else str(diverged),
    }  # fmt: skip
    write_json(document, target, json_path == "-")
    if json_path != "-":
        report(document)
    if diverged is not None:
        raise diverged


def covered(length: int, layers: int, eta: float) -> int:
    """Steps within the hypotheses of Theorem 4.1, which speaks of the full batch."""
    if 16 * layers**2 > length or eta * length < 1:
        return 0
    return int(min(5 / (8 * sqrt(length)), 1 / (12 * layers)) / eta)


def least_cosines(checkpoints: list[Any]) -> dict[str, float]:
    """Over checkpoints and layers, by kind of weight."""
    found: dict[str, float] = {}
    for checkpoint in checkpoints:
        for name, cosine in checkpoint.cosines.items():
            group = name.split()[0]
            found[group] = min(cosine, found.get(group, 1.0))
    return {group: found[group] for group in GROUPS if group in found}


def report(document: dict[str, Any]) -> None:
    """The tables, line by line."""
    ends = document["checkpoints"][0], document["checkpoints"][-1]
    click.echo(
        f"{document['sequences']} sequences, {document['vocabulary']} words; {ends[1]['step']} steps, "
        f"of which the theorem covers {min(document['horizon_steps'], ends[1]['step'])}"
    )
    click.echo(
        f"loss {document['zero_loss']:.4f} at zero, {ends[0]['loss']:.4f} after epoch {ends[0]['epoch']}, "
        f"{ends[1]['loss']:.4f} after epoch {ends[1]['epoch']}"
    )
    click.echo("\nleast cosine with the leading term of the first batch")
    for group, cosine in document["minimum_cosine"].items():
        click.echo(f"  {group:<12} {cosine:.6f}")
    click.echo("\nloss without the part along the leading term")
    for name, loss in document["losses_without"].items():
        click.echo(f"  {name:<12} {loss:.4f}")
    click.echo("\nnearest words")
    for word, maps in document["nearest"].items():
        for name, near in maps.items():
            line = f"  {one_line(word):<12} {name:<20} {one_line(' '.join(near))}"
            click.echo(line[:WIDTH])
