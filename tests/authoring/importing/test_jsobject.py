"""The tolerant parser: what it reads, what it fixes, and where it gives up."""

import pytest

from grader.authoring.importing.js_document import written
from grader.authoring.importing.jsobject import MAX_DEPTH, Object, ParseError, Text, parse_object


def read(text: str) -> Object:
    return parse_object(text, 0).value


@pytest.mark.parametrize(
    ("notation", "meaning"),
    [
        ("{a: 1}", "{a: 1}"),
        ("{'a': 1, \"b\": 'two',}", "{a: 1, b: two}"),
        ("{a: [1, [2, 3,],], b: {c: null}}", "{a: [1, [2, 3]], b: {c: null}}"),
        ("{a: 1, // first\n /* then */ b: true}", "{a: 1, b: true}"),
        ("{a: 'one' + \"two\" + `three`}", "{a: onetwothree}"),
        (
            "{\u2018a\u2019: \u201cx\u201d, \u2018b\u2019: \u2018don\u2019t\u2019}",
            "{a: x, b: don\u2019t}",
        ),
        ("{a: `two\nlines`}", "{a: two\nlines}"),
        (r"{a: '\x41\u0042\u{43}\\\''}", "{a: ABC\\'}"),
        ("{a: \u20135}", "{a: \u20135}"),
        ("{a: \u201d, b: \u201d}", "{a: , b: }"),
    ],
)
def test_notations_mean_what_their_author_meant(notation: str, meaning: str) -> None:
    """Quotes of any kind, comments, trailing commas, escapes, joined strings, empty ones."""
    assert written(read(notation)) == meaning


def test_a_sign_that_became_a_dash_still_counts() -> None:
    """A number keeps its sign, and the repair is told."""
    parsed = parse_object("{a: \u20132.5}", 0)
    assert [getattr(value, "value", None) for _, value in parsed.value.entries] == [-2.5]
    assert [each.after for each in parsed.mended] == ["-"]


def test_an_escape_keeps_the_place_of_what_follows() -> None:
    """Each character of a string knows its place in the source."""
    text = read(r"{a: 'x\ny'}").get("a")
    assert isinstance(text, Text)
    assert (text.text, list(text.places)) == ("x\ny", [5, 6, 8])


@pytest.mark.parametrize(
    ("notation", "at", "message"),
    [
        ("{a 1}", 3, "expected ':' after the key 'a'"),
        ("{a: 'open", 4, "this string is never closed"),
        ("{a: [1, 2", 4, "this '[' is never closed"),
        ("{a: 1 b: 2}", 6, "expected ',' or '}', found 'b'"),
        ("{a: run()}", 4, "expected a value, found 'run'"),
        ("{a: 1 /* never", 6, "this comment is never closed"),
        (r"{a: '\u{110000}'}", 5, "is no character"),
        ("{a: " + "[" * 100 + "]" * 100 + "}", MAX_DEPTH + 4, "nested more than 32 levels deep"),
    ],
)
def test_what_cannot_be_read_has_its_place(notation: str, at: int, message: str) -> None:
    """The error points at the character, and nothing is ever evaluated."""
    with pytest.raises(ParseError, match=r".") as caught:
        read(notation)
    assert (caught.value.at, message in caught.value.message) == (at, True)


def test_an_object_of_a_million_values_is_refused() -> None:
    """Work is bounded, whatever a source holds."""
    with pytest.raises(ParseError, match=r"values|longer"):
        read("{a: [" + "1," * 1_000_000 + "]}")
