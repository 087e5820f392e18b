"""Files that mean harm, or are not text at all, end as problems in bounded time and memory."""

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from grader.definitions import yaml_source
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import CallTest
from grader.definitions.yaml_source import ListNode, MappingNode, Scalar, read_yaml
from grader.errors import DefinitionError, Location, UsageError

ProblemsOf = Callable[[str | bytes], str]

MEBIBYTE = 1 << 20


@pytest.fixture(params=["CSafeLoader", pytest.param("SafeLoader", marks=pytest.mark.slow)])
def _each_parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test with libyaml, and with the parser that takes over where libyaml is missing."""
    monkeypatch.setattr(yaml_source, "_LOADER", getattr(yaml, request.param))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[" * 100_000, "x.yaml:1:33: nested more than 32 levels deep"),
        ("{a: " * 100_000, "x.yaml:1:129: nested more than 32 levels deep"),
        ("- " * 100_000, "x.yaml:1:65: nested more than 32 levels deep"),
        ("? " * 100_000, "x.yaml:1:65: nested more than 32 levels deep"),
        ("[[]," * 100_000, "x.yaml:1:126: nested more than 32 levels deep"),
        (
            "".join(" " * depth + "a:\n" for depth in range(1000)),
            "x.yaml:33:33: nested more than 32 levels deep",
        ),
    ],
    ids=["brackets", "braces", "dashes", "question marks", "pairs", "indentation"],
)
@pytest.mark.usefixtures("_each_parser")
def test_deep_nesting(text: str, problem: str, problems_of: ProblemsOf) -> None:
    """Nesting stops at a depth that no definition needs, however deep it would go on."""
    assert problems_of(text) == problem


def test_deepest_nesting(workdir: Path) -> None:
    """Nesting up to the limit is read."""
    (workdir / "x.yaml").write_text("[" * 32 + "]" * 32, "utf-8")
    node = read_yaml(Path("x.yaml")).root
    for _ in range(31):
        assert isinstance(node, ListNode)
        (node,) = node.items
    assert node == ListNode(Location(Path("x.yaml"), 1, 32), ())


def test_large_file(problems_of: ProblemsOf) -> None:
    """A file of 50 MB is turned away by its size."""
    assert problems_of(b"a: " + b"x" * 50_000_000) == (
        "x.yaml:1:1: the file has 50,000,003 bytes; at most 1,048,576 are allowed"
    )


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("/dev/zero", "not a regular file"),
        ("pipe.yaml", "not a regular file"),
        ("folder.yaml", "this is a folder"),
    ],
)
def test_what_is_not_a_regular_file(name: str, problem: str, workdir: Path) -> None:
    """It is not read at all: neither without an end, nor until someone writes to it."""
    os.mkfifo(workdir / "pipe.yaml")
    (workdir / "folder.yaml").mkdir()
    with pytest.raises(DefinitionError) as caught:
        load_exercise_file(Path(name))
    assert str(caught.value) == f"{name}:1:1: {problem}"


@pytest.mark.parametrize("name", ["nothing.yaml", "nowhere/nothing.yaml"])
def test_missing_file(name: str, workdir: Path) -> None:
    """A file that does not exist is the command's mistake, not a definition's."""
    assert list(workdir.iterdir()) == []
    with pytest.raises(UsageError, match=f"no file '{name}'"):
        load_exercise_file(Path(name))


@pytest.mark.parametrize("name", ["x" * 5000 + ".yaml", "x\0.yaml"], ids=["long", "NUL"])
def test_impossible_file_name(name: str) -> None:
    """A name that no file can have is a problem, not a crash."""
    with pytest.raises(DefinitionError, match="the file cannot be read"):
        load_exercise_file(Path(name))


@pytest.mark.slow
def test_many_values(problems_of: ProblemsOf) -> None:
    """A file of a hundred thousand values is cut off."""
    assert problems_of("[" + "1," * 100_001 + "]").endswith("the file has more than 100,000 values")


def test_billion_laughs(problems_of: ProblemsOf) -> None:
    """Aliases are refused where they stand; nothing is ever expanded."""
    lines = ["a0: &a0 [ha, ha]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    problems = problems_of("\n".join(lines)).splitlines()
    anchors = [line for line in problems if "is a YAML anchor" in line]
    assert [line.split(" ")[0] for line in anchors] == [f"x.yaml:{n}:5:" for n in range(1, 11)]


def test_many_problems(problems_of: ProblemsOf) -> None:
    """A file full of problems is given up on after a hundred."""
    problems = problems_of("{" + "a: ," * 4_000 + "}").splitlines()
    assert len(problems) == 101
    assert problems[0] == "x.yaml:1:6: duplicate key 'a'; it is already at x.yaml:1:2"
    assert problems[-1].endswith("there may be more problems; only the first are shown")


@pytest.mark.parametrize(
    "text",
    ["\t" * (MEBIBYTE - 1), "a:\n" + "\tb: 1\n" * 100_000, "- |\n" + "\tx\n" * 100_000],
    ids=["one line", "mappings", "a block"],
)
@pytest.mark.usefixtures("_each_parser")
def test_many_tabs(text: str, problems_of: ProblemsOf) -> None:
    """A file full of tabs ends at the first that indents."""
    (problem,) = problems_of(text).splitlines()
    assert problem.endswith("a tab cannot indent YAML; use spaces")


@pytest.mark.parametrize("space", ["\u00a0", "\u3000", "\u2003", "\u200b"])
@pytest.mark.parametrize(
    ("before", "line"), [("a: 1\n", 2), ("a:\n  - b: 1\n", 3), ("a: |\n  text\n", 3)]
)
@pytest.mark.usefixtures("_each_parser")
def test_other_spaces_that_indent(
    space: str, before: str, line: int, problems_of: ProblemsOf
) -> None:
    """The problem is on the line with the space, not on the one where the parser gives up."""
    problems = problems_of(f"{before}{space}{space}c: 2\nd: 3\n")
    assert f"x.yaml:{line}:1: this line is indented with U+{ord(space):04X}" in problems


@pytest.mark.parametrize(
    "key",
    [
        "call",
        *(
            pytest.param(key, marks=pytest.mark.slow)
            for key in ("run", "pytest", "given", "solution")
        ),
    ],
)
@pytest.mark.parametrize(
    "code", ["1" + "+1" * 100_000, "-" * 100_000 + "1", "(" * 10_000, "f" + "(0)" * 50_000]
)
def test_deep_python(key: str, code: str, minimal: str, problems_of: ProblemsOf) -> None:
    """Python that is nested too deep for Python's own parser is a problem with its place."""
    there = {
        "call": "call: double(x)",
        "run": "run: print(double(1))",
        "pytest": 'run: print(double(1))\n    stdout: "2"',
        "given": "given: {x: 2}",
        "solution": "solution: |\n  def double(x):\n      return 2 * x",
    }[key]
    assert minimal.count(there) == 1
    said = problems_of(minimal.replace(there, f"{key}: '{code}'"))
    assert f": {key}: " in said
    assert len(said) < 600


