"""Suites of tests that a learner wrote, run on right and wrong programs in the real sandbox."""

import textwrap
from pathlib import Path

import pytest

from grader.browser.data_encoding import from_text
from grader.browser.page_child import PageChildFactory
from grader.browser.shipping import make_grading_data
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.errors import DefinitionError
from grader.grading.expected.oracle import Oracle
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.run.submission_run import SubmissionRun
from grader.grading.submissions.submission import Submission
from grader.sandbox.process import Sandbox
from tests.grading.conftest import grade

TASK = """
id: test-centred
title: Test a function that centres rows
kind: test
difficulty: beginner
xp: 5
limits: {cpu_seconds: 1}
instructions: Write tests for `centred(x)`, which subtracts from each row its mean.
starter: |
  from program import centred
defines:
  centred: {}
program: |
  import numpy as np
  def centred(x):
      if x.ndim == 0:
          raise ValueError("a number has no rows")
      return x - x.mean(axis=-1, keepdims=True)
also_right:
  - |
    import numpy as np
    def centred(x):
        if x.ndim == 0:
            raise ValueError("one number is no row")
        return x - (np.add.reduce(x, axis=-1) / x.shape[-1])[..., None]
tests:
  - {id: right, suite: accepts}
  - {id: wrong, suite: rejects, at_least: 0.9, points: 10}
misconceptions:
  - id: whole-mean
    code: |
      def centred(x):
          if x.ndim == 0:
              raise ValueError("none")
          return x - x.mean()
    feedback: Give it several rows, with means of their own.
    hint: 1
  - id: in-place
    code: |
      def centred(x):
          if x.ndim == 0:
              raise ValueError("none")
          x -= x.mean(axis=-1, keepdims=True)
          return x
    feedback: Look at the argument after the call.
  - id: takes-numbers
    code: |
      def centred(x):
          return x - x.mean(axis=-1, keepdims=True) if x.ndim else x
    feedback: A single number has no mean of a row.
hints: [Two rows.]
solution: |
  import numpy as np
  import pytest
  from program import centred

  X = np.array([[1.0, 2.0, 6.0], [10.0, 20.0, 60.0]])
  ROWS = [(X, [[-2.0, -1.0, 3.0], [-20.0, -10.0, 30.0]]), (X[0], [-2.0, -1.0, 3.0])]

  @pytest.mark.parametrize("x, expected", ROWS)
  def test_values(x, expected):
      before = x.copy()
      assert centred(x) == pytest.approx(np.array(expected))
      np.testing.assert_array_equal(x, before)

  def test_number():
      with pytest.raises(ValueError):
          centred(np.array(1.0))
explanation: Each wrong program is right for one row that nobody looks at again.
"""

HEAD = "import numpy as np\nimport pytest\nfrom program import centred\nX = np.array([[1.0, 3.0], [5.0, 9.0]])\n"


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Exercise:
    path = tmp_path_factory.mktemp("suite") / "01-test-centred.yaml"
    path.write_text(TASK)
    return load_exercise_file(path)


def grade_program(task: Exercise, sandbox: Sandbox, tests: str) -> Verdict:
    source = HEAD + textwrap.dedent(tests)
    return grade(task, source, sandbox)


def test_solution_passes(task: Exercise, sandbox: Sandbox) -> None:
    """Assertions, tables of cases, `raises` and `approx` mean what they mean in pytest."""
    verdict = grade(task, task.solution, sandbox)
    assert [test.message for test in verdict.tests] == ["", ""]
    assert (verdict.outcome, verdict.score, verdict.xp) == (Outcome.PASSED, 11, 5)


def test_missed_misconceptions_are_told_one_at_a_time(task: Exercise, sandbox: Sandbox) -> None:
    """Points follow the share; the first missed program has its feedback and its hint."""
    verdict = grade_program(
        task, sandbox, "def test_one_row():\n    assert centred(X[0]).sum() == 0"
    )
    right, wrong = verdict.tests
    assert (right.outcome, wrong.outcome) == (Outcome.PASSED, Outcome.FAILED)
    assert 0 < wrong.points < 10
    assert wrong.message.startswith("Your tests reject ")
    assert verdict.diagnosis is not None
    assert (verdict.diagnosis.id, verdict.diagnosis.hint) == ("whole-mean", 1)
    assert "mean(" not in wrong.message + verdict.diagnosis.feedback


