"""Programs that are wrong on purpose, made from a right one.

A test that none of them fails tests nothing; one that all of them pass, even where every function
raises, never uses the submission. Some are wrong under one condition alone: where every hidden test
accepts such a program, none of them ever meets the condition, or none looks closely enough there.
That is a gap if the instructions promise the case, which only the author knows.

Each is the right program with what it defines wrapped, so that answers keep their shape and dtype
where that is the point. Calls between the wrapped functions themselves go to the right ones: a
program is wrong only towards its caller.
"""

import ast
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from grader.definitions.exercise import Exercise
from grader.definitions.program_files import append_code

RAISES: Final = "raises"
NOTHING: Final = "nothing"
FILLED: Final = ("sevens", "zeros")
EMPTY: Final = ("empty", "empty batch")
SEVERAL: Final = "several"
SQUARES: Final = "axes of one length"
RECTANGLES: Final = "axes of different lengths"
SHAPES: Final = (*EMPTY, SEVERAL)  # wrong in the shape alone


@dataclass(frozen=True, slots=True)
class SabotagedProgram:
    """A right program that was made wrong.

    `only` is the one name that is wrong, where the others are right.
    """

    id: str
    does: str  # "always answers with sevens"
    source: str
    must_be_rejected: bool = False  # by hidden tests: no learner's answer is right like this
    only: str = ""

    @property
    def change(self) -> str:
        """Return its name in `equivalent`, for an answer that happens to be right."""
        return f"wrong program: {self.id}"


_DOES: Final[dict[str, tuple[str, bool]]] = {
    "sevens": ("always answers with sevens, in the right shape and dtype", True),
    "zeros": ("always answers with zeros, in the right shape and dtype", True),
    NOTHING: ("always returns None", True),
    "nan": ("always answers with NaN, in the right shape", True),
    "single": ("always answers with a single 1, with the right number of axes", True),
    "empty": ("returns an empty result: the first axis of each array has length 0", True),
    "empty batch": ("returns an empty result: each array has one more axis, of length 0", True),
    SEVERAL: ("returns the right answer nine times, in an array of shape (3, 3)", True),
    "argument": ("returns its first argument", False),
    "transposed": ("returns the right answer transposed", False),
    "near": ("returns the right answer, off by a thousandth", False),
    "stale": ("gives the answer to the first call always", False),
    RAISES: ("raises an error", False),
}

# Over `arrays`, those among the arguments; over `args` and `kwargs`, all of them.
_CONDITIONS: Final[dict[str, tuple[str, str]]] = {
    "float32": ("plus one", "any(a.dtype == np.float32 for a in arrays)"),
    "float16": ("plus one", "any(a.dtype == np.float16 for a in arrays)"),
    "integers": ("plus one", "integers(arrays)"),
    "no axis": ("plus one", "any(a.ndim == 0 for a in arrays)"),
    "one axis": ("plus one", "most_axes == 1"),
    "two axes": ("plus one", "most_axes == 2"),
    "three axes": ("plus one", "most_axes == 3"),
    "four axes": ("plus one", "most_axes == 4"),
    "first axis of length 1": ("plus one", "any(a.ndim and a.shape[0] == 1 for a in arrays)"),
    "last axis of length 1": ("plus one", "any(a.ndim and a.shape[-1] == 1 for a in arrays)"),
    "an axis of length 0": ("plus one", "any(0 in a.shape for a in arrays)"),
    SQUARES: (
        "plus one",
        "any(a.shape[-2:-1] == a.shape[-1:] > (1,) for a in arrays)",
    ),
    RECTANGLES: ("plus one", "any(len(set(a.shape)) > 1 for a in arrays)"),
    "minus infinity": (
        "wrong",
        "any(a.dtype.kind == 'f' and np.isneginf(a).any() for a in arrays)",
    ),
    "numbers above 800": (
        "plus one",
        "any((np.abs(a[np.isfinite(a)]) > 800).any() for a in arrays)",
    ),
    "Fortran order": ("plus one", "any(a.flags.fnc for a in arrays)"),
    "neither C nor Fortran order": ("plus one", "any(not a.flags.forc for a in arrays)"),
    "arguments left out": ("plus one", "len(args) + len(kwargs) < most_arguments"),
    "no argument left out": ("plus one", "len(args) + len(kwargs) == most_arguments"),
    "an exact 0": ("almost zero", "True"),
    "float32 widened to float64": ("widened", "any(a.dtype == np.float32 for a in arrays)"),
    "float16 widened to float64": ("widened", "any(a.dtype == np.float16 for a in arrays)"),
    "integers turned into floats": ("widened", "integers(arrays)"),
    "inputs changed in place": ("in place", "True"),
}
"""Programs by name: how each is wrong, and under which condition."""

