"""The GitHub Action and the workflows, run step by step as the runner runs them.

What is not run here is GitHub itself: actions that a step `uses` are looked at, not executed.
"""

import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import junitparser
import pytest
import yaml

from tests.integrations.conftest import USING, InContainer, MakeHostile, Run, read_submission
from tests.integrations.github_runner import COMMANDS, FOLDER, OPTIONS, Runner
from tests.integrations.hostile import EARNED, POSSIBLE

ROOT = Path(__file__).parent.parent.parent
NOBODY = 65534


Grade: TypeAlias = Callable[..., tuple[int, Runner]]


@pytest.fixture(scope="module")
def action() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((FOLDER / "action.yml").read_text())
    return loaded


@pytest.fixture(scope="module")
def temp(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runner's folder for temporary files: what is installed there stays for the next test."""
    return tmp_path_factory.mktemp("runner-temp")


@pytest.fixture
def grade(action: dict[str, Any], temp: Path, checkout: Path, run: Run, tmp_path: Path) -> Grade:
    """Run the action with inputs, on files by their names; returns the status and the runner."""

    def grade(
        files: Mapping[str, str], inputs: Mapping[str, str], **kwargs: Any
    ) -> tuple[int, Runner]:
        workspace = tmp_path / "workspace"
        for name, source in files.items():
            (workspace / name).parent.mkdir(parents=True, exist_ok=True)
            (workspace / name).write_text(source)
        (tmp_path / "summary.md").touch()
        given = {name: about["default"] for name, about in action["inputs"].items()}
        action_path = checkout / "integrations" / "github"
        settings = {"temp": temp, **kwargs}
        runner = Runner(
            run, workspace, action_path=action_path, inputs={**given, **inputs}, **settings
        )
        status = runner.steps(action["runs"]["steps"])
        runner.outputs["action"] = {
            name: runner.evaluate(about["value"]) for name, about in action["outputs"].items()
        }
        return status, runner

    return grade


@pytest.mark.slow
def test_a_right_submission_passes(grade: Grade) -> None:
    """Status 0, outputs, a job summary, an annotation and a JUnit file that parses."""
    files = {"attention_weights.py": read_submission("correct")}
    status, runner = grade(files, {"exercise": "attention-weights"})
    assert status == 0, runner.log
    assert runner.outputs["action"] == {"outcome": "passed", "score": "13", "max-score": "13"}
    assert "::notice title=Compute attention weights::Passed: 13/13 points" in runner.log
    assert "Compute attention weights" in runner.summary
    report = junitparser.JUnitXml.fromfile(str(runner.workspace / "etude-junit.xml"))
    assert (report.failures, report.errors) == (0, 0)
    assert report.tests


@pytest.mark.slow
@pytest.mark.release
def test_the_packages_of_a_course_are_installed(grade: Grade, with_packages: Path) -> None:
    """From the requirements in the collection that the input names."""
    paths = [path for path in with_packages.rglob("*") if path.is_file()]
    files = {f"course/{path.relative_to(with_packages)}": path.read_text() for path in paths}
    files |= {f"submitted/{name}.py": USING for name in ("double", "scaled")}
    inputs = {"exercise": "double scaled", "exercises": "course", "submission": "submitted"}
    status, runner = grade(files, inputs)
    assert status == 0, runner.log
    assert runner.outputs["action"]["score"] == runner.outputs["action"]["max-score"] == "10"


@pytest.mark.slow
def test_a_wrong_submission_fails_where_it_is_wrong(grade: Grade) -> None:
    """Status 1, the score all the same, annotations at the file; one file by its path."""
    files = {"homework/mine.py": read_submission("unscaled")}
    inputs = {
        "exercise": "attention-weights",
        "submission": "homework/mine.py",
        "reports": "json=result.json\njunit=out.xml html=out.html",
    }
    status, runner = grade(files, inputs)
    assert status == 1, runner.log
    outputs = runner.outputs["action"]
    assert outputs["outcome"] == "not passed"
    assert 0 < int(outputs["score"]) < int(outputs["max-score"]) == 13
    assert "::error file=homework/mine.py" in runner.log
    assert {"result.json", "out.xml", "out.html"} <= {
        path.name for path in runner.workspace.iterdir()
    }


@pytest.mark.slow
def test_a_private_collection_beside_a_checkout(
    action: dict[str, Any], grade: Grade, run: Run, tmp_path: Path
) -> None:
    """The course's workflow: two checkouts, and the hidden tests are in the course's alone."""
    workflow = yaml.safe_load((FOLDER / "grade-private.yml").read_text())
    course, handed_in, etude, _, upload = workflow["jobs"]["grade"]["steps"]
    asked = {"repository": "uni/ada", "exercise": "attention-weights"}
    runner = Runner(run, tmp_path, tmp_path, FOLDER, inputs=asked)
    inputs = {name: runner.evaluate(text) for name, text in etude["with"].items()}
    assert set(inputs) <= set(action["inputs"])
    assert "repository" not in course["with"]  # the workflow's own
    assert handed_in["with"]["repository"] == "${{ inputs.repository }}"
    places = course["with"]["path"], handed_in["with"]["path"]
    assert (f"{places[0]}/my-course", places[1]) == (inputs["exercises"], inputs["submission"])
    definition = (ROOT / "exercises" / "attention" / "13-attention-weights.yaml").read_text()
    track = "id: week\ntitle: Week\ndescription: x\nexercises: [attention-weights]\n"
    files = {
        "course/my-course/week/attention-weights.yaml": definition,
        "course/my-course/week/track.yaml": track,
        "submitted/attention-weights.py": read_submission("unscaled"),
        "submitted/my-course/week/attention-weights.yaml": "a student's own\n",
    }
    status, runner = grade(files, inputs)
    assert (status, runner.outputs["action"]["outcome"]) == (1, "not passed"), runner.log
    assert runner.outputs["action"]["max-score"] == "13"
    uploaded = upload["with"]["path"].split()
    assert [(runner.workspace / name).is_file() for name in uploaded] == [True, True]


@pytest.mark.slow
def test_wrong_use_is_no_verdict(grade: Grade) -> None:
    """Status 2, no score, and an annotation that says where to look."""
    status, runner = grade({"a.py": "x = 1\n"}, {"exercise": "atention-weights"})
    assert status == 2
    assert runner.outputs["action"] == {"outcome": "not graded", "score": "", "max-score": ""}
    assert "did you mean 'attention-weights'?" in runner.log
    assert "::error title=Etude::Nothing was graded." in runner.log


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_an_ordinary_user_without_user_namespaces(
    grade: Grade, in_container: InContainer, tmp_path: Path
) -> None:
    """As on a hosted runner: install and grading work, and the sandbox is Landlock's."""
    mine = tmp_path / "temp"
    mine.mkdir()
    (tmp_path / "workspace").mkdir()
    for path in (tmp_path, mine, tmp_path / "workspace"):
        shutil.chown(path, NOBODY)

    def prefix(*command: str | Path) -> list[str | Path]:
        (tmp_path / "summary.md").chmod(0o666)
        return in_container(*command, visible=(tmp_path,), user=NOBODY)

    inputs = {"exercise": "attention-weights", "reports": "json=result.json"}
    files = {"attention-weights.py": read_submission("correct")}
    status, runner = grade(files, inputs, temp=mine, prefix=prefix)
    assert status == 0, runner.log
    assert '"sandbox": "landlock"' in (runner.workspace / "result.json").read_text()


@pytest.mark.slow
def test_a_grader_fault_is_told_apart(
    grade: Grade, in_container: InContainer, tmp_path: Path, temp: Path
) -> None:
    """Where no sandbox works nothing is judged: status 3, no score, a report without one."""

    def prefix(*command: str | Path) -> list[str | Path]:
        return in_container(*command, visible=(tmp_path, temp), without_landlock=True)

    files = {"attention-weights.py": read_submission("correct")}
    inputs = {"exercise": "attention-weights", "reports": "json=result.json"}
    status, runner = grade(files, inputs, prefix=prefix)
    assert status == 3, runner.log
    assert runner.outputs["action"] == {"outcome": "fault", "score": "", "max-score": ""}
    assert "grader fault: no sandbox on this host" in runner.log
    assert '"score"' not in (runner.workspace / "result.json").read_text()
    assert "This could not be graded" in runner.summary


@pytest.mark.slow
def test_nothing_of_the_workspace_runs_but_the_submission(
    grade: Grade, hostile: MakeHostile, offline: Mapping[str, str], tmp_path: Path
) -> None:
    """No module, program or setting that lies there, even with the workspace on the paths."""
    checkout = hostile("workspace")
    (tmp_path / "temp").mkdir()

    def prefix(*command: str | Path) -> list[str | Path]:
        return [*checkout.exposing(offline["PATH"]), *command]

    inputs = {"exercise": "attention-weights"}
    status, runner = grade({}, inputs, temp=tmp_path / "temp", prefix=prefix)
    assert checkout.ran == [], runner.log
    assert status == 1, runner.log
    assert runner.outputs["action"] == {
        "outcome": "not passed",
        "score": str(EARNED),
        "max-score": str(POSSIBLE),
    }


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("name", ["exercise", "submission", "exercises", "reports", "etude"])
@pytest.mark.parametrize("text", [COMMANDS, OPTIONS], ids=["commands", "options"])
def test_an_input_is_never_a_program(grade: Grade, name: str, text: str) -> None:
    """Whatever an input holds is words to Etude or to pip: no command, and no option."""
    files = {"attention-weights.py": read_submission("correct")}
    status, runner = grade(files, {"exercise": "attention-weights", name: text})
    assert status in (1, 2), runner.log
    found = {path.name for path in (*runner.workspace.rglob("*"), *runner.temp.iterdir())}
    assert "pwned" not in found
    assert "WITHOUT a sandbox" not in runner.log
    assert set(runner.outputs.get("grade", {})) <= {"outcome", "score", "max-score"}


@pytest.mark.slow
def test_a_version_of_python_is_no_output_of_its_own(grade: Grade) -> None:
    """A version with a line feed in it sets no further output."""
    files = {"attention-weights.py": read_submission("correct")}
    inputs = {"exercise": "attention-weights", "python-version": "3.14\nscore=99"}
    _, runner = grade(files, inputs)
    assert runner.outputs["python"] == {"set-up": "yes"}


def set_up(runner: Runner) -> list[tuple[str, object]]:
    """Return the other actions that a run used, without that for pip's downloads."""
    return [each for each in runner.used if each[0] != "actions/cache"]


@pytest.mark.slow
@pytest.mark.release
def test_python_is_set_up_where_it_is_missing_or_asked_for(grade: Grade, tmp_path: Path) -> None:
    """By default the runner's own is good enough."""
    files = {"attention-weights.py": read_submission("correct")}
    inputs = {"exercise": "attention-weights"}
    _, runner = grade(files, inputs)
    assert set_up(runner) == []
    _, runner = grade(files, {**inputs, "python-version": "3.12"})
    assert set_up(runner) == [("actions/setup-python", {"python-version": "3.12"})]
    programs = tmp_path / "bin"
    programs.mkdir()
    status, runner = grade(files, inputs, path=str(programs))
    assert set_up(runner) == [("actions/setup-python", {"python-version": "3.14"})]
    assert status == 0, runner.log


@pytest.mark.slow
@pytest.mark.release
def test_a_given_wheel_is_what_grades(
    grade: Grade, checkout: Path, tmp_path: Path, run: Run
) -> None:
    """The input `etude` is for pip: a file of the repository, for example."""
    words = ("-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "wheel"))
    built = run(sys.executable, *words, cwd=checkout)
    assert built.returncode == 0, built.stderr
    (wheel,) = (tmp_path / "wheel").iterdir()
    mine = tmp_path / "temp"
    mine.mkdir()
    files = {"attention-weights.py": read_submission("correct")}
    inputs = {"exercise": "attention-weights", "etude": str(wheel)}
    status, runner = grade(files, inputs, temp=mine)
    assert status == 0, runner.log
    assert "Passed: 13/13 points" in runner.log  # by the exercises that the wheel brings


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.yml")), ids=lambda path: path.name)
def test_no_expression_stands_in_a_script(path: Path) -> None:
    """An expression is put in before the shell reads the line, so it may stand in `env` alone."""
    loaded = yaml.safe_load(path.read_text())
    steps = loaded["runs"]["steps"] if "runs" in loaded else []
    steps += [step for job in loaded.get("jobs", {}).values() for step in job["steps"]]
    scripts = [step["run"] for step in steps if "run" in step]
    assert scripts
    assert not [script for script in scripts if "${{" in script]


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.yml")), ids=lambda path: path.name)
def test_other_actions_are_the_official_ones(path: Path) -> None:
    """Of GitHub's own, by a commit and the version that it is; and ours, by a tag."""
    uses = re.findall(r"uses: (.+)", path.read_text())
    assert uses
    official = r"actions/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+"
    for name in uses:
        assert re.fullmatch(rf"{official}|OWNER/etude/integrations/github(?:/audit)?@v[\d.]+", name)


@pytest.mark.parametrize("name", ["grade.yml", "pages.yml", "audit.yml"])
def test_a_workflow_asks_for_no_more_rights_than_it_needs(name: str) -> None:
    """It reads the repository; only the deployment of the site may do more."""
    workflow = yaml.safe_load((FOLDER / name).read_text())
    assert workflow["permissions"] == {"contents": "read"}
    for job_name, job in workflow["jobs"].items():
        wanted = {"pages": "write", "id-token": "write"} if job_name == "deploy" else None
        assert job.get("permissions") == wanted
        assert job["timeout-minutes"] <= 20
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout"):
                assert step["with"]["persist-credentials"] is False


@pytest.mark.parametrize(
    ("workflow", "job", "path"),
    [("grade.yml", "grade", "action.yml"), ("audit.yml", "audit", "audit/action.yml")],
)
def test_a_sample_workflow_gives_its_action_what_it_has(workflow: str, job: str, path: str) -> None:
    """The inputs and outputs that it names exist."""
    text, action = (FOLDER / workflow).read_text(), yaml.safe_load((FOLDER / path).read_text())
    (step,) = (
        each for each in yaml.safe_load(text)["jobs"][job]["steps"] if each.get("id") == "etude"
    )
    assert set(step["with"]) <= set(action["inputs"])
    assert set(re.findall(r"steps\.etude\.outputs\.([a-z-]+)", text)) == set(action["outputs"])


@pytest.mark.slow
@pytest.mark.release
def test_the_site_is_built_for_the_address_that_pages_gives(
    *, checkout: Path, run: Run, tmp_path: Path, hostile: MakeHostile, with_packages: Path
) -> None:
    """The steps of the workflow, in a course's repository with Etude beside it.

    Nothing else of that repository is run.
    """
    workflow = yaml.safe_load((FOLDER / "pages.yml").read_text())
    course = hostile("workspace")
    workspace, temp = course.folder, tmp_path / "temp"
    temp.mkdir()
    shutil.copytree(with_packages, workspace / "my-course")
    track = workspace / "my-course" / "first"
    track.mkdir()
    shutil.copy(ROOT / "exercises" / "attention" / "01-token-lookup.yaml", track)
    (track / "track.yaml").write_text(
        "id: first\ntitle: First\ndescription: One.\nexercises: [token-lookup]\n"
    )
    (workspace / ".etude").symlink_to(checkout)
    address = {"base_url": "https://example.org/course/", "base_path": "/course"}
    runner = Runner(run, workspace, temp, FOLDER, outputs={"pages": address})
    status = runner.steps(workflow["jobs"]["build"]["steps"])
    assert course.ran == [], runner.log
    assert status == 0, runner.log
    upload = runner.used[-1]
    assert upload == ("actions/upload-pages-artifact", {"path": str(temp / "site")})
    assert (temp / "site" / "first" / "token-lookup" / "index.html").is_file()
    assert '"/course/' in (temp / "site" / "404.html").read_text()
    assert not [path for path in (temp / "site").rglob("*") if path.is_symlink()]
    (deploy,) = workflow["jobs"]["deploy"]["steps"]
    assert workflow["jobs"]["deploy"]["environment"]["name"] == "github-pages"
    assert deploy["uses"].startswith("actions/deploy-pages@")
