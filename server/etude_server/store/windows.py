"""The times at which a person may submit an exercise: the schedule and their own extension."""

from dataclasses import dataclass, replace
from typing import Final

from sqlalchemy import Connection, select

from etude_server.store.ids import now
from etude_server.store.tables import extension, schedule

# In the order of the fields of `StoredWindow`.
_WINDOW_COLUMNS: Final = (
    schedule.c.opens_at,
    schedule.c.due_at,
    schedule.c.late,
    schedule.c.attempts,
    schedule.c.hold_hidden,
    schedule.c.grace,
    schedule.c.late_days,
    schedule.c.at_least,
)


@dataclass(frozen=True, slots=True)
class StoredWindow:
    """The times at which a person may submit an exercise, in microseconds since 1970."""

    opens_at: int | None = None
    # The person's own time, if they have an extension.
    due_at: int | None = None
    daily_factor: float = 0.0
    attempts: int | None = None
    hold_hidden: bool = False
    grace_seconds: float = 0.0
    max_late_days: int | None = None
    min_share: float = 0.0

    @property
    def is_limited(self) -> bool:
        """True if a time or a number limits submissions; without limits nothing is late."""
        return any(each is not None for each in (self.opens_at, self.due_at, self.attempts))

    @property
    def withholds_results(self) -> bool:
        """True if results of hidden tests are still withheld."""
        return self.hold_hidden and self.due_at is not None and now() < self.due_at


def find_windows(connection: Connection, person_id: str = "") -> dict[str, StoredWindow]:
    """Return the window of each exercise for a person, or for anyone without an extension."""
    rows = connection.execute(select(schedule.c.exercise, *_WINDOW_COLUMNS))
    windows = {name: StoredWindow(*values) for name, *values in rows}
    extensions = select(extension.c.exercise, extension.c.due_at)
    extensions = extensions.where(extension.c.person_id == person_id)
    for exercise, due_at in connection.execute(extensions):
        # An extension may be for an exercise without a schedule.
        windows[exercise] = replace(windows.get(exercise, StoredWindow()), due_at=due_at)
    return windows


def find_window(connection: Connection, person_id: str, exercise: str) -> StoredWindow:
    """Return a person's window for an exercise."""
    return find_windows(connection, person_id).get(exercise, StoredWindow())
