"""Events that are an error on every page, whatever a test does there."""

import re
from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Request, WebError

# A violation is logged as well, but the event also tells which rule it broke.
_REPORT_VIOLATIONS: Final = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} keeps out ${event.blockedURI}`));
"""


_BY_PLAYWRIGHT: Final = "Service Worker registration blocked by Playwright"


class Watch:
    """Collects what goes wrong in a browser context.

    Errors and warnings on the console, exceptions that no one caught, requests to anywhere but
    the site, violations of the page's security policy, and dialogs.

    Args:
        context: Of a browser.
        address: The site's.
        expected: A pattern of what may go wrong, since the test brings it about.
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
        """What went wrong and was not expected."""
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
