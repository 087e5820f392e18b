"""The static site: from the public form of tracks to a folder of pages.

Modules, lowest first: `trusted`, `palette`, `shading`, `numerals`, `values`, `figures`,
`highlight`, `maths`, `markdown`, `links`, `data`, `lessons`, `views`, `pages`, `output`, `build`.
"""

from sitegen.build import SiteReport, build_site

__all__ = ["SiteReport", "build_site"]
