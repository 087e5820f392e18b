"""The student edition of an exercise: the same public content, and nothing else."""

import dataclasses
import json
import math
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from grader.definitions import yaml_source
from grader.definitions.collection import load_exercise_file
from grader.definitions.emit import emit
from grader.definitions.exercise import (
    CallTest,
    Exercise,
    FromSolution,
    OutputTest,
    SuiteTest,
    TestCase,
)
from grader.definitions.student_edition import PUBLIC, student_files, student_text
from grader.definitions.yaml_source import ListNode, MappingNode, Node, Scalar, Style, read_yaml
from grader.errors import DefinitionError, Location

ROOT = Path(__file__).parent.parent.parent
EXERCISES = sorted((ROOT / "exercises").rglob("*-*.yaml"))
COMPLETE = ROOT / "tests" / "definitions" / "complete.yaml"
MINIMAL = ROOT / "tests" / "definitions" / "minimal.yaml"

PARSERS = ["CSafeLoader", "SafeLoader"]
HERE = Location(Path("made.yaml"))

# What a text in a definition may hold: no control characters, and no line breaks but our own.
CHARACTERS = st.characters(
    exclude_categories=["Cc", "Cs"], exclude_characters="\u2028\u2029\ufffe\uffff"
)
PIECES = st.sampled_from(
    [
        *" \t\n:#-?|>&*!%@`'\"\\{}[],=~<^0a",
        *["\n\n", "\n  ", "  ", ": ", " #", "- ", "? ", "---", "...", "%YAML", "\ufeff", "\xa0"],
        *["on", "No", "null", "~", "true", "1e3", "0x1F", "012", "1:30", ".nan", "1_0", "<<"],
        *["reference", "None", "2024-01-01", "é", "\u200b", "\U0001f600", "\U0010fffd"],
    ]
)


@st.composite  # named, since Hypothesis prints strategies in full otherwise, and that is long
def texts(draw: st.DrawFn) -> str:
    return "".join(draw(st.lists(PIECES | CHARACTERS, max_size=6)))


TEXTS = texts()


