"""The screening of a submission for code that its exercise forbids, on its syntax tree.

The child parses the source, since hostile source can crash Python's parser; the rules are applied
here. The child resolves imports and plain assignments, and a module that is passed on in any other
way is refused. An exercise that forbids anything also forbids the usual workarounds, such as
`getattr`, `exec` and `importlib`. This is not a security boundary: a learner who gets around it has
learnt more Python than the exercise teaches.
"""

import pkgutil
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Literal, TypeAlias

import numpy as np

from grader.definitions.exercise import Exercise, Forbid
from grader.grading.feedback import outcome_sentences, prediction_sentences
from grader.grading.results.verdict import Outcome
from grader.grading.submissions.program_text import NO_TEXT, ProgramText
from grader.sandbox.answers import FORGED_LINE, Raised, Returned
from grader.sandbox.interface import Child
from grader.sandbox.printable import printable

_WORKAROUND_ROOTS = frozenset(
    {
        "__main__", "_operator", "_pickle", "bdb", "builtins", "cProfile", "code", "codeop",
        "compile", "ctypes", "doctest", "eval", "exec", "gc", "getattr", "globals", "imp",
        "importlib", "inspect", "locals", "marshal", "operator", "pdb", "pickle", "pkgutil",
        "profile", "pydoc", "runpy", "shelve", "submission", "timeit", "unittest", "vars",
        "zipimport",
    }
)  # fmt: skip
_WORKAROUND_ATTRIBUTES = frozenset(
    {
        "__array_namespace__", "__builtins__", "__code__", "__dict__", "__getattr__",
        "__getattribute__", "__globals__", "__import__", "__loader__", "__self__",
        "__spec__", "__subclasses__", "_getframe", "attrgetter", "cell_contents",
        "co_names", "f_back", "f_builtins", "f_globals", "f_locals", "get_type_hints",
        "import_module", "methodcaller", "tb_frame",
    }
)  # fmt: skip
_HIDDEN_LOOPS = (
    "functools.reduce", "itertools", "numpy.apply_along_axis", "numpy.apply_over_axes",
    "numpy.fromiter", "numpy.frompyfunc", "numpy.ndenumerate", "numpy.ndindex", "numpy.nditer",
    "numpy.nested_iters", "numpy.vectorize",
)  # fmt: skip
_HIDDEN_LOOPS_BY_ONE_WORD = frozenset({"filter", "map"})

SentenceMaker: TypeAlias = Callable[[], str]
"""A function that makes a sentence. It is called later, so that its error costs no verdict."""


@dataclass(frozen=True, slots=True)
class RunProblem:
    """The reason why no test of a submission can run, for the learner."""

    outcome: Outcome
    sentence: SentenceMaker
    line: int | None = None  # the line of the submission that the sentence points to
    is_unanswered: bool = False  # whether an answer is still a placeholder


@dataclass(frozen=True, slots=True)
class Use:
    """A name or a loop that a program uses, with the first line of the use."""

    kind: Literal["import", "name", "call", "passed", "loop"]
    name: str  # the full name, such as "numpy.linalg.norm"
    written: str  # the name as the learner wrote it, such as "la.norm"
    line: int


def screen(child: Child, text: ProgramText, exercise: Exercise) -> RunProblem | Raised | None:
    """Screen a program that has not run yet.

    Returns:
        None if it may run, otherwise the problem or the syntax error.

    Raises:
        ChildGoneError: Parsing the source crashed Python.
    """
    if exercise.is_prediction:
        return _screen_answers(child, text, list(exercise.defines))
    if not exercise.asks_for_suite and exercise.forbid is None:
        return None  # loading the source finds its syntax errors; a suite is not loaded
    return _screen_code(child, text, exercise)


def _screen_code(child: Child, text: ProgramText, exercise: Exercise) -> RunProblem | Raised | None:
    """Screen code for syntax errors and forbidden uses."""
    answer = child.ask("find_uses", text.source)
    if isinstance(answer, Raised):
        return answer
    if exercise.forbid is None:
        return None
    uses = _parse_uses(answer.value) if isinstance(answer, Returned) else None
    if uses is None:
        return RunProblem(Outcome.FAILED, lambda: outcome_sentences.TOO_MANY_NAMES)
    own_modules = {name.removesuffix(".py") for name in exercise.files_to_submit}
    return find_forbidden_use(exercise.forbid, uses, own_modules, text)


def _screen_answers(
    child: Child, text: ProgramText, names: list[str]
) -> RunProblem | Raised | None:
    """Screen a prediction, which may only set names to literals.

    Args:
        names: The names to set.
    """
    answer = child.ask("find_non_answer", text.source, names)
    what, line, name = "statement", 1, ""
    match answer:
        case Raised():
            return answer
        case Returned(value=None):
            return None
        case Returned(value=("statement" | "name" | "value" as what, int(line), str(name))):
            name = printable(name[:100])
    first = text.begin_with(line)
    sentence = partial(prediction_sentences.more_than_answers_sentence, what, first, name, names)
    return RunProblem(Outcome.FAILED, sentence, line)


def _parse_uses(facts: object) -> list[Use] | None:
    """Return the uses that the child reports, or None if they are incomplete or malformed."""
    match facts:
        case {"uses": list(entries), "more": False}:
            pass
        case _:
            return None
    uses = []
    for entry in entries:
        match entry:
            case (
                ("import" | "name" | "call" | "passed" | "loop") as kind,
                str(name),
                str(written),
                int(line),
            ) if 0 < line < FORGED_LINE:
                uses.append(Use(kind, name, printable(written), line))
            case _:
                return None
    return uses


