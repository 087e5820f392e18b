"""The wire format between the trusted side and a child: plain data, never pickled.

Tests are evaluated on the trusted side, so that a submission sees neither expected values nor the
comparison. But authors write them as if the submission ran in their process: a body may ask whether
`f(a) is a`, whether an argument was changed, or what memory and strides a view has, since courses
teach these. So the format keeps identity, memory layout and views. MessagePack would lose them, and
unpickling would run whatever a submission sends.

A frame is two little-endian 32-bit lengths, a JSON header and a body of raw little-endian buffers.
The header is a tree in which `null`, booleans, numbers and strings stand for themselves and a list
begins with a tag:

    ["l", item, ...]  list      ["t", item, ...]  tuple     ["s", item, ...]  set
    ["d", key, value, ...]  dict                  ["c", real, imaginary]  complex
    ["b", offset, length]  bytes                  ["n", dtype, offset]  NumPy scalar
    ["a", dtype, [length, ...], offset]  array with its values in C order; with another memory
                                         layout ["a", dtype, ..., offset, [stride, ...], read-only]
    ["x", type, parts]  any other type of `value_types`, taken apart
    ["f", number, name, source]  function, sent into the sandbox as source only
    ["k", number, iterates]  function or iterator that stays on the trusted side
    ["h", number, kind, callable, built-in]  object of the submission that stays in the sandbox
    ["r", number]  reference to an earlier container or array
    ["v", number, offset, [stride, ...], [stride, ...], array]  view of an earlier array, `offset`
                   bytes after its first item; with its own strides and those of the earlier array

Containers and arrays are numbered in the order in which they are completed, within one message or
across several (see `sharing`), so that the identity of objects is preserved.

A dtype is NumPy's short name, or a list of fields, each `[name, dtype, [length, ...]]`. An instance
of a subclass of a number, a text, a tuple or an array crosses as its base type. Both sides use this
module. `decode` checks every count before it uses it, since a submission may have forged the bytes.
"""

import json
import math
import re
import struct
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from . import layout, value_types

if TYPE_CHECKING:
    import numpy.typing as npt

PREFIX_BYTES: Final = 8  # size in bytes of the two lengths before the header
MAX_HEADER: Final = 1 << 20  # size in bytes
MAX_BODY: Final = 64 << 20  # size in bytes
MAX_NODES: Final = 100_000  # values in one message, including nested ones
MAX_DEPTH: Final = 32  # levels of nesting
MAX_AXES: Final = 32  # axes of an array
MAX_COLLISIONS: Final = 16  # keys of one dict or set with equal hashes, which would make it slow
MAX_KIND: Final = 100  # characters of the name of a kind
MAX_FIELDS: Final = 64  # fields of a structured dtype

_ALIGNMENT = 16  # bytes; each buffer begins at a multiple, as NumPy needs for its widest dtype
_INTEGERS = ("|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8")
_INEXACT = ("<f2", "<f4", "<f8", "<c8", "<c16")
DTYPES: Final = {name: np.dtype(name) for name in ("|b1", *_INTEGERS, *_INEXACT)}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}
_SCALAR_TYPES = {dtype.type for dtype in DTYPES.values()}
_OTHER_DTYPE: Final = re.compile(
    r"<[mM]8(\[[0-9]{0,4}(Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as)\])?|<U[1-9][0-9]{0,4}|\|S[1-9][0-9]{0,4}"
)
_MAX_CHARACTER: Final = 0x10FFFF  # the last code point of Unicode
_JSON_TYPES = {type(None), bool, str, int, float}

# Created once, since `json.dumps` and `json.loads` would create them for every call.
_write_json = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_read_json = json.JSONDecoder().decode
_LENGTHS: Final = struct.Struct("<II")
pack_prefix = _LENGTHS.pack
"""Return the prefix of a frame with a header and a body of these lengths."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function to be sent into the sandbox: its source, and the name that the source defines."""

    number: int  # the number by which it is recognized when it comes back
    name: str
    source: str


