"""Staff pages: overview, exercises, submissions, and the forms of work by hand below these."""

import contextlib
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse

from etude_server import gradebook_data
from etude_server.api import people_routes, submission_routes
from etude_server.api.auth import ContextOf
from etude_server.api.problem_details import ProblemError, existing_one
from etude_server.api.submission_routes import Existing
from etude_server.service import AppContext
from etude_server.staff.login import (
    HOME,
    AnyForm,
    Instructor,
    OwnForm,
    PageRoute,
    Visitor,
    see,
    staff_pages,
)
from etude_server.staff.page_templates import FOLDER, render
from etude_server.store import (
    by_hand,
    events,
    grades,
    people,
    submissions,
    unsent_scores,
    verdicts,
    windows,
)
from etude_server.store.people import Person
from etude_server.store.submissions import State
from grader.errors import UsageError

_PAGE: Final = 50  # submissions
_STUCK: Final = 50  # students; behind them come those with fewer failures, or in easier exercises
_Filter = Annotated[str | None, Query(max_length=200, pattern=r"^[^\x00]*$")]

router = APIRouter(prefix="/staff", route_class=PageRoute, include_in_schema=False)
inside = staff_pages("/staff")


@router.get("/staff.css")
def style() -> Response:
    """Return the stylesheet; the sign-in page needs it, too."""
    return FileResponse(FOLDER / "staff.css", headers={"Cache-Control": "no-cache"})


@inside.get("")
def without_slash() -> Response:
    """Redirect to the overview."""
    return see(HOME)


@inside.get("/")
def overview(visitor: Instructor, service: ContextOf) -> Response:
    """Show the statistics of every exercise, and stuck students."""
    found = service.staff_reader.read(gradebook_data.overview, _STUCK)
    with service.database.read() as connection:
        pending, parked = submissions.count_waiting(connection)
        unsent = unsent_scores.unsent(connection)
    return render(
        "overview",
        visitor=visitor,
        found=found,
        titles={name: each.title for name, each in service.catalog.exercises.items()},
        pending=pending,
        parked=parked,
        unsent=len(unsent),
        refused=any(each.parked for each in unsent),
    )


@inside.get("/exercises/{exercise}")
def exercise(exercise: str, visitor: Instructor, service: ContextOf) -> Response:
    """Show an exercise's statistics and latest submissions."""
    definition = existing_one(service.catalog.find(exercise), "exercise")
    found = service.staff_reader.read(gradebook_data.numbers, exercise)
    with service.database.read() as connection:
        listed = submissions.listed(connection, exercise=exercise, most=_PAGE)
    return render(
        "exercise",
        visitor=visitor,
        exercise=definition,
        numbers=found[0] if found else None,
        most_stuck=_STUCK,
        entries=listed,
    )


@inside.get("/submissions")
def listing(  # FastAPI calls it by name
    visitor: Instructor,
    service: ContextOf,
    person: _Filter = None,
    exercise: _Filter = None,
    state: State | None = None,
    before: _Filter = None,
) -> Response:
    """Show submissions, the newest first, filtered by person, exercise and state."""
    chosen = {"person": person, "exercise": exercise, "state": state}
    with service.database.read() as connection:
        entries = submissions.listed(
            connection,
            exercise=exercise,
            person_name=person,
            state=state,
            before=before,
            most=_PAGE + 1,
        )
        known = people.find_person(connection, person) if person is not None else None
        passed = grades.of_person(connection, known.id) if known is not None else []
    return render(
        "submissions",
        visitor=visitor,
        chosen={name: value for name, value in chosen.items() if value},
        entries=entries[:_PAGE],
        following=entries[_PAGE - 1].id if len(entries) > _PAGE else None,
        grades=passed,
        known=known,
        exercises=[(name, each.title) for name, each in service.catalog.exercises.items()],
    )


@inside.get("/submissions/{submission_id}")
def submission(wanted: Existing, visitor: Instructor, service: ContextOf) -> Response:
    """Show a submission: its text, verdict and events."""
    of = (wanted.person_id, wanted.exercise)
    with service.database.read() as connection:
        kept = verdicts.published(connection, wanted.id)
        place = submissions.place(connection, wanted.id)
        shown: dict[str, Any] = {
            "owner": people.get_person(connection, wanted.person_id),
            "text": submissions.text_of(connection, wanted.source_hash),
            "events": events.of_subject(connection, wanted.id),
            "comments": by_hand.comments(connection, wanted.id),
            "grade": grades.of_one(connection, *of),
            "window": windows.window(connection, *of),
        }
    shown |= {"verdict": kept and kept.body, "place": place, "is_far": place == submissions.COUNTED}
    return render("submission", visitor=visitor, submitted=wanted, **shown)


@inside.post("/submissions/{submission_id}/release")
def release(wanted: Existing, _sent: OwnForm, visitor: Instructor, service: ContextOf) -> Response:
    """Queue a parked submission again."""
    with contextlib.suppress(ProblemError):  # another instructor was faster, as the page says
        submission_routes.release(visitor.person, wanted, service)
    return see(f"/staff/submissions/{wanted.id}")


@inside.post("/submissions/{submission_id}/comment")
def comment(on: Existing, sent: AnyForm, visitor: Instructor, service: ContextOf) -> Response:
    """Comment on the submission."""
    line = _number(sent.get("line", ""), least=1)
    new = people_routes.NewComment(
        text=sent.get("text", "")[:10_000], line=None if line is None else int(line)
    )
    people_routes.say(visitor.person, on, new, service)
    return see(f"/staff/submissions/{on.id}")


@inside.post("/submissions/{submission_id}/override")
def override(on: Existing, sent: OwnForm, visitor: Instructor, service: ContextOf) -> Response:
    """Give points or an excuse in the submission's exercise."""
    with service.database.read() as connection:
        owner = people.get_person(connection, on.person_id)
    give(owner, on.exercise, sent, visitor, service)
    return see(f"/staff/submissions/{on.id}")


@inside.post("/submissions/{submission_id}/extend")
def extend_owner(on: Existing, sent: OwnForm, visitor: Instructor, service: ContextOf) -> Response:
    """Give the submission's owner a due date of their own."""
    with service.database.read() as connection:
        owner = people.get_person(connection, on.person_id)
    extend(owner, on.exercise, sent, visitor, service)
    return see(f"/staff/submissions/{on.id}")


def give(
    whom: Person, exercise: str, sent: dict[str, str], visitor: Visitor, service: AppContext
) -> None:
    """Give points or an excuse by the form of a page."""
    new = people_routes.NewOverride(
        points=_number(sent.get("points", "")),
        excused="excused" in sent,
        reason=sent.get("reason", "")[:10_000],
    )
    people_routes.give(whom, exercise, new, visitor.person, service)


def extend(
    whom: Person, exercise: str, sent: dict[str, str], visitor: Visitor, service: AppContext
) -> None:
    """Give a due date by the form of a page."""
    new = people_routes.NewExtension(due=sent.get("due", "")[:100])
    people_routes.extend(whom, exercise, new, visitor.person, service)


def _number(text: str, least: int = 0) -> float | None:
    try:
        found = float(text) if text.strip() else None
    except ValueError:
        raise UsageError(f"{text[:20]!r} is no number") from None
    if found is not None and not least <= found <= 100_000:  # noqa: PLR2004  points, or a line
        raise UsageError(f"{text[:20]!r} is no number from {least} to 100000")
    return found
