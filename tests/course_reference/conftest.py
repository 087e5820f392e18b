"""The reference of the course "Learning from Data", made importable, and recorded results."""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "courses" / "learning-from-data"))


def recorded(module: str) -> dict[str, Any]:
    """Read the results of other libraries for a module, as written by `record_cases.py`."""
    path = Path(__file__).parent / "cases" / f"{module}.json"
    cases: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return cases
