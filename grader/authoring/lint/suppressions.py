"""Comments that silence a rule: `# lint: ignore ETU309 because a mask is square`."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from grader.errors import Location

_COMMENT: Final = re.compile(
    r"(?:(?<!\S)#|<!--)\s*lint:\s*ignore\b(?P<codes>(?:[\s,]+[A-Z]+[0-9]+)*)"
    r"(?:\s+because\b(?P<reason>.*))?"
)
_CODE: Final = re.compile(r"[A-Z]+[0-9]+")


@dataclass(slots=True)
class Suppression:
    """One suppression comment, for its own line or, if it stands alone, for the next line."""

    where: Location
    codes: tuple[str, ...]
    reason: str
    line: int  # the line that it silences
    used: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Suppressions:
    """The suppression comments of a file; `checked` are the codes of the rules that were run."""

    comments: list[Suppression]
    codes: frozenset[str]
    checked: frozenset[str]


def find_comments(path: Path, lines: list[str]) -> list[Suppression]:
    """Return the suppression comments in the lines of a file."""
    comments = []
    for number, line in enumerate(lines, 1):
        if "lint:" in line and (match := _COMMENT.search(line)):
            reason = (match["reason"] or "").removesuffix("-->").strip(" :")
            is_alone = not line[: match.start()].strip()
            where = Location(path, number, match.start() + 1)
            codes = tuple(_CODE.findall(match["codes"]))
            comments.append(Suppression(where, codes, reason, number + is_alone))
    # Consecutive comments on lines of their own all refer to the line below them.
    own = {comment.where.line: comment for comment in comments if comment.line > comment.where.line}
    for comment in reversed(comments):
        if comment.line in own and comment.where.line in own:
            comment.line = own[comment.line].line
    return comments
