"""The one course of a platform: its context, chosen links, members, assistants, and frames."""

import html
import re
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt
import pytest
from sqlalchemy import select

from etude_server.actions import people as people_actions
from etude_server.lti.keys import find_tool_keys
from etude_server.lti.launch import find_course_role
from etude_server.lti.members import fetch_members
from etude_server.lti_routes import find_frame_origins
from etude_server.store import people, platforms
from etude_server.store.tables import person
from grader.errors import UsageError
from tests.server.lti.conftest import Course
from tests.server.lti.platform_simulator import AGS, CLAIM, STUDENT, TEACHER

CONTEXT = CLAIM + "context"
NRPS = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
DL = "https://purl.imsglobal.org/spec/lti-dl/claim/"
ASSISTANT = "http://purl.imsglobal.org/vocab/lis/v2/membership/Instructor#TeachingAssistant"


def _said(answer: httpx.Response) -> str:
    (sentence,) = re.findall(r'<p role="alert">(.*?)</p>', answer.text, re.DOTALL)
    return html.unescape(sentence)


def _choose(course: Course, *roles: str, **settings: object) -> httpx.Response:
    claims: dict[str, Any] = {
        CLAIM + "message_type": "LtiDeepLinkingRequest",
        CLAIM + "roles": list(roles),
        CLAIM + "resource_link": None,
        DL + "deep_linking_settings": {
            "deep_link_return_url": f"{course.platform.url}/links",
            "accept_types": ["ltiResourceLink"],
            "accept_multiple": True,
            "data": "of the platform",
        }
        | settings,
    }
    return course.launch(course.browser(), **claims)


def test_another_course_is_refused_with_a_sentence(course: Course) -> None:
    """The first course that launches is the server's; no one of another one is let in."""
    assert course.launch(course.browser(), **{CONTEXT: {"id": "7"}}).is_redirect
    before = course.count()
    for other in ({"id": "8"}, None):
        answer = course.launch(course.browser(), **{CONTEXT: other, "sub": "stranger"})
        assert answer.status_code == HTTPStatus.BAD_REQUEST
        assert _said(answer).startswith("This server is for another course of your learning")
    assert course.count() == before
    assert course.launch(course.browser(), **{CONTEXT: {"id": "7"}}).is_redirect


def test_a_teacher_chooses_exercises(course: Course) -> None:
    """Each becomes a link with a line item of its points, signed by us, with the platform's data."""
    page = _choose(course, TEACHER)
    assert page.status_code == HTTPStatus.OK
    assert course.platform.url in page.headers["Content-Security-Policy"].partition("ancestors")[2]
    (request,) = re.findall(r'name="request" value="([^"]+)"', page.text)
    sent = {"request": request, "exercise": ["attention-weights", "similarity-scores"]}
    answer = course.browser().post("/lti/choice", data=sent)
    (token,) = re.findall(r'name="JWT" value="([^"]+)"', answer.text)
    assert f'action="{course.platform.url}/links"' in answer.text
    assert f"form-action 'self' {course.platform.url};" in answer.headers["Content-Security-Policy"]
    key = find_tool_keys(course.tool.context.database)[0].key.public_key
    said = jwt.decode(token, key, algorithms=["RS256"], audience=course.platform.url)
    assert said["iss"] == course.platform.client_id
    assert said[DL + "data"] == "of the platform"
    first, _ = said[DL + "content_items"]
    exercise = course.tool.context.catalog.find("attention-weights")
    assert exercise is not None
    assert first["custom"] == {"exercise": "attention-weights"}
    assert first["lineItem"]["scoreMaximum"] == exercise.max_points
    assert first["url"].endswith("/lti/launch/attention-weights")


