"""Grades submissions one after another: one sandbox, one long pytest session, oracles kept warm."""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from grader.definitions.exercise import Exercise, TestId
from grader.errors import EtudeError, GraderFault
from grader.grading.expected.independence import drawn_otherwise, ended_otherwise
from grader.grading.expected.oracle import Oracle, Truths
from grader.grading.results.jobs import Job, Probe, Result
from grader.grading.results.submission import Submission
from grader.grading.results.verdict import Diagnosis, Outcome, TestResult, Verdict
from grader.grading.results.verdict_json import result_data, verdict_data
from grader.grading.run.submission_run import SubmissionRun, in_running_order
from grader.grading.session import journal
from grader.grading.session.items import TestCaseItem
from grader.grading.session.lru_cache import MOST_EXERCISES, LruCache
from grader.sandbox.limits import Limits
from grader.sandbox.process import Sandbox

if TYPE_CHECKING:
    from grader.grading.diagnosis.known_mistakes import Diagnostician

# What a session of data-driven items has no use for; each costs time at every start or item.
_PLUGINS_OFF = (
    "cacheprovider", "capture", "debugging", "doctest", "faulthandler", "junitxml", "legacypath",
    "logging", "monkeypatch", "pastebin", "python_path", "recwarn", "setuponly", "setupplan",
    "skipping", "stepwise", "subtests", "terminal", "threadexception", "tmpdir", "unittest",
    "unraisableexception", "warnings",
)  # fmt: skip

# A verdict says the same wherever it is given.
_READ_BY_PYTEST = ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "CI", "BUILD_NUMBER")

# pytest's items take much memory and little time to make.
_MOST_WITH_ITEMS = 32


def _note_nothing(_kind: str, _content: object) -> None:
    """Take no notes."""


def grade_all(
    jobs: Iterable[Job],
    sandbox: Sandbox,
    emit: Callable[[Job, Result], None],
    note: Callable[[str, Any], None] = _note_nothing,
) -> None:
    """Grade every job in order and hand out each result as it comes.

    Args:
        jobs: what to grade.
        sandbox: where submissions run.
        emit: takes each result.
        note: takes what is known of a job before its result, see `journal`.

    Raises:
        GraderFault: the session itself broke; the jobs before that were handed out.
    """
    session = _GradingSession(jobs, sandbox, emit, note)
    off = [word for name in _PLUGINS_OFF for word in ("-p", f"no:{name}")]
    # Nothing of the working directory is read: a learner's conftest.py must not run here.
    nothing_read = ["-c", os.devnull, "--rootdir=/", "--noconftest", "--disable-plugin-autoload"]
    with _no_pytest_settings():
        status = pytest.main([*off, "--assert=plain", *nothing_read], plugins=[session])
    if session.stopped_by is not None:
        raise session.stopped_by
    if not session.finished:
        raise GraderFault(f"the pytest session ended early, with exit status {int(status)}")


def grade(
    exercise: Exercise,
    submission: Submission,
    sandbox: Sandbox,
    limits: Limits | None = None,
) -> Verdict:
    """Grade one submission.

    Raises:
        GraderFault, DefinitionError: it could not be graded.
    """
    results: list[Result] = []
    job = Job(exercise, submission, limits)
    grade_all([job], sandbox, lambda _, result: results.append(result))
    (result,) = results
    if isinstance(result, EtudeError):
        raise result
    return result


