"""The recorded output of a lesson: a text file beside it, written and compared.

The record makes every changed number visible in a review. `etude lesson run` fails until the record
is updated.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from grader.definitions.files import read_file, refuse_link
from grader.errors import Location, Problem, UsageError
from grader.grading.comparison.printed_text import compare_text
from grader.lessons.blocks import (
    Block,
    Cell,
    ChoiceQuestion,
    Experiment,
    MatrixDisplay,
    NumberQuestion,
    PlotDisplay,
    Prose,
)
from grader.lessons.figure import Figure
from grader.lessons.lesson import Lesson

_SMALL: Final = 1e-3  # four decimals would not show enough digits of a smaller number


def record_path(lesson: Path) -> Path:
    """Return the path of a lesson's record, `outputs/<name of the lesson>.txt` beside it.

    Raises:
        DefinitionError: The folder `outputs` is a symbolic link.
    """
    folder = lesson.parent / "outputs"
    refuse_link(folder)
    return folder / f"{lesson.stem}.txt"


def record(lesson: Lesson) -> str:
    """Return all outputs and values of a lesson as text."""
    lines: list[str] = []
    cells = 0
    for block in lesson.blocks:
        if isinstance(block, Cell):
            cells += 1
            lines.append(f"[{cells}]")
            lines += (f"    {line}".rstrip() for line in block.printed.splitlines())
            for display in block.displays:
                lines += _shown_lines(display)
        elif isinstance(block, Figure):
            for arrays in block.frames:
                for expression, array in zip(block.expressions, arrays, strict=True):
                    about = f"{array.shape}, {array.min():.4g} to {array.max():.4g}"
                    lines.append(f"{expression} = {about}, mean {array.mean():.4g}")
        else:
            lines += (f"{expression} = {value}" for expression, value in _computed_values(block))
    return "".join(f"{line}\n" for line in lines)


def _computed_values(block: Block) -> Iterator[tuple[str, str]]:
    """Yield each expression in the texts of a block with its value, in order."""
    match block:
        case Prose(text=text) | Experiment(why=text):
            yield from text.computed
        case ChoiceQuestion(prompt=prompt, choices=choices):
            for text in (prompt, *(text for each in choices for text in (each.text, each.reason))):
                yield from text.computed
        case NumberQuestion(prompt=prompt, answer=answer, slips=slips, hint=hint):
            yield from prompt.computed
            for each in (answer, *slips):
                yield each.value.expression, f"{each.number:.6g}"
                yield from each.reason.computed
            yield from hint.computed


def differences(lesson: Lesson) -> list[Problem]:
    """Compare a lesson with its record, and each number up to the last digit in the record."""
    path = record_path(lesson.path)
    advice = f"run `etude lesson run --update {lesson.path}` and read the diff"
    try:
        before = read_file(path).decode("utf-8", "replace")
    except UsageError:
        message = f"there is no record of its outputs, {path.name}; {advice}"
        return [Problem(Location(lesson.path), message)]
    now = record(lesson).splitlines()
    for number, (old, new) in enumerate(zip(before.splitlines(), now, strict=False), start=1):
        if old != new and compare_text(old, new) is not None:
            message = (
                f"the record says '{old.strip():.80}', "
                f"but running gives '{new.strip():.80}'; {advice}"
            )
            return [Problem(Location(path, number), message)]
    if len(before.splitlines()) != len(now):
        count = f"{len(before.splitlines())} lines, but running gives {len(now)}; {advice}"
        return [Problem(Location(path), f"the record has {count}")]
    return []


def _shown_lines(display: MatrixDisplay | PlotDisplay) -> Iterator[str]:
    if isinstance(display, PlotDisplay):
        yield f"    <plot> {display.title}".rstrip()
        yield f"    {' '.join(display.alt.split())}"
        return
    yield f"    <{display.kind}> {display.title}".rstrip()
    if display.columns:
        yield f"    columns: {' '.join(display.columns)}"
    for index, row in enumerate(display.values):
        numbers = []
        for value in row:
            if display.whole or not np.isfinite(value):
                numbers.append(f"{value:g}")
            else:
                is_small = 0 < abs(value) < _SMALL
                numbers.append(f"{value:.2e}" if is_small else f"{value:.4f}")
        label = f"{display.rows[index]}: " if display.rows else ""
        yield f"    {label}{' '.join(numbers)}"
