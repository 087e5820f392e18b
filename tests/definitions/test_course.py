"""`course.yaml`: what it may say, and what its exercises take from it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.definitions.collection import Collection, find_exercise, load_exercise_file
from grader.definitions.student_edition import student_files
from grader.errors import DefinitionError

Write = Callable[[str, str], None]


@pytest.fixture
def write(workdir: Path, minimal: str) -> Write:
    """Write files of a course that has one exercise with a reference of the course's own."""

    def write(path: str, text: str) -> None:
        (workdir / path).parent.mkdir(parents=True, exist_ok=True)
        (workdir / path).write_text(text, "utf-8")

    write("course.yaml", "title: Numbers\nreference: answers\n")
    write("answers/__init__.py", "")
    write("answers/twice.py", "def double(x):\n    return 2 * x\n")
    own = minimal.replace("reference.demo:double", "answers.twice:double")
    assert own != minimal
    write("first/01-double.yaml", own)
    write("first/track.yaml", "id: first\ntitle: T\ndescription: D.\nexercises: [double]\n")
    return write


def problems(load: Callable[[Path], object], path: str = ".") -> str:
    with pytest.raises(DefinitionError) as caught:
        load(Path(path))
    return str(caught.value)


@pytest.mark.usefixtures("write")
def test_every_way_to_load_an_exercise_finds_its_course(monkeypatch: pytest.MonkeyPatch) -> None:
    """As part of the collection, by its id, by its path, and from inside its track's folder."""
    ways = [
        Collection.load(Path()).exercises[0],
        find_exercise("double", Path()),
        load_exercise_file(Path("first/01-double.yaml")),
    ]
    monkeypatch.chdir("first")
    for exercise in (*ways, load_exercise_file(Path("01-double.yaml"))):
        assert exercise.course is not None
        assert exercise.course.title == "Numbers"
        assert set(exercise.course.modules) == {"answers", "answers.twice"}


def test_the_digest_follows_the_reference_and_not_the_title(write: Write) -> None:
    """A verdict belongs to one reference; without a reference it is the digest of the file."""
    before = find_exercise("double", Path()).digest
    write("course.yaml", "title: Other\nreference: answers\n")
    assert find_exercise("double", Path()).digest == before
    write("answers/twice.py", "def double(x):\n    return x + x\n")
    assert find_exercise("double", Path()).digest != before


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("course.yaml", "reference: answers\n", "course.yaml:1:1: missing key 'title' in a course"),
        ("course.yaml", "title: T\nreferense: x\n", "course.yaml:2:1: unknown key 'referense'"),
        ("course.yaml", "title: T\nreference: gone\n",
         "course.yaml:2:12: reference: there is no gone/__init__.py beside course.yaml"),
        ("course.yaml", "title: T\nreference: ../up\n",
         "course.yaml:2:12: reference: '../up' is not the name of a Python package"),
        ("course.yaml", "title: T\nreference: json\n",
         "course.yaml:2:12: reference: 'json' is the name of another package"),
        ("course.yaml", "title: T\nreference: reference\n",
         "course.yaml:2:12: reference: 'reference' is the name of another package"),
        ("answers/twice.py", "def double(:\n", "answers/twice.py:1:12: not valid Python"),
    ],
)  # fmt: skip
def test_a_course_that_is_not_valid(write: Write, path: str, text: str, message: str) -> None:
    """It is said once, with file, line and column, and not again for each exercise."""
    write(path, text)
    said = problems(Collection.load)
    assert said.startswith(message)
    assert said.count("\n") == 0
    assert problems(load_exercise_file, "first/01-double.yaml") == said


def test_an_unknown_module_is_named_where_the_exercise_names_it(write: Write, minimal: str) -> None:
    """A module that the course lacks, and a package that is neither the course's nor Etude's."""
    for reference, message in (
        ("answers.twise:double", "no module 'answers.twise'; did you mean 'answers.twice'?"),
        ("others.twice:double", "lies in the package 'reference' or 'answers', not in 'others'"),
    ):
        own = minimal.replace("reference.demo:double", reference)
        write("first/01-double.yaml", own)
        assert message in problems(Collection.load)


def test_a_link_out_of_the_course_is_refused(write: Write, tmp_path: Path) -> None:
    """A module of the reference is a file of the course, not of this machine."""
    write("elsewhere/secret.py", "x = 1\n")
    (tmp_path / "answers" / "more.py").symlink_to(tmp_path / "elsewhere" / "secret.py")
    assert "symbolic link" in problems(Collection.load)


def test_the_student_edition_has_nothing_of_the_reference(write: Write, minimal: str) -> None:
    """It has no files of it, not its name, and no visible test that compares with it."""
    test = "  - id: {}\n    given: {{x: [1.0]}}\n    call: double(x)\n    expect: {}\n"
    own = minimal.replace("reference.demo:double", "answers.twice:double")
    own = own.replace(
        "tests:\n",
        "tests:\n"
        + test.format("by-reference", "reference")
        + test.format("by-expression", "{expression: answers.twice.double(x)}")
        + test.format("by-counterpart", "{expression: double(x)}")
        + test.format("written-out", "[2.0]"),
    )
    write("first/01-double.yaml", own)
    load_exercise_file(Path("first/01-double.yaml"))
    files = dict(student_files(Path()))
    assert set(files) == {"course.yaml", "first/01-double.yaml", "first/track.yaml"}
    text = files["first/01-double.yaml"].decode()
    assert not any("answers" in content.decode() for content in files.values())
    assert "written-out" in text
    assert not any(each in text for each in ("by-reference", "by-expression", "by-counterpart"))
    for path, content in files.items():
        write(f"handout/{path}", content.decode())
    assert (
        find_exercise("double", Path("handout")).hidden_elsewhere == 4
    )  # and the one of the template
