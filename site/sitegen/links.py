"""Where pages lie, and how one refers to another: always relative, always to a file.

So the site works from the root of a host, from any folder of one, and opened from a disk.
"""

import posixpath

INDEX = "index.html"
NOT_FOUND = "404.html"
ASSETS = "assets"


def track_path(track: str) -> str:
    """The file of a track's page."""
    return f"{track}/{INDEX}"


def exercise_path(track: str, exercise: str) -> str:
    """The file of an exercise's page."""
    return f"{track}/{exercise}/{INDEX}"


def asset_path(name: str) -> str:
    """The file of a stylesheet, script or picture."""
    return f"{ASSETS}/{name}"


def relative_link(target: str, *, page: str) -> str:
    """How the page links to the target, both given as files relative to the site's root."""
    return posixpath.relpath(f"/{target}", posixpath.dirname(f"/{page}"))