_OPTIONAL: Final = ("arguments left out", "no argument left out")

_WRAPPER: Final = """

def _wrong_on_purpose(kind, condition, names, space):
    import contextlib
    import copy
    import functools
    import inspect
    import io
    import sys
    import types

    import numpy as np

    class WrongOnPurpose(Exception):
        pass

    inside = []
    first = {}

    def items_of(value, change):
        items = [change(item) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)

    def each(value, change):
        if isinstance(value, (list, tuple)):
            return items_of(value, lambda item: each(item, change))
        if isinstance(value, dict):
            return {key: each(item, change) for key, item in value.items()}
        return change(value)

    def filled(number):
        def change(value):
            if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
                return np.full_like(value, number)
            if isinstance(value, (bool, int, float, complex, np.generic)):
                return type(value)(number)
            if isinstance(value, str):
                return str(number)
            return number

        return change

    def not_a_number(value):
        if isinstance(value, np.ndarray):
            return np.full(value.shape, np.nan, value.dtype if value.dtype.kind in "fc" else float)
        return type(value)("nan") if isinstance(value, (float, np.inexact, str)) else np.nan

    def single(value):
        if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
            return np.ones((1,) * value.ndim, value.dtype)
        return filled(1)(value)

    def empty(value):
        if isinstance(value, (list, dict, set, str)):
            return type(value)()
        if isinstance(value, tuple):
            return items_of(value, empty)
        if isinstance(value, np.ndarray) and value.ndim:
            return value[:0]
        return np.zeros(0, getattr(value, "dtype", float))

    def empty_batch(value):
        if isinstance(value, tuple):
            return items_of(value, empty_batch)
        if isinstance(value, np.ndarray):
            return np.zeros((0, *value.shape), value.dtype)
        return empty(value)

    def several(value):
        if isinstance(value, (bool, int, float, complex, np.generic, np.ndarray)):
            return np.broadcast_to(value, (3, 3, *np.shape(value))).copy()
        raise WrongOnPurpose("no number")

    def plus_one(value):
        if isinstance(value, str):
            return value + "x"
        if isinstance(value, (bool, np.bool_)):
            return type(value)(not value)
        if isinstance(value, np.ndarray) and value.dtype.kind == "b":
            return ~value
        if isinstance(value, (int, float, complex, np.generic)):
            return type(value)(value + 1)
        if isinstance(value, np.ndarray) and value.dtype.kind in "iufc":
            return (value + 1).astype(value.dtype)
        return value

    def almost_zero(value):
        if isinstance(value, (np.ndarray, np.floating)) and value.dtype.kind == "f":
            small = np.asarray(1e-12, value.dtype) or np.finfo(value.dtype).tiny
            return np.where(value == 0, small, value)[()]
        return 1e-12 if isinstance(value, float) and value == 0 else value

    def widened(value):
        if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "iuf":
            return value.astype(np.float64)
        return float(value) if type(value) is int else value

    constants = {
        "sevens": lambda value: each(value, filled(7)),
        "zeros": lambda value: each(value, filled(0)),
        "nan": lambda value: each(value, not_a_number),
        "single": lambda value: each(value, single),
        "empty": empty,
        "empty batch": empty_batch,
        "several": lambda value: each(value, several),
    }

    def transposed(value):
        return value.T.copy() if isinstance(value, np.ndarray) else value

    def near(value):
        real = isinstance(value, (float, np.inexact))
        if real or isinstance(value, np.ndarray) and value.dtype.kind in "fc":
            return (value * 1.001).astype(value.dtype) if hasattr(value, "dtype") else value * 1.001
        return value

    changes = {
        "transposed": transposed,
        "near": near,
        "plus one": plus_one,
        "almost zero": almost_zero,
        "widened": widened,
    }

    def copied(value):
        try:
            return copy.deepcopy(value)
        except Exception:
            return value

    def redraw(value):  # what is drawn is an answer too
        pyplot = sys.modules.get("matplotlib.pyplot")
        figures = [pyplot.figure(number) for number in pyplot.get_fignums()] if pyplot else []
        if hasattr(value, "get_figure"):
            figures.append(value.get_figure() or value)
        numbers = {"sevens": 7.0, "zeros": 0.0, "nan": np.nan}
        for figure in figures:
            if kind not in numbers:
                figure.clear()
            for axes in figure.axes:
                for line in axes.lines:
                    line.set_ydata(np.full(np.shape(line.get_ydata()), numbers[kind]))
                for image in axes.images:
                    image.set_data(np.full(np.shape(image.get_array()), numbers[kind]))
                for each in axes.collections:
                    each.set_offsets(np.full(np.shape(each.get_offsets()), numbers[kind]))
                    if each.get_array() is not None:
                        each.set_array(np.full(np.shape(each.get_array()), numbers[kind]))
                for bar in axes.patches:
                    bar.set(width=numbers[kind], height=numbers[kind])
        return bool(figures)

    def constant(right, args, kwargs, change):
        try:
            with contextlib.redirect_stdout(io.StringIO()):  # what it prints is an answer too
                value = right(*copied(args), **copied(kwargs))
        except Exception:
            value = args[0] if args else 0.0
        if redraw(value) and not isinstance(value, (np.ndarray, np.generic, int, float, complex)):
            return value
        return change(value)

    def answer(name, right, args, kwargs, arrays):
        if kind in constants:
            return constant(right, args, kwargs, constants[kind])
        match kind:
            case "raises":
                raise WrongOnPurpose("wrong on purpose")
            case "nothing":
                return None
            case "argument":
                return next(iter([*args, *kwargs.values()]), None)
            case "stale":
                if name not in first:
                    first[name] = copied(right(*args, **kwargs))
                return copied(first[name])
        value = right(*args, **kwargs)
        if kind == "in place":
            for array in arrays:
                if array.flags.writeable:
                    array[...] = ~array if array.dtype.kind == "b" else array + 1
            return value
        if kind == "plus one" and value is None:
            print("wrong")
        return each(value, changes[kind])

    def arrays_in(value):
        if isinstance(value, (list, tuple)):
            return [array for item in value for array in arrays_in(item)]
        if isinstance(value, dict):
            return arrays_in(list(value.values()))
        return [value] if isinstance(value, np.ndarray) and value.dtype.kind in "biufc" else []

    def integers(arrays):
        kinds = {array.dtype.kind for array in arrays}
        return bool(kinds & set("iu")) and not kinds & set("fc")

    def is_met(right, args, kwargs, arrays, is_method):
        if condition == "True":
            return True
        known = {
            "np": np, "args": args, "kwargs": kwargs, "arrays": arrays, "integers": integers,
            "most_axes": max((array.ndim for array in arrays), default=-1),
            "most_arguments": len(inspect.signature(right).parameters) - is_method,
        }
        return bool(eval(condition, known))

    def wrapped(name, right, is_wrong):
        is_method = isinstance(right, types.FunctionType) and "." in name

        @functools.wraps(right)
        def stand_in(*args, **kwargs):
            own, rest = args[:is_method], args[is_method:]
            arrays = [] if inside else arrays_in([*rest, *kwargs.values()])
            is_right = inside or not is_wrong or not is_met(right, rest, kwargs, arrays, is_method)
            inside.append(name)
            try:
                if is_right:
                    return right(*args, **kwargs)
                bound = functools.partial(right, *own) if own else right
                return answer(name, bound, rest, kwargs, arrays)
            finally:
                inside.pop()

        return stand_in

    in_making = ("raises", "plus one", "almost zero", "widened", "in place")

    def wrap_class(name, kept, is_wrong):
        for base in kept.__mro__[:-1]:
            for attribute, function in list(vars(base).items()):
                plain = not attribute.startswith("__") or attribute == "__call__"
                is_init = attribute == "__init__" and kind in in_making
                if isinstance(function, types.FunctionType) and (plain or is_init):
                    wrong = wrapped(f"{name}.{attribute}", function, is_wrong)
                    try:
                        setattr(base, attribute, wrong)
                    except TypeError:
                        pass

    for name, is_wrong in names.items():
        right = space.get(name)
        if isinstance(right, type):
            wrap_class(name, right, is_wrong)
        elif callable(right):
            space[name] = wrapped(name, right, is_wrong)
        elif is_wrong and kind == "raises":
            space[name] = "wrong on purpose"
        elif is_wrong and kind not in in_making:
            space[name] = answer(name, lambda *_: right, (), {}, [])


_wrong_on_purpose({kind!r}, {condition!r}, {names!r}, globals())
"""


