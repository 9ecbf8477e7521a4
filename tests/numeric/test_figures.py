"""Settings of figures, and every registered figure at its tiny settings."""

from __future__ import annotations

import math
from itertools import cycle

import pytest

from audit.examine import load_witnesses
from audit.figures import as_csv, check_table, measured, picture
from claims.errors import UserError
from claims.registry import index
from numeric.figures import Figure, FigureError, Settings, figure_of, figures
from numeric.limits import RANGES

load_witnesses()
FIGURES = list(figures())
TOY = Figure(
    "toy", "t", "c", (), lambda settings: [], settings={"n": 4, "std": 0.5, "depths": (1, 2), "fast": True}
)  # fmt: skip


def tiny(figure: Figure) -> Settings:
    unknown = set(figure.tiny) - set(figure.settings)
    assert not unknown, f"tiny settings that the figure does not have: {sorted(unknown)}"
    return Settings({**figure.settings, **figure.tiny})


def test_words_become_the_default_s_type() -> None:
    settings = TOY.configured({"n": "8", "std": "0.25", "depths": "3,5,9", "fast": "false"}, seed=3)
    assert settings.values == {"n": 8, "std": 0.25, "depths": (3, 5, 9), "fast": False}
    assert settings.seed == 3


@pytest.mark.parametrize(
    ("name", "word", "fragment"),
    [
        ("n", "eight", "n=eight: must be int, such as 4"),
        ("n", "0", "n=0: must be at least 1"),
        ("n", "-3", "must be at least 1"),
        ("std", "nan", "std=nan: must be float"),
        ("depths", "3,,9", "depths=3,,9: must be a list, such as 1,2"),
        ("depths", "0", "depths=0: must be at least 1"),
        ("depths", "3,-3", "depths=3,-3: must be at least 1"),
        ("fast", "perhaps", "fast=perhaps: must be bool"),
        ("width", "3", "no setting 'width'; it has n, std, depths, fast"),
    ],
)
def test_unusable_settings_are_named(name: str, word: str, fragment: str) -> None:
    with pytest.raises(FigureError) as caught:
        TOY.configured({name: word})
    assert fragment in str(caught.value)


def test_a_figure_without_data_says_so(tmp_path) -> None:
    with pytest.raises(FigureError, match="reads no data"):
        TOY.configured({}, data=tmp_path)


def test_unknown_figures_name_the_nearest() -> None:
    with pytest.raises(FigureError, match="nearest: noci2022"):
        figure_of("noci2022.fig-44")


@pytest.mark.parametrize("figure", FIGURES, ids=lambda f: f.id)
def test_every_figure_at_tiny_settings(figure: Figure) -> None:
    if figure.data is not None:
        return  # tested with data of its own
    assert figure.id in {entry.id for entry in index()}
    table = figure.measure(tiny(figure))
    check_table(figure, table)
    for row in table:
        for name, value in row.items():
            if value is None:
                assert name in figure.blank, f"empty {name!r} in {row}"
            elif isinstance(value, float):
                assert math.isfinite(value), row
    assert as_csv(table) == as_csv(figure.measure(tiny(figure))), "same seed, other data"
    assert picture(figure, tiny(figure), table).startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("id", "word", "fragment"),
    [
        ("noci2022.fig-7", "std=0", "std=0.0: must be at least 0.001 and at most 1000"),
        ("noci2022.fig-7", "std=1e200", "must be at least 0.001"),
        ("noci2022.C.3.tau-final", "std=1e-300", "must be at least 0.001"),
        ("noci2022.fig-12", "stds=-1,1", "stds=-1.0: must be"),
        ("noci2022.fig-12", "scales=-1", "scales=-1.0: must be"),
        ("noci2022.B.2.std-small-good", "tau=-1", "tau=-1.0: must be"),
        ("noci2022.B.2.std-small-good", "correlation=-0.5", "at least 0 and less than 1"),
        ("noci2022.fig-8", "correlation=-0.5", "at least 0 and less than 1"),
        ("noci2022.table-1", "adam_rate=-1", "adam_rate=-1.0: must be"),
        ("wu2024.fig-1.left", "w=1e308", "greater than 1 and at most 1e+06"),
        ("wu2024.sec-4.3.1.nonzero-measure", "weights=2,1e308", "greater than 1"),
        ("noci2022.fig-4", "tokens=1", "tokens=1: must be at least 2"),
        ("wu2024.fig-2.masks-and-layernorm", "tokens=1", "tokens=1: must be at least 2"),
        ("noci2022.fig-7", "doublings=60", "1.1e+15 times the work of the defaults"),
        ("noci2022.fig-4", "depth=100000000", "choose smaller sizes, or add --long"),
        ("noci2022.fig-4", f"depth={10**4000}", "choose smaller sizes, or add --long"),
        ("noci2022.fig-12", f"widths={','.join(['64'] * 50_000)}", "add --long"),
    ],
)
def test_settings_out_of_range_or_reach_are_told_at_once(id: str, word: str, fragment: str) -> None:
    name, _, value = word.partition("=")
    with pytest.raises(UserError) as caught:
        figure_of(id).configured({name: value})
    assert fragment in str(caught.value) and len(str(caught.value)) < 250


def test_a_long_measurement_can_be_insisted_on() -> None:
    chosen = figure_of("noci2022.fig-4")
    assert chosen.configured({"depth": "100000000"}, long=True)["depth"] == 100_000_000


def test_the_papers_own_sizes_are_within_reach() -> None:
    stacks = figure_of("wu2024.fig-2.masks-and-layernorm")
    stacks.configured({"tokens": "128", "width": "768", "layers": "128"})


@pytest.mark.seldom
def test_every_setting_works_at_both_ends_of_its_range() -> None:
    """No traceback: a table, and at one end in four its picture, which takes ten times as long."""
    drawn = cycle((True, False, False, False, False, True, False, False))
    for chosen in figures():
        tiny = {name: _word(value) for name, value in chosen.tiny.items()}
        for name, default in chosen.settings.items():
            allowed = RANGES.get(name)
            first = default[0] if isinstance(default, tuple) else default
            if allowed is None or not isinstance(first, float):
                continue
            low = allowed.low * (1 + 1e-9) if allowed.open_low else allowed.low
            high = allowed.high * (1 - 1e-12) if allowed.open_high else allowed.high
            for end in (low, high):
                settings = chosen.configured({**tiny, name: repr(end)})
                table = measured(chosen, settings)
                if next(drawn):
                    picture(chosen, settings, table)


def _word(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
