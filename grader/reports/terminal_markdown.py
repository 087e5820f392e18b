"""Markdown with maths, laid out for a terminal: wrapped to its width, code as it is."""

from collections.abc import Iterable, Iterator, Sequence
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

from grader.reports.formulas import formula
from grader.reports.phrases import WIDEST
from grader.sandbox.printable import printable

_CODE_INDENT: Final = "    "
_STYLES: Final = {"strong": "bold", "em": "italic", "a": "underline"}
_THEME: Final = "ansi_dark"  # the terminal's own colours


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
            now = " ".join([*styles, "cyan"] if child.type == "code_inline" else styles)
            text.append(_characters(child), now)
    return text


def _characters(token: Token) -> str:
    match token.type:
        case "code_inline":
            return f"`{token.content}`"
        case "math_inline" | "math_inline_double":
            return formula(token.content)
        case "image":
            return f"[picture: {token.content}]"
        case "softbreak":
            return " "
        case "hardbreak":
            return "\n"
    return token.content


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
