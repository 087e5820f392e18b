"""The proof of several exercises through one pool, so that every core is busy."""

import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from grader.authoring.verify import findings
from grader.authoring.verify.locations import Locations
from grader.authoring.verify.proof import Proof, ProofFinding, Status
from grader.authoring.verify.steps import ProofFacts, Results, run_steps
from grader.authoring.verify.variants import VariantRun
from grader.definitions.exercise import Exercise
from grader.errors import DefinitionError, EtudeError
from grader.grading.results.jobs import Job, Result
from grader.grading.results.verdict import Verdict
from grader.grading.workers.pool import JobSource, Pool

_AT_ONCE = 6  # exercises under way: enough that a slow one does not leave the cores idle


def prove(exercises: Iterable[Exercise], pool: Pool) -> Iterator[tuple[Exercise, Proof]]:
    """Prove exercises and yield each proof as it is done.

    Raises:
        SandboxFault: There is no sandbox on this host.
    """
    proving = _Proving(exercises)
    yield from proving.finished()
    for job, result in pool.grade(proving):
        proving.take(job, result)
        yield from proving.finished()


@dataclass(slots=True)
class _ProofCase:
    """One exercise under way."""

    exercise: Exercise
    inquiry: Generator[Sequence[VariantRun], Results, ProofFacts]
    began: float | None = None  # when its first job was handed out
    worker: int | None = None  # who has its oracle, and what else takes time to make, at hand
    waiting: int = 0
    results: dict[str, Verdict] = field(default_factory=dict)
    is_done: bool = False


class _Proving(JobSource):
    """The jobs that are left to do, for the pool: results add new ones."""

    def __init__(self, exercises: Iterable[Exercise]) -> None:
        self._left = iter(exercises)
        self._jobs: list[tuple[_ProofCase, VariantRun]] = []
        self._out: dict[int, tuple[_ProofCase, VariantRun]] = {}  # jobs under way by their identity
        self._open = 0
        self._finished: list[tuple[Exercise, Proof]] = []
        self._begin()

    def job_for(self, worker: int) -> Job | None:
        """Return a job of an exercise that the worker has prepared already, if there is any."""
        while self._jobs:
            owners = [case.worker for case, _ in self._jobs]
            result = next((owners.index(each) for each in (worker, None) if each in owners), 0)
            case, run = self._jobs[result]
            del self._jobs[result]
            if not case.is_done:
                case.worker = worker if case.worker is None else case.worker
                case.began = case.began or time.monotonic()
                self._out[id(run.job)] = case, run
                return run.job
        return None

    def take(self, job: Job, result: Result) -> None:
        """Note a result; the last of a round leads to the next round."""
        case, run = self._out.pop(id(job))
        if case.is_done:
            return
        if isinstance(result, EtudeError):
            self._finish(case, without_proof(case.exercise, result))
        else:
            case.results[run.name] = result
            case.waiting -= 1
            if not case.waiting:
                self._go_on(case, case.results)
        self._begin()

    def finished(self) -> Iterator[tuple[Exercise, Proof]]:
        """Yield the proofs that were finished since."""
        while self._finished:
            yield self._finished.pop(0)

    def _begin(self) -> None:
        while self._open < _AT_ONCE and (exercise := next(self._left, None)) is not None:
            case = _ProofCase(exercise, run_steps(exercise))
            self._open += 1
            self._go_on(case, None)

    def _go_on(self, case: _ProofCase, results: Mapping[str, Verdict] | None) -> None:
        """Queue the next round that has anything to run, before what other exercises wait for."""
        try:
            while not case.waiting:
                first = results is None
                runs = next(case.inquiry) if results is None else case.inquiry.send(results)
                case.results = results = {}
                case.waiting = len(runs)
                place = len(self._jobs) if first else 0
                self._jobs[place:place] = [(case, run) for run in runs]
        except StopIteration as end:
            facts: ProofFacts = end.value
            places = Locations(case.exercise)
            result = findings.findings(facts, places)
            proof = Proof(
                exercise=case.exercise.id,
                digest=case.exercise.digest,
                status="not proven" if result else "proven",
                findings=result,
                notes=tuple(findings.notes(facts, places)),
                skipped=findings.skipped(facts),
                counts=findings.counts(facts),
                reach=facts.solution.evidence.reach if facts.solution.evidence else {},
                seconds=time.monotonic() - (case.began or 0.0),
            )
            self._finish(case, proof)
        except EtudeError as error:
            self._finish(case, without_proof(case.exercise, error))

    def _finish(self, case: _ProofCase, proof: Proof) -> None:
        case.is_done = True
        self._open -= 1
        self._finished.append((case.exercise, proof))


def without_proof(exercise: Exercise, error: EtudeError) -> Proof:
    """Return the proof of an exercise that is not valid, or that met a fault of ours."""
    status: Status = "invalid" if isinstance(error, DefinitionError) else "fault"
    if isinstance(error, DefinitionError):
        result = [
            ProofFinding.at("definition", each.message, each.where) for each in error.problems
        ]
    else:
        result = [ProofFinding("fault", str(error))]
    return Proof(exercise.id, exercise.digest, status, tuple(result))
