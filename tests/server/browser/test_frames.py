"""A launch in a frame of another site, in a browser that blocks the cookies of such frames."""

from collections.abc import Iterator
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Browser, Route, expect

from etude_server.store import platforms
from etude_server.store.platforms import PlatformRegistration
from tests.browser.judging import without_python
from tests.server.browser.conftest import Served
from tests.server.lti.platform_simulator import Platform

pytestmark = pytest.mark.slow

COURSE = "https://course.example"  # answered by the test; the server is another site to it


@pytest.fixture
def platform(served: Served) -> Iterator[Platform]:
    """A platform that the server knows; its keys are real, its pages are the test's."""
    made = Platform()
    try:
        urls = (f"{COURSE}/auth", f"{COURSE}/token", f"{made.url}/jwks", made.url)
        wanted = PlatformRegistration(made.url, made.client_id, *urls)
        with served.database.write() as connection:
            platforms.register_platform(connection, wanted, [made.deployment], actor="test")
        yield made
    finally:
        made.close()


def test_an_exercise_opens_in_a_new_window(
    browser: Browser, served: Served, platform: Platform
) -> None:
    """The frame says why it shows no exercise; in the new window the launch succeeds."""
    hint = {
        "iss": platform.url,
        "client_id": platform.client_id,
        "login_hint": "5",
        "target_link_uri": f"{served.url}lti/launch",
    }

    def answer(route: Route) -> None:
        asked = {n: v[0] for n, v in parse_qs(urlsplit(route.request.url).query).items()}
        if not route.request.url.startswith(f"{COURSE}/auth"):
            text = f'<iframe src="{served.url}lti/login?{urlencode(hint)}" width="800"></iframe>'
        else:
            token = platform.token(platform.claims(asked["nonce"]))
            text = (
                f'<form method="post" action="{asked["redirect_uri"]}">'
                f'<input name="id_token" value="{token}"><input name="state" value="{asked["state"]}">'
                "</form><script>document.forms[0].submit()</script>"
            )
        route.fulfill(body=f"<!DOCTYPE html>{text}", content_type="text/html")

    # The course is a public site to Chromium, which asks before such a site reaches this machine.
    context = browser.new_context(permissions=["local-network-access"])
    without_python(context)
    context.route(f"{COURSE}/**", answer)
    page = context.new_page()
    page.goto(f"{COURSE}/week-3")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("alert")).to_contain_text("blocks the cookies of this frame")
    with page.expect_popup() as opened:
        frame.get_by_role("link", name="Open the exercise in a new window").click()
    expect(opened.value.get_by_role("heading", level=1)).to_have_text("Compute attention weights")
    expect(opened.value.locator(".account")).to_contain_text("Signed in as")
    context.close()
