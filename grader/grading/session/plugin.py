"""The pytest plugin: `pytest exercises/attention --submission=FILE` grades a file, test by test.

The plugin is inactive without `--submission`. Use it only on your own work: pytest runs any
conftest.py and reads any settings in the folder of the exercises or above it, before this plugin
can check them.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.errors import EtudeError

if TYPE_CHECKING:
    from grader.definitions.exercise import TestCase
    from grader.grading.results.verdict import TestResult
    from grader.grading.run.submission_run import SubmissionRun
    from grader.sandbox.process import Sandbox

_SANDBOX: pytest.StashKey["Sandbox"] = pytest.StashKey()
_ETUDE = Path(__file__).resolve().parents[2]  # the checkout, if the installation is editable


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the command-line options."""
    group = parser.getgroup("etude", "grading a submission")
    group.addoption(
        "--submission",
        metavar="FILE",
        help="grade this file; collects the exercise that it is named after",
    )
    group.addoption(
        "--unsafe-no-sandbox", action="store_true", help="run the submission without isolation"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Refuse to start in a way in which pytest would run files beside the submission.

    This is refused even if there are no such files, so that it does not become a habit.

    Raises:
        UsageError: pytest was started in such a way.
    """
    submission = config.getoption("--submission")
    if not submission:
        return
    if "--submission" in config.invocation_params.args:
        raise pytest.UsageError(
            "with a blank after --submission pytest takes its settings from the folder of the "
            f"submission; write --submission={submission}"
        )
    exposed = {Path.cwd(), Path(submission).resolve().parent} - {_ETUDE}
    if exposed & {Path(entry).resolve() for entry in sys.path}:
        raise pytest.UsageError(
            "the folder of the submission, or the one you are in, is on Python's path, so files "
            "there could run in the grader; start 'pytest' or 'python -P -m pytest', without a "
            f"PYTHONPATH, or use 'etude check EXERCISE {submission}'"
        )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect an exercise's definition if the submission is for this exercise."""
    submission = parent.config.getoption("--submission")
    if (
        not submission
        or file_path.suffix not in (".yaml", ".yml")
        or file_path.name == "track.yaml"
    ):
        return None
    given_files = [Path(argument.partition("::")[0]).resolve() for argument in parent.config.args]
    if file_path.resolve() not in given_files:
        from grader.definitions.files import id_in_name  # here, to keep other runs of pytest fast
        from grader.grading.submissions.submitted_files import match_exercise

        ids = {id_in_name(path) for path in file_path.parent.iterdir()}
        exercise = match_exercise(ids, submission)
        if id_in_name(file_path) != exercise:
            return None
    return ExerciseFile.from_parent(parent, path=file_path)


class ExerciseFile(pytest.File):
    """One exercise and the submission to it."""

    def collect(self) -> Iterator[pytest.Item]:
        """Yield an item for each test case, visible ones first."""
        # Imported here to keep other runs of pytest fast.
        from grader.definitions.collection import load_exercise_file
        from grader.grading.run.submission_run import order_tests

        self._exercise = load_exercise_file(self.path)
        self._run: SubmissionRun | None = None
        for case in order_tests(self._exercise):
            yield TestCaseItem.from_parent(self, name=case.id, case=case)

    def open_run(self) -> "SubmissionRun":
        """Load the submission into a sandbox child, once for all tests of this file."""
        from grader.grading.expected.oracle import Oracle
        from grader.grading.run.submission_run import SubmissionRun
        from grader.grading.submissions.read_submission import read_submission
        from grader.sandbox.process import open_sandbox, open_unsafe

        if self._run is None:
            stash, options = self.config.stash, self.config.option
            submission = read_submission(
                Path(options.submission), self._exercise.files_to_submit
            ).part_for(self._exercise)
            packages = self._exercise.packages
            if _SANDBOX in stash and not stash[_SANDBOX].packages.issuperset(packages):
                stash[_SANDBOX].close()
                del stash[_SANDBOX]
            if _SANDBOX not in stash:
                start = open_unsafe if options.unsafe_no_sandbox else open_sandbox
                stash[_SANDBOX] = start(packages=packages)
            sandbox = stash[_SANDBOX]
            self._run = SubmissionRun(Oracle(self._exercise, sandbox), submission)
            self._run.load()
        return self._run

    def teardown(self) -> None:
        """End the child."""
        if self._run is not None:
            self._run.close()


class TestCaseItem(pytest.Item):
    """One test case, graded on the submission of its file."""

    __test__ = False  # keeps pytest from collecting this class

    def __init__(self, *, case: "TestCase", **options: Any) -> None:
        super().__init__(**options)
        self.case = case

    def runtest(self) -> None:
        """Grade the case; raise an error unless it passes."""
        assert isinstance(self.parent, ExerciseFile)  # for the type checker
        result = self.parent.open_run().grade_test(self.case)
        if result.output:
            self.add_report_section("call", "submission printed", result.output)
        if result.outcome != "passed":
            raise NotPassedError(result)

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


class NotPassedError(Exception):
    """A test case did not pass. pytest reports it as a failure with the learner's sentence."""

    def __init__(self, result: "TestResult") -> None:
        self.result = result
        super().__init__(f"{result.outcome}: {result.message}")


def pytest_collection_finish(session: pytest.Session) -> None:
    """Raise a usage error if no exercise was collected for the submission."""
    submission = session.config.getoption("--submission")
    if submission and not any(isinstance(item.parent, ExerciseFile) for item in session.items):
        name = Path(submission).name
        raise pytest.UsageError(
            f"no exercise here is named after {name!r}; give the exercise's YAML file instead: "
            f"pytest exercises/attention/13-attention-weights.yaml --submission={name}"
        )


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the sandbox."""
    if _SANDBOX in config.stash:
        config.stash[_SANDBOX].close()
