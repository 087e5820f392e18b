"""The exercises that teach a helper which a submission defines itself."""

import contextlib
from collections import deque
from collections.abc import Sequence

from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.definitions.files import exercise_files
from grader.errors import EtudeError

_MAX_EXERCISES = 12  # exercises that are read at most


def find_teacher(helper: str, exercises: Sequence[Exercise]) -> tuple[Exercise, str] | None:
    """Return the exercise that asks for a function like this helper, and the name there."""
    plain_helper = _plain(helper)
    names = [(exercise, name) for exercise in exercises for name in exercise.defines]
    exact = (name for name in names if _plain(name[1]) == plain_helper)
    similar = (
        name for name in names if _plain(name[1]) in plain_helper or plain_helper in _plain(name[1])
    )
    return next(exact, None) or next(similar, None)


def load_required(exercise: Exercise) -> list[Exercise]:
    """Return the exercises that an exercise requires, directly required ones first."""
    exercises = list[Exercise]()
    waiting = deque(exercise.requires)
    seen = set(waiting)
    files = []
    with contextlib.suppress(OSError, EtudeError):
        files = exercise_files(exercise.where.path.parent)
    while waiting and len(exercises) < _MAX_EXERCISES:
        name = waiting.popleft()
        for path in files:
            if path.stem.lstrip("0123456789-") == name:
                with contextlib.suppress(OSError, EtudeError):
                    exercises.append(load_exercise_file(path))
                    waiting.extend(name for name in exercises[-1].requires if name not in seen)
                    seen.update(exercises[-1].requires)
    return exercises


def _plain(name: str) -> str:
    return name.lower().replace("_", "").removeprefix("my").removeprefix("stable")
