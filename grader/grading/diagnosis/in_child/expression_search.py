"""The search for the first wrong expression, for `first_expression`.

`trace` runs a right program. `locate` runs the submission, in another child.

Both programs are marked, see `marking`. An expression agrees if the right program computes the same
values in all draws. The first wrong expression is the first one for which the whole result becomes
right, in all draws, when its values are replaced by values of the right program. Expressions that
differ from the right program without affecting the result are ignored.

The trace of a draw is `[[[number, *values], ...], result]`, with the number and the values of each
marked expression.
"""

import contextlib
import copy
import io
import time
import types
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

_MARK = "_etude_value_"
_MAX_OCCURRENCES = 50  # values that are noted for one expression
_MAX_NUMBERS = 5_000  # numbers in one value
_MAX_NESTING, _MAX_ITEMS = 3, 64  # depth of lists and tuples, and items in each
_SIZES = 3  # minimum number of different input sizes among the draws
_SECONDS = 0.18  # CPU time for all draws and replacements


def trace(program: str, calls: list[list[Any]]) -> list[Any]:
    """Return the trace of a marked program for each draw.

    The trace is None if the call raises an error or computes a value that is too large.
    """
    with _suppress_output():
        runner = _MarkedProgram(program)
        return [_trace_call(runner, code, inputs) for code, inputs in calls]


def _trace_call(runner: "_MarkedProgram", code: str, inputs: dict[str, Any]) -> list[Any] | None:
    try:
        result = runner.run(code, inputs, noted={})
    except Exception:  # noqa: BLE001  such a draw is skipped
        return None
    return [[[number, *values] for number, values in runner.noted.items()], result]


class _MarkedProgram:
    """A marked program, which can be run with other values for one expression."""

    def __init__(self, program: str) -> None:
        self.noted: dict[int, list[Any]] = {}
        self.has_changed_inputs = False  # whether the last run that noted values changed its inputs
        self._is_noting = False
        self._number, self._values, self._used = -1, list[Any](), 0
        self._names: dict[str, Any] = {"__name__": "submission", _MARK: self._mark}
        exec(compile(program, "submission.py", "exec"), self._names)  # noqa: S102  in a sandbox
        self._calls = dict[str, types.CodeType]()

    def run(
        self,
        code: str,
        inputs: dict[str, Any],
        noted: dict[int, list[Any]] | None = None,
        number: int = -1,
        values: list[Any] | None = None,
    ) -> Any:
        """Return the value of a call.

        Args:
            noted: Filled with the values of all expressions.
            number: The expression whose values are replaced, or -1 for none.
            values: The replacements in order of evaluation; the last one is repeated.
        """
        self._is_noting = noted is not None
        self.noted = {} if noted is None else noted
        self._number, self._values, self._used = number, values or [], 0
        copied = copy.deepcopy(inputs)
        names = {**self._names, **copied, "np": np}
        if code not in self._calls:
            self._calls[code] = compile(code, "<call>", "eval")
        try:
            return eval(self._calls[code], names)  # noqa: S307  the author's call
        finally:
            if self._is_noting:
                self.has_changed_inputs = not _are_identical(
                    list(copied.values()), [*inputs.values()]
                )
            self._is_noting, self._number = False, -1

    def _mark(self, number: int, value: Any) -> Any:
        if not self._is_noting and number != self._number:
            return value
        if number == self._number:
            self._used += 1
            return copy.deepcopy(self._values[min(self._used, len(self._values)) - 1])
        if self._is_noting and isinstance(value, np.ndarray) and value.size > _MAX_NUMBERS:
            raise MemoryError
        if self._is_noting and _is_plain(value):
            values = self.noted.setdefault(number, [])
            if len(values) < _MAX_OCCURRENCES:
                values.append(copy.deepcopy(value))
        return value


@contextlib.contextmanager
def _suppress_output() -> Iterator[None]:
    with (
        contextlib.redirect_stdout(io.StringIO()),
        warnings.catch_warnings(),
        np.errstate(all="ignore"),
    ):
        warnings.simplefilter("ignore")
        yield


