"""The windows in which a person may submit: the schedule and their own extensions."""

from dataclasses import replace

from sqlalchemy import Connection, select

from etude_server.store.ids import to_microseconds, to_seconds
from etude_server.store.tables import extension, schedule
from grader.course.schedule import Window


def find_windows(
    connection: Connection, person_id: str = "", exercise: str | None = None
) -> dict[str, Window]:
    """Return the window of one exercise or each for a person, or for anyone without an extension.

    An exercise that has neither a schedule nor an extension is left out.
    """
    schedules_query = select(schedule)
    extensions_query = select(extension.c.exercise, extension.c.due_at)
    extensions_query = extensions_query.where(extension.c.person_id == person_id)
    if exercise is not None:
        schedules_query = schedules_query.where(schedule.c.exercise == exercise)
        extensions_query = extensions_query.where(extension.c.exercise == exercise)
    windows = {}
    for row in connection.execute(schedules_query).mappings():
        settings = dict(row)
        name = settings.pop("exercise")
        opens, due = (to_seconds(settings.pop(key)) for key in ("opens_at", "due_at"))
        windows[name] = Window(opens=opens, due=due, **settings)
    for name, due_at in connection.execute(extensions_query):
        # An extension may be for an exercise without a schedule.
        windows[name] = replace(windows.get(name, Window()), due=to_seconds(due_at))
    return windows


def find_window(connection: Connection, person_id: str, exercise: str) -> Window:
    """Return a person's window for an exercise."""
    return find_windows(connection, person_id, exercise).get(exercise, Window())


def held_until(window: Window) -> int:
    """Return until when results of hidden tests are withheld, in microseconds; 0 for never."""
    return (to_microseconds(window.due) or 0) if window.hold_hidden else 0