def find_forbidden_use(
    forbid: Forbid,
    uses: Sequence[Use],
    own_modules: Collection[str] = (),
    text: ProgramText = NO_TEXT,
) -> RunProblem | None:
    """Return the problem with the first forbidden use, or None.

    Args:
        own_modules: The submission's own modules, which may not be passed on either.
    """
    for use in uses:
        line = text.begin_with(use.line)
        if (reason := _forbidden_phrase(forbid, use)) is not None:
            sentence: SentenceMaker = partial(
                outcome_sentences.forbidden_use_sentence, line, reason, forbid.because
            )
        elif _is_workaround(use.name):
            template = outcome_sentences.WORKAROUND
            sentence = partial(template.format, line=line, name=use.written)
        elif use.kind == "passed" and (use.name in own_modules or _could_hide(forbid, use.name)):
            template = outcome_sentences.MODULE_PASSED_ON
            sentence = partial(template.format, line=line, name=use.written)
        else:
            continue
        return RunProblem(Outcome.FAILED, sentence, use.line)
    return None


def _is_workaround(name: str) -> bool:
    root, *attributes = name.split(".")
    if root in _WORKAROUND_ROOTS or not _WORKAROUND_ATTRIBUTES.isdisjoint(attributes):
        return True
    if _is_library(root):  # its attributes include its imports, as in dataclasses.inspect
        return not _WORKAROUND_ROOTS.isdisjoint(attributes) or "modules" in attributes
    return root in _WORKAROUND_ATTRIBUTES


def _forbidden_phrase(forbid: Forbid, use: Use) -> str | None:
    """Return the phrase for a forbidden use, such as "uses `np.sum`", or None if allowed."""
    match use.kind:
        case "import":
            inside = any(
                _is_below(use.name, entry) or ("." in entry and _is_in_numpy(entry, use.name))
                for entry in _expand_np(forbid.imports)
            )
            return f"imports `{use.written}`" if inside else None
        case "loop":
            loops = {
                "recursion": "calls the function in itself",
                "comprehension": "has a comprehension",
            }
            return loops.get(use.name, f"has a `{use.name}` loop") if forbid.loops else None
        case "passed":
            return None
    name = use.name
    # A forbidden name without a dot is forbidden in any module. A function that is only named, not
    # called, counts too, since it may be called elsewhere. `f.__call__` counts as `f`.
    words = [word for word in name.split(".") if not word.startswith("__")]
    names, calls = [*_expand_np(forbid.names)], [*_expand_np(forbid.calls)]
    dotted = [entry for entry in (*names, *calls) if "." in entry]
    is_forbidden = (
        any(_matches(entry, name) for entry in (*dotted, *(_HIDDEN_LOOPS if forbid.loops else ())))
        or not {*name.split(".")}.isdisjoint(names)
        or not {*words[-1:]}.isdisjoint(calls)
        or (forbid.loops and name.removesuffix(".__call__") in _HIDDEN_LOOPS_BY_ONE_WORD)
    )
    if not is_forbidden:
        return None
    full_name = name.replace("numpy.", "np.", 1) if name.startswith("numpy.") else name
    if use.written in (full_name, name) or name.startswith("."):
        return f"uses `{use.written}`"
    return f"uses `{use.written}` (that is `{printable(full_name)}`)"


def _matches(entry: str, name: str) -> bool:
    """Return whether a name means what an entry with its module forbids."""
    # The imports of a library are its attributes too, as in numpy.ma.core.functools.reduce.
    imported = _is_below(name, entry) or (
        _is_library(name.partition(".")[0]) and f".{entry}." in f".{name}."
    )
    if imported or _is_in_numpy(entry, name):
        return True
    # A function of NumPy is also forbidden as the method of an array, such as `x.var`.
    module, _, word = entry.rpartition(".")
    root, *words = name.split(".")
    if module != "numpy" or not hasattr(np.ndarray, word):
        return False
    return word in words and root not in sys.stdlib_module_names


def _is_in_numpy(entry: str, name: str) -> bool:
    """Return whether a name is an alias in NumPy of an entry, as numpy.matlib.einsum is."""
    root, *words = name.split(".")
    last_name = entry.rpartition(".")[2]
    plain = (word.lstrip("_").removeprefix("c_") for word in words)  # as in c_einsum and _var
    return (
        entry.startswith("numpy.")
        and root == "numpy"
        and (last_name in words or last_name in plain)
    )


def _could_hide(forbid: Forbid, name: str) -> bool:
    """Return whether `name` is a standard module, or a module that holds a forbidden name.

    Standard modules count because some import modules that look names up dynamically.
    """
    if name in sys.stdlib_module_names:
        return True
    entries = [entry for entry in _expand_np((*forbid.names, *forbid.calls)) if "." in entry]
    entries += [entry for entry in _HIDDEN_LOOPS if forbid.loops]
    if any(_is_below(entry, name) for entry in entries):
        return True
    root, *words = name.split(".")
    if root != "numpy" or not any(entry.startswith("numpy.") for entry in entries):
        return False
    target: object = np
    for word in words:
        if not isinstance(target, ModuleType):
            return False
        below = pkgutil.iter_modules(getattr(target, "__path__", ()))
        if word not in vars(target) and word in (module.name for module in below):
            return True  # because the content of a submodule that is not imported is unknown
        target = vars(target).get(word)
    return isinstance(target, ModuleType)


def _is_library(root: str) -> bool:
    return root == "numpy" or root in sys.stdlib_module_names


def _is_below(name: str, entry: str) -> bool:
    return name == entry or name.startswith(f"{entry}.")


def _expand_np(entries: Sequence[str]) -> Iterator[str]:
    """Yield entries with `np` written out as `numpy`, as in uses."""
    for entry in entries:
        root, dot, rest = entry.partition(".")
        yield f"numpy{dot}{rest}" if root == "np" else entry
