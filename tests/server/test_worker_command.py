"""`etude worker` where it cannot start."""

import pytest

from tests.conftest import ROOT, Etude


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "a worker needs --database, --database-file or ETUDE_DATABASE"),
        (["--database", "sqlite:///x.db"], "workers need PostgreSQL"),
        (["--database-file", "/nonexistent"], "cannot read /nonexistent"),
    ],
)
def test_a_worker_needs_postgresql(words: list[str], sentence: str, etude: Etude) -> None:
    """Exit status 2 and a sentence, without a database and with one that is a file."""
    exercises = ROOT / "exercises"
    ended = etude(
        "worker", "--workers", "1", "--exercises", exercises, *words, env={"ETUDE_DATABASE": None}
    )
    assert ended.returncode == 2
    assert sentence in ended.stderr
