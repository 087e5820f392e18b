"""The catalogue of all rules, and the selection of rules to run."""

import re
from collections.abc import Iterable
from typing import Final

from grader.authoring.lint.rule import Rule
from grader.authoring.lint.rules import (
    files,
    markdown,
    metadata,
    numbers,
    programs,
    pytest_bodies,
    resources,
    tests,
    texts,
    tracks,
    unsendable_values,
)
from grader.definitions.wording import did_you_mean, quote
from grader.errors import UsageError

_MODULES: Final = (
    files, markdown, metadata, programs, resources, unsendable_values, pytest_bodies,
    numbers, tests, texts, tracks,
)  # fmt: skip

_RULES: Final = [
    value for module in _MODULES for value in vars(module).values() if isinstance(value, Rule)
]
CATALOGUE: Final = {each.code: each for each in sorted(_RULES, key=lambda each: each.code)}
"""The rules by code."""

ALWAYS: Final = frozenset({files.invalid_definition.code})

_SEPARATOR: Final = re.compile(r"[,\s]+")


def choose(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> frozenset[str]:
    """Return the codes of the rules to run.

    Args:
        select: Comma-separated codes, names, or prefixes of codes such as `ETU3`; empty for
            all rules.
        ignore: Rules to leave out, in the same form.

    Raises:
        UsageError: There is no such rule.
    """
    selected = frozenset[str]().union(*map(_matching_codes, _words(select))) or frozenset(CATALOGUE)
    return selected.difference(*map(_matching_codes, _words(ignore))) | ALWAYS


def find(word: str) -> Rule:
    """Return the rule with a code or name.

    Raises:
        UsageError: There is no such rule.
    """
    for rule in CATALOGUE.values():
        if word.upper() == rule.code or word.lower() == rule.name:
            return rule
    names = [rule.name for rule in CATALOGUE.values()]
    hint = did_you_mean(word.lower(), names) or did_you_mean(word.upper(), CATALOGUE)
    raise UsageError(f"no rule {quote(word)}{hint}")


def _words(lists: Iterable[str]) -> list[str]:
    return [word for words in lists for word in _SEPARATOR.split(words) if word]


def _matching_codes(word: str) -> frozenset[str]:
    codes = frozenset(code for code in CATALOGUE if code.startswith(word.upper()))
    return codes or frozenset({find(word).code})
