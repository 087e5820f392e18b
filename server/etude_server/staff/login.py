"""Sign-in in browsers, and authentication and CSRF protection of the staff pages."""

import math
import re
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl, urlencode

from fastapi import APIRouter, Depends, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import RedirectResponse
from fastapi.routing import APIRoute

from etude_server.api.auth import (
    CurrentService,
    SessionCookie,
    delete_session_cookie,
    find_public_address,
    set_session_cookie,
)
from etude_server.api.problem_details import ProblemError, find_problem
from etude_server.oidc import Provider
from etude_server.service import Service
from etude_server.signed_tokens import LOGIN_SECONDS
from etude_server.staff.page_templates import render
from etude_server.store import people
from etude_server.store.people import Person
from grader.errors import UsageError

HOME: Final = "/staff/"
_MAX_FIELDS: Final = 20  # fields of a form
_OIDC_PATH: Final = "/oidc/callback"
_OIDC_COOKIE: Final = "etude_oidc"
# Name of a cookie with the page to return to after sign-in.
_OIDC_BACK_COOKIE: Final = "etude_oidc_back"
# A path on this host, never another host.
_LOCAL_PATH: Final = re.compile(r"/(?!/)[!-\[\]-~]{0,500}")


class PageRoute(APIRoute):
    """A route whose errors are pages as well."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap a route's handler."""
        handle = super().get_route_handler()

        async def handle_with_error_pages(request: Request) -> Response:
            try:
                return await handle(request)
            except _SignedOutError:
                # After sign-in, return to the requested page.
                target = request.url.path if request.method == "GET" else HOME
                if request.method == "GET" and request.url.query:
                    target += f"?{request.url.query}"
                return redirect_to(f"/sign-in?{urlencode({'next': target})}")
            except RequestValidationError:
                return _render_error(HTTPStatus.NOT_FOUND, "There is no such page.")
            except (ProblemError, UsageError) as error:
                problem = find_problem(error)
                return _render_error(problem.status, problem.detail)

        return handle_with_error_pages


class _SignedOutError(Exception):
    """The browser has no session."""


router = APIRouter(route_class=PageRoute, include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in instructor or assistant, with the CSRF token for their forms."""

    person: Person
    csrf: str


def find_visitor(service: CurrentService, cookie: SessionCookie) -> Visitor:
    """Return the visitor if they are an instructor or assistant; raise for anyone else."""
    with service.database.read() as connection:
        person = people.find_person_by_session(connection, cookie) if cookie else None
    if person is None or cookie is None:
        raise _SignedOutError
    if not person.is_staff:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is nothing here for you.")
    return Visitor(person, people.make_csrf_token(cookie))


StaffVisitor = Annotated[Visitor, Depends(find_visitor)]


def make_staff_router(prefix: str) -> APIRouter:
    """Return a router of pages for instructors and assistants."""
    return APIRouter(
        prefix=prefix,
        route_class=PageRoute,
        include_in_schema=False,
        dependencies=[Depends(find_visitor)],
    )


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a form; answer 400 for anything else."""
    body = await request.body()
    try:
        return dict(parse_qsl(body.decode(), max_num_fields=_MAX_FIELDS, keep_blank_values=True))
    except ValueError:
        raise ProblemError(HTTPStatus.BAD_REQUEST, "This is not a form of this site.") from None


FormFields = Annotated[dict[str, str], Depends(read_form)]


def parse_number(text: str) -> float | None:
    """Return a field's number, or None if it is empty; raise `UsageError` if it is invalid."""
    try:
        value = float(text) if text.strip() else None
    except ValueError:
        value = math.nan
    if value is not None and not math.isfinite(value):
        raise UsageError(f"{text[:20]!r} is not a number")
    return value


def require_own_site(request: Request, form: FormFields) -> dict[str, str]:
    """Return the fields of a sign-in form.

    Another site must not sign a person in as someone else, so its form is refused. Over plain HTTP,
    browsers only send the origin of a request.
    """
    headers = request.headers
    origin = headers.get("origin")
    is_own = origin is None or origin.partition("://")[2] == headers.get("host")
    if not is_own or headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
        raise ProblemError(HTTPStatus.FORBIDDEN, "This form came from another site.")
    return form


SignInForm = Annotated[dict[str, str], Depends(require_own_site)]


def require_csrf_token(form: FormFields, visitor: StaffVisitor) -> dict[str, str]:
    """Return the fields of a form with the right CSRF token; refuse another site's form."""
    if not people.matches_csrf_token(form.get("csrf", ""), visitor.csrf):
        raise ProblemError(
            HTTPStatus.FORBIDDEN, "This form is of an earlier visit: open its page again."
        )
    return form


StaffForm = Annotated[dict[str, str], Depends(require_csrf_token)]


def require_instructor(form: StaffForm, visitor: StaffVisitor) -> dict[str, str]:
    """Return the fields of a form for instructors; refuse an assistant's."""
    if visitor.person.role != "instructor":
        raise ProblemError(HTTPStatus.FORBIDDEN, "This is for instructors.")
    return form


InstructorForm = Annotated[dict[str, str], Depends(require_instructor)]


@router.get("/sign-in")
def sign_in_page(request: Request, service: CurrentService) -> Response:
    """Show the sign-in page."""
    target = _find_local_path(request.query_params.get("next", ""), HOME) or HOME
    return _render_sign_in(service, target)


def _render_sign_in(
    service: Service, target: str, status: HTTPStatus = HTTPStatus.OK, error: str = ""
) -> Response:
    has_oidc = service.settings.oidc is not None
    return render("sign-in", status, next=target, error=error, has_oidc=has_oidc)


@router.post("/sign-in")
def sign_in(form: SignInForm, service: CurrentService, cookie: SessionCookie) -> Response:
    """Open a session, and redirect to the page that was asked for."""
    target = _find_local_path(form.get("next", ""), HOME) or HOME
    with service.database.write() as connection:
        signed_in = people.sign_in(connection, form.get("token", "").strip(), cookie)
    if signed_in is None:
        error = "This token is unknown, expired or revoked."
        return _render_sign_in(service, target, HTTPStatus.UNAUTHORIZED, error)
    response = redirect_to(target)
    set_session_cookie(response, signed_in[1], service)
    return response


@router.post("/sign-out")
def sign_out(_form: StaffForm, service: CurrentService, cookie: SessionCookie) -> Response:
    """Close the session."""
    with service.database.write() as connection:
        people.close_session(connection, cookie or "")
    response = redirect_to("/sign-in")
    delete_session_cookie(response, service)
    return response


def redirect_to(path: str) -> RedirectResponse:
    """Redirect to a page by GET, so that going back does not submit a form again."""
    return RedirectResponse(path, HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})


