"""The images and data files that belong to a notebook."""

from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Final

from grader.definitions.images import MEDIA_TYPES, ImageError, image_paths, read_image
from grader.errors import DefinitionError, Location
from grader.grading.expected.public_form import MAX_DATA_IN_PAGE
from grader.notebook_files import TEST_CELL, code_cell, text_cell


def attach_images(cell: dict[str, Any], markdown: str, definition: Path) -> None:
    """Attach a text's images to its cell, so that the notebook is one file.

    Raises:
        DefinitionError: An image cannot be shown.
    """
    for number, path in enumerate(image_paths(markdown), 1):
        try:
            content = read_image(path, definition)
        except ImageError as error:
            raise DefinitionError.at(Location(definition), str(error)) from None
        suffix = PurePosixPath(path).suffix.lower()
        name = f"image-{number}{suffix}"
        image = {MEDIA_TYPES[suffix]: b64encode(content).decode()}
        cell.setdefault("attachments", {})[name] = image
        cell["source"] = [
            line.replace(f"](<{path}>", f"]({path}").replace(f"]({path}", f"](attachment:{name}")
            for line in cell["source"]
        ]


def make_data_cells(data: Mapping[str, bytes]) -> Iterator[dict[str, Any]]:
    """Yield a cell that writes the data files beside the notebook, or names the too large ones.

    The cell is not part of a submission.
    """
    if sum(map(len, data.values())) > MAX_DATA_IN_PAGE:
        yield text_cell("data", f"Put these files beside this notebook: `{'`, `'.join(data)}`.")
    elif data:
        files = {name: b64encode(content).decode() for name, content in data.items()}
        yield code_cell("data", _WRITE_DATA.format(files=files), {"etude": TEST_CELL})


_WRITE_DATA: Final = """\
# Writes the data files beside this notebook; run it first.
from base64 import b64decode
from pathlib import Path

for name, content in {files!r}.items():
    Path(name).write_bytes(b64decode(content))"""
