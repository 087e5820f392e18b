"""What a hidden test is made of reaches no report, whatever a submission does to get it out."""

import textwrap
from pathlib import Path

import pytest

from grader.definitions.collection import load_exercise
from grader.definitions.exercise import Exercise
from grader.grading.engine import grade
from grader.grading.submission import Submission
from grader.grading.verdict import Verdict
from grader.reports.formats import FORMATS
from grader.reports.report import Batch, Report
from grader.sandbox.process import Sandbox

NUMBER, WORD = "271828.125", "quokka"  # in the hidden tests and nowhere else
CANARIES = (NUMBER, "271828", "271829", WORD, "wombat", "numbat")

DEFINITION = f"""\
    id: double
    title: Double it
    difficulty: beginner
    xp: 5
    instructions: Write `double(x)`.
    defines: {{double: {{}}}}
    starter: |
      def double(x):
          ...
    tests:
      - id: seen
        description: a small one
        given: {{x: 2.0}}
        call: double(x)
        expect: 4.0
      - {{id: told, hidden: true, description: about the {WORD}, disclose: category, given: {{x: {NUMBER}}}, call: double(x), expect: 543656.25}}
      - {{id: kept, hidden: true, description: the wombat again, disclose: nothing, given: {{x: {NUMBER}}}, call: double(x), expect: 543656.25}}
      - id: printed
        hidden: true
        given: {{x: {NUMBER}}}
        run: print(double(x), "{WORD}")
        stdout: "543656.25 {WORD}"
    solution: |
      def double(x):
          return 2 * x  # as the numbat does
    explanation: Twice is two times.
"""

SUBMISSIONS = {
    "prints": "def double(x):\n    print('I saw', x)\n    return x\n",
    "raises": "def double(x):\n    if x > 3:\n        raise ValueError(f'it was {x}')\n    return 2 * x\n",
    "returns": "def double(x):\n    return 2 * x if x < 3 else f'{x}'\n",
    "remembers": "seen = []\ndef double(x):\n    seen.append(x)\n    print(seen)\n    raise KeyError(str(seen))\n",
    "ends": "import os\ndef double(x):\n    print(x, flush=True)\n    if x > 3:\n        os._exit(3)\n    return 2 * x\n",
}


@pytest.fixture(scope="module")
def exercise(tmp_path_factory: pytest.TempPathFactory) -> Exercise:
    path = tmp_path_factory.mktemp("exercises") / "01-double.yaml"
    path.write_text(textwrap.dedent(DEFINITION))
    return load_exercise(path)


@pytest.fixture(scope="module")
def verdicts(exercise: Exercise, sandbox: Sandbox) -> dict[str, Verdict]:
    """What each of the submissions comes to in the real sandbox."""
    return {
        name: grade(exercise, Submission.from_bytes(Path("s.py"), source.encode()), sandbox)
        for name, source in SUBMISSIONS.items()
    }


@pytest.mark.parametrize("name", FORMATS)
def test_no_canary_leaves_a_hidden_test(name: str, verdicts: dict[str, Verdict]) -> None:
    """No input, expected value, description, output or solution, in any format."""
    renderer = FORMATS[name].renderer()
    reports = {key: Report.of_verdict(each, "s.py") for key, each in verdicts.items()}
    texts = [renderer.one(report) for report in reports.values()]
    texts.append(renderer.many(Batch(tuple(reports.values()))))
    if renderer.aside is not None:
        texts += [renderer.aside(Batch((report,))) for report in reports.values()]
    for text in texts:
        assert not [canary for canary in CANARIES if canary in text]


def test_the_hidden_tests_did_run(verdicts: dict[str, Verdict]) -> None:
    """Or there would be nothing to leak."""
    for verdict in verdicts.values():
        hidden = [test for test in verdict.tests if test.hidden]
        assert len(hidden) == 3
        assert not any(test.points for test in hidden)
        assert verdict.message == ""
