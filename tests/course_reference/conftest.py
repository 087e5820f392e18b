"""Makes the reference of the course on learning from data importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "courses" / "learning-from-data"))
