"""The data for an exercise's script: `exercise.json`, and files loaded on request."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from grader.definitions.public_exercise import DescribedValue, PublicExercise
from sitegen.content import Runnable, Solution
from sitegen.highlight import highlight
from sitegen.links import exercise_file
from sitegen.markdown import render_markdown
from sitegen.page_images import PageImages

SCHEMA: Final = "etude/page/v1"

_DATA: Final = "exercise.json"
_GRADING_DATA: Final = "engine.txt"
_SOLUTION: Final = "solution.json"
BREAKS: Final = "break.json"


def make_exercise_data(
    track: str, exercise: PublicExercise, runnable: Runnable, images: PageImages | None = None
) -> Iterator[tuple[str, str]]:
    """Yield the files beside an exercise's page as paths and texts.

    Args:
        track: The id of its track.

    Raises:
        DefinitionError: A text cannot be shown; the error names track, exercise and field.
    """
    where = Path(track, exercise.id)
    # The feedback on a prediction gives the right answer away, and all its tests are hidden.
    is_judged = exercise.kind != "predict" or runnable.for_practice
    data = _make_data(track, exercise, runnable, where, is_judged=is_judged)
    if runnable.programs and (break_data := runnable.breaks()):
        data["breaks"] = BREAKS
        programs = [{"id": name, "code": highlight(c)} for name, c in runnable.programs.items()]
        content = {"programs": programs, "engine": break_data}
        yield exercise_file(track, exercise.id, BREAKS), _to_json(content)
    yield exercise_file(track, exercise.id, _DATA), _to_json(data)
    if is_judged:
        yield exercise_file(track, exercise.id, _GRADING_DATA), runnable.grading_data()
    if runnable.solution:
        solution = make_solution_data(runnable.solution, where, images)
        yield exercise_file(track, exercise.id, _SOLUTION), _to_json(solution)


def _make_data(
    track: str, exercise: PublicExercise, runnable: Runnable, where: Path, *, is_judged: bool
) -> dict[str, Any]:
    inputs = (
        [name for name, value in test.given.items() if not isinstance(value, DescribedValue)]
        for test in exercise.tests
    )
    return {
        "schema": SCHEMA,
        "id": exercise.id,
        "hash": exercise.digest,
        "title": exercise.title,
        "track": track,
        "xp": exercise.xp,
        "kind": exercise.kind,
        "defines": exercise.defines,
        "choices": exercise.choices,
        "starter": exercise.starter,
        "tests": [
            {"id": test.id, "description": test.description, "points": test.points}
            for test in exercise.tests
        ],
        # The inputs of the first visible test that has some, as source to copy into a run.
        "inputs": next(filter(None, inputs), []),
        "asks": runnable.asks,
        "hidden_tests": exercise.hidden_tests,
        "hints": [{"price": hint.price} for hint in exercise.hints],
        "feedback": {
            name: render_markdown(text, where=where / f"feedback of {name}", top=3)
            for name, text in runnable.feedback.items()
            if is_judged
        },
        "engine": _GRADING_DATA if is_judged else "",
        "solution": _SOLUTION if runnable.solution else None,
    }


def make_solution_data(
    solution: Solution, where: Path, images: PageImages | None = None
) -> dict[str, Any]:
    """Return the model solution as JSON types for a page's script.

    Args:
        solution: The model solution with its explanation and alternatives.

    Raises:
        DefinitionError: A text cannot be shown.
    """
    render = partial(render_markdown, top=3, images=images)
    return {
        "code": highlight(solution.code),
        "source": solution.code,
        "explanation": render(solution.explanation, where=where / "explanation"),
        "others": [
            {
                "code": highlight(other.code),
                "when": render(other.when, where=where / "also_right"),
            }
            for other in solution.others
        ],
    }


def _to_json(data: dict[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"
