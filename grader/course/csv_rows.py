"""Tables that people keep in spreadsheets: text in its encodings, CSV with its delimiters."""

import codecs
import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from grader.errors import UsageError


def read_text(path: Path) -> str:
    """Read a text: UTF-8, or UTF-16 with its mark, as spreadsheets write it.

    Raises:
        UsageError: it cannot be read, or is of another encoding.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    return decode(data, str(path))


def decode(data: bytes, name: str) -> str:
    """Return the text of a file's bytes, as `read_text` does.

    Raises:
        UsageError: it is of another encoding.
    """
    is_utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if is_utf_16 else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{name}:{line} is not UTF-8; save the file again, in Excel as 'CSV UTF-8'"
        ) from None


def rows(text: str, name: str, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of a CSV with a heading, each with its line number.

    Args:
        text: cells are divided by a comma, a semicolon or a tab.
        name: of the file, for errors.
        needed: the columns that it must have, in lower case.

    Raises:
        UsageError: it is no such table.
    """
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, restval="")
    try:
        headings = [(each or "").strip().lower() for each in reader.fieldnames or ()]
        missing = [each for each in needed if each not in headings]
        if missing:
            raise UsageError(f"{name}:1 has no column {missing[0]!r}")
        reader.fieldnames = headings
        for row in reader:
            if None in row:
                raise UsageError(f"{name}:{reader.line_num} has more cells than the heading")
            yield reader.line_num, {column: value.strip() for column, value in row.items()}
    except csv.Error as error:
        raise UsageError(f"{name}:{reader.line_num} is no CSV: {error}") from None
