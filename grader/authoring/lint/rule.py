"""Lint rules and their findings."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Generic, Literal, TypeAlias, TypeVar

import yaml

from grader.errors import Location, Problem

Level: TypeAlias = Literal["error", "warning", "note"]

S = TypeVar("S")
Check: TypeAlias = Callable[[S], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class RuleDescription:
    """The description of a rule. Its longer texts are in `rule_texts.yaml`."""

    code: str
    name: str
    level: Level
    summary: str
    fixable: bool = False

    @property
    def explanation(self) -> str:
        """The reason for the rule, as Markdown."""
        return _texts()[self.code]["explanation"]

    @property
    def bad(self) -> str:
        """A piece of a file that the rule reports."""
        return _texts()[self.code]["bad"]

    @property
    def good(self) -> str:
        """The same piece without the finding."""
        return _texts()[self.code]["good"]


@cache
def _texts() -> dict[str, dict[str, str]]:
    text = Path(__file__).with_name("rule_texts.yaml").read_text("utf-8")
    texts: dict[str, dict[str, str]] = yaml.safe_load(text)
    return {
        code: {key: value.rstrip("\n") for key, value in about.items()}
        for code, about in texts.items()
    }


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
    code: str, name: str, level: Level, *, fixable: bool = False
) -> Callable[[Check[S]], Rule[S]]:
    """Make a rule of a check, whose docstring is the summary."""

    def decorate(check: Check[S]) -> Rule[S]:
        return Rule(RuleDescription(code, name, level, check.__doc__ or name, fixable), check)

    return decorate
