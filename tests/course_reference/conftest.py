"""The reference of the course on learning from data, made importable, and its recorded results."""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "courses" / "learning-from-data"))


def recorded(module: str) -> dict[str, Any]:
    """Read what other libraries computed for a module, as `record_cases.py` wrote it."""
    path = Path(__file__).parent / "cases" / f"{module}.json"
    cases: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return cases
