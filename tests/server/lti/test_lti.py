"""LTI 1.3 against a simulated platform: who comes in, who does not, and grades that get through."""

import hashlib
import hmac
import re
import threading
import time
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import httpx
import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from jwt.algorithms import RSAAlgorithm

from etude_server.actions import grades as grade_actions
from etude_server.api.auth import SESSION_COOKIE
from etude_server.lti import keys
from etude_server.store import events, unsent_scores
from etude_server.store.platforms import parse_origin
from grader.errors import UsageError
from tests.server.lti.conftest import Course, wait_for
from tests.server.lti.platform_simulator import (
    AGS,
    CLAIM,
    SCORE,
    STUDENT,
    TEACHER,
    Platform,
    encoded,
    new_key,
)


def _wrong(course: Course) -> str:
    exercise = course.tool.context.catalog.find("attention-weights")
    assert exercise is not None
    return exercise.misconceptions[0].code


def _unsent(course: Course) -> list[unsent_scores.UnsentGrade]:
    with course.tool.context.database.read() as connection:
        every = unsent_scores.list_unsent_grades(connection)
    return [each for each in every if each.issuer == course.platform.url]


def test_a_launch_ends_in_the_course_s_gradebook(course: Course) -> None:
    """Launched, submitted, graded: the score arrives at the line item, with all that AGS asks."""
    browser = course.browser()
    answer = course.launch(browser)
    assert answer.status_code == HTTPStatus.SEE_OTHER
    assert answer.headers["Location"] == "/attention/attention-weights/"
    me = browser.get("/v1/session").json()
    assert me["role"] == "student"
    assert me["name"] == "student-5@127.0.0.1" or me["name"].startswith("lti:")
    assert course.submit(browser, course.tool.solution()) == "passed"
    wait_for(lambda: course.platform.scores)
    (score,) = course.platform.scores
    timestamp = score.pop("timestamp")
    assert timestamp.endswith("Z")
    assert len(timestamp.partition(".")[2]) == len("123456Z")
    assert score.pop("scoreGiven") == score.pop("scoreMaximum") > 0
    assert score == {
        "userId": "student-5",
        "activityProgress": "Completed",
        "gradingProgress": "FullyGraded",
    }
    assert "/lines/1/lineitem/scores?type_id=1" in course.platform.asked
    wait_for(lambda: not _unsent(course))


def test_a_better_grade_follows_and_an_equal_one_does_not(course: Course) -> None:
    """Scores come in order, with growing timestamps, and only when the grade changed."""
    browser = course.browser()
    course.launch(browser)
    assert course.submit(browser, _wrong(course)) == "failed"
    wait_for(lambda: len(course.platform.scores) == 1)
    course.submit(browser, course.tool.solution())
    wait_for(lambda: len(course.platform.scores) == 2)
    course.submit(browser, course.tool.solution() + "# again\n")
    course.launch(browser)
    course.submit(browser, _wrong(course) + "# worse\n")
    wait_for(lambda: not _unsent(course))
    first, second = course.platform.scores
    assert first["activityProgress"] == "Submitted"
    assert first["scoreGiven"] < second["scoreGiven"]
    assert first["timestamp"] < second["timestamp"]


@pytest.mark.slow
@pytest.mark.parametrize("status", [503, 429, 401])
def test_an_outage_loses_no_grade(course: Course, status: int) -> None:
    """While the platform is away it is tried again and again; then it learns the newest grade."""
    browser = course.browser()
    course.launch(browser)
    course.platform.out_of_order = status == HTTPStatus.SERVICE_UNAVAILABLE
    course.platform.refusal = HTTPStatus(status)
    course.submit(browser, _wrong(course))
    wait_for(lambda: any(each.tries > 1 for each in _unsent(course)))
    assert str(status) in _unsent(course)[0].last_error
    assert not _unsent(course)[0].parked
    course.submit(browser, course.tool.solution())
    course.platform.out_of_order, course.platform.refusal = False, None
    wait_for(lambda: not _unsent(course))
    assert course.platform.scores[-1]["activityProgress"] == "Completed"


