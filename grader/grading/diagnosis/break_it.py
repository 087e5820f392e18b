"""The calls that may show that a program is wrong, and a search for a small one."""

import ast
import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from grader.definitions.exercise import CallTest, FromSolution, TestId
from grader.errors import DefinitionError
from grader.grading.diagnosis.allowed_calls import AllowedCall, judge_call
from grader.grading.diagnosis.hidden_constants import PublicValues
from grader.grading.diagnosis.input_search import Clock, InputSearch, small_draws
from grader.grading.diagnosis.input_values import (
    Inputs,
    NotWritableError,
    axes_in,
    count_numbers,
    part_at,
    parts,
    python_text,
    with_part_at,
)
from grader.grading.diagnosis.probe_call import (
    PlainCall,
    ProbeCall,
    draw_ordinary_inputs,
    make_probe_calls,
)
from grader.grading.diagnosis.written_call import RefusedError, written_call
from grader.grading.expected.oracle import Oracle
from grader.grading.expected.solution_values import loaded_solution
from grader.grading.feedback import break_sentences
from grader.grading.program.author_code import evaluate
from grader.grading.program.loaded_program import load
from grader.grading.results.jobs import find_limits
from grader.grading.results.verdict import Outcome, SmallExample, Verdict
from grader.grading.run.submission_run import RunProblem, make_verdict
from grader.grading.submissions.submission import Submission
from grader.sandbox.answers import ChildGoneError
from grader.sandbox.interface import ChildFactory

_ID: Final = TestId("example")  # an id that does not reveal the hidden test
_MAX_NUMBERS: Final = 500
"""The size of a draw up to which its arguments serve as ordinary ones."""

_CPU_SECONDS, _MAX_WRITTEN = 1.5, 500  # CPU time and numbers of a call, for the search in one test
_CUTS: Final = (slice(1), slice(2), slice(-1), slice(1, None))  # parts of an axis to try
_SIZES: Final = 4 * (1, 2, 2, 3, 3, 4, 5)  # sizes of the draws
_ROUNDS: Final = 3  # rounds of cutting axes, then simplifying numbers: each may enable the other
_SCALES: Final = (1e3, 1e-6, 1e-200, 0.0)  # factors for floats, to provoke overflow and underflow


def break_program(
    oracle: Oracle, submission: Submission, sandbox: ChildFactory, text: str
) -> Verdict:
    """Return the verdict on a job's `breaking_call`, with an example or a message.

    Args:
        text: The learner's call, or an empty string to search for a small one.
    """
    text = text.strip() or small_witness(oracle, submission, sandbox)
    judgement: SmallExample | str = break_sentences.NO_WITNESS
    if text:
        calls = allowed_calls(oracle)
        judgement = judge_call(oracle.exercise, calls, submission.source, sandbox, text)
    example = None if isinstance(judgement, str) else judgement
    message = judgement if isinstance(judgement, str) else judgement.result.message
    verdict = make_verdict(
        oracle.exercise,
        submission,
        {},
        sandbox="",
        problem=RunProblem(Outcome.FAILED, message),
    )
    return replace(verdict, example=example)


def allowed_calls(oracle: Oracle) -> list[AllowedCall]:
    """Return the plain calls whose results tests compare.

    Tests with the same call and comparison are merged: the task allows the arguments of all.
    """
    calls: list[AllowedCall] = []
    for _, call in _allowed_calls(oracle):
        alike = [each for each in calls if replace(each, ordinary=call.ordinary) == call]
        for each in alike:
            calls.remove(each)
            call = replace(call, ordinary=each.ordinary + call.ordinary)  # noqa: PLW2901
        calls.append(call)
    return calls


