"""What every test has of its own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def store(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of its own for the results of audits, empty and never the user's: nothing that a test
    did not compute is reused in it."""
    folder = tmp_path_factory.mktemp("kept") / "results"
    monkeypatch.setenv("TWOFOLD_STORE", str(folder))
    return folder


@pytest.fixture(autouse=True)
def faults_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of a module is not one line here: it fails the test that met it."""
    monkeypatch.setenv("TWOFOLD_TRACEBACK", "1")
