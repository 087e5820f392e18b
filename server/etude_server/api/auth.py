"""Authentication: programs send a token, browsers a session cookie from `/v1/session`."""

from http import HTTPStatus
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request, Response
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field

from etude_server.api.problem_details import ProblemError, problem_responses
from etude_server.service import Service
from etude_server.store import people
from etude_server.store.people import Person, Role

SESSION_COOKIE: Final = "etude_session"
HOST_SESSION_COOKIE: Final = f"__Host-{SESSION_COOKIE}"
"""The cookie's name over HTTPS; browsers accept this prefix only from this host, over HTTPS."""

CSRF_HEADER: Final = "X-CSRF-Token"

STAFF_ONLY: Final = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
"""The error statuses of a request by someone who is not staff."""

_BEARER_CHALLENGE: Final = {"WWW-Authenticate": "Bearer"}
_bearer_scheme = HTTPBearer(auto_error=False, description="A token, made by `etude staff token`.")
_cookie_scheme = APIKeyCookie(
    name=SESSION_COOKIE,
    auto_error=False,
    description=f"A browser's session; by HTTPS the cookie is {HOST_SESSION_COOKIE}.",
)
_PAGE_DESTINATIONS: Final = frozenset({"empty", "document"})
"""Values of Sec-Fetch-Dest that may use a session: a page's `fetch` and a link. Imported scripts,
fonts and images may not, because no page of ours loads them with a session."""

_SAFE_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})

router = APIRouter(prefix="/v1/session", tags=["session"])


async def find_service(request: Request) -> Service:
    """Return the running service; asynchronous, since FastAPI runs other functions in threads."""
    running: Service = request.app.state.service
    return running


CurrentService = Annotated[Service, Depends(find_service)]


def find_public_address(request: Request, service: Service) -> str:
    """Return the public address, or the receiving socket's, because headers can be forged."""
    host, port = request.scope["server"]
    here = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    return (service.settings.public_url or here).rstrip("/")


def _choose_cookie_name(service: Service) -> str:
    return HOST_SESSION_COOKIE if service.settings.is_https else SESSION_COOKIE


async def read_session_cookie(request: Request, service: CurrentService) -> str | None:
    """Return the value of the session cookie, or None."""
    return request.cookies.get(_choose_cookie_name(service))


SessionCookie = Annotated[str | None, Depends(read_session_cookie)]


def require_signed_in(
    request: Request,
    service: CurrentService,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer_scheme)],
    _cookie_in_openapi: Annotated[str | None, Depends(_cookie_scheme)],
    cookie: SessionCookie,
) -> Person:
    """Return the person who makes a request.

    Raises:
        ProblemError: The credentials are missing or wrong, or a browser's request may come from
            another site.
    """
    person = None
    with service.database.read() as connection:
        if bearer is not None:
            person = people.find_person_by_token(connection, bearer.credentials)
        elif cookie and (person := people.find_person_by_session(connection, cookie)):
            if request.headers.get("Sec-Fetch-Dest", "empty") not in _PAGE_DESTINATIONS:
                detail = "A browser's session answers pages, not imported scripts, fonts or images."
                raise ProblemError(HTTPStatus.FORBIDDEN, detail)
            csrf_token = request.headers.get(CSRF_HEADER, "")
            if request.method not in _SAFE_METHODS and not people.matches_csrf_token(
                csrf_token, people.make_csrf_token(cookie)
            ):
                detail = f"A browser's request needs the session's {CSRF_HEADER} header."
                raise ProblemError(HTTPStatus.FORBIDDEN, detail)
    if person is None:
        detail = "Sign in, or send a valid token as 'Authorization: Bearer ...'."
        raise ProblemError(HTTPStatus.UNAUTHORIZED, detail, _BEARER_CHALLENGE)
    return person


SignedIn = Annotated[Person, Depends(require_signed_in)]


