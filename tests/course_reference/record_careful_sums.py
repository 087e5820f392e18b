"""Record what SciPy computes for the logarithm of a sum of exponentials.

Run by hand where scipy is installed: python tests/course_reference/record_careful_sums.py
"""

import json
from pathlib import Path

import numpy as np
import scipy
from scipy.special import logsumexp

CASES = Path(__file__).parent / "cases" / "careful_sums.json"

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    tables = [
        rng.normal(0.0, 2.0, (3, 4)).round(3),
        rng.uniform(-90_000.0, 90_000.0, (4, 1)).round(1) + rng.normal(0.0, 1.0, (4, 3)).round(3),
        np.array([[-np.inf, 1.0, -np.inf], [-np.inf, -np.inf, -np.inf]]),
        np.array([[700.0, 710.0, 720.0, 720.0]]),
    ]
    recorded = {
        "computed_by": f"scipy {scipy.__version__}",
        "cases": [{"x": x.tolist(), "result": logsumexp(x, axis=-1).tolist()} for x in tables],
    }
    CASES.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
