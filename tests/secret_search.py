"""The search for secrets in output, as they are or encoded."""

import base64
import bz2
import html
import io
import lzma
import re
import struct
import urllib.parse
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

_MIN_DIGITS = 5  # those of the exponent, which is as telling, among them


def forms(number: float) -> set[str]:
    """Return the ways to print a number that have enough digits to occur nowhere else."""
    printed = {repr(number), number.hex(), str(int(number)), f"{int(number):,}"}
    if abs(number) < float(np.finfo(np.float16).max):
        printed.add(str(float(np.float16(number))))
    for digits in range(2, 18):
        printed |= {f"{number:.{digits}{kind}}" for kind in "eg"}
    if number >= 1:
        printed |= {f"{number:,}", f"{int(number):x}"}
        for decimals in range(7):
            printed |= {f"{number:.{decimals}f}", f"{number:,.{decimals}f}"}
    printed |= {form.replace(",", separator) for form in printed for separator in "_ "}
    return {form for form in printed if sum(map(str.isdigit, form)) >= _MIN_DIGITS}


def packed(number: float) -> set[bytes]:
    """Return the bytes of a number in binary data."""
    kinds = ["<d", ">d", "<f", ">f"] + (["<q", ">q"] if number.is_integer() else [])
    return {struct.pack(kind, int(number) if kind[1] == "q" else number) for kind in kinds}


def any_of(texts: set[bytes]) -> bytes:
    """Return a pattern of the longest of some texts, by first bytes: one of all in a row is slow."""
    ends = b"?" if b"" in texts else b""
    rest: dict[bytes, set[bytes]] = {}
    for text in texts - {b""}:
        rest.setdefault(text[:1], set()).add(text[1:])
    if not rest:
        return b""
    branches = [re.escape(first) + any_of(after) for first, after in sorted(rest.items())]
    return b"(?:" + b"|".join(branches) + b")" + ends


@dataclass(frozen=True)
class SecretSearch:
    """A search for words and numbers in bytes, case apart."""

    pattern: re.Pattern[bytes]
    names: dict[bytes, str]

    @classmethod
    def of(cls, words: Iterable[str], numbers: Iterable[float]) -> "SecretSearch":
        """Prepare a search; a number is named by its `repr`."""
        names = {word.lower().encode(): word for word in words}
        for number in numbers:
            names |= {form.lower().encode(): repr(number) for form in forms(number)}
            names |= {data: repr(number) for data in packed(number)}
        return cls(re.compile(any_of(set(names))), names)

    def plain(self, data: bytes) -> set[str]:
        """Name the secrets that stand in the data as they are."""
        return {
            self.names[match]
            for text in (data, data.lower())
            for match in self.pattern.findall(text)
        }

    def encoded(self, data: bytes) -> set[str]:
        """Name the secrets in the data, and in everything that it may stand for."""
        return {name for view in views(data) for name in self.plain(view)}


def unpack(data: bytes) -> Iterator[bytes]:
    """Yield the compressed parts of the data, wherever they begin."""
    for header in re.finditer(rb"\x1f\x8b|\x78[\x01\x5e\x9c\xda]", data):
        try:
            # 47: zlib or gzip, by its header.
            yield zlib.decompressobj(47).decompress(data[header.start() :])
        except zlib.error:
            continue
    for header in re.finditer(rb"PK\x03\x04", data):
        try:
            with zipfile.ZipFile(io.BytesIO(data[header.start() :])) as archive:
                yield from map(archive.read, archive.namelist())
        except (zipfile.BadZipFile, ValueError):  # a later file's head, not the archive's
            continue
    for magic, decompress in ((b"BZh", bz2.decompress), (b"\xfd7zXZ", lzma.decompress)):
        if data.startswith(magic):
            yield decompress(data)


def from_base64(data: bytes) -> Iterator[bytes]:
    """Yield the runs of base 64, from each of the four places where a group may begin."""
    standard = data.replace(b"\\/", b"/").replace(b"-", b"+").replace(b"_", b"/")
    joined = re.sub(rb"(?<=[A-Za-z0-9+/])\r?\n[ \t]*(?=[A-Za-z0-9+/])", b"", standard)
    for text in {standard, joined}:
        runs = re.findall(rb"[A-Za-z0-9+/]{8,}", text)
        for start in range(4):
            whole = [run[start : start + (len(run) - start) // 4 * 4] for run in runs]
            yield b"\n".join(map(base64.b64decode, whole))
            yield b"\n".join(
                base64.b64decode(run[start:] + b"A" * (-len(run[start:]) % 4)) for run in runs
            )


def from_hexadecimal(data: bytes) -> Iterator[bytes]:
    """Yield the runs of hexadecimal digits, from both places where a byte may begin."""
    runs = re.findall(rb"[0-9a-fA-F]{8,}", data)
    for start in range(2):
        whole = [run[start : start + (len(run) - start) // 2 * 2].decode() for run in runs]
        yield b"\n".join(map(bytes.fromhex, whole))


def from_escapes(data: bytes) -> Iterator[bytes]:
    r"""Yield the data with the escapes of JSON, JavaScript and CSS resolved."""
    pattern = rb"\\(?:x([0-9a-fA-F]{2})|u\{?([0-9a-fA-F]{1,6})\}?|([0-9a-fA-F]{2,6}) ?)"

    def character(escape: re.Match[bytes]) -> bytes:
        code = int(escape[1] or escape[2] or escape[3], 16)
        return chr(code).encode("utf-8", "replace") if code < 0x110000 else b""

    yield re.sub(pattern, character, data)


def from_markup(data: bytes) -> Iterator[bytes]:
    """Yield the data without tags, and with HTML's character references resolved."""
    yield re.sub(rb"<[^>]*>", b"", data)
    yield html.unescape(data.decode("utf-8", "replace")).encode("utf-8", "replace")


def from_marks(data: bytes) -> Iterator[bytes]:
    """Yield the data without the colours of a terminal, and without backslashes before marks."""
    yield re.sub(rb"\x1b\[[\d;]*m", b"", data)
    yield re.sub(rb"\\(\W)", rb"\1", data)


def others(data: bytes) -> Iterator[bytes]:
    """Yield the data percent-decoded, and from UTF-16 or UTF-32 to one byte a character."""
    yield urllib.parse.unquote_to_bytes(data)
    yield data.replace(b"\0", b"")


DECODERS = (unpack, from_base64, from_hexadecimal, from_escapes, from_markup, from_marks, others)
DEPTH = 2  # an encoding within an encoding


def views(data: bytes) -> Iterator[bytes]:
    """Yield the data, and everything that it may stand for."""
    seen = {data}
    layer = [data]
    yield data
    for _ in range(DEPTH):
        decoded = {view for text in layer for decode in DECODERS for view in decode(text)}
        layer = list(decoded - seen - {b""})
        seen |= decoded
        yield from layer
