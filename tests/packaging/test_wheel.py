"""The wheel: complete, the same from checkout and sdist, working anywhere, and without a secret."""

import functools
import html
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from grader.definitions.collection import load_exercise
from grader.definitions.exercise import CallTest, Exercise, FromExpression, Seeded
from grader.definitions.files import default_folder
from grader.definitions.schema import SCHEMAS, schema_path
from grader.definitions.student import student_text

if TYPE_CHECKING:
    from tests.packaging.conftest import Build, Installed

ROOT = Path(__file__).parent.parent.parent
CONTENT = "grader/_content/"
COURSES = sorted([ROOT / "exercises" / "course.yaml", *ROOT.glob("courses/*/course.yaml")])
TRACKS = sorted(path for course in COURSES for path in course.parent.rglob("track.yaml"))
LESSONS = sorted(
    path for course in COURSES for path in course.parent.glob("*/lessons/**/*") if path.is_file()
)
EXERCISES = sorted(
    {path for course in COURSES for path in course.parent.glob("*/*.yaml")} - {*TRACKS}
)
DATA = {
    course.parent / name
    for course in COURSES
    for path in course.parent.glob("*/**/*.*")
    if path.suffix in {".yaml", ".md"}
    for line in re.findall(r"^(?:files: \[.*\]|data/\S+)$", path.read_text("utf-8"), re.MULTILINE)
    for name in re.findall(r"data/[^\s,\]]+", line)
}
"""The data files that exercises and lessons show; others are for hidden tests."""
SAMPLES = ROOT / "examples" / "submissions"

_SHORTEST = 20  # characters; a shorter line says too little to be anyone's own


