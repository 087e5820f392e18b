"""Submissions of several files: how they are read, loaded, screened and explained."""

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from grader.authoring.verify.wrong_programs import sabotage_programs
from grader.definitions import program_files
from grader.definitions.exercise import Exercise
from grader.errors import DefinitionError
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.submissions.read_submission import read_submission
from grader.grading.workers.submissions_folder import plan_batch
from grader.sandbox.in_child import modules
from grader.sandbox.process import Sandbox
from tests.grading.conftest import Fields, Make, grade
from tests.notebook_files import notebook

FILES = ("main.py", "helpers.py")
MAIN = "from helpers import twice\n\n\ndef f(x):\n    return twice(x)\n"
HELPERS = "import numpy as np\n\n\ndef twice(x):\n    return 2.0 * np.asarray(x)\n"
RIGHT = program_files.join_files({"main.py": MAIN, "helpers.py": HELPERS})
TEST: Fields = {"call": "f(3.0)", "expect": 6.0}
ARRAY: Fields = {"given": "x = rng.normal(size=(2, 3))", "call": "f(x)", "expect": "solution"}
Grade: TypeAlias = Callable[..., Verdict]


@pytest.fixture
def several(make: Make) -> Callable[..., Exercise]:
    """Load an exercise of two files."""

    def load(**fields: object) -> Exercise:
        given = {"files_to_submit": list(FILES), "starter": RIGHT, "solution": RIGHT, **fields}
        return make(TEST, ARRAY, **given)

    return load


@pytest.fixture
def grade_files(several: Callable[..., Exercise], sandbox: Sandbox, tmp_path: Path) -> Grade:
    """Grade a folder with these files, named without their suffixes."""

    def verdict(*, forbid: Fields | None = None, **files: str) -> Verdict:
        folder = tmp_path / "mine"
        folder.mkdir()
        for name, text in files.items():
            folder.joinpath(f"{name}.py").write_text(text)
        exercise = several(**({"forbid": forbid} if forbid else {}))
        return grade(exercise, read_submission(folder, FILES), sandbox)

    return verdict


def test_the_main_file_imports_the_others(grade_files: Grade) -> None:
    """By their names, and they import it and each other; a class of a helper is the program's."""
    verdict = grade_files(
        main="import helpers\n\nTWO = 2.0\n\ndef f(x):\n    return helpers.Twice()(x)\n",
        helpers="class Twice:\n    def __call__(self, x):\n        import main\n"
        "        return main.TWO * x\n",
    )
    assert verdict.outcome is Outcome.PASSED, verdict.tests


def test_feedback_names_the_file_of_a_line(grade_files: Grade) -> None:
    """The line is that of the file; the verdict's own line is one of the main file, or none."""
    verdict = grade_files(main=MAIN, helpers="\n\ndef twice(x):\n    return x / 0\n")
    result = verdict.tests[0]
    assert "Line 4 of helpers.py, in twice" in result.message
    assert result.line is None


def test_the_line_of_the_main_file_is_its_own(grade_files: Grade) -> None:
    """It is told beside the sentence, for annotations."""
    result = grade_files(main="def f(x):\n    return x / 0\n", helpers=HELPERS).tests[0]
    assert "Line 2 of main.py" in result.message
    assert result.line == 2


def test_a_file_that_ends_too_early_is_named(grade_files: Grade) -> None:
    """The code after it in another file is not part of it."""
    verdict = grade_files(main="def f(x):\n", helpers=HELPERS)
    assert verdict.message.startswith("Python cannot read line 1 of main.py: `def f(x):`.")
    assert "definition on line 1 of main.py" in verdict.message


@pytest.mark.parametrize(
    ("main", "helpers", "line"),
    [
        (MAIN, "import numpy as np\n\ndef twice(x):\n    return np.sum([x, x])\n", "4"),
        ("from helpers import np as n\n\ndef f(x):\n    return n.sum([x, x])\n", HELPERS, "4"),
        ("import helpers as h\n\ndef f(x):\n    return h.np.sum([x, x])\n", HELPERS, "4"),
        ("def f(x):\n    return sum([x, x])\n", "def sum(x):\n    return x\n", "2"),
        (
            "from helpers import add\n\ndef f(x):\n    return add([x, x])\n",
            "from numpy import sum as add\n",
            "4",
        ),
        ("import helpers\n\ndef f(x):\n    return g(helpers)\n", HELPERS, "4"),
    ],
)
def test_what_is_forbidden_is_found_in_all_files(
    grade_files: Grade, main: str, helpers: str, line: str
) -> None:
    """Also under a name that another file gives it, or that another file defines."""
    verdict = grade_files(main=main, helpers=helpers, forbid={"names": ["np.sum", "sum"]})
    assert verdict.outcome is Outcome.FAILED
    assert f"ine {line} of " in verdict.message


