"""Packages beside NumPy: importable where a course names them, and nothing beside them is."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.definitions import course_packages
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.errors import DefinitionError, GraderFault
from grader.grading.jobs import Job
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.submissions.submission import Submission
from grader.grading.workers.pool import WorkerPool
from grader.sandbox.backends import LANDLOCK, NAMESPACES, Backend
from grader.sandbox.examination import examine
from grader.sandbox.process import Sandbox, open_sandbox
from tests.conftest import DOUBLE
from tests.grading.conftest import grade

TOP = """\
import sys
from need_ed import FACTOR


def times(x):
    return FACTOR * x
"""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Install three small packages: one requires the second, and no one the third."""
    folder = tmp_path / "site-packages"

    def install(name: str, modules: dict[str, str], metadata: str = "", ver: str = "1.5") -> None:
        info = folder / f"{name.replace('-', '_')}-{ver}.dist-info"
        info.mkdir(parents=True, exist_ok=True)
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {ver}\n{metadata}"
        (info / "METADATA").write_text(head)
        for path, text in modules.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        (info / "RECORD").write_text("".join(f"{path},,\n" for path in modules))

    install(
        "Tool-Kit",
        {"toolkit/__init__.py": TOP, "toolkit/ahead.py": "", "toolkit/later.py": "ONE = 1\n"},
        "Requires-Dist: need.ed>=1\nRequires-Dist: gone-extra; extra == 'more'\n",
    )
    install("need-ed", {"need_ed.py": "FACTOR = 2\n"})
    install("unrelated", {"unrelated.py": "SECRET = 1\n"})
    monkeypatch.syspath_prepend(folder)
    course_packages.distributions_of_modules.cache_clear()
    course_packages.find_package_folders.cache_clear()
    yield folder
    course_packages.distributions_of_modules.cache_clear()
    course_packages.find_package_folders.cache_clear()
    for name in ("toolkit", "toolkit.ahead", "toolkit.later", "need_ed", "unrelated"):
        sys.modules.pop(name, None)


@pytest.fixture
def exercise(site: Path, tmp_path: Path) -> Exercise:  # noqa: ARG001  it installs the package
    """An exercise of a course that names one of the packages."""
    (tmp_path / "course.yaml").write_text("title: T\npackages: [toolkit.ahead]\n")
    (tmp_path / "double.yaml").write_text(DOUBLE)
    return load_exercise_file(tmp_path / "double.yaml")


@pytest.fixture(params=[NAMESPACES, LANDLOCK], ids=lambda backend: backend.name)
def graded(request: pytest.FixtureRequest, exercise: Exercise) -> Iterator["Graded"]:
    """Grade a source in a sandbox with the packages."""
    backend: Backend = request.param
    (examination,) = examine([backend])
    if not examination.works:
        pytest.skip(f"{backend.name}: {examination.reason}")
    with Sandbox(backend, packages=exercise.packages) as sandbox:
        yield Graded(exercise, sandbox)


class Graded:
    def __init__(self, exercise: Exercise, sandbox: Sandbox) -> None:
        self.exercise, self.sandbox = exercise, sandbox

    def __call__(self, source: str) -> Verdict:
        return grade(self.exercise, Submission(Path("double.py"), source, "0" * 64), self.sandbox)


def test_a_submission_imports_what_the_course_names(graded: Graded) -> None:
    """With what that requires, and modules of it that were not imported ahead."""
    source = "import toolkit.later\nfrom toolkit import times as double\nimport need_ed\n"
    assert graded(source).outcome is Outcome.PASSED
    ahead = "import sys\ndef double(x):\n    return 2 * x * ('toolkit.ahead' in sys.modules)\n"
    assert graded(ahead).outcome is Outcome.PASSED
    late = "import sys\ndef double(x):\n    return 2 * x * ('toolkit.later' not in sys.modules)\n"
    assert graded(late).outcome is Outcome.PASSED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["unrelated", "pytest", "grader", "reference", "yaml"])
def test_a_submission_imports_nothing_else(graded: Graded, site: Path, name: str) -> None:
    """Not by its name, and not after putting the folder of the packages on the path."""
    told = graded(f"import {name}\n")
    assert told.message == (
        f"There is no module `{name}` here, only NumPy, toolkit and Python's standard library "
        "(line 1)."
    )
    source = f"""
import sys, toolkit, os
sys.path[:0] = [{str(site)!r}, os.path.dirname(os.path.dirname(toolkit.__file__))]
import {name}
"""
    assert f"no module `{name}`" in graded(source).message


