"""The proof of an exercise: frozen types and their JSON."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self, TypeAlias

from grader.authoring.verify.checks import CHECKS
from grader.errors import Location

SCHEMA = "etude/proof/v1"

Status: TypeAlias = Literal["proven", "not proven", "invalid", "fault"]


@dataclass(frozen=True, slots=True)
class ProofFinding:
    """One thing that is not as it should be, or that its author should know."""

    check: str
    message: str
    line: int = 1  # a line of the definition
    diff: str = ""  # the mutant's diff
    change: str = ""  # a surviving mutant's name in `equivalent`
    column: int = 1

    @classmethod
    def at(
        cls, check: str, message: str, where: Location, diff: str = "", change: str = ""
    ) -> Self:
        """Return a finding at a place of the definition."""
        return cls(check, message, where.line, diff, change, where.column)


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of tests, programs and mutants that were tried."""

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

    `findings` stand in the way, `notes` do not; `skipped` names checks that made no sense, since
    something else has to be fixed first.
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
    reach: Mapping[str, Any] = field(
        default_factory=dict
    )  # reach of the inputs; see `summarize_inputs`

    def failed(self, check: str) -> bool:
        """Return whether a check found something."""
        return any(finding.check == check for finding in self.findings)


def proof_data(proof: Proof, file: str) -> dict[str, Any]:
    """Return a proof as an object of JSON types; each check with its result."""
    data = asdict(proof)
    data["file"] = file
    data["checks"] = checked = {}
    unknown = proof.status in ("invalid", "fault")
    for name in CHECKS:
        skipped = unknown or name in proof.skipped
        checked[name] = "failed" if proof.failed(name) else "skipped" if skipped else "passed"
    return data


def record(proofs: Mapping[str, Proof], version: str) -> dict[str, Any]:
    """Return the record of a run, proofs by file: what `--format json` and `--output` give."""
    return {
        "schema": SCHEMA,
        "grader_version": version,
        "proven": all(proof.status == "proven" for proof in proofs.values()),
        "checks": CHECKS,
        "exercises": [proof_data(proof, file) for file, proof in proofs.items()],
    }
