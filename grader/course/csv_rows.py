"""Tables from spreadsheets: text in its usual encodings, CSV with its usual delimiters."""

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from grader.errors import UsageError

_YES = frozenset({"yes", "true", "1", "x"})
_NO = frozenset({"no", "false", "0", ""})
_SEPARATOR = re.compile('"?sep=.?"?', re.IGNORECASE)  # strip() has removed a tab


def read_text(path: Path) -> str:
    """Read a text file: UTF-8, or UTF-16 with a byte order mark, as spreadsheets write it.

    Raises:
        UsageError: The file cannot be read, or has another encoding.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    return decode_text(data, str(path))


def decode_text(data: bytes, name: str) -> str:
    """Decode a file's bytes as `read_text` does.

    Raises:
        UsageError: The bytes have another encoding.
    """
    is_utf_16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text, start = data.decode("utf-16" if is_utf_16 else "utf-8-sig"), data.find(b"\0")
    except UnicodeDecodeError as error:
        text, start = "\0", error.start
    if "\0" in text:  # UTF-16 without a mark decodes as UTF-8 with NULs
        line = data.count(b"\n", 0, start) + 1
        raise UsageError(
            f"{name}:{line} is not UTF-8; save the file again, in Excel as 'CSV UTF-8'"
        )
    return text


def without_separator(text: str) -> str:
    """Return a table without the line `sep=;` that some spreadsheets write first."""
    first, _, rest = text.partition("\n")
    return rest if _SEPARATOR.fullmatch(first.strip()) else text


def parse_rows(text: str, name: str, needed: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the non-empty rows of a CSV with a heading, each with its line number.

    Args:
        text: Cells separated by commas, semicolons or tabs.
        name: The file's name, for errors.
        needed: The required columns, in lower case.

    Raises:
        UsageError: The text is not such a table.
    """
    table = without_separator(text)
    offset = int(table != text)
    first = table.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.DictReader(io.StringIO(table, newline=""), delimiter=delimiter, restval="")
    try:
        headings = [(heading or "").strip().lower() for heading in reader.fieldnames or ()]
        missing = [column for column in needed if column not in headings]
        if missing:
            raise UsageError(f"{name}:{1 + offset} has no column {missing[0]!r}")
        reader.fieldnames = headings
        for row in reader:
            if None in row:
                raise UsageError(
                    f"{name}:{reader.line_num + offset} has more cells than the heading"
                )
            if any(value.strip() for value in row.values()):  # spreadsheets end with empty rows
                values = {column: value.strip() for column, value in row.items()}
                yield reader.line_num + offset, values
    except csv.Error as error:
        raise UsageError(f"{name}:{reader.line_num + offset} is not a CSV file: {error}") from None


def is_yes(row: Mapping[str, str], column: str, where: str) -> bool:
    """Return whether a cell says yes; an empty or missing cell says no.

    Raises:
        UsageError: The cell says something other than yes or no.
    """
    value = row.get(column, "").lower()
    if value not in _YES | _NO:
        raise UsageError(f"{where}: {column} is 'yes' or empty, not {value!r}")
    return value in _YES
