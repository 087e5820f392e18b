"""The panels that `etude preview` adds to pages, for authors only."""

import re
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from markupsafe import Markup

_PANEL = Markup(
    '<aside class="authoring" aria-label="For the author">\n<h2>{}</h2>\n<ul>\n{}</ul>\n</aside>\n'
)
_ITEM = Markup("<li>{}</li>\n")
_DIFF = Markup("<li>{}<pre>{}</pre></li>\n")
_AFTER = re.compile(r'<main id="content"[^>]*>\n')


Panel: TypeAlias = tuple[str, Sequence[str]]
"""A heading and findings; lines after the first of a finding, such as a diff, are preformatted."""


def with_panels(
    files: Mapping[str, bytes], panels: Mapping[str, Panel], other: Panel
) -> dict[str, bytes]:
    """Add a panel to every page.

    Args:
        panels: The panels of some pages, by path.
        other: The panel of all other pages.
    """
    return {
        path: _AFTER.sub(
            lambda match, path=path: f"{match[0]}{_markup(*panels.get(path, other))}",  # type: ignore[misc]  # mypy infers no type for a default
            content.decode(),
            count=1,
        ).encode()
        if path.endswith(".html")
        else content
        for path, content in files.items()
    }


def _markup(heading: str, lines: Sequence[str]) -> Markup:
    items = Markup()
    for line in lines:
        sentence, _, diff = line.partition("\n")
        items += _DIFF.format(sentence, diff) if diff else _ITEM.format(sentence)
    return _PANEL.format(heading, items)
