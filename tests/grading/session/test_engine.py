"""From a submission to a verdict, in the real sandbox."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.definitions.exercise import Exercise, TestCase
from grader.errors import DefinitionError, EtudeError
from grader.grading.expected.oracle import Draw, Oracle
from grader.grading.jobs import Job
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.run.submission_run import SubmissionRun
from grader.grading.session.engine import Engine
from grader.grading.submissions.submission import Submission
from grader.sandbox.limits import Limits
from grader.sandbox.process import Sandbox
from tests.grading.conftest import GradeAll, GradeOne, Make, grade

RIGHT = "def double(x):\n    return 2 * x\n"
LITTLE_CPU_TIME = Limits(cpu_seconds=1, wall_seconds=60)
LITTLE_WALL_TIME = Limits(cpu_seconds=20, wall_seconds=4)


def submission(source: str) -> Submission:
    return Submission.from_bytes(Path("double.py"), source.encode())


@pytest.fixture
def verdict_of(double: Exercise, sandbox: Sandbox) -> Callable[[str], Verdict]:
    """Grade a source as a submission of the small exercise."""

    def verdict(source: str) -> Verdict:
        # Only what sleeps is to meet the wall clock, however busy the machine is.
        limits = LITTLE_WALL_TIME if "sleep" in source else LITTLE_CPU_TIME
        return grade(double, source, sandbox, limits)

    return verdict


def test_a_right_submission_passes_everything(verdict_of: Callable[[str], Verdict]) -> None:
    """All points, the exercise's XP, and each test in the definition's order."""
    verdict = verdict_of(RIGHT)
    assert verdict.outcome is Outcome.PASSED
    assert (verdict.score, verdict.max_score, verdict.xp) == (5, 5, 5)
    assert [test.id for test in verdict.tests] == ["worked", "printed", "secret"]
    assert verdict.submission_hash == submission(RIGHT).digest


def test_a_wrong_submission_earns_what_it_passes(verdict_of: Callable[[str], Verdict]) -> None:
    """Points are per test; a fail earns no XP."""
    verdict = verdict_of("def double(x):\n    return abs(2 * x)\n")
    assert verdict.outcome is Outcome.FAILED
    assert (verdict.score, verdict.xp) == (2, 0)
    assert [test.outcome for test in verdict.tests] == [
        Outcome.PASSED,
        Outcome.PASSED,
        Outcome.FAILED,
    ]


@pytest.mark.parametrize(
    ("source", "outcome", "line", "sentence"),
    [
        ("def double(x:\n", Outcome.ERRORED, 1, "Python cannot read line 1: `def double(x:`"),
        ("def duoble(x): ...", Outcome.FAILED, None, "Is `duoble` meant to be it?"),
        ("x = 1", Outcome.FAILED, None, "the tests call `double(x)`"),
        (
            "double = 2",
            Outcome.FAILED,
            None,
            "`double` should be a function, but in your code it is an int.",
        ),
        (
            "import torch",
            Outcome.ERRORED,
            1,
            "There is no module `torch` here, only NumPy and Python's standard library (line 1).",
        ),
        ("x = 1\nname = input()", Outcome.ERRORED, 2, "`input()` has nothing to read"),
        (
            "import sys\nsys.exit()",
            Outcome.ERRORED,
            2,
            "ends the program (line 2, while your file was loaded). Leave this line out.",
        ),
        ("x = 1\nquit()", Outcome.ERRORED, 2, "Leave this out; a function ends with `return`."),
        (
            "while True: pass",
            Outcome.TIMED_OUT,
            1,
            "Stopped after 1 s in line 1, `while True: pass`",
        ),
        ("x = [0] * 10**10", Outcome.OUT_OF_MEMORY, 1, "use (line 1, while your file was loaded)"),
    ],
)
def test_code_that_does_not_load_has_one_sentence_for_the_whole(
    verdict_of: Callable[[str], Verdict],
    source: str,
    outcome: Outcome,
    line: int | None,
    sentence: str,
) -> None:
    """No test runs; the verdict says why, with the line where there is one."""
    verdict = verdict_of(source)
    assert (verdict.outcome, verdict.line, verdict.score) == (outcome, line, 0)
    assert sentence in verdict.message
    assert {test.outcome for test in verdict.tests} == {Outcome.NOT_RUN}


@pytest.mark.parametrize(
    ("body", "outcome", "line", "sentence"),
    [
        ("return", Outcome.FAILED, None, "The result is None."),
        ("return list(x)", Outcome.FAILED, None, "should be an array of shape (2,), but is a list"),
        ("return x + (1, 2, 3)", Outcome.ERRORED, 2, "ValueError: operands could not be broadcast"),
        ("return (y for y in x)", Outcome.FAILED, None, "Your function returned a generator."),
        ("import os; os._exit(0)", Outcome.ERRORED, None, "Your code ended the whole program"),
        (
            "while True: pass",
            Outcome.TIMED_OUT,
            2,
            "Stopped after 1 s in line 2, `while True: pass`",
        ),
        ("import time; time.sleep(60)", Outcome.TIMED_OUT, None, "Stopped after 4 s."),
        ("while True: print('x' * 999)", Outcome.OUTPUT_LIMIT, 2, "printed more than it may"),
        (
            "import os; os.write(3, b'\\xff' * 99)",
            Outcome.ERRORED,
            None,
            "wrote to the grader's connection",
        ),
    ],
)
def test_a_test_that_does_not_pass_says_how_it_ended(
    verdict_of: Callable[[str], Verdict],
    body: str,
    outcome: Outcome,
    line: int | None,
    sentence: str,
) -> None:
    """The first test's outcome, sentence and line."""
    test = verdict_of(f"def double(x):\n    {body}").tests[0]
    assert (test.outcome, test.line) == (outcome, line)
    assert sentence in test.message


