"""The engine: one sandbox and one long pytest session, which grades all jobs in turn."""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.definitions.exercise import Exercise, TestId
from grader.errors import EtudeError, GraderFault
from grader.grading.diagnosis.explanation import explain
from grader.grading.expected.oracle import Oracle, ValueCache
from grader.grading.program.author_code import provide_data_files
from grader.grading.results import journal
from grader.grading.results.jobs import Job, JobOptions, Result
from grader.grading.results.verdict import Outcome, TestResult, Verdict
from grader.grading.results.verdict_json import result_data, verdict_data
from grader.grading.run.submission_run import MAX_CHILDREN, SubmissionRun, order_tests
from grader.grading.session.lru_cache import MAX_EXERCISES, LruCache
from grader.grading.session.proof_evidence import (
    collect_evidence,
    find_changed_inputs,
    find_changed_outcomes,
    find_changed_values,
    summarize_inputs,
)
from grader.grading.submissions.submission import Submission
from grader.sandbox.interface import GradingSandbox
from grader.sandbox.limits import Limits

if TYPE_CHECKING:
    from grader.definitions.exercise import TestCase
    from grader.grading.diagnosis.diagnostician import Diagnostician
    from grader.grading.results.verdict import Diagnosis, LineShape, SmallExample


class NotPassedError(Exception):
    """A test case did not pass. pytest reports it as a failure with the learner's sentence."""

    def __init__(self, result: TestResult) -> None:
        self.result = result
        super().__init__(f"{result.outcome}: {result.message}")


