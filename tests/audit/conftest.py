"""One headless browser for all tests of the site that a process runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from browsing import started


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    running = started(tmp_path_factory.mktemp("profile"))
    yield running
    running.quit()


@pytest.fixture
def browser(driver: Any) -> Iterator[Any]:
    """The browser; whatever a test does, no page may log an error or ask the network for anything."""
    driver.get_log("browser"), driver.get_log("performance")
    yield driver
    assert [entry["message"] for entry in driver.get_log("browser")] == []
    asked = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    addresses = [
        message["params"]["request"]["url"]
        for message in asked
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert [a for a in addresses if not a.startswith(("file:", "data:"))] == []
