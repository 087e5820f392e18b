"""Code that needs another version of Python or NumPy than the grader's.

The tables list features that learners use. The grader needs Python 3.11 and NumPy 2.2 or newer.
"""

import re
import sys
from dataclasses import dataclass
from typing import Final

import numpy as np

Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Versions:
    """The versions of Python and NumPy of a grader."""

    python: Version
    numpy: Version

    def __str__(self) -> str:
        """Return both versions as text for a sentence."""
        return f"Python {_version_text(self.python)} and NumPy {_version_text(self.numpy)}"

    @classmethod
    def from_text(cls, python: str, numpy: str) -> "Versions":
        """Parse full versions such as `3.13.2`."""
        return cls(_version(python), _version(numpy))


def _version(text: str) -> Version:
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


HERE: Final = Versions(sys.version_info[:2], _version(np.__version__))
"""The versions of this process."""


def _version_text(version: Version) -> str:
    return f"{version[0]}.{version[1]}"


@dataclass(frozen=True, slots=True)
class Syntax:
    """A form of syntax that needs a newer Python."""

    since: Version
    words: str  # the beginning of the sentence, with the verb "needs" or "need"
    instead: str
    message: str  # pattern for the syntax error of an older Python
    text: str  # pattern for the line of code


_SAME_QUOTES = r"""(?i:\b(?:f|rf|fr))(["']).*?\{[^{}]*?(?:\1[^{}]*?\1[^{}]*[{}]|(?i:f)\1.*\})"""
SYNTAX: Final = {  # the newest syntax comes first
    "lazy": Syntax(
        (3, 15), "a lazy import needs", "leave `lazy` out", "", r"\s*lazy\s+(?:import|from)\b"
    ),
    "unpacked": Syntax(
        (3, 15),
        "`*` or `**` in a comprehension needs",
        "write a loop, or `itertools.chain`",
        "unpacking cannot be used in",
        "",
    ),
    "template": Syntax(
        (3, 14),
        "a t-string needs",
        "write an f-string",
        "invalid syntax",
        r"""(?:.*[^\w'"])?[tT][rR]?["']""",
    ),
    "except": Syntax(
        (3, 14),
        "several exceptions without brackets need",
        "write `except (A, B):`",
        "multiple exception types must be parenthesized",
        "",
    ),
    "default": Syntax(
        (3, 13),
        "a default of a type parameter needs",
        "leave it out",
        "",
        r"\s*(?:(?:async\s+)?def|class|type)\s+\w+\s*\[[^\]]*=",
    ),
    "parameters": Syntax(
        (3, 12),
        "type parameters, as in `def f[T](x)`, need",
        "leave the square brackets out",
        "",
        r"\s*(?:(?:async\s+)?def|class)\s+\w+\s*\[",
    ),
    "type": Syntax(
        (3, 12),
        "a `type` statement needs",
        "leave `type` out",
        "",
        r"\s*type\s+\w+\s*(?:\[.*\])?\s*=",
    ),
    "f-string": Syntax(
        (3, 12),
        "a backslash, a comment or many braces in the braces of an f-string need",
        "compute the value before",
        "f-string expression part cannot include|f-string: expressions nested too deeply",
        "",
    ),
    "lines": Syntax(
        (3, 12),
        "an f-string whose braces go over several lines needs",
        "put it on one line, or in triple quotes",
        "unterminated string literal",
        r"""(?i:.*\b(?:f|rf|fr))(["'])(?:(?!\1).)*\{(?:(?!\1)[^}])*(?<=[{(\[,])\s*$""",
    ),
    "quotes": Syntax(
        (3, 12),
        "an f-string with its own quotes inside its braces needs",
        "use the other quotes inside",
        "f-string: |invalid syntax|unterminated string",
        rf".*?{_SAME_QUOTES}",
    ),
}  # fmt: skip

# Names of the standard library, by the version of Python that added them.
_ADDED: Final[dict[Version, str]] = {
    (3, 12): """
        collections.abc.Buffer itertools.batched math.sumprod random.binomialvariate
        types.get_original_bases typing.TypeAliasType typing.override calendar.Month calendar.Day
        inspect.markcoroutinefunction asyncio.eager_task_factory sys.monitoring""",
    (3, 13): """
        copy.replace math.fma queue.ShutDown re.PatternError statistics.kde statistics.kde_random
        typing.NoDefault typing.ReadOnly typing.TypeIs typing.get_protocol_members
        typing.is_protocol warnings.deprecated base64.z85encode base64.z85decode glob.translate
        os.process_cpu_count enum.EnumDict types.CapsuleType pathlib.UnsupportedOperation""",
    (3, 14): """
        annotationlib compression string.templatelib concurrent.interpreters functools.Placeholder
        heapq.heapify_max heapq.heappop_max heapq.heappush_max heapq.heappushpop_max
        heapq.heapreplace_max operator.is_none operator.is_not_none uuid.uuid6 uuid.uuid7
        uuid.uuid8 typing.evaluate_forward_ref""",
}

