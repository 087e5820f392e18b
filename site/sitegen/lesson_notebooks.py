"""A lesson as a notebook: its texts and cells, without their output."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from grader.course.notebook_attachments import attach_images, make_data_cells
from grader.lessons.blocks import (
    Block,
    BreakTask,
    Cell,
    ChoiceQuestion,
    Exercises,
    Experiment,
    NumberQuestion,
    Prose,
)
from grader.lessons.figure import Figure
from grader.notebook_files import code_cell, notebook, text_cell
from sitegen.content import TrackLesson
from sitegen.markdown import render_inline
from sitegen.package_data import find_data

_DISPLAY: Final = "notebook-display.txt"  # for the first cell of a notebook
_HIDDEN: Final = {"jupyter": {"source_hidden": True}}
_DETAILS: Final = "<details><summary>{}</summary>\n\n{}\n\n</details>"
_ANSWER: Final = _DETAILS.format("Answer", "{}")


def lesson_notebook(lesson: TrackLesson, titles: Mapping[str, str]) -> str:
    """Return a lesson as the JSON of a notebook.

    Args:
        titles: The titles of the track's exercises, by id.
    """
    display = find_data("templates").joinpath(_DISPLAY).read_text(encoding="utf-8")
    cells = [code_cell("display", display.rstrip("\n"), _HIDDEN)]
    cells += make_data_cells(lesson.data)
    of_blocks = [
        list(_make_cells(block, number, titles, lesson.path))
        for number, block in enumerate(lesson.blocks)
    ]
    cells[:0] = of_blocks[0] if of_blocks else []  # the title comes first
    return notebook([*cells, *(cell for block in of_blocks[1:] for cell in block)])


def _make_cells(
    block: Block, number: int, titles: Mapping[str, str], path: Path
) -> Iterator[dict[str, Any]]:
    name = f"block-{number}"
    match block:
        case Prose(text=text):
            output = str(text).strip("\n")
            title = render_inline(block.title, where=block.where.path)
            cell = text_cell(name, _DETAILS.format(title, output) if title else output)
            attach_images(cell, str(text), path)
            yield cell
        case Cell(code=code, hidden=hidden, title=title):
            if title:
                yield text_cell(f"{name}-title", f"**{title}**")
            yield code_cell(name, code.strip("\n"), _HIDDEN if hidden or title else {})
        case Exercises(ids=ids):
            lines = [f"- {titles.get(name, name)}: `etude check {name} {name}.py`" for name in ids]
            yield text_cell(name, "\n".join(["**Your turn**", "", *lines]))
        case ChoiceQuestion(prompt=prompt, choices=choices):
            answers = [f"- {choice.letter}: {choice.text}" for choice in choices]
            reasons = [f"- {choice.letter}: {choice.reason}" for choice in choices]
            right = "".join(choice.letter for choice in choices if choice.is_right)
            answer = "\n".join([f"{right} is right.", "", *reasons])
            yield text_cell(
                name,
                "\n".join([f"**Question.** {prompt}", "", *answers, "", _ANSWER.format(answer)]),
            )
        case NumberQuestion(prompt=prompt, answer=answer):
            answer_text = _ANSWER.format(f"{answer.number:.6g}. {answer.reason}")
            yield text_cell(name, f"**Question.** {prompt}\n\n{answer_text}")
        case Experiment(prompt=prompt, find=find, put=put, why=why):
            change = f"In the cell above, put `{put}` in the place of `{find}`."
            yield text_cell(name, f"**Try this.** {prompt}\n\n{change}\n\n{_ANSWER.format(why)}")
        case BreakTask(prompt=prompt, code=code):
            judge = "The page of this lesson judges your call."
            yield text_cell(name, f"**Break it.** {prompt}\n\n```python\n{code}```\n\n{judge}")
        case Figure():
            about = block.get("alt", "to play with")
            yield text_cell(name, f"*Here the page of this lesson has a figure: {about}*")
