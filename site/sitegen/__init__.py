"""The static site: from the public form of tracks to a folder of pages.

Modules, lowest first: `safe_html`, `palette`, `shading`, `numerals`, `values`, `figures`,
`highlight`, `maths`, `markdown`, `links`, `package_data`, `assets`, `content`, `cards`, `concepts`,
`teaching`, `lessons`, `exercise_view`, `hosting`, `rendering`, `search`, `exercise_data`, `pages`,
`feeds`, `pyodide`, `offline`, `output`, `build`.
"""

from sitegen.build import SiteReport, build_site
from sitegen.content import Content
from sitegen.hosting import Hosting

__all__ = ["Content", "Hosting", "SiteReport", "build_site"]