def _allowed_calls(oracle: Oracle) -> Iterator[tuple[ProbeCall, AllowedCall]]:
    for probe in (
        each for test in oracle.exercise.tests for each in make_probe_calls(oracle, test, None)
    ):
        test = replace(probe.expected_test, id=_ID, tolerance=probe.failing_test.tolerance)
        # For the same result as in a page, which lacks the reference.
        if isinstance(test, CallTest):
            test = replace(test, expect=FromSolution())
        if not probe.call.is_plain or oracle.exercise.hidden_data:
            continue
        plain = replace(probe.call, code=probe.call.code.removesuffix(".dtype.name"))
        if plain != probe.call and isinstance(test, CallTest):  # the test compares the dtype
            test = replace(test, call=plain.code, dtype="exact")
        with contextlib.suppress(RefusedError, NotWritableError, DefinitionError):
            call = written_call(oracle.exercise, plain.code)
            places = tuple(sorted(call.arguments))
            ordinary = tuple(
                tuple(evaluate(ast.unparse(call.arguments[place]), drawn) for place in places)
                for drawn in draw_ordinary_inputs(oracle, probe)[::2]
                if count_numbers(drawn) <= _MAX_NUMBERS
            )
            python_text([*map(list, ordinary)])  # raises if the arguments cannot be written
            if ordinary:
                bare = replace(test, where=oracle.exercise.where)
                if isinstance(bare, CallTest):
                    bare = replace(bare, call="")
                else:
                    bare = replace(bare, run="")
                allowed = AllowedCall(call.shape, places, bare, ordinary)
                yield replace(probe, expected_test=test, call=plain), allowed


def _scaled_draws(oracle: Oracle, probe: ProbeCall) -> Iterator[Inputs]:
    """Yield drawn inputs, then the same inputs with scaled floats."""
    drawn = [*small_draws(oracle, probe, _SIZES)]
    yield from drawn
    for scale in _SCALES:
        for inputs in drawn:
            for path, part in parts(inputs):
                if np.asarray(part).dtype.kind == "f":
                    with np.errstate(all="ignore"):  # scaling may overflow or underflow
                        inputs = with_part_at(inputs, path, part * scale)  # noqa: PLW2901
            yield inputs


def _shorten(search: InputSearch, inputs: Inputs, kind: str) -> Inputs:
    """Return inputs with shorter axes and simpler numbers that still show the difference."""
    for _ in range(_ROUNDS):
        while cut := next((x for x in _cut_inputs(inputs) if search.shows(x, kind)), None):
            inputs = cut
        inputs = search.simplify(inputs, kind)
    return inputs


def _cut_inputs(inputs: Inputs) -> Iterator[Inputs]:
    """Yield inputs with axes cut by `_CUTS`: first all axes of one length, then single axes."""
    axes = list(axes_in(inputs))
    lengths = sorted({length for *_, length in axes}, reverse=True)
    groups = [[axis for axis in axes if axis[2] == length] for length in lengths]
    for cut, group in itertools.product(_CUTS, [*groups, *([axis] for axis in axes)]):
        places = range(group[0][2])[cut]
        if 0 < len(places) < group[0][2]:
            shorter = inputs
            for path, axis, _ in reversed(group):  # inner values before the lists around them
                part = part_at(shorter, path)
                rest = part.take(places, axis) if isinstance(part, np.ndarray) else part[cut]
                shorter = with_part_at(shorter, path, rest)
            yield shorter


def small_witness(oracle: Oracle, submission: Submission, sandbox: ChildFactory) -> str:
    """Search for a small call that shows that a program is wrong; return it, or ""."""
    exercise = replace(oracle.exercise, forbid=None)
    calls = allowed_calls(oracle)
    witnesses: list[tuple[int, str]] = []

    with (
        contextlib.suppress(ChildGoneError, DefinitionError),
        loaded_solution(exercise, sandbox) as solution,
        sandbox.child(find_limits(exercise)) as child,
    ):
        program = load(child, submission, exercise).program
        assert program is not None  # `etude verify` has proven that it loads
        public = PublicValues(oracle)
        for probe, _ in _allowed_calls(oracle):

            def counts(inputs: Inputs, call: PlainCall = probe.call) -> bool:
                with contextlib.suppress(NotWritableError):
                    text = call.in_line(inputs)
                    judgement = judge_call(exercise, calls, submission.source, sandbox, text)
                    return not isinstance(judgement, str)
                return False

            search = InputSearch(
                oracle,
                probe,
                solution,
                program,
                Clock(_CPU_SECONDS),
                public,
                accepts=counts,
                max_numbers=_MAX_WRITTEN,
            )
            if (first := search.find_first(_scaled_draws(oracle, probe))) is not None:
                inputs = _shorten(search, *first)
                witnesses.append((count_numbers(inputs), probe.call.in_line(inputs)))
    return min(witnesses, default=(0, ""))[1]
