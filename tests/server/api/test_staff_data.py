"""Data for instructors over HTTP: grades as JSON, CSV and for Canvas, numbers, submissions."""

import csv
import io
from collections.abc import Callable
from http import HTTPStatus

import httpx
import pytest

from etude_server.settings import Settings
from etude_server.store import people, submissions
from tests.server.api.conftest import Served
from tests.server.regrade.conftest import HALF_RIGHT, RIGHT, WRONG, write_collection

_CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section,Double (12)\r\n"
    "    Points Possible,,,,,5\r\n"
    '"Lovelace, Ada",1,a1,ada,A,\r\n'
    '"Babbage, Charles",2,b1,bob,A,EX\r\n'
    '"Hopper, Grace",3,c1,grace,A,\r\n'
)


@pytest.fixture(scope="module")
def served(
    serving: Callable[[Settings], Served], tmp_path_factory: pytest.TempPathFactory
) -> Served:
    """A server with one exercise, and what four people submitted."""
    folder = tmp_path_factory.mktemp("collection")
    write_collection(folder)
    url = f"sqlite:///{tmp_path_factory.mktemp('served')}/etude.db"
    made = serving(Settings(url, (folder,), workers=2, per_minute=10_000))
    for name, sources in {
        "ada": [WRONG, RIGHT],
        "bob": [WRONG, HALF_RIGHT, WRONG + "# again\n"],
        "=1+1": [RIGHT],
    }.items():
        for source in sources:
            made.submit(made.client(name), source)
    made.submit(made.client("prof", "instructor"), RIGHT)
    return made


@pytest.fixture
def prof(served: Served) -> httpx.Client:
    """An instructor."""
    return served.client("prof", "instructor")


def test_the_gradebook_has_each_students_best(prof: httpx.Client) -> None:
    """As JSON; staff that tried an exercise is not in it."""
    found = prof.get("/v1/gradebook").raise_for_status().json()["items"]
    assert {each["student"]: (each["score"], each["passed"]) for each in found} == {
        "ada": (5, True),
        "bob": (2, False),
        "=1+1": (5, True),
    }
    assert prof.get("/v1/gradebook", params={"exercise": "other"}).json()["items"] == []
    first = prof.get("/v1/gradebook", params={"limit": 2}).json()
    rest = prof.get("/v1/gradebook", params={"limit": 2, "after": first["next"]}).json()
    assert (first["items"] + rest["items"], rest["next"]) == (found, None)


@pytest.mark.parametrize("how", ["accept", "format"])
def test_the_gradebook_is_a_table_without_formulas(prof: httpx.Client, how: str) -> None:
    """Asked for by Accept or by format=csv; a name that begins as a formula is marked as text."""
    if how == "accept":
        answer = prof.get("/v1/gradebook", headers={"Accept": "text/csv"})
    else:
        answer = prof.get("/v1/gradebook", params={"format": "csv"})
    assert answer.headers["content-type"].startswith("text/csv")
    assert "attachment" in answer.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert {row["student"]: row["score"] for row in rows} == {"ada": "5", "bob": "2", "'=1+1": "5"}


def test_a_gradebook_of_canvas_is_filled(prof: httpx.Client) -> None:
    """Who is excused or has no grade keeps what is there; the rest stays as it was."""
    how = {"column": "Double", "skip_unknown": "true"}
    headers = {"Content-Type": "text/csv"}
    answer = prof.post("/v1/gradebook/canvas", params=how, content=_CANVAS, headers=headers)
    assert answer.status_code == HTTPStatus.OK
    assert answer.text == _CANVAS.replace("ada,A,", "ada,A,5")


def test_a_large_gradebook_is_filled_and_a_larger_one_refused(prof: httpx.Client) -> None:
    """One of thousands of students is taken; the limit is told, and is that of this path alone."""
    how = {"column": "Double", "skip_unknown": "true"}
    headers = {"Content-Type": "text/csv"}
    row = '"Nobody, {0}",9{0},n{0},nobody{0},' + "A" * 100 + ",\r\n"
    export = _CANVAS + "".join(row.format(number) for number in range(20_000))
    assert 1 << 20 < len(export) < 4 << 20
    answer = prof.post("/v1/gradebook/canvas", params=how, content=export.encode(), headers=headers)
    assert answer.status_code == HTTPStatus.OK
    assert answer.text == export.replace("ada,A,", "ada,A,5")
    for path, body, limit in (
        ("/v1/gradebook/canvas", export.encode() * 2, "4096 KiB"),
        ("/v1/submissions", export.encode(), "256 KiB"),
    ):
        refused = prof.post(path, params=how, content=body, headers=headers)
        assert refused.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        assert limit in refused.json()["detail"]


