"""The processes that run an assignment's code: confined, limited, and each with its own program."""

import resource
from pathlib import Path

import pytest

from grader.audit import tasks
from grader.audit.confined.pytest_run import Session
from grader.audit.runner import Runner, TaskLimits, TaskOutcome
from grader.authoring.sources.assignment import Assignment
from grader.sandbox import channel

SOLUTION = "def double(x):\n    return 2 * x\n"
FILES = ("test_double.py",)


def run(tests: str, source: str = SOLUTION, limits: TaskLimits = tasks.ORDINARY) -> TaskOutcome:
    assignment = Assignment(
        "double", "pytest", "solution.py", {"solution.py": SOLUTION}, {FILES[0]: tests}
    )
    with Runner(assignment) as runner:
        return runner.run(tasks.run_tests("one", source, Session(FILES), limits))


def test_what_a_test_may_not_do() -> None:
    """A test reads no file of the host, writes none, opens no connection and starts no program."""
    found = run(
        "import os, socket, subprocess\n"
        "def test_read(): open('/etc/passwd')\n"
        "def test_write(): open('x', 'w')\n"
        "def test_connect(): socket.socket()\n"
        "def test_run(): subprocess.run(['true'])\n"
        "def test_environment(): assert not os.environ.get('HOME')\n"
        "def test_kill(): os.kill(os.getppid(), 9)\n"
    )
    outcomes = {each.id.partition("::")[2]: each.outcome for each in tasks.read_results(found)}
    assert outcomes.pop("test_environment") == "passed"
    assert outcomes == dict.fromkeys(
        ("test_read", "test_write", "test_connect", "test_run", "test_kill"), "failed"
    )


def test_a_program_is_tested_however_tests_load_it() -> None:
    """A mutant is imported, read or run by its path as the solution would be."""
    tests = (
        "import runpy\n"
        "from solution import double\n"
        "def test_imported(): assert double(1) == 3\n"
        "def test_run(): assert runpy.run_path('solution.py')['double'](1) == 3\n"
        "def test_read(): assert '3 *' in open('solution.py').read()\n"
    )
    assert not tasks.is_killed(run(tests, "def double(x):\n    return 3 * x\n"))
    assert tasks.is_killed(run(tests))


def test_a_test_with_fixtures_runs_twice() -> None:
    """Its fixtures are made for each run."""
    files = {
        FILES[0]: "import pytest\nfrom solution import double\n"
        "@pytest.fixture\ndef two(): return [2]\n"
        "@pytest.mark.parametrize('function', [double])\n"
        "def test_double(function, two):\n"
        "    assert function(two.pop()) == 4\n"
    }
    assignment = Assignment("double", "pytest", "solution.py", {"solution.py": SOLUTION}, files)
    with Runner(assignment) as runner:
        task = tasks.run_tests("one", SOLUTION, Session(FILES, times=2))
        outcomes = tasks.read_results(runner.run(task))
    assert [each.outcome for each in outcomes] == ["passed", "passed"]


def test_an_endless_program_is_ended() -> None:
    """The test that was running counts as failed."""
    endless = "def double(x):\n    while True: pass\n"
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    found = run(
        "from solution import double\ndef test_double(): double(1)\n",
        endless,
        TaskLimits(cpu_seconds=1, wall_seconds=100),
    )
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used < 5
    assert [each.message for each in tasks.read_results(found)] == ["did not end in time"]


def test_what_a_test_sends_is_no_message_of_ours() -> None:
    """Messages with fields of other types, or of no known kind, are dropped."""
    found = run(
        "import os\n"
        "def test_forge():\n"
        "    for line in (b'{\"kind\": \"test\", \"id\": 7}', b'[]', b'{\"kind\": [1]}', b'x',\n"
        '                 b\'{"kind": "changed", "ids": [1]}\', b\'{"kind": "no"}\'):\n'
        "        for descriptor in range(3, 4096):\n"
        "            try: os.write(descriptor, len(line).to_bytes(8, 'little') + line)\n"
        "            except OSError: pass\n"
    )
    assert [each["kind"] for each in found.messages] == ["begins", "test", "end"]
    assert [each.outcome for each in tasks.read_results(found)] == ["passed"]


@pytest.mark.parametrize("sent", ["b'[]'", "(9).to_bytes(8, 'little') + b'[]'", "bytes(7) + b'x'"])
def test_half_a_message_does_not_hold_the_audit_up(
    sent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that stops within a message, or sends too long a one, is ended."""
    monkeypatch.setattr(channel, "_MESSAGE_SECONDS", 0.2)
    found = run(
        "import os, time\n"
        "def test_stop():\n"
        "    for descriptor in range(3, 4096):\n"
        f"        try: os.write(descriptor, {sent})\n"
        "        except OSError: pass\n"
        "    time.sleep(100)\n"
    )
    assert [each.outcome for each in tasks.read_results(found)] == ["failed"]
    assert found.ended == "ended the process with status -9"


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copies of the assignment are removed."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    run("def test_nothing(): pass\n")
    assert not [*tmp_path.iterdir()]
