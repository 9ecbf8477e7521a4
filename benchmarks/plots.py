"""Pictures of recorded benchmarks: which rows of the results, on which axes, and the index a page reads.

A picture has its data beside it as CSV, and is drawn as the papers' figures are.  `index.json` lists
the pictures that were drawn, with their captions, the headline figures of every benchmark in the
results, and the hardware; a benchmark that the results lack is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit.figures import as_csv, drawn
from audit.files import ensure_writable, write_whole
from benchmarks.headlines import HEADLINES
from numeric.figures import Panel, Table

__all__ = ["INDEX", "PLOTS", "Plot", "draw", "index_of", "table_of"]

INDEX = "index.json"
BAND = "least to greatest of the repeats"
SECONDS = "time (s)"
Results = Mapping[str, Any]


@dataclass(frozen=True)
class Plot:
    """A picture of one benchmark: its panels, and the rows that they show."""

    name: str
    benchmark: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    rows: Callable[[Results], Iterable[dict[str, Any]]]

    @property
    def draw(self) -> None:
        """Panels of lines need no code of their own."""


def row(
    part: str, x: float, who: str, case: Mapping[str, Any], name: str = "seconds", unit: float = 1.0
) -> dict[str, Any]:
    """One point: the median of a case under a name, with its band where there are repeats."""
    value = case[name]
    low, high = case.get(f"{name}_low", value), case.get(f"{name}_high", value)
    return {
        "part": part, "x": x, "who": who,
        "value": value * unit, "low": low * unit, "high": high * unit,
    }  # fmt: skip


def panel(part: str, xlabel: str, ylabel: str = SECONDS, title: str = "", **options: Any) -> Panel:
    """Axes for the rows of a part, one line for whoever did the work."""
    options = {"xscale": "log", "yscale": "log", "band": BAND, **options}
    return Panel(
        title or part, "x", "value", xlabel, ylabel, group="who", low="low", high="high",
        where={"part": part}, **options,
    )  # fmt: skip


def _calculus(results: Results) -> Iterable[dict[str, Any]]:
    for word, cases in results["families"].items():
        for case in cases:
            yield row(word, case["k"], "the calculus", case)
            if "listing_seconds" in case:
                yield row(word, case["k"], "every pairing listed", case, "listing_seconds")


def _kernel(results: Results) -> Iterable[dict[str, Any]]:
    for case in results["chains"]:
        yield row("chain", case["inequalities"], "a chain of theorems", case)
        yield row("chain", case["inequalities"], "one question to z3", case, "at_once")
    for case in results["enumeration"]:
        written = "definition written out at $n$"
        yield row("enumeration", case["n"], written, case, "enumeration_seconds")
        yield row("enumeration", case["n"], "proof for all $n$", case, "proof_seconds")


def _sampling(results: Results) -> Iterable[dict[str, Any]]:
    for case in results["cases"]:
        yield row("precision", case["n"], "ours", case, "seconds_to_target")
        yield row("precision", case["n"], "autograd", case, "baseline_seconds_to_target")
    fixed = results["growth"]["fixed"]
    for case in results["growth"]["cases"]:
        other = "d" if case["axis"] == "n" else "n"
        yield row(
            "growth", case["size"], f"over ${case['axis']}$, ${other}={fixed}$", case, unit=1e6
        )


def _spectra(results: Results) -> Iterable[dict[str, Any]]:
    for case in results["cases"]:
        yield row("spectra", case["T"], "two values, Lanczos", case)
        yield row("spectra", case["T"], "full decomposition", case, "full_seconds")


def _statistics(results: Results) -> Iterable[dict[str, Any]]:
    for case in results["cases"]:
        yield row("both", case["N"], "streamed", case)
        yield row("both", case["N"], "loop over tokens", case, "loop_seconds")
    for case in results["growth"]:
        yield row("streamed", case["N"], "streamed", case)


def _adversary(results: Results) -> Iterable[dict[str, Any]]:
    for case in results["holding"]:
        yield row(case["claim"], case["points"], "adversary", case, "ratio")
        yield row(case["claim"], case["points"], "random search", case, "random_ratio")


def _audit(results: Results) -> Iterable[dict[str, Any]]:
    for case in sorted(results["cases"], key=lambda case: int(case["claims"])):
        yield row("time", case["claims"], case["effort"], case)
        if case["effort"] == "quick":
            yield row("time", case["claims"], "again, from the store", case, "again_seconds")
        yield row("memory", case["claims"], case["effort"], case, "largest_process_mib")


def _cluster(results: Results) -> Iterable[dict[str, Any]]:
    for case in results["cases"]:
        yield row("cluster", case["workers"], case["place"], case)


def _bounds() -> tuple[Panel, ...]:
    from benchmarks.adversary import TRUE

    axes = "points looked at", "smaller side over larger"
    return tuple(panel(claim, *axes, xscale="linear", yscale="linear") for claim in TRUE)


PLOTS = (
    Plot(
        "calculus", "calculus", "Gaussian trace words at symbolic sizes",
        "Time of the calculus, each order in a process of its own, and of listing every pairing of the "
        "$2k$ Gaussian letters, as one would by hand; both give the same polynomial.",
        (
            panel("tr (G G^T)^k", "order $k$", title=r"$\mathrm{E\,tr}\,(GG^T)^k$", xscale="linear"),
            panel("tr (G A G^T B)^k", "order $k$", title=r"$\mathrm{E\,tr}\,(GAG^TB)^k$", xscale="linear"),
        ),
        _calculus,
    ),
    Plot(
        "kernel", "kernel", "The kernel: chains of theorems, and a proof beside enumeration",
        "Left: adding inequalities one by one, each step a theorem that is checked again, and in one "
        "question to the solver. Right: the proof of Lemma 3.1, Eq. (7) of [2022] for all sizes, and its "
        "left side written out exactly at tokens and widths of one size.",
        (
            panel("chain", "inequalities added", title="$x_i\\leq y_i$ added up"),
            panel("enumeration", "size $n=d_v=d_k$", title="For all sizes, or one by one",
                  xscale="linear"),
        ),
        _kernel,
    ),
    Plot(
        "sampling", "sampling", "Expected squared query gradient under true softmax",
        "Left: time to a standard error of 1%, on one thread in float64, against a loop over Jacobians by "
        "autograd. Right: time of one sample as tokens or widths grow.",
        (
            panel("precision", "size $n=d$", title="Time to 1%"),
            panel("growth", "size", "time of a sample (µs)", title="Growth"),
        ),
        _sampling,
    ),
    Plot(
        "spectra", "spectra", "Two largest singular values of softmax attention",
        "Both work on the same matrix, on one thread; their values agree to $10^{-9}$ and better.",
        (panel("spectra", "tokens $T$", title="One matrix $T\\times T$"),),
        _spectra,
    ),
    Plot(
        "statistics", "statistics", "Statistics of a corpus",
        "Left: 300 words, 100 tokens in a sequence, against a loop over tokens. Right: 3,000 words, 200 "
        "tokens in a sequence, streamed.",
        (
            panel("both", "sequences $N$", title="Against a loop"),
            panel("streamed", "sequences $N$", title="At the sizes of [2026]"),
        ),
        _statistics,
    ),
    Plot(
        "adversary", "adversary", "How near to equality a search comes on bounds that hold",
        "The larger the ratio, the better the search; 1 is equality. Both looked at the same number of "
        "points, with five seeds.",
        _bounds(), _adversary,
    ),
    Plot(
        "audit", "audit", "The whole audit, by number of claims",
        "Each paper by itself and all of them, a process for each core; the second audit finds every "
        "result in the store.",
        (
            panel("time", "claims", title="Wall-clock time"),
            panel("memory", "claims", "largest process (MiB)", title="Peak memory", yscale="linear"),
        ),
        _audit,
    ),
    Plot(
        "cluster", "cluster", "One worker and two",
        "The same audit in processes of the program, and by workers of a Dask cluster of this machine; the "
        "verdicts are the same.",
        (panel("cluster", "workers", title="Wall-clock time", xscale="linear", yscale="linear"),),
        _cluster,
    ),
)  # fmt: skip


def table_of(plot: Plot, results: Mapping[str, Results]) -> Table:
    """The rows that a picture shows."""
    return list(plot.rows(results[plot.benchmark]))


def index_of(results: Mapping[str, Results]) -> dict[str, Any]:
    """What a page needs besides the pictures."""
    return {
        "pictures": [
            {"name": p.name, "benchmark": p.benchmark, "title": p.title, "caption": p.caption}
            for p in PLOTS
            if p.benchmark in results
        ],
        "benchmarks": [
            {"benchmark": name, "hardware": found["hardware"], "lines": HEADLINES[name](found)}
            for name, found in results.items()
        ],
    }


def draw(results: Mapping[str, Results], folder: Path) -> list[Path]:
    """Pictures and data of every benchmark in the results, and the index; the files written."""
    ensure_writable(folder / INDEX, "--plots")
    files: dict[str, bytes] = {}
    for plot in PLOTS:
        if plot.benchmark in results:
            table = table_of(plot, results)
            files[f"{plot.name}.csv"] = as_csv(table).encode()
            files[f"{plot.name}.png"] = drawn(plot, "", table)
    files[INDEX] = (json.dumps(index_of(results), indent=1) + "\n").encode()
    for name, content in files.items():
        write_whole(folder / name, content, "--plots")
    return [folder / name for name in files]
