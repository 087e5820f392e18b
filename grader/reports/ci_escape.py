"""Keeps what a submission worded from being a command to the CI runner that reads the log.

GitHub's runner obeys a line that begins with `::`, whatever blanks precede it, and `##[` anywhere
in a line; that of Azure Pipelines obeys `##vso[`, that of TeamCity `##teamcity[`.
"""

import os
import re
from typing import Final

_COMMANDS: Final = "github"  # made of commands: `to_github` escapes what a submission worded
_JSON: Final = frozenset(
    {"json", "jsonl", "gradescope", "classroom50", "exercism", "prairielearn", "ctrf"}
)
_MARKUP: Final = frozenset({"junit", "html"})

_ANYWHERE: Final = re.compile(r"##(?=\w*\[)")
_AT_BEGINNING: Final = re.compile(r"^(\s*):(?=:)", re.MULTILINE)


def is_obeyed() -> bool:
    """Return whether what is printed may be read for commands."""
    others = ("TF_BUILD", "TEAMCITY_VERSION")
    return os.environ.get("GITHUB_ACTIONS") == "true" or any(name in os.environ for name in others)


def without_commands_in_lines(text: str) -> str:
    """Break what some runner obeys wherever it stands in a line."""
    return _ANYWHERE.sub("# #", text)


def inert(text: str, name: str) -> str:
    """Return a report without commands.

    Args:
        text: the report, as it is to be printed.
        name: of its format; a reader of JSON or XML still finds what was there.
    """
    if name == _COMMANDS or not is_obeyed():
        return text
    if name in _JSON:  # there it stands in a string, and a string begins no line
        return _ANYWHERE.sub(r"#\\u0023", text)
    if name in _MARKUP:
        return _AT_BEGINNING.sub(r"\g<1>&#58;", _ANYWHERE.sub("#&#35;", text))
    return _AT_BEGINNING.sub(r"\g<1>: ", without_commands_in_lines(text))
