r"""Markdown with maths, laid out for a terminal: wrapped to its width, code as it is.

A formula becomes a line of characters: `\frac{Q K^\top}{\sqrt{d_k}}` is `(Q Kᵀ) / √d_k`.
"""
# ruff: noqa: RUF001  the letters of mathematics look like others

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from grader.reports.phrases import WIDEST
from grader.reports.plain_maths import ACCENTS, SYMBOLS
from grader.sandbox.printable import printable

_CODE_INDENT: Final = "    "
_STYLES: Final = {"strong": "bold", "em": "italic", "a": "underline"}
_THEME: Final = "ansi_dark"  # the terminal's own colours

_TOKEN: Final = re.compile(r"\\[A-Za-z]+\*?|\\.|[{}^_&]|\s+|[^\\{}^_&\s]", re.DOTALL)
_ATOM: Final = re.compile(r"[\w.∞∑√ᵀ′]+(\([^()]*\))?")
_WIDE: Final = "    "  # between two formulas in a line
_SUPERSCRIPTS: Final = str.maketrans("0123456789+-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻")
_FRACTIONS: Final = frozenset({"frac", "tfrac", "dfrac"})
_WORDS: Final = frozenset(
    {"text", "mathrm", "mathbf", "mathit", "mathcal", "mathbb", "operatorname", "operatorname*"}
)
_THIN: Final[Mapping[str, str]] = {",": " ", ";": " ", ":": " ", " ": " ", "!": "", "\\": "; "}
_BRACKETS: Final[Mapping[str, tuple[str, str]]] = {
    "pmatrix": ("[", "]"),
    "bmatrix": ("[", "]"),
    "matrix": ("[", "]"),
    "cases": ("{ ", " }"),
}


@dataclass(frozen=True, slots=True)
class _Block:
    """A paragraph with what stands before its first line, and before the others."""

    text: Text
    first: str = ""
    rest: str = ""
    wrapped: bool = True
    tight: bool = False  # no empty line before it


def print_markdown(console: Console, source: str) -> None:
    """Print CommonMark with tables and dollar maths; headings, code and maths as text."""
    for number, block in enumerate(_blocks(_parser().parse(_safe(source)))):
        if isinstance(block, Table):
            console.print()
            console.print(block)
            continue
        if number and not block.tight:
            console.print()
        _print_block(console, block)


def print_code(console: Console, code: str, indent: str = _CODE_INDENT) -> None:
    """Print Python, indented; a long line stays one line."""
    _print_block(
        console, _Block(_highlighted(_safe(code), "python"), indent, indent, wrapped=False)
    )


def _safe(text: str) -> str:
    """Leave out what could steer the terminal: an exercise may come from anywhere."""
    return printable(text, keep="\n\t")


def _print_block(console: Console, block: _Block) -> None:
    width = min(console.width, WIDEST) - len(block.rest)
    lines = block.text.split("\n", allow_blank=True)
    if block.wrapped:
        lines = block.text.wrap(console, max(20, width))
    for number, line in enumerate(lines):
        line.rstrip()
        before = block.rest if number else block.first
        console.print(Text.assemble(before if line.plain else "", line), soft_wrap=True)


