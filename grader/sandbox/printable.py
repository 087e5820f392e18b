"""Text that is safe to show: without terminal control characters and commands for CI runners."""

import re
import unicodedata

_STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # controls, text direction marks, unusual line breaks
_INSTEAD = {"\n": " ", "\r": "", "\t": " "}

# GitHub's runner executes a line that begins with `::`, after any blanks, and `##[` anywhere in a
# line. Azure Pipelines executes `##vso[`, and TeamCity `##teamcity[`.
COMMAND_IN_LINE = re.compile(r"##(?=\w*\[)")
COMMAND_LINE = re.compile(r"^(\s*):(?=:)", re.MULTILINE)


def printable(text: str, keep: str = "") -> str:
    """Replace control characters and similar ones.

    Args:
        keep: Characters that are kept, such as a line feed.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c in keep or unicodedata.category(c) not in _STEERING else _INSTEAD.get(c, "\ufffd")
        for c in text
    )


def without_commands_in_lines(text: str) -> str:
    """Disable the commands that some CI runner executes anywhere in a line."""
    return COMMAND_IN_LINE.sub("# #", text)


def without_commands(text: str) -> str:
    """Disable all commands that some CI runner executes when it reads a log."""
    return COMMAND_LINE.sub(r"\g<1>: ", without_commands_in_lines(text))


def inert(text: str, keep: str = "") -> str:
    """Return untrusted text in a form that is safe in a terminal and in a log."""
    return without_commands(printable(text, keep))