def test_a_wrong_signature_is_shown_beside_the_call(verdict_of: Callable[[str], Verdict]) -> None:
    """Both the call of the test and the learner's own line."""
    verdict = verdict_of("\ndef double(): ...")
    assert verdict.tests[0].message.startswith(
        "The test runs `double(x)`, but your function is `def double()` (line 2): double() takes 0"
    )


def test_statements_of_a_test_stand_in_a_sentence_as_one_line(make: Make, sandbox: Sandbox) -> None:
    """Separated, so that they can be told from each other."""
    exercise = make({"given": {"x": 3}, "run": "a, b = f(x)\nprint(a)", "stdout": "3"})
    verdict = grade(exercise, "def f(x):\n    return x\n", sandbox)
    assert "`a, b = f(x); print(a)`" in verdict.tests[0].message


def test_after_the_end_of_the_program_the_rest_is_not_run(
    verdict_of: Callable[[str], Verdict],
) -> None:
    """A test that could not run is neither passed nor failed."""
    verdict = verdict_of("import os\ndef double(x):\n    os._exit(0)")
    assert [test.outcome for test in verdict.tests] == [
        Outcome.ERRORED,
        Outcome.NOT_RUN,
        Outcome.NOT_RUN,
    ]


@pytest.mark.parametrize(
    ("loops", "outcomes"),
    [
        ("x[0] == 2", ["passed", "timed out", "passed", "passed", "passed"]),
        ("x[0] < 4", ["timed out", "timed out", "timed out", "not run", "not run"]),
    ],
)
def test_a_time_out_costs_its_own_test_only_up_to_a_third_one(
    make: Make, sandbox: Sandbox, loops: str, outcomes: list[str]
) -> None:
    """A fresh child goes on with the next one; a loop without an end has an end in all."""
    tests = [{"given": {"x": [n]}, "call": "f(x)[0]", "expect": n} for n in range(1, 6)]
    exercise = make(*tests, solution="def f(x): return x")
    source = f"def f(x):\n    while {loops}: pass\n    return x\n"
    verdict = grade(exercise, source, sandbox, LITTLE_CPU_TIME)
    assert [test.outcome for test in verdict.tests] == outcomes


