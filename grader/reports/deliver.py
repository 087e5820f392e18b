"""Brings reports to where they were asked for: standard output, and files that are never half.

A check reads its `--format` with this before its sandbox starts, so the rest is imported when used.
"""

import contextlib
import os
import re
import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import UsageError
from grader.reports.ci_escape import inert, is_obeyed
from grader.reports.formats import Format, Renderer, format_named
from grader.safe_files import linked_folder

if TYPE_CHECKING:
    from grader.reports.report import Batch, Report

STDOUT = "text"
"""The format on standard output if all others go to files."""


@dataclass(frozen=True, slots=True)
class RequestedFormat:
    """A format, and the file that it is for; without one it is for standard output."""

    format: Format
    file: Path | None = None

    @classmethod
    def parse(cls, text: str) -> "RequestedFormat":
        """Read `NAME` or `NAME=FILE`.

        Raises:
            UsageError: there is no such format, or no name of a file after the `=`.
        """
        name, equals, file = text.partition("=")
        if equals and not file:
            raise UsageError(f"--format {text}: the name of a file is missing after '='")
        return cls(format_named(name), Path(file) if equals else None)


@dataclass(frozen=True, slots=True)
class Delivery:
    """All that was asked for."""

    printed: str  # the name of the format on standard output
    files: tuple[RequestedFormat, ...]

    @classmethod
    def of(cls, asked: Sequence[RequestedFormat]) -> "Delivery":
        """Sort out what goes where, and find out now what could not be done after grading.

        Raises:
            UsageError: two formats for one place, a file that cannot be written, or a format that
                needs an environment which is not there.
        """
        bare = [each.format.name for each in asked if each.file is None]
        if len(bare) > 1:
            raise UsageError(
                f"only one of {' and '.join(bare)} can be printed; give the others a file: "
                f"--format {bare[1]}=FILE"
            )
        files = tuple(each for each in asked if each.file is not None)
        places = {
            (os.path.realpath(each.file.parent), each.file.name)
            for each in files
            if each.file is not None
        }
        if len(places) < len(files):
            raise UsageError("two formats are for one file; give each its own")
        for each in asked:
            _check(each)
        return cls(bare[0] if bare else STDOUT, files)

    @property
    def formats(self) -> tuple[Format, ...]:
        """Every format that was asked for."""
        return (format_named(self.printed), *(each.format for each in self.files))

    @property
    def is_drawn(self) -> bool:
        """True if the text is fitted to the terminal, which obeys nothing that it says."""
        return self.printed == STDOUT and not is_obeyed()

    def load(self) -> None:
        """Import the renderers, and what a terminal takes, while others are busy."""
        for each in self.formats:
            each.renderer()
        if self.is_drawn:
            from grader.reports.lines import standard_output  # noqa: PLC0415  see above

            standard_output()

    def write(self, result: "Report | Batch") -> None:
        """Write every file, and what a format has aside.

        A renderer that breaks leaves a fault in its file, and the others write theirs.

        Raises:
            Exception: the first of what went wrong, after all that could be written was.
        """
        wrong: list[Exception] = []
        for each in self.files:
            try:
                assert each.file is not None  # noqa: S101  for the type checker
                renderer = each.format.renderer()
                try:
                    text = _rendered(renderer, result)
                except Exception:
                    write_whole(each.file, _rendered(renderer, _as_fault(result)))
                    raise
                write_whole(each.file, text)
            except Exception as error:  # noqa: BLE001  raised below, when the others are written
                wrong.append(error)
        for each_format in self.formats:
            try:
                _set_aside(each_format.renderer(), result)
            except Exception as error:  # noqa: BLE001  the same
                wrong.append(error)
        if wrong:
            raise wrong[0]

    def text(self, result: "Report | Batch") -> str:
        """Return what is to be printed."""
        return inert(_rendered(format_named(self.printed).renderer(), result), self.printed)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that at every moment it holds the old text or the new one, never a part.

    A symbolic link is replaced by the file, since in a folder that others filled it may lead to
    any file of ours. A pipe or a device is written to as it is, and so is an open descriptor that
    is named, such as `/dev/stdout`.

    Raises:
        OSError: it cannot be written.
        UsageError: a link below the working directory is a folder on the way to it.
    """
    import tempfile  # noqa: PLC0415  see above

    data = content if isinstance(content, bytes) else content.encode("utf-8", "replace")
    _refuse_linked_folders(path)
    mode = _mode(path)
    if mode is None:
        with open(path, "wb", opener=_open_as_it_is) as file:
            file.write(data)
        return
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123  it is open already
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)  # noqa: PTH101  a name, not a path
        os.replace(name, path)  # noqa: PTH105  the same
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)  # noqa: PTH108  the same
        raise


def _mode(path: Path) -> int | None:
    """Return the mode that a file has or would get; None for what is written to as it is."""
    if _descriptor(path) is not None:
        return None
    try:
        found = path.lstat().st_mode
    except FileNotFoundError:
        found = stat.S_IFLNK
    if stat.S_ISLNK(found):  # the file will be a new one
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
    return stat.S_IMODE(found) if stat.S_ISREG(found) else None


def _descriptor(path: Path) -> int | None:
    """Return the number of the open descriptor that a path names."""
    name = os.path.abspath(path)  # noqa: PTH100  no link is followed
    name = {"/dev/stdout": "/dev/fd/1", "/dev/stderr": "/dev/fd/2"}.get(name, name)
    found = re.fullmatch(r"/(?:dev|proc/self)/fd/([0-9]+)", name)
    return int(found[1]) if found else None


def _open_as_it_is(path: str, flags: int) -> int:
    """Open what is written to as it is: a descriptor goes on where it stands."""
    descriptor = _descriptor(Path(path))
    return os.open(path, flags | os.O_NOFOLLOW) if descriptor is None else os.dup(descriptor)


def _refuse_linked_folders(path: Path) -> None:
    """Refuse a folder on the way that is a link below the working directory."""
    folder = linked_folder(path) if _descriptor(path) is None else None
    if folder is not None:
        raise UsageError(f"{folder} is a symbolic link; name the folder that it leads to")


def _check(wanted: RequestedFormat) -> None:
    missing = [name for name in wanted.format.needs if not os.environ.get(name)]
    if missing:
        raise UsageError(
            f"--format {wanted.format.name} is for a runner that sets {', '.join(missing)}; "
            "the environment has no such variable"
        )
    if wanted.file is None or _descriptor(wanted.file) is not None:
        return
    if wanted.file.is_dir():
        raise UsageError(f"{wanted.file} is a folder; --format needs a file's name")
    folder = wanted.file.parent
    if not folder.is_dir():
        raise UsageError(f"there is no folder {folder} for {wanted.file.name}")
    _refuse_linked_folders(wanted.file)
    if not os.access(wanted.file if _mode(wanted.file) is None else folder, os.W_OK):
        raise UsageError(f"{wanted.file} cannot be written")


def _rendered(renderer: Renderer, result: "Report | Batch") -> str:
    from grader.reports.report import Report  # noqa: PLC0415  see above

    return renderer.one(result) if isinstance(result, Report) else renderer.many(result)


def _as_fault(result: "Report | Batch") -> "Report | Batch":
    from grader.reports.report import Batch  # noqa: PLC0415  see above

    if isinstance(result, Batch):
        reports = tuple(_faulty(report) for report in result)
        return replace(result, reports=reports)
    return _faulty(result)


def _faulty(report: "Report") -> "Report":
    from grader.reports.report import Report  # noqa: PLC0415  see above

    fault = Report.of_fault(report.exercise, report.file, "the report could not be made")
    return replace(fault, student=report.student, began=report.began, ended=report.ended)


def _set_aside(renderer: Renderer, result: "Report | Batch") -> None:
    """Append what a format has aside to the file of the environment, if it names one."""
    path = os.environ.get(renderer.aside_to) if renderer.aside_to else None
    if renderer.aside is None or not path:
        return
    from grader.reports.report import Batch  # noqa: PLC0415  see above

    batch = result if isinstance(result, Batch) else Batch((result,))
    with open(path, "ab") as file:  # noqa: PTH123  the runner's own name for it
        file.write(renderer.aside(batch).encode("utf-8", "replace"))
