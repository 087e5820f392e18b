"""A child serves one submission: values cross, failures are told apart, nothing outlives it."""

import datetime as dt
import os
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from grader.errors import SandboxFault
from grader.sandbox.answers import (
    Answer,
    Cause,
    ChildGoneError,
    Raised,
    Returned,
    Stopped,
    Unsupported,
    Usage,
)
from grader.sandbox.backends import NAMESPACES, UNSAFE, Backend, Launch
from grader.sandbox.in_child import operations, wire
from grader.sandbox.in_child.wire import Shared
from grader.sandbox.interface import Exchange
from grader.sandbox.limits import Limits
from grader.sandbox.process import Sandbox

# A submission that does not wait has time enough, however busy the machine is.
PATIENT = Limits(cpu_seconds=20, wall_seconds=60)


def ask(sandbox: Sandbox, source: str, *args: object, limits: Limits = PATIENT) -> Answer:
    """Load a source that defines `f` and call it."""
    with sandbox.child(limits) as child:
        loaded = child.load(source, ["f"])
        assert isinstance(loaded, Returned), loaded
        return child.call("f", args, {})


def test_values_cross_both_ways_with_their_exact_types(each_sandbox: Sandbox) -> None:
    """What goes in comes back equal, of the same type and dtype."""
    values = [
        None,
        True,
        7,
        2.5,
        1 + 2j,
        "\u00e9",
        b"\0\xff",
        (1, [2]),
        {"k": {3}},
        np.float32(1.5),
    ]
    answer = ask(each_sandbox, "def f(*values): return list(values)", *values)
    assert isinstance(answer, Returned)
    assert answer.value == values
    assert [type(v) for v in answer.value] == [type(v) for v in values]


def test_arrays_keep_dtype_and_shape(each_sandbox: Sandbox) -> None:
    """Arrays of several dtypes, a Fortran-ordered and an empty one arrive as they left."""
    arrays = [
        np.arange(6, dtype=np.int16).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.zeros((3, 0, 2), dtype=np.float32),
        np.array([True, False]),
        np.array(2.5),
    ]
    answer = ask(each_sandbox, "def f(*arrays): return arrays", *arrays)
    assert isinstance(answer, Returned)
    for sent, came in zip(arrays, answer.value, strict=True):
        assert came.dtype == sent.dtype
        assert came.shape == sent.shape
        assert np.array_equal(came, sent)


LAYOUT = "def f(x): return x.strides, x.flags.c_contiguous, x.flags.f_contiguous, x.flags.writeable"


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        np.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2),
        np.arange(10)[::2],
        np.arange(5)[::-1],
        np.broadcast_to(np.arange(3), (4, 3)),
        np.array(["a", "bc"])[::-1],
    ],
    ids=["C", "Fortran", "transposed", "strided", "reversed", "read-only", "text"],
)
def test_an_array_keeps_its_layout_on_its_way_in(sandbox: Sandbox, array: np.ndarray) -> None:
    """A submission meets the order of axes, the gaps and the read-only state of plain NumPy."""
    flags = array.flags
    plain = (array.strides, flags.c_contiguous, flags.f_contiguous, flags.writeable)
    assert ask(sandbox, LAYOUT, array) == Returned(plain)


def test_other_types_of_plain_data_cross_both_ways(sandbox: Sandbox) -> None:
    """They come back equal and of the same type; a subclass of a number comes as that number."""
    values = [
        range(3),
        frozenset({1}),
        deque([1, 2], 3),
        Counter("aab"),
        OrderedDict(a=1),
        Fraction(1, 3),
        Decimal("1.50"),
        dt.datetime(2020, 1, 2, 3, 4, tzinfo=dt.UTC),
        dt.timedelta(1, 2, 3),
        np.datetime64("2020-01-02"),
        np.float32,
    ]
    answer = ask(sandbox, "def f(*values): return list(values)", *values)
    assert isinstance(answer, Returned)
    assert answer.value == values
    assert [type(v) for v in answer.value] == [type(v) for v in values]
    subclass = ask(sandbox, "class Own(float): ...\ndef f(): return Own(2.5)")
    assert subclass == Returned(2.5)
    assert isinstance(subclass, Returned)
    assert type(subclass.value) is float


def test_arrays_of_fields_dates_texts_and_masks_cross_both_ways(sandbox: Sandbox) -> None:
    """A mask, the names of fields and a unit of time are kept."""
    arrays = [
        np.array([(1.0, True)], [("a", "f8"), ("b", "?")]),
        np.array(["2020-01-01", "NaT"], "M8[D]"),
        np.array(["ab", "c"]),
        np.ma.MaskedArray([1.0, 2.0], [True, False]),
    ]
    answer = ask(sandbox, "def f(*arrays): return arrays", *arrays)
    assert isinstance(answer, Returned)
    for sent, came in zip(arrays, answer.value, strict=True):
        assert (type(came), came.dtype) == (type(sent), sent.dtype)
        assert repr(came) == repr(sent)


