"""Launches in two steps, and the choice of exercises (Deep Linking).

We send a browser to its platform, which sends it back with a token. An unfinished launch stores
nothing (see `signed_tokens`). For Deep Linking a teacher chooses exercises, and the platform makes
a link and a line item for each. The platform's request is not stored either: the page of the choice
returns it, signed by us.
"""

import contextlib
import secrets
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc.errors import (
    ClaimError,
    ExpiredTokenError,
    InvalidKeyIdError,
    JoseError,
    UnsupportedAlgorithmError,
)
from joserfc.jwk import KeySet
from joserfc.jwt import JWTClaimsRegistry
from sqlalchemy import Connection

from etude_server.catalog import Catalog
from etude_server.lti.keys import ALGORITHM, find_signing_key, find_tool_keys
from etude_server.platform_requests import PlatformRequestError
from etude_server.signed_tokens import (
    LOGIN_SECONDS,
    PublicKeys,
    TokenIssuer,
    derive_token,
    is_derived,
    read_unverified,
    verify_id_token,
    verify_signature,
)
from etude_server.store import people, platforms, unsent_scores
from etude_server.store.database import Database
from etude_server.store.people import Person, Role
from etude_server.store.platforms import Platform, parse_origin
from etude_server.store.unsent_scores import LineItem
from grader.definitions.exercise import Exercise
from grader.errors import EtudeError

SCORE_SCOPE: Final = "https://purl.imsglobal.org/spec/lti-ags/scope/score"

_CHOICE_SECONDS: Final = 3600  # time for an instructor to choose exercises
_ANSWER_SECONDS: Final = 300  # time for a browser to bring the choice to its platform
_LEEWAY_SECONDS: Final = 10  # seconds by which clocks may differ

_MAX_ID_LENGTH: Final = 255  # longest id in LTI
_CLAIM_PREFIX: Final = "https://purl.imsglobal.org/spec/lti/claim/"
_GRADES_CLAIM: Final = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
_MEMBERS_CLAIM: Final = "https://purl.imsglobal.org/spec/lti-nrps/claim/namesroleservice"
_DEEP_LINKING_PREFIX: Final = "https://purl.imsglobal.org/spec/lti-dl/claim/"
_DEEP_LINKING_MESSAGE: Final = "LtiDeepLinkingRequest"
_CHOICE_AUDIENCE: Final = "etude deep linking"  # audience of tokens that we sign for ourselves

_MEMBERSHIP: Final = "http://purl.imsglobal.org/vocab/lis/v2/membership"
# The published roles in a course. `membership/Learner#Instructor` is a learner's role, and roles in
# the institution or system say nothing about the course. Names and Roles may omit the vocabulary.
_ASSISTANT_ROLES: Final = frozenset(
    {f"{_MEMBERSHIP}/Instructor#TeachingAssistant", "TeachingAssistant"}
)
_INSTRUCTOR_ROLES: Final = frozenset({f"{_MEMBERSHIP}#Instructor", "Instructor"})

_COOKIE_PREFIX: Final = "etude_lti_"
# Characters of the state in the cookie's name, to allow several launches at once.
_STATE_CHARACTERS_IN_NAME: Final = 16

_NO_LINE_ITEM: Final = (
    "This link has no line item, so grades of this exercise do not reach your gradebook. Let the "
    "platform accept grades from this tool, and add the exercise to the course by choosing it."
)


class LaunchError(EtudeError):
    """A launch is refused; the browser shows the message."""


@dataclass(frozen=True, slots=True)
class LoginRedirect:
    """The redirect of a browser to its platform, and the cookie to set."""

    url: str
    cookie: str
    secret: str


@dataclass(frozen=True, slots=True)
class LaunchResult:
    """A successful launch."""

    cookie: str  # the secret of the new session
    page: str  # the page to redirect to
    warning: str = ""  # a sentence for staff, or ""
    choice: str = ""  # Deep Linking's signed request for a choice of exercises


@dataclass(frozen=True, slots=True)
class DeepLinkAnswer:
    """A form that the browser posts to the platform."""

    url: str
    token: str