def _find_local_path(path: str, start: str = "/") -> str:
    """Return a path of this site that begins so, or "" for any other address."""
    return path if path.startswith(start) and _LOCAL_PATH.fullmatch(path) else ""


def _render_error(status: HTTPStatus, sentence: str) -> Response:
    return render("error", status, title=status.phrase, sentence=sentence)


def _require_provider(request: Request, service: Service) -> tuple[Provider, str]:
    """Return the university's provider, and the address to which it redirects a browser."""
    if service.settings.oidc is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no single sign-on here.")
    return service.settings.oidc, find_public_address(request, service) + _OIDC_PATH


@router.get("/oidc/login")
def begin_oidc(request: Request, service: CurrentService) -> Response:
    """Redirect a browser to the provider."""
    provider, redirect_uri = _require_provider(request, service)
    url, secret = provider.start_login(redirect_uri)
    response = RedirectResponse(url, HTTPStatus.FOUND, {"Cache-Control": "no-store"})
    back = _find_local_path(request.query_params.get("back", ""))
    for name, value in ((_OIDC_COOKIE, secret), (_OIDC_BACK_COOKIE, back)):
        response.set_cookie(
            name,
            value,
            max_age=LOGIN_SECONDS,
            path=_OIDC_PATH,
            httponly=True,
            samesite="lax",
            secure=service.settings.is_https,
        )
    return response


@router.get(_OIDC_PATH)
def finish_oidc(request: Request, service: CurrentService, cookie: SessionCookie) -> Response:
    """Open a session for anyone on the roster who comes back, and close the browser's last one."""
    provider, redirect_uri = _require_provider(request, service)
    secret = request.cookies.get(_OIDC_COOKIE, "")
    parameters = dict(request.query_params)
    name = provider.finish_login(parameters, secret, redirect_uri, service.public_keys)
    with service.database.write() as connection:
        person = people.find_person_by_login(connection, name)
        if person is None:
            sentence = f"{name} is not on the roster of this course; ask your instructor."
            raise ProblemError(HTTPStatus.CONFLICT, sentence)
        people.close_session(connection, cookie or "")
        new_cookie = people.open_session(connection, person)
    home = HOME if person.is_staff else "/"
    response = redirect_to(_find_local_path(request.cookies.get(_OIDC_BACK_COOKIE, "")) or home)
    set_session_cookie(response, new_cookie, service)
    response.delete_cookie(_OIDC_COOKIE, _OIDC_PATH)
    response.delete_cookie(_OIDC_BACK_COOKIE, _OIDC_PATH)
    return response
