"""The verdict on a learner's call that shall break a wrong program, and a search for such calls.

A call counts if the task allows it and the program's result differs from what right programs give.
What the task allows is decided as for a small example: the call is a plain one whose result some
test compares by itself, its arguments keep what holds for ordinary draws, and the solution, the
reference and the programs of `also_right` agree on it.
"""

import ast
import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np

from grader.definitions.exercise import CallTest, Exercise, FromExpression, FromSolution, TestId
from grader.errors import DefinitionError
from grader.grading.diagnosis.hidden_constants import usual_of
from grader.grading.diagnosis.plain_call import NotWritableError, PlainCall, python_of
from grader.grading.diagnosis.simpler_inputs import ALL_DIFFERENT, count_numbers, parts, properties
from grader.grading.diagnosis.small_example import (
    WALL_SECONDS,
    Clock,
    Inputs,
    NotSettledError,
    Question,
    Search,
    limits_of_example,
    questions,
    shown,
)
from grader.grading.diagnosis.written_call import (
    UnreadableError,
    WrittenCall,
    read_call,
    written_call,
)
from grader.grading.expected.oracle import Oracle
from grader.grading.expected.solution_values import loaded_solution
from grader.grading.feedback import break_sentences
from grader.grading.feedback.summarize_values import summarize
from grader.grading.program.author_code import evaluate
from grader.grading.program.loaded_program import LoadedProgram, load
from grader.grading.program.proxies import NoValueError, Proxies
from grader.grading.results.submission import Submission
from grader.grading.results.verdict import Outcome, SmallExample, Verdict
from grader.grading.run.submission_run import verdict_of
from grader.sandbox.answers import ChildGoneError, Returned
from grader.sandbox.interface import Children
from grader.sandbox.limits import Limits

MOST_WITNESS_NUMBERS: Final = 6
"""The most numbers of a call that a search looks for."""

_MOST_NUMBERS: Final = 1000
_FORMS: Final = {
    "NoneType": "None",
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "True or False",
}


def broken(oracle: Oracle, submission: Submission, sandbox: Children, text: str) -> Verdict:
    """Return the verdict of `Probe.breaks`: with an example, or with the reason why there is none.

    Args:
        text: The learner's call; empty for the smallest one that a search finds.
    """
    text = text.strip() or small_witness(oracle, submission, sandbox)
    result = judge_call(oracle, submission, sandbox, text) if text else break_sentences.NO_WITNESS
    example = None if isinstance(result, str) else result
    verdict = verdict_of(
        oracle.exercise,
        submission,
        {},
        sandbox="",
        outcome=Outcome.FAILED,
        problem=result if isinstance(result, str) else result.result.message,
    )
    return replace(verdict, example=example)


def small_witness(oracle: Oracle, submission: Submission, sandbox: Children) -> str:
    """Return a call of few numbers that breaks a program, if a search finds one; or ""."""
    witnesses: list[tuple[int, str]] = []
    with (
        contextlib.suppress(ChildGoneError, DefinitionError, NotSettledError),
        _search(oracle, submission, sandbox) as search,
    ):
        for question, _ in _comparable_questions(oracle):
            if (first := search.first(question)) is None:
                continue
            inputs = search.simpler(question, *first)
            with contextlib.suppress(NotWritableError):
                text = question.call.in_line(inputs)
                if not isinstance(judge_call(oracle, submission, sandbox, text), str):
                    witnesses.append((count_numbers(inputs), text))
    return min(witnesses, default=(0, ""))[1]


def judge_call(
    oracle: Oracle, submission: Submission, sandbox: Children, text: str
) -> SmallExample | str:
    """Return the example that a call is, or the sentence that says why it does not count."""
    exercise = oracle.exercise
    try:
        call = read_call(exercise, text)
        matches = [
            (question, template)
            for question, template in _comparable_questions(oracle)
            if template.shape == call.shape and template.arguments.keys() == call.arguments.keys()
        ]
        if not matches:
            return break_sentences.NO_CALL
        values = _argument_values(exercise, sandbox, call)
        with _search(oracle, submission, sandbox) as search:
            refusal = break_sentences.NO_DATA
            for number, (question, template) in enumerate(matches):
                try:
                    own, inputs = _as_question(search, number, question, template, call, values)
                except NotSettledError as error:
                    refusal = str(error)
                    continue
                return _judge(oracle, submission, sandbox, search, own, inputs)
            return refusal
    except (UnreadableError, NotSettledError) as error:
        return str(error)


