"""The names and paths after `etude verify`, and the files they mean."""

from pathlib import Path

import pytest

from grader.authoring.targets import TargetGroup, find_targets
from grader.errors import UsageError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "attention").mkdir()
    for name in (
        "attention/track.yaml",
        "attention/01-scores.yaml",
        "attention/02-weights.yaml",
        "loose.yaml",
    ):
        (tmp_path / name).write_text("")
    return tmp_path


def track(folder: Path) -> TargetGroup:
    below = folder / "attention"
    return TargetGroup((below / "01-scores.yaml", below / "02-weights.yaml"), below / "track.yaml")


@pytest.mark.parametrize(
    ("names", "files"),
    [
        ([], ["loose", "01-scores", "02-weights"]),  # all: first what is in no track
        (["weights"], ["02-weights"]),  # without the number in the file's name
        (["attention"], ["01-scores", "02-weights"]),
        (["{}/attention"], ["01-scores", "02-weights"]),
        (["{}/attention/track.yaml"], ["01-scores", "02-weights"]),
        (["{}/loose.yaml"], ["loose"]),
        (["scores", "attention", "{}/attention/01-scores.yaml"], ["01-scores", "02-weights"]),
    ],
)
def test_names_and_paths_mean_files(folder: Path, names: list[str], files: list[str]) -> None:
    """Ids, folders, files; what is named twice is proven once, and a track stays a whole."""
    groups = find_targets([name.format(folder) for name in names], folder)
    assert [path.stem for group in groups for path in group.files] == files
    if "attention" in str(names) and len(names) == 1:
        assert groups == [track(folder)]


def test_a_path_needs_no_collection(folder: Path) -> None:
    """A draft lies anywhere."""
    path = folder / "loose.yaml"
    assert find_targets([str(path)], Path("/nonexistent")) == [TargetGroup((path,))]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("wieghts", "did you mean 'weights'?"),
        ("atention", "did you mean 'attention'?"),
        ("none.yaml", "no file or folder 'none.yaml'"),
        ("zzz", "no exercise or track 'zzz'"),
    ],
)
def test_a_name_that_nothing_has_is_an_error(folder: Path, name: str, message: str) -> None:
    """The closest name is shown."""
    with pytest.raises(UsageError) as caught:
        find_targets([name], folder)
    assert message in str(caught.value)


def test_a_folder_of_drafts_by_its_name(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It need not be a track, nor in the collection."""
    (folder / "drafts").mkdir()
    (folder / "drafts" / "rope.yaml").write_text("")
    monkeypatch.chdir(folder)
    for name in ("drafts/", "./drafts"):
        assert find_targets([name], folder) == [TargetGroup((Path("drafts/rope.yaml"),))]
    with pytest.raises(UsageError, match=r"'drafts' .*for the folder here, write './drafts'"):
        find_targets(["drafts"], folder)


def test_a_name_is_never_a_file_or_folder_here(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What lies in the working directory cannot take the place of the collection's."""
    here = folder / "here"
    (here / "attention").mkdir(parents=True)
    (here / "attention" / "track.yaml").write_text("")
    (here / "weights").write_text("")
    monkeypatch.chdir(here)
    assert find_targets(["attention"], folder) == [track(folder)]
    assert find_targets(["weights"], folder) == [
        TargetGroup((folder / "attention/02-weights.yaml",))
    ]


def test_a_lesson_is_no_exercise(folder: Path) -> None:
    """It is said what checks it, instead of reading prose as YAML."""
    lesson = folder / "attention/lessons/01-softmax.md"
    lesson.parent.mkdir()
    lesson.write_text("# Softmax\n")
    with pytest.raises(UsageError, match="etude lesson run"):
        find_targets([str(lesson)], folder)
