"""Names of students' files, candidates for one exercise, and zips of one file."""

import io
import os
import random
import stat
import struct
import warnings
import zipfile
from pathlib import Path

import pytest

from grader.definitions.exercise import Exercise
from grader.grading.submissions.read_submission import read_submission
from grader.grading.submissions.submitted_files import (
    Candidate,
    choose,
    find_in_zip,
    match_exercise,
)
from grader.grading.workers.assignment_plan import plan_assignment
from grader.grading.workers.pool import WorkerPool
from grader.grading.workers.submissions_folder import plan_batch, run_batch
from grader.sandbox.limits import MAX_SOURCE_BYTES
from grader.sandbox.process import open_sandbox

RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x\n"
DAY = 86_400.0


IDS = ("row-shares", "rope", "rope-2", "t-test", "tt-est")


@pytest.mark.parametrize(
    "name",
    [
        "row-shares.py", "row_shares.py", "Row-Shares.py", "ROW_SHARES.PY", "row shares.ipynb",
        "row\u2013shares.py", "row\u2014shares.IPYNB", "row\u2011shares.py", "row - shares.py",
        "row-shares (1).py", "row-shares(12).py", "Copy of row-shares.py", "row-shares copy.py",
        "row-shares - Copy (2).py", "Kopie von row_shares.py", "row-shares.py.py",
        "03-row-shares.py", "lovelaceada_101_5001_row-shares-1.py",
        "lovelaceada_LATE_101_5001_Row Shares.ipynb",
        "Ada Mae_Lovelace_12_assignsubmission_file_row_shares.py",
        "Homework 1_ada_attempt_2026-11-20-10-00-00_row-shares.py", "\uff52ow-shares.zip",
        "rowshares.py", "RowShares.ipynb", "Copy of RowShares (2).py",
        "lovelaceada_101_5001_rowshares-1.py", "hw1_row-shares.py", "Lab 3 - Row Shares v2.py",
        "2026-11-20 row-shares.py",
    ],
)  # fmt: skip
def test_a_name_stands_for_its_exercise_however_it_is_written(name: str) -> None:
    """Case, dashes, spaces, copies, and what platforms write before it."""
    assert match_exercise(IDS, name) == "row-shares"


def test_a_number_of_an_id_is_no_number_of_a_copy() -> None:
    """The closest id counts."""
    assert match_exercise(IDS, "rope_2.py") == match_exercise(IDS, "rope-2 (1).py") == "rope-2"
    assert match_exercise(IDS, "rope (1).py") == "rope"


@pytest.mark.parametrize("name", ["My Work.py", "ttest.py", "row.py", "row-shares-final-v2.py"])
def test_a_name_that_may_stand_for_two_exercises_or_for_none_is_no_guess(name: str) -> None:
    """`ttest` may be `t-test` or `tt-est`; with its dashes each is itself."""
    assert match_exercise(IDS, name) is None
    assert match_exercise(IDS, "T_Test.py") == "t-test"


def test_a_number_or_a_truly_newer_date_decides_between_candidates() -> None:
    """In any order; dates of one moment, as a clone writes them, decide nothing."""
    old, new = Candidate(Path("old"), 0.0), Candidate(Path("new"), DAY)
    first, second = Candidate(Path("1"), DAY, 1), Candidate(Path("2"), 0.0, 2)
    for pair in ([old, new], [new, old]):
        assert choose(pair) == (new, {Path("old"): "new is newer"})
    for pair in ([first, second], [second, first]):
        assert choose(pair) == (second, {Path("1"): "2 is a later upload"})
    beside = Candidate(Path("beside"), DAY + 2)
    best, left_out = choose([old, new, beside])
    assert best is None
    assert left_out.keys() == {Path("old"), Path("new"), Path("beside")}
    assert "old and new and beside; keep one" in left_out[Path("new")]
    assert choose([new, Candidate(Path("undated"), None)])[0] is None
    same, copy = (Candidate(Path(name), DAY, digest=lambda: "1") for name in ("same", "copy"))
    assert choose([same, copy]) == (same, {Path("copy"): "same has the same content"})


