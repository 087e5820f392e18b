"""New entries in the lists of an exercise's file. All else in the file stays as it is."""

import re
from collections.abc import Mapping as AnyMapping
from pathlib import Path
from typing import Final, Literal

from grader.authoring.importing.write import write_text
from grader.definitions.collection import load_exercise
from grader.definitions.emit import emit
from grader.definitions.yaml_source import Mapping, Scalar, Sequence, Style, read
from grader.errors import Location, UsageError

_NOWHERE: Final = Location(Path())
_ITEM: Final = re.compile(r"( *)-(?= )")


def add_entry(
    path: Path, key: Literal["equivalent", "misconceptions"], entry: AnyMapping[str, str]
) -> int:
    """Add an entry behind the others of a list, and return its line.

    Args:
        path: of the exercise.
        key: of the list, which is made if it is missing.
        entry: its keys and texts, in order.

    Raises:
        UsageError: there is no such file, the list is written in brackets, or the file would not be
            valid with the entry. It then is as it was.
        DefinitionError: the file is not valid.
    """
    load_exercise(path)
    document = read(path)
    before = path.read_bytes()
    ends = "\r\n" if b"\r\n" in before else "\n"
    lines = document.text.splitlines()
    if document.has(key):
        at, margin = _end_of_list(document.node(key), lines, path, key)
        new = _item(entry, margin)
    else:
        at = len(lines)
        new = ["", f"{key}:", *_item(entry, "  ")]
    text = ends.join([*lines[:at], *new, *lines[at:]]) + ends
    write_text(path, text)
    try:
        load_exercise(path)
    except Exception as error:
        path.write_bytes(before)
        raise UsageError(f"{path} would not be valid with the new entry: {error}") from error
    return at + 1 + (len(new) - len(_item(entry, "")))


def _end_of_list(node: object, lines: list[str], path: Path, key: str) -> tuple[int, str]:
    """Return the index of the line behind a list, and the white space before its dashes."""
    first = node.items[0].where if isinstance(node, Sequence) and node.items else None
    dash = None if first is None else _ITEM.match(lines[first.line - 1])
    if first is None or dash is None:
        raise UsageError(
            f"{path}: {key} is written in brackets; write each entry on lines of its own, after '-'"
        )
    margin = dash[1]
    end = first.line
    for number, line in enumerate(lines[first.line :], first.line + 1):
        is_inside = line.startswith((f"{margin} ", f"{margin}- "))
        if line.strip() and not is_inside:
            break
        if line.strip():
            end = number
    return end, margin


def _item(entry: AnyMapping[str, str], margin: str) -> list[str]:
    """Return the lines of an entry, the dash behind the margin."""
    pairs = tuple((_scalar(key, "plain"), _scalar(value, "quoted")) for key, value in entry.items())
    items = Sequence(_NOWHERE, (Mapping(_NOWHERE, pairs),))
    whole = emit(Mapping(_NOWHERE, ((_scalar("x", "plain"), items),)))
    return [f"{margin}{line[2:]}".rstrip() for line in whole.splitlines()[1:]]


def _scalar(text: str, style: Style) -> Scalar:
    return Scalar(_NOWHERE, text, style, text)
