"""Paths of pages, and links between them, which are always relative and name a file.

So the site works at the root of a host, in any folder of one, and from a disk. The error page is
the exception: a host shows it at any address, so its links begin at the host's root.
"""

INDEX = "index.html"
NOT_FOUND = "404.html"
EMBED = "embed.js"  # embeds exercises in the pages of other sites
CONCEPTS = f"concepts/{INDEX}"
SEARCH = f"search/{INDEX}"
PROGRESS = f"progress/{INDEX}"
ABOUT = f"about/{INDEX}"
ACCESSIBILITY = f"accessibility/{INDEX}"
OWN_GPT = f"own-gpt/{INDEX}"
OFFLINE = f"offline/{INDEX}"
ASSETS = "assets"
LESSONS = "lessons"
RESERVED_FOLDERS = (
    *("assets", "pyodide"),
    *("concepts", "search", "progress", "about", "accessibility", "offline", "own-gpt"),
)
"""Our own folders, whose names no track can have."""


def track_path(track: str) -> str:
    """Return the path of a track's page."""
    return f"{track}/{INDEX}"


def exercise_path(track: str, exercise: str) -> str:
    """Return the path of an exercise's page."""
    return f"{track}/{exercise}/{INDEX}"


def lesson_path(track: str, lesson: str) -> str:
    """Return the path of a lesson's page."""
    return f"{track}/{LESSONS}/{lesson}/{INDEX}"


def exercise_file(track: str, exercise: str, name: str) -> str:
    """Return the path of a file beside an exercise's page."""
    return f"{track}/{exercise}/{name}"


def notebook_path(page: str) -> str:
    """Return the path of the notebook beside a page, named after the page's folder."""
    folder = page.removesuffix(f"/{INDEX}")
    return f"{folder}/{folder.rpartition('/')[2]}.ipynb"


def asset_path(name: str) -> str:
    """Return the path of a stylesheet, script or picture."""
    return f"{ASSETS}/{name}"


def relative_link(target: str, *, page: str) -> str:
    """Return the link from a page to a target, both relative to the root; "" is the root."""
    *here, _ = page.split("/")
    *there, name = target.split("/")
    shared = 0  # number of folders that both share
    while here[shared : shared + 1] == there[shared : shared + 1] != []:
        shared += 1
    path = "/".join([*[".."] * (len(here) - shared), *there[shared:], name])
    return path or "./"


def rooted_link(target: str, *, base_url: str) -> str:
    """Return the link to a target from a page without a fixed address, on a site at `base_url`."""
    return base_url + target
