"""The decoder of YAML nodes into frozen dataclasses, by their annotations, and into literals.

Literals are plain Python values and NumPy arrays.
"""

import collections.abc
import math
import re
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from operator import ge, gt, le
from typing import Any, Final, Literal, NewType, TypeVar, Union, cast, get_args, get_origin
from typing import get_type_hints as annotations_of

from grader.definitions.exercise import (
    FILLED,
    KINDS_OF_TEST,
    Expected,
    FromExpression,
    FromReference,
    FromSolution,
    Given,
    Literals,
    LiteralValue,
    Property,
    Seeded,
    TestCase,
)
from grader.definitions.properties import PROPERTIES
from grader.definitions.wording import did_you_mean, join_quoted, quote, shorten_line
from grader.definitions.yaml_source import Document, ListNode, MappingNode, Node, Scalar
from grader.errors import Location, ProblemList

T = TypeVar("T")

_NOUNS: Final[dict[str, str]] = {
    "Exercise": "an exercise",
    "Budget": "a budget",
    "Equivalent": "an equivalent mutant",
    "Forbid": "what is forbidden",
    "Hint": "a hint",
    "RightProgram": "a right program",
    "LessonDefinition": "a lesson",
    "Tolerance": "a tolerance",
    "Definition": "a definition",
    "ExerciseLimits": "limits",
    "Misconception": "a misconception",
    "TrackDefinition": "a track",
    "CourseDefinition": "a course",
}
_PRIMITIVES: Final = {  # phrases for an error: the expected type, and the value found
    str: ("a string", "the string '{}'"),
    int: ("an integer", "the integer {}"),
    float: ("a number", "the number {}"),
    bool: ("true or false", "the boolean {}"),
}
_RANGES: Final[dict[str, tuple[Callable[[float, float], bool], str]]] = {
    "minimum": (ge, "is below {}"),
    "maximum": (le, "is above {}"),
    "exclusiveMinimum": (gt, "is not above {}"),
    "multipleOf": (lambda value, end: value % end == 0, "is not a multiple of {}"),
}
_TESTS: Final[dict[str, type]] = {kind.kind_key: kind for kind in reversed(KINDS_OF_TEST)}
_EXPRESSION: Final = "expression"
_CUT_EXPRESSION: Final = (
    "between braces a comma ends the expression; write `expression:` and the code on a line of its "
    "own below `expect:`, or put the code in quotes"
)
_SEVERAL_ARRAYS: Final = (
    "; if these are several arrays, write `expression: (np.array(...), np.array(...))` below "
    "`expect:`"
)
_WORDS: Final[dict[str, object]] = {"reference": FromReference(), "solution": FromSolution()}
_UNCLEAR: Final = (
    "is not a place to take the value from; put it in quotes if it is the value itself"
)
_MAX_SHOWN: Final = 8  # keys that one message lists
_INT64: Final = range(-(2**63), 2**63)
_PLACEHOLDER: Final = object()  # in place of values that cannot be decoded; never returned


def decode(document: Document, kind: type[T], breaches: ProblemList | None = None) -> T:
    """Return the content of a file as an instance of a frozen dataclass.

    Each field is a key of the mapping, which is required unless the field has a default. Fields of
    type `Location` and internal fields are not keys.

    Args:
        breaches: Collects breaches of the rules of fields. By default they are raised too.

    Raises:
        DefinitionError: The content does not fit. All problems are listed in file order.
    """
    problems = ProblemList(document.problems)
    decoder = _DefinitionDecoder(problems, problems if breaches is None else breaches)
    decoded = decoder.decode_value(document.root, kind, "")
    problems.raise_if_any()
    return cast("T", decoded)


