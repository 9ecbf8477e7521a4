"""The recorded benchmarks: pictures of these results, a page that shows them, and `twofold bench --from`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from synthetic import document

from audit.cli import main
from audit.figures import as_csv
from audit.site.build import BENCHMARKS as PICTURES
from audit.site.build import build
from benchmarks import BENCHMARKS
from benchmarks.headlines import HEADLINES
from benchmarks.plots import PLOTS, index_of, table_of

RUNS = Path(__file__).parents[2] / "benchmarks" / "results"
RESULTS: dict[str, Any] = {}
for name in ("xeon-2-cores.json", "nvidia-h200.json"):
    RESULTS |= json.loads((RUNS / name).read_text(encoding="utf-8"))
HARDWARE = {"processor": "A CPU", "cores": 2, "python": "3.11", "torch": "2.13", "device": "cpu"}
SPECTRA = {
    "hardware": HARDWARE, "cases": [
        {"T": 8 * k, "seconds": k, "seconds_low": k / 2, "seconds_high": 2 * k, "full_seconds": 5.0 * k}
        for k in (1, 2)
    ],
}  # fmt: skip


def test_recorded_pictures_are_those_of_the_recorded_results() -> None:
    """`twofold bench --from RUN --from RUN --plots benchmarks/pictures` was run since any changed."""
    assert json.loads((PICTURES / "index.json").read_text(encoding="utf-8")) == index_of(RESULTS)
    shown = {plot.name: plot for plot in PLOTS if plot.benchmark in RESULTS}
    for name, plot in shown.items():
        recorded = (PICTURES / f"{name}.csv").read_text(encoding="utf-8")
        assert recorded == as_csv(table_of(plot, RESULTS))
        assert (PICTURES / f"{name}.png").read_bytes().startswith(b"\x89PNG")
    names = {f"{name}.{suffix}" for name in shown for suffix in ("csv", "png")}
    assert {path.name for path in PICTURES.iterdir()} == names | {"index.json"}


def test_every_benchmark_has_headlines() -> None:
    assert set(HEADLINES) == set(BENCHMARKS) and {p.benchmark for p in PLOTS} <= set(BENCHMARKS)


def test_rows_keep_the_band_and_the_line() -> None:
    (plot,) = (plot for plot in PLOTS if plot.name == "spectra")
    first, second, *_ = table_of(plot, {"spectra": SPECTRA})
    assert (first["value"], first["low"], first["high"]) == (1, 0.5, 2)
    assert second["who"] == "full decomposition"
    assert second["low"] == second["high"] == second["value"] == 5


def invoked(*args: str) -> Any:
    return CliRunner().invoke(main, ["bench", *args])


def test_recorded_results_are_drawn_without_measuring(tmp_path: Path) -> None:
    run, pictures = tmp_path / "run.json", tmp_path / "pictures"
    run.write_text(json.dumps({"spectra": SPECTRA}), encoding="utf-8")
    result = invoked(
        "--from", str(run), "--plots", str(pictures), "--json", str(tmp_path / "again.json")
    )
    assert result.exit_code == 0, result.output
    assert json.loads((tmp_path / "again.json").read_text()) == {"spectra": SPECTRA}
    assert {p.name for p in pictures.iterdir()} == {"spectra.csv", "spectra.png", "index.json"}
    build(document(4), tmp_path / "site", None, pictures)
    page = (tmp_path / "site" / "benchmarks.html").read_text(encoding="utf-8")
    assert 'src="benchmarks/spectra.png"' in page and "A CPU, 2 cores" in page
    assert "No run on a GPU is recorded" in page and "No run is recorded" not in page
    assert (tmp_path / "site" / "benchmarks" / "spectra.csv").exists()


def test_a_site_without_recorded_benchmarks_says_so(tmp_path: Path) -> None:
    build(document(4), tmp_path / "site", None, tmp_path / "nothing")
    page = (tmp_path / "site" / "benchmarks.html").read_text(encoding="utf-8")
    assert "No run is recorded" in page and "<img" not in page


@pytest.mark.parametrize(
    ("content", "fragment"),
    [
        (None, "cannot be read (No such file or directory)"),
        ("{", "is no JSON"),
        ("[1]", "holds no results of benchmarks"),
        ('{"speed": {}}', "no benchmark 'speed'; there are calculus"),
    ],
)
def test_results_that_cannot_be_used(tmp_path: Path, content: str | None, fragment: str) -> None:
    run = tmp_path / "run.json"
    if content is not None:
        run.write_text(content, encoding="utf-8")
    result = invoked("--from", str(run), "--plots", str(tmp_path / "pictures"))
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert f"--from {run}: {fragment}" in result.stderr


def test_a_place_that_cannot_hold_pictures(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = invoked("--from", str(RUNS / "xeon-2-cores.json"), "--plots", str(tmp_path / "file"))
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    assert "--plots" in result.stderr