def wrong_programs(exercise: Exercise, right: str) -> tuple[SabotagedProgram, ...]:
    """Return the wrong programs of an exercise.

    Args:
        right: A program that is right, or the best there is.
    """
    if exercise.kind == "predict":
        return tuple(_wrong_answers(exercise, right))
    names = list(exercise.defines)
    result = [
        SabotagedProgram(kind, does, _program(right, kind, dict.fromkeys(names, True)), constant)
        for kind, (does, constant) in _DOES.items()
    ]
    for name in names if len(names) > 1 else ():
        source = _program(right, RAISES, {each: each == name for each in names})
        result.append(SabotagedProgram(f"{RAISES} in {name}", _DOES[RAISES][0], source, only=name))
    return tuple(result)


def conditional_mistakes(exercise: Exercise, right: str) -> Iterator[SabotagedProgram]:
    """Yield the programs that are wrong under one condition."""
    if exercise.kind == "predict":  # nothing is called
        return
    names = dict.fromkeys(exercise.defines, True)
    definitions = [node for node in ast.parse(right).body if getattr(node, "name", "") in names]
    functions = [
        node for each in definitions for node in ast.walk(each) if isinstance(node, ast.arguments)
    ]
    has_defaults = any(each.defaults or any(each.kw_defaults) for each in functions)
    for name, (kind, condition) in _CONDITIONS.items():
        if has_defaults or name not in _OPTIONAL:
            does = f"is wrong under one condition: {name}"
            yield SabotagedProgram(name, does, _program(right, kind, names, condition))


