"""The judgement on a learner's call that should show that a program is wrong.

A call counts if the task allows it and the program's result differs from that of right programs.
The task allows arguments that resemble those of its tests: the same types, numbers of axes and
equal lengths, and the properties that all of them have. A page judges by the same rules.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final

import numpy as np

from grader.definitions.exercise import CallTest, Exercise, ExerciseLimits, Literals, OutputTest
from grader.definitions.wording import plural
from grader.errors import DefinitionError
from grader.grading.comparison.compare import NUMERIC
from grader.grading.comparison.nested_values import ValuePath, walk
from grader.grading.diagnosis.input_values import (
    ALL_DIFFERENT,
    OrdinaryInputs,
    axes_in,
    count_numbers,
    parts,
)
from grader.grading.diagnosis.written_call import Place, RefusedError, WrittenCall, read_call
from grader.grading.expected.oracle import Oracle
from grader.grading.feedback import break_sentences
from grader.grading.feedback.summarize_values import summarize
from grader.grading.jobs import find_limits
from grader.grading.program.proxies import NoValueError, RunningProgram
from grader.grading.program.requests import Requests
from grader.grading.results.verdict import Outcome, SmallExample, TestResult
from grader.grading.run.submission_run import grade_example
from grader.grading.submissions.submission import Submission
from grader.sandbox.answers import ChildGoneError, Raised, Returned, Unsupported
from grader.sandbox.interface import ChildFactory

_MAX_NUMBERS: Final = 1000  # numbers in all arguments of a call
_TOO_LARGE: Final = frozenset({"MemoryError", "OverflowError"})
_CPU_SECONDS, _WALL_SECONDS = 1, 5.0
_WORDS: Final = {
    "NoneType": "None",
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "True or False",
}


@dataclass(frozen=True, slots=True)
class AllowedCall:
    """A call whose result some test compares, with the arguments that tests pass to it."""

    shape: str  # the call without arguments
    places: tuple[Place, ...]
    test: CallTest | OutputTest  # the test by which the result is compared
    ordinary: tuple[tuple[Any, ...], ...]  # for each draw, the arguments in the order of `places`


def judge_call(
    exercise: Exercise,
    allowed: Sequence[AllowedCall],
    program: str,
    sandbox: ChildFactory,
    text: str,
) -> SmallExample | str:
    """Return the example made from a call, or the sentence about why it does not count."""
    limits = exercise.limits or ExerciseLimits(exercise.where)
    limits = replace(limits, cpu_seconds=_CPU_SECONDS, wall_seconds=_WALL_SECONDS)
    exercise = replace(exercise, forbid=None, limits=limits)
    try:
        call = read_call(exercise, text)
        matches = [
            allowed_call
            for allowed_call in allowed
            if allowed_call.shape == call.shape and {*allowed_call.places} == call.arguments.keys()
        ]
        values = _compute_arguments(exercise, sandbox, call) if matches else []
    except RefusedError as error:
        return str(error)
    refusal, same = break_sentences.NO_CALL, ""
    judged: list[CallTest | OutputTest] = []
    for match in matches:
        try:
            rules = _Rules(match, call)
            arguments = rules.convert(values)
            if match.test in judged:  # an equal test has already judged the call
                continue
            answer = _judge(exercise, program, sandbox, rules, arguments)
        except RefusedError as error:
            refusal = str(error)
            continue
        if not isinstance(answer, str):
            return answer
        same = answer
        judged.append(match.test)
    return same or refusal


def find_undecided_reason(expected: Any, has_ties: Callable[[], bool]) -> str:
    """Return the sentence about why a right result cannot prove another one wrong, or ""."""
    arrays = [np.asarray(part) for _, part in parts(expected)]
    if arrays and not any(array.size for array in arrays):
        return break_sentences.EMPTY
    if any(array.dtype.kind in "fc" and np.isnan(array).any() for array in arrays) or (
        isinstance(expected, str) and "nan" in expected.replace("[", " ").replace("]", " ").split()
    ):
        return break_sentences.NAN
    # Integers and booleans may be places, ranks or choices, which are ambiguous with equal numbers.
    is_choice = any(array.dtype.kind in "biu" for array in arrays)
    return break_sentences.TIES if is_choice and has_ties() else ""


def _compute_arguments(exercise: Exercise, sandbox: ChildFactory, call: WrittenCall) -> list[Any]:
    """Compute the values of the arguments in a new child, which has seen nothing else.

    Raises:
        RefusedError: The arguments cannot be computed, are not plain data, or are too large.
    """
    source = f"import numpy as np\n\n\ndef arguments():\n    return [{', '.join(call.texts)}]\n"
    try:
        with sandbox.child(find_limits(exercise)) as child:
            loaded = child.load(source, ["arguments"])
            assert isinstance(loaded, Returned)  # `read_call` has parsed the text
            requests = Requests(RunningProgram(child), exercise.where)
            values = list(requests.call("call", "arguments", [], {}))
    except NoValueError as error:
        match error.answer:
            case Raised(type=kind, bases=bases) if not _TOO_LARGE & {kind, *bases}:
                message = f"The arguments cannot be computed ({kind})"
                raise RefusedError(break_sentences.unreadable_call_sentence(message)) from None
            case Unsupported(is_too_large=False):
                raise RefusedError(
                    break_sentences.unreadable_call_sentence("This is no plain data")
                ) from None
        raise RefusedError(break_sentences.TOO_LARGE) from None
    except ChildGoneError:
        raise RefusedError(break_sentences.TOO_LARGE) from None
    if count_numbers(values) > _MAX_NUMBERS:
        raise RefusedError(break_sentences.TOO_LARGE)
    return values


class _Rules:
    """The rules for the arguments of a call, derived from ordinary arguments."""

    def __init__(self, allowed: AllowedCall, call: WrittenCall) -> None:
        self.allowed, self.call = allowed, call
        order = [allowed.places.index(place) for place in call.arguments]
        self._draws = [tuple(draw[place] for place in order) for draw in allowed.ordinary]
        self.ordinary = OrdinaryInputs(self._draws, lists_alike=True)
        self._forms: dict[ValuePath, set[str]] = {}
        for path, part in (node for draw in self._draws for node in walk(draw, lists_alike=True)):
            self._forms.setdefault(path, set()).add(_describe_form(part))

    def convert(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Return the arguments, with integers converted to floats where the task has floats.

        Raises:
            RefusedError: The task does not allow them.
        """
        converted: tuple[Any, ...] = self._convert(tuple(values), ())
        for path, part in walk(converted, lists_alike=True):
            text = self.call.texts[path[0]] if path else ""
            if _describe_form(part) not in (usual := self._forms.get(path, {_describe_form(part)})):
                raise RefusedError(break_sentences.wrong_form_sentence(text, usual))
            lacking = frozenset[str]()
            if isinstance(part, NUMERIC):
                lacking = self.ordinary.lacking(part, path) - {ALL_DIFFERENT}
            if lacking:
                is_empty = np.size(part) == 0
                raise RefusedError(
                    break_sentences.lacking_property_sentence(text, lacking, is_empty=is_empty)
                )
        in_draws, lengths = [*map(_find_lengths, self._draws)], _find_lengths(converted)
        for axis, other_axis in combinations(sorted(set(lengths).intersection(*in_draws)), 2):
            varies = len({draw[axis] for draw in in_draws}) > 1
            is_shared = all(draw[axis] == draw[other_axis] for draw in in_draws)
            if varies and is_shared and lengths[axis] != lengths[other_axis]:
                raise RefusedError(break_sentences.LENGTHS)
        return converted

    def _convert(self, value: Any, path: ValuePath) -> Any:
        if isinstance(value, (list, tuple)):
            steps = ["*"] * len(value) if isinstance(value, list) else range(len(value))
            items = zip(value, steps, strict=True)
            return type(value)(self._convert(item, (*path, step)) for item, step in items)
        if "of kind f" not in self.ordinary.properties_at(path):
            return value
        if isinstance(value, np.ndarray) and (value.dtype.kind in "iu" or not value.size):
            return value.astype(np.float64)
        return float(value) if type(value) is int else value


