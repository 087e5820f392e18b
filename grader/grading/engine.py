"""Grades submissions one after another: one sandbox, one long pytest session, oracles kept warm."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from grader import __version__
from grader.definitions.exercise import Exercise, TestId
from grader.errors import EtudeError, GraderFault
from grader.grading.items import TestCaseItem
from grader.grading.jobs import Job, Result
from grader.grading.oracle import Oracle
from grader.grading.run import SubmissionRun, in_running_order, verdict_outcome
from grader.grading.submission import Submission
from grader.grading.verdict import Outcome, TestResult, Verdict
from grader.sandbox.limits import Limits
from grader.sandbox.process import Sandbox

if TYPE_CHECKING:
    from grader.grading.diagnosis import Diagnostician

# What a session of data-driven items has no use for; each costs time at every start or item.
_PLUGINS_OFF = (
    "cacheprovider", "capture", "debugging", "doctest", "faulthandler", "junitxml", "legacypath",
    "logging", "monkeypatch", "pastebin", "python_path", "recwarn", "setuponly", "setupplan",
    "skipping", "stepwise", "subtests", "terminal", "threadexception", "tmpdir", "unittest",
    "unraisableexception", "warnings",
)  # fmt: skip

_MOST_DIAGNOSTICIANS = 16  # exercises; a batch goes through them one after another


def grade_all(jobs: Iterable[Job], sandbox: Sandbox, emit: Callable[[Job, Result], None]) -> None:
    """Grade every job in order and hand out each result as it comes.

    Raises:
        GraderFault: the session itself broke; the jobs before that were handed out.
    """
    session = _GradingSession(jobs, sandbox, emit)
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
    """Keep options that were meant for someone's own pytest runs away from ours."""
    kept = {
        name: os.environ.pop(name)
        for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS")
        if name in os.environ
    }
    try:
        yield
    finally:
        os.environ.update(kept)


class _GradingSession:
    """A pytest plugin that replaces collection and the run loop by our jobs."""

    def __init__(
        self, jobs: Iterable[Job], sandbox: Sandbox, emit: Callable[[Job, Result], None]
    ) -> None:
        self.stopped_by: BaseException | None = None
        self.finished = False
        self._jobs = jobs
        self._sandbox = sandbox
        self._emit = emit
        self._exercises: dict[str, tuple[Oracle, list[TestCaseItem]]] = {}
        self._first_forms: dict[str, Oracle] = {}  # by the digest that their forms share
        self._known_mistakes: dict[str, Diagnostician] = {}
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
        oracle, items = self._prepared(session, job)
        with SubmissionRun(oracle, job.submission, self._sandbox, job.limits) as run:
            self._run = run
            run.load()
            results = _run_items(items, stop=job.probe is not None and job.probe.first_failure)
            evidence = run.evidence() if job.probe is not None and job.probe.evidence else None
        verdict = replace(self._verdict(job, run, results), evidence=evidence)
        if verdict.outcome is Outcome.PASSED or run.problem or job.probe is not None:
            return verdict
        diagnosis = self._diagnostician(oracle).diagnose(results, run.observed)
        return replace(verdict, diagnosis=diagnosis)

    def _diagnostician(self, oracle: Oracle) -> "Diagnostician":
        """Keep what is known of wrong programs, for the exercises that came last."""
        from grader.grading.diagnosis import Diagnostician  # noqa: PLC0415  a pass needs none

        digest = oracle.exercise.digest
        found = self._known_mistakes.pop(digest, None) or Diagnostician(oracle, self._sandbox)
        self._known_mistakes[digest] = found
        while len(self._known_mistakes) > _MOST_DIAGNOSTICIANS:
            del self._known_mistakes[next(iter(self._known_mistakes))]
        return found

    def _prepared(self, session: pytest.Session, job: Job) -> tuple[Oracle, list[TestCaseItem]]:
        """Make oracle and items of an exercise once."""
        exercise = job.exercise
        found = self._exercises.get(exercise.digest)
        if found is None:
            items = [
                TestCaseItem.from_parent(
                    session, name=case.id, nodeid=case.id, case=case, run=self._current_run
                )
                for case in in_running_order(exercise)
            ]
            shared = (job.probe and job.probe.form_of) or exercise.digest
            first = self._first_forms.setdefault(shared, Oracle(exercise, self._sandbox))
            found = self._exercises[exercise.digest] = (first.form(exercise), items)
        return found

    def _current_run(self) -> SubmissionRun:
        if self._run is None:
            raise GraderFault("a test case was run without a submission")
        return self._run

    def _verdict(
        self, job: Job, run: SubmissionRun, results: Mapping[TestId, TestResult]
    ) -> Verdict:
        outcome = run.outcome if run.problem else verdict_outcome(results)
        hidden_elsewhere = job.exercise.hidden_elsewhere
        earned = outcome is Outcome.PASSED and not hidden_elsewhere
        return Verdict(
            exercise=job.exercise.id,
            title=job.exercise.title,
            outcome=outcome,
            message=run.problem,
            line=run.line,
            tests=tuple(results[test.id] for test in job.exercise.tests if test.id in results),
            output=run.output,
            hidden_elsewhere=hidden_elsewhere,
            xp=job.exercise.xp if earned else 0,
            sandbox=self._sandbox.backend.name,
            exercise_hash=job.exercise.digest,
            submission_hash=job.submission.digest,
            grader_version=__version__,
        )


def _run_items(items: Iterable[TestCaseItem], *, stop: bool) -> dict[TestId, TestResult]:
    """Run items in order; if `stop`, up to the first that does not pass."""
    results = {}
    for item in items:
        result = results[item.case.id] = _run_item(item)
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
