"""Bodies of pytest tests: rewritten asserts, and the submission behind proxies."""

from typing import TYPE_CHECKING

import pytest

from grader.errors import DefinitionError
from grader.grading.checks.pytest_body import rebuild_exception
from grader.grading.results.verdict import Outcome
from grader.sandbox.answers import Raised

if TYPE_CHECKING:
    from tests.grading.conftest import Fields, GradeAll, GradeOne

DOUBLE = "import numpy as np\ndef f(x):\n    return 2 * x\n"


def body(*lines: str, **fields: object) -> "Fields":
    return {"given": {"x": [1.0, 2.0]}, "pytest": "\n".join(lines) + "\n", **fields}


@pytest.mark.parametrize(
    "lines",
    [
        ["assert f(x).sum() == 6"],
        ["assert np.array_equal(f(x), x + x), 'never said'"],
        ["assert f(x) == pytest.approx([2.0, 4.0])"],
        ["np.testing.assert_allclose(f(x), [2, 4])"],
        ["def twice(y):", "    return f(f(y))", "assert twice(1.0) == 4"],
        ["for k in (1, 2):", "    assert f(k) == 2 * k"],
        ["with pytest.raises(TypeError, match='unsupported operand'):", "    f({})"],
        ["with pytest.raises((ValueError, LookupError)):", "    f(x) @ f(np.ones(3))"],
        [
            "with pytest.raises(Exception) as caught:",
            "    f({})",
            "assert 'dict' in str(caught.value)",
        ],
        ["try:", "    f({})", "except TypeError:", "    pass", "else:", "    assert False"],
    ],
)
def test_a_body_passes_as_in_pytest(grade_one: "GradeOne", lines: list[str]) -> None:
    """`np`, `pytest`, the given names and proxies for what is defined are there."""
    result = grade_one(DOUBLE, body(*lines))
    assert result.outcome is Outcome.PASSED, result.message


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["assert f(x).sum() == 7"], "This does not hold: `assert f(x).sum() == 7`: 6.0 == 7; where [2. 4.] = f([1. 2.])"),
        (
            ["weights = f(x)", "assert weights.sum() <= 1, 'Weights add up to one.'"],
            "This does not hold: `assert weights.sum() <= 1, 'Weights add up to one.'`: "
            "Weights add up to one.; 6.0 <= 1",
        ),
        (["assert f(3) == f(4)"], "This does not hold: `assert f(3) == f(4)`: 6 == 8; where 6 = f(3); and 8 = f(4)"),
        (
            ["with pytest.raises(ValueError):", "    f(x)"],
            "This does not hold: `with pytest.raises(ValueError): f(x)`: no ValueError was raised",
        ),
        (["if f(x).size:", "    pytest.fail('Look at the shape.')", "assert True"], "This does not hold: `pytest.fail('Look at the shape.')`: Look at the shape."),
        (
            ["for k in range(3):", "    assert f(k) < 3"],
            "This does not hold: `assert f(k) < 3`: 4 < 3; where 4 = f(2)",
        ),
    ],
)  # fmt: skip
def test_an_assertion_that_does_not_hold_shows_its_values(
    grade_one: "GradeOne", lines: list[str], message: str
) -> None:
    """The test's own statement, what the author says, and what pytest found the values to be."""
    result = grade_one(DOUBLE, body(*lines))
    assert result.outcome is Outcome.FAILED
    assert result.message == message


def test_an_assertion_says_the_same_in_a_ci(
    grade_one: "GradeOne", monkeypatch: pytest.MonkeyPatch
) -> None:
    """There pytest adds whole diffs to an assertion, which no learner needs."""
    monkeypatch.delenv("CI", raising=False)
    test = body("assert list(f(x)) == [2.0, 5.0]")
    at_home = grade_one(DOUBLE, test).message
    monkeypatch.setenv("CI", "true")
    in_a_ci = grade_one(DOUBLE, test).message
    assert in_a_ci == at_home
    assert "Full diff" not in at_home


