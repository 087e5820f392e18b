"""Explanations of the usual errors of array code: one sentence for each, by the message.

Nothing of a message is repeated but sizes, and names where Python puts them between quotes.
"""

import builtins
import difflib
import itertools
import keyword
import re
import sys
import typing
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from grader.definitions.wording import other_letter
from grader.grading.feedback import versions

_LONGEST_NAME = 40
_NO_NAME = ("AttributeError", "ImportError")


@dataclass(frozen=True, slots=True)
class _Cause:
    """A kind of error: the pattern of its message, and its explanation."""

    id: str
    types: tuple[str, ...]  # types of the exception
    pattern: str  # compiled when an error is first explained: most runs have none
    sentence: str | Callable[[re.Match[str]], str]  # a text may refer to groups of the pattern


def cause(kind: str, message: str) -> str:
    """Return the sentence about the cause of an error.

    Args:
        kind: The name of the exception's type.
        message: Its text, as Python or NumPy wrote it.

    Returns:
        A sentence; nothing for an error that is not among the usual ones.
    """
    if kind in _NO_NAME and (elsewhere := versions.of_name(message)):
        return elsewhere
    hit = _find(kind, message)
    if hit is None:
        return ""
    cause, match = hit
    if isinstance(cause.sentence, str):
        return match.expand(cause.sentence)
    return cause.sentence(match)


def signature(kind: str, message: str) -> tuple[str, ...] | None:
    """Return the features that two errors of the same mistake share.

    That is the kind of cause and the sizes in the message, not the words, which differ between
    `@` and `np.dot`. Of an index that is too large the sizes are left out: they say which item was
    asked for first, not why.

    Returns:
        None for an error that tells nothing in particular: a misspelt name can be anywhere.
    """
    hit = _find(kind, message)
    if hit is None or hit[0].id in _VAGUE:
        return None
    cause, match = hit
    use = match.groupdict().get("use") or ""
    if cause.id in _SIZELESS:
        return (cause.id, use)
    groups = [text for text in match.groups() if text and re.fullmatch(r"[\d, ()-]+", text)]
    sizes = [size.replace(" ", "") for text in groups for size in _SIZE.findall(text)]
    return (cause.id, use, *sorted(sizes))


def shapes_here(shapes: Sequence[tuple[str, tuple[int, ...]]]) -> str:
    """Return the sentence about the shapes of the arrays where an error arose, if any."""
    if not shapes:
        return ""
    (name, shape), *others = shapes
    rest = [f"`{other}` {_written(size)}" for other, size in others]
    listed = "".join(f", {each}" for each in rest[:-1]) + (f" and {rest[-1]}" if rest else "")
    return f"Here `{name}` has shape {_written(shape)}{listed}."


def undefined(name: str, names: Sequence[str]) -> str:
    """Return the sentence about a name that is not defined, with the one that may be meant."""
    letters = (other_letter(other, name) or other_letter(name, other) for other in names)
    if letter := next(filter(None, letters), ""):
        return letter
    if name in ("exit", "quit"):
        return "Leave this out; a function ends with `return`."
    if other := next((each for each in names if each.lower() == name.lower()), None):
        return f"Did you mean `{other}`? Capital and small letters are different."
    if "np" in names and callable(getattr(np, name, None)):
        return f"Did you mean `np.{name}`?"
    if name in typing.__all__ or name in sys.stdlib_module_names:
        from_typing = "from typing " * (name in typing.__all__)
        return f"Put `{from_typing}import {name}` at the top."
    names = [*names, *(each for each in dir(builtins) if each.islower())]
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.7)
    return f"Did you mean `{close[0]}`?" if close else ""


def in_numpy(source: str) -> str:
    """Return the sentence about what NumPy has in place of a library that is not here."""
    sentences = dict[str, str]()
    for library, name in _USES.findall(source):
        same = f"np.{name}" if callable(getattr(np, name, None)) else ""
        if here := _IN_NUMPY.get(name, same):
            sentences.setdefault(name, f"`{here}` instead of `{library}.{name}`")
    return f"Use {', '.join(list(sentences.values())[:3])}." if sentences else ""


