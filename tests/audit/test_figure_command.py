"""`twofold figure`: arguments, files, determinism, and what survives a failure."""

from __future__ import annotations

import csv
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from programs import begun

from audit import figures as drawing
from audit.cli import main
from numeric import figures as registry
from numeric.figures import Figure, FigureError, Panel, Settings
from numeric.registry import load

TOY = "toy.growth"
PANELS = tuple(
    Panel(title=title, x="layer", y="norm", xlabel="layer", ylabel=r"$\|X\|_F^2 / n$",
          group="kind", low="low", high="high", band="one standard error", theory="expected",
          theory_label="closed form", yscale="log", style=style)
    for title, style in (("lines", "line"), ("points", "points"), ("densities", "steps"))
)  # fmt: skip


def measure(settings: Settings) -> list[dict]:
    rows = []
    for kind in ("linear", "relu"):
        for layer in settings.track(range(settings["depth"]), kind):
            norm = (1.0 + settings["rate"]) ** layer + 0.01 * settings.seed
            rows.append({"kind": kind, "layer": layer, "norm": None if layer == 1 else norm,
                         "low": 0.9 * norm, "high": 1.1 * norm, "expected": norm})  # fmt: skip
    return rows


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> Figure:
    figure = Figure(TOY, "Growth", r"The norm $\|X\|$ grows. The paper has depth 100.", PANELS, measure,
                    settings={"depth": 6, "rate": 0.5}, blank=frozenset({"norm"}))  # fmt: skip
    monkeypatch.setitem(registry._FIGURES, TOY, figure)
    return figure


def run(*args: str):
    return CliRunner().invoke(main, ["figure", *args])


def test_picture_and_data_are_written_and_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(TOY)
    assert result.exit_code == 0, result.output
    picture, data = map(Path, result.stdout.split())
    assert picture == Path("out/figures/toy.growth.png") and data == picture.with_suffix(".csv")
    assert picture.read_bytes().startswith(b"\x89PNG")
    with data.open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 12 and rows[1]["norm"] == "" and float(rows[2]["norm"]) == 2.25
    assert result.stderr == "", "no progress bar in a pipe"


@pytest.mark.parametrize(
    ("suffix", "start"), [("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89")]
)
def test_same_seed_same_bytes_in_every_format(tmp_path: Path, suffix: str, start: bytes) -> None:
    targets = [tmp_path / name / f"a.{suffix}" for name in ("one", "two")]
    for target in targets:
        assert run(TOY, "--out", str(target), "--seed", "3").exit_code == 0
    one, two = (target.read_bytes() for target in targets)
    assert one == two and one.startswith(start)
    assert len({t.with_suffix(".csv").read_bytes() for t in targets}) == 1
    run(TOY, "--out", str(targets[1]), "--seed", "4", "--set", "depth=3")
    assert (
        targets[0].with_suffix(".csv").read_bytes() != targets[1].with_suffix(".csv").read_bytes()
    )


@pytest.mark.parametrize(
    ("args", "fragment"),
    [
        ((), "see `twofold figure --list`"),
        (("toy.growht",), "nearest: toy.growth"),
        ((TOY, "--set", "depth=abc"), "depth=abc: must be int, such as 6"),
        ((TOY, "--set", "depth"), "write NAME=VALUE"),
        ((TOY, "--set", "depth=4", "--set", "depth=5"), "depth is set twice"),
        ((TOY, "--set", "width=3"), "no setting 'width'; it has depth, rate"),
        ((TOY, "--data", "nowhere.txt"), "no such file or folder"),
        ((TOY, "--data", __file__), "reads no data"),
        ((TOY, "--out", "."), "is a folder"),
        ((TOY, "--out", "a.csv"), "must end in .png, .svg, .pdf"),
        ((TOY, "--out", f"{__file__}/a.png"), "cannot be written"),
        ((TOY, "--seed", "-1"), "-1 is not in the range"),
    ],
)
def test_unusable_arguments_end_in_one_line_and_status_2(args: tuple, fragment: str) -> None:
    result = run(*args)
    assert result.exit_code == 2
    assert fragment in result.stderr and "Traceback" not in result.stderr


