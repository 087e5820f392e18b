"""Hidden tests, of which no report shows anything, whatever a submission does.

Words and numbers that are nowhere else are in the inputs, the code, the description and the
expected value of hidden tests; submissions fail them in every way that there is, and put what they
were given into what they return, print and raise. Then every format is searched, also for what is
encoded or rounded (tests/test_secret_search.py).
"""

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml
from rich.console import Console

from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.grading.jobs import Job
from grader.grading.results.raw_result import DifferenceKind
from grader.grading.results.verdict import Outcome, TestResult, Verdict
from grader.grading.session.engine import Engine
from grader.grading.submissions.submission import Submission
from grader.reports.formats import FORMATS, find_function
from grader.reports.report import Batch, Report
from grader.reports.to_text import print_verdict
from grader.sandbox.process import Sandbox
from tests.secret_search import SecretSearch

Fields: TypeAlias = dict[str, Any]
Render: TypeAlias = Callable[[Verdict], str]

# Of a hidden figure test there is one sentence; see tests/grading/checks/test_figure.py.
KINDS = [kind for kind in DifferenceKind if kind is not DifferenceKind.FIGURE]


@dataclass(frozen=True, slots=True)
class Secret:
    """The data of one hidden test."""

    name: str  # of the input
    word: str  # in the description and in the test's own code
    input: float
    constant: float  # in the code of the expected value, where it counts for nothing

    @property
    def numbers(self) -> dict[str, float]:
        """Every number of the test: the input, the expected value, and possible results."""
        x = self.input
        return {
            "input": x,
            "constant": self.constant,
            "expected": 2 * x,
            "got": 3 * x,
            "in place": 5 * x,
            "added": 7 * x,
        }


SECRETS = {
    "nothing": Secret("quokka", "wombat", 27182.8125, 60221.75),
    "category": Secret("numbat", "bilby", 141421.375, 66260.25),
    "inputs": Secret("echidna", "potoroo", 5772156.5, 13806.75),
}
OTHERS = {name: replace(each, input=each.input * 1.0625) for name, each in SECRETS.items()}
"""The same tests of other data."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to fail a hidden test: the test, and the submission's treatment of `x`."""

    does: str
    test: Fields | None = None
    says: str = "print"  # the function that gets all inputs so far

    def source(self, seen: str = "x") -> str:
        """Return the submission, and with it what it returns in the visible test."""
        return SOURCE.format(says=self.says, seen=seen, does=self.does)

    def fields(self, secret: Secret) -> Fields:
        """Return the fields of a test about a secret."""
        own = self.test or {"call": "double({name})"}
        text = {k: _filled(v, secret) for k, v in own.items()}
        expected = {"expression": f"2 * {secret.name} + 0 * {secret.constant}"}
        return {"expect": expected, **text} if set(text) <= _OF_CALLS else text


_OF_CALLS = {"call", "keep_inputs", "budget", "expect"}


def _filled(value: object, secret: Secret) -> object:
    if not isinstance(value, str):
        return value
    return value.format(name=secret.name, word=secret.word, twice=2 * secret.input)


PRINTED = {"run": "print('{word}', double({name}).tolist())", "stdout": "{word} [{twice}, {twice}]"}
WAYS: Mapping[str, Way] = {
    DifferenceKind.NOTHING: Way("return None"),
    DifferenceKind.TYPE: Way("return f'{x}'"),
    DifferenceKind.LENGTH: Way(
        "return [3 * x]", {"call": "double({name})", "expect": {"expression": "[1, 2]"}}
    ),
    DifferenceKind.SHAPE: Way("return 3 * x[:1]"),
    DifferenceKind.DTYPE: Way("return np.rint(3 * x).astype(int)"),
    DifferenceKind.NOT_FINITE: Way("return np.where(x > 0, np.nan, x)"),
    DifferenceKind.VALUES: Way("return 3 * x"),
    DifferenceKind.SILENCE: Way(
        "return 2 * x", {**PRINTED, "run": "double({name})  # {word}"}, says="str"
    ),
    DifferenceKind.TEXT: Way("return 3 * x", PRINTED),
    DifferenceKind.INPUTS: Way("y = 2 * x\n    x *= 5\n    return y", {"call": "double({name})"}),
    DifferenceKind.PROPERTY: Way(
        "return x", {"call": "double({name})", "holds": "shift_invariant"}
    ),
    DifferenceKind.ASSERTION: Way(
        "return 3 * x", {"pytest": "assert (double({name}) == {twice}).all(), f'{word} {{{name}}}'"}
    ),
    DifferenceKind.BUDGET: Way(
        "return np.stack([2 * x] * 50_000)[0]", {"call": "double({name})", "budget": {"memory": 2}}
    ),
    "unsupported": Way("return lambda: x"),
    "unusable": Way("return 3 * x[0]", {"call": "double({name})[1]"}),
    "raised": Way("raise ValueError(f'it was {x}')"),
    "raised in numpy": Way("return x @ np.ones((int(x[0]) % 1000, 2))"),
    "recursion": Way("return double(x + 7)"),
    Outcome.TIMED_OUT: Way("while True: pass"),
    Outcome.OUT_OF_MEMORY: Way("return np.ones((1 << 40, len(x)))"),
    Outcome.OUTPUT_LIMIT: Way("print('looked at', x.tolist() * 10_000)"),
    "exit": Way("raise SystemExit(f'{x}')"),
    "exit at once": Way("os._exit(int(x[0]) % 256)"),
    "abort": Way("os.abort()"),
    "kill": Way("os.kill(os.getpid(), 9)"),
}
"""Each kind of difference, each outcome, and other ways for something to come out."""

