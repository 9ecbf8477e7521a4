"""A headless browser for tests of the site, and what they ask of every page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
needs_browser = [
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="needs chromium and chromedriver"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--hide-scrollbars",
    "--allow-file-access-from-files",  # one page of the tests looks into many of the site
)  # fmt: skip
WIDTHS = (390, 800, 1280)
PAPER = 718
"""Pixels between the margins of a printed A4 page."""
AT_ONCE = 20
"""Pages that are open at one time."""
BYTES_AT_ONCE = 8_000_000
"""Bytes of these pages, all together: a command to the browser may take two minutes."""


def started(profile: Path) -> Any:
    """A running browser with a profile of its own, whose console and requests are recorded."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER or ""
    for flag in (*QUIET, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    driver.set_window_size(1200, 900)
    driver.set_script_timeout(120)
    return driver


def opened(browser: Any, page: Path, fragment: str = "") -> None:
    """Open a page afresh, from disk."""
    browser.get("about:blank")
    browser.get(f"{page.as_uri()}{fragment}")


@contextmanager
def emulated(browser: Any, media: str = "screen", scheme: str = "light") -> Iterator[None]:
    """The browser in print, or in a colour scheme."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})


@contextmanager
def sized(browser: Any, width: int) -> Iterator[None]:
    """The browser on a screen of another width."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    try:
        yield
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def objections(browser: Any) -> list[str]:
    """What axe-core objects to on the page that is open, with a letter in the place of each formula."""
    axe = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    browser.execute_script(axe)
    # MathML has no roles of ARIA, and its thousands of elements would take minutes.
    browser.execute_script("document.querySelectorAll('math').forEach(m => m.replaceWith('x'))")
    return browser.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run().then(r => done(r.violations.map(v => v.id + ': ' + v.nodes[0].html)))"
    )


def batches(pages: Sequence[Path]) -> Iterator[list[Path]]:
    """Pages in their order, as many together as the browser takes; a larger one alone."""
    batch: list[Path] = []
    for page in pages:
        size = sum(other.stat().st_size for other in (*batch, page))
        if batch and (len(batch) == AT_ONCE or size > BYTES_AT_ONCE):
            yield batch
            batch = []
        batch.append(page)
    if batch:
        yield batch


def too_wide(browser: Any, pages: Sequence[Path], host: Path) -> dict[str, list[str]]:
    """What does not fit on these pages, on screens of `WIDTHS` and on paper, by page.

    The pages are opened in frames of `host`, a file that is written; each is loaded once.
    """
    host.write_text("<!doctype html><meta charset=utf-8><link rel=icon href='data:,'>", "utf-8")
    browser.get(host.as_uri())
    browser.execute_script(_FRAMES)
    found: dict[str, list[str]] = {}
    for batch in batches(pages):
        some = [page.as_uri() for page in batch]
        browser.execute_async_script("frames_open(arguments[0]).then(arguments[1])", some)
        faults = browser.execute_script("return frames_faults(arguments[0], false)", WIDTHS)
        with emulated(browser, "print"):
            faults += browser.execute_script("return frames_faults(arguments[0], true)", [PAPER])
        browser.execute_script("document.body.replaceChildren()")
        for page, fault in faults:
            found.setdefault(page.rpartition("/")[2], []).append(fault)
    return found


_FRAMES = r"""
window.frames_open = (pages) => Promise.all(pages.map((page) => new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.style = "border: 0; width: 1280px; height: 800px";
  frame.onload = () => done();
  frame.src = page;
  document.body.append(frame);
})));

// Boxes whose content is wider than they are.  Formulas, pictures and parts of lines are looked at by
// the box around them.  On a screen a box that scrolls may hold more than it shows; on paper none does.
window.frames_faults = (widths, paper) => [...document.querySelectorAll("iframe")].flatMap((frame) =>
  widths.flatMap((width) => {
    frame.style.width = `${width}px`;
    const view = frame.contentWindow, page = frame.contentDocument;
    const wide = new Map(), root = page.documentElement;
    if (root.scrollWidth > root.clientWidth + 1) wide.set(root, root.scrollWidth - root.clientWidth);
    const scrolling = new Map();
    const within = (e) => {
      if (e.clientWidth === 1 && e.clientHeight === 1) return true;  // for screen readers alone
      if (paper) return false;
      if (!scrolling.has(e)) scrolling.set(e, /auto|scroll/.test(view.getComputedStyle(e).overflowX));
      return scrolling.get(e);
    };
    const { SHOW_ELEMENT, FILTER_REJECT, FILTER_ACCEPT } = NodeFilter;
    const whole = (e) => within(e.parentNode) || /^(math|svg)$/.test(e.localName);
    const take = (e) => whole(e) ? FILTER_REJECT : FILTER_ACCEPT;
    const walk = page.createTreeWalker(page.body, SHOW_ELEMENT, take);
    for (let e = walk.nextNode(); e; e = walk.nextNode()) {
      const by = e.clientWidth && e.scrollWidth - e.clientWidth;
      if (by > 1 && !within(e) && view.getComputedStyle(e).display !== "inline-block") wide.set(e, by);
    }
    for (const [e] of wide) for (let p = e.parentElement; p; p = p.parentElement) wide.delete(p);
    const at = paper ? "paper" : width;
    const said = (e) => `${e.cloneNode().outerHTML.slice(0, 120)} ${e.textContent.slice(0, 60)}`;
    return [...wide].slice(0, 3).map(([e, by]) => [frame.src, `${by}px too wide at ${at}: ${said(e)}`]);
  }));
"""
