"""The interactive figures of a lesson, and the settings that an author may give them.

Each kind of figure is an entry of `_KINDS`. `sitegen.teaching` writes the HTML that draws it.
"""

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from grader.definitions.wording import did_you_mean
from grader.errors import DefinitionError, Location, Problem
from grader.lessons.fence import Fence, parse_fields

MAX_WORDS: Final = 10
HEADS: Final = ("meaning", "grammar", "the word before")
PARTS: Final = (
    "embedding", "positions", "projections", "dot-products", "scaling", "causal-mask", "masks",
    "softmax", "weighted-sum", "heads", "feed-forward", "logits", "sampling", "memory", "training",
)  # fmt: skip
POSITIONS: Final = 32
SIZES: Final = tuple(str(2**power) for power in range(10))  # lengths of a query vector
SELECTIONS: Final = ("slices", "sums", "places")
CONTROLS: Final = ("mask", "scale", "temperature", "heads")

_MIN_WORDS: Final = 2
_MAX_SENTENCE_LENGTH: Final = 90  # characters
_SWITCH: Final = {"on": True, "off": False}
_NAME_AND_VALUES: Final = re.compile(r"([A-Za-z_]\w*) *= *(.+)")
# The most that a figure can show and a reader can still tell apart.
_MAX_CHOICES: Final = 6
_MAX_CURVES: Final = 5
_MAX_POINTS: Final = 500
_MAX_SIDE: Final = 128


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: its kind, and the checked values that its author set."""

    where: Location
    kind: str
    values: tuple[tuple[str, str], ...]
    # The arrays that a run computed: one tuple for each choice of a reader.
    frames: tuple[tuple[npt.NDArray[Any], ...], ...] = field(default=(), compare=False)

    @property
    def title(self) -> str:
        """The heading of the figure."""
        return self.get("title", _KINDS[self.kind].title)

    def get(self, key: str, default: str = "") -> str:
        """Return the value of a key, or the default if the author did not set it."""
        return dict(self.values).get(key, default)

    def is_on(self, key: str, *, default: bool) -> bool:
        """Return whether a switch is on."""
        return _SWITCH.get(self.get(key), default)

    @property
    def expressions(self) -> tuple[str, ...]:
        """The expressions whose arrays the figure shows, evaluated after the cells above."""
        return tuple(text for key in _KINDS[self.kind].arrays for text in self.items(key, ";"))

    @property
    def choices(self) -> tuple[str, tuple[str, ...]]:
        """The variable in the expressions, and the values that a reader can choose for it."""
        match = _NAME_AND_VALUES.fullmatch(self.get("each"))
        return (match[1], tuple(map(str.strip, match[2].split(",")))) if match else ("_", ("0",))

    def misfit(self, arrays: tuple[Any, ...]) -> str:
        """Return the reason why arrays cannot be drawn; empty if they can."""
        for expression, array in zip(self.expressions, arrays, strict=True):
            if not isinstance(array, np.ndarray) or array.dtype.kind not in "biuf":
                return f"{expression} is not an array of numbers"
            if self.kind == "curve":
                if array.ndim != 1 or array.shape != arrays[0].shape:
                    return f"{expression} has shape {array.shape}; x and y have one axis, as long"
                if not 1 < array.size <= _MAX_POINTS:
                    return f"{expression} has {array.size} numbers, not 2 to {_MAX_POINTS}"
            elif array.ndim != 2 or not 0 < min(array.shape) <= max(array.shape) <= _MAX_SIDE:  # noqa: PLR2004  a matrix has two axes
                return f"{expression} has shape {array.shape}, not two axes of 1 to {_MAX_SIDE}"
            if not np.isfinite(array).all():
                return f"{expression} has a nan or an infinity"
        return ""

    def items(self, key: str, separator: str = ",") -> tuple[str, ...]:
        """Return the parts of a value that is a list, without empty ones."""
        parts = (part.strip() for part in self.get(key).split(separator))
        return tuple(part for part in parts if part)


FieldValidator: TypeAlias = Callable[[Figure, str], str]
"""Returns an error message about a value in its figure; empty if the value is valid."""


@dataclass(frozen=True, slots=True)
class _Kind:
    title: str
    keys: Mapping[str, FieldValidator]
    required: tuple[str, ...] = ()
    arrays: tuple[str, ...] = ()  # keys whose values are expressions


def read_figure(fence: Fence) -> Figure:
    """Read a figure.

    Raises:
        DefinitionError: The kind of figure or a key is not known, a key is missing or set twice, or
            a value is not valid.
    """
    kind = " ".join(fence.info_words[1:])
    if kind not in _KINDS:
        kinds = ", ".join(_KINDS)
        raise fence.error(f"expected one of {kinds} after 'figure', found '{kind:.40}'")
    prompt, settings = parse_fields(fence)
    values = {setting.key: setting.value for setting in settings}
    figure = Figure(fence.where, kind, tuple(values.items()))
    if text := prompt.value.strip():
        raise DefinitionError.at(prompt.where, f"expected 'key: value', found '{text:.40}'")
    problems = []
    keys = _KINDS[kind].keys
    for number, setting in enumerate(settings):
        if any(each.key == setting.key for each in settings[:number]):
            problems.append(Problem(setting.where, f"'{setting.key}' is set twice"))
        elif setting.key not in keys:
            hint = did_you_mean(setting.key, keys)
            message = f"the figure '{kind}' has no key '{setting.key:.40}'{hint}"
            problems.append(Problem(setting.where, message))
        elif message := keys[setting.key](figure, setting.value):
            problems.append(Problem(setting.where, f"{setting.key}: {message}"))
    for key in _KINDS[kind].required:
        if key not in values:
            message = f"the figure '{kind}' needs the key '{key}'"
            problems.append(Problem(figure.where, message))
    if problems:
        raise DefinitionError(problems)
    return figure


def _any_text(_: Figure, value: str) -> str:
    return "" if value else "there is no text"


def _sentence(_: Figure, value: str) -> str:
    if len(value) > _MAX_SENTENCE_LENGTH:
        return f"a sentence has at most {_MAX_SENTENCE_LENGTH} characters"
    if not _MIN_WORDS <= len(value.split()) <= MAX_WORDS:
        return f"a sentence has {_MIN_WORDS} to {MAX_WORDS} words"
    return ""


def _word_of_sentence(figure: Figure, value: str) -> str:
    words = figure.get("sentence").split()
    return "" if value in words else f"'{value:.40}' is not in the sentence"


def _choice_validator(*choices: str) -> FieldValidator:
    def validate(_: Figure, value: str) -> str:
        if value in choices:
            return ""
        return f"expected one of {', '.join(choices)}, found '{value:.40}'"

    return validate


def _list_validator(validate_item: FieldValidator, separator: str) -> FieldValidator:
    def validate(figure: Figure, value: str) -> str:
        parts = (part.strip() for part in value.split(separator))
        return next(filter(None, (validate_item(figure, part) for part in parts)), "")

    return validate


def _number_validator(minimum: float, maximum: float) -> FieldValidator:
    def validate(_: Figure, value: str) -> str:
        try:
            is_valid = minimum <= float(value) <= maximum
        except ValueError:
            is_valid = False
        return "" if is_valid else f"expected a number from {minimum:g} to {maximum:g}"

    return validate


def _score(figure: Figure, value: str) -> str:
    name, _, score = value.rpartition(" ")
    if not name:
        return "expected a name and a score: 'clock 2'"
    return _number_validator(-6, 6)(figure, score)


def _expressions(max_count: int) -> FieldValidator:
    def validate(_: Figure, value: str) -> str:
        parts = [part.strip() for part in value.split(";")]
        if len(parts) > max_count:
            noun = "expression" if max_count == 1 else "expressions"
            return f"at most {max_count} {noun} can stand here"
        for part in parts:
            try:
                ast.parse(part, mode="eval")
            except (SyntaxError, ValueError) as error:
                return f"'{part:.40}' is not an expression of Python: {error}"
        return ""

    return validate


def _each_value(_: Figure, value: str) -> str:
    match = _NAME_AND_VALUES.fullmatch(value)
    count = len(match[2].split(",")) if match else 0
    if 1 < count <= _MAX_CHOICES:
        return _expressions(_MAX_CHOICES)(_, match[2].replace(",", ";")) if match else ""
    return f"expected a name and 2 to {_MAX_CHOICES} values, as in 'width = 1, 2, 4'"


_COMMON_KEYS: Final[Mapping[str, FieldValidator]] = {
    "title": _any_text, "alt": _any_text, "names": _any_text, "each": _each_value,
}  # fmt: skip
_EXPRESSION: Final = _expressions(1)

_SWITCH_VALIDATOR: Final = _choice_validator(*_SWITCH)

_KINDS: Final = {
    "explorer": _Kind(
        "Attention explorer",
        {
            "title": _any_text,
            "sentence": _sentence,
            "ask": _word_of_sentence,
            "try": _list_validator(_sentence, "|"),
            "head": _choice_validator(*HEADS),
            "controls": _list_validator(_choice_validator(*CONTROLS), ","),
            "mask": _SWITCH_VALIDATOR,
            "scale": _SWITCH_VALIDATOR,
            "temperature": _number_validator(0.25, 4),
        },
        required=("sentence",),
    ),
    "broadcasting": _Kind("A column and a row, stretched", {"title": _any_text}),
    "selection": _Kind(
        "Which numbers are taken?",
        {"title": _any_text, "of": _choice_validator(*SELECTIONS)},
        required=("of",),
    ),
    "stepper": _Kind(
        "Attention, one step at a time",
        {"title": _any_text, "step": _number_validator(1, 9), "mask": _SWITCH_VALIDATOR},
    ),
    "curves": _Kind(
        "How far scores spread, and what the softmax makes of it",
        {
            "title": _any_text,
            "d_k": _choice_validator(*SIZES),
            "temperature": _number_validator(0.25, 8),
            "scale": _SWITCH_VALIDATOR,
        },
    ),
    "positions": _Kind(
        "One position, and all others",
        {"title": _any_text, "position": _number_validator(0, POSITIONS - 1)},
    ),
    "shares": _Kind(
        "Scores and their shares",
        {"title": _any_text, "scores": _list_validator(_score, ",")},
        required=("scores",),
    ),
    "arrows": _Kind("Two arrows and their dot product", {"title": _any_text}),
    "map": _Kind(
        "The map of a tiny GPT",
        {"title": _any_text, "part": _list_validator(_choice_validator(*PARTS), ",")},
        required=("part",),
    ),
    "curve": _Kind(
        "Curve",
        {**_COMMON_KEYS, "x": _EXPRESSION, "y": _expressions(_MAX_CURVES), "axes": _any_text},
        ("alt", "x", "y"),
        ("x", "y"),
    ),
    "image": _Kind(
        "Image", {**_COMMON_KEYS, "values": _EXPRESSION}, ("alt", "values"), ("values",)
    ),
    "compare": _Kind(
        "Side by side",
        {**_COMMON_KEYS, "left": _EXPRESSION, "right": _EXPRESSION},
        ("alt", "left", "right"),
        ("left", "right"),
    ),
}
