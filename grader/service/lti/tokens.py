"""Access tokens, with which a platform lets us call its services."""

import time
import uuid
from http import HTTPStatus
from typing import Final
from urllib.parse import urlencode

from grader.service.lti.keys import tool_key
from grader.service.lti.platform_requests import CallError, call
from grader.service.store.database import Database
from grader.service.store.platforms import Platform

TOKEN_SECONDS: Final = 60
"""The lifetime of a token where the platform does not say."""

_ASSERTION: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

# Of the answers below 500 those that may be another one the next time: it does not answer, does
# not let us in (which staff can fix at either end), or is busy. The rest says that the request
# itself is wrong, or that what it is about is gone.
_PASSING: Final = frozenset({0, 401, 403, 408, 425, 429})


def may_pass(error: CallError) -> bool:
    """Return whether the same request may succeed later."""
    return error.status in _PASSING or error.status >= HTTPStatus.INTERNAL_SERVER_ERROR


def fetch_token(database: Database, platform: Platform, scope: str) -> tuple[str, float]:
    """Return a platform's token for a scope, and for how many seconds it is good.

    Raises:
        CallError: the platform gives none.
    """
    said = platform.registration
    moment = int(time.time())
    claims = {
        "iss": said.client_id,
        "sub": said.client_id,
        "aud": said.token_url,
        "iat": moment,
        "exp": moment + TOKEN_SECONDS,
        "jti": uuid.uuid4().hex,
    }
    form = {
        "grant_type": "client_credentials",
        "client_assertion_type": _ASSERTION,
        "client_assertion": tool_key(database).sign(claims),
        "scope": scope,
    }
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    try:
        answer = call(said.token_url, urlencode(form).encode(), headers)
    except CallError as error:
        # That it does not know us says nothing about what the token is for.
        status = error.status if may_pass(error) else HTTPStatus.UNAUTHORIZED
        raise CallError(f"no token: {error}", status) from None
    given = answer if isinstance(answer, dict) else {}
    fresh = given.get("access_token")
    if not isinstance(fresh, str) or not fresh.isascii() or not fresh.isprintable():
        raise CallError("no token in its answer", HTTPStatus.UNAUTHORIZED)
    seconds = given.get("expires_in")
    return fresh, float(seconds) if isinstance(seconds, int | float) else TOKEN_SECONDS
