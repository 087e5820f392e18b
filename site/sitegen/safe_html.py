"""The one place where a string becomes HTML that templates print without escaping it."""

from markupsafe import Markup


def mark_safe(html: str) -> Markup:
    """Mark HTML as safe to print.

    Only for what a renderer of ours returns after it escaped its input: Markdown with raw HTML
    turned off, Pygments, and MathML. Never for a string that a definition holds.
    """
    return Markup(html)  # noqa: S704  this is the reviewed gate; see the docstring for what may pass
