"""A thread that sends grades from the outbox to platforms."""

import json
import random
import threading
import time
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Final, Self
from urllib.parse import urlsplit, urlunsplit

import structlog
from sqlalchemy.exc import SQLAlchemyError

from etude_server.lti.keys import TOKEN_SECONDS, fetch_token, may_succeed_later
from etude_server.lti.launch import SCORE_SCOPE
from etude_server.platform_requests import PlatformRequestError, request_json
from etude_server.store import platforms, unsent_scores
from etude_server.store.database import Database, describe_cause
from etude_server.store.platforms import Platform, parse_origin
from etude_server.store.unsent_scores import ScoreToSend

POLL_SECONDS: Final = 1.0
FIRST_PAUSE_SECONDS: Final = 2.0
"""Seconds of pause after the first failure, doubled after each further one."""

_MAX_PAUSE_SECONDS: Final = 3600.0  # seconds between two tries of one grade
_MEDIA_TYPE: Final = "application/vnd.ims.lis.v1.score+json"
_MAX_REST_SECONDS: Final = 60.0  # seconds for which a failing platform gets no grades

_log = structlog.get_logger(__name__)


class ScoreSender:
    """A sender of grades that are due; a context manager. Several may run on one database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="scores", daemon=True)
        self._tokens: dict[str, tuple[float, str]] = {}
        # Platforms that do not respond, with the end of their pause.
        self._resting: dict[str, float] = {}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(POLL_SECONDS):
            try:
                while not self._stopping.is_set() and self._send_next():
                    pass
            except SQLAlchemyError as error:
                _log.warning("no grades were sent", error=describe_cause(error))

    def _send_next(self) -> bool:
        """Send one grade; return False if none is due."""
        # Reading first avoids SQLite's write lock, since usually nothing is due.
        with self._database.read() as connection:
            if not unsent_scores.is_score_due(connection):
                return False
        time_now = time.monotonic()
        resting = [platform_id for platform_id, until in self._resting.items() if until > time_now]
        with self._database.write() as connection:
            score = unsent_scores.claim_next_score(connection, resting)
            if score is None:
                return False
            platform = platforms.get_platform(connection, score.line_item.platform_id)
        try:
            self._send(platform, score)
        except PlatformRequestError as error:
            pause = min(FIRST_PAUSE_SECONDS * 2 ** min(score.tries - 1, 20), _MAX_PAUSE_SECONDS)
            # Spread the retries after an outage.
            pause *= random.uniform(0.8, 1.2)  # noqa: S311  nothing secret
            with self._database.write() as connection:
                if may_succeed_later(error):
                    unsent_scores.record_failure(connection, score, str(error), pause)
                else:
                    unsent_scores.park_score(connection, score, str(error))
            if may_succeed_later(error):
                _log.warning("a grade is sent later", status=error.status, tries=score.tries)
                rest_seconds = min(pause, _MAX_REST_SECONDS)
                self._resting[score.line_item.platform_id] = time.monotonic() + rest_seconds
            else:
                _log.warning("a grade waits for staff", status=error.status)
        else:
            with self._database.write() as connection:
                unsent_scores.record_sent(connection, score)
        return True

    def _send(self, platform: Platform, score: ScoreToSend) -> None:
        """Send a grade; raise `PlatformRequestError` if the platform did not accept it."""
        grade = score.grade
        earned_at = datetime.fromtimestamp(grade["at"] / 1e6, UTC)
        body = {
            "userId": score.line_item.sub,
            "scoreGiven": grade["score"],
            "scoreMaximum": max(grade["max_score"], 1),
            "activityProgress": "Completed" if grade["passed"] else "Submitted",
            "gradingProgress": "FullyGraded",
            "timestamp": earned_at.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        }
        if parse_origin(score.line_item.address) != parse_origin(platform.grades_url):
            raise PlatformRequestError(
                "its line item is at an address that is not registered any more", 404
            )
        until, token = self._tokens.get(platform.id, (0.0, ""))
        if time.monotonic() >= until:
            token, lifetime_seconds = fetch_token(self._database, platform, SCORE_SCOPE)
            until = time.monotonic() + lifetime_seconds - TOKEN_SECONDS / 2
            self._tokens[platform.id] = (until, token)
        headers = {"Authorization": f"Bearer {token}", "Content-Type": _MEDIA_TYPE}
        line_item = urlsplit(score.line_item.address)  # its query stays at the end
        path = f"{line_item.path.rstrip('/')}/scores"
        address = urlunsplit(line_item._replace(path=path, fragment=""))
        try:
            request_json(address, json.dumps(body).encode(), headers)
        except PlatformRequestError as error:
            # Conflict: the platform already has a grade that is as new or newer.
            if error.status == HTTPStatus.CONFLICT:
                return
            if error.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
                self._tokens.pop(platform.id, None)
            raise
