"""A history as JSON, for backup or transfer to another machine.

    {"etude_progress": 1, "attempts": [...], "hints": [...], "given_up": [...], "broken": [...],
    "programs": {...}}

An imported file is checked field by field: it may have been edited or be of another program.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, fields
from datetime import datetime
from operator import methodcaller
from typing import Any, Final

from grader.definitions.slug import is_slug
from grader.errors import UsageError
from grader.progress.history import PARTS, Event, History, Programs, read_event

VERSION: Final = 1  # version of the JSON format
MAX_BYTES: Final = 64 << 20  # largest imported file

_VERSION_KEY: Final = "etude_progress"
_COUNT_FIELDS: Final = frozenset({"score", "max_score", "xp", "number", "price"})
_MAX_COUNT: Final = 10**6
_MAX_TEXT_LENGTH: Final = 200
_MAX_CALL_LENGTH: Final = 2000  # longest call that broke a program, in characters


def to_json(history: History, programs: Programs | None = None) -> str:
    """Return a history as JSON, one event a line, followed by the programs that passed."""
    parts = [f'"{_VERSION_KEY}": {VERSION}']
    for part in PARTS:
        events = [asdict(event) for event in getattr(history, part)]
        lines = [f"\n  {json.dumps(event, default=methodcaller('isoformat'))}" for event in events]
        end = "\n" if lines else ""
        parts.append(f'"{part}": [{",".join(lines)}{end}]')
    if programs:
        parts.append(f'"programs": {json.dumps(programs, indent=2, ensure_ascii=False)}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def from_json(text: str) -> History:
    """Read a history.

    Raises:
        UsageError: The text is not a history, or a value in it is impossible; the error names
            the place.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this is not JSON: {error}") from None
    if not isinstance(data, dict) or _VERSION_KEY not in data:
        raise UsageError(f"this is not exported progress: it has no '{_VERSION_KEY}'")
    if data[_VERSION_KEY] != VERSION:
        raise UsageError(
            f"this is version {data[_VERSION_KEY]!r:.20} of the format; known is {VERSION}"
        )
    read = History(*(tuple(_read_events(data, part, kind)) for part, kind in PARTS.items()))
    return read + History()  # adding sorts the events by time


def read_programs(text: str) -> Programs:
    """Read the programs that stand beside a history.

    Raises:
        UsageError: The programs are not a mapping of exercise ids to source text.
    """
    programs = json.loads(text).get("programs", {})
    if not isinstance(programs, dict):
        raise UsageError("programs: expected a mapping")
    for name, source in programs.items():
        if not is_slug(name) or not isinstance(source, str):
            raise UsageError(f"programs: expected ids of exercises with texts, found {name!r:.40}")
    return programs


def _read_events(data: dict[str, Any], part: str, kind: type[Event]) -> Iterator[Any]:
    listed = data.get(part, [])
    if not isinstance(listed, list):
        raise UsageError(f"{part}: expected a list")
    names = [field.name for field in fields(kind)]
    for number, item in enumerate(listed, start=1):
        where = f"{part}, entry {number}"
        if not isinstance(item, dict) or item.keys() != set(names):
            raise UsageError(f"{where}: expected the fields {', '.join(sorted(names))}")
        try:
            for name, value in item.items():
                _check(name, value)
            yield read_event(kind, (item[name] for name in names))
        except (ValueError, TypeError, OverflowError) as error:
            raise UsageError(f"{where}: {error}") from None


def _check(name: str, value: object) -> None:
    """Raise `ValueError` if a value of the right type is impossible for its field."""
    if name in _COUNT_FIELDS:
        if type(value) is not int or not 0 <= value <= _MAX_COUNT:
            raise ValueError(f"expected a whole number from 0 to {_MAX_COUNT}, found {value!r:.40}")
        return
    if (
        not isinstance(value, str)
        or len(value) > (_MAX_TEXT_LENGTH if name != "call" else _MAX_CALL_LENGTH)
        or not value.isprintable()
    ):
        raise ValueError(f"expected a text of a line, found {value!r:.40}")
    if name == "exercise" and not is_slug(value):
        raise ValueError(f"expected the id of an exercise, found {value!r:.40}")
    if name == "at" and datetime.fromisoformat(value).tzinfo is None:
        raise ValueError(f"expected a time with its zone, found {value!r:.40}")
