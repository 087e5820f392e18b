"""Staff pages for the roster, and the page of an invite, by which a person signs in."""

import re
from http import HTTPStatus
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import JSONResponse

from etude_server.actions import grades
from etude_server.actions import people as people_actions
from etude_server.actions.people import INVITE_DAYS
from etude_server.api.auth import CurrentService, SessionCookie, set_session_cookie
from etude_server.api.people_routes import require_existing_person
from etude_server.api.problem_details import ProblemError, find_problem
from etude_server.staff.login import (
    InstructorForm,
    PageRoute,
    SignInForm,
    StaffVisitor,
    make_staff_router,
    parse_number,
    redirect_to,
)
from etude_server.staff.page_templates import render
from etude_server.store import people, personal_data
from etude_server.store.people import ROLES, Person, is_erased_name
from grader.course.roster_file import read_roster
from grader.course.schedule import parse_zoned_time
from grader.errors import UsageError

PATH = "/staff/people"
IMPORT_PATH = f"{PATH}/import"
_ID_PATTERN = re.compile(r"[0-9a-f-]{36}")
_INVALID_INVITE = (
    "This invite was used, has expired, or is invalid. Ask your instructor for another one."
)

router = APIRouter(route_class=PageRoute, include_in_schema=False)
staff_router = make_staff_router(PATH)


@staff_router.get("")
def show_people(visitor: StaffVisitor, service: CurrentService) -> Response:
    """Show all people."""
    return _render_people(visitor, service)


def _render_people(
    visitor: StaffVisitor, service: CurrentService, status: HTTPStatus = HTTPStatus.OK, **notes: str
) -> Response:
    with service.database.read() as connection:
        present_people = [
            person for person in people.list_people(connection) if not is_erased_name(person.name)
        ]
    notes = {"error": "", "done": "", "link": "", "roster": ""} | notes
    return render("people", status, visitor=visitor, people=present_people, roles=ROLES, **notes)


@staff_router.post("/import")
def import_people(form: InstructorForm, visitor: StaffVisitor, service: CurrentService) -> Response:
    """Import a roster that was pasted."""
    text = form.get("roster", "")
    try:
        rows = read_roster(text, "roster")
        with service.database.write() as connection:
            counts = people_actions.import_people(connection, rows, actor=visitor.person.id)
    except UsageError as error:
        status = HTTPStatus.UNPROCESSABLE_ENTITY
        detail = find_problem(error).detail
        return _render_people(visitor, service, status, error=detail, roster=text)
    sentence = f"{counts.added} added, {counts.changed} changed, {counts.unchanged} as they were."
    return _render_people(visitor, service, done=sentence)


def _require_target_person(form: InstructorForm, service: CurrentService) -> Person:
    return require_existing_person(service, form.get("person", ""))


TargetPerson = Annotated[Person, Depends(_require_target_person)]


@staff_router.post("/change")
def change_person(
    target_person: TargetPerson,
    form: InstructorForm,
    visitor: StaffVisitor,
    service: CurrentService,
) -> Response:
    """Give a person a role, disable them, or let them in again."""
    role = people.parse_role(form["role"]) if "role" in form else None
    disabled = {"yes": True, "no": False}.get(form.get("disabled", ""))
    with service.database.write() as connection:
        people_actions.change_person(
            connection, target_person, role=role, disabled=disabled, actor=visitor.person.id
        )
    return redirect_to(PATH)


@staff_router.post("/invite")
def make_invite(
    target_person: TargetPerson,
    _form: InstructorForm,
    visitor: StaffVisitor,
    service: CurrentService,
) -> Response:
    """Show a link for a person."""
    with service.database.write() as connection:
        secret = people_actions.make_invite(
            connection, target_person, INVITE_DAYS, actor=visitor.person.id
        )
    return _render_people(
        visitor,
        service,
        done=f"A link for {target_person.public_name}. "
        f"It signs in once, within {INVITE_DAYS} days:",
        link=f"{service.settings.public_url.rstrip('/')}/invite?key={secret}",
    )


@staff_router.post("/override")
def override_points(
    target_person: TargetPerson,
    form: InstructorForm,
    visitor: StaffVisitor,
    service: CurrentService,
) -> Response:
    """Give points or an excuse to a person, who may have submitted nothing."""
    exercise = service.catalog.require(form.get("exercise", ""))
    points, reason = parse_number(form.get("points", "")), form.get("reason", "")
    excused, actor = "excused" in form, visitor.person.id
    with service.database.write() as connection:
        grades.override_points(
            connection, target_person, exercise, points, reason, excused=excused, actor=actor
        )
    return _redirect_to_form(target_person, form)


@staff_router.post("/extend")
def extend_due_date(
    target_person: TargetPerson,
    form: InstructorForm,
    visitor: StaffVisitor,
    service: CurrentService,
) -> Response:
    """Give a person a due date of their own, also before they submit."""
    exercise = service.catalog.require(form.get("exercise", ""))
    due = parse_zoned_time(form.get("due", "")[:100])
    with service.database.write() as connection:
        grades.extend_due_date(connection, target_person, exercise.id, due, actor=visitor.person.id)
    return _redirect_to_form(target_person, form)


def _redirect_to_form(target_person: Person, form: dict[str, str]) -> Response:
    """Redirect to the page of the form, a submission's or a person's."""
    if _ID_PATTERN.fullmatch(form.get("submission", "")):
        return redirect_to(f"/staff/submissions/{form['submission']}")
    return redirect_to(f"/staff/submissions?{urlencode({'person': target_person.name})}")


@staff_router.post("/export")
def export_person(
    target_person: TargetPerson, _form: InstructorForm, service: CurrentService
) -> Response:
    """Return everything that is stored of a person, as a file."""
    with service.database.read(snapshot=True) as connection:
        data = personal_data.export_person(connection, target_person)
    headers = {"Content-Disposition": f'attachment; filename="{target_person.id}.json"'}
    return JSONResponse(data, headers=headers)


@staff_router.post("/erase")
def erase_person(
    target_person: TargetPerson,
    form: InstructorForm,
    visitor: StaffVisitor,
    service: CurrentService,
) -> Response:
    """Erase a person, after a second look."""
    if "sure" not in form:
        return render("erase", visitor=visitor, person=target_person)
    with service.database.write() as connection:
        people_actions.erase_person(connection, target_person, actor=visitor.person.id)
    return _render_people(visitor, service, done="The person is erased.")


@router.get("/invite")
def show_invite(
    service: CurrentService, key: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    """Ask before an invite is used: programs that read mail open links, too."""
    with service.database.read() as connection:
        invitee = people.find_invitee(connection, key)
    if invitee is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, _INVALID_INVITE)
    return render("invite", person=invitee, key=key, token="")


@router.post("/invite")
def accept_invite(form: SignInForm, service: CurrentService, cookie: SessionCookie) -> Response:
    """Sign a person in, close the browser's last session, and show a token for the next time."""
    with service.database.write() as connection:
        invitee = people.redeem_invite(connection, form.get("key", ""))
        if invitee is None:
            raise ProblemError(HTTPStatus.NOT_FOUND, _INVALID_INVITE)
        token = people.make_token(connection, invitee, "invite", actor=invitee.id)
        people.close_session(connection, cookie or "")
        new_cookie = people.open_session(connection, invitee)
    response = render("invite", person=invitee, key="", token=token)
    set_session_cookie(response, new_cookie, service)
    return response