def require_instructor_or_reader(person: SignedIn, request: Request) -> Person:
    """Return the requester if they are staff, else answer 403; assistants may only read."""
    if person.role != "instructor" and not (person.is_staff and request.method in _SAFE_METHODS):
        raise ProblemError(HTTPStatus.FORBIDDEN, "This is for instructors.")
    return person


InstructorOrReader = Annotated[Person, Depends(require_instructor_or_reader)]


def require_staff(person: SignedIn) -> Person:
    """Return the requester if they teach or assist, else answer 403."""
    if not person.is_staff:
        raise ProblemError(HTTPStatus.FORBIDDEN, "This is for instructors and assistants.")
    return person


StaffMember = Annotated[Person, Depends(require_staff)]


class SignIn(BaseModel):
    """A token, typed or pasted once."""

    model_config = ConfigDict(extra="forbid", strict=True)

    token: str = Field(min_length=1, max_length=200)


class SessionInfo(BaseModel):
    """The signed-in person, and the CSRF token of a browser's session."""

    name: str
    role: Role
    csrf: str | None = Field(
        description="The X-CSRF-Token to send; null for a program with a token."
    )


@router.post("", responses=problem_responses(HTTPStatus.UNAUTHORIZED))
def sign_in(
    credentials: SignIn, service: CurrentService, response: Response, cookie: SessionCookie
) -> SessionInfo:
    """Open a session for a browser, and close its last; scripts cannot read the cookie."""
    with service.database.write() as connection:
        signed_in = people.sign_in(connection, credentials.token, cookie)
    if signed_in is None:
        detail = "This token is unknown, expired or revoked."
        raise ProblemError(HTTPStatus.UNAUTHORIZED, detail, _BEARER_CHALLENGE)
    person, new_cookie = signed_in
    set_session_cookie(response, new_cookie, service)
    return SessionInfo(name=person.name, role=person.role, csrf=people.make_csrf_token(new_cookie))


def set_session_cookie(
    response: Response, cookie: str, service: Service, *, in_frame: bool = False
) -> None:
    """Set the session cookie, which scripts cannot read.

    Inside another site's frame the cookie is partitioned: frames of other sites do not have it, and
    requests that change something need the CSRF token anyway.
    """
    response.set_cookie(
        _choose_cookie_name(service),
        cookie,
        max_age=people.SESSION_SECONDS,
        httponly=True,
        samesite="none" if in_frame and service.settings.is_https else "lax",
        secure=service.settings.is_https,
    )
    if in_frame:
        partition_cookies(response)


def partition_cookies(response: Response) -> None:
    """Mark a response's secure cookies as partitioned, as Starlette does from Python 3.14 on."""
    response.raw_headers = [
        (name, value + b"; Partitioned" if name == b"set-cookie" and b"Secure" in value else value)
        for name, value in response.raw_headers
    ]


def delete_session_cookie(response: Response, service: Service) -> None:
    """Delete the session cookie, with the attributes with which it was set."""
    response.delete_cookie(_choose_cookie_name(service), secure=service.settings.is_https)


@router.get("", responses=problem_responses(HTTPStatus.UNAUTHORIZED))
def show_session(person: SignedIn, request: Request, cookie: SessionCookie) -> SessionInfo:
    """Return the signed-in person; a page that was reloaded gets its CSRF token again.

    No other site can read the answer: it allows no origin but its own.
    """
    is_program = "authorization" in request.headers
    csrf = None if is_program or cookie is None else people.make_csrf_token(cookie)
    return SessionInfo(name=person.name, role=person.role, csrf=csrf)


@router.delete("", status_code=HTTPStatus.NO_CONTENT, responses=problem_responses(*STAFF_ONLY))
def sign_out(
    _person: SignedIn, service: CurrentService, response: Response, cookie: SessionCookie
) -> None:
    """Close the session."""
    if cookie is not None:
        with service.database.write() as connection:
            people.close_session(connection, cookie)
    delete_session_cookie(response, service)
