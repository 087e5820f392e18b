"""A source text whose characters know their places in the file, also with markup taken off."""

import html
import re
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

_BREAKS: Final = frozenset({"br", "p", "div", "li", "tr", "pre", "h1", "h2", "h3", "h4", "section"})
_RAW: Final = frozenset({"script", "style", "textarea"})
_TAG_NAME: Final = re.compile(r"/?([a-zA-Z][a-zA-Z0-9-]*)")
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,8}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")
_IS_HTML: Final = re.compile(
    r"\s*(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+html|html\b)", re.IGNORECASE | re.DOTALL
)


class SourceText:
    """A text to read, and where each of its characters stands in the file.

    Args:
        name: of the file, for messages.
        text: what is read.
        original: the file's own text.
        origins: for each character of `text` its place in `original`; None if they are the same.
    """

    def __init__(
        self, name: str, text: str, original: str = "", origins: Sequence[int] | None = None
    ) -> None:
        self.name = name
        self.text = text
        self._origins = origins
        original = original or text
        self._lines = [0, *(found.end() for found in re.finditer("\n", original))]
        self._end = len(original)

    def place(self, at: int) -> str:
        """Return the place of a character as `file:line:column`, both from one."""
        if self._origins is not None:
            at = self._origins[at] if at < len(self._origins) else self._end
        line = bisect_right(self._lines, at)
        return f"{self.name}:{line}:{at - self._lines[line - 1] + 1}"


def looks_like_html(name: str, text: str) -> bool:
    """Return whether a document is HTML, by its name or by how it begins."""
    return name.lower().endswith((".html", ".htm", ".xhtml")) or bool(_IS_HTML.match(text[:4096]))


def without_markup(name: str, original: str) -> SourceText:
    """Take tags off an HTML document and put characters for its entities.

    What is in a `script` stays as it is. Time is linear in the length, whatever the text.
    """
    pieces: list[str] = []
    origins = array("L")

    def keep(text: str, begin: int) -> None:
        pieces.append(text)
        origins.extend(range(begin, begin + len(text)))

    at = 0
    while at < len(original):
        tag = _next(original, "<", at)
        _keep_unescaped(original, at, tag, pieces, origins)
        if tag == len(original):
            break
        word = _TAG_NAME.match(original, tag + 1)
        if original.startswith("<!--", tag):
            at = _next(original, "-->", tag) + 3
            continue
        if word is None and not original.startswith(("<!", "<?"), tag):
            keep("<", tag)
            at = tag + 1
            continue
        end = _next(original, ">", tag)
        if end == len(original):  # no tag is closed from here on
            _keep_unescaped(original, tag, end, pieces, origins)
            break
        at = end + 1
        element = word[1].lower() if word else ""
        if element in _BREAKS:
            pieces.append("\n")
            origins.append(tag)
        if element in _RAW and original[tag + 1] != "/":
            closing = re.compile(f"</{element}", re.IGNORECASE).search(original, at)
            stop = closing.start() if closing else len(original)
            keep(original[at:stop], at)
            at = stop
    return SourceText(name, "".join(pieces), original, origins)


def _keep_unescaped(
    original: str, begin: int, end: int, pieces: list[str], origins: "array[int]"
) -> None:
    at = begin
    for found in _ENTITY.finditer(original, begin, end):
        pieces.append(original[at : found.start()])
        origins.extend(range(at, found.start()))
        meant = html.unescape(found.group())
        pieces.append(meant)
        origins.extend([found.start()] * len(meant))
        at = found.end()
    pieces.append(original[at:end])
    origins.extend(range(at, end))


def _next(text: str, what: str, at: int) -> int:
    found = text.find(what, at)
    return len(text) if found < 0 else found
