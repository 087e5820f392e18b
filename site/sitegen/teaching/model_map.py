"""The map of the model: a drawing of a tiny GPT, in which each lesson highlights its part."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from grader.lessons.figure import Figure
from sitegen.cards import OutlineLesson
from sitegen.content import TrackLesson

# The name of each part, and its purpose.
_PARTS: Final = {
    "embedding": ("Embedding", "each word becomes a vector"),
    "positions": ("Positions", "each vector is told where its word stands"),
    "projections": ("Queries, keys, values", "each word gets a query, a key and a value"),
    "dot-products": ("Dot products", "every query is compared with every key"),
    "scaling": ("Scaling", "scores keep their size, however many features there are"),
    "causal-mask": ("Causal mask", "no word sees what comes after it"),
    "masks": ("Other masks", "padding and windows are left out"),
    "softmax": ("Softmax", "scores become shares that add up to 1"),
    "weighted-sum": ("Weighted sum", "values are mixed, each by its share"),
    "heads": ("Heads", "several heads look for different things"),
    "feed-forward": ("Feed-forward", "each word is worked on alone, and added to what it was"),
    "logits": ("Logits", "a vector becomes a score for each word that could follow"),
    "sampling": ("Sampling", "one of these words is drawn"),
    "memory": ("Memory", "keys and values are kept from word to word"),
    "training": ("Training", "a loss, and gradients back through it all"),
}
_ATTENTION: Final = ("projections", "dot-products", "scaling", "causal-mask", "masks", "softmax",
                     "weighted-sum", "heads")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the model with its lesson; `is_here` is true for the current one."""

    name: str
    does: str
    lesson: OutlineLesson | None
    is_here: bool

    @property
    def ids(self) -> tuple[str, ...]:
        """The exercises of the part's lesson."""
        return self.lesson.exercises if self.lesson else ()


def view_map(figure: Figure, places: Mapping[str, OutlineLesson]) -> dict[str, Any]:
    """Highlight the parts of a lesson.

    Args:
        places: The lesson of each part; see `find_lesson_places`.
    """
    here = figure.items("part")
    parts = {
        key: Part(called, does, places.get(key), key in here)
        for key, (called, does) in _PARTS.items()
    }
    attention = [parts[key] for key in _ATTENTION]  # in the order of the code
    return {
        "parts": parts,
        "here": [part for part in parts.values() if part.is_here],
        "attention": attention,
        "of_attention": list(
            dict.fromkeys(exercise_id for part in attention for exercise_id in part.ids)
        ),
        "is_in_attention": any(part.is_here for part in attention),
    }


def find_lesson_places(
    lessons: Iterable[TrackLesson], outline_lessons: Iterable[OutlineLesson]
) -> dict[str, OutlineLesson]:
    """Return the first lesson of a track for each part on the map."""
    first: dict[str, OutlineLesson] = {}
    for lesson, outline_lesson in zip(lessons, outline_lessons, strict=True):
        for figure in lesson.figures:
            for part in figure.items("part"):
                first.setdefault(part, outline_lesson)
    return first