@pytest.mark.parametrize(
    ("tests", "sentence"),
    [
        (
            "def test_a():\n    pass\n\ndef test_sum():\n    assert centred(X).sum() == 1, 'No.'",
            "`test_sum` refuses the right program (line 9): an `assert` does not hold: No. Its last call: "
            "`centred(array([[1., 3.], [5., 9.]])) gives array([[-1., 1.], [-2., 2.]])`.",
        ),
        (
            "def test_text():\n    with pytest.raises(ValueError, match='has no'):\n"
            "        centred(np.array(1.0))",
            "`test_text` refuses a right program that is written another way (line 6): an `assert` "
            "does not hold: the message 'one number is no row' does not match 'has no'. "
            "Its last call: `centred(array(1.)) raises ValueError`.",
        ),
        (
            "@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n):\n    centred(n)",
            "`test_n[0]` refuses the right program (line 7): it ends with AttributeError: 'int' "
            "object has no attribute 'ndim'. Its last call: `centred(1) raises AttributeError`. "
            "`test_n[1]` does so too.",
        ),
        ("def check_nothing():\n    pass", "There is no test in your file."),
        (  # a test that is skipped on every program would count as one that all of them pass
            "def test_skip():\n    pytest.skip()",
            "`test_skip` refuses the right program (line 6): it "
            "ends with AttributeError: there is no pytest.skip here; there are approx, raises "
            "and mark.parametrize.",
        ),
    ],
)
def test_a_right_program_is_refused(
    task: Exercise, sandbox: Sandbox, tests: str, sentence: str
) -> None:
    """The sentence names the test, its line, the last call and which right program it is."""
    right, wrong = grade_program(task, sandbox, tests).tests
    assert right.message.startswith(sentence)
    assert (right.points, wrong.points) == (0, 0)
    assert wrong.message == "Wrong programs are tried when every right program passes your tests."


PARTS = [("id:", "program:"), ("tests:", "misconceptions:"), ("hints:", "explanation:")]
"""The beginnings and ends of the parts of the task that do not depend on its programs."""

CHEATS = {
    "asserts nothing": "def test():\n    centred(X)",
    # The cheat itself: a suite whose only assertion always holds.
    "never calls the function": "def test():\n    assert True",
    "refuses everything": "def test():\n    assert False",
    "reads the code": "def test():\n    assert 'keepdims' in centred.__code__.co_names",
    "reads the source": "import inspect\ndef test():\n    assert 'sum' not in inspect.getsource(centred)",
    "looks into the closure": """
        def test():
            parts = [c.cell_contents for c in centred.__closure__]
            assert 'mean' not in repr([vars(p) for p in parts if hasattr(p, '__dict__')]) + repr(parts)
    """,
    "looks for the program's module": """
        import gc, sys
        def test():
            sources = [o for o in gc.get_objects() if isinstance(o, str) and 'x.mean()' in o]
            assert not sources and 'submission' in sys.modules and not hasattr(sys.modules['submission'], 'mean')
    """,
    "reads files": """
        import glob, os
        def test():
            text = ''.join(open(p, errors='replace').read() for p in glob.glob('*.py') + glob.glob('/tmp/*.py'))
            assert 'x.mean()' not in text
    """,
    "counts how often it was loaded, in a file": """
        import os
        def test():
            first = not os.path.exists('seen')
            open('seen', 'w').close()
            assert first
    """,
    "counts how often it was loaded, in a module": """
        np.seen = getattr(np, 'seen', 0) + 1
        def test():
            assert np.seen == 1
    """,
    "looks at its pid": "import os\ndef test():\n    assert os.getpid() < 4",
    "looks at an address": "def test():\n    assert id(centred) % 64 < 32",
    "looks at the clock": "import time\ndef test():\n    assert time.time_ns() // 1000 % 2",
    "throws dice": "import random\ndef test():\n    assert random.random() < 0.5",
    "ends its process": "import os\ndef test():\n    os._exit(0)",
    "exits": "def test():\n    raise SystemExit(0)",
    "interrupts": "def test():\n    raise KeyboardInterrupt",
    "never ends": "def test():\n    while True:\n        pass",
    "takes all memory": "def test():\n    np.ones(1 << 40)",
    "prints without end": "def test():\n    while True:\n        print('x' * 1000)",
    "asks for an array of a gigabyte": "def test():\n    centred(np.zeros((1 << 13, 1 << 14)))",
    "patches NumPy": """
        np.mean = np.ndarray.mean = None
    """,
    "patches builtins": """
        import builtins
        builtins.abs = lambda x: 1 / 0
        def test():
            centred(X)
    """,
    "replaces the function": """
        import program
        def test():
            program.centred = lambda x: x
            assert program.centred(X) is X
    """,
    "replaces the runner": """
        import sys
        for module in list(sys.modules.values()):
            if hasattr(module, 'failures'):
                module.failures = lambda *_, **__: [1, []]
    """,
    "says that all have failed": """
        import sys
        for module in list(sys.modules.values()):
            if hasattr(module, 'failures'):
                module.failures = lambda *_, **__: [1, [['test', 'E', '', []]]]
    """,
    "answers with nonsense": """
        import sys
        for module in list(sys.modules.values()):
            if hasattr(module, 'failures'):
                module.failures = lambda *_, **__: {'passed': True}
    """,
    "compares names": "def test():\n    assert centred.__name__ == centred.__qualname__ == 'centred'",
}


