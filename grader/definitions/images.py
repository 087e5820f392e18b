"""The images of instructions and lessons: their paths inside the course's folder, and contents."""

import contextlib
import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote

from grader.definitions.files import course_folder, read_file, refuse_link
from grader.definitions.wording import quote
from grader.errors import DefinitionError, UsageError

MAX_BYTES: Final = 256 << 10  # size of an image, which a slow network loads in a second or two
MEDIA_TYPES: Final = {".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg"}
_MAX_PIXELS: Final = 16 << 20  # a small file can be an image that is too large for a browser
_BEGINNINGS: Final = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
_MARKER: Final = 0xFF  # first byte of each segment of a JPEG
_FRAMES: Final = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # segments with the size
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_LINK: Final = re.compile(r"!\[[^\]]*\]\(\s*(?:<([^>\n]+)>|([^\s)]+))")
_CODE: Final = re.compile(
    r"^ *(```|~~~).*?^ *\1|(?<!`)(`+)(?!`).+?(?<!`)\2(?!`)", re.MULTILINE | re.DOTALL
)


class ImageError(Exception):
    """An image cannot be shown. The message is the reason."""


def image_paths(markdown: str) -> list[str]:
    """Return the paths of the images in a text that are written as `![alt](path)`.

    It works without a Markdown parser, which is missing when a package is built.
    """
    links = _LINK.finditer(_CODE.sub("", markdown)) if "![" in markdown else ()
    return list(dict.fromkeys(link[1] or link[2] for link in links))


def image_path(written: str, definition: Path) -> Path:
    """Return the file of an image, whose path is relative to the definition or lesson.

    Raises:
        ImageError: It is not the path of an image in the course.
    """
    if _SCHEME.match(written):
        raise ImageError(f"{quote(written)} is elsewhere; put the image beside this file")
    path = PurePosixPath(unquote(written))
    if path.suffix.lower() not in MEDIA_TYPES:
        raise ImageError(f"{quote(written)} is not a .png, .jpg or .jpeg")
    folder = definition.parent.resolve()
    course = course_folder(folder / definition.name)
    target = Path(os.path.normpath(folder / path))
    if path.is_absolute() or "\0" in str(path) or not target.is_relative_to(course):
        raise ImageError(f"{quote(written)} is outside the course's folder")
    try:
        for above in target.parents:
            if above != course and above.is_relative_to(course):
                refuse_link(above)
    except DefinitionError as error:
        raise ImageError(f"{quote(written)}: {error.problems[0].message}") from None
    return target


def read_image(written: str, definition: Path) -> bytes:
    """Return the contents of an image.

    Args:
        written: The path as it is written in the Markdown.
        definition: The file of the exercise or lesson that shows it.

    Raises:
        ImageError: It is missing, too large, outside the course, or not an image of its type.
    """
    path = image_path(written, definition)
    try:
        data = read_file(path, MAX_BYTES)
    except UsageError:
        raise ImageError(
            f"there is no file {quote(written)}; its path begins at this file's folder"
        ) from None
    except DefinitionError as error:
        raise ImageError(f"{quote(written)}: {error.problems[0].message}") from None
    if not data.startswith(_BEGINNINGS[MEDIA_TYPES[path.suffix.lower()]]):
        raise ImageError(f"the contents of {quote(written)} are not those of a {path.suffix} file")
    width, height = image_size(data) or (0, 0)
    if width * height > _MAX_PIXELS:
        raise ImageError(f"{quote(written)} has {width:,} by {height:,} pixels; make it smaller")
    return data


def image_files(definition: Path) -> Iterator[Path]:
    """Yield the files of the images in an exercise or a lesson that can be shown."""
    for written in image_paths(read_file(definition).decode("utf-8", "replace")):
        with contextlib.suppress(ImageError):
            yield image_path(written, definition)


def image_size(data: bytes) -> tuple[int, int] | None:
    """Return the width and height of a PNG or JPEG in pixels, or None if not found."""
    if data.startswith(_BEGINNINGS["image/png"]):
        return _positive(*struct.unpack(">II", data[16:24])) if data[12:16] == b"IHDR" else None
    at = 2
    while data.startswith(b"\xff\xd8") and at + 9 <= len(data) and data[at] == _MARKER:
        kind, (length,) = data[at + 1], struct.unpack(">H", data[at + 2 : at + 4])
        if kind in _FRAMES:
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return _positive(width, height)
        at += 2 + length
    return None


def _positive(width: int, height: int) -> tuple[int, int] | None:
    return (width, height) if width and height else None