def test_a_named_tuple_is_a_tuple_with_names(sandbox: Sandbox) -> None:
    """So is a member of an enumeration of numbers a number with a name, also on its way back."""
    source = """
from enum import IntEnum
from typing import NamedTuple
class Out(NamedTuple):
    output: float
    weights: int
class Color(IntEnum):
    RED = 1
def f(value=None):
    return (Out(2.5, 1), Color.RED) if value is None else (value[0].weights, value[1].name)
"""
    with sandbox.child(PATIENT) as child:
        child.load(source, ["f"])
        answer = child.call("f", [], {})
        assert isinstance(answer, Returned)
        named, member = answer.value
        assert (named, named.weights, member, member.name) == ((2.5, 1), 1, 1, "RED")
        assert isinstance(named, tuple)
        assert child.call("f", [answer.value], {}) == Returned((1, "RED"))


def test_an_argument_that_is_changed_in_place_stays_as_it_was_here(sandbox: Sandbox) -> None:
    """Arguments are copies: the trusted side's array never changes."""
    array = np.ones(3)
    answer = ask(sandbox, "def f(x):\n    x += 1\n    return x", array)
    assert isinstance(answer, Returned)
    assert answer.value.tolist() == [2, 2, 2]
    assert array.tolist() == [1, 1, 1]


def test_an_exception_crosses_as_type_message_and_own_lines(sandbox: Sandbox) -> None:
    """Only the submission's frames are told, innermost last."""
    answer = ask(sandbox, "def g():\n    return 1 / 0\n\ndef f():\n    return g()")
    assert answer == Raised(
        "ZeroDivisionError",
        ("ZeroDivisionError", "ArithmeticError", "Exception", "BaseException", "object"),
        "division by zero",
        ((5, "f"), (2, "g")),
    )


def test_a_value_that_cannot_cross_is_named(sandbox: Sandbox) -> None:
    """An object of Python's inside a tuple is refused with its kind and place."""
    answer = ask(sandbox, "def f(): return 1, object()")
    assert answer == Unsupported("object", "[1]")


def test_keys_cross_unless_many_have_one_hash(sandbox: Sandbox) -> None:
    """Thousands of keys are fine; those that would all be compared with each other are refused."""
    many = ask(sandbox, "def f(): return {(n, 'k'): n for n in range(5000)}")
    assert many == Returned({(n, "k"): n for n in range(5000)})
    alike = ask(sandbox, "def f(): return [{((1 << 61) - 1) * n for n in range(17)}]")
    assert alike == Unsupported("a set of which more than 16 keys have one hash", "[0]")


def test_a_syntax_error_has_its_line(sandbox: Sandbox) -> None:
    """The child reads the source, so that even a crash of Python's parser happens there."""
    with sandbox.child() as child:
        answer = child.load("x = 1\ny = (\n", [])
    assert isinstance(answer, Raised)
    assert (answer.type, answer.line) == ("SyntaxError", 2)


@pytest.mark.parametrize(
    ("body", "cause", "limits"),
    [
        ("while True: pass", Cause.CPU_TIME, replace(PATIENT, cpu_seconds=1)),
        ("import time; time.sleep(100)", Cause.WALL_TIME, replace(PATIENT, wall_seconds=1.5)),
        ("import os; os._exit(0)", Cause.EXIT, PATIENT),
        ("import ctypes; ctypes.string_at(0)", Cause.SIGNAL, PATIENT),
        ("import os; os.write(3, bytes([255]) * 64)", Cause.PROTOCOL, PATIENT),
    ],
)
def test_each_end_of_a_child_has_its_cause(
    each_sandbox: Sandbox, body: str, cause: Cause, limits: Limits
) -> None:
    """CPU time, wall clock, an exit, a crash and nonsense on the wire are told apart."""
    with pytest.raises(ChildGoneError) as caught:
        ask(each_sandbox, f"def f():\n    {body}", limits=limits)
    assert caught.value.cause is cause


@pytest.mark.slow
def test_a_call_of_c_code_without_an_end_says_where_it_is(each_sandbox: Sandbox) -> None:
    """No handler of Python's runs meanwhile; what was printed before stays as it is."""
    with each_sandbox.child(replace(PATIENT, cpu_seconds=1)) as child:
        child.load("def f():\n    print('here')\n    return sum(range(10**12))\n", ["f"])
        with pytest.raises(ChildGoneError) as caught:
            child.call("f", [], {})
        assert child.output() == "here\n"
    assert caught.value.cause is Cause.CPU_TIME
    assert caught.value.stopped == Stopped(3, is_loop=False, values=())


