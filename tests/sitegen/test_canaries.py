"""No byte of a built site has anything hidden, as it is or encoded.

A collection with a canary in every hidden place goes through the real command. Canaries in public
places, and encoded ones that the tests plant, show that the search would find what it looks for.
"""

import base64
import bz2
import functools
import gzip
import html
import io
import json
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import urllib.parse
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

EXERCISES = {
    "01-double.yaml": """\
# zqxcommentjvk: an author's note, with the number 71934.8261
id: double
title: Double it
difficulty: beginner
xp: 5
instructions: Write `double(x)`. zqxvisiblejvk
defines: {double: {}}
starter: |
  def double(x):
      ...
hints: [Twice.]
tests:
  - id: two
    given: {x: [[64738.2917, 1.5], [2.5, 3.0]]}
    call: double(x)
    expect: [[129476.5834, 3.0], [5.0, 6.0]]
  # zqxsecondcommentjvk
  - id: zqxcallidjvk
    description: zqxcalldescriptionjvk
    hidden: true
    points: 3
    given:
      x: [[83174.2969, -2.7182e-5], [918273645546, 4.0]]
      zqxnamejvk: zqxtextjvk
    call: double(x) + len('zqxcalljvk') - 10  # zqxcallcommentjvk
    expect: [[59263.7183, 1.0], [2.0, 3.0]]
    tolerance: {atol: 6.1938e-4}
  - id: zqxsecondidjvk
    description: zqxseconddescriptionjvk
    hidden: true
    disclose: inputs
    seeds: 7
    given: |
      zqxvariablejvk = 47261.5839  # zqxprogramjvk
      x = rng.standard_normal(3)
    call: double(x) - 2 * x
    expect: {zqxkeyjvk: zqxexpectedjvk}
  - id: zqxrunidjvk
    hidden: true
    disclose: nothing
    given: {x: 31597.4682}
    run: |
      print(double(x), 'zqxrunjvk')
    stdout: |
      63194.9364 zqxstdoutjvk
misconceptions:
  - id: zqxmistakejvk
    code: |
      def double(x):
          return 15263.9748  # zqxmistakecodejvk
    feedback: zqxfeedbackjvk
solution: |
  def double(x):
      return 2 * x  # zqxsolutionjvk 86421.9753
explanation: |
  zqxexplanationjvk and 97531.8642
""",
    # A hidden test that computes its expected value, and one that comes before the visible ones.
    "02-weights.yaml": """\
id: weights
title: Weigh
difficulty: advanced
xp: 7
instructions: Write `weights(Q, K)`.
defines: {weights: {reference: reference.attention:attention_weights}}
starter: |
  def weights(Q, K):
      ...
tests:
  - id: zqxfirstidjvk
    description: zqxfirstdescriptionjvk
    hidden: true
    given: {Q: [[27495.3816]], K: [[35864.1927]], zqxunusedjvk: zqxunusedtextjvk}
    call: weights(Q, K)
  - id: plain
    given: {Q: [[1.0]], K: [[1.0]]}
    call: weights(Q, K)
solution: zqxothersolutionjvk = 1
explanation: zqxotherexplanationjvk
""",
    "track.yaml": """\
# zqxtrackcommentjvk
id: canaries
title: Canaries
description: A track.
exercises: [double, weights]
lessons:
  - {id: by-two, title: By two, exercises: [double]}
""",
    # A lesson is public, whatever its cells do.
    "lessons/01-by-two.md": """\
# By two

zqxlessonjvk

```python
print("zqxprintedjvk", 45678.1234)
```
""",
}
LOOSE = """\
id: loose
title: zqxloosetitlejvk is in no track, so it has no page
difficulty: beginner
xp: 1
instructions: None.
defines: {f: {}}
starter: f = 1
tests: [{id: zqxlooseidjvk, call: f(), expect: 1, hidden: true}]
solution: zqxloosesolutionjvk = 1
explanation: zqxlooseexplanationjvk
"""

