"""A submission, checked and decoded from the bytes of a file."""

import codecs
import contextlib
import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

from grader.definitions.exercise import Exercise
from grader.grading.submissions.exported_notebook import read_exported_cells
from grader.grading.submissions.file_kinds import file_kind
from grader.notebook_files import (
    CHECK_CALL,
    MAX_NOTEBOOK,
    NotebookError,
    Sections,
    find_sections,
    read_python_cells,
)
from grader.sandbox.limits import MAX_SOURCE_BYTES


@dataclass(frozen=True, slots=True)
class Submission:
    """A learner's file, or several files as one text. With a `problem` there is no source to run.

    A notebook, also one that was exported as Python, has `cells`. Its source is made from them in
    the sandbox, since only Python's own parser can decide which lines are Python.
    """

    path: Path
    source: str
    digest: str  # SHA-256 of the file's bytes, or of no bytes if they could not be read
    problem: str = ""  # the reason why it cannot be run, as a sentence for the learner
    line: int | None = None
    # The code cells, each with its number or, in an exported notebook, its first line.
    cells: tuple[tuple[int, str], ...] = ()
    helpers: str = ""  # text of the files beside a notebook, each after a comment with its name
    # The sections of a notebook of several exercises; empty for any other file.
    sections: Sections = field(default_factory=dict, hash=False)
    names: tuple[str, ...] = ()  # names of one exercise of such a notebook, whose definitions count
    is_begun: bool = True  # False for a part without an answer, which is treated as a missing file

    @property
    def is_notebook(self) -> bool:
        """True if the file's name is that of a notebook."""
        return is_notebook(self.path)

    @property
    def is_unreadable(self) -> bool:
        """True for a notebook or a zip that has nothing to grade."""
        return bool(self.problem) and self.path.suffix.lower() in (".ipynb", ".zip")

    def part_for(self, exercise: Exercise) -> "Submission":
        """Return the part of a notebook of several exercises that counts for one exercise.

        The part has all cells up to the end of the exercise's section, of which the definitions of
        the exercise's names and the code that they need count. Other submissions are unchanged.
        """
        if not self.sections or self.problem:
            return self
        begin, end = self.sections.get(exercise.id, (0, len(self.cells)))
        name = re.compile(rf"\b(?:{'|'.join(map(re.escape, exercise.defines))})\b")
        starter = exercise.starter.split()
        if not any(
            source.split() != starter and name.search(CHECK_CALL.sub("", source))
            for _, source in self.cells[begin:end]
        ):
            return replace(self.without_source(self.path, _NOT_BEGUN), is_begun=False)
        part = self.from_cells(self.path, self.cells[:end])
        return replace(part, names=tuple(exercise.defines))

    @classmethod
    def without_source(cls, path: Path, problem: str) -> Self:
        """Return the submission for a file that is missing or cannot be read."""
        return cls(path, "", compute_digest(b""), problem)

    @classmethod
    def from_program(cls, exercise: Exercise, program: str) -> "Submission":
        """Return the submission that an exercise would get with a program as its file."""
        return cls.from_bytes(Path(exercise.file_name), program.encode())

    @classmethod
    def from_bytes(cls, path: Path, data: bytes) -> "Submission":
        """Check the bytes and decode them as Python does: as UTF-8 or a declared encoding."""
        digest = compute_digest(data)
        if not data.strip() and len(data) <= MAX_SOURCE_BYTES:
            return cls(path, "", digest, "The file is empty: write your solution into it.")
        if is_notebook(path):
            return cls._of_notebook(path, data)

        def not_text(problem: str, line: int | None = None) -> "Submission":
            kind = file_kind(data)
            return Submission(path, "", digest, kind or problem, None if kind else line)

        if len(data) > MAX_SOURCE_BYTES:
            return not_text(too_large_problem("The file has"))
        if b"\0" in data:
            line = _find_line(data, data.index(b"\0"))
            problem = (
                f"The file has NUL bytes in it (line {line}), so it is not Python. "
                "Save it as UTF-8 text."
            )
            return not_text(problem, line)
        try:
            text = _decode(data)
            cells = read_exported_cells(text)
            return cls(path, text, digest, cells=tuple(cells), sections=find_sections(cells))
        except UnicodeDecodeError as error:
            byte = f"0x{data[error.start]:02x}"
            line = _find_line(data, error.start)
            problem = f"The file is not UTF-8 (byte {byte} on line {line}). Save it as UTF-8."
            return not_text(problem, line)

    @classmethod
    def _of_notebook(cls, path: Path, data: bytes) -> Self:
        """Read the code cells; outputs affect neither the digest nor the size of the code."""
        digest = compute_digest(data)
        if len(data) > MAX_NOTEBOOK:
            problem = (
                f"The notebook has more than {MAX_NOTEBOOK >> 20} MiB. Clear its outputs, take "
                "large pictures out, and save it again."
            )
            return cls(path, "", digest, problem)
        try:
            cells, sections = read_python_cells(data)
        except NotebookError as error:
            kind = "" if data.lstrip().startswith(b"{") else file_kind(data)
            if not kind and _PYTHON.search(data):
                kind = "This is Python, not a notebook. Give it the ending `.py`."
            return cls(path, "", digest, kind or str(error), None if kind else error.line)
        return replace(cls.from_cells(path, cells), sections=sections)

    @classmethod
    def from_cells(cls, path: Path, cells: Sequence[tuple[int, str]]) -> Self:
        """Return the submission with a notebook's code cells, given with their numbers."""
        cells = tuple(cells)
        digest = compute_digest(json.dumps(cells).encode())
        for number, source in cells:
            if _NON_TEXT.search(source):
                problem = f"Cell {number} has a character that is no text. Type the line again."
                return cls(path, "", digest, problem)
        if not any(source.strip() for _, source in cells):
            return cls(path, "", digest, "The notebook has no code: write your solution into it.")
        if sum(len(source.encode()) for _, source in cells) > MAX_SOURCE_BYTES:
            return cls(path, "", digest, too_large_problem("The code has"))
        return cls(path, "", digest, cells=cells)


