"""A verdict in words: sections that every format for people lays out in its own way.

A new part of a verdict gets a section here, and every format shows it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from grader.grading.results.verdict import TestResult, Verdict
from grader.reports.phrases import shows_both_values, strip_controls, to_one_line
from grader.reports.plain_maths import plain

Role: TypeAlias = Literal["warning", "message", "diagnosis", "hint", "note", "task", "result"]

NO_SANDBOX: Final = "Not sandboxed: graded WITHOUT a sandbox, so this verdict certifies nothing."
_SHAPES_HEADING: Final = "Shapes, line by line, in a visible test:"
_EXAMPLE_HEADING: Final = "Only hidden tests fail. This small example goes wrong too. Try it:"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence on one line, without markup."""

    role: Role
    text: str
    markdown: str = ""  # the author's original Markdown, if there is one


@dataclass(frozen=True, slots=True)
class Code:
    """Python code that can be pasted."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Details:
    """The expected value and the result of a test."""

    test: TestResult


ReportBlock: TypeAlias = Sentence | Code | Details


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks that belong together."""

    kind: Literal["warning", "message", "help", "example", "shapes"]
    blocks: tuple[ReportBlock, ...]


def document(verdict: Verdict) -> Iterator[Section]:
    """Yield the sections of a verdict, without its title, score, tests and output."""
    if verdict.sandbox == "none":
        yield Section("warning", (Sentence("warning", NO_SANDBOX),))
    if verdict.message:
        yield Section("message", (Sentence("message", to_one_line(verdict.message)),))
    diagnosis, sentences = verdict.diagnosis, list[ReportBlock]()
    if diagnosis is not None and not verdict.message:
        feedback = diagnosis.feedback.strip()
        sentences.append(Sentence("diagnosis", to_one_line(plain(feedback)), feedback))
        if diagnosis.hint is not None:
            sentences.append(Sentence("hint", f"Hint {diagnosis.hint} helps with this."))
    sentences += [Sentence("note", to_one_line(note)) for note in verdict.notes]
    if sentences:
        yield Section("help", tuple(sentences))
    if verdict.example is not None:
        test = verdict.example.result
        code = Code(tuple(strip_controls(verdict.example.code).splitlines()))
        result = Sentence("result", to_one_line(test.message))
        yield Section("example", (Sentence("task", _EXAMPLE_HEADING), code, result, Details(test)))
    if verdict.shapes:
        width = max(len(f"{shape.line} {shape.name}") for shape in verdict.shapes)
        lines = (
            f"{f'{shape.line} {shape.name}':{width}}  {shape.text}"
            + ("  <- no right program has this value" if shape.is_off_track else "")
            for shape in verdict.shapes
        )
        yield Section(
            "shapes", (Sentence("task", _SHAPES_HEADING), Code(tuple(map(strip_controls, lines))))
        )


def plain_lines(*sections: Section) -> list[str]:
    """Render sections as lines of plain text."""
    lines: list[str] = []
    for section in sections:
        for block in section.blocks:
            match block:
                case Sentence(text=text):
                    lines.append(text)
                case Code(lines=code):
                    lines += (f"    {line}" for line in code)
                case Details(test=test) if not shows_both_values(test):
                    values = (("Expected", test.expected), ("Yours", test.got))
                    lines += (
                        f"{name}, {value.summary}: {to_one_line(value.text)}"
                        for name, value in values
                        if value is not None
                    )
    return lines


def help_lines(verdict: Verdict) -> list[str]:
    """Return the explanation of a failure and its example as lines of plain text."""
    return plain_lines(
        *(section for section in document(verdict) if section.kind in ("help", "example", "shapes"))
    )
