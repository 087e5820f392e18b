"""Reading of submissions: a file, a folder with several files, or a zip of either."""

import errno
import json
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from grader.definitions.program_files import join_files, mark_in
from grader.errors import GraderFault
from grader.grading.submissions.submission import (
    Submission,
    compute_digest,
    size_limit,
    too_large_problem,
)
from grader.grading.submissions.zips import (
    ZipError,
    find_single_code_file,
    is_zip,
    list_files,
    open_zip,
    read_entry,
)
from grader.safe_files import (
    FolderError,
    IrregularFileError,
    LinkError,
    find_linked_folder,
    open_regular,
)
from grader.sandbox.limits import MAX_SOURCE_BYTES

_LINKED = "A folder on the way to this file is a symbolic link; name the folder that it leads to."

# Errors that are the machine's fault, not the file's, such as too many open files.
_MACHINE_ERRORS = {errno.EMFILE, errno.ENFILE, errno.EIO, errno.ENOMEM}


def read_submission(path: Path, files: Sequence[str], *, below: Path | None = None) -> Submission:
    """Read a submission; set its `problem` if the files are at fault.

    Args:
        path: The file, possibly inside a zip. For several files: their folder, a zip of it, the
            main file with the others beside it, or one Python file that holds all of them, each
            after a comment with its name.
        files: The names of the required files, if there are several. The first is the main one,
            in whose place a notebook is accepted.

    Raises:
        GraderFault: A file cannot be read because of a fault of this machine.
    """
    if packed := find_zip(path):
        return _read_zip(packed, files, below, path.relative_to(packed).as_posix())
    if not files:
        return read_file(path, below=below)
    is_folder = path.is_dir() and not path.is_symlink()
    if not is_folder and path.name not in (files[0], _find_notebook_name(files[0])):
        return read_file(path, below=below)
    folder = path if is_folder else path.parent
    if below is None and find_linked_folder(folder / files[0]) is not None:
        return Submission.without_source(path, _LINKED)
    try:
        present = {entry.name for entry in os.scandir(folder)}
    except OSError as error:
        return Submission.without_source(path, f"The folder cannot be read: {error.strerror}.")
    if not is_folder:
        present &= {*files[1:], path.name}
    return _read_files(folder, files, present, lambda name: read_file(folder / name, below=below))


def read_file(path: Path, *, below: Path | None = None) -> Submission:
    """Read a file; set the submission's `problem` if the file is at fault.

    A symbolic link is refused, since it may lead to any file of the person who grades.

    Args:
        below: The folder below which links to folders are refused too. By default, they are
            refused below the working directory.

    Raises:
        GraderFault: The file cannot be read because of a fault of this machine.
    """
    try:
        if below is None and find_linked_folder(path) is not None:
            return Submission.without_source(path, _LINKED)
        with open_regular(path, below=below) as file:
            data = file.read(size_limit(path) + 1)
    except LinkError:
        problem = "This is a symbolic link; submit the file itself."
    except FolderError:
        problem = "This is a folder; a submission is one Python file."
    except IrregularFileError:
        problem = "This is not a regular file; a submission is one Python file."
    except FileNotFoundError:
        problem = f"There is no file {path.name!r}."
    except OSError as error:
        if error.errno in _MACHINE_ERRORS:
            raise GraderFault(f"{path} cannot be read: {error.strerror}") from error
        problem = f"The file cannot be read: {error.strerror}."
    except ValueError as error:
        problem = f"The file cannot be read: {error}."
    else:
        return Submission.from_bytes(path, data)
    return Submission.without_source(path, problem)


def find_zip(path: Path) -> Path | None:
    """Return the zip at a path or above it, or None."""
    if is_zip(path.name):
        return path
    return next((each for each in path.parents if is_zip(each.name) and each.is_file()), None)


def _read_zip(path: Path, files: Sequence[str], below: Path | None, inside_path: str) -> Submission:
    """Read a submission from a zip: one file, or several files in one folder of the zip."""
    if below is None and find_linked_folder(path) is not None:
        return Submission.without_source(path, _LINKED)
    try:
        with open_regular(path, below=below) as file, open_zip(file) as archive:
            entries = list_files(archive)
            if not files:
                name = inside_path if inside_path in entries else find_single_code_file(entries)
                data = read_entry(archive, entries[name], size_limit(Path(name)))
                return Submission.from_bytes(path / name, data)
            if len({PurePosixPath(entry).parent for entry in entries}) > 1:
                problem = "The files of the zip are in several folders; put them into one."
                return Submission.without_source(path, problem)
            inside = {PurePosixPath(name).name: entry for name, entry in entries.items()}

            def read(name: str) -> Submission:
                data = read_entry(archive, inside[name], size_limit(Path(name)))
                return Submission.from_bytes(path / name, data)

            return _read_files(path, files, set(inside), read)
    except (ZipError, IrregularFileError, OSError, ValueError) as error:
        return Submission.without_source(path, f"The zip cannot be read: {error}.")


def _read_files(
    folder: Path, files: Sequence[str], present: set[str], read: Callable[[str], Submission]
) -> Submission:
    """Return one submission made of several files, with a `problem` if one is at fault."""
    book = _find_notebook_name(files[0])
    has_book = book in present and files[0] not in present
    names = [book if has_book else files[0], *files[1:]]
    path = folder / names[0]
    for name in sorted(present - set(names)):
        if Path(name).suffix in (".py", ".ipynb"):
            problem = f"{name}: This file is not asked for. Submit {', '.join(files)}."
            return Submission.without_source(path, problem)
    parts: list[Submission] = []
    for name in names:
        if name not in present:
            problem = f"There is no file {name}. Submit {', '.join(files)}."
            return Submission.without_source(path, problem)
        part = read(name)
        if not part.problem and any(map(mark_in, part.source.splitlines())):
            part = replace(part, problem="A line begins with '# etude file:'. Take it out.")
        if part.problem:
            line = part.line if name == names[0] else None
            return Submission(path, "", part.digest, f"{name}: {part.problem}", line)
        parts.append(part)
    digests = [(name, part.digest) for name, part in zip(names, parts, strict=True)]
    digest = compute_digest(json.dumps(digests).encode())
    texts = {
        name: re.sub("\r\n?", "\n", part.source)
        for name, part in zip(names, parts, strict=True)
        if not part.is_notebook
    }
    text = join_files(texts)
    if len(text) > MAX_SOURCE_BYTES:
        return Submission(path, "", digest, too_large_problem("The files have"))
    if has_book:
        return Submission(path, "", digest, cells=parts[0].cells, helpers=text)
    return Submission(path, text, digest)


def _find_notebook_name(main: str) -> str:
    """Return the name of the main file as a notebook."""
    return f"{main.removesuffix('.py')}.ipynb"