def _is_plain(value: Any, depth: int = 0) -> bool:
    if type(value) is np.ndarray:
        return value.dtype.kind in "biufc"
    if isinstance(value, np.generic | int | float):
        return np.asarray(value).dtype.kind in "biufc"
    if type(value) in (list, tuple):
        return (
            depth < _MAX_NESTING
            and 0 < len(value) <= _MAX_ITEMS
            and all(_is_plain(item, depth + 1) for item in value)
        )
    return False


def locate(
    program: str, nodes: list[dict[str, Any]], draws: list[list[Any]], traces: list[Any]
) -> list[Any] | None:
    """Return the kind and the number of the first wrong expression, or None.

    Args:
        nodes: The marked expressions, as `marking.mark` returns them.
        draws: The draws of each call, with the code and the inputs of each draw.
        traces: The traces of a right program for these draws.
    """
    until = time.thread_time() + _SECONDS
    with _suppress_output():
        runner = _MarkedProgram(program)
        searches = (
            _Search(runner, nodes, until).first_wrong(calls, traced)
            for calls, traced in zip(draws, traces, strict=True)
        )
        return next(filter(None, searches), None)


class _WrongDraw:
    """A draw with a wrong result of the submission, and the values of both programs."""

    def __init__(self, call: list[Any], traced: list[Any], submitted: dict[int, list[Any]]) -> None:
        self.code, self.inputs = call
        values, self.result = traced
        self.right = {number: items for number, *items in values}
        for number, part in enumerate(_list_parts(list(self.inputs.values()))):
            self.right[-1 - number] = [part]
        self.submitted = submitted
        self.keys = {number: [_key(x) for x in items] for number, items in submitted.items()}
        self.right_keys = {number: [_key(x) for x in items] for number, items in self.right.items()}

    def matches(self, number: int, right_number: int, strictly: bool = False) -> bool:
        """Return whether an expression has the same values as one of the right program."""
        values, right = self.submitted[number], self.right[right_number]
        keys, right_keys = self.keys[number], self.right_keys[right_number]

        def matches_at(i: int, j: int) -> bool:
            return _are_alike(values[i], right[j], keys[i], right_keys[j]) and (
                not strictly or _are_equal(values[i], right[j])
            )

        if len(values) == len(right):
            return all(matches_at(i, i) for i in range(len(values)))
        return all(any(matches_at(i, j) for j in range(len(right))) for i in range(len(values)))


