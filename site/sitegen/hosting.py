"""The address of a site, and the address from which its pages load Python."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from grader.errors import UsageError
from grader.grading.feedback.versions import Versions
from sitegen.pyodide import read_versions

PYODIDE: Final = "pyodide"  # the folder of the site's own copy, and the prefix of its files
PUBLIC_PYODIDE: Final = "https://cdn.jsdelivr.net/pyodide/v0.29.4/full/"
_PUBLIC_VERSIONS: Final = Versions((3, 13), (2, 2))

_BASE: Final = re.compile(r"/([\w.~-]+/)*")
_ORIGIN: Final = re.compile(r"https?://[\w.-]+(:\d+)?")
_ADDRESS: Final = re.compile(r"https?://[\w.-]+(:\d+)?(/[\w.~-]+)*/?")


@dataclass(frozen=True, slots=True)
class Hosting:
    """The addresses of a site; by default only that of Pyodide.

    Args:
        base_url: The site's path on its host, with a slash at both ends; only the error page
            needs it.
        site_url: The complete address, for canonical links and the sitemap.
        pyodide_url: The folder of a Pyodide distribution with NumPy; a path is on the same host.
        pyodide: The distribution's files by name, if the site contains them; the URL is then
            unused.
        embed_in: The sites that may show pages in frames, such as https://lms.example.org.

    Raises:
        UsageError: An address is invalid.
    """

    base_url: str = "/"
    site_url: str = ""
    pyodide_url: str = PUBLIC_PYODIDE
    pyodide: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    embed_in: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.site_url and not _ADDRESS.fullmatch(self.site_url):
            raise UsageError(
                f"The site's URL is one such as https://example.org/etude/, not {self.site_url!r}."
            )
        for origin in self.embed_in:
            if not _ORIGIN.fullmatch(origin):
                raise UsageError(
                    "A site that embeds pages is named like https://lms.example.org, "
                    f"not {origin!r}."
                )
        if not _BASE.fullmatch(self.base_url):
            raise UsageError(f"The base URL is a path such as /etude/, not {self.base_url!r}.")
        if not _ADDRESS.fullmatch(self.pyodide_url) and not _BASE.fullmatch(self.pyodide_url):
            raise UsageError(
                f"The URL of Pyodide is a folder such as {PUBLIC_PYODIDE}, "
                f"not {self.pyodide_url!r}."
            )

    @classmethod
    def from_options(
        cls,
        *,
        base_url: str | None = None,
        site_url: str | None = None,
        pyodide_url: str | None = None,
        pyodide: Mapping[str, bytes] | None = None,
        embed_in: Sequence[str] = (),
    ) -> "Hosting":
        """Derive the addresses from options; see the fields.

        Raises:
            UsageError: An address is invalid, or the base is not the path of the site's URL.
        """
        path = _with_slash(urlsplit(site_url).path) if site_url else base_url or "/"
        if base_url and base_url != path:
            raise UsageError(f"The base URL {base_url!r} is not the path of {site_url!r}.")
        return cls(
            base_url=path,
            site_url=_with_slash(site_url) if site_url else "",
            pyodide_url=_with_slash(pyodide_url) if pyodide_url else PUBLIC_PYODIDE,
            pyodide=pyodide or {},
            embed_in=tuple(embed_in),
        )

    @property
    def python_bytes(self) -> int:
        """The size of the files that a page without packages loads, in bytes; 0 if unknown."""
        needed = (n for n in self.pyodide if not n.endswith(".whl") or n.startswith("numpy-"))
        return sum(len(self.pyodide[name]) for name in needed)

    @property
    def remote_pyodide(self) -> str:
        """The folder of Pyodide, or "" if it is on the site's own host."""
        return "" if self.pyodide or self.pyodide_url.startswith("/") else self.pyodide_url

    @property
    def versions(self) -> Versions | None:
        """The Python and NumPy of the pages, or None if another host has them."""
        if self.pyodide:
            return read_versions(self.pyodide)
        return _PUBLIC_VERSIONS if self.pyodide_url == PUBLIC_PYODIDE else None

    def address(self, path: str) -> str:
        """Return the complete address of a file, or "" if the site's address is unknown."""
        address = path.removesuffix("index.html")  # the form in which people link to a page
        return f"{self.site_url}{address}" if self.site_url else ""


def _with_slash(address: str) -> str:
    return address if address.endswith("/") else f"{address}/"
