"""A copy of Pyodide for a site: complete, and what its own list says it is."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from grader.errors import UsageError
from sitegen.pyodide import list_packages, read_distribution

CORE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")


def entry(
    name: str, *, depends: tuple[str, ...] = (), imports: tuple[str, ...] = ()
) -> dict[str, Any]:
    return {
        "imports": imports,
        "file_name": f"{name}.whl",
        "sha256": hashlib.sha256(name.encode()).hexdigest(),
        "depends": depends,
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A distribution in which NumPy needs another package, and there are more."""
    packages = {
        "numpy": entry("numpy", depends=("openblas",)),
        "openblas": entry("openblas", depends=("numpy",)),
        "scipy": entry("scipy", imports=("scipy",)),
        "scikit-learn": entry("learn", depends=("scipy", "joblib"), imports=("sklearn",)),
        "joblib": entry("joblib", imports=("joblib",)),
    }
    made = tmp_path / "pyodide"
    made.mkdir()
    for name in CORE:
        (made / name).write_text(name)
    for name in packages:
        (made / packages[name]["file_name"]).write_text(packages[name]["file_name"][:-4])
    (made / "pyodide-lock.json").write_text(json.dumps({"packages": packages}))
    return made


def test_numpy_and_what_it_needs_are_taken(folder: Path) -> None:
    """And the core; other packages would be megabytes for nothing."""
    files = read_distribution(folder)

    assert set(files) == {*CORE, "pyodide-lock.json", "numpy.whl", "openblas.whl"}
    assert files["numpy.whl"] == b"numpy"


def test_packages_of_pages_are_taken_with_what_they_need(folder: Path) -> None:
    """A module's package may be called otherwise; what lacks a file counts as not there."""
    assert list_packages(folder) == {"scipy", "sklearn", "joblib"}
    files = read_distribution(folder, ["sklearn"])
    assert {"learn.whl", "scipy.whl", "joblib.whl", "numpy.whl"} <= set(files)

    (folder / "joblib.whl").unlink()
    assert list_packages(folder) == {"scipy"}
    assert "scipy.whl" in read_distribution(folder, ["scipy"])


@pytest.mark.parametrize("name", [*CORE, "pyodide-lock.json", "numpy.whl", "openblas.whl"])
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    """Before anything is written."""
    (folder / name).unlink()

    with pytest.raises(UsageError, match=f"no Pyodide distribution with NumPy: {name}"):
        read_distribution(folder)


def test_a_package_that_is_another_is_refused(folder: Path) -> None:
    """Pyodide would refuse it too, but only in the learner's browser."""
    (folder / "numpy.whl").write_text("something else")

    with pytest.raises(UsageError, match=r"numpy\.whl is not the file"):
        read_distribution(folder)


@pytest.mark.parametrize("lock", ["", "[]", "{}", '{"packages": {}}', '{"packages": {"numpy": 1}}'])
def test_a_list_without_numpy_is_refused(folder: Path, lock: str) -> None:
    """The sentence names the file."""
    (folder / "pyodide-lock.json").write_text(lock)

    with pytest.raises(UsageError, match=r"pyodide-lock\.json does not list NumPy"):
        read_distribution(folder)


def test_a_name_that_leads_elsewhere_is_refused(folder: Path) -> None:
    """A list cannot make a site publish another file of this machine."""
    (folder.parent / "secret").write_text("secret")
    lock = {"packages": {"numpy": entry("numpy") | {"file_name": "../secret"}}}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))

    with pytest.raises(UsageError, match="is no file of that folder"):
        read_distribution(folder)