SOURCE = """\
import os
import numpy as np

seen = []


def double(x):
    seen.append(x.tolist())
    {says}(seen)
    if x[0] < 1000:
        return {seen}
    {does}
"""


def definition(secrets: Mapping[str, Secret], way: Way) -> Fields:
    """Return an exercise that has its hidden tests before the visible ones."""
    hidden = [
        {
            "id": f"{disclose}-told",
            "hidden": True,
            "description": f"as the {secret.word} does, {secret.input}",
            "disclose": disclose,
            "given": f"{secret.name} = np.full(2, {secret.input})  # {secret.word}\n",
            **way.fields(secret),
        }
        for disclose, secret in secrets.items()
    ]
    visible = {"given": {"x": [1.5, 2.5]}, "call": "double(x)", "expect": [3.0, 5.0]}
    return {
        "id": "double",
        "title": "Double it",
        "difficulty": "beginner",
        "xp": 5,
        "instructions": "Write `double(x)`.",
        "defines": {"double": {}},
        "starter": "def double(x):\n    ...\n",
        "limits": {"cpu_seconds": 1, "output_kib": 64},
        "tests": [*hidden, {"id": "seen", "description": "two numbers", **visible}],
        "solution": "def double(x):\n    return 2 * x  # as the wombat knows\n",
        "explanation": "Twice is two times, says the wombat.",
    }


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Fields], Exercise]:
    """Load an exercise from its fields."""

    def loaded(fields: Fields) -> Exercise:
        path = tmp_path_factory.mktemp("exercises") / "01-double.yaml"
        path.write_text(yaml.safe_dump(json.loads(json.dumps(fields)), sort_keys=False))
        return load_exercise_file(path)

    return loaded


def grade_sources(sandbox: Sandbox, jobs: Mapping[str, tuple[Exercise, str]]) -> dict[str, Verdict]:
    """Grade sources in the real sandbox; all with the same times and hashes."""
    engine, found = Engine(sandbox), {}
    for name, (exercise, source) in jobs.items():
        submission = Submission.from_bytes(Path("s.py"), source.encode())
        found[name] = level_times_and_hashes(engine.grade(Job(exercise, submission)))
    return found


def level_times_and_hashes(verdict: Verdict) -> Verdict:
    tests = tuple(
        replace(test, seconds=None if test.seconds is None else 0.001) for test in verdict.tests
    )
    return replace(verdict, tests=tests, exercise_hash="e" * 64, submission_hash="f" * 64)


@pytest.fixture(scope="module")
def verdicts(sandbox: Sandbox, load: Callable[[Fields], Exercise]) -> dict[str, Verdict]:
    """The verdict of each way to fail, with tests of every disclosure."""
    jobs = {name: (load(definition(SECRETS, way)), way.source()) for name, way in WAYS.items()}
    return grade_sources(sandbox, jobs)


def terminal(verdict: Verdict) -> str:
    """Return the output of a colour terminal with `--verbose`."""
    console = Console(file=io.StringIO(), width=100, force_terminal=True, color_system="truecolor")
    print_verdict(console, verdict, verbose=True)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def _one(name: str, *, verbose: bool) -> Render:
    def render(verdict: Verdict) -> str:
        report = replace(Report.from_verdict(verdict, "s.py"), verbose=verbose)
        return FORMATS[name].render(report)

    return render


def _many(name: str) -> Render:
    def render(verdict: Verdict) -> str:
        chosen = FORMATS[name]
        batch = Batch((replace(Report.from_verdict(verdict, "in/ada/s.py"), student="ada"),))
        appendix = find_function(chosen.appendix)(batch) if chosen.appendix else ""
        return chosen.render(batch) + appendix

    return render


RENDERERS: Mapping[str, Render] = {
    "terminal": terminal,
    **{name: _one(name, verbose=False) for name in FORMATS},
    **{f"{name} in full": _one(name, verbose=True) for name in FORMATS},
    **{f"{name} of many": _many(name) for name in FORMATS},
}


def search_hidden(disclosures: Mapping[str, Secret]) -> SecretSearch:
    """Return the search for what no report may have: everything but inputs that may be told."""
    words, numbers = set[str](), set[float]()
    for disclose, secret in disclosures.items():
        may_be_told = {"input"} if disclose == "inputs" else set[str]()
        words |= {secret.word} | ({secret.name} if not may_be_told else set())
        numbers |= {number for name, number in secret.numbers.items() if name not in may_be_told}
    return SecretSearch.of(words, numbers)


