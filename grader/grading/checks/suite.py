"""`suite`: run the tests that a learner wrote on right and wrong programs.

Each run has two new children: one for the suite, one for the program. The suite's calls pass
through this process as plain data, so a suite can tell programs apart only by their behaviour.
"""

import contextlib
import math
import random
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from grader.definitions.exercise import Exercise, Misconception, SuiteTest
from grader.errors import DefinitionError, EtudeError
from grader.grading.checks.judgement import Check, Judgement
from grader.grading.checks.pytest_body import rebuild_exception
from grader.grading.comparison.compare import Difference
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.feedback.summarize_values import summarize
from grader.grading.program.author_code import TooLongError
from grader.grading.program.loaded_program import LoadedProgram, load, put_files
from grader.grading.program.proxies import (
    CallableProxy,
    NameProxy,
    NoValueError,
    RunningProgram,
    allow_forwarding,
    raise_for_functions,
)
from grader.grading.program.requests import Requests
from grader.grading.results.raw_result import DifferenceKind
from grader.grading.submissions.submission import Submission
from grader.sandbox.answers import ChildGoneError, Unsupported
from grader.sandbox.limits import DEFAULT_LIMITS, DEFAULT_RESULT_BYTES

if TYPE_CHECKING:
    from grader.mutation import Mutant

# Runs of right programs, mixed with those of wrong ones so that a suite cannot tell them apart by
# their order or by the time.
_EXTRA_RUNS: Final = 8
_MAX_FAILURES: Final = 20  # failed tests that a learner is told about
_MAX_CALLS: Final = 200  # tests of a suite for which the last call is kept
_SHARE_OF_TIME: Final = 0.9  # share of the submission's wall-clock limit for all runs together


def wrong_programs(exercise: Exercise) -> dict[str, str]:
    """Return the wrong programs, keyed by the id of a misconception or the change of a mutant."""
    programs = {misconception.id: misconception.code for misconception in exercise.misconceptions}
    equal = {equivalent.change for equivalent in exercise.equivalent}
    changes = mutants_of_program(exercise) if exercise.edition == "full" else ()
    return programs | {each.change: each.source for each in changes if each.change not in equal}


def mutants_of_program(exercise: Exercise) -> "tuple[Mutant, ...]":
    """Return the mutants of the program under test, including those listed in `equivalent`."""
    from grader.mutation import mutants  # not shipped to pages

    return mutants(exercise.program, tuple(exercise.defines))


def make_page_programs(exercise: Exercise) -> dict[str, Any]:
    """Return the programs of a practice page, in which mutants are listed as misconceptions."""
    misconceptions = {misconception.id: misconception for misconception in exercise.misconceptions}
    wrong = (
        misconceptions.get(name) or Misconception(exercise.where, name, code, "")
        for name, code in wrong_programs(exercise).items()
    )
    return {
        "program": exercise.program,
        "also_right": exercise.also_right,
        "misconceptions": tuple(wrong),
    }


class SuiteTestCheck(Check[SuiteTest]):
    """The runs of a suite on right programs and, for `rejects`, also on wrong ones."""

    def judge(self, program: LoadedProgram, oracle: Oracle, draw: Draw) -> Judgement:  # noqa: ARG002  a suite has no inputs
        """Judge a suite."""
        runs = _find_runs(program, oracle)
        if self.test.suite == "accepts":
            return Judgement(runs.refusal)
        with contextlib.suppress(NoValueError, ChildGoneError):
            if runs.refusal is None:
                return runs.try_wrong_programs(self.test.at_least)
        return Judgement(_difference("not-valid"))

    def failing_code(self, error: BaseException) -> str:  # noqa: ARG002  the suite was being loaded
        """Return an empty string: the code that failed is the submission's own."""
        return ""

    def runs_in_page(self) -> bool:
        """Return True: only the learner could abuse the lack of isolation in a page."""
        return True


def _difference(key: str, **facts: Any) -> Difference:
    return Difference(DifferenceKind.ASSERTION, f"suite-{key}", facts)


