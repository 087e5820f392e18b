"""People over HTTP: imported, shown by their names, in their roles, invited and disabled."""

import re
from http import HTTPStatus

import httpx
import pytest

from tests.server.api.conftest import Served

ROSTER = (
    "\ufeffID;Name;E-mail;Role;Section\r\n"
    "s1;Ada Lovelace;ada@example.org;;A\r\n"
    "t1;Grace Hopper;grace@example.org;assistant;\r\n"
    ";;;;\r\n"
)


@pytest.fixture
def prof(served: Served) -> httpx.Client:
    """An instructor, who has imported the roster."""
    made = served.client("prof", "instructor")
    made.headers["Content-Type"] = "text/csv"
    made.post("/v1/people/import", content=ROSTER.encode()).raise_for_status()
    del made.headers["Content-Type"]
    return made


def _import(client: httpx.Client, table: bytes) -> httpx.Response:
    return client.post("/v1/people/import", content=table, headers={"Content-Type": "text/csv"})


def _csrf(visitor: httpx.Client) -> str:
    [csrf, *_] = re.findall(r'name="csrf" value="([^"]*)"', visitor.get("/staff/people").text)
    return str(csrf)


def _listed(client: httpx.Client) -> dict[str, dict[str, object]]:
    return {each["name"]: each for each in client.get("/v1/people").raise_for_status().json()}


def test_a_roster_is_imported_and_imported_again(prof: httpx.Client) -> None:
    """As spreadsheets write it; the second time it changes who is there, and no one else."""
    ada = _listed(prof)["s1"]
    told = (ada["display_name"], ada["login"], ada["role"], ada["section"])
    assert told == ("Ada Lovelace", "ada@example.org", "student", "A")
    again = _import(prof, "id\tname\ns1\tAda King\ns2\t\nt1\tGrace Hopper".encode("utf-16"))
    assert again.json() == {"added": 1, "changed": 1, "unchanged": 1}
    found = _listed(prof)
    assert (found["s1"]["display_name"], found["s1"]["section"]) == ("Ada King", "A")
    assert found["t1"]["role"] == "assistant"
    swapped = b"id,login\ns1,grace@example.org\nt1,ada@example.org"
    assert _import(prof, swapped).json()["changed"] == 2


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (b"student\ns9", "Roster:1 has no column 'id'."),
        (b"id,role\ns9,boss", "Roster:2: there is no role 'boss'; the roles are"),
        (b"id\ns9\ns9", "Roster:3 has the id 's9' again, as line 2 does."),
        (b"id,email\ns8,A@b.c\ns9,a@b.c", "Roster:3 has the login 'a@b.c' again, as line 2 does."),
        (b"id,email\ns9,grace@example.org", "Roster:2: 't1' has the login 'grace@example.org'."),
        (b"id,name\ns9,Ren\xe9e", "Roster:2 is not UTF-8; save the file again"),
        (b"id,name\ns9,Ada,Lovelace", "Roster:2 has more cells than the heading."),
        (b"id,role\ns9,\nprof,student", "This would leave no instructor: make someone else one"),
    ],
    ids=["columns", "role", "id", "login", "login taken", "encoding", "cells", "last instructor"],
)
def test_a_wrong_roster_changes_nothing(prof: httpx.Client, table: bytes, told: str) -> None:
    """One sentence says where and what; also the lines before it are not done."""
    answer = _import(prof, table)
    assert answer.status_code == HTTPStatus.CONFLICT
    assert answer.json()["detail"].startswith(told)
    assert not {"s8", "s9"} & _listed(prof).keys()


def test_names_stand_where_ids_stood(served: Served, prof: httpx.Client) -> None:
    """On the pages and in the gradebook; the log has an id, which a page shows as a name."""
    ada = served.client("s1")
    location = served.submit(ada, served.solution(), "attention-weights")
    page = served.visitor().get(location.replace("/v1", "/staff")).raise_for_status().text
    assert "accepted by Ada" in page
    assert ">Ada" in served.visitor().get("/staff/submissions").text
    grades = prof.get("/v1/gradebook?format=csv").text
    assert re.search(r"^s1,attention-weights,.*,Ada [A-Z][a-z]+,A,13,\r?$", grades, re.MULTILINE)


def test_an_assistant_sees_and_does_not_change(served: Served, prof: httpx.Client) -> None:
    """Pages, gradebook and roster are theirs to read; a person's data and erasure are not."""
    grace = served.client("t1", "assistant")
    for path in ("/v1/gradebook", "/v1/people", "/v1/submissions", "/v1/regrades"):
        assert grace.get(path).status_code == HTTPStatus.OK
    visitor = served.visitor("t1", "assistant")
    page = visitor.get("/staff/people").raise_for_status().text
    assert "Import a roster" not in page
    csrf = _csrf(visitor)
    sent = {"csrf": csrf, "person": str(_listed(prof)["s1"]["id"]), "sure": "on"}
    for action in ("export", "erase"):
        answer = visitor.post(f"/staff/people/{action}", data=sent)
        assert answer.status_code == HTTPStatus.FORBIDDEN, action
    assert visitor.post("/sign-out", data={"csrf": csrf}).status_code == HTTPStatus.SEE_OTHER


