"""Keeps what a submission worded from being a command to the CI runner that reads the log.

GitHub's runner obeys a line that begins with `::`, whatever blanks precede it, and `##[` anywhere
in a line; that of Azure Pipelines obeys `##vso[`.
"""

import os
import re
from typing import Final

_COMMANDS: Final = "github"  # the format that is made of commands, with what is worded escaped
_JSON: Final = frozenset(
    {"json", "jsonl", "gradescope", "classroom50", "exercism", "prairielearn", "ctrf"}
)
_MARKUP: Final = frozenset({"junit", "html"})

_ANYWHERE: Final = re.compile(r"##(?=\w*\[)")
_AT_BEGINNING: Final = re.compile(r"^(\s*):(?=:)", re.MULTILINE)


def is_obeyed() -> bool:
    """Tell whether what is printed may be read for commands."""
    return os.environ.get("GITHUB_ACTIONS") == "true" or "TF_BUILD" in os.environ


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
    hash_sign, colon = ("&#35;", "&#58;") if name in _MARKUP else (" #", ": ")
    text = _ANYWHERE.sub(f"#{hash_sign}", text)
    return _AT_BEGINNING.sub(rf"\g<1>{colon}", text)
