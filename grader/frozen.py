"""Frozen dataclasses with slots that take little time to make.

Before Python 3.13 the standard library compiles each method of each class from text: six for a
frozen one, more than half a millisecond. `etude check` makes sixty such classes before it grades
anything, which took a tenth of its time. Here classes are compared, hashed and shown by functions
that they share; what the standard library compiles is `__init__` and what freezes.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform, overload

_Kind = TypeVar("_Kind")
_Method = Callable[..., Any]

_ORDER = {
    "__lt__": operator.lt,
    "__le__": operator.le,
    "__gt__": operator.gt,
    "__ge__": operator.ge,
}


@overload
def frozen(kind: type[_Kind], /) -> type[_Kind]: ...
@overload
def frozen(*, kw_only: bool = ..., order: bool = ...) -> Callable[[type[_Kind]], type[_Kind]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    kind: type[_Kind] | None = None, /, *, kw_only: bool = False, order: bool = False
) -> type[_Kind] | Callable[[type[_Kind]], type[_Kind]]:
    """Make a class what `dataclass(frozen=True, slots=True)` makes of it, only sooner.

    Args:
        kind: the class.
        kw_only: whether every field is named where an object is made.
        order: whether objects are ordered, as tuples of their fields are.
    """

    def decorate(given: type[_Kind]) -> type[_Kind]:
        made = dataclass(frozen=True, slots=True, eq=False, repr=False, kw_only=kw_only)(given)
        for name, method in _methods(made, order=order):
            if vars(made).get(name) is None:  # the class has none of its own
                setattr(made, name, method)
        return made

    return decorate if kind is None else decorate(kind)


def _methods(kind: Any, *, order: bool) -> Iterator[tuple[str, _Method]]:  # noqa: ANN401  a dataclass's type
    every = fields(kind)
    compared = _getter([each.name for each in every if each.compare])
    yield "__eq__", _comparing(operator.eq, compared)
    yield "__hash__", lambda self: hash(compared(self))
    yield "__repr__", _showing([each.name for each in every if each.repr])
    if order:
        yield from ((name, _comparing(compare, compared)) for name, compare in _ORDER.items())


def _getter(names: Sequence[str]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what gets the values of fields, always as a tuple."""
    if not names:
        return lambda _: ()
    get: Callable[[Any], Any] = operator.attrgetter(*names)
    return get if len(names) > 1 else lambda self: (get(self),)


def _comparing(compare: _Method, compared: Callable[[Any], tuple[Any, ...]]) -> _Method:
    def method(self: object, other: object) -> Any:  # noqa: ANN401  what comparing the fields gives
        if other.__class__ is not self.__class__:
            return NotImplemented
        return compare(compared(self), compared(other))

    return method


def _showing(names: Sequence[str]) -> _Method:
    def method(self: object) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({shown})"

    return method