def test_a_choice_is_refused_with_a_sentence(course: Course) -> None:
    """Of a student, for a foreign address, with nothing chosen, and without what we signed."""
    assert "Only people who teach" in _said(_choose(course, STUDENT))
    assert "at an address" in _said(
        _choose(course, TEACHER, deep_link_return_url="https://evil.example/")
    )
    for accepted in (5, ["html"]):
        assert "wants no links" in _said(_choose(course, TEACHER, accept_types=accepted))
    forged = {"request": "x.y.z", "exercise": "similarity-scores"}
    assert "too old" in _said(course.browser().post("/lti/choice", data=forged))
    assert "Nothing was chosen" in _said(course.browser().post("/lti/choice", data={"request": ""}))


def test_a_link_without_a_line_item_warns_its_teacher(course: Course) -> None:
    """Who can change that is told before the exercise; a student goes on at once."""
    answer = course.launch(course.browser(), **{AGS: None, CLAIM + "roles": [TEACHER]})
    assert answer.status_code == HTTPStatus.OK
    assert "no line item" in _said(answer)
    assert 'href="/attention/attention-weights/"' in answer.text
    assert course.launch(course.browser(), **{AGS: None}).is_redirect


def test_members_come_with_names_and_roles(course: Course) -> None:
    """All pages of the list; who launches later is the same person."""
    database = course.tool.context.database

    def platform() -> platforms.Platform:
        with database.read() as connection:
            found = platforms.find_platform(connection, course.platform.url)
        assert found is not None
        return found

    with pytest.raises(UsageError, match="has not said where it lists members"):
        fetch_members(database, platform())
    members = {NRPS: {"context_memberships_url": f"{course.platform.url}/members"}}
    course.launch(course.browser(), **members)
    course.platform.members = [
        {"user_id": "student-5", "name": "Ada Lovelace", "roles": ["Learner"]},
        {"user_id": "helper", "name": "Bob", "roles": ["Instructor", ASSISTANT]},
        {"user_id": "gone", "name": "Eve", "roles": ["Learner"], "status": "Inactive"},
    ]
    assert fetch_members(database, platform()) == 2
    with database.read() as connection:
        rows = connection.execute(select(person.c.display_name, person.c.role)).all()
    assert {("Ada Lovelace", "student"), ("Bob", "assistant")} <= set(map(tuple, rows))
    assert "Eve" not in {row.display_name for row in rows}


def test_a_role_that_staff_has_changed_stays(course: Course) -> None:
    """Until then launches and the list of members decide."""
    browser, database = course.browser(), course.tool.context.database
    members = {NRPS: {"context_memberships_url": f"{course.platform.url}/members"}}

    def launched(role: str) -> str:
        course.launch(browser, **members, **{CLAIM + "roles": [role]})
        me = browser.get("/v1/session").raise_for_status().json()
        return str(me["role"])

    assert launched(TEACHER) == "instructor"
    assert launched(STUDENT) == "student"
    name = browser.get("/v1/session").json()["name"]
    with database.write() as connection:
        whom = people.require_person_by_name(connection, name)
        people_actions.change_person(connection, whom, role="assistant", actor="test")
    assert launched(STUDENT) == "assistant"
    assert launched(TEACHER) == "assistant"
    course.platform.members = [{"user_id": "student-5", "name": "Ada", "roles": ["Learner"]}]
    with database.read() as connection:
        platform = platforms.find_platform(connection, course.platform.url)
    assert platform is not None
    assert fetch_members(database, platform) == 1
    with database.read() as connection:
        assert people.require_person_by_name(connection, name).role == "assistant"


def test_a_disabled_person_is_told_so(course: Course) -> None:
    """A launch opens no session for them, and says why."""
    browser, database = course.browser(), course.tool.context.database
    course.launch(browser)
    name = browser.get("/v1/session").raise_for_status().json()["name"]
    with database.write() as connection:
        whom = people.require_person_by_name(connection, name)
        people_actions.change_person(connection, whom, disabled=True, actor="test")
    refused = course.launch(browser)
    assert refused.status_code == HTTPStatus.BAD_REQUEST
    assert _said(refused).startswith("Your access to this server is disabled.")
    assert browser.get("/v1/session").status_code == HTTPStatus.UNAUTHORIZED


