"""The reader of YAML files, which returns nodes with their places.

It uses only PyYAML's events: objects are never constructed from tags, aliases are not expanded, and
size, depth and number of nodes are bounded early.

Unquoted scalars follow the YAML 1.2 core schema, except where YAML readers disagree. YAML 1.1 reads
`on` as true and `0123` as 83, YAML 1.2 as a word and as 123. Such a scalar has no value here, but a
note with advice on what to write, which the decoder reports.
"""

import hashlib
import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, NoReturn, TypeAlias

import yaml

from grader.definitions.files import read_file
from grader.definitions.wording import quote
from grader.errors import DefinitionError, Location, Problem, ProblemList

# Far more than a definition needs, but few enough to read a hostile file quickly.
MAX_DEPTH: Final = 32
MAX_NODES: Final = 100_000

Style: TypeAlias = Literal["plain", "quoted", "literal", "folded"]
_STYLES: Final[dict[str, Style]] = {"'": "quoted", '"': "quoted", "|": "literal", ">": "folded"}

_LOADER: type[yaml.SafeLoader | yaml.CSafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Control characters, surrogates, and line breaks that YAML recognizes but editors do not count.
_CONTROL: Final = r"\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff"
_FORBIDDEN_IN_FILE: Final = re.compile(f"[{_CONTROL}]")
_FORBIDDEN_IN_TEXT: Final = re.compile(f"[\r{_CONTROL}]")
# Directives are refused, since libyaml takes quadratic time in the number of %TAG lines.
_DIRECTIVE: Final = re.compile(r"^%", re.MULTILINE)

ScalarValue: TypeAlias = str | int | float | bool | None

_CONSTANTS: Final[dict[str, ScalarValue]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
}
_BOOLEAN_WORDS: Final = frozenset({"on", "off", "yes", "no", "y", "n"})
_FLOAT_WORDS: Final = {
    "nan": ".nan",
    "inf": ".inf",
    "+inf": ".inf",
    "-inf": "-.inf",
    "infinity": ".inf",
    "+infinity": ".inf",
    "-infinity": "-.inf",
}

_INTEGER: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE][-+]?[0-9]+)?|[-+]?[0-9]+[eE][-+]?[0-9]+"
)
_DISPUTED: Final = re.compile(  # octal, signed or binary bases, underscores, base 60 such as 12:30
    r"[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?|[-+]?0[0-9_]+|[-+]?0o[0-7]+|[-+]?0b[01_]+"
    r"|[-+]?0x[0-9a-fA-F_]+|[-+]?[0-9]+(?:_[0-9]+)+(?:\.[0-9_]*)?"
)

MAX_DIGITS: Final = 250
"""The number of digits up to which an integer is accepted and can be converted to a float."""

_ALIAS_PROBLEM: Final = "a value that starts with * is a YAML alias, and aliases are not allowed"
_ANCHOR_PROBLEM: Final = "a value that starts with & is a YAML anchor, and anchors are not allowed"
_TAG_PROBLEM: Final = "a value that starts with ! is a YAML tag, and tags are not allowed"
_QUOTE_ADVICE: Final = "put the text in quotes if you mean it literally"
_CLOSE_ADVICE: Final = "close them, or write a text with backslashes below '|' or in single quotes"
_TAB_PROBLEM: Final = "a tab cannot indent YAML; use spaces"
# A key whose value begins with a quote that is not closed on its line.
_OPEN_QUOTE: Final = re.compile(r"""[\s-]*[\w-]+: +(["'])(?:(?!\1).)*$""")
# Invisible characters and special spaces, which are often copied from a page or a chat.
_SPECIAL_SPACE: Final = re.compile(
    r"^ *([\u00a0\u1680\u2000-\u200b\u202f\u205f\u2060\u3000\ufeff])"
)


class _ErrorSentence(NamedTuple):
    fragment: str  # part of the parser's message
    text: str
    at_start: bool = False  # whether the error's place is the start of the construct