# Modules of the standard library, by the version of Python that removed them.
_REMOVED: Final[dict[Version, str]] = {
    (3, 12): "asynchat asyncore distutils imp smtpd",
    (3, 13): """
        aifc audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap nntplib pipes sndhdr sunau
        telnetlib uu xdrlib""",
}

_NUMPY_ADDED: Final = {"numpy.strings.slice": (2, 3)}

# Removed names of NumPy whose own error does not name a replacement, with the version.
_NUMPY_REMOVED: Final[dict[str, tuple[Version, str]]] = {
    "numpy.asscalar": ((1, 23), "`x.item()`"),
    "numpy.bool8": ((2, 0), "`bool`"),
    "numpy.complex": ((1, 24), "`complex`"),
    "numpy.cumproduct": ((2, 0), "`np.cumprod`"),
    "numpy.float": ((1, 24), "`float`"),
    "numpy.in1d": ((2, 4), "`np.isin`"),
    "numpy.int": ((1, 24), "`int`"),
    "numpy.int0": ((2, 0), "`int`"),
    "numpy.msort": ((2, 0), "`np.sort(x, axis=0)`"),
    "numpy.object": ((1, 24), "`object`"),
    "numpy.product": ((2, 0), "`np.prod`"),
    "numpy.rank": ((1, 18), "`x.ndim`"),
    "numpy.str": ((1, 24), "`str`"),
    "numpy.trapz": ((2, 4), "`np.trapezoid`"),
    "numpy.ndarray.itemset": ((2, 0), "`x[...] = value`"),
    "numpy.ndarray.newbyteorder": ((2, 0), "`x.view(x.dtype.newbyteorder(order))`"),
    "numpy.ndarray.ptp": ((2, 0), "`np.ptp(x)`"),
    "numpy.ndarray.tostring": ((2, 3), "`x.tobytes()`"),
    "numpy.fft.helper": ((2, 4), "`np.fft`"),
    "numpy.linalg.linalg": ((2, 4), "`np.linalg`"),
}

_MISSING_NAMES: Final = (
    re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<owner>[\w.]+)'"),
    re.compile(r"module '(?P<owner>[\w.]+)' has no attribute '(?P<name>\w+)'"),
    re.compile(r"'(?P<owner>numpy\.ndarray)' object has no attribute '(?P<name>\w+)'"),
    re.compile(r"No module named '(?P<owner>)(?P<name>[\w.]+)'"),
)


def missing_name_sentence(message: str) -> str:
    """Return the sentence about a name that exists in another version of Python or NumPy, or ""."""
    match = next(filter(None, (each.search(message) for each in _MISSING_NAMES)), None)
    return name_sentence(f"{match['owner']}.{match['name']}".strip("."), HERE) if match else ""


def syntax_sentence(message: str, text: str) -> str:
    """Return the sentence about syntax that needs a newer Python, or ""."""
    for form in SYNTAX.values():
        if (
            form.since > HERE.python
            and re.search(form.message, message)
            and re.match(form.text, text)
        ):
            return newer_syntax_sentence(form, HERE)
    return ""


def newer_syntax_sentence(syntax: Syntax, there: Versions) -> str:
    """Return the sentence about syntax that a grader's Python cannot read."""
    sentence_start = f"{syntax.words[0].upper()}{syntax.words[1:]}"
    needed, has = _version_text(syntax.since), _version_text(there.python)
    return f"{sentence_start} Python {needed} or newer, and the grader has {has}: {syntax.instead}."


def name_sentence(name: str, there: Versions) -> str:
    """Return the sentence about a name that is missing in a grader's versions, or "".

    Args:
        name: The full name, such as `itertools.batched`.
    """
    short_name = name.replace("numpy.ndarray.", "x.").replace("numpy.", "np.", 1)
    removed, instead = _NUMPY_REMOVED.get(name, ((99, 0), ""))
    if there.numpy >= removed:
        since = _version_text(removed) if removed > (2, 0) else "2"
        return f"NumPy {since} has no `{short_name}` any more: use {instead}."
    if (since_numpy := _NUMPY_ADDED.get(name, (0, 0))) > there.numpy:
        needed, has = _version_text(since_numpy), _version_text(there.numpy)
        return f"`{short_name}` needs NumPy {needed} or newer, and the grader has {has}."
    for version, names in _ADDED.items():
        if name in names.split() and version > there.python:
            needed, has = _version_text(version), _version_text(there.python)
            return f"`{name}` needs Python {needed} or newer, and the grader has {has}."
    for version, names in _REMOVED.items():
        if name.partition(".")[0] in names.split() and version <= there.python:
            since, has = _version_text(version), _version_text(there.python)
            return f"Python {since} has no module `{name}` any more, and the grader has {has}."
    return ""
