"""The places where the source of a program defines a name."""

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

_Where: TypeAlias = Literal["code", "comment", "text"]
_WITHOUT_CODE: Final[dict[int, _Where]] = {tokenize.COMMENT: "comment", tokenize.STRING: "text"}


@dataclass(frozen=True, slots=True)
class NamePlace:
    """A definition of a name, possibly inside a comment or a string."""

    line: int
    where: _Where
    # Lines and headers of the blocks around it, outer first.
    blocks: tuple[tuple[int, str], ...] = ()
    is_alias: bool = False  # whether the new value is computed from the old one


def find_places(name: str, source: str, at_least: int = 1) -> list[NamePlace]:
    """Return the places where a name is defined.

    The list is empty if there are fewer than `at_least`, or if Python cannot read the source.
    """
    name = re.escape(name)
    definition = rf"(?:(?:async\s+)?def|class)\s+{name}\b|{name}\s*(?::[^=\n]+)?=(?!=)"
    if len(re.findall(definition, source)) < at_least:
        return []  # a fast check, since reading the tokens takes milliseconds
    try:
        return list(_read_places(name, definition, source))
    except (SyntaxError, tokenize.TokenError):
        return []


def _read_places(name: str, definition: str, source: str) -> Iterator[NamePlace]:
    blocks: list[tuple[int, str]] = []
    statement = (0, "")
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        line, column = token.start
        if token.type == tokenize.INDENT:
            blocks.append(statement)
        elif token.type == tokenize.DEDENT:
            blocks.pop()
        elif token.type == tokenize.NEWLINE:
            begins = True
        elif (where := _WITHOUT_CODE.get(token.type)) and (
            match := re.search(rf"^[#\"'\s]*(?:{definition})", token.string, re.MULTILINE)
        ):
            yield NamePlace(line + token.string.count("\n", 0, match.end()), where)
        if begins and token.type in (tokenize.NAME, tokenize.OP):
            begins, code = False, token.line[column:].strip()
            statement = line, code
            if match := re.match(definition, code):
                is_alias = bool(re.search(rf"\b{name}\b", code[match.end() :]))
                yield NamePlace(line, "code", tuple(blocks), is_alias and "=" in match[0])
