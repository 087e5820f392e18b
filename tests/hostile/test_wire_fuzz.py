"""Whatever a submission writes to its connection is a value, or malformed; nothing else happens."""

import collections
import contextlib
import datetime as dt
import json
import math
import unicodedata
from typing import Any

import hypothesis.extra.numpy as arrays
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from grader.sandbox.answers import ForgedError, Raised, Returned, Unsupported, read_answer
from grader.sandbox.in_child import value_types, wire
from grader.sandbox.in_child.wire import MalformedError
from grader.sandbox.process import Sandbox

OTHER_DTYPES = ["<M8[D]", "<M8[25s]", "<m8[ns]", "<U3", "|S2"]
FIELDS = [
    np.dtype([("a", "<f8"), ("b", "|b1", (2,))]),
    np.dtype([("n", "<U2"), ("in", [("x", "<i2")])]),
]
DTYPES = st.sampled_from([*sorted(wire.DTYPES), *OTHER_DTYPES]).map(np.dtype)
SHAPES = arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5)
IN_C_ORDER = DTYPES.flatmap(lambda dtype: arrays.arrays(dtype, SHAPES))
ARRAYS = IN_C_ORDER.flatmap(
    lambda array: st.sampled_from(
        [
            array,
            array.T,
            array[..., ::2] if array.ndim else array,
            array[::-1] if array.ndim else array,
            np.broadcast_to(array, (2, *array.shape)),
            np.zeros(array.shape, FIELDS[array.size % 2]),
        ]
    )
)
SCALARS = st.sampled_from(sorted(wire.DTYPES)).flatmap(
    lambda dtype: arrays.arrays(np.dtype(dtype), 1).map(lambda array: array[0])
)
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=-(10**400), max_value=10**400),
    st.floats(),
    st.complex_numbers(),
    st.text(),
    st.text(
        st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF, categories=["Cs"]), max_size=3
    ),
    st.binary(),
    st.fractions(),
    st.decimals(allow_nan=False),
    st.datetimes(timezones=st.sampled_from([None, dt.UTC])),
    st.dates(),
    st.times(),
    st.timedeltas(),
    st.builds(range, st.integers(-9, 9), st.integers(-9, 9), st.integers(1, 3)),
    st.sampled_from([int, list, np.float32, np.bool_]),
    st.frozensets(st.integers()),
)
VALUES = st.recursive(
    PLAIN | ARRAYS | SCALARS,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.lists(inner, max_size=5).map(tuple)
        | st.sets(PLAIN, max_size=5)
        | st.dictionaries(PLAIN | st.tuples(PLAIN), inner, max_size=5)
        | st.lists(inner, max_size=5).map(collections.deque)
        | st.dictionaries(PLAIN, inner, max_size=5).map(collections.OrderedDict)
        | st.dictionaries(PLAIN, inner, max_size=5).map(
            lambda items: collections.defaultdict(list, items)
        )
    ),
    max_leaves=20,
)

# Trees that are nearly right: real tags and statuses, in places where they may not be.
_WORDS = [
    *"ltsdcbanhfxkrv",
    *wire.DTYPES,
    *OTHER_DTYPES,
    *value_types.CODECS,
    "|O",
    "<U0",
    "int",
    "ok",
    "raised",
    "unsupported",
    "kind",
    "path",
    "type",
]
_WORDS += ["bases", "message", "frames", "line", "text", "MemoryError"]
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 20),
    st.integers(),
    st.floats(),
    st.sampled_from(_WORDS),
    st.text(),
)
TREES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.tuples(st.sampled_from("ltsdcbanhfxkrv"), st.lists(inner, max_size=5)).map(
            lambda pair: [pair[0], *pair[1]]
        )
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=30,
)


def _frame(value: object) -> tuple[bytes, bytes]:
    return wire.split_frame(wire.encode(value))


def _decoded(header: bytes, body: bytes) -> object:
    """Return the value of a frame, or None if it is malformed; nothing else may be raised."""
    try:
        return wire.decode(header, body)
    except MalformedError:
        return None


