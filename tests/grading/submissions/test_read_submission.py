"""Paths and links that lead to no submission, in real folders."""

import os
from pathlib import Path

import pytest

from grader.grading.submissions.read_submission import read_file


def test_paths_that_are_no_files_have_a_sentence(tmp_path: Path) -> None:
    """Missing, a folder, a FIFO that no one writes to, a name the system refuses."""
    os.mkfifo(tmp_path / "fifo")
    assert read_file(tmp_path / "no.py").problem == "There is no file 'no.py'."
    assert read_file(tmp_path).problem == "This is a folder; a submission is one Python file."
    assert "not a regular file" in read_file(tmp_path / "fifo").problem
    assert read_file(Path("a\0b")).problem == "The file cannot be read: embedded null byte."


def test_a_link_is_refused(tmp_path: Path) -> None:
    """What it points at is not read, be it the learner's own file."""
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    refused = read_file(tmp_path / "link.py")
    assert refused.problem == "This is a symbolic link; submit the file itself."
    assert refused.source == ""
    (tmp_path / "own.py").write_text("x = 1")
    (tmp_path / "mine.py").symlink_to(tmp_path / "own.py")
    assert read_file(tmp_path / "mine.py").problem == refused.problem


def test_no_folder_that_is_graded_leads_elsewhere(tmp_path: Path) -> None:
    """Not even if it was put in the place of a real one after it was looked at."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "double.py").write_text("x = 1")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "eve").symlink_to(tmp_path / "elsewhere")
    path = tmp_path / "in" / "eve" / "double.py"
    assert read_file(path, below=tmp_path / "in").problem.startswith("The file cannot be")
    (tmp_path / "alias").symlink_to(tmp_path / "elsewhere")
    own = tmp_path / "alias" / "double.py"
    assert read_file(own, below=tmp_path / "alias").source == "x = 1"


def test_no_linked_folder_below_the_working_directory_leads_to_a_submission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By it a checkout could submit what lies beside it, such as the solutions of a course."""
    for name in ("checkout", "course"):
        (tmp_path / name).mkdir()
    (tmp_path / "course" / "double.py").write_text("x = 1")
    (tmp_path / "own").symlink_to("course")
    monkeypatch.chdir(tmp_path / "checkout")
    Path("homework").symlink_to("../course")
    for path in (Path("homework/double.py"), tmp_path / "checkout" / "homework" / "double.py"):
        refused = read_file(path)
        assert (refused.source, "symbolic link" in refused.problem) == ("", True)
    assert read_file(Path("../own/double.py")).source == "x = 1"
