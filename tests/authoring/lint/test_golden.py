"""Broken exercises and tracks, one for each rule, and the exact words about each.

`pytest tests/authoring/lint --update-goldens` writes the words down again.
"""

import re
from pathlib import Path

import pytest

from grader.authoring.lint.catalogue import CATALOGUE
from grader.authoring.lint.lint_formats import to_lines
from grader.authoring.lint.lint_report import LintReport, lint
from grader.authoring.targets import TargetGroup
from grader.definitions.files import exercise_files
from sitegen.markdown import unshowable
from tests.authoring.golden_cases import LINT
from tests.conftest import Goldens

FOLDER = LINT.folder
CASES = LINT.names()
FREE = {"clean", "silenced", "lesson-text"}  # cases that are about no rule in particular
TOGETHER = {"later-prerequisite": {"invalid-definition"}}  # the loader says it of the track, too


def report_on(name: str) -> LintReport:
    path = Path(f"{name}.yaml")
    if path.exists():
        return lint([TargetGroup((path,))], unshowable=unshowable)
    track = TargetGroup(tuple(exercise_files(Path(name))), Path(name) / "track.yaml")
    return lint([track], unshowable=unshowable)


@pytest.fixture(scope="module")
def all_cases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every case: a rule may compare an exercise with those beside it."""
    folder = tmp_path_factory.mktemp("cases")
    for name in CASES:
        LINT.write(name, folder)
    return folder


@pytest.fixture(autouse=True)
def _in_folder(all_cases: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(all_cases)


@pytest.mark.parametrize("name", CASES)
def test_each_case_is_found_by_its_rule_alone_in_recorded_words(
    name: str, goldens: Goldens
) -> None:
    """File, line, column, code, level and message, and the sum of it all."""
    report = report_on(name)
    goldens.check(FOLDER / f"{name}.txt", "".join(f"{line}\n" for line in to_lines(report)))
    if name not in FREE:
        rules = {finding.rule.name for finding in report.findings}
        assert rules == {name} | TOGETHER.get(name, set())


def test_every_golden_file_is_of_a_case(goldens: Goldens) -> None:
    """No words are left of a case that is gone."""
    goldens.check_all([*FOLDER.glob("*.txt")], [FOLDER / f"{name}.txt" for name in CASES])


def test_every_rule_has_a_case() -> None:
    """Each rule has caught something, in a file that is called as it is."""
    assert {about.name for about in CATALOGUE.values()} == set(CASES) - FREE


def test_every_place_is_in_its_file() -> None:
    """Lines and columns count from one, and point at a character or right behind the last."""
    for name in CASES:
        for finding in report_on(name).findings:
            lines = finding.where.path.read_text("utf-8").split("\n")
            assert 1 <= finding.where.line <= len(lines)
            assert 1 <= finding.where.column <= len(lines[finding.where.line - 1]) + 1


def test_no_two_rules_share_a_code_or_a_name() -> None:
    """Codes are ETU and three digits; names are words joined by hyphens."""
    names = [about.name for about in CATALOGUE.values()]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"ETU[0-9]{3}", code) for code in CATALOGUE)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", name) for name in names)