@functools.cache
def members(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def below_root(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_the_wheel_carries_every_exercise_in_its_student_edition(wheel: Path) -> None:
    """Tracks and lessons as they are, exercises as `student_text` gives them, and courses' titles."""
    content = {
        name.removeprefix(CONTENT): data
        for name, data in members(wheel).items()
        if name.startswith("grader/_content/")
    }
    expected = {below_root(path): path.read_bytes() for path in [*TRACKS, *LESSONS]}
    expected |= {below_root(path): student_text(path).encode() for path in EXERCISES}
    expected |= {below_root(path): path.read_bytes() for path in DATA}
    courses = {name: content.pop(name) for name in map(below_root, COURSES)}
    assert content == expected
    generated = b"# Generated: edit the course's own file.\n"
    assert courses["exercises/course.yaml"] == generated + b"title: Etude\n"
    assert all(text.startswith(generated + b"title: ") for text in courses.values())
    assert len(EXERCISES) >= 2


def test_the_wheel_carries_the_schemas(wheel: Path) -> None:
    """An author's editor finds them beside the types, without a checkout."""
    for kind in SCHEMAS:
        name = schema_path(kind).relative_to(ROOT).as_posix()
        assert members(wheel)[name] == schema_path(kind).read_bytes()


@pytest.mark.slow
def test_the_wheel_from_the_sdist_is_the_same(wheel: Path, unpacked: Path, build: "Build") -> None:
    """The same files with the same contents; even the archive has the same bytes."""
    from_sdist = build("wheel", unpacked)
    assert list(members(from_sdist)) == list(members(wheel))
    assert members(from_sdist) == members(wheel)
    assert (from_sdist.name, from_sdist.read_bytes()) == (wheel.name, wheel.read_bytes())


@pytest.mark.slow
def test_the_sdist_keeps_the_full_definitions(unpacked: Path) -> None:
    """It is the source: what the wheel is made from is in it unchanged, with the build hook."""
    for path in [*TRACKS, *EXERCISES, ROOT / "scripts" / "hatch_build.py", ROOT / "pyproject.toml"]:
        assert (unpacked / path.relative_to(ROOT)).read_bytes() == path.read_bytes()


def test_an_editable_install_reads_the_checkout_s_exercises(tmp_path: Path) -> None:
    """It carries no copy that could grow stale: a checkout's exercises are used, in full."""
    program = "import sys; from hatchling.build import build_editable; build_editable(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, check=True, capture_output=True
    )
    (editable,) = tmp_path.iterdir()
    assert not [name for name in members(editable) if "_content" in name]
    assert default_folder() == ROOT / "exercises"


def test_the_wheel_has_the_packages_and_no_tests(wheel: Path) -> None:
    """Three packages with what they need, and our metadata; no `site`, which is Python's name."""
    names = members(wheel)
    assert {name.split("/")[0] for name in names} == {
        "grader", "reference", "sitegen", f"{wheel.name.partition('-py3')[0]}.dist-info",
    }  # fmt: skip
    assert {"sitegen/_data/templates/base.html", "sitegen/_data/assets/site.css"} <= names.keys()
    assert "grader/sandbox/inside/zygote.py" in names
    assert {
        "grader/service/staff/templates/base.html", "grader/service/staff/staff.css",
        "grader/service/store/migrations/versions/0001_tables.py",
    } <= names.keys()  # fmt: skip


def test_python_s_own_site_is_not_shadowed() -> None:
    """`import site` gives the standard library's in a checkout."""
    program = (
        "import os, site; print(os.path.dirname(site.__file__) == os.path.dirname(os.__file__))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


@pytest.mark.slow
def test_the_installed_code_is_the_wheel_s(installed: "Installed", tmp_path: Path) -> None:
    """Nothing of the checkout is imported, so these tests try what a user would get."""
    program = (
        "import grader, reference, sitegen, json;"
        "from grader.definitions.files import default_folder;"
        "files = [module.__file__ for module in (grader, reference, sitegen)];"
        "print(json.dumps([*files, str(default_folder())]))"
    )
    done = installed.run("python", "-c", program, cwd=tmp_path)
    assert done.stderr == ""
    for path in json.loads(done.stdout):
        assert Path(path).is_relative_to(installed.packages)


@pytest.mark.parametrize(
    ("sample", "status", "last"),
    [
        ("correct", 0, "The tests here pass: 3/3 points. 6 hidden tests are run by your course."),
        pytest.param("unscaled", 1, "Not passed yet: ", marks=pytest.mark.slow),
    ],
)
def test_check_works_from_anywhere(
    installed: "Installed", tmp_path: Path, sample: str, status: int, last: str
) -> None:
    """A right file passes, a wrong one does not, in the sandbox and with the visible tests."""
    path = SAMPLES / sample / "attention-weights.py"
    done = installed.run("etude", "check", "attention-weights", path, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (status, "")
    assert last in done.stdout


@pytest.mark.slow
def test_check_knows_the_visible_tests_alone(installed: "Installed", tmp_path: Path) -> None:
    """The verdict names the tests that the student edition has."""
    path = SAMPLES / "correct" / "causal-attention.py"
    done = installed.run(
        "etude", "check", "causal-attention", path, "--format", "json", cwd=tmp_path
    )
    verdict = json.loads(done.stdout)
    exercise = load_exercise(ROOT / "exercises" / "attention" / "18-causal-attention.yaml")
    assert [test["id"] for test in verdict["tests"]] == [
        test.id for test in exercise.tests if not test.hidden
    ]


@pytest.mark.slow
@pytest.mark.parametrize("answer", [64, 7])
def test_a_prediction_is_not_judged_without_its_tests(
    installed: "Installed", tmp_path: Path, answer: int
) -> None:
    """All its tests are the course's: whatever is answered is neither passed nor recorded."""
    (tmp_path / "answers.py").write_text(
        f"variance = {answer}\nstandard_deviation = 8\nscaled_variance = 1\n"
        "four_times_the_features = 'doubles'\n"
    )
    check = ("etude", "check", "score-spread", "answers.py")
    told = installed.run(*check, cwd=tmp_path)
    assert (told.returncode, told.stderr) == (1, "")
    assert "is found by the hidden tests, which are not run here." in told.stdout
    assert told.stdout.splitlines()[-1] == "Not judged: 4 hidden tests are run by your course."
    verdict = json.loads(installed.run(*check, "--format", "json", cwd=tmp_path).stdout)
    assert (verdict["outcome"], verdict["xp"], verdict["tests"]) == ("not run", 0, [])
    assert "0 XP" in installed.run("etude", "progress", cwd=tmp_path).stdout
    installed.run("etude", "progress", "export", "record.json", cwd=tmp_path)
    assert json.loads((tmp_path / "record.json").read_text())["attempts"] == []


def test_an_author_s_code_imports_late_and_reads_nothing(
    installed: "Installed", tmp_path: Path
) -> None:
    """Of the environment's packages everything, of the folder around the definition nothing."""
    (tmp_path / "neighbour").write_text("secret")
    (tmp_path / "late.yaml").write_text(
        "id: late\ntitle: Late\ndifficulty: beginner\nxp: 1\ninstructions: i\n"
        "defines: {double: {}}\nstarter: ''\nsolution: ''\nexplanation: e\ntests:\n"
        "  - id: only\n    call: double(x)\n    expect: 2\n    given: |\n"
        "      import numpy.polynomial.hermite, reference.gpt, sqlite3, xmlrpc.client\n"
        f"      try:\n          x = bool(open({str(tmp_path / 'neighbour')!r}).read()) + 1\n"
        "      except PermissionError:\n          x = 1\n"
    )
    (tmp_path / "double.py").write_text("def double(x):\n    return 2 * x\n")
    done = installed.run("etude", "check", "late.yaml", "double.py", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_grade_works_from_anywhere(installed: "Installed", tmp_path: Path) -> None:
    """A folder is graded; 1 is the status because some samples are wrong."""
    done = installed.run("etude", "grade", SAMPLES, "--format", "json", cwd=tmp_path)
    assert done.returncode == 1
    assert "etude:" not in done.stderr  # progress may be there, where it takes a while
    verdicts = json.loads(done.stdout)["verdicts"]
    right = {verdict["student"] for verdict in verdicts if verdict["outcome"] == "passed"}
    assert {"correct", "correct-einsum"} <= right


@pytest.mark.slow
def test_the_site_is_built_from_the_wheel(installed: "Installed", tmp_path: Path) -> None:
    """Templates, assets and exercises are all found; there is a page for each exercise."""
    done = installed.run("etude", "site", "build", "--output", "out", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for path in EXERCISES:
        if not path.is_relative_to(ROOT / "exercises"):
            continue
        exercise = load_exercise(path)
        page = tmp_path / "out" / path.parent.name / exercise.id / "index.html"
        assert exercise.title in html.unescape(page.read_text("utf-8"))


def hidden_ids(exercise: Exercise) -> set[str]:
    """The names of what is hidden."""
    tests = {str(test.id) for test in exercise.tests if test.hidden}
    # Public words: a test may be named after a question, a misconception after another exercise.
    asked = {name.replace("_", "-") for name in exercise.defines} | set(exercise.requires)
    named = (tests | {each.id for each in exercise.misconceptions}) - asked
    return {each for each in named if each not in exercise.instructions}


def hidden_texts(exercise: Exercise) -> Iterator[str]:
    """Yield every text of an exercise that a learner must not find."""
    yield exercise.solution
    yield exercise.explanation
    for each in exercise.misconceptions:
        yield from (each.code, each.feedback)
    for mutant in exercise.equivalent:
        yield from (mutant.change, mutant.reason)
    for test in exercise.tests:
        if not test.hidden:
            continue
        for key in ("description", "call", "run", "stdout", "against", "pytest"):
            yield getattr(test, key, None) or ""
        if isinstance(test.given, Seeded):
            yield test.given.code
        if isinstance(test, CallTest) and isinstance(test.expect, FromExpression):
            yield test.expect.code


def comments(path: Path) -> str:
    """The lines that are comments, those of embedded programs among them."""
    lines = path.read_text("utf-8").splitlines()
    return "\n".join(line.strip(" #") for line in lines if line.lstrip().startswith("#"))


def hidden_lines(path: Path) -> set[str]:
    """Every line that is hidden; not those that learners are given anyway, or the reference has."""
    texts = [*hidden_texts(load_exercise(path)), comments(path)]
    lines = {line.strip() for text in texts for line in text.splitlines()}
    public = student_text(path) + reference_text()
    return {line for line in lines if len(line) >= _SHORTEST and line not in public}


@functools.cache
def reference_text() -> str:
    return "".join(module.read_text("utf-8") for module in (ROOT / "reference").glob("*.py"))


@functools.cache
def public_text() -> str:
    """What anyone may read: such a line is a secret of none."""
    package = ROOT / "grader"
    sources = (*package.rglob("*.py"), *package.rglob("*.yaml"))
    texts = [path.read_text("utf-8") for path in (*LESSONS, *sources)]
    return "\n".join([*map(student_text, EXERCISES), *texts, reference_text()])


@pytest.mark.slow
@pytest.mark.parametrize("path", EXERCISES, ids=lambda path: path.stem)
def test_no_byte_of_the_wheel_has_anything_hidden(path: Path, wheel: Path) -> None:
    """No hidden id, and no line of a hidden test, solution, explanation, misconception, comment."""
    ids, lines = hidden_ids(load_exercise(path)), hidden_lines(path)
    assert ids
    assert lines
    own = members(wheel)[CONTENT + below_root(path)]
    # In its own file nothing hidden may be; elsewhere what is no one else's public text.
    assert [each for each in ids if is_named(each, own)] == []
    assert [line for line in lines if line.encode() in own] == []
    rest, known = all_but_sources(wheel), public_text()
    assert [i for i in ids if "-" in i and is_named(i, rest) and i not in known] == []
    assert [line for line in lines if line.encode() in rest and line not in known] == []


@functools.cache
def all_but_sources(wheel: Path) -> bytes:
    """All names and contents, but for our modules: their text is public."""
    files = members(wheel)
    contents = (data for name, data in files.items() if not name.endswith(".py"))
    return b"\n".join(["\n".join(files).encode(), *contents])


def is_named(each: str, text: bytes) -> bool:
    """Tell whether an id occurs: one of several words anywhere, a plain word only as an id."""
    before = r"(?<![\w-])" if "-" in each else r"\bid: [\"']?"
    pattern = rf"{before}{each}(?![\w-])".encode()
    return each.encode() in text and re.search(pattern, text) is not None


def canary(place: str) -> str:
    return f"zqx{place}jvk"


def canary_exercise() -> dict[str, Any]:
    """An exercise with a canary wherever something is hidden."""
    hidden = {"hidden": True, "points": 3}
    return {
        "id": "double", "title": "Double it", "difficulty": "beginner", "xp": 5,
        "instructions": f"Write double. {canary('visible')}",
        "starter": "def double(x):\n    ...\n",
        "defines": {"double": {}},
        "tests": [
            {"id": "two", "given": {"x": 2}, "call": "double(x)", "expect": 4},
            {
                "id": canary("id"), "description": canary("description"), **hidden,
                "given": {canary("name"): canary("value"), "x": [918273.645, 5.0]},
                "call": f"double(x) + len({canary('name')!r})", "expect": {"a": canary("expect")},
            },
            {
                "id": "printed", **hidden, "given": f"x = 3  # {canary('given')}\n",
                "run": f"print(double(x), {canary('run')!r})", "stdout": f"6 {canary('stdout')}",
            },
            {"id": "checked", **hidden, "pytest": f"assert double(1) == 2  # {canary('pytest')}"},
            {"id": "solved", "run": f"print(double({canary('solved')!r}))"},
        ],
        "equivalent": [{"change": canary("change"), "reason": canary("reason")}],
        "misconceptions": [
            {
                "id": canary("mistake"), "code": f"{canary('code')} = 1\n",
                "feedback": canary("feedback"),
            }
        ],
        "solution": f"def double(x):\n    return 2 * x  # {canary('solution')}\n",
        "explanation": canary("explanation"),
    }  # fmt: skip


@pytest.mark.slow
def test_no_canary_reaches_a_wheel(tree: Path, build: "Build") -> None:
    """A collection full of canaries gives a wheel with the public one alone, and still works."""
    folder = tree / "exercises" / "attention"
    text = json.dumps(canary_exercise(), indent=1)
    for path in folder.glob("*-*.yaml"):
        path.unlink()
    (folder / "01-double.yaml").write_text(f"# {canary('comment')}\n{text}\n")
    (folder / "track.yaml").write_text(
        "id: attention\ntitle: A\ndescription: B\nexercises: [double]\n"
    )
    for name in (".02-draft.yaml", "notes.md", "01-double.yaml.orig", "deeper/03-lost.yaml"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    made = members(build("wheel", tree))
    found = {
        each.decode()
        for name, data in made.items()
        for each in re.findall(rb"zqx[a-z]+jvk|918273", name.encode() + b"\n" + data)
    }
    assert found == {canary("visible")}
    student = tree / "student.yaml"
    student.write_bytes(made[f"{CONTENT}exercises/attention/01-double.yaml"])
    assert load_exercise(student).hidden_elsewhere == 4


@pytest.mark.slow
def test_a_broken_exercise_breaks_the_build(tree: Path) -> None:
    """Where it is unclear what is hidden, there is no wheel at all."""
    path = tree / "exercises" / "attention" / "13-attention-weights.yaml"
    text = path.read_text("utf-8")
    path.write_text(text.replace("    hidden: true", "    hiden: true", 1))
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tree / "made")]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "unknown key 'hiden' in a test" in done.stderr
    assert not list((tree / "made").glob("*.whl"))
