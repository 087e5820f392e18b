"""Every format for each kind of result, word for word.

`pytest tests/reports --update-goldens` writes the files of tests/golden/reports/ down again.
"""

from pathlib import Path

import pytest

from grader.reports.formats import FORMATS, find_function
from grader.reports.report import Batch, Report
from tests.conftest import Goldens

FOLDER = Path(__file__).parents[1] / "golden" / "reports"
SUFFIX = {
    "text": "txt", "plain": "txt", "github": "txt", "jsonl": "jsonl", "junit": "xml",
    "markdown": "md", "html": "html", "csv": "csv", "gradebook": "csv",
}  # fmt: skip
CASES = ("pass", "fail", "hidden", "load", "fault", "batch")

RUNNER = {
    "CLASSROOM": "cs101",
    "ASSIGNMENT": "attention",
    "SUBMISSION_TAG": "submit/20250615T150640Z-abc1234",
    "COMMIT_URL": "https://git.example/ada/commit/abc1234",
    "RELEASE_URL": "https://git.example/ada/releases/1",
    "USERNAME": "ada",
}


@pytest.fixture(autouse=True)
def _runner(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MODE", "REVIEW_URL", "GITHUB_ACTOR", "GITHUB_STEP_SUMMARY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in RUNNER.items():
        monkeypatch.setenv(name, value)


def golden_of(name: str, case: str) -> Path:
    return FOLDER / name / f"{case}.{SUFFIX.get(name, 'json')}"


def summary_of(case: str) -> Path:
    return FOLDER / "github" / f"{case}-summary.md"


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_each_case_looks_as_in_its_golden_file(
    name: str, case: str, cases: dict[str, Report | Batch], goldens: Goldens
) -> None:
    """A pass, a fail, a fail of hidden tests only, a problem with loading, a fault and a batch."""
    renderer = FORMATS[name]
    # What takes one student only gets several exercises of one.
    wanted = cases["homework" if case == "batch" and FORMATS[name].one_student else case]
    text = renderer.render(wanted)
    goldens.check(golden_of(name, case), text)


@pytest.mark.parametrize("case", CASES)
def test_the_job_summary_looks_as_in_its_golden_file(
    case: str, cases: dict[str, Report | Batch], goldens: Goldens
) -> None:
    """What GitHub shows on the page of a run."""
    job_summary = find_function(FORMATS["github"].appendix)
    wanted = cases[case]
    text = job_summary(wanted if isinstance(wanted, Batch) else Batch((wanted,)))
    goldens.check(summary_of(case), text)


def test_every_golden_file_is_of_a_format(goldens: Goldens) -> None:
    """No file is left of a format or a case that is gone."""
    compared = [golden_of(name, case) for name in FORMATS for case in CASES]
    compared += [summary_of(case) for case in CASES]
    goldens.check_all([path for path in FOLDER.rglob("*") if path.is_file()], compared)
