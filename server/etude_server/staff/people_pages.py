"""Staff pages for the roster, and the page of an invite, by which a person signs in."""

import re
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import JSONResponse

from etude_server.actions import grades
from etude_server.actions import people as actions
from etude_server.actions.people import INVITE_DAYS
from etude_server.api.auth import CookieOf, ServiceOf, give_cookie
from etude_server.api.people_routes import need_person
from etude_server.api.problem_details import ProblemError
from etude_server.staff.login import (
    EntryForm,
    Instructor,
    OwnForm,
    PageRoute,
    number,
    see,
    staff_pages,
)
from etude_server.staff.page_templates import render
from etude_server.store import people, personal_data
from etude_server.store.people import ROLES, Person, is_erased_name
from grader.course.roster_file import read_roster
from grader.course.schedule import moment
from grader.errors import UsageError

PATH = "/staff/people"
IMPORT_PATH = f"{PATH}/import"
_ID = re.compile(r"[0-9a-f-]{36}")
_NOT_VALID = "This invite was used, has expired, or is none. Ask your instructor for another one."

router = APIRouter(route_class=PageRoute, include_in_schema=False)
inside = staff_pages(PATH)


@inside.get("")
def listing(visitor: Instructor, service: ServiceOf) -> Response:
    """Show everybody."""
    return _page(visitor, service)


def _page(
    visitor: Instructor, service: ServiceOf, status: HTTPStatus = HTTPStatus.OK, **notes: str
) -> Response:
    with service.database.read() as connection:
        listed = [
            person for person in people.list_people(connection) if not is_erased_name(person.name)
        ]
    notes = {"trouble": "", "done": "", "link": "", "roster": ""} | notes
    return render("people", status, visitor=visitor, people=listed, roles=ROLES, **notes)


@inside.post("/import")
def import_people(sent: OwnForm, visitor: Instructor, service: ServiceOf) -> Response:
    """Import a roster that was pasted."""
    text = sent.get("roster", "")
    try:
        rows = read_roster(text, "roster")
        with service.database.write() as connection:
            done = actions.import_people(connection, rows, actor=visitor.person.id)
    except UsageError as error:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        return _page(visitor, service, status, trouble=f"{error}.", roster=text)
    sentence = f"{done.added} added, {done.changed} changed, {done.unchanged} as they were."
    return _page(visitor, service, done=sentence)


def _whom(sent: OwnForm, service: ServiceOf) -> Person:
    return need_person(service, sent.get("person", ""))


Whom = Annotated[Person, Depends(_whom)]


@inside.post("/change")
def change(whom: Whom, sent: OwnForm, visitor: Instructor, service: ServiceOf) -> Response:
    """Give a person a role, disable them, or let them in again."""
    role = people.parse_role(sent["role"]) if "role" in sent else None
    disabled = {"yes": True, "no": False}.get(sent.get("disabled", ""))
    with service.database.write() as connection:
        actions.change_person(
            connection, whom, role=role, disabled=disabled, actor=visitor.person.id
        )
    return see(PATH)


@inside.post("/invite")
def invite(whom: Whom, _sent: OwnForm, visitor: Instructor, service: ServiceOf) -> Response:
    """Show a link for a person."""
    with service.database.write() as connection:
        secret = actions.make_invite(connection, whom, INVITE_DAYS, actor=visitor.person.id)
    return _page(
        visitor,
        service,
        done=f"A link for {whom.public_name}. It signs in once, within {INVITE_DAYS} days:",
        link=f"{service.settings.public_url.rstrip('/')}/invite?key={secret}",
    )


@inside.post("/override")
def override(whom: Whom, sent: OwnForm, visitor: Instructor, service: ServiceOf) -> Response:
    """Give points or an excuse to a person, who may have submitted nothing."""
    exercise = service.catalog.need(sent.get("exercise", ""))
    points, reason = number(sent.get("points", "")), sent.get("reason", "")
    excused, actor = "excused" in sent, visitor.person.id
    with service.database.write() as connection:
        grades.override_points(
            connection, whom, exercise, points, reason, excused=excused, actor=actor
        )
    return _back(whom, sent)


@inside.post("/extend")
def extend(whom: Whom, sent: OwnForm, visitor: Instructor, service: ServiceOf) -> Response:
    """Give a person a due date of their own, also before they submit."""
    exercise = service.catalog.need(sent.get("exercise", ""))
    due = moment(sent.get("due", "")[:100])
    with service.database.write() as connection:
        grades.extend_due_date(connection, whom, exercise.id, due, actor=visitor.person.id)
    return _back(whom, sent)


def _back(whom: Person, sent: dict[str, str]) -> Response:
    """Redirect to the page of the form, a submission's or a person's."""
    if _ID.fullmatch(sent.get("submission", "")):
        return see(f"/staff/submissions/{sent['submission']}")
    return see(f"/staff/submissions?{urlencode({'person': whom.name})}")


@inside.post("/export")
def export(whom: Whom, _sent: OwnForm, service: ServiceOf) -> Response:
    """Return everything that is stored of a person, as a file."""
    with service.database.read(snapshot=True) as connection:
        data = personal_data.export_person(connection, whom)
    headers = {"Content-Disposition": f'attachment; filename="{whom.id}.json"'}
    return JSONResponse(data, headers=headers)


@inside.post("/erase")
def erase(whom: Whom, sent: OwnForm, visitor: Instructor, service: ServiceOf) -> Response:
    """Erase a person, after a second look."""
    if "sure" not in sent:
        return render("erase", visitor=visitor, person=whom)
    with service.database.write() as connection:
        actions.erase_person(connection, whom, actor=visitor.person.id)
    return _page(visitor, service, done="The person is erased.")


@router.get("/invite")
def accept_page(service: ServiceOf, key: Annotated[str, Query(max_length=200)] = "") -> Response:
    """Ask before an invite is used: programs that read mail open links, too."""
    with service.database.read() as connection:
        invitee = people.find_invitee(connection, key)
    if invitee is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, _NOT_VALID)
    return render("invite", person=invitee, key=key, token="")


@router.post("/invite")
def accept(sent: EntryForm, service: ServiceOf, cookie: CookieOf) -> Response:
    """Sign a person in, close the browser's last session, and show a token for the next time."""
    with service.database.write() as connection:
        invitee = people.redeem_invite(connection, sent.get("key", ""))
        if invitee is None:
            raise ProblemError(HTTPStatus.NOT_FOUND, _NOT_VALID)
        token = people.make_token(connection, invitee, "invite", actor=invitee.id)
        people.close_session(connection, cookie or "")
        new_cookie = people.open_session(connection, invitee)
    response = render("invite", person=invitee, key="", token=token)
    give_cookie(response, new_cookie, service)
    return response
