"""Public data by which a page checks a submission, made from the full definition."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class OtherWay:
    """Another right program, and when to take it."""

    code: str
    when: str  # Markdown


@dataclass(frozen=True, slots=True)
class Solution:
    """A model answer; a builder that must not publish it is never given one."""

    code: str
    explanation: str  # Markdown
    others: Sequence[OtherWay] = ()


@dataclass(frozen=True, slots=True)
class Runnable:
    """An exercise that runs in the browser."""

    engine: Callable[[], str]  # makes what the Python in the page is given; nothing else reads it
    feedback: Mapping[str, str] = field(default_factory=dict)  # Markdown by misconception's id
    solution: Solution | None = None
    for_practice: bool = False  # the engine runs the hidden tests too
    asks: Mapping[str, Sequence[str]] = field(default_factory=dict)  # answers by test, for practice


Runnables: TypeAlias = Mapping[str, Runnable]
"""The data for the browser, by the exercises' ids."""
