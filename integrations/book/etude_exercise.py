"""Sphinx extension: `etude-exercise` shows an exercise of an Etude site on a page of a book.

It works in reStructuredText and, with MyST-Parser, in Markdown. In `conf.py`:

    extensions = ["etude_exercise"]
    etude_site_url = "https://example.org/numpy/"

Output formats other than HTML get a link.
"""

from html import escape
from urllib.parse import urljoin

from docutils import nodes
from sphinx.addnodes import only
from sphinx.application import Sphinx
from sphinx.errors import ConfigError
from sphinx.util.docutils import SphinxDirective


class EtudeExercise(SphinxDirective):
    """The directive for an exercise at a path of the site; its content is the text of the link."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the element for HTML and the link for other formats."""
        address = urljoin(_site(self.config.etude_site_url), self.arguments[0].strip("/") + "/")
        text = " ".join(self.content) or self.arguments[0]
        element = (
            f'<etude-exercise src="{escape(address)}">'
            f'<a href="{escape(address)}">{escape(text)}</a></etude-exercise>'
        )
        link = nodes.paragraph("", "", nodes.reference("", text, refuri=address))
        in_html = only("", nodes.raw("", element, format="html"), expr="html")
        return [in_html, only("", link, expr="not html")]


def _site(url: str) -> str:
    """Return the address of the site, ending with a slash.

    Raises:
        ConfigError: No address is configured.
    """
    if not url:
        raise ConfigError("set etude_site_url in conf.py, such as 'https://example.org/numpy/'")
    return url.rstrip("/") + "/"


def _add_script(app: Sphinx) -> None:
    app.add_js_file(urljoin(_site(app.config.etude_site_url), "embed.js"), loading_method="defer")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive and its setting with Sphinx."""
    app.add_config_value("etude_site_url", "", "env", str)
    app.add_directive("etude-exercise", EtudeExercise)
    app.connect("builder-inited", _add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
