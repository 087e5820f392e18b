"""The images of a page: read beside the definition, written beside the page or into its text."""

from base64 import b64encode
from pathlib import Path, PurePosixPath

from grader.definitions.images import MEDIA_TYPES, image_size, read_image
from sitegen.assets import hashed_name


class PageImages:
    """Collects the images that the texts of a page show.

    They lie beside the page, so that its texts name them by their names alone.

    Args:
        definition: The file of the exercise or lesson.
    """

    def __init__(self, definition: Path) -> None:
        self._definition = definition
        self._contents: dict[str, bytes] = {}

    def add(self, written: str) -> dict[str, str | int | float]:
        """Return the attributes of an image beside the page, given its path in the Markdown.

        With its size the browser leaves room for it before it is there.

        Raises:
            ImageError: It cannot be shown.
        """
        content = read_image(written, self._definition)
        name = hashed_name(f"image{PurePosixPath(written).suffix.lower()}", content)
        self._contents[name] = content
        size = image_size(content)
        return {"src": name, **({"width": size[0], "height": size[1]} if size else {})}

    def files_for(self, page: str) -> dict[str, bytes]:
        """Return the images by their paths, given that of the page."""
        return {f"{page.rpartition('/')[0]}/{name}": each for name, each in self._contents.items()}


class InlineImages(PageImages):
    """Writes images into the text, which is shown on a page that was built without them."""

    def add(self, written: str) -> dict[str, str | int | float]:
        """Return the attributes of an image whose bytes stand in its address.

        Raises:
            ImageError: It cannot be shown.
        """
        attributes = super().add(written)
        content = b64encode(self._contents[str(attributes["src"])]).decode()
        kind = MEDIA_TYPES[PurePosixPath(written).suffix.lower()]
        return {**attributes, "src": f"data:{kind};base64,{content}"}
