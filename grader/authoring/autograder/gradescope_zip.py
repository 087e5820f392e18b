"""The zip: the two scripts that Gradescope calls, the exercises as a whole, and Etude itself."""

import io
import stat
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.authoring.autograder.installation import Installation
from grader.definitions.collection import load_exercise
from grader.definitions.exercise import Exercise
from grader.definitions.files import COURSE_FILE, course_file
from grader.errors import UsageError

_SCRIPTS = ("run_autograder", "setup.sh")
_VISIBLE = b"hidden_tests=visible"  # a line of run_autograder
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the first moment that a zip can name


@dataclass(frozen=True, slots=True)
class Assigned:
    """An exercise and the bytes of its definition."""

    exercise: Exercise
    content: bytes


def read_assigned(paths: Iterable[Path]) -> list[Assigned]:
    """Load the exercises that are to be graded.

    Raises:
        UsageError: one is a student edition, whose hidden tests are elsewhere, or two have the
            same id.
        DefinitionError: one is not valid.
    """
    found = [Assigned(load_exercise(path), path.read_bytes()) for path in paths]
    for each in found:
        if each.exercise.edition == "student":
            raise UsageError(
                f"'{each.exercise.id}' is a student edition, without hidden tests; name the "
                "collection that has them with --exercises"
            )
    if len({each.exercise.course and each.exercise.course.where for each in found}) > 1:
        raise UsageError("these exercises are of different courses; each needs an autograder")
    ids = [each.exercise.id for each in found]
    if twice := {name for name in ids if ids.count(name) > 1}:
        raise UsageError(f"there are two exercises '{min(twice)}'; each needs an id of its own")
    return found


def autograder(
    assigned: Sequence[Assigned],
    installation: Installation,
    fault: str,
    hidden_tests: str = "visible",
) -> bytes:
    """Return the zip; the same exercises and the same installation give the same bytes.

    Args:
        assigned: the exercises, in the order in which they are shown.
        installation: what `setup.sh` installs.
        fault: the results of a submission that could not be graded.
        hidden_tests: when students see the results of hidden tests.
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
            files |= {f"exercises/{path}": text.encode() for path, text in course.sources.items()}
    # Pack without compression, whose bytes differ from one zlib to another.
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for name, content in sorted(files.items()):
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.create_system = 3  # Unix, so that the mode counts
            mode = 0o755 if name in _SCRIPTS else 0o644
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, content)
    return made.getvalue()
