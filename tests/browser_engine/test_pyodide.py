"""The shipped Python in the Python of browsers, run by Node: Pyodide, and its NumPy."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.browser.shipping import bundle
from tests.browser.tools import MissingError, give_up, install_tools

if TYPE_CHECKING:
    from tests.browser_engine.conftest import Programs, Said

# It computes with 80 bits, and passes by them; WebAssembly has no such numbers.
WIDER = {"more-digits"}


@pytest.fixture(scope="module")
def node() -> list[str]:
    """The command that runs calls in Pyodide."""
    try:
        program, pyodide = find_node(), install_tools().pyodide
    except MissingError as error:
        give_up(error)
    return [program, str(Path(__file__).with_name("page.mjs")), str(pyodide)]


def find_node() -> str:
    program = shutil.which("node")
    if program is None:
        raise MissingError("there is no node on the path")
    return program


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


def test_pyodide_says_what_python_says_here(
    node: list[str],
    engines: dict[str, str],
    programs: "dict[str, Programs]",
    verdicts: "dict[str, Said]",
    tmp_path: Path,
) -> None:
    """Of every program of the collection: outcomes, sentences, lines and the diagnosis."""
    calls: list[list[str]] = []
    for name, handed_in in programs.items():
        calls.append(["open_exercise", engines[name]])
        calls += [["check", code] for code in handed_in.values()]
    there = filter(None, in_pyodide(node, calls, tmp_path))
    different = {
        f"{name}: {program}": (told(here), told(found))
        for name, said in verdicts.items()
        for (program, here), found in zip(said.items(), there, strict=False)
        if told(here) != told(found) and program not in WIDER
    }
    assert different == {}
    assert next(there, None) is None


def test_pyodide_survives_what_learners_do(node: list[str], tmp_path: Path) -> None:
    """Errors, printing and recursion without an end, and more memory than there is."""
    sources = {
        "1 / 0": "ZeroDivisionError",
        "while True: print('x' * 999)": "printed more than it may",
        "def f(): f()\nf()": "RecursionError",
        "import numpy as np\nnp.ones((10**6, 10**6))": "more memory than it may use",
        "import scipy": "no module `scipy` here",
        "import sys\nsys.exit()": "sys.exit()",
        "import builtins\nbuiltins.len = None": "ended the whole program",
    }
    said = in_pyodide(node, [["run", source] for source in sources], tmp_path)
    messages = [each["problem"]["message"] for each in said]
    for message, expected in zip(messages, sources.values(), strict=True):
        assert expected in message


def test_cells_of_a_lesson_run_in_pyodide(node: list[str], tmp_path: Path) -> None:
    """One namespace, figures, and NumPy at hand."""
    cells = ["x = np.eye(2)\nheatmap(x)", "x.sum()"]
    calls = [["open_lesson"], *(["cell", code] for code in cells)]
    _, first, second = in_pyodide(node, calls, tmp_path)
    assert first["figures"][0]["values"] == [[1, 0], [0, 1]]
    assert (second["printed"], second["problem"]) == ("2.0\n", None)
