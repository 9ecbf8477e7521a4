"""Settings of figures, and every registered figure at its tiny settings."""

from __future__ import annotations

import math

import pytest

from audit.examine import load_witnesses
from audit.figures import as_csv, check_table, picture
from claims.registry import index
from numeric.figures import Figure, FigureError, Settings, figure_of, figures

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
    settings = TOY.configured({"n": "8", "std": "0", "depths": "3,5,9", "fast": "false"}, seed=3)
    assert settings.values == {"n": 8, "std": 0.0, "depths": (3, 5, 9), "fast": False}
    assert settings.seed == 3


@pytest.mark.parametrize(
    ("name", "word", "fragment"),
    [
        ("n", "eight", "n=eight: must be int, such as 4"),
        ("n", "0", "n=0: must be at least 1"),
        ("n", "-3", "must be at least 1"),
        ("std", "nan", "std=nan: must be float"),
        ("depths", "3,,9", "depths=3,,9: must be a list, such as 1,2"),
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
