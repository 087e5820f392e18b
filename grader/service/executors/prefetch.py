"""How a worker takes jobs: several at once, which are begun at once, and rung for.

Procrastinate asks for a job, and says that one is done, as often as before. What it is answered was
fetched ahead, and what is done left the queue in the transaction that published the verdict.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

from procrastinate.connector import BaseConnector
from procrastinate.jobs import Job, Notification, Status
from procrastinate.manager import JobManager, NotificationCallback

Take = Callable[[int, int], list[Job]]
"""Takes for a worker, by its id, at most so many jobs, and begins them."""

_COURTESY_SECONDS: Final = 0.01  # for which a worker that is busy leaves jobs to those that are not


class Takings(JobManager):
    """Procrastinate's own, but for what it does with each job. It belongs to one event loop.

    Args:
        connector: Procrastinate's.
        take: called in a thread.
        busy: jobs in hand from which on whoever has nothing to do comes first.
        most: says how many to have in hand at once; when half of them are done the next are taken.
    """

    def __init__(
        self, connector: BaseConnector, take: Take, busy: int, most: Callable[[], int]
    ) -> None:
        super().__init__(connector)
        self._take = take
        self._busy = busy
        self._most = most
        self._ahead: deque[Job] = deque()
        self._in_hand: set[int] = set()
        self._changed = asyncio.Event()
        self._is_closed = False
        self._rings = 0
        self._found_all_at: int | None = None  # rings, when there were no more jobs than were taken
        self.worker_id = 0

    def close(self) -> None:
        """Take no more."""
        self._is_closed = True
        self._changed.set()

    def left(self) -> list[int]:
        """Return the jobs that were taken and that nobody asked for."""
        return [id_of(job) for job in self._ahead]

    async def fetch_job(self, queues: Iterable[str] | None, worker_id: int) -> Job | None:  # noqa: ARG002  `take` knows them
        """Return a job that was taken; wait until it is worth while to take some more.

        When there is none Procrastinate waits for a ring, or for a while, and asks again.
        """
        self.worker_id = worker_id
        if not self._ahead and self._found_all_at != self._rings:
            await self._wait_for_room()
            await self._take_some(worker_id)
        if self._ahead:
            return self._ahead.popleft()
        self._found_all_at = None
        return None

    async def _wait_for_room(self) -> None:
        while len(self._in_hand) > self._most() // 2 and not self._is_closed:
            self._changed.clear()
            await self._changed.wait()
        if len(self._in_hand) >= self._busy:
            await asyncio.sleep(_COURTESY_SECONDS)

    async def _take_some(self, worker_id: int) -> None:
        """Take until nobody rang meanwhile, or something is there: Procrastinate forgets a ring."""
        rings = None
        while not self._ahead and rings != self._rings and not self._is_closed:
            rings = self._rings
            room = max(1, self._most() - len(self._in_hand))
            taken = await asyncio.to_thread(self._take, worker_id, room)
            self._ahead.extend(taken)
            self._in_hand.update(map(id_of, taken))
            self._found_all_at = rings if len(taken) < room else None

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        """End a job that did not succeed: one that did is out of the queue."""
        self._is_over(job)
        if status is not Status.SUCCEEDED:
            await super().finish_job(job, status, delete_job)

    async def retry_job(
        self,
        job: Job,
        retry_at: datetime | None = None,
        priority: int | None = None,
        queue: str | None = None,
        lock: str | None = None,
    ) -> None:
        """Put a job back into the queue."""
        self._is_over(job)
        await super().retry_job(job, retry_at, priority, queue, lock)

    async def listen_for_jobs(
        self, *, on_notification: NotificationCallback, queues: Iterable[str] | None = None
    ) -> None:
        """Pass rings on, and count them."""

        async def counted(*, channel: str, notification: Notification) -> None:
            self._rings += 1
            await on_notification(channel=channel, notification=notification)

        await super().listen_for_jobs(on_notification=counted, queues=queues)

    def _is_over(self, job: Job) -> None:
        self._in_hand.discard(id_of(job))
        self._changed.set()


def id_of(job: Job) -> int:
    """Return the number of a job."""
    assert job.id is not None  # noqa: S101  it is in the queue
    return job.id
