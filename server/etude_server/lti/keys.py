"""Keys: our signing keys, the access tokens obtained with them, and the platforms' public keys.

Our private key is in the store, in a table that only this module reads; no route, log, event or
error shows it. An SQLite file is readable only by its owner; on PostgreSQL the database's roles
decide. A backup contains the key as well.
"""

import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm
from sqlalchemy import delete, func, select

from etude_server.lti.platform_requests import PlatformRequestError, request_json
from etude_server.store import events
from etude_server.store.database import Database, insert_if_absent
from etude_server.store.ids import make_id, now
from etude_server.store.platforms import Platform
from etude_server.store.tables import lti_key
from grader.errors import UsageError

ALGORITHM: Final = "RS256"
_KEY_BITS: Final = 2048  # least size of an RSA key
PUBLICATION_SECONDS: Final = 7200
"""Seconds for which a new key is published before it signs: platforms cache keys for an hour."""

_KEEP_SECONDS: Final = 3600.0
# Launches of one platform that may wait for its keys.
_MAX_WAITING_LAUNCHES: Final = 16
REFETCH_SECONDS: Final = 5.0
"""Least pause between two requests for a platform's keys, whatever keys launches name."""

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
    private: rsa.RSAPrivateKey
    created_at: int  # microseconds since 1970

    def sign(self, claims: Mapping[str, Any]) -> str:
        """Return a signed token."""
        return jwt.encode(dict(claims), self.private, ALGORITHM, {"kid": self.kid})

    @property
    def public(self) -> dict[str, Any]:
        """The public half as a JSON Web Key."""
        key = RSAAlgorithm.to_jwk(self.private.public_key(), as_dict=True)
        return {"kty": "RSA", "n": key["n"], "e": key["e"]} | {
            "kid": self.kid,
            "alg": ALGORITHM,
            "use": "sig",
        }


def find_tool_keys(database: Database) -> list[ToolKey]:
    """Return our keys, the oldest first; create one if there are none."""
    stored_keys = _load_keys(database)
    if not stored_keys:
        _store_new_key(database, number=1)
        stored_keys = _load_keys(database)
    return stored_keys


def find_signing_key(database: Database) -> ToolKey:
    """Return the signing key: the newest one that every platform has had time to fetch."""
    oldest, *newer = find_tool_keys(database)
    settled = [key for key in newer if key.created_at + PUBLICATION_SECONDS * 1_000_000 <= now()]
    return settled[-1] if settled else oldest


def rotate_key(database: Database, *, actor: str) -> ToolKey:
    """Create a new key, published beside the old one, that signs after `PUBLICATION_SECONDS`.

    Raises:
        UsageError: The last rotation is still in progress.
    """
    keys = find_tool_keys(database)
    if len(keys) > 1:
        raise UsageError("there is an old key still: etude staff platform retire-key")
    with database.read() as connection:
        latest = connection.execute(select(func.max(lti_key.c.id))).scalar_one()
    _store_new_key(database, number=latest + 1)
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
    *old, newest = find_tool_keys(database)
    if not old:
        raise UsageError("there is no old key: etude staff platform rotate-key makes a new one")
    if not at_once and find_signing_key(database).kid != newest.kid:
        hours = PUBLICATION_SECONDS // 3600
        raise UsageError(
            f"the new key signs {hours} hours after it was made, when platforms know it; --now "
            "does not wait, and grades may then be late"
        )
    with database.write() as connection:
        connection.execute(delete(lti_key).where(lti_key.c.kid.in_([key.kid for key in old])))
        for key in old:
            events.append_event(connection, actor, events.KEY_RETIRED, key.kid, {})
    return newest


def _load_keys(database: Database) -> list[ToolKey]:
    with database.read() as connection:
        rows = connection.execute(select(lti_key).order_by(lti_key.c.id)).all()
    keys = []
    for row in rows:
        private = serialization.load_pem_private_key(row.private.encode(), None)
        assert isinstance(private, rsa.RSAPrivateKey)  # only `_store_new_key` writes keys
        keys.append(ToolKey(row.kid, private, row.created_at))
    return keys


def _store_new_key(database: Database, number: int) -> None:
    pem = rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    values = {"id": number, "kid": make_id(), "private": pem.decode(), "created_at": now()}
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


class PlatformKeys:
    """The platforms' public keys, fetched on demand and cached."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[threading.Lock, threading.BoundedSemaphore]] = {}
        self._cache: dict[str, tuple[float, dict[str, jwt.PyJWK]]] = {}

    def find(self, platform: Platform, kid: str) -> jwt.PyJWK | None:
        """Return a platform's key; an unknown key id fetches the keys again.

        Raises:
            PlatformRequestError: The platform does not return its keys.
        """
        fetched_at, keys = self._cache.get(platform.id, (float("-inf"), {}))
        if kid in keys and time.monotonic() - fetched_at <= _KEEP_SECONDS:
            return keys[kid]
        # One thread at a time asks, and few wait, so that a silent platform blocks no more threads.
        limits = (threading.Lock(), threading.BoundedSemaphore(_MAX_WAITING_LAUNCHES))
        lock, waiting_places = self._locks.setdefault(platform.id, limits)
        if not waiting_places.acquire(blocking=False):
            raise PlatformRequestError("too many launches wait for it; try again")
        try:
            with lock:
                fetched_at, keys = self._cache.get(platform.id, (float("-inf"), {}))
                age = time.monotonic() - fetched_at
                if age > _KEEP_SECONDS or (kid not in keys and age > REFETCH_SECONDS):
                    keys = _fetch_platform_keys(platform.jwks_url)
                    self._cache[platform.id] = (time.monotonic(), keys)
                return keys.get(kid)
        finally:
            waiting_places.release()


def _fetch_platform_keys(url: str) -> dict[str, jwt.PyJWK]:
    """Return the keys with which a platform may sign launches."""
    response = request_json(url)
    key_list = response.get("keys") if isinstance(response, dict) else None
    if not isinstance(key_list, list):
        raise PlatformRequestError("it does not say what its keys are")
    keys = {}
    for key_data in key_list:
        if not isinstance(key_data, dict) or key_data.get("kty") != "RSA":
            continue
        if key_data.get("use", "sig") != "sig":
            continue
        if not all(isinstance(key_data.get(name), str) for name in ("kid", "n", "e")):
            continue
        try:
            key = jwt.PyJWK(key_data, ALGORITHM)
        except (jwt.PyJWTError, ValueError, TypeError):
            continue
        if key.key_id and isinstance(key.key, rsa.RSAPublicKey) and key.key.key_size >= _KEY_BITS:
            keys[key.key_id] = key
    return keys
