"""Record results of PyTorch, SciPy and scikit-learn, so that tests do not need these libraries.

Run it by hand where all three are installed; without names it rewrites every file of `cases/`:

    python tests/course_reference/record_cases.py
    python tests/course_reference/record_cases.py step_rules least_squares

Each function in `RECORDERS` has the name of its module and of its file.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.linalg import lstsq
from scipy.signal import correlate2d
from scipy.sparse import diags_array
from scipy.sparse.linalg import matrix_power
from scipy.spatial.distance import cdist
from scipy.special import expit, logsumexp
from scipy.stats import entropy, multivariate_normal
from sklearn.calibration import calibration_curve
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.metrics import log_loss, roc_auc_score, roc_curve
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import KFold, LeaveOneOut, PredefinedSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from torch.nn import functional

Case: TypeAlias = dict[str, Any]

FOLDER = Path(__file__).parent / "cases"
LIBRARIES = ("numpy", "scipy", "scikit-learn", "torch")


def draw(rng: np.random.Generator, **shapes: tuple[int, ...]) -> dict[str, NDArray[np.float64]]:
    """Draw arrays from the standard normal distribution, rounded so that a file stays readable."""
    return {name: rng.standard_normal(shape).round(3) for name, shape in shapes.items()}


def batch_statistics() -> Case:
    """Normalise a batch in training and evaluation mode; running statistics change in place."""
    rng = np.random.default_rng(12)
    n, d = 6, 3
    given = {
        "x": rng.normal(1.0, 2.0, (n, d)).round(3),
        "gain": rng.uniform(0.5, 2.0, d).round(3),
        "bias": rng.standard_normal(d).round(3),
        "running_mean": rng.standard_normal(d).round(3),
        "running_variance": rng.uniform(0.5, 2.0, d).round(3),
    }
    cases = []
    for training in (True, False):
        x, gain, bias, mean, variance = (torch.tensor(v) for v in given.values())
        outputs = functional.batch_norm(
            x, mean, variance, gain, bias, training=training, momentum=0.3, eps=0.01
        )
        cases.append({"training": training, "outputs": outputs, "mean": mean, "variance": variance})
    return {"given": given, "momentum": 0.3, "eps": 0.01, "cases": cases}


def careful_sums() -> Case:
    """Compute logsumexp of small, large and infinite numbers."""
    rng = np.random.default_rng(0)
    tables = [
        rng.normal(0.0, 2.0, (3, 4)).round(3),
        rng.uniform(-90_000.0, 90_000.0, (4, 1)).round(1) + rng.normal(0.0, 1.0, (4, 3)).round(3),
        np.array([[-np.inf, 1.0, -np.inf], [-np.inf, -np.inf, -np.inf]]),
        np.array([[700.0, 710.0, 720.0, 720.0]]),
    ]
    return {"cases": [{"x": x, "result": logsumexp(x, axis=-1)} for x in tables]}


def dense_network() -> Case:
    """Compute a small network's loss and gradients, and its parameters after two epochs."""
    rate, epochs, batch = 0.3, 2, 4
    rng = np.random.default_rng(11)
    n, d, h, c = 7, 3, 5, 4
    x, labels = rng.standard_normal((n, d)).round(3), rng.integers(0, c, n)
    parameters = [rng.standard_normal(s).round(3) for s in ((d, h), (h,), (h, c), (c,))]
    tensors = [torch.tensor(p, requires_grad=True) for p in parameters]
    inputs, classes = torch.tensor(x), torch.tensor(labels)

    def loss_of(part: slice) -> torch.Tensor:
        W1, b1, W2, b2 = tensors
        logits = functional.relu(inputs[part] @ W1 + b1) @ W2 + b2
        return functional.cross_entropy(logits, classes[part])

    loss = loss_of(slice(None))
    gradients = torch.autograd.grad(loss, tensors)
    optimizer = torch.optim.SGD(tensors, lr=rate)
    for _ in range(epochs):
        for start in range(0, n, batch):
            optimizer.zero_grad()
            loss_of(slice(start, start + batch)).backward()
            optimizer.step()
    return {
        "x": x,
        "labels": labels,
        "parameters": parameters,
        "loss": loss,
        "gradients": gradients,
        "rate": rate,
        "epochs": epochs,
        "batch": batch,
        "trained": tensors,
    }


def fold_validation() -> Case:
    """Divide rows into folds, and cross-validate a pipeline that standardises in each."""
    rng = np.random.default_rng(24)
    folds, errors = [], []
    for n, k in ((7, 3), (12, 4), (11, 4), (5, 5)):
        number = np.empty(n, dtype=int)
        for i, (_, out) in enumerate(KFold(k).split(np.zeros(n))):
            number[out] = i
        folds.append({"n": n, "k": k, "fold": number})
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
        inputs = {"X": X, "y": y, "fold": fold, "penalty": penalty}
        errors.append(inputs | {"error": float(-scores.mean())})
    return {"folds": folds, "errors": errors}


