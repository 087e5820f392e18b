"""Writing nodes as YAML: the inverse of `grader.definitions.yaml_source.read`.

What comes back has the same keys in the same order, and scalars of the same value and type. A plain
word stays plain, so that `reference` keeps its meaning. Places and comments are not kept.
"""

import re
from collections.abc import Iterator
from typing import Final

from grader.definitions.yaml_source import Mapping, Node, Scalar, Sequence, resolve

_WIDTH: Final = 100
_INDENT: Final = 2
_MAX_KEY: Final = 1000  # YAML finds the colon only within 1,024 characters

_WORDS: Final = re.compile(r"[A-Za-z_](?:[\w.()/*+=@' ,-]|:(?=\w))*(?<! )", re.ASCII)
_NOT_IN_FLOW: Final = re.compile(r"[,:]")
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}


def emit(root: Mapping) -> str:
    """Return a mapping as a YAML document."""
    lines = _entries(root, 0) if root.entries else ["{}"]
    return "".join(f"{line}\n" for line in lines)


def _entries(mapping: Mapping, column: int) -> Iterator[str]:
    """Yield the lines of a mapping that begins at a column."""
    margin = " " * column
    for key, value in mapping.entries:
        name = _inline(key)
        if len(name) <= _MAX_KEY:
            yield from _after(f"{margin}{name}:", value, column)
        else:
            yield f"{margin}? {name}"
            yield from _after(f"{margin}:", value, column)


def _items(sequence: Sequence, column: int) -> Iterator[str]:
    """Yield the lines of a list that begins at a column."""
    for item in sequence.items:
        yield from _after(f"{' ' * column}-", item, column)


def _after(head: str, node: Node, column: int) -> Iterator[str]:
    """Yield the lines of a node that comes after `key:` or `-` in a collection at a column."""
    if isinstance(node, Scalar):
        first, *below = _scalar(node, column + _INDENT)
        yield f"{head} {first}"
        yield from below
    elif (flow := _flow(node)) is not None and _reads_well(node, head, flow):
        yield f"{head} {flow}"
    else:
        inner = column + _INDENT
        lines = _entries(node, inner) if isinstance(node, Mapping) else _items(node, inner)
        if head.endswith("-"):  # the first line of an item goes beside its dash
            yield f"{head} {next(lines).lstrip(' ')}"
        else:
            yield head
        yield from lines


def _flow(node: Node) -> str | None:
    """Return a node on one line, in brackets; None if it has a mapping or a line break in it."""
    match node:
        case Scalar():
            return None if "\n" in node.text else _inline(node, in_flow=True)
        case Mapping():
            return None if node.entries else "{}"
    items = [_flow(item) for item in node.items]
    if None in items:
        return None
    return f"[{', '.join(item for item in items if item is not None)}]"


def _reads_well(node: Mapping | Sequence, head: str, flow: str) -> bool:
    """Return whether one line will do: it is short, or a row of numbers."""
    if len(head) + 1 + len(flow) <= _WIDTH or isinstance(node, Mapping):
        return True
    return all(isinstance(item, Scalar) and not isinstance(item.value, str) for item in node.items)


def _scalar(scalar: Scalar, column: int) -> list[str]:
    """Return a scalar's first line, which follows its key, and the lines below it."""
    text = scalar.text
    if "\n" not in text or not _fits_a_block(text):
        return [_inline(scalar)]
    lines = text.removesuffix("\n").split("\n")
    margin = " " * column
    return [_header(text), *(margin + line if line else "" for line in lines)]


def _fits_a_block(text: str) -> bool:
    """Return whether a text can stand as it is, line by line, with nothing unseen in it."""
    visible = text.replace("\n", "").replace("\t", "")
    return visible.isprintable() and bool(visible.strip(" "))


def _header(text: str) -> str:
    """Return `|` with the indentation, where it cannot be guessed, and what to do at the end."""
    indentation = str(_INDENT) if text[0] in " \t\n" else ""
    if not text.endswith("\n"):
        return f"|{indentation}-"
    return f"|{indentation}+" if text.endswith("\n\n") else f"|{indentation}"


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
    return '"{}"'.format("".join(map(_escaped, text)))


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code < 1 << 16 else f"\\U{code:08x}"
