"""Record the temperatures that SciPy's sparse matrices give for the explicit heat equation.

Run by hand where scipy is installed: python tests/course_reference/record_grid_steps.py
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from scipy.sparse import diags_array
from scipy.sparse.linalg import matrix_power

CASES = Path(__file__).parent / "cases" / "grid_steps.json"


def case(cells: int, r: float, steps: int, seed: int) -> dict[str, Any]:
    """Compute one case: the power of the matrix of one step, times random temperatures."""
    u = np.random.default_rng(seed).uniform(0.0, 100.0, cells).round(2)
    inside = np.r_[0.0, np.full(cells - 2, r), 0.0]
    step = diags_array((inside[1:], 1.0 - 2.0 * inside, inside[:-1]), offsets=(-1, 0, 1))
    result = matrix_power(step.tocsc(), steps) @ u
    return {"u": u.tolist(), "r": r, "steps": steps, "result": result.tolist()}


if __name__ == "__main__":
    cases = [case(3, 0.5, 1, 1), case(6, 0.25, 4, 2), case(9, 0.45, 30, 3), case(5, 0.7, 6, 4)]
    recorded = {"computed_by": f"scipy {scipy.__version__}", "cases": cases}
    CASES.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