@dataclass(frozen=True, slots=True)
class Callback:
    """A reference to a function or an iterator that stays on the trusted side."""

    number: int
    iterates: bool = False


@dataclass(frozen=True, slots=True)
class Handle:
    """A reference to an object that stays in the sandbox."""

    number: int
    kind: str  # the name of its class
    is_callable: bool = False
    is_builtin: bool = False  # whether its class is not the submission's, as of functions


class ObjectTable(Protocol):
    """The objects of one side that are not plain data."""

    def keep(self, value: object) -> Handle | Function | Callback | None:
        """Keep an object that cannot cross; return its wire form, or None to refuse it."""


class SandboxObjects(ObjectTable, Protocol):
    """The objects in a sandbox that are not plain data."""

    def find(self, number: int) -> object:
        """Return the object that was kept under a number, or raise `LookupError`."""

    def make(self, function: Function) -> object:
        """Create a function from its source."""

    def call_back(self, callback: Callback) -> object:
        """Create a proxy for a function or an iterator of the trusted side."""


class Shared:
    """The numbered containers and arrays of a message and of earlier messages."""

    def __init__(self) -> None:
        self.objects: dict[int, object] = {}
        self.parts: dict[int, int] = {}  # number of values inside each object
        self.count = 0  # number of objects so far, including removed ones
        # Object numbers by `id`; `objects` keeps the objects alive.
        self.numbers: dict[int, int] = {}
        # Numbers of arrays by the `id` of the owner of their memory.
        self._owners: dict[int, int] = {}

    def add(self, value: object, parts: int) -> None:
        """Add a completed container or array."""
        self.objects[self.count] = value
        self.parts[self.count] = parts
        self.count += 1

    def remove(self, number: int) -> None:
        """Remove an object; its number is never reused."""
        del self.objects[number], self.parts[number]

    def begin(self) -> None:
        """Prepare for encoding, so that known objects are recognized by identity."""
        self.numbers.clear()
        self._owners.clear()
        for number, value in self.objects.items():
            self.number(value, number)

    def number(self, value: object, number: int) -> None:
        """Register the identity of an object under a number, for encoding."""
        self.numbers[id(value)] = number
        if type(value) is np.ndarray:
            self._owners.setdefault(id(memory_owner(value)), number)

    def find_base(self, array: "npt.NDArray[Any]") -> list[object] | None:
        """Return the place of an array in the memory of an earlier one, as for `v`, or None."""
        number = self._owners.get(id(memory_owner(array)))
        if number is None:
            return None
        base: Any = self.objects[number]
        offset = _address(array) - _address(base)
        return [number, offset, list(array.strides), list(base.strides)]


