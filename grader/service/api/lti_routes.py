"""`/lti/`: launches from learning platforms, and our public key."""

from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from grader.service.api.auth import ContextOf
from grader.service.api.session_routes import give_cookie
from grader.service.lti import launch
from grader.service.lti.keys import PlatformKeys, tool_keys
from grader.service.lti.launch import LaunchError
from grader.service.service import AppContext
from grader.service.staff.login import Fields, see
from grader.service.staff.page_templates import render

router = APIRouter(prefix="/lti", include_in_schema=False)

_PATH: Final = "/lti/launch"
_KEYS_ARE_FRESH: Final = {"Cache-Control": "public, max-age=3600"}


async def platform_keys(request: Request) -> PlatformKeys:
    """Return the service's cache of platform keys."""
    found: PlatformKeys = request.app.state.platform_keys
    return found


@router.get("/jwks.json")
def jwks(service: ContextOf) -> Response:
    """Return our public key; two of them during a rotation."""
    keys: dict[str, Any] = {"keys": [key.public for key in tool_keys(service.database)]}
    return JSONResponse(keys, headers=_KEYS_ARE_FRESH)


@router.get("/login")
def login(request: Request, service: ContextOf) -> Response:
    """Redirect a browser to its platform, which authenticates the person."""
    return _begin(request, service, dict(request.query_params))


@router.post("/login")
def login_by_form(request: Request, service: ContextOf, sent: Fields) -> Response:
    """Redirect a browser to its platform, as `login` does, after a POST."""
    return _begin(request, service, sent)


def _begin(request: Request, service: AppContext, sent: dict[str, str]) -> Response:
    base = service.settings.public_url or _listening(request)
    try:
        begun = launch.begin(service.database, sent, base.rstrip("/") + _PATH)
    except LaunchError as error:
        return _refusal(error)
    answer = RedirectResponse(begun.url, HTTPStatus.FOUND, {"Cache-Control": "no-store"})
    is_https = service.settings.is_https
    answer.set_cookie(
        begun.cookie,
        begun.secret,
        max_age=launch.LOGIN_SECONDS,
        path=_PATH,
        httponly=True,
        secure=is_https,
        samesite="none" if is_https else None,  # it comes back by a post from the platform's page
    )
    return answer


def _listening(request: Request) -> str:
    """Return the address of the socket that received a request: its headers may be forged."""
    host, port = request.scope["server"]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@router.post("/launch")
def finish(
    request: Request,
    service: ContextOf,
    sent: Fields,
    keys: Annotated[PlatformKeys, Depends(platform_keys)],
) -> Response:
    """Verify a launch, open a session and redirect to the exercise."""
    try:
        launched = launch.finish(service.database, service.catalog, keys, sent, request.cookies)
    except LaunchError as error:
        return _refusal(error)
    answer = see(launched.page)
    give_cookie(answer, launched.cookie, service)
    cookie = launch.cookie_name(sent.get("state", ""))
    answer.delete_cookie(cookie, _PATH, httponly=True, secure=service.settings.is_https)
    return answer


def _refusal(error: LaunchError) -> Response:
    return render("launch", HTTPStatus.BAD_REQUEST, sentence=str(error))
