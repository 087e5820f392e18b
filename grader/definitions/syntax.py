"""Messages for files that are not YAML: the parser's problem as one plain sentence."""

from typing import Any, Final, NamedTuple

import yaml

ALIAS: Final = "a value that starts with * is a YAML alias, and aliases are not allowed"
ANCHOR: Final = "a value that starts with & is a YAML anchor, and anchors are not allowed"
TAG: Final = "a value that starts with ! is a YAML tag, and tags are not allowed"
QUOTE_IT: Final = "put the text in quotes if you mean it literally"

_TAB: Final = "a tab cannot indent YAML; use spaces"


class _Sentence(NamedTuple):
    fragment: str  # of the parser's own message
    text: str
    at_start: bool = False  # point at where the construct starts, not at where the parser gave up


_SENTENCES: Final = (
    _Sentence("scanning an alias", f"{ALIAS}; {QUOTE_IT}", at_start=True),
    _Sentence("scanning an anchor", f"{ANCHOR}; {QUOTE_IT}", at_start=True),
    _Sentence("a tag", f"{TAG}; {QUOTE_IT}", at_start=True),
    _Sentence("undefined tag handle", f"{TAG}; {QUOTE_IT}", at_start=True),
    _Sentence(
        "mapping values are not allowed",
        "no 'key: value' can start here; check the indentation, "
        "and put a text that contains ': ' in quotes",
    ),
    _Sentence(
        "could not find expected ':'",
        "expected ': ' after this key; check the indentation",
        at_start=True,
    ),
    _Sentence("sequence entries are not allowed", "a list starts on a line of its own"),
    _Sentence("<block end>", "this does not go with the lines above; check the indentation"),
    _Sentence("expected key", "expected a key here; check the indentation and the quotes"),
    _Sentence("'-' indicator", "expected '- ' as in the items above; check the indentation"),
    _Sentence("',' or ']'", "expected ',' or ']' here"),
    _Sentence("',' or '}'", "expected ',' or '}' here"),
    _Sentence("unexpected end of stream", "this quoted text is never closed", at_start=True),
    _Sentence("unexpected document", "this quoted text is never closed", at_start=True),
    _Sentence(
        "escape character",
        "this backslash starts no YAML escape; use single quotes, or write \\\\ for a backslash",
    ),
    _Sentence("hexdecimal number", "this escape needs more hexadecimal digits"),
    _Sentence("Unicode character escape", "this escape is not a Unicode character"),
    _Sentence("comment or line break", "only a comment may follow '|' or '>' on its line"),
    _Sentence("node content", "expected a value here"),
    _Sentence("<document start>", "expected the end of the file here"),
)


def explain(error: yaml.MarkedYAMLError, text: str) -> tuple[int, int, str]:
    """Return the line, the column (both from one) and the sentence for what the parser reports."""
    lines = text.splitlines()
    report = f"{error.context or ''}, {error.problem or ''}".strip(", ")
    line, column = _place(error.problem_mark or error.context_mark, lines)
    raw = lines[line - 1] if lines else ""
    if (tab := _indenting_tab(raw, column)) is not None:
        return line, tab, _TAB
    if "cannot start any token" in report:
        return line, column, f"no unquoted text can start with '{raw[column - 1 : column]}'"
    for sentence in _SENTENCES:
        if sentence.fragment in report:
            if sentence.at_start and error.context_mark:
                line, column = _place(error.context_mark, lines)
            return line, column, sentence.text
    return line, column, f"not valid YAML: {report}"


def _place(mark: Any, lines: list[str]) -> tuple[int, int]:  # noqa: ANN401  either parser's mark
    """Return a mark's line and column from one; the parser marks the end below the last line."""
    if mark is None or not lines:
        return 1, 1
    if mark.line >= len(lines):
        return len(lines), len(lines[-1]) + 1
    return mark.line + 1, mark.column + 1


def _indenting_tab(line: str, column: int) -> int | None:
    """Return the column of the tab that is to blame, if one is."""
    indentation = line[: len(line) - len(line.lstrip())]
    if "\t" in indentation:
        return indentation.index("\t") + 1
    return column if line[column - 1 : column] == "\t" else None
