"""Inside translation models while they train: Fig. 1 (alignment by depth) and Fig. 15 (by layer).

The models, the texts and what is not asserted are those of `translation`.  Tokens are looked at in
the encoder, on the first held-out sentences, without dropout.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from numeric import device
from numeric.figures import Panel, Settings, Table, figure
from numeric.noci2022.translation import (
    DATA,
    OURS,
    SETTINGS,
    TEMPERED,
    TEXT,
    TINY,
    corpus_of,
    plan_of,
)
from numeric.training.corpus import PAD, Corpus
from numeric.training.parameters import Architecture
from numeric.training.signal import mean_cosine
from numeric.training.threads import on_few_threads
from numeric.training.transformer import Pass, encode
from numeric.training.translation import State, inverse_root, prepared, run_streams, train


def seen_tokens(state: State, a: Architecture, source: Tensor, absent: Tensor) -> list[Tensor]:
    """Tokens (r, b, m, d) before and after every encoder block, without dropout."""
    by = Pass(state.tau)
    with torch.no_grad():
        encode(state.parameters, a, source, absent, by)
    return by.trace


def probe(corpus: Corpus, runs: int, sentences: int) -> tuple[Tensor, Tensor]:
    """The first held-out sources (r, b, m) of at least two tokens, the same for every run."""
    source = corpus.numbered(corpus.valid[:sentences])[0].to(device.current())
    source = source.expand(runs, *source.shape)
    return source, source == PAD


def _mean_over_runs(name: str, runs: Tensor) -> dict[str, Any]:
    """Mean over the runs that are still numbers, with the least and greatest; empty without any."""
    kept = runs[runs.isfinite()]
    values = (kept.mean(), kept.min(), kept.max()) if len(kept) else (None, None, None)
    numbers = [None if value is None else float(value) for value in values]
    return dict(zip((name, f"{name}_low", f"{name}_high"), numbers, strict=True))


def _blank(*names: str) -> frozenset[str]:
    return frozenset(f"{name}{end}" for name in names for end in ("", "_low", "_high"))


RECORDED = 12
"""Steps at which tokens are looked at, the first and the last included."""


def recorded(states: Iterator[State], steps: int) -> Iterator[State]:
    """The states at evenly spread steps."""
    wanted = {round(i * steps / (RECORDED - 1)) for i in range(RECORDED)}
    return (state for state in states if state.step in wanted)


SPREAD = "least to greatest run"


def _cosine_panel(scaling: str, title: str) -> Panel:
    return Panel(
        title, x="step", y="cosine", xlabel="training step", ylabel="mean cosine of two tokens",
        group="model", low="cosine_low", high="cosine_high", band=SPREAD,
        where={"scaling": scaling},
    )  # fmt: skip


SCALINGS = {"none": lambda blocks: 1.0, "1/sqrt(L)": inverse_root}


@figure(
    "noci2022.fig-1",
    title="Alignment of tokens while post-LN Transformers train",
    caption=(
        "Cosine between the encoder's output tokens of held-out sentences, by depth (encoder "
        f"blocks, as many in the decoder); Adam with warm-up. {OURS}"
    ),
    panels=(
        _cosine_panel("none", r"$\alpha_1=\alpha_2=1$"),
        _cosine_panel("1/sqrt(L)", r"$\alpha_1=\alpha_2=1/\sqrt{L}$"),
    ),
    settings={"depths": (1, 3, 6), **SETTINGS, "steps": 80, "runs": 2, "probe": 20, **TEXT},
    tiny={**TINY, "depths": (1,), "probe": 2},
    blank=_blank("cosine", "loss"), data=DATA,
)  # fmt: skip
@on_few_threads
def alignment_during_training(settings: Settings) -> Table:
    """Fig. 1: a row for each depth, residual scaling and step looked at."""
    corpus, plan, rows = corpus_of(settings), plan_of(settings), []
    jobs = [(word, depth) for word in SCALINGS for depth in settings["depths"]]
    source, absent = probe(corpus, settings["runs"], settings["probe"])
    for word, depth in settings.track(jobs, "models"):
        a, optimiser = prepared("Adam POST-LN", depth, plan)
        a = replace(a, strength=SCALINGS[word](depth))
        streams = run_streams(settings.seed, "Adam POST-LN", settings["runs"])
        for state in recorded(train(corpus, a, optimiser, plan, streams), plan.steps):
            last = seen_tokens(state, a, source, absent)[-1]
            row = {
                "scaling": word, "depth": depth, "model": f"L = {depth}", "step": state.step,
            }  # fmt: skip
            row |= _mean_over_runs("cosine", mean_cosine(last, absent).mean(dim=1))
            rows.append({**row, **_mean_over_runs("loss", state.loss)})
    return rows


def _layer_panel(name: str, title: str, ylabel: str) -> Panel:
    return Panel(
        title, x="layer", y=name, xlabel="encoder layer", ylabel=ylabel, group="step",
        low=f"{name}_low", high=f"{name}_high", band=SPREAD,
    )  # fmt: skip


LOOKS: Sequence[float] = (0.0, 0.1, 0.3, 1.0)
"""Shares of training after which Fig. 15 looks at the model."""


@figure(
    "noci2022.fig-15",
    title="Inside an encoder trained by SGD with scaled residuals and a temperature",
    caption=f"Strengths start at $1/\\sqrt{{L}}$ and are trained; no layer norm. {OURS}",
    panels=(
        _layer_panel("cosine", "cosine between tokens", "mean cosine of two tokens"),
        _layer_panel("alpha_1", r"strength $\alpha_1$ (attention)", r"$\alpha_1$"),
        _layer_panel("alpha_2", r"strength $\alpha_2$ (feed-forward)", r"$\alpha_2$"),
        _layer_panel("norm", "norm of a token", r"mean $\|X_k\|/\sqrt{d_v}$"),
    ),
    settings={"blocks": 4, **SETTINGS, **TEMPERED, "steps": 300, "probe": 20, **TEXT},
    tiny={**TINY, "blocks": 2, "probe": 2},
    blank=_blank("cosine", "alpha_1", "alpha_2", "norm"), data=DATA,
)  # fmt: skip
@on_few_threads
def inside_during_training(settings: Settings) -> Table:
    """Fig. 15: a row for each step looked at and layer; layer 0 is the input, without strengths."""
    corpus, plan, rows = corpus_of(settings), plan_of(settings), []
    a, optimiser = prepared("SGD temperature", settings["blocks"], plan)
    streams = run_streams(settings.seed, "SGD temperature", settings["runs"])
    source, absent = probe(corpus, settings["runs"], settings["probe"])
    looks = {round(share * plan.steps) for share in LOOKS}
    follow = lambda steps: iter(settings.track(steps, "training steps"))  # noqa: E731
    for state in train(corpus, a, optimiser, plan, streams, tempered=True, track=follow):
        if state.step in looks:
            rows += list(_inside(state, a, source, absent))
    return rows


def _inside(state: State, a: Architecture, source: Tensor, absent: Tensor) -> Table:
    rows: Table = []
    words = (~absent).sum(dim=(1, 2))
    for layer, x in enumerate(seen_tokens(state, a, source, absent)):
        norms = x.norm(dim=-1).masked_fill(absent, 0.0).sum(dim=(1, 2)) / words
        row: dict[str, Any] = {"step": f"step {state.step}", "layer": layer}
        row |= _mean_over_runs("cosine", mean_cosine(x, absent).mean(dim=1))
        row |= _mean_over_runs("norm", norms / math.sqrt(a.width))
        for name, branch in (("alpha_1", "self"), ("alpha_2", "ff")):
            strength = state.parameters.get(f"encoder.{layer - 1}.{branch}.alpha")
            runs = torch.tensor([]) if strength is None else strength.detach()
            row |= _mean_over_runs(name, runs)
        rows.append(row)
    return rows
