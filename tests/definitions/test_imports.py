"""The cost of importing `grader.definitions`."""

import subprocess
import sys


def test_numpy_is_imported_late() -> None:
    """Loading definitions does not import NumPy, which takes longer than loading an exercise."""
    program = "import sys, grader.definitions.collection; print('numpy' in sys.modules)"
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert printed.stdout == "False\n"
