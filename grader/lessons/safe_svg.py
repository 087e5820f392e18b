"""Cleans SVG from a lesson's cell, so that only harmless shapes and text get into a page.

Clean SVG cannot run code, load anything, or change the rest of the page. Black becomes the colour
of the surrounding text, so that one image suits a light page and a dark one.
"""

import re
import xml.etree.ElementTree as ET
from typing import Final

MAX_BYTES: Final = 256 << 10  # size of one SVG, so that a page stays small enough to load

_SVG: Final = "{http://www.w3.org/2000/svg}"
_HREF: Final = "{http://www.w3.org/1999/xlink}href"
_ELEMENTS: Final = frozenset(
    {
        *("svg", "g", "defs", "clipPath", "use", "path", "rect", "circle", "ellipse", "line"),
        *("polyline", "polygon", "text", "tspan", "image"),
    }
)
_CONTAINERS: Final = frozenset({"svg", "g", "defs", "clipPath", "text", "tspan"})
_PROPERTIES: Final = frozenset(
    {
        *("fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity"),
        *("stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin"),
        *("stroke-miterlimit", "opacity", "font-size", "font-style", "font-weight", "text-anchor"),
        "clip-path",
    }
)
_ATTRIBUTES: Final = _PROPERTIES | {
    *("id", "d", "x", "y", "x1", "y1", "x2", "y2", "cx", "cy", "r", "rx", "ry", "points"),
    *("width", "height", "viewBox", "transform", "clip-rule", "preserveAspectRatio"),
}
_VALUE: Final = re.compile(r"[\w\s#%.,+()-]*")
_OWN_PART: Final = re.compile(r"#([\w.-]+)")
_OWN_URL: Final = re.compile(r"url\(#([\w.-]+)\)")
_PNG: Final = re.compile(r"data:image/png;base64,[\sA-Za-z0-9+/=]+")
_FONT_SIZE: Final = re.compile(r"(?:^|\s)(\d+(?:\.\d+)?)px\b")
_BLACK: Final = frozenset({"#000000", "#000", "black"})


class UnsafeSvgError(Exception):
    """The text is not an SVG that a page can show; the message says why."""


def safe_svg(source: str, alt: str, prefix: str) -> str:
    """Return an SVG, cleaned and in the form that HTML expects.

    Args:
        alt: A description of the image, for readers who cannot see it.
        prefix: Is put before each id, so that the ids of two images on a page never collide.

    Raises:
        UnsafeSvgError: The text is not an SVG, or is too large.
    """
    begin = source.find("<svg")
    text = source[begin:] if begin >= 0 else ""
    if len(text.encode()) > MAX_BYTES:
        raise UnsafeSvgError(f"the plot has more than {MAX_BYTES:,} bytes as SVG; draw less")
    if re.search(r"<!(?!--)|<\?", text):  # nested entities could expand without limit
        raise UnsafeSvgError("the SVG has a declaration within it")
    try:
        root = ET.fromstring(text)  # noqa: S314  without declarations there are no entities
    except ET.ParseError as error:
        raise UnsafeSvgError(f"the SVG cannot be read: {error}") from None
    if root.tag != f"{_SVG}svg":
        raise UnsafeSvgError("this is not an SVG")
    box = root.get("viewBox", "")
    try:
        clean = _clean(root, prefix)
    except RecursionError:
        raise UnsafeSvgError("the SVG is nested too deep") from None
    clean.attrib = {
        "viewBox": box if _VALUE.fullmatch(box) else "",
        "role": "img",
        "aria-label": alt,
        "fill": "currentColor",
        "stroke-linejoin": "round",
        "stroke-linecap": "butt",
    }
    if not len(clean):
        raise UnsafeSvgError("there is nothing in the SVG")
    return ET.tostring(clean, encoding="unicode")


def _clean(element: ET.Element, prefix: str) -> ET.Element:
    """Copy an element with only its allowed attributes and children."""
    copy = ET.Element(element.tag.removeprefix(_SVG))
    copy.text = element.text if copy.tag in ("text", "tspan") else None
    for name, value in {**element.attrib, **_declarations(element)}.items():
        if name in ("href", _HREF):
            match = _OWN_PART.fullmatch(value)  # a link to a part of the same image
            link = f"#{prefix}{match[1]}" if match else "#"
            if copy.tag == "image" and _PNG.fullmatch(value):
                link = "".join(value.split())
            copy.set("href", link)
        elif name == "id" and re.fullmatch(r"[\w.-]+", value):
            copy.set("id", prefix + value)
        elif name == "clip-path" and (match := _OWN_URL.fullmatch(value.strip())):
            copy.set(name, f"url(#{prefix}{match[1]})")
        elif name in _ATTRIBUTES - {"id"} and _VALUE.fullmatch(value) and "url" not in value:
            copy.set(name, "currentColor" if value.strip() in _BLACK else value.strip())
    for child in element:
        if isinstance(child.tag, str) and child.tag.removeprefix(_SVG) in _ELEMENTS:
            cleaned = _clean(child, prefix)
            if len(cleaned) or cleaned.text or cleaned.tag not in _CONTAINERS:
                cleaned.tail = child.tail if copy.tag in ("text", "tspan") else None
                copy.append(cleaned)
    return copy


def _declarations(element: ET.Element) -> dict[str, str]:
    """Return the properties in an element's `style` that SVG also has as attributes."""
    styles = {}
    for declaration in element.get("style", "").split(";"):
        name, _, value = declaration.partition(":")
        name, value = name.strip(), value.strip()
        if name == "font" and (size := _FONT_SIZE.search(value)):
            styles["font-size"] = size[1]
        elif name in _PROPERTIES:
            styles[name] = value.removesuffix("px") if name == "font-size" else value
    return styles
