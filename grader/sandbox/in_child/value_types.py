"""The types beyond those of JSON and NumPy that cross the wire, taken apart into plain data.

Types are looked up by full name, so that a module is imported only when one of its values arrives.
The functions that build a value do not trust its parts: they raise for parts that `take_apart`
never returns, and bound the work that the value can cause later.
"""

import dataclasses
import enum
import importlib
import sys
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

_MAX_DIGITS: Final = 4300  # digits of a decimal number, Python's default limit for an int
_MAX_DEPTH: Final = 32  # levels of nesting in which dataclass objects are converted
_MAX_RANGE_LENGTH: Final = 100_000  # the maximum length of a list, see `wire.MAX_NODES`
_FIELDS, _MEMBER = "namedtuple", "enum member"

_CLASSES: Final[dict[str, type]] = {
    **{
        kind.__name__: kind
        for kind in (
            bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset, type(None),
        )
    },
    **{
        f"np.{name}": getattr(np, name)
        for name in (
            "bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
            "float16", "float32", "float64", "complex64", "complex128",
        )
    },
}  # fmt: skip
_NAMES: Final = {kind: name for name, kind in _CLASSES.items()}


# Subclasses for named tuples and members of enumerations. They have the names of their bases, but
# their instances can have attributes.
_NAMED: Final = {
    base.__name__: type(base.__name__, (base,), {}) for base in (int, float, str, tuple)
}
_BASES: Final[tuple[tuple[type, Callable[[Any], object]], ...]] = (
    (int, int.__index__),
    (float, float.__float__),
    (str, str.__str__),
    (bytes, bytes.__bytes__),
    (complex, complex.__complex__),
    (tuple, lambda value: tuple(tuple.__iter__(value))),
    (np.ndarray, np.asarray),
)


class Codec(NamedTuple):
    """The functions that take values of one type apart and build them again."""

    take_apart: Callable[[Any], object]
    build: Callable[[Any, Any], object]  # takes the type and the parts


def _ints(parts: Any) -> tuple[int, ...]:
    if type(parts) is not tuple or any(type(part) is not int for part in parts):
        raise TypeError("not whole numbers")
    return parts


