"""Staff pages: the forms below a submission, for comments, points, excuses and extensions."""

from fastapi import Response

from grader.errors import UsageError
from grader.service.api import by_hand_routes as api
from grader.service.api.auth import ContextOf
from grader.service.service import AppContext
from grader.service.staff.login import (
    AnyForm,
    Instructor,
    OwnForm,
    Visitor,
    see,
    staff_pages,
)
from grader.service.staff.people_pages import PATH, Whom, page_of
from grader.service.staff.submission_pages import Wanted
from grader.service.store import people
from grader.service.store.people import Person
from grader.service.store.submissions import Submitted

router = staff_pages("/staff/submissions/{submission_id}")
of_person = staff_pages(PATH)


@router.post("/comment")
def comment(on: Wanted, sent: AnyForm, visitor: Instructor, service: ContextOf) -> Response:
    """Comment on the submission."""
    line = _number(sent.get("line", ""), least=1)
    new = api.NewComment(
        text=sent.get("text", "")[:10_000], line=None if line is None else int(line)
    )
    api.say(visitor.person, on, new, service)
    return _back(on)


@router.post("/override")
def override(on: Wanted, sent: OwnForm, visitor: Instructor, service: ContextOf) -> Response:
    """Give points or an excuse in the submission's exercise."""
    _give(_owner(on, service), on.exercise, sent, visitor, service)
    return _back(on)


@router.post("/extend")
def extend(on: Wanted, sent: OwnForm, visitor: Instructor, service: ContextOf) -> Response:
    """Give the submission's owner a due date of their own."""
    _extend(_owner(on, service), on.exercise, sent, visitor, service)
    return _back(on)


@of_person.post("/override")
def override_person(whom: Whom, sent: OwnForm, visitor: Instructor, service: ContextOf) -> Response:
    """Give points or an excuse to a person who may have submitted nothing."""
    _give(whom, sent.get("exercise", ""), sent, visitor, service)
    return see(page_of(whom))


@of_person.post("/extend")
def extend_person(whom: Whom, sent: OwnForm, visitor: Instructor, service: ContextOf) -> Response:
    """Give a person a due date of their own, before they submit."""
    _extend(whom, sent.get("exercise", ""), sent, visitor, service)
    return see(page_of(whom))


def _give(
    whom: Person, exercise: str, sent: dict[str, str], visitor: Visitor, service: AppContext
) -> None:
    new = api.NewOverride(
        points=_number(sent.get("points", "")),
        excused="excused" in sent,
        reason=sent.get("reason", "")[:10_000],
    )
    api.give(whom, exercise, new, visitor.person, service)


def _extend(
    whom: Person, exercise: str, sent: dict[str, str], visitor: Visitor, service: AppContext
) -> None:
    new = api.NewExtension(due=sent.get("due", "")[:100])
    api.extend(whom, exercise, new, visitor.person, service)


def _owner(on: Submitted, service: ContextOf) -> Person:
    with service.database.read() as connection:
        return people.get_person(connection, on.person_id)


def _number(text: str, least: int = 0) -> float | None:
    try:
        found = float(text) if text.strip() else None
    except ValueError:
        raise UsageError(f"{text[:20]!r} is no number") from None
    if found is not None and not least <= found <= 100_000:  # noqa: PLR2004  points, or a line
        raise UsageError(f"{text[:20]!r} is no number from {least} to 100000")
    return found


def _back(on: Submitted) -> Response:
    return see(f"/staff/submissions/{on.id}")
