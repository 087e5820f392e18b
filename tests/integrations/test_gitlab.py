"""GitLab's template: its script, run line by line as one shell, on a project that is submitted."""

import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import junitparser
import pytest
import yaml

from tests.integrations.conftest import Finished, InContainer, MakeHostile, Run, read_submission
from tests.integrations.hostile import EARNED, POSSIBLE

ROOT = Path(__file__).parent.parent.parent
BASH = shutil.which("bash") or "/bin/bash"
TEMPLATE: dict[str, Any] = yaml.safe_load(
    (ROOT / "integrations" / "gitlab" / ".gitlab-ci.yml").read_text()
)
JOB: dict[str, Any] = TEMPLATE["etude"]

Job: TypeAlias = Callable[..., Finished]


@pytest.fixture
def job(
    checkout: Path, run: Run, tmp_path: Path, in_container: InContainer, with_packages: Path
) -> Job:
    """Run the job's script in a project with some files."""

    def job(
        files: Mapping[str, str],
        *,
        landlock: bool = True,
        prefix: Sequence[str | Path] = (),
        **variables: str,
    ) -> Finished:
        tmp_path.chmod(0o755)
        project = tmp_path / "project"
        for name, source in files.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(source)
        script = "\n".join(["set -eo pipefail", *JOB["script"]])
        given = {
            **TEMPLATE["variables"],
            "ETUDE_REPOSITORY": checkout.as_uri(),
            "CI_PROJECT_DIR": str(project),
            **variables,
        }
        command = in_container(
            *prefix, BASH, "-c", script,
            visible=(tmp_path, with_packages.parent), without_landlock=not landlock,
        )  # fmt: skip
        return run(*command, cwd=project, **given, TMPDIR=str(tmp_path))

    return job


def coverage(log: str) -> str | None:
    """Return GitLab's value for the badge: the group of the pattern in the last matching line."""
    pattern = re.compile(JOB["coverage"].strip("/"), re.MULTILINE)
    found: list[str] = pattern.findall(log)
    return found[-1] if found else None


@pytest.mark.slow
def test_a_right_submission_passes(job: Job, tmp_path: Path) -> None:
    """Etude comes at the tag that the template names; a JUnit report, and the score for a badge."""
    finished = job({"attention_weights.py": read_submission("correct")})
    assert finished.returncode == 0, finished.stderr
    assert coverage(finished.stdout) == "100.0"
    report = junitparser.JUnitXml.fromfile(str(tmp_path / "project" / "etude-junit.xml"))
    assert (report.failures, report.errors) == (0, 0)


@pytest.mark.slow
def test_a_wrong_submission_fails_with_its_score(job: Job, tmp_path: Path) -> None:
    """The status is 1, and what is reported is there all the same."""
    finished = job({"attention-weights.py": read_submission("unscaled")})
    assert finished.returncode == 1, finished.stderr
    assert 0 < float(coverage(finished.stdout) or 0) < 100
    report = junitparser.JUnitXml.fromfile(str(tmp_path / "project" / "etude-junit.xml"))
    assert report.failures


@pytest.mark.slow
@pytest.mark.release
def test_what_was_assigned_is_words(job: Job, tmp_path: Path) -> None:
    """Several ids make several exercises; a command among them is not run."""
    files = {"attention-weights.py": read_submission("correct")}
    finished = job(files, ETUDE_ASSIGNED="attention-weights token-lookup")
    assert (finished.returncode, coverage(finished.stdout)) == (1, "61.9"), finished.stderr
    hostile = job(
        files, ETUDE_ASSIGNED="$(touch pwned) `touch pwned`", ETUDE_SUBMISSION="; touch pwned"
    )
    assert hostile.returncode == 2
    assert not (tmp_path / "project" / "pwned").exists()


@pytest.mark.slow
def test_nothing_of_the_project_runs_but_the_submission(
    job: Job, hostile: MakeHostile, offline: Mapping[str, str]
) -> None:
    """No module, program or setting that lies there, even with the project on the paths."""
    checkout = hostile("project")
    finished = job({}, prefix=checkout.exposing(offline["PATH"]))
    assert checkout.ran == [], finished.stderr
    assert finished.returncode == 1, finished.stderr
    assert coverage(finished.stdout) == f"{100 * EARNED / POSSIBLE:.1f}"


@pytest.mark.slow
@pytest.mark.release
def test_a_fault_is_tried_again_and_has_no_score(job: Job) -> None:
    """Its status is the one that the template names for another try."""
    finished = job({"attention-weights.py": read_submission("correct")}, landlock=False)
    assert finished.returncode == JOB["retry"]["exit_codes"] == 3, finished.stderr
    assert coverage(finished.stdout) is None


def test_the_report_that_is_uploaded_is_the_one_that_is_written() -> None:
    """Kept whether the job passed or failed."""
    artifacts = JOB["artifacts"]
    name = artifacts["reports"]["junit"]
    assert TEMPLATE["variables"]["ETUDE_REPORTS"] == f"junit={name}"
    assert name in artifacts["paths"]
    assert artifacts["when"] == "always"
