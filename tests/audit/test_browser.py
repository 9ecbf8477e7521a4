"""The site in a real browser, opened from disk: search, filters, graph, keyboard, accessibility."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest
from synthetic import document

from audit.site.build import build

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = [
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="needs chromium and chromedriver"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage",
)  # fmt: skip


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build(document(500), folder)
    return folder


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER or ""
    for flag in (*QUIET, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=Service(DRIVER))
    started.set_window_size(1200, 900)
    yield started
    started.quit()


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


def opened(browser: Any, page: Path, fragment: str = "") -> None:
    browser.get("about:blank")
    browser.get(f"{page.as_uri()}{fragment}")


def visible_rows(browser: Any) -> list[str]:
    return browser.execute_script(
        "return [...document.querySelectorAll('#rows li')].filter(r => r.offsetParent)"
        ".map(r => r.querySelector('code').textContent)"
    )


def element(browser: Any, selector: str) -> Any:
    return browser.find_element("css selector", selector)


def test_search_answers_as_one_types(browser: Any, site: Path) -> None:
    opened(browser, site / "index.html")
    assert len(visible_rows(browser)) == 500
    started = perf_counter()
    element(browser, "#search").send_keys("claim-124")
    assert visible_rows(browser) == [f"paper{p}.claim-124" for p in range(4)]
    assert perf_counter() - started < 1.0
    assert element(browser, "#shown").text == "4 of 500 statements"
    assert browser.current_url.endswith("#search=claim-124")


def test_filters_combine_and_stay_in_the_address(browser: Any, site: Path) -> None:
    opened(browser, site / "index.html", "#paper=paper1&verdict=refuted&search=claim-1")
    rows = visible_rows(browser)
    assert rows
    assert all(row.startswith("paper1.claim-1") for row in rows)
    element(browser, "button[type=reset]").click()
    browser.execute_script("return new Promise(done => setTimeout(done, 50))")
    assert len(visible_rows(browser)) == 500


def test_keyboard_reaches_search_and_a_claim(browser: Any, site: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    opened(browser, site / "index.html")
    element(browser, "body").send_keys("/")
    focused = browser.switch_to.active_element
    assert focused.get_attribute("id") == "search"
    focused.send_keys("claim-3 paper2 note", Keys.ENTER)
    assert browser.current_url.startswith((site / "index.html").as_uri())
    link = next(a for a in browser.find_elements("css selector", "#rows a") if a.is_displayed())
    link.send_keys(Keys.ENTER)
    assert "/claims/paper2.claim-3" in browser.current_url
    element(browser, "body").send_keys(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("class") == "skip"


def test_graph_focuses_on_one_claim_and_its_chain(browser: Any, site: Path) -> None:
    from selenium.webdriver.common.keys import Keys

    opened(browser, site / "papers" / "paper0.html", "#paper0.claim-20")
    lit = browser.find_elements("css selector", "#graph .node.lit")
    assert element(browser, "#graph .node.centre").get_attribute("data-id") == "paper0.claim-20"
    # Each claim uses the one before it, so that everything before and after is linked to this one.
    assert len(lit) == 125
    assert element(browser, "#focused").text == "paper0.claim-20: rests on 20, 104 rest on it"
    element(browser, "#unfocus").click()
    assert browser.find_elements("css selector", "#graph.focused") == []
    before = element(browser, "#graph").size["width"]
    element(browser, "#canvas").send_keys("+")
    assert element(browser, "#graph").size["width"] > before
    node = element(browser, "#graph .node")
    browser.execute_script("arguments[0].focus()", node)
    browser.switch_to.active_element.send_keys("f")
    assert element(browser, "#focus").get_attribute("value") == node.get_attribute("data-id")
    browser.switch_to.active_element.send_keys(Keys.ENTER)


def test_claim_page_is_ready_within_a_second(browser: Any, site: Path) -> None:
    opened(browser, site / "claims" / "paper0.claim-2.html")
    took = browser.execute_script(
        "const t = performance.getEntriesByType('navigation')[0]; return t.loadEventEnd - t.startTime"
    )
    assert took < 1000
    assert element(browser, "math").size["height"] > 10


@pytest.mark.parametrize("width", [360, 1200])
def test_pages_fit_the_screen(browser: Any, site: Path, width: int) -> None:
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    try:
        for page in (
            "index.html",
            "claims/paper0.claim-2.html",
            "papers/paper0.html",
            "coverage.html",
        ):
            opened(browser, site / page)
            wide = browser.execute_script("return document.documentElement.scrollWidth")
            assert wide <= width, (page, wide)
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "page", ["index.html", "claims/paper0.claim-2.html", "papers/paper0.html", "coverage.html"]
)
def test_accessibility(browser: Any, site: Path, page: str, scheme: str) -> None:
    """axe-core finds nothing to object to, in either colour scheme."""
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    opened(browser, site / page)
    axe = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    browser.execute_script(axe)
    found = browser.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run().then(r => done(r.violations.map(v => v.id + ': ' + v.nodes[0].html)))"
    )
    assert found == []
