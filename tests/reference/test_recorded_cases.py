import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

HERE = Path(__file__).parent
GROUPS = sorted(path.stem.removeprefix("cases_") for path in HERE.glob("cases_*.py"))


@pytest.mark.parametrize("group", GROUPS)
def test_what_is_recorded_is_what_the_installed_libraries_compute(group: str) -> None:
    """With PyTorch and ONNX installed, computing every case again gives the recorded numbers."""
    for library in ("torch", "onnx"):
        if find_spec(library) is None:  # importing it here would take seconds
            pytest.skip(f"{library} is not installed; the cases recorded with it stand in")

    finished = subprocess.run(
        [sys.executable, "-W", "ignore", HERE / "record_cases.py", group, "--check"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.parametrize("group", GROUPS)
def test_every_recorded_case_is_compared(group: str) -> None:
    """The name of each case stands in a test."""
    tests = "\n".join(path.read_text() for path in HERE.glob("test_*.py"))
    cases = json.loads((HERE / "cases" / f"{group}.json").read_text())["cases"]

    assert cases
    assert [name for name in cases if f'"{name}"' not in tests] == []


@pytest.mark.parametrize("group", GROUPS)
def test_recorded_cases_name_the_versions_that_computed_them(group: str) -> None:
    """Each group says which NumPy, ONNX and PyTorch were used."""
    about = json.loads((HERE / "cases" / f"{group}.json").read_text())

    assert set(about["recorded_with"]) == {"numpy", "onnx", "torch"}


def test_the_recorded_cases_stay_small() -> None:
    """All of them together are less than 300 kB."""
    assert sum(path.stat().st_size for path in (HERE / "cases").iterdir()) < 300_000
