"""Submissions of several files: a folder or a zip, read as one text."""

import json
import os
import re
import stat
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from grader.definitions.program_files import join, mark_in
from grader.grading.results.submission import LINKED, Submission, cap_of, digest_of
from grader.safe_files import IrregularFileError, linked_folder, open_regular
from grader.sandbox.limits import SOURCE_CAP

_MOST_IN_ZIP = 1000


def read_submission(path: Path, files: Sequence[str], *, below: Path | None = None) -> Submission:
    """Read a submission; its faults become its `problem`.

    Args:
        path: the file; of several files their folder, a zip of it, or the main one with the others
            beside it. A Python file may also hold all of them, each after a comment with its name.
        files: the names of several files, the main one first; it may be a notebook.
        below: see `Submission.read`.

    Raises:
        GraderFault: this machine is at fault.
    """
    if not files:
        return Submission.read(path, below=below)
    if path.suffix.lower() == ".zip":
        return _of_zip(path, files, below)
    is_folder = path.is_dir() and not path.is_symlink()
    if not is_folder and path.name not in (files[0], _book(files[0])):
        return Submission.read(path, below=below)
    folder = path if is_folder else path.parent
    if below is None and linked_folder(folder / files[0]) is not None:
        return Submission.without_source(path, LINKED)
    try:
        given = {each.name for each in os.scandir(folder)}
    except OSError as error:
        return Submission.without_source(path, f"The folder cannot be read: {error.strerror}.")
    if not is_folder:
        given &= {*files[1:], path.name}
    return _of_files(folder, files, given, lambda name: Submission.read(folder / name, below=below))


def _of_zip(path: Path, files: Sequence[str], below: Path | None) -> Submission:
    """Read the files of a zip; they lie in one folder of it, whichever that is."""
    import zipfile  # noqa: PLC0415  few need it

    if below is None and linked_folder(path) is not None:
        return Submission.without_source(path, LINKED)
    try:
        with open_regular(path, below=below) as file, zipfile.ZipFile(file) as archive:
            entries = [
                each
                for each in archive.infolist()
                if not each.is_dir() and "__MACOSX/" not in each.filename
            ]
            if len(entries) > _MOST_IN_ZIP:
                problem = f"The zip has more than {_MOST_IN_ZIP} files."
                return Submission.without_source(path, problem)
            if len({PurePosixPath(each.filename).parent for each in entries}) > 1:
                problem = "The files of the zip are in several folders; put them into one."
                return Submission.without_source(path, problem)
            inside = {PurePosixPath(each.filename).name: each for each in entries}

            def read(name: str) -> Submission:
                if stat.S_ISLNK(inside[name].external_attr >> 16):
                    problem = "This is a symbolic link; submit the file itself."
                    return Submission.without_source(path / name, problem)
                with archive.open(inside[name]) as opened:
                    data = opened.read(cap_of(Path(name)) + 1)
                return Submission.from_bytes(path / name, data)

            return _of_files(path, files, set(inside), read)
    except (
        IrregularFileError,
        OSError,
        zipfile.BadZipFile,
        NotImplementedError,
        RuntimeError,
        ValueError,
    ) as error:
        return Submission.without_source(path, f"The zip cannot be read: {error}.")


def _of_files(
    folder: Path, files: Sequence[str], given: set[str], read: Callable[[str], Submission]
) -> Submission:
    """Make one submission of several files, or tell what is wrong with one."""
    book = _book(files[0])
    has_book = book in given and files[0] not in given
    names = [book if has_book else files[0], *files[1:]]
    path = folder / names[0]
    for name in sorted(given - set(names)):
        if Path(name).suffix in (".py", ".ipynb"):
            problem = f"{name}: This file is not asked for. Submit {', '.join(files)}."
            return Submission.without_source(path, problem)
    parts: list[Submission] = []
    for name in names:
        if name not in given:
            problem = f"There is no file {name}. Submit {', '.join(files)}."
            return Submission.without_source(path, problem)
        part = read(name)
        if not part.problem and any(map(mark_in, part.source.splitlines())):
            part = replace(part, problem="A line begins with '# etude file:'. Take it out.")
        if part.problem:
            line = part.line if name == names[0] else None
            return Submission(path, "", part.digest, f"{name}: {part.problem}", line)
        parts.append(part)
    told = [(name, part.digest) for name, part in zip(names, parts, strict=True)]
    digest = digest_of(json.dumps(told).encode())
    texts = {
        name: re.sub("\r\n?", "\n", part.source)
        for name, part in zip(names, parts, strict=True)
        if not part.is_notebook
    }
    text = join(texts)
    if len(text) > SOURCE_CAP:
        problem = f"The files have more than {SOURCE_CAP >> 10} KiB; a solution needs far less."
        return Submission(path, "", digest, problem)
    if has_book:
        return Submission(path, "", digest, cells=parts[0].cells, helpers=text)
    return Submission(path, text, digest)


def _book(main: str) -> str:
    """Return the name that the main file has as a notebook."""
    return f"{main.removesuffix('.py')}.ipynb"
