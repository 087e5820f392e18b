"""Text that is safe to show: it controls no terminal, and commands no CI runner."""

import re
import unicodedata

_STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # controls, marks that reverse text, odd line breaks
_INSTEAD = {"\n": " ", "\r": "", "\t": " "}

# GitHub's runner obeys a line that begins with `::`, whatever blanks precede it, and `##[` anywhere
# in a line; that of Azure Pipelines obeys `##vso[`, that of TeamCity `##teamcity[`.
COMMAND_IN_LINE = re.compile(r"##(?=\w*\[)")
COMMAND_LINE = re.compile(r"^(\s*):(?=:)", re.MULTILINE)


def printable(text: str, keep: str = "") -> str:
    """Replace control characters and their like.

    Args:
        keep: Characters that may stay, such as a line feed.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c in keep or unicodedata.category(c) not in _STEERING else _INSTEAD.get(c, "\ufffd")
        for c in text
    )


def without_commands_in_lines(text: str) -> str:
    """Break what some runner obeys wherever it stands in a line."""
    return COMMAND_IN_LINE.sub("# #", text)


def without_commands(text: str) -> str:
    """Break what some runner obeys when it reads a log."""
    return COMMAND_LINE.sub(r"\g<1>: ", without_commands_in_lines(text))


def inert(text: str, keep: str = "") -> str:
    """Return text of an author's code as it may be shown in a terminal and in a log."""
    return without_commands(printable(text, keep))
