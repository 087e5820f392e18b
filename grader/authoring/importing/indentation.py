"""Lost indentation of Python, found again: for documents that keep one space of four.

The levels come from the text alone: one deeper after a line that ends with a colon, back where the
old indentation falls back or where nothing can follow. `else` goes to the block that it belongs to,
and a last `return` to its function. Where several blocks may end at once, the result is a guess,
and is marked as one.
"""

import ast
import re
import textwrap
from dataclasses import dataclass
from typing import Final

from grader.authoring.importing.top_level import parsed
from grader.authoring.importing.typography import DOUBLE, SINGLE, parses

_UNIT: Final = 4
_JUMPS: Final = re.compile(r"(?:return|raise|break|continue|pass)\b")
_OPENERS: Final[dict[str, re.Pattern[str]]] = {  # what continues a block, and what began it
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


@dataclass(frozen=True, slots=True)
class _CodeLine:
    """One logical line: its first line without indentation, the lines that continue it."""

    width: int  # of the old indentation
    head: str
    rest: tuple[str, ...] = ()
    is_text: bool = False  # whether the continuation lies inside a text

    @property
    def is_blank(self) -> bool:
        return not self.head

    @property
    def is_comment(self) -> bool:
        return self.head.startswith("#")

    @property
    def opens(self) -> bool:
        """Return whether a block begins after it."""
        last = (self.rest[-1] if self.rest else self.head).rstrip()
        quote = ""
        for at, character in enumerate(last):
            if quote:
                quote = "" if character in quote else quote
            elif character in SINGLE:
                quote = SINGLE
            elif character in DOUBLE:
                quote = DOUBLE
            elif character == "#":  # outside a text, so a comment begins
                last = last[:at]
                break
        return not self.is_comment and last.rstrip().endswith(":")


@dataclass(frozen=True, slots=True)
class Indented:
    """Code with its indentation; whether anything changed, and whether some of it is a guess."""

    code: str
    changed: bool = False
    guessed: bool = False


def reindent(code: str) -> Indented:
    """Give a program four spaces for each level, if its indentation is lost.

    Args:
        code: a program; its quotes may still be typographic ones.
    """
    code = textwrap.dedent(code.expandtabs(_UNIT) if "\n\t" in code else code)
    lines = _logical_lines(code)
    widths = {line.width for line in lines if not line.is_blank}
    if 1 not in widths:
        return Indented(code)
    if parses(code):  # each level has its one space
        levels, guessed = [line.width for line in lines], False
    elif max(widths) == 1:
        levels, guessed = _levels(lines)
    else:
        return Indented(code)
    parts = []
    for line, level in zip(lines, levels, strict=True):
        margin = " " * (_UNIT * level)
        parts.append(margin + line.head if line.head else "")
        # What continues a line is one level deeper, except closing brackets and long texts.
        inner = margin if line.is_text else margin + " " * _UNIT
        parts += [
            ((margin if rest[0] in ")]}" else inner) + rest) if rest else "" for rest in line.rest
        ]
    mended = "\n".join(parts)
    if code.endswith("\n") and not mended.endswith("\n"):
        mended += "\n"
    before, after = parsed(code), parsed(mended)
    is_same = before is not None and after is not None and ast.dump(before) == ast.dump(after)
    if parses(code) and not is_same:
        return Indented(code)
    return Indented(mended, changed=mended != code, guessed=guessed)


def _levels(lines: list[_CodeLine]) -> tuple[list[int], bool]:
    """Return each line's level, and whether another reading is possible."""
    levels: list[int] = []
    guessed = False
    open_blocks: list[tuple[str, int]] = []  # head and level of those around a line
    previous: tuple[_CodeLine, int] | None = None
    for number, line in enumerate(lines):
        if line.is_blank:
            levels.append(0)
            continue
        if previous is None:
            level = 0
        else:
            level, unsure = _level_after(line, *previous, open_blocks)
            if _RETURN.match(line.head) and not previous[0].opens:
                # A function's last `return` belongs to no loop in it.
                after = next((each for each in lines[number + 1 :] if not each.is_blank), None)
                is_last = after is None or after.width == 0 or _DECORATED.match(after.head)
                functions = [at for head, at in open_blocks if _FUNCTION.match(head)]
                level = functions[-1] + 1 if is_last and functions and level else level
            guessed |= unsure
        while open_blocks and open_blocks[-1][1] >= level:
            open_blocks.pop()
        if line.opens:
            open_blocks.append((line.head, level))
        levels.append(level)
        if not (line.is_comment and previous is not None and previous[0].opens):
            previous = (line, level)  # after a comment a block is still to begin
    return levels, guessed


def _level_after(
    line: _CodeLine, before: _CodeLine, level: int, open_blocks: list[tuple[str, int]]
) -> tuple[int, bool]:
    """Return the level of a line after another, and whether it is a guess."""
    if line.width == 0:
        return 0, False
    if before.opens:
        return level + 1, False
    word = _WORD.match(line.head)
    if word and word.group() in _OPENERS and (line.opens or ":" in line.head):
        fitting = [at for head, at in open_blocks if _OPENERS[word.group()].match(head)]
        if fitting:
            return fitting[-1], len(fitting) > 1
    if _JUMPS.match(before.head) and not line.is_comment:
        return max(level - 1, 1), level > 2  # noqa: PLR2004  one block alone can have ended
    if level > 1 and _DECORATED.match(line.head):
        return 1, True  # a method after a method
    return level, level > 1


def _logical_lines(code: str) -> list[_CodeLine]:
    """Split code into logical lines: brackets and long texts go on over line ends."""
    done: list[_CodeLine] = []
    rest: list[str] = []
    first = ""
    depth, inside = 0, ""
    began_as_text = False
    for number, line in enumerate(code.split("\n")):
        text = line.strip()
        if not depth and not inside:
            if number:
                done.append(_line(first, rest, is_text=began_as_text))
            first, rest = line, []
        else:
            rest.append(text)
        depth, inside = _scan(text, depth, inside)
        if not rest:
            began_as_text = bool(inside)
    done.append(_line(first, rest, is_text=began_as_text))
    return done


def _line(first: str, rest: list[str], *, is_text: bool) -> _CodeLine:
    stripped = first.strip()
    return _CodeLine(len(first) - len(first.lstrip()), stripped, tuple(rest), is_text)


def _scan(text: str, depth: int, inside: str) -> tuple[int, str]:
    """Follow brackets and texts through a line; return the depth and the open long text's quote."""
    at = 0
    while at < len(text):
        character = text[at]
        if inside:
            closing = text.find(inside, at)
            if closing < 0:
                return depth, inside
            at, inside = closing + 3, ""
        elif text.startswith(('"""', "'''"), at):
            inside = text[at : at + 3]
            at += 3
        elif character == "#":
            break
        elif character in SINGLE or character in DOUBLE:
            at += 1
            while at < len(text) and text[at] not in (SINGLE if character in SINGLE else DOUBLE):
                at += 2 if text[at] == "\\" else 1
            at += 1
        else:
            depth += (character in "([{") - (character in ")]}")
            at += 1
    return max(depth, 0), inside
