"""Programs of several parts: the cells of a notebook, joined in the sandbox, or several files.

Sentences name a line by its number in its part, see `ProgramText`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from grader.definitions.program_files import NAME, join_files, split_files
from grader.grading.feedback import outcome_sentences
from grader.grading.submissions.program_text import ProgramText
from grader.grading.submissions.submission import Submission
from grader.sandbox.answers import (
    Answer,
    Cause,
    ChildGoneError,
    Raised,
    Returned,
    read_failed_cells,
)
from grader.sandbox.interface import Child
from grader.sandbox.printable import printable

# Omitted lines, and characters of each, that are read from an answer, as in `in_child.cells`.
_MAX_LEFT_OUT: Final = 100
_MAX_LINE_LENGTH: Final = 80


@dataclass(frozen=True, slots=True)
class JoinedProgram:
    """The text of a submission as it is run, of one part or several joined ones.

    Attributes:
        failed: Numbers and errors of cells that cannot be parsed.
        notes: Sentences about the code that was left out.
    """

    text: ProgramText
    failed: tuple[tuple[int, Raised], ...] = ()
    notes: tuple[Callable[[], str], ...] = ()


def join_cells(child: Child, submission: Submission) -> JoinedProgram:
    """Make the source of a notebook in a child that has not run any code yet.

    Raises:
        ChildGoneError: The child ended.
    """
    answer = child.ask(
        "join_cells", [list(cell) for cell in submission.cells], list(submission.names)
    )
    match answer:
        case Returned(
            value={"source": str(source), "left_out": list(entries), "numbers": list(kept)} as facts
        ):
            cells = tuple(cell for cell in submission.cells if cell[0] in kept)
            submission = replace(submission, cells=cells)
            text = ProgramText.from_submission(submission)
        case _:
            raise ChildGoneError(Cause.PROTOCOL, "no program of cells")
    left_out = []
    for entry in entries[:_MAX_LEFT_OUT]:
        match entry:
            case [int(number), str(line)]:
                left_out.append((text.cell(number), printable(line[:_MAX_LINE_LENGTH])))
    failed = tuple((n, error) for n, error in read_failed_cells(facts) if n in text.numbers)
    notes = (partial(outcome_sentences.left_out_note, left_out),) if left_out else ()
    if written := _modules(facts):
        submission = replace(
            submission, helpers=join_files({**written, **split_files(submission.helpers)})
        )
        text = ProgramText.from_submission(submission)
    if submission.helpers:
        source = f"{source}\n{submission.helpers}"
    return JoinedProgram(replace(text, source=source), failed, notes)


def _modules(facts: Mapping[str, object]) -> dict[str, str]:
    """Return the Python files that cells of a notebook write, by name."""
    match facts.get("modules"):
        case dict(texts):
            return {
                f"{name}.py": text
                for name, text in texts.items()
                if isinstance(text, str) and NAME.fullmatch(f"{name}.py")
            }
    return {}


def load_cells(
    child: Child, program: JoinedProgram, names: list[str]
) -> tuple[Answer, tuple[Callable[[], str], ...]]:
    """Run the cells; return the answer and a note for each cell that failed."""
    text = program.text
    # The number 0 makes warnings name the line of the exported file.
    numbers = (0,) * len(text.numbers) if text.is_exported else text.numbers
    cell_ends = [list(each) for each in zip(numbers, text.ends, strict=True)]
    answer = child.ask("load_cells", text.source, names, cell_ends)
    facts = answer.value if isinstance(answer, Returned) else None
    ran = [(text.numbers[n], e) for n, e in read_failed_cells(facts) if n < len(text.numbers)]
    failed = sorted([*program.failed, *ran], key=lambda each: each[0])

    def note(number: int, error: Raised) -> str:
        place = text.locate(error.frames[0][0]) if error.frames else None
        line = place[1] if place else None
        return outcome_sentences.failed_cell_note(number, line, error, text)

    return answer, tuple(partial(note, *each) for each in failed)
