"""`twofold bench`: measure, or take what is recorded, and draw it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from audit.commands.tools import Unusable, one_line_errors, writable, write_json
from audit.files import ensure_writable
from audit.terminal.table import WIDTH

__all__ = ["bench"]


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME]...")
@click.option("--json", "json_path", metavar="FILE", help="Write JSON ('-': stdout).")
@click.option(
    "--from", "recorded", metavar="FILE", multiple=True,
    help="Keep the results in FILE, or in several; only what is named is measured again.",
)  # fmt: skip
@click.option("--plots", metavar="DIR", help="Draw the results there, with their data.")
@click.option(
    "--device", type=click.Choice(["auto", "cpu", "cuda"]), default="cpu", show_default=True,
    help="Where `card` and `card-audit` measure.",
)  # fmt: skip
@one_line_errors
def bench(
    names: tuple[str, ...],
    json_path: str | None,
    recorded: tuple[str, ...],
    plots: str | None,
    device: str,
) -> None:
    """The benchmarks (all without a name): calculus, kernel, sampling, spectra, statistics, basins,
    adversary, coverage, false-alarms, cluster, audit, card, card-audit.

    With --from and no name nothing is measured.
    """
    from benchmarks import BENCHMARKS, run_benchmark
    from numeric import device as devices

    for name in names:
        if name not in BENCHMARKS:
            raise Unusable(f"no benchmark {name!r}; there are {', '.join(BENCHMARKS)}")
    target = writable(json_path)
    if plots is not None:
        ensure_writable(Path(plots) / "index.json", "--plots")
    results = {k: v for file in recorded for k, v in _recorded(file, BENCHMARKS).items()}
    devices.use(device)
    console = Console(stderr=json_path == "-", width=WIDTH)
    for name in names or (() if recorded else BENCHMARKS):
        results[name] = run_benchmark(name, console)
    results = {name: results[name] for name in BENCHMARKS if name in results}
    write_json(results, target, json_path == "-")
    if plots is not None:
        from benchmarks.plots import draw

        draw(results, Path(plots))


def _recorded(path: str, known: tuple[str, ...]) -> dict[str, Any]:
    """The results in a file that an earlier run wrote."""
    remedy = "write it anew with `twofold bench --json FILE`"
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise Unusable(f"--from {path}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise Unusable(f"--from {path}: is no JSON ({error}); {remedy}") from None
    if not isinstance(found, dict) or not all(isinstance(each, dict) for each in found.values()):
        raise Unusable(f"--from {path}: holds no results of benchmarks; {remedy}")
    strange = sorted(set(found) - set(known))
    if strange:
        raise Unusable(f"--from {path}: no benchmark {strange[0]!r}; there are {', '.join(known)}")
    return found
