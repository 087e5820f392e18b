"""Literal data in a definition: YAML values as plain Python values and NumPy arrays."""

from collections.abc import Iterator
from typing import Any, Final

from grader.definitions.problem_list import ProblemList
from grader.definitions.wording import clip
from grader.definitions.yaml_source import Mapping, Node, Scalar, Sequence
from grader.errors import Location

_INT64: Final = range(-(2**63), 2**63)


def literal(node: Node, label: str, report: ProblemList, advice: str = "") -> Any:  # noqa: ANN401  YAML data has any type
    """Return what a node says.

    Numbers, texts, booleans and null are Python's. A list whose leaves are all numbers, or all
    booleans, is the array that NumPy makes of it (int64, float64 or bool), so an empty list is an
    empty array. Any other list is a list, and a mapping is a dict, of values by the same rule.

    Problems, such as rows of unequal length, go to the report.

    Args:
        node: of the document.
        label: what the node is called in the report.
        report: takes the problems.
        advice: what to do instead where lists are no array, for the end of that sentence.
    """
    match node:
        case Scalar():
            if node.note:
                report.add(node.where, f"{label}: {node.note}")
            return node.value
        case Mapping():
            entries = named(node, report)
            return {key: literal(value, clip(key), report, advice) for key, _, value in entries}
        case Sequence() if _is_array(node):
            return _array(node, label, report, advice)
    return [literal(item, label, report, advice) for item in node.items]


def named(mapping: Mapping, report: ProblemList) -> Iterator[tuple[str, Location, Node]]:
    """Yield each key with its place and its value; a key that is not a text goes to the report."""
    for key, value in mapping.entries:
        if key.note:
            report.add(key.where, f"a key: {key.note}")
        elif not isinstance(key.value, str):
            report.add(key.where, f'a key must be a text; write "{clip(key.text)}" in quotes')
        else:
            yield key.value, key.where, value


def _is_array(node: Sequence) -> bool:
    kinds = {type(leaf.value) for leaf in _leaves(node)}
    return kinds <= {int, float} or kinds == {bool}


def _leaves(node: Sequence) -> Iterator[Scalar]:
    """Yield the scalars in nested lists; a mapping among them counts as a text."""
    for item in node.items:
        match item:
            case Scalar():
                yield item
            case Sequence():
                yield from _leaves(item)
            case Mapping():
                yield Scalar(item.where, "", "plain", "")


def _array(node: Sequence, label: str, report: ProblemList, advice: str) -> Any:  # noqa: ANN401  NumPy is imported late
    known = len(report.problems)
    for leaf in _leaves(node):
        if isinstance(leaf.value, int) and leaf.value not in _INT64:
            report.add(leaf.where, f"{label}: {clip(leaf.text)} does not fit into a 64-bit integer")
    _shape(node, label, report, advice)
    if len(report.problems) > known:
        return None
    import numpy as np  # noqa: PLC0415  takes longer to import than an exercise takes to load

    return np.array(_nested(node))


def _shape(node: Node, label: str, report: ProblemList, advice: str) -> tuple[int, ...]:
    """Return the shape of nested lists as their first items have it; report what differs."""
    if not isinstance(node, Sequence):
        return ()
    shapes = [_shape(item, label, report, advice) for item in node.items]
    for item, shape in zip(node.items, shapes, strict=True):
        if shape != shapes[0]:
            hint = advice if shape and shapes[0] else ""
            report.add(item.where, f"{label}: {_difference(shape, shapes[0])}{hint}")
            break
    return (len(shapes), *shapes[0]) if shapes else (0,)


def _difference(shape: tuple[int, ...], first: tuple[int, ...]) -> str:
    if not shape or not first:
        return "a number and a list cannot stand side by side in an array"
    if shape[0] != first[0]:
        return f"this row has length {shape[0]}, the first row beside it has length {first[0]}"
    return f"this part has shape {shape}, the first part beside it has shape {first}"


def _nested(node: Node) -> object:
    if isinstance(node, Sequence):
        return [_nested(item) for item in node.items]
    return node.value if isinstance(node, Scalar) else None
