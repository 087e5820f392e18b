"""The difference that one edit makes, as a unified diff.

The standard library's difflib compares everything with everything; one change has one place.
"""

import re

_LINES = re.compile(r"[^\n]*\n|[^\n]+")
_CONTEXT = 1  # lines before and after the change
_NO_NEWLINE = "\n\\ No newline at end of file\n"


def unified_diff(before: str, after: str) -> str:
    """Return the diff between two texts that differ in one place, with a line of context."""
    old, new = _LINES.findall(before), _LINES.findall(after)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    start = max(head - _CONTEXT, 0)
    old_end, new_end = len(old) - tail, len(new) - tail
    following = old[old_end : old_end + _CONTEXT]
    lines = [
        *(" " + line for line in old[start:head]),
        *("-" + line for line in old[head:old_end]),
        *("+" + line for line in new[head:new_end]),
        *(" " + line for line in following),
    ]
    ranges = (
        _range(start, old_end + len(following) - start),
        _range(start, new_end + len(following) - start),
    )
    header = f"--- solution.py\n+++ mutant.py\n@@ -{ranges[0]} +{ranges[1]} @@\n"
    return header + "".join(line if line.endswith("\n") else line + _NO_NEWLINE for line in lines)


def _common(one: list[str], other: list[str]) -> int:
    """Count the equal items at the beginning of two lists."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))


def _range(start: int, length: int) -> str:
    first = start + 1 if length else start
    return str(first) if length == 1 else f"{first},{length}"
