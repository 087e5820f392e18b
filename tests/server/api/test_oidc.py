"""Sign-in by OpenID Connect, against a small provider on this machine."""

import base64
import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import RSAKey

from etude_server.actions import people as people_actions
from etude_server.oidc import Provider
from etude_server.settings import Settings
from etude_server.store import people
from grader.course.roster_file import read_roster
from tests.server.api.conftest import Served
from tests.server.conftest import EXERCISES

CLIENT, SECRET = "etude", "not told"


@dataclass
class Simulator:
    """A provider: it signs everybody in, and says what a test has it say."""

    url: str = ""
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one"}))
    signing: RSAKey | None = None  # another key than it shows
    says: dict[str, Any] = field(default_factory=dict)
    codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def authorize(self, url: str) -> str:
        """Let a person sign in; return where their browser goes then."""
        asked = {name: value[0] for name, value in parse_qs(urlsplit(url).query).items()}
        assert (asked["client_id"], asked["response_type"]) == (CLIENT, "code")
        self.codes["c0de"] = asked
        return f"{asked['redirect_uri']}?code=c0de&state={asked['state']}"

    def token(self, sent: dict[str, str], authorization: str) -> dict[str, Any] | None:
        """Exchange a code, once, for the person who began; None for others."""
        asked = self.codes.pop(sent.get("code", ""), None)
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".replace(" ", "%20").encode()).decode()
        made = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(made).decode().rstrip("=")
        plain = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if asked is None or challenge != asked["code_challenge"]:
            return None
        if authorization not in {f"Basic {basic}", f"Basic {plain}"}:
            return None
        at = int(time.time())
        claims = {"iss": self.url, "aud": CLIENT, "sub": "1", "iat": at, "exp": at + 60}
        claims |= {"nonce": asked["nonce"], "email": "Ada@Example.org", "email_verified": True}
        claims = {name: said for name, said in (claims | self.says).items() if said is not None}
        token = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.signing or self.key)
        return {"access_token": "a", "token_type": "Bearer", "id_token": token}


@pytest.fixture(scope="module")
def simulator() -> Iterator[Simulator]:
    """A running provider."""
    made = Simulator()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            known: dict[str, Any] = {
                "/.well-known/openid-configuration": {
                    "issuer": made.url,
                    "authorization_endpoint": f"{made.url}/authorize",
                    "token_endpoint": f"{made.url}/token",
                    "jwks_uri": f"{made.url}/keys",
                },
                "/keys": {"keys": [made.key.as_dict(private=False)]},
            }
            self._answer(known.get(self.path))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            sent = {name: value[0] for name, value in parse_qs(body).items()}
            self._answer(made.token(sent, self.headers.get("Authorization", "")))

        def _answer(self, found: dict[str, Any] | None) -> None:
            body = json.dumps(found or {"error": "invalid_grant"}).encode()
            self.send_response(HTTPStatus.OK if found else HTTPStatus.BAD_REQUEST)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made.url = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield made
        server.shutdown()


@pytest.fixture(scope="module")
def served(
    serving: Callable[[Settings], Served],
    tmp_path_factory: pytest.TempPathFactory,
    simulator: Simulator,
) -> Served:
    """A server that trusts the provider; Ada is on its roster."""
    url = f"sqlite:///{tmp_path_factory.mktemp('served')}/etude.db"
    oidc = Provider(simulator.url, CLIENT, SECRET)
    made = serving(Settings(url, (EXERCISES,), workers=1, oidc=oidc))
    table = (
        "id,name,email\ns1,Ada Lovelace,ada@example.org\n"
        "s2,A Smith,smith@example.org\ns3,A Kim,kim@example.org\n"
    )
    with made.context.database.write() as connection:
        people_actions.import_people(connection, read_roster(table, "r"), actor="test")
    return made


@pytest.fixture
def browser(served: Served, simulator: Simulator) -> Iterator[httpx.Client]:
    """A browser in which no one is signed in, and a provider that behaves."""
    simulator.says, simulator.signing = {}, None
    with httpx.Client(base_url=served.url) as client:
        yield client


def _come_back(browser: httpx.Client, simulator: Simulator) -> httpx.Response:
    went = browser.get("/oidc/login")
    assert went.status_code == HTTPStatus.FOUND
    return browser.get(simulator.authorize(went.headers["Location"]))


def _is_visible(browser: httpx.Client) -> bool:
    return browser.get("/v1/session").status_code == HTTPStatus.OK


def test_who_is_on_the_roster_comes_in(browser: httpx.Client, simulator: Simulator) -> None:
    """By the provider's e-mail address, in any case of letters; the page of sign-in leads there."""
    assert 'href="/oidc/login"' in browser.get("/sign-in").text
    answer = _come_back(browser, simulator)
    assert (answer.status_code, answer.headers["Location"]) == (HTTPStatus.SEE_OTHER, "/")
    assert browser.get("/v1/session").json()["name"] == "s1"


