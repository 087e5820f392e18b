"""`/v1/session`: sign in with a token, and sign out."""

from http import HTTPStatus

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from grader.service.api.auth import ContextOf, CookieOf, Someone, cookie_name
from grader.service.api.problem_details import ProblemError, responses
from grader.service.service import AppContext
from grader.service.store import people, sessions
from grader.service.store.people import Person, Role
from grader.service.store.sessions import OpenedSession

router = APIRouter(prefix="/v1/session", tags=["session"])


class SignIn(BaseModel):
    """A token, typed or pasted once."""

    model_config = ConfigDict(extra="forbid", strict=True)

    token: str = Field(min_length=1, max_length=200)


class Me(BaseModel):
    """The signed-in person, and the CSRF token of a browser's session."""

    name: str
    role: Role
    csrf: str | None = Field(
        description="To be sent as X-CSRF-Token; none for a program with a token of its own."
    )


@router.post("", responses=responses(HTTPStatus.UNAUTHORIZED))
def sign_in(
    wanted: SignIn,
    service: ContextOf,
    response: Response,
    cookie: CookieOf,
) -> Me:
    """Open a session for a browser, and close its last; scripts cannot read the cookie."""
    entered = enter(service, wanted.token, cookie)
    if entered is None:
        raise ProblemError(
            HTTPStatus.UNAUTHORIZED,
            "This token is unknown, expired or revoked.",
            {"WWW-Authenticate": "Bearer"},
        )
    person, opened = entered
    give_cookie(response, opened.cookie, service)
    return Me(name=person.name, role=person.role, csrf=opened.csrf)


def enter(
    service: AppContext, token: str, last_cookie: str | None
) -> tuple[Person, OpenedSession] | None:
    """Open a session that replaces a browser's last one; return None for an unknown token."""
    with service.database.write() as connection:
        person = people.person_of_token(connection, token)
        if person is None:
            return None
        people.hold(connection, person.id)
        if people.person_of_token(connection, token) is None:  # it was revoked just now
            return None
        if last_cookie is not None:
            sessions.close_session(connection, last_cookie)
        until = people.end_of_token(connection, token)
        return person, sessions.open_session(connection, person, until)


def give_cookie(
    response: Response, cookie: str, service: AppContext, *, in_frame: bool = False
) -> None:
    """Set the session cookie, which scripts cannot read.

    In a frame of another site it is one of that site's partition: no other site's frames have it,
    and requests that change something need the CSRF token anyway.
    """
    response.set_cookie(
        cookie_name(service),
        cookie,
        max_age=sessions.LIFETIME,
        httponly=True,
        samesite="none" if in_frame and service.settings.is_https else "lax",
        secure=service.settings.is_https,
    )
    if in_frame:
        partition(response)


def partition(response: Response) -> None:
    """Mark a response's secure cookies as partitioned, which Starlette does from Python 3.14 on."""
    response.raw_headers = [
        (name, value + b"; Partitioned" if name == b"set-cookie" and b"Secure" in value else value)
        for name, value in response.raw_headers
    ]


def take_cookie(response: Response, service: AppContext) -> None:
    """Delete the session cookie, with the attributes that it was set with."""
    response.delete_cookie(cookie_name(service), secure=service.settings.is_https)


@router.get("", responses=responses(HTTPStatus.UNAUTHORIZED))
def who(
    person: Someone,
    request: Request,
    cookie: CookieOf,
) -> Me:
    """Return the signed-in person; a page that was reloaded gets its CSRF token again.

    No other site can read the answer: it allows no origin but its own.
    """
    is_program = "authorization" in request.headers
    csrf = None if is_program or cookie is None else sessions.csrf_of(cookie)
    return Me(name=person.name, role=person.role, csrf=csrf)


@router.delete(
    "",
    status_code=HTTPStatus.NO_CONTENT,
    responses=responses(HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN),
)
def sign_out(
    _person: Someone,
    service: ContextOf,
    response: Response,
    cookie: CookieOf,
) -> None:
    """Close the session."""
    if cookie is not None:
        with service.database.write() as connection:
            sessions.close_session(connection, cookie)
    take_cookie(response, service)
