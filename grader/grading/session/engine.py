"""The engine: one sandbox, in which jobs are graded one after another."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from grader.errors import GraderFault
from grader.grading.expected.oracle import Oracle, ValueCache
from grader.grading.jobs import BreakingJob, Job, PairedJob
from grader.grading.program.author_code import provide_data_files
from grader.grading.results.journal import Record, record_nothing
from grader.grading.results.verdict import Verdict
from grader.grading.run.submission_run import MAX_CHILDREN, SubmissionRun
from grader.grading.session.grade_submission import grade_submission
from grader.sandbox.interface import GradingSandbox

if TYPE_CHECKING:
    from grader.grading.diagnosis.diagnostician import Diagnostician
    from grader.grading.results.verdict import Diagnosis, LineShape, SmallExample


_MAX_EXERCISES: Final = 1024  # exercises whose values and diagnosticians are kept, about 40 KB each
_Value = TypeVar("_Value")


class Engine:
    """A grader of jobs in one sandbox, which keeps what jobs on one exercise have in common."""

    def __init__(self, sandbox: GradingSandbox) -> None:
        self._sandbox = sandbox
        self._values = _LruCache[ValueCache]()
        self._diagnosticians: _LruCache[Diagnostician] = _LruCache()

    def grade(self, job: Job, record: Record = record_nothing) -> Verdict:
        """Return the verdict on a job.

        Raises:
            GraderFault, DefinitionError: The job cannot be graded.
        """
        # What only some jobs need is imported when they need it.
        oracle, options = self._oracle(job), job.options
        with provide_data_files(job.exercise):
            if isinstance(job, BreakingJob):
                from grader.grading.diagnosis.break_it import judge_breaking_call

                return judge_breaking_call(oracle, job.submission, job.call)
            if isinstance(job, PairedJob):
                from grader.grading.session.proof_evidence import grade_pair

                return grade_pair(job, oracle, self.grade, record)
            with SubmissionRun(
                oracle,
                job.submission,
                job.limits,
                with_values=options.with_feedback,
                # For a proof, one time-out is enough: the remaining tests would add nothing.
                max_children=MAX_CHILDREN if options.with_feedback else 1,
            ) as run:
                verdict = grade_submission(
                    run,
                    self._find_mistake,
                    _find_expression,
                    _find_example,
                    record=record,
                    stop_at_failure=options.stop_at_failure,
                    with_explanation=options.with_feedback,
                )
                if options.with_evidence:
                    from grader.grading.session.proof_evidence import collect_evidence

                    verdict = replace(verdict, evidence=collect_evidence(run))
            if options.with_shapes:
                no_shapes: tuple[LineShape, ...] = ()
                trace = partial(_trace_shapes, run)
                shapes = run.best_effort.make("shapes", trace, no_shapes)
                errors = tuple(run.best_effort.feedback_errors)
                verdict = replace(verdict, shapes=shapes, feedback_errors=errors)
            return verdict

    def _oracle(self, job: Job) -> Oracle:
        """Return the oracle for a job; raise an error if the job cannot be graded here."""
        job.exercise.refuse_missing_packages(job.submission.source)
        if lacking := sorted(set(job.exercise.packages) - self._sandbox.packages):
            raise GraderFault(f"the sandbox was started without {', '.join(lacking)}")
        # All variants of an exercise share one cache of values.
        cache_key = job.options.variant_of or job.exercise.digest
        return Oracle(job.exercise, self._sandbox, self._values.get(cache_key, dict))

    def _find_mistake(self, run: SubmissionRun) -> "Diagnosis | None":
        from grader.grading.diagnosis.diagnostician import Diagnostician

        diagnostician = self._diagnosticians.get(
            run.exercise.digest, lambda: Diagnostician(run.oracle)
        )
        return diagnostician.diagnose(run.results, run.observed, run.deadline, run.text_of_one_file)


class _LruCache(Generic[_Value]):
    """Values of the exercises that were used last, so that a worker does not grow forever."""

    def __init__(self) -> None:
        self._entries: OrderedDict[str, _Value] = OrderedDict()

    def get(self, key: str, make: Callable[[], _Value]) -> _Value:
        """Return the entry for a key; make it if it is missing."""
        if key not in self._entries:
            self._entries[key] = make()
        self._entries.move_to_end(key)
        if len(self._entries) > _MAX_EXERCISES:
            self._entries.popitem(last=False)
        return self._entries[key]


def _find_expression(run: SubmissionRun) -> "Diagnosis | None":
    from grader.grading.diagnosis.first_expression import find_first_wrong_expression

    text = run.text_of_one_file
    return find_first_wrong_expression(run.oracle, text, run.results) if text.source else None


def _find_example(run: SubmissionRun) -> "SmallExample | None":
    from grader.grading.diagnosis.small_example import find_small_example

    return find_small_example(run)


def _trace_shapes(run: SubmissionRun) -> "tuple[LineShape, ...]":
    """Return the shapes on each line of a call, with the first wrong line marked."""
    from grader.grading.diagnosis.first_expression import find_place
    from grader.grading.diagnosis.line_shapes import trace_shapes

    source, results = run.text_of_one_file.source, run.results
    lines = trace_shapes(run.oracle, source, results)
    place = find_place(run.oracle, source, results)
    wrong = max((s.line for s in lines if place and s.line <= place.line), default=0)
    return tuple(replace(line, is_off_track=line.line == wrong) for line in lines)
