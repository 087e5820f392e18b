"""Mutants as a whole: what is mutated, how a change is named, how it is written."""

import ast
from pathlib import Path

import numpy as np
import pytest

from grader.mutation import OPERATORS, Mutant, mutants

SOFTMAX = """\
import numpy as np


def softmax(x):
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)
"""
ATTENTION = (
    SOFTMAX
    + '''

def attention(Q, K):
    """Weigh keys; 2 + 2 in a docstring is no code."""
    d_k = Q.shape[-1]
    scores = (Q @ K.T) / np.sqrt(d_k)  # (n, m)
    return softmax(scores)
'''
)
SCORES_LINE = 12


def _changes(solution: str, *, starter: str = "", defines: tuple[str, ...] = ()) -> set[str]:
    return {mutant.change for mutant in mutants(solution, defines, starter)}


def _only(operator: str, solution: str) -> Mutant:
    [found] = [mutant for mutant in mutants(solution) if mutant.operator == operator]
    return found


def test_a_change_is_named_by_operator_function_and_code() -> None:
    """One line, as a definition repeats it."""
    assert (
        "drop-keepdims in softmax: `x.max(axis=-1, keepdims=True)` -> `x.max(axis=-1)`"
        in _changes(ATTENTION)
    )


def test_a_method_is_named_with_its_class() -> None:
    """And the code of the module with nothing."""
    solution = "SCALE = 0.5\n\n\nclass Layer:\n    def forward(self, x):\n        return x**2\n"
    assert _changes(solution) == {
        "other-constant: `SCALE = 0.5` -> `SCALE = 1.0`",
        "drop-root in Layer.forward: `return x ** 2` -> `return x`",
    }


def test_a_change_keeps_its_name_when_code_elsewhere_changes() -> None:
    """Neither lines nor other functions are part of the name."""
    edited = ATTENTION.replace("import numpy as np\n", "import numpy as np\n\nSIZE = 3\n")
    edited = edited.replace("return softmax(scores)", "return 2 * softmax(scores)")
    kept = {change for change in _changes(ATTENTION) if "return softmax" not in change}
    assert kept <= _changes(edited)


def test_a_change_that_repeats_in_a_function_is_numbered() -> None:
    """The first has no number."""
    solution = (
        "def f(x, y):\n    a = g(x, x * y * 2.5)\n    b = g(x, x * y * 2.5)\n    return a, b\n"
    )
    numbered = [change for change in _changes(solution) if "* 5.0" in change]
    assert sorted(numbered) == [
        "other-constant in f: `x * y * 2.5` -> `x * y * 5.0`",
        "other-constant in f: `x * y * 2.5` -> `x * y * 5.0` (2nd)",
    ]


def test_a_long_change_is_cut_to_what_differs() -> None:
    """Both sides stay on a line that a terminal shows."""
    terms = " + ".join(f"feature_number_{n} @ W" for n in range(20))
    for mutant in mutants(f"def f(x):\n    return ({terms}) / 2.5\n"):
        assert len(mutant.change) < 250
        before, _, after = mutant.change.partition(" -> ")
        assert before.split(": ", 1)[1] != after


def test_only_the_changed_text_changes() -> None:
    """Comments, blank lines and parentheses around it stay as they are."""
    mutant = _only("drop-transpose", ATTENTION)
    assert mutant.line == SCORES_LINE
    assert mutant.source == ATTENTION.replace("K.T", "K")
    assert mutant.diff == (
        "--- solution.py\n"
        "+++ mutant.py\n"
        "@@ -11,3 +11,3 @@\n"
        "     d_k = Q.shape[-1]\n"
        "-    scores = (Q @ K.T) / np.sqrt(d_k)  # (n, m)\n"
        "+    scores = (Q @ K) / np.sqrt(d_k)  # (n, m)\n"
        "     return softmax(scores)\n"
    )


@pytest.mark.parametrize(
    ("operator", "before", "after"),
    [
        # Parentheses are added where the change needs them.
        ("swap-operands", "return z * (x - (y + z))", "return z * (y + z - x)"),
        ("drop-root", "return np.sqrt(x + y) @ x", "return (x + y) @ x"),
        # The parser counts bytes, the text characters.
        ("drop-root", "return 'é', ä + np.sqrt(ß) * 3", "return 'é', ä + ß * 3"),
        # A statement is dropped with its line; a body is not left empty.
        ("drop-statement", "x[0] = y  # set\n    return x", "return x"),
        ("drop-statement", "x[0] = y", "pass"),
        ("drop-statement", "x[0] = y; return x", "pass; return x"),
    ],
)
def test_the_text_means_what_the_tree_says(operator: str, before: str, after: str) -> None:
    """The rest of the program stays as it is written."""
    head = "def f(x, y, z, ß, ä):\n    "
    assert _only(operator, f"{head}{before}\n").source == f"{head}{after}\n"


def test_no_two_mutants_are_the_same_program() -> None:
    """No mutant is the solution itself either."""
    trees = [ast.dump(ast.parse(mutant.source)) for mutant in mutants(ATTENTION)]
    assert len(set(trees)) == len(trees)
    assert ast.dump(ast.parse(ATTENTION)) not in trees


