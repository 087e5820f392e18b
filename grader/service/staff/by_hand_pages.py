"""Staff pages: the forms below a submission, for comments, points, excuses and extensions."""

from fastapi import Response

from grader.errors import UsageError
from grader.service.api import by_hand_routes as api
from grader.service.api.auth import ContextOf
from grader.service.staff.login import AnyForm, Instructor, OwnForm, see, staff_pages
from grader.service.staff.submission_pages import Wanted
from grader.service.store import people
from grader.service.store.people import Person
from grader.service.store.submissions import Submitted

router = staff_pages("/staff/submissions/{submission_id}")


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
    new = api.NewOverride(
        points=_number(sent.get("points", "")),
        excused="excused" in sent,
        reason=sent.get("reason", "")[:10_000],
    )
    api.give(_owner(on, service), on.exercise, new, visitor.person, service)
    return _back(on)


@router.post("/extend")
def extend(on: Wanted, sent: OwnForm, visitor: Instructor, service: ContextOf) -> Response:
    """Give the submission's owner a due date of their own."""
    new = api.NewExtension(due=sent.get("due", "")[:100])
    api.extend(_owner(on, service), on.exercise, new, visitor.person, service)
    return _back(on)


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