@pytest.mark.parametrize("code", ["double(x)" + ".a" * 2000, "double(" + "lambda:" * 60 + "x)"])
def test_python_at_the_limit(code: str, minimal: str, workdir: Path) -> None:
    """Python that only our own search for names finds too deep is let through."""
    text = minimal.replace("call: double(x)", f"call: '{code}'")
    (workdir / "x.yaml").write_text(text, "utf-8")
    test = load_exercise_file(Path("x.yaml")).tests[0]
    assert isinstance(test, CallTest)
    assert test.call == code


@pytest.mark.slow
def test_many_names(minimal: str, problems_of: ProblemsOf) -> None:
    """Thousands of unknown names are given up on after a hundred; none costs a long search."""
    unknown = "; ".join(f"unknown{number}" for number in range(5_000))
    known = "; ".join(f"known{number} = 1" for number in range(5_000))
    text = minimal.replace("print(double(1))", unknown)
    text = text.replace("return 2 * x", f"return 2 * x\n  {known}")
    problems = problems_of(text).splitlines()
    assert len(problems) == 101
    assert all("unknown" in problem for problem in problems[:-1])


def test_many_unknown_keys(problems_of: ProblemsOf) -> None:
    """A file full of unknown keys is given up on after a hundred, too."""
    problems = problems_of("{" + "".join(f"a{n}: ," for n in range(4_000)) + "}").splitlines()
    assert len(problems) == 101
    assert problems[0] == "x.yaml:1:2: unknown key 'a0' in an exercise"


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "x" * 200_000,
        "a: |\n" + "  xx\n" * 40_000,
        "? " + "x" * 200_000 + "\n: 1",
        "xp: " + "9" * 200_000,
        "xp: 1" + "_1" * 100_000,
        "xp: 0." + "9" * 200_000,
    ],
    ids=["one word", "one block", "one key", "one integer", "one dispute", "one float"],
)
@pytest.mark.usefixtures("_each_parser")
def test_one_large_value(text: str, problems_of: ProblemsOf) -> None:
    """A value that fills a file is summarized, not printed."""
    assert len(problems_of(text)) < 600