_USES: Final = re.compile(
    r"\b(torch|F|tf|jnp|pd|scipy|special|linalg)\.(?:nn\.|functional\.|special\.|linalg\.|math\.)*(\w+)\("
)
_IN_NUMPY: Final = {
    "bmm": "@",
    "cat": "np.concatenate",
    "concat": "np.concatenate",
    "constant": "np.array",
    "DataFrame": "np.array",
    "from_numpy": "np.array",
    "matmul": "@",
    "mm": "@",
    "Series": "np.array",
    "softmax": "np.exp(x) / np.exp(x).sum(axis=-1, keepdims=True)",
    "tensor": "np.array",
    "Tensor": "np.array",
}


def unreadable(text: str, message: str) -> str:
    """Return the sentence about a line that Python cannot read."""
    for word, word_of_python in itertools.product(re.findall(r"\w+", text), keyword.kwlist):
        if reason := other_letter(word, word_of_python):
            return reason
    for pattern, sentence in _IN_THE_WAY:
        if re.match(pattern, text):
            return sentence
    if newer := versions.of_syntax(message, text):
        return newer
    return next((reason for pattern, reason in _UNREADABLE if re.search(pattern, message)), "")


_IN_THE_WAY: Final = (
    (
        r"<{7}|>{7}|\|{7}",
        "Git has left this line from two versions: keep one, take such lines out.",
    ),
    (r">>>|\.\.\. ", "`>>>` and `...` are Python's prompt: take them out of every line."),
    (r"(?:In|Out) ?\[\d*\]:", "`In [1]:` is the notebook's prompt: take it out of every line."),
    (r"```|~~~", "Such lines mark code in Markdown: take them out."),
    (r"(?:pip3?|python3?|conda) \S", "This is a command for the terminal: take it out."),
    (r"[%!]", "Lines that begin with `%` or `!` work in a notebook only: take them out."),
)
"""Texts that are pasted with code, by how they begin."""

_UNREADABLE: Final = (
    (
        "invalid character '[\u201c\u201d\u201e\u2018\u2019\u201a\xab\xbb\xb4]'",
        "These quotes are curly. Write straight ones: `\"` or `'`.",
    ),
    ("invalid character '[\u2212\u2010-\u2015]'", "This is not a minus sign. Write `-`."),
    ("invalid character '[\xd7\u2217\u22c5\xb7]'", "Write `*` to multiply."),
    ("invalid non-printable", "A character that cannot be seen is in this line: type it again."),
    (
        "inconsistent use of tabs",
        "Some lines begin with tabs, others with spaces. Begin all lines with spaces.",
    ),
    (
        "unindent does not match",
        "This line begins between two levels: give it as many spaces as one of the lines above.",
    ),
    (
        "expected an indented block",
        "A statement must follow here, four spaces further to the right. A comment is none.",
    ),
    ("unexpected indent", "This line begins further to the right than the lines above it."),
)
"""By the message of a syntax error."""

_SIZE: Final = re.compile(r"\([\d, ]*\)|-?\d+")


def _written(shape: tuple[int, ...]) -> str:
    return "()" if not shape else f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _find(kind: str, message: str) -> tuple[_Cause, re.Match[str]] | None:
    for cause in CAUSES:
        if kind in cause.types and (match := re.search(cause.pattern, message)):
            return cause, match
    return None


def _names(text: str) -> str:
    """Return a name from a message in backquotes, or "it"."""
    return f"`{text}`" if text.isidentifier() and len(text) <= _LONGEST_NAME else "it"


def _instead(owner: str, name: str) -> str:
    if place := _ELSEWHERE.get(name):
        return f"{owner} has no `{name}`; {place}."
    for other in dir(np):
        if not name.isascii() and (sentence := other_letter(name, other)):
            return sentence
    if owner == "NumPy" and (close := difflib.get_close_matches(name, dir(np), n=1, cutoff=0.8)):
        return f"Did you mean `np.{close[0]}`?"
    return f"{owner} has no {_names(name)}: is it spelled right, or from another library?"


