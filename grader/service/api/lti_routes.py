"""`/lti/`: launches from learning platforms, and our public key."""

from http import HTTPStatus
from typing import Any, Final
from urllib.parse import parse_qs, urlencode

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, RedirectResponse

from grader.service.api.auth import ContextOf, give_cookie, partition
from grader.service.lti import launch
from grader.service.lti.keys import tool_keys
from grader.service.lti.launch import LaunchError
from grader.service.service import AppContext
from grader.service.staff.login import Fields, see
from grader.service.staff.page_templates import render
from grader.service.store import platforms
from grader.service.store.database import Database
from grader.service.store.platforms import origin

router = APIRouter(prefix="/lti", include_in_schema=False)

_LOGIN: Final = "/lti/login"
_PATH: Final = "/lti/launch"
_TRIAL: Final = "etude_lti_trial"  # a cookie, and the mark of a request that should have it
_MOST_CHOSEN: Final = 2_000
_BLOCKED: Final = (
    "Your browser blocks the cookies of this frame, so the exercise cannot know who you are. In a "
    "window of its own it can."
)
_KEYS_ARE_FRESH: Final = {"Cache-Control": "public, max-age=3600"}


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
    try:
        begun = launch.begin(service.database, sent, _base(request, service) + _PATH)
    except LaunchError as error:
        return _refusal(error, service)
    # In a frame a cookie is tried first. A browser that blocks it could not finish the launch.
    is_tried = not _is_in_frame(request) or _TRIAL in request.cookies
    if not is_tried and _TRIAL in sent:
        asked = {name: value for name, value in sent.items() if name != _TRIAL}
        again = f"{_LOGIN}?{urlencode(asked)}"
        frames = frame_origins(service.database)
        return render("launch", frames=frames, sentence=_BLOCKED, page=again, in_new_window=True)
    if not is_tried:
        answer = _redirect(f"{_LOGIN}?{urlencode(sent | {_TRIAL: '1'})}")
        _set_cookie(answer, service, _TRIAL, "1", _LOGIN)
        return answer
    answer = _redirect(begun.url)
    _set_cookie(answer, service, begun.cookie, begun.secret, _PATH)
    return answer


def _is_in_frame(request: Request) -> bool:
    return request.headers.get("sec-fetch-dest") == "iframe"


def _redirect(url: str) -> Response:
    return RedirectResponse(url, HTTPStatus.FOUND, {"Cache-Control": "no-store"})


def _set_cookie(answer: Response, service: AppContext, name: str, value: str, path: str) -> None:
    """Set a cookie of a launch, which the platform's page sends back by a post."""
    is_https = service.settings.is_https
    answer.set_cookie(
        name,
        value,
        max_age=launch.LOGIN_SECONDS,
        path=path,
        httponly=True,
        secure=is_https,
        samesite="none" if is_https else None,
    )
    partition(answer)  # else browsers that block cookies of other sites would not keep it


def _base(request: Request, service: AppContext) -> str:
    """Return our address; without one the socket's that received it: headers may be forged."""
    host, port = request.scope["server"]
    here = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    return (service.settings.public_url or here).rstrip("/")


@router.post("/launch")
def finish(request: Request, service: ContextOf, sent: Fields) -> Response:
    """Verify a launch, open a session and redirect to the exercise."""
    keys = request.app.state.platform_keys
    try:
        launched = launch.finish(service.database, service.catalog, keys, sent, request.cookies)
    except LaunchError as error:
        return _refusal(error, service)
    in_frame = _is_in_frame(request)
    page = f"{launched.page}?embed" if in_frame else launched.page
    frames = frame_origins(service.database)
    answer: Response = see(page)
    if launched.choice:
        tracks = service.catalog.tracks
        answer = render(
            "choice", frames=frames, request=launched.choice, tracks=tracks, answer=None
        )
    elif launched.warning:
        answer = render(
            "launch", frames=frames, sentence=launched.warning, page=page, in_new_window=False
        )
    give_cookie(answer, launched.cookie, service, in_frame=in_frame)
    cookie = launch.cookie_name(sent.get("state", ""))
    answer.delete_cookie(cookie, _PATH, httponly=True, secure=service.settings.is_https)
    return answer


@router.post("/choice")
async def choose(request: Request, service: ContextOf) -> Response:
    """Show the button that sends the chosen exercises to the platform."""
    try:
        sent = parse_qs((await request.body()).decode(), max_num_fields=_MOST_CHOSEN)
        chosen = list(filter(None, map(service.catalog.find, sent.get("exercise", ()))))
        token = sent.get("request", [""])[0]
        launch_url = _base(request, service) + _PATH
        found = await run_in_threadpool(launch.choose, service.database, token, chosen, launch_url)
    except (LaunchError, ValueError) as error:
        return await run_in_threadpool(_refusal, error, service)
    frames = await run_in_threadpool(frame_origins, service.database)
    form = origin(found.url)
    return render("choice", frames=frames, form=form, answer=found, count=len(chosen))


def frame_origins(database: Database) -> str:
    """Return the sites that may show our pages in frames: the registered platforms."""
    with database.read() as connection:
        found = platforms.listed(connection)
    return " ".join(sorted({"'self'"}.union(*(each.origins for each in found))))


def _refusal(error: Exception, service: AppContext) -> Response:
    """Return a page with the reason, which platforms may show in a frame too."""
    frames = frame_origins(service.database)
    return render(
        "launch",
        HTTPStatus.BAD_REQUEST,
        frames=frames,
        sentence=str(error),
        page="",
        in_new_window=False,
    )