def test_a_package_cannot_be_written_to(graded: Graded, site: Path) -> None:
    """Neither its files nor, in the zygote, the next submission's view of it can change."""
    before = (site / "toolkit" / "__init__.py").read_text()
    source = """
import os, toolkit
toolkit.times = None
for path in (toolkit.__file__, os.path.join(os.path.dirname(toolkit.__file__), "new.py")):
    try:
        open(path, "w").write("bad")
    except OSError:
        continue
    raise SystemExit
def double(x):
    return 2 * x
"""
    for _ in range(2):
        assert graded(source).outcome is Outcome.PASSED
    assert graded("from toolkit import times as double\n").outcome is Outcome.PASSED
    assert (site / "toolkit" / "__init__.py").read_text() == before
    assert not (site / "toolkit" / "new.py").exists()


@pytest.mark.slow
def test_a_pool_starts_workers_with_the_packages_that_its_jobs_need(
    exercise: Exercise, double: Exercise
) -> None:
    """The order of exercises does not matter; the engine refuses a sandbox without the packages."""
    source = "from toolkit import times as double\n"
    submission = Submission(Path("double.py"), source, "0" * 64)
    jobs = [Job(double, submission), Job(exercise, submission)]
    with WorkerPool(1, open_sandbox) as pool:
        outcomes = [result.outcome for _, result in pool.grade(jobs)]  # type: ignore[union-attr]  # no fault
    assert outcomes == [Outcome.ERRORED, Outcome.PASSED]
    with open_sandbox() as without, pytest.raises(GraderFault, match=r"without toolkit\.ahead"):
        grade(exercise, submission, without)


IMPORTING = "def double(x):\n    import nowhere.far\n    return 2 * x\n"
PLAIN = "def double(x):\n    return 2 * x\n"


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    ("old", "new", "source", "is_needed"),
    [
        ("", "", PLAIN, False),
        ("", "", IMPORTING, True),
        ("", "", "import numpy as np, nowhere\n" + PLAIN, True),
        ("      return 2", "      from nowhere import far\n      return 2", PLAIN, True),
        ("{x: [1.0, 2.0]}", "import nowhere; x = 1.0", PLAIN, True),
        ("title: ", "title: No import of nowhere, ", PLAIN, False),
    ],
    ids=["none", "submission", "with others", "solution", "given", "prose"],
)
def test_what_needs_no_missing_package_is_graded(
    tmp_path: Path, old: str, new: str, source: str, *, is_needed: bool
) -> None:
    """A course is not invalid where a package is missing; what imports it has no verdict."""
    (tmp_path / "course.yaml").write_text("title: T\npackages: [toolkit, nowhere.far]\n")
    assert old in DOUBLE
    (tmp_path / "double.yaml").write_text(DOUBLE.replace(old, new))
    exercise = load_exercise_file(tmp_path / "double.yaml")
    submission = Submission(Path("double.py"), source, "0" * 64)
    with open_sandbox(packages=exercise.packages) as sandbox:
        if not is_needed:
            assert grade(exercise, submission, sandbox).outcome is Outcome.PASSED
            return
        with pytest.raises(DefinitionError) as caught:
            grade(exercise, submission, sandbox)
    message = (
        r"course\.yaml:2:21: packages: 'nowhere\.far' is not installed beside Etude, with .*; "
    )
    assert re.search(f"{message}install it with `etude packages install`$", str(caught.value))


def test_the_version_of_a_package_is_part_of_the_digest(
    exercise: Exercise, site: Path, tmp_path: Path
) -> None:
    """Another version may give another verdict."""
    metadata = next(site.glob("Tool_Kit*/METADATA"))
    metadata.write_text(metadata.read_text().replace("1.5", "1.6"))
    assert load_exercise_file(tmp_path / "double.yaml").digest != exercise.digest


@pytest.mark.usefixtures("site")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("need-ed", "'need-ed' is not the name of a module, as in `import`"),
        ("json", "'json' is always there"),
        ("numpy", "'numpy' is always there"),
        ("reference", "'reference' is a part of Etude, which no submission may import"),
        ("grader.cli", "'grader.cli' is a part of Etude, which no submission may import"),
    ],
)
def test_what_a_course_cannot_name(tmp_path: Path, name: str, message: str) -> None:
    """It is said with file, line and column."""
    (tmp_path / "course.yaml").write_text(f"title: T\npackages:\n  - {name}\n")
    (tmp_path / "double.yaml").write_text(DOUBLE)
    with pytest.raises(DefinitionError) as caught:
        load_exercise_file(tmp_path / "double.yaml")
    assert f"course.yaml:3:5: packages: {message}" in str(caught.value)
