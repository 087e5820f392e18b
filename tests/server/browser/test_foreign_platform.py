"""Launch, Deep Linking and grades with a learning platform whose protocol others wrote."""

import socket
from collections.abc import Iterator
from threading import Thread
from typing import Any
from urllib.parse import parse_qsl

import pytest
import uvicorn
from cryptography.hazmat.primitives import serialization
from fastapi import FastAPI, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from lti1p3platform.ltiplatform import LTI1P3PlatformConfAbstract
from lti1p3platform.message_launch import LTIAdvantageMessageLaunchAbstract
from lti1p3platform.oidc_login import OIDCLoginAbstract
from lti1p3platform.registration import Registration
from lti1p3platform.request import Request as Sent
from lti1p3platform.score import UpdateScoreStatus
from lti1p3platform.service_connector import AssignmentsGradesService
from playwright.sync_api import expect

from etude_server.store import platforms
from etude_server.store.platforms import PlatformRegistration
from tests.browser.conftest import NewContext
from tests.browser.judging import without_python
from tests.browser.learner import Bench
from tests.server.browser.conftest import Served
from tests.server.lti.conftest import wait_for
from tests.server.lti.platform_simulator import STUDENT, TEACHER, shared_key

pytestmark = pytest.mark.slow

_FORM = """<form method="post" action="{launch_url}"><input name="id_token" value="{id_token}">
<input name="state" value="{state}"></form><script>document.forms[0].submit()</script>"""


class _Platform(LTI1P3PlatformConfAbstract):  # type: ignore[misc]  # it comes without types
    """A course whose links are those that its teacher chose."""

    def init_platform_config(self, *, url: str, tool: str) -> None:
        self.url, self.links, self.scores = url, list[dict[str, Any]](), list[dict[str, Any]]()
        key, pem = shared_key(), serialization.Encoding.PEM
        form, secret = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        public = serialization.PublicFormat.SubjectPublicKeyInfo
        self._registration = (
            Registration()
            .set_iss(url)
            .set_client_id("etude")
            .set_deployment_id("1")
            .set_oidc_login_url(f"{tool}lti/login")
            .set_launch_url(f"{tool}lti/launch")
            .set_deeplink_launch_url(f"{tool}lti/launch")
            .set_tool_key_set_url(f"{tool}lti/jwks.json")
            .set_platform_private_key(key.private_bytes(pem, form, secret).decode())
            .set_platform_public_key(key.public_key().public_bytes(pem, public).decode())
        )

    def get_registration_by_params(self, **_: object) -> Registration:
        return self._registration


class _Sent(Sent):  # type: ignore[misc]  # it comes without types
    def build_metadata(self, request: dict[str, Any]) -> dict[str, Any]:
        return request


class _Login(OIDCLoginAbstract):  # type: ignore[misc]  # it comes without types
    def set_lti_message_hint(self, **hint: str) -> None:
        self._lti_message_hint = hint["link"]

    def get_redirect(self, url: str) -> str:
        return url


class _Launch(LTIAdvantageMessageLaunchAbstract):  # type: ignore[misc]  # it comes without types
    """`choose` asks the tool for links; a number is the link that was chosen so."""

    def prepare_launch(self, preflight_response: dict[str, Any]) -> None:
        role = TEACHER if preflight_response["login_hint"] == "teacher" else STUDENT
        url, link = self._platform_config.url, preflight_response["lti_message_hint"]
        self.set_user_data(preflight_response["login_hint"], [role])
        self.set_launch_context_claim("course-1")
        if link == "choose":
            self.set_dl(f"{url}/links", accept_types={"ltiResourceLink"})
            return
        chosen = self._platform_config.links[int(link)]
        self.set_launch_url(chosen["url"])
        self.set_resource_link_claim(f"link-{link}")
        self.set_custom_parameters_claim(chosen["custom"])
        self.set_ags(f"{url}/lines", f"{url}/lines/{link}")

    def render_launch_form(self, launch_data: dict[str, Any], **_: object) -> str:
        return _FORM.format_map(launch_data)


class _Grades(AssignmentsGradesService):  # type: ignore[misc]  # it comes without types
    def update_score(self, line_item_id: str, score: dict[str, Any]) -> UpdateScoreStatus:
        self.platform_config.scores.append({"line": line_item_id, **score})
        return UpdateScoreStatus.SUCCESS

    find_lineitems = find_lineitem = create_lineitem = None
    update_lineitem = delete_lineitem = get_results = None


def _app(platform: _Platform) -> FastAPI:
    """Return the platform's pages."""
    app = FastAPI()
    app.get("/jwks")(platform.get_jwks)

    @app.get("/open")
    def start(who: str, link: str) -> Response:
        login = _Login(None, platform)
        login.set_lti_message_hint(link=link)
        return RedirectResponse(login.initiate_login(who))

    @app.get("/auth")
    def authenticate(request: Request) -> Response:
        sent = _Sent({"get_data": dict(request.query_params)})
        return HTMLResponse(_Launch(sent, platform).lti_launch())

    @app.post("/token")
    async def grant(request: Request) -> object:
        return platform.get_access_token(dict(parse_qsl((await request.body()).decode())))

    @app.post("/links")
    async def link(request: Request) -> Response:
        sent = dict(parse_qsl((await request.body()).decode()))
        platform.links += platform.validate_deeplinking_resp(sent)
        return HTMLResponse("<h1>The links are made</h1>")

    @app.post("/lines/{line}/scores")
    async def take(line: str, request: Request) -> Response:
        sent = {"method": "POST", "headers": request.headers, "json": await request.json()}
        grades = _Grades(_Sent(sent), platform, f"{platform.url}/lines")
        done = grades.handle_resp(grades.handle_update_score, line_item_id=line)
        return Response(status_code=done.code)

    return app


@pytest.fixture
def platform(served: Served) -> Iterator[_Platform]:
    """A platform that the served tool knows."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        made = _Platform(url=url, tool=served.url)
        with served.database.write() as connection:
            addresses = (f"{url}/auth", f"{url}/token", f"{url}/jwks", url)
            wanted = PlatformRegistration(url, "etude", *addresses)
            platforms.register_platform(connection, wanted, ["1"], actor="test")
        server = uvicorn.Server(uvicorn.Config(_app(made), log_level="error"))
        thread = Thread(target=server.run, args=([listening],))
        thread.start()
        yield made
        server.should_exit = True
        thread.join()


def test_links_are_chosen_launched_and_graded(
    served: Served, platform: _Platform, new_context: NewContext
) -> None:
    """A teacher chooses an exercise; a student opens its link, submits, and the platform knows."""
    exercise = served.exercise()
    page = new_context(served.url, expected=".*").new_page()
    page.goto(f"{platform.url}/open?who=teacher&link=choose")
    page.get_by_label(exercise.title).check()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="Add them to the course").click()
    expect(page.get_by_role("heading")).to_have_text("The links are made")
    [link] = platform.links
    assert link["lineItem"]["scoreMaximum"] == exercise.max_points

    page = new_context(served.url, expected=".*").new_page()
    without_python(page)
    page.goto(f"{platform.url}/open?who=student&link=0")
    bench = Bench(page)
    bench.write(exercise.solution)
    bench.button("Submit for grading").click()
    expect(bench.summary).to_contain_text("Passed")
    wait_for(lambda: platform.scores)
    score = platform.scores[-1]
    assert (score["line"], score["userId"]) == ("0", "student")
    assert score["scoreGiven"] == score["scoreMaximum"] == exercise.max_points
