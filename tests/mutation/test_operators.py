"""Each operator: what it makes of a line of code, and what it leaves alone."""

import pytest

from grader.mutation import OPERATORS, mutants

IMPORT = "import numpy as np\n\n\n"


def _made(operator: str, code: str) -> list[str]:
    """The lines that one operator puts in place of others, in a function of x, y, m, n and eps."""
    body = "\n".join("    " + line for line in code.splitlines())
    solution = f"{IMPORT}def solve(x, y, m, n, eps):\n{body}\n"
    return _changed_lines(operator, solution)


def _changed_lines(operator: str, solution: str) -> list[str]:
    return [
        " ".join(line[1:].strip() for line in mutant.diff.splitlines()[3:] if line.startswith("+"))
        for mutant in mutants(solution)
        if mutant.operator == operator
    ]


@pytest.mark.parametrize(
    ("operator", "code", "made"),
    [
        ("other-axis", "return x.sum(axis=-1)", ["return x.sum(axis=-2)"]),
        ("other-axis", "return np.sum(x, 1)", ["return np.sum(x, 0)"]),
        ("other-axis", "return x.mean(axis=(1, 2))", ["return x.mean(axis=2)"]),
        ("other-join-axis", "return np.stack([x, y])", ["return np.stack([x, y], axis=1)"]),
        ("other-join-axis", "return np.split(x, n, axis=-1)", ["return np.split(x, n, axis=-2)"]),
        ("drop-axis", "return x.sum(axis=0)", ["return x.sum()"]),
        ("drop-axis", "return np.concatenate([x, y], axis=-1)", ["return np.concatenate([x, y])"]),
        (
            "drop-keepdims", "return x / x.sum(axis=-1, keepdims=True)",
            ["return x / x.sum(axis=-1)"],
        ),
        ("drop-keepdims", "return x.sum(axis=0, keepdims=False)", ["return x.sum(axis=0, keepdims=True)"]),
        ("drop-transpose", "return x @ y.T", ["return x @ y"]),
        ("drop-transpose", "return np.swapaxes(x, 0, 1)", ["return x"]),
        (
            "reshape-for-transpose", "return x.reshape(n, m, -1).transpose(1, 0, 2)",
            ["return x.reshape(m, n, -1)"],
        ),
        (
            "reshape-for-transpose", "return np.reshape(x, (n, m)).swapaxes(0, 1)",
            ["return np.reshape(x, (m, n))"],
        ),
        (
            "reshape-for-transpose", "return x.transpose(1, 0, 2).reshape(n, m)",
            ["return x.reshape(n, m)"],
        ),
        ("other-transpose", "return x.transpose(0, 2, 1, 3)", ["return x.transpose(0, 2, 3, 1)"]),
        ("other-transpose", "return x.swapaxes(-1, -2)", ["return x.T"]),
        ("other-size", "return x.shape[-1]", ["return x.shape[0]"]),
        ("other-size", "return len(x)", ["return x.shape[1]"]),
        ("swap-lengths", "return np.zeros((m, n), int)", ["return np.zeros((n, m), int)"]),
        ("swap-lengths", "return x.reshape(m, -1)", ["return x.reshape(-1, m)"]),
        ("swap-lengths", "return np.reshape(x, (m, n))", ["return np.reshape(x, (n, m))"]),
        ("swap-lengths", "return np.ones(m) + x.reshape(-1)", []),
        ("swap-targets", "m, n = x.shape", ["n, m = x.shape"]),
        ("order-for-unequal", "return x != 2", ["return x < 2", "return x > 2"]),
        ("order-for-unequal", "return x != 'a'", []),
        ("other-newaxis", "return x[:, None] * y", ["return x[None, :] * y"]),
        ("drop-scale", "return x / np.sqrt(n)", ["return x"]),
        ("drop-scale", "return 0.5 * x", ["return x"]),
        ("drop-scale", "return x * y", ["return x", "return y"]),
        ("drop-scale", "return 1 / (1 + x)", ["return 1 + x"]),
        ("drop-root", "return x / np.sqrt(n)", ["return x / n"]),
        ("drop-root", "return x**2", ["return x"]),
        ("multiply-for-divide", "return (x + y) / n", ["return (x + y) * n"]),
        ("multiply-for-product", "return x @ y", ["return x * y"]),
        ("drop-product", "return x @ y + m", ["return x + m"]),
        ("flip-sign", "return x - y", ["return x + y"]),
        ("flip-sign", "x += y\nreturn x", ["x -= y"]),
        ("flip-sign", "return -x.mean()", ["return x.mean()"]),
        ("flip-sign", "return np.where(m, -1e9, x)", ["return np.where(m, 1e9, x)"]),
        ("drop-term", "return x @ y + m", ["return x @ y", "return m"]),
        ("swap-operands", "return x - y", ["return y - x"]),
        ("swap-operands", "return x @ y.T", ["return y @ x.T"]),
        ("drop-max-subtraction", "return np.exp(x - x.max())", ["return np.exp(x)"]),
        ("epsilon-outside", "return x / np.sqrt(y + eps)", ["return x / (np.sqrt(y) + eps)"]),
        ("epsilon-inside", "return x / (np.sqrt(y) + 1e-8)", ["return x / (np.sqrt(y + 1e-8))"]),
        ("drop-epsilon", "return x / (y + 1e-8)", ["return x / (y)"]),
        ("shift-comparison", "return x < y", ["return x <= y"]),
        ("negate-condition", "return x >= y", ["return x < y"]),
        ("negate-condition", "if m is not None:\n    x = y\nreturn x", ["if m is None:"]),
        ("negate-condition", "return x if m else y", ["return x if not m else y"]),
        ("other-connective", "return (x > 0) & (y > 0)", ["return (x > 0) | (y > 0)"]),
        ("mask-polarity", "return np.where(m, x, y)", ["return np.where(m, y, x)"]),
        ("mask-polarity", "return x[~m]", ["return x[m]"]),
        ("mask-polarity", "mask = m\nreturn x[mask]", ["return x[~mask]"]),
        ("other-triangle", "return np.triu(x)", ["return np.tril(x)"]),
        ("other-diagonal", "return np.triu(x, k=1)", ["return np.triu(x)", "return np.triu(x, k=2)"]),
        ("other-diagonal", "return np.tril(x)", ["return np.tril(x, k=1)", "return np.tril(x, k=-1)"]),
        ("ddof", "return x.var(axis=0)", ["return x.var(axis=0, ddof=1)"]),
        ("ddof", "return np.std(x, ddof=1)", ["return np.std(x)"]),
        (
            "other-einsum", "return np.einsum('ij,jk->ik', x, y)",
            ["return np.einsum('ij,jk->ki', x, y)", "return np.einsum('ij,kj->ik', x, y)"],
        ),
        ("other-function", "return x.mean(axis=0)", ["return x.sum(axis=0)"]),
        ("other-function", "return np.argmax(x)", ["return np.argmin(x)"]),
        ("other-function", "return np.ones((n, m))", ["return np.zeros((n, m))"]),
        ("drop-call", "return np.exp(x)", ["return x"]),
        ("drop-call", "return np.maximum(0, x)", ["return x"]),
        ("swap-arguments", "return np.matmul(x, y)", ["return np.matmul(y, x)"]),
        ("other-dtype", "return x.astype(np.float32)", ["return x.astype(np.float64)"]),
        (
            "other-dtype", "return np.zeros(n, dtype=float)",
            ["return np.zeros(n, dtype='float32')", "return np.zeros(n, dtype='int64')"],
        ),
        ("drop-dtype", "return np.asarray(x, dtype=float)", ["return np.asarray(x)"]),
        ("drop-dtype", "return (x > 0).astype(y.dtype)", ["return x > 0"]),
        ("loop-bounds", "return [x[i] for i in range(n)]", [
            "return [x[i] for i in range(1, n)]", "return [x[i] for i in range(n - 1)]",
        ]),
        ("loop-bounds", "for i in range(1, n + 1):\n    x = x + i\nreturn x", [
            "for i in range(2, n + 1):", "for i in range(1, n):",
        ]),
        ("slice-bounds", "return x[1:]", ["return x[:]"]),
        ("slice-bounds", "return x[:n + 1]", ["return x[:n]"]),
        ("slice-bounds", "return x[..., :-1]", ["return x[..., :]"]),
        ("drop-step", "return x[..., ::-1]", ["return x[..., :]"]),
        ("other-index", "return x[0]", ["return x[1]"]),
        ("other-index", "return x[n]", ["return x[n - 1]"]),
        (
            "other-index", "return x[np.arange(3), y]",
            ["return x[np.arange(3), y - 1]"],
        ),
        ("other-index", "return x[y.order, :]", ["return x[y.order - 1, :]"]),
        ("drop-index", "return x[n]", ["return x"]),
        ("drop-index", "return x[y][m] * 2", ["return x[y] * 2", "return x[m] * 2"]),
        ("swap-indices", "return x[n, m]", ["return x[m, n]"]),
        ("other-constant", "return 0.5 * x", ["return 1.0 * x"]),
        ("other-constant", "return np.maximum(x, 0)", ["return np.maximum(x, 1)"]),
        ("other-flag", "return np.full(3, True)", ["return np.full(3, False)"]),
        ("other-infinity", "return np.full(3, np.inf)", ["return np.full(3, -np.inf)"]),
        ("drop-statement", "y[0] = 3\nreturn y", [""]),
        ("drop-statement", "x = x @ y\nreturn x", [""]),
        ("drop-statement", "if m:\n    x *= 2\nreturn x", ["pass"]),
        ("swap-results", "return x, y, n", ["return y, x, n", "return x, n, y"]),
        ("swap-targets", "n, m = x.shape\nreturn n", ["m, n = x.shape"]),
        ("swap-joined", "return np.concatenate([x, y])", ["return np.concatenate([y, x])"]),
        ("leave-loop", "for i in x:\n    if i:\n        break\nreturn i", ["continue"]),
        ("in-place", "x = x / n\nreturn x", ["x /= n"]),
        ("in-place", "z = x - y\nreturn z * 2", ["z = np.subtract(x, y, out=x)"]),
        ("drop-copy", "z = x.copy()\nz[0] = 1\nreturn z", ["z = x"]),
        ("drop-copy", "z = np.array(x)\nz += 1\nreturn z", ["z = np.asarray(x)"]),
    ],
)  # fmt: skip
def test_an_operator_makes_its_mistake(operator: str, code: str, made: list[str]) -> None:
    """One line of code, and the lines that take its place."""
    assert _made(operator, code) == made


