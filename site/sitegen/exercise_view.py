"""Rendered texts, code and values of an exercise, for its own page."""

from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from grader.definitions.public import PublicExercise, PublicTest
from sitegen.cards import ExerciseCard, Requirement
from sitegen.highlight import highlight
from sitegen.markdown import render_markdown
from sitegen.page_images import PageImages
from sitegen.values import Block, ValueView, shorten, show


@dataclass(frozen=True, slots=True)
class TestView:
    """A visible test; its values are in the form in which they are shown."""

    test: PublicTest
    given: tuple[tuple[str, ValueView], ...]
    code: Markup
    expected: ValueView | None


@dataclass(frozen=True, slots=True)
class ExerciseView:
    """An exercise with everything that its page shows."""

    card: ExerciseCard
    exercise: PublicExercise
    instructions: Markup
    starter: Markup
    hints: tuple[Markup, ...]
    tests: tuple[TestView, ...]

    @property
    def title(self) -> str:
        """The exercise's title."""
        return self.card.title

    @property
    def number(self) -> int:
        """Its place in the track, from one."""
        return self.card.number

    @property
    def path(self) -> str:
        """The file of its page."""
        return self.card.path

    @property
    def requires(self) -> tuple[Requirement, ...]:
        """The exercises to have passed before."""
        return self.card.requires


def view_exercise(
    card: ExerciseCard, exercise: PublicExercise, track: str, images: PageImages | None = None
) -> ExerciseView:
    """Render the texts, code and values of an exercise.

    Args:
        track: The id of its track, for problems.

    Raises:
        DefinitionError: A text cannot be shown; the error names track, exercise and field.
    """
    where = Path(track, exercise.id)
    instructions = render_markdown(
        exercise.instructions, where=where / "instructions", images=images
    )
    hints = tuple(
        render_markdown(hint.text, where=where / f"hint {number}", top=3, images=images)
        for number, hint in enumerate(exercise.hints, start=1)
    )
    tests = []
    for test in exercise.tests:
        given = tuple((name, show(value, shaded=False)) for name, value in test.given.items())
        expected: ValueView | None = None
        if test.kind == "output":
            expected = Block("", shorten(str(test.expected)))
        elif test.kind == "call":
            expected = show(test.expected, shaded=True)
        tests.append(TestView(test, given, highlight(test.code), expected))
    starter = highlight(exercise.starter)
    return ExerciseView(card, exercise, instructions, starter, hints, tuple(tests))
