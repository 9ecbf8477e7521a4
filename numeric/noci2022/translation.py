"""Translation models trained on a toy language or on a user's text: Fig. 5 and Table 1.

Nothing here is asserted: the claims are about IWSLT'14.  Runs differ in their weights and in the
order of their sentences, not in the corpus.  A run whose loss is no longer a number has diverged; it
is counted, and scores what its model then says, which is nothing.
"""

from __future__ import annotations

import math
import statistics
from dataclasses import replace
from typing import Any

from numeric.figures import FigureError, Panel, Settings, Table, figure
from numeric.training.corpus import Corpus, generated, read
from numeric.training.decoding import score_of
from numeric.training.parameters import Architecture
from numeric.training.threads import on_few_threads
from numeric.training.translation import (
    METHODS,
    Plan,
    State,
    prepared,
    run_streams,
    train,
)

DATA = (
    "a folder with train.src and train.tgt, one sentence a line, and valid.src and valid.tgt or a "
    "tenth of the former held out"
)
SETTINGS: dict[str, Any] = {
    "runs": 3, "steps": 200, "sentences": 32, "width": 32, "hidden": 64, "heads": 4,
    "adam_rate": 3e-3, "sgd_rate": 0.15, "warmup": 40, "dropout": 0.0,
}  # fmt: skip
TEMPERED: dict[str, Any] = {"temperature": 8.5, "temperature_warmup": 40}
SCORED: dict[str, Any] = {**TEMPERED, "beam": 1, "valid": 60}
TEXT: dict[str, Any] = {"pairs": 1200, "least": 1, "longest": 60}
"""Pairs of the generated corpus; least count of a word and longest sentence of a user's."""
TINY: dict[str, Any] = {
    "runs": 2, "steps": 2, "sentences": 2, "width": 8, "hidden": 8, "heads": 2, "pairs": 12,
}  # fmt: skip
TINY_SCORED = {**TINY, "valid": 2}


def corpus_of(settings: Settings) -> Corpus:
    """The user's corpus, or the generated one."""
    if settings.data is not None:
        return read(settings.data, least=settings["least"], longest=settings["longest"])
    return generated(settings.seed, settings["pairs"])


def plan_of(settings: Settings) -> Plan:
    """The plan that the settings describe; raises `FigureError` where they do not fit together."""
    named = {name: settings[name] for name in vars(Plan()) if name in settings.values}
    plan = replace(Plan(), **named)
    if plan.width % plan.heads or plan.width % 2:
        raise FigureError(f"width={plan.width}: must be even and a multiple of heads={plan.heads}")
    if not 0 <= plan.dropout < 1:
        raise FigureError(f"dropout={plan.dropout}: must be at least 0 and less than 1")
    return plan


def method_names(settings: Settings) -> tuple[str, ...]:
    unknown = [name for name in settings["methods"] if name not in METHODS]
    if unknown:
        raise FigureError(f"methods: no {unknown[0]!r}; there are {', '.join(METHODS)}")
    return tuple(settings["methods"])


def trained(
    settings: Settings, corpus: Corpus, name: str, blocks: int
) -> tuple[Architecture, State]:
    """The last state of a method's runs."""
    plan = plan_of(settings)
    a, optimiser = prepared(name, blocks, plan)
    streams = run_streams(settings.seed, name, settings["runs"])
    *_, last = train(corpus, a, optimiser, plan, streams, tempered=METHODS[name].tempered)
    return a, last


def scored(settings: Settings, corpus: Corpus, name: str, blocks: int) -> dict[str, Any]:
    """Mean BLEU of a method, its standard error over runs, and how many runs diverged."""
    a, state = trained(settings, corpus, name, blocks)
    pairs = corpus.valid[: settings["valid"]]
    scores = score_of(state.parameters, a, corpus, pairs, tau=state.tau, beam=settings["beam"])
    mean, error = statistics.fmean(scores), 0.0
    if len(scores) > 1:
        error = statistics.stdev(scores) / math.sqrt(len(scores))
    return {
        "method": name, "blocks": blocks, "bleu": mean, "low": mean - error, "high": mean + error,
        "runs": len(scores), "diverged": int((~state.loss.isfinite()).sum()),
        "pairs": len(corpus.train), "left_out": corpus.left_out,
    }  # fmt: skip


ERROR = "± one standard error over runs"
OURS = (
    "Not IWSLT'14: by default a generated toy language whose word order changes; with --data a "
    "user's text. Sizes, rates and steps are settings, far below the paper's (width 512, "
    "100K-250K steps)."
)
SCORE = (
    "BLEU-4 on held-out pairs; runs that diverge are counted in the CSV and score what they say."
)


@figure(
    "noci2022.table-1",
    title="Seven ways to train a translation model",
    caption=f"{OURS} {SCORE} The order is reported, not asserted; the paper's scores are in the CSV.",
    settings={"blocks": 2, "methods": tuple(METHODS), **SETTINGS, **SCORED, **TEXT},
    tiny={**TINY_SCORED, "blocks": 1},
    blank=frozenset({"printed"}), data=DATA,
    draw=lambda table, canvas: draw_scores(table, canvas),
)  # fmt: skip
@on_few_threads
def scores_by_method(settings: Settings) -> Table:
    """Table 1: a row for each method."""
    names, corpus = method_names(settings), corpus_of(settings)
    plan_of(settings)
    return [
        {**scored(settings, corpus, name, settings["blocks"]), "printed": METHODS[name].printed}
        for name in settings.track(names, "methods")
    ]


def draw_scores(table: Table, canvas: Any) -> None:
    """One row a method, its mean with an error bar, and runs that diverged written beside it."""
    axis = canvas.subplots()
    for place, row in enumerate(reversed(table)):
        axis.plot(row["bleu"], place, "o", color="#0072B2", markersize=5)
        axis.hlines(place, row["low"], row["high"], color="#0072B2", linewidth=1.6)
        lost = f", {row['diverged']} diverged" if row["diverged"] else ""
        axis.annotate(
            f"{row['bleu']:.1f}{lost}", (row["high"], place), (6, 0), textcoords="offset points",
            va="center", fontsize=8,
        )  # fmt: skip
    axis.set_yticks(range(len(table)), [row["method"] for row in reversed(table)])
    axis.set(
        xlabel=f"BLEU on held-out pairs ({ERROR})", xlim=(0, 110), ylim=(-0.6, len(table) - 0.4)
    )
    axis.grid(True, axis="x", alpha=0.25, linewidth=0.6)


@figure(
    "noci2022.fig-5",
    title="BLEU against the number of blocks",
    caption=f"X blocks: X in the encoder and X in the decoder. {OURS} {SCORE}",
    panels=(
        Panel(
            "held-out pairs", x="blocks", y="bleu", xlabel="encoder (and decoder) blocks",
            ylabel="BLEU", group="method", low="low", high="high", band=ERROR,
        ),
    ),
    settings={
        "blocks": (1, 2, 3), "methods": ("SGD res-scale", "SGD temperature", "Adam POST-LN"),
        **SETTINGS, **SCORED, **TEXT, "steps": 150,
    },
    tiny={**TINY_SCORED, "blocks": (1,)}, data=DATA,
)  # fmt: skip
@on_few_threads
def scores_by_depth(settings: Settings) -> Table:
    """Fig. 5: a row for each method and number of blocks."""
    names, corpus = method_names(settings), corpus_of(settings)
    plan_of(settings)
    jobs = [(name, blocks) for name in names for blocks in settings["blocks"]]
    return [scored(settings, corpus, *job) for job in settings.track(jobs, "models")]
