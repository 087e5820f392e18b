"""`suite`: run the tests that a learner wrote on right and wrong programs.

Each run has two new children: one for the suite, one for the program. What is between them is a
call that crosses here as plain data, so a suite can tell programs apart by what they do alone.
"""

import contextlib
import math
import random
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from grader.definitions.exercise import Exercise, Misconception, SuiteTest
from grader.errors import EtudeError, GraderFault
from grader.grading.checks.judgement import Check, Judgement
from grader.grading.checks.pytest_test import raised_here
from grader.grading.comparison.compare import Difference, Rung
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.program.author_code import TooLongError, author_error
from grader.grading.program.loaded_program import LoadedProgram, load, put_files
from grader.grading.program.proxies import NoValueError, Proxies, raise_for_functions
from grader.grading.program.stand_ins import CallableStandIn, authors_code
from grader.grading.results.submission import Submission
from grader.mutation import mutants
from grader.sandbox.answers import ChildGoneError, Unsupported
from grader.sandbox.inside.sharing import Sharing
from grader.sandbox.interface import Children
from grader.sandbox.limits import UNKNOWN_RESULT, Limits

_AGAIN: Final = 8  # runs of right programs among those of wrong ones, so that no clock tells them
_SHARE_OF_TIME: Final = 0.9  # of the submission's wall clock, for all runs together
_LONGEST: Final = 120  # characters of a call


@dataclass(frozen=True, slots=True)
class Failure:
    """A test of a suite that did not pass. All fields but the last are the suite's claims."""

    test: str
    error: str
    message: str
    line: int | None
    call: str  # the last one, with its result


@dataclass(slots=True)
class SuiteRun:
    """The end of a suite's run on one program."""

    count: int = 0  # tests
    failures: list[Failure] = field(default_factory=list)
    error: NoValueError | ChildGoneError | None = None  # of the suite as a whole
    program_ended: bool = False  # in a call, or before

    @property
    def passed(self) -> bool:
        """Return whether every test passed."""
        return not (self.failures or self.error or self.program_ended)


@dataclass(frozen=True, slots=True)
class WrongProgram:
    """A program that a suite should reject."""

    source: str
    misconception: Misconception | None  # None for a mutant


def wrong_programs(exercise: Exercise) -> list[WrongProgram]:
    """Return the misconceptions and the mutants of a `test` exercise."""
    equal = {each.change.strip() for each in exercise.equivalent}
    made = mutants(exercise.program, tuple(exercise.defines))
    return [
        *(WrongProgram(each.code, each) for each in exercise.misconceptions),
        *(WrongProgram(each.source, None) for each in made if each.change not in equal),
    ]


class SuiteCheck(Check[SuiteTest]):
    """Runs a suite on right programs, and for `rejects` on wrong ones among them."""

    def judge(self, program: LoadedProgram, oracle: Oracle, draw: Draw) -> Judgement:  # noqa: ARG002  it has no inputs
        """Judge a suite; what comes of right programs is kept for the next test."""
        runs: _Runs = program.notes.setdefault("suite", _Runs(program, oracle.sandbox))
        accepts = self.test.suite == "accepts"
        try:
            refusal = runs.refusal()
        except (NoValueError, ChildGoneError):
            if accepts:
                raise
            refusal = _difference("not-valid")
        if accepts:
            return Judgement(refusal)
        if refusal is not None:
            return Judgement(_difference("not-valid"))
        return runs.on_wrong_programs(self.test.at_least)

    def code_at(self, error: BaseException) -> str:  # noqa: ARG002  the suite was being loaded
        """Return nothing: the Python is the submission's own."""
        return ""

    def runs_in_page(self) -> bool:
        """Return false: a page has one process for all."""
        return False


def _difference(what: str, **facts: Any) -> Difference:
    return Difference(Rung.ASSERTION, "suite", {"what": what, **facts})


