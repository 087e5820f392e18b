"""Stylesheets, scripts, fonts and pictures, under names that contain a hash of their content.

So hosts and browsers may cache each of them forever. One asset refers to another as `"./name"` in a
script and as `url(./name)` in a stylesheet, which is replaced by the hashed name here.
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from graphlib import TopologicalSorter
from pathlib import PurePosixPath
from typing import Final

from grader.reports.palette import stylesheet
from sitegen.links import ASSETS, asset_path
from sitegen.package_data import find_data

_STYLESHEET: Final = "site.css"
_REFERENCE: Final = re.compile(rb"(?<=[\"'`(]\./)([\w.-]+)(?=[\"'`)])")
_AT_ROOT: Final = ("offline.js", "embed.js")  # assets at the site's root, without a hash
_NAMING: Final = frozenset({".js", ".css", ".webmanifest"})
_DIGITS: Final = 12  # hexadecimal digits of a hash in a name


class Assets:
    """The assets of a site.

    Args:
        contents: The files of the assets folder, by name.
    """

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self.worker, self.embed = (contents.get(name, b"") for name in _AT_ROOT)
        self._paths: dict[str, str] = {}
        self.files: dict[str, bytes] = {}
        references: dict[str, list[str]] = {}
        for name, content in contents.items():
            if name not in _AT_ROOT:
                references_found = (
                    _REFERENCE.findall(content) if PurePosixPath(name).suffix in _NAMING else []
                )
                names = dict.fromkeys(name.decode() for name in references_found)
                references[name] = [found_name for found_name in names if found_name in contents]
        hashed: dict[bytes, bytes] = {}
        for name in TopologicalSorter(references).static_order():
            content = contents[name]
            if PurePosixPath(name).suffix in _NAMING:
                content = _REFERENCE.sub(lambda match: hashed.get(match[1], match[1]), content)
            new_name = hash_name(name, content)
            hashed[name.encode()] = new_name.encode()
            self._paths[name] = asset_path(new_name)
            self.files[self._paths[name]] = content

    @classmethod
    def load(cls, more: Mapping[str, bytes]) -> "Assets":
        """Load the generator's own assets, with those made for this site."""
        files = sorted(find_data(ASSETS).iterdir())
        contents = {path.name: path.read_bytes() for path in files if path.name[0] != "."}
        contents[_STYLESHEET] += stylesheet().encode()
        return cls(contents | dict(more))

    def path(self, name: str) -> str:
        """Return an asset's path from the site's root."""
        return self._paths[name]

    def modules(self, page: str) -> Sequence[str]:
        """Return the scripts of a kind of page: the common one, and the kind's own."""
        return [self._paths[name] for name in ("page.js", f"{page}.js") if name in self._paths]


def hash_name(name: str, content: bytes) -> str:
    """Insert a hash into a name: `site.css` becomes `site-0123456789ab.css`."""
    path = PurePosixPath(name)
    return f"{path.stem}-{hashlib.sha256(content).hexdigest()[:_DIGITS]}{path.suffix}"
