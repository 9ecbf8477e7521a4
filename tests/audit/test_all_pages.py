"""Every page of a site fits every screen and paper; a sample of each kind is accessible and quick.

The sites are a synthetic one with every part of a record, and that of `out/audit.json`, which an
audit of everything leaves.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from browsing import emulated, needs_browser, objections, opened, too_wide

from audit.verdict import VERDICTS

pytestmark = needs_browser
MANY = 200
"""Pages of claims that take minutes."""
LARGE = 2_000_000
"""Bytes of a page that takes the browser half a minute; pages of one theorem's parts are much alike."""
EVERY = "TWOFOLD_ALL_PAGES" in os.environ
"""Whether all pages are looked at, whatever it takes."""


def pages_of(site: Path) -> list[Path]:
    """All pages; of hundreds of claims every sixth, two large ones among them, unless
    TWOFOLD_ALL_PAGES is set."""
    claims = sorted(site.glob("claims/*.html"))
    if len(claims) >= MANY and not EVERY:
        sampled = claims[::6]
        large = [page for page in sampled if page.stat().st_size > LARGE]
        claims = [page for page in sampled if page not in large[2:]]
    return [*sorted(site.glob("*.html")), *sorted(site.glob("papers/*.html")), *claims]


def one_of_each_kind(site: Path) -> list[Path]:
    """The index and its like, one paper, and for every verdict one claim."""
    text = (site / "index.html").read_text(encoding="utf-8")
    claims = [
        re.search(rf'<span class="badge {v}">[^\n]*?<a href="(claims/[^"]+)"', text)
        for v in VERDICTS
    ]
    found = ["index.html", "coverage.html", "figures.html", "error-rates.html", "benchmarks.html"]
    found += [c[1] for c in claims if c]
    return [*(site / name for name in found), next(site.glob("papers/*.html"))]


def test_nothing_is_wider_than_its_box(browser: Any, site: Path, tmp_path: Path) -> None:
    """At 390, 800 and 1280 pixels and on paper; no page scrolls sideways."""
    assert too_wide(browser, pages_of(site), tmp_path / "host.html") == {}


def test_the_check_finds_what_is_too_wide(browser: Any, tmp_path: Path) -> None:
    page = tmp_path / "wide.html"
    page.write_text(
        "<!doctype html><meta charset=utf-8><link rel=icon href='data:,'>"
        "<div id=fits style='overflow: auto'><p style='width: 900px'>x</p></div>"
        "<div id=narrow style='width: 300px'><p id=child style='width: 350px'>x</p></div>",
        encoding="utf-8",
    )
    found = too_wide(browser, [page], tmp_path / "host.html")["wide.html"]
    at = {fault.partition(": ")[0] for fault in found if "narrow" in fault}
    assert at == {f"50px too wide at {where}" for where in ("390", "800", "1280", "paper")}
    assert [fault.split(":")[0].partition("at ")[2] for fault in found if "fits" in fault] == [
        "paper"
    ]


# The index of an audit takes axe-core half a minute; its templates are those of the synthetic one.
@pytest.mark.parametrize("site", ["synthetic", *["audited"] * EVERY], indirect=True)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessibility(browser: Any, site: Path, scheme: str) -> None:
    """axe-core finds nothing to object to on a page of each kind, in either colour scheme."""
    with emulated(browser, scheme=scheme):
        for page in one_of_each_kind(site):
            opened(browser, page)
            assert objections(browser) == [], page.name