def test_mutants_come_in_the_same_order_every_time() -> None:
    """Names and numbers would change otherwise."""
    assert mutants(ATTENTION) == mutants(ATTENTION)
    lines = [mutant.line for mutant in mutants(ATTENTION)]
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    "code",
    [
        'def f(x):\n    """Divide x / 2 + 1."""\n    return x\n',
        "def f(x):\n    raise ValueError(x / 2 + 1)\n",
        "def f(x):\n    assert x > 0, x / 2\n    return x\n",
        "def f(x: A[1] = None) -> B[x / 2]:\n    y: C[0] = x\n    return y\n",
        "@decorated(1 / 2)\ndef f(x):\n    return x\n",
        "def f(x):\n    return f'{x / 2}'\n",
        "from numpy import *\n\n__all__ = ['a', 'b'] + [c]\n",
        "if __name__ == '__main__':\n    print(1 + 2)\n",
        "print(1 + 2)\n",
        "",
        "def f(x):\n    return x\n    x = -x\n",  # which compiles to the same without the minus
        "def f(:",
        "x = '\0'",
        "x = " + " + ".join(["a * 2.5"] * 3000),  # which Python reads, though it is nested deeply
    ],
    ids=range(14),
)
def test_what_no_test_can_see_is_left_alone(code: str) -> None:
    """Texts, annotations, decorators, checks and demonstrations, and what is not Python."""
    assert mutants(code) == ()


def test_a_function_that_the_starter_gives_is_left_alone() -> None:
    """Its docstring may differ, its code not."""
    starter = SOFTMAX.replace("def softmax(x):\n", 'def softmax(x):\n    """Explain."""\n')
    changes = _changes(ATTENTION, starter=starter)
    assert changes
    assert not any("in softmax" in change for change in changes)
    broken = SOFTMAX.replace("axis=-1", "axis=0")
    assert _changes(ATTENTION, starter=broken) == _changes(ATTENTION)


def test_a_starter_that_is_no_python_gives_nothing() -> None:
    """A starter may be broken on purpose."""
    assert _changes(ATTENTION, starter="def softmax(x:") == _changes(ATTENTION)


def test_code_that_the_exercise_never_reaches_is_left_alone() -> None:
    """What is asked for, and all it names, is mutated."""
    unused = "\n\ndef unused(x):\n    return x / 2\n"
    assert _changes(ATTENTION + unused, defines=("attention",)) == _changes(ATTENTION)
    assert len(_changes(ATTENTION + unused)) > len(_changes(ATTENTION))


def test_a_loop_keeps_its_end() -> None:
    """Nothing that moves a while loop on is changed; its edge is."""
    solution = "def f(n):\n    total = 0.0\n    while n > 3:\n        n = n - 1\n        total += n\n    return total\n"
    inside = {mutant.change for mutant in mutants(solution) if mutant.line in (3, 4)}
    assert inside == {"shift-comparison in f: `n > 3` -> `n >= 3`"}


def test_the_compilers_warnings_are_not_the_mutants() -> None:
    """A mutant that Python warns of is made without a word."""
    solution = "def f(x):\n    return x if x is not None else 2.5 * x is x\n"
    assert mutants(solution.replace("x is x", "3 is x"))


SOURCES = sorted(
    path
    for folder in ("lib", "ma", "linalg", "polynomial", "fft")
    for path in (Path(np.__file__).parent / folder).glob("*.py")
    if path.stat().st_size < 12_000
)


@pytest.mark.slow
@pytest.mark.parametrize("path", SOURCES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_any_python_is_mutated_without_error(path: Path) -> None:
    """NumPy's own files: each mutant compiles and differs, and its name is its own."""
    solution = path.read_text(encoding="utf-8")
    made = mutants(solution)
    for mutant in made:
        compile(mutant.source, "mutant.py", "exec", dont_inherit=True)
        assert mutant.source != solution
        assert mutant.operator in OPERATORS
        assert "\n" not in mutant.change
    assert len({mutant.change for mutant in made}) == len(made)


@pytest.mark.parametrize("ending", ["\n", ""])
def test_a_diff_turns_the_solution_into_the_mutant(ending: str) -> None:
    """Its hunk says where, how many lines, what goes and what comes, the last line's end included."""
    solution = ATTENTION.removesuffix("\n") + ending
    for mutant in mutants(solution):
        assert _patched(solution, mutant.diff) == mutant.source


def _patched(text: str, diff: str) -> str:
    """Apply a diff of one hunk, strictly."""
    ranges, *hunk = diff.splitlines(keepends=True)[2:]
    for place, line in enumerate(hunk):
        if line == "\\ No newline at end of file\n":
            hunk[place - 1] = hunk[place - 1].removesuffix("\n")
    hunk = [line for line in hunk if not line.startswith("\\")]
    start, old_count, new_count = _ranges(ranges)
    old = [line[1:] for line in hunk if line[0] in " -"]
    new = [line[1:] for line in hunk if line[0] in " +"]
    assert (len(old), len(new)) == (old_count, new_count)
    lines = text.splitlines(keepends=True)
    assert lines[start - 1 : start - 1 + old_count] == old
    return "".join(lines[: start - 1] + new + lines[start - 1 + old_count :])


def _ranges(line: str) -> tuple[int, int, int]:
    _, old, new, _ = line.split()
    start, _, old_count = old[1:].partition(",")
    _, _, new_count = new[1:].partition(",")
    return int(start), int(old_count or 1), int(new_count or 1)
