"""Events that are errors on every page, whatever a test does."""

import re
from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Request, WebError

# Violations are also logged, but the event names the violated rule.
_REPORT_VIOLATIONS: Final = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} keeps out ${event.blockedURI}`));
"""


_BY_PLAYWRIGHT: Final = "Service Worker registration blocked by Playwright"


class Watch:
    """Collects everything that goes wrong in a browser context.

    These are errors and warnings on the console, uncaught exceptions, requests to other hosts,
    violations of the page's security policy, and dialogs.

    Args:
        context: The browser context.
        address: The site's address.
        expected: A pattern of errors that the test causes on purpose.
    """

    def __init__(self, context: BrowserContext, address: str, expected: str = "") -> None:
        self._host = urlsplit(address).netloc
        self._complaints: list[str] = []
        self._expected = expected
        context.add_init_script(_REPORT_VIOLATIONS)
        context.on("console", self._console)
        context.on("weberror", self._error)
        context.on("request", self._request)
        context.on("dialog", self._dialog)

    @property
    def complaints(self) -> list[str]:
        """The unexpected errors."""
        if not self._expected:
            return self._complaints
        return [text for text in self._complaints if not re.search(self._expected, text)]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning", "assert"} and message.text != _BY_PLAYWRIGHT:
            place = message.location.get("url", "")
            self._complaints.append(f"console {message.type}: {message.text} ({place})")

    def _error(self, error: WebError) -> None:
        self._complaints.append(f"not caught: {error.error}")

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in {"data", "blob"} and parts.netloc != self._host:
            self._complaints.append(f"request to another site: {request.url}")

    def _dialog(self, dialog: Dialog) -> None:
        self._complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()
