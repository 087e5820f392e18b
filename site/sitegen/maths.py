"""TeX as MathML, without the style attributes that our content security policy forbids."""

import re

from markupsafe import Markup
from math_core import LatexError, LatexToMathML

from sitegen.safe_html import mark_safe

_CONVERTER = LatexToMathML(fancy_error=False)
_TAG = re.compile(r"<[a-z]+[^<>]*>")
_STYLE = re.compile(r' style="([^"]*)"')
_OFFSET = re.compile(r"^\d+: ")

# Style attributes of the converter, and the stylesheet's class for each.
_CLASS_OF = {
    "text-align: left": "m-left",
    "justify-items: start": "",  # for engines without text-align; the class covers both
    "text-align: right": "m-right",
    "justify-items: end": "",
    "padding-left: 0": "m-flush-left",
    "padding-right: 0": "m-flush-right",
    "padding-top: 0": "m-flush-top",
    "padding-bottom: 0": "m-flush-bottom",
    "padding-left: 1em": "m-gap-left",
    "padding-left: 0.1em": "m-thin-left",
    "padding-right: 0.1em": "m-thin-right",
    "border-left: 0.05em solid currentcolor": "m-rule-left",
    "border-right: 0.05em solid currentcolor": "m-rule-right",
    "border-top: 0.05em solid currentcolor": "m-rule-top",
    "border-bottom: 0.05em solid currentcolor": "m-rule-bottom",
}


class TexError(ValueError):
    """A formula that cannot be shown; `tex` is the formula, and the message gives the reason."""

    def __init__(self, tex: str, reason: str) -> None:
        self.tex = tex
        super().__init__(reason)


def mathml(tex: str, *, display: bool) -> Markup:
    """Return a formula as a `<math>` element.

    Raises:
        TexError: The TeX is invalid, or uses colours, numbered equations, links or strokes,
            which the pages do not support.
    """
    try:
        markup = _CONVERTER.convert_with_local_state(tex.strip(), displaystyle=display)
    except LatexError as error:
        raise TexError(tex, _OFFSET.sub("", str(error)).rstrip(".")) from error
    # Not every browser draws `menclose`, so the stroke would be missing.
    for element, name in (("<a ", "links"), ("<menclose", "boxes and strokes")):
        if element in markup:
            raise TexError(tex, f"Formulas on our pages cannot have {name}")
    return mark_safe(_TAG.sub(lambda tag: _with_classes(tag[0], tex), markup))


def _with_classes(tag: str, tex: str) -> str:
    style = _STYLE.search(tag)
    if style is None:
        return tag
    classes = []
    for each in filter(str.strip, style[1].split(";")):
        name, _, value = each.partition(":")
        declaration = f"{name.strip()}: {value.strip()}"
        if declaration not in _CLASS_OF:
            raise TexError(tex, f"Formulas on our pages cannot have the style {declaration!r}")
        classes.append(_CLASS_OF[declaration])
    return _STYLE.sub(f' class="{" ".join(filter(None, classes))}"', tag)
