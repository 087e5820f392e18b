"""What an author reads when a definition is wrong: the exact sentence, with line and column.

Each case spoils one spot of `minimal.yaml`: what stands there, what stands there instead, and what
is said about it. Every message begins with the file's name, which the cases leave out.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.definitions import load_exercise

ProblemsOf = Callable[[str | bytes], str]


def boolean(word: str) -> str:
    return (
        f"some YAML readers take '{word}' for a boolean; "
        f'write "{word}" in quotes if you mean the word, true or false if you mean a boolean'
    )


def number(word: str, float_: str) -> str:
    return (
        f"YAML takes '{word}' for a word; "
        f'write {float_} if you mean the number, "{word}" in quotes for the word'
    )


def disputed(text: str) -> str:
    return (
        f"YAML readers disagree about '{text}'; "
        "write a number in plain decimal digits, or put text in quotes"
    )


def special(sign: str, what: str, whats: str) -> str:
    return (
        f"a value that starts with {sign} is a YAML {what}, and {whats} are not allowed; "
        "put the text in quotes if you mean it literally"
    )


TAB = "a tab cannot indent YAML; use spaces"
NO_KEY = (
    "no 'key: value' can start here; check the indentation, "
    "and put a text that contains ': ' in quotes"
)
ESCAPE = "this backslash starts no YAML escape; use single quotes, or write \\\\ for a backslash"
CONTROL = (
    "the text contains the control character U+000C; "
    "in double quotes a backslash starts an escape, in single quotes it does not"
)

SYNTAX = [
    ("xp: 5", "\txp: 5", f"4:1: {TAB}"),
    ("    given: {x: 2}", "  \tgiven: {x: 2}", f"13:3: {TAB}"),
    ("|\n  def double(x):\n      ...", "|\n\tdef double(x): ...", f"9:1: {TAB}"),
    ("  - id: two", "  -\tid: two", f"12:4: {TAB}"),
    ("title: Double it", "title: Double: it", f"2:14: {NO_KEY}"),
    ("xp: 5", "  xp: 5", f"4:5: {NO_KEY}"),
    ("xp: 5", "xp 5", "4:1: expected ': ' after this key; check the indentation"),
    ("{x: 2}", "{x: [2}", "13:18: expected ',' or ']' here"),
    ("{x: 2}", "{x: 2", "14:9: expected ',' or '}' here"),
    ("{x: 2}", "}", "13:12: expected a value here"),
    ("{x: 2}", "- x", "13:12: a list starts on a line of its own"),
    ("Double it", "'Double it", "2:8: this quoted text is never closed"),
    ("Double it", "'It's'", "2:12: expected a key here; check the indentation and the quotes"),
    (
        "  - id: prints",
        "  id: prints",
        "15:3: expected '- ' as in the items above; check the indentation",
    ),
    ("Double it", r'"\sqrt"', f"2:9: {ESCAPE}"),
    ("Double it", r'"\frac{1}{2}"', f"2:8: title: {CONTROL}"),
    ("Double it", r'"\u12"', "2:11: this escape needs more hexadecimal digits"),
    ("Double it", r'"\ud800"', "2:11: this escape is not a Unicode character"),
    (
        "starter: |",
        "starter: | code",
        "8:12: only a comment may follow '|' or '>' on its line",
    ),
    ("Double it", "@double", "2:8: no unquoted text can start with '@'"),
    ("Double it", "`double`", "2:8: no unquoted text can start with '`'"),
    ("Double it", "*Double* it", f"2:8: {special('*', 'alias', 'aliases')}"),
    ("Double it", "*double", f"2:8: title: {special('*', 'alias', 'aliases')}"),
    ("Double it", "&double it", f"2:8: {special('&', 'anchor', 'anchors')}"),
    ("Double it", "&", f"2:8: {special('&', 'anchor', 'anchors')}"),
    ("xp: 5", "xp: !points 5", f"4:5: {special('!', 'tag', 'tags')}"),
    ("xp: 5", "xp: !!python/name:os.system 5", f"4:5: {special('!', 'tag', 'tags')}"),
    ("xp: 5", "xp: !p!x 5", f"4:5: {special('!', 'tag', 'tags')}"),
    (
        "id: double\n",
        "%YAML 1.2\n---\nid: double\n",
        "1:1: a line that starts with % is a YAML directive, and directives are not allowed",
    ),
    (
        "explanation:",
        "---\nexplanation:",
        "21:1: a second YAML document starts here; a file holds one",
    ),
    ("explanation:", "...\nexplanation:", "22:1: expected the end of the file here"),
    ("Double it", "Double\0it", "2:14: the character U+0000 is not allowed"),
    ("Double it", "Double\u2028it", "2:14: the character U+2028 is not allowed"),
]

KEYS = [
    ("xp: 5", "xp: 5\nxp: 6", "5:1: duplicate key 'xp'; it is already at x.yaml:4:1"),
    ("{x: 2}", "{x: 2, x: 3}", "13:19: duplicate key 'x'; it is already at x.yaml:13:13"),
    (
        "    stdout",
        "    hiden: true\n    stdout",
        "17:5: unknown key 'hiden' in a test; did you mean 'hidden'?",
    ),
    ("xp: 5", "xp: 5\ncolour: red", "5:1: unknown key 'colour' in an exercise"),
    ("xp: 5", "xp: 5\nwhere: here", "5:1: unknown key 'where' in an exercise"),
    (
        "xp: 5",
        "xp: 5\ndigest: '0'",
        "5:1: unknown key 'digest' in an exercise; did you mean 'defines'?",
    ),
    (
        "{x: 2}",
        "{x: 2}\n    tolerance: {absolute: 1}",
        "14:17: unknown key 'absolute' in a tolerance; it may have 'atol' and 'rtol'",
    ),
    ("xp: 5", "xp: 5\non: push", f"5:1: a key: {boolean('on')}"),
    ("{x: 2}", "{x: 2, No: 3}", f"13:19: a key: {boolean('No')}"),
    ("xp: 5", "xp: 5\n7: seven", '5:1: a key must be a text; write "7" in quotes'),
    ("xp: 5", "xp: 5\n? [a]\n: 5", "5:3: a key must be a word, not a list or a mapping"),
    ("xp: 5\n", "", "1:1: missing key 'xp' in an exercise"),
    (
        "title: Double it\ndifficulty: beginner\nxp: 5\n",
        "",
        "1:1: missing keys 'title', 'difficulty' and 'xp' in an exercise",
    ),
    ("  - id: two\n    given", "  - given", "12:5: missing key 'id' in a test"),
    ('    stdout: "2"\n', "", "15:5: missing key 'stdout' in a test"),
    (
        "    call: double(x)",
        "    cal: double(x)",
        "12:5: a test has either 'call' or 'run'; this one has 'id', 'given' and 'cal'",
    ),
    (
        "    call: double(x)",
        "    call: double(x)\n    run: double(x)",
        "12:5: a test has either 'call' or 'run'; this one has 'id', 'given', 'call' and 'run'",
    ),
    (
        "  - id: prints",
        "  - {}\n  - id: prints",
        "15:5: a test has either 'call' or 'run'; this one has no keys",
    ),
    ("    stdout", "    seeds: 3\n    stdout", "17:5: 'seeds' does not go with 'run'"),
    (
        "    call: double(x)",
        "    call: double(x)\n    stdout: '4'",
        "15:5: 'stdout' does not go with 'call'",
    ),
]

TYPES = [
    ("xp: 5", "xp: ten", "4:5: xp: expected an integer, found the string 'ten'"),
    ("xp: 5", "xp: '5'", "4:5: xp: expected an integer, found the string '5'"),
    ("xp: 5", "xp: 5.0", "4:5: xp: expected an integer, found the number 5.0"),
    ("xp: 5", "xp: true", "4:5: xp: expected an integer, found the boolean true"),
    ("xp: 5", "xp:", "4:4: xp: expected an integer, found nothing"),
    ("xp: 5", "xp: [5]", "4:5: xp: expected an integer, found a list"),
    ("xp: 5", "xp: {n: 5}", "4:5: xp: expected an integer, found a mapping"),
    ("xp: 5", "xp: off", f"4:5: xp: {boolean('off')}"),
    ("xp: 5", "xp: 010", f"4:5: xp: {disputed('010')}"),
    ("xp: 5", "xp: 0o17", f"4:5: xp: {disputed('0o17')}"),
    ("xp: 5", "xp: 0b11", f"4:5: xp: {disputed('0b11')}"),
    ("xp: 5", "xp: 1_000", f"4:5: xp: {disputed('1_000')}"),
    ("xp: 5", "xp: 1:30", "4:5: xp: expected an integer, found the string '1:30'"),
    ("xp: 5", "xp: 1e3", "4:5: xp: expected an integer, found the number 1e3"),
    (
        "xp: 5",
        f"xp: {'9' * 5000}",
        "4:5: xp: an integer of 5000 digits is too long; 250 are allowed",
    ),
    (
        "xp: 5",
        f"xp: {'ten ' * 20}",
        "4:5: xp: expected an integer, found the string "
        "'ten ten ten ten ten ten ten ten ten ten …'",
    ),
    ("Double it", "on", f"2:8: title: {boolean('on')}"),
    ("Double it", "Yes", f"2:8: title: {boolean('Yes')}"),
    ("Double it", "n", f"2:8: title: {boolean('n')}"),
    ("Double it", "nan", f"2:8: title: {number('nan', '.nan')}"),
    ("Double it", "-Inf", f"2:8: title: {number('-Inf', '-.inf')}"),
    (
        "Double it",
        "None",
        (
            "2:8: title: YAML takes 'None' for a word; "
            'write null if you mean no value, "None" in quotes for the word'
        ),
    ),
    (
        "Double it",
        "2024",
        "2:8: title: expected a string, found the integer 2024; put it in quotes",
    ),
    (
        "Double it",
        "True",
        "2:8: title: expected a string, found the boolean True; put it in quotes",
    ),
    ("Double it", "null", "2:8: title: expected a string, found nothing"),
    (
        "beginner",
        "beginer",
        (
            "3:13: difficulty: expected 'beginner', 'intermediate' or 'advanced', "
            "found the string 'beginer'; did you mean 'beginner'?"
        ),
    ),
    (
        "beginner",
        "[beginner]",
        "3:13: difficulty: expected 'beginner', 'intermediate' or 'advanced', found a list",
    ),
    ("xp: 5", "xp: 5\nhints: Think.", "5:8: hints: expected a list, found the string 'Think.'"),
    (
        "xp: 5",
        "xp: 5\nhints: [Think., 5]",
        "5:17: hints: expected a string, found the integer 5; put it in quotes",
    ),
    (
        '{reference: "reference.demo:double"}',
        "reference.demo:double",
        "7:11: double: expected a mapping, found the string 'reference.demo:double'",
    ),
    (
        '  double: {reference: "reference.demo:double"}',
        "  - double",
        "7:3: defines: expected a mapping, found a list",
    ),
    (
        "  - id: prints",
        "  - 5\n  - id: prints",
        "15:5: tests: expected a mapping, found the integer 5",
    ),
    (
        "{x: 2}",
        "[2]",
        "13:12: given: expected a mapping of inputs, or Python code, found a list",
    ),
    (
        "{x: 2}",
        "{x: 2}\n    hidden: 1",
        "14:13: hidden: expected true or false, found the integer 1",
    ),
    (
        "{x: 2}",
        "{x: 2}\n    hidden: yes",
        f"14:13: hidden: {boolean('yes')}",
    ),
    (
        "{x: 2}",
        "{x: 2}\n    tolerance: 0.1",
        "14:16: tolerance: expected a mapping, found the number 0.1",
    ),
    (
        "{x: 2}",
        "{x: 2}\n    tolerance: {atol: small}",
        "14:23: atol: expected a number, found the string 'small'",
    ),
    (
        "{x: 2}",
        "{x: 2}\n    tolerance: {atol: true}",
        "14:23: atol: expected a number, found the boolean true",
    ),
    (
        "{x: 2}",
        "{x: 2}\n    tolerance: {atol: 1e999}",
        "14:23: atol: '1e999' is too large for a float; write .inf for infinity",
    ),
]

LITERALS = [
    (
        "{x: 2}",
        "{x: [[1, 2], [3, 4, 5]]}",
        "13:25: x: this row has length 3, the first row beside it has length 2",
    ),
    (
        "{x: 2}",
        "{x: [[[1], [2]], [[3, 4], [5, 6]]]}",
        "13:29: x: this part has shape (2, 2), the first part beside it has shape (2, 1)",
    ),
    (
        "{x: 2}",
        "{x: [1, [2]]}",
        "13:20: x: a number and a list cannot stand side by side in an array",
    ),
    (
        "{x: 2}",
        "{x: [[1], 2]}",
        "13:22: x: a number and a list cannot stand side by side in an array",
    ),
    (
        "{x: 2}",
        "{x: [9223372036854775808, 1]}",
        "13:17: x: 9223372036854775808 does not fit into a 64-bit integer",
    ),
    ("{x: 2}", "{x: [1, nan]}", f"13:20: x: {number('nan', '.nan')}"),
    ("{x: 2}", "{x: [on, off]}", f"13:17: x: {boolean('on')}\nx.yaml:13:21: x: {boolean('off')}"),
    ("{x: 2}", "{x: {deep: yes}}", f"13:23: deep: {boolean('yes')}"),
    ("{x: 2}", "{x: {1: 2}}", '13:17: a key must be a text; write "1" in quotes'),
    ("{x: 2}", "{x: 2}\n    expect: no", f"14:13: expect: {boolean('no')}"),
]

MEANING = [
    (
        "id: double",
        "id: Double_It",
        "1:5: id: 'Double_It' is not lower-case words joined by hyphens",
    ),
    ("id: two", "id: -two", "12:9: id: '-two' is not lower-case words joined by hyphens"),
    ("id: prints", "id: two", "15:9: id: 'two' is taken; it is already at x.yaml:12:9"),
    ("xp: 5", "xp: -5", "4:5: xp: -5 is below 0"),
    (
        "{x: 2}",
        "{x: 2}\n    points: -1",
        (
            "12:3: tests: all tests together must be worth at least one point\n"
            "x.yaml:14:13: points: -1 is below 0"
        ),
    ),
    ("{x: 2}", "x = rng.random()\n    seeds: 0", "14:12: seeds: 0 is not between 1 and 1000"),
    ("{x: 2}", "x = rng.random()\n    seeds: 1001", "14:12: seeds: 1001 is not between 1 and 1000"),
    (
        "{x: 2}",
        "{x: 2}\n    seeds: 2",
        "14:12: seeds: inputs can only be drawn anew if 'given' is Python code",
    ),
    (
        "{x: 2}",
        "{x: 2}\n    tolerance: {atol: -1e-3}",
        "14:23: atol: -0.001 is not a finite number from 0 up",
    ),
    (
        "{x: 2}",
        "{x: 2}\n    tolerance: {rtol: .inf}",
        "14:23: rtol: inf is not a finite number from 0 up",
    ),
    (
        "{x: 2}",
        "{x: 2}\n    tolerance: {rtol: .nan}",
        "14:23: rtol: nan is not a finite number from 0 up",
    ),
    ("{x: 2}", "{x: 2, a-b: 3}", "13:19: given: 'a-b' is not a Python name"),
    ("{x: 2}", "{x: 2, class: 3}", "13:19: given: 'class' is not a Python name"),
    (
        '  double: {reference: "reference.demo:double"}',
        "  {}",
        "7:3: defines: a submission has to define at least one name",
    ),
    (
        "  double: {",
        "  my-double: {}\n  double: {",
        "7:3: defines: 'my-double' is not a Python name",
    ),
    (
        "reference.demo:double",
        "reference.demo.double",
        "7:23: reference: 'reference.demo.double' is not spelled 'package.module:name'",
    ),
    ("call: double(x)", "call: x + 2", "14:11: call: the expression never calls 'double'"),
    ("call: double(x)", "call: double", "14:11: call: the expression never calls 'double'"),
    (
        '{reference: "reference.demo:double"}',
        "",
        (
            "14:11: call: no reference to compare with for 'double'; "
            "name one under 'defines', or write the value under 'expect'"
        ),
    ),
]

PYTHON = [
    ("call: double(x)", "call: double(x", "14:17: call: not valid Python: '(' was never closed"),
    ("call: double(x)", "call: 'double(x'", "14:18: call: not valid Python: '(' was never closed"),
    (
        "call: double(x)",
        r'call: "double\x28x"',
        "14:11: call: not valid Python: '(' was never closed",
    ),
    (
        "call: double(x)",
        "call: double(\n      x",
        "14:11: call: not valid Python: '(' was never closed",
    ),
    ("call: double(x)", "call: double(x) 2", "14:21: call: not valid Python: invalid syntax"),
    (
        "call: double(x)",
        "call: |\n      double(x",
        "15:13: call: not valid Python: '(' was never closed",
    ),
    ("run: print(double(1))", "run: print(", "16:15: run: not valid Python: '(' was never closed"),
    ("{x: 2}", "x = (", "13:16: given: not valid Python: '(' was never closed"),
    (
        "{x: 2}",
        "|\n      y = 1\n\n      x = [",
        "16:11: given: not valid Python: '[' was never closed",
    ),
    (
        "      return 2 * x",
        "      return (2 * x",
        "20:14: solution: not valid Python: '(' was never closed",
    ),
    (
        "explanation",
        (
            "misconceptions:\n  - id: same\n    feedback: No.\n    code: |2\n"
            "      x = 1\n      if x:\n        y = [\nexplanation"
        ),
        "27:13: code: not valid Python: '[' was never closed",
    ),
    (
        "run: print(double(1))",
        "run: " + "-" * 100_000 + "1",
        "16:10: run: this Python is too complex to read",
    ),
]


CASES = SYNTAX + KEYS + TYPES + LITERALS + MEANING + PYTHON


@pytest.mark.parametrize(("there", "instead", "said"), CASES, ids=[case[2] for case in CASES])
def test_message(
    there: str, instead: str, said: str, minimal: str, problems_of: ProblemsOf
) -> None:
    """A spoiled definition says where it is spoiled, what is there and what should be."""
    assert minimal.count(there) == 1
    assert problems_of(minimal.replace(there, instead)) == f"x.yaml:{said}"


def test_all_problems_at_once(minimal: str, problems_of: ProblemsOf) -> None:
    """All that is wrong with a file is listed in one go, in file order."""
    spoiled = (
        minimal.replace("xp: 5", "xp: ten")
        .replace("beginner", "easy")
        .replace("{x: 2}", "{x: [[1], [2, 3]]}")
        .replace("    stdout", "    point: 2\n    stdout")
    )
    assert [line.split(" ")[0] for line in problems_of(spoiled).splitlines()] == [
        "x.yaml:3:13:",
        "x.yaml:4:5:",
        "x.yaml:13:22:",
        "x.yaml:17:5:",
    ]


def test_all_breaches_at_once(minimal: str, problems_of: ProblemsOf) -> None:
    """All broken rules are listed in one go, in file order."""
    spoiled = (
        minimal.replace("xp: 5", "xp: -5")
        .replace("call: double(x)", "call: double(")
        .replace("2 * x", "2 *")
    )
    assert [line.split(" ")[0] for line in problems_of(spoiled).splitlines()] == [
        "x.yaml:4:5:",
        "x.yaml:14:17:",
        "x.yaml:20:17:",
    ]


def test_minimal_is_valid(minimal: str, workdir: Path) -> None:
    """The definition that these tests spoil is itself in order, and mostly defaults."""
    (workdir / "x.yaml").write_text(minimal, "utf-8")
    exercise = load_exercise(Path("x.yaml"))
    assert [test.points for test in exercise.tests] == [1, 1]
    assert (exercise.kind, exercise.requires, exercise.hints) == ("write", (), ())


@pytest.mark.parametrize(
    ("there", "instead"),
    [
        ("def double(x):\n      ...", "def double(x)\n      return"),
        ("call: double(x)", "call: np.sum([double(v) for v in [x, 2 * x]])"),
        ("call: double(x)", "call: double.of(x).result[0](3)"),
        ("{x: 2}", "{x: 2, y: 3, N: 4}"),
        ("{x: 2}", "{x: 2}\n    expect: 4"),
        ("{x: 2}", "|\n      x = '\\d'"),
        ("id: double", "\ufeffid: double"),
        ('    stdout: "2"', '    stdout: "2"\n    points: 0'),
    ],
    ids=lambda text: text[:20],
)
def test_welcome(there: str, instead: str, minimal: str, workdir: Path) -> None:
    """What only looks odd is welcome: a broken starter, `y` and `N` as names, a byte order mark."""
    assert minimal.count(there) == 1
    (workdir / "x.yaml").write_text(minimal.replace(there, instead), "utf-8")
    load_exercise(Path("x.yaml"))


def test_windows_line_ends(minimal: str, workdir: Path) -> None:
    """A file with Windows line ends means the same as one without."""
    (workdir / "x.yaml").write_text(minimal, "utf-8", newline="\r\n")
    exercise = load_exercise(Path("x.yaml"))
    assert exercise.solution == "def double(x):\n    return 2 * x\n"


def test_windows_line_ends_in_messages(minimal: str, problems_of: ProblemsOf) -> None:
    """Windows line ends do not shift the places of problems."""
    spoiled = minimal.replace("return 2 * x", "return (2 * x").replace("\n", "\r\n")
    assert problems_of(spoiled) == "x.yaml:20:14: solution: not valid Python: '(' was never closed"
