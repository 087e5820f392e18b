"""The report on a submission whose CPU time is over: its line and its running loop.

The soft limit on CPU time sends a signal, and the hard limit ends the process a second later. In
between, the submission continues and is traced line by line, which shows the loop that keeps
running and the values that change in it. C code does not handle signals while it computes. Then the
hard limit ends the process, and only the traceback that `request_loop` has written tells the line.
"""

import ast
import linecache
import signal
import sys
import types
from collections.abc import Callable, Iterator
from time import process_time
from typing import Any, Final, NoReturn, TypeAlias

SIGXCPU: Final = int(signal.SIGXCPU)

_SECONDS: Final = 0.4  # CPU time of the tracing, which must end before the hard limit
_EVENTS: Final = 20_000  # trace events after which the tracing ends
_HEADS: Final = 3  # visits of a loop's first line that prove two rounds
_ROUNDS: Final = 10  # visits of a line in the loop; more than a statement of several lines causes
_MAX_VALUE_LENGTH: Final = 40  # characters of a value in the report
_MAX_BITS: Final = 100  # size of an integer whose digits are computed: a huge one takes long
_PLAIN: Final = (bool, int, float, str, type(None))

Loop: TypeAlias = ast.For | ast.While
Report: TypeAlias = dict[str, object]


class CpuLimitHandler:
    """The handler of SIGXCPU.

    Args:
        seconds: The soft limit. A signal before half of it does not come from the kernel.
        tell: Sends the report and ends the process.
    """

    def __init__(self, file_name: str, seconds: float, tell: Callable[[Report], NoReturn]) -> None:
        self._file_name = file_name
        self._seconds = seconds
        self._tell = tell
        self._frames: list[types.FrameType] = []  # the submission's frames, outermost first
        self._loops: list[Loop] = []  # outer loops before inner ones
        self._line = 0
        self._events = 0
        self._until = 0.0
        self._visits: dict[tuple[types.FrameType, int], int] = {}
        self._values: dict[tuple[types.FrameType, str], tuple[str, bool]] = {}

    def __call__(self, _signal: int, frame: types.FrameType | None) -> None:
        """Start to trace the submission if it is running."""
        if self._frames or process_time() < self._seconds / 2:
            return
        while frame is not None:
            if frame.f_code.co_filename == self._file_name:
                self._frames.insert(0, frame)
            frame = frame.f_back
        if not self._frames:
            return
        self._line = self._frames[-1].f_lineno
        tree = ast.parse("".join(linecache.getlines(self._file_name)))
        self._loops = [node for node in ast.walk(tree) if isinstance(node, Loop)]
        self._until = process_time() + _SECONDS
        for each in self._frames:
            each.f_trace = self._trace
        sys.settrace(lambda *_: None)  # enables tracing, but ignores new calls

    def _trace(self, frame: types.FrameType, event: str, _: object) -> Any:
        if event == "line":
            self._events += 1
            line = frame.f_lineno
            self._visits[frame, line] = self._visits.get((frame, line), 0) + 1
            # The names in a loop's first line decide when it ends, so their values are recorded.
            heads = [loop for loop in self._loops if loop.lineno == line]
            for name in [name for loop in heads for name in _names(loop)]:
                value = frame.f_locals.get(name, frame.f_globals.get(name, ...))
                is_long = type(value) is int and value.bit_length() > _MAX_BITS
                if type(value) in _PLAIN and not is_long:
                    text = repr(value)[:_MAX_VALUE_LENGTH]
                    before, has_changed = self._values.get((frame, name), (text, False))
                    self._values[frame, name] = text, has_changed or before != text
            is_over = self._events >= _EVENTS or process_time() >= self._until
        else:
            is_over = event == "return" and frame is self._frames[0]
        if is_over:
            sys.settrace(None)
            self._tell(self._report())
        return self._trace

    def _report(self) -> Report:
        for frame in self._frames:
            for loop in self._loops:
                rounds = (self._visits.get((frame, line), 0) for line in _lines_in(loop))
                visits = self._visits.get((frame, loop.lineno), 0)
                if max(rounds, default=0) >= _ROUNDS or (
                    visits >= _HEADS and not _is_forever(loop)
                ):
                    # The endless loop may be a `while True` around this one.
                    if any(_is_forever(each) and loop in each.body for each in self._loops):
                        return {"line": loop.lineno, "is_loop": False, "values": []}
                    values = [
                        [name, *self._values[frame, name]]
                        for name in _names(loop)
                        if (frame, name) in self._values
                    ]
                    return {"line": loop.lineno, "is_loop": True, "values": values}
        return {"line": self._line, "is_loop": False, "values": []}


def _is_forever(loop: Loop) -> bool:
    return isinstance(loop, ast.While) and isinstance(loop.test, ast.Constant)


def _names(loop: Loop) -> list[str]:
    """Return the names in a `while` condition, or the targets of a `for` loop."""
    node = loop.test if isinstance(loop, ast.While) else loop.target
    return list(dict.fromkeys(each.id for each in ast.walk(node) if isinstance(each, ast.Name)))


def _lines_in(loop: Loop) -> Iterator[int]:
    """Yield the lines of a loop's statements, excluding inner loops and functions."""
    waiting: list[ast.AST] = [*loop.body]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.For, ast.While, ast.FunctionDef, ast.Lambda)):
            continue
        if isinstance(node, ast.stmt):
            yield node.lineno
        waiting += ast.iter_child_nodes(node)
