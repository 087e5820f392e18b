"""One attention head step by step: every array with its shape, and the sum behind every number."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from markupsafe import Markup

from grader.lessons.figure import Figure
from grader.reports.numerals import MINUS, numeral
from sitegen.maths import mathml
from sitegen.shading import shade_for
from sitegen.teaching.toy import Array, softmax

How: TypeAlias = Literal["given", "product", "cell", "row"]
"""The inputs of a number: a row and a column, the same cell, or a whole row."""

# The words, features and matrices of the lesson "One head, from start to end".
WORDS: Final = ("old", "clock", "spring")
FEATURES: Final = ("thing", "metal", "water", "clear", "helper")
X: Final = np.array([[0.1, 0, 0, 0.2, 0.7], [0.9, 1, 0, 1, 0], [1, 0.5, 0.5, 0, 0]])
W_Q: Final = np.array([[4.0, 0], [0, 0], [0, 0], [0, 0], [0, 4]])
W_K: Final = np.array([[0.0, 1], [0, 0], [0, 0], [1, 0], [0, 0]])
W_V: Final = np.eye(5)[:, :4]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A number, its colour and, in a result, the sum that gives it."""

    text: str
    value: float
    sum: str = ""
    shade: str = ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """An array with its name, shape and labels."""

    # The name by which scripts replace the array with the reader's own.
    array: str
    name: Markup
    shape: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[MatrixCell, ...], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A step: the operands, the operators between them, and the result."""

    name: str
    label: str
    formula: Markup
    does: str
    how: How
    operands: tuple[Matrix, ...]
    signs: tuple[str, ...]  # after each operand
    result: Matrix
    is_scale: bool = False  # True if the step depends on the number of features

    @property
    def sentence(self) -> str:
        """The sum behind the first number of the last row."""
        return self.result.cells[-1][0].sum


def view_stepper(figure: Figure) -> dict[str, Any]:
    """Compute every array of a head."""
    steps = tuple(map(_with_shades, _make_steps(has_mask=figure.is_on("mask", default=True))))
    start = min(int(float(figure.get("step", "1"))), len(steps))
    return {"steps": steps, "start": start}  # counted from one


def compute_arrays(*, has_mask: bool) -> dict[str, Array]:
    """Return every array of the head by name."""
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    scores = Q @ K.T
    scaled = scores / np.sqrt(K.shape[-1])
    mask = np.triu(np.full(scores.shape, -np.inf), k=1)
    masked = scaled + mask if has_mask else scaled
    weights = softmax(masked)
    return {"Q": Q, "K": K, "V": V, "S": scores, "scaled": scaled, "M": mask, "masked": masked,
            "A": weights, "O": weights @ V}  # fmt: skip


def _make_steps(*, has_mask: bool) -> list[Step]:
    arrays = compute_arrays(has_mask=has_mask)
    pair = ("0", "1")
    read = FEATURES[:4]
    input_matrix = _matrix("X", X, WORDS, FEATURES, lambda i, j: _number(X[i, j]))
    steps = [
        Step("Words come in", "X", _tex("X"), "One row for each word, one column for each feature.",
             "given", (), (), input_matrix),
    ]  # fmt: skip
    for array, names, does in (
        ("Q", pair, "Each word asks: what kind of word does it look for?"),
        ("K", pair, "Each word offers: what kind of word is it?"),
        ("V", read, "Each word brings what others may read from it."),
    ):
        weights = {"Q": W_Q, "K": W_K, "V": W_V}[array]
        called = f"W_{array}"
        title = {"Q": "Queries", "K": "Keys", "V": "Values"}[array]
        operands = (
            _matrix("X", X, WORDS, FEATURES),
            _matrix(called, weights, FEATURES, names),
        )
        result = _product(array, X, weights, names)
        formula = _tex(f"{array} = X {called}")
        steps.append(Step(title, array, formula, does, "product", operands, ("·", "="), result))
    Q, K, V, S = (arrays[name] for name in "QKVS")
    scaled, mask, masked, A = (arrays[name] for name in ("scaled", "M", "masked", "A"))
    steps.append(
        Step("Every query meets every key", "Q·Kᵀ", _tex(r"S = Q K^\top"),
             "Keys stand as columns now. A dot product says how well the two fit.", "product",
             (_matrix("Q", Q, WORDS, pair), _matrix(r"K^\top", K.T, pair, WORDS, array="KT")),
             ("·", "="),
             _product("S", Q, K.T, WORDS)),
    )  # fmt: skip
    steps.append(
        Step("Scores are scaled", "÷ √d", _tex(r"S / \sqrt{d_k}"),
             "A query has 2 features, so each score is divided by √2.", "cell",
             (_matrix("S", S, WORDS, WORDS),), ("÷ √d =",),
             _matrix(r"S / \sqrt{d_k}", scaled, WORDS, WORDS,
                     lambda i, j: f"{_number(S[i, j])} / √2 = {_number(scaled[i, j])}",
                     array="scaled"),
             is_scale=True),
    )  # fmt: skip
    if has_mask:
        steps.append(
            Step("The mask is added", "mask", _tex(r"S / \sqrt{d_k} + M"),
                 f"What comes later gets {MINUS}∞: no word sees what follows it.", "cell",
                 (_matrix(r"S / \sqrt{d_k}", scaled, WORDS, WORDS, array="scaled"),
                  _matrix("M", mask, WORDS, WORDS)),
                 ("+", "="),
                 _matrix(r"S / \sqrt{d_k} + M", masked, WORDS, WORDS,
                         lambda i, j: f"{_number(scaled[i, j])} + {_term(mask[i, j])} = "
                                      f"{_number(masked[i, j])}",
                         array="masked")),
        )  # fmt: skip
    powers = [[f"exp({_number(score)})" for score in row] for row in masked.tolist()]
    softmax = r"A = \operatorname{softmax}(S / \sqrt{d_k}" + (" + M)" if has_mask else ")")
    steps.append(
        Step("Scores become shares", "softmax", _tex(softmax),
             "Each row becomes positive shares that add up to 1.", "row",
             (_matrix("S", masked, WORDS, WORDS, array="weighted"),), ("softmax =",),
             _matrix("A", A, WORDS, WORDS,
                     lambda i, j: f"{powers[i][j]} / ({' + '.join(powers[i])}) = "
                                  f"{_number(A[i, j])}")),
    )  # fmt: skip
    steps.append(
        Step("Values are read", "A·V", _tex("O = A V"),
             "Each word collects values, each as often as its share says.", "product",
             (_matrix("A", A, WORDS, WORDS), _matrix("V", V, WORDS, read)), ("·", "="),
             _product("O", A, V, read)),
    )  # fmt: skip
    return steps


def _matrix(
    name: str,
    values: Array,
    rows: tuple[str, ...],
    columns: tuple[str, ...],
    write_sum: Callable[[int, int], str] | None = None,
    *,
    array: str = "",
) -> Matrix:
    def cell(value: float, i: int, j: int) -> MatrixCell:
        told = f"{rows[i]}, {columns[j]}: {write_sum(i, j)}" if write_sum else ""
        return MatrixCell(_number(value), value, told)

    cells = tuple(
        tuple(cell(value, i, j) for j, value in enumerate(row))
        for i, row in enumerate(values.tolist())
    )
    shape = f"({values.shape[0]}, {values.shape[1]})"
    return Matrix(array or name, _tex(name), shape, rows, columns, cells)


def _with_shades(step: Step) -> Step:
    """Return the step with colours, in which equal numbers have equal colours."""
    matrices = (*step.operands, step.result)
    shade = shade_for([cell.value for matrix in matrices for row in matrix.cells for cell in row])
    *operands, result = (
        replace(
            matrix,
            cells=tuple(
                tuple(replace(cell, shade=shade(cell.value)) for cell in row)
                for row in matrix.cells
            ),
        )
        for matrix in matrices
    )
    return replace(step, operands=tuple(operands), result=result)


def _product(name: str, left: Array, right: Array, columns: tuple[str, ...]) -> Matrix:
    values = left @ right

    def write_sum(i: int, j: int) -> str:
        terms = [
            f"{_term(a)} · {_term(b)}"
            for a, b in zip(left[i].tolist(), right[:, j].tolist(), strict=True)
            if a and b
        ]
        ending = "; the other terms are 0" if 0 < len(terms) < left.shape[1] else ""
        return f"{' + '.join(terms) or 'each term is 0'} = {_number(values[i, j])}{ending}"

    return _matrix(name, values, WORDS, columns, write_sum)


def _number(value: float) -> str:
    return numeral(value, 2) if value else "0"


def _term(value: float) -> str:
    return f"({_number(value)})" if value < 0 else _number(value)


def _tex(source: str) -> Markup:
    return mathml(source, display=False)
