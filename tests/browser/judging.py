"""Checks of a page: by axe, by our own measurements, and by eye on screenshots."""

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
# Size and theme rarely interact, so two of the four combinations show almost everything.
LOOKS: Final = ((PHONE, LIGHT), (DESK, DARK))

_TALL: Final = 1800
SCREENSHOTS: Final = ROOT / "build" / "screenshots"

# All of axe's rules, including best practices, except those that need a person to decide.
# Styles are updated first, because a change of theme starts its transitions only then. A transition
# may start another one in an element that inherits from it, hence the loop; endless animations do
# not count. Transitions are finished, not awaited, because a page without frames never ends them.
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
# Usually there is an outline. Otherwise the element or one around it must change with the focus.
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
    """The focused element: the start of its HTML, and whether its focus is visible."""

    what: str
    is_none: bool  # the page itself has the focus
    is_seen: bool
    is_in_head: bool  # in the page's header


@cache
def _axe(path: Path) -> str:
    return path.read_text("utf-8")


def barriers(page: Page, tools: Tools) -> str:
    """Return axe's complaints about the page, one per line, once its transitions have ended."""
    # A colour halfway between two themes does not belong to the page.
    page.evaluate(_SETTLE)
    page.evaluate(_axe(tools.packages / "axe-core" / "axe.min.js"))
    found: list[dict[str, Any]] = page.evaluate(_RUN_AXE)
    lines = [f"{each['id']}: {where}" for each in found for where in each["where"]]
    return "\n".join(lines)


def overflowing(page: Page) -> list[str]:
    """Return the elements that make a page wider than its window, or nothing."""
    found: list[str] = page.evaluate(_OVERFLOW)
    return found


def measure_shifts(page: Page) -> None:
    """Sum up the layout shifts from the next page on."""
    page.add_init_script(_WATCH_SHIFTS)


def shifted(page: Page) -> float:
    """Return the sum of the layout shifts since the page was opened."""
    found: float = page.evaluate("globalThis.etudeShift")
    return found


def shoot(page: Page, name: str) -> None:
    """Save a screenshot of the whole page, named also by its width and theme.

    Only with ETUDE_SCREENSHOTS=1, because screenshots take as long as the tests.
    """
    if os.environ.get("ETUDE_SCREENSHOTS") != "1":
        return
    size = page.viewport_size
    assert size
    theme = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'")
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    place = page.evaluate("scrollY")
    # Boxes that scroll by themselves are included, too.
    page.set_viewport_size({"width": size["width"], "height": _TALL})
    # Elements that stick to the window are in their normal place there.
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=SCREENSHOTS / f"{name}-{size['width']}-{theme}.png", full_page=True)
    page.set_viewport_size(size)
    page.evaluate("(y) => scrollTo(0, y)", place)


def judge(page: Page, tools: Tools, name: str) -> None:
    """Save screenshots, and assert that the page has no barriers and fits its window."""
    for size, theme in LOOKS:
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=theme)
        shoot(page, name)
        assert barriers(page, tools) == ""
        assert overflowing(page) == []


def without_python(page: Page | BrowserContext) -> None:
    """Keep the Python of pages from starting, in tests of something else."""
    page.add_init_script("globalThis.Worker = class { postMessage() {} terminate() {} };")


def pretend_python(page: Page, answer: str | None) -> None:
    """Replace Python by a worker that gives this answer to every call, or never answers."""
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
    """Open a page, and wait until it is drawn with its fonts."""
    page.goto(path)
    page.evaluate("document.fonts.ready.then(() => new Promise(requestAnimationFrame))")


def open_without_python(page: Page, path: str) -> None:
    """Open a page without Python, and wait until it is drawn."""
    without_python(page)
    open_settled(page, path)


def focused(page: Page) -> Focus:
    """Return a description of the focused element."""
    return Focus(**page.evaluate(_FOCUSED))