def test_what_was_printed_is_shown_for_visible_tests_only(
    verdict_of: Callable[[str], Verdict],
) -> None:
    """A hidden test's inputs could be printed, so its output is kept back."""
    verdict = verdict_of("print('loading')\ndef double(x):\n    print('got', x)\n    return x")
    assert verdict.output == "loading\n"
    assert verdict.tests[0].output == "got [1. 2.]\n"
    assert verdict.tests[2].output == ""


@pytest.mark.parametrize(
    "leak",
    [
        "raise ValueError(repr(x))",
        "raise type(repr(list(x)), (Exception,), {})",
        "print(x); import sys; print(x, file=sys.stderr)",
        "return {'x': list(x)}",
        "return x * 3",
        "exec('def ' + 'f' + str(int(abs(x[0]) * 1e9)) + '(): raise ValueError\\nf' + str(int(abs(x[0]) * 1e9)) + '()')",
    ],
)
def test_a_hidden_test_says_nothing_that_the_submission_chose(
    verdict_of: Callable[[str], Verdict], leak: str
) -> None:
    """The sentence comes from a fixed list, whatever the submission raises, prints or returns."""
    body = (
        f"    if len(x) == 5:\n        {leak}\n    return 2 * x"
        if "return" not in leak
        else f"    {leak}"
    )
    test = verdict_of(
        f"def double(x):\n    import numpy as np\n    x = np.atleast_1d(x)\n{body}\n"
    ).tests[2]
    assert (test.line, test.output, test.description) == (None, "", "")
    assert test.message in {
        "",
        "Your code raised an error or ended for the inputs of this hidden test.",
        "The result has the right form but wrong values in this hidden test.",
        "The result has the wrong type for the inputs of this hidden test.",
    }


def test_inputs_remembered_from_a_hidden_test_reach_no_output(
    verdict_of: Callable[[str], Verdict],
) -> None:
    """Visible tests run first, so nothing can be carried over to them."""
    verdict = verdict_of(
        "seen = []\ndef double(x):\n    seen.append(len(x) if hasattr(x, '__len__') else 0)\n"
        "    print(seen)\n    return 2 * x\n"
    )
    assert "5" not in "".join(test.output + test.message for test in verdict.tests)


def test_a_visible_test_after_a_hidden_one_still_runs_before_it(grade_all: GradeAll) -> None:
    """The order in the definition is the order of the report, not of the run."""
    source = "seen = []\ndef f(x):\n    seen.append(x)\n    print(seen)\n    return x"
    last = {"id": "last", "hidden": True, "call": "f(7919)", "expect": 7919}
    verdict = grade_all(source, last, {"id": "first", "call": "f(1)", "expect": 1})
    assert [(test.id, test.output) for test in verdict.tests] == [("last", ""), ("first", "[1]\n")]


def test_many_submissions_share_an_engine_and_not_their_state(
    double: Exercise, sandbox: Sandbox
) -> None:
    """Right, hostile and right again: each verdict is its own."""
    hostile = "import numpy\nnumpy.abs = None\ndef double(x):\n    import os; os._exit(0)"
    engine = Engine(sandbox)
    verdicts = [engine.grade(Job(double, submission(s))) for s in (RIGHT, hostile, RIGHT)]
    assert [verdict.outcome for verdict in verdicts] == ["passed", "errored", "passed"]


def test_a_fault_of_the_sandbox_is_never_a_verdict(double: Exercise) -> None:
    """When the sandbox is gone, the caller gets an error instead of zero points."""
    from grader.sandbox.backends import UNSAFE

    own = Sandbox(UNSAFE)
    own.close()
    with pytest.raises(EtudeError, match="gone"):
        grade(double, RIGHT, own)


@pytest.mark.parametrize(
    ("given", "call", "message"),
    [
        ("if 0: y = 1", "f(y)", "call uses 'y', which given does not set"),
        ("x = 1; raise SystemExit", "f(x)", "given raises SystemExit (line 1 of it)"),
        ("while True: pass", "f(1)", "given raises TooLongError: not done"),
        ("x = 1 / 0", "f(x)", "test 'test-0': given raises ZeroDivisionError"),
        ("x = object()", "f(x)", "an argument: object cannot be sent into the sandbox"),
    ],
)
def test_an_author_s_mistake_is_the_definition_s_error(
    grade_all: GradeAll, monkeypatch: pytest.MonkeyPatch, given: str, call: str, message: str
) -> None:
    """An author's code that cannot run is an error with the test's place, not a failed test."""
    monkeypatch.setattr("grader.grading.program.author_code.AUTHOR_SECONDS", 0.3)
    with pytest.raises(DefinitionError, match=r"small\.yaml:\d+:3: ") as caught:
        grade_all("def f(x): return 1", {"given": given, "call": call, "expect": 1})
    assert message in str(caught.value)


