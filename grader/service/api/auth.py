"""Authentication of requests: programs send a token, browsers a session cookie."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import Depends, Request
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer

from grader.service.api.problem_details import ProblemError
from grader.service.service import AppContext
from grader.service.store import people, sessions
from grader.service.store.people import Person

COOKIE: Final = "etude_session"
COOKIE_OF_HOST: Final = f"__Host-{COOKIE}"
"""Its name by HTTPS: a browser accepts that prefix only from this very host, over HTTPS."""

CSRF_HEADER: Final = "X-CSRF-Token"

_bearer = HTTPBearer(auto_error=False, description="A token, made by `etude staff token`.")
_cookie = APIKeyCookie(
    name=COOKIE,
    auto_error=False,
    description=f"A browser's session; by HTTPS the cookie is {COOKIE_OF_HOST}.",
)
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


async def context(request: Request) -> AppContext:  # a plain function would be sent to a thread
    """Return the running service."""
    found: AppContext = request.app.state.context
    return found


ContextOf = Annotated[AppContext, Depends(context)]


def cookie_name(service: AppContext) -> str:
    """Return the name of a browser's cookie."""
    return COOKIE_OF_HOST if service.settings.is_https else COOKIE


async def session_cookie(request: Request, service: ContextOf) -> str | None:
    """Return the value of a browser's session cookie."""
    return request.cookies.get(cookie_name(service))


CookieOf = Annotated[str | None, Depends(session_cookie)]


def current_person(
    request: Request,
    service: ContextOf,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
    _described: Annotated[str | None, Depends(_cookie)],
    cookie: CookieOf,
) -> Person:
    """Return the person who makes a request.

    Raises:
        ProblemError: the credentials are missing or wrong, or a browser's request may come from
            another site.
    """
    with service.database.read() as connection:
        if bearer is not None:
            person = people.person_of_token(connection, bearer.credentials)
        elif cookie is not None:
            session = sessions.find(connection, cookie)
            person = session.person if session is not None else None
            if session is not None and request.method not in _SAFE:
                sent = request.headers.get(CSRF_HEADER, "")
                if not sessions.is_csrf(sent, session.csrf):
                    detail = f"A browser's request needs the session's {CSRF_HEADER} header."
                    raise ProblemError(HTTPStatus.FORBIDDEN, detail)
        else:
            person = None
    if person is None:
        raise ProblemError(
            HTTPStatus.UNAUTHORIZED,
            "Sign in, or send a valid token as 'Authorization: Bearer ...'.",
            {"WWW-Authenticate": "Bearer"},
        )
    return person


Someone = Annotated[Person, Depends(current_person)]


def current_staff(person: Someone, request: Request) -> Person:
    """Return the person who makes a request, if they are staff; an assistant only reads.

    Raises:
        ProblemError: they are not.
    """
    if person.role != "instructor" and not (person.is_staff and request.method in _SAFE):
        raise ProblemError(HTTPStatus.FORBIDDEN, "This is for instructors.")
    return person


Staff = Annotated[Person, Depends(current_staff)]


def current_teacher(person: Someone) -> Person:
    """Return the person who makes a request, if they are an instructor or an assistant.

    Raises:
        ProblemError: they are not.
    """
    if not person.is_staff:
        raise ProblemError(HTTPStatus.FORBIDDEN, "This is for instructors and assistants.")
    return person


Teacher = Annotated[Person, Depends(current_teacher)]