def test_a_claim_to_have_used_its_time_is_checked(sandbox: Sandbox) -> None:
    """The kernel's count decides: a message that comes too early is not an answer."""
    message = wire.encode([2, "stopped", {"line": 1, "is_loop": False, "values": []}])
    with pytest.raises(ChildGoneError) as caught:
        ask(sandbox, f"import os\ndef f(): os.write(3, {message!r})", limits=PATIENT)
    assert caught.value.cause is Cause.PROTOCOL


def test_memory_is_limited(each_sandbox: Sandbox) -> None:
    """Asking for more than the address space raises MemoryError in the submission."""
    answer = ask(each_sandbox, "import numpy as np\ndef f(): return np.ones(1 << 28).sum()")
    assert isinstance(answer, Raised)
    assert "MemoryError" in answer.bases


def test_output_stops_at_the_cap(each_sandbox: Sandbox) -> None:
    """A flood is cut at the cap, also when it goes round Python's own streams."""
    source = "import os\nprint('y' * 100)\ndef f():\n    os.write(1, b'x' * 100_000)"
    with each_sandbox.child(replace(PATIENT, output=8192)) as child:
        child.load(source, ["f"])
        child.call("f", [], {})
        assert child.output_full
        text = child.output()
    assert len(text) == 8192
    assert text.startswith("y" * 100)


def test_control_characters_do_not_reach_a_terminal(sandbox: Sandbox) -> None:
    """Escape sequences in what was printed or raised are made visible and harmless."""
    with sandbox.child() as child:
        child.load(
            "def f():\n    print('\\x1b[2J', end='')\n    raise ValueError('\\x1b]0;t\\x07')", ["f"]
        )
        answer = child.call("f", [], {})
        assert child.output() == "\ufffd[2J"
    assert isinstance(answer, Raised)
    assert answer.message == "\ufffd]0;t\ufffd"


def test_a_child_starts_with_a_clean_slate(each_sandbox: Sandbox) -> None:
    """What one submission changes in its modules or folder is not there for the next."""
    ask(each_sandbox, "import numpy, builtins\ndef f(): numpy.mark = builtins.mark = 1")
    answer = ask(
        each_sandbox,
        "import numpy, builtins\ndef f(): return hasattr(numpy, 'mark') or hasattr(builtins, 'mark')",
    )
    assert answer == Returned(value=False)


def test_a_scratch_file_is_gone_for_the_next_child(each_sandbox: Sandbox) -> None:
    """With namespaces a file can be written; without them nothing can."""
    source = "import os\ndef f():\n    open('a', 'w').close()\n    return os.listdir('.')"
    answer = ask(each_sandbox, source)
    if each_sandbox.backend is not NAMESPACES:
        assert isinstance(answer, Raised)
        assert answer.type == "PermissionError"
        return
    assert answer == Returned(value=["a"])
    assert ask(each_sandbox, "import os\ndef f(): return os.listdir('.')") == Returned(value=[])