def is_notebook(path: Path) -> bool:
    """Return whether a file has the extension of a notebook."""
    return path.suffix.lower() == ".ipynb"


def size_limit(path: Path) -> int:
    """Return the maximum size of a file in bytes."""
    return MAX_NOTEBOOK if is_notebook(path) else MAX_SOURCE_BYTES


def too_large_problem(subject: str) -> str:
    """Return the sentence about code that is too large; it begins with a subject and a verb."""
    return f"{subject} more than {MAX_SOURCE_BYTES >> 10} KiB; a solution needs far less."


_NOT_BEGUN = "The notebook has nothing for this exercise yet: write your solution into its cell."

# NUL, and surrogates, which JSON can express but UTF-8 cannot.
_NON_TEXT = re.compile("[\0\ud800-\udfff]")

_PYTHON = re.compile(rb"^(?:(?:async )?def|class|import|from) +\w", re.MULTILINE)

# An encoding that the first or the second line declares, as Python reads it; and the names of the
# encodings that are accepted, in which a character has one or two bytes.
_DECLARED = re.compile(rb"(?:[ \t\f]*(?:#.*)?\r?\n)?[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_ENCODINGS = re.compile(r"iso8859|cp\d|koi8|mac-|gb\d|gbk|big5|shift_jis|euc_")


def compute_digest(data: bytes) -> str:
    """Return the SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def _decode(data: bytes) -> str:
    """Return a file's text, decoded as UTF-8 or the encoding that it declares.

    Raises:
        UnicodeDecodeError: The bytes cannot be decoded.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        if match := _DECLARED.match(data):
            with contextlib.suppress(LookupError):
                name = codecs.lookup(match[1].decode()).name
                if _ENCODINGS.match(name):
                    return data.decode(name)
        raise


def _find_line(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1
