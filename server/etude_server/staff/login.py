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

from etude_server.api.auth import CookieOf, ServiceOf, give_cookie, public_address, take_cookie
from etude_server.api.problem_details import ProblemError
from etude_server.oidc import LOGIN_SECONDS, Provider
from etude_server.service import Service
from etude_server.staff.page_templates import render
from etude_server.store import people
from etude_server.store.people import Person
from grader.errors import UsageError

HOME: Final = "/staff/"
_MAX_FIELDS: Final = 20  # fields of a form
_OIDC: Final = "/oidc/callback"
_OIDC_COOKIE: Final = "etude_oidc"
# Name of a cookie with the page to return to after sign-in.
_OIDC_BACK: Final = "etude_oidc_back"
_OWN_PAGE: Final = re.compile(r"/(?![/\\])[!-~]{0,500}")  # a path on this host, never another host


class PageRoute(APIRoute):
    """A route whose errors are pages as well."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Wrap a route's handler."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except _SignedOutError:
                # After sign-in, return to the requested page.
                target = request.url.path if request.method == "GET" else HOME
                if request.method == "GET" and request.url.query:
                    target += f"?{request.url.query}"
                return see(f"/sign-in?{urlencode({'next': target})}")
            except ProblemError as error:
                return _trouble(error.status, error.detail)
            except RequestValidationError:
                return _trouble(HTTPStatus.NOT_FOUND, "There is no such page.")
            except UsageError as error:
                return _trouble(HTTPStatus.CONFLICT, f"{error}.")

        return answer


class _SignedOutError(Exception):
    """The browser has no session."""


router = APIRouter(route_class=PageRoute, include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in instructor or assistant, with the CSRF token for their forms."""

    person: Person
    csrf: str


def instructor(service: ServiceOf, cookie: CookieOf) -> Visitor:
    """Return the visitor if they are an instructor or assistant; raise for anyone else."""
    with service.database.read() as connection:
        person = people.find_person_by_session(connection, cookie) if cookie else None
    if person is None or cookie is None:
        raise _SignedOutError
    if not person.is_staff:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is nothing here for you.")
    return Visitor(person, people.make_csrf_token(cookie))


Instructor = Annotated[Visitor, Depends(instructor)]


def staff_pages(prefix: str) -> APIRouter:
    """Return a router of pages for instructors and assistants."""
    return APIRouter(
        prefix=prefix,
        route_class=PageRoute,
        include_in_schema=False,
        dependencies=[Depends(instructor)],
    )


async def fields(request: Request) -> dict[str, str]:
    """Return the fields of a form; answer 400 for anything else."""
    body = await request.body()
    try:
        return dict(parse_qsl(body.decode(), max_num_fields=_MAX_FIELDS, keep_blank_values=True))
    except ValueError:
        raise ProblemError(HTTPStatus.BAD_REQUEST, "This is no form of ours.") from None


Fields = Annotated[dict[str, str], Depends(fields)]


def number(text: str) -> float | None:
    """Return a field's number, or None if it is empty; raise `UsageError` if it is invalid."""
    try:
        value = float(text) if text.strip() else None
    except ValueError:
        value = math.nan
    if value is not None and not math.isfinite(value):
        raise UsageError(f"{text[:20]!r} is no number")
    return value


def entry_form(request: Request, sent: Fields) -> dict[str, str]:
    """Return the fields of a sign-in form.

    Another site must not sign a person in as someone else, so its form is refused. Over plain HTTP,
    browsers only send the origin of a request.
    """
    headers = request.headers
    origin = headers.get("origin")
    is_own = origin is None or origin.partition("://")[2] == headers.get("host")
    if not is_own or headers.get("sec-fetch-site", "none") not in {"same-origin", "none"}:
        raise ProblemError(HTTPStatus.FORBIDDEN, "This form came from another site.")
    return sent


EntryForm = Annotated[dict[str, str], Depends(entry_form)]


def any_form(sent: Fields, visitor: Instructor) -> dict[str, str]:
    """Return the fields of a form with the right CSRF token; refuse another site's form."""
    if not people.matches_csrf_token(sent.get("csrf", ""), visitor.csrf):
        raise ProblemError(
            HTTPStatus.FORBIDDEN, "This form is of an earlier visit: open its page again."
        )
    return sent


AnyForm = Annotated[dict[str, str], Depends(any_form)]


