"""Every format for each kind of result, word for word.

`pytest tests/reports --update-goldens` writes the files of tests/golden/reports/ down anew.
"""

from pathlib import Path

import pytest

from grader.reports.formats import FORMATS
from grader.reports.report import Batch, Report

FOLDER = Path(__file__).parents[1] / "golden" / "reports"
SUFFIX = {
    "text": "txt", "plain": "txt", "github": "txt", "jsonl": "jsonl", "junit": "xml",
    "markdown": "md", "html": "html", "csv": "csv",
}  # fmt: skip
CASES = ("pass", "fail", "load", "fault", "batch")

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


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("case", CASES)
def test_each_case_looks_as_in_its_golden_file(
    name: str, case: str, cases: dict[str, Report | Batch], pytestconfig: pytest.Config
) -> None:
    """A pass, a fail, a problem with loading, a fault and a batch, in each format."""
    renderer = FORMATS[name].renderer()
    # What takes one student only gets several exercises of one.
    wanted = cases["homework" if case == "batch" and FORMATS[name].one_student else case]
    text = renderer.one(wanted) if isinstance(wanted, Report) else renderer.many(wanted)
    golden = FOLDER / name / f"{case}.{SUFFIX.get(name, 'json')}"
    if pytestconfig.getoption("--update-goldens"):
        golden.parent.mkdir(parents=True, exist_ok=True)
        golden.write_bytes(text.encode())
    assert text.encode() == golden.read_bytes()


@pytest.mark.parametrize("case", CASES)
def test_the_job_summary_looks_as_in_its_golden_file(
    case: str, cases: dict[str, Report | Batch], pytestconfig: pytest.Config
) -> None:
    """What GitHub shows on the page of a run."""
    renderer = FORMATS["github"].renderer()
    assert renderer.aside is not None
    wanted = cases[case]
    text = renderer.aside(wanted if isinstance(wanted, Batch) else Batch((wanted,)))
    golden = FOLDER / "github" / f"{case}-summary.md"
    if pytestconfig.getoption("--update-goldens"):
        golden.write_bytes(text.encode())
    assert text.encode() == golden.read_bytes()


def test_every_golden_folder_is_of_a_format() -> None:
    """No file is left of a format that is gone."""
    assert {path.name for path in FOLDER.iterdir()} == set(FORMATS)
