"""The comparison of printed text: words exactly, numbers by value, white space ignored."""

import re
from collections.abc import Sequence

from grader.definitions.exercise import Tolerance
from grader.grading.comparison.compare import Difference
from grader.grading.results.raw_result import DifferenceKind

# A number as NumPy prints it, a word, or one other character. White space only separates tokens.
_TOKEN = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[^\W\d]\w*|\S")
_NUMERIC = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_NUMPY_DECIMALS = 8  # NumPy's default precision, the upper bound for `_count_shared_decimals`


def compare_text(expected: str, got: str, tolerance: Tolerance | None = None) -> Difference | None:
    """Compare printed text: words exactly, numbers by value, white space ignored.

    A number may be off by half a unit in the last expected digit, or by `tolerance`. NumPy pads the
    numbers of an array to one width, so `0.5 ` beside `0.25` counts as having two decimals. NumPy's
    layout is ignored: `np.float64(0.5)` equals 0.5, and `array([1., 2.])` equals `[1. 2.]`, with
    any line breaks.

    Returns:
        The first difference, or None if the texts agree.
    """
    expected_tokens, tokens = (
        _TOKEN.findall(plain_print(expected)),
        _TOKEN.findall(plain_print(got)),
    )
    texts = {"expected": expected, "got": got}
    if expected_tokens and not tokens:
        return Difference(DifferenceKind.SILENCE, "nothing-printed", {"expected": expected})
    for expected_token, token, decimals in zip(
        expected_tokens, tokens, _count_shared_decimals(expected_tokens), strict=False
    ):
        if not _is_same_token(expected_token, token, tolerance, decimals):
            message, facts = "text", texts
            if tokens[-len(expected_tokens) :] == expected_tokens:
                message = "text-after-own-prints"
            elif len(expected_tokens) > 1 and expected_token.strip("[](),"):
                message = "text-from-a-place"
                facts = {**texts, "wanted": expected_token, "came": token}
            return Difference(DifferenceKind.TEXT, message, facts)
    if len(tokens) != len(expected_tokens):
        return Difference(
            DifferenceKind.TEXT,
            "more-text" if len(tokens) > len(expected_tokens) else "less-text",
            texts,
        )
    return None


_SCALAR = re.compile(r"\bnp\.(?:float|int|uint|complex|bool|longdouble)\w*\(([^()]*)\)")
_CONSTANT = re.compile(r"\bnp\.(True|False|nan|inf)_?\b")
_ARRAY = re.compile(r"\b(?:np\.)?array\(([^()]*(?:\([\d, ]*\)[^()]*)?)\)")


def plain_print(text: str) -> str:
    """Return text with NumPy's `repr` of values replaced by their `str`."""
    if "np." not in text and "array(" not in text:
        return text
    text = _CONSTANT.sub(r"\1", _SCALAR.sub(r"\1", text))

    def numbers(match: re.Match[str]) -> str:  # drops commas, and a dtype after the last bracket
        inside, bracket, options = match[1].rpartition("]")
        return f"{inside}{bracket}{'' if '=' in options else options}".replace(",", " ")

    return _ARRAY.sub(numbers, text)


def _count_shared_decimals(tokens: Sequence[str]) -> list[int]:
    """Return, for each token, the most decimals of any number in its outermost brackets, or 0."""
    shared, begin, depth = [0] * len(tokens), 0, 0
    for place, sign in enumerate(tokens):
        if sign == "[":
            begin, depth = (begin if depth else place), depth + 1
        depth -= sign == "]" and depth > 0
        if depth == 0 or place == len(tokens) - 1:
            longest = max(map(_decimals, tokens[begin : place + 1])) if tokens[begin] == "[" else 0
            shared[begin : place + 1] = [min(longest, _NUMPY_DECIMALS)] * (place + 1 - begin)
            begin = place + 1
    return shared


def _decimals(token: str) -> int:
    mantissa = token.lower().partition("e")[0]
    return len(mantissa.partition(".")[2]) if _NUMERIC.fullmatch(token) else 0


def _is_same_token(expected: str, got: str, tolerance: Tolerance | None, decimals: int) -> bool:
    if expected == got:
        return True
    if not (_NUMERIC.fullmatch(expected) and _NUMERIC.fullmatch(got)):
        return False
    if tolerance is None:
        exponent, own_decimals = expected.lower().partition("e")[2], _decimals(expected)
        half_unit = 0.5 * 10.0 ** (int(exponent or 0) - max(own_decimals, decimals)) * (1 + 1e-9)
        # A whole number must match exactly: it may be a shape or a count.
        tolerance = Tolerance(half_unit if own_decimals or exponent else 0.0, 0.0)
    expected_number, number = float(expected), float(got)
    return abs(expected_number - number) <= tolerance.atol + tolerance.rtol * abs(expected_number)
