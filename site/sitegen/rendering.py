"""Templates, and the parts that all pages of a site have in common."""

from functools import partial
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from grader.definitions.wording import plural
from grader.grading.feedback.versions import HERE
from sitegen.assets import Assets
from sitegen.concepts import anchor
from sitegen.content import PLATFORM
from sitegen.highlight import preformat
from sitegen.hosting import PYODIDE, Hosting
from sitegen.links import (
    ABOUT,
    ACCESSIBILITY,
    CONCEPTS,
    INDEX,
    NOT_FOUND,
    OWN_GPT,
    PROGRESS,
    SEARCH,
    relative_link,
    rooted_link,
)
from sitegen.package_data import find_data

_HOURS = 2  # longer estimates are given in hours

# `file:` because Firefox does not treat a page on a disk as its own origin, so that 'self' alone
# would leave it without style. A page from a server can never load files from a disk.
_OWN_ORIGIN: Final = "'self' file:"
# The content security policy, inside the page because many hosts set no headers: no inline script,
# and no other host except Pyodide's. Inline styles are allowed for the editor, and WebAssembly for
# Python. The worker that runs Python has a `data:` address, so it inherits this policy and has no
# origin; Pyodide's scripts have a `blob:` address there.
_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        f"script-src {_OWN_ORIGIN} blob: 'wasm-unsafe-eval'",
        f"style-src {_OWN_ORIGIN} 'unsafe-inline'",
        f"img-src {_OWN_ORIGIN} data:",
        f"font-src {_OWN_ORIGIN}",
        "connect-src 'self' {python}",
        "worker-src 'self' data:",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    )
)


class PageRenderer:
    """A renderer of the pages of one site.

    Args:
        hosting: The addresses of the site and of Pyodide.
        for_practice: True if pages run the hidden tests, too.
    """

    def __init__(
        self,
        assets: Assets,
        hosting: Hosting,
        *,
        for_practice: bool = False,
        title: str = PLATFORM,
    ) -> None:
        self._hosting = hosting
        self._environment = _environment()
        self._environment.globals |= {
            "asset": assets.path,
            "modules": assets.modules,
            "policy": _POLICY.format(python=hosting.remote_pyodide).replace(" ;", ";"),
            "hosting": hosting,
            "grader_versions": HERE,
            "for_practice": for_practice,
            "site_title": title,
            "platform": PLATFORM,
            "own_pyodide": f"{PYODIDE}/",
            "home": INDEX,
            "search": SEARCH,
            "concept_index": CONCEPTS,
            "progress": PROGRESS,
            "own_gpt": OWN_GPT,
            "about": ABOUT,
            "accessibility": ACCESSIBILITY,
        }

    def __call__(self, path: str, page: str, *, template: str = "", **context: object) -> str:
        """Render one page.

        Args:
            path: The page's path from the site's root.
            page: The kind of page, by which scripts identify it.
            template: The template's name without suffix, by default the kind.
            context: The values for the template; `names` become attributes for scripts.
        """
        link = partial(relative_link, page=path)
        if path == NOT_FOUND:
            link = partial(rooted_link, base_url=self._hosting.base_url)
        common = {"path": path, "page": page, "link": link, "names": {}}
        chosen = self._environment.get_template(f"{template or page}.html")
        return chosen.render(common | context)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(find_data("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "count": plural,
        "duration": duration,
        "pre": preformat,
        "anchor": anchor,
    }
    return environment


def duration(minutes: int) -> str:
    """Format an estimate: `8 min`, or from two hours on `3 hours`."""
    hours = round(minutes / 60)
    return f"{minutes} min" if hours < _HOURS else plural(hours, "hour")