def test_a_hidden_assertion_tells_nothing_of_values(grade_one: "GradeOne") -> None:
    """Only that something that is asserted does not hold."""
    result = grade_one(DOUBLE, body("assert f(x).sum() == 7, f'{x}'", hidden=True))
    assert result.message == "Something that this hidden test asserts does not hold."


def test_what_a_submission_returns_cannot_flood_or_steer(grade_one: "GradeOne") -> None:
    """Values are shortened, and control characters made visible."""
    source = "def f(x): return '\\x1b[31m' + 'a' * 100_000"
    message = grade_one(source, body("assert f(x) == 'b', f(x)")).message
    assert len(message) < 500
    assert "\x1b" not in message


@pytest.mark.parametrize(
    ("source", "outcome", "line", "message"),
    [
        ("def f(x):\n    return x[5]", Outcome.ERRORED, 2, "Line 2, in f: Axis 0 has 2 entries"),
        ("def f(x):\n    raise KeyError('a')", Outcome.ERRORED, 2, "KeyError: 'a' (line 2, in f)."),
        (
            "def f(x):\n    assert 0, 'mine'",
            Outcome.ERRORED,
            2,
            "Line 2, in f: Your code checks something here",
        ),
        (
            "def f(x): return",
            Outcome.FAILED,
            None,
            "The result cannot be used as in `assert f(x).sum() == 6` (",
        ),
        ("import os\ndef f(x): os._exit(0)", Outcome.ERRORED, None, "Your code ended the whole"),
        ("def f(x): raise SystemExit", Outcome.ERRORED, 1, "Your code ends the program"),
    ],
)
def test_what_goes_wrong_in_a_call_is_the_submission_s(
    grade_one: "GradeOne", source: str, outcome: Outcome, line: int | None, message: str
) -> None:
    """With the learner's own line, as in every other kind of test."""
    result = grade_one(source, body("assert f(x).sum() == 6"))
    assert (result.outcome, result.line) == (outcome, line)
    assert result.message.startswith(message)


def test_a_wrong_signature_is_shown_beside_the_statement(grade_one: "GradeOne") -> None:
    """Not beside the whole body."""
    lines = ["y = x + 1", "result = f(y)", "assert result is not None"]
    message = grade_one("def f(): ...", body(*lines)).message
    assert message.startswith("The test runs `result = f(y)`, but your function is `def f()` (line")


def test_an_expected_exception_of_another_type_is_an_error(grade_one: "GradeOne") -> None:
    """`pytest.raises(ValueError)` lets a KeyError through, which is then reported."""
    lines = ["with pytest.raises(ValueError):", "    f(x)"]
    wrong = grade_one("def f(x):\n    raise KeyError(3)", body(*lines))
    assert (wrong.outcome, wrong.line) == (Outcome.ERRORED, 2)
    own = "class Mine(ValueError): ...\ndef f(x):\n    raise Mine"
    assert grade_one(own, body(*lines)).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["if 0: y = 1", "y += 1", "assert f(x) is y"],
            "pytest raises UnboundLocalError: cannot access local variable 'y'",
        ),
        (["x = 1 / 0", "assert f(x)"], "pytest raises ZeroDivisionError: division by zero (line 1"),
        (["f(x)", "import missing_module", "assert f(x)"], "pytest raises ModuleNotFoundError"),
        (
            ["assert f(x) is not x", "pytest.skip('not today')"],
            "a test of a submission is never skipped",
        ),
        (
            ["assert f(x) is not x", "pytest.xfail('known')"],
            "a test of a submission is never skipped",
        ),
        (["assert f(x) is not x", "raise SystemExit"], "pytest raises SystemExit"),
        (["assert (f(x) is None, 'why')"], "asserts a tuple, which is always true"),
        (["yield f(x)", "assert False"], "with yield or await in it nothing would run"),
    ],
)
def test_a_body_that_cannot_run_is_the_author_s_error(
    grade_all: "GradeAll", lines: list[str], message: str
) -> None:
    """With the test's place; never a failed test, and never a passed one."""
    with pytest.raises(DefinitionError) as caught:
        grade_all(DOUBLE, body(*lines))
    assert message in str(caught.value)
    assert "small.yaml:" in str(caught.value)


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("def f(x): return -1", ("k = f(x)", "while k != 0: k -= 1", "assert k == 0")),
        ("import time\ndef f(x): time.sleep(3)", ("f(x)",)),  # as an answer that is long to read
    ],
)
def test_a_body_that_does_not_end_is_stopped(
    grade_one: "GradeOne", monkeypatch: pytest.MonkeyPatch, source: str, lines: tuple[str, ...]
) -> None:
    """A loop of the test, with the submission's result, or a wait for that; no author is wrong."""
    monkeypatch.setattr("grader.grading.checks.pytest_body.AUTHOR_SECONDS", -7.7)  # of 8 s
    result = grade_one(source, body(*lines))
    assert result.outcome is Outcome.TIMED_OUT
    assert result.message.startswith("The test did not end within")


