"""Report formats, and their delivery to standard output and files.

A format's renderer is imported when it is used: `etude check` reads `--format` before the sandbox
starts, and should not wait for the import of all renderers.
"""

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from grader.errors import UsageError
from grader.sandbox.printable import COMMAND_IN_LINE, COMMAND_LINE, without_commands
from grader.whole_files import find_descriptor, find_mode, refuse_linked_folders, write_whole

if TYPE_CHECKING:
    from grader.reports.report import Batch, Report

STDOUT = "text"
"""The format on standard output if every requested format goes to a file."""

# A submission may print a command for the CI runner that reads the log.
_Escape: TypeAlias = Callable[[str], str]


def _escape_json(text: str) -> str:
    """Escape commands inside JSON strings, since no string begins a line."""
    return COMMAND_IN_LINE.sub(r"#\\u0023", text)


def _escape_markup(text: str) -> str:
    return COMMAND_LINE.sub(r"\g<1>&#58;", COMMAND_IN_LINE.sub("#&#35;", text))


@dataclass(frozen=True, slots=True)
class Format:
    """A format. Its functions are named as `module.function`, and imported when they are used."""

    name: str
    batch: str  # the function that renders a batch
    description: str
    escape: _Escape = without_commands  # escapes CI commands in text that is printed
    report: str = ""  # the function for a single report that differs from a batch of one
    one_student: bool = False  # the format has room for one student only
    verdicts_only: bool = False  # the format has no place for grades, only for verdicts
    needs: tuple[str, ...] = ()  # required environment variables
    appendix: str = ""  # the function for a second text of a batch, appended to a file
    appendix_variable: str = ""  # environment variable with the path of that file

    def render(self, result: "Report | Batch") -> str:
        """Render a report or a batch."""
        from grader.reports.report import Batch

        if isinstance(result, Batch) or not self.report:
            batch = result if isinstance(result, Batch) else Batch.from_report(result)
            return find_function(self.batch)(batch)
        return find_function(self.report)(result)


def find_function(name: str) -> Callable[[Any], str]:
    """Import a function of a renderer, named as `module.function`."""
    module, _, function = name.partition(".")
    render: Callable[[Any], str] = getattr(
        importlib.import_module(f"grader.reports.{module}"), function
    )
    return render


def _for_platform(name: str, description: str, needs: tuple[str, ...] = ()) -> Format:
    return Format(
        name, f"to_platforms.{name}", description, _escape_json,
        one_student=True, verdicts_only=True, needs=needs,
    )  # fmt: skip


_ALL: Final = (
    Format("text", "to_text.render", "for a terminal", report="to_text.render"),
    Format(
        "plain", "to_plain.render_batch", "sentences without marks, for screen readers",
        report="to_plain.render_report",
    ),
    Format(
        "json", "to_json.batch_object", "everything, see `etude schema verdict`", _escape_json,
        report="to_json.report_object",
    ),
    Format(
        "jsonl", "to_json.batch_lines", "the same, a line for each submission", _escape_json,
        report="to_json.json_line",
    ),
    Format(
        "junit", "to_junit.render_batch", "JUnit XML, which most CI systems read", _escape_markup
    ),
    _for_platform("gradescope", "results.json"),
    _for_platform(
        "classroom50",
        "result.json of Classroom 50",
        ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL"),
    ),
    # This format consists of commands, so its renderer escapes the submission's text itself.
    Format(
        "github", "to_github.render_batch", "GitHub Actions annotations and job summary", str,
        report="to_github.render_report", verdicts_only=True,
        appendix="to_github.job_summary", appendix_variable="GITHUB_STEP_SUMMARY",
    ),
    _for_platform("exercism", "results.json, version 3"),
    _for_platform("prairielearn", "results.json"),
    Format(
        "ctrf", "to_ctrf.render_batch", "Common Test Report Format", _escape_json,
        verdicts_only=True,
    ),
    Format(
        "markdown", "to_markdown.render_batch", "for a comment or a wiki",
        report="to_markdown.render_report",
    ),
    Format(
        "html", "to_html.render_batch", "one page that needs no other file", _escape_markup,
        report="to_html.render_report",
    ),
    Format("csv", "to_tables.submissions", "a row for each submission"),
    Format("gradebook", "to_tables.gradebook", "CSV: students by exercises"),
    Format("moodle", "to_tables.moodle", "CSV of grades that Moodle imports"),
)  # fmt: skip

FORMATS: Final[Mapping[str, Format]] = {format_.name: format_ for format_ in _ALL}
"""Every format by its name."""


def format_named(name: str) -> Format:
    """Return the format with this name.

    Raises:
        UsageError: There is no such format.
    """
    if name in FORMATS:
        return FORMATS[name]
    close = get_close_matches(name, FORMATS, n=1)
    suggestion = f"; did you mean {close[0]!r}?" if close else "."
    raise UsageError(f"{name!r} is not a format{suggestion} There are {', '.join(FORMATS)}.")


