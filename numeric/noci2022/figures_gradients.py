"""Figs. 12-14 of Noci et al. (2022) and the temperature of App. C.3."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import torch

from claims.noci2022.notation import d, n, rho, sigma_x
from claims.noci2022.simulated_gradients import QUERIES, TAU_FINAL, VALUES
from claims.noci2022.temperature import MATCHING
from numeric.evaluate import evaluate
from numeric.figures import FigureError, Panel, Settings, Table, figure
from numeric.noci2022.simulated_gradients import gradient_norms


def printed(formula: Any, size: int, width: int, correlation: float, std: float) -> float:
    """A printed right-hand side at a setting."""
    return float(evaluate(formula, {n: size, d: width, rho: correlation, sigma_x: std}))


# Fig. 12 ------------------------------------------------------------------------------------------

SWEEPS = {
    "width": ("widths", "hidden dimension $d$", "log"),
    "tokens": ("counts", "sequence length $n$", "log"),
    "correlation": ("correlations", r"correlation $\rho$", "linear"),
    "std": ("stds", r"input standard deviation $\sigma_x$", "log"),
}


@figure(
    "noci2022.fig-12",
    title="Query and key gradients under the true softmax against Eq. (18)",
    caption=(
        r"Mean of the squared norm over runs, exact in all entries of the weight; Gaussian tokens of "
        r"Sec. 3.3, Xavier weights, $d_k = d$. Each panel varies one quantity from the setting below, "
        "for three input scales (the last panel: the queries and keys at one setting). The paper "
        "averages 20 runs and prints no sizes."
    ),
    panels=[
        Panel(f"Along the {name}", "value", "norm", label,
              r"$\mathbb{E}\|\partial S/\partial W\|_F^2$", group="series", low="low", high="high",
              band="one standard error over runs", where={"axis": name}, xscale=scale,
              yscale="log", theory="printed", theory_label="Eq. (18)")
        for name, (_, label, scale) in SWEEPS.items()
    ],
    settings={"width": 32, "tokens": 16, "correlation": 0.2, "runs": 128, "scales": (0.3, 0.7, 1.0),
              "widths": (4, 8, 16, 32, 64), "counts": (4, 8, 16, 32, 64),
              "correlations": (0.0, 0.2, 0.4, 0.6, 0.8, 0.95),
              "stds": (0.1, 0.25, 0.5, 1.0, 1.5)},
    tiny={"width": 4, "tokens": 3, "runs": 8, "scales": (0.5,), "widths": (3, 4), "counts": (3, 4),
          "correlations": (0.0, 0.5), "stds": (0.5, 1.0)},
)  # fmt: skip
def gradients_against_theory(settings: Settings) -> Table:
    """Fig. 12."""
    if settings["runs"] < 2:
        raise FigureError(f"runs={settings['runs']}: must be at least 2, for a standard error")
    cells: list[tuple[str, float, float, tuple[str, ...]]] = [
        (axis, value, std, ("queries",))
        for axis, std in product(("width", "tokens", "correlation"), settings["scales"])
        for value in settings[SWEEPS[axis][0]]
    ]
    cells += [("std", std, std, ("queries", "keys")) for std in settings["stds"]]
    table: Table = []
    for axis, value, std, parameters in settings.track(cells, "settings"):
        at = {name: settings[name] for name in ("width", "tokens", "correlation")}
        at |= {axis: value} if axis != "std" else {}
        norms = gradient_norms(at["tokens"], at["width"], at["correlation"], std,
                               settings["runs"], seed=settings.seed, dtype=torch.float64)  # fmt: skip
        theory = printed(QUERIES, at["tokens"], at["width"], at["correlation"], std)
        for parameter in parameters:
            true = norms[parameter][0]
            mean, error = float(true.mean()), float(true.std()) / math.sqrt(len(true))
            series = parameter if axis == "std" else f"queries, std {std}"
            table.append(
                {"axis": axis, "value": value, "series": series, "norm": mean, "low": mean - error,
                 "high": mean + error, "printed": theory}
            )  # fmt: skip
    return sorted(table, key=lambda row: (list(SWEEPS).index(row["axis"]), row["series"]))


# Figs. 13 and 14 ----------------------------------------------------------------------------------

GRID = {"counts": (8, 24), "widths": (8, 24), "correlations": (0.0, 0.2, 0.4, 0.6, 0.8),
        "stds": (0.1, 0.5, 1.0, 1.5)}  # fmt: skip
TINY_GRID = {"counts": (3,), "widths": (4,), "correlations": (0.0, 0.5)}
_TRENDS = "it falls with the correlation and grows with the input standard deviation"


def _panels(**theory: str) -> list[Panel]:
    return [
        Panel(
            rf"$\sigma_x = {std}$", "correlation", "log_ratio", r"correlation $\rho$",
            r"$\ln(\mathbb{E}\|\partial S/\partial W^Q\|^2 / \mathbb{E}\|\partial S/\partial W^V\|^2)$",
            group="sizes", where={"std": std}, **theory,
        )
        for std in GRID["stds"]
    ]  # fmt: skip


def cells_of(settings: Settings) -> list[tuple[int, int, float, float]]:
    return list(
        product(settings["counts"], settings["widths"], GRID["stds"], settings["correlations"])
    )  # type: ignore[arg-type]


def predicted(size: int, width: int, correlation: float, std: float) -> float:
    """ln of Eq. (18) over Eq. (17)."""
    at = (size, width, correlation, std)
    return math.log(printed(QUERIES, *at) / printed(VALUES, *at))


@figure(
    "noci2022.fig-13",
    title="Log ratio of query to value gradient, true softmax",
    caption=(
        f"Natural logarithm of the ratio of mean squared norms: {_TRENDS}. Dashed: Fig. 14. "
        r"For $\rho = 0$ and $\sigma_x \geq 1$ true attention raises the value gradient far above Eq. (17). "
        "The paper prints no grid."
    ),
    panels=_panels(theory="predicted", theory_label="Eqs. (17) and (18)"),
    settings={"runs": 128, **{k: v for k, v in GRID.items() if k != "stds"}},
    tiny={"runs": 8, **TINY_GRID},
)
def true_log_ratios(settings: Settings) -> Table:
    """Fig. 13."""
    table: Table = []
    for size, width, std, correlation in settings.track(cells_of(settings), "settings"):
        norms = gradient_norms(size, width, correlation, std, settings["runs"], seed=settings.seed)
        ratio = float(norms["queries"][0].mean() / norms["values"][0].mean())
        table.append(
            {"std": std, "sizes": f"n = {size}, d = {width}", "correlation": correlation,
             "log_ratio": math.log(ratio), "predicted": predicted(size, width, correlation, std)}
        )  # fmt: skip
    return table


@figure(
    "noci2022.fig-14",
    title="Log ratio of query to value gradient, by Eqs. (17) and (18)",
    caption=f"Natural logarithm of (18)/(17) as printed: {_TRENDS}. The paper prints no grid.",
    panels=_panels(),
    settings={k: v for k, v in GRID.items() if k != "stds"},
    tiny=TINY_GRID,
)
def predicted_log_ratios(settings: Settings) -> Table:
    """Fig. 14."""
    return [
        {"std": std, "sizes": f"n = {size}, d = {width}", "correlation": correlation,
         "log_ratio": predicted(size, width, correlation, std)}
        for size, width, std, correlation in cells_of(settings)
    ]  # fmt: skip


# App. C.3 -----------------------------------------------------------------------------------------


@figure(
    "noci2022.C.3.tau-final",
    title="The matching temperature of Eq. (47)",
    caption=(
        r"$\tau$ at which Eqs. (18) and (17) agree. The paper takes 8.5 for hidden size 512 with 4 heads "
        r"(128 features each), 'small' $\rho$ and $n$ the mean sentence length; it prints none of "
        r"$n$, $\rho$ and $\sigma_x$."
    ),
    panels=[
        Panel(f"$d = {width}$", "correlation", "tau", r"correlation $\rho$", r"$\tau$",
              group="tokens", where={"width": width}, yscale="log", theory="printed",
              theory_label="8.5, as printed")
        for width in (128, 512)
    ],
    settings={"counts": (10, 20, 30, 40), "std": 1.0, "points": 15},
    tiny={"counts": (3, 4), "points": 3},
)  # fmt: skip
def matching_temperatures(settings: Settings) -> Table:
    """tau of Eq. (47) for rho = 0, 0.05, 0.1, ..."""
    if settings["points"] > 20:
        raise FigureError(f"points={settings['points']}: must be at most 20, for rho below 1")
    return [
        {"width": width, "tokens": size, "correlation": 0.05 * k,
         "tau": math.sqrt(printed(MATCHING, size, width, 0.05 * k, settings["std"])),
         "printed": float(TAU_FINAL)}
        for width in (128, 512)
        for size in settings["counts"]
        for k in range(settings["points"])
    ]  # fmt: skip
