"""What `grader.definitions` offers."""

import subprocess
import sys

from grader import definitions


def test_exports() -> None:
    """The package exports what it lists, sorted, and nothing that is missing."""
    assert all(hasattr(definitions, name) for name in definitions.__all__)
    assert len(set(definitions.__all__)) == len(definitions.__all__)


def test_numpy_is_imported_late() -> None:
    """Importing the package does not import NumPy, which takes longer than loading an exercise."""
    program = "import sys, grader.definitions; print('numpy' in sys.modules)"
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert printed.stdout == "False\n"