BESIDE_THE_RESULT = """
    import gc, os, random, sys, time, warnings

    CODE = "return x" + " - x.mean("  # not a text of this file

    def result_of(x):
        try:
            return centred(x.copy())
        except Exception as error:
            return error

    def test_identity_of_results():
        one, other = result_of(X), result_of(X)
        assert one is not other and id(one) != id(other)

    def test_warnings():
        with warnings.catch_warnings(), np.errstate(all="raise"):
            warnings.simplefilter("error")
            result_of(np.full((2, 2), np.inf))

    def test_what_an_exception_carries():
        error = result_of(np.zeros(()))
        node, seen = getattr(error, "__traceback__", None), [getattr(error, "__cause__", None)]
        while node:
            seen.append((node.tb_frame.f_code.co_filename, list(node.tb_frame.f_locals.values())))
            node = node.tb_next
        assert CODE not in repr(seen)

    def test_time():
        began = time.perf_counter()
        result_of(X)
        assert time.perf_counter() - began < 5 and time.process_time() < 5

    def test_random_state():
        before = random.getstate(), repr(np.random.get_state())
        result_of(X)
        assert (random.getstate(), repr(np.random.get_state())) == before

    def test_objects_and_modules():
        parts = [o for o in gc.get_objects() if isinstance(o, (dict, list, tuple))]
        parts += [vars(module) for module in list(sys.modules.values()) if hasattr(module, "__dict__")]
        texts = [t for p in parts for t in (p.values() if isinstance(p, dict) else p)]
        assert not [t for t in texts if isinstance(t, str) and CODE in t and t is not CODE]

    def test_frames():
        frame, seen = sys._getframe(), ""
        while frame := frame.f_back:
            seen += repr([v for v in frame.f_locals.values() if isinstance(v, (str, list, tuple))])
        assert CODE not in seen

    def test_files():
        for folder in {os.path.realpath(f) for f in (".", "/tmp", "/dev/shm", "/var/tmp")}:
            path = os.path.join(folder, "seen")
            assert not os.path.exists(path)
            try:
                open(path, "w").close()
            except OSError:
                pass

    def test_environment():
        assert "SEEN" not in os.environ
        os.environ["SEEN"] = "1"
        assert CODE not in repr(os.environ) + repr(sys.argv)
"""


def test_a_suite_sees_nothing_of_a_program_beside_its_results(
    task: Exercise, sandbox: Sandbox
) -> None:
    """These tests hold on a right program, and would not if they saw anything of it or kept it."""
    right, wrong = grade_program(task, sandbox, BESIDE_THE_RESULT).tests
    assert (right.message, right.outcome, wrong.points) == ("", Outcome.PASSED, 0)
    assert wrong.message.startswith("Your tests reject 0 of ")