class TestCaseItem(pytest.Item):
    """One test case, graded on a submission. `run` must be set before the item is run."""

    __test__ = False  # keeps pytest from collecting this class

    def __init__(
        self,
        *,
        case: "TestCase",
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.case = case
        self.result: TestResult | None = None
        self.fault: EtudeError | None = None
        self.hook = self.ihook  # cached: each access of `ihook` looks for a conftest.py
        self.run: SubmissionRun | None = None

    def runtest(self) -> None:
        """Grade the case; raise an error unless it passes."""
        assert self.run is not None  # for the type checker
        self.result = self.fault = None
        self._report_sections.clear()  # the item serves many submissions
        try:
            self.result = self.run.grade_test(self.case)
        except EtudeError as error:
            self.fault = error
            raise
        if self.result.output:
            self.add_report_section("call", "submission printed", self.result.output)
        if self.result.outcome is not Outcome.PASSED:
            raise NotPassedError(self.result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *_: object) -> str:
        """Return the learner's sentence in place of a traceback."""
        if isinstance(excinfo.value, NotPassedError):
            result = excinfo.value.result
            line = f" (line {result.line})" if result.line else ""
            return f"{result.outcome}{line}: {result.message}"
        if isinstance(excinfo.value, EtudeError):
            return f"could not be graded: {excinfo.value}"
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the place of the definition and a name, without the description if hidden."""
        description = "" if self.case.hidden else self.case.description
        name = f"{self.case.id}: {description}" if description else str(self.case.id)
        return self.case.where.path, self.case.where.line - 1, name


# Plugins that the session does not need. Each costs time at every start or for every item.
_PLUGINS_OFF = (
    "cacheprovider", "capture", "debugging", "doctest", "faulthandler", "junitxml", "legacypath",
    "logging", "monkeypatch", "pastebin", "python_path", "recwarn", "setuponly", "setupplan",
    "skipping", "stepwise", "subtests", "terminal", "threadexception", "tmpdir", "unittest",
    "unraisableexception", "warnings",
)  # fmt: skip

# Environment variables that change pytest's behaviour. A verdict must not depend on them.
_READ_BY_PYTEST = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "CI", "BUILD_NUMBER")

# A small number, since pytest's items take much memory but little time to make.
_MAX_EXERCISES_WITH_ITEMS = 32


def grade_all(
    jobs: Iterable[Job],
    sandbox: GradingSandbox,
    emit: Callable[[Job, Result], None],
    record: Callable[[str, Any], None] = lambda _kind, _content: None,
) -> None:
    """Grade every job in order.

    Args:
        record: Called with a kind of entry and its content during each job, see `journal`.

    Raises:
        GraderFault: The session itself failed; earlier results were emitted.
    """
    session = _GradingSession(jobs, sandbox, emit, record)
    off = [word for name in _PLUGINS_OFF for word in ("-p", f"no:{name}")]
    # pytest must not read the working directory: a learner's conftest.py must not run here.
    nothing_read = ["-c", os.devnull, "--rootdir=/", "--noconftest", "--disable-plugin-autoload"]
    settings = {name: os.environ.pop(name) for name in _READ_BY_PYTEST if name in os.environ}
    try:
        status = pytest.main([*off, "--assert=plain", *nothing_read], plugins=[session])
    finally:
        os.environ.update(settings)
    if session.stopped_by is not None:
        raise session.stopped_by
    if not session.finished:
        raise GraderFault(f"the pytest session ended early, with exit status {int(status)}")


def grade(
    exercise: Exercise,
    submission: Submission,
    sandbox: GradingSandbox,
    limits: Limits | None = None,
    *,
    options: JobOptions | None = None,
) -> Verdict:
    """Grade one submission.

    Raises:
        GraderFault, DefinitionError: The submission could not be graded.
    """
    results: list[Result] = []
    job = Job(exercise, submission, limits, options)
    grade_all([job], sandbox, lambda _, result: results.append(result))
    (result,) = results
    if isinstance(result, EtudeError):
        raise result
    return result


class _Item(TestCaseItem):
    """An item of the engine's session, which spares pytest a search for its location on disk."""

    @property
    def location(self) -> tuple[str, int, str]:
        """The place of the definition."""
        return os.fspath(self.case.where.path), self.case.where.line - 1, self.name


class _GradingSession:
    """A pytest plugin that runs our jobs in place of the collection and the run loop."""

    def __init__(
        self,
        jobs: Iterable[Job],
        sandbox: GradingSandbox,
        emit: Callable[[Job, Result], None],
        record: Callable[[str, Any], None],
    ) -> None:
        self.stopped_by: BaseException | None = None
        self.finished = False
        self._jobs = jobs
        self._sandbox = sandbox
        self._emit = emit
        self._record = record
        # Bounded caches, so that a worker's memory does not grow without limit.
        self._items = LruCache[list[TestCaseItem]](_MAX_EXERCISES_WITH_ITEMS)
        self._values = LruCache[ValueCache](MAX_EXERCISES)
        self._diagnosticians: LruCache[Diagnostician] = LruCache(MAX_EXERCISES)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Collect nothing, since each job brings its own items."""
        session.items = []
        session.testscollected = 0
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Grade the jobs; keep an error that stops the loop, since pytest would swallow it."""
        try:
            for job in self._jobs:
                try:
                    oracle = self._oracle(job)
                    with provide_data_files(job.exercise):
                        if job.options is None:
                            result: Result = self._grade_job(session, job, oracle, self._record)
                        else:
                            result = self._grade_with_options(session, job, job.options, oracle)
                except EtudeError as error:
                    result = error
                self._emit(job, result)
            self.finished = True
        except BaseException as error:  # noqa: BLE001  raised again by grade_all
            self.stopped_by = error
        return True

    def _oracle(self, job: Job) -> Oracle:
        """Return the oracle for a job; raise an error if the job cannot be graded here."""
        job.exercise.refuse_missing_packages(job.submission.source)
        if lacking := sorted(set(job.exercise.packages) - self._sandbox.packages):
            raise GraderFault(f"the sandbox was started without {', '.join(lacking)}")
        # All variants of an exercise share one cache of values.
        cache_key = (job.options and job.options.variant_of) or job.exercise.digest
        return Oracle(job.exercise, self._sandbox, self._values.get(cache_key, ValueCache))

    def _grade_job(
        self, session: pytest.Session, job: Job, oracle: Oracle, record: Callable[[str, Any], None]
    ) -> Verdict:
        """Run the tests of a job and explain the failures."""
        options = job.options
        items = self._items.get(
            job.exercise.digest,
            lambda: [
                _Item.from_parent(session, name=case.id, nodeid=case.id, case=case)
                for case in order_tests(job.exercise)
            ],
        )
        has_feedback = options is None or options.with_shapes
        with SubmissionRun(
            oracle,
            job.submission,
            self._sandbox,
            job.limits,
            with_values=has_feedback,
            # For a proof, one time-out is enough: the remaining tests would add nothing.
            max_children=MAX_CHILDREN if has_feedback else 1,
        ) as run:
            run.prepare()
            record(journal.BEGAN, time.monotonic())
            run.load()
            record(journal.LOADED, run.output)
            stop_at_failure = options is not None and options.stop_at_failure
            results = _run_items(items, run, record, stop_at_failure=stop_at_failure)
            evidence = collect_evidence(run) if options and options.with_evidence else None
        verdict = replace(run.verdict(results, self._sandbox.backend_name), evidence=evidence)
        if has_feedback:
            if verdict.outcome is not Outcome.PASSED and not verdict.message:
                record(journal.VERDICT, [verdict_data(verdict), run.best_effort.feedback_errors])
                verdict = self._explain(verdict, job, oracle, run, results)
            if options is not None:
                trace = partial(_trace_shapes, oracle, run, self._sandbox, results)
                verdict = replace(verdict, shapes=run.best_effort.make("shapes", trace, ()))
        return replace(verdict, feedback_errors=tuple(run.best_effort.feedback_errors))

    def _explain(
        self,
        verdict: Verdict,
        job: Job,
        oracle: Oracle,
        run: SubmissionRun,
        results: dict[TestId, TestResult],
    ) -> Verdict:
        """Add the results of searches, each imported only when a submission did not pass."""
        sandbox, source = self._sandbox, _source_of_one_file(run)

        def known_mistake() -> "Diagnosis | None":
            from grader.grading.diagnosis.diagnostician import Diagnostician

            diagnostician = self._diagnosticians.get(
                job.exercise.digest, lambda: Diagnostician(oracle, sandbox)
            )
            return diagnostician.diagnose(results, run.observed, run.deadline, source)

        def first_expression() -> "Diagnosis | None":
            from grader.grading.diagnosis.first_expression import find_first_wrong_expression

            if not source:
                return None
            return find_first_wrong_expression(oracle, source, sandbox, results)

        def small_example() -> "SmallExample | None":
            from grader.grading.diagnosis.small_example import find_small_example

            return find_small_example(oracle, job.submission, sandbox, results, run.observed)

        return explain(verdict, run, known_mistake, first_expression, small_example)

    def _grade_with_options(
        self, session: pytest.Session, job: Job, options: JobOptions, oracle: Oracle
    ) -> Verdict:
        """Grade a job and carry out the additional requests of its options."""
        if options.breaking_call is not None:
            from grader.grading.diagnosis.break_it import judge_breaking_call

            return judge_breaking_call(oracle, job.submission, self._sandbox, options.breaking_call)
        if options.wrong_program is None:
            return self._grade_job(session, job, oracle, self._record)

        def record_start(kind: str, content: object) -> None:
            # Each extra run gets its own time, but its results are not the job's.
            if kind == journal.BEGAN:
                self._record(kind, content)

        # Run the wrong program, then the job's program, then both again: the results of each must
        # not depend on the other.
        wrong_job = replace(job, submission=options.wrong_program, options=JobOptions())
        wrong = self._grade_job(session, wrong_job, oracle, record_start)
        verdict = self._grade_job(session, job, oracle, self._record)
        if verdict.has_timed_out:  # a second run would take as long and show nothing new
            return verdict
        wrong_again = self._grade_job(session, wrong_job, oracle, record_start)
        again = self._grade_job(session, job, oracle, record_start)
        assert verdict.evidence is not None  # `with_evidence` is set in such options
        evidence = replace(
            verdict.evidence,
            changed_outcomes=find_changed_outcomes(verdict, again),
            changed_wrong_outcomes=find_changed_outcomes(wrong, wrong_again),
            changed_inputs=find_changed_inputs(oracle),
            input_summary=summarize_inputs(oracle),
            changed_expected_values=find_changed_values(oracle),
        )
        return replace(verdict, evidence=evidence)


def _run_items(
    items: Iterable[TestCaseItem],
    run: SubmissionRun,
    record: Callable[[str, Any], None],
    *,
    stop_at_failure: bool,
) -> dict[TestId, TestResult]:
    """Run items as pytest does, but without set-up and tear-down, which they do not need.

    Args:
        stop_at_failure: Whether to stop after the first test that does not pass.

    Raises:
        GraderFault: pytest's report and our result disagree.
    """
    results: dict[TestId, TestResult] = {}
    for item in items:
        if run.will_restart_child:
            record(journal.BEGAN, time.monotonic())
        item.run = run
        call = pytest.CallInfo.from_call(
            partial(item.hook.pytest_runtest_call, item=item),
            when="call",
            reraise=(KeyboardInterrupt,),
        )
        report: pytest.TestReport = item.hook.pytest_runtest_makereport(item=item, call=call)
        if item.fault is not None:
            raise item.fault
        result = item.result
        if result is None or report.passed != (result.outcome is Outcome.PASSED):
            reason = call.excinfo.exconly() if call.excinfo else "the reports disagree"
            raise GraderFault(f"test {item.case.id!r} could not be run: {reason}")
        results[item.case.id] = result
        record(journal.RESULT, result_data(result))
        if stop_at_failure and not report.passed:
            break
    return results


def _source_of_one_file(run: SubmissionRun) -> str:
    """Return the source for searches that rewrite it; they support only programs of one file."""
    return "" if run.lines.files else run.source


def _trace_shapes(
    oracle: Oracle,
    run: SubmissionRun,
    sandbox: GradingSandbox,
    results: dict[TestId, TestResult],
) -> "tuple[LineShape, ...]":
    """Return the shapes on each line of a call, with the first wrong line marked."""
    from grader.grading.diagnosis.first_expression import find_place
    from grader.grading.diagnosis.line_shapes import trace_shapes

    source = _source_of_one_file(run)
    lines = trace_shapes(oracle, source, sandbox, results)
    place = find_place(oracle, source, sandbox, results)
    wrong = max((s.line for s in lines if place and s.line <= place.line), default=0)
    return tuple(replace(line, is_off_track=line.line == wrong) for line in lines)
