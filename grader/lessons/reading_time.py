"""An estimate of the time that reading a lesson takes."""

import math
import re
from typing import Final

from grader.lessons.computed_text import ComputedText
from grader.lessons.lesson import Block, Cell, Exercises, Lesson, Prose

_WORDS_A_MINUTE: Final = 180  # of a text that one has to understand
_LINES_A_MINUTE: Final = 12  # of code
_MINUTES_A_MATRIX: Final = 0.3  # that a cell shows
_MINUTES_A_FIGURE: Final = 1.0  # or a question
_SHOWS: Final = re.compile(r"\b(?:heatmap|table)\(")


def reading_minutes(lesson: Lesson) -> int:
    """Return how long reading a lesson takes, without its exercises; in whole minutes."""
    return max(1, math.ceil(sum(map(_minutes, lesson.blocks))))


def _minutes(block: Block) -> float:
    match block:
        case Prose(parts=parts):
            return _words(parts) / _WORDS_A_MINUTE
        case Cell(code=code, hidden=hidden):
            lines = 0 if hidden else sum(bool(line.strip()) for line in code.splitlines())
            return lines / _LINES_A_MINUTE + len(_SHOWS.findall(code)) * _MINUTES_A_MATRIX
        case Exercises():
            return 0.0
    return _MINUTES_A_FIGURE


def _words(parts: ComputedText) -> int:
    return sum(len(part.split()) if isinstance(part, str) else 1 for part in parts)
