"""Attacks by a stranger, another site, or a student who cheats; each fails."""

import io
import json
from collections.abc import Callable, Iterator
from http import HTTPStatus
from pathlib import Path

import httpx
import pytest

from etude_server.actions import regrades as actions
from etude_server.settings import Settings
from etude_server.store import people
from grader.errors import SandboxFault
from tests.server.api.conftest import Served
from tests.server.conftest import EXERCISES


@pytest.fixture
def browser(served: Served) -> Iterator[httpx.Client]:
    """A browser with cookies, where no one is signed in."""
    with httpx.Client(base_url=served.url, timeout=120) as client:
        yield client


def _sign_in(browser: httpx.Client, token: str) -> str:
    """Sign in as a page does; return the session's cookie."""
    browser.post("/v1/session", json={"token": token}).raise_for_status()
    return browser.cookies["etude_session"]


def _is_visible(served: Served, cookie: str) -> bool:
    answer = httpx.get(f"{served.url}/v1/session", cookies={"etude_session": cookie})
    return answer.status_code == HTTPStatus.OK


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_form_of_another_site_cannot_sign_in(
    served: Served, browser: httpx.Client, kind: str
) -> None:
    """Without asking first, another site can send no JSON; what it can send opens no session."""
    body = json.dumps({"token": served.token("mallory")}).encode()
    answer = browser.post("/v1/session", content=body, headers={"Content-Type": kind})
    assert answer.status_code == HTTPStatus.UNPROCESSABLE_ENTITY
    assert "set-cookie" not in answer.headers
    asked = browser.options("/v1/session", headers={"Access-Control-Request-Method": "POST"})
    assert not [name for name in asked.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "http://["]
)
def test_the_form_for_staff_is_our_own(served: Served, browser: httpx.Client, origin: str) -> None:
    """Also where a browser says no more than the origin, as it does over plain HTTP."""
    sent = {"token": served.token("prof", "instructor")}
    answer = browser.post("/sign-in", data=sent, headers={"Origin": origin})
    assert answer.status_code == HTTPStatus.FORBIDDEN
    assert "set-cookie" not in answer.headers
    own = browser.post("/sign-in", data=sent, headers={"Origin": served.url})
    assert own.status_code == HTTPStatus.SEE_OTHER


def test_a_session_that_was_planted_is_not_taken_over(
    served: Served, browser: httpx.Client
) -> None:
    """Who signs in gets a new cookie, and the one that was there is worth nothing any more."""
    planted = _sign_in(browser, served.token("mallory"))
    fresh = _sign_in(browser, served.token("ada"))
    assert fresh != planted
    assert _is_visible(served, fresh)
    assert not _is_visible(served, planted)
    invented = "x" * 43
    browser.cookies.set("etude_session", invented, domain="127.0.0.1")
    assert _sign_in(browser, served.token("ada")) != invented
    assert not _is_visible(served, invented)


def test_by_https_no_other_host_plants_a_session(
    serving: Callable[[Settings], Served], tmp_path: Path
) -> None:
    """The cookie has the prefix with which browsers take it from this host alone; no other counts."""
    url = f"sqlite:///{tmp_path}/e.db"
    served = serving(Settings(url, (EXERCISES,), workers=1, public_url="https://etude.example"))
    answer = httpx.post(f"{served.url}/v1/session", json={"token": served.token("ada")})
    pair, *attributes = answer.headers["Set-Cookie"].split("; ")
    assert {"Secure", "Path=/", "HttpOnly"} <= set(attributes)
    assert not [each for each in attributes if each.startswith("Domain")]
    name, value = pair.split("=", 1)
    assert name == "__Host-etude_session"
    for sent, status in ((name, HTTPStatus.OK), ("etude_session", HTTPStatus.UNAUTHORIZED)):
        asked = httpx.get(f"{served.url}/v1/session", cookies={sent: value})
        assert asked.status_code == status
    headers = {"X-CSRF-Token": answer.json()["csrf"]}
    gone = httpx.delete(f"{served.url}/v1/session", cookies={name: value}, headers=headers)
    assert gone.headers["Set-Cookie"].startswith(f'{name}=""')
    assert "Secure" in gone.headers["Set-Cookie"]


