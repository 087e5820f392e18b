"""The Dockerfile and the devcontainer: read as their tools read them, and done without an engine."""

import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integrations.conftest import USING, InContainer, MakeHostile, Run
from tests.integrations.hostile import EARNED, POSSIBLE

ROOT = Path(__file__).parent.parent.parent
DOCKERFILE = ROOT / "integrations" / "docker" / "Dockerfile"
DEVCONTAINER: dict[str, Any] = json.loads(
    (ROOT / "integrations" / "devcontainer" / "devcontainer.json").read_text()
)
RIGHT = ROOT / "examples" / "submissions" / "correct" / "attention-weights.py"
USER = 10001
DIGEST = "@sha256:[0-9a-f]{64}"  # for those who want it, see docs/how-to/integrations.md


def instructions(path: Path = DOCKERFILE) -> Iterator[tuple[str, str]]:
    """Yield each instruction of the Dockerfile and what stands after it."""
    text = re.sub(r"^#.*\n", "", path.read_text(), flags=re.MULTILINE)
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, rest = line.strip().partition(" ")
            yield name, rest.strip()


@dataclass(frozen=True)
class Ignore:
    """A .dockerignore: the last pattern that fits a path, or a folder above it, decides."""

    patterns: tuple[tuple[bool, re.Pattern[str]], ...]

    @classmethod
    def read(cls, path: Path) -> "Ignore":
        lines = [line.strip() for line in path.read_text().splitlines()]
        patterns = []
        for line in filter(None, (line for line in lines if not line.startswith("#"))):
            parts = re.escape(line.removeprefix("!")).replace(r"\*\*/", "(?:.*/)?")
            pattern = parts.replace(r"\*", "[^/]*") + "(?:/.*)?"
            patterns.append((not line.startswith("!"), re.compile(pattern)))
        return cls(tuple(patterns))

    def leaves_out(self, path: str) -> bool:
        fitting = [out for out, pattern in self.patterns if pattern.fullmatch(path)]
        return fitting[-1] if fitting else False