@contextlib.contextmanager
def _search(oracle: Oracle, submission: Submission, sandbox: Children) -> Iterator[Search]:
    """Yield a search with the program and all right programs, each loaded in its own child."""
    exercise = replace(oracle.exercise, forbid=None)
    limits = _limits(exercise)
    with contextlib.ExitStack() as stack:
        solution = stack.enter_context(loaded_solution(oracle.exercise, sandbox))

        def loaded(program: Submission) -> LoadedProgram:
            loaded_program = load(
                stack.enter_context(sandbox.child(limits)), program, exercise
            ).program
            if loaded_program is None:
                raise NotSettledError(break_sentences.RAISES)
            return loaded_program

        search = Search(oracle, sandbox, solution, loaded(submission), Clock())
        path = Path(exercise.path_name)
        search.also_right = [
            loaded(Submission.from_bytes(path, each.code.encode())) for each in exercise.also_right
        ]
        yield search


def _comparable_questions(oracle: Oracle) -> Iterator[tuple[Question, WrittenCall]]:
    """Yield the plain calls of all tests, each compared as its test compares."""
    for test in oracle.exercise.tests:
        for question in questions(oracle, test, None):
            if not question.call.is_plain:
                continue
            own = replace(question.test, tolerance=question.of.tolerance)
            if isinstance(own, CallTest) and isinstance(own.expect, FromExpression):
                own = replace(own, expect=FromSolution())  # it is about the test's own inputs
            with contextlib.suppress(UnreadableError):
                tree = ast.parse(question.call.code, mode="eval").body
                yield replace(question, test=own), written_call(oracle.exercise, tree)


def _argument_values(exercise: Exercise, sandbox: Children, call: WrittenCall) -> list[Any]:
    """Return the values of the arguments, computed in a child that has seen nothing else.

    Raises:
        NotSettledError: they have none.
    """
    texts = ", ".join(map(ast.unparse, call.arguments.values()))
    source = f"import numpy as np\n\n\ndef arguments():\n    return [{texts}]\n"
    try:
        with sandbox.child(_limits(exercise)) as child:
            if not isinstance(child.load(source, ["arguments"]), Returned):
                raise NotSettledError(break_sentences.unreadable("This call cannot be read"))
            values = list(Proxies(child, exercise.where).function("arguments")())
    except NoValueError as error:
        kind = getattr(error.answer, "type", "an object")
        message = f"The arguments cannot be computed ({kind})"
        raise NotSettledError(break_sentences.unreadable(message)) from None
    except ChildGoneError:
        raise NotSettledError(break_sentences.TOO_LONG) from None
    if count_numbers(values) > _MOST_NUMBERS:
        raise NotSettledError(break_sentences.TOO_LONG)
    return values


def _as_question(
    search: Search,
    number: int,
    question: Question,
    template: WrittenCall,
    call: WrittenCall,
    values: Sequence[Any],
) -> tuple[Question, Inputs]:
    """Return the learner's call as a question of its own, with its arguments as inputs.

    Raises:
        NotSettledError: the arguments are not what this question is usually asked with.
    """
    names = [f"argument_{place}" for place in range(len(values))]
    ordinary: list[Mapping[str, Any]] = []
    for draw in search.ordinary(question):
        with contextlib.suppress(Exception):  # of the author's code
            ordinary.append(
                {
                    name: evaluate(ast.unparse(template.arguments[place]), draw)
                    for name, place in zip(names, call.arguments, strict=True)
                }
            )
    with contextlib.suppress(NotWritableError):
        for each in ordinary:
            list(map(python_of, each.values()))
        if ordinary:
            inputs = {
                name: _as_ordinary(value, [each[name] for each in ordinary])
                for name, value in zip(names, values, strict=True)
            }
            _check_form(inputs, ordinary, call)
            plain = PlainCall(call.code, frozenset(names))
            of = replace(question.of, id=TestId(f"{question.of.id} {number}"))
            test = (
                replace(question.test, call=call.code)
                if isinstance(question.test, CallTest)
                else replace(question.test, run=call.code)
            )
            own = replace(question, of=of, call=plain, test=test)
            search.known_usual[of.id, plain.names] = usual = usual_of(ordinary, search.secrets)
            texts = dict(zip(names, map(ast.unparse, call.arguments.values()), strict=True))
            for path, part in parts(inputs):
                held = usual.properties.get(path, frozenset()) - {ALL_DIFFERENT}
                if lacking := held - properties(part):
                    sentence = break_sentences.property_lacks(
                        texts[path[0]], lacking, is_empty=np.size(part) == 0
                    )
                    raise NotSettledError(sentence)
            return own, inputs
    raise NotSettledError(break_sentences.NO_DATA)