def memory_owner(array: "npt.NDArray[Any]") -> "npt.NDArray[Any]":
    """Return the array that owns the memory of an array."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _address(array: "npt.NDArray[Any]") -> int:
    address: int = array.__array_interface__["data"][0]
    return address


class UnsupportedValueError(TypeError):
    """A value cannot cross. `kind` describes it, and `path` is its place in the whole value."""

    def __init__(self, kind: str, *, of_the_whole: bool = False) -> None:
        self.kind = kind
        self.path = ""
        self._of_the_whole = of_the_whole
        super().__init__(kind)

    def within(self, place: str) -> None:
        """Prepend the place of an enclosing part to the path."""
        if not self._of_the_whole:
            self.path = place + self.path

    def __str__(self) -> str:
        return f"{self.kind}{' at ' + self.path if self.path else ''} cannot cross the wire"


class MalformedError(ValueError):
    """A frame violates the format or exceeds a limit."""


class _Encoder:
    """The tree of one value, being built, and its buffers."""

    def __init__(self, objects: ObjectTable | None, shared: Shared) -> None:
        self.objects = objects
        self.shared = shared
        self.buffers: list[bytes | memoryview] = []
        self.size = 0
        self.nodes = self.gap_bytes = 0

    def node(self, value: object, depth: int) -> object:
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            raise self._too_large()
        kind = type(value)
        if kind in _JSON_TYPES:
            return value
        number = self.shared.numbers.get(id(value))
        if number is not None:
            self.nodes += self.shared.parts[number]
            if self.nodes > MAX_NODES:
                raise self._too_large()
            return ["r", number]
        nodes_before = self.nodes
        encode = _ENCODERS.get(kind, _Encoder.encode_other)
        tree = encode(self, value, depth + 1)
        if type(tree) is list and tree[0] in _SHARED:
            # mypy does not infer from `kind` that the value is an array.
            if kind is np.ndarray and (owner := self.shared.find_base(value)):  # type: ignore[arg-type]
                tree = ["v", *owner, tree]
            self.shared.number(value, self.shared.count)
            self.shared.add(value, self.nodes - nodes_before)
        return tree

    def encode_other(self, value: Any, depth: int) -> object:
        kind = type(value)
        if kind in _SCALAR_TYPES or kind in (np.datetime64, np.timedelta64, np.void):
            name = _NAMES.get(value.dtype) or self._dtype(value.dtype)
            return ["n", name, self._buffer(np.asarray(value, _dtype(name)))]
        if (taken := value_types.take_apart(value)) is not None:
            name, parts = taken
            try:
                return ["x", name, self.node(parts, depth)]
            except UnsupportedValueError as error:
                error.path = ""  # a place within the parts would not mean anything to the reader
                raise
        plain = value_types.as_base(value)
        if plain is not value:
            if type(plain) in _JSON_TYPES:
                return plain
            return _ENCODERS.get(type(plain), _Encoder.encode_other)(self, plain, depth)
        handle = self.objects.keep(value) if self.objects is not None else None
        if handle is None:
            raise UnsupportedValueError(full_type_name(kind))
        return _ENCODERS[type(handle)](self, handle, depth)

    def _too_large(self) -> UnsupportedValueError:
        size = f"of more than {MAX_NODES:,} parts"
        if self.nodes <= MAX_NODES:
            size = f"nested more than {MAX_DEPTH} deep"
        return UnsupportedValueError(f"a value {size}", of_the_whole=True)

    def items(self, value: Any, depth: int) -> list[object]:
        tree: list[object] = [_TAGS[type(value)]]
        try:
            for item in value:
                tree.append(self.node(item, depth))  # noqa: PERF401  the error needs the length
        except UnsupportedValueError as error:
            error.within(f"[{len(tree) - 1}]")
            raise
        return tree

    def mapping(self, value: dict[object, object], depth: int) -> list[object]:
        self._check_keys(value)
        tree: list[object] = ["d"]
        key: object = None
        try:
            for key, item in value.items():
                tree.append(self.node(key, depth))
                tree.append(self.node(item, depth))
        except UnsupportedValueError as error:
            error.within(" key" if len(tree) % 2 else f"[{key!r:.40}]")
            raise
        return tree

    def encode_set(self, value: set[object], depth: int) -> list[object]:
        self._check_keys(value)
        return self.items(value, depth)

    def _check_keys(self, keys: Collection[object]) -> None:
        if _collide(keys):
            raise UnsupportedValueError(
                f"a {type(keys).__name__} of which more than {MAX_COLLISIONS} keys have one hash"
            )

    def complex_number(self, value: complex, _depth: int) -> list[object]:
        return ["c", value.real, value.imag]

    def byte_string(self, value: bytes, _depth: int) -> list[object]:
        return ["b", self._append(value, len(value)), len(value)]

    def handle(self, value: Handle, _depth: int) -> list[object]:
        return ["h", value.number, value.kind, value.is_callable, value.is_builtin]

    def function(self, value: Function, _depth: int) -> list[object]:
        return ["f", value.number, value.name, value.source]

    def callback(self, value: Callback, _depth: int) -> list[object]:
        return ["k", value.number, value.iterates]

    def array(self, value: "npt.NDArray[Any]", _depth: int) -> list[object]:
        name: object = _NAMES.get(value.dtype)
        flags = value.flags
        is_in_order, is_read_only = flags.c_contiguous, layout.is_read_only(value)
        packed = value if is_in_order else np.ascontiguousarray(value)
        if name is None:
            name = self._dtype(value.dtype)
            packed = packed.astype(_dtype(name))
        tree = ["a", name, list(value.shape), self._buffer(packed)]
        if not is_in_order or is_read_only:
            gaps = layout.gaps(value.shape, value.strides, value.itemsize)
            if self.gap_bytes + gaps > MAX_BODY or value.dtype.names is not None:
                is_in_order, gaps = True, 0
            self.gap_bytes += gaps
            tree += [None if is_in_order else list(value.strides), is_read_only]
        return tree

    def _dtype(self, dtype: "np.dtype[Any]", whole: "np.dtype[Any] | None" = None) -> object:
        """Return the name of a dtype, or its fields.

        Args:
            whole: The dtype that it is a field of, for errors.
        """
        whole = whole or dtype
        if dtype.names is not None and len(dtype.names) <= MAX_FIELDS:
            fields = [(name, dtype[name]) for name in dtype.names]
            return [[n, self._dtype(kind.base, whole), list(kind.shape)] for n, kind in fields]
        # NumPy's newer dtypes, such as `StringDType`, have no byte order.
        name = dtype.newbyteorder("<").str if dtype.kind in "biufcmMSU" else ""
        if name not in DTYPES and not _OTHER_DTYPE.fullmatch(name):
            raise UnsupportedValueError(f"an array of dtype {whole}")
        return name

    def _buffer(self, array: "npt.NDArray[Any]") -> int:
        if array.size == 0:
            return self.size
        return self._append(array.reshape(-1).view(np.uint8).data, array.nbytes)

    def _append(self, data: bytes | memoryview, length: int) -> int:
        if self.size + length > MAX_BODY:
            raise UnsupportedValueError(
                f"a value of more than {MAX_BODY >> 20} MiB", of_the_whole=True
            )
        offset = self.size
        padding = -length % _ALIGNMENT
        self.buffers += [data, bytes(padding)] if padding else [data]
        self.size += length + padding
        return offset


def full_type_name(kind: type) -> str:
    """Return the name of a class, with its module unless it is a built-in or the submission's."""
    module, name = kind.__module__, kind.__qualname__
    return name if module in ("builtins", "submission", "__main__") else f"{module}.{name}"


