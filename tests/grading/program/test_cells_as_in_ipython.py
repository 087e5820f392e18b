"""Cells of a notebook leave the names that IPython itself leaves."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias

import pytest

from grader.grading.program.joined_program import join_cells, load_cells
from grader.grading.submissions.submission import Submission
from grader.sandbox.answers import Returned
from grader.sandbox.process import Sandbox
from tests.notebook_files import notebook

Names: TypeAlias = dict[str, object]

STATE: Final = """STATE = {
    name: value if isinstance(value, int | float | tuple | set) else None
    for name, value in globals().items() if not name.startswith("_")
}"""
"""The public names, each with its value where no library has made it."""

FUNCTION: Final = "def f(x):\n    return x + 1\n"

NOTEBOOKS: Final[dict[str, Sequence[str]]] = {
    "time": ["%time x = -1", "y = x + 1"],
    "time of two statements": ["%time x = 1; y = 2"],
    "time with a comment": ["%time x = 1  # a comment"],
    "time of an expression": ["x = [1]\n%time x.append(2)\ny = len(x)"],
    "time of an import": ["%time import math\nx = math.floor(2.5)"],
    "time of a loop": ["%time for i in range(3): x = i"],
    "time over two lines": ["%time x = 1 + \\\n    2\ny = x"],
    "time in a loop": ["for i in range(3):\n    %time x = i * 2"],
    "time in a branch": ["if True:\n    %time x = 1\nelse:\n    %time y = 1"],
    "time in a class": ["class A:\n    %time x = 3\ny = A.x"],
    "time of an expression in a function": [
        "found = set()\ndef f(x):\n    %time found.add(x)\n    return x\ny = f(3)"
    ],
    "time in a function leaves nothing": [
        "def f(x):\n    y = 1\n    def g(): return y\n    %time z = x\n    return g()\nx = f(3)"
    ],
    "time that keeps errors": ["%time --no-raise-error x = 1"],
    "time of time": ["%time %time x = 1"],
    "time of a command": ["%time !true\nx = 1"],
    "value of time": ["x = %time 3 + 4"],
    "values of time": ["x, y = %time 3, 4"],
    "value of a timed statement": ["x = %time y = 3"],
    "value into an entry": ["x = [0, 0]\nx[1] = %time 3 + 4\ny = x[1]"],
    "prun": ["%prun -l 5 -q x = 3"],
    "timeit": ["%timeit -n 1 -r 1 x = 3", "y = 1"],
    "value of timeit": ["t = %timeit -n 1 -r 1 -o -q 3"],
    "cell of time": [f"%%time\nimport math\n{FUNCTION}x = f(2)"],
    "cell of time after empty lines": ["\n\n%%time\nx = 2"],
    "magic in a cell of time": ["%%time\n%time x = 2\n!true\ny = 3"],
    "cell of timeit": ["%%timeit -n 1 -r 1\nx = 3", "y = 1"],
    "cell of prun": ["%%prun -q\nx = 3\n" + FUNCTION],
    "cell of capture": ["%%capture\nx = 3\nprint(x)"],
    "cell of capture with a name": ["%%capture --no-stderr out\nx = 3\nprint(x)"],
    "cell of two magics": ["%%capture\n%%time\nx = 3"],
    "cell of a shell": ["%%bash\nx=3\n", "y = 1"],
    "cell of another language": ["%%html\n<b>x = 3</b>", "y = 1"],
    "file of code": [f"%%writefile helpers.py\n{FUNCTION}", "from helpers import f\nx = f(2)"],
    "file of code as a module": [f"%%file helpers.py\n{FUNCTION}", "import helpers\nx=helpers.f(2)"],
    "file of code in two parts": [
        f"%%writefile helpers.py\n{FUNCTION}",
        "%%writefile -a helpers.py\nN = f(3)",
        "from helpers import N",
    ],
    "file of code that is run": [f"%%writefile ./helpers.py\n{FUNCTION}x = 3", "%run helpers.py"],
    "file of text": ["%%writefile notes.txt\nx = = 3", "y = 1"],
    "commands": ["!true\nx = 1\n!!true"],
    "value of a command": ["x = !true\ny = len(x)"],
    "value of a magic": ["x = %pwd"],
    "help": ["?print", "print?\nx = 1\nx??\nstr.c*?"],
    "settings": ["%config InlineBackend.figure_format = 'svg'\n%precision 3\nx = 1"],
    "prompts of Python": [">>> x = 2\n>>> def f():\n...     return 1\n...\n>>> y = f()"],
    "prompts of Python, indented": ["    >>> x = 2\n    >>> y = (x,\n    ...      3)"],
    "prompts of IPython": ["In [1]: x = 2\n\nIn [2]: def f():\n   ...:     return 1\n   ...: "],
    "prompts before magics": ["In [7]: %time x = 2", ">>> %time y = 3"],
    "prompts in a text": ['def f():\n    """Add.\n\n    >>> f()\n    1\n    """\n    return 1\nx = f()'],
    "indented": ["    x = 1\n    if x:\n        y = 2"],
    "await": ["import asyncio\nx = await asyncio.sleep(0.01, 3)\n" + FUNCTION],
    "await of an own function": ["async def f():\n    return 4", "x = await f()"],
    "loops that await": [
        "async def f():\n    for i in range(3):\n        yield i",
        "async for i in f():\n    x = i",
        "y = {i async for i in f()}",
    ],
    "tasks that go on": [
        "import asyncio\nasync def f():\n    await asyncio.sleep(0.01)\n    return 4",
        "async def g():\n    return asyncio.ensure_future(f())",
        "t = await g()",
        "x = await t",
    ],
    "not a magic": ["x = (7\n% 4)\ny = '''\n%time z = 1\n!ls\n'''"],
    "calls of an exported notebook": [
        "get_ipython().run_line_magic('time', 'x = \"a\" \\'b\\'')\ny = 1",
        "get_ipython().system('true')\nz = get_ipython().getoutput('true')",
    ],
}  # fmt: skip

FAILING: Final[dict[str, Sequence[str]]] = {
    "time in a function": ["def f(x):\n    %time y = x\n    return y\nz = f(1)"],
    "a bare command": ["pip install numpy\nx = 1"],
    "time of what is no Python": ["%time x = = 1\ny = x"],
}
"""Notebooks that fail in IPython too."""

_IPYTHON: Final = """
import json, os, sys
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell.instance()
sys.path.insert(0, "")
results = []
for cells in json.load(sys.stdin):
    shell.reset(new_session=False)
    sys.modules.pop("helpers", None)
    if os.path.exists("helpers.py"):
        os.remove("helpers.py")
    before = set(shell.user_ns)
    successes = [shell.run_cell(cell).success for cell in cells]
    state = shell.user_ns.get("STATE", {})
    results.append([all(successes), {n: v for n, v in state.items() if n not in before}])
