"""The panel that `etude preview` puts on a page, for authors only."""

import re
from collections.abc import Mapping, Sequence

from markupsafe import Markup

_PANEL = Markup(
    '<aside class="authoring" aria-label="For the author">\n<h2>{}</h2>\n<ul>\n{}</ul>\n</aside>\n'
)
_ITEM = Markup("<li>{}</li>\n")
_DIFF = Markup("<li>{}<pre>{}</pre></li>\n")
_AFTER = re.compile(r'<main id="content"[^>]*>\n')


def with_panel(files: Mapping[str, bytes], heading: str, lines: Sequence[str]) -> dict[str, bytes]:
    """Put a panel with findings on every page.

    Args:
        lines: One item each; what follows a line break is shown as it is, a diff.
    """
    items = Markup()
    for line in lines:
        said, _, diff = line.partition("\n")
        items += _DIFF.format(said, diff) if diff else _ITEM.format(said)
    panel = _PANEL.format(heading, items)
    return {
        path: _AFTER.sub(lambda match: f"{match[0]}{panel}", content.decode(), count=1).encode()
        if path.endswith(".html")
        else content
        for path, content in files.items()
    }
