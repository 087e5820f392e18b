"""All rules, and the choice that a person makes among them."""

import re
from collections.abc import Iterable
from typing import Final

from grader.authoring.lint.rule import RuleDescription
from grader.authoring.lint.rules.file_style import COMMENT_RULES, FILE_RULES, invalid_definition
from grader.authoring.lint.rules.markdown_style import PAGE_RULES, PROSE_RULES
from grader.authoring.lint.rules.metadata_style import HEAD_RULES
from grader.authoring.lint.rules.program_style import PROGRAM_RULES
from grader.authoring.lint.rules.resources import RESOURCE_RULES
from grader.authoring.lint.rules.table_style import TABLE_RULES
from grader.authoring.lint.rules.test_body import BODY_RULES
from grader.authoring.lint.rules.test_data import DATA_RULES
from grader.authoring.lint.rules.test_style import CASE_RULES
from grader.authoring.lint.rules.text_style import TEXT_RULES
from grader.authoring.lint.rules.track_style import TRACK_RULES
from grader.definitions.wording import did_you_mean, quote
from grader.errors import UsageError

EXERCISE_RULES: Final = (
    *HEAD_RULES, *TEXT_RULES, *CASE_RULES, *BODY_RULES, *DATA_RULES, *TABLE_RULES,
    *PROGRAM_RULES, *RESOURCE_RULES,
)  # fmt: skip

CATALOGUE: Final[dict[str, RuleDescription]] = {
    about.code: about
    for about in sorted(
        (
            rule.about
            for rules in (
                FILE_RULES,
                COMMENT_RULES,
                PROSE_RULES,
                PAGE_RULES,
                EXERCISE_RULES,
                TRACK_RULES,
            )
            for rule in rules
        ),
        key=lambda about: about.code,
    )
}
"""The description of each rule, by its code."""

ALWAYS: Final = frozenset({invalid_definition.about.code})

_SEPARATOR: Final = re.compile(r"[,\s]+")


def choose(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> frozenset[str]:
    """Return the codes of the rules to run.

    Args:
        select: Lists of codes, names, or beginnings of codes such as `ETU3`; all rules if empty.
        ignore: Likewise, what not to run.

    Raises:
        UsageError: There is no such rule.
    """
    selected = frozenset[str]().union(*map(_matching_codes, _words(select))) or frozenset(CATALOGUE)
    return selected.difference(*map(_matching_codes, _words(ignore))) | ALWAYS


def find(word: str) -> RuleDescription:
    """Return the rule with a code or a name.

    Raises:
        UsageError: There is no such rule.
    """
    for about in CATALOGUE.values():
        if word.upper() == about.code or word.lower() == about.name:
            return about
    names = [about.name for about in CATALOGUE.values()]
    hint = did_you_mean(word.lower(), names) or did_you_mean(word.upper(), CATALOGUE)
    raise UsageError(f"no rule {quote(word)}{hint}")


def _words(lists: Iterable[str]) -> list[str]:
    return [word for words in lists for word in _SEPARATOR.split(words) if word]


def _matching_codes(word: str) -> frozenset[str]:
    codes = frozenset(code for code in CATALOGUE if code.startswith(word.upper()))
    return codes or frozenset({find(word).code})