def _as_ordinary(value: Any, ordinary: Sequence[Any]) -> Any:
    """Return a value with floats for whole numbers where all ordinary values have floats."""
    kinds = {type(each) for each in ordinary}
    if kinds == {np.ndarray} and isinstance(value, np.ndarray):
        dtypes = {each.dtype for each in ordinary}
        is_whole = value.dtype.kind in "iu" or value.size == 0
        if is_whole and all(dtype.kind == "f" for dtype in dtypes):
            return value.astype(ordinary[0].dtype)
    if type(value) is int and kinds <= {float, np.float64, np.float32}:
        return float(value)
    if isinstance(value, (list, tuple)) and kinds <= {list, tuple}:
        items = [item for each in ordinary for item in each]
        return type(value)([_as_ordinary(item, items) for item in value]) if items else value
    return value


def _check_form(inputs: Inputs, ordinary: Sequence[Mapping[str, Any]], call: WrittenCall) -> None:
    """Check the types, the numbers of axes, and which lengths are equal.

    Raises:
        NotSettledError: they are not as in ordinary calls.
    """
    for (name, value), text in zip(inputs.items(), call.arguments.values(), strict=True):
        usual: dict[str, set[str]] = {}
        for each in ordinary:
            for path, form in _forms(each[name]):
                usual.setdefault(path, set()).add(form)
        for path, form in _forms(value):
            if form not in usual.get(path, {form}):
                raise NotSettledError(break_sentences.form_lacks(ast.unparse(text), usual[path]))
    lengths = [_lengths(each) for each in ordinary]
    own = _lengths(inputs)
    for one, other in combinations(sorted(set(own).intersection(*lengths)), 2):
        equal = all(each[one] == each[other] for each in lengths)
        if equal and len({each[one] for each in lengths}) > 1 and own[one] != own[other]:
            raise NotSettledError(break_sentences.LENGTHS)


def _forms(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the type of a value and of what is in it, in words; of arrays with the axes."""
    kind = type(value.item()) if isinstance(value, np.generic) else type(value)
    if kind is np.ndarray:
        axes = f"{value.ndim} {'axis' if value.ndim == 1 else 'axes'}"
        yield path, f"an array with {axes}"
        return
    yield path, _FORMS.get(kind.__name__, f"a {kind.__name__}")
    if isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _forms(item, f"{path}*")


def _lengths(inputs: Inputs) -> dict[tuple[str, int], int]:
    """Return the lengths of arguments by name and axis."""
    return {
        (name, axis): length
        for name, value in inputs.items()
        if isinstance(value, (np.ndarray, list, tuple))
        for axis, length in enumerate(
            value.shape if isinstance(value, np.ndarray) else (len(value),)
        )
    }


def _judge(
    oracle: Oracle,
    submission: Submission,
    sandbox: Children,
    search: Search,
    question: Question,
    inputs: Inputs,
) -> SmallExample | str:
    """Return the example, or the sentence on right programs that disagree or a right result."""
    try:
        test = search.settled(question, inputs)
        search.check_agreement(test)
    except ChildGoneError:
        return break_sentences.TOO_LONG
    try:
        if not search.difference(test):
            return break_sentences.same_result(summarize(search.expected(test)).text)
    except ChildGoneError:
        return break_sentences.ENDLESS
    limits = _limits(oracle.exercise)
    example = shown(oracle, submission, sandbox, question, inputs, limits)
    if example is None:
        return break_sentences.ENDLESS
    message = break_sentences.of_wrong_program(example.result.message)
    return replace(example, result=replace(example.result, message=message))


def _limits(exercise: Exercise) -> Limits:
    return replace(limits_of_example(exercise), wall_seconds=5 * WALL_SECONDS)
