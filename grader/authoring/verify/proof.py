"""The proof of an exercise as frozen types, and its JSON."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias

from grader.authoring.verify.check_names import CHECKS
from grader.errors import Location, Problem

SCHEMA = "etude/proof/v1"

Status: TypeAlias = Literal["proven", "not proven", "invalid", "fault"]


@dataclass(frozen=True, slots=True)
class ProofFinding:
    """A problem of an exercise, or a note for its author."""

    check: str
    message: str
    line: int = 1  # the line in the definition
    diff: str = ""  # the mutant's diff
    change: str = ""  # the surviving mutant's name for `equivalent`
    column: int = 1

    @classmethod
    def at(
        cls, check: str, message: str, where: Location, diff: str = "", change: str = ""
    ) -> Self:
        """Return a finding at a place in the definition."""
        return cls(check, message, where.line, diff, change, where.column)


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of tests, programs and mutants tried."""

    tests: int = 0
    hidden: int = 0
    misconceptions: int = 0
    rejected: int = 0
    mutants: int = 0
    killed: int = 0
    equivalent: int = 0


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of proving an exercise.

    `findings` prevent the proof, `notes` do not. `skipped` names checks that were meaningless
    because of other findings.
    """

    exercise: str
    digest: str
    status: Status
    findings: tuple[ProofFinding, ...] = ()
    notes: tuple[ProofFinding, ...] = ()
    skipped: tuple[str, ...] = ()
    counts: Counts = Counts()
    seconds: float = 0.0
    cached: bool = False
    # Coverage by the inputs; see `summarize_inputs`.
    reach: Mapping[str, Any] = field(default_factory=dict)

    def has_failed(self, check: str) -> bool:
        """Return whether a check has findings."""
        return any(finding.check == check for finding in self.findings)


def invalid_proof(name: str, path: Path, problems: Iterable[Problem], digest: str = "") -> Proof:
    """Return the proof of an exercise or a track that cannot be loaded or run."""
    findings = tuple(
        ProofFinding.at("definition", problem.message, problem.where)
        if problem.where.path == path
        else ProofFinding("definition", f"{problem.where}: {problem.message}")
        for problem in problems
    )
    return Proof(name, digest, "invalid", findings)


def make_proof_data(proof: Proof, file: str) -> dict[str, Any]:
    """Return a proof as JSON types; each check with its result."""
    data = asdict(proof)
    data["file"] = file
    data["checks"] = checked = {}
    unknown = proof.status in ("invalid", "fault")
    for name in CHECKS:
        skipped = unknown or name in proof.skipped
        checked[name] = "failed" if proof.has_failed(name) else "skipped" if skipped else "passed"
    return data


def read_proof(data: Mapping[str, Any]) -> Proof:
    """Return the proof that `make_proof_data` wrote.

    Raises:
        KeyError, TypeError: The data are not those of a proof.
    """
    parts = {
        "findings": tuple(ProofFinding(**finding) for finding in data["findings"]),
        "notes": tuple(ProofFinding(**note) for note in data["notes"]),
        "skipped": tuple(data["skipped"]),
        "counts": Counts(**data["counts"]),
    }
    return Proof(**{field.name: data[field.name] for field in fields(Proof)} | parts)


def make_record(proofs: Mapping[str, Proof], version: str) -> dict[str, Any]:
    """Return the record of a run as JSON types, with proofs by file."""
    return {
        "schema": SCHEMA,
        "grader_version": version,
        "proven": all(proof.status == "proven" for proof in proofs.values()),
        "checks": CHECKS,
        "exercises": [make_proof_data(proof, file) for file, proof in proofs.items()],
    }
