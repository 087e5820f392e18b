"""A learning platform on 127.0.0.1, with real keys, real signatures, a gradebook and outages."""

import base64
import functools
import json
import threading
import time
import uuid
from dataclasses import dataclass, field
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from jwt.algorithms import RSAAlgorithm

CLAIM = "https://purl.imsglobal.org/spec/lti/claim/"
AGS = "https://purl.imsglobal.org/spec/lti-ags/claim/endpoint"
SCORE = "https://purl.imsglobal.org/spec/lti-ags/scope/score"
MEMBERS = "https://purl.imsglobal.org/spec/lti-nrps/scope/contextmembership.readonly"
STUDENT = "http://purl.imsglobal.org/vocab/lis/v2/membership#Learner"
TEACHER = "http://purl.imsglobal.org/vocab/lis/v2/membership#Instructor"
ASSERTION = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def new_key() -> rsa.RSAPrivateKey:
    """Generate a private key."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@functools.cache
def shared_key() -> rsa.RSAPrivateKey:
    """Return the platforms' initial private key, since generating one takes a tenth of a second."""
    return new_key()


def encoded(data: object) -> str:
    """Encode a part of a token."""
    return base64.urlsafe_b64encode(json.dumps(data).encode()).rstrip(b"=").decode()


@dataclass
class Platform:
    """A learning platform with one tool."""

    client_id: str = "tool-1"
    deployment: str = "course-7"
    kid: str = "first"
    key: rsa.RSAPrivateKey = field(default_factory=shared_key)
    tool_keys: str = ""  # the address of the tool's public keys
    out_of_order: bool = False
    refusal: HTTPStatus | None = None  # the response to scores from now on
    reason: str | None = None  # the reason phrase of the refusal
    redirect: str = ""  # the redirect of scores from now on
    scores: list[dict[str, Any]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)  # the requested paths
    silence: threading.Event | None = None  # requests for keys wait until it is set
    members: list[dict[str, Any]] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    signed_by: list[str] = field(default_factory=list)  # the tool's key for each access token

    def __post_init__(self) -> None:
        handler = type("Handler", (_Handler,), {"platform": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        """Stop the server."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def jwks(self) -> dict[str, Any]:
        """The platform's public keys."""
        public = RSAAlgorithm.to_jwk(self.key.public_key(), as_dict=True)
        return {"keys": [{**public, "kid": self.kid, "use": "sig", "alg": "RS256"}]}

    def claims(self, nonce: str, /, **changes: object) -> dict[str, Any]:
        """Return the claims for a person who launches an exercise."""
        moment = int(time.time())
        said = {
            "iss": self.url,
            "aud": self.client_id,
            "sub": "student-5",
            "nonce": nonce,
            "iat": moment,
            "exp": moment + 300,
            CLAIM + "message_type": "LtiResourceLinkRequest",
            CLAIM + "version": "1.3.0",
            CLAIM + "deployment_id": self.deployment,
            CLAIM + "target_link_uri": "http://tool.example/lti/launch",
            CLAIM + "resource_link": {"id": "link-1"},
            CLAIM + "roles": [STUDENT],
            CLAIM + "custom": {"exercise": "attention-weights"},
            AGS: {"scope": [SCORE], "lineitem": f"{self.url}/lines/1/lineitem?type_id=1"},
        }
        said.update(changes)
        return {name: value for name, value in said.items() if value is not None}

    def token(self, claims: dict[str, Any]) -> str:
        """Sign a token."""
        return jwt.encode(claims, self.key, "RS256", {"kid": self.kid})

    def grant(self, form: dict[str, list[str]]) -> str | None:
        """Return an access token for scores if the request is signed by the tool."""
        from_tool = jwt.PyJWKClient(self.tool_keys, cache_jwk_set=False)
        assertion = form["client_assertion"][0]
        claims = jwt.decode(
            assertion,
            from_tool.get_signing_key_from_jwt(assertion),
            algorithms=["RS256"],
            audience=f"{self.url}/token",
            issuer=self.client_id,
            subject=self.client_id,
            options={"require": ["exp", "iat", "jti"]},
        )
        self.signed_by.append(jwt.get_unverified_header(assertion)["kid"])
        fits = form["grant_type"] == ["client_credentials"]
        fits = fits and form["scope"][0] in {SCORE, MEMBERS}
        if not (claims and fits and form["client_assertion_type"] == [ASSERTION]):
            return None
        self.tokens.add(uuid.uuid4().hex)
        return next(iter(self.tokens))


class _Handler(BaseHTTPRequestHandler):
    platform: Platform

    def do_GET(self) -> None:
        self.platform.asked.append(self.path)
        if self.platform.silence is not None:
            self.platform.silence.wait(30)
        if self.path == "/jwks" and not self.platform.out_of_order:
            self._answer(HTTPStatus.OK, self.platform.jwks)
        elif self.path.startswith("/members"):
            self._list_members()
        else:
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.platform.asked.append(self.path)
        path = urlsplit(self.path).path
        if self.platform.out_of_order:
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, {})
        elif path == "/token":
            token = self.platform.grant(parse_qs(body.decode()))
            status = HTTPStatus.OK if token else HTTPStatus.BAD_REQUEST
            self._answer(status, {"access_token": token, "token_type": "Bearer", "expires_in": 99})
        elif path.endswith("/lineitem/scores"):
            self._take_score(json.loads(body))
        else:
            self._answer(HTTPStatus.NOT_FOUND, {})

    def _list_members(self) -> None:
        is_tool = self.headers["Authorization"].removeprefix("Bearer ") in self.platform.tokens
        first = self.path == "/members"
        page = {"id": self.path, "members": self.platform.members[:1] if first else
                self.platform.members[1:]}  # fmt: skip
        link = {"Link": f'<{self.platform.url}/members?page=2>; rel="next"'} if first else {}
        status = HTTPStatus.OK if is_tool else HTTPStatus.UNAUTHORIZED
        self._answer(status, page if is_tool else {}, link)

    def _take_score(self, score: dict[str, Any]) -> None:
        is_tool = self.headers["Authorization"].removeprefix("Bearer ") in self.platform.tokens
        is_score = self.headers["Content-Type"] == "application/vnd.ims.lis.v1.score+json"
        newest = max((each["timestamp"] for each in self.platform.scores), default="")
        if not is_tool:
            self._answer(HTTPStatus.UNAUTHORIZED, {})
        elif self.platform.redirect:
            self._answer(HTTPStatus.FOUND, {}, {"Location": self.platform.redirect})
        elif self.platform.refusal is not None:
            self._answer(self.platform.refusal, {}, reason=self.platform.reason)
        elif not is_score or score["timestamp"] <= newest:
            self._answer(HTTPStatus.BAD_REQUEST, {})
        else:
            self.platform.scores.append(score)
            self._answer(HTTPStatus.OK, None)

    def _answer(
        self,
        status: HTTPStatus,
        data: object,
        headers: dict[str, str] | None = None,
        reason: str | None = None,
    ) -> None:
        body = b"" if data is None else json.dumps(data).encode()
        self.send_response(status, reason)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""
