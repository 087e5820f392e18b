"""The hooks for collections elsewhere: pre-commit installs them from a repository and runs them."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml

from tests.integrations.conftest import Finished, MakeHostile, Run

ROOT = Path(__file__).parent.parent.parent
SAMPLE = ROOT / "integrations" / "pre-commit" / ".pre-commit-config.yaml"
EXERCISE = ROOT / "exercises" / "attention" / "01-token-lookup.yaml"


PreCommit: TypeAlias = Callable[..., Finished]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pre-commit keeps what it installed, for all tests here."""
    return tmp_path_factory.mktemp("pre-commit")


@pytest.fixture
def pre_commit(home: Path, checkout: Path, packages: Path, run: Run, tmp_path: Path) -> PreCommit:
    """Run pre-commit in a collection's repository that has the sample and this Etude behind it."""
    collection = tmp_path / "collection"
    (collection / "my-course" / "first").mkdir(parents=True)
    run("git", "init", "--quiet", cwd=collection)
    sample = yaml.safe_load(SAMPLE.read_text())
    sample["repos"][0]["repo"] = str(checkout)
    (collection / ".pre-commit-config.yaml").write_text(yaml.safe_dump(sample))

    def pre_commit(*words: str) -> Finished:
        assert run("git", "add", "--all", cwd=collection).returncode == 0
        # Hatchling is in the environment already, so the build needs no other.
        variables = {
            "PRE_COMMIT_HOME": str(home),
            "PYTHONPATH": str(packages),  # for the environment that pre-commit makes
            "PIP_NO_BUILD_ISOLATION": "0",
            "PIP_NO_DEPS": "1",
        }
        command = (Path(sys.executable).with_name("pre-commit"), *words)
        return run(*command, cwd=collection, ETUDE_DATA=str(tmp_path / "data"), **variables)

    return pre_commit


@pytest.mark.slow
def test_changed_exercises_are_linted_before_a_commit(
    pre_commit: PreCommit, tmp_path: Path
) -> None:
    """A definition that is fine passes; one that does not load fails, with its line."""
    track = tmp_path / "collection" / "my-course" / "first"
    (track / "notes.md").write_text("No lesson.")
    nothing = pre_commit("run")
    assert nothing.returncode == 0, nothing.stdout + nothing.stderr
    assert "(no files to check)Skipped" in nothing.stdout
    changed = track / "01-token-lookup.yaml"
    changed.write_text(EXERCISE.read_text())
    fine = pre_commit("run")
    assert fine.returncode == 0, fine.stdout + fine.stderr
    assert "etude verify" not in fine.stdout
    changed.write_text(EXERCISE.read_text().replace("difficulty:", "dificulty:"))
    broken = pre_commit("run")
    assert broken.returncode == 1
    assert "my-course/first/01-token-lookup.yaml:" in broken.stdout
    assert "dificulty" in broken.stdout


@pytest.mark.slow
def test_a_changed_track_and_a_changed_lesson_are_looked_at(
    pre_commit: PreCommit, tmp_path: Path
) -> None:
    """A track that lists what is not there, and maths in a lesson that is never closed."""
    track = tmp_path / "collection" / "my-course" / "first"
    (track / "lessons").mkdir()
    (track / "01-token-lookup.yaml").write_text(EXERCISE.read_text())
    listed = "id: first\ntitle: First\ndescription: One.\nexercises: [token-lookup]\n"
    (track / "track.yaml").write_text(
        listed + "lessons: [{id: a, title: A, exercises: [token-lookup]}]\n"
    )
    lesson = track / "lessons" / "01-a.md"
    lesson.write_text("Solve token-lookup.\n")
    fine = pre_commit("run")
    assert fine.returncode == 0, fine.stdout + fine.stderr
    lesson.write_text("Solve token-lookup for $5.\n")
    broken = pre_commit("run", "--files", "my-course/first/lessons/01-a.md")
    assert "lessons/01-a.md:1:24: ETU206 error" in broken.stdout, broken.stdout
    lesson.write_text("Solve token-lookup.\n")
    (track / "track.yaml").write_text(listed.replace("lookup]", "lookup, other]"))
    broken = pre_commit("run", "--files", "my-course/first/track.yaml")
    assert "no exercise 'other'" in broken.stdout, broken.stdout


