"""GitLab's template: its script, run line by line as one shell, on a project that is submitted."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import junitparser
import pytest
import yaml

from tests.integrations.conftest import USING, Finished, InContainer, MakeHostile, Run
from tests.integrations.hostile import EARNED, POSSIBLE

ROOT = Path(__file__).parent.parent.parent
BASH = shutil.which("bash") or "/bin/bash"
SUBMISSIONS = ROOT / "examples" / "submissions"
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


def source(student: str) -> str:
    return (SUBMISSIONS / student / "attention-weights.py").read_text()


@pytest.mark.slow
def test_a_right_submission_passes(job: Job, tmp_path: Path) -> None:
    """Etude comes at the tag that the template names; a JUnit report, and the score for a badge."""
    done = job({"attention_weights.py": source("correct")})
    assert done.returncode == 0, done.stderr
    assert coverage(done.stdout) == "100.0"
    report = junitparser.JUnitXml.fromfile(str(tmp_path / "project" / "etude-junit.xml"))
    assert (report.failures, report.errors) == (0, 0)


@pytest.mark.slow
@pytest.mark.release
def test_the_packages_of_a_course_are_installed(job: Job, with_packages: Path) -> None:
    """From the requirements in its collection."""
    done = job(
        {f"{name}.py": USING for name in ("double", "scaled")},
        ETUDE_ASSIGNED="double scaled",
        ETUDE_EXERCISES=str(with_packages),
    )
    assert (done.returncode, coverage(done.stdout)) == (0, "100.0"), done.stderr


@pytest.mark.slow
def test_a_wrong_submission_fails_with_its_score(job: Job, tmp_path: Path) -> None:
    """The status is 1, and what is reported is there all the same."""
    done = job({"attention-weights.py": source("unscaled")})
    assert done.returncode == 1, done.stderr
    assert 0 < float(coverage(done.stdout) or 0) < 100
    report = junitparser.JUnitXml.fromfile(str(tmp_path / "project" / "etude-junit.xml"))
    assert report.failures


@pytest.mark.slow
def test_one_file_that_is_missing_failed(job: Job) -> None:
    """Who deletes the one file that is graded has a score, as who submits an empty folder has."""
    done = job({"README.md": ""}, ETUDE_SUBMISSION="solution.py")
    assert (done.returncode, coverage(done.stdout)) == (1, "0.0"), done.stderr


def grade(project: Path, **variables: str) -> Finished:
    """Run the script in a project without installing anything."""
    return subprocess.run(
        [sys.executable, "-I", ROOT / "integrations" / "grade.py"],
        cwd=project,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_no_cache_of_the_checkout_is_believed(tmp_path: Path) -> None:
    """A definition that is kept in the checkout is neither read nor written there."""
    (tmp_path / "attention-weights.py").write_text(source("correct"))
    cache = tmp_path / "cache"
    done = grade(
        tmp_path,
        XDG_CACHE_HOME=str(cache),
        ETUDE_ASSIGNED="attention-weights",
        ETUDE_SUBMISSION="attention-weights.py",
    )
    assert done.returncode == 0, done.stderr
    assert not cache.exists()


@pytest.mark.slow
def test_a_folder_in_the_place_of_a_report_keeps_no_one_from_a_score(tmp_path: Path) -> None:
    """It is removed, and the report is written; what lies outside the checkout stays."""
    project, other = tmp_path / "project", tmp_path / "other"
    (project / "junit.xml" / "deep").mkdir(parents=True)
    (other / "html").mkdir(parents=True)
    (project / "link").symlink_to(other)
    (project / "attention-weights.py").write_text(source("unscaled"))
    done = grade(project, ETUDE_ASSIGNED="attention-weights", ETUDE_REPORTS="junit=junit.xml")
    assert (done.returncode, coverage(done.stdout)) == (1, "23.1"), done.stderr
    assert junitparser.JUnitXml.fromfile(str(project / "junit.xml")).failures
    for place in ("link/html", "..", ""):
        assert grade(project, ETUDE_REPORTS=f"html={place}").returncode == 2
    assert (other / "html").is_dir()
    assert (project / "attention-weights.py").is_file()


def test_no_requirements_of_the_submission_are_installed(
    tmp_path: Path, with_packages: Path
) -> None:
    """A student could have written them, and what pip installs runs in the grader."""
    shutil.copytree(with_packages, tmp_path / "course")
    (tmp_path / "course" / "requirements.txt").write_text("no-such-package==1\n")
    for submission in (".", "double.py"):
        (tmp_path / "double.py").write_text(USING)
        words = {"ETUDE_ASSIGNED": "double", "ETUDE_SUBMISSION": submission}
        done = grade(tmp_path, ETUDE_EXERCISES="course", **words)
        assert (done.returncode, "no-such-package" in done.stderr) == (2, False), done.stderr


def test_no_report_of_the_checkout_is_taken_for_ours(tmp_path: Path) -> None:
    """A forged one is gone, even if nothing can be graded."""
    (tmp_path / "junit.xml").write_text("<testsuites tests='13' failures='0'/>")
    done = grade(tmp_path, ETUDE_SUBMISSION="no folder", ETUDE_REPORTS="junit=junit.xml")
    assert done.returncode == 2
    assert not (tmp_path / "junit.xml").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "assigned"),
    [
        ("missing", "attention-weights token-lookup"),
        ("link", "attention-weights token-lookup"),
        ("behind a link", "attention-weights"),
    ],
)
def test_what_is_no_folder_failed(tmp_path: Path, kind: str, assigned: str) -> None:
    """Anyone who deletes the folder that is graded, or makes it a link, has a score of 0."""
    (tmp_path / "elsewhere" / "in").mkdir(parents=True)
    (tmp_path / "elsewhere" / "in" / "attention-weights.py").write_text(source("correct"))
    project = tmp_path / "project"
    project.mkdir()
    if kind == "link":
        (project / "in").symlink_to(tmp_path / "elsewhere" / "in")
    elif kind == "behind a link":
        (project / "week").symlink_to(tmp_path / "elsewhere")
    submission = "week/in" if kind == "behind a link" else "in"
    done = grade(project, ETUDE_ASSIGNED=assigned, ETUDE_SUBMISSION=submission)
    assert (done.returncode, coverage(done.stdout)) == (1, "0.0"), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("on_github", ["true", "false"])
def test_names_of_files_command_nothing(tmp_path: Path, on_github: str) -> None:
    """They are not options, lines or workflow commands, and control no terminal."""
    names = ["--help", "a\n::error::b", "::add-mask::x", "\x1b]0;title\x07", "=1+1", "<img src=x>"]
    for name in names:
        (tmp_path / name).mkdir()
        (tmp_path / name / "attention-weights.py").write_text(source("unscaled"))
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "attention-weights.py").symlink_to("/etc/passwd")
    done = grade(
        tmp_path,
        ETUDE_REPORTS="csv=r.csv markdown=r.md",
        GITHUB_ACTIONS=on_github,
        GITHUB_OUTPUT=str(tmp_path / "output"),
        GITHUB_STEP_SUMMARY=str(tmp_path / "summary"),
    )
    assert done.returncode == 1, done.stderr
    reports = [(tmp_path / name).read_text() for name in ("r.csv", "r.md")]
    for text in (done.stdout, done.stderr, *reports):
        assert not {"\x1b", "\x07"} & set(text)
        assert "root:" not in text
    commands = [line for line in done.stdout.splitlines() if line.startswith("::")]
    kinds = {line.split("::")[1].split(" ")[0] for line in commands}
    assert on_github == "false" or kinds == {"error", "notice"}  # no one else obeys a line
    assert not any(line.startswith("::error::b") for line in commands)


@pytest.mark.slow
@pytest.mark.release
def test_what_was_assigned_is_words(job: Job, tmp_path: Path) -> None:
    """Several ids make several exercises; a command among them is not run."""
    files = {"attention-weights.py": source("correct")}
    done = job(files, ETUDE_ASSIGNED="attention-weights token-lookup")
    assert (done.returncode, coverage(done.stdout)) == (1, "61.9"), done.stderr
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
    done = job({}, prefix=checkout.exposing(offline["PATH"]))
    assert checkout.ran == [], done.stderr
    assert done.returncode == 1, done.stderr
    assert coverage(done.stdout) == f"{100 * EARNED / POSSIBLE:.1f}"


@pytest.mark.slow
@pytest.mark.release
def test_a_fault_is_tried_again_and_has_no_score(job: Job) -> None:
    """Its status is the one that the template names for another try."""
    done = job({"attention-weights.py": source("correct")}, landlock=False)
    assert done.returncode == JOB["retry"]["exit_codes"] == 3, done.stderr
    assert coverage(done.stdout) is None


def test_the_report_that_is_uploaded_is_the_one_that_is_written() -> None:
    """Kept whether the job passed or failed."""
    artifacts = JOB["artifacts"]
    name = artifacts["reports"]["junit"]
    assert TEMPLATE["variables"]["ETUDE_REPORTS"] == f"junit={name}"
    assert name in artifacts["paths"]
    assert artifacts["when"] == "always"
