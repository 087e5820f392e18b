"""Frozen dataclasses of our own: what the standard library makes, made another way."""

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from math import nan
from typing import Any

import pytest

from grader.frozen import frozen


class Bare:
    """Without fields."""


class Point:
    """With one field that counts for nothing, and one that is made."""

    x: float
    name: str = field(default="", compare=False)
    secret: str = field(default="s", repr=False)
    made: int = field(init=False, default=3)

    def __post_init__(self) -> None:
        object.__setattr__(self, "made", 4)


class Single:
    """With one field."""

    only: Any = None


class Own:
    """With methods of its own."""

    x: int = 0

    def __repr__(self) -> str:
        return "own"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, int)

    __hash__ = None  # type: ignore[assignment]


KINDS = [Bare, Point, Single, Own]


def copied(kind: type) -> type:
    """Return the class anew, as it is before it is decorated."""
    names = {
        name: value for name, value in vars(kind).items() if name not in ("__dict__", "__weakref__")
    }
    return type(kind.__name__, kind.__bases__, names)


def pair(kind: type, **how: bool) -> tuple[Any, Any]:
    """Return the class as we make it, and as the standard library does."""
    ours: Any = frozen(**how)(copied(kind))
    theirs: Any = dataclass(frozen=True, slots=True, **how)(copied(kind))
    return ours, theirs


@pytest.mark.parametrize("kind", KINDS)
def test_it_has_what_the_standard_library_makes(kind: type) -> None:
    """The same fields, arguments, slots and methods."""
    ours, theirs = pair(kind)
    assert [each.name for each in fields(ours)] == [each.name for each in fields(theirs)]
    assert inspect.signature(ours) == inspect.signature(theirs)
    assert ours.__slots__ == theirs.__slots__
    assert set(vars(ours)) == set(vars(theirs))
    assert ours.__match_args__ == theirs.__match_args__


@pytest.mark.parametrize("kind", KINDS)
def test_its_objects_look_alike(kind: type) -> None:
    """What a test prints when it fails is what one is used to."""
    ours, theirs = pair(kind)
    values = (1.5,) if kind is not Bare else ()
    assert repr(ours(*values)) == repr(theirs(*values))


@pytest.mark.parametrize("kind", [Point, Single])
@pytest.mark.parametrize("values", [(1, 1), (1, 2), (nan, nan), ("a", "b")])
def test_its_objects_are_compared_alike(kind: type, values: tuple[Any, Any]) -> None:
    """Field by field, with the same class only; what is equal has one hash."""
    results = []
    for each in pair(kind):
        one, other = (each(value) for value in values)
        results.append((one == other, one != other, one == 1, len({one, other})))
    assert results[0] == results[1]


@pytest.mark.parametrize("other", [0, 1, 2])
def test_its_objects_are_ordered_alike(other: int) -> None:
    """If it is asked for, and never with another class."""
    results = []
    for each in pair(Single, order=True):
        one, two = each(1), each(other)
        results.append((one < two, one <= two, one > two, one >= two))
        with pytest.raises(TypeError, match="not supported"):
            _ = one < 1
    assert results[0] == results[1]
    with pytest.raises(TypeError, match="not supported"):
        _ = pair(Single)[0](1) < pair(Single)[0](2)


def test_names_may_be_asked_for() -> None:
    """A class with many fields is read more easily like that."""
    ours, theirs = pair(Point, kw_only=True)
    assert inspect.signature(ours) == inspect.signature(theirs)
    assert ours(x=1) == ours(x=1, name="another")


@frozen
class Base:
    """Decorated without parentheses."""

    x: int


@frozen(kw_only=True)
class Derived(Base):
    """With what it inherits."""

    y: tuple[int, ...] = ()


def test_nothing_about_an_object_changes() -> None:
    """Neither a field nor anything else."""
    value = Derived(1, y=(2,))
    with pytest.raises(FrozenInstanceError):
        value.x = 2  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del value.y
    assert value == Derived(1, y=(2,)) != Derived(1)
    assert Base(1) != Derived(1)
    assert repr(value) == "Derived(x=1, y=(2,))"


def test_it_is_a_dataclass() -> None:
    """For whatever deals with those."""
    value = Derived(1, y=(2,))
    assert replace(value, x=3) == Derived(3, y=(2,))
    assert asdict(value) == {"x": 1, "y": (2,)}
    assert pickle.loads(pickle.dumps(value)) == copy.deepcopy(value) == value  # noqa: S301  our own
    match value:
        case Derived(1):
            pass
        case _:
            pytest.fail("it has no place to match")
