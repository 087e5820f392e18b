"""The proof of several exercises through one pool, which keeps every core busy."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from grader.authoring.verify import checks
from grader.authoring.verify.proof import Proof, ProofFinding, Status
from grader.authoring.verify.steps import ProofFacts, run_steps
from grader.authoring.verify.variants import RunGroup, VariantRun
from grader.definitions.exercise import Exercise
from grader.errors import DefinitionError, EtudeError
from grader.grading.results.jobs import Job, Result
from grader.grading.results.verdict import Verdict
from grader.grading.workers.pool import JobSource, Pool

# Exercises in parallel, enough that a slow one does not leave cores idle.
_AT_ONCE = 6


def prove(exercises: Iterable[Exercise], pool: Pool) -> Iterator[tuple[Exercise, Proof]]:
    """Prove exercises, and yield each proof when it is done.

    Raises:
        SandboxFault: This host has no sandbox.
    """
    proving = _Proving(exercises)
    yield from proving.pop_finished()
    for job, result in pool.grade(proving):
        proving.take(job, result)
        yield from proving.pop_finished()


@dataclass(slots=True)
class _ProofCase:
    """One exercise whose proof is running."""

    facts: ProofFacts
    rounds: Iterator[list[VariantRun]]
    began: float | None = None  # time when its first job started
    # The worker that has prepared the exercise's oracle and other costly parts.
    worker: int | None = None
    runs: list[VariantRun] = field(default_factory=list)  # the runs of the current round
    results: dict[tuple[RunGroup, str], Verdict] = field(default_factory=dict)
    is_done: bool = False


class _Proving(JobSource):
    """The source of jobs for the pool; results may add new jobs."""

    def __init__(self, exercises: Iterable[Exercise]) -> None:
        self._left = iter(exercises)
        self._jobs: list[tuple[_ProofCase, VariantRun]] = []
        self._out: dict[int, tuple[_ProofCase, VariantRun]] = {}  # running jobs by identity
        self._open = 0
        self._finished: list[tuple[Exercise, Proof]] = []
        self._begin()

    def job_for(self, worker: int) -> Job | None:
        """Return a job, preferably of an exercise that this worker has prepared, or None."""
        while self._jobs:
            owners = [case.worker for case, _ in self._jobs]
            place = next((owners.index(each) for each in (worker, None) if each in owners), 0)
            case, run = self._jobs.pop(place)
            if not case.is_done:
                case.worker = worker if case.worker is None else case.worker
                case.began = case.began or time.monotonic()
                self._out[id(run.job)] = case, run
                return run.job
        return None

    def take(self, job: Job, result: Result) -> None:
        """Store a result; the last one of a round starts the next round."""
        case, run = self._out.pop(id(job))
        if case.is_done:
            return
        if isinstance(result, EtudeError):
            self._finish(case, without_proof(case.facts.exercise, result))
        else:
            case.results[run.group, run.name] = result
            if len(case.results) == len(case.runs):
                for each in case.runs:
                    verdict = case.results[each.group, each.name]
                    case.facts.verdicts[each.group][each.name] = verdict
                self._go_on(case)
        self._begin()

    def pop_finished(self) -> Iterator[tuple[Exercise, Proof]]:
        """Yield the proofs that were completed since the last call."""
        while self._finished:
            yield self._finished.pop(0)

    def _begin(self) -> None:
        while self._open < _AT_ONCE and (exercise := next(self._left, None)) is not None:
            facts = ProofFacts(exercise)
            self._open += 1
            self._go_on(_ProofCase(facts, run_steps(facts)))

    def _go_on(self, case: _ProofCase) -> None:
        """Queue the next round that has runs, ahead of other exercises' waiting jobs."""
        facts = case.facts
        try:
            place = 0 if case.runs else len(self._jobs)
            case.results = {}
            case.runs = next(filter(None, case.rounds), [])
            self._jobs[place:place] = [(case, run) for run in case.runs]
            if not case.runs:
                self._finish(case, _proof(facts, time.monotonic() - (case.began or 0.0)))
        except EtudeError as error:
            self._finish(case, without_proof(facts.exercise, error))

    def _finish(self, case: _ProofCase, proof: Proof) -> None:
        case.is_done = True
        self._open -= 1
        self._finished.append((case.facts.exercise, proof))


def _proof(facts: ProofFacts, seconds: float) -> Proof:
    problems = checks.findings(facts)
    return Proof(
        exercise=facts.exercise.id,
        digest=facts.exercise.digest,
        status="not proven" if problems else "proven",
        findings=problems,
        notes=tuple(checks.notes(facts)),
        skipped=checks.skipped_checks(facts),
        counts=checks.counts(facts),
        reach=facts.evidence.input_summary if facts.evidence else {},
        seconds=seconds,
    )


def without_proof(exercise: Exercise, error: EtudeError) -> Proof:
    """Return the proof of an exercise that is invalid or met a grader fault."""
    status: Status = "invalid" if isinstance(error, DefinitionError) else "fault"
    if isinstance(error, DefinitionError):
        findings = [
            ProofFinding.at("definition", each.message, each.where) for each in error.problems
        ]
    else:
        findings = [ProofFinding("fault", str(error))]
    return Proof(exercise.id, exercise.digest, status, tuple(findings))
