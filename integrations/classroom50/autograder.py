"""The autograder that Classroom 50 runs for each submission, in the student's checkout.

Beside it lie the files of `etude export gradescope`: requirements.txt, the wheel that it names, and
the exercises. If there is a folder `wheels`, pip installs only from it and downloads nothing. Exit
status 0 means graded, passed or not, with `result.json` and the text of the release. For any other
status the runner makes a result without a score.
"""  # noqa: INP001  a script that is called by its path

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULT, TEXT = Path("result.json"), Path("release-body.md")
GRADED = (0, 1)  # passed, not passed


def main() -> int:
    """Grade the current folder, and return the exit status."""
    _clear()  # removes a student's own files with the names of our results
    with tempfile.TemporaryDirectory(prefix="etude-", dir=os.environ.get("RUNNER_TEMP")) as folder:
        Path(folder).chmod(0o755)  # root runs the sandbox as the user `nobody`
        status = _install(Path(folder)) or _grade(Path(folder))
    if status in GRADED:
        return 0
    _clear()
    return status


def _install(environment: Path) -> int:
    made = _python(sys.executable, "venv", environment, cwd=HERE)
    pip = ["pip", "--disable-pip-version-check", "--no-cache-dir", "--quiet", "install"]
    python = environment / "bin" / "python"
    installed = made or _python(python, *pip, "--requirement", "requirements.txt", cwd=HERE)
    words = ("grader.cli", "packages", "install", "--exercises", HERE / "exercises")
    installed = installed or _python(python, *words, cwd=HERE)
    return 3 if installed else 0  # pip's exit status must not be mistaken for Etude's


def _grade(environment: Path) -> int:
    exercises = sorted((HERE / "exercises").glob("[0-9]*.yaml"))
    assigned = [f"--assigned={path}" for path in exercises]
    formats = ["plain", f"classroom50={RESULT}", f"markdown={TEXT}"]
    words = ("grade", ".", *assigned, *(f"--format={each}" for each in formats))
    return _python(environment / "bin" / "python", "grader.cli", *words)


def _python(python: str | Path, module: str, *words: str | Path, cwd: Path | None = None) -> int:
    """Run a module so that neither it nor its children import anything from the checkout."""
    command = (python, "-I", "-m", module, *words)
    variables = {name: each for name, each in os.environ.items() if not name.startswith("PYTHON")}
    variables["PYTHONSAFEPATH"] = "1"
    if (HERE / "wheels").is_dir():
        variables |= {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(HERE / "wheels")}
    return subprocess.run(command, cwd=cwd, env=variables, check=False).returncode  # noqa: S603  no shell


def _clear() -> None:
    for path in (RESULT, TEXT):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
