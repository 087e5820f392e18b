"""An exercise may ask for other limits, up to the site's cap."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from grader.definitions.collection import load_exercise_file
from grader.errors import DefinitionError
from grader.grading.jobs import find_limits
from grader.grading.results.verdict import Outcome, TestResult, Verdict
from grader.grading.submissions.submission import Submission
from grader.sandbox.limits import DEFAULT_LIMITS
from grader.sandbox.process import Sandbox
from tests.grading.conftest import grade

TEXT = (
    "id: slow\ntitle: Slow\ndifficulty: beginner\nxp: 1\ninstructions: i\ndefines: {f: {}}\n"
    "starter: ''\nsolution: 'def f(x): return x'\nexplanation: e\n"
    "tests: [{id: only, call: f(1), expect: 1}]\nlimits: {LIMITS}\n"
)


def exercise_file(folder: Path, limits: str) -> Path:
    path = folder / "slow.yaml"
    path.write_text(TEXT.replace("LIMITS", limits))
    return path


def test_what_an_exercise_asks_for_takes_the_place_of_the_usual(tmp_path: Path) -> None:
    """Only what is named changes."""
    found = find_limits(
        load_exercise_file(exercise_file(tmp_path, "cpu_seconds: 20, memory_mib: 512"))
    )
    assert (found.cpu_seconds, found.address_space) == (20, 512 << 20)
    assert found.wall_seconds == DEFAULT_LIMITS.wall_seconds


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ("cpu_seconds: 31", "limits: cpu_seconds may be at most 30, found 31"),
        ("wall_seconds: 61.0", "limits: wall_seconds may be at most 60.0, found 61.0"),
        ("memory_mib: 5000", "limits: address_space may be at most 4,294,967,296"),
    ],
)
def test_more_than_the_site_allows_is_the_definition_s_error(
    tmp_path: Path, limits: str, message: str
) -> None:
    """With the place in the file."""
    path = exercise_file(tmp_path, limits)
    with pytest.raises(DefinitionError) as caught:
        find_limits(load_exercise_file(path))
    assert str(caught.value).startswith(f"{path}:11:9: {message}")


def test_the_limits_of_the_exercise_hold(tmp_path: Path, sandbox: Sandbox) -> None:
    """A submission that sleeps longer than this exercise allows is stopped."""
    exercise = load_exercise_file(exercise_file(tmp_path, "wall_seconds: 1.0"))
    source = b"import time\ndef f(x):\n    time.sleep(60)\n    return x\n"
    verdict = grade(exercise, Submission.from_bytes(Path("slow.py"), source), sandbox)
    assert verdict.outcome == "timed out"
    # On a busy machine the time may be over before its function is called.
    assert "Stopped after 1 s" in (verdict.message or verdict.tests[0].message)


@pytest.mark.parametrize(
    "test",
    [
        {"call": "np.broadcast_to(f(1), (2**26,))", "expect": 1},
        {"call": "(np.empty((f(1), 2**50)), 1)", "expect": 1},
        {"call": "[np.broadcast_to(f(1), (2**26,))]", "holds": "deterministic"},
        {"pytest": "assert np.empty((f(1), 2**50)).sum() == 1"},
    ],
)
def test_what_a_test_makes_of_a_result_has_an_end(
    grade_one: Callable[..., TestResult], test: dict[str, object]
) -> None:
    """It is too large to judge: the submission is out of memory, and the grader is not."""
    result = grade_one("def f(x): return 1", test)
    assert result.outcome is Outcome.OUT_OF_MEMORY
    assert "does not fit into memory" in result.message


def test_too_much_before_the_submission_was_asked_is_the_author_s(
    grade_one: Callable[..., TestResult],
) -> None:
    """A body that needs all memory for itself cannot be run."""
    with pytest.raises(DefinitionError, match="pytest raises TooLargeError"):
        grade_one("def f(x): return 1", {"pytest": "assert f(np.empty(2**52)) == 1"})


LARGE = "import numpy as np\ndef f(x): return np.ones((1600, 1000))"  # 12.2 MiB
WIDE = "import numpy as np\ndef f(x): return np.ones((4, 4, 50))"


@pytest.mark.parametrize(
    "test",
    [
        {"call": "f(x) @ f(x).T", "expect": "solution"},
        {"call": "f(x) @ f(x).T", "expect": [[1.0]]},
        {"call": "f(x) @ f(x).T", "holds": "deterministic"},
        {"pytest": "assert (f(x) @ f(x).T).sum() == 1"},
    ],
)
def test_a_result_far_larger_than_a_right_one_is_refused(
    grade_one: Callable[..., TestResult], test: dict[str, object]
) -> None:
    """The test does not compute on it; the learner is told its shape."""
    given = {"x": np.ones((4, 4)).tolist()}
    result = grade_one(LARGE, {"given": given, **test})
    assert result.outcome is Outcome.FAILED
    assert result.message == (
        "Your function returned a value of 12.2 MiB (an array of shape (1600, 1000)). Look at the "
        "shape of your result: is a length of it much too large?"
    )
    hidden = grade_one(LARGE, {"given": given, "hidden": True, **test})
    assert hidden.message == "The result has the wrong shape for the inputs of this hidden test."


def test_a_wrong_shape_of_ordinary_size_is_explained_as_such(
    grade_one: Callable[..., TestResult],
) -> None:
    """An axis too many is compared with what is expected."""
    given = {"x": np.ones((4, 4)).tolist()}
    result = grade_one(WIDE, {"given": given, "call": "f(x)", "expect": "solution"})
    assert "should have shape (4, 4), but has shape (4, 4, 50)" in result.message


def test_a_right_result_is_never_too_large(grade_all: Callable[..., Verdict]) -> None:
    """However small the inputs and what a test makes of it are, the solution's size is allowed."""
    source = "import numpy as np\ndef f(x): return np.ones((1600, 1000 * x))"
    test = {"given": {"x": 1}, "call": "f(x).sum()", "expect": "solution"}
    assert grade_all(source, test, solution=source).outcome is Outcome.PASSED


def test_a_value_that_is_far_too_large_is_refused_before_any_test(
    grade_all: Callable[..., Verdict],
) -> None:
    """Also where a submission defines values and not functions."""
    source = "import numpy as np\nf = np.ones((1600, 1000))"
    solution = "f = 1.0"
    test = {"call": "f @ f.T", "expect": [[1.0]]}
    verdict = grade_all(source, test, solution=solution, defines={"f": {"kind": "value"}})
    assert verdict.message == (
        "`f` is a value of 12.2 MiB (an array of shape (1600, 1000)). Look at its shape: is a "
        "length of it much too large?"
    )