def test_roles_elsewhere_do_not_count() -> None:
    """Who teaches somewhere in the institution is a student of this course."""
    elsewhere = "http://purl.imsglobal.org/vocab/lis/v2/institution/person#Instructor"
    assert find_course_role([STUDENT, elsewhere]) == "student"
    assert find_course_role([TEACHER]) == find_course_role(["Instructor"]) == "instructor"
    assert find_course_role([TEACHER, ASSISTANT]) == "assistant"
    assert find_course_role("Instructor") == "student"


@pytest.mark.parametrize(
    "role",
    [
        "anything#Instructor",
        "http://purl.imsglobal.org/vocab/lis/v2/membership/Learner#Instructor",
        "http://purl.imsglobal.org/vocab/lis/v2/membership/evil#Instructor",
        "http://purl.imsglobal.org/vocab/lis/v2/membershipX#Instructor",
        "http://purl.imsglobal.org/vocab/lis/v2/system/person#TeachingAssistant",
        "http://purl.imsglobal.org/vocab/lis/v2/membership/Learner#TeachingAssistant",
        ["Instructor"],
    ],
)
def test_only_published_roles_give_rights(role: object) -> None:
    """Text before `#Instructor` is part of the role's name."""
    assert find_course_role([role]) == "student"


@pytest.mark.parametrize(
    "context", [{}, {"id": None}, {"id": ""}, {"id": 7}, {"id": "7" * 256}, {"id": "7\n"}, "7", []]
)
def test_a_context_without_a_valid_id_binds_no_course(course: Course, context: object) -> None:
    """The launch is refused, and the platform's course can still come in."""
    before = course.count()
    refused = course.launch(course.browser(), **{CONTEXT: context})
    assert refused.status_code == HTTPStatus.BAD_REQUEST
    assert _said(refused) == "The learning platform does not say which course this is."
    assert course.count() == before


def test_a_launch_in_a_frame_stays_there(course: Course) -> None:
    """The page is the embedded one, and registered platforms may frame it."""
    browser = course.browser()
    asked = course.begin(browser)
    token = course.platform.token(course.platform.claims(asked["nonce"]))
    answer = course.finish(browser, token, asked["state"], {"Sec-Fetch-Dest": "iframe"})
    assert answer.headers["Location"] == "/attention/attention-weights/?embed"
    assert course.platform.url in find_frame_origins(course.tool.context.database).split()


def test_a_frame_without_cookies_offers_a_new_window(course: Course) -> None:
    """A cookie is tried first; where it is kept, the launch goes on in the frame."""
    hint = {
        "iss": course.platform.url,
        "client_id": course.platform.client_id,
        "login_hint": "5 & 6",
        "target_link_uri": f"{course.tool.url}/lti/launch",
    }
    framed = {"Sec-Fetch-Dest": "iframe"}

    browser = course.browser()
    tried = browser.post("/lti/login", data=hint, headers=framed)
    kept = browser.get(tried.headers["Location"], headers=framed)
    assert kept.headers["Location"].startswith(f"{course.platform.url}/auth?")

    browser.cookies.clear()  # the browser blocks it
    blocked = browser.get(tried.headers["Location"], headers=framed)
    assert "blocks the cookies of this frame" in blocked.text
    policy = blocked.headers["Content-Security-Policy"]
    assert course.platform.url in policy.partition("frame-ancestors")[2]
    link = re.search('href="([^"]+)" target="_blank"', blocked.text)
    assert link
    outside = browser.get(html.unescape(link[1]), headers={"Sec-Fetch-Dest": "document"})
    query = parse_qs(urlsplit(outside.headers["Location"]).query)
    assert query["login_hint"] == ["5 & 6"]


def test_a_refusal_can_be_read_in_a_frame(course: Course) -> None:
    """Its policy names the platforms."""
    answer = course.browser().post("/lti/launch", data={"id_token": "", "state": ""})
    assert answer.status_code == HTTPStatus.BAD_REQUEST
    assert course.platform.url in answer.headers["Content-Security-Policy"]
