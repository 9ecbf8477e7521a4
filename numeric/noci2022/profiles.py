"""Encoders at initialisation, layer by layer: the trends of Figs. 1, 3 and 9, and Figs. 3 and 9."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from claims.domain import Point
from claims.noci2022 import profiles as claims
from claims.noci2022.notation import d_v, depth, n
from numeric.agreement import Measured
from numeric.figures import FigureError, Panel, Settings, Table, figure
from numeric.layers import Norm
from numeric.registry import measures
from numeric.remembered import remembered
from numeric.sampling import generator, stream
from numeric.training.parameters import Architecture
from numeric.training.signal import Profile, profile_at_initialisation
from numeric.training.threads import on_few_threads
from numeric.trends import mean_of_runs

RUNS = 240
"""Enough for the weakest trend: value gradients under post-LN, whose spread exceeds their mean."""
PLACES: tuple[Norm, ...] = ("post", "pre")
AT_ONCE = 24
"""Runs in one batch: larger ones leave the cache and take twice as long."""


@remembered()
def _profile(
    tokens: int, sizes: tuple[int, int, int, int], norm: Norm, strength: float, gradients: bool
) -> Profile:
    """Independent encoders; `sizes` are width, hidden width, heads and blocks."""
    a = Architecture(*sizes, norm=norm, strength=strength)
    rngs = [stream("profile", norm, strength, sizes, run) for run in range(RUNS)]
    # Single precision is enough: its rounding is far below the spread between runs.
    return profile_at_initialisation(
        a, tokens, rngs, gradients=gradients, at_once=AT_ONCE, dtype=torch.float32
    )


def _measured(
    point: Point, norm: Norm, strength: float, *, layers: int | None = None, gradients: bool = False
) -> Profile:
    width, hidden, heads = (int(point[s]) for s in (d_v, claims.hidden, claims.heads))
    blocks = layers or int(point[depth])
    return _profile(int(point[n]), (width, hidden, heads, blocks), norm, strength, gradients)


def _mean(samples: Tensor) -> Measured:
    return mean_of_runs(samples)


@measures(claims.unscaled)
def cosine_at_depth(point: Point, layers: int) -> Measured:
    """After the last of so many post-LN blocks with strengths 1."""
    return _mean(_measured(point, "post", 1.0, layers=layers)["cosine"][:, -1])


@measures(claims.scaled)
def cosine_at_depth_with_scaled_branches(point: Point, layers: int) -> Measured:
    """The same with strengths 1/sqrt(layers)."""
    return _mean(_measured(point, "post", layers**-0.5, layers=layers)["cosine"][:, -1])


@measures(claims.weaker)
def cosine_with_half_the_strength(point: Point, layer: int) -> Measured:
    """After a layer, strengths 1/2."""
    return _mean(_measured(point, "post", 0.5)["cosine"][:, layer])


def _read_layers(norm: Norm) -> None:
    """Estimators of the families over layers at strengths 1, for one place of layer norm."""

    @measures(claims.cosine[norm])
    def cosine_after(point: Point, layer: int) -> Measured:
        return _mean(_measured(point, norm, 1.0, gradients=True)["cosine"][:, layer])

    for name, family in (("queries", claims.queries), ("values", claims.values)):

        @measures(family[norm])
        def log_gradient_over_first(point: Point, layer: int, name: str = name) -> Measured:
            profile = _measured(point, norm, 1.0, gradients=True)[name]
            return _mean((profile[:, layer - 1] / profile[:, 0]).log())


for _norm in PLACES:
    _read_layers(_norm)


# Figures ------------------------------------------------------------------------------------------

SETTINGS = {
    "width": 32, "hidden": 128, "heads": 4, "tokens": 50, "layers": 12, "runs": 50,
    "strengths": ("1", "1/2", "1/4", "1/sqrt(L)"),
}  # fmt: skip
TINY = {"width": 8, "hidden": 16, "heads": 2, "tokens": 6, "layers": 3, "runs": 4,
        "strengths": ("1", "1/sqrt(L)")}  # fmt: skip


def strength_of(word: str, layers: int) -> float:
    """A strength as a figure's setting writes it: a number, a fraction, or 1/sqrt(L)."""
    if word.replace(" ", "") == "1/sqrt(L)":
        return 1 / math.sqrt(layers)
    try:
        top, _, bottom = word.partition("/")
        value = float(top) / float(bottom or 1)
    except (ValueError, ZeroDivisionError):
        value = math.nan
    if not math.isfinite(value) or value < 0:
        raise FigureError(f"strength {word!r}: write a number, a fraction or 1/sqrt(L)")
    return value