class _Search:
    """The search for the first wrong expression in the draws of one call."""

    def __init__(self, runner: _MarkedProgram, nodes: list[dict[str, Any]], until: float) -> None:
        self._runner = runner
        self._nodes = nodes
        self._until = until
        self._inner = {part for node in nodes for part in node["inner"]}
        self._draws: list[_WrongDraw] = []
        self._agreement: dict[tuple[int, bool], bool] = {}
        # Expressions of the right program, one for each distinct value.
        self._right_numbers: list[int] = []

    def first_wrong(self, calls: list[list[Any]], traces: list[Any]) -> list[Any] | None:
        """Return the kind and the number of the first wrong expression, or None if uncertain."""
        if not self._has_draws(calls, traces):
            return None
        self._right_numbers = self._distinct_expressions()
        missing = None
        for number in self._draws[0].submitted:
            if time.thread_time() > self._until:
                return None
            if not self._is_candidate(number) or (right := self._find_repair(number)) is None:
                continue
            answer = self._classify(number, right)
            if missing is None and (answer is None or answer[0] != "missing"):
                return answer
            if missing is None:
                missing = answer  # kept unless a wrong expression follows in another function
            elif answer and answer[0] == "wrong" and self._scope(number) != self._scope(missing[1]):
                return answer
        return missing

    def _has_draws(self, calls: list[list[Any]], traces: list[Any]) -> bool:
        """Run the draws, keep those with a wrong result, and return whether these suffice."""
        sizes = set()
        for call, traced in zip(calls, traces, strict=True):
            trace = traced and _trace_call(self._runner, *call)
            if not trace or _are_equal(trace[1], traced[1]):
                continue
            second_trace = _trace_call(self._runner, *call)
            keeps_state = not second_trace or not _are_equal(trace[1], second_trace[1])
            if keeps_state or self._runner.has_changed_inputs or time.thread_time() > self._until:
                return False
            self._draws.append(_WrongDraw(call, traced, {n: v for n, *v in trace[0]}))
            arguments = _list_parts(list(call[1].values()))
            sizes.add(tuple(x if type(x) is int else getattr(x, "shape", ()) for x in arguments))
        return len(sizes) >= _SIZES

    def _scope(self, number: int) -> int:
        """Return the line of the function that contains an expression."""
        scope: int = self._nodes[number]["scope"]
        return scope

    def _distinct_expressions(self) -> list[int]:
        groups = dict[object, list[int]]()
        first = self._draws[0]
        for number, values in first.right.items():
            if any(isinstance(value, bool | np.bool_) for value in values):
                continue  # booleans fit too often by chance
            alike = groups.setdefault(tuple((type(x), getattr(x, "shape", ())) for x in values), [])
            if not any(_are_identical(values, first.right[known]) for known in alike):
                alike.append(number)
        return [number for alike in groups.values() for number in alike]

    def _agrees(self, number: int, *, strictly: bool = False) -> bool:
        """Return whether an expression agrees with the right program.

        An expression without plain values agrees too.

        Args:
            strictly: Whether shapes must be equal.
        """
        if (number, strictly) not in self._agreement:
            noted = [draw for draw in self._draws if number in draw.submitted]
            in_all = set.intersection(*(set(draw.right) for draw in self._draws))
            self._agreement[number, strictly] = not noted or (
                len(noted) == len(self._draws)
                and any(
                    all(d.matches(number, right, strictly) for d in self._draws) for right in in_all
                )
            )
        return self._agreement[number, strictly]

    def _is_candidate(self, number: int) -> bool:
        node = self._nodes[number]
        if node["role"] == "new" or not all(number in draw.submitted for draw in self._draws):
            return False
        if node["role"] == "name" and self._agrees(number) and number in self._inner:
            return False  # the expression around it is more informative
        # If a parameter already has a wrong value, the mistake is in the caller.
        return not node["is_called"] or not any(
            name["is_parameter"] and name["scope"] == node["scope"] and not self._agrees(i)
            for i, name in enumerate(self._nodes)
        )

    def _find_repair(self, number: int) -> int | None:
        """Return the expression of the right program whose values here fix the result, or None."""
        first = self._draws[0]
        for right_number in self._right_numbers:
            values = first.right[right_number]
            if len(values) != len(first.submitted[number]):
                continue
            if _are_identical(values, first.submitted[number]):
                continue
            if time.thread_time() > self._until:
                return None
            if all(self._is_right(draw, number, right_number) for draw in self._draws) and not (
                # This value is right and the replacement has another form: the mistake comes later.
                self._agrees(number, strictly=True)
                and all(draw.matches(number, right_number) for draw in self._draws)
            ):
                return right_number
        return None

    def _has_right_inside(self, number: int) -> bool:
        return all(map(self._is_right_operand, self._nodes[number]["inner"]))

    def _is_right_operand(self, number: int) -> bool:
        """Return whether an operand agrees with the right program.

        For a name, an attribute, a list or a tuple its parts must agree too, since `.real` of a
        wrong array may look right.
        """
        node = self._nodes[number]
        if not self._agrees(number):
            return False
        return node["role"] not in ("parts", "name") or self._has_right_inside(number)

    def _is_right(self, draw: _WrongDraw, number: int, right_number: int) -> bool:
        values = draw.right.get(right_number, [])
        if len(values) != len(draw.submitted[number]):
            return False
        try:
            result = self._runner.run(draw.code, draw.inputs, number=number, values=values)
        except Exception:  # noqa: BLE001  the replacement does not fit
            return False
        return _are_equal(result, draw.result)

    def _classify(self, number: int, right_number: int) -> list[Any] | None:
        """Return the kind and the number of an expression, or None if it is uncertain."""
        node = self._nodes[number]
        if all(draw.matches(number, right_number) for draw in self._draws):
            return ["shape", number] if self._has_right_inside(number) else None
        value = self._draws[0].submitted[number][0]
        if self._agrees(number):
            is_mask = np.asarray(value).dtype.kind == "b"  # a later operation may hide its mistake
            is_certain = (
                self._agrees(number, strictly=True)
                and self._is_right_operand(number)
                and not (is_mask or (node["role"] == "own" and self._is_an_input(number)))
            )
            return ["missing", number] if is_certain else None
        if not self._has_right_inside(number):
            return None
        if node["role"] not in ("value", "parts") or any(map(self._is_an_input, node["inner"])):
            return None
        return ["wrong", number]

    def _is_an_input(self, number: int) -> bool:
        """Return whether a variable or a call has the value of an input, as if a step were missing.

        Such an expression may do too little, so it is not certain to be right.
        """
        node = self._nodes[number]
        return (
            node["role"] in ("name", "own")
            and not node["is_parameter"]
            and any(
                right_number < 0 and all(draw.matches(number, right_number) for draw in self._draws)
                for right_number in self._draws[0].right
            )
        )