@pytest.mark.parametrize("how", ["gone", "redirected"])
def test_what_can_never_work_waits_for_staff(course: Course, how: str) -> None:
    """A line item that is gone, or that leads elsewhere, is not called again until staff says so."""
    elsewhere = Platform()
    try:
        browser = course.browser()
        course.launch(browser)
        course.platform.refusal = HTTPStatus.NOT_FOUND
        if how == "redirected":
            course.platform.redirect = f"{elsewhere.url}/lines/1/lineitem/scores"
        course.submit(browser, course.tool.solution())
        wait_for(lambda: any(each.parked for each in _unsent(course)))
        (parked,) = _unsent(course)
        assert parked.tries == 1
        with course.tool.context.database.read() as connection:
            (told,) = events.list_events(connection, parked.id)
        assert told.kind == events.SCORE_PARKED
        course.platform.refusal, course.platform.redirect = None, ""
        with course.tool.context.database.write() as connection:
            assert grade_actions.retry_unsent_scores(connection, actor="test") == 1
        wait_for(lambda: course.platform.scores)
        assert not elsewhere.asked
    finally:
        elsewhere.close()


def test_a_grade_that_was_there_is_told_to_a_new_link(course: Course) -> None:
    """Who solved an exercise before it was linked has the points at once."""
    browser = course.browser()
    course.launch(browser, **{AGS: None})
    course.submit(browser, course.tool.solution())
    assert not course.platform.scores
    course.launch(browser)
    wait_for(lambda: course.platform.scores)


def test_the_role_is_that_of_the_course(course: Course) -> None:
    """One person, an instructor where they teach, a student where they learn; no other role counts."""
    browser = course.browser()
    everywhere = "http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"
    seen = []
    for roles in ([TEACHER], [STUDENT, everywhere], "Instructor"):
        before = course.count()[0]
        course.launch(browser, **{CLAIM + "roles": roles})
        me = browser.get("/v1/session").json()
        seen.append((me["name"], me["role"], course.count()[0] - before))
    names = {name for name, _, _ in seen}
    assert len(names) == 1
    assert [role for _, role, _ in seen] == ["instructor", "student", "student"]
    assert [added for _, _, added in seen] == [1, 0, 0]


def test_a_launch_ends_the_browser_s_last_session(course: Course) -> None:
    """Whoever copied its cookie is out."""
    browser = course.browser()
    course.launch(browser)
    last = {"Cookie": f"{SESSION_COOKIE}={browser.cookies[SESSION_COOKIE]}"}
    course.launch(browser)
    assert browser.get("/v1/session").status_code == httpx.codes.OK
    answer = httpx.get(f"{course.tool.url}/v1/session", headers=last)
    assert answer.status_code == httpx.codes.UNAUTHORIZED


def test_nobody_becomes_somebody_who_is_there(course: Course) -> None:
    """A platform's person whose name exists here is someone else."""
    course.tool.token("prof@127.0.0.1", "instructor")
    browser = course.browser()
    course.launch(browser, sub="prof")
    me = browser.get("/v1/session").json()
    assert me["name"].startswith("lti:")
    assert me["role"] == "student"
    course.launch(browser, sub="erased-me")  # a name by which staff would not see them
    assert browser.get("/v1/session").json()["name"].startswith("lti:")


def test_the_link_s_address_may_name_the_exercise(course: Course) -> None:
    """Without a custom parameter, by its path or its query."""
    exercise = next(iter(course.tool.context.catalog.exercises))
    for link in (f"/lti/launch/{exercise}", f"/lti/launch?exercise={exercise}"):
        changes = {CLAIM + "custom": None, CLAIM + "target_link_uri": f"https://t.example{link}"}
        answer = course.launch(course.browser(), **changes)
        assert answer.headers["Location"].endswith(f"/{exercise}/")


