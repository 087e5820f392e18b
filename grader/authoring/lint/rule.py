"""Lint rules and their findings."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from textwrap import dedent
from typing import Generic, Literal, TypeAlias, TypeVar

from grader.errors import Location, Problem

Level: TypeAlias = Literal["error", "warning", "note"]

S = TypeVar("S")
Check: TypeAlias = Callable[[S], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class RuleDescription:
    """The description of a rule; `bad` and `good` are pieces of a file."""

    code: str
    name: str
    level: Level
    summary: str
    explanation: str
    bad: str
    good: str
    fixable: bool = False


@dataclass(frozen=True, slots=True)
class Rule(Generic[S]):
    """A check of something, with what people read about it."""

    about: RuleDescription
    check: Check[S]


@dataclass(frozen=True, slots=True)
class LintFinding:
    """One thing that a rule found, and where."""

    where: Location
    message: str
    about: RuleDescription

    def __str__(self) -> str:
        return f"{self.where}: {self.about.code} {self.about.level}: {self.message}"


def rule(
    code: str, name: str, level: Level, *, bad: str, good: str, fixable: bool = False
) -> Callable[[Check[S]], Rule[S]]:
    """Make a rule of a check; the first line of its docstring is the summary, the rest explains."""

    def decorate(check: Check[S]) -> Rule[S]:
        summary, _, explanation = (inspect.getdoc(check) or name).partition("\n")
        about = RuleDescription(
            code, name, level, summary, explanation.strip(), _block(bad), _block(good), fixable
        )
        return Rule(about, check)

    return decorate


def _block(text: str) -> str:
    return dedent(text).strip("\n")
