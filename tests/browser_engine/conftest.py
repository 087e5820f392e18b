"""The page's Python as shipped: the unpacked bundle in a process with NumPy and nothing else."""

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest

from grader.browser.shipping import MODULES, bundle, make_grading_data
from grader.definitions.collection import Collection
from grader.definitions.exercise import Exercise
from grader.sandbox.process import Sandbox
from tests.browser.conftest import certified_site, site, tools  # noqa: F401  fixtures of these tests too
from tests.browser.tools import Tools
from tests.grading.conftest import make  # noqa: F401  a fixture of these tests too
from tests.own_collection import COLLECTION

# Reads one call per line as [function, argument...], and answers with one line.
SERVE = """
import json, sys
sys.path[:0] = sys.argv[1:]
from grader.browser import page
for line in sys.stdin:
    name, *arguments = json.loads(line)
    answer = getattr(page, name)(*arguments)
    print(json.dumps(answer), flush=True)
"""

Page: TypeAlias = Callable[..., Any]
Programs: TypeAlias = dict[str, str]
"""Sources by name."""

Said: TypeAlias = dict[str, dict[str, Any]]
"""Verdicts as JSON, by the name of the program."""


@pytest.fixture(scope="session")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The folders from which a page's Python imports: the bundle, and one with only NumPy."""
    ours, others = (tmp_path_factory.mktemp(name) for name in ("bundle", "packages"))
    with (
        zipfile.ZipFile(io.BytesIO(bundle())) as archive,
        zipfile.ZipFile(archive.open(MODULES)) as inner,
    ):
        inner.extractall(ours)
    installed = Path(np.__file__).parent.parent
    for name in ("numpy", "numpy.libs"):
        if (installed / name).is_dir():
            (others / name).symlink_to(installed / name)
    return [os.fspath(ours), os.fspath(others)]


@pytest.fixture(scope="session")
def page(unpacked: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Call a function of the page, and decode JSON in its answer.

    Nothing may have been written to the output that a browser shows as errors.
    """
    errors = tmp_path_factory.mktemp("page") / "errors"
    command = [sys.executable, "-I", "-S", "-c", SERVE, *unpacked]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with errors.open("w") as written, subprocess.Popen(command, **pipes, stderr=written) as process:
        given, answers = process.stdin, process.stdout
        assert given is not None
        assert answers is not None

        def call(*words: str) -> Any:
            given.write(json.dumps(words) + "\n")
            given.flush()
            line = answers.readline()
            assert line, errors.read_text()
            answer = json.loads(line)
            return json.loads(answer) if answer is not None else None

        yield call
        given.close()
    assert errors.read_text() == ""


@pytest.fixture(scope="session")
def collection() -> Collection:
    """The exercises that come with Etude."""
    return COLLECTION


@pytest.fixture(scope="session")
def samples(collection: Collection) -> list[Exercise]:
    """Exercises that together have every kind of exercise, test and rule."""
    names = (
        *("scaled-scores", "scaled-by-the-wrong-size", "score-spread"),
        *("key-value-cache", "fully-masked-rows", "flash-attention"),
    )
    return [exercise for exercise in collection.exercises if exercise.id in names]


@pytest.fixture(scope="session")
def engines(samples: list[Exercise], sandbox: Sandbox) -> dict[str, str]:
    """The grading data of the samples, by id."""
    return {each.id: make_grading_data(each, sandbox) for each in samples}


@pytest.fixture(scope="session")
def programs(samples: list[Exercise]) -> dict[str, Programs]:
    """The submissions to each sample: its starter, its solution and its misconceptions."""
    return {
        exercise.id: {
            "the starter": exercise.starter,
            "the solution": exercise.solution,
            **{each.id: each.code for each in exercise.misconceptions},
        }
        for exercise in samples
    }


@pytest.fixture(scope="session")
def verdicts(page: Page, engines: dict[str, str], programs: dict[str, Programs]) -> dict[str, Said]:
    """The page's verdicts on all of these programs."""
    said = {}
    for name, handed_in in programs.items():
        page("open_exercise", engines[name])
        said[name] = {program: page("check", code) for program, code in handed_in.items()}
    return said


@pytest.fixture(scope="session")
def node(tools: Tools) -> list[str]:  # noqa: F811  the fixture
    """The command that runs calls in Pyodide."""
    program = shutil.which("node")
    assert program  # the tools were installed by its npm
    return [program, str(Path(__file__).with_name("page.mjs")), str(tools.pyodide)]