def grid_steps() -> Case:
    """Take steps of the explicit heat equation as a power of one step's sparse matrix."""
    cases = []
    for cells, r, steps, seed in (
        (3, 0.5, 1, 1),
        (6, 0.25, 4, 2),
        (9, 0.45, 30, 3),
        (5, 0.7, 6, 4),
    ):
        u = np.random.default_rng(seed).uniform(0.0, 100.0, cells).round(2)
        inside = np.r_[0.0, np.full(cells - 2, r), 0.0]
        step = diags_array((inside[1:], 1.0 - 2.0 * inside, inside[:-1]), offsets=(-1, 0, 1))
        result = matrix_power(step.tocsc(), steps) @ u
        cases.append({"u": u, "r": r, "steps": steps, "result": result})
    return {"cases": cases}


def image_layers() -> Case:
    """Compute a padded convolution, one channel of SciPy, and the gradient of a max pooling."""
    rng = np.random.default_rng(13)
    images = rng.standard_normal((2, 3, 5, 4)).round(2)
    kernels = rng.standard_normal((4, 3, 3, 2)).round(2)
    bias = rng.standard_normal(4).round(2)
    convolved = functional.conv2d(
        torch.tensor(images), torch.tensor(kernels), torch.tensor(bias), padding=1
    )
    ties = np.maximum(rng.integers(-3, 3, (2, 4, 6)), 0).astype(float)
    d_output = rng.standard_normal((2, 2, 3)).round(2)
    leaf = torch.tensor(ties, requires_grad=True)
    functional.max_pool2d(leaf[:, None], 2)[:, 0].backward(torch.tensor(d_output))
    return {
        "images": images,
        "kernels": kernels,
        "bias": bias,
        "convolved": convolved,
        "plane": correlate2d(images[0, 0], kernels[0, 0], mode="valid"),
        "ties": ties,
        "d_output": d_output,
        "pool_gradient": leaf.grad,
    }


def least_squares() -> Case:
    """Fit lines, and find minimum-norm weights for linearly dependent columns."""
    rng = np.random.default_rng(22)
    lines, shortest = [], []
    for n, d in ((6, 1), (9, 3)):
        X, y = rng.standard_normal((n, d)).round(3) + 1, rng.standard_normal(n).round(3)
        line = LinearRegression().fit(X, y)
        lines.append({"X": X, "y": y, "weights": [line.intercept_, *line.coef_]})
    for n, d in ((6, 3), (3, 6)):
        A = rng.integers(-5, 6, (n, d)).astype(float)
        A = np.column_stack([A, A[:, 0] + A[:, 1]])
        y = rng.standard_normal(n).round(3)
        weights = lstsq(A, y, lapack_driver="gelsy")[0]  # by QR with pivots, not singular values
        shortest.append({"A": A, "y": y, "weights": weights})
    return {"lines": lines, "shortest": shortest}


def measured_tables() -> Case:
    """Standardise two tables by the statistics of the first."""
    rng = np.random.default_rng(21)
    cases = []
    for n, m, d in ((5, 3, 2), (9, 1, 4)):
        train = (10 * rng.standard_normal((n, d))).round(2)
        test = (10 * rng.standard_normal((m, d)) + 4).round(2)
        train[:, 1] = 6.0  # scikit-learn also divides by 1 there
        scaler = StandardScaler().fit(train)
        units = {"train_units": scaler.transform(train), "test_units": scaler.transform(test)}
        cases.append({"train": train, "test": test} | units)
    return {"cases": cases}


def recurrent_states() -> Case:
    """Compute all states of a recurrent network, and the gradient of a loss of the last one."""
    cases = []
    for seed, (steps, features, size) in enumerate([(1, 2, 3), (4, 3, 2), (9, 1, 1)]):
        rng = np.random.default_rng(seed)
        inputs = {
            **draw(rng, X=(steps, features), W=(features, size), R=(size, size), b=(size,)),
            "start": rng.uniform(-0.9, 0.9, size).round(3),
            **draw(rng, d_last=(size,)),
        }
        network = torch.nn.RNN(features, size, nonlinearity="tanh", dtype=torch.float64)
        with torch.no_grad():
            network.weight_ih_l0.copy_(torch.tensor(inputs["W"].T))
            network.weight_hh_l0.copy_(torch.tensor(inputs["R"].T))
            network.bias_ih_l0.copy_(torch.tensor(inputs["b"]))
            network.bias_hh_l0.zero_()
        states, _ = network(torch.tensor(inputs["X"]), torch.tensor(inputs["start"])[None])
        (states[-1] * torch.tensor(inputs["d_last"])).sum().backward()
        cases.append({**inputs, "states": states, "d_R": network.weight_hh_l0.grad.T})
    return {"cases": cases}


