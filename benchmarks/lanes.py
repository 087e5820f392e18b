"""Processes that grade a few submissions at a word, so that ways to grade can take turns."""

import contextlib
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Self

from benchmarks import workload
from benchmarks.processes import tree_cpu
from benchmarks.result_tables import Block
from grader.definitions.exercise import Exercise
from grader.errors import SandboxFault
from grader.grading.session.engine import Engine
from grader.sandbox.backends import BACKENDS
from grader.sandbox.confine import confine_this_process
from grader.sandbox.process import open_sandbox

_SPAWN = multiprocessing.get_context("spawn")


class Lane:
    """One way to grade, in an interpreter of its own. Use as a context manager.

    Args:
        name: what the report calls it.
        serve: runs there: says why it cannot work, or nothing; then answers each number with the
            seconds that each of so many submissions took, until the number is 0.
        args: further arguments of `serve`.
    """

    def __init__(self, name: str, serve: Callable[..., None], *args: object) -> None:
        self.name = name
        self.blocks: list[Block] = []
        self._connection, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=serve, args=(theirs, *args))
        with _one_blas_thread():
            self._process.start()
        theirs.close()
        self.missing: str = self._connection.recv()
        self._cpu = 0.0

    def grade(self, number: int) -> None:
        """Grade a block of that many submissions and keep what it took.

        Raises:
            WrongVerdictError: the lane has ended, which it does when one does not pass.
        """
        try:
            self._connection.send(number)
            walls = self._connection.recv()
        except (EOFError, OSError):
            message = f"{self.name}: a right solution did not pass"
            raise workload.WrongVerdictError(message) from None
        before, self._cpu = self._cpu, tree_cpu(self._process.pid or 0)
        self.blocks.append(Block(walls, self._cpu - before))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._connection.send(0)
        self._process.join()
        self._connection.close()


@contextlib.contextmanager
def _one_blas_thread() -> Iterator[None]:
    """Give the plain fork what the sandbox has: else BLAS ends its threads before each fork."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    try:
        yield
    finally:
        del os.environ["OPENBLAS_NUM_THREADS"]


def serve_sandbox(connection: Connection, backend_name: str, spare: bool) -> None:
    """Grade with the engine in one long session, confined as a worker of a batch is."""
    (exercise,) = workload.exercises(1)
    (backend,) = (backend for backend in BACKENDS if backend.name == backend_name)
    try:
        sandbox = open_sandbox([backend], keep_spare_child=spare)
    except SandboxFault as fault:
        connection.send(str(fault))
        return
    with sandbox:
        confine_this_process()
        connection.send("")
        engine = Engine(sandbox)
        while number := connection.recv():
            connection.send([_time_one(engine, exercise) for _ in range(number)])


def _time_one(engine: Engine, exercise: Exercise) -> float:
    """Return the seconds that a submission takes from its bytes to its verdict."""
    begin = time.perf_counter()
    verdict = engine.grade(workload.new_job(exercise))
    seconds = time.perf_counter() - begin
    workload.require_passed(verdict)
    return seconds