def _describe_form(value: Any) -> str:
    """Return a phrase for the type of a value, with the number of axes of an array."""
    kind = type(value.item()) if isinstance(value, np.generic) else type(value)
    if kind is np.ndarray:
        return f"an array with {plural(value.ndim, 'axis', 'axes')}"
    return _WORDS.get(kind.__name__, f"a {kind.__name__}")


def _find_lengths(values: tuple[Any, ...]) -> dict[tuple[int, int], int]:
    """Return the lengths of the arguments by place and axis."""
    return {(path[0], axis): length for path, axis, length in axes_in(values) if len(path) == 1}


def _judge(
    exercise: Exercise,
    program: str,
    sandbox: ChildFactory,
    rules: _Rules,
    values: Sequence[Any],
) -> SmallExample | str:
    """Return the example, or the sentence about why the program's result is not wrong.

    Raises:
        RefusedError: The right result is undecided, or right programs disagree or fail.
    """
    code = rules.call.code
    arguments = {f"argument_{number}": value for number, value in enumerate(values)}
    test = replace(rules.allowed.test, given=Literals(arguments)).with_code(code)
    exercise = replace(exercise, tests=(test,))
    oracle = Oracle(exercise, sandbox)
    try:
        expected = oracle.test_values(test).draws[0].expected
    except DefinitionError as error:
        is_over = isinstance(error.__cause__, ChildGoneError)
        raise RefusedError(
            break_sentences.TOO_LONG if is_over else break_sentences.RAISES
        ) from None
    if sentence := find_undecided_reason(expected, lambda: rules.ordinary.has_ties(tuple(values))):
        raise RefusedError(sentence)

    def grade_program(code: str) -> TestResult:
        submission = Submission.from_program(exercise, code)
        return grade_example(oracle, submission, find_limits(exercise))

    right = [program.code for program in exercise.also_right]
    right += [] if test.needs_solution else [exercise.solution]
    if any(grade_program(code).outcome is not Outcome.PASSED for code in right):
        raise RefusedError(break_sentences.DISAGREE)
    result = grade_program(program)
    if result.outcome is Outcome.PASSED:
        return break_sentences.same_result_sentence(summarize(expected).text)
    if result.outcome not in (Outcome.FAILED, Outcome.ERRORED):
        return break_sentences.ENDLESS
    message = break_sentences.wrong_program_sentence(result.message)
    return SmallExample(rules.call.text, replace(result, message=message))
