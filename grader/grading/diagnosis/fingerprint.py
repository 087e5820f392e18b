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
from grader.grading.comparison.compare import compare, usual_tolerance
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


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The result of a program in one test: its outcome, draw, difference and values."""

    outcome: Outcome
    draw: int
    difference_kind: str = ""
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
    difference_kind = "" if result.difference_kind is None else result.difference_kind.value
    got = result.got
    if isinstance(got, Raised):
        # The known cause, or else the message. An error without frames of the program arose in
        # the test's own code.
        cause = signature(got.type, got.message) if got.frames else None
        cause_or_message = cause or (got.message[:_MAX_MESSAGE_LENGTH],)
        form = ("raised", got.type, bool(got.frames), *cause_or_message)
        return Fingerprint(outcome, result.draw, "", form, is_specific=cause is not None)
    if isinstance(got, str):
        return Fingerprint(
            outcome, result.draw, difference_kind, ("text",), text=got[:_MAX_TEXT_LENGTH]
        )
    parts = _Parts(exact_dtypes=result.difference_kind is DifferenceKind.DTYPE)
    try:
        parts.add(got)
    except ValueError:  # an integer with more digits than Python prints
        return Fingerprint(outcome, result.draw, difference_kind, ("odd",))
    numbers = np.concatenate(parts.numbers) if parts.numbers else _NO_NUMBERS
    return Fingerprint(
        outcome,
        result.draw,
        difference_kind,
        tuple(parts.form),
        numbers,
        is_single_precision=parts.is_single_precision,
    )


class _Parts:
    """The parts of a value for a fingerprint.

    Args:
        exact_dtypes: Whether to distinguish dtypes such as `float32` and `float64`, because the
            dtype itself is wrong.
    """

    def __init__(self, *, exact_dtypes: bool) -> None:
        self._exact_dtypes = exact_dtypes
        self.form: list[object] = []
        self.numbers: list[Numbers] = []
        self.is_single_precision = False

    def add(self, value: Any) -> None:
        """Add a value and its items at all levels."""
        if len(self.form) >= _MAX_PARTS:
            return
        if isinstance(value, (list, tuple, deque)):
            self.form += [type(value).__name__, len(value)]
            for item in value:
                self.add(item)
        elif isinstance(value, dict):
            self.form += ["dict", *(f"{key!r:.80}" for key in list(value)[:_MAX_PARTS])]
            for item in value.values():
                self.add(item)
        elif isinstance(value, (bool, int, float, complex, np.generic, np.ndarray)):
            self._add_array(value)
        elif isinstance(value, Proxy):
            self.form += ["object", value.handle_.kind]
        elif isinstance(value, Unsupported):
            self.form += ["unsupported", value.kind, value.path]
        else:
            self.form += [type(value).__name__, f"{value!r:.200}"]

    def _add_array(self, value: Any) -> None:
        array = np.asarray(value)
        kind: str
        if not self._exact_dtypes:
            kind = "i" if array.dtype.kind == "u" else array.dtype.kind
        elif array.dtype in (np.dtype(int), np.int64):
            # NumPy's default integers have 32 bits in a browser.
            kind = "integer"
        else:
            kind = array.dtype.str
        self.form += ["number" if array.ndim == 0 else kind, array.shape]
        if array.dtype.kind not in "biufc":
            self.form.append(f"{value!r:.200}")
            return
        self.is_single_precision |= array.dtype in (np.float32, np.complex64, np.float16)
        places = np.linspace(0, array.size - 1, min(array.size, _MAX_VALUES)).astype(int)
        chosen = array.reshape(-1)[places]
        if array.dtype.kind == "c":
            self.numbers.append(np.stack([chosen.real, chosen.imag]).astype(np.float64).ravel())
        else:
            self.numbers.append(chosen.astype(np.float64))
