"""The static site: from the public form of tracks to a folder of pages.

Modules, lowest first: `trusted`, `palette`, `numerals`, `shading`, `highlight`, `maths`, `markdown`,
`values`, `links`, `views`, `templates`, `output`, `build`.
"""

from sitegen.build import SiteReport, build_site

__all__ = ["SiteReport", "build_site"]
