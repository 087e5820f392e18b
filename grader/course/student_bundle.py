"""The student bundle: a collection without anything hidden, as files to hand out."""

from pathlib import Path

from grader.definitions.student import student_files
from grader.errors import UsageError


def write_bundle(collection: Path, target: Path) -> list[Path]:
    """Write the student edition of a collection into a new or empty folder.

    Returns:
        The files written, in order.

    Raises:
        UsageError: The folder holds something already, or cannot be written.
        DefinitionError: A definition is not valid; nothing is written.
    """
    files = list(student_files(collection))  # all of it first: a broken one leaves nothing behind
    try:
        target.mkdir(parents=True, exist_ok=True)
        if any(target.iterdir()):
            raise UsageError(f"{target} is not empty; name a new folder")
        written = []
        for name, content in files:
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            written.append(path)
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}") from error
    return written
