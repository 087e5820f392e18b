"""The form of ids, which also name folders and pages: lower-case words joined by hyphens."""

import re
from typing import Final

PATTERN: Final = "[a-z0-9]+(-[a-z0-9]+)*"


def is_slug(text: str) -> bool:
    """Return whether a text has the form of an id."""
    return re.fullmatch(PATTERN, text) is not None
