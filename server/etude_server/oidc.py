"""Sign-in by OpenID Connect: the code flow with PKCE, by Authlib, for any provider.

State, nonce and verifier are derived from a secret in a cookie, by `signed_tokens`.
"""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.requests_client import OAuth2Session
from joserfc.errors import JoseError
from requests import RequestException

from etude_server.platform_requests import PlatformRequestError, request_json
from etude_server.signed_tokens import (
    PublicKeys,
    TokenIssuer,
    derive_token,
    is_derived,
    verify_id_token,
)
from etude_server.store.platforms import parse_origin
from grader.errors import UsageError

_ALGORITHMS: Final = ("RS256", "PS256", "ES256")
_LEEWAY_SECONDS: Final = 60  # seconds by which clocks may differ
# Time limit for a response of the provider, in seconds.
_TIMEOUT_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True)
class Provider:
    """An OpenID provider, and our registration there."""

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    claim: str = "email"  # the claim that matches a roster's login

    def start_login(self, redirect_uri: str) -> tuple[str, str]:
        """Return the address to sign in at, and the secret for the cookie.

        Raises:
            UsageError: The provider does not respond.
        """
        secret = secrets.token_urlsafe(32)
        with self._open_session(redirect_uri) as session:
            url, _ = session.create_authorization_url(
                self._fetch_configuration()["authorization_endpoint"],
                state=derive_token(secret, "state"),
                nonce=derive_token(secret, "nonce"),
                code_verifier=derive_token(secret, "verifier"),
            )
        return str(url), secret

    def finish_login(
        self, parameters: Mapping[str, str], secret: str, redirect_uri: str, keys: PublicKeys
    ) -> str:
        """Return the login of the person who returns from the provider.

        Raises:
            UsageError: The person did not sign in, or the provider's response is invalid.
        """
        if not is_derived(parameters.get("state", ""), secret, "state"):
            raise UsageError("this sign-in did not begin in this browser: begin it again")
        if "code" not in parameters:
            raise UsageError("the sign-in was not completed: begin it again")
        configuration = self._fetch_configuration()
        try:
            with self._open_session(redirect_uri, configuration) as session:
                answer = session.fetch_token(
                    configuration["token_endpoint"],
                    code=parameters["code"],
                    code_verifier=derive_token(secret, "verifier"),
                    timeout=_TIMEOUT_SECONDS,
                    allow_redirects=False,
                )
        except (RequestException, ValueError):
            raise UsageError("the sign-in service cannot be reached: try again later") from None
        except AuthlibBaseError:
            raise UsageError(
                "the sign-in service does not know this sign-in: begin it again"
            ) from None
        jwks_url, nonce = configuration["jwks_uri"], derive_token(secret, "nonce")
        issuer = TokenIssuer(self.issuer, self.client_id, jwks_url, _ALGORITHMS, _LEEWAY_SECONDS)
        try:
            claims = verify_id_token(str(answer.get("id_token", "")), issuer, keys, nonce)
        except PlatformRequestError as error:
            raise UsageError(f"the sign-in service does not show its keys: {error}") from None
        except JoseError:
            raise UsageError(
                "what the sign-in service says is not signed by it, or not for us"
            ) from None
        login = claims.get(self.claim)
        is_verified = claims.get("email_verified", self.claim != "email")
        is_sure = str(is_verified).lower() == "true"  # some providers send a string
        if not isinstance(login, str) or not login or not is_sure:
            raise UsageError(f"the sign-in service does not say your {self.claim}, or is not sure")
        return login

    def _fetch_configuration(self) -> dict[str, Any]:
        addresses = ("authorization_endpoint", "token_endpoint", "jwks_uri")
        problem = ""
        try:
            answer = request_json(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
        except PlatformRequestError as error:
            answer, problem = {}, str(error)
        else:
            if not isinstance(answer, dict) or answer.get("issuer") != self.issuer:
                problem = "it does not describe itself"
            elif not all(parse_origin(str(answer.get(address, ""))) for address in addresses):
                problem = "it does not say where to sign in, by HTTPS"
        if problem:
            raise UsageError(f"no one can sign in there at the moment: {problem}")
        return dict(answer)

    def _open_session(
        self, redirect_uri: str, configuration: Mapping[str, Any] | None = None
    ) -> OAuth2Session:
        methods = (configuration or {}).get("token_endpoint_auth_methods_supported")
        by_post = isinstance(methods, list) and "client_secret_basic" not in methods
        return OAuth2Session(
            self.client_id,
            self.client_secret,
            token_endpoint_auth_method="client_secret_post" if by_post else "client_secret_basic",
            scope="openid email profile",
            redirect_uri=redirect_uri,
            code_challenge_method="S256",
        )