def _dtype(name: object) -> "np.dtype[Any]":
    """Return the dtype of a name or of fields.

    Raises:
        MalformedError: The name is invalid, or a field has size 0.
    """
    dtype = DTYPES.get(name) if type(name) is str else None
    if dtype is not None:
        return dtype
    if type(name) is str and _OTHER_DTYPE.fullmatch(name):
        return np.dtype(name)
    if type(name) is not list or not 0 < len(name) <= MAX_FIELDS:
        raise MalformedError("a dtype that is not on the list")
    fields = []
    for field, kind, shape in name:
        if type(field) is not str or not field or _count(shape) == 0:
            raise MalformedError("not a field")
        fields.append((field, _dtype(kind), tuple(shape)))
    return np.dtype(fields)


def _count(shape: object) -> int:
    """Return the number of entries of an array.

    Raises:
        MalformedError: The shape is invalid.
    """
    if type(shape) is not list or len(shape) > MAX_AXES:
        raise MalformedError("not a shape")
    for length in shape:
        if type(length) is not int or not 0 <= length < 1 << 31:
            raise MalformedError("not a shape")
    return math.prod(shape)


def _collide(keys: Collection[object]) -> bool:
    """Return whether too many keys have equal hashes, which an attacker can construct."""
    return len(keys) > MAX_COLLISIONS and max(Counter(map(hash, keys)).values()) > MAX_COLLISIONS


