"""The shipped Python in the Python of browsers, run by Node: Pyodide, and its NumPy."""

from pathlib import Path

from tests.browser_engine.pyodide import in_pyodide


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