def test_a_revoked_token_s_sessions_end(served: Served, browser: httpx.Client) -> None:
    """Anyone who found the token and signed in with it is out as well, also of a form's session."""
    secret = served.token("robbed", "instructor")
    cookies = [_sign_in(browser, secret)]
    browser.cookies.clear()
    browser.post("/sign-in", data={"token": secret})
    cookies.append(browser.cookies["etude_session"])
    browser.cookies.clear()
    bystander = _sign_in(browser, served.token("bystander"))
    with served.context.database.write() as connection:
        (note,) = people.list_tokens(connection, "robbed")
        assert people.revoke_token(connection, note.id, actor="test")
    assert [_is_visible(served, each) for each in cookies] == [False, False]
    assert _is_visible(served, bystander)


@pytest.mark.slow
def test_what_a_submission_raises_and_prints_is_text(served: Served) -> None:
    """Markup in an exception, a printed line, a name: staff reads it, and no browser runs it."""
    markup = "</code></pre><script>alert(1)</script><img src=x onerror=alert(2)>"
    student = served.client(f'"><script>{3}</script>')
    locations = [
        served.submit(student, source, "attention-weights")
        for source in (
            f"print({markup!r})\nraise ValueError({markup!r})\n",
            f"def attention_weights(Q, K):\n    raise type({markup!r}, (Exception,), {{}})({markup!r})\n",
            f"def attention_weights(Q, K):\n    print({markup!r})\n    return {markup!r}\n",
            f"# {markup}\ndef (\n",
        )
    ]
    paths = [location.replace("/v1", "/staff") for location in locations]
    browser = served.visitor()
    for path in (*paths, "/staff/", "/staff/submissions", "/staff/exercises/attention-weights"):
        page = browser.get(path).raise_for_status()
        assert "alert(1)" in page.text or path not in paths
        assert "<script" not in page.text
        assert "<img" not in page.text
        assert "script-src" not in page.headers["content-security-policy"]
        assert page.headers["content-security-policy"].startswith("default-src 'none'")


def test_logs_hold_no_secret(served: Served, browser: httpx.Client, log: io.StringIO) -> None:
    """They contain no token, cookie, name or source, however these arrive."""
    secret = served.token("whispered")
    cookie = _sign_in(browser, secret)
    browser.get(f"/v1/exercises/{secret}?token={secret}", headers={"X-Request-ID": secret})
    browser.get("/staff/submissions", params={"person": secret})
    browser.post("/sign-in", data={"token": secret, "next": f"/staff/{secret}"})
    browser.post("/v1/submissions", json={"exercise": secret, secret: secret})
    csrf = browser.get("/v1/session").json()["csrf"]
    sent = {"exercise": "attention-weights", "source": f"raise ValueError('{secret}')\n"}
    made = browser.post("/v1/submissions", json=sent, headers={"X-CSRF-Token": csrf})
    served.outcome(browser, made.raise_for_status().headers["Location"])
    lines = log.getvalue()
    assert lines.count("answered") >= 7
    assert not [each for each in (secret, cookie, csrf, "whispered") if each in lines]


