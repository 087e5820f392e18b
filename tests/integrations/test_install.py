"""The installer, where a student's checkout holds what pip would take for its own."""

import hashlib
import shutil
from pathlib import Path

import pytest

from tests.integrations.conftest import ROOT, Run, downloads, index, wheel


@pytest.mark.slow
@pytest.mark.release
def test_no_cache_of_pip_in_the_checkout_is_believed(
    run: Run, offline: dict[str, str], tmp_path: Path
) -> None:
    """Projects on GitLab often keep PIP_CACHE_DIR in the checkout, where a student can fill it."""
    project, environment = tmp_path / "project", tmp_path / "environment"
    project.mkdir()
    with index() as (address, serve):
        variables = {
            "PIP_CACHE_DIR": str(project / ".cache" / "pip"),
            "PIP_INDEX_URL": address,
            "PIP_NO_INDEX": "0",
            "PIP_TRUSTED_HOST": "127.0.0.1",
        }
        serve("the student's")
        words = ("-m", "pip", "download", "--quiet", "--dest", tmp_path / "home", "demo==1.0")
        run(offline["PYTHON"], *words, cwd=project, **variables)
        assert any(path.is_file() for path in project.rglob("*"))
        serve("the index's")
        script = ROOT / "integrations" / "install"
        finished = run("sh", script, environment, "demo==1.0", cwd=project, **variables)
        assert finished.returncode == 0, finished.stderr
    said = run(environment / "bin" / "python", "-I", "-c", "import demo", cwd=tmp_path)
    assert said.stdout == "the index's\n"


@pytest.mark.slow
@pytest.mark.release
@pytest.mark.parametrize("filled_by", ["the index's", "the student's"])
def test_a_named_cache_saves_downloads_and_is_not_believed(
    run: Run, offline: dict[str, str], tmp_path: Path, filled_by: str
) -> None:
    """What has the lock's hash is not downloaded again; anything else in the cache is not used."""
    tree, cache = tmp_path / "etude", tmp_path / "cache"
    for name in ("integrations/install", "scripts/make-venv"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    (tree / "requirements").mkdir()
    digest = hashlib.sha256(wheel("the index's")).hexdigest()
    (tree / "requirements" / "runtime.txt").write_text(f"demo==1.0 --hash=sha256:{digest}\n")
    (tree / "pyproject.toml").write_text(
        '[build-system]\nrequires = []\nbuild-backend = "hatchling.build"\n'
        '[project]\nname = "empty"\nversion = "1"\n'
        '[tool.hatch.build.targets.wheel]\npackages = ["empty"]\n'
    )
    (tree / "empty").mkdir()
    (tree / "empty" / "__init__.py").touch()
    with index() as (address, serve):
        variables = {
            "ETUDE_PIP_CACHE": str(cache),
            "PIP_INDEX_URL": address,
            "PIP_NO_INDEX": "0",
            "PIP_TRUSTED_HOST": "127.0.0.1",
        }
        serve(filled_by)
        words = ("-m", "pip", "--cache-dir", cache, "download", "--quiet", "--dest", tmp_path / "x")
        run(offline["PYTHON"], *words, "demo==1.0", cwd=tmp_path, **variables)
        built = cache / "wheels" / "planted"
        built.mkdir(parents=True)
        serve("the index's")
        before = len(downloads)
        finished = run(
            "sh",
            tree / "integrations" / "install",
            tmp_path / "venv",
            cwd=tmp_path,
            **variables,
        )
        assert finished.returncode == 0, finished.stderr
        assert len(downloads) - before == (0 if filled_by == "the index's" else 1)
    assert not built.exists()
    said = run(tmp_path / "venv" / "bin" / "python", "-I", "-c", "import demo", cwd=tmp_path)
    assert said.stdout == "the index's\n"
