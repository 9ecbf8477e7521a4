"""Adam's effective learning rates while an encoder learns to reverse digits: Fig. 6."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import adaptive as claims
from claims.noci2022.notation import d_v, depth, n
from numeric.agreement import Measured
from numeric.figures import Panel, Settings, Table, figure
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import generator, stream
from numeric.training.parameters import Architecture
from numeric.training.reversal import ADAM, PRINTED, Reversal, State, train
from numeric.training.threads import on_few_threads
from numeric.trends import mean_of_runs

RUNS = 48


def log_rates(state: State, matrix: str, layers: int) -> Tensor:
    """Mean logarithm of the effective rate over the entries of a matrix (runs, layers)."""
    found = []
    for layer in range(layers):
        parameter = state.parameters[f"encoder.{layer}.self.{matrix}"]
        rates = state.updates.effective_rates(parameter, ADAM.rate)
        found.append(rates.log().mean(dim=(1, 2)))
    return torch.stack(found, dim=1)


@remembered()
def _gaps(length: int, width: int, layers: int, steps: int, batch: int) -> Tensor:
    """Query minus value log rates (runs, layers) of independent runs, trained with Adam."""
    a = Architecture(width, 4 * width, heads=1, blocks=layers)
    rngs = [stream("reversal", run) for run in range(RUNS)]
    *_, last = train(a, Reversal(length, batch), ADAM, rngs, steps, dtype=torch.float64)
    return log_rates(last, "wq", layers) - log_rates(last, "wv", layers)


def _gaps_at(point: Point) -> Tensor:
    return _gaps(*(int(point[s]) for s in (n, d_v, depth, claims.steps, claims.batch)))


@measures(claims.gap)
def trained_gap(point: Point, layer: int) -> Measured:
    """The gap of one layer."""
    return mean_of_runs(_gaps_at(point)[:, layer - 1])


@measures(claims.slope)
def trained_slope(point: Point) -> Measured:
    """Least-squares slope of the gap over layers, run by run."""
    gaps = _gaps_at(point)
    places = torch.arange(gaps.shape[1], dtype=gaps.dtype)
    places = places - places.mean()
    return mean_of_runs(gaps @ places / places.square().sum())


RECORDED = 24
"""Steps shown, evenly spread over the logarithm of the step."""


def _shown(steps: int) -> set[int]:
    return {round(steps ** (i / RECORDED)) for i in range(RECORDED + 1)}


def _panel(quantity: str, title: str, ylabel: str) -> Panel:
    return Panel(
        title, x="step", y="mean", xlabel="training step", ylabel=ylabel, group="layer",
        low="low", high="high", band="least to greatest run", where={"quantity": quantity},
        xscale="log",
    )  # fmt: skip


@figure(
    "noci2022.fig-6",
    title="Adam's effective learning rates while an encoder learns to reverse digits",
    caption=(
        "Five post-LN encoder layers, one head, $d_v=16$, Adam with learning rate 0.01, as printed; "
        r"$d_F=64$, batch and number of steps are ours. Rate: $\eta/(\sqrt{v}+10^{-8})$, $v$ without bias, "
        "geometric mean over the entries of a matrix; lines are means of logarithms over runs."
    ),
    panels=(
        _panel("queries", "queries", r"$\log_{10}$ effective rate"),
        _panel("values", "values", r"$\log_{10}$ effective rate"),
        _panel("ratio", "queries / values", r"$\log_{10}$ of the ratio"),
        Panel(
            "training", x="step", y="mean", xlabel="training step",
            ylabel="loss (nats per digit)", where={"quantity": "loss"}, low="low", high="high",
            band="least to greatest run", xscale="log",
        ),
    ),
    settings={"steps": 600, "runs": 3, "batch": 32, "length": 20},
    tiny={"steps": 4, "runs": 2, "batch": 2, "length": 5},
)  # fmt: skip
@on_few_threads
def rates_during_training(settings: Settings) -> Table:
    """Fig. 6: a row for each quantity, layer and step shown; the loss in a fourth panel."""
    rngs = [generator(settings.seed, "reversal", run) for run in range(settings["runs"])]
    task = Reversal(settings["length"], settings["batch"])
    shown, rows = _shown(settings["steps"]), []
    track = lambda steps: iter(settings.track(steps, "training steps"))  # noqa: E731
    for state in train(PRINTED, task, ADAM, rngs, settings["steps"], track=track):
        if state.step in shown:
            rows += list(_rows(state))
    return rows


def _rows(state: State) -> Iterator[dict[str, object]]:
    def row(quantity: str, layer: str, runs: Tensor) -> dict[str, object]:
        spread = {"mean": float(runs.mean()), "low": float(runs.min()), "high": float(runs.max())}
        return {"quantity": quantity, "layer": layer, "step": state.step, **spread}

    tens = torch.log(torch.tensor(10.0))
    queries, values = (log_rates(state, w, PRINTED.blocks) / tens for w in ("wq", "wv"))
    for name, table in (("queries", queries), ("values", values), ("ratio", queries - values)):
        for layer in range(PRINTED.blocks):
            yield row(name, f"layer {layer + 1}", table[:, layer])
    yield row("loss", "all", state.loss)
