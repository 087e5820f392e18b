"""The script that grades in a job of GitHub and of GitLab, without installing anything."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import junitparser
import pytest

from tests.integrations.conftest import USING, Finished, read_submission

ROOT = Path(__file__).parents[2]


def grade(project: Path, **variables: str) -> Finished:
    """Run the script in a project."""
    return subprocess.run(
        [sys.executable, "-I", ROOT / "integrations" / "grade.py"],
        cwd=project,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def score(finished: Finished) -> str:
    """Return the points that are printed."""
    [line] = re.findall("^Score: (.*)$", finished.stdout, re.MULTILINE)
    return str(line)


@pytest.mark.slow
def test_no_cache_of_the_checkout_is_believed(tmp_path: Path) -> None:
    """A definition that is kept in the checkout is neither read nor written there."""
    (tmp_path / "attention-weights.py").write_text(read_submission("correct"))
    cache = tmp_path / "cache"
    finished = grade(
        tmp_path,
        XDG_CACHE_HOME=str(cache),
        ETUDE_ASSIGNED="attention-weights",
        ETUDE_SUBMISSION="attention-weights.py",
    )
    assert finished.returncode == 0, finished.stderr
    assert not cache.exists()


@pytest.mark.slow
def test_a_folder_in_the_place_of_a_report_keeps_no_one_from_a_score(tmp_path: Path) -> None:
    """It is removed, and the report is written; what lies outside the checkout stays."""
    project, other = tmp_path / "project", tmp_path / "other"
    (project / "junit.xml" / "deep").mkdir(parents=True)
    (other / "html").mkdir(parents=True)
    (project / "link").symlink_to(other)
    (project / "attention-weights.py").write_text(read_submission("unscaled"))
    finished = grade(project, ETUDE_ASSIGNED="attention-weights", ETUDE_REPORTS="junit=junit.xml")
    assert (finished.returncode, score(finished)) == (1, "3 of 13 points, 23.1%"), finished.stderr
    assert junitparser.JUnitXml.fromfile(str(project / "junit.xml")).failures
    for place in ("link/html", "..", ""):
        assert grade(project, ETUDE_REPORTS=f"html={place}").returncode == 2
    assert (other / "html").is_dir()
    assert (project / "attention-weights.py").is_file()


def test_no_requirements_of_the_submission_are_installed(
    tmp_path: Path, with_packages: Path
) -> None:
    """A student could have written them, and what pip installs runs in the grader."""
    shutil.copytree(with_packages, tmp_path / "course")
    (tmp_path / "course" / "requirements.txt").write_text("no-such-package==1\n")
    for submission in (".", "double.py"):
        (tmp_path / "double.py").write_text(USING)
        words = {"ETUDE_ASSIGNED": "double", "ETUDE_SUBMISSION": submission}
        finished = grade(tmp_path, ETUDE_EXERCISES="course", **words)
        assert (finished.returncode, "no-such-package" in finished.stderr) == (2, False), (
            finished.stderr
        )


def test_no_report_of_the_checkout_is_taken_for_ours(tmp_path: Path) -> None:
    """A forged one is gone, even if nothing can be graded."""
    (tmp_path / "junit.xml").write_text("<testsuites tests='13' failures='0'/>")
    finished = grade(tmp_path, ETUDE_SUBMISSION="no folder", ETUDE_REPORTS="junit=junit.xml")
    assert finished.returncode == 2
    assert not (tmp_path / "junit.xml").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "submission", "assigned"),
    [
        ("missing", "in", "attention-weights token-lookup"),
        ("missing file", "solution.py", "attention-weights"),
        ("link", "in", "attention-weights token-lookup"),
        ("behind a link", "week/in", "attention-weights"),
    ],
)
def test_what_is_not_there_failed(
    tmp_path: Path, kind: str, submission: str, assigned: str
) -> None:
    """Anyone who deletes what is graded, or makes it a link, has a score of 0."""
    (tmp_path / "elsewhere" / "in").mkdir(parents=True)
    (tmp_path / "elsewhere" / "in" / "attention-weights.py").write_text(read_submission("correct"))
    project = tmp_path / "project"
    project.mkdir()
    if kind == "link":
        (project / "in").symlink_to(tmp_path / "elsewhere" / "in")
    elif kind == "behind a link":
        (project / "week").symlink_to(tmp_path / "elsewhere")
    finished = grade(project, ETUDE_ASSIGNED=assigned, ETUDE_SUBMISSION=submission)
    assert (finished.returncode, score(finished).endswith(" 0.0%")) == (1, True), finished.stderr


@pytest.mark.slow
@pytest.mark.parametrize("on_github", ["true", "false"])
def test_names_of_files_command_nothing(tmp_path: Path, on_github: str) -> None:
    """In a folder of students: no options, lines or workflow commands, and no terminal's codes."""
    names = ["--help", "a\n::error::b", "::add-mask::x", "\x1b]0;title\x07", "=1+1", "<img src=x>"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "attention-weights.py").write_text(read_submission("unscaled"))
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "attention-weights.py").symlink_to("/etc/passwd")
    finished = grade(
        tmp_path,
        ETUDE_REPORTS="csv=r.csv markdown=r.md",
        GITHUB_ACTIONS=on_github,
        GITHUB_OUTPUT=str(tmp_path / "output"),
        GITHUB_STEP_SUMMARY=str(tmp_path / "summary"),
    )
    assert finished.returncode == 1, finished.stderr
    written = (tmp_path / "output").read_text()
    reports = [(tmp_path / name).read_text() for name in ("r.csv", "r.md")]
    for text in (finished.stdout, finished.stderr, *reports):
        assert not {"\x1b", "\x07"} & set(text)
        assert "root:" not in text
    commands = [line for line in finished.stdout.splitlines() if line.startswith("::")]
    kinds = {line.split("::")[1].split(" ")[0] for line in commands}
    assert on_github == "false" or kinds == {"error", "notice"}  # no one else obeys a line
    assert not any(line.startswith("::error::b") for line in commands)
    most = 13 * (len(names) + 1)  # everybody's points
    assert f"outcome=not passed\nscore={3 * len(names)}\nmax-score={most}\n" in written