def pack(path: Path, files: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # equal names are what some of these have
        for name, data in files.items():
            entry = zipfile.ZipInfo("x")
            entry.filename, entry.compress_type = name, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return path


@pytest.mark.parametrize(
    "files",
    [
        {"double.py": RIGHT},
        {"work/src/Double.PY": RIGHT},
        {"work\\double.py": RIGHT, "work\\": ""},
        {"double.py": RIGHT, "notes.txt": "x", "__MACOSX/._double.py": "x", ".git/a.py": "x"},
    ],
)
def test_a_zip_with_one_file_is_that_file(tmp_path: Path, files: dict[str, bytes | str]) -> None:
    """The code lies in a folder, with backslashes in its path, beside other files."""
    path = pack(tmp_path / "hw.ZIP", files)
    submission = read_submission(path, ())
    assert (submission.source, submission.problem) == (RIGHT, "")


def nested() -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("double.py", RIGHT)
    return data.getvalue()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.py": RIGHT, "b.ipynb": "{}"}, "2 Python files or notebooks (a.py, b.ipynb)"),
        ({"notes.txt": "x"}, "no Python file and no notebook"),
        ({"inner.zip": nested()}, "a zip inside; unpack that"),
        ({"../double.py": RIGHT}, "'../double.py' in it leads outside"),
        ({"/x/double.py": RIGHT}, "leads outside"),
        ({"..\\double.py": RIGHT}, "leads outside"),
        ({"C:\\double.py": RIGHT}, "leads outside"),
        ({"double.py": RIGHT, "Double.py": WRONG}, "'double.py' and 'Double.py', whose names"),
        ({f"{number}.txt": "" for number in range(1001)}, "more than 1,000 files"),
        (b"PK\5\6" + struct.pack("<4xHHLL2x", 50_000, 50_000, 1, 1), "more than 1,000 files"),
        (b"PK\5\6" + struct.pack("<4xHHLL2x", 1, 1, 1 << 30, 1), "more than 1,000 files"),
        (b"Rar!\x1a\x07\1\0", "it is no zip. This is a packed archive."),
        (b"", "it is damaged"),
    ],
)
def test_a_zip_that_is_no_submission_is_a_sentence(
    tmp_path: Path, files: dict[str, bytes | str] | bytes, said: str
) -> None:
    """It says what is wrong; nothing is guessed or read to its end, and nothing raises."""
    path = tmp_path / "hw.zip"
    if isinstance(files, bytes):
        path.write_bytes(files)
    else:
        pack(path, files)
    submission = read_submission(path, ())
    assert submission.is_unreadable
    assert submission.problem.startswith("The zip cannot be read: ")
    assert said in submission.problem


def test_a_bomb_a_link_and_a_password_are_a_sentence(tmp_path: Path) -> None:
    """Not more is unpacked than a submission may have."""
    bomb = pack(tmp_path / "bomb.zip", {"double.py": b" " * (64 * MAX_SOURCE_BYTES)})
    submission = read_submission(bomb, ())
    assert "'double.py' has more than 64 KiB" in submission.problem
    assert submission.is_unreadable
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        link = zipfile.ZipInfo("double.py")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
    assert "a symbolic link" in read_submission(tmp_path / "link.zip", ()).problem
    data = bytearray(pack(tmp_path / "secret.zip", {"double.py": RIGHT}).read_bytes())
    data[data.index(b"PK\x01\x02") + 8] |= 1
    (tmp_path / "secret.zip").write_bytes(data)
    assert "encrypted; submit it without" in read_submission(tmp_path / "secret.zip", ()).problem


