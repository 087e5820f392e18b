"""Sitemap, feed and robots.txt. All but the last need the site's address.

None has a date, since the same content has to give the same bytes at any time. A feed's reader
knows an item by its id, so an exercise becomes a new item when what its page asks for has changed.
"""

import hashlib
import re
from collections.abc import Iterator
from typing import Final

from markupsafe import escape

from grader.definitions.public import PublicExercise, PublicTrack
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
# What XML cannot hold in any form.
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_ROBOTS: Final = "User-agent: *\nDisallow:\n"


def announcements(content: Content, hosting: Hosting) -> dict[str, str]:
    """The files that tell of a site, by path."""
    if not hosting.site_url:
        return {ROBOTS: _ROBOTS}
    return {
        ROBOTS: f"{_ROBOTS}\nSitemap: {hosting.address(SITEMAP)}\n",
        SITEMAP: _SITEMAP.format(
            "".join(
                f"<url><loc>{_text(hosting.address(path))}</loc></url>\n"
                for path in _paths(content)
            )
        ),
        FEED: _FEED.format(
            title=_text(content.title),
            home=_text(hosting.address(INDEX)),
            own=_text(hosting.address(FEED)),
            items="".join(_items(content, hosting)),
        ),
    }


def _paths(content: Content) -> Iterator[str]:
    yield from (INDEX, CONCEPTS, SEARCH, ABOUT, ACCESSIBILITY)
    for track in content.tracks:
        yield track_path(track.id)
        yield from (lesson_path(track.id, each.id) for each in content.lessons.get(track.id, ()))
        yield from (exercise_path(track.id, each.id) for each in track.exercises)


def _items(content: Content, hosting: Hosting) -> Iterator[str]:
    for track in content.tracks:
        for lesson in content.lessons.get(track.id, ()):
            path = lesson_path(track.id, lesson.id)
            yield _item(hosting, path, lesson.title, f"A lesson of {track.title}", lesson.digest)
        for exercise in track.exercises:
            path = exercise_path(track.id, exercise.id)
            yield _item(hosting, path, exercise.title, _about(track, exercise), _version(exercise))


def _item(hosting: Hosting, path: str, title: str, description: str, version: str) -> str:
    return _ITEM.format(
        title=_text(title),
        link=_text(hosting.address(path)),
        id=_text(f"{hosting.address(path)}#{version[:12]}"),
        description=_text(description),
    )


def _about(track: PublicTrack, exercise: PublicExercise) -> str:
    return f"An exercise of {track.title}: {exercise.difficulty}, {exercise.xp} XP"


def _version(exercise: PublicExercise) -> str:
    """A digest of what a learner is asked, which a change to a hidden test leaves as it is."""
    asked = (exercise.title, exercise.instructions, exercise.starter, *exercise.defines)
    digests = (
        hashlib.sha256(text.encode()).digest() for text in asked
    )  # so that none runs into another
    return hashlib.sha256(b"".join(digests)).hexdigest()


def _text(text: str) -> str:
    return str(escape(_UNWRITABLE.sub("", text)))