def make_login_redirect(
    database: Database, parameters: Mapping[str, str], redirect_uri: str
) -> LoginRedirect:
    """Return the redirect that begins a launch.

    Raises:
        LaunchError: The platform is not registered, or the request is incomplete.
    """
    with database.read() as connection:
        platform = platforms.find_platform(
            connection, parameters.get("iss", ""), parameters.get("client_id")
        )
    if platform is None:
        raise LaunchError("No such learning platform is registered here.")
    if not parameters.get("login_hint") or not parameters.get("target_link_uri"):
        raise LaunchError("The launch lacks login_hint or target_link_uri.")
    secret = secrets.token_urlsafe(32)
    state = derive_token(secret, f"state {platform.id}")
    query = {
        "scope": "openid",
        "response_type": "id_token",
        "response_mode": "form_post",
        "prompt": "none",
        "client_id": platform.client_id,
        "redirect_uri": redirect_uri,
        "login_hint": parameters["login_hint"],
        "state": state,
        "nonce": derive_token(secret, f"nonce {platform.id}"),
    }
    if "lti_message_hint" in parameters:
        query["lti_message_hint"] = parameters["lti_message_hint"]
    address = platform.auth_url
    separator = "&" if urlsplit(address).query else "?"
    return LoginRedirect(f"{address}{separator}{urlencode(query)}", make_cookie_name(state), secret)


def make_cookie_name(state: str) -> str:
    """Return the name of a launch's cookie."""
    part = state[:_STATE_CHARACTERS_IN_NAME]
    return _COOKIE_PREFIX + (part if part.isascii() and part.isalnum() else "")


def finish_launch(
    database: Database,
    catalog: Catalog,
    keys: PublicKeys,
    parameters: Mapping[str, str],
    cookies: Mapping[str, str],
    *,
    last_cookie: str | None,
) -> LaunchResult:
    """Verify a launch and open a session, which replaces the browser's last one.

    Raises:
        LaunchError: The launch is invalid or leads nowhere; no session was opened.
    """
    platform, claims = _verify_launch(database, keys, parameters, cookies)
    is_choice = claims[_CLAIM_PREFIX + "message_type"] == _DEEP_LINKING_MESSAGE
    page, exercise = ("", "") if is_choice else _find_exercise_page(catalog, claims)
    line_item = _find_line_item(platform, claims)
    role = find_course_role(claims.get(_CLAIM_PREFIX + "roles"))
    if is_choice and role != "instructor":
        raise LaunchError("Only people who teach the course choose links to exercises.")
    choice = _sign_choice_request(database, platform, claims) if is_choice else ""
    with database.write() as connection:
        person = _admit_person(connection, platform, claims, role)
        if line_item and person.role == "student":
            line = LineItem(person.id, exercise, platform.id, claims["sub"], line_item)
            unsent_scores.store_line_item(connection, line)
        people.close_session(connection, last_cookie or "")
        new_cookie = people.open_session(connection, person)
    warning = "" if line_item or is_choice or role == "student" else _NO_LINE_ITEM
    return LaunchResult(new_cookie, page, warning, choice)


def _verify_launch(
    database: Database,
    keys: PublicKeys,
    parameters: Mapping[str, str],
    cookies: Mapping[str, str],
) -> tuple[Platform, dict[str, Any]]:
    """Return the platform and claims of a launch that began in this browser."""
    token, state = parameters.get("id_token", ""), parameters.get("state", "")
    secret = cookies.get(make_cookie_name(state), "")
    platform = _find_claimed_platform(database, token)
    if not is_derived(state, secret, f"state {platform.id}"):
        raise LaunchError(
            "This launch did not begin in this browser. Open the exercise from your course again, "
            "and let the browser keep cookies."
        )
    claims = _verify_token(keys, platform, token, derive_token(secret, f"nonce {platform.id}"))
    _check_message(platform, claims)
    return platform, claims


def _admit_person(
    connection: Connection, platform: Platform, claims: Mapping[str, Any], role: Role
) -> Person:
    """Use up a launch's nonce, and return the person who launches.

    Raises:
        LaunchError: The nonce was used, or the course is another one, or the person is disabled.
    """
    # Any token with this nonce expires before the nonce is deleted.
    if not platforms.use_nonce(connection, claims["nonce"], 2 * LOGIN_SECONDS):
        raise LaunchError("This launch was used already. Open the exercise again.")
    if not platforms.bind_course(connection, platform, _find_course_id(claims)):
        raise LaunchError(
            "This server is for another course of your learning platform. Its operator can "
            "let this one in: etude staff platform add ... --course."
        )
    members = _find_object_claim(claims, _MEMBERS_CLAIM).get("context_memberships_url", "")
    if parse_origin(str(members)) in platform.origins and members != platform.members_url:
        platforms.set_course(connection, platform, members_url=str(members)[:1000])
    person = platforms.admit_person(connection, platform.issuer, claims["sub"], role)
    if person.disabled_at is not None:
        raise LaunchError(
            "Your access to this server is disabled. Ask your instructor to let you in again."
        )
    return person


