"""Reading a YAML file into nodes that know their places.

Built on PyYAML's events alone: no object is ever constructed from a tag, no alias is expanded, and
size, depth and number of nodes are bounded before they can hurt.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal, NoReturn, TypeAlias

import yaml

from grader.definitions.files import read_file
from grader.definitions.problem_list import ProblemList
from grader.definitions.scalars import ScalarValue, resolve
from grader.definitions.syntax import ALIAS, ANCHOR, QUOTE_IT, TAG, explain
from grader.definitions.wording import quote
from grader.errors import DefinitionError, Location, Problem

MAX_DEPTH: Final = 32
MAX_NODES: Final = 100_000

Style: TypeAlias = Literal["plain", "quoted", "literal", "folded"]
_STYLES: Final[dict[str, Style]] = {"'": "quoted", '"': "quoted", "|": "literal", ">": "folded"}

_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Control characters, surrogates, and the line breaks that YAML sees but an editor does not count.
_CONTROL: Final = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff"
_NOT_IN_A_FILE: Final = re.compile(f"[{_CONTROL}]")
_NOT_IN_A_TEXT: Final = re.compile(f"[\r{_CONTROL}]")
# libyaml takes time quadratic in the number of %TAG lines, and no definition needs one.
_DIRECTIVE: Final = re.compile(r"^%", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value: `text` as written, `value` as resolved; a note says why it has no value."""

    where: Location
    text: str
    style: Style
    value: ScalarValue
    note: str = ""


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list of nodes."""

    where: Location
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Mapping:
    """Pairs of key and value in file order; keys are unique."""

    where: Location
    entries: tuple[tuple[Scalar, "Node"], ...]
    _by_key: dict[str, tuple[Scalar, "Node"]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_key", {entry[0].text: entry for entry in self.entries})

    def get(self, key: str) -> "Node | None":
        """Return the value at a key, or None."""
        entry = self._by_key.get(key)
        return None if entry is None else entry[1]

    def place_of(self, key: str) -> Location:
        """Return the place of a key; the mapping's own if there is none."""
        entry = self._by_key.get(key)
        return self.where if entry is None else entry[0].where


Node: TypeAlias = Scalar | Sequence | Mapping


@dataclass(frozen=True, slots=True)
class Document:
    """One file as nodes, with the problems that did not stop the reading."""

    path: Path
    text: str
    digest: str  # SHA-256 of the file's bytes, in hexadecimal
    root: Node
    problems: tuple[Problem, ...]

    def node(self, *steps: str | int) -> Node:
        """Follow keys and indices from the root, as far as the file goes along."""
        node = self.root
        for step in steps:
            below: Node | None = None
            if isinstance(node, Mapping) and isinstance(step, str):
                below = node.get(step)
            elif isinstance(node, Sequence) and isinstance(step, int):
                below = node.items[step]
            if below is None:
                return node
            node = below
        return node

    def has(self, *steps: str | int) -> bool:
        """Return whether the last step, a key, is there."""
        above = self.node(*steps[:-1])
        return isinstance(above, Mapping) and above.get(str(steps[-1])) is not None

    def text_of(self, key: str, *steps: str | int) -> tuple[str | int, ...]:
        """Return the steps to a text that stands alone, or below a key."""
        return (*steps, key) if self.has(*steps, key) else steps

    def key(self, *steps: str | int) -> Location:
        """Return the place of the key that is the last step."""
        *above, name = steps
        node = self.node(*above)
        return node.place_of(str(name)) if isinstance(node, Mapping) else node.where

    def place(self, scalar: Scalar, line: int, column: int) -> Location:
        """Return where a line and column (from one) of a scalar's text are in the file.

        A text that YAML folded or unescaped has no such place; then it is the scalar's own.
        """
        lines = self.text.splitlines()
        if scalar.style == "literal":
            within = scalar.text.split("\n")[line - 1 : line]
            raw = lines[scalar.where.line + line - 1 :][:1]
            if within and raw and raw[0].endswith(within[0]):
                indentation = len(raw[0]) - len(within[0])
                return Location(self.path, scalar.where.line + line, indentation + column)
            return Location(self.path, min(scalar.where.line + line, len(lines)))
        start = scalar.where.column - 1 + (scalar.style == "quoted")
        if line == 1 and lines[scalar.where.line - 1].startswith(scalar.text, start):
            return Location(self.path, scalar.where.line, start + column)
        return scalar.where


def read(path: Path) -> Document:
    """Read a YAML file.

    Raises:
        UsageError: There is no such file.
        DefinitionError: It cannot be read, is too large or too deep, or is not YAML.
    """
    data = read_file(path)
    text = _decode(path, data)
    builder = _NodeBuilder(path)
    root = builder.build(text)
    digest = hashlib.sha256(data).hexdigest()
    return Document(path, text, digest, root, tuple(builder.report.problems))