@pytest.mark.parametrize(
    ("bases", "caught_by"),
    [
        (("LinAlgError", "ValueError", "Exception"), ValueError),
        (("AxisError", "ValueError", "IndexError", "Exception"), IndexError),
        (("FileNotFoundError", "OSError", "Exception"), OSError),
        (("Both", "KeyError", "LookupError", "TypeError", "Exception"), TypeError),
        (("OSError", "ImportError", "KeyError", "AttributeError"), OSError),
    ],
)
def test_a_raised_answer_becomes_the_builtin_exceptions_it_claims(
    bases: tuple[str, ...], caught_by: type[Exception]
) -> None:
    """With its message as the text."""
    error = rebuild_exception(Raised(bases[0], bases, "the message", ()))
    assert isinstance(error, caught_by)
    assert str(error) == "the message"


def test_what_is_no_plain_exception_is_none_here() -> None:
    """An answer cannot claim an exception that ends the grader, or one of its own classes."""
    for claimed in ("GeneratorExit", "KeyboardInterrupt", "DefinitionError", "TooLongError"):
        error = rebuild_exception(Raised(claimed, (claimed, "BaseException"), "", ()))
        assert type(error).__name__ == "NoValueError"


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("def f(x): return []", ["for last in f(x): pass", "assert last == 2"]),
        (
            "def f(x): raise ValueError('x')",
            ["try: y = f(x)", "except ValueError: pass", "assert y.sum() == 6"],
        ),
    ],
)
def test_a_name_that_a_result_leaves_unbound_is_not_the_author_s_error(
    grade_one: "GradeOne", source: str, lines: list[str]
) -> None:
    """A loop over nothing, or an error where the body expects a value, unbinds it."""
    result = grade_one(source, body(*lines))
    assert result.outcome is Outcome.FAILED
    assert result.message.startswith("The result cannot be used as in `assert"), result.message


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("import os\ndef f(x): os._exit(0)", Outcome.ERRORED),
        ("def f(x):\n    while True: pass", Outcome.TIMED_OUT),
        ("def f(x): return object()", Outcome.FAILED),
        ("def f(x): raise SystemExit", Outcome.ERRORED),
    ],
)
def test_an_end_without_an_answer_is_no_expected_exception(
    grade_one: "GradeOne", source: str, outcome: Outcome
) -> None:
    """`pytest.raises(Exception)` asks for an error of the submission's, and catches only that."""
    lines = ["with pytest.raises(Exception):", "    f(x)"]
    limits = {"cpu_seconds": 1}
    result = grade_one(source, body(*lines), limits=limits)
    assert result.outcome is outcome, result.message
    assert grade_one("def f(x): raise KeyError", body(*lines)).outcome is Outcome.PASSED