def own_form(sent: AnyForm, visitor: Instructor) -> dict[str, str]:
    """Return the fields of a form for instructors; refuse an assistant's."""
    if visitor.person.role != "instructor":
        raise ProblemError(HTTPStatus.FORBIDDEN, "This is for instructors.")
    return sent


OwnForm = Annotated[dict[str, str], Depends(own_form)]


@router.get("/sign-in")
def sign_in_page(request: Request, service: ServiceOf) -> Response:
    """Show the sign-in page."""
    return _sign_in_page(service, _local(request.query_params.get("next", "")))


def _sign_in_page(
    service: Service, target: str, status: HTTPStatus = HTTPStatus.OK, trouble: str = ""
) -> Response:
    has_oidc = service.settings.oidc is not None
    return render("sign-in", status, next=target, trouble=trouble, has_oidc=has_oidc)


@router.post("/sign-in")
def sign_in(sent: EntryForm, service: ServiceOf, cookie: CookieOf) -> Response:
    """Open a session, and redirect to the page that was asked for."""
    target = _local(sent.get("next", ""))
    with service.database.write() as connection:
        entered = people.sign_in(connection, sent.get("token", "").strip(), cookie)
    if entered is None:
        trouble = "This token is unknown, expired or revoked."
        return _sign_in_page(service, target, HTTPStatus.UNAUTHORIZED, trouble)
    response = see(target)
    give_cookie(response, entered[1], service)
    return response


@router.post("/sign-out")
def sign_out(_sent: AnyForm, service: ServiceOf, cookie: CookieOf) -> Response:
    """Close the session."""
    with service.database.write() as connection:
        people.close_session(connection, cookie or "")
    response = see("/sign-in")
    take_cookie(response, service)
    return response


def see(path: str) -> RedirectResponse:
    """Redirect to a page by GET, so that going back does not submit a form again."""
    return RedirectResponse(path, HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})


def _local(path: str) -> str:
    """Return a path of the staff pages, or the home page for any other."""
    is_ours = path.startswith(HOME) and path.isprintable() and "\\" not in path
    return path if is_ours else HOME


def _trouble(status: HTTPStatus, sentence: str) -> Response:
    return render("trouble", status, title=status.phrase, sentence=sentence)


def _provider(request: Request, service: Service) -> tuple[Provider, str]:
    """Return the university's provider, and the address to which it redirects a browser."""
    if service.settings.oidc is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no single sign-on here.")
    return service.settings.oidc, public_address(request, service) + _OIDC


def _own_page(path: str) -> str:
    """Return a path of this site unchanged, or "" for any other address."""
    return path if _OWN_PAGE.fullmatch(path) else ""


@router.get("/oidc/login")
def begin_oidc(request: Request, service: ServiceOf) -> Response:
    """Redirect a browser to the provider."""
    provider, redirect_uri = _provider(request, service)
    url, secret = provider.begin(redirect_uri)
    answer = RedirectResponse(url, HTTPStatus.FOUND, {"Cache-Control": "no-store"})
    back = _own_page(request.query_params.get("back", ""))
    for name, value in ((_OIDC_COOKIE, secret), (_OIDC_BACK, back)):
        answer.set_cookie(
            name,
            value,
            max_age=LOGIN_SECONDS,
            path=_OIDC,
            httponly=True,
            samesite="lax",
            secure=service.settings.is_https,
        )
    return answer


@router.get(_OIDC)
def finish_oidc(request: Request, service: ServiceOf, cookie: CookieOf) -> Response:
    """Open a session for anyone on the roster who comes back, and close the browser's last one."""
    provider, redirect_uri = _provider(request, service)
    secret = request.cookies.get(_OIDC_COOKIE, "")
    name = provider.finish(dict(request.query_params), secret, redirect_uri)
    with service.database.write() as connection:
        person = people.find_person_by_login(connection, name)
        if person is None:
            raise UsageError(f"{name} is not on the roster of this course; ask your instructor")
        people.close_session(connection, cookie or "")
        new_cookie = people.open_session(connection, person)
    home = HOME if person.is_staff else "/"
    answer = see(_own_page(request.cookies.get(_OIDC_BACK, "")) or home)
    give_cookie(answer, new_cookie, service)
    answer.delete_cookie(_OIDC_COOKIE, _OIDC)
    answer.delete_cookie(_OIDC_BACK, _OIDC)
    return answer
