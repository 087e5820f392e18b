"""The images of the README show what the command shows."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "screenshots.py"
IMAGES = sorted((ROOT / "docs" / "images").glob("check-*.svg"))


@pytest.fixture
def screenshots() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("screenshots", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for it
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_images_show_what_a_terminal_shows_now() -> None:
    """Word for word; `python scripts/screenshots.py` draws them again."""
    finished = subprocess.run(
        [sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False
    )
    assert (finished.returncode, finished.stderr) == (0, "")


@pytest.mark.slow
def test_other_words_in_an_image_are_found(
    screenshots: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And said, line by line."""
    first = next(screenshots.shots())
    old = first.path.read_text().replace("Passed:", "Failed:")
    monkeypatch.setattr(screenshots, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["screenshots.py", "--check"])
    (tmp_path / f"{first.name}.svg").write_text(old)
    with pytest.raises(SystemExit, match=r"\n-Failed: .*\n\+Passed: "):
        screenshots.main()


def test_there_is_an_image_for_each_shot(screenshots: ModuleType) -> None:
    """No other image is in the folder."""
    assert sorted(shot.path for shot in screenshots.shots()) == IMAGES


@pytest.mark.parametrize("image", IMAGES, ids=lambda path: path.stem)
def test_an_image_stands_alone(image: Path) -> None:
    """No font and nothing else of another host, no date, and a title for who cannot see it."""
    svg = image.read_text()
    assert set(re.findall(r"https?://[^\"' )]+", svg)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"@font-face|@import|<script|<image|href=|url\((?!#)", svg)
    assert not re.search(r"\b20\d\d-\d\d|[0-9a-f]{32}", svg)
    assert "<title>etude check: " in svg