@pytest.mark.parametrize(
    ("operator", "code"),
    [
        ("other-axis", "return np.expand_dims(x, n)"),
        ("drop-axis", "return np.sort(x, axis=-1)"),
        ("drop-axis", "return np.expand_dims(x, axis=0)"),
        ("drop-axis", "return x.sum(axis=None)"),
        ("drop-keepdims", "return x / x.sum(keepdims=True)"),
        ("other-transpose", "return x.T"),
        ("other-newaxis", "return x[n, m]"),
        ("drop-scale", "return x * 1"),
        ("drop-scale", "return 'a' * 3"),
        ("flip-sign", "return x[-1]"),
        ("flip-sign", "return x.reshape(-1, n)"),
        ("flip-sign", "return x.shape[:-1] + (n, m)"),
        ("flip-sign", "return (-x) ** 2"),
        ("flip-sign", "return x - x.max()"),
        ("drop-term", "return 'a' + 'b'"),
        ("swap-operands", "return (x - y) ** 2"),
        ("swap-operands", "return np.abs(x - y)"),
        ("swap-operands", "return x / np.sqrt(n)"),
        ("drop-max-subtraction", "return x - y"),
        ("drop-epsilon", "return x + 1"),
        ("shift-comparison", "return np.where(x > 0, x, 0)"),
        ("shift-comparison", "return x * (x > 0)"),
        ("shift-comparison", "return np.random.default_rng(0).random(n) < y"),
        ("negate-condition", "while n > 0:\n    n -= 1\nreturn x"),
        ("mask-polarity", "return x[n]"),
        ("other-function", "return x - x.max()"),
        ("other-function", "z = np.zeros(n)\nfor i in range(n):\n    z[i] = x[i]\nreturn z"),
        ("other-function", "return np.zeros((0, n))"),
        ("swap-arguments", "return np.maximum(x, y)"),
        ("other-dtype", "z = np.ones((n, n), dtype=bool)\nreturn np.where(np.triu(z), x, y)"),
        ("drop-dtype", "z = np.ones((n, n), dtype=bool)\nreturn np.where(np.triu(z), x, y)"),
        ("drop-dtype", "return np.zeros(n, dtype=np.float64)"),
        ("other-index", "return x.shape[n]"),
        ("other-index", "return sum(x[i] for i in range(n))"),
        ("other-index", "for i, j in y:\n    n = n + x[i]\nreturn n"),
        ("other-index", "i = 0\nwhile i < n:\n    m = m + x[i]\n    i += 1\nreturn m"),
        ("other-index", "return x[np.newaxis]"),
        ("drop-index", "return x[np.newaxis]"),
        ("drop-index", "return [x[i] for i in range(n)]"),
        ("drop-index", "y[n] = x\nreturn y"),
        ("drop-index", "return x[n, m]"),
        ("drop-step", "return x[::1]"),
        ("other-constant", "return x.sum(axis=1)[2]"),
        ("other-constant", "return np.where(x, -1e9, y)"),
        ("other-constant", "return x**2"),
        ("other-flag", "return x.sum(axis=0, keepdims=True)"),
        ("drop-statement", "z = x + y\nreturn z"),
        ("drop-statement", "x = np.asarray(x)\nreturn x"),
        ("drop-statement", "while n > 0:\n    n -= 1\nreturn x"),
        ("swap-targets", "a, b = x, y\nreturn a"),
        ("leave-loop", "while True:\n    break\nreturn x"),
        ("in-place", "z = np.abs(x)\nz = z / n\nreturn z"),
        ("drop-copy", "z = x.copy()\nreturn z.sum()"),
    ],
)  # fmt: skip
def test_an_operator_leaves_alone_what_would_mean_the_same(operator: str, code: str) -> None:
    """No mutant would be equivalent to the original or never end."""
    assert _made(operator, code) == []


