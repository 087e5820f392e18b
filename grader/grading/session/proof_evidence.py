"""Evidence for a proof: resource usage, wrong literals, and results that change."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from grader.definitions.exercise import (
    Exercise,
    FromReference,
    LiteralValue,
    Seeded,
    TestCase,
    TestId,
    Tolerance,
)
from grader.definitions.wording import shorten
from grader.grading.checks import make_check
from grader.grading.comparison.compare import EXACT, compare
from grader.grading.diagnosis.input_values import parts
from grader.grading.expected.inputs import draw_inputs
from grader.grading.expected.oracle import Oracle
from grader.grading.feedback.outcome_sentences import error_text
from grader.grading.jobs import Job, JobOptions, PairedJob
from grader.grading.program.value_copies import NotCopyableError, copy_containers
from grader.grading.results.journal import BEGAN, Record
from grader.grading.results.raw_result import RawResult
from grader.grading.results.verdict import Evidence, Outcome, Verdict, WrongExpectedValue
from grader.grading.run.submission_run import SubmissionRun
from grader.sandbox.answers import Raised

_MAX_NUMBERS = 6  # numbers of an array that a message writes out
_MAX_VALUE_LENGTH = 80  # characters of a value in a message
_MIN_DECIMALS = 4  # minimum number of decimals with which a true value is shown
_MANY_DECIMALS = 12  # a literal with more decimals was not rounded by hand
_HALF = 0.5 * (1 + 1e-6)  # half a unit of the last digit, plus the error of its binary form
_ROUNDING = 1e-9  # relative tolerance for the last bits of literals with full precision
_TIMES_AGAIN = 3  # evaluations of the reference, since random values may agree by chance
_CHANCE_OUTCOMES = (
    Outcome.TIMED_OUT,
    Outcome.OUT_OF_MEMORY,
    Outcome.NOT_RUN,
)  # as on a busy machine


def collect_evidence(run: SubmissionRun) -> Evidence:
    """End a run; return its resource usage, wrong expected literals, and errors."""
    varied = []  # tests that expect an array of floats that differ by more than rounding
    for name, raw in run.observed.items():
        if isinstance(raw.expected, np.ndarray) and raw.expected.dtype.kind == "f":
            finite = raw.expected[np.isfinite(raw.expected)]
            if finite.size > 0 and float(np.ptp(finite)) > _ROUNDING:
                varied.append(name)
    wrong_values = []
    for test in run.exercise.tests:
        result = run.observed.get(test.id)
        message = ""
        if isinstance(test.expect, LiteralValue):
            message = _wrong_value(run.exercise, test, test.expect.value, result)
        elif (
            test.stdout is not None
            and result is not None
            and isinstance(result.got, str)
            and make_check(run.exercise, test).compare_values(test.stdout, result.got) is not None
        ):
            written, actual = (_value_text(" ".join(t.split())) for t in (test.stdout, result.got))
            message = f"the definition says {written}, the solution prints {actual}"
        if message:
            wrong_values.append(WrongExpectedValue(test.id, message))
    errors = {
        name: (raw.got.type, error_text(raw.got))
        for name, raw in run.observed.items()
        if isinstance(raw.got, Raised) and raw.got.frames
    }
    return Evidence(run.end(), tuple(wrong_values), tuple(varied), errors)


def _wrong_value(exercise: Exercise, test: TestCase, written: Any, raw: RawResult | None) -> str:
    """Return a message about the difference of a literal from the true value, or ""."""
    oracle = Oracle(exercise)
    if oracle.has_reference(test.code):
        variant = replace(test.with_expected_from(FromReference()), seeds=1)
        truth, source = oracle.draws(variant)[0].expected, "the reference gives"
    elif raw is not None and raw.got is not None and not isinstance(raw.got, Raised):
        truth, source = raw.got, "the solution gives"
    else:
        return ""
    is_off = make_check(exercise, test).compare_values(written, truth) is not None
    place = _place(written, truth, is_off=is_off)
    if place is not None:
        written_numbers, actual = _numbers(written), _numbers(truth)
        digits = _decimals(written_numbers)
        where = f"[{', '.join(map(str, place))}]: " if place else ""
        claim, true = (
            _digits(written_numbers[place], digits),
            _digits(actual[place], max(digits, _MIN_DECIMALS)),
        )
        return f"{where}the definition says {claim}, {source} {true}"
    if is_off:
        return f"the definition says {_value_text(written)}, {source} {_value_text(truth)}"
    return ""


def _place(written: Any, truth: Any, *, is_off: bool) -> tuple[int, ...] | None:
    """Return the index of the first wrong digit, or of the largest difference, or None.

    A digit counts as wrong if the difference exceeds half a unit of the last decimal written.
    """
    written_numbers, actual = _numbers(written), _numbers(truth)
    if (
        written_numbers is None
        or actual is None
        or written_numbers.shape != actual.shape
        or not written_numbers.size
    ):
        return None
    half = _HALF * 10.0 ** -_decimals(written_numbers)
    with np.errstate(all="ignore"):
        wrong = np.abs(written_numbers - actual) > np.maximum(half, _ROUNDING * np.abs(actual))
    same = (written_numbers == actual) | (np.isnan(written_numbers) & np.isnan(actual))
    off = (wrong | (np.isnan(written_numbers) != np.isnan(actual))) & ~same
    if off.any():
        return tuple(int(i) for i in np.argwhere(off)[0])
    with np.errstate(invalid="ignore"):  # because the difference of two infinities is NaN
        distance = np.nan_to_num(np.abs(written_numbers - actual))
    if not is_off or not distance.any():
        return None
    return tuple(int(i) for i in np.unravel_index(int(distance.argmax()), written_numbers.shape))


def _numbers(value: Any) -> Any:
    """Return a numeric value as an array of floats, or None for any other value."""
    try:
        array = np.asarray(value)
    except ValueError:
        return None
    return array.astype(float) if array.dtype.kind in "iuf" else None


def _decimals(numbers: Any) -> int:
    """Return the number of decimals of rounded numbers, at most `_MANY_DECIMALS`."""
    finite = numbers[np.isfinite(numbers)]
    return next(
        (n for n in range(_MANY_DECIMALS) if np.array_equal(np.round(finite, n), finite)),
        _MANY_DECIMALS,
    )


def _digits(number: float, decimals: int) -> str:
    if not math.isfinite(number):
        return repr(float(number))
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _value_text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        shape = "x".join(map(str, value.shape)) or "0-dimensional"
        if value.size > _MAX_NUMBERS:
            return f"an array of shape {value.shape}"
        return f"{np.array2string(value, precision=4, separator=', ')} ({shape} {value.dtype})"
    return shorten(repr(value), _MAX_VALUE_LENGTH)


def summarize_inputs(oracle: Oracle) -> dict[str, Any]:
    """Return facts about the range of all tests' inputs, as an object of JSON types.

    An author compares them with the promises of the task. `smallest` and `largest` are absolute
    values other than 0.
    """
    arrays = [
        _without_repetition(np.asarray(part))
        for test in oracle.exercise.tests
        for draw in oracle.draws(test)
        for _, part in parts(draw.inputs)
        if np.asarray(part).dtype.kind in "iufc"
    ]
    magnitudes = [np.abs(array[np.isfinite(array) & (array != 0)]) for array in arrays]
    magnitudes = [magnitude for magnitude in magnitudes if magnitude.size]
    return {
        "smallest": min((float(magnitude.min()) for magnitude in magnitudes), default=None),
        "largest": max((float(magnitude.max()) for magnitude in magnitudes), default=None),
        "dtypes": sorted({array.dtype.name for array in arrays}),
        "zero": any((array == 0).any() for array in arrays),
        "negative": any(array.dtype.kind != "c" and (array < 0).any() for array in arrays),
        "infinite": any(np.isinf(array).any() for array in arrays),
        "nan": any(np.isnan(array).any() for array in arrays),
        "empty": any(array.size == 0 for array in arrays),
        "axis of length 1": any(1 in array.shape for array in arrays),
    }


def grade_pair(
    pair: PairedJob, oracle: Oracle, grade: Callable[[Job, Record], Verdict], record: Record
) -> Verdict:
    """Grade a job before and after its wrong program; add what changed to its evidence."""

    def record_start(kind: str, content: object) -> None:
        # Each extra run gets its own time, but its results are not the job's.
        if kind == BEGAN:
            record(kind, content)

    job = Job(pair.exercise, pair.submission, pair.limits_override, pair.options)
    wrong_options = JobOptions(with_feedback=False, variant_of=job.options.variant_of)
    wrong_job = replace(job, submission=pair.wrong_program, options=wrong_options)
    # The wrong program, then the job's program, then both again: the results of each must not
    # depend on the other.
    wrong = grade(wrong_job, record_start)
    verdict = grade(job, record)
    if verdict.has_timed_out:  # a second run would take as long and show nothing new
        return verdict
    wrong_again = grade(wrong_job, record_start)
    again = grade(job, record_start)
    assert verdict.evidence is not None  # `with_evidence` is set in such options
    evidence = replace(
        verdict.evidence,
        changed_outcomes=_find_changed_outcomes(verdict, again),
        changed_wrong_outcomes=_find_changed_outcomes(wrong, wrong_again),
        changed_inputs=_find_changed_inputs(oracle),
        input_summary=summarize_inputs(oracle),
        changed_expected_values=_find_changed_values(oracle),
    )
    return replace(verdict, evidence=evidence)


def _find_changed_outcomes(first: Verdict, second: Verdict) -> tuple[TestId, ...]:
    """Return the tests whose outcome or points differ between two runs of one program."""
    before = {test.id: (test.outcome, test.points) for test in first.tests}
    after = {test.id: (test.outcome, test.points) for test in second.tests}
    return tuple(
        name
        for name in before
        if name in after
        and before[name] != after[name]
        and not {before[name][0], after[name][0]}.intersection(_CHANCE_OUTCOMES)
    )


def _find_changed_inputs(oracle: Oracle) -> tuple[TestId, ...]:
    """Return the tests whose `given` makes different inputs when it runs again.

    Functions and other values that cannot be copied are not compared.
    """
    changed = []
    for test in oracle.exercise.tests:
        if not isinstance(test.given, Seeded):
            continue
        for number, draw in enumerate(oracle.draws(test)):
            second_inputs = draw_inputs(oracle.exercise, test, number)
            if draw.inputs.keys() != second_inputs.keys() or any(
                _is_other(value, second_inputs[name]) for name, value in draw.inputs.items()
            ):
                changed.append(test.id)
                break
    return tuple(changed)


def _find_changed_values(oracle: Oracle) -> tuple[TestId, ...]:
    """Return the tests whose reference gives a different value when it is evaluated again."""
    return tuple(
        test.id
        for test in oracle.exercise.tests
        if test.compared == "value" and not test.needs_solution
        for values in [oracle.recompute_expected(test) for _ in range(_TIMES_AGAIN)]
        if any(
            _is_other(draw.expected, value, test.tolerance)
            for draw, value in zip(oracle.draws(test), values, strict=True)
        )
    )


def _is_other(value: Any, second_value: Any, tolerance: Tolerance | None = EXACT) -> bool:
    if isinstance(value, np.ndarray) and isinstance(second_value, np.ndarray):
        if value.shape != second_value.shape:
            return True
        value, second_value = map(_without_repetition, (value, second_value))
    try:
        return compare(copy_containers(value), copy_containers(second_value), tolerance) is not None
    except NotCopyableError:
        return False


def _without_repetition(array: Any) -> Any:
    """Return an array with broadcast axes cut to length 1, so that it is small enough."""
    return array[tuple(slice(None if stride else 1) for stride in array.strides)]
