"""Downloads of learning platforms, put where they can be graded."""

import os
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from grader.course.collect import Collected, collect
from grader.course.grades import read_names
from grader.errors import UsageError
from grader.sandbox.limits import SOURCE_CAP

Date: TypeAlias = tuple[int, int, int, int, int, int]
DATE: Date = (2026, 11, 3, 12, 30, 20)
Zip = Callable[..., Path]


def exercise_of(name: str) -> str | None:
    plain = name.replace("_", "-")
    return plain if plain in {"token-lookup", "softmax"} else None


@pytest.fixture
def make_zip(tmp_path: Path) -> Zip:
    def make(files: dict[str, str], dates: dict[str, Date] | None = None) -> Path:
        path = tmp_path / "download.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                date = (dates or {}).get(name, DATE)
                archive.writestr(zipfile.ZipInfo(name, date), text)
        return path

    return make


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Collected]:
    def run(source: Path, names: dict[str, str] | None = None) -> Collected:
        return collect(source, tmp_path / "out", exercise_of, names)

    return run


def layout(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_canvas_moodle_and_plain_folders_are_understood(
    make_zip: Zip, run: Callable[..., Collected], tmp_path: Path
) -> None:
    """Late marks and numbers of copies are no part of a name."""
    done = run(
        make_zip(
            {
                "lovelaceada_1234_777_token_lookup.py": "a",
                "hopper_LATE_99_778_softmax-2.py": "b",
                "Emmy Noether_55_assignsubmission_file_/softmax.py": "c",
                "Alan Turing_56_assignsubmission_file_token_lookup.py": "d",
                "hand-ins/kim/softmax.py": "e",
                "gracehopper_3_779_softmax-1.ipynb": "{}",
                "__MACOSX/._x.py": "",
            }
        )
    )

    assert done.left_out == {}
    assert layout(tmp_path / "out") == {
        "lovelaceada_1234/token-lookup.py": "a",
        "hopper_99/softmax.py": "b",
        "Emmy Noether_55/softmax.py": "c",
        "Alan Turing_56/token-lookup.py": "d",
        "kim/softmax.py": "e",
        "gracehopper_3/softmax.ipynb": "{}",
    }


def test_a_roster_names_the_students(
    make_zip: Zip, run: Callable[..., Collected], tmp_path: Path
) -> None:
    """By the platform's id or name; who is not on it is left out and named."""
    roster = tmp_path / "roster.csv"
    roster.write_text("student,id,name\nada,1234,Ada Lovelace\nemmy,,Emmy Noether\n")
    path = make_zip(
        {
            "lovelaceada_1234_777_softmax.py": "a",
            "Emmy Noether_55_assignsubmission_file_/softmax.py": "b",
            "mallory_66_7_softmax.py": "c",
        }
    )

    done = run(path, read_names(roster))

    assert set(layout(tmp_path / "out")) == {"ada/softmax.py", "emmy/softmax.py"}
    assert done.left_out == {"mallory_66_7_softmax.py": "'mallory' is not on the roster"}


def test_two_students_of_one_name_are_an_error(tmp_path: Path) -> None:
    """Work never lands in another's folder."""
    roster = tmp_path / "roster.csv"
    roster.write_text("student,name\nkim1,Kim Lee\nkim2,kim lee\n")
    with pytest.raises(
        UsageError, match=r"roster.csv:3: 'kim lee' stands for 'kim1' already; .* 'id'"
    ):
        read_names(roster)
    roster.write_text("student,name,id\nkim1,Kim Lee,7\nkim2,,8\n")
    assert read_names(roster)["8"] == "kim2"
    roster.write_text("student\nkim\nkim\n")
    with pytest.raises(UsageError, match=r"roster.csv:3 names 'kim' again, as line 2 does"):
        read_names(roster)


def test_the_newer_file_counts_and_dates_stay(
    make_zip: Zip, run: Callable[..., Collected], tmp_path: Path
) -> None:
    """Within a download, and of what was collected before."""
    old, new = "a_1_1_softmax.py", "a_1_2_softmax.py"
    target = tmp_path / "out" / "a_1" / "softmax.py"

    done = run(make_zip({new: "new", old: "old"}, {old: (2026, 10, 1, 0, 0, 0)}))
    assert (target.read_text(), done.left_out) == ("new", {old: f"{new} is newer"})
    assert run(make_zip({old: "older"}, {old: (2026, 10, 2, 0, 0, 0)})).kept == [str(target)]
    assert target.read_text() == "new"
    run(make_zip({old: "newest"}, {old: (2026, 12, 1, 0, 0, 0)}))
    assert target.read_text() == "newest"

    folder = tmp_path / "in" / "b"
    folder.mkdir(parents=True)
    (folder / "softmax.py").write_text("x")
    os.utime(folder / "softmax.py", (1_700_000_000, 1_700_000_000))
    run(folder.parent)
    assert (tmp_path / "out" / "b" / "softmax.py").stat().st_mtime == 1_700_000_000


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("../x/softmax.py", "its path leads outside"),
        ("/x/softmax.py", "its path leads outside"),
        ("x/../../y/softmax.py", "its path leads outside"),
        ("kim\\x\\softmax.py", "its path leads outside"),
        (".git/softmax.py", "'.git' cannot be the name of a folder"),
        ("kim/notes.pdf", "neither Python nor a notebook"),
        ("softmax.py", "no student is named in its path"),
        ("kim/homework.py", "there is no exercise 'homework'"),
    ],
)
def test_what_cannot_be_placed_is_named(
    make_zip: Zip, run: Callable[..., Collected], tmp_path: Path, name: str, said: str
) -> None:
    """Nothing is written for it, inside the folder or outside."""
    done = run(make_zip({name: "x"}))
    assert done.left_out == {name: said}
    assert {path.name for path in tmp_path.rglob("*")} <= {"download.zip", "out"}