def test_what_cannot_be_sent_is_no_expected_exception(grade_all: "GradeAll") -> None:
    """It is the author's mistake also where the body would catch it."""
    lines = ["with pytest.raises(Exception):", "    f(object())"]
    with pytest.raises(DefinitionError, match="object cannot be sent"):
        grade_all(DOUBLE, body(*lines))


LIAR = """\
class Liar:
    def __init__(self, x=0): self.x = x
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    def __gt__(self, other): return True
    def __contains__(self, other): return True
    def __sub__(self, other): return 0.0
    def __rsub__(self, other): return 0.0
    def __enter__(self): return self
    def __exit__(self, *error): return True
def f(x): return Liar()
"""


@pytest.mark.parametrize(
    "body",
    [
        "assert f(x) == 3.0",
        "assert not f(x) != 3.0",
        "assert f(x) < 3.0 < 4.0 or 3.0 > f(x)",
        "assert 3.0 in f(x)",
        "assert abs(f(x) - 3.0) < 1e-9",
        "assert abs(3.0 - f(x)) < 1e-9",
        "assert f(x) in [3.0]",
        "assert [f(x)] == [3.0]",
        "with f(x):\n    assert x is None",
        "np.testing.assert_equal(f(x), 3.0)",
    ],
)
@pytest.mark.parametrize("defines", [{}, {"Liar": {"kind": "class"}}], ids=["alone", "its class"])
def test_an_object_that_equals_everything_passes_nothing(
    grade_one: "GradeOne", body: str, defines: dict[str, object]
) -> None:
    """Its operators are not asked unless the exercise names them; nor may it hide a failure."""
    solution = LIAR.replace("return Liar()", "return 3.0")
    fields = {"defines": {"f": {}, **defines}, "solution": solution}
    result = grade_one(LIAR, {"given": "x = 1.0", "pytest": body}, **fields)
    assert result.outcome is not Outcome.PASSED


TWICE = ["y = f(x)", "assert np.allclose(y, 2 * x)"]
ZEROS = "def f(x):\n    x *= 0\n    return x"


@pytest.mark.parametrize(
    ("source", "lines", "message"),
    [
        (ZEROS, TWICE, "Your code changes `x` in place. Work on a copy, or make a new array."),
        (
            ZEROS,
            ["np.testing.assert_allclose(f(x + 1), 2 * x + 2)"],
            "Your code changes argument 1 of `f` in place. Work on a copy, or make a new array.",
        ),
        (
            "def f(x):\n    x[0].clear()\n    return 0",
            ["from collections import deque", "each = [1]", "assert f(deque([each])) == sum(each)"],
            "Your code changes an argument of `f` in place. Work on a copy, or make a new array.",
        ),
        (
            "import numpy as np\ndef f(x): return np.ma.masked_all(2)",
            ["mask = x > 0", "np.testing.assert_allclose(f(x), 2 * x)"],
            "Your function returned a masked array.",
        ),
        (
            "import numpy as np\ndef f(x): x(np.ma.masked_all(2))",
            ["def check(y): np.testing.assert_allclose(y, 1)", "f(check)"],
            "Your function returned a masked array.",
        ),
        (
            "def f(x): raise StopIteration",
            ["for y, each in zip(map(f, x), x):", "    assert y == 2 * each"],
            "StopIteration (line 1, in f).",
        ),
        (
            "def f(x):\n    try: x(1)\n    except AssertionError: pass",
            ["def check(y): assert y == 2", "f(check)"],
            "This does not hold: `assert y == 2`: 1 == 2",
        ),
    ],
)
def test_a_body_is_not_made_to_pass_by_what_it_compares_with(
    grade_one: "GradeOne", source: str, lines: list[str], message: str
) -> None:
    """Arguments that were changed, masks, an end of iteration and caught assertions."""
    result = grade_one(source, body(*lines))
    assert result.outcome is not Outcome.PASSED
    assert result.message.startswith(message), result.message


