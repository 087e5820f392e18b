"""Students' mistakes: each once for each student, also if they passed later.

A projection of the published verdicts, so that counting does not read all of those.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias

from sqlalchemy import Connection, bindparam, delete, func, select

from grader.authoring.statistics import Mistakes, row_of
from grader.service.store.tables import SAME_KEY, mistake, person, publication, submission, verdict
from grader.service.store.upsert import insert_unless_there

Kind: TypeAlias = Literal["misconception", "test", "hint"]

_LONGEST: Final = 200  # characters of a name, the column's

_NONE: Final = delete(mistake).where(
    mistake.c.person_id == bindparam("person"), mistake.c.exercise == bindparam("of")
)
_FAILED: Final = (
    select(verdict.c.body)
    .join(publication, SAME_KEY)
    .join(submission, submission.c.id == publication.c.submission_id)
    .where(
        submission.c.person_id == bindparam("person"),
        submission.c.exercise == bindparam("of"),
        verdict.c.outcome != "passed",
    )
)


def note(
    connection: Connection,
    person_id: str,
    exercise: str,
    body: Mapping[str, Any],
    replaced: Mapping[str, Any] | None = None,
) -> None:
    """Record the mistakes of a published verdict, which may have replaced another.

    The person's other verdicts are read only if a mistake is gone: one of them may have it, too.
    """
    found = set(_read(body))
    if replaced is not None and set(_read(replaced)) - found:
        refresh(connection, person_id, exercise)
        return
    for kind, name in sorted(found):  # lest two transactions wait for each other
        row = {"exercise": exercise, "kind": kind, "name": name, "person_id": person_id}
        insert_unless_there(connection, mistake, row)


def refresh(connection: Connection, person_id: str, exercise: str) -> None:
    """Record the mistakes of all verdicts of a person in an exercise again."""
    own = {"person": person_id, "of": exercise}
    connection.execute(_NONE, own)
    for body in connection.execute(_FAILED, own).scalars().all():
        note(connection, person_id, exercise, json.loads(body))


def counted(connection: Connection, exercise: str | None = None) -> dict[str, Mistakes]:
    """Return by exercise, or of one, how many students made each mistake."""
    number = func.count()
    chosen = (
        select(mistake.c.exercise, mistake.c.kind, mistake.c.name, number.label("number"))
        .join(person, person.c.id == mistake.c.person_id)
        .where(person.c.role == "student")
        .group_by(mistake.c.exercise, mistake.c.kind, mistake.c.name)
        .order_by(number.desc(), mistake.c.name)
    )
    if exercise is not None:
        chosen = chosen.where(mistake.c.exercise == exercise)
    found: dict[str, Mistakes] = {}
    for row in connection.execute(chosen):
        of = found.setdefault(row.exercise, Mistakes())
        by_kind = {"misconception": of.misconceptions, "test": of.failed_tests, "hint": of.hints}
        by_kind[row.kind][row.name] = row.number
    return found


def _read(body: Mapping[str, Any]) -> Iterator[tuple[Kind, str]]:
    row = row_of({**body, "student": ""})
    if row is None:
        return
    # PostgreSQL takes no longer ones, and then the verdict itself would not be published.
    for name in row.mistakes:
        yield "misconception", name[:_LONGEST]
    for name in row.failed_tests:
        yield "test", name[:_LONGEST]
    if row.hint is not None:
        yield "hint", str(row.hint)
