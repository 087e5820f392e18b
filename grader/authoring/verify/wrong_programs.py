"""Deliberately wrong programs, made from a right one.

A test that none of them fails checks nothing; a test that all of them pass, even programs that
always raise, never uses the submission. Some are wrong only under one condition. If every hidden
test accepts such a program, the tests never meet the condition or do not look closely enough. That
is a gap if the instructions promise the case, which only the author knows.

Each program wraps what the right one defines, so that results keep their shape and dtype where that
is the point. Calls between the wrapped functions reach the right versions: a program is wrong only
towards its caller.
"""

import ast
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from grader.authoring.verify.sabotage import SabotageKind, sabotage
from grader.definitions.exercise import Exercise

RAISES: Final = "raises"
NOTHING: Final = "nothing"
FILLED: Final = ("sevens", "zeros")
EMPTY: Final = ("empty", "empty batch")
SEVERAL: Final = "several"
SQUARES: Final = "axes of one length"
RECTANGLES: Final = "axes of different lengths"
SHAPES: Final = (*EMPTY, SEVERAL)  # wrong only in the shape


@dataclass(frozen=True, slots=True)
class WrongProgram:
    """A right program that was made wrong."""

    id: str
    does: str  # a predicate such as "always answers with sevens"
    source: str
    must_be_rejected: bool = False  # by hidden tests, because no right answer looks like this
    only: str = ""  # the one wrong name, if the others stay right
    is_unusable: bool = False  # whether that name raises or, in a prediction, is nonsense

    @property
    def change(self) -> str:
        """The name in `equivalent`, for a program that happens to be right."""
        return f"wrong program: {self.id}"


_DOES: Final[dict[SabotageKind, tuple[str, bool]]] = {
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

# The mutation and the condition of each program, by name. Conditions are over `arrays`, the array
# arguments, and over `args` and `kwargs`, all arguments.
_CONDITIONS: Final[dict[str, tuple[SabotageKind, str]]] = {
    "float32": ("plus one", "any(a.dtype == np.float32 for a in arrays)"),
    "float16": ("plus one", "any(a.dtype == np.float16 for a in arrays)"),
    "integers": ("plus one", "integers(arrays)"),
    "no axis": ("plus one", "any(a.ndim == 0 for a in arrays)"),
    "one axis": ("plus one", "max_axes == 1"),
    "two axes": ("plus one", "max_axes == 2"),
    "three axes": ("plus one", "max_axes == 3"),
    "four axes": ("plus one", "max_axes == 4"),
    "first axis of length 1": ("plus one", "any(a.ndim and a.shape[0] == 1 for a in arrays)"),
    "last axis of length 1": ("plus one", "any(a.ndim and a.shape[-1] == 1 for a in arrays)"),
    "an axis of length 0": ("plus one", "any(0 in a.shape for a in arrays)"),
    SQUARES: (
        "plus one",
        "any(a.shape[-2:-1] == a.shape[-1:] > (1,) for a in arrays)",
    ),
    RECTANGLES: ("plus one", "any(len(set(a.shape)) > 1 for a in arrays)"),
    "minus infinity": (
        "plus one",
        "any(a.dtype.kind == 'f' and np.isneginf(a).any() for a in arrays)",
    ),
    "numbers above 800": (
        "plus one",
        "any((np.abs(a[np.isfinite(a)]) > 800).any() for a in arrays)",
    ),
    "Fortran order": ("plus one", "any(a.flags.fnc for a in arrays)"),
    "neither C nor Fortran order": ("plus one", "any(not a.flags.forc for a in arrays)"),
    "arguments left out": ("plus one", "len(args) + len(kwargs) < max_arguments"),
    "no argument left out": ("plus one", "len(args) + len(kwargs) == max_arguments"),
    "an exact 0": ("almost zero", "True"),
    "float32 widened to float64": ("widened", "any(a.dtype == np.float32 for a in arrays)"),
    "float16 widened to float64": ("widened", "any(a.dtype == np.float16 for a in arrays)"),
    "integers turned into floats": ("widened", "integers(arrays)"),
    "inputs changed in place": ("in place", "True"),
}

_OPTIONAL: Final = ("arguments left out", "no argument left out")


def sabotage_programs(exercise: Exercise, right: str) -> tuple[WrongProgram, ...]:
    """Return the wrong programs of an exercise, made from a right or the best available program."""
    if exercise.is_prediction:
        return tuple(_make_wrong_answers(exercise, right))
    names = list(exercise.defines)
    all_names = dict.fromkeys(names, True)
    programs = [
        WrongProgram(kind, does, sabotage(right, kind, all_names), must_be_rejected)
        for kind, (does, must_be_rejected) in _DOES.items()
    ]
    for name in names if len(names) > 1 else ():
        source = sabotage(right, RAISES, {each: each == name for each in names})
        programs.append(
            WrongProgram(
                f"{RAISES} in {name}", _DOES[RAISES][0], source, only=name, is_unusable=True
            )
        )
    return tuple(programs)


def make_conditional_mistakes(exercise: Exercise, right: str) -> Iterator[WrongProgram]:
    """Yield the programs that are wrong only under one condition."""
    if exercise.is_prediction:
        return  # a prediction calls nothing
    names = dict.fromkeys(exercise.defines, True)
    definitions = [node for node in ast.parse(right).body if getattr(node, "name", "") in names]
    functions = [
        node for part in definitions for node in ast.walk(part) if isinstance(node, ast.arguments)
    ]
    has_defaults = any(function.defaults or any(function.kw_defaults) for function in functions)
    for name, (kind, condition) in _CONDITIONS.items():
        if has_defaults or name not in _OPTIONAL:
            does = f"is wrong under one condition: {name}"
            yield WrongProgram(name, does, sabotage(right, kind, names, condition))


_NEVER_RIGHT: Final = "an answer that no one gives"


def _make_wrong_answers(exercise: Exercise, right: str) -> Iterator[WrongProgram]:
    """Yield programs with other literals, because predictions are values, not computations."""
    answers: dict[str, object] = {}
    for statement in ast.parse(right).body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                with contextlib.suppress(ValueError):
                    answers[name] = ast.literal_eval(value)
    names = list(exercise.defines)
    for kind, answer in (("sevens", 7), ("zeros", 0), (NOTHING, None)):
        if all(answers.get(name, ...) != answer for name in names):
            does = f"answers everything with {answer}"
            source = _assign(dict.fromkeys(names, answer))
            yield WrongProgram(kind, does, source, must_be_rejected=True)
    for name in names:
        for choice in exercise.defines[name].choices:
            if choice != answers.get(name):
                source = _assign({**answers, name: choice})
                label, does = f"{name}: {choice}", f"chooses {choice!r} for {name}"
                yield WrongProgram(label, does, source, must_be_rejected=True, only=name)
    does = "answers with nonsense"
    yield WrongProgram(RAISES, does, _assign(dict.fromkeys(names, _NEVER_RIGHT)))
    for name in names if len(names) > 1 else ():
        source = _assign({**answers, name: _NEVER_RIGHT})
        yield WrongProgram(f"{RAISES} in {name}", does, source, only=name, is_unusable=True)


def _assign(answers: dict[str, object]) -> str:
    return "".join(f"{name} = {answer!r}\n" for name, answer in answers.items())
