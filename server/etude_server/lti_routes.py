"""`/lti/`: launches from learning platforms, and our public keys."""

from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, RedirectResponse

from etude_server.api.auth import (
    CurrentService,
    SessionCookie,
    find_public_address,
    partition_cookies,
    set_session_cookie,
)
from etude_server.lti import launch
from etude_server.lti.keys import find_tool_keys
from etude_server.lti.launch import LaunchError
from etude_server.service import Service
from etude_server.signed_tokens import LOGIN_SECONDS
from etude_server.staff.login import FormFields, redirect_to
from etude_server.staff.page_templates import render
from etude_server.store import platforms
from etude_server.store.database import Database
from etude_server.store.platforms import parse_origin

router = APIRouter(prefix="/lti", include_in_schema=False)

_LOGIN_PATH: Final = "/lti/login"
_LAUNCH_PATH: Final = "/lti/launch"
# Name of a cookie, and of the query parameter of a request that should carry it.
_COOKIE_TRIAL: Final = "etude_lti_trial"
_MAX_CHOICE_FIELDS: Final = 2_000  # form fields, more than a course has exercises
_COOKIES_BLOCKED: Final = (
    "Your browser blocks the cookies of this frame, so the exercise cannot know who you are. In a "
    "window of its own it can."
)
_KEYS_CACHE_HEADERS: Final = {"Cache-Control": "public, max-age=3600"}


@router.get("/jwks.json")
def serve_public_keys(service: CurrentService) -> Response:
    """Return our public key; two of them during a rotation."""
    keys: dict[str, Any] = {"keys": [key.public for key in find_tool_keys(service.database)]}
    return JSONResponse(keys, headers=_KEYS_CACHE_HEADERS)


@router.get("/login")
def start_launch(request: Request, service: CurrentService) -> Response:
    """Redirect a browser to its platform, which authenticates the person."""
    return _redirect_to_platform(request, service, dict(request.query_params))


@router.post("/login")
def start_launch_by_form(request: Request, service: CurrentService, form: FormFields) -> Response:
    """Redirect a browser to its platform, as `start_launch` does, after a POST."""
    return _redirect_to_platform(request, service, form)


def _redirect_to_platform(
    request: Request, service: Service, parameters: dict[str, str]
) -> Response:
    try:
        login = launch.make_login_redirect(
            service.database, parameters, find_public_address(request, service) + _LAUNCH_PATH
        )
    except LaunchError as error:
        return _render_refusal(error, service)
    # In a frame, test whether cookies work: a browser that blocks them could not finish the launch.
    if not _is_in_frame(request) or _COOKIE_TRIAL in request.cookies:
        return _redirect_with_cookie(service, login.url, login.cookie, login.secret, _LAUNCH_PATH)
    if _COOKIE_TRIAL not in parameters:
        address = f"{_LOGIN_PATH}?{urlencode(parameters | {_COOKIE_TRIAL: '1'})}"
        return _redirect_with_cookie(service, address, _COOKIE_TRIAL, "1", _LOGIN_PATH)
    fields = {name: value for name, value in parameters.items() if name != _COOKIE_TRIAL}
    return _render_sentence(
        service, _COOKIES_BLOCKED, f"{_LOGIN_PATH}?{urlencode(fields)}", in_new_window=True
    )


def _is_in_frame(request: Request) -> bool:
    return request.headers.get("sec-fetch-dest") == "iframe"


def _redirect_with_cookie(service: Service, url: str, name: str, value: str, path: str) -> Response:
    """Redirect with the cookie of a launch, which returns with the platform's POST."""
    response = RedirectResponse(url, HTTPStatus.FOUND, {"Cache-Control": "no-store"})
    is_https = service.settings.is_https
    response.set_cookie(
        name,
        value,
        max_age=LOGIN_SECONDS,
        path=path,
        httponly=True,
        secure=is_https,
        samesite="none" if is_https else None,
    )
    # Browsers that block third-party cookies keep only partitioned ones.
    partition_cookies(response)
    return response


@router.post("/launch")
def finish_launch(
    request: Request, service: CurrentService, form: FormFields, cookie: SessionCookie
) -> Response:
    """Verify a launch, open a session and redirect to the exercise."""
    try:
        result = launch.finish_launch(
            service.database,
            service.catalog,
            service.public_keys,
            form,
            request.cookies,
            last_cookie=cookie,
        )
    except LaunchError as error:
        return _render_refusal(error, service)
    in_frame = _is_in_frame(request)
    page = f"{result.page}?embed" if in_frame else result.page
    response: Response = redirect_to(page)
    if result.choice:
        frames, tracks = find_frame_origins(service.database), service.catalog.tracks
        response = render(
            "choice", frames=frames, request=result.choice, tracks=tracks, answer=None
        )
    elif result.warning:
        response = _render_sentence(service, result.warning, page)
    set_session_cookie(response, result.cookie, service, in_frame=in_frame)
    launch_cookie = launch.make_cookie_name(form.get("state", ""))
    response.delete_cookie(
        launch_cookie, _LAUNCH_PATH, httponly=True, secure=service.settings.is_https
    )
    return response


@router.post("/choice")
async def answer_choice(request: Request, service: CurrentService) -> Response:
    """Show the button that sends the chosen exercises to the platform."""
    try:
        fields = parse_qs((await request.body()).decode(), max_num_fields=_MAX_CHOICE_FIELDS)
        exercises = list(filter(None, map(service.catalog.find, fields.get("exercise", ()))))
        token = fields.get("request", [""])[0]
        launch_url = find_public_address(request, service) + _LAUNCH_PATH
        answer = await run_in_threadpool(
            launch.make_choice_answer, service.database, token, exercises, launch_url
        )
    except (LaunchError, ValueError) as error:
        return await run_in_threadpool(_render_refusal, error, service)
    frames = await run_in_threadpool(find_frame_origins, service.database)
    form_target = parse_origin(answer.url)
    return render(
        "choice", frames=frames, form_target=form_target, answer=answer, count=len(exercises)
    )


def find_frame_origins(database: Database) -> str:
    """Return the sites that may show our pages in frames: the registered platforms."""
    with database.read() as connection:
        platform_list = platforms.list_platforms(connection)
    return " ".join(sorted({"'self'"}.union(*(platform.origins for platform in platform_list))))


def _render_sentence(
    service: Service,
    sentence: str,
    page: str = "",
    status: HTTPStatus = HTTPStatus.OK,
    *,
    in_new_window: bool = False,
) -> Response:
    """Return a page with one sentence, which platforms may also show in a frame."""
    frames = find_frame_origins(service.database)
    context = {"frames": frames, "sentence": sentence, "page": page}
    return render("launch", status, **context, in_new_window=in_new_window)


def _render_refusal(error: Exception, service: Service) -> Response:
    return _render_sentence(service, str(error), status=HTTPStatus.BAD_REQUEST)