def _require(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise TypeError(f"no {kind.__name__}")
    return value


def _require_digits(text: Any) -> str:
    if len(_require(str, text)) > _MAX_DIGITS:  # slow to parse
        raise ValueError("too many digits")
    return str(text)


def _take_range(value: range) -> object:
    is_short = abs(value.stop - value.start) <= _MAX_RANGE_LENGTH
    return (value.start, value.stop, value.step) if is_short else NotImplemented


def _take_decimal(value: Any) -> object:
    # A signaling NaN raises in comparisons, and a large exponent can become a huge int.
    text = str(value)
    is_usable = not value.is_snan() and abs(value.adjusted()) <= _MAX_DIGITS >= len(text)
    return text if is_usable else NotImplemented


def _validate(take_apart: Callable[[Any], object], value: object) -> object:
    """Return a value that was built, or raise `ValueError` if it could not have been sent."""
    if take_apart(value) is NotImplemented:
        raise ValueError("a value that is never sent")
    return value


def _build_masked(kind: Any, parts: Any) -> object:
    data, mask = parts
    if type(data) is not np.ndarray or type(mask) is not np.ndarray:
        raise TypeError("no arrays")
    if mask.dtype != np.bool_ or mask.shape != data.shape:
        raise ValueError("no mask of the array")
    return kind(data, mask=mask)


def _take_masked(value: Any) -> object:
    mask = np.zeros(value.shape, np.bool_)
    mask[...] = value.mask
    return np.array(value.data), mask


def _take_named_tuple(value: Any) -> object:
    names, items = value._fields, tuple(tuple.__iter__(value))
    is_named = len(names) == len(items) and all(map(_is_name, names))
    return (tuple(names), items) if is_named else NotImplemented


def _named_tuple(_: Any, parts: Any) -> Any:
    names, items = parts
    value = _NAMED["tuple"](_require(tuple, items))
    value.__dict__.update(zip(_names(names), items, strict=True), _fields=names)
    return value


def _member(_: Any, parts: Any) -> object:
    value, name = parts
    member = _NAMED[type(value).__name__](value)
    (name,) = _names((name,))
    member.__dict__.update(name=name, value=value)
    return member


def _names(names: Any) -> tuple[str, ...]:
    if not all(map(_is_name, _require(tuple, names))):
        raise ValueError("no names")
    return tuple(names)


def _is_name(name: object) -> bool:
    return type(name) is str and name.isidentifier() and not name.startswith("__")


_ISO: Final = Codec(lambda value: value.isoformat(), lambda kind, text: kind.fromisoformat(text))
_DICT: Final = Codec(dict, lambda kind, parts: kind(_require(dict, parts)))
CODECS: Final[dict[str, Codec]] = {
    "builtins.frozenset": Codec(set, lambda kind, parts: kind(_require(set, parts))),
    "builtins.bytearray": Codec(bytes, lambda kind, parts: kind(_require(bytes, parts))),
    "builtins.range": Codec(
        _take_range, lambda kind, parts: _validate(_take_range, kind(*_ints(parts)))
    ),
    "builtins.slice": Codec(lambda v: (v.start, v.stop, v.step), lambda kind, parts: kind(*parts)),
    "builtins.type": Codec(lambda v: _NAMES.get(v, NotImplemented), lambda _, name: _CLASSES[name]),
    "collections.Counter": _DICT,
    "collections.OrderedDict": _DICT,
    "collections.defaultdict": Codec(
        lambda v: (dict(v), _NAMES.get(v.default_factory)),
        lambda kind, parts: kind(_CLASSES.get(parts[1]), _require(dict, parts[0])),
    ),
    "collections.deque": Codec(
        lambda v: (list(v), v.maxlen), lambda kind, parts: kind(_require(list, parts[0]), parts[1])
    ),
    "datetime.date": _ISO,
    "datetime.datetime": _ISO,
    "datetime.time": _ISO,
    "datetime.timedelta": Codec(
        lambda v: (v.days, v.seconds, v.microseconds), lambda kind, parts: kind(*_ints(parts))
    ),
    "decimal.Decimal": Codec(
        _take_decimal, lambda kind, text: _validate(_take_decimal, kind(_require_digits(text)))
    ),
    "fractions.Fraction": Codec(
        lambda v: (v.numerator, v.denominator), lambda kind, parts: kind(*_ints(parts))
    ),
    "numpy.ma.MaskedArray": Codec(_take_masked, _build_masked),
    _FIELDS: Codec(_take_named_tuple, _named_tuple),
    _MEMBER: Codec(lambda v: (v.value, v.name) if _is_name(v.name) else NotImplemented, _member),
}


def take_apart(value: object) -> tuple[str, object] | None:
    """Return the name of a value's type and its parts as plain data, or None if unsupported."""
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(value, tuple) and isinstance(getattr(value, "_fields", None), tuple):
        name = _FIELDS
    elif kind in _NAMED.values() or (
        isinstance(value, enum.Enum) and isinstance(value, (int, float, str))
    ):
        name = _MEMBER
    elif name == "numpy.ma.core.MaskedArray":  # its name before NumPy 2.4
        name = "numpy.ma.MaskedArray"
    codec = CODECS.get(name)
    parts = NotImplemented if codec is None else codec.take_apart(value)
    return None if parts is NotImplemented else (name, parts)


def build(name: object, parts: object) -> object:
    """Return the value with the name of its type and its parts.

    Raises:
        LookupError, TypeError, ValueError, ArithmeticError: The name or the parts are invalid.
    """
    codec = CODECS[_require(str, name)]
    module, _, attribute = str(name).rpartition(".")
    if not module:
        return codec.build(None, parts)
    if module not in sys.modules:
        importlib.import_module(module)
    return codec.build(getattr(sys.modules[module], attribute), parts)


def with_items(value: tuple[Any, ...], items: list[Any]) -> tuple[Any, ...]:
    """Return a tuple with other items; a named tuple keeps its names."""
    names = getattr(value, "_fields", None)
    if names is None:
        return tuple(items)
    named_tuple: tuple[Any, ...] = _named_tuple(None, (names, tuple(items)))
    return named_tuple


def as_data(value: Any, depth: int = 0) -> Any:
    """Return a result with each dataclass object as a dict of its fields.

    Instances of subclasses of `list` become lists. A member of an enumeration becomes its name,
    unless it is also a number or a text. Other objects are unchanged.
    """
    if depth > _MAX_DEPTH or isinstance(value, (type, int, float, str)):
        return value
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, (tuple, list)):
        items = [as_data(item, depth + 1) for item in value]
        return with_items(value, items) if isinstance(value, tuple) else items
    if dataclasses.is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: as_data(item, depth + 1) for key, item in value.items()}
    return value


def as_base(value: object) -> object:
    """Convert an instance of a subclass to its base type; return other values unchanged."""
    for base, plain in _BASES:
        if isinstance(value, base):
            return plain(value)
    return value
