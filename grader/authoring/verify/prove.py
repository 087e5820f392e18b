"""The proof of several exercises through one pool, which keeps every core busy."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from grader.authoring.verify import findings
from grader.authoring.verify.proof import Proof, ProofFinding, invalid_proof
from grader.authoring.verify.steps import ProofFacts, run_steps
from grader.authoring.verify.variants import RunGroup, VariantRun
from grader.definitions.exercise import Exercise
from grader.errors import DefinitionError, EtudeError
from grader.grading.jobs import Job, Result
from grader.grading.results.verdict import Verdict
from grader.grading.workers.pool import JobSource, WorkerPool

_AT_ONCE = 6  # exercises in parallel, so that a slow one does not leave cores idle


def prove(exercises: Iterable[Exercise], pool: WorkerPool) -> Iterator[tuple[Exercise, Proof]]:
    """Prove exercises, and yield each proof when it is done.

    Raises:
        SandboxFault: This host has no sandbox.
    """
    source = _ProofJobs(exercises)
    yield from source.pop_finished()
    for job, result in pool.grade(source):
        source.record_result(job, result)
        yield from source.pop_finished()


@dataclass(slots=True)
class _RunningProof:
    """One exercise whose proof is running."""

    facts: ProofFacts
    rounds: Iterator[list[VariantRun]]
    began: float | None = None  # time when its first job started
    worker: int | None = None  # the one that has prepared the exercise's oracle
    runs: list[VariantRun] = field(default_factory=list)  # the runs of the current round
    results: dict[tuple[RunGroup, str], Verdict] = field(default_factory=dict)
    is_done: bool = False


class _ProofJobs(JobSource):
    """The jobs of the proofs that are running; results may add new jobs."""

    def __init__(self, exercises: Iterable[Exercise]) -> None:
        self._exercises = iter(exercises)
        self._queue: list[tuple[_RunningProof, VariantRun]] = []
        self._open_count = 0
        self._finished: list[tuple[Exercise, Proof]] = []
        self._start_exercises()

    def job_for(self, worker: int) -> Job | None:
        """Return a job, preferably of an exercise that this worker has prepared, or None."""
        while self._queue:
            owners = [running.worker for running, _ in self._queue]
            place = next((owners.index(owner) for owner in (worker, None) if owner in owners), 0)
            running, run = self._queue.pop(place)
            if not running.is_done:
                running.worker = worker if running.worker is None else running.worker
                running.began = running.began or time.monotonic()
                return replace(run.job, tag=(running, run))
        return None

    def record_result(self, job: Job, result: Result) -> None:
        """Store a result; the last one of a round starts the next round."""
        running, run = job.tag
        if running.is_done:
            return
        if isinstance(result, EtudeError):
            self._finish(running, _make_failed_proof(running.facts.exercise, result))
        else:
            running.results[run.group, run.name] = result
            if len(running.results) == len(running.runs):
                # In the order of the runs, whichever came back first.
                for run in running.runs:
                    verdict = running.results[run.group, run.name]
                    running.facts.verdicts[run.group][run.name] = verdict
                self._queue_next_round(running)
        self._start_exercises()

    def pop_finished(self) -> Iterator[tuple[Exercise, Proof]]:
        """Yield the proofs that were completed since the last call."""
        while self._finished:
            yield self._finished.pop(0)

    def _start_exercises(self) -> None:
        while self._open_count < _AT_ONCE and (exercise := next(self._exercises, None)) is not None:
            facts = ProofFacts(exercise)
            self._open_count += 1
            self._queue_next_round(_RunningProof(facts, run_steps(facts)))

    def _queue_next_round(self, running: _RunningProof) -> None:
        """Queue the next round that has runs, ahead of other exercises' waiting jobs."""
        facts = running.facts
        try:
            place = 0 if running.runs else len(self._queue)
            running.results = {}
            running.runs = next(filter(None, running.rounds), [])
            self._queue[place:place] = [(running, run) for run in running.runs]
            if not running.runs:
                self._finish(running, _make_proof(facts, time.monotonic() - (running.began or 0.0)))
        except EtudeError as error:
            self._finish(running, _make_failed_proof(facts.exercise, error))

    def _finish(self, running: _RunningProof, proof: Proof) -> None:
        running.is_done = True
        self._open_count -= 1
        self._finished.append((running.facts.exercise, proof))


def _make_proof(facts: ProofFacts, seconds: float) -> Proof:
    problems = findings.find_problems(facts)
    return Proof(
        exercise=facts.exercise.id,
        digest=facts.exercise.digest,
        status="not proven" if problems else "proven",
        findings=problems,
        notes=tuple(findings.find_notes(facts)),
        skipped=findings.find_skipped(facts),
        counts=findings.count_programs(facts),
        reach=facts.evidence.input_summary if facts.evidence else {},
        seconds=seconds,
    )


def _make_failed_proof(exercise: Exercise, error: EtudeError) -> Proof:
    """Return the proof of an exercise that is invalid or met a grader fault."""
    if isinstance(error, DefinitionError):
        return invalid_proof(exercise.id, exercise.where.path, error.problems, exercise.digest)
    return Proof(exercise.id, exercise.digest, "fault", (ProofFinding("fault", str(error)),))
