"""Staff pages: overview, exercises, submissions."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Response
from fastapi.responses import FileResponse

from etude_server import gradebook_data
from etude_server.actions import submissions as actions
from etude_server.api.auth import ServiceOf
from etude_server.api.problem_details import need_existing
from etude_server.api.submission_routes import ExistingSubmission
from etude_server.staff.login import (
    HOME,
    AnyForm,
    Instructor,
    OwnForm,
    PageRoute,
    number,
    see,
    staff_pages,
)
from etude_server.staff.page_templates import FOLDER, render
from etude_server.store import events, grades, people, submissions, unsent_scores, verdicts, windows
from etude_server.store.submissions import State

_PAGE: Final = 50  # submissions per page
# Most students shown, those with the most failures in the hardest exercises.
_STUCK: Final = 50
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
def overview(visitor: Instructor, service: ServiceOf) -> Response:
    """Show the statistics of every exercise, and stuck students."""
    statistics = service.staff_reader.read(gradebook_data.overview, _STUCK)
    with service.database.read() as connection:
        pending, parked = submissions.count_waiting_and_parked(connection)
        unsent = unsent_scores.list_unsent_grades(connection)
    return render(
        "overview",
        visitor=visitor,
        statistics=statistics,
        titles={name: each.title for name, each in service.catalog.exercises.items()},
        pending=pending,
        parked=parked,
        unsent=len(unsent),
        refused=any(score.parked for score in unsent),
    )


@inside.get("/exercises/{exercise}")
def exercise(exercise: str, visitor: Instructor, service: ServiceOf) -> Response:
    """Show an exercise's statistics and latest submissions."""
    definition = need_existing(service.catalog.find(exercise), "exercise")
    numbers = service.staff_reader.read(gradebook_data.exercise_statistics, exercise)
    with service.database.read() as connection:
        listed = submissions.list_submissions(connection, exercise=exercise, limit=_PAGE)
    return render(
        "exercise",
        visitor=visitor,
        exercise=definition,
        numbers=numbers[0] if numbers else None,
        most_stuck=_STUCK,
        entries=listed,
    )


@inside.get("/submissions")
def listing(  # FastAPI passes the arguments by name
    visitor: Instructor,
    service: ServiceOf,
    person: _Filter = None,
    exercise: _Filter = None,
    state: State | None = None,
    before: _Filter = None,
) -> Response:
    """Show submissions, the newest first, filtered by person, exercise and state."""
    chosen = {"person": person, "exercise": exercise, "state": state}
    with service.database.read() as connection:
        entries = submissions.list_submissions(
            connection,
            exercise=exercise,
            person_name=person,
            state=state,
            before=before,
            limit=_PAGE + 1,
        )
        whom = people.find_person_by_name(connection, person) if person is not None else None
        passed = grades.list_person_grades(connection, whom.id) if whom is not None else []
    return render(
        "submissions",
        visitor=visitor,
        chosen={name: value for name, value in chosen.items() if value},
        entries=entries[:_PAGE],
        following=entries[_PAGE - 1].id if len(entries) > _PAGE else None,
        grades=passed,
        whom=whom,
        exercises=[(name, each.title) for name, each in service.catalog.exercises.items()],
    )


@inside.get("/submissions/{submission_id}")
def submission(submitted: ExistingSubmission, visitor: Instructor, service: ServiceOf) -> Response:
    """Show a submission: its text, verdict and events."""
    owner_and_exercise = (submitted.person_id, submitted.exercise)
    with service.database.read() as connection:
        verdict = verdicts.find_published_verdict(connection, submitted.id)
        position = submissions.find_queue_position(connection, submitted.id)
        values: dict[str, Any] = {
            "owner": people.get_person(connection, submitted.person_id),
            "text": submissions.read_source(connection, submitted.source_hash),
            "events": events.list_events(connection, submitted.id),
            "comments": submissions.list_comments(connection, submitted.id),
            "grade": grades.find_grade(connection, *owner_and_exercise),
            "window": windows.find_window(connection, *owner_and_exercise),
        }
    values |= {
        "verdict": verdict and verdict.body,
        "position": position,
        "is_at_least": position == submissions.MAX_QUEUE_POSITION,
    }
    return render("submission", visitor=visitor, submitted=submitted, **values)


@inside.post("/submissions/{submission_id}/release")
def release(
    submitted: ExistingSubmission, _sent: OwnForm, visitor: Instructor, service: ServiceOf
) -> Response:
    """Queue a parked submission again, unless another instructor was faster."""
    with service.database.write() as connection:
        is_released = actions.release_submission(connection, submitted.id, actor=visitor.person.id)
    if is_released:
        service.executor.notify([submitted.id])
    return see(f"/staff/submissions/{submitted.id}")


@inside.post("/submissions/{submission_id}/comment")
def comment(
    on: ExistingSubmission, sent: AnyForm, visitor: Instructor, service: ServiceOf
) -> Response:
    """Comment on the submission."""
    line = number(sent.get("line", ""))
    with service.database.write() as connection:
        actions.add_comment(
            connection, on, sent.get("text", ""), None if line is None else int(line),
            actor=visitor.person.id,
        )  # fmt: skip
    return see(f"/staff/submissions/{on.id}")
