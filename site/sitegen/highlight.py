"""Python code as coloured HTML; the stylesheet gives the classes their colours."""

from functools import cache

from markupsafe import Markup, escape
from pygments import highlight as pygments_highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from sitegen.safe_html import mark_safe

# Longer lines may not fit a phone; their box scrolls, and must be reachable by keyboard.
_NARROW = 34
_BOX = Markup('<pre class="code"><code>{}</code></pre>')
_WIDE_BOX = Markup('<pre class="code" tabindex="0"><code>{}</code></pre>')
_FORMATTER = HtmlFormatter(nowrap=True, classprefix="hl-")


def highlight(code: str, language: str = "python") -> Markup:
    """Return code as a `<pre>` element, without colours for languages unknown to Pygments."""
    text = code.strip("\n")
    lexer = _lexer("pycon" if text.startswith(">>>") else language or "text")
    coloured = mark_safe(pygments_highlight(text, lexer, _FORMATTER).rstrip("\n"))
    return preformat(text, coloured)


def preformat(text: str, inner: Markup | None = None) -> Markup:
    """Return text in a box that scrolls; `inner` is the same text as HTML."""
    content = escape(text) if inner is None else inner
    wide = any(len(line) > _NARROW for line in text.splitlines())
    template = _WIDE_BOX if wide else _BOX
    return template.format(content)


@cache
def _lexer(language: str) -> Lexer:
    try:
        return get_lexer_by_name(language)
    except ClassNotFound:
        return get_lexer_by_name("text")
