"""The images of a page, read beside the definition and written beside the page or inline."""

from base64 import b64encode
from pathlib import Path, PurePosixPath

from grader.definitions.images import MEDIA_TYPES, image_size, read_image
from sitegen.assets import hash_name


class PageImages:
    """The images that the texts of a page show.

    They are written beside the page, so that its texts refer to them by file name.

    Args:
        definition: The file of the exercise or lesson.
    """

    def __init__(self, definition: Path) -> None:
        self._definition = definition
        self._contents: dict[str, bytes] = {}

    def add(self, written: str) -> dict[str, str | int | float]:
        """Return the attributes of an image beside the page, given its path in the Markdown.

        With its size, a browser reserves space for the image before it is loaded.

        Raises:
            ImageError: The image cannot be shown.
        """
        content = read_image(written, self._definition)
        name = hash_name(f"image{PurePosixPath(written).suffix.lower()}", content)
        self._contents[name] = content
        size = image_size(content)
        return {"src": name, **({"width": size[0], "height": size[1]} if size else {})}

    def files_for(self, page: str) -> dict[str, bytes]:
        """Return the images by path, given the path of the page."""
        return {
            f"{page.rpartition('/')[0]}/{name}": content for name, content in self._contents.items()
        }


class InlineImages(PageImages):
    """Images written into the text, for a page that was built without them."""

    def add(self, written: str) -> dict[str, str | int | float]:
        """Return the attributes of an image with its bytes in a data URL.

        Raises:
            ImageError: The image cannot be shown.
        """
        attributes = super().add(written)
        content = b64encode(self._contents[str(attributes["src"])]).decode()
        kind = MEDIA_TYPES[PurePosixPath(written).suffix.lower()]
        return {**attributes, "src": f"data:{kind};base64,{content}"}
