"""A page's verdict is the sandbox's on the visible tests: outcomes, words, values, diagnosis."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from grader.browser.shipping import make_grading_data
from grader.definitions.exercise import Exercise
from grader.grading.jobs import Job
from grader.grading.results.verdict_json import verdict_data
from grader.grading.session.engine import Engine
from grader.grading.submissions.submission import Submission
from grader.sandbox.process import Sandbox
from tests.browser_engine.conftest import Page, Programs, Said
from tests.grading.conftest import Fields, Make


def visible_form(exercise: Exercise) -> Exercise:
    """The exercise with its visible tests alone, and so without mutants of its solution."""
    tests = tuple(test for test in exercise.tests if not test.hidden)
    left_out = len(exercise.tests) - len(tests)
    solution = exercise.solution if any(test.needs_solution for test in tests) else ""
    return replace(exercise, tests=tests, solution=solution, hidden_elsewhere=left_out)


def in_sandbox(exercises: Sequence[tuple[Exercise, Programs]], sandbox: Sandbox) -> list[Said]:
    """Grade all programs of all exercises in one session."""
    engine = Engine(sandbox)

    def verdict(exercise: Exercise, name: str, code: str) -> dict[str, Any]:
        submission = Submission.from_bytes(Path(name), code.encode())
        return verdict_data(engine.grade(Job(visible_form(exercise), submission)))

    return [
        {name: verdict(exercise, name, code) for name, code in programs.items()}
        for exercise, programs in exercises
    ]


def differences(here: dict[str, Any], there: dict[str, Any]) -> dict[str, object]:
    """Return the differences between two verdicts, apart from place and times."""
    flat = [dict(_flat({**verdict, "sandbox": ""})) for verdict in (here, there)]
    keys = dict.fromkeys(key for each in flat for key in each if not key.endswith(".seconds"))
    found = {key: tuple(each.get(key) for each in flat) for key in keys}
    return {key: values for key, values in found.items() if values[0] != values[1]}


_ELSEWHERE = re.compile(r"(?<= at )0x[0-9a-f]+|/\S*(?=/numpy/)")
# Python shows a warning once for each place; that of a page may show it again.
_WARNING = re.compile(r"submission\.py:\d+: \w*Warning: .*\n.*\n")
_ORIGIN = re.compile(r"; where .*")  # of a value that was compared: only pytest tells it


def _flat(value: object, name: str = "") -> Iterator[tuple[str, object]]:
    """Name each part, without those that always differ between two processes."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _flat(item, f"{name}.{key}")
    elif isinstance(value, list):
        yield f"{name}.length", len(value)
        for number, item in enumerate(value):
            yield from _flat(item, f"{name}.{number}")
    elif isinstance(value, str):
        yield name, _ORIGIN.sub("", _ELSEWHERE.sub("", _WARNING.sub("", value)))
    else:  # how arrays lie in memory decides about the last bit
        yield name, float(f"{value:.13g}") if isinstance(value, float) else value


@pytest.mark.slow
def test_a_page_says_what_the_sandbox_says(
    samples: list[Exercise],
    programs: dict[str, Programs],
    verdicts: dict[str, Said],
    sandbox: Sandbox,
) -> None:
    """Both agree on the starter, the solution and every misconception of an exercise."""
    graded = in_sandbox([(each, programs[each.id]) for each in samples], sandbox)
    for exercise, said in zip(samples, graded, strict=True):
        for program, there in said.items():
            here = verdicts[exercise.id][program]
            assert differences(here, there) == {}, f"{exercise.id}: {program}"


@pytest.mark.slow
def test_most_misconceptions_are_recognized(
    samples: list[Exercise], verdicts: dict[str, Said]
) -> None:
    """The pages of the collection recognize most misconceptions of their exercises."""
    recognized = [
        mistake.id in (verdicts[exercise.id][mistake.id]["diagnosis"] or {"ids": []})["ids"]
        for exercise in samples
        if exercise.kind != "predict"
        for mistake in exercise.misconceptions
    ]
    assert sum(recognized) > 0.75 * len(recognized)


