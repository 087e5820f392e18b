"""Files shipped to a page: the modules that it needs, and nothing secret."""

import ast
import base64
import io
import json
import os
import statistics
import struct
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path
from tokenize import COMMENT, tokenize

import numpy as np
import pytest

import grader
from grader.browser.data_encoding import from_text
from grader.browser.shipping import MODULES, bundle, list_modules, make_grading_data
from grader.definitions.collection import Collection
from grader.definitions.exercise import Exercise, TestCase
from grader.grading.expected.inputs import draw_inputs
from grader.sandbox.process import Sandbox
from tests.browser_engine.conftest import Page
from tests.grading.conftest import Make

ROOT = Path(grader.__file__).parent.parent
MAX_BYTES = 225_000  # with files in memory, plots, a learner's own GPT, and `approx` for own tests
TELLING = 20  # characters of a line that no one else would write

NEVER = (
    "reference", "grader.authoring", "grader.cli", "grader.mutation", "grader.progress",
    "grader.reports", "etude_server", "sitegen", "grader.browser.shipping",
    "grader.definitions.collection", "grader.definitions.yaml_source", "grader.grading.session.engine",
    "grader.grading.workers.pool", "grader.sandbox.child",
    "grader.sandbox.process", "grader.sandbox.in_child.seccomp",
)  # fmt: skip
# Not in Pyodide, or not in a page without more packages, or slow to import there.
FOREIGN = (
    "_pytest", "click", "fcntl", "grp", "markdown_it", "multiprocessing", "pwd", "pytest",
    "resource", "rich", "select", "socket", "subprocess", "termios", "yaml",
)  # fmt: skip

IMPORT_ALL = """
import json, sys
sys.path[:0] = sys.argv[2:]
import numpy
before = set(sys.modules)
for name in json.loads(sys.argv[1]):
    __import__(name)
print(json.dumps([sorted(sys.modules), sorted(set(sys.modules) - before)]))
"""


def contents(archive: bytes) -> dict[str, bytes]:
    with (
        zipfile.ZipFile(io.BytesIO(archive)) as outer,
        zipfile.ZipFile(outer.open(MODULES)) as opened,
    ):
        return {name: opened.read(name) for name in opened.namelist()}


def decoded(engine: str) -> bytes:
    return zlib.decompress(base64.b64decode(engine))


def test_modules_are_shipped_as_they_are_but_for_comments() -> None:
    """One definition, one verdict: a page runs the code that the command line runs."""
    shipped = contents(bundle())
    assert "grader/grading/comparison/compare.py" in shipped
    assert "grader/sandbox/in_child/wire.py" in shipped
    for name, data in shipped.items():
        assert ast.dump(ast.parse((ROOT / name).read_bytes())) == ast.dump(ast.parse(data)), name
        assert not any(each.type == COMMENT for each in tokenize(io.BytesIO(data).readline)), name


def test_nothing_secret_or_useless_is_shipped() -> None:
    """No reference, no author's tools, no commands: what a page imports, and no more."""
    unwanted = [
        name
        for name in list_modules()
        if name in NEVER or name.startswith(tuple(f"{n}." for n in NEVER))
    ]
    assert unwanted == []
    assert len(bundle()) < MAX_BYTES


def test_what_is_shipped_needs_nothing_but_numpy(unpacked: list[str]) -> None:
    """Every module of it can be imported where there is Python, NumPy and the bundle."""
    wanted = json.dumps(sorted(list_modules()))
    command = [sys.executable, "-I", "-S", "-c", IMPORT_ALL, wanted, *unpacked]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    assert finished.returncode == 0, finished.stderr
    loaded, new = json.loads(finished.stdout)
    assert {name for name in loaded if name.partition(".")[0] == "grader"} == set(list_modules())
    assert {name.partition(".")[0] for name in new}.isdisjoint(FOREIGN)


CANARIES = {
    "a hidden test's id": "zqx-id",
    "its inputs": "zqxgiven",
    "its call": "zqxcall",
    "its expected value": "zqxexpect",
    "the solution": "zqxsolution",
    "a misconception's program": "zqxprogram",
    "the explanation": "zqxexplanation",
    "a hint": "zqxhint",
    "the source of inputs": "zqxsource",
}
NUMBERS = (83174.2969, 59263.7183, 27495.3816)


