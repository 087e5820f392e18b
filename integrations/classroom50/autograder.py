"""Classroom 50 runs this for each submission, in the student's checkout.

Beside it lie what `etude export gradescope` made: requirements.txt, the wheel that it names, and
the exercises. If there is a folder `wheels`, pip takes everything from it and downloads nothing.
Graded, passed or not, is exit status 0, with `result.json` and the text of the release;
any other status is a fault, of which the runner makes a result without a score.
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
    """Grade what is in the current folder, and return the exit status."""
    _clear()  # a student's own files of these names would be taken for ours
    with tempfile.TemporaryDirectory(prefix="etude-", dir=os.environ.get("RUNNER_TEMP")) as folder:
        Path(folder).chmod(0o755)  # as root, the sandbox runs as the user `nobody`
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
    return 3 if installed else 0  # a status of pip's is none of Etude's


def _grade(environment: Path) -> int:
    exercises = sorted((HERE / "exercises").glob("[0-9]*.yaml"))
    assigned = [f"--assigned={path}" for path in exercises]
    formats = ["plain", f"classroom50={RESULT}", f"markdown={TEXT}"]
    words = ("grade", ".", *assigned, *(f"--format={each}" for each in formats))
    return _python(environment / "bin" / "python", "grader.cli", *words)


def _python(python: str | Path, module: str, *words: str | Path, cwd: Path | None = None) -> int:
    """Run a module; nothing of the checkout is imported, not by pip's own children either."""
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