# A page names a misconception and says what unlocks it, so it has to know what comes of it.
PUBLIC_WORDS = {
    *("zqxvisiblejvk", "zqxlessonjvk", "zqxprintedjvk"),
    *(MISTAKE := ("zqxmistakejvk", "zqxfeedbackjvk")),
}
PUBLIC_NUMBERS = {64738.2917, 129476.5834, 45678.1234, 15263.9748}
PUBLIC = PUBLIC_WORDS | set(map(repr, PUBLIC_NUMBERS))
SOLUTION_WORDS = {
    *("zqxsolutionjvk", "zqxothersolutionjvk"),
    *("zqxexplanationjvk", "zqxotherexplanationjvk"),
}
SOLUTION_NUMBERS = {86421.9753, 97531.8642}
SOLUTIONS = SOLUTION_WORDS | set(map(repr, SOLUTION_NUMBERS))
TEXT = "\n".join([*EXERCISES.values(), LOOSE])
WORDS = set(re.findall("zqx[a-z]+jvk", TEXT))
NUMBERS = {float(word) for word in re.findall(r"\d{5,}\.\d+|\d\.\d{4}e-\d|\d{12}", TEXT)}


_MIN_DIGITS = 5  # those of the exponent, which is as telling, among them


def forms(number: float) -> set[str]:
    """How a number may be printed; what has too few digits would occur anywhere."""
    printed = {repr(number), f"{number:,}", number.hex()}
    for digits in range(2, 18):
        printed |= {f"{number:.{digits}{kind}}" for kind in "eg"}
    if number >= 1:
        for decimals in range(7):
            printed |= {f"{number:.{decimals}f}", f"{number:,.{decimals}f}"}
    if number.is_integer():
        printed |= {str(int(number)), f"{int(number):,}", f"{int(number):x}", f"{int(number):_}"}
    return {form for form in printed if sum(map(str.isdigit, form)) >= _MIN_DIGITS}


def packed(number: float) -> set[bytes]:
    """How a number may lie in binary data."""
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
class Search:
    """Looks for canaries in bytes, case apart, and names the ones it finds."""

    pattern: re.Pattern[bytes]
    names: dict[bytes, str]

    @classmethod
    def of(cls, words: Iterable[str], numbers: Iterable[float]) -> "Search":
        names = {word.lower().encode(): word for word in words}
        for number in numbers:
            names |= {form.lower().encode(): repr(number) for form in forms(number)}
            names |= {data: repr(number) for data in packed(number)}
        return cls(re.compile(any_of(set(names))), names)

    def __call__(self, data: bytes) -> set[str]:
        return {
            self.names[found]
            for view in (data, data.lower())
            for found in self.pattern.findall(view)
        }


def unpack(data: bytes) -> Iterator[bytes]:
    """Yield the compressed parts of the data, wherever they begin."""
    for start in (
        found.start() for found in re.finditer(rb"\x1f\x8b|\x78[\x01\x5e\x9c\xda]", data)
    ):
        try:
            yield zlib.decompressobj(47).decompress(data[start:])  # zlib or gzip, by its header
        except zlib.error:
            continue
    for start in (found.start() for found in re.finditer(rb"PK\x03\x04", data)):
        try:
            with zipfile.ZipFile(io.BytesIO(data[start:])) as archive:
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

    def character(found: re.Match[bytes]) -> bytes:
        code = int(found[1] or found[2] or found[3], 16)
        return chr(code).encode("utf-8", "replace") if code < 0x110000 else b""

    yield re.sub(pattern, character, data)


def from_markup(data: bytes) -> Iterator[bytes]:
    """Yield the data without tags, and with HTML's character references resolved."""
    yield re.sub(rb"<[^>]*>", b"", data)
    yield html.unescape(data.decode("utf-8", "replace")).encode("utf-8", "replace")


def others(data: bytes) -> Iterator[bytes]:
    """Yield the data percent-decoded, and from UTF-16 or UTF-32 to one byte a character."""
    yield urllib.parse.unquote_to_bytes(data)
    yield data.replace(b"\0", b"")