@pytest.mark.parametrize(
    ("parameter", "made"),
    [("eps=1e-5", "eps=0.001"), ("causal=False", "causal=True"), ("n=1", "n=2")],
)
def test_a_default_becomes_another_one(parameter: str, made: str) -> None:
    """Numbers and flags; None stays."""
    solution = f"def solve(x, {parameter}, y=None):\n    return x\n"
    assert _changed_lines("other-default", solution) == [f"def solve(x, {made}, y=None):"]


def test_an_axis_by_default_is_an_axis() -> None:
    """The operator of axes changes it, not that of defaults."""
    solution = "def softmax(x, axis=-1):\n    return x\n"
    assert _changed_lines("other-axis", solution) == ["def softmax(x, axis=-2):"]
    assert _changed_lines("other-default", solution) == []


def test_a_function_of_the_programs_own_is_dropped_and_its_arguments_exchanged() -> None:
    """Names that the program defines count as functions of arrays."""
    solution = "def f(a):\n    return a\n\n\ndef g(a, b):\n    return f(a), g(a, b)\n"
    assert _changed_lines("drop-call", solution) == ["return a, g(a, b)"]
    assert _changed_lines("swap-arguments", solution) == ["return f(a), g(b, a)"]


def test_the_state_of_an_object_is_left_as_it_was() -> None:
    """In a method an assignment to self is dropped; in __init__ it is needed."""
    solution = (
        "class Cache:\n"
        "    def __init__(self, x):\n"
        "        self.x = x\n\n"
        "    def append(self, y):\n"
        "        self.x = self.x + y\n"
        "        return self.x\n"
    )
    dropped = [mutant for mutant in mutants(solution) if mutant.operator == "drop-statement"]
    assert [mutant.line for mutant in dropped] == [6]


def test_a_helper_may_work_in_place() -> None:
    """What the program calls itself is mostly given an array of its own."""
    solution = f"{IMPORT}def f(x):\n    return x - 1.5 * x\n\n\ndef g(y):\n    return f(y @ y)\n"
    assert _changed_lines("in-place", solution) == []


def test_every_operator_names_its_mistake() -> None:
    """A clause that shows learners no code."""
    for name, operator in OPERATORS.items():
        assert operator.name == name
        assert operator.mistake.startswith("as if ")
        assert not operator.mistake.endswith(".")
        assert "`" not in operator.mistake
