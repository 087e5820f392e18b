"""Programs of several files as one text, in which a comment names the file of the next lines.

`grader.sandbox.in_child.modules` reads the same comments in the sandbox.
"""

import re
from collections.abc import Mapping
from typing import Final

NAME: Final = re.compile(r"[a-z_][a-z0-9_]*\.py")
_MARK: Final = re.compile(rf"# etude file: ({NAME.pattern})")


def mark_in(line: str) -> re.Match[str] | None:
    """Match a comment that names a file; the name is the first group."""
    return _MARK.fullmatch(line.rstrip())


def join_files(files: Mapping[str, str]) -> str:
    """Return files as one text, each after its comment."""
    return "".join(
        f"# etude file: {name}\n{text}" + ("" if text.endswith("\n") or not text else "\n")
        for name, text in files.items()
    )


def split_files(text: str) -> dict[str, str]:
    """Return the files of a text by name, without the lines before the first comment."""
    files: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if mark := mark_in(line):
            lines = files.setdefault(mark[1], [])
        else:
            lines.append(line)
    return {name: "".join(lines) for name, lines in files.items()}


def with_missing_files(text: str, right: str) -> str:
    """Return a program with its missing files taken from a right program."""
    files, right_files = split_files(text), split_files(right)
    if not (files and right_files):
        return text
    main = next(iter(right_files))  # the main file must come first
    return join_files({main: right_files[main]} | files | {**right_files, **files})


def append_code(text: str, code: str) -> str:
    """Append code to the main file of a program."""
    first, _, _ = text.partition("\n")
    return "\n".join([text.rstrip(), *([first] if mark_in(first) else []), code])