class _SuiteRuns:
    """The runs of one suite."""

    def __init__(self, suite: LoadedProgram, oracle: Oracle) -> None:
        self._suite, self._sandbox, exercise = suite, oracle.sandbox, suite.exercise
        self._exercise = replace(exercise, kind="write", forbid=None)
        self._right = [exercise.program, *(program.code for program in exercise.also_right)]
        self._until = time.monotonic() + _SHARE_OF_TIME * suite.child.limits.wall_seconds
        self._most = DEFAULT_LIMITS.wall_seconds  # time limit of one run, in seconds

    @cached_property
    def refusal(self) -> Difference | None:
        """The reason why a right program fails one of two runs, or None.

        Raises:
            NoValueError, ChildGoneError: The suite cannot be run.
        """
        slowest = 0.0
        for number, source in enumerate(self._right):
            began = time.monotonic()
            count, failures = self._run_suite(source, _MAX_FAILURES)
            slowest = max(slowest, time.monotonic() - began)
            if count == 0:
                return _difference("no-tests")
            if bool(failures) != bool(self._run_suite(source)[1]):
                return _difference("unstable")
            if failures:
                return _difference("refuses", number=number, failures=failures)
        self._most = max(1.0, 10 * slowest)
        return None

    def try_wrong_programs(self, at_least: float) -> Judgement:
        """Run the suite on the wrong programs and some right ones, in a random order."""
        wrong = wrong_programs(self._exercise)
        again = [self._right[n % len(self._right)] for n in range(min(_EXTRA_RUNS, len(wrong)))]
        order = [*wrong.items(), *(("", source) for source in again)]
        random.SystemRandom().shuffle(order)
        accepted = set[str]()
        for name, source in order:
            if time.monotonic() > self._until:
                return Judgement(_difference("slow", count=len(wrong)))
            passed = False
            with contextlib.suppress(NoValueError, ChildGoneError):
                passed = not self._run_suite(source)[1]
            if not name and not passed:
                return Judgement(_difference("unstable"))
            if name and passed:
                accepted.add(name)
        rejected, needed = len(wrong) - len(accepted), math.ceil(at_least * len(wrong) - 1e-9)
        if rejected >= needed:
            return Judgement(None)
        explained = (each.id for each in self._exercise.misconceptions if each.feedback)
        misconception = next((name for name in explained if name in accepted), None)
        facts = {"rejected": rejected, "count": len(wrong), "needed": needed, "told": misconception}
        return Judgement(_difference("accepts", **facts), misconception, share=rejected / needed)

    def _run_suite(
        self, source: str, max_failures: int = 1
    ) -> tuple[int, list[Mapping[str, object]]]:
        """Run the suite on a program; return the number of tests and the facts of each failure.

        Args:
            max_failures: The number of failures after which to stop.

        Raises:
            NoValueError, ChildGoneError: The suite cannot be run.
        """
        limits, exercise = self._suite.child.limits, self._exercise
        seconds = max(min(self._until - time.monotonic(), self._most), 0.1)
        cpu = min(limits.cpu_seconds, math.ceil(seconds))
        limits = replace(limits, wall_seconds=seconds, cpu_seconds=cpu)
        program = Submission.from_program(exercise, source)
        with (
            self._sandbox.child(limits) as theirs,
            self._sandbox.child(limits) as child,
            contextlib.redirect_stdout(sys.stderr),  # the program's output is not shown
            warnings.catch_warnings(record=True),
            allow_forwarding(),
        ):
            loaded = load(theirs, program, exercise).program
            if loaded is None and source in self._right:
                raise DefinitionError.at(exercise.where, "program: a right one cannot be loaded")
            if loaded is None:
                return 0, [{}]
            put_files(child, exercise.data, exercise.id)
            relay = _Relay(loaded)
            requests = Requests(
                RunningProgram(child), exercise.where, in_body=True, max_bytes=DEFAULT_RESULT_BYTES
            )
            functions = {name: relay.function(name) for name in exercise.defines}
            arguments = self._suite.text.source, functions, relay.begin, max_failures
            try:
                return relay.parse_result(requests.ask("run_suite", *arguments))
            except (TooLongError, NoValueError, ChildGoneError) as error:
                # The program ended, or its results keep the suite calling forever: a failed test.
                if relay.program_ended or isinstance(error, TooLongError):
                    return 1, [{"ended": True}]
                raise


_find_runs: Final = lru_cache(1)(_SuiteRuns)  # all tests of a suite share its runs


class _Relay:
    """A relay of calls from a suite's child to the program's child."""

    def __init__(self, program: LoadedProgram) -> None:
        where = program.exercise.where
        self._requests = Requests(
            program, where, error=rebuild_exception, in_body=True, max_bytes=DEFAULT_RESULT_BYTES
        )
        self._test = ""
        # Name, args, kwargs and result of a call.
        self._last: tuple[str, Any, Any, Any] | None = None
        self._calls: dict[str, str] = {}  # the last call of each test, as text
        self.program_ended = False

    def begin(self, test: str) -> None:
        """Note the test that runs now, and keep the last call of the test before."""
        if self._last is not None and len(self._calls) < _MAX_CALLS:
            self._calls[self._test] = _as_text(*self._last)
        self._test, self._last = str(test), None

    def function(self, name: str) -> Callable[..., Any]:
        """Return a function that calls a function of the program."""
        proxy = NameProxy(self._requests, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                keywords = {key: _callable(argument) for key, argument in kwargs.items()}
                value = proxy(*map(_callable, args), **keywords)
                raise_for_functions(value)
            except NoValueError as error:
                kind = error.answer.kind if isinstance(error.answer, Unsupported) else "nothing"
                value = TypeError(f"{name} gives {kind}, which is no plain data")
            except (ChildGoneError, EtudeError):
                self.program_ended = True
                raise
            except Exception as error:  # noqa: BLE001  the program's, raised again for the suite
                value = error
            self._last = name, args, kwargs, value
            if isinstance(value, Exception):
                raise value
            return value

        return call

    def parse_result(self, result: object) -> tuple[int, list[Mapping[str, object]]]:
        """Return the number of tests and the failures; a malformed answer counts as one failure."""
        self.begin("")
        match result:
            case [int(count), list(entries)]:
                return count, [self._facts(entry) for entry in entries]
        return 1, [{}]

    def _facts(self, entry: object) -> Mapping[str, object]:
        match entry:
            case [str(test), str(error), str(message), int(line)]:
                facts = {"test": test, "error": error, "message": message, "line": line}
                return {**facts, "call": self._calls.get(test, "")}
        return {}


def _as_text(name: str, args: Any, kwargs: Mapping[str, Any], value: object) -> str:
    """Return a call and its result as Python, with large values shortened."""

    def text(part: object) -> str:
        return repr(part) if isinstance(part, np.ndarray) else summarize(part).text

    with np.printoptions(precision=4, threshold=20):
        keywords = (f"{key}={text(argument)}" for key, argument in kwargs.items())
        arguments = ", ".join([*map(text, args), *keywords])
        is_error = isinstance(value, Exception)
        ending = f"raises {type(value).__name__}" if is_error else f"gives {text(value)}"
    return f"{name}({arguments}) {ending}"


def _callable(value: Any) -> Any:
    """Return an argument; wrap a function of the suite so that the program can call it."""
    return partial(value) if isinstance(value, CallableProxy) else value