def test_new_keys_of_the_platform_are_noticed(course: Course) -> None:
    """A key that is not known yet has the platform's keys fetched again."""
    assert course.launch(course.browser()).status_code == HTTPStatus.SEE_OTHER
    course.platform.key, course.platform.kid = new_key(), "second"
    assert course.launch(course.browser()).status_code == HTTPStatus.SEE_OTHER
    assert course.platform.asked.count("/jwks") == 2


def _signed_by_another(platform: Platform, claims: dict[str, Any]) -> str:
    return jwt.encode(claims, new_key(), "RS256", {"kid": platform.kid})


def _unknown_key(_platform: Platform, claims: dict[str, Any]) -> str:
    return jwt.encode(claims, new_key(), "RS256", {"kid": "nobody"})


def _unsigned(platform: Platform, claims: dict[str, Any]) -> str:
    return f"{encoded({'alg': 'none', 'kid': platform.kid})}.{encoded(claims)}."


def _by_the_public_key(platform: Platform, claims: dict[str, Any]) -> str:
    public = platform.key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    text = f"{encoded({'alg': 'HS256', 'kid': platform.kid})}.{encoded(claims)}"
    mac = hmac.new(public, text.encode(), hashlib.sha256).digest()
    return f"{text}.{jwt.utils.base64url_encode(mac).decode()}"


def _another_algorithm(platform: Platform, claims: dict[str, Any]) -> str:
    return jwt.encode(claims, platform.key, "PS256", {"kid": platform.kid})


def _changed(platform: Platform, claims: dict[str, Any]) -> str:
    head, _, signature = platform.token(claims).split(".")
    return f"{head}.{encoded({**claims, 'sub': 'teacher'})}.{signature}"


def _number_as_key(_platform: Platform, claims: dict[str, Any]) -> str:
    return f"{encoded({'alg': 'RS256', 'kid': 5})}.{encoded(claims)}.{encoded({})}"


def _brings_its_key(_platform: Platform, claims: dict[str, Any]) -> str:
    key = new_key()
    public = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    head = {"kid": "mine", "jwk": {**public, "kid": "mine"}, "jku": "http://127.0.0.1:9/"}
    return jwt.encode(claims, key, "RS256", head)


def _no_key_named(platform: Platform, claims: dict[str, Any]) -> str:
    return jwt.encode(claims, platform.key, "RS256")


def _critical(platform: Platform, claims: dict[str, Any]) -> str:
    return jwt.encode(claims, platform.key, "RS256", {"kid": platform.kid, "crit": ["x"], "x": 1})


def _nonsense(_platform: Platform, _claims: dict[str, Any]) -> str:
    return "a.b.c"


def _nested(_platform: Platform, _claims: dict[str, Any]) -> str:
    deep = jwt.utils.base64url_encode(b"[" * 90_000).decode()
    return f"{encoded({'alg': 'RS256'})}.{deep}.x"


@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (_signed_by_another, "signature is not"),
        (_unknown_key, "a key that the learning platform does not have"),
        (_unsigned, "not signed by RS256"),
        (_by_the_public_key, "not signed by RS256"),
        (_another_algorithm, "not signed by RS256"),
        (_changed, "signature is not"),
        (_number_as_key, "no token that can be read"),
        (_brings_its_key, "a key that the learning platform does not have"),
        (_no_key_named, "does not name the key"),
        (_critical, "no token that can be read"),
        (_nonsense, "no token that can be read"),
        (_nested, "no token that can be read"),
    ],
)
def test_a_forged_token_lets_nobody_in(
    course: Course, forge: Callable[[Platform, dict[str, Any]], str], why: str
) -> None:
    """Refused with a sentence; no person is made and no session opened."""
    before, browser = course.count(), course.browser()
    asked = course.begin(browser)
    claims = course.platform.claims(asked["nonce"])
    answer = course.finish(browser, forge(course.platform, claims), asked["state"])
    _assert_refused(course, answer, before, why)


