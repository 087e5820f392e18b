"""Bad files get a sentence, never a traceback."""

from pathlib import Path

import pytest

from grader.grading.submissions.submission import Submission
from grader.sandbox.limits import MAX_SOURCE_BYTES


@pytest.mark.parametrize(
    ("data", "problem", "line"),
    [
        (b"", "The file is empty: write your solution into it.", None),
        (b" \n\t", "The file is empty: write your solution into it.", None),
        (
            b"x" * (MAX_SOURCE_BYTES + 1),
            "The file has more than 64 KiB; a solution needs far less.",
            None,
        ),
        (
            b"a\nb\0",
            "The file has NUL bytes in it (line 2), so it is not Python. Save it as UTF-8 text.",
            2,
        ),
        (b"a\n\nb = '\xe9'", "The file is not UTF-8 (byte 0xe9 on line 3). Save it as UTF-8.", 3),
    ],
)
def test_bytes_that_are_no_source_have_a_sentence(
    data: bytes, problem: str, line: int | None
) -> None:
    """Empty, too large, NUL bytes and another encoding, with the line where there is one."""
    found = Submission.from_bytes(Path("x.py"), data)
    assert (found.problem, found.line, found.source) == (problem, line, "")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"PK\x03\x04\x14\0" + b"\xe9" * 30, "This is a zip."),
        (b"PK\x03\x04\x14\0[Content_Types].xml word/document.xml", "This is an Office document."),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", "This is an Office document."),
        (b"%PDF-1.7\n%\xe2\xe3", "This is a PDF."),
        (b"\x1f\x8b\x08\0\xff", "This is a packed archive."),
        (b"\x89PNG\r\n\x1a\n\0", "This is a picture."),
        (b"\xa7\r\r\n\0\0\0\0abc", "This is compiled Python."),
        ("x = '\u00e9'".encode("utf-16"), "The file is UTF-16 text. Save it as UTF-8."),
        ("x = 1".encode("utf-16-be"), "The file is UTF-16 text. Save it as UTF-8."),
        (b"<!DOCTYPE html>" + b" " * MAX_SOURCE_BYTES, "This is a web page, not Python."),
    ],
)
def test_a_file_of_another_kind_is_called_what_it_is(data: bytes, words: str) -> None:
    """A line and a byte of it would say nothing."""
    found = Submission.from_bytes(Path("x.py"), data)
    assert found.problem.startswith(words)
    assert found.line is None


@pytest.mark.parametrize("encoding", ["latin-1", "cp1252", "koi8-r"])
@pytest.mark.parametrize("before", ["", "#!/usr/bin/env python\n"])
def test_an_encoding_is_read_as_python_reads_it(encoding: str, before: str) -> None:
    """In the first line or the second; elsewhere it is a comment like any other."""
    text = f"{before}# -*- coding: {encoding} -*-\nx = '\u00a9'\n"
    assert Submission.from_bytes(Path("x.py"), text.encode(encoding)).source == text
    assert "not UTF-8" in Submission.from_bytes(Path("x"), f"x\n{text}".encode(encoding)).problem


@pytest.mark.parametrize("encoding", ["rot13", "zlib", "idna", "nothing"])
def test_an_encoding_that_is_no_table_of_characters_is_not_used(encoding: str) -> None:
    """Python knows stranger ones."""
    data = f"# coding: {encoding}\nx = '\u00a9'\n".encode("latin-1")
    assert "not UTF-8" in Submission.from_bytes(Path("x.py"), data).problem


def test_a_byte_order_mark_is_no_mistake() -> None:
    """A file saved by an editor that writes a BOM is read as if it had none."""
    assert Submission.from_bytes(Path("x.py"), b"\xef\xbb\xbfx = 1\r\n").source == "x = 1\r\n"