_TAGS: Final[dict[type, str]] = {list: "l", tuple: "t", set: "s"}
_ENCODERS: dict[type, Callable[[_Encoder, Any, int], object]] = {
    list: _Encoder.items,
    tuple: _Encoder.items,
    set: _Encoder.encode_set,
    dict: _Encoder.mapping,
    complex: _Encoder.complex_number,
    bytes: _Encoder.byte_string,
    np.ndarray: _Encoder.array,
    Handle: _Encoder.handle,
    Function: _Encoder.function,
    Callback: _Encoder.callback,
}
_SHARED: Final = frozenset("ltsdavx")


def encode(
    value: object, objects: ObjectTable | None = None, shared: Shared | None = None
) -> bytes:
    """Return the frame of a value.

    Args:
        value: Plain data, handles and functions.
        objects: The keeper of other objects. Without it they are refused.
        shared: The objects that are already known; those of the value are added.

    Raises:
        UnsupportedValueError: A type is not supported, or the value exceeds a limit.
    """
    shared = shared or Shared()
    shared.begin()
    encoder = _Encoder(objects, shared)
    tree = encoder.node(value, 0)
    try:
        header = _write_json(tree).encode()
    except ValueError as error:  # an integer with more digits than Python prints
        raise UnsupportedValueError(
            "an integer of thousands of digits", of_the_whole=True
        ) from error
    if len(header) > MAX_HEADER:
        raise UnsupportedValueError(
            f"a value whose structure takes more than {MAX_HEADER >> 20} MiB", of_the_whole=True
        )
    return b"".join([pack_prefix(len(header), encoder.size), header, *encoder.buffers])


def lengths(begin: bytes | bytearray) -> tuple[int, int]:
    """Return the lengths of header and body from the prefix of a frame.

    Raises:
        MalformedError: A length is above `MAX_HEADER` or `MAX_BODY`.
    """
    header, body = _LENGTHS.unpack(begin)
    if header > MAX_HEADER or body > MAX_BODY:
        raise MalformedError(f"a frame of {header:,} + {body:,} bytes is over the cap")
    return header, body


def split_frame(frame: bytes) -> tuple[bytes, bytes]:
    """Return the header and the body of a frame.

    Raises:
        MalformedError: One of them is over its cap.
    """
    header, _ = lengths(frame[:PREFIX_BYTES])
    return frame[PREFIX_BYTES : PREFIX_BYTES + header], frame[PREFIX_BYTES + header :]


