"""A course's schedule: when exercises open and are due, and the penalty for late work.

`schedule.yaml` lies beside the tracks. Its settings for `all`, for a track and for an exercise
override each other in this order, and `extensions` set due dates of single students. `etude report`
and the service read it.
"""

import datetime as dt
import re
import zoneinfo
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Self

from grader.course.late_rules import LateRule, parse_share, parse_time
from grader.definitions.yaml_source import MappingNode, Node, Scalar, read_yaml
from grader.errors import ProblemList, UsageError
from grader.grading.submissions.submission_time import ALL

_MAX_NUMBER: Final = 10_000  # largest number of submissions or late days
_LEVELS: Final = (ALL, "tracks", "exercises", "extensions")
# The field of a `Window` for each key of the file.
_FIELDS: Final = {
    "opens": "opens",
    "due": "due",
    "late": "daily_factor",
    "attempts": "max_submissions_per_day",
    "hold_hidden": "hold_hidden",
    "grace": "grace_seconds",
    "late_days": "max_late_days",
    "at_least": "min_share",
}
_GRACE: Final = re.compile(r"([0-9]{1,4}) ?(min|h)")
_SECONDS: Final = {"min": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Window(LateRule):
    """The late rule of an exercise, and when and how often it may be submitted.

    Attributes:
        opens: Earlier submissions are refused, in seconds since 1970; None for no such time.
        max_submissions_per_day: Most submissions within 24 hours; None for no limit.
        hold_hidden: True to hold back results of hidden tests until `due`.
    """

    opens: float | None = None
    max_submissions_per_day: int | None = None
    hold_hidden: bool = False

    @property
    def is_limited(self) -> bool:
        """True if a time or a number limits submissions; without limits nothing is late."""
        limits = (self.opens, self.due, self.max_submissions_per_day)
        return any(limit is not None for limit in limits)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The windows of exercises.

    Attributes:
        windows: By exercise, without exercises that use the default.
        default: The window of all other exercises.
        extensions: Due dates of students in seconds since 1970, by student and exercise or `ALL`.
    """

    windows: Mapping[str, Window] = field(default_factory=dict)
    default: Window = field(default_factory=Window)
    extensions: Mapping[tuple[str, str], float] = field(default_factory=dict)

    @classmethod
    def from_options(cls, due: str, late: str | None) -> Self:
        """Make a schedule from a due date such as `2026-12-01T18:00` and a factor as `0.9/day`.

        A time without a zone is local time.

        Raises:
            UsageError: An option has another format.
        """
        try:
            until = parse_zoned_time(due, needs_zone=False)
        except UsageError as error:
            raise UsageError(f"--due: {error}") from None
        share = 0.0 if late is None else parse_share(late)
        if share is None:
            raise UsageError(f"--late {late}: write a share from 0 to 1 for each day, as 0.9/day")
        return cls(default=Window(due=until.timestamp(), daily_factor=share))

    def find_extension(self, student: str, exercise: str) -> float | None:
        """Return a student's own due date for an exercise, or None."""
        return self.extensions.get((student, exercise), self.extensions.get((student, ALL)))

    def find_window(self, student: str, exercise: str) -> Window:
        """Return the window of an exercise for a student.

        An extension for `ALL` moves existing due dates; one for an exercise may also add a due
        date.
        """
        window = self.windows.get(exercise, self.default)
        due = None if window.due is None else self.extensions.get((student, ALL), window.due)
        return replace(window, due=self.extensions.get((student, exercise), due))


def read_schedule(path: Path, tracks: Mapping[str, Iterable[str]]) -> Schedule:
    """Read a schedule.

    Args:
        tracks: The exercise ids of each track.

    Raises:
        UsageError: The file does not exist.
        DefinitionError: The file is invalid.
    """
    document = read_yaml(path)
    problems = ProblemList(document.problems)
    top = _read_entries(document.root, problems, _LEVELS)
    base = _read_window(top[ALL], Window(), problems) if ALL in top else Window()
    track_of = {exercise_id: track for track, ids in tracks.items() for exercise_id in ids}
    by_track = {
        name: _read_window(node, base, problems)
        for name, node in _read_entries(top.get("tracks"), problems, tracks).items()
    }
    by_exercise = {name: by_track.get(track, base) for name, track in track_of.items()}
    for name, node in _read_entries(top.get("exercises"), problems, track_of).items():
        by_exercise[name] = _read_window(node, by_exercise[name], problems)
    extensions: dict[tuple[str, str], float] = {}
    for student, node in _read_entries(top.get("extensions"), problems).items():
        for name, value in _read_entries(node, problems, (ALL, *track_of)).items():
            try:
                extensions[student, name] = _read_value("due", value)
            except UsageError as error:
                problems.add(value.where, f"{name}: {error}")
    problems.raise_if_any()
    windows = {name: window for name, window in by_exercise.items() if window != Window()}
    return Schedule(windows, base, extensions)


def parse_zoned_time(text: str, *, needs_zone: bool = True) -> dt.datetime:
    """Read a time with a zone: `2026-12-01T18:00+01:00`, or `2026-12-01 18:00 Europe/Zurich`.

    Args:
        needs_zone: False to allow a time without a zone, which is then local time.

    Raises:
        UsageError: The text is not a time, its zone is missing or unknown, or a change of clocks
            makes the time occur twice or never.
    """
    time, _, zone = text.rpartition(" ") if "/" in text else (text, "", "")
    try:
        instant = parse_time(time)
    except ValueError:
        raise UsageError(
            f"{text!r} is not a time of the years 1970 to 9998; write it as 2026-12-01T18:00+01:00"
        ) from None
    if zone:
        try:
            instant = instant.replace(tzinfo=zoneinfo.ZoneInfo(zone))
        except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
            raise UsageError(
                f"{zone!r} is not a time zone that is known here; write one as Europe/Zurich, or "
                "the distance from UTC, as +01:00"
            ) from None
    if instant.tzinfo is None and needs_zone:
        raise UsageError(
            f"{text!r} does not say its time zone; write {text}+01:00 or {text} Europe/Zurich"
        )
    readings = instant if instant.tzinfo else instant.astimezone(), instant.replace(fold=1)
    if len({reading.astimezone(dt.UTC) for reading in readings}) > 1:
        raise UsageError(
            f"{text!r} comes twice or never, since clocks are changed then; write its distance "
            f"from UTC, as {instant.replace(tzinfo=None).isoformat(timespec='minutes')}+01:00"
        )
    return readings[0]


def _read_entries(
    node: Node | None, problems: ProblemList, names: Iterable[str] | None = None
) -> dict[str, Node]:
    """Return the entries of a mapping; with `names`, report unknown keys."""
    if node is None:
        return {}
    if not isinstance(node, MappingNode):
        problems.add(node.where, "write keys and values here")
        return {}
    for key, _ in node.entries:
        if names is not None and key.text not in names:
            problems.add(key.where, f"{key.text!r} is none of {', '.join(names)}")
    return {key.text: value for key, value in node.entries if names is None or key.text in names}


def _read_window(node: Node, base: Window, problems: ProblemList) -> Window:
    """Return the window for a mapping's settings, with `base` for the rest."""
    values: dict[str, Any] = {}
    for name, value in _read_entries(node, problems, _FIELDS).items():
        try:
            values[_FIELDS[name]] = _read_value(name, value)
        except UsageError as error:
            problems.add(value.where, f"{name}: {error}")
    window = replace(base, **values)
    if window.hold_hidden and window.due is None:
        problems.add(node.where, "hold_hidden: needs a time at which the exercise is due")
    return window


def _read_value(name: str, node: Node) -> Any:
    if not isinstance(node, Scalar):
        raise UsageError("write one value")
    if name in {"opens", "due"}:
        return parse_zoned_time(node.text).timestamp()
    if name == "late":
        share = parse_share(node.text)
        if share is None:
            raise UsageError("write a share from 0 to 1 for each day, as 0.9/day")
        return share
    if name == "grace":
        span = _GRACE.fullmatch(node.text)
        if span is None:
            raise UsageError("write minutes or hours, as 15 min")
        return int(span[1]) * _SECONDS[span[2]]
    if name == "at_least":
        if type(node.value) not in (int, float) or not 0 <= float(node.text) <= 1:
            raise UsageError("write a share of the points from 0 to 1, as 0.5")
        return float(node.text)
    kind, expected = (bool, "true or false") if name == "hold_hidden" else (int, "a whole number")
    if type(node.value) is not kind or (kind is int and not 0 < int(node.value) <= _MAX_NUMBER):
        raise UsageError(f"write {expected}")
    return node.value
