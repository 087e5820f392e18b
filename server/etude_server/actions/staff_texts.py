"""Texts that staff writes for others to read."""

from grader.errors import UsageError

LONGEST_TEXT = 10_000
"""Characters of a comment, or of the reason for points."""


def need_text(text: str, what: str, longest: int = LONGEST_TEXT) -> str:
    """Return a text without the space around it; raise `UsageError` if it is none, or too long."""
    text = text.strip()
    if not text or len(text) > longest or "\0" in text:
        raise UsageError(f"write {what}, of at most {longest} characters")
    return text
