"""Stand-ins for a submission's objects: what a test does with one is done in the sandbox."""

import contextlib
import inspect
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Final, Protocol

import numpy as np

from grader.sandbox.inside.wire import Handle

_TYPES: Final = {
    kind.__name__: kind
    for kind in (
        bool, bytes, complex, dict, float, frozenset, int, list, np.ndarray, object, set, str,
        tuple, type,
    )
}  # fmt: skip


_running = 0  # pieces of authors' code


@contextlib.contextmanager
def authors_code() -> Iterator[None]:
    """Let stand-ins do what is asked of them.

    What the grader does with a result of its own accord is not asked in the sandbox: an expected
    value would be sent there to be compared, and the submission would say whether it is equal.
    """
    global _running  # noqa: PLW0603  one thread grades
    _running += 1
    try:
        yield
    finally:
        _running -= 1


class Requests(Protocol):
    """Carries out in the sandbox what a test does with a stand-in."""

    def operate(self, name: str, *operands: Any) -> Any:
        """Apply an operator or a built-in function."""

    operators: frozenset[str]  # those that the exercise lets tests use

    def refuse_object(self, value: object, attribute: str) -> None:
        """Raise for a question to an object, where an exercise asks for none."""

    def ask(self, operation: str, *arguments: Any) -> Any:
        """Send another request."""

    def attribute(self, stand_in: "StandIn", name: str) -> Any:
        """Return an attribute; of a method a stand-in."""

    def call_method(
        self,
        stand_in: "StandIn",
        name: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """Call a method, or the object itself."""

    def represent(self, stand_in: "StandIn") -> str:
        """Return `repr`; never raise."""


# What Python and NumPy ask of an object is answered by the class; this is asked of the submission.
_FORWARDED: Final = frozenset(
    {
        "__annotations__", "__array__", "__call__", "__defaults__",
        "__dict__", "__enter__", "__func__", "__kwdefaults__", "__members__", "__module__",
        "__name__",
        "__post_init__", "__qualname__", "__self__", "__wrapped__",
    }
)  # fmt: skip


class StandIn:
    """An object of a submission, which stays in the sandbox."""

    __slots__ = ("_requests", "handle_")

    __array_ufunc__ = None  # NumPy leaves operators to the object

    handle_: Handle

    def __init__(self, requests: Requests, handle: Handle) -> None:
        object.__setattr__(self, "_requests", requests)
        object.__setattr__(self, "handle_", handle)

    @property
    def __doc__(self) -> Any:  # type: ignore[override]
        return self._requests.attribute(self, "__doc__")

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters of a function or a class."""
        return _signature(self._requests.ask("signature", self))

    def __getattr__(self, name: str) -> Any:
        if not _running or (name.startswith("__") and name not in _FORWARDED):
            raise AttributeError(name)
        if name == "__array__":
            return self._as_array
        return self._requests.attribute(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._requests.operate("setattr", self, name, value)

    def __delattr__(self, name: str) -> None:
        self._requests.operate("delattr", self, name)

    def _as_array(self, dtype: Any = None, **_: object) -> Any:
        array = np.asarray(self._requests.operate("asarray", self))
        return array if dtype is None else array.astype(dtype)

    def __repr__(self) -> str:
        if not _running:
            return f"<{type(self).__name__} object>"
        text: str = self._requests.represent(self)
        return text

    def __hash__(self) -> int:
        return int(self._requests.operate("hash", self)) if _running else object.__hash__(self)

    def __bool__(self) -> bool:
        return bool(self._requests.operate("bool", self)) if _running else True

    def __str__(self) -> str:
        return str(self._requests.operate("str", self)) if _running else repr(self)

    def __contains__(self, item: object) -> bool:
        if "in" in self._requests.operators:
            return bool(self._requests.operate("contains", self, item))
        items = self._requests.operate("iter", self)
        return any(each is item or each == item for each in items)

    def __enter__(self) -> Any:
        return self._requests.call_method(self, "__enter__", (), {})

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _: TracebackType | None,
    ) -> bool:
        kind = None if error is None else builtin_kind(error)
        if not isinstance(error, (Exception, type(None))) or isinstance(error, AssertionError):
            self._requests.ask("leave", self, kind, "")
            return False  # no object of a submission hides that a test has failed
        return bool(self._requests.ask("leave", self, kind, "" if error is None else str(error)))

    def __copy__(self) -> Any:
        return self._requests.operate("copy", self)

    def __deepcopy__(self, _: object) -> Any:
        return self._requests.operate("deepcopy", self)

    def __instancecheck__(self, instance: object) -> bool:
        return bool(self._requests.operate("isinstance", instance, self))

    def __subclasscheck__(self, kind: object) -> bool:
        return bool(self._requests.operate("issubclass", kind, self))


class CallableStandIn(StandIn):
    """A function, a class or another object of a submission that can be called."""

    __slots__ = ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the object in the sandbox."""
        return self._requests.call_method(self, "__call__", args, kwargs)


class NameStandIn(CallableStandIn):
    """A name that a submission defines, which is looked up there when a test needs the object."""

    __slots__ = ("_call", "_name")

    def __init__(self, requests: Requests, name: str, call: Callable[..., Any]) -> None:
        super().__init__(requests, Handle(-1, "<function>"))
        object.__setattr__(self, "_name", name)
        object.__setattr__(self, "_call", call)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call what has the name now."""
        return self._call(*args, **kwargs)


class MethodStandIn:
    """A method of an object of a submission."""

    def __init__(self, requests: Requests, owner: StandIn, name: str) -> None:
        self._requests = requests
        self.__self__ = owner
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the method in the sandbox."""
        return self._requests.call_method(self.__self__, self.__name__, args, kwargs)

    @property
    def __doc__(self) -> Any:  # type: ignore[override]
        return self._requests.ask("attribute_of", self.__self__, self.__name__, "__doc__")

    @property
    def __signature__(self) -> inspect.Signature:
        """The parameters of the method, without `self`."""
        method = self._requests.operate("getattr", self.__self__, self.__name__)
        return _signature(self._requests.ask("signature", method))


def _forward(name: str, *, operator: str = "", reflected: bool = False) -> Callable[..., Any]:
    """Return a method that has the submission do it; an operator only if the exercise lets it.

    An operator is given what a test expects, and its answer decides the test: an object that says
    it equals everything must not pass where a number is asked for.
    """

    def act(self: StandIn, *others: Any) -> Any:
        if not _running:
            return NotImplemented
        if operator and operator not in self._requests.operators:
            self._requests.refuse_object(self, "")
            return NotImplemented
        operands = (*others, self) if reflected else (self, *others)
        return self._requests.operate(name, *operands)

    return act


_UNARY = ("abs", "complex", "float", "index", "int", "invert", "iter", "len", "neg", "next",
          "pos")  # fmt: skip
_OTHERS = ("delitem", "format", "getitem", "reversed", "round", "setitem")
_COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_BINARY = {
    "+": "add", "-": "sub", "*": "mul", "@": "matmul", "/": "truediv", "//": "floordiv", "%": "mod",
    "**": "pow", "<<": "lshift", ">>": "rshift", "&": "and", "|": "or", "^": "xor",
}  # fmt: skip


for _name in (*_UNARY, *_OTHERS):
    setattr(StandIn, f"__{_name}__", _forward(_name))
for _operator, _name in {**_COMPARISONS, "divmod": "divmod"}.items():
    setattr(StandIn, f"__{_name}__", _forward(_name, operator=_operator))
for _operator, _name in _BINARY.items():
    _request = f"{_name}_" if _name in ("and", "or") else _name
    setattr(StandIn, f"__{_name}__", _forward(_request, operator=_operator))
    setattr(StandIn, f"__r{_name}__", _forward(_request, operator=_operator, reflected=True))
    setattr(StandIn, f"__i{_name}__", _forward(f"i{_name}", operator=_operator))
for _kind in (CallableStandIn, NameStandIn):  # the docstring of the object, not of the class
    setattr(_kind, "__doc__", vars(StandIn)["__doc__"])  # noqa: B010  no plain assignment to a property


def builtin_kind(error: BaseException) -> str:
    """Return the name of the narrowest built-in class of an exception."""
    return next(k.__name__ for k in type(error).__mro__ if k.__module__ == "builtins")


def _signature(facts: Any) -> inspect.Signature:
    """Return a signature from what a submission says of it: plain values and names of types."""
    parameters, returns = [], inspect.Signature.empty
    for name, kind, default, annotation in facts:
        note = _value_of(annotation)
        if kind < 0:
            returns = note
        else:
            parameters.append(
                inspect.Parameter(
                    str(name),
                    inspect._ParameterKind(kind),  # noqa: SLF001  no public name
                    default=_value_of(default),
                    annotation=note,
                )
            )
    return inspect.Signature(parameters, return_annotation=returns)


def _value_of(fact: Any) -> Any:
    match fact:
        case [value, is_type]:
            return _TYPES.get(value, value) if is_type else value
    return inspect.Parameter.empty


def stand_ins_in(value: object, path: str = "") -> Iterator[tuple[StandIn | MethodStandIn, str]]:
    """Yield the stand-ins in a value, with their places."""
    if isinstance(value, (StandIn, MethodStandIn)):
        yield value, path
    elif isinstance(value, (list, tuple)):
        for number, item in enumerate(value):
            yield from stand_ins_in(item, f"{path}[{number}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from stand_ins_in(item, f"{path}[{key!r:.40}]")