class _DefinitionDecoder:
    """A decoder, node by node. After a problem, it continues with a placeholder."""

    def __init__(self, problems: ProblemList, breaches: ProblemList) -> None:
        self.problems = problems
        self.breaches = breaches

    def decode_value(self, node: Node, annotation: object, label: str) -> object:
        """Decode a node as its annotation requires; error messages begin with the label."""
        if isinstance(node, Scalar) and node.note:
            return self._report(node, label, node.note)
        if (decode_special := _SPECIAL.get(annotation)) is not None:
            return decode_special(self, node, label)
        if isinstance(annotation, NewType):
            annotation = annotation.__supertype__
        if isinstance(annotation, type) and annotation in _PRIMITIVES:
            value = node.value if isinstance(node, Scalar) else None
            if annotation is float and type(value) is int:
                value = float(value)
            if type(value) is annotation:
                return value
            hint = "; put it in quotes" if annotation is str and value is not None else ""
            return self._report_type(node, label, _PRIMITIVES[annotation][0], hint)
        if is_dataclass(annotation):
            return self._dataclass(node, cast("type", annotation), label)
        return _GENERICS[get_origin(annotation)](self, node, get_args(annotation), label)

    def decode_inputs(self, node: Node, label: str) -> object:
        """Decode inputs: a mapping of literals, or Python code."""
        if isinstance(node, MappingNode):
            entries = text_entries(node, self.problems)
            return Literals(
                {key: literal(value, shorten_line(key), self.problems) for key, _, value in entries}
            )
        if isinstance(node, Scalar) and isinstance(node.value, str):
            return Seeded(node.value)
        return self._report_type(node, label, "a mapping of inputs, or Python code")

    def decode_expected_value(self, node: Node, label: str) -> object:
        """Decode an expected value: a plain word, an expression, or a literal."""
        match node:
            case Scalar(style="plain", value=str(word)):
                if word in _WORDS:
                    return _WORDS[word]
                if hint := did_you_mean(word, _WORDS):
                    return self._report(node, label, f"{quote(word)} {_UNCLEAR}{hint}")
            case MappingNode(entries=((key, code),)) if key.text == _EXPRESSION:
                return FromExpression(cast("str", self.decode_value(code, str, _EXPRESSION)))
            case MappingNode(entries=((Scalar(text=word), Scalar(value=str())),)):
                if hint := did_you_mean(word, [_EXPRESSION]):
                    return self._report(node, label, f"unknown key {quote(word)}{hint}")
            case MappingNode(entries=((key, Scalar(text=code)), _, *_)) if (
                key.text == _EXPRESSION and code.count("(") > code.count(")")
            ):
                return self._report(node, label, _CUT_EXPRESSION)
        return LiteralValue(literal(node, label, self.problems, _SEVERAL_ARRAYS))

    def decode_test(self, node: Node, label: str) -> object:
        """Decode a test case, whose kind follows from the key of `_TESTS` that it has."""
        if not isinstance(node, MappingNode):
            return self._report_type(node, label, "a mapping")
        kinds = [key for key in _TESTS if node.get(key) is not None]
        if kinds:
            return self._dataclass(node, _TESTS[kinds[0]], label)
        rule = f"a test has either {join_quoted(reversed(_TESTS), 'or')}"
        keys = [key.text for key, _ in node.entries[:_MAX_SHOWN]]
        keys_there = f"this one has {join_quoted(keys, 'and')}" if keys else "this one has no keys"
        hints = (did_you_mean(key, _TESTS) for key in keys)
        return self._report(node, "", f"{rule}; {keys_there}{next(filter(None, hints), '')}")

    def decode_property(self, node: Node, label: str) -> object:
        """Decode the name of a property."""
        return self.decode_choice(node, tuple(PROPERTIES), label)

    def decode_optional(self, node: Node, choices: tuple[Any, ...], label: str) -> object:
        """Decode `X | None`."""
        if isinstance(node, Scalar) and node.value is None:
            return None
        (annotation,) = (choice for choice in choices if choice is not types.NoneType)
        return self.decode_value(node, annotation, label)

    def decode_choice(self, node: Node, words: tuple[Any, ...], label: str) -> object:
        """Decode `Literal[...]` of strings."""
        if not isinstance(node, Scalar) or node.value not in words:
            hint = did_you_mean(node.text, words) if isinstance(node, Scalar) else ""
            return self._report_type(node, label, join_quoted(words, "or"), hint)
        return node.value

    def decode_list(self, node: Node, arguments: tuple[Any, ...], label: str) -> object:
        """Decode `tuple[X, ...]`."""
        if not isinstance(node, ListNode):
            return self._report_type(node, label, "a list")
        return tuple(self.decode_value(item, arguments[0], label) for item in node.items)

    def decode_mapping(self, node: Node, arguments: tuple[Any, ...], label: str) -> object:
        """Decode `Mapping[str, X]`."""
        if not isinstance(node, MappingNode):
            return self._report_type(node, label, "a mapping")
        entries = text_entries(node, self.problems)
        return {
            key: self.decode_value(value, arguments[1], shorten_line(key))
            for key, _, value in entries
        }

    def _dataclass(self, node: Node, kind: type, label: str) -> object:
        if (short := getattr(kind, "short_form", "")) and not isinstance(node, MappingNode):
            text = self.decode_value(node, str, label)
            self._check(node, text, _metadata(kind)[short], label)
            return kind(where=node.where, **{short: text})
        keys = author_keys(kind)
        required = required_keys(kind)
        if isinstance(node, Scalar) and node.value is None and not required:
            node = MappingNode(node.where, ())  # `name:` without a value is an empty mapping
        if not isinstance(node, MappingNode):
            return self._report_type(node, label, "a mapping")
        values: dict[str, object] = {}
        for key, where, value in text_entries(node, self.problems):
            if key in keys:
                values[key] = self.decode_value(value, keys[key], key)
                self._check(value, values[key], _metadata(kind)[key], key)
                continue
            word = next((word for word, test in _TESTS.items() if test is kind), "")
            hint = did_you_mean(key, keys)
            if not hint and len(keys) <= _MAX_SHOWN:
                hint = f"; it may have {join_quoted(keys, 'and')}"
            message = f"unknown key {quote(key)} in {_noun(kind)}{hint}"
            if word and any(key in author_keys(test) for test in _TESTS.values()):
                message = f"'{key}' does not go with '{word}'"
            self.problems.add(where, message)
        if missing := [key for key in required if key not in values]:
            nouns = f"{'key' if len(missing) == 1 else 'keys'} {join_quoted(missing, 'and')}"
            return self._report(node, "", f"missing {nouns} in {_noun(kind)}")
        places = (name for name, annotation in _annotations(kind).items() if annotation is Location)
        return kind(**values, **dict.fromkeys(places, node.where))

    def _check(self, node: Node, value: Any, field: Mapping[str, Any], label: str) -> None:
        """Report the breaches of a field's rules, which are in its metadata."""
        rules = {} if value is None or value is _PLACEHOLDER else field.get("rules", {})
        broken = (_breach(value, word, end) for word, end in rules.items())
        if message := next(filter(None, broken), ""):
            self.breaches.add(node.where, f"{label}: {message}")
        first: dict[str, Location] = {}
        unique = field.get("unique")
        items = node.items if isinstance(node, ListNode) and unique is not None else ()
        for item in items:
            key = item.get(unique or "") if isinstance(item, MappingNode) else item
            if isinstance(key, Scalar):
                text = key.text.strip() if unique else key.text
                if (before := first.setdefault(text, key.where)) is not key.where:
                    message = f"{quote(text)} is taken; it is already at {before}"
                    self.breaches.add(key.where, f"{unique or label}: {message}")

    def _report_type(self, node: Node, label: str, expected: str, hint: str = "") -> object:
        actual = "a list" if isinstance(node, ListNode) else "a mapping"
        if isinstance(node, Scalar):
            text = shorten_line(node.text)
            actual = (
                "nothing" if node.value is None else _PRIMITIVES[type(node.value)][1].format(text)
            )
        return self._report(node, label, f"expected {expected}, found {actual}{hint}")

    def _report(self, node: Node, label: str, message: str) -> object:
        self.problems.add(node.where, f"{label}: {message}" if label else message)
        return _PLACEHOLDER