def test_a_body_may_allow_changes(grade_one: "GradeOne") -> None:
    """With `keep_inputs: false` it sees what a call has changed."""
    test = body("f(x)", "assert x.sum() == 0", keep_inputs=False)
    assert grade_one(ZEROS, test).outcome is Outcome.PASSED
    assert grade_one("def f(x): ...", test).outcome is Outcome.FAILED


def test_an_expected_end_of_iteration_and_failure_pass(grade_one: "GradeOne") -> None:
    """A body that names `StopIteration` expects it, and an assertion may be let through."""
    ends = body("with pytest.raises(StopIteration):", "    f(x)")
    assert grade_one("def f(x): raise StopIteration", ends).outcome is Outcome.PASSED
    fails = body(
        "def check(y): assert y == 2", "with pytest.raises(AssertionError):", "    f(check)"
    )
    assert grade_one("def f(x): x(1)", fails).outcome is Outcome.PASSED


FAKE = (
    "class Fake:\n    shape, dtype, size = (2,), float, 2\n    def __len__(self): return 2\n"
    "    def sum(self): return 6.0\n    def __array__(self, *a, **k): return np.array([2.0, 4.0])\n"
)


@pytest.mark.parametrize("made", ["Fake()", "Fake", "fake"])
@pytest.mark.parametrize(
    "line",
    [
        "assert f(x).shape == (2,)",
        "assert f(x).size == x.size",
        "assert f(x).dtype == float",
        "y = f(x)\nassert y.sum() == 6 or True",
    ],
)
def test_an_object_is_no_array_where_no_class_is_asked_for(
    grade_one: "GradeOne", made: str, line: str
) -> None:
    """An instance, a class or a function with an array's attributes is not an array."""
    source = f"import numpy as np\n{FAKE}def fake(): ...\nfake.__dict__.update(vars(Fake))\n"
    result = grade_one(f"{source}def f(x): return {made}", body(*line.splitlines()))
    assert result.outcome is Outcome.FAILED
    if made == "Fake()":
        assert result.message == (
            "Your function returned a Fake. Return plain Python values or NumPy arrays."
        )


@pytest.mark.parametrize(
    "line",
    ["assert len(f(x)) == 2", "assert np.allclose(f(x), [2, 4])", "assert list(f(x)) or True"],
)
def test_nothing_is_asked_of_an_object_that_no_one_asked_for(
    grade_one: "GradeOne", line: str
) -> None:
    """Its length, its array and its items would be what it likes."""
    result = grade_one(f"import numpy as np\n{FAKE}def f(x): return Fake()", body(line))
    assert result.outcome is Outcome.FAILED
    assert "Your function returned a Fake." in result.message


def test_an_object_may_be_passed_on(grade_one: "GradeOne") -> None:
    """What one function makes and another one takes is the submission's own matter."""
    source = "class Kept:\n    def __init__(self, x): self.x = x\ndef f(x): return x.x if isinstance(x, Kept) else Kept(x)"
    result = grade_one(source, body("assert np.array_equal(f(f(x)), x)"))
    assert result.outcome is Outcome.PASSED, result.message


@pytest.mark.parametrize(
    "lines",
    [
        ["assert f(lambda y: y * 3) == 1"],
        [
            "kept = []",
            "def keep(y):",
            "    kept.append(y)",
            "    return kept",
            "assert f(keep) == 1",
        ],
    ],
)
def test_what_a_submission_makes_of_a_callback_is_no_fault(
    grade_one: "GradeOne", lines: list[str]
) -> None:
    """If a result of a test's function cannot cross, that is not the author's mistake."""
    source = "def f(x):\n    for _ in range(3): x([1] * 40_000)"
    assert grade_one(source, body(*lines)).outcome is Outcome.FAILED


