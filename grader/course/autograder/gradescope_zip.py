"""The zip: the two scripts that Gradescope calls, the exercises as a whole, and Etude itself."""

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
from grader.definitions.collection import load_exercise
from grader.definitions.exercise import Exercise
from grader.definitions.files import COURSE_FILE, REQUIREMENTS_FILE, course_file
from grader.errors import UsageError

_SCRIPTS = ("run_autograder", "setup.sh")
_VISIBLE = b"hidden_tests=visible"  # a line of run_autograder
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip can name
_DISTRIBUTIONS = (".whl", ".tar.gz")


@dataclass(frozen=True, slots=True)
class Installation:
    """A requirements file for pip, and the distribution that it may name."""

    requirements: str
    file: tuple[str, bytes] | None = None  # name and content

    @classmethod
    def of_checkout(cls) -> Self:
        """Build a wheel of the checkout that runs now, and pin all it needs by the lock.

        Raises:
            UsageError: This is no checkout, or the wheel cannot be built.
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
        """Read a path of a distribution, or a requirement.

        Raises:
            UsageError: There is no such file, or it is no requirement.
        """
        path = Path(text)
        if text.endswith(_DISTRIBUTIONS) and "://" not in text:
            try:
                return cls(f"./{path.name}\n", (path.name, path.read_bytes()))
            except OSError as error:
                raise UsageError(f"{text} cannot be read: {error.strerror}") from error
        if not text.strip() or text.startswith("-") or not text.isprintable():
            raise UsageError(f"{text!r} is no requirement for pip")
        return cls(f"{text}\n")


@dataclass(frozen=True, slots=True)
class AssignedExercise:
    """An exercise and the bytes of its definition."""

    exercise: Exercise
    content: bytes


def read_assigned(paths: Iterable[Path]) -> list[AssignedExercise]:
    """Load the exercises that are to be graded.

    Raises:
        UsageError: One is a student edition, whose hidden tests are elsewhere, or two have the
            same id.
        DefinitionError: One is not valid.
    """
    exercises = [AssignedExercise(load_exercise(path), path.read_bytes()) for path in paths]
    for each in exercises:
        if each.exercise.edition == "student":
            raise UsageError(
                f"'{each.exercise.id}' is a student edition, without hidden tests; name the "
                "collection that has them with --exercises"
            )
    if len({each.exercise.course and each.exercise.course.where for each in exercises}) > 1:
        raise UsageError("these exercises are of different courses; each needs an autograder")
    ids = [each.exercise.id for each in exercises]
    if twice := {name for name in ids if ids.count(name) > 1}:
        raise UsageError(f"there are two exercises '{min(twice)}'; each needs an id of its own")
    return exercises


def autograder(
    assigned: Sequence[AssignedExercise],
    installation: Installation,
    fault: str,
    hidden_tests: str = "visible",
) -> bytes:
    """Return the zip; the same exercises and the same installation give the same bytes.

    Args:
        assigned: The exercises, in the order in which they are shown.
        installation: What `setup.sh` installs.
        fault: The results of a submission that could not be graded.
        hidden_tests: When students see the results of hidden tests.

    Raises:
        DefinitionError: The course names packages, and has no requirements that fit Etude.
    """
    here = Path(__file__).parent
    files = {name: (here / name).read_bytes() for name in _SCRIPTS}
    script = files["run_autograder"]
    files["run_autograder"] = script.replace(_VISIBLE, f"hidden_tests={hidden_tests}".encode())
    files["fault.json"] = fault.encode()
    files["requirements.txt"] = installation.requirements.encode()
    if installation.file is not None:
        name, content = installation.file
        files[name] = content
    for number, each in enumerate(assigned, 1):
        files[f"exercises/{number:02}-{each.exercise.id}.yaml"] = each.content
        folder = course_file(each.exercise.where.path).parent
        for path in (*each.exercise.files, *each.exercise.hidden_files):
            files[f"exercises/{path}"] = (folder / path).read_bytes()
        if (course := each.exercise.course) is not None:
            files[f"exercises/{COURSE_FILE}"] = course.where.path.read_bytes()
            if (requirements := check_requirements(course)) is not None:
                files[f"exercises/{REQUIREMENTS_FILE}"] = requirements
            files |= {f"exercises/{path}": text.encode() for path, text in course.sources.items()}
    # Pack without compression, whose bytes differ from one zlib to another.
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3  # Unix, so that the mode counts
            mode = 0o755 if name in _SCRIPTS else 0o644
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