def test_signing_in_closes_the_last_session(browser: httpx.Client, simulator: Simulator) -> None:
    """The browser's earlier cookie is worth nothing afterwards."""
    _come_back(browser, simulator)
    earlier = {"Cookie": f"etude_session={browser.cookies['etude_session']}"}
    _come_back(browser, simulator)
    assert _is_visible(browser)
    address = f"{browser.base_url}/v1/session"
    assert httpx.get(address, headers=earlier).status_code == HTTPStatus.UNAUTHORIZED


@pytest.mark.parametrize(
    ("back", "page"),
    [
        ("/attention/gelu/", "/attention/gelu/"),
        ("//evil.example/", "/"),
        ("/\\evil.example/", "/"),
        ("https://evil.example/", "/"),
        ("/\u2192", "/"),  # no cookie can hold it
        ("/" + "a" * 5000, "/"),  # nor that
    ],
)
def test_the_page_where_it_began_comes_again(
    browser: httpx.Client, simulator: Simulator, back: str, page: str
) -> None:
    """An address on another host is not one of our pages."""
    went = browser.get("/oidc/login", params={"back": back})
    answer = browser.get(simulator.authorize(went.headers["Location"]))
    assert answer.headers["Location"] == page


@pytest.mark.parametrize(
    ("says", "told"),
    [
        ({"email": "eve@example.org"}, "eve@example.org is not on the roster of this course"),
        ({"email_verified": False}, "does not say your email, or is not sure"),
        ({"email_verified": "false"}, "does not say your email, or is not sure"),
        ({"email_verified": None}, "does not say your email, or is not sure"),
        ({"email": "ada@example.or\u0121"}, "is not on the roster of this course"),
        ({"email": "\u017fmith@example.org"}, "is not on the roster of this course"),
        ({"email": "\u212aim@example.org"}, "is not on the roster of this course"),
        ({"email": None}, "does not say your email"),
        ({"aud": "another"}, "is not signed by it, or not for us"),
        ({"iss": "http://127.0.0.1:1"}, "is not signed by it, or not for us"),
        ({"nonce": "another"}, "is not signed by it, or not for us"),
        ({"exp": 1}, "is not signed by it, or not for us"),
    ],
    ids=[
        "stranger",
        "unverified",
        "as text",
        "not said to be verified",
        "other letter",
        "long s",
        "Kelvin sign",
        "no e-mail",
        "audience",
        "issuer",
        "nonce",
        "expired",
    ],
)
def test_what_is_not_for_us_signs_nobody_in(
    browser: httpx.Client, simulator: Simulator, says: dict[str, Any], told: str
) -> None:
    """A sentence says why, and there is no session."""
    simulator.says = says
    answer = _come_back(browser, simulator)
    assert answer.status_code == HTTPStatus.CONFLICT
    assert told in answer.text
    assert not _is_visible(browser)


def test_an_unknown_key_signs_nobody_in(browser: httpx.Client, simulator: Simulator) -> None:
    """Also under the name of a key that the provider has."""
    simulator.signing = RSAKey.generate_key(2048, {"kid": "one"})
    assert "is not signed by it" in _come_back(browser, simulator).text
    assert not _is_visible(browser)


def test_another_browser_s_sign_in_is_refused(browser: httpx.Client, simulator: Simulator) -> None:
    """A link signs no one in as another person; a code is used once; a refusal is reported."""
    went = browser.get("/oidc/login").headers["Location"]
    back = simulator.authorize(went)
    with httpx.Client() as other:
        assert "did not begin in this browser" in other.get(back).text
    refused = back.replace("code=c0de", "error=access_denied")
    assert "was not completed" in browser.get(refused).text
    simulator.codes.clear()
    assert "does not know this sign-in" in browser.get(back).text
    assert not _is_visible(browser)


def test_who_is_disabled_stays_out(
    browser: httpx.Client, simulator: Simulator, served: Served
) -> None:
    """The provider's answer does not matter."""
    with served.context.database.write() as connection:
        ada = people.require_person_by_name(connection, "s1")
        people_actions.change_person(connection, ada, disabled=True, actor="test")
    assert "is not on the roster" in _come_back(browser, simulator).text
    with served.context.database.write() as connection:
        people_actions.change_person(connection, ada, disabled=False, actor="test")


def test_a_provider_that_is_down_is_a_sentence(
    serving: Callable[[Settings], Served], tmp_path: Path
) -> None:
    """And no error of the server."""
    oidc = Provider("http://127.0.0.1:9", CLIENT, SECRET)
    made = serving(Settings(f"sqlite:///{tmp_path}/e.db", (EXERCISES,), workers=1, oidc=oidc))
    answer = httpx.get(f"{made.url}/oidc/login")
    assert answer.status_code == HTTPStatus.CONFLICT
    assert "No one can sign in there at the moment: it cannot be reached" in answer.text
