"""The catalogue of all rules, and the selection of rules to run."""

import importlib
import pkgutil
import re
from collections.abc import Iterable
from typing import Final

from grader.authoring.lint import rules
from grader.authoring.lint.rule import Rule
from grader.authoring.lint.rules.file_text import invalid_definition
from grader.definitions.wording import did_you_mean, quote
from grader.errors import UsageError

_RULES: Final = [
    value
    for module in pkgutil.iter_modules(rules.__path__, f"{rules.__name__}.")
    for value in vars(importlib.import_module(module.name)).values()
    if isinstance(value, Rule)
]
CATALOGUE: Final = {rule.code: rule for rule in sorted(_RULES, key=lambda rule: rule.code)}
"""The rules by code."""

ALWAYS: Final = frozenset({invalid_definition.code})

_SEPARATOR: Final = re.compile(r"[,\s]+")


def select_codes(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> frozenset[str]:
    """Return the codes of the rules to run.

    Args:
        select: Comma-separated codes, names, or prefixes of codes such as `ETU3`; empty for
            all rules.
        ignore: Rules to leave out, in the same form.

    Raises:
        UsageError: There is no such rule.
    """
    selected = frozenset[str]().union(*map(_find_codes, _split(select))) or frozenset(CATALOGUE)
    return selected.difference(*map(_find_codes, _split(ignore))) | ALWAYS


def find_rule(word: str) -> Rule:
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


def _split(lists: Iterable[str]) -> list[str]:
    return [word for words in lists for word in _SEPARATOR.split(words) if word]


def _find_codes(word: str) -> frozenset[str]:
    codes = frozenset(code for code in CATALOGUE if code.startswith(word.upper()))
    return codes or frozenset({find_rule(word).code})
