"""The wrong programs that a learner may break after passing an exercise."""

import difflib
from typing import Final

from grader.definitions.exercise import Exercise, ExerciseId, Misconception
from grader.definitions.wording import did_you_mean
from grader.errors import UsageError
from grader.grading.jobs import BreakingJob
from grader.grading.results.verdict import Diagnosis
from grader.grading.submissions.submission import Submission
from grader.progress.history import History

MAX_REWARDED_BREAKS: Final = 3
"""The number of wrong programs offered for each exercise, for one XP each."""


def list_offers(exercise: Exercise, history: History) -> list[Misconception]:
    """Return the misconceptions to offer, without those that the learner had."""
    own_mistakes = _list_own_mistakes(exercise.id, history)
    new = [program for program in list_breakable(exercise) if program.id not in own_mistakes]
    return new[:MAX_REWARDED_BREAKS]


def earns_xp(exercise: ExerciseId, program: str, history: History) -> bool:
    """Return whether breaking a program earns XP: three programs at most, once each."""
    broken = {event.misconception for event in history.broken if event.exercise == exercise}
    unrewarded = broken | _list_own_mistakes(exercise, history)
    return len(broken) < MAX_REWARDED_BREAKS and program not in unrewarded


def _list_own_mistakes(exercise: ExerciseId, history: History) -> set[str]:
    return {
        name
        for attempt in history.attempts
        if attempt.exercise == exercise
        for name in attempt.diagnosis.split(Diagnosis.JOIN)
    }


def list_breakable(exercise: Exercise) -> list[Misconception]:
    """Return the misconceptions that can be broken, the program closest to the solution first.

    Those that the author marked `breakable: false` are left out.
    """
    return sorted(
        exercise.breakable_misconceptions, key=lambda each: _distance(exercise.solution, each.code)
    )


def break_job(exercise: Exercise, misconception: str, call: str) -> BreakingJob:
    """Return the job that checks whether a call breaks the program of a misconception.

    Raises:
        UsageError: The exercise has no such misconception.
    """
    codes = {misconception.id: misconception.code for misconception in exercise.misconceptions}
    if misconception not in codes:
        close = did_you_mean(misconception, codes)
        raise UsageError(f"'{exercise.id}' has no misconception '{misconception}'{close}")
    submission = Submission.from_program(exercise, codes[misconception])
    return BreakingJob(exercise, submission, call=call)


def _distance(solution: str, code: str) -> tuple[int, int]:
    """Return the number of lines that differ from the solution, and the difference in length."""
    matcher = difflib.SequenceMatcher(None, solution.splitlines(), code.splitlines())
    same = sum(block.size for block in matcher.get_matching_blocks())
    return len(code.splitlines()) - same, abs(len(code) - len(solution))
