"""Markdown with formulas in a terminal, in rich's layout, with code that can be copied."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import ClassVar, Final

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from rich import markdown
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown
from rich.syntax import Syntax
from rich.text import Text

from grader.reports.phrases import WIDEST_PROSE
from grader.reports.plain_maths import formula
from grader.sandbox.printable import printable

_CODE_INDENT: Final = "    "
_THEME: Final = "ansi_dark"  # a theme with the terminal's own colours


def print_markdown(console: Console, source: str) -> None:
    """Print CommonMark with tables and formulas between dollars."""
    console.print(_TerminalMarkdown(source), width=min(console.width, WIDEST_PROSE), crop=False)


def print_code(console: Console, code: str, language: str = "python") -> None:
    """Print indented code; a long line is not wrapped."""
    console.print(_indent(_highlight(_safe(code), language)), soft_wrap=True)


def _safe(text: str) -> str:
    """Remove control characters, since an exercise may come from an untrusted source."""
    return printable(text, keep="\n\t")


def _highlight(code: str, language: str) -> Text:
    syntax = Syntax("", language or "text", theme=_THEME, background_color="default")
    text = syntax.highlight(code.rstrip("\n"))
    text.rstrip()
    return text


def _indent(code: Text) -> Text:
    lines = code.split("\n", allow_blank=True)
    return Text("\n").join(
        Text.assemble(_CODE_INDENT if line.plain else "", line) for line in lines
    )


@cache
def _parser() -> MarkdownIt:
    """Return a parser for the syntax of the site's pages, see `sitegen.markdown`."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    return parser.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,
        allow_digits=False,
        double_inline=True,
    )


class _Heading(markdown.Heading):
    LEVEL_ALIGN: ClassVar = {f"h{level}": "default" for level in range(1, 7)}


class _CodeBlock(markdown.CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        text = _indent(_highlight(str(self.text), self.lexer_name))
        # Rich truncates long lines.
        is_nested = options.max_width < min(console.width, WIDEST_PROSE)
        text.no_wrap, text.overflow = not is_nested, "fold" if is_nested else "ignore"
        yield text


class _TerminalMarkdown(Markdown):
    elements: ClassVar = {
        **Markdown.elements,
        "heading_open": _Heading,
        "fence": _CodeBlock,
        "code_block": _CodeBlock,
        "math_block": _CodeBlock,
    }

    def __init__(self, source: str) -> None:
        super().__init__("", justify="default", hyperlinks=False)
        self.parsed = list(_replace_by_text(_parser().parse(_safe(source))))


def _replace_by_text(tokens: Iterable[Token]) -> Iterator[Token]:
    """Replace formulas, code and images by text that is readable without colour."""
    for token in tokens:
        match token.type:
            case "math_inline" | "math_inline_double":
                yield Token("text", "", 0, content=formula(token.content))
            case "math_block":
                yield Token(token.type, "", 0, content=formula(token.content), info="text")
            case "image":
                yield Token("text", "", 0, content=f"[picture: {' '.join(token.content.split())}]")
            case "code_inline":
                token.content = f"`{token.content}`"
                yield token
            case _:
                token.children = token.children and list(_replace_by_text(token.children))
                yield token
