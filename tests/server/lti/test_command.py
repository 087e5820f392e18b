"""`etude staff platform` as staff runs it."""

from pathlib import Path

import pytest

from etude_server.store.database import Database
from etude_server.store.migrate import upgrade_store
from tests.conftest import Etude

_HOST = "https://moodle.example.org"


@pytest.fixture
def platform(etude: Etude, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Etude:
    """Run `etude staff platform` on a fresh database."""
    monkeypatch.setenv("ETUDE_DATABASE", f"sqlite:///{tmp_path}/etude.db")
    with Database(f"sqlite:///{tmp_path}/etude.db") as made:
        upgrade_store(made)
    return lambda *words, **options: etude("staff", "platform", *words, **options)


def _addresses(token_url: str) -> list[str]:
    addresses = {"auth": f"{_HOST}/auth", "token": token_url, "jwks": f"{_HOST}/jwks"}
    pairs = [(f"--{name}-url", address) for name, address in addresses.items()]
    return [word for pair in pairs for word in pair]


def test_a_platform_is_added_and_listed(platform: Etude) -> None:
    """It is told what to enter at the platform; a plain HTTP address is refused and nothing kept."""
    known = ["add", "--issuer", _HOST, "--client-id", "8fJ2", "--deployment", "1"]
    refused = platform(*known, *_addresses("http://moodle.example.org/token"))
    assert refused.returncode == 2
    assert "is not an address that begins with https://" in refused.stderr
    assert platform("list").stdout == ""
    added = platform(*known, *_addresses(f"{_HOST}/token"))
    assert added.returncode == 0, added.stderr
    for path in ("/lti/login", "/lti/launch", "/lti/jwks.json"):
        assert path in added.stdout
    assert f"{_HOST}  client 8fJ2" in platform("list").stdout
    assert platform("unsent").stdout == ""
    assert "0 will be tried again" in platform("unsent", "--retry").stdout


@pytest.mark.slow
def test_keys_are_exchanged(platform: Etude) -> None:
    """A second one is made beside the first; the first goes when the second is known, or --now."""
    made = platform("rotate-key").stdout
    assert "signs in two hours" in made
    assert platform("rotate-key").returncode == 2
    early = platform("retire-key")
    assert early.returncode == 2
    assert "--now" in early.stderr
    kept = platform("retire-key", "--now").stdout
    assert kept.split()[0] == made.split()[0]
    assert platform("retire-key", "--now").returncode == 2
