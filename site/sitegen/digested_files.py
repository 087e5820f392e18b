"""Files of a site, each known by its digest, and read only where its content is needed.

Most files of a build are those of the build before. Then nothing but their digests is looked at.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial


@dataclass(frozen=True, slots=True)
class DigestedFile:
    """A file of a site.

    Args:
        digest: The SHA-256 of its content, in hexadecimal.
        size: In bytes.
        content: Gives the content.
    """

    digest: str
    size: int
    content: Callable[[], bytes]

    @classmethod
    def of(cls, content: bytes) -> "DigestedFile":
        """Return the file with a content that is there."""
        return cls(hashlib.sha256(content).hexdigest(), len(content), partial(bytes, content))
