"""Signed tokens (JWT) of learning platforms and OpenID providers, and the keys that verify them.

A sign-in stores nothing between its two steps. State, nonce and verifier are derived from a secret
that only the browser keeps, in a cookie. So no one can be led into another person's sign-in.
"""

import hmac
import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from authlib.oidc.core import CodeIDToken
from joserfc import jws, jwt
from joserfc.errors import DecodeError, JoseError
from joserfc.jwk import ECKey, GuestProtocol, JWKRegistry, KeyFlexible, KeySet, RSAKey

from etude_server.platform_requests import PlatformRequestError, request_json

LOGIN_SECONDS: Final = 600
"""Seconds within which a browser must return from a platform or provider."""

KEY_BITS: Final = 2048
"""Least size of an RSA key."""

REFETCH_SECONDS: Final = 5.0
"""Least pause between two requests for the keys at one address, whatever keys tokens name."""

_KEEP_SECONDS: Final = 3600.0
# Sign-ins that may wait for the keys at one address.
_MAX_WAITING_SIGN_INS: Final = 16
_MAX_HEADER_LENGTH: Final = 8192  # bytes; a header may bring a key, which is ignored


def derive_token(secret: str, purpose: str) -> str:
    """Return the state, nonce or verifier that belongs to a browser's secret."""
    return hmac.new(secret.encode(), purpose.encode(), "sha256").hexdigest()


def is_derived(token: str, secret: str, purpose: str) -> bool:
    """Return whether a token belongs to a browser's secret; never if there is no secret."""
    matches = hmac.compare_digest(token.encode(), derive_token(secret, purpose).encode())
    return bool(secret) and matches


class PublicKeys:
    """The public keys of platforms and providers, fetched on demand and cached by address."""

    def __init__(self) -> None:
        self._locks: dict[str, tuple[threading.Lock, threading.BoundedSemaphore]] = {}
        self._cache: dict[str, tuple[float, KeySet]] = {}

    def find(self, url: str, kid: str | None) -> KeySet:
        """Return the keys at an address; an unknown key id fetches them again.

        Raises:
            PlatformRequestError: The address does not return keys.
        """
        fetched_at, keys = self._cache.get(url, (float("-inf"), KeySet([])))
        if _has_key(keys, kid) and time.monotonic() - fetched_at <= _KEEP_SECONDS:
            return keys
        # One thread at a time asks, and few wait, so that a silent platform blocks no more threads.
        limits = (threading.Lock(), threading.BoundedSemaphore(_MAX_WAITING_SIGN_INS))
        lock, waiting_places = self._locks.setdefault(url, limits)
        if not waiting_places.acquire(blocking=False):
            raise PlatformRequestError("too many sign-ins wait for it; try again")
        try:
            with lock:
                fetched_at, keys = self._cache.get(url, (float("-inf"), KeySet([])))
                age = time.monotonic() - fetched_at
                if age > _KEEP_SECONDS or (not _has_key(keys, kid) and age > REFETCH_SECONDS):
                    keys = _fetch_keys(url)
                    self._cache[url] = (time.monotonic(), keys)
                return keys
        finally:
            waiting_places.release()


def _has_key(keys: KeySet, kid: str | None) -> bool:
    return any(key.kid == kid for key in keys)


def _fetch_keys(url: str) -> KeySet:
    """Return the keys with which the owner of an address may sign tokens."""
    response = request_json(url)
    key_list = response.get("keys") if isinstance(response, dict) else None
    if not isinstance(key_list, list):
        raise PlatformRequestError("it does not say what its keys are")
    keys = []
    for key_data in key_list:
        try:
            key = JWKRegistry.import_key(key_data)
        except (JoseError, KeyError, TypeError, ValueError):
            continue  # a kind of key that we do not know
        is_strong = isinstance(key, RSAKey) and key.public_key.key_size >= KEY_BITS
        if is_strong or isinstance(key, ECKey):
            keys.append(key)
    return KeySet(keys)


@dataclass(frozen=True, slots=True)
class TokenIssuer:
    """A platform or provider that signs tokens for us."""

    issuer: str
    client_id: str
    jwks_url: str
    algorithms: tuple[str, ...]
    leeway_seconds: int  # seconds by which clocks may differ


def read_unverified(token: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a token's header and claims; its signature is not checked.

    Raises:
        DecodeError: The token cannot be read.
    """
    registry = _make_registry([])
    try:
        signed = jws.extract_compact(token.encode(), registry=registry)
        registry.check_header(signed.headers())
        claims = json.loads(signed.payload)
    except (JoseError, AttributeError, RecursionError, TypeError, ValueError):
        claims = None
    if not isinstance(claims, dict):
        raise DecodeError("the token cannot be read")
    return signed.headers(), claims


def verify_signature(token: str, keys: KeyFlexible, algorithms: Sequence[str]) -> jwt.Token:
    """Return a token that is signed by one of the keys, with one of the algorithms.

    Raises:
        JoseError: The token cannot be read, or its signature is wrong.
    """
    read_unverified(token)  # joserfc itself raises any error for some malformed tokens
    return jwt.decode(token, keys, registry=_make_registry(algorithms))


def verify_id_token(
    token: str, issuer: TokenIssuer, keys: PublicKeys, nonce: str
) -> dict[str, Any]:
    """Return a token's claims after checking signature, issuer, audience, nonce and time.

    Raises:
        JoseError: A check failed.
        PlatformRequestError: The issuer does not return its keys.
    """

    def find_keys(signed: GuestProtocol) -> KeySet:
        return keys.find(issuer.jwks_url, signed.headers().get("kid"))

    signed = verify_signature(token, find_keys, issuer.algorithms)
    options = {
        "iss": {"essential": True, "value": issuer.issuer},
        "aud": {"essential": True, "value": issuer.client_id},
        "azp": {"value": issuer.client_id},  # present only for several audiences, as a rule
    }
    params = {"nonce": nonce, "client_id": issuer.client_id}
    claims = CodeIDToken(signed.claims, signed.header, options, params)
    claims.validate(now=int(time.time()), leeway=issuer.leeway_seconds)
    return dict(claims)


def _make_registry(algorithms: Sequence[str]) -> jws.JWSRegistry:
    registry = jws.JWSRegistry(algorithms=algorithms, strict_check_header=False)
    registry.max_header_length = _MAX_HEADER_LENGTH
    return registry
