"""The search for a submission's first expression whose value occurs in no right program.

It uses three children: one marks both programs (`marking`), one runs the solution, and one runs the
submission with some of its values replaced by the solution's (`expression_search`). So right values
enter the learner's process. Therefore this child is used for nothing else, its draws occur in no
test, and its answer is reduced to the number of an expression and one of three kinds of sentence.
"""

import ast
import contextlib
import inspect
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any, Final

from grader.definitions.exercise import Exercise, Seeded, TestCase, TestId
from grader.grading.diagnosis.in_child import expression_search, marking
from grader.grading.diagnosis.probe_call import find_plain_calls
from grader.grading.diagnosis.source_facts import unpack_answer
from grader.grading.expected.inputs import draw_of_sizes
from grader.grading.expected.oracle import Oracle
from grader.grading.feedback import diagnosis_sentences
from grader.grading.jobs import find_limits
from grader.grading.program.author_code import names_in
from grader.grading.results.verdict import Diagnosis, Outcome, TestResult
from grader.grading.submissions.program_text import ProgramText
from grader.sandbox.answers import ChildGoneError, Returned
from grader.sandbox.in_child.wire import UnsupportedValueError
from grader.sandbox.interface import Child
from grader.sandbox.printable import printable

WALL_SECONDS: Final = 2.0  # wall-clock limit of each child, in seconds

_SIZES: Final = (3, 4, 5, 6, 7, 3, 4)  # sizes of the draws
_FIRST_DRAW: Final = 1 << 11  # draw numbers from here on are used only by this search
_MAX_CALLS: Final = 2  # different calls that are searched


class _NoAnswerError(Exception):
    """A program raised an error."""


@dataclass(frozen=True, slots=True)
class Place:
    """The first wrong expression of a submission."""

    kind: str  # see `diagnosis_sentences.PLACES`
    code: str
    line: int


def find_first_wrong_expression(
    oracle: Oracle, text: ProgramText, results: Mapping[TestId, TestResult]
) -> Diagnosis | None:
    """Return a diagnosis for a submission's first wrong expression, or None."""
    place = find_place(oracle, text.source, results)
    if place is None:
        return None
    line = text.name_line(place.line)
    sentence = diagnosis_sentences.first_expression_sentence(place.kind, place.code, line)
    failing = tuple(test.id for test in _find_failing(oracle.exercise, results))
    return Diagnosis("expression", place.kind, sentence, None, failing)


def find_place(oracle: Oracle, source: str, results: Mapping[TestId, TestResult]) -> Place | None:
    """Return the place of the first wrong expression, or None if it is not found in time."""
    exercise = oracle.exercise
    # In an exercise of kind "fix" the place is the answer. An error needs another change.
    errs = any(result.outcome is Outcome.ERRORED for result in results.values())
    if exercise.kind != "write" or not exercise.solution or errs:
        return None
    call_draws = list(_draw_calls(oracle, _find_failing(exercise, results)))
    if not call_draws:
        return None
    try:
        with _open_child(oracle, marking) as child:
            marked = child.call("mark", [source, exercise.starter], {})
            program, nodes = unpack_answer(marked)
            solution, _ = unpack_answer(child.call("mark", [exercise.solution, ""], {}))
        with _open_child(oracle, expression_search) as child:
            traces = [_read_value(child, "trace", solution, calls) for calls in call_draws]
        with _open_child(oracle, expression_search) as child:  # runs the learner's code
            answer = _read_value(child, "locate", program, nodes, call_draws, traces)
        match answer:
            case [str(kind), int(number)] if (
                kind in diagnosis_sentences.PLACES
                and type(number) is int
                and 0 <= number < len(nodes)
            ):
                node = nodes[number]
                return Place(kind, printable(node["text"]), node["line"])
    except (ChildGoneError, _NoAnswerError, UnsupportedValueError):
        # The time is over, a program raised, or an input cannot be sent, such as an open file.
        return None
    return None


def _find_failing(exercise: Exercise, results: Mapping[TestId, TestResult]) -> list[TestCase]:
    """Return the failing tests that may be disclosed."""
    disclosed = [test for test in exercise.tests if not test.hidden or test.disclose != "nothing"]
    return [t for t in disclosed if t.id in results and results[t.id].outcome is Outcome.FAILED]


def _draw_calls(oracle: Oracle, failing: Sequence[TestCase]) -> Iterator[list[list[Any]]]:
    """Yield the draws of plain calls in failing tests, with new inputs of different sizes.

    Calls with constants are excluded, since a constant may be a secret of a hidden test. So are
    tests that do not compare the whole value, since they may accept several results.
    """
    exercise, tests = oracle.exercise, dict[str, list[TestCase]]()
    for test in failing:
        if test.compared == "value" and not (test.tolerance or test.accept):
            tree = ast.parse(test.code.strip())
            plain = find_plain_calls(exercise, test, oracle.draws(test)[0].inputs)
            if (
                isinstance(test.given, Seeded)
                and [call.code for call in plain] == [ast.unparse(tree)]
                and not any(isinstance(node, ast.Constant) for node in ast.walk(tree))
            ):
                tests.setdefault(plain[0].code, []).append(test)
    for code, call_tests in list(tests.items())[:_MAX_CALLS]:
        draws = []
        for size, test in zip(_SIZES, itertools.cycle(call_tests), strict=False):
            inputs = draw_of_sizes(exercise, test, _FIRST_DRAW + size, (), size)
            used = names_in(code) & inputs.keys()
            draws.append([code, {name: inputs[name] for name in used}])
        yield draws


@contextlib.contextmanager
def _open_child(oracle: Oracle, module: ModuleType) -> Iterator[Child]:
    limits = replace(find_limits(oracle.exercise), cpu_seconds=1, wall_seconds=WALL_SECONDS)
    with oracle.sandbox.child(limits) as child:
        child.start()
        child.load(inspect.getsource(module), [])
        yield child


def _read_value(child: Child, name: str, *args: object) -> Any:
    answer = child.call(name, list(args), {})
    if isinstance(answer, Returned):
        return answer.value
    raise _NoAnswerError
