"""The answers of a child, and the reasons why a child is gone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, TypeGuard

from grader.sandbox.limits import MAX_SOURCE_BYTES
from grader.sandbox.printable import printable

_MAX_COUNT = 1 << 62  # counts from here on are forged
_MAX_NAME_LENGTH, _MAX_AXES, _MAX_CAUSES, _MAX_VALUES, _MAX_NAMES = 40, 64, 3, 4, 200
FORGED_LINE = 1 << 20  # line numbers from here on are forged: no submission is so long
_MAX_CELLS = 20  # failed cells that are read from an answer


class Cause(Enum):
    """The reason why a child is gone."""

    CPU_TIME = auto()
    WALL_TIME = auto()
    EXIT = auto()
    SIGNAL = auto()
    KILLED = auto()  # killed by the system, or by us after it closed its connection
    PROTOCOL = auto()  # the child sent something that is not a valid answer


class ForgedError(Exception):
    """The child's message is not a valid answer."""


class ChildGoneError(Exception):
    """The child has ended, by itself or by us, and will not answer again."""

    def __init__(self, cause: Cause, detail: str = "", stopped: "Stopped | None" = None) -> None:
        self.cause = cause
        self.detail = detail
        self.stopped = stopped
        super().__init__(f"{cause.name.lower()}: {detail}")


@dataclass(frozen=True, slots=True)
class Stopped:
    """The place of a submission when its CPU time was over, as claimed by the submission."""

    line: int
    is_loop: bool  # whether the loop that begins in the line is still running
    values: tuple[tuple[str, str, bool], ...]  # name, last value, and whether the value changed


@dataclass(frozen=True, slots=True)
class Usage:
    """The time and memory of a measured call.

    It is measured in the submission's process, which can lie, so it is good enough only for
    teaching. `Ending` has the kernel's figures for the whole life of a child.
    """

    cpu_seconds: float
    peak_bytes: int  # peak of the memory that the call allocated


@dataclass(frozen=True, slots=True)
class Returned:
    """The submission returned a value, rebuilt here as exact types."""

    value: Any
    usage: Usage | None = None  # set only if it was requested


@dataclass(frozen=True, slots=True)
class Raised:
    """The submission raised an exception. All fields are claims of the submission."""

    type: str
    bases: tuple[str, ...]
    message: str
    frames: tuple[tuple[int, str], ...]
    line: int | None = None  # line of a syntax error
    text: str = ""
    # Shapes of arrays used in the innermost line.
    shapes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    names: tuple[str, ...] = ()  # names in scope, for an undefined name
    # Facts about the exception object, limited to plain data.
    args: tuple[Any, ...] | None = field(default=None, compare=False)
    attributes: Mapping[str, Any] = field(default_factory=dict, compare=False)
    cause: "Raised | None" = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Unsupported:
    """The submission returned a value of an unsupported type, or one that is too large."""

    kind: str
    path: str
    is_too_large: bool = False


Answer = Returned | Raised | Unsupported


@dataclass(frozen=True, slots=True)
class DefinedName:
    """A defined name that the exercise asks for."""

    callable: bool
    kind: str  # "function", "class", or the name of the value's type
    line: int | None
    signature: str  # such as `(Q, K)`; may be empty


@dataclass(frozen=True, slots=True)
class DefinedNames:
    """The public callables of a submission, and the defined names that the exercise asks for."""

    names: tuple[str, ...] = ()
    defined: Mapping[str, DefinedName] = field(default_factory=dict)
    packages: tuple[str, ...] = ()  # packages that it may import besides NumPy

    @classmethod
    def from_facts(cls, facts: object, requested: list[str]) -> "DefinedNames":
        """Return the names that the sandbox reports; malformed entries count as missing."""
        match facts:
            case {"names": list(names), "defined": dict(reported)}:
                pass
            case _:
                return cls()
        defined = {}
        for name in requested:
            match reported.get(name):
                case {"callable": bool(is_callable), "type": str(kind), **more}:
                    line = more.get("line")
                    defined[name] = DefinedName(
                        is_callable,
                        printable(kind[:100]),
                        line if type(line) is int and 0 < line < FORGED_LINE else None,
                        _text(more, "signature", 120),
                    )
        texts = (name for name in names[:_MAX_NAMES] if type(name) is str)
        return cls(tuple(printable(name[:100]) for name in texts), defined)


def read_call_back(tree: object) -> tuple[int, list[Any], dict[Any, Any]] | None:
    """Parse a submission's call of one of our functions: its number, args and kwargs, or None."""
    if type(tree) is not list or [type(part) for part in tree] != [str, int, list, dict]:
        return None
    word, number, args, kwargs = tree
    has_text_names = all(type(name) is str for name in kwargs)
    return (number, args, kwargs) if word == "call back" and has_text_names else None


