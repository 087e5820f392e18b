"""The frame of an HTML report, light and dark: a self-contained page, or a part of another page."""

from html import escape
from typing import Final

_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
)

_COLOURS: Final = """\
color-scheme: light dark; --ink: light-dark(#17201f, #e4eae8); --page: light-dark(#f7f8f6, #12171c);
  --card: light-dark(#fff, #192027); --line: light-dark(#dbe0dc, #2d3741); --quiet: light-dark(#52605d, #a0adab);
  --good: light-dark(#17693a, #7fd8a0); --bad: light-dark(#a02d20, #ff9d8f); --odd: light-dark(#7a4a00, #f2c46d);"""  # noqa: E501  a style sheet
_TEXT: Final = """\
color: var(--ink);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word;"""
_COMMON: Final = """\
* { box-sizing: border-box; }
.quiet { color: var(--quiet); }
"""
_STYLE: Final = f"""\
:root {{ {_COLOURS} }}
body {{ margin: 0 auto; padding: 1.5rem; max-width: 62rem; background: var(--page); {_TEXT} }}
{_COMMON}"""

# A part of another page follows the theme of Jupyter, VS Code or Colab.
_PART_STYLE: Final = f"""\
.etude {{ {_COLOURS} {_TEXT}
{_COMMON}pre, table {{ background: none; color: inherit; }}
%s}}
:is([data-jp-theme-light=true], .vscode-light, [theme=light]) .etude {{ color-scheme: light; }}
:is([data-jp-theme-light=false], .vscode-dark, [theme=dark]) .etude {{ color-scheme: dark; }}
"""


def html_page(title: str, style: str, body: str) -> str:
    """Return a page; its title is also its heading."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{_STYLE}{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(title)}</h1>\n{body}</main>\n</body>\n</html>\n"
    )


def html_part(style: str, body: str) -> str:
    """Return a fragment for another page, such as a notebook."""
    return (
        f'<style>\n{_PART_STYLE.replace("%s", style)}</style>\n<div class="etude">\n{body}</div>\n'
    )
