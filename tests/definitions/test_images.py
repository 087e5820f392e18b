"""Images of instructions and lessons: which files they may be, and how texts name them."""

import struct
from pathlib import Path

import pytest

from grader.definitions.images import MAX_BYTES, ImageError, image_paths, image_size, read_image
from grader.definitions.student_edition import student_files

PNG = b"\x89PNG\r\n\x1a\n and so on"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A course with a track, a lesson, an exercise, and pictures at several places."""
    folder = tmp_path / "course"
    for below in ("track/lessons", "shared", "track/pictures"):
        (folder / below).mkdir(parents=True)
    (folder / "course.yaml").write_text("title: Course\n")
    (folder / "track/track.yaml").write_text("id: track\n")
    for name in ("shared/a.png", "track/pictures/b c.png", "track/lessons/l.png"):
        (folder / name).write_bytes(PNG)
    (tmp_path / "outside.png").write_bytes(PNG)
    (folder / "track/photo.JPG").write_bytes(b"\xff\xd8\xff\xe0")
    return folder


@pytest.mark.parametrize(
    ("written", "definition"),
    [
        ("pictures/b%20c.png", "track/01-x.yaml"),
        ("../shared/a.png", "track/01-x.yaml"),
        ("photo.JPG", "track/01-x.yaml"),
        ("l.png", "track/lessons/01-y.md"),
        ("../../shared/a.png", "track/lessons/01-y.md"),
    ],
)
def test_a_path_begins_at_the_folder_of_the_definition(
    course: Path, written: str, definition: str
) -> None:
    """As Markdown's paths do, and anything in the course can be reached."""
    assert read_image(written, course / definition)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("https://example.org/x.png", "is elsewhere; put the image beside this file"),
        ("data:image/png;base64,AAAA", "is elsewhere"),
        ("missing.png", "there is no file 'missing.png'; its path"),
        ("../../outside.png", "is outside the course's folder"),
        ("/etc/x.png", "is outside the course's folder"),
        ("drawing.svg", "'drawing.svg' is not a .png, .jpg or .jpeg"),
        ("large.png", f"has {MAX_BYTES + 1:,} bytes; at most 262,144 are allowed"),
        ("text.png", "the contents of 'text.png' are not those of a .png file"),
        ("photo.png", "the contents of 'photo.png' are not those of a .png file"),
        ("wide.png", "'wide.png' has 60,000 by 50,000 pixels; make it smaller"),
        ("link.png", "a symbolic link; put the file itself here"),
        ("linked/outside.png", "a symbolic link; put the folder itself here"),
    ],
)
def test_what_cannot_be_shown_is_said(course: Path, written: str, message: str) -> None:
    """Nothing outside the course, nothing large, and nothing under a wrong name."""
    track = course / "track"
    (track / "large.png").write_bytes(PNG.ljust(MAX_BYTES + 1))
    (track / "text.png").write_text("text")
    (track / "wide.png").write_bytes(PNG[:8] + struct.pack(">I4sII", 13, b"IHDR", 60_000, 50_000))
    (track / "photo.png").write_bytes(b"\xff\xd8\xff\xe0")
    (track / "link.png").symlink_to(course / "shared/a.png")
    (track / "linked").symlink_to(course.parent)

    with pytest.raises(ImageError) as caught:
        read_image(written, track / "01-x.yaml")
    assert message in str(caught.value)


def test_code_has_no_images() -> None:
    """A path with a space stands between pointed brackets; each is told once."""
    text = '![a](a.png) `![b](b.png)` ![c](<c d.png> "C") ![a](a.png)\n\n```\n![e](e.png)\n```\n'

    assert image_paths(text) == ["a.png", "c d.png"]


def test_the_student_edition_has_the_images_of_what_students_read(
    course: Path, minimal: str
) -> None:
    """Those of instructions, hints and lessons; never those of the explanation."""
    track = course / "track"
    (track / "answer.png").write_bytes(PNG)
    (track / "track.yaml").write_text(
        "id: track\ntitle: T\ndescription: T.\nexercises: [double]\n"
        "lessons: [{id: y, title: Y, exercises: [double]}]\n"
    )
    (track / "lessons/01-y.md").write_text("![l](l.png) ![a](../../shared/a.png)\n")
    instructions = "instructions: '![a](../shared/a.png) ![b](<pictures/b c.png>) `double`'"
    lines = [each for each in minimal.splitlines() if each[:5] not in {"instr", "expla"}]
    more = [instructions, "hints: ['![p](photo.JPG)']", "explanation: '![x](answer.png)'"]
    (track / "01-double.yaml").write_text("\n".join([*lines, *more]))

    names = [name for name, _ in student_files(course)]

    images = {name for name in names if name.lower().endswith((".png", ".jpg"))}
    assert images == {
        *("shared/a.png", "track/pictures/b c.png", "track/photo.JPG", "track/lessons/l.png"),
    }
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("data", "size"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\2\x80\0\0\1\xe0\x08\6", (640, 480)),
        (b"\xff\xd8\xff\xe0\0\4ab\xff\xc2\0\x11\x08\1\xe0\2\x80\3", (640, 480)),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\1\xe0\x08\6", None),
        (PNG, None),
        (b"\xff\xd8\xff\xe0", None),
        (b"\xff\xd8" + b"\xff\xe0\0\0" * 9, None),
    ],
)
def test_the_size_of_an_image_is_read_from_its_head(
    data: bytes, size: tuple[int, int] | None
) -> None:
    """The size of a PNG and of a JPEG; None if an image lacks one."""
    assert image_size(data) == size