class _Decoder:
    """A decoder of a value from a tree and a body, which are not trusted."""

    def __init__(
        self, body: bytes | bytearray, objects: SandboxObjects | None, shared: Shared
    ) -> None:
        self.body = body
        self.objects = objects
        self.shared = shared
        self.nodes, self.read_bytes, self.gap_bytes = 1, 0, 0

    def node(self, tree: object, depth: int) -> object:
        if type(tree) is not list:
            if type(tree) is dict:
                raise MalformedError("an object in the tree")
            return tree
        if not tree or type(tree[0]) is not str:
            raise MalformedError("a list without a tag")
        decode = _DECODERS.get(tree[0])
        if decode is None:
            raise MalformedError("an unknown tag")
        nodes_before = self.nodes
        value = decode(self, tree, depth + 1)
        if tree[0] in _SHARED:
            self.shared.add(value, self.nodes - nodes_before)
        return value

    def reference(self, tree: list[Any], _depth: int) -> object:
        _, number = tree
        if type(number) is not int or number not in self.shared.objects:
            raise MalformedError("not a number of an object")
        self.nodes += self.shared.parts[number]
        if self.nodes > MAX_NODES:  # with references, few bytes could describe a huge value
            raise MalformedError("too many values")
        return self.shared.objects[number]

    def items(self, tree: list[Any], depth: int) -> list[object]:
        items = tree[1:]
        self.nodes += len(items)
        if self.nodes > MAX_NODES or (items and depth > MAX_DEPTH):
            raise MalformedError("too many or too deep values")
        return [
            item if type(item) in _JSON_TYPES else self.node(item, depth)  # a shortcut
            for item in items
        ]

    def mapping(self, tree: list[Any], depth: int) -> dict[object, object]:
        flat = self.items(tree, depth)
        if len(flat) % 2:
            raise MalformedError("a key without a value")
        keys = flat[::2]
        if _collide(keys):
            raise MalformedError("keys that collide")
        return dict(zip(keys, flat[1::2], strict=True))

    def decode_set(self, tree: list[Any], depth: int) -> set[object]:
        items = self.items(tree, depth)
        if _collide(items):
            raise MalformedError("keys that collide")
        return set(items)

    def complex_number(self, tree: list[Any], _depth: int) -> complex:
        _, real, imaginary = tree
        if type(real) is not float or type(imaginary) is not float:
            raise MalformedError("a complex number of other than floats")
        return complex(real, imaginary)

    def byte_string(self, tree: list[Any], _depth: int) -> bytes:
        _, offset, length = tree
        return bytes(self._slice(offset, length))

    def array(self, tree: list[Any], _depth: int) -> "npt.NDArray[Any]":
        _, name, shape, offset, *order = tree
        values = self._array(name, _count(shape), offset).reshape(shape)
        if not order:
            return values
        strides, is_read_only = order
        if strides is not None:
            if type(strides) is not list or any(type(stride) is not int for stride in strides):
                raise MalformedError("not strides")
            self.gap_bytes += layout.gaps(shape, strides, values.itemsize)
            if self.gap_bytes > MAX_BODY:
                raise MalformedError("an array of too wide gaps")
            values = layout.arrange(values, strides)
        values.flags.writeable = is_read_only is not True
        return values

    def parts(self, tree: list[Any], depth: int) -> object:
        _, name, parts = tree
        return value_types.build(name, *self.items([name, parts], depth))

    def view(self, tree: list[Any], depth: int) -> "npt.NDArray[Any]":
        _, number, offset, strides, strides_of_base, (tag, *content) = tree
        array = self.array([tag, *content], depth)
        if type(number) is not int or number not in self.shared.objects:
            raise MalformedError("not a number of an object")
        if any(type(each) is not int for each in (offset, *strides, *strides_of_base)):
            raise MalformedError("not a place in an array")
        base = self.shared.objects[number]
        if type(base) is not np.ndarray or list(base.strides) != strides_of_base:
            return array  # a copy, since such a view is impossible
        owner = memory_owner(base)
        memory = owner.ravel(order="K")
        if (
            base.dtype != array.dtype
            or len(strides) != array.ndim
            or memory_owner(memory) is not owner
        ):
            return array
        if not array.size or not _lies_in(array, base, offset, strides):
            return array
        begin = offset + _address(base) - _address(memory)
        array_view: npt.NDArray[Any] = np.ndarray(array.shape, array.dtype, memory, begin, strides)
        if not array.flags.writeable:
            array_view.flags.writeable = False
        return array_view

    def scalar(self, tree: list[Any], _depth: int) -> object:
        _, name, offset = tree
        return self._array(name, 1, offset)[0]

    def handle(self, tree: list[Any], _depth: int) -> object:
        _, number, kind, is_callable, is_builtin = tree
        if [type(part) for part in tree[1:]] != [int, str, bool, bool] or len(kind) > MAX_KIND:
            raise MalformedError("not a handle")
        if self.objects is None:
            return Handle(number, kind, is_callable, is_builtin)
        return self.objects.find(number)

    def function(self, tree: list[Any], _depth: int) -> object:
        if self.objects is None or [type(part) for part in tree[1:]] != [int, str, str]:
            raise MalformedError("not a function")
        return self.objects.make(Function(*tree[1:]))

    def callback(self, tree: list[Any], _depth: int) -> object:
        if [type(part) for part in tree[1:]] != [int, bool]:
            raise MalformedError("not a callback")
        callback = Callback(*tree[1:])
        return callback if self.objects is None else self.objects.call_back(callback)

    def _array(self, name: object, count: int, offset: object) -> "npt.NDArray[Any]":
        dtype = _dtype(name)
        raw = self._slice(offset, count * dtype.itemsize)
        if dtype.kind == "b":  # bytes other than 0 and 1 are invalid as booleans
            return np.not_equal(np.frombuffer(raw, np.uint8), 0)
        values: npt.NDArray[Any] = np.frombuffer(raw, dtype).copy()
        if dtype.kind in "UV":
            _repair(values)
        return values

    def _slice(self, offset: object, length: object) -> memoryview:
        if type(offset) is not int or type(length) is not int:
            raise MalformedError("not a place in the body")
        if offset < 0 or length < 0 or offset + length > len(self.body):
            raise MalformedError("a place outside the body")
        self.read_bytes += length
        # Repeated use of the same bytes could build a huge value.
        if self.read_bytes > len(self.body):
            raise MalformedError("places that overlap")
        return memoryview(self.body)[offset : offset + length]


