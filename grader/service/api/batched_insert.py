"""Takes submissions in: those that come while one transaction is committed share the next.

A commit that waits for the disk costs as much for one submission as for many, and so does most of
what stands around its statements. Nobody waits for company: an idle intake writes at once.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Final, TypeAlias

from fastapi import Depends, Request
from sqlalchemy import Connection
from sqlalchemy.exc import OperationalError

from grader.service.api.problem_details import ProblemError
from grader.service.api.rate_limits import check_queue
from grader.service.service import Parts
from grader.service.store import submissions
from grader.service.store.submissions import Submitted, Wanted

_MOST: Final = 64  # in one transaction


@dataclass(frozen=True, slots=True)
class Taken:
    """A submission that lies durably in the store."""

    submission: Submitted
    place: int | None  # in the line, from 0; None if the same request came before


_Waiting: TypeAlias = "tuple[Wanted, asyncio.Future[Taken]]"


class Intake:
    """The way into the store. It belongs to one event loop.

    Args:
        service: whose store and executor it tells.
    """

    def __init__(self, service: Parts) -> None:
        self._service = service
        self._thread = ThreadPoolExecutor(1, "intake")
        self._waiting: list[_Waiting] = []
        self._writing: asyncio.Task[None] | None = None

    async def take(self, wanted: Wanted) -> Taken:
        """Take a submission in, and return once it is committed.

        Raises:
            KeyReusedError: its key came before with something else.
            ProblemError: the queue is too old.
        """
        answer: asyncio.Future[Taken] = asyncio.get_running_loop().create_future()
        self._waiting.append((wanted, answer))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write_all())
        return await answer

    async def _write_all(self) -> None:
        """Write until nobody waits."""
        loop = asyncio.get_running_loop()
        try:
            while self._waiting:
                batch, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
                wanted = [each for each, _ in batch]
                results = await loop.run_in_executor(self._thread, self._write, wanted)
                for (_, answer), result in zip(batch, results, strict=True):
                    _settle(answer, result)
        finally:
            self._writing = None

    def _write(self, wanted: Sequence[Wanted]) -> Sequence[Taken | Exception]:
        """Write together; what cannot be written takes no other along."""
        try:
            with self._service.database.write() as connection:
                taken = self._take(connection, wanted)
        except (OperationalError, ProblemError) as error:  # nobody's own fault
            return [error] * len(wanted)
        except Exception as error:  # noqa: BLE001  raised again where the request is answered
            alone = ([each] for each in wanted)
            return [error] if len(wanted) == 1 else [self._write(each)[0] for each in alone]
        self._service.executor.ring()
        return taken

    def _take(self, connection: Connection, wanted: Sequence[Wanted]) -> list[Taken]:
        check_queue(connection, self._service.settings.queue_seconds)
        accepted = submissions.accept_all(connection, wanted)
        new = [each.submission.id for each in accepted if each.is_new]
        if not new:
            return [Taken(each.submission, None) for each in accepted]
        self._service.executor.enqueue(connection, new)
        first = submissions.waiting_before(connection, new[0])
        places = {each: min(first + at, submissions.COUNTED) for at, each in enumerate(new)}
        return [Taken(each.submission, places.get(each.submission.id)) for each in accepted]


async def intake(request: Request) -> Intake:
    """Return the application's."""
    found: Intake = request.app.state.intake
    return found


IntakeOf = Annotated[Intake, Depends(intake)]


def _settle(answer: "asyncio.Future[Taken]", result: Taken | Exception) -> None:
    if answer.done():
        return  # its request is given up; the submission stays
    if isinstance(result, Exception):
        answer.set_exception(result)
    else:
        answer.set_result(result)
