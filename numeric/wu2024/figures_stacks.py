"""Figs. 2, 3, 6 and 7 of Wu et al. (2024): mu(X) by layer in stacks at initialisation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from torch import Tensor

from claims.masks import Mask
from numeric.figures import FigureError, Panel, Settings, Table, figure
from numeric.sampling import generator
from numeric.wu2024.layers import mu
from numeric.wu2024.stacks import (
    KINDS,
    MASKS,
    NO_FILE,
    SAN,
    Stack,
    Weights,
    deviations_along,
    draw_tokens,
    draw_weights,
    masks_of,
    relative_mu,
    supports_of,
    tokens_along,
)

RESOLVED = 1e-13
"""mu/||X||_F below this is made of rounding errors of float64; such cells stay empty."""
SMALLEST = 1e-290
"""Deviations below this have passed through numbers that float64 cannot hold."""
SPREAD = "± one std of log over samples"
SIZES: dict[str, Any] = {"samples": 32, "tokens": 64, "width": 192, "heads": 12, "layers": 12}
TINY: dict[str, Any] = {"samples": 3, "tokens": 5, "width": 8, "heads": 2, "layers": 2}


def summary(name: str, values: Tensor) -> dict[str, float | None]:
    """Geometric mean over samples, and one standard deviation of the logarithm to either side.

    Empty where any value is zero, and nothing but rounding could be said.
    """
    ends = ("", "_low", "_high")
    if not bool((values > 0).all()):
        return {f"{name}{end}": None for end in ends}
    logs = values.log()
    centre, spread = logs.mean(), logs.std()
    found = (centre, centre - spread, centre + spread)
    return {f"{name}{end}": float(x.exp()) for end, x in zip(ends, found, strict=True)}


def sized(settings: Settings, chosen: Sequence[Mask]) -> int:
    """The number of tokens, after checking what a stack cannot check."""
    if settings["samples"] < 2:
        raise FigureError(f"samples={settings['samples']}: must be at least 2, for a spread")
    return chosen[0].size


def stack_of(settings: Settings, kind: str, temperature: float = 1.0) -> Stack:
    return Stack(settings["width"], settings["heads"], settings["layers"], kind, temperature)


def words(settings: Settings, stack: Stack, chosen: Sequence[Mask]) -> Tensor:
    """Embeddings of random words, (samples, n, d); the same for every model."""
    size = sized(settings, chosen)
    rng = generator(settings.seed, "wu2024", "figure tokens", size)
    return draw_tokens(rng, settings["samples"], size, stack.width)


def network(settings: Settings, stack: Stack) -> Callable[[int], Weights]:
    """One network for all samples."""
    return lambda t: draw_weights(generator(settings.seed, "wu2024", "figure", t), stack)


def rows_along(settings: Settings, stack: Stack, chosen: Sequence[Mask]) -> Table:
    """One network, all samples: a row for each mask and layer from the first on."""
    tokens, weights = words(settings, stack, chosen), network(settings, stack)
    rows: Table = []
    for t, x in enumerate(tokens_along(stack, tokens, supports_of(chosen), weights)):
        for place, mask in enumerate(chosen if t else ()):
            distance, ratio = mu(x[place]), relative_mu(x[place])
            seen = (ratio > RESOLVED).to(ratio)
            rows.append(
                {"mask": mask.name, "layer": t, **summary("mu", distance * seen),
                 **summary("ratio", ratio * seen)}
            )  # fmt: skip
    return rows


BLANK = frozenset(f"{name}{end}" for name in ("mu", "ratio") for end in ("", "_low", "_high"))


def panel(title: str, y: str, group: str, where: dict[str, Any]) -> Panel:
    label = {"mu": r"$\mu(X^{(t)})$", "ratio": r"$\mu(X^{(t)})/\|X^{(t)}\|_F$"}[y]
    return Panel(
        title, x="layer", y=y, xlabel="layer t", ylabel=label, group=group, low=f"{y}_low",
        high=f"{y}_high", band=SPREAD, where=where, xscale="log", yscale="log",
    )  # fmt: skip


# Figs. 2 and 6 -------------------------------------------------------------------------------------


@figure(
    "wu2024.fig-2.masks-and-layernorm",
    title="Distance from rank one by layer, mask and architecture, at initialisation",
    caption=(
        r"One random network, random words. SAN: attention alone; SAN + LayerNorm: "
        r"$X \to \mathrm{LN}(\mathrm{Attn}(X))$; transformer: with MLP and residual connections. Below: "
        r"relative to $\|X\|_F$, which weights of std 0.02 shrink in SANs. Lines end where $\mu$ is "
        "below the rounding errors of float64. The paper: 128 tokens, 768 features, 12 layers (Fig. 6: "
        "128), and pretrained models, which are not run."
    ),
    panels=[
        *(panel(kind, "mu", "mask", {"model": kind}) for kind in KINDS),
        *(panel(f"{kind}, relative", "ratio", "mask", {"model": kind}) for kind in KINDS),
    ],
    settings={**SIZES, "masks": tuple(MASKS), "mask": NO_FILE, "temperature": 1.0},
    tiny=TINY,
    blank=BLANK,
)
def distances_by_mask(settings: Settings) -> Table:
    """All masks through the three models; `mask` names a file with one more."""
    chosen = masks_of(settings["masks"], settings["mask"], settings["tokens"])
    rows: Table = []
    for kind in settings.track(KINDS, "models"):
        stack = stack_of(settings, kind, settings["temperature"])
        rows += [{"model": kind, **row} for row in rows_along(settings, stack, chosen)]
    return rows


# Figs. 3 and 7 -------------------------------------------------------------------------------------


@figure(
    "wu2024.fig-3.temperature",
    title="Distance from rank one in SANs, by the temperature of attention, at initialisation",
    caption=(
        r"One random network, random words, attention alone; the factor multiplies $d_{QK}$. A smaller "
        r"factor slows the first layer, most with complete attention, where the effect then triples "
        "from layer to layer until its lines end, below the numbers that float64 can hold: deviations "
        "from the mean token are computed without cancellation. The paper: 128 tokens, 768 features, "
        "factors not printed, and pretrained models (Fig. 3), which are not run."
    ),
    panels=[panel(name, "mu", "factor", {"mask": name}) for name in MASKS],
    settings={**SIZES, "factors": (0.01, 0.1, 1.0, 10.0, 100.0)},
    tiny={**TINY, "factors": (0.01, 1.0)},
    blank=BLANK,
)
def distances_by_temperature(settings: Settings) -> Table:
    """All masks at each factor, with the same words and weights."""
    whole, *sparse = masks_of(tuple(MASKS), NO_FILE, settings["tokens"])
    rows: Table = []
    for factor in settings.track(settings["factors"], "temperatures"):
        stack = stack_of(settings, SAN, factor)
        apart = deviations_along(stack, words(settings, stack, [whole]), network(settings, stack))
        for t, x in enumerate(apart):
            norm = x.norm(dim=(-2, -1))
            if t:
                found = summary("mu", norm * (norm > SMALLEST))
                rows.append({"factor": factor, "mask": whole.name, "layer": t, **found})
        for row in rows_along(settings, stack, sparse):
            rows.append({"factor": factor, **{k: v for k, v in row.items() if "ratio" not in k}})
    return rows
