"""A user's parallel text, what is wrong with it in one line, and the figures that read it."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from audit.figures import as_csv, check_table, picture
from numeric.figures import Figure, FigureError, Settings, figure_of
from numeric.noci2022 import inside, translation
from numeric.noci2022.profiles import strength_of
from numeric.plain_text import CorpusError
from numeric.training.corpus import generated, read

FIGURES = ("noci2022.table-1", "noci2022.fig-1", "noci2022.fig-5", "noci2022.fig-15")
by_figure = pytest.mark.parametrize("id", FIGURES)
assert inside.DATA is translation.DATA  # importing them registers their figures


def write(folder: Path, **texts: str | bytes) -> Path:
    """Files `train_src` as train.src, and so on."""
    for name, text in texts.items():
        raw = text if isinstance(text, bytes) else text.encode()
        (folder / name.replace("_", ".")).write_bytes(raw)
    return folder


LINES = "".join(f"w{i} x y\n" for i in range(20))


def test_last_tenth_is_held_out(tmp_path: Path) -> None:
    corpus = read(write(tmp_path, train_src=LINES, train_tgt=LINES))
    assert (len(corpus.train), len(corpus.valid)) == (18, 2)
    assert corpus.valid[-1] == (("w19", "x", "y"), ("w19", "x", "y"))
    assert "w19" not in corpus.source.words


def test_valid_files_are_used_where_they_are(tmp_path: Path) -> None:
    folder = write(tmp_path, train_src=LINES, train_tgt=LINES, valid_src="a\n", valid_tgt="b")
    corpus = read(folder)
    assert len(corpus.train) == 20 and corpus.valid == ((("a",), ("b",)),)


def test_marks_of_other_systems_are_no_words(tmp_path: Path) -> None:
    source = "\ufeffein Satz\r\nnoch einer\r\n".encode()
    corpus = read(write(tmp_path, train_src=source, train_tgt="one\u2028sentence\nanother\n"))
    assert corpus.train[0][0] == ("ein", "Satz")
    assert corpus.train[0][1] == ("one", "sentence") and len(corpus.valid) == 1


def test_empty_and_long_sides_are_left_out_and_counted(tmp_path: Path) -> None:
    folder = write(tmp_path, train_src="a\n\nb\nc c c\nd\n", train_tgt="a\nx\nb\nc\n \n")
    corpus = read(folder, longest=2)
    assert corpus.left_out == 3 and len(corpus.train) == 1


@pytest.mark.parametrize(
    ("texts", "fragment"),
    [
        ({"train_src": "a\n"}, "train.tgt: no such file"),
        ({"train_src": "a\nb\n", "train_tgt": "a\n"}, "train.src has 2 lines, train.tgt has 1"),
        ({"train_src": "", "train_tgt": "a\n"}, "train.src: is empty"),
        ({"train_src": b"a\n\xff\xfe\n", "train_tgt": "a\nb\n"}, "train.src, line 2: not UTF-8"),
        (
            {"train_src": "a\n\n", "train_tgt": "\nb\n"},
            "no pair in train.src and train.tgt has 1 to",
        ),
        ({"train_src": "a\n", "train_tgt": "b\n"}, "one sentence pair only"),
        (
            {"train_src": LINES, "train_tgt": LINES, "valid_src": "a\n"},
            "valid.tgt: no such file",
        ),
    ],
)
def test_unusable_text_is_told_in_one_line(tmp_path: Path, texts, fragment: str) -> None:
    with pytest.raises(CorpusError) as caught:
        read(write(tmp_path, **texts))
    assert fragment in str(caught.value) and "\n" not in str(caught.value)


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="no such folder"):
        read(tmp_path / "nowhere")


def tiny(figure: Figure, data: Path | None = None) -> Settings:
    return Settings({**figure.settings, **figure.tiny}, data=data)


@by_figure
def test_figures_at_tiny_settings(id: str) -> None:
    figure = figure_of(id)
    table = figure.measure(tiny(figure))
    check_table(figure, table)
    for row in table:
        for name, value in row.items():
            assert value is not None or name in figure.blank, (name, row)
            assert not isinstance(value, float) or math.isfinite(value), row
    assert as_csv(table) == as_csv(figure.measure(tiny(figure))), "same seed, other data"
    assert picture(figure, tiny(figure), table).startswith(b"\x89PNG")


@by_figure
def test_figures_read_a_users_text(id: str, tmp_path: Path) -> None:
    figure = figure_of(id)
    folder = write(tmp_path, train_src=LINES, train_tgt=LINES)
    assert figure.measure(tiny(figure, folder))
    with pytest.raises(CorpusError, match="no such folder"):
        figure.measure(tiny(figure, tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("name", "value", "fragment"),
    [
        ("methods", ("Adam",), "methods: no 'Adam'; there are SGD POST-LN"),
        ("width", 9, "width=9: must be even and a multiple of heads=2"),
        ("dropout", 1.0, "dropout=1.0: must be at least 0 and less than 1"),
    ],
)
def test_settings_that_do_not_fit_are_told(name: str, value, fragment: str) -> None:
    figure = figure_of("noci2022.table-1")
    settings = tiny(figure)
    with pytest.raises(FigureError) as caught:
        figure.measure(replace(settings, values={**settings.values, name: value}))
    assert fragment in str(caught.value)


def test_diverged_runs_are_counted_not_hidden() -> None:
    figure = figure_of("noci2022.table-1")
    settings = tiny(figure)
    wild = {"methods": ("SGD res-scale",), "sgd_rate": 1e6, "steps": 8}
    (row,) = figure.measure(replace(settings, values={**settings.values, **wild}))
    assert row["diverged"] == 2 and row["bleu"] == 0


@pytest.mark.parametrize(("word", "value"), [("1", 1.0), ("1/4", 0.25), ("1/sqrt(L)", 0.5)])
def test_strengths_as_they_are_written(word: str, value: float) -> None:
    assert strength_of(word, 4) == value


@pytest.mark.parametrize("word", ["one", "1/0", "-1", "nan"])
def test_other_strengths_are_refused(word: str) -> None:
    with pytest.raises(FigureError, match="write a number, a fraction"):
        strength_of(word, 4)


def test_generated_translations_reorder() -> None:
    for source, target in generated(0, 20, 2).train:
        assert source[-1].startswith("verb")
        assert len(target) <= len(source) and not target[-1].startswith("v")
