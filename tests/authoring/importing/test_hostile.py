"""Sources made to hurt: huge, deep, full of tricks with paths."""

import json
import os
from pathlib import Path

import pytest

from grader.authoring.importing.fill_in import fill_in_draft
from grader.authoring.importing.read_source import read_source
from grader.authoring.importing.validate_drafts import validate_draft
from grader.authoring.importing.write import format_definition
from grader.authoring.sources.draft import Draft, DraftTest, make_slug
from grader.authoring.sources.js_document import read_exercises
from grader.authoring.sources.source_files import (
    MAX_DOCUMENT,
    UnreadableError,
    find_path_inside,
    read_text_inside,
)
from grader.errors import UsageError

DEEP = "[" * 100_000 + "]" * 100_000


@pytest.mark.parametrize(
    "name", ["../up.py", "/etc/passwd", "a/../../b", "", "..", "a\0b", "a\\..\\b", None, 7, ["x"]]
)
def test_paths_that_lead_elsewhere_are_refused(name: object, tmp_path: Path) -> None:
    """A configuration names files of its own folder, or nothing is read."""
    with pytest.raises(UnreadableError):
        find_path_inside(tmp_path, name)


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A file that is a link is not followed, nor is a file in a linked folder."""
    (tmp_path / "secret").write_text("secret")
    folder = tmp_path / "exercise"
    folder.mkdir()
    (folder / "stub.py").symlink_to(tmp_path / "secret")
    (folder / "meta").symlink_to(tmp_path)
    for name in ("stub.py", "meta/secret"):
        with pytest.raises(UnreadableError, match="symbolic link"):
            read_text_inside(folder, name)


def test_a_pipe_does_not_hold_the_import_up(tmp_path: Path) -> None:
    """A file that is not regular is refused without waiting for it."""
    os.mkfifo(tmp_path / "notes.txt")
    with pytest.raises(UsageError, match="not a regular file"):
        read_source(tmp_path / "notes.txt")


def test_a_configuration_with_path_tricks_is_left_out(tmp_path: Path) -> None:
    """The exercise is named among what was not imported."""
    folder = tmp_path / "tricky"
    (folder / ".meta").mkdir(parents=True)
    config = {"files": {"solution": ["../../secret.py"], "test": ["t.py"]}}
    (folder / ".meta" / "config.json").write_text(json.dumps(config))
    (tmp_path / "secret.py").write_text("secret = 1")
    found = read_source(folder)
    assert found.drafts == []
    assert "is not the path of a file" in found.failures[0]


def test_deep_nesting_in_a_notebook_ends_with_an_error(tmp_path: Path) -> None:
    """The JSON as a whole cannot be read."""
    path = tmp_path / "deep.ipynb"
    path.write_text(DEEP)
    with pytest.raises(UsageError, match="JSON"):
        read_source(path)


def test_deep_nesting_in_an_object_ends_with_an_error(tmp_path: Path) -> None:
    """Only the block that has it is given up."""
    path = tmp_path / "deep.txt"
    path.write_text("{type: 'exercise', a: " + DEEP + "}")
    assert "nested more than" in read_source(path).failures[0]


def test_a_huge_document_is_refused(tmp_path: Path) -> None:
    """Before it is read into memory as a whole."""
    path = tmp_path / "huge.md"
    with path.open("wb") as file:
        file.truncate(MAX_DOCUMENT + 1)
    with pytest.raises(UsageError, match="bytes"):
        read_source(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "type: 'exercise' " * 100_000,
        "{type: 'exercise', " * 20_000,
        "{type: 'exercise', a: \u2018" + "\u2019 " * 200_000,
        "<a" * 1_000_000,
        "<html>" + "<!--" * 300_000,
        "{type: \u2018exercise\u2019, starterCode: \u2018" + "(" * 200_000 + "\u2019}",
        "{" * 500_000 + "type: 'exercise'",
    ],
    ids=["marks", "openings", "quotes", "tags", "comments", "brackets", "braces"],
)
def test_no_text_takes_forever(text: str) -> None:
    """Work is bounded: this ends, with drafts or without."""
    found = read_exercises("page.html" if text.startswith("<") else "page.txt", text)
    for draft in found.drafts:
        fill_in_draft(draft)
        validate_draft(draft)
    assert len(found.drafts) <= 1


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("CON: a\nb", "con-a-b"),
        ("\u00c9tude n\u00b0 1", "etude-n-1"),
        ("\u65e5\u672c", ""),
        ("x" * 500, "x" * 60),
    ],
)
def test_names_become_ids_that_are_file_names(name: str, made: str) -> None:
    """The file stays in its folder, whatever name a source gives the exercise."""
    assert make_slug(name) == made


def test_control_characters_end_up_in_no_file() -> None:
    """Notes are comments: a line break in one cannot start a key, nor an escape a colour."""
    draft = Draft(
        "x.txt:1:1", id="a", solution="def f():\n    return 1\n", starter="def f():\n    ...\n"
    )
    draft.tests = [DraftTest("t", "run", "print(f())\n", stdout="1")]
    draft.notes = [("key\nxp", "one\nid: evil\r\x1b[31m\x00\u2028%TAG")]
    fill_in_draft(draft)
    assert validate_draft(draft) == ()
    text = format_definition(draft)
    assert "\x1b" not in text
    assert "\nid: evil" not in text


def test_a_test_that_the_format_refuses_becomes_a_note() -> None:
    """The rest of the exercise still loads, and the report says what was left out."""
    draft = Draft(
        "x.txt:1:1", id="a", solution="def f():\n    return 1\n", starter="def f():\n    ...\n"
    )
    draft.tests = [
        DraftTest("good", "run", "print(f())\n", stdout="1"),
        DraftTest("bad", "run", "print(f(\n", stdout="1"),
    ]
    fill_in_draft(draft)
    assert validate_draft(draft) == ()
    assert [test.id for test in draft.tests] == ["good"]
    assert ("test bad", "print(f(\nexpected output: 1") in draft.notes
    assert any("test 'bad' cannot be said in the format" in remark for remark in draft.remarks)
