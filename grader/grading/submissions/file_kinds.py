"""Files that are submitted in place of Python, recognized by their first bytes.

Only a file that Python cannot read, or that lacks a required name, is examined. A working program
is never refused because of its beginning.
"""

import re
from typing import Final

_ARCHIVE: Final = rb"\x1f\x8b|BZh\d|7z\xbc\xaf\x27|Rar!|\xfd7zXZ"
_DOCUMENT: Final = rb"PK\x03\x04[\s\S]{0,4000}?(?:word/|xl/|ppt/|opendocument)|\xd0\xcf\x11\xe0"
_PICTURE: Final = rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF[\s\S]{4}WEBP"
_UTF_32: Final = rb"\xff\xfe\0\0|\0\0\xfe\xff"
_UTF_16: Final = rb"\xff\xfe|\xfe\xff|(?:[\t\n\r -~]\0){4}|(?:\0[\t\n\r -~]){4}"
_WEB_PAGE: Final = rb"(?i:<(?:!doctype|html|head|body|\?xml|!--))"
_DIFF: Final = rb"diff --git |From [0-9a-f]{40} |Index: .*\r?\n=|--- .*\r?\n\+\+\+ "
_NOTEBOOK: Final = rb"\{(?!\\rtf)[\s\S]*?\"cell(?:s|_type)\"\s*:"
_JSON: Final = rb"\{\s*\"[^\"\n]*\"\s*:|\[\s*\{\s*\""
_NUMBERED: Final = rb"1[.:|)]?[ \t]+\S.*\r?\n\s*2(?:[.:|)]?[ \t].*)?\r?\n\s*3\b"
_SHORTCUT: Final = rb"\[InternetShortcut\]|L\0\0\0\x01\x14\x02\0"

# Patterns for the beginning of a file, after a UTF-8 byte-order mark and white space, and the
# sentence about each kind of file.
_KINDS: Final = (
    (rb"\{\\rtf", "This is formatted text (RTF). Save it as plain text, with the ending `.py`."),
    (_WEB_PAGE, "This is a web page, not Python. Copy the code out of it into a text file."),
    (rb"version https://git-lfs", "This is a pointer of Git LFS. Run `git lfs pull` for the file."),
    (_NOTEBOOK, "This is a notebook. Give it the ending `.ipynb`."),
    (_JSON, "This is JSON, not Python. Submit the code as text."),
    (_NUMBERED, "Each line begins with its number. Copy the code without the numbers."),
    (rb"Traceback \(most", "This is the message of an error. Submit the code that raised it."),
    (_DIFF, "This is a diff, a list of changes. Submit the changed file itself."),
    (rb"404: Not Found", "This is the message of a failed download. Download the file again."),
    (rb"%PDF-", "This is a PDF. Copy the code into a text file with the ending `.py`."),
    (
        _DOCUMENT,
        "This is an Office document. Copy the code into a text file with the ending `.py`.",
    ),
    (rb"PK\x03\x04", "This is a zip. Unpack it and submit the Python file in it."),
    (_ARCHIVE, "This is a packed archive. Unpack it and submit the Python file in it."),
    (_PICTURE, "This is a picture. Submit the code as text."),
    (rb"bplist00|\0\x05\x16\x07", "This is a file of macOS. Submit the Python file beside it."),
    (rb"[\s\S]{2}\r\n[\0-\3]\0\0\0", "This is compiled Python. Submit the source (`.py`)."),
    (rb"\x93NUMPY", "This is an array that NumPy saved. Submit the Python file."),
    (_SHORTCUT, "This is a link to a file. Submit the file itself."),
    (_UTF_32, "The file is UTF-32 text. Save it as UTF-8."),
    (_UTF_16, "The file is UTF-16 text. Save it as UTF-8."),
)


def file_kind(data: bytes) -> str:
    """Return the sentence about a file that is not Python, or ""."""
    return next((sentence for pattern, sentence in _KINDS if _begins_with(pattern, data)), "")


def is_notebook_json(data: bytes) -> bool:
    """Return whether a file is a notebook, whatever its name."""
    return _begins_with(_NOTEBOOK, data)


def _begins_with(pattern: bytes, data: bytes) -> bool:
    return re.match(pattern, data.removeprefix(b"\xef\xbb\xbf").lstrip()) is not None