@dataclass(frozen=True, slots=True)
class RequestedFormat:
    """A format and its file; None stands for standard output."""

    format: Format
    file: Path | None = None

    @classmethod
    def parse(cls, text: str) -> "RequestedFormat":
        """Parse `NAME` or `NAME=FILE`.

        Raises:
            UsageError: The format does not exist, or no file name follows the `=`.
        """
        name, equals, file = text.partition("=")
        if equals and not file:
            raise UsageError(f"--format {text}: the name of a file is missing after '='")
        return cls(format_named(name), Path(file) if equals else None)


@dataclass(frozen=True, slots=True)
class Delivery:
    """The requested formats and their destinations."""

    printed: Format  # the format for standard output
    files: tuple[RequestedFormat, ...]

    @classmethod
    def from_requests(cls, requests: Sequence[RequestedFormat]) -> "Delivery":
        """Assign formats to destinations, and check now what would fail after grading.

        Raises:
            UsageError: Two formats have one destination, a file cannot be written, or a format
                needs a missing environment variable.
        """
        printed = [request.format for request in requests if request.file is None]
        if len(printed) > 1:
            names = " and ".join(format_.name for format_ in printed)
            raise UsageError(
                f"only one of {names} can be printed; give the others a file: "
                f"--format {printed[1].name}=FILE"
            )
        files = tuple(request for request in requests if request.file is not None)
        places = {
            (os.path.realpath(file.file.parent), file.file.name)
            for file in files
            if file.file is not None
        }
        if len(places) < len(files):
            raise UsageError("two formats are for one file; give each its own")
        for request in requests:
            missing = [name for name in request.format.needs if not os.environ.get(name)]
            if missing:
                raise UsageError(
                    f"--format {request.format.name} is for a runner that sets "
                    f"{', '.join(missing)}; the environment has no such variable"
                )
            if request.file is None or find_descriptor(request.file) is not None:
                continue
            if request.file.is_dir():
                raise UsageError(f"{request.file} is a folder; --format needs a file's name")
            folder = request.file.parent
            if not folder.is_dir():
                raise UsageError(f"there is no folder {folder} for {request.file.name}")
            refuse_linked_folders(request.file)
            written = request.file if find_mode(request.file) is None else folder
            if not os.access(written, os.W_OK):
                raise UsageError(f"{request.file} cannot be written")
        return cls(printed[0] if printed else FORMATS[STDOUT], files)

    @property
    def formats(self) -> tuple[Format, ...]:
        """All requested formats."""
        return (self.printed, *(file.format for file in self.files))

    @property
    def is_drawn(self) -> bool:
        """True if the text is laid out for the terminal, which ignores CI commands."""
        if self.printed.name != STDOUT or is_read_by_a_runner():
            return False
        from rich.console import Console

        return Console().is_terminal

    def load(self) -> None:
        """Import the renderers, while the sandbox is starting."""
        for format_ in self.formats:
            find_function(format_.batch)

    def write(self, result: "Report | Batch") -> None:
        """Write every file, and append each format's appendix to its file.

        If a renderer fails, its file reports a fault and the other files are still written.

        Raises:
            Exception: The first error, after everything else was written.
        """
        from grader.reports.report import Batch

        errors: list[Exception] = []
        for request in self.files:
            try:
                assert request.file is not None  # for the type checker
                try:
                    text = request.format.render(result)
                except Exception:
                    faulty = (
                        replace(result, reports=tuple(map(_faulty, result)))
                        if isinstance(result, Batch)
                        else _faulty(result)
                    )
                    write_whole(request.file, request.format.render(faulty))
                    raise
                write_whole(request.file, text)
            except Exception as error:  # noqa: BLE001  raised below, when the others are written
                errors.append(error)
        for each_format in self.formats:
            try:
                path = os.environ.get(each_format.appendix_variable)
                if path:
                    batch = result if isinstance(result, Batch) else Batch.from_report(result)
                    with open(path, "ab") as file:  # noqa: PTH123  the runner's own name for it
                        appendix = find_function(each_format.appendix)(batch)
                        file.write(appendix.encode("utf-8", "replace"))
            except Exception as error:  # noqa: BLE001  the same
                errors.append(error)
        if errors:
            raise errors[0]

    def text(self, result: "Report | Batch") -> str:
        """Return the text to print, with CI commands escaped; JSON and XML keep their content."""
        text = self.printed.render(result)
        return self.printed.escape(text) if is_read_by_a_runner() else text


def is_read_by_a_runner() -> bool:
    """Return whether a CI runner may read commands from the printed text."""
    marks = ("TF_BUILD", "TEAMCITY_VERSION")
    return os.environ.get("GITHUB_ACTIONS") == "true" or any(name in os.environ for name in marks)


def _faulty(report: "Report") -> "Report":
    from grader.reports.report import Report

    fault = Report.from_fault(report.exercise, report.file, "the report could not be made")
    return replace(fault, student=report.student, began=report.began, ended=report.ended)
