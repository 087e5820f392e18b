"""A cache of proofs by content: an exercise that has not changed is not proven again.

A proof is filed under a hash of the definition's bytes and of everything that could change what
comes out: the sources of the grader, the reference and the site, and the versions of Python and
NumPy. Faults are not kept, since they say nothing about the exercise.
"""

import json
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path

from grader.authoring.verify.proof import SCHEMA, Counts, Proof, ProofFinding, proof_data
from grader.disk_cache import Cache, compute_key


class ProofCache:
    """Proofs on disk. What cannot be read or written is as if it were not there.

    Args:
        folder: Is made when the first proof is kept; without one none is.
    """

    def __init__(self, folder: Path | None, print_of_sources: str) -> None:
        self._cache = Cache(folder, f"{SCHEMA} {print_of_sources}")

    def find(self, contents: Iterable[bytes]) -> Proof | None:
        """Return the proof of what has these contents, if it is known."""
        entry = self._cache.find(compute_key(contents))
        if entry is None:
            return None
        try:
            data = json.loads(entry)
            parts = {
                "findings": tuple(ProofFinding(**finding) for finding in data["findings"]),
                "notes": tuple(ProofFinding(**note) for note in data["notes"]),
                "skipped": tuple(data["skipped"]),
                "counts": Counts(**data["counts"]),
            }
            return Proof(**{field.name: data[field.name] for field in fields(Proof)} | parts)
        except (ValueError, KeyError, TypeError):
            return None

    def keep(self, contents: Iterable[bytes], proof: Proof) -> None:
        """Remember a proof, whatever it says, unless it is of a fault."""
        if proof.status != "fault":
            data = {**proof_data(proof, ""), "cached": True}
            self._cache.keep(compute_key(contents), json.dumps(data).encode())

    def tidy(self) -> None:
        """Remove the oldest entries when there are too many."""
        self._cache.tidy()
