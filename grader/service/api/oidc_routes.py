"""`/oidc`: sign-in by the provider of the university."""

import re
from http import HTTPStatus
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from grader.errors import UsageError
from grader.service.api.auth import ContextOf
from grader.service.api.problem_details import ProblemError
from grader.service.api.session_routes import give_cookie
from grader.service.oidc import LOGIN_SECONDS, Provider
from grader.service.service import AppContext
from grader.service.staff.login import HOME, PageRoute, see
from grader.service.store import roster, sessions

_PATH: Final = "/oidc/callback"
_COOKIE: Final = "etude_oidc"
_BACK: Final = "etude_oidc_back"  # a cookie: the page from which a person went to sign in
_OWN_PAGE: Final = re.compile(r"/(?![/\\])[!-~]{0,500}")  # a path here, not another host's

router = APIRouter(prefix="/oidc", route_class=PageRoute, include_in_schema=False)


def _provider(service: AppContext) -> Provider:
    if service.settings.oidc is None:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no single sign-on here.")
    return service.settings.oidc


def _redirect_uri(request: Request, service: AppContext) -> str:
    host, port = request.scope["server"]  # where it was received: headers may be forged
    return (service.settings.public_url or f"http://{host}:{port}").rstrip("/") + _PATH


def _own_page(path: str) -> str:
    """Return a path of this site as it is, and nothing for any other address."""
    return path if _OWN_PAGE.fullmatch(path) else ""


@router.get("/login")
def login(request: Request, service: ContextOf) -> Response:
    """Redirect a browser to the provider."""
    url, secret = _provider(service).begin(_redirect_uri(request, service))
    answer = RedirectResponse(url, HTTPStatus.FOUND, {"Cache-Control": "no-store"})
    back = _own_page(request.query_params.get("back", ""))
    for name, value in ((_COOKIE, secret), (_BACK, back)):
        answer.set_cookie(
            name,
            value,
            max_age=LOGIN_SECONDS,
            path=_PATH,
            httponly=True,
            samesite="lax",
            secure=service.settings.is_https,
        )
    return answer


@router.get("/callback")
def callback(request: Request, service: ContextOf) -> Response:
    """Open a session for anyone who comes back, if they are on the roster."""
    secret = request.cookies.get(_COOKIE, "")
    sent = dict(request.query_params)
    name = _provider(service).finish(sent, secret, _redirect_uri(request, service))
    with service.database.write() as connection:
        person = roster.find_login(connection, name)
        if person is None:
            raise UsageError(f"{name} is not on the roster of this course; ask your instructor")
        opened = sessions.open_session(connection, person)
    home = HOME if person.is_staff else "/"
    answer = see(_own_page(request.cookies.get(_BACK, "")) or home)
    give_cookie(answer, opened.cookie, service)
    answer.delete_cookie(_COOKIE, _PATH)
    answer.delete_cookie(_BACK, _PATH)
    return answer
