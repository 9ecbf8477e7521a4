"""One headless browser, and one site of each kind, for all tests of a process that look at them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import started
from synthetic import document

from audit.documents import read_document
from audit.site.build import BENCHMARKS, RECORDED, build

ROOT = Path(__file__).resolve().parents[2]
AUDITED, BUILT = ROOT / "out" / "audit.json", ROOT / "out" / "site"
"""What `make audit` leaves."""


def is_current(site: Path) -> bool:
    """Whether a site is younger than all that a site is made of, and shows this document."""
    index, kept = site / "index.html", site / "audit.json"
    if not (index.exists() and kept.exists() and AUDITED.exists()):
        return False
    parts = ("audit", "claims", "proofs", "numeric", "figures", "benchmarks")
    sources = (path for name in parts for path in (ROOT / name).rglob("*"))
    files = (path for path in sources if path.is_file() and path.suffix != ".pyc")
    if max(path.stat().st_mtime for path in files) >= index.stat().st_mtime:
        return False
    shown, made = (json.loads(path.read_text(encoding="utf-8")) for path in (kept, AUDITED))
    return bool(shown == made)


@pytest.fixture(scope="session", params=["synthetic", "audited"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a whole site."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "synthetic":
        whole = document(24, absent=2)
        whole["claims"][0]["ours"] = True
        build(whole, folder, None, BENCHMARKS)
    elif is_current(BUILT):
        return BUILT
    elif AUDITED.exists():
        build(read_document(AUDITED), folder, RECORDED, BENCHMARKS)
    else:
        pytest.skip("no out/audit.json; `make audit` leaves one")
    return folder


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