def test_an_argument_is_never_moved_in_memory(grade_one: "GradeOne") -> None:
    """A forged change to another size would leave views of the array without memory."""
    source = (
        "import copy, sys\nimport numpy as np\n"
        "class Forged:\n"
        "    copy = lambda old: np.zeros(9**6) if type(old) is np.ndarray else copy.copy(old)\n"
        "sys.modules['in_child.sharing'].copy = Forged\n"
        "def f(x): x[0] = 5"
    )
    lines = ["part = x[:1]", "f(x)", "assert x.size == 2 and part.base is x and part[0] == 1"]
    assert grade_one(source, body(*lines, keep_inputs=False)).outcome is Outcome.PASSED


@pytest.mark.parametrize(
    "message", ["[[999, []]], [], payload", "[], [999], payload", "[[0]], [], payload", "1, 2, 3"]
)
def test_a_forged_message_ends_the_submission(grade_one: "GradeOne", message: str) -> None:
    """It names an object that neither side has, or is not a message at all."""
    source = (
        "import sys\nsharing = sys.modules['in_child.sharing']\n"
        "def forged(self, payload, keeper, changes=True):\n"
        f"    return sharing.wire.encode([{message}], keeper, sharing.wire.Shared())\n"
        "sharing.Sharing.send = forged\n"
        "def f(x): return 1"
    )
    assert grade_one(source, body("assert f(x) == 1")).outcome is Outcome.ERRORED


def test_a_kept_argument_that_is_changed_later_fails(grade_one: "GradeOne") -> None:
    """A later call, like the first, may not change an argument that the body compares with."""
    source = (
        "def f(x):\n    global kept\n    kept = x\n    return 0 * x\ndef g():\n    kept[:] = 0\n"
    )
    lines = ["y = f(x)", "g()", "assert np.allclose(y, 2 * x)"]
    result = grade_one(
        source,
        body(*lines),
        defines={"f": {}, "g": {}},
        solution="def f(x): return 2 * x\ndef g(): ...",
    )
    assert result.message.startswith("Your code changes `x` in place.")


def test_a_list_that_holds_itself_cannot_cross(grade_one: "GradeOne") -> None:
    """A change could make one, of few bytes, that has no end."""
    lines = ["a = [1]", "f(a)", "assert a == [1]"]
    result = grade_one("def f(a): a.append(a)", body(*lines, keep_inputs=False))
    assert result.outcome is Outcome.FAILED


def test_a_submission_is_sent_nothing_beside_its_arguments(grade_one: "GradeOne") -> None:
    """It gets neither the base of a view, nor values that the body drops or changes later."""
    source = (
        "import numpy as np, gc\ndef f(x):\n    global kept\n    kept = x\n    return x\n"
        "def g():\n"
        "    arrays = [o for o in gc.get_objects() if isinstance(o, np.ndarray)] + [kept]\n"
        "    owners = [o if o.base is None else o.base for o in arrays]\n"
        "    return [o.tolist() for o in owners if isinstance(o, np.ndarray) and 77.0 in o]\n"
    )
    lines = [
        "whole = np.array([77.0, 1.0, 2.0])",
        "f(whole[1:])",
        "secret = whole + 0",
        "assert g() == []",
    ]
    fields = {"defines": {"f": {}, "g": {}}, "solution": "def f(x): return x\ndef g(): return []"}
    assert grade_one(source, body(*lines), **fields).outcome is Outcome.PASSED


def test_a_cause_that_a_body_raises_again_is_the_submission_s(grade_one: "GradeOne") -> None:
    """Not the author's, though no other submission can cause a `NameError` of a body."""
    lines = ["try:", "    f(x)", "except ValueError as error:", "    raise error.__cause__"]
    result = grade_one(
        "def f(x): raise ValueError from NameError('z')", body(*lines, "assert f(x)")
    )
    assert result.outcome is Outcome.ERRORED
