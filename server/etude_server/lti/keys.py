"""Our signing keys, and the access tokens obtained with them.

Our private key is in the store, in a table that only this module reads; no route, log, event or
error shows it. An SQLite file is readable only by its owner; on PostgreSQL the database's roles
decide. A backup contains the key as well.
"""

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from joserfc import jwt
from joserfc.jwk import RSAKey
from sqlalchemy import delete, func, select

from etude_server.platform_requests import PlatformRequestError, request_json
from etude_server.signed_tokens import KEY_BITS
from etude_server.store import events
from etude_server.store.database import Database, insert_if_absent
from etude_server.store.ids import make_id, now
from etude_server.store.platforms import Platform
from etude_server.store.tables import lti_key
from grader.errors import UsageError

ALGORITHM: Final = "RS256"
PUBLICATION_SECONDS: Final = 7200
"""Seconds for which a new key is published before it signs: platforms cache keys for an hour."""

TOKEN_SECONDS: Final = 60
"""Lifetime of an access token if the platform gives none."""

_ASSERTION_TYPE: Final = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

# Statuses below 500 after which a retry may succeed: no response, no access (which staff can fix at
# either end), or a busy platform. Any other status means that the request itself is wrong, or that
# its object is gone.
_TEMPORARY_STATUSES: Final = frozenset({0, 401, 403, 408, 425, 429})


@dataclass(frozen=True, slots=True)
class ToolKey:
    """Our key pair."""

    kid: str
    key: RSAKey
    created_at: int  # microseconds since 1970

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Return a signed token."""
        return jwt.encode({"alg": ALGORITHM, "kid": self.kid}, dict(claims), self.key)

    @property
    def public(self) -> Mapping[str, Any]:
        """The public half as a JSON Web Key."""
        return self.key.as_dict(private=False)


def find_tool_keys(database: Database) -> list[ToolKey]:
    """Return our keys, the oldest first; create one if there are none."""
    stored_keys = _load_keys(database)
    if not stored_keys:
        _store_new_key(database, number=1)
        stored_keys = _load_keys(database)
    return stored_keys


def find_signing_key(database: Database) -> ToolKey:
    """Return the signing key: the newest one that every platform has had time to fetch."""
    oldest_key, *newer_keys = find_tool_keys(database)
    known_since = now() - PUBLICATION_SECONDS * 1_000_000
    known_keys = [key for key in newer_keys if key.created_at <= known_since]
    return (known_keys or [oldest_key])[-1]


def rotate_key(database: Database, *, actor: str) -> ToolKey:
    """Create a new key, published beside the old one, that signs after `PUBLICATION_SECONDS`.

    Raises:
        UsageError: The last rotation is still in progress.
    """
    keys = find_tool_keys(database)
    if len(keys) > 1:
        raise UsageError("there is an old key still: etude staff platform retire-key")
    with database.read() as connection:
        latest_id = connection.execute(select(func.max(lti_key.c.id))).scalar_one()
    _store_new_key(database, number=latest_id + 1)
    key = find_tool_keys(database)[-1]
    with database.write() as connection:
        events.append_event(connection, actor, events.KEY_MADE, key.kid, {})
    return key


def retire_key(database: Database, *, actor: str, at_once: bool = False) -> ToolKey:
    """Delete all keys except the newest, and return it.

    `at_once` skips the wait until all platforms know the new key.

    Raises:
        UsageError: There is no old key, or it is still signing.
    """
    *old_keys, newest_key = find_tool_keys(database)
    if not old_keys:
        raise UsageError("there is no old key: etude staff platform rotate-key makes a new one")
    if not at_once and find_signing_key(database).kid != newest_key.kid:
        hours = PUBLICATION_SECONDS // 3600
        raise UsageError(
            f"the new key signs {hours} hours after it was made, when platforms know it; --now "
            "does not wait, and grades may then be late"
        )
    with database.write() as connection:
        connection.execute(delete(lti_key).where(lti_key.c.kid.in_([key.kid for key in old_keys])))
        for key in old_keys:
            events.append_event(connection, actor, events.KEY_RETIRED, key.kid, {})
    return newest_key


def _load_keys(database: Database) -> list[ToolKey]:
    with database.read() as connection:
        rows = connection.execute(select(lti_key).order_by(lti_key.c.id)).all()
    keys = []
    for row in rows:
        key = RSAKey.import_key(row.private, {"kid": row.kid, "alg": ALGORITHM, "use": "sig"})
        keys.append(ToolKey(row.kid, key, row.created_at))
    return keys


def _store_new_key(database: Database, number: int) -> None:
    pem = RSAKey.generate_key(KEY_BITS).as_pem(private=True).decode()
    values = {"id": number, "kid": make_id(), "private": pem, "created_at": now()}
    with database.write() as connection:
        insert_if_absent(connection, lti_key, values)


def may_succeed_later(error: PlatformRequestError) -> bool:
    """Return whether the same request may succeed later."""
    return error.status in _TEMPORARY_STATUSES or error.status >= HTTPStatus.INTERNAL_SERVER_ERROR


def fetch_token(database: Database, platform: Platform, scope: str) -> tuple[str, float]:
    """Return a platform's token for a scope, and its lifetime in seconds.

    Raises:
        PlatformRequestError: The platform refuses a token.
    """
    issued_at = int(time.time())
    claims = {
        "iss": platform.client_id,
        "sub": platform.client_id,
        "aud": platform.token_url,
        "iat": issued_at,
        "exp": issued_at + TOKEN_SECONDS,
        "jti": uuid.uuid4().hex,
    }
    form = {
        "grant_type": "client_credentials",
        "client_assertion_type": _ASSERTION_TYPE,
        "client_assertion": find_signing_key(database).sign(claims),
        "scope": scope,
    }
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    try:
        response = request_json(platform.token_url, urlencode(form).encode(), headers)
    except PlatformRequestError as error:
        # A refused token says nothing about the purpose of the token.
        status = error.status if may_succeed_later(error) else HTTPStatus.UNAUTHORIZED
        raise PlatformRequestError(f"no token: {error}", status) from None
    token_fields = response if isinstance(response, dict) else {}
    token = token_fields.get("access_token")
    if not isinstance(token, str) or not token.isascii() or not token.isprintable():
        raise PlatformRequestError("no token in its answer", HTTPStatus.UNAUTHORIZED)
    seconds = token_fields.get("expires_in")
    return token, float(seconds) if isinstance(seconds, int | float) else TOKEN_SECONDS