_ELSEWHERE: Final = {
    "append": "an array has a fixed size, so collect in a list or use `np.concatenate`",
    "cat": "use `np.concatenate`",
    "clone": "use `.copy()`",
    "detach": "there is nothing to detach, leave it out",
    "dim": "use `.ndim`",
    "expand": "use `np.broadcast_to`",
    "exp": "use `np.exp(x)`",
    "log": "use `np.log(x)`",
    "masked_fill": "use `np.where(mask, value, x)`",
    "matmul": "use `@`",
    "numpy": "it is an array already",
    "permute": "use `.transpose(...)`",
    "sigmoid": "write it with `np.exp`",
    "softmax": "write it with `np.exp` and `.sum(axis=-1, keepdims=True)`",
    "relu": "use `np.maximum(x, 0)`",
    "sqrt": "use `np.sqrt(x)`",
    "tanh": "use `np.tanh(x)`",
    "unsqueeze": "use `np.expand_dims` or index with `np.newaxis`",
    "view": "use `.reshape(...)`",
    "zeros": "use `np.zeros`",
}


def _axis(match: re.Match[str]) -> str:
    count = int(match[2])
    if count == 0:
        return "This value is a single number, so it has no axes at all."
    axes = "axis" if count == 1 else "axes"
    return (
        f"The array has {count} {axes} here, so the axis may be from {-count} to {count - 1}. "
        "Has one been summed away before (see `keepdims`)?"
    )


def _bounds(match: re.Match[str]) -> str:
    axis, count = match[2], int(match[3])
    if count == 0:
        return f"Axis {axis} has no entries at all. Has a slice or a mask left nothing over?"
    entries = f"Axis {axis} has {count} {'entry' if count == 1 else 'entries'}"
    if match[1].startswith("-"):
        return f"{entries}; counted from the end, the first one is number {-count}."
    return f"{entries}, numbered from 0, so the last one is number {count - 1}, or -1."


def _shapes(*texts: str) -> list[tuple[int, ...]]:
    """Return the shapes in a message: NumPy writes some with spaces, some without."""
    shapes = re.findall(_SHAPE, " ".join(texts))
    return [tuple(map(int, re.findall(r"\d+", text))) for text in shapes]


def _sides(match: re.Match[str]) -> str:
    """Return the sentence about two shapes that do not fit; NumPy lists all."""
    shapes = _shapes(*(text for text in match.groups() if text))
    for one, other in itertools.combinations(shapes, 2):
        for left, right in zip(reversed(one), reversed(other), strict=False):
            if left != right and 1 not in (left, right):
                return (
                    f"Shapes {_written(one)} and {_written(other)} do not fit: axes are paired "
                    "from the right and must be equally long, or one of them of length 1, but "
                    f"here {left} meets {right}."
                )
    return "The shapes do not fit: paired from the right, axes must be equally long, or one be 1."


def _call(match: re.Match[str], count: str) -> str:
    """Return the sentence about a number of arguments, with a reminder for methods."""
    of_class = " The first parameter of a method is `self`." if match["method"] else ""
    return f"{count}{of_class}"


_KEYWORDS: Final = {"dim": "axis", "keepdim": "keepdims"}
_VALUE, _TYPE, _INDEX = ("ValueError",), ("TypeError",), ("IndexError",)
_SHAPE = r"(\([\d, ]*\))"
_NUMBER = r"'?(?:int|float|complex|bool|numpy\.(?:u?int|float|complex|bool)\w*)'?"
_NO_ITEMS = (
    "This is a single number, so it has no length and no items. Has an axis been summed or indexed "
    "away before, or does a function give one number where an array was meant?"
)


_PRODUCT = (
    "A matrix product needs the last axis of the left array to be as long as the second-to-last of "
    r"the right one; here they have lengths \{left} and \{right}. Is a transpose missing, or one "
    "too many?"
)
_NONE = (
    "Something here is None: a function without `return`, or a method that works in place and "
    "returns nothing."
)
_RESHAPE = (
    r"A new shape must hold exactly as many values as there are, that is \1; multiply the lengths "
    "to see how many yours holds."
)
_TOO_MANY = (
    r"There are \1 names on the left, but more parts on the right; a shape has one for each axis."
)
_NO_ARRAY = "A list does not calculate as an array does: make it an array with `np.array(...)`."
_OF_ARRAYS = (
    "T|all|any|arg(?:max|min|sort)|astype|clip|cumsum|dot|dtype|flatten|max|mean|min|ndim|prod|"
    "ravel|reshape|round|shape|size|squeeze|std|sum|swapaxes|take|transpose|var"
)


