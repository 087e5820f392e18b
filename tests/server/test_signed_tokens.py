"""Public keys that verify signed tokens."""

import pytest
from joserfc.errors import SecurityWarning
from joserfc.jwk import ECKey, Key, RSAKey

from etude_server import signed_tokens
from etude_server.signed_tokens import PublicKeys


@pytest.mark.filterwarnings("ignore::joserfc.errors.SecurityWarning")
def test_keys_that_cannot_verify_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Malformed keys, of an unknown kind, symmetric or too short, among keys that are right."""
    with pytest.warns(SecurityWarning):
        weak = RSAKey.generate_key(1024, {"kid": "weak"})
    unusable: list[object] = [
        *(None, 5, "x", [], {}, {"kty": []}, {"kty": "RSA"}, {"kty": "RSA", "n": 5, "e": []}),
        {"kty": "EC", "crv": "P-999", "x": "AA", "y": "AA"},
        {"kty": "oct", "k": "c2VjcmV0", "kid": "symmetric"},
        weak.as_dict(private=False),
    ]
    usable: list[Key] = [
        RSAKey.generate_key(2048, {"kid": "r"}),
        ECKey.generate_key("P-256", {"kid": "e"}),
    ]
    shown = {"keys": [*unusable, *(key.as_dict(private=False) for key in usable)]}
    monkeypatch.setattr(signed_tokens, "request_json", lambda _: shown)
    assert [key.kid for key in PublicKeys().find("https://platform.example/keys", "r")] == [
        "r",
        "e",
    ]
