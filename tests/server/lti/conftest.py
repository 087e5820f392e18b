"""A served tool, and a platform on which it is registered."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from sqlalchemy import func, select

from etude_server import signed_tokens
from etude_server.lti import sender
from etude_server.settings import Settings
from etude_server.store import platforms
from etude_server.store.platforms import PlatformRegistration
from etude_server.store.tables import person, session
from tests.server.api.conftest import Served, serving
from tests.server.conftest import EXERCISES
from tests.server.lti.platform_simulator import Platform

__all__ = ["serving"]  # a fixture of the API's tests


@dataclass
class Course:
    """A course of a platform that uses the tool."""

    tool: Served
    platform: Platform

    def browser(self) -> httpx.Client:
        """Return a browser, which keeps cookies and follows no redirects."""
        client = httpx.Client(base_url=self.tool.url, timeout=120)
        self.tool.clients.append(client)
        return client

    def begin(
        self, browser: httpx.Client, headers: Mapping[str, str] | None = None, **changes: str
    ) -> dict[str, str]:
        """Begin a launch; return the tool's request to the platform."""
        hint = {
            "iss": self.platform.url,
            "client_id": self.platform.client_id,
            "login_hint": "5",
            "target_link_uri": f"{self.tool.url}/lti/launch",
            "lti_message_hint": "of the platform",
        }
        answer = browser.post("/lti/login", data=hint | changes, headers=headers)
        assert answer.status_code == httpx.codes.FOUND, answer.text
        assert answer.headers["Location"].startswith(f"{self.platform.url}/auth?")
        query = parse_qs(urlsplit(answer.headers["Location"]).query)
        return {name: values[0] for name, values in query.items()}

    def finish(
        self,
        browser: httpx.Client,
        token: str,
        state: str,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Send the platform's response back to the tool."""
        sent = {"id_token": token, "state": state}
        return browser.post("/lti/launch", data=sent, headers=headers)

    def launch(self, browser: httpx.Client, **changes: object) -> httpx.Response:
        """Launch as a platform does."""
        asked = self.begin(browser)
        token = self.platform.token(self.platform.claims(asked["nonce"], **changes))
        return self.finish(browser, token, asked["state"])

    def submit(self, browser: httpx.Client, source: str) -> str:
        """Submit from the page, and return the outcome."""
        csrf = browser.get("/v1/session").raise_for_status().json()["csrf"]
        sent = {"exercise": "attention-weights", "source": source}
        answer = browser.post("/v1/submissions", json=sent, headers={"X-CSRF-Token": csrf})
        return self.tool.outcome(browser, answer.raise_for_status().headers["Location"])

    def count(self) -> tuple[int, int]:
        """Count the people and the sessions."""
        with self.tool.context.database.read() as connection:
            people = connection.execute(select(func.count()).select_from(person)).scalar_one()
            sessions = connection.execute(select(func.count()).select_from(session)).scalar_one()
        return people, sessions


def wait_for(true: Callable[[], object]) -> None:
    """Wait until a condition is true."""
    for _ in range(2400):
        if true():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come about within two minutes")


@pytest.fixture(scope="module")
def tool(
    serving: Callable[[Settings], Served], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Served]:
    """A server with short pauses between sends and retries."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sender, "POLL_SECONDS", 0.05)
        patch.setattr(sender, "FIRST_PAUSE_SECONDS", 0.05)
        patch.setattr(signed_tokens, "REFETCH_SECONDS", 0.0)
        folder = tmp_path_factory.mktemp("tool")
        url = f"sqlite:///{folder}/etude.db"
        yield serving(Settings(url, (EXERCISES,), workers=1, per_minute=10_000))


@pytest.fixture
def fresh_course(tool: Served) -> Iterator[Callable[[], Course]]:
    """Make platforms on which the tool is registered."""
    made: list[Platform] = []

    def make() -> Course:
        platform = Platform(tool_keys=f"{tool.url}/lti/jwks.json")
        made.append(platform)
        with tool.context.database.write() as connection:
            url = platform.url
            wanted = PlatformRegistration(
                url, platform.client_id, f"{url}/auth", f"{url}/token", f"{url}/jwks", url
            )
            platforms.register_platform(connection, wanted, [platform.deployment], actor="test")
        return Course(tool, platform)

    yield make
    for platform in made:
        platform.close()


@pytest.fixture
def course(fresh_course: Callable[[], Course]) -> Course:
    """A course of a fresh platform."""
    return fresh_course()
