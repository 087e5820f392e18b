"""The shipped Python in the Python of browsers, run by Node: Pyodide, and its NumPy."""

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.browser.shipping import bundle

if TYPE_CHECKING:
    from tests.browser_engine.conftest import Programs, Said

pytestmark = pytest.mark.slow

CELLS = ["x = np.eye(2)\nheatmap(x)", "x.sum()"]
ENDINGS = {
    "1 / 0": "ZeroDivisionError",
    "while True: print('x' * 999)": "printed more than it may",
    "def f(): f()\nf()": "RecursionError",
    "import numpy as np\nnp.ones((10**6, 10**6))": "more memory than it may use",
    "import scipy": "no module `scipy` here",
    "import sys\nsys.exit()": "sys.exit()",
    "import builtins\nbuiltins.len = None": "ended the whole program",
}


def in_pyodide(node: list[str], calls: list[list[str]], folder: Path) -> list[Any]:
    """Answer calls as a worker in a browser does; nothing may go to the console."""
    archive, asked = folder / "bundle.zip", folder / "calls"
    archive.write_bytes(bundle())
    asked.write_text("".join(f"{json.dumps(call)}\n" for call in calls))
    command = [*node, str(archive), str(asked)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout)
    assert (said["shown"], done.stderr) == ([], "")
    return [None if answer is None else json.loads(answer) for answer in said["answers"]]


def told(verdict: dict[str, Any]) -> object:
    """What a learner is told; the usual integers have 32 bits there."""
    tests = [
        (test["outcome"], test["message"].replace("int32", "int64"), test["line"], test["points"])
        for test in verdict["tests"]
    ]
    return verdict["outcome"], verdict["message"], verdict["line"], tests, verdict["diagnosis"]


def test_pyodide_does_what_python_does_here(
    node: list[str],
    engines: dict[str, str],
    programs: "dict[str, Programs]",
    verdicts: "dict[str, Said]",
    tmp_path: Path,
) -> None:
    """The same verdicts in one process, after whatever learners do, and a lesson's cells."""
    runs = [["run", source] for source in ENDINGS]
    lesson = [["open_lesson"], *(["cell", code] for code in CELLS)]
    checks = [
        call
        for name, handed_in in programs.items()
        for call in (
            ["open_exercise", engines[name]],
            *(["check", code] for code in handed_in.values()),
        )
    ]
    answers = in_pyodide(node, [*runs, *lesson, *checks], tmp_path)

    for expected in ENDINGS.values():
        assert expected in answers.pop(0)["problem"]["message"]
    _, first, second, *rest = answers
    assert first["figures"][0]["values"] == [[1, 0], [0, 1]]
    assert (second["printed"], second["problem"]) == ("2.0\n", None)
    found = [told(verdict) for verdict in rest if verdict is not None]
    assert found == [told(verdict) for said in verdicts.values() for verdict in said.values()]
