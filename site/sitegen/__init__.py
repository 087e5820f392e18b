"""The static site: from the public form of tracks to a folder of pages.

Modules, lowest first: `trusted`, `palette`, `shading`, `numerals`, `values`, `figures`,
`highlight`, `maths`, `markdown`, `links`, `data`, `assets`, `lessons`, `runnable`, `content`,
`cards`, `concepts`, `views`, `hosting`, `policy`, `rendering`, `files`, `search`, `pieces`,
`exercise_data`, `pages`, `announcements`, `distribution`, `offline`, `output`, `build`.
"""

from sitegen.build import SiteReport, build_site
from sitegen.content import Content
from sitegen.hosting import Hosting

__all__ = ["Content", "Hosting", "SiteReport", "build_site"]
