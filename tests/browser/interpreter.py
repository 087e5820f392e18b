"""Python in a worker of a page, driven as the page drives it: by messages to the worker."""

import json
from dataclasses import dataclass
from typing import Any, Final, Self

from playwright.sync_api import Page

# The page opens its own exercise first; the answer to that is the first result.
_WATCH: Final = """
globalThis.Worker = class extends Worker {
  constructor(...given) {
    super(...given);
    const {promise, resolve, reject} = Promise.withResolvers();
    this.addEventListener("message", ({data: {kind, reason}}) => {
      if (kind === "result") resolve();
      if (kind === "failed" || kind === "broken") reject(new Error(reason));
    });
    globalThis.etudeStarted = promise;
    let number = 1e6;
    globalThis.etudeCall = (...call) => new Promise((resolve, reject) => {
      const id = ++number;
      this.addEventListener("message", ({data: {kind, text, reason}}) => {
        kind === "result" ? resolve(text) : reject(new Error(reason));
      }, {once: true});
      this.postMessage({kind: "call", id, call});
    });
  }
};
"""


@dataclass(frozen=True)
class Interpreter:
    """Python, started by a page of the site.

    Args:
        page: The page; it shows an exercise.
    """

    page: Page

    @classmethod
    def start(cls, page: Page, address: str) -> Self:
        """Open the page of an exercise, and take its Python over."""
        page.add_init_script(_WATCH)
        with page.expect_worker():
            page.goto(address)
        page.evaluate("etudeStarted")
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
