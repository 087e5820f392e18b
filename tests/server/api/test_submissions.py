"""Submitting over HTTP: taken in once, graded with the hidden tests, shown to its owner only."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path

import httpx
import jsonschema
import pytest

from etude_server.settings import Settings
from grader.notebook_files import code_cell, notebook
from grader.sandbox.limits import MAX_SOURCE_BYTES
from tests.server.api.conftest import Served
from tests.server.conftest import EXERCISES


def _post(
    client: httpx.Client, source: str, *, key: str = "", exercise: str = "attention-weights"
) -> httpx.Response:
    headers = {"Idempotency-Key": key} if key else {}
    return client.post(
        "/v1/submissions", json={"exercise": exercise, "source": source}, headers=headers
    )


def test_a_solution_is_graded_with_the_hidden_tests(served: Served) -> None:
    """202 with a Location; the verdict that follows is that of `etude check`, hidden tests and all."""
    client = served.client("ada")
    answer = _post(client, served.solution())
    assert answer.status_code == HTTPStatus.ACCEPTED
    assert answer.json()["state"] in {"pending", "graded"}
    location = answer.headers["Location"]
    assert served.outcome(client, location) == "passed"
    verdict = client.get(f"{location}/verdict").raise_for_status().json()
    assert verdict["schema"] == "etude/verdict/v1"
    assert any(test["hidden"] for test in verdict["tests"])
    assert verdict["score"] == verdict["max_score"] > 0
    assert verdict["sandbox"] != "none"
    api = client.get("/v1/openapi.json").json()
    schema = {**api["components"], "$ref": "#/schemas/verdict"}
    text = json.dumps(schema).replace("#/components/schemas/", "#/schemas/")
    jsonschema.validate(verdict, json.loads(text))
    received = datetime.fromisoformat(client.get(location).json()["received_at"])
    assert timedelta(0) < datetime.now(UTC) - received < timedelta(minutes=5)


def test_a_wrong_answer_says_why(served: Served) -> None:
    """The verdict carries the diagnosis that the command line would give."""
    exercise = served.context.catalog.find("attention-weights")
    assert exercise is not None
    client = served.client("ada")
    location = _post(client, exercise.misconceptions[0].code).headers["Location"]
    assert served.outcome(client, location) == "failed"
    verdict = client.get(f"{location}/verdict").json()
    assert verdict["diagnosis"]["ids"] == [exercise.misconceptions[0].id]


def test_a_notebook_of_several_exercises_is_sent_for_each(served: Served) -> None:
    """The same text is submitted to each of its exercises, which takes its part of it."""
    client = served.client("ada")
    work = {
        "attention-weights": served.solution(),
        "token-lookup": "def embed(*a):\n    return 0",
    }
    cells = [code_cell("n", source, {"etude": {"exercise": name}}) for name, source in work.items()]
    book = notebook(cells)
    outcomes = [
        served.outcome(client, _post(client, book, exercise=name).headers["Location"])
        for name in (*work, "causal-mask")
    ]
    assert outcomes == ["passed", "failed", "errored"]  # the last one is not begun


def test_a_key_is_for_one_request_of_one_person(served: Served) -> None:
    """A repeated one is the same submission; with another source or exercise it is refused."""
    client = served.client("ada")
    location, again = (
        _post(client, "x = 1\n", key="k").raise_for_status().headers["Location"] for _ in range(2)
    )
    assert again == location
    assert _post(client, "x = 'another'\n", key="k").status_code == HTTPStatus.CONFLICT
    answer = _post(client, "x = 1\n", key="k", exercise="similarity-scores")
    assert answer.status_code == HTTPStatus.CONFLICT
    with served.context.database.read() as connection:
        texts = connection.exec_driver_sql("SELECT text FROM source").scalars().all()
    assert "x = 'another'\n" not in texts
    other = _post(served.client("bob"), "x = 1\n", key="k").raise_for_status()
    assert other.headers["Location"] != location


@pytest.mark.parametrize("what", ["", "/verdict", "/events"])
def test_another_ones_submission_does_not_exist(served: Served, what: str) -> None:
    """404, the same as for an id of nothing; for staff it is there."""
    location = _post(served.client("ada"), "x = 3\n").headers["Location"]
    stranger = served.client("mallory").get(location + what)
    nothing = served.client("mallory").get(
        f"/v1/submissions/{'0' * 8}-0000-7000-8000-{'0' * 12}{what}"
    )
    assert (stranger.status_code, stranger.json()) == (nothing.status_code, nothing.json())
    assert stranger.status_code == HTTPStatus.NOT_FOUND
    assert served.client("prof", "instructor").get(location).status_code == HTTPStatus.OK


def test_without_a_token_there_is_nothing(served: Served) -> None:
    """401 as problem+json, with the way in."""
    for secret in ("", "etude_nonsense", "\u00e9", "x" * 5000):
        headers = {b"Authorization": f"Bearer {secret}".encode()} if secret else {}
        answer = httpx.get(f"{served.url}/v1/exercises", headers=headers)
        assert answer.status_code == HTTPStatus.UNAUTHORIZED
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"exercise": 1, "source": "x"}',
        b'{"exercise": "attention-weights"}',
        b'{"exercise": "attention-weights", "source": "x", "role": "instructor"}',
        b'{"exercise": "attention-weights", "source": "\\ud800"}',
        b'{"exercise": "attention-weights", "source": "x = \\u0000"}',
        b'{"exercise": "attention-weights", "source": 1}',
        json.dumps(
            {"exercise": "attention-weights", "source": "x" * (MAX_SOURCE_BYTES + 1)}
        ).encode(),
        json.dumps({"exercise": "x" * 300, "source": "x"}).encode(),
        b'{"exercise": ' + b"[" * 5000,
    ],
)
def test_a_body_that_is_none_is_refused_without_being_quoted(served: Served, body: bytes) -> None:
    """With a sentence; what was sent is in no answer."""
    answer = served.client("ada").post(
        "/v1/submissions", content=body, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in {HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.BAD_REQUEST}
    assert answer.headers["content-type"] == "application/problem+json"
    assert "xxxxx" not in answer.text


def test_a_large_body_is_refused_before_it_is_read(served: Served) -> None:
    """Answer 413 by the header alone, and also if the header is wrong or missing."""
    client = served.client("ada")
    large = b"x" * (served.context.settings.max_body + 1)
    assert client.post("/v1/submissions", content=large).status_code == 413

    def chunks() -> Iterator[bytes]:
        for _ in range(served.context.settings.max_body // 1024 + 2):
            yield b"x" * 1024

    assert client.post("/v1/submissions", content=chunks()).status_code == 413


@pytest.mark.slow
def test_who_sends_too_much_is_told_when_to_come_back(
    serving: Callable[[Settings], Served], tmp_path: Path
) -> None:
    """429 with Retry-After, for that person only."""
    served = serving(Settings(f"sqlite:///{tmp_path}/e.db", (EXERCISES,), workers=1, per_minute=2))
    eager = served.client("eager")
    answers = [_post(eager, f"x = {n}\n") for n in range(3)]
    assert [each.status_code for each in answers] == [202, 202, 429]
    assert 1 <= int(answers[2].headers["Retry-After"]) <= 61
    assert _post(served.client("calm"), "x = 1\n").status_code == HTTPStatus.ACCEPTED


def test_an_old_queue_takes_nothing_more_in(
    serving: Callable[[Settings], Served], tmp_path: Path
) -> None:
    """429 while the oldest has waited longer than the settings say."""
    settings = Settings(f"sqlite:///{tmp_path}/e.db", (EXERCISES,), workers=1, queue_seconds=-1)
    served = serving(settings)
    served.context.executor.stop()  # so that the first goes on waiting
    client = served.client("ada")
    assert _post(client, "x = 1\n").status_code == HTTPStatus.ACCEPTED
    answer = _post(client, "x = 2\n")
    assert answer.status_code == HTTPStatus.TOO_MANY_REQUESTS
    assert int(answer.headers["Retry-After"]) >= 1


def test_answers_carry_careful_headers(served: Served) -> None:
    """No sniffing, no frames, no cache, nothing to load; also on an error."""
    for path in ("/v1/exercises", "/v1/nothing"):
        headers = served.client("ada").get(path).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"


def test_a_browser_signs_in_and_must_prove_each_change(served: Served) -> None:
    """The cookie is out of scripts' reach; without the CSRF token it changes nothing."""
    with httpx.Client(base_url=served.url) as browser:
        answer = browser.post("/v1/session", json={"token": served.token("ada")})
        assert "HttpOnly" in answer.headers["set-cookie"]
        assert "SameSite=lax" in answer.headers["set-cookie"]
        assert _post(browser, "x = 9\n").status_code == HTTPStatus.FORBIDDEN
        browser.headers["X-CSRF-Token"] = answer.json()["csrf"]
        assert _post(browser, "x = 9\n").status_code == HTTPStatus.ACCEPTED
        assert browser.delete("/v1/session").status_code == HTTPStatus.NO_CONTENT
        assert browser.get("/v1/session").status_code == HTTPStatus.UNAUTHORIZED


