"""Data files of an exercise: where they are, and from when on."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import PIL.Image
import pytest

from grader.definitions.collection import load_exercise_file
from grader.definitions.files import MAX_DATA_BYTES
from grader.definitions.student_edition import student_files
from grader.errors import DefinitionError
from grader.grading.results.verdict import Outcome, Verdict
from grader.grading.submissions.submission import Submission
from grader.sandbox.backends import LANDLOCK, NAMESPACES
from grader.sandbox.examination import examine
from grader.sandbox.process import Sandbox
from tests.conftest import Etude
from tests.grading.conftest import grade

EXERCISE = """\
id: total
title: Total
difficulty: beginner
xp: 5
instructions: Write `total(name)`, the sum of the numbers in a file.
defines: {total: {}}
files: [data/small.csv]
hidden_files: [data/large.csv]
starter: |
  def total(name):
      ...
tests:
  - id: visible
    given: {name: small.csv}
    call: total(name)
    expect: 6.0
  - id: secret
    hidden: true
    disclose: nothing
    given: {name: large.csv}
    call: total(name)
    expect: solution
solution: |
  import numpy as np


  def total(name):
      return float(np.loadtxt(name, delimiter=",").sum())
explanation: Read and add.
"""
SOLUTION = EXERCISE.partition("solution: |\n")[2].partition("explanation")[0].replace("\n  ", "\n")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """The definition of an exercise with a visible and a hidden file, in a track of a course."""
    course = tmp_path / "course"
    (course / "data").mkdir(parents=True)
    (course / "data" / "small.csv").write_text("1,2,3\n")
    (course / "data" / "large.csv").write_text("10,20,31\n")
    (course / "course.yaml").write_text("title: T\n")
    (course / "first").mkdir()
    track = "id: first\ntitle: T\ndescription: D.\nexercises: [total]\n"
    (course / "first" / "track.yaml").write_text(track)
    (course / "first" / "total.yaml").write_text(EXERCISE)
    return course / "first" / "total.yaml"


@pytest.fixture(scope="module")
def namespaces() -> Iterator[Sandbox]:
    """A sandbox with a working folder."""
    (examination,) = examine([NAMESPACES])
    if not examination.works:
        pytest.skip(examination.reason)
    with Sandbox(NAMESPACES) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def landlock() -> Iterator[Sandbox]:
    """A sandbox without one."""
    (examination,) = examine([LANDLOCK])
    if not examination.works:
        pytest.skip(examination.reason)
    with Sandbox(LANDLOCK) as sandbox:
        yield sandbox


def grade_program(path: Path, source: str, sandbox: Sandbox) -> Verdict:
    submission = Submission(Path("total.py"), source, "0" * 64)
    return grade(load_exercise_file(path), submission, sandbox)


def outcomes(verdict: Verdict) -> list[Outcome]:
    return [result.outcome for result in verdict.tests]


def test_a_submission_reads_both(path: Path, namespaces: Sandbox) -> None:
    """Each in the tests that need it; the solution too, where a test compares with it."""
    source = SOLUTION.replace("  import numpy", "import numpy")
    verdict = grade_program(path, source, namespaces)
    assert outcomes(verdict) == [Outcome.PASSED, Outcome.PASSED], verdict


def test_a_hidden_file_is_there_only_for_hidden_tests(path: Path, namespaces: Sandbox) -> None:
    """It is missing while the submission loads and in visible tests, and no output reveals it."""
    source = """
import os
AT_FIRST = sorted(os.listdir("."))
print(AT_FIRST)

def total(name):
    if AT_FIRST != ["small.csv"]:
        return None
    if name == "small.csv":
        return 6.0 if os.listdir(".") == ["small.csv"] else None
    print(open("large.csv").read())
    return 61.0 if "large.csv" in os.listdir(".") else None
"""
    verdict = grade_program(path, source, namespaces)
    assert outcomes(verdict) == [Outcome.PASSED, Outcome.PASSED], verdict
    assert "large" not in verdict.output
    assert "10,20" not in repr(verdict)


def test_files_are_read_only(path: Path, namespaces: Sandbox) -> None:
    """A file cannot be written to, and the next submission finds it as it was."""
    source = """
def total(name):
    try:
        open(name, "w").write("7")
    except PermissionError:
        return {"small.csv": 6.0, "large.csv": 61.0}[name]
