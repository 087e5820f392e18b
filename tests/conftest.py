"""Fixtures that the tests of several packages share."""

import contextlib
import gc
import os
import subprocess
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner
from hypothesis import settings

from grader.cli.main import etude as command
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.sandbox.backends import LANDLOCK, NAMESPACES, Backend
from grader.sandbox.examination import examine
from grader.sandbox.process import Sandbox, open_sandbox

ROOT = Path(__file__).parent.parent

# No deadlines, because a busy machine is not a failure. `make slow` uses the thorough profile.
settings.register_profile("quick", max_examples=25, deadline=None)
settings.register_profile("thorough", max_examples=200, deadline=None)
settings.load_profile("quick")

Finished: TypeAlias = subprocess.CompletedProcess[str]
Etude: TypeAlias = Callable[..., Finished]

_DOUBLE_HEAD = """\
id: double
title: Double it
difficulty: beginner
xp: 5
instructions: Write `double(x)`, which returns twice `x`.
defines: {double: {}}
starter: |
  def double(x):
      ...
"""
_DOUBLE_END = """\
solution: |
  def double(x):
      return 2 * x
explanation: Twice is two times.
"""

# A small exercise with one test of each kind, for tests of the machinery.
DOUBLE = f"""{_DOUBLE_HEAD}\
tests:
  - id: worked
    description: two numbers
    given: {{x: [1.0, 2.0]}}
    call: double(x)
    expect: [2.0, 4.0]
  - id: printed
    description: printed as it is
    given: {{x: 3}}
    run: print(double(x))
    stdout: "6"
  - id: secret
    description: negative numbers
    hidden: true
    points: 3
    seeds: 2
    given: |
      x = rng.standard_normal(5)
    call: double(x) - 2 * x
    expect: [0.0, 0.0, 0.0, 0.0, 0.0]
{_DOUBLE_END}"""

# A smaller exercise, with a visible and a hidden call test.
TWICE = f"""{_DOUBLE_HEAD}\
tests:
  - id: worked
    given: {{x: [1.0, 2.0]}}
    call: double(x)
    expect: [2.0, 4.0]
  - id: negative
    hidden: true
    given: {{x: [-1.0]}}
    call: double(x)
    expect: [-2.0]
{_DOUBLE_END}"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites golden files."""
    parser.addoption(
        "--update-goldens",
        action="store_true",
        help="write what comes out into tests/golden/ instead of comparing; read the diff",
    )