_NOT_OURS = "not for this service"
_NO_CUSTOM: dict[str, object] = {CLAIM + "custom": None}
_OTHER_HOST = "an address that is not registered"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"iss": "https://elsewhere.example"}, _NOT_OURS),
        ({"iss": "\ud800"}, _NOT_OURS),
        ({"aud": "another-tool"}, _NOT_OURS),
        ({"aud": ["tool-1", "another-tool"]}, _NOT_OURS),
        ({"aud": ["tool-1", "another-tool"], "azp": "another-tool"}, _NOT_OURS),
        ({"aud": ["another-tool"], "azp": "tool-1"}, "claim aud is missing or invalid"),
        ({"azp": "another-tool"}, "claim azp is missing or invalid"),
        ({"azp": ""}, "claim azp is missing or invalid"),
        ({"exp": int(time.time()) - 60, "iat": int(time.time()) - 120}, "has expired"),
        ({"iat": int(time.time()) - 3600, "exp": int(time.time()) + 3600}, "has expired"),
        (
            {"iat": int(time.time()) + 3600, "exp": int(time.time()) + 7200},
            "claim iat is missing or invalid",
        ),
        ({"iat": "soon"}, "claim iat is missing or invalid"),
        ({"exp": None}, "claim exp is missing or invalid"),
        ({"exp": float("inf")}, "claim exp is missing or invalid"),
        ({"iat": float("inf")}, "claim iat is missing or invalid"),
        ({"iat": float("nan")}, "claim iat is missing or invalid"),
        ({"nbf": float("inf")}, "claim nbf is missing or invalid"),
        ({"nonce": "another"}, "answers another one"),
        ({"nonce": None}, "answers another one"),
        ({"sub": None}, "claim sub is missing or invalid"),
        ({"sub": ""}, "claim sub is missing or invalid"),
        ({"sub": "\0"}, "claim sub is missing or invalid"),
        ({"sub": "x" * 256}, "claim sub is missing or invalid"),
        ({CLAIM + "deployment_id": "course-8"}, "This deployment"),
        ({CLAIM + "deployment_id": None}, "This deployment"),
        ({CLAIM + "deployment_id": ["course-7"]}, "This deployment"),
        ({CLAIM + "message_type": "LtiSubmissionReviewRequest"}, "Only links to exercises"),
        ({CLAIM + "message_type": ["LtiResourceLinkRequest"]}, "Only links to exercises"),
        ({CLAIM + "version": "1.1.0"}, "Only LTI 1.3.0"),
        ({CLAIM + "custom": {"exercise": "../../staff"}}, "leads to no exercise"),
        ({CLAIM + "custom": {"exercise": ["attention-weights"]}}, "leads to no exercise"),
        ({CLAIM + "target_link_uri": "http://["} | _NO_CUSTOM, "leads to no exercise"),
        ({AGS: {"scope": [SCORE], "lineitem": "http://127.0.0.1:9/lines/1"}}, _OTHER_HOST),
        ({AGS: {"scope": [SCORE], "lineitem": "file:///etc/passwd"}}, _OTHER_HOST),
    ],
    ids=lambda given: re.sub(r"\d{10}", "a time", str(given)),  # the same in each process
)
def test_what_does_not_hold_lets_nobody_in(
    course: Course, changes: dict[str, Any], why: str
) -> None:
    """A signed token with a wrong audience, time, nonce or address is refused."""
    before = course.count()
    _assert_refused(course, course.launch(course.browser(), **changes), before, why)


def test_a_launch_is_used_once(course: Course) -> None:
    """The same answer again is refused, even with the first one's cookies."""
    browser = course.browser()
    asked = course.begin(browser)
    cookies = dict(browser.cookies)
    token = course.platform.token(course.platform.claims(asked["nonce"]))
    assert course.finish(browser, token, asked["state"]).status_code == HTTPStatus.SEE_OTHER
    before = course.count()
    again = course.browser()
    again.cookies.update(cookies)
    answer = course.finish(again, token, asked["state"])
    _assert_refused(course, answer, before, "used already")


