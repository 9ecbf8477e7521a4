"""Random and targeted command lines: a documented exit status, no traceback, in bounded time."""

from __future__ import annotations

import contextlib
import json
from datetime import timedelta
from pathlib import Path
from time import perf_counter

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

from audit.cli import main
from audit.examine import load_witnesses
from numeric import figures

load_witnesses()
STATUSES = {0, 1, 2, 3, 130}
CHEAP = "noci2022.C.3.warmup"
LIMIT = timedelta(seconds=60)
LINES = settings(
    max_examples=150, deadline=None, print_blob=True,
    suppress_health_check=list(HealthCheck),
)  # fmt: skip

HOSTILE = st.sampled_from(
    ["", "-", "--", "-1", "0", "1e308", "nan", "1/0", "\u0660", "\x7f", "\u202e", "a" * 300, "..",
     "[" * 1000, CHEAP, "$(id)", "%s", "\udcff"]
)  # fmt: skip
TEXT = st.one_of(
    HOSTILE, st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
)
"""No argument of a program holds the zero byte."""
OPTIONS = st.sampled_from(
    ["--json", "--site", "--junit", "--summary", "--budget", "--seed", "--device", "--workers",
     "--scheduler", "--from", "--out", "--data", "--set", "--list", "--seconds", "--rounds", "--long",
     "--help", "--version", "--nope"]
)  # fmt: skip
COMMANDS = st.sampled_from(
    [["list"], ["show"], ["attack"], ["figure"], ["errata"], ["diff"], ["nothing"],
     ["bench", "nothing"], ["audit", CHEAP, "--budget", "quick", "--workers", "1"]]
)  # fmt: skip
"""No line may run a benchmark or an audit of everything."""


def survives(args: list[str], folder: Path) -> None:
    """The line ends with a documented status, in time, and without a traceback."""
    note(f"twofold {args!r}")
    began = perf_counter()
    with contextlib.chdir(folder):
        result = CliRunner().invoke(main, args)
    assert perf_counter() - began < LIMIT.total_seconds()
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code in STATUSES
    assert "Traceback" not in result.output + result.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lines")


@LINES
@given(command=COMMANDS, words=st.lists(st.one_of(OPTIONS, TEXT), max_size=5))
def test_random_command_lines(folder: Path, command: list[str], words: list[str]) -> None:
    survives([*command, *words], folder)


def _chosen() -> st.SearchStrategy[list[str]]:
    """Lines that a person could write: right options with values at and beyond their limits."""
    number = st.sampled_from(
        [
            "-1",
            "0",
            "1",
            "2",
            "1e-300",
            "1e200",
            "1e308",
            "nan",
            "inf",
            "-1/2",
            "60",
            "1000000000000",
            "x",
        ]
    )
    tiny = {f.id: [f"{k}={_word(v)}" for k, v in f.tiny.items()] for f in figures.figures()}
    names = {f.id: list(f.settings) for f in figures.figures()}
    set_one = st.sampled_from(sorted(tiny)).flatmap(
        lambda id: st.tuples(st.sampled_from(names[id]), number).map(
            lambda pair: ["figure", id, *(w for word in tiny[id] for w in ("--set", word)),
                          "--set", f"{pair[0]}={pair[1]}", "--out", "f.svg"]
        )
    )  # fmt: skip
    place = st.sampled_from(["a.json", ".", "", "-", "no/" * 50 + "a", "b/c.json"])
    audit = st.tuples(
        st.sampled_from(["--json", "--junit", "--summary", "--site"]), place, number, number
    ).map(
        lambda t: [
            "audit",
            CHEAP,
            "--budget",
            "quick",
            t[0],
            t[1],
            "--seed",
            t[2],
            "--workers",
            t[3],
        ]
    )
    attack = number.map(lambda n: ["attack", "noci2022.lemma-3.1.input", "--rounds", n])
    cluster = st.sampled_from(
        ["tcp://", "tcp://h:0", "ucx://h:1", "http://[", "::", "tls://h:1"]
    ).map(lambda address: ["audit", CHEAP, "--scheduler", address])
    return st.one_of(set_one, set_one, audit, attack, cluster)


def _word(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)


@pytest.mark.slow
@LINES
@given(args=_chosen())
def test_targeted_command_lines(folder: Path, args: list[str]) -> None:
    survives(args, folder)


def test_the_cheap_claim_is_cheap_and_whole(folder: Path) -> None:
    with contextlib.chdir(folder):
        result = CliRunner().invoke(main, ["audit", CHEAP, "--budget", "quick", "--json", "-"])
    (record,) = json.loads(result.stdout)["claims"]
    assert record["verdict"] == record["expected"] and record["reason"] != "not encoded"
