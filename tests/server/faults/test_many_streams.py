"""Far more event streams than a server has: the rest are told so, and no one is held up."""

import asyncio
from collections import Counter
from http import HTTPStatus

import httpx
import pytest

from tests.server.faults.conftest import Stack

pytestmark = pytest.mark.slow

OF_ONE = 50  # streams that one person may have
MOST = 2_000  # streams that a server has
STREAMS = MOST + 500  # all answers beyond are alike
AT_ONCE = 200  # that are asked for


def test_more_streams_than_there_are_hold_nobody_up(local_stack: Stack, files: int) -> None:
    """All are answered; while those are open that have room, others submit, and are graded."""
    stack = local_stack
    count = min(STREAMS, files - 300)
    with stack.halted():
        listeners = [_listener(stack) for _ in range(MOST // OF_ONE)]
        asyncio.run(_attack(stack, listeners, count))
    stack.wait_until_graded()


def _listener(stack: Stack) -> tuple[str, str]:
    """Return somebody's token, and a submission of theirs that stays pending."""
    with stack.client() as client:
        answer = stack.post(client, stack.source()).raise_for_status()
        stack.accepted.append(answer.json()["id"])
        return client.headers["Authorization"], answer.headers["Location"]


async def _attack(stack: Stack, listeners: list[tuple[str, str]], count: int) -> None:
    room = asyncio.Semaphore(AT_ONCE)
    writers: list[asyncio.StreamWriter] = []

    async def open_one(number: int) -> int:
        token, location = listeners[number % len(listeners)]
        async with room:
            reader, writer = await asyncio.open_connection("127.0.0.1", stack.port)
            writers.append(writer)
            head = f"GET {location}/events HTTP/1.1\r\nHost: x\r\nAuthorization: {token}\r\n\r\n"
            writer.write(head.encode())
            return int((await reader.readline()).split()[1])

    try:
        answers = Counter(await asyncio.gather(*(open_one(number) for number in range(count))))
        assert set(answers) <= {HTTPStatus.OK, HTTPStatus.TOO_MANY_REQUESTS}
        assert answers[HTTPStatus.OK] >= min(MOST, count)  # more, if the first ones ended meanwhile
        await asyncio.to_thread(stack.hand_in, 2)
        ready = await asyncio.to_thread(httpx.get, f"{stack.address}/livez", timeout=60)
        assert ready.is_success
    finally:
        for writer in writers:
            writer.close()
