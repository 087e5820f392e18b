"""The calls that may show that a program is wrong: a learner's, or calls with drawn inputs."""

import ast
import contextlib
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from grader.definitions.exercise import CallTest, FromSolution
from grader.errors import DefinitionError
from grader.grading.diagnosis.call_judgement import AllowedCall, judge_call
from grader.grading.diagnosis.input_search import draw_small_inputs
from grader.grading.diagnosis.input_values import NotWritableError, count_numbers, python_text
from grader.grading.diagnosis.probe_call import (
    EXAMPLE_ID,
    ProbeCall,
    draw_ordinary_inputs,
    make_probe_calls,
)
from grader.grading.diagnosis.written_call import MAX_CHARACTERS, RefusedError, parse_call
from grader.grading.expected.oracle import Oracle
from grader.grading.feedback import break_sentences
from grader.grading.program.author_code import evaluate
from grader.grading.program.screening import RunProblem
from grader.grading.results.verdict import Outcome, SmallExample, Verdict
from grader.grading.run.submission_run import make_verdict
from grader.grading.submissions.submission import Submission

_MAX_NUMBERS: Final = 500  # numbers of a draw up to which its arguments serve as ordinary ones
_MAX_DRAWN_CALLS: Final = 24  # calls that are tried for a program


def judge_breaking_call(oracle: Oracle, submission: Submission, text: str) -> Verdict:
    """Return the verdict on the call of a `BreakingJob`, with an example or a message.

    Args:
        text: The learner's call, or an empty string to try calls with drawn inputs.
    """
    calls = list_allowed_calls(oracle)
    judge = partial(judge_call, oracle.exercise, calls, submission.source, oracle.sandbox)
    if text.strip():
        answer = judge(text)
    else:
        answers = map(judge, _draw_calls(oracle))
        examples = (answer for answer in answers if isinstance(answer, SmallExample))
        answer = next(examples, break_sentences.NO_WITNESS)
    example = None if isinstance(answer, str) else answer
    message = answer if isinstance(answer, str) else answer.result.message
    verdict = make_verdict(
        oracle.exercise,
        submission,
        {},
        sandbox="",
        problem=RunProblem(Outcome.FAILED, lambda: message),
    )
    return replace(verdict, example=example)


def list_allowed_calls(oracle: Oracle) -> list[AllowedCall]:
    """Return the plain calls whose results tests compare.

    Tests with the same call and comparison are merged: the task allows the arguments of all.
    """
    calls: list[AllowedCall] = []
    for _, call in _list_probed_calls(oracle):
        same_calls = [known for known in calls if replace(known, ordinary=call.ordinary) == call]
        for known in same_calls:
            calls.remove(known)
            call = replace(call, ordinary=known.ordinary + call.ordinary)  # noqa: PLW2901  one call from all the same
        calls.append(call)
    return calls


def _list_probed_calls(oracle: Oracle) -> Iterator[tuple[ProbeCall, AllowedCall]]:
    if oracle.exercise.hidden_data:
        return
    for probe in (
        probe for test in oracle.exercise.tests for probe in make_probe_calls(oracle, test, None)
    ):
        if not probe.call.is_plain:
            continue
        test = replace(probe.expected_test, id=EXAMPLE_ID, tolerance=probe.failing_test.tolerance)
        # For the same result as in a page, which lacks the reference.
        test = test.with_expected_from(FromSolution())
        plain = replace(probe.call, code=probe.call.code.removesuffix(".dtype.name"))
        if plain != probe.call and isinstance(test, CallTest):  # the test compares the dtype
            test = replace(test, call=plain.code, dtype="exact")
        with contextlib.suppress(RefusedError, NotWritableError, DefinitionError):
            call = parse_call(oracle.exercise, plain.code)
            places = tuple(sorted(call.arguments))
            ordinary = tuple(
                tuple(evaluate(ast.unparse(call.arguments[place]), drawn) for place in places)
                for drawn in draw_ordinary_inputs(oracle, probe)[::2]
                if count_numbers(drawn) <= _MAX_NUMBERS
            )
            python_text([*map(list, ordinary)])  # raises if the arguments cannot be written
            if ordinary:
                # Without its place and code the test equals those that compare alike.
                test = replace(test, where=oracle.exercise.where).with_code("")
                allowed = AllowedCall(call.shape, places, test, ordinary)
                yield replace(probe, call=plain), allowed


def _draw_calls(oracle: Oracle) -> list[str]:
    """Return calls with small inputs and with those of the tests, evenly from small to large."""
    calls: dict[str, int] = {}
    for probe, _ in _list_probed_calls(oracle):
        draws = [draw.inputs for draw in oracle.draws(probe.failing_test)]
        for inputs in (*draw_small_inputs(oracle, probe), *draws):
            with contextlib.suppress(NotWritableError):
                if len(call := probe.call.in_line(inputs)) <= MAX_CHARACTERS:
                    calls[call] = count_numbers(inputs)
    return sorted(calls, key=calls.__getitem__)[:: len(calls) // _MAX_DRAWN_CALLS + 1]
