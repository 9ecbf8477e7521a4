"""Figure 4: cosines of trained weights with their leading terms, on texts that the project generates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from numeric.figures import FigureError, Panel, Settings, Table, figure
from numeric.im2026.corpora import generated
from numeric.im2026.reading import Text
from numeric.im2026.trainer import Checkpoint, Plan, trained
from numeric.sampling import generator

WEIGHTS = ("attention", "value", "output")
TEXTS = {"markov": "Markov text", "topics": "Text of eight topics"}


def _panel(kind: str, y: str, label: str) -> Panel:
    group = "weight" if y == "cosine" else None
    return Panel(TEXTS[kind], "time", y, r"$s\eta$", label, group=group, where={"text": kind})


@figure(
    "im2026.fig-4.cosine",
    title="Trained weights against their leading terms",
    caption=(
        r"From zero, by full-batch descent; the paper's 100 epochs at $\eta = 0.05$ end at "
        r"$s\eta = 160$. Shown is the least cosine over layers. The theorem covers $s\eta \leq 1/36$. "
        r"TinyStories is not shipped: try twofold train --corpus FILE."
    ),
    panels=[
        *(_panel(kind, "cosine", "least cosine over layers") for kind in TEXTS),
        *(_panel(kind, "loss", "loss, nats per token") for kind in TEXTS),
    ],
    settings={
        "sequences": 64, "words": 120, "length": 32, "layers": 3, "steps": 320, "every": 8, "eta": 0.5
    },
    tiny={"sequences": 4, "words": 6, "length": 3, "layers": 2, "steps": 2, "every": 1},
)  # fmt: skip
def cosines_along_training(settings: Settings) -> Table:
    """One network for each kind of text."""
    table: Table = []
    for kind in TEXTS:
        sizes = settings["sequences"], settings["length"], settings["words"]
        tokens = generated(kind, generator(settings.seed, "im2026", "fig-4", kind), *sizes)
        text = Text(tokens, tuple(map(str, range(settings["words"]))))
        plan = Plan(settings["steps"], settings["eta"], len(tokens), settings["layers"])
        run = trained(text, plan, partial(_tracked, settings, kind))
        for checkpoint, _, _ in run:
            if checkpoint.step % settings["every"] == 0 or checkpoint.step == 1:
                table += _rows(checkpoint, kind, settings["eta"])
    if not table:
        raise FigureError(
            f"eta={settings['eta']}: no weight left zero; take a larger learning rate"
        )
    return table


def _tracked(settings: Settings, kind: str, steps: Sequence[Any]) -> Iterable[Any]:
    """The steps on one text, under its name in the progress bar."""
    return settings.track(steps, kind)


def _rows(checkpoint: Checkpoint, kind: str, rate: float) -> Table:
    """The least cosine of each weight over its layers, of those that have left zero."""
    found = checkpoint.cosines
    least = {
        w: min((c for n, c in found.items() if n.startswith(w)), default=None) for w in WEIGHTS
    }
    where = {"text": kind, "time": checkpoint.step * rate, "loss": checkpoint.loss}
    return [{**where, "weight": w, "cosine": c} for w, c in least.items() if c is not None]
