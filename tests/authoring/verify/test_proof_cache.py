"""Proofs are remembered by content, and forgotten when anything could change them."""

from dataclasses import replace
from pathlib import Path

import pytest

from grader.authoring.verify.check_names import CHECKS
from grader.authoring.verify.proof import SCHEMA, Counts, Proof, ProofFinding, make_record
from grader.authoring.verify.proof_cache import ProofCache

FINDING = ProofFinding("mutants-killed", "a message", 12, "- a\n+ b")
PROOF = Proof(
    "softmax",
    "abc",
    "not proven",
    (FINDING,),
    (ProofFinding("constants-rejected", "a note"),),
    ("results-repeat",),
    Counts(tests=3, mutants=20, killed=19),
    1.5,
)


def test_a_proof_is_found_by_the_same_content(tmp_path: Path) -> None:
    """As it was, and marked as known."""
    ProofCache(tmp_path / "new", "sources").keep([b"content"], PROOF)
    assert ProofCache(tmp_path / "new", "sources").find([b"content"]) == replace(PROOF, cached=True)


def test_other_content_or_other_sources_are_unknown(tmp_path: Path) -> None:
    """A changed definition or a changed grader never gets an old proof."""
    ProofCache(tmp_path, "sources").keep([b"content"], PROOF)
    assert ProofCache(tmp_path, "sources").find([b"changed"]) is None
    assert ProofCache(tmp_path, "changed").find([b"content"]) is None
    assert ProofCache(tmp_path, "sources").find([b"con", b"tent"]) is None


def test_a_fault_is_not_remembered(tmp_path: Path) -> None:
    """It says nothing about the exercise."""
    cache = ProofCache(tmp_path, "sources")
    cache.keep([b"content"], replace(PROOF, status="fault"))
    assert cache.find([b"content"]) is None


@pytest.mark.parametrize("damage", [b"", b"[]", b'{"exercise": 1}', b"\xff"])
def test_a_damaged_entry_is_no_entry(tmp_path: Path, damage: bytes) -> None:
    """It is proven again."""
    cache = ProofCache(tmp_path, "sources")
    cache.keep([b"content"], PROOF)
    (entry,) = tmp_path.iterdir()
    entry.write_bytes(damage)
    assert cache.find([b"content"]) is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """Verifying works without a cache."""
    (tmp_path / "file").write_text("")
    cache = ProofCache(tmp_path / "file" / "folder", "sources")
    cache.keep([b"content"], PROOF)
    assert cache.find([b"content"]) is None


def test_the_record_says_how_each_check_went() -> None:
    """Versioned, with every check of every exercise."""
    data = make_record({"a.yaml": PROOF}, "1.0")
    assert (data["schema"], data["proven"]) == (SCHEMA, False)
    (exercise,) = data["exercises"]
    assert exercise["checks"].keys() == CHECKS.keys()
    assert exercise["checks"]["mutants-killed"] == "failed"
    assert exercise["checks"]["results-repeat"] == "skipped"
    assert exercise["checks"]["solution-passes"] == "passed"
    assert list(exercise["findings"]) == [
        {
            "check": "mutants-killed",
            "message": "a message",
            "line": 12,
            "diff": "- a\n+ b",
            "change": "",
            "column": 1,
        }
    ]
