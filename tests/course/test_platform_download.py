"""Downloads of learning platforms, put where they can be graded."""

import functools
import io
import os
import stat
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from grader.course.platform_download import CollectResult, collect
from grader.course.roster_file import read_names
from grader.errors import UsageError
from grader.grading.submissions.submitted_files import match_exercise
from grader.sandbox.limits import MAX_SOURCE_BYTES

Date: TypeAlias = tuple[int, int, int, int, int, int]
ADVICE = "name the students with --roster"
ALIAS = "put it into its column 'alias', beside the student"
RENAME = "rename it, or give --exercise if all are of one"
DATE: Date = (2026, 11, 3, 12, 30, 20)
NOON = time.mktime((*DATE, 0, 0, -1))
Zip = Callable[..., Path]


exercise_of = functools.partial(match_exercise, ("token-lookup", "softmax", "causal", "rope"))


@pytest.fixture
def make_zip(tmp_path: Path) -> Zip:
    def make(files: dict[str, str | bytes], dates: dict[str, Date] | None = None) -> Path:
        path = tmp_path / "download.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                date = (dates or {}).get(name, DATE)
                archive.writestr(zipfile.ZipInfo(name, date), text)
        return path

    return make


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., CollectResult]:
    def run(source: Path, names: dict[str, str] | None = None) -> CollectResult:
        return collect(source, tmp_path / "out", exercise_of, names)

    return run


def layout(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "times.csv"
    }


def test_canvas_moodle_and_plain_folders_are_understood(
    make_zip: Zip, run: Callable[..., CollectResult], tmp_path: Path
) -> None:
    """Late marks and numbers of copies are not part of a name."""
    finished = run(
        make_zip(
            {
                "lovelaceada_1234_777_token_lookup.py": "a",
                "hopper_LATE_99_778_softmax-2.py": "b",
                "Emmy Noether_55_assignsubmission_file_/softmax.py": "c",
                "Alan Turing_56_assignsubmission_file_token_lookup.py": "d",
                "hand-ins/kim/softmax.py": "e",
                "hand-ins/lee/Softmax (1).PY": "f",
                "123-456 - Jo Doe - Nov 20, 2026 1000 AM/softmax.py": "h",
                "Homework 1_hal_attempt_2026-11-20-10-00-00_softmax.py": "g",
                "gracehopper_3_779_softmax-1.ipynb": "{}",
                "__MACOSX/._x.py": "",
            }
        )
    )

    assert finished.left_out == {}
    assert layout(tmp_path / "out") == {
        "lovelaceada_1234/token-lookup.py": "a",
        "hopper_99/softmax.py": "b",
        "Emmy Noether_55/softmax.py": "c",
        "Alan Turing_56/token-lookup.py": "d",
        "kim/softmax.py": "e",
        "lee/softmax.py": "f",
        "Jo Doe_123/softmax.py": "h",
        "hal/softmax.py": "g",
        "gracehopper_3/softmax.ipynb": "{}",
    }


