"""Small fingerprints of a program's result in one test, to compare many programs.

Large arrays are sampled, since a few hundred values in fixed places distinguish two programs as
well as all values would.
"""

import re
from collections import deque
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.definitions.exercise import Tolerance
from grader.grading.comparison.compare import NUMERIC, compare, usual_tolerance
from grader.grading.comparison.nested_values import walk
from grader.grading.comparison.printed_text import compare_text
from grader.grading.feedback.error_explanations import signature
from grader.grading.program.proxies import Proxy
from grader.grading.results.raw_result import DifferenceKind, RawResult
from grader.grading.results.verdict import Outcome
from grader.sandbox.answers import Raised, Unsupported

Numbers: TypeAlias = npt.NDArray[np.float64]

_MAX_VALUES = 256  # values that are sampled from one array
_MAX_PARTS = 32  # parts of a container
_MAX_TEXT_LENGTH = 4096  # characters of a printed text that are compared
_MAX_MESSAGE_LENGTH = 200  # characters of an error's message that are compared
_MIN_VALUES = 4  # whole numbers; fewer may agree by chance

_FRACTION = re.compile(r"\d\.\d*[1-9]")
_NO_NUMBERS: Final[Numbers] = np.empty(0)
_SINGLE_PRECISION: Final = (np.float16, np.float32, np.complex64)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The result of a program in one test: its outcome, draw, difference and values."""

    outcome: Outcome
    draw: int
    difference_kind: DifferenceKind | None = None
    form: tuple[object, ...] = ()  # containers, shapes, kinds and exceptions, compared exactly
    numbers: Numbers = field(default_factory=lambda: _NO_NUMBERS)
    is_single_precision: bool = False  # whether some of the numbers have at most single precision
    text: str = ""
    is_specific: bool = False  # whether it is an error with a known cause

    @property
    def is_distinctive(self) -> bool:
        """True if a program with another mistake is unlikely to have the same fingerprint."""
        if self.is_specific:
            return True
        if self.text:
            return _FRACTION.search(self.text) is not None
        finite = self.numbers[np.isfinite(self.numbers)]
        if (finite != np.trunc(finite)).any():
            return True
        return len(finite) >= _MIN_VALUES and len(np.unique(finite)) > 1

    @property
    def is_finite_somewhere(self) -> bool:
        """True if any number is finite."""
        return bool(np.isfinite(self.numbers).any())

    def agrees(self, other: "Fingerprint", closeness: Tolerance | None) -> bool:
        """Return whether two programs had the same result.

        Args:
            closeness: The tolerance of the test, or None. It is used where it is stricter than the
                usual one.
        """
        if (self.outcome, self.draw, self.difference_kind) != (
            other.outcome,
            other.draw,
            other.difference_kind,
        ):
            return False
        if self.form != other.form or len(self.numbers) != len(other.numbers):
            return False
        is_single = self.is_single_precision or other.is_single_precision
        usual = usual_tolerance(np.dtype(np.float32 if is_single else np.float64))
        atol, rtol = usual.atol, usual.rtol
        if closeness is not None:
            atol, rtol = min(atol, closeness.atol), min(rtol, closeness.rtol) or rtol
        return not (
            compare_text(self.text, other.text, usual_tolerance(np.dtype(np.float64)))
            or compare(other.numbers, self.numbers, Tolerance(atol, rtol))
        )


def make_fingerprint(outcome: Outcome, result: RawResult | None) -> Fingerprint:
    """Return the fingerprint of a result."""
    if result is None:
        return Fingerprint(outcome, -1)
    got, difference_kind = result.got, result.difference_kind
    if isinstance(got, Raised):
        # The known cause, or else the message. An error without frames of the program arose in
        # the test's own code.
        cause = signature(got.type, got.message) if got.frames else None
        cause_or_message = cause or (got.message[:_MAX_MESSAGE_LENGTH],)
        form = ("raised", got.type, bool(got.frames), *cause_or_message)
        return Fingerprint(outcome, result.draw, None, form, is_specific=cause is not None)
    if isinstance(got, str):
        return Fingerprint(
            outcome, result.draw, difference_kind, ("text",), text=got[:_MAX_TEXT_LENGTH]
        )
    parts, numbers, dtypes = list[object](), list[Numbers](), set[np.dtype[Any]]()
    # Dtypes such as `float32` and `float64` are distinguished if the dtype itself is wrong.
    exact_dtypes = difference_kind is DifferenceKind.DTYPE
    try:
        for _, part in walk(got):
            if len(parts) >= _MAX_PARTS:
                break
            parts += _list_form(part, exact_dtypes=exact_dtypes)
            array = np.asarray(part if isinstance(part, NUMERIC) else "")
            if array.dtype.kind in "biufc":
                numbers.append(_sample(array))
                dtypes.add(array.dtype)
    except ValueError:  # an integer with more digits than Python prints
        return Fingerprint(outcome, result.draw, difference_kind, ("odd",))
    return Fingerprint(
        outcome,
        result.draw,
        difference_kind,
        tuple(parts),
        np.concatenate(numbers) if numbers else _NO_NUMBERS,
        is_single_precision=any(dtype in _SINGLE_PRECISION for dtype in dtypes),
    )


def _list_form(part: Any, *, exact_dtypes: bool) -> list[object]:
    """Return the type of a part of a value, with its shape or length, or its text."""
    if isinstance(part, (list, tuple, deque)):
        return [type(part).__name__, len(part)]
    if isinstance(part, dict):
        return ["dict", *(f"{key!r:.80}" for key in list(part)[:_MAX_PARTS])]
    if isinstance(part, Proxy):
        return ["object", part.handle_.kind]
    if isinstance(part, Unsupported):
        return ["unsupported", part.kind, part.path]
    if not isinstance(part, NUMERIC):
        return [type(part).__name__, f"{part!r:.200}"]
    array = np.asarray(part)
    kind = "i" if array.dtype.kind == "u" else str(array.dtype.kind)
    if exact_dtypes:  # NumPy's default integers have 32 bits in a browser
        kind = "integer" if array.dtype in (np.dtype(int), np.int64) else array.dtype.str
    form: list[object] = ["number" if array.ndim == 0 else kind, array.shape]
    return form if array.dtype.kind in "biufc" else [*form, f"{part!r:.200}"]


def _sample(array: npt.NDArray[Any]) -> Numbers:
    """Return at most `_MAX_VALUES` of an array's numbers; complex ones as two parts."""
    places = np.linspace(0, array.size - 1, min(array.size, _MAX_VALUES)).astype(int)
    chosen = array.reshape(-1)[places]
    values = np.stack([chosen.real, chosen.imag]) if array.dtype.kind == "c" else chosen
    return values.ravel().astype(np.float64)