@pytest.mark.parametrize("start", ["", "--- a\n...\n"])
def test_many_directives(start: str, problems_of: ProblemsOf) -> None:
    """Tag directives, on which libyaml spends quadratic time, are refused before it sees them."""
    text = start + "".join(f"%TAG !a{n}! x\n" for n in range(60_000))
    line = start.count("\n") + 1
    assert problems_of(text) == (
        f"x.yaml:{line}:1: a line that starts with % is a YAML directive, "
        "and directives are not allowed"
    )


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "1:1: the file is empty"),
        (b"# nothing\n\n", "1:1: the file is empty"),
        (b"---\n", "2:1: expected a mapping, found nothing"),
        (b"- a\n", "1:1: expected a mapping, found a list"),
        (b"a word", "1:1: expected a mapping, found the string 'a word'"),
        (b"a: b\nc: \xe9", "2:4: the byte 0xe9 is not UTF-8"),
        ("é: é\0".encode(), "1:5: the character U+0000 is not allowed"),
        ("a: b".encode("utf-16"), "1:1: the byte 0xff is not UTF-8"),
        (b"a: b\nc: \x1b[31m", "2:4: the character U+001B is not allowed"),
        ("a: b\u0085c: d".encode(), "1:5: the character U+0085 is not allowed"),
        (b"\xed\xa0\x80", "1:1: the byte 0xed is not UTF-8"),
    ],
)
def test_not_a_definition(data: bytes, problem: str, problems_of: ProblemsOf) -> None:
    """What is not a mapping in UTF-8 is refused with its place."""
    assert problems_of(data) == f"x.yaml:{problem}"


@given(data=st.binary(max_size=300))
@example(data=b'a: "\\UFFFFFFFF"')
@example(data=b'"\\xd8": ? [')
@example(data=b"%YAML 9999999999999999999.1\n--- a")
@example(data=b"\xef\xbb\xbf\xef\xbb\xbfa: b")
@pytest.mark.parametrize("parser", ["CSafeLoader", "SafeLoader"])
def test_arbitrary_bytes(parser: str, data: bytes) -> None:
    """Arbitrary bytes in a file raise nothing but a definition error."""
    load_bytes(parser, data)


