"""Programs of several files as one text, in which a comment names the file of the lines after it.

The sandbox reads the same comments: `grader.sandbox.inside.modules`.
"""

import re
from collections.abc import Mapping
from typing import Final

NAME: Final = re.compile(r"[a-z_][a-z0-9_]*\.py")
_MARK: Final = re.compile(rf"# etude file: ({NAME.pattern})")


def mark_in(line: str) -> re.Match[str] | None:
    """Return the match of a comment that names a file, with the name as its group."""
    return _MARK.fullmatch(line.rstrip())


def join_files(files: Mapping[str, str]) -> str:
    """Return files as one text, with the comment before each."""
    return "".join(
        f"# etude file: {name}\n{text}" + ("" if text.endswith("\n") or not text else "\n")
        for name, text in files.items()
    )


def split_files(text: str) -> dict[str, str]:
    """Return the files of a text by their names; what is before the first comment is left out."""
    files: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if mark := mark_in(line):
            lines = files.setdefault(mark[1], [])
        else:
            lines.append(line)
    return {name: "".join(lines) for name, lines in files.items()}


def with_missing_files(text: str, right: str) -> str:
    """Return a program with the files that it lacks, as another has them."""
    have, whole = split_files(text), split_files(right)
    main = next(iter(whole), "")  # it comes first, whoever wrote it
    return join_files({main: whole[main]} | have | {**whole, **have}) if have and whole else text


def append_code(text: str, code: str) -> str:
    """Return a program with code at the end of its main file."""
    first, _, _ = text.partition("\n")
    return "\n".join([text.rstrip(), *([first] if mark_in(first) else []), code])
