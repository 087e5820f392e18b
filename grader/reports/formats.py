"""The formats a verdict can be shown in: what each is called, and where its renderer is.

Nothing is imported before it is asked for: a check that prints text pays for no other format.
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final

from grader.errors import UsageError

if TYPE_CHECKING:
    from grader.reports.report import Batch, Report


@dataclass(frozen=True, slots=True)
class Renderer:
    """The functions by which a format renders one submission, and many.

    `aside` makes a second text, appended to the file that the environment variable `aside_to`
    names.
    """

    name: str
    one: "Callable[[Report], str]"
    many: "Callable[[Batch], str]"
    aside: "Callable[[Batch], str] | None" = None
    aside_to: str = ""


@dataclass(frozen=True, slots=True)
class Format:
    """The facts about a format that need no renderer."""

    name: str
    description: str
    module: str  # has a `RENDERER`
    one_student: bool = False  # its reader takes one student's results only
    verdicts_only: bool = False  # has no place for a grade that is not the verdict's
    needs: tuple[str, ...] = ()  # environment variables

    def renderer(self) -> Renderer:
        """Load the renderer."""
        renderer: Renderer = importlib.import_module(self.module).RENDERER
        return renderer


_ALL: Final = (
    Format("text", "for a terminal", "grader.reports.to_text"),
    Format("plain", "sentences without marks, for screen readers", "grader.reports.to_plain"),
    Format("json", "everything, see `etude schema verdict`", "grader.reports.to_json"),
    Format("jsonl", "the same, a line for each submission", "grader.reports.to_jsonl"),
    Format("junit", "JUnit XML, which most CI systems read", "grader.reports.to_junit"),
    Format(
        "gradescope",
        "results.json",
        "grader.reports.to_gradescope",
        one_student=True,
        verdicts_only=True,
    ),
    Format(
        "classroom50",
        "result.json of Classroom 50",
        "grader.reports.to_classroom50",
        one_student=True,
        verdicts_only=True,
        needs=("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL"),
    ),
    Format(
        "github",
        "GitHub Actions annotations and job summary",
        "grader.reports.to_github",
        verdicts_only=True,
    ),
    Format(
        "exercism",
        "results.json, version 3",
        "grader.reports.to_exercism",
        one_student=True,
        verdicts_only=True,
    ),
    Format(
        "prairielearn",
        "results.json",
        "grader.reports.to_prairielearn",
        one_student=True,
        verdicts_only=True,
    ),
    Format("ctrf", "Common Test Report Format", "grader.reports.to_ctrf", verdicts_only=True),
    Format("markdown", "for a comment or a wiki", "grader.reports.to_markdown"),
    Format("html", "one page that needs no other file", "grader.reports.to_html"),
    Format("csv", "a row for each submission", "grader.reports.to_csv"),
    Format("gradebook", "CSV: students by exercises", "grader.reports.to_gradebook"),
    Format("moodle", "CSV of grades that Moodle imports", "grader.reports.to_moodle"),
)

FORMATS: Final[Mapping[str, Format]] = {each.name: each for each in _ALL}
"""Every format by its name."""


def format_named(name: str) -> Format:
    """Return a format.

    Raises:
        UsageError: there is none of that name.
    """
    if name in FORMATS:
        return FORMATS[name]
    close = get_close_matches(name, FORMATS, n=1)
    suggestion = f"; did you mean {close[0]!r}?" if close else ""
    raise UsageError(f"{name!r} is no format{suggestion} There are {', '.join(FORMATS)}.")