def ridge_regression() -> Case:
    """Fit lines with a penalty, and compute powers of features."""
    rng = np.random.default_rng(23)
    ridges, powers = [], []
    for n, d, penalty in ((7, 2, 0.5), (4, 6, 3.0)):
        X, y = rng.standard_normal((n, d)).round(3) + 2, 10 + rng.standard_normal(n).round(3)
        line = Ridge(alpha=penalty, solver="cholesky").fit(X, y)
        weights = [line.intercept_, *line.coef_]
        ridges.append({"X": X, "y": y, "penalty": penalty, "weights": weights})
    for n, degree in ((4, 5), (1, 3)):
        x = rng.standard_normal(n).round(3)
        table = PolynomialFeatures(degree, include_bias=False).fit_transform(x[:, np.newaxis])
        powers.append({"x": x, "degree": degree, "powers": table})
    return {"ridges": ridges, "powers": powers}


def scalar_graph() -> Case:
    """Compute the derivatives of one small computation at three points."""
    cases = []
    for numbers in ([0.5, -1.25, 2.0], [1.5, 0.75, -0.5], [-2.0, -0.25, 1.0]):
        a, b, c = (torch.tensor(n, dtype=torch.float64, requires_grad=True) for n in numbers)
        d = a * b + c
        e = (d * d + 2 * a).relu()
        f = e * d + (b * c).relu() + 3
        f.backward()
        cases.append({"numbers": numbers, "slopes": [v.grad for v in (a, b, c)]})
    return {"cases": cases}


def step_rules() -> Case:
    """Minimise a quadratic with two optimisers, and list the rates of a schedule."""
    start, steepness = [1.0, -2.0, 0.5], [1.0, 0.3, 4.0]

    def walk(kind: type[torch.optim.Optimizer], **settings: float) -> list[list[float]]:
        """Return five points of the path."""
        w = torch.tensor(start, dtype=torch.float64, requires_grad=True)
        optimizer = kind([w], **settings)
        places = [w.tolist()]
        for _ in range(4):
            optimizer.zero_grad()
            (torch.tensor(steepness, dtype=torch.float64) * w**2 / 2).sum().backward()
            optimizer.step()
            places.append(w.tolist())
        return places

    # A warm-up of 4 steps to 0.8, then a cosine down to 0.1 at step 12.
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.8)
    warm_up = torch.optim.lr_scheduler.LinearLR(optimizer, start_factor=1 / 4, total_iters=3)
    cosine = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=8, eta_min=0.1)
    plan = torch.optim.lr_scheduler.SequentialLR(optimizer, [warm_up, cosine], milestones=[4])
    rates = []
    for _ in range(13):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        plan.step()
    return {
        "start": start,
        "steepness": steepness,
        "momentum": walk(torch.optim.SGD, lr=0.2, momentum=0.6),
        "adam": walk(torch.optim.Adam, lr=0.3),
        "rates": rates,
    }


def windowed_language() -> Case:
    """Compute the logarithms of probabilities of a network that reads a window."""
    cases = []
    shapes = [(2, 3, 2, 4), (1, 1, 3, 2), (4, 2, 1, 1)]
    for seed, (windows, length, features, hidden) in enumerate(shapes):
        rng = np.random.default_rng(seed)
        vocabulary = 5
        sizes = {"E": (vocabulary, features), "W": (length * features, hidden), "b": (hidden,)}
        inputs = {
            "contexts": rng.integers(0, vocabulary, (windows, length)),
            **draw(rng, **sizes, U=(hidden, vocabulary)),
        }
        tensors = {name: torch.tensor(array) for name, array in inputs.items()}
        embedded = functional.embedding(tensors["contexts"], tensors["E"]).flatten(1)
        layer = torch.tanh(functional.linear(embedded, tensors["W"].T, tensors["b"]))
        forecast = torch.log_softmax(layer @ tensors["U"], dim=1)
        cases.append({**inputs, "log_probabilities": forecast})
    return {"cases": cases}


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
    """Classify by nearest neighbours; random floats have no equal distances."""
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
    """Fit a mixture of two Gaussians until its parameters converge."""
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


def classes_and_clusters() -> Case:
    """Record the results for this track, each part under its name."""
    rng = np.random.default_rng(2026)
    parts = (regression, neighbours, naive_bayes, stump, clusters, mixture, quality)
    return {"components": components(), **{part.__name__: part(rng) for part in parts}}


RECORDERS = (
    *(batch_statistics, careful_sums, classes_and_clusters, dense_network, fold_validation),
    *(grid_steps, image_layers, least_squares, measured_tables, recurrent_states),
    *(ridge_regression, scalar_graph, step_rules, windowed_language),
)


def main(names: list[str]) -> None:
    """Write the cases of these modules or of all, with the libraries' versions."""
    versions = {library: version(library) for library in LIBRARIES}
    for record in RECORDERS:
        if not names or record.__name__ in names:
            recorded = {"recorded_with": versions, **record()}
            text = json.dumps(recorded, default=lambda array: array.tolist())
            (FOLDER / f"{record.__name__}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