"""
    assert outcomes(grade_program(path, source, namespaces)) == [Outcome.PASSED, Outcome.PASSED]


def test_the_files_of_the_host_cannot_be_read(path: Path, namespaces: Sandbox) -> None:
    """Not even by the path of a hidden file in the course."""
    source = f"""
def total(name):
    return open({str(path.parent.parent / "data" / "large.csv")!r}).read()
"""
    verdict = grade_program(path, source, namespaces)
    assert Outcome.PASSED not in outcomes(verdict)
    assert "FileNotFoundError" in verdict.tests[0].message


READERS = {
    "NumPy": "np.loadtxt(name, delimiter=',').sum()",
    "a generator of NumPy's": "np.genfromtxt(name, delimiter=',').sum()",
    "open": "sum(map(float, open(name).read().split(',')))",
    "bytes": "sum(map(float, io.open('./' + name, 'rb').read().split(b',')))",
    "pathlib": "sum(map(float, Path(name).read_text().split(',')))",
    "an absolute path": "sum(map(float, Path(name).resolve().read_text().split(',')))",
    "if it exists": "6.0 if not Path(name).exists() else np.loadtxt(name, delimiter=',').sum()",
}


@pytest.mark.parametrize("reader", READERS)
def test_landlock_alone_has_them_in_memory(path: Path, landlock: Sandbox, reader: str) -> None:
    """There is no folder to write to: whatever opens a file in Python finds them all the same."""
    imports = "import io\nimport numpy as np\nfrom pathlib import Path\n"
    source = f"{imports}def total(name):\n    return float({READERS[reader]})\n"
    verdict = grade_program(path, source, landlock)
    assert outcomes(verdict) == [Outcome.PASSED, Outcome.PASSED], verdict


def test_in_memory_too_they_are_read_only_and_hidden_until_then(
    path: Path, landlock: Sandbox
) -> None:
    """The same error as with a folder, and no hidden file in a visible test."""
    source = """
import os

def total(name):
    if name == "small.csv" and os.path.exists("large.csv"):
        return None
    try:
        open(name, "w").write("7")
    except PermissionError:
        return {"small.csv": 6.0, "large.csv": 61.0}[name]
"""
    assert outcomes(grade_program(path, source, landlock)) == [Outcome.PASSED, Outcome.PASSED]


def test_the_author_s_code_reads_them(path: Path, sandbox: Sandbox) -> None:
    """`given`, an expected expression, the course's reference and a test's body; each both files."""
    course = path.parent.parent
    (course / "course.yaml").write_text("title: T\nreference: answers\n")
    (course / "answers").mkdir()
    (course / "answers" / "__init__.py").write_text("")
    (course / "answers" / "sums.py").write_text(
        "from pathlib import Path\n\n\ndef total(name):\n"
        "    return float(sum(map(float, Path(name).read_text().split(','))))\n"
    )
    text = EXERCISE.replace("{total: {}}", "{total: {reference: 'answers.sums:total'}}")
    text = text.replace("    expect: 6.0\n", "    expect: reference\n")
    text = text.replace(
        "  - id: secret\n",
        """  - id: given
    given: |
      numbers = np.loadtxt("small.csv", delimiter=",")
    call: numbers.sum() - total("small.csv")
    expect: {expression: "0.0 * np.loadtxt('small.csv', delimiter=',')[0]"}
  - id: body
    pytest: |
      assert total("small.csv") == sum(np.loadtxt("small.csv", delimiter=","))
  - id: secret
