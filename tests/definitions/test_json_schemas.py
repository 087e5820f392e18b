"""The JSON Schemas accept what the decoder accepts, and the committed files are the current ones."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from grader.cli.schema import command
from grader.definitions.collection import load_exercise_file
from grader.definitions.format_docs import format_markdown
from grader.definitions.json_schemas import SCHEMAS, Schema, schema, schema_path, schema_text
from grader.definitions.student_edition import student_text
from grader.definitions.yaml_source import ListNode, MappingNode, Node, Scalar, read_yaml
from grader.errors import DefinitionError

ROOT = Path(__file__).parent.parent.parent
COMPLETE = Path(__file__).with_name("complete.yaml")
MINIMAL = Path(__file__).with_name("minimal.yaml")
EXERCISES = sorted((ROOT / "exercises").rglob("*-*.yaml"))
TRACKS = sorted((ROOT / "exercises").rglob("track.yaml"))

EXERCISE = schema(SCHEMAS["exercise"])
TRACK = schema(SCHEMAS["track"])


def is_valid(value: Any, whole: Schema) -> bool:
    return bool(Draft202012Validator(whole).is_valid(value))


def plain(node: Node) -> Any:
    match node:
        case Scalar():
            return node.value
        case ListNode():
            return [plain(item) for item in node.items]
        case MappingNode():
            return {key.text: plain(value) for key, value in node.entries}


def parts(whole: Schema) -> Iterator[tuple[str, Schema]]:
    yield "the file", whole
    yield from whole["$defs"].items()


@pytest.mark.parametrize("kind", SCHEMAS)
def test_the_committed_schemas_are_current(kind: str) -> None:
    """The files are byte for byte what the types give; `etude schema` writes them again."""
    assert schema_path(kind).read_text("utf-8") == schema_text(kind)


def test_the_committed_description_is_current() -> None:
    """Otherwise run `etude schema --markdown > docs/reference/exercise-format.md` again."""
    assert (ROOT / "docs" / "reference" / "exercise-format.md").read_text(
        "utf-8"
    ) == format_markdown()


@pytest.mark.parametrize("whole", [EXERCISE, TRACK], ids=["exercise", "track"])
def test_everything_has_a_description(whole: Schema) -> None:
    """Each mapping and each key says what it is for, in sentences; nothing unknown is let in."""
    for name, part in parts(whole):
        assert part["additionalProperties"] is False, name
        assert part["description"].endswith("."), name
        for key, value in part["properties"].items():
            assert value["description"].strip().endswith("."), (name, key)


@pytest.mark.parametrize("path", [*EXERCISES, COMPLETE, MINIMAL], ids=lambda path: path.stem)
def test_exercises_validate(path: Path, tmp_path: Path) -> None:
    """Every exercise here is valid by the schema, and so is its student edition."""
    assert is_valid(plain(read_yaml(path).root), EXERCISE)
    student = tmp_path / "student.yaml"
    student.write_text(student_text(path), "utf-8")
    assert is_valid(plain(read_yaml(student).root), EXERCISE)


@pytest.mark.parametrize("path", TRACKS, ids=lambda path: path.parent.name)
def test_tracks_validate(path: Path) -> None:
    """Every track here is valid by the schema."""
    assert is_valid(plain(read_yaml(path).root), TRACK)


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ("xp: 5\n", ""),
        ("xp: 5", "xp: ten"),
        ("xp: 5", "xp: 5.5"),
        ("xp: 5", "xp: true"),
        ("xp: 5", "xp: -1"),
        ("xp: 5", "xp: 5\nminutes: 0"),
        ("xp: 5", "xp: 5\nlimits: {output_kib: 6}"),
        ("{x: 2}", "x = rng.random()\n    seeds: 1001"),
        ("{x: 2}", "{x: 2}\n    points: -1"),
        ("{x: 2}", "{x: 2}\n    tolerance: {rtol: -1.0}"),
        ("{x: 2}", "{x: 2}\n    budget: {time: 0}"),
        ("xp: 5", "xp: 5\ncolour: red"),
        ("id: double", "id: Double"),
        ("beginner", "easy"),
        ("explanation: Twice.\n", ""),
        ("    call: double(x)\n", ""),
        ("    call: double(x)", "    call: [double]"),
        ("    call: double(x)", "    call: double(x)\n    stdout: '4'"),
        ("    call: double(x)", "    call: double(x)\n    run: double(x)"),
        ("    call: double(x)", "    call: double(x)\n    holds: casual"),
        ("    call: double(x)", "    holds: idempotent"),
        ("    call: double(x)", "    call: double(x)\n    holds: causal\n    of: x"),
        ("    call: double(x)", "    call: double(x)\n    budget: {tmie: 2}"),
        ("    call: double(x)", "    call: double(x)\n    nan: maybe"),
        ("    stdout", "    expect: 2\n    stdout"),
        ("    stdout", "    hiden: true\n    stdout"),
        ("{x: 2}", "[2]"),
        ("xp: 5", "xp: 5\nhints: Think."),
        ("xp: 5", "xp: 5\nhints: [{price: 1}]"),
        ("xp: 5", "xp: 5\nforbid: [numpy]"),
        ("xp: 5", "xp: 5\nequivalent: [{change: a}]"),
        ('{reference: "reference.demo:double"}', "{refrence: a}"),
        ('{reference: "reference.demo:double"}', "{kind: klass}"),
    ],
)
def test_broken_exercises_do_not(there: str, instead: str, tmp_path: Path) -> None:
    """What the decoder refuses for its form is not valid by the schema either."""
    text = MINIMAL.read_text("utf-8")
    assert text.count(there) == 1
    path = tmp_path / "x.yaml"
    path.write_text(text.replace(there, instead), "utf-8")
    with pytest.raises(DefinitionError):
        load_exercise_file(path)
    assert not is_valid(plain(read_yaml(path).root), EXERCISE)


@pytest.mark.parametrize(("arguments", "kind"), [([], "exercise"), (["track"], "track")])
def test_the_command_prints_a_schema(arguments: list[str], kind: str) -> None:
    """`etude schema` prints what is committed, the exercise's unless it is asked otherwise."""
    printed = CliRunner().invoke(command, arguments)
    assert printed.exit_code == 0
    assert printed.output == schema_path(kind).read_text("utf-8")
    assert json.loads(printed.output)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_command_prints_the_description() -> None:
    """`etude schema --markdown` prints the description of the format."""
    printed = CliRunner().invoke(command, ["--markdown"])
    assert (printed.exit_code, printed.output) == (0, format_markdown())


def test_links_in_the_description_lead_somewhere() -> None:
    """Every link within the description has a heading to go to."""
    text = format_markdown()
    headings = [line.lstrip("# ") for line in text.splitlines() if line.startswith("#")]
    anchors = {re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings}
    links = set(re.findall(r"\]\(#([^)]*)\)", text))
    assert links
    assert links <= anchors