def test_nothing_hidden_is_in_grading_data(make: Make, sandbox: Sandbox, tmp_path: Path) -> None:
    """No hidden test, solution, explanation or program is in it, as it is or decoded."""
    exercise = make(
        {"given": "x = 3.0  # zqxsource", "call": "f(x)", "expect": "solution"},
        {"given": {"x": 64738.2917}, "call": "f(x)", "expect": 129476.5834},
        {
            "id": "zqx-id",
            "description": "zqxcall",
            "hidden": True,
            "given": {"x": NUMBERS[0], "zqxgiven": [NUMBERS[1]] * 2},
            "call": "f(x) + len('zqxcall')",
            "expect": {"zqxexpect": NUMBERS[1]},
        },
        solution=f"def f(x):\n    zqxsolution = {NUMBERS[2]}\n    return 2.0 * x\n",
        explanation="zqxexplanation",
        hints=["zqxhint"],
        misconceptions=[
            {
                "id": "plus-one",
                "code": f"def f(x):\n    zqxprogram = {NUMBERS[2]}\n    return x + 1\n",
                "feedback": "One more.",
            }
        ],
    )
    engine = make_grading_data(exercise, sandbox)
    whole = engine.encode() + decoded(engine)
    packed = {number: struct.pack("<d", number) for number in NUMBERS}
    assert [name for name, word in CANARIES.items() if word.encode() in whole] == []
    assert [n for n, data in packed.items() if data in whole or str(n).encode() in whole] == []
    assert os.fspath(tmp_path).encode() not in whole
    assert struct.pack("<d", 129476.5834) in whole or b"129476.5834" in whole
    assert b"One more." in whole


def test_a_page_for_practice_has_hidden_tests_on_inputs_of_its_own(
    make: Make, sandbox: Sandbox, page: Page
) -> None:
    """It fails what they fail. It has no program, and none of the inputs that the grader draws."""
    exercise = make(
        {"given": {"x": 1.0}, "call": "f(x)", "expect": 2.0},
        {
            "hidden": True,
            "seeds": 2,
            "given": "x = rng.standard_normal(3)",
            "call": "f(x)",
            "expect": "solution",
        },
        solution="def f(x):\n    zqxsolution = x\n    return 2.0 * zqxsolution\n",
        misconceptions=[
            {"id": "adds", "code": "def f(x):\n    return x + 1 # zqxprogram\n", "feedback": "No."}
        ],
    )
    engine = make_grading_data(exercise, sandbox, for_practice=True)
    hidden = exercise.tests[1]
    sent = from_text(engine).values[hidden.id].draws
    drawn = [draw_inputs(exercise, hidden, number)["x"] for number in range(2)]
    assert len(sent) == len(drawn)
    assert not any(np.isin(draw.inputs["x"], drawn).any() for draw in sent)
    assert b"zqx" not in decoded(engine)
    page("open_exercise", engine)
    right, wrong = (page("check", code) for code in (exercise.solution, "def f(x): return x + 1"))
    assert (right["outcome"], wrong["outcome"]) == ("passed", "failed")
    assert [test["hidden"] for test in wrong["tests"]] == [False, True]
    assert wrong["diagnosis"]["ids"] == ["adds"]


@pytest.mark.slow
def test_no_exercise_of_the_collection_gives_itself_away(
    collection: Collection, certified_site: Path
) -> None:
    """What a page decodes has visible tests alone, and no line of a right or a wrong program."""
    sizes = []
    for track in collection.tracks:
        for exercise in track.exercises:
            path = certified_site / track.definition.id / exercise.id / "engine.txt"
            visible = [test for test in exercise.tests if not test.hidden]
            assert path.exists() == (exercise.kind not in ("predict", "test"))
            if path.exists():
                engine = path.read_text("utf-8")
                sizes.append(len(engine))
                _shows_no_more_than(visible, exercise, engine)
    assert max(sizes) < 64_000  # a page loads fast: large inputs are drawn there
    assert statistics.mean(sizes) < 6_000


def _shows_no_more_than(visible: list[TestCase], exercise: Exercise, engine: str) -> None:
    sent = from_text(engine)
    assert [test.id for test in sent.exercise.tests] == [test.id for test in visible]
    assert set(sent.values) == {test.id for test in visible}
    assert sent.exercise.misconceptions == ()
    programs = (exercise.solution, *(each.code for each in exercise.misconceptions))
    lines = {line.strip() for program in programs for line in program.splitlines()}
    whole = decoded(engine).decode("utf-8", "replace")
    public = f"{visible}{exercise.starter}"
    telling = {line for line in lines if len(line) > TELLING and line not in public}
    assert [line for line in telling if line in whole] == [], exercise.id
