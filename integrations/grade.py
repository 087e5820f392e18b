"""Grading in a CI job, for GitHub's action.yml and GitLab's template.

It is started as `python -I` by Etude's own Python, because the working directory is a student's
checkout. All settings come from the environment, and no shell ever parses them:

ETUDE_ASSIGNED    exercises, separated by blanks or lines; without any, ETUDE_SUBMISSION is a folder
                  with a folder for each student
ETUDE_SUBMISSION  a folder with the submitted files, or the only file of a single exercise
ETUDE_EXERCISES   the collection, by default the one that comes with Etude
ETUDE_REPORTS     reports to write, each NAME=FILE; existing files are removed first

The exit status is Etude's: 0 passed, 1 not passed, 2 wrong usage, 3 grader fault. The score is
printed, and written to GitHub's outputs if there are any.
"""  # noqa: INP001  a script that is called by its path

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.cli.options import refuse_submitted_definitions
from grader.errors import UsageError
from grader.safe_files import find_linked_folder

_OUTCOMES = {0: "passed", 1: "not passed", 2: "not graded"}
_FAULT = 3
_ON_GITHUB = os.environ.get("GITHUB_ACTIONS") == "true"


def main() -> int:
    """Grade, report the score, and return the exit status."""
    reports = os.environ.get("ETUDE_REPORTS", "").split()
    for report in reports:
        _clear(report.partition("=")[2])
    with tempfile.TemporaryDirectory(prefix="etude-") as folder:
        result = Path(folder, "result.json")
        status = _install(folder) or _etude(*_command(result, reports), folder=folder)
        points = _points(result) if status in (0, 1) else None
    _tell(_OUTCOMES.get(status, "fault"), points)
    return status if status in _OUTCOMES else _FAULT


def _clear(name: str) -> None:
    """Remove a file of the checkout in the place of a report, which would be taken for ours."""
    given = Path(os.path.abspath(name))  # noqa: PTH100  without following a link
    path = Path(os.path.realpath(given.parent), given.name)
    if Path.cwd() not in path.parents:
        return
    # Etude refuses to overwrite what is left, and says why.
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _install(folder: str) -> int:
    """Install the collection's packages, unless a student could have written their list."""
    collection = os.environ.get("ETUDE_EXERCISES")
    submission = Path(os.environ.get("ETUDE_SUBMISSION") or ".")
    graded = submission if submission.is_dir() else submission.parent
    try:
        for each in collection.split(os.pathsep) if collection else ():
            refuse_submitted_definitions(Path(each), graded)
    except UsageError:
        # Grading will refuse the course, or needs no packages.
        return 0
    return _etude("packages", "install", folder=folder) if collection else 0


def _etude(*words: str, folder: str) -> int:
    # Without the record and the cache, which an earlier job or the checkout could have written.
    environment = {**os.environ, "ETUDE_DATA": folder, "XDG_CACHE_HOME": folder}
    if not environment.get("ETUDE_EXERCISES"):
        environment.pop("ETUDE_EXERCISES", None)
    command = [sys.executable, "-I", "-m", "grader.cli", *words]
    return subprocess.run(command, env=environment, check=False).returncode  # noqa: S603  no shell


def _command(result: Path, reports: list[str]) -> list[str]:
    """Return the command line, with the settings where none of them can be an option."""
    assigned = os.environ.get("ETUDE_ASSIGNED", "").split()
    submission = os.environ.get("ETUDE_SUBMISSION") or "."
    printed = "github" if _ON_GITHUB else "plain"
    formats = [f"--format={report}" for report in (printed, f"json={result}", *reports)]
    # A file or link fails here, and a missing folder means that nothing was submitted.
    if assigned and not _is_folder(submission):
        if len(assigned) == 1:
            return ["check", *formats, "--", *assigned, submission]
        empty = result.with_name("empty")
        empty.mkdir()
        submission = str(empty)
    return ["grade", *formats, *(f"--assigned={name}" for name in assigned), "--", submission]


def _is_folder(submission: str) -> bool:
    """Return whether this is a folder that no link in the checkout leads to."""
    return find_linked_folder(Path(submission, "any")) is None and Path(submission).is_dir()


def _points(result: Path) -> tuple[int, int]:
    """Add up the points of one verdict or of a list."""
    data = json.loads(result.read_text(encoding="utf-8"))
    verdicts = [each for each in data.get("verdicts", [data]) if "score" in each]
    return sum(each["score"] for each in verdicts), sum(each["max_score"] for each in verdicts)


def _tell(outcome: str, points: tuple[int, int] | None) -> None:
    score, most = points or ("", "")
    if points and points[1]:
        print(f"Score: {score} of {most} points, {100 * points[0] / points[1]:.1f}%")  # noqa: T201  GitLab reads it
    elif _ON_GITHUB and outcome == "not graded":
        print("::error title=Etude::Nothing was graded. The log of this step has the reason.")  # noqa: T201  for the runner
    if path := os.environ.get("GITHUB_OUTPUT"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"outcome={outcome}\nscore={score}\nmax-score={most}\n")


if __name__ == "__main__":
    sys.exit(main())
