"""The generator of the static site, from the public form of tracks to a folder of pages."""

from sitegen.build import build_site
from sitegen.content import Content
from sitegen.hosting import Hosting

__all__ = ["Content", "Hosting", "build_site"]