# Slow tests come first, so that no process is left alone with them at the end.
_FIRST = (
    *("exercises", "browser_engine", "browser", "server", "hostile", "reports", "integrations"),
    "sitegen",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by folder, and sort them by folder in the same way in every process."""
    depth = len(Path(__file__).parent.parts)

    def rank(item: pytest.Item) -> int:
        folders = item.path.parts[depth:]
        if "browser" in folders:
            item.add_marker("browser")
        # Every test runs on both databases; the fast tests of a change run only on SQLite.
        if folders[0] == "server" and "postgresql" in item.name:
            item.add_marker("slow")
        return _FIRST.index(folders[0]) if folders[0] in _FIRST else len(_FIRST)

    items.sort(key=rank)


@dataclass(frozen=True, slots=True)
class Goldens:
    """Golden files, which contain the expected output word for word."""

    update: bool

    def check(self, golden: Path, text: str) -> None:
        """Compare a text with a file, or rewrite the file with `--update-goldens`."""
        if self.update:
            golden.parent.mkdir(parents=True, exist_ok=True)
            golden.write_bytes(text.encode())
        assert golden.is_file(), f"{golden} is missing; `pytest --update-goldens` writes it"
        assert text == golden.read_bytes().decode()

    def check_all(self, there: Collection[Path], compared: Collection[Path]) -> None:
        """Fail if a file is compared with nothing, or delete it when updating."""
        orphans = sorted(set(there) - set(compared))
        if self.update:
            for orphan in orphans:
                orphan.unlink()
            return
        assert not orphans, "`pytest --update-goldens` deletes what no test compares with"


@pytest.fixture(scope="session")
def goldens(pytestconfig: pytest.Config) -> Goldens:
    """Compares with golden files, or rewrites them."""
    return Goldens(bool(pytestconfig.getoption("--update-goldens")))


@pytest.fixture(scope="session")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that all processes of a test run share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session", autouse=True)
def _no_record_of_the_user_s(
    tmp_path_factory: pytest.TempPathFactory, whole_run: Path
) -> Iterator[None]:
    """Keep tests away from the learner's record and caches on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ETUDE_DATA", os.fspath(tmp_path_factory.mktemp("data")))
        patch.setenv("XDG_CACHE_HOME", os.fspath(whole_run / "caches"))
        yield


@pytest.fixture(scope="session")
def double(tmp_path_factory: pytest.TempPathFactory) -> Exercise:
    """A small exercise, loaded."""
    path = tmp_path_factory.mktemp("exercises") / "01-double.yaml"
    path.write_text(DOUBLE)
    return load_exercise_file(path)


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """The strongest sandbox of this host, shared by all tests."""
    with open_sandbox() as opened:
        yield opened


@pytest.fixture(scope="session", params=[NAMESPACES, LANDLOCK], ids=lambda backend: backend.name)
def each_sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """Each sandbox of this host; an unavailable one is skipped with the reason."""
    backend: Backend = request.param
    (examination,) = examine([backend])
    if not examination.works:
        pytest.skip(f"{backend.name}: {examination.reason}")
    with Sandbox(backend) as opened:
        yield opened


@pytest.fixture
def etude(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Etude:
    """Run a command in this process, from an empty folder and with an empty record.

    `etude_process` is for everything that needs a process: signals, terminals, exit, imports.
    """
    monkeypatch.setenv("ETUDE_DATA", os.fspath(tmp_path_factory.mktemp("data")))

    def run(
        *words: str | Path,
        cwd: Path = tmp_path,
        env: Mapping[str, str | None] | None = None,
        input: str | None = None,  # noqa: A002  the name in subprocess
    ) -> Finished:
        with contextlib.chdir(cwd):
            finished = CliRunner().invoke(
                command, [*map(str, words)], input, env, catch_exceptions=False, prog_name="etude"
            )
        gc.enable()  # the command disables collection for its process
        return Finished(words, finished.exit_code, finished.stdout, finished.stderr)

    return run


@pytest.fixture
def etude_process(etude: Etude, tmp_path: Path) -> Etude:  # noqa: ARG001  its record
    """Run a command as `etude` does, but in a separate process."""

    def run(*words: str | Path, **options: object) -> Finished:
        command = [sys.executable, "-m", "grader.cli", *map(str, words)]
        pipes = {"capture_output": True, "text": True, "timeout": 300}
        settings = {"cwd": tmp_path, **pipes, **options}
        return subprocess.run(command, check=False, **settings)  # type: ignore[call-overload, no-any-return]  # callers choose the settings

    return run


@pytest.fixture
def etude_without_sandbox(etude_process: Etude) -> Etude:
    """Run a command in a process without bwrap on its PATH and without Landlock."""

    def run(*words: str | Path) -> Finished:
        environment = {**os.environ, "PATH": "/nonexistent"}
        return etude_process(*words, env=environment, preexec_fn=_forbid_landlock)

    return run


def _forbid_landlock() -> None:
    import errno  # runs in the new process
    import struct  # runs in the new process

    from grader.sandbox.in_child import syscalls  # runs in the new process

    create_ruleset, allow, deny = 444, 0x7FFF_0000, 0x0005_0000 | errno.ENOSYS
    rules = [(0x20, 0, 0, 0), (0x15, 0, 1, create_ruleset), (6, 0, 0, deny), (6, 0, 0, allow)]
    syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
    syscalls.load_filter(b"".join(struct.pack("=HBBI", *rule) for rule in rules))
