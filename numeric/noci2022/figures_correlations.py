"""Figs. 4, 8 and 10 of Noci et al. (2022): correlation and norm along simulated networks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from torch import Tensor

from numeric.figures import FigureError, Panel, Settings, Table, figure
from numeric.layers import Activation, Norm
from numeric.noci2022.simulated_correlations import cosines
from numeric.noci2022.stacks import ACTIVATIONS, ATTENTIONS, Stack, correlated_tokens, side_by_side
from numeric.sampling import generator

NAMES: dict[Norm, str] = {"none": "No-LN", "pre": "PRE-LN", "post": "POST-LN"}
SCALES = {False: "alpha = 1", True: "alpha = 1/sqrt(L)"}
DEEP = {"tokens": 10, "width": 64, "depth": 32, "networks": 64}
TINY = {"tokens": 3, "width": 4, "depth": 2, "networks": 4}
BAND = "one standard deviation over networks"
_AXES: dict[str, Any] = {
    "x": "layer", "y": "correlation", "low": "low", "high": "high", "band": BAND,
    "xlabel": r"layer $\ell$", "ylabel": r"average cosine $\rho^\ell$ between tokens",
}  # fmt: skip


def checked(settings: Settings) -> tuple[int, int, int, int]:
    """Tokens, width, depth, networks; layer norm needs two features."""
    if settings["width"] < 2:
        raise FigureError(f"width={settings['width']}: must be at least 2")
    return tuple(settings[name] for name in ("tokens", "width", "depth", "networks"))  # type: ignore[return-value]


def correlation_table(settings: Settings, activations: Sequence[Activation]) -> Table:
    """Mean and spread of rho^l for all placements of layer norm, scaled and not."""
    size, width, layers, networks = checked(settings)
    kinds = [(a, s, norm) for a in activations for s in SCALES for norm in NAMES]
    table: Table = []
    for activation in settings.track(activations, "activations"):
        chosen = [kind for kind in kinds if kind[0] == activation]
        stacks = [Stack(layers, s, norm, activation) for _, s, norm in chosen]
        rho = cosines(stacks, size, width, samples=networks, seed=settings.seed)
        for place, (_, scaled, norm) in enumerate(chosen):
            for layer, values in enumerate(rho[:, place]):
                mean, spread = float(values.mean()), float(values.std())
                table.append(
                    {"activation": activation, "scaling": SCALES[scaled], "placement": NAMES[norm],
                     "layer": layer, "correlation": mean, "low": mean - spread,
                     "high": mean + spread}
                )  # fmt: skip
    return table


def _panel(title: str, **where: str) -> Panel:
    return Panel(title=title, group="placement", where=where, **_AXES)


@figure(
    "noci2022.fig-4",
    title="Correlation of tokens with depth, by placement of layer norm",
    caption=(
        r"Linear activation, true softmax, Xavier weights, i.i.d. $N(0, 1)$ tokens. The paper prints "
        "no sizes. Without scaling PRE-LN slows the growth; with it the placements stay close."
    ),
    panels=[_panel(f"Scaling: {name}", scaling=name) for name in SCALES.values()],
    settings=DEEP,
    tiny=TINY,
)
def correlations_by_placement(settings: Settings) -> Table:
    """Fig. 4."""
    return correlation_table(settings, ("linear",))


@figure(
    "noci2022.fig-10",
    title="Correlation of tokens with depth, linear against ReLU",
    caption=(
        "As Fig. 4 for both activations, with the same weights; feed-forward weights have variance "
        "$1/d$ in both. The paper prints no sizes."
    ),
    panels=[
        _panel(f"{name}, {scale}", activation=activation, scaling=scale)
        for scale in SCALES.values()
        for activation, name in (("linear", "Linear"), ("relu", "ReLU"))
    ],
    settings=DEEP,
    tiny=TINY,
)
def correlations_by_activation(settings: Settings) -> Table:
    """Fig. 10."""
    return correlation_table(settings, ACTIVATIONS)


def lemmas(size: int, square: float, share: float, layer: int) -> tuple[float, float]:
    """E||X^l||^2 / ||X||^2 and rho^l by Lemmas 3.2, 3.3 and App. A.4, alpha_1^2 = alpha_2^2 = square.

    `share` is C(X) / (n ||X||^2), in expectation over the tokens.
    """
    power = (1 + square) ** layer
    norm = power * ((power - 1) * share + 1)
    sums = power**2 * share
    return norm, (size * sums / norm - 1) / (size - 1)


def _ratio(top: Tensor, bottom: Tensor) -> tuple[float, float]:
    """Ratio of means and its standard error."""
    ratio = float(top.mean() / bottom.mean())
    spread = float((top - ratio * bottom).std()) / len(top) ** 0.5
    return ratio, spread / float(bottom.mean())


_CLOSED: dict[str, Any] = {
    "x": "layer", "xlabel": r"layer $\ell$", "group": "network", "low": "low", "high": "high",
    "band": "one standard error over networks", "theory_label": "Lemmas 3.2 and 3.3", "theory": "lemma",
    "y": "value",
}  # fmt: skip


@figure(
    "noci2022.fig-8",
    title="Norm and correlation with depth, no layer norm, linear activation",
    caption=(
        r"Left: mean of $\|X^\ell\|_F^2$ over that of the input. Right: $\mathbb{E}\langle X_k, X_l\rangle$ "
        r"over $\mathbb{E}\|X_k\|^2$, as Eq. (5) defines it. Tokens have entries of variance 1, at which "
        "true attention is not uniform. Deep unscaled norms are heavy-tailed: a finite sample misses the rare "
        "networks that carry the mean, and falls below the closed form. The paper prints no sizes."
    ),
    panels=[
        Panel(title="Norm", where={"quantity": "norm"}, yscale="log",
              ylabel=r"$\|X^\ell\|_F^2\,/\,\|X\|_F^2$ (ratio of means)", **_CLOSED),
        Panel(title="Correlation", where={"quantity": "correlation"},
              ylabel=r"correlation $\rho^\ell$ (ratio of means)", **_CLOSED),
    ],
    settings={**DEEP, "networks": 64, "correlation": 0.1},
    tiny=TINY,
)  # fmt: skip
def norm_and_correlation(settings: Settings) -> Table:
    """Fig. 8."""
    size, width, layers, networks = checked(settings)
    table: Table = []
    kinds = list(product(SCALES, ATTENTIONS))
    rng = generator(settings.seed, "noci2022", "fig-8")
    x = correlated_tokens(rng, networks, size, width, rho=settings["correlation"])
    share = (1 + (size - 1) * settings["correlation"]) / size
    stacks = [Stack(layers, scaled, attention=kind) for scaled, kind in kinds]
    start = x.square().sum(dim=(-1, -2))
    for layer, tokens in enumerate(settings.track(list(side_by_side(stacks, x, rng)), "layers")):
        for (scaled, kind), t in zip(kinds, tokens, strict=True):
            norms = t.square().sum(dim=(-1, -2))
            sums = t.sum(dim=-2).square().sum(dim=-1)
            expected = lemmas(size, 1 / layers if scaled else 1.0, share, layer)
            measured = (_ratio(norms, start), _ratio((sums - norms) / (size - 1), norms))
            name = f"{'uniform' if kind == 'mean' else 'softmax'}, {SCALES[scaled]}"
            for quantity, (value, error), lemma in zip(
                ("norm", "correlation"), measured, expected, strict=True
            ):
                table.append(
                    {"quantity": quantity, "network": name, "layer": layer, "value": value,
                     "low": value - error, "high": value + error, "lemma": lemma}
                )  # fmt: skip
    order = [f"{kind}, {scale}" for scale in SCALES.values() for kind in ("uniform", "softmax")]
    return sorted(
        table, key=lambda row: (row["quantity"], order.index(row["network"]), row["layer"])
    )
