"""`--exercises a --exercises b`: both collections together, in every command."""

from pathlib import Path

import pytest

from tests.conftest import DOUBLE, Etude

TRACK = "id: {0}\ntitle: T\ndescription: D.\nexercises: [{1}]\n"
RIGHT = "def double(x):\n    return 2 * x\n"


def collection(folder: Path, track: str, *exercises: str) -> Path:
    (folder / track).mkdir(parents=True)
    (folder / track / "track.yaml").write_text(TRACK.format(track, ", ".join(exercises)))
    for name in exercises:
        text = DOUBLE.replace("id: double\n", f"id: {name}\n", 1)
        (folder / track / f"{name}.yaml").write_text(text)
    return folder


@pytest.fixture
def both(tmp_path: Path) -> tuple[str, ...]:
    """Two collections, as words of a command line."""
    one = collection(tmp_path / "one", "first", "double")
    two = collection(tmp_path / "two", "second", "twice")
    return "--exercises", str(one), "--exercises", str(two)


@pytest.mark.slow
def test_commands_see_the_exercises_of_both(
    etude: Etude, both: tuple[str, ...], tmp_path: Path
) -> None:
    """To find one by its id, or a track, to list them all, and to grade a folder of both."""
    (tmp_path / "right.py").write_text(RIGHT)
    for name in ("double", "twice"):
        assert etude("check", *both, name, "right.py").returncode == 0
        assert etude("show", *both, name).returncode == 0
        (tmp_path / "subs" / "ann").mkdir(parents=True, exist_ok=True)
        (tmp_path / "subs" / "ann" / f"{name}.py").write_text(RIGHT)
    assert "2 passed" in etude("grade", *both, "subs").stdout
    listed = etude("list", *both).stdout
    assert "double" in listed
    assert "twice" in listed
    assert "in 4 files" in etude("lint", *both).stdout
    assert "in 2 files" in etude("lint", *both, "second").stdout
    together = {"ETUDE_EXERCISES": f"{both[1]}:{both[3]}"}
    assert etude("show", "twice", env=together).returncode == 0
    assert etude("site", "build", *both, "--output", "made").returncode == 0
    assert (tmp_path / "made" / "first" / "double").is_dir()
    assert (tmp_path / "made" / "second" / "twice").is_dir()


def test_what_is_in_both_is_an_error(etude: Etude, both: tuple[str, ...], tmp_path: Path) -> None:
    """An exercise or track in both collections is refused with both places."""
    three = collection(tmp_path / "three", "first", "double")
    clashing = (*both[:2], "--exercises", str(three))
    for command in (["check", "double", "x.py"], ["show", "double"], ["list"], ["verify", "first"]):
        finished = etude(command[0], *clashing, *command[1:])
        assert finished.returncode == 2, command
        assert all(folder in finished.stderr for folder in (str(three), both[1])), command
    assert "is both" in etude("verify", *clashing, "double").stderr
    other = collection(tmp_path / "other", "first", "thrice")
    finished = etude("list", *both[:2], "--exercises", str(other))
    assert finished.returncode == 2
    assert "there is another track 'first'" in finished.stderr


def test_a_course_that_comes_with_etude_is_found_by_its_name(etude: Etude, tmp_path: Path) -> None:
    """It is found from everywhere, unless a folder here has the name."""
    words = ("list", "--exercises", "numpy-practice")
    assert "First arrays (arrays)" in etude(*words).stdout
    collection(tmp_path / "numpy-practice", "mine", "double")
    assert "First arrays" not in etude(*words).stdout


def test_a_folder_that_is_not_there_is_named(etude: Etude, both: tuple[str, ...]) -> None:
    """And a handout is of one collection, since it has one course."""
    finished = etude("list", *both, "--exercises", "nowhere")
    assert finished.returncode == 2
    assert "there is no folder nowhere" in finished.stderr
    assert "'learning-from-data' and 'numpy-practice'" in finished.stderr
    finished = etude("export", "student", *both, "handout")
    assert finished.returncode == 2
    assert "one collection" in finished.stderr