def test_what_is_no_file_or_too_large_is_left_out(
    run: Callable[..., Collected], tmp_path: Path
) -> None:
    """Not more of a bomb is unpacked than a submission may have."""
    path = tmp_path / "download.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        link = zipfile.ZipInfo("kim/softmax.py", DATE)
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr(zipfile.ZipInfo("lee/softmax.py", DATE), b" " * (64 * SOURCE_CAP))

    done = run(path)

    assert done.left_out == {
        "kim/softmax.py": "it cannot be read: it is a symbolic link",
        "lee/softmax.py": "it has more than 64 KiB",
    }
    assert not (tmp_path / "out").exists()


def test_no_link_in_the_folder_is_followed(
    make_zip: Zip, run: Callable[..., Collected], tmp_path: Path
) -> None:
    """A student's folder that leads elsewhere is an error, and nothing is written there."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "kim").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="symbolic link"):
        run(make_zip({"kim/softmax.py": "x"}))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_is_no_zip_is_said(run: Callable[..., Collected], tmp_path: Path) -> None:
    """With the name of the file."""
    path = tmp_path / "download.zip"
    path.write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(UsageError, match=r"download.zip is neither a folder nor a zip"):
        run(path)


def test_a_file_of_several_is_put_into_a_folder_of_the_exercise(
    make_zip: Zip, tmp_path: Path
) -> None:
    """If one exercise alone asks for it, or the folder that it lies in is named after one."""
    several = {"causal": ("main.py", "masks.py"), "rope": ("main.py", "angles.py")}
    download = make_zip(
        {
            "ada/causal/main.py": "1",
            "ada/masks.py": "2",
            "lovelacebob_101_5001_angles-1.py": "3",
            "Eve L_12_assignsubmission_file_/main.py": "4",
        }
    )
    done = collect(download, tmp_path / "out", exercise_of, None, several)
    assert layout(tmp_path / "out") == {
        "ada/causal/main.py": "1",
        "ada/causal/masks.py": "2",
        "lovelacebob_101/rope/angles.py": "3",
    }
    assert done.left_out == {
        "Eve L_12_assignsubmission_file_/main.py": (
            "2 exercises ask for main.py; put it into a folder named after one"
        )
    }
