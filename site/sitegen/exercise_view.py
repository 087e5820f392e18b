"""The rendered texts, code and values of an exercise for its own page."""

from pathlib import Path
from typing import Any

from grader.definitions.public_exercise import PublicExercise, PublicTest
from sitegen.cards import ExerciseCard
from sitegen.highlight import highlight
from sitegen.markdown import render_markdown
from sitegen.page_images import PageImages
from sitegen.values import TextBlock, ValueView, cut_with_count, show


def view_exercise(
    card: ExerciseCard, exercise: PublicExercise, track: str, images: PageImages | None = None
) -> dict[str, Any]:
    """Render the texts, code and values of an exercise for its template.

    Args:
        track: The id of its track, for error messages.

    Raises:
        DefinitionError: A text cannot be shown; the error names track, exercise and field.
    """
    where = Path(track, exercise.id)
    return {
        "card": card,
        "exercise": exercise,
        "instructions": render_markdown(
            exercise.instructions, where=where / "instructions", images=images
        ),
        "hints": [
            render_markdown(hint.text, where=where / f"hint {number}", top=3, images=images)
            for number, hint in enumerate(exercise.hints, start=1)
        ],
        "starter": highlight(exercise.starter),
        "tests": [
            {
                "test": test,
                "given": [(name, show(value, shaded=False)) for name, value in test.given.items()],
                "code": highlight(test.code),
                "expected": _view_expected(test),
            }
            for test in exercise.tests
        ],
    }


def _view_expected(test: PublicTest) -> ValueView | None:
    if test.kind == "output":
        return TextBlock("", cut_with_count(str(test.expected)))
    return show(test.expected, shaded=True) if test.kind == "call" else None