@contextlib.contextmanager
def _no_pytest_settings() -> Iterator[None]:
    """Keep away what was meant for someone's own pytest runs, or makes pytest say more in a CI."""
    kept = {name: os.environ.pop(name) for name in _READ_BY_PYTEST if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(kept)


class _Item(TestCaseItem):
    """An item of which nobody asks where it stands: pytest would look for it in the file system."""

    @property
    def location(self) -> tuple[str, int, str]:
        """Name the definition as it is."""
        return os.fspath(self.case.where.path), self.case.where.line - 1, self.name


class _GradingSession:
    """A pytest plugin that replaces collection and the run loop by our jobs."""

    def __init__(
        self,
        jobs: Iterable[Job],
        sandbox: Sandbox,
        emit: Callable[[Job, Result], None],
        note: Callable[[str, Any], None],
    ) -> None:
        self.stopped_by: BaseException | None = None
        self.finished = False
        self._jobs = jobs
        self._sandbox = sandbox
        self._emit = emit
        self._note = note
        # Kept for the exercises that came last, so that a worker stops growing.
        self._items = LruCache[list[TestCaseItem]](_MOST_WITH_ITEMS)
        self._truths = LruCache[Truths](MOST_EXERCISES)
        self._diagnosticians: LruCache[Diagnostician] = LruCache(MOST_EXERCISES)
        self._run: SubmissionRun | None = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> bool:
        """Collect nothing: the items come with the jobs."""
        session.items = []
        session.testscollected = 0
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Grade the jobs. What stops the loop is kept, since pytest would swallow it."""
        try:
            for job in self._jobs:
                self._emit(job, self._result(session, job))
            self.finished = True
        except BaseException as error:  # noqa: BLE001  raised again by grade_all
            self.stopped_by = error
        return True

    def _result(self, session: pytest.Session, job: Job) -> Result:
        try:
            return self._grade(session, job)
        except EtudeError as error:
            return error

    def _grade(self, session: pytest.Session, job: Job) -> Verdict:
        digest = job.exercise.digest
        shared = (job.probe and job.probe.form_of) or digest  # by all forms of the exercise
        oracle = Oracle(job.exercise, self._sandbox, self._truths.get(shared, Truths))
        if job.probe is None or job.probe.beside is None:
            return self._verdict(session, job, oracle, self._note)
        return self._verdict_beside(session, job, job.probe.beside, oracle)

    def _verdict_beside(
        self, session: pytest.Session, job: Job, beside: Submission, oracle: Oracle
    ) -> Verdict:
        """Grade a wrong program before the job's, and both again: neither may notice the other."""
        other = replace(job, submission=beside, probe=Probe())

        def note(kind: str, content: object) -> None:
            if kind == journal.BEGAN:  # each has its own time; the results are not the job's
                self._note(kind, content)

        wrong = self._verdict(session, other, oracle, note)
        verdict = self._verdict(session, job, oracle, self._note)
        wrong_again = self._verdict(session, other, oracle, note)
        again = self._verdict(session, job, oracle, note)
        assert verdict.evidence is not None  # noqa: S101  whoever asks for this asks for that
        evidence = replace(
            verdict.evidence,
            changed=ended_otherwise(verdict, again),
            changed_beside=ended_otherwise(wrong, wrong_again),
            redrawn=drawn_otherwise(oracle),
        )
        return replace(verdict, evidence=evidence)

    def _verdict(
        self,
        session: pytest.Session,
        job: Job,
        oracle: Oracle,
        note: Callable[[str, Any], None],
    ) -> Verdict:
        items = self._items_of(session, job.exercise)
        learner_reads = job.probe is None
        with SubmissionRun(
            oracle, job.submission, self._sandbox, job.limits, with_values=learner_reads
        ) as run:
            self._run = run
            run.prepare()
            note(journal.BEGAN, time.monotonic())
            run.load()
            note(journal.LOADED, run.output)
            stop = job.probe is not None and job.probe.first_failure
            results = _run_items(items, note, stop=stop)
            evidence = run.evidence() if job.probe is not None and job.probe.evidence else None
        verdict = replace(run.verdict(results, self._sandbox.backend.name), evidence=evidence)
        if verdict.outcome is Outcome.PASSED or verdict.message or job.probe is not None:
            return verdict
        note(journal.VERDICT, verdict_data(verdict))
        return replace(verdict, diagnosis=self._diagnosis(oracle, results, run))

    def _diagnosis(
        self,
        oracle: Oracle,
        results: Mapping[TestId, TestResult],
        run: SubmissionRun,
    ) -> Diagnosis | None:
        from grader.grading.diagnosis.known_mistakes import Diagnostician  # noqa: PLC0415  a pass needs none

        diagnostician = self._diagnosticians.get(
            oracle.exercise.digest, lambda: Diagnostician(oracle, self._sandbox)
        )
        return diagnostician.diagnose(results, run.observed, run.deadline)

    def _items_of(self, session: pytest.Session, exercise: Exercise) -> list[TestCaseItem]:
        """Make the items of an exercise, if it is not among those that came last."""
        return self._items.get(
            exercise.digest,
            lambda: [
                _Item.from_parent(
                    session, name=case.id, nodeid=case.id, case=case, run=self._current_run
                )
                for case in in_running_order(exercise)
            ],
        )

    def _current_run(self) -> SubmissionRun:
        if self._run is None:
            raise GraderFault("a test case was run without a submission")
        return self._run


def _run_items(
    items: Iterable[TestCaseItem], note: Callable[[str, Any], None], *, stop: bool
) -> dict[TestId, TestResult]:
    """Run items in order; if `stop`, up to the first that does not pass."""
    results = {}
    for item in items:
        result = results[item.case.id] = _run_item(item)
        note(journal.RESULT, result_data(result))
        if stop and result.outcome is not Outcome.PASSED:
            break
    return results


def _run_item(item: TestCaseItem) -> TestResult:
    """Run one item as pytest does, without the set-up and tear-down that it has none of.

    pytest's report and our result must say the same: two witnesses for each point.
    """
    hook = item.hook
    call = pytest.CallInfo.from_call(
        lambda: hook.pytest_runtest_call(item=item), when="call", reraise=(KeyboardInterrupt,)
    )
    report: pytest.TestReport = hook.pytest_runtest_makereport(item=item, call=call)
    if item.fault is not None:
        raise item.fault
    if item.result is None or report.passed != (item.result.outcome is Outcome.PASSED):
        said = call.excinfo.exconly() if call.excinfo else "the reports disagree"
        raise GraderFault(f"test {item.case.id!r} could not be run: {said}")
    return item.result
