"""Record the results of scikit-learn and SciPy for the track "Classes and clusters".

Run by hand, where scikit-learn and SciPy are installed:

    python tests/course_reference/record_classes_and_clusters.py
"""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import expit
from scipy.stats import entropy, multivariate_normal
from sklearn.calibration import calibration_curve
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score, roc_curve
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

Case = dict[str, Any]

CASES = Path(__file__).parent / "cases" / "classes_and_clusters.json"


def regression(rng: np.random.Generator) -> Case:
    """Fit logistic regression with two and with three classes, without a penalty."""
    z = np.array([-900.0, -20.0, -0.5, 0.0, 3.0, 900.0])
    X = rng.standard_normal((40, 3))
    case: Case = {"z": z, "sigmoid": expit(z), "X": X}
    for classes in (2, 3):
        y = np.argmax(X[:, :classes] + rng.normal(0, 1.5, (40, classes)), axis=1)
        model = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, y)
        case[f"fit_{classes}"] = {
            "y": y,
            "weights": model.coef_,
            "intercepts": model.intercept_,
            "loss": log_loss(y, model.predict_proba(X)),
        }
    return case


def neighbours(rng: np.random.Generator) -> Case:
    """Classify by nearest neighbours; random floats have no ties of distance."""
    X, queries = rng.standard_normal((30, 3)), rng.standard_normal((12, 3))
    y = rng.integers(0, 4, 30)
    labels = [KNeighborsClassifier(k).fit(X, y).predict(queries) for k in (1, 4, 9)]
    lone = cross_val_score(KNeighborsClassifier(1), X, y, cv=LeaveOneOut()).mean()
    return {"X": X, "y": y, "queries": queries, "k": [1, 4, 9], "labels": labels, "lone": lone}


def naive_bayes(rng: np.random.Generator) -> Case:
    """Fit Gaussian naive Bayes."""
    X, queries = rng.standard_normal((20, 3)), 5 * rng.standard_normal((6, 3))
    y = np.append(rng.integers(0, 2, 19), 2)
    model = GaussianNB(var_smoothing=0.1).fit(X, y)
    scores = model.predict_joint_log_proba(queries)
    return {"X": X, "y": y, "queries": queries, "extra": model.epsilon_, "scores": scores}


def stump(rng: np.random.Generator) -> Case:
    """Find the best split of one feature, and the entropy of some counts."""
    x, y = rng.integers(0, 12, 40) / 2, rng.integers(0, 3, 40)
    tree = DecisionTreeClassifier(max_depth=1).fit(x[:, np.newaxis], y).tree_
    impurity = np.average(tree.impurity[1:], weights=tree.n_node_samples[1:])
    return {
        "x": x,
        "y": y,
        "threshold": tree.threshold[0],
        "impurity": impurity,
        "root": tree.impurity[0],
        "counts": [3, 0, 5],
        "entropy": entropy([3, 0, 5], base=2),
    }


def clusters(rng: np.random.Generator) -> Case:
    """Run one round of k-means, and measure the distances to two chosen rows."""
    X, centres = rng.standard_normal((25, 2)), rng.standard_normal((4, 2))
    model = KMeans(4, init=centres, n_init=1, max_iter=1, algorithm="lloyd").fit(X)
    gaps = cdist(X, X[[3, 7]], "sqeuclidean").min(axis=1)
    return {
        "X": X,
        "centres": centres,
        "labels": cdist(X, centres).argmin(axis=1),
        "moved": model.cluster_centers_,
        "chosen": [3, 7],
        "chances": gaps / gaps.sum(),
    }


def components() -> Case:
    """Find the principal components of the irises; their signs are scikit-learn's."""
    model = PCA().fit(load_iris().data)
    shares = model.explained_variance_ratio_
    return {"components": model.components_, "shares": shares}


def mixture(rng: np.random.Generator) -> Case:
    """Fit a mixture of two Gaussians until its parameters stand still."""
    X = np.concatenate([rng.normal(0, 1, (30, 2)), rng.normal(2, [0.5, 1.5], (20, 2))])
    model = GaussianMixture(2, tol=1e-13, max_iter=5000, reg_covar=0, random_state=0).fit(X)
    densities = [
        multivariate_normal(mean, covariance).logpdf(X)
        for mean, covariance in zip(model.means_, model.covariances_, strict=True)
    ]
    return {
        "X": X,
        "weights": model.weights_,
        "means": model.means_,
        "covariances": model.covariances_,
        "log_densities": np.stack(densities, axis=1),
        "responsibilities": model.predict_proba(X),
    }


def quality(rng: np.random.Generator) -> Case:
    """Compute a ROC curve with ties, its area, and the gaps of a reliability diagram."""
    labels, scores = rng.integers(0, 2, 40), rng.integers(0, 9, 40) / 3
    false_rate, true_rate, _ = roc_curve(labels, scores, drop_intermediate=False)
    chances = rng.random(40)
    came, said = calibration_curve(labels, chances, n_bins=7)
    sizes = np.histogram(chances, bins=7, range=(0, 1))[0]
    return {
        "labels": labels,
        "scores": scores,
        "false_rate": false_rate,
        "true_rate": true_rate,
        "area": roc_auc_score(labels, scores),
        "chances": chances,
        "gap": np.average(np.abs(came - said), weights=sizes[sizes > 0]),
    }


def main() -> None:
    """Write all cases, with the versions of the libraries that computed them."""
    rng = np.random.default_rng(2026)
    cases: Case = {
        "versions": {name: version(name) for name in ("numpy", "scipy", "scikit-learn")},
        "components": components(),
    }
    for record in (regression, neighbours, naive_bayes, stump, clusters, mixture, quality):
        cases[record.__name__] = record(rng)
    text = json.dumps(
        cases, indent=None, separators=(",", ":"), default=lambda array: array.tolist()
    )
    CASES.write_text(text.replace('},"', '},\n"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