def test_a_pipe_gets_titles_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    long = replace(registry.figure_of(TOY), title="A title of many words. " * 10)
    monkeypatch.setattr(registry, "figures", lambda: iter([long]))
    assert long.title in run("--list").stdout


def test_list_names_figures_and_settings() -> None:
    assert f"{TOY}  " in run("--list").stdout
    assert run(TOY, "--list").stdout == "depth=6\nrate=0.5\n"


def test_data_stay_when_drawing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.suffix == ".png":
            raise OSError(28, "No space left on device")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", full)
    result = run(TOY, "--out", str(tmp_path / "a.png"))
    assert result.exit_code == 2 and "No space left on device" in result.stderr
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


def test_memory_is_told_in_one_line(toy: Figure, monkeypatch: pytest.MonkeyPatch) -> None:
    for error in (MemoryError(), RuntimeError("[enforce fail] can't allocate memory: 9 bytes")):

        def fail(settings: Settings, error: Exception = error) -> list:
            raise error

        broken = Figure(TOY, "t", "c", PANELS, fail)
        with pytest.raises(FigureError, match="smaller sizes"):
            drawing.measured(broken, Settings({}))


def test_a_table_that_lacks_a_column_is_a_bug(toy: Figure) -> None:
    for table in ([], [{"layer": 1}], [{"layer": 1}, {"norm": 2}]):
        with pytest.raises(ValueError, match=TOY):
            drawing.check_table(toy, table)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_interrupt_ends_with_130_and_no_half_file(tmp_path: Path) -> None:
    code = (
        "import time; from numeric import figures; from audit.cli import main\n"
        "def slow(settings):\n"
        "    print('measuring', flush=True); time.sleep(60)\n"
        "figures.figure('toy.slow', title='t', caption='c')(slow)\n"
        "main(['figure', 'toy.slow'])"
    )
    process = begun(sys.executable, "-c", code, cwd=tmp_path)
    assert process.stdout is not None and "measuring" in process.stdout.readline()
    time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert errors.count("\n") == 1 and "interrupted" in errors
    assert not list(tmp_path.rglob("*.part")) and not list(tmp_path.rglob("*.png"))


def test_a_fault_of_the_measurement_is_one_line_that_says_where(
    monkeypatch, tmp_path: Path
) -> None:
    def broken(settings: Settings) -> list[dict]:
        return [{"norm": 1 // int(settings.seed)}]

    figure = Figure(TOY, "Growth", "A norm.", PANELS, broken)
    monkeypatch.setitem(registry._FIGURES, TOY, figure)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TWOFOLD_TRACEBACK")
    result = run(TOY)
    line = broken.__code__.co_firstlineno + 1
    assert result.exit_code == 2 and len(result.stderr.splitlines()) == 1, result.output
    assert (
        f"ZeroDivisionError: integer division or modulo by zero (tests/audit/{Path(__file__).name}, "
        f"line {line})" in result.stderr
    )
    monkeypatch.setenv("TWOFOLD_TRACEBACK", "1")
    assert isinstance(run(TOY).exception, ZeroDivisionError)


def test_numbers_that_leave_the_range_of_a_computer_are_told_in_one_line(
    tmp_path: Path, monkeypatch
) -> None:
    """Two tokens whose differences vanish: the spectrum of what is left has no number."""
    load("numeric")
    monkeypatch.chdir(tmp_path)
    words = ("tokens=2", "depth=2", "networks=4")
    result = run("naitsaada2025.fig-6", *(part for word in words for part in ("--set", word)))
    assert result.exit_code == 2
    assert "naitsaada2025.fig-6: an entry is no number: these settings leave" in result.stderr