_SENTENCES: Final = (
    _ErrorSentence("scanning an alias", f"{_ALIAS_PROBLEM}; {_QUOTE_ADVICE}", at_start=True),
    _ErrorSentence("scanning an anchor", f"{_ANCHOR_PROBLEM}; {_QUOTE_ADVICE}", at_start=True),
    _ErrorSentence("a tag", f"{_TAG_PROBLEM}; {_QUOTE_ADVICE}", at_start=True),
    _ErrorSentence("undefined tag handle", f"{_TAG_PROBLEM}; {_QUOTE_ADVICE}", at_start=True),
    _ErrorSentence(
        "mapping values are not allowed",
        "no 'key: value' can start here; check the indentation, "
        "and put a text that contains ': ' in quotes",
    ),
    _ErrorSentence(
        "could not find expected ':'",
        "expected ': ' after this key; check the indentation",
        at_start=True,
    ),
    _ErrorSentence("sequence entries are not allowed", "a list starts on a line of its own"),
    _ErrorSentence("<block end>", "this does not go with the lines above; check the indentation"),
    _ErrorSentence("expected key", "expected a key here; check the indentation and the quotes"),
    _ErrorSentence("'-' indicator", "expected '- ' as in the items above; check the indentation"),
    _ErrorSentence("',' or ']'", "expected ',' or ']' here"),
    _ErrorSentence("',' or '}'", "expected ',' or '}' here"),
    _ErrorSentence("unexpected end of stream", "this quoted text is never closed", at_start=True),
    _ErrorSentence("unexpected document", "this quoted text is never closed", at_start=True),
    _ErrorSentence(
        "escape character",
        "this backslash starts no YAML escape; use single quotes, or write \\\\ for a backslash",
    ),
    _ErrorSentence("hexdecimal number", "this escape needs more hexadecimal digits"),
    _ErrorSentence("Unicode character escape", "this escape is not a Unicode character"),
    _ErrorSentence("comment or line break", "only a comment may follow '|' or '>' on its line"),
    _ErrorSentence("node content", "expected a value here"),
    _ErrorSentence("<document start>", "expected the end of the file here"),
)


@dataclass(frozen=True, slots=True)
class Scalar:
    """A single value.

    Attributes:
        text: The text as written.
        value: The resolved value.
        note: The problem with a text that has no clear value; otherwise empty.
    """

    where: Location
    text: str
    style: Style
    value: ScalarValue
    note: str = ""


