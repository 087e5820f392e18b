"""The service worker that keeps a site for use without a network, one file at the site's root."""

import hashlib
import json
from collections.abc import Mapping
from typing import Final

from sitegen.hosting import PYODIDE, Hosting
from sitegen.links import ASSETS, CONCEPTS, INDEX, OFFLINE, PROGRESS, SEARCH

WORKER: Final = "offline.js"

_FROM_THE_START: Final = (INDEX, CONCEPTS, SEARCH, PROGRESS, OFFLINE)


def make_worker(script: bytes, files: Mapping[str, bytes], index: str, hosting: Hosting) -> bytes:
    """Return the worker's script, preceded by the data about a site that it needs.

    A browser treats a worker as new when a byte of it differs, so the version is a digest of all
    files.

    Args:
        script: The same for every site.
        files: All other files of the site, by path.
        index: The path of the search index.
        hosting: The addresses of the site and of Pyodide.
    """
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(f"{path}\n".encode())
        total.update(hashlib.sha256(files[path]).digest())
    build = {
        "version": total.hexdigest()[:16],
        "pyodide": f"{PYODIDE}/" if hosting.pyodide else hosting.pyodide_url,
        "assets": sorted(path for path in files if path.startswith(f"{ASSETS}/")),
        "index": index,
        "pages": _FROM_THE_START,
        "lost": OFFLINE,
    }
    return f"const ETUDE_BUILD={json.dumps(build)};\n".encode() + script
