"""A process answers its parent, confined; what it sends is data, whatever has become of it."""

import gc
import os
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from grader.errors import DefinitionError, GraderFault, Location, Problem, SandboxFault
from grader.sandbox import confined_process
from grader.sandbox.confined_process import ConfinedProcess
from grader.sandbox.process import Sandbox, open_sandbox

PLACE = Location(Path("a.yaml"), 3, 4)
FINALIZED: list[str] = []


class Cycle:
    """Garbage, as soon as nothing else refers to it."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        FINALIZED.append("cycle")


def answer(request: bytes, sandbox: Sandbox) -> bytes:
    match request:
        case b"sandbox":
            with sandbox.child() as child:
                return type(child.load("x = 1", [])).__name__.encode()
        case b"read":
            return Path(__file__).read_bytes()
        case b"definition":
            raise DefinitionError([Problem(PLACE, "it is wrong")])
        case b"fault":
            raise GraderFault("it is broken")
        case b"collect":
            gc.collect()
            return b" ".join(each.encode() for each in FINALIZED)
        case b"die":
            os._exit(9)
        case b"close":
            os.closerange(3, 4096)
            time.sleep(100)
    return b"" if request == b"nothing" else request


@pytest.fixture(scope="module")
def process() -> Iterator[ConfinedProcess]:
    with closing(ConfinedProcess(answer, open_sandbox)) as made:
        yield made


@pytest.mark.parametrize(
    ("request_", "expected"), [(b"text", b"text"), (b"nothing", b""), (b"sandbox", b"Returned")]
)
def test_a_process_answers(process: ConfinedProcess, request_: bytes, expected: bytes) -> None:
    """With its sandbox, and with nothing too."""
    assert process.ask(request_) == expected


def test_its_errors_are_told_and_end_nothing(process: ConfinedProcess) -> None:
    """An author's error has its place, and a refused operation is a fault; the process goes on."""
    with pytest.raises(DefinitionError) as caught:
        process.ask(b"definition")
    assert caught.value.problems == (Problem(PLACE, "it is wrong"),)
    with pytest.raises(GraderFault, match="it is broken"):
        process.ask(b"fault")
    with pytest.raises(GraderFault, match="PermissionError"):
        process.ask(b"read")
    assert process.ask(b"text") == b"text"


def test_the_parent_s_garbage_is_not_finalized_there() -> None:
    """A file of the parent's would close whatever has its number in this process."""
    gc.disable()
    try:
        Cycle()
        with closing(ConfinedProcess(answer, open_sandbox)) as process:
            assert process.ask(b"collect") == b""
    finally:
        gc.enable()
    gc.collect()
    assert FINALIZED == ["cycle"]


def test_a_process_that_ended_is_a_fault_and_is_replaced() -> None:
    """The request that ended it is lost; the next one is answered, confined as before."""
    with closing(ConfinedProcess(answer, open_sandbox)) as process:
        for _ in range(2):
            with pytest.raises(GraderFault, match="has ended"):
                process.ask(b"die")
        assert process.ask(b"text") == b"text"
        with pytest.raises(GraderFault, match="PermissionError"):
            process.ask(b"read")


def test_a_process_that_hangs_is_killed() -> None:
    """It has closed its connection, but does not end."""
    with closing(ConfinedProcess(answer, open_sandbox)) as process:
        with pytest.raises(GraderFault, match="has ended"):
            process.ask(b"close")
        process.send(b"close")


def test_what_cannot_be_confined_runs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It runs nothing, however often it is asked."""

    def fail(_readable: object) -> None:
        raise RuntimeError("not confined")

    monkeypatch.setattr(confined_process, "confine_this_process", fail)
    with closing(ConfinedProcess(answer, open_sandbox)) as process:
        for _ in range(2):
            with pytest.raises(GraderFault, match="not confined"):
                process.ask(b"text")


def test_without_a_sandbox_nothing_is_run() -> None:
    """The cause is told."""

    def none() -> Sandbox:
        raise SandboxFault("not here")

    with closing(ConfinedProcess(answer, none)) as process, pytest.raises(GraderFault, match="not"):
        process.ask(b"text")
