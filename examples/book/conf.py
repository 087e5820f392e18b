"""A book whose pages have exercises: `sphinx-build examples/book build/book`."""

import os
import sys
from pathlib import Path

# In a book of your own, `etude_exercise.py` lies beside this file.
sys.path.insert(0, str(Path(__file__).parents[2] / "integrations" / "book"))

project = "Scores"
extensions = ["myst_parser", "etude_exercise"]
etude_site_url = os.environ.get("ETUDE_SITE_URL", "http://127.0.0.1:8000/")
html_theme = "furo"
html_theme_options = {"top_of_page_buttons": []}  # they lie outside of all landmarks