@pytest.mark.parametrize("state", ["", "0" * 64, "another browser's", "one's own"])
def test_a_state_belongs_to_a_browser(course: Course, state: str) -> None:
    """A launch that began in another browser, or nowhere, is refused."""
    before, browser, victim = course.count(), course.browser(), course.browser()
    asked = course.begin(browser)
    token = course.platform.token(course.platform.claims(asked["nonce"]))
    sent = {"another browser's": asked["state"], "one's own": course.begin(victim)["state"]}
    why = "answers another one" if state == "one's own" else "did not begin in this browser"
    _assert_refused(course, course.finish(victim, token, sent.get(state, state)), before, why)


@pytest.mark.parametrize(
    "changes", [{"iss": "https://elsewhere.example"}, {"client_id": "x\0"}, {"login_hint": ""}]
)
def test_only_registered_platforms_are_visited(course: Course, changes: dict[str, str]) -> None:
    """No browser is sent to where staff registered nothing."""
    sent = {"iss": course.platform.url, "login_hint": "5", "target_link_uri": "https://t.example"}
    for answer in (
        course.browser().get("/lti/login", params=sent | changes),
        course.browser().post("/lti/login", data=sent | changes),
    ):
        assert answer.status_code == HTTPStatus.BAD_REQUEST
        assert "Location" not in answer.headers


def test_a_launch_leads_to_no_host_that_a_request_names(course: Course) -> None:
    """To the registered platform, back to the socket that listens, and on by a path alone."""
    hostile = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    asked = course.begin(course.browser(), headers=hostile)
    assert asked["redirect_uri"] == f"{course.tool.url}/lti/launch"
    browser = course.browser()
    asked = course.begin(browser)
    token = course.platform.token(course.platform.claims(asked["nonce"]))
    answer = course.finish(browser, token, asked["state"], headers=hostile)
    assert answer.headers["Location"] == "/attention/attention-weights/"


def test_our_private_key_stays_inside(course: Course) -> None:
    """The key is made once, and shown by its public half only."""
    first = course.browser().get("/lti/jwks.json").json()
    assert first == course.browser().get("/lti/jwks.json").json()
    (key,) = first["keys"]
    assert set(key) == {"kty", "n", "e", "kid", "alg", "use"}


def _shown(course: Course) -> list[str]:
    shown = course.browser().get("/lti/jwks.json").raise_for_status().json()["keys"]
    return [str(key["kid"]) for key in shown]


def _score_signed_by(course: Course) -> str:
    """Have a grade told to a platform that has given no token yet; return whose signature it saw."""
    browser = course.browser()
    course.launch(browser)
    course.submit(browser, course.tool.solution())
    wait_for(lambda: course.platform.scores)
    return course.platform.signed_by[-1]


