"""Deep Linking: a teacher chooses exercises, and the platform makes a link and a line item of each.

What the platform asked is not stored: the page of the choice brings it back, signed by us.
"""

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import jwt

from grader.definitions.exercise import Exercise
from grader.service.lti.claims import CLAIM, LaunchError, section
from grader.service.lti.keys import ALGORITHM, tool_key, tool_keys
from grader.service.store import platforms
from grader.service.store.database import Database
from grader.service.store.platforms import Platform, origin

REQUEST: Final = "LtiDeepLinkingRequest"
_DL: Final = "https://purl.imsglobal.org/spec/lti-dl/claim/"
_SECONDS: Final = 3600  # for the choice
_OURS: Final = "etude deep linking"  # the audience of what we sign for ourselves


@dataclass(frozen=True, slots=True)
class DeepLinkAnswer:
    """A form that the browser sends to the platform."""

    url: str
    token: str


def ask(database: Database, platform: Platform, claims: Mapping[str, Any]) -> str:
    """Return what the platform asked, signed, for the page of the choice.

    Raises:
        LaunchError: the platform wants the answer at an address that is not registered, or no
            links.
    """
    wanted = section(claims, _DL + "deep_linking_settings")
    url = wanted.get("deep_link_return_url")
    if not isinstance(url, str) or origin(url) not in platform.origins:
        raise LaunchError("The learning platform wants the links at an address that is not its.")
    if "ltiResourceLink" not in wanted.get("accept_types", ()):
        raise LaunchError("The learning platform wants no links to exercises here.")
    deployment = claims[CLAIM + "deployment_id"]
    told = {"platform": platform.id, "url": url, "deployment": deployment}
    if "data" in wanted:
        told["data"] = wanted["data"]
    expiry = {"aud": _OURS, "exp": int(time.time()) + _SECONDS}
    return tool_key(database).sign({**told, **expiry})


def answer(
    database: Database, request: str, exercises: Sequence[Exercise], launch_url: str
) -> DeepLinkAnswer:
    """Return the links to exercises, each with a line item of its points.

    Raises:
        LaunchError: the choice took too long, or did not begin here, or nothing was chosen.
    """
    if not exercises:
        raise LaunchError("Nothing was chosen. Go back, and choose an exercise.")
    for key in tool_keys(database):
        try:
            public = key.private.public_key()
            asked = jwt.decode(request, public, algorithms=[ALGORITHM], audience=_OURS)
            break
        except jwt.PyJWTError:
            continue
    else:
        raise LaunchError("This choice is too old. Begin it again in your course.")
    with database.read() as connection:
        platform = platforms.get(connection, asked["platform"])
    items = [
        {
            "type": "ltiResourceLink",
            "title": each.title,
            "url": f"{launch_url}/{each.id}",
            "custom": {"exercise": each.id},
            "lineItem": {"scoreMaximum": max(each.max_points, 1), "label": each.title,
                         "resourceId": each.id},
        }
        for each in exercises
    ]  # fmt: skip
    moment = int(time.time())
    said = {
        "iss": platform.registration.client_id,
        "aud": [platform.registration.issuer],
        "iat": moment,
        "exp": moment + 300,
        "nonce": uuid.uuid4().hex,
        CLAIM + "message_type": "LtiDeepLinkingResponse",
        CLAIM + "version": "1.3.0",
        CLAIM + "deployment_id": asked["deployment"],
        _DL + "content_items": items,
    }
    if "data" in asked:
        said[_DL + "data"] = asked["data"]
    return DeepLinkAnswer(asked["url"], tool_key(database).sign(said))
