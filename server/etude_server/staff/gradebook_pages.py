"""Staff pages: the gradebook with its exports, unsent grades, and the schedule."""

from typing import Annotated, Final

from fastapi import Query, Response

from etude_server import gradebook_data
from etude_server.actions import grades as grade_actions
from etude_server.api.auth import CurrentService
from etude_server.api.gradebook_routes import make_csv_response
from etude_server.staff.login import InstructorForm, StaffVisitor, make_staff_router, redirect_to
from etude_server.staff.page_templates import render
from etude_server.store import schedules, unsent_scores, windows
from grader.reports.canvas_csv import IDENTITIES, fill, sum_scores

CANVAS_PATH: Final = "/staff/gradebook/canvas"
_MAX_SHOWN_STUDENTS: Final = 500  # most students on the page
_MAX_SHOWN_UNSENT: Final = 200

router = make_staff_router("/staff")


@router.get("/gradebook")
def show_gradebook(
    visitor: StaffVisitor,
    service: CurrentService,
    section: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """Show a row for each student and a column for each exercise."""
    table = service.staff_reader.read(gradebook_data.make_table)
    rows = [row for row in table.rows if section is None or row[0].section == section]
    titles = {name: exercise.title for name, exercise in service.catalog.exercises.items()}
    # In the order of the course.
    exercise_ids = sorted(table.exercises, key=[*titles, *table.exercises].index)
    return render(
        "gradebook",
        visitor=visitor,
        exercises=[(name, titles.get(name, name)) for name in exercise_ids],
        rows=rows[:_MAX_SHOWN_STUDENTS],
        count=len(rows),
        sections=sorted({student.section for student, _ in table.rows} - {""}),
        section=section,
        identities=IDENTITIES,
    )


@router.get("/gradebook/gradebook.csv")
def download_gradebook(service: CurrentService) -> Response:
    """Return the gradebook as a CSV."""
    return make_csv_response(
        service.staff_reader.read(gradebook_data.make_matrix_csv), "gradebook.csv"
    )


@router.get("/gradebook/moodle.csv")
def download_for_moodle(service: CurrentService) -> Response:
    """Return the file that Moodle imports."""
    return make_csv_response(
        service.staff_reader.read(gradebook_data.make_moodle_csv), "moodle.csv"
    )


@router.post("/gradebook/canvas")
def fill_canvas_column(form: InstructorForm, service: CurrentService) -> Response:
    """Return the Canvas export with a column filled."""
    exercise = form.get("exercise", "")
    scores = sum_scores(service.staff_reader.read(gradebook_data.make_batch), [exercise])
    filled = fill(
        form.get("export", ""),
        scores,
        column=form.get("column", "").strip(),
        identity=form.get("match", IDENTITIES[0]),
        scale="scale" in form,
        skip_unknown="skip_unknown" in form,
    )
    return make_csv_response(filled.text, "canvas.csv")


@router.get("/schedule")
def show_schedule(visitor: StaffVisitor, service: CurrentService) -> Response:
    """Show when exercises open and are due, and the extensions."""
    with service.database.read() as connection:
        windows_by_exercise = windows.find_windows(connection)
        extensions = schedules.list_extensions(connection)
    limited_windows = [
        (exercise, windows_by_exercise[name])
        for name, exercise in service.catalog.exercises.items()
        if name in windows_by_exercise and windows_by_exercise[name].is_limited
    ]
    return render("schedule", visitor=visitor, windows=limited_windows, extensions=extensions)


@router.get("/unsent")
def show_unsent_scores(visitor: StaffVisitor, service: CurrentService) -> Response:
    """Show the grades that are not sent to learning platforms, and why."""
    with service.database.read() as connection:
        grades = unsent_scores.list_unsent_grades(connection)
    return render(
        "unsent",
        visitor=visitor,
        grades=grades[:_MAX_SHOWN_UNSENT],
        count=len(grades),
        parked=sum(grade.parked for grade in grades),
        oldest=min((grade.at for grade in grades), default=None),
    )


@router.post("/unsent/retry")
def retry_unsent_scores(
    _form: InstructorForm, visitor: StaffVisitor, service: CurrentService
) -> Response:
    """Send all of them again, now."""
    with service.database.write() as connection:
        grade_actions.retry_unsent_scores(connection, actor=visitor.person.id)
    return redirect_to("/staff/unsent")
