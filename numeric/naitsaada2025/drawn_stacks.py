"""Figures 4 to 7: stable ranks, gradients and attention spectra of simulated stacks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import torch
from torch import Tensor

from numeric.figures import Panel, Settings, Table, figure
from numeric.layers import squared_norm
from numeric.naitsaada2025.extreme_singular_values import excess_rank, in_the_plane
from numeric.naitsaada2025.figures_networks import VARIANTS
from numeric.naitsaada2025.stacks import Block, layers_of, softmax_stack
from numeric.sampling import generator

_BAND = "16% to 84% of the runs"


def _row(values: Tensor, **where: object) -> dict[str, object]:
    """Median and spread of runs."""
    low, median, high = values.quantile(
        torch.tensor([0.16, 0.5, 0.84], dtype=values.dtype)
    ).tolist()
    return {**where, "value": median, "low": low, "high": high}


@figure(
    "naitsaada2025.fig-4a",
    title="Stable rank of one layer's covariance against T, with and without the gap",
    caption=(
        r"Orthonormal tokens, $T = d = d_{qk}$, $\sigma_{qk} = 1$, softmax attention; 20 runs. The paper "
        r"prints no sizes. Shown is $\mathrm{sr}(\Sigma) - 1$ with the gap, which falls like $1/T$, and "
        r"$\mathrm{sr}(\Sigma^\perp)$ without it, which grows like $T$."
    ),
    panels=[
        Panel(title, "T", "value", "$T$", label, group="block", low="low", high="high", band=_BAND,
              where={"kind": kind}, xscale="log", yscale="log")
        for kind, title, label in (
            ("gap", "With the gap", r"$\mathrm{sr}(\Sigma) - 1$"),
            ("no gap", "Without the gap", r"$\mathrm{sr}(\Sigma^\perp)$"),
        )
    ],
    settings={"tokens": (25, 50, 100, 200), "networks": 20},
    tiny={"tokens": (4, 6), "networks": 4},
)  # fmt: skip
def stable_rank_against_width(settings: Settings) -> Table:
    """Four blocks, each with the gap and without."""
    table: Table = []
    for norm, skip in settings.track(list(product((False, True), repeat=2)), "blocks"):
        name = " + ".join(["A(X)", *["skip"] * skip, *["LN"] * norm])
        for size, fix in product(settings["tokens"], ("", "mean")):
            rng = generator(settings.seed, "naitsaada2025", "fig-4a", size)
            block = Block("softmax", fix, norm, skip)
            ((tokens, _, _),) = layers_of(block, rng, settings["networks"], size, size, 1)
            ranks = excess_rank(tokens) + (1 if fix else 0)
            table.append(_row(ranks, kind="no gap" if fix else "gap", block=name, T=size))
    return table


NAMES = {
    "plain": "A", "fixed": "A without the gap", "normed": "A + LN", "identity": "identity",
    "orthogonal": "A without the gap, orthogonal W",
}  # fmt: skip


def _depth_table(settings: Settings, names: Sequence[str], place: int) -> Table:
    """Ranks (0) or gradients (1) layer by layer; exponential Z, T = gamma d."""
    table: Table = []
    size = settings["tokens"]
    for name in settings.track(list(names), "variants"):
        rng = generator(settings.seed, "naitsaada2025", "along depth", size)
        count, depth = settings["networks"], settings["depth"]
        layers = layers_of(VARIANTS[name], rng, count, size, settings["width"], depth)
        for layer, (x, moved, _) in enumerate(layers, start=1):
            values = squared_norm(moved) if place else 1 + excess_rank(x)
            table.append(_row(values, variant=NAMES[name], layer=layer))
    return table


def _depth_panel(title: str, label: str) -> Panel:
    return Panel(
        title, "layer", "value", "depth $L$", label, group="variant", low="low", high="high",
        band=_BAND, yscale="log",
    )  # fmt: skip


@figure(
    "naitsaada2025.fig-4b",
    title="Stable rank against depth",
    caption=(
        r"Orthonormal tokens, i.i.d. Markov attention, $T = d = 100$, 20 runs, no skip connections; the "
        "paper prints no sizes."
    ),
    panels=[_depth_panel("Stable rank", r"$\mathrm{sr}(\Sigma_L)$")],
    settings={"tokens": 100, "width": 100, "depth": 10, "networks": 20},
    tiny={"tokens": 4, "width": 4, "depth": 2, "networks": 4},
)
def stable_rank_against_depth(settings: Settings) -> Table:
    """With and without the gap, A = I, and orthogonal values."""
    return _depth_table(settings, ("plain", "fixed", "identity", "orthogonal"), 0)


@figure(
    "naitsaada2025.fig-5",
    title="Gradient norm against depth",
    caption=(
        r"$\|\partial X_L/\partial W_1\|_F^2$ for orthonormal tokens and i.i.d. Markov attention, "
        r"$T = d = 50$, 20 runs; the paper prints no sizes. On these semi-logarithmic axes exponential "
        r"growth is a straight line. For $d > T$ the norm without the gap grows like $(d/T)^L$: try width=100."
    ),
    panels=[_depth_panel("Gradients", r"$\|\partial X_L/\partial W_1\|_F^2$")],
    settings={"tokens": 50, "width": 50, "depth": 10, "networks": 20},
    tiny={"tokens": 4, "width": 4, "depth": 2, "networks": 4},
)
def gradients_against_depth(settings: Settings) -> Table:
    """With the gap, without it, and with layer norm."""
    return _depth_table(settings, ("plain", "fixed", "normed"), 1)


FIXES = {"": "A", "mean": "A without the gap", "outliers": "A without all outliers"}


@figure(
    "naitsaada2025.fig-6",
    title="Removing the gap against removing all outliers",
    caption=(
        r"Softmax attention on orthonormal tokens, $T = d = d_{qk}$, $\sigma_{qk} = 1$, layer norm, no skip "
        r"connections; the paper prints neither sizes nor the block. All outliers are the singular values "
        r"above the largest difference of two neighbours, found at every layer by an SVD."
    ),
    panels=[
        Panel(title, "layer", "value", "depth $L$", label, group="attention", low="low", high="high",
              band=_BAND, where={"quantity": title}, yscale="log")
        for title, label in (
            ("Stable rank", r"$\mathrm{sr}(\Sigma_L)$"),
            ("Gradients", r"$\|\partial X_L/\partial W_1\|_F^2$"),
        )
    ],
    settings={"tokens": 48, "depth": 6, "networks": 20},
    tiny={"tokens": 4, "depth": 2, "networks": 4},
)  # fmt: skip
def fix_against_all_outliers(settings: Settings) -> Table:
    """Three attentions, layer by layer."""
    table: Table = []
    size = settings["tokens"]
    for fix in settings.track(list(FIXES), "attentions"):
        rng = generator(settings.seed, "naitsaada2025", "fig-6", size)
        block = Block("softmax", fix, norm=True)
        layers = layers_of(block, rng, settings["networks"], size, size, settings["depth"])
        for layer, (x, moved, _) in enumerate(layers, start=1):
            where = {"attention": FIXES[fix], "layer": layer}
            table.append(_row(1 + excess_rank(x), quantity="Stable rank", **where))
            table.append(_row(squared_norm(moved), quantity="Gradients", **where))
    return table


BLOCKS = {
    "A(X) + LN": Block("softmax", norm=True),
    "A(X) + skip": Block("softmax", skip=True),
}


@figure(
    "naitsaada2025.fig-7",
    title="Eigenvalues of softmax attention, layer by layer",
    caption=(
        r"One network of orthonormal tokens, $T = d = d_{qk}$, $\sigma_{qk} = 1$; the paper has $T = 200$ and "
        r"prints neither the block nor its normalisation. From the second layer on eigenvalues stand apart "
        r"from the bulk. Once all rows are alike, all but the one at 1 vanish: the eigenvalues alone do not "
        r"tell uniform attention from rows that all attend to one token."
    ),
    panels=[
        Panel(name, "real", "imaginary", "real part", "imaginary part", group="layer",
              where={"block": name}, style="points")
        for name in BLOCKS
    ],
    settings={"tokens": 200, "layers": (1, 2, 4, 8)},
    tiny={"tokens": 4, "layers": (1, 2)},
)  # fmt: skip
def eigenvalues_along_depth(settings: Settings) -> Table:
    """The chosen layers of one network of each block."""
    table: Table = []
    size = settings["tokens"]
    for name in settings.track(list(BLOCKS), "blocks"):
        rng = generator(settings.seed, "naitsaada2025", "fig-7", size)
        layers = softmax_stack(BLOCKS[name], rng, 1, size, max(settings["layers"]))
        for layer, (matrices, _) in enumerate(layers, start=1):
            if layer in settings["layers"]:
                table += in_the_plane(matrices[0], block=name, layer=layer)
    return table
