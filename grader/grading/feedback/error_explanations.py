"""Explanations of common errors in array code, one sentence for each pattern of messages.

A sentence repeats only sizes, and names that Python puts in quotes, from the message.
"""

import builtins
import difflib
import itertools
import keyword
import re
import sys
import typing
from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np

from grader.definitions.wording import join_words, other_letter, plural
from grader.grading.feedback import versions

_MAX_NAME_LENGTH = 40  # characters up to which a sentence repeats a name
_NO_NAME = ("AttributeError", "ImportError")


def cause_sentence(kind: str, message: str) -> str:
    """Return the sentence about the cause of an error, or "" if the error is unknown."""
    if kind in _NO_NAME and (version_sentence := versions.missing_name_sentence(message)):
        return version_sentence
    cause, match = _find(kind, message)
    if match is None:
        return ""
    sentence = _SENTENCES[cause]
    return match.expand(sentence) if isinstance(sentence, str) else sentence(match)


def signature(kind: str, message: str) -> tuple[str, ...] | None:
    """Return the features that two errors with the same cause share.

    These are the kind of cause and the sizes in the message. The wording is left out, since it
    differs between `@` and `np.dot`. The sizes are left out for an index out of bounds, where they
    depend on the first item that is accessed.

    Returns:
        None for an error that identifies no mistake, such as a misspelt name.
    """
    cause, match = _find(kind, message)
    if match is None or cause in _VAGUE_CAUSES:
        return None
    groups = [text for text in match.groups() if text]
    sizes = {
        text: _SIZE.findall(text.replace(" ", "")) for text in groups if _SIZES.fullmatch(text)
    }
    other_texts = [text for text in groups if text not in sizes]
    if cause in _SIZELESS_CAUSES:
        return (cause, *other_texts)
    return (cause, *other_texts, *sorted(size for text in groups for size in sizes.get(text, ())))


def shapes_sentence(shapes: Sequence[tuple[str, tuple[int, ...]]]) -> str:
    """Return the sentence about the shapes of the arrays in an operation that failed, or ""."""
    if not shapes:
        return ""
    (name, shape), *others = shapes
    phrases = [f"`{name}` has shape {shape}"]
    phrases += [f"`{other}` {other_shape}" for other, other_shape in others]
    return f"Here {join_words(phrases, 'and')}."


def undefined_name_sentence(name: str, names: Sequence[str]) -> str:
    """Return the sentence about an undefined name, with a suggestion, or ""."""
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


def numpy_sentence(source: str) -> str:
    """Return the sentence that names NumPy's functions in place of a missing library's, or ""."""
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


def unreadable_line_sentence(text: str, message: str) -> str:
    """Return the sentence about a line that Python cannot read."""
    for word, word_of_python in itertools.product(re.findall(r"\w+", text), keyword.kwlist):
        if reason := other_letter(word, word_of_python):
            return reason
    for pattern, sentence in _PASTED_LINES:
        if re.match(pattern, text):
            return sentence
    if newer := versions.syntax_sentence(message, text):
        return newer
    return next((reason for pattern, reason in _UNREADABLE if re.search(pattern, message)), "")