def _list_parts(value: Any) -> Iterator[Any]:
    """Yield the plain values among a value and its items, at all levels."""
    if _is_plain(value):
        yield value
    if isinstance(value, list | tuple):
        for item in value:
            yield from _list_parts(item)
    if isinstance(value, dict):
        yield from _list_parts(list(value.values()))


def _key(value: Any) -> tuple[float, ...]:
    """Return a key that is nearly equal for values that are alike: size and sums."""
    try:
        array = np.asarray(value, float)
    except (TypeError, ValueError):
        return ()
    return (array.size, float(array.sum()), float(np.abs(array).sum()))


def _are_alike(
    value: Any, right: Any, key: tuple[float, ...], right_key: tuple[float, ...]
) -> bool:
    """Return whether two values are equal up to axes of length 1 and a swap of the last two."""
    if len(key) != len(right_key):
        return False
    # A difference of NaN, as between infinities, does not count.
    if any(abs(x - y) > 1e-6 * abs(y) + 1e-9 for x, y in zip(key, right_key, strict=True)):
        return False
    if not key:
        return (
            isinstance(value, list | tuple)
            and isinstance(right, list | tuple)
            and len(value) == len(right)
            and all(_are_alike(x, y, _key(x), _key(y)) for x, y in zip(value, right, strict=True))
        )
    a, b = np.asarray(value), np.asarray(right)
    if (a.dtype.kind == "b") != (b.dtype.kind == "b"):
        return False
    a, b = a.reshape([n for n in a.shape if n != 1]), b.reshape([n for n in b.shape if n != 1])
    if a.shape == b.shape and _are_close(a, b):
        return True
    return (
        a.ndim > 1
        and np.swapaxes(a, -1, -2).shape == b.shape
        and _are_close(np.swapaxes(a, -1, -2), b)
    )


def _are_equal(value: Any, right: Any) -> bool:
    """Return whether two results are equal.

    In a child the grader's own comparison cannot be imported. Here one tolerance for all dtypes is
    enough, and the kind of a difference does not matter.
    """
    if right is None or isinstance(right, str):
        return type(value) is type(right) and bool(value == right)
    if isinstance(right, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(right)
            and all(map(_are_equal, value, right))
        )
    if isinstance(right, dict):
        return (
            isinstance(value, dict)
            and value.keys() == right.keys()
            and all(_are_equal(value[key], right[key]) for key in right)
        )
    if isinstance(value, list | tuple) or not _is_plain(value) or not _is_plain(right):
        return False
    a, b = np.asarray(value), np.asarray(right)
    return (
        a.shape == b.shape and (a.dtype.kind == "b") == (b.dtype.kind == "b") and _are_close(a, b)
    )


def _are_identical(value: list[Any], right: list[Any]) -> bool:
    """Return whether values are equal and of the same types."""
    return len(value) == len(right) and all(
        type(x) is type(y) and _are_equal(x, y) for x, y in zip(value, right, strict=True)
    )


def _are_close(value: Any, right: Any) -> bool:
    if right.dtype.kind not in "fc" or right.size == 0:
        return bool((value == right).all())
    precision = max(np.finfo(x.dtype).eps for x in (value, right) if x.dtype.kind in "fc")
    finite = np.isfinite(right)
    largest = np.abs(right, where=finite, out=np.zeros(right.shape)).max()
    near = np.abs(value - right) <= precision**0.5 * np.abs(right) + 30 * precision * largest
    both_nan = (value != value) & (right != right)  # noqa: PLR0124  NaN != NaN
    return bool(((value == right) | both_nan | (near & finite)).all())
