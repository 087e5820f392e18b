"""`/v1/gradebook` and `/v1/statistics`: grades and statistics for instructors."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Depends, Header, Query, Response
from pydantic import BaseModel, Field

from etude_server import gradebook_data
from etude_server.api.auth import STAFF_ONLY, CurrentService, require_instructor_or_reader
from etude_server.api.list_pages import After, Filter, Limit, Page
from etude_server.api.problem_details import ProblemError, problem_responses
from etude_server.store import grades
from etude_server.store.grades import Grade
from etude_server.store.submissions import StuckStudent
from grader.reports.canvas_csv import fill, sum_scores

router = APIRouter(
    prefix="/v1",
    tags=["gradebook"],
    dependencies=[Depends(require_instructor_or_reader)],
    responses=problem_responses(*STAFF_ONLY),
)

CANVAS_PATH = "/v1/gradebook/canvas"
MAX_EXPORT_BYTES = 4 << 20
"""Largest gradebook in bytes: some thousand students with some hundred assignments."""

_CSV = "text/csv"
_CSV_RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {"content": {_CSV: {"schema": {"type": "string"}}}}
}


class StatisticsInfo(BaseModel):
    """Statistics of the submissions to an exercise."""

    exercise: str
    students: int
    pass_rate: float = Field(description="0 to 1; lower means harder.")
    mean_score: float = Field(description="Share of the points, 0 to 1.")
    discrimination: float | None = Field(
        description="-1 to 1: the correlation of passing with the points in other exercises; null "
        "if students are too few or all alike."
    )
    misconceptions: dict[str, int] = Field(description="Students per misconception, at any time.")
    failed_tests: dict[str, int] = Field(description="Students who failed each test, at any time.")
    stuck: list[StuckStudent]


ExerciseFilter = Annotated[Filter, Query(description="Only of this exercise.")]


@router.get("/gradebook", responses=_CSV_RESPONSE, response_model=Page[Grade])
def show_gradebook(
    service: CurrentService,
    *,
    exercise: ExerciseFilter = None,
    form: Annotated[
        Literal["json", "csv"] | None,
        Query(alias="format", description="The format, instead of Accept."),
    ] = None,
    accept: Annotated[str, Header()] = "",
    after: After = None,
    limit: Limit = 200,
) -> Page[Grade] | Response:
    """Return the grades of students: a page of them as JSON, or all as CSV."""
    if form == "csv" or (form is None and accept.partition(";")[0].strip() == _CSV):
        text = service.staff_reader.read(gradebook_data.make_csv, exercise)
        return make_csv_response(text, "grades.csv")
    exercise_id, _, person_name = (after or "").partition(" ")
    with service.database.read(snapshot=True) as connection:
        rows = grades.list_student_grades(
            connection,
            exercise,
            after=(person_name, exercise_id) if after else None,
            limit=limit + 1,
        )
    return Page.make(rows, limit, lambda last: f"{last.exercise} {last.person}")


@router.post(
    "/gradebook/canvas",
    responses={**problem_responses(HTTPStatus.CONFLICT), **_CSV_RESPONSE},
    response_class=Response,
)
def fill_canvas_column(
    service: CurrentService,
    export: Annotated[
        bytes, Body(media_type=_CSV, min_length=1, description="The file that Canvas exported.")
    ],
    column: Annotated[str, Query(description="The assignment's column.", max_length=500)],
    *,
    exercise: Annotated[
        list[str] | None, Query(description="The exercises that count; all by default.")
    ] = None,
    match: Annotated[
        Literal["SIS Login ID", "SIS User ID", "ID", "Student", "Integration ID"],
        Query(description="The column with the names that students have here."),
    ] = "SIS Login ID",
    scale: Annotated[bool, Query(description="Convert to the assignment's points.")] = False,
    skip_unknown: Annotated[
        bool, Query(description="Leave out students who are not in the file.")
    ] = False,
) -> Response:
    """Fill a column of a gradebook that Canvas exported; Canvas imports the answer."""
    try:
        batch = service.staff_reader.read(gradebook_data.make_batch)
        scores = sum_scores(batch, exercise or (), name_option=str)
        filled = fill(
            export.decode(),
            scores,
            column=column,
            identity=match,
            scale=scale,
            skip_unknown=skip_unknown,
            name_option=str,  # the parameters of the route have the same names
        )
    except UnicodeDecodeError:
        raise ProblemError(HTTPStatus.CONFLICT, "The file is not UTF-8.") from None
    return make_csv_response(filled.text, "filled.csv")


@router.get("/statistics", response_model=list[StatisticsInfo])
def show_statistics(
    service: CurrentService, exercise: ExerciseFilter = None
) -> list[dict[str, Any]]:
    """Return the difficulty, common mistakes and stuck students of exercises; hardest first."""
    all_statistics = service.staff_reader.read(gradebook_data.compute_statistics, exercise)
    return [{**asdict(numbers.statistics), "stuck": numbers.stuck} for numbers in all_statistics]


def make_csv_response(text: str, name: str) -> Response:
    """Return a response that browsers download as a file."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=_CSV, headers=headers)
