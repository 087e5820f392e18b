from pathlib import Path

import numpy as np
import pytest
from learning_reference.measured_tables import load_complete_rows, split_rows, standardise

from tests.course_reference.conftest import recorded

CASES = recorded("measured_tables")["cases"]


def test_rows_with_a_gap_are_left_out(tmp_path: Path) -> None:
    """The others keep their order, and the last column is the target."""
    path = tmp_path / "a.csv"
    path.write_text("a,b,target\n1,2,3\n,5,6\n7,8,\n4,5.5,6\n")

    X, y = load_complete_rows(path)

    assert X.tolist() == [[1.0, 2.0], [4.0, 5.5]]
    assert y.tolist() == [3.0, 6.0]


def test_each_row_is_in_one_part_and_keeps_its_target() -> None:
    """No row is lost, none is in both parts, and the seed decides."""
    X = np.arange(22).reshape(11, 2)

    X_train, X_test, y_train, y_test = split_rows(X, X[:, 0], 4, 3)

    assert len(y_test) == 4
    assert sorted([*y_train.tolist(), *y_test.tolist()]) == X[:, 0].tolist()
    assert (X_train[:, 0] == y_train).all()
    assert (X_test[:, 0] == y_test).all()
    assert split_rows(X, X[:, 0], 4, 4)[3].tolist() != y_test.tolist()


@pytest.mark.parametrize("case", CASES)
def test_units_are_those_of_scikit_learn(case: dict[str, list[list[float]]]) -> None:
    """Its StandardScaler, fitted to the training rows, gives the same for both tables."""
    train, test = standardise(case["train"], case["test"])

    np.testing.assert_allclose(train, case["train_units"], atol=1e-12)
    np.testing.assert_allclose(test, case["test_units"], atol=1e-12)