def _decode(path: Path, data: bytes) -> str:
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        _fail(_end_of(path, before), f"the byte 0x{data[error.start]:02x} is not UTF-8")
    if found := _NOT_IN_A_FILE.search(text):
        code = f"U+{ord(found.group()):04X}"
        _fail(_end_of(path, text[: found.start()]), f"the character {code} is not allowed")
    if found := _DIRECTIVE.search(text):
        _fail(
            _end_of(path, text[: found.start()]),
            "a line that starts with % is a YAML directive, and directives are not allowed",
        )
    return text


def _end_of(path: Path, text: str) -> Location:
    lines = (text + "|").splitlines()
    return Location(path, len(lines), len(lines[-1]))


def _fail(where: Location, message: str) -> NoReturn:
    raise DefinitionError([Problem(where, message)])


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet; keys and values of a mapping alternate."""

    where: Location
    is_mapping: bool
    nodes: list[Node]


class _NodeBuilder:
    """Builds nodes from events, with a stack of its own instead of recursion."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.report = ProblemList()
        self._root: Node | None = None
        self._stack: list[_Open] = []
        self._nodes = 0

    def build(self, text: str) -> Node:
        """Return the root of the one document in a text."""
        try:
            for event in yaml.parse(text, Loader=_LOADER):
                self._take(event)
        except yaml.MarkedYAMLError as error:
            line, column, sentence = explain(error, text)
            self.report.stop(Location(self.path, line, column), sentence)
        except (yaml.YAMLError, ValueError, OverflowError) as error:  # chr() in the Python scanner
            self.report.stop(Location(self.path), f"not valid YAML: {error}")
        if self._root is None:
            self.report.stop(Location(self.path), "the file is empty")
        return self._root

    def _take(self, event: yaml.Event) -> None:
        mark = event.start_mark
        where = Location(self.path, mark.line + 1, mark.column + 1) if mark else Location(self.path)
        match event:
            case yaml.DocumentStartEvent() if self._root is not None:
                self.report.stop(where, "a second YAML document starts here; a file holds one")
            case yaml.ScalarEvent():
                self._check_properties(event, where)
                self._add(self._scalar(event, where))
            case yaml.AliasEvent():
                note = f"{ALIAS}; {QUOTE_IT}"
                self._add(Scalar(where, f"*{event.anchor}", "plain", None, note))
            case yaml.CollectionStartEvent():
                self._check_properties(event, where)
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                if len(self._stack) == MAX_DEPTH:
                    self.report.stop(where, f"nested more than {MAX_DEPTH} levels deep")
                self._stack.append(_Open(where, is_mapping, []))
            case yaml.CollectionEndEvent():
                done = self._stack.pop()
                if done.is_mapping:
                    self._add(Mapping(done.where, tuple(self._entries(done.nodes))))
                else:
                    self._add(Sequence(done.where, tuple(done.nodes)))
            case _:  # the start and end of the stream and of the document
                pass

    def _check_properties(self, event: yaml.NodeEvent, where: Location) -> None:
        if event.anchor is not None:
            self.report.add(where, f"{ANCHOR}; {QUOTE_IT}")
        if getattr(event, "tag", None) is not None:
            self.report.add(where, f"{TAG}; {QUOTE_IT}")

    def _scalar(self, event: yaml.ScalarEvent, where: Location) -> Scalar:
        style = _STYLES.get(event.style or "", "plain")
        if style == "plain":
            value, note = resolve(event.value, is_key=self._expects_key())
            return Scalar(where, event.value, style, value, note)
        note = ""
        if found := _NOT_IN_A_TEXT.search(event.value):
            note = (
                f"the text contains the control character U+{ord(found.group()):04X}; "
                "in double quotes a backslash starts an escape, in single quotes it does not"
            )
        return Scalar(where, event.value, style, event.value, note)

    def _expects_key(self) -> bool:
        return (
            bool(self._stack) and self._stack[-1].is_mapping and len(self._stack[-1].nodes) % 2 == 0
        )

    def _add(self, node: Node) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self.report.stop(node.where, f"the file has more than {MAX_NODES:,} values")
        if self._stack:
            self._stack[-1].nodes.append(node)
        else:
            self._root = node

    def _entries(self, nodes: list[Node]) -> Iterator[tuple[Scalar, Node]]:
        first: dict[str, Location] = {}
        for key, value in zip(nodes[::2], nodes[1::2], strict=True):
            if not isinstance(key, Scalar):
                self.report.add(key.where, "a key must be a word, not a list or a mapping")
            elif key.text in first:
                self.report.add(
                    key.where,
                    f"duplicate key {quote(key.text)}; it is already at {first[key.text]}",
                )
            else:
                first[key.text] = key.where
                yield key, value
