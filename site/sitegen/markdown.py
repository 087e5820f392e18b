"""Markdown as HTML: raw HTML stays text, `$maths$` becomes MathML, code gets colours."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin

from grader.definitions.images import ImageError, image_paths
from grader.errors import DefinitionError, Location, Problem
from grader.reports.numerals import MINUS
from sitegen.highlight import highlight
from sitegen.maths import TexError, mathml
from sitegen.page_images import PageImages
from sitegen.safe_html import mark_safe

_DEEPEST_HEADING = 6
_NO_IMAGE_HERE = (
    "an image cannot stand here; it can in instructions, hints, explanations and lessons"
)
_CLOSING = re.compile(r"[.,;:!?)]+")
_MINUS = re.compile(r"(?<!\S)-(?=\d)")
_SHORT_CODE = 24  # characters of code that fit on any line
_KEPT = Markup('<span class="kept">{}{}</span>')  # prevents a line break before a comma
_DISPLAY = Markup('<span class="formula" tabindex="0">{}</span>')  # scrolls if it is too wide


def render_markdown(
    source: str, *, where: Path, line: int = 1, top: int = 2, images: PageImages | None = None
) -> Markup:
    """Return Markdown as HTML whose highest heading is `<h{top}>`.

    Args:
        source: CommonMark with tables and dollar maths.
        where: The name of the text in errors: track, exercise and field, or a lesson's file.
        line: The line of that file where the source begins.
        top: The level for headings of level 1 and 2; deeper ones follow below it.
        images: Collects the images; None to allow none.

    Raises:
        DefinitionError: A formula or an image cannot be shown.
    """
    return _render(_make_parser().parse(source), source, Location(where, line), top, images)


def render_inline(source: str, *, where: Path, line: int = 1) -> Markup:
    """Return Markdown of one paragraph as HTML, without the paragraph's element.

    Args:
        source: CommonMark with dollar maths.
        where: See `render_markdown`.
        line: See `render_markdown`.

    Raises:
        DefinitionError: A formula cannot be shown, or there is an image.
    """
    return _render(_make_parser().parseInline(source), source, Location(where, line))


def _render(
    tokens: Sequence[Token],
    source: str,
    begin: Location,
    top: int = 2,
    images: PageImages | None = None,
) -> Markup:
    if problems := list(_check_images(tokens, source, begin, images)):
        raise DefinitionError(problems)
    for token in _flatten(tokens):
        if token.type in {"heading_open", "heading_close"}:
            level = int(token.tag.removeprefix("h"))
            token.tag = f"h{min(_DEEPEST_HEADING, top + max(0, level - 2))}"
        # The parser writes no style except a table's alignment.
        style = str(token.attrs.pop("style", ""))
        if style:
            token.attrs["class"] = style.replace("text-align:", "align-")
    try:
        return mark_safe(_make_parser().renderer.render(tokens, _make_parser().options, {}))
    except TexError as error:
        message = f"{error}, in ${error.tex.strip()}$"
        raise _make_error(begin, source, error.tex, message) from error


def unshowable(source: str, where: Path, with_images: bool) -> list[Problem]:
    """Return the parts of Markdown that cannot be shown, with lines and columns of the source.

    Args:
        where: The file that contains the text and has its images beside it.
        with_images: True if the text may contain images.
    """
    tokens = _make_parser().parse(source)
    begin = Location(where)
    problems = list(
        _check_images(tokens, source, begin, PageImages(where) if with_images else None)
    )
    for token in _flatten(tokens):
        if token.type in _RULES and token.type.startswith("math"):
            try:
                mathml(token.content, display=False)
            except TexError as error:
                message = f"{error}, in ${error.tex.strip()}$"
                problems += _make_error(begin, source, error.tex, message).problems
    return list(dict.fromkeys(problems))


def _check_images(
    tokens: Sequence[Token], source: str, begin: Location, images: PageImages | None
) -> Iterator[Problem]:
    """Yield the problem of each invalid image, and rename the others to their files."""
    for block in tokens:
        at = 0  # an index into the block's own text, so that equal words above it are not found
        for token in block.children or ():
            if token.type != "image":
                continue
            at = max(0, block.content.find(f"![{token.content}", at))
            written = unquote(str(token.attrs["src"]))
            message = ""
            if images is None:
                message = _NO_IMAGE_HERE
            elif not token.content.strip():
                message = "an image needs a text alternative: ![what it shows](picture.png)"
            elif written not in map(unquote, image_paths(source)):
                # Handouts search for images with this function.
                message = "write the image and its path together: ![what it shows](picture.png)"
            else:
                try:
                    token.attrs.update(images.add(written))
                except ImageError as error:
                    message = str(error)
            if message:
                first = sum(map(len, source.splitlines(keepends=True)[: (block.map or [0])[0]]))
                index = source.find(f"![{token.content}", first + at)
                yield _make_problem(begin, source, index, message)
            at += 1


def _make_error(begin: Location, source: str, excerpt: str, message: str) -> DefinitionError:
    return DefinitionError([_make_problem(begin, source, source.find(excerpt), message)])


def _make_problem(begin: Location, source: str, index: int, message: str) -> Problem:
    before = source[: max(0, index)]
    line = begin.line + before.count("\n")
    column = len(before) - before.rfind("\n")
    return Problem(Location(begin.path, line, column), message)


def _flatten(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flatten(token.children or ())


@cache
def _make_parser() -> MarkdownIt:
    options = {"html": False, "xhtmlOut": False, "typographer": True}
    parser = MarkdownIt("commonmark", options).enable(["table", "smartquotes"])
    parser.use(
        dollarmath_plugin,
        allow_labels=False,
        allow_space=False,  # two prices in a sentence are not a formula
        allow_digits=False,
        double_inline=True,
    )
    for name, rule in _RULES.items():
        parser.add_render_rule(name, rule)
    return parser


# Arguments of a render rule: renderer, tokens, index into the tokens, options, environment.
def _code(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    token = tokens[index]
    return highlight(token.content, (token.info.split() or [""])[0]) + "\n"


def _inline_code(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    """Render code without a line break inside a shape such as `(5, 2)`."""
    content = tokens[index].content
    style = Markup(' class="kept"') if len(content) <= _SHORT_CODE else ""
    return Markup("<code{}>{}</code>").format(style, content)


def _text(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    return escape(_MINUS.sub(MINUS, tokens[index].content))


def _inline_maths(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    formula = mathml(tokens[index].content, display=False)
    following = tokens[index + 1] if index + 1 < len(tokens) else None
    closing = _CLOSING.match(following.content) if following else None
    if following is None or closing is None:
        return formula
    following.content = following.content[closing.end() :]
    return _KEPT.format(formula, closing[0])


def _display_maths(_: object, tokens: Sequence[Token], index: int, *__: object) -> str:
    return _DISPLAY.format(mathml(tokens[index].content, display=True))


def _table_open(*_: object) -> str:
    return '<div class="scroll" tabindex="0"><table class="prose-table">\n'


def _table_close(*_: object) -> str:
    return "</table></div>\n"


_RULES: dict[str, Any] = {
    "fence": _code,
    "code_block": _code,
    "code_inline": _inline_code,
    "text": _text,
    "math_inline": _inline_maths,
    "math_inline_double": _display_maths,
    "math_block": _display_maths,
    "table_open": _table_open,
    "table_close": _table_close,
}
