"""Hidden things are found wherever and however a page or a bundle shows them."""

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.authoring.verify.leaks import find_leaks, find_secrets
from grader.definitions.collection import load_exercise_file
from grader.definitions.exercise import Exercise
from grader.definitions.student_edition import student_text

TEXT = """\
id: double
title: Double it
difficulty: beginner
xp: 1
instructions: Write `double(x)`. Mind the sign.
concepts: [arithmetic]
defines: {double: {}}
starter: |
  def double(x):
      doubled_value_of_x = ...
hints: [Twice.]
tests:
  - id: two
    description: two numbers
    given: {x: [1.5, 64738.29]}
    call: double(x)
    expect: [3.0, 129476.58]
  - id: negative-ones
    description: what happens below zero
    hidden: true
    given: {x: [-83174.29, 64738.29, 2.0]}
    call: double(x)
    expect: [-166348.58, 129476.58, 4.0]
  - id: drawn
    hidden: true
    given: |
      x = rng.uniform(-1.0, 1.0, size=(3, 5))
    call: double(x) - 2 * x + double(0.0)
    expect: {expression: "np.zeros((3, 5))"}
misconceptions:
  - id: half
    code: |
      def double(x):
          return x / 2
    feedback: You went the other way.
solution: |
  def double(x):
      doubled_value_of_x = ...
      return np.multiply(x, 2)
explanation: Twice is two times.
"""


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    path = tmp_path / "double.yaml"
    path.write_text(TEXT)
    return load_exercise_file(path)


def leak_messages(exercise: Exercise, content: bytes) -> list[str]:
    return [finding.message for finding in find_leaks(exercise, [("the page", content)])]


def test_what_gives_itself_away_is_secret(exercise: Exercise) -> None:
    """Ids, descriptions, code, long numbers, feedback and the solution; not what is public."""
    secrets = {secret.text for secret in find_secrets(exercise)}
    assert secrets == {
        "negative-ones",
        "what happens below zero",
        "83174.29",
        "166348.58",
        "x = rng.uniform(-1.0, 1.0, size=(3, 5))",
        "double(x) - 2 * x + double(0.0)",
        "You went the other way.",
        "return np.multiply(x, 2)",
    }


def test_the_student_edition_has_no_secret(exercise: Exercise) -> None:
    """The edition that `etude export student` makes has none."""
    assert leak_messages(exercise, student_text(exercise.where.path).encode()) == []


ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "as it is": str.encode,
    "upper case": lambda text: text.upper().encode(),
    "line breaks": lambda text: text.replace(" ", "\n   ").encode(),
    "HTML": lambda text: "".join(f"&#{ord(c)};" for c in text).encode(),
    "between tags": lambda text: "<b></b>".join(text).encode(),
    "JSON": lambda text: "".join(f"\\u{ord(c):04x}" for c in text).encode(),
    "percent": lambda text: "".join(f"%{ord(c):02x}" for c in text).encode(),
    "base 64": lambda text: base64.b64encode(f"({text})".encode()),
    "base 64 for URLs": lambda text: base64.urlsafe_b64encode(f"\u00ff\u00fe{text}".encode()),
    "gzip in base 64": lambda text: base64.b64encode(gzip.compress(text.encode())),
    "base 64 in JSON": lambda text: json.dumps(base64.b64encode(text.encode()).decode()).encode(),
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize("secret", ["83174.29", "what happens below zero"])
def test_a_secret_is_found_however_it_is_written(
    exercise: Exercise, encode: Callable[[str], bytes], secret: str
) -> None:
    """In the middle of a page."""
    page = b'<p class="x">Text</p><script>const data = "' + encode(secret) + b'";</script>'
    (message,) = leak_messages(exercise, page)
    assert message.startswith("the page shows ")
    assert message.endswith(secret)


def test_a_number_of_a_visible_test_is_no_leak(exercise: Exercise) -> None:
    """It is public, although a hidden test has it, too."""
    assert leak_messages(exercise, b"<td>64738.29</td>") == []


def test_a_hint_must_not_quote_a_hidden_test(exercise: Exercise) -> None:
    """What an author tells by mistake is found as well."""
    exercise.where.path.write_text(TEXT.replace("[Twice.]", "['Try 83174.29.']"))
    told = load_exercise_file(exercise.where.path)
    (message,) = leak_messages(told, student_text(told.where.path).encode())
    assert message == "the page shows a number of hidden test 'negative-ones': 83174.29"
