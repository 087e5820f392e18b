"""The only place where a string becomes HTML that templates print without escaping."""

from markupsafe import Markup


def mark_safe(html: str) -> Markup:
    """Mark HTML as safe to print.

    Use it only for the result of a renderer that has escaped its input: Markdown without raw HTML,
    Pygments, and MathML. Never use it for a string from a definition.
    """
    return Markup(html)  # noqa: S704  this is the reviewed gate; see the docstring for what may pass
