"""What every test has of its own."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest

from audit.collection import collect_seldom
from audit.reuse.store import store_folder
from claims.tables import Table, importing

collect_seldom()


@pytest.fixture(scope="session")
def outline() -> Path | None:
    """Which files belong to which claim, as the last audit of this user has learnt it.

    It holds no result, and serves only while all files are what they were: learning takes seconds.
    """
    found = store_folder().glob("outline.*.twofold")
    return max(found, key=lambda path: path.stat().st_mtime, default=None)


@pytest.fixture(scope="session")
def new_store(tmp_path_factory: pytest.TempPathFactory, outline: Path | None) -> Callable[[], Path]:
    """Makes stores without results: nothing that a test did not compute is reused in them."""
    kept, number = tmp_path_factory.mktemp("kept"), count()

    def made() -> Path:
        folder = kept / f"results-{next(number)}"  # `mktemp` would list all earlier ones
        if outline is not None:
            folder.mkdir()
            with suppress(OSError):  # another device, or gone: it is learnt again
                os.link(outline, folder / outline.name)
        return folder

    return made


@pytest.fixture(autouse=True)
def store(new_store: Callable[[], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of its own for the results of audits, never the user's."""
    folder = new_store()
    monkeypatch.setenv("TWOFOLD_STORE", str(folder))
    return folder


@pytest.fixture(autouse=True)
def faults_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of a module is not one line here: it fails the test that met it."""
    monkeypatch.setenv("TWOFOLD_TRACEBACK", "1")


HOMES_OF_TABLES = (
    "claims.vocabulary", "proofs.registry", "numeric.estimators", "numeric.readings", "numeric.charts",
)  # fmt: skip
"""Modules with tables that others fill."""


@pytest.fixture(autouse=True)
def forgetful() -> tuple[str, ...]:
    """What a test puts into a table and takes back leaves the test behind among those who wrote there."""
    entry = importing()
    for home in filter(sys.modules.__contains__, HOMES_OF_TABLES):
        for table in vars(sys.modules[home]).values():
            if isinstance(table, Table):
                for writers in table.writers.values():
                    writers.discard(entry)
    return HOMES_OF_TABLES