def encoder_of(settings: Settings, norm: Norm, strength: float) -> Architecture:
    """The encoder that the settings describe."""
    width, hidden, heads, blocks = (settings[s] for s in ("width", "hidden", "heads", "layers"))
    try:
        return Architecture(width, hidden, heads, blocks, norm, strength)
    except ValueError as error:
        raise FigureError(str(error)) from None


def _summary(name: str, samples: Tensor) -> dict[str, Any]:
    """Mean over runs, and the middle nine tenths of them."""
    low, high = torch.quantile(samples, torch.tensor([0.05, 0.95], dtype=samples.dtype)).tolist()
    return {name: float(samples.mean()), f"{name}_low": low, f"{name}_high": high}


@on_few_threads
def _layers(settings: Settings, norm: Norm) -> Table:
    """One row a strength and layer; gradients relative to layer 1, as base-10 logarithms."""
    rows: Table = []
    for word in settings.track(settings["strengths"], "strengths"):
        a = encoder_of(settings, norm, strength_of(word, settings["layers"]))
        rngs = [generator(settings.seed, "layers", norm, run) for run in range(settings["runs"])]
        profile = profile_at_initialisation(a, settings["tokens"], rngs)
        relative = {
            name: (profile[name] / profile[name][:, :1]).log10() for name in ("queries", "values")
        }
        for layer in range(a.blocks + 1):
            row = {"alpha": f"α = {word}", "layer": layer}
            row |= _summary("cosine", profile["cosine"][:, layer])
            for name, samples in relative.items():
                empty = {name: None, f"{name}_low": None, f"{name}_high": None}
                row |= _summary(name, samples[:, layer - 1]) if layer else empty
            rows.append(row)
    return rows


_BAND = "5% to 95% of runs"
_GRADIENT_COLUMNS = frozenset(
    f"{name}{end}" for name in ("queries", "values") for end in ("", "_low", "_high")
)


def _panel(name: str, title: str, ylabel: str) -> Panel:
    return Panel(
        title, x="layer", y=name, xlabel="layer", ylabel=ylabel, group="alpha",
        low=f"{name}_low", high=f"{name}_high", band=_BAND,
    )  # fmt: skip


PANELS = (
    _panel("cosine", "(a) cosine between tokens", "mean cosine of two tokens"),
    _panel("queries", "(b) queries and keys", r"$\log_{10}$ gradient norm / layer 1"),
    _panel("values", "(c) values", r"$\log_{10}$ gradient norm / layer 1"),
)
_CAPTION = (
    "Random {norm} encoders with ReLU; input: i.i.d. normal embeddings plus sinusoidal positions; "
    r"loss $\|X^L-T\|_F^2/(2nd_v)$ with normal targets $T$ (the paper: some loss). Sizes of Table 2; "
    "the paper averages 50 runs and does not print its depth and strengths."
)


@figure(
    "noci2022.fig-3",
    title="Alignment and gradients through post-LN layers at initialisation",
    caption=_CAPTION.format(norm="post-LN"),
    panels=PANELS, settings=SETTINGS, tiny=TINY, blank=_GRADIENT_COLUMNS,
)  # fmt: skip
def post_ln_layers(settings: Settings) -> Table:
    """Fig. 3."""
    return _layers(settings, "post")


@figure(
    "noci2022.fig-9",
    title="Alignment and gradients through pre-LN layers at initialisation",
    caption=_CAPTION.format(norm="pre-LN"),
    panels=PANELS, settings=SETTINGS, tiny=TINY, blank=_GRADIENT_COLUMNS,
)  # fmt: skip
def pre_ln_layers(settings: Settings) -> Table:
    """Fig. 9."""
    return _layers(settings, "pre")
