"""A submission as it arrives: bytes from a file, checked before anything looks into them."""

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import Self

from grader.errors import GraderFault
from grader.frozen import frozen
from grader.sandbox.limits import SOURCE_CAP


@frozen
class Submission:
    """What a learner handed in. With a `problem` there is no source that could be run."""

    path: Path
    source: str
    digest: str  # SHA-256 of the file's bytes; of nothing where they could not be read
    problem: str = ""  # one sentence for the learner
    line: int | None = None

    @classmethod
    def read(cls, path: Path, *, follow_links: bool = True) -> Self:
        """Read a file. What is wrong with it becomes the submission's `problem`, never an error.

        Args:
            path: the learner's file.
            follow_links: refuse a symbolic link if false, since in a folder that others filled it
                may point at anything.
        """
        try:
            data = _read_regular_file(path, follow_links=follow_links)
        except _UnfitError as error:
            return cls.without_source(path, str(error))
        return cls.from_bytes(path, data)

    @classmethod
    def without_source(cls, path: Path, problem: str) -> Self:
        """Stand for a file that is not there, or cannot be read."""
        return cls(path, "", _digest(b""), problem)

    @classmethod
    def from_bytes(cls, path: Path, data: bytes) -> Self:
        """Check the bytes and decode them: UTF-8 with or without a byte-order mark."""
        digest = _digest(data)
        if len(data) > SOURCE_CAP:
            problem = f"The file has more than {SOURCE_CAP >> 10} KiB; a solution needs far less."
            return cls(path, "", digest, problem)
        if not data.strip():
            return cls(path, "", digest, "The file is empty: write your solution into it.")
        if b"\0" in data:
            line = _line_of(data, data.index(b"\0"))
            problem = (
                f"The file has NUL bytes in it (line {line}), so it is not Python. "
                "Save it as UTF-8 text."
            )
            return cls(path, "", digest, problem, line)
        try:
            return cls(path, data.decode("utf-8-sig"), digest)
        except UnicodeDecodeError as error:
            byte = f"0x{data[error.start]:02x}"
            line = _line_of(data, error.start)
            problem = f"The file is not UTF-8 (byte {byte} on line {line}). Save it as UTF-8."
            return cls(path, "", digest, problem, line)


# No fault of the file's: what the machine that grades has run out of, or broken.
_OURS = {errno.EMFILE, errno.ENFILE, errno.EIO, errno.ENOMEM}


class _UnfitError(Exception):
    """A path that does not lead to a file we would read."""


def _read_regular_file(path: Path, *, follow_links: bool) -> bytes:
    # Without O_NONBLOCK, opening a FIFO would wait for a writer that never comes.
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        if not follow_links and path.is_symlink():
            raise _UnfitError("This is a symbolic link; hand in the file itself.")
        descriptor = os.open(path, flags if follow_links else flags | os.O_NOFOLLOW)
    except FileNotFoundError:
        raise _UnfitError(f"There is no file {path.name!r}.") from None
    except OSError as error:
        if error.errno in _OURS:
            raise GraderFault(f"{path} cannot be read: {error.strerror}") from error
        raise _UnfitError(f"The file cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise _UnfitError(f"The file cannot be read: {error}.") from None
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise _UnfitError("This is a folder; a submission is one Python file.")
        if not stat.S_ISREG(mode):
            raise _UnfitError("This is not a regular file; a submission is one Python file.")
        return _read_at_most(descriptor, SOURCE_CAP + 1)
    finally:
        os.close(descriptor)


def _read_at_most(descriptor: int, size: int) -> bytes:
    """Read a file's beginning; never more, however long the file claims to be."""
    pieces = []
    while size and (piece := os.read(descriptor, size)):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _line_of(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1