def test_where_a_time_comes_from_is_written_down(
    make_zip: Zip, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Canvas says who is late; others say when, in the zone of this machine."""
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    late, early, moodle = (
        "lovelaceada_LATE_11_500_",
        "yucy_12_501_",
        "Bo_B X_13_assignsubmission_file_",
    )
    folder = "14-1 - Dee D - Nov 20, 2026 1005 PM"
    names = (
        f"{late}softmax.py",
        f"{early}softmax.py",
        f"{moodle}/softmax.py",
        f"{folder}/softmax.py",
    )
    attempt = "HW_eve_attempt_2026-11-20-22-06-07_softmax.py"
    hidden = "LATE_anon_kPz4q_505_softmax.py"
    finished = collect(
        make_zip({name: name for name in (*names, attempt, hidden)}), tmp_path / "out", exercise_of
    )
    assert finished.left_out == {}
    assert (tmp_path / "out" / "times.csv").read_text().splitlines() == [
        "student,exercise,time,late,from",
        "Bo_B X_13,softmax,2026-11-03T03:30:20+00:00,,Moodle",
        "Dee D_14,softmax,2026-11-20T13:05:00+00:00,,Brightspace",
        "anon_kPz4q,softmax,,yes,Canvas",
        "eve,softmax,2026-11-20T13:06:07+00:00,,Blackboard",
        "lovelaceada_11,softmax,,yes,Canvas",
        "yucy_12,softmax,,,Canvas",
    ]
    monkeypatch.undo()
    time.tzset()


def test_nothing_is_written_beside_a_file_of_times_that_cannot_be_read(
    make_zip: Zip, run: Callable[..., CollectResult], tmp_path: Path
) -> None:
    """Another table of that name would be lost, or the collected files without their times."""
    times = tmp_path / "out" / "times.csv"
    times.parent.mkdir()
    times.write_text("who,when\nada,today\n")
    with pytest.raises(UsageError, match=r"times\.csv"):
        run(make_zip({"ada/softmax.py": "a"}))
    assert [path.name for path in times.parent.iterdir()] == ["times.csv"]


def test_dates_that_are_one_for_all_are_no_times(make_zip: Zip, tmp_path: Path) -> None:
    """A clone and a download write all files now; times of an earlier download stay."""
    dates = {"ada/softmax.py": (2026, 11, 1, 8, 0, 0)}
    first = make_zip(dict.fromkeys(("ada/softmax.py", "bo/softmax.py"), "1"), dates)
    finished = collect(first, tmp_path / "out", exercise_of)
    assert not finished.are_dates_equal
    second = make_zip(dict.fromkeys(("ada/token-lookup.py", "bo/token-lookup.py"), "1"))
    finished = collect(second, tmp_path / "out", exercise_of)
    assert finished.are_dates_equal
    assert (tmp_path / "out" / "times.csv").read_text().splitlines()[1:] == [
        "ada,softmax,2026-11-01T08:00:00+00:00,,zip",
        "ada,token-lookup,,,zip",
        "bo,softmax,2026-11-03T12:30:20+00:00,,zip",
        "bo,token-lookup,,,zip",
    ]


def test_a_download_of_one_assignment_needs_no_names_of_files(
    make_zip: Zip, tmp_path: Path
) -> None:
    """`--exercise` says what it is; a file named after another exercise is for that one."""
    files = {
        "a_1_1_Untitled3.ipynb": "1", "b_2_2_Copy of softmax.ipynb": "2", "c_3_3_x_FINAL.py": "3",
        "d_4_4_token_lookup.py": "4", "e_5_5_work.zip": zipped(**{"deep/mine.py": "5"}),
        "f_6_6_one.py": "6", "f_6_7_two.py": "7",
        "g_7_8_all.zip": zipped(**{"softmax.py": "8", "tools.py": "9"}),
    }  # fmt: skip
    finished = collect(make_zip(files), tmp_path / "out", exercise_of, single_exercise="softmax")
    assert layout(tmp_path / "out") == {
        "a_1/softmax.ipynb": "1", "b_2/softmax.ipynb": "2", "c_3/softmax.py": "3",
        "d_4/token-lookup.py": "4", "e_5/softmax.py": "5", "f_6/softmax.py": "7",
        "g_7/softmax.py": "8",
    }  # fmt: skip
    assert list(finished.left_out) == ["f_6_6_one.py", "g_7_8_all.zip/tools.py"]


def test_a_roster_names_the_students(
    make_zip: Zip, run: Callable[..., CollectResult], tmp_path: Path
) -> None:
    """By the platform's id, name or login; who is not on it is left out and named."""
    roster = tmp_path / "roster.csv"
    roster.write_text(
        "student,id,name,email\nada,1234,Ada Lovelace,\nemmy,,Emmy Noether,\nkim,,,kim@uni.example\n"
    )
    path = make_zip(
        {
            "lovelaceada_1234_777_softmax.py": "a",
            "Emmy Noether_55_assignsubmission_file_/softmax.py": "b",
            "mallory_66_7_softmax.py": "c",
            "kim@uni.example/softmax.py": "d",
        }
    )

    finished = run(path, read_names(roster))

    assert set(layout(tmp_path / "out")) == {
        "ada/softmax.py", "emmy/softmax.py", "kim/softmax.py",
    }  # fmt: skip
    assert finished.left_out == {
        "mallory_66_7_softmax.py": f"'mallory' is not on the roster; {ALIAS}"
    }


def test_of_two_students_of_one_name_the_number_tells(
    make_zip: Zip, run: Callable[..., CollectResult], tmp_path: Path
) -> None:
    """In any order of the words; an alias is a further name, such as a hidden one."""
    roster = tmp_path / "roster.csv"
    roster.write_text(
        'student,name,id,alias\nlee1,Kim Lee,7,anon_x1\nlee2,"lee, kim",8,Participant 5;Ki_M\n'
        "bo,Bo,9,\n"
    )
    finished = run(
        make_zip(
            {
                "leekim_7_1_softmax.py": "1",
                "leekim_LATE_8_2_softmax.py": "2",
                "anon_x1_3_token-lookup.py": "3",
                "Participant 5_66_assignsubmission_file_/token-lookup.py": "4",
                "Kim Lee_67_assignsubmission_file_/softmax.py": "x",
                "Bo_68_assignsubmission_file_/softmax.py": "y",
                "Bo_69_assignsubmission_file_/softmax.py": "y",
            }
        ),
        read_names(roster),
    )
    assert layout(tmp_path / "out") == {
        "lee1/softmax.py": "1",
        "lee2/softmax.py": "2",
        "lee1/token-lookup.py": "3",
        "lee2/token-lookup.py": "4",
    }
    two = (
        "'Bo' with 68 and 'Bo' with 69 are one on the roster; give each number a line there, in "
        "the column 'alias'"
    )
    assert finished.left_out == {
        "Kim Lee_67_assignsubmission_file_/softmax.py": (
            "'Kim Lee' is the name of two on the roster; put the platform's number of each into "
            "its column 'id' or 'alias'"
        ),
        "Bo_68_assignsubmission_file_/softmax.py": two,
        "Bo_69_assignsubmission_file_/softmax.py": two,
    }


def test_two_students_of_one_id_are_an_error(tmp_path: Path) -> None:
    """Work never lands in another's folder."""
    roster = tmp_path / "roster.csv"
    roster.write_text("student,id,login\nkim1,7,\nkim2,,7\n")
    with pytest.raises(UsageError, match=r"roster.csv:3: the login '7' stands for 'kim1' already"):
        read_names(roster)
    roster.write_text("student\nkim\nkim\n")
    with pytest.raises(UsageError, match=r"roster.csv:3 names 'kim' again, as line 2 does"):
        read_names(roster)


@pytest.mark.parametrize("has_roster", [False, True])
@pytest.mark.parametrize(
    ("forged", "student"),
    [
        ("ada/x_1_1_softmax.py", "ada"),
        ("ada/x_ada_attempt_2020-01-01-10-00-00_softmax.py", "ada"),
        ("ada/x_bo_attempt_2099-01-01-10-00-00_softmax.py", None),
        ("ada_7_1_x_8_assignsubmission_file_softmax.py", "ada_7"),
        ("ada_7_1_x_bo_attempt_2099-01-01-10-00-00_softmax.py", "ada_7"),
        ("ada_7_assignsubmission_file_x_8_assignsubmission_file_softmax.py", "ada_7"),
        ("HW 1_ada_attempt_2026-11-03-12-30-20_x_8_1_softmax.py", "ada"),
    ],
)
def test_a_student_s_own_name_of_a_file_changes_no_student_and_no_time(
    make_zip: Zip, tmp_path: Path, forged: str, student: str | None, *, has_roster: bool
) -> None:
    """Only the platform's own part counts, which stands before the student's."""
    roster = tmp_path / "roster.csv"
    roster.write_text("student,id\nada,7\nbo,8\ncy,9\n")
    files = {"bo/softmax.py": "b", "cy/softmax.py": "c", forged: "a"}
    dates = {"bo/softmax.py": (2026, 11, 1, 8, 0, 0)}
    names = read_names(roster) if has_roster else None
    finished = collect(
        make_zip(files, dates), tmp_path / "out", exercise_of, names, single_exercise="softmax"
    )
    written = {path: text for path, text in layout(tmp_path / "out").items() if text == "a"}
    if forged.startswith("ada/") and not has_roster:  # nothing says that it is Ada's folder
        student = None
    wanted = None if student is None else "ada" if has_roster else student
    assert [*written] == ([] if wanted is None else [f"{wanted}/softmax.py"])
    assert (forged in finished.left_out) == (wanted is None)
    if wanted is not None:
        at = finished.times[wanted, "softmax"].at
        is_canvas = forged.startswith("ada_7_1_")
        assert at == (None if is_canvas else NOON)


def test_the_files_of_a_clone_have_no_time(
    run: Callable[..., CollectResult], tmp_path: Path
) -> None:
    """They have that of the clone, and a commit has that of a student's machine."""
    for name, seconds in {"ada": 1_700_000_000, "bo": 1_800_000_000}.items():
        file = tmp_path / "in" / name / "src" / "softmax.py"
        file.parent.mkdir(parents=True)
        (tmp_path / "in" / name / ".git").mkdir()
        file.write_text(name)
        os.utime(file, (seconds, seconds))
    run(tmp_path / "in")
    assert (tmp_path / "out" / "times.csv").read_text().splitlines()[1:] == [
        "ada,softmax,,,git clone",
        "bo,softmax,,,git clone",
    ]


def test_the_newer_file_counts_and_dates_stay(
    make_zip: Zip, run: Callable[..., CollectResult], tmp_path: Path
) -> None:
    """Within a download, and of what was collected before."""
    old, new = "a_1_1_softmax.py", "a_1_2_softmax.py"
    target = tmp_path / "out" / "a_1" / "softmax.py"

    finished = run(make_zip({new: "new", old: "old"}, {old: (2026, 10, 1, 0, 0, 0)}))
    assert (target.read_text(), finished.left_out) == ("new", {old: f"{new} is a later upload"})
    assert run(make_zip({old: "older"}, {old: (2026, 10, 2, 0, 0, 0)})).unchanged == {
        ("a_1", "softmax")
    }
    assert target.read_text() == "new"
    run(make_zip({old: "newest"}, {old: (2026, 12, 1, 0, 0, 0)}))
    assert target.read_text() == "newest"

    folder = tmp_path / "in" / "b"
    folder.mkdir(parents=True)
    (tmp_path / "in" / "c").mkdir()
    (tmp_path / "in" / "c" / "softmax.py").touch()
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
        ("..\\x\\softmax.py", "its path leads outside"),
        ("C:\\x\\softmax.py", "its path leads outside"),
        (".a_1_assignsubmission_file_x/../softmax.py", "its path leads outside"),
        ("submissions/softmax.py", f"no folder in its path is sure to be a student's; {ADVICE}"),
        ("kim/notes.pdf", "neither Python nor a notebook"),
        ("softmax.py", "no student is named in its path"),
        ("kim/homework.py", f"there is no exercise 'homework'; {RENAME}"),
        ("kim_1_2_x_END.py", f"there is no exercise 'x_END'; {RENAME}"),
    ],
)
def test_what_cannot_be_placed_is_named(
    make_zip: Zip, run: Callable[..., CollectResult], tmp_path: Path, name: str, said: str
) -> None:
    """Nothing is written for it, inside the folder or outside."""
    finished = run(make_zip({name: "x"}))
    assert finished.left_out == {name: said}
    assert {path.name for path in tmp_path.rglob("*")} <= {"download.zip", "out"}