@cache
def _parser() -> MarkdownIt:
    """Read what the pages read, see `sitegen.markdown`."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return parser.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        double_inline=True,
    )


def _blocks(tokens: Sequence[Token]) -> Iterator[_Block | Table]:
    """Yield the blocks of a document, those in lists and quotations with their marks."""
    index = 0
    while index < len(tokens):
        token = tokens[index]
        end = _end(tokens, index)
        inside = tokens[index + 1 : end]
        match token.type:
            case "heading_open":
                yield _Block(_inline(inside[0], "bold"))
            case "paragraph_open":
                yield _Block(_inline(inside[0]), tight=token.hidden)
            case "fence" | "code_block":
                code = _highlighted(token.content, (token.info.split() or [""])[0])
                yield _Block(code, _CODE_INDENT, _CODE_INDENT, wrapped=False)
            case "math_block":
                yield _Block(Text(formula(token.content)), _CODE_INDENT, _CODE_INDENT)
            case "bullet_list_open":
                yield from _items(inside, None)
            case "ordered_list_open":
                yield from _items(inside, int(token.attrs.get("start", 1)))
            case "blockquote_open":
                yield from _marked(_blocks(inside), "| ", "| ")
            case "table_open":
                yield _table(inside)
        index = end + 1


def _end(tokens: Sequence[Token], begin: int) -> int:
    """Return where the block that begins at a token ends."""
    depth = 0
    for index in range(begin, len(tokens)):
        depth += tokens[index].nesting
        if depth == 0:
            return index
    return len(tokens) - 1


def _items(tokens: Sequence[Token], start: int | None) -> Iterator[_Block | Table]:
    index = number = 0
    while index < len(tokens):
        end = _end(tokens, index)
        mark = "- " if start is None else f"{start + number}. "
        for place, block in enumerate(_blocks(tokens[index + 1 : end])):
            (marked,) = _marked([block], mark if place == 0 else " " * len(mark), " " * len(mark))
            close = number > 0 or place > 0
            tight = isinstance(marked, _Block) and marked.tight and close
            yield replace(marked, tight=tight) if isinstance(marked, _Block) else marked
        index, number = end + 1, number + 1


def _marked(blocks: Iterable[_Block | Table], first: str, rest: str) -> Iterator[_Block | Table]:
    for block in blocks:
        if isinstance(block, Table):
            yield block
        else:
            yield replace(block, first=first + block.first, rest=rest + block.rest)


def _inline(token: Token, style: str = "") -> Text:
    text = Text(style=style)
    styles: list[str] = []
    for child in token.children or ():
        if child.nesting > 0:
            styles.append(_STYLES.get(child.tag, ""))
        elif child.nesting < 0:
            styles.pop()
        else:
            said = child.content
            match child.type:
                case "code_inline":
                    said = f"`{said}`"
                case "math_inline" | "math_inline_double":
                    said = formula(said)
                case "image":
                    said = f"[picture: {said}]"
                case "softbreak":
                    said = " "
                case "hardbreak":
                    said = "\n"
            now = " ".join([*styles, "cyan"] if child.type == "code_inline" else styles)
            text.append(said, now)
    return text


def _table(tokens: Sequence[Token]) -> Table:
    rows: list[list[Text]] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "inline":
            rows[-1].append(_inline(token))
    heading, *body = rows
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for cell in heading:
        table.add_column(cell)
    for row in body:
        table.add_row(*row)
    return table


def _highlighted(code: str, language: str) -> Text:
    syntax = Syntax("", language or "text", theme=_THEME, background_color="default")
    text = syntax.highlight(code.rstrip("\n"))
    text.rstrip()
    return text


def formula(tex: str) -> str:
    """Return a formula as text; what is not known keeps its name."""
    return _FormulaReader(tex).all().strip()


class _FormulaReader:
    """Reads TeX from left to right."""

    def __init__(self, tex: str) -> None:
        self._tokens = _TOKEN.findall(tex)
        self._next = 0

    def all(self, until: str = "") -> str:
        """Return everything as text, up to the piece that closes a group."""
        pieces: list[str] = []
        while self._next < len(self._tokens):
            piece = self._take()
            if piece == until:
                break
            pieces.append(self._shown(piece))
        text = re.sub(r" {5,}", _WIDE, "".join(pieces))
        return re.sub(r"(?<! ) {2,3}(?! )", " ", text)

    def _take(self) -> str:
        piece: str = self._tokens[self._next]
        self._next += 1
        return piece

    def _shown(self, piece: str) -> str:
        if piece.isspace() or piece == "&":
            return " "
        if piece == "{":
            return self.all("}")
        if piece in ("^", "_"):
            script = self._argument()
            if piece == "^" and re.fullmatch(r"[+-]?\d+", script):
                return script.translate(_SUPERSCRIPTS)
            if script not in ("ᵀ", "′"):
                script = piece + (script if re.fullmatch(r"\w*", script) else f"({script})")
            return script
        if not piece.startswith("\\"):
            return "′" if piece == "'" else piece
        return self._command(piece[1:])

    def _command(self, name: str) -> str:
        if name in _FRACTIONS:
            above, below = _whole(self._argument()), _whole(self._argument())
            return f"{above} / {below}" if len(above + below) > len("12") else f"{above}/{below}"
        if name == "sqrt":
            return f"√{_whole(self._argument())}"
        if name in _WORDS:
            return self._argument()
        if name in ACCENTS:
            return self._argument() + ACCENTS[name]
        if name == "begin":
            name = self._argument()
            inside = self.all("\\end")
            self._argument()
            rows = [" ".join(row.split()) for row in inside.split(";")]  # from the top
            before, after = _BRACKETS.get(name, ("", ""))
            return f"{before}{'; '.join(row for row in rows if row)}{after}"
        return SYMBOLS.get(name, _THIN.get(name, name))

    def _argument(self) -> str:
        """Return the group or the single piece that comes next."""
        while self._next < len(self._tokens) and self._tokens[self._next].isspace():
            self._next += 1
        return self._shown(self._take()).strip() if self._next < len(self._tokens) else ""


def _whole(text: str) -> str:
    """Put in brackets what would come apart beside an operator."""
    return text if _ATOM.fullmatch(text) else f"({text})"