@pytest.mark.parametrize(
    ("content", "how", "sentence"),
    [
        (_CANVAS.encode(), {"column": "Double"}, "skip_unknown"),
        (_CANVAS.encode(), {"column": "Triple"}, "no column 'Triple'"),
        (b"a,b\n1,2\n", {"column": "Double"}, "not a gradebook"),
        (b"\xff\xfe", {"column": "Double"}, "not UTF-8"),
        (b"Student,ID\n" + b"x" * 140_000, {"column": "Double"}, "field larger than"),
        (_CANVAS.encode(), {"column": "Double", "exercise": "other"}, "no verdict on other"),
    ],
)
def test_a_gradebook_that_cannot_be_filled_is_refused(
    prof: httpx.Client, content: bytes, how: dict[str, str], sentence: str
) -> None:
    """With a sentence that names what to change, in the words of this API."""
    headers = {"Content-Type": "text/csv"}
    answer = prof.post("/v1/gradebook/canvas", params=how, content=content, headers=headers)
    assert answer.status_code == HTTPStatus.CONFLICT
    assert sentence in answer.json()["detail"]
    assert "--" not in answer.json()["detail"]


def test_the_statistics_say_who_is_stuck(prof: httpx.Client) -> None:
    """Three failed submissions and none that passed; a test that was failed once counts once."""
    (found,) = prof.get("/v1/statistics").raise_for_status().json()
    assert (found["exercise"], found["students"]) == ("double", 3)
    assert found["pass_rate"] == pytest.approx(2 / 3)
    assert found["failed_tests"]["secret"] == 2  # ada fixed it, bob did not
    assert [(each["student"], each["failed"]) for each in found["stuck"]] == [("bob", 3)]
    assert prof.get("/v1/statistics", params={"exercise": "other"}).json() == []


def test_submissions_are_listed_page_by_page(prof: httpx.Client) -> None:
    """The newest first, each once."""
    everything = prof.get("/v1/submissions").raise_for_status().json()["items"]
    ids = [each["id"] for each in everything]
    assert ids == sorted(ids, reverse=True)
    paged: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = prof.get("/v1/submissions", params={"limit": "3", **after}).json()
        paged += [each["id"] for each in page["items"]]
        if page["next"] is None:
            break
        after = {"after": page["next"]}
    assert paged == ids
    bob = prof.get("/v1/submissions", params={"person": "bob", "exercise": "double"}).json()
    assert [each["score"] for each in bob["items"]] == [0, 2, 0]


@pytest.mark.slow
def test_a_parked_submission_is_let_go_on(served: Served, prof: httpx.Client) -> None:
    """It is listed as parked, graded once it is released, and cannot be released twice."""
    database = served.context.database
    with database.write() as connection:
        owner = people.add_person(connection, "cleo", "grader", actor="test")  # in no gradebook
        taken = submissions.accept_submission(
            connection, owner, "double", RIGHT, key="1"
        ).submission
        submissions.park_submission(connection, taken.id, "for this test")
    parked = prof.get("/v1/submissions", params={"state": "parked"}).json()["items"]
    assert [(each["id"], each["person"]) for each in parked] == [(taken.id, "cleo")]
    assert prof.get("/v1/submissions", params={"state": "pending"}).json()["items"] == []
    release = f"/v1/submissions/{taken.id}/release"
    assert served.client("ada").post(release).status_code == HTTPStatus.FORBIDDEN
    assert prof.post(release).status_code == HTTPStatus.NO_CONTENT
    assert served.outcome(prof, f"/v1/submissions/{taken.id}") == "passed"
    assert prof.post(release).status_code == HTTPStatus.CONFLICT
    nothing = prof.post(f"/v1/submissions/{'0' * 36}/release")
    assert nothing.status_code == HTTPStatus.NOT_FOUND


@pytest.mark.parametrize("text", ["%00", "%ED%A0%80", "'", "%25"])
def test_odd_names_find_nothing(prof: httpx.Client, text: str) -> None:
    """An empty list or a refusal, never a failure."""
    for path in ("submissions?person=", "submissions?exercise=", "gradebook?exercise="):
        answer = prof.get(f"/v1/{path}{text}")
        assert answer.status_code in {HTTPStatus.OK, HTTPStatus.UNPROCESSABLE_ENTITY}
