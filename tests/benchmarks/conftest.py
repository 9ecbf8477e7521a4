"""What a kept run of the pieces says of the machine: its processor and versions, and no names."""

from __future__ import annotations

from typing import Any

import pytest

NAMES = {"node", "release", "project", "branch", "author_time"}
"""Of the host and its kernel, of the folder and of the branch."""


@pytest.hookimpl(optionalhook=True)
def pytest_benchmark_update_machine_info(config: Any, machine_info: dict[str, Any]) -> None:
    for name in NAMES & machine_info.keys():
        del machine_info[name]


@pytest.hookimpl(optionalhook=True)
def pytest_benchmark_update_commit_info(config: Any, commit_info: dict[str, Any]) -> None:
    for name in NAMES & commit_info.keys():
        del commit_info[name]