@pytest.mark.slow
def test_the_name_of_a_folder_is_no_option(pre_commit: PreCommit, tmp_path: Path) -> None:
    """Otherwise the exercise in it would not be looked at."""
    folder = tmp_path / "collection" / "--select=ETU001"
    folder.mkdir()
    (folder / "01-token-lookup.yaml").write_text("id: token-lookup\n")
    finished = pre_commit("run")
    assert finished.returncode == 1
    assert "--select=ETU001/01-token-lookup.yaml:1:1:" in finished.stdout


@pytest.mark.slow
@pytest.mark.release
def test_changed_exercises_are_proven_before_a_push(pre_commit: PreCommit, tmp_path: Path) -> None:
    """A hidden test that a wrong solution passes is found."""
    changed = tmp_path / "collection" / "my-course" / "first" / "01-token-lookup.yaml"
    changed.write_text(EXERCISE.read_text())
    proven = pre_commit("run", "--hook-stage", "pre-push", "--all-files")
    assert proven.returncode == 0, proven.stdout + proven.stderr
    assert "etude verify" in proven.stdout
    definition: dict[str, Any] = yaml.safe_load(EXERCISE.read_text())
    definition["tests"] = [test for test in definition["tests"] if not test.get("hidden")]
    changed.write_text(yaml.safe_dump(definition, sort_keys=False))
    unproven = pre_commit("run", "--hook-stage", "pre-push", "--all-files")
    assert unproven.returncode == 1, unproven.stdout + unproven.stderr


@pytest.mark.slow
@pytest.mark.release
def test_a_changed_assignment_is_audited_before_a_push(
    pre_commit: PreCommit, tmp_path: Path
) -> None:
    """Weak tests stop the push, better ones do not; the folder is the one that `args` name."""
    homework = tmp_path / "collection" / "homework"
    homework.mkdir()
    (homework / "solution.py").write_text("def double(x):\n    return 2 * x\n")
    tests = homework / "test_solution.py"
    tests.write_text("from solution import double\n\n\ndef test_it():\n    assert double(2) > 1\n")
    weak = pre_commit("run", "etude-audit", "--hook-stage", "pre-push", "--all-files")
    assert weak.returncode == 1, weak.stdout + weak.stderr
    assert "homework (pytest): " in weak.stdout
    tests.write_text(tests.read_text().replace("> 1", "== 4 and double(3) == 6"))
    fine = pre_commit("run", "etude-audit", "--hook-stage", "pre-push", "--all-files")
    assert fine.returncode == 0, fine.stdout + fine.stderr


@pytest.mark.slow
def test_nothing_of_the_collection_runs_but_its_definitions(
    pre_commit: PreCommit, hostile: MakeHostile
) -> None:
    """No module or setting that lies there: a pull request may bring them."""
    collection = hostile("collection")
    for stage in ("pre-commit", "pre-push"):
        finished = pre_commit("run", "--all-files", "--verbose", "--hook-stage", stage)
        assert collection.ran == [], finished.stdout + finished.stderr
        assert "13-attention-weights.yaml" in finished.stdout
        assert finished.returncode == 1, (
            finished.stdout + finished.stderr
        )  # the definition proves nothing


def test_the_sample_names_hooks_that_there_are() -> None:
    """In the stages that it has pre-commit install."""
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    sample = yaml.safe_load(SAMPLE.read_text())
    (repository,) = sample["repos"]
    assert {hook["id"] for hook in repository["hooks"]} == hooks
    stages = {stage for hook in repository["hooks"] for stage in hook["stages"]}
    assert stages == set(sample["default_install_hook_types"])
