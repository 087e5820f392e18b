"""Staff pages: overview, exercises, submissions."""

from typing import Any, Final

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse

from etude_server import gradebook_data
from etude_server.actions import submissions as submission_actions
from etude_server.api.auth import CurrentService
from etude_server.api.list_pages import Filter
from etude_server.api.problem_details import require_existing
from etude_server.api.submission_routes import ExistingSubmission
from etude_server.staff.login import (
    HOME,
    InstructorForm,
    PageRoute,
    StaffForm,
    StaffVisitor,
    make_staff_router,
    parse_number,
    redirect_to,
)
from etude_server.staff.page_templates import TEMPLATE_FOLDER, render
from etude_server.store import events, grades, people, submissions, unsent_scores, verdicts, windows
from etude_server.store.submissions import State

_PAGE_SIZE: Final = 50  # submissions per page
# Most students shown, those with the most failures in the hardest exercises.
_MAX_SHOWN_STUCK: Final = 50

router = APIRouter(prefix="/staff", route_class=PageRoute, include_in_schema=False)
staff_router = make_staff_router("/staff")


@router.get("/staff.css")
def serve_stylesheet() -> Response:
    """Return the stylesheet; the sign-in page needs it, too."""
    return FileResponse(TEMPLATE_FOLDER / "staff.css", headers={"Cache-Control": "no-cache"})


@staff_router.get("")
def redirect_to_overview() -> Response:
    """Redirect to the overview."""
    return redirect_to(HOME)


@staff_router.get("/")
def show_overview(visitor: StaffVisitor, service: CurrentService) -> Response:
    """Show the statistics of every exercise, and stuck students."""
    all_statistics = service.staff_reader.read(gradebook_data.compute_statistics)
    stuck = [(numbers, student) for numbers in all_statistics for student in numbers.stuck]
    stuck.sort(key=lambda pair: -pair[1].failed)
    with service.database.read() as connection:
        pending_count, parked_count = submissions.count_waiting_and_parked(connection)
        unsent_grades = unsent_scores.list_unsent_grades(connection)
    return render(
        "overview",
        visitor=visitor,
        all_statistics=all_statistics,
        stuck=stuck[:_MAX_SHOWN_STUCK],
        more_stuck=len(stuck[_MAX_SHOWN_STUCK:]),
        titles={name: exercise.title for name, exercise in service.catalog.exercises.items()},
        pending=pending_count,
        parked=parked_count,
        unsent=len(unsent_grades),
        refused=any(score.parked for score in unsent_grades),
    )


@staff_router.get("/exercises/{exercise}")
def show_exercise(exercise: str, visitor: StaffVisitor, service: CurrentService) -> Response:
    """Show an exercise's statistics and latest submissions."""
    definition = require_existing(service.catalog.find(exercise), "exercise")
    all_statistics = service.staff_reader.read(gradebook_data.compute_statistics, exercise)
    with service.database.read() as connection:
        entries = submissions.list_submissions(connection, exercise=exercise, limit=_PAGE_SIZE)
    return render(
        "exercise",
        visitor=visitor,
        exercise=definition,
        numbers=all_statistics[0] if all_statistics else None,
        max_stuck=_MAX_SHOWN_STUCK,
        entries=entries,
    )


@staff_router.get("/submissions")
def show_submissions(  # FastAPI passes the arguments by name
    visitor: StaffVisitor,
    service: CurrentService,
    person: Filter = None,
    exercise: Filter = None,
    state: State | None = None,
    before: Filter = None,
) -> Response:
    """Show submissions, the newest first, filtered by person, exercise and state."""
    filters = {"person": person, "exercise": exercise, "state": state}
    with service.database.read() as connection:
        entries = submissions.list_submissions(
            connection,
            exercise=exercise,
            person_name=person,
            state=state,
            before=before,
            limit=_PAGE_SIZE + 1,
        )
        chosen_person = (
            people.find_person_by_name(connection, person) if person is not None else None
        )
        person_grades = (
            grades.list_person_grades(connection, chosen_person.id)
            if chosen_person is not None
            else []
        )
    return render(
        "submissions",
        visitor=visitor,
        filters={name: value for name, value in filters.items() if value},
        entries=entries[:_PAGE_SIZE],
        following=entries[_PAGE_SIZE - 1].id if len(entries) > _PAGE_SIZE else None,
        grades=person_grades,
        chosen_person=chosen_person,
        exercises=[(name, exercise.title) for name, exercise in service.catalog.exercises.items()],
    )


@staff_router.get("/submissions/{submission_id}")
def show_submission(
    submission: ExistingSubmission, visitor: StaffVisitor, service: CurrentService
) -> Response:
    """Show a submission: its text, verdict and events."""
    owner_and_exercise = (submission.person_id, submission.exercise)
    with service.database.read() as connection:
        verdict = verdicts.find_published_verdict(connection, submission.id)
        position = submissions.find_queue_position(connection, submission.id)
        values: dict[str, Any] = {
            "owner": people.get_person(connection, submission.person_id),
            "text": submissions.read_source(connection, submission.source_hash),
            "events": events.list_events(connection, submission.id),
            "comments": submissions.list_comments(connection, submission.id),
            "grade": grades.find_grade(connection, *owner_and_exercise),
            "window": windows.find_window(connection, *owner_and_exercise),
        }
    values |= {
        "verdict": verdict and verdict.body,
        "position": position,
        "is_at_least": position == submissions.MAX_QUEUE_POSITION,
    }
    return render("submission", visitor=visitor, submitted=submission, **values)


@staff_router.post("/submissions/{submission_id}/release")
def release_submission(
    submission: ExistingSubmission,
    _form: InstructorForm,
    visitor: StaffVisitor,
    service: CurrentService,
) -> Response:
    """Queue a parked submission again, unless another instructor was faster."""
    with service.database.write() as connection:
        is_released = submission_actions.release_submission(
            connection, submission.id, actor=visitor.person.id
        )
    if is_released:
        service.executor.notify([submission.id])
    return redirect_to(f"/staff/submissions/{submission.id}")


@staff_router.post("/submissions/{submission_id}/comment")
def add_comment(
    submission: ExistingSubmission, form: StaffForm, visitor: StaffVisitor, service: CurrentService
) -> Response:
    """Comment on the submission."""
    line = parse_number(form.get("line", ""))
    with service.database.write() as connection:
        submission_actions.add_comment(
            connection, submission, form.get("text", ""), None if line is None else int(line),
            actor=visitor.person.id,
        )  # fmt: skip
    return redirect_to(f"/staff/submissions/{submission.id}")