@pytest.mark.slow
def test_keys_are_exchanged_without_a_gap(
    course: Course, fresh_course: Callable[[], Course], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The new one is shown at once, signs once it is known everywhere, and then stays alone."""
    database = course.tool.context.database
    (old,) = _shown(course)
    new = keys.rotate_key(database, actor="test").kid
    assert _shown(course) == [old, new]
    with pytest.raises(UsageError, match="an old key still"):
        keys.rotate_key(database, actor="test")
    assert _score_signed_by(course) == old
    with pytest.raises(UsageError, match="signs 2 hours after"):
        keys.retire_key(database, actor="test")
    monkeypatch.setattr(keys, "now", lambda: time.time_ns() // 1000 + 7_201_000_000)
    assert _score_signed_by(fresh_course()) == new
    assert keys.retire_key(database, actor="test").kid == new
    assert _shown(course) == [new]
    with database.read() as connection:
        told = {name: events.list_events(connection, name)[-1].kind for name in (new, old)}
    assert told == {new: events.KEY_MADE, old: events.KEY_RETIRED}


@pytest.mark.slow
def test_a_key_that_got_out_is_worth_nothing_at_once(course: Course) -> None:
    """A new one signs from the moment on in which the old one is forgotten."""
    database = course.tool.context.database
    (old,) = _shown(course)
    new = keys.rotate_key(database, actor="test").kid
    keys.retire_key(database, actor="test", at_once=True)
    assert _shown(course) == [new] != [old]
    assert _score_signed_by(course) == new


def _staff(course: Course) -> httpx.Client:
    staff = course.browser()
    token = course.tool.token("prof", "instructor")
    assert staff.post("/sign-in", data={"token": token}).status_code == HTTPStatus.SEE_OTHER
    return staff


def test_staff_sees_what_was_not_sent_and_sends_it_again(course: Course) -> None:
    """Whose, since when, and why, as text whatever the platform says; a button tries again."""
    course.platform.refusal = HTTPStatus.NOT_FOUND
    course.platform.reason = "<b>Gone</b>"
    browser, staff = course.browser(), _staff(course)
    course.launch(browser)
    name = browser.get("/v1/session").json()["name"]
    assert course.platform.url not in staff.get("/staff/unsent").text
    course.submit(browser, course.tool.solution())
    wait_for(lambda: any(each.parked for each in _unsent(course)))
    page = staff.get("/staff/unsent").raise_for_status().text
    assert course.platform.url in page
    assert name in page
    assert "it answers 404 &lt;b&gt;Gone&lt;/b&gt;" in page
    assert "the oldest of 20" in page
    assert "unsent grade" in staff.get("/staff/").text
    (csrf,) = set(re.findall(r'name="csrf" value="(\w+)"', page))
    course.platform.refusal = None
    refused = staff.post("/staff/unsent/retry", data={"csrf": "0" * 64})
    assert refused.status_code == HTTPStatus.FORBIDDEN
    again = staff.post("/staff/unsent/retry", data={"csrf": csrf})
    assert again.status_code == HTTPStatus.SEE_OTHER
    wait_for(lambda: course.platform.scores)
    wait_for(lambda: course.platform.url not in staff.get("/staff/unsent").text)
    assert browser.get("/staff/unsent").status_code == HTTPStatus.NOT_FOUND


@pytest.mark.slow
def test_a_platform_that_does_not_answer_holds_up_nobody_else(
    course: Course, fresh_course: Callable[[], Course]
) -> None:
    """While its launches wait for its keys, other platforms' people and the API are served."""
    course.platform.silence = threading.Event()
    stuck = []

    def knock() -> None:
        browser = course.browser()
        asked = course.begin(browser)
        token = course.platform.token(course.platform.claims(asked["nonce"]))
        stuck.append(course.finish(browser, token, asked["state"]).status_code)

    threads = [threading.Thread(target=knock) for _ in range(60)]
    try:
        for thread in threads:
            thread.start()
        wait_for(lambda: "/jwks" in course.platform.asked)
        wait_for(lambda: len(stuck) >= 60 - 16)  # the others are told to try again
        assert set(stuck) == {HTTPStatus.BAD_REQUEST}
        assert fresh_course().launch(course.browser()).status_code == HTTPStatus.SEE_OTHER
        assert course.browser().get("/v1/session").status_code == HTTPStatus.UNAUTHORIZED
    finally:
        course.platform.silence.set()
        for thread in threads:
            thread.join()
    assert stuck.count(HTTPStatus.SEE_OTHER) == 16


@pytest.mark.parametrize(
    "address",
    [
        "http://moodle.example.org/token",
        "ftp://127.0.0.1/",
        "file:///etc/passwd",
        "https://user@moodle.example.org/",
        "https://moodle.example.org:no/",
        "https:///token",
        "//moodle.example.org/",
        "https://moodle.example.org\\@elsewhere.example/",
    ],
)
def test_other_addresses_are_no_platform_s(address: str) -> None:
    """Only HTTPS, or plain HTTP on this very machine."""
    assert not parse_origin(address)


def _assert_refused(
    course: Course, answer: httpx.Response, before: tuple[int, int], why: str
) -> None:
    assert answer.status_code == HTTPStatus.BAD_REQUEST
    assert why in answer.text
    assert "etude_session" not in answer.cookies
    assert course.count() == before