def find_course_role(roles: object) -> Role:
    """Return our role for a platform's roles in the course; other roles do not count."""
    names = {role for role in roles if isinstance(role, str)} if isinstance(roles, list) else set()
    if names & _ASSISTANT_ROLES:
        return "assistant"
    return "instructor" if names & _INSTRUCTOR_ROLES else "student"


def _find_claimed_platform(database: Database, token: str) -> Platform:
    """Return the platform that a token claims to come from; its signature is checked later."""
    try:
        header, claims = read_unverified(token)
    except JoseError:
        raise LaunchError("The learning platform sent no token that can be read.") from None
    if "kid" not in header:
        raise LaunchError("The token does not name the key that signed it.")
    issuer, audience = claims.get("iss"), claims.get("aud")
    if isinstance(audience, list):
        audience = claims.get("azp", audience[0] if len(audience) == 1 else None)
    if isinstance(issuer, str) and isinstance(audience, str):
        with database.read() as connection:
            platform = platforms.find_platform(connection, issuer, audience)
        if platform is not None:
            return platform
    raise LaunchError("The token is not for this service, or not of a platform registered here.")


def _verify_token(keys: PublicKeys, platform: Platform, token: str, nonce: str) -> dict[str, Any]:
    """Return the claims of a token after checking signature, audience, issuer, nonce and time."""
    issuer = TokenIssuer(
        platform.issuer, platform.client_id, platform.jwks_url, (ALGORITHM,), _LEEWAY_SECONDS
    )
    try:
        claims = verify_id_token(token, issuer, keys, nonce)
    except PlatformRequestError as error:
        raise LaunchError(f"The learning platform does not show its keys: {error}.") from None
    except UnsupportedAlgorithmError:
        raise LaunchError(f"The token is not signed by {ALGORITHM}.") from None
    except InvalidKeyIdError:
        raise LaunchError(
            "The token is signed by a key that the learning platform does not have."
        ) from None
    except ExpiredTokenError:
        raise LaunchError("This launch has expired. Open the exercise again.") from None
    except ClaimError as error:
        if error.claim == "nonce":
            sentence = "This launch answers another one. Open the exercise again."
        else:
            sentence = f"The token's claim {error.claim} is missing or invalid."
        raise LaunchError(sentence) from None
    except JoseError:
        raise LaunchError("The token's signature is not the learning platform's.") from None
    if not time.time() - int(claims["iat"]) <= LOGIN_SECONDS + _LEEWAY_SECONDS:
        raise LaunchError("This launch has expired. Open the exercise again.")
    return claims


def _check_message(platform: Platform, claims: Mapping[str, Any]) -> None:
    if claims.get(_CLAIM_PREFIX + "message_type") not in (
        "LtiResourceLinkRequest",
        _DEEP_LINKING_MESSAGE,
    ):
        raise LaunchError("Only links to exercises are launched here.")
    if claims.get(_CLAIM_PREFIX + "version") != "1.3.0":
        raise LaunchError("Only LTI 1.3.0 is understood here.")
    deployment = claims.get(_CLAIM_PREFIX + "deployment_id")
    if not isinstance(deployment, str) or deployment not in platform.deployments:
        raise LaunchError("This deployment of the learning platform is not registered here.")
    person_id = claims["sub"]
    has_valid_length = 0 < len(person_id) <= _MAX_ID_LENGTH
    if not has_valid_length or not person_id.isascii() or not person_id.isprintable():
        raise LaunchError("The token's claim sub is missing or invalid.")


def _find_course_id(claims: Mapping[str, Any]) -> str:
    """Return the course's id, or "" if the platform does not send the optional claim.

    Raises:
        LaunchError: The claim has no valid id.
    """
    if _CLAIM_PREFIX + "context" not in claims:
        return ""
    course = _find_object_claim(claims, _CLAIM_PREFIX + "context").get("id")
    if (
        not isinstance(course, str)
        or not 0 < len(course) <= _MAX_ID_LENGTH
        or not course.isprintable()
    ):
        raise LaunchError("The learning platform does not say which course this is.")
    return course


def _find_exercise_page(catalog: Catalog, claims: Mapping[str, Any]) -> tuple[str, str]:
    """Return an exercise's page and id, from a custom parameter or from the link's address."""
    link = claims.get(_CLAIM_PREFIX + "target_link_uri")
    address = urlsplit("")
    if isinstance(link, str) and link.isprintable():
        with contextlib.suppress(ValueError):  # an invalid address names no exercise
            address = urlsplit(link)
    by_query = parse_qs(address.query).get("exercise", [""])[0]
    exercise_id = _find_object_claim(claims, _CLAIM_PREFIX + "custom").get("exercise") or by_query
    exercise_id = exercise_id or address.path.rstrip("/").rpartition("/")[2]
    for track in catalog.tracks:
        if any(str(exercise.id) == exercise_id for exercise in track.exercises):
            return f"/{track.definition.id}/{exercise_id}/", str(exercise_id)
    raise LaunchError(
        "The link leads to no exercise. The person who made it can set its custom parameter "
        "'exercise=...' to an exercise's id."
    )