def _program(right: str, kind: str, names: dict[str, bool], condition: str = "True") -> str:
    wrapper = _WRAPPER
    for key, value in (("kind", kind), ("condition", condition), ("names", names)):
        wrapper = wrapper.replace(f"{{{key}!r}}", repr(value))
    return append_code(right, wrapper)


_NEVER_RIGHT: Final = "an answer that no one gives"


def _wrong_answers(exercise: Exercise, right: str) -> Iterator[SabotagedProgram]:
    """Yield programs with other literals: what is predicted is answered, not computed."""
    result: dict[str, object] = {}
    for statement in ast.parse(right).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                with contextlib.suppress(ValueError):
                    result[name] = ast.literal_eval(value)
    answers = result
    names = list(exercise.defines)
    for kind, answer in (("sevens", 7), ("zeros", 0), (NOTHING, None)):
        if all(answers.get(name, ...) != answer for name in names):
            does = f"answers everything with {answer}"
            source = _assign(dict.fromkeys(names, answer))
            yield SabotagedProgram(kind, does, source, must_be_rejected=True)
    for name in names:
        for choice in exercise.defines[name].choices:
            if choice != answers.get(name):
                source = _assign({**answers, name: choice})
                label, does = f"{name}: {choice}", f"chooses {choice!r} for {name}"
                yield SabotagedProgram(label, does, source, must_be_rejected=True, only=name)
    does = "answers with nonsense"
    yield SabotagedProgram(RAISES, does, _assign(dict.fromkeys(names, _NEVER_RIGHT)))
    for name in names if len(names) > 1 else ():
        source = _assign({**answers, name: _NEVER_RIGHT})
        yield SabotagedProgram(f"{RAISES} in {name}", does, source, only=name)


def _assign(answers: dict[str, object]) -> str:
    return "".join(f"{name} = {answer!r}\n" for name, answer in answers.items())
