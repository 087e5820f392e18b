"""The writer of nodes as YAML, the inverse of `grader.definitions.yaml_source.read_yaml`.

Reading the result gives the same keys in the same order, and scalars with the same values and
types. A plain word stays plain, so that `reference` keeps its meaning. Places and comments are
lost.
"""

import re
from collections.abc import Iterator
from typing import Final

from grader.definitions.yaml_source import MappingNode, Node, Scalar, resolve

_WIDTH: Final = 100  # characters of a line
_INDENT: Final = 2  # spaces for each level
_MAX_KEY: Final = 1000  # YAML requires the colon within 1,024 characters

_WORDS: Final = re.compile(r"[A-Za-z_](?:[\w.()/*+=@' ,-]|:(?=\w))*(?<! )", re.ASCII)
_NOT_IN_FLOW: Final = re.compile(r"[,:]")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def emit(root: MappingNode) -> str:
    """Return a mapping as a YAML document."""
    lines = _entries(root, 0) if root.entries else ["{}"]
    return "".join(f"{line}\n" for line in lines)


def _entries(mapping: MappingNode, column: int) -> Iterator[str]:
    """Yield the lines of a mapping that begins at a column."""
    margin = " " * column
    for key, value in mapping.entries:
        name = _inline(key)
        if len(name) <= _MAX_KEY:
            yield from _after(f"{margin}{name}:", value, column)
        else:
            yield f"{margin}? {name}"
            yield from _after(f"{margin}:", value, column)


def _after(head: str, node: Node, column: int) -> Iterator[str]:
    """Yield the lines of a node after its head, which is `key:` or `-`, at a column."""
    inner = column + _INDENT
    if isinstance(node, Scalar):
        text = node.text
        visible = text.replace("\n", "").replace("\t", "")
        # A block contains the text unchanged, so it must not contain invisible characters.
        if "\n" not in text or not visible.isprintable() or not visible.strip(" "):
            yield f"{head} {_inline(node)}"
            return
        indentation = str(_INDENT) if text[0] in " \t\n" else ""  # where YAML cannot detect it
        ending = "-"
        if text.endswith("\n"):
            ending = "+" if text.endswith("\n\n") else ""
        yield f"{head} |{indentation}{ending}"
        for line in text.removesuffix("\n").split("\n"):
            yield f"{' ' * inner}{line}" if line else ""
        return
    flow = _flow(node)
    # A short node, or a row of numbers, is written on one line.
    if flow is not None and (
        len(head) + 1 + len(flow) <= _WIDTH
        or isinstance(node, MappingNode)
        or all(isinstance(item, Scalar) and not isinstance(item.value, str) for item in node.items)
    ):
        yield f"{head} {flow}"
        return
    if isinstance(node, MappingNode):
        lines = _entries(node, inner)
    else:
        dash = f"{' ' * inner}-"
        lines = (line for item in node.items for line in _after(dash, item, inner))
    if head.endswith("-"):  # the first line of an item follows its dash
        yield f"{head} {next(lines).lstrip(' ')}"
    else:
        yield head
    yield from lines


def _flow(node: Node) -> str | None:
    """Return a node on one line in brackets, or None if it has a mapping or a line break."""
    match node:
        case Scalar():
            return None if "\n" in node.text else _inline(node, in_flow=True)
        case MappingNode():
            return None if node.entries else "{}"
    items = [_flow(item) for item in node.items]
    if None in items:
        return None
    return f"[{', '.join(item for item in items if item is not None)}]"


def _inline(scalar: Scalar, *, in_flow: bool = False) -> str:
    text = scalar.text
    if scalar.style == "plain":
        if not isinstance(scalar.value, str):
            return text or "null"
        is_clear = _WORDS.fullmatch(text) and not (in_flow and _NOT_IN_FLOW.search(text))
        if is_clear and resolve(text, is_key=False) == (text, ""):
            return text
    if text.isprintable() and ("\\" in text or '"' in text):
        return "'{}'".format(text.replace("'", "''"))
    quoted = ""
    for character in text:
        code = ord(character)
        if character in _ESCAPES or character.isprintable():
            quoted += _ESCAPES.get(character, character)
        else:
            quoted += f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"
    return f'"{quoted}"'
