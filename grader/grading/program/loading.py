"""Brings a submission into its child: looks at its code, runs it, checks that all is there."""

from dataclasses import dataclass
from typing import Any

from grader.definitions.exercise import DefinedAs, Exercise
from grader.grading.feedback import sentences
from grader.grading.feedback.defined_names import DefinedNames
from grader.grading.program.author_code import freeze
from grader.grading.program.loaded_program import LoadedProgram, is_value
from grader.grading.program.proxies import NoValueError, Proxies
from grader.grading.program.screening import Refusal, screen
from grader.grading.results.submission import Submission
from grader.grading.results.verdict import Outcome
from grader.sandbox.answers import ChildGoneError, Raised, Returned, Unsupported
from grader.sandbox.interface import Child
from grader.sandbox.limits import UNKNOWN_RESULT

_PLACEHOLDERS = ("ellipsis", "NoneType")


@dataclass(frozen=True, slots=True)
class LoadingProblem:
    """Why no test of a submission can run, for the learner."""

    outcome: Outcome
    sentence: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class LoadedSubmission:
    """What loading came to: a stage for the tests, or a problem."""

    contents: DefinedNames
    stage: LoadedProgram | None = None
    problem: LoadingProblem | None = None


def load(child: Child, submission: Submission, exercise: Exercise) -> LoadedSubmission:
    """Load a submission into a child that has run nothing yet."""
    nothing = DefinedNames((), {})
    try:
        refusal = screen(child, submission.source, exercise)
        if refusal is not None:
            return LoadedSubmission(nothing, problem=_refused(refusal))
        bring_in = child.load_answers if exercise.kind == "predict" else child.load
        answer = bring_in(submission.source, list(exercise.defines))
        if isinstance(answer, Raised):
            return LoadedSubmission(nothing, problem=problem_of(answer))
        facts = answer.value if isinstance(answer, Returned) else None
        contents = DefinedNames.read(facts, list(exercise.defines))
        found = _first_problem(exercise, contents) or _values(child, exercise)
    except ChildGoneError as error:
        outcome, sentence = sentences.gone(error)
        return LoadedSubmission(nothing, problem=LoadingProblem(outcome, sentence))
    if isinstance(found, str):
        return LoadedSubmission(contents, problem=LoadingProblem(Outcome.FAILED, found))
    return LoadedSubmission(contents, LoadedProgram(child, exercise, found))


def _refused(refusal: Refusal | Raised) -> LoadingProblem:
    if isinstance(refusal, Raised):
        return problem_of(refusal)
    return LoadingProblem(Outcome.FAILED, refusal.sentence, refusal.line)


def problem_of(answer: Raised) -> LoadingProblem:
    """Say what an exception was that ended the loading of a program."""
    if "SyntaxError" in answer.bases and not answer.frames:
        return LoadingProblem(Outcome.ERRORED, sentences.syntax_error(answer), answer.line)
    line = answer.frames[-1][0] if answer.frames else None
    sentence = sentences.raised(answer, "", DefinedNames((), {}))
    return LoadingProblem(sentences.outcome_of(answer), sentence, line)


def _first_problem(exercise: Exercise, contents: DefinedNames) -> str | None:
    """Check that what the tests use is there, and is what it should be."""
    problems = (_problem_of(exercise, name, contents) for name in exercise.defines)
    return next((problem for problem in problems if problem is not None), None)


def _problem_of(exercise: Exercise, name: str, contents: DefinedNames) -> str | None:
    value = is_value(exercise, name)
    wanted: DefinedAs = "value" if value else exercise.defines[name].kind
    defined = contents.defined.get(name)
    if defined is None:
        return sentences.missing(name, _first_call(exercise), contents.names, wanted)
    if value and defined.kind in _PLACEHOLDERS:
        return sentences.not_answered(name, defined.kind)
    fits = defined.kind == "class" if wanted == "class" else defined.callable is not value
    return None if fits else sentences.another_kind(name, wanted, defined.kind)


def _first_call(exercise: Exercise) -> str:
    calls = (t.code for t in exercise.tests if t.compared == "value" and not t.hidden)
    return next(calls, next(iter(exercise.defines)))


def _values(child: Child, exercise: Exercise) -> dict[str, Any] | str:
    """Fetch the values that a submission defines, or say what is wrong with one."""
    names, values = Proxies(child, exercise.where, most=UNKNOWN_RESULT), {}
    for name, definition in exercise.defines.items():
        if not is_value(exercise, name):
            continue
        try:
            values[name] = freeze(names.current(name))
        except NoValueError as error:
            return _no_value(name, error.answer)
        if definition.choices and str(values[name]).strip() not in definition.choices:
            return sentences.no_choice(name, definition.choices)
    return values


def _no_value(name: str, answer: Raised | Unsupported) -> str:
    if isinstance(answer, Unsupported):
        return sentences.unsupported_value(name, answer)
    return sentences.raised(answer, "", DefinedNames((), {}))
