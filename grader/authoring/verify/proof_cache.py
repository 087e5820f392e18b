"""A cache of proofs by content, so that an unchanged exercise is not proven again.

The key hashes the definition's bytes and everything else that affects the result: the sources of
the grader, the reference and the site, and the versions of Python and NumPy. Faults are not stored,
because they say nothing about the exercise.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from grader.authoring.verify.proof import SCHEMA, Proof, make_proof_data, read_proof
from grader.disk_cache import Cache, compute_key


class ProofCache:
    """Proofs on disk; an unreadable entry counts as missing.

    Args:
        folder: The folder, created with the first proof; None to store nothing.
    """

    def __init__(self, folder: Path | None, print_of_sources: str) -> None:
        self._cache = Cache(folder, f"{SCHEMA} {print_of_sources}")

    def find(self, contents: Iterable[bytes]) -> Proof | None:
        """Return the stored proof for these contents, or None."""
        entry = self._cache.find(compute_key(contents))
        if entry is None:
            return None
        try:
            return read_proof(json.loads(entry))
        except (ValueError, KeyError, TypeError):
            return None

    def keep(self, contents: Iterable[bytes], proof: Proof) -> None:
        """Store a proof with any result except a fault."""
        if proof.status != "fault":
            data = {**make_proof_data(proof, ""), "cached": True}
            self._cache.keep(compute_key(contents), json.dumps(data).encode())

    def tidy(self) -> None:
        """Remove the oldest entries if there are too many."""
        self._cache.tidy()
