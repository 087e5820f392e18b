"""Remembers proofs by content: an exercise that nothing has changed about is not proven again.

A proof is filed under a hash of the definition's bytes and of everything that could change what
comes out: the sources of the grader, the reference and the site, and the versions of Python and
NumPy. There is nothing to invalidate; an entry that no longer fits is simply never found. Faults
are not kept, since they say nothing about the exercise.
"""

import contextlib
import hashlib
import json
import os
import platform
import tempfile
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

from grader.authoring.verify.proof import SCHEMA, Proof, proof_data, proof_from_data

_SOURCES = frozenset({".py", ".html", ".css", ".js", ".json"})
_KEPT = 5_000  # entries; then the oldest go


def cache_folder() -> Path:
    """Return where this user's programs keep what they could make again."""
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path.home() / ".cache"  # noqa: PTH117  empty is no path
    return base / "etude" / "verify"


def fingerprint(folders: Iterable[Path]) -> str:
    """Hash the sources in folders, and the versions that they run on."""
    total = hashlib.sha256(SCHEMA.encode())
    total.update(f"{platform.python_version()} {metadata.version('numpy')}".encode())
    for folder in folders:
        for path in sorted(_sources(os.fspath(folder))):
            total.update(path[len(os.fspath(folder)) :].encode())
            total.update(Path(path).read_bytes())
    return total.hexdigest()


def _sources(folder: str) -> Iterable[str]:
    for found in os.scandir(folder):
        if found.is_dir(follow_symlinks=False):
            if found.name != "__pycache__":
                yield from _sources(found.path)
        elif os.path.splitext(found.name)[1] in _SOURCES:  # noqa: PTH122  hundreds of files
            yield found.path


class ProofCache:
    """Proofs on disk. What cannot be read or written is as if it were not there.

    Args:
        folder: is made when the first proof is kept.
        print_of_sources: see `fingerprint`.
    """

    def __init__(self, folder: Path, print_of_sources: str) -> None:
        self._folder = folder
        self._print = print_of_sources

    def find(self, contents: Iterable[bytes]) -> Proof | None:
        """Return the proof of what has these contents, if it is known."""
        try:
            proof = proof_from_data(json.loads(self._path(contents).read_bytes()))
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return proof

    def keep(self, contents: Iterable[bytes], proof: Proof) -> None:
        """Remember a proof, whatever it says, unless it is of a fault."""
        if proof.status == "fault":
            return
        data = json.dumps({**proof_data(proof, ""), "cached": True}).encode()
        with contextlib.suppress(OSError):
            path = self._path(contents)
            self._folder.mkdir(parents=True, exist_ok=True)
            # In one step, so that another run never reads half an entry.
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                file.write(data)
            Path(file.name).replace(path)

    def tidy(self) -> None:
        """Remove the oldest entries when there are too many."""
        with contextlib.suppress(OSError):
            entries = sorted(os.scandir(self._folder), key=lambda each: each.stat().st_mtime)
            for entry in entries[:-_KEPT]:
                os.unlink(entry.path)  # noqa: PTH108  an entry is no Path

    def _path(self, contents: Iterable[bytes]) -> Path:
        total = hashlib.sha256(self._print.encode())
        for each in contents:
            total.update(hashlib.sha256(each).digest())
        return self._folder / f"{total.hexdigest()}.json"