def _same(one: Any, other: Any) -> bool:  # noqa: PLR0911  any value
    """Equal, of the same types all the way down, with NaN equal to itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (np.ndarray, np.generic)):
        # The step along an axis of one entry, or none, leads nowhere.
        layouts = [
            ([step for step, n in zip(a.strides, a.shape, strict=True) if n > 1], a.flags.writeable)
            for a in (one, other)
        ]
        if one.size and one.dtype.names is None and layouts[0] != layouts[1]:
            return False
        return (one.dtype, one.shape) == (other.dtype, other.shape) and (
            one.tobytes() == other.tobytes()
        )
    if isinstance(one, (list, tuple, collections.deque)):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict):
        return _same(list(one), list(other)) and _same(list(one.values()), list(other.values()))
    if isinstance(one, (set, frozenset)):
        return _same_items(one, list(other))
    if isinstance(one, complex):
        return _same([one.real, one.imag], [other.real, other.imag])
    if isinstance(one, float):
        return (math.isnan(one) and math.isnan(other)) or repr(one) == repr(other)
    return bool(one == other)


def _same_items(one: Any, others: list[Any]) -> bool:
    """Compare in any order: that of a set, and so its repr, may differ."""
    for item in one:
        place = next((i for i, other in enumerate(others) if _same(item, other)), None)
        if place is None:
            return False
        del others[place]
    return not others


@given(VALUES)
def test_every_supported_value_comes_back_the_same(value: object) -> None:
    """Types, dtypes, shapes, signs of zero and NaN survive the way out and back."""
    header, body = _frame(value)
    assert _same(wire.decode(header, body), value)


@given(st.binary(max_size=300), st.binary(max_size=64))
def test_arbitrary_bytes_are_malformed_or_a_value(header: bytes, body: bytes) -> None:
    """No bytes raise anything but MalformedError."""
    _decoded(header, body)


@given(TREES, st.binary(max_size=64))
def test_arbitrary_trees_are_malformed_or_a_value(tree: object, body: bytes) -> None:
    """No JSON raises anything but MalformedError."""
    _decoded(json.dumps(tree).encode(), body)


@given(VALUES, st.data())
def test_a_damaged_frame_is_malformed_or_a_value(value: object, data: st.DataObject) -> None:
    """Bytes that are changed, cut out or put in raise nothing but MalformedError."""
    header, body = _frame(value)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(header)))
        cut = data.draw(st.integers(0, 3))
        header = header[:at] + data.draw(st.binary(max_size=3)) + header[at + cut :]
    _decoded(header, body[: data.draw(st.integers(0, len(body)))])


@given(TREES | VALUES, st.binary(max_size=64))
def test_every_answer_is_read_or_malformed(tree: object, body: bytes) -> None:
    """Whatever value a frame holds, reading it as an answer raises nothing but ForgedError."""
    with contextlib.suppress(ForgedError):
        _check_answer(read_answer(tree, 1))
    decoded = _decoded(json.dumps(tree).encode(), body) if _is_json(tree) else None
    with contextlib.suppress(ForgedError):
        _check_answer(read_answer(decoded, 1))


@given(st.sampled_from(["ok", "raised", "unsupported"]) | VALUES, VALUES)
@example(status=np.zeros(2), payload=None)
def test_a_forged_answer_is_read_or_malformed(status: object, payload: object) -> None:
    """The same with the right number, so that status and payload are looked at."""
    with contextlib.suppress(ForgedError):
        _check_answer(read_answer([1, status, payload], 1))


@given(VALUES | st.lists(st.integers() | st.floats() | st.booleans(), min_size=2, max_size=2))
@example(usage=[-1, 0])
@example(usage=[True, 0])
def test_a_forged_usage_is_numbers_or_malformed(usage: object) -> None:
    """What a measured call is said to have taken is two counts, or no answer at all."""
    with contextlib.suppress(ForgedError):
        answer = read_answer([1, "ok", None, usage], 1, with_usage=True)
        assert isinstance(answer, Returned)
        assert answer.usage is not None
        assert answer.usage.cpu_seconds >= 0
        assert type(answer.usage.peak_bytes) is int
        assert 0 <= answer.usage.peak_bytes < 1 << 62


@pytest.mark.parametrize(
    "tree",
    [
        ["a", "<f8", [2], 0, [1 << 40], False],
        ["a", "<f8", [2], 0, ["8"], False],
        ["a", "<f8", [2], 0, [8, 8], False],
        ["a", "<U0", [1 << 30], 0],
        ["a", [["a", "<f8", [0]]], [1 << 30], 0],
        ["a", [], [1 << 30], 0],
        ["a", "<U1", [1], 0],
        ["x", "decimal.Decimal", "sNaN"],
        ["x", "decimal.Decimal", "1e99999"],
        ["x", "builtins.range", ["t", 0, 1 << 40, 1]],
        ["x", "fractions.Fraction", ["t", "1e9999999"]],
        ["x", "fractions.Fraction", ["t", 1, 0]],
        ["x", "os.system", "true"],
        ["x", "builtins.eval", "1"],
        ["x", "builtins.type", "object"],
        ["x", "namedtuple", ["t", ["t", "__class__"], ["t", 1]]],
        ["x", "enum member", ["t", None, "name"]],
    ],
    ids=str,
)
def test_what_no_child_of_ours_sends_is_malformed(tree: list[object]) -> None:
    """Wide gaps, values without bytes, invalid characters, and unlisted types."""
    with pytest.raises(MalformedError):
        wire.decode(json.dumps(tree).encode(), b"\xff" * 16)


def test_gaps_of_arrays_are_bounded_together() -> None:
    """Many arrays with gaps do not take more memory together than one may."""
    wide = ["a", "|u1", [2], 0, [wire.MAX_BODY // 2], False]
    assert isinstance(wire.decode(json.dumps(wide).encode(), bytes(4)), np.ndarray)
    with pytest.raises(MalformedError):
        wire.decode(json.dumps(["l", wide, wide, wide]).encode(), bytes(6))


def test_a_usage_comes_when_it_was_asked_for_and_only_then() -> None:
    """A submission can neither leave it out nor send it along."""
    with pytest.raises(ForgedError):
        read_answer([1, "ok", None], 1, with_usage=True)
    with pytest.raises(ForgedError):
        read_answer([1, "ok", None, [1, 1]], 1)


@given(
    st.dictionaries(
        st.sampled_from(["type", "bases", "message", "frames", "line", "text", "kind", "path"]),
        VALUES | st.lists(st.tuples(st.integers(), st.text()) | st.text()),
    ),
    st.sampled_from(["raised", "unsupported"]),
)
def test_forged_facts_are_clean(facts: dict[str, object], status: str) -> None:
    """No fact about an exception or a value brings control characters or another type with it."""
    _check_answer(read_answer([1, status, facts], 1))


def _check_answer(answer: Raised | Returned | Unsupported) -> None:
    if isinstance(answer, Returned):
        return
    if isinstance(answer, Unsupported):
        texts = [answer.kind, answer.path]
    else:
        texts = [answer.type, answer.message, answer.text, *(name for _, name in answer.frames)]
        assert answer.line is None or type(answer.line) is int
        assert all(type(line) is int for line, _ in answer.frames)
    for text in texts:
        assert type(text) is str
        assert not {unicodedata.category(c) for c in text} & {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _is_json(tree: object) -> bool:
    try:
        json.dumps(tree)
    except (TypeError, ValueError):
        return False
    return True


@given(st.lists(st.sampled_from([0, 8, 16, 24]), min_size=1, max_size=20), st.booleans())
def test_a_value_takes_no_more_room_than_its_body(offsets: list[int], as_bytes: bool) -> None:
    """The same bytes cannot be named over and over, so that an answer grows where it is read."""
    parts = [["b", at, 40] if as_bytes else ["a", "<f8", [5], at] for at in offsets]
    value = _decoded(json.dumps(["l", *parts]).encode(), bytes(64))
    assert not isinstance(value, list) or 40 * len(value) <= 64


def test_a_value_that_is_named_again_counts_again() -> None:
    """A few bytes cannot stand for a value that takes forever to walk through."""
    tree: list[Any] = ["l", 1]
    for number in range(28):
        tree = ["l", tree, ["r", number]]
    assert _decoded(json.dumps(tree).encode(), b"") is None
    shared = _decoded(json.dumps(["l", ["l", 1], ["r", 0]]).encode(), b"")
    assert isinstance(shared, list)
    assert shared[0] is shared[1]


@given(
    st.integers(-40, 40) | st.integers(),
    st.lists(st.integers(-40, 40) | st.integers(), max_size=2),
    st.lists(st.integers(0, 3), max_size=2),
)
@example(8, [8], [2])
@example(-8, [8], [2])
@example(0, [1 << 40], [2])
@example(1 << 62, [-8], [2])
def test_a_view_stays_in_its_memory(offset: int, strides: list[int], shape: list[int]) -> None:
    """A place outside the earlier array is not a view of it, whatever the strides."""
    array, view = ["a", "<f8", [3], 0], ["a", "<f8", shape, 32]
    tree = ["l", array, ["v", 0, offset, strides, [8], view]]
    decoded = _decoded(json.dumps(tree).encode(), bytes(32 + 8 * 9))
    if isinstance(decoded, list):
        base, made = decoded
        assert list(made.shape) == shape
        low, high = np.lib.array_utils.byte_bounds(made)
        if np.may_share_memory(base, made):
            assert base.ctypes.data <= low <= high <= base.ctypes.data + 24


@pytest.mark.parametrize("made", ["np.float64(1.5)", "np.ones(3)"])
def test_a_result_of_many_numpy_values_crosses(sandbox: Sandbox, made: str) -> None:
    """A list of more NumPy values than one system call sends is a plain result."""
    source = f"import numpy as np\ndef f(): return [{made}] * 1500"
    with sandbox.child() as child:
        child.load(source, ["f"])
        answer = child.call("f", [], {})
    assert isinstance(answer, Returned)
    assert len(answer.value) == 1500


@pytest.mark.parametrize("made", [np.float64(1.5), np.ones(3)], ids=["scalars", "arrays"])
def test_an_argument_of_many_numpy_values_crosses(sandbox: Sandbox, made: object) -> None:
    """Such an argument crosses, since the submission is not to blame for its size."""
    with sandbox.child() as child:
        child.load("def f(values): return len(values)", ["f"])
        assert child.call("f", [[made] * 1500], {}) == Returned(1500)