def content(value: object) -> object:
    """Return a loaded value with its types, dtypes and order of keys, but without places."""
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return [
            (name, content(getattr(value, name)))
            for name in names
            if name not in ("where", "digest")
        ]
    if isinstance(value, np.ndarray):
        return ("array", value.dtype.str, value.shape, repr(value.tolist()))
    if isinstance(value, dict):
        return [(key, content(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return [content(item) for item in value]
    return (type(value), repr(value))


def public(full: Exercise) -> Exercise:
    """Remove from a loaded exercise what a student edition must not have."""
    kept = tuple(test for test in full.tests if not test.hidden and not needs_solution(test))
    return dataclasses.replace(
        full,
        tests=kept,
        equivalent=(),
        also_right=(),
        small_examples=True,
        solution="",
        program="",
        explanation="",
        misconceptions=(),
        hidden_files=(),
        hidden_data={},
        course=None,  # the text is loaded without a `course.yaml` beside it
        edition="student",
        hidden_elsewhere=len(full.tests) - len(kept),
    )


def needs_solution(test: TestCase) -> bool:
    match test:
        case OutputTest(stdout=None) | CallTest(expect=FromSolution()) | SuiteTest():
            return True
    return False


def load_text(text: str) -> Exercise:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.yaml")
        path.write_text(text, "utf-8", newline="")
        shutil.copy(MINIMAL, folder)  # a data file of the complete exercise
        return load_exercise_file(path)


def student_of(text: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.yaml")
        path.write_text(text, "utf-8", newline="")
        shutil.copy(MINIMAL, folder)  # a data file of the complete exercise
        return student_text(path)


@pytest.mark.parametrize("path", [*EXERCISES, COMPLETE, MINIMAL], ids=lambda path: path.stem)
def test_the_public_content_is_the_same(path: Path) -> None:
    """Our loader reads from it exactly what it reads from the full edition, hidden parts apart."""
    assert content(load_text(student_text(path))) == content(public(load_exercise_file(path)))


def test_the_public_content_is_the_same_without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """The parser that takes its place reads the same."""
    text = student_text(COMPLETE)
    monkeypatch.setattr(yaml_source, "_LOADER", yaml.SafeLoader)
    assert content(load_text(text)) == content(public(load_exercise_file(COMPLETE)))


def test_the_first_line_names_the_source() -> None:
    """A reader of the generated file learns where to change something."""
    path = EXERCISES[0]
    first, second = student_text(path).splitlines()[:2]
    assert first.startswith(f"# Generated from {path.parent.name}/")
    assert path.name in first
    assert second == "edition: student"


def test_a_folder_s_name_cannot_add_keys(tmp_path: Path) -> None:
    """The comment stays one line, whatever the path is made of."""
    folder = tmp_path / "a\nsolution: here"
    folder.mkdir()
    path = folder / "x.yaml"
    path.write_bytes(MINIMAL.read_bytes())
    assert student_text(path).splitlines()[0].startswith(r"# Generated from a\nsolution: here/")


def test_the_edition_of_an_edition_is_the_same() -> None:
    """Made once more from a student edition, the content and the count stay."""
    once = student_text(COMPLETE)
    assert student_of(once).splitlines()[1:] == once.splitlines()[1:]
    assert "hidden_elsewhere: 4" in once


def test_every_key_is_public_or_known_to_be_hidden() -> None:
    """Anyone who adds a key to the format has to decide here whether learners may see it."""
    hidden = {
        "solution", "explanation", "misconceptions", "equivalent", "also_right", "small_examples",
        "hidden_files", "program",
    }  # fmt: skip
    set_by_us = {
        "edition", "hidden_elsewhere", "where", "digest", "course", "data", "hidden_data",
        "draw_salt", "package_problems",
    }  # fmt: skip
    keys = {field.name for field in dataclasses.fields(Exercise)}
    assert not PUBLIC & (hidden | set_by_us)
    assert keys == PUBLIC | hidden | set_by_us


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("hidden: yes", "some YAML readers take 'yes' for a boolean"),
        ("hidden: 'true'", "hidden: expected true or false"),
        ("hidden: 1", "hidden: expected true or false"),
        ("hidden:", "hidden: expected true or false"),
        ("hidden: [true]", "hidden: expected true or false"),
        ("hiden: true", "unknown key 'hiden' in a test"),
        ("Hidden: true", "unknown key 'Hidden' in a test"),
        ("<<: {hidden: true}", "unknown key '<<' in a test"),
        ("hidden: &a true", "a value that starts with & is a YAML anchor"),
        ("hidden: !!bool true", "a value that starts with ! is a YAML tag"),
        ("hidden: false\n    hidden: true", "duplicate key 'hidden'"),
    ],
)
def test_an_unclear_test_is_never_taken_for_a_visible_one(written: str, sentence: str) -> None:
    """Every unclear way to write `hidden: true` is an error."""
    text = MINIMAL.read_text("utf-8").replace("    given: {x: 2}", f"    {written}")
    with pytest.raises(DefinitionError, match=sentence.replace("[", r"\[")):
        student_of(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("- id: x", "1:1: expected a mapping"),
        ("id: x", "1:1: missing keys 'title'"),
        ("id: x\ntests: {id: a}", "2:8: tests: expected a list"),
        ("id: x\ntests: [a]", "2:9: tests: expected a mapping"),
        ("id: on\ntests: []", "1:5: id: some YAML readers take 'on' for a boolean"),
    ],
)
def test_what_is_no_exercise_has_no_student_edition(text: str, sentence: str) -> None:
    """The error says where and what."""
    with pytest.raises(DefinitionError, match=sentence):
        student_of(text)


BUDGET = "    call: double(x)\n    budget: {time: 3}\n"


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ("    call: double(x)\n", "    call: double(x)\n    expect: solution\n"),
        ('    stdout: "2"\n', ""),
        ('    stdout: "2"\n', "    stdout:\n"),
        ('    stdout: "2"\n', "    stdout: ~\n"),
        ('{reference: "reference.demo:double"}', "{reference: ~}"),
        ('  double: {reference: "reference.demo:double"}', "  double:"),
    ],
)
def test_what_needs_the_solution_is_left_out(there: str, instead: str) -> None:
    """A visible test that compares with the solution is counted with the hidden ones."""
    text = MINIMAL.read_text("utf-8")
    assert text.count(there) == 1
    if there.startswith(("  double", "{ref")):  # without a reference a budget needs the solution
        text = text.replace("    call: double(x)\n", f"{BUDGET}    expect: 4\n")
    full = load_text(text.replace(there, instead))
    student = load_text(student_of(text.replace(there, instead)))
    assert len(full.tests) == 2
    assert len(student.tests) == student.hidden_elsewhere == 1


