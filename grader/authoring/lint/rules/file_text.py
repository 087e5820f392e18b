"""Rules about a file's text and its comments."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import File, LoadProblems
from grader.authoring.lint.suppressions import Suppressions
from grader.definitions.json_schemas import schema_path
from grader.definitions.wording import join_quoted, quote
from grader.definitions.yaml_source import ListNode, MappingNode
from grader.errors import Location, Problem

_CUT: Final = re.compile(r" #(?! lint:)| +#[^\s#]")
_PROGRAMS: Final = {"starter", "solution", "code", "also_right", "given", "run", "pytest"}
SCHEMA_LINE: Final = "# yaml-language-server: $schema="


@rule("ETU000", "error")
def invalid_definition(loading: LoadProblems) -> Iterator[Problem]:
    """The definition cannot be loaded."""
    yield from loading.problems


@rule("ETU001", "error")
def ignore_without_reason(comments: Suppressions) -> Iterator[Problem]:
    """A comment that silences a rule names no rule or gives no reason."""
    for comment in comments.comments:
        unknown = [code for code in comment.codes if code not in comments.codes]
        if not comment.codes:
            yield Problem(comment.where, "this comment names no rule, such as ETU309")
        elif unknown:
            yield Problem(comment.where, f"there is no rule {join_quoted(unknown, 'or')}")
        elif not comment.reason:
            message = "this comment gives no reason; add 'because' and say why"
            yield Problem(comment.where, message)


@rule("ETU002", "warning")
def unused_ignore(comments: Suppressions) -> Iterator[Problem]:
    """A comment silences a rule that finds nothing there."""
    for comment in comments.comments:
        idle = [c for c in comment.codes if c in comments.checked and c not in comment.used]
        if idle and comment.reason:
            message = f"{join_quoted(idle, 'and')} finds nothing on line {comment.line}"
            yield Problem(comment.where, f"{message}; remove this comment")


@rule("ETU003", "warning", fixable=True)
def trailing_white_space(file: File) -> Iterator[Problem]:
    """A line ends in white space."""
    for number, line in enumerate(file.lines, 1):
        bare = line.rstrip()
        if bare != line:
            yield Problem(
                Location(file.path, number, len(bare) + 1), "white space at the end of the line"
            )


@rule("ETU004", "warning", fixable=True)
def missing_final_newline(file: File) -> Iterator[Problem]:
    """The last line of the file has no end."""
    lines = file.lines
    if file.document is not None and lines and not file.document.text.endswith("\n"):
        where = Location(file.path, len(lines), len(lines[-1]) + 1)
        yield Problem(where, "no newline at the end of the file")


@rule("ETU005", "note", fixable=True)
def missing_schema_line(file: File) -> Iterator[Problem]:
    """No comment at the top of the file names the JSON Schema of this version of Etude."""
    if file.document is None:
        return
    head = takewhile(lambda line: not line.strip() or line.startswith("#"), file.lines)
    schema_line = next((line for line in head if line.startswith(SCHEMA_LINE)), None)
    if schema_line is None:
        message = f"no line '{SCHEMA_LINE}...' at the top of the file"
        yield Problem(Location(file.path), message)
        return
    schema = file.path.parent / schema_line.removeprefix(SCHEMA_LINE).strip()
    own_schema = schema_path(file.kind)
    is_copy = schema.name == own_schema.name and schema.is_file()
    if is_copy and schema.read_bytes() != own_schema.read_bytes():
        message = f"{quote(schema.name)} is outdated; `etude schema --into FOLDER` writes it"
        yield Problem(Location(file.path, file.lines.index(schema_line) + 1), message)


@rule("ETU006", "warning")
def text_cut_by_comment(file: File) -> Iterator[Problem]:
    """A text without quotes ends before a `#`, where a comment begins."""
    waiting = [file.document.root] if file.document is not None else []
    while waiting:
        node = waiting.pop()
        if isinstance(node, MappingNode):
            waiting += [value for _, value in node.entries]
        elif isinstance(node, ListNode):
            waiting += node.items
        elif node.style == "plain" and isinstance(node.value, str):
            # YAML joins the lines of such a text.
            number, line, text = node.where.line, file.lines[node.where.line - 1], node.text
            line = line[node.where.column - 1 :]
            while line and text.startswith(f"{line.strip()} ") and number < len(file.lines):
                text = text.removeprefix(f"{line.strip()} ")
                number, line = number + 1, file.lines[number]
            line = line.strip()
            if line.startswith(text) and _CUT.match(line, len(text)):
                message = f"the text ends before the '#' of {quote(line)}; put it in quotes"
                yield Problem(Location(file.path, number), message)


@rule("ETU007", "warning")
def folded_code(file: File) -> Iterator[Problem]:
    """A program is a block that begins with `>`, which joins lines."""
    waiting = [("", file.document.root)] if file.document is not None else []
    while waiting:
        key, node = waiting.pop()
        if isinstance(node, MappingNode):
            waiting += [(key.text, value) for key, value in node.entries]
        elif isinstance(node, ListNode):
            waiting += [(key, item) for item in node.items]
        elif node.style == "folded" and key in _PROGRAMS:
            message = f"{key}: '>' joins the lines of the program; write '|'"
            yield Problem(node.where, message)