# Patterns for the beginning of lines that were pasted together with code.
_PASTED_LINES: Final = (
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

# Sentences by a pattern for the message of a syntax error.
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

_SIZE: Final = re.compile(r"\([\d,]*\)|-?\d+")
_SIZES: Final = re.compile(r"[\d, ()-]+")


def _find(kind: str, message: str) -> tuple[str, re.Match[str] | None]:
    """Return the cause of an error and the match of its pattern, or None if it is unknown."""
    for kinds, patterns in CAUSES.items():
        if re.fullmatch(kinds, kind):
            for cause, pattern in patterns.items():
                if match := re.search(pattern, message):
                    return cause, match
    return "", None


def _names(text: str) -> str:
    """Return a name from a message in backquotes, or "it"."""
    return f"`{text}`" if text.isidentifier() and len(text) <= _MAX_NAME_LENGTH else "it"


def _instead(owner: str, name: str) -> str:
    if place := _REPLACEMENTS.get(name):
        return f"{owner} has no `{name}`; {place}."
    for numpy_name in dir(np):
        if not name.isascii() and (sentence := other_letter(name, numpy_name)):
            return sentence
    if owner == "NumPy" and (close := difflib.get_close_matches(name, dir(np), n=1, cutoff=0.8)):
        return f"Did you mean `np.{close[0]}`?"
    return f"{owner} has no {_names(name)}: is it spelled right, or from another library?"


_REPLACEMENTS: Final = {
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
    return (
        f"The array has {plural(count, 'axis', 'axes')} here, so the axis may be from {-count} to "
        f"{count - 1}. Has one been summed away before (see `keepdims`)?"
    )


def _bounds(match: re.Match[str]) -> str:
    axis, count = match[2], int(match[3])
    if count == 0:
        return f"Axis {axis} has no entries at all. Has a slice or a mask left nothing over?"
    entries = f"Axis {axis} has {plural(count, 'entry', 'entries')}"
    if match[1].startswith("-"):
        return f"{entries}; counted from the end, the first one is number {-count}."
    return f"{entries}, numbered from 0, so the last one is number {count - 1}, or -1."


def _shapes(*texts: str) -> list[tuple[int, ...]]:
    """Return the shapes in a message, in which NumPy writes some with spaces, some without."""
    shapes = re.findall(_SHAPE, " ".join(texts))
    return [tuple(map(int, re.findall(r"\d+", text))) for text in shapes]


def _sides(match: re.Match[str]) -> str:
    """Return the sentence about the first two listed shapes that do not fit together."""
    shapes = _shapes(*(text for text in match.groups() if text))
    for shape, other_shape in itertools.combinations(shapes, 2):
        for left, right in zip(reversed(shape), reversed(other_shape), strict=False):
            if left != right and 1 not in (left, right):
                return (
                    f"Shapes {shape} and {other_shape} do not fit: axes are paired from the right "
                    "and must be equally long, or one of them of length 1, but here "
                    f"{left} meets {right}."
                )
    return "The shapes do not fit: paired from the right, axes must be equally long, or one be 1."


_SELF_PARAMETER: Final = " The first parameter of a method is `self`."
_KEYWORDS: Final = {"dim": "axis", "keepdim": "keepdims"}
_SHAPE = r"(\([\d, ]*\))"
_NUMBER = r"'?(?:int|float|complex|bool|numpy\.(?:u?int|float|complex|bool)\w*)'?"
_NO_ITEMS = (
    "This is a single number, so it has no length and no items. Has an axis been summed or indexed "
    "away before, or does a function give one number where an array was meant?"
)

_ARRAY_ATTRIBUTES = (
    "T|all|any|arg(?:max|min|sort)|astype|clip|cumsum|dot|dtype|flatten|max|mean|min|ndim|prod|"
    "ravel|reshape|round|shape|size|squeeze|std|sum|swapaxes|take|transpose|var"
)


# Patterns by the type of the error. The first match counts, so special patterns come first.
CAUSES: Final[Mapping[str, Mapping[str, str]]] = {
    "ValueError": {
        "matrix-product": (
            r"mismatch in its core dimension.*\(size (\d+) is different from (\d+)\)|"
            r"not aligned: (\d+) \(dim -?\d+\) != (\d+) \(dim"
        ),
        "matrix-product-of-number": r"matmul: Input operand \d does not have enough dimensions",
        "in-place-shape": (
            rf"non-broadcastable output operand with shape {_SHAPE} doesn't match the "
            rf"broadcast shape {_SHAPE}"
        ),
        "broadcast": (
            rf"broadcast together with shapes ((?:{_SHAPE} ?)+)|"
            rf"broadcast to a single shape.* shape {_SHAPE} and arg \d+ with shape {_SHAPE}"
        ),
        "broadcast-to": rf"remapped shapes .*: {_SHAPE}\s+and requested shape {_SHAPE}",
        "einsum-sizes": r"broadcast together with remapped shapes",
        "assignment-shape": (
            rf"could not broadcast input array from shape {_SHAPE} into shape {_SHAPE}|"
            rf"value array of shape {_SHAPE} could not be broadcast to indexing result of shape "
            rf"{_SHAPE}"
        ),
        "einsum-letters": r"einstein sum subscripts string",
        "reshape": r"cannot reshape array of size (\d+) into shape",
        "joined-shapes": (
            r"(?:all the input arrays? (?:dimensions )?|all input arrays )(?:except|must have)"
        ),
        "truth-of-array": r"truth value of an array",
        "read-only": r"(?:destination|array) is read-only",
        "ragged": r"inhomogeneous shape|setting an array element with a sequence",
        "transpose-axes": r"axes don't match array",
        "repeated-axis": r"duplicate value in 'axis'|repeated axis in",
        "negative-size": r"negative dimensions are not allowed",
        "nothing-left": (
            r"zero-size array to reduction operation|attempt to get arg(?:max|min) of an empty"
        ),
        "nothing-to-join": r"need at least one array to (?:concatenate|stack)",
        "negative-power": r"Integers to negative integer powers",
        "probabilities": r"[Pp]robabilities do not sum to 1",
        "squeeze": r"squeeze out which has size not equal to one",
        "split": r"array split does not result in an equal division",
        "unpack-too-many": r"too many values to unpack \(expected (\d+)",
        "unpack-too-few": (
            r"not enough values to unpack \(expected (?:at least )?(\d+), got (\d+)"
        ),
        "outside-domain": (
            r"math domain error|expected a (?:positive|nonnegative) (?:input|number)"
        ),
        "empty-number": (
            r"invalid literal for int\(\) with base \d+: ''|could not convert string to float: ''"
        ),
    },
    "TypeError": {
        "none": (
            r"(unsupported operand|bad operand type|not supported between).*'NoneType'|"
            r"'NoneType' object (?:is not|cannot be|does not support) (\w+)|"
            r"object of type 'NoneType' has no (len)|"
            r"(unpack) non-iterable NoneType|"
            r"Value after \*+ must be an? (\w+), not NoneType|"
            r"argument (\d+ of type|must be) .*NoneType"
        ),
        "one-integer-needed": r"only integer scalar arrays can be converted",
        "number-indexed": rf"{_NUMBER} object is not subscriptable",
        "number-iterated": (
            rf"iteration over a 0-d array|{_NUMBER} object is not iterable|"
            rf"non-iterable {_NUMBER} object"
        ),
        "number-measured": rf"len\(\) of unsized object|object of type {_NUMBER} has no len",
        "stored-in-number": rf"{_NUMBER} object does not support item assignment",
        "stored-in-tuple": r"'tuple' object does not support item assignment",
        "list-as-array": (
            r"list indices must be integers or slices, not tuple|can't multiply sequence by "
            r"non-int|unsupported operand type\(s\) for .*'(?:list|tuple)'"
        ),
        "array-called": r"'(?:numpy\.)?ndarray' object is not callable",
        "module-called": r"'module' object is not callable",
        "sequence-called": r"'(?:list|tuple)' object is not callable",
        "number-called": rf"{_NUMBER} object is not callable",
        "keyword": r"got an unexpected keyword argument '([^']+)'",
        "arguments-missing": (r"^(\w+\.(?!<))?.*missing \d+ required positional argument"),
        "arguments-too-many": (
            r"^(\w+\.(?!<))?.*takes (?:from )?\d+(?: to \d+)? positional "
            r"arguments? but \d+"
        ),
        "shape-as-arguments": r"Cannot interpret '\d+' as a data type",
        "shape-as-tuple": r"'tuple' object cannot be interpreted as an integer",
        "axes-as-list": r"'list' object cannot be interpreted as an integer",
        "size-not-whole": (
            r"'float' object cannot be interpreted as an integer|expected a sequence of integers"
        ),
        "boolean-minus": r"numpy boolean (?:subtract|negative)",
        "bits-of-floats": r"ufunc '(?:bitwise_\w+|invert)' not supported",
    },
    "AttributeError": {
        "none": r"'NoneType' object has no (attribute)",
        "list-as-array": rf"'(?:list|tuple)' object has no attribute '(?:{_ARRAY_ATTRIBUTES})'",
        "removed-from-numpy": (
            r"`np\.(\w+)` was removed in the NumPy 2\.0 release(?:\. Use (`[^`]+`) instead\.)?"
        ),
        "not-in-numpy": r"module 'numpy' has no attribute '([^']+)'",
        "not-of-array": r"'numpy\.ndarray' object has no attribute '([^']+)'",
    },
    "UFuncTypeError|_UFuncOutputCastingError|TypeError": {
        "integer-in-place": (
            r"Cannot cast ufunc '\w+' output from dtype\('[fc]\w+'\) to dtype\('u?int\d+'\)"
        ),
    },
    "AxisError": {
        "axis": r"axis (-?\d+) is out of bounds for array of dimension (\d+)",
    },
    "IndexError": {
        "nothing-to-take": r"cannot do a non-empty take from an empty axes",
        "bounds": r"index (-?\d+) is out of bounds for axis (\d+) with size (\d+)",
        "too-many-indices": (
            r"too many indices for array: array is (\d+)-dimensional, but (\d+) were indexed"
        ),
        "boolean-index": (
            r"boolean index did not match .* size of axis is (\d+) but size of .* axis is (\d+)"
        ),
        "index-shapes": (
            rf"indexing arrays could not be broadcast together with shapes ((?:{_SHAPE} ?)+)"
        ),
        "number-indexed": r"invalid index to scalar variable",
        "list-index": r"(?:list|tuple|string) index out of range",
    },
    "TypeError|ValueError": {
        "one-number-needed": (
            r"only 0-dimensional arrays can be converted|only length-1 arrays can be converted|"
            r"(?:float|int)\(\) argument must be .* not '(?:list|tuple)'|"
            r"can only convert an array of size 1"
        ),
    },
    "IndexError|TypeError": {
        "index-type": (
            r"only integers, slices|must be of integer \(or boolean\) type|must be an "
            r"integer array|(?:list|tuple|slice) indices must be integers or "
            r"(?:slices, not float|None)"
        ),
    },
    "ImportError": {
        "import-name": r"cannot import name '([^']+)' from 'numpy'",
    },
    "LinAlgError": {
        "singular": r"Singular matrix",
        "not-square": (
            r"Last 2 dimensions of the array must be square|must be at least two-dimensional"
        ),
    },
    "UnboundLocalError": {
        "set-later": r"local variable '([^']+)'",
    },
    "NameError": {
        "no-import": r"name '(?:np|numpy)' is not defined",
    },
    "OverflowError": {
        "too-large-for-float": (
            r"math range error|Numerical result out of range|too large to convert to float"
        ),
    },
    "FileNotFoundError": {
        "no-file": r"No such file or directory: '(?!/psm_)|^\S+ not found\.?$",
    },
    "IsADirectoryError|PermissionError": {
        "no-file": r"(Is a directory|Permission denied): '",
        "refused-by-system": r"^\[Errno 1\] Operation not permitted$",
    },
    "FileNotFoundError|ImportError|ModuleNotFoundError": {
        "no-processes": (
            r"^\[Errno 2\] No such file or directory(?:: '/psm_.*)?$|^No module named '(?:_multipro"
            r"cessing|_posixshmem)|lacks a functioning sem_open"
        ),
    },
    "URLError|gaierror": {
        "no-network": r"\[Errno (?:1|-2|-3)\]",
    },
    "RuntimeError": {
        "no-threads": r"can't start new thread",
    },
    "ModuleNotFoundError": {
        "loaded-again": r"spec not found for the module",
    },
    "KeyError": {
        "no-environment": (
            r"^'(?:HOME|USER|USERNAME|LOGNAME|PATH|PWD|SHELL|TMPDIR|PYTHONPATH)'$|^'getpwuid\("
        ),
    },
    "AssertionError": {
        "own-assert": r"",
    },
    "ZeroDivisionError": {
        "division-by-zero": r"division|modulo",
    },
    "RecursionError": {
        "recursion": r"recursion",
    },
}

_SENTENCES: Final[Mapping[str, str | Callable[[re.Match[str]], str]]] = {
    # The message of `@` names the right array's axis first, that of `np.dot` the left one's.
    "matrix-product": lambda m: (
        "A matrix product needs the last axis of the left array to be as long as the "
        f"second-to-last of the right one; here they have lengths {m[2] or m[3]} and "
        f"{m[1] or m[4]}. Is a transpose missing, or one too many?"
    ),
    "matrix-product-of-number": (
        "`@` multiplies arrays; one side is a single number or None here. For a number use `*`."
    ),
    "in-place-shape": (
        "An operation in place, as `x += y`, cannot make the array larger. Write `x = x + y`."
    ),
    "broadcast": _sides,
    "broadcast-to": lambda m: (
        "An array of shape {} cannot be spread to {}: from the right, each of its axes must "
        "have the length that is asked for, or 1."
    ).format(*_shapes(m[1], m[2])),
    "einsum-sizes": (
        "Axes that are paired must be of equal length; in `np.einsum` those with the same letter."
    ),
    "assignment-shape": lambda m: (
        "An array of shape {} is stored in a place of shape {}: the two must agree."
    ).format(*_shapes(*filter(None, m.groups()))),
    "einsum-letters": "In `np.einsum`, each array needs one letter for each of its axes.",
    "reshape": (
        r"A new shape must hold exactly as many values as there are, that is \1; multiply the "
        "lengths to see how many yours holds."
    ),
    "joined-shapes": (
        "Arrays can only be joined if they agree in all axes but the one along which they are "
        "joined; `np.stack` wants equal shapes."
    ),
    "truth-of-array": (
        "A whole array is neither true nor false, so `if`, `and`, `or`, `not`, `min` and `max` "
        "cannot use it. Choose value by value with `np.where`, combine with `&` and `|`, or ask "
        "`.any()` or `.all()`."
    ),
    "none": (
        "Something here is None: a function without `return`, or a method that works in place and "
        "returns nothing."
    ),
    "read-only": (
        "This array may not be changed in place: make a `.copy()` first, or a new array."
    ),
    "integer-in-place": (
        "An array of integers cannot hold fractions, so an operation in place fails. Write "
        "`x = x / y`, or make it of floats with `.astype(float)`."
    ),
    "ragged": (
        "The rows are not all of the same length, or an array stands where one number belongs."
    ),
    "axis": _axis,
    "transpose-axes": "`transpose` needs each axis of the array exactly once.",
    "repeated-axis": "One axis is named twice; -1 is the last axis by another name.",
    "negative-size": "A size came out negative: is it a difference, the wrong way round?",
    "nothing-left": (
        "There is nothing here to find the largest or smallest of: the array is empty. Has a slice "
        "or a mask left nothing over?"
    ),
    "nothing-to-take": (
        "There is nothing to take from, the axis is empty. Has a slice or a mask left nothing?"
    ),
    "nothing-to-join": (
        "The list of arrays to join is empty: did the loop that fills it run at all?"
    ),
    "negative-power": (
        "An integer to a negative power is a fraction, which an array of integers cannot hold: "
        "write `2.0` for `2`, or use `.astype(float)`."
    ),
    "probabilities": "Probabilities must add up to 1: divide them by their sum.",
    "squeeze": "Only an axis of length 1 can be squeezed away; to pick one entry, use an index.",
    "split": "The axis cannot be divided into so many equal parts: is it the right axis?",
    "one-integer-needed": (
        "A whole array stands where one whole number belongs. A list cannot be indexed with an "
        "array, so make the list an array first; `range` and sizes take one number each."
    ),
    "one-number-needed": (
        "One number is needed here, but this is a whole array. For a function of all values use "
        "NumPy's, as `np.exp` instead of `math.exp`."
    ),
    "bounds": _bounds,
    "too-many-indices": lambda m: (
        f"The array has {plural(int(m[1]), 'axis', 'axes')} here, but {m[2]} indices "
        "are given. Has one been summed or indexed away before?"
    ),
    "boolean-index": (
        "A mask that is used as an index must have the shape of the array, or of its first axes."
    ),
    "index-shapes": lambda m: (
        "Arrays that are indices together pick one item for each pair, so "
        f"{' and '.join(map(str, _shapes(m[1])))} must fit. For all rows with all columns "
        "use `np.ix_`, or one index after the other."
    ),
    "number-indexed": _NO_ITEMS,
    "number-iterated": _NO_ITEMS,
    "number-measured": _NO_ITEMS,
    "stored-in-number": _NO_ITEMS,
    "stored-in-tuple": "A tuple cannot be changed: make a list or an array, or a new tuple.",
    "index-type": (
        "An index must be a whole number: `/` always gives a float, `//` keeps integers."
    ),
    "unpack-too-many": (
        r"There are \1 names on the left, but more parts on the right; a shape has one for each "
        "axis."
    ),
    "unpack-too-few": lambda m: (
        f"There are {m[1]} names on the left, but only {m[2]} part{'s' * (m[2] != '1')} on the "
        "right; a shape has one for each axis."
    ),
    "list-index": "A list of n items has them numbered from 0 to n - 1.",
    "list-as-array": (
        "A list does not calculate as an array does: make it an array with `np.array(...)`."
    ),
    "array-called": (
        "Round brackets call a function; an array takes square ones, as `x[0]`. And `.T` and "
        "`.shape` stand without brackets."
    ),
    "module-called": (
        "A module was called as if it were a function: name a function in it, as `np.array`."
    ),
    "sequence-called": (
        "Round brackets call a function; a list or a tuple takes square ones, as `x.shape[0]`."
    ),
    "number-called": (
        "Round brackets after a number call it as a function: is a `*` missing, or has a name been "
        "given to a number that was a function?"
    ),
    "keyword": lambda m: (
        f"In NumPy this argument is called `{_KEYWORDS[m[1]]}`."
        if m[1] in _KEYWORDS
        else f"The function called here has no argument {_names(m[1])}."
    ),
    "arguments-missing": lambda m: (
        f"This call gives the function fewer arguments than it needs.{_SELF_PARAMETER * bool(m[1])}"
    ),
    "arguments-too-many": lambda m: (
        f"This call gives the function more arguments than it takes.{_SELF_PARAMETER * bool(m[1])}"
    ),
    "shape-as-arguments": (
        "The shape is one argument, in brackets of its own: `np.zeros((3, 4))`."
    ),
    "shape-as-tuple": (
        "A tuple stands where a whole number belongs: `np.random.rand(3, 4)` and `range(n)` take "
        "plain numbers."
    ),
    "axes-as-list": (
        "A list stands where a whole number belongs. Several axes go in a tuple: `axis=(0, 2)`."
    ),
    "size-not-whole": (
        "A size must be a whole number: `/` always gives a float, `//` keeps integers."
    ),
    "boolean-minus": "`-` does not work on booleans: `~mask` swaps true and false.",
    "bits-of-floats": (
        "`&`, `|`, `^` and `~` work on booleans and integers; a power is written `**`. Around "
        "comparisons put brackets: `(a > 0) & (b > 0)`."
    ),
    "removed-from-numpy": lambda m: (
        f"NumPy 2 has no `np.{m[1]}` any more{f': use {m[2]}' if m[2] else ''}."
    ),
    "not-in-numpy": lambda m: _instead("NumPy", m[1]),
    "import-name": lambda m: _instead("NumPy", m[1]),
    "not-of-array": lambda m: _instead("A NumPy array", m[1]),
    "singular": "This matrix has no inverse: some of its rows are combinations of others.",
    "not-square": "This needs a square matrix: as many rows as columns.",
    "set-later": lambda m: (
        f"Somewhere in this function {_names(m[1])} is given a value, which makes it a name of "
        "the function's own; on this line it has no value yet."
    ),
    "no-import": "Put `import numpy as np` at the top.",
    "too-large-for-float": (
        "A float ends near 1.8e308, and this number is larger. `exp` gets there above 709."
    ),
    "outside-domain": (
        "The logarithm needs a number above 0, and the root one that is not negative."
    ),
    "no-file": lambda m: {
        "Is": "This is a folder, no file.",
        "Pe": "This file or folder may not be read or changed here.",
    }.get(
        m[0][:2],
        "There is no such file or folder here: your code finds only files that the exercise has.",
    ),
    "refused-by-system": (
        "The system refuses this here. Code may compute, but not open connections (as `asyncio` "
        "does), start processes or change settings of the machine."
    ),
    "no-processes": (
        "No process can be started here, and no lock or memory shared with one: leave "
        "`multiprocessing` and pools of processes out."
    ),
    "no-network": "Submissions are graded without a network: put what your code needs into it.",
    "no-threads": "No thread can be started here: leave threads out.",
    "loaded-again": "A module cannot be loaded a second time here: leave `reload` out.",
    "no-environment": "Environment variables and users of your machine are not known here.",
    "empty-number": (
        "An empty text is no number. Nothing can be typed in here, so `sys.stdin` is empty too."
    ),
    "own-assert": "Your code checks something here that does not hold.",
    "division-by-zero": "What this line divides by is 0: where does that come from?",
    "recursion": "A function calls itself too often: which case should stop it?",
}

_SIZELESS_CAUSES: Final = frozenset({"bounds"})

# Causes that are too general to identify a mistake, see `signature`.
_VAGUE_CAUSES: Final = frozenset({
    "set-later", "no-import", "not-in-numpy", "not-of-array", "keyword", "recursion",
    "arguments-missing", "arguments-too-many", "list-index", "number-called", "sequence-called",
    "module-called", "import-name", "removed-from-numpy", "no-file", "own-assert",
    "refused-by-system", "no-processes", "no-network", "no-threads", "loaded-again",
    "no-environment", "empty-number",
})  # fmt: skip
