"""Figs. 4, 8 and 9 of Wu et al. (2024) for models with random weights, or a user's trained model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from numeric.figures import FigureError, Panel, Settings, Table, figure
from numeric.wu2024.language_models import (
    MODELS,
    LanguageModel,
    Sizes,
    built,
    loaded,
    random_words,
    words_of_file,
)
from numeric.wu2024.stacks import absolute_cosines, pairwise_cosines

DATA = "a UTF-8 text file, one sample a line, each with at least `tokens` words"
RANDOM = "random"
SIZES: dict[str, Any] = {
    "heads": 12,
    "vocabulary": 5000,
    "models": tuple(MODELS),
    "weights": RANDOM,
}
TINY: dict[str, Any] = {
    "samples": 2, "tokens": 4, "width": 12, "heads": 2, "vocabulary": 40, "models": ("BERT", "T5"),
}  # fmt: skip
WORDS = (
    "Random weights, each model's own initialisation, and random words; --data takes text, whose words "
    "are numbered by first appearance, and weights=DIR a trained model with its tokenizer. The paper: "
    "32 samples of 128 tokens of Wikipedia, bert-base and the like, initialised and pretrained."
)


def models_of(settings: Settings, layers: int) -> Iterator[tuple[LanguageModel, Tensor]]:
    """Each model with its numbered words, (samples, n)."""
    samples, size = settings["samples"], settings["tokens"]
    if samples < 2 or size < 2:
        raise FigureError(f"samples={samples}, tokens={size}: both must be at least 2")
    sizes = Sizes(
        settings["width"], settings["heads"], layers, settings["vocabulary"], max(size, 16)
    )
    trained = settings["weights"] != RANDOM
    for name in settings.track(["weights"] if trained else settings["models"], "models"):
        model = loaded(Path(settings["weights"])) if trained else built(name, sizes, settings.seed)
        if settings.data is None:
            words = random_words(settings.seed, samples, size, model.vocabulary)
        else:
            words = words_of_file(settings.data, samples, size, model)
        yield model, words


def summary(name: str, values: Tensor) -> dict[str, float]:
    """Mean over samples, and one standard deviation to either side."""
    centre, spread = float(values.mean()), float(values.std()) if values.numel() > 1 else 0.0
    return {name: centre, f"{name}_low": centre - spread, f"{name}_high": centre + spread}


# Figs. 4 and 8 -------------------------------------------------------------------------------------

COLUMNS = tuple(
    f"{name}{end}" for name in ("rank", "least", "cosine", "value") for end in ("", "_low", "_high")
)


def geometry(model: str, tokens: list[Tensor]) -> Table:
    """Rank, least singular value and absolute cosine by layer; all singular values of the last."""
    empty: dict[str, Any] = dict.fromkeys(("layer", "index", *COLUMNS))
    rows: Table = []
    for t, x in enumerate(tokens):
        values = torch.linalg.svdvals(x)
        floor = max(x.shape[-2:]) * torch.finfo(x.dtype).eps * values[..., :1]
        found = {
            **summary("rank", (values > floor).sum(dim=-1).double()),
            **summary("least", values[..., -1]),
            **summary("cosine", absolute_cosines(x)),
        }
        rows.append({"what": "layers", "model": model, **empty, "layer": t, **found})
    for k in range(values.shape[-1]):
        found = summary("value", values[..., k])
        rows.append({"what": "spectrum", "model": model, **empty, "index": k + 1, **found})
    return rows


def _panel(title: str, y: str, ylabel: str, yscale: str = "linear") -> Panel:
    return Panel(
        title, x="layer", y=y, xlabel="layer", ylabel=ylabel, group="model", low=f"{y}_low",
        high=f"{y}_high", band="± one std over samples", where={"what": "layers"}, yscale=yscale,
    )  # fmt: skip


@figure(
    "wu2024.fig-4.token-geometry",
    title="Rank, least singular value and cosines of tokens by layer",
    caption=f"{WORDS} The last panel shows all singular values after the last layer (Fig. 8).",
    panels=[
        _panel("rank", "rank", "rank of X"),
        _panel("least singular value", "least", r"$\sigma_{\min}(X)$", "log"),
        _panel("cosines between tokens", "cosine", "mean absolute cosine"),
        Panel("singular values after the last layer", x="index", y="value", xlabel="index",
              ylabel="singular value", group="model", where={"what": "spectrum"}, yscale="log"),
    ],
    settings={"samples": 8, "tokens": 64, "width": 192, "layers": 12, **SIZES},
    tiny={**TINY, "layers": 2},
    blank=frozenset({"layer", "index", *COLUMNS}),
    data=DATA,
)  # fmt: skip
def token_geometry(settings: Settings) -> Table:
    """All models, layer by layer."""
    rows: Table = []
    for model, words in models_of(settings, settings["layers"]):
        rows += geometry(model.name, model.tokens_along(words))
    return rows


# Fig. 9 --------------------------------------------------------------------------------------------


def histogram(model: str, cosines: Tensor, bins: int) -> Table:
    """The density of all cosines on a grid over [-1, 1], and the least cosine of every sample."""
    counts = torch.histc(cosines.flatten(), bins=bins, min=-1, max=1)
    density = counts / counts.sum() * bins / 2
    centre = (torch.arange(bins) + 0.5) * 2 / bins - 1
    empty: dict[str, Any] = dict.fromkeys(("cosine", "density", "sample", "least"))
    rows: Table = [
        {"what": "density", "model": model, **empty, "cosine": x, "density": y}
        for x, y in zip(centre.tolist(), density.tolist(), strict=True)
    ]
    for sample, least in enumerate(cosines.min(dim=-1).values.tolist(), start=1):
        rows.append({"what": "least", "model": model, **empty, "sample": sample, "least": least})
    return rows


@figure(
    "wu2024.fig-9.initial-cosines",
    title="Cosines between initial embeddings",
    caption=(
        f"{WORDS} BERT and ALBERT add an embedding of the token's type, the same for all tokens: "
        "hence a mean cosine near 1/3; ALBERT's 128 features leave negative ones."
    ),
    panels=[
        Panel("all pairs of all samples", x="cosine", y="density", xlabel="cosine of two tokens",
              ylabel="density", group="model", where={"what": "density"}, style="steps"),
        Panel("least cosine of a sample", x="sample", y="least", xlabel="sample",
              ylabel=r"$\min_{i<j} \cos(X_i, X_j)$", group="model", where={"what": "least"},
              style="points"),
    ],
    settings={"samples": 32, "tokens": 128, "width": 768, "bins": 100, **SIZES},
    tiny={**TINY, "bins": 8},
    blank=frozenset({"cosine", "density", "sample", "least"}),
    data=DATA,
)  # fmt: skip
def initial_cosines(settings: Settings) -> Table:
    """All models; only the embedding matters, so that one layer is enough."""
    rows: Table = []
    for model, words in models_of(settings, 1):
        cosines = pairwise_cosines(model.tokens_along(words)[0])
        rows += histogram(model.name, cosines, settings["bins"])
    return rows