def read_answer(tree: object, number: int, *, with_usage: bool = False) -> Answer:
    """Parse an answer, which a submission may have forged, so every part is checked.

    Args:
        number: The number of the request that it must answer.
        with_usage: Whether a returned value must come with its usage.

    Raises:
        ForgedError: It is not a valid answer to that request.
    """
    if not _begins_as_an_answer(tree):
        raise ForgedError("not an answer")
    match tree:
        case [answered, "ok", value] if answered == number and not with_usage:
            return Returned(value)
        case [answered, "ok", value, usage] if answered == number and with_usage:
            match usage:
                case [cpu, peak] if _is_count(cpu) and _is_count(peak):
                    return Returned(value, Usage(cpu / 1e9, peak))
            raise ForgedError("not a usage")
        case [answered, "unsupported", dict(facts)] if answered == number:
            return Unsupported(_text(facts, "kind", 200), _text(facts, "path", 200))
        case [answered, "raised", dict(facts)] if answered == number:
            return _read_exception(facts)
    raise ForgedError("not an answer to what was asked")


def read_failed_cells(facts: object) -> list[tuple[int, Raised]]:
    """Return the numbers and the errors of a notebook's failed cells, without malformed ones."""
    match facts:
        case {"failed": list(entries)}:
            pass
        case _:
            return []
    failures = []
    for entry in entries[:_MAX_CELLS]:
        match entry:
            case [int(number), dict(raised)] if _is_count(number):
                failures.append((number, _read_exception(raised)))
    return failures


def read_stopped(tree: object, number: int) -> Stopped | None:
    """Parse the report of a submission whose CPU time is over; None for other messages."""
    if not _begins_as_an_answer(tree):
        return None
    match tree:
        case [
            answered,
            "stopped",
            {"line": line, "is_loop": bool(is_loop), "values": list(values)},
        ]:
            if answered == number and _is_line(line):
                frames = []
                for item in values[:_MAX_VALUES]:
                    match item:
                        case [str(name), str(text), bool(changed)] if _is_name(name):
                            frames.append(
                                (printable(name), printable(text[:_MAX_NAME_LENGTH]), changed)
                            )
                return Stopped(line, is_loop, tuple(frames))
    return None


def _begins_as_an_answer(tree: object) -> TypeGuard[list[Any]]:
    """Return whether a message begins with a number and a status.

    Types are checked, not values, since the message may contain arrays.
    """
    return type(tree) is list and [type(part) for part in tree[:2]] == [int, str]


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < _MAX_COUNT


def _read_exception(facts: dict[Any, Any], depth: int = 0) -> Raised:
    line = facts.get("line")
    bases = facts.get("bases")
    names, places = facts.get("names"), facts.get("frames")
    frames = []
    for frame in places[-8:] if type(places) is list else []:
        match frame:
            case (number, str(name)) if _is_line(number):
                frames.append((number, printable(name[:100])))
    args, raw_attributes, cause = (facts.get(key) for key in ("args", "attributes", "cause"))
    attributes: dict[str, Any] = {}
    for name, item in raw_attributes.items() if type(raw_attributes) is dict else ():
        is_notes = name == "__notes__" and type(item) is list
        if is_notes and all(type(note) is str for note in item):
            attributes["__notes__"] = item
        elif type(name) is str and not name.startswith("_"):
            attributes[name] = item
    shapes = []
    items = facts.get("shapes")
    for item in items[:8] if type(items) is list else []:
        match item:
            case [str(name), list(lengths)] if _is_name(name) and len(lengths) <= _MAX_AXES:
                if all(map(_is_count, lengths)):
                    shapes.append((printable(name), tuple(lengths)))
    return Raised(
        type=_text(facts, "type", 100),
        bases=tuple(b for b in bases[:50] if type(b) is str) if type(bases) is list else (),
        message=_text(facts, "message", 2000),
        frames=tuple(frames),
        line=line if _is_line(line) else None,
        text=_text(facts, "text", 200),
        shapes=tuple(shapes),
        names=tuple(
            printable(name)
            for name in (names[:_MAX_NAMES] if type(names) is list else [])
            if _is_name(name)
        ),
        args=args if type(args) is tuple else None,
        attributes=attributes,
        cause=_read_exception(cause, depth + 1)
        if isinstance(cause, dict) and depth < _MAX_CAUSES
        else None,
    )


def _text(facts: dict[Any, Any], key: str, max_length: int) -> str:
    value = facts.get(key)
    return printable(value[:max_length]) if type(value) is str else ""


def _is_name(value: object) -> bool:
    return type(value) is str and value.isidentifier() and len(value) <= _MAX_NAME_LENGTH


def _is_line(value: object) -> bool:
    return type(value) is int and 0 < value <= MAX_SOURCE_BYTES + 1
