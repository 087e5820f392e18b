"""The times at which a person may submit an exercise: the schedule and their own extension."""

from dataclasses import dataclass, replace

from sqlalchemy import Connection, select

from etude_server.store.ids import now
from etude_server.store.tables import extension, schedule


@dataclass(frozen=True, slots=True)
class SubmissionWindow:
    """The times at which a person may submit an exercise, in microseconds since 1970."""

    opens_at: int | None = None
    # The person's own time, if they have an extension.
    due_at: int | None = None
    daily_factor: float = 0.0
    max_submissions_per_day: int | None = None
    hold_hidden: bool = False
    grace_seconds: float = 0.0
    max_late_days: int | None = None
    min_share: float = 0.0

    @property
    def is_limited(self) -> bool:
        """True if a time or a number limits submissions; without limits nothing is late."""
        limits = (self.opens_at, self.due_at, self.max_submissions_per_day)
        return any(limit is not None for limit in limits)

    @property
    def withholds_results(self) -> bool:
        """True if results of hidden tests are still withheld."""
        return self.hold_hidden and self.due_at is not None and now() < self.due_at


def find_windows(connection: Connection, person_id: str = "") -> dict[str, SubmissionWindow]:
    """Return the window of each exercise for a person, or for anyone without an extension."""
    windows = {}
    for row in connection.execute(select(schedule)).mappings():
        settings = dict(row)
        exercise = settings.pop("exercise")
        windows[exercise] = SubmissionWindow(**settings)
    extensions = select(extension.c.exercise, extension.c.due_at)
    extensions = extensions.where(extension.c.person_id == person_id)
    for exercise, due_at in connection.execute(extensions):
        # An extension may be for an exercise without a schedule.
        windows[exercise] = replace(windows.get(exercise, SubmissionWindow()), due_at=due_at)
    return windows


def find_window(connection: Connection, person_id: str, exercise: str) -> SubmissionWindow:
    """Return a person's window for an exercise."""
    return find_windows(connection, person_id).get(exercise, SubmissionWindow())
