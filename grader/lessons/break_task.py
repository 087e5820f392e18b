"""A *break it* of a lesson: a wrong program, to find a call for that shows it to be wrong."""

from dataclasses import dataclass

from grader.definitions.exercise import ExerciseId
from grader.errors import Location
from grader.lessons.fence import Fence


@dataclass(frozen=True, slots=True)
class BreakTask:
    """A misconception of an exercise, and what to say of its program to who shall break it."""

    where: Location  # the line of the fence
    exercise: ExerciseId
    misconception: str
    prompt: str  # Markdown
    code: str = ""  # the program's code, once it is looked up


def read_break(fence: Fence) -> BreakTask:
    """Read an exercise and a misconception after the fence, and the text below.

    Raises:
        DefinitionError: One of them is missing.
    """
    prompt = fence.content.strip()
    match fence.words:
        case (_, exercise, misconception) if prompt:
            return BreakTask(fence.where, ExerciseId(exercise), misconception, prompt)
    raise fence.error("expected an exercise and a misconception after 'break', and a text below")
