"""Lint rules and their findings."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import yaml

from grader.errors import Location, Problem

Level: TypeAlias = Literal["error", "warning", "note"]
Check: TypeAlias = Callable[[Any], Iterator[Problem]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A check of one kind of subject, with its description.

    Longer texts are in `rule_texts.yaml`.
    """

    code: str
    name: str
    level: Level
    summary: str
    is_fixable: bool
    subject: type
    check: Check

    @property
    def explanation(self) -> str:
        """The reason for the rule, as Markdown."""
        return _read_texts()[self.code]["explanation"]

    @property
    def bad(self) -> str:
        """An example that the rule reports."""
        return _read_texts()[self.code]["bad"]

    @property
    def good(self) -> str:
        """The same example without the problem."""
        return _read_texts()[self.code]["good"]


@cache
def _read_texts() -> dict[str, dict[str, str]]:
    text = Path(__file__).with_name("rule_texts.yaml").read_text("utf-8")
    texts: dict[str, dict[str, str]] = yaml.safe_load(text)
    return {
        code: {key: value.rstrip("\n") for key, value in about.items()}
        for code, about in texts.items()
    }


@dataclass(frozen=True, slots=True)
class LintFinding:
    """A problem that a rule reports, and its place."""

    where: Location
    message: str
    rule: Rule

    def __str__(self) -> str:
        return f"{self.where}: {self.rule.code} {self.rule.level}: {self.message}"


def rule(code: str, level: Level, *, fixable: bool = False) -> Callable[[Check], Rule]:
    """Turn a check into a rule, whose summary is the check's docstring."""

    def decorate(check: Check) -> Rule:
        (subject,) = inspect.signature(check).parameters.values()
        name = check.__name__.replace("_", "-")
        return Rule(code, name, level, check.__doc__ or name, fixable, subject.annotation, check)

    return decorate