def test_the_host_environment_is_not_inherited(
    each_sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token in the grader's environment is not in the sandbox's."""
    monkeypatch.setenv("SECRET_TOKEN", "1")
    with Sandbox(each_sandbox.backend) as sandbox:
        answer = ask(sandbox, "import os\ndef f(): return sorted(os.environ)")
    assert isinstance(answer, Returned)
    assert "SECRET_TOKEN" not in answer.value


def test_other_packages_cannot_be_imported(each_sandbox: Sandbox) -> None:
    """NumPy is there; what else is installed beside the grader, and the grader itself, is not."""
    answer = ask(
        each_sandbox,
        "import importlib\n"
        "def f():\n"
        "    import numpy.polynomial, decimal\n"
        "    found = []\n"
        "    for name in ('yaml', 'pytest', 'grader', 'reference', 'pip'):\n"
        "        try:\n"
        "            importlib.import_module(name)\n"
        "        except ImportError:\n"
        "            continue\n"
        "        found.append(name)\n"
        "    return found",
    )
    assert answer == Returned(value=[])


def test_nobody_is_left_when_a_sandbox_is_closed(each_sandbox: Sandbox) -> None:
    """Closing ends the zygote and a child that sleeps."""
    with Sandbox(each_sandbox.backend) as sandbox:
        child = sandbox.child()
        child.load("", [])
        family = _descendants(sandbox.pid)
        sandbox.close()
        with pytest.raises(SandboxFault):
            child.close()
        assert len(family) > 1
    _wait_until(lambda: not any(map(_alive, family)))


def _wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _descendants(pid: int) -> list[int]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):
        return []
    return [pid, *(p for child in children for p in _descendants(int(child)))]


def _alive(pid: int) -> bool:
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_sandbox_outlives_the_thread_that_started_it(each_sandbox: Sandbox) -> None:
    """A service starts sandboxes from worker threads that come and go."""
    opened: list[Sandbox] = []
    thread = threading.Thread(target=lambda: opened.append(Sandbox(each_sandbox.backend)))
    thread.start()
    thread.join()
    with opened[0] as sandbox:
        assert ask(sandbox, "def f(): return 1") == Returned(value=1)


def test_a_backend_that_does_not_start_is_a_fault_with_its_last_words() -> None:
    """The command's own error is in the message."""
    broken = Backend(
        "broken",
        "",
        "",
        lambda _host, _control, _many: Launch(
            ("/bin/sh", "-c", "echo no such luck >&2; exit 5"), {}
        ),
    )
    with Sandbox(broken) as sandbox, pytest.raises(SandboxFault, match="no such luck"):
        sandbox.wait_until_ready()


def test_a_dead_zygote_is_a_fault_never_a_verdict(sandbox: Sandbox) -> None:
    """When the sandbox itself goes away in the middle, no one blames the submission."""
    with Sandbox(UNSAFE) as own:
        child = own.child()
        child.load("def f(): return 1", ["f"])
        os.kill(own.pid, 9)
        _wait_until(lambda: not _alive(own.pid))
        with pytest.raises(SandboxFault):
            own.child()
        with pytest.raises(SandboxFault):
            child.close()
    assert ask(sandbox, "def f(): return 1") == Returned(value=1)


def test_the_order_of_a_set_is_the_same_in_every_sandbox(each_sandbox: Sandbox) -> None:
    """Hashing has no seed, so that no verdict depends on the worker."""
    source = "def f(): return hash('a')"
    with Sandbox(each_sandbox.backend) as other:
        assert ask(each_sandbox, source) == ask(other, source)


def test_a_spare_is_forked_ahead_beside_children_with_other_limits(each_sandbox: Sandbox) -> None:
    """Each child is fresh, in order, whatever the limits of the one before."""
    with Sandbox(each_sandbox.backend, keep_spare_child=True) as sandbox:
        for number, limits in enumerate([Limits(), PATIENT, PATIENT, Limits(), Limits()]):
            answer = ask(sandbox, f"def f(): return {number}", limits=limits)
            assert answer == Returned(value=number)


@pytest.mark.slow
def test_answers_have_a_total_weight(sandbox: Sandbox) -> None:
    """A submission that answers with megabytes again and again is ended."""
    with sandbox.child(PATIENT) as child:
        child.load("import numpy as np\ndef f(): return np.zeros(7 << 20)", ["f"])
        for _ in range(4):
            child.call("f", [], {})
        with pytest.raises(ChildGoneError) as caught:
            child.call("f", [], {})
    assert caught.value.cause is Cause.PROTOCOL


MEASURE = Exchange(with_usage=True)
MEASURED = """
import numpy as np

def square(n):
    return float(np.ones((n, n)).sum())

def line(n):
    return float(np.ones(n).sum())

def spin(n):
    return sum(i * i for i in range(n))

def lie(n):
    import time, tracemalloc
    time.thread_time_ns = tracemalloc.get_traced_memory = tracemalloc.stop = lambda: (0, 0)
    return square(n)

def fail(n):
    return 1 / 0

class Kept:
    def square(self, n):
        return square(n)
"""


def test_a_measured_call_says_what_it_took(each_sandbox: Sandbox) -> None:
    """The most memory that was held at once, arrays too, and CPU time; nothing where not asked."""
    with each_sandbox.child() as child:
        child.load(MEASURED, ["square"])
        usages = {name: _usage(child.call(name, [500], {}, MEASURE)) for name in ("square", "line")}
        assert 2_000_000 <= usages["square"].peak_bytes < 2_100_000
        assert 4_000 <= usages["line"].peak_bytes < 20_000
        short, long = (_usage(child.call("spin", [n], {}, MEASURE)) for n in (10, 100_000))
        assert 0 < short.cpu_seconds < long.cpu_seconds
        unmeasured = child.call("square", [500], {})
        assert isinstance(unmeasured, Returned)
        assert unmeasured.usage is None


def test_every_kind_of_call_can_be_measured(sandbox: Sandbox) -> None:
    """Calls that look at their arguments, and methods, are measured like plain calls."""
    with sandbox.child() as child:
        child.load(MEASURED, ["square"])
        made = child.call("Kept", [], {})
        assert isinstance(made, Returned)
        answers = [
            child.call("square", [500], {}, Exchange(with_usage=True, watched=Shared())),
            child.ask("method", made.value, "square", [500], {}, exchange=MEASURE),
            child.ask(
                "method",
                made.value,
                "square",
                [500],
                {},
                exchange=Exchange(with_usage=True, with_warnings=True),
            ),
        ]
        assert all(2_000_000 <= _usage(answer).peak_bytes < 2_100_000 for answer in answers)


def test_a_measured_call_that_raises_has_no_usage_and_leaves_nothing_on(sandbox: Sandbox) -> None:
    """The exception crosses as ever, and the next call is measured afresh."""
    with sandbox.child() as child:
        child.load(MEASURED, ["fail"])
        assert isinstance(child.call("fail", [1], {}, MEASURE), Raised)
        tracing = child.ask("run", "import tracemalloc; assert not tracemalloc.is_tracing()", {})
        assert isinstance(tracing, Returned)


def test_replacing_what_measures_changes_no_measure(sandbox: Sandbox) -> None:
    """The worker holds the functions from before the submission was there."""
    with sandbox.child() as child:
        child.load(MEASURED, ["lie"])
        assert _usage(child.call("lie", [500], {}, MEASURE)).peak_bytes >= 2_000_000


def _usage(answer: Answer) -> Usage:
    assert isinstance(answer, Returned), answer
    assert answer.usage is not None
    return answer.usage


def test_a_sandbox_for_one_submission_runs_what_one_for_many_does(each_sandbox: Sandbox) -> None:
    """What was not imported ahead is imported when the submission asks for it."""
    source = (
        "import dataclasses, hashlib, json, random, typing\nimport numpy as np\n"
        "def f():\n"
        "    x = np.random.default_rng(0).standard_normal(8)\n"
        "    return float(np.fft.fft(x).real.sum()), hashlib.sha256(b'').hexdigest()"
    )
    with Sandbox(each_sandbox.backend, is_batch=False) as once:
        answer = ask(once, source)
    assert isinstance(answer, Returned)
    assert answer == ask(each_sandbox, source)


def test_what_is_drawn_without_a_seed_is_the_same_in_every_sandbox(each_sandbox: Sandbox) -> None:
    """A verdict depends neither on luck nor on the worker."""
    source = "import random, numpy as np\ndef f(): return random.random(), np.random.rand()"
    with Sandbox(each_sandbox.backend) as other:
        first = ask(each_sandbox, source)
        assert isinstance(first, Returned)
        assert first == ask(each_sandbox, source) == ask(other, source)


def test_standard_error_stands_behind_what_statements_print(each_sandbox: Sandbox) -> None:
    """The length that comes back is that of standard output alone; nothing written is lost."""
    source = (
        "import sys\nerrors = sys.stderr\n\n\ndef f():\n    print('before', file=errors)\n"
        "    print('one')\n    errors.write('warned\\n')\n    print('two')\n"
    )
    with each_sandbox.child(PATIENT) as child:
        child.load(source, ["f"])
        child.call("f", [], {})
        called = child.output_size
        assert child.output(0, called) == "before\none\nwarned\ntwo\n"
        answer = child.ask("run", "f()", {})
        assert isinstance(answer, Returned)
        assert answer.value == len("one\ntwo\n")
        assert child.output(called) == "one\ntwo\nbefore\nwarned\n"
        raised = child.ask("run", "f()\nraise ValueError", {})
        assert isinstance(raised, Raised)
        assert child.output().endswith("one\ntwo\nbefore\nwarned\n")


def test_standard_error_is_capped_while_it_is_kept_back(each_sandbox: Sandbox) -> None:
    """A flood of it during statements ends them, as a flood of output does."""
    limits = replace(PATIENT, output=8192)
    with each_sandbox.child(limits) as child:
        child.load("import sys\n", [])
        flood = child.ask("run", "while True:\n    sys.stderr.write('x' * 1000)", {})
        assert isinstance(flood, Raised)
        assert flood.type == "OutputLimitError"
        assert child.output_full


def test_the_table_of_operations_is_the_protocol() -> None:
    """Each says what it answers, and no other method of the module can be requested."""
    assert all(method.__doc__ for method in operations.OPERATIONS.values())
    assert {"put_files", "leave", "signature"} <= operations.OPERATIONS.keys()
    assert operations.OPERATIONS.keys().isdisjoint({"print_to", "recording", "__init__"})