def test_a_page_that_is_loaded_anew_learns_its_csrf_token_again(served: Served) -> None:
    """The session tells it again, to anyone who has the cookie; it is worth nothing beside another."""
    with httpx.Client(base_url=served.url) as browser, httpx.Client(base_url=served.url) as other:
        first = browser.post("/v1/session", json={"token": served.token("ada")}).json()
        told = browser.get("/v1/session")
        assert told.json() == first == {"name": "ada", "role": "student", "csrf": first["csrf"]}
        assert told.headers["cache-control"] == "no-store"
        other.post("/v1/session", json={"token": served.token("eve")})
        other.headers["X-CSRF-Token"] = first["csrf"]
        assert _post(other, "x = 9\n").status_code == HTTPStatus.FORBIDDEN
        assert browser.cookies["etude_session"] not in first["csrf"]
        assert served.client("ada").get("/v1/session").json()["csrf"] is None


def test_a_wrong_token_opens_no_session(served: Served) -> None:
    """401, and no cookie."""
    answer = httpx.post(f"{served.url}/v1/session", json={"token": "etude_wrong"})
    assert answer.status_code == HTTPStatus.UNAUTHORIZED
    assert "set-cookie" not in answer.headers


def test_progress_is_ones_own_and_certified(served: Served) -> None:
    """XP comes from published verdicts of one's own submissions."""
    client = served.client("climber")
    location = _post(client, served.solution() + "# climber\n").headers["Location"]
    assert served.outcome(client, location) == "passed"
    progress = client.get("/v1/progress").json()
    assert progress["name"] == "climber"
    assert [each["exercise"] for each in progress["exercises"]] == ["attention-weights"]
    assert progress["xp"] == progress["exercises"][0]["xp"] > 0
    assert served.client("newcomer").get("/v1/progress").json()["exercises"] == []


def test_no_answer_shows_what_is_hidden(served: Served) -> None:
    """Neither the list of exercises nor OpenAPI has a hidden test's id or a solution."""
    client = served.client("ada")
    text = client.get("/v1/exercises").text + client.get("/v1/openapi.json").text
    for exercise in served.context.catalog.exercises.values():
        assert exercise.solution.strip() not in text
        assert not any(
            test.id in text for test in exercise.tests if test.hidden and len(test.id) > 12
        )
