"""The documentation site: `make docs` builds it into build/docs, with warnings as errors."""  # noqa: INP001  Sphinx runs it

import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))

import grader  # noqa: E402  from the environment that builds

project = "Etude"
copyright = "the authors of Etude"  # noqa: A001  the name is Sphinx's
version = release = grader.__version__

extensions = ["myst_parser", "docs_pages"]
myst_heading_anchors = 4
exclude_patterns = ["images", "reference/examples"]

html_theme = "furo"
html_title = f"Etude {version}"
html_show_sphinx = False
html_copy_source = False
