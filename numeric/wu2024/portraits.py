"""Figures of the example in the plane: trajectories without and with LayerNorm, and who keeps rank two.

Angles are in degrees from (1, 0).  Colours are the same in all panels: blue keeps rank two, orange
collapses.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from numeric.basins import (
    KEPT,
    WeightError,
    classify,
    frozen_share,
    kept_share,
    require_large,
    simulated_share,
)
from numeric.figures import FigureError, Panel, Settings, Table, figure
from numeric.wu2024.basin import causal_layer
from numeric.wu2024.layers import jordan_matrix
from numeric.wu2024.plane import beside_the_pole, layer_norm, step_angle

BLUE, ORANGE, GREY, BLACK = "#0072B2", "#E69F00", "#BBBBBB", "#000000"
FIRST, SECOND = "#009E73", "#CC79A7"
SETTLED = 2000
"""Layers after which a second token beside the pole is read; near B and the pole steps shrink fast."""


def weight_of(settings: Settings, word: float) -> float:
    """A weight from the settings; raises `FigureError` where the example does not exist."""
    try:
        return require_large(word)
    except WeightError as error:
        raise FigureError(str(error)) from None


# Fig. 1, left --------------------------------------------------------------------------------------


def unit(degrees: float) -> Tensor:
    """The token at an angle."""
    angle = torch.tensor(math.radians(degrees), dtype=torch.float64)
    return torch.stack([angle.cos(), angle.sin()])


def draw_trajectories(table: Table, canvas: Any) -> None:
    """Tokens in the plane without LayerNorm, on the circle with it, and mu by layer."""
    left, middle, right = canvas.subplots(1, 3)
    for axis, kind in ((left, "without LayerNorm"), (middle, "with LayerNorm")):
        rows = [row for row in table if row["kind"] == kind]
        for token, colour, size in ((1, FIRST, 7.0), (2, SECOND, 4.0)):
            x, y = ([row[f"x{token}{j}"] for row in rows] for j in (1, 2))
            axis.plot(
                x, y, "o-", color=colour, ms=size, lw=1, label=f"token {token}", zorder=2 + token
            )
            axis.plot(x[0], y[0], "s", color=colour, ms=9, mec=BLACK, zorder=6)
            axis.annotate(f"start {token}", (x[0], y[0]), (9, 6), textcoords="offset points")
        axis.margins(x=0.16)
        axis.set(title=kind, xlabel="feature 1", ylabel="feature 2")
    left.annotate(
        "both run upwards,\nside by side", (0.5, 0.62), xycoords="axes fraction", ha="left"
    )
    angle = [math.radians(k) for k in range(361)]
    middle.plot(
        [math.cos(a) for a in angle], [math.sin(a) for a in angle], color=GREY, lw=1, zorder=1
    )
    w = table[0]["w"]
    height = math.sqrt(1 - 1 / w**2)
    for name, place in (("A", (-1 / w, height)), ("B", (-1 / w, -height))):
        middle.plot(*place, "x", color=BLACK, ms=9, zorder=7)
        middle.annotate(name, place, (-14, -12), textcoords="offset points", weight="bold")
    middle.set_aspect("equal")
    for kind, style in (("without LayerNorm", "-"), ("with LayerNorm", "--")):
        rows = [row for row in table if row["kind"] == kind and row["mu"] > 0]
        right.plot(
            [r["layer"] for r in rows], [r["mu"] for r in rows], style, color=BLACK, label=kind
        )
    right.set(
        title=r"distance from a common vector", xlabel="layer", ylabel=r"$\mu(X)$", yscale="log"
    )
    for axis, corner in ((left, "upper left"), (middle, "center"), (right, "lower left")):
        axis.legend(loc=corner)


@figure(
    "wu2024.fig-1.left",
    title="Two tokens with the counterexample's weights, without and with LayerNorm",
    caption=(
        r"$N = d = 2$, causal mask, $A = [[1, 0], [1/2, 1/2]]$, $W_V = [[1, w], [0, 1]]$. Squares mark "
        "the starts, crosses the points A and B. Without LayerNorm the tokens meet; with $W_V$ as printed, "
        r"which breaks A3, they run to infinity together: $X_1 = (X_{1,1}, X_{1,2} + w t X_{1,1})$. With "
        "LayerNorm they stay apart from starts such as these."
    ),
    panels=[
        Panel("without LayerNorm", "x11", "x12", "feature 1", "feature 2"),
        Panel("with LayerNorm", "x21", "x22", "feature 1", "feature 2"),
        Panel("distance from a common vector", "layer", "mu", "layer", r"$\mu(X)$", yscale="log"),
    ],
    settings={"w": 2.0, "layers": 50, "first": 60.0, "second": 200.0},
    tiny={"layers": 4},
    draw=draw_trajectories,
)
def trajectories(settings: Settings) -> Table:
    """Both tokens layer by layer, from the angles `first` and `second`."""
    weight = weight_of(settings, settings["w"])
    value, rows = jordan_matrix(2, weight), []
    attention = torch.tensor([[1.0, 0.0], [0.5, 0.5]], dtype=torch.float64)
    for kind in ("without LayerNorm", "with LayerNorm"):
        tokens = torch.stack([unit(settings["first"]), unit(settings["second"])])
        for layer in range(settings["layers"] + 1):
            mu = float((tokens - tokens.mean(dim=0)).norm())
            x = {f"x{i + 1}{j + 1}": float(tokens[i, j]) for i in range(2) for j in range(2)}
            rows.append({"kind": kind, "w": weight, "layer": layer, **x, "mu": mu})
            plain = attention @ tokens @ value
            tokens = plain if kind == "without LayerNorm" else causal_layer(tokens, value)
    return rows


# Who keeps rank two --------------------------------------------------------------------------------

COLUMNS = (
    "panel",
    "w",
    "theta_1",
    "theta_2",
    "kept",
    "turn",
    "share",
    "low",
    "high",
    "integral",
    "frozen",
)


def row(panel: str, w: float, **cells: Any) -> dict[str, Any]:
    """One row of the long table; cells that do not belong to the panel stay empty."""
    return {**dict.fromkeys(COLUMNS), "panel": panel, "w": w, **cells}


def frozen_rows(weight: float, count: int) -> Table:
    """Second tokens beside the pole: whether they end below the axis, and which way a layer turns."""
    angle = (torch.arange(count, dtype=torch.float64) + 0.5) * 2 * math.pi / count
    turn, tokens = step_angle(angle, weight), torch.stack([angle.cos(), angle.sin()], dim=-1)
    for _ in range(SETTLED):
        tokens = layer_norm(beside_the_pole(tokens, weight))
    cells = zip(
        angle.rad2deg().tolist(), (tokens[:, 1] < 0).tolist(), turn.sign().tolist(), strict=True
    )
    return [
        row("beside the pole", weight, theta_2=a, kept=int(k), turn=int(s)) for a, k, s in cells
    ]


def joint_rows(weight: float, grid: int) -> Table:
    """The fate of both tokens on a grid of pairs of angles."""
    angle = (torch.arange(grid, dtype=torch.float64) + 0.5) * 2 * math.pi / grid
    # A third of a cell keeps the grid off the antipodes, where the tokens cancel in one layer.
    shifted = angle - 2 * math.pi / grid / 3
    first, second = torch.cartesian_prod(angle, shifted).unbind(dim=1)
    fate = classify(first, second, weight) == KEPT
    cells = zip(first.rad2deg().tolist(), second.rad2deg().tolist(), fate.tolist(), strict=True)
    return [row("joint", weight, theta_1=a, theta_2=b, kept=int(k)) for a, b, k in cells]


def share_row(weight: float, orbits: int, seed: int) -> dict[str, Any]:
    """The measure for one weight, simulated and as an integral."""
    share = simulated_share(weight, orbits=orbits, seed=seed)
    return row(
        "measure", weight, share=share.value, low=share.value - share.half_width,
        high=share.value + share.half_width, integral=kept_share(weight, nodes=2000),
        frozen=frozen_share(weight),
    )  # fmt: skip


def draw_circle(axis: Any, rows: Table, w: float) -> None:
    """The circle of second tokens, coloured by limit, with arrows along the flow."""
    for kept, colour in ((1, BLUE), (0, ORANGE)):
        angles = [math.radians(r["theta_2"]) for r in rows if r["kept"] == kept]
        axis.plot(
            [math.cos(a) for a in angles], [math.sin(a) for a in angles], "o", color=colour, ms=5
        )
    height = math.sqrt(1 - 1 / w**2)
    edge = math.degrees(math.acos(1 / w))
    for low, high in ((-90, 90), (90, 180 - edge), (180 - edge, 180 + edge), (180 + edge, 270)):
        middle = (low + high) / 2
        nearest = [abs((r["theta_2"] - middle + 180) % 360 - 180) for r in rows]
        a, sign = math.radians(middle), rows[nearest.index(min(nearest))]["turn"]
        along = (-math.sin(a) * sign, math.cos(a) * sign)
        x, y = 0.84 * math.cos(a), 0.84 * math.sin(a)
        start, end = (
            (x - 0.12 * along[0], y - 0.12 * along[1]),
            (x + 0.12 * along[0], y + 0.12 * along[1]),
        )
        axis.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "lw": 2, "color": BLACK})
    marks = (
        ("A (repels)", (-1 / w, height), "white", "o", (-12, 6), "right"),
        ("B (attracts)", (-1 / w, -height), BLUE, "o", (-12, -10), "right"),
        ("(0, 1) attracts:\ntoken 1 is here", (0, 1), ORANGE, "o", (4, 10), "left"),
        ("(0, -1): the tokens cancel", (0, -1), BLACK, "x", (2, -20), "left"),
    )
    for name, place, fill, marker, offset, align in marks:
        axis.plot(*place, marker, color=fill, mec=BLACK, ms=10, mew=1.6, zorder=5)
        axis.annotate(name, place, offset, textcoords="offset points", ha=align)
    axis.text(-0.72, 0, "to B:\nrank two", color=BLUE, ha="left", va="center", weight="bold")
    axis.text(
        0.72, 0, "to (0, 1):\ncollapse", color="#B07400", ha="right", va="center", weight="bold"
    )
    axis.set(title="token 2, with token 1 at (0, 1)", xlim=(-1.6, 1.5), ylim=(-1.35, 1.4))
    axis.set_aspect("equal")
    axis.set_axis_off()


def draw_square(axis: Any, rows: Table) -> None:
    """The square of both starting angles."""
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Patch

    size = math.isqrt(len(rows))
    fate = torch.tensor([r["kept"] for r in rows]).reshape(size, size).T.tolist()
    axis.imshow(
        fate, origin="lower", extent=(0, 360, 0, 360), cmap=ListedColormap([ORANGE, BLUE]),
        vmin=0, vmax=1, interpolation="nearest",
    )  # fmt: skip
    ticks = (0, 90, 180, 270, 360)
    axis.set(
        title="both tokens evolve", xlabel="start of token 1 (degrees)",
        ylabel="start of token 2 (degrees)", xticks=ticks, yticks=ticks,
    )  # fmt: skip
    handles = [Patch(color=BLUE, label="keeps rank two"), Patch(color=ORANGE, label="collapses")]
    axis.legend(handles=handles, loc="upper left", framealpha=0.95)
    axis.text(98, 195, "token 1 to (0, 1),\ntoken 2 to B", va="center")
    axis.text(193, 45, "mirror image\n$X\\to-X$", ha="right", va="center")


def draw_measure(axis: Any, rows: Table) -> None:
    """The measure against w, simulated and integrated, and with the first token frozen."""
    w, share = [r["w"] for r in rows], [r["share"] for r in rows]
    errors = [[s - r["low"] for s, r in zip(share, rows, strict=True)]] * 2
    axis.errorbar(w, share, errors, fmt="o", color=BLUE, capsize=3, label="both evolve (95%)")
    axis.plot(w, [r["integral"] for r in rows], "--", color=BLUE, label="both evolve, integral")
    axis.plot(
        w, [r["frozen"] for r in rows], "-.", color=BLACK,
        label=r"token 1 at (0, 1): $\frac{1}{4}+\frac{\arccos(1/w)}{2\pi}$",
    )  # fmt: skip
    axis.set(
        title="share of inputs that keep rank two", xlabel="w", ylabel="share", xscale="log",
        ylim=(0, 0.75), xticks=(1, 2, 3, 5, 10), xticklabels=("1", "2", "3", "5", "10"),
    )  # fmt: skip
    axis.minorticks_off()
    axis.legend(loc="upper left")


def draw_portrait(table: Table, canvas: Any) -> None:
    """Circle, square and measure, side by side."""
    circle, square, measure = canvas.subplots(1, 3)
    parts = {
        name: [r for r in table if r["panel"] == name]
        for name in ("beside the pole", "joint", "measure")
    }
    draw_circle(circle, parts["beside the pole"], parts["beside the pole"][0]["w"])
    draw_square(square, parts["joint"])
    draw_measure(measure, parts["measure"])


@figure(
    "wu2024.sec-4.3.1.nonzero-measure",
    title="Which inputs of the counterexample keep rank two",
    caption=(
        r"$N = d = 2$, causal mask, zero scores, $W_V = [[1, w], [0, 1]]$. Left: limits of the second "
        "token once the first is at the pole; arrows show the direction of a layer. Middle: joint "
        "dynamics from both starting angles. Right: the share of pairs of independent uniform tokens; "
        "bars are 95% intervals of scrambled Sobol sums."
    ),
    panels=[
        Panel("token 2, with token 1 at (0, 1)", "theta_2", "kept", "angle", "kept",
              where={"panel": "beside the pole"}),
        Panel("both tokens evolve", "theta_1", "theta_2", "token 1", "token 2", where={"panel": "joint"}),
        Panel("share of inputs that keep rank two", "w", "share", "w", "share", low="low", high="high",
              where={"panel": "measure"}, xscale="log", theory="integral"),
    ],
    settings={"w": 2.0, "weights": (1.05, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0), "grid": 180,
              "orbits": 2**17},
    tiny={"weights": (1.5, 2.0), "grid": 12, "orbits": 2**8},
    blank=frozenset(COLUMNS[2:]),
    draw=draw_portrait,
)  # fmt: skip
def portrait(settings: Settings) -> Table:
    """Arcs beside the pole, the joint basin on a grid, and the measure for several weights."""
    weight = weight_of(settings, settings["w"])
    weights = [weight_of(settings, each) for each in settings["weights"]]
    measured = [
        share_row(each, max(settings["orbits"], 2**8), settings.seed)
        for each in settings.track(weights, "weights")
    ]
    return [
        *frozen_rows(weight, 2 * settings["grid"]),
        *joint_rows(weight, settings["grid"]),
        *measured,
    ]