def test_what_can_do_without_the_solution_is_kept() -> None:
    """The word in quotes is a text, an expression needs no solution, nor a budget by a reference."""
    text = MINIMAL.read_text("utf-8")
    for more in ("expect: 'solution'", "expect: {expression: x + x}", "budget: {memory: 2}"):
        student = load_text(student_of(text.replace("(x)\n  - id", f"(x)\n    {more}\n  - id")))
        assert (len(student.tests), student.hidden_elsewhere) == (2, 0)


@pytest.mark.parametrize(
    ("there", "instead", "key"),
    [
        ("    call: double(x)\n", "    call: double(x)\n    expect: solution\n", "expect"),
        ("    call: double(x)\n", BUDGET, "budget"),
        ('    stdout: "2"\n', "", "stdout"),
    ],
)
def test_a_student_edition_has_nothing_to_compare_with(there: str, instead: str, key: str) -> None:
    """Written by hand, a test in it that needs the solution is refused."""
    text = MINIMAL.read_text("utf-8").replace(there, instead)
    if key == "budget":
        text = text.replace('{reference: "reference.demo:double"}', "").replace(
            "time: 3}\n", "time: 3}\n    expect: 4\n"
        )
    load_text(text)
    sentence = f"{key}: a student edition has no solution to compare with"
    with pytest.raises(DefinitionError, match=sentence):
        load_text(text + STUDENT)


def test_unknown_keys_are_refused() -> None:
    """A key that this version does not know is not passed on."""
    with pytest.raises(DefinitionError, match="unknown key 'teacher_notes'"):
        student_of(MINIMAL.read_text("utf-8") + "teacher_notes: secret\n")


def test_an_exercise_of_hidden_tests_alone() -> None:
    """Its student edition has no test at all, and still loads."""
    text = MINIMAL.read_text("utf-8").replace("    call:", "    hidden: true\n    call:")
    text = text.replace("    run:", "    hidden: true\n    run:")
    student = load_text(student_of(text))
    assert (student.tests, student.max_points, student.hidden_elsewhere) == ((), 0, 2)


