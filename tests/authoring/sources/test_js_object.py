"""The tolerant reader of object literals: what it reads, what it repairs, where it gives up."""

from typing import Any

import pytest

from grader.authoring.sources.js_object import NoObjectError, read_object


@pytest.mark.parametrize(
    ("notation", "meaning"),
    [
        ("{'a': 1, \"b\": 'two',}", {"a": 1, "b": "two"}),
        ("{a: [1, [2.5, .5, 0x10,],], b: {c: null}}", {"a": [1, [2.5, 0.5, 16]], "b": {"c": None}}),
        ("{a: 1, // first\n /* then */ b: true, c: undefined}", {"a": 1, "b": True, "c": None}),
        ("{a: 'one' + \"two\" + `three`}", {"a": "onetwothree"}),
        (
            "{\u2018a\u2019: \u201cx\u201d, \u2018b\u2019: \u2018don\u2019t\u2019}",
            {"a": "x", "b": "don\u2019t"},
        ),
        ("{a: `two\nlines`}", {"a": "two\nlines"}),
        (r"{a: '\x41\u0042\u{43}\\\'\n\u2019'}", {"a": "ABC\\'\n\u2019"}),
        ("{a: \u20135}", {"a": -5}),
        ("{a: \u201d, b: \u201d}", {"a": "", "b": ""}),
    ],
)
def test_notations_mean_what_their_author_meant(notation: str, meaning: dict[str, Any]) -> None:
    """Quotes of any kind, comments, trailing commas, escapes, joined strings, dashes for signs."""
    assert read_object(notation, 0).value == meaning


def test_what_was_repaired_is_counted() -> None:
    """The report says how often, by what typesetting had done."""
    found = read_object("{a: \u20182\\\u2019\u2019, \u2018b\u2019: \u20132, c: \u201d}", 0)
    assert found.repairs == {
        "typographic quotes around a string": 2,
        "a typographic quote behind a backslash": 1,
        "a dash for a minus sign": 1,
        "an empty string that had become one quotation mark": 1,
    }


@pytest.mark.parametrize(
    ("notation", "at", "message"),
    [
        ("{a 1}", 1, "'a' cannot stand here"),
        ("{a: 'open", 4, "this string is never closed"),
        ("{a: [1, 2", 0, "this '{' is never closed"),
        ("{a: 1 b: 2}", 6, "'b' cannot stand here"),
        ("{a: run()}", 4, "'r' cannot stand here"),
        ("{a: 1 /* never", 6, "'/' cannot stand here"),
        ("{a: " + "[" * 100_000, 35, "nested more than 32 levels deep"),
        ("{a: [" + "1," * 1_000_000 + "]}", 0, "this '{' is never closed"),
    ],
)
def test_what_cannot_be_read_has_its_place(notation: str, at: int, message: str) -> None:
    """The error points at the character, nothing is evaluated, and work is bounded."""
    with pytest.raises(NoObjectError) as caught:
        read_object(notation, 0)
    assert (caught.value.at, caught.value.message) == (at, message)