@pytest.fixture(scope="module")
def context(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the checkout that an engine builds from."""
    ignore = Ignore.read(DOCKERFILE.with_name("Dockerfile.dockerignore"))
    folder = tmp_path_factory.mktemp("context") / "build"
    for path in checkout.rglob("*"):
        name = path.relative_to(checkout).as_posix()
        if path.is_file() and not ignore.leaves_out(name):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, folder / name)
    return folder


@pytest.fixture(scope="module")
def built(context: Path, run: Run) -> Path:
    """The environment that the RUN lines make, elsewhere than in /opt."""
    build = shutil.copytree(context, context.parent / "build-stage")
    venv = context.parent / "opt" / "etude"
    for name, rest in instructions():
        if name == "RUN":
            finished = run("sh", "-c", rest, cwd=build, VENV=str(venv))
            assert finished.returncode == 0, finished.stderr
    return venv


def test_the_image_is_pinned_and_without_secrets() -> None:
    """Each base by version and Debian release; nothing from the network but by pip and its lock."""
    every = list(instructions())
    bases = [rest.split(" AS ")[0] for name, rest in every if name == "FROM"]
    assert bases
    for base in bases:
        assert re.fullmatch(rf"python:3\.\d+-slim-[a-z]+({DIGEST})?", base)
    assert {name for name, _ in every} <= {
        "FROM", "WORKDIR", "COPY", "ENV", "RUN", "USER", "ENTRYPOINT", "CMD",
    }  # fmt: skip
    text = DOCKERFILE.read_text().lower()
    assert not re.search(r"token|secret|password|curl|wget|http", text)
    downloads = [rest for name, rest in every if name == "RUN" and "pip install" in rest]
    assert all("--require-hashes" in rest or "--no-deps" in rest for rest in downloads)


def test_the_image_runs_as_an_ordinary_user() -> None:
    """By number, so that an engine can see it; and it starts Etude without a shell."""
    every = list(instructions())
    final = every[max(index for index, (name, _) in enumerate(every) if name == "FROM") :]
    settings = dict(final)
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", settings["USER"])
    assert json.loads(settings["ENTRYPOINT"]) == ["etude"]
    assert json.loads(settings["CMD"]) == ["doctor"]


@pytest.mark.slow
def test_the_build_gets_what_it_needs_and_no_more(context: Path) -> None:
    """No history, no tests, no submissions; what is copied is there."""
    assert {path.name for path in context.iterdir()} == {
        "LICENSE", "README.md", "courses", "exercises", "grader", "pyproject.toml", "reference",
        "requirements", "server", "site",
    }  # fmt: skip
    assert not list(context.rglob("__pycache__"))
    assert not (context / "site" / "frontend").exists()
    for name, rest in instructions():
        if name == "COPY" and not rest.startswith("--from"):
            assert (context / rest.split()[0]).exists()


@pytest.mark.slow
def test_the_image_grades_without_any_privilege(
    built: Path, context: Path, run: Run, in_container: InContainer, tmp_path: Path
) -> None:
    """As its user, without capabilities and user namespaces, from a folder it cannot write to."""
    work = tmp_path / "work"
    work.mkdir()
    shutil.copy(RIGHT, work)
    tmp_path.chmod(0o755)
    command = (built / "bin" / "etude", "grade", ".", "--assigned", "attention-weights")
    visible = (built, context, tmp_path)
    words = in_container(*command, "--format", "json", visible=visible, user=USER)
    finished = run(*words, cwd=work, ETUDE_EXERCISES=str(context / "exercises"))
    assert finished.returncode == 0, finished.stderr
    verdict = json.loads(finished.stdout)
    assert (verdict["sandbox"], verdict["score"], verdict["max_score"]) == ("landlock", 13, 13)


@pytest.mark.slow
def test_an_image_of_a_course_has_its_packages(
    built: Path, run: Run, in_container: InContainer, with_packages: Path, tmp_path: Path
) -> None:
    """The course's image adds its folder and the packages of its requirements."""
    lines = instructions(DOCKERFILE.with_name("course.Dockerfile"))
    commands = [rest for name, rest in lines if name == "RUN"]
    course = shutil.copytree(with_packages, tmp_path / "course")
    venv = shutil.copytree(built, tmp_path / "etude", symlinks=True)
    words = (venv / "bin" / "python", "-I", "-m", "grader.cli")
    for line in commands:
        assert line.startswith("etude ")
        finished = run(*words, *line.split()[1:], cwd=tmp_path, ETUDE_EXERCISES=str(course))
        assert finished.returncode == 0, finished.stderr
    (tmp_path / "scaled.py").write_text(USING)
    tmp_path.chmod(0o755)
    command = (*words, "check", "scaled", tmp_path / "scaled.py", "--exercises", course)
    finished = run(*in_container(*command, visible=(tmp_path,), user=USER), cwd=tmp_path)
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.slow
def test_nothing_in_the_mounted_folder_runs_but_the_submission(
    *,
    built: Path,
    context: Path,
    run: Run,
    in_container: InContainer,
    hostile: MakeHostile,
    offline: Mapping[str, str],
) -> None:
    """No module, program or setting that lies there."""
    checkout = hostile("work")
    checkout.folder.parent.chmod(0o755)
    command = (built / "bin" / "etude", "grade", ".", "--assigned", "attention-weights")
    visible = (built, context, checkout.folder.parent)
    words = in_container(*command, "--format", "json", visible=visible, user=USER)
    path = f".:bin:{offline['PATH']}"
    exercises = str(context / "exercises")
    finished = run(*words, cwd=checkout.folder, ETUDE_EXERCISES=exercises, PATH=path)
    assert checkout.ran == [], finished.stderr
    verdict = json.loads(finished.stdout)
    assert (verdict["score"], verdict["max_score"]) == (EARNED, POSSIBLE), finished.stderr


def test_no_health_check_runs_what_lies_in_its_folder(run: Run, hostile: MakeHostile) -> None:
    """The service's own files for uploads and caches lie there."""
    checkout = hostile("tmp")
    services = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"].values()
    checks = [each["healthcheck"]["test"][1:] for each in services if "healthcheck" in each]
    ours = [words[1:] for words in checks if words[0] == "python"]
    assert ours
    for words in ours:
        run(sys.executable, *words, cwd=checkout.folder)
    assert checkout.ran == []


def test_the_image_has_the_exercises_that_it_names() -> None:
    """A deployment replaces this folder by its own course."""
    settings = [rest for name, rest in instructions() if name == "ENV"]
    assert any("ETUDE_EXERCISES=/opt/exercises" in rest for rest in settings)
    assert ("COPY", "exercises /opt/exercises") in instructions()


def test_the_devcontainer_asks_for_no_privilege() -> None:
    """A pinned image, an ordinary user, and nothing of the host."""
    assert re.fullmatch(
        rf"mcr\.microsoft\.com/devcontainers/python:3\.\d+-[a-z]+({DIGEST})?", DEVCONTAINER["image"]
    )
    assert DEVCONTAINER["remoteUser"] == "vscode"
    assert not {"privileged", "capAdd", "runArgs", "mounts", "securityOpt"} & set(DEVCONTAINER)


@pytest.mark.slow
def test_the_devcontainer_has_etude_on_its_path(
    checkout: Path, run: Run, tmp_path: Path, hostile: MakeHostile, offline: Mapping[str, str]
) -> None:
    """Its command clones the tag it names; paths in its settings are there afterwards.

    Nothing of the workspace is run.
    """
    workspace = hostile("workspace")
    variables = {**DEVCONTAINER["containerEnv"], "ETUDE_REPOSITORY": checkout.as_uri()}
    command = ("/bin/sh", "-c", DEVCONTAINER["onCreateCommand"])
    words = [*workspace.exposing(offline["PATH"]), *command]
    finished = run(*words, cwd=workspace.folder, HOME=str(tmp_path), **variables)
    assert workspace.ran == [], finished.stderr
    assert finished.returncode == 0, finished.stderr
    home = "/home/vscode/"
    folder = DEVCONTAINER["remoteEnv"]["PATH"].split(":")[0]
    etude = tmp_path / folder.removeprefix(home) / "etude"
    assert run(etude, "--version", cwd=tmp_path).returncode == 0
    settings = DEVCONTAINER["customizations"]["vscode"]["settings"]
    for path in (*settings["yaml.schemas"], settings["python.defaultInterpreterPath"]):
        assert (tmp_path / path.removeprefix(home)).exists()
