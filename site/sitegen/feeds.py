"""The sitemap, the feed and robots.txt; the first two need the site's address.

None of them contains a date, because the same content must always give the same bytes. Feed readers
identify an item by its id, so an exercise becomes a new item when its task has changed.
"""

import hashlib
import re
from typing import Final

from markupsafe import escape

from sitegen.content import Content
from sitegen.hosting import Hosting
from sitegen.links import (
    ABOUT,
    ACCESSIBILITY,
    CONCEPTS,
    INDEX,
    SEARCH,
    exercise_path,
    lesson_path,
    track_path,
)

SITEMAP: Final = "sitemap.xml"
FEED: Final = "feed.xml"
ROBOTS: Final = "robots.txt"

_XML: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SITEMAP: Final = (
    _XML + '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{}</urlset>\n'
)
_FEED: Final = (
    _XML + '<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">\n<channel>\n'
    "<title>{title}: lessons and exercises</title>\n<link>{home}</link>\n"
    "<description>What is new or has changed among the lessons and exercises.</description>\n"
    '<language>en</language>\n<atom:link href="{own}" rel="self" type="application/rss+xml"/>\n'
    "{items}</channel>\n</rss>\n"
)
_ITEM: Final = (
    '<item><title>{title}</title><link>{link}</link><guid isPermaLink="false">{id}</guid>'
    "<description>{description}</description></item>\n"
)
# Characters that XML cannot represent in any form.
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_ROBOTS: Final = "User-agent: *\nDisallow:\n"


def make_announcements(content: Content, hosting: Hosting) -> dict[str, str]:
    """Return the files that announce a site to crawlers and feed readers, by path."""
    if not hosting.site_url:
        return {ROBOTS: _ROBOTS}
    paths = [INDEX, CONCEPTS, SEARCH, ABOUT, ACCESSIBILITY]
    items = []
    for track in content.tracks:
        paths.append(track_path(track.id))
        for lesson in content.lessons.get(track.id, ()):
            paths.append(lesson_path(track.id, lesson.id))
            about = f"A lesson of {track.title}"
            items.append(_format_item(hosting, paths[-1], lesson.title, about, lesson.digest))
        for exercise in track.exercises:
            paths.append(exercise_path(track.id, exercise.id))
            about = f"An exercise of {track.title}: {exercise.difficulty}, {exercise.xp} XP"
            # The public task, which a change to a hidden test leaves unchanged.
            texts = (exercise.title, exercise.instructions, exercise.starter, *exercise.defines)
            # Each text is hashed separately, so that text cannot move from one into the next
            # unnoticed.
            digests = b"".join(hashlib.sha256(text.encode()).digest() for text in texts)
            version = hashlib.sha256(digests).hexdigest()
            items.append(_format_item(hosting, paths[-1], exercise.title, about, version))
    addresses = (_escape(hosting.address(path)) for path in paths)
    return {
        ROBOTS: f"{_ROBOTS}\nSitemap: {hosting.address(SITEMAP)}\n",
        SITEMAP: _SITEMAP.format(
            "".join(f"<url><loc>{address}</loc></url>\n" for address in addresses)
        ),
        FEED: _FEED.format(
            title=_escape(content.title),
            home=_escape(hosting.address(INDEX)),
            own=_escape(hosting.address(FEED)),
            items="".join(items),
        ),
    }


def _format_item(hosting: Hosting, path: str, title: str, description: str, version: str) -> str:
    return _ITEM.format(
        title=_escape(title),
        link=_escape(hosting.address(path)),
        id=_escape(f"{hosting.address(path)}#{version[:12]}"),
        description=_escape(description),
    )


def _escape(text: str) -> str:
    return str(escape(_UNWRITABLE.sub("", text)))