CLASS = "class F:\n    def __init__(self, x):\n        self.value, self.all = 2.0 * x, [x] * 3\n"
SOLUTION = "import numpy as np\n\n\ndef f(x):\n    return 2.0 * x\n"
KINDS: dict[str, tuple[list[Fields], Fields]] = {
    "expected from the solution": ([{"given": {"x": 3}, "call": "f(x)", "expect": "solution"}], {}),
    "printed as the solution does": ([{"given": {"x": 3}, "run": "print(f(x))"}], {}),
    "an expression": (
        [
            {
                "given": "x = rng.standard_normal((2, 3))",
                "seeds": 3,
                "partial": True,
                "points": 6,
                "call": "f(x)",
                "expect": {"expression": "x + x"},
            }
        ],
        {},
    ),
    "a function and its helper": (
        [
            {
                "given": "k = 2.0\ndef twice(v):\n    return k * v\nx = np.arange(3.0)",
                "call": "f(x) - twice(x)",
                "expect": [0.0, 0.0, 0.0],
            }
        ],
        {},
    ),
    "a function that is handed over": (
        [{"given": "def g(v):\n    return v + 1\nx = 3", "call": "f(x) + h(g, x)", "expect": 10.0}],
        {
            "defines": {"f": {}, "h": {}},
            "solution": f"{SOLUTION}\n\ndef h(g, x):\n    return g(x)\n",
        },
    ),
    "inputs that stay as they are": (
        [
            {"given": {"x": [1.0, 2.0]}, "call": "f(x)", "expect": [2.0, 4.0]},
            {"given": {"x": [1.0, 2.0]}, "call": "f(x)", "holds": "unchanged_inputs"},
        ],
        {},
    ),
    "memory": (
        [
            {
                "given": "x = np.ones(100_000)",
                "call": "f(x)",
                "expect": "solution",
                "budget": {"memory": 1.5, "time": 100},
            }
        ],
        {},
    ),
    "assertions": (
        [
            {"given": {"x": 3}, "pytest": "y = f(x)\nassert 5 < y < 7, 'in between'"},
            {"given": {"x": 3}, "pytest": "y = f(x)\nassert 5 < y < 7"},
            {"given": {"x": 3}, "pytest": "assert f(x) == 6"},
        ],
        {},
    ),
    "many values": (
        [{"given": "x = rng.standard_normal((100, 100))", "call": "f(x)", "expect": "solution"}],
        {},
    ),
    "something forbidden": (
        [{"given": {"x": 3}, "call": "f(x)", "expect": 6.0}],
        {"forbid": {"names": ["sum", "np.cumsum"], "loops": True, "because": "it is slow"}},
    ),
    "a class": (
        [{"call": "F(3).value + len(F(4).all)", "expect": 9.0}],
        {"defines": {"F": {"kind": "class"}}, "starter": "class F:\n    ...\n", "solution": CLASS},
    ),
    "an empty key": ([{"given": {"x": {"": 1}}, "call": "f(x['']) + x['']", "expect": 3.0}], {}),
}
PROGRAMS: Programs = {
    "right": f"{SOLUTION}\n\ndef h(g, x):\n    return g(x)\n\n\n{CLASS}",
    "wrong": "def f(x):\n    return x + 1.0\n",
    "half right": "def f(x):\n    return 2.0 * x if (x == 3) is True else 1.5 * x - 7 * x\n",
    "in place": "def f(x):\n    x *= 2\n    return x\n",
    "wasteful": "def f(x):\n    y = [x * 1.0 for _ in range(9)]\n    return 2 * y[0]\n",
    "shape": "import numpy as np\ndef f(x):\n    return np.asarray([2.0 * x])\n",
    "nothing": "def f(x):\n    2 * x\n",
    "an object": "class A:\n    pass\ndef f(x):\n    return A()\n",
    "a generator": "def f(x):\n    yield 2 * x\n",
    "an exception": "def f(x):\n    return x.nothing\n",
    "another exception": "class E(Exception):\n    pass\ndef f(x):\n    raise E('no', x)\n",
    "the end": "import sys\ndef f(x):\n    sys.exit(1)\n",
    "an exception while it loads": "import numpy as np\n\n1 / 0\n",
    "no Python": "def f(x:\n    return 2 * x\n",
    "no program": "",
    "nothing asked for": "def g(x):\n    return 2 * x\n",
    "another kind": "f = 3\n",
    "another signature": "def f():\n    return 2\n",
    "no such module": "import torch\ndef f(x):\n    return 2 * x\n",
    "printing": "print('loading')\ndef f(x):\n    print('called', x)\n    return 2.0 * x\n",
    "warning": "import warnings\ndef f(x):\n    warnings.warn('old')\n    return 2.0 * x\n",
    "printing without an end": "def f(x):\n    while True:\n        print('x' * 1000)\n",
    "input": "def f(x):\n    return input('x')\n",
    "recursion": "def f(x):\n    return f(x)\n",
    "a loop": "def f(x):\n    for _ in range(1):\n        y = 2.0 * x\n    return y\n",
    "a forbidden name": "import numpy as np\ndef f(x):\n    return np.cumsum([x, x])[1] * 1.0\n",
    "too much memory": "import numpy as np\ndef f(x):\n    return np.ones((10**6, 10**6))\n",
    "replaced": "import builtins\nbuiltins.len = None\ndef f(x):\n    return 2.0 * x\n",
    "settings": "import numpy as np\nnp.set_printoptions(precision=1)\nnp.seterr(all='raise')\n"
    "import warnings\nwarnings.simplefilter('error')\ndef f(x):\n    return 1.23456 * x - 7 * x\n",
}


@pytest.mark.slow
def test_every_kind_of_test_agrees_on_every_kind_of_program(
    page: Page, make: Make, sandbox: Sandbox
) -> None:
    """The page and the sandbox agree on every submission, whatever it does."""
    mistake = {"id": "plus-one", "code": PROGRAMS["wrong"], "feedback": "Twice, not one more."}
    exercises = []
    for tests, fields in KINDS.values():
        known = {} if "defines" in fields else {"misconceptions": [mistake]}
        call = "F(1).value" if fields.get("solution") == CLASS else "f(1)"
        hidden: Fields = {"call": call, "expect": 2.0, "hidden": True}
        exercises.append(make(*tests, hidden, **fields, **known))
    graded = in_sandbox([(each, PROGRAMS) for each in exercises], sandbox)
    for kind, exercise, there in zip(KINDS, exercises, graded, strict=True):
        page("open_exercise", make_grading_data(exercise, sandbox))
        here = {program: page("check", code) for program, code in PROGRAMS.items()}
        for program, verdict in there.items():
            assert differences(here[program], verdict) == {}, f"{kind}: {program}"
        assert here["right"]["outcome"] == "passed"