@pytest.mark.slow
@pytest.mark.parametrize("name", RENDERERS)
def test_nothing_of_a_hidden_test_is_in_a_report(name: str, verdicts: dict[str, Verdict]) -> None:
    """No input, expected value, code, description, output or difference, however it is written."""
    search = search_hidden(SECRETS)
    for way, verdict in verdicts.items():
        assert (way, search.encoded(RENDERERS[name](verdict).encode())) == (way, set())


@pytest.mark.slow
def test_each_way_to_fail_did_come_about(verdicts: dict[str, Verdict]) -> None:
    """Otherwise there would be nothing to leak: every kind of sentence and outcome occurs."""
    told = {way: _hidden(verdict, "category").message for way, verdict in verdicts.items()}
    assert len({told[kind] for kind in KINDS}) == len(KINDS)
    outcomes = {test.outcome for verdict in verdicts.values() for test in verdict.tests}
    assert outcomes == {*Outcome} - {Outcome.PASSED}
    for verdict in verdicts.values():
        assert all(test.points == 0 for test in verdict.tests)
        shown = next(test for test in verdict.tests if not test.hidden)
        assert shown.got is not None


@pytest.mark.slow
def test_a_hidden_result_has_an_id_an_outcome_and_a_sentence(verdicts: dict[str, Verdict]) -> None:
    """And nothing else, whatever may be added to the results of visible tests."""
    for verdict in verdicts.values():
        for test in (test for test in verdict.tests if test.hidden):
            bare = TestResult(
                test.id, "", True, test.outcome, test.points, test.max_points, test.message
            )
            assert test == bare


@pytest.mark.slow
def test_inputs_are_told_where_they_may_be(verdicts: dict[str, Verdict]) -> None:
    """The disclosure `inputs` shows these, and only those of its own test."""
    for kind in KINDS:
        message = _hidden(verdicts[kind], "inputs").message
        assert message.endswith("Its inputs: echidna = array([5772156.5, 5772156.5]).")


def _hidden(verdict: Verdict, disclose: str) -> TestResult:
    return next(test for test in verdict.tests if test.id == f"{disclose}-told")


UNTOLD = {name: SECRETS[name] for name in ("nothing", "category")}


@pytest.fixture(scope="module")
def of_other_data(
    sandbox: Sandbox, load: Callable[[Fields], Exercise]
) -> Mapping[str, tuple[Verdict, Verdict]]:
    """The verdicts of one submission on two exercises that differ in their hidden data only."""
    pair = (UNTOLD, {name: OTHERS[name] for name in UNTOLD})
    jobs = {
        f"{way} {number}": (load(definition(secrets, each)), each.source())
        for way, each in WAYS.items()
        for number, secrets in enumerate(pair)
    }
    found = grade_sources(sandbox, jobs)
    return {way: (found[f"{way} 0"], found[f"{way} 1"]) for way in WAYS}


@pytest.mark.slow
@pytest.mark.parametrize("name", RENDERERS)
def test_other_hidden_data_make_no_other_report(
    name: str, of_other_data: Mapping[str, tuple[Verdict, Verdict]]
) -> None:
    """Byte by byte, but for the hash of the exercise and what the visible tests took."""
    for way, (one, other) in of_other_data.items():
        assert (way, RENDERERS[name](one)) == (way, RENDERERS[name](other))


@pytest.mark.slow
def test_where_nothing_may_be_told_every_way_to_fail_is_one(
    sandbox: Sandbox, load: Callable[[Fields], Exercise]
) -> None:
    """Also one that ends the program: the verdict of each is the same."""
    plain = Way("", {"call": "double({name})", "budget": {"memory": 2}})
    exercise = load(definition({"nothing": SECRETS["nothing"]}, plain))
    jobs = {
        way: (exercise, each.source("2 * x"))
        for way, each in WAYS.items()
        if way is not DifferenceKind.SILENCE  # that one is right in a call
    }
    (only,) = set(grade_sources(sandbox, jobs).values())
    assert only.outcome is Outcome.FAILED
    assert only.score == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("return x + x + x", "return x + x + x + x"),
        ("return 3 * x[:1]", "return np.outer(x, x)"),
        ("return f'{x}'", "return [str(x)] * 9"),
        ("raise ValueError(f'it was {x}')", "return x @ np.ones((int(x[0]) % 1000, 2))"),
        ("raise ValueError(f'it was {x}')", "raise SystemExit(f'{x}')"),
    ],
)
def test_of_a_category_nothing_else_is_told(
    one: str, other: str, sandbox: Sandbox, load: Callable[[Fields], Exercise]
) -> None:
    """Two submissions that fail hidden tests by the same kind of difference get the same verdict.

    A small example has other values, since these are of inputs of its own.
    """
    exercise = load(definition(UNTOLD, Way("")))
    jobs = {does: (exercise, Way(does).source("2 * x")) for does in (one, other)}
    assert len({replace(each, example=None) for each in grade_sources(sandbox, jobs).values()}) == 1
