"""Python in a worker of a page, driven as the page drives it: by messages to the worker."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from playwright.sync_api import Page

_START: Final = """
(script) => new Promise((resolve, reject) => {
  const {pyodide, bundle} = document.documentElement.dataset;
  const absolute = (address) => new URL(address, document.baseURI).href;
  const worker = new Worker(absolute(script), {type: "module"});
  let answer = ({kind, reason}) => (kind === "ready" ? resolve() : reject(new Error(reason)));
  let number = 0;
  worker.onmessage = ({data}) => answer(data);
  worker.onerror = ({message}) => reject(new Error(message));
  globalThis.etudeCall = (...call) => new Promise((resolve, reject) => {
    answer = ({kind, text, reason}) => (kind === "result" ? resolve(text) : reject(new Error(reason)));
    worker.postMessage({kind: "call", id: ++number, call});
  });
  const start = {kind: "start", pyodide: absolute(pyodide), bundle: absolute(bundle), packages: []};
  worker.postMessage(start);
})
"""


@dataclass(frozen=True)
class Interpreter:
    """Python, started on a page of the site.

    Args:
        page: Where; any page of the site.
    """

    page: Page

    @classmethod
    def start(cls, page: Page, site: Path) -> Self:
        """Start Python, with nothing open."""
        (script,) = site.glob("assets/python-worker*.js")
        page.evaluate(_START, f"assets/{script.name}")
        return cls(page)

    def open_exercise(self, engine: str) -> None:
        """Make this the exercise that is checked."""
        self._call("open_exercise", engine)

    def check(self, source: str) -> dict[str, Any]:
        """Return the verdict on a submission."""
        found: dict[str, Any] = json.loads(self._call("check", source))
        return found

    def _call(self, *call: str) -> str:
        found: str = self.page.evaluate("(call) => etudeCall(...call)", call)
        return found