@pytest.mark.parametrize(
    "compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_a_damaged_zip_is_a_sentence(tmp_path: Path, compression: int) -> None:
    """It is refused with a sentence for every kind of compression."""
    path = tmp_path / "hw.zip"
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("double.py", RIGHT * 20)
    whole = path.read_bytes()
    for position in range(40, 80):
        path.write_bytes(whole[:position] + bytes([whole[position] ^ 0x55]) + whole[position + 1 :])
        submission = read_submission(path, ())
        assert submission.problem.startswith("The zip cannot be read") or submission.source


def write(path: Path, text: str, date: float | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    if date is not None:
        os.utime(path, (date, date))
    return path


def test_a_zip_and_files_that_nothing_tells_apart_are_named(
    tmp_path: Path, double: Exercise
) -> None:
    """Nothing of the others is lost."""
    pack(write(tmp_path / "ada" / "hw.zip", ""), {"double.py": RIGHT})
    pack(write(tmp_path / "bo" / "hw.zip", ""), {"a.py": RIGHT, "b.py": RIGHT})
    pack(write(tmp_path / "eve" / "hw.zip", ""), {"x/Double.py": RIGHT, "other.py": WRONG})
    write(tmp_path / "fay" / "week 1" / "double.py", RIGHT)
    write(tmp_path / "fay" / "venv" / "site-packages" / "double.py", WRONG)
    write(tmp_path / "fay" / "week 1" / "notes.py", WRONG)
    write(tmp_path / "cy" / "double.py", RIGHT, DAY)
    write(tmp_path / "cy" / "double.ipynb", "{}", DAY)
    write(tmp_path / "dee" / "Double.py", RIGHT, 2 * DAY)
    write(tmp_path / "dee" / "DOUBLE.py", WRONG, DAY)

    made = plan_batch(tmp_path, ["double"], lambda _: double)
    ((job, entries),) = made.groups.values()
    assert [entry.student for entry in entries] == ["ada", "dee", "eve", "fay"]
    assert made.not_looked_at == [tmp_path / "fay" / "week 1" / "notes.py"]
    assert find_in_zip(tmp_path / "eve" / "hw.zip", "double", ["double"]).name == "Double.py"
    assert job.submission.source == RIGHT
    reasons = {each.entry.student: str(each.result) for each in made.not_graded}
    assert "hw.zip: The zip cannot be read: it has 2 Python files" in reasons["bo"]
    assert "neither date nor number says which counts" in reasons["cy"]
    assert made.left_out[tmp_path / "dee" / "DOUBLE.py"].endswith("Double.py is newer")


def test_an_assigned_exercise_takes_the_file_that_grade_takes(
    tmp_path: Path, double: Exercise
) -> None:
    """The newer one, a zip too; equal dates are a failed submission that names both."""
    write(tmp_path / "old" / "Double (1).py", WRONG, DAY)
    pack(tmp_path / "hw.zip", {"x/double.py": RIGHT})
    ((job, _),) = plan_assignment(tmp_path, [double]).groups.values()
    assert job.submission.source == RIGHT
    os.utime(tmp_path / "hw.zip", (DAY, DAY))
    ((job, _),) = plan_assignment(tmp_path, [double]).groups.values()
    assert job.submission.problem == (
        "There are several: hw.zip/x/double.py, old/Double (1).py. Submit one double.py."
    )


def test_no_result_depends_on_the_number_of_jobs(tmp_path: Path, double: Exercise) -> None:
    """Fifty students with one to three files each, in a random order of dates."""
    rng = random.Random(7)  # noqa: S311  layouts, no secrets
    names = ("double.py", "Double.PY", "double (1).py", "Copy of double.py", "DOUBLE.py")
    for number in range(50):
        for name in rng.sample(names, rng.randint(1, 3)):
            text = f"{rng.choice((RIGHT, WRONG))}# {rng.randint(0, 3)}\n"
            write(tmp_path / f"s{number}" / name, text, rng.randint(1, 4) * DAY)

    books = []
    for jobs in (1, 2, 4):
        with WorkerPool(jobs, open_sandbox) as pool:
            records = list(run_batch(plan_batch(tmp_path, ["double"], lambda _: double), pool))
        assert len({record.entry.student for record in records}) == len(records) == 50
        books.append({record.entry.student: record.outcome for record in records})
    assert books[0] == books[1] == books[2]
    assert set(books[0].values()) == {"passed", "failed", "not graded"}
