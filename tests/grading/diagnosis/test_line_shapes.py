"""The shapes along a call, in the real sandbox."""

import pytest

from grader.grading.jobs import JobOptions
from grader.grading.results.verdict_json import verdict_data, verdict_from_data
from grader.sandbox.process import Sandbox
from tests.grading.conftest import Fields, Make, grade

SEEN: Fields = {"given": {"x": [[1.0, 2.0, 3.0]]}, "call": "f(np.array(x))", "expect": "solution"}
DRAWN: Fields = {
    "given": "n, m = sizes(2, least=2)\nx = rng.standard_normal((n, m))",
    "call": "f(x)",
    "expect": "solution",
}
SECRET: Fields = {**SEEN, "given": {"x": [[7.0] * 7]}, "hidden": True}
SOLUTION = """\
import numpy as np


def f(x):
    away = x - x.mean(axis=-1, keepdims=True)
    return away / np.sqrt((away**2).mean(axis=-1, keepdims=True) + 1)
"""
PROGRAMS = {
    "steps": (
        "import numpy as np\n\n\ndef f(x):\n    total, n = x.sum(\n        axis=-1), len(x)\n"
        "    for row in x:\n        row[0] = 1\n    return [total, n]\n",
        [
            "4 x (1, 3) float64",
            "5 total (1,) float64",
            "5 n int",
            "8 row (3,) float64",
            "9 return list of 2",
        ],
    ),
    "an error": (
        "import numpy as np\n\n\ndef f(x):\n    y = x.T\n    z = x @ y @ y\n    return z\n",
        ["4 x (1, 3) float64", "5 y (3, 1) float64"],
    ),
    "its own function": (
        "import numpy as np\n\n\ndef g(x):\n    return x > 1\n\n\ndef f(x):\n    return g(x)\n",
        [
            "4 x (1, 3) float64",
            "5 return (1, 3) bool",
            "8 x (1, 3) float64",
            "9 return (1, 3) bool",
        ],
    ),
    "an end": ("import os\n\n\ndef f(x):\n    os._exit(0)\n", []),
    "no end": ("def f(x):\n    while True:\n        x = 1\n", []),
    "a tracer of its own": (
        "import sys\n\n\ndef f(x):\n    sys.settrace(None)\n    y = 1\n    return y\n",
        ["4 x (1, 3) float64"],
    ),
    "a broken file": ("def f(x)\n", []),
}


def shapes(make: Make, sandbox: Sandbox, source: str, *tests: Fields) -> list[str]:
    exercise = make(*tests, solution=SOLUTION)
    verdict = grade(exercise, source, sandbox, options=JobOptions(with_shapes=True))
    read = verdict_from_data(verdict_data(verdict))
    assert read.shapes == verdict.shapes
    return [
        f"{each.line} {each.name} {each.text}{' !' * each.is_off_track}" for each in read.shapes
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_line_tells_what_it_made(make: Make, sandbox: Sandbox, name: str) -> None:
    """When it last ran, up to an error, in the program's own functions too."""
    source, expected = PROGRAMS[name]
    assert shapes(make, sandbox, source, SEEN) == expected


def test_the_first_line_off_the_track_is_marked(make: Make, sandbox: Sandbox) -> None:
    """It is the one that a diagnosis would name."""
    wrong = SOLUTION.replace("away = x - x.mean(axis=-1", "away = x - x.mean(axis=0")
    said = shapes(make, sandbox, wrong, DRAWN)
    assert [line for line in said if line.endswith("!")] == [said[1]]
    assert said[1].startswith("5 away (")


def test_nothing_of_a_hidden_test_is_told(make: Make, sandbox: Sandbox) -> None:
    """The visible test is the one that runs, though it passes."""
    assert not any(
        "7" in line for line in shapes(make, sandbox, PROGRAMS["steps"][0], SEEN, SECRET)
    )
    assert shapes(make, sandbox, PROGRAMS["steps"][0], SECRET) == []
