"""The search for secrets, which finds a word and a number in each encoding."""

import base64
import gzip
import html
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable

import pytest

from tests.secret_search import SecretSearch

WORD = "zqxsolutionjvk"
NUMBERS = [83174.2969, 2.7182e-5, 918273645546.0, 27182.8125]
SEARCH = SecretSearch.of([WORD], NUMBERS)


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
    "zlib in base 64": lambda data: base64.b64encode(zlib.compress(data)),
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
    "colours": lambda data: data[:5] + b"\x1b[31m" + data[5:],
    "Markdown": lambda data: re.sub(rb"(\W)", rb"\\\1", data),
    "UTF-16": lambda data: data.decode().encode("utf-16"),
}


@pytest.mark.parametrize("encode", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize("secret", [WORD, "83174.2969"])
def test_an_encoded_secret_is_found(encode: Callable[[bytes], bytes], secret: str) -> None:
    """Among other text of a page, and nothing else is taken for a secret."""
    page = b'<p class="x">Text</p><script>const data = "%s";</script></html>'
    assert SEARCH.encoded(page % encode(f"({secret})".encode())) == {secret}
    assert SEARCH.encoded(page % encode(b"(kelpie 31415.0)")) == set()


@pytest.mark.parametrize(
    ("number", "form"),
    [
        (83174.2969, b"83174.297"),
        (83174.2969, b"83,174.3"),
        (83174.2969, b"8.317e+04"),
        (83174.2969, struct.pack("<d", 83174.2969)),
        (83174.2969, struct.pack(">f", 83174.2969)),
        (2.7182e-5, b"-2.718e-05"),
        (27182.8125, b"2.72e+04"),
        (27182.8125, b"27,182.8"),
        (27182.8125, b"27 182.8"),
        (27182.8125, b"-27183"),
        (27182.8125, b"27182"),
        (27182.8125, b"27184.0"),
        (918273645546.0, b"918273645546"),
        (918273645546.0, b"9.18e+11"),
        (918273645546.0, struct.pack("<q", 918273645546)),
    ],
)
def test_a_number_is_found_in_other_forms(number: float, form: bytes) -> None:
    """Rounded, cut off, with an exponent, with separators, of less precision or in binary."""
    assert SEARCH.plain(b"[" + form + b"]") == {repr(number)}
