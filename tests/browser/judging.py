"""Judgement of a page: by axe, by measures of our own, and by eye."""

import json
import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from playwright.sync_api import BrowserContext, Page, ViewportSize

from tests.browser.tools import ROOT, Tools

PHONE: Final[ViewportSize] = {"width": 390, "height": 844}
DESK: Final[ViewportSize] = {"width": 1280, "height": 900}
Theme: TypeAlias = Literal["light", "dark"]
LIGHT: Final[Theme] = "light"
DARK: Final[Theme] = "dark"
THEMES: Final = (LIGHT, DARK)
# What depends on the size seldom depends on the theme, so that two of four looks show nearly all.
LOOKS: Final = ((PHONE, LIGHT), (DESK, DARK))

_TALL: Final = 1800
SCREENSHOTS: Final = ROOT / "build" / "screenshots"

# Everything axe knows, best practices with it, but what it cannot tell without a person.
# Styles are brought up to date first, since a change of theme begins its fades only then. A fade can
# begin another in what inherits from it, hence the loop; what spins without end is no fade. Fades are
# ended and not awaited: a page without frames never ends them.
_SETTLE: Final = """
() => {
  const fading = () => {
    document.body.getBoundingClientRect();
    return document.getAnimations().filter((each) => each instanceof CSSTransition);
  };
  for (let left = fading(); left.length > 0; left = fading()) left.forEach((each) => each.finish());
}
"""
_RUN_AXE: Final = """
async () => (await axe.run({resultTypes: ["violations"]})).violations
  .map(({id, help, nodes}) => ({id, help, where: nodes.map(({html, any, all, none}) =>
    `${html.slice(0, 200)}: ${[...any, ...all, ...none].map(({message}) => message)[0]}`)}))
"""
_OVERFLOW: Final = """
() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll("body *")]
    .filter((each) => each.getBoundingClientRect().right > width + 1)
    .map((each) => each.outerHTML.slice(0, 150));
}
"""
# Mostly there is an outline. Else it, or something around it, must look different without the focus.
_FOCUSED: Final = """
async () => {
  const it = document.activeElement;
  const around = [];
  for (let each = it; each; each = each.parentElement) around.push(each);
  const pause = () => new Promise((go) => setTimeout(go, 100));
  const look = () => JSON.stringify(around.flatMap((each) => ["", "::after"].map((part) => {
    const {outline, border, boxShadow, content} = getComputedStyle(each, part);
    return [outline, border, boxShadow, content];
  })));
  const {outlineStyle, outlineWidth} = getComputedStyle(it);
  let isSeen = outlineStyle !== "none" && parseFloat(outlineWidth) >= 2;
  if (!isSeen && it !== document.body) {
    await pause();
    const focused = look();
    it.blur();
    await pause();
    isSeen = look() !== focused;
    it.focus({preventScroll: true});
  }
  return {what: it.outerHTML.slice(0, 200), is_none: it === document.body, is_seen: isSeen,
    is_in_head: it.closest("body > header") !== null};
}
"""
_WATCH_SHIFTS: Final = """
globalThis.etudeShift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) globalThis.etudeShift += entry.value;
  }
}).observe({type: "layout-shift", buffered: true});
"""


@dataclass(frozen=True)
class Focus:
    """What has the focus: the start of its HTML, and whether it can be seen to have it."""

    what: str
    is_none: bool  # the page itself
    is_seen: bool
    is_in_head: bool  # of the page


@cache
def _axe(path: Path) -> str:
    return path.read_text("utf-8")


def barriers(page: Page, tools: Tools) -> str:
    """Return what axe finds wrong with the page once nothing fades, a line for each place; or nothing."""
    # A colour halfway from one theme to the other is no colour of the page's.
    page.evaluate(_SETTLE)
    page.evaluate(_axe(tools.packages / "axe-core" / "axe.min.js"))
    found: list[dict[str, Any]] = page.evaluate(_RUN_AXE)
    lines = [f"{each['id']}: {where}" for each in found for where in each["where"]]
    return "\n".join(lines)


def overflowing(page: Page) -> list[str]:
    """Return what makes a page wider than its window; nothing if it is not."""
    found: list[str] = page.evaluate(_OVERFLOW)
    return found


def measure_shifts(page: Page) -> None:
    """From the next page on, add up how far its parts jump about."""
    page.add_init_script(_WATCH_SHIFTS)


def shifted(page: Page) -> float:
    """Return by how much the page jumped about since it was opened."""
    found: float = page.evaluate("globalThis.etudeShift")
    return found


def shoot(page: Page, name: str) -> None:
    """Keep a picture of the whole page, named by its width and theme as well.

    Only where ETUDE_SCREENSHOTS is 1: pictures take as long as what is tested on them.
    """
    if os.environ.get("ETUDE_SCREENSHOTS") != "1":
        return
    size = page.viewport_size
    assert size
    theme = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    place = page.evaluate("scrollY")
    page.set_viewport_size({"width": size["width"], "height": _TALL})  # what scrolls by itself too
    page.evaluate("scrollTo(0, 0)")  # what sticks to the window is in its own place there
    page.screenshot(path=SCREENSHOTS / f"{name}-{size['width']}-{theme}.png", full_page=True)
    page.set_viewport_size(size)
    page.evaluate("(y) => scrollTo(0, y)", place)


def judge(page: Page, tools: Tools, name: str) -> None:
    """Keep pictures, and assert that nobody meets a barrier and the page is no wider than its window."""
    for size, theme in LOOKS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=theme)
        shoot(page, name)
        assert barriers(page, tools) == ""
        assert overflowing(page) == []


def without_python(page: Page | BrowserContext) -> None:
    """Keep the Python of pages from starting, where a test looks at something else."""
    page.add_init_script("globalThis.Worker = class { postMessage() {} terminate() {} };")


def pretend_python(page: Page, answer: str | None) -> None:
    """Put a worker in Python's place that answers whatever it is asked with this, or never."""
    page.add_init_script(f"""globalThis.Worker = class {{
      postMessage({{kind, id, call}}) {{
        const text = call?.[0].startsWith("open_") ? "" : {json.dumps(answer)};
        const started = {{kind: "ready", names: "{{}}"}};
        const data = kind === "start" ? started : {{kind: "result", id, text, heap: 1}};
        if (kind === "start" || text !== null) setTimeout(() => this.onmessage({{data}}));
      }}
      terminate() {{}}
    }};""")


def open_settled(page: Page, path: str) -> None:
    """Open a page, and wait until its fonts are in use and it was drawn with them."""
    page.goto(path)
    page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")


def open_without_python(page: Page, path: str) -> None:
    """Open a page whose Python has no part in what is tested, and wait until it is drawn."""
    without_python(page)
    open_settled(page, path)


def focused(page: Page) -> Focus:
    """Tell what has the focus."""
    return Focus(**page.evaluate(_FOCUSED))