@dataclass(frozen=True, slots=True)
class ListNode:
    """A list of nodes."""

    where: Location
    items: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class MappingNode:
    """Pairs of key and value in file order, with unique keys."""

    where: Location
    entries: tuple[tuple[Scalar, "Node"], ...]
    _by_key: dict[str, tuple[Scalar, "Node"]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_key", {entry[0].text: entry for entry in self.entries})

    def get(self, key: str) -> "Node | None":
        """Return the value at a key, or None."""
        entry = self._by_key.get(key)
        return None if entry is None else entry[1]

    def key_place(self, key: str) -> Location:
        """Return the place of a key, or that of the mapping if the key is missing."""
        entry = self._by_key.get(key)
        return self.where if entry is None else entry[0].where


Node: TypeAlias = Scalar | ListNode | MappingNode


@dataclass(frozen=True, slots=True)
class Document:
    """A file as nodes, with the problems that did not stop the reading."""

    path: Path
    text: str
    digest: str  # SHA-256 of the file's bytes, in hexadecimal
    root: Node
    problems: tuple[Problem, ...]

    def node(self, *steps: str | int) -> Node:
        """Return the node at keys and indices from the root, or the last one that exists."""
        node = self.root
        for step in steps:
            below: Node | None = None
            if isinstance(node, MappingNode) and isinstance(step, str):
                below = node.get(step)
            elif isinstance(node, ListNode) and isinstance(step, int):
                below = node.items[step]
            if below is None:
                return node
            node = below
        return node

    def has(self, *steps: str | int) -> bool:
        """Return whether the key that is the last step exists."""
        parent = self.node(*steps[:-1])
        return isinstance(parent, MappingNode) and parent.get(str(steps[-1])) is not None

    def text_steps(self, key: str, *steps: str | int) -> tuple[str | int, ...]:
        """Return the steps to a text that is written either directly or under a key."""
        return (*steps, key) if self.has(*steps, key) else steps

    def key(self, *steps: str | int) -> Location:
        """Return the place of the key that is the last step."""
        *parent_steps, name = steps
        node = self.node(*parent_steps)
        return node.key_place(str(name)) if isinstance(node, MappingNode) else node.where

    def locate(self, scalar: Scalar, line: int, column: int) -> Location:
        """Return the place in the file of a line and a column of a scalar's text.

        Both are counted from 1. For a text that YAML folded or unescaped, it is the scalar's place.
        """
        lines = self.text.splitlines()
        if scalar.style == "literal":
            text_line = scalar.text.split("\n")[line - 1 : line]
            raw = lines[scalar.where.line + line - 1 :][:1]
            if text_line and raw and raw[0].endswith(text_line[0]):
                indentation = len(raw[0]) - len(text_line[0])
                return Location(self.path, scalar.where.line + line, indentation + column)
            return Location(self.path, min(scalar.where.line + line, len(lines)))
        start = scalar.where.column - 1 + (scalar.style == "quoted")
        if line == 1 and lines[scalar.where.line - 1].startswith(scalar.text, start):
            return Location(self.path, scalar.where.line, start + column)
        return scalar.where


def read_yaml(path: Path) -> Document:
    """Read a YAML file.

    Raises:
        UsageError: There is no such file.
        DefinitionError: It cannot be read, is too large or too deep, or is not valid YAML.
    """
    return parse_yaml(path, read_file(path))


def parse_yaml(path: Path, content: bytes) -> Document:
    """Parse the content of a YAML file; see `read_yaml`.

    Raises:
        DefinitionError: It is too deep or not valid YAML.
    """
    data = content.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode()
        _refuse(path, before, f"the byte 0x{data[error.start]:02x} is not UTF-8")
    if match := _FORBIDDEN_IN_FILE.search(text):
        code = f"U+{ord(match.group()):04X}"
        _refuse(path, text[: match.start()], f"the character {code} is not allowed")
    if match := _DIRECTIVE.search(text):
        message = "a line that starts with % is a YAML directive, and directives are not allowed"
        _refuse(path, text[: match.start()], message)
    builder = _NodeBuilder(path)
    root = builder.build(text)
    digest = hashlib.sha256(content).hexdigest()
    return Document(path, text, digest, root, tuple(builder.problems.problems))


def _refuse(path: Path, before: str, message: str) -> NoReturn:
    """Raise a problem at the end of the text before it."""
    lines = (before + "|").splitlines()
    raise DefinitionError.at(Location(path, len(lines), len(lines[-1])), message)


@dataclass(slots=True)
class _Open:
    """A collection that is not complete yet. Keys and values of a mapping alternate."""

    where: Location
    is_mapping: bool
    nodes: list[Node]


class _NodeBuilder:
    """A builder of nodes from events, with an explicit stack instead of recursion."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problems = ProblemList()
        self._root: Node | None = None
        self._stack: list[_Open] = []
        self._nodes = 0

    def build(self, text: str) -> Node:
        """Return the root of the only document in a text."""
        try:
            for event in yaml.parse(text, Loader=_LOADER):
                self._take(event)
        except yaml.MarkedYAMLError as error:
            line, column, sentence = _explain(error, text)
            self.problems.stop(Location(self.path, line, column), sentence)
        except (yaml.YAMLError, ValueError, OverflowError) as error:  # from chr() in the scanner
            self.problems.stop(Location(self.path), f"not valid YAML: {error}")
        if self._root is None:
            self.problems.stop(Location(self.path), "the file is empty")
        return self._root

    def _take(self, event: yaml.Event) -> None:
        mark = event.start_mark
        where = Location(self.path, mark.line + 1, mark.column + 1) if mark else Location(self.path)
        match event:
            case yaml.DocumentStartEvent() if self._root is not None:
                self.problems.stop(where, "a second YAML document starts here; a file holds one")
            case yaml.ScalarEvent():
                self._check_properties(event, where)
                self._add(self._scalar(event, where))
            case yaml.AliasEvent():
                note = f"{_ALIAS_PROBLEM}; {_QUOTE_ADVICE}"
                self._add(Scalar(where, f"*{event.anchor}", "plain", None, note))
            case yaml.CollectionStartEvent():
                self._check_properties(event, where)
                is_mapping = isinstance(event, yaml.MappingStartEvent)
                if len(self._stack) == MAX_DEPTH:
                    self.problems.stop(where, f"nested more than {MAX_DEPTH} levels deep")
                self._stack.append(_Open(where, is_mapping, []))
            case yaml.CollectionEndEvent():
                done = self._stack.pop()
                if done.is_mapping:
                    self._add(MappingNode(done.where, tuple(self._entries(done.nodes))))
                else:
                    self._add(ListNode(done.where, tuple(done.nodes)))
            case _:  # the start and end of the stream and of the document
                pass

    def _check_properties(self, event: yaml.NodeEvent, where: Location) -> None:
        if event.anchor is not None:
            self.problems.add(where, f"{_ANCHOR_PROBLEM}; {_QUOTE_ADVICE}")
        if getattr(event, "tag", None) is not None:
            self.problems.add(where, f"{_TAG_PROBLEM}; {_QUOTE_ADVICE}")

    def _scalar(self, event: yaml.ScalarEvent, where: Location) -> Scalar:
        style = _STYLES.get(event.style or "", "plain")
        if style == "plain":
            parent = self._stack[-1] if self._stack else None
            is_key = parent is not None and parent.is_mapping and len(parent.nodes) % 2 == 0
            value, note = resolve(event.value, is_key=is_key)
            return Scalar(where, event.value, style, value, note)
        note = ""
        if match := _FORBIDDEN_IN_TEXT.search(event.value):
            note = (
                f"the text contains the control character U+{ord(match.group()):04X}; "
                "in double quotes a backslash starts an escape, in single quotes it does not"
            )
        return Scalar(where, event.value, style, event.value, note)

    def _add(self, node: Node) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES:
            self.problems.stop(node.where, f"the file has more than {MAX_NODES:,} values")
        if self._stack:
            self._stack[-1].nodes.append(node)
        else:
            self._root = node

    def _entries(self, nodes: list[Node]) -> Iterator[tuple[Scalar, Node]]:
        first: dict[str, Location] = {}
        for key, value in zip(nodes[::2], nodes[1::2], strict=True):
            if not isinstance(key, Scalar):
                self.problems.add(key.where, "a key must be a word, not a list or a mapping")
            elif key.style == "plain" and (match := _SPECIAL_SPACE.match(key.text)):
                self.problems.add(key.where, _describe_space(match[1]))
            elif key.text in first:
                self.problems.add(
                    key.where,
                    f"duplicate key {quote(key.text)}; it is already at {first[key.text]}",
                )
            else:
                first[key.text] = key.where
                yield key, value


def resolve(text: str, *, is_key: bool) -> tuple[ScalarValue, str]:
    """Return the value of an unquoted scalar, and a note if YAML readers disagree about it.

    As keys, `y`, `n` and `nan` are allowed: they are names of inputs and of a test's option, and a
    key is never a boolean or a number.
    """
    value: ScalarValue = text
    word, note = text.lower(), ""
    if text in _CONSTANTS:
        value = _CONSTANTS[text]
    elif word in _BOOLEAN_WORDS and not (is_key and len(word) == 1):
        note = (
            f"some YAML readers take '{text}' for a boolean; "
            f'write "{text}" in quotes if you mean the word, true or false if you mean a boolean'
        )
    elif word in _FLOAT_WORDS and not is_key:
        note = (
            f"YAML takes '{text}' for a word; "
            f'write {_FLOAT_WORDS[word]} if you mean the number, "{text}" in quotes for the word'
        )
    elif text == "None":
        note = (
            "YAML takes 'None' for a word; "
            'write null if you mean no value, "None" in quotes for the word'
        )
    elif _INTEGER.fullmatch(text) and len(text) > MAX_DIGITS:
        note = f"an integer of {len(text)} digits is too long; {MAX_DIGITS} are allowed"
    elif _INTEGER.fullmatch(text):
        value = int(text, 16 if text.startswith("0x") else 10)
    elif _FLOAT.fullmatch(text) and math.isinf(float(text)):
        note = f"{quote(text)} is too large for a float; write .inf for infinity"
    elif _FLOAT.fullmatch(text):
        value = float(text)
    elif _DISPUTED.fullmatch(text):
        note = (
            f"YAML readers disagree about {quote(text)}; write a number in plain decimal digits, "
            "or put text in quotes"
        )
    return value, note


def _explain(  # noqa: C901, PLR0911  one return for each kind of error
    error: yaml.MarkedYAMLError, text: str
) -> tuple[int, int, str]:
    """Return the line, the column and the sentence for an error of the parser.

    Both numbers are counted from 1.
    """
    lines = text.splitlines()
    report = f"{error.context or ''}, {error.problem or ''}".strip(", ")
    line, column = _place(error.problem_mark or error.context_mark, lines)
    raw = lines[line - 1] if lines else ""
    # The parser may report the error one line later.
    for number in range(max(line - 1, 1), line + 1) if lines else ():
        if match := _SPECIAL_SPACE.match(lines[number - 1]):
            return number, match.start(1) + 1, _describe_space(match[1])
    indentation = raw[: len(raw) - len(raw.lstrip())]
    if "\t" in indentation:
        return line, indentation.index("\t") + 1, _TAB_PROBLEM
    if raw[column - 1 : column] == "\t":
        return line, column, _TAB_PROBLEM
    if "cannot start any token" in report:
        return line, column, f"no unquoted text can start with '{raw[column - 1 : column]}'"
    start = _place(error.context_mark, lines)
    if "quoted" in report and "escape" in report and start[0] < line:
        return *start, f"these double quotes are not closed before line {line}; {_CLOSE_ADVICE}"
    if "expected key" in report and raw[column - 2 : column - 1] in ('"', "'"):
        # An open quote was closed by the quote of another text.
        for number in range(line - 1, 0, -1):
            if match := _OPEN_QUOTE.match(lines[number - 1]):
                message = f"this quoted text is not closed before line {line}; close it"
                return number, match.start(1) + 1, message
    for sentence in _SENTENCES:
        if sentence.fragment in report:
            if sentence.at_start and error.context_mark:
                line, column = start
            return line, column, sentence.text
    return line, column, f"not valid YAML: {report}"


def _describe_space(character: str) -> str:
    name = unicodedata.name(character, "an invisible character").lower()
    return f"this line is indented with U+{ord(character):04X} ({name}); use plain spaces"


def _place(mark: Any, lines: list[str]) -> tuple[int, int]:
    """Return the line and column of a mark, counted from 1, at most the end of the last line."""
    if mark is None or not lines:
        return 1, 1
    if mark.line >= len(lines):
        return len(lines), len(lines[-1]) + 1
    return mark.line + 1, mark.column + 1
