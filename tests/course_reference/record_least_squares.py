"""Record what SciPy and scikit-learn compute for the reference of least squares.

Run by hand, where both are installed:

    python tests/course_reference/record_least_squares.py
"""

import json
from pathlib import Path

import numpy as np
import scipy
import sklearn
from scipy.linalg import lstsq
from sklearn.linear_model import LinearRegression

rng = np.random.default_rng(22)
lines, shortest = [], []
for n, d in ((6, 1), (9, 3)):
    X, y = rng.standard_normal((n, d)).round(3) + 1, rng.standard_normal(n).round(3)
    line = LinearRegression().fit(X, y)
    lines.append({"X": X.tolist(), "y": y.tolist(), "weights": [line.intercept_, *line.coef_]})
for n, d in ((6, 3), (3, 6)):
    A = rng.integers(-5, 6, (n, d)).astype(float)
    A = np.column_stack([A, A[:, 0] + A[:, 1]])
    y = rng.standard_normal(n).round(3)
    weights = lstsq(A, y, lapack_driver="gelsy")[0]  # by QR with pivots, not by singular values
    shortest.append({"A": A.tolist(), "y": y.tolist(), "weights": weights.tolist()})
versions = {"scikit-learn": sklearn.__version__, "scipy": scipy.__version__}
recorded = {"recorded_with": versions, "lines": lines, "shortest": shortest}
path = Path(__file__).parent / "cases" / "least_squares.json"
path.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
