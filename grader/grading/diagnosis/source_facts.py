"""Facts about a submission's code, and copies of it with one part changed."""

import inspect
import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from grader.grading.diagnosis.in_child import source_reader
from grader.grading.feedback.diagnosis_sentences import REPAIRS
from grader.sandbox.answers import FORGED_LINE, Answer, ChildGoneError, Returned
from grader.sandbox.interface import ChildFactory
from grader.sandbox.limits import Limits
from grader.sandbox.printable import printable

CERTAIN_REPAIRS: Final = frozenset({"rounded", "floor-division"})
"""Kinds of changes that prove the mistake if the tests then pass."""

CHANCE_REPAIRS: Final = REPAIRS - CERTAIN_REPAIRS
"""Kinds of changes with which a few tests could pass by chance."""

_MAX_CODE: Final = 200  # characters of the code of a changed part


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of the submission with one part changed."""

    kind: str  # see `diagnosis_sentences.REPAIRS`
    lines: tuple[int, ...]  # the changed lines
    original: tuple[str | int, ...]  # the original code; for `rounded`, the number of digits
    source: str


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """Facts about a submission's code, read by a child."""

    numbers: tuple[float, ...] = ()
    functions: Mapping[str, int] = field(default_factory=dict)  # line of each top-level function
    copies: tuple[Copy, ...] = ()


def read_source_facts(
    sandbox: ChildFactory, limits: Limits, source: str, numbers: Sequence[float]
) -> SourceFacts:
    """Read a submission's code in a child, without running it.

    Args:
        numbers: The numbers in the solution.
    """
    with sandbox.child(limits) as child:
        try:
            child.start()
            child.load(inspect.getsource(source_reader), ["read"])
            answer = child.call("read", [source, list(numbers)], {})
        except ChildGoneError:
            return SourceFacts()
    match unpack_answer(answer):
        case {"numbers": list(found_numbers), "functions": list(functions), "copies": list(copies)}:
            return SourceFacts(
                tuple(n for n in found_numbers if isinstance(n, float) and math.isfinite(n)),
                dict(function for function in functions if _is_function(function)),
                tuple(copy for item in copies if (copy := _parse_copy(item))),
            )
    return SourceFacts()


def _is_function(value: object) -> bool:
    match value:
        case [str(), int(line)]:
            return 0 < line < FORGED_LINE
    return False


def _parse_copy(value: object) -> Copy | None:
    """Parse a copy from a child's answer, which is not trusted; return None if malformed."""
    match value:
        case [str(kind), [int(), *_] as lines, list(original), str(text)] if kind in REPAIRS:
            code = (
                part if isinstance(part, int) else printable(str(part)[:_MAX_CODE])
                for part in original
            )
            return Copy(kind, tuple(x for x in lines if isinstance(x, int)), tuple(code), text)
    return None


class ReaderError(Exception):
    """One of our readers failed on a submission's source."""


def unpack_answer(answer: Answer) -> Any:
    """Return the value of an answer of one of our readers.

    Raises:
        ReaderError: The reader failed.
    """
    if not isinstance(answer, Returned):
        raise ReaderError(answer)
    return answer.value


def with_other_helper(source: str, name: str, other: str, other_name: str) -> str:
    """Return a program with one function replaced by that of another program."""
    body = textwrap.indent(other, "    ")
    return (
        f"{source}\n\n\ndef _other_{name}():\n{body}\n    return {other_name}\n\n\n"
        f"{name} = _other_{name}()\n"
    )