def test_a_helper_of_its_own_is_not_forbidden(grade_files: Grade) -> None:
    """To use what another file defines is what files are for."""
    verdict = grade_files(main=MAIN, helpers=HELPERS, forbid={"names": ["np.sum", "sum"]})
    assert verdict.outcome is Outcome.PASSED


def _write(folder: Path, files: dict[str, bytes]) -> Path:
    folder.mkdir()
    for name, data in files.items():
        folder.joinpath(name).write_bytes(data)
    return folder


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"main.py": b"x = 1"}, "There is no file helpers.py. Submit main.py, helpers.py."),
        ({"helpers.py": b"x = 1"}, "There is no file main.py. Submit main.py, helpers.py."),
        (
            {"main.py": b"x = 1", "helpers.py": b"", "more.py": b"x"},
            "more.py: This file is not asked for. Submit main.py, helpers.py.",
        ),
        ({"main.py": b"x = 1", "helpers.py": b"\xff"}, "helpers.py: The file is not UTF-8"),
        (
            {"main.py": b"#" * 40_000, "helpers.py": b"#" * 40_000},
            "The files have more than 64 KiB",
        ),
        (
            {"main.py": b"x = 1", "helpers.py": b"y = 1\n# etude file: main.py\n"},
            "helpers.py: A line begins with '# etude file:'. Take it out.",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said_of_it(
    tmp_path: Path, files: dict[str, bytes], said: str
) -> None:
    """In a folder and in a zip."""
    folder = _write(tmp_path / "mine", files)
    assert read_submission(folder, FILES).problem.startswith(said)
    packed = tmp_path / "mine.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"mine/{name}", data)
    assert read_submission(packed, FILES).problem.startswith(said)


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    """Neither a linked file nor a linked folder below the graded one is followed."""
    folder = _write(tmp_path / "mine", {"main.py": b"x = 1"})
    folder.joinpath("helpers.py").symlink_to("/etc/passwd")
    assert "helpers.py: This is a symbolic link" in read_submission(folder, FILES).problem
    tmp_path.joinpath("linked").symlink_to(folder)
    found = read_submission(tmp_path / "linked", FILES, below=tmp_path)
    assert "symbolic link" in found.problem


def test_a_zip_that_is_none_is_a_sentence(tmp_path: Path) -> None:
    """A zip with files in several folders gets a sentence, too."""
    path = tmp_path / "mine.zip"
    path.write_bytes(b"PK")
    assert read_submission(path, FILES).problem.startswith("The zip cannot be read")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("a/main.py", "x = 1")
        archive.writestr("b/helpers.py", "x = 1")
    path.write_bytes(data.getvalue())
    assert "several folders" in read_submission(path, FILES).problem


def test_a_folder_a_zip_and_the_main_file_are_the_same_submission(tmp_path: Path) -> None:
    """Its digest covers all files; what lies beside the main file does not count."""
    folder = _write(tmp_path / "mine", {"main.py": MAIN.encode(), "helpers.py": HELPERS.encode()})
    packed = tmp_path / "mine.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in folder.iterdir():
            archive.write(path, path.name)
    whole = read_submission(folder, FILES)
    assert whole.source == RIGHT
    assert read_submission(packed, FILES).digest == whole.digest
    folder.joinpath("scratch.py").write_text("x = 1")
    assert read_submission(folder / "main.py", FILES).digest == whole.digest
    folder.joinpath("helpers.py").write_text("# changed\n" + HELPERS)
    assert read_submission(folder / "main.py", FILES).digest != whole.digest


def test_the_main_file_may_be_a_notebook(
    several: Callable[..., Exercise], sandbox: Sandbox, tmp_path: Path
) -> None:
    """Sentences name its cells, and the files beside it."""
    folder = tmp_path / "mine"
    folder.mkdir()
    folder.joinpath("main.ipynb").write_text(notebook("1 +", MAIN))
    folder.joinpath("helpers.py").write_text(HELPERS)
    exercise = several()
    verdict = grade(exercise, read_submission(folder, FILES), sandbox)
    assert verdict.outcome is Outcome.PASSED
    folder.joinpath("helpers.py").write_text("\ndef twice(x):\n    return x / 0\n")
    verdict = grade(exercise, read_submission(folder, FILES), sandbox)
    assert "Line 3 of helpers.py, in twice" in verdict.tests[0].message


def test_one_text_may_hold_all_files(several: Callable[..., Exercise], sandbox: Sandbox) -> None:
    """As a page or the service sends it; one without the comments is told so."""

    def verdict(text: str) -> Verdict:
        return grade(several(), text, sandbox)

    assert verdict(RIGHT).outcome is Outcome.PASSED
    alone = verdict("def f(x):\n    return 2 * x\n").message
    assert alone.startswith("This is one file alone. Submit `main.py` and `helpers.py`: a folder")
    said = "`helpers.py` is missing. Submit `main.py` and `helpers.py`."
    assert verdict(f"# etude file: main.py\n{MAIN}").message == said


@pytest.mark.parametrize(
    ("wrong", "others"),
    [
        (
            "# etude file: main.py\ndef f(x):\n    return x\n",
            "# etude file: helpers.py\nunused = 1\n",
        ),
        ("# etude file: helpers.py\ndef twice(x):\n    return x\n", ""),
    ],
)
def test_a_misconception_takes_the_files_that_it_lacks_from_the_solution(
    wrong: str, others: str, several: Callable[..., Exercise], sandbox: Sandbox
) -> None:
    """It is recognized in a submission with a helper written in another way, or made in a helper."""
    known = {"id": "once", "code": wrong, "feedback": "Take it twice."}
    exercise = several(misconceptions=[known])
    text = wrong + others if others else program_files.with_missing_files(wrong, RIGHT)
    verdict = grade(exercise, text, sandbox)
    assert verdict.diagnosis is not None
    assert verdict.diagnosis.id == "once"


def test_a_wrong_program_for_a_proof_is_wrong_in_its_main_file(
    several: Callable[..., Exercise], sandbox: Sandbox
) -> None:
    """What is appended comes after the files, and belongs to the first."""
    for wrong in sabotage_programs(several(), RIGHT):
        verdict = grade(several(), wrong.source, sandbox)
        assert not verdict.message
        assert verdict.outcome is not Outcome.PASSED, wrong.id


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"starter": "x = 1\n"}, "starter: needs a line '# etude file: NAME' before each of"),
        ({"solution": f"x = 1\n{RIGHT}"}, "solution: needs a line '# etude file: NAME'"),
        ({"files_to_submit": ["main.py"]}, "name at least two files"),
        ({"files_to_submit": ["main.py", "Helpers.py"]}, "'Helpers.py' is not lower-case words"),
        ({"files_to_submit": ["main.py", "random.py"]}, "'random.py' has the name of a module"),
        (
            {"misconceptions": [{"id": "a", "code": "x = 1", "feedback": "b"}]},
            "code: needs a line such as '# etude file: main.py' first",
        ),
    ],
)
def test_a_definition_that_lacks_a_file_is_refused(
    several: Callable[..., Exercise], fields: Fields, said: str
) -> None:
    """With its line, as every error of a definition."""
    with pytest.raises(DefinitionError) as raised:
        several(**fields)
    assert any(said in problem.message for problem in raised.value.problems), raised.value.problems


def test_a_batch_takes_folders_of_several_files(
    several: Callable[..., Exercise], tmp_path: Path
) -> None:
    """And leaves folders alone that are not called as such an exercise."""
    exercise, folder = several(), tmp_path / "submissions"
    for name in ("small", "other"):
        _write_all(folder / "ada" / name)

    made = plan_batch(folder, ["small"], lambda _: exercise)
    ((job, (entry,)),) = made.groups.values()
    assert job.submission.source == RIGHT
    assert (entry.student, entry.exercise) == ("ada", "small")
    assert {path.parent for path in made.not_looked_at} == {folder / "ada" / "other"}


def _write_all(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.joinpath("main.py").write_text(MAIN)
    folder.joinpath("helpers.py").write_text(HELPERS)


def test_both_sides_read_the_same_files() -> None:
    """The sandbox cannot import what the trusted side reads them with."""
    inside = {f"{name}.py": text for name, text in modules.split(RIGHT).items()}
    ours = program_files.split_files(RIGHT)
    assert list(inside) == list(ours) == list(FILES)
    for name, text in ours.items():
        assert inside[name].strip("\n") == f"# etude file: {name}\n{text}".strip("\n")
