"""Loading times of the site's pages, in a browser that is slowed down like a phone."""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from playwright.sync_api import Browser, expect, sync_playwright

from benchmarks.commands import in_fresh_process
from benchmarks.result_tables import Aim, Row, Section
from tests.browser.hosting import BASE, hosted
from tests.browser.judging import PHONE, measure_shifts, shifted, without_python
from tests.browser.learner import PATIENCE_MS, Bench
from tests.browser.tools import (
    CHROMIUM_ARGUMENTS,
    MissingError,
    build_site,
    find_chromium,
    install_tools,
)

_TITLE: Final = "pages: the first visit in a browser"
_PAGES: Final = {
    "home": "",
    "track": "attention/",
    "lesson": "attention/lessons/causal-masking/",
    "exercise": "attention/scaled-scores/",
    "prediction": "attention/masked-diagonal/",
    "search": "search/",
}
# What Chromium's own tools call "Fast 4G", and a processor four times slower than this one.
_NETWORK: Final = {
    "offline": False,
    "latency": 165,
    "downloadThroughput": 8.1e6 / 8,
    "uploadThroughput": 1.35e6 / 8,
}
_CPU_SLOWDOWN: Final = 4
_SOON, _STILL, _LIGHT = 1.0, 0.02, 250
_COLD, _WARM = 5.0, 0.3
_PAINTED: Final = 'performance.getEntriesByName("first-contentful-paint")[0].startTime'

_NOTES: Final = """\
- Each visit is a first one, with nothing kept: 165 ms to an answer, 8.1 Mbit/s, and a processor
  slowed down {slower} times; 390 pixels wide. Medians.
- KB: what is transferred until the page is quiet, compressed as it was sent, without
  Python and the tests' data that it reads.
- shift: how far parts of the page jump about while it loads.
- On this machine as it is, a verdict comes {cold:.1f} s after the first click on "Check", with
  nothing kept and Python not started. On the next exercise the first click takes {turned:.0f} ms,
  and one more {warm:.0f} ms. Medians.
"""

_CHECK: Final = """
() => new Promise((resolve) => {
  const bench = document.querySelector("#bench");
  const begin = performance.now();
  new MutationObserver(() => {
    if (bench.ariaBusy === "false") resolve((performance.now() - begin) / 1000);
  }).observe(bench, {attributeFilter: ["aria-busy"]});
  [...bench.querySelectorAll("button")].find((each) => each.innerText.startsWith("Check")).click();
})
"""


@dataclass(frozen=True, slots=True)
class _Visit:
    """The time of one page."""

    painted: float  # seconds until something was drawn
    shift: float
    size: float  # bytes


@dataclass(frozen=True, slots=True)
class _Python:
    """The time from a click to its verdict, in seconds."""

    cold: float  # the first of the visit
    turned: float  # the first on the next exercise
    warm: float


def measure(*, quick: bool) -> Section:
    """Visit a page of each kind."""
    header = ("page", "first paint ms", "shift", "KB")
    try:
        executable, tools = find_chromium(), install_tools()
    except MissingError as error:
        return Section(_TITLE, header, (), f"- Not measured: {error}.\n")
    with (
        tempfile.TemporaryDirectory() as folder,
        hosted(build_site(Path(folder) / "site", tools, BASE)) as address,
    ):
        visits, uses = in_fresh_process(_visit_all, executable, address, 2 if quick else 7)
    medians = {name: _medians(found) for name, found in visits.items()}
    painted, shift, size = map(max, zip(*medians.values(), strict=True))
    cold, turned, warm = (
        median(getattr(each, name) for each in uses) for name in ("cold", "turned", "warm")
    )
    aims = [
        Aim("pages: slowest first paint", painted, _SOON, "s"),
        Aim("pages: largest shift", shift, _STILL),
        Aim("pages: heaviest, without Python", size, _LIGHT, "KB"),
        Aim("pages: click to verdict, cold", cold, _COLD, "s"),
        Aim("pages: click to verdict, warm", max(turned, warm), _WARM, "s"),
    ]
    rows = [_row(name, *figures) for name, figures in medians.items()]
    notes = _NOTES.format(slower=_CPU_SLOWDOWN, cold=cold, turned=turned * 1e3, warm=warm * 1e3)
    return Section(_TITLE, header, rows, notes, aims)


def _row(name: str, painted: float, shift: float, size: float) -> Row:
    return name, f"{painted * 1e3:.0f}", f"{shift:.3f}", f"{size:.0f}"


def _medians(found: Sequence[_Visit]) -> tuple[float, float, float]:
    """Seconds, the shift, and KB."""
    return (
        median(each.painted for each in found),
        median(each.shift for each in found),
        median(each.size for each in found) / 1e3,
    )


def _visit_all(
    executable: str, address: str, times: int
) -> tuple[dict[str, list[_Visit]], list[_Python]]:
    with sync_playwright() as playwright:
        expect.set_options(timeout=PATIENCE_MS)
        browser = playwright.chromium.launch(executable_path=executable, args=CHROMIUM_ARGUMENTS)
        visits = {
            name: [_visit(browser, address + path) for _ in range(times)]
            for name, path in _PAGES.items()
        }
        uses = [_use_python(browser, address) for _ in range(min(times, 3))]
        browser.close()
        return visits, uses


def _for_python(event: dict[str, Any]) -> list[object]:
    """Return the request's id if it is for the tests' data, which Python alone reads."""
    return [event["requestId"]] if event["response"]["url"].endswith("/engine.txt") else []


def _visit(browser: Browser, url: str) -> _Visit:
    with browser.new_context(viewport=PHONE, service_workers="block") as context:
        page = context.new_page()
        without_python(page)
        measure_shifts(page)
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", _NETWORK)
        session.send("Emulation.setCPUThrottlingRate", {"rate": _CPU_SLOWDOWN})
        loaded: list[dict[str, float]] = []
        session.on("Network.loadingFinished", lambda event: loaded.append(event))  # noqa: PLW0108  Playwright marks what it is given
        of_python: set[object] = set()
        session.on("Network.responseReceived", lambda event: of_python.update(_for_python(event)))
        page.goto(url, wait_until="networkidle")
        painted = page.evaluate(_PAINTED)
        size = sum(
            each["encodedDataLength"] for each in loaded if each["requestId"] not in of_python
        )
        return _Visit(painted / 1e3, shifted(page), size)


def _use_python(browser: Browser, address: str) -> _Python:
    with browser.new_context(base_url=address, service_workers="block") as context:
        bench = Bench(context.new_page())
        bench.page.goto(_PAGES["exercise"])
        expect(bench.editor).to_be_visible()
        cold = _check(bench)
        bench.page.get_by_role("link", name=re.compile("^Next")).click()
        expect(bench.page).not_to_have_title(re.compile("^Scale the scores"))
        bench.says("Python is ready")
        return _Python(cold, _check(bench), _check(bench))


def _check(bench: Bench) -> float:
    taken: float = bench.page.evaluate(_CHECK)
    bench.concludes("Not passed yet")
    return taken
