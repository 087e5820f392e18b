"""Where pages lie, and how one refers to another: always relative, always to a file.

So the site works from the root of a host, from any folder of one, and opened from a disk. The page
for what is not found is the exception: a host shows it at any address, so its links begin at the
host's root.
"""

import posixpath

INDEX = "index.html"
NOT_FOUND = "404.html"
ASSETS = "assets"
LESSONS = "lessons"


def track_path(track: str) -> str:
    """The file of a track's page."""
    return f"{track}/{INDEX}"


def exercise_path(track: str, exercise: str) -> str:
    """The file of an exercise's page."""
    return f"{track}/{exercise}/{INDEX}"


def lesson_path(track: str, lesson: str) -> str:
    """The file of a lesson's page."""
    return f"{track}/{LESSONS}/{lesson}/{INDEX}"


def asset_path(name: str) -> str:
    """The file of a stylesheet, script or picture."""
    return f"{ASSETS}/{name}"


def relative_link(target: str, *, page: str) -> str:
    """How the page links to the target, both given as files relative to the site's root."""
    return posixpath.relpath(f"/{target}", posixpath.dirname(f"/{page}"))


def rooted_link(target: str, *, base_url: str) -> str:
    """How a page at no fixed address links to the target, where the site lies at `base_url`."""
    return base_url + target
