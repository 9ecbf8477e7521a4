"""Pages of a site fit every screen and paper, and are small; one of each kind is accessible.

The sites are a synthetic one with every part of a record, and that of `out/audit.json`, which an
audit of everything leaves.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from batches import share
from browsing import emulated, needs_browser, objections, opened, too_wide

from audit.verdict import VERDICTS

pytestmark = needs_browser
EVERY = "TWOFOLD_ALL_PAGES" in os.environ
"""Whether all pages are opened, whatever it takes, and axe-core looks at the audited site as well."""
SHARE = 1 if EVERY else 36
"""Of so many claims and lemmas one is opened: templates and printers are the same for all."""
PARTS = 4
"""In which pages are looked at, side by side."""
LARGEST = 1_500_000
"""Bytes of a page that opens within a second."""


def pages_of(site: Path) -> list[Path]:
    """All pages: overviews, papers, claims and lemmas."""
    return sorted(site.rglob("*.html"))


def looked_at(site: Path) -> list[Path]:
    """Overviews and papers, and of claims and lemmas a share that the text of each page decides."""
    pages = pages_of(site)
    alike = [page for page in pages if page.parent.name in {"claims", "lemmas"}]
    some = share(alike, SHARE, lambda page: page.read_text(encoding="utf-8"))
    return sorted(set(pages).difference(alike).union(some))


def one_of_each_kind(site: Path) -> list[Path]:
    """The index and its like, one paper, one lemma, and for every verdict one claim."""
    text = (site / "index.html").read_text(encoding="utf-8")
    claims = [
        re.search(rf'<span class="badge {v}">[^\n]*?<a href="(claims/[^"]+)"', text)
        for v in VERDICTS
    ]
    found = ["index.html", "coverage.html", "figures.html", "error-rates.html", "benchmarks.html"]
    found += [c[1] for c in claims if c]
    of_folders = (min(site.glob(f"{folder}/*.html")) for folder in ("papers", "lemmas"))
    return [*(site / name for name in found), *of_folders]


@pytest.mark.parametrize("part", range(PARTS))
def test_nothing_is_wider_than_its_box(browser: Any, site: Path, part: int, tmp_path: Path) -> None:
    """At 390, 800 and 1280 pixels and on paper; no page scrolls sideways."""
    assert too_wide(browser, looked_at(site)[part::PARTS], tmp_path / "host.html") == {}


def test_no_page_is_too_large_to_open_at_once(site: Path) -> None:
    sizes = {page.name: page.stat().st_size for page in pages_of(site)}
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}


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