def test_pages_and_routes_agree_on_who_may_act(served: Served, prof: httpx.Client) -> None:
    """What the API refuses an assistant or an instructor, the page's form refuses too."""
    person = _listed(prof)["s1"]["id"]
    sent = {"exercise": "attention-weights", "source": "x"}
    location = served.client("acting").post("/v1/submissions", json=sent).headers["Location"]
    own = location.rpartition("/")[2]
    nothing = "00000000-0000-0000-0000-000000000000"
    actions = (  # the form, and the request that does the same
        ("/staff/people/import", "POST", "/v1/people/import"),
        ("/staff/people/change", "PATCH", f"/v1/people/{person}"),
        ("/staff/people/invite", "POST", f"/v1/people/{person}/invite"),
        ("/staff/people/override", "POST", f"/v1/people/{person}/overrides/attention-weights"),
        ("/staff/people/extend", "POST", f"/v1/people/{person}/extensions/attention-weights"),
        (f"/staff/submissions/{own}/release", "POST", f"{location}/release"),
        (f"/staff/submissions/{own}/comment", "POST", f"{location}/comments"),
        ("/staff/gradebook/canvas", "POST", "/v1/gradebook/canvas?column=x"),
        ("/staff/regrades/preview", "POST", "/v1/regrades/preview"),
        ("/staff/regrades", "POST", "/v1/regrades"),
        (f"/staff/regrades/{nothing}/undo", "POST", f"/v1/regrades/{nothing}/undo"),
        (f"/staff/regrades/{nothing}/cancel", "DELETE", f"/v1/regrades/{nothing}"),
    )
    people = (
        ("assistant", served.client("t2", "assistant"), served.visitor("t2", "assistant")),
        ("instructor", prof, served.visitor()),  # the only one, as other tests need it
    )
    for role, program, visitor in people:
        csrf = _csrf(visitor)
        for page, method, path in actions:
            by_form = visitor.post(page, data={"csrf": csrf, "person": str(person)})
            by_route = program.request(method, path, content=b"{}")
            refusals = {each.status_code == HTTPStatus.FORBIDDEN for each in (by_form, by_route)}
            is_refused = role == "assistant" and not page.endswith("/comment")
            assert refusals == {is_refused}, (role, page, by_form, by_route)


def test_who_is_disabled_is_out(served: Served, prof: httpx.Client) -> None:
    """Token and session end at once; they submit nothing, until they may come in again."""
    bob = served.client("bob")
    with httpx.Client(base_url=served.url) as page:
        page.post("/v1/session", json={"token": served.token("bob")}).raise_for_status()
        path = f"/v1/people/{_listed(prof)['bob']['id']}"
        assert prof.patch(path, json={"disabled": True}).json()["disabled_at"] > 0
        assert page.get("/v1/session").status_code == HTTPStatus.UNAUTHORIZED
    sent = {"exercise": "attention-weights", "source": "x"}
    assert bob.post("/v1/submissions", json=sent).status_code == HTTPStatus.UNAUTHORIZED
    token = served.token("bob")
    refused = httpx.post(f"{served.url}/v1/session", json={"token": token})
    assert refused.status_code == HTTPStatus.UNAUTHORIZED
    prof.patch(path, json={"disabled": False}).raise_for_status()
    assert bob.post("/v1/submissions", json=sent).status_code == HTTPStatus.ACCEPTED


def test_nobody_acts_on_who_was_erased(served: Served, prof: httpx.Client) -> None:
    """No request made by hand invites or enables them again, or gives them anything."""
    served.client("leaving")
    person = _listed(prof)["leaving"]["id"]
    visitor = served.visitor()
    csrf = _csrf(visitor)
    sent = {"csrf": csrf, "person": str(person), "sure": "on"}
    visitor.post("/staff/people/erase", data=sent).raise_for_status()
    of_person = f"/v1/people/{person}"
    for method, path, content in (
        ("PATCH", of_person, {"disabled": False}),
        ("POST", f"{of_person}/invite", {}),
        ("POST", f"{of_person}/overrides/attention-weights", {"points": 1, "reason": "so"}),
        ("POST", f"{of_person}/extensions/attention-weights", {"due": "2026-01-01T00:00Z"}),
    ):
        answer = prof.request(method, path, json=content)
        assert answer.status_code == HTTPStatus.NOT_FOUND, path
    assert visitor.post("/staff/people/invite", data=sent).status_code == HTTPStatus.NOT_FOUND


def test_an_invite_is_used_once(served: Served, prof: httpx.Client) -> None:
    """Neither a look nor a form of another site uses it up; it signs in, shows a token, and is over."""
    page = served.visitor().get("/staff/people").text
    assert page.count("Invite Ada") == 1
    path = prof.post(f"/v1/people/{_listed(prof)['s1']['id']}/invite").json()["path"]
    with httpx.Client(base_url=served.url) as ada:
        ada.post("/v1/session", json={"token": served.token("last")}).raise_for_status()
        earlier = {"Cookie": f"etude_session={ada.cookies['etude_session']}"}
        assert "An invite for Ada" in ada.get(path).raise_for_status().text
        sent = {"key": path.partition("=")[2]}
        foreign = ada.post("/invite", data=sent, headers={"Origin": "https://evil.example"})
        assert foreign.status_code == HTTPStatus.FORBIDDEN
        welcome = ada.post("/invite", data=sent, headers={"Origin": served.url}).raise_for_status()
        [token] = re.findall(r">(etude_[^<]*)<", welcome.text)
        assert ada.get("/v1/session").json()["name"] == "s1"
        last = httpx.get(f"{served.url}/v1/session", headers=earlier)
        assert last.status_code == HTTPStatus.UNAUTHORIZED, "the browser's last session is open"
    assert httpx.get(f"{served.url}{path}").status_code == HTTPStatus.NOT_FOUND
    again = httpx.post(f"{served.url}/invite", data={"key": path.partition("=")[2]})
    assert again.status_code == HTTPStatus.NOT_FOUND
    assert "Ask your instructor for another one" in again.text
    answer = httpx.post(f"{served.url}/v1/session", json={"token": token})
    assert answer.status_code == HTTPStatus.OK