def test_the_files_of_a_collection(tmp_path: Path) -> None:
    """Tracks and lessons come as they are, exercises in their student edition, no other files."""
    minimal = MINIMAL.read_text("utf-8")
    files = {
        "basics/track.yaml": "# ours\nid: basics\n",
        "basics/01-double.yaml": minimal,
        "basics/.02-draft.yaml": minimal,
        "basics/notes.md": "notes",
        "basics/lessons/01-why.md": "# Why\n",
        "basics/lessons/figures/why.svg": "<svg/>",
        "basics/lessons/.draft.md": "# Draft",
        "basics/lessons/.git/config": "",
        "lessons/01-astray.md": "# Astray",
        "basics/deeper/03-double.yaml": minimal,
        "warm-up.yml": minimal,
        "README.md": "read me",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    made = dict(student_files(tmp_path))
    lessons = {"basics/lessons/01-why.md", "basics/lessons/figures/why.svg"}
    assert set(made) == {"basics/track.yaml", "basics/01-double.yaml", "warm-up.yml"} | lessons
    assert made["basics/lessons/01-why.md"] == b"# Why\n"
    assert made["basics/track.yaml"] == b"# ours\nid: basics\n"
    for name in ("basics/01-double.yaml", "warm-up.yml"):
        assert made[name].decode() == student_text(tmp_path / name)


@pytest.mark.parametrize("linked", ["basics/track.yaml", "basics/lessons/figures/why.svg"])
def test_no_link_is_handed_on(tmp_path: Path, linked: str) -> None:
    """A handout would contain the file that a link leads to."""
    (tmp_path / "basics" / "lessons" / "figures").mkdir(parents=True)
    (tmp_path / "basics" / "track.yaml").write_text("id: basics\n")
    (tmp_path / linked).unlink(missing_ok=True)
    (tmp_path / linked).symlink_to("/etc/passwd")
    with pytest.raises(DefinitionError, match=f"{linked}:1:1: a symbolic link"):
        list(student_files(tmp_path))


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


def test_no_canary_reaches_a_handout(tmp_path: Path) -> None:
    """Of a collection full of canaries it has the public one alone, and still works."""
    text = json.dumps(canary_exercise(), indent=1)
    names = (
        "01-double.yaml",
        ".02-draft.yaml",
        "notes.md",
        "01-double.yaml.orig",
        "deeper/03.yaml",
    )
    for name in names:
        (tmp_path / "basics" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "basics" / name).write_text(f"# {canary('comment')}\n{text}\n")
    (tmp_path / "basics" / "track.yaml").write_text("id: basics\n")
    (tmp_path / "course.yaml").write_text("title: Marks\n")
    made = dict(student_files(tmp_path))
    found = {
        each.decode()
        for name, data in made.items()
        for each in re.findall(rb"zqx[a-z]+jvk|918273", name.encode() + b"\n" + data)
    }
    assert found == {canary("visible")}
    student = tmp_path / "student.yaml"
    student.write_bytes(made["basics/01-double.yaml"])
    assert load_exercise_file(student).hidden_elsewhere == 4


STUDENT = "edition: student\n"


@pytest.mark.parametrize("key", ["solution", "explanation"])
def test_only_a_student_edition_may_lack_it(key: str) -> None:
    """A full edition is invalid without it, as without any key; a student edition lacks it."""
    text = MINIMAL.read_text("utf-8")
    lines = text.replace("|\n  def double(x):\n      return 2 * x", "'x = 1'").splitlines()
    text = "\n".join(line for line in lines if not line.startswith(f"{key}:")) + "\n"
    with pytest.raises(DefinitionError) as caught:
        load_text(text)
    assert str(caught.value).endswith(f"x.yaml:1:1: missing key '{key}' in an exercise")
    assert getattr(load_text(text + STUDENT), key) == ""


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("hidden_elsewhere: 3", "only a student edition counts tests that are hidden elsewhere"),
        (f"{STUDENT}hidden_elsewhere: -1", "hidden_elsewhere: -1 is below 0"),
        ("edition: students", "expected 'full' or 'student', found the string 'students'"),
    ],
)
def test_what_contradicts_the_edition(more: str, sentence: str) -> None:
    """An edition that cannot be is a problem with its place."""
    with pytest.raises(DefinitionError, match=sentence):
        load_text(MINIMAL.read_text("utf-8") + f"{more}\n")


def test_a_student_edition_has_no_hidden_tests() -> None:
    """A file that says so and has one is refused, at the test's `hidden`."""
    text = MINIMAL.read_text("utf-8").replace("    call:", "    hidden: true\n    call:")
    load_text(text)
    with pytest.raises(DefinitionError, match=r":14:13: hidden: a student edition has no hidden"):
        load_text(text + STUDENT)


def test_hidden_tests_elsewhere_do_not_excuse_a_full_edition() -> None:
    """A full edition whose tests are worth nothing stays invalid."""
    text = MINIMAL.read_text("utf-8")
    text = text.replace("    call:", "    points: 0\n    call:").replace(
        "    run:", "    points: 0\n    run:"
    )
    with pytest.raises(DefinitionError, match="worth at least one point"):
        load_text(text)
    with pytest.raises(DefinitionError, match="worth at least one point"):
        load_text(text + STUDENT)
    load_text(f"{text}{STUDENT}hidden_elsewhere: 1\n")


def scalar(value: Any, style: Style = "plain") -> Scalar:
    return Scalar(HERE, yaml_scalar(value), style, value)


