"""Record what scikit-learn computes for the reference of cross-validation.

Run by hand, where scikit-learn is installed:

    python tests/course_reference/record_fold_validation.py
"""

import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold, PredefinedSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(24)
folds, errors = [], []
for n, k in ((7, 3), (12, 4), (11, 4), (5, 5)):
    number = np.empty(n, dtype=int)
    for i, (_, out) in enumerate(KFold(k).split(np.zeros(n))):
        number[out] = i
    folds.append({"n": n, "k": k, "fold": number.tolist()})
for n, d, penalty in ((9, 2, 0.7), (12, 4, 5.0)):
    X, y = 3 * rng.standard_normal((n, d)).round(3) + 1, 8 + rng.standard_normal(n).round(3)
    fold = rng.permutation(np.concatenate([[0, 0, 1, 1, 2, 2], rng.integers(0, 3, n - 6)]))
    scores = cross_val_score(
        make_pipeline(StandardScaler(), Ridge(alpha=penalty)),
        X,
        y,
        cv=PredefinedSplit(fold),
        scoring="neg_mean_squared_error",
    )
    inputs = {"X": X.tolist(), "y": y.tolist(), "fold": fold.tolist(), "penalty": penalty}
    errors.append(inputs | {"error": float(-scores.mean())})
recorded = {
    "recorded_with": {"scikit-learn": sklearn.__version__},
    "folds": folds,
    "errors": errors,
}
path = Path(__file__).parent / "cases" / "fold_validation.json"
path.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