def _repair(values: "npt.NDArray[Any]") -> None:
    """Replace invalid bytes in boolean fields, and check the characters of texts.

    Raises:
        MalformedError: A text contains an invalid character.
    """
    for field in values.dtype.names or ():
        _repair(values[field])
    raw = np.ascontiguousarray(values)
    if values.dtype.kind == "b":
        values[...] = np.not_equal(raw.view(np.uint8), 0).reshape(values.shape)
    elif values.dtype.kind == "U" and raw.size and raw.view(np.uint32).max() > _MAX_CHARACTER:
        raise MalformedError("no character")


def _lies_in(
    array: "npt.NDArray[Any]", base: "npt.NDArray[Any]", offset: int, strides: list[int]
) -> bool:
    """Return whether all bytes of a view belong to its base array.

    The memory beside the base may hold data that the submission must not see, such as expected
    values in another column.
    """
    low, high = layout.span(base.shape, base.strides, base.itemsize)
    lowest, highest = layout.span(array.shape, strides, array.itemsize)
    if offset + lowest < low or offset + highest > high:
        return False
    if base.flags.forc:
        return True
    marks = np.zeros(high - low, np.bool_)
    base_bytes: npt.NDArray[Any] = np.ndarray(
        (*base.shape, base.itemsize), np.bool_, marks, -low, (*base.strides, 1)
    )
    base_bytes[...] = True
    view_bytes: npt.NDArray[Any] = np.ndarray(
        (*array.shape, array.itemsize), np.bool_, marks, offset - low, (*strides, 1)
    )
    return bool(view_bytes.all())


_DECODERS: dict[str, Callable[[_Decoder, list[Any], int], object]] = {
    "l": _Decoder.items,
    "t": lambda decoder, tree, depth: tuple(decoder.items(tree, depth)),
    "s": _Decoder.decode_set,
    "d": _Decoder.mapping,
    "c": _Decoder.complex_number,
    "b": _Decoder.byte_string,
    "a": _Decoder.array,
    "n": _Decoder.scalar,
    "x": _Decoder.parts,
    "h": _Decoder.handle,
    "f": _Decoder.function,
    "k": _Decoder.callback,
    "r": _Decoder.reference,
    "v": _Decoder.view,
}


def decode(
    header: bytes | bytearray,
    body: bytes | bytearray,
    objects: SandboxObjects | None = None,
    shared: Shared | None = None,
) -> object:
    """Rebuild the value of a frame.

    Args:
        header: The JSON tree.
        body: The buffers.
        objects: Resolves handles and creates functions. Without it handles are returned as they
            are, and functions are malformed.
        shared: The objects that are already known; those of the value are added.

    Raises:
        MalformedError: The bytes are invalid. No other error is raised.
    """
    try:
        return _Decoder(body, objects, shared or Shared()).node(_read_json(header.decode()), 0)
    except MalformedError:
        raise
    except (
        ValueError,
        TypeError,
        LookupError,
        RecursionError,
        ArithmeticError,
        MemoryError,
    ) as error:
        raise MalformedError(f"{type(error).__name__} while reading") from error