def yaml_scalar(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    return json.dumps(value)


def plain_node(node: Node) -> object:
    """Return the values of a node with their types, in order."""
    match node:
        case Scalar():
            assert node.note == ""
            return (type(node.value), repr(node.value))
        case ListNode():
            return [plain_node(item) for item in node.items]
    return {(key.text, plain_node(key)): plain_node(value) for key, value in node.entries}


def read_back(root: MappingNode) -> Node:
    with tempfile.NamedTemporaryFile(suffix=".yaml") as file:
        file.write(emit(root).encode())
        file.flush()
        document = read_yaml(Path(file.name))
    assert document.problems == ()
    return document.root


STYLES: st.SearchStrategy[Style] = st.sampled_from(["plain", "quoted", "literal", "folded"])
PLAIN = (
    st.none()
    | st.booleans()
    | st.integers(-(10**40), 10**40)
    | st.floats()
    | st.sampled_from([5e-324, 1e22, -0.0, 1.7976931348623157e308])
)
SCALARS = st.builds(scalar, PLAIN) | st.builds(scalar, TEXTS, STYLES)


def sequence(items: list[Node]) -> Node:
    return ListNode(HERE, tuple(items))


def mapping(entries: list[tuple[str, Style, Node]]) -> MappingNode:
    return MappingNode(HERE, tuple((scalar(key, style), value) for key, style, value in entries))


def mappings(values: st.SearchStrategy[Node]) -> st.SearchStrategy[MappingNode]:
    entries = st.tuples(TEXTS, STYLES, values)
    return st.lists(entries, max_size=5, unique_by=lambda entry: entry[0]).map(mapping)


TREES: st.SearchStrategy[Node] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=5).map(sequence) | mappings(inner),
    max_leaves=12,
)


@pytest.mark.slow
@pytest.mark.release
@given(root=mappings(TREES))
@example(root=mapping([("a", "plain", scalar("  x\n y", "literal"))]))
@example(root=mapping([("a", "plain", scalar("x\n\n\n", "literal"))]))
@example(root=mapping([("a", "plain", scalar("\n\n\tx\n \n\t\n", "literal"))]))
@example(root=mapping([("a", "plain", scalar("x\n ", "literal"))]))
@example(root=mapping([("a", "plain", scalar("\t\n:", "literal"))]))
@example(root=mapping([("a", "plain", scalar('a "quoted" \\ line'))]))
@example(root=mapping([("a", "plain", scalar("words ")), ("b ", "plain", scalar("c:"))]))
@example(root=mapping([("a", "plain", sequence([scalar("f(x, y)"), scalar("b:c"), scalar("d ")]))]))
@example(root=mapping([("k" * 2000, "plain", sequence([mapping([])]))]))
@example(root=mapping([("a", "plain", sequence([sequence([sequence([])])]))]))
@example(root=mapping([("a", "plain", sequence([scalar(f"{n} is\nmuch") for n in range(60)]))]))
@example(root=mapping([("a", "plain", sequence([scalar(f"{n} is much") for n in range(60)]))]))
def test_every_tree_comes_back(root: MappingNode) -> None:
    """Reading gives equal values of equal types in the same order."""
    for parser in PARSERS:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(yaml_source, "_LOADER", getattr(yaml, parser))
            assert plain_node(read_back(root)) == plain_node(root)


@pytest.mark.parametrize("text", ["reference", "two words", "f(x, y) + 1", "a.b:c"])
def test_plain_words_stay_plain_and_quoted_ones_quoted(text: str) -> None:
    """`reference` in quotes is a text, without them it is the reference."""
    styles: tuple[Style, Style] = ("plain", "quoted")
    back = read_back(mapping([(style, style, scalar(text, style)) for style in styles]))
    assert isinstance(back, MappingNode)
    assert [node.style for _, node in back.entries if isinstance(node, Scalar)] == list(styles)


@pytest.mark.parametrize("number", ["1e-3", "5.0e-4", "+17", "0x1F", "1.", ".5", "-.INF", "0.320"])
def test_numbers_are_spelled_as_the_author_did(number: str) -> None:
    """A number is never parsed and printed again, so nothing can be lost."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.yaml")
        path.write_text(f"a: {number}\nb: [{number}]\n")
        root = read_yaml(path).root
    assert isinstance(root, MappingNode)
    assert emit(root) == f"a: {number}\nb: [{number}]\n"


def test_long_blocks_stay_readable() -> None:
    """Code and Markdown are block texts, and a table of numbers has a line for each row."""
    row = sequence([scalar(float(n)) for n in range(10)])
    root = mapping(
        [
            ("code", "plain", scalar("def f(x):\n    return x\n", "literal")),
            ("table", "plain", sequence([row, row, row])),
        ]
    )
    numbers = ", ".join(f"{n}.0" for n in range(10))
    assert emit(root) == (
        "code: |\n  def f(x):\n      return x\n"
        f"table:\n  - [{numbers}]\n  - [{numbers}]\n  - [{numbers}]\n"
    )