def _find_line_item(platform: Platform, claims: Mapping[str, Any]) -> str:
    """Return the address for grades, or "" if the platform wants none.

    Raises:
        LaunchError: The address is on an unregistered host.
    """
    endpoint = _find_object_claim(claims, _GRADES_CLAIM)
    scope = endpoint.get("scope")
    line_item = endpoint.get("lineitem")
    if not isinstance(line_item, str) or not isinstance(scope, list) or SCORE_SCOPE not in scope:
        return ""
    line_item_origin = parse_origin(line_item)
    too_long = len(line_item) > 1000  # noqa: PLR2004  the column's
    if too_long or not line_item_origin or line_item_origin != parse_origin(platform.grades_url):
        raise LaunchError(
            "The learning platform wants grades at an address that is not registered here. "
            "Staff can register it: etude staff platform add ... --grades-url."
        )
    return line_item


def _sign_choice_request(database: Database, platform: Platform, claims: Mapping[str, Any]) -> str:
    """Sign the platform's request for a choice, to be returned by the page.

    Raises:
        LaunchError: The return address is not registered, or the platform does not accept links.
    """
    settings = _find_object_claim(claims, _DEEP_LINKING_PREFIX + "deep_linking_settings")
    url = settings.get("deep_link_return_url")
    if not isinstance(url, str) or parse_origin(url) not in platform.origins:
        raise LaunchError("The learning platform wants the links at an address that is not its.")
    accepted_types = settings.get("accept_types")
    if not isinstance(accepted_types, list) or "ltiResourceLink" not in accepted_types:
        raise LaunchError("The learning platform wants no links to exercises here.")
    deployment = claims[_CLAIM_PREFIX + "deployment_id"]
    request = {"platform": platform.id, "url": url, "deployment": deployment}
    if "data" in settings:
        request["data"] = settings["data"]
    own_claims = {"aud": _CHOICE_AUDIENCE, "exp": int(time.time()) + _CHOICE_SECONDS}
    return find_signing_key(database).sign({**request, **own_claims})


def make_choice_answer(
    database: Database, request: str, exercises: Sequence[Exercise], launch_url: str
) -> DeepLinkAnswer:
    """Return links to exercises, each with a line item for its points.

    Raises:
        LaunchError: The choice took too long, did not begin here, or is empty.
    """
    if not exercises:
        raise LaunchError("Nothing was chosen. Go back, and choose an exercise.")
    own_keys = KeySet([tool_key.key for tool_key in find_tool_keys(database)])
    try:
        claims = verify_signature(request, own_keys, [ALGORITHM]).claims
        JWTClaimsRegistry(
            aud={"essential": True, "value": _CHOICE_AUDIENCE}, exp={"essential": True}
        ).validate(claims)
    except JoseError:
        raise LaunchError("This choice is too old. Begin it again in your course.") from None
    with database.read() as connection:
        platform = platforms.get_platform(connection, claims["platform"])
    items = [
        {
            "type": "ltiResourceLink",
            "title": exercise.title,
            "url": f"{launch_url}/{exercise.id}",
            "custom": {"exercise": exercise.id},
            "lineItem": {"scoreMaximum": max(exercise.max_points, 1), "label": exercise.title,
                         "resourceId": exercise.id},
        }
        for exercise in exercises
    ]  # fmt: skip
    issued_at = int(time.time())
    content = {
        "iss": platform.client_id,
        "aud": [platform.issuer],
        "iat": issued_at,
        "exp": issued_at + _ANSWER_SECONDS,
        "nonce": uuid.uuid4().hex,
        _CLAIM_PREFIX + "message_type": "LtiDeepLinkingResponse",
        _CLAIM_PREFIX + "version": "1.3.0",
        _CLAIM_PREFIX + "deployment_id": claims["deployment"],
        _DEEP_LINKING_PREFIX + "content_items": items,
    }
    if "data" in claims:
        content[_DEEP_LINKING_PREFIX + "data"] = claims["data"]
    return DeepLinkAnswer(claims["url"], find_signing_key(database).sign(content))


def _find_object_claim(claims: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return a claim that is an object, or an empty one."""
    claim = claims.get(name)
    return claim if isinstance(claim, dict) else {}
