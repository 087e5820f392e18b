"""Commands that read result files read the service's store as well."""

import json
from pathlib import Path

from tests.conftest import Etude
from tests.server.regrade.conftest import HALF_RIGHT, RIGHT, WRONG, Stored

_CANVAS = (
    "Student,ID,SIS Login ID,Section,Double (12)\n"
    "    Points Possible,,,,5\n"
    '"Lovelace, Ada",1,ada,A,\n'
    '"Babbage, Charles",2,bob,A,1\n'
)


def test_statistics_of_a_store(etude: Etude, stored: Stored, database_url: str) -> None:
    """One row for each student, by the best that is published."""
    stored.submit("ada", WRONG, 0)
    stored.submit("ada", RIGHT, 5)
    stored.submit("bob", HALF_RIGHT, 2)
    said = etude("stats", "--database", database_url, "--format", "json")
    assert said.returncode == 0, said.stderr
    (found,) = json.loads(said.stdout)
    assert (found["exercise"], found["students"], found["pass_rate"]) == ("double", 2, 0.5)


def test_a_gradebook_of_canvas_is_filled_from_a_store(
    etude: Etude, stored: Stored, database_url: str, tmp_path: Path
) -> None:
    """The file has the published grades; students without one keep their cell."""
    stored.submit("ada", RIGHT, 5)
    (tmp_path / "book.csv").write_text(_CANVAS)
    words = ("book.csv", "--database", database_url, "--column", "Double", "--output", "new.csv")
    said = etude("export", "canvas", *words)
    assert said.returncode == 0, said.stderr
    assert (tmp_path / "new.csv").read_text() == _CANVAS.replace("ada,A,", "ada,A,5")


def test_files_or_a_store_but_not_both(etude: Etude, tmp_path: Path) -> None:
    """Giving neither or both is refused with a sentence."""
    (tmp_path / "r.jsonl").write_text("")
    for words in (["stats"], ["stats", "r.jsonl", "--database", "sqlite:///x.db"]):
        said = etude(*words)
        assert said.returncode == 2
        assert "Give RESULTS or --database" in said.stderr