@pytest.mark.parametrize("role", ["student", "grader"])
def test_only_instructors_read_what_is_everybody_s(served: Served, role: str) -> None:
    """Every path of staff, asked by its method, is refused to anybody else, and unknown ids too."""
    client = served.client(f"curious {role}", "student" if role == "student" else "grader")
    nothing = "0" * 36
    description = client.get("/v1/openapi.json").json()
    staff = [
        (method, path)
        for path, operations in description["paths"].items()
        for method, operation in operations.items()
        if "403" in operation["responses"] and path != "/v1/session"
    ]
    staff.remove(("post", "/v1/submissions"))  # refused to a browser without its CSRF token
    staff.remove(("get", "/v1/exercises/{exercise}/solution"))  # for those who have passed
    assert len(staff) >= 10
    for method, path in staff:
        filled = path.replace("{submission_id}", nothing).replace("{regrade_id}", nothing)
        body = {"exercise": "attention-weights", "reason": "x"} if method == "post" else None
        if "canvas" in path:
            headers = {"Content-Type": "text/csv"}
            answer = client.post(filled, params={"column": "x"}, content=b"x", headers=headers)
        else:
            body = body and ({"exercise": body["exercise"]} if "preview" in path else body)
            answer = client.request(method, filled, json=body)
        assert answer.status_code == HTTPStatus.FORBIDDEN, path


def test_only_instructors_come_in(served: Served, browser: httpx.Client) -> None:
    """Anybody else is led to the sign-in page, or finds nothing."""
    for path in ("/staff/", "/staff", "/staff/submissions", "/staff/regrades", "/staff/unsent"):
        answer = browser.get(path)
        assert answer.status_code == HTTPStatus.SEE_OTHER
        assert answer.headers["Location"].startswith("/sign-in?next=%2Fstaff")
    sent = {"token": served.token("ada"), "next": "/staff/"}
    assert browser.post("/sign-in", data=sent).status_code == HTTPStatus.SEE_OTHER
    answer = browser.get("/staff/")
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert "There is nothing here for you." in answer.text


@pytest.mark.parametrize(
    "target", ["https://example.org/", "//example.org/staff/", "/staff/\\..", "/staff/\r\nx: y"]
)
def test_signing_in_leads_nowhere_else(served: Served, browser: httpx.Client, target: str) -> None:
    """Where to go on is a path of these pages, whatever a link says."""
    sent = {"token": served.token("prof", "instructor"), "next": target}
    assert browser.post("/sign-in", data=sent).headers["Location"] == "/staff/"


def test_another_site_can_neither_sign_in_nor_post_a_form(
    served: Served, browser: httpx.Client
) -> None:
    """The sign-in form is refused from elsewhere, and every other form without its token."""
    sent = {"token": served.token("prof", "instructor")}
    answer = browser.post("/sign-in", data=sent, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == HTTPStatus.FORBIDDEN
    assert "set-cookie" not in answer.headers
    browser.post("/sign-in", data=sent)
    student = served.client("ada")
    submitted = {"exercise": "attention-weights", "source": "# to be released\n"}
    made = student.post("/v1/submissions", json=submitted).raise_for_status()
    for csrf in ({}, {"csrf": "0" * 64}, {"csrf": "ä"}):
        answer = browser.post(f"/staff/submissions/{made.json()['id']}/release", data=csrf)
        assert answer.status_code == HTTPStatus.FORBIDDEN
    assert browser.post("/staff/regrades", data={}).status_code == HTTPStatus.FORBIDDEN


def test_a_sandbox_that_does_not_start_is_no_fault_of_a_page(
    served: Served, browser: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A preview of a regrade says so, over the API and on the staff pages."""

    def broken(*_: object, **__: object) -> None:
        raise SandboxFault("no user namespaces, see /etc/secret")

    monkeypatch.setattr(actions, "plan_regrade", broken)
    browser.post("/sign-in", data={"token": served.token("prof", "instructor")})
    csrf = browser.get("/v1/session").json()["csrf"]
    staff = browser.post("/staff/regrades/preview", data={"csrf": csrf})
    prof = served.client("rob", "instructor")
    api = prof.post("/v1/regrades/preview", json={"exercise": "attention-weights"})
    assert staff.status_code == api.status_code == HTTPStatus.SERVICE_UNAVAILABLE
    assert staff.json()["detail"] == api.json()["detail"]
    assert api.json()["detail"] == "Nothing can be graded here at the moment."
