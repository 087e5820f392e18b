"""Effects of submission windows on learners: refused submissions and withheld results."""

import time
from http import HTTPStatus
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field
from sqlalchemy import Connection

from etude_server.api.problem_details import ProblemError
from etude_server.store import schedules, windows
from etude_server.store.ids import DAY_MICROSECONDS, now, to_datetime, to_microseconds
from etude_server.store.people import Person
from etude_server.store.submissions import StoredSubmission
from etude_server.store.verdicts import StoredVerdict


def _format_time(seconds: float | None) -> str | None:
    at = to_microseconds(seconds)
    return None if at is None else to_datetime(at).isoformat(timespec="seconds")


_IsoTime = Annotated[str | None, BeforeValidator(_format_time)]


class SubmissionWindowInfo(BaseModel):
    """The times at which the caller may submit an exercise, as ISO 8601 in UTC."""

    opens: _IsoTime
    due: _IsoTime = Field(description="The caller's own, if they have an extension.")
    late: float = Field(
        validation_alias="daily_factor",
        description="The factor of late work's points for each started day.",
    )
    grace: float = Field(
        validation_alias="grace_seconds",
        description="Seconds after the due date in which work is not late.",
    )
    late_days: int | None = Field(
        validation_alias="max_late_days", description="Work later by more days has no points."
    )
    at_least: float = Field(
        validation_alias="min_share",
        description="The least share of the points that late work keeps.",
    )
    attempts: int | None = Field(
        validation_alias="max_submissions_per_day",
        description="Most submissions within 24 hours; null for any number.",
    )
    hold_hidden: bool = Field(description="Results of hidden tests are held back until due.")


def require_open_window(
    connection: Connection, person: Person, submission: StoredSubmission
) -> None:
    """Raise if a student may not submit this now.

    Raises:
        ProblemError: 423 before the exercise opens, or after too many submissions.
    """
    if person.role != "student":
        return
    window = windows.find_window(connection, person.id, submission.exercise)
    if window.opens is not None and time.time() < window.opens:
        raise _make_locked_problem(
            f"This exercise opens at {_format_time(window.opens)}.", window.opens
        )
    max_count = window.max_submissions_per_day
    if max_count is not None:
        # `accept_submission` has locked the person: submissions sent at once see each other.
        times = schedules.list_recent_submission_times(connection, submission)
        if len(times) >= max_count:
            allowed_at = (times[-max_count] + DAY_MICROSECONDS) / 1_000_000
            reason = (
                f"{max_count} attempts in 24 hours are used up; "
                f"the next is at {_format_time(allowed_at)}."
            )
            raise _make_locked_problem(reason, allowed_at)


def _make_locked_problem(detail: str, until: float) -> ProblemError:
    seconds = max(1, round(until - time.time()))
    return ProblemError(HTTPStatus.LOCKED, detail, {"Retry-After": str(seconds)})


def is_result_withheld(connection: Connection, person: Person, exercise: str) -> bool:
    """Return whether results of hidden tests are withheld from a person."""
    if person.role != "student":
        return False
    return now() < windows.held_until(windows.find_window(connection, person.id, exercise))


def remove_hidden_tests(verdict: StoredVerdict) -> StoredVerdict:
    """Return a verdict as if only the visible tests had been run."""
    tests = [test for test in verdict.body["tests"] if not test["hidden"]]
    hidden_count = len(verdict.body["tests"]) - len(tests)
    score, max_score = (sum(test[name] for test in tests) for name in ("points", "max_points"))
    failed_outcomes = [test["outcome"] for test in tests if test["outcome"] != "passed"]
    outcome = verdict.outcome if verdict.body["message"] else (failed_outcomes or ["passed"])[0]
    body: dict[str, Any] = {
        **verdict.body,
        "outcome": outcome,
        "score": score,
        "max_score": max_score,
        "xp": 0,
        "tests": tests,
        "hidden_elsewhere": hidden_count,
        "diagnosis": None,
        "example": None,
    }
    return StoredVerdict(verdict.key, outcome, score, max_score, 0, body, verdict.at)
