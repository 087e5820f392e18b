"""Settings as options, in the environment and in `etude.toml`."""

from pathlib import Path
from typing import Any

import pytest

from etude_server.commands import serve, worker
from etude_server.commands.server_options import SETTING_NAMES
from grader.errors import UsageError

SERVICE_MD = Path(__file__).parents[3] / "docs" / "how-to" / "service.md"


def settings(*words: str) -> dict[str, Any]:
    return serve.command.make_context("serve", list(words)).params


def test_an_option_beats_the_environment_which_beats_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All three take every setting, and what none of them says has its default."""
    (tmp_path / "etude.toml").write_text(
        "port = 1\nper-minute = 1\nqueue-seconds = 0\nexercises = 'a:b'\n"
        "database = 'sqlite:///of-file.db'\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ETUDE_PORT", "2")
    monkeypatch.setenv("ETUDE_PER_MINUTE", "2")
    monkeypatch.delenv("ETUDE_EXERCISES", raising=False)
    found = settings("--port", "3")
    assert (found["port"], found["per_minute"], found["queue_seconds"]) == (3, 2, 0)
    assert found["exercises"] == (Path("a:b"),)
    assert found["database"] == "sqlite:///of-file.db"


def test_a_wrong_key_or_file_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting that is spelt wrongly is not silently without effect."""
    path = tmp_path / "server.toml"
    monkeypatch.setenv("ETUDE_CONFIG", str(path))
    with pytest.raises(UsageError, match="there is no file"):
        settings()
    path.write_text("prot = 8000\n")
    with pytest.raises(UsageError, match="no setting is called 'prot'"):
        settings()
    path.write_text("port = \n")
    with pytest.raises(UsageError, match="cannot read"):
        settings()


def test_the_table_of_settings_is_complete() -> None:
    """Each option of the server and of a worker has a row with its variable."""
    named = {each.name for command in (serve.command, worker.command) for each in command.params}
    assert {name.replace("-", "_") for name in SETTING_NAMES} == named
    text = SERVICE_MD.read_text()
    for each in SETTING_NAMES:
        variable = f"ETUDE_{each.replace('-', '_').upper()}"
        assert f"| `--{each}` | `{variable}` |" in text
