"""Rules about Markdown for learners, and whether a page can show it."""

import re
from collections.abc import Iterator
from typing import Final

from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import PageText, ProseText
from grader.errors import Problem

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:\s|$)")
_SPAN: Final = re.compile(r"(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)", re.DOTALL)
_DOLLARS: Final = re.compile(r"(?<!\\)((?:\\\\)*)(\$\$|\$)")
_UNFINISHED: Final = re.compile(r"\s*(todo|tbd|fixme|xxx|lorem ipsum|\.{3}|…)(?!\w)", re.IGNORECASE)
_UNSAID_PLOT: Final = re.compile(r"plot\(\s*(?:\)|title=|(['\"])\s*\1)")
_TOP: Final = 2  # the page title is the heading of level 1


@rule("ETU205", "warning")
def skipped_heading_level(prose: ProseText) -> Iterator[Problem]:
    """A heading is more than one level below the one before it."""
    level = _TOP - 1
    for number, line in _skip_fences(prose.text):
        if heading := _HEADING.match(line):
            below, level = level, len(heading[1])
            if level > below + 1:
                message = f"a heading of level {level} under one of level {below}"
                yield prose.problem(message, number, heading.start(1) + 1)


@rule("ETU206", "error")
def unbalanced_maths(prose: ProseText) -> Iterator[Problem]:
    """A `$` opens maths that is never closed."""
    paragraphs: list[list[str]] = []
    starts: list[int] = []
    expected = 0
    for number, line in _skip_fences(prose.text):
        if not line.strip() or number != expected:
            paragraphs.append([])
            starts.append(number)
        paragraphs[-1].append(line)
        expected = number + 1
    for start, lines in zip(starts, paragraphs, strict=True):
        # Code is replaced by blanks, so that the following text keeps its column.
        paragraph = _SPAN.sub(lambda span: re.sub(r"[^\n]", " ", span[0]), "\n".join(lines))
        opened: dict[str, int] = {}
        for match in _DOLLARS.finditer(paragraph):
            sign = match[2]
            if not opened:
                opened[sign] = match.start(2)
            elif sign in opened:
                opened.clear()
        for sign, at in opened.items():
            before = paragraph[:at]
            column = at - (before.rfind("\n") + 1) + 1
            message = (
                f"this '{sign}' is never closed in its paragraph; a plain dollar is written \\$"
            )
            yield prose.problem(message, start + before.count("\n"), column)


@rule("ETU209", "error")
def plot_without_text(prose: ProseText) -> Iterator[Problem]:
    """A lesson shows a plot without the text that says what it shows."""
    if "matplotlib" not in prose.text:
        return
    for number, line in enumerate(prose.text.split("\n"), 1):
        if _UNSAID_PLOT.match(line):
            message = "this plot needs a text that says what it shows: plot('...')"
            yield prose.problem(message, number)


@rule("ETU208", "error")
def unshowable_text(text: PageText) -> Iterator[Problem]:
    """A page cannot show a formula or an image."""
    for problem in text.unshowable:
        yield text.prose.problem(problem.message, problem.where.line, problem.where.column)


def _skip_fences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines outside of fenced code, numbered from one."""
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield number, line


@rule("ETU210", "warning")
def unfinished_text(prose: ProseText) -> Iterator[Problem]:
    """A text that learners read is still to be written."""
    if match := _UNFINISHED.match(prose.text):
        yield prose.problem(f"{match[1]!r} is not a text for learners yet", 1, 1)
