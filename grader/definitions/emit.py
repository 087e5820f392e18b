"""The writer of nodes as YAML, the inverse of `grader.definitions.yaml_source.read_yaml`.

Reading the result gives the same keys in the same order, and scalars with the same values and
types. A plain word stays plain, so that `reference` keeps its meaning. Places and comments are
lost.
"""

import math
from collections.abc import Iterator
from typing import Any, Final

import yaml

from grader.definitions.yaml_source import ListNode, MappingNode, Node, Scalar, resolve

_MAX_LIST: Final = 80  # characters of a list that is written on one line


class _Dumper(yaml.SafeDumper):
    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002
        """Indent the items of a list as well."""
        super().increase_indent(flow, indentless=False)

    def analyze_scalar(self, scalar: str) -> Any:
        """Allow blocks with tabs and trailing spaces; prefer double quotes if none is escaped."""
        analysis = super().analyze_scalar(scalar)
        visible = scalar.replace("\n", "").replace("\t", "")
        # Readers take a tab at the start of a block for indentation.
        is_indented = scalar.startswith("\t")
        analysis.allow_block = visible.isprintable() and visible.strip(" ") and not is_indented
        analysis.allow_single_quoted &= '"' in scalar or "\\" in scalar
        return analysis


def emit(root: MappingNode) -> str:
    """Return a mapping as a YAML document."""
    events = (
        yaml.StreamStartEvent(),
        yaml.DocumentStartEvent(explicit=False),
        *_events(root),
        yaml.DocumentEndEvent(explicit=False),
        yaml.StreamEndEvent(),
    )
    text: str = yaml.emit(events, Dumper=_Dumper, allow_unicode=True, width=math.inf)
    return text


def _events(node: Node) -> Iterator[yaml.Event]:
    match node:
        case Scalar():
            text = "null" if node.value is None else node.text
            yield yaml.ScalarEvent(None, None, (True, True), text, style=_style(node))
        case MappingNode():
            yield yaml.MappingStartEvent(None, None, implicit=True, flow_style=False)
            for key, value in node.entries:
                yield from _events(key)
                yield from _events(value)
            yield yaml.MappingEndEvent()
        case ListNode():
            yield yaml.SequenceStartEvent(None, None, implicit=True, flow_style=_is_one_line(node))
            for item in node.items:
                yield from _events(item)
            yield yaml.SequenceEndEvent()


def _style(scalar: Scalar) -> str:
    """Return the style that the scalar gets where YAML allows it."""
    text = scalar.text
    if "\n" in text:
        return "|"
    is_value = not isinstance(scalar.value, str) or resolve(text, is_key=False) == (text, "")
    if scalar.style == "plain" and text.isascii() and is_value:
        return ""
    return "'"


def _is_one_line(node: ListNode) -> bool:
    """Return whether a list is short, or a row of numbers."""
    return _length(node) <= _MAX_LIST or all(
        isinstance(item, Scalar) and not isinstance(item.value, str) for item in node.items
    )


def _length(node: Node) -> float:
    """Return the characters of a node on one line, infinite if it has a mapping or a line break."""
    match node:
        case Scalar():
            return math.inf if "\n" in node.text else len(node.text)
        case ListNode():
            return sum(_length(item) + 2 for item in node.items)
    return math.inf if node.entries else 0
