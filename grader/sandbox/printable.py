"""Text that is safe to show: no character in it controls a terminal."""

import unicodedata

_STEERING = {"Cc", "Cf", "Cs", "Zl", "Zp"}  # controls, marks that reverse text, odd line breaks
_INSTEAD = {"\n": " ", "\r": "", "\t": " "}


def printable(text: str, keep: str = "") -> str:
    """Replace control characters and their like.

    Args:
        text: what a submission printed, raised or named, or a file's name.
        keep: characters that may stay, such as a line feed.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c in keep or unicodedata.category(c) not in _STEERING else _INSTEAD.get(c, "\ufffd")
        for c in text
    )
