"""Figs. 7 and 11 of Noci et al. (2022) and two figures for App. B.2: attention that is not uniform."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import torch
from torch import Tensor

from numeric.figures import FigureError, Panel, Settings, Table, figure
from numeric.layers import Attention
from numeric.noci2022.figures_correlations import lemmas
from numeric.noci2022.simulated_gradients import gradient_norms
from numeric.noci2022.simulated_norms import distances_from_uniform, norms_along
from numeric.noci2022.stacks import ACTIVATIONS, ATTENTIONS, Stack, correlated_tokens
from numeric.sampling import generator

ERROR = "one standard error over weights"


def mean_and_error(values: Tensor) -> tuple[float, float]:
    """Mean and standard error."""
    return float(values.mean()), float(values.std()) / math.sqrt(values.numel())


# Fig. 7 -------------------------------------------------------------------------------------------


@figure(
    "noci2022.fig-7",
    title="Distance of attention from uniform, against the number of key features",
    caption=(
        r"Mean of $\|A - \frac{1}{n} 1\|_F^2 / n^2$ over 200 draws of Glorot weights, $d_v = 100$, as in "
        r"the paper, which does not print $n$ or the tokens' scale. Leading order: "
        r"$4 \|X\|_F^2 \mathrm{tr}(X^T L X) / (n (d_v + d_k))^2$ before division by $n^2$, so that the "
        r"slope reaches $-2$ only for $d_k \gg d_v$."
    ),
    panels=[
        Panel("Distance", "d_k", "distance", r"$d_k$", r"$\|A - \frac{1}{n} 1\|_F^2 / n^2$ (mean)",
              low="low", high="high", band=ERROR, xscale="log", yscale="log", style="points",
              theory="leading", theory_label="leading order"),
        Panel("Local slope", "d_k", "slope", r"$d_k$", r"log-log slope up to the next $d_k$",
              xscale="log", theory="minus_two", theory_label="-2, as stated"),
    ],
    settings={"tokens": 20, "d_v": 100, "std": 0.1, "draws": 200, "doublings": 10, "first": 4},
    tiny={"tokens": 3, "d_v": 4, "draws": 4, "doublings": 2},
    blank=frozenset({"slope"}),
)  # fmt: skip
def distance_against_key_width(settings: Settings) -> Table:
    """Fig. 7: d_k = first, 2 first, 4 first, ..."""
    size, width = settings["tokens"], settings["d_v"]
    if size > width:
        raise FigureError(f"tokens={size}: must not exceed d_v={width}")
    rng = generator(settings.seed, "noci2022", "fig-7")
    x = correlated_tokens(rng, 1, size, width, std=settings["std"])[0].float()
    columns = [settings["first"] * 2**e for e in range(settings["doublings"] + 1)]
    scatter = (x - x.mean(dim=0)).square().sum()
    leading = float(4 * x.square().sum() * scatter) / size**2
    means = [
        mean_and_error(values / size**2)
        for values in distances_from_uniform(x, columns, rng, settings["draws"])
    ]
    table: Table = []
    for place, (k, (mean, error)) in enumerate(zip(columns, means, strict=True)):
        after = means[place + 1][0] if place + 1 < len(means) else None
        table.append(
            {"d_k": k, "distance": mean, "low": mean - error, "high": mean + error,
             "leading": leading / size**2 / (width + k) ** 2,
             "slope": None if after is None else math.log2(after / mean), "minus_two": -2.0}
        )  # fmt: skip
    return table


# Fig. 11 ------------------------------------------------------------------------------------------

CASES: tuple[tuple[str, Attention, bool], ...] = (
    ("uniform, std 1/sqrt(d)", "mean", True),
    ("softmax, std 1/sqrt(d)", "softmax", True),
    ("softmax, std 1", "softmax", False),
)


def _density(title: str) -> Panel:
    return Panel(
        title=title, x="norm", y="density", group="depth", style="steps", xscale="log",
        where={"case": title, "kind": "density"}, xlabel=r"$\|X^L\|_F^2$",
        ylabel=r"density of $\log_{10} \|X^L\|_F^2$ (colours: depth $L$)",
    )  # fmt: skip


def histogram(values: Tensor, bins: int) -> list[tuple[float, float]]:
    """Centres and densities of the logarithm to base 10."""
    logs = values.log10()
    low, high = float(logs.min()) - 1e-9, float(logs.max()) + 1e-9
    counts = torch.histc(logs, bins, low, high)
    step = (high - low) / bins
    return [
        (10 ** (low + (k + 0.5) * step), float(c) / (len(values) * step))
        for k, c in enumerate(counts)
    ]


@figure(
    "noci2022.fig-11",
    title="Output norm of networks of growing depth, uniform and true attention",
    caption=(
        r"$d = d_v = d_q = 30$, i.i.d. Gaussian tokens, Xavier weights, linear activation and 1000 "
        r"draws of weights, as in the paper; $n$ and $\alpha_1 = \alpha_2 = 1$ are not printed there. The "
        "last panel shows the empirical mean over Lemma 3.3. With the true softmax the prediction "
        "holds for the first layers only, whatever the input scale: the norm grows fourfold a layer, "
        "the logits with it."
    ),
    panels=[
        *(_density(name) for name, _, _ in CASES),
        Panel("Mean against Lemma 3.3", "depth", "ratio", "depth $L$",
              r"mean of $\|X^L\|_F^2$ / Lemma 3.3", group="case", low="low", high="high",
              band=ERROR, where={"kind": "mean"}, yscale="log", theory="one", theory_label="Lemma 3.3"),
    ],
    settings={"tokens": 10, "width": 30, "depth": 10, "draws": 1000, "bins": 30},
    tiny={"tokens": 3, "width": 4, "depth": 2, "draws": 8, "bins": 4},
    blank=frozenset({"norm", "density", "ratio", "low", "high", "one"}),
)  # fmt: skip
def norm_densities(settings: Settings) -> Table:
    """Fig. 11: one input sequence a case, random weights."""
    size, width, layers, draws = (settings[k] for k in ("tokens", "width", "depth", "draws"))
    table: Table = []
    for name, kind, small in settings.track(CASES, "cases"):
        rng = generator(settings.seed, "noci2022", "fig-11")
        std = width**-0.5 if small else 1.0
        x = correlated_tokens(rng, 1, size, width, std=std)
        stack = Stack(layers, attention=kind)
        norms = norms_along([stack], x.expand(draws, -1, -1), rng)[:, 0]
        total = float(x.square().sum())
        share = float(x.sum(dim=-2).square().sum()) / size / total
        for depth in range(1, layers + 1):
            empty = dict.fromkeys(("norm", "density", "ratio", "low", "high", "one"))
            row = {"case": name, "depth": depth, "kind": "density", **empty}
            for norm, density in histogram(norms[depth], settings["bins"]):
                table.append({**row, "norm": norm, "density": density})
            scale = total * lemmas(size, 1.0, share, depth)[0]
            mean, error = mean_and_error(norms[depth] / scale)
            values = {"ratio": mean, "low": mean - error, "high": mean + error, "one": 1.0}
            table.append({**row, "kind": "mean", **values})
    return table


# App. B.2 -----------------------------------------------------------------------------------------

AXES = {"std": "input standard deviation", "tokens": "tokens $n$", "width": "width $d = d_k$",
        "tau": r"inverse temperature $\tau$"}  # fmt: skip


@figure(
    "noci2022.B.2.std-small-good",
    title="How far uniform attention carries: true over uniform, one layer",
    caption=(
        r"Ratio of means under the true softmax and under uniform attention of $\|S\|_F^2$ (equally of "
        r"the squared value gradient), and of the squared query and key gradients; Gaussian tokens of "
        r"Sec. 3.3, Xavier weights. Each panel varies one quantity from the setting below. To leading "
        r"order all of them leave 1 by a multiple of the variance of the logits, $\tau^2 \sigma_x^4$; the "
        r"norm, for uncorrelated tokens, by about $\tau^2 \sigma_x^4 (n + d) / d$."
    ),
    panels=[
        Panel(f"Along {name}", "value", "ratio", label, "true / uniform (ratio of means)",
              group="quantity", low="low", high="high", band=ERROR, where={"axis": name},
              xscale="log", yscale="log", theory="one", theory_label="uniform attention")
        for name, label in AXES.items()
    ],
    settings={"std": 0.7, "tokens": 16, "width": 32, "tau": 1.0, "correlation": 0.0, "draws": 256,
              "stds": (0.1, 0.2, 0.4, 0.7, 1.0, 1.4, 2.0), "counts": (4, 8, 16, 32, 64),
              "widths": (4, 8, 16, 32, 64), "taus": (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)},
    tiny={"tokens": 3, "width": 4, "draws": 8, "stds": (0.5, 1.0), "counts": (3, 4),
          "widths": (3, 4), "taus": (0.5, 2.0)},
)  # fmt: skip
def true_over_uniform(settings: Settings) -> Table:
    """Ratios of means for norms and gradients, along sigma_x, n, d and tau."""
    grids = {"std": "stds", "tokens": "counts", "width": "widths", "tau": "taus"}
    cells = [(axis, value) for axis, grid in grids.items() for value in settings[grid]]
    table: Table = []
    for axis, value in settings.track(cells, "settings"):
        at: dict[str, Any] = {name: settings[name] for name in grids} | {axis: value}
        norms = gradient_norms(
            at["tokens"], at["width"], settings["correlation"], at["std"], settings["draws"],
            seed=settings.seed, tau=at["tau"], dtype=torch.float64,
        )  # fmt: skip
        for name, parameter in (("norm", "values"), ("queries", "queries"), ("keys", "keys")):
            true, uniform = norms[parameter]
            ratio = float(true.mean() / uniform.mean())
            _, error = mean_and_error((true - ratio * uniform) / uniform.mean())
            table.append(
                {"axis": axis, "value": float(value), "quantity": name, "ratio": ratio,
                 "low": ratio - error, "high": ratio + error, "one": 1.0}
            )  # fmt: skip
    return table


@figure(
    "noci2022.B.2.heavy-tail",
    title="Tails of the squared output norm against depth",
    caption=(
        r"Left: variance of $\log \|X^L\|_F^2$ over weights, tokens fixed. Right: the 99th percentile "
        r"over the median. $d = 30$ and input std $1/\sqrt{d}$ as in the paper; $n$ is not printed."
    ),
    panels=[
        Panel("Spread of the logarithm", "depth", "variance", "depth $L$",
              r"variance of $\log \|X^L\|_F^2$", group="network"),
        Panel("Far quantile", "depth", "tail", "depth $L$", "99th percentile / median",
              group="network"),
    ],
    settings={"tokens": 4, "width": 30, "depth": 12, "draws": 1000},
    tiny={"tokens": 3, "width": 4, "depth": 2, "draws": 8},
)  # fmt: skip
def tails(settings: Settings) -> Table:
    """Heaviness of tails, linear and ReLU, uniform and true attention."""
    size, width, layers, draws = (settings[k] for k in ("tokens", "width", "depth", "draws"))
    kinds = list(product(ACTIVATIONS, ATTENTIONS))
    rng = generator(settings.seed, "noci2022", "tails figure")
    x = correlated_tokens(rng, 1, size, width, std=width**-0.5)
    stacks = [Stack(layers, activation=a, attention=k) for a, k in kinds]
    norms = norms_along(stacks, x.expand(draws, -1, -1), rng)
    table: Table = []
    for place, (activation, kind) in enumerate(kinds):
        name = f"{activation}, {'uniform' if kind == 'mean' else 'softmax'}"
        for depth in range(1, layers + 1):
            values = norms[depth, place]
            table.append(
                {"network": name, "depth": depth, "variance": float(values.log().var()),
                 "tail": float(values.quantile(0.99) / values.median())}
            )  # fmt: skip
    return table
