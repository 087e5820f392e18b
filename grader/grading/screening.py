"""What a submission must do without, found on its syntax tree before any of it runs.

The tree is read by the child, since Python's parser can be crashed; the rule is applied here. It
is a fence and not a wall: it resolves imports and plain assignments, and where anything is
forbidden it forbids the usual ways around too (`getattr`, `exec`, `importlib` and their like). A
learner who goes to lengths to get around it has learnt more Python than the exercise teaches.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.definitions.exercise import Exercise, Forbid
from grader.grading import feedback
from grader.sandbox.answers import Raised, Returned
from grader.sandbox.child import Child
from grader.sandbox.printable import printable

_AROUND = frozenset(
    {
        "__builtins__", "__import__", "builtins", "compile", "eval", "exec", "getattr", "globals",
        "importlib", "locals", "vars",
    }
)  # fmt: skip
_AROUND_ANYWHERE = frozenset(
    {"__dict__", "__getattribute__", "attrgetter", "import_module", "methodcaller"}
)
_AROUND_EXACTLY = frozenset({"sys.modules"})
_LINES = 1 << 20


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a submission is not run, and where."""

    sentence: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """One thing that a program uses, at its first line."""

    kind: str  # import, name, call or loop
    name: str  # in full: numpy.linalg.norm
    written: str  # as the learner spelled it: la.norm
    line: int


def screen(child: Child, source: str, exercise: Exercise) -> Refusal | Raised | None:
    """Look at a submission that has not run yet.

    Returns:
        None if it may run; why not, or the error by which Python could not read it.

    Raises:
        ChildGoneError: reading it crashed Python.
    """
    if exercise.kind == "predict":
        return _answers(child, source, exercise)
    if exercise.forbid is None:
        return None
    answer = child.screen(source)
    if isinstance(answer, Raised):
        return answer
    uses = _uses(answer.value) if isinstance(answer, Returned) else None
    if uses is None:
        return Refusal(feedback.TOO_MANY_NAMES)
    return breach(exercise.forbid, uses)


def _answers(child: Child, source: str, exercise: Exercise) -> Refusal | Raised | None:
    answer = child.answers(source, list(exercise.defines))
    if isinstance(answer, Raised):
        return answer
    match answer:
        case Returned(value=None):
            return None
        case Returned(value=("statement" | "name" | "value" as what, int(line), str(name))):
            names = list(exercise.defines)
            sentence = feedback.more_than_answers(what, line, printable(name[:100]), names)
            return Refusal(sentence, line)
    return Refusal(feedback.more_than_answers("statement", 1, "", list(exercise.defines)))


def _uses(facts: object) -> list[Use] | None:
    """Read what the child says; None if that is not all of it."""
    match facts:
        case {"uses": list(entries), "more": False}:
            uses = [_use(entry) for entry in entries]
            return [use for use in uses if use is not None] if None not in uses else None
    return None


def _use(entry: object) -> Use | None:
    match entry:
        case (str(kind), str(name), str(written), int(line)) if 0 < line < _LINES:
            return Use(kind, name, printable(written), line)
    return None


def breach(forbid: Forbid, uses: Sequence[Use]) -> Refusal | None:
    """Return the first use, by line, that is forbidden."""
    for use in uses:
        if (said := _forbidden(forbid, use)) is not None:
            return Refusal(feedback.forbidden(use.line, said, forbid.because), use.line)
        if _leads_around(use):
            return Refusal(feedback.roundabout(use.line, use.written), use.line)
    return None


def _forbidden(forbid: Forbid, use: Use) -> str | None:
    """Say what is done that is forbidden, as "uses `np.sum`"."""
    match use.kind:
        case "import":
            inside = any(_is_below(use.name, entry) for entry in _whole(forbid.imports))
            return f"imports `{use.written}`" if inside else None
        case "loop":
            return f"has a {_loop(use.name)}" if forbid.loops else None
    named = any(_names(entry, use.name) for entry in _whole(forbid.names))
    called = any(_calls(entry, use.name) for entry in _whole(forbid.calls))
    return f"uses {_both_names(use)}" if named or called else None


def _names(entry: str, name: str) -> bool:
    """Tell whether a name is forbidden, or lies below one; a single word is meant anywhere."""
    return _is_below(name, entry) if "." in entry else entry in name.split(".")


def _calls(entry: str, name: str) -> bool:
    """Tell whether a function is forbidden; to name it without a call is to call it elsewhere."""
    return name == entry if "." in entry else name.rpartition(".")[2] == entry


def _is_below(name: str, entry: str) -> bool:
    return name == entry or name.startswith(f"{entry}.")


def _whole(entries: Sequence[str]) -> Iterator[str]:
    """Spell `np` in full, as the uses are."""
    for entry in entries:
        root, dot, rest = entry.partition(".")
        yield f"numpy{dot}{rest}" if root == "np" else entry


def _loop(name: str) -> str:
    return name if name == "comprehension" else f"`{name}` loop"


def _both_names(use: Use) -> str:
    known = use.name.replace("numpy.", "np.", 1) if use.name.startswith("numpy.") else use.name
    if use.written in (known, use.name) or use.name.startswith("."):
        return f"`{use.written}`"
    return f"`{use.written}` (that is `{printable(known)}`)"


def _leads_around(use: Use) -> bool:
    parts = use.name.split(".")
    return (
        parts[0] in _AROUND
        or not _AROUND_ANYWHERE.isdisjoint(parts)
        or any(_is_below(use.name, exactly) for exactly in _AROUND_EXACTLY)
    )