class _Runs:
    """The runs of one suite."""

    def __init__(self, suite: LoadedProgram, sandbox: Children | None) -> None:
        self._suite, self._exercise = suite, suite.exercise
        if sandbox is None:
            raise GraderFault(f"{self._exercise.id}: a suite can only run in a sandbox")
        self._sandbox = sandbox
        self._right = [self._exercise.program, *(each.code for each in self._exercise.also_right)]
        limits = suite.child.limits
        self._until = time.monotonic() + _SHARE_OF_TIME * limits.wall_seconds
        self._usual = 0.0  # seconds of the slowest run on a right program
        self._refusal: list[Difference | Exception | None] = []  # empty before the first run

    def refusal(self) -> Difference | None:
        """Return why the suite refuses a right program; None if it accepts all.

        Raises:
            NoValueError, ChildGoneError: It cannot be run.
        """
        if not self._refusal:
            try:
                self._refusal.append(self._on_right_programs())
            except (NoValueError, ChildGoneError) as error:
                self._refusal.append(error)
        (refusal,) = self._refusal
        if isinstance(refusal, Exception):
            raise refusal
        return refusal

    def _on_right_programs(self) -> Difference | None:
        """Run the suite twice on each right program."""
        for number, source in enumerate(self._right):
            began = time.monotonic()
            run = self._run(source, all_tests=True)
            self._usual = max(self._usual, time.monotonic() - began)
            if run.error is not None:
                raise run.error
            if run.count == 0:
                return _difference("no-tests")
            if not run.program_ended and run.passed != self._run(source).passed:
                return _difference("unstable")
            if run.failures:
                tests = [each.test for each in run.failures]
                return _difference("refuses", number=number, first=run.failures[0], tests=tests)
            if run.program_ended:
                return _difference("ends", number=number)
        return None

    def on_wrong_programs(self, at_least: float) -> Judgement:
        """Run the suite on wrong programs, with right ones among them in an order by chance."""
        wrong = wrong_programs(self._exercise)
        again = min(_AGAIN, len(wrong))
        order: list[tuple[str, WrongProgram | None]] = [(each.source, each) for each in wrong]
        order += [(self._right[n % len(self._right)], None) for n in range(again)]
        random.SystemRandom().shuffle(order)
        missed: list[WrongProgram] = []
        for source, program in order:
            if time.monotonic() > self._until:
                return Judgement(_difference("slow", count=len(wrong)))
            accepted = self._run(source, quick=True).passed
            if program is None and not accepted:
                return Judgement(_difference("unstable"))
            if program is not None and accepted:
                missed.append(program)
        rejected, needed = len(wrong) - len(missed), math.ceil(at_least * len(wrong) - 1e-9)
        if rejected >= needed:
            return Judgement(None)
        known = {each.misconception.id for each in missed if each.misconception}
        told = next((each.id for each in self._exercise.misconceptions if each.id in known), None)
        facts = {"rejected": rejected, "count": len(wrong), "needed": needed, "is_told": bool(told)}
        return Judgement(_difference("accepts", **facts), told, share=rejected / needed)

    def _run(self, source: str, *, all_tests: bool = False, quick: bool = False) -> SuiteRun:
        """Run the suite on a program, each in a child of its own.

        Args:
            all_tests: Whether to go on after a test that fails.
            quick: Whether a run may take little longer than one on a right program.
        """
        limits, run = self._limits(quick=quick), SuiteRun()
        exercise = replace(self._exercise, kind="write", forbid=None)
        program = Submission.from_bytes(Path(exercise.path_name), source.encode())
        with (
            self._sandbox.child(limits) as theirs,
            self._sandbox.child(limits) as child,
            contextlib.redirect_stdout(sys.stderr),  # what a program prints is no one's
            warnings.catch_warnings(record=True),
            authors_code(),
        ):
            loaded = load(theirs, program, exercise).program
            if loaded is None:
                if source in self._right:
                    raise author_error(exercise.where, "program: a right one cannot be loaded")
                return SuiteRun(program_ended=True)
            put_files(child, exercise)
            relay = _Relay(loaded)
            names = Proxies(child, exercise.where, most=UNKNOWN_RESULT, sharing=Sharing())
            functions = {name: relay.function(name) for name in exercise.defines}
            try:
                words = self._suite.source, functions, relay.begin, not all_tests
                run.count, run.failures = relay.read(names.ask("run_suite", *words))
            except TooLongError:  # it calls without end
                run.program_ended = True
            except (NoValueError, ChildGoneError) as error:
                run.program_ended = relay.program_ended
                run.error = None if relay.program_ended else error
        return run

    def _limits(self, *, quick: bool) -> Limits:
        limits = self._suite.child.limits
        left = max(self._until - time.monotonic(), 0.1)
        most = min(left, max(1.0, 10 * self._usual)) if quick else left
        cpu = min(limits.cpu_seconds, math.ceil(most))
        return replace(limits, wall_seconds=most, cpu_seconds=cpu)


class _Relay:
    """The calls of a suite's child, passed on to the program's child."""

    def __init__(self, program: LoadedProgram) -> None:
        self._names = program.names(
            program.exercise.where, error=raised_here, in_body=True, most=UNKNOWN_RESULT
        )
        self._test = ""
        self._calls: dict[str, tuple[str, Any, Any, Any]] = {}  # the last one of each test
        self.program_ended = False

    def begin(self, test: object) -> None:
        """Note which test runs now."""
        self._test = str(test)[:_LONGEST]

    def function(self, name: str) -> Callable[..., Any]:
        """Return a function that calls one of the program's."""
        stand_in = self._names.function(name)

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                words = {key: _callable(each) for key, each in kwargs.items()}
                value = stand_in(*map(_callable, args), **words)
                raise_for_functions(value)
            except NoValueError as error:
                kind = error.answer.kind if isinstance(error.answer, Unsupported) else "nothing"
                value = TypeError(f"{name} gives {kind}, which is no plain data")
            except (ChildGoneError, EtudeError):
                self.program_ended = True
                raise
            except Exception as error:  # noqa: BLE001  the program's, raised again for the suite
                value = error
            self._calls[self._test] = name, args, kwargs, value
            if isinstance(value, Exception):
                raise value
            return value

        return call

    def read(self, result: object) -> tuple[int, list[Failure]]:
        """Return what a suite's child says; what has another form is a failure."""
        match result:
            case [int(count), list(entries)]:
                return count, [self._failure(each) for each in entries]
        return 1, [self._failure(None)]

    def _failure(self, entry: object) -> Failure:
        match entry:
            case [str(test), str(error), str(message), list(places)]:
                match places:
                    case [(int(line), str())]:
                        return Failure(test, error, message, line, self._call_in(test))
                return Failure(test, error, message, None, self._call_in(test))
        return Failure("", "", "", None, "")

    def _call_in(self, test: str) -> str:
        if test not in self._calls:
            return ""
        name, args, kwargs, value = self._calls[test]
        words = [*map(_text, args), *(f"{key}={_text(each)}" for key, each in kwargs.items())]
        ending = f"raises {type(value).__name__}" if isinstance(value, Exception) else ""
        return f"{name}({', '.join(words)}) {ending or f'gives {_text(value)}'}"


def _callable(value: Any) -> Any:
    """Return an argument; for a function of the suite's one of ours that calls it there."""
    if not isinstance(value, CallableStandIn):
        return value

    def call(*args: Any) -> Any:
        return value(*args)

    return call


def _text(value: object) -> str:
    with np.printoptions(precision=4, threshold=20):
        return " ".join(repr(value).split())
