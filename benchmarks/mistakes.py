"""Wrong programs in another style than the solutions, made from right ones by replacing text.

They are kept apart from the exercises' misconceptions, which the diagnosis knows. Each has the ids
by which a diagnosis names its mistake rightly: of misconceptions, mutation operators, or rules.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import yaml

Category: TypeAlias = Literal[
    "one", "two", "constant", "rounded", "unused", "helper", "floor", "change"
]
"""The kind of mistake: of category `change` are those that are one step from the right program."""


_MAX_PAIRS = 8  # pairs of mistakes in one program


@dataclass(frozen=True, slots=True)
class Fault:
    """A replacement of text that makes a right program wrong."""

    old: str
    new: str
    named_by: frozenset[str]


@dataclass(frozen=True, slots=True)
class Right:
    """A right program, and what makes it wrong."""

    exercise: str
    source: str
    faults: Mapping[Category, tuple[Fault, ...]]


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong program, and the ids that name its mistake."""

    exercise: str
    category: Category
    change: str
    source: str
    named_by: frozenset[str]
    right: str = ""  # the program that was made wrong


def right_programs() -> list[Right]:
    """Return the right programs of `mistakes.yaml`."""
    text = (Path(__file__).parent / "mistakes.yaml").read_text("utf-8")
    return [
        Right(
            program["exercise"],
            program["source"],
            {
                category: tuple(
                    Fault(fault["old"], fault["new"], frozenset(fault["named_by"].split()))
                    for fault in faults
                )
                for category, faults in program.get("faults", {}).items()
            },
        )
        for program in yaml.safe_load(text)
    ]


def wrong_programs() -> Iterator[Wrong]:
    """Yield all wrong programs.

    Raises:
        ValueError: a text to be replaced does not occur.
    """
    for right in right_programs():
        for category, faults in right.faults.items():
            for fault in faults:
                change = f"{fault.old!r} -> {fault.new!r}"
                source = _replaced(right.source, fault)
                yield Wrong(right.exercise, category, change, source, fault.named_by, right.source)
        pairs = [
            (one, other)
            for one, other in itertools.combinations(right.faults.get("one", ()), 2)
            if _are_apart(right.source, one, other)
        ]
        step = -(-len(pairs) // _MAX_PAIRS) or 1
        for one, other in pairs[::step]:
            source = _replaced(_replaced(right.source, one), other)
            change = f"{one.old!r} -> {one.new!r}, {other.old!r} -> {other.new!r}"
            named_by = one.named_by | other.named_by
            yield Wrong(right.exercise, "two", change, source, named_by, right.source)


def _replaced(source: str, fault: Fault) -> str:
    if fault.old not in source:
        raise ValueError(f"{fault.old!r} does not occur")
    return source.replace(fault.old, fault.new)


def _are_apart(source: str, one: Fault, other: Fault) -> bool:
    """Return whether two replacements do not touch each other."""
    after = source.replace(one.old, one.new)
    before = source.replace(other.old, other.new)
    return (
        other.old in after
        and one.old in before
        and after.count(other.old) == source.count(other.old)
        and before.count(one.old) == source.count(one.old)
    )