@given(
    text=st.lists(
        st.sampled_from(
            [
                *"[]{}:,-?|>&*!%@`'\"\\#~ \n\t\r",
                *("\n  ", "\n    ", ": ", "- ", "---\n", "...\n", "|2\n", "f(x", "é"),
                *["id", "tests", "call", "given", "run", "defines", "1e3", "0x1F", "on"],
            ]
        ),
        max_size=40,
    ).map("".join)
)
@pytest.mark.parametrize("parser", ["CSafeLoader", "SafeLoader"])
def test_arbitrary_yaml(parser: str, text: str) -> None:
    """Arbitrary YAML in a file raises nothing but a definition error."""
    load_bytes(parser, text.encode())


@given(data=st.data())
def test_arbitrary_damage(data: st.DataObject) -> None:
    """A definition with a piece cut out is either still one or ends as a definition error."""
    text = Path(__file__).with_name("complete.yaml").read_bytes()
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(start + 60, len(text))))
    load_bytes("CSafeLoader", text[:start] + text[end:])


def load_bytes(parser: str, data: bytes) -> None:
    with pytest.MonkeyPatch.context() as patch, tempfile.NamedTemporaryFile(suffix=".yaml") as file:
        patch.setattr(yaml_source, "_LOADER", getattr(yaml, parser))
        file.write(data)
        file.flush()
        with suppress(DefinitionError):
            load_exercise_file(Path(file.name))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("NULL", None),
        ("~", None),
        ("", None),
        ("0", 0),
        ("-17", -17),
        ("+17", 17),
        ("0x1F", 31),
        ("1e-3", 0.001),
        ("5.0e-4", 0.0005),
        ("1.", 1.0),
        (".5", 0.5),
        ("-1E+2", -100.0),
        (".inf", float("inf")),
        ("-.INF", float("-inf")),
        ("2024-01-01", "2024-01-01"),
        ("1.2.3", "1.2.3"),
        ("5e", "5e"),
        ("--", "--"),
        (".", "."),
        ("(3, 3)", "(3, 3)"),
        ("'on'", "on"),
        ('"0123"', "0123"),
        ("'1'", "1"),
        ("truely", "truely"),
        ("<<", "<<"),
    ],
)
@pytest.mark.usefixtures("_each_parser")
def test_scalar(text: str, value: object, workdir: Path) -> None:
    """An unquoted scalar means what the YAML 1.2 core schema says; a quoted one is a string."""
    (workdir / "x.yaml").write_text(f"a: {text}\n", "utf-8")
    root = read_yaml(Path("x.yaml")).root
    assert isinstance(root, MappingNode)
    scalar = root.get("a")
    assert isinstance(scalar, Scalar)
    assert scalar.note == ""
    assert (type(scalar.value), scalar.value) == (type(value), value)


@pytest.mark.parametrize(
    "text",
    [
        *[
            "on",
            "OFF",
            "Yes",
            "no",
            "y",
            "N",
            "0123",
            "-017",
            "0o17",
            "0b11",
            "1_000",
            "1_0.5",
            "08",
            "-0x1F",
        ],
        *["nan", "NaN", "inf", "-inf", "+Infinity", "None", "1e400"],
        "9" * 251,
    ],
)
def test_disputed_scalar(text: str, workdir: Path) -> None:
    """A scalar that YAML readers take for different things has no value, but says why."""
    (workdir / "x.yaml").write_text(f"a: {text}\n", "utf-8")
    scalar = read_yaml(Path("x.yaml")).node("a")
    assert isinstance(scalar, Scalar)
    assert scalar.note


def test_huge_integers_are_floats(minimal: str, workdir: Path) -> None:
    """The longest integer allowed still converts to a float."""
    spoiled = minimal.replace("{x: 2}", "{x: 2}\n    tolerance: {atol: " + "9" * 250 + "}")
    (workdir / "x.yaml").write_text(spoiled, "utf-8")
    test = load_exercise_file(Path("x.yaml")).tests[0]
    assert isinstance(test, CallTest)
    assert test.tolerance is not None
    assert test.tolerance.atol == 1e250
