"""The references of courses, importable as a course's oracle imports them."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "courses" / "learning-from-data"))
