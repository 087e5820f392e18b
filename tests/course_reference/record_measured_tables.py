"""Record what scikit-learn computes for the reference of measured tables.

Run by hand, where scikit-learn is installed:

    python tests/course_reference/record_measured_tables.py
"""

import json
from pathlib import Path

import numpy as np
import sklearn
from sklearn.preprocessing import StandardScaler

rng = np.random.default_rng(21)
cases = []
for n, m, d in ((5, 3, 2), (9, 1, 4)):
    train = (10 * rng.standard_normal((n, d))).round(2)
    test = (10 * rng.standard_normal((m, d)) + 4).round(2)
    train[:, 1] = 6.0  # scikit-learn divides by 1 there, too
    scaler = StandardScaler().fit(train)
    units = {"train_units": scaler.transform(train), "test_units": scaler.transform(test)}
    cases.append(
        {"train": train.tolist(), "test": test.tolist()} | {k: v.tolist() for k, v in units.items()}
    )
recorded = {"recorded_with": {"scikit-learn": sklearn.__version__}, "cases": cases}
path = Path(__file__).parent / "cases" / "measured_tables.json"
path.write_text(json.dumps(recorded, indent=1) + "\n", encoding="utf-8")