DECODERS = (unpack, from_base64, from_hexadecimal, from_escapes, from_markup, others)
DEPTH = 2  # an encoding within an encoding


def views(data: bytes) -> Iterator[bytes]:
    """Yield the data, and everything that it may stand for."""
    seen = {data}
    layer = [data]
    yield data
    for _ in range(DEPTH):
        decoded = {view for each in layer for decode in DECODERS for view in decode(each)}
        layer = list(decoded - seen - {b""})
        seen |= decoded
        yield from layer


SEARCH = Search.of(WORDS, NUMBERS)


@functools.cache  # most files of one site are those of the next
def canaries(data: bytes) -> frozenset[str]:
    """Name the canaries in the data, and in everything that it may stand for."""
    return frozenset(name for view in views(data) for name in SEARCH(view))


def found_in(folder: Path) -> set[str]:
    """Name the canaries in the names and contents of all files of a folder."""
    found: set[str] = set()
    for path in folder.rglob("*"):
        found |= canaries(path.relative_to(folder).as_posix().encode())
        if path.is_file():
            found |= canaries(path.read_bytes())
    return found


@dataclass(frozen=True)
class Built:
    folder: Path
    printed: bytes


def build(base: Path, *options: str) -> Built:
    """Build the site of the canaries' collection, by the real command from an empty folder."""
    collection, output, elsewhere = base / "exercises", base / "out", base / "empty"
    for folder in (collection / "canaries" / "lessons", elsewhere):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in EXERCISES.items():
        (collection / "canaries" / name).write_text(text)
    (collection / "loose.yaml").write_text(LOOSE)
    words = ["site", "build", "--exercises", str(collection), "--output", str(output), *options]
    done = subprocess.run(
        [sys.executable, "-m", "grader.cli", *words],
        cwd=elsewhere,
        env={**os.environ, "XDG_CACHE_HOME": str(base / "cache")},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return Built(output, done.stdout + done.stderr)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The site as it is by default, with all that an address adds."""
    return build(tmp_path_factory.mktemp("canaries"), "--site-url", "https://example.org/etude/")


def test_there_is_a_canary_in_every_hidden_place() -> None:
    """The collection has what the search is for; no canary is part of another."""
    assert len(WORDS) == TEXT.count("zqx") == TEXT.count("jvk")
    assert len(NUMBERS) == 17
    for word in WORDS:
        assert not any(word in other for other in WORDS - {word})


@pytest.mark.slow
def test_only_public_canaries_are_in_the_site(built: Built) -> None:
    """No hidden one is in a page, an asset, a name or the build's notes; each public one is found."""
    assert found_in(built.folder) == PUBLIC


@pytest.mark.slow
def test_solutions_are_in_their_own_files_alone_while_they_are_asked_for(tmp_path: Path) -> None:
    """With them nothing else that is hidden is there; the next build without them leaves none."""
    site = build(tmp_path, "--with-solutions").folder
    solutions = sorted(site.rglob("solution.json"))

    assert [path.parent.name for path in solutions] == ["double", "weights"]
    assert found_in(site) == PUBLIC | SOLUTIONS
    assert {each for path in solutions for each in SEARCH(path.read_bytes())} == SOLUTIONS
    for path in solutions:
        path.unlink()
    assert found_in(site) == PUBLIC

    build(tmp_path)
    assert not list(site.rglob("solution.json"))
    assert found_in(site) == PUBLIC


def test_the_data_of_a_page_is_searched(built: Built) -> None:
    """The data for the page's Python are searched in whatever form they come."""
    folder = built.folder / "canaries/double"
    data = json.loads((folder / "exercise.json").read_bytes())

    assert (data["solution"], data["asks"]) == (None, {})
    found = canaries((folder / data["engine"]).read_bytes())
    assert found == {*map(repr, PUBLIC_NUMBERS - {45678.1234}), *MISTAKE}


def test_no_canary_is_printed(built: Built) -> None:
    """The command says nothing about what is hidden either."""
    assert canaries(built.printed) <= PUBLIC


def base64_within(shift: int) -> Callable[[bytes], bytes]:
    return lambda data: base64.b64encode(b"." * shift + data + b"..")


def zipped(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data", data)
    return buffer.getvalue()


ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "as it is": lambda data: data,
    "upper case": bytes.upper,
    "base 64": base64.b64encode,
    "base 64, second place": base64_within(1),
    "base 64, third place": base64_within(2),
    "base 64, beside letters": lambda data: b"abc" + base64.b64encode(data),
    "base 64 without padding": lambda data: base64.b64encode(data).rstrip(b"="),
    "base 64 for URLs": lambda data: base64.urlsafe_b64encode(b"\xfb\xff" + data),
    "base 64 in lines": lambda data: b"\n".join(re.findall(b".{1,10}", base64.b64encode(data))),
    "hexadecimal": lambda data: data.hex().encode(),
    "hexadecimal, second place": lambda data: b"a" + data.hex().upper().encode(),
    "gzip": gzip.compress,
    "zlib": zlib.compress,
    "zip": zipped,
    "gzip in base 64": lambda data: base64.b64encode(gzip.compress(data)),
    "base 64 twice": lambda data: base64.b64encode(base64.b64encode(data)),
    "JSON": lambda data: "".join(f"\\u{byte:04x}" for byte in data).encode(),
    "JavaScript": lambda data: "".join(f"\\x{byte:02x}" for byte in data).encode(),
    "CSS": lambda data: "".join(f"\\{byte:06x}" for byte in data).encode(),
    "base 64 in JSON": lambda data: json.dumps(base64.b64encode(b"???" + data).decode()).encode(),
    "HTML, decimal": lambda data: "".join(f"&#{byte};" for byte in data).encode(),
    "HTML, hexadecimal": lambda data: "".join(f"&#x{byte:x};" for byte in data).encode(),
    "HTML between tags": lambda data: b"<b>".join(data[i : i + 1] for i in range(len(data))),
    "percent": lambda data: "".join(f"%{byte:02X}" for byte in data).encode(),
    "percent in HTML": lambda data: html.escape("".join(f"%{b:02x}" for b in data)).encode(),
    "UTF-16": lambda data: data.decode().encode("utf-16"),
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize("secret", ["zqxsolutionjvk", "83174.2969"])
def test_an_encoded_canary_would_be_found(
    encode: Callable[[bytes], bytes], secret: str, tmp_path: Path
) -> None:
    """Planted in a page among other text, a canary is found in each encoding."""
    page = b'<p class="x">Text</p><script>const data = "%s";</script></html>'
    (tmp_path / "index.html").write_bytes(page % encode(f"({secret})".encode()))
    assert found_in(tmp_path) == {secret}


@pytest.mark.parametrize(
    ("number", "form"),
    [
        (83174.2969, b"83174.297"),
        (83174.2969, b"83,174.3"),
        (83174.2969, b"8.317e+04"),
        (83174.2969, struct.pack("<d", 83174.2969)),
        (83174.2969, struct.pack(">f", 83174.2969)),
        (2.7182e-5, b"-2.718e-05"),
        (918273645546.0, b"918273645546"),
        (918273645546.0, b"9.18e+11"),
        (918273645546.0, struct.pack("<q", 918273645546)),
    ],
)
def test_a_number_would_be_found_in_other_forms(number: float, form: bytes) -> None:
    """Rounded, with an exponent, with separators or in binary, it is the same number."""
    assert SEARCH(b"[" + form + b"]") == {repr(number)}


@pytest.mark.slow
def test_a_canary_in_a_file_s_name_would_be_found(built: Built, tmp_path: Path) -> None:
    """A page for a hidden test would show by its address."""
    site = tmp_path / "site"
    shutil.copytree(built.folder, site)
    (site / "zqxcallidjvk").mkdir()
    assert found_in(site) == PUBLIC | {"zqxcallidjvk"}
