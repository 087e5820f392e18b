"""Paths of pages, and links between them: always relative, always to a file.

So the site works from the root of a host, from any folder of one, and opened from a disk. The page
for what is not found is the exception: a host shows it at any address, so its links begin at the
host's root.
"""

INDEX = "index.html"
NOT_FOUND = "404.html"
EMBED = "embed.js"  # shows exercises in the pages of other sites
CONCEPTS = f"concepts/{INDEX}"
SEARCH = f"search/{INDEX}"
PROGRESS = f"progress/{INDEX}"
ABOUT = f"about/{INDEX}"
ACCESSIBILITY = f"accessibility/{INDEX}"
OWN_GPT = f"own-gpt/{INDEX}"
LOST = f"offline/{INDEX}"
ASSETS = "assets"
LESSONS = "lessons"
TAKEN = (
    *("assets", "pyodide"),
    *("concepts", "search", "progress", "about", "accessibility", "offline", "own-gpt"),
)
"""Folders of ours, so that no track can have one of these names."""


def track_path(track: str) -> str:
    """The file of a track's page."""
    return f"{track}/{INDEX}"


def exercise_path(track: str, exercise: str) -> str:
    """The file of an exercise's page."""
    return f"{track}/{exercise}/{INDEX}"


def lesson_path(track: str, lesson: str) -> str:
    """The file of a lesson's page."""
    return f"{track}/{LESSONS}/{lesson}/{INDEX}"


def exercise_file(track: str, exercise: str, name: str) -> str:
    """A file beside an exercise's page."""
    return f"{track}/{exercise}/{name}"


def notebook_path(page: str) -> str:
    """The notebook beside a page: a file with the name of the page's folder."""
    folder = page.removesuffix(f"/{INDEX}")
    return f"{folder}/{folder.rpartition('/')[2]}.ipynb"


def asset_path(name: str) -> str:
    """The file of a stylesheet, script or picture."""
    return f"{ASSETS}/{name}"


def relative_link(target: str, *, page: str) -> str:
    """Return the link from a page to a target, both relative to the root; "" is the root."""
    *here, _ = page.split("/")
    *there, name = target.split("/")
    shared = 0  # folders that both lie in
    while here[shared : shared + 1] == there[shared : shared + 1] != []:
        shared += 1
    path = "/".join([*[".."] * (len(here) - shared), *there[shared:], name])
    return path or "./"


def rooted_link(target: str, *, base_url: str) -> str:
    """Return the link to a target from a page at no fixed address, on a site at `base_url`."""
    return base_url + target