_SPECIAL: Final[dict[object, Callable[[_DefinitionDecoder, Node, str], object]]] = {
    Given: _DefinitionDecoder.decode_inputs,
    Expected: _DefinitionDecoder.decode_expected_value,
    TestCase: _DefinitionDecoder.decode_test,
    Property: _DefinitionDecoder.decode_property,
}
_GENERICS: Final[
    dict[object, Callable[[_DefinitionDecoder, Node, tuple[Any, ...], str], object]]
] = {
    Union: _DefinitionDecoder.decode_optional,
    types.UnionType: _DefinitionDecoder.decode_optional,
    Literal: _DefinitionDecoder.decode_choice,
    tuple: _DefinitionDecoder.decode_list,
    collections.abc.Mapping: _DefinitionDecoder.decode_mapping,
}


def _noun(kind: type) -> str:
    if kind not in KINDS_OF_TEST:
        return _NOUNS.get(kind.__name__, "this mapping")
    return "a test" if kind.kind_key == kind.code_key else f"a test with '{kind.kind_key}'"


def _breach(value: Any, word: str, end: Any) -> str:
    """Return the message about the breach of a JSON Schema rule, or ""."""
    if word == "pattern":
        if re.search(end.replace("$", r"\Z"), value):
            return ""
        if end == FILLED["pattern"]:
            return "cannot be empty"
        return f"{quote(value)} is not lower-case words joined by hyphens"
    if not math.isfinite(value):
        return f"{value} is not a finite number"
    holds, phrase = _RANGES[word]
    return "" if holds(value, end) else f"{value} {phrase.format(end)}"