def test_a_conftest_beside_the_learner_s_file_does_not_run_here(
    double: Exercise, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of the working directory is imported or read by the engine."""
    (tmp_path / "conftest.py").write_text("raise SystemExit('taken over')")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --collect-only\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_ADDOPTS", "--collect-only")
    assert grade(double, RIGHT, sandbox).outcome is Outcome.PASSED


def test_a_visible_test_after_a_hidden_one_gets_a_fresh_child(
    double: Exercise, sandbox: Sandbox
) -> None:
    """In any order of tests, nothing that a submission learns from a hidden test is shown."""
    source = "seen = []\ndef double(x):\n    seen.append(str(x))\n    raise ValueError(seen)\n"
    visible, _, hidden = double.tests
    with SubmissionRun(Oracle(double, sandbox), submission(source)) as run:
        run.load()
        run.grade_test(hidden)
        result = run.grade_test(visible)
    assert result.message == "ValueError: ['[1. 2.]'] (line 4, in double)."


@pytest.mark.parametrize("body", ["2 * x", "2.0 * x"])
def test_whole_numbers_in_a_definition_have_no_dtype(grade_one: GradeOne, body: str) -> None:
    """`expect: [2, 4]` is met by floats and by integers of those values."""
    test = {"given": {"x": [1, 2]}, "call": "f(x)", "expect": [2, 4]}
    assert grade_one(f"def f(x): return {body}", test).message == ""


def test_warnings_are_no_part_of_what_is_compared(make: Make, sandbox: Sandbox) -> None:
    """A warning, which Python shows the first time only, fails no output test but is shown."""
    source = "import numpy as np\n\n\ndef f(x):\n    return np.asarray(x) / np.zeros(1)\n"
    test = {"given": {"x": [1.0]}, "run": "print(f(x))", "stdout": "[inf]"}
    verdict = grade(make(test, test, solution=source), submission(source), sandbox)
    first, second = verdict.tests
    assert (first.outcome, second.outcome) == (Outcome.PASSED, Outcome.PASSED)
    assert first.output.startswith("[inf]\n")
    assert "RuntimeWarning: divide by zero" in first.output
    assert second.output == "[inf]\n"


def order_of_computing(
    exercises: list[Exercise], order: list[int], sandbox: Sandbox, patch: pytest.MonkeyPatch
) -> list[int]:
    """Grade passing submissions in one engine; return whose expected values were computed."""
    drawn: list[int] = []
    draws = Oracle.draws

    def noted(oracle: Oracle, test: TestCase) -> tuple[Draw, ...]:
        if test.id not in oracle.cache:  # what is known already is not drawn again
            drawn.append([e.digest for e in exercises].index(oracle.exercise.digest))
        return draws(oracle, test)

    patch.setattr(Oracle, "draws", noted)
    engine = Engine(sandbox)
    jobs = [Job(exercises[n], submission("def f(x):\n    return 2.0 * x\n")) for n in order]
    assert {engine.grade(job).outcome for job in jobs} == {Outcome.PASSED}
    return drawn


def test_expected_values_are_kept_for_the_exercises_used_last(
    make: Make, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that was used longest ago is dropped, and computed again when it comes back."""
    monkeypatch.setattr("grader.grading.session.engine._MAX_EXERCISES", 2)
    exercises = [
        make({"given": {"x": float(n)}, "call": "f(x)", "expect": 2.0 * n}) for n in range(3)
    ]
    order = [0, 1, 0, 2, 0, 1]
    assert order_of_computing(exercises, order, sandbox, monkeypatch) == [0, 1, 2, 1]
