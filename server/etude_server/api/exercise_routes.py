"""`/v1/exercises` and `/v1/progress`: the exercises, and a person's progress."""

from http import HTTPStatus
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from etude_server.api.auth import CurrentService, SignedIn
from etude_server.api.problem_details import ProblemError, problem_responses, require_existing
from etude_server.api.submission_windows import SubmissionWindowInfo, is_result_withheld
from etude_server.store import grades, submissions, windows
from etude_server.store.ids import Moment
from etude_server.store.submissions import Comment
from grader.course.schedule import Window

router = APIRouter(
    prefix="/v1", tags=["exercises"], responses=problem_responses(HTTPStatus.UNAUTHORIZED)
)


class ExerciseInfo(BaseModel):
    """An exercise, without anything hidden."""

    id: str
    title: str
    track: str
    kind: str
    difficulty: str
    xp: int
    max_points: int
    hash: str = Field(description="The hash of this version of its definition.")
    window: SubmissionWindowInfo


class CommentedSubmission(BaseModel):
    """A submission of the caller, and what staff said on it."""

    submission: str
    received_at: Moment
    source: str
    comments: list[Comment]


class ExerciseProgress(BaseModel):
    """A person's best published verdict in one exercise."""

    exercise: str
    submission: str = Field(
        validation_alias="submission_id", description="The submission with this verdict."
    )
    score: int
    max_score: int
    passed: bool
    xp: int
    points: float | None = Field(
        description="The points that count: the score after the late penalty, or the points given "
        "by staff; null for an excuse."
    )
    note: str = Field(description="The reason why the points differ from the score.")


class Progress(BaseModel):
    """A person's certified progress: the hidden tests were run."""

    name: str
    xp: int
    exercises: list[ExerciseProgress]


@router.get("/exercises")
def list_exercises(person: SignedIn, service: CurrentService) -> list[ExerciseInfo]:
    """List the exercises, in the order of their tracks."""
    with service.database.read() as connection:
        windows_by_exercise = windows.find_windows(connection, person.id)
    return [
        ExerciseInfo(
            id=exercise.id,
            title=exercise.title,
            track=str(track.definition.id),
            kind=exercise.kind,
            difficulty=exercise.difficulty,
            xp=exercise.xp,
            max_points=exercise.max_points,
            hash=exercise.digest,
            window=SubmissionWindowInfo.model_validate(
                windows_by_exercise.get(exercise.id, Window()), from_attributes=True
            ),
        )
        for track in service.catalog.tracks
        for exercise in track.exercises
    ]


@router.get("/exercises/{exercise}", responses=problem_responses(HTTPStatus.NOT_FOUND))
def show_exercise(exercise: str, person: SignedIn, service: CurrentService) -> ExerciseInfo:
    """Describe one exercise."""
    matches = (info for info in list_exercises(person, service) if info.id == exercise)
    return require_existing(next(matches, None), "exercise")


@router.get(
    "/exercises/{exercise}/solution",
    responses=problem_responses(HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND),
)
def show_solution(exercise: str, person: SignedIn, service: CurrentService) -> dict[str, Any]:
    """Return the solution of an exercise that the caller has passed, as its page shows it."""
    entry = service.catalog.find(exercise)
    render = service.settings.solution
    if entry is None or render is None or not entry.solution:
        raise ProblemError(HTTPStatus.NOT_FOUND, "There is no solution to show.")
    with service.database.read() as connection:
        own_grades = grades.list_person_grades(connection, person.id)
        is_held = is_result_withheld(connection, person, exercise)
    if is_held or not any(grade.exercise == exercise and grade.passed for grade in own_grades):
        raise ProblemError(HTTPStatus.FORBIDDEN, "You see the solution once you have passed.")
    return render(entry)


@router.get(
    "/exercises/{exercise}/comments",
    responses=problem_responses(HTTPStatus.NOT_FOUND),
    response_model=list[CommentedSubmission],
)
def list_comments(exercise: str, person: SignedIn, service: CurrentService) -> list[dict[str, Any]]:
    """Return what staff said on the caller's submissions of an exercise, the newest first."""
    require_existing(service.catalog.find(exercise), "exercise")
    with service.database.read() as connection:
        return [
            {
                "submission": submission.id,
                "received_at": submission.received_at,
                "source": submissions.read_source(connection, submission.source_hash),
                "comments": submissions.list_comments(connection, submission.id),
            }
            for submission in submissions.list_commented_submissions(
                connection, person.id, exercise
            )
        ]


@router.get("/progress", response_model=Progress)
def show_progress(person: SignedIn, service: CurrentService) -> dict[str, Any]:
    """Return the caller's best verdicts, and the XP that they earned."""
    with service.database.read() as connection:
        best = [
            grade
            for grade in grades.list_person_grades(connection, person.id)
            if not is_result_withheld(connection, person, grade.exercise)
        ]
    return {"name": person.name, "xp": sum(grade.xp for grade in best), "exercises": best}
