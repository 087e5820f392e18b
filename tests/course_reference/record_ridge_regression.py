"""Record what scikit-learn computes for the reference of ridge regression.

Run by hand, where scikit-learn is installed:

    python tests/course_reference/record_ridge_regression.py
"""

import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.linear_model import Ridge
from sklearn.preprocessing import PolynomialFeatures

rng = np.random.default_rng(23)
ridges, powers = [], []
for n, d, penalty in ((7, 2, 0.5), (4, 6, 3.0)):
    X, y = rng.standard_normal((n, d)).round(3) + 2, 10 + rng.standard_normal(n).round(3)
    line = Ridge(alpha=penalty, solver="cholesky").fit(X, y)
    weights = [line.intercept_, *line.coef_]
    ridges.append({"X": X.tolist(), "y": y.tolist(), "penalty": penalty, "weights": weights})
for n, degree in ((4, 5), (1, 3)):
    x = rng.standard_normal(n).round(3)
    table = PolynomialFeatures(degree, include_bias=False).fit_transform(x[:, np.newaxis])
    powers.append({"x": x.tolist(), "degree": degree, "powers": table.tolist()})
recorded = {
    "recorded_with": {"scikit-learn": sklearn.__version__},
    "ridges": ridges,
    "powers": powers,
}
path = Path(__file__).parent / "cases" / "ridge_regression.json"
path.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