def test_what_is_no_file_or_too_large_is_left_out(
    run: Callable[..., CollectResult], tmp_path: Path
) -> None:
    """Not more of a bomb is unpacked than a submission may have."""
    path = tmp_path / "download.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        link = zipfile.ZipInfo("kim/softmax.py", DATE)
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr(zipfile.ZipInfo("lee/softmax.py", DATE), b" " * (64 * MAX_SOURCE_BYTES))

    finished = run(path)

    assert finished.left_out == {
        "kim/softmax.py": "it cannot be read: it is a symbolic link",
        "lee/softmax.py": "it cannot be read: 'lee/softmax.py' has more than 64 KiB",
    }
    assert not (tmp_path / "out").exists()


def test_no_link_in_the_folder_is_followed(
    make_zip: Zip, run: Callable[..., CollectResult], tmp_path: Path
) -> None:
    """A student's folder that leads elsewhere is an error, and nothing is written there."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "kim").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="symbolic link"):
        run(make_zip({"kim/softmax.py": "x", "lee/softmax.py": "y"}))
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_what_is_no_zip_is_said(run: Callable[..., CollectResult], tmp_path: Path) -> None:
    """With the name of the file."""
    path = tmp_path / "download.zip"
    path.write_bytes(b"PK\x03\x04 cut off")
    with pytest.raises(UsageError, match=r"download.zip cannot be collected: it is damaged"):
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
            "kim/causal/Main.PY": "5",
            "lovelacebob_101_5001_angles-1.py": "3",
            "Eve L_12_assignsubmission_file_/main.py": "4",
        }
    )
    finished = collect(download, tmp_path / "out", exercise_of, None, several)
    assert finished.times.keys() == {
        ("ada", "causal"), ("kim", "causal"), ("lovelacebob_101", "rope")
    }  # fmt: skip
    assert (
        collect(download, tmp_path / "out", exercise_of, None, several).unchanged
        == finished.times.keys()
    )
    assert layout(tmp_path / "out") == {
        "ada/causal/main.py": "1",
        "ada/causal/masks.py": "2",
        "kim/causal/main.py": "5",
        "lovelacebob_101/rope/angles.py": "3",
    }
    assert finished.left_out == {
        "Eve L_12_assignsubmission_file_/main.py": (
            "2 exercises ask for main.py; put it into a folder named after one"
        )
    }


ADA, ALAN = (
    "Ada_Mae Lovelace_1234_assignsubmission_file_",
    "Alan Turing_1235_assignsubmission_file_",
)


@pytest.mark.parametrize("folder", ["", "week1/", "softmax/", "src/deep/"])
@pytest.mark.parametrize("has_roster", [False, True])
def test_no_folder_below_a_student_s_is_taken_for_a_student(
    make_zip: Zip, run: Callable[..., CollectResult], tmp_path: Path, folder: str, has_roster: bool
) -> None:
    """As Moodle keeps folders, with an underscore in a name, below a folder of the download."""
    roster = tmp_path / "roster.csv"
    roster.write_text("student,id,name\nada,1234,Ada\nalan,,Alan Turing\n")
    files = {f"all/{ADA}/{folder}softmax.py": "a", f"all/{ALAN}\\{folder}softmax.py": "b"}
    finished = run(make_zip(files), read_names(roster) if has_roster else None)
    names = ("ada", "alan") if has_roster else ("Ada_Mae Lovelace_1234", "Alan Turing_1235")
    assert finished.left_out == {}
    assert layout(tmp_path / "out") == {
        f"{names[0]}/softmax.py": "a",
        f"{names[1]}/softmax.py": "b",
    }


@pytest.mark.parametrize(
    ("paths", "students"),
    [
        (["ada/src/softmax.py", "alan/src/softmax.py"], {"ada", "alan"}),
        (["x/ada/softmax.py", "x/alan/softmax.py"], {"ada", "alan"}),
        (["ada/softmax/softmax.py", "alan/token-lookup/token_lookup.py"], {"ada", "alan"}),
        (["ada/ada/softmax.py", "alan/alan/softmax.py"], {"ada", "alan"}),
        (["ada/src/softmax.py", "alan/softmax.py"], set()),
        (["week1/ada/softmax.py", "week2/alan/softmax.py"], set()),
        (["week1/softmax.py"], set()),
    ],
)
def test_a_bare_folder_is_a_student_only_where_no_other_can_be(
    make_zip: Zip,
    run: Callable[..., CollectResult],
    tmp_path: Path,
    paths: list[str],
    students: set[str],
) -> None:
    """All paths have one depth and differ in one folder; otherwise all is left out, with advice."""
    finished = run(make_zip(dict.fromkeys(paths, "x")))
    assert {path.partition("/")[0] for path in layout(tmp_path / "out")} == students
    assert len(finished.left_out) == (0 if students else len(paths))
    assert all(why.endswith(ADVICE) for why in finished.left_out.values())


def test_a_roster_finds_students_at_any_depth_and_guesses_none(
    make_zip: Zip, run: Callable[..., CollectResult], tmp_path: Path
) -> None:
    """A path that names two is left out, and so is an id whose zeros are lost."""
    roster = tmp_path / "roster.csv"
    roster.write_text('student,id,name\nada,0123,Ada Lovelace\nalan,77,"Turing, Alan"\n')
    finished = run(
        make_zip(
            {
                "week 1/ada/softmax.py": "a",
                "turingalan_9_1_softmax.py": "b",
                "lovelaceada_5_2_token-lookup.py": "c",
                "ada/alan/token-lookup.py": "x",
                "ada/turingalan_9_1_token-lookup.py": "x",
                "x_123_4_softmax.py": "x",
            }
        ),
        read_names(roster),
    )
    assert layout(tmp_path / "out") == {
        "ada/softmax.py": "a", "alan/softmax.py": "b", "ada/token-lookup.py": "c",
    }  # fmt: skip
    two = "its path names 'ada' and 'alan', who are two on the roster"
    assert finished.left_out == {
        "ada/alan/token-lookup.py": two,
        "ada/turingalan_9_1_token-lookup.py": two,
        "x_123_4_softmax.py": "'123' is not on the roster, but '0123' is: where a spreadsheet took "
        "leading zeros away, format the column as text",
    }


def zipped(**files: str) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/"), text)
    return data.getvalue()


def test_a_student_s_own_zip_is_unpacked(
    make_zip: Zip, run: Callable[..., CollectResult], tmp_path: Path
) -> None:
    """The exercise is named by each file, or by the zip if there is but one."""
    names = ["homework__softmax.py", "main.py"]
    both = {"softmax.py": "c", "hw__Token Lookup.py": "d", "helper.py": "x"}
    finished = run(
        make_zip(
            {
                "lovelaceada_101_5001_homework.zip": zipped(**{names[0]: "a"}),
                "turingalan_102_5002_softmax.zip": zipped(**{names[1]: "b"}),
                "hoppergrace_103_5003_week 1.zip": zipped(**both),
                f"{ADA}/hw.zip": zipped(**{"a.py": "x", "b.py": "x"}),
                f"{ALAN}/hw.zip": zipped(**{"deep.zip": "x"}),
            }
        )
    )
    assert layout(tmp_path / "out") == {
        "lovelaceada_101/softmax.py": "a", "turingalan_102/softmax.py": "b",
        "hoppergrace_103/softmax.py": "c", "hoppergrace_103/token-lookup.py": "d",
    }  # fmt: skip
    assert finished.is_damaged
    assert finished.left_out["hoppergrace_103_5003_week 1.zip/helper.py"] == (
        f"there is no exercise 'helper'; {RENAME}"
    )
    assert (
        "2 Python files or notebooks (a.py, b.py); submit one" in finished.left_out[f"{ADA}/hw.zip"]
    )
    assert "a zip inside; unpack that" in finished.left_out[f"{ALAN}/hw.zip"]


def test_a_zip_of_an_exercise_of_several_files_is_unpacked(make_zip: Zip, tmp_path: Path) -> None:
    """Into the folder of the exercise."""
    several = {"causal": ("main.py", "masks.py"), "rope": ("main.py", "angles.py")}
    packed = zipped(**{"x__causal__main.py": "1", "x__causal__masks.py": "2"})
    download = make_zip({f"{ALAN}/hw.zip": packed})
    finished = collect(download, tmp_path / "out", exercise_of, None, several)
    assert (finished.left_out, layout(tmp_path / "out")) == (
        {}, {"Alan Turing_1235/causal/main.py": "1", "Alan Turing_1235/causal/masks.py": "2"},
    )  # fmt: skip


def test_files_that_nothing_tells_apart_are_all_left_out(
    make_zip: Zip, run: Callable[..., CollectResult], tmp_path: Path
) -> None:
    """Both are named, if they differ; equal dates never decide."""
    download = {
        "noetheremmy_1_2_softmax.py": "same",
        "noetheremmy_1_2_Softmax.py": "same",
        f"{ADA}/old/softmax.py": "x",
        f"{ADA}/softmax.ipynb": "y",
        f"{ALAN}/softmax.py": "z",
    }
    finished = run(make_zip(download))
    assert set(layout(tmp_path / "out")) == {
        "Alan Turing_1235/softmax.py", "noetheremmy_1/softmax.py",
    }  # fmt: skip
    assert finished.left_out.pop("noetheremmy_1_2_softmax.py").endswith("has the same content")
    assert len(finished.left_out) == 2
    for why in finished.left_out.values():
        assert f"{ADA}/old/softmax.py and {ADA}/softmax.ipynb; keep one" in why
    finished = run(make_zip({f"{ALAN}/softmax.py": "other"}))
    assert "neither date nor number" in finished.left_out[f"{ALAN}/softmax.py"]
    assert layout(tmp_path / "out")["Alan Turing_1235/softmax.py"] == "z"