@cache
def _metadata(kind: type) -> dict[str, Mapping[str, Any]]:
    return {field.name: field.metadata for field in fields(kind)}


@cache
def _annotations(kind: type) -> dict[str, Any]:
    return annotations_of(kind)


@cache
def author_keys(kind: type) -> dict[str, Any]:
    """Return the keys that authors may write, with their annotations."""
    annotations = _annotations(kind)
    return {
        field.name: annotations[field.name]
        for field in fields(kind)
        if annotations[field.name] is not Location and not field.metadata.get("internal")
    }


@cache
def required_keys(kind: type) -> tuple[str, ...]:
    """Return the keys that authors must write."""
    return tuple(
        field.name
        for field in fields(kind)
        if field.name in author_keys(kind) and field.default is field.default_factory is MISSING
    )


def literal(node: Node, label: str, problems: ProblemList, advice: str = "") -> Any:
    """Return the value of a node.

    Numbers, texts, booleans and null become Python's. A list whose leaves are all numbers, or all
    booleans, becomes a NumPy array (int64, float64 or bool), and an empty list an empty array. Any
    other list becomes a list, and a mapping a dict, with values by the same rules.

    Problems, such as rows of unequal length, are added to `problems`.

    Args:
        label: The name of the node in a problem.
        advice: Advice for lists that do not form an array, as the end of that sentence.
    """
    match node:
        case Scalar():
            if node.note:
                problems.add(node.where, f"{label}: {node.note}")
            return node.value
        case MappingNode():
            entries = text_entries(node, problems)
            return {
                key: literal(value, shorten_line(key), problems, advice)
                for key, _, value in entries
            }
    kinds = {type(leaf.value) for leaf in _leaves(node)}
    if not kinds <= {int, float} and kinds != {bool}:
        return [literal(item, label, problems, advice) for item in node.items]
    count = len(problems.problems)
    for leaf in _leaves(node):
        if isinstance(leaf.value, int) and leaf.value not in _INT64:
            problems.add(
                leaf.where, f"{label}: {shorten_line(leaf.text)} does not fit into a 64-bit integer"
            )
    _shape(node, label, problems, advice)
    if len(problems.problems) > count:
        return None
    import numpy as np  # importing it takes longer than loading an exercise

    return np.array(_nested_values(node))


def text_entries(
    mapping: MappingNode, problems: ProblemList
) -> Iterator[tuple[str, Location, Node]]:
    """Yield each key with its place and its value; report keys that are not texts."""
    for key, value in mapping.entries:
        if key.note:
            problems.add(key.where, f"a key: {key.note}")
        elif not isinstance(key.value, str):
            problems.add(
                key.where, f'a key must be a text; write "{shorten_line(key.text)}" in quotes'
            )
        else:
            yield key.value, key.where, value


def _leaves(node: ListNode) -> Iterator[Scalar]:
    """Yield the scalars in nested lists. A mapping in them counts as a text."""
    for item in node.items:
        match item:
            case Scalar():
                yield item
            case ListNode():
                yield from _leaves(item)
            case MappingNode():
                yield Scalar(item.where, "", "plain", "")


def _shape(node: Node, label: str, problems: ProblemList, advice: str) -> tuple[int, ...]:
    """Return the shape of nested lists, given by their first items; report differences."""
    if not isinstance(node, ListNode):
        return ()
    shapes = [_shape(item, label, problems, advice) for item in node.items]
    for item, shape in zip(node.items, shapes, strict=True):
        if shape != (first := shapes[0]):
            message = "a number and a list cannot stand side by side in an array"
            if shape and first:
                message = f"this part has shape {shape}, the first part beside it has shape {first}"
                if shape[0] != first[0]:
                    lengths = f"length {shape[0]}, the first row beside it has length {first[0]}"
                    message = f"this row has {lengths}"
                message += advice
            problems.add(item.where, f"{label}: {message}")
            break
    return (len(shapes), *shapes[0]) if shapes else (0,)


def _nested_values(node: Node) -> object:
    if isinstance(node, ListNode):
        return [_nested_values(item) for item in node.items]
    return node.value if isinstance(node, Scalar) else None
