"""The schedule of a course: when exercises open and are due, and what late work earns.

`schedule.yaml` stands beside the tracks. `all`, then a track, then an exercise say what holds.
"""

import datetime as dt
import zoneinfo
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final

from grader.course.rules import share_of, time_of
from grader.definitions.yaml_source import Mapping as Entries
from grader.definitions.yaml_source import Node, Scalar, read
from grader.errors import ProblemList, UsageError

_MOST: Final = 10_000  # attempts
_LEVELS: Final = ("all", "tracks", "exercises")


@dataclass(frozen=True, slots=True)
class Window:
    """The times at which an exercise may be submitted, and how often.

    Attributes:
        opens: nothing is taken in before; None if it is open.
        due: what comes later is late; None if time does not matter.
        late: what is left of the points for each day that has begun since.
        attempts: how many within a day; None for any number.
        hold_hidden: whether results of hidden tests are held back until it is due.
    """

    opens: dt.datetime | None = None
    due: dt.datetime | None = None
    late: float = 0.0
    attempts: int | None = None
    hold_hidden: bool = False


def read_schedule(path: Path, tracks: Mapping[str, Iterable[str]]) -> dict[str, Window]:
    """Read the windows of exercises.

    Args:
        path: of the file.
        tracks: the ids of each track's exercises.

    Raises:
        UsageError: there is no such file.
        DefinitionError: it is not as it should be.
    """
    document = read(path)
    report = ProblemList(document.problems)
    top = _entries(document.root, report, _LEVELS)
    base = _window(top["all"], Window(), report) if "all" in top else Window()
    known = {each: track for track, ids in tracks.items() for each in ids}
    by_track = {
        name: _window(node, base, report)
        for name, node in _entries(top.get("tracks"), report, tracks).items()
    }
    found = {each: by_track.get(track, base) for each, track in known.items()}
    for name, node in _entries(top.get("exercises"), report, known).items():
        found[name] = _window(node, found[name], report)
    report.raise_if_any()
    return {name: window for name, window in found.items() if window != Window()}


def moment(text: str) -> dt.datetime:
    """Read a time with its zone: `2026-12-01T18:00+01:00`, or `2026-12-01 18:00 Europe/Zurich`.

    Raises:
        UsageError: it is no time, or has no zone.
    """
    time, _, zone = text.rpartition(" ") if "/" in text else (text, "", "")
    try:
        found = time_of(time)
        if zone:
            found = found.replace(tzinfo=zoneinfo.ZoneInfo(zone))
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        raise UsageError(
            f"{text!r} is no time of the years 1970 to 9998; write 2026-12-01T18:00+01:00"
        ) from None
    if found.tzinfo is None:
        raise UsageError(
            f"{text!r} does not say its time zone; write {text}+01:00 or {text} Europe/Zurich"
        )
    return found


def _entries(node: Node | None, report: ProblemList, known: Iterable[str]) -> dict[str, Node]:
    """Return the entries of a mapping whose keys are known."""
    if node is None:
        return {}
    if not isinstance(node, Entries):
        report.add(node.where, "write keys and values here")
        return {}
    for key, _ in node.entries:
        if key.text not in known:
            report.add(key.where, f"{key.text!r} is none of {', '.join(known)}")
    return {key.text: value for key, value in node.entries if key.text in known}


def _window(node: Node, base: Window, report: ProblemList) -> Window:
    """Return a window that says what a mapping says, and else what another one does."""
    said: dict[str, Any] = {}
    for name, value in _entries(node, report, [each.name for each in fields(Window)]).items():
        try:
            said[name] = _value(name, value)
        except UsageError as error:
            report.add(value.where, f"{name}: {error}")
    made = replace(base, **said)
    if made.hold_hidden and made.due is None:
        report.add(node.where, "hold_hidden: needs a time at which the exercise is due")
    return made


def _value(name: str, node: Node) -> object:
    if not isinstance(node, Scalar):
        raise UsageError("write one value")
    if name in {"opens", "due"}:
        return moment(node.text)
    if name == "late":
        share = share_of(node.text)
        if share is None:
            raise UsageError("write a share from 0 to 1 for each day, as 0.9/day")
        return share
    kind, what = (bool, "true or false") if name == "hold_hidden" else (int, "a whole number")
    if type(node.value) is not kind or (kind is int and not 0 < int(node.value) <= _MOST):
        raise UsageError(f"write {what}")
    return node.value