# The special before the general: the first whose pattern is found is the one.
CAUSES: Final[tuple[_Cause, ...]] = (
    # `@` names the right array's axis first, `np.dot` the left one's.
    _Cause(
        "matrix-product",
        _VALUE,
        r"mismatch in its core dimension.*\(size (\d+) is different from (\d+)\)",
        _PRODUCT.format(left=2, right=1),
    ),
    _Cause(
        "matrix-product",
        _VALUE,
        r"not aligned: (\d+) \(dim -?\d+\) != (\d+) \(dim",
        _PRODUCT.format(left=1, right=2),
    ),
    _Cause(
        "matrix-product-of-number",
        _VALUE,
        r"matmul: Input operand \d does not have enough dimensions",
        "`@` multiplies arrays; one side is a single number or None here. For a number use `*`.",
    ),
    _Cause(
        "in-place-shape",
        _VALUE,
        rf"non-broadcastable output operand with shape {_SHAPE} doesn't match the broadcast shape "
        rf"{_SHAPE}",
        "An operation in place, as `x += y`, cannot make the array larger. Write `x = x + y`.",
    ),
    _Cause("broadcast", _VALUE, rf"broadcast together with shapes ((?:{_SHAPE} ?)+)", _sides),
    _Cause(
        "broadcast",
        _VALUE,
        rf"broadcast to a single shape.* shape {_SHAPE} and arg \d+ with shape {_SHAPE}",
        _sides,
    ),
    _Cause(
        "broadcast-to",
        _VALUE,
        rf"remapped shapes .*: {_SHAPE}\s+and requested shape {_SHAPE}",
        lambda m: (
            "An array of shape {} cannot be spread to {}: from the right, each of its axes must "
            "have the length that is asked for, or 1."
        ).format(*map(_written, _shapes(m[1], m[2]))),
    ),
    _Cause(
        "einsum-sizes",
        _VALUE,
        r"broadcast together with remapped shapes",
        "Axes that are paired must be of equal length; in `np.einsum` those with the same letter.",
    ),
    _Cause(
        "assignment-shape",
        _VALUE,
        rf"could not broadcast input array from shape {_SHAPE} into shape {_SHAPE}|"
        rf"value array of shape {_SHAPE} could not be broadcast to indexing result of shape "
        rf"{_SHAPE}",
        lambda m: (
            "An array of shape {} is stored in a place of shape {}: the two must agree."
        ).format(*map(_written, _shapes(*filter(None, m.groups())))),
    ),
    _Cause(
        "einsum-letters",
        _VALUE,
        r"einstein sum subscripts string",
        "In `np.einsum`, each array needs one letter for each of its axes.",
    ),
    _Cause("reshape", _VALUE, r"cannot reshape array of size (\d+) into shape", _RESHAPE),
    _Cause(
        "joined-shapes",
        _VALUE,
        r"(?:all the input arrays? (?:dimensions )?|all input arrays )(?:except|must have)",
        "Arrays can only be joined if they agree in all axes but the one along which they are "
        "joined; `np.stack` wants equal shapes.",
    ),
    _Cause(
        "truth-of-array",
        _VALUE,
        r"truth value of an array",
        "A whole array is neither true nor false, so `if`, `and`, `or`, `not`, `min` and `max` "
        "cannot use it. Choose value by value with `np.where`, combine with `&` and `|`, or ask "
        "`.any()` or `.all()`.",
    ),
    _Cause(
        "none",
        _TYPE,
        r"(?P<use>unsupported operand|bad operand type|not supported between).*'NoneType'",
        _NONE,
    ),
    _Cause(
        "none",
        _TYPE,
        r"'NoneType' object (?:is not|cannot be|does not support) (?P<use>\w+)",
        _NONE,
    ),
    _Cause("none", _TYPE, r"object of type 'NoneType' has no (?P<use>len)", _NONE),
    _Cause("none", _TYPE, r"(?P<use>unpack) non-iterable NoneType", _NONE),
    _Cause("none", _TYPE, r"Value after \*+ must be an? (?P<use>\w+), not NoneType", _NONE),
    _Cause("none", _TYPE, r"argument (?P<use>\d+ of type|must be) .*NoneType", _NONE),
    _Cause("none", ("AttributeError",), r"'NoneType' object has no (?P<use>attribute)", _NONE),
    _Cause(
        "read-only",
        _VALUE,
        r"(?:destination|array) is read-only",
        "This array may not be changed in place: make a `.copy()` first, or a new array.",
    ),
    _Cause(
        "integer-in-place",
        ("UFuncTypeError", "_UFuncOutputCastingError", "TypeError"),
        r"Cannot cast ufunc '\w+' output from dtype\('[fc]\w+'\) to dtype\('u?int\d+'\)",
        "An array of integers cannot hold fractions, so an operation in place fails. Write "
        "`x = x / y`, or make it of floats with `.astype(float)`.",
    ),
    _Cause(
        "ragged",
        _VALUE,
        r"inhomogeneous shape|setting an array element with a sequence",
        "The rows are not all of the same length, or an array stands where one number belongs.",
    ),
    _Cause(
        "axis", ("AxisError",), r"axis (-?\d+) is out of bounds for array of dimension (\d+)", _axis
    ),
    _Cause(
        "transpose-axes",
        _VALUE,
        r"axes don't match array",
        "`transpose` needs each axis of the array exactly once.",
    ),
    _Cause(
        "repeated-axis",
        _VALUE,
        r"duplicate value in 'axis'|repeated axis in",
        "One axis is named twice; -1 is the last axis by another name.",
    ),
    _Cause(
        "negative-size",
        _VALUE,
        r"negative dimensions are not allowed",
        "A size came out negative: is it a difference, the wrong way round?",
    ),
    _Cause(
        "nothing-left",
        _VALUE,
        r"zero-size array to reduction operation|attempt to get arg(?:max|min) of an empty",
        "There is nothing here to find the largest or smallest of: the array is empty. Has a slice "
        "or a mask left nothing over?",
    ),
    _Cause(
        "nothing-to-take",
        _INDEX,
        r"cannot do a non-empty take from an empty axes",
        "There is nothing to take from, the axis is empty. Has a slice or a mask left nothing?",
    ),
    _Cause(
        "nothing-to-join",
        _VALUE,
        r"need at least one array to (?:concatenate|stack)",
        "The list of arrays to join is empty: did the loop that fills it run at all?",
    ),
    _Cause(
        "negative-power",
        _VALUE,
        r"Integers to negative integer powers",
        "An integer to a negative power is a fraction, which an array of integers cannot hold: "
        "write `2.0` for `2`, or use `.astype(float)`.",
    ),
    _Cause(
        "probabilities",
        _VALUE,
        r"[Pp]robabilities do not sum to 1",
        "Probabilities must add up to 1: divide them by their sum.",
    ),
    _Cause(
        "squeeze",
        _VALUE,
        r"squeeze out which has size not equal to one",
        "Only an axis of length 1 can be squeezed away; to pick one entry, use an index.",
    ),
    _Cause(
        "split",
        _VALUE,
        r"array split does not result in an equal division",
        "The axis cannot be divided into so many equal parts: is it the right axis?",
    ),
    _Cause(
        "one-integer-needed",
        _TYPE,
        r"only integer scalar arrays can be converted",
        "A whole array stands where one whole number belongs. A list cannot be indexed with an "
        "array, so make the list an array first; `range` and sizes take one number each.",
    ),
    _Cause(
        "one-number-needed",
        _TYPE + _VALUE,
        r"only 0-dimensional arrays can be converted|only length-1 arrays can be converted|"
        r"(?:float|int)\(\) argument must be .* not '(?:list|tuple)'|"
        r"can only convert an array of size 1",
        "One number is needed here, but this is a whole array. For a function of all values use "
        "NumPy's, as `np.exp` instead of `math.exp`.",
    ),
    _Cause(
        "bounds", _INDEX, r"index (-?\d+) is out of bounds for axis (\d+) with size (\d+)", _bounds
    ),
    _Cause(
        "too-many-indices",
        _INDEX,
        r"too many indices for array: array is (\d+)-dimensional, but (\d+) were indexed",
        lambda m: (
            f"The array has {m[1]} {'axis' if m[1] == '1' else 'axes'} here, but {m[2]} indices "
            "are given. Has one been summed or indexed away before?"
        ),
    ),
    _Cause(
        "boolean-index",
        _INDEX,
        r"boolean index did not match .* size of axis is (\d+) but size of .* axis is (\d+)",
        "A mask that is used as an index must have the shape of the array, or of its first axes.",
    ),
    _Cause(
        "index-shapes",
        _INDEX,
        rf"indexing arrays could not be broadcast together with shapes ((?:{_SHAPE} ?)+)",
        lambda m: (
            "Arrays that are indices together pick one item for each pair, so "
            f"{' and '.join(map(_written, _shapes(m[1])))} must fit. For all rows with all columns "
            "use `np.ix_`, or one index after the other."
        ),
    ),
    _Cause("number-indexed", _INDEX, r"invalid index to scalar variable", _NO_ITEMS),
    _Cause("number-indexed", _TYPE, rf"{_NUMBER} object is not subscriptable", _NO_ITEMS),
    _Cause(
        "number-iterated",
        _TYPE,
        rf"iteration over a 0-d array|{_NUMBER} object is not iterable|"
        rf"non-iterable {_NUMBER} object",
        _NO_ITEMS,
    ),
    _Cause(
        "number-measured",
        _TYPE,
        rf"len\(\) of unsized object|object of type {_NUMBER} has no len",
        _NO_ITEMS,
    ),
    _Cause(
        "stored-in-number",
        _TYPE,
        rf"{_NUMBER} object does not support item assignment",
        _NO_ITEMS,
    ),
    _Cause(
        "stored-in-tuple",
        _TYPE,
        r"'tuple' object does not support item assignment",
        "A tuple cannot be changed: make a list or an array, or a new tuple.",
    ),
    _Cause(
        "index-type",
        _INDEX + _TYPE,
        r"only integers, slices|must be of integer \(or boolean\) type|must be an integer array|"
        r"(?:list|tuple|slice) indices must be integers or (?:slices, not float|None)",
        "An index must be a whole number: `/` always gives a float, `//` keeps integers.",
    ),
    _Cause(
        "unpack-too-many",
        _VALUE,
        r"too many values to unpack \(expected (\d+)",
        _TOO_MANY,
    ),
    _Cause(
        "unpack-too-few",
        _VALUE,
        r"not enough values to unpack \(expected (?:at least )?(\d+), got (\d+)",
        lambda m: (
            f"There are {m[1]} names on the left, but only {m[2]} part{'s' * (m[2] != '1')} on the "
            "right; a shape has one for each axis."
        ),
    ),
    _Cause(
        "list-index",
        _INDEX,
        r"(?:list|tuple|string) index out of range",
        "A list of n items has them numbered from 0 to n - 1.",
    ),
    _Cause(
        "list-as-array",
        _TYPE,
        r"list indices must be integers or slices, not tuple|can't multiply sequence by non-int|"
        r"unsupported operand type\(s\) for .*'(?:list|tuple)'",
        _NO_ARRAY,
    ),
    _Cause(
        "list-as-array",
        ("AttributeError",),
        rf"'(?:list|tuple)' object has no attribute '(?:{_OF_ARRAYS})'",
        _NO_ARRAY,
    ),
    _Cause(
        "array-called",
        _TYPE,
        r"'(?:numpy\.)?ndarray' object is not callable",
        "Round brackets call a function; an array takes square ones, as `x[0]`. And `.T` and "
        "`.shape` stand without brackets.",
    ),
    _Cause(
        "module-called",
        _TYPE,
        r"'module' object is not callable",
        "A module was called as if it were a function: name a function in it, as `np.array`.",
    ),
    _Cause(
        "sequence-called",
        _TYPE,
        r"'(?:list|tuple)' object is not callable",
        "Round brackets call a function; a list or a tuple takes square ones, as `x.shape[0]`.",
    ),
    _Cause(
        "number-called",
        _TYPE,
        rf"{_NUMBER} object is not callable",
        "Round brackets after a number call it as a function: is a `*` missing, or has a name been "
        "given to a number that was a function?",
    ),
    _Cause(
        "keyword",
        _TYPE,
        r"got an unexpected keyword argument '([^']+)'",
        lambda m: (
            f"In NumPy this argument is called `{_KEYWORDS[m[1]]}`."
            if m[1] in _KEYWORDS
            else f"The function called here has no argument {_names(m[1])}."
        ),
    ),
    _Cause(
        "arguments-missing",
        _TYPE,
        r"^(?P<method>\w+\.(?!<))?.*missing \d+ required positional argument",
        lambda m: _call(m, "This call gives the function fewer arguments than it needs."),
    ),
    _Cause(
        "arguments-too-many",
        _TYPE,
        r"^(?P<method>\w+\.(?!<))?.*takes (?:from )?\d+(?: to \d+)? positional arguments? but \d+",
        lambda m: _call(m, "This call gives the function more arguments than it takes."),
    ),
    _Cause(
        "shape-as-arguments",
        _TYPE,
        r"Cannot interpret '\d+' as a data type",
        "The shape is one argument, in brackets of its own: `np.zeros((3, 4))`.",
    ),
    _Cause(
        "shape-as-tuple",
        _TYPE,
        r"'tuple' object cannot be interpreted as an integer",
        "A tuple stands where a whole number belongs: `np.random.rand(3, 4)` and `range(n)` take "
        "plain numbers.",
    ),
    _Cause(
        "axes-as-list",
        _TYPE,
        r"'list' object cannot be interpreted as an integer",
        "A list stands where a whole number belongs. Several axes go in a tuple: `axis=(0, 2)`.",
    ),
    _Cause(
        "size-not-whole",
        _TYPE,
        r"'float' object cannot be interpreted as an integer|expected a sequence of integers",
        "A size must be a whole number: `/` always gives a float, `//` keeps integers.",
    ),
    _Cause(
        "boolean-minus",
        _TYPE,
        r"numpy boolean (?:subtract|negative)",
        "`-` does not work on booleans: `~mask` swaps true and false.",
    ),
    _Cause(
        "bits-of-floats",
        _TYPE,
        r"ufunc '(?:bitwise_\w+|invert)' not supported",
        "`&`, `|`, `^` and `~` work on booleans and integers; a power is written `**`. Around "
        "comparisons put brackets: `(a > 0) & (b > 0)`.",
    ),
    _Cause(
        "removed-from-numpy",
        ("AttributeError",),
        r"`np\.(\w+)` was removed in the NumPy 2\.0 release(?:\. Use (`[^`]+`) instead\.)?",
        lambda m: f"NumPy 2 has no `np.{m[1]}` any more{f': use {m[2]}' if m[2] else ''}.",
    ),
    _Cause(
        "not-in-numpy",
        ("AttributeError",),
        r"module 'numpy' has no attribute '([^']+)'",
        lambda m: _instead("NumPy", m[1]),
    ),
    _Cause(
        "import-name",
        ("ImportError",),
        r"cannot import name '([^']+)' from 'numpy'",
        lambda m: _instead("NumPy", m[1]),
    ),
    _Cause(
        "not-of-array",
        ("AttributeError",),
        r"'numpy\.ndarray' object has no attribute '([^']+)'",
        lambda m: _instead("A NumPy array", m[1]),
    ),
    _Cause(
        "singular",
        ("LinAlgError",),
        r"Singular matrix",
        "This matrix has no inverse: some of its rows are combinations of others.",
    ),
    _Cause(
        "not-square",
        ("LinAlgError",),
        r"Last 2 dimensions of the array must be square|must be at least two-dimensional",
        "This needs a square matrix: as many rows as columns.",
    ),
    _Cause(
        "set-later",
        ("UnboundLocalError",),
        r"local variable '([^']+)'",
        lambda m: (
            f"Somewhere in this function {_names(m[1])} is given a value, which makes it a name of "
            "the function's own; on this line it has no value yet."
        ),
    ),
    _Cause(
        "no-import",
        ("NameError",),
        r"name '(?:np|numpy)' is not defined",
        "Put `import numpy as np` at the top.",
    ),
    _Cause(
        "too-large-for-float",
        ("OverflowError",),
        r"math range error|Numerical result out of range|too large to convert to float",
        "A float ends near 1.8e308, and this number is larger. `exp` gets there above 709.",
    ),
    _Cause(
        "outside-domain",
        _VALUE,
        r"math domain error|expected a (?:positive|nonnegative) (?:input|number)",
        "The logarithm needs a number above 0, and the root one that is not negative.",
    ),
    # With a name it is about a file, but for shared memory: without one it is anything.
    _Cause(
        "no-file",
        ("FileNotFoundError",),
        r"No such file or directory: '(?!/psm_)|^\S+ not found\.?$",
        "There is no such file or folder here: your code finds only files that the exercise has.",
    ),
    _Cause("no-file", ("IsADirectoryError",), r"Is a directory: '", "This is a folder, no file."),
    _Cause(
        "no-file",
        ("PermissionError",),
        r"Permission denied: '",
        "This file or folder may not be read or changed here.",
    ),
    _Cause(
        "refused-by-system",
        ("PermissionError",),
        r"^\[Errno 1\] Operation not permitted$",
        "The system refuses this here. Code may compute, but not open connections (as `asyncio` "
        "does), start processes or change settings of the machine.",
    ),
    _Cause(
        "no-processes",
        # A semaphore is a file without a name; a page has not even the module.
        ("FileNotFoundError", "ImportError", "ModuleNotFoundError"),
        r"^\[Errno 2\] No such file or directory(?:: '/psm_.*)?$|^No module named '(?:_multipro"
        r"cessing|_posixshmem)|lacks a functioning sem_open",
        "No process can be started here, and no lock or memory shared with one: leave "
        "`multiprocessing` and pools of processes out.",
    ),
    _Cause(
        "no-network",
        ("URLError", "gaierror"),
        r"\[Errno (?:1|-2|-3)\]",
        "Submissions are graded without a network: put what your code needs into it.",
    ),
    _Cause(
        "no-threads",
        ("RuntimeError",),
        r"can't start new thread",
        "No thread can be started here: leave threads out.",
    ),
    _Cause(
        "loaded-again",
        ("ModuleNotFoundError",),
        r"spec not found for the module",
        "A module cannot be loaded a second time here: leave `reload` out.",
    ),
    _Cause(
        "no-environment",
        ("KeyError",),
        r"^'(?:HOME|USER|USERNAME|LOGNAME|PATH|PWD|SHELL|TMPDIR|PYTHONPATH)'$|^'getpwuid\(",
        "Environment variables and users of your machine are not known here.",
    ),
    _Cause(
        "empty-number",
        _VALUE,
        r"invalid literal for int\(\) with base \d+: ''|could not convert string to float: ''",
        "An empty text is no number. Nothing can be typed in here, so `sys.stdin` is empty too.",
    ),
    _Cause(
        "own-assert",
        ("AssertionError",),
        r"",
        "Your code checks something here that does not hold.",
    ),
    _Cause(
        "division-by-zero",
        ("ZeroDivisionError",),
        r"division|modulo",
        "What this line divides by is 0: where does that come from?",
    ),
    _Cause(
        "recursion",
        ("RecursionError",),
        r"recursion",
        "A function calls itself too often: which case should stop it?",
    ),
)

_SIZELESS: Final = frozenset({"bounds"})

_VAGUE: Final = frozenset({
    "set-later", "no-import", "not-in-numpy", "not-of-array", "keyword", "recursion",
    "arguments-missing", "arguments-too-many", "list-index", "number-called", "sequence-called",
    "module-called", "import-name", "removed-from-numpy", "no-file", "own-assert",
    "refused-by-system", "no-processes", "no-network", "no-threads", "loaded-again",
    "no-environment", "empty-number",
})  # fmt: skip
"""Causes by which two mistakes cannot be told apart."""