json.dump(results, open("results.json", "w"), default=sorted)
"""


@pytest.fixture(scope="module")
def in_ipython(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bool, Names]]:
    """Run all notebooks in IPython: whether each succeeded, and its names."""
    folder = tmp_path_factory.mktemp("ipython")
    books = {**NOTEBOOKS, **FAILING}
    subprocess.run(
        [sys.executable, "-B", "-c", _IPYTHON],
        input=json.dumps([[*cells, STATE] for cells in books.values()]),
        capture_output=True,
        check=True,
        cwd=folder,
        env={"IPYTHONDIR": str(folder), "PATH": "/usr/bin:/bin", "HOME": str(folder)},
        text=True,
        timeout=60,
    )
    results = json.loads((folder / "results.json").read_text())
    return dict(zip(books, results, strict=True))


def names_after(cells: Sequence[str], sandbox: Sandbox) -> tuple[tuple[str, ...], Names]:
    """Run a notebook as a submission: the cells that failed, and its names."""
    text = notebook(*cells, STATE)
    submission = Submission.from_bytes(Path("small.ipynb"), text.encode())
    with sandbox.child() as child:
        program = join_cells(child, submission)
        answer, failed = load_cells(child, program, [])
        assert isinstance(answer, Returned)
        state = child.ask("value", "STATE")
        assert isinstance(state, Returned)
        assert isinstance(state.value, dict)
        return tuple(note() for note in failed), json.loads(json.dumps(state.value, default=sorted))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_names_are_those_of_ipython(
    name: str, sandbox: Sandbox, in_ipython: dict[str, tuple[bool, Names]]
) -> None:
    """The same names, with the same values, and no cell that fails."""
    failed, names = names_after(NOTEBOOKS[name], sandbox)
    succeeded, expected = in_ipython[name]
    assert succeeded
    assert not failed
    assert names == expected


@pytest.mark.parametrize("name", FAILING)
def test_what_fails_in_ipython_fails(
    name: str, sandbox: Sandbox, in_ipython: dict[str, tuple[bool, Names]]
) -> None:
    """The cell is said to have failed, as there."""
    failed, _ = names_after(FAILING[name], sandbox)
    assert not in_ipython[name][0]
    assert failed
