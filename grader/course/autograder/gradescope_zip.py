"""The Gradescope zip: its two scripts, the complete exercises, and Etude itself."""

import hashlib
import io
import stat
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from grader.course.course_requirements import LOCK, check_requirements
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.definitions.files import COURSE_FILE, REQUIREMENTS_FILE, course_file
from grader.errors import UsageError

_SCRIPTS = ("run_autograder", "setup.sh")
_VISIBLE = b"hidden_tests=visible"  # the line of run_autograder that is replaced
# The earliest time that a zip can store, for reproducible bytes.
_EPOCH = (1980, 1, 1, 0, 0, 0)
_DISTRIBUTIONS = (".whl", ".tar.gz")


@dataclass(frozen=True, slots=True)
class Installation:
    """A pip requirements file, and the distribution file that it may refer to."""

    requirements: str
    file: tuple[str, bytes] | None = None  # the distribution's file name and content

    @classmethod
    def from_checkout(cls) -> Self:
        """Build a wheel of the running checkout, and pin its dependencies by the lock file.

        Raises:
            UsageError: Etude does not run from a checkout, or the wheel cannot be built.
        """
        if not LOCK.is_file():
            raise UsageError(
                "this Etude is installed, so there is no checkout to build it from; name what the "
                "autograder shall install with --etude: a wheel, or a requirement for pip"
            )
        with tempfile.TemporaryDirectory(prefix="etude-wheel-") as folder:
            command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
            root = LOCK.parents[1]
            done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603  our own
            built = list(Path(folder).iterdir())
            if done.returncode or not built:
                reason = (done.stderr or done.stdout).strip().splitlines()[-1:] or [
                    "no reason given"
                ]
                raise UsageError(f"the wheel of this checkout cannot be built: {reason[0]}")
            name, content = built[0].name, built[0].read_bytes()
        pinned = f"./{name} --hash=sha256:{hashlib.sha256(content).hexdigest()}\n"
        return cls(LOCK.read_text(encoding="utf-8") + pinned, (name, content))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a distribution's path or a requirement.

        Raises:
            UsageError: The file does not exist, or the text is not a requirement.
        """
        path = Path(text)
        if text.endswith(_DISTRIBUTIONS) and "://" not in text:
            try:
                return cls(f"./{path.name}\n", (path.name, path.read_bytes()))
            except OSError as error:
                raise UsageError(f"{text} cannot be read: {error.strerror}") from error
        if not text.strip() or text.startswith("-") or not text.isprintable():
            raise UsageError(f"{text!r} is not a requirement for pip")
        return cls(f"{text}\n")


@dataclass(frozen=True, slots=True)
class AssignedExercise:
    """An exercise and the content of its definition file."""

    exercise: Exercise
    content: bytes


def read_assigned(paths: Iterable[Path]) -> list[AssignedExercise]:
    """Load the exercises to grade.

    Raises:
        UsageError: An exercise is a student edition, which lacks the hidden tests, or two exercises
            have the same id.
        DefinitionError: An exercise is invalid.
    """
    exercises = [AssignedExercise(load_exercise_file(path), path.read_bytes()) for path in paths]
    for assigned in exercises:
        if assigned.exercise.edition == "student":
            raise UsageError(
                f"'{assigned.exercise.id}' is a student edition, without hidden tests; name the "
                "collection that has them with --exercises"
            )
    if len({entry.exercise.course and entry.exercise.course.where for entry in exercises}) > 1:
        raise UsageError("these exercises are of different courses; each needs an autograder")
    ids = [entry.exercise.id for entry in exercises]
    if repeated := {name for name in ids if ids.count(name) > 1}:
        raise UsageError(f"there are two exercises '{min(repeated)}'; each needs an id of its own")
    return exercises


def make_autograder(
    assigned: Sequence[AssignedExercise],
    installation: Installation,
    fault: str,
    hidden_tests: str = "visible",
) -> bytes:
    """Return the zip's bytes, which depend only on the exercises and the installation.

    Args:
        assigned: The exercises, in display order.
        installation: The requirements that `setup.sh` installs.
        fault: The results file for a submission that could not be graded.
        hidden_tests: Gradescope's visibility of hidden test results.

    Raises:
        DefinitionError: The course names packages, but has no requirements compatible with Etude.
    """
    package = Path(__file__).parent
    files = {name: (package / name).read_bytes() for name in _SCRIPTS}
    script = files["run_autograder"]
    files["run_autograder"] = script.replace(_VISIBLE, f"hidden_tests={hidden_tests}".encode())
    files["fault.json"] = fault.encode()
    files["requirements.txt"] = installation.requirements.encode()
    if installation.file is not None:
        name, content = installation.file
        files[name] = content
    for number, graded in enumerate(assigned, 1):
        files[f"exercises/{number:02}-{graded.exercise.id}.yaml"] = graded.content
        folder = course_file(graded.exercise.where.path).parent
        for path in (*graded.exercise.files, *graded.exercise.hidden_files):
            files[f"exercises/{path}"] = (folder / path).read_bytes()
        if (course := graded.exercise.course) is not None:
            files[f"exercises/{COURSE_FILE}"] = course.where.path.read_bytes()
            if (requirements := check_requirements(course)) is not None:
                files[f"exercises/{REQUIREMENTS_FILE}"] = requirements
            files |= {f"exercises/{path}": text.encode() for path, text in course.sources.items()}
    # Store without compression, because compressed bytes vary between zlib versions.
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3  # the system code of Unix, which makes the file mode effective
            mode = 0o755 if name in _SCRIPTS else 0o644
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
