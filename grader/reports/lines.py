"""Lines of text in styles, and what they are printed on.

A terminal's colours and widths are rich's business. Where there is no terminal there is nothing for
it to do, and to import it takes longer than to make the report: so it is asked only where it is
needed.
"""

import os
import sys
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Protocol, TextIO, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console
    from rich.text import Text

_Part: TypeAlias = tuple[str, str]  # a text, and its style as rich reads it

_ELLIPSIS: Final = "\u2026"
_MAKE_TERMINALS: Final = ("FORCE_COLOR", "TTY_COMPATIBLE")  # rich knows what they mean


class Surface(Protocol):
    """The target of printed lines: a console of rich, or a sheet of paper."""

    no_color: bool

    @property
    def is_terminal(self) -> bool:
        """True if somebody looks at it now, through a window of some size."""

    @property
    def color_system(self) -> str | None:
        """The colours there are, as rich calls them."""

    @property
    def width(self) -> int:
        """Columns."""

    @property
    def height(self) -> int:
        """Lines."""

    def print(
        self,
        *objects: Any,
        soft_wrap: bool | None = None,
        markup: bool | None = None,
    ) -> None:
        """Print lines or texts, each on a line of its own."""


class Paper:
    """A surface without colour or end: a file, a pipe, a log. Nothing is wrapped on it.

    Args:
        width: Columns for what is laid out by them.
    """

    is_terminal = False
    no_color = True
    color_system = None
    height = sys.maxsize

    def __init__(self, file: TextIO, width: int = 80) -> None:
        self._file = file
        self.width = width

    def print(
        self, *objects: object, soft_wrap: bool | None = None, markup: bool | None = None
    ) -> None:
        """Print each object on a line of its own."""
        del soft_wrap, markup  # it never wraps, and knows no markup
        self._file.writelines(f"{each}\n" for each in objects)


def standard_output() -> Surface:
    """Return standard output: a terminal, if that is what it is or the environment says so."""
    if sys.stdout.isatty() or any(name in os.environ for name in _MAKE_TERMINALS):
        from rich.console import Console

        return Console(highlight=False)
    return Paper(sys.stdout)


class Line:
    """A line of text; its style, such as `bold red`, is for terminals."""

    __slots__ = ("_parts",)

    def __init__(self, text: str = "", style: str = "") -> None:
        self._parts: list[_Part] = [(text, style)] if text else []

    @classmethod
    def of(cls, *parts: "Line | _Part | str") -> "Line":
        """Put a line together."""
        line = cls()
        for part in parts:
            if isinstance(part, Line):
                line._parts += part.parts
            elif isinstance(part, str):
                line.append(part)
            else:
                line.append(*part)
        return line

    @property
    def parts(self) -> tuple[_Part, ...]:
        """Its texts, each with its style."""
        return tuple(self._parts)

    def append(self, text: str, style: str = "") -> None:
        """Write on."""
        if text:
            self._parts.append((text, style))

    def __str__(self) -> str:
        return "".join(text for text, _ in self._parts)

    def __len__(self) -> int:
        return sum(len(text) for text, _ in self._parts)

    @property
    def cell_len(self) -> int:
        """The columns of a terminal that it takes."""
        return _columns(str(self))

    def rstrip(self) -> None:
        """Take blanks away from its end."""
        while self._parts:
            text, style = self._parts.pop()
            if stripped := text.rstrip():
                self._parts.append((stripped, style))
                return

    def truncate(self, width: int, *, ellipsis: bool = False) -> None:
        """Cut it off where it takes more columns than a width; dots can take the last of them."""
        if self.cell_len <= width:
            return
        left = width - ellipsis
        parts: list[_Part] = []
        for text, style in self._parts:
            if _columns(text) > left:
                if text.isascii():
                    begun = text[:left]
                else:
                    from rich.cells import set_cell_size

                    begun = set_cell_size(text, left)
                parts.append((begun + _ELLIPSIS * ellipsis, style))
                break
            parts.append((text, style))
            left -= _columns(text)
        self._parts = parts

    def wrap(self, width: int) -> "Sequence[Line]":
        """Return it in as many lines as it takes."""
        lines = []
        for text in self.__rich__().wrap(_any_console(), width):
            line, end = Line(), 0
            for span in sorted(text.spans):
                line.append(text.plain[end : span.start])
                line.append(text.plain[span.start : span.end], str(span.style))
                end = span.end
            line.append(text.plain[end:])
            lines.append(line)
        return lines

    def __rich__(self) -> "Text":
        from rich.text import Text

        return Text.assemble(*self._parts)


@cache
def _any_console() -> "Console":
    from rich.console import Console

    return Console()


def _columns(text: str) -> int:
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