@pytest.mark.parametrize("tests", CHEATS.values(), ids=CHEATS)
def test_nothing_but_behaviour_earns_points(task: Exercise, sandbox: Sandbox, tests: str) -> None:
    """A suite that does not judge results rejects no wrong program, or refuses right ones too."""
    verdict = grade_program(task, sandbox, tests)
    assert verdict.outcome is not Outcome.PASSED
    assert verdict.tests[1].points == 0
    assert all(test.message for test in verdict.tests if test.outcome is not Outcome.PASSED)


def test_what_a_suite_prints_or_patches_changes_nothing(task: Exercise, sandbox: Sandbox) -> None:
    """An honest suite passes whatever else it does in its own process."""
    noise = "print('x' * 100)\nnp.mean = np.add = None\n"
    verdict = grade(
        task,
        Submission.from_bytes(
            Path("s.py"),
            (noise + task.solution).replace("print", "import numpy as np\nprint", 1).encode(),
        ),
        sandbox,
    )
    assert verdict.outcome is Outcome.PASSED


def test_a_function_of_the_suite_can_be_an_argument(sandbox: Sandbox, tmp_path: Path) -> None:
    """The program calls it in the suite's process, as a test of a numerical gradient needs."""
    text = TASK.replace("centred", "slope").replace("(x):", "(f, x):")
    parts = [text[text.index(begin) : text.index(end)] for begin, end in PARTS]
    program = "program: |\n  def slope(f, x):\n      return f(x + 0.5) - f(x - 0.5)\n"
    path = tmp_path / "01-test-slope.yaml"
    path.write_text("".join([parts[0], program, *parts[1:], "explanation: It is symmetric.\n"]))
    source = (
        "from program import slope\ndef test():\n    calls = []\n"
        "    assert slope(lambda x: calls.append(x) or x * x, 3.0) == 6.0\n"
        "    assert calls == [3.5, 2.5]"
    )
    verdict = grade(
        load_exercise_file(path), Submission.from_bytes(Path("s.py"), source.encode()), sandbox
    )
    assert [test.message for test in verdict.tests] == ["", ""]


def test_a_page_judges_a_suite_for_practice_alone(task: Exercise, sandbox: Sandbox) -> None:
    """It is sent the programs then; otherwise it has neither a test nor a program."""
    data = from_text(make_grading_data(task, sandbox, for_practice=True))
    place = PageChildFactory()
    oracle = Oracle(data.exercise, place, dict(data.values))
    submission = Submission.from_bytes(Path("s.py"), task.solution.encode())
    with SubmissionRun(oracle, submission) as run:
        run.load()
        results = [run.grade_test(test) for test in data.exercise.tests]
    assert [test.message for test in results] == ["", ""]
    certified = from_text(make_grading_data(task, sandbox)).exercise
    assert (certified.tests, certified.program, certified.misconceptions) == ((), "", ())


@pytest.mark.parametrize(
    ("there", "instead", "problem"),
    [
        ("kind: test", "kind: write", "only an exercise of kind test has a program"),
        (TASK[TASK.index("program: |") : TASK.index("also_right")], "", "missing key 'program'"),
        ("{id: right, suite: accepts}", "{id: right, call: centred(1.0), expect: 1.0}",
         "tests have 'suite' where the kind is test, and only there"),
        ("suite: accepts}", "suite: accepts, hidden: true}", "a test with 'suite' is never hidden"),
        ("centred: {}", "centred: {kind: class}", "a suite calls functions only"),
    ],
)  # fmt: skip
def test_definition(tmp_path: Path, there: str, instead: str, problem: str) -> None:
    """What cannot be graded is refused when the exercise is loaded."""
    assert there in TASK
    path = tmp_path / "01-test-centred.yaml"
    path.write_text(TASK.replace(there, instead, 1))
    with pytest.raises(DefinitionError) as caught:
        load_exercise_file(path)
    assert problem in str(caught.value)
