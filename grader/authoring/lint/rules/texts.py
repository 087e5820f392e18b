"""Rules about instructions, hints and feedback compared with the solution."""

import re
from collections.abc import Iterator
from typing import Final

from grader.authoring.lint.python import squeeze
from grader.authoring.lint.rule import rule
from grader.authoring.lint.subjects import LintedExercise
from grader.definitions.wording import quote, shorten_line
from grader.errors import Problem

_RETURN: Final = re.compile(r"\breturn(s|ed|ing)?\b|\bgives? back\b", re.IGNORECASE)


@rule("ETU201", "error")
def unnamed_function(subject: LintedExercise) -> Iterator[Problem]:
    """The instructions never name a function or class that a submission must define."""
    exercise = subject.exercise
    names = [name for name, definition in exercise.defines.items() if definition.kind != "value"]
    for name in names:
        if not re.search(rf"(?<!\w){re.escape(name)}(?!\w)", exercise.instructions):
            yield subject.problem(f"{quote(name)} is never named", "instructions")


@rule("ETU202", "warning")
def unsaid_return(subject: LintedExercise) -> Iterator[Problem]:
    """The instructions never say what to return."""
    exercise = subject.exercise
    if any(function.returns for function in subject.solved_functions) and not _RETURN.search(
        exercise.instructions
    ):
        yield subject.problem("nothing is said about what to return", "instructions")


@rule("ETU203", "error")
def hint_tells_solution(subject: LintedExercise) -> Iterator[Problem]:
    """The first hint contains the solution."""
    if not subject.exercise.hints:
        return
    hint = squeeze(subject.exercise.hints[0].text)
    for function in subject.solved_functions:
        leaks = [value for value in function.returns if value.is_telling and value.is_in(hint)]
        told_steps = [value for value in function.steps if value.is_in(hint)]
        if leaks:
            message = f"the first hint contains what the solution returns, {quote(leaks[0].text)}"
            yield subject.problem(message, *subject.hint(0))
        elif 2 * len(told_steps) > len(function.steps):
            count = f"{len(told_steps)} of the solution's {len(function.steps)} steps"
            yield subject.problem(f"the first hint contains {count}", *subject.hint(0))


@rule("ETU204", "warning")
def feedback_tells_solution(subject: LintedExercise) -> Iterator[Problem]:
    """The feedback on a misconception contains a line of the solution."""
    values = [value for function in subject.solved_functions for value in function.steps]
    for index, misconception in enumerate(subject.exercise.misconceptions):
        feedback = squeeze(misconception.feedback)
        leaks = [value for value in values if value.is_in(feedback)]
        if leaks:
            message = f"this contains a step of the solution, {quote(leaks[0].text)}"
            yield subject.problem(message, "misconceptions", index, "feedback")


@rule("ETU207", "error")
def instructions_tell_solution(subject: LintedExercise) -> Iterator[Problem]:
    """The instructions contain what the solution returns."""
    if subject.exercise.kind != "write":
        return
    defines = subject.exercise.defines
    instructions = squeeze(subject.exercise.instructions)
    for function in subject.solved_functions:
        returns = () if "." in function.name else function.returns  # methods may be given
        is_call = any(value.text.partition("(")[0] in defines for value in returns)
        in_full = all(value.is_telling and value.is_in(instructions) for value in returns)
        if returns and in_full and not is_call:
            text = shorten_line(returns[0].text)
            message = f"this contains what {quote(function.name)} returns, '{text}'"
            yield subject.problem(message, "instructions")
