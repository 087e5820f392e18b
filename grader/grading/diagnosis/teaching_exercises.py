"""The exercises that teach what a submission defines for itself."""

import contextlib
from collections import deque
from functools import cached_property

from grader.definitions.collection import load_exercise
from grader.definitions.exercise import Exercise
from grader.definitions.files import exercise_files
from grader.errors import EtudeError

_MOST_EXERCISES = 12  # exercises that are read


class Teachers:
    """The exercises that an exercise requires, near ones first, by the functions that they ask for.

    They are read when they are first needed.
    """

    def __init__(self, exercise: Exercise) -> None:
        self._exercise = exercise

    def of(self, helper: str) -> tuple[Exercise, str] | None:
        """Return the exercise that asks for a function like this helper, and its name there."""
        plain_helper = _plain(helper)
        for exact in (True, False):
            for exercise in self._exercises:
                for name in exercise.defines:
                    plain = _plain(name)
                    if plain == plain_helper or (
                        not exact and (plain in plain_helper or plain_helper in plain)
                    ):
                        return exercise, name
        return None

    @cached_property
    def _exercises(self) -> list[Exercise]:
        exercises = list[Exercise]()
        waiting = deque(self._exercise.requires)
        seen = set(waiting)
        files = []
        with contextlib.suppress(OSError, EtudeError):
            files = exercise_files(self._exercise.where.path.parent)
        while waiting and len(exercises) < _MOST_EXERCISES:
            name = waiting.popleft()
            for path in files:
                if path.stem.lstrip("0123456789-") == name:
                    with contextlib.suppress(OSError, EtudeError):
                        exercise = load_exercise(path)
                        exercises.append(exercise)
                        waiting.extend(each for each in exercise.requires if each not in seen)
                        seen.update(exercise.requires)
        return exercises


def _plain(name: str) -> str:
    return name.lower().replace("_", "").removeprefix("my").removeprefix("stable")
