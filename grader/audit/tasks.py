"""The tasks of an audit, and readers for their messages."""

import ast
import base64
import contextlib
import pickle
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

from grader.audit.confined import (
    behaviour,
    call_as_test,
    match,
    pytest_run,
    recorded_calls,
    smallest_call,
)
from grader.audit.runner import Send, Task, TaskLimits, TaskOutcome
from grader.audit.wrong_programs import ExerciseFunction, WrongProgram
from grader.grading.diagnosis.input_values import NotWritableError

ORDINARY = TaskLimits()
_CANDIDATES_SECONDS = 6.0
_SEARCH_SECONDS = 2.0  # for one program, and as many again for shrinking its call


@dataclass(frozen=True, slots=True)
class PytestResult:
    """The result of one test, as pytest reports it."""

    id: str
    outcome: Literal["passed", "failed", "skipped"]
    message: str = ""
    seconds: float = 0.0
    cpu: float = 0.0
    lines: frozenset[int] = frozenset()
    calls: bool = False


def read_results(outcome: TaskOutcome) -> list[PytestResult]:
    """Return the outcomes of the tests; a test that was running at the end counts as failed."""
    outcomes = [
        PytestResult(**message | {"lines": frozenset(message.get("lines", ()))})
        for message in outcome.select("test")
    ]
    begun = [message["id"] for message in outcome.select("begins")]
    if len(begun) > len(outcomes):
        outcomes.append(PytestResult(begun[-1], "failed", outcome.ended))
    return outcomes


def find_tests(outcome: TaskOutcome, kind: str) -> list[str]:
    """Return the ids of the tests that "passed" or "failed"."""
    return [test.id for test in read_results(outcome) if test.outcome == kind]


def is_killed(outcome: TaskOutcome) -> bool:
    """Return whether the tests reject the program."""
    return bool(
        outcome.ended
        or outcome.select("not loaded")
        or outcome.select("broken")
        or find_tests(outcome, "failed")
    )


def run_tests(
    name: str,
    source: str,
    session: pytest_run.Session,
    limits: TaskLimits = ORDINARY,
    *,
    answer: recorded_calls.Recorder | recorded_calls.WrongResults | None = None,
) -> Task:
    """Return the task that runs the tests against a program.

    Args:
        answer: Records or changes the answers to the tests' calls; None leaves them alone.
    """

    def work(send: Send) -> None:
        if answer is not None:
            recorded_calls.answer_with(answer)
        pytest_run.run(session, send)
        for message in answer.messages() if answer is not None else ():
            send(message)

    hook = recorded_calls.HOOK if answer is not None else ""
    return Task(name, source + hook, work, limits)


def decode_calls(outcome: TaskOutcome) -> bytes:
    """Return the pickled calls, which only a confined task may unpickle."""
    for message in outcome.select("calls")[:1]:
        # ValueError: a test forged the message.
        with contextlib.suppress(ValueError):
            return base64.b85decode(message["data"])
    return b""


def make_candidates(source: str, file: str, recorded: bytes) -> Task:
    """Return the task that generates variations of the recorded calls."""
    # The program's short strings, which include the names of modes.
    strings = dict.fromkeys(
        node.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    texts = tuple(text for text in strings if text.isidentifier())[:20]

    def work(send: Send) -> None:
        right = behaviour.load(source, file)
        candidates = smallest_call.make_candidates(
            right, recorded_calls.read_scripts(recorded), texts, _CANDIDATES_SECONDS
        )
        data = base64.b85encode(pickle.dumps(candidates)).decode()
        send({"kind": "calls", "data": data})

    return Task("candidates", source, work)


def find_distinguishing_call(
    program: WrongProgram,
    source: str,
    file: str,
    candidates: bytes,
    attributes: Collection[str],
    style: call_as_test.Style,
) -> Task:
    """Return the task that finds the smallest call that distinguishes a program from the solution.

    Args:
        source: The solution.
        file: The solution's file name.
        candidates: Calls from `make_candidates`.
        attributes: The attributes that the tests read.
        style: The style of the test that is written for the call.
    """

    def work(send: Send) -> None:
        solution = behaviour.load(source, file)
        try:
            wrong = behaviour.load(program.source, file)
            adaptation = (
                behaviour.load(program.right_adaptation, file) if program.right_adaptation else None
            )
        except (Exception, behaviour.CallTooLongError):  # noqa: BLE001  the program's
            return
        search = smallest_call.CallSearch(solution, wrong, adaptation, _SEARCH_SECONDS, attributes)
        first = search.find_first_difference(pickle.loads(candidates))  # noqa: S301  confined
        if first is None:
            return
        (name, steps), difference = first
        expected = behaviour.observe(solution, name, steps)
        got = behaviour.observe(wrong, name, steps)
        message = {
            "kind": "found",
            "name": name,
            "example": call_as_test.format_script(name, steps),
            "expected": call_as_test.format_outcome(expected, difference),
            "got": call_as_test.format_outcome(got, difference),
            "body": [],
            "unread": search.is_unread(name, difference),
        }
        with contextlib.suppress(NotWritableError):
            message["body"] = call_as_test.write_test_body(solution, name, steps, difference, style)
        send(message)

    return Task(program.change, source, work)


def match_functions(
    source: str,
    file: str,
    candidates: bytes,
    exercise_functions: Sequence[ExerciseFunction],
    similar_exercises: Collection[str],
) -> Task:
    """Return the task that finds exercise functions that behave as the solution does."""

    def work(send: Send) -> None:
        right = behaviour.load(source, file)
        calls_to_try = pickle.loads(candidates)  # noqa: S301  confined
        names = dict.fromkeys(name for name, steps in calls_to_try if steps[0][0] == "")
        for number, function in enumerate(exercise_functions):
            try:
                exercise = behaviour.load(function.solution, "known.py")
            except Exception:  # noqa: BLE001, S112  it needs a package, perhaps
                continue
            for name in names:
                correspondence = match.find_correspondence(
                    right, exercise, name, function.name, calls_to_try
                )
                if correspondence is None and function.exercise in similar_exercises:
                    counts = match.count_arguments(getattr(exercise, function.name))
                    correspondence = None if counts is None else match.Correspondence(counts[1])
                if correspondence is not None:
                    fields = asdict(correspondence)
                    send({"kind": "match", "number": number, "target": name, **fields})

    return Task("match", source, work)