""",
    )
    path.write_text(text)
    verdict = grade_program(path, SOLUTION.replace("  import numpy", "import numpy"), sandbox)
    assert outcomes(verdict) == [Outcome.PASSED] * 4, verdict
    with pytest.raises(FileNotFoundError):
        Path("small.csv").read_text()


def test_the_digest_follows_the_contents(path: Path) -> None:
    """It depends on visible and hidden files."""
    digests = {load_exercise_file(path).digest}
    for name in ("small.csv", "large.csv"):
        (path.parent.parent / "data" / name).write_text("4\n")
        digests.add(load_exercise_file(path).digest)
    assert len(digests) == 3


def test_handouts_and_pages_have_no_hidden_file(path: Path, etude: Etude, tmp_path: Path) -> None:
    """The visible one goes along with a handout; a page too large a one lacks, and says so."""
    folder = path.parent.parent
    files = dict(student_files(folder))
    assert set(files) == {"course.yaml", "first/track.yaml", "first/total.yaml", "data/small.csv"}
    assert not any(b"large.csv" in content for content in files.values())
    assert etude("export", "student", "handout", "--exercises", folder).returncode == 0
    load_exercise_file(tmp_path / "handout" / "first" / "total.yaml")
    assert etude("start", "total", "--exercises", folder).returncode == 0
    assert (tmp_path / "small.csv").read_text() == "1,2,3\n"
    assert not (tmp_path / "large.csv").exists()
    page = tmp_path / "made" / "first" / "total"
    assert etude("site", "build", "--exercises", folder, "--output", "made").returncode == 0
    assert (page / "engine.txt").exists()
    (folder / "data" / "small.csv").write_bytes(b"1,2,3\n" + b" " * (2 << 20))
    assert etude("site", "build", "--exercises", folder, "--output", "made").returncode == 0
    assert not (page / "engine.txt").exists()
    assert "needs <code>small.csv</code>" in (page / "index.html").read_text()
    for made in (tmp_path / "made").rglob("*"):
        assert made.is_dir() or b"large.csv" not in made.read_bytes()


def test_an_autograder_has_all_of_them(path: Path, etude: Etude, tmp_path: Path) -> None:
    """Gradescope grades hidden tests too."""
    words = ("export", "gradescope", str(path), "--etude", "etude==0.1.0", "--output", "a.zip")
    assert etude(*words).returncode == 0
    names = zipfile.ZipFile(tmp_path / "a.zip").namelist()
    assert {"exercises/data/small.csv", "exercises/data/large.csv"} <= set(names)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("data/gone.csv", "files: there is no file 'data/gone.csv' in the folder "),
        ("../secret.csv", "files: '../secret.csv' is not a path below the course's folder"),
        ("/etc/passwd", "files: '/etc/passwd' is not a path below the course's folder"),
        ("linked/large.csv", "a symbolic link; put the folder itself here"),
        ("link.csv", "a symbolic link; put the file itself here"),
        ("huge.bin", "8,388,609 bytes; at most 8,388,608 are allowed"),
        ("large.csv", "there is another file called 'large.csv'"),
    ],
)
def test_what_cannot_be_a_file_is_said_with_its_place(
    path: Path, written: str, message: str
) -> None:
    """With line and column of the entry."""
    course = path.parent.parent
    (course / "huge.bin").write_bytes(bytes(MAX_DATA_BYTES + 1))
    (course / "large.csv").write_text("1\n")
    (course / "linked").symlink_to(course / "data")
    (course / "link.csv").symlink_to(course / "data" / "small.csv")
    path.write_text(EXERCISE.replace("data/small.csv", written))
    with pytest.raises(DefinitionError) as caught:
        load_exercise_file(path)
    assert message in str(caught.value)
    assert ":8:" in str(caught.value) or ":7:9: " in str(caught.value)


@pytest.mark.slow
def test_given_opens_what_the_packages_of_a_course_open(path: Path, etude: Etude) -> None:
    """An image with matplotlib and with PIL, an array and a table; in a worker, without a word."""
    folder = path.parent.parent
    (folder / "course.yaml").write_text("title: T\npackages: [PIL.Image, matplotlib.image]\n")
    PIL.Image.fromarray(np.array([[0, 255]], np.uint8)).save(folder / "data" / "two.png")
    np.save(folder / "data" / "six.npy", 6.0)
    given = """given: |
      import csv
      import matplotlib.image
      import matplotlib.pyplot
      import PIL.Image
      pixels = np.asarray(PIL.Image.open("two.png"))
      assert pixels.shape == matplotlib.image.imread("two.png").shape == (1, 2)
      assert next(csv.reader(open("small.csv"))) == ["1", "2", "3"]
      assert np.load("six.npy") == 6.0
      name = "small.csv"
"""
    text = EXERCISE.replace("files: [", "files: [data/two.png, data/six.npy, ", 1)
    path.write_text(text.replace("given: {name: small.csv}\n", given))
    mine = path.with_name("mine.py")
    mine.write_text(SOLUTION.replace("  import numpy", "import numpy"))

    finished = etude("check", path, mine)

    assert (finished.returncode, finished.stderr) == (0, ""), finished.stdout
