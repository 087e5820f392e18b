"""Restoration of lost Python indentation, for documents that keep one space of four.

The levels follow from the text alone: one deeper after a line that ends with a colon, back where
the old indentation decreases or where nothing can follow. An `else` joins its block, and a final
`return` its function. If several blocks could end at one place, the result is a guess, and is
marked as one.
"""

import ast
import io
import re
import textwrap
import tokenize
from dataclasses import dataclass, field
from typing import Final

from grader.authoring.sources.program_parts import parse_or_none

_UNIT: Final = 4  # spaces per level
_JUMPS: Final = re.compile(r"(?:return|raise|break|continue|pass)\b")
# Continuing keywords, with the openers that they may follow.
_OPENERS: Final[dict[str, re.Pattern[str]]] = {
    "elif": re.compile(r"(?:if|elif)\b"),
    "else": re.compile(r"(?:if|elif|for|while|try|except|async)\b"),
    "except": re.compile(r"(?:try|except)\b"),
    "finally": re.compile(r"(?:try|except|else)\b"),
    "case": re.compile(r"(?:match|case)\b"),
}
_RETURN: Final = re.compile(r"return\b")
_FUNCTION: Final = re.compile(r"(?:async\s+)?def\b")
_WORD: Final = re.compile(r"[a-z]+")
_DECORATED: Final = re.compile(r"(?:@|def\b|class\b|async\s+def\b)")


@dataclass(slots=True)
class _CodeLine:
    """One logical line: its first line without indentation, and its continuation lines."""

    width: int  # number of spaces in the old indentation
    head: str
    rest: list[str] = field(default_factory=list)
    is_text: bool = False  # True if the continuation lies inside a string
    opens_block: bool = False  # True if a block begins after the line

    @property
    def is_comment(self) -> bool:
        return self.head.startswith("#")


@dataclass(frozen=True, slots=True)
class IndentedCode:
    """Code with its indentation, and flags for a change and for a guess."""

    code: str
    is_changed: bool = False
    is_guessed: bool = False


def reindent(code: str) -> IndentedCode:
    """Restore four spaces per level in a program whose indentation is lost."""
    code = textwrap.dedent(code.expandtabs(_UNIT) if "\n\t" in code else code)
    try:
        lines = _split_lines(code)
    except (tokenize.TokenError, SyntaxError):
        return IndentedCode(code)  # not a program under any indentation
    widths = {line.width for line in lines if line.head}
    before = parse_or_none(code)
    if 1 not in widths or (before is None and max(widths) > 1):
        return IndentedCode(code)
    levels, guessed = [line.width for line in lines], False  # each level still has one space
    if before is None:
        levels, guessed = _find_levels(lines)
    parts = []
    for line, level in zip(lines, levels, strict=True):
        margin = " " * (_UNIT * level)
        parts.append(margin + line.head if line.head else "")
        # Continuation lines are one level deeper, except closing brackets and multi-line strings.
        inner = margin if line.is_text else margin + " " * _UNIT
        parts += [
            ((margin if rest[0] in ")]}" else inner) + rest) if rest else "" for rest in line.rest
        ]
    restored = "\n".join(parts)
    after = parse_or_none(restored)
    if before is not None and (after is None or ast.dump(before) != ast.dump(after)):
        return IndentedCode(code)
    return IndentedCode(restored, is_changed=restored != code, is_guessed=guessed)


def _find_levels(lines: list[_CodeLine]) -> tuple[list[int], bool]:
    """Return each line's level, and whether another reading is possible."""
    levels: list[int] = []
    guessed = False
    open_blocks: list[tuple[str, int]] = []  # first line and level of each open block
    previous: tuple[_CodeLine, int] | None = None
    for number, line in enumerate(lines):
        if not line.head:
            levels.append(0)
            continue
        level = 0
        if previous is not None:
            level, unsure = _find_level_after(line, *previous, open_blocks)
            if _RETURN.match(line.head) and not previous[0].opens_block:
                # A function's last `return` does not belong to a loop in it.
                after = next((line for line in lines[number + 1 :] if line.head), None)
                is_last = after is None or after.width == 0 or _DECORATED.match(after.head)
                functions = [at for head, at in open_blocks if _FUNCTION.match(head)]
                level = functions[-1] + 1 if is_last and functions and level else level
            guessed |= unsure
        while open_blocks and open_blocks[-1][1] >= level:
            open_blocks.pop()
        if line.opens_block:
            open_blocks.append((line.head, level))
        levels.append(level)
        if not (line.is_comment and previous is not None and previous[0].opens_block):
            previous = (line, level)  # a block may still begin after a comment
    return levels, guessed


def _find_level_after(
    line: _CodeLine, before: _CodeLine, level: int, open_blocks: list[tuple[str, int]]
) -> tuple[int, bool]:
    """Return the level of the next line, and whether it is a guess."""
    if line.width == 0:
        return 0, False
    if before.opens_block:
        return level + 1, False
    word = _WORD.match(line.head)
    if word and word.group() in _OPENERS and (line.opens_block or ":" in line.head):
        fitting = [at for head, at in open_blocks if _OPENERS[word.group()].match(head)]
        if fitting:
            return fitting[-1], len(fitting) > 1
    if _JUMPS.match(before.head) and not line.is_comment:
        return max(level - 1, 1), level > 2  # noqa: PLR2004  one block alone can have ended
    if level > 1 and _DECORATED.match(line.head):
        return 1, True  # probably the next method of a class
    return level, level > 1


def _split_lines(code: str) -> list[_CodeLine]:
    """Split code into logical lines; brackets and multi-line strings continue over line ends."""
    heads: dict[int, _CodeLine] = {}
    texts = code.split("\n")
    depth, is_new, last = 0, True, ""
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type in (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            continue
        row, end = token.start[0], token.end[0]
        if is_new:
            text = texts[row - 1]
            head = _CodeLine(len(text) - len(text.lstrip()), text.strip())
            heads[row] = head
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        head.is_text |= row in heads and end > row and heads[row] is head
        if token.type == tokenize.NEWLINE:
            head.opens_block = last == ":"
        elif token.type not in (tokenize.COMMENT, tokenize.NL):
            last = token.string
        is_new = token.type == tokenize.NEWLINE or (token.type == tokenize.NL and not depth)
    lines: list[_CodeLine] = []
    for row, text in enumerate(texts, 1):
        if row in heads or not lines:
            lines.append(heads.get(row, _CodeLine(0, "")))
        else:
            lines[-1].rest.append(text.strip())
    return lines
